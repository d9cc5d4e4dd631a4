"""Thresholds of the tooth-change in and out of single contact: the validation on a coarse grid."""

from __future__ import annotations

from quick_form import assert_within_bounds


def test_quick_form() -> None:
    assert_within_bounds("tooth_change")
