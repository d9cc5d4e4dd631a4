"""Loads of the tooth pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.view.colours import COLOURS
from alegear.view.pair.curves import (
    abscissa,
    curves,
    finish,
    is_dynamic,
    largest_of,
    last_pitches,
    marks,
    new_figure,
    pairs_with_values,
    row_max,
    sum_of_row,
    values_by_pair,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def draw_tooth_load(dataset: xr.Dataset) -> Figure:
    """Draw the load of each tooth pair and of all together."""
    part = last_pitches(dataset) if is_dynamic(dataset) else slice(None)
    load, pairs = values_by_pair(dataset, "tooth_load", part)

    if is_dynamic(dataset):
        figure, (whole, axes) = new_figure(dataset, rows=2, height=6.5)
        x, (total, largest), label = curves(dataset, ("tooth_load",), sum_of_row, row_max)
        unit, factor = ("kN", 1e-3) if largest_of(largest) >= 2e3 else ("N", 1.0)
        whole.plot(x, total * factor, color="black", linewidth=0.6, label="all pairs")
        whole.plot(x, largest * factor, color=COLOURS[1], linewidth=0.6, label="most loaded pair")
        finish(whole, x, label, f"tooth load [{unit}]", legend=True)
    else:
        figure, (axes,) = new_figure(dataset, rows=1, height=4.5)
        unit, factor = ("kN", 1e-3) if largest_of(load) >= 2e3 else ("N", 1.0)
    x, label = abscissa(dataset, part)
    axes.plot(x, sum_of_row(load) * factor, color="black", linewidth=1.0, linestyle=":", label="all pairs")
    for k, pair, colour in pairs_with_values(pairs, load):
        axes.plot(x, _engaged(load[:, k]) * factor, color=colour, label=f"pair {pair}", **marks(x))
    finish(axes, x, label, f"tooth load [{unit}]", legend=True)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    return figure


def _engaged(load: Floats) -> Floats:
    """The load of a pair while it has one, and the 0 beside it; NaN beyond, where all pairs would be one line."""
    carries = np.nan_to_num(load) != 0.0
    near = carries.copy()
    near[1:] |= carries[:-1]
    near[:-1] |= carries[1:]
    return np.where(near, load, np.nan)
