"""Harris map: transmission error over torque, a curve for each design.

After S. L. Harris (1958), Dynamic loads on the teeth of spur gears: every relief has a torque at which it is quietest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.design_words import (
    answer_of,
    asks,
    axis_label,
    conditions,
    labelled,
    quantity_label,
    shades,
    short,
    varied_keys,
    with_unit,
)
from alegear.pictures.labels import label_ends
from alegear.pictures.picture import Picture
from alegear.results.designs import HarrisMap
from alegear.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEST = COLOURS[1]


def draw_harris_map(harris: HarrisMap) -> Figure:
    """Draw a quantity over torque, a curve a design, each with its values at its end; the best one stands out.

    Parameters
    ----------
    harris : HarrisMap
        Of :meth:`alegear.StudyResult.harris_map`.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    keys = varied_keys(harris.designs)
    figure = Figure(figsize=(9.0, 5.6))
    FigureCanvasAgg(figure)
    # fixed margins: labels beside the axes are laid out against a height that stays
    axes = figure.add_axes((0.09, 0.11, 0.62, 0.75))
    count, best = len(harris.designs), harris.best
    greys = [str(one) for one in shades(count)]
    for n, (values, shade) in enumerate(zip(harris.values, greys, strict=True)):
        style: dict[str, Any] = {"color": BEST, "lw": 2.2, "zorder": 3.0} if n == best else {"color": shade, "lw": 1.1}
        axes.plot(harris.torques, values, marker="o", ms=2.5, **style)
    axes.set_xlabel(axis_label(harris.torque))
    over = conditions(harris.by, harris.over)
    axes.set_ylabel(quantity_label(harris.quantity))
    axes.set_title(over, fontsize=9)
    axes.set_ylim(bottom=0.0 if np.nanmin(harris.values) > 0.0 else None)
    axes.set_xlim(harris.torques[0], harris.torques[-1])
    axes.grid(alpha=0.3)
    figure.suptitle(f"{harris.title}: Harris map{_chosen(harris.at)}", x=0.4)
    shown = [n for n in range(count) if n in labelled(count, best) and np.isfinite(harris.values[n, -1])]
    if keys:
        figure.text(0.735, 0.875, " /\n".join(axis_label(key) for key in keys), fontsize=8, va="bottom")
        texts = [" / ".join(short(harris.designs[n][key]) for key in keys) for n in shown]
        colours = [BEST if n == best else greys[n] for n in shown]
        label_ends(axes, float(harris.torques[-1]), [float(harris.values[n, -1]) for n in shown], texts, colours)
    return figure


def _chosen(at: Mapping[str, Any]) -> str:
    return "".join(f", {with_unit(key, short(value))}" for key, value in at.items())


def _caption(result: Result) -> str:
    """Say how many designs there are, over which conditions, and which one is the best."""
    harris = answer_of(result, "harris_map").harris_map
    assert harris is not None  # the picture holds
    found = harris.designs[harris.best]
    varied = [key for key in found if any(design[key] != found[key] for design in harris.designs)]
    design = ", ".join(with_unit(key, short(found[key])) for key in varied)
    over = f", {conditions(harris.by, harris.over)}" if harris.over else ""
    chosen = ", ".join(with_unit(key, short(value)) for key, value in harris.at.items())
    words = f"Harris map of {len(harris.designs)} designs{over}"
    words += f", at {chosen}" if chosen else ""
    keys = " / ".join(axis_label(key) for key in varied_keys(harris.designs))
    words += f"; at the curves: {keys}" if keys else ""
    return words + (f"; {harris.best_words}: {design}" if design else "")


def _draw(result: Result) -> Figure:
    harris = answer_of(result, "harris_map").harris_map
    assert harris is not None  # the picture holds
    return draw_harris_map(harris)


PICTURE = Picture(
    name="harris_map",
    heading="Study",
    order=28,
    holds=lambda result: asks(result, "harris_map"),
    draw=_draw,
    caption=_caption,
)
