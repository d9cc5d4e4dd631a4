"""Compiled: rows of displacement of the points, what is given besides the contact forces, by what the gaps are ahead.

``README.md`` of this folder, sections 3, 6 and 10.
"""

from __future__ import annotations

from alegear.contact.hertz.approach_kernels import levers
from alegear.contact.hertz.coupling_kernels import dot
from alegear.contact.hertz.model_kernels import FRAME, G_X, GAP, L_X, N_SHIFTS, NX, NY, ROWS, SIGN, S
from alegear.contact.hertz.move_kernels import opening_by_shift
from alegear.contact.interval_kernels import interval
from alegear.kernels.decorators import lean_kernel

MATTERS = 4e-4  # of the deepest overlap: change of the displacements that only widens the reach of the search


# ------------------------------------------------------------------- rows of displacement
@lean_kernel
def rows_of_gear(gear, side, k, n_axes, rows_s, coefficients, table, b, t, b_s, b_turn, t_s, t_turn):
    """Rows of relative normal and tangential displacement of one point by the nodes of one gear, and derivatives.

    All (4 n_axes,) out; ``b_s``, ``t_s`` by the position on the profile [1/m], ``b_turn``, ``t_turn`` by a turn of the
    normal in the section. Returns the first of the rows.
    """
    n_rows = rows_s.shape[0]
    low, way, beyond = interval(rows_s, table[S + gear])
    first = min(max(low - 1, 0), n_rows - ROWS)
    sign = 1.0 if (table[SIGN] > 0.0) == (gear == 0) else -1.0
    co, si = side.sections[k, FRAME + 2 * gear], side.sections[k, FRAME + 2 * gear + 1]
    nx, ny = table[NX + gear], table[NY + gear]
    cos_beta_b = side.axial[0]
    # (n, J n) turned into the tooth frame and mirrored back; t = -J n
    normal_x, normal_y = co * nx - si * ny, side.side * (si * nx + co * ny)
    tangent_x, tangent_y = si * nx + co * ny, side.side * (si * ny - co * nx)
    # the normal of P seen along the axis: gear 0 is P if A is the wheel
    normal_z = side.axial[1] if table[SIGN] < 0.0 else -side.axial[1]
    for row in range(ROWS):
        c0, c1 = coefficients[low, 0, row], coefficients[low, 1, row]
        c2, c3 = coefficients[low, 2, row], coefficients[low, 3, row]
        slope = c1 + way * (2.0 * c2 + 3.0 * way * c3)
        weight = sign * (c0 + way * (c1 + way * (c2 + way * c3)) + beyond * slope)
        slope *= sign
        at = row * n_axes
        b[at], b[at + 1] = weight * cos_beta_b * normal_x, weight * cos_beta_b * normal_y
        t[at], t[at + 1] = weight * tangent_x, weight * tangent_y
        b_s[at], b_s[at + 1] = slope * cos_beta_b * normal_x, slope * cos_beta_b * normal_y
        t_s[at], t_s[at + 1] = slope * tangent_x, slope * tangent_y
        # n turns into -t, t into n
        b_turn[at], b_turn[at + 1] = -weight * cos_beta_b * tangent_x, -weight * cos_beta_b * tangent_y
        t_turn[at], t_turn[at + 1] = weight * normal_x, weight * normal_y
        if n_axes == 3:
            b[at + 2], b_s[at + 2], b_turn[at + 2] = weight * normal_z, slope * normal_z, 0.0
            t[at + 2], t_s[at + 2], t_turn[at + 2] = 0.0, 0.0, 0.0
    return first


@lean_kernel
def displacement_rows(model, found, rows):
    """Rows of displacement of all points by the nodes of both gears."""
    one, two, n_axes = model.pinion, model.wheel, model.n_axes
    for p in range(found.count[0]):
        side = model.loaded if found.side_of[p] == 0 else model.back
        k, table = found.slice_of[p], found.table[p]
        rows.slot[0, p], rows.slot[1, p] = found.pair_of[p], found.pair_of[p] + side.wheel_lead
        identical_point = found.identical_point[p]
        for gear in range(2):
            rows.strip[gear, p] = side.face[gear] * model.n_slices + k
            if identical_point < p:
                copy_rows(rows, gear, identical_point, p)
                continue
            body = one if gear == 0 else two
            first = rows_of_gear(
                gear, side, k, n_axes, body.rows_s, body.coefficients, table,
                rows.b[gear, p], rows.t[gear, p], rows.b_s[gear, p], rows.b_turn[gear, p],
                rows.t_s[gear, p], rows.t_turn[gear, p],
            )  # fmt: skip
            rows.first[gear, p] = first * n_axes


