"""How long the steps are: fixed, or chosen so that the estimated error of each stays at the tolerance.

The loop reads two verdicts, Newton's and that of the error test. A rejected attempt is dropped: the state it started
from is untouched, the next attempt starts there again with a shorter step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault, NonConvergence
from alegear.system.time_integration.events import EventSearch
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha, StepResult
from alegear.system.time_integration.second_order_system import SecondOrderSystem, State
from alegear.system.time_integration.step_kernels import LENGTH, NEWTON_SHRINK, Control, accept, towards_stop

# Times closer than this fraction of the end time are the same time, written twice.
ROUND_OFF = 1e-14


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedStep:
    """Steps of one length h [s], evenly shortened towards a stop off their grid.

    Where Newton's iteration fails the step is taken in quarters; where one of them fails as well the analysis ends. In
    a short step masses count for more than the change of forces by velocities and positions, so that there is one
    solution, and the iteration finds it; in a longer one friction that turns round may leave it beside the solution.
    `StepCount.rejected_by_newton` counts such attempts.
    """

    h: float

    #: There is no error test.
    tolerance: ClassVar[float] = 1.0

    @property
    def shortest(self) -> float:
        """Shortest part of a step that is tried [s]."""
        return NEWTON_SHRINK * self.h

    @property
    def limits(self) -> Control:
        """As the kernels have it."""
        return Control(
            adaptive=False,
            h_max=self.h,
            h_min=self.shortest,
            safety=1.0,
            max_growth=1.0,
            max_shrink=1.0,
            newton_shrink=NEWTON_SHRINK,
        )

    def __post_init__(self) -> None:
        if not self.h > 0.0:
            raise Fault("time step [s]", self.h, "positive", "choose about a hundredth of the tooth-passing period")


@dataclass(frozen=True, kw_only=True, eq=False)
class AdaptiveStep:
    r"""Steps chosen by a PI controller from the error of each step.

    With e = max_i |local_error_i| / (tolerance displacement_scale_i) a step is accepted if e <= 1, and

    .. math:: h_{next} = h \; s \; e_{n}^{-k_I} \, e_{n-1}^{k_P}, \quad k_I = 0.7/3, \; k_P = 0.4/3

    (the error of a step of a second-order method goes with h^3). The error of a step is held at the tolerance, so the
    error of the whole motion falls with tolerance^(2/3). Where a stop time cuts the step to a shorter one, h is the
    length that was chosen, and e the error that it would have had by that law.

    Parameters
    ----------
    tolerance : float
        Error of one step relative to the system's displacement scale.
    h_max : float [s]
        Longest step: a small part of what must not be stepped over, such as the tooth-passing period.
    h_min : float or None [s]
        Shortest step; failing there ends the analysis. Default 1e-6 h_max.
    h_initial : float or None [s]
        Default: from tolerance, displacement scale and starting acceleration.
    safety : float
        s above.
    max_growth, max_shrink : float
        Bounds of h_next/h.
    newton_shrink : float
        h_next/h after Newton failed.

    References
    ----------
    Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533-554; the exponents are those of Hairer & Wanner, Solving Ordinary
    Differential Equations II, IV.2, with the order of this method.
    """

    tolerance: float
    h_max: float
    h_min: float | None = None
    h_initial: float | None = None
    safety: float = 0.9
    max_growth: float = 2.0
    max_shrink: float = 0.2
    newton_shrink: float = NEWTON_SHRINK

    @property
    def shortest(self) -> float:
        """Shortest step [s]."""
        return self.h_min if self.h_min is not None else 1e-6 * self.h_max

    @property
    def limits(self) -> Control:
        """As the kernels have it."""
        return Control(
            adaptive=True,
            h_max=self.h_max,
            h_min=self.shortest,
            safety=self.safety,
            max_growth=self.max_growth,
            max_shrink=self.max_shrink,
            newton_shrink=self.newton_shrink,
        )

    def with_longest(self, h: float) -> AdaptiveStep:
        """Return the same with another longest step [s]; the shortest one stays."""
        return replace(self, h_max=h, h_min=self.shortest)

    def __post_init__(self) -> None:
        if not 0.0 < self.tolerance < 1.0:
            raise Fault("tolerance of a step", self.tolerance, "between 0 and 1", "use 1e-4")
        if not self.h_max > 0.0:
            raise Fault("longest time step [s]", self.h_max, "positive", "use a part of the tooth-passing period")
        if self.h_min is not None and not 0.0 < self.h_min <= self.h_max:
            raise Fault("shortest time step [s]", self.h_min, f"between 0 and {self.h_max:g}", "leave it out")


@dataclass(kw_only=True, eq=False)
class StepCount:
    """What the integration cost; counted up while it runs.

    Parameters
    ----------
    accepted : int
    rejected_by_newton, rejected_by_error : int
    newton_iterations : int
        Of accepted and rejected steps.
    h_shortest, h_longest : float [s]
        Of the accepted steps.
    """

    accepted: int = 0
    rejected_by_newton: int = 0
    rejected_by_error: int = 0
    newton_iterations: int = 0
    h_shortest: float = math.inf
    h_longest: float = 0.0


def integrate(
    system: SecondOrderSystem,
    state: State,
    t_end: float,
    *,
    scheme: GeneralizedAlpha,
    control: FixedStep | AdaptiveStep,
    on_step: Callable[[State], None] | None = None,
    stop_times: Iterable[float] = (),
    memory: Array | None = None,
    count: StepCount | None = None,
    events: EventSearch | None = None,
) -> tuple[State, StepCount]:
    """Integrate from `state` to t_end; call system.accept and then on_step after every accepted step.

    Parameters
    ----------
    system : SecondOrderSystem
    state : State
        From :func:`alegear.system.time_integration.second_order_system.start` or an earlier integration; not changed.
    t_end : float [s]
    scheme : GeneralizedAlpha
        Or one of its kind.
    control : FixedStep or AdaptiveStep
    on_step : callable, State -> None
        Sees every accepted state, not the first one.
    stop_times : iterable of float [s]
        Times at which a step ends to the last digit (state.t == stop time): output, tooth-changes. Those outside
        (state.t, t_end) are ignored; of several that agree to round-off the first one counts.
    memory : shape (3,), optional
        Of :func:`step_memory`, or of an earlier integration, which goes on here as if it had not been left; changed.
    count : StepCount, optional
        Of an earlier integration, counted on.
    events : EventSearch, optional
        Where it finds an event the integration ends; its ``left`` says so.

    Returns
    -------
    state : State
        At t_end, or at the first event.
    count : StepCount

    Raises
    ------
    Fault
        The method is not stable for the system.
    NonConvergence
        The shortest step failed. Everything handed to on_step before stays valid.
    """
    scheme.check(system, state)
    memory = step_memory(system, state, control) if memory is None else memory
    count, limits = count or StepCount(), control.limits
    tolerated = control.tolerance * np.asarray(system.displacement_scale, dtype=np.float64)
    for stop in distinct(stop_times, state.t, t_end):
        while state.t < stop:
            remaining = stop - state.t
            h = float(towards_stop(remaining, memory[LENGTH]))
            result = scheme.step(system, state, h, stop if h == remaining else state.t + h)
            newton, errors = result.newton, result.local_error / tolerated if result.newton.converged else np.empty(0)
            count.newton_iterations += newton.iterations
            error, most = float(errors.max(initial=0.0)), scheme.newton.max_iterations
            judged = accept(limits, memory, h, newton.converged, error, newton.iterations, most)
            if judged <= 0:
                count.rejected_by_error += newton.converged
                count.rejected_by_newton += not newton.converged
                if judged < 0:
                    raise _failure(system, state, scheme, control, result, errors)
                continue
            if events is not None:
                result, h = events.look(system, scheme, state, result, h)
            assert result.state is not None  # what is shortened to an event has one, too
            state = result.state
            system.accept(state)
            count.accepted += 1
            count.h_shortest = min(count.h_shortest, h)
            count.h_longest = max(count.h_longest, h)
            if on_step is not None:
                on_step(state)
            if events is not None and events.left is not None:
                return state, count
    return state, count


def _failure(
    system: SecondOrderSystem,
    state: State,
    scheme: GeneralizedAlpha,
    control: FixedStep | AdaptiveStep,
    result: StepResult,
    errors: Array,
) -> NonConvergence:
    """What to say of the shortest step, which failed: the time, and what moves in the row that is to blame."""
    newton = result.newton
    row = int(np.argmax(errors)) if newton.converged else newton.worst
    where = f"t = {state.t:.6g} s" + ("" if row is None else f", {system.name_of_row(row)}")
    if newton.converged:
        remedy = (
            f"the error of the shortest step of {control.shortest:.3g} s is too large: raise the tolerance, "
            "or look for a jump in load or speed"
        )
        return NonConvergence(where, float(errors.max()) * control.tolerance, control.tolerance, remedy)
    remedy = f"{result.failure}; the shortest step of {control.shortest:.3g} s is reached"
    if isinstance(control, FixedStep):
        limit = f"the step is fixed at {control.h:.3g} s: choose a shorter one, or give a tolerance instead"
        remedy = f"{result.failure}; {limit}"
    return NonConvergence(where, newton.residual_norm, scheme.newton.tolerance, remedy)


def distinct(times: Iterable[float], t_start: float, t_end: float) -> list[float]:
    """Rising times in (t_start, t_end] with t_end as the last; those that differ by round-off only are one."""
    stops: list[float] = []
    before, apart = t_start, ROUND_OFF * max(abs(t_start), abs(t_end))
    for stop in sorted(times):
        if stop > before + apart and stop < t_end - apart:
            stops.append(float(stop))
            before = stop
    return [*stops, t_end] if t_end > t_start else []


def first_length(system: SecondOrderSystem, state: State, control: AdaptiveStep) -> float:
    """The first step [s]: given, or that in which the starting acceleration moves a coordinate by its tolerated error.

    At rest it is a hundredth of the longest.
    """
    h = control.h_initial
    if h is None:
        tolerated = control.tolerance * np.asarray(system.displacement_scale, dtype=np.float64)
        acceleration = np.abs(state.vdot)
        moving = acceleration > 0.0
        h = 0.01 * control.h_max
        if moving.any():
            h = float(np.sqrt(2.0 * (tolerated[moving] / acceleration[moving]).min()))
    return min(max(h, control.shortest), control.h_max)


def step_memory(system: SecondOrderSystem, state: State, control: FixedStep | AdaptiveStep) -> Array:
    """What a step control begins with, shape (3,): ``LENGTH``, ``ERROR_BEFORE``, ``JUST_REJECTED`` of the kernels."""
    length = control.h if isinstance(control, FixedStep) else first_length(system, state, control)
    return np.array([length, 1.0, 0.0])
