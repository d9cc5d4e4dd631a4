"""The compiled pieces of a step against the classes that they repeat, called as plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from systems import duffing, oscillator

from alegear.dynamics import step_kernels as kernels
from alegear.dynamics.generalized_alpha import BackwardEuler, GeneralizedAlpha, HilberHughesTaylor
from alegear.dynamics.newton import NewtonParameters, solve_newton
from alegear.dynamics.step_constants import constants_of
from alegear.dynamics.step_control import (
    ERROR_FLOOR,
    INTEGRAL,
    PROPORTIONAL,
    STRETCH,
    AdaptiveStep,
    integrate,
)
from alegear.dynamics.system import start


def control_of(control: AdaptiveStep, scale: float) -> kernels.Control:
    return kernels.Control(
        adaptive=True, tolerated=control.tolerance * scale, h_max=control.h_max, h_min=control.shortest,
        safety=control.safety, max_growth=control.max_growth, max_shrink=control.max_shrink,
        newton_shrink=control.newton_shrink, integral=INTEGRAL, proportional=PROPORTIONAL, error_floor=ERROR_FLOOR,
        stretch=STRETCH,
    )  # fmt: skip


def newton(function, slope, x, round_off=0.0):
    """Iterate with the compiled verdicts; returns verdict, x, corrections, evaluations."""
    scheme = constants_of(GeneralizedAlpha())
    memory, evaluations = np.zeros(kernels.N_NEWTON), 0
    kernels.begin_newton.py_func(memory, x)
    while True:
        at = memory[kernels.X]
        r = function(at)
        norm = abs(r) if math.isfinite(r) else math.inf
        evaluations += 1
        verdict = kernels.go_on.py_func(scheme, memory, r, slope(at), norm, round_off)
        if verdict != kernels.EVALUATE:
            return verdict == kernels.CONVERGED, memory[kernels.X], int(memory[kernels.ITERATIONS]), evaluations


FUNCTIONS = {
    "root": (lambda x: x * x - 2.0, lambda x: 2.0 * x, 1.0),
    "overshoots": (lambda x: math.atan(x), lambda x: 1.0 / (1.0 + x * x), 3.0),  # full steps diverge
    "no root": (lambda x: x * x + 1.0, lambda x: 2.0 * x, 0.3),
    "flat": (lambda x: x * x - 2.0, lambda x: 0.0, 1.0),
    "not a number": (lambda x: math.nan, lambda x: 1.0, 1.0),
    "walled": (lambda x: math.log(x) if x > 0.0 else math.nan, lambda x: 1.0 / x, 4.0),  # the first step leaves it
    "kinked": (lambda x: abs(x) ** 0.5 * math.copysign(1.0, x), lambda x: 0.5 / abs(x) ** 0.5, 0.7),  # to and fro
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_newton_takes_the_same_way(name):
    function, slope, x = FUNCTIONS[name]
    seen = []

    def residual(at):
        seen.append(float(at[0]))
        return np.array([function(at[0])])

    expected = solve_newton(
        residual, lambda at: np.array([[slope(at[0])]]), np.array([x]),
        residual_scale=np.ones(1), parameters=NewtonParameters(), round_off=lambda at: np.zeros(1),
    )  # fmt: skip
    converged, at, corrections, evaluations = newton(function, slope, x)
    assert converged == expected.converged
    assert evaluations == len(seen)
    if converged:
        assert at == pytest.approx(expected.x[0], abs=1e-15)
        assert corrections == expected.iterations


def test_a_correction_below_round_off_ends_at_its_start():
    function, slope = (lambda x: 1e-6 if x == 1.0 else 2e-6), (lambda x: 1.0)
    converged, at, corrections, _ = newton(function, slope, 1.0, round_off=1e-5)
    assert (converged, at, corrections) == (True, 1.0, 0)
    assert not newton(function, slope, 1.0, round_off=1e-7)[0]


@pytest.mark.parametrize("make", [oscillator, duffing])
@pytest.mark.parametrize(
    "scheme",
    [GeneralizedAlpha(rho_inf=0.6), HilberHughesTaylor(rho_inf=0.6), BackwardEuler()],
    ids=["alpha", "HHT", "BE"],
)
def test_steps_and_their_control_take_the_same_way(make, scheme):
    """A motion put together from the compiled pieces: adaptive, with a stop in the middle."""
    system = make()
    control = AdaptiveStep(tolerance=1e-3, h_max=0.5)
    first = start(system, t=0.0, q=np.array([1.0]), v=np.array([0.2]))
    states = []
    integrate(system, first, 3.0, scheme=scheme, control=control, on_step=states.append, stop_times=[1.1])

    constants, limits = constants_of(scheme), control_of(control, 1.0)
    state = np.array([0.0, 1.0, 0.2, first.vdot[0], first.a[0], 0.0, 0.0])
    h_0 = math.sqrt(2.0 * control.tolerance / abs(first.vdot[0]))
    memory, way = np.array([h_0, 1.0, 0.0]), []
    force = lambda t, q, v: system.force(t, np.array([q]), np.array([v]))  # noqa: E731
    for stop in (1.1, 3.0):
        while state[kernels.T] < stop:
            remaining = stop - state[kernels.T]
            h = kernels.towards_stop.py_func(limits, remaining, memory[kernels.LENGTH])
            t_end = stop if h == remaining else state[kernels.T] + h
            kappa, a_known, q_known, dq, v_known, dv, a_n = kernels.predict.py_func(constants, state, h)
            iterate = np.zeros(kernels.N_NEWTON)
            kernels.begin_newton.py_func(iterate, state[kernels.VDOT])
            verdict = kernels.EVALUATE
            while verdict == kernels.EVALUATE:
                x = iterate[kernels.X]
                f = force(t_end, q_known + dq * x, v_known + dv * x)
                r = x - f.Q[0]
                slope = 1.0 - dv * f.dQ_dv[0, 0] - dq * f.dQ_dq[0, 0]
                verdict = kernels.go_on.py_func(constants, iterate, r, slope, abs(r) / system.force_scale[0], 0.0)
            x = iterate[kernels.X]
            a = kappa * x + a_known
            error = constants.error_constant * h * h * abs(a - constants.error_memory * a_n) / limits.tolerated
            judged = kernels.accept.py_func(limits, memory, h, True, error, iterate[kernels.ITERATIONS], 12)
            assert judged >= 0
            if judged:
                state[:6] = t_end, q_known + dq * x, v_known + dv * x, x, a, h
                way.append(state[:3].copy())
    expected = np.array([[s.t, s.q[0], s.v[0]] for s in states])
    assert len(way) == len(expected)
    np.testing.assert_allclose(np.array(way), expected, atol=1e-12)  # round-off of some hundred steps


def test_the_shortest_step_that_fails_is_the_end():
    limits = control_of(AdaptiveStep(tolerance=1e-3, h_max=1.0, h_min=0.1), 1.0)
    memory = np.array([0.2, 1.0, 0.0])
    assert kernels.accept.py_func(limits, memory, 0.2, False, 0.0, 3, 12) == 0
    assert memory[kernels.LENGTH] == 0.1
    assert memory[kernels.JUST_REJECTED] == 1.0
    assert kernels.accept.py_func(limits, memory, 0.1, False, 0.0, 3, 12) == -1
    assert kernels.accept.py_func(limits, memory, 0.1, True, 1.5, 3, 12) == -1
    assert kernels.accept.py_func(limits._replace(adaptive=False), memory, 0.1, True, 99.0, 3, 12) == 1
