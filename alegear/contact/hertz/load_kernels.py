"""Compiled: loads of all slices, torques, tangents, energy (``README.md`` of this folder, sections 3, 5 and 6)."""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.approach_kernels import find_candidates
from alegear.contact.hertz.model_kernels import (
    EASE,
    EASE_X,
    FRAME,
    G_X,
    G_XX,
    GAP,
    L_X,
    L_XX,
    N_COLUMNS,
    N_TILES,
    NX,
    NY,
    PLACES,
    ROWS,
    S_X,
    SIGN,
    TILE_BITS,
    TURN_X,
    S,
)
from alegear.contact.hertz.strip_kernels import (
    approach_beside,
    approaches,
    distance_between,
    interval,
    layer_works,
    share_slice,
    strip_of,
    whole_approaches,
)
from alegear.kernel_cache import kernel, lean_kernel

REACH_FLOOR = 2e-6  # gaps up to this [m] beyond the deepest overlaps are candidates
ITERATIONS = 100  # of the active set with Newton; three to five are usual
PATIENCE = 20  # iterations after which points change sides one by one
TOLERANCE = 1e-13  # of the largest overlap: a point that is open by less is left alone
LOAD_TOLERANCE = 1e-14  # of the largest load: the step that would follow, shrunk as the last one was
ROUND_OFF = 1e-8  # near an edge strips are known to some 1e-11: a step as small as this that does not fall is the last
SOFTENING = 0.05  # a load falls to no less than this part of itself in one step, unless the point opens
FORECAST = 0.5  # a forecast load is no less than this part of the last one, and no more than as many times
FIRST_STIFFNESS = 10e9  # load per width and overlap for the first guess [N/m^2]
SMALL_LOAD = 10.0  # line load [N/m] of points that close
# Gauss's rule with six points on 0 ... 1
GAUSS_POINTS = 0.5 * (1.0 + np.polynomial.legendre.leggauss(6)[0])
GAUSS_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(6)[1]
PANEL = 16  # columns of a matrix that are eliminated together
FEW = 48  # unknowns whose matrix stays in the fastest memory
NOT_SETTLED, NO_ROOM = -1, -2
TANGENT, ENERGY, QUICK, AGAIN = 1, 2, 4, 8  # what is wanted of an evaluation; they add up
ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)
NONE, SINGLE = np.int64(0), np.int64(1)  # for numbers as they are written kernels would be compiled once more each
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: neighbouring places are dealt out far from each other


# ------------------------------------------------------------------- rows of displacement
@lean_kernel
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


@lean_kernel
def displacement_rows(model, found, rows):
    """Rows of displacement of all points by the nodes of both gears."""
    one, two, n_axes = model.pinion, model.wheel, model.n_axes
    for p in range(found.count[0]):
        side = model.loaded if found.side_of[p] == 0 else model.back
        k, table = found.slice_of[p], found.table[p]
        rows.slot[0, p], rows.slot[1, p] = found.pair_of[p], found.pair_of[p] + side.wheel_lead
        twin = found.twin[p]
        for gear in range(2):
            rows.strip[gear, p] = side.face[gear] * model.n_slices + k
            if twin < p:
                copy_rows(rows, gear, twin, p)
                continue
            body = one if gear == 0 else two
            first = rows_of_gear(
                gear, side, k, n_axes, body.rows_s, body.coefficients, table,
                rows.b[gear, p], rows.t[gear, p], rows.b_x[gear, p], rows.t_x[gear, p],
            )  # fmt: skip
            rows.first[gear, p] = first * n_axes


@lean_kernel
def given_way(model, rows, gear, i, row):
    """Given displacement of the nodes of point i of one gear along a row (4 rows x axes)."""
    given = model.pinion.given if gear == 0 else model.wheel.given
    u, first = given[rows.slot[gear, i], rows.strip[gear, i]], rows.first[gear, i]
    total = 0.0
    for q in range(row.shape[0]):
        total += row[q] * u[first + q]
    return total


@lean_kernel
def farthest_ahead(model, ahead):
    """No gap closes by more on the way that the rotations are ahead [m]: that of both tips."""
    pinion, wheel = model.loaded.pinion.polar, model.loaded.wheel.polar
    last = pinion.shape[1] - 1  # on the tip circle, in every slice
    return abs(ahead[0]) * pinion[0, last, 0] + abs(ahead[1]) * wheel[0, last, 0]


@lean_kernel
def take_ahead(found, ahead):
    """Change the gaps of all points as the rotations ``ahead`` (2,) [rad] would, the points staying where they are.

    ``found.ahead`` are those that the gaps are ahead by already.
    """
    ahead_1, ahead_2 = ahead[0] - found.ahead[0], ahead[1] - found.ahead[1]
    for i in range(found.count[0]):
        table = found.table[i]
        table[GAP] += table[G_X] * ahead_1 + table[G_X + 1] * ahead_2
    found.ahead[0], found.ahead[1] = ahead[0], ahead[1]


@lean_kernel
def open_gaps(model, found, rows):
    """Open the gaps of all points by the given displacements of both gears."""
    for i in range(found.count[0]):
        for gear in range(2):
            found.table[i, GAP] += given_way(model, rows, gear, i, rows.b[gear, i])


@lean_kernel
def copy_rows(rows, gear, one, two):
    """Rows of displacement of a point with the same place, normal and frame as another."""
    rows.first[gear, two] = rows.first[gear, one]
    b, t, b_x, t_x = rows.b[gear], rows.t[gear], rows.b_x[gear], rows.t_x[gear]
    for q in range(b.shape[1]):
        b[two, q], t[two, q] = b[one, q], t[one, q]
        for x in range(2):
            b_x[two, x, q], t_x[two, x, q] = b_x[one, x, q], t_x[one, x, q]


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


