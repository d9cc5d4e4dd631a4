"""Tooth pairs that are loaded unlike the others: which one, and the pattern that it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.results.by_pair import by_pair
from alegear.results.contact_pattern import ContactPattern, contact_pattern
from alegear.results.samples import MemorySamples
from alegear.results.steady_window import window_of_dataset

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: Pairs whose line load in a slice differs by more [of the largest] from the median are loaded unlike the others.
UNLIKE = 0.1
#: Stretches of the phase of a pair over which its line load is averaged [pitches]: the samples of pairs of a motion are
#: not at the same phases.
STRETCH = 0.25
#: Pairs that it takes to tell which one differs from the others.
LEAST = 3
#: Pitches that are looked at, the last ones.
MOST = 256
ROUND_OFF = 1e-9
#: What a pattern is made of.
READ = ("contact_roll_length", "contact_pressure", "edge_pressure", "line_load")


class PairPattern(NamedTuple):
    """What a tooth pair leaves on the flank of the first gear, and whether its whole passage is in the times."""

    pattern: ContactPattern
    whole: bool


def touching_pairs(dataset: xr.Dataset) -> tuple[int, int] | None:
    """First and last tooth pair that touch in the times of :func:`window_of_dataset`; None where none does."""
    lead, part = _lead(dataset), window_of_dataset(dataset).part
    found = []
    for at in (part.start, part.stop - 1):
        if at < part.start:
            return None
        one = dataset.isel({lead: slice(at, at + 1)})
        touches = (np.nan_to_num(np.asarray(one["line_load"].values, dtype=float)) > 0.0).any(axis=2)
        found.append(_pairs(one)[touches])
    if not all(len(pairs) for pairs in found):
        return None
    return int(found[0].min()), int(found[1].max())


def unlike_pair(dataset: xr.Dataset) -> int | None:
    """Return the tooth pair whose line load differs most from the median of all at the same place; None: all are alike.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a pair of gears at rest or in motion; while the speed changes all differ, and None is returned.
    """
    lead, window = _lead(dataset), window_of_dataset(dataset)
    part = window.part
    phase = np.asarray(dataset["phase"].values, dtype=float)[part]
    if len(phase) < 2 or not window.steady:
        return None
    skipped = int(np.searchsorted(phase, phase[-1] - MOST))
    here = dataset.isel({lead: slice(part.start + skipped, part.stop)})
    return _unlike(phase[skipped:], _pairs(here), np.asarray(here["line_load"].values, dtype=float))


def _unlike(phase: Floats, pairs: NDArray[np.int64], line: Floats) -> int | None:
    """The same of phases (n,), pairs (n, m) and line loads (n, m, n_slices)."""
    weight = np.broadcast_to(np.gradient(phase)[:, None], pairs.shape)
    stretch = np.floor((phase[:, None] - pairs) / STRETCH + ROUND_OFF).astype(np.int64)
    k, b = pairs - pairs.min(), stretch - stretch.min()
    shape = (int(k.max()) + 1, int(b.max()) + 1)
    weights, load = np.zeros(shape), np.zeros((*shape, line.shape[2]))
    np.add.at(weights, (k, b), weight)
    np.add.at(load, (k, b), np.nan_to_num(line) * weight[:, :, None])
    load /= np.where(weights > 0.0, weights, 1.0)[:, :, None]
    # a stretch of which a part is before or after these times is not compared
    begins = STRETCH * (stretch.min() + np.arange(shape[1])) + (pairs.min() + np.arange(shape[0]))[:, None]
    step = float(np.diff(phase).max()) + ROUND_OFF
    there = (begins >= phase[0] - ROUND_OFF) & (begins + STRETCH <= phase[-1] + step)
    apart, largest = np.zeros(shape[0]), 0.0
    for column, known in zip(np.moveaxis(load, 1, 0), there.T, strict=True):
        if known.sum() >= LEAST:
            middle = np.median(column[known], axis=0)
            apart[known] = np.maximum(apart[known], np.abs(column[known] - middle).max(axis=1))
            largest = max(largest, float(middle.max()))
    most = int(apart.argmax())
    return int(pairs.min()) + most if apart[most] > UNLIKE * largest else None


def pattern_of_pair(dataset: xr.Dataset, pair: int) -> PairPattern:
    """Return the pattern of one tooth pair in the times that count."""
    here = dataset.isel({_lead(dataset): window_of_dataset(dataset).part})
    values: dict[str, Any] = {name: np.asarray(by_pair(here, name, [pair]).values, dtype=float) for name in READ}
    touches = np.flatnonzero(np.isfinite(values["contact_roll_length"]).any(axis=(1, 2)))
    part = slice(int(touches[0]), int(touches[-1]) + 1) if touches.size else slice(0, 0)
    phase = np.asarray(here["phase"].values, dtype=float)[part]
    # one passage, whatever pitches it takes: in units of which all of it is less than one
    unit = 2.0 * (float(np.ptp(phase)) if len(phase) else 0.0) + 1.0
    samples = {name: one[part] for name, one in values.items()}
    samples |= {"phase": phase / unit, "slot_pair": np.full((len(phase), 1), pair / unit)}
    found = contact_pattern(MemorySamples.of(samples), slice(0, len(phase)), dataset["flank_limit"].values)
    return PairPattern(found, part.start > 0 and part.stop < here.sizes[_lead(dataset)])


def _pairs(dataset: xr.Dataset) -> NDArray[np.int64]:
    """Tooth pair of each column of the loads at each position or time, shape (n, n_columns)."""
    if "slot_pair" in dataset:
        return np.asarray(dataset["slot_pair"].values, dtype=np.int64)
    pairs = np.asarray(dataset["pair"].values, dtype=np.int64)
    return np.broadcast_to(pairs, (dataset.sizes["position"], len(pairs)))


def _lead(dataset: xr.Dataset) -> str:
    return "time" if "time" in dataset.dims else "position"
