"""Load over the face of a misaligned pair: the validation on a coarse grid."""

from __future__ import annotations

from quick_form import assert_within_bounds


def test_quick_form() -> None:
    assert_within_bounds("misalignment")
