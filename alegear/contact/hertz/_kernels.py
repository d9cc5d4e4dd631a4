"""Compiled kernels of the line-contact law: closest approach, strip of contact, rows of displacement.

Floats and contiguous arrays only, calling nothing outside this file: a cached kernel that called another file would
keep returning old numbers after that file changes. The equations stand in ``README.md`` of this folder. Names:

* a *point* is one tooth pair in one slice of the face; all its geometry is that of the transverse section there;
* *tip* gear A: the one whose tip is nearer, its profile is searched; *flank* gear P: its profile is projected on;
* sections are looked at in mirrored coordinates where back flanks (b) touch, so that every flank is a flank a;
* ``phi`` are rotations positive in the running direction, ``spin`` turns them into rotations of the section.
"""

from __future__ import annotations

import numba
import numpy as np

kernel = numba.njit(cache=True, fastmath=False, error_model="numpy")

# Columns of the table of points. Index pairs are (pinion, wheel); "_x" is the derivative with respect to phi_1, phi_2.
GAP = 0  # normal gap of the modified flanks [m], positive = open
S = 1  # 1, 2: parameter of the contact point on the profiles [m]
G_X = 3  # 3, 4: gap_x [m]
G_XX = 5  # 5 ... 8: gap_xy, row by row [m]
S_X = 9  # 9 ... 12: (s_1)_x, (s_2)_x [m]
NX, NY = 13, 15  # 13, 14 and 15, 16: transverse normal of P in the sections of pinion and wheel
TURN_X = 17  # 17 ... 20: rate by which that normal turns in either section: n_x = -turn t, t_x = turn n
L_X = 21  # 21, 22: tangential velocity of A against P for unit speeds [m]
L_XX = 23  # 23 ... 26: its derivatives [m]
SIGN = 27  # +1: the pinion is A, -1: the wheel is A
N_COLUMNS = 28

ROWS = 4  # rows of nodes along the profile that the displacement of a point is interpolated from


@kernel
def curve_at(knots, curve, s):
    """Point, first and second derivative of a tabulated profile: cubic Hermite on two uniform stretches of knots.

    ``knots`` = (s at the first knot, spacing, knots of the first stretch, spacing of the second). Beyond its ends the
    curve goes on as its first and its last cubic.
    """
    first, n = int(knots[2]), curve.shape[0]
    split = knots[0] + (first - 1) * knots[1]
    if s < split:
        h = knots[1]
        j = min(max(int((s - knots[0]) / h), 0), first - 2)
        t = (s - knots[0]) / h - j
    else:
        h = knots[3]
        j = min(max(int((s - split) / h), 0), n - first - 1)
        t = (s - split) / h - j
        j += first - 1
    ax, ay, adx, ady = curve[j, 0], curve[j, 1], curve[j, 2], curve[j, 3]
    bx, by, bdx, bdy = curve[j + 1, 0] - ax, curve[j + 1, 1] - ay, curve[j + 1, 2], curve[j + 1, 3]
    p = t * t * (3.0 - 2.0 * t)
    q, r = h * t * (1.0 - t) * (1.0 - t), h * t * t * (t - 1.0)
    dp = 6.0 * t * (1.0 - t) / h
    dq, dr = (1.0 - t) * (1.0 - 3.0 * t), t * (3.0 * t - 2.0)
    ddp = (6.0 - 12.0 * t) / (h * h)
    ddq, ddr = (6.0 * t - 4.0) / h, (6.0 * t - 2.0) / h
    return (
        ax + p * bx + q * adx + r * bdx,
        ay + p * by + q * ady + r * bdy,
        dp * bx + dq * adx + dr * bdx,
        dp * by + dq * ady + dr * bdy,
        ddp * bx + ddq * adx + ddr * bdx,
        ddp * by + ddq * ady + ddr * bdy,
    )


@kernel
def points_on(knots, curve, slice_of, s):
    """Points (n,), (n,) of profiles at the places s (n,), each in its slice."""
    x, y = np.empty(s.shape[0]), np.empty(s.shape[0])
    for i in range(s.shape[0]):
        x[i], y[i], _, _, _, _ = curve_at(knots, curve[slice_of[i]], s[i])
    return x, y


