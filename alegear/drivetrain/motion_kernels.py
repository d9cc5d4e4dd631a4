"""Compiled motion of any system of rotors with modes, linear parts, profiles, flexible meshes, unbalances.

The same as :class:`alegear.system.motion.SystemMotion` under :func:`alegear.dynamics.step_control.integrate`, with the
account of :class:`alegear.system.energy.SystemEnergy`; from step to step, Python is left once a block of samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.evaluation_kernels import AGAIN, ENERGY, NEAR, QUICK, differentiate, evaluate, record_loaded
from alegear.contact.hertz.load_kernels import least_open_gap, number_loaded
from alegear.contact.hertz.model_kernels import (
    N_SHIFTS,
    N_TURNS,
    Answer,
    Record,
)
from alegear.contact.hertz.model_kernels import Motion as MeshMotion
from alegear.contact.hertz.row_kernels import farthest_ahead, reach_ahead
from alegear.drivetrain.displaced_kernels import (
    Carried,
    add_carried_forces,
    add_carried_inertia,
    add_carried_mass,
    subtract_carried_tangent,
    turn_with_wheels,
)
from alegear.dynamics.step_kernels import LENGTH, accept, towards_stop
from alegear.dynamics.vector_step_kernels import (
    CONVERGED,
    CORRECT,
    DQ,
    DV,
    EVALUATE,
    ITERATIONS,
    Attempt,
    MotionState,
    T,
    begin_newton,
    correct,
    error_of,
    go_on,
    guess,
    is_filtered,
    largest_error,
    largest_filtered,
    place,
    predict,
    take,
)
from alegear.elimination_kernels import subtract_row
from alegear.kernel_cache import kernel, lean_kernel
from alegear.kernel_struct import kernel_struct
from alegear.sparse_rows_kernels import SparseRows, add_row, row_times
from alegear.system.element_kernels import (
    LOST,
    SUPPLIED,
    Elements,
    add_element_forces,
    element_energies,
    subtract_element_tangents,
)
from alegear.system.element_kernels import STORED as STORED_IN_ELEMENTS

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# how a block ends
AT_END, PAUSE, STEP_FAILED = 0, 1, 2
PATIENCE = 500  # steps after which the caller may show how far it is, and be stopped

# columns of the energies [J] since the start, then of the powers [W] at the last step: lost outside of gears, in gears,
# supplied by the time; and its time
INPUT, DISSIPATED, KINETIC, STORED, OUTSIDE, POWER, TIME_BEFORE, N_ENERGIES = 0, 1, 2, 3, 4, 5, 8, 9
# columns of the counts
ACCEPTED, BY_NEWTON, BY_ERROR, NEWTON_ITERATIONS, SHORTEST, LONGEST, N_COUNTS = 0, 1, 2, 3, 4, 5, 6
# rows of vectors over all coordinates: position, velocity, acceleration, force; position, outer force and friction at
# the last step; outer force and friction now
POSITION, VELOCITY, ACCELERATION, FORCE, X_BEFORE, OUTER_BEFORE, FRICTION_BEFORE, OUTER, FRICTION, N_VECTORS = range(10)
# columns of a sample before those of all coordinates: time, flags, energies
TIME, FLAGS, ENERGIES, N_HEAD = 0, 1, 2, 7
BEGIN = np.int64(0)  # for numbers as they are written kernels would be compiled once more each
# evaluations: the first in a step, later ones, those that look at all points; energy by points that carry, by all
FIRST, AGAIN_NEAR, LOOK_AT_ALL, OF_LOADED, OF_ALL, N_WANTED = range(6)
FORWARD = 10.0  # times the way that gaps are ahead: as much room lets open points be left alone


@kernel_struct
class Profiles(NamedTuple):
    """Several `PiecewiseCubic` one after the other: times ``first[i]`` to ``first[i + 1]`` are of profile i.

    Of m times there are m + 1 rows of coefficients.
    """

    first: Index
    times: Array
    coefficients: Array
    integrals: Array


@kernel_struct
class Linear(NamedTuple):
    """Mass, stiffness and damping matrix, row i with the entries ``start[i]`` to ``start[i + 1]`` of all others."""

    start: Index
    column: Index
    mass: Array
    stiffness: Array
    damping: Array


@kernel_struct
class System(NamedTuple):
    """:class:`alegear.system.model.SystemModel`, and the nonlinear elements that are known here.

    ``free``, ``led`` (n_free,), (n_led,): coordinates; ``linear``: masses, stiffness and damping; ``strain``,
    ``stress``, ``loss``, m rows: deformations of the linear parts, k and d times them; ``outside`` (m,). Gyroscopic
    terms: ``spin`` (k,) the coordinate of the speed, ``spin_first`` (k + 1,) of their rows, ``spin_row`` (r,) on which
    coordinate each acts, ``spin_rows``. ``led_profiles`` speeds of the led coordinates, ``led_angle`` (n_led,) their
    first angles, ``led_mass`` (n_led, n_led); ``load_profiles`` with ``load_direction`` (n_loads, n); ``constant``
    (n,). Centrifugal forces: the square of the velocity ``square`` (k,) times ``square_force`` (k, n). Unbalances:
    ``unbalance`` (k,) rotations, ``unbalance_moment``, ``unbalance_phase`` (k,), ``unbalance_x``, ``unbalance_y`` (k,
    n) rows of the displacements. ``carried``: wheels that are displaced while their modes turn with them. ``elements``:
    all others, by address.
    """

    free: Index
    led: Index
    linear: Linear
    strain: SparseRows
    stress: SparseRows
    loss: SparseRows
    outside: Array
    spin: Index
    spin_first: Index
    spin_row: Index
    spin_rows: SparseRows
    led_profiles: Profiles
    led_angle: Array
    led_mass: Array
    load_profiles: Profiles
    load_direction: Array
    constant: Array
    square: Index
    square_force: Array
    unbalance: Index
    unbalance_moment: Array
    unbalance_phase: Array
    unbalance_x: Array
    unbalance_y: Array
    carried: Carried
    elements: Elements


@kernel_struct
class Mesh(NamedTuple):
    """:class:`alegear.drivetrain.flexible.FlexibleMesh` in line contact, and what changes in it.

    ``n_geometric`` of its coordinates move points of contact. Its coordinates by those of the system: row i has the
    entries ``row_start[i]`` to ``row_start[i + 1]`` of ``column``, ``weight``; ``angle`` (2,) is added to the
    rotations. ``lead`` is the driver; ``drive`` the number of the led coordinate that perfect gears follow with
    ``ratio`` (2,), -1 for none. The pair in slot 0 is floor(phase - threshold) - below, phase that of the driver; with
    ``segment`` always -below. ``ways`` (4, n_mesh)
    are room: coordinates, rates. ``record``, ``pair_torque`` (n, n_pairs, 2), ``first_pair`` (n,), ``by_coordinate``
    (n, n_mesh, n_mesh) are of samples.
    """

    n_geometric: int
    motion: MeshMotion
    answer: Answer
    free_answer: Answer
    row_start: Index
    column: Index
    weight: Array
    angle: Array
    lead: int
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


@kernel_struct
class Motion(NamedTuple):
    """All that goes on from block to block.

    ``control`` (3,) of the step control, ``vectors`` (N_VECTORS + 2, n), ``matrix`` (n, n): derivative of inertia less
    forces on all coordinates by the accelerations, ``energies`` (N_ENERGIES,), ``counts`` (N_COUNTS,), ``stop`` (1,)
    the next stop, ``wanted`` (N_WANTED,) of evaluations, ``powers`` (3,) at the end of a step.
    """

    state: MotionState
    attempt: Attempt
    control: Array
    vectors: Array
    matrix: Array
    energies: Array
    counts: Array
    stop: Index
    wanted: Index
    powers: Array


@kernel_struct
class Block(NamedTuple):
    """Samples: their number (1,), and values (n, N_HEAD + 3 n_coordinates)."""

    number: Index
    values: Array


# ------------------------------------------------------------------------------ profiles
@lean_kernel
def profile_at(profiles, i, t):
    """Value, derivative and integral of profile i at a time; at a corner the derivative of the piece which ends."""
    low, high = profiles.first[i], profiles.first[i + 1]
    piece = low
    while piece < high and t >= profiles.times[piece]:
        piece += 1
    c, begin = profiles.coefficients[piece + i], max(piece - 1, low)
    s = t - profiles.times[begin]
    value = c[0] + s * (c[1] + s * (c[2] + s * c[3]))
    integral = profiles.integrals[begin] + s * (c[0] + s * (c[1] / 2.0 + s * (c[2] / 3.0 + s * c[3] / 4.0)))
    ends = piece
    if piece > low and t == profiles.times[piece - 1] and (piece - 1 > low or high - low == 1):
        ends = piece - 1
    d = profiles.coefficients[ends + i]
    s = t - profiles.times[max(ends - 1, low)]
    return value, d[1] + s * (2.0 * d[2] + s * 3.0 * d[3]), integral


@lean_kernel
def profile_jump(profiles, i, t):
    """Derivative of profile i just after a time less the one that `profile_at` gives there: zero but for corners."""
    low, high = profiles.first[i], profiles.first[i + 1]
    for piece in range(low if high - low == 1 else low + 1, high):
        if t == profiles.times[piece]:
            c, s = profiles.coefficients[piece + i], t - profiles.times[max(piece - 1, low)]
            return profiles.coefficients[piece + 1 + i][1] - (c[1] + s * (2.0 * c[2] + s * 3.0 * c[3]))
    return 0.0


@kernel
def profile_values(profiles, i, t):
    """As `profile_at`, and `profile_jump`, for Python."""
    value, derivative, integral = profile_at(profiles, i, t)
    return value, derivative, integral, profile_jump(profiles, i, t)


# ------------------------------------------------------------------------------ coordinates
@lean_kernel
def place_all(system, t, attempt, vectors):
    """All coordinates and velocities of a trial, and the accelerations: led ones by their drives."""
    x, v, a = vectors[POSITION], vectors[VELOCITY], vectors[ACCELERATION]
    for i in range(system.free.shape[0]):
        at = system.free[i]
        x[at], v[at], a[at] = attempt.q[i], attempt.v[i], attempt.x[i]
    for i in range(system.led.shape[0]):
        at = system.led[i]
        v[at], a[at], turned = profile_at(system.led_profiles, i, t)
        x[at] = system.led_angle[i] + turned


@lean_kernel
def mesh_coordinate(mesh, i, vector):
    """Coordinate i of a mesh, or its rate, from those of the system."""
    total = 0.0
    for k in range(mesh.row_start[i], mesh.row_start[i + 1]):
        total += mesh.weight[k] * vector[mesh.column[k]]
    return total


@lean_kernel
def choose_teeth(mesh, x, v, h):
    """Pair in slot 0 of a mesh, by the phase of its driver in the middle of a step."""
    if mesh.segment:
        mesh.motion.first_pair[0] = -mesh.below
        return
    lead = mesh.lead
    middle = mesh_coordinate(mesh, lead, x) + mesh.angle[lead] - 0.5 * h * mesh_coordinate(mesh, lead, v)
    mesh.motion.first_pair[0] = int(np.floor(middle / mesh.pitch[lead] - mesh.threshold)) - mesh.below


@lean_kernel
def place_mesh(system, mesh, t, x, v):
    """Where the gears of a mesh are and what they are ahead by; whether the teeth would not pass through others."""
    motion, beta = mesh.motion, mesh.retardation
    n, n_geometric = mesh.row_start.shape[0] - 1, mesh.n_geometric
    y, rate = mesh.ways[0], mesh.ways[1]
    for i in range(n):
        y[i], rate[i] = mesh_coordinate(mesh, i, x), mesh_coordinate(mesh, i, v)
    speed, acceleration = 0.0, 0.0
    if mesh.drive >= 0:
        speed, acceleration, _ = profile_at(system.led_profiles, mesh.drive, t)
    rolling = 0.5 * (mesh.r_b[0] * rate[0] + mesh.r_b[1] * rate[1])
    for gear in range(2):
        angle = y[gear] + mesh.angle[gear]
        mesh.ways[2, gear] = angle
        motion.phi[gear] = angle - motion.first_pair[0] * mesh.pitch[gear]
        motion.omega[gear] = rate[gear]
        perfect = speed * mesh.ratio[gear] if mesh.drive >= 0 else rolling / mesh.r_b[gear]
        mesh.ways[3, gear] = rate[gear] - perfect  # vibration
        motion.ahead[gear] = beta * mesh.ways[3, gear]
        if motion.loads.shape[1] > 0:
            motion.loads[gear, 0] = perfect * perfect
            motion.loads[gear, 1] = -mesh.spin[gear] * acceleration * mesh.ratio[gear]
    for i in range(N_TURNS, n_geometric):
        motion.shift[i - N_TURNS], motion.shift_ahead[i - N_TURNS] = y[i], beta * rate[i]
    for i in range(n_geometric, n):
        motion.modal[i - n_geometric], motion.modal_ahead[i - n_geometric] = y[i], beta * rate[i]
    driven = 1 - mesh.lead
    error = mesh.r_b[driven] * mesh.ways[2, driven] - mesh.r_b[mesh.lead] * mesh.ways[2, mesh.lead]
    return abs(error) <= mesh.largest_error


@lean_kernel
def leave_losses_out(mesh):
    """No rates, and nothing ahead."""
    motion = mesh.motion
    for gear in range(2):
        motion.omega[gear], motion.ahead[gear] = 0.0, 0.0
    for i in range(2 * N_SHIFTS):
        motion.shift_ahead[i] = 0.0
    for i in range(motion.modal_ahead.shape[0]):
        motion.modal_ahead[i] = 0.0


# ------------------------------------------------------------------------------ forces
@lean_kernel
def outer_forces(system, t, force):
    """Constant forces and loads, into ``force`` (n,)."""
    for i in range(force.shape[0]):
        force[i] = system.constant[i]
    for load in range(system.load_direction.shape[0]):
        value, _, _ = profile_at(system.load_profiles, load, t)
        for i in range(force.shape[0]):
            force[i] += value * system.load_direction[load, i]


@lean_kernel
def linear_forces(system, vectors):
    """Subtract what the linear parts exert from ``vectors[FORCE]``."""
    x, v, Q = vectors[POSITION], vectors[VELOCITY], vectors[FORCE]
    for j in range(system.outside.shape[0]):
        against = row_times(system.stress, j, x) + row_times(system.loss, j, v)
        if against != 0.0:
            add_row(system.strain, j, -against, Q)


@lean_kernel
def gyroscopic_forces(system, vectors):
    """Add the forces of what turns about its axis while it tilts, or vibrates in a frame that turns."""
    v, Q = vectors[VELOCITY], vectors[FORCE]
    for term in range(system.spin.shape[0]):
        speed = v[system.spin[term]]
        for r in range(system.spin_first[term], system.spin_first[term + 1]):
            Q[system.spin_row[r]] -= speed * row_times(system.spin_rows, r, v)


@lean_kernel
def turning_forces(system, vectors):
    """Add forces of modes that turn with their wheels, and of unbalances."""
    x, v, Q = vectors[POSITION], vectors[VELOCITY], vectors[FORCE]
    for k in range(system.square.shape[0]):
        square = v[system.square[k]] * v[system.square[k]]
        for i in range(Q.shape[0]):
            Q[i] += square * system.square_force[k, i]
    for k in range(system.unbalance.shape[0]):
        turn = system.unbalance[k]
        angle = x[turn] + system.unbalance_phase[k]
        size = system.unbalance_moment[k] * v[turn] * v[turn]
        co, si = size * np.cos(angle), size * np.sin(angle)
        for i in range(Q.shape[0]):
            Q[i] += co * system.unbalance_x[k, i] + si * system.unbalance_y[k, i]
    turn_with_wheels(system.carried, x)
    add_carried_forces(system.carried, x, v, Q)


@lean_kernel
def inertia_times(linear, i, a):
    """Row i of the constant mass matrix times a vector."""
    total = 0.0
    for k in range(linear.start[i], linear.start[i + 1]):
        total += linear.mass[k] * a[linear.column[k]]
    return total


@lean_kernel
def changing_inertia(system, x, a, out):
    """Add what unbalances and displaced modes have of the mass matrix times accelerations to ``out`` (n,)."""
    add_carried_inertia(system.carried, a, out)
    for k in range(system.unbalance.shape[0]):
        turn = system.unbalance[k]
        angle, moment = x[turn] + system.unbalance_phase[k], system.unbalance_moment[k]
        co, si, across = moment * np.cos(angle), moment * np.sin(angle), 0.0
        for i in range(out.shape[0]):
            row = co * system.unbalance_y[k, i] - si * system.unbalance_x[k, i]
            across += row * a[i]
            out[i] += row * a[turn]
        out[turn] += across


@lean_kernel
def add_mesh_forces(mesh, Q):
    """Add the forces of a mesh to those on the coordinates of the system."""
    for i in range(mesh.row_start.shape[0] - 1):
        for k in range(mesh.row_start[i], mesh.row_start[i + 1]):
            Q[mesh.column[k]] += mesh.weight[k] * mesh.answer.force[i]


@lean_kernel
def of_mesh(contacts, number):
    """Model, model without friction, memory and points of a mesh."""
    models, conservative, memories, rooms = contacts
    return models[number], conservative[number], memories[number], rooms[number]


@lean_kernel
def evaluate_system(system, t, vectors):
    """Forces of all but the meshes on all coordinates at a trial; whether they could be found."""
    outer_forces(system, t, vectors[FORCE])
    linear_forces(system, vectors)
    gyroscopic_forces(system, vectors)
    turning_forces(system, vectors)
    return add_element_forces(system.elements, t, vectors[POSITION], vectors[VELOCITY], vectors[FORCE])


@lean_kernel
def evaluate_all(system, meshes, contacts, t, how, motion):
    """Forces on all coordinates at a trial; whether they could be found."""
    vectors = motion.vectors
    if not evaluate_system(system, t, vectors):
        return False
    for number in range(len(meshes)):
        mesh = meshes[number]
        if not place_mesh(system, mesh, t, vectors[POSITION], vectors[VELOCITY]):
            return False
        model, _, memory, points = of_mesh(contacts, number)
        if evaluate(model, mesh.motion, motion.wanted[how], memory, points, mesh.answer) < 0:
            return False
        add_mesh_forces(mesh, vectors[FORCE])
    return True


@lean_kernel
def fill_residual(system, vectors, room, residual):
    """Inertia less forces on the free coordinates; ``room`` (n,)."""
    a = vectors[ACCELERATION]
    for i in range(system.free.shape[0]):
        at = system.free[i]
        residual[i] = inertia_times(system.linear, at, a) - vectors[FORCE, at]
    if system.unbalance.shape[0] or system.carried.turn.shape[0]:
        room[:] = 0.0
        changing_inertia(system, vectors[POSITION], a, room)
        for i in range(system.free.shape[0]):
            residual[i] += room[system.free[i]]


# ------------------------------------------------------------------------------ tangent
@lean_kernel
def differentiate_all(meshes, contacts, motion):
    """Tangents of all meshes, where they were evaluated last."""
    for number in range(len(meshes)):
        mesh = meshes[number]
        model, _, memory, points = of_mesh(contacts, number)
        differentiate(model, mesh.motion, memory, points, mesh.answer)


@lean_kernel
def subtract_mesh_tangent(mesh, dq, dv, room, matrix):
    """Subtract the tangent of a mesh, its rows and columns those of the system; ``room`` (n,)."""
    n, answer = mesh.row_start.shape[0] - 1, mesh.answer
    start, column, weight = mesh.row_start, mesh.column, mesh.weight
    ahead = dv * mesh.retardation
    for i in range(n):
        by_coordinate, by_ahead, by_speed = answer.by_coordinate[i], answer.by_ahead[i], answer.by_speed[i]
        room[:] = 0.0
        for j in range(n):
            tangent = dq * by_coordinate[j] + ahead * by_ahead[j]
            if j < N_TURNS:
                tangent += dv * by_speed[j]
            for m in range(start[j], start[j + 1]):
                room[column[m]] += weight[m] * tangent
        for k in range(start[i], start[i + 1]):
            subtract_row(matrix[column[k]], room, weight[k], BEGIN, room.shape[0])


@lean_kernel
def add_spin_tangent(system, v, dv, matrix):
    """Add the tangent of the gyroscopic terms and of the centrifugal forces."""
    rows = system.spin_rows
    for term in range(system.spin.shape[0]):
        turn = system.spin[term]
        for r in range(system.spin_first[term], system.spin_first[term + 1]):
            of_row = matrix[system.spin_row[r]]
            add_row(rows, r, dv * v[turn], of_row)
            of_row[turn] += dv * row_times(rows, r, v)
    for k in range(system.square.shape[0]):
        turn = system.square[k]
        for i in range(v.shape[0]):
            matrix[i, turn] -= dv * 2.0 * v[turn] * system.square_force[k, i]


@lean_kernel
def add_unbalance_tangent(system, x, v, dq, dv, matrix):
    """Add the tangent of the unbalances, and what they have of the mass matrix."""
    for k in range(system.unbalance.shape[0]):
        turn = system.unbalance[k]
        angle, moment, speed = x[turn] + system.unbalance_phase[k], system.unbalance_moment[k], v[turn]
        co, si = moment * np.cos(angle), moment * np.sin(angle)
        for i in range(v.shape[0]):
            along = co * system.unbalance_x[k, i] + si * system.unbalance_y[k, i]
            across = co * system.unbalance_y[k, i] - si * system.unbalance_x[k, i]
            matrix[i, turn] += across - dq * speed * speed * across - dv * 2.0 * speed * along
            matrix[turn, i] += across


@lean_kernel
def fill_system_matrix(system, motion):
    """Derivative of inertia less forces of all but the meshes by the accelerations, into ``motion.matrix``."""
    dq, dv, matrix = motion.attempt.numbers[DQ], motion.attempt.numbers[DV], motion.matrix
    x, v = motion.vectors[POSITION], motion.vectors[VELOCITY]
    linear = system.linear
    matrix[:, :] = 0.0
    for i in range(matrix.shape[0]):
        row = matrix[i]
        for k in range(linear.start[i], linear.start[i + 1]):
            row[linear.column[k]] = linear.mass[k] + dq * linear.stiffness[k] + dv * linear.damping[k]
    add_spin_tangent(system, v, dv, matrix)
    add_unbalance_tangent(system, x, v, dq, dv, matrix)
    add_carried_mass(system.carried, matrix)
    subtract_carried_tangent(system.carried, x, v, motion.vectors[ACCELERATION], dq, dv, matrix)
    subtract_element_tangents(system.elements, dq, dv, matrix)


@lean_kernel
def take_free(free, matrix, out):
    """Rows and columns of the free coordinates."""
    for i in range(free.shape[0]):
        row = matrix[free[i]]
        for j in range(free.shape[0]):
            out[i, j] = row[free[j]]


@lean_kernel
def fill_matrix(system, meshes, motion, out):
    """Derivative of the residual by the accelerations, into ``out`` (n_free, n_free)."""
    numbers, room = motion.attempt.numbers, motion.vectors[N_VECTORS]
    fill_system_matrix(system, motion)
    for number in range(len(meshes)):
        subtract_mesh_tangent(meshes[number], numbers[DQ], numbers[DV], room, motion.matrix)
    take_free(system.free, motion.matrix, out)


# ------------------------------------------------------------------------------ energy
@lean_kernel
def mesh_energy(mesh, model, conservative, memory, points, margin, vectors, wanted):
    """Stored energy of a mesh, its losses [W], what the motion of perfect gears is supplied with [W]; -1 as the first
    of four if it cannot be found. Friction and supply by the way go to ``vectors``.

    Without friction no open point closes on the small way that is left out for the retardation, if it has ten times as
    much room: then those that carry are asked alone, and all of them where one was let go, which a Newton step does too
    easily at small loads.
    """
    answer, free = mesh.answer, mesh.free_answer
    apart = farthest_ahead(model, mesh.motion) + reach_ahead(model, mesh.motion)
    quick = model.friction.kind == 0 and margin > FORWARD * apart
    carrying = number_loaded(points)
    leave_losses_out(mesh)
    settled = evaluate(conservative, mesh.motion, wanted[OF_LOADED if quick else OF_ALL], memory, points, free)
    if quick and number_loaded(points) < carrying:
        settled = evaluate(conservative, mesh.motion, wanted[OF_ALL], memory, points, free)
    if settled < 0:
        return False, 0.0, 0.0, 0.0
    lost, led = 0.0, 0.0
    for i in range(answer.force.shape[0]):
        damped = free.force[i] - answer.force[i] + answer.friction[i]
        vibration = mesh.ways[3, i] if i < N_TURNS else mesh.ways[1, i]
        lost += damped * vibration
        led += damped * (mesh.ways[1, i] - vibration)
        supplied = free.force[i] - free.energy[1 + i] if i < N_TURNS else 0.0
        for k in range(mesh.row_start[i], mesh.row_start[i + 1]):
            vectors[FRICTION, mesh.column[k]] -= mesh.weight[k] * answer.friction[i]
            vectors[OUTER, mesh.column[k]] += mesh.weight[k] * supplied
    return True, free.energy[0], lost, -led


@lean_kernel
def begin_account(system, t, motion):
    """Outer forces at the end of a step, and of all but the meshes the powers; returns what is stored.

    ``motion.powers`` (3,): lost outside of gears, in gears, supplied by the time.
    """
    vectors, powers = motion.vectors, motion.powers
    x, v, n = vectors[POSITION], vectors[VELOCITY], vectors.shape[1]
    outer, friction = vectors[OUTER], vectors[FRICTION]
    outer_forces(system, t, outer)
    friction[:] = 0.0
    element_energies(system.elements, powers)
    stored, outside, inside = powers[STORED_IN_ELEMENTS], 0.0, powers[LOST]
    supplied = powers[SUPPLIED]
    for j in range(system.outside.shape[0]):
        y, rate = row_times(system.strain, j, x), row_times(system.strain, j, v)
        force, loss = row_times(system.stress, j, x), row_times(system.loss, j, v)
        stored += 0.5 * y * force
        outside += system.outside[j] * rate * loss
        inside += (1.0 - system.outside[j]) * rate * loss
    for k in range(system.square.shape[0]):  # what turns a wheel that grows, the drive supplies
        square = v[system.square[k]] * v[system.square[k]]
        for i in range(n):
            outer[i] += square * system.square_force[k, i]
    powers[0], powers[1], powers[2] = outside, inside, supplied
    return stored


@lean_kernel
def end_account(system, stored, t, motion):
    """Carry the energies on by one step, as `alegear.system.energy.SystemEnergy` says."""
    vectors, energies, powers = motion.vectors, motion.energies, motion.powers
    x, n, outer, friction = vectors[POSITION], vectors.shape[1], vectors[OUTER], vectors[FRICTION]
    outside, inside, supplied = powers[0], powers[1], powers[2]
    kinetic = hold_back(system, vectors)
    h = t - energies[TIME_BEFORE]
    for i in range(n):
        turned = x[i] - vectors[X_BEFORE, i]
        energies[INPUT] += 0.5 * (outer[i] + vectors[OUTER_BEFORE, i]) * turned
        energies[DISSIPATED] += 0.5 * (friction[i] + vectors[FRICTION_BEFORE, i]) * turned
        vectors[X_BEFORE, i], vectors[OUTER_BEFORE, i], vectors[FRICTION_BEFORE, i] = x[i], outer[i], friction[i]
    energies[INPUT] += 0.5 * h * (supplied + energies[POWER + 2])
    energies[DISSIPATED] += 0.5 * h * (outside + inside + energies[POWER] + energies[POWER + 1])
    energies[OUTSIDE] += 0.5 * h * (outside + energies[POWER])
    for i in range(system.led.shape[0]):  # the next step begins with the torques after a corner
        jump = profile_jump(system.led_profiles, i, t)
        if jump != 0.0:
            for j in range(system.led.shape[0]):
                vectors[OUTER_BEFORE, system.led[j]] += system.led_mass[j, i] * jump
    energies[KINETIC], energies[STORED], energies[TIME_BEFORE] = kinetic, stored, t
    energies[POWER], energies[POWER + 1], energies[POWER + 2] = outside, inside, supplied


@lean_kernel
def settle_account(system, meshes, contacts, margin, t, motion):
    """Carry the energies on by one step; whether they were found."""
    stored = begin_account(system, t, motion)
    for number in range(len(meshes)):
        model, conservative, memory, points = of_mesh(contacts, number)
        found, energy, lost, by_time = mesh_energy(
            meshes[number], model, conservative, memory, points, margin, motion.vectors, motion.wanted
        )
        if not found:
            return False
        stored += energy
        motion.powers[1] += lost
        motion.powers[2] += by_time
    end_account(system, stored, t, motion)
    return True


@lean_kernel
def hold_back(system, vectors):
    """Add the forces of drives to the outer ones; returns the kinetic energy."""
    v, a, n, twice = vectors[VELOCITY], vectors[ACCELERATION], vectors.shape[1], 0.0
    momentum, inertia = vectors[N_VECTORS], vectors[N_VECTORS + 1]
    for i in range(n):
        momentum[i], inertia[i] = inertia_times(system.linear, i, v), inertia_times(system.linear, i, a)
    changing_inertia(system, vectors[POSITION], a, inertia)
    add_carried_inertia(system.carried, v, momentum)
    for k in range(system.unbalance.shape[0]):
        turn = system.unbalance[k]
        angle, moment = vectors[POSITION, turn] + system.unbalance_phase[k], system.unbalance_moment[k]
        co, si = moment * np.cos(angle), moment * np.sin(angle)
        for i in range(n):
            row = co * system.unbalance_y[k, i] - si * system.unbalance_x[k, i]
            momentum[i] += row * v[turn]
            momentum[turn] += row * v[i]
    for i in range(n):
        twice += momentum[i] * v[i]
    for i in range(system.led.shape[0]):
        at = system.led[i]
        vectors[OUTER, at] += inertia[at] - vectors[FORCE, at]
    return 0.5 * twice


# ------------------------------------------------------------------------------ steps
@lean_kernel
def step_error(system, scheme, motion, tolerated, h):
    """Estimated error of a step over the tolerated one, the largest of all coordinates."""
    attempt, vectors, free = motion.attempt, motion.vectors, system.free
    if not is_filtered(scheme, attempt):
        return largest_error(scheme, attempt, tolerated, h)
    error, carried = vectors[N_VECTORS], vectors[N_VECTORS + 1]
    error[:] = 0.0
    for i in range(free.shape[0]):
        error[free[i]] = error_of(scheme, attempt, i, h)
    for i in range(carried.shape[0]):
        carried[i] = inertia_times(system.linear, i, error)
    changing_inertia(system, vectors[POSITION], error, carried)
    for i in range(free.shape[0]):
        attempt.correction[i] = carried[free[i]]
    return largest_filtered(attempt, tolerated)


@lean_kernel
def step(system, meshes, contacts, scheme, motion, t_end, h):
    """Attempt a step; returns Newton's verdict, and how much room open points have in all meshes [m]."""
    state, attempt, vectors = motion.state, motion.attempt, motion.vectors
    predict(scheme, state, attempt, h)
    # Newton starts from the acceleration carried on, which saves an evaluation in most steps
    guess(state, attempt, h, True)
    place(attempt)
    place_all(system, t_end, attempt, vectors)
    for number in range(len(meshes)):
        choose_teeth(meshes[number], vectors[POSITION], vectors[VELOCITY], h)
    begin_newton(attempt)
    verdict, how, margin = EVALUATE, FIRST, 0.0
    while verdict == EVALUATE:
        place(attempt)
        place_all(system, t_end, attempt, vectors)
        evaluated = evaluate_all(system, meshes, contacts, t_end, how, motion)
        if evaluated:
            fill_residual(system, vectors, vectors[OUTER], attempt.residual)
        verdict = go_on(scheme, attempt, evaluated)
        if verdict == CORRECT:
            differentiate_all(meshes, contacts, motion)
            fill_matrix(system, meshes, motion, attempt.matrix)
            verdict = correct(attempt)
        how = AGAIN_NEAR if how == FIRST else how
        if how == AGAIN_NEAR and verdict != EVALUATE:
            margin = -1.0
            if verdict == CONVERGED:
                margin = np.inf
                for number in range(len(meshes)):
                    model, _, _, points = of_mesh(contacts, number)
                    margin = min(margin, least_open_gap(model, points))
            if margin >= 0.0:
                break
            # other points come to carry: once more, with a look at all of them in every evaluation
            if verdict != CONVERGED:
                guess(state, attempt, h, False)
            margin = 0.0
            begin_newton(attempt)
            verdict, how = EVALUATE, LOOK_AT_ALL
    return verdict, margin


