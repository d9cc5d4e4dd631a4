"""Values over time as parts in space take them: angles that go on beyond their tables, vectors, what begins later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational.profiles import (
    Sine,
    TableLike,
    TimeFunction,
    at_time,
    signal_of,
    straight_lines,
)
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_function
from alegear.system.coordinates import Array
from alegear.system.profiles import SHORTEST_RAMP, PiecewiseCubic, PrescribedRotation
from alegear.system.time_signal import TimeSignal, Trajectory, corners_of, rates_method, rates_of, value_method


@dataclass(frozen=True, kw_only=True, eq=False)
class CubicTrajectory(Trajectory):
    """A displacement or an angle through points, by monotone cubics; beyond them straight on.

    Before t = 0 the piece that begins there goes on, so that it has no corner where motions begin.

    Parameters
    ----------
    profile : PiecewiseCubic
    """

    profile: PiecewiseCubic

    def __call__(self, t: float) -> float:
        """Value at t [s]."""
        first, last = float(self.profile.times[0]), float(self.profile.times[-1])
        if t < 0.0 and first <= 0.0:
            row, s = _beginning(self.profile)
            return float(np.polyval(row[::-1], s + t))
        if t < first:
            return self.profile.value(first) + (t - first) * self._slope(1, 0.0)
        if t > last:
            pieces = len(self.profile.times) - 1
            length = last - float(self.profile.times[-2])
            return self.profile.value(last) + (t - last) * self._slope(pieces, length)
        return self.profile.value(t)

    def rates(self, t: float) -> tuple[float, float]:
        """First and second rate at t [s], at a point those of what begins there."""
        times = self.profile.times
        if t < 0.0 and times[0] <= 0.0:
            row, s = _beginning(self.profile)
            return _slopes(row, s + t)
        if t < times[0]:
            return self._slope(1, 0.0), 0.0
        if t >= times[-1]:
            return self._slope(len(times) - 1, float(times[-1] - times[-2])), 0.0
        piece = int(np.searchsorted(times, t, "right"))
        return _slopes(self.profile.coefficients[piece], t - float(times[piece - 1]))

    def _slope(self, piece: int, s: float) -> float:
        return _slopes(self.profile.coefficients[piece], s)[0]

    @property
    def corners(self) -> tuple[float, ...]:
        """Times of its points [s]."""
        return tuple(self.profile.times.tolist())


@dataclass(frozen=True, kw_only=True, eq=False)
class Rotation(Trajectory):
    """The angle of a speed over time, 0 at t = 0.

    Parameters
    ----------
    speed : PiecewiseCubic [rad/s]
    """

    speed: PiecewiseCubic

    def __call__(self, t: float) -> float:
        """Angle at t [s]; before t = 0 the piece of the speed that begins there goes on."""
        if t < 0.0:
            row, s = _beginning(self.speed)
            integral = np.append(row[::-1] / np.arange(len(row), 0.0, -1.0), 0.0)
            return float(np.polyval(integral, s + t) - np.polyval(integral, s))
        whole = PrescribedRotation(speed_ramp=self.speed)
        return whole.angle(t) - whole.angle(0.0)

    def rates(self, t: float) -> tuple[float, float]:
        """Speed and acceleration at t [s], at a corner those of the piece which begins there."""
        if t < 0.0:
            row, s = _beginning(self.speed)
            return float(np.polyval(row[::-1], s + t)), _slopes(row, s + t)[0]
        return self.speed.value(t), self.speed.derivative(t) + self.speed.jump(t)

    @property
    def corners(self) -> tuple[float, ...]:
        """Times of its pieces [s]."""
        return self.speed.corners


@dataclass(frozen=True, kw_only=True, eq=False)
class SinceStart(Trajectory):
    """A motion counted from where it is at t = 0, where the bodies stand as given.

    Parameters
    ----------
    motion : callable of t [s]
    """

    motion: Callable[[float], float]
    begin: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "begin", self.motion(0.0))

    def __call__(self, t: float) -> float:
        """Value at t [s]."""
        return self.motion(t) - self.begin

    def rates(self, t: float) -> tuple[float, float]:
        """First and second rate at t [s]."""
        return rates_of(self.motion, t)


def _slopes(row: Array, s: float) -> tuple[float, float]:
    """First and second derivative of a cubic."""
    _, one, two, three = row
    return float(one + s * (2.0 * two + s * 3.0 * three)), float(2.0 * two + 6.0 * s * three)


def _beginning(profile: PiecewiseCubic) -> tuple[Array, float]:
    """Coefficients of the piece that begins at t = 0, or holds it, and how far into it that is [s]."""
    piece = int(np.searchsorted(profile.times, 0.0, "right"))
    return profile.coefficients[piece], -float(profile.times[max(piece - 1, 0)])


#: What :func:`trajectory_of` takes: pairs of a time and a value, or any function of time.
TrajectoryLike = TableLike | TimeSignal | Callable[[float], float]
#: What :func:`vector_trajectory` takes: three numbers, rows (t, x, y, z), or any function of time.
VectorTrajectoryLike = ArrayLike | Callable[[float], Array]


def trajectory_of(what: str, given: object) -> Callable[[float], float]:
    """A displacement or an angle from pairs of a time and a value, or any function of time.

    Raises
    ------
    Fault
    """
    function = given if callable(given) else value_method(given)
    if function is not None:
        check_function(function, what if function is given else f"value of {what}", ("t",))
        if rates_method(function) is not None:
            return function
        return TimeFunction(function=function, corners=corners_of(given), quantity=what)
    rows = array_of(given, what)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < 2 or not np.isfinite(rows).all():
        limit = "two pairs or more of a time and a value, or a function of time"
        raise Fault(what, f"shape {rows.shape}", limit, "give the points")
    return CubicTrajectory(profile=PiecewiseCubic.table(rows[:, 0].tolist(), rows[:, 1].tolist()))


def rotation_of_speed(what: str, given: object, ramp: float) -> Rotation:
    """The angle of a speed that is constant after a run-up, or of a table of straight lines.

    Raises
    ------
    Fault
    """
    if isinstance(given, int | float) and not isinstance(given, bool):
        if 0.0 < ramp < SHORTEST_RAMP:
            limit = f"0, or at least {SHORTEST_RAMP:g}"
            raise Fault(f"run-up of {what} [s]", ramp, limit, "leave it out: the motion begins with the speed")
        return Rotation(speed=PiecewiseCubic.step(0.0, float(given), 0.0, ramp) if ramp else _always(float(given)))
    if ramp:
        raise Fault(f"run-up of {what} [s]", ramp, "0 with a table of speeds", "begin the table with the run-up")
    return Rotation(speed=straight_lines(what, given))


def _always(value: float) -> PiecewiseCubic:
    return PiecewiseCubic.constant(value)


@dataclass(frozen=True, kw_only=True, eq=False)
class LaterSine(Sine):
    """A sine over time that may begin later."""

    begins: Annotated[
        float | None,
        Limits(quantity="time", words="time before which it is 0 (always there)", unit="s", least=-1e9, most=1e9),
    ] = None

    def value(self, t: float) -> float:
        """Value at t [s]."""
        return super().value(t) if self.begins is None or t >= self.begins else 0.0

    @property
    def corners(self) -> tuple[float, ...]:
        """Where it begins [s]."""
        return () if self.begins is None else (self.begins,)


@dataclass(frozen=True, kw_only=True, eq=False)
class VectorTrajectory:
    """Three values over time.

    Parameters
    ----------
    signals : (TimeSignal, TimeSignal, TimeSignal)
    """

    signals: tuple[TimeSignal, TimeSignal, TimeSignal]

    def __call__(self, t: float) -> Array:
        """Vector (3,) at t [s]."""
        return np.array([one.value(t) for one in self.signals])

    @property
    def corners(self) -> tuple[float, ...]:
        """Times of all of them [s]."""
        return tuple(sorted({t for one in self.signals for t in one.corners}))


@dataclass(frozen=True, kw_only=True, eq=False)
class VectorFunction:
    """A function of time that returns three values.

    Parameters
    ----------
    function : callable of t [s]
    quantity : str
        What it is the value of, for messages.
    """

    function: Callable[[float], ArrayLike]
    quantity: str

    def __call__(self, t: float) -> Array:
        """Vector (3,) at t [s].

        Raises
        ------
        Fault, AnalysisFailure
            If it is not three numbers, each within :attr:`TimeFunction.LARGEST`: the one at the start, the other after
            it.
        """
        what, largest = f"{self.quantity} at t = {t:.6g} s", TimeFunction.LARGEST
        try:
            values = array_of(self.function(t), what)
            if values.shape != (3,):
                raise Fault(what, f"shape {values.shape}", "three numbers: x, y and z", "correct the function")
            if not (np.abs(values) <= largest).all():  # nor not a number
                returned = ", ".join(f"{value:.6g}" for value in values.tolist())
                raise Fault(what, returned, f"numbers from -{largest:g} to {largest:g}", "correct the function")
        except Fault as fault:
            raise at_time(t, fault) from fault
        return values

    @property
    def corners(self) -> tuple[float, ...]:
        """Those that the function names [s]."""
        return corners_of(self.function)


def vector_trajectory(what: str, given: object) -> Callable[[float], Array]:
    """A vector over time from three numbers, rows (t, x, y, z) of straight lines, or a function of time.

    Raises
    ------
    Fault
    """
    if callable(given):
        check_function(given, what, ("t",))
        return given if isinstance(given, VectorTrajectory) else VectorFunction(function=given, quantity=what)
    rows = array_of(given, what)
    if rows.shape == (3,):
        one, two, three = (signal_of(what, float(value)) for value in rows)
    elif rows.ndim == 2 and rows.shape[1] == 4 and len(rows):
        one, two, three = (straight_lines(what, rows[:, [0, i]]) for i in (1, 2, 3))
    else:
        limit = "three numbers, rows of a time and three numbers, or a function of time"
        raise Fault(what, f"shape {rows.shape}", limit, "give x, y and z")
    return VectorTrajectory(signals=(one, two, three))
