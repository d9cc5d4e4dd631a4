"""Both faces of a slot kept together: the same wheel, twice the forces."""

from dataclasses import replace

import numpy as np
import pytest
from block_sector import block_sector

from alegear.errors import Fault
from alegear.fe import Material
from alegear.reduction import reduce_wheel
from alegear.reduction.root_stress import root_stress

Z = 7


@pytest.fixture(scope="module")
def sector():
    return block_sector(Z)


def reduce(sector, flank, folder, **options):
    return reduce_wheel(sector, Material(), **{"slots": 3, "flank": flank, **options}, cache_dir=folder)


def relative(value, expected):
    assert value.shape == expected.shape
    return np.abs(value - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("teeth_modelled", [None, 5])
@pytest.mark.parametrize("face", ["a", "b"])
def test_one_face_of_both_is_that_face_alone(sector, tmp_path, face, teeth_modelled):
    """The other face is free of load there, retained or not: the same problem, eliminated in another order."""
    both = reduce(sector, "both", tmp_path, teeth_modelled=teeth_modelled)
    alone = reduce(sector, face, tmp_path, teeth_modelled=teeth_modelled)
    assert (both.faces, alone.faces) == (("a", "b"), (face,))
    assert (both.rows, both.cols, both.nf) == (alone.rows, alone.cols, 2 * alone.nf)
    assert len(both.C_ff) == both.dof_boundary == 2 * alone.dof_boundary
    place = both.face_dofs(face).ravel()
    assert np.array_equal(alone.face_dofs(face).ravel(), np.arange(alone.dof_boundary))
    # round-off of two direct solutions
    assert relative(both.C_ff[np.ix_(place, place)], alone.C_ff) < 1e-12
    f_alone = np.random.default_rng(8).normal(size=(2, alone.dof_boundary))
    f = np.zeros((2, both.dof_boundary))
    f[:, place] = f_alone
    assert relative(both.expand(f), alone.expand(f_alone)) < 1e-12
    assert relative(root_stress(both, f), root_stress(alone, f_alone)) < 1e-12


def test_order_is_slot_face_row_col_axis(sector, tmp_path):
    """Displacements of the expanded field, taken at the flank nodes in this order, are C_ff f."""
    both = reduce(sector, "both", tmp_path)
    f = np.random.default_rng(9).normal(size=(2, both.dof_boundary))
    nodes = np.concatenate([sector.flank_a.ravel(), sector.flank_b.ravel()])
    u = both.expand(f)[:, : both.slots, nodes].reshape(2, -1)
    assert relative(f @ both.C_ff, u) < 1e-12  # round-off of the recovery
    assert np.array_equal(both.C_ff, both.C_ff.T)
    assert np.linalg.eigvalsh(both.C_ff)[0] > 0.0


def test_a_mirrored_sector_exchanges_its_flanks(tmp_path):
    """Tooth without the crook, mirrored in y: flank b under mirrored forces moves like flank a, slots reversed."""
    sector = block_sector(Z)
    points = np.array(sector.volume.points)
    mirrored = replace(
        sector,
        volume=replace(
            sector.volume,
            points=points * [1.0, -1.0, 1.0],
            cells=sector.volume.cells[:, [3, 2, 1, 0, 7, 6, 5, 4]],  # the mirror turns the elements inside out
        ),
        flank_a=sector.flank_b,
        flank_b=sector.flank_a,
        root_a=sector.root_b,
        root_b=sector.root_a,
        cut_low=sector.cut_high,
        cut_high=sector.cut_low,
    )
    first, second = reduce(sector, "both", tmp_path), reduce(mirrored, "both", tmp_path)
    grid = (first.slots, 2, first.rows * first.cols, 3)
    C = first.C_ff.reshape(*grid, *grid)[::-1, ::-1, :, :, ::-1, ::-1]
    sign = np.array([1.0, -1.0, 1.0])
    C = C * sign[:, None, None, None, None] * sign
    # the elements are integrated in another order: round-off
    assert relative(np.ascontiguousarray(C).reshape(second.C_ff.shape), second.C_ff) < 1e-11


def test_flanks_that_do_not_fit_together_are_refused(sector, tmp_path):
    with pytest.raises(Fault, match="shape of flank_a and flank_b"):
        reduce(replace(sector, flank_b=sector.flank_b[1:]), "both", tmp_path)
    pointed = sector.flank_b.copy()
    pointed[-1] = sector.flank_a[-1]
    with pytest.raises(Fault, match="tip land"):
        reduce(replace(sector, flank_b=pointed), "both", tmp_path)
    with pytest.raises(Fault, match='flank="both"'):
        reduce(sector, "a", tmp_path).face_dofs("b")
