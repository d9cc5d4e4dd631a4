"""Compiled teeth in line contact: Hertz's law inverted, flanks and tip edges on each other, forces with their tangents.

Flanks of side s = -1 are seen in a mirror, so that both sides are one code; a ring gear has negative radii and roll
lengths, so that internal pairs are the same code, too. Signs and equations are those of the README.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.kernel_cache import inner_kernel, kernel
from alegear.kernel_struct import copy_struct, kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, STORED, SUPPLIED

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# of a mesh: base radii, base pitch, roll lengths at both tips [m]; how far beyond a tip circle an edge is looked for,
# largest overlap, smallest radius of curvature [m]; width of a slice [m], cosine of the base helix angle
L_A, L_B, PITCH, TIP_A, TIP_B, REACH, LARGEST, FLOOR, WIDTH, COS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
# compliance of both materials [1/Pa], difference of their shares, retardation [s]; radii of both tip rounds [m]
THETA, SHARES, RETARDATION, ROUND_A, ROUND_B, N_MESH = 10, 11, 12, 13, 14, 15

# of a table of removal: first roll length and distance of the places [m]
FIRST, STEP, N_TABLE = 0, 1, 2

# coordinates, as in the planar mesh
PHI_A, PHI_B, X_A, Y_A, X_B, Y_B, N_COORDINATES = 0, 1, 2, 3, 4, 5, 6
# in which a side is evaluated: both angles against the line of centres, centre distance
ANGLE_A, ANGLE_B, DISTANCE, N_PLANE = 0, 1, 2, 3
# rotations and the displacement of centre B against centre A
TURN_A, TURN_B, D_X, D_Y, N_RELATIVE = 0, 1, 2, 3, 4

# of a contact: side, slice, pair; force in the transverse section [N], line load normal to the flanks [N/m]; pressure
# [Pa], half width [m]; roll lengths of both flanks [m]; overlap normal to the flanks [m]; 0 on flanks, 1 on the edge of
# A, 2 on that of B
SIDE, SLICE, PAIR, FORCE, LINE_LOAD, PRESSURE, HALF_WIDTH, ROLL_A, ROLL_B, OVERLAP, EDGE, N_CONTACT = range(12)

# of what could not be found
FINE, CENTRES, OVERLAPS, BEYOND_HERTZ = 0, 1, 2, 3

#: y = ln(S/s) from which Hertz's law is inverted; at 1 its slope is infinite, and beyond it falls.
LEAST_Y = 1.5
# Barry et al. (2000): W_-1 to 3e-4
M_1, M_2, M_3 = 0.3361, -0.0042, -0.0201


# --------------------------------------------------------------------------------- Hertz
@kernel
def line_contact(log_S, delta):
    """Return y = ln(S/s) of the load s that indents by delta = s y; not a number beyond the largest one, S exp(-1).

    ``-y = W_-1(-delta/S)``: the approximation of Barry et al. (2000), then two of Newton's steps on y - ln y.
    """
    wanted = log_S - np.log(delta)  # S itself is too large a number where teeth bend away under a small load
    beyond = wanted - 1.0
    if beyond < 0.0:
        return np.nan
    root = np.sqrt(0.5 * beyond)
    y = 1.0 + beyond
    y += 2.0 / M_1 * (1.0 - 1.0 / (1.0 + M_1 * root / (1.0 + M_2 * beyond * np.exp(M_3 * np.sqrt(beyond)))))
    for _ in range(2):
        if y > 1.0:
            y -= (y - np.log(y) - wanted) * y / (y - 1.0)
    return y


@inner_kernel
def hertz_pressure(theta, load, radius):
    """Largest pressure [Pa] and half width [m] under a line load [N/m], for the radius of relative curvature [m]."""
    half = np.sqrt(4.0 * load * radius * theta / np.pi)
    return 2.0 * load / (np.pi * half), half


# --------------------------------------------------------------------------------- geometry
@inner_kernel
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


@inner_kernel
def edge_on_flank(l_flank, l_edge, tip, angle_flank, angle_edge, a, out):
    """Overlap of the tip edge of one gear with a flank of the other, and the roll length where it touches [m].

    Writes the derivatives of both into ``out`` (2, 6): by the angle of the flank, of the edge, the centre distance;
    then by edge twice, edge and distance, distance twice. Not a number where the edge is inside the base circle.

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
        return np.nan, np.nan
    t = np.sqrt(square) * (1.0 if l_flank > 0.0 else -1.0)
    # c (l - i t) has the angle -beta
    beta = -np.arctan2(c_y * l_flank - c_x * t, c_x * l_flank + c_y * t)
    n_x, n_y, m_x, m_y = np.sin(beta), np.cos(beta), np.cos(beta), -np.sin(beta)
    xi = l_flank * (angle_flank + beta)
    e_x, e_y = -from_y, from_x  # the edge by its rotation; by the distance it is (1, 0)
    n_e, m_e = n_x * e_x + n_y * e_y, m_x * e_x + m_y * e_y
    beta_e, beta_a = m_e / t, m_x / t
    t_e, t_a = n_e + l_flank * beta_e, n_x + l_flank * beta_a
    n_ee, m_ee = -(n_x * from_x + n_y * from_y), -(m_x * from_x + m_y * from_y)
    out[0, 0], out[0, 1], out[0, 2] = l_flank, -n_e, -n_x
    out[0, 3] = -n_ee - m_e * beta_e
    out[0, 4] = -m_e * beta_a
    out[0, 5] = -m_x * beta_a
    out[1, 0], out[1, 1], out[1, 2] = l_flank, l_flank * beta_e, l_flank * beta_a
    out[1, 3] = l_flank * (m_ee / t - beta_e * n_e / t - m_e * t_e / (t * t))
    out[1, 4] = l_flank * (-beta_a * n_e / t - m_e * t_a / (t * t))
    out[1, 5] = l_flank * (-beta_a * n_x / t - m_x * t_a / (t * t))
    return xi - t, xi