# ------------------------------------------------------------------------------ compliance
@lean_kernel(fastmath={"reassoc", "contract"})  # sums of a dozen products, in any order
def dot(a, b):
    """Sum of the products of two short vectors, four by four.

    Places have no sign, here and below: those with one are looked at for counting from the end.
    """
    total = 0.0
    for q in range(0, a.shape[0], 4):
        i = np.uintp(q)
        total += a[i] * b[i] + a[i + ONE] * b[i + ONE] + a[i + TWO] * b[i + TWO] + a[i + THREE] * b[i + THREE]
    return total


@lean_kernel(fastmath={"reassoc", "contract"})
def dot_from(C, start, e):
    """Sum of the products of a short vector and as many numbers of C."""
    total = 0.0
    for q in range(0, e.shape[0], 4):
        at = start + np.uintp(q)
        total += C[at] * e[q] + C[at + ONE] * e[q + 1] + C[at + TWO] * e[q + 2] + C[at + THREE] * e[q + 3]
    return total


@lean_kernel(fastmath={"reassoc", "contract"})
def push_two(C, start, stride, e_i, e_j, u_i, u_j):
    """Displacements of the nodes of two points by each other's unit force, u_i = C e_j and u_j = C^T e_i.

    C begins at ``start`` and has a row every ``stride`` numbers; it is read once, in columns of four, so that u_j stays
    in registers.
    """
    for q in range(0, u_j.shape[0], 4):
        f_0, f_1, f_2, f_3 = e_j[q], e_j[q + 1], e_j[q + 2], e_j[q + 3]
        a_0, a_1, a_2, a_3 = 0.0, 0.0, 0.0, 0.0
        at = start + np.uintp(q)
        for p in range(u_i.shape[0]):
            force = e_i[p]
            c_0, c_1, c_2, c_3 = C[at], C[at + ONE], C[at + TWO], C[at + THREE]
            total = (c_0 * f_0 + c_1 * f_1) + (c_2 * f_2 + c_3 * f_3)
            u_i[p] = total if q == 0 else u_i[p] + total
            a_0 += c_0 * force
            a_1 += c_1 * force
            a_2 += c_2 * force
            a_3 += c_3 * force
            at += stride
        u_j[q], u_j[q + 1], u_j[q + 2], u_j[q + 3] = a_0, a_1, a_2, a_3


@lean_kernel(fastmath={"reassoc", "contract"})
def bilinear(C, start, stride, a, b):
    """a C b for the part of C that begins at ``start``, in columns of four."""
    total = 0.0
    for q in range(0, b.shape[0], 4):
        a_0, a_1, a_2, a_3 = 0.0, 0.0, 0.0, 0.0
        at = start + np.uintp(q)
        for p in range(a.shape[0]):
            factor = a[p]
            a_0 += C[at] * factor
            a_1 += C[at + ONE] * factor
            a_2 += C[at + TWO] * factor
            a_3 += C[at + THREE] * factor
            at += stride
        total += (a_0 * b[q] + a_1 * b[q + 1]) + (a_2 * b[q + 2] + a_3 * b[q + 3])
    return total


@lean_kernel
def copy_tile(C, start, stride, n, begin, part):
    """Copy the n rows and columns of C that begin at ``start`` to ``begin`` of ``part``."""
    for _ in range(n):
        for q in range(n):
            part[begin + np.uintp(q)] = C[start + np.uintp(q)]
        begin += np.uintp(n)
        start += stride


@lean_kernel
def blend_tile(body, block, strip_i, strip_j, first_i, first_j, stride, n, begin, part):
    """The same of two slices of teeth apart, put together from what stands between their splines."""
    size = np.uintp(n)
    for q in range(n * n):
        part[begin + np.uintp(q)] = 0.0
    C, m = body.smooth, np.uintp(body.n_smooth)
    for a in range(body.smooth_weight.shape[1]):
        for c in range(body.smooth_weight.shape[1]):
            share = body.smooth_weight[strip_i, a] * body.smooth_weight[strip_j, c]
            if share != 0.0:
                one, two = np.uintp(body.smooth_first[strip_i] + a), np.uintp(body.smooth_first[strip_j] + c)
                row = ((np.uintp(block - 1) * m + one) * m + two) * stride + np.uintp(first_i)
                source, to = row * stride + np.uintp(first_j), begin
                for _ in range(n):
                    for q in range(n):
                        part[to + np.uintp(q)] += share * C[source + np.uintp(q)]
                    to += size
                    source += stride


