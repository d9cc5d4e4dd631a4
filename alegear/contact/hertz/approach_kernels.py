"""Compiled: closest approach of two modified profiles, slice by slice (``README.md`` of this folder, sections 1 and 2).

The kernels of the search take the arrays they need, not the named tuples: either gear may be A, and either slice's.
"""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.model_kernels import (
    APART,
    AXIS,
    EASE,
    EASE_N,
    EASE_TURN,
    EASE_X,
    EDGE,
    G_X,
    G_XX,
    GAP,
    L_X,
    L_XX,
    N_COLUMNS,
    N_SHIFTS,
    N_TURNS,
    NX,
    NY,
    PLACES,
    S_X,
    SIGN,
    TURN_X,
    TWIST,
    S,
)
from alegear.kernels.decorators import kernel, lean_kernel

RIVALS = 1.0 / 3.0  # of the deepest overlap: how much further apart than the nearest place another is looked at
LEVEL, RIDGE = 1e-6, 2  # slope of the gap that counts as none, and what there is where it jumps
SAME = 1e-3  # of the deepest overlap: places as close together are one
EVEN = 8e-8  # of the deepest overlap: a gap that changes by less across half a slice is even along it
NEAR_ENOUGH = 8e-4  # of the deepest overlap: sampled gaps are taken again where nothing has moved by more
SAME_FOOT, SAME_PLACE = 1e-13, 1e-12  # of the length of a profile: steps as small end a search
STRAIGHT = 8  # steps of Newton's method that lead straight to the closest place; five from a sample are usual


@kernel
def curve_at(knots, curve, s):
    """Point, first and second derivative of a tabulated profile: cubic Hermite on two uniform stretches of knots.

    ``knots`` = (s at the first knot, spacing, knots of the first stretch, spacing of the second, radius of the tip
    round, both spacings inverted). Beyond its ends the curve goes on as its first and its last cubic.
    """
    first, n = int(knots[2]), curve.shape[0]
    split = knots[0] + (first - 1) * knots[1]
    if s < split:
        h, per_h = knots[1], knots[5]
        t = (s - knots[0]) * per_h
        j = min(max(int(t), 0), first - 2)
        t -= j
    else:
        h, per_h = knots[3], knots[6]
        t = (s - split) * per_h
        j = min(max(int(t), 0), n - first - 1)
        t -= j
        j += first - 1
    ax, ay, adx, ady = curve[j, 0], curve[j, 1], curve[j, 2], curve[j, 3]
    bx, by, bdx, bdy = curve[j + 1, 0] - ax, curve[j + 1, 1] - ay, curve[j + 1, 2], curve[j + 1, 3]
    p = t * t * (3.0 - 2.0 * t)
    q, r = h * t * (1.0 - t) * (1.0 - t), h * t * t * (t - 1.0)
    dp = 6.0 * t * (1.0 - t) * per_h
    dq, dr = (1.0 - t) * (1.0 - 3.0 * t), t * (3.0 * t - 2.0)
    ddp = (6.0 - 12.0 * t) * per_h * per_h
    ddq, ddr = (6.0 * t - 4.0) * per_h, (6.0 * t - 2.0) * per_h
    return (
        ax + p * bx + q * adx + r * bdx,
        ay + p * by + q * ady + r * bdy,
        dp * bx + dq * adx + dr * bdx,
        dp * by + dq * ady + dr * bdy,
        ddp * bx + ddq * adx + ddr * bdx,
        ddp * by + ddq * ady + ddr * bdy,
    )


@kernel
def points_on(knots, curve, row, s):
    """Points (n,), (n,) of profiles at the places s (n,), each on the profile of its row."""
    x, y = np.empty(s.shape[0]), np.empty(s.shape[0])
    for i in range(s.shape[0]):
        x[i], y[i], _, _, _, _ = curve_at(knots[row[i]], curve[row[i]], s[i])
    return x, y


@lean_kernel
def project(knots, curve, x, y, s):
    """Foot of a point on a profile: Newton from ``s``. Returns s, and at the foot tangent, curvature, gap.

    The curvature kappa = n.Y''/|Y'|^2 is negative on a convex flank, the gap positive outside the material.
    """
    low, high = knots[0], knots[0] + (knots[2] - 1.0) * knots[1] + (curve.shape[0] - knots[2]) * knots[3]
    px, py, dx, dy, ddx, ddy = curve_at(knots, curve, s)
    for _ in range(30):
        ex, ey = x - px, y - py
        speed2 = dx * dx + dy * dy
        f = ex * dx + ey * dy
        slope = ex * ddx + ey * ddy - speed2
        if slope > -0.05 * speed2:  # beyond the centre of curvature of a hollow: keep to the direction of the flank
            slope = -speed2
        s_new = min(max(s - f / slope, low), high)
        done = abs(s_new - s) < SAME_FOOT * (high - low)
        s = s_new
        px, py, dx, dy, ddx, ddy = curve_at(knots, curve, s)
        if done:
            break
    speed = np.sqrt(dx * dx + dy * dy)
    tx, ty = dx / speed, dy / speed
    kappa = (-ty * ddx + tx * ddy) / (speed * speed)
    gap = -ty * (x - px) + tx * (y - py)
    return s, tx, ty, kappa, gap


