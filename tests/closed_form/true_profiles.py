"""True profiles of teeth as dense points, and how far apart two of them are: rotated until they touch.

Nothing of the package is used: closed forms of involute and trochoid, the removal as an offset along their normals, the
tip edge as the place where a disc inside the tooth touches tip circle and modified flank.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import asin, atan, cos, hypot, pi, sin, sqrt, tan

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Removal = Callable[[Array], Array]

SPACING = 4e-7  # m between the points; a disc of 2 um finds a point of the flank to 1e-8 m
ARC_POINTS = 2001


def no_removal(roll_length: Array) -> Array:
    """Nothing is taken off."""
    return np.zeros_like(roll_length)


@dataclass(frozen=True, kw_only=True)
class TrueGear:
    """Gear with the rack of ISO 53, profile A, in one transverse section.

    Parameters
    ----------
    z, m_n, x, beta : number of teeth, normal module [m], profile shift, helix angle [rad]
    tip_radius : float [m]
        Radius of the round of the tip edge.
    removal : function
        Material removed normal to the flank [m] at roll lengths (n,) [m], from the root form circle to the tip circle.
    transverse_removal : function
        As that, but in the transverse section already.
    """

    z: int
    m_n: float
    x: float = 0.0
    beta: float = 0.0
    alpha_n: float = np.radians(20.0)
    tip_radius: float = 2e-6
    removal: Removal = no_removal
    transverse_removal: Removal = no_removal

    @property
    def alpha_t(self) -> float:
        return atan(tan(self.alpha_n) / cos(self.beta))

    @property
    def r(self) -> float:
        return 0.5 * self.z * self.m_n / cos(self.beta)

    @property
    def r_b(self) -> float:
        return self.r * cos(self.alpha_t)

    @property
    def r_a(self) -> float:
        return self.r + (1.0 + self.x) * self.m_n

    @property
    def roll_length_tip(self) -> float:
        return sqrt(self.r_a**2 - self.r_b**2)

    @property
    def psi_b(self) -> float:
        """Half the angle of the tooth at the base circle."""
        return (0.5 * pi + 2.0 * self.x * tan(self.alpha_n)) / self.z + tan(self.alpha_t) - self.alpha_t

    @cached_property
    def trochoid(self) -> tuple[Array, Array]:
        """Points of the root and their normals out of the material, complex, from the involute down."""
        rho, height = 0.38 * self.m_n, (self.x - 1.25 + 0.38) * self.m_n  # of the centre of the rack's round
        half = 0.25 * pi * self.m_n - 0.87 * self.m_n * tan(self.alpha_n) - rho / cos(self.alpha_n)
        t = np.linspace(0.5 * self.alpha_n, 0.5 * pi - 1e-9, 200001)
        # the rack's round seen along the axis, from the middle of the rack's tooth; out of the rack, into the gear
        X, Y = height - rho * np.sin(t), (half + rho * np.cos(t)) / cos(self.beta)
        nx, ny = -np.sin(t), np.cos(t) * cos(self.beta)
        way = Y - X * ny / nx  # the normal goes through the pitch point when the rack stands there
        w = (self.r + X + 1j * (Y - way)) * np.exp(1j * way / self.r)
        n = (nx + 1j * ny) / np.hypot(nx, ny) * np.exp(1j * way / self.r)
        # from the middle of the space, below it on the real axis, to the tooth above whose flank a faces it
        turn = np.exp(1j * pi / self.z)
        return np.conj(w) * turn, -np.conj(n) * turn

    @cached_property
    def root(self) -> tuple[Array, Array, float]:
        """Trochoid below the involute with its normals, and the roll length where both meet."""
        w, n = self.trochoid
        radius = np.abs(w)
        end = self.r_b * tan(self.alpha_t) + (self.x - 1.25 + 0.38 * (1.0 - sin(self.alpha_n))) * self.m_n / sin(
            self.alpha_t
        )
        if end >= 0.0:
            keep = radius < hypot(self.r_b, end)
            return w[keep], n[keep], end
        # undercut: the first place from below where the involute is thinner than the root
        above = radius > self.r_b
        roll = np.sqrt(np.maximum(radius**2 - self.r_b**2, 0.0))
        excess = np.angle(w) - (self.psi_b - roll / self.r_b + np.arctan2(roll, self.r_b))
        inside = np.flatnonzero(above & (excess > 0.0))
        first = int(inside[-1]) if len(inside) else int(np.flatnonzero(above)[-1])
        return w[first + 1 :], n[first + 1 :], float(roll[first])

    @cached_property
    def flank(self) -> tuple[Array, Array]:
        """Points of the modified involute, complex, and its roll lengths; it goes on beyond the tip circle."""
        end = self.roll_length_tip
        top = end + 2e-4 + 2.0 * abs(float(self._removed(np.array([end]))[0]))
        form = self.root[2]
        # equal steps of arc length, which goes with the square of the roll length
        n = int((top**2 - form**2) / (2.0 * self.r_b) / SPACING)
        xi = np.sqrt(np.linspace(form**2, top**2, n))
        tangent = np.exp(1j * (self.psi_b - xi / self.r_b))
        return (self.r_b + 1j * (xi - self._removed(np.clip(xi, form, end)))) * tangent, xi

    @cached_property
    def tip_edge(self) -> tuple[float, float]:
        """Polar angle of the middle of the disc that rounds the tip, and roll length where it touches the flank."""
        points, xi = self.flank
        near = np.abs(np.abs(points) - self.r_a) < 2.0 * self.tip_radius + 2e-4
        points, xi = points[near], xi[near]
        low, high = 0.0, pi / self.z
        for _ in range(60):
            angle = 0.5 * (low + high)
            centre = (self.r_a - self.tip_radius) * np.exp(1j * angle)
            distance = np.abs(points - centre)
            # a disc that lies beyond the flank is seen from outside
            outside = np.angle(centre) > np.interp(abs(centre), np.abs(points), np.angle(points))
            if outside or distance.min() < self.tip_radius:
                high = angle
            else:
                low = angle
        return low, float(xi[np.argmin(np.abs(points - (self.r_a - self.tip_radius) * np.exp(1j * low)))])

    @cached_property
    def profile(self) -> tuple[Array, Array]:
        """Flank a, radius rising [m] and polar angle against the middle of the tooth [rad]."""
        points, xi = self.flank
        angle, start = self.tip_edge
        flank = points[xi < start]
        centre = (self.r_a - self.tip_radius) * np.exp(1j * angle)
        ray = np.angle(points[np.searchsorted(xi, start)] - centre)
        arc = centre + self.tip_radius * np.exp(1j * np.linspace(ray, angle, ARC_POINTS))
        w, n, form = self.root
        root = (w - n * float(self._removed(np.array([form]))[0]))[::-1]
        # of root and flank, moved into the material, only what is not cut off by the other
        out = []
        for one, other in ((root, flank), (flank, root)):
            limit = np.interp(np.abs(one), np.abs(other), np.angle(other), left=np.inf, right=np.inf)
            out.append(one[np.angle(one) <= limit + 1e-15])
        whole = np.concatenate([*out, arc])
        radius = np.abs(whole)
        rising = np.concatenate([[True], radius[1:] > np.maximum.accumulate(radius)[:-1]])
        return radius[rising], np.angle(whole[rising])

    def _removed(self, xi: Array) -> Array:
        beta_b = asin(sin(self.beta) * cos(self.alpha_n))
        return self.removal(xi) / cos(beta_b) + self.transverse_removal(xi)


def relief(amount: float, start_radius: float, gear: TrueGear, shape: str = "linear") -> Removal:
    """Tip relief that grows with the roll length from a radius to the tip circle."""
    first, last = sqrt(start_radius**2 - gear.r_b**2), gear.roll_length_tip
    power = {"linear": 1, "parabolic": 2}[shape]
    return lambda xi: amount * np.clip((xi - first) / (last - first), 0.0, 1.0) ** power


@dataclass(frozen=True, kw_only=True)
class TruePair:
    """Two gears whose flanks a face each other."""

    pinion: TrueGear
    wheel: TrueGear

    @cached_property
    def alpha_wt(self) -> float:
        """Working pressure angle at the distance without backlash."""
        one, two = self.pinion, self.wheel
        target = tan(one.alpha_t) - one.alpha_t + 2.0 * (one.x + two.x) / (one.z + two.z) * tan(one.alpha_n)
        low, high = 1e-3, 1.5
        for _ in range(100):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if tan(middle) - middle < target else (low, middle)
        return low

    @cached_property
    def a_w(self) -> float:
        """Distance of the axes [m]."""
        return (self.pinion.r_b + self.wheel.r_b) / cos(self.alpha_wt)

    def separation(self, phase: float) -> float:
        """How far one pair is apart along the line of action [m], at a rotation of the pinion.

        The wheel's rotation until both touch, times its base radius.

        Parameters
        ----------
        phase : float
            Pitches since the unmodified profiles touched at the pitch point.
        """
        one, two, alpha = self.pinion, self.wheel, self.alpha_wt
        angle_1 = -alpha - one.psi_b + tan(alpha) + phase * 2.0 * pi / one.z
        angle_2 = pi - alpha - two.psi_b + tan(alpha) - phase * 2.0 * pi / two.z
        (r_1, theta_1), (r_2, theta_2) = one.profile, two.profile
        seen = (r_1 * np.exp(1j * (theta_1 + angle_1)) - self.a_w) * np.exp(-1j * angle_2)
        radius = np.abs(seen)
        near = (radius >= r_2[0]) & (radius <= r_2[-1]) & (seen.real > 0.0)
        if not near.any():
            return np.inf
        apart = np.angle(seen[near]) - np.interp(radius[near], r_2, theta_2)
        return float(apart.min()) * two.r_b
