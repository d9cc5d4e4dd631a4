"""Symmetry of a sector: what is found, and that the classes of fields together are everything."""

from dataclasses import replace

import numpy as np
import pytest
from block_sector import block_sector

from alegear.fe import FEModel, Material
from alegear.mesh.volume import FreeSurface
from alegear.reduction import condense_sector, constraint_modes, reduce_wheel, sector_condensation
from alegear.reduction.sector_condensation import RetainedNodes, sector_symmetry
from alegear.reduction.sector_layout import SectorLayout
from alegear.reduction.sparse import dofs_of
from alegear.reduction.symmetry import Symmetry, find_symmetry

TEETH = 7
STRAIGHT = {"bend": 0.0}


def symmetry_of(sector, flank):
    return sector_symmetry(sector, RetainedNodes.of(sector, flank))


@pytest.mark.parametrize(
    ("options", "flank", "operations"),
    [
        (STRAIGHT, "both", [0, 1, 2, 3]),
        (STRAIGHT, "a", [0, 1]),  # flank b is not retained: no mirror image of flank a
        ({}, "both", [0, 1]),  # bent tooth
        (STRAIGHT | {"twist": 15.0}, "both", [0, 3]),  # helical: half a turn about x
        (STRAIGHT | {"twist": 15.0}, "b", [0]),
        ({"twist": 15.0}, "both", [0]),
    ],
)
def test_what_is_found(options, flank, operations):
    assert symmetry_of(block_sector(TEETH, **options), flank).operations.tolist() == operations


def test_a_moved_node_a_missing_cell_or_a_surface_that_differs_is_no_symmetry():
    sector = block_sector(TEETH)
    points, cells = np.array(sector.volume.points), sector.volume.cells
    points[sector.tip[0], 2] += 1e-12  # over 12 mm
    moved = replace(sector, volume=replace(sector.volume, points=points))
    assert symmetry_of(moved, "a").operations.tolist() == [0]
    assert find_symmetry(sector.volume.points, cells[1:], []).operations.tolist() == [0]
    normals = np.tile([0.0, 0.8, 0.6], (sector.root_a.size, 1))  # z does not change its sign with z
    surface = FreeSurface(nodes=sector.root_a.ravel(), normals=normals)
    leaning = replace(sector, volume=replace(sector.volume, free_surface=surface))
    assert symmetry_of(leaning, "a").operations.tolist() == [0]


@pytest.mark.parametrize(
    ("options", "flank"), [(STRAIGHT, "both"), ({"n_width": 3}, "a"), ({"twist": 9.0} | STRAIGHT, "both")]
)
def test_the_bases_of_all_classes_are_orthonormal_and_complete(options, flank):
    symmetry = symmetry_of(block_sector(TEETH, **options), flank)
    n = symmetry.images.shape[1]
    nodes = symmetry.representatives(np.arange(n), np.zeros((n, 0)))
    vectors = np.hstack([symmetry.basis(c, nodes).vectors.toarray() for c in symmetry.characters])
    assert vectors.shape == (3 * n, 3 * n)
    assert np.abs(vectors.T @ vectors - np.eye(3 * n)).max() < 1e-15  # sums of at most four squares


def test_the_stiffness_does_not_couple_the_classes():
    sector = block_sector(TEETH, **STRAIGHT)
    symmetry = symmetry_of(sector, "both")
    n = symmetry.images.shape[1]
    K = FEModel.from_mesh(sector.volume, Material()).stiffness
    nodes = symmetry.representatives(np.arange(n), np.zeros((n, 0)))
    bases = [symmetry.basis(c, nodes).vectors for c in symmetry.characters]
    for i, first in enumerate(bases):
        for second in bases[:i]:
            assert np.abs((first.T @ K @ second).toarray()).max() < 1e-14 * np.abs(K).max()  # round-off of a sum


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize(("options", "flank"), [(STRAIGHT, "both"), ({}, "a"), (STRAIGHT | {"twist": 15.0}, "both")])
def test_a_sector_condensed_by_classes_is_the_schur_complement(options, flank, width):
    """An odd number of elements across the face has no nodes at mid-face."""
    sector = block_sector(TEETH, n_width=width, **options)
    condensed = condense_sector(sector, Material(), flank, root_stress=False)
    K = FEModel.from_mesh(sector.volume, Material()).stiffness
    Psi_c, K_r = constraint_modes(K, dofs_of(condensed.retained.nodes), dofs_of(sector.bore))
    # round-off of two direct solutions
    assert np.abs(condensed.condensation.S - K_r).max() < 1e-11 * np.abs(K_r).max()
    u_b = np.random.default_rng(5).normal(size=(len(K_r), 2))
    u = condensed.condensation.expand(u_b).reshape(-1, 2)
    assert np.abs(u - Psi_c @ u_b).max() < 1e-11 * np.abs(u).max()


@pytest.mark.parametrize(
    ("options", "flank", "teeth_modelled"),
    [(STRAIGHT, "both", None), ({}, "a", 5), (STRAIGHT | {"twist": 15.0}, "both", None)],
)
def test_a_wheel_is_the_same_with_and_without(options, flank, teeth_modelled, tmp_path, monkeypatch):
    sector = block_sector(TEETH, **options)

    def wheel(folder):
        return reduce_wheel(
            sector, Material(), slots=3, flank=flank, teeth_modelled=teeth_modelled, cache_dir=tmp_path / folder
        )

    fast = wheel("with")
    monkeypatch.setattr(sector_condensation, "sector_symmetry", lambda s, r: Symmetry.none(len(s.volume.points)))
    slow = wheel("without")
    assert fast.layout == slow.layout == SectorLayout.of(TEETH, 3, teeth_modelled)
    for name in ("C_ff", "cut_response", "root_of_cuts", "root_of_face"):
        found, expected = getattr(fast, name), getattr(slow, name)
        assert found.shape == expected.shape
        # another order of the same elimination: round-off times the condition of the stiffness
        assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max(), name