@kernel
def project(knots, curve, x, y, s):
    """Foot of a point on a profile: Newton from ``s``. Returns s, and at the foot tangent, n.Y'' and gap, |Y'|.

    The curvature kappa = n.Y''/|Y'|^2 is negative on a convex flank, the gap positive outside the material.
    """
    low, high = knots[0], knots[0] + (knots[2] - 1.0) * knots[1] + (curve.shape[0] - knots[2]) * knots[3]
    for _ in range(30):
        px, py, dx, dy, ddx, ddy = curve_at(knots, curve, s)
        ex, ey = x - px, y - py
        speed2 = dx * dx + dy * dy
        f = ex * dx + ey * dy
        slope = ex * ddx + ey * ddy - speed2
        if slope > -0.05 * speed2:  # beyond the centre of curvature of a hollow: keep to the direction of the flank
            slope = -speed2
        step = -f / slope
        s_new = min(max(s + step, low), high)
        done = abs(s_new - s) < 1e-15
        s = s_new
        if done:
            break
    px, py, dx, dy, ddx, ddy = curve_at(knots, curve, s)
    speed = np.sqrt(dx * dx + dy * dy)
    tx, ty = dx / speed, dy / speed
    kappa = (-ty * ddx + tx * ddy) / (speed * speed)
    gap = -ty * (x - px) + tx * (y - py)
    return s, tx, ty, kappa, gap, speed


@kernel
def slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_a, s_p):
    """Derivative of the gap along profile A, its own derivative, the foot on P and the gap there."""
    ax, ay, adx, ady, addx, addy = curve_at(knots_a, curve_a, s_a)
    x, y = c * ax - sn * ay + cx, sn * ax + c * ay + cy
    s_p, tx, ty, kappa, gap, _ = project(knots_p, curve_p, x, y, s_p)
    dx, dy = c * adx - sn * ady, sn * adx + c * ady
    ddx, ddy = c * addx - sn * addy, sn * addx + c * addy
    along = tx * dx + ty * dy
    slope = -ty * dx + tx * dy
    curvature = -ty * ddx + tx * ddy - kappa * along * along / (1.0 - kappa * gap)
    return slope, curvature, s_p, gap


@kernel
def closest(knots_a, curve_a, removal_p, knots_p, curve_p, polar, samples, deepest, c, sn, cx, cy):
    """Closest approach of two modified profiles, looked for along the whole of profile A.

    First samples of A are held against P at the same distance from P's axis; then the place where the gap has no slope
    is found between the neighbours of the best sample by Newton's method kept inside that bracket.

    Parameters
    ----------
    polar : (n, 4) of P, uniform in the radius: radius, s, polar angle, cosine of the pressure angle
    samples : (m,) places on A
    deepest : overlaps beyond it are the tooth seen from behind [m]
    c, sn, cx, cy : rotation from A's section to P's, and A's axis in P's section [m]

    Returns
    -------
    s_a, s_p, gap, inside : the gap is infinite where A does not reach P; inside is 0 if an end of profile A is closest.
    """
    best, at, s_p = np.inf, -1, 0.0
    r_0, r_1, n_r = polar[0, 0], polar[polar.shape[0] - 1, 0], polar.shape[0]
    first = int(knots_p[2])
    for i in range(samples.shape[0]):
        ax, ay, _, _, _, _ = curve_at(knots_a, curve_a, samples[i])
        x, y = c * ax - sn * ay + cx, sn * ax + c * ay + cy
        rho = np.sqrt(x * x + y * y)
        if rho < r_0 or rho > r_1:
            continue
        f = (rho - r_0) / (r_1 - r_0) * (n_r - 1)
        j = min(int(f), n_r - 2)
        f -= j
        s = (1.0 - f) * polar[j, 1] + f * polar[j + 1, 1]
        angle = (1.0 - f) * polar[j, 2] + f * polar[j + 1, 2]
        k = min(max(int((s - knots_p[0]) / knots_p[1]), 0), first - 1)
        estimate = (np.arctan2(y, x) - angle) * rho * polar[j, 3] + removal_p[k]
        if -deepest < estimate < best:
            best, at, s_p = estimate, i, s
    if at < 0:
        return 0.0, 0.0, np.inf, 0
    last = samples.shape[0] - 1
    low, high = max(at - 1, 0), min(at + 1, last)
    h_low, _, sp_low, g_low = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, samples[low], s_p)
    while h_low > 0.0 and low > 0:
        low -= 1
        high = low + 1
        h_low, _, sp_low, g_low = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, samples[low], sp_low)
    if h_low > 0.0:
        return samples[low], sp_low, g_low, 0
    h_high, _, sp_high, g_high = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, samples[high], s_p)
    while h_high < 0.0 and high < last:
        low = high
        high += 1
        h_high, _, sp_high, g_high = slope_of_gap(
            knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, samples[high], sp_high
        )
    if h_high < 0.0:
        return samples[high], sp_high, g_high, 0
    a, b = samples[low], samples[high]
    s_a, gap, before = 0.5 * (a + b), np.inf, np.inf
    for _ in range(100):
        h, dh, s_p, gap = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_a, s_p)
        if h < 0.0:
            a = s_a
        else:
            b = s_a
        new = s_a - h / dh if dh > 0.0 else np.inf
        if abs(new - s_a) < 1e-14 or b - a < 1e-14:
            break
        # at a kink Newton's steps lead to and fro across it: where they do not get better the bracket is halved
        if not a <= new <= b or abs(h) > 0.5 * before:
            new = 0.5 * (a + b)
        before = abs(h)
        s_a = new
    _, _, s_p, gap = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_a, s_p)
    return s_a, s_p, gap, 1


