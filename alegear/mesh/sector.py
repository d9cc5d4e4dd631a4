"""Structured grid of hexahedra of one tooth sector: its section (:mod:`alegear.mesh.section`) extruded across the face.

Of a helical gear the section turns about the axis on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import AnalysisFailure, Fault, NotInThisVersion
from alegear.limits import check_kind
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.reference_cell import HEXAHEDRON_NODES
from alegear.mesh.section import SectorSection, mirrored, section_of
from alegear.mesh.volume import FreeSurface, VolumeMesh, mesh_quality
from alegear.short_repr import ShortRepr

if TYPE_CHECKING:
    from alegear.geometry.cylindrical_gear import CylindricalGear

SET_NAMES = ("flank_a", "flank_b", "root_a", "root_b", "cut_low", "cut_high", "bore", "tip")
"""Names of the node sets of a sector."""

END_ELEMENT = 0.5
"""Length of the elements at both ends of the face over that of the others."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SectorMesh(ShortRepr):
    """One tooth sector, between the middles of its tooth spaces, in the tooth frame.

    Grids of faces have a row for each node along the profile, from the lowest to the tip, and a column for each node
    across the face, z ascending.

    Parameters
    ----------
    volume : VolumeMesh
        The grid, with all sets below also in ``node_sets`` (flattened), and the roots as its free surface.
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
    twist : float [rad/m]
        The section at z is that at z = 0 turned by twist z about the axis, tan(beta)/r; 0 of a spur gear.
    loaded_rows : tuple of int or None
        Rows of the flanks that can carry load, rising; the others are nodes like those inside. None: all.

    Raises
    ------
    Fault
        If `loaded_rows` are no rising rows of the flanks.
    """

    volume: VolumeMesh
    teeth: int
    flank_a: Indices
    flank_b: Indices
    root_a: Indices
    root_b: Indices
    cut_low: Indices
    cut_high: Indices
    bore: Indices
    tip: Indices
    twist: float = 0.0
    loaded_rows: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        rows, n = self.loaded_rows, len(self.flank_a)
        if rows is not None and (not rows or sorted({*rows}) != list(rows) or rows[0] < 0 or rows[-1] >= n):
            raise Fault(
                "loaded_rows", rows, f"rows of the flanks from 0 to {n - 1}, rising", "leave it out to keep all rows"
            )

    def loaded(self, flank: Literal["a", "b"]) -> Indices:
        """Nodes of the rows of a flank that can carry load, shape (rows, cols)."""
        grid = self.flank_a if flank == "a" else self.flank_b
        return grid if self.loaded_rows is None else grid[list(self.loaded_rows)]

    @property
    def order(self) -> int:
        """Steps from node to node along an edge of an element: 1 with eight nodes, 2 with 27."""
        return 1 if self.volume.cells.shape[1] == 8 else 2

    @cached_property
    def straight_points(self) -> Array:
        """Nodes with the twist undone, shape (n_nodes, 3) [m]: each layer in the frame of its own profile."""
        return twisted(self.volume.points, -self.twist)


def mesh_sector(gear: CylindricalGear, options: GridOptions | None = None) -> SectorMesh:
    """Mesh one tooth sector of a gear.

    Flank and fillet nodes lie on the exact profile without microgeometry. The transverse section is its own mirror
    image in y and the same in every layer across the face, turned by twist z about the axis; so the cut planes of a
    helical gear are helicoids.

    Parameters
    ----------
    gear : Gear
        External; of a ring there are no grids yet.
    options : GridOptions, optional
        Numbers of elements; default: ``GridOptions()``.

    Raises
    ------
    NotInThisVersion
        For a ring.
    AnalysisFailure
        If Gmsh cannot be loaded or fails, or if a cell of the grid is turned inside out.

    Examples
    --------
    >>> sector = mesh_sector(gear, GridOptions(flank_elements=16))  # doctest: +SKIP
    >>> sector.flank_a.shape  # doctest: +SKIP
    (23, 11)
    """
    check_kind(options, "options", GridOptions, optional=True)
    if gear.internal:
        raise NotInThisVersion("finite elements of an internal gear", gear.z, "take another fidelity than flexible")
    options = GridOptions() if options is None else options
    sector = _extrude(section_of(gear, options), gear, options)
    quality = mesh_quality(sector.volume)
    if quality.tangled:
        x, y, _ = 1e3 * quality.worst_point
        raise AnalysisFailure(
            f"{quality.tangled} of {sector.volume.n_cells} cells of the sector with {gear.z} teeth are turned inside "
            f"out, the worst near x = {x:.4g} mm, y = {y:.4g} mm of the tooth frame; "
            "enlarge the rim (smaller bore) or the root radius, or change fillet_elements"
        )
    return sector


