"""The pair of validation/fidelity on coarse grids: each level becomes the next in its limits."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("fidelity")
