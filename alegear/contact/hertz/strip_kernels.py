"""Compiled: load and approach of a strip of contact (``README.md`` of this folder, section 4)."""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.approach_kernels import rows_of_point
from alegear.contact.hertz.model_kernels import DIRECTION, EASE, S
from alegear.contact.interval_kernels import interval
from alegear.kernels.decorators import kernel, lean_kernel

# Newton's last step over the half-width; the next one would be its square.
CLOSELY, ROUGHLY = 1e-9, 1e-5
INSIDE = 1.0 - 1e-9  # of a half-width: an edge further out counts as outside of the strip
TOUCHING_STEPS = 50  # of Newton's method for the part of a slice that touches; three to five are usual
LEAST_TOUCHING = 1e-6
LEAST_EASE = 1e-5  # of the approach: what a slice gives way by less while it comes in is no work
STRAIGHT = 8  # steps of Newton's method that lead straight to a strip; two from the last one are usual
# A strip as wide as that gives way in its middle as a surface does at a distance of 1 from a line load: of a half-plane
# under an elliptical pressure ln(b/2) - 1/2 stands where that of a line load has ln d (Johnson 1985, section 2.3).
BESIDE = 2.0 * np.exp(0.5)


@lean_kernel
def direction(knots, curve, s):
    """Direction of the profile [rad] with its hollows bridged, and its derivative; never rises with s.

    Values and slopes stand in two columns of ``curve``. Beyond the end of the tip round the round goes on, below the
    first knot the profile is straight.
    """
    first, n = int(knots[2]), curve.shape[0]
    split = knots[0] + (first - 1) * knots[1]
    if s < knots[0]:
        return curve[0, DIRECTION], 0.0
    if s < split:
        h, per_h = knots[1], knots[5]
        t = (s - knots[0]) * per_h
        j = min(int(t), first - 2)
        t -= j
    else:
        h, per_h = knots[3], knots[6]
        t = (s - split) * per_h
        j = min(int(t), n - first - 1)
        t -= j
        j += first - 1
        if t > 1.0:
            return curve[n - 1, DIRECTION] - (t - 1.0) * h / knots[4], -1.0 / knots[4]
    low, rise = curve[j, DIRECTION], curve[j + 1, DIRECTION] - curve[j, DIRECTION]
    at_low, at_high = curve[j, DIRECTION + 1], curve[j + 1, DIRECTION + 1]
    value = low + t * t * (3.0 - 2.0 * t) * rise + h * t * (1.0 - t) * ((1.0 - t) * at_low - t * at_high)
    slope = 6.0 * t * (1.0 - t) * rise * per_h + (1.0 - t) * (1.0 - 3.0 * t) * at_low + t * (3.0 * t - 2.0) * at_high
    return value, slope


@lean_kernel
def slopes_at_ends(knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, b, c):
    """Slopes between both flanks at the ends of a strip of half-width ``b`` about the place ``c``.

    Along the tangent of the pinion's flank; ``at`` are the directions of both profiles at the contact point.

    Returns
    -------
    high, low : slopes at c + b and c - b [rad], which never fall with c
    high_1, high_2, low_1, low_2 : rates at which both profiles turn there [1/m]
    """
    t_1, high_1 = direction(knots_1, curve_1, s_1 + c + b)
    t_2, high_2 = direction(knots_2, curve_2, s_2 - c - b)
    high = (at_1 - t_1) + (t_2 - at_2)
    t_1, low_1 = direction(knots_1, curve_1, s_1 + c - b)
    t_2, low_2 = direction(knots_2, curve_2, s_2 - c + b)
    return high, (at_1 - t_1) + (t_2 - at_2), high_1, high_2, low_1, low_2


@lean_kernel
def start_of_round(knots):
    """Place on a profile where its tip round begins [m]."""
    return knots[0] + (knots[2] - 1.0) * knots[1]


@lean_kernel
def reaches_edge(knots_1, knots_2, s_1, s_2, b, c):
    """Whether the round of a tip edge begins inside the strip of half-width ``b`` about ``c``."""
    one, two = start_of_round(knots_1) - s_1, s_2 - start_of_round(knots_2)
    return abs(one - c) < INSIDE * b or abs(two - c) < INSIDE * b


