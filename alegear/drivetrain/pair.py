"""One pair of gears with its drive, load, shafts and bearings: the smallest machine, put together as any other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from alegear.ale import ToothWindow
from alegear.contact.forces import FlexibleContact, MeshForces, PerGear
from alegear.contact.numbering import GEARS, SPIN
from alegear.drivetrain.flexible import FlexibleMesh, MeshGear
from alegear.drivetrain.normal_modes import GearModes, VibratingWheel
from alegear.dynamics.joints import CubicStep, PrescribedRotation, Profile, TorsionShaft
from alegear.dynamics.support import Support
from alegear.reduction.normal_modes import NormalModes
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Indices, Place, Scales
from alegear.system.linear_elements import BearingLink, RowSpring, TorsionSpring
from alegear.system.model import SystemData, SystemModel
from alegear.system.modes import Linearised, SystemModes, real_modes
from alegear.system.motion import SystemState
from alegear.system.unbalance import Unbalance

MESH, DRIVE, LOAD = "mesh", "drive", "load"
MESHES = "meshes"  # heading of the energy in meshes
#: Axes of both gears: rotations are positive in the running direction, that of the wheel about -z.
AXES = (np.eye(3), np.diag([1.0, -1.0, -1.0]))
#: What turns (x, y, z, tilt x, tilt y) of a gear in its axes into the same in space, and back.
TO_SPACE = (np.ones(5), np.array([1.0, -1.0, -1.0, 1.0, -1.0]))


@dataclass(frozen=True, kw_only=True, eq=False)
class PairGear:
    """A gear of the pair and what is fixed to it.

    Parameters
    ----------
    inertia : float [kg m2]
        About its axis, of all that is fixed to it.
    mass : float [kg], tilt_inertia : float [kg m2]
        Of the gear itself; those of its shaft are in the support.
    support : Support or None
        None: a fixed axis.
    weight : shape (3,) [N]
    modes : NormalModes or None
    """

    inertia: float
    mass: float = 0.0
    tilt_inertia: float = 0.0
    support: Support | None = None
    weight: Array = field(default_factory=lambda: np.zeros(3))
    modes: NormalModes | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PerfectGears:
    """Both gears as they follow the drive, shape (2,) in the running direction; a Nominal of the mesh."""

    drive: PrescribedRotation
    ratio: Array

    def speed(self, t: float) -> Array:
        """Speeds [rad/s]."""
        return self.drive.speed(t) * self.ratio

    def acceleration(self, t: float) -> Array:
        """Their rates [rad/s2]."""
        return self.drive.acceleration(t) * self.ratio


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """A pair of gears between a drive whose rotation is prescribed and a load whose torque is.

    Without shafts the driver is prescribed itself and the driven gear carries the load. A shaft on the driver's side
    sets the driver free between the prescribed end and the mesh; a shaft on the driven side has the load, with its
    inertia, at its end.

    Parameters
    ----------
    contact : FlexibleContact
    window : ToothWindow or None
        None: the teeth in the window are given with each evaluation.
    gears : (PairGear, PairGear)
        Pinion and wheel.
    driving : int
        The driver: 0 pinion, 1 wheel.
    deflection : float [m], force : float [N]
        Typical of the teeth, along the line of action.
    drive : PrescribedRotation or None
        Of the driver, or of the end of its shaft, in the running direction; None: nothing leads it.
    load : Profile or None [N m]
        On the driven gear or at the end of its shaft, against the running direction.
    shafts : (TorsionShaft or None, TorsionShaft or None)
        Of pinion and wheel.
    retardation : float [s]
        Of the mesh.
    damping_ratio : float
        Of the normal modes.
    """

    contact: FlexibleContact
    window: ToothWindow | None
    gears: tuple[PairGear, PairGear]
    driving: int
    deflection: float
    force: float
    drive: PrescribedRotation | None = None
    load: Profile | None = None
    shafts: tuple[TorsionShaft | None, TorsionShaft | None] = (None, None)
    retardation: float = 0.0
    damping_ratio: float = 0.0

    def mesh_mode(self, stiffness: float) -> float:
        """Natural frequency [rad/s] of the mode that works in the mesh, on a constant mesh stiffness [N/m].

        Of gears whose axes are held. Without shafts it is sqrt(k r_b^2/J) of the driven gear. Of several modes it is
        that with most of its energy in the mesh: gears on soft shafts vibrate against each other as if they were free.
        """
        modes = self.mesh_modes(stiffness)
        parts, shares = modes.energy_shares()
        return float(modes.frequencies[np.argmax(shares[parts.index(MESH)])])

    def mesh_modes(self, stiffness: float) -> SystemModes:
        """Modes of rigid gears on fixed axes and a constant mesh stiffness [N/m]; what is prescribed stands still."""
        held = tuple(replace(gear, support=None, modes=None) for gear in self.gears)
        builder, pair = SystemBuilder(), replace(self._standing, gears=(held[0], held[1]))
        places, *_ = pair._add_bodies(builder)
        r_b = [gear.r_b for gear in self.contact.pair.gears]
        driving, driven = places[self.driving].rotation, places[1 - self.driving].rotation
        assert driving is not None
        assert driven is not None
        weights = {driven: r_b[1 - self.driving], driving: -r_b[self.driving]}
        builder.add(RowSpring(name=MESH, weights=weights, stiffness=stiffness, kind=MESHES))
        return real_modes(Linearised.of(builder.build()))

    def modes_about(self, angles: Array, opening: Array, stiffness: Array) -> SystemModes:
        """Modes about a state of the contact; what is prescribed stands still.

        Parameters
        ----------
        angles : shape (2,) [rad]
            Rotations of both gears in the running direction.
        opening : shape (n, n_mesh)
            What the coordinates of the mesh (:class:`~alegear.drivetrain.flexible.FlexibleMesh`) open of the gaps of n
            loaded points.
        stiffness : shape (n, n) [N/m]
            Of these gaps.
        """
        builder = SystemBuilder()
        places, _, modes, _ = self._standing._add_bodies(builder)
        mesh = self._mesh(places, modes)
        builder.linear(MESH, at=mesh.coordinates, rows=opening @ mesh.rows, stiffness=stiffness, kind=MESHES)
        model = builder.build()
        x = np.zeros(model.n)
        x[[model.index(name) for name in GEARS]] = angles
        return real_modes(Linearised.of(model, x=x))

    @property
    def _standing(self) -> Pair:
        """The pair with a drive that stands still, and no load."""
        drive = self.drive or PrescribedRotation(speed_ramp=CubicStep(y0=0.0, y1=0.0))
        return replace(self, drive=drive, load=None)

    def build(self, *, moves: bool = True) -> PairSystem:
        """Put the system together; without inertia where nothing `moves`."""
        builder = SystemBuilder()
        places, vibrating, modes, loaded = self._add_bodies(builder)
        if self.load is not None:
            builder.load("load torque", self.load, {loaded: -1.0})
        mesh = self._mesh(places, modes)
        builder.element(mesh)
        return PairSystem(
            model=builder.build(moves=moves),
            mesh=mesh,
            given=self.gears,
            gears=(places[0], places[1]),
            modes=(modes[0], modes[1]),
            vibrating=(vibrating[0], vibrating[1]),
            load=loaded,
            driving=self.driving,
        )

    def _add_bodies(
        self, builder: SystemBuilder
    ) -> tuple[list[Place], list[VibratingWheel | None], list[Indices], int]:
        """Add gears, shafts, bearings and the drive; returns gears, modes, their coordinates, and that of the load."""
        places = [self._gear(builder, number) for number in range(2)]
        vibrating = [self._modes(builder, number, place) for number, place in enumerate(places)]
        modes = [np.empty(0, dtype=np.int64) if own is None else own.coordinates for own in vibrating]
        driving, driven = self.driving, 1 - self.driving
        prescribed, loaded = places[driving], places[driven]
        shaft = self.shafts[driving]
        if shaft is not None:
            prescribed = builder.rotor(DRIVE, inertia=0.0, axes=AXES[driving], scales=self._scales(driving))
            builder.add(_spring("drive shaft", (DRIVE, GEARS[driving]), shaft))
        shaft = self.shafts[driven]
        if shaft is not None:
            loaded = builder.rotor(LOAD, inertia=shaft.inertia, axes=AXES[driven], scales=self._scales(driven))
            builder.add(_spring("load shaft", (GEARS[driven], LOAD), shaft))
        assert prescribed.rotation is not None
        assert loaded.rotation is not None
        if self.drive is not None:
            builder.prescribe("prescribed rotation", prescribed.rotation, self.drive)
        return places, vibrating, modes, loaded.rotation

    def _scales(self, gear: int) -> Scales:
        return Scales(deflection=self.deflection, force=self.force, radius=self.contact.pair.gears[gear].r_b)

    def _gear(self, builder: SystemBuilder, number: int) -> Place:
        """Add a gear with its bearings, weight and unbalance."""
        gear, name, support = self.gears[number], GEARS[number], self.gears[number].support
        pair, space = self.contact.pair, TO_SPACE[number]
        origin = np.array([pair.a_w, 0.0, -pair.alignment.axial_offset]) if number else np.zeros(3)
        place = builder.rotor(
            name,
            inertia=gear.inertia,
            mass=None if support is None else gear.mass + support.added_mass,
            tilt_inertia=0.0 if support is None else gear.tilt_inertia + support.added_tilt_inertia,
            origin=origin,
            axes=AXES[number],
            scales=self._scales(number),
        )
        if support is None:
            return place
        turned = np.outer(space, space)
        builder.add(
            BearingLink(
                name=bearing_name(name),
                place=name,
                stiffness=turned * support.stiffness,
                damping=turned * support.damping,
            )
        )
        shifts = np.array([i for i in place.coordinates if i != place.rotation])
        if np.any(gear.weight):
            builder.force(shifts[:3], space[:3] * gear.weight)
        if support.unbalance:
            builder.element(Unbalance(f"unbalance of the {name}", place, support.unbalance))
        return place

    def _modes(self, builder: SystemBuilder, number: int, place: Place) -> VibratingWheel | None:
        """Add the normal modes of a gear, if it has any."""
        modes, on_faces = self.gears[number].modes, self.contact.mode_amplitudes
        if modes is None:
            return None
        r_b = np.array([gear.r_b for gear in self.contact.pair.gears])
        of_gear = GearModes(
            modes=modes,
            amplitudes=modes.amplitudes if on_faces is None else on_faces[number],
            damping_ratio=self.damping_ratio,
            deflection=self.deflection,
            force=self.force * r_b[1 - self.driving] / r_b.min(),
        )
        own = of_gear.at(place, np.eye(3), float(self.contact.reference_angle[number]))
        return VibratingWheel.of(own, builder)

    def _mesh(self, places: list[Place], modes: list[Indices]) -> FlexibleMesh:
        r_b = np.array([gear.r_b for gear in self.contact.pair.gears])
        nominal = None if self.drive is None else PerfectGears(drive=self.drive, ratio=r_b[self.driving] / r_b)
        return FlexibleMesh(
            name=MESH,
            contact=self.contact,
            window=self.window,
            gears=(MeshGear(place=places[0], modes=modes[0]), MeshGear(place=places[1], modes=modes[1])),
            driving=self.driving,
            retardation=self.retardation,
            nominal=nominal,
        )


def bearing_name(gear: str) -> str:
    """Name of the bearing of a gear."""
    return f"bearing of the {gear}"


def _spring(name: str, between: tuple[str, str], shaft: TorsionShaft) -> TorsionSpring:
    return TorsionSpring(name=name, between=between, stiffness=shaft.stiffness, damping=shaft.damping)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairSystem:
    """A pair of gears as a system, and where its parts are in it.

    Attributes
    ----------
    model : SystemModel
    mesh : FlexibleMesh
    given : (PairGear, PairGear)
    gears : (Place, Place)
    modes : per gear shape (m,)
        Coordinates of the normal modes.
    vibrating : per gear VibratingWheel or None
    load : int
        Coordinate that carries the load.
    driving : int
    """

    model: SystemModel
    mesh: FlexibleMesh
    given: tuple[PairGear, PairGear]
    gears: tuple[Place, Place]
    modes: tuple[Indices, Indices]
    vibrating: tuple[VibratingWheel | None, VibratingWheel | None]
    load: int
    driving: int

    @property
    def rotations(self) -> Indices:
        """Coordinates of the rotations of both gears, shape (2,)."""
        return np.array([place.rotation for place in self.gears], dtype=np.int64)

    @property
    def mesh_number(self) -> int:
        """Number of the mesh among the elements."""
        return self.model.elements.index(self.mesh)

    @property
    def displaced(self) -> bool:
        """Whether a gear gives way on bearings."""
        return self.mesh.displaced

    @property
    def driving_rotation(self) -> int:
        """Coordinate of the driver's rotation."""
        return int(self.rotations[self.driving])

    def angles(self, x: Array) -> Array:
        """Rotations of both gears in the running direction, or their rates, shape (2,)."""
        angles: Array = x[self.rotations]
        return angles

    def vibration(self, v: Array, a: Array) -> PerGear:
        """Amplitudes of the vibration of each gear's modes, shape (n, m) [kg^1/2 m], from v and a of states (n, N).

        As :meth:`WheelModes.vibration`; m = 0 for a gear without modes.
        """
        pinion, wheel = (np.zeros((len(v), 0)) if own is None else own.vibration(v, a) for own in self.vibrating)
        return pinion, wheel

    def mesh_stiffness(self, forces: MeshForces) -> float:
        """Mesh stiffness [N/m] of teeth and wheels, as :meth:`stiffness_of`."""
        assert forces.by_coordinate is not None
        return self.stiffness_of(forces.by_coordinate)

    def stiffness_of(self, by_coordinate: Array) -> float:
        """Mesh stiffness [N/m] from derivatives of the forces of the mesh, as :meth:`FlexibleMesh.stiffness_of`."""
        return self.mesh.stiffness_of(by_coordinate, self.model)

    def displacement(self, x: Array) -> Array:
        """Displacements of both gears in space, or their rates, shape (2, 5); zero on fixed axes."""
        displacement: Array = self.displacements(x[None])[0]
        return displacement

    def displacements(self, x: Array) -> Array:
        """Those of many states, x (m, n): shape (m, 2, 5)."""
        both = [
            x[:, place.coordinates] @ place.rows[:5].T * space
            for space, place in zip(TO_SPACE, self.gears, strict=True)
        ]
        return np.stack(both, axis=1)

    def support_force(self, x: Array, v: Array) -> Array:
        """What both gears exert on their bearings, from all coordinates and rates: in space, shape (2, 5) [N, N m]."""
        force: Array = self.support_forces(x[None], v[None])[0]
        return force

    def support_forces(self, x: Array, v: Array) -> Array:
        """Those of many states, shape (m, 2, 5); zero for a gear on a fixed axis."""
        force = np.zeros((len(x), 2, 5))
        for part in self.model.parts:
            for number, name in enumerate(GEARS):
                if part.name == bearing_name(name):
                    y, rate = x[:, part.coordinates] @ part.rows.T, v[:, part.coordinates] @ part.rows.T
                    force[:, number] = TO_SPACE[number] * (y @ part.stiffness + rate @ part.damping)
        return force

    def bearing_force(self, forces: MeshForces, motion: SystemState) -> Array:
        """Forces of one motion, as :meth:`bearing_forces`, shape (2, 5) [N, N m]."""
        resultant = np.asarray(forces.force_on_pinion)[None]
        one: Array = self.bearing_forces(resultant, motion.x[None], motion.v[None], motion.a[None])[0]
        return one

    def bearing_forces(self, resultant: Array, x: Array, v: Array, a: Array) -> Array:
        """Forces and moments of both gears on what holds them, shape (m, 2, 5) [N, N m], in space.

        On bearings what these carry; on fixed axes the contact forces and weight, less the rate of the momentum of
        normal modes, and no moments.

        Parameters
        ----------
        resultant : shape (m, 3) [N]
            Contact force on the pinion.
        x, v, a : shape (m, n)
        """
        held = self.support_forces(x, v)
        for number, gear in enumerate(self.given):
            if gear.support is None:
                held[:, number, :3] = (resultant if number == 0 else -resultant) + gear.weight
                held[:, number, :3] -= self._momentum_rates(number, x, v, a)
        return held

    def _momentum_rates(self, number: int, x: Array, v: Array, a: Array) -> Array:
        """Rate of the momentum of the modes of a gear, in space, shape (m, 3) [N]: U2 q in the frame that turns."""
        modes, at = self.given[number].modes, self.modes[number]
        if modes is None or not len(at):
            return np.zeros((len(x), 3))
        U2, sense, turn = modes.invariants.U2, float(SPIN[number]), self.rotations[number]
        q, rate, second = x[:, at] @ U2.T, v[:, at] @ U2.T, a[:, at] @ U2.T
        spin, faster = sense * v[:, turn, None], sense * a[:, turn, None]
        across = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        in_frame = second + 2.0 * spin * (rate @ across.T) + faster * (q @ across.T)
        in_frame += spin**2 * (q @ (across @ across).T)
        angle = float(self.mesh.contact.reference_angle[number]) + sense * x[:, turn]
        co, si = np.cos(angle), np.sin(angle)
        in_space = [
            co * in_frame[:, 0] - si * in_frame[:, 1],
            si * in_frame[:, 0] + co * in_frame[:, 1],
            in_frame[:, 2],
        ]
        return np.stack(in_space, axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairMotion:
    """Rotations and speeds of both gears, shape (2,) [rad], [rad/s], and their phase-reduced rotations.

    ``local`` are rotations counted from the pitch-point contact of the pair in slot 0; ``first_pair`` is that pair.
    ``vibration`` has the amplitudes of the normal modes of pinion and wheel, one after the other, as
    :meth:`PairSystem.vibration`.
    """

    angle: Array
    speed: Array
    local: Array
    first_pair: int
    vibration: Array

    @classmethod
    def of(cls, pair: PairSystem, data: SystemData, x: Array, v: Array, a: Array) -> PairMotion:
        """Take it from all coordinates, velocities and accelerations."""
        angle, first_pair = pair.angles(x), data.elements[pair.mesh_number].first_pair
        return cls(
            angle=angle,
            speed=pair.angles(v),
            local=angle - first_pair * np.asarray(pair.mesh.contact.pitch_angle),
            first_pair=first_pair,
            vibration=np.concatenate(pair.vibration(v[None], a[None]), axis=1)[0],
        )
