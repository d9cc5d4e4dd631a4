"""What sections read of a dataset: arrays, the abscissa of curves, whole pitches; keys of summaries in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.report.key_words import WORDS
from alegear.results import signals
from alegear.results.steady_window import LAST_PITCHES

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

MICRO, MILLI, MEGA, RPM = 1e6, 1e3, 1e-6, 30.0 / math.pi
PHASE = "phase [pitches], 0 = pair 0 touches at the pitch point"
#: Curves that one chart shows.
MOST_CURVES = 12


def lead_of(dataset: xr.Dataset) -> str | None:
    """Dimension over which a result goes, position or time; None: it goes over neither."""
    return next((name for name in ("position", "position_number", "time") if name in dataset.dims), None)


def array(dataset: xr.Dataset, name: str, part: slice | None = None) -> Floats:
    """Values of a variable; of a part of its positions or times no more is read."""
    lead = lead_of(dataset)
    variable = dataset[name] if part is None or lead is None else dataset[name].isel({lead: part})
    return np.asarray(variable.values, dtype=float)


def labels(dataset: xr.Dataset, dim: str) -> list[str]:
    """Labels of a dimension."""
    return [str(one) for one in dataset[dim].values] if dim in dataset.coords else []


def moves(dataset: xr.Dataset) -> bool:
    """Whether it is a motion."""
    return "time" in dataset.dims


def abscissa(dataset: xr.Dataset, part: slice = slice(None)) -> tuple[Floats, str]:
    """What curves are drawn over: time of a motion, phase of a pair at rest, drive's rotation of a machine at rest."""
    if moves(dataset):
        time = array(dataset, "time", part)
        long = time.size and float(np.abs(time).max()) >= 1.0
        return (time, "time [s]") if long else (time * MILLI, "time [ms]")
    if "phase" in dataset:
        return array(dataset, "phase", part), PHASE
    if "drive_angle" in dataset:
        return np.degrees(array(dataset, "drive_angle", part)), "rotation of the first drive [deg]"
    if "time" in dataset.coords:  # of a sequence of positions
        return array(dataset, "time", part), "time that motions are given over [s]"
    return np.arange(dataset.sizes[lead_of(dataset) or "point"], dtype=float)[part], "number of the position"


def last_pitches(dataset: xr.Dataset, pitches: float = LAST_PITCHES) -> slice:
    """Return the last few pitches of a motion; all positions of a pair at rest."""
    if not moves(dataset):
        return slice(None)
    phase = array(dataset, "phase")
    return slice(int(np.searchsorted(phase, phase[-1] - pitches)), len(phase)) if phase.size else slice(0, 0)


def whole_pitches(dataset: xr.Dataset) -> slice:
    """Return the positions of whole pitches, of a motion those of the last ones."""
    if not moves(dataset):
        return signals.whole_pitches_uniform(array(dataset, "phase"))
    last = last_pitches(dataset)
    inner = signals.whole_pitches(array(dataset, "phase", last))
    return slice(last.start + inner.start, last.start + inner.stop)


def pairs_of(dataset: xr.Dataset, part: slice) -> NDArray[np.int64]:
    """Number of the tooth pair in each place of ``pair`` or ``slot``, shape (n, n_pairs)."""
    if "slot_pair" in dataset:
        return array(dataset, "slot_pair", part).astype(np.int64)
    n = len(array(dataset, "phase", part))
    return np.tile(np.asarray(dataset["pair"].values, dtype=np.int64), (n, 1))


def has(dataset: xr.Dataset, *names: str) -> bool:
    """Whether a dataset has all of these variables, and any values of them."""
    return all(name in dataset and dataset[name].size > 0 for name in names)


def over_lead(dataset: xr.Dataset, *names: str, ndim: int | None = None) -> bool:
    """Whether a dataset has all of these variables over its positions or times first, of so many dimensions."""
    lead = lead_of(dataset)
    return lead is not None and all(
        name in dataset
        and dataset[name].size > 0
        and dataset[name].dims[:1] == (lead,)
        and ndim in (None, dataset[name].ndim)
        for name in names
    )


def reach(values: Floats, factor: float = 1.0) -> tuple[float | None, float | None, float | None]:
    """Mean, smallest and largest finite value; None where there is none."""
    finite = values[np.isfinite(values)] * factor
    return (float(finite.mean()), float(finite.min()), float(finite.max())) if finite.size else (None, None, None)


#: Units at the end of keys, an ending of another one behind it.
_UNITS = (
    "Nms2_per_rad2", "Nms_per_rad", "Nm_per_rad", "rad_per_s", "N_per_mm3", "N_per_um", "N_per_mm", "N_per_m",
    "MPa_m_per_s", "m_per_s2", "m_per_s", "W_per_mm2", "kg_m2", "kg_per_m3",
    "pitches", "rpm", "urad", "mrad", "MPa", "deg", "mm", "um", "kg", "Hz", "MB",
    "rad", "Nm", "dB", "m2", "N", "W", "J", "K", "C", "m", "s",
)  # fmt: skip
_SIGNS = {
    "um": "µm", "urad": "µrad", "Nm": "N m", "kg_m2": "kg m²", "N_per_um": "N/µm", "MPa_m_per_s": "MPa m/s", "deg": "°",
    "Nms2_per_rad2": "N m s²/rad²", "Nms_per_rad": "N m s/rad", "Nm_per_rad": "N m/rad", "N_per_mm3": "N/mm³",
    "W_per_mm2": "W/mm²", "kg_per_m3": "kg/m³", "m_per_s2": "m/s²", "m2": "m²", "C": "°C",
}  # fmt: skip


def label_of(key: str) -> str:
    """Write a key of a summary in words with its unit; one without words (``key_words.WORDS``) as it is.

    Examples
    --------
    >>> label_of("te_mean_um"), label_of("mesh_stiffness_mean_N_per_um")
    ('transmission error, mean [µm]', 'mesh stiffness mean [N/µm]')
    """
    if key in WORDS:
        return WORDS[key]
    for unit in _UNITS:
        if key.endswith(f"_{unit}"):
            sign = _SIGNS.get(unit, unit.replace("_per_", "/").replace("_", " "))
            return f"{key[: -len(unit) - 1].replace('_', ' ')} [{sign}]"
    return key.replace("_", " ")


def numbers_of(summary: Mapping[str, Any], left_out: Iterable[str] = ()) -> dict[str, float]:
    """Entries of a summary that are numbers."""
    return {
        key: value
        for key, value in summary.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key not in set(left_out)
    }
