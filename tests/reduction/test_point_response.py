"""Displacement and stress of chosen nodes in every sector, held against the displacement of the whole wheel."""

import numpy as np
import pytest
from block_sector import block_sector
from scipy import sparse

from alegear.fe import FEModel, Material, stress_operator
from alegear.reduction import reduce_wheel
from alegear.reduction.point_response import PointResponse
from alegear.reduction.sparse import dofs_of

Z = 7
ROUND_OFF = 1e-12  # of the largest value; measured 5e-15: the same solution by another order of the products


@pytest.fixture(
    scope="module",
    params=[
        ("a", 3, None),
        ("both", 2, None),
        ("b", 1, None),
        ("a", Z, None),
        ("b", Z - 1, None),
        ("a", 2, 5),
        ("a", 1, 5),
    ],
    ids=str,
)
def wheel(request):
    flank, slots, modelled = request.param
    return reduce_wheel(block_sector(Z), Material(), slots=slots, flank=flank, teeth_modelled=modelled)


@pytest.fixture(scope="module")
def rows():
    """Displacement of a node on the tip, one inside and one on a cut plane; stress at a root and at the tip."""
    sector = block_sector(Z)
    nodes = np.array([sector.tip[1], 40, sector.cut_low[4]])
    points = np.array([sector.root_a[0, 1], sector.root_b[1, 0], sector.tip[0]])
    n = len(sector.volume.points)
    motion = sparse.csr_array((np.ones(9), (np.arange(9), dofs_of(nodes))), shape=(9, 3 * n))
    # in units in which stress and displacement are of the same size
    stress = 1e-14 * stress_operator(FEModel.from_mesh(sector.volume, Material()), points)
    return sparse.csr_array(sparse.vstack([motion, stress]))


def few_forces(wheel, n=4, loaded=9, seed=3):
    """Forces (n, slots*nf) on `loaded` places only, as contact has them."""
    rng = np.random.default_rng(seed)
    forces = np.zeros((n, wheel.dof_boundary))
    forces[:, rng.choice(wheel.dof_boundary, loaded, replace=False)] = rng.normal(size=(n, loaded))
    return forces


def of_the_whole_wheel(wheel, rows, forces):
    u = wheel.expand(forces)
    return np.moveaxis(rows @ u.reshape(-1, rows.shape[1]).T, 0, -1).reshape(*u.shape[:2], -1)


def test_equals_the_expanded_displacement_and_its_stress(wheel, rows):
    response = PointResponse(wheel, rows)
    for seed in range(3):
        forces = few_forces(wheel, seed=seed)
        expected = of_the_whole_wheel(wheel, rows, forces)
        value = response(forces)
        assert value.shape == expected.shape
        scale = np.abs(expected).max(axis=(0, 1))
        assert (np.abs(value - expected).max(axis=(0, 1)) <= ROUND_OFF * scale).all()


def test_sectors_are_taken_in_the_order_wanted(wheel, rows):
    forces, some = few_forces(wheel), [wheel.n_sectors - 1, 0, 1]
    response = PointResponse(wheel, rows)
    np.testing.assert_array_equal(response(forces, some), response(forces)[:, some])


def test_each_force_is_worked_out_once(wheel, rows):
    response = PointResponse(wheel, rows)
    kept = []
    for seed in (0, 1, 0, 1):
        response(few_forces(wheel, seed=seed))
        kept.append(response.kept.n_kept)
    assert kept[0] <= 9 < 19 > kept[1] == kept[-1]


def test_no_force_moves_nothing(wheel, rows):
    response = PointResponse(wheel, rows)
    assert not response(np.zeros((2, wheel.dof_boundary))).any()
    assert response(np.zeros((0, wheel.dof_boundary))).shape == (0, wheel.n_sectors, rows.shape[0])


def test_far_from_the_window_hardly_anything_moves(rows):
    """The bore is fixed to the shaft: what a tooth does dies away around the wheel."""
    wheel = reduce_wheel(block_sector(31), Material(), slots=1, flank="a")
    tip = sparse.csr_array(
        ([1.0], ([0], [3 * wheel.sector.tip[1] + 1])), shape=(1, 3 * len(wheel.sector.volume.points))
    )
    moved = np.abs(PointResponse(wheel, tip)(few_forces(wheel, n=1))[0, :, 0])
    assert moved[15] < 0.01 * moved[0]  # measured 0.003
