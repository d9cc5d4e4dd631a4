"""The step control, called by compiled motions and by ``step_control.py``; the constants of a scheme for kernels.

Steps are in ``generalized_alpha.py``, which holds the reasons, and compiled in ``vector_step_kernels.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alegear.kernels.decorators import kernel
from alegear.kernels.structs import kernel_struct

# the memory of the step control: the length of the next step [s], the error of the last one over the tolerated one,
# and whether the last attempt was rejected; of a fixed step that is taken in parts how many are left
LENGTH, ERROR_BEFORE, JUST_REJECTED = 0, 1, 2

STRETCH = 1e-6  # by which fraction a step may be longer if it then meets a stop: round-off of a grid of fixed steps
# exponents of the PI controller for an error of third order; below ERROR_FLOOR an error says nothing any more
INTEGRAL, PROPORTIONAL, ERROR_FLOOR = 0.7 / 3.0, 0.4 / 3.0, 1e-4
NEWTON_SHRINK = 0.25  # of the length of a step after Newton's iteration failed; a fixed step is not cut further


@kernel_struct
class Scheme(NamedTuple):
    """``GeneralizedAlpha`` and the limits of its Newton iteration.

    ``position_n``, ``position``, ``velocity_n``, ``velocity``: its weights of the accelerations at both ends of a step;
    ``largest_rescaling``, ``round_off``, ``residual_round_off``, ``largest_residual``: the constants of its module.
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
    residual_round_off: float
    largest_residual: float
    filtered: bool


@kernel_struct
class Control(NamedTuple):
    """Step control: of the fixed length ``h_max`` if not ``adaptive``."""

    adaptive: bool
    h_max: float
    h_min: float
    safety: float
    max_growth: float
    max_shrink: float
    newton_shrink: float


@kernel
def towards_stop(remaining, h):
    """The longest step not above h that divides the way to the stop evenly: no sliver is left over."""
    return remaining / max(1.0, np.ceil(remaining / h - STRETCH))


@kernel
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
        # A stop time may cut a step short, and the next ones too if output is dense. The controller goes on with the
        # error that the length it chose would have had, or it would take each cut for its own and never come back.
        chosen = memory[LENGTH]
        longer = chosen / h
        error = max(error * longer * longer * longer, ERROR_FLOOR)
        proposal = control.safety * chosen * error**-INTEGRAL * memory[ERROR_BEFORE] ** PROPORTIONAL
        # But a much shorter step says little about a longer one, and a length that failed is not tried again at once:
        # then the length may not grow beyond what it was. It grows from the next step on.
        slow = iterations > max_iterations // 2
        may_grow = h >= 0.5 * chosen and memory[JUST_REJECTED] == 0.0 and not slow
        longest = chosen * (control.max_growth if may_grow else 1.0)
        memory[LENGTH] = max(min(proposal, longest, control.h_max), control.max_shrink * h, control.h_min)
        memory[ERROR_BEFORE], memory[JUST_REJECTED] = error, 0.0
        return 1
    # the step itself is longer by round-off, or stretched to a stop
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