@kernel
def place_in_section(pinion_is_a, psi_1, psi_2, axis_x, axis_y):
    """Rotation from A's section to P's (cosine, sine), and A's axis in P's section [m]."""
    if pinion_is_a:
        cp, sp = np.cos(psi_2), np.sin(psi_2)
        return np.cos(psi_1 - psi_2), np.sin(psi_1 - psi_2), -(cp * axis_x + sp * axis_y), sp * axis_x - cp * axis_y
    cp, sp = np.cos(psi_1), np.sin(psi_1)
    return np.cos(psi_1 - psi_2), -np.sin(psi_1 - psi_2), cp * axis_x + sp * axis_y, -sp * axis_x + cp * axis_y


@kernel
def find_points(
    # model: profiles of pinion and wheel
    knots_1, curve_1, removal_1, polar_1, samples_1, corner_1,
    knots_2, curve_2, removal_2, polar_2, samples_2, corner_2,
    # model: section angles of both gears and place of the wheel's axis by slice
    twist_1, twist_2, axis_x, axis_y, switch_angle, deepest, cos_beta_b, spin_1, spin_2,
    # in: angles of both teeth in the pair
    angle_1, angle_2, deviation, reach, pair, start,
    # out
    table, pair_of, slice_of,
):  # fmt: skip
    """Closest approach of one pair of teeth in every slice, with its derivatives; points with a gap below ``reach``.

    Returns the number of rows filled.
    """
    count = start
    for k in range(axis_x.shape[0]):
        psi_1, psi_2 = angle_1 + twist_1[k], angle_2 + twist_2[k]
        pinion_is_a = psi_1 > switch_angle
        c, sn, cx, cy = place_in_section(pinion_is_a, psi_1, psi_2, axis_x[k], axis_y[k])
        if pinion_is_a:
            s_a, s_p, gap, inside = closest(
                knots_1, curve_1[k], removal_2[k], knots_2, curve_2[k], polar_2, samples_1, deepest, c, sn, cx, cy
            )
            corner = corner_2
        else:
            s_a, s_p, gap, inside = closest(
                knots_2, curve_2[k], removal_1[k], knots_1, curve_1[k], polar_1, samples_2, deepest, c, sn, cx, cy
            )
            corner = corner_1
        # The foot on an undercut edge deeper in A than the edge is round is not unique: the edge is held against A.
        if len(corner) and abs(s_p) < corner[-1] + abs(gap) < np.inf:
            ce, sne, cxe, cye = place_in_section(not pinion_is_a, psi_1, psi_2, axis_x[k], axis_y[k])
            if pinion_is_a:
                s_e, s_f, gap_e, found = closest(
                    knots_2, curve_2[k], removal_1[k], knots_1, curve_1[k], polar_1, corner, deepest, ce, sne, cxe, cye
                )
                flank_end = knots_1[0] + (knots_1[2] - 1.0) * knots_1[1]
            else:
                s_e, s_f, gap_e, found = closest(
                    knots_1, curve_1[k], removal_2[k], knots_2, curve_2[k], polar_2, corner, deepest, ce, sne, cxe, cye
                )
                flank_end = knots_2[0] + (knots_2[2] - 1.0) * knots_2[1]
            if found == 1 and s_f < flank_end:
                pinion_is_a = not pinion_is_a
                s_a, s_p, gap, inside, c, sn, cx, cy = s_e, s_f, gap_e, found, ce, sne, cxe, cye
        if pinion_is_a:
            spin_a, spin_p = spin_1, spin_2
            a, p = 0, 1
        else:
            spin_a, spin_p = spin_2, spin_1
            a, p = 1, 0
        if not -deepest < gap < deepest or not (gap - deviation) * cos_beta_b < reach:
            continue
        if pinion_is_a:
            ax, ay, adx, ady, addx, addy = curve_at(knots_1, curve_1[k], s_a)
            _, _, pdx, pdy, pddx, pddy = curve_at(knots_2, curve_2[k], s_p)
        else:
            ax, ay, adx, ady, addx, addy = curve_at(knots_2, curve_2[k], s_a)
            _, _, pdx, pdy, pddx, pddy = curve_at(knots_1, curve_1[k], s_p)
        zx, zy = c * ax - sn * ay, sn * ax + c * ay
        x, y = zx + cx, zy + cy
        speed_p, speed_a = np.sqrt(pdx * pdx + pdy * pdy), np.sqrt(adx * adx + ady * ady)
        tx, ty = pdx / speed_p, pdy / speed_p
        nx, ny = -ty, tx
        kappa_p = (nx * pddx + ny * pddy) / speed_p**2
        kappa_a = (-ady * addx + adx * addy) / speed_a**3
        row = table[count]
        row[GAP] = (gap - deviation) * cos_beta_b
        row[S + a], row[S + p] = s_a, s_p
        row[SIGN] = 1.0 if pinion_is_a else -1.0
        # velocities of A's point in P's section for unit rates of A and of P, and rates of A's section against P's
        vx, vy, tau = np.empty(2), np.empty(2), np.empty(2)
        vx[a], vy[a], tau[a] = -spin_a * zy, spin_a * zx, spin_a
        vx[p], vy[p], tau[p] = spin_p * y, -spin_p * x, -spin_p
        # second derivatives of the point: X_aa = -Z, X_ap = spin_a spin_p Z, X_pp = -X
        accel = np.empty((2, 2, 2))
        accel[a, a, 0], accel[a, a, 1] = -zx, -zy
        accel[a, p, 0], accel[a, p, 1] = spin_a * spin_p * zx, spin_a * spin_p * zy
        accel[p, a, 0], accel[p, a, 1] = accel[a, p, 0], accel[a, p, 1]
        accel[p, p, 0], accel[p, p, 1] = -x, -y
        m = 1.0 - kappa_p * gap
        bending = kappa_a * m + kappa_p
        arc_a, arc_p = np.empty(2), np.empty(2)
        for i in range(2):
            along = tx * vx[i] + ty * vy[i]
            if inside == 1:
                arc_p[i] = (kappa_a * along + tau[i]) / bending
                arc_a[i] = along - m * arc_p[i]
            else:  # the end of profile A stays the closest
                arc_a[i] = 0.0
                arc_p[i] = along / m
            row[G_X + i] = cos_beta_b * (nx * vx[i] + ny * vy[i])
            row[L_X + i] = along
            row[S_X + 2 * a + i] = arc_a[i] / speed_a
            row[S_X + 2 * p + i] = arc_p[i] / speed_p
            row[TURN_X + 2 * p + i] = kappa_p * arc_p[i]
            row[TURN_X + 2 * a + i] = kappa_p * arc_p[i] - tau[i]
        for i in range(2):
            along, across = tx * vx[i] + ty * vy[i], nx * vx[i] + ny * vy[i]
            for j in range(2):
                second_n = nx * accel[i, j, 0] + ny * accel[i, j, 1]
                second_t = tx * accel[i, j, 0] + ty * accel[i, j, 1]
                row[G_XX + 2 * i + j] = cos_beta_b * (second_n - kappa_p * along * arc_p[j] - tau[i] * arc_a[j])
                row[L_XX + 2 * i + j] = second_t + kappa_p * across * arc_p[j]
        row[NX + p], row[NY + p] = nx, ny
        row[NX + a], row[NY + a] = c * nx + sn * ny, -sn * nx + c * ny
        pair_of[count], slice_of[count] = pair, k
        count += 1
    return count


