"""Compiled rotating frame of a carrier: `alegear.system.rotating_frame` by its address."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import lean_kernel
from alegear.kernels.elements import ElementKernel
from alegear.kernels.sparse_rows_kernels import SparseRows
from alegear.kernels.structs import kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import (
    LOST,
    STORED,
    SUPPLIED,
    Elements,
    add_element_forces,
    element_energies,
    subtract_element_tangents,
)

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@kernel_struct
class SubsystemTables(NamedTuple):
    """A system inside a frame, m of its coordinates y by n coordinates x outside.

    ``turn`` (n,) is the row of the angle; ``real``, ``imaginary`` (k, n) rows of what turns in a plane, ``centre``
    (k, 2), ``plane_at`` (k, 2) their places in y; ``straight`` (l, n), ``straight_at`` (l,). ``stiffness``,
    ``damping`` (m, m) of the linear parts inside. Room: ``y``, ``rate``, ``force`` (m,), ``by_y``, ``by_rate`` (m, m),
    ``jacobian``, ``rate_tangent``, ``product`` (m, n), ``energies`` (3,).
    """

    turn: Array
    real: Array
    imaginary: Array
    centre: Array
    plane_at: Index
    straight: Array
    straight_at: Index
    stiffness: Array
    damping: Array
    elements: Elements
    y: Array
    rate: Array
    force: Array
    by_y: Array
    by_rate: Array
    jacobian: Array
    rate_tangent: Array
    product: Array
    energies: Array


def _kind_of_frame():
    """Numba's type of all of them."""
    line, plane = np.zeros(0), np.zeros((0, 0))
    index, indices = np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
    elements = Elements(index, index, index, index, SparseRows(index, index, line), line, line, line, *[plane] * 3)
    of_view = (line, plane, plane, plane, indices, plane, index, plane, plane)
    return kind_of(SubsystemTables._make([*of_view, elements, line, line, line, *[plane] * 5, line]))


FRAME = _kind_of_frame()


@lean_kernel
def row_times(row, x):
    """A row times a vector."""
    total = 0.0
    for i in range(x.shape[0]):
        total += row[i] * x[i]
    return total


@lean_kernel
def see(frame, x, v):
    """What the frame sees of x, v (n,): y, its rate, J and d(J v)/dx; returns cosine and sine of the angle."""
    n = x.shape[0]
    theta, omega = row_times(frame.turn, x), row_times(frame.turn, v)
    co, si, half = np.cos(theta), np.sin(theta), np.sin(0.5 * theta)
    back = -2.0 * half * half  # cos - 1 without loss of digits
    y, J, dJ = frame.y, frame.jacobian, frame.rate_tangent
    J[:, :], dJ[:, :] = 0.0, 0.0
    for k in range(frame.real.shape[0]):
        first, second = frame.plane_at[k, 0], frame.plane_at[k, 1]
        u_x, u_y = row_times(frame.real[k], x), row_times(frame.imaginary[k], x)
        v_x, v_y = row_times(frame.real[k], v), row_times(frame.imaginary[k], v)
        p_x, p_y = frame.centre[k, 0], frame.centre[k, 1]
        y[first] = co * u_x + si * u_y + back * p_x + si * p_y
        y[second] = co * u_y - si * u_x + back * p_y - si * p_x
        w_x, w_y = u_x + p_x, u_y + p_y
        # c (W - i w t) with c = co - i si
        for j in range(n):
            a, b, t = frame.real[k, j], frame.imaginary[k, j], frame.turn[j]
            r, m = a + w_y * t, b - w_x * t
            J[first, j], J[second, j] = co * r + si * m, co * m - si * r
            # c (-i omega W + by_turn t), by_turn = -i (W v) - w omega
            r, m = omega * b + (v_y - w_x * omega) * t, -omega * a + (-v_x - w_y * omega) * t
            dJ[first, j], dJ[second, j] = co * r + si * m, co * m - si * r
    for k in range(frame.straight.shape[0]):
        at = frame.straight_at[k]
        y[at] = row_times(frame.straight[k], x)
        for j in range(n):
            J[at, j] = frame.straight[k, j]
    for i in range(y.shape[0]):
        frame.rate[i] = row_times(J[i], v)
    return co, si


