"""Arrays that grow by rows."""

from __future__ import annotations

import numpy as np

from alegear.arrays import AnyArray

FIRST = 64  # rows for which there is room from the beginning


class GrowingArray:
    """Array that grows by rows, contiguous.

    Parameters
    ----------
    shape : tuple of int
        Of one row.
    dtype : optional
        Default: float64.
    """

    def __init__(self, shape: tuple[int, ...], dtype: type = np.float64) -> None:
        self._memory: AnyArray = np.empty((FIRST, *shape), dtype=dtype)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    @classmethod
    def of(cls, rows: AnyArray) -> GrowingArray:
        """Array with rows to begin with, (n, ...)."""
        array = cls(rows.shape[1:], rows.dtype.type)
        array.append(rows)
        return array

    def append(self, rows: AnyArray) -> None:
        """Append rows, (n, ...)."""
        self.add(len(rows))[:] = rows

    def add(self, count: int = 1) -> AnyArray:
        """Append rows to be filled in, shape (count, ...); a view, valid until more are added."""
        first, self._n = self._n, self._n + count
        if self._n > len(self._memory):
            grown = np.empty((max(self._n, 3 * first // 2), *self._memory.shape[1:]), dtype=self._memory.dtype)
            grown[:first] = self._memory[:first]
            self._memory = grown
        return self._memory[first : self._n]

    def drop(self, count: int) -> None:
        """Forget the first rows, keep the memory."""
        left = self._memory[count : self._n].copy()
        self._n = len(left)
        self._memory[: self._n] = left

    def clear(self) -> None:
        """Forget the rows, keep the memory."""
        self._n = 0

    @property
    def values(self) -> AnyArray:
        """All rows so far, a view."""
        return self._memory[: self._n]
