"""Nonlinear elements in compiled motions, each called by its address on its own coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.kernel_cache import kernel, lean_kernel
from alegear.kernel_struct import call_element, kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

STORED, LOST, SUPPLIED, N_ENERGY = 0, 1, 2, 3


@kernel_struct
class Elements(NamedTuple):
    """Elements of a system, k of them, and what they exert.

    ``address``, ``handle`` (k,). Element i acts on the coordinates ``at[first[i] : first[i + 1]]`` by y of the length
    ``size[i]``, whose rows begin at ``row[i]`` in ``rows``, one after the other. ``y``, ``rate``, ``force`` (s,) and
    ``by_y``, ``by_rate`` (k, s^2), of which the first ``size[i]`` squared numbers count, ``energy`` (k, N_ENERGY) with
    s the largest size.
    """

    address: Index
    handle: Index
    first: Index
    at: Index
    size: Index
    row: Index
    rows: Array
    y: Array
    rate: Array
    force: Array
    by_y: Array
    by_rate: Array
    energy: Array


@lean_kernel
def add_element_forces(elements, t, x, v, Q):
    """Add what all elements exert to ``Q`` (n,); whether it could be found."""
    y, rate, force = elements.y, elements.rate, elements.force
    for i in range(elements.address.shape[0]):
        first, end = elements.first[i], elements.first[i + 1]
        width = end - first
        for j in range(elements.size[i]):
            y[j], rate[j], force[j] = 0.0, 0.0, 0.0
            begin = elements.row[i] + j * width
            for k in range(width):
                weight = elements.rows[begin + k]
                if weight != 0.0:
                    y[j] += weight * x[elements.at[first + k]]
                    rate[j] += weight * v[elements.at[first + k]]
        status = call_element(
            elements.address[i], elements.handle[i], t, y, rate, force,
            elements.by_y[i], elements.by_rate[i], elements.energy[i],
        )  # fmt: skip
        if status < 0:
            return False
        for j in range(elements.size[i]):
            begin = elements.row[i] + j * width
            if force[j] != 0.0:
                for k in range(width):
                    Q[elements.at[first + k]] += elements.rows[begin + k] * force[j]
    return True


@lean_kernel
def subtract_element_tangents(elements, dq, dv, matrix):
    """Subtract dq and dv times the derivatives by coordinates and velocities, as they were evaluated last."""
    for i in range(elements.address.shape[0]):
        first, end, n = elements.first[i], elements.first[i + 1], elements.size[i]
        width, by_y, by_rate = end - first, elements.by_y[i], elements.by_rate[i]
        for j in range(n):
            for m in range(n):
                tangent = dq * by_y[j * n + m] + dv * by_rate[j * n + m]
                if tangent == 0.0:
                    continue
                of_row, of_column = elements.row[i] + j * width, elements.row[i] + m * width
                for k in range(width):
                    left = elements.rows[of_row + k] * tangent
                    if left != 0.0:
                        at = elements.at[first + k]
                        for c in range(width):
                            matrix[at, elements.at[first + c]] -= left * elements.rows[of_column + c]


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