@lean_kernel
def copy_rows(rows, gear, one, two):
    """Rows of displacement of a point with the same position, normal and frame as another."""
    rows.first[gear, two] = rows.first[gear, one]
    b, b_s, b_turn = rows.b[gear], rows.b_s[gear], rows.b_turn[gear]
    t, t_s, t_turn = rows.t[gear], rows.t_s[gear], rows.t_turn[gear]
    for q in range(b.shape[1]):
        b[two, q], b_s[two, q], b_turn[two, q] = b[one, q], b_s[one, q], b_turn[one, q]
        t[two, q], t_s[two, q], t_turn[two, q] = t[one, q], t_s[one, q], t_turn[one, q]


@lean_kernel
def coefficient(friction, v):
    """Signed coefficient of friction at the sliding velocity ``v`` [m/s], and its derivative [s/m]."""
    if friction.kind == 0:
        return 0.0, 0.0
    top = friction.mu_dynamic if friction.kind == 1 else friction.mu_static
    x = min(max(v / friction.v_static, -1.0), 1.0)
    if friction.kind == 2 and abs(v) > friction.v_static:
        width, drop = friction.v_dynamic - friction.v_static, friction.mu_dynamic - friction.mu_static
        y = min(max((abs(v) - friction.v_static) / width, 0.0), 1.0)
        sign = 1.0 if v > 0.0 else -1.0
        return -sign * (friction.mu_static + drop * y * y * (3.0 - 2.0 * y)), -drop * 6.0 * y * (1.0 - y) / width
    return -0.5 * top * x * (3.0 - x * x), -1.5 * top / friction.v_static * (1.0 - x * x)


@lean_kernel
def force_rows(friction, omega, found, rows, coupling):
    """Rows of displacement by unit contact force, e = b + mu t, with the friction of the sliding speeds.

    Points whose coefficient of friction has changed are coupled no more.
    """
    for p in range(found.count[0]):
        table = found.table[p]
        mu, rows.mu_v[p] = coefficient(friction, table[L_X] * omega[0] + table[L_X + 1] * omega[1])
        if mu != rows.mu[p]:
            coupling.coupled[p] = 0
        rows.mu[p] = mu
        for gear in range(2):
            for q in range(rows.e.shape[2]):
                rows.e[gear, p, q] = rows.b[gear, p, q] + mu * rows.t[gear, p, q]


# ------------------------------------------------------------------------------ what is given
@lean_kernel
def turn_amplitudes(body, modal, first_mode, n_modes, loads, first_pair, work, turned):
    """Amplitudes of the shapes of one gear on each tooth of the window, into ``turned`` (n_pairs, K).

    Parameters
    ----------
    modal : amplitudes of all modes [m kg^1/2], those of this gear from ``first_mode`` on
    loads : (k,) of this gear
    work : (K,) room
    """
    n = body.shapes.shape[2]
    work[:] = 0.0
    for j in range(n_modes):
        work[j] = modal[first_mode + j]
        work[n_modes + j] = work[j]
    for j in range(loads.shape[0]):
        work[2 * n_modes + j] = loads[j]
    for slot in range(turned.shape[0]):
        phase = body.phases[(first_pair + slot) % body.phases.shape[0]]
        for j in range(n):
            turned[slot, j] = phase[j] * work[j]


@lean_kernel
def turn_both(model, modal, loads, first_pair, work, turned):
    """Amplitudes of the shapes of both gears on each tooth of the window, into ``turned`` (2, n_pairs, K)."""
    n_1, n_2 = model.n_modes[0], model.n_modes[1]
    turn_amplitudes(model.pinion, modal, 0, n_1, loads[0], first_pair, work, turned[0])
    turn_amplitudes(model.wheel, modal, n_1, n_2, loads[1], first_pair, work, turned[1])


@lean_kernel
def largest_given(body, turned):
    """Largest displacement of the slices of the window by the shapes of one gear, of all components [m]."""
    shapes, largest = body.shapes, 0.0
    n = shapes.shape[2]
    for slot in range(turned.shape[0]):
        for strip in range(shapes.shape[0]):
            for p in range(shapes.shape[1]):
                largest = max(largest, abs(dot(shapes[strip, p], turned[slot, :n])))
    return largest


@lean_kernel
def change_of_given(body, modal, first_mode, n_modes, loads, before, at):
    """No slice has moved by more since the shapes had other amplitudes, ``before`` from ``at`` on [m]."""
    total = 0.0
    for j in range(n_modes):
        total += abs(modal[first_mode + j] - before[at + j]) * body.largest[j]
    for j in range(loads.shape[0]):
        total += abs(loads[j] - before[at + n_modes + j]) * body.largest[n_modes + j]
    return total