@lean_kernel(forceinline=True)
def tile_of(body, n_strips, n_dof, place, part, block, strip_i, strip_j, first_i, first_j, n):
    """Where in ``part`` the compliance between the nodes of two points stands; if it does not yet, it is copied.

    ``block`` is that of their slots, that of i not after that of j. What stood in the same place before is overwritten.
    Places of all slices of two teeth that touch between the same rows lie together, and one after the other as they are
    asked for; where they begin is dealt out by a product with the golden ratio. Looked up for each pair of loaded
    points in each evaluation, so that it must not be a call.
    """
    stride, strips, size = np.uintp(n_dof), np.uintp(n_strips), np.uintp(n)
    line = np.uintp(strip_i) * strips + np.uintp(strip_j)
    start = ((np.uintp(block) * strips * strips + line) * stride + np.uintp(first_i)) * stride + np.uintp(first_j)
    name = np.uint64(start) + np.uint64(1)  # among blocks of slices, blended or not
    rows = np.uint64((np.uintp(block) * stride + np.uintp(first_i)) * stride + np.uintp(first_j))
    slot = (np.uintp((rows * np.uint64(GOLDEN)) >> np.uint64(64 - TILE_BITS)) + line) & np.uintp(N_TILES - 1)
    begin = slot * size * size
    if place[slot] != name:
        place[slot] = name
        if body.n_smooth > 0 and block > 0:
            blend_tile(body, block, strip_i, strip_j, first_i, first_j, stride, n, begin, part)
        else:
            copy_tile(body.blocks, start, stride, n, begin, part)
    return begin


@lean_kernel
def push_gear(body, n_strips, n_dof, place, part, slot, strip, first, force_rows, index, m, out):
    """Displacement ``out[i, j]`` of the nodes of each of m points under the force row of each other, by one gear.

    ``place`` and ``part`` are those of `Tiles`.
    """
    n, block_of = force_rows.shape[1], body.block_of
    for a in range(m):
        for c in range(a + 1):
            i, j = index[a], index[c]
            if slot[i] > slot[j]:
                i, j = j, i
            block = block_of[slot[i], slot[j]]
            start = tile_of(body, n_strips, n_dof, place, part, block, strip[i], strip[j], first[i], first[j], n)
            if i == j:
                u = out[i, i]
                for p in range(n):
                    u[p] = dot_from(part, start + np.uintp(p * n), force_rows[i])
            else:
                push_two(part, start, np.uintp(n), force_rows[i], force_rows[j], out[i, j], out[j, i])


@lean_kernel
def couple_gear(body, n_strips, n_dof, place, part, slot, strip, first, b, e, i, index, m, G):
    """Add what one gear gives to the normal approach of point i by a unit contact force at each of m points."""
    n, block_of = b.shape[1], body.block_of
    for c in range(m):
        j = index[c]
        one, two, row_1, row_2 = i, j, b[i], e[j]
        if slot[i] > slot[j]:
            one, two, row_1, row_2 = j, i, e[j], b[i]
        block = block_of[slot[one], slot[two]]
        start = tile_of(
            body, n_strips, n_dof, place, part, block, strip[one], strip[two], first[one], first[two], n
        )  # fmt: skip
        G[i, j] += bilinear(part, start, np.uintp(n), row_1, row_2)


@lean_kernel
def push(model, rows, tiles, force_rows, index, m, out):
    """Displacement of the nodes of m points under each other's force rows, by both gears, into ``out``."""
    for gear in range(2):
        body = model.pinion if gear == 0 else model.wheel
        push_gear(
            body, model.n_strips, body.rows_s.shape[0] * model.n_axes,
            tiles.place[gear], tiles.part[gear],
            rows.slot[gear], rows.strip[gear], rows.first[gear], force_rows[gear], index, m, out[gear],
        )  # fmt: skip


@lean_kernel
def couple(model, found, rows, index, m, coupling):
    """Normal approach of m points by a unit contact force at each other, G [m/N], from what they push."""
    one, two, b_1, b_2 = coupling.pushed[0], coupling.pushed[1], rows.b[0], rows.b[1]
    for a in range(m):
        i = index[a]
        for c in range(m):
            j = index[c]
            coupling.G[i, j] = dot(b_1[i], one[i, j]) + dot(b_2[i], two[i, j])
            if share_slice(found, i, j):
                coupling.G[i, j] += approach_beside(model, found, i, j)[0] / model.length


@lean_kernel
def couple_point(model, found, rows, tiles, i, index, m, G):
    """Normal approach of a point that is not active by a unit contact force at m others."""
    for c in range(m):
        j = index[c]
        G[i, j] = approach_beside(model, found, i, j)[0] / model.length if share_slice(found, i, j) else 0.0
    for gear in range(2):
        body = model.pinion if gear == 0 else model.wheel
        couple_gear(
            body, model.n_strips, body.rows_s.shape[0] * model.n_axes,
            tiles.place[gear], tiles.part[gear],
            rows.slot[gear], rows.strip[gear], rows.first[gear], rows.b[gear], rows.e[gear], i, index, m, G,
        )  # fmt: skip


@lean_kernel
def couple_others(model, found, n, rows, active, index, m, coupling):
    """Normal approach of those of n points that are not active by a unit contact force at m others."""
    for i in range(n):
        if not active[i]:
            couple_point(model, found, rows, coupling.tiles, i, index, m, coupling.G)


# ----------------------------------------------------------------------------------- loads
@lean_kernel
def subtract_row(a, b, factor, first, end):
    """a -= factor b between two places, four by four."""
    j, stop = np.uintp(first), np.uintp(end)
    while j + FOUR <= stop:
        # all are read before the first is written, for the compiler does not know that a and b lie apart
        a_0, a_1, a_2, a_3 = a[j], a[j + ONE], a[j + TWO], a[j + THREE]
        b_0, b_1, b_2, b_3 = b[j], b[j + ONE], b[j + TWO], b[j + THREE]
        a[j], a[j + ONE] = a_0 - factor * b_0, a_1 - factor * b_1
        a[j + TWO], a[j + THREE] = a_2 - factor * b_2, a_3 - factor * b_3
        j += FOUR
    while j < stop:
        a[j] -= factor * b[j]
        j += ONE


