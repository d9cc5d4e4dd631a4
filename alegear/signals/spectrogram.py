"""Spectra one after the other: over time, or of orders over turns, with the speed of the shaft at each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.limits import check_kind, float_of
from alegear.signals.angle import check_same_samples, resample_by_angle, speed_of
from alegear.signals.signal import SAME_STEP, Over, Signal
from alegear.signals.spectrum import WINDOWS, Window, check_word, segment_length, without_mean


@dataclass(frozen=True, kw_only=True, eq=False)
class Spectrogram:
    """Hold amplitude spectra of segments of a signal.

    Attributes
    ----------
    name, units : str
    x : shape (m,) [Hz or orders]
    at : shape (k,) [s or turns]
        Middles of the segments.
    amplitude : shape (m, k)
        As that of :class:`~alegear.signals.spectrum.Spectrum`.
    over : {"time", "turns"}
        What `at` is.
    unit_of_x : str
    segment : float [s or turns]
    resolution : float [Hz or orders]
    speed : shape (k,) or None [rad/s]
        Mean of the shaft in each segment, positive, where its angle was given.
    """

    name: str
    units: str
    x: Array
    at: Array
    amplitude: Array
    over: Over
    unit_of_x: str
    segment: float
    resolution: float
    speed: Array | None = None

    @property
    def ridge(self) -> Array:
        """Where each segment has its highest amplitude, without that at zero, shape (k,) [Hz or orders]."""
        found: Array = self.x[1:][self.amplitude[1:].argmax(axis=0)]
        return found


def spectrogram(
    signal: Signal,
    *,
    segment: float,
    overlap: float = 0.75,
    window: Window = "hann",
    angle: Signal | None = None,
) -> Spectrogram:
    """Return the amplitude spectra of the segments of a signal, each about its mean.

    Segments are whole: none reaches beyond the ends of the signal.

    Parameters
    ----------
    signal : Signal
    segment : float [s or turns]
        The longer, the finer the lines and the coarser the times: resolution times segment is 1.5 with a Hann window.
    overlap : float
        Fraction of a segment that the next one shares: 0 to below 1.
    window : {"hann", "flattop", "boxcar"}
    angle : Signal, optional [rad]
        Of a shaft, of the same samples: its speed is known then.

    Raises
    ------
    Fault
    """
    from scipy.signal import ShortTimeFFT, get_window

    check_kind(signal, "signal", Signal)
    check_word("window", window, WINDOWS)
    if not 0.0 <= float_of(overlap) < 1.0:
        raise Fault("overlap of segments", overlap, "from 0 to below 1", "correct overlap")
    n = segment_length(signal, segment)
    hop = max(1, round(n * (1.0 - overlap)))
    weights = get_window(window, n)
    transform = ShortTimeFFT(
        weights, hop, 1.0 / signal.step, fft_mode="onesided", mfft=n, scale_to="magnitude", phase_shift=None
    )
    # only the slices without a sample from outside
    first = transform.lower_border_end[1]
    last = transform.upper_border_begin(len(signal))[1]
    found = np.abs(transform.stft_detrend(signal.values, without_mean(weights), p0=first, p1=last))
    # one-sided: twice the magnitude, but not at zero and at half of the sampling rate
    doubled = slice(1, -1 if n % 2 == 0 else None)
    found[doubled] *= 2.0
    known = transform.f <= signal.known_up_to * (1.0 + SAME_STEP)
    begins = np.arange(first, last) * hop - transform.m_num_mid
    at: Array = signal.start + signal.step * (begins.astype(np.float64) + 0.5 * (n - 1))
    speed = signal.speed
    if angle is not None:
        if signal.over != "time":
            limit = "left out: a signal over turns has its speed"
            raise Fault(f"angle with signal {signal.name}", angle.name, limit, "leave out angle")
        check_same_samples(signal, angle)
        speed = speed_of(angle)
    of_slices = None
    if speed is not None:
        sums = np.concatenate([[0.0], np.cumsum(speed)])
        # windows that are zero at an end may have it beyond the record
        first_of, end_of = np.maximum(begins, 0), np.minimum(begins + n, len(speed))
        of_slices = (sums[end_of] - sums[first_of]) / (end_of - first_of)
    return Spectrogram(
        name=signal.name,
        units=signal.units,
        x=transform.f[known],
        at=at,
        amplitude=found[known],
        over=signal.over,
        unit_of_x=signal.unit_of_lines,
        segment=n * signal.step,
        resolution=float((weights**2).sum() / weights.sum() ** 2) / signal.step,
        speed=of_slices,
    )


def order_map(
    signal: Signal,
    angle: Signal,
    *,
    segment: float,
    overlap: float = 0.75,
    window: Window = "hann",
    samples_per_turn: int | None = None,
) -> Spectrogram:
    """Return order spectra of segments of so many turns, with the mean speed of each: a run-up's orders over its speed.

    Parameters
    ----------
    signal, angle : Signal
        Over time, of the same samples; angle of the shaft in rad.
    segment : float [turns]
    overlap : float
    window : str
        As those of :func:`spectrogram`.
    samples_per_turn : int, optional
        As that of :func:`~alegear.signals.angle.resample_by_angle`.

    Raises
    ------
    Fault
    """
    turned = resample_by_angle(signal, angle, samples_per_turn=samples_per_turn)
    return spectrogram(turned, segment=segment, overlap=overlap, window=window)
