"""Meshes of planets as the carrier sees them, and the law between two gears there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw, MeshPart, MeshPlace, MeshSurroundings, PreparedMesh
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Place

#: How flanks touch.
FREE, SEATED, BONDED = "free", "seated", "bonded"
#: Names of springs that say where flanks without load are end so.
SEAT_NAME = "seat"


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshSeat:
    """Where the mesh of a planet is in the frame that turns with its carrier.

    Attributes
    ----------
    gears : (Place, Place)
        Places of the frame, the inner gear first.
    carrier : Place
        The middle of the faces.
    beta_b : float [rad]
        Helix angle of the first gear on the base cylinder, as the set has it.
    side : float
        1 where the first gear drives counterclockwise as the first central gear does so, else -1.
    contact : {"free", "seated", "bonded"}
        Flanks push only; the same with a weak spring that says where those without load are, in equilibria; or those
        that are loaded also pull.
    """

    gears: tuple[Place, Place]
    carrier: Place
    beta_b: float
    side: float
    contact: str

    @property
    def centres(self) -> tuple[Array, Array]:
        """Of both gears in the plane of the carrier, in space [m]."""
        axis = self.carrier.axes[2]
        first, second = (g.origin - (g.origin - self.carrier.origin) @ axis * axis for g in self.gears)
        return first, second

    def axes(self, a: float) -> Array:
        """Axes (3, 3) of the mesh: from centre A to B, from B to A where the distance a [m] of a ring is negative."""
        first, second = self.centres
        e = (second - first) / a
        return np.array([e, np.cross(self.carrier.axes[2], e), self.carrier.axes[2]])


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


@dataclass(frozen=True, kw_only=True, eq=False)
class PairTeeth:
    """The mesh of a planet as two gears and a law (:mod:`alegear.drivetrain.laws`).

    Parameters
    ----------
    name : str
    gears : (str, str)
        What they sit on, the inner one first.
    pair : GearPair
        The inner one is its pinion.
    law : MeshLaw
    materials : (Material, Material)
    turned : float [pitches]
        Of both gears from the contact of the loaded flanks at the pitch point, tooth pair 0, where nothing has turned.
    torque : float [N m]
        On the first gear, counterclockwise where it drives a mesh of ``side`` 1; its sign says which flanks are loaded.
    retardation : float [s]
    ahead : (float, float) [m]
        How far the axes of both gears stand counterclockwise of where the mesh has them, across the line of centres.
    """

    name: str
    gears: tuple[str, str]
    pair: GearPair
    law: MeshLaw
    materials: tuple[Material, Material]
    turned: float
    torque: float
    retardation: float = 0.0
    ahead: tuple[float, float] = (0.0, 0.0)

    def place(self, seat: MeshSeat) -> MeshPlace:
        """The mesh as it stands in the frame."""
        teeth = [gear.z for gear in self.pair.gears]
        return MeshPlace(
            mesh=GearMesh(name=self.name, gears=self.gears, law=self.law),
            pair=self.pair,
            origin=seat.centres[0],
            axes=seat.axes(self.pair.a_w),
            power=seat.side * self.torque,
            ratios=(1.0, teeth[0] / teeth[1]),
            moduli=(self.materials[0].E, self.materials[1].E),
            poisson=(self.materials[0].nu, self.materials[1].nu),
        )

    def part(self, place: MeshPlace, contact: str) -> MeshPart:
        """What the law makes of it."""
        ready = PreparedMesh(stiffness=place.first_stiffness, retardation=self.retardation)
        made = {FREE: self.law.in_motion, SEATED: self.law.in_statics, BONDED: self.law.on_springs}
        return made[contact](ready)

    def add_in_frame(self, builder: SystemBuilder, seat: MeshSeat) -> None:
        """Add the part of its law."""
        place = self.place(seat)
        angles = [2.0 * np.pi * self.turned / gear.z for gear in self.pair.gears]
        surroundings = MeshSurroundings(gears=seat.gears, angles=(angles[0], angles[1]), nominal=None, ahead=self.ahead)
        self.part(place, seat.contact).add_to(builder, place, surroundings)