@lean_kernel
def subtract_rows(B, factors, row, low, high, first, end):
    """Subtract rows low ... high - 1 of B, each by its factor, one after the other, from another row.

    Four rows are taken at a time, so that what they are subtracted from is read and written once for them.
    """
    a = B[row]
    while low + 4 <= high:
        f_0, f_1, f_2, f_3 = factors[low], factors[low + 1], factors[low + 2], factors[low + 3]
        b_0, b_1, b_2, b_3 = B[low], B[low + 1], B[low + 2], B[low + 3]
        j, stop = np.uintp(first), np.uintp(end)
        while j + FOUR <= stop:
            one, two, three = j + ONE, j + TWO, j + THREE
            p, q, r, s = a[j], a[one], a[two], a[three]
            p, q, r, s = p - f_0 * b_0[j], q - f_0 * b_0[one], r - f_0 * b_0[two], s - f_0 * b_0[three]
            p, q, r, s = p - f_1 * b_1[j], q - f_1 * b_1[one], r - f_1 * b_1[two], s - f_1 * b_1[three]
            p, q, r, s = p - f_2 * b_2[j], q - f_2 * b_2[one], r - f_2 * b_2[two], s - f_2 * b_2[three]
            p, q, r, s = p - f_3 * b_3[j], q - f_3 * b_3[one], r - f_3 * b_3[two], s - f_3 * b_3[three]
            a[j], a[one], a[two], a[three] = p, q, r, s
            j += FOUR
        while j < stop:
            a[j] = a[j] - f_0 * b_0[j] - f_1 * b_1[j] - f_2 * b_2[j] - f_3 * b_3[j]
            j += ONE
        low += 4
    while low < high:
        subtract_row(a, B[low], factors[low], first, end)
        low += 1


@lean_kernel
def solve_in_place(A, x, n, m):
    """Solve A x = x for m right-hand sides by elimination with row exchange; A (n, n), x (n, m) are overwritten.

    They are the first rows and columns of larger buffers. A dozen unknowns as a rule: LAPACK's calls would take longer.
    Of many unknowns columns are eliminated PANEL at a time, the rest of each row after them in one go: the matrix is
    too large to be gone through for each.
    """
    panel = PANEL if n > FEW else FEW
    for start in range(0, n, panel):
        end = min(start + panel, n)
        for k in range(start, end):
            pivot = k
            for i in range(k + 1, n):
                if abs(A[i, k]) > abs(A[pivot, k]):
                    pivot = i
            if pivot != k:
                for j in range(start, n):
                    A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
                for j in range(m):
                    x[k, j], x[pivot, j] = x[pivot, j], x[k, j]
            for i in range(k + 1, n):
                A[i, k] /= A[k, k]
                subtract_row(A[i], A[k], A[i, k], k + 1, end)
        for i in range(start + 1, n):
            if end < n:
                subtract_rows(A, A[i], i, start, min(i, end), end, n)
            subtract_rows(x, A[i], i, start, min(i, end), NONE, m)
    for k in range(n - 1, -1, -1):
        for j in range(m):
            total = x[k, j]
            for i in range(k + 1, n):
                total -= A[k, i] * x[i, j]
            x[k, j] = total / A[k, k]


@lean_kernel
def list_active(n, active, index):
    """List the loaded ones of n points; returns how many there are."""
    count = 0
    for i in range(n):
        if active[i]:
            index[count] = i
            count += 1
    return count


@lean_kernel
def gap_under_load(n, table, G, force, i):
    """Gap of point i with the displacement of all loads, without its own approach [m]."""
    total = table[i, GAP]
    for j in range(n):
        if force[j] > 0.0:
            total += G[i, j] * force[j]
    return total


@lean_kernel
def join_places(model, found):
    """Open the gap for good of points that lie in the strip of a nearer one in their slice: both are one contact.

    Two equal strips press into each other less than into their own middles, so that there is one answer only, from half
    a half-width of distance on: W(2 sqrt(e) d) < dw/dq = W(b) - dW/d(ln 1/b)/2. The half-width is that under the load
    which a first guess gives to the overlap, so that what is one contact depends on the gaps, not on the loads.
    """
    for i in range(found.count[0]):
        if found.place_of[i] == 0:
            continue
        for j in range(found.count[0]):
            if found.place_of[j] >= found.place_of[i] or not share_slice(found, i, j):
                continue
            near, far = (i, j) if found.table[i, GAP] < found.table[j, GAP] else (j, i)
            if found.table[near, GAP] >= 0.0 or found.table[far, GAP] == np.inf:
                continue
            load = FIRST_STIFFNESS * -found.table[near, GAP]
            apart = 2.0 * distance_between(found, i, j)
            if apart < strip_of(model, found, near, load) or apart < strip_of(model, found, far, load):
                found.table[far, GAP] = np.inf


@lean_kernel
def name_heirs(found, memory, shift):
    """Which point of a pair in a slice is nearest to each place that carried load before, into ``found.heir``."""
    n_pairs, heir, distance = memory.line_load.shape[1], found.heir, found.distance
    for again in range(2):
        for i in range(found.count[0]):
            slot = found.pair_of[i] + shift
            if not 0 <= slot < n_pairs or found.table[i, GAP] == np.inf:
                continue
            number, k, s = found.side_of[i], found.slice_of[i], found.table[i, S]
            for place in range(PLACES):
                if again == 0:
                    distance[number, slot, k, place] = np.inf
                elif abs(s - memory.s[number, slot, k, place]) < distance[number, slot, k, place]:
                    heir[number, slot, k, place] = i
                    distance[number, slot, k, place] = abs(s - memory.s[number, slot, k, place])


