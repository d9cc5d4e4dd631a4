"""The two routes to the root stress against the operator written out."""

import numpy as np
import pytest
from block_sector import block_sector

from alegear.fe import Material
from alegear.reduction import reduce_wheel
from alegear.reduction import root_stress as module
from alegear.reduction.root_stress import RootStress, root_stress

Z = 7
ROUND_OFF = 1e-12  # of the largest stress; measured 1e-15: the same sums in another order


@pytest.fixture(scope="module", params=[("a", 3, None), ("both", 2, None), ("b", Z, None), ("a", 2, 5)], ids=str)
def wheel(request):
    flank, slots, modelled = request.param
    return reduce_wheel(block_sector(Z), Material(), slots=slots, flank=flank, teeth_modelled=modelled)


def few_forces(wheel, n, loaded, seed=3):
    """Forces (n, slots*nf) on `loaded` places only, as contact has them."""
    rng = np.random.default_rng(seed)
    forces = np.zeros((n, wheel.dof_boundary))
    places = rng.choice(wheel.dof_boundary, loaded, replace=False)
    forces[:, places] = rng.normal(size=(n, loaded))
    return forces


def written_out(wheel, forces):
    return np.moveaxis(wheel.root_stress_operator @ forces.T, -1, 0)


def assert_same(stress, expected):
    assert stress.shape == expected.shape
    assert np.abs(stress - expected).max() <= ROUND_OFF * np.abs(expected).max()


def test_both_routes_are_the_operator(wheel):
    stress = RootStress(wheel)
    kept = []
    for seed in range(6):
        forces = few_forces(wheel, 40, 9, seed % 2)
        expected = written_out(wheel, forces)
        assert_same(stress(forces), expected)
        assert_same(stress.through_cuts(forces), expected)
        kept.append(stress.n_kept)
    # two sets of nine forces: in the store once 40 samples each have paid for it, and not a third time
    assert 0 < kept[-1] == kept[-2] <= 18


def test_slots_sides_and_rows_are_taken_in_the_order_wanted(wheel):
    forces = few_forces(wheel, 3, 9)
    n_rows = wheel.root_of_cuts.shape[1]
    order = np.arange(wheel.slots)[::-1]
    rows = slice(n_rows - 1, n_rows)
    some = RootStress(wheel, slots=order, sides=(1, 0), rows=rows)
    expected = root_stress(wheel, forces)[:, order][:, :, [1, 0]][:, :, :, rows]
    for _ in range(3):
        assert_same(some(forces), expected)
    assert some.shape == expected.shape[1:]


def test_no_force_gives_no_stress(wheel):
    assert not RootStress(wheel)(np.zeros((2, wheel.dof_boundary))).any()
    assert RootStress(wheel)(np.zeros((0, wheel.dof_boundary))).shape == (0, *RootStress(wheel).shape)


def test_one_sample_does_not_fill_the_store(wheel):
    stress = RootStress(wheel)
    stress(few_forces(wheel, 1, 9))
    assert stress.n_kept == 0


def test_a_full_store_takes_no_more(wheel, monkeypatch):
    row = 8.0 * np.prod(RootStress(wheel).shape)
    monkeypatch.setattr(module, "STORE_BYTES", 12.0 * row)
    stress = RootStress(wheel)
    for seed in range(4):
        forces = few_forces(wheel, 200, 9, seed)
        assert_same(stress(forces), written_out(wheel, forces))
    assert stress.n_kept == 9  # the first nine fit, the others, another nine each, do not
