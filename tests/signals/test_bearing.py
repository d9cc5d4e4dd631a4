"""Frequencies of rolling bearings: a published one, and rolling without sliding written down point by point."""

from math import cos, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alegear.errors import Fault
from alegear.signals.bearing import RollerSet


def test_the_drive_end_bearing_of_case_western_reserve() -> None:
    """SKF 6205-2RS: 9 balls, 0.3126 in on 1.537 in; the data centre prints these multiples of the shaft's speed."""
    found = RollerSet(rollers=9, roller_diameter=0.3126 * 25.4e-3, pitch_diameter=1.537 * 25.4e-3).frequencies(1.0)
    printed = (5.4152, 3.5848, 0.39828, 4.7135)
    # four digits are printed, of diameters with four
    assert (found.inner, found.outer, found.cage, found.roller) == pytest.approx(printed, rel=2e-4)


@given(
    d=st.floats(2e-3, 40e-3),
    ratio=st.floats(2.0, 10.0),
    alpha=st.floats(0.0, 1.2),
    inner=st.floats(-500.0, 500.0),
    outer=st.floats(-500.0, 500.0),
)
def test_rolls_without_sliding(d, ratio, alpha, inner, outer) -> None:
    """Surface speeds of both rings at the contacts give the speed of the roller's centre, and its spin."""
    D = ratio * d
    found = RollerSet(rollers=7 if pi * ratio > 7.0 else 3, roller_diameter=d, pitch_diameter=D, contact_angle=alpha)
    v_inner = inner * 0.5 * (D - d * cos(alpha))
    v_outer = outer * 0.5 * (D + d * cos(alpha))
    cage = 0.5 * (v_inner + v_outer) / (0.5 * D)
    # against the cage a ring slides past the roller's centre with the roller's own surface speed
    spin = (outer - cage) * 0.5 * (D + d * cos(alpha)) / (0.5 * d)
    f = found.frequencies(inner, outer)
    scale = max(abs(inner), abs(outer), 1e-12) * ratio * found.rollers
    assert f.cage == pytest.approx(abs(cage), abs=1e-13 * scale)  # round-off
    assert f.roller == pytest.approx(abs(2.0 * spin), abs=1e-12 * scale)
    assert f.outer == pytest.approx(found.rollers * abs(cage - outer), abs=1e-12 * scale)
    assert f.inner == pytest.approx(found.rollers * abs(cage - inner), abs=1e-12 * scale)


def test_rings_that_turn_alike_have_no_defects_heard() -> None:
    f = RollerSet(rollers=9, roller_diameter=8e-3, pitch_diameter=40e-3).frequencies(3.0, 3.0)
    assert (f.outer, f.inner, f.roller) == (0.0, 0.0, 0.0)
    assert f.cage == pytest.approx(3.0, rel=1e-14)


def test_a_contact_angle_of_a_right_angle_leaves_the_mean() -> None:
    """A thrust bearing: the cage turns with half of the speed."""
    f = RollerSet(rollers=12, roller_diameter=8e-3, pitch_diameter=60e-3, contact_angle=0.5 * pi).frequencies(2.0)
    assert f.cage == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rollers": 0}, "number of rollers = 0: must be at least 1"),
        ({"rollers": 9.5}, "a whole number"),
        ({"roller_diameter": 50e-3}, "less than the pitch diameter, 40"),
        ({"rollers": 16}, "at most 15, what has room"),
        ({"pitch_diameter": float("nan")}, "a finite number"),
        ({"contact_angle": 2.0}, "contact angle .deg. = 114.59"),
        ({"roller_diameter": -1e-3}, "greater than 0"),
    ],
)
def test_refused(given, message) -> None:
    with pytest.raises(Fault, match=message):
        RollerSet(**{"rollers": 9, "roller_diameter": 8e-3, "pitch_diameter": 40e-3, **given})
