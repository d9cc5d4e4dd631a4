"""Transmission error over flank elements: the validation on grids that are coarse but for them."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("flank_elements")