@lean_kernel
def edge_in_strip(knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c):
    """Where the round of the tip edge in a strip begins, as seen from the contact point, and the slope there.

    Returns
    -------
    x, x_1, x_2 : its place [m] and derivatives by ``s_1``, ``s_2``
    slope, slope_1, slope_2 : between the flanks [rad], and derivatives [1/m]
    """
    x = start_of_round(knots_1) - s_1
    if abs(x - c) < INSIDE * b:
        t_1, _ = direction(knots_1, curve_1, s_1 + x)
        t_2, turn = direction(knots_2, curve_2, s_2 - x)
        return x, -1.0, 0.0, (at_1 - t_1) + (t_2 - at_2), rate_1 + turn, turn - rate_2
    x = s_2 - start_of_round(knots_2)
    t_1, turn = direction(knots_1, curve_1, s_1 + x)
    t_2, _ = direction(knots_2, curve_2, s_2 - x)
    return x, 0.0, 1.0, (at_1 - t_1) + (t_2 - at_2), rate_1 - turn, -turn - rate_2


@lean_kernel
def moments_at_edge(b, at_low, at_edge, at_high, u, phi, co):
    """Moments of a slope that is linear on both sides of an edge, over the angle theta, x = c + b sin(theta).

    Returns
    -------
    left, right : rise of the slope over a half-width [rad], on either side of the edge
    I_0, I_1, I_2 : integrals of (sin(theta) - u), times sin(theta), and of its square, beyond the edge
    excess, alpha : (2/pi) times the integrals of the slope, and of the slope times sin(theta) [rad]
    gap : mean over theta of the gap that is zero where this slope is [m]
    """
    left, right = (at_edge - at_low) / (1.0 + u), (at_high - at_edge) / (1.0 - u)
    i_0, i_1, i_2 = co - u * phi, 0.5 * (phi - u * co), phi * (0.5 + u * u) - 1.5 * u * co
    excess = 2.0 * (at_edge - left * u) + 2.0 / np.pi * (right - left) * i_0
    alpha = left + 2.0 / np.pi * (right - left) * i_1
    gap = b * (0.5 * (left * (0.5 + u * u) + (right - left) * i_2 / np.pi) - at_edge * u)
    own = left if at_edge > 0.0 else right
    if own > 0.0:
        gap += 0.5 * b * at_edge * at_edge / own
    return left, right, i_0, i_1, i_2, excess, alpha, gap


@lean_kernel
def moments_by(
    b, at_edge, u, phi, co, left, right, i_0, i_1, i_2, b_p, low_p, edge_p, high_p, u_p
):  # fmt: skip
    """Derivatives of excess, alpha and gap of `moments_at_edge` along a parameter p, from those of its arguments."""
    left_p, right_p = (edge_p - low_p - left * u_p) / (1.0 + u), (high_p - edge_p + right * u_p) / (1.0 - u)
    i_0_p, i_1_p, i_2_p = -phi * u_p, -co * u_p, -2.0 * i_0 * u_p
    excess_p = 2.0 * (edge_p - left_p * u - left * u_p)
    excess_p += 2.0 / np.pi * ((right_p - left_p) * i_0 + (right - left) * i_0_p)
    alpha_p = left_p + 2.0 / np.pi * ((right_p - left_p) * i_1 + (right - left) * i_1_p)
    gap_p = -(edge_p * b * u + at_edge * (b_p * u + b * u_p))
    own, own_p = (left, left_p) if at_edge > 0.0 else (right, right_p)
    if own > 0.0:
        way = at_edge / own
        gap_p += 0.5 * way * (at_edge * b_p + b * (2.0 * edge_p - way * own_p))
    square = 0.5 + u * u
    gap_p += 0.5 * b_p * (left * square + (right - left) * i_2 / np.pi)
    gap_p += 0.5 * b * (left_p * square + 2.0 * left * u * u_p)
    gap_p += 0.5 * b / np.pi * ((right_p - left_p) * i_2 + (right - left) * i_2_p)
    return excess_p, alpha_p, gap_p


