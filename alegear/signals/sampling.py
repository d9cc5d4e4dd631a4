"""More and fewer samples of a signal: linear-phase filters, of whose output only what the signal covers is kept."""

from __future__ import annotations

from alegear.arrays import Array
from alegear.errors import Fault

#: A spectrum needs more than its mean.
LEAST_SAMPLES = 8
#: Of the lower one of both sampling rates: what filters let pass (1/2.5, as in recorders), and from where they stop.
PASSED, STOPPED = 0.4, 0.6
#: What they leave of that [dB]: a thousandth of a per cent.
ATTENUATION = 100.0


def lowpass(factor: int) -> Array:
    """Return the taps of a Kaiser-windowed low-pass for sampling rates in a whole ratio; sum 1, odd number of them.

    Half of them is a whole multiple of the factor, so that the samples that are kept stay where they were.
    """
    from scipy.signal import firwin, kaiserord

    taps, beta = kaiserord(ATTENUATION, 2.0 * (STOPPED - PASSED) / factor)
    half = factor * -(-taps // (2 * factor))
    found: Array = firwin(2 * half + 1, (PASSED + STOPPED) / factor, window=("kaiser", beta))
    return found


def decimated(values: Array, factor: int, what: str) -> tuple[Array, int]:
    """Return every factor-th value of what a low-pass leaves, and the number of the value where these begin.

    Raises
    ------
    Fault
        If the filter is longer than the signal.
    """
    from scipy.signal import upfirdn

    taps = lowpass(factor)
    _check_length(values, len(taps), what)
    mean = values.mean()  # whose leakage through the stop band would be larger than a small signal
    kept = upfirdn(taps, values - mean, 1, factor)[(len(taps) - 1) // factor : (len(values) - 1) // factor + 1]
    return kept + mean, len(taps) // 2


def oversampled(values: Array, factor: int, what: str) -> tuple[Array, int]:
    """Return factor times as many values, band-limited in between, and the number of the value where these begin.

    Raises
    ------
    Fault
        If the filter is longer than the signal.
    """
    from scipy.signal import upfirdn

    taps = lowpass(factor)
    _check_length(values, len(taps) // factor + 1, what)
    mean = values.mean()
    whole = upfirdn(factor * taps, values - mean, factor, 1)
    return whole[len(taps) - 1 : (len(values) - 1) * factor + 1] + mean, len(taps) // 2 // factor


def _check_length(values: Array, taps: int, what: str) -> None:
    if len(values) < taps + LEAST_SAMPLES:
        limit = f"at least {taps + LEAST_SAMPLES}, for the filter against mirrored lines"
        raise Fault(f"samples of {what}", len(values), limit, "record longer, or at smaller steps")
