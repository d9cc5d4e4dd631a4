"""The contact pattern on the pinion's flank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array, Mask
from alegear.pictures.curves import edges
from alegear.pictures.flank_map import draw_map, flank_panels, words_of_short
from alegear.pictures.legends import legend_below
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.titles import first_gear
from alegear.results.pair_difference import pattern_of_pair, touching_pairs, unlike_pair
from alegear.results.reading import array, has

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


PRESSURE = ("pattern_pressure", 1e-6, "flank pressure [MPa]")
#: Where edges touch; no colour of the maps.
EDGE = "#d6006c"
LINE_LOAD = ("pattern_line_load", 1e-3, "line load [N/mm]")


def draw_contact_pattern(dataset: xr.Dataset) -> Figure:
    """Draw the largest flank pressure and line load of a cycle over the pinion's flank, with the ends of the flanks.

    Where an edge (tip round or undercut edge) presses more than the flank, the map is outlined and hatched thinly: the
    pressure of the edge, which the legend names, is no measure of the flanks.

    These are the largest of all tooth pairs. One that is loaded unlike the others, for its teeth have a pit or stand
    off their places, is hidden among them: its pressure is drawn below alone.
    """
    quantities = [one for one in (PRESSURE, LINE_LOAD) if (array(dataset, one[0]) > 0.0).any()] or [PRESSURE]
    unlike = unlike_pair(dataset)
    figure, panels = flank_panels(dataset, len(quantities) + (unlike is not None))
    for axes, quantity in zip(panels, quantities, strict=False):
        draw_map(axes, dataset, quantity)
        if quantity == PRESSURE:
            _hatch_edges(axes, dataset)
    if unlike is not None:
        _draw_alone(panels[-1], dataset, unlike)
    legend_below(figure, panels[0].get_legend_handles_labels(), 3)
    return figure


def _draw_alone(axes: Axes, dataset: xr.Dataset, pair: int) -> None:
    """Draw the pressure that one tooth pair leaves."""
    (own, whole), dims = pattern_of_pair(dataset, pair), dataset["pattern_pressure"].dims
    patterns = {"pattern_pressure": (dims, own.pressure), "pattern_edge_pressure": (dims, own.edge_pressure)}
    alone = dataset.assign(patterns).assign_coords(roll_length=("roll", own.roll_length))
    draw_map(axes, alone, PRESSURE)
    _hatch_edges(axes, alone, named=False)
    words = f"tooth pair {pair} alone, loaded unlike the others"
    axes.set_title(words if whole else f"{words} (a part of its passage)", fontsize=8.5, loc="left")


def _words(dataset: xr.Dataset) -> str:
    """Say load, its spread across the face, whose contacts these are, and that less than a pitch is not all of them."""
    words = []
    if "load_mean" in dataset and np.isfinite(float(dataset["load_mean"])):
        load = float(dataset["load_mean"])
        words.append(f"load {1e-3 * load:.4g} kN")
        if "base_radius" in dataset:
            words[0] += f" ({load * float(dataset['base_radius'][0]):.4g} N m on {first_gear(dataset)})"
    if "face_load_factor" in dataset and np.isfinite(float(dataset["face_load_factor"])):
        words.append(f"K\u00a0Hβ {float(dataset['face_load_factor']):.3g}")
    if unreached := words_of_short(dataset):
        words.append(unreached)
    pairs = touching_pairs(dataset)
    of_pairs = f"largest of the tooth pairs {pairs[0]} to {pairs[1]}" if pairs is not None else ""
    return "; ".join(one for one in (", ".join(words), of_pairs) if one)


def _hatch_edges(axes: Axes, dataset: xr.Dataset, *, named: bool = True) -> None:
    """Outline and hatch thinly where an edge presses more than the flank; its largest pressure is in a legend.

    The colours are those of the flank, and are seen between the lines.
    """
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

    pressure = np.nan_to_num(array(dataset, "pattern_edge_pressure")) * 1e-6
    touches = pressure > np.nan_to_num(array(dataset, "pattern_pressure")) * 1e-6
    if not touches.any():
        return
    roll, face = edges(array(dataset, "roll_length") * 1e3), edges(array(dataset, "slice") * 1e3)
    label = f"edge touches, up to {pressure.max():.4g} MPa there (colour: of the flank)" if named else ""
    style: dict[str, Any] = {"fill": False, "hatch": "//", "edgecolor": EDGE}
    for first, last, low, high in _blocks(touches):
        corner, size = (roll[first], face[low]), (roll[last] - roll[first], face[high] - face[low])
        axes.add_patch(Rectangle(corner, *size, linewidth=0.0, hatch_linewidth=0.4, **style))
    # the legend shows a patch of its own: those of the map have no border
    axes.add_patch(Rectangle((roll[0], face[0]), 0.0, 0.0, linewidth=1.0, hatch_linewidth=0.4, label=label, **style))
    sides = list(_outline(touches, roll, face))
    outline = Path([end for side in sides for end in side], [Path.MOVETO, Path.LINETO] * len(sides))
    axes.add_patch(PathPatch(outline, fill=False, edgecolor=EDGE, linewidth=1.0))


def _blocks(there: Mask) -> Iterator[tuple[int, int, int, int]]:
    """Borders of rectangles of cells: first and last along the roll length, then across the face."""
    i = 0
    while i < len(there):
        last = i + 1
        while last < len(there) and np.array_equal(there[last], there[i]):
            last += 1
        steps = np.flatnonzero(np.diff(np.concatenate([[False], there[i], [False]]).astype(int)))
        for low, high in steps.reshape(-1, 2).tolist():
            yield i, last, low, high
        i = last


def _outline(there: Mask, roll: Array, face: Array) -> Iterator[list[tuple[float, float]]]:
    """Sides of cells that belong to one with an edge and one without."""
    framed = np.pad(there, 1)
    for i, j in np.argwhere(framed[1:, 1:-1] != framed[:-1, 1:-1]).tolist():
        yield [(roll[i], face[j]), (roll[i], face[j + 1])]
    for i, j in np.argwhere(framed[1:-1, 1:] != framed[1:-1, :-1]).tolist():
        yield [(roll[i], face[j]), (roll[i + 1], face[j])]


def _caption(dataset: xr.Dataset) -> str:
    """Say what the maps are of, the load, whose contacts these are, and what edges press."""
    words = f"Largest flank pressure and line load of a cycle over the flank of {first_gear(dataset)}"
    words = "; ".join(one for one in (words, _words(dataset)) if one)
    edge, pressure = (np.nan_to_num(array(dataset, f"pattern_{one}pressure")) for one in ("edge_", ""))
    if (edge > pressure).any():
        words += (
            f"; hatched: a tip edge or undercut edge touches there, with up to {1e-6 * edge.max():.4g} MPa, which is "
            "that of its rounding and not of the flanks; the colours are those of the flanks"
        )
    return words


def _holds(dataset: xr.Dataset) -> bool:
    maps = ("phase", "pattern_pressure", "pattern_line_load", "flank_limit")
    return has(dataset, *maps) and dataset["pattern_pressure"].dims == ("roll", "slice")


PICTURE = Picture(
    name="contact_pattern",
    heading="Contact pattern",
    order=140,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_contact_pattern),
    caption=of_dataset(_caption),
)
