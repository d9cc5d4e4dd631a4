"""Values over time: a constant, a step, a table, all of them piecewise cubics; rotations with such a speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from alegear.errors import Fault
from alegear.system.coordinates import Array
from alegear.system.time_signal import TimeSignal

#: Shortest ramp that is none, and least distance of two abscissae of a table [s, rad, rad/s], beyond 1 that
#: part of the abscissa: a cubic has the third power of it below.
SHORTEST_RAMP = 1e-12
#: Largest number of a table or a function.
LARGEST = 1e12


def check_distances(what: str, abscissae: Array) -> None:
    """Refuse neighbours closer than :data:`SHORTEST_RAMP`; those at one place are left to who reads the table.

    Parameters
    ----------
    what : str
        Name of the table, for the message.
    abscissae : shape (n,) [s, rad, rad/s, ...]
        In the order of the table.

    Raises
    ------
    Fault
    """
    distances = np.abs(np.diff(abscissae))
    least = SHORTEST_RAMP * np.maximum(1.0, np.abs(abscissae[1:]))
    close = (distances > 0.0) & (distances < least)
    if close.any():
        at = int(np.argmax(close))
        quantity = f"distance of points {at + 1} and {at + 2} of the {what}"
        raise Fault(quantity, float(distances[at]), f"at least {least[at]:.2g}", "leave out one of the two")


@dataclass(frozen=True, kw_only=True, eq=False)
class PiecewiseCubic(TimeSignal):
    r"""A value over time made of cubics, constant before the first time and after the last.

    .. math:: y(t) = c_{i0} + c_{i1} s + c_{i2} s^2 + c_{i3} s^3

    Piece 0 lies before the first time; piece i begins at times[i - 1], s is counted from there, and for piece 0 from
    the first time. The plain arrays are what compiled code reads.

    Parameters
    ----------
    times : shape (m,) [s]
        Rising, one at least.
    coefficients : shape (m + 1, 4) [unit/s^j]
    integrals : shape (m,) [unit s]
        From the first time to each; derived.
    """

    times: Array
    coefficients: Array
    integrals: Array = field(init=False)

    def __post_init__(self) -> None:
        times, c = np.array(self.times, dtype=np.float64), np.array(self.coefficients, dtype=np.float64)
        if times.ndim != 1 or not len(times) or not (np.diff(times) > 0.0).all() or not np.isfinite(times).all():
            raise Fault("times of a profile [s]", times.tolist(), "rising", "put the points in order, each time once")
        if c.shape != (len(times) + 1, 4) or not np.isfinite(c).all():
            limit = f"numbers of shape {(len(times) + 1, 4)}"
            raise Fault("coefficients of a profile", f"shape {c.shape}", limit, "give one row a piece")
        if c[0, 1:].any() or c[-1, 1:].any():
            raise Fault("first and last piece of a profile", "not constant", "constant", "set their slopes to zero")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "coefficients", c)
        length = np.diff(times)
        whole = [_integral(row, s) for row, s in zip(c[1:-1], length, strict=True)]
        object.__setattr__(self, "integrals", np.concatenate([[0.0], np.cumsum(whole)]))

    # ----------------------------------------------------------- constructors
    @classmethod
    def constant(cls, y: float) -> PiecewiseCubic:
        """The same value always; its integral counts from t = 0."""
        return cls.step(y, y)

    @classmethod
    def step(cls, y0: float, y1: float, t0: float = 0.0, t1: float = 0.0) -> PiecewiseCubic:
        """From y0 to y1 between t0 and t1 with zero slope at both ends (STEP in Adams); t1 = t0 is a jump.

        Its integral counts from t0.
        """
        if not t1 >= t0:
            raise Fault("end of the ramp [s]", t1, f"not before its beginning {t0:g}", "use a ramp >= 0")
        before, after = [y0, 0.0, 0.0, 0.0], [y1, 0.0, 0.0, 0.0]
        if t1 == t0:
            return cls(times=np.array([t0]), coefficients=np.array([before, after]))
        length, rise = t1 - t0, y1 - y0
        if length < SHORTEST_RAMP:
            raise Fault("duration of the ramp [s]", length, f"0, or at least {SHORTEST_RAMP:g}", "use 0: a jump")
        ramp = [y0, 0.0, 3.0 * rise / length**2, -2.0 * rise / length**3]
        return cls(times=np.array([t0, t1]), coefficients=np.array([before, ramp, after]))

    @classmethod
    def table(cls, times: Sequence[float], values: Sequence[float], *, straight: bool = False) -> PiecewiseCubic:
        """Through points, by monotone cubics (Fritsch & Carlson 1980) or straight lines; the ends stay beyond them."""
        from scipy.interpolate import PchipInterpolator  # here, because it takes long to import

        if len(times) != len(values) or len(times) < 2:
            raise Fault("points of a table", len(times), "two or more times with a value each", "add points")
        t, y = np.array(times, dtype=np.float64), np.array(values, dtype=np.float64)
        if not (np.diff(t) > 0.0).all():
            raise Fault("times of a table [s]", list(times), "rising", "put the points in order, each time once")
        check_distances("table [s]", t)
        c = np.zeros((len(t) + 1, 4))
        c[0, 0], c[1:, 0] = y[0], y
        if straight:
            c[1:-1, 1] = np.diff(y) / np.diff(t)
        else:
            c[1:-1] = PchipInterpolator(t, y).c[::-1].T
        return cls(times=t, coefficients=c)

    # ----------------------------------------------------------------- values
    def value(self, t: float) -> float:
        """Value at t [s]; at a jump that after it."""
        return _value(*self._piece(t))

    def values(self, times: Array) -> Array:
        """Values (n,) at times (n,), to the last bit those of :meth:`value`."""
        pieces = np.searchsorted(self.times, times, "right")
        row, s = self.coefficients[pieces].T, times - self.times[np.maximum(pieces - 1, 0)]
        found: Array = row[0] + s * (row[1] + s * (row[2] + s * row[3]))
        return found

    def derivative(self, t: float) -> float:
        """Rate at t; at a corner that of the piece which ends, at the first time that of the piece which begins."""
        return _rate(*self._piece(t, ends=t != self.times[0] or len(self.times) == 1))

    def jump(self, t: float) -> float:
        """Rate just after t less :meth:`derivative` there: not zero at corners alone."""
        return _rate(*self._piece(t)) - self.derivative(t)

    def integral(self, t: float) -> float:
        """Integral from the first time to t."""
        piece = int(np.searchsorted(self.times, t, "right"))
        begin = max(piece - 1, 0)
        return float(self.integrals[begin]) + _integral(self.coefficients[piece], t - float(self.times[begin]))

    @property
    def largest(self) -> float:
        """Largest value by magnitude."""
        return max(self._extremes(), key=abs)

    def largest_between(self, begin: float, end: float) -> float:
        """Largest value by magnitude between two times [s]."""
        inside = [y for t, y in self._turns() if begin < t < end]
        return max([self.value(begin), *inside, self.value(end)], key=abs)

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which its pieces begin and the last one ends [s]."""
        return tuple(self.times.tolist())

    @property
    def kinks(self) -> tuple[float, ...]:
        """Times at which the derivative jumps, but for both ends."""
        begin = self.coefficients[1:-1, 1]
        end = [_rate(row, float(s)) for row, s in zip(self.coefficients[1:-2], np.diff(self.times), strict=False)]
        round_off = 1e-9 * np.maximum(np.abs(begin[:-1]), np.abs(begin[1:]))  # of the coefficients
        return tuple(self.times[1:-1][np.abs(np.subtract(end, begin[1:])) > round_off].tolist())

    def time_at(self, integral: float) -> float:
        """Time [s] at which the integral is reached.

        Raises
        ------
        Fault
            It is not reached, or the value changes its sign on the way.
        """
        from scipy.optimize import brentq  # here, because it takes longer to import than all else in this folder

        extremes = self._extremes()
        sign = -1.0 if float(self.coefficients[-1, 0]) < 0.0 or max(extremes) <= 0.0 > min(extremes) else 1.0
        last = float(self.coefficients[-1, 0])
        beyond = integral - float(self.integrals[-1])
        turns_back = any(sign * y < 0.0 for y in extremes)
        if turns_back or sign * integral < 0.0 or (sign * beyond > 0.0 and last == 0.0):
            raise Fault(
                "angle to be reached [rad]", integral, "ahead of a rotation in one direction", "leave out this stop"
            )
        if sign * beyond >= 0.0:
            return float(self.times[-1]) + (beyond / last if last != 0.0 else 0.0)
        piece = int(np.searchsorted(sign * self.integrals, sign * integral, "right"))
        low, high = float(self.times[piece - 1]), float(self.times[piece])
        return float(brentq(lambda t: self.integral(t) - integral, low, high, xtol=np.finfo(float).tiny, rtol=1e-15))

    # ---------------------------------------------------------------- helpers
    def _piece(self, t: float, *, ends: bool = False) -> tuple[Array, float]:
        """Coefficients and s at t; where two pieces meet those of the one that begins, or that `ends`."""
        piece = int(np.searchsorted(self.times, t, "left" if ends else "right"))
        return self.coefficients[piece], t - float(self.times[max(piece - 1, 0)])

    def _extremes(self) -> list[float]:
        """Values among which are the largest and the smallest."""
        return [float(self.coefficients[0, 0]), *(y for _, y in self._turns())]

    def _turns(self) -> list[tuple[float, float]]:
        """Times at which pieces begin or a cubic has no slope [s], and the values there."""
        found = []
        for i, row in enumerate(self.coefficients[1:-1]):
            begin, length = float(self.times[i]), float(self.times[i + 1] - self.times[i])
            inner = np.roots([3.0 * row[3], 2.0 * row[2], row[1]]) if row[2:].any() else np.empty(0)
            inside = [float(s.real) for s in inner if s.imag == 0.0 and 0.0 < s.real < length]
            found += [(begin + s, _value(row, s)) for s in (0.0, *inside)]
        return [*found, (float(self.times[-1]), float(self.coefficients[-1, 0]))]


@dataclass(frozen=True, kw_only=True, eq=False)
class PrescribedRotation:
    """A rotation about a fixed axis that follows from a prescribed speed; speed, angle, acceleration agree exactly.

    Parameters
    ----------
    speed_ramp : PiecewiseCubic [rad/s]
    start_angle : float [rad]
        Angle at the beginning.
    """

    speed_ramp: PiecewiseCubic
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


def _value(row: Array, s: float) -> float:
    return float(row[0] + s * (row[1] + s * (row[2] + s * row[3])))


def _rate(row: Array, s: float) -> float:
    return float(row[1] + s * (2.0 * row[2] + s * 3.0 * row[3]))


def _integral(row: Array, s: float) -> float:
    return float(s * (row[0] + s * (row[1] / 2.0 + s * (row[2] / 3.0 + s * row[3] / 4.0))))
