"""Strip of contact that ends on a tip edge, against the closed solution of two half-planes with a sharp corner.

A parabola of the radius rho that ends at a corner and is turned by alpha_0 against its mate touches over the length 2 b
from the corner on, with a pressure that grows without bound there. With the load

    q = (pi E*/2) b (alpha_0 + 3 b/(2 rho))

the corner approaches by (2/(pi E*)) q ln(2/b) and the mean of the gap over the angle theta, x = b sin(theta), which is
alpha_0 b + 3 b^2/(4 rho).
"""

import numpy as np
import pytest

from alegear.contact.hertz.model_kernels import DIRECTION
from alegear.contact.hertz.strip_kernels import line_contact

RHO_1, RHO_2, ROUND = 20e-3, 14e-3, 1e-8
FLANK, SPACING = 2001, 1e-6
SOFTNESS, W = 4.3e-12, 1.7
LEAN = 0.95


def convex(rho):
    """Profile that turns by 1/rho and ends at s = 0 on a round; its knots and its table."""
    rounded = ROUND * np.linspace(0.0, 1.2, 100)
    s = np.concatenate([SPACING * np.arange(1 - FLANK, 1), rounded[1:]])
    curve = np.zeros((len(s), 7))
    curve[:, DIRECTION] = np.where(s <= 0.0, -s / rho, -s / ROUND)
    curve[:, DIRECTION + 1] = np.where(s <= 0.0, -1.0 / rho, -1.0 / ROUND)
    fine = rounded[1]
    return np.array([s[0], SPACING, float(FLANK), fine, ROUND, 1.0 / SPACING, 1.0 / fine]), curve


def even_layer():
    """Layer whose approach is the same everywhere."""
    table = np.zeros((4, 2, 2))
    table[0] = W
    return np.array([-1.0, 1.0]), 1e-9, np.log([1.0, 1e9]), table, SOFTNESS


def contact(s_1, s_2, q):
    modulus = LEAN / (2.0 * SOFTNESS)
    out = line_contact(
        *convex(RHO_1), *even_layer(), *convex(RHO_2), *even_layer(), modulus, 1e-3, LEAN, s_1, s_2, q, 0.0, 0.0, 1e-10
    )
    return modulus, out


@pytest.mark.parametrize("wheel", [False, True])
@pytest.mark.parametrize("alpha_0", [0.0, 24e-3, 60e-3])
@pytest.mark.parametrize("q", [20e3, 400e3])
def test_strip_at_a_sharp_corner(q, alpha_0, wheel):
    inside, corner = -1e-3, ROUND * alpha_0  # on the round, turned by alpha_0
    modulus, (w, _, _, _, _, b, c) = contact(*((inside, corner) if wheel else (corner, inside)), q)
    rho = 1.0 / (1.0 / RHO_1 + 1.0 / RHO_2)
    expected = 0.5 * np.pi * modulus * b * (alpha_0 + 1.5 * b / rho)
    # the round takes part of the strip: 1e-8 m of 1e-5 m and more
    assert q == pytest.approx(expected, rel=2e-2 if b < 1e-5 else 5e-3)
    assert abs(c) == pytest.approx(b, rel=2e-2 if b < 1e-5 else 5e-3)
    gap = alpha_0 * b + 0.75 * b * b / rho - q / (np.pi * modulus)
    assert w == pytest.approx(2.0 * SOFTNESS * W * q + LEAN * gap, rel=2e-3)


def test_away_from_edges_it_is_hertz():
    modulus, (w, _, _, _, _, b, c) = contact(-1e-3, -1e-3, 1e5)
    rho = 1.0 / (1.0 / RHO_1 + 1.0 / RHO_2)
    assert b == pytest.approx(np.sqrt(4.0 * 1e5 * rho / (np.pi * modulus)), rel=1e-9)
    assert c == pytest.approx(0.0, abs=1e-12)
    assert w == pytest.approx(2.0 * SOFTNESS * W * 1e5, rel=1e-12)


@pytest.mark.parametrize("corner", [ROUND * 0.05, -2e-5, -9e-5])
def test_derivatives_of_the_approach(corner):
    """On the corner, and on the flank where the strip reaches the corner."""
    q, d = 2e5, np.array([1.0, 1e-12, 1e-8])  # steps in q, on the round, on the flank
    d[1] = 1e-12 if corner > 0.0 else 1e-8

    def w(load, s_1, s_2):
        return contact(s_1, s_2, load)[1][0]

    _, (_, w_q, w_1, w_2, _, _, _) = contact(corner, -1e-3, q)
    found = [w_q, w_1, w_2]
    at = np.array([q, corner, -1e-3])
    for i in range(3):
        step = np.zeros(3)
        step[i] = d[i]
        expected = (w(*(at + step)) - w(*(at - step))) / (2.0 * d[i])
        assert found[i] == pytest.approx(expected, rel=2e-4, abs=1e-6 if i else 0.0)  # rolling on changes nothing