@lean_kernel
def mean_overlap(overlap, ease):
    """Mean over a slice of an overlap [m], its own and ``ease`` more and less at both ends, where there is one."""
    if overlap >= ease:
        return overlap
    deepest = max(overlap + ease, 0.0)
    return 0.25 * deepest * deepest / ease


@lean_kernel
def take_up(model, found, phi, first_pair, memory, loads):
    """Start from the loads of the last evaluation, carried on with the rotations; its teeth may have moved on by slots.

    Returns the largest overlap [m].
    """
    n_pairs, warm = memory.line_load.shape[1], loads.index
    shift = first_pair - memory.first_pair[0]
    turn_1 = phi[0] - memory.phi[0] + shift * model.pinion.place[2]
    turn_2 = phi[1] - memory.phi[1] + shift * model.wheel.place[2]
    overlap = 0.0
    for slot in range(n_pairs):
        warm[slot] = 0
    name_heirs(found, memory, shift)
    for i in range(found.count[0]):
        slot, force = found.pair_of[i] + shift, 0.0
        loads.strips[i, 0], loads.strips[i, 1], loads.rate[i, 0], loads.rate[i, 1] = 0.0, 0.0, 0.0, 0.0
        if 0 <= slot < n_pairs:
            number, k = found.side_of[i], found.slice_of[i]
            for place in range(PLACES):
                before = memory.line_load[number, slot, k, place]
                if before > 0.0 and found.heir[number, slot, k, place] == i:
                    for x in range(2):
                        loads.strips[i, x] = memory.strips[number, slot, k, place, x]
                        loads.rate[i, x] = memory.rate[number, slot, k, place, x]
                    now = before + loads.rate[i, 0] * turn_1 + loads.rate[i, 1] * turn_2
                    force = min(max(now, FORECAST * before), before / FORECAST) * model.length
        if force > 0.0:
            warm[found.pair_of[i]] = 1
        loads.force[i] = force
        overlap = max(overlap, found.table[i, EASE] - found.table[i, GAP])
    for i in range(found.count[0]):
        mean = mean_overlap(-found.table[i, GAP], found.table[i, EASE])
        if loads.force[i] <= 0.0 and mean > 0.0 and warm[found.pair_of[i]] == 0:
            loads.force[i] = FIRST_STIFFNESS * model.width * mean
        loads.active[i] = loads.force[i] > 0.0
    return overlap


@lean_kernel
def keep(found, length, phi, first_pair, loads, memory):
    """Keep the loads for the next evaluation."""
    memory.phi[0], memory.phi[1], memory.first_pair[0] = phi[0], phi[1], first_pair
    memory.line_load[:] = 0.0
    for i in range(found.count[0]):
        number, slot, k, place = found.side_of[i], found.pair_of[i], found.slice_of[i], found.place_of[i]
        memory.line_load[number, slot, k, place] = loads.force[i] / length
        memory.s[number, slot, k, place] = found.table[i, S]
        for x in range(2):
            memory.strips[number, slot, k, place, x] = loads.strips[i, x]
            memory.rate[number, slot, k, place, x] = loads.rate[i, x]


@lean_kernel
def newton_step(n_all, table, G, length, index, n, loads):
    """One Newton step of the loads of n active points; those that open leave.

    Returns the largest change relative to the largest load, and whether a point opened; the largest residual [m] is
    left in ``loads.misfit``.
    """
    change, matrix, force = loads.change, loads.matrix, loads.force
    residual = 0.0
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
    solve_in_place(matrix, change, n, SINGLE)
    largest, step, opened = 1e-300, 0.0, False
    for a in range(n):
        i = index[a]
        before = force[i]
        new = before + change[a, 0]
        # far below zero: the linear forecast is clear
        if (new <= 0.0 and change[a, 1] - G[i, i] * before >= table[i, EASE]) or new < -before:
            new, opened = 0.0, True
            loads.active[i], loads.opens[i] = 0, 1
        else:
            new = max(new, SOFTENING * before)
        largest, step = max(largest, new), max(step, abs(new - before))
        force[i] = new
    return step / largest, opened


@lean_kernel
def list_closing(n, table, G, limit, one_by_one, loads):
    """List the open points that the displacement of the loads closes somewhere in their slice.

    Their mean overlaps are left in ``change``.
    """
    count = 0
    for i in range(n):
        if not loads.active[i] and not loads.opens[i]:
            gap = gap_under_load(n, table, G, loads.force, i)
            if gap - table[i, EASE] < -limit:
                loads.closes[count] = i
                loads.change[i, 0] = mean_overlap(-gap, table[i, EASE])
                count += 1
                if one_by_one:
                    break
    return count


@lean_kernel
def set_line_loads(index, n, loads, factor):
    """Line loads [N/m] of n points: their forces times a factor [1/m]."""
    for a in range(n):
        loads.line_load[index[a]] = loads.force[index[a]] * factor


@lean_kernel
def couple_active(model, found, n, rows, loads, coupling, quick):
    """Compliance of the active points among themselves, and where it is not ``quick`` of the others to them."""
    index = loads.index
    m = list_active(n, loads.active, index)
    known = 0
    for a in range(m):
        known += coupling.coupled[index[a]]
    if known < m:
        push(model, rows, coupling.tiles, rows.e, index, m, coupling.pushed)
        couple(model, found, rows, index, m, coupling)
        for i in range(n):
            coupling.coupled[i] = loads.active[i]
    if not quick:
        couple_others(model, found, n, rows, loads.active, index, m, coupling)


