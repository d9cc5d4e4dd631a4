"""The energy balance of a motion: input, losses, kinetic and stored energy, and what is missing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.pictures.over_time import WIDTH, limits, mark_events, title_of_motion
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import in_units
from alegear.results.reading import array, over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Variable, name and colour of each energy.
ENERGIES = (
    ("energy_input", "put in", "black"),
    ("energy_dissipated", "lost", COLOURS[1]),
    ("energy_kinetic", "change of kinetic", COLOURS[0]),
    ("energy_elastic", "change of stored", COLOURS[2]),
    ("energy_stored", "change of stored", COLOURS[2]),
)


def draw_energy(dataset: xr.Dataset) -> Figure:
    """Draw the energies since the start; below what is missing in their balance."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    time, energies = dataset["time"].to_numpy(), _energies(dataset)
    figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1.0))
    for name, label, colour in ENERGIES:
        if name in energies and (np.any(energies[name]) or label != "change of stored"):
            above.plot(time, energies[name], color=colour, lw=1.5, label=label)
    above.set_ylabel("energy since\nthe beginning")
    above.legend(fontsize=8.0, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False)
    missing = missing_energy(dataset)
    below.plot(time, missing, color="0.35", lw=1.2)
    most = float(np.abs(missing).max())
    largest = max(float(np.abs(values).max()) for values in energies.values())
    relative = f", {most / largest:.1e} of the largest energy" if largest > 0.0 else ""
    below.set_title(f"missing: {in_units(most, 'J')} at most{relative}", fontsize=8.5, loc="left")
    below.set(xlabel="time [s]", ylabel="missing in\nthe balance", xlim=limits(time))
    for axes in (above, below):
        axes.yaxis.set_major_formatter(EngFormatter(unit="J"))
        axes.grid(alpha=0.3)
        mark_events(axes, dataset)
    figure.suptitle(title_of_motion(dataset), fontsize="medium", parse_math=False)
    return figure


def _energies(dataset: xr.Dataset) -> dict[str, Floats]:
    """Energies since the start [J]."""
    found = {name: array(dataset, name) for name, *_ in ENERGIES if over_lead(dataset, name, ndim=1)}
    return {name: values - values[0] for name, values in found.items()}


def missing_energy(dataset: xr.Dataset) -> Floats:
    """What was put in less what is lost and what is there more than at the start [J]."""
    if over_lead(dataset, "energy_missing", ndim=1):
        return array(dataset, "energy_missing")
    energies = _energies(dataset)
    missing: Floats = energies.pop("energy_input") - np.sum(list(energies.values()), axis=0)
    return missing


PICTURE = Picture(
    name="energy",
    heading="Motion",
    order=171,
    holds=of_dataset(lambda dataset: over_lead(dataset, "energy_input", ndim=1) and "time" in dataset.dims),
    draw=of_dataset(draw_energy),
    caption=lambda result: "Energies since the start, and what is missing in their balance",
)
