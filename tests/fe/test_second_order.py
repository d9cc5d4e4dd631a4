"""The hexahedron of second order: patch test, rigid motions, exactness, observed orders, stress on a free surface."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from fe_grids import solve, structured

from alegear.fe import FEModel, Material, element_stiffness, nodal_stress, stress_operator
from alegear.geometry import Gear
from alegear.mesh import FreeSurface, GridOptions, mesh_sector
from alegear.mesh.reference_cell import HEXAHEDRON_NODES, shape_functions

STEEL = Material()
TENSOR = [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]
A, B = 0.6, 1.0  # radii of the ring [m]


def structured_27(coordinates):
    """Cells with 27 nodes over an array of nodes (n_i, n_j, n_k, 3) with odd numbers of nodes."""
    number = np.arange(np.prod(coordinates.shape[:3])).reshape(coordinates.shape[:3])
    offset = (HEXAHEDRON_NODES + 1.0).astype(int)
    first = np.stack(np.meshgrid(*(np.arange(0, n - 1, 2) for n in number.shape), indexing="ij"), axis=-1)
    index = first.reshape(-1, 1, 3) + offset
    cells = number[index[..., 0], index[..., 1], index[..., 2]]
    return SimpleNamespace(points=coordinates.reshape(-1, 3).copy(), cells=cells, number=number)


def curved_block(n, amount, seed):
    """Unit cube of n^3 cells whose inner nodes, middles of edges included, are moved at random."""
    line = np.linspace(0.0, 1.0, 2 * n + 1)
    x = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)
    move = np.random.default_rng(seed).uniform(-amount, amount, x.shape) / (2 * n)
    move[[0, -1]] = move[:, [0, -1]] = move[:, :, [0, -1]] = 0.0
    return structured_27(x + move)


def surface(points):
    return np.flatnonzero((np.abs(points - 0.5) > 0.5 - 1e-9).any(axis=1))


def test_patch_of_curved_cells_holds_a_constant_stress():
    grid = curved_block(2, 0.3, seed=1)
    model = FEModel.from_mesh(grid, STEEL)
    gradient = 1e-3 * np.random.default_rng(2).standard_normal((3, 3))
    exact = grid.points @ gradient.T
    held = surface(grid.points)
    held_dofs = (3 * held[:, None] + np.arange(3)).reshape(-1)
    prescribed = np.zeros_like(exact)
    prescribed[held] = exact[held]
    u = prescribed + solve(model.stiffness, -(model.stiffness @ prescribed.reshape(-1)).reshape(-1, 3), held_dofs)
    assert u == pytest.approx(exact, abs=1e-13 * np.abs(exact).max() * 100)  # round-off of the solution
    strain = 0.5 * (gradient + gradient.T)
    stress = 2.0 * STEEL.mu * strain + STEEL.lame_lambda * np.trace(strain) * np.eye(3)
    expected = np.broadcast_to(stress[TENSOR], (len(exact), 6))
    assert nodal_stress(model, u) == pytest.approx(expected, abs=1e-11 * np.abs(stress).max())  # likewise


@pytest.mark.parametrize("seed", range(5))
def test_stiffness_has_six_rigid_motions_and_no_other_mode_without_energy(seed):
    nodes = HEXAHEDRON_NODES + np.random.default_rng(seed).uniform(-0.15, 0.15, (27, 3))
    stiffness = element_stiffness(nodes, Material(E=1e9, nu=0.3))
    assert np.array_equal(stiffness, stiffness.T)
    eigenvalues = np.linalg.eigvalsh(stiffness)
    assert np.abs(eigenvalues[:6]).max() < 1e-13 * eigenvalues[-1]
    assert eigenvalues[6] > 1e-3 * eigenvalues[-1]


def test_quadratic_displacement_and_its_stress_are_exact_on_a_parallelepiped():
    shape = np.array([[1.0, 0.3, 0.1], [0.0, 0.8, 0.2], [0.1, 0.0, 1.2]])
    grid = curved_block(1, 0.0, seed=0)
    grid.points = grid.points @ shape.T
    model = FEModel.from_mesh(grid, STEEL)
    q = np.random.default_rng(3).standard_normal((3, 3, 3))
    u = np.einsum("nj,ijk,nk->ni", grid.points, q, grid.points)
    gradient = np.einsum("ijk,nk->nij", q + q.transpose(0, 2, 1), grid.points)
    strain = 0.5 * (gradient + gradient.transpose(0, 2, 1))
    stress = 2.0 * STEEL.mu * strain
    stress += STEEL.lame_lambda * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    found = nodal_stress(model, u)
    assert found == pytest.approx(stress[:, TENSOR[0], TENSOR[1]], abs=1e-12 * np.abs(stress).max())  # round-off


def test_mass_and_inertia_of_a_curved_body_are_exact():
    grid = curved_block(2, 0.3, seed=4)  # a cube, whatever its inner nodes
    body = FEModel.from_mesh(grid, Material(rho=6.0)).mass_properties()
    assert body.mass == pytest.approx(6.0, rel=1e-13)
    assert body.centre == pytest.approx([0.5] * 3, rel=1e-13)
    assert body.inertia_z == pytest.approx(6.0 * 2.0 / 3.0, rel=1e-13)
    assert body.inertia[0, 1] == pytest.approx(-6.0 / 4.0, rel=1e-13)


def test_operator_agrees_with_the_stress():
    grid = curved_block(2, 0.3, seed=5)
    model = FEModel.from_mesh(grid, STEEL)
    u = 1e-6 * np.random.default_rng(6).standard_normal((model.n_nodes, 3))
    nodes = np.array([7, 3, 3, 60])
    stress = nodal_stress(model, u)
    found = (stress_operator(model, nodes) @ u.reshape(-1)).reshape(-1, 6)
    assert found == pytest.approx(stress[nodes], abs=1e-13 * np.abs(stress).max())


def ring(n, order):
    """Eighth of a ring under inner pressure in plane strain: errors of the energy and of the hoop stress outside.

    With the outer circle as free surface.
    """
    pressure, height, angle = 1e8, 0.1, np.pi / 4
    r, theta, z = np.meshgrid(
        np.linspace(A, B, n + 1), np.linspace(0.0, angle, n + 1), np.linspace(0.0, height, order + 1), indexing="ij"
    )
    grid = (structured if order == 1 else structured_27)(np.stack([r * np.cos(theta), r * np.sin(theta), z], axis=-1))
    number = grid.number
    normal = np.stack([np.cos(theta), np.sin(theta), 0.0 * z], axis=-1)
    outside = FreeSurface(nodes=number[-1].reshape(-1), normals=normal[-1].reshape(-1, 3))
    model = replace(FEModel.from_mesh(grid, STEEL), free_surface=outside)
    # consistent forces of a smooth pressure: Newton-Cotes weights along both directions are exact enough
    weight = {1: np.array([0.5, 0.5]), 2: np.array([1.0, 4.0, 1.0]) / 6.0}[order]
    along = np.zeros(n + 1)
    for first in range(0, n, order):
        along[first : first + order + 1] += weight * order * angle / n
    force = np.zeros_like(grid.points)
    force[number[0]] = pressure * A * height * along[:, None, None] * weight[:, None] * normal[0]
    on_x, on_diagonal = number[:, 0].reshape(-1), number[:, -1].reshape(-1)
    # the diagonal end slides along itself: a stiff spring across it, 1e6 times the body
    across = np.array([-np.sin(angle), np.cos(angle), 0.0])
    stiffness = model.stiffness.tolil()
    spring = 1e6 * STEEL.E * height
    for node in on_diagonal:
        dofs = slice(3 * node, 3 * node + 3)
        stiffness[dofs, dofs] = stiffness[dofs, dofs].toarray() + spring * np.outer(across, across)
    fixed = np.concatenate([3 * np.arange(model.n_nodes) + 2, 3 * on_x + 1])
    u = solve(stiffness.tocsr(), force, fixed)
    nu = STEEL.nu
    radial = pressure * A**2 / (B**2 - A**2) * (1.0 + nu) / STEEL.E * ((1.0 - 2.0 * nu) * A + B**2 / A)
    energy = 0.5 * np.sum(force * u) / (0.5 * pressure * A * angle * height * radial) - 1.0
    hoop = 2.0 * pressure * A**2 / (B**2 - A**2)
    node = number[-1, n // 2, 0]
    found = nodal_stress(model, u)[node]
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    hoop_error = (s**2 * found[0] + c**2 * found[1] - 2.0 * s * c * found[3]) / hoop - 1.0
    traction = np.abs(found[[0, 3, 5]] * c + found[[3, 1, 4]] * s).max() / hoop
    return abs(energy), abs(hoop_error), traction


def test_ring_under_pressure_converges_with_the_fourth_and_the_second_order():
    errors = np.array([ring(n, 2) for n in (4, 8)])
    order = np.log2(errors[:-1] / errors[1:])
    assert np.all(order[:, 0] > 3.5)  # energy: twice the degree
    assert np.all(order[:, 1] > 1.7)  # stress at a node of the surface: the degree
    assert errors[:, 2].max() < 1e-12  # the free surface carries no traction
    first = ring(4, 1)
    assert errors[0, 0] < 0.1 * first[0]  # on the same nodes
    assert errors[0, 1] < first[1]


def fillet_peak(level):
    """Largest tangential stress along the fillet of a plane-strain tooth under a force at its tip."""
    g = Gear(z=20, m_n=4e-3, b=4e-3, bore_diameter=40e-3)
    options = GridOptions(
        flank_elements=12 * level,
        fillet_elements=8 * level,
        thickness_elements=8 * level,
        rim_elements=12 * level,
        width_elements=2,
        order=2,
    )
    sector = mesh_sector(g, options)
    model = FEModel.from_mesh(sector.volume, STEEL)
    force = np.zeros((model.n_nodes, 3))
    force[sector.flank_a[-1], 1] = np.array([1.0, 4.0, 1.0]) / 6.0
    # cut planes held: a tooth on its own
    held = np.concatenate([sector.bore, sector.cut_low, sector.cut_high])
    fixed = np.concatenate([3 * np.arange(model.n_nodes) + 2, 3 * held, 3 * held + 1])
    stress = nodal_stress(model, solve(model.stiffness, force, fixed))[sector.root_b[1:-1, 1]]
    return np.abs(stress[:, 0] + stress[:, 1]).max()  # the normal one is zero


def test_fillet_stress_of_the_default_grid_is_within_four_percent():
    peaks = np.array([fillet_peak(level) for level in (1, 2, 3)])
    error = peaks[:2] / peaks[2] - 1.0
    assert abs(error[0]) < 0.04
    assert abs(error[1]) < 0.01


def test_free_surface_of_a_sector_has_no_traction():
    g = Gear(z=17, m_n=4e-3, beta=0.3, b=12e-3, bore_diameter=40e-3)
    for order in (1, 2):
        sector = mesh_sector(g, GridOptions(width_elements=2, order=order))
        model = FEModel.from_mesh(sector.volume, STEEL)
        u = 1e-6 * np.random.default_rng(8).standard_normal((model.n_nodes, 3))
        free = sector.volume.free_surface
        stress = nodal_stress(model, u)
        tensor = stress[free.nodes][:, [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
        traction = np.einsum("nij,nj->ni", tensor, free.normals)
        assert np.abs(traction).max() < 1e-12 * np.abs(stress).max()  # round-off
        operator = stress_operator(model, free.nodes[5:9])
        assert (operator @ u.reshape(-1)).reshape(-1, 6) == pytest.approx(
            stress[free.nodes[5:9]], abs=1e-12 * np.abs(stress).max()
        )


def test_geometry_of_a_cell_follows_a_curve_with_the_third_order():
    """The middle of an edge on a circle: between the nodes the parabola is off by h^3, by h^4 with equal arcs."""
    off = []
    for angle in (0.4, 0.2):
        nodes = HEXAHEDRON_NODES * [0.5 * angle, 0.1, 0.1]
        nodes = np.stack(
            [np.sin(nodes[:, 0]) * (1 + nodes[:, 1]), np.cos(nodes[:, 0]) * (1 + nodes[:, 1]), nodes[:, 2]], 1
        )
        xi = np.stack([np.linspace(-1, 1, 41), np.full(41, 0.0), np.zeros(41)], axis=1)
        off.append(np.abs(np.hypot(*(shape_functions(27, xi) @ nodes)[:, :2].T) - 1.0).max())
    assert np.log2(off[0] / off[1]) == pytest.approx(4.0, abs=0.1)
