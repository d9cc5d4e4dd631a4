"""Ramps: derivatives, integrals and their inverse."""

import pytest
from scipy.integrate import quad

from alegear.dynamics import CubicStep, PrescribedRotation
from alegear.errors import Fault

RAMP = CubicStep(t0=0.1, y0=-2.0, t1=0.4, y1=5.0)
TIMES = [-0.2, 0.1, 0.15, 0.25, 0.37, 0.4, 0.9]


def test_ramp_ends_middle_and_slope():
    assert [RAMP.value(t) for t in (0.0, 0.1, 0.25, 0.4, 1.0)] == pytest.approx([-2.0, -2.0, 1.5, 5.0, 5.0], abs=1e-14)
    assert RAMP.derivative(0.1) == RAMP.derivative(0.4) == 0.0
    assert RAMP.derivative(0.25) == pytest.approx(1.5 * 7.0 / 0.3, rel=1e-14)  # steepest in the middle, 3/2 of the mean


@pytest.mark.parametrize("t", [-0.2, 0.15, 0.25, 0.37, 0.9])
def test_ramp_derivatives_against_differences(t):
    d = 1e-5
    assert (RAMP.value(t + d) - RAMP.value(t - d)) / (2 * d) == pytest.approx(
        RAMP.derivative(t), abs=1e-6
    )  # d^2 y'''/6
    assert (RAMP.integral(t + d) - RAMP.integral(t - d)) / (2 * d) == pytest.approx(RAMP.value(t), abs=1e-8)


@pytest.mark.parametrize("t", TIMES)
def test_ramp_integral_against_quadrature(t):
    points = [p for p in (0.1, 0.4) if min(0.1, t) < p < max(0.1, t)]
    expected, _ = quad(RAMP.value, 0.1, t, points=points or None, epsabs=1e-13)
    assert RAMP.integral(t) == pytest.approx(expected, abs=1e-12)  # quadrature's own tolerance


def test_integral_over_the_whole_ramp_is_the_mean_value_times_its_length():
    assert RAMP.integral(0.4) == pytest.approx(0.5 * (-2.0 + 5.0) * 0.3, rel=1e-14)


def test_ramp_of_no_length_is_the_end_value():
    constant = CubicStep(y0=0.0, y1=3.0)
    assert constant.value(0.0) == 3.0
    assert constant.derivative(0.0) == 0.0
    assert constant.integral(2.0) == 6.0
    assert constant.value(-1.0) == 0.0


def test_ramp_that_ends_before_it_begins_is_a_fault():
    with pytest.raises(Fault, match="ramp"):
        CubicStep(t0=1.0, t1=0.5, y0=0.0, y1=1.0)


def test_prescribed_rotation_is_consistent():
    rotation = PrescribedRotation(speed_ramp=RAMP, start_angle=0.7)
    d = 1e-6
    for t in (0.2, 0.3, 0.8):
        assert (rotation.angle(t + d) - rotation.angle(t - d)) / (2 * d) == pytest.approx(rotation.speed(t), abs=1e-8)
        difference = (rotation.speed(t + d) - rotation.speed(t - d)) / (2 * d)
        assert difference == pytest.approx(rotation.acceleration(t), abs=1e-6)  # round-off 1e-16 * 5/d
    assert rotation.angle(0.1) == 0.7


@pytest.mark.parametrize("end_speed", [40.0, -40.0])
@pytest.mark.parametrize("t", [0.01, 0.1, 0.2, 0.35, 2.0])
def test_time_at_an_angle_is_the_inverse_of_the_angle(end_speed, t):
    rotation = PrescribedRotation(speed_ramp=CubicStep(y0=0.0, y1=end_speed, t0=0.0, t1=0.35), start_angle=-0.2)
    # at the foot of the ramp the angle rises with t^3 from -0.2: round-off of 3e-17 is 1e-11 s at t = 0.01
    assert rotation.time_at(rotation.angle(t)) == pytest.approx(t, abs=1e-11)


def test_time_at_an_angle_never_reached_is_a_fault():
    with pytest.raises(Fault, match="angle"):
        PrescribedRotation(speed_ramp=CubicStep(y0=0.0, y1=5.0)).time_at(-1.0)


def test_largest_of_a_ramp_is_the_one_by_magnitude():
    assert RAMP.largest == 5.0
    assert CubicStep(y0=-7.0, y1=2.0).largest == -7.0
