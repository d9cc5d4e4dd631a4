"""The window of tooth faces: which pairs fill its slots at a phase, and when they change."""

import math

import numpy as np
import pytest

from alegear.ale import ToothWindow, centred_threshold, placed_threshold
from alegear.errors import Fault
from alegear.geometry import Gear, GearPair

PHASES = np.linspace(-3.217, 3.191, 129)  # none at a threshold


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.84, -0.4, 1.7])
def test_slots_follow_the_phase(n_pairs, threshold):
    """One pitch on, one pair on; between two changes the slots stay."""
    window = ToothWindow(n_pairs=n_pairs, threshold=threshold)
    first = np.array([window.first_pair(p) for p in PHASES])
    assert ([window.first_pair(p + 1.0) for p in PHASES] == first + 1).all()
    assert (np.diff(first) >= 0).all()
    assert set(np.diff(first)) <= {0, 1}
    for phase, pair in zip(PHASES, first, strict=True):
        base = pair + max(n_pairs - 2, 0) // 2
        assert base + threshold <= phase < base + threshold + 1.0


@pytest.mark.parametrize(("n_pairs", "slots"), [(1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (4, [-1, 0, 1, 2])])
def test_pairs_of_the_window_between_two_changes(n_pairs, slots):
    """Pairs 0 and 1 in the middle; the third slot is for early contact of pair 2, the fourth for late of pair -1."""
    window = ToothWindow(n_pairs=n_pairs, threshold=0.4)
    for phase in (0.41, 0.9, 1.39):
        first = window.first_pair(phase)
        assert list(range(first, first + n_pairs)) == slots


@pytest.mark.parametrize("eps", [1.05, 1.4, 1.586, 1.98, 2.1, 2.5])
def test_the_window_holds_all_pairs_that_can_touch(eps):
    """At every phase, for the threshold in the middle of the harmless interval."""
    for share in (0.35, 0.5, 0.6):
        phase_in, phase_out = -share * eps, (1.0 - share) * eps
        n_pairs = math.ceil(eps) + 1
        window = ToothWindow(n_pairs=n_pairs, threshold=centred_threshold(phase_in, phase_out, n_pairs))
        for phase in PHASES:
            touching = {k for k in range(-8, 9) if phase_in < phase - k < phase_out}
            first = window.first_pair(phase)
            assert touching <= set(range(first, first + n_pairs))


def test_changes_fall_where_the_first_pair_changes():
    """For any phase and threshold: the next change is later, at most a pitch away, and the first one."""
    rng = np.random.default_rng(11)
    window = None
    round_off = 1e-11  # of phases up to 10 000 pitches
    for n in range(100_000):
        if n % 100 == 0:
            # thresholds and phases that are and are not sums of powers of two, as a study's 1/32 steps are
            threshold = rng.uniform(0.0, 1.0) if n % 200 else rng.integers(0, 64) / 64
            window = ToothWindow(n_pairs=int(rng.integers(1, 6)), threshold=float(threshold))
        phase = float(rng.uniform(-100.0, 100.0) if n % 3 else rng.integers(-640, 640) / 64)
        change = window.next_change(phase)
        assert phase < change <= phase + 1.0 + round_off
        assert window.first_pair(change + round_off) == window.first_pair(phase + round_off) + 1
        if change - phase > 2 * round_off:
            assert window.first_pair(change - round_off) == window.first_pair(phase + round_off)


def test_stepping_from_change_to_change_never_stalls():
    """At a change itself, where k + t - t may round below k, the next one is a full pitch on."""
    for threshold in (0.1, 0.3, 0.7, 0.5625, 1.0 / 3.0, 0.9999999):
        window = ToothWindow(n_pairs=3, threshold=threshold)
        phase = -50.0
        changes = []
        for _ in range(200):
            phase = window.next_change(phase)
            changes.append(phase)
        np.testing.assert_allclose(np.diff(changes), 1.0, rtol=1e-12)


def test_a_segment_never_changes():
    for n_pairs, first in ((1, 0), (3, -1), (5, -2)):
        window = ToothWindow(n_pairs=n_pairs, threshold=None)
        assert {window.first_pair(p) for p in PHASES} == {first}
        assert window.next_change(0.3) == math.inf


def test_windows_that_cannot_be():
    with pytest.raises(Fault, match="at least 1"):
        ToothWindow(n_pairs=0)
    with pytest.raises(Fault, match="odd for a segment"):
        ToothWindow(n_pairs=2, threshold=None)


# ------------------------------------------------------------------------------------------------ threshold
def test_threshold_in_the_middle_of_the_single_contact_interval():
    """Liu et al. (2018): pair -1 leaves at 0.44, pair 1 comes in at 0.63 of a pitch."""
    assert centred_threshold(-0.37, 1.44, 2) == pytest.approx(0.535)
    assert centred_threshold(-0.37, 1.44, 4) == pytest.approx(0.535)  # whatever the window


@pytest.mark.parametrize("eps", [1.05, 1.4, 1.586, 1.98, 2.1, 2.5])
@pytest.mark.parametrize("share", [0.0, 0.35, 0.5, 0.6, 1.1])
def test_a_window_as_large_as_needed_holds_all_pairs_at_a_threshold_of_any_phase(eps, share):
    """And whole pitches more or less are the same, wherever the pitch point lies on the path."""
    phase_in, phase_out = -share * eps, (1.0 - share) * eps
    n_pairs = math.ceil(eps) + 1
    for phase in (-1.0, -0.7, -0.3, 0.0, 0.25, 0.5, 0.7):
        placed = [placed_threshold(phase + whole, phase_in, phase_out, n_pairs) for whole in (0.0, 1.0, -3.0)]
        np.testing.assert_allclose(placed, placed[0], rtol=0.0, atol=1e-14)
        assert (placed[0] - phase) % 1.0 == pytest.approx(0.0, abs=1e-12) or (placed[0] - phase) % 1.0 > 1.0 - 1e-12
        window = ToothWindow(n_pairs=n_pairs, threshold=placed[0])
        for here in PHASES:
            touching = {k for k in range(-8, 9) if phase_in < here - k < phase_out}
            first = window.first_pair(here)
            assert touching <= set(range(first, first + n_pairs))


def test_a_centred_threshold_stays_where_it_is():
    for n_pairs in (2, 3, 4):
        threshold = centred_threshold(-0.37, 1.44, n_pairs)
        assert placed_threshold(threshold, -0.37, 1.44, n_pairs) == pytest.approx(threshold, abs=1e-15)


@pytest.mark.parametrize("n_pairs", [2, 3, 4])
def test_only_one_pair_touches_at_the_threshold(n_pairs):
    pair = GearPair(
        pinion=Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3),
        wheel=Gear(z=30, m_n=4e-3, x=-0.2, b=30e-3, bore_diameter=54.2e-3),
    )
    for driver in ("pinion", "wheel"):
        phase_in, phase_out = pair.engagement(driver)
        threshold = centred_threshold(phase_in, phase_out, n_pairs)
        touching = [k for k in range(-4, 5) if phase_in < threshold - k < phase_out]
        assert len(touching) == 1
        # as far from the pair that leaves as from the pair that comes in
        assert threshold - (phase_out - 1.0) == pytest.approx(1.0 + phase_in - threshold, abs=1e-14)


