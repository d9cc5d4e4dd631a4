"""One step of the generalized-alpha method, in the form that collocates the force at the end of the step.

Chung & Hulbert (1993) weight the force between two instants; for a nonlinear force Arnold & Brüls (2007) evaluate it
only at the ends, where equilibrium holds exactly, and weight the accelerations through the algorithmic acceleration a.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from alegear.dynamics.newton import NewtonParameters, NewtonResult, solve_newton
from alegear.dynamics.system import FloatArray, ForceEvaluation, State, System
from alegear.errors import Fault

LARGEST_RESCALING = 10.0
# Some units in the last place, for the sums that lead from the acceleration to the position.
ROUND_OFF = 16 * float(np.finfo(np.float64).eps)


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
    local_error: FloatArray
    failure: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class GeneralizedAlpha:
    r"""Generalized-alpha with the spectral radius at infinite frequency as its only parameter.

    .. math::
        M \dot v_{n+1} &= Q(t_{n+1}, q_{n+1}, v_{n+1}) \\
        (1 - \alpha_m) a_{n+1} + \alpha_m a_n &= (1 - \alpha_f) \dot v_{n+1} + \alpha_f \dot v_n \\
        q_{n+1} &= q_n + h v_n + h^2 [(1/2 - \beta) a_n + \beta a_{n+1}] \\
        v_{n+1} &= v_n + h [(1 - \gamma) a_n + \gamma a_{n+1}]

    with alpha_m = (2 rho_inf - 1)/(rho_inf + 1), alpha_f = rho_inf/(rho_inf + 1), gamma = 1/2 + alpha_f - alpha_m,
    beta = (gamma + 1/2)^2 / 4: second order, unconditionally stable for linear systems, and the least damping of low
    frequencies for the damping rho_inf of the high ones. rho_inf = 1 is the trapezoidal rule (no numerical damping);
    0 removes what the step does not resolve within one step.

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, 0 to 1.
    newton : NewtonParameters
    alpha_m, alpha_f, newmark_beta, newmark_gamma : float
        Derived.

    References
    ----------
    Chung & Hulbert, J. Appl. Mech. 60 (1993) 371-375: the parameters, from their equations 17, 20 and 25.
    Arnold & Brüls, Multibody Syst. Dyn. 18 (2007) 185-202: the collocated form.
    """

    rho_inf: float = 0.8
    newton: NewtonParameters = field(default_factory=NewtonParameters)
    alpha_m: float = field(init=False)
    alpha_f: float = field(init=False)
    newmark_beta: float = field(init=False)
    newmark_gamma: float = field(init=False)

    #: Smallest spectral radius that the method can have.
    LEAST_RADIUS: ClassVar[float] = 0.0

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

    def local_error(self, h: float, a_n: FloatArray, a: FloatArray) -> FloatArray:
        """Estimated error of the position made in a step [m, rad], from the algorithmic accelerations at its ends."""
        return (self.error_constant * h * h) * np.abs(a - self.error_memory * a_n)

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

    def step(self, system: System, state: State, h: float, t_end: float | None = None) -> StepResult:
        """Attempt one step of length h from `state`, which is not changed.

        Parameters
        ----------
        system : System
        state : State
        h : float [s]
        t_end : float [s]
            The time at the end, where it must be met to the last digit; default state.t + h.

        Notes
        -----
        The unknown of Newton's iteration is the true acceleration: q would lose the digits that h^2 a needs once the
        wheel has turned far. The iteration matrix is M - kappa (h gamma dQ/dv + h^2 beta dQ/dq) with
        kappa = (1 - alpha_f)/(1 - alpha_m).
        """
        t = state.t + h if t_end is None else t_end
        (position_n, position), (velocity_n, velocity) = self.position_weights, self.velocity_weights
        a_n = rescaled(state, h)

        # a_{n+1} = kappa vdot_{n+1} + a_known, hence q_{n+1} and v_{n+1} are linear in the unknown vdot_{n+1}
        kappa = (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
        a_known = (self.alpha_f * state.vdot - self.alpha_m * a_n) / (1.0 - self.alpha_m)
        v_known = state.v + h * (velocity_n * a_n + velocity * a_known)
        q_known = state.q + h * (state.v + h * (position_n * a_n + position * a_known))
        dv = h * velocity * kappa
        dq = h * h * position * kappa

        force: ForceEvaluation = state.force

        def residual(vdot: FloatArray) -> FloatArray | None:
            nonlocal force
            force = system.force(t, q_known + dq * vdot, v_known + dv * vdot)
            return None if force.failure is not None else M @ vdot - force.Q

        def matrix(_: FloatArray) -> FloatArray:
            return M - dv * force.dQ_dv - dq * force.dQ_dq

        def round_off(vdot: FloatArray) -> FloatArray:
            return ROUND_OFF * (np.abs(q_known) / dq + np.abs(vdot))

        predicted = q_known + dq * state.vdot
        M = system.mass_matrix(predicted)
        system.begin_step(t, predicted, v_known + dv * state.vdot, h)
        newton = solve_newton(
            residual,
            matrix,
            state.vdot,
            residual_scale=system.force_scale,
            parameters=self.newton,
            round_off=round_off,
        )
        if not newton.converged:
            return StepResult(
                state=None, newton=newton, local_error=np.empty(0), failure=force.failure or newton.verdict.value
            )
        vdot = newton.x
        a = kappa * vdot + a_known
        new = State(t=t, q=q_known + dq * vdot, v=v_known + dv * vdot, vdot=vdot, a=a, h=h, force=force)
        return StepResult(state=new, newton=newton, local_error=self.local_error(h, a_n, a), failure=None)


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


def rescaled(state: State, h: float) -> FloatArray:
    """Algorithmic acceleration for a step of another length: its lead over the true one is proportional to h.

    Without this every change of the step length would leave an error of first order. The factor is bounded because the
    lead found in a very short step is mostly round-off.
    """
    if state.h in (0.0, h):
        return state.a
    return state.vdot + min(h / state.h, LARGEST_RESCALING) * (state.a - state.vdot)