@lean_kernel
def close_points(model, found, loads, closing):
    """First loads of points that close: their overlap over the slope of the approach at a small load."""
    for a in range(closing):
        i = loads.closes[a]
        loads.line_load[i], loads.trial_strips[i, 0] = SMALL_LOAD, 0.0
    whole_approaches(model, found, loads.closes, closing, loads.line_load, loads.trial_strips, loads.approach)
    for a in range(closing):
        i = loads.closes[a]
        loads.force[i] = max(loads.change[i, 0] * model.length / loads.approach[i, 1], 1e-12)
        loads.active[i] = 1


@lean_kernel
def find_loads(model, found, rows, coupling, loads, scale, quick):
    """Active set with Newton: forces [N] with gap + approach + G F = 0 where F > 0, open elsewhere.

    ``scale`` is the largest overlap [m]; ``quick`` leaves it to `least_open_gap` to look at the open points. Returns
    the number of iterations, or NOT_SETTLED.
    """
    n, length, index, G = found.count[0], model.length, loads.index, coupling.G
    before, closing = 1.0, 0  # the first step counts as shrunk from the whole load
    couple_active(model, found, n, rows, loads, coupling, quick)
    for iteration in range(ITERATIONS):
        for i in range(n):
            loads.opens[i] = 0
        active = list_active(n, loads.active, index)
        set_line_loads(index, active, loads, 1.0 / length)
        approaches(model, found, index, active, loads.line_load, loads.strips, loads.approach)
        relative, opened = newton_step(n, found.table, G, length, index, active, loads)
        if not quick:
            closing = list_closing(n, found.table, G, TOLERANCE * scale, iteration >= PATIENCE, loads)
        if closing:
            close_points(model, found, loads, closing)
            couple_active(model, found, n, rows, loads, coupling, quick)
        elif not opened and (relative * relative < LOAD_TOLERANCE * before or 0.5 * before < relative < ROUND_OFF):
            return iteration + 1
        before = relative
    return NOT_SETTLED


@lean_kernel
def least_open_gap(model, points):
    """Smallest gap that the loads of a quick evaluation leave to the other points [m].

    Infinite if there is none; where it is below minus a tolerance, which is added, another point comes to carry.
    """
    found, rows, loads, G, n = points.found, points.rows, points.loads, points.coupling.G, points.found.count[0]
    index = loads.index
    m = list_active(n, loads.active, index)
    least, overlap = np.inf, 0.0
    for i in range(n):
        overlap = max(overlap, found.table[i, EASE] - found.table[i, GAP])
        if not loads.active[i]:
            couple_point(model, found, rows, points.coupling.tiles, i, index, m, G)
            least = min(least, gap_under_load(n, found.table, G, loads.force, i) - found.table[i, EASE])
    return least + TOLERANCE * overlap


@lean_kernel
def number_loaded(points):
    """How many points carry load in the last evaluation."""
    return list_active(points.found.count[0], points.loads.active, points.loads.index)


# --------------------------------------------------------------------------------- answers
@lean_kernel
def torques(found, mu, force, answer):
    """Torques by pair and in all, and of friction alone: moments of the contact forces on the undeformed geometry."""
    answer.pair_torque[:] = 0.0
    answer.friction_torque[:] = 0.0
    for i in range(found.count[0]):
        for x in range(2):
            rubbing = mu[i] * found.table[i, L_X + x]
            answer.pair_torque[found.pair_of[i], x] += force[i] * (found.table[i, G_X + x] + rubbing)
            answer.friction_torque[x] += force[i] * rubbing
    for x in range(2):
        answer.torque[x] = 0.0
        for slot in range(answer.pair_torque.shape[0]):
            answer.torque[x] += answer.pair_torque[slot, x]


@lean_kernel
def displace(coupling, force, index, n):
    """Displacement of the nodes of n points under all their loads, C f, into ``coupling.displaced`` [m]."""
    for gear in range(2):
        for a in range(n):
            i = index[a]
            total = coupling.displaced[gear, i]
            for start in range(0, total.shape[0], 4):
                q = np.uintp(start)
                u_0, u_1, u_2, u_3 = 0.0, 0.0, 0.0, 0.0
                for c in range(n):
                    j = index[c]
                    u = coupling.pushed[gear, i, j]
                    u_0 += force[j] * u[q]
                    u_1 += force[j] * u[q + ONE]
                    u_2 += force[j] * u[q + TWO]
                    u_3 += force[j] * u[q + THREE]
                total[q], total[q + ONE], total[q + TWO], total[q + THREE] = u_0, u_1, u_2, u_3


@lean_kernel
def add_given(model, rows, displaced, index, n):
    """Add the given displacement to that of the nodes of n points."""
    for gear in range(2):
        given = model.pinion.given if gear == 0 else model.wheel.given
        for a in range(n):
            i = index[a]
            u, first = given[rows.slot[gear, i], rows.strip[gear, i]], rows.first[gear, i]
            for q in range(displaced.shape[2]):
                displaced[gear, i, q] += u[first + q]


@lean_kernel
def bent(b_x, displaced, i, x):
    """b_x C f of point i: its displacement along the row that the rotation x has turned [m/rad]."""
    return dot(b_x[0, i, x], displaced[0, i]) + dot(b_x[1, i, x], displaced[1, i])


