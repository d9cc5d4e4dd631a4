"""Integrates the motion of any system from stop to stop, in compiled code as far as there is such, and hands it on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np

from alegear.arrays import Array, Mask
from alegear.contact.forces import Arrays
from alegear.drivetrain.compiled_motion import CompiledMotion, MotionSamples, is_compiled
from alegear.errors import NonConvergence
from alegear.parallel import workers
from alegear.recording.motion_memory import STEPWISE, stepwise_memory, stepwise_of
from alegear.system.energy import SystemEnergy
from alegear.system.mode_changes import SwitchEvent
from alegear.system.motion import SystemMotion
from alegear.system.time_integration.events import EventSearch
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha
from alegear.system.time_integration.second_order_system import State
from alegear.system.time_integration.step_control import (
    AdaptiveStep,
    FixedStep,
    StepCount,
    integrate,
    step_memory,
)
from alegear.system.time_integration.step_kernels import LENGTH
from alegear.system.time_integration.stop_times import StopTimes


class MotionObserver(Protocol):
    """Observer of a running motion."""

    def record(self, state: State) -> None:
        """Take an accepted state, of which the energies are up to date."""

    def record_last(self, state: State) -> None:
        """Take the last accepted state of a motion that fails."""

    def record_samples(self, samples: MotionSamples) -> None:
        """Take samples from compiled code."""

    def show(self, t: float) -> None:
        """Report the time t [s] that the motion has reached."""

    @property
    def saves(self) -> bool:
        """Whether a checkpoint is due."""

    def save(self, t: float, integration: Arrays) -> None:
        """Save what the integration goes on from at t [s]."""


class MotionIntegration:
    """Integration of a motion from stop to stop.

    Parameters
    ----------
    system : SystemMotion
    scheme : GeneralizedAlpha
    control : FixedStep or AdaptiveStep
    corners : sequence of float [s]
        Stops at which the modes of switches are chosen anew.
    longest : callable, optional
        Longest adaptive step [s] between two times [s], asked for each stretch of the stops; default: that of the
        control all the way.

    Attributes
    ----------
    energy : SystemEnergy
    events : list of SwitchEvent
        Changes of the modes of switches.
    count : StepCount
    """

    def __init__(
        self,
        system: SystemMotion,
        scheme: GeneralizedAlpha,
        control: FixedStep | AdaptiveStep,
        corners: Sequence[float] = (),
        longest: Callable[[float, float], float] | None = None,
    ) -> None:
        self.system, self._scheme, self._control, self._longest = system, scheme, control, longest
        self.corners, self.events = np.array(corners, dtype=np.float64), list[SwitchEvent]()
        self.energy, self.count = SystemEnergy(), StepCount()

    def run(
        self,
        observer: MotionObserver,
        stops: StopTimes,
        begin: Callable[[], State],
        left: Arrays | None = None,
        *,
        compiled: bool = True,
    ) -> None:
        """Integrate to the last stop.

        Parameters
        ----------
        observer : MotionObserver
        stops : StopTimes
        begin : callable
            Makes the first state, where nothing is left of an earlier run.
        left : mapping of str to array, optional
            What an earlier run has saved; `energy` must have been taken up as well.
        compiled : bool
            Whether steps are taken in compiled code as far as there is such.

        Raises
        ------
        NonConvergence
            With the time, the residual and what to try.
        """
        system = self.system
        steps: Array | None = None
        self.count = StepCount()
        by_steps = not compiled or not is_compiled(system.model)
        if left is None:
            state = begin()
            self._record(observer, state)
        elif left[STEPWISE]:
            state, steps, self.count = stepwise_of(system, left)
            by_steps = True
        else:
            state = CompiledMotion.state_in(system, left)
        if not by_steps:
            fast = self._run_compiled(observer, state, stops, left)
            if not fast.failed:
                return
            # the step that failed is tried again where the reasons are known in words
            state = fast.state()
            steps = np.array([fast.length, 1.0, 0.0])

        memory = step_memory(system, state, self._control) if steps is None else steps
        search = EventSearch(system.within) if system.has_switches else None
        end = state.t

        def save() -> None:
            if observer.saves:
                observer.save(state.t, stepwise_memory(state, memory, self.count, system.modes_memory()))

        def on_step(new: State) -> None:
            nonlocal state
            state = new
            self._record(observer, state)
            if search is None or (search.left is None and state.t < end):
                save()  # where modes change, afterwards: nobody changes them once more when the motion is resumed

        try:
            for times, _ in stops.after(state.t):
                control = self._control_to(float(times[-1]), stops)
                if isinstance(control, AdaptiveStep):
                    memory[LENGTH] = min(memory[LENGTH], control.h_max)
                corners = self.corners[(self.corners > state.t) & (self.corners < times[-1])]
                for end in [*corners.tolist(), float(times[-1])] if search is not None else [float(times[-1])]:
                    while state.t < end:
                        integrate(
                            system,
                            state,
                            end,
                            scheme=self._scheme,
                            control=control,
                            on_step=on_step,
                            stop_times=times,
                            memory=memory,
                            count=self.count,
                            events=search,
                        )
                        if search is not None and (search.left is not None or state.t == end):
                            state = self._change(state, search.left)
                            save()
        except NonConvergence:
            observer.record_last(state)
            raise

    def _control_to(self, end: float, stops: StopTimes) -> FixedStep | AdaptiveStep:
        """Step control of the stretch of the stops that ends at this time [s]."""
        if self._longest is None or isinstance(self._control, FixedStep):
            return self._control
        return self._control.with_longest(self._longest(stops.begin_of(end), end))

    def _change(self, state: State, left: Mask | None) -> State:
        """Go over to other modes of the switches, if others hold."""
        state, event = self.system.change(state, left)
        if (event.before != event.after).any():
            self.events.append(event)
        self.energy.carry_on(self.system, state)
        return state

    def _record(self, observer: MotionObserver, state: State) -> None:
        self.energy.carry_on(self.system, state)
        observer.record(state)

    def _run_compiled(
        self, observer: MotionObserver, state: State, stops: StopTimes, left: Arrays | None
    ) -> CompiledMotion:
        """Integrate in compiled code as far as it goes, from what a run has left where there is such."""
        fast = CompiledMotion(self.system, state, scheme=self._scheme, control=self._control, energy=self.energy)
        if left is not None:
            fast.recall(left)
        with ThreadPoolExecutor(1) as recorder:  # what follows from one block while the next is computed
            recorded: Future[None] | None = None
            for samples in fast.run(stops.after(fast.time), lambda end: self._control_to(end, stops)):
                if recorded is not None:
                    recorded.result()
                recorded = recorder.submit(observer.record_samples, samples)
                if workers() == 1:
                    recorded.result()
                self.energy, self.count = fast.energy, fast.count
                observer.show(fast.time)
                if observer.saves:
                    recorded.result()
                    observer.save(fast.time, {STEPWISE: np.array(False), **fast.memory()})
            if recorded is not None:
                recorded.result()
        return fast
