"""Stress of a tooth's root over its passage through the mesh, of which tooth and where on its fillet."""

from __future__ import annotations

from math import radians
from typing import Any, NamedTuple

import numpy as np

from alegear.arrays import Array, Indices
from alegear.results.by_pair import by_pair
from alegear.storage import lazy_xarray as xr

#: Inclination of the root curve to the tooth's centre line at the critical section, ISO 6336-3.
CRITICAL_TANGENT = radians(30.0)
POINT_BY_POINT = "root_stress_fillet_principal"
#: Teeth whose stress at one phase of their own differs by more [of the largest stress] differ from each other.
ALIKE = 5e-3
#: Phases that differ by less are one [pitches].
SAME_PHASE = 1e-6
ALL = slice(None)


class Critical(NamedTuple):
    """Where a fillet has the widest range, and whose: indices along the fillet and across the face, tooth pair.

    ``pair`` is None where teeth are alike, and the cycle is that of all of them together.
    """

    row: int
    column: int
    pair: int | None


class Cycle(NamedTuple):
    """Stress of teeth: phases since their pairs touched at the pitch point [pitches], stress there [MPa].

    NaN between one tooth and the next, where they are not put together to one passage; ``high`` and ``low`` are then
    those of the tooth with the widest range. Away from the mesh the stress is 0, which counts too.
    """

    phase: Array
    stress: Array
    high: float
    low: float

    @property
    def ends(self) -> tuple[float, float]:
        """Largest and smallest stress."""
        return self.high, self.low

    @property
    def apart(self) -> bool:
        """Whether teeth have lines of their own."""
        return bool(np.isnan(self.stress).any())


def teeth_differ(dataset: xr.Dataset) -> bool:
    """Whether the teeth of a pair at rest over several pitches have stresses of their own."""
    if "position" not in dataset.dims or "root_stress_principal" not in dataset:
        return False
    phase = np.asarray(dataset["phase"].values, dtype=float)
    if not len(phase) or np.ptp(phase) < 1.0 - SAME_PHASE:
        return False
    stress, pairs = _by_pair(dataset, "root_stress_principal", ALL)
    size = np.abs(np.moveaxis(stress, 2, 1))  # by magnitude: the sign may change by round-off
    size = size.reshape(-1, *size.shape[2:])
    own = np.round((phase[:, None] - pairs).ravel() / SAME_PHASE)
    known = np.isfinite(size).all(axis=(1, 2))
    if not known.any():
        return False
    own, size = own[known], size[known]
    order = np.argsort(own, kind="stable")
    begins = np.flatnonzero(np.diff(own[order], prepend=-np.inf) > 0.5)
    spread = np.maximum.reduceat(size[order], begins) - np.minimum.reduceat(size[order], begins)
    return bool((spread.max(axis=0) > ALIKE * size.max(axis=0)).any())


def critical_point(dataset: xr.Dataset, gear: int, side: int) -> Critical | None:
    """Find the point of a fillet with the widest range, where the stresses of a pair at rest are kept point by point.

    Of teeth that differ it is that of the tooth with the widest range.
    """
    if POINT_BY_POINT not in dataset or "root_critical_arc_length" not in dataset:
        return None
    arc, face = (float(dataset[f"root_critical_{what}"].values[gear, side]) for what in ("arc_length", "face_position"))
    if not np.isfinite([arc, face]).all():
        return None
    if teeth_differ(dataset):
        stress, pairs = _by_pair(dataset.isel(gear=[gear], side=[side]), POINT_BY_POINT, ALL)
        own = stress[:, 0, :, 0]  # (n, n_pairs, n_fillet, n_face)
        spread = np.subtract(*_ends(own))
        k, row, column = np.unravel_index(int(spread.argmax()), spread.shape)
        return Critical(int(row), int(column), int(pairs[k]))
    places = ((dataset["fillet_arc_length"].values[gear], arc), (dataset["face_position"].values[gear], face))
    i, j = (int(np.nanargmin(np.abs(there - here))) for there, here in places)
    return Critical(i, j, None)


def tooth_cycle(dataset: xr.Dataset, gear: int, side: int, part: slice = ALL) -> Cycle:
    """Return the cycle of a tooth on one side of its root over the phase of its own pair.

    At rest alike teeth show the passage of one together, each at its own position in the mesh. Teeth of a motion, and
    teeth that differ, have a passage each. Where the stress is kept point by point it is that of one point,
    :func:`critical_point`, else the largest of the fillet by magnitude.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a pair, at rest or in motion.
    gear, side : int
    part : slice
        Which positions or times.
    """
    point = critical_point(dataset, gear, side)
    own = dataset.isel(gear=[gear], side=[side])
    if point is None:
        stress, pairs = _by_pair(own, "root_stress_principal", part)
        stress = stress[:, 0, :, 0]
    else:
        stress, pairs = _by_pair(own.isel(fillet=[point.row], face=[point.column]), POINT_BY_POINT, part)
        stress = stress[:, 0, :, 0, 0, 0]
    stress = 1e-6 * stress
    known = np.isfinite(stress)
    if not known.any():
        return Cycle(np.zeros(0), np.zeros(0), 0.0, 0.0)
    sample_dim = "time" if "time" in dataset.dims else "position"
    phase: Array = np.asarray(dataset["phase"].isel({sample_dim: part}).values, dtype=float)[:, None] - pairs
    if "time" in dataset.dims or teeth_differ(dataset):
        high, low = _ends(stress)
        worst = int(np.argmax(high - low)) if point is None or point.pair is None else pairs.tolist().index(point.pair)
        apart, values = (_in_a_row(np.where(known, one, np.nan)) for one in (phase, stress))
        return Cycle(apart, values, float(high[worst]), float(low[worst]))
    order = np.argsort(phase[known], kind="stable")
    values = stress[known][order]
    return Cycle(phase[known][order], values, max(float(values.max()), 0.0), min(float(values.min()), 0.0))


def fillet_extreme(dataset: xr.Dataset, gear: int, side: int) -> Array:
    """Return the extreme of the cycle (n_fillet, n_face) [MPa]: largest of the tension side, smallest of the other."""
    stress = 1e-6 * np.asarray(dataset[POINT_BY_POINT][:, gear, :, side].values, dtype=float)
    end = -np.inf if side == 0 else np.inf
    known = np.where(np.isfinite(stress), stress, end)
    extreme: Array = known.max(axis=(0, 1)) if side == 0 else known.min(axis=(0, 1))
    return np.where(np.isfinite(extreme), extreme, np.nan)


def _ends(stress: Array) -> tuple[Array, Array]:
    """Largest and smallest stress over the samples; away from the mesh it is 0, which counts too."""
    known = np.nan_to_num(stress)
    return known.max(axis=0, initial=0.0), known.min(axis=0, initial=0.0)


def _by_pair(dataset: xr.Dataset, name: str, part: slice) -> tuple[Array, Indices]:
    """Values of a variable (n, gear, n_pairs, side, ...) in a part of the positions or times, and the pairs."""
    here = dataset.isel({"time" if "time" in dataset.dims else "position": part})
    if not here["phase"].size:
        shape: list[Any] = [0 if dim in ("slot", "pair") else here.sizes[dim] for dim in here[name].dims]
        return np.zeros(shape), np.zeros(0, dtype=np.int64)
    found = by_pair(here, name)
    return np.asarray(found.values, dtype=float), np.asarray(found["pair"].values, dtype=np.int64)


def _in_a_row(values: Array) -> Array:
    """Columns (n, m) one behind the other, a NaN behind each."""
    return np.vstack([values, np.full((1, values.shape[1]), np.nan)]).ravel(order="F")
