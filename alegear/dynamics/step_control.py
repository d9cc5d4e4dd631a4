"""How long the steps are: fixed, or chosen so that the estimated error of each stays at the tolerance.

The loop reads two verdicts, Newton's and that of the error test. A rejected attempt is dropped: the state it started
from is untouched, the next attempt starts there again with a shorter step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from alegear.dynamics.events import EventSearch
from alegear.dynamics.generalized_alpha import GeneralizedAlpha, StepResult
from alegear.dynamics.system import State, System
from alegear.errors import Fault, NonConvergence

# A step may be longer than asked for by this fraction if it then meets a stop: the round-off of a grid of fixed steps.
STRETCH = 1e-6
# Times closer than this fraction of the end time are the same time, written twice.
ROUND_OFF = 1e-14
# Exponents of the PI controller for an error of third order; below ERROR_FLOOR an error says nothing any more.
INTEGRAL = 0.7 / 3.0
PROPORTIONAL = 0.4 / 3.0
ERROR_FLOOR = 1e-4
# Of the length of a step after Newton's iteration failed; a fixed step is not cut further.
NEWTON_SHRINK = 0.25


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedStep:
    """Steps of one length h [s], evenly shortened towards a stop off their grid.

    Where Newton's iteration fails the step is taken in quarters; where one of them fails as well the analysis ends. In
    a short step masses count for more than the change of forces by velocities and positions, so that there is one
    solution, and the iteration finds it; in a longer one friction that turns round may leave it beside the solution.
    `StepCount.rejected_by_newton` counts such attempts.
    """

    h: float

    @property
    def shortest(self) -> float:
        """Shortest part of a step that is tried [s]."""
        return NEWTON_SHRINK * self.h

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


@dataclass(kw_only=True, eq=False)
class StepMemory:
    """What a step control goes on with; kept up to date while the integration runs.

    Parameters
    ----------
    length : float or None [s]
        Of the next step; None: as the control says.
    error_before : float
        Of the last accepted step, over the tolerated one.
    just_rejected : bool
        Whether the last attempt was rejected.
    parts_left : int
        Of a fixed step that is taken in parts.
    """

    length: float | None = None
    error_before: float = 1.0
    just_rejected: bool = False
    parts_left: int = 0


def integrate(
    system: System,
    state: State,
    t_end: float,
    *,
    scheme: GeneralizedAlpha,
    control: FixedStep | AdaptiveStep,
    on_step: Callable[[State], None] | None = None,
    stop_times: Iterable[float] = (),
    memory: StepMemory | None = None,
    count: StepCount | None = None,
    events: EventSearch | None = None,
) -> tuple[State, StepCount]:
    """Integrate from `state` to t_end; call system.accept and then on_step after every accepted step.

    Parameters
    ----------
    system : System
    state : State
        From :func:`alegear.dynamics.system.start` or an earlier integration; not changed.
    t_end : float [s]
    scheme : GeneralizedAlpha
        Or one of its kind.
    control : FixedStep or AdaptiveStep
    on_step : callable, State -> None
        Sees every accepted state, not the first one.
    stop_times : iterable of float [s]
        Times at which a step ends to the last digit (state.t == stop time): output, tooth-changes. Those outside
        (state.t, t_end) are ignored; of several that agree to round-off the first one counts.
    memory : StepMemory, optional
        Of an earlier integration, which goes on here as if it had not been left.
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
    chooser: _AdaptiveLength | _FixedLength = (
        _FixedLength(system, control, memory or StepMemory())
        if isinstance(control, FixedStep)
        else (_AdaptiveLength(system, state, control, memory or StepMemory()))
    )
    count = count or StepCount()
    for stop in distinct(stop_times, state.t, t_end):
        while state.t < stop:
            remaining = stop - state.t
            h = _towards_stop(remaining, chooser.h)
            result = scheme.step(system, state, h, stop if h == remaining else state.t + h)
            count.newton_iterations += result.newton.iterations
            if not chooser.judge(state, result, h, scheme, count):
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


def _where(system: System, state: State, row: int | None) -> str:
    """Time of the last accepted state, and what moves in a row of the equations of motion, if one is to blame."""
    return f"t = {state.t:.6g} s" + ("" if row is None else f", {system.name_of_row(row)}")


def _towards_stop(remaining: float, h: float) -> float:
    """The longest step not above h that divides the way to the stop evenly: no sliver is left over."""
    return remaining / max(1, math.ceil(remaining / h - STRETCH))


def distinct(times: Iterable[float], t_start: float, t_end: float) -> list[float]:
    """Rising times in (t_start, t_end] with t_end as the last; those that differ by round-off only are one."""
    stops: list[float] = []
    before, apart = t_start, ROUND_OFF * max(abs(t_start), abs(t_end))
    for stop in sorted(times):
        if stop > before + apart and stop < t_end - apart:
            stops.append(float(stop))
            before = stop
    return [*stops, t_end] if t_end > t_start else []


