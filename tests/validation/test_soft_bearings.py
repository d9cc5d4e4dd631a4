"""A pinion at the end of a shaft: the validation on a coarse grid, and its beam."""

from __future__ import annotations

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

soft_bearings = load_script("validation/soft_bearings/run.py")


@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("soft_bearings")


def test_the_stiffness_is_the_inverse_of_the_deflection_line() -> None:
    rng = np.random.default_rng(3)
    force, moment = rng.normal(size=3), rng.normal(size=2)
    s = soft_bearings.beam_end(0.06, force, moment)
    np.testing.assert_allclose(soft_bearings.cantilever(0.06) @ s, [*force, *moment], rtol=1e-12)
