"""Overlap of two teeth and the length S of Hertz's law there, with their derivatives, compiled.

In the plane of a slice, by both rotations against the line of centres and by the centre distance; ``teeth_kernels.py``
goes on from there to forces. A ring gear has negative radii and roll lengths. Equations are those of the README.
"""

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import kernel, lean_kernel

# of a mesh: base radii, base pitch, roll lengths at both tips [m]; how far beyond a tip circle an edge is looked for,
# largest overlap, smallest radius of curvature [m]; width of a slice [m], cosine of the base helix angle
L_A, L_B, PITCH, TIP_A, TIP_B, REACH, LARGEST, FLOOR, WIDTH, COS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
# compliance of both materials [1/Pa], difference of their shares, retardation [s]; radii of both tip rounds [m]
THETA, SHARES, RETARDATION, ROUND_A, ROUND_B, N_MESH = 10, 11, 12, 13, 14, 15

# of a table of removal: first roll length and distance of the places [m]
FIRST, STEP, N_TABLE = 0, 1, 2

# derivatives of what does not touch
NO_EDGE = (np.nan,) * 6
NO_SLOPE, NO_CURVE = (0.0,) * 3, (0.0,) * 6


@lean_kernel
def removed(place, table, xi):
    """Removal [m] at a roll length, its slope and its curvature; constant beyond the ends."""
    n = table.shape[0]
    way = (xi - place[FIRST]) / place[STEP]
    if way <= 0.0:
        return table[0, 0], 0.0, 0.0
    if way >= n:
        return table[n - 1, 0] + table[n - 1, 1] + table[n - 1, 2] + table[n - 1, 3], 0.0, 0.0
    piece = min(int(way), n - 1)
    u, h = way - piece, place[STEP]
    a, b, c, d = table[piece, 0], table[piece, 1], table[piece, 2], table[piece, 3]
    return (
        a + u * (b + u * (c + u * d)),
        (b + u * (2.0 * c + 3.0 * u * d)) / h,
        (2.0 * c + 6.0 * u * d) / (h * h),
    )


# Derivatives of a quantity of the plane are tuples: by (angle A, angle B, distance), and by AA, AB, BB, AD, BD, DD.


@lean_kernel
def edge_on_flank(l_flank, l_edge, tip, angle_flank, angle_edge, a):
    """Overlap of the tip edge of one gear with a flank of the other, and the roll length where it touches [m].

    The derivatives of both follow: by the angle of the flank, of the edge, the centre distance; then by edge twice,
    edge and distance, distance twice. Not a number where the edge is inside the base circle.

    Parameters
    ----------
    l_flank, l_edge : base radii [m]
    tip : roll length of the edge on its own flank [m]
    angle_flank, angle_edge : rotations [rad] at which, with the pressure angle added, l times them is the roll length
        on the line of action
    a : centre distance [m]
    """
    turn = tip / l_edge - angle_edge
    co, si = np.cos(turn), np.sin(turn)
    from_x, from_y = -(l_edge * co + tip * si), -(tip * co - l_edge * si)  # from the centre of the gear of the edge
    c_x, c_y = a + from_x, from_y
    square = c_x * c_x + c_y * c_y - l_flank * l_flank
    if square <= 0.0:
        return np.nan, np.nan, NO_EDGE, NO_EDGE
    t = np.sqrt(square) * (1.0 if l_flank > 0.0 else -1.0)
    # c (l - i t) has the angle -beta
    beta = -np.arctan2(c_y * l_flank - c_x * t, c_x * l_flank + c_y * t)
    n_x, n_y = np.sin(beta), np.cos(beta)
    m_x, m_y = n_y, -n_x
    xi = l_flank * (angle_flank + beta)
    e_x, e_y = -from_y, from_x  # the edge by its rotation; by the distance it is (1, 0)
    n_e, m_e = n_x * e_x + n_y * e_y, m_x * e_x + m_y * e_y
    beta_e, beta_a = m_e / t, m_x / t
    t_e, t_a = n_e + l_flank * beta_e, n_x + l_flank * beta_a
    n_ee, m_ee = -(n_x * from_x + n_y * from_y), -(m_x * from_x + m_y * from_y)
    of_overlap = (l_flank, -n_e, -n_x, -n_ee - m_e * beta_e, -m_e * beta_a, -m_x * beta_a)
    of_roll = (
        l_flank,
        l_flank * beta_e,
        l_flank * beta_a,
        l_flank * (m_ee / t - beta_e * n_e / t - m_e * t_e / (t * t)),
        l_flank * (-beta_a * n_e / t - m_e * t_a / (t * t)),
        l_flank * (-beta_a * n_x / t - m_x * t_a / (t * t)),
    )
    return xi - t, xi, of_overlap, of_roll


@kernel
def edge_overlap(l_flank, l_edge, tip, angle_flank, angle_edge, a):
    """Overlap alone [m], as :func:`edge_on_flank`."""
    return edge_on_flank(l_flank, l_edge, tip, angle_flank, angle_edge, a)[0]


