from functools import partial

import numpy as np
import pytest

from alegear.fe import Material, element_stiffness
from alegear.fe.hexahedron import (
    HEX8,
    HEXAHEDRON_CORNERS,
    HEXAHEDRON_NODES,
    bubble_gradients,
    gauss_cube,
    shape_functions,
    shape_gradients,
)

LINEAR, QUADRATIC = ((partial(shape_functions, n), partial(shape_gradients, n)) for n in (8, 27))
XI = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3))


def random_element(seed):
    """A cube of edge 2 with every corner moved at random by up to 0.3 in each direction."""
    return HEXAHEDRON_CORNERS + np.random.default_rng(seed).uniform(-0.3, 0.3, (8, 3))


def test_shape_functions_are_nodal():
    assert np.array_equal(shape_functions(8, HEXAHEDRON_CORNERS), np.eye(8))
    assert np.array_equal(shape_functions(27, HEXAHEDRON_NODES), np.eye(27))


@pytest.mark.parametrize(("function", "gradients"), [LINEAR, QUADRATIC])
def test_shape_functions_are_a_partition_of_unity(function, gradients):
    assert function(XI).sum(axis=1) == pytest.approx(1.0, abs=1e-14)
    assert gradients(XI).sum(axis=1) == pytest.approx(0.0, abs=1e-14)


def test_every_triquadratic_polynomial_is_interpolated_exactly():
    powers = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    monomials = np.prod(XI[:, None, :] ** powers, axis=2)
    at_nodes = np.prod(HEXAHEDRON_NODES[:, None, :] ** powers, axis=2)
    assert shape_functions(27, XI) @ at_nodes == pytest.approx(monomials, abs=1e-13)


@pytest.mark.parametrize(
    ("function", "gradients"),
    [
        LINEAR,
        QUADRATIC,
        (lambda xi: 1.0 - xi**2, bubble_gradients),
    ],
)
def test_gradients_are_the_derivatives(function, gradients):
    step = 1e-6
    for k in range(3):
        shift = step * np.eye(3)[k]
        difference = (function(XI + shift) - function(XI - shift)) / (2 * step)
        # central difference: round-off 1e-16/1e-6
        assert gradients(XI)[:, :, k] == pytest.approx(difference, abs=1e-9)


@pytest.mark.parametrize("order", [2, 3, 5])
def test_gauss_rule_is_exact_up_to_its_degree(order):
    points, weights = gauss_cube(order)
    for p in range(2 * order):
        exact = 8.0 / (p + 1) if p % 2 == 0 else 0.0
        for k in range(3):
            assert weights @ points[:, k] ** p == pytest.approx(exact, abs=1e-14)


def test_extrapolation_reproduces_trilinear_functions():
    coefficients = np.random.default_rng(2).standard_normal(8)
    points, _ = gauss_cube(2)
    at_gauss = shape_functions(8, points) @ coefficients
    assert HEX8.extrapolation @ at_gauss == pytest.approx(coefficients, abs=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_distorted_element_is_symmetric_semidefinite_with_six_zero_modes(seed):
    stiffness = element_stiffness(random_element(seed), Material(E=1e9, nu=0.3))
    assert np.array_equal(stiffness, stiffness.T)
    values = np.linalg.eigvalsh(stiffness)
    # round-off of 24 x 24 eigenvalues against the largest; the seventh is a true deformation
    assert np.abs(values[:6]).max() < 1e-14 * values[-1]
    assert values[6] > 1e-3 * values[-1]


def test_stiffness_scales_with_youngs_modulus_and_length():
    corners = random_element(3)
    reference = element_stiffness(corners, Material(E=1e9, nu=0.3))
    scaled = element_stiffness(1e-3 * corners, Material(E=210e9, nu=0.3))
    assert scaled == pytest.approx(0.21 * reference, rel=1e-11, abs=1e-6)


def test_stiffness_is_objective():
    corners = random_element(4)
    rotation, _ = np.linalg.qr(np.random.default_rng(5).standard_normal((3, 3)))
    rotation *= np.sign(np.linalg.det(rotation))
    material = Material(E=1e9, nu=0.3)
    turn = np.kron(np.eye(8), rotation)
    turned = element_stiffness(corners @ rotation.T + [1.0, 2.0, 3.0], material)
    # round-off of a change of frame
    assert turned == pytest.approx(turn @ element_stiffness(corners, material) @ turn.T, abs=1e-4)
