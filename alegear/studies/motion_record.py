"""What is kept of a motion of a machine: samples of the whole and of each contact, fields, and what it goes on from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from alegear.arrays import Array, Indices
from alegear.case.dynamic import DynamicAnalysis
from alegear.checks.pressed_flanks import planets_pressed, warnings_of
from alegear.contact.forces import Arrays, MeshForces, SliceLoads
from alegear.contact.numbering import PINION
from alegear.drivetrain.compiled_motion import ENERGY_NAMES, MeshSamples, MotionSamples
from alegear.drivetrain.gear_mesh import MeshLoads, MeshPlace
from alegear.progress import Progress, advance_in_time, report_status, warn
from alegear.recording.gear_supports import GearSupports
from alegear.recording.machine import MachineRecord
from alegear.recording.motion import MotionIntegration
from alegear.recording.motion_memory import Contact, contacts_memory, contacts_of, of_prefix, prefixed
from alegear.recording.recorder import ContactBlock, ContactRecorder
from alegear.recording.ruling_vibration import RulingVibration
from alegear.recording.step_extremes import StepExtremes
from alegear.results.contact_result import ContactHistory, sample_layout
from alegear.results.machine_result import MachineHistory, machine_layout
from alegear.results.switch_events import Event
from alegear.storage.recorded_samples import JointSamples, Layout, RecordedSamples
from alegear.studies.fields import FieldFrame
from alegear.studies.meshes import small_displacements, squeezed_teeth, values_of_meshes
from alegear.system.energy import SystemEnergy
from alegear.system.instants import Instants, SystemState
from alegear.system.mode_changes import changes_by_switch, events_memory, events_of
from alegear.system.motion import SystemMotion
from alegear.system.time_integration.second_order_system import State
from alegear.system.time_integration.stop_times import FRAME, OUTPUT, StopTimes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.drivetrain.machine import MachineSystem
    from alegear.recording.checkpoint import Checkpoint, Left
    from alegear.reduction.normal_modes import NormalModes
    from alegear.results.root_fillet import RootFillet
    from alegear.studies.preparation import PreparedPair


RUNS_AHEAD = "driven gear runs ahead"
#: Part of the deflection at rest by which flanks may part before it is worth a word.
SEPARATION = 0.01
MACHINE = "machine"  # heads the names of what is kept of the machine as a whole, beside those of its meshes
#: What a sweep keeps of the machine as a whole: its statistics need no more.
OF_MACHINE_SWEEP = (
    "time",
    "drive_angle",
    "rotation_error",
    "transmission_error",
    "mesh_force",
    "bearing_force",
    "displacement",
)
#: Names of the energies in the results.
ENERGIES = {
    "input": "energy_input",
    "kinetic": "energy_kinetic",
    "stored": "energy_elastic",
    "dissipated": "energy_dissipated",
    "outside": "energy_dissipated_outside",
}


class RecordedMotion:
    """A motion of a machine that takes its own states: all that is told of it.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.
    built : MachineSystem
    system : SystemMotion
        Of `built`.
    modes : mapping of str to (NormalModes, NormalModes)
        Of both gears of each mesh whose wheels vibrate.
    stops : StopTimes
        Times of samples and of fields.
    stiffness : mapping of str to float [N/m]
        Mean mesh stiffness at rest of the meshes that are contacts.
    warnings : list of str
        What is known before; those of a run that is gone on from take their place.

    Attributes
    ----------
    of_machine : MachineRecord
    recorders : dict of ContactRecorder
    shown : list of (float, array, array, array)
        Times, coordinates, velocities and accelerations of the fields.
    shown_contact : dict
        Of each mesh the tooth pair in slot 0 and the forces on its faces, at these times.
    displacements : dict of DisplacementLimit
    squeezed : dict of SqueezedTeeth
    """

    def __init__(
        self,
        case: MachineCase,
        prepared: Mapping[str, PreparedPair],
        *,
        built: MachineSystem,
        system: SystemMotion,
        modes: Mapping[str, tuple[NormalModes, NormalModes]],
        stops: StopTimes,
        stiffness: Mapping[str, float],
        warnings: list[str],
    ) -> None:
        assert isinstance(case.analysis, DynamicAnalysis)
        self.case, self.layout, self.analysis = case, case.layout, case.analysis
        self._stiffness_at_rest = stiffness
        self.built, self.system, self.warnings, self._stops = built, system, warnings, stops
        self.of_machine = MachineRecord(built)
        self.recorders = {
            name: ContactRecorder(
                contact=prepared[name].contact,
                wheels=prepared[name].wheels,
                points=prepared[name].tooth_points(modes.get(name)),
                modes=modes.get(name),
            )
            for name in built.contacts
        }
        for recorder in self.recorders.values():
            recorder.fillet = recorder.fits_point_by_point(stops.n_outputs, recorder.n_slots)
        self.shown: list[tuple[float, Array, Array, Array]] = []
        self.shown_contact: dict[str, list[Contact]] = {name: [] for name in self.recorders}
        self.displacements = small_displacements(case)
        self.squeezed = squeezed_teeth(case)
        n_contacts = len(self.in_contact)
        self._extremes = StepExtremes(len(self.layout.meshes) + 2 * n_contacts)
        #: What looks at the length of steps that are chosen by their error.
        self.ruling: RulingVibration | None = None
        #: Of two gears by themselves: what holds them, which is kept beside their contact in place of a machine.
        self.supports: GearSupports | None = None
        if case.preset is not None:
            ((name, one),) = prepared.items()
            self.supports = GearSupports(case.preset, self.of_machine, name, [wheel.mass for wheel in one.wheels])
        self._taken = 0  # samples
        self._checkpoint: Checkpoint | None = None
        self._last_sample = -1.0

    @property
    def in_contact(self) -> list[MeshPlace]:
        """Places of the meshes that are contacts."""
        return [place for place in self.layout.meshes if place.mesh.name in self.built.contacts]

    @property
    def energy(self) -> SystemEnergy:
        """Energies so far."""
        return self.motion.energy

    def begin(self, motion: MotionIntegration, progress: Progress, checkpoint: Checkpoint | None) -> Arrays | None:
        """Get ready for a motion; returns what its integration goes on from, where a run has left it."""
        self.motion, self._progress, self._checkpoint = motion, progress, checkpoint
        self.samples = RecordedSamples(self._layout(), None if checkpoint is None else checkpoint.chunks())
        whole = [MACHINE] if self.supports is None else []
        self._joint = JointSamples(samples=self.samples, parts=[*whole, *self.recorders])
        for name, recorder in self.recorders.items():
            recorder.sink = partial(self._joint.append, name)
        self._waiting: list[dict[str, Array]] = []
        return None if checkpoint is None or checkpoint.left is None else self._take_up(checkpoint.left)

    # ------------------------------------------------------------------ record
    def _layout(self) -> Layout:
        """What is kept of a sample: of the machine as a whole, and of each mesh its contact."""
        kept = self.analysis.kept if self.supports is None else self.analysis.kept_of_pair
        whole = machine_layout(self.of_machine.names) if self.supports is None else {}
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
                supports=self.supports is not None and self.supports.displaced,
            )
            layout |= {f"{name}/{variable}": kind for variable, kind in own.items() if kept is None or variable in kept}
        return layout

    def record(self, state: State) -> None:
        """Take an accepted state."""
        motion = self.system.motion(state)
        if state.t:
            self._look_at_steps(np.array([state.t]), motion.x[None])
        torque = [self._forces(motion, place.mesh.name).pair_torque[:, PINION] for place in self.in_contact]
        of_step = self._of_steps(motion.x[None], [one[None] for one in torque])[0]
        self._extremes.update(of_step)
        for number, place in enumerate(self.in_contact):
            self._look_at_backlash(place, state.t, of_step[len(self.layout.meshes) + 2 * number])
        if self._stops.is_frame(state.t):
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
        motion, e, (low, high) = self.system.motion(state), self.energy, self._extremes.take()
        contacts = [
            ContactBlock.of(self._forces(motion, place.mesh.name), self._first_pair(place.mesh.name))
            for place in self.in_contact
        ]
        self._take(
            np.array([state.t]),
            (motion.x[None], motion.v[None], motion.a[None]),
            motion.multipliers[None],
            {name: np.array([getattr(e, key)]) for key, name in ENERGIES.items()},
            (low[None], high[None]),
            contacts,
            lambda: Instants.of(self.system.model, self.system.data, [motion]),
        )
        self.show(state.t)

    def _take(
        self,
        time: Array,
        motion: tuple[Array, Array, Array],
        multipliers: Array,
        energies: dict[str, Array],
        extremes: tuple[Array, Array],
        contacts: Sequence[ContactBlock],
        instants: Callable[[], Instants],
    ) -> None:
        """Take samples.

        Parameters
        ----------
        time : shape (m,) [s]
        motion : shape (m, n) each
            Coordinates, velocities, accelerations.
        multipliers : shape (m, n_constraints)
        energies : dict of str to shape (m,) [J]
        extremes : shape (m, k) each
            Since the sample before, of what :meth:`_of_steps` has.
        contacts : sequence of ContactBlock
            Of the meshes that are contacts.
        instants : callable
            What the energy balance is made of, where there are torsional parts.
        """
        x, v, a = motion
        self._look(time, x)
        loads = {}
        for place, block in zip(self.in_contact, contacts, strict=True):
            name = place.mesh.name
            assert block.by_coordinate is not None
            stiffness = self._stiffness(name, block.by_coordinate)
            further = self._mesh_values(place, time, x, v, a) | self._extremes_of(place, extremes)
            further |= self._of_supports(block.resultant[0], x, v, a, energies) | {"mesh_stiffness": stiffness}
            self.recorders[name].add(block, further, self.built.vibration(name, v, a))
            force, moment = (one @ place.axes for one in block.resultant)  # from the frame of the mesh into space
            loads[name] = MeshLoads(force=force, moment=moment, stiffness=stiffness)
        if self.supports is None:
            parts = self.of_machine.of_parts(instants()) if self.of_machine.names_of_parts else {}
            seats = self.of_machine.seat_accelerations(a)
            low, high = (one[:, : len(self.layout.meshes)] for one in extremes)
            of_steps = {"transmission_error_low": low, "transmission_error_high": high}
            self._keep({"time": time, **energies, **of_steps, **parts, **seats}, x, v, multipliers, loads)
        self._after(time)

    def _forces(self, motion: SystemState, mesh: str) -> MeshForces:
        return cast("MeshForces", motion.forces.elements[self.built.number_of(mesh)].response)

    def _first_pair(self, mesh: str) -> int:
        return int(self.system.data.elements[self.built.number_of(mesh)].first_pair)

    def _look_at_steps(self, time: Array, x: Array) -> None:
        """Warn once of what makes steps short, of times (k,) and states (k, n) at their ends."""
        warning = None if self.ruling is None else self.ruling.update(time, x)
        if warning is not None:
            self.warnings.append(warning)
            warn(self._progress, warning)

    def record_samples(self, samples: MotionSamples) -> None:
        """Record a block of samples from compiled code."""
        self._look_at_steps(samples.steps.time, samples.steps.x)
        for i in np.flatnonzero(samples.flags & FRAME):
            state = (one[i].copy() for one in (samples.x, samples.v, samples.a))
            self.shown.append((float(samples.time[i]), *state))
            for place, mesh in zip(self.in_contact, samples.meshes, strict=True):
                first, second = (force[i].copy() for force in mesh.face_force)
                self.shown_contact[place.mesh.name].append((int(mesh.first_pair[i]), (first, second)))
        out = np.flatnonzero(samples.flags & OUTPUT)
        steps, torque = samples.steps, np.moveaxis(samples.steps.pair_torque, 1, 0)
        extremes = self._extremes.of_samples(steps.time, self._of_steps(steps.x, list(torque)), samples.time[out])
        if not out.size:
            return
        time, motion = samples.time[out], (samples.x[out], samples.v[out], samples.a[out])
        self._take(
            time,
            motion,
            np.empty((len(time), 0)),  # what has constraints is stepped in Python
            {ENERGIES[key]: samples.energies[key][out] for key in ENERGY_NAMES},
            extremes,
            [_block_of(mesh, out) for mesh in samples.meshes],
            lambda: Instants.of_samples(
                self.system.model,
                self.system.data,
                time,
                *motion,
                samples.Q[out],
                tuple(force[out] for force in samples.element_forces),
            ),
        )

    def _of_steps(self, x: Array, pair_torque: Sequence[Array]) -> Array:
        """What extremes are kept of, of states x (k, n): transmission errors of all meshes, then error and load of each
        contact, of the torques (k, m) of its tooth pairs on the first gear."""
        columns = [self.of_machine.transmission_errors(x)]
        for place, torque in zip(self.in_contact, pair_torque, strict=True):
            mesh, recorder = self.built.contacts[place.mesh.name], self.recorders[place.mesh.name]
            angle = x[:, mesh.coordinates] @ mesh.rows[:2].T + mesh.angle
            load = (torque * recorder.load_per_torque).max(axis=1)
            columns.append(np.column_stack([mesh.transmission_errors(angle), load]))
        return np.concatenate(columns, axis=1)

    def _extremes_of(self, place: MeshPlace, extremes: tuple[Array, Array]) -> dict[str, Array]:
        """Extremes of a contact by their names, from those of all, (m, n) each."""
        low, high = extremes
        first = len(self.layout.meshes) + 2 * self.in_contact.index(place)
        return {
            "transmission_error_low": low[:, first],
            "transmission_error_high": high[:, first],
            "tooth_load_high": high[:, first + 1],
        }

    def _look(self, time: Array, x: Array) -> None:
        """Look at the displacements of all gears in states x (m, n).

        Raises
        ------
        AnalysisFailure
        """
        for place in self.layout.meshes:
            shifts = self.built.shifts(place, x)
            if shifts.any():
                self.displacements[place.mesh.name].update(shifts, time=time)

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
        for place, one in zip(self.layout.meshes, loads, strict=True):
            self.squeezed[place.mesh.name].update(one.sides)
        self._waiting.append(
            {
                **values,
                "drive_angle": self._drive_angle(x),
                **values_of_meshes(loads, len(x)),
                "speed": self.of_machine.rotations(v),
                **self.of_machine.values(x, v),
            }
        )

    def _drive_angle(self, x: Array) -> Array:
        """Rotation of the first drive in its sense, of states x (m, n); not a number without one."""
        for drive in self.layout.drives.values():
            turned: Array = drive.sense * x[:, self.built.rotation(self.case.machine.drive_place(drive.name))]
            return turned
        return np.full(len(x), np.nan)

    def _after(self, time: Array) -> None:
        """Count samples, and bring what the recorders have handed on together with the machine's."""
        self._last_sample = float(time[-1])
        self._taken += len(time)
        ready = next(iter(self._joint.waiting.values()), None)
        if self.supports is None and (ready is not None or not self.recorders):
            self._join()

    def _join(self) -> None:
        block = {name: np.concatenate([one[name] for one in self._waiting]) for name in self._waiting[0]}
        self._waiting.clear()
        self._joint.append(MACHINE, block)

    def _of_supports(
        self, resultant: Array, x: Array, v: Array, a: Array, energies: dict[str, Array]
    ) -> dict[str, Array]:
        """What the samples of two gears by themselves have besides: what holds them, and all energies."""
        if self.supports is None:
            return {}
        return energies | self.supports.values(resultant, x, v, a)

    def _look_at_backlash(self, place: MeshPlace, t: float, error: float) -> None:
        """Warn once where back flanks would touch that the contact does not know."""
        name = place.mesh.name
        contact = self.built.contacts[name].contact
        if contact.has_back_flanks:
            return
        allowance, deflection = place.pair.backlash_on_line_of_action, place.force / self._stiffness_at_rest[name]
        words = f"{RUNS_AHEAD}" if self.supports is not None else f"mesh {name}: {RUNS_AHEAD}"
        if error > allowance + SEPARATION * deflection and not any(one.startswith(words) for one in self.warnings):
            self.warnings.append(
                f"{words} by {1e6 * error:.3g} um at t = {t:.4g} s: more than the backlash along the line "
                f"of action, {1e6 * allowance:.3g} um; the law penalty knows no back flanks: "
                'use law = "hertz", raise the torque or the damping, or slow the ramp'
            )

    def _mesh_values(self, place: MeshPlace, time: Array, x: Array, v: Array, a: Array) -> dict[str, Array]:
        """What the samples of a mesh have besides its contact; energies are those of the machine, not repeated here."""
        mesh = self.built.contacts[place.mesh.name]
        at, T = mesh.coordinates, mesh.rows
        angle = x[:, at] @ T[:2].T + mesh.angle
        nothing = np.full(len(time), np.nan)
        return {
            "time": time,
            "phase": angle[:, place.driving] / float(mesh.contact.pitch_angle[place.driving]),
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
        speeds = [
            f"{one.name} at {30.0 / math.pi * one.motion.speed(t):.0f} rpm" for one in self.built.model.prescribed
        ]
        where = [f"t = {t:.4g} of {duration:.4g} s", *speeds, f"{self.motion.count.accepted} steps"]
        report_status(self._progress, ", ".join(where))
        advance_in_time(self._progress, t, duration)

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
            **prefixed("events", events_memory(self.motion.events)),
            "last_sample": np.array(self._last_sample),
            **prefixed("extremes", self._extremes.memory()),
            "shown/t": np.array([t for t, *_ in self.shown]),
            "shown/states": np.array([states for _, *states in self.shown]).reshape(-1, 3, self.built.model.n),
        }
        for name, one in self.displacements.items():
            memory[f"displacements of {name}"] = one.largest
            memory[f"flanks of {name}"] = self.squeezed[name].worst
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
        self.motion.energy = SystemEnergy.from_arrays(of_prefix("energy", memory))
        self.motion.events[:] = events_of(of_prefix("events", memory))
        self._last_sample = float(memory["last_sample"])
        self._extremes.recall(of_prefix("extremes", memory))
        self.shown[:] = zip(memory["shown/t"].tolist(), *memory["shown/states"].swapaxes(0, 1), strict=True)
        for name, one in self.displacements.items():
            one.largest = memory[f"displacements of {name}"]
            self.squeezed[name].worst = memory[f"flanks of {name}"]
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
        return [*self.warnings, *of_displacements, *warnings_of(self.squeezed), *self._pressed_planets()]

    def _pressed_planets(self) -> list[str]:
        """Which planets press on flanks that the torques do not load, by the samples."""
        planets = self.of_machine.planets
        if not planets.in_frames or not len(self):
            return []
        self.flush()
        samples = self.samples.part(MACHINE)
        values = {name: samples.read(name) for name in ("planet_mesh_force", "planet_back_force")}
        return planets_pressed(planets.in_frames, planets.names, values)

    def flush(self) -> None:
        """Bring everything that has been recorded to the samples."""
        for recorder in self.recorders.values():
            recorder.flush()
        if self._waiting:
            self._join()

    def history(self) -> MachineHistory:
        """Shafts, bearings and meshes as a whole."""
        self.flush()
        record = self.of_machine
        return MachineHistory(
            sample_dim="time",
            names=record.names,
            samples=self.samples.part(MACHINE),
            ratio=record.ratio,
            gear_place=record.gear_place,
            events=[Event(*one) for one in changes_by_switch(self.motion.events, self.built.model)],
        )

    def root_cycle(self, mesh: str) -> RootFillet | None:
        """Stress of the roots of a mesh over all that was recorded."""
        self.flush()
        return self.recorders[mesh].root_fillet()

    def mesh_history(self, mesh: str) -> ContactHistory:
        """Contact of a mesh, as that of a pair; without what belongs to the machine as a whole."""
        self.flush()
        return ContactHistory(samples=self.samples.part(mesh), **self.recorders[mesh].places())

    # ----------------------------------------------------------------- fields
    def shown_angles(self) -> dict[str, list[float]]:
        """Rotation of each drive in its sense at the times of the fields [rad]."""
        angles = {}
        for name, drive in self.layout.drives.items():
            at = self.built.rotation(self.case.machine.drive_place(name))
            angles[name] = [drive.sense * float(x[at]) for _, x, *_ in self.shown]
        return angles

    def frames(self, mesh: str) -> list[FieldFrame]:
        """What the fields of a mesh are made from."""
        element, contacts = self.built.contacts[mesh], self.shown_contact[mesh]
        frames = []
        for (t, x, v, a), (first_pair, face_force) in zip(self.shown, contacts, strict=True):
            away = self.built.vibration(mesh, v[None], a[None])
            vibration = None if away is None else (away[0][0], away[1][0])
            frames.append(FieldFrame.of_mesh(t, element, x, first_pair, face_force, vibration))
        return frames


def _block_of(mesh: MeshSamples, out: Indices) -> ContactBlock:
    """Some of the samples of a mesh from compiled code."""
    force, moment = mesh.loaded.resultants()
    face_force = mesh.face_force
    return ContactBlock(
        first_pair=mesh.first_pair[out],
        pair_torque=mesh.pair_torque[out],
        slices=SliceLoads(**{name: values[out] for name, values in vars(mesh.loaded.slices()).items()}),
        resultant=(force[out], moment[out]),
        face_force=(face_force[0][out], face_force[1][out]),
        by_coordinate=mesh.by_coordinate[out],
    )
