"""A machine with bodies in space: its motion by generalized-alpha, or a sequence of positions that rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.spatial_motion import Kinematics, SpatialMotion
from alegear.dynamics.generalized_alpha import GeneralizedAlpha
from alegear.dynamics.step_control import AdaptiveStep, FixedStep, StepCount, integrate
from alegear.dynamics.stop_times import OUTPUT, StopTimes
from alegear.dynamics.system import State
from alegear.errors import Fault
from alegear.progress import Progress
from alegear.recording.spatial import SpatialRecord
from alegear.results.mechanism import mechanism_shape, write_mechanism
from alegear.results.spatial_result import SpatialHistory, spatial_dataset, spatial_summary
from alegear.study.machine.rigid_run import RigidRun
from alegear.system.coordinates import Array
from alegear.system.energy import SystemEnergy
from alegear.system.equilibrium import Equilibrium, solve_equilibrium
from alegear.system.joint_start import start_with_joints
from alegear.system.model import accept
from alegear.system.motion import Motion, SystemMotion

if TYPE_CHECKING:
    import xarray as xr

    from alegear.case.machine import MachineCase


class SpatialStudy(ABC):
    """One study of a machine in space.

    Attributes
    ----------
    record : SpatialRecord
    times : list of float [s]
    samples : list of dict
        What :meth:`SpatialRecord.sample` gave, and of motions the energies.
    counts : dict
        What it cost.
    """

    moves: bool

    def __init__(self, case: MachineCase) -> None:
        self.case = case
        self.model = case.machine.build({}, moves=self.moves).model
        self.data = self.model.new_data()
        self.record = SpatialRecord(self.model)
        self.times: list[float] = []
        self.samples: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}

    def rest(self, t: float, x: Array | None = None) -> Equilibrium:
        """Where all rests at t, from x on; bushings go on from how far they are turned there.

        Raises
        ------
        Fault
            Where the least push would make it move away, as a pendulum upside down.
        NonConvergence
        """
        found = solve_equilibrium(self.model, self.data, t=t, x=x)
        if found.unstable is not None:
            what, value = f"rest at t = {t:.6g} s", f"unstable: the least push moves the {found.unstable} away"
            raise Fault(what, value, "where it comes back by itself", "start the bodies elsewhere, or hold them")
        accept(self.model, self.data, t, found.x, np.zeros(self.model.n), found.forces)
        return found

    @abstractmethod
    def run(self, progress: Progress) -> None:
        """Compute; what was recorded before a failure stays.

        Raises
        ------
        Fault, NonConvergence
        """

    def __len__(self) -> int:
        """Return the number of samples taken."""
        return len(self.samples)

    def history(self) -> SpatialHistory:
        """What was recorded, as results tell it."""
        values = {name: np.array([one[name] for one in self.samples]) for name in self.samples[0]}
        return SpatialHistory(
            time=np.array(self.times), moves=self.moves, names=self.record.names, values=values, counts=self.counts
        )


class SpatialMotionStudy(SpatialStudy):
    """A motion in time."""

    moves = True

    def run(self, progress: Progress) -> None:
        """Integrate; record every output time."""
        analysis = self.case.analysis
        assert isinstance(analysis, SpatialMotion)  # as STUDIES says
        rests = self.rest(0.0).x if analysis.begin == "under load" else None  # None: as the bodies stand
        system = SystemMotion(self.model, self.data)
        energy = SystemEnergy()
        state = system.begin(0.0, *start_with_joints(self.model, rests))
        energy.carry_on(system, state)
        stops = StopTimes.of(analysis.duration, analysis.spacing).with_others(self._corners(analysis.duration))
        self._sample(system, state, energy)

        def on_step(new: State) -> None:
            energy.carry_on(system, new)
            if stops.is_output(new.t):
                self._sample(system, new, energy)
                progress.advance(round(1000.0 * new.t / analysis.duration), 1000)

        control: FixedStep | AdaptiveStep = AdaptiveStep(tolerance=analysis.tolerance, h_max=analysis.longest)
        if analysis.time_step is not None:
            control = FixedStep(h=analysis.time_step)
        count = StepCount()
        for at, flags in stops.after(0.0):
            end = float(at[flags & OUTPUT != 0][-1])
            state, count = integrate(
                system,
                state,
                end,
                scheme=GeneralizedAlpha(rho_inf=analysis.rho_inf),
                control=control,
                on_step=on_step,
                stop_times=at.tolist(),
                count=count,
            )
        self.counts = {"steps": count.accepted, "newton_iterations": count.newton_iterations}

    def _corners(self, duration: float) -> list[float]:
        """Times at which what is given has corners [s]."""
        found = {t for part in self.case.parts for t in getattr(part, "corners", ())}
        return [t for t in found if 0.0 < t < duration]

    def _sample(self, system: SystemMotion, state: State, energy: SystemEnergy) -> None:
        self.times.append(state.t)
        told = {
            "energy_input": energy.input,
            "energy_kinetic": energy.kinetic,
            "energy_stored": energy.stored,
            "energy_dissipated": energy.dissipated,
            "energy_missing": energy.missing,
        }
        self.samples.append(self.record.sample(system.motion(state)) | told)


class KinematicStudy(SpatialStudy):
    """Positions in which all forces balance, each from the one before."""

    moves = False

    def run(self, progress: Progress) -> None:
        """Solve one position after the other."""
        analysis = self.case.analysis
        assert isinstance(analysis, Kinematics)  # as STUDIES says
        model, x, iterations = self.model, None, 0
        still = np.zeros(model.n)
        for number, t in enumerate(np.linspace(0.0, analysis.duration, analysis.positions).tolist()):
            found = self.rest(t, x)
            x = found.x
            iterations += found.iterations
            motion = Motion(
                t=t,
                x=found.x,
                v=still,
                a=still,
                forces=found.forces,
                multipliers=found.multipliers,
                joint_multipliers=found.joint_multipliers,
            )
            self.times.append(t)
            self.samples.append(self.record.sample(motion))
            progress.advance(number + 1, analysis.positions)
        self.counts = {"positions": analysis.positions, "newton_iterations": iterations}


STUDIES: dict[type, type[SpatialStudy]] = {SpatialMotion: SpatialMotionStudy, Kinematics: KinematicStudy}


class SpatialRun(RigidRun[SpatialStudy]):
    """A motion or positions of bodies in space, with their shapes."""

    def _begun(self) -> SpatialStudy:
        return STUDIES[type(self.case.analysis)](self.case)

    def _told(self, study: SpatialStudy, facts: dict[str, Any]) -> tuple[xr.Dataset, dict[str, Any]]:
        history = study.history()
        identity = {"title": self.case.title, "case_sha256": self.sha256, "complete": facts["complete"]}
        return spatial_dataset(history, **identity), spatial_summary(history, facts)

    def _write_beside(self, directory: Path, dataset: xr.Dataset) -> None:
        write_mechanism(directory, mechanism_shape(self.case.parts))