@kernel
def direction(knots, angle, s, round_radius):
    """Direction of the profile [rad] with its hollows bridged, and its derivative; never rises with s.

    ``angle`` (n_knots, 2) are values and slopes. Beyond the end of the tip round the round goes on, below the first
    knot the profile is straight.
    """
    first, n = int(knots[2]), angle.shape[0]
    split = knots[0] + (first - 1) * knots[1]
    if s < knots[0]:
        return angle[0, 0], 0.0
    if s < split:
        h = knots[1]
        j = min(int((s - knots[0]) / h), first - 2)
        t = (s - knots[0]) / h - j
    else:
        h = knots[3]
        j = min(int((s - split) / h), n - first - 1)
        t = (s - split) / h - j
        j += first - 1
        if t > 1.0:
            return angle[n - 1, 0] - (t - 1.0) * h / round_radius, -1.0 / round_radius
    low, rise = angle[j, 0], angle[j + 1, 0] - angle[j, 0]
    at_low, at_high = angle[j, 1], angle[j + 1, 1]
    value = low + t * t * (3.0 - 2.0 * t) * rise + h * t * (1.0 - t) * ((1.0 - t) * at_low - t * at_high)
    slope = 6.0 * t * (1.0 - t) * rise / h + (1.0 - t) * (1.0 - 3.0 * t) * at_low + t * (3.0 * t - 2.0) * at_high
    return value, slope


