"""Compiled form of the step control, and the constants of a scheme as kernels have them.

The same mathematics as in :mod:`~alegear.dynamics.generalized_alpha` and :mod:`~alegear.dynamics.step_control`, which
hold the reasons; the steps themselves are in :mod:`~alegear.dynamics.vector_step_kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alegear.kernels.decorators import lean_kernel
from alegear.kernels.structs import kernel_struct

# the memory of the step control
LENGTH, ERROR_BEFORE, JUST_REJECTED = 0, 1, 2


@kernel_struct
class Scheme(NamedTuple):
    """:class:`~alegear.dynamics.generalized_alpha.GeneralizedAlpha` and the limits of its Newton iteration.

    ``position_n``, ``position``, ``velocity_n``, ``velocity``: its weights of the accelerations at both ends of a step;
    ``largest_rescaling``, ``round_off``: the constants of its module.
    """

    alpha_m: float
    alpha_f: float
    position_n: float
    position: float
    velocity_n: float
    velocity: float
    error_constant: float
    error_memory: float
    tolerance: float
    max_iterations: int
    max_halvings: int
    reuse_matrix: bool
    refresh_ratio: float
    largest_rescaling: float
    round_off: float
    filtered: bool


@kernel_struct
class Control(NamedTuple):
    """Step control: of the fixed length ``h_max`` if not ``adaptive``; ``tolerated`` is the error of a step."""

    adaptive: bool
    tolerated: float
    h_max: float
    h_min: float
    safety: float
    max_growth: float
    max_shrink: float
    newton_shrink: float
    integral: float
    proportional: float
    error_floor: float
    stretch: float


@lean_kernel
def towards_stop(control, remaining, h):
    """The longest step not above h that divides the way to the stop evenly."""
    return remaining / max(1.0, np.ceil(remaining / h - control.stretch))


@lean_kernel
def accept(control, memory, h, converged, error, iterations, max_iterations):
    """Judge an attempted step and choose the next length; the error is relative to the tolerated one.

    Returns
    -------
    int : 1 accepted, 0 to be tried again with a shorter step, -1 the shortest step failed.
    """
    if not control.adaptive and converged:
        memory[JUST_REJECTED] = max(memory[JUST_REJECTED] - 1.0, 0.0)  # parts that are left of the step
        if memory[JUST_REJECTED] == 0.0:
            memory[LENGTH] = control.h_max
        return 1
    if converged and error <= 1.0:
        chosen = memory[LENGTH]  # a stop may have cut the step short
        longer = chosen / h
        error = max(error * longer * longer * longer, control.error_floor)
        proposal = control.safety * chosen * error**-control.integral * memory[ERROR_BEFORE] ** control.proportional
        slow = iterations > max_iterations // 2
        may_grow = h >= 0.5 * chosen and memory[JUST_REJECTED] == 0.0 and not slow
        longest = chosen * (control.max_growth if may_grow else 1.0)
        memory[LENGTH] = max(min(proposal, longest, control.h_max), control.max_shrink * h, control.h_min)
        memory[ERROR_BEFORE], memory[JUST_REJECTED] = error, 0.0
        return 1
    if h <= control.h_min or memory[LENGTH] <= control.h_min:
        return -1
    factor = control.newton_shrink
    if converged:
        factor = control.safety * error ** (-1.0 / 3.0) if np.isfinite(error) else 0.0
        factor = max(control.max_shrink, factor)
    memory[LENGTH], memory[JUST_REJECTED] = max(h * factor, control.h_min), 1.0
    if not control.adaptive:
        memory[JUST_REJECTED] = 1.0 / factor
    return 0
