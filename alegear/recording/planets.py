"""Members, meshes and pins of planetary sets from the coordinates of a system, for many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from alegear.arrays import ComplexArray
from alegear.drivetrain.laws.teeth import EARLY, contacts_by_slot, slots_of
from alegear.drivetrain.rotational.displaced_planets import PlanetLoads
from alegear.drivetrain.teeth.teeth_mesh import TeethMesh
from alegear.results.variables import PIN_NAMES
from alegear.system.coordinates import TILT_X, TILT_Y, TURN, Array, X, Y, Z
from alegear.system.model import SystemModel
from alegear.system.modes import SystemModes
from alegear.system.rotating_frame import RotatingSubsystem

#: Part of the energy of a mode that is none, and that is nearly all.
STILL, PURE = 1e-6, 0.99


class PlanetRecord:
    """What is recorded of the planetary sets of a machine.

    Parameters
    ----------
    parts : sequence of parts
        Of the machine; those with elastic or Hertz teeth are looked at.
    model : SystemModel
    """

    def __init__(self, parts: Sequence[Any], model: SystemModel) -> None:
        self.model = model
        self.sets: list[Any] = [part for part in parts if part.elastic]

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Names of planets and of their meshes by their dimensions; nothing where there are none in a frame."""
        sets = self.in_frames
        if not sets:
            return {}
        planets = [name for one in sets for name in one.planet]
        meshes = [name for one in sets for same in one.mesh_names.values() for name in same]
        return {"planet": planets, "planet_mesh": meshes, **PIN_NAMES}

    @property
    def in_frames(self) -> list[Any]:
        """The sets whose meshes and pins are one element."""
        return [one for one in self.sets if self._frame(one) is not None]

    def _frame(self, one: Any) -> RotatingSubsystem | None:
        found = [element for element in self.model.elements if element.name == one.name]
        return found[0] if found and isinstance(found[0], RotatingSubsystem) else None

    def values(self, x: Array, v: Array) -> dict[str, Array]:
        """Forces of meshes and pins, and displacements of planets, of states x, v (m, n)."""
        names = self.names
        if not names:
            return {}
        planets, meshes = len(names["planet"]), len(names["planet_mesh"])
        found = {
            "planet_mesh_force": np.zeros((len(x), meshes)),
            "planet_back_force": np.zeros((len(x), meshes)),
            "load_share": np.zeros((len(x), meshes)),
            "pin_force": np.zeros((len(x), planets, 3)),
            "pin_moment": np.zeros((len(x), planets, 2)),
            "planet_displacement": np.zeros((len(x), planets, 3)),
        }
        for set_name, frame, meshes_of_set, planets_of_set in self._columns:
            loads = PlanetLoads.of(set_name, self.model, x, v)
            for at, same in meshes_of_set:
                sides = np.stack([loads.sides[name] for name in same], axis=2)
                forces, found["planet_back_force"][:, at] = _net_and_back(sides)
                whole = forces.sum(axis=1, keepdims=True)
                found["planet_mesh_force"][:, at] = forces
                found["load_share"][:, at] = len(same) * forces / np.where(whole, whole, np.nan)
            y, _ = frame.seen(x[:, frame.coordinates], v[:, frame.coordinates])
            for at_planet, name in planets_of_set:
                if name in loads.pins:
                    place = frame.model.places[f"{name} on its pin"]
                    found["pin_force"][:, at_planet] = loads.pins[name][:, :3]
                    found["pin_moment"][:, at_planet] = loads.pins[name][:, 3:]
                    found["planet_displacement"][:, at_planet] = y[:, place.coordinates] @ place.rows[: Z + 1].T
        return found

    def pressed(self, x: Array, v: Array) -> tuple[dict[str, list[str]], dict[str, Array]]:
        """Names of the meshes of all sets and their forces, also of meshes between torsional parts.

        In states x, v (m, n); net forces and those of back flanks as :meth:`values` has them.
        """
        meshes = [name for one in self.sets for same in one.mesh_names.values() for name in same]
        net, back = np.zeros((2, len(x), len(meshes)))
        by_name: dict[str, Any] = {element.name: element for element in self.model.elements}
        for one in self.sets:
            if self._frame(one) is not None:
                of_set = PlanetLoads.of(one.name, self.model, x, v).sides
            else:
                found = [by_name[name] for same in one.mesh_names.values() for name in same]
                of_set = {e.name: e.side_forces(x[:, e.coordinates], v[:, e.coordinates]) for e in found}
            for same in one.mesh_names.values():
                at, sides = [meshes.index(name) for name in same], np.stack([of_set[name] for name in same], axis=2)
                net[:, at], back[:, at] = _net_and_back(sides)
        return {"planet_mesh": meshes}, {"planet_mesh_force": net, "planet_back_force": back}

    @cached_property
    def _columns(self) -> list[tuple[str, RotatingSubsystem, list[tuple[list[int], list[str]]], list[tuple[int, str]]]]:
        """Of each set its name and frame, columns of its meshes with their names, kind by kind, and those of planets.

        Once: to put the names together takes as long as a block of samples.
        """
        names, found = self.names, []
        for one in self.sets:
            frame = self._frame(one)
            if frame is not None:
                meshes = [([names["planet_mesh"].index(n) for n in same], same) for same in one.mesh_names.values()]
                found.append((one.name, frame, meshes, [(names["planet"].index(name), name) for name in one.planet]))
        return found

    # ------------------------------------------------------------------- teeth
    @cached_property
    def _on_teeth(self) -> dict[str, tuple[RotatingSubsystem, TeethMesh, int]]:
        """By the name of each mesh on Hertz teeth its frame, its element, and the pairs that can touch on one side."""
        found: dict[str, tuple[RotatingSubsystem, TeethMesh, int]] = {}
        for one in self.sets:
            frame = self._frame(one)
            if frame is None:
                continue
            pairs = {name: one.meshes[mesh] for mesh, same in one.mesh_names.items() for name in same}
            for element in frame.model.elements:
                if isinstance(element, TeethMesh):
                    n = ceil(pairs[element.name].pair.eps_gamma) + EARLY
                    found[element.name] = (frame, element, n)
        return found

    @property
    def tooth_slots(self) -> list[str]:
        """Names of the slots of their tooth pairs."""
        return [slot for name, (_, _, n) in self._on_teeth.items() for slot in slots_of(name, n)]

    def tooth_contacts(self, x: Array, v: Array) -> dict[str, Array]:
        """Contacts of their teeth in states x, v (m, n) by name of the variable, shape (m, n_slots)."""
        found: list[dict[str, Array]] = []
        seen: dict[str, tuple[Array, Array]] = {}  # what each frame sees, all of its meshes at once
        for frame, mesh, n in self._on_teeth.values():
            if frame.name not in seen:
                seen[frame.name] = frame.seen(x[:, frame.coordinates], v[:, frame.coordinates])
            y, rates = (one[:, mesh.coordinates] for one in seen[frame.name])
            found.append(contacts_by_slot(mesh, n, y, rates))
        return {name: np.concatenate([one[name] for one in found], axis=1) for name in found[0]} if found else {}

    # ------------------------------------------------------------------- modes
    @property
    def members(self) -> dict[str, tuple[str, str]]:
        """By the name of each member the place that it is, and the carrier of its set."""
        return {name: (place, one.carrier) for one in self.sets for name, place in one.members.items()}

    def outlines(self) -> dict[str, Array]:
        """Where members are (n_members, 3) [m], their axes, pitch radii (n_members,) [m] and teeth."""
        position, axis = [], []
        for name, (place, carrier) in self.members.items():
            own, held = self.model.places[place], self._held(name)
            if held is not None:
                on = self.model.places[carrier]
                position.append(on.origin + held[0] * np.array([np.cos(held[1]), np.sin(held[1]), 0.0]) @ on.axes)
                axis.append(on.axes[2])
            else:
                position.append(own.origin)
                axis.append(own.axes[2])
        outlines = {name: one for part in self.sets for name, one in part.outlines.items()}
        radii, teeth = zip(*(outlines[name] for name in self.members), strict=True)
        return {
            "member_position": np.array(position),
            "member_axis": np.array(axis),
            "member_radius": np.array(radii),
            "member_teeth": np.array(teeth, dtype=np.int64),
        }

    def _held(self, member: str) -> tuple[float, float] | None:
        """Radius [m] and angle [rad] of the pin of a planet; None of other members."""
        return next((one.held_at(member) for one in self.sets if member in one.members), None)

    def moved(self, x: Array) -> dict[str, Array]:
        """Displacements, tilts (m, n_members, 3) in space [m, rad] and rotations (m, n_members) [rad] of all members.

        Of small motions x (m, n) about where the machine was built: planets that pins hold go round with their carrier.
        """
        members = self.members
        displaced, tilted = (np.zeros((len(x), len(members), 3)) for _ in range(2))
        turned = np.zeros((len(x), len(members)))
        for number, (name, (place, carrier)) in enumerate(members.items()):
            own = self.model.places[place]
            motion = x[:, own.coordinates] @ own.rows.T
            turned[:, number] = motion[:, TURN]
            held = self._held(name)
            if held is not None and not own.rows[:TURN].any():
                radius, angle = held
                on = self.model.places[carrier]
                about = x[:, on.coordinates] @ on.rows[TURN]
                motion = np.zeros_like(motion)
                motion[:, X], motion[:, Y] = -radius * np.sin(angle) * about, radius * np.cos(angle) * about
                own = on
            displaced[:, number] = motion[:, : Z + 1] @ own.axes
            tilted[:, number] = motion[:, TILT_X : TILT_Y + 1] @ own.axes[:2]
        return {"member_displacement": displaced, "member_rotation": turned, "member_tilt": tilted}

    def kinds(self, modes: SystemModes) -> list[list[str]]:
        """What the members of each set do in each mode, one list a mode.

        With planets at angles psi_k and their motions z_k along axes of the pins, weighed by masses, the energy of a
        mode splits into that of the harmonics

            Z_h = sum_k z_k exp(-i h psi_k)/sqrt(n)

        rotational: h = 0, central members turn about their axis and move along it; translational: h = 1 or -1, they
        are displaced across it and tilt; planet: others, and these where bearings hold central members, which stand
        while planets turn on their pins or move on them. So it is of equal planets at equal
        angles on bearings that are the same in all directions (Lin and Parker 1999, Eritenel and Parker 2009); mixed:
        none of these has nearly all. out of plane: hardly anything is displaced or turned in the plane of the set.
        still: it has no part in the mode.
        """
        root = np.sqrt(np.diag(modes.mass))
        weighed = root[:, None] * modes.shapes
        return [list(of_mode) for of_mode in zip(*(self._kinds_of(one, weighed) for one in self.sets), strict=True)]

    def _kinds_of(self, one: Any, weighed: ComplexArray) -> list[str]:
        """Kinds of all modes for a set, from coordinates (n, m) times the roots of their masses."""
        m = weighed.shape[1]
        harmonics, in_plane, across = np.zeros((3, m)), np.zeros(m), np.zeros(m)
        for name, place in one.members.items():
            if name not in one.planet:
                energy = np.abs(self._motion(place, weighed)) ** 2
                harmonics[0] += energy[[TURN, Z]].sum(axis=0)
                across += energy[[X, Y, TILT_X, TILT_Y]].sum(axis=0)
                in_plane += energy[[X, Y, TURN]].sum(axis=0)
        for names in one.planet_rows:
            psi = np.array([one.held_at(name)[1] for name in names])
            z = np.array([self._motion(name, weighed) for name in names])
            for first, second in ((X, Y), (TILT_X, TILT_Y)):
                turned = (z[:, first] + 1j * z[:, second], z[:, first] - 1j * z[:, second])
                ahead, back = (w * np.exp(s * 1j * psi)[:, None] for w, s in zip(turned, (-1.0, 1.0), strict=True))
                z[:, first], z[:, second] = 0.5 * (ahead + back), -0.5j * (ahead - back)
            in_plane += (np.abs(z[:, [X, Y, TURN]]) ** 2).sum(axis=(0, 1))
            whole, n = (np.abs(z) ** 2).sum(axis=(0, 1)), len(names)
            found = [
                (np.abs(np.tensordot(np.exp(-1j * h * psi), z, axes=1)) ** 2).sum(axis=0) / n
                for h in dict.fromkeys((0, 1 % n, -1 % n))
            ]
            harmonics[0] += found[0]
            harmonics[1] += sum(found[1:])
            harmonics[2] += whole - sum(found)
        harmonics[1] += across
        held = across < STILL * harmonics.sum(axis=0)
        harmonics[2, held] += harmonics[1, held]
        harmonics[1, held] = 0.0
        return [_kind(shares, flat) for shares, flat in zip(harmonics.T, in_plane, strict=True)]

    def _motion(self, place: str, weighed: ComplexArray) -> ComplexArray:
        """Motions (6, m) of a place, each by the coordinates that move it so alone, which have their masses."""
        own, found = self.model.places[place], np.zeros((6, weighed.shape[1]), dtype=np.complex128)
        for k, column in zip(own.coordinates, own.rows.T, strict=True):
            directions = np.flatnonzero(column)
            if len(directions) == 1:
                found[directions[0]] += weighed[k]
        return found


def _net_and_back(sides: Array) -> tuple[Array, Array]:
    """Net forces (m, n_planets) of a mesh of each planet, and those of flanks that the sum of these does not load.

    Of the forces (2, m, n_planets) of the flanks with which the inner gear drives counterclockwise, and of the others.
    """
    net = sides[0] - sides[1]
    return net, np.where(net.sum(axis=1, keepdims=True) < 0.0, sides[0], sides[1])


def _kind(shares: Array, in_plane: float) -> str:
    """What members of a set do in a mode."""
    whole = float(shares.sum())
    if whole < STILL:
        return "still"
    if in_plane < STILL * whole:
        return "out of plane"
    most = int(np.argmax(shares))
    return ("rotational", "translational", "planet")[most] if shares[most] > PURE * whole else "mixed"
