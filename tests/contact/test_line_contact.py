"""Hertz's line contact against its own equations; the bonded layer against single waves and brute-force integrals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.special import j1

from alegear.contact import line_contact
from alegear.contact.line_contact import (
    bonded_layer_approach,
    bonded_layer_mean,
    bonded_layer_support,
    half_width,
    largest_shear,
    peak_pressure,
)
from alegear.errors import Fault

ratios = pytest.mark.parametrize("nu", [0.0, 0.3, 0.5])


# ------------------------------------------------------------------------------------------------ Hertz
def test_pressure_carries_the_load_and_flattens_the_bodies():
    """Resultant of the ellipse; and p_0 = E* b/(2 rho), by which the surfaces bend as much as the gap does."""
    q, rho, E_star = np.array([1e3, 4e5]), np.array([2e-3, 1e-2]), 1.15e11
    b = half_width(q, rho, E_star)
    p_0 = peak_pressure(q, b)
    assert_allclose(0.5 * np.pi * b * p_0, q, rtol=1e-14)
    assert_allclose(p_0, E_star * b / (2.0 * rho), rtol=1e-14)


def test_nothing_where_nothing_is_carried():
    b = half_width([0.0, -5.0], 0.01, 1e11)
    assert np.all(b == 0.0)
    assert np.all(peak_pressure([0.0, 0.0], b) == 0.0)


def test_largest_shear_is_the_maximum_along_the_axis():
    theta = (np.arange(2000) + 0.5) * np.pi / 2000 - np.pi / 2
    x, pdx = np.sin(theta), 3e9 * np.cos(theta) ** 2 * np.pi / 2000

    def shear(z):
        """Flamant's solution summed over the ellipse; p dx = cos^2 theta dtheta in x = sin theta."""
        return float(np.sum(pdx * (z**3 - x**2 * z) / (x**2 + z**2) ** 2) / np.pi)

    best = minimize_scalar(lambda z: -shear(z) / 3e9, bounds=(0.3, 2.0), method="bounded", options={"xatol": 1e-10})
    tau, depth = largest_shear(3e9, 2e-4)
    assert_allclose(tau, shear(best.x), rtol=1e-12)  # the midpoint rule converges exponentially
    assert_allclose(depth, 2e-4 * best.x, rtol=1e-6)  # a maximum is found to the root of round-off
    assert_allclose([tau / 3e9, depth / 2e-4], [0.3003, 0.7862], atol=5e-5)  # Johnson (1985), four digits


# ------------------------------------------------------------------------------------------------ bonded layer
@ratios
def test_kernel_is_the_solution_for_a_single_wave(nu):
    """u_x = f(z) sin kx, u_z = g(z) cos kx solve Navier's equations; clamped at z = 1, pressure cos kx at z = 0."""
    t, _, L = line_contact._layer_kernel(nu)
    nu = min(nu, 0.5 - 1e-9)  # the equations of displacement need a finite bulk modulus
    kappa, lame = 3.0 - 4.0 * nu, 2.0 * nu / (1.0 - 2.0 * nu)
    for k in t[::7][t[::7] < 12.0]:
        # f = (a1 + a2 z) e^-kz + (a3 + a4 z) e^kz; g from Navier; rows: f(1), g(1), shear(0), normal stress(0), G = 1
        e, d = np.exp(k), np.exp(-k)
        f = np.array([d, d, e, e])
        g = np.array([d, (1 + kappa / k) * d, -e, (kappa / k - 1) * e])
        f_0, g_0 = np.array([1, 0, 1, 0]), np.array([1, kappa / k, -1, kappa / k])
        slope_f, slope_g = np.array([-k, 1, k, 1]), np.array([-k, 1 - kappa, -k, kappa - 1])
        system = np.array([f, g, slope_f - k * g_0, (lame + 2) * slope_g + lame * k * f_0])
        a = np.linalg.solve(system / np.array([1, 1, 1, lame + 2])[:, None], [0, 0, 0, -1 / (lame + 2)])
        # E = 2 (1 + nu): the half-plane sinks by (1 - nu)/k
        # conditioning e^2k; at nu = 0.5 the kernel of long waves is as small as what nu differs from 0.5
        assert_allclose(g_0 @ a * k / (1.0 - nu), L[t == k][0], rtol=1e-6, atol=1e-9)


