"""Planets whose centres move: on bearings of their pins, between central gears that may float, about any carrier.

All that acts between them is written in a frame that turns with the carrier (:mod:`alegear.system.turning_frame`), in
which a planet stands at its pin and a mesh is one of two gears on axes that stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atan, cos, sin, tan
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.displaced_mesh import BondedMesh, DisplacedMesh
from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.springs import LinearSpring, MeshSpring
from alegear.errors import Fault
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth
from alegear.system.builder import GROUND, Part, SystemBuilder
from alegear.system.coordinates import TURN, Array, Indices, Place, X, Y, Z
from alegear.system.linear_elements import BearingLink
from alegear.system.model import SystemModel
from alegear.system.turning_frame import InFrame, TurningFrame

#: How far places of central gears may lie beside the axis of their carrier [m]: what is rounded in a drawing.
APART = 1e-4
#: How flanks touch.
FREE, SEATED, BONDED = "free", "seated", "bonded"
#: Of the stiffness of a mesh: what seats flanks without load in equilibria.
SEAT, SEAT_NAME = 1e-11, "seat"


@dataclass(frozen=True, kw_only=True, eq=False)
class Pins:
    """Bearings by which planets sit on the pins of their carrier.

    Parameters
    ----------
    stiffness, damping : shape (5, 5) or (5,) or (3,) [N/m, N, N m/rad; times s]
        Radially (away from the axis of the carrier), tangentially (counterclockwise), axially, against tilting about
        these first two: a matrix, its diagonal, or that of the displacements.

    Raises
    ------
    Fault
    """

    stiffness: ArrayLike
    damping: ArrayLike = field(default=(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        self.link("pin", "planet", "carrier")

    def link(self, name: str, planet: str, pin: str) -> BearingLink:
        """The bearing of one planet."""
        return BearingLink(name=name, place=planet, to=pin, stiffness=self.stiffness, damping=self.damping)


class PlanetTeeth(Protocol):
    """The mesh of one planet: :class:`~alegear.drivetrain.rotational.elastic_mesh.ElasticMesh`.

    Attributes
    ----------
    name : str
    gears : (str, str)
        What they sit on, the inner one first.
    averages : MeshAverages
    spring : MeshSpring or None
    offset : float [m]
        Overlap at angles of 0.
    """

    @property
    def name(self) -> str: ...
    @property
    def gears(self) -> tuple[str, str]: ...
    @property
    def averages(self) -> MeshAverages: ...
    @property
    def spring(self) -> MeshSpring | None: ...
    @property
    def offset(self) -> float: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class PinnedPlanet:
    """A planet on a pin that gives way: a body with all displacements, which the carrier takes along.

    Its origin is where its centre is while nothing has turned; as the carrier turns by theta its displacement is
    [R(theta) - 1] p, and what the pin gives way besides. Along and about axes that do not turn its mass, its weight and
    its gyroscopic moment are those of any rotor.

    Parameters
    ----------
    name, carrier : str
    radius : float [m], angle : float [rad]
        Its pin about the axis of the carrier, from e1 of this, where nothing has turned.
    inertia, mass, tilt_inertia : float [kg m2, kg]
    """

    makes_bodies: ClassVar[bool] = True

    name: str
    carrier: str
    radius: float
    angle: float
    inertia: float
    mass: float
    tilt_inertia: float

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the body."""
        carrier = builder.node(self.carrier, self.name)
        builder.rotor(
            self.name,
            inertia=self.inertia,
            mass=self.mass,
            tilt_inertia=self.tilt_inertia,
            origin=carrier.origin + self.radius * radial(carrier, self.angle),
            axes=carrier.axes,
        )


def radial(carrier: Place, angle: float) -> Array:
    """Direction in space (3,) at an angle [rad] about the axis of a carrier."""
    direction: Array = np.array([cos(angle), sin(angle), 0.0]) @ carrier.axes
    return direction


