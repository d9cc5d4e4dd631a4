"""Labels at the ends of curves, pushed apart so that none stands on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from alegear.pictures.apart import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of a line of text over its size.
LINE = 1.25
#: From the end of the curve to its label [points].
LEADER = 16.0


def label_ends(
    axes: Axes, x: float, heights: Sequence[float], texts: Sequence[str], colours: Sequence[str], size: float = 8.0
) -> None:
    """Write a label beside the right end of each curve, with a thin line to it.

    Parameters
    ----------
    axes : Axes
        With limits that stay, and all curves drawn.
    x : float
        Of the ends, in data.
    heights : sequence of float
        Of the ends, in data.
    texts, colours : sequence of str
    size : float [points]
    """
    if not texts:
        return
    figure = axes.get_figure()
    assert figure is not None
    box = axes.get_window_extent()
    points = 72.0 / figure.dpi
    place = axes.transData.transform([(x, y) for y in heights])
    high = max(float(box.y1), float(box.y0) + LINE * size / points * len(texts))
    apart = spread(place[:, 1], LINE * size / points, float(box.y0), high)
    for text, colour, (_, y), at, wanted in zip(texts, colours, place, apart, heights, strict=True):
        axes.annotate(
            text,
            (x, wanted),
            (LEADER, float((at - y) * points)),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=colour,
            # to the middle of the label's left side: a steep line to its centre would cross the labels next to it
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "lw": 0.5,
                "shrinkA": 1.0,
                "shrinkB": 1.0,
                "relpos": (0.0, 0.5),
            },
            annotation_clip=False,
        )
