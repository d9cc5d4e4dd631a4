"""Compiled form of the step for one coordinate: generalized-alpha, Newton's verdicts, step control.

The same mathematics as in :mod:`~alegear.dynamics.generalized_alpha`, :mod:`~alegear.dynamics.newton` and
:mod:`~alegear.dynamics.step_control`, which hold the reasons and serve systems of any size; here it is cut at the
evaluation of the force, so that a kernel that knows the system can go from force to force without leaving compiled
code. A test holds both forms against each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alegear.kernel_cache import lean_kernel
from alegear.kernel_struct import kernel_struct

# columns of a state; the last two are divided differences of the acceleration over the steps before
T, COORDINATE, V, VDOT, A, H, JERK, SNAP = 0, 1, 2, 3, 4, 5, 6, 7

# what Newton's iteration is to do next
EVALUATE, CONVERGED, FAILED = 0, 1, 2
# its memory between two evaluations
X, NORM, CORRECTION, ITERATIONS, HALVINGS, LAST_LOOK = 0, 1, 2, 3, 4, 5
N_NEWTON = 6

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


@kernel_struct
class Control(NamedTuple):
    """Step control: of fixed length if not ``adaptive``; ``tolerated`` is the error of a step."""

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
def predict(scheme, state, h):
    """Constants of a step of length h: a, q and v are linear in the unknown acceleration x at its end.

    Returns
    -------
    kappa, a_known, q_known, dq, v_known, dv, a_n : a = kappa x + a_known, q = q_known + dq x, v = v_known + dv x
    """
    a_n = state[A]
    if state[H] != 0.0 and state[H] != h:
        a_n = state[VDOT] + min(h / state[H], scheme.largest_rescaling) * (state[A] - state[VDOT])
    kappa = (1.0 - scheme.alpha_f) / (1.0 - scheme.alpha_m)
    a_known = (scheme.alpha_f * state[VDOT] - scheme.alpha_m * a_n) / (1.0 - scheme.alpha_m)
    v_known = state[V] + h * (scheme.velocity_n * a_n + scheme.velocity * a_known)
    q_known = state[COORDINATE] + h * (state[V] + h * (scheme.position_n * a_n + scheme.position * a_known))
    return kappa, a_known, q_known, h * h * scheme.position * kappa, v_known, h * scheme.velocity * kappa, a_n


@lean_kernel
def begin_newton(newton, x):
    """Start from x; evaluate the residual there next."""
    newton[X], newton[NORM], newton[CORRECTION] = x, np.inf, 0.0
    newton[ITERATIONS], newton[HALVINGS], newton[LAST_LOOK] = 0.0, -1.0, 0.0


@lean_kernel
def go_on(scheme, newton, residual, slope, norm, round_off):
    """Take note of residual, slope and scaled norm at ``newton[X]``, and say what to do next.

    ``norm`` is infinite where the residual could not be evaluated; ``round_off`` the change of x that is lost.
    The correction is halved while the residual is not smaller, as `alegear.dynamics.newton.solve_newton` does.
    """
    if newton[LAST_LOOK] > 0.0:
        return CONVERGED
    if newton[HALVINGS] >= 0.0 and not norm < newton[NORM]:
        start = newton[X] + 0.5 ** newton[HALVINGS] * newton[CORRECTION]
        if newton[HALVINGS] < scheme.max_halvings:
            newton[HALVINGS] += 1.0
            newton[X] = start - 0.5 ** newton[HALVINGS] * newton[CORRECTION]
            return EVALUATE
        if abs(newton[CORRECTION]) <= round_off:
            newton[X], newton[LAST_LOOK] = start, 1.0  # the last evaluation must belong to the x handed back
            return EVALUATE
        newton[ITERATIONS] += 1.0
        return FAILED
    if newton[HALVINGS] >= 0.0:
        newton[ITERATIONS] += 1.0
    if norm == np.inf:
        return FAILED
    newton[NORM] = norm
    if norm <= scheme.tolerance:
        return CONVERGED
    if newton[ITERATIONS] >= scheme.max_iterations or slope == 0.0:
        return FAILED
    newton[CORRECTION], newton[HALVINGS] = residual / slope, 0.0
    newton[X] -= newton[CORRECTION]
    return EVALUATE


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
    if not control.adaptive:
        return 1 if converged else -1
    if converged and error <= 1.0:
        error = max(error, control.error_floor)
        proposal = control.safety * h * error**-control.integral * memory[ERROR_BEFORE] ** control.proportional
        slow = iterations > max_iterations // 2
        may_grow = h >= 0.5 * memory[LENGTH] and memory[JUST_REJECTED] == 0.0 and not slow
        longest = memory[LENGTH] * (control.max_growth if may_grow else 1.0)
        memory[LENGTH] = max(min(proposal, longest, control.h_max), control.max_shrink * h, control.h_min)
        memory[ERROR_BEFORE], memory[JUST_REJECTED] = error, 0.0
        return 1
    if h <= control.h_min:
        return -1
    factor = control.newton_shrink
    if converged:
        factor = control.safety * error ** (-1.0 / 3.0) if np.isfinite(error) else 0.0
        factor = max(control.max_shrink, factor)
    memory[LENGTH], memory[JUST_REJECTED] = max(h * factor, control.h_min), 1.0
    return 0
