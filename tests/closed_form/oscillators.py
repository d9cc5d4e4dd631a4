"""Motions of one degree of freedom in closed form: oscillators, pendulum, body bouncing on a one-sided spring."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj, ellipk


@dataclass(frozen=True, kw_only=True)
class DampedOscillator:
    """m x'' + c x' + k x = 0, underdamped, from x(0) = x0, x'(0) = v0."""

    m: float
    c: float
    k: float
    x0: float
    v0: float

    @property
    def omega(self) -> float:
        """Undamped angular frequency [rad/s]."""
        return math.sqrt(self.k / self.m)

    def motion(self, t: float) -> tuple[float, float]:
        """Position and velocity at t: exp(-D w t) [x0 cos(w_d t) + B sin(w_d t)]."""
        decay = self.c / (2.0 * self.m)
        omega_d = math.sqrt(self.omega**2 - decay**2)
        B = (self.v0 + decay * self.x0) / omega_d
        cos, sin, exp = math.cos(omega_d * t), math.sin(omega_d * t), math.exp(-decay * t)
        x = exp * (self.x0 * cos + B * sin)
        return x, -decay * x + exp * omega_d * (B * cos - self.x0 * sin)


@dataclass(frozen=True, kw_only=True)
class ForcedOscillator:
    """x'' + 0.6 x' + 9 x = force(t), with the force made for the motion x = sin 2t + sin(5t)/2."""

    c = 0.6
    k = 9.0

    def motion(self, t: float) -> tuple[float, float]:
        """Position and velocity at t."""
        return math.sin(2.0 * t) + 0.5 * math.sin(5.0 * t), 2.0 * math.cos(2.0 * t) + 2.5 * math.cos(5.0 * t)

    def force(self, t: float) -> float:
        """Force per mass that makes this motion."""
        x, v = self.motion(t)
        return -4.0 * math.sin(2.0 * t) - 12.5 * math.sin(5.0 * t) + self.c * v + self.k * x


@dataclass(frozen=True, kw_only=True)
class Pendulum:
    """theta'' + omega^2 sin(theta) = 0 released from rest at 0 < amplitude < pi."""

    omega: float
    amplitude: float

    @property
    def period(self) -> float:
        """4 K(m)/omega with m = sin^2(amplitude/2) [s]."""
        return 4.0 * float(ellipk(math.sin(0.5 * self.amplitude) ** 2)) / self.omega

    def motion(self, t: float) -> tuple[float, float]:
        """Angle 2 asin(k sn(K + omega t)) and speed 2 k omega cn(K + omega t), k = sin(amplitude/2)."""
        k = math.sin(0.5 * self.amplitude)
        sn, cn, _, _ = ellipj(float(ellipk(k * k)) + self.omega * t, k * k)
        return 2.0 * math.asin(k * float(sn)), 2.0 * k * self.omega * float(cn)


@dataclass(frozen=True, kw_only=True)
class BouncingBody:
    """m x'' = -m g - k min(x, 0): dropped from rest at height > 0 on a spring that only pushes; periodic."""

    omega: float  # sqrt(k/m) of the body on the spring
    g: float
    height: float

    @property
    def impact_speed(self) -> float:
        """sqrt(2 g height)."""
        return math.sqrt(2.0 * self.g * self.height)

    @property
    def fall_time(self) -> float:
        """From the top to the spring."""
        return self.impact_speed / self.g

    @property
    def contact_time(self) -> float:
        """(2 pi - 2 phi)/omega, tan(phi) = v omega/g: pi/omega for a stiff spring."""
        return (2.0 * math.pi - 2.0 * math.atan2(self.impact_speed * self.omega, self.g)) / self.omega

    @property
    def period(self) -> float:
        """From top to top."""
        return 2.0 * self.fall_time + self.contact_time

    def motion(self, t: float) -> tuple[float, float]:
        """Position and velocity at t >= 0, started at the top."""
        tau = t % self.period
        if tau > 0.5 * self.period:  # the way up mirrors the way down
            x, v = self.motion(self.period - tau)
            return x, -v
        if tau <= self.fall_time:
            return self.height - 0.5 * self.g * tau**2, -self.g * tau
        tau -= self.fall_time
        sag, amplitude = self.g / self.omega**2, self.impact_speed / self.omega
        cos, sin = math.cos(self.omega * tau), math.sin(self.omega * tau)
        return -sag + sag * cos - amplitude * sin, -self.omega * (sag * sin + amplitude * cos)


def largest_error(motion, times, positions) -> float:
    """max |x_i - x(t_i)| of a computed motion against a closed form."""
    return float(max(abs(x - motion(t)[0]) for t, x in zip(times, positions, strict=True)))


def observed_orders(steps, errors) -> np.ndarray:
    """log(e_i/e_{i+1}) / log(h_i/h_{i+1})."""
    return np.diff(np.log(errors)) / np.diff(np.log(steps))
