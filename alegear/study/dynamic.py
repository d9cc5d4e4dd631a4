"""Dynamic study, first form: both wheels hinged, the driver's speed prescribed, the driven wheel free under its load.

The elastic coordinates have no inertia and are solved inside the contact, so the driven rotation is the only coordinate
that is integrated. The full floating frame (bearings, tilting) takes the place of :class:`GearTrain` as another
:class:`~alegear.dynamics.system.System`; scheme, step control and contact stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.contact.forces import ContactForces, ElasticHistory, FlexibleContact, PerGear, SliceLoads
from alegear.contact.hertz.contact import LineContact
from alegear.contact.numbering import PINION, WHEEL
from alegear.dynamics.generalized_alpha import SCHEMES, GeneralizedAlpha
from alegear.dynamics.joints import CubicStep, PrescribedRotation
from alegear.dynamics.rigid_body import RotatingBody
from alegear.dynamics.step_control import AdaptiveStep, FixedStep, StepCount, distinct, integrate
from alegear.dynamics.system import ForceEvaluation, State, System, start
from alegear.errors import NonConvergence
from alegear.reduction.parallel import workers
from alegear.results.dynamic_result import DynamicHistory
from alegear.study import train_kernels as kernels
from alegear.study.line_train import LineTrain, TrainSamples
from alegear.study.progress import Progress
from alegear.study.recorder import ContactRecorder
from alegear.study.static import StaticSolver, default_threshold

if TYPE_CHECKING:
    from alegear.study.case import Case, DynamicAnalysis
    from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]

START_PHASE = -0.5  # of the driver, in double contact; the static study starts there too
SEPARATION = 0.01  # part of the static deflection by which flanks may part before it is worth a word
START_LOAD = 1e-6  # part of the torque under which a run from rest starts: flanks touch, and do not push each other off
STIFFNESS_POSITIONS = 16  # per pitch, for the mean mesh stiffness
STEPS_PER_PITCH = 64  # at least, for the adaptive step: no contact event is stepped over
SAME_TIME = 1e-12  # part of the duration by which two times may differ and be the same, written twice
DEFAULT_FRAMES = 20  # fields of a run that names no times
OUTPUT, FRAME = 1, 2  # flags of the times at which a sample is taken


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshStiffness:
    """Pitch-mean mesh stiffness [N/m] and what follows from it for the free wheel.

    ``mean`` [N/m]; ``natural_frequency`` [rad/s] of the driven wheel on it, sqrt(k r_b^2/J), the driver being
    prescribed.
    """

    mean: float
    natural_frequency: float


def pitch_mean_stiffness(solver: StaticSolver, window: ToothWindow, inertia: float) -> MeshStiffness:
    """Mean mesh stiffness over a pitch, and the natural frequency of the driven wheel (inertia [kg m2]) on it."""
    total, guess = 0.0, None
    for i in range(STIFFNESS_POSITIONS):
        phase = -0.5 + (i + 0.5) / STIFFNESS_POSITIONS
        position = solver.solve(phase, window.first_pair(phase), guess)
        guess = position.deflection
        total += position.mesh_stiffness
    mean = total / STIFFNESS_POSITIONS
    pair = solver.contact.pair
    r_b = pair.wheel.r_b if solver.driver == "pinion" else pair.pinion.r_b
    return MeshStiffness(mean=mean, natural_frequency=math.sqrt(mean * r_b**2 / inertia))


@dataclass(frozen=True, kw_only=True, eq=False)
class GearMotion:
    """Rotations and speeds of both gears, shape (2,) [rad], [rad/s], and their phase-reduced rotations.

    ``local`` are rotations counted from the pitch-point contact of the pair in slot 0; ``first_pair`` is that pair.
    """

    angle: Array
    speed: Array
    local: Array
    first_pair: int


def contact_of(state: State) -> tuple[ContactForces, GearMotion]:
    """What :meth:`GearTrain.force` left in an accepted state."""
    return cast("tuple[ContactForces, GearMotion]", state.force.payload)


def _snapped(times: Iterable[float], onto: Iterable[float], within: float) -> set[float]:
    """The times, those that lie `within` [s] of one of `onto` replaced by that one."""
    marks = np.sort(np.array(list(onto)))
    snapped = set()
    for t in times:
        nearest = float(marks[np.abs(marks - t).argmin()])
        snapped.add(nearest if abs(nearest - t) <= within else float(t))
    return snapped


class GearTrain(System):
    """Driven wheel J d(omega)/dt = contact torque - load torque, against a driver whose rotation is prescribed.

    Parameters
    ----------
    contact : FlexibleContact
    window : ToothWindow
    drive : PrescribedRotation
        Of the driver, in the running direction.
    load : CubicStep [N m]
        Load torque on the driven gear, against the running direction.
    bodies : RotatingBody of pinion and wheel
    lead : int
        The driver: 0 pinion, 1 wheel.
    retardation : float [s]
        Kelvin-Voigt retardation time beta of the mesh: the contact is that of the driven wheel turned ahead by beta
        times its vibration speed. The gaps of flanks that roll on each other change all the time also without
        vibration; a damping of that rate would carry load of its own and is left out.
    deflection : float [m]
        Typical static deflection along the line of action, the scale of the error control.
    force : float [N m]
        Typical torque on the driven gear, the scale of Newton's tolerance.
    """

    def __init__(
        self,
        *,
        contact: FlexibleContact,
        window: ToothWindow,
        drive: PrescribedRotation,
        load: CubicStep,
        bodies: tuple[RotatingBody, RotatingBody],
        lead: int,
        retardation: float,
        deflection: float,
        force: float,
    ) -> None:
        self.contact, self.window = contact, window
        self.drive, self.load, self.bodies = drive, load, bodies
        self.lead, self.driven = lead, 1 - lead
        self.retardation = retardation
        self.r_b = np.array([contact.pair.pinion.r_b, contact.pair.wheel.r_b])
        self._scale = np.array([deflection / self.r_b[self.driven]])
        self._force_scale = np.array([force])
        self._mass = np.array([[bodies[self.driven].inertia]])
        self.first_pair = 0
        self._before: tuple[ContactForces, int] | None = None
        self._history: ElasticHistory | None = None
        # where nothing is lost and nothing retarded, the forces of the step may serve the energy too
        self._lossless = contact.lossless or (contact if retardation > 0.0 else None)

    # ----------------------------------------------------------------- System
    @property
    def n_dof(self) -> int:
        return 1

    @property
    def displacement_scale(self) -> Array:
        return self._scale

    @property
    def force_scale(self) -> Array:
        return self._force_scale

    def mass_matrix(self) -> Array:
        return self._mass

    def begin_step(self, t: float, q: Array, v: Array, h: float) -> None:
        """Choose the teeth in the window (tooth-change) and take over the deformation they have.

        The phase in the middle of the step decides, because steps end exactly at tooth-changes.
        """
        self.first_pair = self.window.first_pair(self.phase(t - 0.5 * h))
        self._history = None
        if self._before is not None and h > 0.0:
            forces, first_before = self._before
            self._history = self.contact.history(forces, self.first_pair - first_before, h)

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        motion = self.motion(t, q, v)
        none = np.zeros((1, 1))
        te = self.transmission_error(motion.angle)
        if abs(te) > self.largest_error:
            return ForceEvaluation(
                Q=np.zeros(1),
                dQ_dq=none,
                dQ_dv=none,
                failure=f"the driven gear is {1e3 * te:.3g} mm off its place, more than half a pitch, so that its "
                "teeth would pass through others",
            )
        d = self.driven
        ahead = motion.local.copy()
        ahead[d] += self.retardation * self.vibration_speed(motion.speed)
        try:
            forces = self.contact.evaluate(ahead, motion.speed, first_pair=motion.first_pair, history=self._history)
        except NonConvergence as failure:
            return ForceEvaluation(Q=np.zeros(1), dQ_dq=none, dQ_dv=none, failure=str(failure))
        assert forces.torque_phi is not None
        assert forces.torque_omega is not None
        slope = forces.torque_phi[d : d + 1, d : d + 1]
        return ForceEvaluation(
            Q=np.array([forces.torque[d] - self.load.value(t)]),
            dQ_dq=slope,
            dQ_dv=forces.torque_omega[d : d + 1, d : d + 1] + self.retardation * slope,
            payload=(forces, motion),
        )

    def conservative(self, forces: ContactForces, motion: GearMotion) -> ContactForces:
        """Contact without friction, damping and retardation at the same rotations, with its energy."""
        if self._lossless is not None or forces.energy is None:
            contact = self._lossless or self.contact
            forces = contact.evaluate(motion.local, first_pair=motion.first_pair, tangent=False, energy=True)
        return forces

    def accept(self, state: State) -> None:
        forces, motion = contact_of(state)
        self._before = (forces, motion.first_pair)

    @property
    def largest_error(self) -> float:
        """Transmission error [m] beyond which the search would find other teeth, or none, and the wheel be free."""
        return 0.5 * self.contact.pair.p_bt

    # ----------------------------------------------------------------- motion
    def phase(self, t: float) -> float:
        """Phase of the driver [pitches]."""
        return self.drive.angle(t) / float(self.contact.pitch_angle[self.lead])

    def motion(self, t: float, q: Array, v: Array) -> GearMotion:
        angle, speed = np.empty(2), np.empty(2)
        angle[self.lead], speed[self.lead] = self.drive.angle(t), self.drive.speed(t)
        angle[self.driven], speed[self.driven] = q[0], v[0]
        local = angle - self.first_pair * self.contact.pitch_angle
        return GearMotion(angle=angle, speed=speed, local=local, first_pair=self.first_pair)

    def vibration_speed(self, speed: Array) -> float:
        """Speed of the driven wheel beyond that of perfect gears [rad/s]."""
        return float(speed[self.driven] - speed[self.lead] * self.r_b[self.lead] / self.r_b[self.driven])

    def transmission_error(self, angle: Array) -> float:
        """Along the line of action [m], negative under load."""
        return float(self.r_b[self.driven] * angle[self.driven] - self.r_b[self.lead] * angle[self.lead])


@dataclass(kw_only=True, eq=False)
class EnergyAccount:
    """Energies since the start [J]; torques are integrated over the angles by the trapezoidal rule.

    ``before``: angles, outer and lost torques of both gears at the last state, shape (6,); None at the start.
    """

    input: float = 0.0
    dissipated: float = 0.0
    kinetic: float = 0.0
    elastic: float = 0.0
    before: Array | None = None

    def to_array(self) -> Array:
        """As the kernels have it, shape (N_ACCOUNT,)."""
        assert self.before is not None
        return np.array([self.input, self.dissipated, self.kinetic, self.elastic, *self.before])

    @classmethod
    def from_array(cls, values: Array) -> EnergyAccount:
        """From what the kernels have."""
        return cls(
            input=float(values[0]),
            dissipated=float(values[1]),
            kinetic=float(values[2]),
            elastic=float(values[3]),
            before=values[4:].copy(),
        )


class DynamicStudy:
    """One dynamic run.

    Attributes
    ----------
    system : GearTrain
    stiffness : MeshStiffness
    recorder : ContactRecorder
        Grows with the output times, so that an interrupted run keeps what it has.
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
        self.bodies = tuple(
            RotatingBody(body_inertia=w.inertia, added_inertia=added)
            for w, added in zip(prepared.wheels, case.added_inertia, strict=True)
        )
        self.engagement: tuple[float, float] | None = None
        threshold = self.analysis.tooth_change_threshold
        if threshold is None:
            threshold, self.engagement = default_threshold(solver)
        self.window = prepared.window(threshold)
        self.stiffness = pitch_mean_stiffness(solver, self.window, self.bodies[driven].inertia)

        omega = float(solver.omega[lead])
        torque = case.operation.pinion_torque
        load = torque * (contact.pair.ratio if driven == WHEEL else 1.0)
        ramp = self.analysis.ramp
        start_angle = START_PHASE * float(contact.pitch_angle[lead])
        rest = 0.0 if ramp > 0.0 else 1.0
        drive = PrescribedRotation(
            speed_ramp=CubicStep(y0=rest * omega, y1=omega, t0=0.0, t1=ramp), start_angle=start_angle
        )
        self.system = GearTrain(
            contact=contact,
            window=self.window,
            drive=drive,
            load=CubicStep(y0=rest * load, y1=load, t0=0.0, t1=ramp),
            bodies=(self.bodies[0], self.bodies[1]),
            lead=lead,
            retardation=2.0 * self.analysis.mesh_damping_ratio / self.stiffness.natural_frequency,
            deflection=abs(solver.torque) / contact.pair.pinion.r_b / self.stiffness.mean,
            force=abs(solver.torque) * (contact.pair.ratio if driven == WHEEL else 1.0),
        )
        self.solver = solver
        self.recorder = ContactRecorder(contact=contact, wheels=prepared.wheels)
        self.samples: list[Array] = []  # blocks (n, 8)
        self.vectors: list[tuple[Array, ...]] = []  # angle, speed, acceleration (n, 2), bearing force (n, 2, 3)
        self.frames: list[tuple[float, GearMotion, PerGear]] = []  # time, motion, forces on the faces
        # one value for times that differ by round-off only: the integration stops there once
        end = self.analysis.duration
        grid = np.arange(0.0, end * (1.0 + SAME_TIME), self.analysis.output_every)
        self._outputs = _snapped(grid, {end}, SAME_TIME * end) | {end}
        self._frame_at = _snapped(frame_times, self._outputs, SAME_TIME * end)
        self.warnings: list[str] = []
        self.count: StepCount | None = None
        self.energy = EnergyAccount()

    # -------------------------------------------------------------------- run
    def run(self, progress: Progress) -> None:
        """Integrate; record every output time.

        Raises
        ------
        NonConvergence
            With the time, the residual and what to try.
        """
        a, system = self.analysis, self.system
        stops = self._outputs | self._frame_at
        stops |= _snapped(self._tooth_changes(), stops, SAME_TIME * a.duration)
        self._progress = progress
        state = start(system, t=0.0, q=self._start_angle(), v=self._start_speed())
        self._record(state)
        period = float(system.contact.pitch_angle[system.lead]) / abs(system.drive.speed_ramp.y1)
        control: FixedStep | AdaptiveStep
        if a.time_step is not None:
            control = FixedStep(h=a.time_step)
        else:
            control = AdaptiveStep(tolerance=a.tolerance, h_max=period / STEPS_PER_PITCH)
        scheme, self.count = SCHEMES[a.method](rho_inf=a.rho_inf), StepCount()
        if isinstance(system.contact, LineContact) and self.window.threshold is not None:
            fast = self._run_compiled(state, scheme, control, stops)
            if not fast.failed:
                return
            # The step that failed is tried again where the reasons are known in words.
            state = fast.state()
            if isinstance(control, AdaptiveStep):
                control = replace(control, h_initial=fast.length)
        _, further = integrate(
            system, state, a.duration, scheme=scheme, control=control, on_step=self._record, stop_times=stops
        )
        self.count = self.count.with_further(further)

    def _run_compiled(
        self, state: State, scheme: GeneralizedAlpha, control: FixedStep | AdaptiveStep, stops: set[float]
    ) -> LineTrain:
        """Integrate in compiled code as far as it goes."""
        marked = [
            (t, OUTPUT * (t in self._outputs) + FRAME * (t in self._frame_at))
            for t in distinct(stops, state.t, self.analysis.duration)
        ]
        fast = LineTrain(
            self.system, state, scheme=scheme, control=control, stops=marked, account=self.energy.to_array()
        )
        with ThreadPoolExecutor(1) as recorder:  # root stresses of one block while the next is computed
            recorded: Future[None] | None = None
            for samples in fast.run():
                if recorded is not None:
                    recorded.result()
                recorded = recorder.submit(self._record_samples, samples)
                if workers() == 1:
                    recorded.result()
                self._show(fast.time)
                self.energy, self.count = EnergyAccount.from_array(fast.account), fast.count
            if recorded is not None:
                recorded.result()
        return fast

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

    def _equilibrium(self, phase: float, load_factor: float) -> float:
        """Static deflection of the driver against the driven gear at a phase of the driver [m].

        Under the load torque of the driven gear. The static solver takes the torque of the pinion, which differs from
        it by some tenths of a per cent of the ratio, because the stiffness varies with the phase, and by friction.
        """
        driven = self.system.driven
        load = load_factor * float(self.system.force_scale[0])
        r_b, pitch = self.system.r_b[driven], float(self.solver.contact.pitch_angle[driven])
        deflection, torque = 0.0, load_factor * self.solver.torque
        # the static solver takes the phase of the driven gear, which lags by the deflection
        for _ in range(20):
            lagging = phase - deflection / (r_b * pitch)
            position = replace(self.solver, torque=torque).solve(
                lagging, self.window.first_pair(phase), deflection or None
            )
            excess = float(position.forces.torque[driven]) / load - 1.0
            settled = max(abs(position.deflection / deflection - 1.0) if deflection else 1.0, abs(excess)) <= 1e-10
            deflection, torque = position.deflection, torque / (1.0 + excess)
            if settled:
                break
        return deflection

    def _start_angle(self) -> Array:
        system = self.system
        unloaded = self.system.load.value(0.0) == 0.0
        deflection = self._equilibrium(START_PHASE, START_LOAD if unloaded else 1.0)
        lead_way = system.r_b[system.lead] * system.drive.angle(0.0)
        return np.array([(lead_way - deflection) / system.r_b[system.driven]])

    def _start_speed(self) -> Array:
        """Speed on the static curve: that of the driver, less the change of the deflection."""
        system = self.system
        speed = system.drive.speed(0.0)
        kinematic = speed * system.r_b[system.lead] / system.r_b[system.driven]
        if speed == 0.0 or self.system.load.value(0.0) == 0.0:
            return np.array([kinematic])
        d = 1e-3
        slope = (self._equilibrium(START_PHASE + d, 1.0) - self._equilibrium(START_PHASE - d, 1.0)) / (2.0 * d)
        slope /= float(system.contact.pitch_angle[system.lead])  # m per rad of the driver
        return np.array([speed * (system.r_b[system.lead] - slope) / system.r_b[system.driven]])

    # ------------------------------------------------------------------ record
    def _record(self, state: State) -> None:
        system = self.system
        forces, motion = contact_of(state)
        te = system.transmission_error(motion.angle)
        self._account(state, forces, motion)
        self._check_backlash(state.t, te)
        if state.t in self._frame_at:
            self.frames.append((state.t, motion, forces.face_force))
        if state.t not in self._outputs:
            return
        d = system.driven
        assert forces.torque_phi is not None
        stiffness = -float(forces.torque_phi[d, d]) / system.r_b[d] ** 2
        acceleration = np.empty(2)
        acceleration[system.lead] = system.drive.acceleration(state.t)
        acceleration[d] = state.vdot[0]
        e = self.energy
        sample = (state.t, system.phase(state.t), te, stiffness, e.input, e.kinetic, e.elastic, e.dissipated)
        self.samples.append(np.array([sample]))
        bearing = np.array([forces.force_on_pinion, -forces.force_on_pinion])
        self.vectors.append(tuple(v[None] for v in (motion.angle, motion.speed, acceleration, bearing)))
        self.recorder.add(forces, motion.first_pair)
        self._show(state.t)

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
            )
            self.frames.append((float(v[i, kernels.TIME]), motion, (face_force[0][i], face_force[1][i])))
        out = np.flatnonzero(marks & OUTPUT)
        if not out.size:
            return
        columns = [kernels.TIME, kernels.PHASE, kernels.TE, kernels.STIFFNESS]
        columns += [kernels.ENERGIES + e for e in (kernels.INPUT, kernels.KINETIC, kernels.ELASTIC, kernels.DISSIPATED)]
        self.samples.append(v[out][:, columns])
        force, moment = (part[out] for part in samples.loaded.resultants())
        self.vectors.append(
            (
                both(kernels.ANGLES, out),
                both(kernels.SPEEDS, out),
                both(kernels.ACCELERATIONS, out),
                np.stack([force, -force], axis=1),
            )
        )
        slices = samples.slices()
        self.recorder.add_many(
            samples.first_pair[out],
            samples.pair_torque[out],
            SliceLoads(**{name: values[out] for name, values in vars(slices).items()}),
            (force, moment),
            (face_force[0][out], face_force[1][out]),
        )

    def _show(self, t: float) -> None:
        """Tell how far the motion has come."""
        self._progress.advance(min(int(1000 * t / self.analysis.duration), 1000), 1000)

    def _account(self, state: State, forces: ContactForces, motion: GearMotion) -> None:
        """Carry the energies on by one step; the elastic one is of the contact without retardation.

        Where the torques of the contact are not the derivatives of its energy (law hertz: the compliance changes while
        the contact moves over the flanks), drive and load supply the difference.
        """
        system, energy = self.system, self.energy
        lead, driven = system.lead, system.driven
        conservative = system.conservative(forces, motion)
        assert conservative.energy is not None
        assert conservative.energy_torque is not None
        drive = self.bodies[lead].drive_torque(system.drive.acceleration(state.t), float(forces.torque[lead]))
        outer = np.empty(2)
        outer[lead], outer[driven] = drive, -system.load.value(state.t)
        outer -= conservative.energy_torque - conservative.torque
        lost = conservative.torque - forces.torque  # what damping and friction take
        kinetic = sum(b.kinetic_energy(float(w)) for b, w in zip(self.bodies, motion.speed, strict=True))
        if energy.before is not None:
            angle, outer_before, lost_before = energy.before.reshape(3, 2)
            turned = motion.angle - angle
            energy.input += 0.5 * float((outer + outer_before) @ turned)
            energy.dissipated += 0.5 * float((lost + lost_before) @ turned)
        energy.kinetic, energy.elastic = kinetic, conservative.energy
        energy.before = np.concatenate([motion.angle, outer, lost])

    def _check_backlash(self, t: float, te: float) -> None:
        """Warn once if the driven wheel runs ahead until back flanks would touch that the contact does not know."""
        if self.system.contact.has_back_flanks:
            return
        pair = self.system.contact.pair
        allowance = max(pair.j_wt * math.cos(pair.alpha_wt), 0.0)  # without backlash j_wt is round-off of either sign
        deflection = float(self.system.displacement_scale[0] * self.system.r_b[self.system.driven])
        if te > allowance + SEPARATION * deflection and not self.warnings:
            self.warnings.append(
                f"driven gear runs ahead by {1e6 * te:.3g} um at t = {t:.4g} s: more than the backlash along the line "
                f"of action, {1e6 * allowance:.3g} um; the law penalty knows no back flanks: "
                'use law = "hertz", raise the torque or the damping, or slow the ramp'
            )

    # ----------------------------------------------------------------- history
    def history(self) -> DynamicHistory:
        """What has been computed so far."""
        columns = np.concatenate([np.empty((0, 8)), *self.samples]).T
        values: dict[str, Any] = {}
        names = (
            "time", "phase", "transmission_error", "mesh_stiffness",
            "energy_input", "energy_kinetic", "energy_elastic", "energy_dissipated",
        )  # fmt: skip
        values.update(zip(names, columns, strict=True))
        empty = (*(np.empty((0, 2)) for _ in range(3)), np.empty((0, 2, 3)))
        angle, speed, acceleration, bearing = (
            np.concatenate(parts) for parts in zip(empty, *self.vectors, strict=True)
        )
        return DynamicHistory(
            **values,
            angle=angle,
            speed=speed,
            acceleration=acceleration,
            bearing_force=bearing,
            **self.recorder.arrays(),
        )