@pytest.mark.parametrize(
    ("phase_in", "phase_out", "n_pairs"),
    [(-1.1, 1.2, 3), (-1.1, 1.2, 4), (-1.3, 0.9, 3), (-1.4, 1.3, 5), (-1.6, 1.7, 5), (-1.0, 1.0, 3)],
)
def test_threshold_without_single_contact(phase_in, phase_out, n_pairs):
    """For contact ratios from 2 the outgoing slot is empty and the incoming one not yet needed at the change."""
    threshold = centred_threshold(phase_in, phase_out, n_pairs)
    window = ToothWindow(n_pairs=n_pairs, threshold=threshold)
    before, after = window.first_pair(threshold - 1e-9), window.first_pair(threshold + 1e-9)
    assert after == before + 1
    outgoing, incoming = before, after + n_pairs - 1
    assert threshold - outgoing >= phase_out - 1e-12
    assert threshold - incoming <= phase_in + 1e-12
    # the margins are the same on both sides
    assert threshold - outgoing - phase_out == pytest.approx(phase_in - (threshold - incoming), abs=1e-12)


@pytest.mark.parametrize(("phase_in", "phase_out", "n_pairs"), [(-1.1, 1.2, 2), (-1.0, 1.0, 2), (-1.6, 1.7, 3)])
def test_a_window_too_small_for_any_harmless_change(phase_in, phase_out, n_pairs):
    with pytest.raises(Fault) as fault:
        centred_threshold(phase_in, phase_out, n_pairs)
    message = str(fault.value)
    assert f"window_pairs = {n_pairs}" in message
    assert f"{phase_out - phase_in:.3f}" in message
    assert "raise it" in message