@kernel
def edge_overlap(l_flank, l_edge, tip, angle_flank, angle_edge, a):
    """Overlap alone [m], as :func:`edge_on_flank`."""
    out = np.empty((2, 6))
    return edge_on_flank(l_flank, l_edge, tip, angle_flank, angle_edge, a, out)[0]


@inner_kernel
def overlap(mesh, xi_A, xi_B, angle_A, angle_B, a, g, place_A, table_A, place_B, table_B, gradient, hessian, work):
    """Overlap of a tooth pair less what is removed, in the transverse section [m].

    Writes its derivatives by both angles and the distance, and returns the roll lengths where both touch, and on which
    edge. Pairs further beyond a tip circle than edges are looked for have -1.
    """
    l_A, l_B = mesh[L_A], mesh[L_B]
    between = l_A + l_B
    hessian[:] = 0.0
    if xi_A > mesh[TIP_A] + mesh[REACH] or xi_B > mesh[TIP_B] + mesh[REACH]:
        return -1.0, xi_A, xi_B, 0
    turned = between / (a * g)  # of the line of action by the distance
    bent = -between * (g * g + a * a) / (a * a * g * g * g)
    if xi_A <= mesh[TIP_A] and xi_B <= mesh[TIP_B]:
        r_A, slope_A, bend_A = removed(place_A, table_A, xi_A)
        r_B, slope_B, bend_B = removed(place_B, table_B, xi_B)
        keep_A, keep_B = 1.0 - slope_A, 1.0 - slope_B
        gradient[ANGLE_A], gradient[ANGLE_B] = keep_A * l_A, keep_B * l_B
        gradient[DISTANCE] = (keep_A * l_A + keep_B * l_B) * turned - a / g
        hessian[ANGLE_A, ANGLE_A] = -bend_A * l_A * l_A
        hessian[ANGLE_B, ANGLE_B] = -bend_B * l_B * l_B
        hessian[ANGLE_A, DISTANCE] = -bend_A * l_A * l_A * turned
        hessian[ANGLE_B, DISTANCE] = -bend_B * l_B * l_B * turned
        hessian[DISTANCE, DISTANCE] = (keep_A * l_A + keep_B * l_B) * bent + between * between / (g * g * g)
        hessian[DISTANCE, DISTANCE] -= (bend_A * l_A * l_A + bend_B * l_B * l_B) * turned * turned
        hessian[DISTANCE, ANGLE_A], hessian[DISTANCE, ANGLE_B] = hessian[ANGLE_A, DISTANCE], hessian[ANGLE_B, DISTANCE]
        return xi_A + xi_B - g - r_A - r_B, xi_A, xi_B, 0
    of_A = xi_A > mesh[TIP_A]  # whose edge
    if of_A:
        flank, edge, l_flank, l_edge, tip = ANGLE_B, ANGLE_A, l_B, l_A, mesh[TIP_A]
        angle_flank, angle_edge = angle_B, angle_A
        lost, along, along_2 = removed(place_A, table_A, xi_A)
    else:
        flank, edge, l_flank, l_edge, tip = ANGLE_A, ANGLE_B, l_A, l_B, mesh[TIP_B]
        angle_flank, angle_edge = angle_A, angle_B
        lost, along, along_2 = removed(place_B, table_B, xi_B)
    delta, xi = edge_on_flank(l_flank, l_edge, tip, angle_flank, angle_edge, a, work)
    if not delta > 0.0:
        return -1.0, xi_A, xi_B, 0
    if of_A:
        r, slope, bend = removed(place_B, table_B, xi)
    else:
        r, slope, bend = removed(place_A, table_A, xi)
    for i, at in enumerate((flank, edge, DISTANCE)):
        gradient[at] = work[0, i] - slope * work[1, i]
    hessian[edge, edge] = work[0, 3] - slope * work[1, 3]
    hessian[edge, DISTANCE] = work[0, 4] - slope * work[1, 4]
    hessian[DISTANCE, DISTANCE] = work[0, 5] - slope * work[1, 5]
    hessian[DISTANCE, edge] = hessian[edge, DISTANCE]
    for i, one in enumerate((flank, edge, DISTANCE)):
        for j, other in enumerate((flank, edge, DISTANCE)):
            hessian[one, other] -= bend * work[1, i] * work[1, j]
    # what the edge itself has lost, by where it is on the line of action
    gradient[edge] -= along * l_edge
    gradient[DISTANCE] -= along * l_edge * turned
    hessian[edge, edge] -= along_2 * l_edge * l_edge
    hessian[edge, DISTANCE] -= along_2 * l_edge * l_edge * turned
    hessian[DISTANCE, edge] -= along_2 * l_edge * l_edge * turned
    hessian[DISTANCE, DISTANCE] -= along_2 * (l_edge * turned) ** 2 + along * l_edge * bent
    if of_A:
        return delta - r - lost, tip, xi, 1
    return delta - r - lost, xi, tip, 2


