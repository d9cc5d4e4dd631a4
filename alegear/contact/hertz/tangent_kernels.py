"""Compiled: generalised forces of all coordinates of a mesh, their tangents, energy (``README.md``, sections 6, 9, 10).

Coordinates are the rotations, then where the gears can be displaced five displacements of each (these twelve are called
geometric: they move the points of contact), then the modes of both, which open the gaps and move nothing.
"""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.coupling_kernels import between, dot, dot_from
from alegear.contact.hertz.load_kernels import set_line_loads
from alegear.contact.hertz.model_kernels import (
    EASE_X,
    G_X,
    L_X,
    MOVE_ARM,
    MOVE_EASE,
    MOVE_GAP,
    MOVE_LEVER,
    MOVE_MU,
    MOVE_S,
    MOVE_TURN,
    N_SHIFTS,
    N_TURNS,
    S_X,
    TURN_X,
)
from alegear.contact.hertz.move_kernels import change_of_shift_rows, moves_of_point, shift_bases, shift_rows
from alegear.contact.hertz.row_kernels import given_way, rows_of_modes
from alegear.contact.hertz.strip_kernels import approach_beside, layer_works, share_slice
from alegear.kernels.decorators import lean_kernel
from alegear.kernels.elimination_kernels import solve_in_place, subtract_row

# Gauss's rule with six points on 0 ... 1
GAUSS_POINTS = 0.5 * (1.0 + np.polynomial.legendre.leggauss(6)[0])
GAUSS_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(6)[1]
ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)
NONE = np.int64(0)  # for numbers as they are written kernels would be compiled once more each


# --------------------------------------------------------------------------------- rows of the coordinates
@lean_kernel
def generalized_rows(model, points, first_pair, n):
    """How a unit of each coordinate opens the gaps of n loaded points, and the forces on it by their unit loads."""
    found, rows, g, index = points.found, points.rows, points.generalized, points.loads.index
    n_geometric, rubs = g.moves.shape[1], model.friction.kind != 0
    for a in range(n):
        i = index[a]
        opening, pushing, rubbing = g.opening[a], g.pushing[a], g.rubbing[a]
        for x in range(N_TURNS):
            opening[x], rubbing[x] = found.table[i, G_X + x], found.table[i, L_X + x]
        if n_geometric > N_TURNS:
            shift_rows(model, found, i, opening[N_TURNS:n_geometric], rubbing[N_TURNS:n_geometric])
        if g.given.shape[1] > 0:
            modal_rows(model, rows, first_pair, i, rows.b, opening[n_geometric:])
            if rubs:
                modal_rows(model, rows, first_pair, i, rows.t, rubbing[n_geometric:])
        for y in range(opening.shape[0]):
            pushing[y] = opening[y] + rows.mu[i] * rubbing[y] if rubs else opening[y]


@lean_kernel
def modal_rows(model, rows, first_pair, i, along, out):
    """What a unit of each mode of both gears displaces point i by along its rows ``along`` (2, n, 4 rows x axes)."""
    n_1, n_2 = model.n_modes[0], model.n_modes[1]
    rows_of_modes(
        model.pinion, 0, n_1, first_pair + rows.slot[0, i], rows.strip[0, i], rows.first[0, i], along[0, i], out
    )
    rows_of_modes(
        model.wheel, n_1, n_2, first_pair + rows.slot[1, i], rows.strip[1, i], rows.first[1, i], along[1, i], out
    )


@lean_kernel
def sum_forces(found, rows, g, force, index, n, response):
    """Generalised forces, and of them those of friction: torques by pair and in all first."""
    response.pair_torque[:] = 0.0
    response.force[:] = 0.0
    response.friction[:] = 0.0
    for a in range(n):
        i = index[a]
        for x in range(N_TURNS):
            rubbing = rows.mu[i] * found.table[i, L_X + x]
            response.pair_torque[found.pair_of[i], x] += force[i] * (found.table[i, G_X + x] + rubbing)
            response.friction[x] += force[i] * rubbing
        for y in range(N_TURNS, response.force.shape[0]):
            response.force[y] += force[i] * g.pushing[a, y]
            response.friction[y] += force[i] * rows.mu[i] * g.rubbing[a, y]
    for x in range(N_TURNS):
        for slot in range(response.pair_torque.shape[0]):
            response.force[x] += response.pair_torque[slot, x]


