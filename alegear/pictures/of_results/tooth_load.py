"""Loads of the tooth pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import (
    curves,
    finish,
    marks,
    new_figure,
    pairs_with_values,
    row_max,
    sum_of_row,
    values_by_pair,
)
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import abscissa, largest_of, last_pitches, moves, over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Curves of a legend beside them; of more each has its number at its top, as many as have room there.
MOST_NAMES, MOST_NUMBERS = 15, 32
#: Loads within this part of the largest are the top of a curve, whose middle has the number.
TOP = 0.02
#: Room for the numbers over the height of the curves.
ROOM = 0.08


def draw_tooth_load(dataset: xr.Dataset) -> Figure:
    """Draw the load of each tooth pair and of all together.

    Pairs are named beside the curves, or by their numbers at the tops of more curves than have names there.
    """
    part = last_pitches(dataset) if moves(dataset) else slice(None)
    load, pairs = values_by_pair(dataset, "tooth_load", part)

    if moves(dataset):
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
    shown = pairs_with_values(pairs, load)
    named = len(shown) <= MOST_NAMES
    for k, pair, colour in shown:
        name = f"pair {pair}" if named else ""
        axes.plot(x, _engaged(load[:, k]) * factor, color=colour, label=name, **marks(x))
    finish(axes, x, label, f"tooth load [{unit}]", legend=named)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    if not named:
        _number(axes, x, load * factor, shown)
    return figure


def _number(axes: Axes, x: Array, load: Array, shown: Sequence[tuple[int, int, str]]) -> None:
    """Write the number of its pair at the top of each curve, of very many at every so many-th, and what they count."""
    every = -(-len(shown) // MOST_NUMBERS)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + ROOM * (high - low))
    for k, pair, colour in shown[::every]:
        largest = largest_of(load[:, k])
        top = np.flatnonzero(np.nan_to_num(load[:, k]) >= (1.0 - TOP) * largest)
        middle = 0.5 * (x[top[0]] + x[top[-1]])
        side = "left" if middle <= x[0] else "right" if middle >= x[-1] else "center"
        axes.annotate(
            str(pair), (middle, largest), (0, 3), textcoords="offset points", ha=side, fontsize=7.5, color=colour
        )
    of = "each curve" if every == 1 else f"one curve in {every}"
    words = f"number at {of}: its tooth pair; pair k has the teeth k of both gears, counted anew in each revolution"
    axes.set_title(f"{words}\ndotted: all pairs together", fontsize=8, loc="left")


def _engaged(load: Array) -> Array:
    """The load of a pair while it has one, and the 0 beside it; NaN beyond, where all pairs would be one line."""
    carries = np.nan_to_num(load) != 0.0
    near = carries.copy()
    near[1:] |= carries[:-1]
    near[:-1] |= carries[1:]
    return np.where(near, load, np.nan)


PICTURE = Picture(
    name="tooth_load",
    heading="Load sharing",
    order=120,
    holds=of_dataset(lambda dataset: over_lead(dataset, "tooth_load", "phase")),
    draw=of_dataset(draw_tooth_load),
    caption=lambda result: "Load of each tooth pair: moment about the pinion axis over its base radius",
)
