"""Root stress over the fillets: its largest and smallest values of a cycle as maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.pictures.curves import WIDTH
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.titles import title_of
from alegear.results.reading import moves
from alegear.results.root_cycle import CRITICAL_TANGENT, POINT_BY_POINT, critical_point, fillet_extreme

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SIDES = ("tension", "compression")


def has_fillet_map(dataset: xr.Dataset) -> bool:
    """Whether the stress of the fillets is kept point by point."""
    return POINT_BY_POINT in dataset and bool(np.isfinite(dataset[POINT_BY_POINT].values).any())


def draw_fillet(dataset: xr.Dataset) -> Figure:
    """Draw the extreme signed principal stress of a cycle over the root fillets: largest, and smallest beside.

    On the tension side the largest, on the compression side the smallest; a cross where they are, a ring at the point
    with the widest range, whose cycle ``root_stress`` shows, a line where the tangent stands at 30 degrees to
    the tooth's centre line (critical section of ISO 6336-3).
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 6.0), layout="constrained")
    panels = figure.subplots(2, 2)
    title_of(figure, dataset)
    for g in range(2):
        for s, side in enumerate(SIDES):
            axes, words = panels[g, s], ("largest", "smallest")[s]
            values = fillet_extreme(dataset, g, s)
            _draw_fillet_map(axes, dataset, g, values, f"{dataset['gear'].values[g]}, {side} side: {words}")
            _ring(axes, dataset, g, s)
    for axes in panels[:, 0]:
        axes.set_ylabel("position across the face [mm]")
    for axes in panels[1]:
        axes.set_xlabel("arc length from the middle\nof the tooth space [mm]")
    return figure


def _ring(axes: Axes, dataset: xr.Dataset, gear: int, side: int) -> None:
    """Ring the point whose range is the widest, with the extreme there in the title."""
    point = critical_point(dataset, gear, side)
    if point is None:
        return
    i, j = point.row, point.column
    arc, face = (1e3 * dataset[name].values[gear] for name in ("fillet_arc_length", "face_position"))
    value = float(fillet_extreme(dataset, gear, side)[i, j])
    axes.plot(arc[i], face[j], "o", color="black", markerfacecolor="none", markersize=9, clip_on=False)
    axes.set_title(f"{axes.get_title()}, ring {value:.0f}", fontsize=9)


def _draw_fillet_map(axes: Axes, dataset: xr.Dataset, gear: int, values: Array, words: str) -> None:
    """Draw a map (n_fillet, n_face) [MPa] of a gear."""
    arc, face = (1e3 * dataset[name].values[gear] for name in ("fillet_arc_length", "face_position"))
    rows, columns = np.isfinite(arc), np.isfinite(face)
    shown = np.ma.masked_invalid(values[rows][:, columns])
    if not shown.count():
        axes.text(0.5, 0.5, "not computed", transform=axes.transAxes, ha="center")
        return
    tension = float(shown.max()) > -float(shown.min())
    low, high = (0.0, float(shown.max())) if tension else (float(shown.min()), 0.0)
    picture = axes.pcolormesh(
        arc[rows], face[columns], shown.T, cmap="Reds" if tension else "Blues_r", vmin=low, vmax=high, shading="gouraud"
    )
    axes.figure.colorbar(picture, ax=axes, pad=0.02).set_label("principal stress [MPa]")
    at = int(np.argmax(np.abs(shown.filled(0.0))))
    i, j = np.unravel_index(at, shown.shape)
    axes.plot(arc[rows][i], face[columns][j], "x", color="black", markersize=8, markeredgewidth=1.5, clip_on=False)
    axes.set_title(f"{words} {shown[i, j]:.0f} MPa", fontsize=9)
    tangent = dataset["fillet_tangent_angle"].values[gear][rows]
    if tangent.min() < CRITICAL_TANGENT < tangent.max():
        order = np.argsort(tangent)
        place = float(np.interp(CRITICAL_TANGENT, tangent[order], arc[rows][order]))
        axes.axvline(place, color="0.3", linestyle="--", linewidth=1.0)
        axes.annotate("30°", (place, 0.0), xycoords=("data", "axes fraction"), fontsize=8, va="bottom", ha="right")


def _caption(dataset: xr.Dataset) -> str:
    """Say what crosses and rings are."""
    of = "motion" if moves(dataset) else "cycle"
    words = f"Principal stress over the root fillets: largest and smallest values; cross: extreme of the {of}"
    if any(critical_point(dataset, g, s) is not None for g in range(2) for s in range(2)):
        words += "; ring: point with the widest range, whose cycle the passage of a tooth shows"
    return f"{words}; dashed: tangent at 30° (critical section of ISO 6336-3)"


PICTURE = Picture(
    name="fillet",
    heading="Root stress",
    order=151,
    holds=of_dataset(has_fillet_map),
    draw=of_dataset(draw_fillet),
    caption=of_dataset(_caption),
)
