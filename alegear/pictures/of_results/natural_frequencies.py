"""Natural frequencies of a machine, and in which parts their energy of deformation is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Indices
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import draw_bars, new_figure
from alegear.pictures.legends import legend_beside
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours go round with the next hatch, so that more parts than colours stay apart.
HATCHES = ("", "////", "\\\\\\\\", "xxxx")
#: Shares that are nothing.
LEAST = 1e-3


def draw_natural_frequencies(dataset: xr.Dataset) -> Figure:
    """Draw the natural frequencies, and in which parts their energy of deformation is."""
    modes = dataset["mode"].to_numpy()
    share = dataset["energy_share"].to_numpy()
    figure, (above, below) = new_figure(dataset, rows=2, height=6.0, sharex=True, height_ratios=(1.0, 2.0))
    _draw_frequencies(above, dataset, modes)
    bottom = np.zeros(len(modes))
    # what never takes a tenth of a mode is put together
    large = np.flatnonzero(share.max(axis=0) >= 0.1)
    for number, part in enumerate(large):
        own = share[:, part] > 0.0
        draw_bars(
            below, modes[own], share[own, part], bottom[own], label=str(dataset["part"].to_numpy()[part]),
            facecolor=COLOURS[number % len(COLOURS)], hatch=HATCHES[number // len(COLOURS) % len(HATCHES)],
            edgecolor="white", linewidth=0.4,
        )  # fmt: skip
        bottom += share[:, part]
    if np.any(1.0 - bottom > LEAST):
        draw_bars(below, modes, 1.0 - bottom, bottom, facecolor="0.85", label="others")
    below.set_ylabel("share of the energy of deformation")
    below.set_xlabel("mode")
    below.set_ylim(0.0, 1.0)
    below.set_xlim(0.4, len(modes) + 0.6)
    legend_beside(below)
    return figure


def _draw_frequencies(axes: Axes, dataset: xr.Dataset, modes: Indices) -> None:
    """Natural frequencies as bars, of planetary sets in the colours of the kinds of their modes."""
    from matplotlib.ticker import MaxNLocator

    frequency = 1e-3 * dataset["frequency"].to_numpy()
    kinds = np.full(len(modes), "")
    if "kind" in dataset:
        kinds = np.array([" / ".join(dict.fromkeys(row)) for row in dataset["kind"].to_numpy().astype(str)])
    for number, kind in enumerate(dict.fromkeys(kinds.tolist())):
        own = kinds == kind
        colour = COLOURS[number % len(COLOURS)] if kind else "0.6"
        draw_bars(axes, modes[own], frequency[own], facecolor=colour, label=kind or None)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("natural\nfrequency [kHz]")
    axes.grid(axis="y", alpha=0.3)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_beside(axes, title="kind of mode", title_fontsize=8.0)


def _holds(dataset: xr.Dataset) -> bool:
    return has(dataset, "frequency", "energy_share") and "mode" in dataset["frequency"].dims


PICTURE = Picture(
    name="natural_frequencies",
    heading="Natural vibrations",
    order=400,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_natural_frequencies),
    caption=lambda result: "Natural frequencies, and in which parts the energy of deformation of each mode is",
)