@lean_kernel
def reach_of_shapes(model, motion, turned, reach):
    """By how much the given displacements of both gears may close gaps, at the most [m].

    ``reach`` (3 + m + 2 k,) holds what was found last, whether there is such, its first pair, and its amplitudes: all
    nodes of the window are gone through only where these have changed by as much as matters.
    """
    n_1, n_2, k = model.n_modes[0], model.n_modes[1], model.n_loads
    before, modal, loads, first_pair = reach[3:], motion.modal, motion.loads, motion.first_pair[0]
    if reach[1] != 0.0 and reach[2] == first_pair:
        change = change_of_given(model.pinion, modal, 0, n_1, loads[0], before, 0)
        change += change_of_given(model.wheel, modal, n_1, n_2, loads[1], before, n_1 + k)
        if change < MATTERS * model.deepest:
            return reach[0] + change
    reach[0] = largest_given(model.pinion, turned[0]) + largest_given(model.wheel, turned[1])
    reach[1], reach[2] = 1.0, first_pair
    for j in range(n_1):
        before[j] = modal[j]
    for j in range(n_2):
        before[n_1 + k + j] = modal[n_1 + j]
    for j in range(k):
        before[n_1 + j], before[n_1 + k + n_2 + j] = loads[0, j], loads[1, j]
    return reach[0]


@lean_kernel
def reach_ahead(model, motion):
    """No slice moves by more by what the modes are ahead [m]; not on both gears together."""
    total, n_1 = 0.0, model.n_modes[0]
    for j in range(motion.modal_gap_offset.shape[0]):
        largest = model.pinion.largest[j] if j < n_1 else model.wheel.largest[j - n_1]
        total += abs(motion.modal_gap_offset[j]) * largest
    return total


@lean_kernel
def give(model, found, rows, turned, given):
    """Displacement of the nodes of all points by the shapes of both gears, into ``given`` (2, n, 4 rows x axes) [m]."""
    for i in range(found.count[0]):
        for gear in range(2):
            body = model.pinion if gear == 0 else model.wheel
            n = body.shapes.shape[2]
            shapes, first = body.shapes[rows.strip[gear, i]], rows.first[gear, i]
            amplitudes = turned[gear, rows.slot[gear, i], :n]
            for q in range(given.shape[2]):
                given[gear, i, q] = dot(shapes[first + q], amplitudes) if n > 0 else 0.0


@lean_kernel
def given_way(given, along, i):
    """Given displacement of the nodes of point i of both gears along their rows ``along`` (2, n, 4 rows x axes)."""
    return dot(along[0, i], given[0, i]) + dot(along[1, i], given[1, i])


@lean_kernel
def open_gaps(found, rows, given):
    """Open the gaps of all points by the given displacements of both gears."""
    for i in range(found.count[0]):
        found.table[i, GAP] += given_way(given, rows.b, i)


@lean_kernel
def add_given(given, displaced, index, n):
    """Add the given displacement to that of the nodes of n points."""
    for gear in range(2):
        for a in range(n):
            i = index[a]
            for q in range(displaced.shape[2]):
                displaced[gear, i, q] += given[gear, i, q]


@lean_kernel
def rows_of_modes(body, first_mode, n_modes, pair, strip, first, row, out):
    """What a unit of each mode of a gear displaces a point by along a row of nodes (4 rows x axes), into ``out``."""
    shapes, phase = body.shapes[strip], body.phases[pair % body.phases.shape[0]]
    for j in range(n_modes):
        real, imaginary = 0.0, 0.0
        for p in range(row.shape[0]):
            real += row[p] * shapes[first + p, j]
            imaginary += row[p] * shapes[first + p, n_modes + j]
        out[first_mode + j] = phase[j] * real + phase[n_modes + j] * imaginary


# ------------------------------------------------------------------------------ what gaps are ahead by
@lean_kernel
def farthest_ahead(model, motion):
    """No gap closes by more on the way that rotations and displacements are ahead [m]: that of both tips."""
    total = 0.0
    for gear in range(2):
        tip, reach = levers(model, gear)
        total += abs(motion.gap_offset[gear]) * tip
        for axis in range(N_SHIFTS):
            total += abs(motion.shift_gap_offset[gear * N_SHIFTS + axis]) * (1.0 if axis < 3 else reach)
    return total


@lean_kernel
def way_ahead(model, points, motion, shifted, vibrates, i):
    """By how much the gap of point i is to be ahead [m], the point of contact staying where it is."""
    found, rows = points.found, points.rows
    way = found.table[i, G_X] * motion.gap_offset[0] + found.table[i, G_X + 1] * motion.gap_offset[1]
    if shifted:
        way += opening_by_shift(model, found, i, motion.shift_gap_offset)
    if vibrates:
        way += given_way(points.generalized.prescribed_gap_offset, rows.b, i)
    return way


@lean_kernel
def take_ahead(model, points, motion, vibrates):
    """Change the gaps of all points as the small changes that they are to be ahead by would.

    ``found.gap_offset`` says by how much they are so already.
    """
    found, shifted = points.found, False
    for axis in range(2 * N_SHIFTS):
        shifted = shifted or motion.shift_gap_offset[axis] != 0.0
    for i in range(found.count[0]):
        way = way_ahead(model, points, motion, shifted, vibrates, i)
        found.table[i, GAP] += way - found.gap_offset[i]
        found.gap_offset[i] = way
