"""Loss of the FZG gear C_mod on a coarse grid: loss factor, pressure, and the slow run against both."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from script_files import load_script

from alegear.case.case import Case
from alegear.mesh import MeshOptions

fzg_loss = load_script("validation/fzg_loss/run.py")

COARSE = MeshOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)


def coarse(start: float) -> Case:
    return replace(fzg_loss.case_of(start), mesh_options=(COARSE, COARSE))


@cache
def found(start: float) -> Any:
    return fzg_loss.distribution(coarse(start), positions=48)


def test_the_case_is_the_gear_of_the_paper() -> None:
    case = Case.from_toml(fzg_loss.CASE)
    assert [1e3 * gear.d_a for gear in case.pair.gears] == pytest.approx([82.46, 118.36], abs=2e-3)
    assert case.pair.a_w == pytest.approx(91.5e-3)
    assert case.friction.mu_dynamic == fzg_loss.FRICTION
    middle = [1e3 * fzg_loss.start_diameter(case.pair, gear, 0.5) for gear in case.pair.gears]
    given = [1e3 * gear.microgeometry.tip_relief_start_diameter for gear in case.pair.gears]
    assert given == pytest.approx(middle, abs=0.01)


def test_loss_factor_and_pressure_of_a_relief_from_the_middle_of_double_contact() -> None:
    one = found(0.5)
    assert one.loss_factor == pytest.approx(fzg_loss.LOSS_FACTOR, rel=fzg_loss.WITHIN)  # seen +0.8 %
    assert one.pressure == pytest.approx(1400e6, rel=0.02)
    pair = coarse(0.5).pair
    low_single = pair.path_of_contact_usable[1] - pair.p_bt
    assert one.pressure_at == pytest.approx(low_single, abs=1e-3)


def test_a_shorter_relief_loses_more() -> None:
    assert found(0.0).loss_factor > found(0.2).loss_factor > 1.05 * found(0.5).loss_factor


def test_slow_run_loses_what_the_load_distribution_says() -> None:
    case = coarse(0.5)
    step = 4.0 * case.analysis.time_step  # 64 a pitch
    analysis = replace(case.analysis, time_step=step, output_every=step)
    loss = fzg_loss.loss_of_run(replace(case, analysis=analysis))
    # the driver's torque carries the friction too, and the teeth slide as they deform: seen +1.3 % on the default grid
    assert loss == pytest.approx(fzg_loss.FRICTION * found(0.5).loss_factor, rel=0.03)


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
