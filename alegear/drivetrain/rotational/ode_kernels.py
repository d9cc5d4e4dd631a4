"""A system whose parts only turn, evaluated in compiled code: the same mathematics as :mod:`alegear.system.ode`.

Constant matrices are rows with their non-zero entries. What parts have numbers lie one after the other in ``numbers``;
an element (``element_law_kernels.py``) or a law is told by its kind. What is unknown here is evaluated in Python
before, and comes in as ``outside``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.planar.planar_kernels import MU_0, friction_coefficient, periodic_factor
from alegear.drivetrain.rotational.element_law_kernels import (
    IN_PYTHON,
    cubics,
    element_law,
    flanks_of_mesh,
    law_corners,
)
from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.sparse_rows_kernels import SparseRows, add_row, row_times
from alegear.kernels.structs import kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import N_ENERGY
from alegear.system.friction_kernels import SOLVED, sliding_and_stuck

# kinds of signals: a value set from outside, cubics over time, a sine, an input that controllers set
GIVEN, CUBICS, SINE, INPUT = 0, 1, 2, 3
# kinds of friction laws
LAW_IN_PYTHON, OVER_SPEED, LOSSES, MESH_FRICTION = 0, 1, 2, 3
# of arrays, by their number of dimensions
Array: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Lines: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
FIRST_RATE = 1e-300  # [m/s] of a mesh that begins to slide: its coefficient of friction may depend on the sense
LED = 10.0  # as in alegear.system.ode


@kernel_struct
class OdeModel(NamedTuple):
    """What is constant.

    ``B``, ``kB``, ``dB``: deformations of linear parts, and their stresses; ``force``: constant forces (n,);
    ``loads``: directions of loads, transposed; ``M``: mass; ``P``, ``R``, ``W``, ``PF``: of the mixed system;
    ``element_rows``, ``law_rows``: rows of elements and laws; ``*_first``: their first row; ``*_at``: where their
    numbers begin; ``corner_at``: where the corners of elements begin, -1 where there are none; ``prescribed_row`` (n,
    n_prescribed): what follows prescribed coordinates by the constraints alone.
    """

    n: int
    B: SparseRows
    kB: SparseRows
    dB: SparseRows
    force: Array
    signal_kind: Index
    signal_at: Index
    load_signal: Index
    load_direction: SparseRows
    prescribed_index: Index
    prescribed_signal: Index
    prescribed_start: Array
    prescribed_row: Matrix
    M: SparseRows
    P: SparseRows
    R: SparseRows
    W: SparseRows
    PF: SparseRows
    D: Matrix
    E: Matrix
    follows: Index
    peaks: Array
    slack: Matrix
    element_kind: Index
    element_at: Index
    element_first: Index
    element_signal: Index
    element_rows: SparseRows
    corner_at: Index
    law_kind: Index
    law_at: Index
    law_signal: Index
    law_first: Index
    law_rows: SparseRows
    numbers: Array


@kernel_struct
class OdeState(NamedTuple):
    """What changes at events: the coordinates that are left, and the modes.

    ``T`` by rows; ``by_prescribed`` (n, n_prescribed); ``x_e``, ``prescribed_e``: at the last event; ``rates`` (k, f)
    by rows; ``prescribed`` (k,): which stuck switches have a rate that is prescribed; ``still`` (k,): which others are
    held by those that are stuck.
    """

    f: int
    T: SparseRows
    by_prescribed: Matrix
    x_e: Array
    prescribed_e: Array
    independent: Index
    rates: SparseRows
    direction: Index
    line: Index
    prescribed: Flags
    still: Flags
    U: Matrix
    V: Matrix


@kernel_struct
class OdeOutside(NamedTuple):
    """What comes from Python: values of signals, forces (n,), lines of laws (k, 2, 2, 2), and points of inputs.

    ``input_*``: as of :class:`alegear.system.inputs.Inputs`.
    """

    signals: Array
    force: Array
    lines: Lines
    input_times: Matrix
    input_values: Matrix
    input_count: Index


@kernel_struct
class OdeNow(NamedTuple):
    """Everything at one time, and room to work."""

    x: Array
    v: Array
    a: Array
    Q: Array
    r: Array
    lines: Lines
    free: Array
    mu_0: Array
    lam: Array
    mu: Array
    prescribed: Array
    prescribed_rate: Array
    prescribed_acceleration: Array
    strain: Array
    loads: Array
    element_force: Matrix
    energies: Matrix
    y: Array
    rate: Array
    by_y: Matrix
    by_rate: Matrix
    A: Matrix
    right: Array
    kept: Indices
    slopes: Array


@kernel_struct
class OdeSystem(NamedTuple):
    """All of it: what the entries from Python get the handle of."""

    model: OdeModel
    state: OdeState
    outside: OdeOutside
    now: OdeNow


#: Arrays by their annotation: of float64 or int64 or truth values, with so many dimensions.
_ARRAYS = {
    "Array": (np.float64, 1), "Matrix": (np.float64, 2), "Lines": (np.float64, 4), "Index": (np.int64, 1),
    "Indices": (np.int64, 2), "Flags": (np.bool_, 1),
}  # fmt: skip
_STRUCTS = {one.__name__: one for one in (SparseRows, OdeModel, OdeState, OdeOutside, OdeNow, OdeSystem)}


def _empty(struct):
    """One with arrays of no entries, of the types that all have."""
    members: list[Any] = []
    for annotated in struct.__annotations__.values():
        kind = getattr(annotated, "__forward_arg__", annotated)
        if kind in _ARRAYS:
            dtype, dimensions = _ARRAYS[kind]
            members.append(np.zeros((0,) * dimensions, dtype=dtype))
        else:
            members.append(_empty(_STRUCTS[kind]) if kind in _STRUCTS else 0)
    return struct(*members)


SYSTEM = kind_of(_empty(OdeSystem))


# -------------------------------------------------------------------------------------------------------- pieces
@lean_kernel
def input_value(outside, i, t):
    """Value of an input: straight lines between its points, constant beyond."""
    times, values = outside.input_times[i], outside.input_values[i]
    last = outside.input_count[i] - 1
    j = last
    while j > 0 and times[j] > t:
        j -= 1
    if j == last or times[j] > t:
        return values[j]
    return values[j] + (values[j + 1] - values[j]) / (times[j + 1] - times[j]) * (t - times[j])


@lean_kernel
def signal(model, i, t, outside):
    """Value, rate and integral of a signal."""
    kind, at = model.signal_kind[i], model.signal_at[i]
    if kind == CUBICS:
        return cubics(model.numbers, at, t)
    if kind == SINE:
        mean, amplitude, frequency, phase = (
            model.numbers[at], model.numbers[at + 1], model.numbers[at + 2], model.numbers[at + 3],
        )  # fmt: skip
        return mean + amplitude * np.sin(2.0 * np.pi * frequency * t + phase), 0.0, 0.0
    if kind == INPUT:
        return input_value(outside, at, t), 0.0, 0.0
    return outside.signals[i], 0.0, 0.0


@lean_kernel
def interpolated(numbers, at, m, columns, column, x):
    """Straight lines through a table of m rows, the first column rising; constant beyond."""
    if m == 1 or x <= numbers[at]:
        return numbers[at + column]
    last = at + (m - 1) * columns
    if x >= numbers[last]:
        return numbers[last + column]
    i = at
    while numbers[i + columns] < x:
        i += columns
    part = (x - numbers[i]) / (numbers[i + columns] - numbers[i])
    return numbers[i + column] + part * (numbers[i + columns + column] - numbers[i + column])


# ---------------------------------------------------------------------------------------------------------- laws
@lean_kernel
def fill_lines(model, i, t, rate, stuck, x, v, outside, lines):
    """Write the lines of a friction law at a rate by magnitude, or those up to which it sticks."""
    kind, at, numbers = model.law_kind[i], model.law_at[i], model.numbers
    peak = model.peaks[i] if stuck else 1.0
    if kind == OVER_SPEED:
        m, factor = int(numbers[at]), 1.0
        if model.law_signal[i] >= 0:
            factor = max(signal(model, model.law_signal[i], t, outside)[0], 0.0)
        for side in range(2):
            bound = 0.0
            if factor > 0.0:
                bound = factor * interpolated(numbers, at + 1, m, 3, 1 + side, rate)
            for one in range(2):
                lines[i, side, one, 0], lines[i, side, one, 1] = peak * bound, 0.0
        return
    if kind == LOSSES:
        m = int(numbers[at])
        eta_1, eta_2 = interpolated(numbers, at + 1, m, 5, 1, rate), interpolated(numbers, at + 1, m, 5, 2, rate)
        tau_1, tau_2 = interpolated(numbers, at + 1, m, 5, 3, rate), interpolated(numbers, at + 1, m, 5, 4, rate)
        for side in range(2):
            sign = peak if side == 0 else -peak
            lines[i, side, 0, 0], lines[i, side, 0, 1] = peak * tau_1, sign * (1.0 - eta_1)
            lines[i, side, 1, 0], lines[i, side, 1, 1] = peak * tau_2, sign * (1.0 - 1.0 / eta_2)
        return
    # friction of a mesh: where its element begins, lengths of its law and factor, v_mesh and v_sliding over the
    # rate, law, factor
    row = model.law_first[i]
    element_at, n_law, n_factor = int(numbers[at]), int(numbers[at + 1]), int(numbers[at + 2])
    rolling, lever = numbers[at + 3], abs(numbers[at + 4])
    law = numbers[at + 5 : at + 5 + n_law]
    factor = numbers[at + 5 + n_law : at + 5 + n_law + n_factor]
    u, u_rate = row_times(model.law_rows, row, x), row_times(model.law_rows, row, v)
    x_mesh = row_times(model.law_rows, row + 1, x)
    ahead, back = flanks_of_mesh(numbers, element_at, u, u_rate, x_mesh)
    kappa, _ = periodic_factor(factor, x_mesh)
    for side in range(2):
        v_mesh = rolling * max(rate, FIRST_RATE) * (1.0 if side == 0 else -1.0)
        bound = 0.0
        for flank in range(2):
            N = ahead if flank == 0 else back
            if N > 0.0:
                F_n = N if flank == 0 else -N
                bound += (law[MU_0] if stuck else friction_coefficient(law, v_mesh, F_n)) * N
        for one in range(2):
            lines[i, side, one, 0], lines[i, side, one, 1] = kappa * lever * bound, 0.0


# ------------------------------------------------------------------------------------------------------ evaluate
@lean_kernel
def place(model, state, t, y, outside, now):
    """Coordinates, velocities and rates of switches; what is prescribed."""
    n, f = model.n, state.f
    for i in range(len(model.prescribed_index)):
        speed, acceleration, angle = signal(model, model.prescribed_signal[i], t, outside)
        now.prescribed[i], now.prescribed_rate[i] = model.prescribed_start[i] + angle, speed
        now.prescribed_acceleration[i] = acceleration
    s, u = y[:f], y[f:]
    for i in range(n):
        now.x[i] = state.x_e[i] + row_times(state.T, i, s)
        now.v[i] = row_times(state.T, i, u)
        for j in range(len(model.prescribed_index)):
            now.x[i] += state.by_prescribed[i, j] * (now.prescribed[j] - state.prescribed_e[j])
            now.v[i] += state.by_prescribed[i, j] * now.prescribed_rate[j]
    for i in range(len(state.direction)):
        now.r[i] = 0.0
        if (state.direction[i] != 0 and not state.still[i]) or state.prescribed[i]:
            if len(model.prescribed_index) > 0:
                now.r[i] = row_times(model.W, i, now.v)
            else:
                now.r[i] = row_times(state.rates, i, u)


@lean_kernel
def place_element(model, i, x, v, now):
    """What an element acts on, and its rate."""
    first = model.element_first[i]
    for j in range(model.element_first[i + 1] - first):
        now.y[j], now.rate[j] = row_times(model.element_rows, first + j, x), row_times(model.element_rows, first + j, v)


@lean_kernel
def evaluate(model, state, outside, t, y, now):
    """Everything at one time; returns SOLVED or why not."""
    n, k = model.n, len(state.direction)
    place(model, state, t, y, outside, now)
    x, v, Q = now.x, now.v, now.Q
    for i in range(n):
        Q[i] = model.force[i] + outside.force[i]
    for i in range(len(now.strain)):
        now.strain[i] = row_times(model.kB, i, x) + row_times(model.dB, i, v)
    for i in range(len(now.strain)):
        add_row(model.B, i, -now.strain[i], Q)
    for i in range(len(model.load_signal)):
        now.loads[i] = signal(model, model.load_signal[i], t, outside)[0]
        add_row(model.load_direction, i, now.loads[i], Q)
    for i in range(len(model.element_kind)):
        if model.element_kind[i] != IN_PYTHON:
            place_element(model, i, x, v, now)
            given = t
            if model.element_signal[i] >= 0:
                given = signal(model, model.element_signal[i], t, outside)[0]
            element_law(
                model.element_kind[i], model.numbers, model.element_at[i], given, now.y, now.rate,
                now.element_force[i], now.by_y, now.by_rate, now.energies[i],
            )  # fmt: skip
            first = model.element_first[i]
            for j in range(model.element_first[i + 1] - first):
                add_row(model.element_rows, first + j, now.element_force[i, j], Q)
    for i in range(k):
        if model.law_kind[i] == LAW_IN_PYTHON:
            for side in range(2):
                for one in range(2):
                    now.lines[i, side, one, 0] = outside.lines[i, side, one, 0]
                    now.lines[i, side, one, 1] = outside.lines[i, side, one, 1]
        else:
            stuck = state.direction[i] == 0
            # beyond the event at rate 0 as at rest: a step over a narrow peak there is to differ from what it expects
            fill_lines(model, i, t, max(state.direction[i] * now.r[i], 0.0), stuck, x, v, outside, now.lines)
    # Q less what the prescribed accelerations take, on the motion that is left
    if len(model.prescribed_index) > 0:
        for i in range(n):
            now.a[i] = 0.0
            for j in range(len(model.prescribed_index)):
                now.a[i] += model.prescribed_row[i, j] * now.prescribed_acceleration[j]
        for i in range(n):
            Q[i] -= row_times(model.M, i, now.a)
    else:
        for i in range(n):
            now.a[i] = 0.0
    for i in range(n):
        now.a[i] += row_times(model.P, i, Q)
    if k == 0:
        for g in range(len(now.mu)):
            now.mu[g] = row_times(model.R, g, Q)
        return SOLVED
    for i in range(k):
        now.free[i] = row_times(model.W, i, now.a)
    for g in range(len(now.mu_0)):
        now.mu_0[g] = row_times(model.R, g, Q)
    code = sliding_and_stuck(
        model.D, model.E, model.follows, now.free, now.mu_0, now.lines, state.direction, state.U, state.V,
        state.line, now.lam, now.mu, now.A, now.right, now.kept, now.slopes,
    )  # fmt: skip
    for i in range(k):
        add_row(model.PF, i, -now.lam[i], now.a)
    return code


@lean_kernel
def write_rates(system, t, y, rates):
    """Write velocities and accelerations of the independent coordinates; where all is held, that nothing moves."""
    model, state, outside, now = system.model, system.state, system.outside, system.now
    if state.f == 0:
        rates[0] = 0.0
        return SOLVED
    code = evaluate(model, state, outside, t, y, now)
    for i in range(state.f):
        rates[i] = y[state.f + i]
        rates[state.f + i] = now.a[state.independent[i]]
    return code


@kernel
def right_side(handle, t, y, rates):
    """Write the right-hand side at one time."""
    return write_rates(struct_at(handle, SYSTEM), t, y, rates)


@kernel
def right_sides(handle, t, y, rates):
    """Write the right-hand side at times (m,) and states (m, size); returns the worst code."""
    system, worst = struct_at(handle, SYSTEM), SOLVED
    for p in range(len(t)):
        worst = max(worst, write_rates(system, t[p], y[p], rates[p]))
    return worst


@kernel
def tangent(handle, t, y, steps, moved, rates, matrix):
    """Write the derivatives of the right-hand side by y (2 f, 2 f), by central differences.

    Steps that do not shrink with y: those of CVODE itself do, and of a machine at rest leave nothing but round-off.
    """
    system = struct_at(handle, SYSTEM)
    model, state, outside, now = system.model, system.state, system.outside, system.now
    f, code = state.f, SOLVED
    for i in range(2 * f):
        moved[i] = y[i]
    matrix[:] = 0.0
    for i in range(f):
        matrix[i, f + i] = 1.0
    for j in range(2 * f):
        for side in range(2):
            moved[j] = y[j] + steps[j] if side == 0 else y[j] - steps[j]
            code = max(code, evaluate(model, state, outside, t, moved, now))
            for i in range(f):
                a = now.a[state.independent[i]]
                if side == 0:
                    rates[i] = a
                else:
                    matrix[f + i, j] = (rates[i] - a) / (2.0 * steps[j])
        moved[j] = y[j]
    return code


@lean_kernel
def limit_of(lines, i, side, load):
    """The larger line."""
    return max(lines[i, side, 0, 0] + lines[i, side, 0, 1] * load, lines[i, side, 1, 0] + lines[i, side, 1, 1] * load)


@kernel
def root_functions(handle, sides, t, y, values):
    """Write how far each switch is from leaving its mode, and each corner of an element from its other side."""
    system = struct_at(handle, SYSTEM)
    model, state, outside, now = system.model, system.state, system.outside, system.now
    code = evaluate(model, state, outside, t, y, now)
    for i in range(len(state.direction)):
        values[2 * i], values[2 * i + 1] = 1.0, 1.0
        if state.prescribed[i]:
            values[2 * i] = LED * model.slack[i, 0] - abs(now.r[i])
        elif state.direction[i] == 0:
            load = now.mu[model.follows[i]] if model.follows[i] >= 0 else 0.0
            for side in range(2):
                limit = limit_of(now.lines, i, side, load)
                if np.isfinite(limit):
                    values[2 * i + side] = (limit - now.lam[i] if side == 0 else limit + now.lam[i]) + model.slack[i, 1]
        elif not state.still[i]:
            for side in range(2):
                for one in range(2):
                    if now.lines[i, side, one, 0] != 0.0 or now.lines[i, side, one, 1] != 0.0:
                        values[2 * i] = state.direction[i] * now.r[i] + model.slack[i, 0]
    first = 2 * len(state.direction)
    for i in range(len(model.element_kind)):
        if model.corner_at[i] >= 0:
            place_element(model, i, now.x, now.v, now)
            law_corners(
                model.element_kind[i], model.numbers, model.element_at[i], now.y, now.rate,
                values[first + model.corner_at[i] :],
            )  # fmt: skip
    for i in range(len(sides)):
        values[first + i] *= sides[i]
    return code


@kernel
def at_times(handle, t, y, x, v, a, mu, lam, r, modes, loads, forces, energies):
    """Write all of the system at times (m,) and states (m, 2 f); returns the worst code."""
    system = struct_at(handle, SYSTEM)
    model, state, outside, now = system.model, system.state, system.outside, system.now
    worst = SOLVED
    for p in range(len(t)):
        code = evaluate(model, state, outside, t[p], y[p], now)
        worst = max(worst, code)
        for i in range(model.n):
            x[p, i], v[p, i], a[p, i] = now.x[i], now.v[i], now.a[i]
        for i in range(len(now.mu)):
            mu[p, i] = now.mu[i]
        for i in range(len(now.loads)):
            loads[p, i] = now.loads[i]
        for i in range(len(model.element_kind)):
            forces[p, i, 0], forces[p, i, 1] = now.element_force[i, 0], now.element_force[i, 1]
            for j in range(N_ENERGY):
                energies[p, i, j] = now.energies[i, j]
        for i in range(len(state.direction)):
            lam[p, i], r[p, i] = now.lam[i], now.r[i]
        for i in range(len(state.direction)):
            side = 0 if state.direction[i] > 0 else 1
            sliding_free = state.direction[i] != 0
            for one in range(2):
                if now.lines[i, side, one, 0] != 0.0 or now.lines[i, side, one, 1] != 0.0:
                    sliding_free = False
            modes[p, i] = 2 if sliding_free else 0 if state.still[i] else state.direction[i]
    return worst