# --------------------------------------------------------------------------------- displacement of the nodes
@lean_kernel
def displace(found, coupling, force, index, n):
    """Displacement of the nodes of n points under all their loads, C f, into ``coupling.displaced`` [m]."""
    count, n_e = found.count[0], coupling.displaced.shape[2]
    for gear in range(2):
        pushed = coupling.pushed[gear]
        for a in range(n):
            i = index[a]
            total = coupling.displaced[gear, i]
            for start in range(0, total.shape[0], 4):
                q = np.uintp(start)
                u_0, u_1, u_2, u_3 = 0.0, 0.0, 0.0, 0.0
                for c in range(n):
                    j = index[c]
                    at = between(i, j, count, n_e) + q
                    u_0 += force[j] * pushed[at]
                    u_1 += force[j] * pushed[at + ONE]
                    u_2 += force[j] * pushed[at + TWO]
                    u_3 += force[j] * pushed[at + THREE]
                total[q], total[q + ONE], total[q + TWO], total[q + THREE] = u_0, u_1, u_2, u_3


@lean_kernel
def bent_s(rows, gear, displaced, i):
    """Displacement of point i along its normal row, by its position on the profile of a gear [1]."""
    return dot(rows.b_s[gear, i], displaced[gear, i])


@lean_kernel
def bent_turn(rows, gear, displaced, i):
    """Displacement of point i along its normal row, by a turn of the normal in the section of a gear [m/rad]."""
    return dot(rows.b_turn[gear, i], displaced[gear, i])


# --------------------------------------------------------------------------------- change of the loads
@lean_kernel
def move_points(model, points, omega, n):
    """What rotations and displacements change of n loaded points, into ``generalized.moves``."""
    g, index = points.generalized, points.loads.index
    for a in range(n):
        i = index[a]
        moves_of_point(model, points.found, i, omega, points.rows.mu_v[i], g.local, g.by, g.moves[a])


@lean_kernel
def turned_rows(rows, gear, j, rubs, out):
    """Derivatives of the force row of point j by its position and by a turn, into ``out`` (2, 4 rows x axes)."""
    b_s, b_turn, t_s, t_turn = rows.b_s[gear, j], rows.b_turn[gear, j], rows.t_s[gear, j], rows.t_turn[gear, j]
    for q in range(b_s.shape[0]):
        out[0, q], out[1, q] = b_s[q], b_turn[q]
        if rubs:
            out[0, q] += rows.mu[j] * t_s[q]
            out[1, q] += rows.mu[j] * t_turn[q]


@lean_kernel
def turned_forces(found, rows, coupling, g, loads, index, n, rubs, speeds):
    """Opening of the gaps of n points by the change of the nodal forces at constant loads, into ``loads.change``.

    By all rotations and displacements [m], and with friction from column ``speeds`` on by the speeds. The compliance is
    symmetric, so what the nodes are displaced by under a unit normal load at each point is used.
    """
    out, n_geometric = loads.change, g.moves.shape[1]
    for a in range(n):
        for c in range(n_geometric):
            out[a, c] = 0.0
        if rubs:
            out[a, speeds], out[a, speeds + 1] = 0.0, 0.0
    turned, room = coupling.turned, coupling.normal_pushed if rubs else coupling.pushed
    count, n_e = found.count[0], turned.shape[1]
    for b in range(n):
        j = index[b]
        force = loads.force[j]
        for gear in range(2):
            turned_rows(rows, gear, j, rubs, turned)
            for a in range(n):
                at = between(j, index[a], count, n_e)
                by_s, by_turn = force * dot_from(room[gear], at, turned[0]), force * dot_from(room[gear], at, turned[1])
                for c in range(n_geometric):
                    move = g.moves[b, c]
                    out[a, c] += by_s * move[MOVE_S + gear] + by_turn * move[MOVE_TURN + gear]
                if rubs:
                    rubbed = force * dot_from(room[gear], at, rows.t[gear, j])
                    for c in range(n_geometric):
                        out[a, c] += rubbed * g.moves[b, c, MOVE_MU]
                    for x in range(2):
                        out[a, speeds + x] += rubbed * rows.mu_v[j] * found.table[j, L_X + x]


