"""Rates of an angle or a displacement that is given over time: its own, or by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

#: Steps of differences of order four of a function that does not know its rates [s]: of the first, of the second.
STEPS = 1e-6, 1e-3


def rates_of(motion: Callable[[float], float], t: float) -> tuple[float, float]:
    """First and second rate of a motion at t [s].

    Those of its method ``rates(t)`` if it has one: a run-up is over in less than the steps of differences; at a corner
    they are those of what begins there.

    Parameters
    ----------
    motion : callable of t [s]
    """
    if hasattr(motion, "rates"):
        return cast("tuple[float, float]", motion.rates(t))
    one, two, three, four = (motion(t + k * STEPS[0]) for k in (-2, -1, 1, 2))
    rate = (one - 8.0 * two + 8.0 * three - four) / (12.0 * STEPS[0])
    one, two, here, three, four = (motion(t + k * STEPS[1]) for k in (-2, -1, 0, 1, 2))
    return rate, (16.0 * (two + three) - one - four - 30.0 * here) / (12.0 * STEPS[1] ** 2)
