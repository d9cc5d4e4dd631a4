"""Newton's iteration: convergence order, and each way it can end."""

import numpy as np
import pytest

from alegear.system.time_integration import NewtonParameters, NewtonVerdict, solve_newton
from alegear.system.time_integration.second_order_system import powers_of_two

ONE = np.ones(1)


def solve(f, df, x0, **parameters):
    return solve_newton(f, df, np.array(x0, float), residual_scale=ONE, parameters=NewtonParameters(**parameters))


def circle_and_cubic(x):
    return np.array([x[0] ** 2 + x[1] ** 2 - 4.0, x[0] ** 3 - x[1]])


def circle_and_cubic_matrix(x):
    return np.array([[2 * x[0], 2 * x[1]], [3 * x[0] ** 2, -1.0]])


def test_quadratic_convergence_on_two_equations():
    norms = []

    def residual(x):
        norms.append(np.abs(circle_and_cubic(x)).max())
        return circle_and_cubic(x)

    result = solve(residual, circle_and_cubic_matrix, [1.0, 1.0], tolerance=1e-13)
    assert result.verdict is NewtonVerdict.CONVERGED
    assert result.residual_norm == norms[-1] <= 1e-13
    orders = np.log(norms[3:-1]) / np.log(norms[2:-2])
    assert orders[-1] > 1.8  # 2 in the limit, from norms that are not small yet


def test_linear_problem_needs_one_iteration_and_a_solved_one_none():
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    result = solve(lambda x: A @ x - 1.0, lambda x: A, [7.0, -2.0], tolerance=1e-12)
    assert result.converged
    assert result.iterations == 1
    assert solve(lambda x: A @ x - 1.0, lambda x: A, result.x, tolerance=1e-12).iterations == 0


def test_first_guess_is_not_changed():
    x0 = np.array([1.0, 1.0])
    solve_newton(
        circle_and_cubic, circle_and_cubic_matrix, x0, residual_scale=np.ones(2), parameters=NewtonParameters()
    )
    assert (x0 == 1.0).all()


def test_halving_leads_home_where_the_full_correction_diverges():
    # arctan: Newton diverges from |x| > 1.39
    result = solve(np.arctan, lambda x: np.diag(1 / (1 + x**2)), [10.0])
    assert result.converged
    assert abs(result.x[0]) < 1e-9


def test_reused_matrix_gives_the_same_root_with_fewer_matrices():
    built = {True: 0, False: 0}
    roots = []
    for reuse in (False, True):

        def matrix(x, reuse=reuse):
            built[reuse] += 1
            return circle_and_cubic_matrix(x)

        result = solve(circle_and_cubic, matrix, [1.2, 1.7], reuse_matrix=reuse, tolerance=1e-12, max_iterations=40)
        assert result.converged
        roots.append(result.x)
    np.testing.assert_allclose(roots[0], roots[1], atol=1e-12)  # both residuals are below 1e-12, condition about 4
    assert built[True] < built[False]


def test_old_matrix_that_fails_is_replaced_before_giving_up():
    # The slope at the first guess is hundreds of times that at the root's other side: an old matrix overshoots there.
    result = solve(
        lambda x: np.where(x > 0, x, 100 * x) + 0.5,
        lambda x: np.diag(np.where(x > 0, 1.0, 100.0)),
        [3.0],
        reuse_matrix=True,
        refresh_ratio=1e9,
    )
    assert result.converged
    assert result.x[0] == pytest.approx(-0.005, abs=1e-11)  # tolerance 1e-9 over the slope 100


@pytest.mark.parametrize(
    ("residual", "matrix", "verdict"),
    [
        (lambda x: x**2 + 1.0, lambda x: np.diag(2 * x), NewtonVerdict.STALLED),
        (lambda x: x - 1.0, lambda x: np.zeros((1, 1)), NewtonVerdict.SINGULAR_MATRIX),
        (lambda x: None, lambda x: np.eye(1), NewtonVerdict.NOT_EVALUATED),
        (lambda x: x * np.nan, lambda x: np.eye(1), NewtonVerdict.NOT_EVALUATED),
        (lambda x: x + 1 if x[0] == 2.0 else None, lambda x: np.eye(1), NewtonVerdict.NOT_EVALUATED),
        (lambda x: x - 1.0, lambda x: 100 * np.eye(1), NewtonVerdict.ITERATIONS_SPENT),
    ],
)
def test_each_failure_has_its_verdict_and_never_an_exception(residual, matrix, verdict):
    result = solve(residual, matrix, [2.0])
    assert not result.converged
    assert result.verdict is verdict


