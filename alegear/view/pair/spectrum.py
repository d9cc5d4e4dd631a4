"""Spectrum of the transmission error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.results import signals
from alegear.view.colours import COLOURS
from alegear.view.pair.curves import array_of, new_figure, steady_part

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Mesh orders shown in a spectrum.
ORDERS = 10


def draw_spectrum(dataset: xr.Dataset) -> Figure:
    """Draw the amplitude spectrum of the transmission error of the steady part, mesh orders marked."""
    figure, (axes,) = new_figure(dataset, rows=1, height=4.5)
    part = steady_part(dataset)
    time, phase = array_of(dataset, "time", part), array_of(dataset, "phase", part)
    te = array_of(dataset, "transmission_error", part) * 1e6
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("amplitude of the\ntransmission error [µm]")
    axes.grid(True, color="0.9")
    frequency, amplitude = signals.spectrum(time, te)
    if not frequency.size or not np.isfinite(amplitude).all() or not phase[-1] > phase[0]:
        axes.text(0.5, 0.5, "too few values for a spectrum", transform=axes.transAxes, ha="center")
        return figure
    mesh_frequency = float((phase[-1] - phase[0]) / (time[-1] - time[0]))
    largest = max(float(amplitude.max()), 1e-12)
    last = min((ORDERS + 0.5) * mesh_frequency, float(frequency[-1]))
    for order in range(1, int(last / mesh_frequency) + 1):
        axes.axvline(order * mesh_frequency, color=COLOURS[1], linewidth=0.8, linestyle=":")
    axes.semilogy(frequency[1:], np.maximum(amplitude[1:], 1e-9 * largest), color=COLOURS[0], linewidth=1.0)
    axes.set_xlim(0.0, last)
    axes.set_ylim(1e-5 * largest, 2.0 * largest)

    def to_order(frequency: Any) -> Any:
        return frequency / mesh_frequency

    def to_frequency(order: Any) -> Any:
        return order * mesh_frequency

    top = axes.secondary_xaxis("top", functions=(to_order, to_frequency))
    top.set_xlabel(f"mesh order (mesh frequency {mesh_frequency:.4g} Hz)")
    top.set_xticks(range(int(last / mesh_frequency) + 1))
    return figure
