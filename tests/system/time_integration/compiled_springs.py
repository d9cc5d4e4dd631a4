"""Masses, cubic springs and dampers in a row, prescribed by a row W x = c(t): in Python, and by the compiled step.

The kernel is an example of how one that knows its system puts the pieces together.
"""

from __future__ import annotations

import numba
import numpy as np

from alegear.kernels import decorators
from alegear.system.time_integration import ForceEvaluation, SecondOrderSystem
from alegear.system.time_integration.step_constants import constants_of, empty_attempt, state_arrays
from alegear.system.time_integration.step_control import step_memory
from alegear.system.time_integration.step_kernels import LENGTH, accept, towards_stop
from alegear.system.time_integration.vector_step_kernels import (
    CONVERGED,
    CORRECT,
    DQ,
    DV,
    EVALUATE,
    ITERATIONS,
    T,
    begin_newton,
    correct,
    go_on,
    guess,
    largest_error,
    place,
    predict,
    take,
)


class Springs(SecondOrderSystem):
    """n masses, each on a spring to the one before, the first to the ground; ``prescribed``: a row moves the first."""

    def __init__(self, n, *, cubic=50.0, prescribed=False, pull=1.0):
        self.n, self.cubic, self.pull, self.n_constraints = n, cubic, pull, int(prescribed)
        A = np.random.default_rng(3).normal(size=(n, n))
        self.M = A @ A.T + n * np.eye(n)
        self.D = np.eye(n) - np.eye(n, k=-1)
        self.W = np.eye(n)[: self.n_constraints]

    n_dof = property(lambda self: self.n)
    displacement_scale = property(lambda self: np.linspace(1.0, 0.5, self.n))
    force_scale = property(lambda self: np.linspace(1.0, 2.0, self.n))
    misfit_scale = property(lambda self: np.ones(self.n_constraints))

    def mass_matrix(self, q):
        return self.M

    def force(self, t, q, v):
        s = self.D @ q
        Q = -self.D.T @ (30.0 * s + self.cubic * s**3 + 0.2 * (self.D @ v)) + self.pull * np.sin(5.0 * t)
        tangent = -self.D.T @ np.diag(30.0 + 3.0 * self.cubic * s**2) @ self.D
        return ForceEvaluation(Q=Q, dQ_dq=tangent, dQ_dv=-0.2 * self.D.T @ self.D)

    def misfit(self, t, q):
        return self.W @ q - 0.1 * np.sin(3.0 * t) ** 2, self.W


def fill_residual(M, D, W, cubic, pull, t, attempt):
    n, dq = M.shape[0], attempt.numbers[DQ]
    for i in range(n):
        attempt.residual[i] = -pull * np.sin(5.0 * t)
        for j in range(n):
            attempt.residual[i] += M[i, j] * attempt.x[j]
    for k in range(n):  # springs
        s, rate = 0.0, 0.0
        for j in range(n):
            s += D[k, j] * attempt.q[j]
            rate += D[k, j] * attempt.v[j]
        force = 30.0 * s + cubic * s**3 + 0.2 * rate
        for i in range(n):
            attempt.residual[i] += D[k, i] * force
    for r in range(W.shape[0]):
        misfit = -0.1 * np.sin(3.0 * t) ** 2
        for i in range(n):
            attempt.residual[i] += W[r, i] * attempt.x[n + r]
            misfit += W[r, i] * attempt.q[i]
        attempt.residual[n + r] = misfit / dq


def fill_matrix(M, D, W, cubic, attempt):
    n, dq, dv = M.shape[0], attempt.numbers[DQ], attempt.numbers[DV]
    attempt.matrix[:] = 0.0
    for i in range(n):
        for j in range(n):
            attempt.matrix[i, j] = M[i, j]
    for k in range(n):
        s = 0.0
        for j in range(n):
            s += D[k, j] * attempt.q[j]
        stiffness = dq * (30.0 + 3.0 * cubic * s**2) + dv * 0.2
        for i in range(n):
            for j in range(n):
                attempt.matrix[i, j] += D[k, i] * stiffness * D[k, j]
    for r in range(W.shape[0]):
        for i in range(n):
            attempt.matrix[i, n + r] = attempt.matrix[n + r, i] = W[r, i]


def advance(M, D, W, cubic, pull, scheme, control, tolerated, stops, state, attempt, memory, rows):
    """Integrate to the last stop; returns accepted, rejected by Newton, by the error, corrections."""
    accepted, by_newton, by_error, corrections = 0, 0, 0, 0.0
    for stop in stops:
        while state.clock[T] < stop:
            remaining = stop - state.clock[T]
            h = towards_stop(remaining, memory[LENGTH])
            t_end = stop if h == remaining else state.clock[T] + h
            predict(scheme, state, attempt, h)
            for r in range(W.shape[0]):
                attempt.scale[M.shape[0] + r] = 1.0 / attempt.numbers[DQ]
            guess(state, attempt, h, False)
            begin_newton(scheme, attempt)
            verdict = EVALUATE
            while verdict == EVALUATE:
                place(attempt)
                fill_residual(M, D, W, cubic, pull, t_end, attempt)
                verdict = go_on(scheme, attempt, True)
                if verdict == CORRECT:
                    fill_matrix(M, D, W, cubic, attempt)
                    verdict = correct(attempt)
            converged = verdict == CONVERGED
            corrections += attempt.numbers[ITERATIONS]
            error = largest_error(scheme, attempt, tolerated, h)
            judged = accept(control, memory, h, converged, error, attempt.numbers[ITERATIONS], scheme.max_iterations)
            if judged < 0:
                return accepted, by_newton, by_error, corrections
            if judged == 0:
                by_newton, by_error = by_newton + (not converged), by_error + converged
                continue
            take(state, attempt, t_end, h)
            n = M.shape[0]
            rows[accepted, 0], rows[accepted, 1 : n + 1], rows[accepted, n + 1 :] = t_end, state.q, state.v
            accepted += 1
    return accepted, by_newton, by_error, corrections


OPTIONS = decorators.compiler_options()
fill_residual, fill_matrix, advance = (numba.njit(**OPTIONS)(f) for f in (fill_residual, fill_matrix, advance))


def compiled_motion(system, first, stops, scheme, control):
    """(t, q, v) of each step, and what `advance` counts."""
    scale = np.concatenate([system.force_scale, system.misfit_scale])
    state, attempt = state_arrays(first), empty_attempt(system.displacement_scale, scale)
    memory = step_memory(system, first, control)
    tolerated = control.tolerance * system.displacement_scale
    rows = np.zeros((20_000, 1 + 2 * system.n))
    counts = advance(
        system.M, system.D, system.W, system.cubic, system.pull, constants_of(scheme), control.limits, tolerated,
        np.array(stops), state, attempt, memory, rows,
    )  # fmt: skip
    return rows[: counts[0]], counts, state