@lean_kernel
def beside_by(model, found, loads, index, n, a, moves, c):
    """Change of what the loads beside loaded point a in its slice approach it, as all move by coordinate c [m]."""
    i, total = index[a], 0.0
    for b in range(n):
        j = index[b]
        if share_slice(found, i, j):
            _, at_1, at_2, beside_1, beside_2 = approach_beside(model, found, i, j)
            change = at_1 * moves[a, c, MOVE_S] + at_2 * moves[a, c, MOVE_S + 1]
            change += beside_1 * moves[b, c, MOVE_S] + beside_2 * moves[b, c, MOVE_S + 1]
            total += change * loads.force[j] / model.length
    return total


@lean_kernel
def is_shifted_ahead(motion):
    """Whether gaps are ahead by displacements."""
    total = 0.0
    for q in range(motion.shift_gap_offset.shape[0]):
        total += abs(motion.shift_gap_offset[q])
    return total > 0.0


@lean_kernel
def ahead_by_turns(motion, move):
    """Change of what a gap is ahead by rotations, by a coordinate [m]."""
    return move[MOVE_ARM] * motion.gap_offset[0] + move[MOVE_ARM + 1] * motion.gap_offset[1]


@lean_kernel
def ahead_by_shifts(motion, g, table, move):
    """Change of what a gap is ahead by displacements, by a coordinate [m]; `shift_bases` was called for the point."""
    change, unused, total = g.rows[0, : 2 * N_SHIFTS], g.rows[1, : 2 * N_SHIFTS], 0.0
    change_of_shift_rows(g.bases, table, move, change, unused)
    for y in range(2 * N_SHIFTS):
        total += change[y] * motion.shift_gap_offset[y]
    return total


@lean_kernel
def turned_loads(model, points, motion, n, rubs):
    """Change of the loads of n points, into ``loads.change``, and ``loads.rate``.

    Columns: by all coordinates, by rotations and displacements that gaps are ahead by, and with friction by the speeds.
    """
    found, rows, coupling, loads, g = points.found, points.rows, points.coupling, points.loads, points.generalized
    index, change, matrix, length = loads.index, loads.change, loads.matrix, model.length
    n_geometric, n_x = g.moves.shape[1], g.opening.shape[1]
    speeds, shifted = n_x + n_geometric, n_geometric > N_TURNS and is_shifted_ahead(motion)
    turned_forces(found, rows, coupling, g, loads, index, n, rubs, speeds)
    for a in range(n):
        i = index[a]
        s_1, s_2 = bent_s(rows, 0, coupling.displaced, i), bent_s(rows, 1, coupling.displaced, i)
        turn_1, turn_2 = bent_turn(rows, 0, coupling.displaced, i), bent_turn(rows, 1, coupling.displaced, i)
        s_1, s_2 = s_1 + loads.approach[i, 2], s_2 + loads.approach[i, 3]
        if shifted:
            shift_bases(model, found, i, g.bases)
        for c in range(n_geometric):
            move = g.moves[a, c]
            opening = change[a, c] + move[MOVE_GAP]
            opening += s_1 * move[MOVE_S] + s_2 * move[MOVE_S + 1]
            opening += turn_1 * move[MOVE_TURN] + turn_2 * move[MOVE_TURN + 1]
            opening += loads.approach[i, 5] * move[MOVE_EASE]
            opening += beside_by(model, found, loads, index, n, a, g.moves, c)
            opening += ahead_by_turns(motion, move)
            if shifted:
                opening += ahead_by_shifts(motion, g, found.table[i], move)
            change[a, c], change[a, n_x + c] = -opening, -g.opening[a, c]
        for c in range(n_geometric, n_x):
            change[a, c] = -g.opening[a, c]
        if rubs:
            change[a, speeds], change[a, speeds + 1] = -change[a, speeds], -change[a, speeds + 1]
        for b in range(n):
            matrix[a, b] = coupling.G[i, index[b]]
        matrix[a, a] += loads.approach[i, 1] / length
    solve_in_place(matrix, change, n, speeds + 2 if rubs else speeds)
    for a in range(n):
        loads.rate[index[a], 0], loads.rate[index[a], 1] = change[a, 0] / length, change[a, 1] / length


