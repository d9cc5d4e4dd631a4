"""Initial state of a motion: given values; the rest follows from joints and prescribed motion, in space with the least
kinetic energy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from alegear.errors import Fault
from alegear.system.coordinates import Array, Indices
from alegear.system.model import SystemModel, mass_matrix
from alegear.system.reduction import reduction

#: Part of a speed by which the same one in other units differs.
SAME_SPEED = 1e-9
#: Rates of equations of joints over those of their parts.
LEAVING = 1e-7
#: Part of the mean inertia that what has none gets: it only chooses where joints leave a choice.
WITHOUT_INERTIA = 1e-12


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
    speeds_given, given = v.copy(), list(model.start_speeds)
    rows = np.vstack([model.constraint_rows, *(_row(model.n, one) for one in model.initial_relations.items())])
    basis = reduction(rows, model.prescribed_indices, model.displacement_scale, given)
    angles, speeds, _ = model.prescribed_motion(0.0)
    for one, angle, speed in zip(model.prescribed, angles, speeds, strict=True):
        if one.index not in model.start_angles:
            x[one.index] = angle
        own = speeds_given[one.index]
        if own and abs(own - speed) > SAME_SPEED * max(abs(own), abs(speed)):
            what = f"speed of {model.names[one.index]} at the start [rad/s]"
            raise Fault(what, f"{own:.6g}", f"{speed:.6g}, with which {one.name} leads it", "leave it out")
    v = basis.T @ v[basis.independent] + basis.by_prescribed @ speeds
    for index, weights in model.initial_relations.items():
        x[index] += sum(weight * x[i] for i, weight in weights.items())
    for index in given:  # those that had to follow others all the same
        if index in basis.dependent:
            v[index] = speeds_given[index]
    return on_carriers(model, x, v)


def start_with_joints(model: SystemModel, x: Array | None = None) -> tuple[Array, Array]:
    r"""Coordinates and velocities (n,) at the start of a motion.

    Velocities that are given stay, those that are not have the least kinetic energy with which

    .. math:: G v + \partial g/\partial t = 0, \qquad W v = 0

    Parameters
    ----------
    model : SystemModel
    x : shape (n,), optional
        Coordinates at the start; default: where the bodies stand.

    Raises
    ------
    Fault
        For given velocities with which a joint leaves its equations, by its name.
    """
    start, v = consistent_start(model)
    x = start if x is None else x
    G = model.joint_rows.misfit(0.0, x)[1]
    rows = np.vstack([G, model.constraint_rows])
    demanded = np.pad(-model.joint_rows.time_rates(0.0, x)[0], (0, len(model.constraints)))
    held = np.union1d(model.prescribed_indices, np.array(list(model.start_speeds), dtype=np.int64))
    free = np.setdiff1d(np.arange(model.n), held)
    missing = demanded - rows[:, held] @ v[held]
    v[free] = _least_energy(model, x, rows[:, free], missing, free)
    left = np.abs(rows @ v - demanded)
    size = np.abs(rows) @ np.abs(v) + np.abs(demanded)
    allowed = LEAVING * np.maximum(size, size.max(initial=0.0) * 1e-3)
    worst = int(np.argmax(left - allowed)) if len(left) else 0
    if len(left) and not left[worst] <= allowed[worst]:
        joints = model.joint_rows.n_equations
        name = model.joint_rows.name_of(worst) if worst < joints else model.constraints[worst - joints].name
        limit = "velocities that it allows"
        raise Fault(
            f"start velocities of what {name} joins", f"off by {left[worst]:.3g}", limit, "leave some of them out"
        )
    return x, v


def _least_energy(model: SystemModel, x: Array, rows: Array, missing: Array, free: Indices) -> Array:
    """The v of least v^T M v with rows @ v = missing, shape (n_free,)."""
    M = mass_matrix(model, model.new_data(), x)[np.ix_(free, free)]
    size = model.displacement_scale[free]
    M = size[:, None] * M * size
    mean = float(np.trace(M)) / max(len(M), 1) or 1.0
    L = cholesky(M + WITHOUT_INERTIA * mean * np.eye(len(M)), lower=True)
    turned = solve_triangular(L, (rows * size).T, lower=True).T
    scale = np.abs(turned).max(axis=1, initial=0.0)
    scale[scale == 0.0] = 1.0
    y = np.linalg.lstsq(turned / scale[:, None], missing / scale, rcond=1e-11)[0]
    v: Array = size * solve_triangular(L, y, lower=True, trans=1)
    return v


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
