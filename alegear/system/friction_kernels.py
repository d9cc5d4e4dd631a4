"""Friction of all switches together, where it is known which of them are stuck and where the others slide to."""

from __future__ import annotations

import numpy as np

from alegear.elimination_kernels import solve_in_place
from alegear.kernel_cache import kernel, lean_kernel

SAME_LINE = 1e-12  # of the larger bound, and of the terms of the load: two lines that differ less meet
ROUNDS = 64  # of choosing lines: each takes the larger one, which ends for losses smaller than what is transmitted
SOLVED, LINES_CHANGE = 0, 1


@lean_kernel
def bound(lines, switch, side, line, mu):
    """Value of a line under the load mu."""
    return lines[switch, side, line, 0] + lines[switch, side, line, 1] * mu


@kernel
def sliding_and_stuck(
    # model
    D,
    E,
    follows,
    # in
    free,
    mu_0,
    lines,
    direction,
    U,
    V,
    # out
    line,
    lam,
    mu,
    # work
    A,
    right,
    number,
):
    """Solve for the friction forces.

    Of a stuck switch the relative rate stays, of a sliding one the force is on the larger of its lines:

        (D lam)_s = free_s,   lam_s = +-(c + b mu),   mu = mu_0 - E lam

    Parameters
    ----------
    D : shape (k, k), E : shape (m, k)
        What forces take off the accelerations of the rates, and off the multipliers.
    follows : shape (k,)
        Constraint that loads a switch; -1: none.
    free : shape (k,), mu_0 : shape (m,)
        Accelerations of the rates and multipliers without friction.
    lines : shape (k, 2, 2, 2)
    direction : shape (k,)
        1 ahead, -1 back, 0 stuck.
    U, V : shape (k, r)
        Combinations of the equations and of the forces of stuck switches where these hold each other; else (k, 0).
    line : shape (k,)
        Line on which each one slides; the guess, and the answer.
    lam : shape (k,), mu : shape (m,)
    A : shape (>= k, >= k), right : shape (>= k, 1), number : shape (k,)

    Returns
    -------
    int
        SOLVED or LINES_CHANGE.
    """
    k, m, combined = len(free), len(mu_0), V.shape[1]
    for _ in range(ROUNDS):
        size = combined
        for i in range(k):
            number[i] = -1
            if direction[i] == 0:
                lam[i] = 0.0
                if combined == 0:
                    number[i], size = size, size + 1
                continue
            side = 0 if direction[i] > 0 else 1
            lam[i] = direction[i] * lines[i, side, line[i], 0]
            if follows[i] >= 0 and lines[i, side, line[i], 1] != 0.0:
                number[i], size = size, size + 1
        # what is known on the right: number >= 0 is an unknown, the rest slides with a force that does not depend on mu
        for a in range(size):
            right[a, 0] = 0.0
            for b in range(size):
                A[a, b] = 0.0
        for i in range(k):
            row = number[i]
            if direction[i] == 0:
                rest = free[i]
                for j in range(k):
                    if number[j] < 0:
                        rest -= D[i, j] * lam[j]
                if combined == 0:
                    right[row, 0] = rest
                    for j in range(k):
                        if number[j] >= 0:
                            A[row, number[j]] = D[i, j]
                else:
                    for a in range(combined):
                        if U[i, a] != 0.0:
                            right[a, 0] += U[i, a] * rest
                            for j in range(k):
                                if number[j] >= 0:
                                    A[a, number[j]] += U[i, a] * D[i, j]
                                elif direction[j] == 0:
                                    for b in range(combined):
                                        A[a, b] += U[i, a] * D[i, j] * V[j, b]
            elif row >= 0:
                side = 0 if direction[i] > 0 else 1
                slope = direction[i] * lines[i, side, line[i], 1]
                g = follows[i]
                rest = mu_0[g]
                for j in range(k):
                    if number[j] >= 0:
                        A[row, number[j]] += slope * E[g, j]
                    elif direction[j] == 0:
                        for b in range(combined):
                            A[row, b] += slope * E[g, j] * V[j, b]
                    else:
                        rest -= E[g, j] * lam[j]
                A[row, row] += 1.0
                right[row, 0] = lam[i] + slope * rest
        for a in range(combined):  # where all that is held is led nothing acts
            if not np.any(A[a, :size]):
                A[a, a], right[a, 0] = 1.0, 0.0
        if size > 0:
            solve_in_place(A, right, size, 1)
        for i in range(k):
            if number[i] >= 0:
                lam[i] = right[number[i], 0]
            elif direction[i] == 0:
                for a in range(combined):
                    lam[i] += V[i, a] * right[a, 0]
        for g in range(m):
            mu[g] = mu_0[g]
            for j in range(k):
                mu[g] -= E[g, j] * lam[j]
        changed = False
        for i in range(k):
            if direction[i] == 0:
                continue
            side = 0 if direction[i] > 0 else 1
            load, lost = 0.0, 0.0
            if follows[i] >= 0:
                load, lost = mu[follows[i]], abs(mu_0[follows[i]])
                for j in range(k):
                    lost += abs(E[follows[i], j] * lam[j])
                lost *= SAME_LINE * abs(lines[i, side, 0, 1] - lines[i, side, 1, 1])
            here, there = bound(lines, i, side, line[i], load), bound(lines, i, side, 1 - line[i], load)
            if there > here + SAME_LINE * (abs(here) + abs(there)) + lost:
                line[i] = 1 - line[i]
                changed = True
        if not changed:
            return SOLVED
    return LINES_CHANGE
