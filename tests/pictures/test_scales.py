"""Scales of axes: round-off of a constant is not enlarged."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from alegear.pictures.scales import plain, prefixed, show_constants_flat


def limits(*curves: np.ndarray) -> tuple[float, float]:
    axes = Figure().subplots()
    for values in curves:
        axes.plot(np.arange(len(values)), values)
    show_constants_flat(axes)
    return axes.get_ylim()


def test_round_off_of_a_constant_is_not_enlarged() -> None:
    assert limits(1064.0 + 1e-9 * np.arange(5)) == pytest.approx((0.9 * 1064.0, 1.1 * 1064.0), rel=1e-6)


def test_what_changes_fills_the_axis() -> None:
    low, high = limits(1000.0 + np.arange(5))
    assert 999.0 < low < 1000.0
    assert 1004.0 < high < 1005.0
    low, high = limits(np.full(5, 1000.0), np.full(5, 2000.0))  # two constants
    assert 900.0 < low < 1000.0


def test_zeros_and_nothing_are_left_alone() -> None:
    assert limits() == (0.0, 1.0)
    assert np.isfinite(limits(np.zeros(3))).all()
    assert np.isfinite(limits(np.full(3, np.nan))).all()


@pytest.mark.parametrize(
    ("largest", "told"),
    [
        (3.9e6, (1e-6, "MN m")),
        (999.0, (1.0, "N m")),
        (2e-4, (1e6, "µN m")),
        (0.0, (1.0, "N m")),
        (1e-12, (1e9, "nN m")),
    ],
)
def test_units_have_a_prefix_with_which_values_can_be_read(largest: float, told: tuple[float, str]) -> None:
    assert prefixed(largest, "N m") == told


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (-3084.2, 3, "-3084"),
        (9999.6, 4, "10000"),
        (-999.7, 3, "-1000"),
        (21362.4, 4, "21362"),
        (0.32714, 3, "0.327"),
        (3.2e9, 4, "3.2e+09"),
    ],
)
def test_numbers_are_written_without_a_power_of_ten(value: float, digits: int, told: str) -> None:
    assert plain(value, digits) == told