@dataclass(frozen=True, kw_only=True, eq=False)
class DisplacedPlanets:
    """Planets, their pins and their meshes as one element of a system, which has the name of the set.

    Parameters
    ----------
    name : str
    carrier : str
        Place of the pins, in the middle of the faces.
    teeth : PlanetaryTeeth
        Which gears mesh, and the hands of their helices.
    central : sequence of str
        Places of the central gears.
    planets : mapping of str to (float [m], float [rad])
        Names of their bodies, which are in the system, with radius and angle of their pins.
    meshes : sequence of (str, PlanetTeeth)
        Which of ``teeth.meshes`` it is, and the mesh of one planet.
    pins : Pins or None
        None: the pins hold the planets, of a carrier that only turns.
    bodies : tuple of parts
        The planets, for a builder to add before.
    carried_inertia : float [kg m2]
        Of planets that the pins hold, about the axis of the carrier.
    contact : {"free", "seated", "bonded"}
        Flanks push only; the same with a weak spring that says where those without load are, in equilibria; or those
        that carry where the first central gear drives counterclockwise also pull.
    """

    name: str
    carrier: str
    teeth: PlanetaryTeeth
    central: Sequence[str]
    planets: Mapping[str, tuple[float, float]]
    meshes: Sequence[tuple[str, PlanetTeeth]]
    bodies: tuple[Part, ...]
    pins: Pins | None = None
    carried_inertia: float = 0.0
    contact: str = FREE

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the planets and the element.

        Raises
        ------
        Fault
            For central gears beside the axis of the carrier, and a carrier that is displaced together with planets that
            nothing displaces on it.
        """
        carrier = builder.node(self.carrier, self.name)
        if self.pins is None and carrier.rows[[X, Y]].any():
            limit = f"given where the carrier {self.carrier} can be displaced: planets have a mass there"
            raise Fault(f"stiffness of the pins of {self.name}", None, limit, "give pin_stiffness_N_per_m")
        if self.carried_inertia:
            builder.disk(carrier, inertia=self.carried_inertia)
        frame = TurningFrame(self.name, carrier, builder.scales)
        seen = {self.carrier: frame.see(carrier)}
        for name in self.central:
            seen[name] = frame.see(self._on_axis(builder.node(name, self.name), carrier))
        for name, (radius, angle) in self.planets.items():
            centre = carrier.origin + radius * radial(carrier, angle)
            planet = builder.node(name)
            if self.pins is None:
                turning = frame.see(replace(planet, origin=carrier.origin, axes=carrier.axes))
                seen[name] = replace(turning, origin=centre)
            else:
                seen[name] = frame.see(planet, carried=True)
                self._add_pin(frame, seen[name], seen[self.carrier].at(centre), angle)
        sides = loaded_flanks(self.teeth)
        beta_b = atan(tan(self.teeth.beta) * cos(self.teeth.layouts[-1].alpha_t))
        for kind, mesh in self.meshes:
            placed = _PlacedMesh(mesh, [seen[gear] for gear in mesh.gears], carrier, beta_b * hand(self.teeth, kind))
            for element in placed.elements(self.contact, sides[kind]):
                frame.builder.element(element)
        builder.element(frame.element())

    def _on_axis(self, place: Place, carrier: Place) -> Place:
        if place.name == GROUND:
            return replace(place, name=f"ground of {self.name}", origin=carrier.origin, axes=carrier.axes)
        along = carrier.axes[2]
        beside = place.origin - carrier.origin
        beside = beside - (beside @ along) * along
        away = float(np.linalg.norm(beside))
        if away > APART:
            what = f"distance [mm] of {place.name} from the axis of carrier {self.carrier} of {self.name}"
            raise Fault(what, float(f"{1e3 * away:.6g}"), f"at most {1e3 * APART:g}", "put both on one axis")
        return replace(place, origin=place.origin - beside)

    def _add_pin(self, frame: TurningFrame, planet: Place, pin: Place, angle: float) -> None:
        assert self.pins is not None
        outwards, along = radial(frame.carrier, angle), frame.carrier.axes[2]
        axes, name = np.array([outwards, np.cross(along, outwards), along]), f"{planet.name} pin"
        frame.builder.place(replace(_along(planet, axes), name=f"{planet.name} on its pin"))
        frame.builder.place(replace(_along(pin, axes), name=name))
        self.pins.link(name, f"{planet.name} on its pin", name).add_to(frame.builder)


def _along(place: Place, axes: Array) -> Place:
    """The same place with other axes."""
    turn = axes @ place.axes.T
    return replace(place, rows=np.vstack([turn @ place.rows[:3], turn @ place.rows[3:]]), axes=axes)


class _PlacedMesh:
    """A mesh of two places of a frame, with axes from centre A to centre B; from B to A where one of them is a ring.

    Parameters
    ----------
    mesh : PlanetTeeth
    gears : (Place, Place)
    carrier : Place
        The middle of the faces.
    beta_b : float [rad]
        Helix angle of the first gear on the base cylinder.
    """

    def __init__(self, mesh: PlanetTeeth, gears: Sequence[Place], carrier: Place, beta_b: float) -> None:
        self.mesh, self.gears, self.beta_b = mesh, gears, beta_b
        along = carrier.axes[2]
        self.centres = [gear.origin - (gear.origin - carrier.origin) @ along * along for gear in gears]
        e = (self.centres[1] - self.centres[0]) / mesh.averages.a
        self.axes = np.array([e, np.cross(along, e), along])
        self.pitch_point = self.centres[0] + mesh.averages.r_A * e

    def rows(self) -> tuple[Indices, Array, Array]:
        """Coordinates (n_e,), rows (6, n_e) of the angles and displacements of both gears, that of the mesh position.

        The rotations have the axial displacement of helical teeth in them, at the pitch point.
        """
        averages = self.mesh.averages
        at = np.union1d(self.gears[0].coordinates, self.gears[1].coordinates)
        plain, normal = np.zeros((6, len(at))), np.zeros((6, len(at)))
        for g, (gear, r_b, sense) in enumerate(zip(self.gears, (averages.l_A, averages.l_B), (-1.0, 1.0), strict=True)):
            own, used = np.searchsorted(at, gear.coordinates), np.array([g, 2 + 2 * g, 3 + 2 * g])
            plain[np.ix_(used, own)] = _along(gear.at(self.centres[g]), self.axes).rows[[TURN, X, Y]]
            normal[used] = plain[used]
            axial = _along(gear.at(self.pitch_point), self.axes).rows[Z]
            normal[g, own] += sense * tan(self.beta_b) / r_b * axial
        return at, normal, 0.5 * (averages.r_A * plain[kernels.PHI_A] - averages.r_B * plain[kernels.PHI_B])

    def elements(self, contact: str, side: float) -> list[DisplacedMesh | BondedMesh]:
        """Both flanks, which push only, perhaps with what seats them; or those of a side, which pull as well."""
        mesh, (at, rows, through) = self.mesh, self.rows()
        assert mesh.spring is not None
        common: dict[str, Any] = {
            "averages": mesh.averages,
            "coordinates": at,
            "rows": rows,
            "offset": mesh.offset,
        }
        if contact == BONDED:
            return [BondedMesh(name=mesh.name, spring=mesh.spring, side=side, **common)]
        free = DisplacedMesh(name=mesh.name, spring=mesh.spring, through=through, **common)
        if contact == FREE:
            return [free]
        weak = LinearSpring(c=SEAT * mesh.spring.c, backlash=mesh.spring.backlash)
        return [free, BondedMesh(name=f"{mesh.name} {SEAT_NAME}", spring=weak, side=side, **common)]


def hand(teeth: PlanetaryTeeth, mesh: str) -> float:
    """1 where the first gear of a mesh is right-handed, else -1: suns that mesh with the first planet gear are.

    Gears outside each other have opposite hands, a ring that of its planet; the steps of a planet have the same.
    """
    first, second = teeth.teeth_of(mesh).gears
    opposite = teeth.meshing and "planet_2" in (first, second) and mesh != BETWEEN_PLANETS
    of_planet = 1.0 if opposite else -1.0
    return of_planet if first.startswith("planet") else -of_planet


def loaded_flanks(teeth: PlanetaryTeeth) -> dict[str, float]:
    """By mesh 1 where its first gear drives counterclockwise, else -1, as the first central gear does so.

    The torques of the two meshes of a planet are opposite; those of a third central gear are taken as the second's.
    """
    sides = {teeth.meshes[0]: 1.0}
    torque: dict[str, float] = {}  # on planet bodies
    for _ in teeth.meshes:
        for mesh in teeth.meshes:
            found = teeth.teeth_of(mesh)
            acting = {
                _body(teeth, gear): -float(np.sign(z))
                for gear, z in zip(found.gears, found.teeth, strict=True)
                if gear.startswith("planet")
            }
            if mesh not in sides:
                balanced = [-torque[body] * unit for body, unit in acting.items() if body in torque]
                if not balanced:
                    continue
                sides[mesh] = balanced[0]
            for body, unit in acting.items():
                torque.setdefault(body, sides[mesh] * unit)
    return sides


def _body(teeth: PlanetaryTeeth, gear: str) -> str:
    return gear if teeth.meshing else "planet"


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetLoads:
    """What meshes and pins of a set carry at one state.

    Attributes
    ----------
    meshes : mapping of str to float [N]
        Normal force in the transverse section by mesh, that of the flanks with which its inner gear drives
        counterclockwise less that of the others.
    pins : mapping of str to array (5,) [N, N m]
        By planet, on its pin: radially, tangentially, axially, about the radius, about the tangent.
    """

    meshes: Mapping[str, float]
    pins: Mapping[str, Array]

    @classmethod
    def of(cls, name: str, model: SystemModel, x: Array, v: Array) -> PlanetLoads:
        """Of the set with a name, in a state x, v (n,) of its system."""
        element = next(one for one in model.elements if one.name == name)
        assert isinstance(element, InFrame)
        own, rate = x[element.coordinates], v[element.coordinates]
        y, seen_rate = element.seen(own, rate)
        meshes = {}
        for mesh in element.model.elements:
            assert isinstance(mesh, DisplacedMesh | BondedMesh)
            if not mesh.name.endswith(SEAT_NAME):
                ahead, back = mesh.flanks(y[mesh.coordinates], seen_rate[mesh.coordinates])
                meshes[mesh.name] = ahead - back
        pins = {key.removesuffix(" pin"): force for key, force in element.part_forces(own, rate).items()}
        return cls(meshes=meshes, pins=pins)