@inner_kernel
def logarithm(mesh, zeta, a, g, place, bending, gradient, hessian):
    """ln S, S of Hertz's law, for the place zeta of the contact from T_A [m], with its derivatives as an overlap's.

    Of equal materials it depends on the distance alone, but for what teeth bend, which is added to it.
    """
    l_A, l_B, d = mesh[L_A], mesh[L_B], mesh[SHARES]
    between = l_A + l_B
    gradient[:], hessian[:] = 0.0, 0.0
    gradient[DISTANCE] = a / (g * g)
    hessian[DISTANCE, DISTANCE] = 1.0 / (g * g) - 2.0 * a * a / (g * g * g * g)
    value = 2.0 / 3.0 + np.log(abs(g) / mesh[COS])
    if d == 0.0 and bending.shape[0] == 0:
        return value
    turned = between / (a * g)
    bent = -between * (g * g + a * a) / (a * a * g * g * g)
    straight = -between * between / (g * g * g)  # g by the distance, twice
    if bending.shape[0] > 0:
        kappa, slope, curved = removed(place, bending, zeta)
        value += kappa
        by_A, by_B, by_a = 0.5 * l_A, -0.5 * l_B, 0.5 * ((l_A - l_B) * turned + a / g)
        for i, of_i in enumerate((by_A, by_B, by_a)):
            gradient[i] += slope * of_i
            for j, of_j in enumerate((by_A, by_B, by_a)):
                hessian[i, j] += curved * of_i * of_j
        hessian[DISTANCE, DISTANCE] += 0.5 * slope * ((l_A - l_B) * bent + straight)
    if d == 0.0:
        return value
    for way in (1.0, -1.0):
        # radius of A, then that of B, by angle A, angle B, distance
        R = zeta if way > 0.0 else g - zeta
        sense = 1.0 if (l_A if way > 0.0 else l_B) > 0.0 else -1.0
        if sense * R <= mesh[FLOOR]:
            value += way * d * np.log(mesh[FLOOR])
            continue
        value += way * d * np.log(sense * R)
        by_A, by_B = 0.5 * way * l_A, -0.5 * way * l_B
        by_a = 0.5 * (way * (l_A - l_B) * turned + a / g)
        bend = 0.5 * (way * (l_A - l_B) * bent + straight)
        w = way * d / R
        gradient[ANGLE_A] += w * by_A
        gradient[ANGLE_B] += w * by_B
        gradient[DISTANCE] += w * by_a
        for i, of_i in enumerate((by_A, by_B, by_a)):
            for j, of_j in enumerate((by_A, by_B, by_a)):
                hessian[i, j] -= w / R * of_i * of_j
        hessian[DISTANCE, DISTANCE] += w * bend
    return value


