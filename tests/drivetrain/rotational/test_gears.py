"""Gears and planetary sets by their ratios: losses as in their tables, in all quadrants and all operating modes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from small_trains import events_of, missing, moved

from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.rotational.gear_losses import GearLosses
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.sources import SpeedSource, TorqueSource
from alegear.errors import Fault
from alegear.system import SystemBuilder
from alegear.system.bodies import Rotor1D

SAME = 1e-9  # of torques: round-off of a few equations
ETA = (0.9, 0.85)


def torque(result, part, body):
    return result.dataset.torque.sel(flange=f"{part}/{body}").values


def driven(ratio, losses, speed, load, **more):
    """A gear at a constant speed of its shaft A under a torque on its shaft B."""
    parts = (
        Rotor1D(name="a", inertia=0.1, speed=speed),
        Rotor1D(name="b", inertia=0.2, speed=speed / ratio),
        RatioGear(name="gear", between=("a", "b"), ratio=ratio, losses=losses, **more),
        SpeedSource(name="drive", at="a", speed=speed),
        TorqueSource(name="load", at="b", torque=load),
    )
    return moved(*parts, duration=0.1)


@pytest.mark.parametrize(("ratio", "speed", "load"), list(product((3.0, -3.0, 0.4), (20.0, -20.0), (50.0, -50.0))))
def test_efficiency_is_that_of_the_table_in_all_quadrants(ratio: float, speed: float, load: float) -> None:
    """Power out over power in: eta_1 where shaft A drives, eta_2 where it coasts."""
    result = driven(ratio, [[0.0, *ETA, 0.0, 0.0]], speed, load)
    power_a, power_b = (result.dataset.power.sel(flange=f"gear/{body}").values for body in ("a", "b"))
    into, out = (power_a, power_b) if power_a[0] > 0.0 else (power_b, power_a)
    eta = ETA[0] if power_a[0] > 0.0 else ETA[1]
    np.testing.assert_allclose(-out / into, eta, rtol=SAME)
    np.testing.assert_allclose(result.dataset.loss.sel(part="gear"), power_a + power_b, rtol=SAME)
    assert (result.dataset.loss.values >= 0.0).all()
    assert missing(result) < 1e-8


@pytest.mark.parametrize(("speed", "load"), list(product((5.0, 30.0, -30.0, 200.0), (80.0, -80.0, 0.5, -0.5))))
def test_torques_are_those_of_a_table_over_speed(speed: float, load: float) -> None:
    """With bearing torques too, against the driving torque of the loss table itself."""
    table = LossTable(rows=[[0.0, 0.9, 0.85, 1.0, 2.0], [10.0, 0.95, 0.9, 0.5, 1.5], [100.0, 0.97, 0.96, 0.7, 1.0]])
    ratio = -2.5
    result = driven(ratio, table, speed, load)
    tau_B = torque(result, "gear", "b")
    np.testing.assert_allclose(tau_B, load, rtol=SAME)
    tau_A = table.driving_torque(speed, -tau_B[0] / ratio)
    np.testing.assert_allclose(torque(result, "gear", "a"), tau_A, rtol=SAME, atol=1e-12)
    loss = speed * table.loss_torque(speed, tau_A)
    np.testing.assert_allclose(result.dataset.loss.sel(part="gear"), loss, rtol=SAME)
    assert loss > 0.0


def test_a_gear_without_losses_keeps_power_and_ratio() -> None:
    result = driven(-2.0, None, 15.0, 40.0)
    np.testing.assert_allclose(torque(result, "gear", "a"), 20.0, rtol=SAME)
    np.testing.assert_allclose(result.dataset.speed.sel(body="b"), -7.5, rtol=1e-15)
    assert not result.dataset.loss.values.any()
    assert result.dataset.sizes["switch"] == 0


def test_losses_of_none_are_no_switch() -> None:
    """An efficiency of 1 without bearing torques cannot stick."""
    assert driven(2.0, 1.0, 10.0, 1.0).dataset.sizes["switch"] == 0


def test_the_housing_takes_what_is_left() -> None:
    """Torques on A, B and the housing sum to zero; the housing turns if nothing holds it."""
    parts = (
        Rotor1D(name="a", inertia=0.1),
        Rotor1D(name="b", inertia=0.2),
        Rotor1D(name="house", inertia=3.0),
        RatioGear(name="gear", between=("a", "b"), ratio=3.0, losses=0.9, housing="house"),
        TorqueSource(name="drive", at="a", torque=2.0),
    )
    result = moved(*parts, duration=1.0)
    total = sum(torque(result, "gear", body) for body in ("a", "b", "house"))
    np.testing.assert_allclose(total, 0.0, atol=1e-12)
    v = {body: result.dataset.speed.sel(body=body).values for body in ("a", "b", "house")}
    np.testing.assert_allclose(v["a"] - v["house"], 3.0 * (v["b"] - v["house"]), atol=1e-12)
    momentum = 0.1 * v["a"] + 0.2 * v["b"] + 3.0 * v["house"]
    np.testing.assert_allclose(momentum, 2.0 * result.dataset.time.values, atol=1e-8)
    assert abs(v["house"][-1]) > 0.1
    assert missing(result) < 1e-8


def test_a_gear_with_losses_sticks_between_driving_and_coasting() -> None:
    """A torque that grows against the motion: forward, stuck within the bounds of its bearing torques, backward."""
    parts = (
        Rotor1D(name="a", inertia=0.1, speed=3.0),
        Rotor1D(name="b", inertia=0.2),
        RatioGear(name="gear", between=("a", "b"), ratio=2.0, losses=[[0.0, 0.9, 0.9, 1.0, 1.0]]),
        TorqueSource(name="drive", at="a", torque=[(0.0, 0.0), (10.0, -5.0)]),
    )
    result = moved(*parts, duration=10.0)
    data = result.dataset
    modes = [after for *_, after in events_of(result)]
    assert modes == [0, -1]
    (t_stop, *_), (t_back, *_) = events_of(result)
    stuck = (data.time.values > t_stop) & (data.time.values < t_back)
    assert not data.speed.values[stuck].any()
    assert (data.loss.values >= 0.0).all()
    assert missing(result) < 1e-8
    # backward where shaft A overcomes its losses: |tau_A| = dtau, with nothing on shaft B
    table = LossTable(rows=[[0.0, 0.9, 0.9, 1.0, 1.0]])
    tau_A = table.driving_torque(0.0, 0.0, direction=-1)
    assert -0.5 * t_back == pytest.approx(tau_A, abs=1e-8)


# ------------------------------------------------------------------------------- planetary sets
RATIO = 2.0
LOSSY = [[0.0, 0.95, 0.93, 0.0, 0.0]]


def planetary(speeds, torques, losses=LOSSY, prescribed=()):
    """Sun, ring, carrier at speeds that fit, with torques on them; those in `prescribed` keep their speeds."""
    names = ("sun", "ring", "carrier")
    parts = [Rotor1D(name=n, inertia=0.1, speed=s) for n, s in zip(names, speeds, strict=True)]
    parts.append(PlanetaryGear(name="set", sun="sun", ring="ring", carrier="carrier", ratio=RATIO, losses=losses))
    for name, speed, own in zip(names, speeds, torques, strict=True):
        if name in prescribed:
            parts.append(SpeedSource(name=f"drive {name}", at=name, speed=speed))
        elif own:
            parts.append(TorqueSource(name=f"torque {name}", at=name, torque=own))
    return moved(*parts, duration=0.05)


def speeds_of(sun, carrier):
    """Speeds of sun, ring, carrier by the equation of Willis."""
    return sun, carrier - (sun - carrier) / RATIO, carrier


@pytest.mark.parametrize("torque_carrier", [30.0, -30.0])
def test_block_movement_loses_nothing(torque_carrier: float) -> None:
    """All three turn alike, driven through any of them: efficiency 1."""
    result = planetary((12.0, 12.0, 12.0), (0.0, 0.0, torque_carrier), prescribed=("sun", "ring"))
    data = result.dataset
    assert float(np.abs(data.loss.sel(part="set")).max()) == 0.0
    through = float(np.abs(data.power).max())
    total = data.power.sel(flange=data.flange_part == "set").sum("flange")
    assert float(np.abs(total).max()) < 1e-12 * through


@pytest.mark.parametrize(
    ("sun", "carrier", "load"),
    # stationary, ring held, sun held, all turning, sun ahead and behind; driving and coasting each
    [(s, c, load) for s, c in ((20.0, 0.0), (20.0, 20.0 / 3.0), (0.0, 10.0), (30.0, 10.0), (5.0, 10.0), (-8.0, 6.0))
     for load in (40.0, -40.0)],
)  # fmt: skip
def test_losses_of_all_operating_modes_are_those_of_the_stationary_movement(
    sun: float, carrier: float, load: float
) -> None:
    """Loss power = (1 - eta) of the rolling power of the sun against the carrier (1 - 1/eta where it coasts)."""
    result = planetary(speeds_of(sun, carrier), (0.0, load, 0.0), prescribed=("sun", "carrier"))
    data = result.dataset
    tau_sun, tau_ring, tau_carrier = (torque(result, "set", body) for body in ("sun", "ring", "carrier"))
    rolling = tau_sun * (sun - carrier)
    factor = np.where(rolling > 0.0, 1.0 - LOSSY[0][1], 1.0 - 1.0 / LOSSY[0][2])
    np.testing.assert_allclose(data.loss.sel(part="set"), factor * rolling, rtol=SAME)
    assert (data.loss.values >= 0.0).all()
    np.testing.assert_allclose(tau_sun + tau_ring + tau_carrier, 0.0, atol=1e-11)
    powers = data.power.sel(flange=data.flange_part == "set").sum("flange")
    np.testing.assert_allclose(powers, data.loss.sel(part="set"), rtol=1e-8)
    assert missing(result) < 1e-8


@pytest.mark.parametrize("ratio", [1.0, 2.6, 5.0, -1.5])
def test_speeds_without_losses_are_those_of_willis(ratio: float) -> None:
    names = ("sun", "ring", "carrier")
    parts = [Rotor1D(name=n, inertia=j) for n, j in zip(names, (0.1, 0.4, 0.7), strict=True)]
    parts.append(PlanetaryGear(name="set", sun="sun", ring="ring", carrier="carrier", ratio=ratio))
    parts.append(TorqueSource(name="drive", at="sun", torque=1.0))
    result = moved(*parts, duration=1.0)
    v = {name: result.dataset.speed.sel(body=name).values for name in names}
    np.testing.assert_allclose(v["sun"] - v["carrier"], -ratio * (v["ring"] - v["carrier"]), atol=1e-12)
    t = [torque(result, "set", name) for name in names]
    np.testing.assert_allclose(t[1], ratio * t[0], rtol=1e-12)
    np.testing.assert_allclose(t[2], -(1.0 + ratio) * t[0], rtol=1e-12)


# ------------------------------------------------------------------------------------ wrong input
@pytest.mark.parametrize(
    ("losses", "words"),
    [
        ([[0.0, 1.2, 0.9, 0.0, 0.0]], "mesh efficiency eta_mf1 in row 1 of a loss table of gear g = 1.2"),
        ([[0.0, 0.9, 0.0, 0.0, 0.0]], "mesh efficiency eta_mf2 in row 1 of a loss table of gear g = 0.0"),
        ([[0.0, 0.9, 0.9, 0.0, 0.0], [5.0, 0.9, 0.9, 0, 0], [4.0, 0.9, 0.9, 0, 0]], "row 3 of a loss table of gear g"),
        ([[0.0, 0.9, 0.9, 0.0, 0.0], [5.0, 0.9, 0.9, 0.0]], "length of row 2 of a loss table of gear g = 4"),
        ([[0.0, 0.9, 0.9, -1.0, 0.0]], "bearing torque tau_bf1"),
        ([[0.0, float("nan"), 0.9, 0.0, 0.0]], "eta_mf1 in row 1 of a loss table of gear g = nan"),
        (0.0, "eta_mf1"),
        ("none", "gear g"),
    ],
)
def test_loss_tables_that_cannot_be(losses, words) -> None:
    with pytest.raises(Fault, match=words) as caught:
        RatioGear(name="g", between=("a", "b"), ratio=2.0, losses=losses)
    assert ": must be " in str(caught.value)
    assert "; " in str(caught.value)


def test_a_ratio_of_zero() -> None:
    with pytest.raises(Fault, match=r"ratio of gear g = 0.0: must be not 0; give"):
        RatioGear(name="g", between=("a", "b"), ratio=0.0)


@pytest.mark.parametrize("ratio", [-1.0, -0.3, 0.0, 0.7])
def test_a_planetary_ratio_in_the_forbidden_range(ratio: float) -> None:
    with pytest.raises(Fault, match=rf"ratio of planetary set s = {ratio}: must be at least 1"):
        PlanetaryGear(name="s", sun="a", ring="b", carrier="c", ratio=ratio)


def test_start_speeds_that_leave_the_ratio() -> None:
    parts = (
        Rotor1D(name="a", inertia=1.0, speed=10.0),
        Rotor1D(name="b", inertia=1.0, speed=4.0),
        RatioGear(name="gear", between=("a", "b"), ratio=2.0),
    )
    with pytest.raises(
        Fault, match=r"\(a 10, b 4 rad/s\) leave gear \[rad/s\] = 2: must be 0; start with speeds that it allows"
    ):
        moved(*parts, duration=1.0)


@pytest.mark.parametrize(("a", "b"), [(10.0, 5.0), (10.0, 0.0), (0.0, 5.0)])
def test_speeds_at_the_start_carry_those_that_are_not_given(a: float, b: float) -> None:
    parts = (
        Rotor1D(name="a", inertia=1.0, speed=a),
        Rotor1D(name="b", inertia=1.0, speed=b),
        RatioGear(name="gear", between=("a", "b"), ratio=2.0),
    )
    data = moved(*parts, duration=0.1).dataset
    np.testing.assert_allclose(data.speed.sel(body="a"), 10.0, rtol=1e-14)
    np.testing.assert_allclose(data.speed.sel(body="b"), 5.0, rtol=1e-14)


# --------------------------------------------------------------------- what is refused
def test_gears_of_different_ratio_between_the_same_shafts_are_refused_with_their_names() -> None:
    builder = SystemBuilder().add(
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        Rotor1D(name="c", inertia=1.0),
        RatioGear(name="before", between=("c", "a"), ratio=3.0),
        RatioGear(name="first", between=("a", "b"), ratio=2.0),
        RatioGear(name="second", between=("a", "b"), ratio=2.5),
    )
    with pytest.raises(Fault, match=r"rotation of [ab] between first and second = held at rest.*correct a ratio"):
        builder.build()


def test_gears_that_leave_one_another_a_speed_are_not_refused() -> None:
    """Two sets with common sun and ring and different carriers; a shaft that is prescribed; a ring that is fixed."""
    disks = [Rotor1D(name=name, inertia=1.0) for name in ("s", "r", "c", "d", "e")]
    builder = SystemBuilder().add(
        *disks,
        PlanetaryGear(name="one", sun="s", ring="r", carrier="c", ratio=2.0),
        PlanetaryGear(name="two", sun="s", ring="r", carrier="d", ratio=2.5),
        PlanetaryGear(name="three", sun="c", ring="ground", carrier="e", ratio=2.0),
    )
    assert len(builder.build().constraints) == 3


@pytest.mark.parametrize("make", [lambda rows: RatioGear(name="g", between=("a", "b"), ratio=2.0, losses=rows),
                                  lambda rows: GearLosses(table=LossTable(rows=rows), angle={0: 1.0})])  # fmt: skip
def test_losses_that_jump_with_the_load_are_refused(make) -> None:
    """Without mesh friction there is no load at which the lines of driving and driven meet."""
    good = [[0.0, 0.9, 0.9, 1.0, 2.0], [10.0, 1.0, 1.0, 2.0, 2.0]]
    make(good)
    with pytest.raises(Fault, match=r"row 3 of the losses of .*g.* = 2 and 2.5: must be equal where both"):
        make([*good, [20.0, 1.0, 1.0, 2.0, 2.5]])
    make([*good, [20.0, 0.999, 1.0, 2.0, 2.5]])
