"""The automatic gearbox ZF 4HP22: ratios from simulated speeds, and a car that drives with it."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import zf_4hp22
from script_files import ROOT, load_script
from small_trains import events_of, missing, moved

import alegear as ag

zf = load_script("scripts/zf_4hp22_car.py")


def in_gear(gear, efficiency=0.975, torque=100.0, **start):
    """The gearbox alone, its clutches closed from the beginning, against a torque that grows with the speed."""
    parts = zf.gearbox(lambda name: float(name in zf.CLOSED[gear]), efficiency)
    source = ag.TorqueSource(name="turbine", at="input", torque=torque)
    return moved(*parts, source, ag.Resistance(name="load", at="output", linear=2.0), duration=3.0)


@pytest.mark.parametrize("gear", ["1", "2", "3", "4", "R"])
def test_ratio_comes_out_of_the_speeds(gear: str) -> None:
    """Locked, and steady after 3 s: by tooth numbers, in exact fractions, and as published."""
    data = in_gear(gear).dataset
    last = data.speed.isel(time=-1)
    ratio = float(last.sel(body="input") / last.sel(body="output"))
    exact = zf_4hp22.RATIOS[gear]
    assert ratio == pytest.approx(float(exact), rel=1e-12)  # round-off of the speeds of seven shafts
    assert ratio == pytest.approx({"1": 2.479, "2": 1.479, "3": 1.0, "4": 0.728, "R": -2.086}[gear], abs=5e-4)
    assert zf.CLOSED[gear] == zf_4hp22.GEARS[gear]
    by_trains = zf_4hp22.zf_4hp22()
    assert {one.name for one in by_trains.couplings} == {*zf.CAPACITY, "F14", "F15"}
    assert abs(float(last.sel(body="input"))) > 20.0  # it turns
    assert float(np.abs(data.acceleration.isel(time=-1)).max()) < 0.1  # of 25 rad/s2 at the start: steady


@pytest.mark.parametrize("gear", ["1", "2", "3", "4", "R"])
def test_power_is_balanced_by_losses_of_the_sets(gear: str) -> None:
    """Without losses the torque ratio is the ratio of the speeds; with them less arrives, in gear 3 as much."""
    efficiencies = []
    for eta in (None, 0.975):
        data = in_gear(gear, eta).dataset.isel(time=-1)
        acceleration = float(data.acceleration.sel(body="output")) * float(zf_4hp22.RATIOS[gear])
        given = (100.0 - zf.SHAFTS["input"] * acceleration) * float(data.speed.sel(body="input"))
        efficiencies.append(2.0 * float(data.speed.sel(body="output")) ** 2 / given)
    without, with_losses = efficiencies
    assert without == pytest.approx(1.0, abs=2e-3)  # inertias of the other shafts
    if gear == "3":
        assert with_losses == pytest.approx(without, rel=1e-12)
    else:
        assert 0.95 < with_losses < 0.995


def test_reverse_loses_what_a_set_with_held_carrier_does() -> None:
    """Only p1 turns against its carrier: eta = 0.975."""
    data = in_gear("R").dataset.isel(time=-1)
    given = 100.0 * float(data.speed.sel(body="input"))
    assert 2.0 * float(data.speed.sel(body="output")) ** 2 / given == pytest.approx(0.975, abs=2e-3)


@cache
def driven(stiff: bool = False):
    return zf.drive(stiff=stiff)


def test_it_shifts_up_and_back_under_the_driver() -> None:
    gears = driven().dataset.input_value.sel(input="gear").values
    shifts = [int(after) for before, after in pairwise(gears) if after != before]
    assert [int(gears[0]), *shifts] == [1, 2, 3, 4, 3, 2, 1]


def test_the_car_follows_the_wish_and_stands_at_the_end() -> None:
    data = driven().dataset
    speed = zf.RADIUS * data.speed.sel(body="wheels").values
    wish = np.interp(data.time.values, *(np.array(zf.URBAN) * [1.0, zf.KMH]).T)
    assert np.abs(speed - wish).max() < 4.0 * zf.KMH
    assert speed[-1] == 0.0
    assert float(data.mode.sel(switch="brakes")[-1]) == 0
    assert speed.min() >= 0.0


def test_energy_of_the_drive_closes_and_nothing_makes_power() -> None:
    assert missing(driven()) < 1e-8
    assert float(driven().dataset.loss.min()) >= -1e-9  # W, round-off of 50 kW


def test_nothing_chatters() -> None:
    """Six shifts of a handful of changes each, sets that change between driving and driven, clutches that lock."""
    events = events_of(driven())
    assert 30 < len(events) < 120
    counts = {name: sum(one[1] == name for one in events) for name in {one[1] for one in events}}
    assert max(counts.values()) <= 20


def test_locked_gears_have_their_ratios_on_the_road() -> None:
    """Wherever what leaves one degree of freedom is stuck, whatever the control has commanded."""
    data = driven().dataset
    output = data.speed.sel(body="output").values
    for gear, held in (
        ("1", ["C4", "C11", "F15"]),
        ("2", ["C4", "C6", "C11"]),
        ("3", ["C4", "C5", "C11"]),
        ("4", ["C4", "C5", "C12"]),
    ):
        stuck = (data.mode.sel(switch=held).values == 0).all(axis=1) & (output > 1.0)
        assert stuck.sum() > 20  # a second at least
        ratio = data.speed.sel(body="input").values[stuck] / output[stuck]
        np.testing.assert_allclose(ratio, float(zf_4hp22.RATIOS[gear]), rtol=1e-9)


@pytest.mark.thorough  # both formulas: system/test_ode
@pytest.mark.slow
def test_backward_differences_drive_the_same_way() -> None:
    """The sampled control sees speeds that differ by the tolerance, and shifts at the same samples."""
    adams, backward = driven().dataset, driven(stiff=True).dataset
    np.testing.assert_array_equal(adams.input_value.sel(input="gear"), backward.input_value.sel(input="gear"))
    off = np.abs(adams.speed.sel(body="wheels") - backward.speed.sel(body="wheels")).max()
    assert float(off) < 1e-4  # rad/s of 65


def test_the_file_shifts_by_its_tables_as_the_script_has_them() -> None:
    """What files can say: pressures and throttle over time. Ratios before each shift, and the same parts."""
    case = ag.case_from_file(ROOT / "meshes" / "zf_4hp22.toml")
    result = ag.run(case)
    data = result.dataset
    for t, gear in ((4.9, "1"), (8.9, "2"), (15.9, "3"), (23.9, "4")):
        speeds = data.speed.sel(time=t, method="nearest")
        ratio = float(speeds.sel(body="input") / speeds.sel(body="output"))
        assert ratio == pytest.approx(float(zf_4hp22.RATIOS[gear]), rel=1e-9)
    assert missing(result) < 1e-8
    assert float(data.loss.min()) >= -1e-9  # W, round-off of 50 kW
    in_file = {part.name: part for part in case.parts}
    for part in zf.gearbox(lambda name: 1.0):
        same = in_file[part.name]
        assert type(same) is type(part)
        for name in ("inertia", "sun", "ring", "carrier", "between", "overrunning"):
            assert getattr(same, name, None) == getattr(part, name, None), f"{part.name}.{name}"
        if isinstance(part, ag.PlanetaryGear):
            assert same.ratio == part.ratio
