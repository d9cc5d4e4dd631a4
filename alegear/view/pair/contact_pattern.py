"""The contact pattern on the pinion's flank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.view.colours import COLOURS
from alegear.view.pair.curves import array_of, edges, largest_of, new_figure

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def draw_contact_pattern(dataset: xr.Dataset) -> Figure:
    """Draw the largest contact pressure and line load of a cycle over the pinion's flank, with the ends of the flanks.

    Where an edge touches (tip round or undercut edge) the pressure is hatched: it is that of the edge, which the legend
    names, and no measure of the flanks. A colour scale that a narrow peak (an end of the face) would use up alone ends
    below it; its label then names the largest value.
    """
    quantities = [
        ("pattern_pressure", 1e-6, "flank pressure [MPa]"),
        ("pattern_line_load", 1e-3, "line load [N/mm]"),
    ]
    drawn = [q for q in quantities if (array_of(dataset, q[0]) > 0.0).any()] or quantities[:1]
    figure, panels = new_figure(dataset, rows=len(drawn), height=1.6 + 3.0 * len(drawn), sharex=True)
    roll = array_of(dataset, "roll_length") * 1e3
    face = array_of(dataset, "slice") * 1e3
    for axes, (name, factor, label) in zip(panels, drawn, strict=True):
        # no colour where nothing touches: the edge of the pattern is then plain to see
        pattern = array_of(dataset, name) * factor
        shown = np.ma.masked_less_equal(np.ma.masked_invalid(pattern), 0.0)
        largest = max(largest_of(pattern), 1e-9)
        top = end_of_scale(shown.compressed(), largest)
        picture = axes.pcolormesh(edges(roll), edges(face), shown.T, cmap="viridis", vmin=0.0, vmax=top)
        bar = figure.colorbar(picture, ax=axes, pad=0.02, extend="max" if top < largest else "neither")
        bar.set_label(f"{label}\nlargest {largest:.4g}" if top < largest else label)
        if name == "pattern_pressure":
            _hatch_edges(axes, dataset)
        _draw_flank_limits(axes, dataset)
        axes.set_ylim(float(edges(face)[0]), float(edges(face)[-1]))
        axes.set_ylabel("position across\nthe face [mm]")
        axes.set_facecolor("0.93")
    panels[-1].set_xlabel("roll length on the pinion's flank [mm]")
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(handles), fontsize=8, frameon=False)
    return figure


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


def _draw_flank_limits(axes: Axes, dataset: xr.Dataset) -> None:
    """Mark root form circle and tip of both gears; a light border keeps the lines visible on any colour."""
    from matplotlib import patheffects

    border = [patheffects.withStroke(linewidth=3.0, foreground="white")]
    styles = {"root_form": "--", "tip": "-"}
    gears = [str(g) for g in dataset["gear"].values]
    for g, (gear, colour) in enumerate(zip(gears, (COLOURS[1], "black"), strict=True)):
        for k, limit in enumerate(str(v) for v in dataset["limit"].values):
            place = float(dataset["flank_limit"].values[g, k]) * 1e3
            if np.isfinite(place):
                axes.axvline(
                    place,
                    color=colour,
                    linestyle=styles[limit],
                    linewidth=1.3,
                    path_effects=border,
                    label=f"{limit.replace('_', ' ')}, {gear}",
                )


def end_of_scale(values: Floats, largest: float) -> float:
    """Return the end of a colour scale: the largest value, or 20 % above what 85 % stay below where peaks stand out."""
    if not values.size:
        return largest
    common = 1.2 * float(np.quantile(values, 0.85))
    return common if largest > 1.3 * common else largest