@lean_kernel
def bent_away(knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c):
    """How far both flanks are bent away from each other under a strip (``README.md``, section 4).

    ``at`` and ``rate`` are the directions of both profiles at the contact point and the rates at which they turn.

    Returns
    -------
    excess, by b, c, s_1, s_2 : zero where the strip is in balance [rad]; it never falls with c
    alpha, by b, c, s_1, s_2 : mean angle, the load's measure [rad]
    rest, by b, c, s_1, s_2 : mean gap under the strip beyond that of circles, b alpha/4 [m]
    """
    high, low, high_1, high_2, low_1, low_2 = slopes_at_ends(
        knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, b, c
    )
    at_high, at_low = -high_1 - high_2, -low_1 - low_2
    by_high = rate_1 - high_1, high_2 - rate_2
    by_low = rate_1 - low_1, low_2 - rate_2
    if not reaches_edge(knots_1, knots_2, s_1, s_2, b, c):
        return (
            high + low, at_high - at_low, at_high + at_low, by_high[0] + by_low[0], by_high[1] + by_low[1],
            0.5 * (high - low), 0.5 * (at_high + at_low), 0.5 * (at_high - at_low),
            0.5 * (by_high[0] - by_low[0]), 0.5 * (by_high[1] - by_low[1]),
            0.0, 0.0, 0.0, 0.0, 0.0,
        )  # fmt: skip
    x, x_1, x_2, edge, edge_1, edge_2 = edge_in_strip(
        knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c
    )
    u = (x - c) / b
    phi, co = np.arccos(u), np.sqrt(1.0 - u * u)
    left, right, i_0, i_1, i_2, excess, alpha, gap = moments_at_edge(b, low, edge, high, u, phi, co)
    e_b, a_b, g_b = moments_by(b, edge, u, phi, co, left, right, i_0, i_1, i_2, 1.0, -at_low, 0.0, at_high, -u / b)
    e_c, a_c, g_c = moments_by(b, edge, u, phi, co, left, right, i_0, i_1, i_2, 0.0, at_low, 0.0, at_high, -1.0 / b)
    e_1, a_1, g_1 = moments_by(
        b, edge, u, phi, co, left, right, i_0, i_1, i_2, 0.0, by_low[0], edge_1, by_high[0], x_1 / b
    )
    e_2, a_2, g_2 = moments_by(
        b, edge, u, phi, co, left, right, i_0, i_1, i_2, 0.0, by_low[1], edge_2, by_high[1], x_2 / b
    )
    return (
        excess, e_b, e_c, e_1, e_2, alpha, a_b, a_c, a_1, a_2,
        gap - 0.25 * b * alpha, g_b - 0.25 * (alpha + b * a_b), g_c - 0.25 * b * a_c,
        g_1 - 0.25 * b * a_1, g_2 - 0.25 * b * a_2,
    )  # fmt: skip


@kernel
def layer_approach(s_grid, narrowest, ln_b_grid, table, s, b):
    """Compliance W of a layer, dW/ds and dW/db.

    ``ln_b_grid`` has half-widths over ``narrowest``. Bicubic Hermite; beyond the table constant in s, for narrow strips
    linear in ln b, for wide ones a power of b.
    """
    j, way, beside = interval(s_grid, s)
    k, rise, beyond = interval(ln_b_grid, np.log(b / narrowest))
    h, g = s_grid[j + 1] - s_grid[j], ln_b_grid[k + 1] - ln_b_grid[k]
    t, u = way / h, rise / g
    value, by_s, by_y, by_sy = 0.0, 0.0, 0.0, 0.0
    for i in range(2):
        if i == 0:  # of value and slope at the lower knot in s, and their derivatives
            f, f_slope = 1.0 - t * t * (3.0 - 2.0 * t), h * t * (1.0 - t) ** 2
            d, d_slope = -6.0 * t * (1.0 - t) / h, (1.0 - t) * (1.0 - 3.0 * t)
        else:
            f, f_slope = t * t * (3.0 - 2.0 * t), h * t * t * (t - 1.0)
            d, d_slope = 6.0 * t * (1.0 - t) / h, t * (3.0 * t - 2.0)
        for q in range(2):
            if q == 0:  # in ln b
                e, e_slope = 1.0 - u * u * (3.0 - 2.0 * u), g * u * (1.0 - u) ** 2
                c, c_slope = -6.0 * u * (1.0 - u) / g, (1.0 - u) * (1.0 - 3.0 * u)
            else:
                e, e_slope = u * u * (3.0 - 2.0 * u), g * u * u * (u - 1.0)
                c, c_slope = 6.0 * u * (1.0 - u) / g, u * (3.0 * u - 2.0)
            v, v_s = table[0, j + i, k + q], table[1, j + i, k + q]
            v_y, v_sy = table[2, j + i, k + q], table[3, j + i, k + q]
            value += f * (e * v + e_slope * v_y) + f_slope * (e * v_s + e_slope * v_sy)
            by_s += d * (e * v + e_slope * v_y) + d_slope * (e * v_s + e_slope * v_sy)
            by_y += f * (c * v + c_slope * v_y) + f_slope * (c * v_s + c_slope * v_sy)
            by_sy += d * (c * v + c_slope * v_y) + d_slope * (c * v_s + c_slope * v_sy)
    if beside != 0.0:
        by_s, by_sy = 0.0, 0.0
    if beyond < 0.0:
        value += by_y * beyond
        by_s += by_sy * beyond
    elif beyond > 0.0:
        power = by_y / value
        factor = np.exp(power * beyond)
        by_s = (by_s + beyond * (by_sy - power * by_s)) * factor
        value *= factor
        by_y *= factor
    return value, by_s, by_y / b


