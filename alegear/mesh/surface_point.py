"""Places on the surface of a tooth, in root fillet or flank, on the grid of a sector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.mesh.sector import SectorMesh

ROUND_OFF = 1e-9  # of the radius: diameters in a case file have so many digits


@dataclass(frozen=True, kw_only=True, eq=False)
class SurfacePoint:
    """A place on one side of a tooth, between the nodes of its surface.

    Parameters
    ----------
    flank : {"a", "b"}
        Side of the tooth.
    nodes, weights : shape (m,), m at most 4
        What is known at nodes is here the sum of it with these weights, which add up to one: linear from row to row of
        the grid along the profile, and from column to column across the face.
    radius : float [m]
    arc_length : float [m]
        Along the profile from the middle of the tooth space.
    face_position : float [m]
        Along the axis from mid-face.
    """

    flank: Literal["a", "b"]
    nodes: Indices
    weights: Array
    radius: float
    arc_length: float
    face_position: float


def locate_point(
    sector: SectorMesh,
    flank: Literal["a", "b"],
    *,
    fillet_share: float | None = None,
    radius: float | None = None,
    face_position: float = 0.0,
) -> SurfacePoint:
    """Find a place on the surface of a tooth.

    Parameters
    ----------
    sector : SectorMesh
    flank : {"a", "b"}
    fillet_share : float, optional
        Along the root fillet: 0 in the middle of the tooth space, 1 at the root form circle.
    radius : float, optional [m]
        In place of it: in the fillet above the root circle, or on the flank.
    face_position : float [m]
        Along the axis from mid-face.

    Raises
    ------
    Fault
        If the place is not on the tooth, or not exactly one of `fillet_share` and `radius` is given.
    """
    if (fillet_share is None) == (radius is None):
        raise Fault("position on the tooth", (fillet_share, radius), "fillet_share or radius", "give one of the two")
    grid = profile_grid(sector, flank)
    x, y, _ = sector.straight_points[grid[:, 0]].T
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    r = np.hypot(x, y)
    if fillet_share is not None:
        fillet = arc[: len(sector.root_a)]
        row, along = _between(fillet / fillet[-1], fillet_share, "share of the root fillet")
    else:
        assert radius is not None
        row, along = _between(np.maximum.accumulate(r), radius, "radius [m]")
    column, across = _between(sector.straight_points[grid[0], 2], face_position, "face position [m]")
    weights = np.outer([1.0 - along, along], [1.0 - across, across])
    used = weights > 0.0
    return SurfacePoint(
        flank=flank,
        nodes=grid[row : row + 2, column : column + 2][used],
        weights=weights[used],
        radius=float((1.0 - along) * r[row] + along * r[row + 1]),
        arc_length=float((1.0 - along) * arc[row] + along * arc[row + 1]),
        face_position=float(face_position),
    )


def profile_grid(sector: SectorMesh, flank: Literal["a", "b"]) -> Indices:
    """Nodes of one side of a tooth from the middle of the tooth space to the tip, shape (rows, cols)."""
    root, face = (sector.root_a, sector.flank_a) if flank == "a" else (sector.root_b, sector.flank_b)
    return np.concatenate([root, face[~np.isin(face[:, 0], root[:, 0])]])


def _between(values: Array, wanted: float, name: str) -> tuple[int, float]:
    """Number of the interval of rising values in which one lies, and its place there from 0 to 1."""
    low, high = float(values[0]), float(values[-1])
    slack = ROUND_OFF * max(abs(low), abs(high))
    if not low - slack <= wanted <= high + slack:
        raise Fault(name, f"{wanted:.6g}", f"between {low:.6g} and {high:.6g}", "choose a position on the tooth")
    first = int(np.clip(np.searchsorted(values, wanted, side="right") - 1, 0, len(values) - 2))
    step = float(values[first + 1] - values[first])
    place = (wanted - float(values[first])) / step if step > 0.0 else 0.0
    # a place that was meant for a node is at the node, whatever round-off says
    return first, float(np.clip(round(place, 9), 0.0, 1.0))
