"""Random loads, alignments and pairs: the validation with few of them; hypothesis draws in tests/studies."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("robustness")