@lean_kernel
def strip_load(modulus, least_curvature, b, excess_by, alpha, alpha_by):
    """Line load of a strip of contact of the half-width ``b`` that is in balance, from `bent_away`.

    q = (pi E*/4) b alpha, and the middle c of the strip moves so that it stays in balance. ``excess_by`` and
    ``alpha_by`` are the derivatives by b, c, s_1, s_2.

    Returns
    -------
    q, q_b, q_s1, q_s2 : line load [N/m] and its derivatives
    c_b, c_s1, c_s2 : derivatives of the middle of the strip
    """
    k_c = max(excess_by[1], 2.0 * least_curvature)
    c_b, c_1, c_2 = -excess_by[0] / k_c, -excess_by[2] / k_c, -excess_by[3] / k_c
    alpha_b = alpha_by[0] + alpha_by[1] * c_b
    alpha_1, alpha_2 = alpha_by[2] + alpha_by[1] * c_1, alpha_by[3] + alpha_by[1] * c_2
    if alpha < least_curvature * b:
        alpha, alpha_b, alpha_1, alpha_2 = least_curvature * b, least_curvature, 0.0, 0.0
    factor = 0.25 * np.pi * modulus
    return (
        factor * b * alpha, factor * (alpha + b * alpha_b), factor * b * alpha_1, factor * b * alpha_2, c_b, c_1, c_2,
    )  # fmt: skip


@lean_kernel
def balanced(knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c, near):
    """Place of a strip of half-width ``b`` that is in balance, looked for about ``c``.

    Returns
    -------
    c : place [m], then the derivatives of the excess, alpha and its derivatives there
    """
    left, right = -b, b
    if not left < c < right:
        c = 0.0
    before = np.inf
    for _ in range(100):
        excess, e_b, e_c, e_1, e_2, alpha, a_b, a_c, a_1, a_2, _, _, _, _, _ = bent_away(
            knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c
        )
        if excess < 0.0:
            left = c
        else:
            right = c
        new = c - excess / e_c if e_c > 0.0 else np.inf
        if abs(new - c) <= near * b:
            alpha += a_c * (new - c)
            c = new
            break
        if right - left <= 1e-15 * b:
            break
        # at a kink as in `approach_kernels.closest`
        if not left <= new <= right or abs(excess) > 0.5 * before:
            new = 0.5 * (left + right)
        before = abs(excess)
        c = new
    return c, (e_b, e_c, e_1, e_2), alpha, (a_b, a_c, a_1, a_2)


@lean_kernel
def strip_nearby(
    knots_1, curve_1, knots_2, curve_2, modulus, least_curvature, s_1, s_2, at_1, at_2, rate_1, rate_2, q, b, c, near
):
    """Strip under the line load ``q`` by Newton's method for half-width and place together, from a strip close to it.

    Returns
    -------
    found : False where it does not lead straight to the strip
    b, c : half-width and place [m]
    load, q_b, q_s1, q_s2, c_b, c_s1, c_s2 : of that strip, as from `strip_load`
    """
    load, q_b, q_1, q_2, c_b, c_1, c_2 = q, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(STRAIGHT):
        excess, e_b, e_c, e_1, e_2, alpha, a_b, a_c, a_1, a_2, _, _, _, _, _ = bent_away(
            knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c
        )
        if not e_c > 0.0:
            break
        # first into balance, to first order; then to the load
        way = -excess / e_c
        load, q_b, q_1, q_2, c_b, c_1, c_2 = strip_load(
            modulus, least_curvature, b, (e_b, e_c, e_1, e_2), alpha + a_c * way, (a_b, a_c, a_1, a_2)
        )
        c += way
        wider = (q - load) / q_b
        if abs(way) + abs(wider) <= near * b:
            return True, b, c, load, q_b, q_1, q_2, c_b, c_1, c_2
        if not abs(wider) < 0.5 * b or not abs(c + c_b * wider) < b + wider:
            break
        b += wider
        c += c_b * wider
    return False, b, c, load, q_b, q_1, q_2, c_b, c_1, c_2


