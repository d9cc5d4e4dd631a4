"""Elimination in place against LAPACK, as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.kernels import elimination_kernels


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch):
    """The kernels as Python functions."""
    for name, value in list(vars(elimination_kernels).items()):
        if hasattr(value, "py_func"):
            monkeypatch.setattr(elimination_kernels, name, value.py_func)
    return elimination_kernels


@pytest.mark.parametrize("n", [1, 2, 7, 48, 49, 100])
def test_factors_solve_and_a_singular_matrix_is_said(kernels, n):
    """Also where the first row must be exchanged."""
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    A[0, 0] = 0.0 if n > 1 else 1.0
    factors, pivots, x = A.copy(), np.zeros(n, dtype=np.int64), b.copy()
    assert kernels.factorise(factors, pivots)
    kernels.substitute(factors, pivots, x)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-10, atol=1e-12)
    A[:, n // 2] = 0.0
    assert not kernels.factorise(A.copy(), pivots)


@pytest.mark.parametrize("n", [12, 48, 60, 102])
def test_what_is_zero_is_left_out_and_comes_to_be_where_rows_meet(kernels, n):
    """Blocks along the diagonal, as parts of a machine, with an empty one between, that few rows couple far apart."""
    rng = np.random.default_rng(n)
    A, b = np.zeros((n, n)), rng.normal(size=n)
    for first in range(0, n, 6):
        A[first : first + 6, first : first + 6] = rng.normal(size=(6, 6))
    ends = [2, n - 3]
    A[np.ix_(ends, ends)] += rng.normal(size=(2, 2))
    A[7, :6] = 0.0
    factors, pivots, x = A.copy(), np.zeros(n, dtype=np.int64), b.copy()
    assert kernels.factorise(factors, pivots)
    kernels.substitute(factors, pivots, x)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-9, atol=1e-11)  # round-off of blocks badly conditioned


@pytest.mark.parametrize("n", [1, 3, 16, 17, 36, 53])
def test_a_part_of_larger_buffers_is_solved_and_the_rest_untouched(kernels, n):
    rng = np.random.default_rng(n)
    A, x = np.full((n + 2, n + 3), np.nan), np.full((n + 1, 5), np.nan)
    A[:n, :n], x[:n, :3] = rng.normal(size=(n, n)), rng.normal(size=(n, 3))
    expected = np.linalg.solve(A[:n, :n], x[:n, :3])
    kernels.solve_in_place(A, x, n, 3)
    # round-off of two direct solutions
    np.testing.assert_allclose(x[:n, :3], expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())
    assert np.isnan(x[n:]).all()
    assert np.isnan(x[:, 3:]).all()
