"""Engine map, torque converter, road load and one-way clutches, against calculations of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from small_trains import events_of, missing, moved

import alegear as ag
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.sources import TorqueSource
from alegear.drivetrain.rotational.vehicle import RoadLoad, TorqueConverter, TorqueMap
from alegear.system import Rotor1D, SystemBuilder

SPEEDS, THROTTLES = [0.0, 100.0, 250.0, 500.0], [0.0, 0.3, 1.0]
TORQUE = [[10.0, -5.0, -20.0, -40.0], [60.0, 90.0, 70.0, -10.0], [100.0, 180.0, 200.0, 120.0]]
CONVERTER = [[0.0, 4e-3, 2.0], [0.5, 3.6e-3, 1.45], [0.8, 2.8e-3, 1.08], [0.88, 2.2e-3, 1.0], [1.0, 0.0, 1.0]]


def engine(throttle=0.5, **changes) -> TorqueMap:
    given = {"speeds": SPEEDS, "throttles": THROTTLES, "torque": TORQUE}
    return TorqueMap(name="engine", at="crank", throttle=throttle, **{**given, **changes})


def built(*parts):
    return SystemBuilder().add(*parts).build()


def torques_of(element, *speeds: float, t: float = 0.0) -> np.ndarray:
    """Torques on bodies that turn at speeds."""
    v = np.array(speeds)
    return element.evaluate(t, np.zeros(len(v)), v, None).Q


# ---------------------------------------------------------------------------------------------------------- engine
def test_engine_is_cubic_over_speed_and_straight_over_throttle() -> None:
    random = np.random.default_rng(5)
    element = built(Rotor1D(name="crank", inertia=1.0), engine(throttle=lambda t: t)).elements[0]
    for opened, speed in zip(random.uniform(-0.2, 1.2, 50), random.uniform(0.0, 500.0, 50), strict=True):
        rows = [float(PchipInterpolator(SPEEDS, row)(speed)) for row in TORQUE]
        expected = np.interp(opened, THROTTLES, rows)
        assert torques_of(element, speed, t=opened)[0] == pytest.approx(expected, abs=1e-11)  # round-off


def test_engine_stays_at_the_ends_of_its_map() -> None:
    element = built(Rotor1D(name="crank", inertia=1.0), engine(1.0)).elements[0]
    assert torques_of(element, -30.0)[0] == 100.0
    assert torques_of(element, 900.0)[0] == 120.0


def test_what_an_engine_gives_is_put_in() -> None:
    result = moved(Rotor1D(name="crank", inertia=0.5), engine(0.3), duration=1.0)
    assert missing(result) < 1e-8  # as every motion
    gained = result.dataset.energy_kinetic[-1] - result.dataset.energy_kinetic[0]
    assert float(result.dataset.energy_supplied.sel(part="engine")[-1]) == pytest.approx(float(gained), rel=1e-8)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"speeds": [0.0, 100.0, 100.0, 200.0]}, "speeds of engine"),
        ({"speeds": [0.0, math.nan, 1.0, 2.0]}, "speeds of engine"),
        ({"throttles": [0.1, 0.5, 1.0]}, "throttles of engine.*from 0 to 1"),
        ({"torque": TORQUE[:2]}, r"torque of engine = shape \(2, 4\).*shape \(3, 4\)"),
        ({"torque": [[math.inf] * 4] * 3}, "torque of engine .*not a number"),
        ({"throttle": math.nan}, "throttle = nan: must be a finite number"),
    ],
)
def test_wrong_engines_are_refused(changes, said: str) -> None:
    with pytest.raises(ag.Fault, match=said):
        engine(**changes)


# ------------------------------------------------------------------------------------------------------- converter
def converter(table=CONVERTER) -> TorqueConverter:
    return TorqueConverter(name="converter", pump="crank", turbine="shaft", table=table)


def converter_model():
    return built(Rotor1D(name="crank", inertia=0.5), Rotor1D(name="shaft", inertia=0.2), converter())


def through(element, pump: float, turbine: float) -> np.ndarray:
    """What the pump takes and the turbine gives."""
    return torques_of(element, pump, turbine) * [-1.0, 1.0]


def test_converter_at_the_points_of_its_table() -> None:
    element = converter_model().elements[0]
    for nu, k, mu in CONVERTER:
        torques = through(element, 200.0, nu * 200.0)
        np.testing.assert_allclose(torques, [k * 4e4, mu * k * 4e4], rtol=1e-14)
        if 0.0 < nu < 1.0:  # the turbine ahead by as much: a coupling the other way round
            torques = through(element, nu * 200.0, 200.0)
            np.testing.assert_allclose(torques, [-k * 4e4, -k * 4e4], rtol=1e-14)


def test_converter_never_makes_power_and_is_the_same_backward() -> None:
    element = converter_model().elements[0]
    for pump, turbine in np.random.default_rng(7).uniform(-300.0, 300.0, (500, 2)):
        torques = through(element, pump, turbine)
        assert torques[0] * pump - torques[1] * turbine >= 0.0
        np.testing.assert_array_equal(through(element, -pump, -turbine), -torques)


def test_converter_goes_round_all_speeds_without_a_jump() -> None:
    """Around the circle of both speeds; steps of the angle of 1e-6 change torques by no more than their slopes say."""
    element = converter_model().elements[0]
    for at in (0.0, 0.25 * math.pi, 0.5 * math.pi, math.pi, 1.25 * math.pi, 1.5 * math.pi):
        before, after = (through(element, 100.0 * math.cos(at + e), 100.0 * math.sin(at + e)) for e in (-1e-6, 1e-6))
        np.testing.assert_allclose(before, after, atol=1e-3)  # of 40 N m and 80 N m


def test_converter_loses_what_does_not_arrive() -> None:
    parts = (Rotor1D(name="crank", inertia=0.5, speed=200.0), Rotor1D(name="shaft", inertia=0.2), converter())
    result = moved(*parts, duration=2.0)
    assert missing(result) < 1e-8
    loss = result.dataset.loss.sel(part="converter")
    assert float(loss.min()) >= 0.0
    assert float(loss[0]) == pytest.approx(4e-3 * 200.0**3, rel=1e-12)  # at rest all of it


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[0.0, 1.0, 2.0]], "two or more rows"),
        ([[0.0, 1.0, 2.0], [0.9, 0.0, 1.0]], "rising from 0 to 1"),
        ([[0.0, 1.0, 2.0], [1.0, 0.1, 1.0]], "0 at 1"),
        ([[0.0, 0.0, 2.0], [1.0, 0.0, 1.0]], "positive at speed ratio 0"),
        ([[0.0, 1.0, -2.0], [1.0, 0.0, 1.0]], "torque ratios.*not negative"),
        ([[0.0, 1.0, 2.0], [0.7, 1.0, 1.6], [1.0, 0.0, 1.0]], "efficiency of converter.*lower the torque ratio"),
        ([[0.0, math.nan, 2.0], [1.0, 0.0, 1.0]], "not a number"),
    ],
)
def test_wrong_converters_are_refused(table, said: str) -> None:
    with pytest.raises(ag.Fault, match=said):
        converter(table)


# ------------------------------------------------------------------------------------------------------------ road
MASS, RADIUS, G = 1500.0, 0.3, 9.80665


def rolling_car(speed=0.0, **load):
    return (
        Rotor1D(name="wheels", inertia=MASS * RADIUS**2, speed=speed / RADIUS),
        RoadLoad(name="road", at="wheels", mass=MASS, radius=RADIUS, **load),
    )


def test_a_car_coasts_down_and_stays() -> None:
    """v' = -f g - c v^2 from 30 m/s: v = a tan(arctan(v_0/a) - b t), a^2 = f g/c, b = sqrt(f g c)."""
    f, drag_area = 0.1, 2.0
    c = 0.5 * 1.2 * drag_area / MASS
    a, b = math.sqrt(f * G / c), math.sqrt(f * G * c)
    stop = math.atan(30.0 / a) / b
    result = moved(*rolling_car(30.0, rolling=f, drag_area=drag_area), duration=1.2 * stop)
    ((t, name, before, after),) = events_of(result)
    assert (name, before, after) == ("road", 1, 0)
    assert t == pytest.approx(stop, rel=1e-9)  # steps of 1e-10
    time = result.dataset.time.values
    speed = np.where(time < stop, a * np.tan(math.atan(30.0 / a) - b * np.minimum(time, stop)), 0.0)
    np.testing.assert_allclose(RADIUS * result.dataset.speed.sel(body="wheels"), speed, atol=1e-7)
    assert (result.dataset.speed.values[time > stop] == 0.0).all()


