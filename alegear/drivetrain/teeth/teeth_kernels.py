"""Compiled teeth in line contact: Hertz's law inverted, flanks and tip edges on each other, forces with their tangents.

Flanks of side s = -1 are seen in a mirror, so that both sides are one code; a ring gear has negative radii and roll
lengths, so that internal pairs are the same code, too. Signs and equations are those of the README.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.teeth.overlap_kernels import (
    COS,
    FLOOR,
    L_A,
    L_B,
    LARGEST,
    PITCH,
    REACH,
    RETARDATION,
    ROUND_A,
    ROUND_B,
    THETA,
    TIP_A,
    TIP_B,
    WIDTH,
    logarithm,
    overlap,
)
from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.elements import ElementKernel
from alegear.kernels.structs import kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, STORED, SUPPLIED

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# coordinates, as in the planar mesh
PHI_A, PHI_B, X_A, Y_A, X_B, Y_B, N_COORDINATES = 0, 1, 2, 3, 4, 5, 6
# rotations and the displacement of centre B against centre A; they stand where those of A do until a slice is done
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


@lean_kernel
def hertz_pressure(theta, load, radius):
    """Largest pressure [Pa] and half width [m] under a line load [N/m], for the radius of relative curvature [m]."""
    half = np.sqrt(4.0 * load * radius * theta / np.pi)
    return 2.0 * load / (np.pi * half), half


# --------------------------------------------------------------------------------- to coordinates
@lean_kernel
def to_relative(s, e_x, e_y, a, first):
    """Turn first derivatives into those by both rotations and the displacement of centre B against centre A.

    By the displacement the line of centres turns by t/a, of the unit vectors e along it and t across it, and the
    distance grows by e.
    """
    across = s * (first[0] + first[1]) / a
    return s * first[0], s * first[1], across * e_y + first[2] * e_x, -across * e_x + first[2] * e_y


@lean_kernel
def add_relative(s, e_x, e_y, a, first, second, factor, K):
    """Add a factor times the second derivatives by the relative coordinates to K, rows and columns 0 to 3.

    Those of the line of centres by the displacement are -(e t + t e)/a^2, of the distance t t/a.
    """
    AA, AB, BB, AD, BD, DD = second
    p_x, p_y, t_x, t_y = s * e_y / a, -s * e_x / a, -e_y, e_x  # both angles by the displacement
    A, B, D, around = AA + AB, AB + BB, AD + BD, AA + 2.0 * AB + BB
    k, m = first[2] / a, s * (first[0] + first[1]) / (a * a)
    AX, AY = factor * s * (A * p_x + AD * e_x), factor * s * (A * p_y + AD * e_y)
    BX, BY = factor * s * (B * p_x + BD * e_x), factor * s * (B * p_y + BD * e_y)
    XX = around * p_x * p_x + 2.0 * D * p_x * e_x + DD * e_x * e_x + k * t_x * t_x + 2.0 * m * e_x * t_x
    YY = around * p_y * p_y + 2.0 * D * p_y * e_y + DD * e_y * e_y + k * t_y * t_y + 2.0 * m * e_y * t_y
    XY = around * p_x * p_y + D * (p_x * e_y + e_x * p_y) + DD * e_x * e_y
    XY = factor * (XY + k * t_x * t_y + m * (e_x * t_y + e_y * t_x))
    K[TURN_A, TURN_A] += factor * AA
    K[TURN_B, TURN_B] += factor * BB
    K[TURN_A, TURN_B] += factor * AB
    K[TURN_B, TURN_A] += factor * AB
    K[TURN_A, D_X] += AX
    K[D_X, TURN_A] += AX
    K[TURN_A, D_Y] += AY
    K[D_Y, TURN_A] += AY
    K[TURN_B, D_X] += BX
    K[D_X, TURN_B] += BX
    K[TURN_B, D_Y] += BY
    K[D_Y, TURN_B] += BY
    K[D_X, D_X] += factor * XX
    K[D_Y, D_Y] += factor * YY
    K[D_X, D_Y] += XY
    K[D_Y, D_X] += XY


@lean_kernel
def add_force(one, other, by_one, by_other, Q):
    """Add two multiples of relative vectors to Q, the first four."""
    Q[TURN_A] += by_one * one[0] + by_other * other[0]
    Q[TURN_B] += by_one * one[1] + by_other * other[1]
    Q[D_X] += by_one * one[2] + by_other * other[2]
    Q[D_Y] += by_one * one[3] + by_other * other[3]


@lean_kernel
def add_outer(column, one, other, by_one, by_other, K):
    """Add the product of a relative vector and of the sum of multiples of two others, as rows, to K."""
    row = (
        by_one * one[0] + by_other * other[0],
        by_one * one[1] + by_other * other[1],
        by_one * one[2] + by_other * other[2],
        by_one * one[3] + by_other * other[3],
    )
    add_force(row, row, column[0], 0.0, K[TURN_A])
    add_force(row, row, column[1], 0.0, K[TURN_B])
    add_force(row, row, column[2], 0.0, K[D_X])
    add_force(row, row, column[3], 0.0, K[D_Y])


@lean_kernel
def to_centres(Q, by_y, by_rate):
    """Turn forces and tangents in relative coordinates, the first four, into those of both gears."""
    Q[X_B], Q[Y_B] = Q[D_X], Q[D_Y]
    Q[X_A], Q[Y_A] = -Q[X_B], -Q[Y_B]
    for K in (by_y, by_rate):
        for i in range(N_RELATIVE):
            K[i, X_B], K[i, Y_B] = K[i, D_X], K[i, D_Y]
            K[i, X_A], K[i, Y_A] = -K[i, X_B], -K[i, Y_B]
        for j in range(N_COORDINATES):
            K[X_B, j], K[Y_B, j] = K[D_X, j], K[D_Y, j]
            K[X_A, j], K[Y_A, j] = -K[X_B, j], -K[Y_B, j]


# --------------------------------------------------------------------------------- all teeth
@kernel(lean=True)
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
    l_A, l_B, p = mesh[L_A], mesh[L_B], mesh[PITCH]
    between, unit, beta = l_A + l_B, np.pi / mesh[THETA], mesh[RETARDATION]
    cos, width = mesh[COS], mesh[WIDTH]
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
            first_k = int(np.ceil((xi_B0 - mesh[TIP_B] - mesh[REACH]) / p))
            last_k = int(np.floor((mesh[TIP_A] + mesh[REACH] - xi_A0) / p))
            # gaps are taken ahead by the rate of the involutes along the line of action
            line, line_2 = (l_A, l_B, -g / a), (0.0, 0.0, 0.0, 0.0, 0.0, -between * between / (a * a * g))
            n = to_relative(s, e_x, e_y, a, line)
            rate_x, rate_y = rate[j, X_B] - rate[j, X_A], rate[j, Y_B] - rate[j, Y_A]
            closing = n[0] * rate[j, PHI_A] + n[1] * rate[j, PHI_B] + n[2] * rate_x + n[3] * rate_y
            damping, bent_x, bent_y = 0.0, 0.0, 0.0
            for k in range(first_k, last_k + 1):
                number = -k if s > 0.0 else k
                t_A, t_B = number % z_A, (number + leads[i]) % z_B
                w_A, w_B = which_A[i, t_A], which_B[i, t_B]
                if w_A < 0 or w_B < 0:
                    continue
                added = (deviation_A[i, t_A] + deviation_B[i, t_B]) / cos
                delta, xi_A, xi_B, edge, d, d_2 = overlap(
                    mesh, xi_A0 + k * p, xi_B0 - k * p, turned_A + k * p / l_A, turned_B - k * p / l_B, a, g,
                    places_A, tables_A[w_A, j], places_B, tables_B[w_B, j],
                )  # fmt: skip
                delta = (delta + added) * cos
                if delta <= 0.0:
                    continue
                zeta = 0.5 * (xi_A0 + k * p - xi_B0 + k * p + g)
                log_S, S, S_2 = logarithm(mesh, zeta, a, g, place, bending)
                top = line_contact(log_S, delta)
                if not top >= LEAST_Y:
                    return BEYOND_HERTZ, found, energy, lost
                load = delta / top
                q = unit * load
                c = beta * cos * unit / (top - 1.0)
                energy += width / cos * unit * load * load * (0.5 * top - 0.25)
                if q + c * closing <= 0.0:  # the damper holds flanks that part: nothing is pulled
                    lost -= width * q * closing
                    continue
                lost += width * c * closing * closing
                of_S = -0.5 * unit * load * load / cos
                of_d_2, of_S_d, of_S_2 = cos * unit / (top - 1.0), -unit * load / (top - 1.0), -2.0 * of_S / (top - 1.0)
                cube = (top - 1.0) ** 3
                c_by_d, c_by_S = beta * cos * cos * unit / (load * cube), -beta * cos * unit * top / cube
                damping += c
                # dU and d2U, each part by its factor, then the damper's force and how its damping changes
                n_d, n_S = to_relative(s, e_x, e_y, a, d), to_relative(s, e_x, e_y, a, S)
                add_relative(s, e_x, e_y, a, d, d_2, -width * q, by_y[j])
                add_relative(s, e_x, e_y, a, S, S_2, -width * of_S, by_y[j])
                add_outer(n_d, n_d, n_S, -width * of_d_2, -width * of_S_d, by_y[j])
                add_outer(n_S, n_d, n_S, -width * of_S_d, -width * of_S_2, by_y[j])
                if beta > 0.0:
                    add_outer(n, n_d, n_S, -width * closing * c_by_d, -width * closing * c_by_S, by_y[j])
                add_force(n_d, n_S, -width * q, -width * of_S, Q[j])
                if found < contacts.shape[0]:
                    one = contacts[found]
                    one[SIDE], one[SLICE], one[PAIR] = s, j, number
                    one[FORCE], one[LINE_LOAD] = width * (q + c * closing), q
                    one[ROLL_A], one[ROLL_B], one[OVERLAP], one[EDGE] = xi_A, xi_B, delta, edge
                    R_A = mesh[ROUND_A] if edge == 1 else max(abs(xi_A), mesh[FLOOR]) / cos
                    R_B = mesh[ROUND_B] if edge == 2 else max(abs(xi_B), mesh[FLOOR]) / cos
                    if edge != 1 and l_A < 0.0:
                        R_A = -R_A
                    if edge != 2 and l_B < 0.0:
                        R_B = -R_B
                    one[PRESSURE], one[HALF_WIDTH] = hertz_pressure(mesh[THETA], q, 1.0 / (1.0 / R_A + 1.0 / R_B))
                found += 1
            if damping > 0.0:
                m, k_t = s * between / (a * a), -g / (a * a)
                along, across = e_x * rate_x + e_y * rate_y, e_x * rate_y - e_y * rate_x
                bent_x = line_2[5] * e_x * along - k_t * e_y * across + m * (e_x * across - e_y * along)
                bent_y = line_2[5] * e_y * along + k_t * e_x * across + m * (e_y * across + e_x * along)
                c = -width * damping
                add_force(n, n, c * closing, 0.0, Q[j])
                add_relative(s, e_x, e_y, a, line, line_2, c * closing, by_y[j])
                add_outer(n, (0.0, 0.0, bent_x, bent_y), n, c, 0.0, by_y[j])
                add_outer(n, n, n, c, 0.0, by_rate[j])
        to_centres(Q[j], by_y[j], by_rate[j])
    return FINE, found, energy, lost


@kernel(lean=True)
def evaluate_states(
    # model
    mesh, bases, leads, ahead, places_A, tables_A, which_A, deviation_A, places_B, tables_B, which_B, deviation_B, a_0,
    place, bending,
    # in
    y, rate,
    # buffers
    by_y, by_rate,
    # out
    Q, slope, contacts, ends,
):  # fmt: skip
    """As `evaluate` in m states, one after the other.

    Parameters
    ----------
    y, rate : shape (m, n_slices, 6)
    by_y, by_rate : shape (n_slices, 6, 6)
    Q : shape (m, n_slices, 6)
        Not a number where it could not be found; there are no contacts then.
    slope : shape (m,)
        Derivative of the sum over the slices of the first force by the first coordinate.
    contacts : shape (k, N_CONTACT)
    ends : shape (m + 1,)
        The contacts of state i are those from ``ends[i]`` to ``ends[i + 1]``.
    """
    ends[0] = 0
    for i in range(y.shape[0]):
        first = ends[i]
        fault, found, _, _ = evaluate(
            mesh, bases, leads, ahead, places_A, tables_A, which_A, deviation_A,
            places_B, tables_B, which_B, deviation_B, a_0, place, bending,
            y[i], rate[i], Q[i], by_y, by_rate, contacts[first:],
        )  # fmt: skip
        if fault != FINE:
            Q[i], slope[i], ends[i + 1] = np.nan, np.nan, first
            continue
        slope[i], ends[i + 1] = 0.0, min(first + found, contacts.shape[0])
        for j in range(y.shape[1]):
            slope[i] += by_y[j, PHI_A, PHI_A]


# --------------------------------------------------------------------------------- by address
@kernel_struct
class TeethTables(NamedTuple):
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
    return kind_of(
        TeethTables._make([*first, *flank, *flank, 0.0, np.zeros(0), plane, plane, plane, cube, cube, plane])
    )


TEETH = _kind_of_teeth()


@ElementKernel
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
