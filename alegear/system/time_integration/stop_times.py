"""Times at which the integration of a motion stops to the last digit, and what is done there.

A motion of a minute has millions of output times: they are made a stretch at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from alegear.arrays import Array, Indices
from alegear.system.time_integration.step_control import distinct

OUTPUT, FRAME = 1, 2  # flags of the times at which a sample is taken
SAME_TIME = 1e-12  # part of the duration by which two times may differ and be the same, written twice
STRETCH = 2048  # output times of a stretch


@dataclass(frozen=True, kw_only=True, eq=False)
class StopTimes:
    """Output times, times of frames, and other stops of a motion from 0 to `duration`.

    Times that differ by round-off only are one: the integration stops there once.

    Parameters
    ----------
    duration, every : float [s]
        An output time is every multiple of `every`, and the end.
    frames : shape (n,) [s]
        Rising.
    others : shape (n,) [s]
        Rising; stops at which nothing is recorded (tooth-changes).
    """

    duration: float
    every: float
    frames: Array
    others: Array

    @classmethod
    def of(cls, duration: float, every: float, frames: Sequence[float] = ()) -> StopTimes:
        """Output times and frames, in any order."""
        times = cls(duration=duration, every=every, frames=np.empty(0), others=np.empty(0))
        return replace(times, frames=np.unique([times._next_output(t) for t in frames]))

    def with_others(self, others: Sequence[float]) -> StopTimes:
        """The same with stops at which nothing is recorded, in any order."""
        snapped = [self._nearest(self.frames, self._next_output(t)) for t in others]
        return replace(self, others=np.unique(snapped))

    @property
    def n_outputs(self) -> int:
        """Number of output times, the beginning included."""
        last = math.ceil(self.duration * (1.0 + SAME_TIME) / self.every) - 1  # multiple before or at the end
        return last + 1 + (abs(last * self.every - self.duration) > SAME_TIME * self.duration)

    def outputs(self, begin: int, end: int) -> Array:
        """Output times from one number up to another [s]."""
        times = self.every * np.arange(begin, end, dtype=np.float64)
        if begin < self.n_outputs <= end:
            times[self.n_outputs - 1 - begin :] = self.duration
        return times

    def is_output(self, t: float) -> bool:
        """Whether a time is an output time to the last digit."""
        return bool((self._around(t) == t).any())

    def is_frame(self, t: float) -> bool:
        """Whether a time is one of a frame to the last digit."""
        return bool(np.isin(t, self.frames))

    def after(self, t: float) -> Iterator[tuple[Array, Indices]]:
        """Rising times after t, stretch by stretch, with what is to be done there; each stretch ends at an output time.

        Where a stretch ends depends on the study alone, so that a motion which is resumed comes to the same stops.
        """
        for before, outputs in self._stretches():
            end = float(outputs[-1])
            if end <= t:
                continue
            frames, others = (here[(here > before) & (here <= end)] for here in (self.frames, self.others))
            times = np.array(distinct(np.concatenate([outputs, frames, others]).tolist(), before, end))
            flags = OUTPUT * np.isin(times, outputs) + FRAME * np.isin(times, frames)
            yield times[times > t], flags[times > t]

    def begin_of(self, end: float) -> float:
        """Begin of the stretch that ends at this time [s], whatever has been done of it."""
        first = (max(round(end / self.every), 1) - 1) // STRETCH * STRETCH
        return float(self.outputs(first, first + 1)[0])

    def _stretches(self) -> Iterator[tuple[float, Array]]:
        """Begin of each stretch, and its output times."""
        n = self.n_outputs
        for first in range(1, n, STRETCH):
            yield float(self.outputs(first - 1, first)[0]), self.outputs(first, min(first + STRETCH, n))

    def _next_output(self, t: float) -> float:
        """The nearest output time, if it is the same but for round-off; else the time itself."""
        return self._nearest(self._around(t), t)

    def _nearest(self, times: Array, t: float) -> float:
        """The nearest of some times, if it is the same but for round-off; else the time itself."""
        nearest = float(min(times, key=lambda one: abs(one - t), default=np.inf))
        return nearest if abs(nearest - t) <= SAME_TIME * self.duration else float(t)

    def _around(self, t: float) -> Array:
        """Output times around a time."""
        number = min(max(round(t / self.every), 0), self.n_outputs - 1)
        return self.outputs(max(number - 1, 0), min(number + 2, self.n_outputs))
