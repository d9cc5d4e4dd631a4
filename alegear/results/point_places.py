"""Places of chosen points of the teeth, whose stress and motion are recorded over time or position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from alegear.arrays import Array, Indices
from alegear.contact.numbering import GEARS
from alegear.results.dataset import coordinates
from alegear.results.variables import POINT_PLACES


@dataclass(frozen=True, kw_only=True, eq=False)
class PointPlaces:
    """Where points are, the same on many teeth.

    Their stress and rotation follow from the forces on the tooth faces. At a place in contact the stress is that of the
    nodal forces on the grid, not that of the contact strip. NaN for other teeth than those of a point.

    Parameters
    ----------
    names : tuple of str
        Of the points.
    gear : shape (n_points,) int
        0 pinion, 1 wheel.
    side : tuple of str
        "front" or "back" flank.
    radius, arc_length, face_position : shape (n_points,) [m]
        Arc length along the profile from the middle of the tooth space.
    teeth : shape (n_teeth,) int
        Numbers of the teeth, counted as the pairs: tooth i of a gear is in pairs i, i + z, ...
    """

    names: tuple[str, ...]
    gear: Indices
    side: tuple[str, ...]
    radius: Array
    arc_length: Array
    face_position: Array
    teeth: Indices

    @property
    def coordinates(self) -> dict[str, Any]:
        """Points, teeth and where the points are, as coordinates of a dataset."""
        places = {
            "point_gear": [GEARS[gear] for gear in self.gear],
            "point_flank": list(self.side),
            "point_radius": self.radius,
            "point_arc_length": self.arc_length,
            "point_face_position": self.face_position,
        }
        found = {name: POINT_PLACES[name].entry(values) for name, values in places.items()}
        return coordinates({"point": self.names, "tooth": self.teeth}) | found