@lean_kernel
def slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_a, s_p):
    """Derivative of the gap along profile A, its own derivative, the foot on P and the gap there."""
    ax, ay, adx, ady, addx, addy = curve_at(knots_a, curve_a, s_a)
    x, y = c * ax - sn * ay + cx, sn * ax + c * ay + cy
    s_p, tx, ty, kappa, gap = project(knots_p, curve_p, x, y, s_p)
    dx, dy = c * adx - sn * ady, sn * adx + c * ady
    ddx, ddy = c * addx - sn * addy, sn * addx + c * addy
    along = tx * dx + ty * dy
    slope = -ty * dx + tx * dy
    curvature = -ty * ddx + tx * ddy - kappa * along * along / (1.0 - kappa * gap)
    return slope, curvature, s_p, gap


@lean_kernel
def nearest_samples(samples_a, polar, deepest, c, sn, cx, cy):
    """The two places where samples of A come nearest to P at the same distance from P's axis.

    Parameters
    ----------
    samples_a : (m, 3) places on A, and its points there [m]
    polar : of P in the slice, uniform in the radius: radius, s, cosine and sine of the polar angle, cosine between
        normal and circumferential direction
    deepest : overlaps beyond it are the tooth seen from behind [m]
    c, sn, cx, cy : rotation from A's section to P's, and A's axis in P's section [m]

    Returns
    -------
    gap, sample, foot : the least gap estimated [m], infinite where A does not reach P; its sample; its place on P [m]
    gap, sample, foot : of the next of the places from which the gap rises on both sides, if there is one
    """
    best, at, foot = np.inf, -1, 0.0
    second, rival, rival_foot = np.inf, -1, 0.0
    n, n_r = samples_a.shape[0], polar.shape[0]
    r_0, r_1 = polar[0, 0], polar[n_r - 1, 0]
    least, most, rate = r_0 * r_0, r_1 * r_1, (n_r - 1) / (r_1 - r_0)
    before, last, last_foot = np.inf, np.inf, 0.0  # of the two samples before
    for i in range(n + 1):
        estimate, s = np.inf, 0.0
        if i < n:
            ax, ay = samples_a[i, 1], samples_a[i, 2]
            x, y = c * ax - sn * ay + cx, sn * ax + c * ay + cy
            rho2 = x * x + y * y
            if least <= rho2 <= most:
                f = (np.sqrt(rho2) - r_0) * rate
                j = min(int(f), n_r - 2)
                f -= j
                co = (1.0 - f) * polar[j, 2] + f * polar[j + 1, 2]
                si = (1.0 - f) * polar[j, 3] + f * polar[j + 1, 3]
                gap = (y * co - x * si) * polar[j, 4]
                if x * co + y * si > 0.0 and gap > -deepest:  # else on the other side of the axis, or behind the tooth
                    estimate, s = gap, (1.0 - f) * polar[j, 1] + f * polar[j + 1, 1]
        if last < second and last <= before and last < estimate:
            if last < best:
                second, rival, rival_foot = best, at, foot
                best, at, foot = last, i - 1, last_foot
            else:
                second, rival, rival_foot = last, i - 1, last_foot
        before, last, last_foot = last, estimate, s
    return best, at, foot, second, rival, rival_foot


@lean_kernel
def closest(knots_a, curve_a, knots_p, curve_p, samples_a, at, s_a, s_p, c, sn, cx, cy):
    """Closest approach of two modified profiles about a sample of A: the place where the gap has no slope.

    Newton's method from a guess ``s_a``, ``s_p``; where that does not lead straight to a place between the neighbours
    of the sample, it is kept inside a bracket. Arguments as in `nearest_samples`.

    Returns
    -------
    s_a, s_p, gap, inside : inside is 0 if an end of the samples is closest, and RIDGE where the foot jumps from one
        side of an edge of P to the other, so that there is no common normal.
    """
    last = samples_a.shape[0] - 1
    low, high = max(at - 1, 0), min(at + 1, last)
    left, right = samples_a[low, 0], samples_a[high, 0]
    foot, guess, same = s_p, s_a, SAME_PLACE * (samples_a[last, 0] - samples_a[0, 0])
    for _ in range(STRAIGHT):
        h, dh, foot, gap = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, guess, foot)
        new = guess - h / dh if dh > 0.0 else np.inf
        if not left < new < right:
            break
        if abs(new - guess) < same:
            return guess, foot, gap, 1
        guess = new
    return closest_in_bracket(knots_a, curve_a, knots_p, curve_p, samples_a, low, high, s_p, c, sn, cx, cy)


