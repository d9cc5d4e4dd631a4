"""Rotation vectors among the coordinates: displacements, their inverse and their tangent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from derivatives import differences

from alegear.system.rotation import displacement_between, displacement_tangent, moved, rotation_matrix

TURNS = (1, 5)
RNG = np.random.default_rng(7)
X, D = RNG.normal(size=(2, 9))


def test_moved_turns_the_body_by_its_own_axes_and_adds_the_others() -> None:
    new = moved(X, D, TURNS)
    for k in TURNS:
        expected = rotation_matrix(X[k : k + 3]) @ rotation_matrix(D[k : k + 3])
        assert np.allclose(rotation_matrix(new[k : k + 3]), expected, rtol=0.0, atol=1e-14)
    assert np.array_equal(new[[0, 4, 8]], (X + D)[[0, 4, 8]])
    assert np.array_equal(moved(X, D, ()), X + D)


@pytest.mark.parametrize("size", [1e-9, 0.5, 2.0])
def test_displacement_between_is_the_inverse(size: float) -> None:
    """Of displacements below half a turn."""
    d = size * D / np.linalg.norm(D)
    assert np.allclose(displacement_between(X, moved(X, d, TURNS), TURNS), d, rtol=0.0, atol=1e-14 * max(1.0, size))
    assert np.abs(displacement_between(X, X, TURNS)).max() < 1e-15


def test_displacement_between_is_the_shortest() -> None:
    far = X.copy()
    far[1:4] = X[1:4] * (1.0 - 2.0 * math.pi / np.linalg.norm(X[1:4]))  # the same rotation
    assert np.allclose(displacement_between(X, far, TURNS)[1:4], 0.0, atol=1e-14)


def test_tangent_is_that_of_the_end() -> None:
    """A change of the displacement is a further displacement from its end."""
    end = moved(X, D, TURNS)
    expected = differences(lambda change: displacement_between(end, moved(X, D + change, TURNS), TURNS), 9)
    assert np.allclose(displacement_tangent(D, TURNS), expected, rtol=0.0, atol=1e-11)
