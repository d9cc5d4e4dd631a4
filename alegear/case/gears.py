"""``[pinion]`` and ``[wheel]``: teeth, bore, microgeometry, material and grid of a gear."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from alegear.case.case_file import CaseFile
from alegear.case.flank import FlankTable, microgeometry
from alegear.case.grid import GearGridTable
from alegear.case.material import MaterialTable
from alegear.case.schema import Section, Table, limited
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear
from alegear.geometry.internal_gear import ROOT_RADIUS, InternalGear
from alegear.geometry.pinion_cutter import PinionCutter
from alegear.limits import bound_in_words, bound_passed
from alegear.units import MM, UM

_GEAR, _RACK = Gear.LIMITS, BasicRack.LIMITS
_RING, _CUTTER = InternalGear.LIMITS, PinionCutter.LIMITS


def _teeth(value: int) -> int:
    limits = Gear.LIMITS["z"]
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
    limits = _GEAR["x"]
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


_Number = Annotated[float, Field(**_GEAR["x"].bounds)]
_ProfileShift = Annotated[_Number | Literal["from centre distance"], BeforeValidator(_profile_shift)]


class ToothKeys(Table):
    """Keys of the teeth of all gears."""

    profile_shift: _ProfileShift = Field(
        default=0.0,
        description=f'profile shift coefficient, or "{FROM_CENTRE_DISTANCE}": the one that leaves no backlash with that'
        " of the other gear",
    )
    face_width_mm: float = limited(_GEAR["b"], "face width in mm")
    addendum_factor: float = limited(_RACK["addendum_factor"], "addendum in modules (1.0)", default=1.0)
    dedendum_factor: float = limited(_RACK["dedendum_factor"], "dedendum in modules (1.25)", default=1.25)
    root_radius_factor: float = limited(
        _RACK["root_radius_factor"],
        "tip round of the generating rack in modules; of the cutter of a ring 0.25 unless given (0.38)",
        default=0.38,
    )
    tip_alteration_factor: float = limited(
        _GEAR["tip_alteration_factor"], "change of the tip radius in modules", default=0.0
    )
    tip_rounding_mm: float | None = limited(_GEAR["tip_rounding"], "radius of the tip edge in mm", default=None)
    tooth_thickness_allowance_um: float = limited(
        _GEAR["thickness_allowance"], "tooth thickness allowance in micrometres", default=0.0
    )
    flank: FlankTable = FlankTable()
    material: MaterialTable = MaterialTable()


class GearKeys(ToothKeys):
    """Keys of all gears that a case meshes."""

    teeth_modelled: Annotated[int | Literal["all"] | None, BeforeValidator(_teeth_modelled)] = Field(
        default=None, description='teeth of the segment, odd: 3, 5, 7 ... ("all")'
    )
    grid: GearGridTable = GearGridTable()


class BoreKeys(Table):
    """Keys of what is around the axis of an external gear."""

    bore_diameter_mm: float | None = limited(_GEAR["bore_diameter"], "bore diameter in mm, not of a ring", default=None)


class RingKeys(Table):
    """Keys of a ring besides its teeth."""

    rim_diameter_mm: float | None = limited(
        _RING["rim_diameter"], "diameter of the cylinder outside in mm, of a ring", default=None
    )
    cutter_teeth: int | None = limited(
        _CUTTER["z"], "teeth of the pinion cutter of a ring (half of its own, at most 30)", default=None
    )
    cutter_profile_shift: float | None = limited(
        _CUTTER["x"], "profile shift coefficient of that cutter (0)", default=None
    )
    root_fillet_radius_mm: float | None = limited(
        _RING["root_fillet_radius"],
        "fillet radius in mm, in the transverse section, of a ring that is broached, moulded or eroded, in place of a"
        " cutter",
        default=None,
    )


class GearTable(GearKeys):
    """``[pinion]`` and ``[wheel]``: teeth, bore, microgeometry, material and grid of a gear."""

    teeth: Annotated[int, AfterValidator(_teeth)] = Field(description="number of teeth")
    bore_diameter_mm: float = limited(_GEAR["bore_diameter"], "bore diameter in mm")


class EitherGearTable(GearKeys, BoreKeys, RingKeys):
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
    assert table.bore_diameter_mm is not None
    return Gear(
        **_common(table, normal_module, alpha_n, beta, folder, teeth),
        bore_diameter=table.bore_diameter_mm * MM,
        tip_rounding=None if table.tip_rounding_mm is None else table.tip_rounding_mm * MM,
    )


def ring_of(
    table: Any, *, normal_module: float, alpha_n: float, beta: float, folder: Path, teeth: int | None = None
) -> InternalGear:
    """Return a ring of a table, in SI units; parameters as of :func:`gear_of`."""
    assert table.rim_diameter_mm is not None
    cutter = None
    if table.cutter_teeth is not None or table.cutter_profile_shift is not None:
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
    return InternalGear(
        **given,
        rim_diameter=table.rim_diameter_mm * MM,
        cutter=cutter,
        root_fillet_radius=None if fillet is None else fillet * MM,
    )


def _common(
    table: Any, normal_module: float, alpha_n: float, beta: float, folder: Path, teeth: int | None
) -> dict[str, Any]:
    """What gears of both kinds are made of."""
    return {
        "z": table.teeth if teeth is None else teeth,
        "m_n": normal_module,
        "rack": BasicRack(
            alpha_n=alpha_n,
            addendum_factor=table.addendum_factor,
            dedendum_factor=table.dedendum_factor,
            root_radius_factor=table.root_radius_factor,
        ),
        "x": table.profile_shift,
        "b": table.face_width_mm * MM,
        "beta": beta,
        "tip_alteration_factor": table.tip_alteration_factor,
        "thickness_allowance": table.tooth_thickness_allowance_um * UM,
        "microgeometry": microgeometry(table.flank, folder),
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
