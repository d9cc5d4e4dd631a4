"""Measured flanks of single teeth of one gear, and the file they come in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.geometry.measured_flank import MOST_TEETH, TOOTH_COLUMN, TOPOGRAPHY_COLUMNS, DeviationSign, Topography
from alegear.limits import check_choice, check_kind, check_type, described
from alegear.parameters import Parameter, SubTable, Words
from alegear.short_repr import ShortRepr
from alegear.storage.column_file import column_names, read_columns

OtherTeeth = Literal["nearest", "nominal"]
OTHER_TEETH: tuple[OtherTeeth, ...] = ("nearest", "nominal")


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredTeeth(ShortRepr):
    """Hold the flanks of teeth that were measured one by one.

    Parameters
    ----------
    numbers : tuple of int
        Teeth that were measured, rising, counted from 0 in the order in which they come into mesh; tooth 0 is the one
        in pair 0, as of pitch deviations.
    flanks : tuple of Topography
        Of each of them.
    other_teeth : {"nearest", "nominal"} or None
        What teeth have that were not measured: the flank of the nearest one that was, around the gear (of two as near
        the one that comes into mesh before), or none. None: there are no others.

    Raises
    ------
    Fault
        For tooth numbers that do not rise, a number of flanks that differs, and another word. Whether the gear has
        these teeth, and no others, is known to the :class:`~alegear.geometry.cylindrical_gear.Gear`, which checks it.

    Examples
    --------
    >>> removal = [[4e-6, 0.0, 4e-6], [4e-6, 0.0, 4e-6]]
    >>> crowned = Topography(roll_length=[5e-3, 20e-3], z=[-0.01, 0.0, 0.01], removal=removal)
    >>> plain = Topography(roll_length=[5e-3, 20e-3], z=[-0.01, 0.01], removal=np.zeros((2, 2)))
    >>> teeth = MeasuredTeeth(numbers=(0, 5), flanks=(crowned, plain), other_teeth="nearest")
    >>> teeth.flank_of(10).tolist()
    [0, 0, 0, 1, 1, 1, 1, 1, 0, 0]
    """

    numbers: tuple[int, ...]
    flanks: tuple[Topography, ...]
    other_teeth: OtherTeeth | None = None

    def __post_init__(self) -> None:
        check_type(self, "numbers", tuple)
        check_type(self, "flanks", tuple)
        whole = all(isinstance(one, int | np.integer) and not isinstance(one, bool) for one in self.numbers)
        if not whole or not self.numbers or not all(0 <= one <= MOST_TEETH for one in self.numbers):
            remedy = "give the numbers of the measured teeth"
            raise Fault(
                "numbers of measured teeth", described(self.numbers), "whole numbers from 0, one at least", remedy
            )
        if any(second <= first for first, second in zip(self.numbers, self.numbers[1:], strict=False)):
            raise Fault(
                "numbers of measured teeth", described(self.numbers), "rising", "give each tooth once, in order"
            )
        if len(self.flanks) != len(self.numbers) or not all(isinstance(one, Topography) for one in self.flanks):
            remedy = "give a Topography for each of the numbers"
            raise Fault("flanks of measured teeth", len(self.flanks), f"{len(self.numbers)} topographies", remedy)
        if self.other_teeth is not None:
            check_choice(self, "other_teeth", OTHER_TEETH, "other teeth")

    @classmethod
    def from_csv(cls, path: str | Path, *, sign: DeviationSign, other_teeth: OtherTeeth | None = None) -> MeasuredTeeth:
        """Read a file as :meth:`Topography.from_csv` does, with the number of the tooth in a further column ``tooth``.

        Parameters
        ----------
        path : str or Path
        sign : {"metal-positive", "removal-positive"}
        other_teeth : {"nearest", "nominal"}, optional

        Raises
        ------
        Fault
            As there, and for numbers that are no teeth.
        """
        path = Path(path)
        table = read_columns(path, (*TOPOGRAPHY_COLUMNS, TOOTH_COLUMN), "topography")
        tooth = table[:, 3]
        wrong = tooth[(tooth != np.round(tooth)) | (tooth < 0) | (tooth > MOST_TEETH)]
        if wrong.size:
            limit = f"a whole number from 0 to {MOST_TEETH}"
            raise Fault(f"{path.name}: tooth", f"{wrong[0]:g}", limit, "count from 0 in the file of topography")
        numbers = np.unique(tooth.astype(int))
        flanks = []
        for number in numbers:
            roll, z, deviation = (table[tooth == number] * [1e-3, 1e-3, 1e-6, 1.0]).T[:3]
            name = f"{path.name}, tooth {number}"
            try:
                flanks.append(Topography.from_points(roll, z, deviation, sign=sign, name=name))
            except Fault as fault:
                if name in fault.quantity:
                    raise
                raise Fault(f"{name}, {fault.quantity}", fault.value, fault.limit, fault.remedy) from fault
        return cls(numbers=tuple(numbers.tolist()), flanks=tuple(flanks), other_teeth=other_teeth)

    def from_other_end(self) -> MeasuredTeeth:
        """Return the deviations of the same gear turned over, so that its +z is where -z was."""
        return replace(self, flanks=tuple(one.from_other_end() for one in self.flanks))

    def removal_at(self, roll_length: Array, z: Array, tooth: Indices, teeth: int) -> Array:
        """Return the deviation between the points, shape (...) [m].

        Parameters
        ----------
        roll_length, z : shape (...) [m]
        tooth : shape (...)
            Number of the tooth of each.
        teeth : int
            Of the gear.
        """
        outside = np.unique(tooth[(tooth < 0) | (tooth >= teeth)])
        if outside.size:
            raise Fault("number of a tooth", int(outside[0]), f"from 0 to {teeth - 1}", "count the teeth from 0")
        flank = self.flank_of(teeth)[tooth]
        removal = np.zeros(roll_length.shape)
        for number in np.unique(flank[flank >= 0]):
            at = flank == number
            removal[at] = self.flanks[number].removal_at(roll_length[at], z[at])
        return removal

    def flank_of(self, teeth: int) -> Indices:
        """Return which of the flanks each tooth of a gear has, shape (teeth,); -1 for none.

        Raises
        ------
        Fault
            For teeth that the gear does not have, and for teeth not measured where `other_teeth` is None.
        """
        measured = np.array(self.numbers)
        if measured[-1] >= teeth:
            limit = f"at most {teeth - 1}: the gear has {teeth} teeth, counted from 0"
            raise Fault("number of a measured tooth", int(measured[-1]), limit, "correct the file of topography")
        flank = np.full(teeth, -1, dtype=np.int64)
        if self.other_teeth == "nearest":
            after = (np.arange(teeth)[:, None] - measured) % teeth  # teeth by which each comes after a measured one
            distance = np.minimum(after, teeth - after)
            flank[:] = np.argmin(2 * distance + (after > distance), axis=1)  # of two as near the one before
        flank[measured] = np.arange(measured.size)
        if self.other_teeth is None and measured.size < teeth:
            missing = int(np.flatnonzero(flank < 0)[0])
            limit = f"measured as the others are, or given by other_teeth ({teeth - measured.size} of {teeth} are not)"
            remedy = 'add other_teeth = "nearest" or "nominal"'
            raise Fault(f"topography of tooth {missing}", "missing", limit, remedy)
        if self.other_teeth is not None and measured.size == teeth:
            raise Fault("other_teeth", f'"{self.other_teeth}"', "left out: all teeth were measured", "leave it out")
        return flank


@dataclass(frozen=True, kw_only=True)
class MeasuredFile:
    """A file of a measured flank, as a case names it.

    Parameters
    ----------
    file : str
    sign, other_teeth
        As of :func:`read_topography`.
    """

    file: Annotated[
        str,
        Words(
            "path of the measured flank (roll_length_mm, face_position_mm, deviation_um, and tooth where single teeth"
            " were measured), from the case file's folder"
        ),
    ]
    sign: Annotated[
        DeviationSign,
        Words('meaning of a positive deviation_um: "metal-positive" as of measuring machines, or "removal-positive"'),
    ]
    other_teeth: Annotated[
        OtherTeeth | None,
        Words(
            'flank of teeth that are not in the file: "nearest", that of the nearest measured tooth, or "nominal",'
            " without measured deviation; needs a column tooth"
        ),
    ] = None


@dataclass(frozen=True)
class MeasuredFlank(SubTable):
    """A flank by its file."""

    def converted(self, value: Any, folder: Path) -> Any:
        """The flank that the file has."""
        return read_topography(folder / value.file, sign=value.sign, other_teeth=value.other_teeth)

    def check(self, parameter: Parameter, value: Any, where: str) -> None:
        """Refuse what is no measured flank."""
        check_kind(value, f"{where}.{parameter.name}", (Topography, MeasuredTeeth), optional=True)


def read_topography(
    path: str | Path, *, sign: DeviationSign, other_teeth: OtherTeeth | None = None
) -> Topography | MeasuredTeeth:
    """Read the measured flank of all teeth, or where the file has a column ``tooth`` the flanks of single teeth.

    Raises
    ------
    Fault
        As the readers of both, and for `other_teeth` with a flank of all teeth.
    """
    if TOOTH_COLUMN in column_names(Path(path), "topography"):
        return MeasuredTeeth.from_csv(path, sign=sign, other_teeth=other_teeth)
    if other_teeth is not None:
        limit = "left out: the file has no column tooth, so its flank is that of all teeth"
        raise Fault(
            "other_teeth", f'"{other_teeth}"', limit, "leave it out, or add the column to the file of topography"
        )
    return Topography.from_csv(path, sign=sign)
