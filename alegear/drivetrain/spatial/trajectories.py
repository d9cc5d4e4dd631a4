"""Values over time as parts in space take them: angles that go on beyond their tables, vectors, what begins later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational import profiles
from alegear.drivetrain.rotational.profiles import Sine, TableLike
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_function
from alegear.system.coordinates import Array
from alegear.system.profiles import LARGEST, SHORTEST_RAMP, PiecewiseCubic
from alegear.system.time_signal import TimeSignal, Trajectory, corners_of, rates_method, rates_of, value_method


@dataclass(frozen=True, kw_only=True, eq=False)
class PiecewiseTrajectory(Trajectory):
    """A displacement or an angle made of polynomials.

    Before t = 0 the piece that begins there, or holds it, goes on, so that it has no corner where motions begin.

    Parameters
    ----------
    pieces : scipy.interpolate.PPoly
    corners : tuple of float [s]
    """

    pieces: Any
    corners: tuple[float, ...] = ()

    @classmethod
    def through(cls, profile: PiecewiseCubic) -> PiecewiseTrajectory:
        """Through the points of a table, by its cubics; beyond them straight on."""
        c, t, (_, slope, *_) = profile.coefficients, profile.times, profile.coefficients[1]
        last = c[-2, 1:] @ (np.array([1.0, 2.0, 3.0]) * (t[-1] - t[-2]) ** np.arange(3.0))
        before, after = [c[0, 0] - slope * t[0], slope, 0.0, 0.0], [c[-1, 0], last, 0.0, 0.0]
        return cls(pieces=_pieces(np.vstack([before, c[1:-1], after]), t), corners=profile.corners)

    @classmethod
    def of_speed(cls, speed: PiecewiseCubic) -> PiecewiseTrajectory:
        """The angle of a speed over time [rad/s], 0 at t = 0."""
        angle = _pieces(speed.coefficients, speed.times).antiderivative()
        angle.c[-1] -= angle(0.0)
        return cls(pieces=angle, corners=speed.corners)

    def __call__(self, t: float) -> float:
        """Value at t [s]."""
        return float(self.pieces(t))

    def rates(self, t: float) -> tuple[float, float]:
        """First and second rate at t [s], at a corner those of the piece which begins there."""
        return float(self.pieces(t, 1)), float(self.pieces(t, 2))


def _pieces(rows: Array, times: Array) -> Any:
    """Polynomials from t = 0 on, of rows (m + 1, 4) by powers of the time since they begin; the first since t = 0."""
    from scipy.interpolate import PPoly  # here, because it takes long to import

    first = int(np.searchsorted(times, 0.0, "right"))
    begins = np.append(0.0, times)[first:]
    return PPoly(rows[first:, ::-1].T, np.append(begins, begins[-1] + 1.0))


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


#: What :func:`trajectory_of` takes: pairs of a time and a value, or any function of time.
TrajectoryLike = TableLike | TimeSignal | Callable[[float], float]
#: What :func:`vector_trajectory` takes: three numbers, rows (t, x, y, z), or any function of time.
VectorTrajectoryLike = ArrayLike | Callable[[float], Array]


def trajectory_of(what: str, given: object) -> Callable[[float], float]:
    """A displacement or an angle from pairs of a time and a value, or any function of time."""
    function = given if callable(given) else value_method(given)
    if function is not None:
        check_function(function, what if function is given else f"value of {what}", ("t",))
        if rates_method(function) is not None:
            return function
        return profiles.TimeFunction(function=function, corners=corners_of(given), quantity=what)
    rows = profiles.pairs_of(what, given, "two pairs or more of a time and a value, or a function of time", 2)
    return PiecewiseTrajectory.through(PiecewiseCubic.table(rows[:, 0].tolist(), rows[:, 1].tolist()))


def rotation_of_speed(what: str, given: object, ramp: float) -> PiecewiseTrajectory:
    """The angle of a speed that is constant after a run-up, or of a table of straight lines."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        if 0.0 < ramp < SHORTEST_RAMP:
            limit = f"0, or at least {SHORTEST_RAMP:g}"
            raise Fault(f"run-up of {what} [s]", ramp, limit, "leave it out: the motion begins with the speed")
        whole = PiecewiseCubic.step(0.0, float(given), 0.0, ramp) if ramp else PiecewiseCubic.constant(float(given))
        return PiecewiseTrajectory.of_speed(whole)
    if ramp:
        raise Fault(f"run-up of {what} [s]", ramp, "0 with a table of speeds", "begin the table with the run-up")
    return PiecewiseTrajectory.of_speed(profiles.straight_lines(what, given))


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
            If it is not three numbers, each within :data:`LARGEST`: the one at the start, the other after
            it.
        """
        what, largest = f"{self.quantity} at t = {t:.6g} s", LARGEST
        try:
            values = array_of(self.function(t), what)
            if values.shape != (3,):
                raise Fault(what, f"shape {values.shape}", "three numbers: x, y and z", "correct the function")
            if not (np.abs(values) <= largest).all():  # nor not a number
                returned = ", ".join(f"{value:.6g}" for value in values.tolist())
                raise Fault(what, returned, f"numbers from -{largest:g} to {largest:g}", "correct the function")
        except Fault as fault:
            raise profiles.at_time(t, fault) from fault
        return values

    @property
    def corners(self) -> tuple[float, ...]:
        """Those that the function names [s]."""
        return corners_of(self.function)


def vector_trajectory(what: str, given: object) -> Callable[[float], Array]:
    """A vector over time from three numbers, rows (t, x, y, z) of straight lines, or a function of time."""
    if callable(given):
        check_function(given, what, ("t",))
        return given if isinstance(given, VectorTrajectory) else VectorFunction(function=given, quantity=what)
    rows = array_of(given, what)
    if rows.shape == (3,):
        one, two, three = (profiles.signal_of(what, float(value)) for value in rows)
    elif rows.ndim == 2 and rows.shape[1] == 4 and len(rows):
        one, two, three = (profiles.straight_lines(what, rows[:, [0, i]]) for i in (1, 2, 3))
    else:
        limit = "three numbers, rows of a time and three numbers, or a function of time"
        raise Fault(what, f"shape {rows.shape}", limit, "give x, y and z")
    return VectorTrajectory(signals=(one, two, three))