def test_singular_matrix_of_two_equations():
    result = solve(lambda x: x - 1.0, lambda x: np.ones((2, 2)), [2.0, 3.0])
    assert result.verdict is NewtonVerdict.SINGULAR_MATRIX


def test_every_failure_names_a_remedy():
    for verdict in NewtonVerdict:
        assert (
            verdict in (NewtonVerdict.CONVERGED, NewtonVerdict.AT_ROUND_OFF)
            or "shorten" in verdict.value
            or "check" in verdict.value
        )


def test_scale_makes_the_test_relative():
    # residual 1e-6 of a force of 1e3: converged at 1e-9 relative
    result = solve_newton(
        lambda x: x - 1.0,
        lambda x: np.eye(1),
        np.array([1.0 + 1e-6]),
        residual_scale=np.array([1e3]),
        parameters=NewtonParameters(tolerance=1e-8),
    )
    assert result.iterations == 0
    assert result.converged


def test_correction_below_round_off_ends_the_iteration_at_the_last_x():
    # x enters as 1e6 + x, so the residual moves in jumps of 1e-10 and cannot fall below 1e-13
    evaluated = []

    def residual(x):
        evaluated.append(x[0])
        return (1e6 + x) - 1e6 - 0.123456789

    options = {"residual_scale": ONE, "parameters": NewtonParameters(tolerance=1e-13)}
    matrix = lambda x: np.eye(1)  # noqa: E731
    stalled = solve_newton(residual, matrix, np.zeros(1), **options)
    assert stalled.verdict is NewtonVerdict.STALLED
    result = solve_newton(residual, matrix, np.zeros(1), **options, round_off=lambda x: np.array([2e-10]))
    assert result.verdict is NewtonVerdict.AT_ROUND_OFF
    assert result.converged
    assert evaluated[-1] == result.x[0] == pytest.approx(0.123456789, abs=2e-10)


def test_corrections_get_smaller_where_residuals_cannot():
    """A displacement that is almost right, and a force with a corner that has to err first."""

    def f(x):
        return np.array([1e-6 * (x[0] - 3.0), x[1] - 0.5 * abs(x[0])])

    def df(x):
        return np.array([[1e-6, 0.0], [-0.5 * np.sign(x[0]), 1.0]])

    given = {"residual_scale": np.ones(2), "parameters": NewtonParameters(tolerance=1e-15)}
    assert solve_newton(f, df, np.zeros(2), **given).verdict is NewtonVerdict.STALLED
    found = solve_newton(f, df, np.zeros(2), fallback_scale=np.ones(2), **given)
    assert found.converged
    assert found.x == pytest.approx([3.0, 1.5], rel=1e-9)  # the tolerance over 1e-6


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**12, 2.0**40])
def test_units_of_rows_change_no_digit(unit: float) -> None:
    """Rows in N beside rows in N m: which one is eliminated first is not decided by the unit of either."""
    A = np.random.default_rng(4).normal(size=(6, 6))
    rows = np.where(np.arange(6) % 2, unit, 1.0)

    def solved(scale: np.ndarray) -> np.ndarray:
        return solve_newton(
            lambda x: scale * (A @ x + x**3 - 1.0), lambda x: scale[:, None] * (A + np.diag(3.0 * x**2)), np.ones(6),
            residual_scale=3.0 * scale, parameters=NewtonParameters(max_iterations=40),
        ).x  # fmt: skip

    np.testing.assert_array_equal(solved(rows), solved(np.ones(6)))


def test_powers_of_two_are_above_sizes() -> None:
    np.testing.assert_array_equal(
        powers_of_two(np.array([0.0, 1.0, 0.75, 3e-5, 1e300])), [1.0, 2.0, 1.0, 2.0**-15, 2.0**997]
    )
