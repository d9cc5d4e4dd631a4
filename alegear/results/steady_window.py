"""Times of a motion that its numbers are taken of: summary, contact pattern, wear, report and pictures share them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from alegear.arrays import Array
from alegear.results import signals
from alegear.storage import lazy_xarray as xr

#: Pitches that count where the speed changes to the end of a motion.
LAST_PITCHES = 4.0
#: Part by which the mean speeds of the halves of a stretch differ where the speed changes.
CHANGES = 1e-2
#: Attribute of the dataset of a motion: duration of its run-up [s].
RAMP = "ramp_s"


class SteadyWindow(NamedTuple):
    """Times that count.

    Parameters
    ----------
    part : slice
        Whole pitches; of a motion of less than one the second half of the time.
    pitches : int
        How many: 0 of a motion of less than one.
    steady : bool
        False where the speed changes to the end: the last pitches.
    """

    part: slice
    pitches: int
    steady: bool

    @property
    def with_the_one_before(self) -> slice:
        """The times and the one before them: whole pitches lie between its first and its last."""
        return slice(max(self.part.start - 1, 0), self.part.stop)

    @property
    def words(self) -> str:
        """What the times are."""
        if not self.pitches:
            return "less than a pitch"
        if self.pitches == 1:
            return "the last pitch"
        return "the steady part" if self.steady else f"the last {self.pitches} pitches"


def window_of(time: Array, phase: Array, ramp: float = 0.0) -> SteadyWindow:
    """Find the last whole pitches within the second half of the time after the run-up, where a transient has died down.

    Where the speed changes to the end, or less than a pitch is left after the run-up, they are the last four of the
    whole motion.

    Parameters
    ----------
    time : shape (n,) [s]
    phase : shape (n,) [1]
        Rising, in pitches.
    ramp : float [s]
        Duration of the run-up.
    """
    n = len(time)
    if n < 2:
        return SteadyWindow(slice(0, n), 0, True)
    risen = max(min(ramp, float(time[-1])), float(time[0]))
    near = 0.25 * float(time[-1] - time[0]) / (n - 1)  # the middle of a motion often is a sample, to round-off
    half = int(np.searchsorted(time, 0.5 * (risen + float(time[-1])) - near))
    after = int(np.searchsorted(time, risen - near))
    if signals.pitches_in(phase[half:]):
        found = _last(phase, half)
        if not speed_changes(time[found.part], phase[found.part]):
            return found
        return _last(phase, _enlarged(phase))._replace(steady=False)
    if signals.pitches_in(phase[after:]):
        return _last(phase, after)
    if signals.pitches_in(phase):
        return _last(phase, _enlarged(phase))._replace(steady=False)
    return SteadyWindow(slice(min(half, int(np.searchsorted(time, 0.5 * (time[0] + time[-1])))), n), 0, True)


def window_of_dataset(dataset: xr.Dataset) -> SteadyWindow:
    """Find the times of a motion, or the positions of a pair at rest, that count."""
    phase = np.asarray(dataset["phase"].values, dtype=float)
    if "time" in dataset.dims:
        time = np.asarray(dataset["time"].values, dtype=float)
        return window_of(time, phase, float(dataset.attrs.get(RAMP, 0.0)))
    return window_of_positions(phase)


def window_of_positions(phase: Array) -> SteadyWindow:
    """Find the positions that count, of equally spaced phases (n,): the first whole pitches."""
    spacing = float(phase[1] - phase[0]) if len(phase) > 1 else 0.0
    if spacing == 0.0:
        return SteadyWindow(slice(0, len(phase)), 0, True)
    part = signals.whole_pitches_uniform(phase)
    # half a step is no gap that could be seen
    return SteadyWindow(part, math.floor((part.stop + 0.5) * spacing), True)


def speed_changes(time: Array, phase: Array) -> bool:
    """Whether the mean speeds of the first and the last pitches of a stretch differ.

    Means over whole pitches, for the speed of a gear vibrates about them; of less than two pitches nothing is known.
    """
    pitches = math.floor(0.5 * float(phase[-1] - phase[0]) * (1.0 + 1e-12)) if len(phase) else 0
    if pitches < 1:
        return False
    at = np.interp([phase[0], phase[0] + pitches, phase[-1] - pitches, phase[-1]], phase, time)
    first, last = at[1] - at[0], at[3] - at[2]  # times of equally many pitches
    return bool(abs(first - last) > CHANGES * max(first, last))


def _last(phase: Array, start: int) -> SteadyWindow:
    inner = signals.whole_pitches(phase[start:])
    part = slice(start + inner.start, start + inner.stop)
    return SteadyWindow(part, signals.pitches_in(phase[start:]), True)


def _enlarged(phase: Array) -> int:
    """Return the time from which the last pitches are whole."""
    return max(int(np.searchsorted(phase, phase[-1] - LAST_PITCHES * (1.0 - 1e-12), side="right")) - 1, 0)
