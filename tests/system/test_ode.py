"""Motion with sticking and sliding in closed form: times of events, exactness of what is stuck, energy."""

from __future__ import annotations

from math import acos, atan, cos, pi, sin, sqrt

import numpy as np
import pytest
from small_trains import events_of, missing, moved

from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gears import RatioGear
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.sources import SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.errors import Fault, NonConvergence
from alegear.system import SystemBuilder
from alegear.system.bodies import Rotor1D
from alegear.system.ode import SystemOde

EVENT = 1e-9  # of times of events [s]: the tolerance of a step, 1e-11, adds up over some hundred
TIGHT = {"tolerance": 1e-11}


def speed(result, body):
    return result.dataset.speed.sel(body=body).values


def angle(result, body):
    return result.dataset.angle.sel(body=body).values


# ------------------------------------------------------------------------- sticking and sliding
def test_a_disk_runs_out_under_coulomb_friction() -> None:
    """t = J omega/M, phi = J omega^2/(2 M), and then nothing moves."""
    J, omega, M = 0.3, 12.0, 2.5
    parts = (Rotor1D(name="disk", inertia=J, speed=omega), BearingFriction(name="bearing", at="disk", torque=M))
    result = moved(*parts, duration=3.0, **TIGHT)
    ((t, name, before, after),) = events_of(result)
    assert (name, before, after) == ("bearing", 1, 0)
    assert t == pytest.approx(J * omega / M, abs=EVENT)
    rest = result.dataset.time.values > t
    assert not speed(result, "disk")[rest].any()
    assert len(set(angle(result, "disk")[rest])) == 1
    assert angle(result, "disk")[-1] == pytest.approx(J * omega**2 / (2.0 * M), rel=1e-9)
    assert missing(result) < 1e-8


