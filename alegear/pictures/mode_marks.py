"""Marks where modes are met over a speed: a line at each, with names in rows above the curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.results.linear_response import met_modes

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


#: Height of a row of names [in], letters of a name that an inch of the figure has, and most rows.
ROW, LETTERS, ROWS = 0.2, 12.0, 3
#: Height of a figure that its panels do not have [in].
AROUND = 1.2


def mark_modes(axes: Axes, dataset: xr.Dataset, at: dict[str, str]) -> None:
    """Mark the speeds at which the first order meets the modes that work in a mesh, or are in one of its orders.

    Of more modes than have room for their names those with the largest part in an order have one, the others a line.

    Parameters
    ----------
    axes : Axes
        One of panels of equal height, with limits that stay.
    dataset : xarray.Dataset
        Of a sweep.
    at : dict
        Mesh of a machine.
    """
    left, right = axes.get_xlim()
    modes = [mode for mode in met_modes(dataset, at) if left <= mode.speed <= right]
    if not modes:
        return
    names = [f"{mode.frequency:.0f} Hz, {100.0 * mode.share:.0f} %" for mode in modes]
    names[0] = f"mode {names[0]} in the mesh"
    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches()
    half = np.array([0.5 * len(name) / LETTERS / width * (right - left) for name in names])
    # the first one says what the numbers are
    order = sorted(range(len(modes)), key=lambda k: (k > 0, -max(modes[k].part, modes[k].share)))
    middle = np.clip([mode.speed for mode in modes], left + half, right - half)
    rows = rows_of(middle, half, order)
    low, high = axes.get_ylim()
    line = ROW * len(figure.axes) / (height - AROUND) * (high - low)
    top = high + line * (1 + max(row for row in rows if row is not None))
    axes.set_ylim(low, top)
    for name, mode, place, row in zip(names, modes, middle, rows, strict=True):
        end = high if row is None else top - line * (row + 0.9)
        axes.plot([mode.speed] * 2, [low, end], color="0.6", linewidth=0.7, zorder=0)
        if row is not None:
            axes.annotate(
                name, (place, top - line * (row + 0.5)), ha="center", va="center", fontsize=7, color="0.3",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
            )  # fmt: skip


def rows_of(middle: Array, half: Array, order: Sequence[int]) -> list[int | None]:
    """Return the row of each name, placed one after the other in an order; None of one that has no room in any.

    Parameters
    ----------
    middle, half : shape (n,)
        Middles of the names, and half their lengths.
    order : sequence of int

    Examples
    --------
    >>> rows_of(np.array([0.0, 1.0, 5.0]), np.ones(3), [0, 1, 2])
    [0, 1, 0]
    """
    rows: list[int | None] = [None] * len(middle)
    for k in order:
        for row in range(ROWS):
            others = [i for i in range(len(middle)) if rows[i] == row]
            if all(abs(middle[i] - middle[k]) >= half[i] + half[k] for i in others):
                rows[k] = row
                break
    return rows
