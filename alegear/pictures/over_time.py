"""Curves of many parts over time: the largest in colours with names, the others grey; events as lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.scales import prefixed
from alegear.pictures.titles import no_mathematics, shortened

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Curves and bars with names of their own.
MOST = 10
#: Events that are drawn as lines; more would be a grey area.
MOST_LINES = 200
#: Curves that differ by less than this part of the height of a picture, the width of a line, are drawn as one.
ONE_LINE = 5e-3
LETTERS = 30


def over_time(dataset: xr.Dataset) -> tuple[Figure, Axes]:
    figure, (axes,) = new_figure(dataset, rows=1, height=3.9)
    over_time_axis(axes, dataset)
    axes.grid(alpha=0.3)
    mark_events(axes, dataset)
    return figure, axes


def merged(values: Array, names: Sequence[str]) -> tuple[Array, list[str]]:
    """One curve for those that look the same, with their names.

    Parameters
    ----------
    values : shape (n, n_curves)
    names : sequence of str

    Returns
    -------
    shape (n, n_groups), list of str
        The first curve of each group, and the names of all.
    """
    tolerance = ONE_LINE * float(np.ptp(values)) if values.size else 0.0
    groups: list[list[int]] = []
    for i in range(values.shape[1]):
        for group in groups:
            if np.abs(values[:, i] - values[:, group[0]]).max(initial=0.0) <= tolerance:
                group.append(i)
                break
        else:
            groups.append([i])
    labels = []
    for group in groups:
        more = f" and {len(group) - 3} others" if len(group) > 4 else ""
        labels.append(", ".join(names[i] for i in (group[:3] if more else group)) + more)
    return values[:, [group[0] for group in groups]], labels


def draw_curves(axes: Axes, dataset: xr.Dataset, values: Array, names: Sequence[str]) -> None:
    """Draw the largest in colour, the others in grey; names at the right."""
    time = dataset["time"].to_numpy()
    order = np.argsort(-np.abs(values).max(axis=0, initial=0.0), kind="stable")
    large, others = sorted(order[:MOST].tolist()), order[MOST:].tolist()
    for number, i in enumerate(others):
        label = f"{len(others)} others" if number == 0 else None
        axes.plot(time, values[:, i], color="0.75", lw=0.8, label=label, zorder=1.5)
    styles = cycle((colour, style) for style in ("-", "--", ":") for colour in COLOURS)
    for i, (colour, style) in zip(large, styles, strict=False):
        axes.plot(time, values[:, i], style, color=colour, lw=1.4, label=shortened(names[i], LETTERS))
    if not names:
        axes.text(0.5, 0.5, "all are zero", transform=axes.transAxes, ha="center", va="center")
        return
    handles, labels = axes.get_legend_handles_labels()
    first = len(large)  # the others come last
    handles, labels = handles[-first:] + handles[:-first], labels[-first:] + labels[:-first]
    figure = axes.figure
    legend = figure.legend(handles, labels, loc="outside right upper", fontsize=8.0, frameon=False)
    no_mathematics(legend.get_texts())


def mark_events(axes: Axes, dataset: xr.Dataset) -> None:
    """Draw the times of events as thin lines."""
    times = np.unique(dataset["event_time"].to_numpy()) if "event_time" in dataset else np.zeros(0)
    if len(times) > MOST_LINES:
        axes.annotate(
            f"{len(times)} events", (1.0, 1.0), (0, 3), xycoords="axes fraction", textcoords="offset points",
            ha="right", fontsize=7.0, color="0.4",
        )  # fmt: skip
        return
    for t in times:
        axes.axvline(t, color="0.55", lw=0.6, ls=(0, (4, 3)), zorder=1.0)


def over_time_axis(axes: Axes, dataset: xr.Dataset) -> None:
    """Make the x axis one of all times, short ones in ms or µs."""
    time = dataset["time"].to_numpy()
    first, last = float(time[0]), float(time[-1])
    factor, unit = prefixed(last, "s") if last < 1.0 else (1.0, "s")
    axes.set(xlabel=f"time [{unit}]", xlim=(first, last if last > first else first + 1.0))
    axes.xaxis.set_major_formatter(lambda at, _: f"{factor * at:.6g}")
