"""The root of a ring gear that is not shaped: a circular fillet between flank and root circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import ClassVar

from alegear.errors import Fault
from alegear.geometry.involute import full_round, round_angle
from alegear.geometry.pinion_cutter import CutterTrochoid
from alegear.short_repr import ShortRepr

SMALLEST_FILLET = 0.01
"""Fillet radius in modules below which a root counts as a notch."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FormedRoot(ShortRepr):
    """Round the tooth spaces of a ring as a broach, a mould or an electrode does: by arcs, whatever its teeth.

    In the transverse section a circle of radius rho touches the root circle from inside and the involute of the flank.
    The space is an external tooth of the ring's own base circle with half angle ``eta_b = pi/|z| - psi_b`` there (of
    numbers without sign), so that the centre of the round lies on an involute shifted inwards by rho::

        r_c = |r_f| - rho,   xi_c = sqrt(r_c^2 - r_b^2),   theta_c = eta_b - (rho + xi_c)/r_b + atan(xi_c/r_b)

    and the flank begins at the roll length ``xi_c + rho``. With theta_c = 0 the two arcs of a space are one, its full
    round.

    Parameters
    ----------
    z : int
        Teeth of the ring, negative.
    m_n : float [m]
        Normal module.
    r_b, r_f : float [m]
        Base and root radius of the ring, negative.
    psi_b : float [rad]
        Half tooth angle at the base circle, with the sign of the ring: s_t/d + inv alpha_t.
    rho : float [m]
        Fillet radius in the transverse section.

    Raises
    ------
    Fault
        For a radius for which the space or the flank has no room.
    """

    KEY: ClassVar[str] = "root_fillet_radius_mm"

    z: int
    m_n: float
    r_b: float
    r_f: float
    psi_b: float
    rho: float

    def __post_init__(self) -> None:
        largest = full_round(r=abs(self.r_f), r_b=abs(self.r_b), psi_b=self._eta_b)
        if self._theta(0.0) <= 0.0:
            raise Fault(
                "width of the tooth space at the root circle [mm]",
                round(2e3 * abs(self.r_f) * self._theta(0.0), 6),
                "above 0: the flanks of a space meet before it",
                "reduce dedendum_factor",
            )
        if not SMALLEST_FILLET * self.m_n <= self.rho <= largest:
            raise Fault(
                "root fillet radius [mm]",
                round(1e3 * self.rho, 6),
                f"from {1e3 * SMALLEST_FILLET * self.m_n:.4g} to {1e3 * largest * (1.0 - 1e-4):.4g}, the full round of"
                " the tooth space",
                f"give {self.KEY} = {1e3 * min(max(self.rho, SMALLEST_FILLET * self.m_n), largest * 0.9999):.4g}",
            )

    @property
    def roll_length_form(self) -> float:
        """Roll length of the ring's root form point [m], negative."""
        return -self._roll_length_round

    @property
    def root_curve(self) -> CutterTrochoid:
        """The arc: of a cutter with the teeth of the ring, on its axis, which does not roll."""
        r, theta = abs(self.r_f), max(self._theta(self.rho), 0.0)
        return CutterTrochoid(a=0.0, r_w=r, r_c=r - self.rho, theta_c=theta, rho=self.rho, ratio=1.0)

    @property
    def tau_form(self) -> float:
        """Parameter of the arc at the root form point [rad]."""
        # by radii: the normal of the flank touches the base circle
        return float(self._theta(self.rho)) - self._eta_b + self._roll_length_round / abs(self.r_b)

    @property
    def longest_tip(self) -> float:
        """Roll length of the highest tip that can be made [m]: the involute ends on the base circle."""
        return 0.0

    def feeds(self, r_a: float) -> Sequence[float]:
        """Centre distances at which a cutter could trim the teeth [m]: there is none."""
        return ()

    @property
    def _eta_b(self) -> float:
        """Half of the space at the base circle [rad]."""
        return pi / abs(self.z) + self.psi_b

    @property
    def _roll_length_round(self) -> float:
        return self.rho + sqrt(max((abs(self.r_f) - self.rho) ** 2 - self.r_b**2, 0.0))

    def _theta(self, rho: float) -> float:
        """Angle from the middle of the space to the centre of a round [rad]."""
        return round_angle(rho, r=abs(self.r_f), r_b=abs(self.r_b), psi_b=self._eta_b)
