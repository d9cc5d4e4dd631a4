"""Dynamic study: a pair on fixed axes or bearings in motion; the drive prescribes the speed, the load the torque."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import output_every
from alegear.checks.displacement_limit import DisplacementLimit
from alegear.checks.speed_limits import parted_step_warnings, period_warnings
from alegear.contact.forces import Arrays, MeshForces, MeshMotion, PerGear, SliceLoads, mesh_stiffness
from alegear.contact.hertz.contact import LineContact
from alegear.contact.numbering import PINION, WHEEL
from alegear.drivetrain.compiled_motion import MotionSamples
from alegear.drivetrain.normal_modes import face_modes, left_of_rotation
from alegear.drivetrain.pair import Pair, PairMotion
from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.dynamics.joints import PrescribedRotation
from alegear.dynamics.step_control import AdaptiveStep, FixedStep, StepCount
from alegear.dynamics.stop_times import FRAME, OUTPUT, StopTimes
from alegear.dynamics.system import State, start
from alegear.parallel import in_parallel
from alegear.progress import Progress, advance_in_time, report_status
from alegear.recording.motion import MotionIntegration
from alegear.recording.motion_memory import (
    Frame,
    frames_memory,
    frames_of,
    of_prefix,
    prefixed,
)
from alegear.recording.recorder import ContactRecorder
from alegear.recording.step_extremes import StepExtremes
from alegear.reduction.normal_modes import NormalModes, stored_normal_modes
from alegear.results.dynamic_result import DynamicHistory, sample_layout
from alegear.storage.recorded_samples import Layout, RecordedSamples
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.tooth_window import tooth_window
from alegear.system.energy import SystemEnergy
from alegear.system.equilibrium import Equilibrium, solve_equilibrium
from alegear.system.motion import SystemMotion, SystemState
from alegear.system.profiles import PiecewiseCubic

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.recording.checkpoint import Checkpoint, Left
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]

START_PHASE = -0.5  # of the driver, in double contact; the static study starts there too
NEAR = 1e-3  # pitches on both sides of the start between which the static curve tells the speeds there
SEPARATION = 0.01  # part of the static deflection by which flanks may part before it is worth a word
START_LOAD = 1e-8  # part of the torque under which a run from rest starts: flanks touch, and hardly push each other off
STIFFNESS_POSITIONS = 16  # per pitch, for the mean mesh stiffness
STEPS_PER_PITCH = 64  # at least, for the adaptive step: no contact event is stepped over
DAMPING_POSITIONS = 8  # of a pitch, over which the damping of the contact is averaged
DEFAULT_FRAMES = 20  # fields of a run that names no times
RUNS_AHEAD = "driven gear runs ahead"


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanMeshStiffness:
    """Pitch-mean mesh stiffness [N/m], and the natural frequency [rad/s] of the train's mode in the mesh on it."""

    mean: float
    natural_frequency: float


def field_times(case: Case | MachineCase) -> tuple[float, ...]:
    """Times [s] of the stress fields of a motion: those that are asked for, else evenly some of the output.

    At a time of the output the curves have the stress of the field, too.
    """
    analysis = case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    if case.output.field_times is not None:
        return case.output.field_times
    stops = StopTimes.of(analysis.duration, output_every(case))
    numbers = np.rint(np.linspace(0, stops.n_outputs - 1, DEFAULT_FRAMES)).astype(int)
    return tuple(stops.outputs(0, stops.n_outputs)[np.unique(numbers)].tolist())


def pitch_mean_stiffness(solver: MeshSolver, window: ToothWindow) -> float:
    """Mean mesh stiffness over a pitch [N/m]."""
    total, guess = 0.0, None
    for i in range(STIFFNESS_POSITIONS):
        phase = -0.5 + (i + 0.5) / STIFFNESS_POSITIONS
        position = solver.solve(phase, window.first_pair(phase), guess)
        guess = position.deflection
        total += position.mesh_stiffness
    return total / STIFFNESS_POSITIONS


def vibrating(prepared: PreparedPair, n: int) -> tuple[LineContact, tuple[NormalModes, NormalModes]]:
    """Contact of a motion whose wheels have n normal modes each, and these."""
    contact = prepared.contact
    assert isinstance(contact, LineContact)
    pinion, wheel = in_parallel([partial(stored_normal_modes, w.sector, w.material, n) for w in prepared.wheels])
    faces = [face_modes(m, w) for m, w in zip((pinion, wheel), prepared.wheels, strict=True)]
    left = [left_of_rotation(m, w) for m, w in zip((pinion, wheel), prepared.wheels, strict=True)]
    return contact.vibrating((faces[0], faces[1]), (left[0], left[1])), (pinion, wheel)


