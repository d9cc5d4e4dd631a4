"""How long the steps of a motion may be, and the times of its fields."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import output_every
from alegear.system.time_integration.stop_times import StopTimes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase

#: Of the time in which a rolling element falls into a defect, at least: for the adaptive step, and for a warning.
STEPS_PER_RAMP = 8
#: Of a pitch, at least, for the adaptive step: no contact event is stepped over.
STEPS_PER_PITCH = 64
#: Fields of a motion that names no times.
DEFAULT_FRAMES = 20


def longest_rolling_step(case: MachineCase) -> float:
    """Longest step [s] that resolves the defects of bearings, and their rolling elements."""
    steps = [one.longest_step(*case.layout.speeds_of(one), STEPS_PER_RAMP) for one in case.bearings]
    return min(steps, default=math.inf)


def field_times(case: MachineCase) -> tuple[float, ...]:
    """Times [s] of the stress fields of a motion: those that are asked for, else evenly some of the output.

    At a time of the output the curves have the stress of the field, too.
    """
    analysis = case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    if case.output.field_times is not None:
        return case.output.field_times
    stops = StopTimes.of(analysis.duration, output_every(case))
    numbers = np.rint(np.linspace(0, stops.n_outputs - 1, DEFAULT_FRAMES)).astype(int)
    return tuple(stops.outputs(0, stops.n_outputs)[np.unique(numbers)].tolist())
