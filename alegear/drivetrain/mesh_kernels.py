"""Meshes of flexible wheels in line contact as parts of a compiled motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.evaluation_kernels import differentiate, evaluate
from alegear.contact.hertz.load_kernels import number_loaded
from alegear.contact.hertz.model_kernels import N_SHIFTS, N_TURNS, MeshResponse, Record
from alegear.contact.hertz.model_kernels import MeshKinematics as MeshMotion
from alegear.contact.hertz.row_kernels import farthest_ahead, reach_ahead
from alegear.drivetrain.system_kernels import FORCE, FRICTION, OUTER, POSITION, VELOCITY, profile_at
from alegear.kernels.decorators import lean_kernel
from alegear.kernels.elimination_kernels import subtract_row
from alegear.kernels.sparse_rows_kernels import SparseRows, add_row, row_times
from alegear.kernels.structs import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

BEGIN = np.int64(0)  # for numbers as they are written kernels would be compiled once more each
# evaluations: the first in a step, later ones, those that look at all points; energy by points that carry, by all
FIRST, AGAIN_NEAR, LOOK_AT_ALL, OF_LOADED, OF_ALL, N_WANTED = range(6)
FORWARD = 10.0  # times the way that gaps are ahead: as much room lets open points be left alone


@kernel_struct
class Mesh(NamedTuple):
    """:class:`alegear.drivetrain.flexible.FlexibleMesh` in line contact, and what changes in it.

    ``n_geometric`` of its coordinates move points of contact. ``rows``: its coordinates by those of the system;
    ``angle`` (2,) is added to the rotations. ``driving`` is the driver; ``drive`` the number of the prescribed
    coordinate that perfect gears follow with ``ratio`` (2,), -1 for none. The pair in slot 0 is floor(phase -
    threshold) - below, phase that of the driver; with ``segment`` always -below. ``ways`` (4, n_mesh) are room:
    coordinates, rates. ``record``, ``pair_torque`` (n, n_pairs, 2), ``first_pair`` (n,), ``by_coordinate`` (n, n_mesh,
    n_mesh) are of samples.
    """

    n_geometric: int
    motion: MeshMotion
    response: MeshResponse
    free_response: MeshResponse
    rows: SparseRows
    angle: Array
    driving: int
    drive: int
    ratio: Array
    r_b: Array
    pitch: Array
    spin: Array
    retardation: float
    threshold: float
    below: int
    segment: bool
    largest_error: float
    ways: Array
    record: Record
    pair_torque: Array
    first_pair: Index
    by_coordinate: Array


# ------------------------------------------------------------------------------ coordinates
@lean_kernel
def choose_teeth(mesh, x, v, h):
    """Pair in slot 0 of a mesh, by the phase of its driver in the middle of a step."""
    if mesh.segment:
        mesh.motion.first_pair[0] = -mesh.below
        return
    driving = mesh.driving
    middle = row_times(mesh.rows, driving, x) + mesh.angle[driving] - 0.5 * h * row_times(mesh.rows, driving, v)
    mesh.motion.first_pair[0] = int(np.floor(middle / mesh.pitch[driving] - mesh.threshold)) - mesh.below


@lean_kernel
def place_mesh(system, mesh, t, x, v):
    """Where the gears of a mesh are and what they are ahead by; whether the teeth would not pass through others."""
    motion, beta = mesh.motion, mesh.retardation
    n, n_geometric = mesh.response.force.shape[0], mesh.n_geometric
    y, rate = mesh.ways[0], mesh.ways[1]
    for i in range(n):
        y[i], rate[i] = row_times(mesh.rows, i, x), row_times(mesh.rows, i, v)
    speed, acceleration = 0.0, 0.0
    if mesh.drive >= 0:
        speed, acceleration, _ = profile_at(system.prescribed_profiles, mesh.drive, t)
    rolling = 0.5 * (mesh.r_b[0] * rate[0] + mesh.r_b[1] * rate[1])
    for gear in range(2):
        angle = y[gear] + mesh.angle[gear]
        mesh.ways[2, gear] = angle
        motion.phi[gear] = angle - motion.first_pair[0] * mesh.pitch[gear]
        motion.omega[gear] = rate[gear]
        perfect = speed * mesh.ratio[gear] if mesh.drive >= 0 else rolling / mesh.r_b[gear]
        mesh.ways[3, gear] = rate[gear] - perfect  # vibration
        motion.gap_offset[gear] = beta * mesh.ways[3, gear]
        if motion.loads.shape[1] > 0:
            motion.loads[gear, 0] = perfect * perfect
            motion.loads[gear, 1] = -mesh.spin[gear] * acceleration * mesh.ratio[gear]
    for i in range(N_TURNS, n_geometric):
        motion.shift[i - N_TURNS], motion.shift_gap_offset[i - N_TURNS] = y[i], beta * rate[i]
    for i in range(n_geometric, n):
        motion.modal[i - n_geometric], motion.modal_gap_offset[i - n_geometric] = y[i], beta * rate[i]
    driven = 1 - mesh.driving
    error = mesh.r_b[driven] * mesh.ways[2, driven] - mesh.r_b[mesh.driving] * mesh.ways[2, mesh.driving]
    return abs(error) <= mesh.largest_error


@lean_kernel
def leave_losses_out(mesh):
    """No rates, and nothing ahead."""
    motion = mesh.motion
    for gear in range(2):
        motion.omega[gear], motion.gap_offset[gear] = 0.0, 0.0
    for i in range(2 * N_SHIFTS):
        motion.shift_gap_offset[i] = 0.0
    for i in range(motion.modal_gap_offset.shape[0]):
        motion.modal_gap_offset[i] = 0.0


# ------------------------------------------------------------------------------ forces
@lean_kernel
def of_mesh(contacts, number):
    """Model, model without friction, memory and points of a mesh."""
    models, conservative, memories, rooms = contacts
    return models[number], conservative[number], memories[number], rooms[number]


@lean_kernel
def evaluate_meshes(system, meshes, contacts, t, wanted, vectors):
    """Forces of all meshes at a trial, added to those on the coordinates of the system; whether they could be found."""
    for number in range(len(meshes)):
        mesh = meshes[number]
        if not place_mesh(system, mesh, t, vectors[POSITION], vectors[VELOCITY]):
            return False
        model, _, memory, points = of_mesh(contacts, number)
        if evaluate(model, mesh.motion, wanted, memory, points, mesh.response) < 0:
            return False
        for i in range(mesh.response.force.shape[0]):
            add_row(mesh.rows, i, mesh.response.force[i], vectors[FORCE])
    return True


@lean_kernel
def differentiate_all(meshes, contacts):
    """Tangents of all meshes, where they were evaluated last."""
    for number in range(len(meshes)):
        mesh = meshes[number]
        model, _, memory, points = of_mesh(contacts, number)
        differentiate(model, mesh.motion, memory, points, mesh.response)


@lean_kernel
def subtract_mesh_tangent(mesh, dq, dv, room, matrix):
    """Subtract the tangent of a mesh, its rows and columns those of the system; ``room`` (n,)."""
    n, response, rows = mesh.response.force.shape[0], mesh.response, mesh.rows
    gap_offset = dv * mesh.retardation
    for i in range(n):
        by_coordinate, by_gap_offset, by_speed = (
            response.by_coordinate[i],
            response.by_gap_offset[i],
            response.by_speed[i],
        )
        room[:] = 0.0
        for j in range(n):
            tangent = dq * by_coordinate[j] + gap_offset * by_gap_offset[j]
            if j < N_TURNS:
                tangent += dv * by_speed[j]
            add_row(rows, j, tangent, room)
        for k in range(rows.start[i], rows.start[i + 1]):
            subtract_row(matrix[rows.column[k]], room, rows.value[k], BEGIN, room.shape[0])


# ------------------------------------------------------------------------------ energy
@lean_kernel
def mesh_energy(mesh, model, conservative, memory, points, margin, vectors, wanted):
    """Stored energy of a mesh, its losses [W], what the motion of perfect gears is supplied with [W]; -1 as the first
    of four if it cannot be found. Friction and supply by the way go to ``vectors``.

    Without friction no open point closes on the small way that is left out for the retardation, if it has ten times as
    much room: then those that carry are asked alone, and all of them where one was let go, which a Newton step does too
    easily at small loads.
    """
    response, free = mesh.response, mesh.free_response
    apart = farthest_ahead(model, mesh.motion) + reach_ahead(model, mesh.motion)
    quick = model.friction.kind == 0 and margin > FORWARD * apart
    carrying = number_loaded(points)
    leave_losses_out(mesh)
    settled = evaluate(conservative, mesh.motion, wanted[OF_LOADED if quick else OF_ALL], memory, points, free)
    if quick and number_loaded(points) < carrying:
        settled = evaluate(conservative, mesh.motion, wanted[OF_ALL], memory, points, free)
    if settled < 0:
        return False, 0.0, 0.0, 0.0
    lost, prescribed = 0.0, 0.0
    for i in range(response.force.shape[0]):
        damped = free.force[i] - response.force[i] + response.friction[i]
        vibration = mesh.ways[3, i] if i < N_TURNS else mesh.ways[1, i]
        lost += damped * vibration
        prescribed += damped * (mesh.ways[1, i] - vibration)
        supplied = free.force[i] - free.energy[1 + i] if i < N_TURNS else 0.0
        add_row(mesh.rows, i, -response.friction[i], vectors[FRICTION])
        add_row(mesh.rows, i, supplied, vectors[OUTER])
    return True, free.energy[0], lost, -prescribed