@inner_kernel
def to_relative(s, c_x, c_y, gradient, hessian, of_angles, out, out_2):
    """Turn derivatives by both angles and the distance into those by rotations and the displacement of centre B.

    ``c_x``, ``c_y`` (2,): by the displacement the angle of the line of centres, and the distance; ``of_angles`` (3,):
    their second derivatives are -(e t + t e)/a^2 and t t/a, of e, t and a.
    """
    e_x, e_y, a = of_angles[0], of_angles[1], of_angles[2]
    t_x, t_y = -e_y, e_x
    by_line = -s * (gradient[ANGLE_A] + gradient[ANGLE_B])
    out[TURN_A], out[TURN_B] = s * gradient[ANGLE_A], s * gradient[ANGLE_B]
    out[D_X] = by_line * c_x[0] + gradient[DISTANCE] * c_x[1]
    out[D_Y] = by_line * c_y[0] + gradient[DISTANCE] * c_y[1]
    for i in range(N_RELATIVE):
        for j in range(N_RELATIVE):
            total = 0.0
            for p in range(N_PLANE):
                left = _by(p, i, s, c_x, c_y)
                if left == 0.0:
                    continue
                for q in range(N_PLANE):
                    total += left * hessian[p, q] * _by(q, j, s, c_x, c_y)
            out_2[i, j] = total
    k = gradient[DISTANCE] / a
    m = -by_line / (a * a)
    out_2[D_X, D_X] += k * t_x * t_x + 2.0 * m * e_x * t_x
    out_2[D_Y, D_Y] += k * t_y * t_y + 2.0 * m * e_y * t_y
    mixed = k * t_x * t_y + m * (e_x * t_y + e_y * t_x)
    out_2[D_X, D_Y] += mixed
    out_2[D_Y, D_X] += mixed


@inner_kernel
def _by(plane, relative, s, c_x, c_y):
    """Derivative of one of (angle A, angle B, distance) by one of the relative coordinates."""
    if relative < D_X:
        return s if plane == relative else 0.0
    line = c_x if relative == D_X else c_y
    return line[1] if plane == DISTANCE else -s * line[0]


