"""Splines across the face: what they represent, what they save, and by how much they are too stiff."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from block_sector import block_sector
from scipy import sparse

from alegear.fe import FEModel, Material
from alegear.mesh import VolumeMesh
from alegear.reduction import condense_sector, face_splines, reduce_wheel, sector_condensation
from alegear.reduction.face_splines import FaceSplines, _splines
from alegear.reduction.root_stress import root_stress
from alegear.reduction.symmetry import Symmetry

GRID = {"n_rim": 4, "n_tooth": 4, "n_width": 20, "strip": 2, "n_thick": 4, "twist": 15.0}


@pytest.fixture(scope="module")
def sector():
    return block_sector(7, **GRID)


def without_splines(monkeypatch):
    monkeypatch.setattr(face_splines, "PLAIN_ELEMENTS", 1000)


@pytest.mark.parametrize("n", [17, 18, 21, 22, 34, 49])
@pytest.mark.parametrize("pieces", [1, 2, 5, 8, 13, 14])
def test_splines_are_mirrored_add_up_to_one_and_each_has_a_place(n, pieces):
    z = np.linspace(-1.0, 1.0, n)
    z[1:3] = 0.5 * (z[:2] + z[1:3])  # narrow ends
    z = 0.5 * (z - z[::-1])
    values, carrier = _splines(z, pieces)
    assert np.unique(carrier).size == values.shape[1] <= n
    assert np.array_equal(carrier, n - 1 - carrier[::-1])
    assert np.array_equal(values, values[::-1, ::-1])
    np.testing.assert_allclose(values.sum(axis=1), 1.0, atol=1e-14)
    if values.shape[1] < n:  # cubics are splines
        cubic = z**3 - 0.3 * z**2
        left = cubic - values @ np.linalg.lstsq(values, cubic, rcond=None)[0]
        assert np.abs(left).max() < 1e-13


def test_carriers_are_all_nodes_near_the_flank_and_few_elsewhere(sector):
    splines = FaceSplines.of(sector, "a")
    carriers = splines.carriers.reshape(-1, 21)
    near = np.unique(sector.flank_a // 21)
    assert carriers[near].all()
    cuts = np.unique(np.concatenate([sector.cut_low, sector.cut_high]) // 21)
    assert (carriers[cuts].sum(axis=1) < 14).all()
    rows = splines.matrix.toarray().reshape(-1, 21, len(splines.carriers))
    nodes = 21 * near[:, None] + np.arange(21)
    assert np.array_equal(rows[near], np.eye(rows.shape[2])[nodes])
    assert not rows[..., ~splines.carriers].any()


def test_stiffness_is_that_of_the_fields_that_are_left(sector):
    splines, model = FaceSplines.of(sector, "both"), FEModel.from_mesh(sector.volume, Material())
    P = sparse.kron(splines.matrix, np.eye(3)).tocsr()
    expected = (P.T @ (model.stiffness @ P)).toarray()
    found = splines.stiffness(model.stiffness, sector_condensation._adjacency(model)).toarray()
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("width", [16, 20])
def test_small_and_shuffled_grids_are_left_alone(width, sector):
    small = block_sector(7, **(GRID | {"n_width": width}))
    assert (FaceSplines.of(small, "a") is None) == (width == 16)
    order = np.random.default_rng(1).permutation(len(sector.volume.points))
    place = np.argsort(order)
    volume = VolumeMesh(points=sector.volume.points[order], cells=place[sector.volume.cells])
    sets = {
        name: place[getattr(sector, name)]
        for name in ("flank_a", "flank_b", "root_a", "root_b", "cut_low", "cut_high", "bore", "tip")
    }
    assert FaceSplines.of(replace(sector, volume=volume, **sets), "a") is None


@pytest.mark.parametrize("flank", ["a", "both"])
def test_wheel_is_too_stiff_by_little(flank, sector, tmp_path, monkeypatch):
    """Galerkin: no load moves its own points further than in the whole space; loads longer than the knots hardly less.

    A load that ends in the middle of the face loses 2e-4 of its work at most, nodes beside the coarser part 5e-3.
    The faces follow the cut planes in splines too, the nearest ones: no Galerkin method, but little changes.
    """
    wheel = reduce_wheel(sector, Material(), slots=2, flank=flank, cache_dir=tmp_path)
    monkeypatch.setattr(FaceSplines, "smooth_faces", lambda self, face_recovery: None)
    galerkin = reduce_wheel(sector, Material(), slots=2, flank=flank, cache_dir=tmp_path / "galerkin")
    without_splines(monkeypatch)
    exact = reduce_wheel(sector, Material(), slots=2, flank=flank, cache_dir=tmp_path / "exact")
    size = np.abs(exact.C_ff).max()
    assert np.linalg.eigvalsh(exact.C_ff - galerkin.C_ff).min() > -1e-11 * size
    softer = exact.C_ff - wheel.C_ff
    assert 1e-6 * size < np.abs(softer).max() < 1e-2 * size
    assert 0.0 < np.abs(wheel.C_ff - galerkin.C_ff).max() < 1e-3 * size
    f = np.zeros((2, len(exact.faces), exact.rows, exact.cols, 3))
    f[0, 0, -1, :11] = (1.0, -2.0, 0.3)
    f = f.ravel()
    work = f @ exact.C_ff @ f
    assert 0.0 < f @ softer @ f < 5e-4 * work
    assert abs(f @ wheel.C_ff @ f - f @ galerkin.C_ff @ f) < 2e-5 * work
    stress, right = root_stress(wheel, f), root_stress(exact, f)
    assert np.abs(stress - right).max() < 2e-2 * np.abs(right).max()  # 7e-3: this root lies beside the cut plane


def test_more_splines_come_closer_from_the_stiff_side(sector, tmp_path, monkeypatch):
    """Knots halfway between the knots: the fields hold those before, so that no load may move its points less far."""
    monkeypatch.setattr(FaceSplines, "smooth_faces", lambda self, face_recovery: None)
    monkeypatch.setattr(face_splines, "KNOT_MODULES", np.inf)
    monkeypatch.setattr(face_splines, "WORTHWHILE", 1.0)
    found = []
    for steps in (5.0, 2.5, 1.25):  # 4, 8, 16 pieces
        monkeypatch.setattr(face_splines, "KNOT_STEPS", steps)
        monkeypatch.setattr(face_splines, "ON_CUTS", 1.0)
        monkeypatch.setattr(face_splines, "END_PIECE", 1.0)
        wheel = reduce_wheel(sector, Material(), slots=2, flank="a", cache_dir=tmp_path / str(steps))
        found.append(wheel.C_ff)
    without_splines(monkeypatch)
    exact = reduce_wheel(sector, Material(), slots=2, flank="a", cache_dir=tmp_path / "exact").C_ff
    size = np.abs(exact).max()
    for stiff, soft in pairwise([*found, exact]):
        assert np.linalg.eigvalsh(soft - stiff).min() > -1e-11 * size  # round-off of two reductions
    left = [np.abs(exact - C).max() for C in found]
    assert left[0] > left[1] > left[2] > 0.0


def test_root_stress_at_the_free_ends_is_that_without_splines(tmp_path, monkeypatch):
    """An even load: what the ends of the face change dies out within a module, half of it in the first element.

    Of pieces of even length, as many, the stress there is off by 4e-3.
    """
    monkeypatch.setattr(face_splines, "KNOT_MODULES", np.inf)
    monkeypatch.setattr(face_splines, "KNOT_STEPS", 2.5)
    sector = block_sector(7, **(GRID | {"n_width": 32}))
    wheel = reduce_wheel(sector, Material(), slots=2, flank="a", cache_dir=tmp_path)
    assert wheel.window.compliance.column.shape == (33, 16)
    without_splines(monkeypatch)
    exact = reduce_wheel(sector, Material(), slots=2, flank="a", cache_dir=tmp_path / "exact")
    f = np.zeros((2, 1, exact.rows, exact.cols, 3))
    f[0, 0, -1] = (1.0, -2.0, 0.3)
    right = root_stress(exact, f.ravel())
    assert np.abs(root_stress(wheel, f.ravel()) - right).max() < 2.5e-3 * np.abs(right).max()


def test_deep_nodes_follow_fewer_splines(tmp_path, monkeypatch):
    """Where the flanks are far, knots twice as far apart change little: short waves have died out.

    Of every load a deep node moves less than the faces, and what splines leave of that is less still.
    """
    sector = block_sector(7, **(GRID | {"n_width": 32}))
    found = []
    for deep in (np.inf, 1.15):
        monkeypatch.setattr(face_splines, "DEPTHS", ((0.6, 1.0), (deep, 2.0)))
        wheel = reduce_wheel(sector, Material(), slots=2, flank="a", cache_dir=tmp_path / str(deep))
        f = np.zeros((2, 1, wheel.rows, wheel.cols, 3))
        f[0, 0, -1, :16] = (1.0, -2.0, 0.3)
        f = f.ravel()
        n = FaceSplines.of(sector, "a").carriers.sum()
        found.append((n, f @ wheel.C_ff @ f, root_stress(wheel, f)))
    (n_all, work, right), (n_few, stiffer, stress) = found
    assert n_few < n_all
    assert 0.0 < work - stiffer < 1e-4 * work
    # 7e-3, at the root of the flank without load, which is in the coarser part here
    assert np.abs(stress - right).max() < 1e-2 * np.abs(right).max()


def test_field_is_that_of_the_reduced_wheel(sector, tmp_path):
    wheel = reduce_wheel(sector, Material(), slots=2, flank="a", cache_dir=tmp_path)
    f = np.random.default_rng(2).normal(size=wheel.dof_boundary)
    u = wheel.expand(f)
    of_faces = u[: wheel.slots, sector.flank_a].reshape(-1)
    # but for what splines leave of the way in which the faces follow the cut planes
    assert 0.0 < np.abs(of_faces - wheel.C_ff @ f).max() < 1e-3 * np.abs(of_faces).max()
    angle = 2.0 * np.pi / 7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    joint = u[:, sector.cut_high] - np.roll(u, -1, axis=0)[:, sector.cut_low] @ turn.T
    assert np.abs(joint).max() < 1e-10 * np.abs(u).max()


def test_classes_of_fields_change_nothing(monkeypatch):
    even = block_sector(7, **(GRID | {"bend": 0.0}))
    condensed = condense_sector(even, Material(), "both", root_stress=False)
    assert len(condensed.classes) == 2
    monkeypatch.setattr(sector_condensation, "sector_symmetry", lambda s, r: Symmetry.none(len(s.volume.points)))
    whole = condense_sector(even, Material(), "both", root_stress=False)
    assert np.abs(condensed.condensation.S - whole.condensation.S).max() < 1e-11 * np.abs(whole.condensation.S).max()
