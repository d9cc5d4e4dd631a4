"""Friction of bearings, clutches, brakes and freewheels: torques over speed and signal, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_trains import moved

from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.sources import SpeedSource
from alegear.errors import Fault
from alegear.system.bodies import Rotor1D

TABLE = [[0.0, 0.5], [10.0, 0.4], [100.0, 0.2]]


@pytest.mark.parametrize("omega", [5.0, -5.0, 55.0, 400.0])
def test_a_bearing_takes_the_torque_of_its_table(omega: float) -> None:
    """Straight lines over the speed by magnitude, the last value beyond, against the rotation."""
    parts = (
        Rotor1D(name="disk", inertia=1.0),
        SpeedSource(name="drive", at="disk", speed=omega),
        BearingFriction(name="bearing", at="disk", torque=TABLE),
    )
    data = moved(*parts, duration=0.1).dataset
    expected = np.sign(omega) * np.interp(abs(omega), *np.array(TABLE).T)
    np.testing.assert_allclose(data.friction_torque.sel(switch="bearing"), expected, rtol=1e-14)
    np.testing.assert_allclose(data.torque.sel(flange="bearing/disk"), expected, rtol=1e-14)
    np.testing.assert_allclose(data.loss.sel(part="bearing"), expected * omega, rtol=1e-14)


@pytest.mark.parametrize(("at_rest", "above", "bend"), [(0.1, 0.5, 0.5), (5.0, 1.0, 0.5), (5.0, 0.5, 0.01)])
@pytest.mark.parametrize("stiff", [True, False])
def test_a_narrow_peak_at_rest_is_not_stepped_over(at_rest: float, above: float, bend: float, stiff: bool) -> None:
    """From 100 rad/s to rest: a straight line down to the last bend of the friction, an exponential below it."""
    omega, inertia = 100.0, 1.0
    slope = (above - at_rest) / bend
    expected = (omega - bend) * inertia / above + inertia / slope * math.log(above / at_rest)
    parts = (
        Rotor1D(name="disk", inertia=inertia, speed=omega),
        BearingFriction(name="f", at="disk", torque=[(0.0, at_rest), (bend, above)]),
    )
    data = moved(*parts, duration=1.1 * expected, stiff=stiff).dataset
    (stop,) = data.event_time.values
    assert abs(stop - expected) < 1e-8 * expected  # tolerance 1e-10 a step, some hundred steps
    assert np.abs(data.energy_missing).max() < 1e-10 * 0.5 * inertia * omega**2  # as above


def test_a_clutch_carries_force_times_friction_times_factor_times_signal() -> None:
    parts = (
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        SpeedSource(name="fast", at="a", speed=60.0),
        SpeedSource(name="slow", at="b", speed=5.0),
        Clutch(name="clutch", between=("a", "b"), normal_force=20.0, friction=TABLE, effective_radius=0.3,
               signal=[(0.0, 0.0), (1.0, 1.0)]),
    )  # fmt: skip
    data = moved(*parts, duration=1.0).dataset
    expected = -20.0 * 0.3 * np.interp(55.0, *np.array(TABLE).T) * data.time.values
    np.testing.assert_allclose(data.friction_torque.sel(switch="clutch"), expected, rtol=1e-13)
    np.testing.assert_allclose(data.torque.sel(flange="clutch/a"), -expected, rtol=1e-13)
    assert (data.loss.values >= 0.0).all()


def test_a_brake_is_a_clutch_to_what_is_fixed() -> None:
    given = {"normal_force": 8.0, "friction": 0.25, "signal": [(0.0, 1.0), (2.0, 0.2)]}
    disk = Rotor1D(name="disk", inertia=1.0, speed=20.0)
    brake = moved(disk, Brake(name="x", at="disk", **given), duration=2.0).dataset
    clutch = moved(disk, Clutch(name="x", between=("ground", "disk"), **given), duration=2.0).dataset
    for name in ("speed", "friction_torque", "loss"):
        assert (brake[name].values == clutch[name].values).all()


@pytest.mark.parametrize(("overrunning", "speeds"), [("forward", (3.0, 4.0)), ("backward", (-3.0, -4.0))])
def test_a_freewheel_overruns_in_its_sense(overrunning: str, speeds: tuple[float, float]) -> None:
    parts = (
        *(Rotor1D(name=name, inertia=1.0, speed=one) for name, one in zip("ab", speeds, strict=True)),
        Freewheel(name="wheel", between=("a", "b"), overrunning=overrunning),
    )
    data = moved(*parts, duration=1.0).dataset
    assert not data.friction_torque.values.any()
    np.testing.assert_array_equal(data.speed.values, np.tile(speeds, (len(data.time), 1)))
    assert (data["mode"].values == 2).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: BearingFriction(name="f", at="a", torque=-1.0),
            r"friction torque \[N m\] = -1.0: must be at least 0",
        ),
        (lambda: BearingFriction(name="f", at="a", torque=[[1.0, 2.0]]), "speeds of torque of friction f"),
        (lambda: BearingFriction(name="f", at="a", torque=[[0.0, 2.0], [0.0, 1.0]]), "rising, the first 0"),
        (lambda: BearingFriction(name="f", at="a", torque=[[0.0, float("nan")]]), "finite numbers"),
        (
            lambda: BearingFriction(name="f", at="a", torque=1.0, static_to_kinetic_ratio=0.9),
            "static over sliding friction",
        ),
        (lambda: BearingFriction(name="f", at="ground", torque=1.0), "shafts of f = ground, ground"),
        (lambda: Clutch(name="c", between=("a", "b"), normal_force=-1.0), "normal force .*= -1.0"),
        (lambda: Clutch(name="c", between=("a", "b"), normal_force=1.0, signal=-0.5), "signal of c = -0.5"),
        (lambda: Clutch(name="c", between=("a", "a"), normal_force=1.0), "shafts of c = a, a: must be different"),
        (
            lambda: Clutch(name="c", between=("a", "b"), normal_force=1.0, effective_radius=0.0),
            "number of faces times mean radius",
        ),
        (
            lambda: Clutch(name="c", between=("a", "b"), normal_force=1.0, signal=[(1.0, 1.0), (0.5, 0.0)]),
            "not earlier",
        ),
        (lambda: Brake(name="b", at="a", normal_force=1.0, friction=[]), "friction coefficient of b"),
        (
            lambda: Freewheel(between=("a", "b"), overrunning=1),
            r'Freewheel.overrunning = 1: must be "forward" or "backward"',
        ),
        (lambda: Rotor1D(name="r", inertia=-1.0), "inertia .*= -1.0"),
    ],
)
def test_what_cannot_be_is_refused(make, words) -> None:
    with pytest.raises(Fault, match=words):
        make()
