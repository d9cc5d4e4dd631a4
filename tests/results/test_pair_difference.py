"""Tooth pairs that differ: by their teeth, not by the phases at which they were sampled."""

import numpy as np
import pytest

from alegear.results.pair_difference import _unlike


def loads(
    n: int, pitches: float, factor: dict[int, float], slices: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Phases, pairs, line loads of 2.2 pitches of contact: steps as slices come in, one after the other, and go."""
    phase = np.linspace(0.0, pitches, n)
    pairs = np.broadcast_to(np.arange(-3, int(pitches) + 2), (n, int(pitches) + 5))
    own = phase[:, None, None] - pairs[:, :, None] - 0.13 * np.arange(slices)
    line = np.where((own > 0.0) & (own < 1.6), 0.4 + np.sin(np.pi * np.clip(own, 0.0, 1.6) / 1.6), 0.0)
    for pair, by in factor.items():
        line[:, pairs[0] == pair] *= by
    return phase, pairs, line


@pytest.mark.parametrize("n", [20, 32, 47, 100, 400])
@pytest.mark.parametrize("pitches", [3.24, 5.0, 7.7])
def test_equal_teeth_sampled_at_other_phases_are_alike(n: int, pitches: float) -> None:
    assert _unlike(*loads(n, pitches, {})) is None


@pytest.mark.parametrize("n", [60, 100, 400])
@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_a_pair_that_carries_otherwise_is_found(n: int, factor: float) -> None:
    assert _unlike(*loads(n, 5.0, {2: factor})) == 2