@lean_kernel
def overlap(mesh, xi_A, xi_B, angle_A, angle_B, a, g, place_A, table_A, place_B, table_B):
    """Overlap of a tooth pair less what is removed, in the transverse section [m].

    The roll lengths where both touch follow, on which edge, and the first and second derivatives. Pairs further beyond
    a tip circle than edges are looked for have -1.
    """
    l_A, l_B = mesh[L_A], mesh[L_B]
    between = l_A + l_B
    if xi_A > mesh[TIP_A] + mesh[REACH] or xi_B > mesh[TIP_B] + mesh[REACH]:
        return -1.0, xi_A, xi_B, 0, NO_SLOPE, NO_CURVE
    turned = between / (a * g)  # of the line of action by the distance
    bent = -between * (g * g + a * a) / (a * a * g * g * g)
    if xi_A <= mesh[TIP_A] and xi_B <= mesh[TIP_B]:
        r_A, slope_A, bend_A = removed(place_A, table_A, xi_A)
        r_B, slope_B, bend_B = removed(place_B, table_B, xi_B)
        by_A, by_B = (1.0 - slope_A) * l_A, (1.0 - slope_B) * l_B
        AA, BB = -bend_A * l_A * l_A, -bend_B * l_B * l_B
        first = (by_A, by_B, (by_A + by_B) * turned - a / g)
        of_distance = (by_A + by_B) * bent + between * between / (g * g * g) + (AA + BB) * turned * turned
        second = (AA, 0.0, BB, AA * turned, BB * turned, of_distance)
        return xi_A + xi_B - g - r_A - r_B, xi_A, xi_B, 0, first, second
    of_A = xi_A > mesh[TIP_A]  # whose edge
    if of_A:
        lost, along, along_2 = removed(place_A, table_A, xi_A)
        tip, l_edge = mesh[TIP_A], l_A
        delta, xi, d, w = edge_on_flank(l_B, l_A, tip, angle_B, angle_A, a)
    else:
        lost, along, along_2 = removed(place_B, table_B, xi_B)
        tip, l_edge = mesh[TIP_B], l_B
        delta, xi, d, w = edge_on_flank(l_A, l_B, tip, angle_A, angle_B, a)
    if not delta > 0.0:
        return -1.0, xi_A, xi_B, 0, NO_SLOPE, NO_CURVE
    if of_A:
        r, slope, bend = removed(place_B, table_B, xi)
    else:
        r, slope, bend = removed(place_A, table_A, xi)
    # what the edge itself has lost is that by where it is on the line of action
    out_e, out_d = along * l_edge, along * l_edge * turned
    by_flank, by_edge, by_distance = d[0] - slope * w[0], d[1] - slope * w[1] - out_e, d[2] - slope * w[2] - out_d
    lost_ee = along_2 * l_edge * l_edge
    ff, fe, fd = -bend * w[0] * w[0], -bend * w[0] * w[1], -bend * w[0] * w[2]
    ee = d[3] - slope * w[3] - bend * w[1] * w[1] - lost_ee
    ed = d[4] - slope * w[4] - bend * w[1] * w[2] - lost_ee * turned
    dd = d[5] - slope * w[5] - bend * w[2] * w[2] - lost_ee * turned * turned - out_e * bent
    if of_A:
        return delta - r - lost, tip, xi, 1, (by_edge, by_flank, by_distance), (ee, fe, ff, ed, fd, dd)
    return delta - r - lost, xi, tip, 2, (by_flank, by_edge, by_distance), (ff, fe, ee, fd, ed, dd)


@lean_kernel
def along_line(first, second, slope, curve, by_A, by_B, by_a):
    """Add the derivatives of a function of a length, whose own first ones are given, by its slope and curvature."""
    return (
        (first[0] + slope * by_A, first[1] + slope * by_B, first[2] + slope * by_a),
        (
            second[0] + curve * by_A * by_A,
            second[1] + curve * by_A * by_B,
            second[2] + curve * by_B * by_B,
            second[3] + curve * by_A * by_a,
            second[4] + curve * by_B * by_a,
            second[5] + curve * by_a * by_a,
        ),
    )


@lean_kernel
def by_distance_twice(second, value):
    """Add to the second derivative by the distance."""
    return second[0], second[1], second[2], second[3], second[4], second[5] + value


@lean_kernel
def logarithm(mesh, zeta, a, g, place, bending):
    """ln S, S of Hertz's law, for the place zeta of the contact from T_A [m], with its derivatives.

    Of equal materials it depends on the distance alone, but for what teeth bend, which is added to it.
    """
    l_A, l_B, d = mesh[L_A], mesh[L_B], mesh[SHARES]
    between = l_A + l_B
    first = (0.0, 0.0, a / (g * g))
    second = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0 / (g * g) - 2.0 * a * a / (g * g * g * g))
    value = 2.0 / 3.0 + np.log(abs(g) / mesh[COS])
    if d == 0.0 and bending.shape[0] == 0:
        return value, first, second
    turned = between / (a * g)
    bent = -between * (g * g + a * a) / (a * a * g * g * g)
    straight = -between * between / (g * g * g)  # g by the distance, twice
    if bending.shape[0] > 0:
        kappa, slope, curved = removed(place, bending, zeta)
        value += kappa
        by_a = 0.5 * ((l_A - l_B) * turned + a / g)
        first, second = along_line(first, second, slope, curved, 0.5 * l_A, -0.5 * l_B, by_a)
        second = by_distance_twice(second, 0.5 * slope * ((l_A - l_B) * bent + straight))
    if d == 0.0:
        return value, first, second
    for way in (1.0, -1.0):
        # radius of A, then that of B, by angle A, angle B, distance
        R = zeta if way > 0.0 else g - zeta
        sense = 1.0 if (l_A if way > 0.0 else l_B) > 0.0 else -1.0
        if sense * R <= mesh[FLOOR]:
            value += way * d * np.log(mesh[FLOOR])
            continue
        value += way * d * np.log(sense * R)
        by_a = 0.5 * (way * (l_A - l_B) * turned + a / g)
        w = way * d / R
        first, second = along_line(first, second, w, -w / R, 0.5 * way * l_A, -0.5 * way * l_B, by_a)
        second = by_distance_twice(second, 0.5 * w * (way * (l_A - l_B) * bent + straight))
    return value, first, second
