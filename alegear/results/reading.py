"""What pictures and reports read of a dataset: arrays, labels, the abscissa of curves, whole pitches."""

from __future__ import annotations

import numpy as np

from alegear.arrays import Array
from alegear.results.steady_window import LAST_PITCHES
from alegear.storage import lazy_xarray as xr

PHASE = "phase [pitches], 0 = pair 0 touches at the pitch point"
#: Dimensions that curves go over, the first of them that a result has.
ABSCISSAS = ("position", "position_number", "time")


def lead_of(dataset: xr.Dataset) -> str | None:
    """Dimension over which a result goes, position or time; None: it goes over neither."""
    return next((name for name in ABSCISSAS if name in dataset.dims), None)


def moves(dataset: xr.Dataset) -> bool:
    """Whether it is a motion."""
    return "time" in dataset.dims


def array(dataset: xr.Dataset, name: str, part: slice | None = None) -> Array:
    """Values of a variable; of a part of its positions or times no more is read."""
    sample_dim = lead_of(dataset)
    variable = dataset[name] if part is None or sample_dim is None else dataset[name].isel({sample_dim: part})
    return np.asarray(variable.values, dtype=float)


def labels(dataset: xr.Dataset, dim: str) -> list[str]:
    """Labels of a dimension."""
    return [str(one) for one in dataset[dim].values] if dim in dataset.coords else []


def has(dataset: xr.Dataset, *names: str) -> bool:
    """Whether a dataset has all of these variables, and any values of them."""
    return all(name in dataset and dataset[name].size > 0 for name in names)


def over_lead(dataset: xr.Dataset, *names: str, ndim: int | None = None) -> bool:
    """Whether a dataset has all of these variables over its positions or times first, of so many dimensions."""
    sample_dim = lead_of(dataset)
    return sample_dim is not None and all(
        has(dataset, name) and dataset[name].dims[:1] == (sample_dim,) and ndim in (None, dataset[name].ndim)
        for name in names
    )


def abscissa(dataset: xr.Dataset, part: slice = slice(None)) -> tuple[Array, str]:
    """What curves are drawn over: time of a motion, phase of a pair at rest, drive's rotation of a machine at rest."""
    if moves(dataset):
        time = array(dataset, "time", part)
        long = time.size and float(np.abs(time).max()) >= 1.0
        return (time, "time [s]") if long else (time * 1e3, "time [ms]")
    if "phase" in dataset:
        return array(dataset, "phase", part), PHASE
    if "drive_angle" in dataset:
        return np.degrees(array(dataset, "drive_angle", part)), "rotation of the drive [°]"
    if "time" in dataset.coords:  # of a sequence of positions
        return array(dataset, "time", part), "time that motions are given over [s]"
    return np.arange(dataset.sizes[lead_of(dataset) or "point"], dtype=float)[part], "number of the position"


def last_pitches(dataset: xr.Dataset, pitches: float = LAST_PITCHES) -> slice:
    """Return the last few pitches of a motion, all of a shorter one; all positions of a pair at rest."""
    if not moves(dataset):
        return slice(None)
    phase = array(dataset, "phase")
    return slice(int(np.searchsorted(phase, phase[-1] - pitches)), len(phase)) if phase.size else slice(0, 0)


#: Variables of energies; parts of a machine store what meshes and bodies have as elastic energy.
ENERGIES = ("energy_input", "energy_dissipated", "energy_kinetic", "energy_elastic", "energy_stored")


def energies(dataset: xr.Dataset) -> dict[str, Array]:
    """Energies since the start of a motion [J], of the whole machine."""
    found = {name: array(dataset, name) for name in ENERGIES if over_lead(dataset, name, ndim=1)}
    return {name: values - values[0] for name, values in found.items()}


def energy_residual(dataset: xr.Dataset) -> Array:
    """Residual of the energy balance of a motion [J]: input less losses, kinetic and stored energy since the start."""
    if over_lead(dataset, "energy_missing", ndim=1):
        return array(dataset, "energy_missing")
    others = energies(dataset)
    residual: Array = others.pop("energy_input") - np.sum(list(others.values()), axis=0)
    return residual


def reach(values: Array, factor: float = 1.0) -> tuple[float | None, float | None, float | None]:
    """Mean, smallest and largest finite value; None where there is none."""
    finite = values[np.isfinite(values)] * factor
    return (float(finite.mean()), float(finite.min()), float(finite.max())) if finite.size else (None, None, None)


def largest_of(values: Array) -> float:
    """Largest finite value; 0 where there is none."""
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0