@lean_kernel
def turned_row(rows, gear, j, force, rubs, mu_x, out):
    """Change of the nodal forces of point j at a constant load with rotations and, with friction, with speeds.

    ``mu_x`` (4,) the change of its coefficient of friction; into ``out`` (4, 4 rows x axes) [N/rad], [N s/rad].
    """
    b_x, t_x, t, mu = rows.b_x[gear, j], rows.t_x[gear, j], rows.t[gear, j], rows.mu[j]
    for q in range(t.shape[0]):
        for x in range(2):
            out[x, q] = force * b_x[x, q]
            if rubs:
                out[x, q] += force * (mu * t_x[x, q] + mu_x[x] * t[q])
                out[2 + x, q] = force * mu_x[2 + x] * t[q]


@lean_kernel
def turned_forces(rows, coupling, loads, index, n, rubs, out):
    """b C f_x of n points: their normal displacement by the change of the nodal forces at constant loads.

    Into ``out``: columns 0, 1 with the rotations [m/rad] and, with friction, 4, 5 with the speeds [m s/rad]. The
    compliance is symmetric, so what the nodes are displaced by under a unit normal load at each point is used.
    """
    for a in range(n):
        out[a, 0], out[a, 1] = 0.0, 0.0
        if rubs:
            out[a, 4], out[a, 5] = 0.0, 0.0
    turned, pushed = coupling.turned, coupling.normal_pushed if rubs else coupling.pushed
    for c in range(n):
        j = index[c]
        for gear in range(2):
            turned_row(rows, gear, j, loads.force[j], rubs, loads.mu_x[c], turned)
            for a in range(n):
                u = pushed[gear, j, index[a]]
                out[a, 0] += dot(turned[0], u)
                out[a, 1] += dot(turned[1], u)
                if rubs:
                    out[a, 4] += dot(turned[2], u)
                    out[a, 5] += dot(turned[3], u)


@lean_kernel
def turned_friction(omega, found, mu_v, index, n, mu_x):
    """Change of the coefficients of friction of n points with rotations and speeds, ``mu_x`` (n, 4)."""
    for a in range(n):
        table = found.table[index[a]]
        for x in range(2):
            slip = table[L_XX + x] * omega[0] + table[L_XX + 2 + x] * omega[1]
            mu_x[a, x] = mu_v[index[a]] * slip
            mu_x[a, 2 + x] = mu_v[index[a]] * table[L_X + x]


@lean_kernel
def turned_beside(model, found, loads, index, n, i, x):
    """Change of what the loads beside point i in its slice approach it, as all move on with rotation x [m/rad]."""
    total = 0.0
    for c in range(n):
        j = index[c]
        if share_slice(found, i, j):
            total += approach_beside(model, found, i, j)[1 + x] * loads.force[j] / model.length
    return total


@lean_kernel
def turned_loads(model, found, rows, coupling, loads, ahead, index, n, rubs):
    """Change of the loads of n points, into ``loads.change`` (n, 6) and ``loads.rate``.

    Columns: with the rotations, with the rotations that the gaps are ahead, and with friction with the speeds.
    """
    n_x, length = 6 if rubs else 4, model.length
    change, matrix = loads.change, loads.matrix
    turned_forces(rows, coupling, loads, index, n, rubs, change)
    for a in range(n):
        i = index[a]
        table = found.table[i]
        for x in range(2):
            opening = change[a, x]
            opening += loads.approach[i, 2] * table[S_X + x] + loads.approach[i, 3] * table[S_X + 2 + x]
            opening += loads.approach[i, 5] * table[EASE_X + x]
            opening += turned_beside(model, found, loads, index, n, i, x)
            opening += table[G_X + x] + bent(rows.b_x, coupling.displaced, i, x)
            opening += table[G_XX + x] * ahead[0] + table[G_XX + 2 + x] * ahead[1]
            change[a, x], change[a, 2 + x] = -opening, -table[G_X + x]
            if rubs:
                change[a, 4 + x] = -change[a, 4 + x]
        for c in range(n):
            matrix[a, c] = coupling.G[i, index[c]]
        matrix[a, a] += loads.approach[i, 1] / length
    solve_in_place(matrix, change, n, n_x)
    for a in range(n):
        loads.rate[index[a], 0], loads.rate[index[a], 1] = change[a, 0] / length, change[a, 1] / length


@lean_kernel
def tangents(found, rows, loads, index, n, rubs, answer):
    """Consistent derivatives of the torques (README, section 6): columns as those of `turned_loads`."""
    answer.torque_phi[:] = 0.0
    answer.torque_ahead[:] = 0.0
    answer.torque_omega[:] = 0.0
    for a in range(n):
        i = index[a]
        table, force, mu = found.table[i], loads.force[i], rows.mu[i]
        for y in range(2):
            arm = table[G_X + y] + mu * table[L_X + y]
            for x in range(2):
                at = 2 * y + x
                turned = force * (loads.mu_x[a, x] * table[L_X + y] + table[G_XX + at] + mu * table[L_XX + at])
                answer.torque_phi[y, x] += arm * loads.change[a, x] + turned
                answer.torque_ahead[y, x] += arm * loads.change[a, 2 + x]
                if rubs:
                    faster = force * loads.mu_x[a, 2 + x] * table[L_X + y]
                    answer.torque_omega[y, x] += arm * loads.change[a, 4 + x] + faster


