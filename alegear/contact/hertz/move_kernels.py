r"""Compiled: what rotations and displacements of the gears change of the loaded points (``README.md``, section 9).

A slice knows five changes of the gears: rotations of both sections, the position of the wheel's axis in x and y, and
what leaning shafts add of material for a radian (`SidePosition.rocking`). All coordinates act by them, the same in all
points of a slice: ``local`` (n_geometric, 5).
"""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.approach_kernels import curve_at, rolled, rows_of_point
from alegear.contact.hertz.model_kernels import (
    APART,
    AXIS,
    EASE,
    EASE_N,
    EASE_TURN,
    EASE_X,
    G_X,
    G_XX,
    L_X,
    L_XX,
    MOVE_ARM,
    MOVE_AXIS,
    MOVE_EASE,
    MOVE_GAP,
    MOVE_LEVER,
    MOVE_MU,
    MOVE_S,
    MOVE_SECTION,
    MOVE_TURN,
    N_LOCAL,
    N_MOVES,
    N_SHIFTS,
    N_TURNS,
    NX,
    NY,
    S_X,
    SIGN,
    TURN_X,
    TWIST,
    S,
)
from alegear.kernels.decorators import lean_kernel

AXIS_X, AXIS_Y, SWING = 2, 3, 4  # after the rotations


@lean_kernel
def local_changes(model, side, k, local):
    """What a unit of each coordinate changes in slice k, into ``local`` (n_geometric, 5)."""
    local[:] = 0.0
    local[0, 0], local[1, 1] = 1.0, 1.0
    if local.shape[0] == N_TURNS:
        return
    spins = (model.pinion.place[3], model.wheel.place[3])
    mirror, lean = side.side, side.rocking_by_leaning
    for gear in range(2):
        at, sign = N_TURNS + gear * N_SHIFTS, -1.0 if gear == 0 else 1.0  # the wheel's axis against the pinion's
        z, twist, r_w = model.z[gear, k], model.twist[gear], model.r_w[gear]
        local[at, AXIS_X], local[at + 1, AXIS_Y] = sign, sign * mirror
        local[at + 2, gear] = -twist / spins[gear]
        local[at + 3, AXIS_Y], local[at + 3, SWING] = -sign * mirror * z, sign * lean[1]
        # at the pitch point a tilt about y moves the pinion by -r_w along its axis, the wheel by +r_w
        local[at + 4, AXIS_X], local[at + 4, SWING] = sign * z, -sign * lean[0]
        local[at + 4, gear] = -sign * twist * r_w / spins[gear]


@lean_kernel
def by_axis(side, position, found, i, axis, inside, kappa_a, kappa_p, bending, m, speed_a, speed_p, spins, by):
    """Changes of point i by the wheel's axis along x (0) or y (1), into ``by`` (N_MOVES,)."""
    table, k = found.table[i], found.slice_of[i]
    pinion_is_a = table[SIGN] > 0.0
    a, p = (0, 1) if pinion_is_a else (1, 0)
    psi = found.angles[found.side_of[i], found.pair_of[i], p] + position.sections[k, TWIST + p]
    # velocity of A's point in P's section, which stands at psi: the axis is that of A, or that of P
    sign = -1.0 if pinion_is_a else 1.0
    vx = sign * (np.cos(psi) if axis == 0 else np.sin(psi))
    vy = sign * (-np.sin(psi) if axis == 0 else np.cos(psi))
    nx, ny = table[NX + p], table[NY + p]
    tx, ty = ny, -nx
    along, across = tx * vx + ty * vy, nx * vx + ny * vy
    arc_p = kappa_a * along / bending if inside else along / m
    arc_a = along - m * arc_p if inside else 0.0
    cos_beta_b = side.axial[0]
    by[MOVE_GAP], by[MOVE_MU] = cos_beta_b * across, 0.0
    by[MOVE_S + a], by[MOVE_S + p] = arc_a / speed_a, arc_p / speed_p
    by[MOVE_TURN], by[MOVE_TURN + 1] = kappa_p * arc_p, kappa_p * arc_p
    by[MOVE_EASE] = 0.0
    for x in range(2):
        by[MOVE_SECTION + x], by[MOVE_AXIS + x] = 0.0, 1.0 if x == axis else 0.0
    if table[EASE] != 0.0:
        by[MOVE_EASE] = cos_beta_b * (across - sign * table[EASE_N + axis])
    for x in range(2):
        # P's rotation moves A's point by -J X, and X by v; A's own rotation knows nothing of its axis
        tau = spins[x] if x == a else -spins[x]
        second_n, second_t = 0.0, 0.0
        if x == p:
            second_n, second_t = spins[p] * (nx * vy - ny * vx), spins[p] * (tx * vy - ty * vx)
        turning, crossing = table[L_X + x], arm_of(side, table, x, position, spins) / cos_beta_b
        by[MOVE_ARM + x] = cos_beta_b * (second_n - kappa_p * turning * arc_p - tau * arc_a)
        by[MOVE_LEVER + x] = second_t + kappa_p * crossing * arc_p


