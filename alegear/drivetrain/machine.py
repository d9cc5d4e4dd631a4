"""A machine put together as a system: shafts, gears, bearings, housings, meshes, drives and loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from alegear.contact.forces import PerGear
from alegear.contact.numbering import SPIN
from alegear.drivetrain.bearing import ShaftBearing
from alegear.drivetrain.flexible import FlexibleMesh
from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.gear_mesh import MeshLoads, MeshPart, MeshPlace, MeshSurroundings, PerfectGears
from alegear.drivetrain.housing import Housing
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.normal_modes import GearModes, VibratingWheel
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.drivetrain.place_names import node_name
from alegear.drivetrain.rotational.speed_relations import seats as seats_of
from alegear.drivetrain.shaft import Disk, Shaft
from alegear.drivetrain.spatial.scales import spatial_scales
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array, Indices, Scales
from alegear.system.machine_part import MachinePart
from alegear.system.model import SystemModel
from alegear.system.profiles import PiecewiseCubic, PrescribedRotation

#: Of a torsional machine: a milliradian matters. What torque does, a motion finds.
TURNING = Scales(deflection=1e-3, force=1.0, radius=1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineParts:
    """Parts of a machine and their layout.

    Parameters
    ----------
    layout : Layout
    shafts, bearings, housings : sequences of parts
    parts : sequence of parts
        That only turn.
    gravity : shape (3,) [m/s2]
        In space, on everything that has a mass and can give way.
    wheels : mapping of str to GearMass
        Of gears by their grids, which bend with it; others have that of their geometry.
    senses : mapping of str to float
        Of planetary sets: -1 where torques turn the first central gear clockwise, so that other flanks carry, else 1.
    stiffness : mapping of str to float [N/m]
        Of meshes, where it is known better than by their faces; scales go by it.
    """

    layout: Layout
    shafts: Sequence[Shaft]
    bearings: Sequence[ShaftBearing] = ()
    housings: Sequence[Housing] = ()
    parts: Sequence[MachinePart] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    senses: Mapping[str, float] = field(default_factory=dict)
    wheels: Mapping[str, GearMass] = field(default_factory=dict)
    stiffness: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def scales(self) -> Scales:
        """What is typical of the machine: of the mesh that carries most."""
        layout = self.layout
        if any(part.in_space for part in self.parts):
            return spatial_scales(self.parts, self.gravity)
        found = [
            Scales(
                deflection=place.force / self.stiffness.get(place.mesh.name, place.first_stiffness),
                force=place.force,
                radius=abs(place.pair.pinion.r_b),
            )
            for place in layout.meshes
            if place.force
        ]
        for part in layout.parts:
            found += part.scales_under(layout.turning_torques)
        found = found or [one for part in layout.parts for one in part.idle_scales()]
        if not found:
            return TURNING if self.parts else Scales()
        return max(found, key=lambda one: one.force)

    @property
    def linear_bearings(self) -> list[ShaftBearing]:
        """Bearings on springs, for first guesses and for what is held at all."""
        return [bearing.on_springs(self.scales.force) for bearing in self.bearings]

    @property
    def in_statics(self) -> MachineParts:
        """The machine with its parts as they are in equilibria."""
        return replace(self, parts=[part.in_statics(self._sense_of(part)) for part in self.parts])

    @property
    def on_springs(self) -> MachineParts:
        """The machine with teeth of its parts that do not part, for first guesses and modes."""
        return replace(self, parts=[part.on_springs(self._sense_of(part)) for part in self.parts])

    def linearised(self, model: SystemModel, x: Array, *, bonded: bool = False) -> MachineParts:
        """The machine as it vibrates a little about states x (m, n) of a system of it.

        Parameters
        ----------
        model : SystemModel
        x : shape (m, n)
        bonded : bool
            Whether teeth of its parts do not part, where nothing is loaded.
        """
        parts = [part.linearised(model, x, bonded=bonded) for part in self.parts]
        return replace(self, parts=parts, bearings=[one.linearised(model, x) for one in self.bearings])

    def _sense_of(self, part: MachinePart) -> float:
        return self.senses.get(part.name, 1.0)

    def drive_place(self, drive: str) -> str:
        """Name of the place that a drive turns."""
        return self._place(self.layout.drives[drive])

    def load_place(self, load: str) -> str:
        """Name of the place that a load acts on."""
        return self._place(self.layout.loads[load])

    def _place(self, one: Drive | TorqueLoad) -> str:
        return node_name(one.shaft, one.at) if one.shaft in self.layout.shafts else one.shaft

    def build(
        self,
        meshes: Mapping[str, MeshPart],
        *,
        speeds: Mapping[str, PiecewiseCubic] | None = None,
        torques: Mapping[str, PiecewiseCubic] | None = None,
        start_angles: Mapping[str, float] | None = None,
        modes: Mapping[str, tuple[GearModes, GearModes]] | None = None,
        moves: bool = True,
        locked: bool = False,
        rolling: bool = False,
        bearings: Sequence[ShaftBearing] | None = None,
    ) -> MachineSystem:
        """Put the system together.

        Parameters
        ----------
        meshes : mapping of str to MeshPart
            Every mesh, as its law has it in this system.
        speeds : mapping of str to PiecewiseCubic, optional [rad/s]
            By drive, about the direction of its shaft; default: nothing is prescribed. A controller holds it in motions
            if the drive has one.
        torques : mapping of str to PiecewiseCubic, optional [N m]
            By load, against the rotation; default: none.
        start_angles : mapping of str to float, optional [rad]
            Of the drives at t = 0.
        modes : mapping of str to (GearModes, GearModes), optional
            By mesh, normal modes of its gears; of a gear in one of them only. Default: wheels do not vibrate.
        moves : bool
            False for equilibria alone, which need no inertia.
        locked : bool
            Whether couplings that stick or slide hold their places together, as in equilibria and for modes.
        rolling : bool
            Whether shafts start at the speeds of perfect gears, where no equilibrium is found before.
        bearings : sequence of ShaftBearing, optional
            What stands for the bearings in this system, in their order; default: themselves.
        """
        layout, builder = self.layout, SystemBuilder(self.scales)
        builder.gravity(self.gravity)
        disks = [
            Disk(name=gear.name, shaft=gear.shaft, at=gear.at, **vars(self.wheels.get(gear.name, gear.rigid_body)))
            for gear in layout.gears.values()
        ]
        outside: list[Drive | TorqueLoad] = [*layout.drives.values(), *layout.loads.values()]
        for shaft, at in [*seats_of(self.parts), *((one.shaft, one.at) for one in outside)]:
            if shaft in layout.shafts:
                builder.seat(shaft, at)
        held = self.bearings if bearings is None else bearings
        parts: list[Part] = [*self.shafts, *self.housings, *disks, *held, *self.parts]
        builder.add(*parts)
        for load in layout.loads.values():
            builder.disk(builder.node(self.load_place(load.name)), inertia=load.inertia)
        drives: dict[str, PrescribedRotation] = {}
        for name, speed in (speeds or {}).items():
            angle = (start_angles or {}).get(name, 0.0)
            drives[name] = PrescribedRotation(speed_ramp=speed, start_angle=angle)
            if layout.drives[name].governed and moves and not locked:
                at_first = {load: torque.value(0.0) for load, torque in (torques or {}).items()}
                sense = layout.drives[name].sense
                balance = (
                    sense * layout.balanced(at_first, self._outer_at_first(speeds or {}, start_angles or {}))[name]
                )
                builder.add(layout.drives[name].governor(self.drive_place(name), torque=balance, angle=angle))
            else:
                builder.prescribe(name, _rotation(builder, self.drive_place(name)), drives[name])
        if rolling:
            self._roll(builder, speeds or {})
        for name, torque in (torques or {}).items():
            turn = float(np.sign(layout.ratio[layout.loads[name].shaft]))
            builder.load(name, torque, {_rotation(builder, self.load_place(name)): -turn})
        contacts: dict[str, FlexibleMesh] = {}
        vibrating: dict[str, tuple[VibratingWheel, VibratingWheel]] = {}
        for place in layout.meshes:
            name = place.mesh.name
            surroundings = self._surroundings(builder, place, drives)
            if modes is not None and name in modes:
                first, second = vibrating[name] = self._add_modes(builder, place, modes[name])
                surroundings = replace(surroundings, modes=(first.coordinates, second.coordinates))
            contact = meshes[name].add_to(builder, place, surroundings)
            if contact is not None:
                assert isinstance(contact, FlexibleMesh)
                contacts[name] = contact
        model = builder.build(moves=moves, locked=locked)
        return MachineSystem(machine=self, model=model, parts=meshes, contacts=contacts, vibrating=vibrating)

    def _outer_at_first(self, speeds: Mapping[str, PiecewiseCubic], angles: Mapping[str, float]) -> dict[str, float]:
        """Torques from outside [N m] at t = 0, by place; speeds and angles of drives as :meth:`build` has them."""
        senses = {name: drive.sense for name, drive in self.layout.drives.items()}
        return self.layout.outer_at(
            0.0,
            {name: senses[name] * speed.value(0.0) for name, speed in speeds.items()},
            {name: senses[name] * angle for name, angle in angles.items()},
        )

    def _roll(self, builder: SystemBuilder, speeds: Mapping[str, PiecewiseCubic]) -> None:
        """Start all shafts at the speeds of perfect gears; those that a part holds apart from their drive at rest."""
        for shaft in self.shafts:
            drive = self.layout.drive_of.get(shaft.name)
            if drive is None or drive.name not in speeds or shaft.name in self.layout.apart_at_start:
                continue
            speed = self.layout.ratio[shaft.name] * abs(speeds[drive.name].value(0.0))
            if shaft.name != drive.shaft or drive.governed:
                builder.start(_rotation(builder, shaft.name), speed=speed)

    def _surroundings(
        self, builder: SystemBuilder, place: MeshPlace, drives: Mapping[str, PrescribedRotation]
    ) -> MeshSurroundings:
        layout = self.layout
        drive = layout.drive_of.get(layout.gears[place.mesh.gears[0]].shaft)
        nominal = None
        if drive is not None and drive.name in drives:
            nominal = PerfectGears(drive=drives[drive.name], ratio=drive.sense * np.array(place.ratios))
        first, second = (builder.node(name) for name in place.mesh.gears)
        return MeshSurroundings(gears=(first, second), angles=layout.phases[place.mesh.name], nominal=nominal)

    def _add_modes(
        self, builder: SystemBuilder, place: MeshPlace, modes: tuple[GearModes, GearModes]
    ) -> tuple[VibratingWheel, VibratingWheel]:
        """Add the normal modes of both gears of a mesh to the places where they sit."""
        turned, at_pitch_point = self.layout.phases[place.mesh.name], place.reference_angles
        angles = (at_pitch_point[g] + float(SPIN[g]) * turned[g] for g in range(2))
        first, second = (
            own.add_to(builder, replace(builder.node(name), name=name), place.axes, angle)
            for name, own, angle in zip(place.mesh.gears, modes, angles, strict=True)
        )
        return first, second


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineSystem:
    """A machine as a system, and where its parts are in it.

    Attributes
    ----------
    machine : MachineParts
    model : SystemModel
    parts : mapping of str to MeshPart
        Every mesh, by its name.
    contacts : mapping of str to FlexibleMesh
        Those that are contacts.
    vibrating : mapping of str to (VibratingWheel, VibratingWheel)
        Both wheels of those whose wheels vibrate.
    """

    machine: MachineParts
    model: SystemModel
    parts: Mapping[str, MeshPart]
    contacts: Mapping[str, FlexibleMesh]
    vibrating: Mapping[str, tuple[VibratingWheel, VibratingWheel]]

    @cached_property
    def turned(self) -> dict[str, Indices]:
        """All coordinates that turn each shaft about its axis, by its name."""
        found: dict[str, Indices] = {}
        for shaft in self.machine.shafts:
            own = [place for name, place in self.model.places.items() if is_on(name, shaft.name)]
            found[shaft.name] = np.unique([place.rotation for place in own if place.rotation is not None])
        for name in self.machine.layout.ratio:
            if name not in found:  # a body that only turns
                found[name] = np.array([self.rotation(name)])
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
            if shaft in layout.drive_of and layout.drive_of[shaft].name == drive:
                x[at] = layout.ratio[shaft] * angle
        return x

    def place_motion(self, x: Array, place: str) -> Array:
        """Displacement, tilts and rotation of a place along the axes of its shaft, shape (..., 6) [m, rad]."""
        one = self.model.places[place]
        moved: Array = x[..., one.coordinates] @ one.rows.T
        return moved

    def shifts(self, place: MeshPlace, x: Array) -> Array:
        """Displacements and tilts of both gears of a mesh along the axes of their shafts (..., 2, 5) [m, rad]."""
        return np.stack([self.place_motion(x, gear)[..., :5] for gear in place.mesh.gears], axis=-2)

    def vibration(self, mesh: str, v: Array, a: Array) -> PerGear | None:
        """Vibration of the modes of both gears of a mesh in states v, a (m, n), as `VibratingWheel.vibration`."""
        if mesh not in self.vibrating:
            return None
        first, second = (wheel.vibration(v, a) for wheel in self.vibrating[mesh])
        return first, second

    def number_of(self, mesh: str) -> int:
        """Number of a mesh that is a contact among the elements."""
        return self.model.elements.index(self.contacts[mesh])

    def loads(self, place: MeshPlace, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """What a mesh that is no contact carries in states x, v (m, n), as :meth:`MeshPart.loads` says."""
        return self.parts[place.mesh.name].loads(place, self.model, x, v, multipliers)


def is_on(place: str, shaft: str) -> bool:
    """Whether a place belongs to a shaft or a body."""
    return place == shaft or place.startswith(f"{shaft}@")


def _rotation(builder: SystemBuilder, place: str) -> int:
    rotation = builder.node(place).rotation
    assert rotation is not None  # all places of shafts turn
    return rotation
