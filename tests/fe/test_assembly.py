import numpy as np
import pytest
from fe_grids import block, distorted_block, on_surface, unit_block

from alegear.errors import Fault
from alegear.fe import FEModel, Material, element_stiffness, nodal_stress

STEEL = Material()


def rigid_modes(points):
    """Three translations and three linearised rotations, shape (6, n_nodes, 3)."""
    translations = np.broadcast_to(np.eye(3)[:, None, :], (3, *points.shape))
    rotations = np.stack([np.cross(axis, points) for axis in np.eye(3)])
    return np.concatenate([translations, rotations])


@pytest.mark.parametrize("seed", range(3))
def test_patch_of_distorted_elements_carries_constant_stress(seed):
    grid = distorted_block(3, 0.3, seed)
    model = FEModel.from_mesh(grid, STEEL)
    gradient = 1e-3 * np.random.default_rng(seed).standard_normal((3, 3))
    exact = grid.points @ gradient.T + [1e-3, 0.0, -2e-3]
    outer = np.repeat(on_surface(grid), 3)
    u = np.where(outer, exact.reshape(-1), 0.0)
    stiffness = model.stiffness
    inner_block = stiffness[~outer][:, ~outer].toarray()
    u[~outer] = np.linalg.solve(inner_block, -(stiffness[~outer] @ u))
    # linear solve of 24 unknowns: round-off
    assert u == pytest.approx(exact.reshape(-1), rel=1e-12, abs=1e-16)
    strain = 0.5 * (gradient + gradient.T)
    stress = STEEL.lame_lambda * np.trace(strain) * np.eye(3) + 2 * STEEL.mu * strain
    expected = stress[[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
    largest = np.abs(expected).max()
    assert np.abs(nodal_stress(model, u) - expected).max() < 1e-12 * largest


def test_free_body_has_exactly_six_zero_modes():
    grid = distorted_block(2, 0.4, seed=7)
    model = FEModel.from_mesh(grid, STEEL)
    values = np.linalg.eigvalsh(model.stiffness.toarray())
    assert np.abs(values[:6]).max() < 1e-13 * values[-1]  # round-off
    assert values[6] > 1e-4 * values[-1]
    for mode in rigid_modes(grid.points):
        assert np.abs(model.stiffness @ mode.reshape(-1)).max() < 1e-13 * values[-1]


def test_assembly_is_the_sum_of_the_elements():
    grid = distorted_block(2, 0.4, seed=8)
    expected = np.zeros((3 * len(grid.points),) * 2)
    for cell in grid.cells:
        dof = (3 * cell[:, None] + np.arange(3)).reshape(-1)
        expected[np.ix_(dof, dof)] += element_stiffness(grid.points[cell], STEEL)
    stiffness = FEModel.from_mesh(grid, STEEL).stiffness
    assert np.abs(stiffness.toarray() - expected).max() < 1e-15 * np.abs(expected).max()
    assert stiffness.has_canonical_format


def test_stiffness_and_mass_are_symmetric_to_the_last_bit():
    model = FEModel.from_mesh(distorted_block(3, 0.3, seed=9), STEEL)
    for matrix in (model.stiffness, model.mass):
        assert (matrix != matrix.T).nnz == 0


def test_node_numbering_does_not_matter():
    grid = distorted_block(2, 0.3, seed=10)
    order = np.random.default_rng(0).permutation(len(grid.points))
    place = np.argsort(order)
    reference = FEModel.from_mesh(grid, STEEL).stiffness.toarray()
    grid.points, grid.cells = grid.points[order], place[grid.cells]
    permuted = FEModel.from_mesh(grid, STEEL).stiffness.toarray()
    dof = (3 * order[:, None] + np.arange(3)).reshape(-1)
    assert permuted == pytest.approx(reference[np.ix_(dof, dof)], abs=1e-15 * np.abs(reference).max())


def test_mass_of_a_distorted_grid_is_density_times_volume():
    # inner nodes moved, outer faces plane: the volume stays that of the cube
    model = FEModel.from_mesh(distorted_block(3, 0.3, seed=12), STEEL)
    properties = model.mass_properties()
    assert properties.mass == pytest.approx(STEEL.rho, rel=1e-14)
    assert properties.centre == pytest.approx([0.5, 0.5, 0.5], rel=1e-13)
    # moments of a cube about its corner: 2/3 and -1/4
    expected = STEEL.rho * (2.0 / 3.0 * np.eye(3) - 0.25 * (1.0 - np.eye(3)))
    assert properties.inertia == pytest.approx(expected, rel=1e-13)
    assert model.cell_volumes.sum() == pytest.approx(1.0, rel=1e-14)


def test_inertia_of_a_block_about_z_is_exact():
    a, b, c = 0.05, 0.02, 0.03
    grid = block(np.linspace(0.1, 0.1 + a, 3), np.linspace(-b / 2, b / 2, 4), np.linspace(0.0, c, 2))
    properties = FEModel.from_mesh(grid, STEEL).mass_properties()
    mass = STEEL.rho * a * b * c
    assert properties.inertia_z == pytest.approx(mass * ((a**2 + b**2) / 12 + (0.1 + a / 2) ** 2), rel=1e-13)


def test_mass_matrix_gives_the_kinetic_energy_of_a_rigid_rotation():
    grid = distorted_block(2, 0.3, seed=13)
    model = FEModel.from_mesh(grid, STEEL)
    omega = np.array([3.0, -2.0, 5.0])
    velocity = np.cross(omega, grid.points).reshape(-1)
    expected = 0.5 * omega @ model.mass_properties().inertia @ omega
    assert 0.5 * velocity @ (model.mass @ velocity) == pytest.approx(expected, rel=1e-13)
    assert np.linalg.eigvalsh(model.mass.toarray())[0] > 0.0


def test_element_turned_inside_out_is_named():
    grid = unit_block(2, 1, 1)
    grid.cells[1] = grid.cells[1][[4, 5, 6, 7, 0, 1, 2, 3]]
    with pytest.raises(Fault, match="element 1 "):
        FEModel.from_mesh(grid, STEEL)


def test_grid_that_is_none_is_a_fault():
    grid = unit_block(1, 1, 1)
    points, cells = grid.points, grid.cells
    for bad_points, bad_cells in [
        (points[:, :2], cells),
        (np.where(points == 1.0, np.nan, points), cells),
        (points, cells[:, :6]),
        (points, cells[:0]),
        (points, cells + 1),
        (points, cells - 1),
        (np.vstack([points, [[5.0, 5.0, 5.0]]]), cells),
    ]:
        grid.points, grid.cells = bad_points, bad_cells
        with pytest.raises(Fault):
            FEModel.from_mesh(grid, STEEL)


def test_hexahedra_with_20_nodes_are_refused_with_the_reason():
    grid = unit_block(1, 1, 1)
    grid.cells = np.zeros((1, 20), dtype=int)
    with pytest.raises(Fault, match="20 lack the middles"):
        FEModel.from_mesh(grid, STEEL)
