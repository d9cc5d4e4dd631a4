"""Compiled: loads of all slices, torques, tangents, energy (``README.md`` of this folder, sections 3, 5 and 6)."""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.approach_kernels import find_candidates
from alegear.contact.hertz.model_kernels import (
    FRAME,
    G_X,
    G_XX,
    GAP,
    L_X,
    L_XX,
    N_COLUMNS,
    NX,
    NY,
    ROWS,
    S_X,
    SIGN,
    TURN_X,
    S,
)
from alegear.contact.hertz.strip_kernels import approaches, layer_works
from alegear.kernel_cache import inner_kernel, kernel

REACH_FLOOR = 2e-6  # gaps up to this [m] beyond the deepest overlaps are candidates
ITERATIONS = 100  # of the active set with Newton; three to five are usual
PATIENCE = 20  # iterations after which points change sides one by one
TOLERANCE = 1e-13  # of the largest overlap: a point that is open by less is left alone
LOAD_TOLERANCE = 1e-12  # of the largest load, in the last step
ROUND_OFF = 1e-8  # near an edge strips are known to some 1e-11: a step as small as this that does not fall is the last
SOFTENING = 0.05  # a load falls to no less than this part of itself in one step, unless the point opens
FIRST_STIFFNESS = 10e9  # load per width and overlap for the first guess [N/m^2]
SMALL_LOAD = 10.0  # line load [N/m] of points that close
# Gauss's rule with six points on 0 ... 1
GAUSS_POINTS = 0.5 * (1.0 + np.polynomial.legendre.leggauss(6)[0])
GAUSS_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(6)[1]
NOT_SETTLED = -1
TORQUE, TANGENT, ENERGY, BOTH = 0, 1, 2, 3  # what is wanted of an evaluation
ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)


# ------------------------------------------------------------------- rows of displacement
@inner_kernel
def interval(rows_s, s):
    """Interval of rows in which ``s`` lies, the way into it, and how far ``s`` is beyond the ends [m]."""
    n = rows_s.shape[0]
    s_in = min(max(s, rows_s[0]), rows_s[n - 1])
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if rows_s[middle] <= s_in:
            low = middle
        else:
            high = middle
    return low, s_in - rows_s[low], s - s_in


@inner_kernel
def rows_of_gear(gear, side, k, n_axes, rows_s, coefficients, table, b, t, b_x, t_x):
    """Rows of relative normal and tangential displacement of one point by the nodes of one gear, and derivatives.

    ``b``, ``t`` (4 n_axes,), ``b_x``, ``t_x`` (2, 4 n_axes) out. Returns the first of the rows.
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
        if n_axes == 3:
            b[at + 2], t[at + 2] = weight * normal_z, 0.0
        for x in range(2):
            along, turn = slope * table[S_X + 2 * gear + x], weight * table[TURN_X + 2 * gear + x]
            b_x[x, at] = cos_beta_b * (along * normal_x - turn * tangent_x)
            b_x[x, at + 1] = cos_beta_b * (along * normal_y - turn * tangent_y)
            t_x[x, at], t_x[x, at + 1] = along * tangent_x + turn * normal_x, along * tangent_y + turn * normal_y
            if n_axes == 3:
                b_x[x, at + 2], t_x[x, at + 2] = along * normal_z, 0.0
    return first


@inner_kernel
def displacement_rows(model, found, rows):
    """Rows of displacement of all points by the nodes of both gears."""
    one, two, n_axes = model.pinion, model.wheel, model.n_axes
    for p in range(found.count[0]):
        side = model.loaded if found.side_of[p] == 0 else model.back
        k, table = found.slice_of[p], found.table[p]
        rows.slot[p, 0], rows.slot[p, 1] = found.pair_of[p], found.pair_of[p] + side.wheel_lead
        twin = found.twin[p]
        for gear in range(2):
            rows.strip[p, gear] = side.face[gear] * model.n_slices + k
            if twin < p:
                copy_rows(rows, gear, twin, p)
                continue
            body = one if gear == 0 else two
            first = rows_of_gear(
                gear, side, k, n_axes, body.rows_s, body.coefficients, table,
                rows.b[p, gear], rows.t[p, gear], rows.b_x[p, gear], rows.t_x[p, gear],
            )  # fmt: skip
            rows.first[p, gear] = first * n_axes


@inner_kernel
def copy_rows(rows, gear, one, two):
    """Rows of displacement of a point with the same place, normal and frame as another."""
    rows.first[two, gear] = rows.first[one, gear]
    for q in range(rows.b.shape[2]):
        rows.b[two, gear, q], rows.t[two, gear, q] = rows.b[one, gear, q], rows.t[one, gear, q]
        for x in range(2):
            rows.b_x[two, gear, x, q], rows.t_x[two, gear, x, q] = rows.b_x[one, gear, x, q], rows.t_x[one, gear, x, q]


@inner_kernel
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


@inner_kernel
def force_rows(friction, omega, found, rows):
    """Rows of displacement by unit contact force, e = b + mu t, with the friction of the sliding speeds."""
    for p in range(found.count[0]):
        table = found.table[p]
        mu, rows.mu_v[p] = coefficient(friction, table[L_X] * omega[0] + table[L_X + 1] * omega[1])
        rows.mu[p] = mu
        for gear in range(2):
            for q in range(rows.e.shape[2]):
                rows.e[p, gear, q] = rows.b[p, gear, q] + mu * rows.t[p, gear, q]


# ------------------------------------------------------------------------------ compliance
@inner_kernel(fastmath={"reassoc", "contract"})  # sums of a dozen products, in any order
def dot(a, b):
    """Sum of the products of two short vectors."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@inner_kernel(fastmath={"reassoc", "contract"})