@lean_kernel
def closest_in_bracket(knots_a, curve_a, knots_p, curve_p, samples_a, low, high, s_p, c, sn, cx, cy):
    """As `closest`, between two samples of A or beyond them."""
    last = samples_a.shape[0] - 1
    s_low, s_high = samples_a[low, 0], samples_a[high, 0]
    h_low, _, sp_low, g_low = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_low, s_p)
    while h_low > 0.0 and low > 0:
        low -= 1
        s_low, s_high = samples_a[low, 0], s_low
        high = low + 1
        h_low, _, sp_low, g_low = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_low, sp_low)
    if h_low > 0.0:
        return s_low, sp_low, g_low, 0
    h_high, _, sp_high, g_high = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_high, s_p)
    while h_high < 0.0 and high < last:
        high += 1
        s_low, s_high = s_high, samples_a[high, 0]
        h_high, _, sp_high, g_high = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_high, sp_high)
    if h_high < 0.0:
        return s_high, sp_high, g_high, 0
    left, right = s_low, s_high
    s_a, gap, before = 0.5 * (left + right), np.inf, np.inf
    same = SAME_PLACE * (samples_a[last, 0] - samples_a[0, 0])
    for _ in range(100):
        h, dh, s_p, gap = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_a, s_p)
        if h < 0.0:
            left = s_a
        else:
            right = s_a
        new = s_a - h / dh if dh > 0.0 else np.inf
        if abs(new - s_a) < same or right - left < same:
            break
        # at a kink Newton's steps lead to and fro across it: where they do not get better the bracket is halved
        if not left <= new <= right or abs(h) > 0.5 * before:
            new = 0.5 * (left + right)
        before = abs(h)
        s_a = new
    h, _, s_p, gap = slope_of_gap(knots_a, curve_a, knots_p, curve_p, c, sn, cx, cy, s_a, s_p)
    return s_a, s_p, gap, 1 if abs(h) < LEVEL else RIDGE


@lean_kernel
def place_in_section(pinion_is_a, psi_1, psi_2, axis_x, axis_y):
    """Rotation from A's section to P's (cosine, sine), and A's axis in P's section [m]."""
    if pinion_is_a:
        cp, sp = np.cos(psi_2), np.sin(psi_2)
        return np.cos(psi_1 - psi_2), np.sin(psi_1 - psi_2), -(cp * axis_x + sp * axis_y), sp * axis_x - cp * axis_y
    cp, sp = np.cos(psi_1), np.sin(psi_1)
    return np.cos(psi_1 - psi_2), -np.sin(psi_1 - psi_2), cp * axis_x + sp * axis_y, -sp * axis_x + cp * axis_y


@lean_kernel
def slot_angles(mirror, wheel_lead, place_1, place_2, added_1, added_2, cos_beta_b, phi, first_pair, angles, tooth):
    """Angles of both teeth of each pair in the coordinates of the side [rad], and the material added to them [m].

    Into ``angles`` (n_pairs, 3); the numbers of the teeth into ``tooth`` (n_pairs, 2). ``added_1``, ``added_2`` (z,)
    [m]: what teeth out of their places have more on these flanks. The material is that of both, in the transverse
    section.
    """
    for slot in range(angles.shape[0]):
        mate, pair = slot + wheel_lead, first_pair + slot
        angles[slot, 0] = mirror * (place_1[0] + place_1[3] * (phi[0] - slot * place_1[2]) + place_1[1])
        angles[slot, 1] = mirror * (place_2[0] + place_2[3] * (phi[1] - mate * place_2[2]) + place_2[1])
        tooth[slot, 0], tooth[slot, 1] = pair % added_1.shape[0], (pair + wheel_lead) % added_2.shape[0]
        angles[slot, 2] = (1.0 / cos_beta_b) * (added_1[tooth[slot, 0]] + added_2[tooth[slot, 1]])


@lean_kernel
def rows_of_point(model, found, i):
    """Which of the profiles of pinion and wheel touch at point i."""
    number, k = found.side_of[i], found.slice_of[i]
    side, tooth = model.loaded if number == 0 else model.back, found.tooth[number, found.pair_of[i]]
    return side.pinion.row_of[tooth[0], k], side.wheel.row_of[tooth[1], k]


@lean_kernel
def rolled(side, psi_1, psi_2):
    """How far both sections have rolled from where flanks touch at the pitch point, the mean, by the pinion [rad].

    Where loads close a gap, and at tip edges, both say otherwise how far; neither gear counts before the other.
    """
    roll = side.roll
    return roll[2] * (psi_1 - roll[0]) + roll[3] * (psi_2 - roll[1])


