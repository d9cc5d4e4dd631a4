"""``[shafts.NAME]`` of a machine."""

from __future__ import annotations

import math

from pydantic import Field

from alegear.case.machine_tables import COORDINATE, MachineTables
from alegear.case.material import MaterialTable, material_of
from alegear.case.schema import Table, limited, limited_number, listed
from alegear.drivetrain.shaft import HIGHEST_MODE, Shaft
from alegear.units import MM


class MachineShaftTable(Table):
    """``[shafts.NAME]``: a shaft by its sections."""

    sections_mm: list[listed(float, 3)] = Field(  # type: ignore[valid-type]
        default=[], description="sections one after the other: length, outer and inner diameter in mm"
    )
    position_mm: listed(limited_number(COORDINATE), 3) = Field(  # type: ignore[valid-type]
        default=[0.0, 0.0, 0.0], description="beginning of the shaft in space in mm"
    )
    direction: listed(float, 3) = Field(  # type: ignore[valid-type]
        default=[0.0, 0.0, 1.0], description="direction in which it extends"
    )
    rigid: bool = Field(default=False, description="whether it is one rigid body")
    fixed_axis: bool = Field(default=False, description="whether its axis is held, so that it only turns")
    highest_mode_Hz: float = limited(
        Shaft.LIMITS["highest_mode"],
        "stretches between its parts keep their natural modes up to this frequency in Hz (25000)",
        default=HIGHEST_MODE / (2.0 * math.pi),
    )
    longest_element_mm: float | None = Field(
        default=None, gt=0.0, description="longest beam element in mm (an eighth of the shaft)"
    )
    material: MaterialTable = MaterialTable()


def shaft_of(name: str, table: MachineShaftTable, file: MachineTables) -> Shaft:
    """Make a shaft in SI units."""
    longest = table.longest_element_mm
    return Shaft(
        name=name,
        sections=[[value * MM for value in row] for row in table.sections_mm],
        position=[value * MM for value in table.position_mm],
        direction=table.direction,
        material=material_of(file.tables.get("material"), table.material),
        rigid=table.rigid,
        fixed_axis=table.fixed_axis,
        highest_mode=2.0 * math.pi * table.highest_mode_Hz,
        longest_element=None if longest is None else longest * MM,
    )
