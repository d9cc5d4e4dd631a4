"""Figures that several sections have in common: curves of named parts over positions or times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.report.blocks import Block, Figure
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.values import MOST_CURVES, abscissa, array

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]
#: Curves in a chart; more are told apart no longer.
BESIDE = 6


def lengths(dataset: xr.Dataset, name: str) -> Floats:
    """Length of a vector, whose axes are the last dimension."""
    length: Floats = np.sqrt(np.sum(array(dataset, name) ** 2, axis=-1))
    return length


def by_name(
    dataset: xr.Dataset,
    names: Sequence[str],
    values: Floats,
    axis: Axis,
    caption: str,
    part: slice = slice(None),
) -> Iterator[Block]:
    """Draw curves, a few to a chart; of very many parts those that change or reach most.

    Parameters
    ----------
    dataset : xarray.Dataset
        For the abscissa.
    names : sequence of str
        Of the curves.
    values : shape (n, len(names))
    axis : Axis
        The ordinate.
    caption : str
    part : slice
        Of the positions or times that are in `values`.
    """
    finite = [k for k in range(len(names)) if np.isfinite(values[:, k]).any()]
    shown = finite
    if len(finite) > MOST_CURVES:
        reached = {k: float(np.nanmax(np.abs(values[:, k]))) for k in finite}
        shown = sorted(sorted(finite, key=reached.__getitem__)[-MOST_CURVES:])
        caption += f"; the {MOST_CURVES} of {len(finite)} that reach most"
    x, label = abscissa(dataset, part)
    charts = -(-len(shown) // BESIDE)
    for number in range(charts):
        some = shown[number * BESIDE : (number + 1) * BESIDE]
        lines = [Line(x=x, y=values[:, k], label=names[k], colour=i) for i, k in enumerate(some)]
        told = caption if charts == 1 else f"{caption} ({number + 1} of {charts})"
        yield Figure(svg=line_chart(lines, Axis(label=label), axis), caption=told)