@lean_kernel
def act_inside(frame, t):
    """Forces of all that is inside and their derivatives by y and its rate; whether they could be found."""
    y, rate, force, m = frame.y, frame.rate, frame.force, frame.y.shape[0]
    stored, lost = 0.0, 0.0
    for i in range(m):
        spring, damper = row_times(frame.stiffness[i], y), row_times(frame.damping[i], rate)
        force[i] = -spring - damper
        stored += 0.5 * y[i] * spring
        lost += rate[i] * damper
        for j in range(m):
            frame.by_y[i, j], frame.by_rate[i, j] = -frame.stiffness[i, j], -frame.damping[i, j]
    if not add_element_forces(frame.elements, t, y, rate, force):
        return False
    subtract_element_tangents(frame.elements, -1.0, 0.0, frame.by_y)
    subtract_element_tangents(frame.elements, 0.0, -1.0, frame.by_rate)
    element_energies(frame.elements, frame.energies)
    frame.energies[STORED] += stored
    frame.energies[LOST] += lost
    return True


@lean_kernel
def from_outside(J, matrix, room, out):
    """Add J^T matrix J to ``out`` (n, n); what is zero in J costs nothing."""
    m, n = J.shape[0], J.shape[1]
    for i in range(m):
        for j in range(n):
            room[i, j] = 0.0
        for k in range(m):
            weight = matrix[i, k]
            if weight != 0.0:
                for j in range(n):
                    room[i, j] += weight * J[k, j]
    for i in range(m):
        for j in range(n):
            weight = J[i, j]
            if weight != 0.0:
                for k in range(n):
                    out[j, k] += weight * room[i, k]


@ElementKernel
def frame_element(handle, t, x, v, force, by_x, by_v, energy):
    """Forces by virtual work on the coordinates outside, with their tangents."""
    frame = struct_at(handle, FRAME)
    m, n = frame.jacobian.shape[0], frame.jacobian.shape[1]
    x_all, v_all, Q = numba.carray(x, (n,)), numba.carray(v, (n,)), numba.carray(force, (n,))
    K, C, energies = numba.carray(by_x, (n, n)), numba.carray(by_v, (n, n)), numba.carray(energy, (3,))
    co, si = see(frame, x_all, v_all)
    if not act_inside(frame, t):
        return -1
    J, dJ, F = frame.jacobian, frame.rate_tangent, frame.force
    Q[:], K[:, :], C[:, :] = 0.0, 0.0, 0.0
    for i in range(m):
        if F[i] != 0.0:
            for j in range(n):
                Q[j] += J[i, j] * F[i]
    from_outside(J, frame.by_y, frame.product, K)
    from_outside(J, frame.by_rate, frame.product, C)
    # C' dJ v, in the room of the product
    for i in range(m):
        for j in range(n):
            frame.product[i, j] = 0.0
        for k in range(m):
            weight = frame.by_rate[i, k]
            if weight != 0.0:
                for j in range(n):
                    frame.product[i, j] += weight * dJ[k, j]
    for i in range(m):
        for j in range(n):
            weight = J[i, j]
            if weight != 0.0:
                for k in range(n):
                    K[j, k] += weight * frame.product[i, k]
    # forces times the second derivatives of what is seen
    for k in range(frame.real.shape[0]):
        f_x, f_y = F[frame.plane_at[k, 0]], F[frame.plane_at[k, 1]]
        # c (F_x - i F_y) = r + i s
        r, s = co * f_x - si * f_y, -co * f_y - si * f_x
        w_x = row_times(frame.real[k], x_all) + frame.centre[k, 0]
        w_y = row_times(frame.imaginary[k], x_all) + frame.centre[k, 1]
        along = r * w_x - s * w_y
        for i in range(n):
            row = r * frame.imaginary[k, i] + s * frame.real[k, i]
            t_i = frame.turn[i]
            if row == 0.0 and t_i == 0.0:
                continue
            for j in range(n):
                t_j = frame.turn[j]
                K[i, j] += row * t_j - along * t_i * t_j
                K[j, i] += row * t_j
    energies[STORED], energies[LOST] = frame.energies[STORED], frame.energies[LOST]
    energies[SUPPLIED] = frame.energies[SUPPLIED]
    return 0
