"""Fronts of designs that no other one beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.design_words import answer_of, asks, axis_label, conditions, quantity_label, short, varied_keys
from alegear.pictures.picture import Picture
from alegear.results.designs import ParetoFront
from alegear.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SAME_PLACE = 0.03  # of the extent of a picture: about the size of a number
MOST_NUMBERS = 14  # designs of a front that are numbered in the picture
PANEL, LETTER = 3.7, 0.078  # width of a panel and of a letter of the list [inches]
BEST = COLOURS[1]


def draw_fronts(title: str, fronts: Sequence[ParetoFront]) -> Figure:
    """Draw each front: its first quantity over each of the others, designs of the front numbered and listed.

    Parameters
    ----------
    title : str
    fronts : sequence of ParetoFront
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = max(len(front.quantities) for front in fronts)
    listed = max((len(line) for front in fronts for line in _list_of(front)), default=0)
    widths = [PANEL] * (columns - 1) + [max(LETTER * listed, PANEL / 2.0)]
    figure = Figure(figsize=(sum(widths), 4.0 * len(fronts)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{title}: designs that no other one beats")
    panels = figure.subplots(len(fronts), columns, squeeze=False, width_ratios=widths)
    entries: dict[str, Any] = {}
    for row, front in zip(panels, fronts, strict=True):
        _draw_front(row, front)
        handles, labels = row[0].get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.legend(entries.values(), entries.keys(), loc="outside lower left", ncols=3, frameon=False, fontsize=9)
    return figure


def _together(places: Array, extent: Array) -> list[tuple[str, tuple[float, float]]]:
    """Numbers of the places from 1 on, those that would stand on each other as one text."""
    close = np.maximum(SAME_PLACE * extent, 1e-300)
    found: list[tuple[list[str], Array]] = []
    for number, place in enumerate(places, start=1):
        for numbers, there in found:
            if np.all(np.abs(place - there) < close):
                numbers.append(str(number))
                break
        else:
            found.append(([str(number)], place))
    return [(", ".join(numbers), (float(place[0]), float(place[1]))) for numbers, place in found]


def _draw_front(row: Any, front: ParetoFront) -> None:
    best, on_edges = _best(front), front.on_edges
    for axes, column in zip(row, range(1, len(front.quantities)), strict=False):
        axes.plot(front.values[:, column], front.values[:, 0], ".", color="0.75", label="all designs")
        for designs, face, label in ((~on_edges, BEST, "front"), (on_edges, "none", "front, edges pressed more")):
            some = best[designs[best]]
            if some.size:
                axes.plot(
                    front.values[some, column], front.values[some, 0], "o", color=BEST, mfc=face, ms=6, label=label
                )
        axes.margins(0.08)
        places = front.values[best[:MOST_NUMBERS]][:, (column, 0)]
        for numbers, place in _together(places, np.ptp(front.values[:, (column, 0)], axis=0)):
            axes.annotate(numbers, place, (4, 3), textcoords="offset points", fontsize=9)
        axes.set_xlabel(quantity_label(front.quantities[column]))
        axes.set_ylabel(quantity_label(front.quantities[0]))
        axes.set_title(conditions(front.by, front.over), fontsize=9)
        axes.grid(alpha=0.3)
    for axes in row[len(front.quantities) - 1 :]:
        axes.axis("off")
    lines = _list_of(front)
    row[-1].text(0.0, 1.0, "\n".join(lines), transform=row[-1].transAxes, va="top", fontsize=9, family="monospace")


def _best(front: ParetoFront) -> NDArray[np.intp]:
    """Designs of a front, the one with the lowest first quantity first."""
    best = np.flatnonzero(front.best)
    return best[np.argsort(front.values[best, 0], kind="stable")]


def _list_of(front: ParetoFront) -> list[str]:
    """The numbered designs of a front, a line each."""
    best, keys = _best(front), varied_keys(front.designs)
    lines = [
        f"{'    ' if n else 'no. '}{axis_label(key)}{' /' if key != keys[-1] else ''}" for n, key in enumerate(keys)
    ]
    for number, n in enumerate(best[:MOST_NUMBERS], start=1):
        lines.append(f"{number:2d}  " + " / ".join(short(front.designs[n][key]) for key in keys))
    if len(best) > MOST_NUMBERS:
        lines.append(f"and {len(best) - MOST_NUMBERS} more")
    return lines


def _caption(result: Result) -> str:
    count = [(int(front.best.sum()), len(front.designs)) for front in answer_of(result, "pareto").fronts]
    return "; ".join(f"{best} of {every} designs that no other one beats, numbered and listed" for best, every in count)


PICTURE = Picture(
    name="pareto",
    heading="Study",
    order=27,
    holds=lambda result: asks(result, "pareto"),
    draw=lambda result: draw_fronts(str(result.dataset.attrs.get("title", "")), answer_of(result, "pareto").fronts),
    caption=_caption,
)
