"""Compiled: compliance between points, from that of the slices of both gears (``README.md``, section 3)."""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.model_kernels import N_TILES, TILE_BITS
from alegear.contact.hertz.strip_kernels import approach_beside, share_slice
from alegear.kernels.decorators import lean_kernel

ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)
HARDLY = 3e-7  # change of a force row [1] of which the square, 1e-13, is left out
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: neighbouring positions are dealt out far from each other


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


@lean_kernel(forceinline=True)
def between(i, j, n, n_e):
    """Where the n_e displacements of the nodes of point i by a force at point j begin in what n points have together.

    There is room for the most points that may ever come near. Those of the few that do lie near together at its
    beginning: with whole rows of room between them they would meet in the same few places of the processor's memory.
    """
    return (np.uintp(i) * np.uintp(n) + np.uintp(j)) * np.uintp(n_e)


@lean_kernel
def push_gear(body, n_strips, n_dof, place, part, slot, strip, first, force_rows, index, m, n_points, out):
    """Displacement of the nodes of each of m points under the force row of each other, by one gear.

    ``place`` and ``part`` are those of `Tiles`; in ``out`` they begin where `between` says.
    """
    n, block_of = force_rows.shape[1], body.block_of
    width = np.uintp(n)
    for a in range(m):
        for c in range(a + 1):
            i, j = index[a], index[c]
            if slot[i] > slot[j]:
                i, j = j, i
            block = block_of[slot[i], slot[j]]
            start = tile_of(body, n_strips, n_dof, place, part, block, strip[i], strip[j], first[i], first[j], n)
            at = between(i, j, n_points, n)
            u_i = out[at : at + width]
            if i == j:
                for p in range(n):
                    u_i[p] = dot_from(part, start + np.uintp(p * n), force_rows[i])
            else:
                at = between(j, i, n_points, n)
                push_two(part, start, width, force_rows[i], force_rows[j], u_i, out[at : at + width])


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
def push(model, rows, tiles, force_rows, index, m, n, out):
    """Displacement of the nodes of m of n points under each other's force rows, by both gears, into ``out``."""
    for gear in range(2):
        body = model.pinion if gear == 0 else model.wheel
        push_gear(
            body, model.n_strips, body.rows_s.shape[0] * model.n_axes,
            tiles.place[gear], tiles.part[gear],
            rows.slot[gear], rows.strip[gear], rows.first[gear], force_rows[gear], index, m, n, out[gear],
        )  # fmt: skip


@lean_kernel
def couple(model, found, rows, index, m, coupling):
    """Normal approach of m points by a unit contact force at each other, G [m/N], from what they push."""
    one, two, b_1, b_2 = coupling.pushed[0], coupling.pushed[1], rows.b[0], rows.b[1]
    n, n_e = found.count[0], b_1.shape[1]
    for a in range(m):
        i = index[a]
        for c in range(m):
            j = index[c]
            at = between(i, j, n, n_e)
            coupling.G[i, j] = dot_from(one, at, b_1[i]) + dot_from(two, at, b_2[i])
            if share_slice(found, i, j):
                coupling.G[i, j] += approach_beside(model, found, i, j)[0] / model.length


@lean_kernel
def keep_pushed(rows, index, m, n, coupling):
    """Keep with which force rows m of n points were pushed, and where they stand."""
    coupling.pushed_of[0] = n
    coupling.pushed_at[:, :n, 0] = -1
    for gear in range(2):
        for a in range(m):
            i = index[a]
            at = coupling.pushed_at[gear, i]
            at[0], at[1], at[2] = rows.slot[gear, i], rows.strip[gear, i], rows.first[gear, i]
            for q in range(rows.e.shape[2]):
                coupling.pushed_by[gear, i, q] = rows.e[gear, i, q]
                coupling.moved[gear, i, q] = 0.0


@lean_kernel
def hardly_moved(rows, index, m, n, coupling):
    """Whether m of n points were pushed where they stand, by force rows from which theirs hardly differ.

    By how much they do is left in ``moved``.
    """
    if coupling.pushed_of[0] != n:
        return False
    for gear in range(2):
        for a in range(m):
            i = index[a]
            at = coupling.pushed_at[gear, i]
            if at[0] != rows.slot[gear, i] or at[1] != rows.strip[gear, i] or at[2] != rows.first[gear, i]:
                return False
            for q in range(rows.e.shape[2]):
                moved = rows.e[gear, i, q] - coupling.pushed_by[gear, i, q]
                if abs(moved) > HARDLY:
                    return False
                coupling.moved[gear, i, q] = moved
    return True


@lean_kernel
def couple_again(model, found, rows, index, m, coupling):
    """Compliance of m points without friction from what they pushed before they `hardly_moved`.

    With e = d + s, of which d pushed, e_i C e_j = e_i C d_j + s_j C d_i + s_i C s_j, and the last is left out. Nothing
    of C is read, of which there is far more than of what its rows were pushed by.
    """
    one, two, n, n_e = coupling.pushed[0], coupling.pushed[1], found.count[0], rows.e.shape[2]
    for a in range(m):
        i = index[a]
        for c in range(a + 1):
            j = index[c]
            at, back = between(i, j, n, n_e), between(j, i, n, n_e)
            way = dot_from(one, at, rows.e[0, i]) + dot_from(one, back, coupling.moved[0, j])
            way += dot_from(two, at, rows.e[1, i]) + dot_from(two, back, coupling.moved[1, j])
            coupling.G[i, j], coupling.G[j, i] = way, way
            if share_slice(found, i, j):
                coupling.G[i, j] += approach_beside(model, found, i, j)[0] / model.length
                if i != j:
                    coupling.G[j, i] += approach_beside(model, found, j, i)[0] / model.length


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
