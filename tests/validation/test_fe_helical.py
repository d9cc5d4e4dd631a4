"""Helical five-tooth segments against nonlinear finite elements: the default grid, and a coarse one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

import alegear as ag

fe_helical = load_script("validation/fe_helical_20_30/run.py")
GRID = ag.GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=8, rim_elements=4)


@pytest.mark.thorough
@pytest.mark.slow
def test_quick_form() -> None:
    assert_within_bounds("fe_helical_20_30")


def test_on_a_coarse_grid_teeth_are_a_little_too_stiff_and_share_the_load_as_in_the_reference() -> None:
    case = ag.Case.from_toml(fe_helical.HERE / "case.toml")
    case = replace(case, grid_options=(GRID, GRID), analysis=replace(case.analysis, grid_estimate=False))
    found, expected = fe_helical.computed(ag.run(case).dataset), fe_helical.expected()
    stiffer = [1.0 - one.error / other.error for one, other in zip(found, expected, strict=True)]
    assert min(stiffer) > 0.03
    assert max(stiffer) < 0.035  # 3.3 to 3.4 %: the same at all positions
    for one, other in zip(found, expected, strict=True):
        # the bound of the default grid
        np.testing.assert_allclose(one.loads, other.loads, rtol=0.0, atol=4e-3 * other.loads.sum())
