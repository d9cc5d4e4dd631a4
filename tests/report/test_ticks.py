"""Ticks: round numbers inside the range, told apart by their labels."""

import math

import pytest

from alegear.report.ticks import log_ticks, tick_labels, ticks


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 1.0), (-3.2, 8.1), (1e-6, 1.3e-6), (0.0, 1e9), (286.0, 292.0), (-1e-4, 0.0), (999.9, 1000.1)],
)
def test_ticks_are_round_inside_the_range_and_not_too_many(low, high):
    found = ticks(low, high, 6)
    assert 3 <= len(found) <= 6
    step = found[1] - found[0]
    mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(mantissa - one) for one in (1.0, 2.0, 2.5, 5.0)) < 1e-6  # round-off of differences of the ticks
    assert found[0] >= low - 1e-9 * (high - low)
    assert found[-1] <= high + 1e-9 * (high - low)
    assert all(abs(value / step - round(value / step)) < 1e-6 for value in found)  # whole multiples of the step
    assert found[0] - step < low
    assert found[-1] + step > high


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-3.2, 8.1), (1e-6, 1.3e-6), (0.0, 3e9), (286.0, 292.0), (123456, 123460)]
)
def test_labels_say_the_values_and_differ(low, high):
    found = ticks(low, high, 6)
    texts = tick_labels(found)
    assert len(set(texts)) == len(found)
    step = found[1] - found[0]
    for text, value in zip(texts, found, strict=True):
        assert float(text.replace("−", "-")) == pytest.approx(value, abs=1e-3 * step)


def test_no_range_is_one_tick():
    assert ticks(2.0, 2.0) == [2.0]
    assert ticks(math.nan, 1.0) == []
    assert tick_labels([]) == []


def test_powers_of_ten():
    assert log_ticks(1e-3, 1e2) == [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0]
    assert len(log_ticks(1e-12, 1e12)) <= 7
