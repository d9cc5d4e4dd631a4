"""Range of the root stress over the cycle of a tooth."""

from __future__ import annotations

from dataclasses import replace

import histories
import numpy as np
import pytest
from datasets import contact_dataset

from alegear.results.contact_result import contact_summary
from alegear.results.root_fillet import RootFillet
from alegear.results.variables import FILLET


def fillet() -> RootFillet:
    """Pinion with 4 x 3 points, wheel with 3 x 3: the widest cycle at known points."""
    highest, lowest = np.zeros((2, 2, 2, 4, 3))
    highest[0, 0, 2, 1], lowest[0, 0, 2, 1] = 200e6, -50e6
    highest[0, 0, 1, 1] = 230e6  # larger, but with a smaller range
    highest[0, 1], lowest[0, 1, 3, 2] = -10e6, -300e6  # never in tension: the unloaded tooth is the top of the cycle
    highest[1, :, 1, 0] = 100e6
    arc_length = 1e-3 * np.array([[1.0, 2.0, 3.0, 4.0], [1.5, 2.5, 3.5, np.nan]])
    highest[1, :, 3] = lowest[1, :, 3] = np.nan
    return RootFillet(
        arc_length=arc_length,
        tangent=np.zeros((2, 4)),
        face_position=np.tile([-0.01, 0.0, 0.01], (2, 1)),
        highest=highest,
        lowest=lowest,
    )


def test_the_widest_cycle_and_its_place() -> None:
    cycle = fillet().stress_range()
    np.testing.assert_array_equal(cycle.spread, [[250e6, 300e6], [100e6, 100e6]])
    np.testing.assert_array_equal(cycle.mean, [[75e6, -150e6], [50e6, 50e6]])
    np.testing.assert_array_equal(cycle.arc_length, [[3e-3, 4e-3], [2.5e-3, 2.5e-3]])
    np.testing.assert_array_equal(cycle.face_position, [[0.0, 0.01], [-0.01, -0.01]])


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_round_off_does_not_choose_between_equal_places(sign: float) -> None:
    """Stress that is symmetric about mid-face: the place is the first of the two, whichever is larger by round-off."""
    even = fillet()
    even.highest[1, :, 1, 2] = even.highest[1, :, 1, 0] * (1.0 + sign * 1e-12)
    np.testing.assert_array_equal(even.stress_range().face_position[1], -0.01)
    even.highest[1, :, 1, 2] *= 1.0 + 1e-8  # not round-off any more
    np.testing.assert_array_equal(even.stress_range().face_position[1], 0.01)


def test_in_dataset_and_summary() -> None:
    phase = histories.static_history().phase
    stress = np.zeros((len(phase), 2, 3, 2, 4, 3))
    history = histories.at_phases(phase, root_fillet=fillet(), **dict.fromkeys(FILLET, stress))
    summary = contact_summary(history, histories.FACTS)
    assert summary["root_stress_range_MPa"]["pinion"] == pytest.approx({"tension": 250.0, "compression": 300.0})
    assert summary["root_stress_amplitude_MPa"]["wheel"]["tension"] == pytest.approx(50.0)
    assert summary["root_stress_mean_MPa"]["pinion"]["compression"] == pytest.approx(-150.0)
    dataset = contact_dataset(history, histories.CASE)
    assert dataset["root_stress_fillet"].dims == ("position", "gear", "pair", "side", "fillet", "face")
    assert float(dataset["root_stress_range"].sel(gear="pinion", side="tension")) == 250e6
    assert dataset["fillet_arc_length"].dims == ("gear", "fillet")


def test_less_than_a_pitch_or_a_segment_has_no_cycle() -> None:
    whole = histories.static_history()
    part = histories.at_phases(whole.phase[:-1], root_fillet=fillet())
    assert contact_summary(part, histories.FACTS)["root_stress_range_MPa"] is None
    unknown = np.full((2, 2, 4, 3), np.nan)
    segment = replace(whole, root_fillet=replace(fillet(), highest=unknown, lowest=unknown))
    assert contact_summary(segment, histories.FACTS)["root_stress_range_MPa"] is None
    assert "root_stress_range" not in contact_dataset(segment, histories.CASE)
    assert contact_summary(whole, histories.FACTS)["root_stress_range_MPa"] is None
