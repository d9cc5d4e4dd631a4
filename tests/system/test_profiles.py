"""Piecewise cubics against closed forms and the interpolation of SciPy, and their own rules; prescribed rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator, PPoly

from alegear.errors import Fault
from alegear.system import PiecewiseCubic
from alegear.system.profiles import PrescribedRotation

SAME = 1e-14  # of the largest value: both are a handful of products
VALUES = st.integers(-(10**6), 10**6).map(lambda i: 1e-3 * i)


STEPS = [
    (2.0, 2.0, 0.0, 0.0),
    (1.0, 5.0, 0.2, 0.9),
    (0.0, -5.0, 0.0, 1e-3),
    (1.0, 4.0, 0.5, 0.5),
    (-2.0, 5.0, 0.1, 0.4),
]


def step_of_adams(y0, y1, t0, t1, t):
    """y0 + (y1 - y0) s^2 (3 - 2 s) with its derivative, and its integral from t0; after a jump the value there."""
    s = float(t >= t1) if t1 == t0 else min(max((t - t0) / (t1 - t0), 0.0), 1.0)
    slope = 6.0 * s * (1.0 - s) * (y1 - y0) / (t1 - t0) if t1 > t0 else 0.0
    rise = (t1 - t0) * s**3 * (1.0 - 0.5 * s) + max(t - t1, 0.0)
    return y0 + (y1 - y0) * s * s * (3.0 - 2.0 * s), slope, y0 * (t - t0) + (y1 - y0) * rise


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_that_of_adams(step):
    profile = PiecewiseCubic.step(*step)
    times = np.concatenate([np.linspace(-0.5, 3.0, 701), profile.times])
    expected = np.array([step_of_adams(*step, float(t)) for t in times])
    found = np.array([[f(float(t)) for f in (profile.value, profile.derivative, profile.integral)] for t in times])
    for column in range(3):
        largest = np.abs(expected[:, column]).max()
        np.testing.assert_allclose(found[:, column], expected[:, column], rtol=SAME, atol=10 * SAME * largest)
    assert profile.largest == max(step[:2], key=abs)
    assert profile.kinks == ()


@pytest.mark.parametrize("step", STEPS)
def test_values_at_many_times_are_those_at_each(step):
    profile = PiecewiseCubic.step(*step)
    times = np.concatenate([np.linspace(-0.5, 3.0, 701), profile.times])
    np.testing.assert_array_equal(profile.values(times), [profile.value(float(t)) for t in times])


TIMES, TABLE = (0.0, 0.3, 0.5, 1.7), (130.0, 460.0, 460.0, 20.0)


@pytest.mark.parametrize("straight", [False, True])
def test_a_table_is_the_interpolation_of_its_points(straight):
    new = PiecewiseCubic.table(TIMES, TABLE, straight=straight)
    slopes = np.diff(TABLE) / np.diff(TIMES)
    line = PPoly(np.array([slopes, TABLE[:-1]]), np.array(TIMES))
    curve = line if straight else PchipInterpolator(TIMES, TABLE)
    slope, area = curve.derivative(), curve.antiderivative()
    for t in np.linspace(1e-3, 1.699, 301):  # beside the corners
        assert new.value(float(t)) == pytest.approx(float(curve(t)), rel=SAME, abs=SAME * 460.0)
        assert new.derivative(float(t)) == pytest.approx(float(slope(t)), rel=SAME, abs=10 * SAME * 1100.0)
        assert new.integral(float(t)) == pytest.approx(float(area(t)), rel=SAME, abs=SAME * 460.0)
    whole = float(area(1.7))
    for t in (-0.4, 2.3):  # the values at the ends stay
        end, value = (0.0, 130.0) if t < 0.0 else (1.7, 20.0)
        assert (new.value(t), new.derivative(t)) == (pytest.approx(value, rel=SAME), 0.0)
        assert new.integral(t) == pytest.approx((whole if t > 0.0 else 0.0) + (t - end) * value, rel=SAME)
    assert [new.value(t) for t in TIMES] == pytest.approx(TABLE, rel=SAME)
    assert new.largest == pytest.approx(460.0, rel=SAME)
    assert new.kinks == (TIMES[1:-1] if straight else ())


@pytest.mark.parametrize("straight", [False, True])
def test_times_at_which_the_integral_of_a_table_is_reached(straight):
    new = PiecewiseCubic.table(TIMES, TABLE, straight=straight)
    for t in (0.1, 0.3, 0.44, 1.2, 1.7, 2.5):
        assert new.time_at(new.integral(t)) == pytest.approx(t, rel=1e-13)


def test_jumps_of_the_rate_are_at_corners():
    straight = PiecewiseCubic.table((0.0, 0.2, 0.5), (1.0, 4.0, 2.0), straight=True)
    assert straight.jump(0.2) == pytest.approx(-2.0 / 0.3 - 3.0 / 0.2, rel=1e-12)
    assert straight.jump(0.5) == pytest.approx(2.0 / 0.3, rel=1e-12)
    assert [straight.jump(t) for t in (-0.1, 0.0, 0.1, 0.4, 0.6)] == [0.0] * 5  # at 0 its rate is the one after
    smooth = PiecewiseCubic.table((0.0, 0.2, 0.5, 0.6), (1.0, -2.0, 3.0, 3.5))
    assert max(abs(smooth.jump(t)) for t in (0.2, 0.5)) < 1e-12
    assert PiecewiseCubic.constant(2.0).jump(0.0) == 0.0


@pytest.mark.parametrize("step", STEPS[:4])
def test_times_at_which_an_integral_is_reached(step):
    profile = PiecewiseCubic.step(*step)
    for integral in np.sign(profile.largest) * np.linspace(1e-4, 40.0, 41):
        # of a root to the last digit
        assert profile.integral(profile.time_at(integral)) == pytest.approx(integral, rel=1e-13)


def test_a_prescribed_rotation_is_consistent():
    rotation = PrescribedRotation(speed_ramp=PiecewiseCubic.step(-2.0, 5.0, 0.1, 0.4), start_angle=0.7)
    d = 1e-6
    for t in (0.2, 0.3, 0.8):
        assert (rotation.angle(t + d) - rotation.angle(t - d)) / (2 * d) == pytest.approx(rotation.speed(t), abs=1e-8)
        difference = (rotation.speed(t + d) - rotation.speed(t - d)) / (2 * d)
        assert difference == pytest.approx(rotation.acceleration(t), abs=1e-6)  # round-off 1e-16 * 5/d
    assert rotation.angle(0.1) == 0.7


@pytest.mark.parametrize("end_speed", [40.0, -40.0])
@pytest.mark.parametrize("t", [0.01, 0.1, 0.2, 0.35, 2.0])
def test_time_at_an_angle_is_the_inverse_of_the_angle(end_speed, t):
    rotation = PrescribedRotation(speed_ramp=PiecewiseCubic.step(0.0, end_speed, 0.0, 0.35), start_angle=-0.2)
    # at the foot of the ramp the angle rises with t^3 from -0.2: round-off of 3e-17 is 1e-11 s at t = 0.01
    assert rotation.time_at(rotation.angle(t)) == pytest.approx(t, abs=1e-11)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(VALUES, min_size=3, max_size=6), straight=st.booleans())
def test_value_is_the_derivative_of_the_integral(values, straight):
    profile = PiecewiseCubic.table(list(range(len(values))), values, straight=straight)
    h = 1e-4
    for t in np.linspace(-0.75, len(values) + 0.3, 23):
        t = float(t) + 0.011  # beside the corners
        slope = (profile.integral(t + h) - profile.integral(t - h)) / (2.0 * h)
        assert slope == pytest.approx(profile.value(t), abs=1e-4 * (1.0 + max(np.abs(values))))  # h^2 and round-off


@settings(max_examples=50, deadline=None)
@given(values=st.lists(VALUES, min_size=2, max_size=6))
def test_a_table_does_not_overshoot(values):
    profile = PiecewiseCubic.table(list(range(len(values))), values)
    assert abs(profile.largest) == pytest.approx(max(np.abs(values)), rel=1e-12, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(VALUES, min_size=3, max_size=6),
    straight=st.booleans(),
    ends=st.tuples(st.floats(-1.0, 6.0), st.floats(-1.0, 6.0)),
)
def test_largest_value_between_two_times(values, straight, ends):
    profile = PiecewiseCubic.table(list(range(len(values))), values, straight=straight)
    begin, end = sorted(ends)
    dense = max(abs(profile.value(float(t))) for t in np.linspace(begin, end, 401))
    # a cubic of a table is monotone between its points, which the samples may miss by half their spacing
    slack = 3.0 * np.ptp(values) * (end - begin) / 400.0
    assert dense - 1e-12 <= abs(profile.largest_between(begin, end)) <= dense + slack + 1e-12


@pytest.mark.parametrize(
    ("profile", "integral"),
    [
        (PiecewiseCubic.step(-1.0, 2.0, 0.0, 1.0), 1.0),
        (PiecewiseCubic.constant(2.0), -1.0),
        (PiecewiseCubic.constant(0.0), 1.0),
        (PiecewiseCubic.step(1.0, 0.0, 0.0, 1.0), 0.6),
    ],
)
def test_what_is_not_reached_is_a_fault(profile, integral):
    with pytest.raises(Fault, match="angle to be reached"):
        profile.time_at(integral)


def test_a_rotation_that_comes_to_rest_is_stopped_on_its_way():
    assert PiecewiseCubic.step(1.0, 0.0, 0.0, 1.0).integral(1.0) == pytest.approx(0.5, rel=SAME)
    assert 0.0 < PiecewiseCubic.step(1.0, 0.0, 0.0, 1.0).time_at(0.3) < 1.0


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (lambda: PiecewiseCubic.step(0.0, 1.0, 1.0, 0.0), "end of the ramp"),
        (lambda: PiecewiseCubic.table([0.0], [1.0]), "points of a table"),
        (lambda: PiecewiseCubic.table([0.0, 0.0], [1.0, 2.0]), "times of a table"),
        (lambda: PiecewiseCubic(times=np.array([0.0]), coefficients=np.zeros((1, 4))), "coefficients"),
        (lambda: PiecewiseCubic(times=np.array([0.0]), coefficients=np.ones((2, 4))), "first and last piece"),
    ],
)
def test_what_makes_no_profile_is_a_fault(made, what):
    with pytest.raises(Fault, match=what):
        made()