# --------------------------------------------------------------------------------- tangents
@lean_kernel
def turned_pushes(model, points, first_pair, a, i, rubs, response):
    """Add how the forces of a loaded point on all coordinates change at its load: they turn, move on, rub otherwise."""
    found, g, force, mu = points.found, points.generalized, points.loads.force[i], points.rows.mu[i]
    n_geometric, n_x = g.moves.shape[1], g.opening.shape[1]
    if n_geometric > N_TURNS:
        shift_bases(model, found, i, g.bases)
    for c in range(n_geometric):
        move = g.moves[a, c]
        for y in range(N_TURNS):
            response.by_coordinate[y, c] += force * (move[MOVE_ARM + y] + mu * move[MOVE_LEVER + y])
        if n_geometric > N_TURNS:
            normal, tangential = g.rows[0, : 2 * N_SHIFTS], g.rows[1, : 2 * N_SHIFTS]
            change_of_shift_rows(g.bases, found.table[i], move, normal, tangential)
            for y in range(2 * N_SHIFTS):
                response.by_coordinate[N_TURNS + y, c] += force * (normal[y] + mu * tangential[y])
        if rubs:
            for y in range(n_x):
                response.by_coordinate[y, c] += force * move[MOVE_MU] * g.rubbing[a, y]
    if n_x > n_geometric:
        turned_modes(model, points, first_pair, a, i, rubs, response)


@lean_kernel
def turned_modes(model, points, first_pair, a, i, rubs, response):
    """The same for the forces on the modes: rows of the gear that a mode belongs to move on with it."""
    rows, g, force, turned = points.rows, points.generalized, points.loads.force[i], points.coupling.turned
    n_geometric = g.moves.shape[1]
    for gear in range(2):
        body = model.pinion if gear == 0 else model.wheel
        n, first_mode = model.n_modes[gear], 0 if gear == 0 else model.n_modes[0]
        pair, strip, first = first_pair + rows.slot[gear, i], rows.strip[gear, i], rows.first[gear, i]
        turned_rows(rows, gear, i, rubs, turned)
        rows_of_modes(body, first_mode, n, pair, strip, first, turned[0], g.rows[0])
        rows_of_modes(body, first_mode, n, pair, strip, first, turned[1], g.rows[1])
        for j in range(first_mode, first_mode + n):
            by_s, by_turn = force * g.rows[0, j], force * g.rows[1, j]
            for c in range(n_geometric):
                move = g.moves[a, c]
                change = by_s * move[MOVE_S + gear] + by_turn * move[MOVE_TURN + gear]
                response.by_coordinate[n_geometric + j, c] += change