@lean_kernel
def arm_of(side, table, x, position, spins):
    """Change of the gap by rotation x [m/rad] without the material that leaning shafts add."""
    return table[G_X + x] + side.axial[0] * position.rocking[0] * spins[x] * side.roll[2 + x]


@lean_kernel
def by_rotation(table, x, spins, by):
    """Changes of a point by rotation x, into ``by`` (N_MOVES,)."""
    by[MOVE_GAP], by[MOVE_EASE], by[MOVE_MU] = table[G_X + x], table[EASE_X + x], 0.0
    for gear in range(2):
        by[MOVE_SECTION + gear], by[MOVE_AXIS + gear] = spins[x] if gear == x else 0.0, 0.0
        by[MOVE_S + gear], by[MOVE_TURN + gear] = table[S_X + 2 * gear + x], table[TURN_X + 2 * gear + x]
    for y in range(2):
        by[MOVE_ARM + y], by[MOVE_LEVER + y] = table[G_XX + 2 * y + x], table[L_XX + 2 * y + x]


@lean_kernel
def by_swing(side, table, roll, spins, by):
    """Changes of a point by the material that leaning shafts add for a radian, into ``by`` (N_MOVES,)."""
    cos_beta_b = side.axial[0]
    by[:] = 0.0
    by[MOVE_GAP], by[MOVE_EASE] = -cos_beta_b * roll, cos_beta_b * table[EASE_TURN]
    for x in range(2):
        by[MOVE_ARM + x] = -cos_beta_b * spins[x] * side.roll[2 + x]


@lean_kernel
def locals_of_point(model, found, i, by):
    """Changes of point i by the five changes that its slice knows, into ``by`` (5, N_MOVES)."""
    number, k, table = found.side_of[i], found.slice_of[i], found.table[i]
    side = model.loaded if number == 0 else model.back
    position = found.loaded if number == 0 else found.back
    spins = (side.side * model.pinion.place[3], side.side * model.wheel.place[3])
    for x in range(2):
        by_rotation(table, x, spins, by[x])
    if by.shape[0] == N_TURNS:
        return
    pinion_is_a = table[SIGN] > 0.0
    row_1, row_2 = rows_of_point(model, found, i)
    if pinion_is_a:
        a, p, tip, flank, row_a, row_p = 0, 1, side.pinion, side.wheel, row_1, row_2
    else:
        a, p, tip, flank, row_a, row_p = 1, 0, side.wheel, side.pinion, row_2, row_1
    _, _, adx, ady, addx, addy = curve_at(tip.knots[row_a], tip.curve[row_a], table[S + a])
    _, _, pdx, pdy, pddx, pddy = curve_at(flank.knots[row_p], flank.curve[row_p], table[S + p])
    speed_p, speed_a = np.sqrt(pdx * pdx + pdy * pdy), np.sqrt(adx * adx + ady * ady)
    angles = found.angles[number, found.pair_of[i]]
    roll = rolled(side, angles[0] + position.sections[k, TWIST], angles[1] + position.sections[k, TWIST + 1])
    kappa_p, kappa_a = (-pdy * pddx + pdx * pddy) / speed_p**3, (-ady * addx + adx * addy) / speed_a**3
    m = 1.0 - kappa_p * table[APART]
    bending = kappa_a * m + kappa_p
    inside = table[S_X + 2 * a] != 0.0 or table[S_X + 2 * a + 1] != 0.0  # else an end of profile A is the closest
    for axis in range(2):
        by_axis(
            side, position, found, i, axis, inside, kappa_a, kappa_p, bending, m, speed_a, speed_p, spins,
            by[AXIS_X + axis],
        )  # fmt: skip
    by_swing(side, table, roll, spins, by[SWING])


@lean_kernel
def moves_of_point(model, found, i, omega, mu_v, local, by, moves):
    """Changes of loaded point i by all rotations and displacements, into ``moves`` (n_geometric, N_MOVES).

    ``local``, ``by`` are room; ``mu_v`` the change of its coefficient of friction with the speed of sliding [s/m].
    """
    side = model.loaded if found.side_of[i] == 0 else model.back
    n = N_TURNS if local.shape[0] == N_TURNS else N_LOCAL
    local_changes(model, side, found.slice_of[i], local)
    locals_of_point(model, found, i, by[:n])
    for c in range(local.shape[0]):
        for column in range(N_MOVES):
            total = 0.0
            for change in range(n):
                total += local[c, change] * by[change, column]
            moves[c, column] = total
        moves[c, MOVE_MU] = mu_v * (moves[c, MOVE_LEVER] * omega[0] + moves[c, MOVE_LEVER + 1] * omega[1])


