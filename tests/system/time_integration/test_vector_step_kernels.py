"""The compiled step for n coordinates against the classes that it repeats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from system.time_integration.compiled_springs import Springs, compiled_motion

from alegear.kernels import elimination_kernels
from alegear.system.time_integration import (
    AdaptiveStep,
    BackwardEuler,
    FixedStep,
    GeneralizedAlpha,
    HilberHughesTaylor,
    NewtonParameters,
    integrate,
    solve_newton,
    start,
    vector_step_kernels,
)
from alegear.system.time_integration.step_constants import constants_of, empty_attempt

TIGHT = NewtonParameters(tolerance=1e-12)
SCHEMES = {
    "alpha": GeneralizedAlpha(rho_inf=0.8, newton=TIGHT),
    "HHT": HilberHughesTaylor(rho_inf=0.6, newton=TIGHT),
    "BE": BackwardEuler(newton=TIGHT),
}
CONTROLS = {"fixed": FixedStep(h=0.01), "adaptive": AdaptiveStep(tolerance=1e-5, h_max=0.1, h_initial=0.05)}


def both(system, q, v, stops, scheme, control):
    """Rows and counts of the classes, then rows and counts of the kernels."""
    first = start(system, t=0.0, q=q, v=v)
    states = []
    _, count = integrate(
        system, first, stops[-1], scheme=scheme, control=control, on_step=states.append, stop_times=stops[:-1]
    )
    rows = np.array([np.concatenate([[s.t], s.q, s.v]) for s in states])
    counts = count.accepted, count.rejected_by_newton, count.rejected_by_error, count.newton_iterations
    found, found_counts, state = compiled_motion(system, first, stops, scheme, control)
    np.testing.assert_allclose(state.multipliers, states[-1].multipliers, rtol=1e-8, atol=1e-10)  # round-off over h^2
    return rows, counts, found, tuple(int(value) for value in found_counts)


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("cubic", [0.0, 50.0], ids=["linear", "cubic"])
@pytest.mark.parametrize("n", [1, 3, 20])
def test_motions_take_the_same_way(n, cubic, scheme, control):
    """Fixed and adaptive, with a stop off the grid in the middle."""
    system, q = Springs(n, cubic=cubic), np.linspace(0.5, 1.0, n)
    expected, counts, found, found_counts = both(
        system, q, np.zeros(n), (0.333, 1.0), SCHEMES[scheme], CONTROLS[control]
    )
    assert found_counts == counts
    assert counts[0] > 20
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)  # Newton's 1e-12 of a force, and round-off


@pytest.mark.parametrize("control", CONTROLS)
def test_motion_led_by_a_constraint_takes_the_same_way(control):
    system = Springs(6, prescribed=True)
    expected, counts, found, found_counts = both(
        system, np.zeros(6), np.zeros(6), (0.333, 1.0), SCHEMES["alpha"], CONTROLS[control]
    )
    assert found_counts == counts
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], 0.1 * np.sin(3.0 * found[:, 0]) ** 2, rtol=0.0, atol=1e-12)


def test_rejected_steps_are_tried_again():
    """A first step that is far too long is rejected by its error, in both alike."""
    control = AdaptiveStep(tolerance=1e-6, h_max=1.0, h_initial=0.5)
    expected, counts, found, found_counts = both(
        Springs(3, pull=40.0), np.full(3, 2.0), np.zeros(3), (0.5,), SCHEMES["alpha"], control
    )
    assert counts[2] > 1
    assert found_counts == counts
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("n", [1, 3, 20, 80])
def test_kept_factors_lead_to_the_same_motion(n):
    scheme = GeneralizedAlpha(newton=NewtonParameters(tolerance=1e-12, reuse_matrix=True))
    first = np.linspace(0.5, 1.0, n)
    expected, counts, found, found_counts = both(Springs(n), first, np.zeros(n), (0.5,), scheme, CONTROLS["fixed"])
    assert found_counts[:3] == counts[:3]  # the kernels keep factors from step to step, so the corrections differ
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11)


# ------------------------------------------------------------------------------------------ Newton, as plain Python
@pytest.fixture
def kernels(monkeypatch):
    """The kernels as Python functions."""
    for module in (elimination_kernels, vector_step_kernels):
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)
    return vector_step_kernels


def newton(kernels, function, slope, x, parameters, coordinate=0.0, size=np.inf):
    """Iterate with the compiled verdicts; returns whether it converged, x, corrections, worst row, places asked for."""
    scheme = constants_of(GeneralizedAlpha(newton=parameters))
    attempt, seen = empty_attempt(np.full(len(x), size), np.ones(len(x))), []
    attempt.numbers[kernels.DQ] = 1.0
    attempt.q_known[:], attempt.x[:] = coordinate, x
    kernels.begin_newton(scheme, attempt)
    verdict = kernels.EVALUATE
    while verdict == kernels.EVALUATE:
        seen.append(attempt.x.copy())
        attempt.residual[:] = function(attempt.x)
        verdict = kernels.go_on(scheme, attempt, True)
        if verdict == kernels.CORRECT:
            attempt.matrix[:] = slope(attempt.x)
            verdict = kernels.correct(attempt)
    numbers = attempt.numbers
    return (
        verdict == kernels.CONVERGED, attempt.x, int(numbers[kernels.ITERATIONS]), int(numbers[kernels.WORST]), seen,
    )  # fmt: skip


def each(function):
    return lambda x: np.array([function(value) for value in x])


def diagonal(slope):
    return lambda x: np.diag([slope(value) for value in x])


FUNCTIONS = {
    "root": (lambda x: x * x - 2.0, lambda x: np.diag(2.0 * x), np.array([1.0, 2.0])),
    "coupled": (
        lambda x: np.array([x[0] * x[1] - 2.0, x[0] - x[1] ** 2]),
        lambda x: np.array([[x[1], x[0]], [1.0, -2.0 * x[1]]]),
        np.array([3.0, -0.5]),
    ),
    "overshoots": (each(math.atan), diagonal(lambda x: 1.0 / (1.0 + x * x)), np.array([3.0, 0.1])),
    "no root": (lambda x: x * x + 1.0, lambda x: np.diag(2.0 * x), np.array([0.3])),
    "flat": (lambda x: x * x - 2.0, lambda x: np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, 3.0])),
    "not a number": (each(lambda x: math.nan), diagonal(lambda x: 1.0), np.ones(3)),
    "walled": (each(lambda x: math.log(x) if x > 0.0 else math.nan), diagonal(lambda x: 1.0 / x), np.array([4.0])),
    "kinked": (
        each(lambda x: abs(x) ** 0.5 * math.copysign(1.0, x)),
        diagonal(lambda x: 0.5 / abs(x) ** 0.5),
        np.array([0.7]),
    ),
    "slow": (lambda x: x**9, lambda x: np.diag(9.0 * x**8), np.array([5.0, 1.0])),
}


@pytest.mark.parametrize("reuse", [False, True], ids=["fresh", "kept"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_newton_takes_the_same_way(kernels, name, reuse):
    function, slope, x = FUNCTIONS[name]
    parameters, asked = NewtonParameters(reuse_matrix=reuse), []

    def residual(at):
        asked.append(at.copy())
        return function(at)

    expected = solve_newton(
        residual, slope, x, residual_scale=np.ones(len(x)), parameters=parameters,
        round_off=lambda at: 16.0 * np.finfo(float).eps * np.abs(at),
    )  # fmt: skip
    converged, at, corrections, worst, seen = newton(kernels, function, slope, x, parameters)
    assert converged == expected.converged
    np.testing.assert_allclose(seen, asked, rtol=1e-14, atol=1e-14)
    if converged:
        np.testing.assert_array_equal(at, seen[-1])
        assert corrections == expected.iterations
        assert worst == expected.worst


def test_a_correction_below_round_off_ends_at_its_start(kernels):
    function = lambda x: np.where(x == 1.0, 1e-6, 2e-6)  # noqa: E731
    eye = lambda x: np.eye(2)  # noqa: E731
    parameters = NewtonParameters()
    converged, at, corrections, *_ = newton(kernels, function, eye, np.ones(2), parameters, coordinate=1e10)
    assert converged
    assert corrections == 0
    np.testing.assert_array_equal(at, 1.0)
    assert not newton(kernels, function, eye, np.ones(2), parameters, coordinate=1e7)[0]


@pytest.mark.parametrize(("coordinate", "least"), [(1e5, 1e-9), (1e7, 8.9e-9), (1e12, 1e-6)])
def test_a_residual_below_round_off_of_far_coordinates_is_none(kernels, coordinate, least):
    """As `GeneralizedAlpha` has it, of coordinates over their typical displacement."""
    for part, corrections in ((0.99, 0), (1.01, 1)):
        size = part * least
        function, slope = (lambda x, size=size: size * x), (lambda x, size=size: size * np.eye(2))
        found = newton(kernels, function, slope, np.ones(2), NewtonParameters(), coordinate=coordinate, size=1.0)
        assert found[0]
        assert found[2] == corrections
