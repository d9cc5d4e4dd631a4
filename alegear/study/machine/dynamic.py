"""Dynamic study of a machine: drives prescribe speeds, loads give torques, everything between vibrates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.case.dynamic import DynamicAnalysis
from alegear.checks.speed_limits import period_warnings
from alegear.contact.forces import Arrays, MeshForces, PerGear, SliceLoads
from alegear.drivetrain.compiled_motion import ENERGY_NAMES, MeshSamples, MotionSamples
from alegear.drivetrain.gear_mesh import MeshLoads, MeshPlace, PreparedMesh
from alegear.drivetrain.machine import is_on
from alegear.drivetrain.normal_modes import GearModes
from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.dynamics.step_control import AdaptiveStep, FixedStep
from alegear.dynamics.stop_times import FRAME, OUTPUT, StopTimes
from alegear.dynamics.system import State
from alegear.progress import Progress, tell
from alegear.recording.machine import MachineRecord
from alegear.recording.motion import MotionRun
from alegear.recording.motion_memory import Contact, contacts_memory, contacts_of, of_prefix, prefixed
from alegear.recording.recorder import ContactRecorder
from alegear.results.dynamic_result import DynamicHistory, sample_layout
from alegear.results.log import Log
from alegear.results.machine_result import MachineHistory, machine_layout
from alegear.results.samples import Layout, SampleLog
from alegear.study.dynamic import (
    NEAR,
    START_LOAD,
    STEPS_PER_PITCH,
    damping_of_the_rest,
    pitch_mean_stiffness,
    vibrating,
)
from alegear.study.fields import Frame
from alegear.study.machine.counted_pitches import counted_start, planet_meshes
from alegear.study.machine.static import (
    MachineSolver,
    modes_of,
    ready_meshes,
    small_displacements,
    windows_of,
)
from alegear.study.static import StaticSolver
from alegear.system.energy import SystemEnergy
from alegear.system.linearised import Linearised
from alegear.system.mode_changes import changes_by_switch, changes_of, events_memory, events_of
from alegear.system.modes import real_modes
from alegear.system.motion import Motion, SystemMotion
from alegear.system.profiles import PiecewiseCubic
from alegear.system.start import consistent_start, going_along

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.recording.checkpoint import Checkpoint, Left
    from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]

#: Of the time in which a rolling element falls into a defect, at least: for the adaptive step, and for a warning.
STEPS_PER_RAMP = 8
MACHINE = "machine"  # heads the names of what is kept of the machine as a whole, beside those of its meshes
#: What a sweep keeps of the machine as a whole: its statistics need no more.
OF_MACHINE_SWEEP = ("time", "drive_angle", "rotation_error", "mesh_force", "bearing_force")
#: Names of the energies in the results.
ENERGIES = {
    "input": "energy_input",
    "kinetic": "energy_kinetic",
    "stored": "energy_elastic",
    "dissipated": "energy_dissipated",
    "outside": "energy_dissipated_outside",
}


@dataclass(kw_only=True, eq=False)
class JointSamples:
    """Samples of several recorders in one log: they come in block by block, from each as many.

    Parameters
    ----------
    log : SampleLog
        Its variables are named ``part/name``.
    waiting : dict of dict
        Blocks that others have not brought yet.
    """

    log: SampleLog
    parts: Sequence[str]
    waiting: dict[str, Mapping[str, NDArray[Any]]] = field(default_factory=dict)

    def append(self, part: str, block: Mapping[str, NDArray[Any]]) -> None:
        """Take the block of a part; the last one of them goes to the log together with the others."""
        self.waiting[part] = {name: np.array(values) for name, values in block.items()}
        if len(self.waiting) == len(self.parts):
            joint = {f"{one}/{name}": v for one, values in self.waiting.items() for name, v in values.items()}
            self.waiting.clear()
            self.log.append(joint)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Part:
    """The sink of one recorder."""

    joint: JointSamples
    name: str

    def append(self, block: Mapping[str, NDArray[Any]]) -> None:
        self.joint.append(self.name, block)


class MachineDynamicStudy:
    """One dynamic run of a machine.

    Attributes
    ----------
    system : SystemMotion
    recorders : dict of ContactRecorder
    warnings : list of str
    """

    def __init__(
        self, case: MachineCase, prepared: Mapping[str, PreparedPair], *, frame_times: Sequence[float] = ()
    ) -> None:
        assert isinstance(case.analysis, DynamicAnalysis)
        self.case, self.prepared, self.analysis = case, prepared, case.analysis
        self.layout, self.machine = case.layout, case.machine
        self.windows, self.engagement = windows_of(case, prepared)
        self.speeds = {drive.name: self._speed(drive.name) for drive in case.drives}
        self.torques = {load.name: self._torque(load.name) for load in case.loads}
        self.angles = counted_start(case)
        self.stiffness = {
            place.mesh.name: pitch_mean_stiffness(self._alone(place), self.windows[place.mesh.name])
            for place in self.layout.meshes
            if place.mesh.name in prepared
        }
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
        self.built = self.machine.build(
            parts,
            speeds=self.speeds,
            torques=self.torques,
            start_angles=self._start_angles(),
            modes=modes_of(ready),
        )
        self.system = SystemMotion(self.built.model)
        self.record_of = MachineRecord(self.built)
        self._stops = StopTimes.of(self.analysis.duration, self.analysis.output_every, frame_times)
        #: Normal modes of both gears of each mesh whose wheels vibrate.
        self.modes = {name: (first.modes, second.modes) for name, (first, second) in modes_of(ready).items()}
        self.recorders = {
            name: ContactRecorder(
                contact=prepared[name].contact,
                wheels=prepared[name].wheels,
                points=prepared[name].tooth_points(self.modes.get(name)),
                modes=self.modes.get(name),
            )
            for name in self.built.contacts
        }
        for recorder in self.recorders.values():
            recorder.fillet = recorder.fits_point_by_point(self._stops.n_outputs, recorder.n_slots)
        #: Times, coordinates, velocities and accelerations of the fields, and of each mesh the tooth pair in slot 0 and
        #: the forces on its faces.
        self.shown: list[tuple[float, Array, Array, Array]] = []
        self.shown_contact: dict[str, list[Contact]] = {name: [] for name in self.recorders}
        self.displacements = small_displacements(case)
        highest = max(self.frequencies.values(), default=0.0)
        self.warnings = period_warnings(self.analysis.time_step, highest) if highest else []
        longest = self._rolling_step
        if self.analysis.time_step is not None and self.analysis.time_step > longest:
            self.warnings.append(
                f"time_step_s = {self.analysis.time_step:.3g}: rolling elements pass a defect, or their pitch, in "
                f"fewer than {STEPS_PER_RAMP} steps: use at most {longest:.2g} s, or give a tolerance instead"
            )
        self._taken = 0  # samples
        self._checkpoint: Checkpoint | None = None
        self._last_sample = -1.0

    @property
    def in_contact(self) -> list[MeshPlace]:
        """Places of the meshes that are contacts."""
        return [place for place in self.layout.meshes if place.mesh.name in self.built.contacts]

    def _alone(self, place: MeshPlace) -> StaticSolver:
        return StaticSolver.of(self.case.pair_case(place), self.prepared[place.mesh.name].contact)

    def _vibrating(self, place: MeshPlace, ready: PreparedMesh) -> PreparedMesh:
        """A mesh whose wheels have normal modes; its retardation dissipates as much without what these do."""
        assert ready.window is not None
        contact, modes = vibrating(self.prepared[place.mesh.name], self.analysis.normal_modes)
        assert contact.modes is not None
        first, second = (
            GearModes(
                modes=own,
                amplitudes=on_faces.amplitudes,
                damping_ratio=self.analysis.modal_damping_ratio,
                deflection=place.force / ready.stiffness,
                force=place.force,
            )
            for own, on_faces in zip(modes, contact.modes, strict=True)
        )
        rest = damping_of_the_rest(contact, self._alone(place), ready.window)
        return replace(ready, contact=contact, modes=(first, second), retardation=rest * ready.retardation)

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
        full = self.layout.torque[load]
        return PiecewiseCubic.step(0.0 if ramp > 0.0 else full, full, 0.0, ramp)

    def _start_angles(self) -> dict[str, float]:
        return {name: self.layout.drives[name].sense * angle for name, angle in self.angles.items()}

    def _mesh_modes(self, ready: Mapping[str, PreparedMesh]) -> dict[str, float]:
        """Natural frequency [rad/s] of the mode with most of its energy in each mesh that is a spring then."""
        meshes = [place.mesh for place in self.layout.meshes]
        springs = {mesh.name: mesh.law.on_springs(ready[mesh.name]) for mesh in meshes}
        still = {name: PiecewiseCubic.constant(0.0) for name in self.speeds}
        machine = self.machine.on_springs
        system = machine.build(springs, speeds=still, locked=True, bearings=machine.linear_bearings)
        elastic = [part.name for part in system.model.parts if part.name in springs]
        if not elastic:
            return {}
        modes = real_modes(Linearised.of(system.model))
        parts, shares = modes.energy_shares()
        return {name: float(modes.frequencies[int(np.argmax(shares[parts.index(name)]))]) for name in elastic}

    # -------------------------------------------------------------------- run
    def run(
        self,
        progress: Progress,
        checkpoint: Checkpoint | None = None,
        folder: Path | None = None,
        *,
        compiled: bool = True,
    ) -> None:
        """Integrate; record every output time. Parameters and errors as of the study of a pair.

        Raises
        ------
        NonConvergence, StorageFailure
        """
        a = self.analysis
        given = [t for profile in (*self.speeds.values(), *self.torques.values()) for t in profile.corners]
        corners = sorted({*given, *(changes_of(self.built.model) if self.built.model.switches else ())})
        stops = self._stops.with_others(corners) if corners else self._stops
        self._progress, self._checkpoint = progress, checkpoint
        log = Log(folder=folder) if checkpoint is None else checkpoint.log(folder)
        self.samples = SampleLog(log, self._layout())
        self._joint = JointSamples(log=self.samples, parts=[MACHINE, *self.recorders])
        for name, recorder in self.recorders.items():
            recorder.sink = _Part(joint=self._joint, name=name)
        self._waiting: list[dict[str, Array]] = []
        control: FixedStep | AdaptiveStep
        if a.time_step is not None:
            control = FixedStep(h=a.time_step)
        else:
            longest = min(self._shortest_period / STEPS_PER_PITCH, self._rolling_step, a.duration)
            control = AdaptiveStep(tolerance=a.tolerance, h_max=longest)
        self._motion = MotionRun(self.system, SCHEMES[a.method](rho_inf=a.rho_inf), control, corners)
        left = None if checkpoint is None or checkpoint.left is None else self._take_up(checkpoint.left)
        self._motion.run(self, stops, lambda: self.system.begin(0.0, *self._start), left, compiled=compiled)

    @property
    def energy(self) -> SystemEnergy:
        """Energies so far."""
        return self._motion.energy

    @property
    def _shortest_period(self) -> float:
        """Of the teeth that follow each other fastest, without meshes of the rotation of the fastest drive [s]."""
        layout = self.layout
        if not layout.drives:
            return math.inf
        if not layout.meshes and not planet_meshes(self.case):
            return 2.0 * math.pi / max(abs(drive.largest_speed or 0.0) for drive in layout.drives.values())
        passing = [self._turns(layout.gears[p.mesh.gears[0]].shaft) * p.pair.pinion.z for p in layout.meshes]
        for mesh in planet_meshes(self.case):
            (first, _), (z, _) = mesh.shafts, mesh.teeth
            passing.append((self._turns(first) - self._turns(mesh.carrier)) * z)
        return 2.0 * math.pi / max(abs(one) for one in passing)

    def _turns(self, shaft: str) -> float:
        """Speed of a shaft or a body with the largest one of its drive [rad/s]; of the ground 0."""
        drive = self.layout.drive_of.get(shaft)
        return 0.0 if drive is None else self.layout.ratio[shaft] * abs(drive.largest_speed or 0.0)

    @property
    def _rolling_step(self) -> float:
        """Longest step [s] that resolves the defects of bearings, and their rolling elements."""
        steps = [one.longest_step(*self.layout.speeds_of(one), STEPS_PER_RAMP) for one in self.case.bearings]
        return min(steps, default=math.inf)

    @cached_property
    def _start(self) -> tuple[Array, Array]:
        """Coordinates in equilibrium, and the velocities at which it moves on with the drives, (n,) each.

        Without a drive nothing says where an equilibrium is: as its parts are told to start.
        """
        if not self.layout.drives:
            return consistent_start(self.built.model)
        at_first = {name: profile.value(0.0) for name, profile in self.torques.items()}
        speeds = {name: profile.value(0.0) for name, profile in self.speeds.items()}
        torques = _not_nothing(at_first, self.layout.torque)
        solver = MachineSolver(self.case, self.prepared, self.windows, torques, speeds=self.speeds, ready=self._ready)
        here = solver.solve(self.angles)
        v = np.sum([self.built.nominal(d, abs(speed)) for d, speed in speeds.items()], axis=0)
        reference = self.layout.drives[next(iter(self.angles))]
        # between several planets what gives way swings within a pitch, which heavy carriers do not follow
        if speeds[reference.name] and any(at_first.values()) and not planet_meshes(self.case):
            turn = NEAR * self._shortest_period * abs(reference.largest_speed or 0.0)
            moved = [
                solver.solve(self._turned(side * turn), here).x - solver.nominal(self._turned(side * turn))
                for side in (1.0, -1.0)
            ]
            v = v + (moved[0] - moved[1]) * (abs(speeds[reference.name]) / (2.0 * turn))
        v = going_along(self.built.model, here.x, v)
        for shaft in self.layout.apart_at_start:
            v[self._moved_by(shaft)] = 0.0
        return here.x, v

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

    # ------------------------------------------------------------------ record
    def _layout(self) -> Layout:
        """What is kept of a sample: of the machine as a whole, and of each mesh its contact."""
        kept = self.analysis.kept
        whole = machine_layout(self.record_of.names)
        layout: Layout = {
            f"{MACHINE}/{name}": kind
            for name, kind in whole.items()
            if not self.analysis.sweeps or name in OF_MACHINE_SWEEP
        }
        for name, recorder in self.recorders.items():
            own = sample_layout(
                recorder.n_slots,
                recorder.n_slices,
                points=None if recorder.points is None else recorder.points.shape,
                fillet=recorder.grid if recorder.fillet else None,
            )
            layout |= {f"{name}/{variable}": kind for variable, kind in own.items() if kept is None or variable in kept}
        return layout

    def record(self, state: State) -> None:
        """Take an accepted state."""
        if self._stops.is_frame(state.t):
            motion = self.system.motion(state)
            self.shown.append((state.t, motion.x, motion.v, motion.a))
            for name, contacts in self.shown_contact.items():
                contacts.append((self._first_pair(name), self._forces(motion, name).face_force))
        if self._stops.is_output(state.t):
            self._sample(state)

    def record_last(self, state: State) -> None:
        """Take the last accepted state of a run that failed, also between the output times."""
        if self._last_sample != state.t:
            self._sample(self.system.evaluated(state))

    def _sample(self, state: State) -> None:
        motion, e = self.system.motion(state), self.energy
        energies = {name: np.array([getattr(e, key)]) for key, name in ENERGIES.items()}
        time, x, v = np.array([state.t]), motion.x[None], motion.v[None]
        self._look(time, x)
        loads = {}
        for place in self.in_contact:
            name = place.mesh.name
            forces = self._forces(motion, name)
            further = self._mesh_values(place, time, x, v, motion.a[None])
            assert forces.by_coordinate is not None
            stiffness = further["mesh_stiffness"] = self._stiffness(name, forces.by_coordinate[None])
            loads[name] = _in_space(place, forces.force_on_pinion[None], forces.moment_on_pinion[None], stiffness)
            one = {key: values[0] for key, values in further.items()}
            vibration = self.built.vibration(name, v, motion.a[None])
            self.recorders[name].add(forces, self._first_pair(name), one, vibration)
        parts = self.record_of.of_parts(self.system.instants(motion)) if self.record_of.names_of_parts else {}
        seats = self.record_of.seat_accelerations(motion.a[None])
        self._keep({"time": time, **energies, **parts, **seats}, x, v, motion.multipliers[None], loads)
        self._after(state.t)
        self.show(state.t)

    def _forces(self, motion: Motion, mesh: str) -> MeshForces:
        return cast("MeshForces", motion.forces.elements[self.built.number_of(mesh)].answer)

    def _first_pair(self, mesh: str) -> int:
        return int(self.system.data.elements[self.built.number_of(mesh)].first_pair)

    def record_samples(self, samples: MotionSamples) -> None:
        """Record a block of samples from compiled code."""
        for i in np.flatnonzero(samples.flags & FRAME):
            state = (one[i].copy() for one in (samples.x, samples.v, samples.a))
            self.shown.append((float(samples.time[i]), *state))
            for place, mesh in zip(self.in_contact, samples.meshes, strict=True):
                first, second = (force[i].copy() for force in mesh.face_force)
                self.shown_contact[place.mesh.name].append((int(mesh.first_pair[i]), (first, second)))
        out = np.flatnonzero(samples.flags & OUTPUT)
        if not out.size:
            return
        x, v, a, time = samples.x[out], samples.v[out], samples.a[out], samples.time[out]
        self._look(time, x)
        energies = {ENERGIES[key]: samples.energies[key][out] for key in ENERGY_NAMES}
        loads = {}
        for place, mesh in zip(self.in_contact, samples.meshes, strict=True):
            further = self._mesh_values(place, time, x, v, a)
            vibration = self.built.vibration(place.mesh.name, v, a)
            loads[place.mesh.name] = self._record_mesh(place, mesh, out, further, vibration)
        none = np.empty((len(time), 0))  # what has constraints is stepped in Python
        parts = {}
        if self.record_of.names_of_parts:
            of_elements = tuple(force[out] for force in samples.element_forces)
            parts = self.record_of.of_parts(self.system.instants_of(time, x, v, a, samples.Q[out], of_elements))
        seats = self.record_of.seat_accelerations(a)
        self._keep({"time": time, **energies, **parts, **seats}, x, v, none, loads)
        self._after(float(time[-1]))

    def _look(self, time: Array, x: Array) -> None:
        """Look at the displacements of all gears in states x (m, n).

        Raises
        ------
        AnalysisFailure
        """
        for place in self.layout.meshes:
            shifts = self.built.shifts(place, x)
            if shifts.any():
                self.displacements[place.mesh.name].look_over(shifts, time)

    def _record_mesh(
        self,
        place: MeshPlace,
        mesh: MeshSamples,
        out: NDArray[np.int64],
        further: dict[str, Array],
        vibration: PerGear | None,
    ) -> MeshLoads:
        force, moment = (part[out] for part in mesh.loaded.resultants())
        face_force = mesh.face_force
        further["mesh_stiffness"] = self._stiffness(place.mesh.name, mesh.by_coordinate[out])
        self.recorders[place.mesh.name].add_many(
            mesh.first_pair[out],
            mesh.pair_torque[out],
            SliceLoads(**{name: values[out] for name, values in vars(mesh.loaded.slices()).items()}),
            (force, moment),
            (face_force[0][out], face_force[1][out]),
            further,
            vibration,
        )
        return _in_space(place, force, moment, further["mesh_stiffness"])

    def _keep(
        self,
        values: dict[str, Array],
        x: Array,
        v: Array,
        multipliers: Array,
        of_contacts: Mapping[str, MeshLoads],
    ) -> None:
        """Keep a block of the machine until the recorders have theirs ready; they count to the same number.

        Parameters
        ----------
        values : dict of str to shape (m,)
            Times and energies.
        x, v : shape (m, n)
        multipliers : shape (m, n_constraints)
        of_contacts : mapping of str to MeshLoads
            By mesh; what other meshes carry follows from the motion.
        """
        loads = [
            of_contacts.get(place.mesh.name) or self.built.loads(place, x, v, multipliers)
            for place in self.layout.meshes
        ]
        n = (len(x), len(loads))
        stiffness, force, moment = np.empty(n), np.empty((*n, 3)), np.empty((*n, 3))
        for m, one in enumerate(loads):
            stiffness[:, m], force[:, m], moment[:, m] = one.stiffness, one.force, one.moment
        self._waiting.append(
            {
                **values,
                "drive_angle": self._drive_angle(x),
                "mesh_stiffness": stiffness,
                "mesh_force": force,
                "mesh_moment": moment,
                "speed": self.record_of.rotations(v),
                **self.record_of.values(x, v),
            }
        )
        self._taken += len(x)

    def _drive_angle(self, x: Array) -> Array:
        """Rotation of the first drive in its sense, of states x (m, n); not a number without one."""
        for drive in self.layout.drives.values():
            turned: Array = drive.sense * x[:, self.built.rotation(self.machine.drive_place(drive.name))]
            return turned
        return np.full(len(x), np.nan)

    def _after(self, t: float) -> None:
        """Bring what the recorders have handed on together with the machine's."""
        self._last_sample = t
        ready = next(iter(self._joint.waiting.values()), None)
        if ready is not None or not self.recorders:
            self._join()

    def _join(self) -> None:
        block = {name: np.concatenate([one[name] for one in self._waiting]) for name in self._waiting[0]}
        self._waiting.clear()
        self._joint.append(MACHINE, block)

    def _mesh_values(self, place: MeshPlace, time: Array, x: Array, v: Array, a: Array) -> dict[str, Array]:
        """What the samples of a mesh have besides its contact; energies are those of the machine, not told here."""
        mesh = self.built.contacts[place.mesh.name]
        at, T = mesh.coordinates, mesh.rows
        angle = x[:, at] @ T[:2].T + mesh.angle
        nothing = np.full(len(time), np.nan)
        return {
            "time": time,
            "phase": angle[:, place.lead] / float(mesh.contact.pitch_angle[place.lead]),
            "transmission_error": mesh.transmission_errors(angle),
            "angle": angle,
            "speed": v[:, at] @ T[:2].T,
            "acceleration": a[:, at] @ T[:2].T,
            "bearing_force": np.full((len(time), 2, 3), np.nan),
            **dict.fromkeys(ENERGIES.values(), nothing),
        }

    def _stiffness(self, mesh: str, by_coordinate: Array) -> Array:
        """Mesh stiffness from derivatives (m, n_mesh, n_mesh) of its forces, shape (m,) [N/m]."""
        contact = self.built.contacts[mesh]
        return np.array([contact.stiffness_of(one, self.built.model) for one in by_coordinate])

    def show(self, t: float) -> None:
        """Tell how far the motion has come."""
        duration = self.analysis.duration
        tell(self._progress, f"t = {t:.4g} of {duration:.4g} s, {self._motion.count.accepted} steps")
        self._progress.advance(min(int(1000 * t / duration), 1000), 1000)

    # ------------------------------------------------------------- checkpoints
    @property
    def saves(self) -> bool:
        """Whether a checkpoint is due."""
        return self._checkpoint is not None and self._checkpoint.is_due

    def save(self, t: float, integration: Arrays) -> None:
        """Save a checkpoint with what the integration goes on from, and what is recorded."""
        assert self._checkpoint is not None
        memory = {
            **prefixed("integration", integration),
            **prefixed("system", self.system.data.memory(self.built.model)),
            **prefixed("samples", self.samples.memory()),
            **prefixed("energy", self.energy.to_arrays()),
            **prefixed("events", events_memory(self._motion.events)),
            "last_sample": np.array(self._last_sample),
            "shown/t": np.array([t for t, *_ in self.shown]),
            "shown/states": np.array([states for _, *states in self.shown]).reshape(-1, 3, self.built.model.n),
        }
        for name, one in self.displacements.items():
            memory[f"displacements of {name}"] = one.largest
        for name, recorder in self.recorders.items():
            memory |= prefixed(f"record of {name}", recorder.memory())
            memory |= prefixed(f"shown of {name}", contacts_memory(self.shown_contact[name]))
        if self._waiting:
            for name in self._waiting[0]:
                memory[f"waiting/{name}"] = np.concatenate([one[name] for one in self._waiting])
        self._checkpoint.save(t, memory, self.warnings)

    def _take_up(self, left: Left) -> Arrays:
        """Take up what a run has left; returns the memory of its integration."""
        memory = left.memory
        self.warnings[:] = left.warnings
        self.samples.recall(of_prefix("samples", memory))
        self.system.data.recall(self.built.model, of_prefix("system", memory))
        self._motion.energy = SystemEnergy.from_arrays(of_prefix("energy", memory))
        self._motion.events[:] = events_of(of_prefix("events", memory))
        self._last_sample = float(memory["last_sample"])
        self.shown[:] = zip(memory["shown/t"].tolist(), *memory["shown/states"].swapaxes(0, 1), strict=True)
        for name, one in self.displacements.items():
            one.largest = memory[f"displacements of {name}"]
        for name, recorder in self.recorders.items():
            recorder.recall(of_prefix(f"record of {name}", memory))
            self.shown_contact[name][:] = contacts_of(of_prefix(f"shown of {name}", memory))
        waiting = of_prefix("waiting", memory)
        if waiting:
            self._waiting.append(dict(waiting))
        self._taken = len(self.samples) + sum(len(one["time"]) for one in self._waiting)
        return of_prefix("integration", memory)

    # ---------------------------------------------------------------- results
    def __len__(self) -> int:
        """Return the number of samples taken."""
        return self._taken

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        of_displacements = [f"mesh {name}: {one}" for name, own in self.displacements.items() for one in own.warnings()]
        return self.warnings + of_displacements

    def flush(self) -> None:
        """Bring everything that has been recorded to the log."""
        for recorder in self.recorders.values():
            recorder.flush()
        if self._waiting:
            self._join()

    def history(self) -> MachineHistory:
        """Shafts, bearings and meshes as a whole."""
        self.flush()
        record = self.record_of
        return MachineHistory(
            lead="time",
            names=record.names,
            samples=self.samples.part(MACHINE),
            ratio=record.ratio,
            gear_place=record.gear_place,
            events=tuple(changes_by_switch(self._motion.events, self.built.model)),
        )

    def mesh_history(self, mesh: str) -> DynamicHistory:
        """Contact of a mesh, as that of a pair; without what belongs to the machine as a whole."""
        self.flush()
        recorder = self.recorders[mesh]
        return DynamicHistory(
            samples=self.samples.part(mesh),
            slice_position=recorder.slice_position,
            flank_limit=recorder.flank_limit,
            root_fillet=recorder.root_fillet(),
            points=None if recorder.points is None else recorder.points.where(),
        )

    # ----------------------------------------------------------------- fields
    def shown_angles(self) -> dict[str, list[float]]:
        """Rotation of each drive in its sense at the times of the fields [rad]."""
        angles = {}
        for name, drive in self.layout.drives.items():
            at = self.built.rotation(self.machine.drive_place(name))
            angles[name] = [drive.sense * float(x[at]) for _, x, *_ in self.shown]
        return angles

    def frames(self, mesh: str) -> list[Frame]:
        """What the fields of a mesh are made from."""
        element, contacts = self.built.contacts[mesh], self.shown_contact[mesh]
        frames = []
        for (t, x, v, a), (first_pair, face_force) in zip(self.shown, contacts, strict=True):
            away = self.built.vibration(mesh, v[None], a[None])
            vibration = None if away is None else (away[0][0], away[1][0])
            frames.append(Frame.of_mesh(t, element, x, first_pair, face_force, vibration))
        return frames


def _in_space(place: MeshPlace, force: Array, moment: Array, stiffness: Array) -> MeshLoads:
    """Loads of a contact, whose force and moment (m, 3) are in its own frame."""
    return MeshLoads(force=force @ place.axes, moment=moment @ place.axes, stiffness=stiffness)


def _not_nothing(torques: Mapping[str, float], full: Mapping[str, float]) -> dict[str, float]:
    """Torques under which flanks touch, where a run begins without load."""
    if any(torques.values()):
        return dict(torques)
    return {name: START_LOAD * full[name] for name in torques}
