"""The examples of validation/liu_2018 on a coarse grid and for a shorter time: what the paper says holds there too."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.mesh.sector import MeshOptions

HERE = Path(__file__).parents[2] / "validation" / "liu_2018"
COARSE = MeshOptions(
    flank_elements=8, fillet_elements=6, thickness_elements=4, width_elements=4, rim_elements=6, order=2
)
# A coarse grid is stiffer; the validation itself has 0.002.
CLOSE = 0.01


def coarse(name: str, duration: float, **changes) -> ag.Case:
    case = ag.Case.from_toml(HERE / name)
    analysis = replace(case.analysis, duration=duration, **changes)
    output = replace(case.output, fields=False, plots=False)
    return replace(case, mesh_options=(COARSE, COARSE), analysis=analysis, output=output)


pytestmark = pytest.mark.slow  # one motion for all of them


@pytest.fixture(scope="module")
def modules():
    sys.path.insert(0, str(HERE))
    names = ("paper", "run_6_1", "run_6_2")
    try:
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(HERE))
        for name in names:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def slow(modules):
    """Three pitches of example 6.1."""
    return modules["run_6_1"].Example.of(coarse("case_6_1.toml", 24.0, output_every=0.02))


@pytest.fixture(scope="module")
def fast(modules):
    """Example 6.2 for ten pitches, half of them past the run-up."""
    case = coarse("case_6_2.toml", 0.19)
    return modules["run_6_2"].Example.of(ag.run(case).dataset, case)


def test_contact_begins_and_ends_when_the_paper_says(slow, fast):
    for example in (slow, fast):
        assert example.times.out_and_in == pytest.approx((0.44, 0.63), abs=CLOSE)
        assert example.times.contact_ratio == pytest.approx(1.81, abs=CLOSE)


def test_thresholds_in_single_contact_agree(slow):
    # a step is good to 1e-4, and the tooth-changes cut the steps elsewhere: measured 2e-7
    assert slow.difference(slow.error, 0.6, 0.5) < 1e-5
    assert slow.difference(slow.stress, 0.6, 0.5) < 1e-5


def test_thresholds_outside_jump_early_and_drop_late(slow):
    out, into = slow.times.out_and_in
    first, last = slow.wrong_times(0.4)
    assert (first, last) == pytest.approx((0.4, out), abs=CLOSE)
    first, last = slow.wrong_times(0.7)
    assert (first, last) == pytest.approx((into, 0.7), abs=CLOSE)
    for threshold in (0.4, 0.7):
        assert slow.difference(slow.error, threshold, 0.5) > 0.1
        assert slow.difference(slow.stress, threshold, 0.5) > 0.1


def test_single_contact_lags_more(slow):
    single, double = slow.levels()
    assert single < 1.2 * double < 0.0


def test_all_teeth_have_the_same_history(fast):
    for gear in ("pinion", "wheel"):
        for name in ("point_stress", "point_rotation"):
            for number in (1, 4, 7, 10):
                # the tolerance of a step is 1e-4 of the deflection
                assert fast.spread_over_teeth(name, gear, number) < 1e-3


def test_teeth_of_the_pinion_are_pushed_ahead_and_those_of_the_wheel_back(fast):
    for number in (1, 4, 7, 10):
        pinion, wheel = (fast.point("point_rotation", gear, number)[1:] for gear in ("pinion", "wheel"))
        assert pinion.min() > 0.0 > wheel.max()
        assert np.abs(wheel).max() < 0.3 * pinion.max()
        assert (fast.centre[1:] + pinion).max() < 0.0


def test_the_root_is_stressed_in_steps_as_pairs_come_and_go(fast):
    """Point 7 of the pinion's tooth of pair 7: up when it comes in and the one before goes, down with the next, out."""
    jumps = fast.jumps(fast.point("point_stress", "pinion", 7, 7), 6.3, 8.7)
    # a rise or fall takes up to a tenth of a pitch
    assert [at for at, _ in jumps] == pytest.approx([6.63, 7.44, 7.63, 8.44], abs=0.04)
    assert [size > 0.0 for _, size in jumps] == [True, True, False, False]


def test_between_two_teeth_both_count(fast):
    """Tension from the tooth before, then compression from the own one; the von Mises stress has a valley between."""
    signed = fast.point("point_stress_principal", "pinion", 10, 7)
    before, after = fast.in_mesh(6.2, 6.6), fast.in_mesh(7.45, 7.6)
    assert signed[before].min() > 0.0 > signed[after].max()
    stress = fast.point("point_stress", "pinion", 10, 7)
    assert stress[fast.in_mesh(6.63, 7.2)].min() < 0.2 * min(stress[before].max(), stress[after].max())
    # the root itself sees its own tooth only
    own = fast.point("point_stress_principal", "pinion", 7, 7)
    assert own[after].max() < 10.0 * own[before].min() < 0.0
