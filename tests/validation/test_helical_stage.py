"""Ripple of a helical stage on coarse grids, and that the bounds would see a change of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from quick_form import assert_within_bounds
from script_files import load_script


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("helical_stage")


def test_a_change_of_the_first_order_would_be_seen() -> None:
    run = load_script("validation/helical_stage/run.py")
    one = run.Ripple(
        elements_across=16, slices=24, mean=19.0, peak_to_peak=0.117, first_order=0.053, second_difference=0.02
    )
    assert one.agrees_with(one)
    assert not one.agrees_with(replace(one, first_order=one.first_order + 0.03))
