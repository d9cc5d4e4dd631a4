"""Line contact after Hertz: strip, pressure, sub-surface shear, and the approach of a layer bonded to a rigid base.

All values SI, all functions vectorised by broadcasting. Loads are per unit length of the line, plane strain.
"""

from __future__ import annotations

from functools import cache
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import j1

from alegear.arrays import Array
from alegear.errors import Fault


def half_width(q: ArrayLike, rho_red: ArrayLike, E_star: ArrayLike) -> Array:
    r"""Return the half-width of the strip [m], :math:`b = \sqrt{4 q \rho/(\pi E^*)}` (Johnson 1985, eq. 4.43).

    Parameters
    ----------
    q : float [N/m]
        Line load; where it pulls there is no strip, and b = 0.
    rho_red : float [m]
        Reduced radius.
    E_star : float [Pa]
        Contact modulus.
    """
    q, rho, E = (np.asarray(value, dtype=float) for value in (q, rho_red, E_star))
    return np.sqrt(4.0 * np.maximum(q, 0.0) * rho / (pi * E))


def peak_pressure(q: ArrayLike, b: ArrayLike) -> Array:
    r"""Return the pressure in the middle of the strip [Pa], :math:`p_0 = 2 q/(\pi b)` (Johnson 1985, eq. 4.44).

    Parameters
    ----------
    q : float [N/m]
        Line load.
    b : float [m]
        Half-width; where it is zero, the pressure is zero.
    """
    q, b = np.broadcast_arrays(np.asarray(q, dtype=float), np.asarray(b, dtype=float))
    return np.divide(2.0 * q, pi * b, out=np.zeros(q.shape), where=b > 0.0)


