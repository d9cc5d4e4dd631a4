"""Scales of axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Curves that change by less than this part of their largest value are constant.
CONSTANT = 1e-6
#: Height of the axis of a constant over its value, to either side.
ROOM = 0.1


def show_constants_flat(axes: Axes) -> None:
    """Give the y axis numbers without an offset, and where all curves are one constant do not enlarge round-off."""
    axes.ticklabel_format(axis="y", useOffset=False)
    values = [np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.lines]
    every = np.concatenate([np.zeros(0), *values])
    every = every[np.isfinite(every)]
    if not every.size:
        return
    low, high = float(every.min()), float(every.max())
    largest = max(abs(low), abs(high))
    if largest and high - low <= CONSTANT * largest:
        axes.set_ylim(low - ROOM * largest, high + ROOM * largest)
