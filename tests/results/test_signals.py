"""Statistics and spectra of signals with a known answer."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.results import signals


def test_whole_pitches_of_equal_spacing() -> None:
    phase = -0.5 + np.arange(70) / 32
    assert signals.whole_pitches_uniform(phase) == slice(0, 64)
    assert signals.whole_pitches_uniform(phase[:20]) == slice(0, 20)


def test_whole_pitches_at_the_end_of_uneven_phases() -> None:
    phase = np.cumsum(np.random.default_rng(1).uniform(0.01, 0.05, 200))
    window = signals.whole_pitches(phase)
    span = phase[window.stop - 1] - phase[window.start - 1]
    # the interval before the first value belongs to it: whole pitches but for a part of one spacing
    assert window.stop == 200
    assert abs(span - round(span)) < 0.05
    assert window.start - 1 <= np.searchsorted(phase, phase[0] + 1.0)


def test_peak_to_peak_and_mean_skip_what_was_not_computed() -> None:
    signal = np.array([1.0, np.nan, 3.0])
    assert signals.peak_to_peak(signal) == 2.0
    assert signals.mean(signal) == 2.0
    assert np.isnan(signals.mean(np.array([np.nan])))


def test_loaded_contact_ratio_counts_loaded_pairs() -> None:
    load = np.array([[1.0, 0.0], [1.0, 2.0], [np.nan, 2.0], [1.0, 1e-12]])
    assert signals.loaded_contact_ratio(load) == 5.0 / 4.0
    assert np.isnan(signals.loaded_contact_ratio(np.zeros((3, 2))))


def test_mesh_harmonics_of_a_fourier_sum() -> None:
    phase = -0.5 + np.arange(64) / 32
    signal = 7.0 + 3.0 * np.cos(2.0 * np.pi * phase + 0.3) + 0.5 * np.sin(8.0 * np.pi * phase)
    order, amplitude = signals.mesh_harmonics(phase, signal, 6)
    assert list(order) == [1, 2, 3, 4, 5, 6]
    # a discrete Fourier transform over whole periods is exact
    np.testing.assert_allclose(amplitude, [3.0, 0.0, 0.0, 0.5, 0.0, 0.0], atol=1e-13)


def test_mesh_harmonics_of_even_steps_that_do_not_divide_the_pitch() -> None:
    phase = 0.0192 * np.arange(101)  # of a dynamic study: 1.92 pitches, 52.08 steps each
    _, amplitude = signals.mesh_harmonics(phase, 2.0 * np.cos(2.0 * np.pi * phase), 3)
    np.testing.assert_allclose(amplitude, [2.0, 0.0, 0.0], atol=1e-13)  # round-off of the fit


def test_mesh_harmonics_beyond_two_samples_a_period_are_unknown() -> None:
    phase = np.arange(8) / 8
    _, amplitude = signals.mesh_harmonics(phase, np.cos(2.0 * np.pi * phase), 5)
    np.testing.assert_allclose(amplitude, [1.0, 0.0, 0.0, np.nan, np.nan], atol=1e-14)


def test_mesh_harmonics_of_uneven_phases() -> None:
    phase = np.cumsum(np.random.default_rng(2).uniform(0.001, 0.003, 3000))
    _, amplitude = signals.mesh_harmonics(phase, np.cos(2.0 * np.pi * phase), 3)
    np.testing.assert_allclose(amplitude, [1.0, 0.0, 0.0], atol=1e-13)  # round-off of the fit


def test_mesh_harmonics_with_few_samples_a_pitch_are_whole() -> None:
    phase = np.arange(400) / 9.37  # of a motion at high speed; the fifth order has less than two samples a period
    wanted = [1.0, 0.3, 0.1, 0.03]
    signal = sum(a * np.cos(2.0 * np.pi * k * phase + k) for k, a in enumerate(wanted, start=1))
    _, amplitude = signals.mesh_harmonics(phase, signal, 6)
    np.testing.assert_allclose(amplitude, [*wanted, np.nan, np.nan], atol=1e-13)
    # over orders that are not asked for: what leaks falls with the number of pitches
    _, first = signals.mesh_harmonics(phase, signal, 1)
    np.testing.assert_allclose(first, wanted[:1], rtol=0.01)


def test_a_long_record_is_fitted_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    phase, signal = np.cumsum(random.uniform(0.05, 0.1, 1000)), random.normal(size=(1000, 2))
    at_once = signals.order_amplitudes(phase, signal, [0.5, 1.0, 2.0])
    monkeypatch.setattr(signals, "FITTED_AT_ONCE", 64)
    np.testing.assert_allclose(signals.order_amplitudes(phase, signal, [0.5, 1.0, 2.0]), at_once, rtol=1e-12)


def test_face_load_factor_of_a_single_pair() -> None:
    # one pair alone at the second position, with a linear load from 1 - k to 1 + k over the middles of four slices
    load = np.zeros((3, 2, 4))
    load[0] = load[2] = 5.0
    load[1, 1] = 1.0 + 0.2 * np.array([-1.5, -0.5, 0.5, 1.5])
    assert signals.face_load_factor(load) == pytest.approx(1.3, rel=1e-14)


def test_face_load_factor_where_pairs_always_share() -> None:
    # inclined lines of contact, each over half the face: together even but for the third slice
    load = np.zeros((2, 2, 4))
    load[0, 0, :2] = load[0, 1, 2:] = load[1, 0, 2:] = load[1, 1, :2] = 1.0
    assert signals.face_load_factor(load) == 1.0
    load[0, 1, 2] = 3.0
    assert signals.face_load_factor(load) == pytest.approx(2.0 / 1.25, rel=1e-14)
    assert np.isnan(signals.face_load_factor(np.zeros((2, 2, 4))))


def test_rms_is_about_the_mean() -> None:
    signal = np.array([5.0 + 3.0, 5.0 - 3.0, np.nan])
    assert signals.rms(signal) == pytest.approx(3.0, rel=1e-15)
    assert np.isnan(signals.rms(np.array([np.nan])))


def test_pitch_blocks_cover_whole_pitches() -> None:
    phase = -0.5 + np.arange(101) / 16
    blocks = signals.pitch_blocks(phase, 2)
    assert blocks == [slice(0, 32), slice(32, 64), slice(64, 96)]
    assert signals.pitch_blocks(phase[:10], 2) == []
    uneven = np.cumsum(np.random.default_rng(3).uniform(0.02, 0.1, 500))
    for block in signals.pitch_blocks(uneven, 3):
        assert uneven[block.stop] - uneven[block.start] == pytest.approx(3.0, abs=0.1)  # a spacing at either end


def test_order_amplitudes_of_uneven_phases_with_a_drift() -> None:
    phase = 7.0 + np.cumsum(np.random.default_rng(4).uniform(0.05, 0.4, 200))  # down to two and a half samples a pitch
    signal = 3.0 - 0.1 * phase + 2.0 * np.cos(2.0 * np.pi * phase + 0.4) + 0.5 * np.sin(np.pi * phase)
    found = signals.order_amplitudes(phase, signal, (0.5, 1.0, 1.5))
    # what the signal is made of lies in the space of the fit: exact but for round-off
    np.testing.assert_allclose(found, [0.5, 2.0, 0.0], atol=1e-12)
    assert np.isnan(signals.order_amplitudes(phase[:5], signal[:5], (1.0, 2.0))).all()