# ------------------------------------------------------------------------------ forces in space
@lean_kernel
def point_on_tip_gear(model, found, i):
    """Where point i acts, and in which direction, in the (mirrored) axes of space, as displaced gears have it.

    Returns
    -------
    a : gear A: 0 is the pinion, 1 the wheel
    x, y : its point, from its own axis [m]
    dx, dy : how that moves on along the profile
    nx, ny : transverse normal of P
    """
    number, k, table = found.side_of[i], found.slice_of[i], found.table[i]
    row_1, row_2 = rows_of_point(model, found, i)
    side = model.loaded if number == 0 else model.back
    position = found.loaded if number == 0 else found.back
    if table[SIGN] > 0.0:
        a, profile, row = 0, side.pinion, row_1
    else:
        a, profile, row = 1, side.wheel, row_2
    angle = found.angles[number, found.pair_of[i], a] + position.sections[k, TWIST + a]
    co, si = np.cos(angle), np.sin(angle)
    px, py, dx, dy, _, _ = curve_at(profile.knots[row], profile.curve[row], table[S + a])
    nx, ny = table[NX + a], table[NY + a]
    x, y = co * px - si * py, si * px + co * py
    return a, x, y, co * dx - si * dy, si * dx + co * dy, co * nx - si * ny, si * nx + co * ny


@lean_kernel
def from_pinion(model, found, i):
    """Where point i acts from the pinion's axis, where the wheel's axis stands from it, and the normal of P.

    In the section, as displaced gears have it, and in the axes of space: x, y, axis_x, axis_y [m], nx, ny.
    """
    number, k = found.side_of[i], found.slice_of[i]
    mirror = model.loaded.side if number == 0 else model.back.side
    position = found.loaded if number == 0 else found.back
    a, x, y, _, _, nx, ny = point_on_tip_gear(model, found, i)
    axis_x, axis_y = position.sections[k, AXIS], position.sections[k, AXIS + 1]
    if a == 1:
        x, y = x + axis_x, y + axis_y
    return x, mirror * y, axis_x, mirror * axis_y, nx, mirror * ny


@lean_kernel
def place_in_space(model, x, y, axis_x, axis_y):
    """Where a force acts on both gears, from where the pinion's axis stands without load [m].

    From there the levers that displaced gears have end in two places. Half-way between both gears have the same force
    in the same place, and neither counts before the other.
    """
    return x + 0.5 * (model.center_distance - axis_x), y - 0.5 * axis_y


@lean_kernel
def force_in_space(model, found, i, normal, tangent, place, axis):
    """Force on the pinion by a unit load of point i, and by friction for a coefficient of one, (3,) each.

    ``place`` (3,) [m]: where it acts, from the pinion's mid-face and its axis as that stands in the section; ``axis``
    (2,) [m]: the wheel's axis from there.
    """
    number, k = found.side_of[i], found.slice_of[i]
    side = model.loaded if number == 0 else model.back
    x, y, axis_x, axis_y, nx, ny = from_pinion(model, found, i)
    on, mirror, cos_beta_b = found.table[i, SIGN], side.side, side.axial[0]  # A is pushed away from P
    normal[0], normal[1], normal[2] = on * cos_beta_b * nx, on * cos_beta_b * ny, axial_normal(side, on)
    tangent[0], tangent[1], tangent[2] = mirror * on * ny, -mirror * on * nx, 0.0
    place[0], place[1], place[2] = x, y, model.z[0, k]
    axis[0], axis[1] = axis_x, axis_y


@lean_kernel
def axial_normal(side, on_pinion):
    """Axial component of the unit normal force on the pinion."""
    return on_pinion * (side.axial[1] if on_pinion < 0.0 else -side.axial[1])


@lean_kernel
def add_force(model, k, fx, fy, out):
    """Add a transverse force in slice k on the pinion, and the opposite one on the wheel, with moments, to (10,)."""
    for gear in range(2):
        at, sign, z = gear * N_SHIFTS, 1.0 if gear == 0 else -1.0, model.z[gear, k]
        out[at] += sign * fx
        out[at + 1] += sign * fy
        out[at + 3] -= sign * z * fy
        out[at + 4] += sign * z * fx


