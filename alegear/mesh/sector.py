"""Structured grid of hexahedra of one tooth sector, made by Gmsh.

Cross-section in the tooth frame (x along the tooth's centre line), four blocks:

- the tooth block: from the tip land down both flanks and the upper part of the fillets; its rows run across the tooth;
- under it the centre rim block, down to the middle part of the bore arc;
- on both sides of that a side block from the lower part of the fillet down to the bore, ending at the cut plane in the
  middle of the tooth space.

The three blocks that meet at the fillet share its straight angle: about 60 degrees each, as far as the rim leaves room.
Gmsh fills the blocks by transfinite interpolation between the given boundary nodes, which lie on the exact profile;
the section is then extruded across the face.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.errors import AnalysisFailure, Fault, NotInThisVersion
from alegear.mesh.volume import VolumeMesh, mesh_quality

if TYPE_CHECKING:
    from alegear.geometry import Gear

SET_NAMES = ("flank_a", "flank_b", "root_a", "root_b", "cut_low", "cut_high", "bore", "tip")
"""Names of the node sets of a sector."""

_GMSH_LOCK = threading.Lock()  # Gmsh has one global state for the whole process.
_GMSH_OPTIONS = {
    "General.Terminal": 0,
    "Mesh.ElementOrder": 1,
    "Mesh.Smoothing": 0,
    "Mesh.SubdivisionAlgorithm": 0,
}


@dataclass(frozen=True, kw_only=True)
class MeshOptions:
    """Numbers of elements of a sector.

    Parameters
    ----------
    flank_elements : int
        Along the involute from the root form circle to the tip, equal in arc length.
    fillet_elements : int
        Along the fillet from the middle of the tooth space to the root form circle, equal in arc length. The upper half
        of them (rounded down) runs across the tooth, the rest down into the rim.
    thickness_elements : int
        Across the tooth.
    width_elements : int
        Across the face.
    rim_elements : int
        From the root down to the bore, finer at the root.
    order : int
        1: eight nodes.

    Raises
    ------
    Fault
        If a number is not an integer in its range.
    NotInThisVersion
        If the order is 2.
    """

    flank_elements: int = 12
    fillet_elements: int = 8
    thickness_elements: int = 8
    width_elements: int = 8
    rim_elements: int = 12
    order: int = 1

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise Fault(item.name, value, "an integer", f"use {item.default}, the default")
        if self.order == 2:
            raise NotInThisVersion("order", 2, "use order = 1, eight nodes with incompatible modes")
        if self.order != 1:
            raise Fault("order", self.order, "1", "use 1")
        for item in fields(self):
            # along the profile the contact interpolates over four rows of nodes, one of them in the fillet
            least = 2 if item.name in ("flank_elements", "fillet_elements", "thickness_elements") else 1
            value = getattr(self, item.name)
            if not least <= value <= 400:
                raise Fault(item.name, value, f"between {least} and 400", f"use {item.default}, the default")

    @property
    def upper_fillet_elements(self) -> int:
        """Fillet elements whose rows run across the tooth."""
        return self.fillet_elements // 2

    @property
    def lower_fillet_elements(self) -> int:
        """Fillet elements whose columns run down to the bore."""
        return self.fillet_elements - self.upper_fillet_elements


@dataclass(frozen=True, kw_only=True, eq=False)
class SectorMesh:
    """One tooth sector, between the middles of its tooth spaces, in the tooth frame.

    Grids of faces have a row for each node along the profile, from the lowest to the tip, and a column for each node
    across the face, z ascending.

    Parameters
    ----------
    volume : VolumeMesh
        The grid, with all sets below also in ``node_sets`` (flattened).
    teeth : int
        Number of teeth of the wheel.
    flank_a, flank_b : shape (rows, cols)
        Nodes of the tooth face at positive and at negative polar angle: the involute, and below it the upper rows of
        the fillet.
    root_a, root_b : shape (rows, cols)
        Nodes of the fillet from the middle of the tooth space up to the root form circle; they overlap the flanks.
    cut_low, cut_high : shape (n,)
        Nodes of the cut planes at polar angles -pi/z and +pi/z; ``cut_high[i]`` is ``cut_low[i]`` turned by 2 pi/z.
    bore : shape (n,)
        Nodes on the bore.
    tip : shape (n,)
        Nodes of the tip land, with its edges.
    """

    volume: VolumeMesh
    teeth: int
    flank_a: NDArray[np.int64]
    flank_b: NDArray[np.int64]
    root_a: NDArray[np.int64]
    root_b: NDArray[np.int64]
    cut_low: NDArray[np.int64]
    cut_high: NDArray[np.int64]
    bore: NDArray[np.int64]
    tip: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Boundary:
    """Boundary nodes of the section's blocks, each (n, 2) [m]; mirrored lines run in the mirrored sense.

    ``face`` runs up flank a from the block corner M to the tip, ``fillet`` down from M to the tooth space's middle,
    ``tip`` and ``waist`` (the line between the two M) from -y to +y, ``bore`` likewise over the whole sector,
    ``spoke`` from M down to the bore, ``cut`` from the tooth space's middle down to the bore.
    """

    face: NDArray[np.float64]
    fillet: NDArray[np.float64]
    tip: NDArray[np.float64]
    waist: NDArray[np.float64]
    spoke: NDArray[np.float64]
    cut: NDArray[np.float64]
    bore: NDArray[np.float64]


def mesh_sector(gear: Gear, options: MeshOptions | None = None) -> SectorMesh:
    """Mesh one tooth sector of a gear.

    Flank and fillet nodes lie on the exact profile without microgeometry; the grid is its own mirror image in y, and
    the same in every layer across the face.

    Parameters
    ----------
    gear : Gear
        External spur gear.
    options : MeshOptions, optional
        Numbers of elements; default: ``MeshOptions()``.

    Raises
    ------
    AnalysisFailure
        If Gmsh cannot be loaded or fails, or if a cell of the grid is turned inside out.

    Examples
    --------
    >>> sector = mesh_sector(gear, MeshOptions(flank_elements=16))  # doctest: +SKIP
    >>> sector.flank_a.shape  # doctest: +SKIP
    (21, 9)
    """
    options = MeshOptions() if options is None else options
    boundary = _boundary(gear, options)
    tooth, rim = _fill_blocks(boundary, gear.m_n)
    sector = _extrude(tooth, rim, gear, options)
    quality = mesh_quality(sector.volume)
    if quality.tangled:
        x, y, _ = 1e3 * quality.worst_point
        raise AnalysisFailure(
            f"{quality.tangled} of {sector.volume.n_cells} cells of the sector with {gear.z} teeth are turned inside "
            f"out, the worst near x = {x:.4g} mm, y = {y:.4g} mm of the tooth frame; "
            "enlarge the rim (smaller bore) or the root radius, or change fillet_elements"
        )
    return sector


# --- boundary ---------------------------------------------------------------------------------------------------------


def _boundary(gear: Gear, options: MeshOptions) -> _Boundary:
    profile = gear.tooth_profile
    half_pitch = np.pi / gear.z
    r_bore = 0.5 * gear.bore_diameter
    upper, lower = options.upper_fillet_elements, options.lower_fillet_elements

    fillet_s = profile.s_root * np.arange(options.fillet_elements + 1) / options.fillet_elements
    flank_s = profile.s_tip * np.arange(options.flank_elements + 1) / options.flank_elements
    face = profile.points(np.concatenate([fillet_s[upper:0:-1], flank_s]))
    fillet = profile.points(fillet_s[upper:])
    # The cut planes must match by rotation, so their corner lies on the exact angle even if s_root is rounded.
    fillet[-1] = _polar(np.hypot(*fillet[-1]), half_pitch)

    corner = fillet[0]
    r_corner, theta_corner = np.hypot(*corner), np.arctan2(corner[1], corner[0])
    waist_slope, spoke_lean = _corner_angles(profile.tangents(fillet_s[upper : upper + 1])[0], theta_corner)

    depth = np.hypot(*fillet[-1]) - r_bore
    fraction = _graded(options.rim_elements, depth, _finest(fillet, lower, r_corner * theta_corner, options))
    spoke = _spoke(r_corner, theta_corner, r_bore, spoke_lean, fraction)
    spoke[0] = corner
    cut = _polar(_mix(np.hypot(*fillet[-1]), r_bore, fraction), half_pitch)
    cut[0] = fillet[-1]

    theta_bore = np.arctan2(spoke[-1, 1], spoke[-1, 0])
    side = np.linspace(theta_bore, half_pitch, lower + 1)
    middle = theta_bore * _symmetric_steps(options.thickness_elements)
    bore = _polar(r_bore, np.concatenate([-side[:0:-1], middle, side[1:]]))
    bore[0], bore[-1] = _mirrored(cut[-1:])[0], cut[-1]

    waist = _waist(r_corner, theta_corner, r_bore, waist_slope, options.thickness_elements)
    waist[0], waist[-1] = _mirrored(corner[None])[0], corner
    theta_tip = np.arctan2(face[-1, 1], face[-1, 0])
    tip = _polar(np.hypot(*face[-1]), theta_tip * _symmetric_steps(options.thickness_elements))
    tip[0], tip[-1] = _mirrored(face[-1:])[0], face[-1]
    return _Boundary(face=face, fillet=fillet, tip=tip, waist=waist, spoke=spoke, cut=cut, bore=bore)


def _corner_angles(tangent: NDArray[np.float64], theta: float) -> tuple[float, float]:
    """Slope of the waist line at the corner M (positive: sags towards the axis) and lean of the spoke [rad].

    The profile leaves M upwards at ``up`` from the radius, leaning to the tooth's centre. Waist and spoke divide the
    straight angle under it in three equal parts; neither may turn away too far from the circle and the radius.
    """
    radial, tangential = tangent @ _polar(1.0, theta), tangent @ _polar(1.0, theta + 0.5 * np.pi)
    up = np.arctan2(-tangential, radial)
    slope = np.clip(up - np.pi / 6.0, np.radians(-5.0), np.radians(40.0))
    lean = np.clip(np.pi / 3.0 - up, np.radians(0.0), np.radians(45.0))
    return float(slope), float(lean)


def _finest(fillet: NDArray[np.float64], lower: int, half_width: float, options: MeshOptions) -> float:
    """Radial size [m] of the uppermost rim elements: between those of the fillet and those across the tooth."""
    along_fillet = float(np.linalg.norm(np.diff(fillet, axis=0), axis=1).sum()) / lower
    across_tooth = 2.0 * half_width / options.thickness_elements
    return float(np.sqrt(along_fillet * across_tooth))


def _graded(n: int, length: float, first: float) -> NDArray[np.float64]:
    """Fractions 0 ... 1 of n steps in geometric progression over a length [m], the first of the given size.

    Steps never shrink: if n steps of the given size reach beyond the length, all are equal.
    """
    ratio = 1.0
    if n > 1 and n * first < length:
        low, high = 1.0, 1.0 + length / first
        for _ in range(100):  # bisection: the sum of the steps rises with the ratio
            ratio = 0.5 * (low + high)
            if first * np.sum(ratio ** np.arange(n)) < length:
                low = ratio
            else:
                high = ratio
    steps = ratio ** np.arange(n)
    fractions = np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])
    fractions[-1] = 1.0
    return fractions


def _spoke(
    r_corner: float, theta_corner: float, r_bore: float, lean: float, fraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Line from the corner M to the bore: leaves M leaning to the centre, ends radially."""
    depth = r_corner - r_bore
    # theta(t) = theta_corner - swing (1 - (1 - t)^power) has the slope power * swing at M.
    wanted = np.tan(lean) * depth / r_corner
    swing = min(0.5 * wanted, 0.35 * theta_corner)
    power = min(wanted / swing, 10.0) if swing > 0.0 else 2.0
    theta = theta_corner - swing * (1.0 - (1.0 - fraction) ** power)
    return _polar(_mix(r_corner, r_bore, fraction), theta)