@kernel
def bending_away(knots_1, angle_1, round_1, s_1, at_1, rate_1, knots_2, angle_2, round_2, s_2, at_2, rate_2, x):
    """Slope between both flanks at the distance ``x`` from the contact point, along the tangent of the pinion's flank.

    Returns it [rad] with its derivatives against x, s_1 and s_2; it never falls with x.
    """
    t_1, k_1 = direction(knots_1, angle_1, s_1 + x, round_1)
    t_2, k_2 = direction(knots_2, angle_2, s_2 - x, round_2)
    return (at_1 - t_1) + (t_2 - at_2), -k_1 - k_2, rate_1 - k_1, k_2 - rate_2


@kernel
def table_at(s_grid, ln_b_grid, table, s, b, out):
    """Compliance W of a layer, dW/ds and dW/db, into ``out`` (3,).

    Bicubic Hermite; beyond the table constant in s, for narrow strips linear in ln b, for wide ones a power of b.
    """
    n, m = s_grid.shape[0], ln_b_grid.shape[0]
    y = np.log(b)
    s_in, y_in = min(max(s, s_grid[0]), s_grid[n - 1]), min(max(y, ln_b_grid[0]), ln_b_grid[m - 1])
    j = 0
    lo, hi = 0, n - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if s_grid[mid] <= s_in:
            lo = mid
        else:
            hi = mid
    j = lo
    lo, hi = 0, m - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if ln_b_grid[mid] <= y_in:
            lo = mid
        else:
            hi = mid
    k = lo
    h, g = s_grid[j + 1] - s_grid[j], ln_b_grid[k + 1] - ln_b_grid[k]
    t, u = (s_in - s_grid[j]) / h, (y_in - ln_b_grid[k]) / g
    f, d = np.empty(4), np.empty(4)  # value and slope functions in s, then in ln b
    e, c = np.empty(4), np.empty(4)
    f[0], f[1] = 1.0 - t * t * (3.0 - 2.0 * t), t * t * (3.0 - 2.0 * t)
    f[2], f[3] = h * t * (1.0 - t) ** 2, h * t * t * (t - 1.0)
    d[0], d[1] = -6.0 * t * (1.0 - t) / h, 6.0 * t * (1.0 - t) / h
    d[2], d[3] = (1.0 - t) * (1.0 - 3.0 * t), t * (3.0 * t - 2.0)
    e[0], e[1] = 1.0 - u * u * (3.0 - 2.0 * u), u * u * (3.0 - 2.0 * u)
    e[2], e[3] = g * u * (1.0 - u) ** 2, g * u * u * (u - 1.0)
    c[0], c[1] = -6.0 * u * (1.0 - u) / g, 6.0 * u * (1.0 - u) / g
    c[2], c[3] = (1.0 - u) * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)
    value, by_s, by_y, by_sy = 0.0, 0.0, 0.0, 0.0
    for i in range(2):
        for q in range(2):
            v, v_s = table[0, j + i, k + q], table[1, j + i, k + q]
            v_y, v_sy = table[2, j + i, k + q], table[3, j + i, k + q]
            value += f[i] * (e[q] * v + e[2 + q] * v_y) + f[2 + i] * (e[q] * v_s + e[2 + q] * v_sy)
            by_s += d[i] * (e[q] * v + e[2 + q] * v_y) + d[2 + i] * (e[q] * v_s + e[2 + q] * v_sy)
            by_y += f[i] * (c[q] * v + c[2 + q] * v_y) + f[2 + i] * (c[q] * v_s + c[2 + q] * v_sy)
            by_sy += d[i] * (c[q] * v + c[2 + q] * v_y) + d[2 + i] * (c[q] * v_s + c[2 + q] * v_sy)
    if s != s_in:
        by_s, by_sy = 0.0, 0.0
    beyond = y - y_in
    if beyond < 0.0:
        value += by_y * beyond
        by_s += by_sy * beyond
    elif beyond > 0.0:
        power = by_y / value
        factor = np.exp(power * beyond)
        by_s = (by_s + beyond * (by_sy - power * by_s)) * factor
        value *= factor
        by_y *= factor
    out[0], out[1], out[2] = value, by_s, by_y / b


