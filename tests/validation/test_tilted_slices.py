"""Slices of a tilted and crowned pair: the validation on a coarse grid, four positions."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("tilted_slices")
