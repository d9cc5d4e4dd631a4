"""Newton's iteration for small dense systems; how it ended is a value, never an exception.

A failed iteration is a fact that the step control must read (and shorten the step), not an error to unwind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from alegear.arrays import Array
from alegear.system.time_integration.second_order_system import powers_of_two


class NewtonVerdict(Enum):
    """How the iteration ended: each value is a sentence, and names a remedy where there is something to cure."""

    CONVERGED = "the residual fell below its tolerance"
    AT_ROUND_OFF = "the residual is above its tolerance, but the correction left is below the round-off of the unknowns"
    ITERATIONS_SPENT = "the residual fell too slowly for the allowed iterations: shorten time_step_s or tolerance"
    STALLED = (
        "no part of the Newton correction made the residual smaller: shorten time_step_s or tolerance, "
        "or soften what is far stiffer than the rest: supports, shafts, penalty stiffness"
    )
    SINGULAR_MATRIX = "the iteration matrix is singular: check for a coordinate without inertia and stiffness"
    NOT_EVALUATED = "the force could not be evaluated at the predicted position: shorten the step"


@dataclass(frozen=True, kw_only=True, eq=False)
class NewtonParameters:
    """Limits of the iteration.

    Parameters
    ----------
    tolerance : float
        Converged when max_i |r_i| / residual_scale_i <= tolerance.
    max_iterations : int
        Corrections allowed.
    max_halvings : int
        How often a correction that makes the residual larger is halved.
    reuse_matrix : bool
        Keep the iteration matrix (modified Newton) while every correction reduces the residual by `refresh_ratio` or
        better. Pays where the tangent costs more than some further residuals.
    refresh_ratio : float
    """

    tolerance: float = 1e-9
    max_iterations: int = 12
    max_halvings: int = 5
    reuse_matrix: bool = False
    refresh_ratio: float = 0.1


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class NewtonResult:
    """Where the iteration ended.

    Parameters
    ----------
    converged : bool
    iterations : int
        Corrections made.
    residual_norm : float
        max_i |r_i| / residual_scale_i at `x`; inf if it could not be evaluated.
    x : shape (n,)
        The last iterate; the residual was evaluated there last if converged.
    verdict : NewtonVerdict
    worst : int or None
        Row of the largest scaled residual there; None if it could not be evaluated.
    """

    converged: bool
    iterations: int
    residual_norm: float
    x: Array
    verdict: NewtonVerdict
    worst: int | None = None


def solve_newton(
    residual: Callable[[Array], Array | None],
    matrix: Callable[[Array], Array],
    x: Array,
    *,
    residual_scale: Array,
    parameters: NewtonParameters,
    least_tolerance: float = 0.0,
    round_off: Callable[[Array], Array] | None = None,
    unknown_scale: Array | None = None,
    fallback_scale: Array | None = None,
) -> NewtonResult:
    """Solve r(x) = 0 by x <- x - lambda J(x)^-1 r(x), lambda = 1, 1/2, 1/4 ... until the residual gets smaller.

    Where residuals of one kind are very small at first (misfits of joints) a correction may have to make those of
    another larger (forces with a corner where a multiplier changes its sign): then it is the next correction by the
    same matrix that gets smaller (Deuflhard, Newton Methods for Nonlinear Problems (2004), section 3.3).

    Parameters
    ----------
    residual : callable, (n,) -> (n,) or None
        None where it cannot be evaluated; the iteration then goes half as far.
    matrix : callable, (n,) -> (n, n)
        dr/dx; only called at the x for which `residual` was called last.
    x : shape (n,)
        First guess; not changed.
    residual_scale : shape (n,)
        Typical size of each residual, positive.
    parameters : NewtonParameters
    least_tolerance : float
        In place of a smaller `parameters.tolerance`: what round-off leaves of the scaled residual at the solution.
    round_off : callable, (n,) -> (n,)
        Change of x that is lost in the round-off of what is computed from x. Only asked where no correction makes the
        residual smaller: if the correction is below it, x is as good as it gets.
    unknown_scale : shape (n,)
        Typical sizes of the unknowns: where given, corrections have to get smaller in place of residuals.
    fallback_scale : shape (n,)
        Likewise, where no part of a correction makes the residual smaller.

    Examples
    --------
    >>> result = solve_newton(lambda x: x**2 - 2.0, lambda x: np.diag(2.0 * x), np.ones(1),
    ...                       residual_scale=np.ones(1), parameters=NewtonParameters())
    >>> result.verdict.name, round(float(result.x[0]), 6)
    ('CONVERGED', 1.414214)
    """
    r, norm = _evaluate(residual, x, residual_scale)
    if r is None:
        return _ended(NewtonVerdict.NOT_EVALUATED, 0, norm, x)

    def ended(verdict: NewtonVerdict, iterations: int) -> NewtonResult:
        worst = None if r is None or not len(r) else int(np.argmax(np.abs(r / residual_scale)))
        return _ended(verdict, iterations, norm, x, worst)

    tolerance = max(parameters.tolerance, least_tolerance)
    J: Array | None = None
    J_is_fresh = False
    for iteration in range(parameters.max_iterations):
        if norm <= tolerance:
            return ended(NewtonVerdict.CONVERGED, iteration)
        if J is None:
            J = matrix(x)
            J_is_fresh = True
        correction = _solve(J, r, residual_scale)
        if correction is None:
            return ended(NewtonVerdict.SINGULAR_MATRIX, iteration)

        most = parameters.max_halvings if J_is_fresh else 0
        x_trial, r_trial, norm_trial = _search(residual, x, norm, J, correction, residual_scale, unknown_scale, most)
        if r_trial is None and not J_is_fresh:
            # An old matrix may be to blame: go back to x, so that the fresh matrix belongs to x.
            r, norm = _evaluate(residual, x, residual_scale)
            if r is None:
                return ended(NewtonVerdict.NOT_EVALUATED, iteration)
            J = None
            continue
        if r_trial is None and round_off is not None and (np.abs(correction) <= round_off(x)).all():
            _evaluate(residual, x, residual_scale)  # the last evaluation must belong to the x handed back
            return ended(NewtonVerdict.AT_ROUND_OFF, iteration)
        if r_trial is None and fallback_scale is not None:
            x_trial, r_trial, norm_trial = _search(
                residual, x, norm, J, correction, residual_scale, fallback_scale, most
            )
        if r_trial is None:
            verdict = NewtonVerdict.STALLED if math.isfinite(norm_trial) else NewtonVerdict.NOT_EVALUATED
            return ended(verdict, iteration + 1)

        keep = parameters.reuse_matrix and norm_trial <= parameters.refresh_ratio * norm
        x, r, norm = x_trial, r_trial, norm_trial
        J_is_fresh = False
        if not keep:
            J = None
    if norm <= tolerance:
        return ended(NewtonVerdict.CONVERGED, parameters.max_iterations)
    return ended(NewtonVerdict.ITERATIONS_SPENT, parameters.max_iterations)


def _evaluate(residual: Callable[[Array], Array | None], x: Array, residual_scale: Array) -> tuple[Array | None, float]:
    """Residual and its scaled norm; (None, inf) where it is not a number."""
    r = residual(x)
    if r is None:
        return None, math.inf
    norm = float(np.abs(r / residual_scale).max(initial=0.0))
    return (r, norm) if math.isfinite(norm) else (None, math.inf)


def _search(
    residual: Callable[[Array], Array | None],
    x: Array,
    norm: float,
    J: Array,
    correction: Array,
    residual_scale: Array,
    unknown_scale: Array | None,
    max_halvings: int,
) -> tuple[Array, Array | None, float]:
    """Go along the correction until the residual is smaller; the residual is None if it never is.

    With an `unknown_scale` it is the next correction by the same matrix that has to be smaller, in its place.
    """
    size = norm if unknown_scale is None else float(np.abs(correction / unknown_scale).max(initial=0.0))
    for halving in range(max_halvings + 1):
        x_trial = x - 0.5**halving * correction if halving else x - correction
        r, norm_trial = _evaluate(residual, x_trial, residual_scale)
        left = norm_trial
        if unknown_scale is not None:
            follows = None if r is None else _solve(J, r, residual_scale)
            left = math.inf if follows is None else float(np.abs(follows / unknown_scale).max(initial=0.0))
        if left < size:
            return x_trial, r, norm_trial
    return x_trial, None, norm_trial


def _solve(J: Array, r: Array, residual_scale: Array) -> Array | None:
    """J^-1 r, or None where J is singular."""
    if len(r) == 1:  # most gear pairs have one coordinate; a division is thirty times faster than LAPACK's call
        return r / J[0] if J[0, 0] != 0.0 else None
    rows = powers_of_two(residual_scale)
    try:
        return np.asarray(np.linalg.solve(J / rows[:, None], r / rows), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


def _ended(verdict: NewtonVerdict, iterations: int, norm: float, x: Array, worst: int | None = None) -> NewtonResult:
    return NewtonResult(
        converged=verdict in (NewtonVerdict.CONVERGED, NewtonVerdict.AT_ROUND_OFF),
        iterations=iterations,
        residual_norm=norm,
        x=x,
        verdict=verdict,
        worst=worst,
    )
