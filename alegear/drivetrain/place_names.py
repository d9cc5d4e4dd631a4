"""Names of places along shafts: ``"input@60mm"``."""

from __future__ import annotations

import re

#: Part of the typical radius of a machine that two places may lie apart which are one, or beside an axis that they are
#: on: what is rounded in a drawing, 0.1 mm of a gear of 200 mm.
APART = 1e-3
SEAT = re.compile(r"^(?P<shaft>.+)@(?P<position>[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,2})?)mm$")
"""How the name of such a place is written."""


def node_name(shaft: str, position: float) -> str:
    """Name of the place at a position [m] along a shaft: ``"input@60mm"``."""
    return f"{shaft}@{round(1e3 * position, 6) + 0.0:.10g}mm"


def shaft_of(place: str) -> str:
    """The shaft or body of a place: of ``"input@60mm"`` it is ``"input"``."""
    found = SEAT.match(place)
    return place if found is None else found["shaft"]


def position_of(place: str) -> float:
    """Where a place is along its shaft [m]: of ``"input@60mm"`` 0.06; 0 where nothing is said."""
    found = SEAT.match(place)
    return 0.0 if found is None else 1e-3 * float(found["position"])
