"""Compiled :class:`alegear.drivetrain.displaced_modes.DisplacedModes`: what it adds to forces, inertia and tangents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.structs import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

N_ACROSS = 4  # x, y, tilt x, tilt y
# of `RotatingModes.matrices`, names of the README: A, V, V + Q A, V - Q A, Q V with a quarter turn Q
MOMENTUM, MOVED, CORIOLIS, BACK, OUTWARD, N_MATRICES = 0, 1, 2, 3, 4, 5
# of `RotatingModes.room`: V q, what a vector or its rate is across the axis, what the modes gain
DISPLACEMENT, TRANSVERSE, MODAL_RATE, N_ROOM = 0, 1, 2, 3


@kernel_struct
class RotatingModes(NamedTuple):
    """Wheels that are displaced while their modes turn with them, k of them; with room to work in.

    ``turn``, ``phase`` (k,): rotation, angle beyond it. ``shifts`` (k, c): coordinates of the displacements, -1 where
    there are less, ``rows`` (k, 4, c) of x, y, tilt x, tilt y by them. ``modes`` (k, m): coordinates of the modes
    likewise, ``matrices`` (k, N_MATRICES, 4, m). ``frame`` (k, 4, c): the rows along axes that turn;
    ``room`` (k, N_ROOM, 4).
    """

    turn: Index
    phase: Array
    shifts: Index
    rows: Array
    modes: Index
    matrices: Array
    frame: Array
    room: Array


@lean_kernel
def quarter(vector, r):
    """Entry r of a quarter turn of (x, y, tilt x, tilt y)."""
    return -vector[r + 1] if r % 2 == 0 else vector[r - 1]


@lean_kernel
def turn_with_wheels(rotating_modes, x):
    """Take the rows of the displacements along axes that turn, and what modes have moved."""
    for k in range(rotating_modes.turn.shape[0]):
        angle = x[rotating_modes.turn[k]] + rotating_modes.phase[k]
        co, si = np.cos(angle), np.sin(angle)
        rows, frame = rotating_modes.rows[k], rotating_modes.frame[k]
        for c in range(rows.shape[1]):
            for r in range(0, N_ACROSS, 2):
                frame[r, c] = co * rows[r, c] + si * rows[r + 1, c]
                frame[r + 1, c] = co * rows[r + 1, c] - si * rows[r, c]
        by_modes(rotating_modes.modes[k], rotating_modes.matrices[k, MOVED], x, rotating_modes.room[k, DISPLACEMENT])


@lean_kernel
def by_modes(modes, matrix, vector, out):
    """Matrix (4, m) times what a vector of all coordinates has of the modes."""
    for r in range(N_ACROSS):
        out[r] = 0.0
        for j in range(modes.shape[0]):
            if modes[j] >= 0:
                out[r] += matrix[r, j] * vector[modes[j]]


@lean_kernel
def by_shifts(shifts, frame, vector, out):
    """What a vector of all coordinates has across the axis, along axes that turn."""
    for r in range(N_ACROSS):
        out[r] = 0.0
        for c in range(shifts.shape[0]):
            if shifts[c] >= 0:
                out[r] += frame[r, c] * vector[shifts[c]]


@lean_kernel
def add_to_shifts(shifts, frame, values, factor, out):
    """Add a force (4,) across the axis, times a factor, to those on the displacements."""
    for c in range(shifts.shape[0]):
        if shifts[c] >= 0:
            for r in range(N_ACROSS):
                out[shifts[c]] += factor * frame[r, c] * values[r]


@lean_kernel
def add_to_modes(modes, matrix, values, factor, out):
    """Add the transpose of a matrix (4, m) times a vector (4,), times a factor, to what acts on the modes."""
    for j in range(modes.shape[0]):
        if modes[j] >= 0:
            for r in range(N_ACROSS):
                out[modes[j]] += factor * matrix[r, j] * values[r]


@lean_kernel
def add_carried_inertia(rotating_modes, vector, out):
    """Add what is in the mass matrix times a vector of all coordinates; frames as they were turned last."""
    for k in range(rotating_modes.turn.shape[0]):
        turn, shifts, modes, frame = (
            rotating_modes.turn[k],
            rotating_modes.shifts[k],
            rotating_modes.modes[k],
            rotating_modes.frame[k],
        )
        way, across, gained = (
            rotating_modes.room[k, DISPLACEMENT],
            rotating_modes.room[k, TRANSVERSE],
            rotating_modes.room[k, MODAL_RATE],
        )
        momentum = rotating_modes.matrices[k, MOMENTUM]
        by_shifts(shifts, frame, vector, across)
        by_modes(modes, momentum, vector, gained)
        for r in range(N_ACROSS):
            gained[r] += way[r] * vector[turn]
            out[turn] += across[r] * way[r]
        add_to_shifts(shifts, frame, gained, 1.0, out)
        add_to_modes(modes, momentum, across, 1.0, out)


@lean_kernel
def push_of_modes(rotating_modes, k, x, v, out):
    """Force (4,) of the modes against the displacements by the turning of their wheel, along axes that turn."""
    modes, matrices, room, speed = (
        rotating_modes.modes[k],
        rotating_modes.matrices[k],
        rotating_modes.room[k],
        v[rotating_modes.turn[k]],
    )
    by_modes(modes, matrices[CORIOLIS], v, out)
    for r in range(N_ACROSS):
        out[r] = speed * (out[r] + speed * quarter(room[DISPLACEMENT], r))


@lean_kernel
def add_carried_forces(rotating_modes, x, v, Q):
    """Add the forces; frames as they were turned last."""
    for k in range(rotating_modes.turn.shape[0]):
        turn, shifts, modes, frame = (
            rotating_modes.turn[k],
            rotating_modes.shifts[k],
            rotating_modes.modes[k],
            rotating_modes.frame[k],
        )
        across, push, back = (
            rotating_modes.room[k, TRANSVERSE],
            rotating_modes.room[k, MODAL_RATE],
            rotating_modes.matrices[k, BACK],
        )
        push_of_modes(rotating_modes, k, x, v, push)
        add_to_shifts(shifts, frame, push, -1.0, Q)
        by_shifts(shifts, frame, v, across)
        add_to_modes(modes, back, across, v[turn], Q)
        for r in range(N_ACROSS):
            for j in range(modes.shape[0]):
                if modes[j] >= 0:
                    Q[turn] -= across[r] * back[r, j] * v[modes[j]]


@lean_kernel
def subtract_carried_tangent(rotating_modes, x, v, a, dq, dv, matrix):
    """Subtract the derivatives of forces less inertia at constant accelerations; frames as they were turned last.

    Those by the coordinates count ``dq`` times, those by their rates ``dv`` times.
    """
    for k in range(rotating_modes.turn.shape[0]):
        turn, shifts, modes, frame = (
            rotating_modes.turn[k],
            rotating_modes.shifts[k],
            rotating_modes.modes[k],
            rotating_modes.frame[k],
        )
        matrices, room, speed = rotating_modes.matrices[k], rotating_modes.room[k], v[rotating_modes.turn[k]]
        way, across, gained = room[DISPLACEMENT], room[TRANSVERSE], room[MODAL_RATE]
        # forces on the displacements by the rotation, and by its speed
        push_of_modes(rotating_modes, k, x, v, gained)
        for r in range(N_ACROSS):
            by_speed = 2.0 * speed * quarter(way, r)
            for j in range(modes.shape[0]):
                if modes[j] >= 0:
                    by_speed += matrices[CORIOLIS, r, j] * v[modes[j]]
                    inertia = matrices[MOMENTUM, r, j] * a[modes[j]]
                    gained[r] += inertia
            gained[r] += way[r] * a[turn]
            for c in range(shifts.shape[0]):
                if shifts[c] >= 0:
                    matrix[shifts[c], turn] += dv * frame[r, c] * by_speed
        for r in range(N_ACROSS):
            for c in range(shifts.shape[0]):
                if shifts[c] >= 0:
                    matrix[shifts[c], turn] += dq * frame[r, c] * quarter(gained, r)
        # by the modes and their rates, and on them by the displacements
        for r in range(N_ACROSS):
            for j in range(modes.shape[0]):
                if modes[j] < 0:
                    continue
                at = modes[j]
                outward = speed * speed * matrices[OUTWARD, r, j] + a[turn] * matrices[MOVED, r, j]
                coriolis, back = speed * matrices[CORIOLIS, r, j], matrices[BACK, r, j]
                for c in range(shifts.shape[0]):
                    if shifts[c] >= 0:
                        matrix[shifts[c], at] += dq * frame[r, c] * outward
                        matrix[shifts[c], at] += dv * frame[r, c] * coriolis
                        matrix[at, shifts[c]] -= dv * speed * back * frame[r, c]
                        matrix[turn, shifts[c]] += dv * back * frame[r, c] * v[at]
        # on modes and rotation by the rotation: velocities across, then accelerations
        by_shifts(shifts, frame, v, across)
        for r in range(N_ACROSS):
            aside = -quarter(across, r)  # Q^T
            for j in range(modes.shape[0]):
                if modes[j] >= 0:
                    at, back = modes[j], matrices[BACK, r, j]
                    matrix[at, turn] -= dq * speed * back * aside
                    matrix[turn, turn] += dq * aside * back * v[at]
                    matrix[at, turn] -= dv * across[r] * back
                    matrix[turn, at] += dv * across[r] * back
        by_shifts(shifts, frame, a, across)
        for r in range(N_ACROSS):
            aside = -quarter(across, r)
            matrix[turn, turn] += dq * aside * way[r]
            for j in range(modes.shape[0]):
                if modes[j] >= 0:
                    matrix[modes[j], turn] += dq * matrices[MOMENTUM, r, j] * aside
                    matrix[turn, modes[j]] += dq * across[r] * matrices[MOVED, r, j]


@lean_kernel
def add_carried_mass(rotating_modes, matrix):
    """Add to the mass matrix; frames as they were turned last."""
    for k in range(rotating_modes.turn.shape[0]):
        modes, frame = rotating_modes.modes[k], rotating_modes.frame[k]
        momentum, way, turn = (
            rotating_modes.matrices[k, MOMENTUM],
            rotating_modes.room[k, DISPLACEMENT],
            rotating_modes.turn[k],
        )
        for c in range(rotating_modes.shifts.shape[1]):
            shift = rotating_modes.shifts[k, c]
            if shift < 0:
                continue
            for r in range(N_ACROSS):
                matrix[shift, turn] += frame[r, c] * way[r]
                matrix[turn, shift] += frame[r, c] * way[r]
                for j in range(modes.shape[0]):
                    mode = modes[j]
                    if mode >= 0:
                        matrix[shift, mode] += frame[r, c] * momentum[r, j]
                        matrix[mode, shift] += frame[r, c] * momentum[r, j]


@kernel
def add_carried_terms(rotating_modes, x, v, a, Q, mass, by_x, by_v):
    """Add the forces, the part of the mass matrix, and derivatives of inertia less forces at accelerations a."""
    turn_with_wheels(rotating_modes, x)
    add_carried_forces(rotating_modes, x, v, Q)
    add_carried_mass(rotating_modes, mass)
    subtract_carried_tangent(rotating_modes, x, v, a, 1.0, 0.0, by_x)
    subtract_carried_tangent(rotating_modes, x, v, a, 0.0, 1.0, by_v)
