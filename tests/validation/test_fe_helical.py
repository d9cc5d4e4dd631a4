"""Helical five-tooth segments, default grid, against nonlinear finite elements."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("fe_helical_20_30")