@lean_kernel
def estimate_gaps(side, position, n_pairs, deepest, angles, tooth, estimate, sample, foot):
    """Sampled gaps [m] of all pairs and slices (pairs, slices, places) with sample and foot, as in `find_place`.

    Infinite where nothing is near.
    """
    sections, identical_slice = position.sections, position.identical_slice
    for slot in range(n_pairs):
        here = 0 <= slot + side.wheel_lead < n_pairs
        for k in range(identical_slice.shape[0]):
            gaps, samples, feet, j = estimate[slot, k], sample[slot, k], foot[slot, k], identical_slice[k]
            if not here:
                gaps[:] = np.inf
            elif j < k:
                for place in range(PLACES):
                    gaps[place] = estimate[slot, j, place]
                    samples[place], feet[place] = sample[slot, j, place], foot[slot, j, place]
            else:
                psi_1, psi_2 = angles[slot, 0] + sections[k, TWIST], angles[slot, 1] + sections[k, TWIST + 1]
                row_1, row_2 = side.pinion.row_of[tooth[slot, 0], k], side.wheel.row_of[tooth[slot, 1], k]
                pinion_is_a = rolled(side, psi_1, psi_2) > side.switch_roll
                c, sn, cx, cy = place_in_section(pinion_is_a, psi_1, psi_2, sections[k, AXIS], sections[k, AXIS + 1])
                if pinion_is_a:
                    tip, flank, row_a, row_p = side.pinion, side.wheel, row_1, row_2
                else:
                    tip, flank, row_a, row_p = side.wheel, side.pinion, row_2, row_1
                gaps[0], samples[0], feet[0], gaps[1], samples[1], feet[1] = nearest_samples(
                    tip.samples[row_a], flank.polar[row_p], deepest, c, sn, cx, cy
                )
                gaps[EDGE] = np.inf
                if flank.corner.shape[1]:
                    c, sn, cx, cy = place_in_section(
                        not pinion_is_a, psi_1, psi_2, sections[k, AXIS], sections[k, AXIS + 1]
                    )
                    gaps[EDGE], samples[EDGE], feet[EDGE], _, _, _ = nearest_samples(
                        flank.corner[row_p], tip.polar[row_a], deepest, c, sn, cx, cy
                    )
                added = angles[slot, 2] + position.rocking[0] * rolled(side, psi_1, psi_2)
                for place in range(PLACES):
                    gaps[place] -= added


@lean_kernel
def closest_from(knots_a, curve_a, samples_a, knots_p, curve_p, c, sn, cx, cy, at, foot, guess):
    """Closest approach about a sample of A, from a guess (2,) of the places on A and P, which may be far off."""
    s_a = samples_a[at, 0]
    if abs(guess[0] - s_a) < abs(samples_a[min(at + 1, samples_a.shape[0] - 1), 0] - s_a):
        s_a, foot = guess[0], guess[1]
    return closest(knots_a, curve_a, knots_p, curve_p, samples_a, at, s_a, foot, c, sn, cx, cy)


@lean_kernel
def find_place(side, position, spins, deepest, k, tooth, psi_1, psi_2, added, place, at, foot, edge, guess, row):
    """Closest approach of one pair in one slice, with its derivatives, into ``row`` of the table of points.

    Parameters
    ----------
    tooth : (2,) numbers of the teeth of pinion and wheel
    place : 0 for the place on A that is nearest, 1 for the next one, EDGE for the edge on P in which an undercut ends
    at, foot : sample about which it lies, and the place of P opposite
    edge : where on P there is a point on that edge [m], infinite if there is none
    guess : (2,) places on A and P that were closest before, overwritten

    Returns
    -------
    bool : whether there is one: the gap of a tooth seen from behind, or out of reach, is none.
    """
    axis_x, axis_y = position.sections[k, AXIS], position.sections[k, AXIS + 1]
    added += position.rocking[0] * rolled(side, psi_1, psi_2)
    pinion_is_a = rolled(side, psi_1, psi_2) > side.switch_roll
    if place == EDGE:
        pinion_is_a = not pinion_is_a
    c, sn, cx, cy = place_in_section(pinion_is_a, psi_1, psi_2, axis_x, axis_y)
    row_1, row_2 = side.pinion.row_of[tooth[0], k], side.wheel.row_of[tooth[1], k]
    if pinion_is_a:
        a, tip, flank, row_a, row_p = 0, side.pinion, side.wheel, row_1, row_2
    else:
        a, tip, flank, row_a, row_p = 1, side.wheel, side.pinion, row_2, row_1
    knots_a, curve_a, knots_p, curve_p = tip.knots[row_a], tip.curve[row_a], flank.knots[row_p], flank.curve[row_p]
    samples_a = tip.corner[row_a] if place == EDGE else tip.samples[row_a]
    s_a, s_p, gap, inside = closest_from(knots_a, curve_a, samples_a, knots_p, curve_p, c, sn, cx, cy, at, foot, guess)
    guess[0], guess[1] = s_a, s_p
    if not -deepest < gap < deepest:
        return False
    if place != 0 and inside != 1:  # besides the nearest place only others with a common normal count
        return False
    if edge < np.inf and (inside != 1 or abs(s_p - edge) < SAME * deepest):
        return False
    differentiate(
        knots_a, curve_a, knots_p, curve_p, a, spins[a], spins[1 - a], s_a, s_p, gap, inside > 0, added, side.axial[0],
        c, sn, cx, cy, row,
    )  # fmt: skip
    for x in range(2):
        row[G_X + x] -= side.axial[0] * position.rocking[0] * spins[x] * side.roll[2 + x]
    if place == 0:  # from another place the closer end of the slice may lead to this one, which counts already
        ease_gap(side, position, spins, deepest, k, tooth, psi_1, psi_2, added, pinion_is_a, at, s_a, s_p, row)
    else:
        no_ease(row)
    return True


