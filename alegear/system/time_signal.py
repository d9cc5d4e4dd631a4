"""What is given over time: the bases of our own signals, and what is known of a function or an object of the user's."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from alegear.arrays import Array

#: Steps [s] of differences of a function that does not know its rates: that is taken whose answer differs least from
#: the next one's, with what round-off may do. Longer ones lose a fast motion, shorter ones the digits of a slow one.
STEPS = 1e-3 * 0.25 ** np.arange(12)


class TimeSignal(ABC):
    """A value over time: a torque, a throttle, a ratio.

    Only :meth:`value` has to be defined.
    """

    @abstractmethod
    def value(self, t: float) -> float:
        """Value at t [s]."""

    @property
    def corners(self) -> tuple[float, ...]:
        """Times [s] at which it jumps or has a corner: steps end there. Default: none."""
        return ()

    @property
    def period(self) -> float:
        """Its period [s], against which steps are short; infinite, by default, of one that does not repeat."""
        return math.inf


class Trajectory(ABC):
    """A displacement or an angle over time that knows its rates, to be prescribed."""

    @abstractmethod
    def __call__(self, t: float) -> float:
        """Value at t [s]."""

    @abstractmethod
    def rates(self, t: float) -> tuple[float, float]:
        """First and second rate at t [s]; at a corner those of what begins there."""

    @property
    def corners(self) -> tuple[float, ...]:
        """Times [s] at which it has a corner: steps end there. Default: none."""
        return ()


# --------------------------------------------------- objects and functions of the user's, which declare nothing
def value_method(given: object) -> Callable[[float], float] | None:
    """The method ``value(t)`` of an object of the user's; None of one without, and of a class."""
    return None if isinstance(given, type) else getattr(given, "value", None)


def corners_of(given: object) -> tuple[float, ...]:
    """Times [s] that a signal, or an object or a function of the user's, has as ``corners``, if any."""
    return tuple(float(t) for t in getattr(given, "corners", ()))


def rates_method(motion: Callable[[float], float]) -> Callable[[float], tuple[float, float]] | None:
    """The method ``rates(t)`` of a trajectory or a function of the user's: first and second rate; None without."""
    return getattr(motion, "rates", None)


def rates_of(motion: Callable[[float], float], t: float) -> tuple[float, float]:
    """First and second rate of a motion at t [s].

    Those of its method ``rates(t)`` if it has one: a run-up is over in less than the steps of differences; at a corner
    they are those of what begins there. Else by differences of order four.

    Parameters
    ----------
    motion : callable of t [s]
    """
    rates_at = rates_method(motion)
    if rates_at is not None:
        return rates_at(t)
    here = motion(t)
    one, two, three, four = np.array([[motion(t + k * h) for h in STEPS] for k in (-2, -1, 1, 2)])
    rates = (one - 8.0 * two + 8.0 * three - four) / (12.0 * STEPS)
    seconds = (16.0 * (two + three) - one - four - 30.0 * here) / (12.0 * STEPS**2)
    lost = np.finfo(np.float64).eps * np.abs([one, two, three, four]).max(axis=0)
    return _settled(rates, lost / STEPS), _settled(seconds, lost / STEPS**2)


def _settled(answers: Array, lost: Array) -> float:
    """The answer of a step that differs least from the next one's, beside what is `lost` by round-off."""
    return float(answers[(np.abs(np.diff(answers)) + lost[:-1]).argmin()])
