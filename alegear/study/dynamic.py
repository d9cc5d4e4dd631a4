"""Dynamic study: a pair on hinges or bearings in motion; the drive prescribes the speed, the load the torque."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.contact.forces import Arrays, SliceLoads
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.supported import SupportedContact, SupportedForces
from alegear.contact.numbering import PINION, WHEEL
from alegear.dynamics.generalized_alpha import SCHEMES, GeneralizedAlpha
from alegear.dynamics.joints import CubicStep, PrescribedRotation, Profile, Table
from alegear.dynamics.rigid_body import RotatingBody
from alegear.dynamics.step_control import AdaptiveStep, FixedStep, StepCount, StepMemory, integrate
from alegear.dynamics.system import State, start
from alegear.errors import NonConvergence
from alegear.parallel import in_parallel, workers
from alegear.reduction.normal_modes import stored_normal_modes
from alegear.results.dynamic_result import DynamicHistory, sample_layout
from alegear.results.log import Log
from alegear.results.samples import Layout, SampleLog
from alegear.study import train_kernels as kernels
from alegear.study.dynamic_memory import (
    STEPWISE,
    Frame,
    frames_memory,
    frames_of,
    of_prefix,
    prefixed,
    stepwise_memory,
    stepwise_of,
)
from alegear.study.gear_train import EnergyAccount, GearMotion, GearTrain, contact_of, mesh_mode
from alegear.study.line_train import LineTrain, TrainSamples
from alegear.study.progress import Progress, tell
from alegear.study.recorder import ContactRecorder
from alegear.study.small_displacements import SmallDisplacements
from alegear.study.speed_limits import period_warnings
from alegear.study.static import StaticPosition, StaticSolver, default_threshold
from alegear.study.stop_times import FRAME, OUTPUT, StopTimes
from alegear.study.supported_train import SupportedTrain, supported_gears
from alegear.study.vibrating_train import VibratingTrain, damping_of_the_rest, vibrating_contact

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.study.checkpoint import Checkpoint, Left
    from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]

START_PHASE = -0.5  # of the driver, in double contact; the static study starts there too
NEAR = 1e-3  # pitches on both sides of the start between which the static curve tells the speeds there
SEPARATION = 0.01  # part of the static deflection by which flanks may part before it is worth a word
START_LOAD = 1e-6  # part of the torque under which a run from rest starts: flanks touch, and do not push each other off
STIFFNESS_POSITIONS = 16  # per pitch, for the mean mesh stiffness
STEPS_PER_PITCH = 64  # at least, for the adaptive step: no contact event is stepped over
DEFAULT_FRAMES = 20  # fields of a run that names no times
RUNS_AHEAD = "driven gear runs ahead"
#: Variables with a number a sample -> column of the samples from compiled code.
SCALARS = {
    "time": kernels.TIME,
    "phase": kernels.PHASE,
    "transmission_error": kernels.TE,
    "mesh_stiffness": kernels.STIFFNESS,
    "energy_input": kernels.ENERGIES + kernels.INPUT,
    "energy_kinetic": kernels.ENERGIES + kernels.KINETIC,
    "energy_elastic": kernels.ENERGIES + kernels.ELASTIC,
    "energy_dissipated": kernels.ENERGIES + kernels.DISSIPATED,
    "energy_dissipated_outside": kernels.ENERGIES + kernels.OUTSIDE,
}
#: What a sweep keeps of its samples: its statistics need no more.
OF_SWEEP = ("time", "phase", "transmission_error", "tooth_load", "root_stress")


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshStiffness:
    """Pitch-mean mesh stiffness [N/m], and the natural frequency [rad/s] of the train's mode in the mesh on it."""

    mean: float
    natural_frequency: float


def pitch_mean_stiffness(solver: StaticSolver, window: ToothWindow) -> float:
    """Mean mesh stiffness over a pitch [N/m]."""
    total, guess = 0.0, None
    for i in range(STIFFNESS_POSITIONS):
        phase = -0.5 + (i + 0.5) / STIFFNESS_POSITIONS
        position = solver.solve(phase, window.first_pair(phase), guess)
        guess = position.deflection
        total += position.mesh_stiffness
    return total / STIFFNESS_POSITIONS