def test_stick_slip_on_a_moving_belt() -> None:
    """Time of sticking 2 (M_s - M)/(k v) and of sliding, on a circle in the phase plane.

    While it slides against the friction M, y = M/k + A cos(omega t - phase): from break-away at y = M_s/k with the
    speed v back to v at the mirrored angle, so that it slides 2 (pi - atan(delta omega/v))/omega, delta = (M_s - M)/k.
    """
    J, k, v, M, peak = 0.5, 200.0, 0.5, 4.0, 1.4
    parts = (
        Rotor1D(name="belt", inertia=1.0, speed=v),
        Rotor1D(name="mass", inertia=J, speed=v),
        SpeedSource(name="drive", at="belt", speed=v),
        Spring(name="spring", between=("ground", "mass"), stiffness=k),
        Clutch(name="contact", between=("belt", "mass"), normal_force=M, friction=1.0, static_to_kinetic_ratio=peak),
    )
    result = moved(*parts, duration=4.0, **TIGHT)
    omega, delta = sqrt(k / J), (peak - 1.0) * M / k
    sliding = 2.0 * (pi - atan(delta * omega / v)) / omega
    sticking = 2.0 * delta / v
    times = [(t, after) for t, _, _, after in events_of(result)]
    assert times[0] == (pytest.approx(peak * M / (k * v), abs=EVENT), -1)
    assert [after for _, after in times] == [-1, 0] * (len(times) // 2) + [-1] * (len(times) % 2)
    lengths = np.diff([t for t, _ in times])
    assert len(lengths) > 8
    np.testing.assert_allclose(lengths[::2], sliding, atol=10.0 * EVENT)
    np.testing.assert_allclose(lengths[1::2], sticking, atol=10.0 * EVENT)
    stuck = result.dataset["mode"].sel(switch="contact").values == 0
    assert (speed(result, "mass")[stuck] == v).all()
    assert not result.dataset.relative_speed.sel(switch="contact").values[stuck].any()
    assert missing(result) < 1e-8


def test_two_disks_lock() -> None:
    """t = delta omega/(M (1/J_1 + 1/J_2)), then the common speed of their momentum, to the last bit alike."""
    J, w, M = (0.4, 1.1), (40.0, -5.0), 6.0
    parts = (
        *(Rotor1D(name=name, inertia=j, speed=s) for name, j, s in zip("ab", J, w, strict=True)),
        Clutch(name="clutch", between=("a", "b"), normal_force=M, friction=1.0),
    )
    result = moved(*parts, duration=5.0, **TIGHT)
    ((t, _, before, after),) = events_of(result)
    assert (before, after) == (-1, 0)
    assert t == pytest.approx((w[0] - w[1]) / (M * (1.0 / J[0] + 1.0 / J[1])), abs=EVENT)
    locked = result.dataset.time.values > t
    common = (J[0] * w[0] + J[1] * w[1]) / sum(J)
    np.testing.assert_allclose(speed(result, "a")[locked], common, rtol=1e-10)
    assert (speed(result, "a")[locked] == speed(result, "b")[locked]).all()
    lost = 0.5 * J[0] * J[1] / sum(J) * (w[0] - w[1]) ** 2
    assert float(result.dataset.energy_dissipated[-1]) == pytest.approx(lost, rel=1e-10)
    assert missing(result) < 1e-8


def test_a_freewheel_lets_run_ahead_and_takes_along() -> None:
    """A driven disk comes up with one that runs ahead; both go on together; it lets go where the drive brakes."""
    parts = (
        Rotor1D(name="driver", inertia=1.0),
        Rotor1D(name="driven", inertia=2.0, speed=4.0),
        Freewheel(name="freewheel", between=("driver", "driven")),
        TorqueSource(name="drive", at="driver", torque=[(0.0, 2.0), (5.0, 2.0), (5.0, -1.0)]),
    )
    result = moved(*parts, duration=8.0, **TIGHT)
    up, off = events_of(result)
    assert up == (pytest.approx(2.0, abs=EVENT), "freewheel", 2, 0)
    assert off == (5.0, "freewheel", 0, 2)
    assert speed(result, "driven")[-1] == pytest.approx(4.0 + 2.0 / 3.0 * 3.0, rel=1e-10)
    assert speed(result, "driver")[-1] == pytest.approx(6.0 - 3.0, rel=1e-10)
    assert not result.dataset.energy_dissipated.values.any()
    assert missing(result) < 1e-8


def test_a_freewheel_refuses_speeds_that_it_locks() -> None:
    parts = (
        Rotor1D(name="driver", inertia=1.0, speed=5.0),
        Rotor1D(name="driven", inertia=2.0, speed=4.0),
        Freewheel(name="freewheel", between=("driver", "driven")),
    )
    with pytest.raises(Fault, match=r"relative speed of freewheel at the start \[rad/s\] = -1: must be at least 0"):
        moved(*parts, duration=1.0)


def test_a_freewheel_and_a_friction_that_come_to_rest_at_once() -> None:
    """Rotors that swing back together: round-off must not take one below zero before the event of the other."""
    mu = [[0.0, 0.7810803684077803], [5.0, 0.39054018420389014], [50.0, 7.810803684077802]]
    parts = (
        Rotor1D(name="swing", inertia=0.026015089394041863, angle=-2.7058282894412757),
        Rotor1D(name="free", inertia=0.004192107580228351, angle=-1.4364572135204936),
        Spring(name="spring", between=("swing", "ground"), stiffness=56.919804220986784, damping=0.024424063070050017),
        Freewheel(name="freewheel", between=("free", "swing")),
        TorqueSource(name="drive", at="swing", torque=-93.148653969795),
        BearingFriction(name="bearing", at="swing", torque=mu),
    )
    result = moved(*parts, duration=0.1)
    first, second = events_of(result)[:2]
    assert first[0] == second[0]
    assert {first[1], second[1]} == {"bearing", "freewheel"}


def test_a_body_whose_angle_is_given_follows_with_its_speed_all_the_same() -> None:
    parts = (
        Rotor1D(name="a", inertia=1.0, angle=1.0),
        Rotor1D(name="b", inertia=1.0, speed=6.0),
        RatioGear(name="gear", between=("a", "b"), ratio=0.25),
    )
    result = moved(*parts, duration=1.0)
    np.testing.assert_allclose(speed(result, "a"), 1.5, rtol=1e-14)
    np.testing.assert_allclose(angle(result, "a"), 1.0 + 1.5 * result.dataset.time.values, rtol=1e-12)


def test_the_angle_of_a_led_body_begins_where_it_is_put() -> None:
    parts = (Rotor1D(name="a", inertia=1.0, angle=0.5), SpeedSource(name="drive", at="a", speed=2.0))
    result = moved(*parts, duration=1.0)
    np.testing.assert_allclose(angle(result, "a"), 0.5 + 2.0 * result.dataset.time.values, rtol=1e-14)


def test_an_open_clutch_is_free() -> None:
    parts = (
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        Clutch(name="clutch", between=("a", "b"), normal_force=10.0, signal=[(1.0, 0.0), (1.0, 1.0)]),
        TorqueSource(name="drive", at="a", torque=1.0),
    )
    result = moved(*parts, duration=2.0, **TIGHT)
    data = result.dataset
    before = data.time.values < 1.0
    assert (data["mode"].values[before] == 2).all()
    assert not speed(result, "b")[before].any()
    assert events_of(result)[0] == (1.0, "clutch", 2, -1)
    assert events_of(result)[1][0] == pytest.approx(1.0 + 1.0 / (5.0 + 4.0), abs=EVENT)


def test_a_brake_breaks_away_where_the_torque_passes_its_peak() -> None:
    parts = (
        Rotor1D(name="disk", inertia=1.0),
        Brake(name="brake", at="disk", normal_force=10.0, friction=1.0, static_to_kinetic_ratio=1.25),
        TorqueSource(name="ramp", at="disk", torque=[(0.0, 0.0), (10.0, 20.0)]),
    )
    result = moved(*parts, duration=8.0, **TIGHT)
    ((t, _, before, after),) = events_of(result)
    assert (before, after) == (0, 1)
    assert t == pytest.approx(12.5 / 2.0, abs=EVENT)
    late = result.dataset.time.values >= t
    s = result.dataset.time.values[late] - t
    np.testing.assert_allclose(speed(result, "disk")[late], 2.5 * s + s**2, atol=1e-9)


def test_friction_with_a_sine_sticks_and_slides_in_closed_form() -> None:
    """A disk under A sin(w t) with friction M: it breaks away at sin(w t) = M/A, and stops where the speed is zero."""
    J, A, M, w = 0.2, 5.0, 2.0, 2.0 * pi
    parts = (
        Rotor1D(name="disk", inertia=J),
        BearingFriction(name="bearing", at="disk", torque=M),
        TorqueSource(name="drive", at="disk", torque=Sine(amplitude=A, frequency=1.0)),
    )
    result = moved(*parts, duration=1.0, **TIGHT)
    first = pi / 2.0 - acos(M / A)
    (t_0, _, _, d_0), (t_1, *_) = events_of(result)[:2]
    assert (t_0, d_0) == (pytest.approx(first / w, abs=EVENT), 1)
    left = A * (cos(w * t_0) - cos(w * t_1)) / w - M * (t_1 - t_0)  # momentum at the stop
    assert left == pytest.approx(0.0, abs=1e-8)
    assert sin(w * t_0) == pytest.approx(M / A, abs=1e-8)


# -------------------------------------------------------------------------- stuck means stuck
def test_a_preloaded_gear_that_is_held_does_not_creep_by_one_bit() -> None:
    """1000 s under a torque that swings within the bounds."""
    parts = (
        Rotor1D(name="motor", inertia=5e-4, angle=0.7),
        Rotor1D(name="load", inertia=1e-3, angle=-0.3),
        RatioGear(name="gear", between=("motor", "load"), ratio=-3.0, losses=[[0.0, 0.9, 0.9, 0.4, 0.4]]),
        TorqueSource(name="preload", at="load", torque=0.9),
        TorqueSource(name="swing", at="motor", torque=Sine(amplitude=0.1, frequency=1.0, mean=0.3)),
    )
    result = moved(*parts, duration=1000.0, output_every=1.0, longest_step=10.0)
    data = result.dataset
    assert events_of(result) == []
    assert (data["mode"].values == 0).all()
    assert not data.speed.values.any()
    assert not data.relative_speed.values.any()
    for body in ("motor", "load"):
        assert len(set(angle(result, body))) == 1


def test_two_that_turn_locked_stay_together_to_the_last_bit() -> None:
    """Their difference of angles over 1000 s, while both turn and swing."""
    parts = (
        Rotor1D(name="a", inertia=0.1, speed=30.0),
        Rotor1D(name="b", inertia=0.7, speed=30.0),
        Clutch(name="clutch", between=("a", "b"), normal_force=10.0),
        TorqueSource(name="swing", at="a", torque=Sine(amplitude=1.0, frequency=0.05)),
    )
    result = moved(*parts, duration=1000.0, output_every=0.5, longest_step=10.0, tolerance=1e-10)
    data = result.dataset
    assert (data["mode"].values == 0).all()
    assert not data.relative_speed.values.any()
    assert (speed(result, "a") == speed(result, "b")).all()
    assert (angle(result, "a") == angle(result, "b")).all()
    assert angle(result, "a")[-1] > 1e4
    assert missing(result) < 1e-8


def test_locked_with_an_offset() -> None:
    """Angles that differ by what they have slipped: the difference of floats of unlike size, and no more."""
    parts = (
        Rotor1D(name="a", inertia=0.1, speed=30.0),
        Rotor1D(name="b", inertia=0.7),
        Clutch(name="clutch", between=("a", "b"), normal_force=10.0),
    )
    result = moved(*parts, duration=1000.0, output_every=1.0, longest_step=10.0)
    locked = result.dataset.time.values > events_of(result)[-1][0]
    between = angle(result, "a")[locked] - angle(result, "b")[locked]
    # both are rounded: half a unit of the last place of 4000 each
    assert np.ptp(between) <= np.spacing(4096.0)
    assert (speed(result, "a")[locked] == speed(result, "b")[locked]).all()


# -------------------------------------------------------------------------------- given motion
def test_a_torque_that_jumps_acts_from_its_time_on() -> None:
    """Left of the jump nothing of it, at it and right of it all."""
    jump = 0.3
    parts = (
        Rotor1D(name="disk", inertia=2.0),
        TorqueSource(name="drive", at="disk", torque=[(jump, 1.0), (jump, 7.0)]),
    )
    result = moved(*parts, duration=1.0, output_every=0.1)
    data = result.dataset
    t, a = data.time.values, data.acceleration.sel(body="disk").values
    assert (a[t < jump] == 0.5).all()
    assert (a[t > jump] == 3.5).all()
    expected = 0.5 * np.minimum(t, jump) + 3.5 * np.maximum(t - jump, 0.0)
    np.testing.assert_allclose(speed(result, "disk"), expected, rtol=1e-13)  # round-off: straight lines


def test_a_clutch_locks_to_a_rotor_whose_speed_is_given() -> None:
    """The ramp of the speed goes on through the lock; the reaction is the torque that the ramp takes."""
    J, M = 0.5, 3.0
    ramp = [(0.0, 2.0), (1.0, 4.0), (2.0, 4.0)]
    parts = (
        Rotor1D(name="motor", inertia=1.0, speed=2.0),
        Rotor1D(name="load", inertia=J),
        SpeedSource(name="drive", at="motor", speed=ramp),
        Clutch(name="clutch", between=("motor", "load"), normal_force=M, friction=1.0),
    )
    result = moved(*parts, duration=2.0, **TIGHT)
    ((t, *_),) = events_of(result)
    assert t == pytest.approx(2.0 / (M / J - 2.0), abs=EVENT)
    data = result.dataset
    locked = data.time.values > t
    assert (speed(result, "load")[locked] == speed(result, "motor")[locked]).all()
    reaction = data.friction_torque.sel(switch="clutch").values
    rising = locked & (data.time.values < 1.0)
    np.testing.assert_allclose(reaction[rising], -J * 2.0, rtol=1e-12)
    np.testing.assert_allclose(reaction[data.time.values > 1.0], 0.0, atol=1e-12)
    assert missing(result) < 1e-8


def test_a_led_rotor_overcomes_the_clutch_that_held() -> None:
    """A ramp steeper than the clutch can follow: it slips from the corner on."""
    parts = (
        Rotor1D(name="motor", inertia=1.0),
        Rotor1D(name="load", inertia=0.5),
        SpeedSource(name="drive", at="motor", speed=[(0.5, 0.0), (1.0, 10.0)]),
        Clutch(name="clutch", between=("motor", "load"), normal_force=3.0, friction=1.0),
    )
    result = moved(*parts, duration=3.0, **TIGHT)
    slip, lock = events_of(result)
    assert slip == (0.5, "clutch", 0, -1)
    # 6 rad/s2 of the load against 20 of the motor until 1 s, then 10 rad/s are reached
    assert lock == (pytest.approx(0.5 + 10.0 / 6.0, abs=EVENT), "clutch", -1, 0)
    assert missing(result) < 1e-8


def test_a_table_of_speeds_may_come_to_rest() -> None:
    """Three points of which the last is 0: what round-off leaves there is no jump."""
    ramp = [(0.0, -0.24620826799488427), (0.2, -12.4463866519765), (0.35, 0.0)]
    data = moved(Rotor1D(name="disk", inertia=1.0), SpeedSource(name="lead", at="disk", speed=ramp), duration=0.5)
    expected = np.interp(data.dataset.time, *np.array(ramp).T)
    np.testing.assert_allclose(speed(data, "disk"), expected, atol=1e-14 * 12.4)  # round-off of the largest


def test_two_with_the_same_given_speed_that_are_stuck_to_each_other() -> None:
    """All that a clutch holds is prescribed: nothing acts in it."""
    parts = (
        Rotor1D(name="a", inertia=1.0, speed=3.0),
        Rotor1D(name="b", inertia=1.0, speed=3.0),
        SpeedSource(name="one", at="a", speed=3.0),
        SpeedSource(name="other", at="b", speed=3.0),
        Clutch(name="clutch", between=("a", "b"), normal_force=3.0, friction=1.0),
    )
    result = moved(*parts, duration=1.0)
    assert not result.dataset.friction_torque.values.any()
    assert events_of(result) == []


def test_events_without_end_are_stopped_and_named() -> None:
    """Events that do not let the time go on: here told from outside, one after the other."""
    builder = SystemBuilder().add(
        Rotor1D(name="disk", inertia=1.0, speed=1.0), BearingFriction(name="bearing", at="disk", torque=1.0)
    )
    system = SystemOde(builder.build())
    y = system.start(0.0, np.zeros(1), np.ones(1))
    at_once = np.array([1, 0])

    def many() -> None:
        state = y
        for _ in range(100):
            state, _ = system.change(0.5, state, at_once)

    with pytest.raises(NonConvergence, match=r"t = 0.5 s, events at one time.*; bearing changes between sticking and"):
        many()


def test_events_that_let_the_time_go_on_are_not_stopped() -> None:
    """More than 200 of them; the steps while all is held are short enough for the sine."""
    parts = (
        Rotor1D(name="disk", inertia=1e-4),
        BearingFriction(name="bearing", at="disk", torque=1.0),
        TorqueSource(name="drive", at="disk", torque=Sine(amplitude=10.0, frequency=500.0)),
    )
    assert len(events_of(moved(*parts, duration=0.2))) >= 200


def test_a_gear_under_no_load_that_others_hold() -> None:
    """Its lines meet at a torque of zero: which of both holds there is round-off, and no failure."""
    mu = [[0.0, 0.5], [10.0, 0.4], [100.0, 0.3]]
    parts = (
        Rotor1D(name="held", inertia=0.2799273249972597, angle=2.315112691298668),
        Rotor1D(name="loose", inertia=0.002663517960937886, angle=-2.5387376850182184),
        Rotor1D(name="driven", inertia=0.9702014569704182),
        Brake(name="brake", at="driven", normal_force=0.15038416521798018, friction=mu,
              static_to_kinetic_ratio=1.345859199056372, signal=[(0.3, 0.6419985365676791), (0.3, 0.0)]),
        Freewheel(name="freewheel", between=("ground", "held"), overrunning="backward"),
        Clutch(name="clutch", between=("held", "loose"), normal_force=0.17634892070141017, friction=mu,
               static_to_kinetic_ratio=1.2703412881478704),
        TorqueSource(name="drive", at="driven", torque=Sine(
            amplitude=0.5125859716016751, frequency=3.7910914003585336, phase=5.258353154130709)),
        RatioGear(name="gear", between=("driven", "held"), ratio=-6.620894311105635,
                  losses=[[0.0, 0.6086154577389444, 0.6086154577389444, 0.0, 0.0]]),
    )  # fmt: skip
    result = moved(*parts, duration=0.1)
    # the torque passes through zero; the brake breaks away
    assert {round(t, 8) for t, *_ in events_of(result)} == {0.03906429, 0.04835916}
    assert missing(result) < 1e-8


# --------------------------------------------------------------------- torques that nothing determines
def test_torques_that_nothing_determines_are_warned_of() -> None:
    """A clutch beside a clutch: one motion, a torque of least norm, and a word that names both."""
    parts = (
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        Clutch(name="left", between=("a", "b"), normal_force=50.0),
        Clutch(name="right", between=("a", "b"), normal_force=50.0, signal=[(0.5, 0.0), (0.5, 1.0)]),
        TorqueSource(name="drive", at="a", torque=4.0),
    )
    result = moved(*parts, duration=1.0)
    (warning,) = result.summary["warnings"]
    assert "left, right" in warning
    assert "0.5 s" in warning
    assert "least norm" in warning
    data = result.dataset
    late = data.time.values > 0.5
    np.testing.assert_allclose(data.friction_torque.values[late], -1.0, rtol=1e-12)
    np.testing.assert_allclose(data.friction_torque.sel(switch="left").values[~late], -2.0, rtol=1e-12)


def test_a_gear_that_sticks_beside_a_brake_is_named_by_its_own_name() -> None:
    parts = (
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        RatioGear(name="gear", between=("a", "b"), ratio=2.0, losses=[[0.0, 0.9, 0.9, 1.0, 1.0]]),
        Brake(name="brake", at="b", normal_force=50.0),
        TorqueSource(name="drive", at="a", torque=0.5),
    )
    (warning,) = moved(*parts, duration=0.1).summary["warnings"]
    assert "torques of gear, brake" in warning


def test_what_is_determined_is_not_warned_of() -> None:
    parts = (Rotor1D(name="a", inertia=1.0), BearingFriction(name="bearing", at="a", torque=1.0))
    assert moved(*parts, duration=0.1).summary["warnings"] == []
