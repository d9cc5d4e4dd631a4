"""Number of slices across the face, coarse grids: validation/tilted_slices and validation/helical_stage in short."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from script_files import load_script

import alegear as ag

VALIDATION = Path(__file__).parents[2] / "validation"
COARSE = ag.MeshOptions(flank_elements=6, fillet_elements=6, thickness_elements=4, width_elements=6, rim_elements=4)


def coarse(folder: str, positions: int) -> ag.Case:
    case = ag.Case.from_toml(VALIDATION / folder / "case.toml")
    analysis = replace(case.analysis, positions_per_pitch=positions)
    return replace(case, mesh_options=(COARSE, COARSE), analysis=analysis)


def test_24_slices_of_a_tilted_pair_are_as_good_as_40() -> None:
    run = load_script("validation/tilted_slices/run.py")
    case = coarse("tilted_slices", 4)
    few, many = (run.curve(case, slices) for slices in run.COMPARED)
    assert np.abs(few.off(many)).max() < run.BOUND
    assert many.largest_load > 300.0  # the tilt is there: 177 N/mm is the mean of a pair


def test_ripple_of_a_helical_stage_holds_against_half_as_many_slices_again() -> None:
    """A grid too coarse across the face: the bounds hold for what the slices change on the same grid."""
    run = load_script("validation/helical_stage/run.py")
    case = coarse("helical_stage", 16)
    one, two = (run.ripple(replace(case, slices=slices)) for slices in (32, 48))
    assert one.agrees_with(two)
    assert one.peak_to_peak > 0.05
    shifted = replace(two, first_order=two.first_order + 0.03)
    assert not one.agrees_with(shifted)
