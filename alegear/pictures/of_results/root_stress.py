"""Root stress: the cycle of one tooth, and maps of the root fillets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.geometry.tooth_profile import CRITICAL_TANGENT
from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import WIDTH, array_of, finish, is_dynamic, last_pitches, title_of
from alegear.results.root_cycle import (
    ALL,
    POINT_BY_POINT,
    critical_point,
    fillet_extreme,
    tooth_cycle,
)
from alegear.results.steady_window import window_of_dataset

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SIDES = (("tension", "-"), ("compression", "--"))


def draw_root_stress(dataset: xr.Dataset) -> Figure:
    """Draw the signed principal stress of one tooth of each gear while it passes the mesh.

    At rest alike teeth of a gear show, each at its position in the mesh, the whole passage of one: their stresses stand
    over the phase of their own pair. Teeth that differ, and those of a motion, are loaded differently: they have a
    line each, of a motion those of the last pitches, and the numbers are those of the tooth with the widest range; the
    extremes of the whole motion are in words. Less than a pitch has no range. Where the stress is kept point by point
    it is that of the point with the widest range, which :func:`draw_fillet` rings, with range, amplitude and mean; else
    the largest of the fillet by magnitude, which is no cycle of any point and has none of them. Another point of the
    fillet may have a larger stress with a narrower range: the figure says so.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 6.6), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    title_of(figure, dataset)
    part = last_pitches(dataset) if is_dynamic(dataset) else ALL
    apart, whole = False, window_of_dataset(dataset).pitches > 0
    for g, axes in enumerate(panels):
        gear = str(dataset["gear"].values[g])
        for s, (side, line) in enumerate(SIDES):
            cycle = tooth_cycle(dataset, g, s, part)
            if not cycle.stress.size:
                continue
            apart = apart or cycle.apart
            high, low = cycle.ends
            words = f"{side} side: {low:.0f} to {high:.0f} MPa"
            if not whole:
                words = f"{side} side: less than a pitch, no whole passage of a tooth"
            elif critical_point(dataset, g, s) is not None:  # else of one point now and of another then: no cycle
                words += f", range {high - low:.0f}, amplitude {0.5 * (high - low):.0f}, mean {0.5 * (high + low):.0f}"
            colour = COLOURS[1 - s]
            width = 0.8 if cycle.apart else 1.4
            axes.plot(cycle.phase, cycle.stress, color=colour, linestyle=line, linewidth=width, label=words)
            for end in (high, low) if whole else ():
                axes.axhline(end, color=colour, linestyle=":", linewidth=0.7)
        if not axes.lines:
            axes.text(0.5, 0.5, "not computed", transform=axes.transAxes, ha="center")
        axes.axhline(0.0, color="0.6", linewidth=0.7)
        finish(axes, np.zeros(0), "", f"{gear}: principal stress\nin the root [MPa]")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, borderaxespad=0.2)
    panels[-1].set_xlabel("phase of the tooth's own pair [pitches], 0 = it touches at the pitch point")
    words = _words_on_points(dataset)
    if is_dynamic(dataset):
        words += f"\nteeth of the last pitches; the whole motion: {_whole_motion(dataset)}"
    if apart:
        words = f"a line a tooth; numbers of the tooth with the widest range\n{words}"
    figure.supxlabel(words, fontsize=8)
    return figure


def _whole_motion(dataset: xr.Dataset) -> str:
    """Say the extremes of all fillets over all times."""
    stress = 1e-6 * np.nan_to_num(array_of(dataset, "root_stress_principal"))
    if not len(stress):
        return "none"
    gears = [str(gear) for gear in dataset["gear"].values]
    return ", ".join(f"{name} {stress[:, g].min():.0f} to {stress[:, g].max():.0f} MPa" for g, name in enumerate(gears))


def _words_on_points(dataset: xr.Dataset) -> str:
    """Say whose stress the cycles are, and what the fillets have elsewhere."""
    if all(critical_point(dataset, g, s) is None for g in range(2) for s in range(2)):
        return "at each phase the stress that is the largest of the fillet by magnitude, of changing points"
    words = "stress at the point of the fillet with the widest range (ring in fillet.png)"
    told = []
    for g, gear in enumerate(dataset["gear"].values):
        high, low = (fillet_extreme(dataset, g, s) for s in range(2))
        if np.isfinite(high).any() and np.isfinite(low).any():
            told.append(f"{gear} {np.nanmax(high):.0f} and {np.nanmin(low):.0f} MPa")
    return f"{words}\nextremes of the whole fillet (its crosses): {', '.join(told)}" if told else words


def has_fillet_map(dataset: xr.Dataset) -> bool:
    """Whether the stress of the fillets is kept point by point."""
    return POINT_BY_POINT in dataset and bool(np.isfinite(dataset[POINT_BY_POINT].values).any())


def draw_fillet(dataset: xr.Dataset) -> Figure:
    """Draw the extreme signed principal stress of a cycle over the root fillets: largest, and smallest beside.

    On the tension side the largest, on the compression side the smallest; a cross where they are, a ring at the point
    with the widest range, whose cycle :func:`draw_root_stress` shows, a line where the tangent stands at 30 degrees to
    the tooth's centre line (critical section of ISO 6336-3).
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 6.0), layout="constrained")
    panels = figure.subplots(2, 2)
    title_of(figure, dataset)
    rings = False
    for g in range(2):
        for s, (side, _) in enumerate(SIDES):
            axes, words = panels[g, s], ("largest", "smallest")[s]
            values = fillet_extreme(dataset, g, s)
            _draw_fillet_map(axes, dataset, g, values, f"{dataset['gear'].values[g]}, {side} side: {words}")
            rings = _ring(axes, dataset, g, s) or rings
    for axes in panels[:, 0]:
        axes.set_ylabel("position across the face [mm]")
    for axes in panels[1]:
        axes.set_xlabel("arc length from the middle\nof the tooth space [mm]")
    words = "cross: extreme of the motion" if is_dynamic(dataset) else "cross: extreme of the cycle"
    figure.supxlabel(
        f"{words}; ring: point with the widest range, as in root_stress.png" if rings else words, fontsize=8
    )
    return figure


def _ring(axes: Axes, dataset: xr.Dataset, gear: int, side: int) -> bool:
    """Ring the point whose range is the widest, and tell the extreme there; whether there is one."""
    point = critical_point(dataset, gear, side)
    if point is None:
        return False
    i, j = point.row, point.column
    arc, face = (1e3 * dataset[name].values[gear] for name in ("fillet_arc_length", "face_position"))
    value = float(fillet_extreme(dataset, gear, side)[i, j])
    axes.plot(arc[i], face[j], "o", color="black", markerfacecolor="none", markersize=9, clip_on=False)
    axes.set_title(f"{axes.get_title()}, ring {value:.0f}", fontsize=9)
    return True


def _draw_fillet_map(axes: Axes, dataset: xr.Dataset, gear: int, values: Floats, words: str) -> None:
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