@lean_kernel
def strip_approach(
    s_grid_1, narrowest_1, ln_b_1, table_1, soft_1, s_grid_2, narrowest_2, ln_b_2, table_2, soft_2, lean,
    s_1, s_2, b, load, q_b, q_1, q_2, c, c_b, c_1, c_2, rest, rest_by,
):  # fmt: skip
    """Approach of the layers under a strip found by `strip_load`: w, w_q, w_s1, w_s2 as in `line_contact`.

    ``lean`` is cos beta_b: the layer is as deep as that part of its depth in the transverse section, of which its table
    is. ``rest`` [m] is the mean gap that `bent_away` finds, with derivatives by b, c, s_1, s_2.
    """
    W_1, W_1_s, W_1_b = layer_approach(s_grid_1, narrowest_1, ln_b_1, table_1, s_1 + c / lean, b / lean)
    W_2, W_2_s, W_2_b = layer_approach(s_grid_2, narrowest_2, ln_b_2, table_2, s_2 - c / lean, b / lean)
    W = soft_1 * W_1 + soft_2 * W_2
    along = load * (soft_1 * W_1_s - soft_2 * W_2_s) / lean + lean * rest_by[1]  # per c
    w_q = (q_b * W + load * (soft_1 * W_1_b + soft_2 * W_2_b) / lean + lean * rest_by[0] + along * c_b) / q_b
    w_1 = q_1 * W + load * soft_1 * W_1_s + lean * rest_by[2] + along * c_1 - w_q * q_1
    w_2 = q_2 * W + load * soft_2 * W_2_s + lean * rest_by[3] + along * c_2 - w_q * q_2
    return load * W + lean * rest, w_q, w_1, w_2


@lean_kernel
def strip_under(
    knots_1, curve_1, knots_2, curve_2, modulus, least_curvature, s_1, s_2, at_1, at_2, rate_1, rate_2, q, b, c, near
):
    """Strip under the line load ``q`` [N/m], looked for from the half-width ``b`` and the place ``c``.

    b not positive: nothing is known. ``at`` and ``rate`` are the directions of both profiles at the contact point and
    the rates at which they turn.

    Returns
    -------
    b, c : half-width and place [m]; the strip carries the load to first order in what ``load`` is off
    load, q_b, q_s1, q_s2, c_b, c_s1, c_s2 : of that strip, as from `strip_load`
    """
    if b > 0.0:
        found, b_near, c_near, load, q_b, q_1, q_2, c_b, c_1, c_2 = strip_nearby(
            knots_1, curve_1, knots_2, curve_2, modulus, least_curvature,
            s_1, s_2, at_1, at_2, rate_1, rate_2, q, b, c, near,
        )  # fmt: skip
        if found:
            return b_near, c_near, load, q_b, q_1, q_2, c_b, c_1, c_2
    else:
        b = np.sqrt(4.0 * q / (np.pi * modulus * max(-rate_1 - rate_2, least_curvature)))
        c = 0.0
    load, q_b, q_1, q_2, c_b, c_1, c_2 = q, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    low, high, before = 0.0, np.inf, np.inf
    for _ in range(100):
        c, excess_by, alpha, alpha_by = balanced(
            knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c, near
        )
        load, q_b, q_1, q_2, c_b, c_1, c_2 = strip_load(modulus, least_curvature, b, excess_by, alpha, alpha_by)
        excess = load - q
        if abs(excess) <= near * q:
            break
        if excess < 0.0:
            low = b
        else:
            high = b
        new = b - excess / q_b if q_b > 0.0 else np.nan
        if abs(new - b) <= 1e-14 * b:
            break
        if high < np.inf and (not low < new < high or abs(excess) > 0.5 * before):
            new = 0.5 * (low + high)
        elif not new > low:
            new = 2.0 * b
        before = abs(excess)
        b = new
    return b, c, load, q_b, q_1, q_2, c_b, c_1, c_2


