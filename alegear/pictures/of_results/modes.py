"""Modes of switches over time: open, stuck, sliding."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.legends import legend_above
from alegear.pictures.over_time import LETTERS, over_time_axis
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.titles import no_mathematics, shortened
from alegear.results.switch_events import MODES, events, has_events

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

#: Switches in a picture of modes: those with the most events.
MOST_SWITCHES = 40
MODE_COLOURS = {1: COLOURS[0], 0: "#333333", -1: COLOURS[1], 2: "#e8e8e8"}


def draw_switches(dataset: xr.Dataset) -> Figure:
    """Draw the modes of the switches over time as bands, with the times of the events."""
    from matplotlib.patches import Patch

    time, modes = dataset["time"].to_numpy(), dataset["mode"].to_numpy()
    found = events(dataset)
    names = [str(name) for name in dataset["switch"].to_numpy()]
    by_switch = [[event for event in found if event.switch == name] for name in names]
    order = sorted(range(len(names)), key=lambda i: -len(by_switch[i]))
    shown = sorted(order[:MOST_SWITCHES])
    more = f" ({len(shown)} of {len(names)} switches)" if len(shown) < len(names) else ""
    figure, (axes,) = new_figure(dataset, rows=1, height=1.5 + 0.24 * max(len(shown), 1), more=more)
    for row, i in enumerate(shown):
        edges = [float(time[0]), *(event.time for event in by_switch[i]), float(time[-1])]
        first = by_switch[i][0].before if by_switch[i] else int(modes[-1, i])
        levels = [first, *(event.after for event in by_switch[i])]
        axes.broken_barh(
            [(a, b - a) for a, b in pairwise(edges)],
            (row - 0.38, 0.76),
            facecolors=[MODE_COLOURS[level] for level in levels],
        )
    axes.set_yticks(range(len(shown)), [shortened(names[i], LETTERS) for i in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    over_time_axis(axes, dataset)
    no_mathematics(axes.get_yticklabels())
    legend_above(axes, ([Patch(color=MODE_COLOURS[mode]) for mode in MODES], list(MODES.values())))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


PICTURE = Picture(
    name="modes",
    heading="Torsional parts",
    order=264,
    holds=of_dataset(lambda dataset: has_events(dataset) and bool(dataset.sizes["switch"])),
    draw=of_dataset(draw_switches),
    caption=lambda result: "Modes of clutches, brakes, freewheels and friction elements over time",
)
