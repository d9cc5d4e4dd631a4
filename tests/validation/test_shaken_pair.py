"""The damping of the mesh takes energy in every step: some motions of the validation."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("mesh_damping")
