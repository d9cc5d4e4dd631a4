"""The clamped layer under a flank: which elements, which compliance, which section."""

from dataclasses import replace
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from block_sector import block_sector

from alegear.errors import Fault
from alegear.fe import FEModel, Material
from alegear.mesh import SectorMesh, VolumeMesh
from alegear.mesh.reference_cell import HEXAHEDRON_NODES
from alegear.reduction import layer_compliance, reduce_wheel
from alegear.reduction.layer import _layer

STEEL = Material()
EMPTY = np.zeros(0, dtype=np.int64)


def plate(n_x, n_y, n_z, size=(8e-3, 2e-3, 8e-3), order=1, shuffle=True):
    """Mesh a plate x 0 ... size, y centred (flank a at +y, flank b at -y), z centred; numbers at random."""
    counts = [order * n + 1 for n in (n_x, n_y, n_z)]
    index = np.arange(np.prod(counts)).reshape(counts)
    start = np.array([0.0, -0.5 * size[1], -0.5 * size[2]])
    lattice = np.stack(np.meshgrid(*(np.linspace(0.0, 1.0, n) for n in counts), indexing="ij"), axis=-1)
    points = (start + lattice * size).reshape(-1, 3)
    local = ((HEXAHEDRON_NODES[: (order + 1) ** 3] + 1.0) / 2.0 * order).astype(int)
    cells = np.array(
        [
            [index[tuple(order * np.array(cell) + p)] for p in local]
            for cell in product(range(n_x), range(n_y), range(n_z))
        ]
    )
    rng = np.random.default_rng(0)
    number = rng.permutation(len(points)) if shuffle else np.arange(len(points))
    shuffled = np.empty_like(points)
    shuffled[number] = points
    cells = number[cells][rng.permutation(len(cells))]
    index = number[index]
    sets = dict.fromkeys(("root_a", "root_b", "cut_low", "cut_high", "tip"), EMPTY)
    return SectorMesh(
        volume=VolumeMesh(points=shuffled, cells=cells),
        teeth=20,
        flank_a=index[:, -1],
        flank_b=index[:, 0],
        bore=index[0].ravel(),
        **sets,
    )


def tooth():
    return block_sector(7, n_rim=3, n_tooth=4, n_width=3, strip=2)


def turned(points, angle):
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = points.T
    return np.stack([c * x - s * y, s * x + c * y, z + 0.0 * x], axis=1)


def moved(sector, points, **changes):
    return replace(sector, volume=replace(sector.volume, points=points), **changes)


def dense_compliance(sector, flank, cells):
    """Invert the stiffness of the layer in full, everything clamped that belongs to another element."""
    volume = sector.volume
    inside = np.zeros(volume.n_cells, dtype=bool)
    inside[cells] = True
    nodes, part = np.unique(volume.cells[inside], return_inverse=True)
    grid = SimpleNamespace(points=volume.points[nodes], cells=part.reshape(-1, volume.cells.shape[1]))
    K = FEModel.from_mesh(grid, STEEL).stiffness.toarray()
    free = np.flatnonzero(np.repeat(~np.isin(nodes, volume.cells[~inside]), 3))
    C = np.zeros_like(K)
    C[np.ix_(free, free)] = np.linalg.inv(K[np.ix_(free, free)])
    face = (sector.flank_a if flank == "a" else sector.flank_b).ravel()
    dofs = (3 * np.searchsorted(nodes, face)[:, None] + np.arange(3)).ravel()
    return C[np.ix_(dofs, dofs)]


@pytest.mark.parametrize(("flank", "n_layers"), [("a", 1), ("a", 2), ("b", 1), ("b", 3)])
def test_equals_a_dense_inversion(flank, n_layers):
    sector = plate(5, 6, 4)
    side = 1.0 if flank == "a" else -1.0
    depth = 1e-3 - side * sector.volume.points[sector.volume.cells].mean(axis=1)[:, 1]
    layer = layer_compliance(sector, STEEL, flank, n_layers)
    C = dense_compliance(sector, flank, np.flatnonzero(depth < n_layers * 2e-3 / 6))
    assert np.abs(layer.C_local - C).max() < 1e-12 * np.abs(C).max()  # round-off of two direct solutions
    assert np.array_equal(layer.C_local, layer.C_local.T)
    eigenvalues = np.linalg.eigvalsh(layer.C_local)
    assert eigenvalues[0] > -1e-14 * eigenvalues[-1]  # round-off of the eigenvalues


