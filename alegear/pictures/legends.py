"""Legends beside a panel, above it, or below all of them, no wider than there is room; names are no formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from alegear.pictures.titles import no_mathematics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

#: Handles and names, as of ``axes.get_legend_handles_labels()``.
Entries = tuple[Sequence[Any], Sequence[str]]

#: Legends are no wider than this part of the room: letters are a little wider at another resolution.
ROOM = 0.99


def legend_beside(axes: Axes, **style: Any) -> None:
    """Put the legend of a panel at its right; without names there is none."""
    if axes.get_legend_handles_labels()[0]:
        style = {"fontsize": 8.0, "frameon": False} | style
        no_mathematics(axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), **style).get_texts())


def legend_below(figure: Figure | SubFigure, entries: Entries, columns: int, **style: Any) -> None:
    """Put a legend below all panels; see :func:`legend_in_columns`."""
    style = {"fontsize": 8.0, "frameon": False, "loc": "outside lower center"} | style
    legend_in_columns(figure, entries, columns, **style)


def legend_above(axes: Axes, entries: Entries) -> None:
    """Put the legend of a panel above it, at its left."""
    style = {"fontsize": 8.0, "frameon": False, "loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
    legend_in_columns(axes, entries, len(entries[1]), **style)


def legend_in_columns(owner: Axes | Figure | SubFigure, entries: Entries, columns: int, **style: Any) -> None:
    """Add a legend of as many columns as the width of its panel or figure has room for; without names there is none.

    Parameters
    ----------
    owner : Axes or Figure
    entries : (handles, names)
    columns : int
        At most.
    style
        Of the legend of Matplotlib.
    """
    for count in range(min(columns, len(entries[1])), 0, -1):
        legend: Legend = owner.legend(*entries, ncols=count, **style)
        no_mathematics(legend.get_texts())
        if count == 1 or legend.get_window_extent().width <= ROOM * owner.bbox.width:
            return
        legend.remove()
