"""Planets whose centres move: on bearings of their pins, between central gears that may float, about any carrier.

All that acts between them is written in a frame that turns with the carrier (:mod:`alegear.system.rotating_frame`), in
which a planet stands at its pin and a mesh is one of two gears on axes that stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import atan, cos, tan
from typing import Protocol, runtime_checkable

import numpy as np

from alegear.drivetrain.place_names import APART
from alegear.drivetrain.rotational.pins import PIN, Pins, radial
from alegear.drivetrain.rotational.planet_meshes import FREE, SEAT_NAME, MeshSeat, hand, loaded_flanks
from alegear.drivetrain.rotational.planetary_members import PlanetaryMembers
from alegear.errors import Fault
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array, Place, X, Y
from alegear.system.machine_part import MachinePart
from alegear.system.model import SystemModel
from alegear.system.rotating_frame import RotatingFrame, RotatingSubsystem


@dataclass(frozen=True, kw_only=True, eq=False)
class DisplacedPlanets(MachinePart):
    """Planets, their pins and their meshes as one element of a system, which has the name of the set.

    Parameters
    ----------
    name : str
        That of the set.
    planetary : PlanetaryMembers
        The set. Without bearings its pins hold the planets, of a carrier that only turns.
    contact : {"free", "seated", "bonded"}
        Flanks push only; the same with a weak spring that says where those without load are, in equilibria; or those
        that carry where the first central gear drives counterclockwise also pull.
    sense : float
        -1: these last are those that carry where it drives clockwise.
    """

    planetary: PlanetaryMembers
    contact: str = FREE
    sense: float = 1.0

    @property
    def bodies(self) -> tuple[MachinePart, ...]:
        """The planets."""
        return self.planetary.bodies

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
        one = self.planetary
        carrier = builder.node(one.carrier, one.name)
        if one.pins is None and carrier.rows[[X, Y]].any():
            limit = f"given where the carrier {one.carrier} can be displaced: planets have a mass there"
            raise Fault(f"stiffness of the pins of {one.name}", None, limit, "give pin_stiffness_N_per_m")
        if one.carried_inertia:
            builder.disk(carrier, inertia=one.carried_inertia)
        for place, gear in one.disks.items():
            builder.disk(builder.node(place, one.name), **vars(gear))
        frame = RotatingFrame(one.name, carrier, builder.scales)
        seen = {one.carrier: frame.see(carrier)}
        for name in (str(getattr(one, gear)) for gear in one.teeth.central):
            seen[name] = frame.see(self._on_axis(builder.node(name, one.name), carrier, APART * builder.scales.radius))
        for name, (radius, angle) in one.pin_places.items():
            centre = carrier.origin + radius * radial(carrier, angle)
            planet = builder.node(name)
            if one.pins is None:
                turning = frame.see(replace(planet, origin=carrier.origin, axes=carrier.axes))
                seen[name] = replace(turning, name=f"{name} at its pin", origin=centre)
                frame.builder.place(seen[name])
            else:
                seen[name] = frame.see(planet, carried=True)
                _add_pin(one.pins, frame, seen[name], seen[one.carrier].at(centre), angle)
        sides = loaded_flanks(one.teeth)
        beta_b = atan(tan(one.teeth.beta) * cos(one.teeth.layouts[-1].alpha_t))
        for kind, mesh in (mesh for pin in range(one.teeth.n_planets) for mesh in one.planet_teeth(pin)):
            first, second = (seen[gear] for gear in mesh.gears)
            seat = MeshSeat(
                gears=(first, second),
                carrier=carrier,
                beta_b=beta_b * hand(one.teeth, kind),
                side=self.sense * sides[kind],
                contact=self.contact,
            )
            mesh.add_in_frame(frame.builder, seat)
        return frame.element()

    def _on_axis(self, place: Place, carrier: Place, most: float) -> Place:
        if place.name == GROUND:
            return replace(place, name=f"ground of {self.name}", origin=carrier.origin, axes=carrier.axes)
        axis = carrier.axes[2]
        beside = place.origin - carrier.origin
        beside = beside - (beside @ axis) * axis
        away = float(np.linalg.norm(beside))
        if away > most:
            what = f"distance [mm] of {place.name} from the axis of carrier {carrier.name} of {self.name}"
            raise Fault(what, float(f"{1e3 * away:.6g}"), f"at most {1e3 * most:.3g}", "put both on one axis")
        return replace(place, origin=place.origin - beside)


def _add_pin(pins: Pins, frame: RotatingFrame, planet: Place, pin: Place, angle: float) -> None:
    """Add the bearing of a planet."""
    outwards, axis = radial(frame.carrier, angle), frame.carrier.axes[2]
    axes, name = np.array([outwards, np.cross(axis, outwards), axis]), f"{planet.name}{PIN}"
    for place, called in ((planet, f"{planet.name} on its pin"), (pin, name)):
        frame.builder.place(replace(place, rows=place.rows_along(axes), axes=axes, name=called))
    pins.link(name, f"{planet.name} on its pin", name).add_to(frame.builder)


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