@pytest.mark.parametrize(("gradient", "acceleration"), [(0.019, 0.0), (0.05, -0.03 * G), (-0.05, 0.03 * G)])
def test_a_car_stays_on_a_slope_less_than_its_rolling_resistance(gradient: float, acceleration: float) -> None:
    """The gradient counts upward: the car rolls back."""
    data = moved(*rolling_car(rolling=0.02, gradient=gradient), duration=2.0).dataset
    assert RADIUS * float(data.speed[-1, 0]) == pytest.approx(2.0 * acceleration, rel=1e-9)


def test_a_road_load_of_nothing_is_refused() -> None:
    with pytest.raises(ag.Fault, match="one of rolling, drag_area, gradient"):
        rolling_car(rolling=0.0)


# --------------------------------------------------------------------------------------------------------- one way
@pytest.mark.parametrize("sense", [1, -1])
def test_a_one_way_clutch_holds_like_a_freewheel_within_its_capacity(sense: int) -> None:
    one_way = "forward" if sense > 0 else "backward"

    def run(part):
        torque = [[0.0, -3.0 * sense], [1.0, -3.0 * sense], [1.0, 4.0 * sense], [2.0, 4.0 * sense]]
        source = TorqueSource(name="torque", at="shaft", torque=torque)
        return moved(Rotor1D(name="shaft", inertia=0.5), source, part, duration=3.0)

    brake = run(Brake(name="brake", at="shaft", normal_force=10.0, friction=0.5, overrunning=one_way))
    freewheel = run(Freewheel(name="brake", between=("ground", "shaft"), overrunning=one_way))
    assert events_of(brake) == events_of(freewheel)
    assert [event[2:] for event in events_of(brake)] == [(0, 2)]  # free
    np.testing.assert_array_equal(brake.dataset.speed, freewheel.dataset.speed)
    assert sense * float(brake.dataset.speed[-1, 0]) == pytest.approx(16.0, rel=1e-9)  # 4 N m / 0.5 kg m2 for 2 s


