"""Dense Cholesky blocks in place, on parts of larger arrays, without Python's lock.

SciPy's wrappers hold the lock while LAPACK works and copy an array that is a part of another one; here the same
routines, those that SciPy offers to compiled code, are called through `ctypes`, which does neither. So two reductions,
or the independent parts of one, run on two processors at once.

All matrices are in Fortran order (columns contiguous); of symmetric ones only the lower triangle is read and written.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
from scipy.linalg import cython_blas, cython_lapack

from alegear.arrays import Array
from alegear.errors import AnalysisFailure

#: Rows that are turned into columns together: so many cache lines are at hand.
_BLOCK = 128


def _routine(module: Any, name: str, n_arguments: int) -> Any:
    """Make a Fortran routine of SciPy callable; all its arguments are addresses."""
    capsule = module.__pyx_capi__[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    signature = api.PyCapsule_GetName(capsule)
    _check_signature(name, signature.decode(), n_arguments)
    address = api.PyCapsule_GetPointer(capsule, signature)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(address)


def _check_signature(name: str, signature: str, n_arguments: int) -> None:
    """Refuse a SciPy whose routine takes other arguments than those that are passed here.

    A capsule is named by its C signature: ``void (char *, int *, __pyx_t_..._d *, ...)``, with `d` for float64.
    Integers of 64 bits would be read beyond the end of ours.

    Raises
    ------
    ImportError
    """
    result, _, inside = signature.partition("(")
    arguments = [argument.strip() for argument in inside.rstrip(") ").split(",")]
    known = all(re.fullmatch(r"(char|int|double|\w+_d) \*", argument) for argument in arguments)
    if result.strip() != "void" or len(arguments) != n_arguments or not known:
        raise ImportError(
            f"SciPy's {name} is {signature}, not a routine of {n_arguments} addresses of characters, 32-bit integers "
            "and float64: install a SciPy built with LP64 BLAS, as those of PyPI and conda-forge are"
        )


_dsyrk = _routine(cython_blas, "dsyrk", 10)
_dtrsm = _routine(cython_blas, "dtrsm", 11)
_dpotrf = _routine(cython_lapack, "dpotrf", 5)
_dpotri = _routine(cython_lapack, "dpotri", 5)

_LOWER, _NO, _TRANSPOSED, _LEFT, _RIGHT = (ctypes.c_char(letter) for letter in (b"L", b"N", b"T", b"L", b"R"))
_ONE, _MINUS_ONE = ctypes.c_double(1.0), ctypes.c_double(-1.0)


def _matrix(A: Array) -> tuple[int, ctypes.c_int]:
    """Address and distance of the columns of a matrix in Fortran order, or of a part of one."""
    rows, cols = A.shape
    if A.dtype != np.float64 or (rows > 1 and A.strides[0] != 8) or (cols > 1 and A.strides[1] < 8 * rows):
        raise ValueError("a matrix of float64 in Fortran order is needed")
    return A.ctypes.data, ctypes.c_int(max(A.strides[1] // 8 if cols > 1 else rows, 1))


def _call(routine: Any, *arguments: Any) -> None:
    routine(*(ctypes.addressof(a) if isinstance(a, ctypes._SimpleCData) else a for a in arguments))


def factorise(A: Array) -> None:
    r"""Overwrite a symmetric matrix with its Cholesky factor, :math:`A = L L^T`; the upper triangle is left as it is.

    Raises
    ------
    AnalysisFailure
        The matrix is not positive definite.
    """
    if not _overwritten(_dpotrf, A):
        raise AnalysisFailure(
            "the stiffness of the grid is not positive definite: hold it at the bore set, and check the elements for "
            "negative Jacobians"
        )


def solve_from_left(L: Array, B: Array, *, transposed: bool = False) -> None:
    r"""Overwrite B with :math:`L^{-1} B`, or :math:`L^{-T} B`."""
    _solve(_LEFT, L, B, transposed)


def solve_from_right(B: Array, L: Array, *, transposed: bool = False) -> None:
    r"""Overwrite B with :math:`B L^{-1}`, or :math:`B L^{-T}`."""
    _solve(_RIGHT, L, B, transposed)


def _solve(side: ctypes.c_char, L: Array, B: Array, transposed: bool) -> None:
    if B.size == 0 or L.size == 0:
        return
    (l_data, l_lead), (b_data, b_lead) = _matrix(L), _matrix(B)
    rows, cols = (ctypes.c_int(n) for n in B.shape)
    trans = _TRANSPOSED if transposed else _NO
    _call(_dtrsm, side, _LOWER, trans, _NO, rows, cols, _ONE, l_data, l_lead, b_data, b_lead)


def solve(L: Array, B: Array) -> None:
    r"""Overwrite B with :math:`A^{-1} B`, where L is the Cholesky factor of A."""
    solve_from_left(L, B)
    solve_from_left(L, B, transposed=True)


def subtract_square(C: Array, A: Array) -> None:
    r"""Overwrite C with :math:`C - A A^T`."""
    _subtract(C, A, A.shape, _NO)


def subtract_gram(C: Array, A: Array) -> None:
    r"""Overwrite C with :math:`C - A^T A`."""
    _subtract(C, A, A.shape[::-1], _TRANSPOSED)


def _subtract(C: Array, A: Array, shape: tuple[int, ...], trans: ctypes.c_char) -> None:
    if C.size == 0 or A.size == 0:
        return
    (a_data, a_lead), (c_data, c_lead) = _matrix(A), _matrix(C)
    n, k = (ctypes.c_int(size) for size in shape)
    _call(_dsyrk, _LOWER, trans, n, k, _MINUS_ONE, a_data, a_lead, _ONE, c_data, c_lead)


def invert(L: Array) -> None:
    r"""Overwrite the Cholesky factor of A with :math:`A^{-1}`, two thirds of the work of a solution for all columns."""
    if not _overwritten(_dpotri, L):
        raise AnalysisFailure("the stiffness of the grid is singular: hold it at the bore set")


def _overwritten(routine: Any, A: Array) -> bool:
    """Overwrite the lower triangle of a matrix by a routine of LAPACK; whether it could."""
    if A.size == 0:
        return True
    data, lead = _matrix(A)
    info = ctypes.c_int(0)
    _call(routine, _LOWER, ctypes.c_int(len(A)), data, lead, info)
    return info.value == 0


def mirror_lower(A: Array) -> Array:
    """Overwrite the upper triangle of a square matrix with the lower one, block by block; returns the matrix."""
    n = len(A)
    for first in range(0, n, _BLOCK):
        last = min(first + _BLOCK, n)
        A[first:last, last:] = A[last:, first:last].T
        lower = np.tril(A[first:last, first:last])
        A[first:last, first:last] = lower + np.tril(lower, -1).T
    return A
