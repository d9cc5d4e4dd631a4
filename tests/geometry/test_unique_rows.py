"""Equal rows of a table, against those that NumPy finds."""

from __future__ import annotations

import numpy as np

from alegear.geometry.unique_rows import unique_rows


def test_rows_are_those_that_numpy_finds() -> None:
    rows = np.random.default_rng(1).integers(-1, 2, size=(60, 3)).astype(float)
    rows[3] = -0.0 * np.abs(rows[3])
    first, kind = unique_rows(rows)
    _, expected = np.unique(rows, axis=0, return_index=True)
    assert sorted(first) == sorted(expected)
    assert list(first) == sorted(first)
    np.testing.assert_array_equal(rows[first][kind], rows)


def test_a_row_alone() -> None:
    first, kind = unique_rows(np.zeros((1, 5)))
    assert (first.tolist(), kind.tolist()) == ([0], [0])
