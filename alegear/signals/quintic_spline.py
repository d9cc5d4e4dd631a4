"""Interpolation by splines of the fifth degree: SciPy's without its import, which takes longer than most pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEGREE = 5
#: Rows of a block: of samples in a row none has a spline function that reaches beyond the blocks beside its own.
BLOCK = 5


def interpolate(x: Floats, y: Floats, at: Floats) -> Floats:
    """Return the values at other places of the spline of the fifth degree through some.

    Its derivatives up to the fourth are continuous everywhere, the fifth next to the three places at each end, too
    ("not a knot"), as in ``scipy.interpolate.make_interp_spline(x, y, k=5)``.

    Parameters
    ----------
    x : shape (n,)
        Rising, at least six.
    y : shape (n,)
    at : shape (m,)
        Between the first and the last of `x`.

    Returns
    -------
    shape (m,)

    References
    ----------
    de Boor (1978), A Practical Guide to Splines, chapters X and XIII.

    Examples
    --------
    >>> import numpy as np
    >>> from alegear.signals.quintic_spline import interpolate
    >>> x = np.arange(7.0)
    >>> interpolate(x, x**5, np.array([2.5])).round(9).tolist()
    [97.65625]
    """
    beside = (DEGREE + 1) // 2
    knots = np.concatenate([np.full(DEGREE + 1, x[0]), x[beside:-beside], np.full(DEGREE + 1, x[-1])])
    coefficients = _solve(*_basis(knots, x), y)
    first, values = _basis(knots, at)
    found: Floats = (values * coefficients[first[:, None] + np.arange(DEGREE + 1)]).sum(axis=1)
    return found


def _basis(knots: Floats, at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Spline functions other than zero at places: number of the first, and values (n, degree + 1)."""
    span = np.clip(np.searchsorted(knots, at, side="right") - 1, DEGREE, len(knots) - DEGREE - 2)
    values = np.zeros((DEGREE + 1, len(at)))
    values[0] = 1.0
    for degree in range(1, DEGREE + 1):
        carried = np.zeros(len(at))
        for i in range(degree):
            high, low = knots[span + i + 1], knots[span + i + 1 - degree]
            part = values[i] / (high - low)
            values[i], carried = carried + (high - at) * part, (at - low) * part
        values[degree] = carried
    return span - DEGREE, values.T


def _solve(first: NDArray[np.int64], rows: Floats, y: Floats) -> Floats:
    """Coefficients from a band, whose row i has its entries from column ``first[i]`` on."""
    n = len(y)
    blocks = -(-n // BLOCK)
    bands, right = np.zeros((blocks * BLOCK, 3 * BLOCK)), np.zeros(blocks * BLOCK)
    number = np.arange(n)
    columns = first[:, None] + np.arange(DEGREE + 1) - (number // BLOCK - 1)[:, None] * BLOCK
    there = rows != 0.0
    bands[np.broadcast_to(number[:, None], rows.shape)[there], columns[there]] = rows[there]
    beyond = np.arange(n, blocks * BLOCK)
    bands[beyond, BLOCK + beyond % BLOCK] = 1.0
    right[:n] = y
    return _solve_blocks(bands.reshape(blocks, BLOCK, -1), right.reshape(blocks, BLOCK, 1)).ravel()[:n]


def _solve_blocks(bands: Floats, right: Floats) -> Floats:
    """Solve ``A_i x_i-1 + B_i x_i + C_i x_i+1 = y_i`` by cyclic reduction: of the blocks every other goes.

    Parameters
    ----------
    bands : shape (n, m, 3 m)
        A, B and C beside each other.
    right : shape (n, m, 1)

    Returns
    -------
    shape (n, m, 1)
    """
    n, m = bands.shape[:2]
    before, own, after = bands[:, :, :m], bands[:, :, m : 2 * m], bands[:, :, 2 * m :]
    x = np.zeros_like(right)
    if n == 1:
        x[:] = np.linalg.solve(own, right)
        return x
    # x_i = y - A x_i-1 - C x_i+1 in blocks 0, 2, 4 ...; what stands beside the ends is zero
    known = np.linalg.solve(own[::2], np.concatenate([before[::2], after[::2], right[::2]], axis=2))
    if n % 2 == 0:
        known = np.concatenate([known, np.zeros_like(known[:1])])
    below, above = before[1::2] @ known[:-1], after[1::2] @ known[1:]
    reduced = np.concatenate(
        [-below[:, :, :m], own[1::2] - below[:, :, m : 2 * m] - above[:, :, :m], -above[:, :, m : 2 * m]], axis=2
    )
    odd = _solve_blocks(reduced, right[1::2] - below[:, :, 2 * m :] - above[:, :, 2 * m :])
    x[1::2] = odd
    around = np.concatenate([np.zeros_like(right[:1]), odd, np.zeros_like(right[:1])])[: len(known) + 1]
    even = len(x[::2])
    x[::2] = (known[:, :, 2 * m :] - known[:, :, :m] @ around[: len(known)])[:even]
    x[::2] -= (known[:, :, m : 2 * m] @ around[1 : len(known) + 1])[:even]
    return x
