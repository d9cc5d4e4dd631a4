"""Energy of all rollers or balls of a bearing with its gradient and Hessian, in compiled code.

A rolling element at the azimuth theta on its cage is squeezed by three quantities, each a function of
y = (x, y, z, tilt x, tilt y of the inner ring against the outer one, angles of inner and outer ring):

    p = p_0 + x cos(theta) + y sin(theta)                    radially
    q = q_0 + axial z + arm (tilt x sin(theta) - tilt y cos(theta))
    d = sum of what the defects have removed under it

so that W(p, q, d) gives the energy, and everything else follows by the chain rule.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import inner_kernel, kernel
from alegear.kernels.elements import ElementKernel
from alegear.kernels.structs import kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, STORED, SUPPLIED

Array = NDArray[np.float64]

# of `numbers`
COUNT, POINTS, CAGE_START, BY_INNER, BY_OUTER, RADIAL, AXIAL, ALONG, ARM, GROOVES, FACTOR, N_NUMBERS = range(12)
# of a row of `defects`
D_INNER, D_OUTER, D_AZIMUTH, D_OFFSET, D_RADIUS, D_HALF, D_RAMP, D_DEPTH, D_NUMBER, N_DEFECT = range(10)
X, Y, Z, TILT_X, TILT_Y, INNER, OUTER, N_Y = range(8)
# of what a contact gives: energy, its derivatives by p, q, d, and the second ones
ENERGY, P, Q, D, PP, PQ, QQ, PD, QD, DD, N_CONTACT = range(11)
LINE_POWER = 10.0 / 9.0
POINT_POWER = 1.5


@inner_kernel
def line_contact(numbers, laminae, p, q, d, out):
    """Roller: laminae at z with the gap g of the profile, force c (p - d + z q - g)^(10/9) each."""
    factor = numbers[FACTOR]
    for k in range(N_CONTACT):
        out[k] = 0.0
    reach = 0.0
    for k in range(laminae.shape[0]):
        reach = max(reach, abs(laminae[k, 0]))
    if p - d + reach * abs(q) <= 0.0:
        return
    for k in range(laminae.shape[0]):
        z = laminae[k, 0]
        delta = p - d + z * q - laminae[k, 1]
        if delta <= 0.0:
            continue
        slope = factor * delta ** (LINE_POWER - 1.0)
        force = slope * delta
        slope *= LINE_POWER
        out[ENERGY] += force * delta / (LINE_POWER + 1.0)
        out[P] += force
        out[Q] += force * z
        out[PP] += slope
        out[PQ] += slope * z
        out[QQ] += slope * z * z
    out[D] = -out[P]
    out[PD] = -out[PP]
    out[QD] = -out[PQ]
    out[DD] = out[PP]


@inner_kernel
def point_contact(numbers, p, q, d, out):
    """Ball: force c (sqrt(p^2 + q^2) - A - d)^(3/2) along the line of the groove centres, p radially, q axially."""
    for k in range(N_CONTACT):
        out[k] = 0.0
    s = math.sqrt(p * p + q * q)
    delta = s - numbers[GROOVES] - d
    if delta <= 0.0:
        return
    cosine, sine = p / s, q / s
    force = numbers[FACTOR] * delta**POINT_POWER
    slope = POINT_POWER * force / delta
    out[ENERGY] = force * delta / (POINT_POWER + 1.0)
    out[P], out[Q], out[D] = force * cosine, force * sine, -force
    out[PP] = slope * cosine * cosine + force * sine * sine / s
    out[PQ] = (slope - force / s) * cosine * sine
    out[QQ] = slope * sine * sine + force * cosine * cosine / s
    out[PD], out[QD], out[DD] = -slope * cosine, -slope * sine, slope


@inner_kernel
def removed(defect, xi, out):
    """Depth d S((half - |xi|)/ramp) at an arc xi from the middle of a defect, its first and second derivative.

    S(t) = t^3 (10 - 15 t + 6 t^2), from 0 at t = 0 to 1 at t = 1, has continuous curvature.
    """
    out[0] = out[1] = out[2] = 0.0
    t = (defect[D_HALF] - abs(xi)) / defect[D_RAMP]
    if t <= 0.0:
        return
    depth = defect[D_DEPTH]
    if t >= 1.0:
        out[0] = depth
        return
    by_xi = -1.0 / defect[D_RAMP] if xi > 0.0 else 1.0 / defect[D_RAMP]
    out[0] = depth * t**3 * (10.0 - 15.0 * t + 6.0 * t * t)
    out[1] = depth * 30.0 * (t * (1.0 - t)) ** 2 * by_xi
    out[2] = depth * 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t) * by_xi * by_xi


@kernel
def rolling_energy(numbers, laminae, defects, y, overlap, gradient, hessian, loads):
    """Energy of all contacts; writes its gradient (7,), its Hessian (7, 7) and the normal loads (count,).

    Parameters
    ----------
    numbers : shape (N_NUMBERS,)
        See the names of its entries.
    laminae : shape (n, 2) [m]
        Position along the roller and gap by its profile; of balls none.
    defects : shape (m, N_DEFECT)
    y : shape (7,)
    overlap : float [m]
        By which all rolling elements are thicker.
    """
    gradient[:] = 0.0
    hessian[:, :] = 0.0
    contact, depth = np.empty(N_CONTACT), np.empty(3)
    to_p, to_q, to_d = np.zeros(N_Y), np.zeros(N_Y), np.zeros(N_Y)
    count, balls = int(numbers[COUNT]), numbers[POINTS] > 0.0
    by_angle = np.array([numbers[BY_INNER], numbers[BY_OUTER]])
    along, arm = numbers[ALONG], numbers[ARM]
    cage = numbers[CAGE_START] + by_angle[0] * y[INNER] + by_angle[1] * y[OUTER]
    dd = np.empty((2, 2))
    energy = 0.0
    for j in range(count):
        azimuth = 2.0 * math.pi * j / count
        co, si = math.cos(cage + azimuth), math.sin(cage + azimuth)
        radial, turned = y[X] * co + y[Y] * si, y[TILT_X] * si - y[TILT_Y] * co
        d = 0.0
        to_d[INNER] = to_d[OUTER] = 0.0
        dd[:, :] = 0.0
        for i in range(defects.shape[0]):
            defect = defects[i]
            if defect[D_NUMBER] >= 0.0 and int(defect[D_NUMBER]) != j:
                continue
            angle = defect[D_INNER] * y[INNER] + defect[D_OUTER] * y[OUTER] + defect[D_AZIMUTH] * azimuth
            angle += defect[D_OFFSET]
            angle -= 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
            removed(defect, defect[D_RADIUS] * angle, depth)
            if depth[0] == 0.0:
                continue
            d += depth[0]
            for a in range(2):
                rate = defect[D_RADIUS] * defect[D_INNER + a]
                to_d[INNER + a] += depth[1] * rate
                for b in range(2):
                    dd[a, b] += depth[2] * rate * defect[D_RADIUS] * defect[D_INNER + b]
        p, q = numbers[RADIAL] + radial, numbers[AXIAL] + along * y[Z] + arm * turned
        if balls:
            point_contact(numbers, p, q, d - overlap, contact)
        else:
            line_contact(numbers, laminae, p, q, d - overlap, contact)
        loads[j] = -contact[D]
        if contact[D] == 0.0:
            continue
        energy += contact[ENERGY]
        p_by_azimuth, q_by_azimuth = y[Y] * co - y[X] * si, arm * (y[TILT_X] * co + y[TILT_Y] * si)
        to_p[X], to_p[Y] = co, si
        to_q[Z], to_q[TILT_X], to_q[TILT_Y] = along, arm * si, -arm * co
        for a in range(2):
            to_p[INNER + a], to_q[INNER + a] = p_by_azimuth * by_angle[a], q_by_azimuth * by_angle[a]
        for r in range(N_Y):
            gradient[r] += contact[P] * to_p[r] + contact[Q] * to_q[r] + contact[D] * to_d[r]
            row_p = contact[PP] * to_p[r] + contact[PQ] * to_q[r] + contact[PD] * to_d[r]
            row_q = contact[PQ] * to_p[r] + contact[QQ] * to_q[r] + contact[QD] * to_d[r]
            row_d = contact[PD] * to_p[r] + contact[QD] * to_q[r] + contact[DD] * to_d[r]
            for c in range(N_Y):
                hessian[r, c] += row_p * to_p[c] + row_q * to_q[c] + row_d * to_d[c]
        # what turns with the azimuth: second derivatives of p, q and d
        curved = -contact[P] * radial - contact[Q] * arm * turned
        for a in range(2):
            for displaced, value in (
                (X, -contact[P] * si),
                (Y, contact[P] * co),
                (TILT_X, contact[Q] * arm * co),
                (TILT_Y, contact[Q] * arm * si),
            ):
                hessian[displaced, INNER + a] += value * by_angle[a]
                hessian[INNER + a, displaced] += value * by_angle[a]
            for b in range(2):
                hessian[INNER + a, INNER + b] += curved * by_angle[a] * by_angle[b] + contact[D] * dd[a, b]
    return energy


@kernel_struct
class RollingBearingTables(NamedTuple):
    """A bearing for :func:`rolling_element`: arguments of :func:`rolling_energy`; ``loads`` (count,) is room."""

    numbers: Array
    laminae: Array
    defects: Array
    loads: Array


ROLLING = kind_of(RollingBearingTables(np.zeros(0), np.zeros((0, 2)), np.zeros((0, N_DEFECT)), np.zeros(0)))


@ElementKernel
def rolling_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """Force -dW/dy and its derivatives; what the contacts store."""
    bearing = struct_at(handle, ROLLING)
    Q, K, C = numba.carray(force, (N_Y,)), numba.carray(by_y, (N_Y, N_Y)), numba.carray(by_rate, (N_Y, N_Y))
    C[:, :] = 0.0
    energies = numba.carray(energy, (3,))
    energies[STORED] = rolling_energy(
        bearing.numbers, bearing.laminae, bearing.defects, numba.carray(y, (N_Y,)), 0.0, Q, K, bearing.loads
    )
    energies[LOST] = energies[SUPPLIED] = 0.0
    for i in range(N_Y):
        Q[i] = -Q[i]
        for j in range(N_Y):
            K[i, j] = -K[i, j]
    return 0
