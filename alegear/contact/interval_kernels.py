"""Compiled: where a number lies among rising ones."""

from __future__ import annotations

from alegear.kernels.decorators import lean_kernel


@lean_kernel
def interval(knots, x):
    """Interval of rising knots in which ``x`` lies, the way into it, and how far ``x`` is beyond their ends."""
    x_in = min(max(x, knots[0]), knots[knots.shape[0] - 1])
    low, high = 0, knots.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= x_in:
            low = middle
        else:
            high = middle
    return low, x_in - knots[low], x - x_in
