"""Events in motions that are stepped: the step in which something changes is shortened to end there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from alegear.arrays import Array
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha, StepResult
from alegear.system.time_integration.second_order_system import SecondOrderSystem, State

#: Part of the time, and of the step, by which an event may be missed.
OF_TIME, OF_STEP = 4e-15, 1e-11
MOST_TRIALS = 60


class EventSearch:
    """Finds where values that are positive come to zero.

    Parameters
    ----------
    within : callable, State -> shape (m,)

    Attributes
    ----------
    left : shape (m,) of bool, or None
        Which of them did at the end of the last step that was looked at; None if none.
    """

    def __init__(self, within: Callable[[State], Array]) -> None:
        self.within = within
        self.left: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None = None

    def look(
        self, system: SecondOrderSystem, scheme: GeneralizedAlpha, state: State, result: StepResult, h: float
    ) -> tuple[StepResult, float]:
        """Shorten a step of length h to the first event in it; `left` tells whether there is one.

        By false position (Illinois) on the value that is the first to come to zero. The step ends just after it, so
        that what has left its mode is seen to have.
        """
        self.left = None
        assert result.state is not None
        values = self.within(result.state)
        if not (values < 0.0).any():
            return result, h
        low, high = 0.0, h
        at_low = np.maximum(self.within(state), 0.0)
        best, at_high = result, values
        side = 0
        y_low, y_high = _first(at_low, at_high)
        for _ in range(MOST_TRIALS):
            if high - low <= max(OF_STEP * h, OF_TIME * abs(state.t)):
                break
            part = y_low / (y_low - y_high) if y_low > 0.0 else 0.5
            trial = low + min(max(part, 0.01), 0.99) * (high - low)
            tried = scheme.step(system, state, trial)
            if tried.state is None:  # too hard to solve there: look halfway to what could be solved
                trial = 0.5 * (trial + high)
                tried = scheme.step(system, state, trial)
                if tried.state is None:
                    break
            found = self.within(tried.state)
            if (found < 0.0).any():
                high, best, at_high = trial, tried, found
                y_low, y_high = _first(at_low, at_high)
                y_low *= 0.5 if side < 0 else 1.0
                side = -1
            else:
                low, at_low = trial, found
                y_low, y_high = _first(at_low, at_high)
                y_high *= 0.5 if side > 0 else 1.0
                side = 1
        self.left = at_high < 0.0
        return best, high


def _first(at_low: Array, at_high: Array) -> tuple[float, float]:
    """Values at both ends of the one that comes to zero first, if all go straight."""
    out = np.flatnonzero(at_high < 0.0)
    where = at_low[out] / np.maximum(at_low[out] - at_high[out], np.finfo(float).tiny)
    first = out[int(np.argmin(where))]
    return float(at_low[first]), float(at_high[first])
