"""``[pinion]`` and ``[wheel]``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from alegear.case.case_file import CaseFile
from alegear.case.flank import FlankTable, microgeometry
from alegear.case.material import MaterialTable
from alegear.case.mesh import GearMeshTable
from alegear.case.schema import Section, Table, limited
from alegear.case.units import MM, UM
from alegear.contact.numbering import GEARS
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear

_GEAR, _RACK = Gear.LIMITS, BasicRack.LIMITS


def _teeth(value: int) -> int:
    limits = Gear.LIMITS["z"]
    if value < 0:
        raise PydanticCustomError(
            "later", "internal gears are not in this version", {"remedy": "give a positive number of teeth"}
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


class GearTable(Table):
    """``[pinion]`` and ``[wheel]``."""

    teeth: Annotated[int, AfterValidator(_teeth)] = Field(description="number of teeth")
    profile_shift: float = limited(_GEAR["x"], "profile shift coefficient", default=0.0)
    face_width_mm: float = limited(_GEAR["b"], "face width in mm")
    bore_diameter_mm: float = limited(_GEAR["bore_diameter"], "bore diameter in mm")
    addendum_factor: float = limited(_RACK["addendum_factor"], "addendum in modules (1.0)", default=1.0)
    dedendum_factor: float = limited(_RACK["dedendum_factor"], "dedendum in modules (1.25)", default=1.25)
    root_radius_factor: float = limited(
        _RACK["root_radius_factor"], "tip round of the generating rack in modules (0.38)", default=0.38
    )
    tip_alteration_factor: float = limited(
        _GEAR["tip_alteration_factor"], "change of the tip radius in modules", default=0.0
    )
    tip_rounding_mm: float | None = limited(_GEAR["tip_rounding"], "radius of the tip edge in mm", default=None)
    tooth_thickness_allowance_um: float = limited(
        _GEAR["thickness_allowance"], "tooth thickness allowance in micrometres", default=0.0
    )
    teeth_modelled: Annotated[Any, BeforeValidator(_teeth_modelled)] = Field(
        default=None, description="teeth of the segment"
    )
    flank: FlankTable = FlankTable()
    material: MaterialTable = MaterialTable()
    mesh: GearMeshTable = GearMeshTable()


def gear_of(table: GearTable, *, normal_module: float, alpha_n: float, beta: float, folder: Path) -> Gear:
    """Return a gear of a table, in SI units.

    Parameters
    ----------
    table : GearTable
    normal_module : float [m]
    alpha_n, beta : float [rad]
    folder : Path
        Where the files that it names are looked up.
    """
    return Gear(
        z=table.teeth,
        m_n=normal_module,
        rack=BasicRack(
            alpha_n=alpha_n,
            addendum_factor=table.addendum_factor,
            dedendum_factor=table.dedendum_factor,
            root_radius_factor=table.root_radius_factor,
        ),
        x=table.profile_shift,
        b=table.face_width_mm * MM,
        bore_diameter=table.bore_diameter_mm * MM,
        beta=beta,
        tip_alteration_factor=table.tip_alteration_factor,
        tip_rounding=None if table.tip_rounding_mm is None else table.tip_rounding_mm * MM,
        thickness_allowance=table.tooth_thickness_allowance_um * UM,
        microgeometry=microgeometry(table.flank, folder),
    )


def _read(file: CaseFile) -> dict[str, Any]:
    if not all(gear in file.tables for gear in GEARS):
        return {}
    tables = [file.tables[gear] for gear in GEARS]
    return {
        "teeth": tuple(table.teeth for table in tables),
        "teeth_modelled": tuple(table.teeth_modelled for table in tables),
    }


SECTION = Section(tables=dict.fromkeys(GEARS, GearTable), required=True, read=_read)
