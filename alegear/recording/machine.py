"""Shafts, bearings and meshes of a machine from the coordinates of its system, for many states at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from alegear.arrays import AnyArray, Array
from alegear.drivetrain.bearing import ShaftBearing
from alegear.drivetrain.machine import MachineSystem, is_on
from alegear.drivetrain.place_names import node_name
from alegear.recording.planets import PlanetRecord
from alegear.results.variables import RING_NAMES
from alegear.system.builder import GROUND
from alegear.system.energy_balance import EnergyBalance
from alegear.system.instants import Instants


class MachineRecord:
    """What is recorded of a machine.

    Parameters
    ----------
    system : MachineSystem
    """

    def __init__(self, system: MachineSystem) -> None:
        self.system, self.machine, self.layout = system, system.machine, system.machine.layout

    @cached_property
    def places(self) -> list[str]:
        """Names of the places on shafts, each once, one shaft after the other along it."""
        found: list[str] = []
        for shaft in self.machine.shafts:
            names = [n for n in self.system.model.places if n.startswith(f"{shaft.name}@")]
            found += sorted(names, key=lambda name: float(name.rpartition("@")[2].removesuffix("mm")))
        return found

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Names of shafts, meshes, bearings and places, and of what else there is, by their dimension."""
        of_some = {
            "rolling_bearing": [bearing.name for bearing in self._rolling],
            **(RING_NAMES if self._rolling else {}),
            "moving_seat": [bearing.name for bearing in self._on_seats],
            "tooth_contact": self._tooth_slots,
        }
        return {
            "shaft": [shaft.name for shaft in self.machine.shafts],
            "mesh": [place.mesh.name for place in self.layout.meshes],
            "bearing": self.bearings,
            "place": self.places,
            **{dim: names for dim, names in of_some.items() if names},
            **self.names_of_parts,
            **self.planets.names,
        }

    @cached_property
    def planets(self) -> PlanetRecord:
        """Planetary sets."""
        return PlanetRecord(self.layout.parts, self.system.model)

    @cached_property
    def _rolling(self) -> list[ShaftBearing]:
        return [bearing for bearing in self.machine.bearings if bearing.rolls]

    @cached_property
    def _on_seats(self) -> list[ShaftBearing]:
        """Bearings that are held by what can move."""
        return [bearing for bearing in self.machine.bearings if bearing.to != GROUND]

    @cached_property
    def _tooth_slots(self) -> list[str]:
        """Slots of meshes that record their contacts tooth by tooth."""
        parts, meshes = self.system.parts, self.layout.meshes
        return [*(slot for one in meshes for slot in parts[one.mesh.name].tooth_slots(one)), *self.planets.tooth_slots]

    @cached_property
    def names_of_parts(self) -> dict[str, list[str]]:
        """Names of bodies, switches and flanges of torsional parts; nothing where there are none."""
        model = self.system.model
        if not self.machine.parts and not model.switches:
            return {}
        flanges = [f"{one.part}/{one.body}" for one in self.energy_balance.flanges]
        switches = [model.owner(one.name) for one in model.switches]
        return {"body": list(self.bodies), "switch": switches, "flange": flanges}

    @cached_property
    def bodies(self) -> dict[str, int]:
        """Coordinates of the bodies that only turn and are no shafts, by their names."""
        model, shafts = self.system.model, [shaft.name for shaft in self.machine.shafts]
        return {
            one.body: i
            for i, one in enumerate(model.coordinates)
            if one.body in model.places
            and model.places[one.body].rotation == i
            and not any(is_on(one.body, shaft) for shaft in shafts)
        }

    @cached_property
    def energy_balance(self) -> EnergyBalance:
        """Torques at the torsional parts."""
        names = {part.name for part in self.machine.parts}
        return EnergyBalance(self.system.model, names)

    def of_parts(self, now: Instants) -> dict[str, AnyArray]:
        """Angles, speeds, modes and torques of bodies and torsional parts, at m times."""
        if not self.names_of_parts:
            return {}
        bodies = list(self.bodies.values())
        return {
            name: values
            for name, values in (
                ("body_angle", now.x[:, bodies]),
                ("body_speed", now.v[:, bodies]),
                ("mode", now.modes),
                ("relative_speed", now.rates),
                ("friction_torque", now.lam),
                ("part_torque", self.energy_balance.torques(now)),
            )
            if values.shape[1]
        }

    @property
    def bearings(self) -> list[str]:
        """Names of the bearings."""
        return [bearing.name for bearing in self.machine.bearings]

    @cached_property
    def gear_place(self) -> dict[str, str]:
        """Place of the mid-face of each gear."""
        return {gear.name: node_name(gear.shaft, gear.at) for gear in self.layout.gears.values()}

    @cached_property
    def looked_at(self) -> dict[str, str]:
        """Place at which the rotation of each shaft is read: of its drive, of its load, else of its first gear."""
        found: dict[str, str] = {}
        for gear in self.layout.gears.values():
            found.setdefault(gear.shaft, self.gear_place[gear.name])
        for load in self.layout.loads.values():
            found[load.shaft] = self.machine.load_place(load.name)
        for drive in self.layout.drives.values():
            found[drive.shaft] = self.machine.drive_place(drive.name)
        return {shaft.name: found.get(shaft.name, shaft.name) for shaft in self.machine.shafts}

    @property
    def ratio(self) -> Array:
        """Speed of each shaft over that of the drive of its train."""
        return np.array([self.layout.ratio[shaft.name] for shaft in self.machine.shafts])

    def rotations(self, x: Array) -> Array:
        """Rotations of the shafts, or their rates, from all coordinates (m, n): shape (m, n_shafts)."""
        at = [self.system.rotation(self.looked_at[shaft.name]) for shaft in self.machine.shafts]
        turned: Array = x[:, at]
        return turned

    def values(self, x: Array, v: Array) -> dict[str, Array]:
        """Rotation errors, transmission errors, displacements and what bearings do, of states x, v (m, n)."""
        return {
            "rotation_error": self.rotation_errors(x),
            "transmission_error": self.transmission_errors(x),
            **self.displacements(x),
            **self.bearing_forces(x, v),
            **self.rolling(x),
            **self.teeth(x, v),
            **self.planets.values(x, v),
        }

    def rotation_errors(self, x: Array) -> Array:
        """Rotation of each shaft less ratio times that of its drive's place, shape (m, n_shafts) [rad]."""
        turned = self.rotations(x)
        number = {shaft.name: s for s, shaft in enumerate(self.machine.shafts)}
        errors = np.empty_like(turned)
        for name, s in number.items():
            drive = self.layout.drive_of.get(name)
            if drive is None:
                errors[:, s] = np.nan
                continue
            at_drive = x[:, self.system.rotation(self.machine.drive_place(drive.name))]
            if drive.shaft in number:
                at_drive = turned[:, number[drive.shaft]]
            errors[:, s] = turned[:, s] - self.layout.ratio[name] * drive.sense * at_drive
        return errors

    def transmission_errors(self, x: Array) -> Array:
        """Of the meshes, shape (m, n_meshes) [m]; that of a rigid one is what its gears' rotations leave."""
        errors = np.zeros((len(x), len(self.layout.meshes)))
        for m, place in enumerate(self.layout.meshes):
            r_b = [abs(gear.r_b) for gear in place.pair.gears]
            # both turned in the running direction, counted from positions that mesh
            turned = [
                np.sign(self.layout.ratio[self.layout.gears[name].shaft])
                * x[:, self.system.rotation(self.gear_place[name])]
                for name in place.mesh.gears
            ]
            driving, driven = place.driving, 1 - place.driving
            errors[:, m] = r_b[driven] * turned[driven] - r_b[driving] * turned[driving]
        return errors

    def displacements(self, x: Array) -> dict[str, Array]:
        """Displacements and tilts of all places in space, shape (m, n_places, 3) [m, rad]."""
        moved, tilted = ((x @ of).reshape(len(x), len(self.places), 3) for of in self._of_places)
        return {"displacement": moved, "tilt": tilted}

    @cached_property
    def _of_places(self) -> tuple[Array, Array]:
        """What a unit of each coordinate moves and tilts all places by, (n, 3 n_places) each."""
        model, ones = self.system.model, np.eye(self.system.model.n)
        moved, tilted = [np.zeros((model.n, 0))], [np.zeros((model.n, 0))]
        for name in self.places:
            y, axes = self.system.place_motion(ones, name), model.places[name].axes
            moved.append(y[:, :3] @ axes)
            tilted.append(y[:, 3:5] @ axes[:2])
        return np.concatenate(moved, axis=1), np.concatenate(tilted, axis=1)

    def bearing_forces(self, x: Array, v: Array) -> dict[str, Array]:
        """Forces and moments of shafts on bearings in space, shape (m, n_bearings, 3) [N, N m]."""
        model, names = self.system.model, self.bearings
        force, moment = np.zeros((len(x), len(names), 3)), np.zeros((len(x), len(names), 3))
        for b, bearing in enumerate(self.machine.bearings):
            carried, axes = bearing.carried(model, x, v), model.places[bearing.place].axes
            force[:, b], moment[:, b] = carried[:, :3] @ axes, carried[:, 3:] @ axes[:2]
        return {"bearing_force": force, "bearing_moment": moment}

    def teeth(self, x: Array, v: Array) -> dict[str, Array]:
        """Contacts of teeth in states x, v (m, n), of the meshes that record them, shape (m, n_slots)."""
        if not self._tooth_slots:
            return {}
        parts, model = self.system.parts, self.system.model
        own = [parts[place.mesh.name].tooth_contacts(place, model, x, v) for place in self.layout.meshes]
        known = [one for one in (*own, self.planets.tooth_contacts(x, v)) if one]
        return {name: np.concatenate([one[name] for one in known], axis=1) for name in known[0]}

    def rolling(self, x: Array) -> dict[str, Array]:
        """Motions of the rings of bearings with rolling elements, their cages and largest loads, in states x (m, n)."""
        if not self._rolling:
            return {}
        found: list[dict[str, Array]] = [one.roller_values(self.system.model, x) for one in self._rolling]
        return {name: np.stack([one[name] for one in found], axis=1) for name in found[0]}

    def seat_accelerations(self, a: Array) -> dict[str, Array]:
        """Accelerations in space of what holds bearings and moves, from those of all coordinates (m, n) [m/s2]."""
        if not self._on_seats:
            return {}
        model = self.system.model
        found = [
            self.system.place_motion(a, bearing.holder)[:, :3] @ model.places[bearing.holder].axes
            for bearing in self._on_seats
        ]
        return {"seat_acceleration": np.stack(found, axis=1)}
