"""Extremes of all steps between two samples, however the steps come: one by one, or in blocks with the samples."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.recording.step_extremes import StepExtremes

RNG = np.random.default_rng(41)
TIME = np.arange(40) * 0.25
VALUES = RNG.normal(size=(40, 3))
SAMPLES = TIME[[4, 5, 17, 33]]


def by_definition() -> tuple[np.ndarray, np.ndarray]:
    begin, low, high = -1.0, [], []
    for end in SAMPLES:
        within = VALUES[slice(*np.searchsorted(TIME, [begin, end], side="right"))]
        low.append(within.min(axis=0))
        high.append(within.max(axis=0))
        begin = end
    return np.array(low), np.array(high)


@pytest.mark.parametrize("borders", [[], [20], [3, 5, 6, 18, 19]])
def test_extremes_in_blocks_are_those_by_definition(borders: list[int]) -> None:
    """A block ends anywhere; what is left of it counts for the next sample, also of one that goes on from a memory."""
    kept = StepExtremes(3)
    low, high = [], []
    for at in np.split(np.arange(40), borders):
        here = SAMPLES[(TIME[at[0]] <= SAMPLES) & (TIME[at[-1]] >= SAMPLES)]
        found = kept.of_samples(TIME[at], VALUES[at], here)
        low.append(found[0])
        high.append(found[1])
        resumed = StepExtremes(3)
        resumed.recall({name: values.copy() for name, values in kept.memory().items()})
        kept = resumed
    expected = by_definition()
    np.testing.assert_array_equal(np.concatenate(low), expected[0])
    np.testing.assert_array_equal(np.concatenate(high), expected[1])
    rest = kept.take()
    np.testing.assert_array_equal(rest[0], VALUES[34:].min(axis=0))


def test_extremes_step_by_step_are_the_same() -> None:
    kept, found = StepExtremes(3), []
    for t, values in zip(TIME, VALUES, strict=True):
        kept.update(values)
        if t in SAMPLES:
            found.append(kept.take())
    np.testing.assert_array_equal(np.array(found), np.stack(by_definition(), axis=1))
