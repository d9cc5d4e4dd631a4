"""Rollers on races: load over approach by ISO/TS 16281, profile of the roller, and the largest pressure."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from alegear.drivetrain.rolling.point_contact import POISSON, YOUNG
from alegear.system.coordinates import Array

#: Spring constant of a roller between both races [N/mm^(10/9)] of 1 mm effective length, and the power of the length.
CONSTANT, OF_LENGTH, POWER = 35948.0, 8.0 / 9.0, 10.0 / 9.0
MM = 1e-3
#: Depth of the logarithmic profile over the diameter of the roller, and the longest roller that it is for.
PROFILE, LONGEST = 0.00035, 2.5


def line_constant(length: float) -> float:
    """c_L = 35948 L_we^(8/9) N/mm^(10/9), L_we in mm, of a roller of an effective length [m]; in N/m^(10/9).

    References
    ----------
    ISO/TS 16281.
    """
    return CONSTANT * (length / MM) ** OF_LENGTH / MM**POWER


def lamina_positions(length: float, n: int) -> Array:
    """Middles of n laminae of equal width along a roller [m], from one end to the other."""
    return (np.arange(n, dtype=np.float64) + 0.5) * (length / n) - 0.5 * length


def profile_depth(positions: Array, diameter: float, length: float) -> Array:
    """What the logarithmic profile has removed, P(x) = 0.00035 D_we ln(1/(1 - (2 x/L_we)^2)) [m].

    References
    ----------
    ISO/TS 16281, for rollers with L_we <= 2.5 D_we.
    """
    depth: Array = -PROFILE * diameter * np.log(1.0 - (2.0 * positions / length) ** 2)
    return depth


def line_pressure(load: float, length: float, curvature_sum: float) -> float:
    """Largest pressure [Pa] of steel under a load [N] on a length [m], sqrt(Q/L Sigma rho E/(2 pi (1 - nu^2)))."""
    return sqrt(max(load, 0.0) / length * curvature_sum * YOUNG / (2.0 * pi * (1.0 - POISSON**2)))
