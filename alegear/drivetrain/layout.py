"""How the gears of a machine stand to each other: frames, ratios, torques, flanks that carry, phases of the meshes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from alegear.contact.numbering import SPIN, WHEEL
from alegear.drivetrain.bearing import ShaftBearing
from alegear.drivetrain.closed_train import SetMesh, closed_trains
from alegear.drivetrain.gear_mesh import GearMesh, MeshPlace
from alegear.drivetrain.housing import Housing
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.place_names import shaft_of
from alegear.drivetrain.rotational.outer_torques import OuterTorques
from alegear.drivetrain.rotational.speed_relations import couplings, standing
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault, NotInThisVersion, unknown_name
from alegear.geometry.alignment import Alignment
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.microgeometry import OF_PAIR
from alegear.geometry.pair_geometry import PairNames
from alegear.parameters import limits_of
from alegear.system.builder import GROUND
from alegear.system.coordinates import Array
from alegear.system.linear_elements import PARALLEL
from alegear.system.machine_part import MachinePart

#: Speeds around a closed train agree to round-off of the ratios.
SAME_SPEED = 1e-9
#: What a case of two gears gives by a key of its own.
DISTANCE = "the distance of the shafts (position_mm)"
NO_POWER = 1e-9  # of the power that goes through the machine: round-off of its balance
#: Places are named with the first; meshes and gears name folders and files.
NOT_IN_NAMES = "@/\\"


class Layout:
    """What follows from the description of a machine before anything is computed; a fault names the parts.

    Parameters
    ----------
    shafts, gears, meshes, bearings, housings, drives, loads : sequences of parts
    parts : sequence of parts
        That only turn; between them a shaft needs no drive.
    times : sequence of float [s]
        At which torques of parts that act from outside are evaluated; the first is that of the start.

    Attributes
    ----------
    shafts, gears, drives, loads : dict by name
    bearings : tuple of ShaftBearing
    parts : tuple of parts
    meshes : tuple of MeshPlace
    ratio : dict
        Speed of each shaft about its direction, over that of the drive of its train in its sense.
    drive_of : dict
        Drive of the train that each shaft belongs to.
    apart_at_start : set of str
        Shafts and bodies that nothing couples with their drive at t = 0: a clutch between is open.
    outer : dict
        Torque from outside [N m] about the axis of each place that parts act on (:class:`OuterTorques`): the largest
        that loads the flanks which carry at the start.
    torque : dict
        Torque of each drive in the direction of rotation, and of each load against it [N m].

    Raises
    ------
    Fault
    """

    def __init__(
        self,
        *,
        shafts: Sequence[Shaft],
        gears: Sequence[ShaftGear],
        meshes: Sequence[GearMesh],
        bearings: Sequence[ShaftBearing] = (),
        housings: Sequence[Housing] = (),
        drives: Sequence[Drive] = (),
        loads: Sequence[TorqueLoad] = (),
        parts: Sequence[MachinePart] = (),
        times: Sequence[float] = (0.0,),
    ) -> None:
        self._given: dict[str, Sequence[Any]] = {
            "shaft": shafts, "gear": gears, "mesh": meshes, "bearing": bearings, "housing": housings,
            "drive": drives, "load": loads, "part": parts,
        }  # fmt: skip
        self._check_names()
        self.shafts = {shaft.name: shaft for shaft in shafts}
        self.gears = {gear.name: gear for gear in gears}
        self.loads = {load.name: load for load in loads}
        self.drives = {drive.name: drive for drive in drives}
        self.bearings, self._housings, self.parts = tuple(bearings), housings, tuple(parts)
        self._couplings = couplings(parts)
        self._turning = [part.name for part in parts if part.makes_bodies]
        self._turning += [body.name for part in parts for body in part.bodies]
        self._check_references(meshes)
        self._check_held()
        sides = {mesh.name: self._turned_against(mesh) for mesh in meshes}
        self.ratio, self.drive_of = self._speeds(meshes, sides)
        self._check_leads(parts)
        self._meshes = tuple(meshes)
        self._outer_torques = OuterTorques.of(parts) if self.drives else None
        self.outer = self._largest_outer(times)
        self.torque = self._torques(self.outer)
        powers = self.powers(self.torque, self.outer)
        self.meshes = tuple(self._mesh_place(mesh, powers[mesh.name]) for mesh in meshes)

    # ------------------------------------------------------------------ names
    def _check_names(self) -> None:
        owner: dict[str, str] = {GROUND: "ground"}
        for what, parts in self._given.items():
            for part in parts:
                name = part.name
                wrong = set(name) & set(NOT_IN_NAMES) or not name.isprintable()
                if name != name.strip() or wrong or not name.strip("."):
                    limit = f"a word without {' '.join(NOT_IN_NAMES)} that can be printed"
                    raise Fault(f"name of a {what}", f'"{name}"', limit, "rename it")
                if name in owner:
                    other = f"the {owner[name]}" if owner[name] != what else f"another {what}"
                    raise Fault(
                        f"name of a {what}", f'"{name}"', f"one that nothing else has ({other} has it)", "rename it"
                    )
                owner[name] = what

    def _check_references(self, meshes: Sequence[GearMesh]) -> None:
        for what in ("gear", "bearing", "drive", "load"):
            turning = self._turning if what in ("drive", "load") else []
            for part in self._given[what]:
                self._known(part.shaft, [*self.shafts, *turning], f"shaft of {what} {part.name}")
                if part.shaft in turning and part.at:
                    limit = f"0: {part.shaft} is a body without length"
                    raise Fault(f"at_mm of {what} {part.name}", 1e3 * part.at, limit, "leave it out")
        points = [f"{one.name}@{point}" for one in self._housings for point in one.points]
        for bearing in self.bearings:
            if bearing.to != GROUND and bearing.to not in points:
                self._known(bearing.to, [*self.shafts, *points], f"what holds bearing {bearing.name}")
                if bearing.to_at is None:
                    remedy = "give to_at_mm, the position along it"
                    raise Fault(f"position of bearing {bearing.name} on {bearing.to}", None, "given", remedy)
            elif bearing.to_at is not None:
                limit = f"left out: {bearing.to} is no shaft"
                raise Fault(f"to_at_mm of bearing {bearing.name}", 1e3 * bearing.to_at, limit, "leave it out")
        meshed = Counter(name for mesh in meshes for name in mesh.gears)
        for mesh in meshes:
            for name in mesh.gears:
                self._known(name, self.gears, f"gear of mesh {mesh.name}")
            for other in meshes[: meshes.index(mesh)]:
                if set(other.gears) == set(mesh.gears):
                    what = f"gears of mesh {mesh.name}"
                    raise Fault(what, f"those of mesh {other.name}", "one mesh for two gears", "leave out one of them")
            first, second = (self.gears[name].shaft for name in mesh.gears)
            ring = next((name for name in mesh.gears if self.gears[name].gear.internal), None)
            if ring is not None and mesh.law.needs_contact:
                what = f'fidelity "{mesh.law.fidelity}" of mesh {mesh.name}, with the ring {ring}'
                raise NotInThisVersion(what, "given", 'write fidelity = "elastic", "lossy" or "rigid"')
            if first == second:
                limit = "gears on two shafts"
                raise Fault(f"gears of mesh {mesh.name}", f"both on shaft {first}", limit, "move one of them")
        for name in self.gears:
            if not meshed[name]:
                raise Fault(f"meshes of gear {name}", 0, "at least 1", "add a mesh, or leave out the gear")
            if self.gears[name].gear.microgeometry.needs_pair and meshed[name] > 1:
                limit = (
                    f"a diameter or a roll length: the gear has {meshed[name]} meshes, and each its own single contact"
                )
                remedy = "give one that `alegear check` prints, as tip_relief_start_roll_length_mm"
                raise Fault(f"start of a relief of gear {name}", f'"{OF_PAIR}"', limit, remedy)

    @staticmethod
    def _known(name: str, known: Iterable[str], what: str) -> None:
        if name not in (names := list(known)):
            raise unknown_name(what, name, names)

    def _check_held(self) -> None:
        carried = {place for bearing in self.bearings for place in (bearing.shaft, bearing.to)}
        for shaft in self.shafts.values():
            if shaft.fixed_axis and shaft.name in carried:
                limit, remedy = "no bearings: its axis is held", "leave out fixed_axis = true, or the bearings"
                raise Fault(f"shaft {shaft.name}", "fixed axis and bearing", limit, remedy)
            if not shaft.fixed_axis and shaft.name not in carried:
                remedy = "add bearings, or write fixed_axis = true"
                raise Fault(f"what holds shaft {shaft.name}", "nothing", "bearings or a fixed axis", remedy)

    # ----------------------------------------------------------------- speeds
    def centre(self, gear: str) -> Array:
        """Mid-face of a gear in space (3,) [m]."""
        one = self.gears[gear]
        return self.shafts[one.shaft].point(one.at)

    def _turned_against(self, mesh: GearMesh) -> float:
        """+1 where the shafts of a mesh have the same direction, -1 where they have opposite ones."""
        first, second = (self.shafts[self.gears[name].shaft] for name in mesh.gears)
        e, f = first.axes[2], second.axes[2]
        if np.linalg.norm(np.cross(e, f)) > PARALLEL:
            angle = math.degrees(math.asin(min(1.0, float(np.linalg.norm(np.cross(e, f))))))
            what = f"angle [deg] between shafts {first.name} and {second.name} of mesh {mesh.name}"
            raise Fault(what, float(f"{angle:.6g}"), "0: parallel axes", "correct direction")
        return 1.0 if e @ f > 0.0 else -1.0

    def _speeds(
        self, meshes: Sequence[GearMesh], sides: Mapping[str, float]
    ) -> tuple[dict[str, float], dict[str, Drive]]:
        """Ratio of each shaft to the drive of its train, and that drive."""
        neighbours: dict[str, list[tuple[str, float, str]]] = {name: [] for name in (*self.shafts, *self._turning)}
        for mesh in meshes:
            first, second = (self.gears[name] for name in mesh.gears)
            ratio = -sides[mesh.name] * first.gear.z / second.gear.z
            neighbours[first.shaft].append((second.shaft, ratio, mesh.name))
            neighbours[second.shaft].append((first.shaft, 1.0 / ratio, mesh.name))
        for link in self._couplings:
            if link.first in neighbours and link.second in neighbours:
                neighbours[link.first].append((link.second, link.ratio, link.part))
                neighbours[link.second].append((link.first, 1.0 / link.ratio, link.part))
        speeds: dict[str, float] = {}
        drives: dict[str, Drive] = {}
        coupled = {one.part for one in self._couplings}
        open_now = {one.part for one in self._couplings if one.open_at_start}
        self.apart_at_start: set[str] = set()
        for drive in self.drives.values():
            if drive.shaft in speeds:
                other = drives[drive.shaft].name
                remedy = f'remove drive "{drive.name}", or make it a load'
                raise Fault("drives of one train", f'"{other}" and "{drive.name}"', "one", remedy)
            speeds[drive.shaft], waiting = drive.sense, [drive.shaft]
            drives[drive.shaft] = drive
            while waiting:
                shaft = waiting.pop()
                for other, ratio, meshed in neighbours[shaft]:
                    speed = ratio * speeds[shaft]
                    if other not in speeds:
                        speeds[other], drives[other] = speed, drive
                        waiting.append(other)
                        if meshed in open_now or shaft in self.apart_at_start:
                            self.apart_at_start.add(other)
                    elif meshed in coupled:
                        continue  # several ways over parts that slip or give way: what they come to is the motion's
                    elif abs(speeds[other] - speed) > SAME_SPEED * abs(speed):
                        what = f"speed of shaft {other} over that of drive {drive.name}"
                        limit = f"{speeds[other]:.9g}, as other meshes have it: mesh {meshed} locks the train"
                        raise Fault(what, float(f"{speed:.9g}"), limit, "correct teeth, or leave out a mesh")
        speeds |= dict.fromkeys((standing(self._given["part"]) & neighbours.keys()) - speeds.keys(), 0.0)
        for shaft in self.shafts:
            if shaft in speeds:
                continue
            if not self._given["part"]:
                remedy = "add a drive, or a mesh to another shaft"
                raise Fault(f"drive of shaft {shaft}", "none", "one in its train", remedy)
            speeds[shaft], waiting = 1.0, [shaft]
            while waiting:
                one = waiting.pop()
                for other, ratio, _ in neighbours[one]:
                    if other not in speeds:
                        speeds[other] = ratio * speeds[one]
                        waiting.append(other)
        return speeds, drives

    def _check_leads(self, parts: Sequence[MachinePart]) -> None:
        """Teeth in contact start from the rotation of their drive; nothing else may lead a shaft of its train."""
        touching = {name for mesh in self._given["mesh"] if mesh.law.needs_contact for name in mesh.gears}
        trains = {
            self.drive_of[self.gears[name].shaft].name for name in touching if self.gears[name].shaft in self.drive_of
        }
        for part in parts:
            shaft = part.places.get("at", "").partition("@")[0]
            drive = self.drive_of.get(shaft) if shaft in self.shafts else None
            if part.prescribes_motion and drive is not None and drive.name in trains:
                limit = f"none that the teeth of drive {drive.name} turn"
                remedy = "leave it out, or lead a body behind a spring or a clutch"
                raise Fault(f"shaft of speed {part.name}", f'"{shaft}"', limit, remedy)

    @property
    def joined(self) -> list[tuple[str, tuple[str, str]]]:
        """Meshes and parts by name that join two shafts or bodies, with these."""
        found = [(one.name, (self.gears[one.gears[0]].shaft, self.gears[one.gears[1]].shaft)) for one in self._meshes]
        turn = (*self.shafts, *self._turning)
        links = [one for one in self._couplings if one.first in turn and one.second in turn]
        return found + [(one.part, (one.first, one.second)) for one in links]

    # ---------------------------------------------------------------- torques
    def outer_at(
        self, t: float, speeds: Mapping[str, float], angles: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """Torque from outside [N m] about the axis of each place on a train, where all turns as perfect gears do.

        Parameters
        ----------
        t : float [s]
        speeds, angles : mapping of str to float
            Of drives in their sense [rad/s], [rad]; angles by default 0.
        """
        if self._outer_torques is None:
            return {}

        def turned(place: str, of_drives: Mapping[str, float]) -> float:
            drive = self.drive_of.get(shaft_of(place))
            return 0.0 if drive is None else self.ratio[shaft_of(place)] * of_drives.get(drive.name, 0.0)

        found = self._outer_torques.at(t, lambda one: turned(one, angles or {}), lambda one: turned(one, speeds))
        return {place: torque for place, torque in found.items() if shaft_of(place) in self.drive_of}

    def _largest_outer(self, times: Sequence[float]) -> dict[str, float]:
        """Torques from outside where they hand on most of these times, through all meshes in the sense of the first.

        Raises
        ------
        Fault
            Where they depend on a speed that is not given.
        """
        speeds = {drive.name: drive.size_of_speed for drive in self.drives.values()}
        unknown = {name: 0.5 * speed for name, speed in speeds.items() if self.drives[name].largest_speed is None}
        first = self.outer_at(times[0], speeds)
        if unknown and self.outer_at(times[0], speeds | unknown) != first:
            names = ", ".join(unknown)
            acting = ", ".join(self._outer_torques.names) if self._outer_torques else ""
            what, why = f"speed of drive {names}", f"given: {acting} depends on it"
            raise Fault(what, "not given", why, "give speed_rpm, in Python speed")
        states = [first]
        for t in times[1:]:
            angles = {name: speed * t for name, speed in speeds.items()}
            states.append(self.outer_at(t, speeds, angles))
        flows = np.array([[*self.powers(self._torques(one), one).values()] for one in states])
        begins = np.sign(flows[0])
        alike = [not (np.sign(row) * begins < 0.0).any() for row in flows]
        return states[int(np.argmax(np.where(alike, np.abs(flows).sum(axis=1), -1.0)))]

    def _loads_of(self, drive: Drive) -> list[TorqueLoad]:
        return [load for load in self.loads.values() if self.drive_of.get(load.shaft) is drive]

    def _braked(self, drive: Drive, torques: Mapping[str, float], outer: Mapping[str, float]) -> float:
        """Torque that loads, by their torques, and outer torques take from a drive [N m], in its sense."""
        own = {place: torque for place, torque in outer.items() if self.drive_of[shaft_of(place)] is drive}
        braked = sum(torques[load.name] * abs(self.ratio[load.shaft]) for load in self._loads_of(drive))
        return braked + (0.0 - sum(torque * self.ratio[shaft_of(place)] for place, torque in own.items()))

    def _torques(self, outer: Mapping[str, float]) -> dict[str, float]:
        torques: dict[str, float] = {}
        for load in self.loads.values():
            if load.shaft not in self.drive_of:
                limit, remedy = (
                    "one in its train: it brakes against that",
                    "add a drive, or [torques.NAME] in its place",
                )
                raise Fault(f"drive of shaft {load.shaft}, on which load {load.name} is", "none", limit, remedy)
        for drive in self.drives.values():
            loads = self._loads_of(drive)
            reacting = [load for load in loads if load.balances_drive]
            if len(reacting) > 1:
                names = " and ".join(f'"{load.name}"' for load in reacting)
                raise Fault(f"loads that react to drive {drive.name}", names, "one", "give the others a torque")
            braked = self._braked(drive, {load.name: load.largest_torque for load in loads}, outer)
            if reacting:
                if drive.torque is None:
                    remedy = f"give torque_Nm of {drive.name}, or of {reacting[0].name} in place of balances_drive"
                    raise Fault(
                        f"torque [N m] of drive {drive.name}", None, "given where a load balances the drive", remedy
                    )
                torques[drive.name] = drive.torque
                torques[reacting[0].name] = (drive.torque - braked) / abs(self.ratio[reacting[0].shaft])
            else:
                if drive.torque is not None:
                    remedy = "leave it out, or let a load have balances_drive = true"
                    raise Fault(
                        f"torque [N m] of drive {drive.name}", drive.torque, "left out: the loads make it", remedy
                    )
                if not loads and not any(self.drive_of[shaft_of(place)] is drive for place in outer):
                    remedy = "add a load, or a part that exerts a torque: [torques.NAME], [resistances.NAME]"
                    raise Fault(f"loads of drive {drive.name}", 0, "at least 1: its torque finds no reaction", remedy)
                torques[drive.name] = braked
            torques |= {load.name: load.largest_torque for load in loads if not load.balances_drive}
        return torques

    @property
    def turning_torques(self) -> dict[str, float]:
        """Torque [N m] by shaft or body that hands on all that its drive gives; of what stands, none."""
        return {
            shaft: self.torque[drive.name] / abs(self.ratio[shaft])
            for shaft, drive in self.drive_of.items()
            if self.ratio[shaft]
        }

    def balanced(self, loads: Mapping[str, float], outer: Mapping[str, float]) -> dict[str, float]:
        """Torques [N m] of all loads as given, against the rotation, and those of the drives that balance them.

        `outer` are those from outside, by place about its axis, which drives balance too.
        """
        torques = dict(loads)
        for drive in self.drives.values():
            torques[drive.name] = self._braked(drive, loads, outer)
        return torques

    def powers(self, torques: Mapping[str, float], outer: Mapping[str, float]) -> dict[str, float]:
        """Power of each mesh from its first gear to its second, over the speed of the drive, under torques [N m].

        Torques are those of drives and loads, and those from outside by place about its axis. Where power takes several
        ways it is shared as least squares have it: in a first guess, and for scales only.
        """
        number = {name: i for i, name in enumerate((*self.shafts, *self._turning))}
        links = [one for one in self._couplings if one.first in number and one.second in number]
        flows, given = np.zeros((len(number), len(self._meshes) + len(links))), np.zeros(len(number))
        for m, link in enumerate(links, start=len(self._meshes)):
            flows[number[link.first], m], flows[number[link.second], m] = 1.0, -1.0
        for m, mesh in enumerate(self._meshes):
            first, second = (number[self.gears[name].shaft] for name in mesh.gears)
            flows[first, m], flows[second, m] = 1.0, -1.0
        for drive in self.drives.values():
            given[number[drive.shaft]] += torques[drive.name]
        for load in self.loads.values():
            given[number[load.shaft]] -= torques[load.name] * abs(self.ratio[load.shaft])
        for place, torque in outer.items():
            given[number[shaft_of(place)]] += torque * self.ratio[shaft_of(place)]
        powers = np.asarray(np.linalg.lstsq(flows, given, rcond=None)[0], dtype=np.float64)
        powers[np.abs(powers) < NO_POWER * np.abs(given).max(initial=0.0)] = 0.0
        return {mesh.name: float(power) for mesh, power in zip(self._meshes, powers[: len(self._meshes)], strict=True)}

    def speeds_of(self, bearing: ShaftBearing) -> tuple[float, float]:
        """Largest speeds of the shaft and of what holds a bearing, both about the direction of the shaft [rad/s]."""
        speeds = []
        for name in (bearing.shaft, bearing.to):
            drive = self.drive_of.get(name)
            along = (
                float(self.shafts[name].axes[2] @ self.shafts[bearing.shaft].axes[2]) if name in self.shafts else 0.0
            )
            speeds.append(0.0 if drive is None else along * self.ratio[name] * abs(drive.largest_speed or 0.0))
        return speeds[0], speeds[1]

    # ----------------------------------------------------------------- meshes
    def place(self, mesh: str) -> MeshPlace:
        """Where a mesh stands."""
        return next(place for place in self.meshes if place.mesh.name == mesh)

    def _mesh_place(self, mesh: GearMesh, power: float) -> MeshPlace:
        first, second = (self.gears[name] for name in mesh.gears)
        # numbers of a ring are negative (ISO 21771), and so are its rotations in the running direction
        z = math.copysign(1.0, self.ratio[first.shaft] * first.gear.z) * self.shafts[first.shaft].axes[2]
        between = self.centre(second.name) - self.centre(first.name)
        across = between - (between @ z) * z
        distance = float(np.linalg.norm(across))
        if not distance > 0.0:
            names = f"shafts {first.shaft} and {second.shaft} of mesh {mesh.name}"
            raise Fault(f"distance [mm] of {names}", 0.0, "greater than 0", "correct position_mm")
        x = across / math.copysign(distance, first.gear.z * second.gear.z)
        called = PairNames(
            pinion=f"gear {first.name}",
            wheel=f"gear {second.name}",
            centre_distance=DISTANCE,
            axial_offset=f"the axial offset of gear {first.name} against gear {second.name} (at_mm)",
            torque=f"torque [N m] on gear {first.name}",
            where=f"mesh {mesh.name}: ",
        )
        offset = 0.0 - float(between @ z)
        limits = limits_of(Alignment)["axial_offset"]
        quantity = f"{called.where}{limits.quantity}"
        replace(limits, quantity=quantity, key=called.axial_offset).check(offset, "Alignment.axial_offset")
        pair = GearPair(
            pinion=self._seen_along(first, z, mesh),
            wheel=self._seen_along(second, z, mesh),
            a_w=distance,
            alignment=replace(mesh.law.alignment, axial_offset=offset),
            names=called,
        )
        return MeshPlace(
            mesh=mesh,
            pair=pair,
            origin=self.centre(first.name),
            axes=np.array([x, np.cross(z, x), z]),
            power=power,
            ratios=(
                math.copysign(self.ratio[first.shaft], first.gear.z),
                math.copysign(self.ratio[second.shaft], second.gear.z),
            ),
            moduli=(first.material.E, second.material.E),
            poisson=(first.material.nu, second.material.nu),
        )

    def _seen_along(self, one: ShaftGear, z: Array, mesh: GearMesh) -> CylindricalGear:
        """The gear with its deviations along z, which may be against the direction of its shaft."""
        if self.shafts[one.shaft].axes[2] @ z > 0.0:
            return one.gear
        if one.mesh_file is not None and mesh.law.needs_contact:
            limit = f"left out: mesh {mesh.name} needs the gear turned over"
            remedy = f"turn the direction of shaft {one.shaft}, or that of the drive"
            raise Fault(f"grid made elsewhere of gear {one.name}", str(one.mesh_file), limit, remedy)
        return one.gear.with_microgeometry(one.gear.microgeometry.from_other_end())

    # ----------------------------------------------------------------- phases
    @cached_property
    def phases(self) -> Mapping[str, tuple[float, float]]:
        """Rotations [rad] of both gears of each mesh from the pitch-point contact of pair 0, where no shaft has turned.

        Shafts stand so that the flanks that carry touch; the first gear of a train stands at its ``tooth_angle``. In a
        closed train (:mod:`alegear.drivetrain.closed_train`) some followers lag behind them, by their backlash at most.

        Raises
        ------
        Fault
            If the teeth of a closed train do not meet within its backlash.
        """
        meshes, turned = self._set({})
        differences: dict[str, float] = {}
        for train in closed_trains(meshes):
            differences |= train.differences()
        if differences:
            _, turned = self._set(differences)
        phases = {}
        for place in self.meshes:
            pitch, (first, second) = self._pitches(place), turned[place.mesh.name]
            second = (first / pitch[0] + self._apart(place, turned)) * pitch[1]  # in the same pitch
            phases[place.mesh.name] = (first, second)
        return phases

    def _pitches(self, place: MeshPlace) -> tuple[float, float]:
        """Angles of a pitch of both gears [rad], that of a ring negative."""
        first, second = (2.0 * math.pi / self.gears[name].gear.z for name in place.mesh.gears)
        return first, second

    def _apart(self, place: MeshPlace, turned: Mapping[str, tuple[float, float]]) -> float:
        """Rotation of the second gear less that of the first [pitches], without whole ones."""
        pitch, (first, second) = self._pitches(place), turned[place.mesh.name]
        return math.remainder(second / pitch[1] - first / pitch[0], 1.0)

    def _set(self, differences: Mapping[str, float]) -> tuple[list[SetMesh], dict[str, tuple[float, float]]]:
        """Set the shafts one after the other, that of the drive first.

        Parameters
        ----------
        differences : mapping of str to float [pitches]
            By which the rotation of the second gear of a mesh is to be ahead of that of the first; 0 unless given: the
            flanks that carry touch.

        Returns
        -------
        meshes : list of SetMesh
            In the order in which they set the shafts.
        turned : dict of (float, float) [rad]
            Rotations of both gears of each mesh.
        """
        stand: dict[str, float] = {drive.shaft: 0.0 for drive in self.drives.values()}
        turned: dict[str, tuple[float, float]] = {}
        meshes: list[SetMesh] = []
        waiting = sorted(self.meshes, key=lambda place: place.mesh.name)
        while waiting:
            reached = [p for p in waiting if any(self.gears[name].shaft in stand for name in p.mesh.gears)]
            if not reached:  # its drive is behind a torsional part: no tooth of it is anywhere in particular
                stand[self.gears[waiting[0].mesh.gears[0]].shaft] = 0.0
                continue
            place = reached[0]
            waiting.remove(place)
            name, pitch = place.mesh.name, self._pitches(place)
            gears = [self.gears[one] for one in place.mesh.gears]
            both = [self._rotation(place, g, stand) if gear.shaft in stand else 0.0 for g, gear in enumerate(gears)]
            sets = None
            for g, ahead in enumerate((-1.0, 1.0)):
                if gears[g].shaft not in stand:
                    sets = gears[g].shaft
                    both[g] = (both[1 - g] / pitch[1 - g] + ahead * differences.get(name, 0.0)) * pitch[g]
                    stand[sets] = self._stand(place, g, both[g])
            turned[name] = (both[0], both[1])
            pair = place.pair
            meshes.append(
                SetMesh(
                    name=name,
                    shafts=(gears[0].shaft, gears[1].shaft),
                    teeth=(abs(pair.pinion.z), abs(pair.wheel.z)),
                    sets=sets,
                    per_turn=place.ratios[0] * pair.pinion.z,
                    sense=1.0 if place.source == WHEEL else -1.0,
                    apart=self._apart(place, turned),
                    backlash=max(pair.j_wt, 0.0) / (math.pi * pair.d_w[0] / pair.pinion.z),
                )
            )
        return meshes, turned

    def _stand(self, place: MeshPlace, g: int, turned: float) -> float:
        """Angle about the direction of its shaft at which a shaft stands, of a gear that has turned so far."""
        gear = self.gears[place.mesh.gears[g]]
        shaft = self.shafts[gear.shaft]
        polar = place.reference_angles[g] + float(SPIN[g]) * turned
        direction = math.cos(polar) * place.axes[0] + math.sin(polar) * place.axes[1]
        return math.atan2(float(direction @ shaft.axes[1]), float(direction @ shaft.axes[0])) - gear.tooth_angle

    def _rotation(self, place: MeshPlace, g: int, stand: Mapping[str, float]) -> float:
        """The inverse: the smallest rotation of a gear on a shaft that stands at an angle, by whole pitches."""
        gear = self.gears[place.mesh.gears[g]]
        shaft, angle = self.shafts[gear.shaft], stand[gear.shaft] + gear.tooth_angle
        direction = math.cos(angle) * shaft.axes[0] + math.sin(angle) * shaft.axes[1]
        polar = math.atan2(float(direction @ place.axes[1]), float(direction @ place.axes[0]))
        turned = float(SPIN[g]) * (polar - place.reference_angles[g])
        return math.remainder(turned, 2.0 * math.pi / gear.gear.z)
