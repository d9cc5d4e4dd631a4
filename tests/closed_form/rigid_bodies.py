"""Motions of rigid bodies in closed form: a symmetric top without forces, and a plane four-bar linkage."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation


@dataclass(frozen=True, kw_only=True)
class FreeTop:
    """A body with the moments of inertia J1, J1, J3 that turns freely from its frame along the world's."""

    J1: float
    J3: float
    w0: np.ndarray  # angular velocity at the start, in the body's axes

    def rotation(self, t: float) -> np.ndarray:
        """R_WB: the axis goes about the angular momentum L with |L|/J1, the body about its axis with (1 - J3/J1) w3."""
        L = np.array([self.J1 * self.w0[0], self.J1 * self.w0[1], self.J3 * self.w0[2]])
        precession = Rotation.from_rotvec(L / self.J1 * t)
        spin = Rotation.from_rotvec([0.0, 0.0, (1.0 - self.J3 / self.J1) * self.w0[2] * t])
        return (precession * spin).as_matrix()


@dataclass(frozen=True, kw_only=True)
class FourBar:
    """Crank, coupler and rocker of slender bars in a plane, the crank at a constant speed; open branch.

    The crank turns about the origin, the rocker about (ground, 0).
    """

    crank: float
    coupler: float
    rocker: float
    ground: float
    speed: float
    mass_per_length: float

    def angles(self, t: float) -> tuple[float, float, float]:
        """Angles of crank, coupler and rocker against the x axis: intersection of two circles."""
        one = self.speed * t
        x, y = self.crank * math.cos(one), self.crank * math.sin(one)
        dx, dy = self.ground - x, -y
        d = math.hypot(dx, dy)
        # law of cosines at the end of the crank
        lift = math.acos((self.coupler**2 + d * d - self.rocker**2) / (2.0 * self.coupler * d))
        two = math.atan2(dy, dx) + lift
        end_x, end_y = x + self.coupler * math.cos(two), y + self.coupler * math.sin(two)
        return one, two, math.atan2(end_y, end_x - self.ground)

    def speeds(self, t: float) -> tuple[float, float, float]:
        """Rates of the angles, from the closed loop."""
        a, b, c = self.angles(t)
        w_b = self.speed * self.crank * math.sin(c - a) / (self.coupler * math.sin(b - c))
        w_c = self.speed * self.crank * math.sin(b - a) / (self.rocker * math.sin(b - c))
        return self.speed, w_b, w_c

    def kinetic_energy(self, t: float) -> float:
        """Of the three bars."""
        a, b, _ = self.angles(t)
        w_a, w_b, w_c = self.speeds(t)
        m = self.mass_per_length
        hinge = self.crank * w_a * np.array([-math.sin(a), math.cos(a)])
        centre = hinge + 0.5 * self.coupler * w_b * np.array([-math.sin(b), math.cos(b)])
        turning = (self.crank**3 * w_a**2 + self.rocker**3 * w_c**2) / 6.0 + self.coupler**3 * w_b**2 / 24.0
        return m * (turning + 0.5 * self.coupler * float(centre @ centre))

    def driving_torque(self, t: float) -> float:
        """Rate of the kinetic energy over the speed of the crank, without weight; differences of order four."""
        h = 1e-4 / self.speed
        E = [self.kinetic_energy(t + k * h) for k in (-2, -1, 1, 2)]
        return (E[0] - 8.0 * E[1] + 8.0 * E[2] - E[3]) / (12.0 * h) / self.speed
