"""Measured points that are no grid, put onto one: traces of their own lengths, or points anywhere on a flank.

What this adds is stated as an error: of points that are left out and predicted from the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault

SAME_PLACE = 1e-9
"""Places that differ by less [m] are the same row or column: a thousandth of the last digit written."""

FEWEST_POINTS = 9
SHORTEST_TRACE = 4
"""Points from which a line of points is a trace, which a curve is laid through."""

LEAST_COVER = 0.8
"""Part of the rectangle around scattered points, or of the longest trace, that must lie between points."""

LARGEST_GAP = 0.25
"""Distance of a place of the flank from the next point, in parts of the sides of that rectangle."""

REMOVE = "remove the others from the file of topography"
MOST_ROWS = 201
MOST_SCATTERED_ROWS = 65
NEIGHBOURS = 50  # points that a thin plate is laid through
HALVES = 2


class Resampled(NamedTuple):
    """A grid through points.

    Attributes
    ----------
    roll_length, z : shape (n,), (m,) [m]
    removal : shape (n, m) [m]
    error : float [m]
        Largest difference of a point from what the others, or the grid's own rows and columns, say there.
    """

    roll_length: Array
    z: Array
    removal: Array
    error: float


def resample(roll_length: Array, z: Array, removal: Array, name: str) -> Resampled:
    """Lay a grid through points.

    Points on lines across or along the face, four of them or more on each, are traces: a piecewise cubic curve goes
    through each (PCHIP), and is read at common places. Other points are met by thin plates through the nearest fifty of
    them (scaled by the sides of their rectangle).

    Parameters
    ----------
    roll_length, z, removal : shape (n,) [m]
    name : str
        Of the file, for messages.

    Raises
    ------
    Fault
        For less than nine points, points on one line, and points that leave a part of their rectangle empty.

    Notes
    -----
    The error of traces is the largest one of points within them that are left out in turn, every third at a time, and
    of whole traces, where there are three or more. Of scattered points each half, every second one, is predicted from
    the other: with half the points the plates are two to ten times as far off as with all, at 60 to 1600 points of a
    flank with relief, crowning and waves. So it is a cautious estimate, and no bound of what was not measured.
    """
    if len(removal) < FEWEST_POINTS:
        remedy = "measure more points for the file of topography"
        raise Fault(f"{name}: points of the flank", len(removal), f"at least {FEWEST_POINTS}", remedy)
    sides = np.ptp(roll_length), np.ptp(z)
    for words, side in zip(("roll length", "face position"), sides, strict=True):
        if side <= SAME_PLACE:
            limit, remedy = "at least two of them", "a single line is no topography: measure lines beside it"
            raise Fault(f"{name}: different {words}s", 1, limit, remedy)
    if (lines := _lines(z)) is not None:
        return _through_traces(lines, roll_length, z, removal, f"{name}: trace along the profile")
    if (lines := _lines(roll_length)) is not None:
        across = _through_traces(lines, z, roll_length, removal, f"{name}: trace along the face")
        return Resampled(across.z, across.roll_length, np.ascontiguousarray(across.removal.T), across.error)
    return _through_plates(roll_length, z, removal, name)


def distinct(places: Array) -> tuple[Array, Indices]:
    """Return the distinct places, rising, and for each given place its number among them."""
    order = np.argsort(places, kind="stable")
    new = np.concatenate(([True], np.diff(places[order]) > SAME_PLACE))
    number = np.empty(places.size, dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return places[order][new], number


# ------------------------------------------------------------------------------- traces
def _lines(across: Array) -> list[Indices] | None:
    """Numbers of the points of each line at one place, None where the points do not lie on lines."""
    places, number = distinct(across)
    if np.bincount(number).min() < SHORTEST_TRACE:
        return None
    return [np.flatnonzero(number == line) for line in range(len(places))]


def _through_traces(lines: list[Indices], along: Array, across: Array, removal: Array, name: str) -> Resampled:
    """Read traces at common places, as rows of `along` and columns of `across`."""
    traces = [line[np.argsort(along[line], kind="stable")] for line in lines]
    low, high = along.min(), along.max()
    for trace in traces:
        places = along[trace]
        at = f" at {1e3 * across[trace[0]]:.6g} mm"
        if np.any(np.diff(places) <= SAME_PLACE):
            double = places[:-1][np.diff(places) <= SAME_PLACE][0]
            raise Fault(f"{name}{at}: points at {1e3 * double:.6g} mm", 2, "1: each point once", REMOVE)
        cover = (places[-1] - places[0]) / (high - low)
        gap = float(np.diff(places).max()) / (high - low)
        if cover < LEAST_COVER or gap > LARGEST_GAP:
            _refuse_gap(f"{name}{at}", cover, gap)
    rows = np.linspace(low, high, min(max(len(trace) for trace in traces), MOST_ROWS))
    read = np.stack([_curve(along[trace], removal[trace], rows) for trace in traces], axis=1)
    columns = np.array([across[trace[0]] for trace in traces])
    errors = [_left_out(along[trace], removal[trace]) for trace in traces]
    errors += [
        np.abs(_curve(rows, read[:, number], along[trace]) - removal[trace]).max()
        for number, trace in enumerate(traces)
    ]
    for number in range(1, len(traces) - 1):
        others = np.delete(np.arange(len(traces)), number)
        said = _curve(columns[others], read[:, others].T, columns[number : number + 1])[0]
        errors.append(np.abs(said - read[:, number]).max())
    return Resampled(rows, columns, read, float(max(errors)))


def _curve(places: Array, values: Array, at: Array) -> Array:
    """Values (n,) or (n, k) at other places, those of the ends beyond them."""
    from scipy.interpolate import PchipInterpolator  # here, because it takes longer to import than all of geometry

    if len(places) < 2:
        return np.broadcast_to(values, (len(at), *values.shape[1:])).copy()
    return np.asarray(PchipInterpolator(places, values)(np.clip(at, places[0], places[-1])))


def _left_out(places: Array, values: Array) -> float:
    """Largest error of the points within a trace, predicted by the curve through the others, every third left out."""
    inner = np.arange(1, len(places) - 1)
    found = 0.0
    for start in range(3):
        out = inner[start::3]
        if len(out):
            said = _curve(np.delete(places, out), np.delete(values, out), places[out])
            found = max(found, float(np.abs(said - values[out]).max()))
    return found


# ------------------------------------------------------------------------------- scattered points
def _through_plates(roll_length: Array, z: Array, removal: Array, name: str) -> Resampled:
    """Lay thin plates through points anywhere."""
    from scipy.spatial import ConvexHull, QhullError, cKDTree

    points = np.stack([(one - one.min()) / np.ptp(one) for one in (roll_length, z)], axis=1)
    tree = cKDTree(points)
    near = np.asarray(tree.query(points, k=2)[0])[:, 1]
    if near.min() <= 1e-9:
        number = int(np.argmin(near))
        place = f"roll length {1e3 * roll_length[number]:.6g} mm, face position {1e3 * z[number]:.6g} mm"
        raise Fault(f"{name}: points at {place}", 2, "1: each point once", REMOVE)
    try:
        hull = ConvexHull(points)
    except QhullError:
        limit, remedy = "beside each other too", "a single line is no topography: measure lines beside it"
        raise Fault(f"{name}: points of the flank", "on one line", limit, remedy) from None
    n = int(np.clip(2 * np.ceil(np.sqrt(len(points))), FEWEST_POINTS, MOST_SCATTERED_ROWS))
    unit = np.linspace(0.0, 1.0, n)
    nodes = np.stack(np.meshgrid(unit, unit, indexing="ij"), axis=-1).reshape(-1, 2)
    gap, cover = float(np.max(tree.query(nodes)[0])), float(hull.volume)
    if cover < LEAST_COVER or gap > LARGEST_GAP:
        _refuse_gap(f"{name}: points of the flank", cover, gap)
    grid = _plates(points, removal, nodes).reshape(n, n)
    error = 0.0
    for start in range(HALVES):
        out = np.arange(start, len(points), HALVES)
        kept = np.delete(np.arange(len(points)), out)
        error = max(error, float(np.abs(_plates(points[kept], removal[kept], points[out]) - removal[out]).max()))
    return Resampled(roll_length.min() + unit * np.ptp(roll_length), z.min() + unit * np.ptp(z), grid, error)


def _plates(points: Array, values: Array, at: Array) -> Array:
    from scipy.interpolate import RBFInterpolator

    return np.asarray(RBFInterpolator(points, values, neighbors=min(NEIGHBOURS, len(points)))(at))


def _refuse_gap(what: str, cover: float, gap: float) -> None:
    if cover < LEAST_COVER:
        limit = f"at least {100.0 * LEAST_COVER:.0f} % of what the file spans"
        remedy = "measure the rest, or leave out of the topography what sticks out"
        raise Fault(f"{what}: covered [%]", round(100.0 * cover, 1), limit, remedy)
    limit = f"at most {100.0 * LARGEST_GAP:.0f} % of a side: nothing is known of a hole"
    remedy = "measure points there, for the topography"
    raise Fault(f"{what}: largest distance without a point [%]", round(100.0 * gap, 1), limit, remedy)
