"""Maps over the pinion's flank: roll length by position across the face, with diameters and the ends of the flanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import edges, new_figure
from alegear.pictures.scales import plain
from alegear.pictures.titles import first_gear
from alegear.results.reading import array, largest_of
from alegear.results.steady_window import window_of_dataset

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Variable, factor to its unit, label.
Quantity = tuple[str, float, str]
#: Where a narrow peak would use up the colours, they end this much above what 85 % of the cells stay below.
COMMON, ABOVE_COMMON, OUT = 0.85, 1.2, 1.3
#: The cross is seen whole at the end of a flank, too.
ABOVE: dict[str, Any] = {"zorder": 5.0, "clip_on": False}
#: Height of the axis of diameters with its name [points].
ABOVE_DIAMETERS = 36.0


def flank_panels(dataset: xr.Dataset, rows: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels over the pinion's flank, diameters above."""
    figure, panels = new_figure(dataset, rows=rows, height=1.7 + 2.5 * rows, sharex=True)
    panels[-1].set_xlabel(f"roll length on the flank of {first_gear(dataset)} [mm]")
    if "base_radius" in dataset:
        _add_diameters(panels[0], array(dataset, "base_radius")[0] * 1e3, first_gear(dataset))
    return figure, panels


def words_of_short(dataset: xr.Dataset) -> str:
    """Say that the positions or times are less than a pitch; nothing of more."""
    return "" if window_of_dataset(dataset).pitches else "less than a pitch: flank not reached everywhere"


def draw_map(axes: Axes, dataset: xr.Dataset, quantity: Quantity) -> None:
    """Draw a map; no colour where nothing touches, a cross where the largest value is.

    Parameters
    ----------
    axes : Axes
    dataset : xarray.Dataset
    quantity : (str, float, str)
        Variable over roll length and slice, factor to its unit, label with unit.
    """
    name, factor, label = quantity
    roll, face = array(dataset, "roll_length") * 1e3, array(dataset, "slice") * 1e3
    pattern = array(dataset, name) * factor
    shown = np.ma.masked_less_equal(np.ma.masked_invalid(pattern), 0.0)
    most = max(largest_of(pattern), 1e-9)
    top = end_of_scale(shown.compressed()) or most
    has_diameters = bool(axes.child_axes)
    picture = axes.pcolormesh(edges(roll), edges(face), shown.T, cmap="viridis", vmin=0.0, vmax=top)
    beyond = "max" if top < most else "neither"
    bar = axes.figure.colorbar(picture, cax=axes.inset_axes((1.02, 0.0, 0.02, 1.0)), extend=beyond)
    bar.set_label(label)
    if shown.count():
        i, j = np.unravel_index(int(np.ma.argmax(shown)), shown.shape)
        axes.plot(roll[i], face[j], "x", color="white", markersize=9, markeredgewidth=3.0, **ABOVE)
        axes.plot(roll[i], face[j], "x", color="black", markersize=8, markeredgewidth=1.2, **ABOVE)
        unit = label.rpartition("[")[2].removesuffix("]")
        pad = ABOVE_DIAMETERS if has_diameters else None
        axes.set_title(f"largest {plain(most)} {unit}, at the cross", fontsize=8.5, loc="right", y=1.0, pad=pad)
    draw_flank_limits(axes, dataset)
    axes.set_ylim(float(edges(face)[0]), float(edges(face)[-1]))
    axes.set_ylabel("position across\nthe face [mm]")
    axes.set_facecolor("0.93")


def end_of_scale(values: Array) -> float | None:
    """Where the colours of a map end: None, at the largest value, but below a narrow peak."""
    common = ABOVE_COMMON * float(np.quantile(values, COMMON)) if values.size else 0.0
    return common if common > 0.0 and float(values.max()) > OUT * common else None


def draw_flank_limits(axes: Axes, dataset: xr.Dataset) -> None:
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


def _add_diameters(axes: Axes, base_radius: float, gear: str) -> None:
    """Add the diameters [mm] of the first gear as a second axis, ``d = 2 sqrt(r_b^2 + xi^2)``."""

    from matplotlib.ticker import MaxNLocator

    def to_diameter(roll: Any) -> Array:
        return np.asarray(2.0 * np.hypot(base_radius, np.maximum(roll, 0.0)))

    def to_roll(diameter: Any) -> Array:
        return np.asarray(np.sqrt(np.maximum(0.25 * np.square(diameter) - base_radius**2, 0.0)))

    # words of the figure stand between the axis and the map
    top = axes.secondary_xaxis("top", functions=(to_diameter, to_roll))
    top.set_xlabel(f"diameter of {gear} [mm]")
    top.xaxis.set_major_locator(MaxNLocator(6))  # they crowd towards the tip
