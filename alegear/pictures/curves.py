"""Curves over positions or times: what is read, over what it is drawn, axes that look alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.colours import COLOURS
from alegear.pictures.legends import legend_beside
from alegear.pictures.titles import title_of
from alegear.results.by_pair import by_pair
from alegear.results.reading import abscissa, array, lead_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Width of figures [in]: A4 between margins shrinks it by a tenth.
WIDTH = 7.4
#: Width of bars over whole numbers.
BAR = 0.8
#: Stretches of a long motion whose smallest and largest values are drawn: two on a dot of the picture.
ENVELOPE = 2048
#: Samples that are read at a time.
BLOCK = 4096


def new_figure(
    dataset: xr.Dataset, *, rows: int, height: float, more: str = "", **panels: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure as wide as a page with the title of the result, and panels one above the other.

    Parameters
    ----------
    dataset : xarray.Dataset
    rows : int
    height : float [inch]
    more : str
        What the picture shows, after the title.
    panels
        Of :meth:`matplotlib.figure.Figure.subplots`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    title_of(figure, dataset, more)
    return figure, list(figure.subplots(rows, 1, squeeze=False, **panels)[:, 0])


def finish(axes: Axes, x: Array, xlabel: str, ylabel: str, *, legend: bool = False) -> None:
    """Label the axes, draw the grid, and put the legend beside the curves if it fits there."""
    if xlabel:
        axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, color="0.9")
    axes.set_axisbelow(True)
    if len(x) > 1 and x[-1] > x[0]:
        axes.set_xlim(x[0], x[-1])
    axes.ticklabel_format(axis="both", useOffset=False)
    if legend and len(axes.get_legend_handles_labels()[0]) <= 16:
        legend_beside(axes)


def curves(dataset: xr.Dataset, names: Sequence[str], *of: Callable[..., Array]) -> tuple[Array, list[Array], str]:
    """Abscissa, curves and label of what is drawn over all positions or times.

    Of a motion with more samples than can be told apart the curves go from the smallest to the largest value of each
    of `ENVELOPE` stretches of equal number: the band that all of them fill.

    Parameters
    ----------
    names : sequence of str
        Variables that are read, block by block.
    of : callables
        What each curve, or each group of curves (n, m), is of them.
    """
    lead = lead_of(dataset)
    n = dataset.sizes[lead]
    borders = np.linspace(0, n, min(n, ENVELOPE) + 1).astype(np.int64)
    if n <= 2 * ENVELOPE:
        x, label = abscissa(dataset)
        values = [array(dataset, name) for name in names]
        return x, [part(*values) for part in of], label
    lows: list[list[Array]] = [[] for _ in of]
    together = max(BLOCK * ENVELOPE // n, 1)
    for begin in range(0, ENVELOPE, together):
        some = borders[begin : begin + together + 1]
        values = [array(dataset, name, slice(some[0], some[-1])) for name in names]
        for curve, part in zip(lows, of, strict=True):
            y = part(*values)
            low, high = (f.reduceat(y, some[:-1] - some[0], axis=0) for f in (np.fmin, np.fmax))
            curve.append(np.stack([low, high], axis=1).reshape(-1, *y.shape[1:]))
    x, label = abscissa(dataset)
    middle = 0.5 * (x[borders[:-1]] + x[borders[1:] - 1])
    return np.repeat(middle, 2), [np.concatenate(curve) for curve in lows], label


def blocks_of(dataset: xr.Dataset, names: Sequence[str]) -> Iterator[dict[str, Array]]:
    """Read variables block by block."""
    n = dataset.sizes[lead_of(dataset)]
    for begin in range(0, n, BLOCK):
        yield {name: array(dataset, name, slice(begin, min(begin + BLOCK, n))) for name in names}


def draw_bars(axes: Axes, at: Array, height: Array, bottom: Array | float = 0.0, **style: Any) -> None:
    """Draw bars as one collection: ``axes.bar`` makes a patch of each, which takes ten times as long."""
    from matplotlib.collections import PolyCollection

    low = bottom + np.zeros(len(at))
    left, right, high = at - 0.5 * BAR, at + 0.5 * BAR, low + height
    corners = np.array([[left, low], [right, low], [right, high], [left, high]]).transpose(2, 0, 1)
    axes.add_collection(PolyCollection(list(corners), **style))
    axes.autoscale_view()


def marks(x: Array) -> dict[str, Any]:
    """Mark the single positions while they can be told apart."""
    return {"linewidth": 1.3, "marker": "." if len(x) <= 80 else "", "markersize": 5}


def values_by_pair(dataset: xr.Dataset, name: str, part: slice) -> tuple[Array, list[int]]:
    """Values of a variable by tooth pair in a part of the positions or times, and the pairs."""
    here = dataset.isel({lead_of(dataset): part})
    if not here.sizes[lead_of(dataset)]:
        return np.zeros([2 if dim == "side" else here.sizes[dim] for dim in here[name].dims]), []
    found = by_pair(here, name)
    return np.asarray(found.values, dtype=float), [int(pair) for pair in found["pair"].values]


def edges(centres: Array) -> Array:
    """Return the edges of cells around these centres."""
    if len(centres) < 2:
        return np.concatenate([centres - 0.5, centres + 0.5])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def row_max(values: Array) -> Array:
    """Return the largest finite value of each row; NaN where there is none."""
    largest = np.where(np.isfinite(values), values, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(np.isneginf(largest), np.nan, largest)


def sum_of_row(values: Array) -> Array:
    """Sum of the finite values of each row; NaN where there is none."""
    return np.where(np.isfinite(values).any(axis=1), np.nansum(values, axis=1), np.nan)


def pairs_with_values(pairs: Sequence[int], values: Array) -> list[tuple[int, int, str]]:
    """Return index, label and colour of each pair that carries something in `values` (n, n_pairs, ...)."""
    carries = [(np.nan_to_num(values[:, k]) != 0.0).any() for k in range(len(pairs))]
    return [(k, p, COLOURS[p % len(COLOURS)]) for k, p in enumerate(pairs) if carries[k]]