@lean_kernel
def no_ease(row):
    """A pair that is as near at both ends of the slice as in its middle."""
    row[EASE], row[EASE_X], row[EASE_X + 1] = 0.0, 0.0, 0.0
    row[EASE_N], row[EASE_N + 1], row[EASE_TURN] = 0.0, 0.0, 0.0


@lean_kernel
def ease_gap(side, position, spins, deepest, k, tooth, psi_1, psi_2, added, pinion_is_a, at, s_a, s_p, row):
    """How much nearer a pair comes at the closer end of slice k than in its middle, into ``row``.

    The sections are turned there, their axes and profiles are those of the middle. ``s_a``, ``s_p`` are the places in
    the middle, other arguments those of `find_place`; the middle is in ``row``.
    """
    no_ease(row)
    before, after = max(k - 1, 0), min(k + 1, position.identical_slice.shape[0] - 1)
    share = 0.5 / max(after - before, 1)
    turn_1 = share * (position.sections[after, TWIST] - position.sections[before, TWIST])
    turn_2 = share * (position.sections[after, TWIST + 1] - position.sections[before, TWIST + 1])
    change = turn_1 / spins[0] * row[G_X] + turn_2 / spins[1] * row[G_X + 1]
    if abs(change) < EVEN * deepest:
        return
    if change > 0.0:
        turn_1, turn_2 = -turn_1, -turn_2
    axis_x, axis_y = position.sections[k, AXIS], position.sections[k, AXIS + 1]
    c, sn, cx, cy = place_in_section(pinion_is_a, psi_1 + turn_1, psi_2 + turn_2, axis_x, axis_y)
    row_1, row_2 = side.pinion.row_of[tooth[0], k], side.wheel.row_of[tooth[1], k]
    if pinion_is_a:
        a, tip, flank, row_a, row_p = 0, side.pinion, side.wheel, row_1, row_2
    else:
        a, tip, flank, row_a, row_p = 1, side.wheel, side.pinion, row_2, row_1
    knots_a, curve_a, knots_p, curve_p = tip.knots[row_a], tip.curve[row_a], flank.knots[row_p], flank.curve[row_p]
    s_a, s_p, gap, _ = closest(
        knots_a, curve_a, knots_p, curve_p, tip.samples[row_a], at, s_a, s_p, c, sn, cx, cy
    )  # fmt: skip
    turn = side.roll[2] * turn_1 + side.roll[3] * turn_2
    ease = row[GAP] - (gap - added - position.rocking[0] * turn) * side.axial[0]
    if not (-deepest < gap < deepest and ease > 0.0):
        return
    row[EASE] = ease
    ax, ay, _, _, _, _ = curve_at(knots_a, curve_a, s_a)
    _, _, dx, dy, _, _ = curve_at(knots_p, curve_p, s_p)
    speed = np.sqrt(dx * dx + dy * dy)
    nx, ny, zx, zy = -dy / speed, dx / speed, c * ax - sn * ay, sn * ax + c * ay
    row[EASE_X + a] = row[G_X + a] - side.axial[0] * spins[a] * (ny * zx - nx * zy)
    row[EASE_X + 1 - a] = row[G_X + 1 - a] - side.axial[0] * spins[1 - a] * (nx * (zy + cy) - ny * (zx + cx))
    for x in range(2):
        row[EASE_X + x] += side.axial[0] * position.rocking[0] * spins[x] * side.roll[2 + x]
    psi_p = psi_2 + turn_2 if pinion_is_a else psi_1 + turn_1
    cp, sp = np.cos(psi_p), np.sin(psi_p)
    row[EASE_N], row[EASE_N + 1], row[EASE_TURN] = cp * nx - sp * ny, sp * nx + cp * ny, turn


