"""Loss of the FZG gear C_mod on a coarse grid: loss factor, pressure, and the slow run against both."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

from alegear.case.case import Case
from alegear.mesh import GridOptions

fzg_loss = load_script("validation/fzg_loss/run.py")

COARSE = GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)


def coarse(start: float) -> Case:
    return replace(fzg_loss.case_of(start), grid_options=(COARSE, COARSE))


@cache
def found(start: float) -> Any:
    return fzg_loss.distribution(coarse(start), positions=48)


def test_quick_form() -> None:
    assert_within_bounds("fzg_loss")


def test_the_case_is_the_gear_of_the_paper() -> None:
    case = Case.from_toml(fzg_loss.CASE)
    assert [1e3 * gear.d_a for gear in case.pair.gears] == pytest.approx([82.46, 118.36], abs=2e-3)
    assert case.pair.a_w == pytest.approx(91.5e-3)
    assert case.friction.mu_dynamic == fzg_loss.FRICTION
    middle = [1e3 * fzg_loss.start_diameter(case.pair, gear, 0.5) for gear in case.pair.gears]
    given = [1e3 * gear.microgeometry.tip_relief_start_diameter for gear in case.pair.gears]
    assert given == pytest.approx(middle, abs=0.01)


def test_a_shorter_relief_loses_more() -> None:
    assert found(0.0).loss_factor > found(0.2).loss_factor > 1.05 * found(0.5).loss_factor


def test_springs_of_the_textbook_allow_the_long_reliefs_only() -> None:
    off = {
        shape: {start for start in fzg_loss.STARTS
                if abs(fzg_loss.textbook_loss_factor(start, shape) / fzg_loss.LOSS_FACTOR - 1.0) < fzg_loss.WITHIN}
        for shape in fzg_loss.SHAPES
    }  # fmt: skip
    assert off == {"linear": {0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, "parabolic": {0.6, 0.7, 0.8, 0.9, 1.0}}


def test_springs_of_the_textbook_in_closed_form() -> None:
    pair = coarse(0.5).pair
    springs = fzg_loss.ParallelSprings(pair, 1.0)
    ends = np.array(pair.path_of_contact_usable) - pair.roll_length_pitch_point
    sliding = 1.0 / pair.pinion.r_b + 1.0 / pair.wheel.r_b
    # a relief no load closes, over half the double contact: one pair at a time, the middle pitch of the path
    half = 0.5 * (np.ptp(ends) - pair.p_bt)
    middle = ends + np.array([half, -half])
    expected = sliding * 0.5 * (middle**2).sum() / pair.p_bt
    assert springs.loss_factor(1.0, 0.5, "linear") == pytest.approx(expected, rel=1e-3)  # the gap closes at B and D
    # none: shares of one and two thirds, whatever the load
    assert springs.loss_factor(0.0, 1.0, "linear") == pytest.approx(
        fzg_loss.ParallelSprings(pair, 1e5).loss_factor(0.0, 1.0, "parabolic"), rel=1e-12
    )