def largest_shear(p_0: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    r"""Return the largest shear stress [Pa] below the strip and its depth [m].

    On the axis of symmetry :math:`\tau = (\sigma_x - \sigma_z)/2 = p_0 (\zeta - \zeta^2/\sqrt{1+\zeta^2})`, largest
    where :math:`\zeta^4 + \zeta^2 = 1`. There :math:`\sqrt{1+\zeta^2} = 1/\zeta`, so

    .. math:: \zeta^2 = (\sqrt 5 - 1)/2, \qquad \tau = p_0\, \zeta (1 - \zeta^2),

    that is 0.3003 p_0 at 0.7862 b (Johnson 1985, eq. 4.47 gives 0.30 at 0.78).
    """
    zeta = sqrt(0.5 * (sqrt(5.0) - 1.0))
    return np.asarray(p_0, dtype=float) * (zeta * (1.0 - zeta**2)), np.asarray(b, dtype=float) * zeta


def bonded_layer_approach(b_over_h: ArrayLike, nu: float) -> Array:
    r"""Return W of a flat layer bonded to a rigid base: the surface sinks by ``w = q (1 - nu^2)/E W`` at the centre.

    Under a pressure p cos(k x) the surface of a layer of depth h sinks by 2 (1 - nu^2)/(E k) L(k h) p cos(k x), where
    L = 1 belongs to the half-plane. The elliptical pressure of half-width b and resultant q has the transform
    q J(k b), J(t) = 2 J_1(t)/t, so that in the middle of the strip, with t = k h and beta = b/h,

    .. math::
        W = \frac{2}{\pi} \int_0^\infty \frac{L(t)}{t} J(\beta t)\, dt, \qquad
        L = \frac{2 k \sinh 2t - 4 t}{2 k \cosh 2t + 1 + k^2 + 4 t^2}, \quad k = 3 - 4\nu.

    This is the displacement of the *centre*, x = 0. It is the one that adds up to the approach of two bodies: the strip
    is the place where displacements and undeformed gap x^2/(2 rho) add up to the approach, and in the centre the gap is
    zero. The load-weighted mean (:func:`bonded_layer_mean`) is smaller by what the gap takes, 1/(2 pi) for b << h.

    Parameters
    ----------
    b_over_h : float
        Half-width over depth of the layer, positive.
    nu : float
        Poisson's ratio, in (-1, 0.5]; L = 0 is approached for long waves only at 0.5.

    Returns
    -------
    same shape as b_over_h
        Right to 1e-12 for b/h up to 10.

    Notes
    -----
    The half-plane part is integrated in closed form: with <ln|x|> the mean over the elliptical pressure on (-1, 1),
    int_0^inf (J(beta t) - exp(-t))/t dt = -<ln|x|> - ln beta = ln(2/beta) + 1/2. What is left,
    ((L - 1) J + exp(-t))/t, is smooth and falls off as exp(-t): Gauss quadrature. For nu = 0.3 and b << h:
    W = (2/pi)(ln(h/b) + 0.667).

    References
    ----------
    Johnson (1985), Contact Mechanics, sections 4.2 and 5.8; the kernel is derived anew from the plane Fourier
    transform, ``tests/contact/test_line_contact.py`` solves the layer's equations for single waves.
    """
    return _bonded(b_over_h, nu, power=1)


def bonded_layer_mean(b_over_h: ArrayLike, nu: float) -> Array:
    """Return the load-weighted mean of the same displacement as a number like W: J becomes J^2.

    Twice the energy over q^2. Its half-plane part is (2/pi)(ln(2h/b) + 1/4).
    """
    return _bonded(b_over_h, nu, power=2)


def bonded_layer_support(x_over_h: ArrayLike, nu: float) -> Array:
    r"""Return what the shape of a bonded layer's surface lacks against that of the half-plane, under a line force.

    Both surfaces sink by W(x) under a line force at x = 0, the half-plane by -(2/pi) ln|x|. The difference of the two,
    layer less half-plane, is smooth; it rises from its value at x = 0 by

    .. math:: \frac{2}{\pi} \int_0^\infty \frac{1 - L(t)}{t} \left(1 - \cos(t x/h)\right) dt.

    So much the body below the layer, which the rigid base replaces, adds to the trough around the force.

    Parameters
    ----------
    x_over_h : float
        Distance from the force over depth of the layer.
    nu : float
        Poisson's ratio, in (-1, 0.5].

    Returns
    -------
    same shape as x_over_h
        Zero at x = 0, positive, like (2/pi) ln|x| far away.
    """
    t, weight, L = _layer_kernel(float(nu))
    x = np.asarray(x_over_h, dtype=float)
    return (2.0 / pi) * ((2.0 * np.sin(0.5 * x[..., None] * t) ** 2 * (1.0 - L) / t) @ weight)


def _bonded(b_over_h: ArrayLike, nu: float, power: int) -> Array:
    beta = np.asarray(b_over_h, dtype=float)
    if np.any(~(beta > 0.0)):
        raise Fault("half-width over depth of the layer", float(np.min(beta)), "positive", "give a strip with a width")
    t, weight, L = _layer_kernel(float(nu))
    x = beta[..., None] * t
    J = (2.0 * j1(x) / x) ** power
    # (L - 1) J + exp(-t), written so that nothing cancels where t is small
    regular = ((L * J + (1.0 - J) + np.expm1(-t)) / t) @ weight
    half_plane = np.log(2.0 / beta) + (0.5 if power == 1 else 0.25)
    return (2.0 / pi) * (half_plane + regular)


@cache
def _layer_kernel(nu: float) -> tuple[Array, Array, Array]:
    """Return Gauss nodes t, weights, and L(t) on (0, 42): exp(-42) is below round-off."""
    if not -1.0 < nu <= 0.5:
        raise Fault("Poisson's ratio", nu, "above -1 and at most 0.5", "use 0.3 for steel")
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.concatenate([[0.0], np.geomspace(0.5, 42.0, 12)])
    half = 0.5 * np.diff(edges)[:, None]
    t = (edges[:-1, None] + half * (1.0 + nodes)).ravel()
    k = 3.0 - 4.0 * nu
    decay = np.exp(-2.0 * t)  # numerator and denominator are divided by exp(2 t): no overflow
    numerator = k * (1.0 - decay**2) - 4.0 * t * decay
    denominator = k * (1.0 + decay**2) + (1.0 + k**2 + 4.0 * t**2) * decay
    return t, (half * weights).ravel(), numerator / denominator
