"""The delivered two-stage gearbox on a coarse grid: balance and bending lines as the script has them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from quick_form import assert_within_bounds
from script_files import load_script

import alegear as ag
from alegear.mesh.grid_options import GridOptions

two_stage = load_script("validation/two_stage_helical/run.py")

GRID = GridOptions(flank_elements=6, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1)


def coarse():
    case = two_stage.case_of(analysis={"kind": "static", "positions_per_pitch": 2})
    return replace(case, gears=tuple(replace(gear, grid_options=GRID) for gear in case.gears))


def test_quick_form() -> None:
    assert_within_bounds("two_stage_helical")


@pytest.mark.thorough  # of the check, which is asked above
def test_a_thousandth_more_force_would_be_seen():
    case = coarse()
    found = ag.run(case).dataset
    # forces of a part of a thousand more bend as much more
    more = found.copy()
    more["mesh_force"] = 1.001 * found["mesh_force"]
    assert two_stage.bending_error(case, more, "input") > 1e-4
    assert two_stage.unbalanced(case, more, "input") > 1e-4
