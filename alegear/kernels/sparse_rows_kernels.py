"""Rows of matrices of which few numbers are not zero, for the steps of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.kernels.decorators import lean_kernel
from alegear.kernels.structs import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@kernel_struct
class SparseRows(NamedTuple):
    """Row i has the values ``start[i]`` to ``start[i + 1]`` of ``value``, in the columns that ``column`` says."""

    start: Index
    column: Index
    value: Array


def sparse_rows(matrix: ArrayLike) -> SparseRows:
    """Take what is not zero out of a matrix (m, n)."""
    dense = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
    row, column = np.nonzero(dense)
    start = np.searchsorted(row, np.arange(len(dense) + 1)).astype(np.int64)
    return SparseRows(start=start, column=column.astype(np.int64), value=dense[row, column])


@lean_kernel
def row_times(rows, i, x):
    """Row i times a vector."""
    total = 0.0
    for k in range(rows.start[i], rows.start[i + 1]):
        total += rows.value[k] * x[rows.column[k]]
    return total


@lean_kernel
def add_row(rows, i, factor, out):
    """Add a factor times row i to a vector."""
    for k in range(rows.start[i], rows.start[i + 1]):
        out[rows.column[k]] += factor * rows.value[k]
