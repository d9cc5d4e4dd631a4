"""Gears whose ratio varies: kinematics, torques, energy, compiled code, creep against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import alegear as ag
from alegear.drivetrain.rotational.varying_ratio import TURN, VaryingRatio
from alegear.errors import Fault
from alegear.system import Rotor1D, SystemBuilder

ECCENTRICITY = 0.3


def elliptic(n: int = 73) -> list[tuple[float, float]]:
    """Two equal ellipses that turn about their foci: i over the angle of B, mean 1."""
    angles = np.linspace(0.0, TURN, n)
    ratios = (1.0 - ECCENTRICITY**2) / (1.0 + ECCENTRICITY**2 - 2.0 * ECCENTRICITY * np.cos(angles))
    ratios[-1] = ratios[0]
    return list(zip(angles.tolist(), ratios.tolist(), strict=True))


def noncircular(**given) -> VaryingRatio:
    return VaryingRatio(**({"name": "gear", "between": ("A", "B"), "over_angle": elliptic(), "stiffness": 1e6} | given))


def element_of(gear: VaryingRatio, housing: bool = False):
    names = ("A", "B", "H") if housing else ("A", "B")
    builder = SystemBuilder().add(*(Rotor1D(name=name, inertia=1.0) for name in names))
    return builder.add(gear).build().elements[0]


def ratio_of(element, angle: float) -> tuple[float, float, float]:
    """Ratio, its derivative and the angle of A that belongs to an angle of B, from torques under a twist of 1 rad."""
    (k, _), Phi = element.numbers[:2], 0.0
    for _ in range(3):
        forces = element.evaluate(0.0, np.array([Phi + 1.0, angle]), np.zeros(2), None)
        Phi += 1.0 + forces.Q[0] / k
    ratio = -forces.Q[1] / forces.Q[0]
    return ratio, (forces.by_x[1, 1] + k * ratio**2) / -forces.Q[0], Phi


def test_angles_follow_the_table_over_many_turns_both_ways():
    """Tables of cubics against the closed form of two ellipses, tan(phi_A/2) = (1 + e)/(1 - e) tan(phi_B/2)."""
    element = element_of(noncircular(over_angle=elliptic(721)))
    for angle in (-14.0, -TURN, -0.1, 0.0, 1.0, 3.0, 6.0, TURN, 50.0):
        ratio, slope, Phi = ratio_of(element, angle)
        k, half = (1.0 + ECCENTRICITY) / (1.0 - ECCENTRICITY), 0.5 * angle
        exact = 2.0 * math.atan2(k * math.sin(half), math.cos(half)) + TURN * (
            math.floor((half + math.pi) / TURN) * 2.0
        )
        assert math.remainder(Phi - exact, TURN) == pytest.approx(
            0.0, abs=1e-5
        )  # of monotone cubics half a degree apart
        assert Phi == pytest.approx(angle, abs=2.0 * math.asin(ECCENTRICITY) + 1e-6)  # mean ratio 1: no turn is lost
        h = 1e-5
        assert (ratio_of(element, angle + h)[2] - ratio_of(element, angle - h)[2]) / (2 * h) == pytest.approx(
            ratio, rel=1e-8
        )
        if angle % TURN:  # where cubics meet their slopes are one, their curvatures are not
            assert (ratio_of(element, angle + h)[0] - ratio_of(element, angle - h)[0]) / (2 * h) == pytest.approx(
                slope, abs=1e-4
            )


def turning(**given):
    m = ag.Machine("two ellipses")
    m.add("A", ag.Rotor1D(inertia=0.2))
    m.add("B", ag.Rotor1D(inertia=0.1))
    m.add("gear", ag.VaryingRatio(between=("A", "B"), **{"over_angle": elliptic(), "stiffness": 1e6} | given))
    return m


def test_a_shaft_that_is_led_moves_the_other_by_the_table():
    m = turning(damping=200.0)
    m.add("lead", ag.SpeedSource(at="B", speed=[(0.0, 0.0), (0.2, 10.0)]))
    data = m.run(duration=2.0, output_every=0.01, tolerance=1e-10).dataset
    element = element_of(noncircular())
    angle_A, angle_B = (data.angle.sel(body=body).values for body in "AB")
    expected = np.array([ratio_of(element, one)[2] for one in angle_B])
    # twist of the teeth: inertia 0.2 times accelerations up to 150 rad/s2 over 1e6 N m/rad
    np.testing.assert_allclose(angle_A, expected, rtol=0.0, atol=5e-5)
    assert np.abs(angle_A).max() > 2.5 * TURN
    # stiff teeth with a damper: ten times the tolerance for each of ten turns
    assert float(np.abs(data.energy_missing).max()) < 1e-8 * 10.0 * float(np.abs(data.energy_kinetic).max())


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_free_ellipses_exchange_energy_and_lose_none(sense):
    """From a twist of zero the inertia about B varies, J_B + i^2 J_A, and the speed with it."""
    m = ag.Machine("free")
    start = 20.0 * sense
    ratio = elliptic()[0][1]
    m.add("A", ag.Rotor1D(inertia=0.2, speed=ratio * start))
    m.add("B", ag.Rotor1D(inertia=0.1, speed=start))
    m.add("gear", ag.VaryingRatio(between=("A", "B"), over_angle=elliptic(), stiffness=1e7))
    data = m.run(duration=1.0, output_every=0.002, tolerance=1e-10).dataset
    angle, speed = data.angle.sel(body="B").values, data.speed.sel(body="B").values
    element = element_of(noncircular())
    ratios = np.array([ratio_of(element, one)[0] for one in angle])
    inertia = 0.1 + 0.2 * ratios**2
    expected = start * np.sqrt(inertia[0] / inertia)
    assert np.ptp(expected) > 15.0
    # teeth of 1e7 N m/rad swing with 1e-3 of the energy that goes to and fro
    np.testing.assert_allclose(speed, expected, rtol=0.0, atol=2e-3 * abs(start))
    total = data.energy_kinetic.values + data.energy_elastic.values
    np.testing.assert_allclose(total, total[0], rtol=1e-7)


def test_a_variator_creeps_by_its_torque():
    """A constant torque through a constant ratio: creep = torque/damping, and that part of the power is lost."""
    m = ag.Machine("variator")
    m.add("A", ag.Rotor1D(inertia=0.1))
    m.add("B", ag.Rotor1D(inertia=0.4))
    m.add("lead", ag.SpeedSource(at="A", speed=[(0.0, 0.0), (1.0, 100.0)]))
    m.add("cvt", ag.VaryingRatio(between=("A", "B"), over_time=[(0.0, 2.5), (2.0, 2.5), (6.0, 0.5)], damping=50.0))
    m.add("load", ag.TorqueSource(at="B", torque=-20.0))
    m.add("C", ag.Rotor1D(inertia=1.0))
    data = m.run(duration=10.0, output_every=0.01, tolerance=1e-12).dataset  # stiff creep: 2e-8 of it missing at 1e-10
    at = data.sel(time=1.99, method="nearest")
    speed_A, speed_B = (float(at.speed.sel(body=body)) for body in "AB")
    torque_A = 20.0 / 2.5
    assert speed_A - 2.5 * speed_B == pytest.approx(torque_A / 50.0, rel=1e-6)
    assert float(at.loss.sel(part="cvt")) == pytest.approx(torque_A**2 / 50.0, rel=1e-6)
    end = data.isel(time=-1)
    assert float(end.speed.sel(body="A")) - 0.5 * float(end.speed.sel(body="B")) == pytest.approx(40.0 / 50.0, rel=1e-6)
    given = float(np.abs(data.energy_input).max())
    assert float(np.abs(data.energy_missing).max()) < 1e-8 * given


def test_an_input_sets_the_ratio():
    """A controller of a variator that holds the speed of the output."""

    def hold(sample, memory):
        return {"ratio": ag.Ramp(value=float(np.clip(sample.speed["A"] / 40.0, 0.5, 4.0)), over=0.01)}

    m = ag.Machine("held output")
    m.add("A", ag.Rotor1D(inertia=0.1))
    m.add("B", ag.Rotor1D(inertia=0.1))
    m.add("lead", ag.SpeedSource(at="A", speed=[(0.0, 30.0), (2.0, 120.0)]))
    m.add("cvt", ag.VaryingRatio(between=("A", "B"), over_time=ag.Input(name="ratio"), damping=50.0))
    m.add("drag", ag.Resistance(at="B", linear=0.01))
    m.add("hold", ag.Controller(interval=0.01, reads=("A",), sets={"ratio": 1.0}, function=hold))
    data = m.run(duration=2.0, output_every=0.05).dataset
    speed = data.speed.sel(body="B").values[data.time.values > 0.4]
    np.testing.assert_allclose(speed, 40.0, rtol=0.02)  # sampled 10 ms late of a ramp of 45 rad/s2


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"over_angle": None}, "over_angle or over_time"),
        ({"over_time": 2.0}, "both"),
        ({"stiffness": 0.0}, "stiffness of gear"),
        ({"over_angle": None, "over_time": 2.0}, "stiffness of gear.*no ratio that changes"),
        ({"over_angle": None, "over_time": 2.0, "stiffness": 0.0}, "damping of gear"),
        ({"over_angle": [(0.0, 1.0), (3.0, 0.0), (TURN, 1.0)]}, "one sign, not 0"),
        ({"over_angle": [(0.0, 1.0), (3.0, -1.0), (TURN, 1.0)]}, "one sign, not 0"),
        ({"over_angle": [(0.0, 1.0), (3.0, 2.0), (TURN, 1.5)]}, "at 360 deg"),
        ({"over_angle": [(0.0, 1.0), (3.0, 2.0), (6.0, 1.0)]}, "whole turn"),
        ({"over_angle": [(0.0, 1.0), (TURN, 1.0)]}, "three or more"),
        ({"over_angle": [(0.0, 1.0), (3.0, math.nan), (TURN, 1.0)]}, "finite"),
        ({"over_angle": [(0.0, 1.0), (3.0, 1e12), (TURN, 1.0)]}, "ratio"),
        ({"housing": "A"}, "shafts of gear"),
        ({"between": None}, "shafts of gear = .*None"),
        ({"between": "AB"}, "shafts of gear.*2 names"),
    ],
)
def test_what_is_refused(changed, words):
    with pytest.raises(Fault, match=words):
        noncircular(**changed)


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (ag.Sine(amplitude=2.0, frequency=1.0, mean=1.0), "from -1 to 3: must be of one sign"),
        (lambda t: 0.0, "at t = 0 s = 0: must be of one sign"),
        (
            lambda t: "1",
            "ratio of VaryingRatio at t = 0 s = '1': must be a number from -1e.12 to 1e.12; correct the function",
        ),
        (
            np.add,
            r"ratio of VaryingRatio = a function of 2 arguments: must be one that takes \(t\); correct its arguments",
        ),
        (ag.Input(name="i"), "input i, = 0: must be of one sign"),
    ],
)
def test_a_ratio_over_time_that_comes_to_0_is_refused(ratio, words):
    with pytest.raises(Fault, match=words):
        driven_by(ratio, sets={"i": 0.0})


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (lambda t: 1.0 - 2.0 * t, r"ratio of cvt at t = 0\.5.* s = from .* to 1: must be of one sign"),
        (lambda t: math.nan if t > 0.5 else 1.0, r"ratio of cvt at t = 0\.5.* s = nan: must be a number from"),
        (ag.Input(name="i"), r"controller c at t = 0\.5 s: ratio of cvt, input i, = from -1 to 1: must be of one sign"),
    ],
)
def test_a_ratio_that_comes_to_0_on_the_way_ends_the_motion(ratio, words):
    with pytest.raises(ag.AnalysisFailure, match=words):
        driven_by(ratio, sets={"i": 1.0})


def driven_by(ratio, *, sets):
    m = ag.Machine("variator")
    m.add("A", ag.Rotor1D(inertia=0.1))
    m.add("B", ag.Rotor1D(inertia=0.1))
    m.add("cvt", ag.VaryingRatio(between=("A", "B"), over_time=ratio, damping=50.0))
    m.add("motor", ag.TorqueSource(at="A", torque=1.0))
    m.add("c", ag.Controller(interval=0.5, sets=sets, function=lambda now, memory: {"i": -1.0} if now.t else {}))
    return m.run(duration=1.0, output_every=0.5)
