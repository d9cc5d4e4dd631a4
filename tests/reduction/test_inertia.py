"""Mass invariants: every one against the whole mass matrix of the grid, and against tables of their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from fe_grids import distorted_block

from alegear.errors import Fault
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material
from alegear.reduction.inertia import MassInvariants
from alegear.system.rotation import rotation_matrix, skew

N_MODES = 5
ROUND_OFF = 1e-12


@pytest.fixture(scope="module")
def model() -> FEModel:
    return FEModel.from_mesh(distorted_block(3, 0.15, seed=4), Material())


@pytest.fixture(scope="module")
def modes(model: FEModel) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(model.n_nodes, 3, N_MODES))


@pytest.fixture(scope="module")
def invariants(model: FEModel, modes: np.ndarray) -> MassInvariants:
    return MassInvariants.of(model, modes)


def by_definition(model: FEModel, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """``int rho one^T two dV`` of matrix fields given at the nodes, shape (n, 3, a) and (n, 3, b)."""
    return one.reshape(model.n_dof, -1).T @ (model.mass @ two.reshape(model.n_dof, -1))


def test_all_nine_against_the_whole_mass_matrix(model: FEModel, modes: np.ndarray, invariants: MassInvariants) -> None:
    n, U = model.n_nodes, invariants
    one = np.broadcast_to(np.eye(3), (n, 3, 3))
    S = skew(model.points)  # s x
    Phi = [skew(modes[:, :, i]) for i in range(N_MODES)]

    def same(found: np.ndarray, expected: np.ndarray) -> None:
        assert np.allclose(found, expected, rtol=0.0, atol=ROUND_OFF * np.abs(expected).max())

    same(U.U0 * np.eye(3), by_definition(model, one, one))
    same(skew(U.U1), by_definition(model, one, S))
    same(U.U2, by_definition(model, one, modes))
    # skew is minus its transpose
    same(U.U3, -by_definition(model, S, modes))
    same(U.U6, by_definition(model, S, S))
    same(U.U5, by_definition(model, modes, modes))
    for i in range(N_MODES):
        same(U.U4[i], -by_definition(model, Phi[i], modes))
        same(U.U7[i], by_definition(model, S, Phi[i]))
        for j in range(N_MODES):
            same(U.U8[i, j], by_definition(model, Phi[i], Phi[j]))


def test_rigid_part_is_that_of_the_grid(model: FEModel, invariants: MassInvariants) -> None:
    body = model.mass_properties()
    assert invariants.mass == pytest.approx(body.mass, rel=ROUND_OFF)
    assert np.allclose(invariants.first / invariants.mass, body.centre, rtol=ROUND_OFF)
    assert np.allclose(invariants.U6, body.inertia, rtol=ROUND_OFF)


def test_turned_is_the_body_in_the_turned_frame(model: FEModel, modes: np.ndarray, invariants: MassInvariants) -> None:
    R = rotation_matrix(np.array([0.3, -0.7, 1.1]))
    turned_model = FEModel(points=model.points @ R, cells=model.cells, material=model.material)
    expected = MassInvariants.of(turned_model, np.einsum("ba,nbi->nai", R, modes))
    for name in ("U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"):
        found, right = getattr(invariants.turned(R), name), getattr(expected, name)
        assert np.allclose(found, right, rtol=0.0, atol=ROUND_OFF * np.abs(right).max()), name


def test_combined_is_the_body_with_the_other_modes(
    model: FEModel, modes: np.ndarray, invariants: MassInvariants
) -> None:
    T = np.random.default_rng(6).normal(size=(N_MODES, 3))
    expected = MassInvariants.of(model, modes @ T)
    for name in ("U2", "U3", "U4", "U5", "U7", "U8"):
        found, right = getattr(invariants.combined(T), name), getattr(expected, name)
        assert np.allclose(found, right, rtol=0.0, atol=ROUND_OFF * np.abs(right).max()), name


def test_pairs_of_modes_may_be_left_out(model: FEModel, modes: np.ndarray) -> None:
    lean = MassInvariants.of(model, modes, quadratic=False)
    assert np.array_equal(lean.turned(np.eye(3)).combined(np.eye(N_MODES)).U7, lean.U7)
    with pytest.raises(Fault, match="needed for the full inertia"):
        _ = lean.U5


def test_modes_of_another_grid(model: FEModel, modes: np.ndarray) -> None:
    with pytest.raises(Fault, match=r"modes = shape \(63, 3, 5\): must be shape \(64, 3, m\)"):
        MassInvariants.of(model, modes[1:])
