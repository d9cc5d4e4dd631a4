"""A gearbox behind a clutch: the validation on a coarse grid."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("clutch_gearbox")
