"""What is given over time: the bases of our own signals, and what is known of a function or an object of the user's."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable


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
