"""Nonlinear elements in compiled motions, each called by its address on its own coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.elements import CompiledElement, call_element
from alegear.kernels.sparse_rows_kernels import SparseRows, add_row, row_times, sparse_rows
from alegear.kernels.structs import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

STORED, LOST, SUPPLIED, N_ENERGY = 0, 1, 2, 3


@kernel_struct
class Elements(NamedTuple):
    """Elements of a system, k of them, and what they exert.

    ``address``, ``handle`` (k,). Element i acts on y of the length ``size[i]``, each by a row of ``rows`` over the
    coordinates of the system, one after the other, from row ``first[i]`` on, as is its force on y in ``force``, of the
    length of all sizes together. ``y``, ``rate`` (s,) and ``by_y``, ``by_rate`` (k, s^2), of which the first
    ``size[i]`` squared numbers count, ``energy`` (k, N_ENERGY) with s the largest size.
    """

    address: Index
    handle: Index
    first: Index
    size: Index
    rows: SparseRows
    y: Array
    rate: Array
    force: Array
    by_y: Array
    by_rate: Array
    energy: Array


@lean_kernel
def add_element_forces(elements, t, x, v, Q):
    """Add what all elements exert to ``Q`` (n,); whether it could be found."""
    y, rate, rows = elements.y, elements.rate, elements.rows
    for i in range(elements.address.shape[0]):
        first = elements.first[i]
        force = elements.force[first : first + elements.size[i]]
        for j in range(elements.size[i]):
            y[j], rate[j], force[j] = row_times(rows, first + j, x), row_times(rows, first + j, v), 0.0
        status = call_element(
            elements.address[i], elements.handle[i], t, y, rate, force,
            elements.by_y[i], elements.by_rate[i], elements.energy[i],
        )  # fmt: skip
        if status < 0:
            return False
        for j in range(elements.size[i]):
            if force[j] != 0.0:
                add_row(rows, first + j, force[j], Q)
    return True


@lean_kernel
def subtract_element_tangents(elements, dq, dv, matrix):
    """Subtract dq and dv times the derivatives by coordinates and velocities, as they were evaluated last."""
    rows = elements.rows
    for i in range(elements.address.shape[0]):
        first, n = elements.first[i], elements.size[i]
        by_y, by_rate = elements.by_y[i], elements.by_rate[i]
        for j in range(n):
            for m in range(n):
                tangent = dq * by_y[j * n + m] + dv * by_rate[j * n + m]
                if tangent == 0.0:
                    continue
                for k in range(rows.start[first + j], rows.start[first + j + 1]):
                    add_row(rows, first + m, -tangent * rows.value[k], matrix[rows.column[k]])


@lean_kernel
def element_energies(elements, total):
    """Sum of the energies of all elements, as they were evaluated last, into ``total`` (N_ENERGY,)."""
    total[:] = 0.0
    for i in range(elements.address.shape[0]):
        for j in range(N_ENERGY):
            total[j] += elements.energy[i, j]


@kernel
def evaluate_at(address, handle, t, y, rate, force, by_y, by_rate, energy):
    """Call one element from Python as compiled motions do; returns its status."""
    return call_element(address, handle, t, y, rate, force, by_y, by_rate, energy)


# --------------------------------------------------------------------------------- made of elements, in Python
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
