"""Torques of bodies on torsional parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.over_time import draw_curves, over_time
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import prefixed
from alegear.results.reading import has, moves

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

#: What is this part of the largest value is zero.
SAME = 1e-9
#: Torques from which on the unit has a prefix [N m].
THOUSANDS = 1e4


def draw_torques(dataset: xr.Dataset) -> Figure:
    """Draw the torques of bodies on parts; of a part with two opposite ones the first, of those that are zero none."""
    torques = dataset["torque"].to_numpy()
    parts = [str(name) for name in dataset["flange_part"].to_numpy()]
    bodies = [str(name) for name in dataset["flange_body"].to_numpy()]
    largest = float(np.abs(torques).max(initial=0.0))
    kept: list[int] = []
    names = []
    for j, part in enumerate(parts):
        mine = [i for i, other in enumerate(parts) if other == part]
        opposite = len(mine) == 2 and np.abs(torques[:, mine].sum(axis=1)).max(initial=0.0) <= SAME * largest
        if not np.any(torques[:, j]) or (opposite and j == mine[1]):
            continue
        kept.append(j)
        names.append(part if len(mine) == 1 else f"{bodies[j]} on {part}")
    figure, axes = over_time(dataset)
    factor, unit = prefixed(largest, "N m") if largest >= THOUSANDS else (1.0, "N m")
    draw_curves(axes, dataset, factor * torques[:, kept], names)
    axes.set_ylabel(f"torque of bodies on parts [{unit}]")
    return figure


def _holds(dataset: xr.Dataset) -> bool:
    return moves(dataset) and has(dataset, "torque") and "flange" in dataset["torque"].dims


PICTURE = Picture(
    name="torques",
    heading="Torsional parts",
    order=263,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_torques),
    caption=lambda result: (
        "Torques of bodies on parts, about the axis of the body; of a part with two opposite ones the first"
    ),
)
