"""Transmission error about its mean with its orders, and mesh stiffness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import curves, finish, marks
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.titles import title_of
from alegear.results import signals
from alegear.results.reading import abscissa, array, has, largest_of, last_pitches, moves, over_lead
from alegear.results.result import Result
from alegear.results.steady_window import window_of_dataset

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Mesh orders of the bars.
ORDERS = 10
#: Room above the largest mesh stiffness, over it.
ROOM = 1.15
#: Bars of this part of the largest have their value above them.
LEAST_LABELLED = 0.05
#: Width of a bar over the distance of two.
BAR = 0.7


def draw_transmission_error(dataset: xr.Dataset) -> Figure:
    """Draw the transmission error about its mean, its mesh orders as bars, and the mesh stiffness on an axis from 0.

    Mean, peak to peak and orders are those of the summary, over the times of :func:`window_of_dataset`.
    Of a longer dynamic study the whole of it stands above, and the last pitches are enlarged.
    """
    from matplotlib.figure import Figure

    in_motion = moves(dataset)
    part = last_pitches(dataset) if in_motion else slice(None)
    enlarged = in_motion and part.start != 0
    rows: list[Any] = [["whole", "whole"]] * enlarged + [["error", "orders"]]
    rows += [["stiffness", "stiffness"]] * has(dataset, "mesh_stiffness")
    figure = Figure(figsize=(7.4, 2.7 * len(rows)), layout="constrained")
    axes = figure.subplot_mosaic(rows, width_ratios=(2.1, 1.0))
    title_of(figure, dataset)
    x, label = abscissa(dataset, part)
    error = array(dataset, "transmission_error", part)
    window = window_of_dataset(dataset)
    steady = array(dataset, "transmission_error", window.part)
    words = f" of {window.words}" if in_motion or not window.pitches else ""
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
    of_orders = window.with_the_one_before if in_motion else window.part
    _draw_orders(axes["orders"], *(array(dataset, name, of_orders) for name in ("phase", "transmission_error")))
    if "stiffness" in axes:
        _draw_stiffness(axes["stiffness"], dataset, part, words)
    return figure


def _draw_stiffness(axes: Axes, dataset: xr.Dataset, part: slice, words: str) -> None:
    """Draw the mesh stiffness on an axis from 0, with its mean and ends over the window."""
    x, label = abscissa(dataset, part)
    stiffness = array(dataset, "mesh_stiffness", part) * 1e-6
    axes.plot(x, stiffness, color=COLOURS[1], **marks(x))
    finish(axes, x, label, "mesh stiffness [N/µm]")
    largest = largest_of(stiffness)
    if largest > 0.0:
        axes.set_ylim(0.0, ROOM * largest)
        counted = array(dataset, "mesh_stiffness", window_of_dataset(dataset).part) * 1e-6
        ends = f"{-largest_of(-counted):.4g} to {largest_of(counted):.4g}"
        axes.set_title(f"mean {signals.mean(counted):.4g}, {ends} N/µm{words}", fontsize=9, loc="left")


def _draw_orders(axes: Axes, phase: Array, error: Array) -> None:
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
        axes.set_yticks([])
        return
    axes.bar(order[known], 1e6 * amplitude[known], color=COLOURS[0], width=BAR)
    top = 1e6 * float(amplitude[known].max())
    for k, value in zip(order[known], 1e6 * amplitude[known], strict=True):
        if value > LEAST_LABELLED * top:
            axes.annotate(f" {value:.2g}", (float(k), value), ha="center", va="bottom", fontsize=7, rotation=90)
    axes.set_ylim(0.0, 1.2 * top or 1.0)
    _hatch_unresolved(axes, order[~known].tolist())


def _hatch_unresolved(axes: Axes, orders: Sequence[float]) -> None:
    """Hatch the places of bars that the samples do not resolve, so that none looks like an amplitude of zero."""
    for order in orders:
        axes.axvspan(
            order - 0.5 * BAR, order + 0.5 * BAR, facecolor="none", edgecolor="0.7", hatch="////", linewidth=0.0
        )
    if orders:
        axes.text(
            float(np.mean(orders)), 0.5, "not resolved", transform=axes.get_xaxis_transform(), rotation=90,
            fontsize=7.5, ha="center", va="center", color="0.3",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )  # fmt: skip


def _holds(dataset: xr.Dataset) -> bool:
    return over_lead(dataset, "transmission_error", "phase", ndim=1)


def _caption(result: Result) -> str:
    """Say of which pitches the numbers are, and what a coarser grid changes."""
    dataset, grid = result.dataset, result.summary.get("te_peak_to_peak_grid_um")
    words = "Transmission error about its mean, and the amplitudes of its mesh orders, half of their peak to peak"
    if moves(dataset):
        words += f"; mean, peak to peak and orders over {window_of_dataset(dataset).words}"
    if grid is not None:
        words += f"; a coarser grid changes the peak to peak by {grid:.2g} µm"
    if has(dataset, "mesh_stiffness"):
        words += ". Mesh stiffness: tangent along the line of action at the load, the axes held where they stand"
    return words


PICTURE = Picture(
    name="te",
    heading="Transmission error and mesh stiffness",
    order=110,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_transmission_error),
    caption=_caption,
)