@lean_kernel
def tangents(model, points, first_pair, n, rubs, response):
    """Consistent derivatives of the generalised forces (README, section 6): columns as those of `turned_loads`."""
    found, rows, loads, g, index = points.found, points.rows, points.loads, points.generalized, points.loads.index
    n_geometric, n_x = g.moves.shape[1], g.opening.shape[1]
    response.by_coordinate[:] = 0.0
    response.by_gap_offset[:] = 0.0
    response.by_speed[:] = 0.0
    for a in range(n):
        i, change = index[a], loads.change[a]
        for y in range(n_x):
            push = g.pushing[a, y]
            subtract_row(response.by_coordinate[y], change, -push, NONE, n_x)
            for c in range(n_geometric):
                response.by_gap_offset[y, c] += push * change[n_x + c]
            if rubs:
                for x in range(2):
                    response.by_speed[y, x] += push * change[n_x + n_geometric + x]
    for y in range(n_x):  # what opens the gaps and moves nothing may as well be ahead
        for c in range(n_geometric, n_x):
            response.by_gap_offset[y, c] = response.by_coordinate[y, c]
    for a in range(n):
        i = index[a]
        turned_pushes(model, points, first_pair, a, i, rubs, response)
        if rubs:
            for x in range(2):
                faster = loads.force[i] * rows.mu_v[i] * found.table[i, L_X + x]
                for y in range(n_x):
                    response.by_speed[y, x] += faster * g.rubbing[a, y]


# --------------------------------------------------------------------------------- energy
@lean_kernel
def energies(model, points, n, response):
    """Strain energy of both bodies and of the layers [J], and minus its derivatives (README, section 6).

    ``loads.approach`` holds the approaches before, and the works of the layers after it.
    """
    found, rows, coupling, loads, g = points.found, points.rows, points.coupling, points.loads, points.generalized
    index = loads.index
    response.energy[:] = 0.0
    for a in range(n):
        i = index[a]
        force, table = loads.force[i], found.table[i]
        # the nodes were pushed by rows that may have moved since (`couple_again`): of e C e that is twice the change
        elastic = given_way(coupling.displaced, rows.e, i) + given_way(coupling.displaced, coupling.moved, i)
        if g.given.shape[1] > 0:  # what is given is not the work of the loads
            elastic -= given_way(g.given, rows.e, i) + given_way(g.given, coupling.moved, i)
        for b in range(n):
            j = index[b]
            if share_slice(found, i, j):
                elastic += approach_beside(model, found, i, j)[0] * loads.force[j] / model.length
        response.energy[0] += (0.5 * elastic + loads.approach[i, 0]) * force
        for x in range(2):
            turned = 0.5 * beside_by_rotation(model, found, loads, index, n, i, x)
            for gear in range(2):
                turned += bent_s(rows, gear, coupling.displaced, i) * table[S_X + 2 * gear + x]
                turned += bent_turn(rows, gear, coupling.displaced, i) * table[TURN_X + 2 * gear + x]
            response.energy[1 + x] += force * (table[G_X + x] + turned)
    set_line_loads(index, n, loads, 1.0 / model.length)
    layer_works(model, found, index, n, loads.line_load, loads.strips, GAUSS_POINTS, GAUSS_WEIGHTS, loads.approach)
    for a in range(n):
        i = index[a]
        work, table = loads.approach[i], found.table[i]
        response.energy[0] -= model.length * work[0]
        for x in range(2):
            moved = work[1] * table[S_X + x] + work[2] * table[S_X + 2 + x] + work[3] * table[EASE_X + x]
            response.energy[1 + x] += model.length * moved


@lean_kernel
def beside_by_rotation(model, found, loads, index, n, i, x):
    """Change of what the loads beside point i in its slice approach it, as all move on with rotation x [m/rad]."""
    total, at = 0.0, found.table[i]
    for b in range(n):
        j = index[b]
        if share_slice(found, i, j):
            _, at_1, at_2, beside_1, beside_2 = approach_beside(model, found, i, j)
            beside = found.table[j]
            change = at_1 * at[S_X + x] + at_2 * at[S_X + 2 + x]
            change += beside_1 * beside[S_X + x] + beside_2 * beside[S_X + 2 + x]
            total += change * loads.force[j] / model.length
    return total
