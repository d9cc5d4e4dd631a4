"""Dense blocks in place: against NumPy, on parts of larger arrays."""

import threading

import numpy as np
import pytest

from alegear.errors import AnalysisFailure
from alegear.parallel import in_parallel, one_by_one
from alegear.reduction import dense


@pytest.fixture
def blocks():
    """Give a positive definite matrix and two others, each a part of a larger array."""
    random = np.random.default_rng(0)
    whole = np.asfortranarray(random.normal(size=(20, 30)))
    A, B, C = whole[2:9, 1:8], whole[2:9, 9:14], whole[10:15, 9:16]
    A[:] = A @ A.T + np.eye(7)
    return whole, A, B, C


def test_factor_and_solutions_are_those_of_numpy(blocks):
    whole, A, B, C = blocks
    untouched = whole.copy()
    a, b, c = A.copy(), B.copy(), C.copy()
    dense.factorise(A)
    # round-off of blocks of seven
    np.testing.assert_allclose(np.tril(A), np.linalg.cholesky(a), rtol=1e-12, atol=1e-13)
    dense.solve(A, B)
    np.testing.assert_allclose(B, np.linalg.solve(a, b), rtol=1e-11)
    dense.solve_from_right(C, A, transposed=True)
    dense.solve_from_right(C, A)
    np.testing.assert_allclose(C, np.linalg.solve(a, c.T).T, rtol=1e-11)
    changed = np.zeros(whole.shape, dtype=bool)
    changed[2:9, 1:8] = np.tri(7, dtype=bool)
    changed[2:9, 9:14] = changed[10:15, 9:16] = True
    assert np.array_equal(whole[~changed], untouched[~changed])


def test_square_is_taken_from_the_lower_triangle(blocks):
    _, A, B, _ = blocks
    a, b = A.copy(), B.copy()
    dense.subtract_square(A, B)
    np.testing.assert_allclose(np.tril(A), np.tril(a - b @ b.T), atol=1e-14)
    assert np.array_equal(np.triu(A, 1), np.triu(a, 1))
    np.testing.assert_array_equal(dense.mirror_lower(A), np.tril(A) + np.tril(A, -1).T)


def test_empty_blocks_are_no_blocks():
    empty, some = np.zeros((0, 0), order="F"), np.ones((3, 0), order="F")
    dense.factorise(empty)
    dense.solve_from_right(some, empty)
    dense.subtract_square(empty, np.zeros((0, 4), order="F"))
    C = np.ones((3, 3), order="F")
    dense.subtract_square(C, some)
    assert np.array_equal(C, np.ones((3, 3)))


def test_what_is_not_positive_definite_or_in_another_order_is_refused():
    with pytest.raises(AnalysisFailure, match="positive definite"):
        dense.factorise(np.array([[1.0, 2.0], [2.0, 1.0]], order="F"))
    with pytest.raises(ValueError, match="Fortran"):
        dense.factorise(np.ones((3, 3)))


def test_tasks_run_together_and_their_results_keep_the_order(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    together = threading.Barrier(2, timeout=30.0)

    def task(number):
        together.wait()  # passes only if both are under way
        # no threads within threads
        assert in_parallel([threading.get_ident] * 2) == [threading.get_ident()] * 2
        return number

    assert in_parallel([lambda: task(0), lambda: task(1)]) == [0, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert in_parallel([threading.get_ident] * 2) == [threading.get_ident()] * 2


def test_a_function_beside_others_runs_its_tasks_in_its_own_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    here = threading.get_ident()

    @one_by_one
    def beside():
        return in_parallel([threading.get_ident] * 2)

    assert beside() == [here, here]
    together = threading.Barrier(2, timeout=30.0)
    assert sorted(in_parallel([together.wait] * 2)) == [0, 1]  # what comes after it has threads again


def test_a_failure_of_a_task_is_raised():
    def fail():
        raise AnalysisFailure("not this one")

    with pytest.raises(AnalysisFailure, match="not this one"):
        in_parallel([int, fail])


def test_gram_matrix_is_taken_from_the_lower_triangle(blocks):
    _, _, B, _ = blocks
    square = np.asfortranarray(np.eye(5))
    b = B.copy()
    dense.subtract_gram(square, B)
    np.testing.assert_allclose(np.tril(square), np.tril(np.eye(5) - b.T @ b), atol=1e-12)
    assert not np.triu(square, 1).any()


def test_inverse_from_its_factor(blocks):
    _, A, _, _ = blocks
    a = A.copy()
    dense.factorise(A)
    dense.invert(A)
    np.testing.assert_allclose(np.tril(A), np.tril(np.linalg.inv(a)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "signature",
    [
        "void (char *, int *, float *, int *, int *)",
        "void (char *, int64_t *, __pyx_t_5scipy_6linalg_13cython_lapack_d *, int *, int *)",
        "void (char *, int *, __pyx_t_5scipy_6linalg_13cython_lapack_s *, int *, int *)",
        "void (char *, int *, __pyx_t_5scipy_6linalg_13cython_lapack_d *, int *)",
        "int (char *, int *, __pyx_t_5scipy_6linalg_13cython_lapack_d *, int *, int *)",
    ],
)
def test_routines_with_other_arguments_are_refused(signature):
    right = "void (char *, int *, __pyx_t_5scipy_6linalg_13cython_lapack_d *, int *, int *)"
    dense._check_signature("dpotrf", right, 5)
    with pytest.raises(ImportError, match="LP64"):
        dense._check_signature("dpotrf", signature, 5)
