"""Sweeps in motion against the linearised response: the validation over short stretches."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("noise_study")
