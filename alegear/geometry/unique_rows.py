"""Rows of a table that are equal to the last bit: profiles of teeth and sections that one stands for."""

from __future__ import annotations

import numpy as np

from alegear.arrays import Array, Indices


def unique_rows(rows: Array) -> tuple[Indices, Indices]:
    """Return the first of each kind of row, in their order, and of which kind each row is.

    ``numpy.unique`` over an axis makes a structured type with a field for each column, which takes longer than all else
    where rows are long.

    Parameters
    ----------
    rows : shape (n, m)
        Finite; 0 and -0 are alike.

    Returns
    -------
    first : shape (k,)
        Numbers of rows, rising.
    kind : shape (n,)
        From 0 to k - 1.
    """
    kinds: dict[bytes, int] = {}
    first: list[int] = []
    kind = np.empty(len(rows), dtype=np.int64)
    for number, row in enumerate(rows + 0.0):
        kind[number] = kinds.setdefault(row.tobytes(), len(kinds))
        if len(first) < len(kinds):
            first.append(number)
    return np.array(first, dtype=np.int64), kind
