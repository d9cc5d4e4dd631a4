"""What moves in a dynamic study: two gears on hinges, their shafts, drive and load; with the balance of energy.

The elastic coordinates of the gears have no inertia and are solved inside the contact, so that only rotations are
integrated: that of the driven gear, and where a shaft twists that of the driver or of the load as well. Gears on
bearings that give way (:mod:`alegear.study.supported_train`) and gears that vibrate have more coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.contact.forces import (
    Arrays,
    ContactForces,
    Deformation,
    ElasticHistory,
    FlexibleContact,
    mesh_stiffness,
)
from alegear.contact.numbering import GEARS
from alegear.dynamics.joints import CubicStep, PrescribedRotation, Profile, TorsionShaft
from alegear.dynamics.rigid_body import RotatingBody
from alegear.dynamics.system import ForceEvaluation, State, System
from alegear.errors import NonConvergence

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class GearMotion:
    """Rotations and speeds of both gears, shape (2,) [rad], [rad/s], and their phase-reduced rotations.

    ``local`` are rotations counted from the pitch-point contact of the pair in slot 0; ``first_pair`` is that pair.
    ``load_angle`` [rad], ``load_speed`` [rad/s]: of the end of the driven shaft that carries the load.
    ``further``, ``further_rate``, shape (n,): coordinates besides the rotations, of a
    :class:`~alegear.study.coupled_train.CoupledTrain`.
    """

    angle: Array
    speed: Array
    local: Array
    first_pair: int
    load_angle: float
    load_speed: float
    further: Array = field(default_factory=lambda: np.empty(0))
    further_rate: Array = field(default_factory=lambda: np.empty(0))


def contact_of(state: State) -> tuple[ContactForces, GearMotion]:
    """What :meth:`GearTrain.force` left in an accepted state."""
    return cast("tuple[ContactForces, GearMotion]", state.force.payload)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainMatrices:
    """A train of rigid gears with a constant mesh stiffness, linearised; the led end stands still.

    Attributes
    ----------
    names : tuple of str
        Of the rotations: the driven gear first, then the driver and the load where their shafts twist.
    mass, stiffness : shape (n, n) [kg m2], [N m/rad]
    gears : tuple of int
        Coordinate of pinion and wheel, -1 for a driver that is led.
    mesh_arm : shape (n,) [m]
        Way along the line of action by each rotation: r_b of the driven gear, -r_b of the driver.
    mesh_stiffness : float [N/m]
    """

    names: tuple[str, ...]
    mass: Array
    stiffness: Array
    gears: tuple[int, int]
    mesh_arm: Array
    mesh_stiffness: float

    @classmethod
    def of(
        cls,
        mesh_stiffness: float,
        *,
        r_b: Array,
        bodies: tuple[RotatingBody, RotatingBody],
        lead: int,
        shafts: tuple[TorsionShaft | None, TorsionShaft | None] = (None, None),
    ) -> TrainMatrices:
        """Put the train together; the shafts are those of pinion and wheel."""
        driven = 1 - lead
        gears = [0, 0]
        names, inertia, arm = [GEARS[driven]], [bodies[driven].inertia], [r_b[driven]]
        gears[lead] = -1
        drive_shaft, load_shaft = shafts[lead], shafts[driven]
        if drive_shaft is not None:
            gears[lead] = len(inertia)
            names.append(GEARS[lead])
            inertia.append(bodies[lead].inertia)
            arm.append(-r_b[lead])
        if load_shaft is not None:
            names.append("load")
            inertia.append(load_shaft.inertia)
            arm.append(0.0)
        K = mesh_stiffness * np.outer(arm, arm)
        if drive_shaft is not None:
            K[1, 1] += drive_shaft.stiffness
        if load_shaft is not None:
            both = np.ix_([0, -1], [0, -1])
            K[both] += load_shaft.stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
        return cls(
            names=tuple(names),
            mass=np.diag(inertia),
            stiffness=K,
            gears=(gears[0], gears[1]),
            mesh_arm=np.array(arm),
            mesh_stiffness=mesh_stiffness,
        )

    def modes(self) -> tuple[Array, Array]:
        """Squares of the natural frequencies [1/s2], ascending, and modes of unit mass as columns."""
        root = np.sqrt(np.diag(self.mass))
        squares, modes = np.linalg.eigh(self.stiffness / np.outer(root, root))
        return squares, modes / root[:, None]

    def mesh_share(self, squares: Array, modes: Array) -> Array:
        """Part of the energy of deformation of each mode that is in the mesh."""
        share: Array = self.mesh_stiffness * (self.mesh_arm @ modes) ** 2 / squares
        return share


def mesh_mode(
    stiffness: float,
    *,
    r_b: Array,
    bodies: tuple[RotatingBody, RotatingBody],
    lead: int,
    shafts: tuple[TorsionShaft | None, TorsionShaft | None] = (None, None),
) -> float:
    """Natural frequency [rad/s] of the train's mode that works in the mesh, on a constant mesh stiffness [N/m].

    Without shafts it is sqrt(k r_b^2/J) of the driven gear. Of several modes it is that with most of its energy in the
    mesh: gears on soft shafts vibrate against each other as if they were free.
    """
    train = TrainMatrices.of(stiffness, r_b=r_b, bodies=bodies, lead=lead, shafts=shafts)
    squares, modes = train.modes()
    return float(np.sqrt(squares[np.argmax(train.mesh_share(squares, modes))]))


class GearTrain(System):
    """A gear pair between a drive whose rotation is prescribed and a load whose torque is.

        J_i domega_i/dt = contact torque + torque of the shafts on gear i, less the load torque on the driven gear

    Without shafts the driver is led itself and the driven gear carries the load: one coordinate. A shaft on the
    driver's side sets the driver free between the led end and the contact; a shaft on the driven side has the load,
    with its inertia, at its end.

    Parameters
    ----------
    contact : FlexibleContact
    window : ToothWindow
    drive : PrescribedRotation
        Of the driver, or of the end of its shaft, in the running direction.
    load : Profile [N m]
        Load torque on the driven gear or at the end of its shaft, against the running direction.
    bodies : RotatingBody of pinion and wheel
    lead : int
        The driver: 0 pinion, 1 wheel.
    retardation : float [s]
        Kelvin-Voigt retardation time beta of the mesh: the gaps are taken ahead by beta times the rates at which
        vibration changes them (README of the contact, section 6), so that the damping gives no energy. The gaps of
        flanks that roll on each other change all the time also without vibration; a damping of that rate would carry
        load of its own and is left out.
    deflection : float [m]
        Typical static deflection along the line of action, the scale of the error control.
    force : float [N m]
        Typical torque on the driven gear, the scale of Newton's tolerance.
    shafts : (TorsionShaft or None, TorsionShaft or None)
        Of pinion and wheel.

    Attributes
    ----------
    free : tuple of int
        Gears whose rotations are coordinates, the driven one first; that of the load follows if its shaft twists.
    """

    def __init__(
        self,
        *,
        contact: FlexibleContact,
        window: ToothWindow,
        drive: PrescribedRotation,
        load: Profile,
        bodies: tuple[RotatingBody, RotatingBody],
        lead: int,
        retardation: float,
        deflection: float,
        force: float,
        shafts: tuple[TorsionShaft | None, TorsionShaft | None] = (None, None),
    ) -> None:
        self.contact, self.window = contact, window
        self.drive, self.load, self.bodies = drive, load, bodies
        self.lead, self.driven = lead, 1 - lead
        self.retardation = retardation
        self.r_b = np.array([contact.pair.pinion.r_b, contact.pair.wheel.r_b])
        self._perfect = self.r_b[lead] / self.r_b
        self.drive_shaft, self.load_shaft = shafts[self.lead], shafts[self.driven]
        self.free = (self.driven, self.lead) if self.drive_shaft is not None else (self.driven,)
        inertia = [bodies[gear].inertia for gear in self.free]
        scale = [deflection / self.r_b[gear] for gear in self.free]
        torque = [force * self.r_b[gear] / self.r_b[self.driven] for gear in self.free]
        if self.load_shaft is not None:
            inertia.append(self.load_shaft.inertia)
            scale.append(scale[0])
            torque.append(force)
        self._mass, self._scale, self._force_scale = np.diag(inertia), np.array(scale), np.array(torque)
        self.first_pair = 0
        self._before: tuple[ContactForces | Deformation, int] | None = None
        self._history: ElasticHistory | None = None
        # where nothing is lost and nothing retarded, the forces of the step may serve the energy too
        self._lossless = contact.lossless or (contact if retardation > 0.0 else None)

    # ----------------------------------------------------------------- System
    @property
    def n_rotations(self) -> int:
        """Number of rotations among the coordinates; they come first."""
        return len(self._mass)

    @property
    def n_dof(self) -> int:
        return self.n_rotations

    @property
    def displacement_scale(self) -> Array:
        return self._scale

    @property
    def force_scale(self) -> Array:
        return self._force_scale

    def name_of_row(self, row: int) -> str:
        return GEARS[self.free[row]] if row < len(self.free) else "load"

    def mass_matrix(self, q: Array) -> Array:
        return self._mass

    def begin_step(self, t: float, q: Array, v: Array, h: float) -> None:
        """Choose the teeth in the window (tooth-change) and take over the deformation they have.

        The phase in the middle of the step decides: steps end exactly at the tooth-changes of a driver that is led. One
        on a shaft changes its teeth within a step; pairs that come and go carry nothing then, so that nothing shows.
        """
        phase = self.phase(t - 0.5 * h)
        if self.drive_shaft is not None:
            phase = float(q[1] - 0.5 * h * v[1]) / float(self.contact.pitch_angle[self.lead])
        self.first_pair = self.window.first_pair(phase)
        self._history = None
        if self._before is not None and h > 0.0:
            forces, first_before = self._before
            self._history = self.contact.history(forces, self.first_pair - first_before, h)

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        motion, n = self.motion(t, q, v), self.n_rotations
        te = self.transmission_error(motion.angle)
        if abs(te) > self.largest_error:
            return self._failed(
                f"the {GEARS[self.driven]} is {1e3 * te:.3g} mm off its place, more than half a pitch, so that its "
                "teeth would pass through others"
            )
        try:
            forces = self._contact_forces(self.retardation * self.vibration(t, motion.speed), motion)
        except NonConvergence as failure:
            return self._failed(str(failure))
        assert forces.torque_phi is not None
        assert forces.torque_ahead is not None
        assert forces.torque_omega is not None
        by_speed = forces.torque_omega + self.retardation * forces.torque_ahead
        free = list(self.free)
        Q, dQ_dq, dQ_dv = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
        Q[: len(free)] = forces.torque[free]
        dQ_dq[: len(free), : len(free)] = forces.torque_phi[np.ix_(free, free)]
        dQ_dv[: len(free), : len(free)] = by_speed[np.ix_(free, free)]
        if self.drive_shaft is not None:
            Q[1] += self.drive_torque(t, motion)
            dQ_dq[1, 1] -= self.drive_shaft.stiffness
            dQ_dv[1, 1] -= self.drive_shaft.damping
        if self.load_shaft is not None:
            torque, coupling = self.load_torque(motion), np.array([[1.0, -1.0], [-1.0, 1.0]])
            Q[0], Q[-1] = Q[0] - torque, torque
            both = np.ix_([0, n - 1], [0, n - 1])
            dQ_dq[both] -= self.load_shaft.stiffness * coupling
            dQ_dv[both] -= self.load_shaft.damping * coupling
        Q[-1 if self.load_shaft is not None else 0] -= self.load.value(t)
        return ForceEvaluation(Q=Q, dQ_dq=dQ_dq, dQ_dv=dQ_dv, payload=(forces, motion))

    def _contact_forces(self, ahead: Array, motion: GearMotion) -> ContactForces:
        """Contact forces with the gaps ahead as retardation asks for."""
        return self.contact.evaluate(
            motion.local, motion.speed, first_pair=motion.first_pair, history=self._history, ahead=ahead
        )

    def _failed(self, reason: str) -> ForceEvaluation:
        n = self.n_dof
        return ForceEvaluation(Q=np.zeros(n), dQ_dq=np.zeros((n, n)), dQ_dv=np.zeros((n, n)), failure=reason)

    def accept(self, state: State) -> None:
        forces, motion = contact_of(state)
        self._before = (forces, motion.first_pair)

    def memory(self) -> Arrays:
        """What later steps depend on beside the state, in the last digits at least, by name."""
        forces, first_pair = self._before or (None, 0)
        kept = {"first_pair": np.array(first_pair)}
        for name, contact in self._contacts():
            kept |= {f"{name}_{key}": values for key, values in contact.memory(forces).items()}
            forces = None  # of the first one
        return kept

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take up a memory of the same train."""
        recalled = [
            contact.recall({key.removeprefix(f"{name}_"): v for key, v in memory.items() if key.startswith(f"{name}_")})
            for name, contact in self._contacts()
        ]
        if recalled[0] is not None:
            self._before = (recalled[0], int(memory["first_pair"]))

    def _contacts(self) -> list[tuple[str, FlexibleContact]]:
        """The contact, and the one without losses if it is another."""
        both = [("contact", self.contact)]
        if self._lossless is not None and self._lossless is not self.contact:
            both.append(("lossless", self._lossless))
        return both

    # ----------------------------------------------------------------- torques
    def drive_torque(self, t: float, motion: GearMotion) -> float:
        """Torque [N m] of the drive shaft on the driver."""
        assert self.drive_shaft is not None
        return self.drive_shaft.torque(
            self.drive.angle(t) - float(motion.angle[self.lead]), self.drive.speed(t) - float(motion.speed[self.lead])
        )

    def load_torque(self, motion: GearMotion) -> float:
        """Torque [N m] of the driven gear on its shaft."""
        assert self.load_shaft is not None
        return self.load_shaft.torque(
            float(motion.angle[self.driven]) - motion.load_angle, float(motion.speed[self.driven]) - motion.load_speed
        )

    def conservative(self, forces: ContactForces, motion: GearMotion) -> ContactForces:
        """Contact without friction, damping and retardation at the same rotations, with its energy."""
        if self._lossless is not None or forces.energy is None:
            contact = self._lossless or self.contact
            forces = contact.evaluate(motion.local, first_pair=motion.first_pair, tangent=False, energy=True)
        return forces

    @property
    def largest_error(self) -> float:
        """Transmission error [m] beyond which the search would find other teeth, or none, and the wheel be free."""
        return 0.5 * self.contact.pair.p_bt

    # ----------------------------------------------------------------- motion
    def mesh_stiffness(self, forces: ContactForces) -> float:
        """Mesh stiffness [N/m] as everywhere: :func:`alegear.contact.forces.mesh_stiffness`."""
        assert forces.held_torque_phi is not None
        return mesh_stiffness(forces.held_torque_phi, self.r_b, self.lead)

    def bearing_force(self, forces: ContactForces, motion: GearMotion, vdot: Array) -> Array:
        """Forces of both gears on their bearings, shape (2, 3) [N]; on hinges those of the contact.

        `vdot` are the accelerations of all coordinates.
        """
        return np.array([forces.force_on_pinion, -forces.force_on_pinion])

    def further_work(
        self, t: float, forces: ContactForces, conservative: ContactForces, motion: GearMotion
    ) -> FurtherWork:
        """What further coordinates add to the balance of energy."""
        return FurtherWork()

    @property
    def is_simple(self) -> bool:
        """Whether neither shaft twists and speed and load follow a single step: what compiled code can integrate."""
        return self.n_dof == 1 and all(isinstance(p, CubicStep) for p in (self.drive.speed_ramp, self.load))

    def phase(self, t: float) -> float:
        """Phase of the drive [pitches]: that of the driver where its shaft does not twist."""
        return self.drive.angle(t) / float(self.contact.pitch_angle[self.lead])

    def motion(self, t: float, q: Array, v: Array) -> GearMotion:
        """Motion of both gears and the load."""
        angle, speed = np.empty(2), np.empty(2)
        angle[self.lead], speed[self.lead] = self.drive.angle(t), self.drive.speed(t)
        for gear, place in zip(self.free, range(len(self.free)), strict=True):
            angle[gear], speed[gear] = q[place], v[place]
        end = self.n_rotations - 1 if self.load_shaft is not None else 0
        return GearMotion(
            angle=angle,
            speed=speed,
            local=angle - self.first_pair * self.contact.pitch_angle,
            first_pair=self.first_pair,
            load_angle=float(q[end]),
            load_speed=float(v[end]),
        )

    def acceleration(self, state: State) -> Array:
        """Accelerations of both gears, shape (2,) [rad/s2]."""
        acceleration = np.empty(2)
        acceleration[self.lead] = self.drive.acceleration(state.t)
        for place, gear in enumerate(self.free):
            acceleration[gear] = state.vdot[place]
        return acceleration

    def vibration(self, t: float, speed: Array) -> Array:
        """Speeds of both gears beyond those of perfect gears that follow the drive, shape (2,) [rad/s]."""
        beyond: Array = speed - self.drive.speed(t) * self._perfect
        return beyond

    def transmission_error(self, angle: Array) -> float:
        """Along the line of action [m], negative under load."""
        return float(self.r_b[self.driven] * angle[self.driven] - self.r_b[self.lead] * angle[self.lead])