def test_a_one_way_clutch_slips_above_its_capacity() -> None:
    parts = (
        Rotor1D(name="shaft", inertia=0.5),
        TorqueSource(name="torque", at="shaft", torque=-7.0),
        Clutch(name="clutch", between=("ground", "shaft"), normal_force=10.0, friction=0.5, overrunning="forward"),
    )
    data = moved(*parts, duration=1.0).dataset
    assert float(data.speed[-1, 0]) == pytest.approx(-(7.0 - 5.0) / 0.5, rel=1e-9)


def test_the_sense_of_an_overrunning_clutch_is_a_word() -> None:
    with pytest.raises(ag.Fault, match=r'Clutch.overrunning = .up.: must be "forward" or "backward"'):
        Clutch(name="clutch", between=("a", "b"), normal_force=1.0, overrunning="up")


def test_a_car_on_a_bearing_and_a_road_is_one_car() -> None:
    """Two frictions on one rotor: the sum, and neither makes power."""
    parts = (
        *rolling_car(10.0, rolling=0.02),
        BearingFriction(name="bearing", at="wheels", torque=0.03 * MASS * G * RADIUS),
    )
    result = moved(*parts, duration=30.0)
    stop = min(event[0] for event in events_of(result))
    assert stop == pytest.approx(10.0 / (0.05 * G), rel=1e-9)
    assert float(result.dataset.loss.min()) >= 0.0
