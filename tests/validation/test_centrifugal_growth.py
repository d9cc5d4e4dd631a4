"""Shift of the transmission error by centrifugal forces against rings by hand: the start of the validation."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("centrifugal_growth")
