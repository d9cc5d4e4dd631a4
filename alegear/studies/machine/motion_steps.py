"""How long the steps of a motion of a machine may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase

#: Of the time in which a rolling element falls into a defect, at least: for the adaptive step, and for a warning.
STEPS_PER_RAMP = 8


def longest_rolling_step(case: MachineCase) -> float:
    """Longest step [s] that resolves the defects of bearings, and their rolling elements."""
    steps = [one.longest_step(*case.layout.speeds_of(one), STEPS_PER_RAMP) for one in case.bearings]
    return min(steps, default=math.inf)