def push_forth(C, start, stride, e, u):
    """Displacement u = C e of the nodes of a point; C begins at ``start`` and has a row every ``stride`` numbers.

    Places without a sign, for those with one are looked at for counting from the end; four by four, for the processor.
    """
    for p in range(u.shape[0]):
        total = 0.0
        for q in range(0, e.shape[0], 4):
            at = start + np.uintp(q)
            total += C[at] * e[q] + C[at + ONE] * e[q + 1] + C[at + TWO] * e[q + 2] + C[at + THREE] * e[q + 3]
        u[p] = total
        start += stride


@inner_kernel(fastmath={"reassoc", "contract"})
def push_back(C, start, stride, e, u):
    """Displacement u = C^T e of the nodes of a point; as `push_forth`."""
    for q in range(u.shape[0]):
        u[q] = 0.0
    for p in range(e.shape[0]):
        for q in range(u.shape[0]):
            u[q] += C[start + np.uintp(q)] * e[p]
        start += stride


@inner_kernel
def push_gear(C, n_strips, n_dof, block_of, gear, n, rows, force_rows, index, m, out):
    """Displacement ``out[i, j]`` of the nodes of n points under the force rows of m of them, by one gear.

    ``C`` are the blocks of compliance one after the other, (n_strips, n_strips, n_dof, n_dof) each.
    """
    slot, strip, first = rows.slot, rows.strip, rows.first
    stride, strips = np.uintp(n_dof), np.uintp(n_strips)
    for a in range(m):
        j = index[a]
        slot_j, strip_j, first_j = slot[j, gear], np.uintp(strip[j, gear]), np.uintp(first[j, gear])
        e = force_rows[j, gear]
        for i in range(n):
            slot_i, strip_i, first_i = slot[i, gear], np.uintp(strip[i, gear]), np.uintp(first[i, gear])
            if slot_i <= slot_j:
                block = np.uintp(block_of[slot_i, slot_j])
                start = (((block * strips + strip_i) * strips + strip_j) * stride + first_i) * stride + first_j
                push_forth(C, start, stride, e, out[i, j])
            else:
                block = np.uintp(block_of[slot_j, slot_i])
                start = (((block * strips + strip_j) * strips + strip_i) * stride + first_j) * stride + first_i
                push_back(C, start, stride, e, out[i, j])


@inner_kernel
def push(model, n, rows, force_rows, index, m, out):
    """Displacement of the nodes of n points under the force rows of m of them, by both gears."""
    for gear in range(2):
        body = model.pinion if gear == 0 else model.wheel
        n_dof = body.rows_s.shape[0] * model.n_axes
        push_gear(body.blocks, model.n_strips, n_dof, body.block_of, gear, n, rows, force_rows, index, m, out[gear])


