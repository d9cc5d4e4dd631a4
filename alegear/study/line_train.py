"""A gear train in line contact, integrated in compiled code block by block."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import Arrays, SliceLoads
from alegear.contact.hertz.compliance import most_points
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model import buffers, empty_answer, empty_memory, empty_record, warm_start
from alegear.contact.hertz.model_kernels import Record
from alegear.contact.hertz.solution import LoadedPoints
from alegear.dynamics import step_kernels as steps
from alegear.dynamics.generalized_alpha import GeneralizedAlpha
from alegear.dynamics.joints import CubicStep
from alegear.dynamics.step_constants import constants_of, limits_of
from alegear.dynamics.step_control import AdaptiveStep, FixedStep, StepCount, first_length
from alegear.dynamics.system import State
from alegear.study import train_kernels as kernels
from alegear.study.dynamic_memory import STEPWISE, state_of

if TYPE_CHECKING:
    from alegear.study.gear_train import GearTrain

Array = NDArray[np.float64]

SAMPLES = 64  # of a block; the stress of so many is computed together


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainSamples:
    """Samples of a motion, one row each.

    Attributes
    ----------
    values : shape (n, N_SAMPLE)
        Columns as named in :mod:`alegear.study.train_kernels`.
    pair_torque : shape (n, n_pairs, 2) [N m]
    loaded : LoadedPoints
    """

    values: Array
    pair_torque: Array
    loaded: LoadedPoints

    def __len__(self) -> int:
        return len(self.values)

    @property
    def first_pair(self) -> NDArray[np.int64]:
        """Tooth pair in slot 0, shape (n,)."""
        return self.loaded.first_pair

    def slices(self) -> SliceLoads:
        """Contact by tooth pair and slice, arrays (n, n_pairs, n_slices)."""
        return self.loaded.slices()


class LineTrain:
    """Motion of a :class:`GearTrain` whose contact is a :class:`LineContact`, from a state that it was started with.

    Parameters
    ----------
    system : GearTrain
    state : State
        From :func:`alegear.dynamics.system.start`.
    scheme : GeneralizedAlpha
    control : FixedStep or AdaptiveStep
    account : shape (N_ACCOUNT,)
        Energies so far, and angles and torques of the state.
    """

    def __init__(
        self,
        system: GearTrain,
        state: State,
        *,
        scheme: GeneralizedAlpha,
        control: FixedStep | AdaptiveStep,
        account: Array,
    ) -> None:
        contact = system.contact
        assert isinstance(contact, LineContact)
        self._contact, self._system = contact, system
        model = contact.model
        conservative = model if contact.lossless is None else contact.lossless.model
        self._memory, self._points = empty_memory(model), buffers(model)
        self._parts = (
            _train(system), model, conservative,
            self._memory, self._points, empty_answer(model.n_pairs), empty_answer(model.n_pairs),
            constants_of(scheme), limits_of(control, float(system.displacement_scale[0])),
        )  # fmt: skip
        length = control.h if isinstance(control, FixedStep) else first_length(system, state, control)
        self._motion = kernels.Motion(
            state=np.array([state.t, state.q[0], state.v[0], state.vdot[0], state.a[0], state.h, 0.0, 0.0]),
            control=np.array([length, 1.0, 0.0]),
            newton=np.zeros(steps.N_NEWTON),
            account=account.copy(),
            counts=np.array([0.0, 0.0, 0.0, 0.0, math.inf, 0.0]),
            stop=np.zeros(1, dtype=np.int64),
            **{name: np.zeros(2) for name in ("angle", "speed", "local", "ahead", "rest")},
            wanted=np.zeros(4, dtype=np.int64),
        )
        self._block = kernels.Block(
            count=np.zeros(1, dtype=np.int64),
            values=np.empty((SAMPLES, kernels.N_SAMPLE)),
            pair_torque=np.empty((SAMPLES, model.n_pairs, 2)),
            record=empty_record(model, SAMPLES * most_points(model.n_sides, model.n_pairs, model.n_slices)),
        )
        self.failed = False

    def run(self, stops: Iterable[tuple[Array, NDArray[np.int64]]]) -> Iterator[TrainSamples]:
        """Integrate; yields the samples of each block, which may be none.

        It ends at the last stop, or where a step fails: then ``failed`` is set, and :attr:`state` is the one before.

        Parameters
        ----------
        stops : iterable of (times, flags), shape (n,) each
            Rising times to be met to the last digit [s], stretch by stretch, with what is to be done there: 0 nothing,
            else a sample that comes back with this number as its flag.
        """
        block = self._block
        for times, flags in stops:
            self._motion.stop[0], end = 0, kernels.PAUSE
            while end == kernels.PAUSE:
                block.count[0] = block.record.count[0] = 0
                end = kernels.advance(*self._parts, times, flags, self._motion, block)
                yield self._samples()
            if end == kernels.STEP_FAILED:
                self.failed = True
                return

    @property
    def time(self) -> float:
        """How far the motion has come [s]."""
        return float(self._motion.state[steps.T])

    @property
    def account(self) -> Array:
        """Energies so far, shape (N_ACCOUNT,)."""
        return self._motion.account

    @property
    def count(self) -> StepCount:
        """What the steps cost."""
        counts = self._motion.counts
        return StepCount(
            accepted=int(counts[kernels.ACCEPTED]),
            rejected_by_newton=int(counts[kernels.BY_NEWTON]),
            rejected_by_error=int(counts[kernels.BY_ERROR]),
            newton_iterations=int(counts[kernels.NEWTON_ITERATIONS]),
            h_shortest=float(counts[kernels.SHORTEST]),
            h_longest=float(counts[kernels.LONGEST]),
        )

    @property
    def length(self) -> float:
        """Length of the next step [s]."""
        return float(self._motion.control[steps.LENGTH])

    def state(self) -> State:
        """The motion as it is now, with its force."""
        t, q, v, vdot, a, h = self._motion.state[:6]
        q, v = np.array([q]), np.array([v])
        self._system.begin_step(t, q, v, h)
        force = self._system.force(t, q, v)
        return State(t=float(t), q=q, v=v, vdot=np.array([vdot]), a=np.array([a]), h=float(h), force=force)

    def memory(self) -> Arrays:
        """All that later steps depend on, by name; views, to be copied or written to."""
        return {STEPWISE: np.array(False), **self._buffers()}

    @staticmethod
    def state_in(system: GearTrain, memory: Mapping[str, NDArray[Any]]) -> State:
        """State that a memory holds."""
        return state_of(system, *memory["motion_state"][: steps.H + 1])

    def _buffers(self) -> Arrays:
        motion = {f"motion_{name}": values for name, values in self._motion._asdict().items()}
        return motion | {f"warm_{name}": values for name, values in warm_start(self._memory, self._points).items()}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a memory of the same train and control."""
        for name, values in self._buffers().items():
            values[...] = memory[name]

    def _samples(self) -> TrainSamples:
        """Copy what is in the block."""
        n, m = int(self._block.count[0]), int(self._block.record.count[0])
        values = self._block.values[:n].copy()
        loaded = LoadedPoints(
            contact=self._contact,
            model=self._contact.model,
            record=Record._make(column[:m].copy() for column in self._block.record),
            phi=np.ascontiguousarray(values[:, kernels.LOCAL : kernels.LOCAL + 2]),
            first_pair=values[:, kernels.FIRST_PAIR].astype(np.int64),
        )
        return TrainSamples(values=values, pair_torque=self._block.pair_torque[:n].copy(), loaded=loaded)


def _ramp(step: CubicStep) -> kernels.Ramp:
    return kernels.Ramp(y0=step.y0, y1=step.y1, t0=step.t0, t1=step.t1)


def _train(system: GearTrain) -> kernels.Train:
    speed, load = system.drive.speed_ramp, system.load
    assert isinstance(speed, CubicStep)
    assert isinstance(load, CubicStep)
    contact, window = system.contact, system.window
    assert window.threshold is not None
    below = math.floor(-window.threshold) - window.first_pair(0.0)
    return kernels.Train(
        lead=system.lead,
        r_b=system.r_b.copy(),
        pitch=np.array(contact.pitch_angle),
        inertia=np.array([body.inertia for body in system.bodies]),
        speed=_ramp(speed),
        start_angle=system.drive.start_angle,
        load=_ramp(load),
        retardation=system.retardation,
        threshold=window.threshold,
        below=below,
        force_scale=float(system.force_scale[0]),
        largest_error=system.largest_error,
    )
