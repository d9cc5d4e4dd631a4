"""Any system of rotors with modes, linear parts, profiles, unbalances and elements called by address, compiled.

Its coordinates, forces, tangents and energies at a trial; the steps are in ``motion_kernels.py``, meshes of flexible
wheels in ``mesh_kernels.py``. ``motion`` is the struct of the steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.displaced_kernels import (
    RotatingModes,
    add_carried_forces,
    add_carried_inertia,
    add_carried_mass,
    subtract_carried_tangent,
    turn_with_wheels,
)
from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.sparse_rows_kernels import SparseRows, add_row, row_times
from alegear.kernels.structs import kernel_struct
from alegear.system.element_kernels import (
    LOST,
    SUPPLIED,
    Elements,
    add_element_forces,
    element_energies,
    subtract_element_tangents,
)
from alegear.system.element_kernels import STORED as STORED_IN_ELEMENTS
from alegear.system.time_integration.vector_step_kernels import DQ, DV

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# columns of the energies [J] since the start, then of the powers [W] at the last step: lost outside of gears, in gears,
# supplied by the time; and its time
INPUT, DISSIPATED, KINETIC, STORED, OUTSIDE, POWER, TIME_BEFORE, N_ENERGIES = 0, 1, 2, 3, 4, 5, 8, 9
# rows of vectors over all coordinates: position, velocity, acceleration, force; position, outer force and friction at
# the last step; outer force and friction now
POSITION, VELOCITY, ACCELERATION, FORCE, X_BEFORE, OUTER_BEFORE, FRICTION_BEFORE, OUTER, FRICTION, N_VECTORS = range(10)


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
class SystemTables(NamedTuple):
    """:class:`alegear.system.model.SystemModel`, and the nonlinear elements that are known here.

    ``free``, ``prescribed`` (n_free,), (n_prescribed,): coordinates; ``linear``: masses, stiffness and damping;
    ``strain``, ``stress``, ``loss``, m rows: deformations of the linear parts, k and d times them; ``outside`` (m,).
    Gyroscopic terms: ``spin`` (k,) the coordinate of the speed, ``spin_first`` (k + 1,) of their rows, ``spin_row``
    (r,) on which coordinate each acts, ``spin_rows``. ``prescribed_profiles`` speeds of the prescribed coordinates,
    ``prescribed_angle`` (n_prescribed,) their first angles, ``prescribed_mass`` (n_prescribed, n_prescribed);
    ``load_profiles`` with ``load_direction`` (n_loads, n); ``constant`` (n,). Centrifugal forces: the square of the
    velocity ``square`` (k,) times ``square_force`` (k, n). Unbalances: ``unbalance`` (k,) rotations,
    ``unbalance_moment``, ``unbalance_phase`` (k,), ``unbalance_x``, ``unbalance_y`` (k, n) rows of the displacements.
    ``rotating_modes``: wheels that are displaced while their modes turn with them. ``elements``: all others, by
    address.
    """

    free: Index
    prescribed: Index
    linear: Linear
    strain: SparseRows
    stress: SparseRows
    loss: SparseRows
    outside: Array
    spin: Index
    spin_first: Index
    spin_row: Index
    spin_rows: SparseRows
    prescribed_profiles: Profiles
    prescribed_angle: Array
    prescribed_mass: Array
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
    rotating_modes: RotatingModes
    elements: Elements


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
    """All coordinates and velocities of a trial, and the accelerations: prescribed ones by their drives."""
    x, v, a = vectors[POSITION], vectors[VELOCITY], vectors[ACCELERATION]
    for i in range(system.free.shape[0]):
        at = system.free[i]
        x[at], v[at], a[at] = attempt.q[i], attempt.v[i], attempt.x[i]
    for i in range(system.prescribed.shape[0]):
        at = system.prescribed[i]
        v[at], a[at], turned = profile_at(system.prescribed_profiles, i, t)
        x[at] = system.prescribed_angle[i] + turned


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
    turn_with_wheels(system.rotating_modes, x)
    add_carried_forces(system.rotating_modes, x, v, Q)


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
    add_carried_inertia(system.rotating_modes, a, out)
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
def evaluate_system(system, t, vectors):
    """Forces of all but the meshes on all coordinates at a trial; whether they could be found."""
    outer_forces(system, t, vectors[FORCE])
    linear_forces(system, vectors)
    gyroscopic_forces(system, vectors)
    turning_forces(system, vectors)
    return add_element_forces(system.elements, t, vectors[POSITION], vectors[VELOCITY], vectors[FORCE])


@lean_kernel
def fill_residual(system, vectors, room, residual):
    """Inertia less forces on the free coordinates; ``room`` (n,)."""
    a = vectors[ACCELERATION]
    for i in range(system.free.shape[0]):
        at = system.free[i]
        residual[i] = inertia_times(system.linear, at, a) - vectors[FORCE, at]
    if system.unbalance.shape[0] or system.rotating_modes.turn.shape[0]:
        room[:] = 0.0
        changing_inertia(system, vectors[POSITION], a, room)
        for i in range(system.free.shape[0]):
            residual[i] += room[system.free[i]]


# ------------------------------------------------------------------------------ tangent
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
    add_carried_mass(system.rotating_modes, matrix)
    subtract_carried_tangent(system.rotating_modes, x, v, motion.vectors[ACCELERATION], dq, dv, matrix)
    subtract_element_tangents(system.elements, dq, dv, matrix)


@lean_kernel
def take_free(free, matrix, out):
    """Rows and columns of the free coordinates."""
    for i in range(free.shape[0]):
        row = matrix[free[i]]
        for j in range(free.shape[0]):
            out[i, j] = row[free[j]]


# ------------------------------------------------------------------------------ energy
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
    for i in range(system.prescribed.shape[0]):  # the next step begins with the torques after a corner
        jump = profile_jump(system.prescribed_profiles, i, t)
        if jump != 0.0:
            for j in range(system.prescribed.shape[0]):
                vectors[OUTER_BEFORE, system.prescribed[j]] += system.prescribed_mass[j, i] * jump
    energies[KINETIC], energies[STORED], energies[TIME_BEFORE] = kinetic, stored, t
    energies[POWER], energies[POWER + 1], energies[POWER + 2] = outside, inside, supplied


@lean_kernel
def hold_back(system, vectors):
    """Add the forces of drives to the outer ones; returns the kinetic energy."""
    v, a, n, twice = vectors[VELOCITY], vectors[ACCELERATION], vectors.shape[1], 0.0
    momentum, inertia = vectors[N_VECTORS], vectors[N_VECTORS + 1]
    for i in range(n):
        momentum[i], inertia[i] = inertia_times(system.linear, i, v), inertia_times(system.linear, i, a)
    changing_inertia(system, vectors[POSITION], a, inertia)
    add_carried_inertia(system.rotating_modes, v, momentum)
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
    for i in range(system.prescribed.shape[0]):
        at = system.prescribed[i]
        vectors[OUTER, at] += inertia[at] - vectors[FORCE, at]
    return 0.5 * twice
