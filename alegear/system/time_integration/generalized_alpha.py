"""One step of the generalized-alpha method, in the form that collocates the force at the end of the step.

Chung & Hulbert (1993) weight the force between two instants; for a nonlinear force Arnold & Brüls (2007) evaluate it
only at the ends, where equilibrium holds exactly, and weight the accelerations through the algorithmic acceleration a.
Constraints hold exactly at the ends as well (index 3); they are scaled by the square of the step, so that the iteration
matrix stays as well conditioned as the masses are (Bottasso, Dopico & Trainelli 2008, Multibody Syst. Dyn. 19, 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.system.time_integration.newton import NewtonParameters, NewtonResult, solve_newton
from alegear.system.time_integration.second_order_system import (
    ConstraintForces,
    ForceEvaluation,
    SecondOrderSystem,
    State,
    powers_of_two,
)

LARGEST_RESCALING = 10.0
# Some units in the last place, for the sums that lead from the acceleration to the position.
ROUND_OFF = 16 * float(np.finfo(np.float64).eps)
# A wheel that has turned far: the digits that its angle loses, over the typical displacement, are lost in the forces,
# over their typical size. Newton's iteration need not go below that, up to a residual that would be seen. Its angle and
# that of the wheel that drives it are rounded, each in a sum of two: four units. Only free coordinates count, so a
# prescribed one that turns many times as fast has more.
RESIDUAL_ROUND_OFF = 4 * float(np.finfo(np.float64).eps)
LARGEST_RESIDUAL = 1e-6
# A misfit of the constraints below this part of the terms that it is the sum of is none.
NO_MISFIT = 2 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class StepResult:
    """Outcome of one attempted step.

    Parameters
    ----------
    state : State or None
        The new state; None if Newton failed. The old state is as it was in either case.
    newton : NewtonResult
    local_error : shape (n_dof,) [m, rad]
        Estimated error of q made in this step; empty if Newton failed.
    failure : str or None
        Why the step failed, with a remedy: the force's own sentence where it gave one, else the Newton verdict's.
    """

    state: State | None
    newton: NewtonResult
    local_error: Array
    failure: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class GeneralizedAlpha:
    r"""Generalized-alpha with the spectral radius at infinite frequency as its only parameter.

    .. math::
        M(q_{n+1}) \dot v_{n+1} + G^T \lambda_{n+1} &= Q(t_{n+1}, q_{n+1}, v_{n+1}),
        \quad g(t_{n+1}, q_{n+1}) = 0 \\
        (1 - \alpha_m) a_{n+1} + \alpha_m a_n &= (1 - \alpha_f) \dot v_{n+1} + \alpha_f \dot v_n \\
        q_{n+1} &= q_n + h v_n + h^2 [(1/2 - \beta) a_n + \beta a_{n+1}] \\
        v_{n+1} &= v_n + h [(1 - \gamma) a_n + \gamma a_{n+1}]

    with alpha_m = (2 rho_inf - 1)/(rho_inf + 1), alpha_f = rho_inf/(rho_inf + 1), gamma = 1/2 + alpha_f - alpha_m,
    beta = (gamma + 1/2)^2 / 4: second order, unconditionally stable for linear systems, and the least damping of low
    frequencies for the damping rho_inf of the high ones. rho_inf = 1 is the trapezoidal rule (no numerical damping);
    0 removes what the step does not resolve within one step. Where places do not add up (rotations in space) the third
    line is q_n moved by the displacement h v_n + h^2 [...].

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, 0 to 1.
    newton : NewtonParameters
    filtered : bool
        Take the error e of a step as J^-1 M e, J the last iteration matrix: what a step makes of it. An undamped mode
        counts by 1/(1 + dq omega^2), one that the step passes over no longer. Of a step that needs no correction it is
        e itself. It pays where stiff modes are shaken all the time, by teeth that come into contact.
    alpha_m, alpha_f, newmark_beta, newmark_gamma : float
        Derived.

    References
    ----------
    Chung & Hulbert, J. Appl. Mech. 60 (1993) 371-375: the parameters, from their equations 17, 20 and 25.
    Arnold & Brüls, Multibody Syst. Dyn. 18 (2007) 185-202: the collocated form.
    Brüls, Cardona & Arnold, Mech. Mach. Theory 48 (2012) 121-137: rotations, constraints of index 3.
    Hairer & Wanner, Solving Ordinary Differential Equations II, IV.8: the filter, of an implicit Runge-Kutta method.
    """

    rho_inf: float = 0.8
    newton: NewtonParameters = field(default_factory=NewtonParameters)
    filtered: bool = False
    alpha_m: float = field(init=False)
    alpha_f: float = field(init=False)
    newmark_beta: float = field(init=False)
    newmark_gamma: float = field(init=False)

    #: Smallest spectral radius that the method can have.
    LEAST_RADIUS: ClassVar[float] = 0.0
    #: Largest with constraints whose directions turn: multipliers are damped by the radius alone, and the turning feeds
    #: their error. A pendulum on a bar swings for 10^4 steps at 0.8 with 30 steps a period and at 0.9 with 70, and runs
    #: away at 0.95 with 70.
    LARGEST_RADIUS_OF_JOINTS: ClassVar[float] = 0.9

    def __post_init__(self) -> None:
        if not self.LEAST_RADIUS <= self.rho_inf <= 1.0:
            limit = f"between {self.LEAST_RADIUS:g} and 1"
            raise Fault("rho_inf", self.rho_inf, limit, "use 0.8, or 1 for no numerical damping")
        alpha_m, alpha_f = self._alphas()
        newmark_gamma = 0.5 + alpha_f - alpha_m
        object.__setattr__(self, "alpha_m", alpha_m)
        object.__setattr__(self, "alpha_f", alpha_f)
        object.__setattr__(self, "newmark_gamma", newmark_gamma)
        object.__setattr__(self, "newmark_beta", 0.25 * (newmark_gamma + 0.5) ** 2)

    def check(self, system: SecondOrderSystem, state: State) -> None:
        """Raise a Fault if the method is not stable for a system."""
        if not system.n_constraints or self.rho_inf <= self.LARGEST_RADIUS_OF_JOINTS:
            return
        G = system.misfit(state.t, state.q)[1]
        if system.constraint_forces(state.t, state.q, state.v, state.multipliers, G).by_q is not None:
            limit = f"at most {self.LARGEST_RADIUS_OF_JOINTS:g} with joints"
            raise Fault("rho_inf", self.rho_inf, limit, "use 0.8: nothing else damps the forces of joints")

    def _alphas(self) -> tuple[float, float]:
        return (2.0 * self.rho_inf - 1.0) / (self.rho_inf + 1.0), self.rho_inf / (self.rho_inf + 1.0)

    @property
    def position_weights(self) -> tuple[float, float]:
        """Of a_n and a_{n+1} in the step of the position, over h^2."""
        return 0.5 - self.newmark_beta, self.newmark_beta

    @property
    def velocity_weights(self) -> tuple[float, float]:
        """Of a_n and a_{n+1} in the step of the velocity, over h."""
        return 1.0 - self.newmark_gamma, self.newmark_gamma

    def local_error(self, h: float, a_n: Array, a: Array) -> Array:
        """Estimated error of the position made in a step [m, rad], from the algorithmic accelerations at its ends."""
        return (self.error_constant * h * h) * (a - self.error_memory * a_n)

    @property
    def error_memory(self) -> float:
        """What the estimate of the error takes off the acceleration: 1, that at the beginning of the step."""
        return 1.0

    @property
    def error_constant(self) -> float:
        r"""The c in the leading error of a step, :math:`q_{n+1} - q(t_{n+1}) = c h^3 \dddot q`.

        Taylor's series with :math:`a_n = \ddot q(t_n + (\alpha_m - \alpha_f) h)` gives
        c = beta + (alpha_m - alpha_f)/2 - 1/6, which is 1/12 for rho_inf = 1 and 1/3 for 0.
        """
        return self.newmark_beta + 0.5 * (self.alpha_m - self.alpha_f) - 1.0 / 6.0

    def step(self, system: SecondOrderSystem, state: State, h: float, t_end: float | None = None) -> StepResult:
        """Attempt one step of length h from `state`, which is not changed.

        Parameters
        ----------
        system : SecondOrderSystem
        state : State
        h : float [s]
        t_end : float [s]
            The time at the end, where it must be met to the last digit; default state.t + h.

        Notes
        -----
        The unknowns of Newton's iteration are the true acceleration (q would lose the digits that h^2 a needs once the
        wheel has turned far) and the multipliers. With kappa = (1 - alpha_f)/(1 - alpha_m), dv = h gamma kappa,
        dq = h^2 beta kappa and T the tangent of the displacement, the identity where positions add up, the iteration
        matrix is

            M - dv dQ/dv + dq (d(M vdot)/dq + d(G^T lambda)/dq - dQ/dq) T       G^T
            G T                                                                  0

        where the second row is that of the misfit over dq.
        """
        t = state.t + h if t_end is None else t_end
        (position_n, position), (velocity_n, velocity) = self.position_weights, self.velocity_weights
        a_n = rescaled(state, h)

        # a_{n+1} = kappa vdot_{n+1} + a_known, hence displacement and v_{n+1} are linear in the unknown vdot_{n+1}
        kappa = (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
        a_known = (self.alpha_f * state.vdot - self.alpha_m * a_n) / (1.0 - self.alpha_m)
        at_end = _EndOfStep(
            system,
            state,
            t=t,
            v_known=state.v + h * (velocity_n * a_n + velocity * a_known),
            displacement_known=h * (state.v + h * (position_n * a_n + position * a_known)),
            dv=h * velocity * kappa,
            dq=h * h * position * kappa,
        )
        system.begin_step(t, *at_end.motion(state.vdot), h)
        newton = solve_newton(
            at_end.residual,
            at_end.matrix,
            at_end.first_guess(),
            residual_scale=at_end.residual_scale(),
            parameters=self.newton,
            least_tolerance=at_end.least_tolerance(),
            round_off=at_end.round_off,
            fallback_scale=at_end.unknown_scale() if at_end.m else None,
        )
        if not newton.converged:
            failure = at_end.force.failure or newton.verdict.value
            return StepResult(state=None, newton=newton, local_error=np.empty(0), failure=failure)
        new = at_end.state(newton.x, h, kappa, a_known)
        error = self.local_error(h, a_n, new.a)
        if self.filtered:
            error = at_end.filtered(error)
        return StepResult(state=new, newton=newton, local_error=np.abs(error), failure=None)


class _EndOfStep:
    """The equations at the end of an attempted step, in the unknown x: accelerations, then multipliers."""

    def __init__(
        self,
        system: SecondOrderSystem,
        state: State,
        *,
        t: float,
        v_known: Array,
        displacement_known: Array,
        dv: float,
        dq: float,
    ) -> None:
        self.system, self.before, self.t = system, state, t
        self.v_known, self.displacement_known, self.dv, self.dq = v_known, displacement_known, dv, dq
        self.q_known = state.q + displacement_known
        self.n, self.m = len(state.v), system.n_constraints
        self.force: ForceEvaluation = state.force
        self.q, self.M, self.G = state.q, np.empty(0), np.empty(0)
        self.held: ConstraintForces | None = None
        self.J: Array | None = None

    def motion(self, vdot: Array) -> tuple[Array, Array]:
        """Coordinates and velocities."""
        v = self.v_known + self.dv * vdot
        if self.system.places_add_up:
            return self.q_known + self.dq * vdot, v
        return self.system.moved(self.before.q, self.displacement_known + self.dq * vdot), v

    def first_guess(self) -> Array:
        """Accelerations and multipliers as they were."""
        return np.concatenate([self.before.vdot, self.before.multipliers]) if self.m else self.before.vdot

    def residual_scale(self) -> Array:
        """Typical size of each residual."""
        force_scale = self.system.force_scale
        return np.concatenate([force_scale, self.system.misfit_scale / self.dq]) if self.m else force_scale

    def least_tolerance(self) -> float:
        """Scaled residual that the round-off of the coordinates leaves."""
        farthest = float((np.abs(self.q_known) / self.system.displacement_scale).max(initial=0.0))
        return min(RESIDUAL_ROUND_OFF * farthest, LARGEST_RESIDUAL)

    def unknown_scale(self) -> Array:
        """Typical size of each unknown: displacements that matter over dq, forces."""
        forces = np.full(self.m, float(self.system.force_scale.max()))
        return np.concatenate([self.system.displacement_scale / self.dq, forces])

    def residual(self, x: Array) -> Array | None:
        """Force that is missing for equilibrium, then misfit over dq; None where the force is not known."""
        vdot = x[: self.n]
        self.q, v = self.motion(vdot)
        self.force = self.system.force(self.t, self.q, v)
        if self.force.failure is not None:
            return None
        self.M = self.system.mass_matrix(self.q)
        if not self.m:
            return self.M @ vdot - self.force.Q
        g, self.G = self.system.misfit(self.t, self.q)
        g = np.where(np.abs(g) <= NO_MISFIT * (np.abs(self.G) @ np.abs(self.q)), 0.0, g)
        self.held = self.system.constraint_forces(self.t, self.q, v, x[self.n :], self.G)
        return np.concatenate([self.M @ vdot - self.force.Q - self.held.Q, g / self.dq])

    def matrix(self, x: Array) -> Array:
        """Derivative of the residual at the x that it was evaluated for last."""
        n, by_place, by_velocity, G = self.n, self.force.dQ_dq, self.force.dQ_dv, self.G
        of_masses = self.system.acceleration_tangent(self.q, x[:n])
        if of_masses is not None:
            by_place = by_place - of_masses
        if self.held is not None:
            by_place = by_place if self.held.by_q is None else by_place + self.held.by_q
            by_velocity = by_velocity if self.held.by_v is None else by_velocity + self.held.by_v
        if not self.system.places_add_up:
            T = self.system.increment_tangent(self.displacement_known + self.dq * x[:n])
            by_place = by_place @ T
            G = G @ T if self.m else G
        S = self.M - self.dv * by_velocity - self.dq * by_place
        self.J = S
        if self.held is not None:
            self.J = np.zeros((n + self.m, n + self.m))
            self.J[:n, :n], self.J[:n, n:], self.J[n:, :n] = S, -self.held.by_multipliers, G
        return self.J

    def filtered(self, error: Array) -> Array:
        """What the last iteration matrix makes of an error of the position: that itself if there is none."""
        if self.J is None:
            return error
        carried = np.zeros(self.n + self.m)
        carried[: self.n] = self.M @ error
        rows = powers_of_two(self.residual_scale())
        return np.asarray(np.linalg.solve(self.J / rows[:, None], carried / rows)[: self.n], dtype=np.float64)

    def round_off(self, x: Array) -> Array:
        """Change of x that is lost in the coordinates; of multipliers none is."""
        of_place = ROUND_OFF * (np.abs(self.q_known) / self.dq + np.abs(x[: self.n]))
        return np.concatenate([of_place, np.full(self.m, np.inf)]) if self.m else of_place

    def state(self, x: Array, h: float, kappa: float, a_known: Array) -> State:
        """The state with the solution x, for which the residual was evaluated last."""
        vdot = x[: self.n]
        q, v = self.motion(vdot)
        return State(
            t=self.t,
            q=q,
            v=v,
            vdot=vdot,
            a=kappa * vdot + a_known,
            h=h,
            force=self.force,
            multipliers=x[self.n :],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class HilberHughesTaylor(GeneralizedAlpha):
    """The older method with alpha_m = 0: of second order too, and with more damping of what is resolved.

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, 1/2 to 1; alpha_f = (1 - rho_inf)/(1 + rho_inf).

    References
    ----------
    Hilber, Hughes & Taylor, Earthq. Eng. Struct. Dyn. 5 (1977) 283-292; here with the force at the end of the step.
    """

    LEAST_RADIUS: ClassVar[float] = 0.5

    def _alphas(self) -> tuple[float, float]:
        return 0.0, (1.0 - self.rho_inf) / (1.0 + self.rho_inf)


@dataclass(frozen=True, kw_only=True, eq=False)
class BackwardEuler(GeneralizedAlpha):
    """Backward Euler: v_{n+1} = v_n + h a_{n+1}, q_{n+1} = q_n + h v_{n+1}; of first order, and damps all that moves.

    `rho_inf` says nothing here. Liu et al. (2018) integrate with it; it is there to compare with.
    """

    LARGEST_RADIUS_OF_JOINTS: ClassVar[float] = 1.0

    def _alphas(self) -> tuple[float, float]:
        return 0.0, 0.0

    @property
    def position_weights(self) -> tuple[float, float]:
        """Only the acceleration at the end counts."""
        return 0.0, 1.0

    @property
    def velocity_weights(self) -> tuple[float, float]:
        """Only the acceleration at the end counts."""
        return 0.0, 1.0

    @property
    def error_constant(self) -> float:
        """The error of a step is h^2 |a|/2, one order lower than that of the others."""
        return 0.5

    @property
    def error_memory(self) -> float:
        """Nothing is taken off."""
        return 0.0


#: Methods by the names that users call them.
SCHEMES: dict[str, type[GeneralizedAlpha]] = {
    "generalized-alpha": GeneralizedAlpha,
    "hht": HilberHughesTaylor,
    "backward-euler": BackwardEuler,
}


def rescaled(state: State, h: float) -> Array:
    """Algorithmic acceleration for a step of another length: its lead over the true one is proportional to h.

    Without this every change of the step length would leave an error of first order. The factor is bounded because the
    lead found in a very short step is mostly round-off.
    """
    if state.h in (0.0, h):
        return state.a
    return state.vdot + min(h / state.h, LARGEST_RESCALING) * (state.a - state.vdot)
