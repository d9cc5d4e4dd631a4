"""Dynamic study: drives prescribe speeds, loads give torques, everything between vibrates.

It begins in equilibrium, moving on with its drives.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import moves_in_steps
from alegear.case.mesh_period import output_every, planet_meshes, shortest_period
from alegear.checks.speed_limits import parted_step_warnings, period_warnings, tolerance_warnings
from alegear.drivetrain.gear_mesh import MeshPlace, PreparedMesh
from alegear.drivetrain.machine import is_on
from alegear.errors import Fault
from alegear.progress import Progress
from alegear.recording.motion import MotionIntegration
from alegear.recording.ruling_vibration import RulingVibration
from alegear.studies.equilibria import MachineSolver
from alegear.studies.mesh_damping import damping_of_the_rest, pitch_mean_stiffness, vibrating
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.meshes import machine_of, modes_of, modes_on_fixed_axes, ready_meshes, vibrating_gears
from alegear.studies.motion_record import RecordedMotion
from alegear.studies.reference_pitch import turned_drives
from alegear.studies.tooth_window import windows_of
from alegear.system.mode_changes import changes_of
from alegear.system.motion import SystemMotion
from alegear.system.profiles import PiecewiseCubic
from alegear.system.start import consistent_start, with_transport_velocities
from alegear.system.time_integration.generalized_alpha import SCHEMES
from alegear.system.time_integration.step_control import AdaptiveStep, FixedStep
from alegear.system.time_integration.stop_times import StopTimes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.recording.checkpoint import Checkpoint
    from alegear.studies.preparation import PreparedPair


#: Pitches on both sides of the start between which the static curve tells the velocities there.
NEAR = 1e-3
#: Part of the torque under which what begins without load is pressed: flanks touch, and hardly push each other off.
START_LOAD = 1e-8
#: Of the time in which a rolling element falls into a defect, at least: for the adaptive step, and for a warning.
STEPS_PER_RAMP = 8
#: Of a pitch, at least, for the adaptive step: no contact event is stepped over.
STEPS_PER_PITCH = 64


class DynamicStudy(RecordedMotion):
    """One dynamic run.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.
    frame_times : sequence of float [s]
        Of fields.
    """

    def __init__(
        self, case: MachineCase, prepared: Mapping[str, PreparedPair], *, frame_times: Sequence[float] = ()
    ) -> None:
        assert isinstance(case.analysis, DynamicAnalysis)
        self.case, self.prepared, self.analysis = case, prepared, case.analysis
        self.layout, self.machine = case.layout, machine_of(case, prepared)
        self.windows = windows_of(case, prepared)
        self.speeds = {drive.name: self._speed(drive.name) for drive in case.drives}
        self.torques = {load.name: self._torque(load.name) for load in case.loads}
        self.angles = {name: angle + self._twist for name, angle in turned_drives(case, 0.0).items()}
        self.stiffness = {
            place.mesh.name: pitch_mean_stiffness(self._alone(place), self.windows[place.mesh.name])
            for place in self.layout.meshes
            if place.mesh.name in prepared
        }
        self.machine = replace(self.machine, stiffness=self.stiffness)
        ready = {
            name: replace(one, window=self.windows.get(name), stiffness=self.stiffness.get(name, one.stiffness))
            for name, one in ready_meshes(case, prepared).items()
        }
        self.frequencies = self._mesh_modes(ready)
        ratio = self.analysis.mesh_damping_ratio
        for name, frequency in self.frequencies.items():
            ready[name] = replace(ready[name], retardation=2.0 * ratio / frequency)
        if self.analysis.normal_modes:
            ready |= {name: self._vibrating(self.layout.place(name), ready[name]) for name in prepared}
        self._ready = ready
        meshes = [place.mesh for place in self.layout.meshes]
        parts = {mesh.name: mesh.law.in_motion(ready[mesh.name]) for mesh in meshes}
        built = self.machine.build(
            parts,
            speeds=self.speeds,
            torques=self.torques,
            start_angles={name: self.layout.drives[name].sense * angle for name, angle in self.angles.items()},
            modes=modes_of(ready),
        )
        #: Normal modes of both gears of each mesh whose wheels vibrate.
        self.modes = {name: (first.modes, second.modes) for name, (first, second) in modes_of(ready).items()}
        self._stops = StopTimes.of(self.analysis.duration, output_every(case), frame_times)
        super().__init__(
            case,
            prepared,
            built=built,
            system=SystemMotion(built.model),
            modes=self.modes,
            stops=self._stops,
            stiffness=self.stiffness,
            warnings=self._step_warnings(),
        )

    def _step_warnings(self) -> list[str]:
        """What a step or a tolerance that is given leaves out."""
        step, highest = self.analysis.time_step, max(self.frequencies.values(), default=0.0)
        found = period_warnings(step, highest) if highest else []
        if step is None and moves_in_steps(self.case.meshes, self.case.parts):
            found += tolerance_warnings(self.analysis.tolerance)
        longest = self._longest_rolling_step
        if step is not None and step > longest:
            found.append(
                f"time_step_s = {step:.3g}: rolling elements pass a defect, or their pitch, in "
                f"fewer than {STEPS_PER_RAMP} steps: use at most {longest:.2g} s, or give a tolerance instead"
            )
        return found

    @property
    def _twist(self) -> float:
        """By how much the drive is ahead at the start [rad]: of two gears the driver stands at the first phase."""
        preset = self.case.preset
        if preset is None:
            return 0.0
        (place,), (load,) = self.layout.meshes, self.torques.values()
        shaft = preset.shafts[place.driving]
        if shaft is None:
            return 0.0
        r_b = [abs(gear.r_b) for gear in place.pair.gears]
        return load.value(0.0) * r_b[place.driving] / r_b[1 - place.driving] / shaft.stiffness

    def _alone(self, place: MeshPlace) -> MeshSolver:
        return MeshSolver.of(self.case.pair_case(place), self.prepared[place.mesh.name].contact)

    def _vibrating(self, place: MeshPlace, ready: PreparedMesh) -> PreparedMesh:
        """A mesh whose wheels have normal modes; its retardation dissipates as much without what these do."""
        assert ready.window is not None
        contact, modes = vibrating(self.prepared[place.mesh.name], self.analysis.normal_modes)
        assert contact.modes is not None
        amplitudes = [one.amplitudes for one in contact.modes]
        gears = vibrating_gears(place, ready.stiffness, modes, amplitudes, self.analysis.modal_damping_ratio)
        rest = damping_of_the_rest(contact, self._alone(place), ready.window)
        return replace(ready, contact=contact, modes=gears, retardation=rest * ready.retardation)

    # ------------------------------------------------------- drives and loads
    def _speed(self, drive: str) -> PiecewiseCubic:
        """Speed of a drive about the direction of its shaft."""
        one, ramp = self.layout.drives[drive], self.analysis.ramp
        if one.speed_table is not None:
            times, values = zip(*one.speed_table, strict=True)
            return PiecewiseCubic.table(times, values, straight=self.analysis.straight)
        assert one.speed is not None
        return PiecewiseCubic.step(0.0 if ramp > 0.0 else one.speed, one.speed, 0.0, ramp)

    def _torque(self, load: str) -> PiecewiseCubic:
        """Torque of a load against the rotation; one that reacts has the mean that balances the drive's."""
        one, ramp = self.layout.loads[load], self.analysis.ramp
        if one.torque_table is not None:
            times, values = zip(*one.torque_table, strict=True)
            return PiecewiseCubic.table(times, values)
        full = 0.0 if self.case.idles else self.layout.torque[load]
        return PiecewiseCubic.step(0.0 if ramp > 0.0 else full, full, 0.0, ramp)

    def _mesh_modes(self, ready: Mapping[str, PreparedMesh]) -> dict[str, float]:
        """Natural frequency [rad/s] of the mode with most of its energy in each mesh that is a spring then.

        Of gears whose axes are held, whatever bears them: a damping ratio of a mesh is that of its teeth, c = 2 zeta
        sqrt(k m) with the inertia that only turns.
        """
        meshes = [place.mesh for place in self.layout.meshes]
        springs = {mesh.name: mesh.law.on_springs(ready[mesh.name]) for mesh in meshes}
        still = {name: PiecewiseCubic.constant(0.0) for name in self.speeds}
        machine = self.machine.on_springs
        system = machine.build(springs, speeds=still, locked=True, bearings=machine.linear_bearings)
        elastic = [part.name for part in system.model.parts if part.name in springs]
        if not elastic:
            return {}
        modes = modes_on_fixed_axes(system.model)
        parts, shares = modes.energy_shares()
        return {name: float(modes.frequencies[int(np.argmax(shares[parts.index(name)]))]) for name in elastic}

    # -------------------------------------------------------------------- run
    def run(
        self,
        progress: Progress,
        checkpoint: Checkpoint | None = None,
        *,
        compiled: bool = True,
    ) -> None:
        """Integrate; record every output time.

        Parameters
        ----------
        progress : Progress
        checkpoint : Checkpoint, optional
            Kept up to date on the way; a run that is resumed goes on from it. Without it samples stay in memory.
        compiled : bool
            Whether steps are taken in compiled code as far as there is such; in Python they come to the same, to
            round-off and the tolerance of Newton's iteration.

        Raises
        ------
        NonConvergence
            With the time, the residual and what to try.
        StorageFailure
            There is no room for the samples.
        """
        a = self.analysis
        given = [t for profile in (*self.speeds.values(), *self.torques.values()) for t in profile.kinks]
        corners = sorted({*given, *(changes_of(self.built.model) if self.built.model.switches else ())})
        others = sorted([*corners, *self._tooth_changes()])
        stops = self._stops.with_others(others) if others else self._stops
        control: FixedStep | AdaptiveStep
        if a.time_step is not None:
            control = FixedStep(h=a.time_step)
        else:
            control = AdaptiveStep(tolerance=a.tolerance, h_max=min(self._longest_step, a.duration))
        longest = self._longest_between if a.sweeps else None
        motion = MotionIntegration(self.system, SCHEMES[a.method](rho_inf=a.rho_inf), control, corners, longest)
        if isinstance(control, AdaptiveStep):
            self.ruling = self._ruling(control.h_max)
        left = self.begin(motion, progress, checkpoint)
        motion.run(self, stops, lambda: self.system.begin(0.0, *self._start), left, compiled=compiled)
        self.warnings += parted_step_warnings(a.time_step, motion.count.rejected_by_newton)

    def _tooth_changes(self) -> list[float]:
        """Times at which windows take the next teeth, of meshes whose driver turns as its drive prescribes [s]."""
        prescribed, times = self.built.model.prescribed_indices, list[float]()
        for name, mesh in self.built.contacts.items():
            turning = mesh.coordinates[mesh.rows[mesh.driving] != 0.0]
            if mesh.nominal is None or not np.isin(turning, prescribed).all():
                continue
            drive, pitch = mesh.nominal.drive, float(mesh.contact.pitch_angle[mesh.driving])
            angle, ratio = float(mesh.angle[mesh.driving]), float(mesh.nominal.ratio[mesh.driving])
            phase, last = ((angle + ratio * drive.angle(t)) / pitch for t in (0.0, self.analysis.duration))
            while (phase := self.windows[name].next_change(phase)) < last:
                times.append(drive.time_at((phase * pitch - angle) / ratio))
        return times

    def _ruling(self, longest: float) -> RulingVibration:
        """What finds out why steps are much shorter than the longest ones [s]."""
        model = self.built.model
        scale = np.full(model.n, np.nan)
        scale[model.free] = model.displacement_scale[model.free]
        remedies = [text for part in self.of_machine.planets.sets for text in part.undamped]
        names = [one.in_words for one in model.coordinates]
        return RulingVibration(names, scale, longest, self.analysis.duration, remedies)

    @cached_property
    def _longest_step(self) -> float:
        """Longest step [s] with the largest speeds of the drives."""
        return min(shortest_period(self.case) / STEPS_PER_PITCH, self._longest_rolling_step)

    @property
    def _longest_rolling_step(self) -> float:
        """Longest step [s] that resolves the defects of bearings, and their rolling elements."""
        steps = [one.longest_step(*self.layout.speeds_of(one), STEPS_PER_RAMP) for one in self.case.bearings]
        return min(steps, default=math.inf)

    def _longest_between(self, begin: float, end: float) -> float:
        """Longest step [s] between two times of a sweep, whose one drive begins slowly."""
        (speed,) = self.speeds.values()
        slower = abs(speed.largest_between(begin, end) / speed.largest)
        return min(self._longest_step / slower, self.analysis.duration)

    # ------------------------------------------------------------------ start
    @cached_property
    def _start(self) -> tuple[Array, Array]:
        """Coordinates in equilibrium, and the velocities at which it moves on with the drives, (n,) each.

        Without a drive nothing says where an equilibrium is: the initial values of its parts.
        """
        if not self.layout.drives:
            return consistent_start(self.built.model)
        speeds = {name: profile.value(0.0) for name, profile in self.speeds.items()}
        solver = self._solver_of_start()
        here = solver.solve(self.angles)
        v = np.sum([self.built.nominal(d, abs(speed)) for d, speed in speeds.items()], axis=0)
        reference = self.layout.drives[next(iter(self.angles))]
        # between several planets what gives way swings within a pitch, which heavy carriers do not follow
        if speeds[reference.name] and self._is_loaded and not planet_meshes(self.case):
            turn = NEAR * shortest_period(self.case) * abs(reference.largest_speed or 0.0)
            moved = [
                solver.solve(self._turned(side * turn), here).x - solver.nominal(self._turned(side * turn))
                for side in (1.0, -1.0)
            ]
            v = v + (moved[0] - moved[1]) * (abs(speeds[reference.name]) / (2.0 * turn))
        v = with_transport_velocities(self.built.model, here.x, v)
        for shaft in self.layout.apart_at_start:
            v[self._moved_by(shaft)] = 0.0
        return here.x, v

    @cached_property
    def _loads(self) -> dict[str, float]:
        """Torques of loads at the start [N m], against the rotation."""
        return {name: profile.value(0.0) for name, profile in self.torques.items()}

    @cached_property
    def _outer(self) -> dict[str, float]:
        """Torques from outside at the start [N m], about the axis of each place."""
        speeds = {name: abs(profile.value(0.0)) for name, profile in self.speeds.items()}
        return self.layout.outer_at(0.0, speeds, self.angles)

    @property
    def _is_loaded(self) -> bool:
        return any(self._loads.values()) or any(self._outer.values())

    def _solver_of_start(self) -> MachineSolver:
        """Equilibria under the torques of the start; what begins without load is pressed, so that its flanks touch.

        Raises
        ------
        Fault
            Where teeth begin on other flanks than those that carry afterwards.
        """
        layout, loads, pressing = self.layout, self._loads, {}
        if self._idle:
            loads = {name: torque or START_LOAD * layout.torque[name] for name, torque in loads.items()}
            nothing = [place for place, torque in self._outer.items() if not torque]
            pressing = {place: START_LOAD * layout.outer[place] for place in nothing}
        self._check_flanks(loads)
        return self._solver(loads, outer=self._outer, pressing=pressing)

    def equilibria(self) -> MachineSolver:
        """Equilibria of the system of the motion, at the speeds and torques that it begins with."""
        return self._solver(self._loads)

    def _solver(self, loads: Mapping[str, float], **further: Mapping[str, float]) -> MachineSolver:
        return MachineSolver(
            self.case, self.prepared, self.windows, loads, speeds=self.speeds, ready=self._ready, **further
        )

    def _powers(self, loads: Mapping[str, float]) -> dict[str, float]:
        return self.layout.powers(self.layout.balanced(loads, self._outer), self._outer)

    @property
    def _idle(self) -> bool:
        """Whether nothing loads the machine, or no load presses teeth together that carry later on."""
        powers = self._powers(self._loads)
        toothed = [place.mesh.name for place in self.layout.meshes if place.power and place.mesh.law.knows_teeth]
        return not self._is_loaded or any(not powers[name] for name in toothed)

    def _check_flanks(self, loads: Mapping[str, float]) -> None:
        powers = self._powers(loads)
        for place in self.layout.meshes:
            power = powers[place.mesh.name]
            if place.mesh.law.has_flanks and power * place.power < 0.0:
                torque = float(f"{-abs(power / place.ratios[0]):.4g}")
                what = f"torque [N m] of mesh {place.mesh.name} at the start, of {place.torque:.4g} later on"
                limit = "0 or of the same sign: its teeth would begin on the other flanks"
                remedy = "let what turns it the other way begin at 0, or leave out ramp_s, over which loads rise"
                raise Fault(what, torque, limit, remedy)

    def _moved_by(self, shaft: str) -> Array:
        """All coordinates of a shaft or a body."""
        places = self.built.model.places.items()
        return np.unique(np.concatenate([p.coordinates for name, p in places if is_on(name, shaft)]))

    def _turned(self, angle: float) -> dict[str, float]:
        """Rotations of all drives: those of the start and a turn of the first one, of others as their speeds are."""
        drives = self.layout.drives
        first = abs(drives[next(iter(self.angles))].largest_speed or 1.0)
        return {
            name: start + angle * abs(drives[name].largest_speed or 1.0) / first for name, start in self.angles.items()
        }
