"""Spectra of signals over time and over turns: amplitudes in the unit of the signal, or densities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.limits import check_kind, described, float_of
from alegear.signals.angle import resample_by_angle
from alegear.signals.sampling import LEAST_SAMPLES
from alegear.signals.signal import SAME_STEP, UNIT_OF, Signal

Window = Literal["hann", "flattop", "boxcar"]
Scaling = Literal["amplitude", "density"]

WINDOWS = ("hann", "flattop", "boxcar")
SCALINGS = ("amplitude", "density")
#: By which averaged segments overlap: with a Hann window nearly all of the record counts alike.
OVERLAP = 0.5


class SpectralLine(NamedTuple):
    """A line of a spectrum.

    Attributes
    ----------
    x : float [Hz or orders]
        Between the bins.
    amplitude : float
        Unit of the signal.
    """

    x: float
    amplitude: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Spectrum:
    """Hold a one-sided spectrum.

    Attributes
    ----------
    name : str
    units : str
        Of `values`.
    x : shape (m,) [Hz or orders]
    values : shape (m,)
        Amplitudes: a sine of amplitude A in a bin shows A; or the density of the mean square.
    unit_of_x : str
        ``"Hz"`` or ``"orders"``.
    spacing : float [Hz or orders]
        Of the bins.
    resolution : float [Hz or orders]
        Equivalent noise bandwidth: lines closer than that are one.
    window, scaling : str
    averages : int
        Segments whose mean square it is.
    speed : (float, float) or None [rad/s]
        Smallest and largest of the shaft, of orders.
    round_off : float
        Of the values of the signal: peaks below are no lines.
    """

    name: str
    units: str
    x: Array
    values: Array
    unit_of_x: str
    spacing: float
    resolution: float
    window: Window
    scaling: Scaling
    averages: int
    speed: tuple[float, float] | None = None
    round_off: float = 0.0

    def lines(self, *, most: int = 30, least: float = 0.01) -> tuple[SpectralLine, ...]:
        """Return the highest peaks, the largest first, between the bins; those below resolution or round-off are none.

        With a the ratio of the higher neighbour to the peak a line is delta bins towards it,

            Hann:    delta = (2 a - 1)/(a + 1),   A = A_k pi delta (1 - delta^2)/sin(pi delta)
            boxcar:  delta = a/(a + 1),           A = A_k pi delta/sin(pi delta)

        which is exact for one without neighbours. With a flat-top window the amplitude is that of the bin, and the
        place that of a parabola through the logarithms, to a fifth of a bin.

        Parameters
        ----------
        most : int
        least : float
            Part of the largest peak below which none counts.

        Raises
        ------
        Fault
            For a density, which has no amplitudes.

        References
        ----------
        Grandke (1983), Interpolation algorithms for discrete Fourier transforms of weighted signals.
        """
        from scipy.signal import find_peaks

        if self.scaling != "amplitude":
            raise Fault(f"scaling of {self.name}", self.scaling, "amplitude: lines have one", 'ask "amplitude"')
        if not 0.0 < least <= 1.0:
            raise Fault("least of lines", least, "above 0, at most 1", "correct it")
        if most < 1:
            raise Fault("most of lines", most, "at least 1", "correct it")
        # a peak in the first or the last bin counts, too: a maximum with a lower neighbour on its one side
        peaks = find_peaks(np.concatenate([[0.0], self.values, [0.0]]))[0] - 1
        # nearer to zero a line is none: the signal has grown, or drifted
        lowest = max(least * self.values.max(), self.round_off)
        peaks = peaks[(self.values[peaks] >= lowest) & (self.x[peaks] >= self._lowest)]
        found = sorted((self._line(int(k)) for k in peaks), key=lambda line: -line.amplitude)
        return tuple(found[:most])

    @property
    def _lowest(self) -> float:
        """Frequency or order from which on lines are apart from the mean."""
        return self.resolution * (1.0 - SAME_STEP)

    def _line(self, k: int) -> SpectralLine:
        peak = float(self.values[k])
        before = float(self.values[k - 1]) if k > 0 else 0.0
        after = float(self.values[k + 1]) if k + 1 < len(self.values) else 0.0
        sense, other = (1.0, after) if after >= before else (-1.0, before)
        ratio = other / peak
        if self.window == "flattop":
            if min(before, after) <= 0.0:
                return SpectralLine(float(self.x[k]), peak)
            up, down = np.log(after / peak), np.log(before / peak)
            bend = up + down
            return SpectralLine(float(self.x[k] + (0.5 * self.spacing * (down - up) / bend if bend else 0.0)), peak)
        if self.window == "hann":
            delta = max((2.0 * ratio - 1.0) / (ratio + 1.0), 0.0)
            return SpectralLine(
                float(self.x[k] + sense * delta * self.spacing), peak * (1.0 - delta**2) / float(np.sinc(delta))
            )
        delta = ratio / (ratio + 1.0)
        return SpectralLine(float(self.x[k] + sense * delta * self.spacing), peak / float(np.sinc(delta)))

    def at(self, x: float) -> float:
        """Return the value of the bin next to a frequency or an order.

        Raises
        ------
        Fault
            Beyond the end of the spectrum.
        """
        if not 0.0 <= x <= self.x[-1] + 0.5 * self.spacing:
            limit = f"from 0 to {self.x[-1]:.6g}"
            raise Fault(f"position in spectrum {self.name} [{self.unit_of_x}]", x, limit, "record at smaller steps")
        return float(self.values[min(round(x / self.spacing), len(self.values) - 1)])


def spectrum(
    signal: Signal, *, window: Window = "hann", scaling: Scaling = "amplitude", segment: float | None = None
) -> Spectrum:
    """Return the one-sided spectrum of a signal about its mean, as the window weighs it.

        amplitude_k = 2 |sum_j w_j x_j exp(-2 pi i j k/n)|/sum_j w_j,   density_k = 2 |sum ...|^2 h/sum_j w_j^2

    with the step h of the samples, without the factor 2 at zero and at half of the sampling rate; of several segments
    the root of the mean square. It ends where the signal is known (:attr:`Signal.highest`).

    Parameters
    ----------
    signal : Signal
        Over time: frequencies; over turns: orders.
    window : {"hann", "flattop", "boxcar"}
        A flat-top window shows amplitudes between bins to within 0.02 %, lines three times as wide.
    scaling : {"amplitude", "density"}
    segment : float, optional [s or turns]
        Length of segments that overlap by half and are averaged. Default: all of the signal.

    Raises
    ------
    Fault
        Also for segments of fewer than eight samples, or longer than the signal.
    """
    from scipy.signal import get_window, welch

    check_kind(signal, "signal", Signal)
    check_word("window", window, WINDOWS)
    check_word("scaling", scaling, SCALINGS)
    n = segment_length(signal, segment)
    weights = get_window(window, n)
    scaled: Literal["spectrum", "density"] = "spectrum" if scaling == "amplitude" else "density"
    x, power = welch(
        signal.values,
        fs=1.0 / signal.step,
        window=window,
        nperseg=n,
        noverlap=int(OVERLAP * n),
        detrend=without_mean(weights),
        scaling=scaled,
    )
    if scaling == "amplitude":  # of the mean square, which is half of the square of an amplitude
        doubled = np.full(len(x), 2.0)
        doubled[0] = 1.0
        if n % 2 == 0:
            doubled[-1] = 1.0
        values, units = np.sqrt(doubled * power), signal.units
    else:
        values, units = power, f"({signal.units})2/{'Hz' if signal.over == 'time' else 'order'}"
    known = x <= signal.known_up_to * (1.0 + SAME_STEP)
    bandwidth = float((weights**2).sum() / weights.sum() ** 2)  # [1/samples]
    return Spectrum(
        name=signal.name,
        units=units,
        x=x[known],
        values=values[known],
        unit_of_x=signal.unit_of_lines,
        spacing=1.0 / (n * signal.step),
        resolution=bandwidth / signal.step,
        window=window,
        scaling=scaling,
        averages=(len(signal) - int(OVERLAP * n)) // (n - int(OVERLAP * n)),
        speed=None if signal.speed is None else (float(signal.speed.min()), float(signal.speed.max())),
        round_off=signal.lost,
    )


def order_spectrum(
    signal: Signal,
    angle: Signal,
    *,
    samples_per_turn: int | None = None,
    window: Window = "hann",
    scaling: Scaling = "amplitude",
    segment: float | None = None,
) -> Spectrum:
    """Return the spectrum of a signal over the orders of a shaft, whose speed may change.

    Parameters
    ----------
    signal, angle : Signal
        Over time, of the same samples; angle of the shaft in rad.
    samples_per_turn : int, optional
        Default: as many as the record has in the fastest turn; orders reach up to 0.4 of it.
    window, scaling : str
    segment : float, optional [turns]
        As those of :func:`spectrum`.

    Raises
    ------
    Fault
        As :func:`alegear.signals.angle.resample_by_angle` and :func:`spectrum`.
    """
    turned = resample_by_angle(signal, angle, samples_per_turn=samples_per_turn)
    return spectrum(turned, window=window, scaling=scaling, segment=segment)


def segment_length(signal: Signal, segment: float | None) -> int:
    """Return the samples of a segment [s or turns]; None is all of the signal.

    Raises
    ------
    Fault
    """
    if segment is None:
        return len(signal)
    length = float_of(segment)
    n = round(length / signal.step) if np.isfinite(length) else 0
    if not LEAST_SAMPLES <= n <= len(signal):
        limit = f"from {LEAST_SAMPLES * signal.step:.6g} to {signal.span:.6g}, the signal"
        raise Fault(f"segment of signal {signal.name} [{UNIT_OF[signal.over]}]", segment, limit, "correct segment")
    return n


def without_mean(weights: Array) -> Callable[[Array], Array]:
    """Return what takes the weighted mean off segments (..., n): the plain one leaves a line beside zero."""

    def taken_off(segments: Array) -> Array:
        return segments - (segments @ weights / weights.sum())[..., None]

    return taken_off


def check_word(what: str, value: object, words: tuple[str, ...]) -> None:
    """Refuse another word than those there are.

    Raises
    ------
    Fault
    """
    if value not in words:
        listed = ", ".join(f'"{word}"' for word in words)
        raise Fault(what, described(value), f"one of {listed}", f"correct {what}")
