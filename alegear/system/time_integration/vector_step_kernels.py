"""Compiled form of the step for any number of coordinates and constraints whose places add up.

The same mathematics as in ``generalized_alpha.py`` and ``newton.py``, which hold the reasons, cut where the system
is asked: a kernel that knows the system goes from force to force in compiled code.

    predict(scheme, state, attempt, h)
    begin_newton(scheme, attempt)
    verdict = EVALUATE
    while verdict == EVALUATE:
        place(attempt)                       # q and v of the trial x
        ...                                  # residual, of constraints the misfit over numbers[DQ]
        verdict = go_on(scheme, attempt, whether it could be evaluated)
        if verdict == CORRECT:
            ...                              # matrix, the derivative of the residual by x
            verdict = correct(attempt)

then `accept` of ``step_kernels.py`` with `largest_error`, and `take`. The matrix is asked for only
where it is used. With ``reuse_matrix`` its factors are kept while they serve, also for the next step if it is as long:
of many unknowns they cost more than some further residuals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import lean_kernel
from alegear.kernels.elimination_kernels import factorise, substitute
from alegear.kernels.structs import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# columns of the clock of a state: its time, and the step that led there
T, H = 0, 1

# what Newton's iteration is to do next
EVALUATE, CONVERGED, FAILED, CORRECT = 0, 1, 2, 3

# numbers of an attempt: a = KAPPA x + a_known, q = q_known + DQ x, v = v_known + DV x; then what Newton keeps
KAPPA, DQ, DV, NORM, TOLERANCE, ITERATIONS, HALVINGS, LOOK, WORST = 0, 1, 2, 3, 4, 5, 6, 7, 8
FACTORS, FACTORS_DQ = 9, 10
N_NUMBERS = 11

# LOOK: an evaluation where x was already, because the system is to be left there, or for a fresh matrix
NEW, LAST, FRESH_MATRIX = 0.0, 1.0, 2.0
# FACTORS: none that serve, of the matrix at this x, of an earlier one
NONE, FRESH, OLD = 0.0, 1.0, 2.0


@kernel_struct
class MotionState(NamedTuple):
    """Motion at one instant: clock (2,), multipliers (n_constraints,), all others (n_dof,).

    ``jerk`` and ``snap`` are divided differences of the acceleration over the steps before.
    """

    clock: Array
    q: Array
    v: Array
    vdot: Array
    a: Array
    jerk: Array
    snap: Array
    multipliers: Array


@kernel_struct
class Attempt(NamedTuple):
    """Room for an attempted step with m = n_dof + n_constraints unknowns.

    ``numbers`` (N_NUMBERS,); typical displacements ``size``, ``a_n``, ``a_known``, ``q_known``, ``v_known`` and the
    trial ``q``, ``v`` (n_dof,);
    ``x``, where it was corrected (``origin``), ``correction``, ``residual`` and its typical size ``scale`` (m,);
    ``matrix`` (m, m), which its factors replace, with ``pivots`` (m,), and powers of two ``rows`` (m,) by which its
    rows are divided, so that units do not choose the pivots.
    """

    numbers: Array
    size: Array
    a_n: Array
    a_known: Array
    q_known: Array
    v_known: Array
    q: Array
    v: Array
    x: Array
    origin: Array
    correction: Array
    residual: Array
    scale: Array
    matrix: Array
    pivots: Index
    rows: Array


@lean_kernel
def predict(scheme, state, attempt, h):
    """Constants of a step of length h: a, q and v are linear in the unknown acceleration x at its end."""
    h_before = state.clock[H]
    other = h_before != 0.0 and h_before != h
    stretch = min(h / h_before, scheme.largest_rescaling) if other else 1.0
    numbers = attempt.numbers
    for i in range(state.q.shape[0]):
        vdot, a_n = state.vdot[i], state.a[i]
        if other:
            a_n = vdot + stretch * (a_n - vdot)
        a_known = (scheme.alpha_f * vdot - scheme.alpha_m * a_n) / (1.0 - scheme.alpha_m)
        attempt.a_n[i], attempt.a_known[i] = a_n, a_known
        attempt.v_known[i] = state.v[i] + h * (scheme.velocity_n * a_n + scheme.velocity * a_known)
        displacement = h * (state.v[i] + h * (scheme.position_n * a_n + scheme.position * a_known))
        attempt.q_known[i] = state.q[i] + displacement
    kappa = (1.0 - scheme.alpha_f) / (1.0 - scheme.alpha_m)
    numbers[KAPPA], numbers[DQ], numbers[DV] = kappa, h * h * scheme.position * kappa, h * scheme.velocity * kappa


@lean_kernel
def guess(state, attempt, h, carried_on):
    """Begin with the accelerations of the state, or with those carried on by jerk and snap, and its multipliers."""
    n, step = state.q.shape[0], h + state.clock[H]
    for i in range(n):
        attempt.x[i] = state.vdot[i]
        if carried_on:
            attempt.x[i] += h * (state.jerk[i] + step * state.snap[i])
    for i in range(state.multipliers.shape[0]):
        attempt.x[n + i] = state.multipliers[i]


@lean_kernel
def begin_newton(scheme, attempt):
    """Start from ``attempt.x``; evaluate the residual there next."""
    numbers, farthest = attempt.numbers, 0.0
    for i in range(attempt.size.shape[0]):
        farthest = max(farthest, abs(attempt.q_known[i]) / attempt.size[i])
    numbers[TOLERANCE] = max(scheme.tolerance, min(scheme.residual_round_off * farthest, scheme.largest_residual))
    numbers[NORM], numbers[ITERATIONS], numbers[HALVINGS], numbers[LOOK] = np.inf, 0.0, -1.0, NEW
    numbers[WORST] = -1.0
    # the factors are those of a step of the same length, or none
    numbers[FACTORS] = OLD if numbers[FACTORS] != NONE and numbers[FACTORS_DQ] == numbers[DQ] else NONE


@lean_kernel
def place(attempt):
    """Coordinates and velocities of the trial x."""
    dq, dv = attempt.numbers[DQ], attempt.numbers[DV]
    for i in range(attempt.q.shape[0]):
        attempt.q[i] = attempt.q_known[i] + dq * attempt.x[i]
        attempt.v[i] = attempt.v_known[i] + dv * attempt.x[i]


@lean_kernel
def scaled_norm(attempt):
    """Largest residual over its typical size, whose row is noted; infinite where one is not a number."""
    largest = -1.0
    for i in range(attempt.residual.shape[0]):
        size = abs(attempt.residual[i] / attempt.scale[i])
        if not np.isfinite(size):
            return np.inf
        if size > largest:
            largest, attempt.numbers[WORST] = size, i
    return largest


@lean_kernel
def lost_in_round_off(scheme, attempt):
    """Whether the correction is below the round-off of the coordinates; of multipliers none is."""
    dq = attempt.numbers[DQ]
    for i in range(attempt.q.shape[0]):
        lost = scheme.round_off * (abs(attempt.q_known[i]) / dq + abs(attempt.origin[i]))
        if not abs(attempt.correction[i]) <= lost:
            return False
    return True


@lean_kernel
def go_to(attempt, part):
    """Set x to its origin without a part of the correction."""
    for i in range(attempt.x.shape[0]):
        attempt.x[i] = attempt.origin[i] - part * attempt.correction[i]


@lean_kernel
def no_smaller(scheme, attempt):
    """What to do where the residual got no smaller: half as far, or why no further."""
    numbers = attempt.numbers
    if numbers[HALVINGS] < scheme.max_halvings and numbers[FACTORS] == FRESH:
        numbers[HALVINGS] += 1.0
        go_to(attempt, 0.5 ** numbers[HALVINGS])
        return EVALUATE
    numbers[ITERATIONS] += 1.0
    if numbers[FACTORS] == OLD:
        numbers[LOOK] = FRESH_MATRIX  # an old matrix may be to blame
    elif lost_in_round_off(scheme, attempt):
        numbers[ITERATIONS] -= 1.0
        numbers[LOOK] = LAST  # the last evaluation must belong to the x handed back
    else:
        numbers[FACTORS] = NONE
        return FAILED
    numbers[FACTORS], numbers[HALVINGS] = NONE, -1.0
    go_to(attempt, 0.0)
    return EVALUATE


@lean_kernel
def substitute_correction(attempt):
    """Go along the correction, whose equations are factorised."""
    for i in range(attempt.x.shape[0]):
        attempt.origin[i], attempt.correction[i] = attempt.x[i], attempt.residual[i] / attempt.rows[i]
    substitute(attempt.matrix, attempt.pivots, attempt.correction)
    attempt.numbers[HALVINGS] = 0.0
    go_to(attempt, 1.0)
    return EVALUATE


@lean_kernel
def go_on(scheme, attempt, evaluated):
    """Take note of the residual at x, if it was evaluated, and say what to do next.

    The correction is halved while the residual is not smaller, as `solve_newton` of ``newton.py`` does.
    """
    numbers = attempt.numbers
    if numbers[LOOK] == LAST:
        return CONVERGED
    norm = scaled_norm(attempt) if evaluated else np.inf
    if numbers[HALVINGS] >= 0.0:
        if not norm < numbers[NORM]:
            return no_smaller(scheme, attempt)
        numbers[ITERATIONS] += 1.0
        served = scheme.reuse_matrix and norm <= scheme.refresh_ratio * numbers[NORM]
        numbers[FACTORS] = OLD if served else NONE
    if norm == np.inf:
        return FAILED
    numbers[NORM], numbers[LOOK] = norm, NEW
    if norm <= numbers[TOLERANCE]:
        return CONVERGED
    if numbers[ITERATIONS] >= scheme.max_iterations:
        return FAILED
    return substitute_correction(attempt) if numbers[FACTORS] == OLD else CORRECT


@lean_kernel
def correct(attempt):
    """Correct x with the matrix that stands in ``attempt.matrix``; says what to do next."""
    numbers, matrix = attempt.numbers, attempt.matrix
    for i in range(matrix.shape[0]):
        by = 1.0 / attempt.rows[i]
        for j in range(matrix.shape[0]):
            matrix[i, j] *= by
    if not factorise(matrix, attempt.pivots):
        numbers[FACTORS] = NONE
        return FAILED
    numbers[FACTORS], numbers[FACTORS_DQ] = FRESH, numbers[DQ]
    return substitute_correction(attempt)


@lean_kernel
def error_of(scheme, attempt, i, h):
    """Estimated error of a coordinate in the step."""
    a = attempt.numbers[KAPPA] * attempt.x[i] + attempt.a_known[i]
    return scheme.error_constant * h * h * (a - scheme.error_memory * attempt.a_n[i])


@lean_kernel
def largest_error(scheme, attempt, tolerated, h):
    """Estimated error of the step, over the tolerated one of each coordinate (n_dof,), the largest of them."""
    largest = 0.0
    for i in range(attempt.q.shape[0]):
        error = abs(error_of(scheme, attempt, i, h)) / tolerated[i]
        if not np.isfinite(error):
            return np.inf
        largest = max(largest, error)
    return largest


@lean_kernel
def is_filtered(scheme, attempt):
    """Whether the error counts as the step makes it: in steps with a correction, whose factors are there still."""
    return scheme.filtered and attempt.numbers[ITERATIONS] > 0.0


@lean_kernel
def largest_filtered(attempt, tolerated):
    """As `largest_error`, of an error times the mass matrix in ``attempt.correction``, which is overwritten."""
    error, largest = attempt.correction, 0.0
    for i in range(error.shape[0]):
        error[i] /= attempt.rows[i]
    substitute(attempt.matrix, attempt.pivots, error)
    for i in range(attempt.q.shape[0]):
        size = abs(error[i]) / tolerated[i]
        if not np.isfinite(size):
            return np.inf
        largest = max(largest, size)
    return largest


@lean_kernel
def take(state, attempt, t_end, h):
    """Make the end of an accepted step the state; `place` was called for it."""
    n, h_before, kappa = state.q.shape[0], state.clock[H], attempt.numbers[KAPPA]
    for i in range(n):
        x = attempt.x[i]
        jerk = (x - state.vdot[i]) / h
        state.snap[i] = (jerk - state.jerk[i]) / (h + h_before) if h_before > 0.0 else 0.0
        state.jerk[i] = jerk
        state.q[i], state.v[i] = attempt.q[i], attempt.v[i]
        state.vdot[i], state.a[i] = x, kappa * x + attempt.a_known[i]
    for i in range(state.multipliers.shape[0]):
        state.multipliers[i] = attempt.x[n + i]
    state.clock[T], state.clock[H] = t_end, h