@dataclass(frozen=True, kw_only=True, eq=False)
class FurtherWork:
    """What further coordinates add to the balance of energy.

    Attributes
    ----------
    kinetic, elastic : float [J]
    damped, outside : float [W]
        Power of the dampers of mesh and wheels, and of those of the bearings.
    work : shape (3, n)
        Coordinates, outer forces that belong to them, and those of friction.
    """

    kinetic: float = 0.0
    elastic: float = 0.0
    damped: float = 0.0
    outside: float = 0.0
    work: Array = field(default_factory=lambda: np.empty((3, 0)))


@dataclass(kw_only=True, eq=False)
class EnergyAccount:
    """Energies since the start [J], by the trapezoidal rule.

    Outer torques and friction are integrated over the angles, the power of the dampers over time: it is negative
    nowhere, and so is what it adds. `dissipated` is all that is lost, `outside` its part in the dampers of shafts and
    bearings.

    ``power`` [W] at the last state: of all dampers, of those outside of the mesh, and of the damping of the mesh on the
    led motion, which drive and load supply. ``before``: angles, outer torques and torques of friction there, shape
    (3, n); None at the start. Angles are those of both gears, then where the drive shaft twists of its led end and its
    twist, likewise of the load and its shaft.
    """

    input: float = 0.0
    dissipated: float = 0.0
    kinetic: float = 0.0
    elastic: float = 0.0
    outside: float = 0.0
    time: float = 0.0
    power: Array = field(default_factory=lambda: np.zeros(3))
    before: Array | None = None

    def to_array(self) -> Array:
        """As the kernels have it, shape (N_ACCOUNT,)."""
        assert self.before is not None
        energies = [self.input, self.dissipated, self.kinetic, self.elastic, self.outside]
        return np.array([*energies, self.time, *self.power, *self.before.ravel()])

    @classmethod
    def from_array(cls, values: Array) -> EnergyAccount:
        """From what the kernels have."""
        names = ("input", "dissipated", "kinetic", "elastic", "outside", "time")
        given = dict(zip(names, values[:6].tolist(), strict=True))
        return cls(**given, power=values[6:9].copy(), before=values[9:].reshape(3, -1).copy())

    def carry_on(self, train: GearTrain, t: float, forces: ContactForces, motion: GearMotion) -> None:
        """Go on by one step; the elastic energy is of the contact without retardation.

        Where the torques of the contact are not the derivatives of its energy (law hertz: the compliance changes while
        the contact moves over the flanks), drive and load supply the difference.
        """
        lead, driven = train.lead, train.driven
        conservative = train.conservative(forces, motion)
        assert conservative.energy is not None
        assert conservative.energy_torque is not None
        angle, outer = motion.angle.tolist(), [0.0, 0.0]
        lost = (-forces.friction_torque).tolist()
        damped = conservative.torque - forces.torque + forces.friction_torque
        if train.contact.damps:  # all that it takes is lost, from the led motion too
            lost, damped = (conservative.torque - forces.torque).tolist(), np.zeros(2)
        vibration = train.vibration(t, motion.speed)
        in_mesh, outside = float(damped @ vibration), 0.0
        led_power = float(damped @ (motion.speed - vibration))  # by drive and load
        elastic = conservative.energy
        kinetic = sum(b.kinetic_energy(float(w)) for b, w in zip(train.bodies, motion.speed, strict=True))
        if train.drive_shaft is None:
            acceleration = train.drive.acceleration(t)
            outer[lead] = train.bodies[lead].drive_torque(acceleration, float(forces.torque[lead]))
        else:
            shaft, led = train.drive_shaft, train.drive.angle(t)
            twist, rate = led - angle[lead], train.drive.speed(t) - float(motion.speed[lead])
            angle += [led, twist]
            outer += [shaft.torque(twist, rate), 0.0]
            lost += [0.0, 0.0]
            outside += shaft.damping * rate**2
            elastic += shaft.energy(twist)
        if train.load_shaft is None:
            outer[driven] = -train.load.value(t)
        else:
            shaft = train.load_shaft
            twist, rate = angle[driven] - motion.load_angle, float(motion.speed[driven]) - motion.load_speed
            angle += [motion.load_angle, twist]
            outer += [-train.load.value(t), 0.0]
            lost += [0.0, 0.0]
            outside += shaft.damping * rate**2
            elastic += shaft.energy(twist)
            kinetic += 0.5 * shaft.inertia * motion.load_speed**2
        further = train.further_work(t, forces, conservative, motion)
        outside += further.outside
        power = np.array([in_mesh + further.damped + outside, outside, led_power])
        now = np.hstack([np.array([angle, outer, lost]), further.work])
        now[1, :2] -= conservative.energy_torque - conservative.torque
        if self.before is not None:
            turned, lost_in_dampers = now[0] - self.before[0], 0.5 * (t - self.time) * (power + self.power)
            self.input += 0.5 * float((now[1] + self.before[1]) @ turned) - float(lost_in_dampers[2])
            self.dissipated += 0.5 * float((now[2] + self.before[2]) @ turned) + float(lost_in_dampers[0])
            self.outside += float(lost_in_dampers[1])
        self.kinetic, self.elastic = kinetic + further.kinetic, elastic + further.elastic
        self.time, self.power, self.before = t, power, now
