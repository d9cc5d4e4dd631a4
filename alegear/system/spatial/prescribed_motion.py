"""Rates of an angle or a displacement that is given over time: its own, or by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from alegear.system.time_signal import rates_method

#: Steps [s] of differences of a function that does not know its rates: that is taken whose answer differs least from
#: the next one's, with what round-off may do. Longer ones lose a fast motion, shorter ones the digits of a slow one.
STEPS = 1e-3 * 0.25 ** np.arange(12)


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


def _settled(answers: NDArray[np.float64], lost: NDArray[np.float64]) -> float:
    """The answer of a step that differs least from the next one's, beside what is `lost` by round-off."""
    return float(answers[(np.abs(np.diff(answers)) + lost[:-1]).argmin()])
