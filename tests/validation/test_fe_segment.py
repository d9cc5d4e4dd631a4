"""Five-tooth segments on the default grid against nonlinear finite elements: four phases of the validation."""

from __future__ import annotations

from quick_form import assert_within_bounds


def test_quick_form() -> None:
    assert_within_bounds("fe_segment_20_30")
