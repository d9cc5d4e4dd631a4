"""Labels moved apart so that none stands on another; labels at the ends of curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array

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


def spread(wanted: Array, gap: float, low: float = -np.inf, high: float = np.inf) -> Array:
    r"""Return heights at least a gap apart and nearest to those wanted; equal ones rise as they come.

    .. math:: \min \sum (y_i - w_i)^2, \quad y_{i+1} - y_i \ge g

    which with :math:`v_i = w_i - i g` is the regression by a sequence that nowhere falls. Then the whole is moved into
    the bounds.

    Parameters
    ----------
    wanted : shape (n,)
    gap : float
    low, high : float
        Bounds; more labels than fit there reach over `high`.

    Its levels are the largest over :math:`a \le i` of the smallest means over :math:`a \dots b`, :math:`b \ge i`
    (Barlow et al. 1972); SciPy's own takes longer to import than a picture to draw.

    Examples
    --------
    >>> spread(np.array([1.0, 1.0, 5.0]), 1.0, 0.0, 10.0).tolist()
    [0.5, 1.5, 5.0]
    """
    heights, place = np.empty(len(wanted)), np.arange(len(wanted))
    if not len(wanted):
        return heights
    order, steps = np.argsort(wanted, kind="stable"), gap * place
    sums = np.concatenate([[0.0], np.cumsum(np.clip(wanted[order], low, high) - steps)])
    first, last = np.meshgrid(place, place, indexing="ij")
    means = np.where(first <= last, sums[last + 1] - sums[first], np.inf) / np.maximum(last + 1 - first, 1)
    lowest = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    level = np.where(first <= last, lowest, -np.inf).max(axis=0)
    # between bounds that every label must keep, shifted like the labels
    heights[order] = np.maximum(np.minimum(level, high - steps[-1]), low) + steps
    return heights
