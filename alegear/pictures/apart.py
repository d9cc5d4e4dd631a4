"""Places of labels, moved apart so that none stands on another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def spread(wanted: Floats, gap: float, low: float, high: float) -> Floats:
    r"""Return heights at least a gap apart and nearest to those wanted.

    .. math:: \min \sum (y_i - w_i)^2, \quad y_{i+1} - y_i \ge g

    which with :math:`v_i = w_i - i g` is the regression by a sequence that nowhere falls: neighbours that fall are
    pooled at their mean (pool adjacent violators). Then the whole is moved into the bounds.

    Parameters
    ----------
    wanted : shape (n,)
    gap : float
    low, high : float
        Bounds; more labels than fit there reach over `high`.

    Examples
    --------
    >>> spread(np.array([1.0, 1.0, 5.0]), 1.0, 0.0, 10.0).tolist()
    [0.5, 1.5, 5.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    pools: list[tuple[float, int]] = []
    for value in np.clip(wanted[order], low, high) - steps:
        mean, count = float(value), 1
        while pools and pools[-1][0] > mean:
            before, members = pools.pop()
            mean, count = (before * members + mean * count) / (members + count), count + members
        pools.append((mean, count))
    level = np.concatenate([np.full(count, mean) for mean, count in pools]) if pools else np.zeros(0)
    # between bounds that every label must keep, shifted like the labels
    level = np.maximum(np.minimum(level, high - steps[-1:]), low)
    heights = np.empty(len(wanted))
    heights[order] = level + steps
    return heights
