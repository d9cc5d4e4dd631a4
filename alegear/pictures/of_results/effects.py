"""The main quantity of a study over each of its axes: smallest, mean and largest over the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.design_words import QUANTITIES, axis_label, over_axes
from alegear.pictures.legends import legend_beside
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.designs import axis_keys
from alegear.results.reading import has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


#: Height of a panel [in].
HEIGHT = 2.6
STYLES = {"smallest": "--", "mean": "-", "largest": ":"}


def draw_effects(dataset: xr.Dataset) -> Figure:
    """Draw the first quantity that a study has over each axis of numbers, a panel an axis."""
    name, factor, label = next(one for one in QUANTITIES if has(dataset, one[0]))
    values, axes_of, shown = over_axes(dataset, name, factor), list(axis_keys(dataset)), _shown(dataset)
    figure, panels = new_figure(dataset, rows=len(shown), height=0.6 + HEIGHT * len(shown))
    for axes, (axis, key) in zip(panels, shown.items(), strict=True):
        x = np.asarray(dataset[key].values, dtype=float)
        for number, (words, curve) in enumerate(curves_over(values, axes_of.index(axis))):
            order = np.argsort(x, kind="stable")  # in whatever order they were given
            style = STYLES.get(words, "-")
            axes.plot(x[order], curve[order], style, color=COLOURS[number], marker=".", label=words)
        axes.set(xlabel=axis_label(key), ylabel=label)
        axes.grid(True, color="0.9")
        legend_beside(axes)
    return figure


def curves_over(values: Array, axis: int) -> Iterator[tuple[str, Array]]:
    """Smallest, mean and largest value along an axis over the others; the values themselves where there are none."""
    others = tuple(k for k in range(values.ndim) if k != axis)
    if not others:
        yield "", values
        return
    there = np.isfinite(values)
    count = there.sum(axis=others)
    none = count == 0
    yield "smallest", np.where(none, np.nan, np.where(there, values, np.inf).min(axis=others))
    yield "mean", np.where(there, values, 0.0).sum(axis=others) / np.where(none, np.nan, count)
    yield "largest", np.where(none, np.nan, np.where(there, values, -np.inf).max(axis=others))


def _shown(dataset: xr.Dataset) -> dict[str, str]:
    """Axes of several numbers, with their first keys."""
    keys = {axis: of_axis[0] for axis, of_axis in axis_keys(dataset).items() if of_axis[0] in dataset}
    return {a: key for a, key in keys.items() if dataset.sizes[a] > 1 and dataset[key].dtype.kind in "if"}


def _holds(dataset: xr.Dataset) -> bool:
    if "axes" not in dataset.attrs or "failure" not in dataset:
        return False
    return any(has(dataset, name) for name, *_ in QUANTITIES) and bool(_shown(dataset))


def _caption(dataset: xr.Dataset) -> str:
    label = next(words for name, _, words in QUANTITIES if has(dataset, name))
    beside = ": smallest, mean and largest over the other axes" if len(axis_keys(dataset)) > 1 else ""
    return f"{label} over each axis{beside}"


PICTURE = Picture(
    name="effects",
    heading="Study",
    order=29,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_effects),
    caption=of_dataset(_caption),
)
