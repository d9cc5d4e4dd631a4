"""Friction against sliding: the curves of both laws and their derivatives."""

import numpy as np
import pytest

from alegear.contact.law import Friction

V_STATIC, V_DYNAMIC, MU_STATIC, MU_DYNAMIC = 0.02, 0.1, 0.12, 0.05
KINDS = ("none", "coulomb", "velocity")


def friction(kind, v):
    constants = {"mu_static": MU_STATIC, "mu_dynamic": MU_DYNAMIC, "v_static": V_STATIC, "v_dynamic": V_DYNAMIC}
    law = Friction(kind=KINDS[kind], **{k: v for k, v in constants.items() if k not in Friction.UNUSED[KINDS[kind]]})
    return law.coefficient(np.atleast_1d(np.asarray(v, dtype=float)))


def step(x, x_0, h_0, x_1, h_1):
    """Cubic step as multibody codes define it."""
    t = np.clip((x - x_0) / (x_1 - x_0), 0.0, 1.0)
    return h_0 + (h_1 - h_0) * t**2 * (3.0 - 2.0 * t)


def liu_33(v):
    """Equation 33 of Liu et al. (2018), its middle branch from (v_s, mu_s) to (v_d, mu_d)."""
    if abs(v) <= V_STATIC:
        return step(v, -V_STATIC, MU_STATIC, V_STATIC, -MU_STATIC)
    if abs(v) < V_DYNAMIC:
        return -np.sign(v) * step(abs(v), V_STATIC, MU_STATIC, V_DYNAMIC, MU_DYNAMIC)
    return -np.sign(v) * MU_DYNAMIC


def test_friction_curve_of_liu_equation_33():
    v = np.linspace(-0.15, 0.15, 301)
    np.testing.assert_allclose(friction(2, v)[0], [liu_33(x) for x in v], atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "v", "mu"),
    [
        (2, 0.0, 0.0),
        (2, V_STATIC, -MU_STATIC),
        (2, -V_STATIC, MU_STATIC),
        (2, V_DYNAMIC, -MU_DYNAMIC),
        (2, 7.0, -MU_DYNAMIC),
        (2, -7.0, MU_DYNAMIC),
        (1, 0.0, 0.0),
        (1, V_STATIC, -MU_DYNAMIC),
        (1, -3.0, MU_DYNAMIC),
        (0, 1.0, 0.0),
    ],
)
def test_friction_acts_against_sliding_with_the_given_coefficients(kind, v, mu):
    assert friction(kind, v)[0] == pytest.approx(mu, abs=1e-16)


@pytest.mark.parametrize("kind", [1, 2])
def test_friction_is_odd_and_smooth(kind):
    v = np.linspace(0.0, 0.15, 151)
    mu, mu_v = friction(kind, v)
    opposite, opposite_v = friction(kind, -v)
    np.testing.assert_allclose(mu, -opposite, atol=1e-16)
    np.testing.assert_allclose(mu_v, opposite_v, atol=1e-14)
    h = 1e-8
    at_nodes = np.array([-V_DYNAMIC, -V_STATIC, V_STATIC, V_DYNAMIC])
    for low, high in zip(friction(kind, at_nodes - h), friction(kind, at_nodes + h), strict=True):
        np.testing.assert_allclose(low, high, atol=2e-5)  # 2 h times a second derivative up to 900
    assert not friction(kind, at_nodes)[1].any()  # zero slope where the steps join


@pytest.mark.parametrize("kind", [1, 2])
def test_friction_derivative(kind):
    v = np.array([-0.09, -0.04, -0.013, 0.002, 0.017, 0.03, 0.08, 0.2])
    h = 1e-6
    difference = (friction(kind, v + h)[0] - friction(kind, v - h)[0]) / (2 * h)
    np.testing.assert_allclose(friction(kind, v)[1], difference, atol=1e-6)  # slopes up to 9, h^2/6 times 1e5
