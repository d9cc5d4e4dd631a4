"""Invariants of the constraint modes of a window against the mass matrix of the whole wheel, and at a tooth-change."""

from __future__ import annotations

import numpy as np
import pytest
from block_sector import block_sector

from alegear.errors import Fault
from alegear.fe import FEModel, Material
from alegear.mesh import WheelMesh, sector_rotation
from alegear.reduction import reduce_wheel
from alegear.reduction.constraint_modes import constraint_modes
from alegear.reduction.inertia import MassInvariants
from alegear.reduction.sector_condensation import face_grids
from alegear.reduction.sparse import dofs_of
from alegear.reduction.window_inertia import window_invariants

Z, SLOTS = 7, 2
ROUND_OFF = 1e-12
flanks = pytest.mark.parametrize("flank", ["a", "b"])


def reduced(flank="a", teeth=Z, **options):
    return reduce_wheel(block_sector(teeth), Material(), slots=SLOTS, flank=flank, **options)


def by_mass_matrix(flank: str, first_tooth: int) -> MassInvariants:
    """Constraint modes of the grid of the whole wheel, each boundary displacement in the frame of its tooth."""
    sector = block_sector(Z)
    wheel = WheelMesh(sector)
    model = FEModel.from_mesh(wheel.volume, Material())
    nodes = np.concatenate([grid.ravel() for grid in face_grids(sector, flank)])
    teeth = [(first_tooth + j) % Z for j in range(SLOTS)]
    boundary = np.concatenate([dofs_of(wheel.node_of[k][nodes]) for k in teeth])
    Psi, _ = constraint_modes(model.stiffness, boundary, dofs_of(wheel.volume.node_sets["bore"]))
    for slot, k in enumerate(teeth):
        own = slice(slot * 3 * len(nodes), (slot + 1) * 3 * len(nodes))
        turned = Psi[:, own].reshape(len(Psi), -1, 3) @ sector_rotation(Z, k)
        Psi[:, own] = turned.reshape(len(Psi), -1)
    return MassInvariants.of(model, Psi.reshape(model.n_nodes, 3, -1), quadratic=False)


def assert_same(one: MassInvariants, two: MassInvariants) -> None:
    for name in ("U0", "U1", "U2", "U3", "U6", "U7"):
        found, expected = np.asarray(getattr(one, name)), np.asarray(getattr(two, name))
        # the centre of mass is on the axis: its moment against mass times radius
        size = one.U0 * 0.03 if name == "U1" else np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=ROUND_OFF * size, err_msg=name)


@flanks
@pytest.mark.parametrize("first_tooth", [0, 3, -1])
def test_invariants_of_the_window_against_the_whole_mass_matrix(flank, first_tooth):
    assert_same(window_invariants(reduced(flank), first_tooth), by_mass_matrix(flank, first_tooth))


def test_tooth_change_turns_the_window_and_leaves_the_body():
    wheel = reduced()
    before, after = window_invariants(wheel, 0), window_invariants(wheel, 1)
    turned = before.turned(sector_rotation(Z, 1).T)
    assert_same(turned, after)  # U2, U3, U7 of the new window
    assert_same(turned, by_mass_matrix("a", 1))  # computed anew on the grid
    for name in ("U0", "U1", "U6"):
        one, two = np.asarray(getattr(before, name)), np.asarray(getattr(after, name))
        np.testing.assert_allclose(two, one, rtol=0.0, atol=ROUND_OFF * max(np.abs(one).max(), before.U0 * 0.03))
    # it does turn: the moments of the old window are others
    assert np.abs(after.U2 - before.U2).max() > 0.1 * np.abs(before.U2).max()


def test_a_window_that_moves_as_a_body_has_the_momentum_of_a_held_bore():
    """All faces of all teeth moved outward by modes that leave the bore: less mass moves than the wheel has."""
    U = window_invariants(reduced())
    one = np.tile(np.eye(3), (U.n_modes // 3, 1))  # slots in their own frames: only z is a common direction
    moved = U.U2[2] @ one[:, 2]
    assert 0.0 < moved < U.U0


@pytest.mark.parametrize("options", [{"teeth_modelled": 3}, {"teeth": 4}])
def test_only_closed_wheels(options):
    with pytest.raises(Fault, match="closed, of five teeth or more"):
        window_invariants(reduced(**options))
