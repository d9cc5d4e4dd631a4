"""Rows of the flank that are kept as places of contact: which, and what leaving out the others changes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from line_pairs import NO_FRICTION, pair_of, solve

from alegear.contact.face_grid import FaceGrid
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.loaded_rows import with_loaded_rows
from alegear.contact.numbering import PINION, WHEEL
from alegear.fe import Material
from alegear.mesh import GridOptions, SectorMesh, mesh_sector
from alegear.reduction import reduce_wheel

DEFAULT = GridOptions(width_elements=2)


@cache
def sector_of(name: str, number: int, options: GridOptions = DEFAULT) -> SectorMesh:
    return mesh_sector(pair_of(name).gears[number], options)


def rows_of(name: str, number: int, options: GridOptions = DEFAULT) -> tuple[int, ...]:
    """Rows counted from the root form point."""
    loaded = with_loaded_rows(pair_of(name), number, sector_of(name, number, options)).loaded_rows
    assert loaded is not None
    return tuple(row - options.upper_fillet_elements for row in loaded)


@cache
def contact_on(name: str, rows: str) -> LineContact:
    """Contact on all rows, on those of the flank all and in the fillet as chosen, or on the chosen ones."""
    pair = pair_of(name)
    bodies = []
    for number, gear in enumerate(pair.gears):
        sector = sector_of(name, number)
        chosen = with_loaded_rows(pair, number, sector)
        assert chosen.loaded_rows is not None
        first = DEFAULT.upper_fillet_elements
        whole = (*(row for row in chosen.loaded_rows if row < first), *range(first, len(sector.flank_a)))
        sector = {"all": sector, "whole flank": replace(sector, loaded_rows=whole), "chosen": chosen}[rows]
        wheel = reduce_wheel(sector, Material(), slots=pair.pairs_needed, flank="a")
        bodies.append(ElasticBody.of(gear, sector, wheel))
    return LineContact.build(pair, (bodies[0], bodies[1]), flank="a", friction=NO_FRICTION, n_slices=4)


@pytest.mark.parametrize("number", [PINION, WHEEL])
@pytest.mark.parametrize("name", ["spur", "helical"])
def test_every_other_row_of_the_flank_stays_but_for_its_ends(name: str, number: int) -> None:
    assert [row for row in rows_of(name, number) if row >= 0] == [0, 1, 2, 4, 6, 8, 10, 12, 14, 15, 16]


@pytest.mark.parametrize("number", [PINION, WHEEL])
def test_the_fillet_is_left_out_below_the_reach_of_the_mate(number: int) -> None:
    fillet = [row for row in rows_of("spur", number) if row < 0]
    assert fillet[-1] == -1
    assert 1 <= len(fillet) < DEFAULT.upper_fillet_elements


def test_all_of_the_fillet_stays_where_the_mate_reaches_it() -> None:
    """The wheel's tip runs past the edge in which the undercut of the 13 teeth ends."""
    assert [row for row in rows_of("undercut", PINION) if row < 0] == list(range(-6, 0))


def test_coarse_grids_keep_all_rows_of_the_flank() -> None:
    coarse = replace(DEFAULT, flank_elements=8)
    assert [row for row in rows_of("spur", PINION, coarse) if row >= 0] == list(range(9))


def test_what_was_chosen_before_does_not_count() -> None:
    pair, sector = pair_of("spur"), sector_of("spur", PINION)
    once = with_loaded_rows(pair, PINION, sector)
    assert with_loaded_rows(pair, PINION, once).loaded_rows == once.loaded_rows


def test_finer_grids_keep_more_rows() -> None:
    fine = replace(DEFAULT, flank_elements=32)
    assert sum(row >= 0 for row in rows_of("spur", PINION, fine)) == 19


def test_the_grid_of_a_face_has_the_loaded_rows_and_knows_where_the_layer_ends() -> None:
    pair, sector = pair_of("spur"), sector_of("spur", PINION)
    chosen = with_loaded_rows(pair, PINION, sector)
    whole, part = (FaceGrid.of(pair.pinion, grid, "a") for grid in (sector, chosen))
    np.testing.assert_array_equal(part.rows_s, whole.rows_s[list(chosen.loaded_rows or ())])
    assert part.s_low == whole.s_low == whole.rows_s[0]
    assert chosen.loaded("b").shape == (len(part.rows_s), len(part.cols_z))


def test_rows_that_carry_nothing_change_nothing() -> None:
    """What lies on the involute goes to the nodes as if all rows of the fillet were there."""
    for phase in (-0.45, -0.1, 0.2, 0.45):
        one, other = (solve(contact_on("spur", rows), phase, 300.0) for rows in ("all", "whole flank"))
        assert other.deflection == pytest.approx(one.deflection, rel=1e-10)
        np.testing.assert_allclose(other.forces.pair_torque, one.forces.pair_torque, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["spur", "helical"])
def test_rows_between_change_the_deflection_by_a_part_in_five_thousand(name: str) -> None:
    """Seen on the default grids of 20/30 and 24/95: 1.1e-4 and 0.8e-4."""
    whole, chosen = contact_on(name, "whole flank"), contact_on(name, "chosen")
    for phase in np.linspace(-0.5, 0.5, 9):
        one, other = (solve(contact, float(phase), 300.0) for contact in (whole, chosen))
        assert other.deflection == pytest.approx(one.deflection, rel=2e-4)