@lean_kernel
def energies(model, found, rows, coupling, loads, index, n, answer):
    """Strain energy of both bodies and of the layers [J], and minus its derivatives (README, section 6).

    ``loads.approach`` holds the approaches before, and the works of the layers after it.
    """
    answer.energy[:] = 0.0
    for a in range(n):
        i = index[a]
        force, table = loads.force[i], found.table[i]
        elastic = dot(rows.e[0, i], coupling.displaced[0, i]) + dot(rows.e[1, i], coupling.displaced[1, i])
        if model.pinion.given.shape[0]:  # what is given is not the work of the loads
            for gear in range(2):
                elastic -= given_way(model, rows, gear, i, rows.e[gear, i])
        for c in range(n):
            j = index[c]
            if share_slice(found, i, j):
                elastic += approach_beside(model, found, i, j)[0] * loads.force[j] / model.length
        answer.energy[0] += (0.5 * elastic + loads.approach[i, 0]) * force
        for x in range(2):
            turned = bent(rows.b_x, coupling.displaced, i, x) + 0.5 * turned_beside(model, found, loads, index, n, i, x)
            answer.energy[1 + x] += force * (table[G_X + x] + turned)
    set_line_loads(index, n, loads, 1.0 / model.length)
    layer_works(model, found, index, n, loads.line_load, loads.strips, GAUSS_POINTS, GAUSS_WEIGHTS, loads.approach)
    for a in range(n):
        i = index[a]
        work, table = loads.approach[i], found.table[i]
        answer.energy[0] -= model.length * work[0]
        for x in range(2):
            moved = work[1] * table[S_X + x] + work[2] * table[S_X + 2 + x] + work[3] * table[EASE_X + x]
            answer.energy[1 + x] += model.length * moved


@lean_kernel
def half_width(loads, i, length):
    """Half-width of the strip of point i [m]; the load has taken a last step after the strip was found."""
    step = (loads.force[i] / length - loads.line_load[i]) / loads.approach[i, 6]
    return loads.strips[i, 0] + step / loads.approach[i, 4]


@kernel(_nrt=False)
def record_loaded(found, rows, loads, length, sample, record):
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
                record.slot[m, gear], record.first[m, gear] = rows.slot[gear, i], rows.first[gear, i]
                for q in range(rows.e.shape[2]):
                    record.e[m, gear, q] = rows.e[gear, i, q]
            record.force[m], record.half_width[m] = loads.force[i], half_width(loads, i, length)
            record.touching[m], record.mu[m] = loads.approach[i, 6], rows.mu[i]
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


@kernel(_nrt=False, nogil=True)
def evaluate(model, phi, omega, ahead, first_pair, wanted, memory, points, answer):
    """Contact of one pair of rotations: loads of all slices, torques, and what else is wanted.

    ``ahead`` (2,) are small rotations [rad] that open or close the gaps, the points of contact staying where they are.

    ``wanted`` is a sum of

    * TANGENT: derivatives of the torques by rotations and speeds;
    * ENERGY: elastic energy and its derivatives;
    * QUICK: the points that carried load before are taken for those that do (`least_open_gap` tells whether they are);
    * AGAIN: the rotations, and displacements given, are those of the last evaluation with these points, so that what
      these alone make is taken from there, if it has left any points; ``ahead`` must not be further than there.

    Returns
    -------
    int : iterations of the loads, 0 where nothing touches, NOT_SETTLED if the active set does not settle, NO_ROOM if
        more places come near than `most_points`.
    """
    found, rows, coupling, loads = points.found, points.rows, points.coupling, points.loads
    vibrates = model.pinion.given.shape[0] > 0
    known = wanted & AGAIN != 0 and found.count[0] > 0
    if not known:
        find_candidates(model, phi, first_pair, REACH_FLOOR + model.slack[0] + farthest_ahead(model, ahead), found)
        if found.left_out[0] > 0:
            return NO_ROOM
        if vibrates:
            displacement_rows(model, found, rows)
            open_gaps(model, found, rows)
        join_places(model, found)  # by the gaps before `ahead`, so that the contact without losses has the same points
        for i in range(found.count[0]):
            coupling.coupled[i] = 0
        found.ahead[0], found.ahead[1] = 0.0, 0.0
    take_ahead(found, ahead)
    scale = take_up(model, found, phi, first_pair, memory, loads)
    n, index, iterations = 0, loads.index, 0
    if scale > 0.0:
        if not known and not vibrates:
            displacement_rows(model, found, rows)
        force_rows(model.friction, omega, found, rows, coupling)
        iterations = find_loads(model, found, rows, coupling, loads, scale, wanted & QUICK != 0)
        if iterations == NOT_SETTLED:
            return iterations
        n = list_active(found.count[0], loads.active, index)
        if not wanted & QUICK:  # their slopes are those of loads that differ by the last step, and of strips nearly met
            set_line_loads(index, n, loads, 1.0 / model.length)
            approaches(model, found, index, n, loads.line_load, loads.strips, loads.approach)
    else:
        found.count[0] = 0
    displace(coupling, loads.force, index, n)
    if vibrates:
        add_given(model, rows, coupling.displaced, index, n)
    torques(found, rows.mu, loads.force, answer)
    if wanted & TANGENT:
        rubs = model.friction.kind != 0
        if rubs:
            push(model, rows, coupling.tiles, rows.b, index, n, coupling.normal_pushed)
        turned_friction(omega, found, rows.mu_v, index, n, loads.mu_x)
        turned_loads(model, found, rows, coupling, loads, ahead, index, n, rubs)
        tangents(found, rows, loads, index, n, rubs, answer)
    keep(found, model.length, phi, first_pair, loads, memory)
    if wanted & ENERGY:
        energies(model, found, rows, coupling, loads, index, n, answer)
    return iterations
