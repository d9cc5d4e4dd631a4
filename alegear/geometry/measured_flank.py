"""Measured deviations of a flank: topography and pitch deviations, and the files they come in.

The files are CSV as :mod:`alegear.storage.column_file` reads it. Measuring machines count material that is left as
positive, drawings of modifications what is removed; so the sign of a topography is said beside its file, and has no
default.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.geometry.resampled_flank import FEWEST_POINTS, SAME_PLACE, distinct, resample
from alegear.limits import array_of, described
from alegear.short_repr import ShortRepr
from alegear.storage.column_file import read_columns

TOPOGRAPHY_COLUMNS = ("roll_length_mm", "face_position_mm", "deviation_um")
TOOTH_COLUMN = "tooth"
PITCH_COLUMNS = ("tooth", "displacement_um")

DeviationSign = Literal["metal-positive", "removal-positive"]
SIGNS: dict[str, float] = {"metal-positive": -1.0, "removal-positive": 1.0}
"""Factor from what a file holds to material removed."""

MOST_TEETH = 1_000_000  # more than any gear here has; numbers beyond it are no teeth


@dataclass(frozen=True, kw_only=True, eq=False)
class Topography(ShortRepr):
    """Hold the measured deviation of a flank on a regular grid; material removed is positive.

    Between the points the deviation is interpolated by piecewise cubic polynomials that never leave the range of the
    neighbouring points (PCHIP along the profile, then across the face): value and slope are continuous, a bilinear
    field is met exactly, and nothing overshoots. Beyond the outermost rows and columns the value there counts.

    Parameters
    ----------
    roll_length : shape (n,) [m]
        Roll lengths (r_b times the roll angle) of the rows, rising, n >= 2.
    z : shape (m,) [m]
        Positions across the face of the columns, from mid-face, rising, m >= 2.
    removal : shape (n, m) [m]
        Normal offset into the material.
    resampling_error : float or None [m]
        Largest error of its interpolation from points that were no grid; None: measured on this grid.

    Raises
    ------
    Fault
        For a grid that is too small, not rising, of another shape than its positions, or with numbers that are not
        finite. Whether it lies on the flank is known to the :class:`~alegear.geometry.cylindrical_gear.Gear`, which
        checks it.

    Notes
    -----
    Source of the interpolation: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300, as SciPy has it.
    """

    roll_length: Array
    z: Array
    removal: Array
    resampling_error: float | None = field(default=None, metadata={"digest_if_given": True})

    def __post_init__(self) -> None:
        for name in ("roll_length", "z", "removal"):
            values = np.array(getattr(self, name), dtype=float)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
            if not np.all(np.isfinite(values)):
                raise Fault(
                    f"topography: {name}",
                    float(values[~np.isfinite(values)].flat[0]),
                    "finite numbers",
                    "correct or leave out these points in the file of topography",
                )
        for name in ("roll_length", "z"):
            places = getattr(self, name)
            if places.ndim != 1 or places.size < 2 or np.any(np.diff(places) <= SAME_PLACE):
                raise Fault(
                    f"topography: number of positions along {name}",
                    places.size,
                    "at least 2, rising",
                    "give a grid of at least 2 x 2 points in the file of topography",
                )
        if self.removal.shape != (self.roll_length.size, self.z.size):
            raise Fault(
                "topography: shape of the deviations",
                self.removal.shape,
                f"({self.roll_length.size}, {self.z.size}), roll lengths x face positions",
                "give one deviation for each point of the grid in the file of topography",
            )

    def from_other_end(self) -> Topography:
        """Return the deviations of the same gear turned over, so that its +z is where -z was."""
        return replace(self, z=-self.z[::-1], removal=self.removal[:, ::-1])

    @classmethod
    def from_csv(cls, path: str | Path, *, sign: DeviationSign) -> Topography:
        """Read a file of roll length [mm], face position [mm] and deviation [um], one point a line, in any order.

        Parameters
        ----------
        path : str or Path
        sign : {"metal-positive", "removal-positive"}
            What a positive deviation means: material beyond the involute, as measuring machines have it, or removed.

        Raises
        ------
        Fault
            For a file that cannot be read, other columns, a value that is no finite number, a point given twice, a
            grid with holes, and points that :meth:`from_points` refuses.
        """
        path = Path(path)
        table = read_columns(path, TOPOGRAPHY_COLUMNS, "topography")
        return cls.from_points(1e-3 * table[:, 0], 1e-3 * table[:, 1], 1e-6 * table[:, 2], sign=sign, name=path.name)

    @classmethod
    def from_points(
        cls,
        roll_length: ArrayLike,
        z: ArrayLike,
        deviation: ArrayLike,
        *,
        sign: DeviationSign,
        name: str = "topography",
    ) -> Topography:
        """Take over measured points: a full grid as it is, others laid onto one.

        Parameters
        ----------
        roll_length, z, deviation : shape (n,) [m]
            In any order.
        sign : {"metal-positive", "removal-positive"}
        name : str
            Of what they come from, for messages.

        Returns
        -------
        Topography
            With its ``resampling_error``, None of a grid; see :func:`~alegear.geometry.resampled_flank.resample`.

        Raises
        ------
        Fault
            For another sign, a grid with holes, points given twice, and too few points or too far apart.

        Examples
        --------
        >>> roll, z = np.meshgrid([9e-3, 12e-3, 15e-3], [-10e-3, 0.0, 10e-3])
        >>> roll, z = roll.ravel(), z.ravel()
        >>> flank = Topography.from_points(roll, z, 1e-4 * z**2, sign="metal-positive")
        >>> flank.resampling_error is None, round(1e9 * float(flank.removal_at(9e-3, 10e-3)), 6)
        (True, -10.0)
        """
        if not isinstance(sign, str) or sign not in SIGNS:
            limit = " or ".join(f'"{word}"' for word in SIGNS)
            raise Fault(f"sign of {name}", described(sign), limit, "say what a positive deviation means")
        given = {"roll_length": roll_length, "z": z, "deviation": deviation}
        points = [array_of(one, f"Topography.from_points, {word}") for word, one in given.items()]
        shapes = [one.shape for one in points]
        if any(one.ndim != 1 or one.shape != shapes[0] for one in points):
            raise Fault(name, shapes, "three columns of equal length", "give one of each a point")
        if not all(np.isfinite(one).all() for one in points):
            raise Fault(name, "a number that is not finite", "finite numbers", "leave out these points")
        removal = SIGNS[sign] * points[2] + 0.0  # first of all, so that both signs are the same to the last bit
        grid = _as_grid(points[0], points[1], removal, name)
        if grid is not None:
            return cls(roll_length=grid[0], z=grid[1], removal=grid[2])
        found = resample(points[0], points[1], removal, name)
        return cls(roll_length=found.roll_length, z=found.z, removal=found.removal, resampling_error=found.error)

    def removal_at(self, roll_length: ArrayLike, z: ArrayLike) -> Array:
        """Return the deviation between the points, shape (n,) [m]; roll lengths and positions z (n,) [m]."""
        from scipy.interpolate import PchipInterpolator  # here, because it takes longer to import than all of geometry

        xi, across = np.broadcast_arrays(
            np.clip(np.asarray(roll_length, dtype=float), self.roll_length[0], self.roll_length[-1]),
            np.clip(np.asarray(z, dtype=float), self.z[0], self.z[-1]),
        )
        rows, row = np.unique(xi.ravel(), return_inverse=True)
        columns = PchipInterpolator(self.roll_length, self.removal, axis=0)(rows)
        coefficients = PchipInterpolator(self.z, columns, axis=1).c  # (4, intervals, rows)
        interval = np.clip(np.searchsorted(self.z, across.ravel(), side="right") - 1, 0, self.z.size - 2)
        step = across.ravel() - self.z[interval]
        c = coefficients[:, interval, row]
        value: Array = ((c[0] * step + c[1]) * step + c[2]) * step + c[3]
        return value.reshape(xi.shape)


def topography_text(roll_length: Array, z: Array, deviation: Array, tooth: int | None = None, head: bool = True) -> str:
    """Return the content of a file that :meth:`Topography.from_csv` reads, of points [m], each shape (n,).

    With the number of a `tooth`, which :meth:`~alegear.geometry.measured_teeth.MeasuredTeeth.from_csv` reads; without
    `head` for the lines of the next one.
    """
    last = "" if tooth is None else f",{tooth}"
    points = zip(roll_length, z, deviation, strict=True)
    rows = "".join(f"{1e3 * r:.6f},{1e3 * at:.6f},{1e6 * d:.4f}{last}\n" for r, at, d in points)
    columns = TOPOGRAPHY_COLUMNS if tooth is None else (*TOPOGRAPHY_COLUMNS, TOOTH_COLUMN)
    return (",".join(columns) + "\n" if head else "") + rows


def read_pitch_deviation(path: str | Path) -> Array:
    """Read a file of tooth number and displacement [um], each tooth once, in any order.

    Teeth are counted from 0, in the order in which they come into mesh; tooth 0 is the one in pair 0. A tooth is
    displaced as a whole: positive is material added to its left flank, seen from the face end at +z with the tip
    upwards, and taken from its right flank. Where a pinion drives with a positive torque the flanks of both gears come
    early then. So the number has no sign of material, and none is to be given; its column is ``displacement_um``.

    Returns
    -------
    shape (z,) [m]
        Material added to the left flank of each tooth.

    Raises
    ------
    Fault
        For a file that cannot be read, other columns, a value that is no finite number, and teeth that are missing,
        given twice or not counted from 0.
    """
    path = Path(path)
    table = read_columns(path, PITCH_COLUMNS, "pitch_deviation_csv")
    tooth = table[:, 0]
    remedy = f"give each tooth once in pitch_deviation_csv, counted from 0 to {len(table) - 1}"
    for number in tooth:
        if number != round(number) or not 0 <= number <= MOST_TEETH:
            raise Fault(f"{path.name}: tooth", f"{number:g}", f"a whole number from 0 to {MOST_TEETH}", remedy)
    numbers, count = np.unique(tooth.astype(int), return_counts=True)
    if np.any(count > 1):
        raise Fault(f"{path.name}: tooth", int(numbers[count > 1][0]), "given once", remedy)
    wrong = np.flatnonzero(numbers != np.arange(numbers.size))
    if wrong.size:
        raise Fault(
            f"{path.name}: tooth", int(wrong[0]), f"given too: the file goes to tooth {int(numbers[-1])}", remedy
        )
    deviation = np.empty(numbers.size)
    deviation[tooth.astype(int)] = 1e-6 * table[:, 1]
    return deviation


def _as_grid(roll_length: Array, z: Array, removal: Array, name: str) -> tuple[Array, Array, Array] | None:
    """Rows, columns and values of points that are a grid, None of others."""
    (roll, rows), (across, columns) = distinct(roll_length), distinct(z)
    count = np.zeros((roll.size, across.size), dtype=int)
    np.add.at(count, (rows, columns), 1)
    missing = int(np.count_nonzero(count == 0))
    if 4 * missing > count.size and (removal.size >= FEWEST_POINTS or count.size > 2 * removal.size):
        return None  # few points share their rows and columns: they were not meant as a grid
    if np.any(count > 1):
        i, j = np.argwhere(count > 1)[0]
        raise Fault(
            f"{name}: deviations at roll length {1e3 * roll[i]:.6g} mm, face position {1e3 * across[j]:.6g} mm",
            int(count[i, j]),
            "1: each point once",
            "remove the others from the file of topography",
        )
    if missing:
        i, j = np.argwhere(count == 0)[0]
        raise Fault(
            f"{name}: deviation at roll length {1e3 * roll[i]:.6g} mm, face position {1e3 * across[j]:.6g} mm",
            "missing",
            f"given: the grid of {roll.size} roll lengths x {across.size} face positions has {missing} hole(s)",
            "fill the grid in the file of topography; every roll length needs every face position",
        )
    values = np.empty(count.shape)
    values[rows, columns] = removal
    return roll, across, values
