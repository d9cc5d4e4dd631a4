"""Members, meshes and pins of planetary sets from the coordinates of a system, for many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from alegear.drivetrain.displaced_planets import PlanetLoads
from alegear.drivetrain.laws.teeth import EARLY, contacts_by_slot, slots_of
from alegear.drivetrain.teeth.teeth_mesh import TeethMesh
from alegear.results.machine_result import PIN_NAMES
from alegear.system.coordinates import TILT_X, TILT_Y, TURN, Array, X, Y, Z
from alegear.system.model import SystemModel
from alegear.system.modes import SystemModes
from alegear.system.turning_frame import InFrame

#: Part of a mode of unit mass that is none: coordinates times the roots of their masses.
STILL = 1e-6
#: What members of a set do in a mode.
OUT_OF_PLANE, PLANET, ROTATIONAL, TRANSLATIONAL, MIXED, NOTHING = (
    "out of plane",
    "planet",
    "rotational",
    "translational",
    "mixed",
    "still",
)


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
        self.sets: list[Any] = [part for part in parts if getattr(part, "elastic", False)]

    @property
    def names(self) -> dict[str, list[str]]:
        """Names of planets and of their meshes by their dimensions; nothing where there are none in a frame."""
        told = [one for one in self.sets if self._frame(one) is not None]
        if not told:
            return {}
        planets = [name for one in told for name in one.planet]
        meshes = [name for one in told for same in one.mesh_names.values() for name in same]
        return {"planet": planets, "planet_mesh": meshes, **PIN_NAMES}

    def _frame(self, one: Any) -> InFrame | None:
        found = [element for element in self.model.elements if element.name == one.name]
        return found[0] if found and isinstance(found[0], InFrame) else None

    def values(self, x: Array, v: Array) -> dict[str, Array]:
        """Forces of meshes and pins, and displacements of planets, of states x, v (m, n)."""
        names = self.names
        if not names:
            return {}
        planets, meshes = len(names["planet"]), len(names["planet_mesh"])
        found = {
            "planet_mesh_force": np.zeros((len(x), meshes)),
            "load_share": np.zeros((len(x), meshes)),
            "pin_force": np.zeros((len(x), planets, 3)),
            "pin_moment": np.zeros((len(x), planets, 2)),
            "planet_displacement": np.zeros((len(x), planets, 3)),
        }
        for i in range(len(x)):
            self._take(i, x[i], v[i], names, found)
        return found

    def _take(self, i: int, x: Array, v: Array, names: dict[str, list[str]], found: dict[str, Array]) -> None:
        """Fill in a state."""
        for one in self.sets:
            frame = self._frame(one)
            if frame is None:
                continue
            loads = PlanetLoads.of(one.name, self.model, x, v)
            for same in one.mesh_names.values():
                at = [names["planet_mesh"].index(name) for name in same]
                forces = np.array([loads.meshes[name] for name in same])
                found["planet_mesh_force"][i, at] = forces
                whole = forces.sum()
                found["load_share"][i, at] = len(same) * forces / whole if whole else np.nan
            y, _ = frame.seen(x[frame.coordinates], v[frame.coordinates])
            for name in one.planet:
                at_planet = names["planet"].index(name)
                if name in loads.pins:
                    found["pin_force"][i, at_planet] = loads.pins[name][:3]
                    found["pin_moment"][i, at_planet] = loads.pins[name][3:]
                    place = frame.model.places[f"{name} on its pin"]
                    found["planet_displacement"][i, at_planet] = (place.rows @ y[place.coordinates])[: Z + 1]

    # ------------------------------------------------------------------- teeth
    @cached_property
    def _on_teeth(self) -> dict[str, tuple[InFrame, TeethMesh, int]]:
        """By the name of each mesh on Hertz teeth its frame, its element, and the pairs that can touch on one side."""
        found: dict[str, tuple[InFrame, TeethMesh, int]] = {}
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
        for frame, mesh, n in self._on_teeth.values():
            own, at = frame.coordinates, mesh.coordinates
            seen = [frame.seen(state[own], rate[own]) for state, rate in zip(x, v, strict=True)]
            y, rates = (np.array([one[i][at] for one in seen]) for i in range(2))
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

        rotational: central members turn about their axis, which stands; translational: they are displaced and do not
        turn; planet: only planets move. So it is of sets of equal planets at equal angles, on bearings that are the
        same in all directions (Lin and Parker 1999); else mixed. still: the set has no part in the mode.
        """
        root = np.sqrt(np.diag(modes.mass))
        weighed = np.abs(root[:, None] * modes.shapes)

        def most(places: Sequence[str], directions: Sequence[int]) -> Array:
            rows = [
                int(k)
                for name in places
                for k, column in zip(self.model.places[name].coordinates, self.model.places[name].rows.T, strict=True)
                if np.flatnonzero(column).tolist() and all(d in directions for d in np.flatnonzero(column))
            ]
            largest: Array = weighed[rows].max(axis=0, initial=0.0)
            return largest

        kinds = []
        for one in self.sets:
            places = one.members
            planets = [place for name, place in places.items() if name in one.planet]
            central = [place for place in places.values() if place not in planets]
            out = most([*planets, *central], (Z, TILT_X, TILT_Y)) > STILL
            turned, displaced = most(central, (TURN,)) > STILL, most(central, (X, Y)) > STILL
            of_planets = most(planets, (X, Y, TURN)) > STILL
            kinds.append(
                [_kind(*(bool(one) for one in what)) for what in zip(out, turned, displaced, of_planets, strict=True)]
            )
        return [list(of_mode) for of_mode in zip(*kinds, strict=True)]


def _kind(out: bool, turned: bool, displaced: bool, planets: bool) -> str:
    if out:
        return MIXED if turned or displaced or planets else OUT_OF_PLANE
    if turned:
        return MIXED if displaced else ROTATIONAL
    if displaced:
        return TRANSLATIONAL
    return PLANET if planets else NOTHING
