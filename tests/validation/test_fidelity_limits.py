"""The pair of validation/fidelity on coarse grids: each level becomes the next in its limits."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds
from script_files import load_script


@pytest.mark.thorough
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("fidelity")


def test_limits_come_with_the_comparison() -> None:
    """The quick form asks for them without the levels."""
    found = load_script("validation/fidelity/run.py").compared(positions=8, fidelities=("rigid", "lossy"), limits=True)
    assert [(one.level, one.becomes) for one in found.limits] == [("lossy", "rigid")]
