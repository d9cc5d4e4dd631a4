"""Derivatives by differences, for the tests of tangents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def differences(function: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """Derivatives of a function of a small vector (n,) at zero, one a column; of order four, so that h may be large."""
    h = 1e-3
    columns = []
    for direction in np.eye(n):
        f = [function(k * h * direction) for k in (-2, -1, 1, 2)]
        columns.append((f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h))
    return np.stack(columns, axis=-1)
