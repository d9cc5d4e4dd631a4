import numpy as np
import pytest
from fe_grids import block, distorted_block, on_surface

from alegear.fe import (
    FEModel,
    Material,
    impose_traction,
    largest_principal,
    nodal_stress,
    stress_operator,
    von_mises,
)
from alegear.fe.stress import TENSOR, fillet_maxima

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
    for invariant in (von_mises, largest_principal):
        assert invariant(turned) == pytest.approx(invariant(stress), rel=1e-12)


def test_largest_principal_of_plane_stress():
    xx, yy, xy = 80.0, -20.0, 30.0
    # Mohr's circle
    centre, radius = 0.5 * (xx + yy), np.hypot(0.5 * (xx - yy), xy)
    stress = np.array([xx, yy, 0.0, xy, 0.0, 0.0])
    assert largest_principal(stress) == pytest.approx(centre + radius)
    assert largest_principal(-stress) == pytest.approx(-centre - radius)


def stresses_of(principal, rng):
    """Stress components (n, 6) with given principal stresses (n, 3) in random axes."""
    axes, _ = np.linalg.qr(rng.standard_normal((len(principal), 3, 3)))
    tensor = np.einsum("nij,nj,nkj->nik", axes, principal, axes)
    tensor = 0.5 * (tensor + tensor.transpose(0, 2, 1))
    return tensor[:, ROW, COLUMN]


@pytest.mark.parametrize("apart", [1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0])
@pytest.mark.parametrize(
    "centre", [(1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (-1.0, 0.3, 0.3), (0.0, 0.0, 1.0), (-1, -1, 0.5)]
)
def test_largest_principal_is_an_eigenvalue_to_round_off(centre, apart):
    """Also where two or all three are nearly equal, where the roots of the cubic have half the digits."""
    rng = np.random.default_rng(8)
    principal = np.array(centre) + apart * rng.uniform(-1.0, 1.0, (400, 3))
    for scale in (1e-60, 1.0, 1e8):
        stress = scale * stresses_of(principal, rng)
        every = np.linalg.eigvalsh(stress[:, TENSOR])
        found = largest_principal(stress)
        largest = np.abs(every).max(axis=1)
        # a few units of round-off of the largest component; both algorithms have them
        assert np.abs(np.abs(found) - largest).max() <= 1e-14 * largest.max()
        assert np.abs(every - found[:, None]).min(axis=1).max() <= 1e-14 * largest.max()


def test_largest_principal_of_special_states():
    shear = np.eye(6)[3:]
    # of two as large the tensile one, but round-off may make one larger
    assert np.abs(largest_principal(shear)) == pytest.approx([1.0, 1.0, 1.0], abs=1e-15)
    assert np.array_equal(largest_principal(np.array([[0.0] * 6, [-3.0, -3.0, -3.0, 0, 0, 0]])), [0.0, -3.0])
    assert largest_principal(np.zeros((0, 6))).shape == (0,)
    assert largest_principal(np.eye(6).reshape(2, 3, 6)).shape == (2, 3)
    diagonal = np.array([[2.0, -5.0, 1.0, 0, 0, 0], [-5.0, 2.0, 1.0, 0, 0, 0], [1.0, 2.0, -5.0, 0, 0, 0]])
    assert largest_principal(diagonal) == pytest.approx([-5.0] * 3, abs=1e-14)


def test_fillet_maxima_are_those_of_the_points():
    stress = np.random.default_rng(4).standard_normal((5, 3, 2, 7, 6))
    points = np.empty((5, 3, 2, 7, 2))
    highest, lowest = np.full((2, 7), -np.inf), np.full((2, 7), np.inf)
    # in two blocks, the second without the points
    maxima = np.concatenate(
        [fillet_maxima(stress[:2], highest, lowest, points[:2]), fillet_maxima(stress[2:], highest, lowest)]
    )
    equivalent, principal = von_mises(stress), largest_principal(stress)
    np.testing.assert_allclose(maxima[..., 0], equivalent.max(axis=-1), rtol=1e-15)  # one unit: the order of the sum
    place = np.abs(principal).argmax(axis=-1)[..., None]
    np.testing.assert_array_equal(maxima[..., 1], np.take_along_axis(principal, place, axis=-1)[..., 0])
    np.testing.assert_array_equal(highest, principal.max(axis=(0, 1)))
    np.testing.assert_array_equal(lowest, principal.min(axis=(0, 1)))
    np.testing.assert_allclose(points[:2, ..., 0], equivalent[:2], rtol=1e-15)
    np.testing.assert_array_equal(points[:2, ..., 1], principal[:2])
