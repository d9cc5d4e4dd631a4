"""Root stress: the cycle of one tooth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import finish, new_figure
from alegear.pictures.picture import Picture, of_dataset
from alegear.results.reading import array, last_pitches, moves, over_lead
from alegear.results.root_cycle import (
    ALL,
    critical_point,
    fillet_extreme,
    tooth_cycle,
)
from alegear.results.steady_window import window_of_dataset

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


SIDES = (("tension", "-"), ("compression", "--"))


def draw_root_stress(dataset: xr.Dataset) -> Figure:
    """Draw the signed principal stress of one tooth of each gear while it passes the mesh.

    At rest alike teeth of a gear show, each at its position in the mesh, the whole passage of one: their stresses stand
    over the phase of their own pair. Teeth that differ, and those of a motion, are loaded differently: they have a line
    each, of a motion those of the last pitches, and the numbers are those of the tooth with the widest range. Less than
    a pitch has no range. Where the stress is kept point by point it is that of the point with the widest range, which
    ``fillet`` rings, with range, amplitude and mean; else the largest of the fillet by magnitude, which is no cycle of
    any point and has none of them. Another point of the fillet may have a larger stress with a narrower range: the
    caption says so.
    """
    figure, panels = new_figure(dataset, rows=2, height=6.6, sharex=True)
    part = last_pitches(dataset) if moves(dataset) else ALL
    whole = window_of_dataset(dataset).pitches > 0
    for g, axes in enumerate(panels):
        gear = str(dataset["gear"].values[g])
        for s, (side, line) in enumerate(SIDES):
            cycle = tooth_cycle(dataset, g, s, part)
            if not cycle.stress.size:
                continue
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
    return figure


def _whole_motion(dataset: xr.Dataset) -> str:
    """Say the extremes of all fillets over all times."""
    stress = 1e-6 * np.nan_to_num(array(dataset, "root_stress_principal"))
    if not len(stress):
        return "none"
    gears = [str(gear) for gear in dataset["gear"].values]
    return ", ".join(f"{name} {stress[:, g].min():.0f} to {stress[:, g].max():.0f} MPa" for g, name in enumerate(gears))


def _words_on_points(dataset: xr.Dataset) -> str:
    """Say whose stress the cycles are, and what the fillets have elsewhere."""
    if all(critical_point(dataset, g, s) is None for g in range(2) for s in range(2)):
        return "Principal stress in the root fillet, the largest by magnitude at each phase, of changing points"
    words = "Principal stress at the point of the root fillet where its range is widest (ring in the map of the fillet)"
    extremes = []
    for g, gear in enumerate(dataset["gear"].values):
        high, low = (fillet_extreme(dataset, g, s) for s in range(2))
        if np.isfinite(high).any() and np.isfinite(low).any():
            extremes.append(f"{gear} {np.nanmax(high):.0f} and {np.nanmin(low):.0f} MPa")
    return f"{words}; extremes of the whole fillet (its crosses): {', '.join(extremes)}" if extremes else words


def _caption(dataset: xr.Dataset) -> str:
    """Say which point of the fillet the lines are of, of which teeth, and what the fillets have elsewhere."""
    part = last_pitches(dataset) if moves(dataset) else ALL
    cycles = [tooth_cycle(dataset, g, s, part) for g in range(2) for s in range(2)]
    passage = "over the passage of one tooth"
    if any(cycle.apart for cycle in cycles):
        passage = "a line a tooth; numbers of the tooth with the widest range"
    words = f"{_words_on_points(dataset)}; {passage}"
    if moves(dataset):
        words += f"; teeth of the last pitches, the whole motion: {_whole_motion(dataset)}"
    return words


PICTURE = Picture(
    name="root_stress",
    heading="Root stress",
    order=150,
    holds=of_dataset(lambda dataset: over_lead(dataset, "root_stress_principal", "phase")),
    draw=of_dataset(draw_root_stress),
    caption=of_dataset(_caption),
)