@pytest.mark.parametrize("flank", ["a", "b"])
def test_layer_of_a_tooth(flank):
    """Rows of the tooth above the rim are in the layer; the lowest flank row belongs to the rim too and is clamped."""
    sector = tooth()
    layer = layer_compliance(sector, STEEL, flank, 1)
    grid = sector.flank_a if flank == "a" else sector.flank_b
    cells = np.flatnonzero(np.isin(sector.volume.cells, grid).sum(axis=1) == 4)
    C = dense_compliance(sector, flank, cells)
    assert np.abs(layer.C_local - C).max() < 1e-12 * np.abs(C).max()  # round-off of two direct solutions
    rows = layer.C_local.reshape(*grid.shape, 3, -1)
    assert not rows[0].any()
    assert (np.abs(rows[1:]).max(axis=-1) > 0.0).all()
    # the tooth of block_sector is two elements thick: the boundary is the line of nodes in its middle
    middle = sector.volume.points[grid + (-sector.flank_a.shape[1] if flank == "a" else sector.flank_a.shape[1])]
    np.testing.assert_allclose(layer.inner, middle[:, 1, :2], rtol=0.0, atol=1e-17)
    np.testing.assert_array_equal(layer.outer, sector.volume.points[grid[:, 1], :2])


def test_uniform_pressure_on_a_wide_layer():
    """Far from the rim of a wide plate the layer is compressed with lateral strain held: u = p h / M.

    M = E (1 - nu)/((1 + nu)(1 - 2 nu)), the linear field that every element represents.
    """
    sector = plate(16, 4, 16, size=(16e-3, 2e-3, 16e-3))
    layer = layer_compliance(sector, STEEL, "a", 2)
    p, h = 1e6, 1e-3
    weight = np.full(17, 1e-3)
    weight[[0, -1]] *= 0.5
    f = np.zeros((17, 17, 3))
    f[..., 1] = -p * np.outer(weight, weight)
    u = (layer.C_local @ f.ravel()).reshape(f.shape)[8, 8]
    modulus = STEEL.lame_lambda + 2.0 * STEEL.mu
    # the free edges are eight depths away and their disturbance decays like exp(-x/h)
    np.testing.assert_allclose(u, [0.0, -p * h / modulus, 0.0], rtol=0.0, atol=np.exp(-8.0) * p * h / modulus)


def test_a_deeper_layer_is_softer():
    """Releasing nodes can only raise the work of any force: C_3 - C_2, C_2 - C_1 are positive semidefinite."""
    sector = plate(6, 6, 4)
    C = [layer_compliance(sector, STEEL, "a", n).C_local for n in (1, 2, 3)]
    for shallow, deep in pairwise(C):
        eigenvalues = np.linalg.eigvalsh(deep - shallow)
        assert eigenvalues[0] > -1e-13 * eigenvalues[-1]  # round-off
        assert eigenvalues[-1] > 0.0


def test_what_is_left_of_the_compliance_is_positive_and_smooth():
    """C - C_local is positive semidefinite (the layer is the wheel with more nodes held), and its local part is gone.

    Measure of the local part: the displacement under a single nodal force above the mean of its neighbours.
    """
    sector = block_sector(7, n_rim=3, n_tooth=8, n_width=8, n_thick=8)
    C = reduce_wheel(sector, STEEL, slots=1, flank="a").C_ff
    rows, cols = sector.flank_a.shape
    peaks = []
    for n_layers in (1, 2, 3, 4):
        left = C - layer_compliance(sector, STEEL, "a", n_layers).C_local
        eigenvalues = np.linalg.eigvalsh(left)
        assert eigenvalues[0] > -1e-12 * eigenvalues[-1]  # round-off of C, which is larger
        normal = left.reshape(rows, cols, 3, rows, cols, 3)[..., 1, :, :, 1]
        i, j = rows // 2, cols // 2
        peaks.append(normal[i, j, i, j] - 0.5 * (normal[i, j - 1, i, j] + normal[i, j + 1, i, j]))
    whole = C.reshape(rows, cols, 3, rows, cols, 3)[..., 1, :, :, 1]
    peak = whole[i, j, i, j] - 0.5 * (whole[i, j - 1, i, j] + whole[i, j + 1, i, j])
    # with every layer taken out less of the peak is left; the numbers are those of a field at depth n h
    assert np.all(np.diff([peak, *peaks]) < 0.0)
    assert peaks[-1] < 0.02 * peak