@lean_kernel
def differentiate(
    knots_a, curve_a, knots_p, curve_p, a, spin_a, spin_p, s_a, s_p, gap, inside, added, cos_beta_b, c, sn, cx, cy, row
):
    """Fill the row of a point: gap, places, normal, lever and their derivatives with respect to the rotations.

    ``a`` is 0 if the pinion is A, 1 if the wheel is; ``spin`` turn rotations into those of the sections.
    """
    p = 1 - a
    ax, ay, adx, ady, addx, addy = curve_at(knots_a, curve_a, s_a)
    _, _, pdx, pdy, pddx, pddy = curve_at(knots_p, curve_p, s_p)
    zx, zy = c * ax - sn * ay, sn * ax + c * ay
    x, y = zx + cx, zy + cy
    speed_p, speed_a = np.sqrt(pdx * pdx + pdy * pdy), np.sqrt(adx * adx + ady * ady)
    tx, ty = pdx / speed_p, pdy / speed_p
    nx, ny = -ty, tx
    kappa_p = (nx * pddx + ny * pddy) / speed_p**2
    kappa_a = (-ady * addx + adx * addy) / speed_a**3
    row[GAP], row[APART] = (gap - added) * cos_beta_b, gap
    row[S + a], row[S + p] = s_a, s_p
    row[SIGN] = 1.0 if a == 0 else -1.0
    m = 1.0 - kappa_p * gap
    bending = kappa_a * m + kappa_p
    for i in range(2):
        # velocity of A's point in P's section for a unit rate of A or of P, and the rate of A's section against P's
        if i == a:
            vx, vy, tau_i = -spin_a * zy, spin_a * zx, spin_a
        else:
            vx, vy, tau_i = spin_p * y, -spin_p * x, -spin_p
        along, across = tx * vx + ty * vy, nx * vx + ny * vy
        if inside:
            arc_p = (kappa_a * along + tau_i) / bending
            arc_a = along - m * arc_p
        else:  # the end of profile A stays the closest
            arc_a = 0.0
            arc_p = along / m
        row[G_X + i] = cos_beta_b * across
        row[L_X + i] = along
        row[S_X + 2 * a + i] = arc_a / speed_a
        row[S_X + 2 * p + i] = arc_p / speed_p
        row[TURN_X + 2 * p + i] = kappa_p * arc_p
        row[TURN_X + 2 * a + i] = kappa_p * arc_p - tau_i
    for i in range(2):
        along, across = row[L_X + i], row[G_X + i] / cos_beta_b
        tau_i = spin_a if i == a else -spin_p
        for j in range(2):
            # second derivatives of the point: X_aa = -Z, X_ap = spin_a spin_p Z, X_pp = -X
            if i == a and j == a:
                accel_x, accel_y = -zx, -zy
            elif i == p and j == p:
                accel_x, accel_y = -x, -y
            else:
                accel_x, accel_y = spin_a * spin_p * zx, spin_a * spin_p * zy
            arc_a, arc_p = row[S_X + 2 * a + j] * speed_a, row[S_X + 2 * p + j] * speed_p
            second_n = nx * accel_x + ny * accel_y
            second_t = tx * accel_x + ty * accel_y
            row[G_XX + 2 * i + j] = cos_beta_b * (second_n - kappa_p * along * arc_p - tau_i * arc_a)
            row[L_XX + 2 * i + j] = second_t + kappa_p * across * arc_p
    row[NX + p], row[NY + p] = nx, ny
    row[NX + a], row[NY + a] = c * nx + sn * ny, -sn * nx + c * ny


@lean_kernel
def append_points(side, position, number, spins, n_pairs, deepest, angles, low, high, found):
    """Append the points of all pairs and slices whose sampled gap lies in ``low`` ... ``high`` [m].

    Returns the smallest gap in their slices, and the largest change over half a slice; ``estimate_gaps`` has been here
    before.
    """
    estimate, identical_slice = found.estimate[number], position.identical_slice
    smallest, steepest = np.inf, 0.0
    for slot in range(n_pairs):
        found.row_of[:] = -1
        for k in range(identical_slice.shape[0]):
            near = min(estimate[slot, k, 0], estimate[slot, k, EDGE])
            if low <= near < high:
                if identical_slice[k] < k:
                    append_identical(number, slot, k, identical_slice[k], found)
                else:
                    append_places(side, position, number, spins, deepest, slot, k, angles, near, found)
                for place in range(PLACES):
                    row = found.row_of[place * identical_slice.shape[0] + k]
                    if row >= 0:
                        smallest = min(smallest, found.table[row, GAP] - found.table[row, EASE])
                        steepest = max(steepest, found.table[row, EASE])
    return smallest, steepest


