"""The root of a ring gear that is not shaped: a circular fillet between flank and root circle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alegear.errors import Fault
from alegear.geometry.involute import full_round, round_angle
from alegear.short_repr import ShortRepr

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

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
    def root_curve(self) -> FilletArc:
        """The arc."""
        return FilletArc(r_c=abs(self.r_f) - self.rho, theta_c=max(self._theta(self.rho), 0.0), rho=self.rho)

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


@dataclass(frozen=True, kw_only=True, eq=False)
class FilletArc:
    """An arc as the root curve of a ring, in the frame of :class:`~alegear.geometry.tooth_profile.RootCurve`.

    ``c = r_c exp(-i theta_c) + rho n``, ``n = exp(-i (theta_c + pi/2 - tau))``, ``tau = tau_form (flank) ... pi/2``.

    Parameters
    ----------
    r_c : float [m], theta_c : float [rad]
        Centre: its distance from the axis of the ring, its angle from the middle of the space.
    rho : float [m]
    """

    r_c: float
    theta_c: float
    rho: float

    @property
    def root_circle_angle(self) -> float:
        """Angle of the root circle from its end to the middle of the space [rad], negative."""
        return -self.theta_c

    def _normals(self, tau: Array) -> ComplexArray:
        return np.asarray(np.exp(-1j * (self.theta_c + 0.5 * np.pi - np.asarray(tau, dtype=float))))

    def points(self, tau: Array) -> ComplexArray:
        """Return the points c(tau)."""
        return np.asarray(self.r_c * np.exp(-1j * self.theta_c) + self.rho * self._normals(tau))

    def tangents(self, tau: Array) -> ComplexArray:
        """Return the unit tangents in the direction of rising tau (to the root circle)."""
        return 1j * self._normals(tau)

    def speed(self, tau: Array) -> Array:
        """Return ds/dtau [m]."""
        return np.full(np.shape(tau), self.rho)

    def curvature(self, tau: Array) -> Array:
        """Return the curvature [1/m], negative: a fillet."""
        return np.full(np.shape(tau), -1.0 / self.rho)
