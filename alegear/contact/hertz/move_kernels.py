r"""Compiled: what rotations and displacements of the gears change of the loaded points (``README.md``, section 9).

A slice knows five changes of the gears: rotations of both sections, the position of the wheel's axis in x and y, and
what leaning shafts add of material for a radian (`SidePosition.swing`). All coordinates act by them, the same in all
points of a slice: ``local`` (n_geometric, 5).
"""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.approach_kernels import curve_at, rolled, rows_of_point
from alegear.contact.hertz.model_kernels import (
    APART,
    EASE,
    EASE_N,
    EASE_TURN,
    EASE_X,
    G_X,
    G_XX,
    L_X,
    L_XX,
    MOVE_ARM,
    MOVE_EASE,
    MOVE_GAP,
    MOVE_LEVER,
    MOVE_MU,
    MOVE_S,
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
from alegear.kernel_cache import lean_kernel

AXIS_X, AXIS_Y, SWING = 2, 3, 4  # after the rotations


@lean_kernel
def local_changes(model, side, k, local):
    """What a unit of each coordinate changes in slice k, into ``local`` (n_geometric, 5)."""
    local[:] = 0.0
    local[0, 0], local[1, 1] = 1.0, 1.0
    if local.shape[0] == N_TURNS:
        return
    spins = (model.pinion.place[3], model.wheel.place[3])
    mirror, lean = side.side, side.swing_by_leaning
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
    return table[G_X + x] + side.axial[0] * position.swing[0] * spins[x] * side.roll[2 + x]


@lean_kernel
def by_rotation(table, x, by):
    """Changes of a point by rotation x, into ``by`` (N_MOVES,)."""
    by[MOVE_GAP], by[MOVE_EASE], by[MOVE_MU] = table[G_X + x], table[EASE_X + x], 0.0
    for gear in range(2):
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
        by_rotation(table, x, by[x])
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
    m = 1.0 - kappa_p * (table[APART] + position.swing[0] * roll)
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
def angle_of_pinion(side, found, i):
    """Angle of the section of the pinion, in its position without load, at point i [rad]."""
    return found.angles[found.side_of[i], found.pair_of[i], 0] + side.sections[found.slice_of[i], TWIST]


@lean_kernel
def position_of_point(profile, row, table, co, si):
    """Where a point acts, from the axis of the pinion in the (mirrored) axes of space [m]; and P's normal there.

    ``profile``, ``row``: that of the pinion.
    """
    nx, ny = co * table[NX] - si * table[NY], si * table[NX] + co * table[NY]
    px, py, _, _, _, _ = curve_at(profile.knots[row], profile.curve[row], table[S])
    x, y = co * px - si * py, si * px + co * py
    if table[SIGN] < 0.0:  # everything acts at A's point
        x, y = x + table[APART] * nx, y + table[APART] * ny
    return x, y, nx, ny


@lean_kernel
def add_wrench(model, x, y, z, fx, fy, fz, out):
    """Add a force at a position on the pinion, and the opposite one on the wheel, with moments, to ``out`` (10,)."""
    for gear in range(2):
        at, sign = gear * N_SHIFTS, 1.0 if gear == 0 else -1.0
        px, pz = (x, z) if gear == 0 else (x - model.center_distance, z + model.offset)
        out[at] += sign * fx
        out[at + 1] += sign * fy
        out[at + 2] += sign * fz
        out[at + 3] += sign * (y * fz - pz * fy)
        out[at + 4] += sign * (pz * fx - px * fz)


@lean_kernel
def axial_normal(side, on_pinion):
    """Axial component of the unit normal force on the pinion."""
    return on_pinion * (side.axial[1] if on_pinion < 0.0 else -side.axial[1])


@lean_kernel
def shift_rows(model, found, i, normal, tangential):
    """Forces on both displaced gears by a unit load of a point, and by friction for a coefficient of one, (10,) each.

    Levers are those of gears in their positions without load.
    """
    side = model.loaded if found.side_of[i] == 0 else model.back
    row, _ = rows_of_point(model, found, i)
    table, mirror, z = found.table[i], side.side, model.z[0, found.slice_of[i]]
    on, cos_beta_b, angle = table[SIGN], side.axial[0], angle_of_pinion(side, found, i)  # A is pushed away from P
    x, y, nx, ny = position_of_point(side.pinion, row, table, np.cos(angle), np.sin(angle))
    normal[:] = 0.0
    tangential[:] = 0.0
    fx, fy, fz = on * cos_beta_b * nx, mirror * on * cos_beta_b * ny, axial_normal(side, on)
    add_wrench(model, x, mirror * y, z, fx, fy, fz, normal)
    add_wrench(model, x, mirror * y, z, on * ny, -mirror * on * nx, 0.0, tangential)


@lean_kernel
def shift_bases(model, found, i, bases):
    """What `shift_rows` of a point change by, into ``bases`` (5, 10).

    For a unit of a turn of the pinion, of the position on its profile, of the gap, of a turn of the normal in the
    section; last what friction changes by either turn, for a coefficient of one.
    """
    side = model.loaded if found.side_of[i] == 0 else model.back
    row, _ = rows_of_point(model, found, i)
    table, mirror, z = found.table[i], side.side, model.z[0, found.slice_of[i]]
    on, cos_beta_b, angle = table[SIGN], side.axial[0], angle_of_pinion(side, found, i)
    co, si = np.cos(angle), np.sin(angle)
    x, y, nx, ny = position_of_point(side.pinion, row, table, co, si)
    _, _, dx, dy, _, _ = curve_at(side.pinion.knots[row], side.pinion.curve[row], table[S])
    fz = axial_normal(side, on)
    bases[:] = 0.0
    # a force that turns; one that moves on across the axis has other moments by its axial part only
    add_wrench(model, x, mirror * y, z, -on * cos_beta_b * ny, mirror * on * cos_beta_b * nx, 0.0, bases[3])
    for q in range(bases.shape[1]):
        bases[0, q] = bases[3, q]
    add_moments(-y, mirror * x, fz, bases[0])
    add_moments(co * dx - si * dy, mirror * (si * dx + co * dy), fz, bases[1])
    if on < 0.0:  # everything acts at A's point
        add_moments(nx / cos_beta_b, mirror * ny / cos_beta_b, fz, bases[2])
        add_moments(-table[APART] * ny, mirror * table[APART] * nx, fz, bases[3])
    add_wrench(model, x, mirror * y, z, on * nx, mirror * on * ny, 0.0, bases[4])


@lean_kernel
def change_of_shift_rows(bases, turn, move, normal, tangential):
    """Change of `shift_rows` by a coordinate, its ``move`` (N_MOVES,), and the ``turn`` of the pinion by it."""
    s, gap, turned = move[MOVE_S], move[MOVE_GAP], move[MOVE_TURN]
    for q in range(normal.shape[0]):
        normal[q] = turn * bases[0, q] + s * bases[1, q] + gap * bases[2, q] + turned * bases[3, q]
        tangential[q] = (turn + turned) * bases[4, q]


@lean_kernel
def add_moments(x, y, fz, out):
    """Add what an axial force has of further moments about x and y where it moves on by (x, y), to ``out`` (10,)."""
    for gear in range(2):
        at, sign = gear * N_SHIFTS, 1.0 if gear == 0 else -1.0
        out[at + 3] += sign * y * fz
        out[at + 4] -= sign * x * fz


@lean_kernel
def opening_by_shift(model, found, i, shift):
    """By how much displacements (10,) of both gears open the gap of a point [m]: the force on them times them."""
    side = model.loaded if found.side_of[i] == 0 else model.back
    row, _ = rows_of_point(model, found, i)
    table, mirror, z = found.table[i], side.side, model.z[0, found.slice_of[i]]
    on, cos_beta_b, angle = table[SIGN], side.axial[0], angle_of_pinion(side, found, i)
    x, y, nx, ny = position_of_point(side.pinion, row, table, np.cos(angle), np.sin(angle))
    y *= mirror
    fx, fy, fz, total = on * cos_beta_b * nx, mirror * on * cos_beta_b * ny, axial_normal(side, on), 0.0
    for gear in range(2):
        at, sign = gear * N_SHIFTS, 1.0 if gear == 0 else -1.0
        px, pz = (x, z) if gear == 0 else (x - model.center_distance, z + model.offset)
        way = fx * shift[at] + fy * shift[at + 1] + fz * shift[at + 2]
        total += sign * (way + (y * fz - pz * fy) * shift[at + 3] + (pz * fx - px * fz) * shift[at + 4])
    return total
