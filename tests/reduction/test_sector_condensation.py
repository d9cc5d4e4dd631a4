"""One sector condensed: the frames of the cut planes, root stress, and node sets that do not fit."""

from dataclasses import replace

import numpy as np
import pytest
from block_sector import block_sector

from alegear.errors import Fault
from alegear.fe import FEModel, Material, nodal_stress
from alegear.reduction import condense_sector, constraint_modes
from alegear.reduction.sector_condensation import RetainedNodes
from alegear.reduction.sparse import dofs_of

TEETH = 7


@pytest.fixture(scope="module")
def sector():
    return block_sector(TEETH)


@pytest.mark.parametrize("flank", ["a", "b"])
def test_equals_the_constraint_modes_of_the_sector(sector, flank):
    condensed = condense_sector(sector, Material(), flank)
    model = FEModel.from_mesh(sector.volume, Material())
    nodes = condensed.retained.nodes
    Psi_c, K_r = constraint_modes(model.stiffness, dofs_of(nodes), dofs_of(sector.bore))
    # round-off of two direct solutions
    S = condensed.retained.to_tooth_frame(np.ascontiguousarray(condensed.retained.to_tooth_frame(condensed.S).T))
    assert np.abs(S - K_r).max() < 1e-11 * np.abs(K_r).max()
    assert np.array_equal(condensed.S, condensed.S.T)

    u_b = np.random.default_rng(4).normal(size=(len(K_r), 2))
    u = condensed.expand(u_b)
    expected = (Psi_c @ condensed.retained.to_tooth_frame(u_b)).reshape(-1, 3, 2)
    assert np.abs(u - expected).max() < 1e-11 * np.abs(u).max()
    n_c = condensed.retained.n_cut
    u_c, force = np.delete(u_b, np.s_[n_c:-n_c], axis=0)[:, 0], (condensed.S @ u_b)[n_c:-n_c, 0]
    for side, root in enumerate((sector.root_a, sector.root_b)):
        stress = nodal_stress(model, u[..., 0])[root]
        found = condensed.root_of_cuts[side] @ u_c + condensed.root_of_face[side] @ force
        # the force, stiffness times displacement, and back: round-off times the condition of S
        assert np.abs(found - stress).max() < 1e-10 * np.abs(stress).max()
    free = condensed.free_face(u_b[:n_c], u_b[-n_c:])
    at_rest = condensed.S @ np.vstack([u_b[:n_c], free, u_b[-n_c:]])
    assert np.abs(at_rest[n_c:-n_c]).max() < 1e-11 * np.abs(at_rest).max()


def test_turning_the_body_about_its_axis_is_the_same_in_both_cut_frames(sector):
    retained = RetainedNodes.of(sector, "a")
    points = sector.volume.points[retained.nodes]
    turn = np.cross([0.0, 0.0, 1.0], points).reshape(-1, 1)
    local = retained.to_cut_frames(turn)
    low, high = local[: retained.n_cut], local[-retained.n_cut :]
    # matching nodes have the same components; in the frame of the plane they are tangential
    assert np.abs(low - high).max() < 1e-16
    assert np.abs(low.reshape(-1, 3)[:, [0, 2]]).max() < 1e-16
    np.testing.assert_allclose(retained.to_tooth_frame(local), turn, atol=1e-16)  # round-off of 30 mm


def test_cut_planes_that_do_not_match_are_refused(sector):
    with pytest.raises(Fault, match="cut_low"):
        RetainedNodes.of(replace(sector, cut_high=sector.cut_high[:-1]), "a")
    with pytest.raises(Fault, match="same order"):
        RetainedNodes.of(replace(sector, cut_high=sector.cut_high[::-1]), "a")


def test_a_flank_that_reaches_the_cut_plane_is_refused(sector):
    last_rim_row = sector.cut_low.reshape(-1, sector.flank_a.shape[1])[-1:]
    flank_b = np.vstack([last_rim_row, sector.flank_b])
    with pytest.raises(Fault, match="fillet"):
        RetainedNodes.of(replace(sector, flank_b=flank_b), "b")


def test_roots_of_different_shape_are_refused(sector):
    with pytest.raises(Fault, match="root_a and root_b"):
        condense_sector(replace(sector, root_a=sector.root_a[1:]), Material(), "a")