@inner_kernel
def couple(model, n, rows, index, m, coupling):
    """Normal approach of n points by a unit contact force at m of them, columns of G (n, n) [m/N].

    The columns of points that carry no load are never asked for.
    """
    push(model, n, rows, rows.e, index, m, coupling.pushed)
    one, two = coupling.pushed[0], coupling.pushed[1]
    for a in range(m):
        j = index[a]
        for i in range(n):
            coupling.G[i, j] = dot(rows.b[i, 0], one[i, j]) + dot(rows.b[i, 1], two[i, j])


# ----------------------------------------------------------------------------------- loads
@inner_kernel
def solve_in_place(A, x, n, m):
    """Solve A x = x for m right-hand sides by elimination with row exchange; A (n, n), x (n, m) are overwritten.

    They are the first rows and columns of larger buffers. A dozen unknowns: LAPACK's calls would take longer.
    """
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            for j in range(m):
                x[k, j], x[pivot, j] = x[pivot, j], x[k, j]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
                for j in range(m):
                    x[i, j] -= factor * x[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(m):
            total = x[k, j]
            for i in range(k + 1, n):
                total -= A[k, i] * x[i, j]
            x[k, j] = total / A[k, k]


@inner_kernel
def list_active(n, active, index):
    """List the loaded ones of n points; returns how many there are."""
    count = 0
    for i in range(n):
        if active[i]:
            index[count] = i
            count += 1
    return count


@inner_kernel
def gap_under_load(n, table, G, force, i):
    """Gap of point i with the displacement of all loads, without its own approach [m]."""
    total = table[i, GAP]
    for j in range(n):
        if force[j] > 0.0:
            total += G[i, j] * force[j]
    return total


@inner_kernel
def take_up(found, length, width, first_pair, memory, loads, warm):
    """Start from the loads of the last evaluation; its teeth may have moved on by some slots.

    ``warm`` (n_pairs,) is work space. Returns the largest overlap [m].
    """
    n_pairs = memory.line_load.shape[1]
    shift = first_pair - memory.first_pair[0]
    overlap = 0.0
    for slot in range(n_pairs):
        warm[slot] = 0
    for i in range(found.count[0]):
        slot, force = found.pair_of[i] + shift, 0.0
        loads.strips[i, 0], loads.strips[i, 1] = 0.0, 0.0
        if 0 <= slot < n_pairs:
            number, k = found.side_of[i], found.slice_of[i]
            force = memory.line_load[number, slot, k] * length
            loads.strips[i, 0], loads.strips[i, 1] = (
                memory.strips[number, slot, k, 0],
                memory.strips[number, slot, k, 1],
            )
        if force > 0.0:
            warm[found.pair_of[i]] = 1
        loads.force[i] = force
        overlap = max(overlap, -found.table[i, GAP])
    for i in range(found.count[0]):
        if loads.force[i] <= 0.0 and found.table[i, GAP] < 0.0 and warm[found.pair_of[i]] == 0:
            loads.force[i] = FIRST_STIFFNESS * width * -found.table[i, GAP]
        loads.active[i] = loads.force[i] > 0.0
    return overlap


@inner_kernel
def keep(found, length, first_pair, loads, memory):
    """Keep the loads for the next evaluation."""
    memory.first_pair[0] = first_pair
    memory.line_load[:] = 0.0
    for i in range(found.count[0]):
        number, slot, k = found.side_of[i], found.pair_of[i], found.slice_of[i]
        memory.line_load[number, slot, k] = loads.force[i] / length
        memory.strips[number, slot, k, 0], memory.strips[number, slot, k, 1] = loads.strips[i, 0], loads.strips[i, 1]


@inner_kernel
def newton_step(n_all, table, G, length, index, n, loads):
    """One Newton step of the loads of n active points; those that open leave.

    Returns the largest change relative to the largest load, and whether a point opened; the largest residual [m] is
    left in ``loads.misfit``.
    """
    change, matrix, force = loads.change, loads.matrix, loads.force
    residual, n_x = 0.0, 1
    for a in range(n):
        i = index[a]
        gap = gap_under_load(n_all, table, G, force, i)
        misfit = loads.approach[i, 0] + gap
        residual = max(residual, abs(misfit))
        change[a, 0], change[a, 1] = -misfit, gap
        for c in range(n):
            matrix[a, c] = G[i, index[c]]
        matrix[a, a] += loads.approach[i, 1] / length
    loads.misfit[0] = residual
    solve_in_place(matrix, change, n, n_x)
    largest, step, opened = 1e-300, 0.0, False
    for a in range(n):
        i = index[a]
        before = force[i]
        new = before + change[a, 0]
        # far below zero: the linear forecast is clear
        if (new <= 0.0 and change[a, 1] - G[i, i] * before >= 0.0) or new < -before:
            new, opened = 0.0, True
            loads.active[i], loads.opens[i] = 0, 1
        else:
            new = max(new, SOFTENING * before)
        largest, step = max(largest, new), max(step, abs(new - before))
        force[i] = new
    return step / largest, opened


@inner_kernel
def list_closing(n, table, G, limit, one_by_one, loads):
    """List the open points that the displacement of the loads closes, with their overlaps in ``change``."""
    count = 0
    for i in range(n):
        if not loads.active[i] and not loads.opens[i]:
            gap = gap_under_load(n, table, G, loads.force, i)
            if gap < -limit:
                loads.closes[count] = i
                loads.change[i, 0] = -gap
                count += 1
                if one_by_one:
                    break
    return count


@inner_kernel
def set_line_loads(index, n, loads, factor):
    """Line loads [N/m] of n points: their forces times a factor [1/m]."""
    for a in range(n):
        loads.line_load[index[a]] = loads.force[index[a]] * factor


@inner_kernel
def find_loads(model, found, rows, coupling, loads, scale):
    """Active set with Newton: forces [N] with gap + approach + G F = 0 where F > 0, open elsewhere.

    ``scale`` is the largest overlap [m]. Returns the number of iterations, or NOT_SETTLED.
    """
    n, length, index, G = found.count[0], model.length, loads.index, coupling.G
    before = np.inf
    couple(model, n, rows, index, list_active(n, loads.active, index), coupling)
    for iteration in range(ITERATIONS):
        for i in range(n):
            loads.opens[i] = 0
        active = list_active(n, loads.active, index)
        set_line_loads(index, active, loads, 1.0 / length)
        approaches(model, found, index, active, loads.line_load, loads.strips, loads.approach)
        relative, opened = newton_step(n, found.table, G, length, index, active, loads)
        closing = list_closing(n, found.table, G, TOLERANCE * scale, iteration >= PATIENCE, loads)
        if closing:
            couple(model, n, rows, loads.closes, closing, coupling)
            for a in range(closing):
                i = loads.closes[a]
                loads.line_load[i] = SMALL_LOAD
                loads.trial_strips[i, 0] = 0.0
            approaches(model, found, loads.closes, closing, loads.line_load, loads.trial_strips, loads.approach)
            for a in range(closing):
                i = loads.closes[a]
                loads.force[i] = max(loads.change[i, 0] * length / loads.approach[i, 1], 1e-12)
                loads.active[i] = 1
        elif not opened and (relative < LOAD_TOLERANCE or 0.5 * before < relative < ROUND_OFF):
            return iteration + 1
        before = relative
    return NOT_SETTLED


# --------------------------------------------------------------------------------- answers
@inner_kernel
def torques(found, mu, force, answer):
    """Torques by pair and in all: moments of the contact forces on the undeformed geometry."""
    answer.pair_torque[:] = 0.0
    for i in range(found.count[0]):
        for x in range(2):
            arm = found.table[i, G_X + x] + mu[i] * found.table[i, L_X + x]
            answer.pair_torque[found.pair_of[i], x] += force[i] * arm
    for x in range(2):
        answer.torque[x] = 0.0
        for slot in range(answer.pair_torque.shape[0]):
            answer.torque[x] += answer.pair_torque[slot, x]


@inner_kernel
def bent(b_x, pushed, force, index, n, i, x):
    """b_x C f of point i: the displacement of all loads along the row that the rotation x has turned [m/rad]."""
    total = 0.0
    for c in range(n):
        j = index[c]
        total += force[j] * (dot(b_x[i, 0, x], pushed[0, i, j]) + dot(b_x[i, 1, x], pushed[1, i, j]))
    return total


@inner_kernel
def turned_forces(rows, pushed, force, index, n, i, x, rubs, mu_x):
    """b C f_x of point i: its normal displacement by the change of the nodal forces at constant loads [m/rad].

    ``x`` 0, 1 are rotations, 2, 3 speeds; ``mu_x`` (n, 4) the change of the coefficient of friction. The compliance is
    symmetric, so the displacement ``pushed`` under a unit normal load at i is used.
    """
    total = 0.0
    for c in range(n):
        j = index[c]
        for gear in range(2):
            u = pushed[gear, j, i]
            if x < 2:
                total += force[j] * dot(rows.b_x[j, gear, x], u)
                if rubs:
                    total += force[j] * rows.mu[j] * dot(rows.t_x[j, gear, x], u)
            if rubs:
                total += force[j] * mu_x[c, x] * dot(rows.t[j, gear], u)
    return total


@inner_kernel
def turned_friction(omega, found, mu_v, index, n, mu_x):
    """Change of the coefficients of friction of n points with rotations and speeds, ``mu_x`` (n, 4)."""
    for a in range(n):
        table = found.table[index[a]]
        for x in range(2):
            slip = table[L_XX + x] * omega[0] + table[L_XX + 2 + x] * omega[1]
            mu_x[a, x] = mu_v[index[a]] * slip
            mu_x[a, 2 + x] = mu_v[index[a]] * table[L_X + x]


@inner_kernel
def turned_loads(found, rows, coupling, loads, index, n, length, rubs):
    """Change of the loads of n points with rotations and speeds, into ``loads.change`` (n, 4)."""
    change, matrix = loads.change, loads.matrix
    pushed = coupling.normal_pushed if rubs else coupling.pushed
    n_x = 4 if rubs else 2
    for a in range(n):
        i = index[a]
        table = found.table[i]
        for x in range(n_x):
            change[a, x] = -turned_forces(rows, pushed, loads.force, index, n, i, x, rubs, loads.mu_x)
            if x < 2:
                by_place = loads.approach[i, 2] * table[S_X + x] + loads.approach[i, 3] * table[S_X + 2 + x]
                change[a, x] -= table[G_X + x] + by_place
                change[a, x] -= bent(rows.b_x, coupling.pushed, loads.force, index, n, i, x)
        for c in range(n):
            matrix[a, c] = coupling.G[i, index[c]]
        matrix[a, a] += loads.approach[i, 1] / length
    solve_in_place(matrix, change, n, n_x)


@inner_kernel
def tangents(found, rows, loads, index, n, n_x, answer):
    """Consistent derivatives of the torques with respect to rotations and speeds (README, section 6)."""
    answer.torque_phi[:] = 0.0
    answer.torque_omega[:] = 0.0
    for a in range(n):
        i = index[a]
        table, force, mu = found.table[i], loads.force[i], rows.mu[i]
        for y in range(2):
            arm = table[G_X + y] + mu * table[L_X + y]
            for x in range(n_x):
                term = arm * loads.change[a, x] + force * loads.mu_x[a, x] * table[L_X + y]
                if x < 2:
                    at = 2 * y + x
                    answer.torque_phi[y, x] += term + force * (table[G_XX + at] + mu * table[L_XX + at])
                else:
                    answer.torque_omega[y, x - 2] += term


@inner_kernel
def energies(model, found, rows, coupling, loads, index, n, answer):
    """Strain energy of both bodies and of the layers [J], and minus its derivatives (README, section 6).

    ``loads.approach`` holds the approaches before, and the works of the layers after it.
    """
    answer.energy[:] = 0.0
    for a in range(n):
        i = index[a]
        force, table, elastic = loads.force[i], found.table[i], 0.0
        for c in range(n):
            j = index[c]
            for gear in range(2):
                elastic += loads.force[j] * dot(rows.e[i, gear], coupling.pushed[gear, i, j])
        answer.energy[0] += (0.5 * elastic + loads.approach[i, 0]) * force
        for x in range(2):
            turned = bent(rows.b_x, coupling.pushed, loads.force, index, n, i, x)
            answer.energy[1 + x] += force * (table[G_X + x] + turned)
    set_line_loads(index, n, loads, 1.0 / model.length)
    layer_works(model, found, index, n, loads.line_load, loads.strips, GAUSS_POINTS, GAUSS_WEIGHTS, loads.approach)
    for a in range(n):
        i = index[a]
        work, table = loads.approach[i], found.table[i]
        answer.energy[0] -= model.length * work[0]
        for x in range(2):
            answer.energy[1 + x] += model.length * (work[1] * table[S_X + x] + work[2] * table[S_X + 2 + x])


@kernel
def record_loaded(found, rows, loads, sample, record):
    """Append the loaded points of one sample to a record; its size is up to the caller."""
    m = record.count[0]
    for i in range(found.count[0]):
        if loads.force[i] > 0.0:
            record.sample[m] = sample
            record.side_of[m], record.pair_of[m], record.slice_of[m] = (
                found.side_of[i],
                found.pair_of[i],
                found.slice_of[i],
            )
            for column in range(N_COLUMNS):
                record.table[m, column] = found.table[i, column]
            for gear in range(2):
                record.slot[m, gear], record.first[m, gear] = rows.slot[i, gear], rows.first[i, gear]
                for q in range(rows.e.shape[2]):
                    record.e[m, gear, q] = rows.e[i, gear, q]
            record.force[m], record.half_width[m], record.mu[m] = loads.force[i], loads.strips[i, 0], rows.mu[i]
            m += 1
    record.count[0] = m


@kernel
def nodal_forces(sample, slice_of, first, e, force, gear, n_axes, n_cols, offset, first_col, weight, out):
    """Add the contact forces of one gear to the nodes of its tooth faces, ``out`` (samples, n_dof) [N].

    ``offset`` (n,) first degree of freedom of the face of each point; ``first_col``, ``weight`` the mean over a slice.
    """
    for i in range(sample.shape[0]):
        k = slice_of[i]
        first_row = first[i, gear] // n_axes
        for row in range(ROWS):
            for c in range(weight.shape[1]):
                node = offset[i] + 3 * ((first_row + row) * n_cols + first_col[k] + c)
                for axis in range(n_axes):
                    share = e[i, gear, row * n_axes + axis] * weight[k, c]
                    out[sample[i], node + axis] += force[i] * share


@kernel
def evaluate(model, phi, omega, first_pair, wanted, memory, points, answer):
    """Contact of one pair of rotations: loads of all slices, torques, and TANGENT or ENERGY where they are wanted.

    Returns
    -------
    int : iterations of the loads, 0 where nothing touches, NOT_SETTLED if the active set does not settle.
    """
    found, rows, coupling, loads = points.found, points.rows, points.coupling, points.loads
    find_candidates(model, phi, first_pair, REACH_FLOOR, found)
    scale = take_up(found, model.length, model.width, first_pair, memory, loads, found.row_of)
    n, index, iterations = 0, loads.index, 0
    if scale > 0.0:
        displacement_rows(model, found, rows)
        force_rows(model.friction, omega, found, rows)
        iterations = find_loads(model, found, rows, coupling, loads, scale)
        if iterations == NOT_SETTLED:
            return iterations
        n = list_active(found.count[0], loads.active, index)
        set_line_loads(index, n, loads, 1.0 / model.length)
        approaches(model, found, index, n, loads.line_load, loads.strips, loads.approach)
    else:
        found.count[0] = 0
    keep(found, model.length, first_pair, loads, memory)
    torques(found, rows.mu, loads.force, answer)
    if wanted in (TANGENT, BOTH):
        rubs = model.friction.kind != 0
        if rubs:
            push(model, found.count[0], rows, rows.b, index, n, coupling.normal_pushed)
        turned_friction(omega, found, rows.mu_v, index, n, loads.mu_x)
        turned_loads(found, rows, coupling, loads, index, n, model.length, rubs)
        tangents(found, rows, loads, index, n, 4 if rubs else 2, answer)
    if wanted in (ENERGY, BOTH):
        energies(model, found, rows, coupling, loads, index, n, answer)
    return iterations