class _FixedLength:
    """Judge of the fixed step: no error test; after a Newton failure four quarters of the step."""

    def __init__(self, system: System, control: FixedStep, memory: StepMemory) -> None:
        self.system, self.control, self.memory = system, control, memory
        if memory.length is None:
            memory.length = control.h

    @property
    def h(self) -> float:
        """Length of the next step [s]."""
        assert self.memory.length is not None
        return self.memory.length

    def judge(self, state: State, result: StepResult, h: float, scheme: GeneralizedAlpha, count: StepCount) -> bool:
        if result.newton.converged:
            self.memory.parts_left = max(self.memory.parts_left - 1, 0)
            if not self.memory.parts_left:
                self.memory.length = self.control.h
            return True
        count.rejected_by_newton += 1
        if min(h, self.h) <= self.control.shortest:  # towards a stop h may be longer by round-off
            raise NonConvergence(
                _where(self.system, state, result.newton.worst),
                result.newton.residual_norm,
                scheme.newton.tolerance,
                f"{result.failure}; the step is fixed at {self.control.h:.3g} s: "
                "choose a shorter one, or give a tolerance instead",
            )
        self.memory.length = max(h * NEWTON_SHRINK, self.control.shortest)
        self.memory.parts_left = round(1.0 / NEWTON_SHRINK)
        return False


def first_length(system: System, state: State, control: AdaptiveStep) -> float:
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


class _AdaptiveLength:
    """Judge of the adaptive step."""

    def __init__(self, system: System, state: State, control: AdaptiveStep, memory: StepMemory) -> None:
        self.system, self.control = system, control
        self.tolerated = control.tolerance * np.asarray(system.displacement_scale, dtype=np.float64)
        self.h_min = control.shortest
        self.memory = memory
        if memory.length is None:
            memory.length = first_length(system, state, control)

    @property
    def h(self) -> float:
        """Length of the next step [s]."""
        assert self.memory.length is not None
        return self.memory.length

    def judge(self, state: State, result: StepResult, h: float, scheme: GeneralizedAlpha, count: StepCount) -> bool:
        if not result.newton.converged:
            count.rejected_by_newton += 1
            self._shorten(
                h,
                self.control.newton_shrink,
                NonConvergence(
                    _where(self.system, state, result.newton.worst),
                    result.newton.residual_norm,
                    scheme.newton.tolerance,
                    f"{result.failure}; the shortest step of {self.h_min:.3g} s is reached",
                ),
            )
            return False

        errors = result.local_error / self.tolerated
        error = float(errors.max(initial=0.0))
        if not error <= 1.0:
            count.rejected_by_error += 1
            factor = self.control.safety * error ** (-1.0 / 3.0) if math.isfinite(error) else 0.0
            self._shorten(
                h,
                max(self.control.max_shrink, factor),
                NonConvergence(
                    _where(self.system, state, int(np.argmax(errors))),
                    error * self.control.tolerance,
                    self.control.tolerance,
                    f"the error of the shortest step of {self.h_min:.3g} s is too large: raise the tolerance, "
                    "or look for a jump in load or speed",
                ),
            )
            return False

        self._lengthen(h, error, result.newton.iterations > scheme.newton.max_iterations // 2)
        return True

    def _shorten(self, h: float, factor: float, failure: NonConvergence) -> None:
        # the step itself is longer by round-off, or stretched to a stop
        if h <= self.h_min or self.h <= self.h_min:
            raise failure
        self.memory.length = max(h * factor, self.h_min)
        self.memory.just_rejected = True

    def _lengthen(self, h: float, error: float, newton_was_slow: bool) -> None:
        control, chosen = self.control, self.h
        # A stop time may cut a step short, and the next ones too if output is dense. The controller goes on with the
        # error that the length it chose would have had, or it would take each cut for its own and never come back.
        error = max(error * (chosen / h) ** 3, ERROR_FLOOR)
        proposal = control.safety * chosen * error**-INTEGRAL * self.memory.error_before**PROPORTIONAL
        # But a much shorter step says little about a longer one, and a length that failed is not tried again at once:
        # then the length may not grow beyond what it was. It grows from the next step on.
        may_grow = h >= 0.5 * chosen and not self.memory.just_rejected and not newton_was_slow
        longest = chosen * (control.max_growth if may_grow else 1.0)
        self.memory.length = max(min(proposal, longest, control.h_max), control.max_shrink * h, self.h_min)
        self.memory.error_before = error
        self.memory.just_rejected = False