def damping_of_the_rest(contact: LineContact, solver: MeshSolver, window: ToothWindow) -> float:
    r"""By how much longer the retardation of the contact must be for the same damping of the mode in the mesh.

    Where modes carry a part of the compliance, a slow approach at the rate v closes the gaps at k v/k_r only, k the
    mesh stiffness and k_r that with the modes held. Retarded by beta_r they dissipate beta_r k_r (k v/k_r)^2, which
    is to be beta k v^2 in the mean over a pitch:

    .. math:: \beta_r / \beta = \langle k \rangle / \langle k^2/k_r \rangle
    """
    assert contact.modes is not None
    driving, r_b = solver.driving, np.array([gear.r_b for gear in contact.pair.gears])
    whole, rest, guess = np.empty(DAMPING_POSITIONS), np.empty(DAMPING_POSITIONS), None
    data = contact.new_data()
    for i in range(DAMPING_POSITIONS):
        phase = -0.5 + (i + 0.5) / DAMPING_POSITIONS
        first_pair = window.first_pair(phase)
        position = solver.solve(phase, first_pair, guess)
        guess = position.deflection
        phi = solver.rotations(phase - first_pair, position.deflection)
        at_rest = [
            force @ contact.on_faces(gear, first_pair) / contact.modes[gear].frequencies ** 2
            for gear, force in enumerate(position.forces.face_force)
        ]
        held = contact.evaluate(data, MeshMotion(phi=phi, first_pair=first_pair, modal=np.concatenate(at_rest)))
        assert held.torque_phi is not None
        whole[i], rest[i] = position.mesh_stiffness, mesh_stiffness(held.torque_phi, r_b, driving)
    return float(whole.mean() / (whole**2 / rest).mean())


def _of_steps(low: Array, high: Array) -> dict[str, Array]:
    """Extremes of transmission error and tooth load, (..., 2), as samples have them."""
    return {
        "transmission_error_low": low[..., 0],
        "transmission_error_high": high[..., 0],
        "tooth_load_high": high[..., 1],
    }


def _over_time(
    table: tuple[tuple[float, float], ...] | None, full: float, factor: float, ramp: float, *, straight: bool = False
) -> PiecewiseCubic:
    """Values of a table of the pinion's times a factor; without one the full value, from rest where there is a ramp."""
    if table is None:
        return PiecewiseCubic.step(0.0 if ramp > 0.0 else full, full, 0.0, ramp)
    times, values = zip(*table, strict=True)
    return PiecewiseCubic.table(times, [factor * value for value in values], straight=straight)


