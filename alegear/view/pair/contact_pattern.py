"""The contact pattern on the pinion's flank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.view.pair.curves import array_of, edges
from alegear.view.pair.flank_map import draw_map, flank_panels, legend_below

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

PRESSURE = ("pattern_pressure", 1e-6, "flank pressure [MPa]")
LINE_LOAD = ("pattern_line_load", 1e-3, "line load [N/mm]")


def draw_contact_pattern(dataset: xr.Dataset) -> Figure:
    """Draw the largest flank pressure and line load of a cycle over the pinion's flank, with the ends of the flanks.

    Where an edge touches (tip round or undercut edge) and no flank, it is hatched: the pressure there is that of the
    edge, which the legend names, and no measure of the flanks.
    """
    quantities = [one for one in (PRESSURE, LINE_LOAD) if (array_of(dataset, one[0]) > 0.0).any()] or [PRESSURE]
    figure, panels = flank_panels(dataset, len(quantities), _words(dataset))
    for axes, quantity in zip(panels, quantities, strict=True):
        draw_map(axes, dataset, quantity)
        if quantity == PRESSURE:
            _hatch_edges(axes, dataset)
    legend_below(figure, panels[0])
    return figure


def _words(dataset: xr.Dataset) -> str:
    """Say load and its spread across the face."""
    words = []
    if "load_mean" in dataset and np.isfinite(float(dataset["load_mean"])):
        load = float(dataset["load_mean"])
        words.append(f"load {1e-3 * load:.4g} kN")
        if "base_radius" in dataset:
            words[0] += f" ({load * float(dataset['base_radius'][0]):.4g} N m on the pinion)"
    if "face_load_factor" in dataset and np.isfinite(float(dataset["face_load_factor"])):
        words.append(rf"$K_{{H\beta}}$ {float(dataset['face_load_factor']):.3g}")
    return ", ".join(words)


def _hatch_edges(axes: Axes, dataset: xr.Dataset) -> None:
    """Hatch where an edge touches and no flank; its largest pressure stands in the legend."""
    from matplotlib.patches import Rectangle

    pressure = np.nan_to_num(array_of(dataset, "pattern_edge_pressure")) * 1e-6
    touches = pressure > np.nan_to_num(array_of(dataset, "pattern_pressure")) * 1e-6
    if not touches.any():
        return
    roll, face = edges(array_of(dataset, "roll_length") * 1e3), edges(array_of(dataset, "slice") * 1e3)
    only = np.ma.masked_where(~touches, np.ones_like(pressure))
    axes.pcolor(roll, face, only.T, hatch="////", facecolor="none", edgecolor="0.35", linewidth=0.0)
    # the legend shows a patch, not the grid of the picture
    label = f"edge touches, up to {pressure.max():.4g} MPa"
    corner = float(roll[0]), float(face[0])
    axes.add_patch(Rectangle(corner, 0.0, 0.0, hatch="////", fill=False, edgecolor="0.35", linewidth=0.0, label=label))
