"""Rotations: against SciPy's, the exponential of matrices, differences, and where formulas lose their digits."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from alegear.system.rotation import (
    composed,
    rotation_matrix,
    rotation_vector,
    skew,
    tangent,
    tangent_inverse,
)

Array = NDArray[np.float64]

EPS = np.finfo(float).eps
AXES = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.6, 0.0, 0.8], [1.0, 2.0, -2.0]])
AXES /= np.linalg.norm(AXES, axis=1, keepdims=True)
ANGLES = [0.0, 1e-300, 1e-9, 1e-4, 0.1, 1.0, 1.9999, 2.0001, 3.0, math.pi, 4.0, 6.0, 2.0 * math.pi - 1e-7]
BEYOND = [2.0 * math.pi, 7.0, 40.0]


@pytest.fixture(params=[(axis, angle) for axis in range(len(AXES)) for angle in ANGLES])
def psi(request: pytest.FixtureRequest) -> Array:
    axis, angle = request.param
    return AXES[axis] * angle


def test_skew_is_the_cross_product() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 5, 3))
    assert np.array_equal(np.einsum("nij,nj->ni", skew(a), b), np.cross(a, b))


def test_matrix_is_the_exponential(psi: Array) -> None:
    R = rotation_matrix(psi)
    assert np.allclose(R, Rotation.from_rotvec(psi).as_matrix(), rtol=0.0, atol=8 * EPS)
    assert np.allclose(R, expm(skew(psi)), rtol=0.0, atol=1e-13)  # the exponential loses digits by squaring
    assert np.allclose(R @ R.T, np.eye(3), rtol=0.0, atol=8 * EPS)


@pytest.mark.parametrize("angle", BEYOND)
def test_matrix_beyond_a_turn(angle: float) -> None:
    expected = Rotation.from_rotvec(AXES[3] * angle).as_matrix()
    assert np.allclose(rotation_matrix(AXES[3] * angle), expected, rtol=0.0, atol=angle * 4 * EPS)


def test_tangent_is_the_derivative_of_the_rotation(psi: Array) -> None:
    """R(psi)^T dR is the cross product with T dpsi; central differences of fourth order."""
    h = 1e-3
    for j, direction in enumerate(np.eye(3)):
        R = [rotation_matrix(psi + k * h * direction) for k in (-2, -1, 1, 2)]
        dR = (R[0] - 8.0 * R[1] + 8.0 * R[2] - R[3]) / (12.0 * h)
        spin = rotation_matrix(psi).T @ dR
        # h^4/30 of the fifth derivative, below 1
        assert np.allclose(spin, skew(tangent(psi)[:, j]), rtol=0.0, atol=1e-12)


def test_tangent_of_small_rotations_is_right_to_the_last_digit() -> None:
    """Against the series itself, where the closed form would have lost everything."""
    for angle in (0.0, 1e-9, 1e-5, 1e-3):
        S = skew(AXES[3] * angle)
        expected = np.eye(3) - S / 2.0 + S @ S / 6.0 - S @ S @ S / 24.0 + S @ S @ S @ S / 120.0
        # next term: 1e-15/720
        assert np.allclose(tangent(AXES[3] * angle), expected, rtol=0.0, atol=EPS)


def test_tangent_and_its_inverse(psi: Array) -> None:
    left = 2.0 * math.pi - float(np.linalg.norm(psi))
    # the inverse grows as 1/(2 pi - t) towards a full turn
    tolerance = 20 * EPS * max(1.0, 40.0 / left)
    assert np.allclose(tangent(psi) @ tangent_inverse(psi), np.eye(3), rtol=0.0, atol=tolerance)


@pytest.mark.parametrize("angle", BEYOND)
def test_tangent_inverse_at_a_full_turn_is_refused(angle: float) -> None:
    with pytest.raises(ValueError, match=r"rad: must be shorter than 2 pi"):
        tangent_inverse(AXES[2] * angle)


def test_functions_join_where_series_and_closed_form_meet() -> None:
    around = [tangent(AXES[3] * t) for t in (2.0 - 1e-9, 2.0, 2.0 + 1e-9)]
    for one, two in pairwise(around):
        assert np.allclose(one, two, rtol=0.0, atol=2e-9)


def test_matrix_gives_its_vector_back(psi: Array) -> None:
    found = rotation_vector(rotation_matrix(psi))
    assert np.linalg.norm(found) <= math.pi
    assert np.allclose(rotation_matrix(found), rotation_matrix(psi), rtol=0.0, atol=8 * EPS)
    if np.linalg.norm(psi) < 3.1:
        assert np.allclose(found, psi, rtol=1e-14, atol=EPS)


def test_composition_multiplies_matrices(psi: Array) -> None:
    rng = np.random.default_rng(7)
    for turn in (np.zeros(3), -psi, 1e-12 * AXES[0], 3.0 * AXES[3], *rng.normal(size=(5, 3))):
        both = composed(psi, turn)
        assert np.linalg.norm(both) <= math.pi * (1.0 + EPS)
        expected = rotation_matrix(psi) @ rotation_matrix(turn)
        assert np.allclose(rotation_matrix(both), expected, rtol=0.0, atol=20 * EPS)


def test_many_small_turns_add_up_to_many_large_ones() -> None:
    """A hundred turns in steps of a degree: round-off grows with the number of steps, nothing else."""
    psi, turn = np.zeros(3), AXES[3] * math.radians(1.0)
    for _ in range(36000):
        psi = composed(psi, turn)
    assert np.linalg.norm(psi) < 36000 * 4 * EPS
