"""Friction of all switches together, where it is known which of them are stuck and where the others slide to."""

from __future__ import annotations

import numpy as np

from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.elimination_kernels import factorise, substitute

SAME_LINE = 1e-12  # of the larger bound, and of the terms of the load: two lines that differ less meet
ROUNDS = 64  # of choosing lines: each takes the larger one, which ends for losses smaller than what is transmitted
SOLVED, LINES_CHANGE, SINGULAR = 0, 1, 2
# rows of what is kept of the equations: what they were made for, which of them say nothing, how they were exchanged,
# by which power of two they were divided
DIRECTION, LINE, NUMBER, EMPTY, PIVOT, SIZE, POWER = 0, 1, 2, 3, 4, 5, 6
N_KEPT = 7


@lean_kernel
def bound(lines, switch, side, line, mu):
    """Value of a line under the load mu."""
    return lines[switch, side, line, 0] + lines[switch, side, line, 1] * mu


@lean_kernel
def equations(D, E, follows, direction, slopes, U, V, A, number, empty):
    """Write the matrix of the unknown forces, and which of the switches have one (else -1); returns their number.

    Where all that is held is prescribed nothing acts: such an equation says x = 0.
    """
    k, combined = len(direction), V.shape[1]
    size = combined
    for i in range(k):
        number[i] = -1
        if (direction[i] == 0 and combined == 0) or (direction[i] != 0 and slopes[i] != 0.0):
            number[i], size = size, size + 1
    for a in range(size):
        for b in range(size):
            A[a, b] = 0.0
    for i in range(k):
        row = number[i]
        if direction[i] == 0 and combined == 0:
            for j in range(k):
                if number[j] >= 0:
                    A[row, number[j]] = D[i, j]
        elif direction[i] == 0:
            for a in range(combined):
                if U[i, a] != 0.0:
                    for j in range(k):
                        if number[j] >= 0:
                            A[a, number[j]] += U[i, a] * D[i, j]
                        elif direction[j] == 0:
                            for b in range(combined):
                                A[a, b] += U[i, a] * D[i, j] * V[j, b]
        elif row >= 0:
            g = follows[i]
            for j in range(k):
                if number[j] >= 0:
                    A[row, number[j]] += slopes[i] * E[g, j]
                elif direction[j] == 0:
                    for b in range(combined):
                        A[row, b] += slopes[i] * E[g, j] * V[j, b]
            A[row, row] += 1.0
    for a in range(combined):
        empty[a] = 1 if not np.any(A[a, :size]) else 0
        if empty[a]:
            A[a, a] = 1.0
    return size


@lean_kernel
def divide_rows(A, power):
    """Divide each equation by a power of two near its largest entry: some are of accelerations, others of forces."""
    for a in range(len(A)):
        largest = 0.0
        for b in range(len(A)):
            largest = max(largest, abs(A[a, b]))
        power[a] = np.int64(np.floor(np.log2(largest))) if largest > 0.0 else 0
        for b in range(len(A)):
            A[a, b] *= 2.0 ** -power[a]


@kernel
def sliding_and_stuck(
    # model
    D, E, follows,
    # in
    free, mu_0, lines, direction, U, V,
    # out
    line, lam, mu,
    # work
    A, right, kept, slopes,
):  # fmt: skip
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
    A : shape (k, k), right : shape (k,), kept : shape (N_KEPT, k), slopes : shape (k,)
        Equations of the last call, factorised. From event to event they are the same as long as slopes are.
        ``kept[SIZE, 0]`` is -1 before the first call.

    Returns
    -------
    int
        SOLVED, LINES_CHANGE or SINGULAR.
    """
    k, m, combined = len(free), len(mu_0), V.shape[1]
    if k == 0:  # nothing is kept: not even a size
        for g in range(m):
            mu[g] = mu_0[g]
        return SOLVED
    number, empty, pivots = kept[NUMBER], kept[EMPTY], kept[PIVOT]
    for _ in range(ROUNDS):
        same = kept[SIZE, 0] >= 0
        for i in range(k):
            slope = 0.0
            if direction[i] == 0:
                lam[i] = 0.0
            else:
                side = 0 if direction[i] > 0 else 1
                lam[i] = direction[i] * lines[i, side, line[i], 0]
                if follows[i] >= 0:
                    slope = direction[i] * lines[i, side, line[i], 1]
            if kept[DIRECTION, i] != direction[i] or kept[LINE, i] != line[i] or slopes[i] != slope:
                kept[DIRECTION, i], kept[LINE, i], slopes[i], same = direction[i], line[i], slope, False
        if not same:
            kept[SIZE, 0] = equations(D, E, follows, direction, slopes, U, V, A, number, empty)
            divide_rows(A[: kept[SIZE, 0], : kept[SIZE, 0]], kept[POWER])
            if kept[SIZE, 0] > 0 and not factorise(A[: kept[SIZE, 0], : kept[SIZE, 0]], pivots):
                kept[SIZE, 0] = -1
                return SINGULAR
        size = kept[SIZE, 0]
        # what is known on the right: number >= 0 is an unknown, the rest slides with a force that does not depend on mu
        for a in range(combined):
            right[a] = 0.0
        for i in range(k):
            row = number[i]
            if direction[i] == 0:
                rest = free[i]
                for j in range(k):
                    if number[j] < 0:
                        rest -= D[i, j] * lam[j]
                if combined == 0:
                    right[row] = rest
                else:
                    for a in range(combined):
                        right[a] += U[i, a] * rest
            elif row >= 0:
                g = follows[i]
                rest = mu_0[g]
                for j in range(k):
                    if number[j] < 0 and direction[j] != 0:
                        rest -= E[g, j] * lam[j]
                right[row] = lam[i] + slopes[i] * rest
        for a in range(combined):
            if empty[a]:
                right[a] = 0.0
        for a in range(size):
            right[a] *= 2.0 ** -kept[POWER, a]
        if size > 0:
            substitute(A[:size, :size], pivots, right)
        for i in range(k):
            if number[i] >= 0:
                lam[i] = right[number[i]]
            elif direction[i] == 0:
                for a in range(combined):
                    lam[i] += V[i, a] * right[a]
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
