"""Which rows of the flank the mating tip can reach: only these are kept as places of contact."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from alegear.contact.face_grid import FEWEST_ROWS, FaceGrid
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import SectorMesh

#: Modules below the lowest point of contact of the undeformed pair to which rows stay. The path of the mating tip touches
#: the flank there, and leaves it with the square of the distance by about 0.4/m_n: a third of a module lower by 4 % of a
#: module, more than teeth give way by.
RESERVE = 0.3
#: Least distance of rows in the fillet over that on the flank. The fillet's own are half as far apart, for its stress.
APART = 0.6


def with_loaded_rows(pair: GearPair, member: Literal["pinion", "wheel"], sector: SectorMesh) -> SectorMesh:
    """Leave out rows of the fillet that the mate of a gear cannot reach, and of the others those close together.

    Each row costs as much as one of the flank, though none carries anything as a rule. The uppermost stays: from it the
    interpolation along the profile begins, and what lies on the involute goes to the nodes as if all were there. All
    stay where the mating tip reaches the root form circle, or an undercut ends the involute in an edge.

    Parameters
    ----------
    pair : GearPair
    member : {"pinion", "wheel"}
        Whose sector it is.
    sector : SectorMesh

    Raises
    ------
    Fault
        If the sector is not one of the gear.
    """
    gear = pair.pinion if member == "pinion" else pair.wheel
    low, high = pair.path_of_contact
    lowest = low if member == "pinion" else pair.line_of_action - high
    profile = gear.tooth_profile
    if profile.undercut or lowest < profile.roll_length_form:
        return sector
    rows_s = FaceGrid.of(gear, sector, "a").rows_s
    first = int(np.searchsorted(rows_s, -1e-6 * gear.m_n))  # on the involute
    if first == 0 or len(rows_s) - first < FEWEST_ROWS:
        return sector
    # arc length of an involute: half the square of its roll length over the base radius
    reach = 0.5 * (lowest**2 - profile.roll_length_form**2) / gear.r_b - RESERVE * gear.m_n
    step = APART * (rows_s[first + 1] - rows_s[first])
    kept = list(range(first - 1, len(rows_s)))
    for row in range(first - 2, -1, -1):
        if rows_s[kept[0]] > reach and rows_s[kept[0]] - rows_s[row] >= step:
            kept.insert(0, row)
    return replace(sector, loaded_rows=tuple(kept))
