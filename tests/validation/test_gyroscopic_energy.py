"""Energy of a disk that turns, whirls and tilts: the validation with few steps."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("gyroscopic_energy")
