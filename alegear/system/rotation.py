"""Rotations in space as rotation vectors: matrix, tangent operator, composition, safe at zero and at full turns.

A rotation vector psi (3,) [rad] turns by its length about its direction. ``R_WB = rotation_matrix(psi)`` takes
components in the body frame B to those in the world frame W.

Coordinates and velocities of a system are x and v (n,). Where x[k : k + 3] is a rotation vector psi, v[k : k + 3] is
the angular velocity in the axes of the body, not dpsi/dt, and a displacement d along the velocities leads from R(psi)
to ``R(psi) R(d[k : k + 3])``. All others add up, x + d.

Equations: Brüls, Cardona & Arnold (2012, Mech. Mach. Theory 48, 121), with the angular velocity in the body frame.
One rotation at a time takes five to nine times as long by ``scipy.spatial.transform``, with the same digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from alegear.arrays import Array

#: Below this angle [rad] what suffers from cancellation is summed as a series, whose terms fall below round-off there.
_SMALL = 2.0
_TERMS = 14

_EYE = np.eye(3)
_EYE.flags.writeable = False


def skew(v: Array) -> Array:
    """Matrix of the cross product, ``skew(a) @ b = a x b``.

    Parameters
    ----------
    v : shape (..., 3)

    Returns
    -------
    shape (..., 3, 3)
    """
    v = np.asarray(v, dtype=np.float64)
    if v.ndim == 1:  # the usual case, three times as fast
        x, y, z = v.tolist()
        return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    out = np.zeros((*v.shape, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return out - np.swapaxes(out, -1, -2)


def cross(a: Array, b: Array) -> Array:
    """Cross product of two vectors (3,): ten times as fast as that of arrays of them."""
    (a_1, a_2, a_3), (b_1, b_2, b_3) = a.tolist(), b.tolist()
    return np.array([a_2 * b_3 - a_3 * b_2, a_3 * b_1 - a_1 * b_3, a_1 * b_2 - a_2 * b_1])


def rotation_matrix(psi: Array) -> Array:
    """Rotation matrix R_WB of a rotation vector: ``I + sin(t)/t S + (1 - cos t)/t^2 S^2``.

    Parameters
    ----------
    psi : shape (3,) [rad]
        Of any length t; ``S = skew(psi)``.

    Returns
    -------
    shape (3, 3)
    """
    x, y, z = psi.tolist()  # written out: five times as fast as products of matrices
    angle = math.hypot(x, y, z)
    s, c = _sinc(angle), _versine(angle)
    xx, yy, zz, xy, xz, yz = c * x * x, c * y * y, c * z * z, c * x * y, c * x * z, c * y * z
    x, y, z = s * x, s * y, s * z
    return np.array([[1.0 - yy - zz, xy - z, xz + y], [xy + z, 1.0 - xx - zz, yz - x], [xz - y, yz + x, 1.0 - xx - yy]])


def tangent(psi: Array) -> Array:
    """Tangent operator T with w_WB_B = T dpsi/dt: ``I - (1 - cos t)/t^2 S + (t - sin t)/t^3 S^2``.

    It is the derivative of the rotation by its vector, seen from the body; singular at whole turns other than zero.

    Parameters
    ----------
    psi : shape (3,) [rad]

    Returns
    -------
    shape (3, 3)
    """
    S, angle = skew(psi), _length(psi)
    return _EYE - _versine(angle) * S + _excess(angle) * (S @ S)


def tangent_inverse(psi: Array) -> Array:
    """Inverse of the tangent operator, dpsi/dt = T^-1 w_WB_B: ``I + S/2 + (1 - (t/2) cot(t/2))/t^2 S^2``.

    Parameters
    ----------
    psi : shape (3,) [rad]
        Shorter than 2 pi.

    Raises
    ------
    ValueError
        At 2 pi and beyond, where rotations nearby have no rotation vectors nearby.
    """
    S, angle = skew(psi), _length(psi)
    if not angle < 2.0 * math.pi:
        raise ValueError(f"rotation vector = {angle:.6g} rad: must be shorter than 2 pi; take its principal value")
    return _EYE + 0.5 * S + _half_cotangent(angle) * (S @ S)


def tangent_inverse_derivative(psi: Array, f: Array) -> Array:
    """Derivative of T^-1(psi) f by psi at constant f, shape (3, 3) [unit of f per rad].

    Parameters
    ----------
    psi : shape (3,) [rad]
        Shorter than 2 pi.
    f : shape (3,)
    """
    S, F, angle = skew(psi), skew(f), _length(psi)
    across = S @ f
    turned = skew(across) + S @ F
    return -0.5 * F - _half_cotangent(angle) * turned + _half_cotangent_slope(angle) * np.outer(S @ across, psi)


def continued(psi: Array, before: Array) -> Array:
    """Rotation vector of the same rotation that is nearest to another, of any length.

    Of the vectors ``n (t + 2 pi k)`` of a rotation by t about n that with ``k = round((n . before - t)/(2 pi))``.

    Parameters
    ----------
    psi : shape (3,) [rad]
    before : shape (3,) [rad]
        Where the rotation was not long ago.

    Returns
    -------
    shape (3,) [rad]
        `psi` itself, unchanged to the last digit, if it is the nearest.
    """
    angle, along = _length(psi), psi
    if not angle:
        angle, along = _length(before), before  # any direction is its own: that in which it turned
        return along * (2.0 * math.pi * round(angle / (2.0 * math.pi)) / angle) if angle else np.zeros(3)
    turns = round((float(psi @ before) / angle - angle) / (2.0 * math.pi))
    return psi * (1.0 + 2.0 * math.pi * turns / angle) if turns else psi


def composed(psi: Array, turn: Array) -> Array:
    """Rotation vector of R(psi) R(turn), not longer than pi: first as `psi`, then by `turn` about the axes of the body.

    Parameters
    ----------
    psi, turn : shape (3,) [rad]
        Of any length.

    Returns
    -------
    shape (3,) [rad]
    """
    one, a = _half_turn(psi)
    two, b = _half_turn(turn)
    # product of the quaternions (cos t/2, axis sin t/2)
    w = one * two - float(a @ b)
    v = one * b + two * a + skew(a) @ b
    size = _length(v)
    if size == 0.0:
        return np.zeros(3)
    # a quaternion and its negative are the same rotation: the one with w > 0 turns by less than pi
    factor = 2.0 * math.atan2(size, abs(w)) / size
    return v * math.copysign(factor, w)


def rotation_vector(R: Array) -> Array:
    """Rotation vector of a rotation matrix, not longer than pi.

    Parameters
    ----------
    R : shape (3, 3)
        Orthogonal, determinant 1.

    Returns
    -------
    shape (3,) [rad]
    """
    R = np.asarray(R, dtype=np.float64)
    # the largest of the four squares 4 q^2 of the quaternion divides the others: no cancellation anywhere
    squares = np.array([1.0 + np.trace(R), *(1.0 - np.trace(R) + 2.0 * np.diag(R))])
    largest = int(np.argmax(squares))
    q = np.empty(4)
    if largest == 0:
        q[:] = squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    else:
        i, j, k = (largest - 1) % 3, largest % 3, (largest + 1) % 3
        q[0], q[1 + i] = R[k, j] - R[j, k], squares[largest]
        q[1 + j], q[1 + k] = R[j, i] + R[i, j], R[k, i] + R[i, k]
    q /= np.linalg.norm(q)
    size = _length(q[1:])
    if size == 0.0:
        return np.zeros(3)
    return q[1:] * math.copysign(2.0 * math.atan2(size, abs(q[0])) / size, q[0])


# ----------------------------------------------------- coordinates of a system
def moved(x: Array, displacement: Array, rotation_vectors: Sequence[int]) -> Array:
    """Coordinates after a displacement along the velocities, shape (n,)."""
    new: Array = x + displacement
    for k in rotation_vectors:
        new[k : k + 3] = composed(x[k : k + 3], displacement[k : k + 3])
    return new


def displacement_between(x: Array, new: Array, rotation_vectors: Sequence[int]) -> Array:
    """Shortest displacement that leads from one position to another, shape (n,): the inverse of :func:`moved`."""
    displacement: Array = new - x
    for k in rotation_vectors:
        displacement[k : k + 3] = composed(-x[k : k + 3], new[k : k + 3])
    return displacement


def displacement_tangent(displacement: Array, rotation_vectors: Sequence[int]) -> Array:
    """Change of the position at the end of a displacement by a change of the displacement, shape (n, n)."""
    T = np.eye(len(displacement))
    for k in rotation_vectors:
        T[k : k + 3, k : k + 3] = tangent(displacement[k : k + 3])
    return T


# --------------------------------------------------------------------- helpers
def _length(v: Array) -> float:
    """Length of a vector; hypot neither overflows nor loses the smallest."""
    return math.hypot(*v.tolist())


def _half_turn(psi: Array) -> tuple[float, Array]:
    """Quaternion of a rotation vector: scalar and vector."""
    half = 0.5 * _length(psi)
    return math.cos(half), 0.5 * _sinc(half) * np.asarray(psi)


def _sinc(t: float) -> float:
    """sin(t)/t."""
    return math.sin(t) / t if t else 1.0


def _versine(t: float) -> float:
    """(1 - cos t)/t^2, from the half angle: without cancellation."""
    return 0.5 * _sinc(0.5 * t) ** 2


def _excess(t: float) -> float:
    """(t - sin t)/t^3."""
    return (t - math.sin(t)) / t**3 if t > _SMALL else _series(t, 3)


def _half_cotangent(t: float) -> float:
    """(1 - (t/2) cot(t/2))/t^2, as (e - 2 g)/(2 c): e = (t - sin t)/t^3, g = (t^2/2 - 1 + cos t)/t^4, c the versine."""
    c = _versine(t)
    g = (0.5 - c) / t**2 if t > _SMALL else _series(t, 4)
    return (_excess(t) - 2.0 * g) / (2.0 * c)


def _half_cotangent_slope(t: float) -> float:
    """c'(t)/t of c = (1 - (t/2) cot(t/2))/t^2; where t is small from (e - 2 g)/(2 v) of `_half_cotangent`."""
    if t <= _SMALL:
        v, over = _versine(t), _excess(t) - 2.0 * _series(t, 4)
        return (_series_slope(t, 3) - 2.0 * _series_slope(t, 4) - over * _series_slope(t, 2) / v) / (2.0 * v)
    half, sine = 0.5 * t, math.sin(0.5 * t)
    u = half * math.cos(half) / sine
    slope_of_u = 0.5 * math.cos(half) / sine - 0.25 * t / sine**2
    return (-slope_of_u / t**2 - 2.0 * (1.0 - u) / t**3) / t


def _series(t: float, n: int) -> float:
    """1/n! - t^2/(n + 2)! + t^4/(n + 4)! ..."""
    total, term = 0.0, 1.0 / math.factorial(n)
    for k in range(n, n + 2 * _TERMS, 2):
        total += term
        term *= -t * t / ((k + 1) * (k + 2))
    return total


def _series_slope(t: float, n: int) -> float:
    """Derivative of :func:`_series` by t, over t."""
    total, term = 0.0, -1.0 / math.factorial(n + 2)
    for k in range(2, 2 * _TERMS, 2):
        total += k * term
        term *= -t * t / ((n + k + 1) * (n + k + 2))
    return total
