"""Where energy is lost among torsional parts: powers over time, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.over_time import LETTERS, MOST, mark_events, over_time_axis
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import in_units
from alegear.pictures.titles import no_mathematics, shortened
from alegear.results.reading import over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

MANY_COLOURS = (*COLOURS, "#000000", "#8c6d31", "#7f7f7f", "#5d3a9b")


def draw_losses(dataset: xr.Dataset) -> Figure:
    """Draw the power lost in each part over time, and the energy that this comes to."""
    from matplotlib.ticker import EngFormatter

    time, power = dataset["time"].to_numpy(), dataset["loss"].to_numpy()
    energy = dataset["energy_lost"].to_numpy()[-1]
    names = [shortened(str(name), LETTERS) for name in dataset["part"].to_numpy()]
    order = [int(i) for i in np.argsort(-np.abs(energy), kind="stable") if np.any(power[:, i]) or energy[i] != 0.0]
    large, others = order[:MOST], order[MOST:]
    figure, (left, right) = new_figure(dataset, rows=2, height=6.4)
    bars = [(names[i], float(energy[i]), power[:, i], MANY_COLOURS[k]) for k, i in enumerate(large)]
    if others:
        bars.append((f"{len(others)} others", float(energy[others].sum()), power[:, others].sum(axis=1), "0.7"))
    for _, _, curve, colour in bars:
        left.plot(time, curve, color=colour, lw=1.3)
    left.set_ylabel("power lost")
    over_time_axis(left, dataset)
    left.yaxis.set_major_formatter(EngFormatter(unit="W"))
    left.grid(alpha=0.3)
    mark_events(left, dataset)
    whole = float(energy.sum())
    right.barh(range(len(bars)), [bar[1] for bar in bars], color=[bar[3] for bar in bars], height=0.7)
    for row, (_, value, *_) in enumerate(bars):
        share = f"  ({100.0 * value / whole:.3g} %)" if whole > 0.0 else ""
        right.annotate(
            f"{in_units(value, 'J')}{share}",
            (max(value, 0.0), row),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
        )
    right.set_yticks(range(len(bars)), [bar[0] for bar in bars], fontsize=8.0)
    no_mathematics(right.get_yticklabels())
    right.set(ylim=(max(len(bars), 4) - 0.4, -0.6), xlabel=f"energy lost, {in_units(whole, 'J')} in all")
    right.xaxis.set_major_formatter(EngFormatter(unit="J"))
    right.set_xlim(right=1.3 * max([bar[1] for bar in bars], default=1.0) or 1.0)
    right.spines[["top", "right"]].set_visible(False)
    if not bars:
        left.text(0.5, 0.5, "nothing is lost", transform=left.transAxes, ha="center", va="center")
    return figure


PICTURE = Picture(
    name="losses",
    heading="Torsional parts",
    order=261,
    holds=of_dataset(lambda dataset: over_lead(dataset, "loss", "energy_lost", ndim=2)),
    draw=of_dataset(draw_losses),
    caption=lambda result: "Power lost in each part over time, and the energy that it comes to",
)