@kernel
def strip(
    knots_1, angle_1, round_1, s_grid_1, ln_b_1, table_1, soft_1, s_1, at_1, rate_1,
    knots_2, angle_2, round_2, s_grid_2, ln_b_2, table_2, soft_2, s_2, at_2, rate_2,
    modulus, least_curvature, b, out,
):  # fmt: skip
    """Line load and approach of a strip of contact of the half-width ``b``.

    The strip lies where both its edges are bent away by the same angle alpha; then q = (pi E*/4) b alpha, which is
    Hertz for circles, and b follows from alpha on edges as well.

    ``out`` (9,): q, q_b, q_s1, q_s2, w, w_b, w_s1, w_s2, alpha.
    """
    c, high, low = 0.0, np.empty(4), np.empty(4)
    left, right = -b, b  # between them the slopes of both edges balance
    before = np.inf
    for _ in range(100):
        high[0], high[1], high[2], high[3] = bending_away(
            knots_1, angle_1, round_1, s_1, at_1, rate_1, knots_2, angle_2, round_2, s_2, at_2, rate_2, c + b
        )
        low[0], low[1], low[2], low[3] = bending_away(
            knots_1, angle_1, round_1, s_1, at_1, rate_1, knots_2, angle_2, round_2, s_2, at_2, rate_2, c - b
        )
        excess, k_c = high[0] + low[0], high[1] + low[1]
        if excess < 0.0:
            left = c
        else:
            right = c
        new = c - excess / k_c if k_c > 0.0 else np.inf
        if abs(new - c) <= 1e-15 * b or right - left <= 1e-15 * b:
            break
        # as in `closest`
        if not left <= new <= right or abs(excess) > 0.5 * before:
            new = 0.5 * (left + right)
        before = abs(excess)
        c = new
    k_c = max(high[1] + low[1], 2.0 * least_curvature)
    c_b = -(high[1] - low[1]) / k_c
    c_1, c_2 = -(high[2] + low[2]) / k_c, -(high[3] + low[3]) / k_c
    alpha = 0.5 * (high[0] - low[0])
    alpha_b = 0.5 * (high[1] * (c_b + 1.0) - low[1] * (c_b - 1.0))
    alpha_1 = 0.5 * (high[2] - low[2] + (high[1] - low[1]) * c_1)
    alpha_2 = 0.5 * (high[3] - low[3] + (high[1] - low[1]) * c_2)
    if alpha < least_curvature * b:
        alpha, alpha_b, alpha_1, alpha_2 = least_curvature * b, least_curvature, 0.0, 0.0
    factor = 0.25 * np.pi * modulus
    q, q_b = factor * b * alpha, factor * (alpha + b * alpha_b)
    q_1, q_2 = factor * b * alpha_1, factor * b * alpha_2
    w_1, w_2 = np.empty(3), np.empty(3)
    table_at(s_grid_1, ln_b_1, table_1, s_1 + c, b, w_1)
    table_at(s_grid_2, ln_b_2, table_2, s_2 - c, b, w_2)
    W = soft_1 * w_1[0] + soft_2 * w_2[0]
    W_c = soft_1 * w_1[1] - soft_2 * w_2[1]
    W_b = soft_1 * w_1[2] + soft_2 * w_2[2] + W_c * c_b
    out[0], out[1], out[2], out[3] = q, q_b, q_1, q_2
    out[4], out[5] = q * W, q_b * W + q * W_b
    out[6] = q_1 * W + q * (soft_1 * w_1[1] + W_c * c_1)
    out[7] = q_2 * W + q * (soft_2 * w_2[1] + W_c * c_2)
    out[8] = alpha