def brute_force(beta, nu, power):
    """Integral of L/t J^power in narrow panels up to beta t = 3000."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.concatenate([[0.0], np.geomspace(1e-3, 2.0, 40), np.arange(4.0, 3000.0, 2.0)])
    edges = np.unique(np.concatenate([edges / beta, np.arange(0.5, 30.0, 0.5)]))
    half = 0.5 * np.diff(edges)[:, None]
    t = (edges[:-1, None] + half * (1 + nodes)).ravel()
    k, cut = 3.0 - 4.0 * nu, np.minimum(t, 30.0)
    L = (2 * k * np.sinh(2 * cut) - 4 * cut) / (2 * k * np.cosh(2 * cut) + 1 + k**2 + 4 * cut**2)
    J = 2 * j1(beta * t) / (beta * t)
    return 2 / np.pi * np.sum((half * weights).ravel() * L / t * J**power)


@ratios
@pytest.mark.parametrize("beta", [1e-4, 1e-2, 0.3, 1.0, 8.0])
def test_integrals_against_brute_force(beta, nu):
    # what lies beyond beta t = 3000 is below 3000^-2.5 = 2e-9
    assert_allclose(bonded_layer_approach(beta, nu), brute_force(beta, nu, 1), atol=1e-8)
    assert_allclose(bonded_layer_mean(beta, nu), brute_force(beta, nu, 2), atol=1e-8)


def test_narrow_strips_are_logarithmic():
    b = np.array([1e-5, 1e-4])
    # the next term is of the order (b/h)^2
    assert_allclose(np.diff(bonded_layer_approach(b, 0.3)), [-2 / np.pi * np.log(10)], atol=1e-8)
    assert_allclose(bonded_layer_approach(b, 0.3) - bonded_layer_mean(b, 0.3), 0.5 / np.pi, atol=1e-8)
    assert_allclose(np.pi / 2 * bonded_layer_approach(1e-4, 0.3) - np.log(1e4), 0.667, atol=5e-4)  # three digits


def test_sum_of_centres_is_the_approach_of_two_bodies():
    """The work of the load goes into the bodies: q d(alpha) = dU with U = q/2 times the sum of the means."""

    def state(q):
        b = 1e-4 * np.sqrt(q)
        return 2 * q * bonded_layer_approach(b, 0.3), q * q * bonded_layer_mean(b, 0.3)

    (alpha_low, U_low), (alpha_high, U_high) = state(1.0 - 1e-4), state(1.0 + 1e-4)
    assert_allclose(alpha_high - alpha_low, U_high - U_low, rtol=1e-7)  # curvature of a difference over 2e-4


def test_support_makes_the_flat_layer_a_half_plane():
    """Mean over ellipse times ellipse of layer less half-plane, from the shape alone."""
    beta, theta = 0.7, (np.arange(120) + 0.5) * np.pi / 120
    x, weight = np.cos(theta), 2 * np.sin(theta) ** 2 / 120
    at_centre = bonded_layer_approach(1e-5, 0.3) - 2 / np.pi * (np.log(2e5) + 0.5)
    spread = weight @ bonded_layer_support(beta * np.abs(x[:, None] - x), 0.3) @ weight
    mean = bonded_layer_mean(beta, 0.3) - 2 / np.pi * (np.log(2 / beta) + 0.25)
    assert_allclose(at_centre + spread, mean, atol=1e-5)  # |x - y| leaves the product rule second order
    assert bonded_layer_support(0.0, 0.3) == 0.0


def test_bad_arguments_of_the_layer():
    with pytest.raises(Fault, match="half-width"):
        bonded_layer_approach([0.1, 0.0], 0.3)
    with pytest.raises(Fault, match="Poisson"):
        bonded_layer_approach(0.1, 0.51)
