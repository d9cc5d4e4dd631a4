"""Wear quantities over the pinion's flank: sliding, pressure times velocity, flash temperature, specific sliding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.flank_map import draw_flank_limits, draw_map, flank_panels, words_of_short
from alegear.pictures.legends import legend_below
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import array, has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAPS = (
    ("pattern_pressure_velocity", 1e-6, "pressure times\nsliding velocity [MPa m/s]"),
    ("pattern_flash_temperature", 1.0, "flash temperature [K]"),
)
#: Specific sliding beyond it is not shown: it grows without bound towards the base circle.
MOST_SLIDING = 4.0


def has_wear(dataset: xr.Dataset) -> bool:
    """Whether there is a speed, and with it what wears."""
    return has(dataset, "pattern_pressure_velocity")


def draw_wear(dataset: xr.Dataset) -> Figure:
    """Draw pressure times velocity and flash temperature over the flank, below them the sliding."""
    maps = [one for one in MAPS if one[0] in dataset]
    figure, panels = flank_panels(dataset, len(maps) + 1)
    for axes, quantity in zip(panels, maps, strict=False):
        draw_map(axes, dataset, quantity)
    _draw_sliding(panels[-1], dataset)
    legend_below(figure, panels[-1].get_legend_handles_labels(), 3)
    return figure


def _draw_sliding(axes: Axes, dataset: xr.Dataset) -> None:
    """Draw the largest sliding velocity across the face, and beside it the specific sliding of both flanks."""
    roll = array(dataset, "roll_length") * 1e3
    velocity = array(dataset, "pattern_sliding_velocity").max(axis=1)
    touched = velocity > 0.0
    draw_flank_limits(axes, dataset)
    axes.plot(roll[touched], velocity[touched], color="0.25", linewidth=1.5, label="sliding velocity, magnitude")
    axes.set_ylabel("sliding\nvelocity [m/s]")
    axes.set_ylim(bottom=0.0)
    axes.grid(True, color="0.9")
    right = axes.twinx()
    styles = ("-.", ":")
    for gear, specific in enumerate(array(dataset, "pattern_specific_sliding")):
        shown = touched & (np.abs(specific) <= MOST_SLIDING)
        name = f"specific sliding, {dataset['gear'].values[gear]}"
        right.plot(roll[shown], specific[shown], styles[gear], color=COLOURS[gear + 2], linewidth=1.5)
        axes.plot([], [], styles[gear], color=COLOURS[gear + 2], linewidth=1.5, label=name)
    right.axhline(0.0, color="0.6", linewidth=0.6)
    right.set_ylabel("specific sliding")


def _caption(dataset: xr.Dataset) -> str:
    words = "Largest contact pressure times sliding velocity of a cycle"
    if "pattern_flash_temperature" in dataset:
        words += ", flash temperature by Blok's equation, rise over the bulk temperature"
    words += ". Specific sliding: over the gear's own rolling velocity, 0 at the pitch point, negative on dedenda"
    short = words_of_short(dataset)
    return f"{words}; {short}" if short else words


PICTURE = Picture(
    name="wear",
    heading="Sliding and loss",
    order=160,
    holds=of_dataset(has_wear),
    draw=of_dataset(draw_wear),
    caption=of_dataset(_caption),
)