# --------------------------------------------------------------------------------- all teeth
@kernel
def evaluate(
    # model
    mesh, bases, leads, ahead, places_A, tables_A, which_A, deviation_A, places_B, tables_B, which_B, deviation_B, a_0,
    place, bending,
    # in
    y, rate,
    # out
    Q, by_y, by_rate, contacts,
):  # fmt: skip
    """Forces of all tooth pairs in all slices on the coordinates of each slice, with their tangents.

    Parameters
    ----------
    bases : shape (2, 2) [m]
        Roll lengths less pressure angle times base radius of pair 0, where nothing has turned, by side and gear.
    leads : shape (2,)
        By how many teeth the tooth of B is ahead of the pair's number, by side.
    ahead : shape (n_slices,) [m]
        By which the line of contact of side +1 is further on.
    places : shape (N_TABLE,); tables : shape (n_tables, n_slices, n, 4)
    which : shape (2, z)
        Table of each tooth by side, -1: the tooth is missing.
    deviation : shape (2, z) [m]
        Material added to each tooth by side.
    a_0 : float [m]
        Centre distance where nothing is displaced.
    place : shape (N_TABLE,); bending : shape (n, 4)
        What teeth bend, added to ln S, over the place of the contact on the line of action from T_A; n = 0: rigid.
    y, rate : shape (n_slices, 6)
    Q : shape (n_slices, 6); by_y, by_rate : shape (n_slices, 6, 6)
    contacts : shape (m, N_CONTACT)

    Returns
    -------
    fault, number of contacts, stored energy [J], power of the damping [W]
    """
    gradient, hessian = np.empty(N_PLANE), np.empty((N_PLANE, N_PLANE))
    of_S, of_S_2 = np.empty(N_PLANE), np.empty((N_PLANE, N_PLANE))
    total, total_2 = np.empty(N_PLANE), np.empty((N_PLANE, N_PLANE))
    line, line_2 = np.empty(N_PLANE), np.zeros((N_PLANE, N_PLANE))
    damper = np.empty(N_PLANE)
    Q_4, K_4 = np.empty(N_RELATIVE), np.empty((N_RELATIVE, N_RELATIVE))
    n_4, N_4 = np.empty(N_RELATIVE), np.empty((N_RELATIVE, N_RELATIVE))
    c_4, C_4 = np.empty(N_RELATIVE), np.zeros((N_RELATIVE, N_RELATIVE))
    work, none = np.empty((2, 6)), np.zeros((N_PLANE, N_PLANE))
    of_angles, c_x, c_y, u = np.empty(3), np.empty(2), np.empty(2), np.empty(N_RELATIVE)
    l_A, l_B, p = mesh[L_A], mesh[L_B], mesh[PITCH]
    between, unit, beta = l_A + l_B, np.pi / mesh[THETA], mesh[RETARDATION]
    z_A, z_B = which_A.shape[1], which_B.shape[1]
    sense = 1.0 if between > 0.0 else -1.0
    found, energy, lost = 0, 0.0, 0.0
    Q[:], by_y[:], by_rate[:] = 0.0, 0.0, 0.0
    for j in range(y.shape[0]):
        x, h = a_0 + y[j, X_B] - y[j, X_A], y[j, Y_B] - y[j, Y_A]
        a = sense * np.hypot(x, h)
        if not sense * a > sense * between:
            return CENTRES, found, energy, lost
        e_x, e_y = x / a, h / a
        gear_angle = np.arctan2(e_y, e_x)
        alpha = np.arccos(between / a)
        g = a * np.sin(alpha)
        of_angles[0], of_angles[1], of_angles[2] = e_x, e_y, a
        c_x[0], c_x[1], c_y[0], c_y[1] = -e_y / a, e_x, e_x / a, e_y
        for i in range(2):
            s = 1.0 if i == 0 else -1.0
            # without the pressure angle: l (angle + alpha) is the roll length of pair 0
            turned_A = s * (y[j, PHI_A] - gear_angle) + (bases[i, 0] + s * ahead[j]) / l_A
            turned_B = s * (y[j, PHI_B] - gear_angle) + (bases[i, 1] - s * ahead[j]) / l_B
            xi_A0, xi_B0 = l_A * (turned_A + alpha), l_B * (turned_B + alpha)
            on_line = xi_A0 + xi_B0 - g
            if on_line <= -mesh[LARGEST]:
                continue
            if on_line > mesh[LARGEST]:
                return OVERLAPS, found, energy, lost
            # all pairs that can lie on the path, or beyond it on an edge
            first = int(np.ceil((xi_B0 - mesh[TIP_B] - mesh[REACH]) / p))
            last = int(np.floor((mesh[TIP_A] + mesh[REACH] - xi_A0) / p))
            total[:], total_2[:], damper[:] = 0.0, 0.0, 0.0
            damping = 0.0
            line[ANGLE_A], line[ANGLE_B], line[DISTANCE] = l_A, l_B, -g / a
            line_2[DISTANCE, DISTANCE] = -between * between / (a * a * g)
            to_relative(s, c_x, c_y, line, line_2, of_angles, n_4, N_4)
            u[TURN_A], u[TURN_B] = rate[j, PHI_A], rate[j, PHI_B]
            u[D_X], u[D_Y] = rate[j, X_B] - rate[j, X_A], rate[j, Y_B] - rate[j, Y_A]
            closing = 0.0
            for r in range(N_RELATIVE):
                closing += n_4[r] * u[r]
            for k in range(first, last + 1):
                number = -k if s > 0.0 else k
                t_A, t_B = number % z_A, (number + leads[i]) % z_B
                w_A, w_B = which_A[i, t_A], which_B[i, t_B]
                if w_A < 0 or w_B < 0:
                    continue
                added = (deviation_A[i, t_A] + deviation_B[i, t_B]) / mesh[COS]
                delta, xi_A, xi_B, edge = overlap(
                    mesh, xi_A0 + k * p, xi_B0 - k * p, turned_A + k * p / l_A, turned_B - k * p / l_B, a, g,
                    places_A, tables_A[w_A, j], places_B, tables_B[w_B, j], gradient, hessian, work,
                )  # fmt: skip
                delta = (delta + added) * mesh[COS]
                if delta <= 0.0:
                    continue
                zeta = 0.5 * (xi_A0 + k * p - xi_B0 + k * p + g)
                log_S = logarithm(mesh, zeta, a, g, place, bending, of_S, of_S_2)
                top = line_contact(log_S, delta)
                if not top >= LEAST_Y:
                    return BEYOND_HERTZ, found, energy, lost
                load = delta / top
                q = unit * load
                c = beta * mesh[COS] * unit / (top - 1.0)
                if q + c * closing <= 0.0:  # the damper holds flanks that part: nothing is pulled
                    energy += mesh[WIDTH] / mesh[COS] * unit * load * load * (0.5 * top - 0.25)
                    lost -= mesh[WIDTH] * q * closing
                    continue
                energy += mesh[WIDTH] / mesh[COS] * unit * load * load * (0.5 * top - 0.25)
                lost += mesh[WIDTH] * c * closing * closing
                by_S = -0.5 * unit * load * load / mesh[COS]
                by_2, by_S_delta = mesh[COS] * unit / (top - 1.0), -unit * load / (top - 1.0)
                by_S_2 = unit * load * load / (top - 1.0) / mesh[COS]
                cube = (top - 1.0) ** 3
                c_by_delta, c_by_S = beta * mesh[COS] ** 2 * unit / (load * cube), -beta * mesh[COS] * unit * top / cube
                damping += c
                for m in range(N_PLANE):
                    total[m] += q * gradient[m] + by_S * of_S[m]
                    damper[m] += c_by_delta * gradient[m] + c_by_S * of_S[m]
                    for n in range(N_PLANE):
                        total_2[m, n] += (
                            q * hessian[m, n]
                            + by_S * of_S_2[m, n]
                            + by_2 * gradient[m] * gradient[n]
                            + by_S_delta * (gradient[m] * of_S[n] + of_S[m] * gradient[n])
                            + by_S_2 * of_S[m] * of_S[n]
                        )
                if found < contacts.shape[0]:
                    one = contacts[found]
                    one[SIDE], one[SLICE], one[PAIR] = s, j, number
                    one[FORCE], one[LINE_LOAD] = mesh[WIDTH] * (q + c * closing), q
                    one[ROLL_A], one[ROLL_B], one[OVERLAP], one[EDGE] = xi_A, xi_B, delta, edge
                    R_A = mesh[ROUND_A] if edge == 1 else max(abs(xi_A), mesh[FLOOR]) / mesh[COS]
                    R_B = mesh[ROUND_B] if edge == 2 else max(abs(xi_B), mesh[FLOOR]) / mesh[COS]
                    if edge != 1 and l_A < 0.0:
                        R_A = -R_A
                    if edge != 2 and l_B < 0.0:
                        R_B = -R_B
                    one[PRESSURE], one[HALF_WIDTH] = hertz_pressure(mesh[THETA], q, 1.0 / (1.0 / R_A + 1.0 / R_B))
                found += 1
            if damping == 0.0 and not total.any():
                continue
            width = mesh[WIDTH]
            to_relative(s, c_x, c_y, total, total_2, of_angles, Q_4, K_4)
            to_relative(s, c_x, c_y, damper, none, of_angles, c_4, C_4)
            for m in range(N_RELATIVE):
                bent = 0.0
                for n in range(N_RELATIVE):
                    bent += N_4[m, n] * u[n]
                u_bent = damping * bent
                _add_force(j, m, -width * (Q_4[m] + damping * closing * n_4[m]), Q)
                for n in range(N_RELATIVE):
                    by = K_4[m, n] + damping * closing * N_4[m, n] + closing * n_4[m] * c_4[n]
                    _add_tangent(j, m, n, -width * by, by_y)
                    _add_tangent(j, n, m, -width * n_4[n] * u_bent, by_y)
                    _add_tangent(j, m, n, -width * damping * n_4[m] * n_4[n], by_rate)
    return FINE, found, energy, lost


