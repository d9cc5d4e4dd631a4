"""Free end of a clamped layer: closed forms, refinement, and a block of hexahedra with the same end."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from alegear.contact import free_end
from alegear.contact.free_end import FARTHEST, FreeEnd, wave_at_end
from alegear.errors import Fault
from alegear.fe import FEModel, Material
from alegear.mesh import VolumeMesh


@cache
def end_of(nu: float, lean: float) -> FreeEnd:
    return FreeEnd.build(nu, lean)


def test_nothing_is_missing_where_nothing_is_held_along_the_line() -> None:
    """nu = 0: the layer and its mirror image, end on end, are the layer without end. Round-off of the sections."""
    softer = end_of(1e-9, 0.0).mean([0.0, 0.1, 1.0], [0.1, 1.0, 2.0])
    assert np.abs(softer).max() < 1e-8


@pytest.mark.parametrize("k", [0.3, 1.0, 3.0, 10.0])
def test_far_from_the_end_it_is_plane_strain(k: float) -> None:
    """k V = 2 L(k), equation of `line_contact.bonded_layer_approach`; grid and length of the section leave 1e-3."""
    kappa = 3.0 - 4.0 * 0.3
    L = (2 * kappa * np.sinh(2 * k) - 4 * k) / (2 * kappa * np.cosh(2 * k) + 1 + kappa**2 + 4 * k**2)
    _, V = wave_at_end(k, 0.3, 0.3)
    assert k * V[-1] == pytest.approx(2.0 * L, abs=2e-3)


@pytest.mark.parametrize("lean", [-0.33, 0.0, 0.33])
def test_short_waves_do_not_know_the_depth(lean: float) -> None:
    """k V of z k: the same at twice the shortest wave number that is solved, to the grid's 1e-3 of a whole wave."""
    z_1, V_1 = wave_at_end(10.0, 0.3, lean)
    z_2, V_2 = wave_at_end(20.0, 0.3, lean)
    places = np.linspace(0.0, 6.0, 40)
    one, two = np.interp(places, 10.0 * z_1, 10.0 * V_1), np.interp(places, 20.0 * z_2, 20.0 * V_2)
    assert np.abs(one - two).max() < 2e-3


@pytest.mark.parametrize("lean", [-0.33, pytest.param(0.0, marks=pytest.mark.thorough), 0.33])
def test_finer_sections_and_more_waves_change_it_little(lean: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 % of what the end gives way in a slice as wide as half the depth."""
    coarse = end_of(0.3, lean).mean(0.0, 0.5)
    monkeypatch.setattr(free_end, "_ELEMENTS", (14, 22))
    monkeypatch.setattr(free_end, "_FIRST", (0.015, 0.005))
    monkeypatch.setattr(free_end, "_WAVES", 22)
    assert FreeEnd.build(0.3, lean).mean(0.0, 0.5) == pytest.approx(float(coarse), rel=1e-2)


def test_acute_ends_are_softer_than_upright_ones_and_obtuse_ones_stiffer() -> None:
    obtuse, upright, acute = (float(end_of(0.3, lean).mean(0.0, 0.5)) for lean in (-0.33, 0.0, 0.33))
    assert obtuse < 0.0 < upright < acute
    assert acute > 4.0 * upright  # far from a change that goes with the lean


def test_it_ends_with_the_table() -> None:
    end = end_of(0.3, 0.33)
    assert end.mean(FARTHEST, 2.0 * FARTHEST) == 0.0
    total = end.mean(0.0, FARTHEST) * FARTHEST
    assert end.mean(0.0, 10.0 * FARTHEST) * 10.0 * FARTHEST == pytest.approx(float(total))


def test_mean_of_two_parts_is_that_of_both() -> None:
    end = end_of(0.3, 0.0)
    parts = 0.2 * end.mean(0.0, 0.2) + 0.5 * end.mean(0.2, 0.7)
    assert 0.7 * end.mean(0.0, 0.7) == pytest.approx(float(parts), rel=1e-12)


@pytest.mark.parametrize(("nu", "lean"), [(0.6, 0.0), (0.3, 1.2), (0.3, float("nan"))])
def test_what_it_cannot_know_is_refused(nu: float, lean: float) -> None:
    with pytest.raises(Fault):
        FreeEnd.build(nu, lean)


def block_with_end(lean: float, n: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Sinking of a block of hexahedra of depth 1, clamped below, under a line load q = 1 along z at x = 0.

    x from its plane of symmetry to 5 depths, z from the leaning end at z = y tan(lean) to 5, held along z there.
    Returns the places from the end and (sinking there, less that far away) E/(1 - nu^2).
    """
    nu = 0.3
    n_x, n_y, n_z = n
    x = 5.0 * np.linspace(0.0, 1.0, n_x + 1) ** 2
    y = np.linspace(0.0, 1.0, n_y + 1) ** 1.5
    t = np.linspace(0.0, 1.0, n_z + 1) ** 2
    X, Y, T = np.meshgrid(x, y, t, indexing="ij")
    Z = np.tan(lean) * Y * (1.0 - T) + 5.0 * T
    number = np.arange(X.size).reshape(X.shape)
    low = number[:-1, :-1, :-1], number[1:, :-1, :-1], number[1:, 1:, :-1], number[:-1, 1:, :-1]
    high = number[:-1, :-1, 1:], number[1:, :-1, 1:], number[1:, 1:, 1:], number[:-1, 1:, 1:]
    cells = np.stack([part.ravel() for part in (*low, *high)], axis=1)
    points = np.stack([X.ravel(), Y.ravel(), Z.ravel()], axis=1)
    model = FEModel.from_mesh(VolumeMesh(points=points, cells=cells), Material(E=1e9 * (1.0 - nu**2), nu=nu))
    held = np.zeros((X.size, 3), dtype=bool)
    held[number[:, -1]] = True
    held[number[-1], 0] = held[number[0], 0] = True
    held[number[:, :, -1], 2] = True
    size = np.diff(5.0 * t)
    load = np.zeros((X.size, 3))
    load[number[0, 0, :-1], 1] += 0.25 * size  # half of q on either side of the plane of symmetry
    load[number[0, 0, 1:], 1] += 0.25 * size
    free = np.flatnonzero(~held)
    u = np.zeros(held.size)
    K = csc_array(model.stiffness)
    u[free] = splu(K[free][:, free]).solve(load.ravel()[free])
    sinking = u.reshape(-1, 3)[number[0, 0], 1]
    return 5.0 * t, 1e9 * (sinking - sinking[-1])


@pytest.mark.parametrize("lean", [-0.33, pytest.param(0.0, marks=pytest.mark.thorough), 0.33])
def test_a_block_of_hexahedra_gives_way_as_much(lean: float) -> None:
    """Mean from 0.3 to 1.5 depths: no waves, other elements. 0.015 of W, whose plane strain is about 2."""
    z, sinking = block_with_end(lean, (14, 8, 18))
    places = np.linspace(0.3, 1.5, 200)
    mean = np.interp(places, z, sinking).mean()
    assert mean == pytest.approx(float(end_of(0.3, lean).mean(0.3, 1.5)), abs=0.015)
