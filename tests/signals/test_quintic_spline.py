"""Interpolation of the fifth degree against SciPy's, and polynomials of that degree, which it leaves as they are."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from alegear.signals.quintic_spline import interpolate


@pytest.mark.parametrize("n", [6, 7, 8, 10, 11, 12, 16, 17, 333])  # whole blocks and parts of them, one and many
def test_a_spline_is_that_of_scipy(n) -> None:
    random = np.random.default_rng(n)
    x, y = np.cumsum(random.uniform(0.5, 1.5, n)), random.normal(size=n)
    at = np.concatenate([x, np.linspace(x[0], x[-1], 5 * n)])
    expected = make_interp_spline(x, y, k=5)(at)
    np.testing.assert_allclose(interpolate(x, y, at), expected, rtol=0.0, atol=1e-13 * np.abs(expected).max())


def test_polynomials_of_the_fifth_degree_are_as_they_were() -> None:
    x = np.linspace(-1.0, 1.2, 23) ** 3
    at = np.linspace(x[0], x[-1], 200)
    polynomial = np.polynomial.Polynomial([0.3, -1.0, 2.0, 0.7, -0.4, 1.1])
    np.testing.assert_allclose(interpolate(x, polynomial(x), at), polynomial(at), rtol=0.0, atol=1e-12)  # round-off
