"""Coordinates that follow from others by linear rows: taken out, not constrained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alegear.system.coordinates import Array, Indices

#: A row that others leave less of than this part of its largest entry says nothing new.
DEPENDENT = 1e-10
#: Entries below this part of the largest of their row are what round-off has left of a zero.
ROUND_OFF = 1e-13


@dataclass(frozen=True, kw_only=True, eq=False)
class Reduction:
    r"""All coordinates by independent ones, under rows :math:`A x = c` with prescribed coordinates l:

    .. math:: x = T x_i + B x_l + C c

    Found by elimination of Gauss and Jordan, row after row: what a row of ones and zeros says (two speeds are equal,
    one is zero) is in T to the last bit if it comes before the others.

    Parameters
    ----------
    independent : shape (f,)
        Numbers i of the independent coordinates, rising.
    dependent : shape (m,)
        Numbers of those that rows determine, one for each row of `used`.
    used, unused : tuple of int
        Rows that determine a coordinate, and those that say nothing new.
    T : shape (n, f)
    by_prescribed : shape (n, n_prescribed)
    by_row : shape (n, n_rows)
    """

    independent: Indices
    dependent: Indices
    used: tuple[int, ...]
    unused: tuple[int, ...]
    T: Array
    by_prescribed: Array
    by_row: Array

    @property
    def f(self) -> int:
        """Number of independent coordinates."""
        return len(self.independent)


def reduction(rows: Array, prescribed: Indices, scale: Array, avoided: Sequence[int] = ()) -> Reduction:
    """Eliminate coordinates by rows.

    Parameters
    ----------
    rows : shape (m, n)
        A, those that are to hold to the last bit first.
    prescribed : shape (n_prescribed,)
        Numbers of the coordinates that are given.
    scale : shape (n,)
        Typical size of each coordinate: the one that a row says most of is eliminated.
    avoided : sequence of int
        Coordinates that are taken out only where nothing else is left.
    """
    rows = np.asarray(rows, dtype=np.float64)
    m, n = rows.shape
    A, right = rows.copy(), np.eye(m)
    open_for = np.ones(n, dtype=bool)
    open_for[prescribed] = False
    kept = np.ones(n)
    kept[list(avoided)] = 1e-6
    pivots: list[tuple[int, int]] = []
    unused = []
    for i in range(m):
        weight = np.abs(A[i]) * scale * open_for
        size = float((np.abs(rows[i]) * scale).max(initial=0.0))
        if not weight.max(initial=0.0) > DEPENDENT * size:
            unused.append(i)
            continue
        weight[np.abs(A[i]) * scale <= ROUND_OFF * size] = 0.0
        p = int(np.argmax(weight * kept))
        right[i] /= A[i, p]
        A[i] /= A[i, p]
        for j in range(m):
            if j != i and A[j, p] != 0.0:
                factor = A[j, p]
                was = np.abs(A[j]) + np.abs(factor * A[i])
                right[j] -= factor * right[i]
                A[j] -= factor * A[i]
                A[j, np.abs(A[j]) <= ROUND_OFF * was] = 0.0
                A[j, p] = 0.0
        open_for[p] = False
        pivots.append((i, p))
    independent = np.flatnonzero(open_for)
    T, by_prescribed, by_row = np.zeros((n, len(independent))), np.zeros((n, len(prescribed))), np.zeros((n, m))
    T[independent, np.arange(len(independent))] = 1.0
    by_prescribed[prescribed, np.arange(len(prescribed))] = 1.0
    for i, p in pivots:
        T[p] = 0.0 - A[i, independent]
        by_prescribed[p] = 0.0 - A[i, prescribed]
        by_row[p] = right[i]
    return Reduction(
        independent=independent,
        dependent=np.array([p for _, p in pivots], dtype=np.int64),
        used=tuple(i for i, _ in pivots),
        unused=tuple(unused),
        T=T,
        by_prescribed=by_prescribed,
        by_row=by_row,
    )
