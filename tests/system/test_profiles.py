"""Piecewise cubics against the step and the table of dynamics, and their own rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alegear.dynamics.joints import CubicStep, Table
from alegear.errors import Fault
from alegear.system import PiecewiseCubic

SAME = 1e-14  # of the largest value: both are a handful of products
VALUES = st.integers(-(10**6), 10**6).map(lambda i: 1e-3 * i)


def pairs():
    times, values = (0.0, 0.3, 0.5, 1.7), (130.0, 460.0, 460.0, 20.0)
    return [
        (CubicStep(y0=2.0, y1=2.0), PiecewiseCubic.constant(2.0)),
        (CubicStep(y0=1.0, y1=5.0, t0=0.2, t1=0.9), PiecewiseCubic.step(1.0, 5.0, 0.2, 0.9)),
        (CubicStep(y0=0.0, y1=-5.0, t0=0.0, t1=1e-3), PiecewiseCubic.step(0.0, -5.0, 0.0, 1e-3)),
        (CubicStep(y0=1.0, y1=4.0, t0=0.5, t1=0.5), PiecewiseCubic.step(1.0, 4.0, 0.5, 0.5)),
        (Table(times=times, values=values), PiecewiseCubic.table(times, values)),
        (Table(times=times, values=values, straight=True), PiecewiseCubic.table(times, values, straight=True)),
    ]


@pytest.mark.parametrize(("old", "new"), pairs())
def test_step_and_table_are_those_of_dynamics(old, new):
    times = np.concatenate([np.linspace(-0.5, 3.0, 701), new.times])
    scale, slope = abs(old.largest), max(abs(old.derivative(float(t))) for t in times)
    for t in times:
        assert new.value(float(t)) == pytest.approx(old.value(float(t)), rel=SAME, abs=SAME * scale)
        assert new.derivative(float(t)) == pytest.approx(old.derivative(float(t)), rel=SAME, abs=10 * SAME * slope)
        assert new.integral(float(t)) == pytest.approx(old.integral(float(t)), rel=SAME, abs=SAME * scale)
    assert new.largest == pytest.approx(old.largest, rel=SAME)
    assert new.corners == getattr(old, "corners", ())


def test_jumps_of_the_rate_are_at_corners():
    straight = PiecewiseCubic.table((0.0, 0.2, 0.5), (1.0, 4.0, 2.0), straight=True)
    assert straight.jump(0.2) == pytest.approx(-2.0 / 0.3 - 3.0 / 0.2, rel=1e-12)
    assert straight.jump(0.5) == pytest.approx(2.0 / 0.3, rel=1e-12)
    assert [straight.jump(t) for t in (-0.1, 0.0, 0.1, 0.4, 0.6)] == [0.0] * 5  # at 0 its rate is the one after
    smooth = PiecewiseCubic.table((0.0, 0.2, 0.5, 0.6), (1.0, -2.0, 3.0, 3.5))
    assert max(abs(smooth.jump(t)) for t in (0.2, 0.5)) < 1e-12
    assert PiecewiseCubic.constant(2.0).jump(0.0) == 0.0


@pytest.mark.parametrize(("old", "new"), pairs())
def test_times_at_which_an_integral_is_reached(old, new):
    sign = np.sign(old.largest)
    for integral in sign * np.linspace(1e-4, 40.0, 41):
        assert new.time_at(integral) == pytest.approx(old.time_at(integral), rel=1e-13)  # of a root to the last digit
        assert new.integral(new.time_at(integral)) == pytest.approx(integral, rel=1e-13)


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
