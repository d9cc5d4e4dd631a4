"""The examples of validation/liu_2018 on a coarse grid and for a shorter time: what the paper says holds there too."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough  # python validation/run.py; motions of such pairs: tests/golden
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("liu_2018")