@kernel
def line_contact(
    # model
    knots_1, angle_1, round_1, s_grid_1, ln_b_1, table_1, soft_1,
    knots_2, angle_2, round_2, s_grid_2, ln_b_2, table_2, soft_2,
    modulus, least_curvature,
    # in
    table, slice_of, points, line_load, half_width,
    # out
    w, w_q, w_s,
):  # fmt: skip
    """Approach of the layers under given line loads, and its derivatives, for some points.

    Parameters
    ----------
    points : (n,) rows of ``table``; line_load : (n,) [N/m], positive
    half_width : (n,) [m] in: first guess (not positive: none); out: half-width of the strip in the transverse section
    w, w_q : (n,) out [m], [m^2/N]; w_s : (n, 2) out, derivatives against s_1 and s_2 at constant load

    Returns
    -------
    int : largest number of Newton steps taken.
    """
    out = np.empty(9)
    most = 0
    for i in range(points.shape[0]):
        p = points[i]
        k = slice_of[p]
        s_1, s_2 = table[p, S], table[p, S + 1]
        at_1, rate_1 = direction(knots_1, angle_1[k], s_1, round_1)
        at_2, rate_2 = direction(knots_2, angle_2[k], s_2, round_2)
        q = line_load[i]
        b = half_width[i]
        if not b > 0.0:
            b = np.sqrt(4.0 * q / (np.pi * modulus * max(-rate_1 - rate_2, least_curvature)))
        low, high, before = 0.0, np.inf, np.inf
        for step in range(100):
            strip(
                knots_1, angle_1[k], round_1, s_grid_1, ln_b_1, table_1, soft_1, s_1, at_1, rate_1,
                knots_2, angle_2[k], round_2, s_grid_2, ln_b_2, table_2, soft_2, s_2, at_2, rate_2,
                modulus, least_curvature, b, out,
            )  # fmt: skip
            excess = out[0] - q
            most = max(most, step + 1)
            if abs(excess) <= 3e-14 * q:
                break
            if excess < 0.0:
                low = b
            else:
                high = b
            new = b - excess / out[1] if out[1] > 0.0 else np.nan
            if abs(new - b) <= 1e-14 * b:
                break
            if high < np.inf and (not low < new < high or abs(excess) > 0.5 * before):
                new = 0.5 * (low + high)
            elif not new > low:
                new = 2.0 * b
            before = abs(excess)
            b = new
        half_width[i] = b
        w[i] = out[4]
        w_q[i] = out[5] / out[1]
        w_s[i, 0] = out[6] - w_q[i] * out[2]
        w_s[i, 1] = out[7] - w_q[i] * out[3]
    return most


@kernel
def row_weights(coefficients, rows_s, s, weight, slope):
    """Weights (4,) of the nodes ``first`` ... ``first + 3`` along the profile at ``s``, and their derivatives.

    ``coefficients`` (n_rows - 1, 4 powers, 4 nodes) of the cubics between the rows; straight beyond the ends.
    """
    n = rows_s.shape[0]
    s_in = min(max(s, rows_s[0]), rows_s[n - 1])
    lo, hi = 0, n - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if rows_s[mid] <= s_in:
            lo = mid
        else:
            hi = mid
    t = s_in - rows_s[lo]
    for i in range(ROWS):
        c0, c1 = coefficients[lo, 0, i], coefficients[lo, 1, i]
        c2, c3 = coefficients[lo, 2, i], coefficients[lo, 3, i]
        slope[i] = c1 + t * (2.0 * c2 + 3.0 * t * c3)
        weight[i] = c0 + t * (c1 + t * (c2 + t * c3)) + (s - s_in) * slope[i]
    return min(max(lo - 1, 0), n - ROWS)


