"""Quasi-static limit, linear resonance and energy of the pair 20/30: the validation with fewer times and steps."""

from __future__ import annotations

from quick_form import assert_within_bounds


def test_quick_form() -> None:
    assert_within_bounds("dynamic_20_30")