class DynamicStudy:
    """One dynamic run.

    Attributes
    ----------
    pair : PairSystem
    system : SystemMotion
    stiffness : MeanMeshStiffness
    recorder : ContactRecorder
    modes : NormalModes of both gears or None
        That are coordinates of the motion.
    samples : RecordedSamples
        Grows with the output times, so that an interrupted run keeps what it has; there from :meth:`run` on.
    warnings : list of str
    """

    def __init__(self, prepared: PreparedPair, solver: MeshSolver, case: Case, *, frame_times: Sequence[float]) -> None:
        analysis = case.analysis
        self.analysis: DynamicAnalysis = analysis  # type: ignore[assignment]
        assert case.operation.pinion_speed is not None
        contact = prepared.contact
        driving = solver.driving
        driven = 1 - driving
        self.window = tooth_window(prepared, solver, self.analysis.tooth_change_threshold)
        r_b = np.array([gear.r_b for gear in contact.pair.gears])

        omega = float(solver.omega[driving])
        of_driven = contact.pair.ratio if driven == WHEEL else 1.0  # torque of the driven gear over the pinion's
        operation, ramp = case.operation, self.analysis.ramp
        load = _over_time(operation.torque_table, of_driven * operation.pinion_torque, of_driven, ramp)
        speed = _over_time(
            operation.speed_table,
            omega,
            omega / case.operation.pinion_speed,
            ramp,
            straight=self.analysis.straight,
        )
        start_angle = START_PHASE * float(contact.pitch_angle[driving])
        shaft = case.shafts[driving]
        if shaft is not None:
            start_angle += load.value(0.0) * float(r_b[driving] / r_b[driven]) / shaft.stiffness
        self._speed = speed
        self.drive, self.load = PrescribedRotation(speed_ramp=speed, start_angle=start_angle), load
        self.full_load = math.copysign(abs(solver.torque) * of_driven, solver.torque)
        # the first mode of gears whose axes are held, whatever their supports: damping is that of the teeth
        mean = pitch_mean_stiffness(solver.on_fixed_axes, self.window)
        moving, gears, rest = contact, prepared.gears, 1.0
        modes: tuple[NormalModes, NormalModes] | None = None
        if self.analysis.normal_modes:
            moving, modes = vibrating(prepared, self.analysis.normal_modes)
            gears = (replace(gears[0], modes=modes[0]), replace(gears[1], modes=modes[1]))
            rest = damping_of_the_rest(moving, solver.on_fixed_axes, self.window)
        pair = Pair(
            contact=moving,
            window=self.window,
            gears=gears,
            driving=driving,
            deflection=abs(solver.torque) / contact.pair.pinion.r_b / mean,
            force=abs(self.full_load) / float(r_b[driven]),
            drive=self.drive,
            load=load,
            shafts=case.shafts,
            damping_ratio=self.analysis.modal_damping_ratio,
        )
        self.stiffness = MeanMeshStiffness(mean=mean, natural_frequency=pair.mesh_mode(mean))
        retardation = rest * 2.0 * self.analysis.mesh_damping_ratio / self.stiffness.natural_frequency
        self.pair = replace(pair, retardation=retardation).build()
        self.system = SystemMotion(self.pair.model)
        self.solver = solver
        self.modes = modes
        self.recorder = ContactRecorder(
            contact=contact, wheels=prepared.wheels, points=prepared.tooth_points(modes), modes=modes
        )
        self.displacement_limit = DisplacementLimit(contact.pair)
        self.frames: list[Frame] = []
        self._stops = StopTimes.of(self.analysis.duration, output_every(case), frame_times)
        self.recorder.fillet = self.recorder.fits_point_by_point(self._stops.n_outputs, self.recorder.n_slots)
        self.warnings = period_warnings(self.analysis.time_step, self.stiffness.natural_frequency)
        self._checkpoint: Checkpoint | None = None
        self._last_sample = -1.0  # its time
        self._extremes = StepExtremes(2)  # transmission error, load of a tooth pair

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
        a, system = self.analysis, self.system
        prescribed = self.pair.driving_rotation in self.pair.model.prescribed_indices
        others = self._tooth_changes() if prescribed else []
        others = sorted([*others, *self._speed.kinks])
        stops = self._stops.with_others(others) if others else self._stops
        self._progress, self._checkpoint = progress, checkpoint
        self.samples = RecordedSamples(self._layout(), None if checkpoint is None else checkpoint.chunks())
        self.recorder.sink = self.samples
        control: FixedStep | AdaptiveStep
        if a.time_step is not None:
            control = FixedStep(h=a.time_step)
        else:
            control = AdaptiveStep(tolerance=a.tolerance, h_max=self._longest_step(self._speed.largest))
        longest = self._longest_between if a.sweeps else None
        self._motion = MotionIntegration(system, SCHEMES[a.method](rho_inf=a.rho_inf), control, longest=longest)
        left = None if checkpoint is None or checkpoint.left is None else self._take_up(checkpoint.left)
        self._motion.run(
            self, stops, lambda: start(system, t=0.0, q=self._start[0], v=self._start[1]), left, compiled=compiled
        )
        self.warnings += parted_step_warnings(a.time_step, self.count.rejected_by_newton)

    def _longest_step(self, speed: float) -> float:
        """A 64th of a pitch at a speed of the driver [s]."""
        return float(self.pair.mesh.contact.pitch_angle[self.pair.driving]) / abs(speed) / STEPS_PER_PITCH

    def _longest_between(self, begin: float, end: float) -> float:
        """That at the largest speed between two times; at the slow end of a sweep steps may be many times as long."""
        return self._longest_step(self._speed.largest_between(begin, end))

    @property
    def energy(self) -> SystemEnergy:
        """Energies so far."""
        return self._motion.energy

    @property
    def count(self) -> StepCount:
        """What the steps cost so far."""
        return self._motion.count

    def _layout(self) -> Layout:
        """What is kept of a sample."""
        points = self.recorder.points
        layout = sample_layout(
            self.recorder.n_slots,
            self.recorder.n_slices,
            points=None if points is None else points.shape,
            fillet=self.recorder.grid if self.recorder.fillet else None,
            supports=self.pair.displaced,
        )
        kept = self.analysis.kept_of_pair
        return layout if kept is None else {name: layout[name] for name in kept if name in layout}

    def record_last(self, state: State) -> None:
        """Take a sample of the last accepted state of a run that failed, also between the output times."""
        if self._last_sample != state.t:
            self._sample(self.system.evaluated(state))

    # ------------------------------------------------------------- checkpoints
    @property
    def saves(self) -> bool:
        """Whether a checkpoint is due."""
        return self._checkpoint is not None and self._checkpoint.is_due

    def save(self, t: float, integration: Arrays) -> None:
        """Save a checkpoint at the time t [s] with what the integration goes on from."""
        assert self._checkpoint is not None
        self._checkpoint.save(t, self._memory(integration), self.warnings)

    def _memory(self, integration: Arrays) -> Arrays:
        """What the study goes on from: of its integration, train and energies, and of what is recorded."""
        return {
            **prefixed("integration", integration),
            **prefixed("system", self.system.data.memory(self.pair.model)),
            **prefixed("record", self.recorder.memory()),
            **prefixed("samples", self.samples.memory()),
            **prefixed("frames", frames_memory(self.frames)),
            **prefixed("energy", self.energy.to_arrays()),
            "last_sample": np.array(self._last_sample),
            "ways": self.displacement_limit.largest,
            **prefixed("extremes", self._extremes.memory()),
        }

    def _take_up(self, left: Left) -> Arrays:
        """Take up what a run has left; returns the memory of its integration."""
        self.warnings[:] = left.warnings
        self.recorder.recall(of_prefix("record", left.memory))
        self.samples.recall(of_prefix("samples", left.memory))
        self.frames[:] = frames_of(of_prefix("frames", left.memory))
        self.system.data.recall(self.pair.model, of_prefix("system", left.memory))
        self._motion.energy = SystemEnergy.from_arrays(of_prefix("energy", left.memory))
        self._last_sample = float(left.memory["last_sample"])
        self.displacement_limit.largest = left.memory["ways"]
        self._extremes.recall(of_prefix("extremes", left.memory))
        return of_prefix("integration", left.memory)

    def _tooth_changes(self) -> list[float]:
        """Times at which the window takes the next teeth."""
        pitch = float(self.pair.mesh.contact.pitch_angle[self.pair.driving])
        times: list[float] = []
        phase = START_PHASE
        last = self.drive.angle(self.analysis.duration) / pitch
        while True:
            phase = self.window.next_change(phase)
            if phase >= last:
                return times
            times.append(self.drive.time_at(phase * pitch))

    # ------------------------------------------------------------------ start
    def equilibrium(self, phase: float, torque: float) -> Equilibrium:
        """Equilibrium at a phase of the driver under a torque [N m] of the load.

        Whatever drives the driver holds it there; its shaft, if it has one, is prescribed as at the start.
        """
        pair, model, contact = self.pair, self.pair.model, self.pair.mesh.contact
        pitch, driving = np.asarray(contact.pitch_angle), pair.driving
        # a pair on fixed axes without modes tells about where
        solver = replace(self.solver.on_fixed_axes, torque=math.copysign(torque / self._of_driven, self.solver.torque))
        near = solver.solve(phase, self.window.first_pair(phase))
        x = np.zeros(model.n)
        x[pair.rotations] = phase * pitch
        behind = near.deflection / pair.mesh.r_b[1 - driving]
        x[pair.rotations[1 - driving]] -= behind
        x[pair.load] = x[pair.rotations[1 - driving]]
        held = {pair.driving_rotation: phase * float(pitch[driving])}
        rates = np.zeros(model.n)
        rates[pair.rotations] = pair.mesh.nominal.speed(0.0) if pair.mesh.nominal is not None else 0.0
        return solve_equilibrium(
            model, self.system.data, held=held, applied={pair.load: self.load.value(0.0) - torque}, x=x, rates=rates
        )

    @property
    def _of_driven(self) -> float:
        """Torque of the driven gear over the pinion's."""
        return abs(self.full_load / self.solver.torque)

    @cached_property
    def _start(self) -> tuple[Array, Array]:
        """Free coordinates in equilibrium, the driver at its phase, and their speeds on the static curve.

        Displacements of gears on bearings start at no rate; modes at that of the teeth that come past their load.
        """
        pair, load, speed = self.pair, self.load.value(0.0), self.drive.speed(0.0)
        x = self.equilibrium(START_PHASE, load or START_LOAD * self.full_load).x
        v = np.zeros(pair.model.n)
        perfect = speed * pair.mesh.r_b[pair.driving] / pair.mesh.r_b
        v[pair.rotations] = perfect
        v[pair.load] = perfect[1 - pair.driving]
        if speed != 0.0 and load != 0.0:
            phase_rate = speed / float(pair.mesh.contact.pitch_angle[pair.driving])
            ahead, behind = (self.equilibrium(START_PHASE + d, load).x for d in (NEAR, -NEAR))
            curve = phase_rate * (ahead - behind) / (2.0 * NEAR)
            moving = [pair.rotations[1 - pair.driving], pair.load, *np.concatenate(pair.modes)]
            v[moving] = curve[moving]
        return self.system.free_of(x), self.system.free_of(v)

    # ------------------------------------------------------------------ record
    def record(self, state: State) -> None:
        """Take an accepted state."""
        motion = self.system.motion(state)
        error = self.pair.mesh.transmission_error(self.pair.angles(motion.x))
        self._check_backlash(state.t, error)
        torque = self._contact(motion).pair_torque[:, PINION]
        self._extremes.update(np.array([error, (torque * self.recorder.load_per_torque).max()]))
        if self._stops.is_frame(state.t):
            forces = self._contact(motion)
            self.frames.append((state.t, self._turned(motion), forces.face_force))
        if self._stops.is_output(state.t):
            self._sample(state)

    def _contact(self, motion: SystemState) -> MeshForces:
        """Contact forces of a motion."""
        return cast("MeshForces", motion.forces.elements[self.pair.mesh_number].response)

    def _vibration(self, v: Array, a: Array) -> PerGear | None:
        """Vibration of the modes of both gears in states v, a (n, N), where they have such."""
        return None if self.modes is None else self.pair.vibration(v, a)

    def _turned(self, motion: SystemState) -> PairMotion:
        """How both gears have turned."""
        return PairMotion.of(self.pair, self.system.data, motion.x, motion.v, motion.a)

    def _sample(self, state: State) -> None:
        """Take a sample of an accepted state."""
        pair, motion = self.pair, self.system.motion(state)
        forces, turned = self._contact(motion), self._turned(motion)
        e = self.energy
        further: dict[str, Any] = {
            "time": state.t,
            "phase": turned.angle[pair.driving] / pair.mesh.contact.pitch_angle[pair.driving],
            "transmission_error": pair.mesh.transmission_error(turned.angle),
            "mesh_stiffness": pair.mesh_stiffness(forces),
            "energy_input": e.input,
            "energy_kinetic": e.kinetic,
            "energy_elastic": e.stored,
            "energy_dissipated": e.dissipated,
            "energy_dissipated_outside": e.outside,
            "angle": turned.angle,
            "speed": turned.speed,
            "acceleration": pair.angles(motion.a),
            "bearing_force": pair.bearing_force(forces, motion)[:, :3],
            **_of_steps(*self._extremes.take()),
        }
        if pair.displaced:
            displacement = pair.displacement(motion.x)
            further |= {"displacement": displacement[:, :3], "tilt": displacement[:, 3:]}
            further["bearing_moment"] = pair.bearing_force(forces, motion)[:, 3:]
            self.displacement_limit.update(displacement, f"t = {state.t:.6g} s")
        self.recorder.add(forces, turned.first_pair, further, self._vibration(motion.v[None], motion.a[None]))
        self._last_sample = state.t
        self.show(state.t)

    def record_samples(self, samples: MotionSamples) -> None:
        """Record a block of samples from compiled code."""
        if not len(samples):
            return
        pair, mesh = self.pair, samples.meshes[0]
        pitch = np.asarray(pair.mesh.contact.pitch_angle)
        face_force = mesh.loaded.nodal_forces()
        angle, speed = samples.x[:, pair.rotations], samples.v[:, pair.rotations]
        frames = np.flatnonzero(samples.flags & FRAME)
        vibration = np.concatenate(pair.vibration(samples.v[frames], samples.a[frames]), axis=1)
        for i, away in zip(frames, vibration, strict=True):
            first_pair = int(mesh.first_pair[i])
            turned = PairMotion(
                angle=angle[i],
                speed=speed[i],
                local=angle[i] - first_pair * pitch,
                first_pair=first_pair,
                vibration=away,
            )
            self.frames.append((float(samples.time[i]), turned, (face_force[0][i], face_force[1][i])))
        out = np.flatnonzero(samples.flags & OUTPUT)
        steps = samples.steps
        errors = pair.mesh.transmission_errors(steps.x[:, pair.rotations])
        of_teeth = (steps.pair_torque[:, 0] * self.recorder.load_per_torque).max(axis=1)
        extremes = self._extremes.of_samples(steps.time, np.column_stack([errors, of_teeth]), samples.time[out])
        if not out.size:
            return
        force, moment = (part[out] for part in mesh.loaded.resultants())
        x, v, a = samples.x[out], samples.v[out], samples.a[out]
        on_bearings = pair.bearing_forces(force, x, v, a)
        further = {
            "time": samples.time[out],
            "phase": angle[out, pair.driving] / pitch[pair.driving],
            "transmission_error": pair.mesh.transmission_errors(angle[out]),
            "mesh_stiffness": np.array([pair.stiffness_of(by) for by in mesh.by_coordinate[out]]),
            "energy_input": samples.energies["input"][out],
            "energy_kinetic": samples.energies["kinetic"][out],
            "energy_elastic": samples.energies["stored"][out],
            "energy_dissipated": samples.energies["dissipated"][out],
            "energy_dissipated_outside": samples.energies["outside"][out],
            "angle": angle[out],
            "speed": speed[out],
            "acceleration": a[:, pair.rotations],
            "bearing_force": on_bearings[:, :, :3],
            **_of_steps(*extremes),
        }
        if pair.displaced:
            displacement = pair.displacements(x)
            further |= {"displacement": displacement[:, :, :3], "tilt": displacement[:, :, 3:]}
            further["bearing_moment"] = on_bearings[:, :, 3:]
            self.displacement_limit.update_all(displacement, samples.time[out])
        slices = mesh.loaded.slices()
        self.recorder.add_many(
            mesh.first_pair[out],
            mesh.pair_torque[out],
            SliceLoads(**{name: values[out] for name, values in vars(slices).items()}),
            (force, moment),
            (face_force[0][out], face_force[1][out]),
            further,
            self._vibration(v, a),
        )
        self._last_sample = float(samples.time[out[-1]])

    def show(self, t: float) -> None:
        """Tell how far the motion has come."""
        rpm = 30.0 / math.pi * abs(self.drive.speed(t))
        where = f"t = {t:.4g} of {self.analysis.duration:.4g} s, driver at {rpm:.0f} rpm, {self.count.accepted} steps"
        report_status(self._progress, where)
        advance_in_time(self._progress, t, self.analysis.duration)

    def _check_backlash(self, t: float, te: float) -> None:
        """Warn once if the driven wheel runs ahead until back flanks would touch that the contact does not know."""
        contact = self.pair.mesh.contact
        if contact.has_back_flanks:
            return
        pair = contact.pair
        allowance = pair.backlash_on_line_of_action
        deflection = abs(self.solver.torque) / pair.pinion.r_b / self.stiffness.mean
        warned = any(warning.startswith(RUNS_AHEAD) for warning in self.warnings)
        if te > allowance + SEPARATION * deflection and not warned:
            self.warnings.append(
                f"{RUNS_AHEAD} by {1e6 * te:.3g} um at t = {t:.4g} s: more than the backlash along the line "
                f"of action, {1e6 * allowance:.3g} um; the law penalty knows no back flanks: "
                'use law = "hertz", raise the torque or the damping, or slow the ramp'
            )

    # ----------------------------------------------------------------- history
    def history(self) -> DynamicHistory:
        """What has been computed so far, by slot of the window."""
        self.recorder.flush()
        points = self.recorder.points
        return DynamicHistory(
            samples=self.samples,
            slice_position=self.recorder.slice_position,
            flank_limit=self.recorder.flank_limit,
            root_fillet=self.recorder.root_fillet(),
            points=None if points is None else points.where(),
        )
