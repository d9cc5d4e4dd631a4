"""Rolling bearings: loads by the sums of ISO/TS 16281, printed figures. Spectra: tests/drivetrain/rolling."""

from __future__ import annotations

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

validation = load_script("validation/rolling_bearings/run.py")


def test_quick_form() -> None:
    assert_within_bounds("rolling_bearings")


@pytest.mark.parametrize("case", validation.CASES, ids=lambda case: case.what)
def test_results_tell_the_load_that_is_carried(case) -> None:
    found = validation.compared(case)
    assert (found.loads > 0.0).sum() >= 3
    size = np.array([1.0, 1.0, 1.0, case.bearing.pitch_diameter, case.bearing.pitch_diameter])
    load = np.array(case.load)
    np.testing.assert_allclose(found.carried / size, load / size, rtol=0.0, atol=1e-8 * np.linalg.norm(load[:3]))