@lean_kernel
def take_values(t, flags, motion, block):
    """Append time, energies and coordinates of a sample."""
    n = block.number[0]
    row, vectors = block.values[n], motion.vectors
    m = vectors.shape[1]
    row[TIME], row[FLAGS] = t, flags
    for i in range(N_HEAD - ENERGIES):
        row[ENERGIES + i] = motion.energies[i]
    for i in range(m):
        row[N_HEAD + i], row[N_HEAD + m + i] = vectors[POSITION, i], vectors[VELOCITY, i]
        row[N_HEAD + 2 * m + i] = vectors[ACCELERATION, i]
    block.number[0] = n + 1


@lean_kernel
def take_sample(meshes, t, flags, motion, block):
    """Append a sample; the loaded points of the meshes are in their records already."""
    n = block.number[0]
    take_values(t, flags, motion, block)
    for number in range(len(meshes)):
        mesh = meshes[number]
        mesh.first_pair[n] = mesh.motion.first_pair[0]
        for slot in range(mesh.pair_torque.shape[1]):
            for gear in range(2):
                mesh.pair_torque[n, slot, gear] = mesh.answer.pair_torque[slot, gear]
        for i in range(mesh.by_coordinate.shape[1]):
            for j in range(mesh.by_coordinate.shape[1]):
                mesh.by_coordinate[n, i, j] = mesh.answer.by_coordinate[i, j]


