"""Stress and rotation of chosen points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import blocks_of, curves, finish, marks, new_figure
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


def draw_points(dataset: xr.Dataset) -> Figure:
    """Draw stress and rotation of each chosen point, those of a gear on the tooth on which one is stressed most."""
    figure, (above, below) = new_figure(dataset, rows=2, height=5.6, sharex=True)
    gears = [str(gear) for gear in dataset["point_gear"].values]
    largest = np.full((len(gears), dataset.sizes["tooth"]), -np.inf)  # by point and tooth
    for block in blocks_of(dataset, ("point_stress",)):
        stress = block["point_stress"]
        largest = np.maximum(largest, np.where(np.isfinite(stress), stress, -np.inf).max(axis=0, initial=-np.inf))
    teeth = []
    for i in range(len(gears)):
        tooth = int(largest[[gear == gears[i] for gear in gears]].max(axis=0).argmax())
        if np.isneginf(largest[i, tooth]):  # not one of the teeth of this point
            tooth = int(largest[i].argmax())
        teeth.append(tooth)

    def chosen(values: Array) -> Array:
        return values[:, np.arange(len(gears)), teeth]

    x, (stress,), label = curves(dataset, ("point_stress",), lambda values: chosen(values) * 1e-6)
    _, (rotation,), _ = curves(dataset, ("point_rotation",), lambda values: chosen(values) * 1e3)
    for i, name in enumerate(dataset["point"].values):
        options: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], **marks(x)}
        options["linestyle"] = "-" if gears[i] == str(dataset["gear"].values[0]) else "--"
        above.plot(x, stress[:, i], label=f"{name}\n({gears[i]}, tooth {dataset['tooth'].values[teeth[i]]})", **options)
        below.plot(x, rotation[:, i], **options)
    finish(above, x, "", "von Mises stress [MPa]", legend=True)
    finish(below, x, label, "rotation against the bore [mrad]")
    return figure


PICTURE = Picture(
    name="points",
    heading="Chosen points",
    order=155,
    holds=of_dataset(lambda dataset: has(dataset, "point_stress", "point_rotation")),
    draw=of_dataset(draw_points),
    caption=lambda result: (
        "Stress and rotation of chosen points, on the tooth on which one of the gear is stressed most"
    ),
)
