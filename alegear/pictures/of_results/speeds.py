"""Speeds of a motion: of gears, shafts, rotors and bodies."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.pictures.over_time import draw_curves, merged, over_time
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import array, has, labels, moves

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

#: What turns in a kind of result: variable, dimension.
SPEEDS = (("speed", "gear"), ("speed", "shaft"), ("speed", "body"), ("speed", "rotor"), ("body_speed", "body"))


def draw_speeds(dataset: xr.Dataset) -> Figure:
    """Draw the speeds of all that turns over time; those that turn alike share a curve."""
    shown = _speeds(dataset)
    speeds = np.hstack([array(dataset, name) for name, _ in shown])
    figure, axes = over_time(dataset)
    draw_curves(axes, dataset, *merged(speeds, [label for _, dim in shown for label in labels(dataset, dim)]))
    axes.set_ylabel("speed [rad/s]")
    axes.secondary_yaxis("right", functions=(_rpm, _rad_per_s)).set_ylabel("speed [rpm]")
    return figure


def _speeds(dataset: xr.Dataset) -> list[tuple[str, str]]:
    return [(name, dim) for name, dim in SPEEDS if has(dataset, name) and dim in dataset[name].dims]


def _rpm(speed: Any) -> Any:
    return speed * (30.0 / pi)


def _rad_per_s(speed: Any) -> Any:
    return speed * (pi / 30.0)


def _caption(dataset: xr.Dataset) -> str:
    """Say about what speeds are positive."""
    words = {"gear": "the running direction", "shaft": "the direction of the shaft"}
    about = dict.fromkeys(words.get(dim, "the own axis") for _, dim in _speeds(dataset))
    return f"Speeds, about {' or '.join(about)}; what turns alike shares a curve"


PICTURE = Picture(
    name="speeds",
    heading="Motion",
    order=170,
    holds=of_dataset(lambda dataset: moves(dataset) and bool(_speeds(dataset))),
    draw=of_dataset(draw_speeds),
    caption=of_dataset(_caption),
)