@kernel(_nrt=False, nogil=True)
def advance(
    # model
    system, models, conservative, scheme, control, tolerated,
    # buffers
    meshes, memories, rooms,
    # in
    stops, flags,
    # out
    motion, block,
):  # fmt: skip
    """Integrate until the block is full, patience ends, the last stop is reached or a step fails.

    Parameters
    ----------
    system, scheme, control : System, Scheme, Control
    models, conservative, meshes, memories, rooms : tuples with one for each mesh
        Models of the contact and of that without friction, Mesh, Memory, Points. One by one: LLVM's time for the entry
        from Python grows with the square of the largest.
    tolerated : (n_free,) error of a step of each coordinate
    stops, flags : (n,) times to be met to the last digit [s], and whether a sample is taken there (not 0)
    motion : Motion
        Goes on; ``stop`` is the next stop to be met.
    block : Block

    Returns
    -------
    int : AT_END, PAUSE, or STEP_FAILED: the step after ``motion.state`` of the length ``motion.control[LENGTH]``.
    """
    state, attempt, counts, room = motion.state, motion.attempt, motion.counts, block.values.shape[0]
    contacts = (models, conservative, memories, rooms)
    # from memory: for constants the evaluation would be compiled once more each
    wanted = motion.wanted
    wanted[FIRST], wanted[AGAIN_NEAR], wanted[LOOK_AT_ALL] = QUICK, QUICK + NEAR, NEAR
    wanted[OF_LOADED], wanted[OF_ALL] = ENERGY + QUICK + AGAIN, ENERGY + AGAIN
    attempts = 0
    while motion.stop[0] < stops.shape[0]:
        stop = stops[motion.stop[0]]
        if not state.clock[T] < stop:
            motion.stop[0] += 1
            continue
        if block.number[0] == room or attempts == PATIENCE:
            return PAUSE
        attempts += 1
        remaining = stop - state.clock[T]
        h = towards_stop(control, remaining, motion.control[LENGTH])
        t_end = stop if h == remaining else state.clock[T] + h
        verdict, margin = step(system, meshes, contacts, scheme, motion, t_end, h)
        converged, iterations = verdict == CONVERGED, attempt.numbers[ITERATIONS]
        error = step_error(system, scheme, motion, tolerated, h) if converged else np.inf
        counts[NEWTON_ITERATIONS] += iterations
        judged = accept(control, motion.control, h, converged, error, iterations, scheme.max_iterations)
        if judged < 0:
            return STEP_FAILED
        if judged == 0:
            counts[BY_ERROR if converged else BY_NEWTON] += 1.0
            continue
        sampled = flags[motion.stop[0]] if t_end == stop else 0
        if sampled:
            differentiate_all(meshes, contacts, motion)
            for number in range(len(meshes)):
                model, _, _, points = of_mesh(contacts, number)
                record = meshes[number].record
                record_loaded(points.found, points.rows, points.loads, model.length, block.number[0], record)
        if not settle_account(system, meshes, contacts, margin, t_end, motion):
            return STEP_FAILED
        take(state, attempt, t_end, h)
        counts[ACCEPTED] += 1.0
        counts[SHORTEST], counts[LONGEST] = min(counts[SHORTEST], h), max(counts[LONGEST], h)
        if sampled:
            take_sample(meshes, t_end, sampled, motion, block)
    return AT_END


