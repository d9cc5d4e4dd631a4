"""Forces on bearings and displacements of a pair whose gears stand on bearings that give way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import finish, marks, new_figure
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import plain
from alegear.results.reading import abscissa, array, last_pitches, moves, over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

AXES = ("x", "y", "z")
#: What is drawn: variable, factor to its unit, label, unit, and what is round-off [unit].
ROWS = (
    ("bearing_force", 1.0, "force on the bearing\nless its mean", "N", 1e-3),
    ("displacement", 1e6, "displacement\nless its mean", "µm", 1e-4),
    ("tilt", 1e6, "tilt\nless its mean", "µrad", 1e-4),
)


def has_bearings(dataset: xr.Dataset) -> bool:
    """Whether forces of gears on their bearings are known; those of a mesh of a machine are NaN: shafts hold it."""
    if not over_lead(dataset, "bearing_force", ndim=3) or dataset["bearing_force"].dims[1] != "gear":
        return False
    return bool(np.any(np.nan_to_num(array(dataset, "bearing_force"))))


def draw_bearings(dataset: xr.Dataset) -> Figure:
    """Draw the components of bearing forces, displacements and tilts about their means, which the legends give.

    What changes with the mesh is what is heard; the means, many times as large, would flatten it.
    """
    part = last_pitches(dataset) if moves(dataset) else slice(None)
    x, label = abscissa(dataset, part)
    found = [
        (factor * array(dataset, name, part), words, unit, least)
        for name, factor, words, unit, least in ROWS
        if name in dataset
    ]
    shown = [row for row in found if (np.abs(row[0]) > row[3]).any()] or found[:1]
    figure, panels = new_figure(dataset, rows=len(shown), height=1.0 + 2.6 * len(shown), sharex=True)
    for axes, (values, words, unit, least) in zip(panels, shown, strict=True):
        for g, line in enumerate(("-", "--")):
            for k in range(values.shape[2]):
                if not (np.abs(values[:, g, k]) > least).any():
                    continue
                mean = float(values[:, g, k].mean())
                size = plain(float(np.ptp(values[:, g, k])), 3)
                text = f"{dataset['gear'].values[g]} {AXES[k]}, mean {plain(mean)} {unit}\npeak to peak {size} {unit}"
                options = marks(x) | {"linewidth": 1.2}
                axes.plot(x, values[:, g, k] - mean, linestyle=line, color=COLOURS[k], label=text, **options)
        finish(axes, x, "", f"{words} [{unit}]", legend=True)
    panels[-1].set_xlabel(label)
    return figure


PICTURE = Picture(
    name="bearings",
    heading="Bearing forces",
    order=240,
    holds=of_dataset(has_bearings),
    draw=of_dataset(draw_bearings),
    caption=lambda result: "Forces on the bearings, displacements and tilts of the gears, each about its mean",
)
