"""Orders of forces and displacements at bearings over the speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.speed_orders import (
    draw_orders_of,
    has_bearing_orders,
    largest_orders,
    legend_of_kinds,
    loudest,
    loudest_first,
    see_from,
    speeds_of,
)
from alegear.pictures.titles import title_of
from alegear.results.reading import labels

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

#: Of each bearing: variable, reference of the decibels, label.
AT_BEARINGS = (
    ("bearing_force_order", 1.0, "force [dB re 1 N]"),
    ("bearing_displacement_order", 1e-6, "displacement\n[dB re 1 µm]"),
)
#: Bearings that are drawn, at most, width of the figure and height of a row of them [in].
MOST_BEARINGS, WIDTH, HEIGHT = 6, 7.4, 1.5


def draw_bearing_orders(dataset: xr.Dataset) -> Figure:
    """Draw the orders of forces and displacements of all bearings, of a pair of what holds its gears, a row each.

    Of a machine a bearing has the orders of the mesh that is the loudest there. Panels of a column have one scale.
    """
    from matplotlib.figure import Figure

    dim = "bearing" if "bearing" in dataset.dims else "gear"
    columns = [one for one in AT_BEARINGS if one[0] in dataset or f"linear_{one[0]}" in dataset]
    names = [str(name) for name in dataset[dim].to_numpy()]
    rows = loudest_first(dataset, dim, names, "bearing_force_order", MOST_BEARINGS, over="axis")
    height = 1.35 + HEIGHT * len(rows)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    title_of(figure, dataset)
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey="col", squeeze=False)
    speeds = speeds_of(dataset, "pinion_speed" if dim == "gear" else "drive_speed")
    kept = largest_orders(dataset, columns[0][0])
    tops = np.full(len(columns), -np.inf)
    for across, name in zip(panels, rows, strict=True):
        at = {dim: name}
        if "mesh" in dataset.dims:
            at["mesh"] = loudest(dataset.sel(at), columns[0][0], "mesh")
        for column, (variable, reference, label) in enumerate(columns):
            axes = across[column]
            top = draw_orders_of(axes, dataset, speeds, variable, reference, at, over="axis", kept=kept)
            tops[column] = max(top, tops[column])
            axes.set_ylabel(label)
            axes.grid(True, color="0.93")
        of_mesh = f", orders of {at['mesh']}" if "mesh" in at and dataset.sizes["mesh"] > 1 else ""
        across[0].set_title(f"{name}{of_mesh}", loc="left", fontsize=9)
    for axes, top in zip(panels[0], tops, strict=True):
        see_from(axes, top)
    for axes in panels[-1]:
        axes.set_xlabel(f"speed of the {'pinion' if dim == 'gear' else 'drive'} [rpm]")
    legend_of_kinds(panels[0, 0], dataset, static=False)
    return figure


def _caption(dataset: xr.Dataset) -> str:
    """Say which bearings are drawn."""
    names = labels(dataset, "bearing" if "bearing" in dataset.dims else "gear")
    words = "Orders of forces and displacements at the bearings over the speed, all axes together"
    if len(names) > MOST_BEARINGS:
        words += f"; the {MOST_BEARINGS} of {len(names)} bearings with the largest forces"
    return words


PICTURE = Picture(
    name="bearing_orders",
    heading="Noise study",
    order=301,
    holds=of_dataset(has_bearing_orders),
    draw=of_dataset(draw_bearing_orders),
    caption=of_dataset(_caption),
)
