"""Values over time as parts take them: a number, a table of straight lines, a sine, any function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from alegear.arrays import Array
from alegear.errors import AnalysisFailure, Fault
from alegear.limits import Limits, array_of, check_function, described, float_of
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.profiles import LARGEST, PiecewiseCubic, check_distances
from alegear.system.time_signal import TimeSignal, corners_of, value_method

Table = tuple[tuple[float, float], ...]

#: Pairs of an abscissa and a value, or rows of a table: shape (n, 2) or (n, m).
TableLike = Sequence[Sequence[float]] | Array
#: What :func:`signal_of` makes a signal of.
SignalLike = float | TableLike | TimeSignal | Callable[[float], float]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sine(ShortRepr, TimeSignal):
    """A sine over time.

    ``y = mean + amplitude sin(2 pi frequency t + phase)``
    """

    amplitude: Annotated[
        float,
        Limits(quantity="amplitude", words="amplitude, in the unit of what it stands for", least=-1e12, most=1e12),
    ]
    frequency: Annotated[float, Limits(quantity="frequency", unit="Hz", least=0.0, most=1e9, above=True)]
    phase: Annotated[float, Limits(quantity="phase", unit="deg", least=-1e6, most=1e6)] = 0.0
    mean: Annotated[float, Limits(quantity="mean value", words="mean value, likewise", least=-1e12, most=1e12)] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)

    def value(self, t: float) -> float:
        """Value at t [s]."""
        return self.mean + self.amplitude * math.sin(2.0 * math.pi * self.frequency * t + self.phase)

    @property
    def period(self) -> float:
        """Its period [s]."""
        return 1.0 / self.frequency


@dataclass(frozen=True, kw_only=True, eq=False)
class TimeFunction(TimeSignal):
    """Any function of time [s]; without corners, or with those named.

    Parameters
    ----------
    function : callable of t [s]
    corners : tuple of float [s]
    quantity : str
        What it is the value of, for messages.
    """

    function: Callable[[float], float]
    corners: tuple[float, ...] = ()
    quantity: str = "function of time"

    def value(self, t: float) -> float:
        """Value at t [s].

        Raises
        ------
        Fault, AnalysisFailure
            If it is no number within :data:`LARGEST`, as of a :class:`Sine`: the one at the start, the other after it.
        """
        value = self.function(t)
        if type(value) is not float:
            value = self._number(value, t)
        if not abs(value) <= LARGEST:  # nor not a number
            raise self._fault(value, t)
        return value

    def __call__(self, t: float) -> float:
        """As :meth:`value`."""
        return self.value(t)

    def _number(self, value: object, t: float) -> float:
        """The number that a function has returned in another form: whole, or one of NumPy's."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
            raise self._fault(value, t)
        return float_of(value)

    def _fault(self, value: object, t: float) -> Fault | AnalysisFailure:
        limit = f"a number from -{LARGEST:g} to {LARGEST:g}"
        what = f"{self.quantity} at t = {t:.6g} s"
        return at_time(t, Fault(what, described(value), limit, "correct the function"))


def at_time(t: float, fault: Fault) -> Fault | AnalysisFailure:
    """What a wrong value of a function is at t [s]: at the start a wrong input, after it the end of the motion."""
    return fault if t <= 0.0 else AnalysisFailure(str(fault))


def pairs_of(what: str, given: object, wanted: str, least: int = 1) -> Array:
    """Pairs of numbers (n, 2), so many at least; `wanted` says in messages what they are.

    Raises
    ------
    Fault
        For another shape, for numbers beyond :data:`LARGEST`, and for neighbours that are neither at one abscissa nor
        :data:`~alegear.system.profiles.SHORTEST_RAMP` from each other.
    """
    rows = array_of(given, what)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < least:
        raise Fault(what, f"shape {rows.shape}", wanted, "give the points")
    if not np.isfinite(rows).all():
        raise Fault(what, "not a number", "finite numbers", "correct the number")
    if (large := np.abs(rows).max()) > LARGEST:
        raise Fault(what, f"{large:g} by magnitude", f"numbers from -{LARGEST:g} to {LARGEST:g}", "correct the number")
    check_distances(what, rows[:, 0])
    return rows


def straight_lines(what: str, table: object) -> PiecewiseCubic:
    """Straight lines through pairs of a time and a value; two pairs at one time are a jump."""
    rows = pairs_of(what, table, "pairs of a time and a value")
    times, values = rows[:, 0].tolist(), rows[:, 1].tolist()
    for before, after in pairwise(times):
        if not after >= before:
            raise Fault(f"time [s] of {what} after {before:g}", after, "not earlier", "put the points in order")
    if any(times[i] == times[i + 2] for i in range(len(times) - 2)):
        raise Fault(what, "three points at one time", "two at most, before and after a jump", "leave one out")
    coefficients, borders = [[values[0], 0.0, 0.0, 0.0]], [times[0]]
    for (t_0, y_0), (t_1, y_1) in pairwise(zip(times, values, strict=True)):
        if t_1 > t_0:
            coefficients.append([y_0, (y_1 - y_0) / (t_1 - t_0), 0.0, 0.0])
            borders.append(t_1)
    coefficients.append([values[-1], 0.0, 0.0, 0.0])
    return PiecewiseCubic(times=np.array(borders), coefficients=np.array(coefficients))


def signal_of(what: str, given: object) -> TimeSignal:
    """A signal from a number, a table, a function of time, or a signal."""
    if isinstance(given, bool):
        raise Fault(what, given, "a number, pairs of a time and a value, or a function of time", "give one of them")
    if isinstance(given, int | float):
        if not abs(given) <= LARGEST:  # nor not a number
            raise Fault(what, described(given), f"a number from -{LARGEST:g} to {LARGEST:g}", "correct the number")
        return PiecewiseCubic.constant(float(given))
    if isinstance(given, TimeSignal) and type(given).__module__.partition(".")[0] == "alegear":
        return given  # its values need no check
    if (value := value_method(given)) is not None:
        check_function(value, f"value of {what}", ("t",))
        return TimeFunction(function=value, corners=corners_of(given), quantity=what)
    if callable(given):
        check_function(given, what, ("t",))
        return TimeFunction(function=given, quantity=what)
    return straight_lines(what, given)


def speed_lines(what: str, given: object) -> PiecewiseCubic:
    """A speed from a number or a table of straight lines without a jump, which would take an infinite torque."""
    signal = signal_of(what, given)
    if not isinstance(signal, PiecewiseCubic):
        raise Fault(what, "a function", "a number or pairs of a time and a speed", "make a table")
    after = signal.coefficients[1:, 0]
    at = np.diff(signal.times, prepend=signal.times[0])
    before = [float(np.polyval(row[::-1], s)) for row, s in zip(signal.coefficients[:-1], at, strict=True)]
    size = np.abs(after).max()  # of the table: where it comes to 0 round-off is left
    for t, y_0, y_1 in zip(signal.times, before, after, strict=True):
        if abs(y_1 - y_0) > 1e-9 * size:
            limit = "without a jump: it would take an infinite torque"
            raise Fault(f"{what} at t = {t:g} s", f"{y_0:g} and {y_1:g}", limit, "put a ramp there")
    return signal


def largest_and_smallest(signal: TimeSignal) -> tuple[float, float] | None:
    """Extremes of a signal made of straight lines or cubics; None where they are not known."""
    if isinstance(signal, PiecewiseCubic):
        values = signal._extremes()
        return max(values), min(values)
    return None
