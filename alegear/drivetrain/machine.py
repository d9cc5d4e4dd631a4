"""A machine put together as a system: shafts, gears, bearings, housings, meshes by their laws, drives and loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from alegear.ale import ToothWindow
from alegear.contact.forces import FlexibleContact
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.flexible import FlexibleMesh, MeshGear
from alegear.drivetrain.housing import Housing
from alegear.drivetrain.layout import Layout, MeshPlace
from alegear.drivetrain.pair import PerfectGears
from alegear.drivetrain.shaft import Disk, Seat, Shaft, node_name
from alegear.dynamics.joints import PrescribedRotation, Profile
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array, Indices, Place, Scales
from alegear.system.joints import RigidMesh
from alegear.system.linear_elements import LineSpring
from alegear.system.model import SystemModel

#: Mesh stiffness per face width for scales and first guesses [N/m2], about that of ISO 6336-1.
FIRST_STIFFNESS = 15e9


class MeshLaw(Protocol):
    """How the two gears of a mesh act on each other; one object a mesh."""

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add a joint, a linear part or an element under the name of the mesh."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshSurroundings:
    """What a law is told of the machine besides the place of its mesh.

    Attributes
    ----------
    gears : (Place, Place)
        Centres of the mid-faces of first and second gear.
    angles : (float, float) [rad]
        Rotations from the pitch-point contact of pair 0 where no shaft has turned.
    nominal : PerfectGears or None
        How both would move if they were perfect; None where nothing leads them.
    """

    gears: tuple[Place, Place]
    angles: tuple[float, float]
    nominal: PerfectGears | None


@dataclass(frozen=True, kw_only=True, eq=False)
class RigidLaw:
    """Teeth that neither bend nor part: one displacement along the line of action."""

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add the constraint; its multiplier is the force along the line."""
        names = tuple(gear.name for gear in surroundings.gears)
        RigidMesh(
            name=place.mesh.name,
            between=(names[0], names[1]),
            point=place.pitch_point,
            direction=place.line_of_action,
        ).add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpringLaw:
    """Teeth as a spring along the line of action.

    Parameters
    ----------
    stiffness : float [N/m]
        Of a displacement in the transverse section.
    """

    stiffness: float

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add the spring, along the normal of the flanks."""
        names = tuple(gear.name for gear in surroundings.gears)
        LineSpring(
            name=place.mesh.name,
            between=(names[0], names[1]),
            point=place.pitch_point,
            direction=place.line_of_action,
            stiffness=self.stiffness / np.cos(place.pair.beta_b) ** 2,
        ).add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class FlexibleLaw:
    """Flexible teeth in contact.

    Parameters
    ----------
    contact : FlexibleContact
    window : ToothWindow or None
        None: the teeth in the window are given with each evaluation.
    retardation : float [s]
    """

    contact: FlexibleContact
    window: ToothWindow | None = None
    retardation: float = 0.0

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add the element."""
        first, second = (
            MeshGear(place=gear, angle=angle)
            for gear, angle in zip(surroundings.gears, surroundings.angles, strict=True)
        )
        builder.element(
            FlexibleMesh(
                name=place.mesh.name,
                contact=self.contact,
                window=self.window,
                gears=(first, second),
                axes=place.axes,
                lead=place.lead,
                retardation=self.retardation,
                nominal=surroundings.nominal,
            )
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class TangentLaw:
    """Flexible teeth under a load, linearised: for modes.

    Parameters
    ----------
    contact : FlexibleContact
    stiffness : shape (n_mesh, n_mesh)
        Of the coordinates of the mesh: rotations, and where a gear can be displaced the displacements of both. What is
        negative in it, because loads turn with their flanks, is left out; it is to the stiffness as the deflection is
        to a radius of curvature.
    """

    contact: FlexibleContact
    stiffness: Array

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add the linear part."""
        first, second = (MeshGear(place=gear) for gear in surroundings.gears)
        mesh = FlexibleMesh(name=place.mesh.name, contact=self.contact, gears=(first, second), axes=place.axes)
        size = np.sqrt(np.maximum(np.diag(self.stiffness), 0.0))
        size[size == 0.0] = 1.0
        values, vectors = np.linalg.eigh(0.5 * (self.stiffness + self.stiffness.T) / np.outer(size, size))
        kept = vectors * np.maximum(values, 0.0) @ vectors.T * np.outer(size, size)
        builder.linear(
            place.mesh.name, at=mesh.coordinates, rows=mesh.rows, stiffness=0.5 * (kept + kept.T), kind="meshes"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Machine:
    """Parts of a machine and their layout.

    Parameters
    ----------
    layout : Layout
    shafts, bearings, housings : sequences of parts
    gravity : shape (3,) [m/s2]
        In space, on everything that has a mass and can give way.
    """

    layout: Layout
    shafts: Sequence[Shaft]
    bearings: Sequence[Bearing] = ()
    housings: Sequence[Housing] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @cached_property
    def scales(self) -> Scales:
        """What is typical of the machine: of the mesh that carries most."""
        meshes = self.layout.meshes
        if not any(place.force for place in meshes):
            return Scales()
        most = max(meshes, key=lambda place: place.force)
        return Scales(
            deflection=most.force / (FIRST_STIFFNESS * most.pair.b_w), force=most.force, radius=most.pair.pinion.r_b
        )

    def drive_place(self, drive: str) -> str:
        """Name of the place that a drive turns."""
        one = self.layout.drives[drive]
        return node_name(one.shaft, one.at)

    def load_place(self, load: str) -> str:
        """Name of the place that a load acts on."""
        one = self.layout.loads[load]
        return node_name(one.shaft, one.at)

    def build(
        self,
        laws: Mapping[str, MeshLaw],
        *,
        speeds: Mapping[str, Profile] | None = None,
        torques: Mapping[str, Profile] | None = None,
        start_angles: Mapping[str, float] | None = None,
        moves: bool = True,
    ) -> MachineSystem:
        """Put the system together.

        Parameters
        ----------
        laws : mapping of str to MeshLaw
            Of every mesh.
        speeds : mapping of str to Profile, optional [rad/s]
            By drive, about the direction of its shaft; default: nothing is led.
        torques : mapping of str to Profile, optional [N m]
            By load, against the rotation; default: none.
        start_angles : mapping of str to float, optional [rad]
            Of the drives at t = 0.
        moves : bool
            False for equilibria alone, which need no inertia.
        """
        layout, builder = self.layout, SystemBuilder(self.scales)
        builder.gravity(self.gravity)
        disks = [
            Disk(
                name=gear.name,
                shaft=gear.shaft,
                at=gear.at,
                mass=gear.gear.mass(gear.material.rho),
                inertia=gear.gear.inertia(gear.material.rho),
                tilt_inertia=gear.tilt_inertia,
            )
            for gear in layout.gears.values()
        ]
        seats = [Seat(shaft=one.shaft, at=one.at) for one in layout.drives.values()]
        seats += [Seat(shaft=one.shaft, at=one.at) for one in layout.loads.values()]
        parts: list[Part] = [*self.shafts, *self.housings, *disks, *seats, *self.bearings]
        builder.add(*parts)
        for load in layout.loads.values():
            builder.disk(builder.node(self.load_place(load.name)), inertia=load.inertia)
        drives: dict[str, PrescribedRotation] = {}
        for name, speed in (speeds or {}).items():
            drives[name] = PrescribedRotation(speed_ramp=speed, start_angle=(start_angles or {}).get(name, 0.0))
            builder.lead(name, _rotation(builder, self.drive_place(name)), drives[name])
        for name, torque in (torques or {}).items():
            turn = float(np.sign(layout.ratio[layout.loads[name].shaft]))
            builder.load(name, torque, {_rotation(builder, self.load_place(name)): -turn})
        for place in layout.meshes:
            laws[place.mesh.name].add_to(builder, place, self._surroundings(builder, place, drives))
        return MachineSystem(machine=self, model=builder.build(moves=moves))

    def _surroundings(
        self, builder: SystemBuilder, place: MeshPlace, drives: Mapping[str, PrescribedRotation]
    ) -> MeshSurroundings:
        layout = self.layout
        drive = layout.drive_of[layout.gears[place.mesh.gears[0]].shaft]
        nominal = None
        if drive.name in drives:
            nominal = PerfectGears(drive=drives[drive.name], ratio=drive.sense * np.array(place.ratios))
        first, second = (builder.node(name) for name in place.mesh.gears)
        return MeshSurroundings(gears=(first, second), angles=layout.phases[place.mesh.name], nominal=nominal)


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineSystem:
    """A machine as a system, and where its parts are in it.

    Attributes
    ----------
    machine : Machine
    model : SystemModel
    """

    machine: Machine
    model: SystemModel

    @cached_property
    def meshes(self) -> dict[str, FlexibleMesh]:
        """Flexible meshes by name."""
        return {one.name: one for one in self.model.elements if isinstance(one, FlexibleMesh)}

    @cached_property
    def turned(self) -> dict[str, Indices]:
        """All coordinates that turn each shaft about its axis, by its name."""
        found: dict[str, Indices] = {}
        for shaft in self.machine.shafts:
            own = [place for name, place in self.model.places.items() if _is_on(name, shaft.name)]
            found[shaft.name] = np.unique([place.rotation for place in own if place.rotation is not None])
        return found

    def rotation(self, place: str) -> int:
        """The coordinate that turns a place."""
        rotation = self.model.places[place].rotation
        assert rotation is not None
        return rotation

    def nominal(self, drive: str, angle: float) -> Array:
        """All coordinates of a train of perfect gears whose drive has turned so far in its sense, shape (n,)."""
        layout, x = self.machine.layout, np.zeros(self.model.n)
        for shaft, at in self.turned.items():
            if layout.drive_of[shaft].name == drive:
                x[at] = layout.ratio[shaft] * angle
        return x

    def place_motion(self, x: Array, place: str) -> Array:
        """Displacement, tilts and rotation of a place along the axes of its shaft, shape (..., 6) [m, rad]."""
        one = self.model.places[place]
        moved: Array = x[..., one.coordinates] @ one.rows.T
        return moved

    def number_of(self, mesh: str) -> int:
        """Number of a flexible mesh among the elements."""
        return self.model.elements.index(self.meshes[mesh])


def _is_on(place: str, shaft: str) -> bool:
    return place == shaft or place.startswith(f"{shaft}@")


def _rotation(builder: SystemBuilder, place: str) -> int:
    rotation = builder.node(place).rotation
    assert rotation is not None  # all places of shafts turn
    return rotation
