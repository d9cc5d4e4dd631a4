"""Root stress: the cycle of one tooth, and maps of the root fillets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.results.steady_window import window_of_dataset
from alegear.view.colours import COLOURS
from alegear.view.pair.curves import (
    WIDTH,
    array_of,
    finish,
    is_dynamic,
    last_pitches,
    title_of,
    values_by_pair,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

POINT_BY_POINT = "root_stress_fillet_principal"
SIDES = (("tension", "-"), ("compression", "--"))
#: Tangent at the critical section of ISO 6336-3 [rad].
CRITICAL_TANGENT = np.radians(30.0)


class Cycle(NamedTuple):
    """Stress of teeth: phases since their pairs touched at the pitch point [pitches], stress there [MPa].

    NaN between one tooth and the next, where they are not put together to one passage.
    """

    phase: Floats
    stress: Floats

    @property
    def ends(self) -> tuple[float, float]:
        """Largest and smallest stress; away from the mesh it is 0, which counts too."""
        return max(float(np.nanmax(self.stress)), 0.0), min(float(np.nanmin(self.stress)), 0.0)


def draw_root_stress(dataset: xr.Dataset) -> Figure:
    """Draw the signed principal stress of one tooth of each gear while it passes the mesh.

    At rest all teeth of a gear are alike and show, each at its position in the mesh, the whole passage of one: their
    stresses stand over the phase of their own pair. In motion they are loaded differently: those of the last pitches
    have a line each, and the extremes of the whole motion are in words. Less than a pitch has no range. Where the
    stress is kept point by point it is that of the point with the widest range, which :func:`draw_fillet` rings, with
    range, amplitude and mean; else the largest of the fillet by magnitude, which is no cycle of any point and has none
    of them. Another point of the fillet may have a larger stress with a narrower range: the figure says so.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 6.6), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    title_of(figure, dataset)
    whole = window_of_dataset(dataset).pitches > 0
    for g, axes in enumerate(panels):
        gear = str(dataset["gear"].values[g])
        for s, (side, line) in enumerate(SIDES):
            cycle = tooth_cycle(dataset, g, s)
            if not cycle.stress.size:
                continue
            high, low = cycle.ends
            words = f"{side} side: {low:.0f} to {high:.0f} MPa"
            if not whole:
                words = f"{side} side: less than a pitch, no whole passage of a tooth"
            elif _critical_point(dataset, g, s) is not None:  # else of one point now and of another then: no cycle
                words += f", range {high - low:.0f}, amplitude {0.5 * (high - low):.0f}, mean {0.5 * (high + low):.0f}"
            colour = COLOURS[1 - s]
            width = 0.8 if is_dynamic(dataset) else 1.4
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
    if all(_critical_point(dataset, g, s) is None for g in range(2) for s in range(2)):
        return "at each phase the largest stress of the fillet by magnitude, of changing points: no cycle for fatigue"
    words = "at the point of the fillet with the widest range (ring in fillet.png)"
    told = []
    for g, gear in enumerate(dataset["gear"].values):
        high, low = (_fillet_extreme(dataset, g, s) for s in range(2))
        if np.isfinite(high).any() and np.isfinite(low).any():
            told.append(f"{gear} {np.nanmax(high):.0f} and {np.nanmin(low):.0f} MPa")
    return f"{words}\nextremes of the whole fillet (its crosses): {', '.join(told)}" if told else words


def tooth_cycle(dataset: xr.Dataset, gear: int, side: int) -> Cycle:
    """Return the cycle of a tooth, of a motion of each, on one side of its root, over the phase of its own pair."""
    part = last_pitches(dataset) if is_dynamic(dataset) else slice(None)
    point = _critical_point(dataset, gear, side)
    if point is None:
        stress, pairs = values_by_pair(dataset, "root_stress_principal", part)
        stress = stress[:, gear, :, side] if len(pairs) else np.zeros((0, 0))
    else:
        stress, pairs = values_by_pair(dataset, POINT_BY_POINT, part)
        stress = stress[:, gear, :, side, point[0], point[1]] if len(pairs) else np.zeros((0, 0))
    phase = array_of(dataset, "phase", part)[:, None] - np.asarray(pairs, dtype=float)
    known = np.isfinite(stress)
    if is_dynamic(dataset):
        apart = np.where(known, phase[: len(stress)], np.nan)
        return Cycle(
            _in_a_row(apart), _in_a_row(1e-6 * np.where(known, stress, np.nan)) if known.any() else np.zeros(0)
        )
    own, values = phase[: len(stress)][known], 1e-6 * stress[known]
    order = np.argsort(own, kind="stable")
    return Cycle(own[order], values[order])


def _in_a_row(values: Floats) -> Floats:
    """Columns (n, m) one behind the other, a NaN behind each."""
    return np.vstack([values, np.full((1, values.shape[1]), np.nan)]).ravel(order="F")


def _critical_point(dataset: xr.Dataset, gear: int, side: int) -> tuple[int, int] | None:
    """Indices of the point of a fillet with the widest range, where stresses are kept point by point."""
    if POINT_BY_POINT not in dataset or "root_critical_arc_length" not in dataset:
        return None
    arc, face = (float(dataset[f"root_critical_{what}"].values[gear, side]) for what in ("arc_length", "face_position"))
    if not np.isfinite([arc, face]).all():
        return None
    places = ((dataset["fillet_arc_length"].values[gear], arc), (dataset["face_position"].values[gear], face))
    i, j = (int(np.nanargmin(np.abs(there - here))) for there, here in places)
    return i, j


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
    for g in range(2):
        for s, (side, _) in enumerate(SIDES):
            axes, words = panels[g, s], ("largest", "smallest")[s]
            values = _fillet_extreme(dataset, g, s)
            _draw_fillet_map(axes, dataset, g, values, f"{dataset['gear'].values[g]}, {side} side: {words}")
            _ring(axes, dataset, g, s)
    for axes in panels[:, 0]:
        axes.set_ylabel("position across the face [mm]")
    for axes in panels[1]:
        axes.set_xlabel("arc length from the middle\nof the tooth space [mm]")
    figure.supxlabel(
        "cross: extreme of the cycle; ring: point with the widest range, as in root_stress.png", fontsize=8
    )
    return figure


def _fillet_extreme(dataset: xr.Dataset, gear: int, side: int) -> Floats:
    """Return the extreme of the cycle (n_fillet, n_face) [MPa]: largest of the tension side, smallest of the other."""
    stress = 1e-6 * np.asarray(dataset[POINT_BY_POINT][:, gear, :, side].values, dtype=float)
    end = -np.inf if side == 0 else np.inf
    known = np.where(np.isfinite(stress), stress, end)
    extreme: Floats = known.max(axis=(0, 1)) if side == 0 else known.min(axis=(0, 1))
    return np.where(np.isfinite(extreme), extreme, np.nan)


def _ring(axes: Axes, dataset: xr.Dataset, gear: int, side: int) -> None:
    """Ring the point whose range is the widest, and tell the extreme there."""
    point = _critical_point(dataset, gear, side)
    if point is None:
        return
    arc, face = (1e3 * dataset[name].values[gear] for name in ("fillet_arc_length", "face_position"))
    value = float(_fillet_extreme(dataset, gear, side)[point])
    axes.plot(arc[point[0]], face[point[1]], "o", color="black", markerfacecolor="none", markersize=9, clip_on=False)
    axes.set_title(f"{axes.get_title()}, ring {value:.0f}", fontsize=9)


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