def _train(case: Case, prepared: PreparedPair, solver: StaticSolver, given: dict[str, Any]) -> GearTrain:
    """Make the system that moves: on hinges, on supports that give way, or of wheels that vibrate."""
    contact, analysis = prepared.contact, case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    if isinstance(contact, SupportedContact):
        return SupportedTrain(contact=contact, gears=supported_gears(case.supports, prepared.wheels), **given)
    if not analysis.normal_modes:
        return GearTrain(contact=contact, **given)
    assert isinstance(contact, LineContact)
    pinion, wheel = in_parallel(
        [partial(stored_normal_modes, w.sector, w.material, analysis.normal_modes) for w in prepared.wheels]
    )
    vibrating = vibrating_contact(contact, (pinion, wheel), prepared.wheels)
    if given["retardation"]:
        given = given | {"retardation": given["retardation"] * damping_of_the_rest(vibrating, solver, given["window"])}
    return VibratingTrain(contact=vibrating, modes=(pinion, wheel), damping_ratio=analysis.modal_damping_ratio, **given)


def _over_time(
    table: tuple[tuple[float, float], ...] | None, full: float, factor: float, ramp: float, *, straight: bool = False
) -> Profile:
    """Values of a table of the pinion's times a factor; without one the full value, from rest where there is a ramp."""
    if table is None:
        return CubicStep(y0=0.0 if ramp > 0.0 else full, y1=full, t0=0.0, t1=ramp)
    times, values = zip(*table, strict=True)
    return Table(times=times, values=tuple(factor * value for value in values), straight=straight)


