"""The energy balance of a motion: input, losses, kinetic and stored energy, and its residual."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.pictures.curves import new_figure
from alegear.pictures.legends import legend_above
from alegear.pictures.over_time import mark_events, over_time_axis
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import in_units
from alegear.results.reading import energies, energy_residual, over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


#: Variable, name and colour of each energy.
ENERGIES = (
    ("energy_input", "input", "black"),
    ("energy_dissipated", "dissipated", COLOURS[1]),
    ("energy_kinetic", "change of kinetic energy", COLOURS[0]),
    ("energy_elastic", "change of stored energy", COLOURS[2]),
    ("energy_stored", "change of stored energy", COLOURS[2]),
)


def draw_energy(dataset: xr.Dataset) -> Figure:
    """Draw the energies since the start; below the residual of their balance."""
    from matplotlib.ticker import EngFormatter

    time, found = dataset["time"].to_numpy(), energies(dataset)
    figure, (above, below) = new_figure(dataset, rows=2, height=5.2, sharex=True, height_ratios=(2.4, 1.0))
    for name, label, colour in ENERGIES:
        if name in found and (np.any(found[name]) or label != "change of stored energy"):
            above.plot(time, found[name], color=colour, lw=1.5, label=label)
    above.set_ylabel("energy since\nthe start")
    legend_above(above, above.get_legend_handles_labels())
    residual = energy_residual(dataset)
    below.plot(time, residual, color="0.35", lw=1.2)
    most = float(np.abs(residual).max())
    largest = max(float(np.abs(values).max()) for values in found.values())
    relative = f", {most / largest:.1e} of the largest energy" if largest > 0.0 else ""
    if np.isfinite(most):  # of a mesh in a machine it is not known: the machine's is
        below.set_title(f"residual: {in_units(most, 'J')} at most{relative}", fontsize=8.5, loc="left")
    below.set_ylabel("residual of\nthe balance")
    over_time_axis(below, dataset)
    for axes in (above, below):
        axes.yaxis.set_major_formatter(EngFormatter(unit="J"))
        axes.grid(alpha=0.3)
        mark_events(axes, dataset)
    return figure


PICTURE = Picture(
    name="energy",
    heading="Motion",
    order=171,
    holds=of_dataset(lambda dataset: over_lead(dataset, "energy_input", ndim=1) and "time" in dataset.dims),
    draw=of_dataset(draw_energy),
    caption=lambda result: "Energies since the start, and the residual of their balance",
)
