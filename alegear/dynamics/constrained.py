"""Generalized-alpha for bodies in space with constraints: rotations go by their vectors, multipliers are unknowns.

The formulas of :mod:`~alegear.dynamics.generalized_alpha` give a way in place of a sum, q_{n+1} = q_n moved by
h v_n + h^2 [(1/2 - beta) a_n + beta a_{n+1}]. Equilibrium and constraints hold exactly at the end of each step (Brüls,
Cardona & Arnold 2012, Mech. Mach. Theory 48, 121: index 3); the constraints are scaled by the square of the step, so
that the iteration matrix stays as well conditioned as the masses are (Bottasso, Dopico & Trainelli 2008, Multibody
Syst. Dyn. 19, 3).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from alegear.dynamics.generalized_alpha import ROUND_OFF, GeneralizedAlpha, StepResult, rescaled
from alegear.dynamics.newton import NewtonParameters, solve_newton
from alegear.dynamics.system import ForceEvaluation, State, System
from alegear.errors import Fault, NonConvergence

Array = NDArray[np.float64]

#: Constraints that say the same twice leave singular values below this part of the largest.
DEPENDENT = 1e-10
#: Way over which the motion of the constraints is differenced at the start [m, rad], by differences of order four.
WAY = 1e-3


class ConstrainedSystem(System):
    """A system whose mass depends on its place, whose places are no vectors, and that constraints hold.

    .. math:: M(q) \\dot v + G^T \\lambda = Q(t, q, v), \\quad g(q, t) = 0

    Derivatives "by ways" are those by a further small way from q, see :meth:`moved`. Integrate with
    :class:`ConstrainedAlpha`.
    """

    #: Number of constraints.
    n_constraints: int
    #: Size of a misfit of the constraints that matters [m].
    length: float

    @abstractmethod
    def moved(self, q: Array, way: Array) -> Array:
        """Coordinates after a way (n_dof,) along the velocities."""

    @abstractmethod
    def way_tangent(self, way: Array) -> Array:
        """Change of the place at the end of a way, as a further way from there, by a change of the way."""

    @abstractmethod
    def acceleration_tangent(self, q: Array, vdot: Array) -> Array:
        """Derivative of M(q) vdot by ways, shape (n_dof, n_dof)."""

    @abstractmethod
    def misfit(self, t: float, q: Array) -> tuple[Array, Array]:
        """g (n_constraints,) and its derivative G (n_constraints, n_dof) by ways."""

    @abstractmethod
    def constraint_tangent(self, t: float, q: Array, multipliers: Array) -> Array:
        """Derivative of G^T lambda by ways, shape (n_dof, n_dof)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ConstrainedAlpha:
    """Steps of a :class:`ConstrainedSystem` with the coefficients of a method for vectors.

    Parameters
    ----------
    scheme : GeneralizedAlpha
        Or one of its kind: its weights, its Newton parameters, its estimate of the error.

    Notes
    -----
    Unknown are the accelerations and the multipliers. With dq = h^2 beta kappa, dv = h gamma kappa and T the tangent of
    the way, the iteration matrix is

        M + dq (d(M vdot)/dq + d(G^T lambda)/dq - dQ/dq) T - dv dQ/dv       G^T
        G T                                                                  0

    where the second row is that of the misfit over dq.
    """

    scheme: GeneralizedAlpha = field(default_factory=GeneralizedAlpha)

    @property
    def newton(self) -> NewtonParameters:
        """Limits of the iteration."""
        return self.scheme.newton

    def step(self, system: System, state: State, h: float, t_end: float | None = None) -> StepResult:
        """Attempt one step; as :meth:`GeneralizedAlpha.step`."""
        assert isinstance(system, ConstrainedSystem)
        scheme, n = self.scheme, system.n_dof
        t = state.t + h if t_end is None else t_end
        (position_n, position), (velocity_n, velocity) = scheme.position_weights, scheme.velocity_weights
        a_n = rescaled(state, h)
        kappa = (1.0 - scheme.alpha_f) / (1.0 - scheme.alpha_m)
        a_known = (scheme.alpha_f * state.vdot - scheme.alpha_m * a_n) / (1.0 - scheme.alpha_m)
        v_known = state.v + h * (velocity_n * a_n + velocity * a_known)
        way_known = h * (state.v + h * (position_n * a_n + position * a_known))
        dv, dq = h * velocity * kappa, h * h * position * kappa

        force: ForceEvaluation = state.force
        q, M, G = state.q, np.empty(0), np.empty(0)

        def residual(x: Array) -> Array | None:
            nonlocal force, q, M, G
            q = system.moved(state.q, way_known + dq * x[:n])
            force = system.force(t, q, v_known + dv * x[:n])
            if force.failure is not None:
                return None
            M = system.mass_matrix(q)
            g, G = system.misfit(t, q)
            return np.concatenate([M @ x[:n] - force.Q + G.T @ x[n:], g / dq])

        def matrix(x: Array) -> Array:
            T = system.way_tangent(way_known + dq * x[:n])
            by_place = system.acceleration_tangent(q, x[:n]) - force.dQ_dq
            if system.n_constraints:
                by_place += system.constraint_tangent(t, q, x[n:])
            J = np.zeros((len(x), len(x)))
            J[:n, :n] = M - dv * force.dQ_dv + dq * by_place @ T
            J[:n, n:], J[n:, :n] = G.T, G @ T
            return J

        def round_off(x: Array) -> Array:
            return ROUND_OFF * np.concatenate([np.abs(state.q) / dq + np.abs(x[:n]), np.full(len(x) - n, np.inf)])

        way = way_known + dq * state.vdot
        system.begin_step(t, system.moved(state.q, way), v_known + dv * state.vdot, h)
        newton = solve_newton(
            residual,
            matrix,
            np.concatenate([state.vdot, state.multipliers]),
            residual_scale=np.concatenate([system.force_scale, np.full(system.n_constraints, system.length / dq)]),
            parameters=self.newton,
            round_off=round_off,
        )
        if not newton.converged:
            failure = force.failure or newton.verdict.value
            return StepResult(state=None, newton=newton, local_error=np.empty(0), failure=failure)
        vdot, multipliers = newton.x[:n], newton.x[n:]
        a = kappa * vdot + a_known
        new = State(t=t, q=q, v=v_known + dv * vdot, vdot=vdot, a=a, h=h, force=force, multipliers=multipliers)
        return StepResult(state=new, newton=newton, local_error=scheme.local_error(h, a_n, a), failure=None)


