"""Which rows of the flank are kept as places of contact: those that the mating tip can reach, and not all of them.

The displacement of the flank without the layer under it, which is all that a grid is asked for
(:mod:`alegear.reduction.layer`), changes over the depth of that layer, half a tooth. Every row that is kept costs: the
reduction by its cube, the contact by its square.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from alegear.arrays import Array
from alegear.contact.face_grid import FEWEST_ROWS, FaceGrid
from alegear.contact.numbering import PINION
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import SectorMesh

#: Modules below the lowest point of contact of the undeformed pair to which rows stay. The path of the mating tip
#: touches the flank there, and leaves it with the square of the distance by about 0.4/m_n (our estimate, from radii of
#: curvature of 1.6 modules of a flank of 24 teeth and 0.7 of the path): a third of a module lower by 4 % of a module,
#: more than teeth give way by.
RESERVE = 0.3
#: Least distance of rows in the fillet over that on the flank. The fillet's own are half as far apart, for its stress.
APART = 0.6
#: Largest distance [modules] of the rows on the flank if every other one is left out. On the default grid 0.26: the
#: transmission error is 1e-4 off that with all rows, the largest root stress less.
FARTHEST = 0.35
#: Rows that stay at both ends of the flank: beside the form point contact presses on the fillet, and the layer under
#: the tip is thin.
DENSE = 3


def with_loaded_rows(pair: GearPair, number: int, sector: SectorMesh) -> SectorMesh:
    """Choose the rows of a sector that can carry load, whatever was chosen before.

    Parameters
    ----------
    pair : GearPair
    number : int
        Whose sector it is: PINION or WHEEL.
    sector : SectorMesh

    Raises
    ------
    Fault
        If the sector is not one of the gear.
    """
    gear = pair.gears[number]
    rows_s = FaceGrid.of(gear, replace(sector, loaded_rows=None), "a").rows_s
    first = int(np.searchsorted(rows_s, -1e-6 * gear.m_n))  # on the involute
    if len(rows_s) - first < FEWEST_ROWS:
        return sector
    low, high = pair.path_of_contact
    lowest = low if number == PINION else pair.line_of_action - high
    profile = gear.tooth_profile
    kept = _on_flank(rows_s, first, FARTHEST * gear.m_n)
    if profile.undercut or lowest < profile.roll_length_form:  # the tip reaches the edge or the fillet
        fillet = list(range(first))
    else:
        # arc length of an involute: half the square of its roll length over the base radius
        reach = 0.5 * (lowest**2 - profile.roll_length_form**2) / gear.r_b - RESERVE * gear.m_n
        fillet = _in_fillet(rows_s, first, reach)
    return replace(sector, loaded_rows=(*fillet, *kept))


def _on_flank(rows_s: Array, first: int, farthest: float) -> list[int]:
    """Rows from the form point up: every other one, where that is close enough, but for both ends."""
    rows = range(first, len(rows_s))
    if 2.0 * np.diff(rows_s[first:]).max() > farthest:
        return list(rows)
    return [row for row in rows if (row - first) % 2 == 0 or row - first < DENSE or len(rows_s) - row <= DENSE]


def _in_fillet(rows_s: Array, first: int, reach: float) -> list[int]:
    """Rows below the form point down to an arc length, without those close together.

    The uppermost stays: the interpolation along the profile begins from it.
    """
    step = APART * (rows_s[first + 1] - rows_s[first])
    kept = list(range(max(first - 1, 0), first))
    for row in range(first - 2, -1, -1):
        if rows_s[kept[0]] > reach and rows_s[kept[0]] - rows_s[row] >= step:
            kept.insert(0, row)
    return kept
