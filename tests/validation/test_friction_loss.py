"""Friction loss: closed form of the equal split, and the balances of the validation on coarse grids."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

from alegear.case.case import Case
from alegear.case.pair_machine import MESH, machine_of
from alegear.mesh import GridOptions
from alegear.progress import Silent
from alegear.results.contact_result import ContactHistory
from alegear.results.summary import losses
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare

friction_loss = load_script("validation/friction_loss/run.py")

COARSE = GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
MU = 0.05
TORQUE = 400.0


def coarse_case(*, relief: bool = False) -> Case:
    case = friction_loss.case_of(TORQUE, relief=relief)
    pitch = case.analysis.duration / 3.0
    analysis = replace(case.analysis, duration=2.0 * pitch)
    return replace(case, grid_options=(COARSE, COARSE), analysis=analysis)


@cache
def run(relief: bool) -> tuple[DynamicStudy, ContactHistory]:
    return friction_loss.run_study(coarse_case(relief=relief))


def test_quick_form() -> None:
    assert_within_bounds("friction_loss")


def test_sliding_vanishes_at_the_pitch_point_and_both_forms_agree_on_the_line_of_action() -> None:
    pair = coarse_case().pair
    speed = np.array([[12.0, 8.0]])
    phase = np.array([-0.4, 0.0, 0.3])
    roll = pair.contact_roll_lengths(phase, "pinion")[0][None, :, None]
    own_angle = (phase * 2.0 * np.pi / pair.pinion.z)[None, :]
    sliding = friction_loss.involute_sliding(pair, speed, roll)
    expected = 20.0 * pair.p_bt * phase  # both speeds times the way from the pitch point
    assert sliding[0, :, 0] == pytest.approx(expected, abs=1e-14)
    touching = friction_loss.touching_sliding(pair, speed, own_angle, roll)
    assert touching[0, :, 0] == pytest.approx(np.abs(expected), abs=1e-14)


@pytest.mark.parametrize("relief", [False, True])
def test_account_is_about_that_of_involutes_and_of_drive_less_load(relief: bool) -> None:
    loss = friction_loss.loss_of(*run(relief), MU, pitches=1)
    assert loss.energy_balance == pytest.approx(loss.involute, rel=0.02)  # tip corners and relief; seen 1.1, 1.6 %
    assert loss.drive_less_load == pytest.approx(loss.energy_balance, rel=0.01)  # seen 0.27, 0.49 %
    assert 0.99 < loss.efficiency < 0.993


def test_summary_tells_loss_and_efficiency() -> None:
    study, history = run(False)
    loss = friction_loss.loss_of(study, history, MU, pitches=1)
    window = history.window().part
    told = losses(history.samples, window)
    # half of two pitches is the last one; the line force against its moment: trapezoids against a mean of samples
    assert told["power_loss_mean_W"] == pytest.approx(loss.energy_balance, rel=1e-9)
    assert told["efficiency"] == pytest.approx(loss.efficiency, abs=1e-5)
    power = loss.transmitted
    turned = losses(WithSpeed(history.samples, -1.0), window)  # power the other way: the wheel drives
    assert turned["efficiency"] == pytest.approx(power / (power + loss.energy_balance), abs=1e-5)
    assert losses(WithSpeed(history.samples, 0.0), window)["efficiency"] is None


class WithSpeed:
    """Samples with their speeds times a factor."""

    def __init__(self, samples: Any, factor: float) -> None:
        self.samples, self.factor = samples, factor

    def __len__(self) -> int:
        return len(self.samples)

    def read(self, name: str, *span: int) -> Any:
        values = self.samples.read(name, *span)
        return self.factor * values if name == "speed" else values


def test_a_step_in_which_friction_turns_round_is_taken_in_parts() -> None:
    """Past the pitch point friction bends the teeth the other way, and the whole step stops beside its solution."""
    case = friction_loss.case_of(600.0)
    case = replace(
        case,
        grid_options=(COARSE, COARSE),
        analysis=replace(case.analysis, duration=0.6 * case.analysis.duration / 3.0),
    )
    prepared = prepare(case, Silent(), fields=False, root_stress=False)
    curves = []
    for compiled in (True, False):
        study = DynamicStudy(machine_of(case), {MESH: prepared})
        study.run(Silent(), compiled=compiled)
        count = study.motion.count
        assert count.rejected_by_newton == 1
        assert count.h_shortest == pytest.approx(case.analysis.time_step / 4.0)
        assert "1 attempted steps did not converge" in study.warnings[-1]
        curves.append(study.mesh_history(MESH).transmission_error)
    # in Python they come to the same, to the tolerance of Newton's iteration
    np.testing.assert_allclose(curves[0], curves[1], rtol=0.0, atol=1e-6 * np.abs(curves[0]).max())


def test_what_the_deformation_slides_would_be_missed() -> None:
    study, _ = run(False)
    found = friction_loss.balance_of(study, 64)
    assert found.elastic > 2e-3 * found.lost  # twice the bound of the balance
