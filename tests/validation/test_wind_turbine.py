"""Gearbox of a wind turbine beside hand calculation: 20 ms of the validation."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("wind_turbine")
