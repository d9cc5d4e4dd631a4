"""The contact pattern: what one flank of the pinion sees over a cycle, by roll length and place across the face."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from alegear.arrays import Array, Indices
from alegear.storage.recorded_samples import CHUNK, Samples, blocks

ROLL_POINTS = 121  # a quarter to a half of the distance of the contacts at 32 positions a pitch
#: Samples further apart than this many of the widest steps of the phase do not belong to one passage.
LONGEST_STEP = 1.5
VALUES = ("contact_pressure", "edge_pressure", "line_load")


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
    further : dict of shape (n_roll, n_slices)
        Of the other variables of `names`, by their names.
    """

    roll_length: Array
    pressure: Array
    edge_pressure: Array
    line_load: Array
    further: dict[str, Array] = field(default_factory=dict)


def contact_pattern(
    samples: Samples,
    window: slice,
    flank_limit: Array,
    n_roll: int = ROLL_POINTS,
    size: int = CHUNK,
    further: tuple[str, ...] = (),
    sign: str | None = None,
) -> ContactPattern:
    """Put the contacts of all tooth pairs in a window over each other.

    Pair k at phase phi is where pair 0 is at phase phi - k, so the pairs of one pitch together are the whole passage of
    one pair. Between neighbouring samples of the passage place and value are interpolated linearly; a sample itself
    also counts for the nearest point of the grid. The largest value of all passages is kept, so the largest of the
    pattern is that of the samples.

    Parameters
    ----------
    samples : Samples
        With ``phase``, ``slot_pair``, ``contact_roll_length``, ``contact_pressure``, ``edge_pressure``, ``line_load``.
    window : slice
        Its positions or times that count: whole pitches.
    flank_limit : shape (2, 2) [m]
        Roll length on the pinion's flank at root form circle and tip of pinion and wheel.
    n_roll : int
        Points of the grid. It covers the pinion's flank between root form circle and tip, and all contacts.
    size : int
        Samples in memory at a time; of no influence on the pattern.
    further : tuple of str
        Variables by pair and slice besides, whose largest magnitude is kept.
    sign : str, optional
        Variable that they change sign with, whether they are recorded with a sign or as magnitudes: across a sample
        pair in which it changes, they pass through zero (sliding, at the pitch point).
    """
    begin, end, _ = window.indices(len(samples))
    n_slices = samples.layout["contact_roll_length"].shape[-1]
    low, high, touches = _ends(samples, window, np.asarray(flank_limit, dtype=float)[0])
    out = {name: np.zeros((n_roll, n_slices)) for name in (*VALUES, *further)}
    if touches:
        phase = samples.read("phase", begin, end)
        passage = np.floor(phase - phase[0] + 1e-9)
        step = float(np.diff(phase).max()) if len(phase) > 1 else 0.0
        for first, last, extra in _stretches(passage, size):
            rows = np.append(np.arange(first, last), np.array(extra, dtype=np.int64))

            def of(name: str, first: int = first, last: int = last, extra: list[int] = extra) -> Array:
                parts = [samples.read(name, begin + first, begin + last)]
                return np.concatenate(parts + [samples.read(name, begin + i, begin + i + 1) for i in extra])

            at, slot, face = np.nonzero(np.isfinite(roll := of("contact_roll_length")))
            own = phase[rows][at] - of("slot_pair")[at, slot]
            order = np.lexsort((own, passage[rows][at], face))
            at, slot, face, own = at[order], slot[order], face[order], own[order]
            place = (roll[at, slot, face] - low) / (high - low) * (n_roll - 1)
            joined = (np.diff(face) == 0) & (np.diff(passage[rows][at]) == 0.0) & (np.diff(own) <= LONGEST_STEP * step)
            for name, pattern in out.items():
                value, both = np.nan_to_num(of(name)[at, slot, face]), joined
                if name in further:  # nothing is interpolated beside contacts that do not have it
                    known = np.isfinite(of(name)[at, slot, face])
                    value, both = np.abs(value), joined & known[1:] & known[:-1]
                    if sign is not None:
                        value = np.copysign(value, np.nan_to_num(of(sign)[at, slot, face]))
                np.maximum.at(pattern, (np.rint(place).astype(np.int64), face), np.abs(value))
                _between(pattern, place, value, face, np.flatnonzero(both))
    return ContactPattern(
        roll_length=np.linspace(low, high, n_roll),
        pressure=out["contact_pressure"],
        edge_pressure=out["edge_pressure"],
        line_load=out["line_load"],
        further={name: out[name] for name in further},
    )


def _ends(samples: Samples, window: slice, flank: Array) -> tuple[float, float, bool]:
    """Smallest and largest roll length of the flank and of all contacts, and whether there is any contact."""
    ends, touches = list(flank[np.isfinite(flank)]), False
    for block in blocks(samples, ("contact_roll_length",), window):
        roll = block["contact_roll_length"]
        found = roll[np.isfinite(roll)]
        if found.size:
            ends += [found.min(), found.max()]
            touches = True
    if not ends or not np.ptp(ends) > 0.0:
        return 0.0, 1.0, touches
    return float(min(ends)), float(max(ends)), touches


def _stretches(passage: Array, size: int) -> Iterator[tuple[int, int, list[int]]]:
    """Samples that are looked at together, from one up to another, and further ones: some passages, or a part of one.

    The parts overlap by a sample, and to the last one belongs the first sample of the passage: one pair is there at the
    end of a passage where another one began.
    """
    begin = 0
    for a, b in pairwise([0, *(np.flatnonzero(np.diff(passage)) + 1).tolist(), len(passage)]):
        if b - begin > size and a > begin:
            yield begin, a, []
            begin = a
        if b - begin > size:
            for low in range(begin, b, size):
                yield max(low - 1, begin), min(low + size, b), [] if low + size < b else [begin]
            begin = b
    if begin < len(passage):
        yield begin, len(passage), []


def _between(out: Array, place: Array, value: Array, face: Indices, first: Indices) -> None:
    """Raise grid points between samples `first` and `first` + 1 to the magnitudes of the interpolated values."""
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
        np.maximum.at(out, (point, face[a]), np.abs((1.0 - share) * value[a] + share * value[b]))