@inner_kernel
def _add_force(j, m, value, Q):
    """Add a force on a relative coordinate to those of both gears."""
    if m < D_X:
        Q[j, PHI_A + m] += value
        return
    Q[j, X_A + m - D_X] -= value
    Q[j, X_B + m - D_X] += value


@inner_kernel
def _add_tangent(j, m, n, value, by):
    """Add a derivative of a force on a relative coordinate by another one to those of both gears."""
    if m < D_X and n < D_X:
        by[j, m, n] += value
    elif m < D_X:
        by[j, m, X_A + n - D_X] -= value
        by[j, m, X_B + n - D_X] += value
    elif n < D_X:
        by[j, X_A + m - D_X, n] -= value
        by[j, X_B + m - D_X, n] += value
    else:
        i, k = m - D_X, n - D_X
        by[j, X_A + i, X_A + k] += value
        by[j, X_A + i, X_B + k] -= value
        by[j, X_B + i, X_A + k] -= value
        by[j, X_B + i, X_B + k] += value


# --------------------------------------------------------------------------------- by address
@kernel_struct
class Teeth(NamedTuple):
    """A mesh for :func:`teeth_element`: arguments of :func:`evaluate`, ``given`` (n_slices, 6) that is added to y.

    ``moved`` (n_slices, 6), ``by_y``, ``by_rate`` (n_slices, 6, 6) and ``contacts`` are room.
    """

    mesh: Array
    bases: Array
    leads: Index
    ahead: Array
    place_A: Array
    tables_A: Array
    which_A: Index
    deviation_A: Array
    place_B: Array
    tables_B: Array
    which_B: Index
    deviation_B: Array
    a_0: float
    bending_place: Array
    bending_table: Array
    given: Array
    moved: Array
    by_y: Array
    by_rate: Array
    contacts: Array


