import numpy as np
import pytest
from fe_grids import block, distorted_block, on_surface

from alegear.fe import (
    FEModel,
    Material,
    impose_traction,
    largest_principal,
    nodal_stress,
    principal_stresses,
    stress_operator,
    von_mises,
)

STEEL = Material()
RNG = np.random.default_rng(21)
ROW, COLUMN = [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]


def quadratic_field_in_equilibrium(rng, material):
    """Symmetric ``Q_i`` (3, 3, 3) so that ``u_i = x^T Q_i x / 2`` needs no body force.

    Equilibrium: ``(lambda + mu) grad div u + mu laplace u = 0``, three conditions on 27 numbers.
    """
    lam, mu = material.lame_lambda / material.E, material.mu / material.E

    def residual(q):
        q = 0.5 * (q + q.transpose(0, 2, 1))
        return (lam + mu) * np.einsum("iij->j", q) + mu * np.einsum("ijj->i", q)

    condition = np.stack([residual(e.reshape(3, 3, 3)) for e in np.eye(27)], axis=1)
    q = rng.standard_normal(27)
    q -= np.linalg.pinv(condition) @ (condition @ q)
    q = q.reshape(3, 3, 3)
    return 0.5 * (q + q.transpose(0, 2, 1))


def hooke(gradient, material):
    """Stress components (n, 6) of displacement gradients (n, 3, 3)."""
    strain = 0.5 * (gradient + gradient.transpose(0, 2, 1))
    stress = 2 * material.mu * strain
    stress += material.lame_lambda * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    return stress[:, ROW, COLUMN]


def test_rigid_motion_is_free_of_stress():
    grid = distorted_block(3, 0.3, seed=1)
    model = FEModel.from_mesh(grid, STEEL)
    u = np.array([0.1, 0.2, 0.3]) + np.cross([1e-3, -2e-3, 3e-3], grid.points)
    # round-off of displacement differences over an element of size 1/3, times E
    assert np.abs(nodal_stress(model, u)).max() < 1e-14 * STEEL.E


@pytest.mark.parametrize("seed", range(4))
def test_average_is_exact_for_quadratic_fields_on_a_graded_grid(seed):
    rng = np.random.default_rng(seed)
    lines = [np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 1.0, 4))]) for _ in range(3)]
    grid = block(*lines)
    model = FEModel.from_mesh(grid, STEEL)
    q = quadratic_field_in_equilibrium(rng, STEEL)
    u = 0.5 * np.einsum("nj,ijk,nk->ni", grid.points, q, grid.points)
    gradient = np.einsum("ijk,nk->nij", q, grid.points)
    inner = ~on_surface(grid)
    expected = hooke(gradient, STEEL)[inner]
    # the errors of the adjacent elements cancel exactly: round-off only
    assert np.abs(nodal_stress(model, u)[inner] - expected).max() < 1e-12 * np.abs(expected).max()


def test_operator_is_the_nodal_stress():
    grid = distorted_block(3, 0.3, seed=2)
    model = FEModel.from_mesh(grid, STEEL)
    u = 1e-6 * RNG.standard_normal((model.n_nodes, 3))
    nodes = RNG.integers(0, model.n_nodes, 30)  # any order, with repetitions
    operator = stress_operator(model, nodes)
    assert operator.shape == (180, model.n_dof)
    stress = nodal_stress(model, u)
    recovered = (operator @ u.reshape(-1)).reshape(-1, 6)
    assert np.abs(recovered - stress[nodes]).max() < 1e-14 * np.abs(stress).max()  # round-off


def test_imposed_traction_is_met_and_a_right_stress_is_kept():
    stress = RNG.standard_normal((5, 6))
    normals = RNG.standard_normal((5, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    own = np.einsum("nij,nj->ni", stress[:, [[0, 3, 5], [3, 1, 4], [5, 4, 2]]], normals)
    assert impose_traction(stress, normals, STEEL, own) == pytest.approx(stress, abs=1e-14)
    wanted = RNG.standard_normal((5, 3))
    imposed = impose_traction(stress, normals, STEEL, wanted)
    met = np.einsum("nij,nj->ni", imposed[:, [[0, 3, 5], [3, 1, 4], [5, 4, 2]]], normals)
    assert met == pytest.approx(wanted, abs=1e-14)


def test_imposed_traction_keeps_the_tangential_strain():
    # normal x: the tangential strains are yy, zz, yz
    stress = RNG.standard_normal(6)
    change = stress - impose_traction(stress, np.array([1.0, 0.0, 0.0]), STEEL)
    xx, yy, zz, _, yz, _ = change
    assert [yy - STEEL.nu * (xx + zz), zz - STEEL.nu * (xx + yy), yz] == pytest.approx([0.0] * 3, abs=1e-15)


def test_operator_of_no_nodes_is_empty():
    model = FEModel.from_mesh(distorted_block(1, 0.0, seed=0), STEEL)
    assert stress_operator(model, np.array([], dtype=int)).shape == (0, model.n_dof)


def test_nodal_stress_takes_flat_displacements():
    model = FEModel.from_mesh(distorted_block(2, 0.2, seed=3), STEEL)
    u = RNG.standard_normal((model.n_nodes, 3))
    assert np.array_equal(nodal_stress(model, u), nodal_stress(model, u.reshape(-1)))


def test_von_mises_of_the_textbook_states():
    tension, shear, pressure = np.eye(6)[0], np.eye(6)[3], np.array([1.0, 1, 1, 0, 0, 0])
    assert von_mises(np.stack([tension, -tension, shear, pressure])) == pytest.approx(
        [1.0, 1.0, np.sqrt(3.0), 0.0], abs=1e-15
    )


def test_invariants_do_not_see_a_rotation():
    stress = RNG.standard_normal((10, 3, 3))
    stress = stress + stress.transpose(0, 2, 1)
    rotation, _ = np.linalg.qr(RNG.standard_normal((3, 3)))
    turned = np.einsum("ij,njk,lk->nil", rotation, stress, rotation)[:, ROW, COLUMN]
    stress = stress[:, ROW, COLUMN]
    for invariant in (von_mises, largest_principal, principal_stresses):
        assert invariant(turned) == pytest.approx(invariant(stress), rel=1e-12)


def test_principal_stresses_of_plane_stress():
    xx, yy, xy = 80.0, -20.0, 30.0
    # Mohr's circle
    centre, radius = 0.5 * (xx + yy), np.hypot(0.5 * (xx - yy), xy)
    stress = np.array([xx, yy, 0.0, xy, 0.0, 0.0])
    assert principal_stresses(stress) == pytest.approx([centre - radius, 0.0, centre + radius], abs=1e-12)
    assert largest_principal(stress) == pytest.approx(centre + radius)
    assert largest_principal(-stress) == pytest.approx(-centre - radius)
