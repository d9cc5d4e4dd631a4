"""Numbers and spectra from the curves of a result."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from alegear.arrays import Array, Indices

#: An array over positions or times, or what goes through its parts as often as it is called.
Parts = Array | Callable[[], Iterable[Array]]
#: Samples of a least squares fit that are in memory with their equations; longer records are fitted part by part.
FITTED_AT_ONCE = 1 << 16


def mean(signal: Array) -> float:
    """Return the mean of the finite values, NaN if there is none."""
    finite = signal[np.isfinite(signal)]
    return float(finite.mean()) if finite.size else math.nan


def peak_to_peak(signal: Array) -> float:
    """Return largest minus smallest finite value, NaN if there is none."""
    finite = signal[np.isfinite(signal)]
    return float(np.ptp(finite)) if finite.size else math.nan


def rms(signal: Array) -> float:
    """Return the root mean square of the finite values about their mean, NaN if there is none."""
    finite = signal[np.isfinite(signal)]
    return float(finite.std()) if finite.size else math.nan


def pitch_blocks(phase: Array, pitches: int) -> list[slice]:
    """Return the consecutive stretches of rising phases that cover so many whole pitches, from the first on.

    A rest that covers less is left out. For curves over the speed of a run-up.
    """
    if len(phase) < 2:
        return []
    count = math.floor(float(phase[-1] - phase[0]) / pitches * (1.0 + 1e-12))
    borders = np.searchsorted(phase, phase[0] + pitches * np.arange(count + 1) * (1.0 - 1e-12))
    return [slice(int(begin), int(end)) for begin, end in itertools.pairwise(borders)]


def whole_pitches_uniform(phase: Array) -> slice:
    """Return the longest leading part of equally spaced phases that covers whole pitches.

    The phases of n positions per pitch cover a pitch with n values: the value one pitch on is not repeated.
    Less than one pitch is returned as it is.
    """
    n = len(phase)
    if n < 2:
        return slice(0, n)
    per_pitch = round(1.0 / float(phase[1] - phase[0]))
    return slice(0, n - n % per_pitch if n >= per_pitch else n)


def pitches_in(phase: Array) -> int:
    """Return how many whole pitches rising phases cover; a quarter of their spacing short of one is one.

    Motions often last a whole number of pitches: neither round-off nor a gear that vibrates decides then whether the
    first of them counts.
    """
    return math.floor(float(phase[-1] - phase[0]) + _near(phase)) if len(phase) > 1 else 0


def whole_pitches(phase: Array) -> slice:
    """Return the longest trailing part of rising phases that covers a whole number of pitches (:func:`pitches_in`).

    Less than one pitch is returned as it is.
    """
    n, count = len(phase), pitches_in(phase)
    if count < 1:
        return slice(0, n)
    # the value one period before the last one is the last one's repetition: start behind it
    start = int(np.searchsorted(phase, phase[-1] - count + _near(phase), side="right"))
    return slice(start, n)


def _near(phase: Array) -> float:
    """A quarter of the mean spacing: phases that are nearer to each other are the same."""
    return 0.25 * float(phase[-1] - phase[0]) / (len(phase) - 1)


def loaded_contact_ratio(tooth_load: Parts) -> float:
    """Return the mean number of loaded tooth pairs.

    Parameters
    ----------
    tooth_load : array, shape (n, n_pairs) [N], or callable that goes through such arrays
        Loads at positions that are spread evenly over whole pitches; NaN counts as unloaded. By pair, or by slot.

    Notes
    -----
    The resolution is one position: 1 / positions_per_pitch at best.
    """
    parts = _parts_of(tooth_load)
    largest = max((float(np.nan_to_num(part).max(initial=0.0)) for part in parts()), default=0.0)
    if largest <= 0.0:
        return math.nan
    loaded = n = 0
    for part in parts():
        # round-off of a solved load lies far below this part of the largest, a touching pair far above
        loaded += int((np.nan_to_num(part) > 1e-9 * largest).sum())
        n += len(part)
    return loaded / n


def principal_extremes(high: Array, low: Array) -> Array:
    """Return the largest stress of the tension side and the smallest of the compression side.

    Parameters
    ----------
    high, low : shape (n, 2) [Pa]
        Largest and smallest principal stress by gear and side (tension, compression).
    """
    extremes: Array = np.stack([high[:, 0], low[:, 1]], axis=1)
    return extremes


def face_load_factor(line_load: Parts) -> float:
    r"""Return how unevenly the load lies across the face: largest line load over the mean of all slices.

    Of the positions at which a single pair carries, the one with the largest line load counts (the load of a pair by
    slice). Where there is none, as in most helical pairs, no pair need cover the face at any time; then the loads of
    all pairs are added up slice by slice and averaged over the positions.

    Parameters
    ----------
    line_load : array, shape (n, n_pairs, n_slices) [N/m], or callable that goes through such arrays
        At positions that are spread evenly over whole pitches; NaN counts as unloaded. By pair, or by slot.

    Notes
    -----
    Comparable to :math:`K_{H\beta}` of ISO 6336-1, without the influences that this standard adds to the mesh.
    """
    parts = _parts_of(line_load)
    largest = max((float(np.nan_to_num(part).max(initial=0.0)) for part in parts()), default=0.0)
    if largest <= 0.0:
        return math.nan
    across: Array | None = None  # of the position with a single pair
    total: Array | float = 0.0
    for part in parts():
        load = np.maximum(np.nan_to_num(part), 0.0)
        by_slice = load.sum(axis=1)
        total = total + by_slice.sum(axis=0)
        # round-off of a solved load lies far below this part of the largest, a touching pair far above
        alone = by_slice[(load.max(axis=2) > 1e-9 * largest).sum(axis=1) == 1]
        if len(alone):
            most = alone[alone.max(axis=1).argmax()]
            across = most if across is None or most.max() > across.max() else across
    if across is None:
        across = np.asarray(total)
    return float(across.max() / across.mean())


def _parts_of(values: Parts) -> Callable[[], Iterable[Array]]:
    return values if callable(values) else lambda: (values,)


def mesh_harmonics(phase: Array, signal: Array, count: int = 10) -> tuple[Indices, Array]:
    """Return the amplitudes of the tooth-mesh harmonics of a signal.

    Over the last whole pitches: of equally spaced phases that divide the pitch the Fourier series,
    ``amplitude[k] = |2/N sum_j y_j exp(-2 pi i k phase_j)|``, of others by least squares, :func:`order_amplitudes`.
    Nothing is interpolated, which would take from the higher orders: with nine samples a pitch 4 % of the first order
    and half of the fourth.

    Parameters
    ----------
    phase : shape (n,) [1]
        Rising, in pitches.
    signal : shape (n,)
    count : int
        Number of harmonics.

    Returns
    -------
    order : shape (count,) int
        Tooth-mesh orders 1, 2, ...
    amplitude : shape (count,)
        Half of the peak to peak value of each harmonic, unit of the signal; NaN with less than one pitch, and from the
        order on that has two samples a period.
    """
    order = np.arange(1, count + 1)
    spacing = np.diff(phase)
    if len(phase) < 2:
        return order, np.full(count, np.nan)
    per_pitch = max(round(1.0 / float(spacing[0])), 1)
    if np.allclose(spacing * per_pitch, 1.0, rtol=1e-6):
        window = whole_pitches_uniform(phase)
        x, y = phase[window], signal[window]
        if len(x) < per_pitch:
            return order, np.full(count, np.nan)
        y = y - y.mean()
        series = np.array([abs(2.0 / len(x) * (np.exp(-2j * np.pi * k * x) @ y)) for k in order.tolist()])
        return order, np.where(2 * order < per_pitch, series, np.nan)
    amplitude = np.full(count, np.nan)
    length = float(phase[-1] - phase[0])
    if not length >= 1.0:
        return order, amplitude
    known = order[2.0 * order < (len(phase) - 1) / length]
    window = whole_pitches(phase)
    amplitude[: len(known)] = order_amplitudes(phase[window], signal[window], known.tolist())
    return order, amplitude


def order_amplitudes(phase: Array, signal: Array, orders: Sequence[float]) -> Array:
    """Return the amplitudes of some mesh orders in a signal at phases of any spacing.

    Least squares of ``y = c + d t + sum_k a_k cos(2 pi k t) + b_k sin(2 pi k t)`` over the phases t: no interpolation,
    which takes a tenth of an order with four samples a period, and no leakage of a slow drift. Over whole pitches it is
    the Fourier series. Halves and thirds are subharmonics, of which the stretch must have some periods.

    Parameters
    ----------
    phase : shape (n,) [1]
        In pitches; the lowest order needs a period of them, the highest more than two samples a period.
    signal : shape (n, ...)
    orders : sequence of float
        Mesh orders, positive.

    Returns
    -------
    shape (len(orders), ...)
        ``hypot(a_k, b_k)``, unit of the signal; NaN where there are fewer values than unknowns, and of a signal that
        has such.
    """
    order = np.asarray(orders, dtype=float)
    columns = signal.reshape(len(phase), -1)
    amplitude = np.full((len(order), columns.shape[1]), np.nan)
    known = np.flatnonzero(np.isfinite(columns).all(axis=0))
    if len(phase) >= 2 * len(order) + 2 and len(known):
        terms = 2 * len(order) + 2
        triangle = np.empty((0, terms + len(known)))  # of the equations so far, and of what stands on their right
        for begin in range(0, len(phase), FITTED_AT_ONCE):
            part = slice(begin, begin + FITTED_AT_ONCE)
            t = phase[part] - phase.mean()
            angle = 2.0 * np.pi * t[:, None] * order
            rows = np.column_stack([np.ones_like(t), t, np.cos(angle), np.sin(angle), columns[part][:, known]])
            triangle = np.linalg.qr(np.concatenate([triangle, rows])).R
        found, *_ = np.linalg.lstsq(triangle[:, :terms], triangle[:, terms:], rcond=None)
        a, b = found[2:].reshape(2, len(order), len(known))
        amplitude[:, known] = np.hypot(a, b)
    return amplitude.reshape(len(order), *signal.shape[1:])