@kernel
def displacement_rows(
    # model, one gear
    gear, side, coefficients, rows_s, n_cols, slot_offset, section_angle, first_col, col_weight, axial,
    # in
    table, pair_of, slice_of,
    # out
    dof, b, b_x, t, t_x,
):  # fmt: skip
    """Rows of one gear: relative normal and tangential displacement of each point by nodal displacement.

    Parameters
    ----------
    slot_offset : (n_pairs,) first degree of freedom of the tooth face in each pair
    section_angle : (n_slices,) by which the section is turned in the tooth frame [rad], mirrored with ``side``
    first_col, col_weight : (n_slices,), (n_slices, n_w) mean over the slice of the interpolation across the face
    axial : float, axial component of P's normal over its transverse one, times cos beta_b; cos beta_b itself
    dof, b, t : (n, 12 n_w) out; b_x, t_x : (2, n, 12 n_w) out
    """
    n_w = col_weight.shape[1]
    weight, slope = np.empty(ROWS), np.empty(ROWS)
    normal, tangent = np.empty(3), np.empty(3)
    cos_beta_b, axial_p = axial[0], axial[1]
    for p in range(table.shape[0]):
        k = slice_of[p]
        first = row_weights(coefficients, rows_s, table[p, S + gear], weight, slope)
        is_a = (table[p, SIGN] > 0.0) == (gear == 0)
        sign = 1.0 if is_a else -1.0
        co, si = np.cos(section_angle[k]), np.sin(section_angle[k])
        nx, ny = table[p, NX + gear], table[p, NY + gear]
        # (n, J n) turned into the tooth frame and mirrored back; t = -J n
        normal[0], normal[1] = co * nx - si * ny, side * (si * nx + co * ny)
        tangent[0], tangent[1] = si * nx + co * ny, side * (si * ny - co * nx)
        tangent[2] = 0.0
        # the normal of P seen along the axis: gear 0 is P if A is the wheel
        normal_z = axial_p if table[p, SIGN] < 0.0 else -axial_p
        e = 0
        for i in range(ROWS):
            for c in range(n_w):
                w = sign * weight[i] * col_weight[k, c]
                d = sign * slope[i] * col_weight[k, c]
                node = slot_offset[pair_of[p]] + 3 * ((first + i) * n_cols + first_col[k] + c)
                for axis in range(3):
                    n3 = cos_beta_b * normal[axis] if axis < 2 else normal_z
                    dof[p, e] = node + axis
                    b[p, e] = w * n3
                    t[p, e] = w * tangent[axis]
                    for x in range(2):
                        s_x, turn = table[p, S_X + 2 * gear + x], table[p, TURN_X + 2 * gear + x]
                        in_plane = cos_beta_b * turn if axis < 2 else 0.0
                        b_x[x, p, e] = d * s_x * n3 - w * in_plane * tangent[axis]
                        t_x[x, p, e] = d * s_x * tangent[axis]
                        if axis < 2:
                            t_x[x, p, e] += w * turn * normal[axis]
                    e += 1


@kernel
def displace(C, dof, weight, points, out):
    """Displacement of all nodes under unit forces at some points: out (n, n_dof) = weight C."""
    for i in range(points.shape[0]):
        p = points[i]
        for d in range(C.shape[0]):
            out[i, d] = 0.0
        for e in range(dof.shape[1]):
            w = weight[p, e]
            if w != 0.0:
                line = C[dof[p, e]]
                for d in range(C.shape[0]):
                    out[i, d] += w * line[d]


@kernel
def gather(dof, weight, points, field, out):
    """Add rows . field^T: out (n_fields, n) += for fields (n_fields, n_dof)."""
    for f in range(field.shape[0]):
        for i in range(points.shape[0]):
            p = points[i]
            total = 0.0
            for e in range(dof.shape[1]):
                total += weight[p, e] * field[f, dof[p, e]]
            out[f, i] += total


@kernel
def scatter(dof, weight, points, value, out):
    """Add rows^T value to a nodal vector (n_dof,)."""
    for i in range(points.shape[0]):
        p = points[i]
        for e in range(dof.shape[1]):
            out[dof[p, e]] += weight[p, e] * value[i]
