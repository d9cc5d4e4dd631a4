"""Hertz's contact of two steel bodies in a point: approach under a load, and the largest pressure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi

from scipy.special import ellipe, ellipk

#: Bearing steel, as ISO/TS 16281 takes it [Pa], whatever the gears are of: its formulas hold for no other.
YOUNG, POISSON = 207e9, 0.3
#: Ratios of the semi-axes between which an ellipse is looked for: nearly a circle, nearly a line.
ROUND, SLENDER = 1.0 + 1e-6, 1e6


@dataclass(frozen=True, kw_only=True, eq=False)
class PointContact:
    r"""A contact with given curvatures.

    With the ratio chi >= 1 of the semi-axes, K and E the complete elliptic integrals of the parameter
    :math:`1 - \chi^{-2}`,

    .. math::
        F_\rho = \frac{(\chi^2 + 1) E - 2 K}{(\chi^2 - 1) E}, \qquad
        \delta = \frac{\delta^* \Sigma\rho}{2} L^{2/3}, \quad a = a^* L^{1/3}, \quad b = a/\chi, \quad
        L = \frac{3 Q (1 - \nu^2)}{E_0 \Sigma\rho}

        \delta^* = \frac{2 K}{\pi} \left(\frac{\pi}{2 \chi^2 E}\right)^{1/3}, \qquad
        a^* = \left(\frac{2 \chi^2 E}{\pi}\right)^{1/3}

    Parameters
    ----------
    curvature_sum : float [1/m]
        Sigma rho: of both bodies in both planes, concave ones negative.
    curvature_difference : float
        F(rho): what those of one plane are more than those of the other, over the sum; 0 a circle, below 1.

    References
    ----------
    Hertz 1881; Harris and Kotzalas, Rolling Bearing Analysis, chapter on contact stress.
    """

    curvature_sum: float
    curvature_difference: float

    @cached_property
    def ratio(self) -> float:
        """The ratio chi of the semi-axes."""

        def misfit(chi: float) -> float:
            parameter = 1.0 - chi**-2
            K, E = float(ellipk(parameter)), float(ellipe(parameter))
            return ((chi * chi + 1.0) * E - 2.0 * K) / ((chi * chi - 1.0) * E) - self.curvature_difference

        from scipy.optimize import brentq  # here, because it is slow to import

        if misfit(ROUND) >= 0.0:
            return 1.0
        return float(brentq(misfit, ROUND, SLENDER, xtol=1e-13, rtol=1e-14))

    @cached_property
    def integrals(self) -> tuple[float, float]:
        """K and E."""
        parameter = 1.0 - self.ratio**-2
        return float(ellipk(parameter)), float(ellipe(parameter))

    @cached_property
    def delta_star(self) -> float:
        """Dimensionless approach."""
        K, E = self.integrals
        return 2.0 * K / pi * (pi / (2.0 * self.ratio**2 * E)) ** (1.0 / 3.0)

    @property
    def softness(self) -> float:
        """Approach over Q^(2/3) [m/N^(2/3)]."""
        per_force = 3.0 * (1.0 - POISSON**2) / (YOUNG * self.curvature_sum)
        return 0.5 * self.delta_star * self.curvature_sum * per_force ** (2.0 / 3.0)

    def semi_axes(self, load: float) -> tuple[float, float]:
        """Semi-axes a >= b of the ellipse [m] under a load [N]."""
        length = 3.0 * load * (1.0 - POISSON**2) / (YOUNG * self.curvature_sum)
        a = (2.0 * self.ratio**2 * self.integrals[1] / pi * length) ** (1.0 / 3.0)
        return a, a / self.ratio

    def pressure(self, load: float) -> float:
        """Largest pressure [Pa] under a load [N]."""
        if load <= 0.0:
            return 0.0
        a, b = self.semi_axes(load)
        return 1.5 * load / (pi * a * b)


def ball_in_groove(diameter: float, gamma: float, groove: float, *, inner: bool) -> PointContact:
    """The contact of a ball with a race.

    Parameters
    ----------
    diameter : float [m]
        Of the ball.
    gamma : float
        ``D_w cos(alpha)/D_pw``.
    groove : float [m]
        Radius of the groove across the direction of rolling.
    inner : bool
        Whether it is that of the inner ring.
    """
    race = gamma / (1.0 - gamma) if inner else -gamma / (1.0 + gamma)  # along it, by 2/D_w
    across = diameter / (2.0 * groove)
    total = 2.0 + race - across
    return PointContact(curvature_sum=2.0 / diameter * total, curvature_difference=(race + across) / total)
