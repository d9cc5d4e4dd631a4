"""Transmission error and mesh stiffness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.view.colours import COLOURS
from alegear.view.pair.curves import abscissa, array_of, curves, finish, is_dynamic, last_pitches, marks, new_figure

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def draw_transmission_error(dataset: xr.Dataset) -> Figure:
    """Draw transmission error and mesh stiffness; the last pitches of a longer dynamic study are enlarged."""
    if is_dynamic(dataset):
        part = last_pitches(dataset)
        if part.start == 0:
            # nothing to enlarge
            figure, (enlarged, below) = new_figure(dataset, rows=2, height=6.0)
        else:
            figure, (whole, enlarged, below) = new_figure(dataset, rows=3, height=8.0)
            x, (te,), label = curves(dataset, ("transmission_error",), lambda te: te * 1e6)
            whole.plot(x, te, color=COLOURS[0], linewidth=0.7)
            finish(whole, x, label, "transmission error [µm]")
    else:
        figure, (enlarged, below) = new_figure(dataset, rows=2, height=6.0, sharex=True)
        part = slice(None)
    x, label = abscissa(dataset, part)
    enlarged.plot(x, array_of(dataset, "transmission_error", part) * 1e6, color=COLOURS[0], **marks(x))
    finish(enlarged, x, label if is_dynamic(dataset) else "", "transmission error [µm]")
    below.plot(x, array_of(dataset, "mesh_stiffness", part) * 1e-6, color=COLOURS[1], **marks(x))
    finish(below, x, label, "mesh stiffness [N/µm]")
    return figure
