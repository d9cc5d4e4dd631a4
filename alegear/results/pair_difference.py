"""Tooth pairs that are loaded unlike the others: which one, and the pattern that it leaves alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from alegear.arrays import Array, Indices, Mask
from alegear.results.by_pair import by_pair
from alegear.results.contact_pattern import ContactPattern, contact_pattern
from alegear.results.steady_window import window_of_dataset
from alegear.storage import lazy_xarray as xr
from alegear.storage.recorded_samples import RecordedSamples

#: Pairs whose line load in a slice differs by more [of the largest] from the median are loaded unlike the others.
UNLIKE = 0.1
#: Stretches of the phase of a pair over which its line load is averaged [pitches]: the samples of pairs of a motion are
#: not at the same phases.
STRETCH = 0.25
#: Pairs that it takes to see which one differs from the others.
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
    sample_dim, part = _sample_dim(dataset), window_of_dataset(dataset).part
    found = []
    for at in (part.start, part.stop - 1):
        if at < part.start:
            return None
        one = dataset.isel({sample_dim: slice(at, at + 1)})
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
    sample_dim, window = _sample_dim(dataset), window_of_dataset(dataset)
    part = window.part
    phase = np.asarray(dataset["phase"].values, dtype=float)[part]
    if len(phase) < 2 or not window.steady:
        return None
    skipped = int(np.searchsorted(phase, phase[-1] - MOST))
    here = dataset.isel({sample_dim: slice(part.start + skipped, part.stop)})
    return _unlike(phase[skipped:], _pairs(here), np.asarray(here["line_load"].values, dtype=float))


def _unlike(phase: Array, pairs: Indices, line: Array) -> int | None:
    """The same of phases (n,), pairs (n, m) and line loads (n, m, n_slices).

    Pairs are sampled at phases of their own, and the line load steps where teeth come into contact or leave it. Its
    mean over a stretch of the phase is known between two bounds therefore: with the smaller and with the larger value
    of two neighbouring samples between them. Pairs differ by what lies between their bounds.
    """
    own = np.unique(pairs)
    first = int(np.floor((phase[0] - own[-1]) / STRETCH + ROUND_OFF))
    count = int(np.floor((phase[-1] - own[0]) / STRETCH + ROUND_OFF)) - first + 1
    low, high = np.zeros((2, len(own), count, line.shape[2]))
    begins = STRETCH * (first + np.arange(count)) + own[:, None]
    # a stretch of which a part is before or after these times is not compared
    there = (begins >= phase[0] - ROUND_OFF) & (begins + STRETCH <= phase[-1] + ROUND_OFF)
    for k, pair in enumerate(own.tolist()):
        low[k], high[k] = _bounds(phase - pair, pairs == pair, line, first, count)
    apart, largest = np.zeros(len(own)), 0.0
    for b, known in enumerate(there.T):
        if known.sum() >= LEAST:
            least, most = low[known, b], high[known, b]
            below, above = np.median(least, axis=0) - most, least - np.median(most, axis=0)
            apart[known] = np.maximum(apart[known], np.maximum(below, above).max(axis=1))
            largest = max(largest, float(np.median(0.5 * (least + most), axis=0).max()))
    found = int(apart.argmax())
    return int(own[found]) if apart[found] > UNLIKE * largest else None


def _bounds(phase: Array, at: Mask, line: Array, first: int, count: int) -> tuple[Array, Array]:
    """Bounds of the mean line load of a pair, (count, n_slices), over stretches of its phase (n,) from `first` on.

    Its loads are those of (n, m, n_slices) where `at` (n, m), and 0 where it is in no column.
    """
    touched = np.flatnonzero(at.any(axis=1))
    low, high = np.zeros((2, count, line.shape[2]))
    begin, end = max(int(touched[0]) - 1, 0), min(int(touched[-1]) + 2, len(phase))
    load = np.einsum("nm,nms->ns", at[begin:end], np.nan_to_num(line[begin:end]))
    x = phase[begin:end]
    borders = STRETCH * (first + np.arange(count + 1))
    ends = np.unique(np.concatenate([x, borders[(borders > x[0]) & (borders < x[-1])]]))
    middle, width = 0.5 * (ends[1:] + ends[:-1]), np.diff(ends)
    between = np.searchsorted(x, middle) - 1
    stretch = np.clip(np.floor(middle / STRETCH).astype(np.int64) - first, 0, count - 1)
    weight = (width / STRETCH)[:, None]
    np.add.at(low, stretch, weight * np.minimum(load[between], load[between + 1]))
    np.add.at(high, stretch, weight * np.maximum(load[between], load[between + 1]))
    return low, high


def pattern_of_pair(dataset: xr.Dataset, pair: int) -> PairPattern:
    """Return the pattern of one tooth pair in the times that count."""
    here = dataset.isel({_sample_dim(dataset): window_of_dataset(dataset).part})
    values: dict[str, Any] = {name: np.asarray(by_pair(here, name, [pair]).values, dtype=float) for name in READ}
    touches = np.flatnonzero(np.isfinite(values["contact_roll_length"]).any(axis=(1, 2)))
    part = slice(int(touches[0]), int(touches[-1]) + 1) if touches.size else slice(0, 0)
    phase = np.asarray(here["phase"].values, dtype=float)[part]
    # one passage, whatever pitches it takes: in units of which all of it is less than one
    unit = 2.0 * (float(np.ptp(phase)) if len(phase) else 0.0) + 1.0
    samples = {name: one[part] for name, one in values.items()}
    samples |= {"phase": phase / unit, "slot_pair": np.full((len(phase), 1), pair / unit)}
    found = contact_pattern(RecordedSamples.of(samples), slice(0, len(phase)), dataset["flank_limit"].values)
    return PairPattern(found, part.start > 0 and part.stop < here.sizes[_sample_dim(dataset)])


def _pairs(dataset: xr.Dataset) -> Indices:
    """Tooth pair of each column of the loads at each position or time, shape (n, n_columns)."""
    if "slot_pair" in dataset:
        return np.asarray(dataset["slot_pair"].values, dtype=np.int64)
    pairs = np.asarray(dataset["pair"].values, dtype=np.int64)
    return np.broadcast_to(pairs, (dataset.sizes["position"], len(pairs)))


def _sample_dim(dataset: xr.Dataset) -> str:
    return "time" if "time" in dataset.dims else "position"