@kernel
def line_contact(
    # model: profiles of both gears in the slice, tables of their layers
    knots_1, curve_1, s_grid_1, narrowest_1, ln_b_1, table_1, soft_1,
    knots_2, curve_2, s_grid_2, narrowest_2, ln_b_2, table_2, soft_2,
    modulus, least_curvature, lean,
    # in
    s_1, s_2, q, b, c, near,
):  # fmt: skip
    """Approach of both layers under a line load ``q`` [N/m] on one slice.

    ``b`` and ``c`` are where the search for half-width and place of the strip begins; b not positive: nothing is known.
    ``near`` is the last step of the search over the half-width: what it finds is right to its square, its derivatives
    to ``near`` itself.

    Returns
    -------
    w, w_q : approach [m] and its derivative [m^2/N]
    w_s1, w_s2 : derivatives against the places of contact at constant load
    q_b : derivative of the load against the half-width [N/m^2]
    b, c : half-width and place of the strip [m]
    """
    at_1, rate_1 = direction(knots_1, curve_1, s_1)
    at_2, rate_2 = direction(knots_2, curve_2, s_2)
    b, c, load, q_b, q_1, q_2, c_b, c_1, c_2 = strip_under(
        knots_1, curve_1, knots_2, curve_2, modulus, least_curvature,
        s_1, s_2, at_1, at_2, rate_1, rate_2, q, b, c, near,
    )  # fmt: skip
    rest, rest_b, rest_c, rest_1, rest_2 = 0.0, 0.0, 0.0, 0.0, 0.0
    if reaches_edge(knots_1, knots_2, s_1, s_2, b, c):
        _, _, _, _, _, _, _, _, _, _, rest, rest_b, rest_c, rest_1, rest_2 = bent_away(
            knots_1, curve_1, knots_2, curve_2, s_1, s_2, at_1, at_2, rate_1, rate_2, b, c
        )
    w, w_q, w_1, w_2 = strip_approach(
        s_grid_1, narrowest_1, ln_b_1, table_1, soft_1, s_grid_2, narrowest_2, ln_b_2, table_2, soft_2, lean,
        s_1, s_2, b, load, q_b, q_1, q_2, c, c_b, c_1, c_2, rest, (rest_b, rest_c, rest_1, rest_2),
    )  # fmt: skip
    excess = load - q  # made up for by the derivatives
    return w - w_q * excess, w_q, w_1, w_2, q_b, b - excess / q_b, c - c_b * excess / q_b


@lean_kernel
def approach_of_point(model, number, rows, s_1, s_2, q, b, c, near):
    """`line_contact` of two profiles, their ``rows`` of one side of the teeth (0: the loaded one)."""
    one, two = model.pinion.layer, model.wheel.layer
    if number == 0:
        pinion, wheel = model.loaded.pinion, model.loaded.wheel
    else:
        pinion, wheel = model.back.pinion, model.back.wheel
    return line_contact(
        pinion.knots[rows[0]], pinion.curve[rows[0]], one.s, one.narrowest, one.log_b, one.table, one.softness,
        wheel.knots[rows[1]], wheel.curve[rows[1]], two.s, two.narrowest, two.log_b, two.table, two.softness,
        model.modulus, model.least_curvature, model.loaded.axial[0], s_1, s_2, q, b, c, near,
    )  # fmt: skip


@kernel
def partial_approach(model, number, rows, s_1, s_2, ease, q, b, c, near):
    """Approach in the middle of a slice across which the gap changes by ``ease`` to either side (README, section 4).

    ``q`` is the mean line load of the slice [N/m].

    Returns
    -------
    u, u_q, u_s1, u_s2 : approach [m] and its derivatives
    q_b : derivative of the line load where the slice touches against the half-width [N/m^2]
    u_ease : derivative
    touching : part of the slice, 1 where all of it touches
    b, c : half-width and place of the strip in this part [m]
    """
    w, w_q, w_1, w_2, q_b, b, c = approach_of_point(model, number, rows, s_1, s_2, q, b, c, near)
    if w >= ease:
        return w, w_q, w_1, w_2, q_b, 0.0, 1.0, b, c
    touching = max(np.sqrt(max(w, 0.0) / ease), LEAST_TOUCHING)
    for _ in range(TOUCHING_STEPS):  # w(q/touching) = ease touching
        w, w_q, w_1, w_2, q_b, b, c = approach_of_point(model, number, rows, s_1, s_2, q / touching, b, c, near)
        step = (w - ease * touching) / (w_q * q / touching**2 + ease)
        if abs(step) <= near * touching:
            break
        touching = min(max(touching + step, 0.1 * touching), 1.0)
    rise = 2.0 * ease * touching / (w_q * q + ease * touching * touching)
    return (
        ease * (2.0 * touching - 1.0), rise * w_q, rise * touching * w_1, rise * touching * w_2, q_b,
        2.0 * touching - 1.0 - rise * touching * touching, touching, b, c,
    )  # fmt: skip