def start_constrained(system: ConstrainedSystem, *, t: float, q: Array, v: Array) -> State:
    """Make the consistent state to start from: accelerations and multipliers that keep the constraints.

    Raises
    ------
    Fault
        If the start does not meet the constraints, its velocities leave them, or constraints say the same twice.
    NonConvergence
        If the force cannot be evaluated at the start.
    """
    q, v = np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)
    system.begin_step(t, q, v, 0.0)
    force = system.force(t, q, v)
    if force.failure is not None or not np.isfinite(force.Q).all():
        reason = force.failure or "the force is not a number: check the start position"
        raise NonConvergence(f"t = {t:.6g} s (start)", np.inf, 0.0, reason)
    n, m = system.n_dof, system.n_constraints
    g, G = system.misfit(t, q)
    _check_constraints(system, g, G)
    e = WAY / max(1.0, float(np.abs(v).max()))
    one, two, three, four = (system.misfit(t + k * e, system.moved(q, k * e * v))[0] for k in (-2, -1, 1, 2))
    drift = (one - 8.0 * two + 8.0 * three - four) / (12.0 * e)
    if m and np.abs(drift).max() > 1e-6 * max(np.abs(G).max() * np.abs(v).max(), system.length):
        raise Fault(
            "start velocities",
            f"{np.abs(drift).max():.3g}",
            "along the constraints (rate of their misfit 0)",
            "start with velocities that the joints allow",
        )
    bias = (16.0 * (two + three) - one - four - 30.0 * g) / (12.0 * e * e)
    J = np.zeros((n + m, n + m))
    J[:n, :n], J[:n, n:], J[n:, :n] = system.mass_matrix(q), G.T, G
    x = np.linalg.solve(J, np.concatenate([force.Q, -bias]))
    state = State(t=t, q=q, v=v, vdot=x[:n], a=x[:n], h=0.0, force=force, multipliers=x[n:])
    system.accept(state)
    return state


def _check_constraints(system: ConstrainedSystem, g: Array, G: Array) -> None:
    if not len(g):
        return
    worst = float(np.abs(g).max())
    if worst > system.length:
        raise Fault(
            "misfit of the constraints at the start", f"{worst:.3g}", f"at most {system.length:.3g}", "move the bodies"
        )
    values = np.linalg.svd(G / np.abs(G).max(axis=1, keepdims=True), compute_uv=False)
    if len(g) > G.shape[1] or values[-1] < DEPENDENT * values[0]:
        raise Fault(
            "constraints",
            f"{len(g)}, {int((values > DEPENDENT * values[0]).sum())} of them independent",
            "all independent",
            "take joints away: two hinges on one axis hold it twice",
        )
