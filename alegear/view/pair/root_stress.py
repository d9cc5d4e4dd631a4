"""Root stress of the teeth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.view.pair.curves import (
    abscissa,
    finish,
    is_dynamic,
    largest_of,
    last_pitches,
    new_figure,
    pairs_with_values,
    values_by_pair,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def draw_root_stress(dataset: xr.Dataset) -> Figure:
    """Draw the largest von Mises stress in the root fillets of the tooth of each pair, both gears, both sides."""
    part = last_pitches(dataset) if is_dynamic(dataset) else slice(None)
    stress, pairs = values_by_pair(dataset, "root_stress", part)
    stress = stress * 1e-6
    figure, panels = new_figure(dataset, rows=2, height=7.0, sharex=True, sharey=True)
    x, label = abscissa(dataset, part)
    gears = [str(g) for g in dataset["gear"].values]
    for g, (axes, gear) in enumerate(zip(panels, gears, strict=True)):
        for k, pair, colour in pairs_with_values(pairs, stress[:, g]):
            for s, line in enumerate(("-", "--")):
                label_once = f"pair {pair}" if s == 0 else "_"
                axes.plot(x, stress[:, g, k, s], color=colour, linestyle=line, linewidth=1.3, label=label_once)
        if not np.isfinite(stress[:, g]).any():
            axes.text(0.5, 0.5, "not computed", transform=axes.transAxes, ha="center")
        for side, line in (("tension", "-"), ("compression", "--")):
            axes.plot([], [], color="black", linestyle=line, linewidth=1.0, label=side)
        finish(axes, x, label if g else "", f"{gear}: von Mises stress\nin the root [MPa]", legend=g == 0)
    # the panels share their scale: set it once both are drawn
    panels[0].set_ylim(0.0, 1.05 * largest_of(stress) or 1.0)
    return figure