@lean_kernel
def whole_approaches(model, found, index, n, line_load, strips, out):
    """As `approaches`, of slices that touch as a whole."""
    for a in range(n):
        i = index[a]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], strips[i, 0], strips[i, 1] = approach_of_point(
            model, found.side_of[i], rows_of_point(model, found, i), found.table[i, S], found.table[i, S + 1],
            line_load[i], strips[i, 0], strips[i, 1], CLOSELY,
        )  # fmt: skip


@lean_kernel
def approaches(model, found, index, n, line_load, strips, out):
    """Approach of the layers of some points.

    Parameters
    ----------
    index, n : points, the first n of the list
    line_load : (m,) by point [N/m]
    strips : (m, 2) half-width and place of the strips by point [m]: where the search begins, and what it finds
    out : (m, 7) by point: w [m], w_q [m^2/N], w_s1, w_s2, dq/db of the half-width [N/m^2], w_ease, and the part of the
        slice that touches
    """
    for a in range(n):
        i = index[a]
        (
            out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5], out[i, 6], strips[i, 0], strips[i, 1],
        ) = partial_approach(
            model, found.side_of[i], rows_of_point(model, found, i), found.table[i, S], found.table[i, S + 1],
            found.table[i, EASE], line_load[i], strips[i, 0], strips[i, 1], CLOSELY,
        )  # fmt: skip


@lean_kernel
def share_slice(found, i, j):
    """Whether two points are different places of one pair in one slice of a side."""
    return (
        i != j
        and found.slice_of[i] == found.slice_of[j]
        and found.pair_of[i] == found.pair_of[j]
        and found.side_of[i] == found.side_of[j]
    )


@lean_kernel
def distance_between(found, i, j):
    """Distance of two points along the flanks, the mean of both [m]."""
    at, beside = found.table[i], found.table[j]
    return 0.5 * (abs(at[S] - beside[S]) + abs(at[S + 1] - beside[S + 1]))


@lean_kernel
def strip_of(model, found, i, line_load):
    """Half-width of the strip of a point under a line load [m]."""
    at = found.table[i]
    return approach_of_point(
        model, found.side_of[i], rows_of_point(model, found, i), at[S], at[S + 1], line_load, 0.0, 0.0, ROUGHLY
    )[5]


@lean_kernel
def approach_beside(model, found, i, j):
    """Approach of point i by a line load at point j of the same slice through the layers of both teeth.

    Returns
    -------
    w_q : for a unit line load [m^2/N]
    at_1, at_2, beside_1, beside_2 : its derivatives by the positions of i and of j on both profiles [m/N]
    """
    one, two, lean = model.pinion.layer, model.wheel.layer, model.loaded.axial[0]
    at, beside = found.table[i], found.table[j]
    way_1, way_2 = at[S] - beside[S], at[S + 1] - beside[S + 1]
    b = BESIDE * distance_between(found, i, j) / lean
    W_1, W_1_s, W_1_b = layer_approach(one.s, one.narrowest, one.log_b, one.table, 0.5 * (at[S] + beside[S]), b)
    W_2, W_2_s, W_2_b = layer_approach(two.s, two.narrowest, two.log_b, two.table, 0.5 * (at[S + 1] + beside[S + 1]), b)
    by_1, by_2 = 0.5 * one.softness * W_1_s, 0.5 * two.softness * W_2_s
    by_b = 0.5 * BESIDE / lean * (one.softness * W_1_b + two.softness * W_2_b)
    out_1, out_2 = np.sign(way_1) * by_b, np.sign(way_2) * by_b
    w_q = one.softness * W_1 + two.softness * W_2
    return w_q, by_1 + out_1, by_2 + out_2, by_1 - out_1, by_2 - out_2


