"""What parts have added to a system, and the model that it makes: small matrices added to large ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alegear.errors import unknown_name
from alegear.system.body_frame import BodyFrame
from alegear.system.coordinates import Array, Coordinate, Indices, Place
from alegear.system.element import Element
from alegear.system.holonomic import Joint
from alegear.system.model import (
    ControllerLink,
    GyroscopicTerm,
    LinearConstraint,
    LinearPart,
    Load,
    PrescribedCoordinate,
    SystemModel,
)
from alegear.system.reduction import reduction
from alegear.system.switches import FrictionLaw, Switch
from alegear.system.time_signal import TimeSignal

#: What a model has as it was added.
SEQUENCES = ("coordinates", "parts", "elements", "joints", "rotation_vectors", "controllers")
MAPPINGS = ("frames", "inputs", "places", "owners", "start_angles", "start_speeds", "initial_relations")


@dataclass(frozen=True, kw_only=True, eq=False)
class SwitchFriction:
    """Friction along a relative rate, as a part adds it: see :meth:`alegear.system.builder.SystemBuilder.switch`."""

    name: str
    rate: dict[int, float]
    push: dict[int, float]
    law: FrictionLaw
    follows: str | None

    @property
    def holds(self) -> bool:
        """Whether it holds its places where it is locked: between two that turn, not the losses of another link."""
        return self.follows is None and sum(weight != 0.0 for weight in self.rate.values()) > 1


@dataclass(kw_only=True, eq=False)
class Added:
    """What parts have added to a system, one after the other.

    Parameters
    ----------
    coordinates : list of Coordinate
    places : dict of Place
    frames : dict of BodyFrame
        Of the ground and of bodies that float.
    masses, forces, pulled : list of (indices, array)
        Mass matrices and constant forces of some coordinates, and the directions along which these fall.
    parts, gyroscopic, prescribed, joints, elements, controllers : list
        As the model has them.
    loads : list of (name, profile, weights)
    constraints : list of (name, weights)
    switches : list of SwitchFriction
    inputs : dict of float
        Values at the start.
    rotation_vectors : list of int
        First coordinate of each rotation in space.
    owners : dict of str
        Parts that links belong to.
    start_angles, start_speeds : dict of float
    initial_relations : dict of dict
        Coordinates that begin with a weighted sum of others.
    """

    coordinates: list[Coordinate] = field(default_factory=list)
    places: dict[str, Place]
    frames: dict[str, BodyFrame]
    masses: list[tuple[Indices, Array]] = field(default_factory=list)
    forces: list[tuple[Indices, Array]] = field(default_factory=list)
    pulled: list[tuple[Indices, Array]] = field(default_factory=list)
    parts: list[LinearPart] = field(default_factory=list)
    gyroscopic: list[GyroscopicTerm] = field(default_factory=list)
    prescribed: list[PrescribedCoordinate] = field(default_factory=list)
    loads: list[tuple[str, TimeSignal, dict[int, float]]] = field(default_factory=list)
    constraints: list[tuple[str, dict[int, float]]] = field(default_factory=list)
    switches: list[SwitchFriction] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    controllers: list[ControllerLink] = field(default_factory=list)
    inputs: dict[str, float] = field(default_factory=dict)
    rotation_vectors: list[int] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    start_angles: dict[int, float] = field(default_factory=dict)
    start_speeds: dict[int, float] = field(default_factory=dict)
    initial_relations: dict[int, dict[int, float]] = field(default_factory=dict)


def assembled(added: Added, fall: Array, *, locked: bool) -> SystemModel:
    """Put a system together; acceleration of gravity `fall` (3,) [m/s2], `locked` as of the builder.

    Raises
    ------
    Fault
        For an unknown constraint.
    """
    n = len(added.coordinates)
    mass, constant = np.zeros((n, n)), np.zeros(n)
    for at, matrix in added.masses:
        mass[np.ix_(at, at)] += matrix
    for at, values in added.forces:
        np.add.at(constant, at, values)
    fallen = np.zeros(n)
    for at, along in added.pulled:
        fallen[at] = along @ fall
    constant += mass @ fallen
    as_added: dict[str, Any] = {name: tuple(getattr(added, name)) for name in SEQUENCES}
    as_added |= {name: dict(getattr(added, name)) for name in MAPPINGS}
    return SystemModel(
        mass=mass,
        gyroscopic=_by_speed(added.gyroscopic),
        prescribed=tuple(sorted(added.prescribed, key=lambda one: one.index)),
        loads=tuple(Load(name=name, profile=p, direction=_vector(w, n)) for name, p, w in added.loads),
        constant_force=constant,
        constraints=_constraints(added, n, locked=locked),
        switches=() if locked else _switches(added, n),
        locked=_parts_of_switches(added, holding=True) if locked else (),
        left_out=_parts_of_switches(added, holding=False) if locked else (),
        **as_added,
    )


def _constraints(added: Added, n: int, *, locked: bool) -> tuple[LinearConstraint, ...]:
    made = [LinearConstraint(name=name, row=_vector(w, n)) for name, w in added.constraints]
    if locked:
        prescribed = np.array([one.index for one in added.prescribed], dtype=np.int64)
        for one in added.switches:
            row = _vector(one.rate, n)
            rows = np.array([*(other.row for other in made), row])
            new = len(made) not in reduction(rows, prescribed, np.ones(n)).unused
            if one.holds and new:
                made.append(LinearConstraint(name=one.name, row=row))
    return tuple(made)


def _parts_of_switches(added: Added, *, holding: bool) -> tuple[str, ...]:
    """Parts whose switches hold, or do not, where all are locked."""
    names = [one.name for one in added.switches if one.holds is holding]
    return tuple(dict.fromkeys(added.owners.get(name, name) for name in names))


def _switches(added: Added, n: int) -> tuple[Switch, ...]:
    numbers = {name: i for i, (name, _) in enumerate(added.constraints)}
    made = []
    for one in added.switches:
        if one.follows is not None and one.follows not in numbers:
            raise unknown_name(f"constraint that {one.name} follows", one.follows, numbers)
        number = None if one.follows is None else numbers[one.follows]
        rate, push = _vector(one.rate, n), _vector(one.push, n)
        made.append(Switch(name=one.name, rate=rate, push=push, law=one.law, follows=number))
    return tuple(made)


def _by_speed(terms: Sequence[GyroscopicTerm]) -> tuple[GyroscopicTerm, ...]:
    """Add up what is proportional to the same speed."""
    found = []
    for speed in sorted({term.speed for term in terms}):
        own = [term for term in terms if term.speed == speed]
        at = np.unique(np.concatenate([term.coordinates for term in own]))
        matrix = np.zeros((len(at), len(at)))
        for term in own:
            place = np.searchsorted(at, term.coordinates)
            matrix[np.ix_(place, place)] += term.matrix
        found.append(GyroscopicTerm(speed=speed, coordinates=at, matrix=matrix))
    return tuple(found)


def _vector(weights: Mapping[int, float], n: int) -> Array:
    vector = np.zeros(n)
    for index, weight in weights.items():
        vector[index] = weight
    return vector
