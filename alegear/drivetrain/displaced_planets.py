"""Planets whose centres move: on bearings of their pins, between central gears that may float, about any carrier.

All that acts between them is written in a frame that turns with the carrier (:mod:`alegear.system.rotating_frame`), in
which a planet stands at its pin and a mesh is one of two gears on axes that stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atan, cos, sin, tan
from typing import Annotated, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.planet_meshes import FREE, SEAT_NAME, MeshSeat, PlanetTeeth, along
from alegear.errors import Fault
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth
from alegear.limits import Limits
from alegear.parameters import Joined, Numbers
from alegear.short_repr import ShortRepr
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array, Place, X, Y
from alegear.system.linear_elements import BearingLink
from alegear.system.machine_part import MachinePart
from alegear.system.model import SystemModel
from alegear.system.rotating_frame import RotatingFrame, RotatingSubsystem

#: How far places of central gears may lie beside the axis of their carrier [m]: what is rounded in a drawing.
APART = 1e-4
#: Names of the bearings of planets end so.
PIN = " pin"
PIN_STIFFNESS = Joined(
    Numbers(
        "elastic, teeth: bearings of the planets [radial, tangential, axial] (rigid)",
        Limits(quantity="stiffness", unit="N/m"),
        3,
        3,
        "pin_stiffness_N_per_m",
    ),
    Numbers(
        "stiffness of these bearings against tilting about the radius and the tangent, 0 of spherical ones (that of"
        " bearings as wide as the gears, k b^2/12; [0, 0] where no face width is given)",
        Limits(quantity="stiffness", unit="N m/rad"),
        2,
        2,
        "pin_tilt_stiffness_Nm_per_rad",
    ),
)
PIN_DAMPING = Joined(
    Numbers("damping of these bearings", Limits(quantity="damping", unit="N s/m"), 3, 3, "pin_damping_Ns_per_m"),
    Numbers("damping of tilting", Limits(quantity="damping", unit="N m s/rad"), 2, 2, "pin_tilt_damping_Nms_per_rad"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pins(ShortRepr):
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

    stiffness: Annotated[ArrayLike, PIN_STIFFNESS]
    damping: Annotated[ArrayLike, PIN_DAMPING] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self.link("pin", "planet", "carrier")

    @staticmethod
    def tilt_stiffness(radial: float, tangential: float, width: float) -> tuple[float, float]:
        """Against tilting about the radius and the tangent [N m/rad], of a bearing as stiff all along its width.

        ``k b^2/12``: about the radius with its tangential stiffness k [N/m], about the tangent with its radial one.
        """
        return tangential * width**2 / 12.0, radial * width**2 / 12.0

    def link(self, name: str, planet: str, pin: str) -> BearingLink:
        """The bearing of one planet."""
        return BearingLink(name=name, place=planet, to=pin, stiffness=self.stiffness, damping=self.damping)


@dataclass(frozen=True, kw_only=True, eq=False)
class PinnedPlanet(MachinePart):
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
class DisplacedPlanets(MachinePart):
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
        Which of ``teeth.meshes`` it is, and the mesh of one planet: springs or pairs of gears
        (:mod:`alegear.drivetrain.planet_meshes`).
    pins : Pins or None
        None: the pins hold the planets, of a carrier that only turns.
    planet_bodies : tuple of parts
        The planets, for a builder to add before.
    carried_inertia : float [kg m2]
        Of planets that the pins hold, about the axis of the carrier.
    disks : mapping of str to (float [kg], float [kg m2], float [kg m2])
        By place mass, inertia about the axis and about a diameter of central gears that are not in it yet.
    contact : {"free", "seated", "bonded"}
        Flanks push only; the same with a weak spring that says where those without load are, in equilibria; or those
        that carry where the first central gear drives counterclockwise also pull.
    sense : float
        -1: these last are those that carry where it drives clockwise.
    """

    name: str
    carrier: str
    teeth: PlanetaryTeeth
    central: Sequence[str]
    planets: Mapping[str, tuple[float, float]]
    meshes: Sequence[tuple[str, PlanetTeeth]]
    planet_bodies: tuple[MachinePart, ...]
    pins: Pins | None = None
    carried_inertia: float = 0.0
    disks: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    contact: str = FREE
    sense: float = 1.0

    @property
    def bodies(self) -> tuple[MachinePart, ...]:
        """The planets."""
        return self.planet_bodies

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element, and the inertia that is carried.

        Raises
        ------
        Fault
            As :meth:`in_frame`.
        """
        builder.element(self.in_frame(builder))

    def in_frame(self, builder: SystemBuilder) -> RotatingSubsystem:
        """Make the element, and add the inertia that is carried.

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
        for place, (mass, inertia, tilt_inertia) in self.disks.items():
            builder.disk(builder.node(place, self.name), mass=mass, inertia=inertia, tilt_inertia=tilt_inertia)
        frame = RotatingFrame(self.name, carrier, builder.scales)
        seen = {self.carrier: frame.see(carrier)}
        for name in self.central:
            seen[name] = frame.see(self._on_axis(builder.node(name, self.name), carrier))
        for name, (radius, angle) in self.planets.items():
            centre = carrier.origin + radius * radial(carrier, angle)
            planet = builder.node(name)
            if self.pins is None:
                turning = frame.see(replace(planet, origin=carrier.origin, axes=carrier.axes))
                seen[name] = replace(turning, name=f"{name} at its pin", origin=centre)
                frame.builder.place(seen[name])
            else:
                seen[name] = frame.see(planet, carried=True)
                self._add_pin(frame, seen[name], seen[self.carrier].at(centre), angle)
        sides = loaded_flanks(self.teeth)
        beta_b = atan(tan(self.teeth.beta) * cos(self.teeth.layouts[-1].alpha_t))
        for kind, mesh in self.meshes:
            first, second = (seen[gear] for gear in mesh.gears)
            seat = MeshSeat(
                gears=(first, second),
                carrier=carrier,
                beta_b=beta_b * hand(self.teeth, kind),
                side=self.sense * sides[kind],
                contact=self.contact,
            )
            mesh.add_in_frame(frame.builder, seat)
        return frame.element()

    def _on_axis(self, place: Place, carrier: Place) -> Place:
        if place.name == GROUND:
            return replace(place, name=f"ground of {self.name}", origin=carrier.origin, axes=carrier.axes)
        axis = carrier.axes[2]
        beside = place.origin - carrier.origin
        beside = beside - (beside @ axis) * axis
        away = float(np.linalg.norm(beside))
        if away > APART:
            what = f"distance [mm] of {place.name} from the axis of carrier {self.carrier} of {self.name}"
            raise Fault(what, float(f"{1e3 * away:.6g}"), f"at most {1e3 * APART:g}", "put both on one axis")
        return replace(place, origin=place.origin - beside)

    def _add_pin(self, frame: RotatingFrame, planet: Place, pin: Place, angle: float) -> None:
        assert self.pins is not None
        outwards, axis = radial(frame.carrier, angle), frame.carrier.axes[2]
        axes, name = np.array([outwards, np.cross(axis, outwards), axis]), f"{planet.name}{PIN}"
        frame.builder.place(replace(along(planet, axes), name=f"{planet.name} on its pin"))
        frame.builder.place(replace(along(pin, axes), name=name))
        self.pins.link(name, f"{planet.name} on its pin", name).add_to(frame.builder)


