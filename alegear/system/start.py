"""Initial state of a motion: given values; the rest follows from joints and prescribed motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from alegear.errors import Fault
from alegear.system.coordinates import Array
from alegear.system.model import SystemModel
from alegear.system.reduction import reduction

#: Part of a speed by which the same one in other units differs.
SAME_SPEED = 1e-9


def consistent_start(model: SystemModel) -> tuple[Array, Array]:
    """Coordinates and velocities (n,) at the start of a motion.

    Speeds that are given stay as they are, whether or not they go together: who integrates from them refuses those that
    leave a joint.

    Raises
    ------
    Fault
        For a speed that the drive of its body does not begin with.
    """
    x, v = model.start()
    asked, given = v.copy(), list(model.start_speeds)
    rows = np.vstack([model.constraint_rows, *(_row(model.n, one) for one in model.initial_relations.items())])
    basis = reduction(rows, model.prescribed_indices, model.displacement_scale, given)
    angles, speeds, _ = model.prescribed_motion(0.0)
    for one, angle, speed in zip(model.prescribed, angles, speeds, strict=True):
        if one.index not in model.start_angles:
            x[one.index] = angle
        own = asked[one.index]
        if own and abs(own - speed) > SAME_SPEED * max(abs(own), abs(speed)):
            what = f"speed of {model.names[one.index]} at the start [rad/s]"
            raise Fault(what, f"{own:.6g}", f"{speed:.6g}, with which {one.name} leads it", "leave it out")
    v = basis.T @ v[basis.independent] + basis.by_prescribed @ speeds
    for index, weights in model.initial_relations.items():
        x[index] += sum(weight * x[i] for i, weight in weights.items())
    for index in given:  # those that had to follow others all the same
        if index in basis.dependent:
            v[index] = asked[index]
    return on_carriers(model, x, v)


def on_carriers(model: SystemModel, x: Array, v: Array) -> tuple[Array, Array]:
    """Coordinates and velocities (n,) with what rotating carriers take along where it belongs, and as fast as there."""
    x, v = x.copy(), v.copy()
    for element in model.elements:
        at = element.coordinates
        x[at], v[at] = element.on_carrier(x[at], v[at])
    return x, v


def with_transport_velocities(model: SystemModel, x: Array, v: Array) -> Array:
    """Velocities (n,) with those of what rotating carriers take along as of where it is displaced to."""
    v = v.copy()
    for element in model.elements:
        at = element.coordinates
        v[at] = element.transport_velocity(x[at], v[at])
    return v


def _row(n: int, beginning: tuple[int, Mapping[int, float]]) -> Array:
    """Row of a coordinate that begins with a weighted sum of others."""
    index, weights = beginning
    row = np.zeros(n)
    row[index] = 1.0
    for i, weight in weights.items():
        row[i] -= weight
    return row
