"""How the cage and the rolling elements turn with both rings, if they roll without sliding."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from alegear.system.coordinates import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class RollingKinematics:
    """Pure rolling at the nominal contact angle, gamma = D_w cos(alpha)/D_pw.

        cage     phi_c = start + (1 - gamma)/2 phi_i + (1 + gamma)/2 phi_o
        element  spin against the cage = -D_pw/(2 D_w) (1 - gamma^2) (phi_i - phi_o)

    They hold for the angles themselves, in both directions and at any speed.

    Parameters
    ----------
    count : int
        Rolling elements.
    gamma : float
    pitch_over_diameter : float
        D_pw/D_w.
    start : float [rad]
        Azimuth of the first element where both rings stand at 0.
    """

    count: int
    gamma: float
    pitch_over_diameter: float
    start: float = 0.0

    @property
    def by_inner(self) -> float:
        """Turn of the cage by that of the inner ring."""
        return 0.5 * (1.0 - self.gamma)

    @property
    def by_outer(self) -> float:
        """Turn of the cage by that of the outer ring."""
        return 0.5 * (1.0 + self.gamma)

    @property
    def spin(self) -> float:
        """Spin of an element against the cage by phi_i - phi_o."""
        return -0.5 * self.pitch_over_diameter * (1.0 - self.gamma**2)

    def cage_angle(self, inner: Array, outer: Array) -> Array:
        """Angle of the cage [rad] from those of the rings."""
        return self.start + self.by_inner * inner + self.by_outer * outer

    def frequencies(self, inner: float, outer: float = 0.0) -> dict[str, float]:
        """Frequencies [Hz] at constant speeds of the rings [rad/s].

        Returns
        -------
        dict
            ``cage``: its own; ``outer_race``, ``inner_race``: elements that pass a point of the ring; ``spin``: of an
            element against the cage; a defect of it strikes a race ``roller``, twice as often.
        """
        turns = abs(inner - outer) / (2.0 * pi)
        spin = abs(self.spin) * turns
        return {
            "cage": abs(self.by_inner * inner + self.by_outer * outer) / (2.0 * pi),
            "outer_race": self.count * self.by_inner * turns,
            "inner_race": self.count * self.by_outer * turns,
            "spin": spin,
            "roller": 2.0 * spin,
        }
