"""``[alignment]``: misalignment and offset of the axes."""

from __future__ import annotations

import math

from alegear.case.schema import Section, Table, limited
from alegear.geometry.alignment import Alignment
from alegear.units import MM, UM

_ALIGNMENT = Alignment.LIMITS


class AlignmentTable(Table):
    """``[alignment]``: misalignment of the pinion shaft against the wheel shaft."""

    tilt_plane_of_action_deg: float = limited(
        _ALIGNMENT["tilt_plane_of_action"],
        "tilt of the pinion axis in the plane of action in degrees, positive closes the gap at +z",
        default=0.0,
    )
    tilt_normal_deg: float = limited(
        _ALIGNMENT["tilt_normal"], "tilt of the pinion axis in the plane normal to it in degrees", default=0.0
    )
    axial_offset_mm: float = limited(
        _ALIGNMENT["axial_offset"], "axial offset of the pinion towards +z against the wheel in mm", default=0.0
    )
    center_distance_error_um: float = limited(
        _ALIGNMENT["center_distance_error"], "error of the centre distance in micrometres, added to it", default=0.0
    )


def alignment(table: AlignmentTable) -> Alignment:
    """Return the alignment of a pair, in SI units."""
    return Alignment(
        tilt_plane_of_action=math.radians(table.tilt_plane_of_action_deg),
        tilt_normal=math.radians(table.tilt_normal_deg),
        axial_offset=table.axial_offset_mm * MM,
        center_distance_error=table.center_distance_error_um * UM,
    )


#: A field of the pair of gears, of which it is read (:mod:`alegear.case.pair`).
SECTION = Section(tables={"alignment": AlignmentTable}, read=lambda file: {})