@lean_kernel
def add_moments(x, y, apart, fz, out):
    """Add the moments on both gears of an axial force on the pinion at (x, y) from its axis, to ``out`` (10,).

    ``apart`` [m]: distance of the wheel's axis; 0 for a force that moves on by (x, y).
    """
    for gear in range(2):
        at, sign, lever = gear * N_SHIFTS, 1.0 if gear == 0 else -1.0, x if gear == 0 else x - apart
        out[at + 3] += sign * y * fz
        out[at + 4] -= sign * lever * fz


@lean_kernel
def shift_rows(model, found, i, normal, tangential):
    """Forces on both displaced gears by a unit load of a point, and by friction for a coefficient of one, (10,)."""
    side, k = model.loaded if found.side_of[i] == 0 else model.back, found.slice_of[i]
    on, mirror, cos_beta_b = found.table[i, SIGN], side.side, side.axial[0]
    x, y, axis_x, axis_y, nx, ny = from_pinion(model, found, i)
    x, y = place_in_space(model, x, y, axis_x, axis_y)
    fz = axial_normal(side, on)
    normal[:] = 0.0
    tangential[:] = 0.0
    add_force(model, k, on * cos_beta_b * nx, on * cos_beta_b * ny, normal)
    add_force(model, k, mirror * on * ny, -mirror * on * nx, tangential)
    normal[2], normal[N_SHIFTS + 2] = fz, -fz
    add_moments(x, y, model.center_distance, fz, normal)


@lean_kernel
def shift_bases(model, found, i, bases):
    """What `shift_rows` of a point change by, into ``bases`` (N_BASES, 10).

    For a unit of a turn of A's section, of the position on its profile, of a turn of the normal in it; what friction
    changes by either turn, for a coefficient of one; last of the wheel's axis in x and y.
    """
    side, k = model.loaded if found.side_of[i] == 0 else model.back, found.slice_of[i]
    on, mirror, cos_beta_b = found.table[i, SIGN], side.side, side.axial[0]
    a, x, y, dx, dy, nx, ny = point_on_tip_gear(model, found, i)
    fz = axial_normal(side, on)
    bases[:] = 0.0
    # where a force turns its axial part stays; where it moves on across the axis that alone has other moments
    add_force(model, k, -on * cos_beta_b * ny, mirror * on * cos_beta_b * nx, bases[2])
    for q in range(bases.shape[1]):
        bases[0, q] = bases[2, q]
    add_force(model, k, on * nx, mirror * on * ny, bases[3])
    add_moments(-y, mirror * x, 0.0, fz, bases[0])
    add_moments(dx, mirror * dy, 0.0, fz, bases[1])
    half = -0.5 if a == 0 else 0.5  # the place half-way between where both gears have the point of A (`place_in_space`)
    add_moments(half, 0.0, 0.0, fz, bases[4])
    add_moments(0.0, mirror * half, 0.0, fz, bases[5])


@lean_kernel
def change_of_shift_rows(bases, table, move, normal, tangential):
    """Change of `shift_rows` of a point by a coordinate, its ``move`` (N_MOVES,)."""
    a = 0 if table[SIGN] > 0.0 else 1
    section, s, turned = move[MOVE_SECTION + a], move[MOVE_S + a], move[MOVE_TURN + a]
    axis_x, axis_y = move[MOVE_AXIS], move[MOVE_AXIS + 1]
    for q in range(normal.shape[0]):
        normal[q] = section * bases[0, q] + s * bases[1, q] + turned * bases[2, q]
        normal[q] += axis_x * bases[4, q] + axis_y * bases[5, q]
        tangential[q] = (section + turned) * bases[3, q]


@lean_kernel
def opening_by_shift(model, found, i, shift):
    """By how much displacements (10,) of both gears open the gap of a point [m]: the force on them times them."""
    side, k = model.loaded if found.side_of[i] == 0 else model.back, found.slice_of[i]
    on, cos_beta_b = found.table[i, SIGN], side.axial[0]
    x, y, axis_x, axis_y, nx, ny = from_pinion(model, found, i)
    x, y = place_in_space(model, x, y, axis_x, axis_y)
    fx, fy, fz, total = on * cos_beta_b * nx, on * cos_beta_b * ny, axial_normal(side, on), 0.0
    for gear in range(2):
        at, sign, z = gear * N_SHIFTS, 1.0 if gear == 0 else -1.0, model.z[gear, k]
        lever = x if gear == 0 else x - model.center_distance
        way = fx * shift[at] + fy * shift[at + 1] + fz * shift[at + 2]
        total += sign * (way + (y * fz - z * fy) * shift[at + 3] + (z * fx - lever * fz) * shift[at + 4])
    return total
