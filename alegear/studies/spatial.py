"""A machine with bodies in space: its motion by generalized-alpha, or a sequence of positions that rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from alegear.case.motion_in_time import Kinematics, SpatialMotion
from alegear.errors import OutOfRange
from alegear.progress import Progress, advance_in_time
from alegear.recording.motion import MotionIntegration
from alegear.recording.motion_memory import of_prefix, prefixed
from alegear.recording.spatial import SpatialRecord
from alegear.results.body_summaries import body_summary
from alegear.results.dataset import ResultArrays
from alegear.results.mechanism import mechanism_shape
from alegear.results.result import Result
from alegear.results.variables import AXES, SPATIAL, SPATIAL_MOTION
from alegear.storage.recorded_samples import Kind, RecordedSamples
from alegear.storage.store import MECHANISM, write_table
from alegear.studies.case_run import CaseRun
from alegear.system.coordinates import Array
from alegear.system.energy import SystemEnergy
from alegear.system.equilibrium import Equilibrium, solve_equilibrium
from alegear.system.equilibrium_path import EquilibriumPath
from alegear.system.instants import SystemState
from alegear.system.model import accept
from alegear.system.motion import SystemMotion
from alegear.system.start import start_with_joints
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha
from alegear.system.time_integration.second_order_system import State
from alegear.system.time_integration.step_control import AdaptiveStep, FixedStep
from alegear.system.time_integration.stop_times import StopTimes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.contact.forces import Arrays
    from alegear.drivetrain.compiled_motion import MotionSamples
    from alegear.recording.checkpoint import Checkpoint


class SpatialStudy(ABC):
    """One study of a machine in space.

    Attributes
    ----------
    record_of : SpatialRecord
    counts : dict
        What it cost.
    """

    moves: bool

    def __init__(self, case: MachineCase) -> None:
        self.case = case
        self.model = case.machine.build({}, moves=self.moves).model
        self.data = self.model.new_data()
        self.record_of = SpatialRecord(self.model)
        self.counts: dict[str, int] = {}

    def rest(self, t: float) -> Equilibrium:
        """Where all rests at t, from where the bodies stand.

        Raises
        ------
        OutOfRange
            Where the least push would make it move away, as a pendulum upside down.
        NonConvergence
        """
        return self.kept(t, solve_equilibrium(self.model, self.data, t=t))

    def kept(self, t: float, found: Equilibrium) -> Equilibrium:
        """Take a rest at t as it is: bushings go on from how far they are turned there.

        Raises
        ------
        OutOfRange
            As of :meth:`rest`.
        """
        if found.unstable is not None:
            what, value = f"rest at t = {t:.6g} s", f"unstable: the least push moves the {found.unstable} away"
            raise OutOfRange(what, value, "where it comes back by itself", "start the bodies elsewhere, or hold them")
        accept(self.model, self.data, t, found.x, np.zeros(self.model.n), found.forces)
        return found

    @abstractmethod
    def run(self, progress: Progress, checkpoint: Checkpoint | None = None) -> None:
        """Compute; what was recorded before a failure stays.

        Raises
        ------
        Fault, NonConvergence, StorageFailure
        """

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples taken."""

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for: nothing that the case does not say."""
        return []

    @abstractmethod
    def recorded(self) -> dict[str, Array]:
        """Samples of all variables by name, and their "time"."""

    def history(self) -> ResultArrays:
        """What was recorded: variables of :data:`SPATIAL`, of a motion also of :data:`SPATIAL_MOTION`."""
        values = self.recorded()
        sample_dim = "time" if self.moves else "position_number"
        of_time = "time" if self.moves else "time that motions are given over"
        time = (sample_dim, values.pop("time"), {"units": "s", "long_name": of_time})
        variables = SPATIAL | SPATIAL_MOTION if self.moves else SPATIAL
        return ResultArrays(
            analysis="dynamic" if self.moves else "kinematic",
            variables=variables,
            sample_dim=sample_dim,
            values={name: values[name] for name in variables},
            labels={**self.record_of.names, "axis": AXES, "side": ("first", "second")},
            words={"body": "body", "axis": "axis of space, or of the body", "side": "first or second toothed body"},
            coordinates={"time": time},
            attributes={"machine": 1, "spatial": 1},
            facts={"counts": self.counts},
        )


class SpatialMotionStudy(SpatialStudy):
    """A motion in time; a run that is killed goes on from its checkpoint."""

    moves = True

    def __init__(self, case: MachineCase) -> None:
        super().__init__(case)
        assert isinstance(case.analysis, SpatialMotion)  # as STUDIES says
        self.analysis = case.analysis
        duration = self.analysis.duration
        self.stops = StopTimes.of(duration, self.analysis.spacing).with_others(self._corners(duration))
        self._samples: RecordedSamples | None = None

    def run(self, progress: Progress, checkpoint: Checkpoint | None = None) -> None:
        """Integrate; record every output time."""
        analysis = self.analysis
        self._progress, self._checkpoint = progress, checkpoint
        self._files = None if checkpoint is None else checkpoint.chunks()
        control: FixedStep | AdaptiveStep = AdaptiveStep(tolerance=analysis.tolerance, h_max=analysis.longest)
        if analysis.time_step is not None:
            control = FixedStep(h=analysis.time_step)
        self._system = SystemMotion(self.model, self.data)
        self._motion = MotionIntegration(self._system, GeneralizedAlpha(rho_inf=analysis.rho_inf), control)
        left = None if checkpoint is None or checkpoint.left is None else self._take_up(checkpoint.left.memory)
        self._motion.run(self, self.stops, self._begin, left, compiled=False)
        count = self._motion.count
        self.counts = {"steps": count.accepted, "newton_iterations": count.newton_iterations}

    def _begin(self) -> State:
        rests = self.rest(0.0).x if self.analysis.begin == "under load" else None  # None: as the bodies stand
        return self._system.begin(0.0, *start_with_joints(self.model, rests))

    def _corners(self, duration: float) -> list[float]:
        """Times at which what is given has corners [s]."""
        found = {t for part in self.case.parts for t in part.corners}
        return [t for t in found if 0.0 < t < duration]

    # ----------------------------------------------------------- of the motion
    def record(self, state: State) -> None:
        """Take an accepted state, if it is one of the output."""
        if state.t and not self.stops.is_output(state.t):
            return
        energy = self._motion.energy
        sample = self.record_of.sample(self._system.motion(self._system.by_equations(state))) | {
            "time": np.array(state.t),
            "energy_input": np.array(energy.input),
            "energy_kinetic": np.array(energy.kinetic),
            "energy_stored": np.array(energy.stored),
            "energy_dissipated": np.array(energy.dissipated),
            "energy_missing": np.array(energy.missing),
        }
        self._samples_like(sample).append({name: value[None] for name, value in sample.items()})
        self.show(state.t)

    def record_last(self, state: State) -> None:
        """Nothing: what was recorded before a failure stays."""

    def record_samples(self, samples: MotionSamples) -> None:
        """Nothing: no steps are compiled."""

    def show(self, t: float) -> None:
        """Tell how far the motion has come."""
        advance_in_time(self._progress, t, self.analysis.duration)

    def _samples_like(self, sample: Mapping[str, Array]) -> RecordedSamples:
        if self._samples is None:
            layout = {name: Kind(one.shape, one.dtype.type) for name, one in sample.items()}
            self._samples = RecordedSamples(layout, self._files)
        return self._samples

    # ------------------------------------------------------------- checkpoints
    @property
    def saves(self) -> bool:
        """Whether a checkpoint is due."""
        return self._checkpoint is not None and self._checkpoint.is_due

    def save(self, t: float, integration: Arrays) -> None:
        """Save a checkpoint with what the integration goes on from, and what is recorded."""
        assert self._checkpoint is not None
        assert self._samples is not None
        memory = {
            **prefixed("integration", integration),
            **prefixed("system", self.data.memory(self.model)),
            **prefixed("energy", self._motion.energy.to_arrays()),
            **prefixed("samples", self._samples.memory()),
        }
        self._checkpoint.save(t, memory, [])

    def _take_up(self, memory: Arrays) -> Arrays:
        """Take up what a run has left; returns the memory of its integration."""
        tail = of_prefix("samples", memory)
        layout = {name: Kind(one.shape[1:], one.dtype.type) for name, one in tail.items()}
        self._samples = RecordedSamples(layout, self._files)
        self._samples.recall(tail)
        self.data.recall(self.model, of_prefix("system", memory))
        self._motion.energy = SystemEnergy.from_arrays(of_prefix("energy", memory))
        return of_prefix("integration", memory)

    # ----------------------------------------------------------------- results
    def __len__(self) -> int:
        return 0 if self._samples is None else len(self._samples)

    def recorded(self) -> dict[str, Array]:
        assert self._samples is not None
        return {name: self._samples.read(name) for name in self._samples.layout}


class KinematicStudy(SpatialStudy):
    """Positions in which all forces balance, each from the one before."""

    moves = False

    def __init__(self, case: MachineCase) -> None:
        super().__init__(case)
        self._samples: list[dict[str, Array]] = []
        self._path = EquilibriumPath(self.model, self.data, self.kept)

    def run(self, progress: Progress, checkpoint: Checkpoint | None = None) -> None:
        """Solve one position after the other."""
        analysis = self.case.analysis
        assert isinstance(analysis, Kinematics)  # as STUDIES says
        still = np.zeros(self.model.n)
        for number, t in enumerate(np.linspace(0.0, analysis.duration, analysis.positions).tolist()):
            found = self._path.to(t)
            motion = SystemState(
                t=t,
                x=found.x,
                v=still,
                a=still,
                forces=found.forces,
                multipliers=found.multipliers,
                joint_multipliers=found.joint_multipliers,
            )
            self._samples.append(self.record_of.sample(motion) | {"time": np.array(t)})
            progress.advance(number + 1, analysis.positions)
        self.counts = {"positions": analysis.positions, "newton_iterations": self._path.iterations}

    def __len__(self) -> int:
        return len(self._samples)

    def recorded(self) -> dict[str, Array]:
        return {name: np.array([one[name] for one in self._samples]) for name in self._samples[0]}


STUDIES: dict[type, type[SpatialStudy]] = {SpatialMotion: SpatialMotionStudy, Kinematics: KinematicStudy}


class SpatialRun(CaseRun[SpatialStudy]):
    """A motion or positions of bodies in space, with their shapes."""

    def _solve(self) -> None:
        self._study = STUDIES[type(self.case.analysis)](self.case)
        self.study.run(self.progress, self.checkpoint)

    def _warnings(self) -> list[str]:
        return []

    def _store(self, *, complete: bool) -> Result:
        history = self.study.history()
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)
            write_table(self.directory, MECHANISM, mechanism_shape(self.case.parts), indent=1)
        return self._keep(
            self.directory,
            body_summary(history, {"samples": len(self.study), **self._facts(complete)}),
            lambda: history.contents(self._identity(complete)),
            complete=complete,
        )
