"""``[pinion]`` and ``[wheel]``: teeth, bore, microgeometry, material and grid of a gear."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from alegear.case.case_file import CaseFile
from alegear.case.flank import FlankTable
from alegear.case.grid import GearGridTable
from alegear.case.material import MaterialTable
from alegear.case.part_table import table_of
from alegear.case.schema import Section
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.cylindrical_gear import PROFILE_SHIFT
from alegear.geometry.gear import Gear
from alegear.geometry.internal_gear import ROOT_RADIUS, InternalGear
from alegear.geometry.pinion_cutter import PinionCutter
from alegear.limits import bound_in_words, bound_passed
from alegear.parameters import limits_of, made_of


def _teeth(value: int) -> int:
    limits = limits_of(Gear)["z"]
    if value < 0:
        raise PydanticCustomError(
            "later",
            "internal gears are not in this version of [pinion] and [wheel]",
            {"remedy": "write [machine] and [gears.NAME]"},
        )
    if limits.most is not None and value > limits.most:
        raise PydanticCustomError("limit", f"must be at most {limits.most:.0f}", {"remedy": "use fewer teeth"})
    if limits.least is not None and value < limits.least:
        remedy = f"use a gear with {limits.least:.0f} teeth or more"
        raise PydanticCustomError("limit", f"must be at least {limits.least:.0f}", {"remedy": remedy})
    return value


def _teeth_modelled(value: Any) -> int | None:
    if value == "all":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 3 and value % 2 == 1:
        return value
    raise PydanticCustomError(
        "limit", 'must be "all" or an odd number of teeth from 3 on', {"remedy": 'write "all", 3, 5, 7 ...'}
    )


#: In place of a profile shift.
FROM_CENTRE_DISTANCE = "from centre distance"


def _profile_shift(value: Any) -> float | str:
    limits = PROFILE_SHIFT
    if value == FROM_CENTRE_DISTANCE:
        return FROM_CENTRE_DISTANCE
    if isinstance(value, bool) or not isinstance(value, int | float):
        limit, remedy = f'must be a number or "{FROM_CENTRE_DISTANCE}"', "give the profile shift coefficient"
        raise PydanticCustomError("limit", limit, {"remedy": remedy})  # type: ignore[arg-type]
    for bound, number in limits.bounds.items():
        if bound_passed(bound, value, number):
            words = f"must be {bound_in_words(bound, number)}"
            raise PydanticCustomError("limit", words, {"remedy": "give the profile shift coefficient"})  # type: ignore[arg-type]
    return float(value)


_Number = Annotated[float, Field(**PROFILE_SHIFT.bounds)]
_ProfileShift = Annotated[_Number | Literal["from centre distance"], BeforeValidator(_profile_shift)]


class ToothKeys(table_of(Gear, without=("z", "m_n", "bore_diameter", "beta"))):  # type: ignore[misc]
    """Keys of the teeth of all gears."""

    profile_shift: _ProfileShift = Field(
        default=0.0,
        description=f'profile shift coefficient, or "{FROM_CENTRE_DISTANCE}": the one that leaves no backlash with that'
        " of the other gear",
    )
    flank: FlankTable = FlankTable()
    material: MaterialTable = MaterialTable()


class GearKeys(ToothKeys):
    """Keys of all gears that a case meshes."""

    teeth_modelled: Annotated[int | Literal["all"] | None, BeforeValidator(_teeth_modelled)] = Field(
        default=None, description='teeth of the segment, odd: 3, 5, 7 ... ("all")'
    )
    grid: GearGridTable = GearGridTable()


class GearTable(GearKeys, table_of(Gear, "z", "bore_diameter")):  # type: ignore[misc]
    """``[pinion]`` and ``[wheel]``: teeth, bore, microgeometry, material and grid of a gear."""

    teeth: Annotated[int, AfterValidator(_teeth)] = Field(description="number of teeth")


#: Fields of a ring besides those of all gears.
OF_RING = ("rim_diameter", "cutter", "root_fillet_radius")


class EitherGearTable(
    GearKeys,
    table_of(Gear, "bore_diameter", optional=True),  # type: ignore[misc]
    table_of(InternalGear, *OF_RING, optional=True),  # type: ignore[misc]
):
    """Keys of a gear that may be a ring."""

    teeth: int = Field(description="number of teeth; negative: a ring, as with internal = true")
    internal: bool = Field(default=False, description="whether it is a ring, with teeth inside")

    @property
    def is_ring(self) -> bool:
        """Whether it is one, said either way."""
        return self.internal or self.teeth < 0

    @property
    def missing(self) -> str | None:
        """The key of its cylinder if it is not given."""
        key = "rim_diameter_mm" if self.is_ring else "bore_diameter_mm"
        return key if getattr(self, key) is None else None

    @property
    def without_effect(self) -> list[str]:
        """Keys of the other kind that are given."""
        others = ("bore_diameter_mm", "tip_rounding_mm", "grid") if self.is_ring else KEYS_OF_RINGS
        return [key for key in others if key in self.model_fields_set]


KEYS_OF_RINGS = ("rim_diameter_mm", "cutter_teeth", "cutter_profile_shift", "root_fillet_radius_mm")


def gear_of(
    table: Any, *, normal_module: float, alpha_n: float, beta: float, folder: Path, teeth: int | None = None
) -> Gear:
    """Return a gear of a table, in SI units.

    Parameters
    ----------
    table : GearTable, EitherGearTable, or one with ToothKeys and BoreKeys
        Of an external gear.
    normal_module : float [m]
    alpha_n, beta : float [rad]
    folder : Path
        Where the files that it names are looked up.
    teeth : int, optional
        Where the table does not give them.
    """
    gear: Gear = made_of(Gear, table.given, folder, **_common(table, normal_module, alpha_n, beta, folder, teeth))
    return gear


def ring_of(
    table: Any, *, normal_module: float, alpha_n: float, beta: float, folder: Path, teeth: int | None = None
) -> InternalGear:
    """Return a ring of a table, in SI units; parameters as of :func:`gear_of`."""
    cutter = None
    if {"cutter_teeth", "cutter_profile_shift"} & table.given.keys():
        own = table.teeth if teeth is None else teeth
        z = PinionCutter.for_ring(own).z if table.cutter_teeth is None else table.cutter_teeth
        cutter = PinionCutter(z=z, x=table.cutter_profile_shift or 0.0)
    given = _common(table, normal_module, alpha_n, beta, folder, teeth)
    fillet = table.root_fillet_radius_mm
    if fillet is not None:
        for key in ("cutter_teeth", "cutter_profile_shift", "root_radius_factor"):
            if key in table.model_fields_set:
                limit = "left out with root_fillet_radius_mm: no cutter makes the root"
                raise Fault(key, getattr(table, key), limit, f"leave out {key}, or root_fillet_radius_mm")
    if "root_radius_factor" not in table.model_fields_set:
        given["rack"] = replace(given["rack"], root_radius_factor=ROOT_RADIUS)
    ring: InternalGear = made_of(InternalGear, table.given, folder, cutter=cutter, **given)
    return ring


def _common(
    table: Any, normal_module: float, alpha_n: float, beta: float, folder: Path, teeth: int | None
) -> dict[str, Any]:
    """What gears of both kinds are made of."""
    return {
        "z": table.teeth if teeth is None else teeth,
        "m_n": normal_module,
        "rack": made_of(BasicRack, table.given, folder, alpha_n=alpha_n),
        "beta": beta,
        "microgeometry": table.flank.made(folder),
    }


def _read(file: CaseFile) -> dict[str, Any]:
    if not all(gear in file.tables for gear in GEARS):
        return {}
    tables = [file.tables[gear] for gear in GEARS]
    return {
        "teeth": tuple(table.teeth for table in tables),
        "teeth_modelled": tuple(table.teeth_modelled for table in tables),
    }


SECTION = Section(tables=dict.fromkeys(GEARS, GearTable), required=True, read=_read)
