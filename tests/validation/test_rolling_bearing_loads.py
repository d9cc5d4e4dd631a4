"""Rolling bearings: loads by the sums of ISO/TS 16281, printed figures. Spectra: tests/drivetrain/rolling."""

from __future__ import annotations

import numpy as np
import pytest
from script_files import load_script

validation = load_script("validation/rolling_bearings/run.py")


@pytest.mark.parametrize("case", validation.CASES, ids=lambda case: case.what)
def test_load_distribution_is_the_sum_of_iso_16281(case) -> None:
    found = validation.compared(case)
    assert found.misfit < validation.LOADS
    assert found.of_elements < validation.LOADS
    # the displacements are those at which the independent sum carries the load
    assert found.displaced < validation.DISPLACEMENTS
    assert (found.loads > 0.0).sum() >= 3
    size = np.array([1.0, 1.0, 1.0, case.bearing.pitch_diameter, case.bearing.pitch_diameter])
    load = np.array(case.load)
    np.testing.assert_allclose(found.carried / size, load / size, rtol=0.0, atol=1e-8 * np.linalg.norm(load[:3]))


@pytest.mark.parametrize(("what", "here", "printed", "allowed"), validation.printed_figures())
def test_printed_figures(what: str, here: float, printed: float, allowed: float) -> None:
    assert here == pytest.approx(printed, abs=allowed), what
