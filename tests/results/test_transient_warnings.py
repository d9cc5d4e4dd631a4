"""Motions of which the part that the results are taken of is not steady."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.results.contact_result import transient_warnings
from alegear.storage.recorded_samples import RecordedSamples


class Sampled:
    """What is looked at of a history."""

    def __init__(self, error: np.ndarray, phase: np.ndarray) -> None:
        self.samples = RecordedSamples.of({"time": 1e-3 * phase, "phase": phase, "transmission_error": error})
        self._n = len(phase)

    def __len__(self) -> int:
        return self._n


PHASE = np.linspace(-0.5, 19.5, 1001)
STEADY = -8e-6 + 1e-6 * np.sin(2.0 * np.pi * PHASE)


@pytest.mark.parametrize(("rate", "warned"), [(0.0, False), (0.9, False), (0.2, True)])
def test_a_transient_that_goes_on_is_warned_of(rate: float, warned: bool) -> None:
    dying = 2e-5 * np.exp(-rate * PHASE) * np.sin(2.0 * np.pi * 1.37 * PHASE) if rate else 0.0 * PHASE
    found = transient_warnings(Sampled(STEADY + dying, PHASE))
    assert len(found) == warned
    if warned:
        assert "um peak to peak in the first half" in found[0]


def test_what_hardly_varies_or_hardly_lasts_is_not_judged() -> None:
    noise = -8e-6 + 1e-10 * np.exp(-0.3 * PHASE) * np.sin(7.0 * PHASE)
    assert transient_warnings(Sampled(noise, PHASE)) == []
    few = PHASE < 6.0
    assert transient_warnings(Sampled((STEADY * (1.0 + PHASE))[few], PHASE[few])) == []