def test_turning_the_tooth_turns_the_compliance():
    sector = tooth()
    angle = 0.7
    other = moved(sector, turned(sector.volume.points, angle))
    R = turned(np.eye(3), angle).T
    first, second = (layer_compliance(s, STEEL, "a", 1) for s in (sector, other))
    grid = (sector.flank_a.size, 3) * 2
    expected = np.einsum("ab,ibjc,dc->iajd", R, first.C_local.reshape(grid), R).reshape(first.C_local.shape)
    assert np.abs(second.C_local - expected).max() < 1e-12 * np.abs(expected).max()  # round-off
    np.testing.assert_allclose(second.inner, first.inner @ R[:2, :2].T, rtol=0.0, atol=1e-16)


@pytest.mark.parametrize("n_z", [4, 5])
def test_helical_section_is_untwisted(n_z):
    """The section at z = 0 does not know the twist, whether a column of nodes lies there or not."""
    twist = 12.0  # rad/m: 5 degrees over the face
    straight = block_sector(7, n_rim=3, n_tooth=4, n_width=n_z, strip=2)
    helical = block_sector(7, n_rim=3, n_tooth=4, n_width=n_z, strip=2, twist=twist)
    first, second = (layer_compliance(s, STEEL, "a", 1) for s in (straight, helical))
    for name in ("outer", "inner"):
        np.testing.assert_allclose(getattr(second, name), getattr(first, name), rtol=0.0, atol=1e-16)  # round-off
    third = layer_compliance(block_sector(7, n_rim=3, n_tooth=4, n_width=n_z, strip=2, twist=-twist), STEEL, "a", 1)
    # left and right hand are mirror images in z = 0
    grid = (*straight.flank_a.shape, 3)
    sign = np.array([1.0, 1.0, -1.0])
    mirrored = third.C_local.reshape(grid + grid)[:, ::-1, :, :, ::-1, :] * sign * sign[:, None, None, None]
    assert np.abs(mirrored.reshape(second.C_local.shape) - second.C_local).max() < 1e-11 * second.C_local.max()


@pytest.mark.parametrize("flank", ["a", "b"])
def test_elements_of_second_order(flank):
    """27 nodes each: the same section as with eight nodes, half the size and twice as many layers."""
    coarse, fine = plate(3, 6, 3, order=2), plate(6, 12, 6)
    first, second = layer_compliance(coarse, STEEL, flank, 2), layer_compliance(fine, STEEL, flank, 4)
    np.testing.assert_allclose(first.outer, second.outer, rtol=0.0, atol=1e-17)
    np.testing.assert_allclose(first.inner, second.inner, rtol=0.0, atol=1e-17)
    C = dense_compliance(coarse, flank, np.unique(_layer(coarse, flank, 2).stacks))
    assert np.abs(first.C_local - C).max() < 1e-12 * np.abs(C).max()  # round-off of two direct solutions


def test_layers_beyond_the_middle_are_refused():
    sector = plate(3, 6, 3)
    assert layer_compliance(sector, STEEL, "a", 3).n_layers == 3
    for n_layers in (4, 7):
        with pytest.raises(Fault, match="at most 3"):
            layer_compliance(sector, STEEL, "a", n_layers)
    with pytest.raises(Fault, match="at most 2"):
        layer_compliance(plate(3, 5, 3), STEEL, "b", 3)


@pytest.mark.parametrize(("flank", "n_layers", "named"), [("both", 1, "flank"), ("a", 0, "whole"), ("a", 1.5, "whole")])
def test_arguments_are_checked(flank, n_layers, named):
    with pytest.raises(Fault, match=named):
        layer_compliance(plate(2, 2, 2), STEEL, flank, n_layers)


def test_flanks_that_are_no_side_of_a_layer_are_refused():
    sector = plate(3, 4, 3)
    loose = replace(sector, flank_a=np.vstack([sector.flank_a, sector.flank_b[:1]]))
    with pytest.raises(Fault, match="side of one layer"):
        layer_compliance(loose, STEEL, "a", 1)
    bent = replace(sector, flank_a=np.vstack([sector.flank_a, sector.bore.reshape(5, 4)[:4]]))
    with pytest.raises(Fault, match="side of one layer"):
        layer_compliance(bent, STEEL, "a", 1)