@lean_kernel
def append_places(side, position, number, spins, deepest, slot, k, angles, near, found):
    """Append the points of one pair in one slice: where it comes nearest, and where else it comes nearly as near."""
    estimate, sample = found.estimate[number, slot, k], found.sample[number, slot, k]
    foot, guess = found.foot[number, slot, k], found.guess[number, slot, k]
    sections = position.sections
    psi_1, psi_2 = angles[slot, 0] + sections[k, TWIST], angles[slot, 1] + sections[k, TWIST + 1]
    edge, s_first = np.inf, np.inf
    for turn in range(PLACES):
        place = EDGE if turn == 0 else turn - 1
        count = found.count[0]
        if not estimate[place] < near + RIVALS * deepest:
            continue
        if count == found.table.shape[0]:
            found.left_out[0] += 1
            continue
        if not find_place(
            side, position, spins, deepest, k, found.tooth[number, slot], psi_1, psi_2, angles[slot, 2],
            place, sample[place], foot[place], edge, guess[place], found.table[count],
        ):  # fmt: skip
            continue
        s = found.table[count, S]
        if place == EDGE:
            edge = guess[place, 0]
        elif place == 0:
            s_first = s
        elif abs(s - s_first) < SAME * deepest:
            continue
        append_row(number, slot, k, place, count, found)


@lean_kernel
def append_identical(number, slot, k, first, found):
    """Append copies of the points of a slice that is alike."""
    n_slices, table = found.row_of.shape[0] // PLACES, found.table
    for place in range(PLACES):
        identical_point, count = found.row_of[place * n_slices + first], found.count[0]
        if identical_point >= 0 and count == table.shape[0]:
            found.left_out[0] += 1
        elif identical_point >= 0:
            for column in range(N_COLUMNS):
                table[count, column] = table[identical_point, column]
            append_row(number, slot, k, place, identical_point, found)


