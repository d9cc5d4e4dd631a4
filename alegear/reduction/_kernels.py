"""Compiled inner loop of the reduction; calls nothing outside this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def _kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call, keep the machine code on disk."""
    return numba.njit(cache=True)(function)  # type: ignore[no-any-return]


@_kernel
def extend_add(
    # in
    child_S_in: Array,  # (q, q) Fortran order, lower triangle
    where_in: NDArray[np.int64],  # (q,) ascending rows of the parent's front
    # out
    F_11_out: Array,  # (n, n) Fortran order, lower triangle
    F_21_out: Array,  # (m, n)
    F_22_out: Array,  # (m, m) lower triangle
) -> None:
    """Add the Schur complement of a child to the front of its parent, lower triangles only."""
    n = F_11_out.shape[0]
    for j in range(where_in.size):
        column = where_in[j]
        for i in range(j, where_in.size):
            row = where_in[i]
            if row < n:
                F_11_out[row, column] += child_S_in[i, j]
            elif column < n:
                F_21_out[row - n, column] += child_S_in[i, j]
            else:
                F_22_out[row - n, column - n] += child_S_in[i, j]
