"""Spectrum of the transmission error: lines in dB re 1 µm over frequency, or over orders where the speed changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import array, moves, over_lead
from alegear.results.steady_window import speed_changes, window_of_dataset

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


#: Mesh orders shown in a spectrum.
ORDERS = 10
#: Levels this far below the highest are shown [dB].
RANGE = 80.0
#: Fewest whole pitches of a spectrum, and samples of each.
LEAST_PITCHES, LEAST_SAMPLES = 2, 4
#: Samples through which a polynomial goes that interpolates between them.
NEAREST = 8
#: Lines so near a mesh order [orders] stand where its name would.
BESIDE = 0.5


def has_spectrum(dataset: xr.Dataset) -> bool:
    """Whether a motion has enough pitches at the end for a spectrum."""
    return (
        over_lead(dataset, "transmission_error", "phase", ndim=1)
        and moves(dataset)
        and order_lines(dataset) is not None
    )


def order_lines(dataset: xr.Dataset) -> tuple[Array, Array, float | None] | None:
    """Return mesh orders and amplitudes [m] of the transmission error, and the mesh frequency [Hz] if it is one.

    Over the whole pitches of the summary; where the speed changes to the end, over the second half of the time.
    Interpolated to equal steps of the phase by polynomials, which leave of an order with four samples a period what it
    is within a fortieth, and with five within a hundredth: a Fourier series of so many pitches, without a window, whose
    lines are the orders 1/n, 2/n ... of n pitches, up to those with two samples a period. Where the speed changes, the
    drift of the mean, a parabola, is taken off. None: there are too few pitches.
    """
    part = _part(dataset)
    time, phase = array(dataset, "time", part), array(dataset, "phase", part)
    error = array(dataset, "transmission_error", part)
    # the sample before the part belongs to it: whole pitches lie between
    pitches = int(np.floor(phase[-1] - phase[0] + 0.5)) if len(phase) > 1 else 0
    if pitches < LEAST_PITCHES or not np.isfinite(error).all() or len(phase) < LEAST_SAMPLES * pitches:
        return None
    n = LEAST_SAMPLES * int(np.ceil(len(phase) / LEAST_SAMPLES))
    even = phase[-1] - pitches * np.arange(n, 0, -1) / n
    values = _between(phase, error, even)
    steady = not speed_changes(time, phase)
    drift = values.mean() if steady else np.polyval(np.polyfit(even, values, 2), even)  # the mean follows the speed
    amplitude = 2.0 / n * np.abs(np.fft.rfft(values - drift))
    order = np.arange(len(amplitude)) / pitches
    frequency = float((phase[-1] - phase[0]) / (time[-1] - time[0])) if steady else None
    resolved = 0.5 * (len(phase) - 1) / float(phase[-1] - phase[0])
    kept = slice(1, int(np.searchsorted(order, min(ORDERS + 0.5, resolved))))
    return order[kept], amplitude[kept], frequency


def _part(dataset: xr.Dataset) -> slice:
    """Return the steady part with the sample before it, or the whole second half where there is none."""
    window = window_of_dataset(dataset)
    if window.steady and window.pitches >= LEAST_PITCHES:
        return window.with_the_one_before
    time = array(dataset, "time")
    return slice(int(np.searchsorted(time, 0.5 * (time[0] + time[-1]))) if len(time) else 0, len(time))


def draw_spectrum(dataset: xr.Dataset) -> Figure:
    """Draw the lines of the transmission error in dB re 1 µm; mesh orders stand out, with their amplitude."""
    figure, (axes,) = new_figure(dataset, rows=1, height=4.4)
    axes.set_ylabel("transmission error [dB re 1 µm]")
    axes.grid(True, axis="y", color="0.9")
    axes.set_axisbelow(True)
    found = order_lines(dataset)
    if found is None:
        axes.text(0.5, 0.5, "too few pitches for a spectrum", transform=axes.transAxes, ha="center")
        return figure
    order, amplitude, frequency = found
    level = 20.0 * np.log10(np.maximum(1e6 * amplitude, 1e-12))
    top = float(level.max())
    shown = level > top - RANGE
    whole = np.isclose(order, np.rint(order))
    for kind, colour, width in ((shown & ~whole, "0.55", 0.9), (shown & whole, COLOURS[0], 2.0)):
        axes.vlines(order[kind], top - RANGE, level[kind], color=colour, linewidth=width)
    axes.plot(order[shown & whole], level[shown & whole], "o", color=COLOURS[0], markersize=4)
    for k, height, size in zip(order[shown & whole], level[shown & whole], amplitude[shown & whole], strict=True):
        beside = np.abs(order - k) < BESIDE
        if height < level[beside & ~whole].max(initial=-np.inf):  # it would stand in the lines around it
            continue
        text = f"{1e6 * size:.2g} µm" if size >= 1e-9 else f"{1e9 * size:.2g} nm"
        axes.annotate(text, (k, height), (0.0, 4.0), textcoords="offset points", fontsize=7.5, ha="center")
    axes.set_xlim(0.0, max(float(order[-1]), float(np.floor(order[-1])) + 0.4))  # room for the last name
    axes.set_ylim(top - RANGE, top + 0.1 * RANGE)
    axes.set_xticks(range(int(order[-1]) + 1))
    if frequency is None:
        axes.set_xlabel("mesh order; the speed changes")
        return figure
    axes.set_xlabel(f"mesh order (mesh frequency {frequency:.4g} Hz)")
    in_kilohertz = 1e-3 * frequency

    def to_frequency(order: Any) -> Any:
        return order * in_kilohertz

    def to_order(frequency: Any) -> Any:
        return frequency / in_kilohertz

    axes.secondary_xaxis("top", functions=(to_frequency, to_order)).set_xlabel("frequency [kHz]")
    return figure


def _caption(dataset: xr.Dataset) -> str:
    found = order_lines(dataset)
    frequency = None if found is None else found[2]
    of = "" if frequency is None else f"; mesh frequency {frequency:.4g} Hz"
    return f"Spectrum of the transmission error over whole pitches; amplitudes stand at the mesh orders{of}"


PICTURE = Picture(
    name="spectrum",
    heading="Spectrum",
    order=115,
    holds=of_dataset(has_spectrum),
    draw=of_dataset(draw_spectrum),
    caption=of_dataset(_caption),
)


def _between(x: Array, y: Array, at: Array) -> Array:
    """Values at other places, by the polynomials through the nearest samples (Lagrange's form).

    A spline of SciPy agrees to 1e-9 of the largest order, and its import takes longer than the picture.
    """
    first = np.clip(np.searchsorted(x, at) - NEAREST // 2, 0, len(x) - NEAREST)  # of eight samples at least
    near = first[:, None] + np.arange(NEAREST)
    apart = x[near][:, :, None] - x[near][:, None, :]
    ratios = (at[:, None] - x[near])[:, None, :] / np.where(apart == 0.0, 1.0, apart)
    ratios[:, np.arange(NEAREST), np.arange(NEAREST)] = 1.0
    found: Array = (ratios.prod(axis=2) * y[near]).sum(axis=1)
    return found