def hand(teeth: PlanetaryTeeth, mesh: str) -> float:
    """1 where the first gear of a mesh is right-handed, else -1: suns that mesh with the first planet gear are.

    Gears outside each other have opposite hands, a ring that of its planet; the steps of a planet have the same.
    """
    first, second = teeth.gears_of(mesh)[0]
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
            acting = {
                _body(teeth, gear): -float(np.sign(z))
                for gear, z in zip(*teeth.gears_of(mesh), strict=True)
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


@runtime_checkable
class Pressing(Protocol):
    """An element with teeth."""

    def side_forces(self, x: Array, v: Array) -> Array:
        """Normal forces (2, ...) in the transverse section [N] in states x, v (..., n_e) of its own.

        Of the flanks with which A drives counterclockwise, and of the others.
        """


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetLoads:
    """What meshes and pins of a set carry in one state or several.

    Attributes
    ----------
    sides : mapping of str to shape (2, ...) [N]
        Normal forces in the transverse section by mesh: of the flanks with which its inner gear drives
        counterclockwise, and of the others.
    pins : mapping of str to shape (..., 5) [N, N m]
        By planet, on its pin: radially, tangentially, axially, about the radius, about the tangent.
    """

    sides: Mapping[str, Array]
    pins: Mapping[str, Array]

    @property
    def meshes(self) -> dict[str, Array]:
        """Force (...) [N] by mesh: of the first flanks less that of the others."""
        return {name: both[0] - both[1] for name, both in self.sides.items()}

    @classmethod
    def of(cls, name: str, model: SystemModel, x: Array, v: Array) -> PlanetLoads:
        """Of the set with a name, in states x, v (..., n) of its system."""
        element = next(one for one in model.elements if one.name == name)
        assert isinstance(element, RotatingSubsystem)
        own, rate = x[..., element.coordinates], v[..., element.coordinates]
        y, seen_rate = element.seen(own, rate)
        sides = {
            mesh.name: mesh.side_forces(y[..., mesh.coordinates], seen_rate[..., mesh.coordinates])
            for mesh in element.model.elements
            if isinstance(mesh, Pressing) and not mesh.name.endswith(SEAT_NAME)
        }
        pins = {
            key.removesuffix(PIN): force for key, force in element.part_forces(own, rate).items() if key.endswith(PIN)
        }
        return cls(sides=sides, pins=pins)