# ------------------------------------------------------------------------------ without flexible meshes
@lean_kernel
def step_without_meshes(system, scheme, motion, t_end, h):
    """Attempt a step of a system without flexible meshes; returns Newton's verdict."""
    state, attempt, vectors = motion.state, motion.attempt, motion.vectors
    predict(scheme, state, attempt, h)
    guess(state, attempt, h, True)
    begin_newton(attempt)
    verdict = EVALUATE
    while verdict == EVALUATE:
        place(attempt)
        place_all(system, t_end, attempt, vectors)
        evaluated = evaluate_system(system, t_end, vectors)
        if evaluated:
            fill_residual(system, vectors, vectors[OUTER], attempt.residual)
        verdict = go_on(scheme, attempt, evaluated)
        if verdict == CORRECT:
            fill_system_matrix(system, motion)
            take_free(system.free, motion.matrix, attempt.matrix)
            verdict = correct(attempt)
    return verdict


@kernel(_nrt=False, nogil=True)
def advance_without_meshes(
    # model
    system, scheme, control, tolerated,
    # in
    stops, flags,
    # out
    motion, block,
):  # fmt: skip
    """As `advance`, of a system without flexible meshes."""
    state, attempt, counts, room = motion.state, motion.attempt, motion.counts, block.values.shape[0]
    attempts = 0
    while motion.stop[0] < stops.shape[0]:
        stop = stops[motion.stop[0]]
        if not state.clock[T] < stop:
            motion.stop[0] += 1
            continue
        if block.number[0] == room or attempts == PATIENCE:
            return PAUSE
        attempts += 1
        remaining = stop - state.clock[T]
        h = towards_stop(control, remaining, motion.control[LENGTH])
        t_end = stop if h == remaining else state.clock[T] + h
        verdict = step_without_meshes(system, scheme, motion, t_end, h)
        converged, iterations = verdict == CONVERGED, attempt.numbers[ITERATIONS]
        error = step_error(system, scheme, motion, tolerated, h) if converged else np.inf
        counts[NEWTON_ITERATIONS] += iterations
        judged = accept(control, motion.control, h, converged, error, iterations, scheme.max_iterations)
        if judged < 0:
            return STEP_FAILED
        if judged == 0:
            counts[BY_ERROR if converged else BY_NEWTON] += 1.0
            continue
        end_account(system, begin_account(system, t_end, motion), t_end, motion)
        take(state, attempt, t_end, h)
        counts[ACCEPTED] += 1.0
        counts[SHORTEST], counts[LONGEST] = min(counts[SHORTEST], h), max(counts[LONGEST], h)
        flag = flags[motion.stop[0]] if t_end == stop else 0
        if flag:
            take_values(t_end, flag, motion, block)
    return AT_END
