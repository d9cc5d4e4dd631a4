"""Contact of a ball with its races, and of a roller: closed forms, printed figures, integrals."""

from math import pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from alegear.drivetrain.rolling.line_contact import line_constant, line_pressure, profile_depth
from alegear.drivetrain.rolling.point_contact import POISSON, YOUNG, PointContact

E_STAR = YOUNG / (2.0 * (1.0 - POISSON**2))  # of two bodies of steel


def test_a_ball_on_a_plane_is_a_circle():
    """Hertz: approach (9 Q^2/(16 R E*^2))^(1/3), radius (3 Q R/(4 E*))^(1/3), pressure 3 Q/(2 pi a^2)."""
    R, Q = 5e-3, 700.0
    contact = PointContact(curvature_sum=2.0 / R, curvature_difference=0.0)
    a = (3.0 * Q * R / (4.0 * E_STAR)) ** (1.0 / 3.0)
    assert contact.ratio == 1.0
    assert contact.softness * Q ** (2.0 / 3.0) == pytest.approx(
        (9.0 * Q**2 / (16.0 * R * E_STAR**2)) ** (1 / 3), rel=1e-12
    )
    assert contact.semi_axes(Q) == pytest.approx((a, a), rel=1e-12)
    assert contact.pressure(Q) == pytest.approx(1.5 * Q / (pi * a**2), rel=1e-12)
    assert contact.pressure(0.0) == 0.0


@pytest.mark.parametrize("difference", [0.3, 0.9120, 0.9399, 0.99])
def test_the_pressure_ellipse_deforms_as_the_bodies_need(difference):
    """Displacement under the ellipsoidal pressure is delta - x^2/(2 R_x) - y^2/(2 R_y): by integrals (Johnson, 3.5)."""
    Q, total = 800.0, 200.0
    contact = PointContact(curvature_sum=total, curvature_difference=difference)
    a, b = contact.semi_axes(Q)

    def integral(p: float, q: float) -> float:
        # int_0^inf (a^2 + w)^-p (b^2 + w)^-q w^-1/2 dw with w = b^2 tan^2 s
        def f(s: float) -> float:
            w = (b * np.tan(s)) ** 2
            return 2.0 * b / np.cos(s) ** 2 * (a * a + w) ** -p * (b * b + w) ** -q

        return quad(f, 0.0, 0.5 * pi, epsabs=0.0, epsrel=1e-12, limit=200)[0]

    p_0 = 1.5 * Q / (pi * a * b)
    factor = p_0 * a * b / (2.0 * E_STAR)
    curvature_x, curvature_y = 2.0 * factor * integral(1.5, 0.5), 2.0 * factor * integral(0.5, 1.5)
    # 1e-9: of the integrals
    assert factor * integral(0.5, 0.5) == pytest.approx(contact.softness * Q ** (2.0 / 3.0), rel=1e-9)
    assert curvature_x + curvature_y == pytest.approx(total, rel=1e-9)
    assert (curvature_y - curvature_x) / total == pytest.approx(difference, rel=1e-9)


def test_roller_constant_in_its_own_units():
    """35948 L^(8/9) N/mm^(10/9): 10 um on 10 mm."""
    in_mm = 35948.0 * 10.0 ** (8.0 / 9.0) * 0.010 ** (10.0 / 9.0)
    assert line_constant(10e-3) * 10e-6 ** (10.0 / 9.0) == pytest.approx(in_mm, rel=1e-12)


def test_line_pressure_is_that_of_cylinders():
    """Half-width b = sqrt(4 w R/(pi E*)), pressure 2 w/(pi b)."""
    w, R = 3e5, 4e-3
    b = sqrt(4.0 * w * R / (pi * E_STAR))
    assert line_pressure(w * 0.01, 0.01, 1.0 / R) == pytest.approx(2.0 * w / (pi * b), rel=1e-12)


def test_profile_by_hand():
    """0.00035 D ln(1/(1 - 0.8^2)) at 0.8 of the half length."""
    depth = profile_depth(np.array([0.0, 4e-3]), 10e-3, 10e-3)
    assert depth == pytest.approx([0.0, 0.00035 * 10e-3 * np.log(1.0 / 0.36)], rel=1e-12)
