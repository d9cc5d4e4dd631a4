"""Compliance seen by slices: the same numbers as the full compliance with the means of the columns put in."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from contact_answers import forces_at
from families import mostly_thorough
from line_pairs import COARSE, OMEGA, contact_of, pair_of, rotations

from alegear.contact.hertz import coupling_kernels
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.compliance import (
    SliceCompliance,
    coupling_bytes,
    end_compliance,
    most_points,
    slice_compliance_bytes,
)
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model import buffers
from alegear.contact.hertz.model_kernels import ROWS, Points, S
from alegear.contact.law import Friction
from alegear.fe import Material
from alegear.mesh import mesh_sector
from alegear.reduction import reduce_wheel

RUBBING = Friction(kind="coulomb")
WIDE = replace(COARSE, width_elements=20)  # slots apart know of each other in splines across the face
KINDS = {
    "spur": {},
    "helical": {"name": "helical"},
    "both flanks": {"bodies": "both"},
    "helical, both flanks": {"name": "helical", "bodies": "both"},
    "back flanks": {"flank": "b"},
    "wide wheel, more slices": {"name": "wide", "n_slices": 7},
    "helical, splines": {"name": "helical", "options": WIDE, "n_slices": 9},
    "helical, splines, both flanks": {"name": "helical", "bodies": "both", "options": WIDE},
}


@cache
def segments(flank: str) -> tuple[ElasticBody, ElasticBody]:
    """Five-tooth segments of the spur pair, three slots."""
    out = []
    for gear in pair_of("spur").gears:
        sector = mesh_sector(gear, COARSE)
        wheel = reduce_wheel(sector, Material(E=2.06e11), slots=3, flank=flank, teeth_modelled=5)
        out.append(ElasticBody.of(gear, sector, wheel))
    return out[0], out[1]


def contact_named(name: str, friction: Friction = RUBBING) -> LineContact:
    if name.startswith("segment"):
        bodies = segments("both" if "both" in name else "a")
        return LineContact.build(pair_of("spur"), bodies, flank="a", friction=friction, n_slices=4)
    return contact_of(friction=friction, **KINDS[name])


ALL = [*KINDS, "segment", "segment, both flanks"]


def full_row(contact: LineContact, points: Points, gear: int, p: int, row: np.ndarray) -> np.ndarray:
    """Row of point p on all degrees of freedom of the window's faces: its four rows spread over the slice's columns."""
    n_axes = contact.model.n_axes
    body, (first_col, weight) = contact.bodies[gear], contact.columns[gear]
    found, k = points.found, points.found.slice_of[p]
    side = contact.sides[found.side_of[p]]
    slot = found.pair_of[p] + (side.wheel_lead if gear else 0)
    grid = np.zeros((len(body.grid.rows_s), len(body.grid.cols_z), 3))
    first = points.rows.first[gear, p] // n_axes
    columns = slice(first_col[k], first_col[k] + weight.shape[1])
    values = row.reshape(ROWS, 1, n_axes) * weight[k][None, :, None]
    grid[first : first + ROWS, columns, :n_axes] = values
    out = np.zeros(body.n_dof)
    offset = contact.slot_offsets(gear, side)[slot]
    out[offset : offset + grid.size] = grid.ravel()
    return out


def ends_of(contact: LineContact, gear: int) -> np.ndarray:
    """What the free ends of one gear give way."""
    return end_compliance(contact.bodies[gear], contact.own_borders(gear), float(contact.sides[0].axial[0]))


def made_of(contact: LineContact, gear: int, *, axial: bool) -> SliceCompliance:
    """Compliance of one gear by slices."""
    return SliceCompliance.of(
        contact.bodies[gear],
        gear,
        *contact.columns[gear],
        borders=contact.own_borders(gear),
        cos_beta_b=float(contact.sides[0].axial[0]),
        axial=axial,
    )


def row_weights(contact: LineContact, points: Points, gear: int, p: int) -> np.ndarray:
    """Weights of all rows in the interpolation at point p."""
    found, rows, n_axes = points.found, points.rows, contact.model.n_axes
    body = contact.bodies[gear]
    s, first = found.table[p, S + gear], rows.first[gear, p] // n_axes
    low = int(np.clip(np.searchsorted(body.grid.rows_s, s, side="right") - 1, 0, len(body.grid.rows_s) - 2))
    out = np.zeros(len(body.grid.rows_s))
    out[first : first + ROWS] = (s - body.grid.rows_s[low]) ** np.arange(4) @ body.grid.row_coefficients[low]
    return out


def compliance_between(contact: LineContact, points: Points, loaded: np.ndarray) -> np.ndarray:
    """b C e^T of some points with the full compliance, and what the ends of the face give way to the slices there."""
    rows, found = points.rows, points.found
    total = np.zeros((len(loaded), len(loaded)))
    for gear, body in enumerate(contact.bodies):
        b, e = (
            np.stack([full_row(contact, points, gear, p, part[gear, p]) for p in loaded]) for part in (rows.b, rows.e)
        )
        slots = range(len(body.face_offset))
        total += b @ np.block([[body.between(i, j) for j in slots] for i in slots]) @ e.T
        ends, weights = ends_of(contact, gear), [row_weights(contact, points, gear, p) for p in loaded]
        for i, p in enumerate(loaded):
            for j, q in enumerate(loaded):
                same = all(of[p] == of[q] for of in (found.side_of, found.pair_of, found.slice_of))
                if same:
                    face = contact.sides[found.side_of[p]].face[gear]
                    total[i, j] += weights[i] @ ends[face, found.slice_of[p]] @ weights[j]
    return total


@pytest.mark.parametrize(
    ("name", "first_pair"), mostly_thorough(product(ALL, [0, 1]), always=lambda one: one[1] == 1 or one[0] == ALL[0])
)
def test_compliance_of_loaded_points_is_that_of_the_full_matrix(name: str, first_pair: int) -> None:
    """Also after the teeth have moved on by some slots, with what is known of the evaluation before."""
    contact = contact_named(name)
    data = contact.new_data()
    forces_at(contact, rotations(contact, 0.45, 20e-6), OMEGA, data=data)
    phi = rotations(contact, 0.5 + first_pair, 35e-6, first_pair)
    forces_at(contact, phi, OMEGA, data=data, first_pair=first_pair)
    points = data.points
    loaded = points.loads.index[: np.count_nonzero(points.loads.active[: points.found.count[0]])]
    assert len(set(points.found.pair_of[loaded])) >= 2
    expected = compliance_between(contact, points, loaded)
    found = points.coupling.G[np.ix_(loaded, loaded)]
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()  # sums of some hundred products


def test_wedged_teeth_couple_across_both_faces() -> None:
    contact = contact_of(modified="thick", bodies="both", friction=RUBBING)
    data = contact.new_data()
    forces_at(contact, rotations(contact, 0.1, 5e-6), OMEGA, data=data)
    points = data.points
    loaded = points.loads.index[: np.count_nonzero(points.loads.active[: points.found.count[0]])]
    assert set(points.found.side_of[loaded]) == {0, 1}
    expected = compliance_between(contact, points, loaded)
    assert np.abs(points.coupling.G[np.ix_(loaded, loaded)] - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("name", ALL)
def test_sizes_are_known_beforehand(name: str) -> None:
    contact = contact_named(name)
    model = contact.model
    axial = model.n_axes == 3
    for gear, body in enumerate(contact.bodies):
        made = made_of(contact, gear, axial=axial)
        n_rows = len(body.grid.rows_s)
        size = slice_compliance_bytes(
            model.n_pairs,
            len(body.faces),
            model.n_slices,
            n_rows,
            axial=axial,
            repeats=body.repeats,
            n_coefficients=None if body.column is None else body.column.shape[1],
        )
        assert ("splines" in name) == (body.column is not None)
        assert made.blocks.nbytes + made.smooth.nbytes == size
    n = most_points(model.n_sides, model.n_pairs, model.n_slices)
    for rubs in (False, True):
        points = buffers(model._replace(friction=model.friction._replace(kind=int(rubs))))
        pair_by_pair = points.coupling.pushed.nbytes + points.coupling.normal_pushed.nbytes
        pair_by_pair += points.coupling.G.nbytes + points.loads.matrix.nbytes
        at_hand = sum(array.nbytes for array in points.coupling.tiles)
        assert pair_by_pair + at_hand == coupling_bytes(n, axial=axial, rubs=rubs)
        every = sum(array.nbytes for part in points for array in part if isinstance(array, np.ndarray))
        assert every - pair_by_pair < 3300 * n + 4000  # what grows with the number of points only


def test_parts_at_hand_are_those_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a matrix with more places than are kept: whether it was there, had to be copied, or took another's place."""
    n, stride, bits = 8, 46, 10  # few places, for it goes through them in Python
    tiles = 1 << bits
    for name, value in (("TILE_BITS", bits), ("N_TILES", tiles)):
        monkeypatch.setattr(coupling_kernels, name, value)
    rng = np.random.default_rng(3)
    C = rng.random(40 * tiles)
    tile_of = coupling_kernels.tile_of
    place, part = np.zeros(tiles, dtype=np.uint64), np.zeros(tiles * n * n)
    starts = rng.integers(0, len(C) - n * stride, 2 * tiles)
    again = 0
    monkeypatch.setattr(coupling_kernels, "copy_tile", coupling_kernels.copy_tile.py_func)
    body = SimpleNamespace(blocks=C, n_smooth=0)
    for start in np.concatenate([starts, starts[-50:], [0, 0]]):
        before = place.copy()
        with np.errstate(over="ignore"):  # the product wraps around, as it shall
            begin = int(tile_of.py_func(body, 1, stride, place, part, 0, 0, 0, *divmod(start, stride), n))
        again += np.array_equal(before, place)
        expected = [C[start + p * stride : start + p * stride + n] for p in range(n)]
        np.testing.assert_array_equal(part[begin : begin + n * n].reshape(n, n), expected)
    assert 40 < again < tiles


def test_slices_of_one_body_are_made_once() -> None:
    """Variants of microgeometry and alignment share them; other slices replace them."""
    contact, finer = contact_of(), contact_of(n_slices=5)
    assert contact.bodies[0] is finer.bodies[0]
    one = made_of(contact, 0, axial=False)
    assert made_of(contact, 0, axial=False) is one
    assert made_of(finer, 0, axial=False) is not one
