"""Interpolation, tabulated curves and laws inside the compiled kernels."""

import numpy as np
import pytest

from alegear.contact.face_grid import FaceGrid
from alegear.contact.penalty import _kernels as kernels

ROWS = np.array([0.0, 0.5, 0.8, 1.9, 2.3, 3.1, 3.3, 4.5])  # neighbours up to 4 times as long
COLUMNS = np.array([-2.0, -1.2, 0.1, 2.0])
ROUND_OFF = 1e-13  # weights are of order 1, a dozen operations each


def coefficients_of(rows):
    return FaceGrid(rows_s=rows, cols_z=COLUMNS, s_low=rows[0]).row_coefficients


def weights_at(s, rows=ROWS):
    """Weights (3, n_rows) of value, slope and second derivative, spread over all rows."""
    out = np.zeros((3, len(rows)))
    w = np.empty((3, 4))
    first = kernels.row_weights(rows, coefficients_of(rows), s, *w)
    out[:, first : first + 4] = w
    return out


def test_row_weights_are_nodal():
    np.testing.assert_allclose([weights_at(s)[0] for s in ROWS], np.eye(len(ROWS)), atol=ROUND_OFF)


@pytest.mark.parametrize("s", np.linspace(-0.7, 5.3, 41))
def test_row_weights_are_a_partition_of_unity(s):
    np.testing.assert_allclose(weights_at(s).sum(axis=1), [1.0, 0.0, 0.0], atol=20 * ROUND_OFF)  # 1/h^2 up to 25


@pytest.mark.parametrize("s", np.linspace(0.0, 4.5, 38))
def test_row_weights_reproduce_parabolas(s):
    parabola = np.polynomial.Polynomial([0.3, -1.1, 0.7])
    w = weights_at(s) @ parabola(ROWS)
    exact = [parabola(s), parabola.deriv()(s), parabola.deriv(2)(s)]
    np.testing.assert_allclose(w, exact, atol=100 * ROUND_OFF)  # values up to 10, weights of the second up to 50


@pytest.mark.parametrize("s", [0.13, 0.61, 1.37, 2.11, 3.17, 4.2, -0.4, 4.9])
def test_derivatives_of_row_weights(s):
    h = 1e-5
    low, middle, high = weights_at(s - h), weights_at(s), weights_at(s + h)
    difference = (high - low)[:2] / (2 * h)
    np.testing.assert_allclose(middle[1:], difference, atol=1e-8)  # h^2/6 times third derivatives up to 300


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_value_and_slope_are_continuous_across_rows(row):
    h = 1e-9
    low, high = weights_at(ROWS[row] - h), weights_at(ROWS[row] + h)
    np.testing.assert_allclose(low[:2], high[:2], atol=200 * h)  # second derivatives of the weights up to 50


def test_row_weights_go_on_straight_beyond_the_ends():
    for end, outside in ((ROWS[0], -0.6), (ROWS[-1], 5.2)):
        at_end, beyond = weights_at(end), weights_at(outside)
        np.testing.assert_allclose(beyond[0], at_end[0] + (outside - end) * at_end[1], atol=20 * ROUND_OFF)
        np.testing.assert_allclose(beyond[1], at_end[1], atol=20 * ROUND_OFF)
        assert not beyond[2].any()


def test_row_weights_converge_with_third_order():
    def worst(n):
        rows = np.linspace(0.0, 2.0, n + 1) ** 1.3  # smoothly graded
        s = np.linspace(rows[0], rows[-1], 997)
        return max(abs(weights_at(x, rows)[0] @ np.exp(rows) - np.exp(x)) for x in s)

    order = np.log2(worst(80) / worst(160))
    assert order == pytest.approx(3.0, abs=0.1)


def test_the_fewest_rows_are_four():
    rows = ROWS[:4]
    parabola = rows**2
    for s in (0.1, 0.6, 1.0, 1.8):
        assert weights_at(s, rows)[0] @ parabola == pytest.approx(s**2, abs=ROUND_OFF)


def test_grid_weights_are_the_product_of_rows_and_columns():
    """A parabola along the profile times a straight line across the face comes back, with its derivatives."""
    field = (2.0 - ROWS[:, None] + 0.4 * ROWS[:, None] ** 2) * (1.0 + 0.3 * COLUMNS)
    nodes, w = np.empty(8, dtype=np.int64), np.empty((3, 8))
    for s, z in ((0.3, -1.9), (2.2, 0.4), (4.4, 2.0)):
        kernels.grid_weights(ROWS, coefficients_of(ROWS), COLUMNS, s, z, nodes, *w)
        across = 1.0 + 0.3 * z
        exact = [(2.0 - s + 0.4 * s**2) * across, (-1.0 + 0.8 * s) * across, 0.8 * across]
        np.testing.assert_allclose(w @ field.ravel()[nodes], exact, atol=200 * ROUND_OFF)


def test_sparse_product_is_the_product():
    rng = np.random.default_rng(1)
    C = rng.normal(size=(12, 12))
    C = np.ascontiguousarray(C + C.T)
    f = np.zeros(12)
    f[[2, 7]] = 1.0, -3.0
    out = np.empty(12)
    kernels.multiply_sparse(C, f, out)
    np.testing.assert_allclose(out, C @ f, atol=ROUND_OFF)


def test_scatter_is_the_transpose_of_gather():
    rng = np.random.default_rng(2)
    dof = rng.integers(0, 9, size=(5, 16))
    rows, values, field = rng.normal(size=(5, 16)), rng.normal(size=5), rng.normal(size=9)
    nodal, gathered = np.zeros(9), np.zeros(5)
    kernels.scatter(dof, rows, values, nodal)
    kernels.gather(dof, rows, field, gathered)
    assert nodal @ field == pytest.approx(values @ gathered, rel=1e-12)


def test_compliance_between_rows():
    """left C right^T of the active contacts, added to what is there."""
    rng = np.random.default_rng(3)
    C = rng.normal(size=(20, 20))
    C = np.ascontiguousarray(C + C.T)
    dof = rng.integers(0, 20, size=(6, 16))
    left, right = rng.normal(size=(2, 6, 16))
    active = np.array([0, 2, 5])
    G = np.ones((3, 3))
    kernels.compliance_between(C, dof, left, right, active, G)
    full = [np.zeros((6, 20)) for _ in range(2)]
    for rows, spread in zip((left, right), full, strict=True):
        for c in range(6):
            np.add.at(spread[c], dof[c], rows[c])
    exact = 1.0 + full[0][active] @ C @ full[1][active].T
    np.testing.assert_allclose(G, exact, rtol=1e-12, atol=1e-12)