@lean_kernel
def works_up_to(model, found, i, q, b, c, places, weights):
    """Integrals over the line load of the strip of point i from 0 to ``q`` [N/m], and derivatives by its places.

    Gauss's rule in x, q x^2 the load: the approach goes with q ln q. ``b``, ``c`` are half-width and place under ``q``.

    Returns
    -------
    work, work_1, work_2 : int w dq [J/m], int w_s1 dq, int w_s2 dq [N/m]
    rise, rise_1, rise_2 : int w q w_q dq [J], int w w_s1 dq, int w w_s2 dq [J/m]
    """
    work, work_1, work_2, rise, rise_1, rise_2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for g in range(places.shape[0]):
        x = places[g]
        # the half-width goes with x, and the strip moves with its square
        load = q * x * x
        w, w_q, w_1, w_2, _, _, _ = approach_of_point(
            model, found.side_of[i], rows_of_point(model, found, i), found.table[i, S], found.table[i, S + 1],
            load, b * x, c * x * x, ROUGHLY,
        )  # fmt: skip
        part = 2.0 * x * weights[g] * q
        work, work_1, work_2 = work + part * w, work_1 + part * w_1, work_2 + part * w_2
        rise, rise_1, rise_2 = rise + part * w * load * w_q, rise_1 + part * w * w_1, rise_2 + part * w * w_2
    return work, work_1, work_2, rise, rise_1, rise_2


@lean_kernel
def load_of_approach(model, found, i, w, q, b, c):
    """Line load [N/m], half-width and place of the strip of point i whose approach is ``w`` [m]."""
    for _ in range(TOUCHING_STEPS):
        now, w_q, _, _, _, b, c = approach_of_point(
            model, found.side_of[i], rows_of_point(model, found, i), found.table[i, S], found.table[i, S + 1],
            q, b, c, CLOSELY,
        )  # fmt: skip
        step = (w - now) / w_q
        if abs(step) <= CLOSELY * q:
            break
        q = max(q + step, 0.1 * q)
    return q, b, c


@lean_kernel
def layer_works(model, found, index, n, line_load, strips, places, weights, out):
    """Complementary works of the layers, int u dF, and their derivatives against places of contact and ease.

    u is the approach in the middle of a slice that may touch in part, w that of a strip and Q(w) its load. As u rises
    by twice as much as w where a slice touches in part, int u dq is u q - (2/ease) int y Q(y) dy there, and int w dq
    + int Q(y) (1 - 2 y/ease) dy up to y = ease where all of it does.

    Parameters
    ----------
    index, n, line_load : as in `approaches`
    strips : (m, 2) as `approaches` left them
    places, weights : Gauss's rule on 0 ... 1
    out : (m, 7) by point as `approaches` left it, overwritten; per length of the line: int u dq [J/m], int u_s1 dq,
        int u_s2 dq, int u_ease dq [N/m]
    """
    for a in range(n):
        i = index[a]
        q, ease, b, c = line_load[i], found.table[i, EASE], strips[i, 0], strips[i, 1]
        u, touching = out[i, 0], out[i, 6]
        if touching < 1.0:
            _, _, _, rise, rise_1, rise_2 = works_up_to(model, found, i, q / touching, b, c, places, weights)
            out[i, 0], out[i, 3] = u * q - 2.0 * rise / ease, 2.0 * rise / ease**2 - q
            out[i, 1], out[i, 2] = 2.0 * rise_1 / ease, 2.0 * rise_2 / ease
            continue
        out[i, 0], out[i, 1], out[i, 2], _, _, _ = works_up_to(model, found, i, q, b, c, places, weights)
        out[i, 3] = 0.0
        if ease > LEAST_EASE * u:
            x = np.sqrt(ease / u)
            first, b, c = load_of_approach(model, found, i, ease, q * x * x, b * x, c * x * x)
            work, work_1, work_2, rise, rise_1, rise_2 = works_up_to(model, found, i, first, b, c, places, weights)
            out[i, 0] += ease * first - work - 2.0 * rise / ease
            out[i, 1] += 2.0 * rise_1 / ease - work_1
            out[i, 2] += 2.0 * rise_2 / ease - work_2
            out[i, 3] = 2.0 * rise / ease**2 - first
