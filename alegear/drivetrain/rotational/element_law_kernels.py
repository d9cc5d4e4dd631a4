"""Laws of torsional elements: forces on y = rows @ x with their tangents, energies and corners.

Python asks them, and the equations of :mod:`alegear.drivetrain.rotational.compiled_ode`. A law is told by its kind, and
has its numbers from ``at`` on; ``given`` is the signal that it takes over time, without one the time itself. Elements
have one row, or two.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.planar.planar_kernels import (
    BACKLASH,
    corner_of_flank,
    flank_force,
    periodic_curvature,
    periodic_factor,
    spring_force,
)
from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.elements import ElementKernel
from alegear.kernels.structs import kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, N_ENERGY, STORED, SUPPLIED

# kinds of elements; what is unknown here is evaluated in Python
IN_PYTHON, SPRING, RESISTANCE, MESH, TORQUE_MAP, CONVERTER, VARYING_RATIO, GOVERNOR = 0, 1, 2, 3, 4, 5, 6, 7
TURN = 2.0 * np.pi


@lean_kernel
def cubics(numbers, at, t):
    """Value, rate and integral of a piecewise cubic; its rate is that of the piece that begins."""
    m = int(numbers[at])
    times, first = at + 1, at + 1 + 2 * m
    low, high = 0, m  # piece: number of times not after t
    while low < high:
        middle = (low + high) // 2
        if numbers[times + middle] <= t:
            low = middle + 1
        else:
            high = middle
    begin = max(low - 1, 0)
    s = t - numbers[times + begin]
    c = first + 4 * low
    c_0, c_1, c_2, c_3 = numbers[c], numbers[c + 1], numbers[c + 2], numbers[c + 3]
    value = c_0 + s * (c_1 + s * (c_2 + s * c_3))
    rate = c_1 + s * (2.0 * c_2 + s * 3.0 * c_3)
    whole = numbers[times + m + begin] + s * (c_0 + s * (c_1 / 2.0 + s * (c_2 / 3.0 + s * c_3 / 4.0)))
    return value, rate, whole


# -------------------------------------------------------------------------------------------------------- springs
@lean_kernel
def spring(numbers, at, y, rate, force, by_y, by_rate, energy):
    """Spring and damper with backlash. Numbers: stiffness, damping, backlash, free angle."""
    k, d, b, p = numbers[at], numbers[at + 1], numbers[at + 2], y[0] - numbers[at + 3]
    side = 1.0 if p > 0.0 else -1.0
    beyond = side * p - 0.5 * b
    if b > 0.0 and beyond <= 0.0:
        return
    elastic, damped = k * beyond, side * d * rate[0]
    by_y[0, 0], by_rate[0, 0] = -k, -d
    if b > 0.0 and damped < -elastic:
        damped, by_y[0, 0], by_rate[0, 0] = -elastic, 0.0, 0.0
    elif b > 0.0 and damped > elastic:
        damped, by_y[0, 0], by_rate[0, 0] = elastic, -2.0 * k, 0.0
    force[0] = -side * (elastic + damped)
    energy[STORED], energy[LOST] = 0.5 * k * beyond * beyond, side * damped * rate[0]


@lean_kernel
def resistance(numbers, at, rate, force, by_rate, energy):
    """Torque over the speed. Numbers: linear and quadratic part, cubics over the speed by magnitude, or 0 of none."""
    size, sign = abs(rate[0]), 1.0 if rate[0] >= 0.0 else -1.0
    torque, slope = numbers[at] * size + numbers[at + 1] * size * size, numbers[at] + 2.0 * numbers[at + 1] * size
    if numbers[at + 2] > 0.0:
        more, steeper, _ = cubics(numbers, at + 2, size)
        torque, slope = torque + more, slope + steeper
    force[0], by_rate[0, 0] = -sign * torque, -slope
    energy[LOST] = torque * size


# ------------------------------------------------------------------------------------------------------- vehicles
@lean_kernel
def torque_map(numbers, at, opened, rate, force, by_rate, energy):
    """Torque of an engine: straight from cubic to cubic over the throttle. Numbers: q, throttles, q cubics."""
    q = int(numbers[at])
    length = 5 + 6 * int(numbers[at + 1 + q])
    opened = min(max(opened, 0.0), 1.0)
    i = 0
    while i < q - 2 and numbers[at + 2 + i] <= opened:
        i += 1
    low, high = numbers[at + 1 + i], numbers[at + 2 + i]
    part, first = (opened - low) / (high - low), at + 1 + q + i * length
    less, less_slope, _ = cubics(numbers, first, rate[0])
    more, more_slope, _ = cubics(numbers, first + length, rate[0])
    force[0], by_rate[0, 0] = less + part * (more - less), less_slope + part * (more_slope - less_slope)
    energy[SUPPLIED] = force[0] * rate[0]


@lean_kernel
def converter(numbers, at, rate, force, by_rate, energy):
    """Torques that the pump takes and the turbine gives. Numbers: cubics of capacity and of torque ratio."""
    sign, pump, turbine = 1.0, rate[0], rate[1]
    if pump < 0.0 or (pump == 0.0 and turbine < 0.0):
        sign, pump, turbine = -1.0, -pump, -turbine
    second = at + 5 + 6 * int(numbers[at])
    if turbine < 0.0:
        k, _, _ = cubics(numbers, at, 0.0)
        mu, _, _ = cubics(numbers, second, 0.0)
        taken = k * (pump * pump + turbine * turbine)
        given = taken + k * (mu - 1.0) * pump * pump
        by_rate[0, 0], by_rate[0, 1] = -2.0 * k * pump, -2.0 * k * turbine
        by_rate[1, 0], by_rate[1, 1] = 2.0 * k * mu * pump, 2.0 * k * turbine
    elif turbine > pump:
        k, slope, _ = cubics(numbers, at, pump / turbine)
        taken = given = -k * turbine * turbine
        by_rate[1, 0], by_rate[1, 1] = -slope * turbine, slope * pump - 2.0 * k * turbine
        by_rate[0, 0], by_rate[0, 1] = -by_rate[1, 0], -by_rate[1, 1]
    elif pump > 0.0:
        nu = turbine / pump
        k, slope, _ = cubics(numbers, at, nu)
        mu, steeper, _ = cubics(numbers, second, nu)
        taken = k * pump * pump
        given = mu * taken
        by_rate[0, 0], by_rate[0, 1] = slope * turbine - 2.0 * k * pump, -slope * pump
        by_rate[1, 0] = -mu * by_rate[0, 0] - steeper * taken * nu / pump
        by_rate[1, 1] = -mu * by_rate[0, 1] + steeper * taken / pump
    else:
        return
    force[0], force[1] = -sign * taken, sign * given
    energy[LOST] = taken * pump - given * turbine


@lean_kernel
def governor(numbers, at, t, y, rate, force, by_y, by_rate, energy):
    """Torque that holds a speed. Numbers: k_p, k_i, torque without error, angle less the integral, cubics of speed."""
    k_p, k_i = numbers[at], numbers[at + 1]
    speed, _, turned = cubics(numbers, at + 4, t)
    force[0] = numbers[at + 2] - k_p * (rate[0] - speed) - k_i * (y[0] - numbers[at + 3] - turned)
    by_y[0, 0], by_rate[0, 0] = -k_i, -k_p
    energy[SUPPLIED] = force[0] * rate[0]


# --------------------------------------------------------------------------------------------------------- gears
@lean_kernel
def varying_ratio(numbers, at, given, y, rate, force, by_y, by_rate, energy):
    """Gear whose ratio varies over the angle of B, or over time without stiffness: the ratio is ``given``.

    Numbers: stiffness, damping and, over the angle, the cubics of a turn.
    """
    k, d, ratio, slope, twist = numbers[at], numbers[at + 1], given, 0.0, 0.0
    if k > 0.0:
        turns = np.floor(y[1] / TURN)
        rest = min(max(y[1] - turns * TURN, 0.0), TURN)
        ratio, slope, whole = cubics(numbers, at + 2, rest)
        twist = y[0] - turns * numbers[at + 2 + 2 * int(numbers[at + 2])] - whole
    creep = rate[0] - ratio * rate[1]
    torque, by_second = k * twist + d * creep, k * ratio + d * slope * rate[1]
    force[0], force[1] = -torque, ratio * torque
    by_y[0, 0], by_y[0, 1] = -k, by_second
    by_y[1, 0], by_y[1, 1] = ratio * k, slope * torque - ratio * by_second
    by_rate[0, 0], by_rate[0, 1], by_rate[1, 0], by_rate[1, 1] = -d, d * ratio, ratio * d, -ratio * ratio * d
    energy[STORED], energy[LOST] = 0.5 * k * twist * twist, d * creep * creep


@lean_kernel
def spring_of_mesh(numbers, at):
    """Numbers of the spring of a mesh, and table of its factor.

    Numbers: length of both, overlap at zero, overlap that is nothing, then spring and factor.
    """
    n_spring, n_factor = int(numbers[at]), int(numbers[at + 1])
    first = at + 4 + n_spring
    return numbers[at + 4 : first], numbers[first : first + n_factor]


@kernel(lean=True)
def flanks_of_mesh(numbers, at, y, rate, x_mesh):
    """Forces of both flanks [N] at an overlap [m], its rate [m/s] and a mesh position [m]."""
    own, factor = spring_of_mesh(numbers, at)
    kappa, _ = periodic_factor(factor, x_mesh)
    u = y + numbers[at + 2]
    return flank_force(own, kappa, u, rate)[0], flank_force(own, kappa, -u, -rate)[0]


@lean_kernel
def mesh(numbers, at, y, rate, force, by_y, by_rate, energy):
    """Both flanks of a mesh on the overlap and the mesh position. Numbers: of `spring_of_mesh`."""
    own, factor = spring_of_mesh(numbers, at)
    kappa, slope = periodic_factor(factor, y[1])
    u, elastic = y[0] + numbers[at + 2], 0.0
    for flank in range(2):
        side = 1.0 - 2.0 * flank
        N, N_by_delta, N_by_speed = flank_force(own, kappa, side * u, side * rate[0])
        N_el, _, E_el = spring_force(own, side * u - 0.5 * own[BACKLASH])
        elastic += E_el
        energy[STORED] += kappa * E_el
        energy[LOST] += (N - kappa * N_el) * side * rate[0]
        force[0] -= side * N
        by_y[0, 0] -= N_by_delta
        by_rate[0, 0] -= N_by_speed
        by_y[1, 0] -= slope * side * N_el
        if N > 0.0:
            by_y[0, 1] -= side * slope * N_el
    force[1] = -slope * elastic
    by_y[1, 1] = -periodic_curvature(factor, y[1]) * elastic


# ----------------------------------------------------------------------------------------------------------- all
@kernel(lean=True)
def element_law(kind, numbers, at, given, y, rate, force, by_y, by_rate, energy):
    """Write forces on y (n,), their derivatives by y and its rate (n, n), and energies (N_ENERGY,) of an element."""
    force[:] = 0.0
    by_y[:, :] = 0.0
    by_rate[:, :] = 0.0
    energy[:] = 0.0
    if kind == SPRING:
        spring(numbers, at, y, rate, force, by_y, by_rate, energy)
    elif kind == RESISTANCE:
        resistance(numbers, at, rate, force, by_rate, energy)
    elif kind == TORQUE_MAP:
        torque_map(numbers, at, given, rate, force, by_rate, energy)
    elif kind == CONVERTER:
        converter(numbers, at, rate, force, by_rate, energy)
    elif kind == VARYING_RATIO:
        varying_ratio(numbers, at, given, y, rate, force, by_y, by_rate, energy)
    elif kind == GOVERNOR:
        governor(numbers, at, given, y, rate, force, by_y, by_rate, energy)
    else:
        mesh(numbers, at, y, rate, force, by_y, by_rate, energy)


@kernel(lean=True)
def law_corners(kind, numbers, at, y, rate, values):
    """Write values (m,) whose changes of sign are corners of the force of a spring or a mesh."""
    if kind == SPRING:
        k, d, beyond = numbers[at], numbers[at + 1], abs(y[0] - numbers[at + 3]) - 0.5 * numbers[at + 2]
        values[0] = beyond
        if d != 0.0:
            values[1] = k * beyond - d * abs(rate[0])
        return
    own, factor = spring_of_mesh(numbers, at)
    kappa, _ = periodic_factor(factor, y[1])
    u, touch = y[0] + numbers[at + 2], numbers[at + 3]
    values[0] = corner_of_flank(own, kappa, touch, u, rate[0])
    values[1] = corner_of_flank(own, kappa, touch, -u, -rate[0])


# ------------------------------------------------------------------------------------------------ by their address
@kernel_struct
class TorsionalLaw(NamedTuple):
    """An element of compiled motions: its kind, of how many rows, and its numbers."""

    kind: int
    n: int
    numbers: NDArray[np.float64]


TORSIONAL = kind_of(TorsionalLaw(0, 0, np.zeros(0)))


@ElementKernel
def torsional_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """:class:`alegear.drivetrain.rotational.torsional_element.TorsionalElement` without a signal."""
    law = struct_at(handle, TORSIONAL)
    n = law.n
    element_law(
        law.kind, law.numbers, 0, t, numba.carray(y, (n,)), numba.carray(rate, (n,)), numba.carray(force, (n,)),
        numba.carray(by_y, (n, n)), numba.carray(by_rate, (n, n)), numba.carray(energy, (N_ENERGY,)),
    )  # fmt: skip
    return 0
