"""Elements that have a kernel of their own, collected for compiled motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from alegear.kernels.elements import CompiledElement
from alegear.kernels.sparse_rows_kernels import SparseRows, sparse_rows
from alegear.system.element_kernels import N_ENERGY, Elements


def collected(compiled: Sequence[CompiledElement]) -> Elements:
    """Collect what the kernels need of elements that are called by their address."""
    sizes = [len(one.rows) for one in compiled]
    k, largest = len(compiled), max(sizes, default=0)
    return Elements(
        address=np.array([one.address for one in compiled], dtype=np.int64),
        handle=np.array([one.handle for one in compiled], dtype=np.int64),
        first=np.cumsum([0, *sizes])[:-1].astype(np.int64),
        size=np.array(sizes, dtype=np.int64),
        rows=_rows(compiled),
        y=np.zeros(largest),
        rate=np.zeros(largest),
        force=np.zeros(sum(sizes)),
        by_y=np.zeros((k, largest * largest)),
        by_rate=np.zeros((k, largest * largest)),
        energy=np.zeros((k, N_ENERGY)),
    )


def _rows(compiled: Sequence[CompiledElement]) -> SparseRows:
    """Rows of all elements over the coordinates of the system, one after the other."""
    n = 1 + max((int(one.coordinates.max(initial=-1)) for one in compiled), default=-1)
    rows = np.zeros((sum(len(one.rows) for one in compiled), n))
    begin = 0
    for one in compiled:
        own = rows[begin : begin + len(one.rows)]
        for at, column in zip(one.coordinates, one.rows.T, strict=True):
            own[:, at] += column
        begin += len(one.rows)
    return sparse_rows(rows)
