"""Envelopes: how strongly a band of frequencies, a resonance that impacts excite, vibrates over time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from alegear.errors import Fault
from alegear.limits import check_kind, described, float_of
from alegear.signals.signal import Signal
from alegear.signals.spectrum import Scaling, Spectrum, Window, order_spectrum, spectrum

#: Order of the Butterworth band-pass, which goes forward and backward.
ORDER = 4


def envelope(signal: Signal, band: tuple[float, float], *, squared: bool = False) -> Signal:
    """Return the envelope of a signal in a band: ``|x_b + i H(x_b)|``, H the Hilbert transform.

    The band-pass is a Butterworth filter that goes forward and backward, so that nothing is delayed.

    Parameters
    ----------
    signal : Signal
        Over time; a resonance has its frequency at any speed.
    band : (float, float) [Hz]
        -6 dB at both.
    squared : bool
        Its square, whose lines stand for themselves alone: the root bends them into harmonics.

    Returns
    -------
    Signal
        Of the same samples, so that the angle recorded with the signal goes with it, too.

    Raises
    ------
    Fault
        Also for a band that is not within what the signal knows.

    References
    ----------
    Randall, Antoni (2011), Rolling element bearing diagnostics: a tutorial.
    """
    from scipy.signal import butter, hilbert, sosfiltfilt

    check_kind(signal, "signal", Signal)
    if signal.over != "time":
        raise Fault(f"steps of signal {signal.name}", signal.over, "of time", "take the envelope before resampling")
    low, high = _band(signal, band)
    filters = butter(ORDER, (low, high), btype="bandpass", fs=1.0 / signal.step, output="sos")
    needed = int(np.ceil(3.0 / (high - low) / signal.step))  # until what was before the record has died away
    if len(signal) < 2 * needed:
        limit = f"at least {2 * needed}, for a band of {high - low:.6g} Hz"
        raise Fault(f"samples of signal {signal.name}", len(signal), limit, "record longer, or widen the band")
    passed = sosfiltfilt(filters, signal.values, padlen=min(needed, len(signal) - 1))
    found = np.abs(hilbert(passed))
    lost = signal.lost  # also where the band has next to nothing of it
    return replace(
        signal,
        name=f"{'squared ' if squared else ''}envelope of {signal.name}, {low:g} to {high:g} Hz",
        units=f"({signal.units})2" if squared else signal.units,
        values=found**2 if squared else found,
        round_off=lost * (2.0 * float(found.max()) + lost) if squared else lost,
    )


def envelope_spectrum(
    signal: Signal,
    band: tuple[float, float],
    *,
    angle: Signal | None = None,
    squared: bool = False,
    window: Window = "hann",
    scaling: Scaling = "amplitude",
    segment: float | None = None,
) -> Spectrum:
    """Return the spectrum of the envelope of a signal in a band, over the orders of a shaft where its angle is given.

    The envelope is taken over time, where resonances stand still, and resampled by the angle afterwards, where defects
    do.

    Parameters
    ----------
    signal : Signal
    band : (float, float) [Hz]
    angle : Signal, optional [rad]
    squared : bool
    window, scaling : str
    segment : float, optional [s; turns with an angle]
        As those of :func:`envelope` and :func:`~alegear.signals.spectrum.spectrum`.

    Raises
    ------
    Fault
    """
    found = envelope(signal, band, squared=squared)
    if angle is None:
        return spectrum(found, window=window, scaling=scaling, segment=segment)
    return order_spectrum(found, angle, window=window, scaling=scaling, segment=segment)


def _band(signal: Signal, band: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(band, tuple | list) or len(band) != 2:
        raise Fault("band", described(band), "two frequencies in Hz", "give where it begins and ends")
    low, high = (float_of(value) for value in band)
    limit = f"rising, above 0 and below {signal.known_up_to:.6g}, up to where the signal is known"
    if not 0.0 < low < high < signal.known_up_to:
        raise Fault("band [Hz]", f"{low:g} to {high:g}", limit, "correct band, or record at smaller steps")
    return low, high
