"""Machines that only turn, as validation/rotational has them: by hand always, beside other programs where these are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

from alegear.drivetrain.rotational.gears import RatioGear

run = load_script("validation/rotational/run.py")
EXAMPLES = run.EXAMPLES


@cache
def computed(name):
    return run.compute(EXAMPLES[name], EXAMPLES[name].quick)


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("rotational")


@pytest.mark.parametrize("name", EXAMPLES)
def test_losses_take_energy(name):
    assert computed(name).data["loss"].min() > -1e-9  # W, round-off of powers of watts to kilowatts


@pytest.mark.parametrize("name", ["lossy_gear", "gear_shift"])
def test_events_come_when_another_library_states_them(name):
    found = computed(name).events()
    assert len(found) == len(EXAMPLES[name].stated)
    for (change, late), stated in zip(found, EXAMPLES[name].stated, strict=True):
        assert abs(late) < 1e-9  # s: from roots of closed forms or of quadrature to 1e-12
        assert abs(change.t + late - stated) < run.EVENT_BOUND


def test_break_away_of_the_lossy_gear_is_where_the_torques_say():
    """With T_2 = -10 (1 - t/4) and T_1 = 10 sin: forward at T_1 = -T_2, backward at 4 T_1 = -T_2."""
    times = computed("lossy_gear").data["event_time"].values
    assert np.sin(2.0 * np.pi * times[1]) == pytest.approx(1.0 - 0.25 * times[1], abs=1e-9)
    assert 4.0 * np.sin(2.0 * np.pi * times[3]) == pytest.approx(1.0 - 0.25 * times[3], abs=1e-8)


def test_stuck_is_at_rest_to_the_last_bit():
    data = computed("lossy_gear").data
    stuck = data["mode"].sel(switch="gear").values == 0
    assert stuck.any()
    assert (data["speed"].values[stuck] == 0.0).all()
    for first, last in ((0.081, 0.199), (0.372, 0.464)):
        angles = data["angle"].sel(time=slice(first, last)).values
        assert (angles == angles[0]).all()


def test_a_little_more_loss_would_be_seen():
    case = EXAMPLES["lossy_gear"].case()
    parts = tuple(
        RatioGear(name=one.name, between=one.between, ratio=one.ratio, losses=0.4999) if one.name == "gear" else one
        for one in case.parts
    )
    other = run.compute(replace(EXAMPLES["lossy_gear"], case=lambda: replace(case, parts=parts)))
    assert max(other.from_hand().values()) > 1e-5
    assert max(abs(late) for _, late in other.events()) > run.EVENT_BOUND
