"""Transmission error about its mean with its orders, and mesh stiffness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.results import signals
from alegear.view.colours import COLOURS
from alegear.view.pair.curves import (
    abscissa,
    array_of,
    curves,
    finish,
    is_dynamic,
    largest_of,
    last_pitches,
    marks,
    steady_part,
)
from alegear.view.titles import title_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Mesh orders of the bars.
ORDERS = 8
#: Room above the largest mesh stiffness, over it.
ROOM = 1.15
#: Bars of this part of the largest have their value above them.
LEAST_TOLD = 0.05


def draw_transmission_error(dataset: xr.Dataset) -> Figure:
    """Draw the transmission error about its mean, its mesh orders as bars, and the mesh stiffness on an axis from 0.

    Of a longer dynamic study the whole of it stands above, and the last pitches are enlarged.
    """
    from matplotlib.figure import Figure

    moves = is_dynamic(dataset)
    part = last_pitches(dataset) if moves else slice(None)
    enlarged = moves and part.start != 0
    rows: list[Any] = [["whole", "whole"]] * enlarged + [["error", "orders"], ["stiffness", "stiffness"]]
    figure = Figure(figsize=(7.4, 2.7 * len(rows)), layout="constrained")
    axes = figure.subplot_mosaic(rows, width_ratios=(2.1, 1.0))
    title_of(figure, dataset)
    x, label = abscissa(dataset, part)
    error, stiffness = (array_of(dataset, name, part) for name in ("transmission_error", "mesh_stiffness"))
    counted, words = _counted(dataset, part)
    steady = array_of(dataset, "transmission_error", counted)
    mean = signals.mean(steady)
    if enlarged:
        whole_x, (whole,), whole_label = curves(dataset, ("transmission_error",), lambda te: (te - mean) * 1e6)
        axes["whole"].plot(whole_x, whole, color=COLOURS[0], linewidth=0.7)
        finish(axes["whole"], whole_x, whole_label, "transmission error\nless its mean [µm]")
    axes["error"].plot(x, (error - mean) * 1e6, color=COLOURS[0], **marks(x))
    finish(axes["error"], x, label, "transmission error\nless its mean [µm]")
    if np.isfinite(mean):
        size = signals.peak_to_peak(steady)
        axes["error"].set_title(
            f"mean {1e6 * mean:.4g} µm, peak to peak {1e6 * size:.3g} µm{words}", fontsize=9, loc="left"
        )
    _draw_orders(axes["orders"], array_of(dataset, "phase", counted), steady)
    axes["stiffness"].plot(x, stiffness * 1e-6, color=COLOURS[1], **marks(x))
    finish(axes["stiffness"], x, label, "mesh stiffness [N/µm]")
    largest = largest_of(stiffness) * 1e-6
    if largest > 0.0:
        axes["stiffness"].set_ylim(0.0, ROOM * largest)
        low = -largest_of(-stiffness) * 1e-6
        words = f"mean {1e-6 * signals.mean(stiffness):.4g}, {low:.4g} to {largest:.4g} N/µm"
        axes["stiffness"].set_title(words, fontsize=9, loc="left")
    return figure


def _counted(dataset: xr.Dataset, shown: slice) -> tuple[slice, str]:
    """Positions or times of which mean, peak to peak and orders are, and what they are of.

    Whole pitches: of a motion those of the steady part, and of one whose speed changes to its end the last ones.
    """
    if not is_dynamic(dataset):
        return signals.whole_pitches_uniform(array_of(dataset, "phase")), ""
    steady = steady_part(dataset)
    phase = array_of(dataset, "phase", steady)
    if len(phase) > 1 and phase[-1] - phase[0] >= 0.5:
        return steady, " of the steady part"
    last = signals.whole_pitches(array_of(dataset, "phase", shown))
    return slice(shown.start + last.start, shown.start + last.stop), " of the last pitches"


def _draw_orders(axes: Axes, phase: Floats, error: Floats) -> None:
    """Draw the amplitudes of the mesh orders as bars, the larger ones with their value."""
    axes.set_xlabel("mesh order")
    axes.set_ylabel("amplitude [µm]")
    axes.grid(True, axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.set_xticks(range(1, ORDERS + 1))
    axes.set_xlim(0.2, ORDERS + 0.8)
    order, amplitude = signals.mesh_harmonics(phase, error, ORDERS) if len(phase) > 1 else (np.zeros(0), np.zeros(0))
    known = np.isfinite(amplitude)
    if not known.any():
        axes.text(0.5, 0.5, "less than a pitch", transform=axes.transAxes, ha="center", fontsize=8)
        return
    axes.bar(order[known], 1e6 * amplitude[known], color=COLOURS[0], width=0.7)
    top = 1e6 * float(amplitude[known].max())
    for k, value in zip(order[known], 1e6 * amplitude[known], strict=True):
        if value > LEAST_TOLD * top:
            axes.annotate(f"{value:.2g}", (float(k), value), ha="center", va="bottom", fontsize=7)
    axes.set_ylim(0.0, 1.12 * top or 1.0)
