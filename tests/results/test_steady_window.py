"""Times that the numbers of a motion are of: whole pitches, also where the speed changes or vibrates."""

from __future__ import annotations

import histories
import numpy as np
import pytest
from datasets import contact_dataset

from alegear.results.contact_result import transient_warnings
from alegear.results.steady_window import RAMP, speed_changes, window_of, window_of_dataset
from alegear.storage.recorded_samples import RecordedSamples

TIME = np.linspace(0.0, 1.0, 2001)


def test_second_half_after_the_run_up() -> None:
    window = window_of(TIME, 40.0 * TIME - 0.5, ramp=0.2)
    assert (window.pitches, window.steady, window.words) == (16, True, "the steady part")
    assert TIME[window.part.start - 1] == pytest.approx(0.6)
    assert window.with_the_one_before == slice(window.part.start - 1, len(TIME))


@pytest.mark.parametrize("ramp", [1.0, 2.0, 0.0])
def test_a_run_up_to_the_end_counts_the_last_pitches(ramp: float) -> None:
    """Also where nothing says that the speed rises: a table of speeds."""
    phase = 40.0 * TIME**2
    window = window_of(TIME, phase, ramp)
    assert (window.pitches, window.steady, window.words) == (4, False, "the last 4 pitches")
    assert np.ptp(phase[window.with_the_one_before]) == pytest.approx(4.0, abs=0.04)


def test_a_speed_that_vibrates_about_its_mean_is_one() -> None:
    """A gear on a shaft that gives way never keeps its speed."""
    phase = 40.0 * TIME + 0.01 * np.sin(2.0 * np.pi * 40.0 * TIME) + 0.02 * np.sin(2.0 * np.pi * 7.3 * TIME)
    speed = np.gradient(phase, TIME)
    assert np.ptp(speed) > 0.1 * speed.max()
    assert not speed_changes(TIME, phase)
    window = window_of(TIME, phase)
    assert (window.pitches, window.steady) == (20, True)


@pytest.mark.parametrize("scale", [0.02, 1 / 3, 0.7, 20.0])
def test_whole_pitches_are_whole_in_whatever_unit_of_time(scale) -> None:
    """The middle of the motion is a sample, and round-off or a vibrating gear would decide whether it counts."""
    time = np.arange(801) * (scale * 5e-6)
    for vibration in (0.0, 1e-4, -1e-4):
        phase = 0.01 * np.arange(801) + vibration * np.sin(0.3 * np.arange(801))
        window = window_of(time, phase)
        assert (window.part.start, window.pitches) == (401, 4), vibration


def test_short_motions() -> None:
    """One and a half pitches have one whole one, less than a pitch none."""
    window = window_of(TIME, 1.5 * TIME)
    assert (window.pitches, window.words) == (1, "the last pitch")
    assert np.ptp((1.5 * TIME)[window.with_the_one_before]) == pytest.approx(1.0, abs=1e-3)
    window = window_of(TIME, 0.8 * TIME)
    assert (window.pitches, window.words) == (0, "less than a pitch")
    assert TIME[window.part.start] == pytest.approx(0.5)
    for n in range(2):
        assert window_of(TIME[:n], TIME[:n]).part == slice(0, n)
    standing = window_of(TIME, 0.0 * TIME, 1.0)
    assert (standing.pitches, TIME[standing.part.start]) == (0, 0.5)


class RunUp:
    """A run-up to its end with an error that grows."""

    def __init__(self) -> None:
        phase = 40.0 * TIME**2
        error = -1e-5 + 1e-6 * phase * np.sin(2.0 * np.pi * phase)
        self.samples = RecordedSamples.of({"time": TIME, "phase": phase, "transmission_error": error})


def test_a_run_up_is_no_transient() -> None:
    assert transient_warnings(RunUp(), ramp=1.0) == []


def test_summary_and_pictures_take_the_same_times() -> None:
    history = histories.dynamic_history()
    for ramp in (0.0, 0.004, 1.0):
        dataset = contact_dataset(history, ramp=ramp)
        assert dataset.attrs[RAMP] == ramp
        assert window_of_dataset(dataset).part == history.window(ramp).part
