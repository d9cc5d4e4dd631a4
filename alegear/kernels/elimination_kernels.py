"""Dense linear equations of a few to some hundred unknowns, eliminated in place, without a buffer of their own.

For the loads of the contact and for the steps of a motion: so small that LAPACK's calls would take longer.
"""

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import lean_kernel

PANEL = 16  # columns of a matrix that are eliminated together
FEW = 48  # unknowns whose matrix stays in the fastest memory
ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)
NONE = np.int64(0)  # for numbers as they are written kernels would be compiled once more each


@lean_kernel
def subtract_row(a, b, factor, first, end):
    """a -= factor b from position first to end, four by four."""
    j, stop = np.uintp(first), np.uintp(end)
    while j + FOUR <= stop:
        # all are read before the first is written, for the compiler does not know that a and b lie apart
        a_0, a_1, a_2, a_3 = a[j], a[j + ONE], a[j + TWO], a[j + THREE]
        b_0, b_1, b_2, b_3 = b[j], b[j + ONE], b[j + TWO], b[j + THREE]
        a[j], a[j + ONE] = a_0 - factor * b_0, a_1 - factor * b_1
        a[j + TWO], a[j + THREE] = a_2 - factor * b_2, a_3 - factor * b_3
        j += FOUR
    while j < stop:
        a[j] -= factor * b[j]
        j += ONE


@lean_kernel
def subtract_rows(B, factors, row, low, high, first, end):
    """Subtract rows low ... high - 1 of B, each by its factor, one after the other, from another row.

    Four rows are taken at a time, so that what they are subtracted from is read and written once for them. Four that
    have no part in it are left out.
    """
    a = B[row]
    while low + 4 <= high:
        f_0, f_1, f_2, f_3 = factors[low], factors[low + 1], factors[low + 2], factors[low + 3]
        if f_0 == 0.0 and f_1 == 0.0 and f_2 == 0.0 and f_3 == 0.0:
            low += 4
            continue
        b_0, b_1, b_2, b_3 = B[low], B[low + 1], B[low + 2], B[low + 3]
        j, stop = np.uintp(first), np.uintp(end)
        while j + FOUR <= stop:
            one, two, three = j + ONE, j + TWO, j + THREE
            p, q, r, s = a[j], a[one], a[two], a[three]
            p, q, r, s = p - f_0 * b_0[j], q - f_0 * b_0[one], r - f_0 * b_0[two], s - f_0 * b_0[three]
            p, q, r, s = p - f_1 * b_1[j], q - f_1 * b_1[one], r - f_1 * b_1[two], s - f_1 * b_1[three]
            p, q, r, s = p - f_2 * b_2[j], q - f_2 * b_2[one], r - f_2 * b_2[two], s - f_2 * b_2[three]
            p, q, r, s = p - f_3 * b_3[j], q - f_3 * b_3[one], r - f_3 * b_3[two], s - f_3 * b_3[three]
            a[j], a[one], a[two], a[three] = p, q, r, s
            j += FOUR
        while j < stop:
            a[j] = a[j] - f_0 * b_0[j] - f_1 * b_1[j] - f_2 * b_2[j] - f_3 * b_3[j]
            j += ONE
        low += 4
    while low < high:
        subtract_row(a, B[low], factors[low], first, end)
        low += 1


@lean_kernel
def bring_up_pivot(A, k, first, n):
    """Exchange columns first ... n - 1 of row k and of that with the largest element below it in column k.

    Returns which row that was.
    """
    pivot = k
    for i in range(k + 1, n):
        if abs(A[i, k]) > abs(A[pivot, k]):
            pivot = i
    if pivot != k:
        for j in range(first, n):
            A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
    return pivot


@lean_kernel
def last_used(A, low, high, first, n):
    """Column behind the last one from ``first`` to n - 1 in which rows low ... high - 1 are not zero."""
    last = first
    for k in range(low, high):
        row, end = A[k], n
        while end > last and row[end - 1] == 0.0:
            end -= 1
        last = end
    return last


@lean_kernel
def solve_in_place(A, x, n, m):
    """Solve A x = x for m right-hand sides by elimination with row exchange; A (n, n), x (n, m) are overwritten.

    They are the first rows and columns of larger buffers; a dozen unknowns as a rule.
    Of many unknowns columns are eliminated PANEL at a time, the rest of each row after them in one go: the matrix is
    too large to be gone through for each.
    """
    panel = PANEL if n > FEW else FEW
    for start in range(0, n, panel):
        end = min(start + panel, n)
        for k in range(start, end):
            pivot = bring_up_pivot(A, k, start, n)
            if pivot != k:
                for j in range(m):
                    x[k, j], x[pivot, j] = x[pivot, j], x[k, j]
            for i in range(k + 1, n):
                A[i, k] /= A[k, k]
                subtract_row(A[i], A[k], A[i, k], k + 1, end)
        for i in range(start + 1, n):
            if end < n:
                subtract_rows(A, A[i], i, start, min(i, end), end, n)
            subtract_rows(x, A[i], i, start, min(i, end), NONE, m)
    for k in range(n - 1, -1, -1):
        for j in range(m):
            total = x[k, j]
            for i in range(k + 1, n):
                total -= A[k, i] * x[i, j]
            x[k, j] = total / A[k, k]


@lean_kernel
def factorise(A, pivots):
    """Replace A (n, n) by its factors L and U, with row exchange; whether A is regular.

    Of many unknowns columns are eliminated PANEL at a time, the rest of each row after them in one go: the matrix is
    too large to be gone through for each. Parts of a machine meet in few places: rows that have nothing in a column
    are left out, and columns behind the last one that a row, or a panel, has.
    """
    n = A.shape[0]
    panel = PANEL if n > FEW else FEW
    for start in range(0, n, panel):
        end = min(start + panel, n)
        for k in range(start, end):
            pivots[k] = bring_up_pivot(A, k, NONE, n)
            if A[k, k] == 0.0:
                return False
            last = last_used(A, k, k + 1, k + 1, end)
            for i in range(k + 1, n):
                if A[i, k] != 0.0:
                    A[i, k] /= A[k, k]
                    subtract_row(A[i], A[k], A[i, k], k + 1, last)
        if end < n:
            last = last_used(A, start, end, end, n)
            for i in range(start + 1, n):
                subtract_rows(A, A[i], i, start, min(i, end), end, last)
    return True


@lean_kernel
def product(a, x, first, end):
    """Sum of a x from position first to end, in four sums, of which none waits for another."""
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    j, stop = np.uintp(first), np.uintp(end)
    while j + FOUR <= stop:
        p, q = p + a[j] * x[j], q + a[j + ONE] * x[j + ONE]
        r, s = r + a[j + TWO] * x[j + TWO], s + a[j + THREE] * x[j + THREE]
        j += FOUR
    while j < stop:
        p += a[j] * x[j]
        j += ONE
    return (p + q) + (r + s)


@lean_kernel
def substitute(A, pivots, x):
    """Solve L U x = x with the factors of `factorise`; x (n,) is overwritten."""
    n = A.shape[0]
    for k in range(n - 1):
        x[k], x[pivots[k]] = x[pivots[k]], x[k]
    for k in range(1, n):
        x[k] -= product(A[k], x, 0, k)
    for k in range(n - 1, -1, -1):
        x[k] = (x[k] - product(A[k], x, k + 1, n)) / A[k, k]