class DynamicStudy:
    """One dynamic run.

    Attributes
    ----------
    system : GearTrain
    stiffness : MeshStiffness
    recorder : ContactRecorder
    samples : SampleLog
        Grows with the output times, so that an interrupted run keeps what it has; there from :meth:`run` on.
    warnings : list of str
    """

    def __init__(
        self, prepared: PreparedPair, solver: StaticSolver, case: Case, *, frame_times: Sequence[float]
    ) -> None:
        analysis = case.analysis
        self.analysis: DynamicAnalysis = analysis  # type: ignore[assignment]
        assert case.operation.pinion_speed is not None
        contact = prepared.contact
        lead = PINION if case.operation.driver == "pinion" else WHEEL
        driven = 1 - lead
        pinion, wheel = (
            RotatingBody(body_inertia=w.inertia, added_inertia=added)
            for w, added in zip(prepared.wheels, case.added_inertia, strict=True)
        )
        self.bodies = (pinion, wheel)
        self.engagement: tuple[float, float] | None = None
        threshold = self.analysis.tooth_change_threshold
        if threshold is None:
            threshold, self.engagement = default_threshold(solver)
        self.window = prepared.window(threshold)
        r_b = np.array([contact.pair.pinion.r_b, contact.pair.wheel.r_b])
        # the first mode of gears whose axes are held, whatever their supports: damping is that of the teeth
        held = replace(solver, contact=contact.on_hinges) if isinstance(contact, SupportedContact) else solver
        mean = pitch_mean_stiffness(held, self.window)
        frequency = mesh_mode(mean, r_b=r_b, bodies=self.bodies, lead=lead, shafts=case.shafts)
        self.stiffness = MeshStiffness(mean=mean, natural_frequency=frequency)

        omega = float(solver.omega[lead])
        of_driven = contact.pair.ratio if driven == WHEEL else 1.0  # torque of the driven gear over the pinion's
        operation, ramp = case.operation, self.analysis.ramp
        load = _over_time(operation.torque_table, of_driven * operation.pinion_torque, of_driven, ramp)
        speed = _over_time(
            operation.speed_table,
            omega,
            omega / case.operation.pinion_speed,
            ramp,
            straight=isinstance(self.analysis, SweepAnalysis),
        )
        start_angle = START_PHASE * float(contact.pitch_angle[lead])
        shaft = case.shafts[lead]
        if shaft is not None:
            start_angle += load.value(0.0) * float(r_b[lead] / r_b[driven]) / shaft.stiffness
        drive = PrescribedRotation(speed_ramp=speed, start_angle=start_angle)
        train: dict[str, Any] = {
            "window": self.window,
            "drive": drive,
            "load": load,
            "bodies": self.bodies,
            "lead": lead,
            "retardation": 2.0 * self.analysis.mesh_damping_ratio / self.stiffness.natural_frequency,
            "deflection": abs(solver.torque) / contact.pair.pinion.r_b / self.stiffness.mean,
            "force": abs(solver.torque) * of_driven,
            "shafts": case.shafts,
        }
        self.system = _train(case, prepared, solver, train)
        self.solver = solver
        self.recorder = ContactRecorder(contact=contact, wheels=prepared.wheels, points=prepared.tooth_points())
        self.ways = SmallDisplacements(contact.pair)
        self.frames: list[Frame] = []
        self._stops = StopTimes.of(self.analysis.duration, self.analysis.output_every, frame_times)
        self.recorder.fillet = self.recorder.fits_point_by_point(self._stops.n_outputs, self.recorder.n_slots)
        self.warnings = period_warnings(self.analysis.time_step, self.stiffness.natural_frequency)
        self.count = StepCount()
        self._checkpoint: Checkpoint | None = None
        self._last_sample = -1.0  # its time
        self.energy = EnergyAccount()

    # -------------------------------------------------------------------- run
    def run(
        self,
        progress: Progress,
        checkpoint: Checkpoint | None = None,
        folder: Path | None = None,
        *,
        compiled: bool = True,
    ) -> None:
        """Integrate; record every output time.

        Parameters
        ----------
        progress : Progress
        checkpoint : Checkpoint, optional
            Kept up to date on the way; a run that is resumed goes on from it.
        folder : Path, optional
            Where there is room for the samples, in a file without a name; default: that of the system for temporary
            files. With checkpoints the samples are kept there.
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
        others = self._tooth_changes() if system.drive_shaft is None else []
        if isinstance(system.drive.speed_ramp, Table):
            others = sorted([*others, *system.drive.speed_ramp.corners])
        stops = self._stops.with_others(others) if others else self._stops
        self._progress, self._checkpoint = progress, checkpoint
        self.samples = SampleLog(Log(folder=folder) if checkpoint is None else checkpoint.log(folder), self._layout())
        self.recorder.sink = self.samples
        period = float(system.contact.pitch_angle[system.lead]) / abs(system.drive.speed_ramp.largest)
        control: FixedStep | AdaptiveStep
        if a.time_step is not None:
            control = FixedStep(h=a.time_step)
        else:
            control = AdaptiveStep(tolerance=a.tolerance, h_max=period / STEPS_PER_PITCH)
        scheme = SCHEMES[a.method](rho_inf=a.rho_inf)
        left = None if checkpoint is None or checkpoint.left is None else self._take_up(checkpoint.left)
        steps, self.count = StepMemory(length=a.time_step), StepCount()
        if left is not None and left[STEPWISE]:
            state, steps, self.count = stepwise_of(system, left)
        else:
            if left is None:
                state = start(system, t=0.0, q=self._start_angles(), v=self._start_speeds())
                self._record(state)
            else:
                state = LineTrain.state_in(system, left)
            in_lines = isinstance(system.contact, LineContact) and self.window.threshold is not None
            if compiled and in_lines and system.is_simple:
                fast = self._run_compiled(state, scheme, control, stops, left)
                if not fast.failed:
                    return
                # The step that failed is tried again where the reasons are known in words.
                state, steps.length = fast.state(), fast.length

        def on_step(new: State) -> None:
            nonlocal state
            state = new
            self._record(state)
            self._save_if_due(state.t, lambda: stepwise_memory(state, steps, self.count))

        try:
            for times, _ in stops.after(state.t):
                integrate(
                    system,
                    state,
                    float(times[-1]),
                    scheme=scheme,
                    control=control,
                    on_step=on_step,
                    stop_times=times,
                    memory=steps,
                    count=self.count,
                )
        except NonConvergence:
            self._keep_last(state)
            raise

    def _layout(self) -> Layout:
        """What is kept of a sample."""
        points = self.recorder.points
        layout = sample_layout(
            self.recorder.n_slots,
            self.recorder.n_slices,
            points=None if points is None else points.shape,
            fillet=self.recorder.grid if self.recorder.fillet else None,
            supports=isinstance(self.system, SupportedTrain),
        )
        return {name: layout[name] for name in OF_SWEEP} if isinstance(self.analysis, SweepAnalysis) else layout

    def _keep_last(self, state: State) -> None:
        """Take a sample of the last accepted state of a run that failed, also between the output times."""
        if self._last_sample == state.t:
            return
        if state.force.payload is None:  # the state of a run that was resumed
            self.system.begin_step(state.t, state.q, state.v, state.h)
            state = replace(state, force=self.system.force(state.t, state.q, state.v))
        self._sample(state)

    def _run_compiled(
        self,
        state: State,
        scheme: GeneralizedAlpha,
        control: FixedStep | AdaptiveStep,
        stops: StopTimes,
        left: Arrays | None,
    ) -> LineTrain:
        """Integrate in compiled code as far as it goes, from what a run has left where there is such."""
        fast = LineTrain(self.system, state, scheme=scheme, control=control, account=self.energy.to_array())
        if left is not None:
            fast.recall(left)
        with ThreadPoolExecutor(1) as recorder:  # root stresses of one block while the next is computed
            recorded: Future[None] | None = None
            for samples in fast.run(stops.after(fast.time)):
                if recorded is not None:
                    recorded.result()
                recorded = recorder.submit(self._record_samples, samples)
                if workers() == 1:
                    recorded.result()
                self._show(fast.time)
                self.energy, self.count = EnergyAccount.from_array(fast.account), fast.count
                if self._checkpoint is not None and self._checkpoint.is_due:
                    recorded.result()
                    self._save_if_due(fast.time, fast.memory)
            if recorded is not None:
                recorded.result()
        return fast

    # ------------------------------------------------------------- checkpoints
    def _save_if_due(self, t: float, integration: Callable[[], Arrays]) -> None:
        """Save a checkpoint at the time t [s] with what the integration goes on from, if it is time for one."""
        if self._checkpoint is not None and self._checkpoint.is_due:
            self._checkpoint.save(t, self._memory(integration()), self.warnings)

    def _memory(self, integration: Arrays) -> Arrays:
        """What the study goes on from: of its integration, train and energies, and of what is recorded."""
        return {
            **prefixed("integration", integration),
            **prefixed("train", self.system.memory()),
            **prefixed("record", self.recorder.memory()),
            **prefixed("samples", self.samples.memory()),
            **prefixed("frames", frames_memory(self.frames)),
            "energy": self.energy.to_array(),
            "last_sample": np.array(self._last_sample),
            "ways": self.ways.largest,
        }

    def _take_up(self, left: Left) -> Arrays:
        """Take up what a run has left; returns the memory of its integration."""
        self.warnings[:] = left.warnings
        self.recorder.recall(of_prefix("record", left.memory))
        self.samples.recall(of_prefix("samples", left.memory))
        self.frames[:] = frames_of(of_prefix("frames", left.memory))
        self.system.recall(of_prefix("train", left.memory))
        self.energy = EnergyAccount.from_array(left.memory["energy"])
        self._last_sample = float(left.memory["last_sample"])
        self.ways.largest = left.memory["ways"]
        return of_prefix("integration", left.memory)

    def _tooth_changes(self) -> list[float]:
        """Times at which the window takes the next teeth."""
        system = self.system
        times: list[float] = []
        phase = START_PHASE
        last = system.phase(self.analysis.duration)
        while True:
            phase = self.window.next_change(phase)
            if phase >= last:
                return times
            times.append(system.drive.time_at(phase * float(system.contact.pitch_angle[system.lead])))

    def equilibrium(self, phase: float, load_factor: float) -> StaticPosition:
        """Static equilibrium at a phase of the driver.

        Under a part of the load torque of the driven gear, of a table that of its largest. The static solver takes the
        torque of the pinion, which differs from it by some tenths of a per cent of the ratio, because the stiffness
        varies with the phase, and by friction.
        """
        driven = self.system.driven
        r_b, pitch = self.system.r_b[driven], float(self.solver.contact.pitch_angle[driven])
        load = load_factor * self._full_load
        deflection, torque = 0.0, load_factor * self.solver.torque
        # the static solver takes the phase of the driven gear, which lags by the deflection
        for _ in range(20):
            lagging = phase - deflection / (r_b * pitch)
            position = replace(self._start_solver(), torque=torque).solve(
                lagging, self.window.first_pair(phase), deflection or None
            )
            excess = float(position.forces.torque[driven]) / load - 1.0
            settled = max(abs(position.deflection / deflection - 1.0) if deflection else 1.0, abs(excess)) <= 1e-10
            deflection, torque = position.deflection, torque / (1.0 + excess)
            if settled:
                break
        return position

    def _start_solver(self) -> StaticSolver:
        """The static solver; of wheels that vibrate with what their rotation does to them at the start."""
        if not isinstance(self.system, VibratingTrain):
            return self.solver
        still = self.system.vibrating.still
        still.turn(self.system.rotation_loads(0.0))
        return replace(self.solver, contact=still)

    @property
    def _full_load(self) -> float:
        """Largest load torque of the driven gear [N m], negative on the back flanks; that of the scales if it idles."""
        return math.copysign(float(self.system.force_scale[0]), self.solver.torque)

    def _start_angles(self) -> Array:
        """Coordinates in equilibrium, the driver at its phase; its shaft is twisted by what the load asks for."""
        system, load = self.system, self.system.load.value(0.0)
        position = self.equilibrium(START_PHASE, load / self._full_load if load else START_LOAD)
        lead_angle = START_PHASE * float(system.contact.pitch_angle[system.lead])
        driven_angle = (system.r_b[system.lead] * lead_angle - position.deflection) / system.r_b[system.driven]
        angles = [driven_angle]
        if system.drive_shaft is not None:
            angles.append(lead_angle)
        if system.load_shaft is not None:
            angles.append(driven_angle - load / system.load_shaft.stiffness)
        if isinstance(system, SupportedTrain):
            # of a static law at no rate, so that it carries its displacements
            assert isinstance(position.forces, SupportedForces)
            angles.extend(position.forces.displacement.ravel()[system.places])
        if isinstance(system, VibratingTrain):
            angles.extend(system.at_rest(position.forces.face_force, system.window.first_pair(START_PHASE), 0.0))
        return np.array(angles)

    def _start_speeds(self) -> Array:
        """Speeds on the static curve: the driver's that of the drive, the others less the change of the deflection.

        Displacements of gears on supports start at no rate; modes at that of the teeth that come past their load.
        """
        system = self.system
        speed, load = system.drive.speed(0.0), system.load.value(0.0)
        driven = speed * system.r_b[system.lead] / system.r_b[system.driven]
        further = np.zeros(system.n_dof - system.n_rotations)
        if speed != 0.0 and load != 0.0:
            phase_rate = speed / float(system.contact.pitch_angle[system.lead])
            ahead, behind = (self.equilibrium(START_PHASE + d, load / self._full_load) for d in (NEAR, -NEAR))
            driven -= phase_rate * (ahead.deflection - behind.deflection) / (2.0 * NEAR) / system.r_b[system.driven]
            if isinstance(system, VibratingTrain):
                first_pair = system.window.first_pair(START_PHASE)
                one, two = (system.at_rest(p.forces.face_force, first_pair, 0.0) for p in (ahead, behind))
                further = phase_rate * (one - two) / (2.0 * NEAR)
        speeds = [float(driven)]
        if system.drive_shaft is not None:
            speeds.append(speed)
        if system.load_shaft is not None:
            speeds.append(float(driven))
        return np.concatenate([speeds, further])

    # ------------------------------------------------------------------ record
    def _record(self, state: State) -> None:
        system = self.system
        forces, motion = contact_of(state)
        te = system.transmission_error(motion.angle)
        self.energy.carry_on(system, state.t, forces, motion)
        self._check_backlash(state.t, te)
        if self._stops.is_frame(state.t):
            self.frames.append((state.t, motion, forces.face_force))
        if self._stops.is_output(state.t):
            self._sample(state)

    def _sample(self, state: State) -> None:
        """Take a sample of an accepted state."""
        system = self.system
        forces, motion = contact_of(state)
        te = system.transmission_error(motion.angle)
        stiffness = system.mesh_stiffness(forces)
        acceleration = system.acceleration(state)
        phase = motion.angle[system.lead] / system.contact.pitch_angle[system.lead]
        e = self.energy
        further: dict[str, Any] = {
            "time": state.t,
            "phase": phase,
            "transmission_error": te,
            "mesh_stiffness": stiffness,
            "energy_input": e.input,
            "energy_kinetic": e.kinetic,
            "energy_elastic": e.elastic,
            "energy_dissipated": e.dissipated,
            "energy_dissipated_outside": e.outside,
            "angle": motion.angle,
            "speed": motion.speed,
            "acceleration": acceleration,
            "bearing_force": system.bearing_force(forces, motion, state.vdot),
        }
        if isinstance(system, SupportedTrain):
            displacement, load = system.displacement(motion.further), system.support_force(motion)
            further |= {"displacement": displacement[:, :3], "tilt": displacement[:, 3:]}
            further |= {"bearing_force": load[:, :3], "bearing_moment": load[:, 3:]}
        self.recorder.add(forces, motion.first_pair, further)
        self._last_sample = state.t
        self._show(state.t)
        if isinstance(system, SupportedTrain):
            self.ways.look(system.displacement(motion.further), f"t = {state.t:.6g} s")

    def _record_samples(self, samples: TrainSamples) -> None:
        """Record a block of samples from compiled code."""
        if not len(samples):
            return
        v = samples.values
        marks = v[:, kernels.FLAGS].astype(np.int64)
        face_force = samples.loaded.nodal_forces()

        def both(column: int, rows: Any) -> Array:
            return v[rows, column : column + 2]

        for i in np.flatnonzero(marks & FRAME):
            motion = GearMotion(
                angle=both(kernels.ANGLES, i),
                speed=both(kernels.SPEEDS, i),
                local=both(kernels.LOCAL, i),
                first_pair=int(samples.first_pair[i]),
                load_angle=float(v[i, kernels.ANGLES + self.system.driven]),
                load_speed=float(v[i, kernels.SPEEDS + self.system.driven]),
            )
            self.frames.append((float(v[i, kernels.TIME]), motion, (face_force[0][i], face_force[1][i])))
        out = np.flatnonzero(marks & OUTPUT)
        if not out.size:
            return
        force, moment = (part[out] for part in samples.loaded.resultants())
        further = {
            **{name: v[out, column] for name, column in SCALARS.items()},
            "angle": both(kernels.ANGLES, out),
            "speed": both(kernels.SPEEDS, out),
            "acceleration": both(kernels.ACCELERATIONS, out),
            "bearing_force": np.stack([force, -force], axis=1),
        }
        slices = samples.slices()
        self.recorder.add_many(
            samples.first_pair[out],
            samples.pair_torque[out],
            SliceLoads(**{name: values[out] for name, values in vars(slices).items()}),
            (force, moment),
            (face_force[0][out], face_force[1][out]),
            further,
        )
        self._last_sample = float(v[out[-1], kernels.TIME])

    def _show(self, t: float) -> None:
        """Tell how far the motion has come."""
        rpm = 30.0 / math.pi * abs(self.system.drive.speed(t))
        where = f"t = {t:.4g} of {self.analysis.duration:.4g} s, driver at {rpm:.0f} rpm, {self.count.accepted} steps"
        tell(self._progress, where)
        self._progress.advance(min(int(1000 * t / self.analysis.duration), 1000), 1000)

    def _check_backlash(self, t: float, te: float) -> None:
        """Warn once if the driven wheel runs ahead until back flanks would touch that the contact does not know."""
        if self.system.contact.has_back_flanks:
            return
        pair = self.system.contact.pair
        allowance = max(pair.j_wt * math.cos(pair.alpha_wt), 0.0)  # without backlash j_wt is round-off of either sign
        deflection = float(self.system.displacement_scale[0] * self.system.r_b[self.system.driven])
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