def _waist(r_corner: float, theta_corner: float, r_bore: float, slope: float, n: int) -> NDArray[np.float64]:
    """Line between the two corners M: a parabola in polar coordinates with the given slope at its ends."""
    sag = 0.5 * np.tan(slope) * r_corner * theta_corner
    sag = min(sag, 0.35 * (r_corner - r_bore))
    position = _symmetric_steps(n)
    return _polar(r_corner - sag * (1.0 - position**2), theta_corner * position)


def _symmetric_steps(n: int) -> NDArray[np.float64]:
    """Return -1 ... 1 in n equal steps, symmetric to the last bit (which linspace is not)."""
    return np.arange(-n, n + 1, 2) / n


def _polar(r: float | NDArray[np.float64], theta: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (..., 2) from polar coordinates."""
    return np.stack(np.broadcast_arrays(r * np.cos(theta), r * np.sin(theta)), axis=-1)


def _mix(start: float, end: float, fraction: NDArray[np.float64]) -> NDArray[np.float64]:
    return start + (end - start) * fraction


def _mirrored(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mirror image in y of points (..., 2)."""
    return points * np.array([1.0, -1.0])


# --- Gmsh -------------------------------------------------------------------------------------------------------------


def _fill_blocks(boundary: _Boundary, scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes of the tooth block (rows from the waist to the tip) and of the three rim blocks side by side (rows from the
    bore to the root), columns from -y to +y, each (rows, cols, 2) [m].

    Gmsh works in units of ``scale`` [m], because its tolerances are absolute.
    """
    b = boundary
    n_side, n_middle = len(b.fillet) - 1, len(b.waist) - 1
    left, middle, right = (
        b.bore[: n_side + 1],
        b.bore[n_side : n_side + n_middle + 1],
        b.bore[n_side + n_middle :],
    )
    blocks = [
        (b.waist, b.face, b.tip, _mirrored(b.face)),
        (middle, b.spoke[::-1], b.waist, _mirrored(b.spoke[::-1])),
        (right, b.cut[::-1], b.fillet, b.spoke[::-1]),
        (left, _mirrored(b.spoke[::-1]), _mirrored(b.fillet[::-1]), _mirrored(b.cut[::-1])),
    ]
    with _gmsh_model() as gmsh:
        tooth, centre, side_a, side_b = (
            scale * grid for grid in _transfinite(gmsh, [[side / scale for side in block] for block in blocks])
        )
    rim = np.concatenate([side_b[:, :-1], centre, side_a[:, 1:]], axis=1)

    for block in (tooth, rim):
        _make_symmetric(block)
    # Scaling rounds: put the boundary nodes back on the exact profile.
    rim[0] = b.bore
    rim[-1] = np.concatenate([_mirrored(b.fillet[:0:-1]), b.waist, b.fillet[1:]])
    rim[:, 0], rim[:, -1] = _mirrored(b.cut[::-1]), b.cut[::-1]
    tooth[0], tooth[-1] = b.waist, b.tip
    tooth[:, 0], tooth[:, -1] = _mirrored(b.face), b.face
    return tooth, rim


def _make_symmetric(block: NDArray[np.float64]) -> None:
    """Replace each node by the mean of itself and its mirror image, in place: Gmsh is symmetric to round-off only."""
    block[:] = 0.5 * (block + _mirrored(block[:, ::-1]))


@contextmanager
def _gmsh_model() -> Iterator[Any]:
    """A fresh, silent Gmsh model, removed afterwards; Gmsh itself stays as it was found (started or not)."""
    try:
        import gmsh
    except (OSError, ImportError) as error:
        raise AnalysisFailure(
            f"Gmsh cannot be loaded ({error}); install its system libraries, "
            "on Debian: apt-get install libglu1-mesa libxcursor1 libxft2 libxinerama1"
        ) from error
    with _GMSH_LOCK:
        found_running = bool(gmsh.isInitialized())
        if not found_running:
            # interruptible=True would set a signal handler, which works in the main thread only.
            gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
        found_options = {name: gmsh.option.getNumber(name) for name in _GMSH_OPTIONS}
        active = gmsh.model.getCurrent()
        try:
            for name, value in _GMSH_OPTIONS.items():
                gmsh.option.setNumber(name, value)
            gmsh.model.add("alegear_sector")
            yield gmsh
        except AnalysisFailure:
            raise
        except Exception as error:  # Gmsh raises plain Exception
            raise AnalysisFailure(f"Gmsh failed on the tooth sector: {error}") from error
        finally:
            if found_running:
                gmsh.model.setCurrent("alegear_sector")
                gmsh.model.remove()
                gmsh.model.setCurrent(active)
                for name, value in found_options.items():
                    gmsh.option.setNumber(name, value)
            else:
                gmsh.finalize()


def _transfinite(gmsh: Any, blocks: list[list[NDArray[np.float64]]]) -> list[NDArray[np.float64]]:
    """Fill four-sided blocks by transfinite quadrilaterals between given nodes.

    Each block is (bottom, right, top, left): bottom and top from left to right, left and right upwards, each (n, 2).
    Every element edge on a side becomes a Gmsh line of its own, so that the boundary nodes are exactly the given ones.
    Lines between coincident points are shared, so neighbouring blocks share their nodes.

    Returns the nodes of each block, (len(left), len(bottom), 2).
    """
    geo = gmsh.model.geo
    point_tag: dict[tuple[float, float], int] = {}
    line_tag: dict[tuple[int, int], int] = {}

    def point(position: NDArray[np.float64]) -> int:
        key = (float(np.round(position[0], 10)), float(np.round(position[1], 10)))
        if key not in point_tag:
            point_tag[key] = geo.addPoint(float(position[0]), float(position[1]), 0.0)
        return point_tag[key]

    def line(start: int, end: int) -> int:
        if (end, start) in line_tag:
            return -line_tag[end, start]
        if (start, end) not in line_tag:
            line_tag[start, end] = geo.addLine(start, end)
        return line_tag[start, end]

    sides, surfaces = [], []
    for block in blocks:
        bottom, right, top, left = ([point(p) for p in side] for side in block)
        loop = bottom + right[1:] + top[-2::-1] + left[-2::-1]
        lines = [line(start, end) for start, end in pairwise(loop)]
        surface = geo.addPlaneSurface([geo.addCurveLoop(lines)])
        geo.mesh.setTransfiniteSurface(surface, "Left", [bottom[0], bottom[-1], top[-1], top[0]])
        geo.mesh.setRecombine(2, surface)
        sides.append((bottom, right, top, left))
        surfaces.append(surface)
    for tag in line_tag.values():
        geo.mesh.setTransfiniteCurve(tag, 2)
    geo.synchronize()
    gmsh.model.mesh.generate(2)

    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    position = np.zeros((int(tags.max()) + 1, 2))
    position[tags] = coordinates.reshape(-1, 3)[:, :2]
    grids = []
    for surface, (bottom, _, _, left) in zip(surfaces, sides, strict=True):
        types, _, corners = gmsh.model.mesh.getElements(2, surface)
        quads = corners[0].reshape(-1, 4).astype(np.int64)
        if len(types) != 1 or len(quads) != (len(left) - 1) * (len(bottom) - 1):
            raise AnalysisFailure("Gmsh did not fill a block of the tooth sector with quadrilaterals")
        # The node on a point of the geometry carries another tag than the point.
        node = {tag: int(gmsh.model.mesh.getNodes(0, tag)[0][0]) for tag in {*bottom, *left}}
        grids.append(position[_walk(quads, [node[tag] for tag in bottom], [node[tag] for tag in left])])
    return grids


def _walk(quads: NDArray[np.int64], bottom: list[int], left: list[int]) -> NDArray[np.int64]:
    """Arrange the nodes of a structured block in rows, (len(left), len(bottom)), from its first row and column."""
    quads_at: dict[int, list[int]] = {}
    for q, quad in enumerate(quads):
        for node in quad:
            quads_at.setdefault(int(node), []).append(q)
    grid = np.zeros((len(left), len(bottom)), dtype=np.int64)
    grid[0], grid[:, 0] = bottom, left
    used = np.zeros(len(quads), dtype=bool)
    for row in range(len(left) - 1):
        for col in range(len(bottom) - 1):
            known = {int(grid[row, col]), int(grid[row, col + 1]), int(grid[row + 1, col])}
            (q,) = (q for q in quads_at[int(grid[row, col])] if not used[q] and known <= set(quads[q].tolist()))
            used[q] = True
            (grid[row + 1, col + 1],) = set(quads[q].tolist()) - known
    return grid


# --- extrusion --------------------------------------------------------------------------------------------------------


def _extrude(tooth: NDArray[np.float64], rim: NDArray[np.float64], gear: Gear, options: MeshOptions) -> SectorMesh:
    """Hexahedra from the section's blocks; node = layers * section node + layer, so that columns across the face are
    contiguous."""
    n_layers = options.width_elements + 1
    n_rim = rim.shape[0] * rim.shape[1]
    rim_node = np.arange(n_rim).reshape(rim.shape[:2])
    tooth_node = np.empty(tooth.shape[:2], dtype=np.int64)
    lower, upper = options.lower_fillet_elements, options.upper_fillet_elements
    tooth_node[0] = rim_node[-1, lower : lower + tooth.shape[1]]
    tooth_node[1:] = n_rim + np.arange(tooth_node[1:].size).reshape(tooth_node[1:].shape)

    section = np.concatenate([rim.reshape(-1, 2), tooth[1:].reshape(-1, 2)])
    z = gear.b * (np.arange(n_layers) / options.width_elements - 0.5)
    points = np.empty((len(section), n_layers, 3))
    points[:, :, :2] = section[:, None, :]
    points[:, :, 2] = z

    layer = np.arange(n_layers, dtype=np.int64)

    def columns(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.ascontiguousarray(nodes[:, None] * n_layers + layer)

    quads = np.concatenate([_quads(rim_node), _quads(tooth_node)])
    bottom = quads[:, None, :] * n_layers + layer[:-1, None]
    cells = np.concatenate([bottom, bottom + 1], axis=2).reshape(-1, 8)

    # From the middle of the tooth space up: along the rim's upper edge to the corner M, then up the tooth's side.
    root_a = np.concatenate([rim_node[-1, : -lower - 1 : -1], tooth_node[: upper + 1, -1]])
    root_b = np.concatenate([rim_node[-1, :lower], tooth_node[: upper + 1, 0]])
    sets = {
        "flank_a": columns(tooth_node[:, -1]),
        "flank_b": columns(tooth_node[:, 0]),
        "root_a": columns(root_a),
        "root_b": columns(root_b),
        "cut_low": columns(rim_node[:, 0]).ravel(),
        "cut_high": columns(rim_node[:, -1]).ravel(),
        "bore": columns(rim_node[0]).ravel(),
        "tip": columns(tooth_node[-1]).ravel(),
    }
    return sector_from_sets(points.reshape(-1, 3), cells, sets, gear.z)


def sector_from_sets(
    points: NDArray[np.float64], cells: NDArray[np.int64], sets: dict[str, NDArray[np.int64]], teeth: int
) -> SectorMesh:
    """A sector from its arrays and its sets in final order; the volume carries the sets flattened."""
    volume = VolumeMesh(points=points, cells=cells, node_sets={name: nodes.ravel() for name, nodes in sets.items()})
    return SectorMesh(volume=volume, teeth=teeth, **sets)


def _quads(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counter-clockwise quadrilaterals of a block whose rows go up (+x) and whose columns go to +y."""
    low_left, low_right = nodes[:-1, :-1].ravel(), nodes[:-1, 1:].ravel()
    high_left, high_right = nodes[1:, :-1].ravel(), nodes[1:, 1:].ravel()
    return np.stack([low_left, high_left, high_right, low_right], axis=1)
