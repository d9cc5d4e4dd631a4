"""Ticks of an axis: round numbers, and how they are written."""

from __future__ import annotations

import itertools
import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
#: Round-off of a tick, as part of the distance of two.
SAME = 1e-9
#: Ticks as large or as small are written with a power of ten.
LARGE, SMALL = 1e5, 1e-3


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Return round numbers from `low` to `high`, about `count` of them.

    Their distance is 1, 2, 2.5 or 5 times a power of ten, the smallest by which there are not more.

    Examples
    --------
    >>> ticks(0.0, 1.0, 5)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10((high - low) / count))
    step = next(
        one * power * scale
        for scale in (1.0, 10.0)
        for one in STEPS
        if _between(low, high, one * power * scale)[1] <= count
    )
    first, n = _between(low, high, step)
    return [(first + k) * step + 0.0 for k in range(n)]


def _between(low: float, high: float, step: float) -> tuple[int, int]:
    """Number of the first multiple of a step in a range, and how many there are."""
    first = math.ceil(low / step - SAME)
    return first, math.floor(high / step + SAME) - first + 1


def log_ticks(low: float, high: float) -> list[float]:
    """Return the powers of ten from `low` to `high`, every second or third one where they are many."""
    first, last = math.ceil(math.log10(low) - SAME), math.floor(math.log10(high) + SAME)
    stride = max(1, math.ceil((last - first) / 6))
    return [10.0**k for k in range(first, last + 1, stride)]


def tick_labels(values: list[float]) -> list[str]:
    """Write ticks with as many decimals as tell neighbours apart; very large and small ones with a power of ten.

    Examples
    --------
    >>> tick_labels([0.0, 0.25, 0.5])
    ['0.00', '0.25', '0.50']
    >>> tick_labels([-20.0, 0.0])
    ['−20', '0']
    """
    if not values:
        return []
    largest = max(abs(value) for value in values)
    distance = min((abs(b - a) for a, b in itertools.pairwise(values)), default=largest) or 1.0
    if largest >= LARGE or 0.0 < largest < SMALL:
        digits = max(3, math.ceil(math.log10(largest / distance)) + 2)  # neighbours must differ
        return [_signed(_power(f"{value:.{digits}g}")) for value in values]
    decimals = 0
    while decimals < 6 and abs(round(distance, decimals) - distance) > 1e-6 * distance:
        decimals += 1
    return [_signed(f"{value:.{decimals}f}") for value in values]


def _signed(text: str) -> str:
    """With the sign of mathematics, which is as wide as a plus."""
    return text.replace("-", "−")


def _power(text: str) -> str:
    """1e+05 as 1e5."""
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else text
