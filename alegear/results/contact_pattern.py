"""The contact pattern: what one flank of the pinion sees over a cycle, by roll length and place across the face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROLL_POINTS = 121  # a quarter to a half of the distance of the contacts at 32 positions a pitch
#: Samples further apart than this many of the widest steps of the phase do not belong to one passage.
LONGEST_STEP = 1.5


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactPattern:
    """Largest values of a cycle on a regular grid of the pinion's flank; 0 where nothing touches.

    Parameters
    ----------
    roll_length : shape (n_roll,) [m]
        Equally spaced, rising towards the tip.
    pressure, edge_pressure : shape (n_roll, n_slices) [Pa]
        Of the flanks, and of tip edges and undercut edges.
    line_load : shape (n_roll, n_slices) [N/m]
    """

    roll_length: Floats
    pressure: Floats
    edge_pressure: Floats
    line_load: Floats


def contact_pattern(history: Any, window: slice, n_roll: int = ROLL_POINTS) -> ContactPattern:
    """Put the contacts of all tooth pairs in a window over each other.

    Pair k at phase phi is where pair 0 is at phase phi - k, so the pairs of one pitch together are the whole passage of
    one pair. Between neighbouring samples of the passage place and value are interpolated linearly; a sample itself
    also counts for the nearest point of the grid. The largest value of all passages is kept, so the largest of the
    pattern is that of the samples.

    Parameters
    ----------
    history : StaticHistory or DynamicHistory
    window : slice
        Its positions or times that count: whole pitches.
    n_roll : int
        Points of the grid. It covers the pinion's flank between root form circle and tip, and all contacts.
    """
    roll = np.asarray(history.contact_roll_length, dtype=float)[window]
    n_slices = len(history.slice_position)
    touching = np.isfinite(roll)
    ends = np.concatenate([np.asarray(history.flank_limit, dtype=float)[0], roll[touching]])
    ends = ends[np.isfinite(ends)]
    low, high = (ends.min(), ends.max()) if ends.size and np.ptp(ends) > 0.0 else (0.0, 1.0)
    grid = np.linspace(low, high, n_roll)
    pressure, edge_pressure, line_load = np.zeros((3, n_roll, n_slices))
    if touching.any():
        phase = np.asarray(history.phase, dtype=float)[window]
        passage = np.floor(phase - phase[0] + 1e-9)
        at, pair, face = np.nonzero(touching)
        own = phase[at] - np.asarray(history.pairs, dtype=float)[pair]
        order = np.lexsort((own, passage[at], face))
        at, pair, face, own = at[order], pair[order], face[order], own[order]
        place = (roll[at, pair, face] - low) / (high - low) * (n_roll - 1)
        step = float(np.diff(phase).max()) if len(phase) > 1 else 0.0
        joined = (np.diff(face) == 0) & (np.diff(passage[at]) == 0.0) & (np.diff(own) <= LONGEST_STEP * step)
        kept = (("contact_pressure", pressure), ("edge_pressure", edge_pressure), ("line_load", line_load))
        for name, out in kept:
            value = np.nan_to_num(np.asarray(getattr(history, name), dtype=float)[window][at, pair, face])
            np.maximum.at(out, (np.rint(place).astype(np.int64), face), value)
            _between(out, place, value, face, np.flatnonzero(joined))
    return ContactPattern(roll_length=grid, pressure=pressure, edge_pressure=edge_pressure, line_load=line_load)


def _between(out: Floats, place: Floats, value: Floats, face: NDArray[np.int64], first: NDArray[np.int64]) -> None:
    """Raise the grid points that lie between samples `first` and `first` + 1 to the interpolated values."""
    second = first + 1
    swapped = place[first] > place[second]
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    start = np.ceil(place[first]).astype(np.int64)
    count = np.floor(place[second]).astype(np.int64) - start + 1
    for k in range(int(count.max(initial=0))):
        here = np.flatnonzero(count > k)
        a, b, point = first[here], second[here], start[here] + k
        way = place[b] - place[a]
        share = (point - place[a]) / np.where(way > 0.0, way, 1.0)
        np.maximum.at(out, (point, face[a]), (1.0 - share) * value[a] + share * value[b])
