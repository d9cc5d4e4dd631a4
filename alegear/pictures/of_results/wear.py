"""Wear quantities over the pinion's flank: sliding, pressure times velocity, flash temperature, specific sliding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import array_of
from alegear.pictures.flank_map import draw_flank_limits, draw_map, flank_panels, legend_below, words_of_short

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
    return "pattern_pressure_velocity" in dataset


def draw_wear(dataset: xr.Dataset) -> Figure:
    """Draw pressure times velocity and flash temperature over the flank, below them the sliding."""
    maps = [one for one in MAPS if one[0] in dataset]
    figure, panels = flank_panels(dataset, len(maps) + 1, words_of_short(dataset))
    for axes, quantity in zip(panels, maps, strict=False):
        draw_map(axes, dataset, quantity)
    _draw_sliding(panels[-1], dataset)
    legend_below(figure, panels[-1])
    return figure


def _draw_sliding(axes: Axes, dataset: xr.Dataset) -> None:
    """Draw the largest sliding velocity across the face, and beside it the specific sliding of both flanks."""
    roll = array_of(dataset, "roll_length") * 1e3
    velocity = array_of(dataset, "pattern_sliding_velocity").max(axis=1)
    touched = velocity > 0.0
    draw_flank_limits(axes, dataset)
    axes.plot(roll[touched], velocity[touched], color="0.25", linewidth=1.5, label="sliding velocity, magnitude")
    axes.set_ylabel("sliding\nvelocity [m/s]")
    axes.set_ylim(bottom=0.0)
    axes.grid(True, color="0.9")
    right = axes.twinx()
    styles = ("-.", ":")
    for gear, specific in enumerate(array_of(dataset, "pattern_specific_sliding")):
        shown = touched & (np.abs(specific) <= MOST_SLIDING)
        name = f"specific sliding, {dataset['gear'].values[gear]}"
        right.plot(roll[shown], specific[shown], styles[gear], color=COLOURS[gear + 2], linewidth=1.5)
        axes.plot([], [], styles[gear], color=COLOURS[gear + 2], linewidth=1.5, label=name)
    right.axhline(0.0, color="0.6", linewidth=0.6)
    right.set_ylabel("specific sliding")
