"""Curves of bodies in space in two panels: the largest in colours with names, those that fall together as one."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.legends import legend_beside
from alegear.pictures.over_time import LETTERS, MOST, merged, over_time_axis
from alegear.pictures.scales import show_constants_flat

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = ("-", "--", ":", "-.")
#: Curves whose values are this part of the largest are zero: round-off of joints that bear nothing there.
NOTHING = 1e-9
#: Lines of the legend for their names.
LINES = 4
#: Widths of the first and of the last curve: where they agree the first is seen on both sides of the others.
WIDEST, THINNEST = 2.6, 1.1


def two_panels(dataset: xr.Dataset) -> tuple[Figure, list[Axes]]:
    figure, all_axes = new_figure(dataset, rows=2, height=5.4, sharex=True)
    for axes in all_axes:
        axes.grid(alpha=0.3)
    over_time_axis(all_axes[-1], dataset)
    return figure, all_axes


def curves_by_size(axes: Axes, dataset: xr.Dataset, values: Array, names: list[str]) -> None:
    """Draw the largest in colours with names, the others in grey; of those that are zero the names alone.

    Curves that fall on each other are one, with the names of all.
    """
    time = dataset["time"].to_numpy()
    most = np.abs(values).max(axis=0, initial=0.0)
    zero = most <= NOTHING * most.max(initial=0.0)
    still = [str(name) for name, none in zip(names, zero, strict=True) if none]
    there_is = bool(names)
    values, names = merged(values[:, ~zero], [str(name) for name, none in zip(names, zero, strict=True) if not none])
    most = np.abs(values).max(axis=0, initial=0.0)
    order = np.argsort(-most, kind="stable").tolist()
    for i in order[MOST:]:
        axes.plot(time, values[:, i], color="0.75", lw=0.8)
    shown = sorted(order[:MOST])
    for number, i in enumerate(shown):
        style, colour = STYLES[number // len(COLOURS) % len(STYLES)], COLOURS[number % len(COLOURS)]
        width = WIDEST + (THINNEST - WIDEST) * number / max(len(shown) - 1, 1) if len(shown) > 1 else THINNEST
        axes.plot(time, values[:, i], style, color=colour, lw=width, label=_wrapped(names[i]))
    if still:
        axes.plot([], [], " ", label=_wrapped("zero: " + ", ".join(still)))
    show_constants_flat(axes)
    if not there_is:
        axes.text(0.5, 0.5, "there is none", transform=axes.transAxes, ha="center", va="center")
        return
    legend_beside(axes)


def _wrapped(names: str) -> str:
    """Names in lines that the legend has room for."""
    return "\n".join(textwrap.wrap(names, LETTERS, max_lines=LINES, placeholder=" ..."))
