"""Rows of few numbers against the matrix that they were taken from."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.kernels import sparse_rows_kernels as kernels


@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (3, 5), (7, 4)])
def test_rows_are_those_of_the_matrix(shape: tuple[int, int]) -> None:
    """Also where a row, the first or the last among them, is empty."""
    rng = np.random.default_rng(shape[0])
    dense = rng.normal(size=shape) * (rng.random(shape) < 0.4)
    if len(dense) > 1:
        dense[[0, -1]] = 0.0
    rows, x = kernels.sparse_rows(dense), rng.normal(size=shape[1])
    assert len(rows.value) == np.count_nonzero(dense)
    for i, row in enumerate(dense):
        assert kernels.row_times.py_func(rows, i, x) == pytest.approx(float(row @ x), rel=1e-14, abs=1e-15)
        out = x.copy()
        kernels.add_row.py_func(rows, i, 0.5, out)
        np.testing.assert_allclose(out, x + 0.5 * row, rtol=1e-15)
