"""The contact pattern of contacts that move as known functions over the flank."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from alegear.results.contact_pattern import ContactPattern, contact_pattern
from alegear.storage.recorded_samples import RecordedSamples

PITCH = 12e-3  # m of roll length
PAIRS = np.arange(-2, 4)
FACE = np.array([-0.01, 0.0, 0.01])


def passage(phase: np.ndarray, value, *, lag: float = 0.0) -> SimpleNamespace:
    """Contacts between 4 mm and 20 mm of roll length; `lag` shifts them from slice to slice, as in a helical pair."""
    own = phase[:, None, None] - PAIRS[:, None] - lag * np.arange(len(FACE))
    roll = 12e-3 + PITCH * own
    touching = (roll >= 4e-3) & (roll <= 20e-3)
    pressure = np.where(touching, value(roll), 0.0)
    return SimpleNamespace(
        phase=phase,
        pairs=PAIRS,
        slice_position=FACE,
        contact_roll_length=np.where(touching, roll, np.nan),
        contact_pressure=pressure,
        edge_pressure=np.zeros_like(pressure),
        line_load=1e-3 * pressure,
        flank_limit=np.array([[2e-3, 22e-3], [23e-3, 3e-3]]),
    )


def pattern_of(history: SimpleNamespace) -> ContactPattern:
    values = {
        name: getattr(history, name)
        for name in ("phase", "contact_roll_length", "contact_pressure", "edge_pressure", "line_load")
    }
    values["slot_pair"] = np.tile(PAIRS, (len(history.phase), 1))
    return contact_pattern(RecordedSamples.of(values), slice(None), history.flank_limit)


def linear(roll):
    return 1e9 + 5e10 * roll


@pytest.mark.parametrize("lag", [0.0, 0.3])
@pytest.mark.parametrize("pitches", [1, 3])
def test_a_linear_pressure_is_found_again(pitches: int, lag: float) -> None:
    n = 32
    history = passage(-0.5 + np.arange(n * pitches) / n, linear, lag=lag)
    pattern = pattern_of(history)
    roll = pattern.roll_length
    assert (roll[0], roll[-1]) == (2e-3, 22e-3)  # the pinion's flank
    step = PITCH / n
    inside = (roll > 4e-3 + step) & (roll < 20e-3 - step)
    # linear interpolation is exact; a sample counts for a point half a spacing away
    nearest = 5e10 * 0.5 * (roll[1] - roll[0])
    np.testing.assert_allclose(
        pattern.pressure[inside], np.repeat(linear(roll[inside])[:, None], 3, axis=1), atol=1.01 * nearest
    )
    np.testing.assert_allclose(pattern.line_load, 1e-3 * pattern.pressure, rtol=1e-12)
    outside = (roll < 4e-3 - step) | (roll > 20e-3 + step)
    assert not pattern.pressure[outside].any()
    assert pattern.pressure.max() == history.contact_pressure.max()


def test_pitches_of_a_dynamic_study_do_not_mix() -> None:
    # the load doubles in the second pitch: the pattern is that of the second alone
    phase = np.sort(np.random.default_rng(1).uniform(0.0, 2.0, 400))
    history = passage(phase, linear)
    history.contact_pressure[phase - phase[0] >= 1.0] *= 2.0
    pattern = pattern_of(history)
    inside = (pattern.roll_length > 4.5e-3) & (pattern.roll_length < 19.5e-3)
    # the widest step of the phase times the slope, and the nearest point as above
    np.testing.assert_allclose(pattern.pressure[inside, 1], 2.0 * linear(pattern.roll_length[inside]), rtol=2e-2)


def test_a_pair_out_of_contact_in_between_leaves_a_hole() -> None:
    phase = -0.5 + np.arange(64) / 64
    history = passage(phase, linear)
    hole = (history.contact_roll_length > 10e-3) & (history.contact_roll_length < 14e-3)
    history.contact_roll_length[hole] = np.nan
    pattern = pattern_of(history)
    inner = (pattern.roll_length > 10.2e-3) & (pattern.roll_length < 13.8e-3)
    assert not pattern.pressure[inner].any()


def test_without_contact_the_pattern_is_empty() -> None:
    history = passage(np.zeros(0), linear)
    pattern = pattern_of(history)
    assert pattern.pressure.shape == (121, 3)
    assert not pattern.pressure.any()


def test_sliding_and_what_follows_from_it_pass_through_zero_at_the_pitch_point() -> None:
    """Between samples on both sides of it the magnitudes alone would say that it slides there."""
    phase = -0.5 + np.arange(8) / 8
    history = passage(phase, linear)
    at_pitch_point = 12.7e-3  # between two samples
    sliding = 200.0 * (history.contact_roll_length - at_pitch_point)
    values = {name: getattr(history, name) for name in ("phase", "contact_roll_length", "contact_pressure")}
    values |= {"edge_pressure": history.edge_pressure, "line_load": history.line_load}
    values |= {"sliding": sliding, "heat": 3.0 * np.abs(sliding), "slot_pair": np.tile(PAIRS, (len(phase), 1))}
    samples, names = RecordedSamples.of(values), ("sliding", "heat")
    pattern = contact_pattern(samples, slice(None), history.flank_limit, further=names, sign="sliding")
    roll = pattern.roll_length
    inside = (roll > 6e-3) & (roll < 18e-3)
    expected = 200.0 * np.abs(roll - at_pitch_point)
    nearest = 200.0 * 0.5 * (roll[1] - roll[0])  # a sample counts for the nearest point of the grid
    for name, factor in (("sliding", 1.0), ("heat", 3.0)):
        found = pattern.further[name][inside] / factor
        assert np.all(np.abs(found - expected[inside, None]) <= nearest * (1.0 + 1e-9))
    magnitudes = contact_pattern(samples, slice(None), history.flank_limit, further=names).further["sliding"]
    assert magnitudes[inside].min() > 5.0 * pattern.further["sliding"][inside].min()
