"""How long the steps of a motion of a machine may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from alegear.studies.machine.counted_pitches import planet_meshes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.drivetrain.layout import Layout

#: Of the time in which a rolling element falls into a defect, at least: for the adaptive step, and for a warning.
STEPS_PER_RAMP = 8


def shortest_period(case: MachineCase) -> float:
    """Of the teeth that follow each other fastest, without meshes of the rotation of the fastest drive [s]."""
    layout = case.layout
    if not layout.drives:
        return math.inf
    if not layout.meshes and not planet_meshes(case):
        return 2.0 * math.pi / max(abs(drive.largest_speed or 0.0) for drive in layout.drives.values())
    passing = [_turns(layout, layout.gears[p.mesh.gears[0]].shaft) * p.pair.pinion.z for p in layout.meshes]
    for mesh in planet_meshes(case):
        (first, _), (z, _) = mesh.shafts, mesh.teeth
        passing.append((_turns(layout, first) - _turns(layout, mesh.carrier)) * z)
    return 2.0 * math.pi / max(abs(one) for one in passing)


def _turns(layout: Layout, shaft: str) -> float:
    """Speed of a shaft or a body with the largest one of its drive [rad/s]; of the ground 0."""
    drive = layout.drive_of.get(shaft)
    return 0.0 if drive is None else layout.ratio[shaft] * abs(drive.largest_speed or 0.0)


def longest_rolling_step(case: MachineCase) -> float:
    """Longest step [s] that resolves the defects of bearings, and their rolling elements."""
    steps = [one.longest_step(*case.layout.speeds_of(one), STEPS_PER_RAMP) for one in case.bearings]
    return min(steps, default=math.inf)
