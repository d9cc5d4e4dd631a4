"""What leads a body and what twists: prescribed rotations, speeds and torques over time, torsion shafts."""

from __future__ import annotations

import sys
from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any

from alegear.dynamics.time_signal import TimeSignal
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr


class Profile(TimeSignal):
    """A value over time with its derivative and its integral from the beginning."""

    @abstractmethod
    def derivative(self, t: float) -> float:
        """Its rate at t."""

    @abstractmethod
    def jump(self, t: float) -> float:
        """Its rate just after t less that at t: not zero at corners alone."""

    @abstractmethod
    def integral(self, t: float) -> float:
        """Its integral from the beginning to t."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """Largest value by magnitude."""

    @abstractmethod
    def time_at(self, integral: float) -> float:
        """Time [s] at which the integral is reached."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CubicStep(Profile):
    r"""A value that goes from y0 to y1 between t0 and t1 with zero slope at both ends.

    .. math:: y = y_0 + (y_1 - y_0) s^2 (3 - 2 s), \quad s = (t - t_0)/(t_1 - t_0) \text{ held in } [0, 1]

    Parameters
    ----------
    y0, y1 : float [any unit]
        Value before and after.
    t0, t1 : float [s]
        Beginning and end; t1 = t0 is a jump, with y1 from t0 on and without derivatives.

    Notes
    -----
    The function that Adams calls STEP (Liu et al. 2018 ramp speed and torque with it).
    """

    y0: float
    y1: float
    t0: float = 0.0
    t1: float = 0.0

    def __post_init__(self) -> None:
        if not self.t1 >= self.t0:
            raise Fault("end of the ramp [s]", self.t1, f"not before its beginning {self.t0:g}", "use a ramp >= 0")

    def value(self, t: float) -> float:
        """y at t."""
        s = self._s(t)
        return self.y0 + (self.y1 - self.y0) * s * s * (3.0 - 2.0 * s)

    def derivative(self, t: float) -> float:
        """dy/dt at t, 6 s (1 - s) (y1 - y0)/(t1 - t0)."""
        if not self.t0 < t < self.t1:
            return 0.0
        s = self._s(t)
        return 6.0 * s * (1.0 - s) * (self.y1 - self.y0) / (self.t1 - self.t0)

    def jump(self, t: float) -> float:
        """None: its slope is zero at both ends."""
        return 0.0

    def integral(self, t: float) -> float:
        """Integral of y from t0 to t: y0 (t - t0) + (y1 - y0) [(t1 - t0)(s^3 - s^4/2) + max(t - t1, 0)]."""
        s = self._s(t)
        within = (self.t1 - self.t0) * s**3 * (1.0 - 0.5 * s)
        return self.y0 * (t - self.t0) + (self.y1 - self.y0) * (within + max(t - self.t1, 0.0))

    @property
    def largest(self) -> float:
        """The value at the one end or the other."""
        return max(self.y0, self.y1, key=abs)

    def time_at(self, integral: float) -> float:
        """Time at which the integral is reached.

        Raises
        ------
        Fault
            It is not reached, or the value changes its sign on the way.
        """
        sign = -1.0 if self.y1 < 0.0 else 1.0
        if self.y0 * sign < 0.0 or self.y1 == 0.0 or integral * sign < 0.0:
            raise _not_reached(integral)
        beyond_ramp = integral - self.integral(self.t1)
        if beyond_ramp * sign >= 0.0:
            return self.t1 + beyond_ramp / self.y1
        return _root(lambda t: self.integral(t) - integral, self.t0, self.t1)

    def _s(self, t: float) -> float:
        if t >= self.t1:
            return 1.0
        return 0.0 if t <= self.t0 else (t - self.t0) / (self.t1 - self.t0)


def _not_reached(integral: float) -> Fault:
    return Fault("angle to be reached [rad]", integral, "ahead of a rotation in one direction", "leave out this stop")


def _root(function: Any, low: float, high: float) -> float:
    """Where a rising or falling function is zero, to the last digit; a quartic's inverse is no handier."""
    from scipy.optimize import brentq  # here, because it takes longer to import than all else in this folder

    return float(brentq(function, low, high, xtol=sys.float_info.min, rtol=1e-15))


TORSIONAL_STIFFNESS = Limits(
    quantity="torsional stiffness",
    key="stiffness_Nm_per_rad",
    unit="N m/rad",
    least=0.0,
    most=1e15,
    above=True,
)
TORSIONAL_DAMPING = Limits(
    quantity="torsional damping", key="damping_Nms_per_rad", unit="N m s/rad", least=0.0, most=1e12
)


@dataclass(frozen=True, kw_only=True, eq=False)
class TorsionShaft(ShortRepr):
    r"""A spring and a damper in torsion, :math:`\tau = k \vartheta + c \dot\vartheta`, with an inertia at its far end.

    Parameters
    ----------
    stiffness : float [N m/rad]
    damping : float [N m s/rad]
    inertia : float [kg m2]
        Of what turns at the far end; 0 where the motion of that end is prescribed.
    """

    stiffness: Annotated[float, TORSIONAL_STIFFNESS]
    damping: Annotated[float, TORSIONAL_DAMPING] = 0.0
    inertia: Annotated[
        float,
        Limits(
            quantity="inertia of the load",
            words="inertia of the load at the end of the driven shaft",
            unit="kg m2",
            least=0.0,
            most=1e12,
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)

    def torque(self, twist: float, rate: float) -> float:
        """Torque [N m] against a twist [rad] that grows by a rate [rad/s]."""
        return self.stiffness * twist + self.damping * rate

    def energy(self, twist: float) -> float:
        """k twist^2 / 2 [J]."""
        return 0.5 * self.stiffness * twist * twist


@dataclass(frozen=True, kw_only=True, eq=False)
class PrescribedRotation:
    """A rotation about a fixed axis that follows from a prescribed speed; speed, angle, acceleration agree exactly.

    Parameters
    ----------
    speed_ramp : Profile [rad/s]
        CubicStep with y0 = y1 for constant speed.
    start_angle : float [rad]
        Angle at the beginning.
    """

    speed_ramp: Profile
    start_angle: float = 0.0

    def angle(self, t: float) -> float:
        """Angle [rad] at t, the integral of the speed."""
        return self.start_angle + self.speed_ramp.integral(t)

    def speed(self, t: float) -> float:
        """Speed [rad/s] at t."""
        return self.speed_ramp.value(t)

    def acceleration(self, t: float) -> float:
        """Angular acceleration [rad/s2] at t."""
        return self.speed_ramp.derivative(t)

    def time_at(self, angle: float) -> float:
        """Time [s] at which the angle is reached, for a stop there (a tooth-change).

        Raises
        ------
        Fault
            The rotation does not come past this angle, or turns back on the way.
        """
        return self.speed_ramp.time_at(angle - self.start_angle)