def _across_face(options: GridOptions) -> Array:
    """Places of the layers, -0.5 ... 0.5 of the face width, symmetric to the last bit.

    The elements at both ends are shorter: there the stress of the root falls off, and it does so over a length that has
    to do with the tooth, not with the face.
    """
    elements = np.ones(options.width_elements // options.order)
    if len(elements) > 2:
        elements[[0, -1]] = END_ELEMENT
    steps = np.repeat(elements, options.order)
    place = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    return 0.5 * (place - place[::-1])


def _extrude(section: SectorSection, gear: CylindricalGear, options: GridOptions) -> SectorMesh:
    """Hexahedra from the section's blocks; node = layers * section node + layer, so that columns across the face are
    contiguous."""
    rim, core, layer_a, layer_b, plane = _number(section, options)
    n_layers = options.width_elements + 1
    points = np.empty((len(plane), n_layers, 3))
    points[:, :, :2] = plane[:, None, :]
    points[:, :, 2] = gear.b * _across_face(options)

    blocks = [rim, core]
    if options.layer_elements:  # columns to +y, as in the others
        blocks += [layer_b, layer_a[:, ::-1]]
    cells = np.concatenate([_cells(block, n_layers, options.order) for block in blocks])

    layer = np.arange(n_layers, dtype=np.int64)

    def columns(nodes: Indices) -> Indices:
        return np.ascontiguousarray(nodes[:, None] * n_layers + layer)

    fillet, lower = options.fillet_elements, options.lower_fillet_elements
    sets = {
        "flank_a": columns(layer_a[lower:, 0]),
        "flank_b": columns(layer_b[lower:, 0]),
        "root_a": columns(layer_a[: fillet + 1, 0]),
        "root_b": columns(layer_b[: fillet + 1, 0]),
        "cut_low": columns(np.append(rim[:, 0], layer_b[0, :-1])).ravel(),
        "cut_high": columns(np.append(rim[:, -1], layer_a[0, :-1])).ravel(),
        "bore": columns(rim[0]).ravel(),
        "tip": columns(np.concatenate([core[-1], layer_a[-1, :-1], layer_b[-1, :-1]])).ravel(),
    }
    return sector_from_sets(twisted(points.reshape(-1, 3), gear.twist), cells, sets, gear.z, gear.twist)


def _number(section: SectorSection, options: GridOptions) -> tuple[Indices, Indices, Indices, Indices, Array]:
    """Node numbers of rim, core and the layers of flank a and b, as their grids, and the nodes, (n, 2) [m]."""
    lower = options.lower_fillet_elements

    def numbers(start: int, shape: tuple[int, ...]) -> Indices:
        return np.arange(start, start + int(np.prod(shape)), dtype=np.int64).reshape(shape)

    rim = numbers(0, section.rim.shape[:2])
    rows, cols = section.core.shape[:2]
    core = np.concatenate([rim[-1:, lower : lower + cols], numbers(rim.size, (rows - 1, cols))])
    free = section.layer[:, :-1]
    start = rim.size + (rows - 1) * cols
    inner_a = np.concatenate([rim[-1, : -lower - 1 : -1], core[:, -1]])
    inner_b = np.concatenate([rim[-1, :lower], core[:, 0]])
    layer_a = np.column_stack([numbers(start, free.shape[:2]), inner_a])
    layer_b = np.column_stack([numbers(start + free.size // 2, free.shape[:2]), inner_b])
    parts = (section.rim, section.core[1:], free, mirrored(free))
    return rim, core, layer_a, layer_b, np.concatenate([part.reshape(-1, 2) for part in parts])


def _cells(block: Indices, n_layers: int, order: int) -> Indices:
    """Hexahedra over a block of the section whose rows go up (+x) and whose columns go to +y, (n, 8) or (n, 27)."""
    nodes = HEXAHEDRON_NODES[:8] if order == 1 else HEXAHEDRON_NODES
    up, across, along = ((nodes + 1.0) * (0.5 * order)).astype(np.int64).T
    row, col, layer = (
        start.ravel()[:, None]
        for start in np.meshgrid(*(np.arange(0, n - 1, order) for n in (*block.shape, n_layers)), indexing="ij")
    )
    return np.ascontiguousarray(block[row + up, col + across] * n_layers + layer + along)


def twisted(points: Array, twist: float) -> Array:
    """Points (n, 3) [m], each turned by twist [rad/m] times its z about the axis; the same array if that is 0."""
    if twist == 0.0:
        return points
    c, s = np.cos(twist * points[:, 2]), np.sin(twist * points[:, 2])
    x, y, z = points.T
    return np.stack([c * x - s * y, s * x + c * y, z], axis=1)


def sector_from_sets(
    points: Array,
    cells: Indices,
    sets: dict[str, Indices],
    teeth: int,
    twist: float = 0.0,
) -> SectorMesh:
    """A sector from its arrays and its sets in final order; the volume carries the sets flattened."""
    roots = [
        (sets[name], _root_normals(points, sets[name], side)) for name, side in (("root_a", 1.0), ("root_b", -1.0))
    ]
    volume = VolumeMesh(
        points=points,
        cells=cells,
        node_sets={name: nodes.ravel() for name, nodes in sets.items()},
        free_surface=FreeSurface(
            nodes=np.concatenate([nodes.ravel() for nodes, _ in roots]),
            normals=np.concatenate([normals.reshape(-1, 3) for _, normals in roots]),
        ),
    )
    grids: dict[str, Any] = dict(sets)  # nodes all of them: what else a sector has is given here or left as it is
    return SectorMesh(volume=volume, teeth=teeth, twist=twist, **grids)


def _root_normals(points: Array, grid: Indices, side: float) -> Array:
    """Outward unit normals at the nodes of a root, (rows, cols, 3), from differences; side +1: of flank a.

    In the middle of the tooth space, where the first row lies, the normal is radial by symmetry.
    """
    face = points[grid]
    up, along = (np.gradient(face, axis=axis, edge_order=min(2, grid.shape[axis] - 1)) for axis in (0, 1))
    normals = side * np.cross(along, up)
    normals[0] = face[0] * [1.0, 1.0, 0.0]
    unit: Array = normals / np.linalg.norm(normals, axis=2)[..., None]
    return unit
