"""Signals in closed form, over time."""

import numpy as np

from alegear.signals.signal import Signal

RATE = 20_000.0  # [Hz]


def times(duration, rate=RATE):
    return np.arange(round(duration * rate)) / rate


def made(values, *, rate=RATE, name="signal", units="m/s2", start=0.0):
    return Signal(name=name, units=units, values=np.asarray(values), step=1.0 / rate, start=start)


def angle_of(phi, *, rate=RATE, start=0.0):
    return made(phi, rate=rate, name="shaft", units="rad", start=start)


def run_up(t, first, rise, wobble=0.0):
    """Angle [rad] of a shaft from `first` turns a second on, rising by `rise` each second, with a vibration."""
    return 2.0 * np.pi * (first * t + 0.5 * rise * t**2) + wobble * np.sin(2.0 * np.pi * 7.0 * t)
