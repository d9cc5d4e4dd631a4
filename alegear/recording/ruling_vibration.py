"""What rules the length of adaptive steps: the vibration whose error is the largest, where steps get very short."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from alegear.arrays import Array

#: Steps that are looked at, the last ones: a few periods of what they resolve, which takes 30 to 60 a period.
WINDOW = 1024
#: Part of the longest step from which steps are short, and number of steps of a motion from which that matters.
SHORT, MANY = 0.2, 50_000
#: Damping ratio that is advised.
DAMPING_RATIO = 0.1
#: Coordinates that are named, of those whose error is at least this part of the largest.
NAMED, NOTABLE = 3, 0.3


class RulingVibration:
    """Examines the steps of a motion until there is a warning of their length.

    The error of a step is ``c h^3`` times the third derivative of the coordinates, over their tolerated ones. The
    coordinates with the largest are named, and the frequency is that of the strongest line of the worst of them.

    Parameters
    ----------
    names : sequence of str, length n
        Of the coordinates, in words.
    scale : shape (n,) [m, rad]
        Displacements by which errors are measured; NaN of coordinates without an error, that are prescribed.
    longest : float [s]
        Longest step that tooth engagement allows.
    duration : float [s]
    remedies : sequence of str
        What may be written to damp the motion; ``{retardation_us}`` is that which damps the vibration well.
    """

    def __init__(
        self, names: Sequence[str], scale: Array, longest: float, duration: float, remedies: Sequence[str] = ()
    ) -> None:
        self._names, self._scale, self._remedies = names, scale, remedies
        self._longest, self._duration = longest, duration
        self._time, self._x = np.empty(0), np.empty((0, len(scale)))
        self.warned = False

    def update(self, time: Array, x: Array) -> str | None:
        """Take in steps that end at times (k,) in states x (k, n); returns a warning, once, where they are short."""
        if self.warned or not len(time):
            return None
        self._time = np.concatenate([self._time, time])[-WINDOW:]
        self._x = np.concatenate([self._x, x])[-WINDOW:]
        if len(self._time) < WINDOW:
            return None
        step = float(self._time[-1] - self._time[0]) / (WINDOW - 1)
        count = (self._duration - self._time[-1]) / step
        if not step < SHORT * self._longest or count < MANY:
            return None
        found = self._ruling()
        if found is None:
            return None
        self.warned = True
        frequency, moving = found
        retardation = f"{1e6 * 2.0 * DAMPING_RATIO / (2.0 * pi * frequency):.2g}"
        own = [one.format(retardation_us=retardation) for one in self._remedies]
        remedies = [*own, "raise tolerance: with eight times as much steps are about twice as long"]
        return (
            f"steps of {1e6 * step:.3g} us, {self._longest / step:.3g} times shorter than tooth engagement asks for,"
            f" about {rounded(count)} more until the end: they resolve a vibration at about {in_hertz(frequency)},"
            f" mostly {', '.join(moving)}; {', or '.join(remedies)}"
        )

    def _ruling(self) -> tuple[float, list[str]] | None:
        """Frequency [Hz] of the vibration with the largest error, and what moves most in it."""
        third, time = third_differences(self._time, self._x)
        errors = np.sqrt(np.mean((third / self._scale) ** 2, axis=0))
        if not np.nanmax(np.nan_to_num(errors)) > 0.0:
            return None
        worst = int(np.nanargmax(errors))
        frequency = strongest(time, third[:, worst])
        order = np.argsort(-np.nan_to_num(errors))[:NAMED]
        return frequency, [self._names[i] for i in order if errors[i] > NOTABLE * errors[worst]]


def third_differences(time: Array, x: Array) -> tuple[Array, Array]:
    """Third derivatives of x (k, n) at times (k,) by divided differences over four states, and their times (k - 3,)."""
    found = x
    for order in (1, 2, 3):
        found = order * np.diff(found, axis=0) / (time[order:] - time[:-order])[:, None]
    return found, 0.25 * (time[:-3] + time[1:-2] + time[2:-1] + time[3:])


def strongest(time: Array, values: Array) -> float:
    """Frequency [Hz] of the strongest line of values (k,) at times (k,), to about one over their length."""
    even = np.linspace(time[0], time[-1], 2 * len(time))
    lines = np.abs(np.fft.rfft(np.interp(even, time, values) * np.hanning(len(even))))
    lines[0] = 0.0
    return float(np.argmax(lines)) / float(even[-1] - even[0])


def in_hertz(frequency: float) -> str:
    """A frequency in Hz or kHz."""
    return f"{1e-3 * frequency:.2g} kHz" if frequency >= 1000.0 else f"{frequency:.2g} Hz"


def rounded(count: float) -> str:
    """A large number in words."""
    return f"{1e-6 * count:.2g} million" if count >= 1e6 else f"{round(count, -4):.0f}"