@lean_kernel
def append_row(number, slot, k, place, identical_point, found):
    """Count the next row of the table in."""
    count = found.count[0]
    found.row_of[place * (found.row_of.shape[0] // PLACES) + k] = count
    found.side_of[count], found.pair_of[count], found.slice_of[count] = number, slot, k
    found.place_of[count], found.identical_point[count] = place, identical_point
    found.count[0] = count + 1


@lean_kernel
def find_points(model, number, phi, first_pair, low, high, moved, found):
    """Add the closest approaches of one side of the teeth (0: the loaded one) with sampled gaps ``low`` ... ``high``.

    Sampled gaps are right to the margin of the model, so that no gap in between is missed; some others are found too.
    They are looked for where ``low`` is minus infinity and ``moved`` nought, and known otherwise, of gears that have
    ``moved`` by so much since [m]. Returns as `append_points`.
    """
    side = model.loaded if number == 0 else model.back
    position = found.loaded if number == 0 else found.back
    angles, tooth = found.angles[number], found.tooth[number]
    place_1, place_2 = model.pinion.place, model.wheel.place
    if low == -np.inf:
        slot_angles(
            side.side, side.wheel_lead, place_1, place_2, side.pinion_added, side.wheel_added, side.axial[0],
            phi, first_pair, angles, tooth,
        )  # fmt: skip
    if low == -np.inf and moved == 0.0:
        estimate_gaps(
            side, position, model.n_pairs, model.deepest, angles, tooth,
            found.estimate[number], found.sample[number], found.foot[number],
        )  # fmt: skip
    spins = (side.side * place_1[3], side.side * place_2[3])
    cos_beta_b, margin = side.axial[0], model.margin + moved
    return append_points(
        side, position, number, spins, model.n_pairs, model.deepest, angles,
        low / cos_beta_b + margin, high / cos_beta_b + margin, found,
    )  # fmt: skip


@lean_kernel
def keep_below(reach, found):
    """Keep the points with a gap below ``reach`` [m] somewhere in their slice."""
    count = 0
    for i in range(found.count[0]):
        if found.table[i, GAP] - found.table[i, EASE] < reach:
            if count < i:
                for column in range(N_COLUMNS):
                    found.table[count, column] = found.table[i, column]
                found.side_of[count] = found.side_of[i]
                found.pair_of[count], found.slice_of[count] = found.pair_of[i], found.slice_of[i]
                found.place_of[count] = found.place_of[i]
            # twins have the same gap, so that they stay or go together
            found.row_at[i] = count
            found.identical_point[count] = found.row_at[found.identical_point[i]]
            count += 1
    found.count[0] = count


@lean_kernel
def displace_side(side, position, z, r_w, twist, shift):
    """Displace the sections of one side of the teeth: ``shift`` (10,) of pinion and wheel [m], [rad].

    At z the pinion's section moves against the wheel's by (x + theta_y z, y - theta_x z) less the same of the wheel; an
    axial displacement, at the pitch point, turns a helical section by -twist times it.
    """
    n = z.shape[1]
    along_1, along_2 = shift[2] - shift[4] * r_w[0], shift[7] + shift[9] * r_w[1]
    for k in range(n):
        across_x = shift[0] + shift[4] * z[0, k] - (shift[5] + shift[9] * z[1, k])
        across_y = shift[1] - shift[3] * z[0, k] - (shift[6] - shift[8] * z[1, k])
        position.sections[k, AXIS] = side.sections[k, AXIS] - across_x
        position.sections[k, AXIS + 1] = side.sections[k, AXIS + 1] - side.side * across_y
        position.sections[k, TWIST] = side.sections[k, TWIST] - side.side * twist[0] * along_1
        position.sections[k, TWIST + 1] = side.sections[k, TWIST + 1] - side.side * twist[1] * along_2
    lean_x, lean_y = shift[4] - shift[9], shift[8] - shift[3]
    position.rocking[0] = side.rocking_by_leaning[0] * lean_x + side.rocking_by_leaning[1] * lean_y
    leans = shift[3] != 0.0 or shift[4] != 0.0 or shift[8] != 0.0 or shift[9] != 0.0
    for k in range(n):  # a tilt tells every slice from the others
        position.identical_slice[k] = k if leans else side.identical_slice[k]


@lean_kernel
def displace_sides(model, shift, found):
    """Displace the sections of all sides of the teeth."""
    displace_side(model.loaded, found.loaded, model.z, model.r_w, model.twist, shift)
    if model.n_sides > 1:
        displace_side(model.back, found.back, model.z, model.r_w, model.twist, shift)


@kernel
def find_side(model, number, motion, displaced, reach, found):
    """Closest approaches of one side of the teeth (0: the loaded one) with a gap below ``reach`` [m]."""
    found.count[0], found.left_out[0] = 0, 0
    if displaced:
        displace_sides(model, motion.shift, found)
    found.searched[0] = 0.0
    find_points(model, number, motion.phi, motion.first_pair[0], -np.inf, reach, 0.0, found)
    keep_below(reach, found)


@lean_kernel
def levers(model, gear):
    """Radius of the tips of a gear, and how far any point of it may be from the middle of its axis [m]."""
    polar = model.loaded.pinion.polar if gear == 0 else model.loaded.wheel.polar
    tip = polar[0, polar.shape[1] - 1, 0]  # on the tip circle, in every slice
    return tip, tip + max(abs(model.z[gear, 0]), abs(model.z[gear, model.n_slices - 1])) + model.width


@lean_kernel
def moved_since(model, motion, searched):
    """No point has moved by more since the last search [m], both gears together; nought if it must be done again."""
    phi, shift, total = motion.phi, motion.shift, 0.0
    if searched[0] == 0.0 or searched[1] != motion.first_pair[0]:
        return 0.0
    for gear in range(2):
        tip, reach = levers(model, gear)
        total += abs(phi[gear] - searched[2 + gear]) * tip
        for axis in range(N_SHIFTS):
            at = gear * N_SHIFTS + axis
            total += abs(shift[at] - searched[2 + N_TURNS + at]) * (1.0 if axis < 3 else reach)
    return total if total < NEAR_ENOUGH * model.deepest else 0.0


@lean_kernel
def note_search(motion, searched):
    """Write down where the gears are that are searched."""
    searched[0], searched[1] = 1.0, motion.first_pair[0]
    for gear in range(2):
        searched[2 + gear] = motion.phi[gear]
    for at in range(2 * N_SHIFTS):
        searched[2 + N_TURNS + at] = motion.shift[at]


@lean_kernel
def find_candidates(model, motion, floor, near, found):
    """Points of both sides whose gap the displacement may close.

    Loads displace no flank by more than the overlap that causes them; loaded flanks and back flanks of a wedged
    tooth push it the same way. So all gaps below ``floor`` [m] beyond the deepest overlaps of both sides are looked at,
    anywhere in a slice. Where the gears are ``near`` to where they were at the last search, its sampled gaps are taken.
    """
    found.count[0], found.left_out[0] = 0, 0
    overlap, steepest, moved = 0.0, 0.0, 0.0
    if near:
        moved = moved_since(model, motion, found.searched)
    if moved == 0.0:
        note_search(motion, found.searched)
    low, high = -np.inf, floor
    for again in range(2):
        for number in range(model.n_sides):
            smallest, change = find_points(
                model, number, motion.phi, motion.first_pair[0], low, high, moved, found
            )  # fmt: skip
            if again == 0:
                overlap += max(0.0, -smallest)
                steepest = max(steepest, change)
        low, high = floor, floor + overlap + steepest
    keep_below(floor + overlap, found)