def _kind_of_teeth():
    """Numba's type of all of them."""
    flank = (np.zeros(0), np.zeros((0, 0, 0, 0)), np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0)))
    plane, cube = np.zeros((0, 0)), np.zeros((0, 0, 0))
    first = (np.zeros(0), plane, np.zeros(0, dtype=np.int64), np.zeros(0))
    return kind_of(Teeth._make([*first, *flank, *flank, 0.0, np.zeros(0), plane, plane, plane, cube, cube, plane]))


TEETH = _kind_of_teeth()


@kernel
def copied(struct, memory):
    """Lay a mesh out (``alegear.kernel_struct.handle_of``)."""
    return copy_struct(struct, memory)


@kernel
def teeth_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """Forces of all slices on their coordinates, one slice after the other."""
    mesh = struct_at(handle, TEETH)
    n = mesh.given.shape[0]
    m = n * N_COORDINATES
    y_all, energies = numba.carray(y, (n, N_COORDINATES)), numba.carray(energy, (3,))
    for j in range(n):
        for i in range(N_COORDINATES):
            mesh.moved[j, i] = y_all[j, i] + mesh.given[j, i]
    fault, _, energies[STORED], energies[LOST] = evaluate(
        mesh.mesh, mesh.bases, mesh.leads, mesh.ahead,
        mesh.place_A, mesh.tables_A, mesh.which_A, mesh.deviation_A,
        mesh.place_B, mesh.tables_B, mesh.which_B, mesh.deviation_B, mesh.a_0,
        mesh.bending_place, mesh.bending_table,
        mesh.moved, numba.carray(rate, (n, N_COORDINATES)), numba.carray(force, (n, N_COORDINATES)),
        mesh.by_y, mesh.by_rate, mesh.contacts,
    )  # fmt: skip
    energies[SUPPLIED] = 0.0
    if fault != FINE:
        return -1
    K, C = numba.carray(by_y, (m, m)), numba.carray(by_rate, (m, m))
    K[:, :], C[:, :] = 0.0, 0.0
    for j in range(n):
        for i in range(N_COORDINATES):
            for k in range(N_COORDINATES):
                K[N_COORDINATES * j + i, N_COORDINATES * j + k] = mesh.by_y[j, i, k]
                C[N_COORDINATES * j + i, N_COORDINATES * j + k] = mesh.by_rate[j, i, k]
    return 0
