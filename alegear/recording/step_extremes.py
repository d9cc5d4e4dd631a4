"""Lowest and highest values of all steps between two samples: extremes of a motion are not those of its samples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from alegear.arrays import AnyArray, Array
from alegear.contact.forces import Arrays


class StepExtremes:
    """Extremes of some quantities since the last sample.

    Parameters
    ----------
    n : int
        Number of the quantities.
    """

    def __init__(self, n: int) -> None:
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)

    def update(self, values: Array) -> None:
        """Look at the end of an accepted step, values (n,)."""
        np.fmin(self.low, values, out=self.low)
        np.fmax(self.high, values, out=self.high)

    def take(self) -> tuple[Array, Array]:
        """Return the extremes since the last sample, its own values included, and begin anew."""
        found = self.low.copy(), self.high.copy()
        self.low[:], self.high[:] = np.inf, -np.inf
        return found

    def of_samples(self, at: Array, values: Array, samples: Array) -> tuple[Array, Array]:
        """Extremes (m, n) since the sample before, of each of m samples; what follows the last one is kept.

        Parameters
        ----------
        at : shape (k,) [s]
            Rising times of the ends of steps, those of the samples among them.
        values : shape (k, n)
        samples : shape (m,) [s]
        """
        low, high = np.empty((len(samples), len(self.low))), np.empty((len(samples), len(self.low)))
        begin = 0
        for i, end in enumerate(np.searchsorted(at, samples, side="right")):
            self._update_all(values[begin:end])
            low[i], high[i] = self.take()
            begin = end
        self._update_all(values[begin:])
        return low, high

    def _update_all(self, values: Array) -> None:
        if len(values):
            self.update(np.fmin.reduce(values, axis=0))
            self.update(np.fmax.reduce(values, axis=0))

    def memory(self) -> Arrays:
        """What later samples depend on."""
        return {"low": self.low, "high": self.high}

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory."""
        self.low[:], self.high[:] = memory["low"], memory["high"]
