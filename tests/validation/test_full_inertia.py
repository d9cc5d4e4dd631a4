"""Full and simplified inertia at the lowest speed of the validation, on coarse grids and for two pitches."""

from __future__ import annotations

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

full_inertia = load_script("validation/full_inertia/run.py")


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("full_inertia")


def test_motions_are_compared_at_the_same_phases() -> None:
    phase = np.linspace(0.0, 2.0, 201)
    one = full_inertia.Motion(phase=phase, error=-2e-5 - 1e-6 * phase, mesh_frequency=80.0)
    np.testing.assert_allclose(one.at(np.array([0.505, 1.0])), [-2.0505e-5, -2.1e-5], rtol=1e-12)
