"""Grids to files and back through meshio, and sector grids made elsewhere.

A sector grid from another mesher needs

- hexahedra only, all with eight nodes or all with 27 (second order), in metres, in the tooth frame: origin on the axis
  at mid-face, x along the tooth's centre line there, z along the axis, tooth spaces cut at the polar angles -pi/z and
  +pi/z (helical: at mid-face, elsewhere turned like the tooth);
- eight named node sets (:data:`alegear.mesh.sector.SET_NAMES`): ``flank_a``, ``flank_b``, ``root_a``, ``root_b``,
  ``cut_low``, ``cut_high``, ``bore``, ``tip``. The nodes of a flank or a root form a grid of rows across the face;
  order and numbering do not matter.

How a file names its sets:

- ``.msh`` (Gmsh, format 2.2 or 4.1): physical groups with these names, of points, curves or surfaces: a set has all the
  nodes of the elements of its group. In Gmsh: ``Physical Surface("flank_a") = {...}``, so for the other seven, and one
  ``Physical Volume`` for the hexahedra. What is written here is format 2.2 with one point element for each node of a
  set.
- ``.vtu`` (VTK, ParaView): a point data array for each set, named like it, not zero at its nodes.
- ``.inp`` (Abaqus, CalculiX), reading only: ``*NSET`` with these names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.mesh.sector import SET_NAMES, SectorMesh, sector_from_sets, twisted
from alegear.mesh.volume import VolumeMesh, mesh_quality
from alegear.mesh.wheel import WheelMesh, sector_rotation
from alegear.storage.whole_file import GRID_BYTES, check_regular, reason_of, whole_file

if TYPE_CHECKING:
    from alegear.geometry.cylindrical_gear import CylindricalGear

_GRID_SETS = ("flank_a", "flank_b", "root_a", "root_b")
_RELATIVE_TOLERANCE = 1e-6  # of the largest radius: far above the digits in a file, far below an element
_HEXAHEDRON_FACES = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_CELL_TYPES = {8: "hexahedron", 27: "hexahedron27"}  # their names in meshio, by number of nodes
_FIT_TOLERANCE = 1e-4  # of the module: what files written in millimetres with few digits keep
_ROOT_TOLERANCE = 0.05  # of the module: far below the height of a fillet, far above what a mesher makes of its ends
_MESH_REMEDY = "correct it in the mesher, or leave the key out to have the sector meshed here"


def write_mesh(path: str | os.PathLike[str], mesh: SectorMesh | WheelMesh | VolumeMesh) -> None:
    """Write a grid with its named node sets; the file appears whole or not at all.

    Parameters
    ----------
    path : path
        Ends in ``.msh`` (Gmsh 2.2 text, sets as physical groups of points) or ``.vtu`` (sets as point data of 0 and 1).
    mesh : SectorMesh, WheelMesh or VolumeMesh
        The grid; written in metres.

    Raises
    ------
    Fault
        If the ending is another one.
    StorageFailure
        If the file cannot be written.
    """
    path = Path(path)
    volume = mesh if isinstance(mesh, VolumeMesh) else mesh.volume
    writers: dict[str, Callable[[Path, VolumeMesh], None]] = {".msh": _write_msh, ".vtu": _write_vtu}
    if path.suffix.lower() not in writers:
        raise Fault("mesh file", path, "a .msh or .vtu file", "change the ending of the file name")
    with whole_file(path) as beside:
        writers[path.suffix.lower()](beside, volume)


def read_sector(path: str | os.PathLike[str], teeth: int, twist: float = 0.0) -> SectorMesh:
    """Read a sector grid with its named node sets, made here or by another mesher.

    Nodes that no hexahedron uses are dropped; apart from that nodes and cells keep the order of the file. Whether the
    flanks lie on the true profile is not asked here.

    Parameters
    ----------
    path : path
        A ``.msh``, ``.vtu`` or ``.inp`` file as the module describes.
    teeth : int
        Number of teeth of the wheel, for the angle between the cut planes.
    twist : float [rad/m]
        By how much the tooth turns about the axis along z, tan(beta)/r; 0 of a spur gear.

    Raises
    ------
    Fault
        If the file is missing or cannot be read, a set is missing or cannot be arranged, there are cells other than
        hexahedra, cells turned inside out or coincident nodes, or the cut planes do not match.
    """
    path = Path(path)
    points, cells, node_sets = _read_volume(path)
    for name in SET_NAMES:
        if len(node_sets.get(name, ())) == 0:
            raise Fault(
                f"node set {name} of {path}",
                "missing",
                f"there, beside {', '.join(other for other in SET_NAMES if other != name)}",
                "name the nodes of the sector in the mesher (physical group, point data array or node set)",
            )
    points, cells, node_sets = _only_used(points, cells, node_sets)
    _check_cells(path, points, cells)
    tolerance = _RELATIVE_TOLERANCE * float(np.hypot(points[:, 0], points[:, 1]).max())

    faces = _outer_faces(VolumeMesh(points=points, cells=cells).linear_cells)
    straight = twisted(points, -twist)
    sets = {name: _face_grid(path, name, straight, node_sets[name], faces, tolerance) for name in _GRID_SETS}
    for name in ("bore", "tip"):
        sets[name] = _on_whole_faces(path, name, node_sets[name], faces)
    sets["cut_low"], sets["cut_high"] = _matched_planes(
        path, points, node_sets["cut_low"], node_sets["cut_high"], teeth, tolerance
    )
    return sector_from_sets(points, cells, {name: sets[name] for name in SET_NAMES}, teeth, twist)


def check_sector_fits(sector: SectorMesh, gear: CylindricalGear, path: Path) -> None:
    """Refuse the sector grid of another gear: by its face width and its tip circle.

    The bore is not compared: a web or a hub may be part of the grid.

    Parameters
    ----------
    sector : SectorMesh
        As read from `path`.
    gear : CylindricalGear
        The gear it shall be a tooth of.
    path : Path
        Names the file in the message.

    Raises
    ------
    Fault
        If the ends of the face or the largest radius differ by more than 1e-4 modules.
    """
    x, y, z = sector.volume.points.T
    tolerance = _FIT_TOLERANCE * gear.m_n
    low, high = float(z.min()), float(z.max())
    within = f"within {1e3 * tolerance:.2g}"
    if abs(high - low - gear.b) > tolerance:
        raise Fault(
            f"face width [mm] of {path}",
            f"{1e3 * (high - low):.6g}",
            f"face_width_mm = {1e3 * gear.b:.6g}, {within}",
            "correct face_width_mm, or mesh this face width, in metres",
        )
    if abs(high + low) > 2.0 * tolerance:
        raise Fault(
            f"z [mm] of the middle of the face of {path}",
            f"{5e2 * (high + low):.6g}",
            f"0, {within}",
            "move the grid so that the origin is at mid-face",
        )
    radius = float(np.hypot(x, y).max())
    if abs(radius - gear.r_a) > tolerance:
        raise Fault(
            f"tip diameter [mm] of {path}",
            f"{2e3 * radius:.6g}",
            f"{2e3 * gear.r_a:.6g}, within {2e3 * tolerance:.2g}",
            "choose the file of this gear, or correct teeth, normal_module_mm, profile_shift or addendum_factor",
        )
    _check_sets_fit(sector, gear, path)


def _check_sets_fit(sector: SectorMesh, gear: CylindricalGear, path: Path) -> None:
    """Refuse sets that lie elsewhere on the tooth than their names say."""
    tolerance = _FIT_TOLERANCE * gear.m_n
    distance = np.hypot(*sector.volume.points[:, :2].T)
    bore, tip = float(distance[sector.bore].max()), float(distance[sector.tip].min())
    if not bore < gear.r_f:
        raise Fault(
            f"diameter [mm] of the node set bore of {path}",
            f"{2e3 * bore:.6g}",
            f"below the root diameter {1e3 * gear.d_f:.6g}",
            "exchange the sets, or name the nodes on the bore",
        )
    if abs(tip - gear.r_a) > tolerance:
        raise Fault(
            f"diameter [mm] of the node set tip of {path}",
            f"{2e3 * tip:.6g}",
            f"the tip diameter {2e3 * gear.r_a:.6g}, within {2e3 * tolerance:.2g}",
            "exchange the sets, or name the nodes of the tip land",
        )
    for name, root in (("root_a", sector.root_a), ("root_b", sector.root_b)):
        low, high = (float(np.mean(distance[root[row]])) for row in (0, -1))
        if max(abs(low - gear.r_f), abs(high - gear.r_Ff)) > _ROOT_TOLERANCE * gear.m_n:
            raise Fault(
                f"diameters [mm] of the node set {name} of {path}",
                f"{2e3 * low:.6g} to {2e3 * high:.6g}",
                f"from the root circle {2e3 * gear.r_f:.6g} to the root form circle {2e3 * gear.r_Ff:.6g}",
                "exchange the sets, or name the nodes of the fillet",
            )


def bore_diameter(sector: SectorMesh) -> float:
    """Return twice the smallest distance of a node from the axis [m]."""
    x, y, _ = sector.volume.points.T
    return 2.0 * float(np.hypot(x, y).min())


# --- writing ----------------------------------------------------------------------------------------------------------


def _write_msh(path: Path, volume: VolumeMesh) -> None:
    import meshio

    blocks: list[tuple[str, Indices]] = [(_CELL_TYPES[volume.cells.shape[1]], volume.cells)]
    tags = [np.ones(volume.n_cells, dtype=np.int32)]
    names = {"body": np.array([1, 3])}
    # Tags of points start at 2: some readers of format 2.2 do not tell the dimensions of equal tags apart.
    for tag, (name, nodes) in enumerate(volume.node_sets.items(), start=2):
        blocks.append(("vertex", nodes.reshape(-1, 1)))
        tags.append(np.full(len(nodes), tag, dtype=np.int32))
        names[name] = np.array([tag, 0])
    mesh = meshio.Mesh(
        volume.points,
        blocks,
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": [t.copy() for t in tags]},
        field_data=names,
    )
    meshio.gmsh.write(path, mesh, fmt_version="2.2", binary=False, float_fmt=".16e")


def _write_vtu(path: Path, volume: VolumeMesh) -> None:
    import meshio

    marks = {}
    for name, nodes in volume.node_sets.items():
        marks[name] = np.zeros(volume.n_nodes, dtype=np.int32)
        marks[name][nodes] = 1
    cells = [(_CELL_TYPES[volume.cells.shape[1]], volume.cells)]
    meshio.vtu.write(path, meshio.Mesh(volume.points, cells, point_data=marks))


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_volume(path: Path) -> tuple[Array, Indices, dict[str, Indices]]:
    """Points, hexahedra and node sets of a file, as they stand there."""
    mesh = _read_file(path)
    if not mesh.cells:
        raise _unreadable(path, "it holds no cells")
    carriers = {"vertex", "line", "quad", "line3", "quad9"}  # they may name sets, but are no part of the body
    kinds = {block.type for block in mesh.cells} - carriers
    limit = "hexahedra, all with 8 nodes or all with 27"
    if kinds - set(_CELL_TYPES.values()):
        raise Fault(f"cells of {path}", ", ".join(sorted(kinds - set(_CELL_TYPES.values()))), limit, _MESH_REMEDY)
    if not kinds:
        raise Fault(f"cells of {path}", "no hexahedra", limit, "save the volume elements of the mesher too")
    if len(kinds) > 1:
        raise Fault(f"cells of {path}", "of both orders", limit, _MESH_REMEDY)
    hexahedra = [block.data for block in mesh.cells if block.type in kinds]
    points = np.ascontiguousarray(mesh.points, dtype=np.float64)
    cells = np.ascontiguousarray(np.concatenate(hexahedra), dtype=np.int64)
    node_sets = {name: _node_set(mesh, name) for name in SET_NAMES}
    indices = np.concatenate([cells.ravel(), *node_sets.values()])
    if points.ndim != 2 or points.shape[1] != 3 or indices.min() < 0 or indices.max() >= len(points):
        raise _unreadable(path, "cells name nodes that are not there")
    if not np.isfinite(points).all():
        raise _unreadable(path, "coordinates are not finite")
    return points, cells, node_sets


def _read_file(path: Path) -> Any:
    import meshio

    # The readers are called directly: meshio.read prints, and ends the whole program on a damaged file.
    readers = {".msh": meshio.gmsh.read, ".vtu": meshio.vtu.read, ".inp": meshio.abaqus.read}
    if path.suffix.lower() not in readers:
        raise Fault("mesh file", path, "a .msh, .vtu or .inp file", "export the sector in one of these formats")
    try:
        check_regular(path, GRID_BYTES)
        # A file cut off in the last line of a section reads as a whole one, with a warning on the terminal.
        if path.suffix.lower() == ".msh" and not _ends_with_a_section(path):
            raise _unreadable(path, "it ends in the middle of a section")
        return readers[path.suffix.lower()](path)
    except FileNotFoundError as error:
        raise Fault("mesh file", path, "an existing file", "check the path; it is relative to the case file") from error
    except OSError as error:
        raise _unreadable(path, reason_of(error)) from error
    except Fault:
        raise
    except Exception as error:  # a damaged file makes the readers fail anywhere, with any exception
        # without what it says: that may be a line of whatever file this is
        raise _unreadable(path, f"it does not have the layout of a {path.suffix.lower()} file") from error


def _ends_with_a_section(path: Path) -> bool:
    """Whether the last word of a Gmsh file is $EndX of a section $X that was opened."""
    content = path.read_bytes()
    last = re.search(rb"\$End(\w+)\s*\Z", content[-4096:])
    return last is not None and re.search(rb"\$" + last[1] + rb"\s", content) is not None


def _unreadable(path: Path, reason: str) -> Fault:
    return Fault(
        "mesh file",
        path,
        f"a complete mesh file (it cannot be read: {reason})",
        "write it again with the mesher; it may be truncated",
    )


def _node_set(mesh: Any, name: str) -> Indices:
    """Nodes that a file names, in ascending order: by a node set, point data or physical groups; empty if by none."""
    parts = [np.zeros(0, dtype=np.int64)]
    if name in mesh.point_sets:
        parts.append(np.asarray(mesh.point_sets[name]))
    if name in mesh.point_data:
        parts.append(np.flatnonzero(np.asarray(mesh.point_data[name]).reshape(len(mesh.points), -1).any(axis=1)))
    for block, chosen in zip(mesh.cells, _group_cells(mesh, name), strict=True):
        parts.append(block.data[chosen].ravel())
    return np.unique(np.concatenate(parts)).astype(np.int64)


def _group_cells(mesh: Any, name: str) -> list[Indices]:
    """Cells of each block that belong to the physical group or cell set of a name."""
    nothing = np.zeros(0, dtype=np.int64)
    if name in mesh.cell_sets:  # Gmsh 4.1: a block can belong to several groups
        return [nothing if chosen is None else np.asarray(chosen, dtype=np.int64) for chosen in mesh.cell_sets[name]]
    if name not in mesh.field_data or "gmsh:physical" not in mesh.cell_data:
        return [nothing] * len(mesh.cells)
    tag, dimension = mesh.field_data[name]
    return [
        np.flatnonzero(np.asarray(physical) == tag) if block.dim == dimension else nothing
        for block, physical in zip(mesh.cells, mesh.cell_data["gmsh:physical"], strict=True)
    ]


# --- checks and arrangement -------------------------------------------------------------------------------------------


def _only_used(
    points: Array, cells: Indices, node_sets: dict[str, Indices]
) -> tuple[Array, Indices, dict[str, Indices]]:
    """Drop nodes that no hexahedron uses (centres of arcs and the like): they would have no stiffness."""
    used = np.zeros(len(points), dtype=bool)
    used[cells] = True
    new = np.cumsum(used, dtype=np.int64) - 1
    sets = {name: new[nodes[used[nodes]]] for name, nodes in node_sets.items()}
    return np.ascontiguousarray(points[used]), new[cells], sets


def _check_cells(path: Path, points: Array, cells: Indices) -> None:
    from scipy.spatial import cKDTree  # here, because it is slow to import and only foreign grids need it

    first, times = np.unique(np.sort(cells, axis=1), axis=0, return_index=True, return_counts=True)[1:]
    if np.any(times > 1):
        twice = int(first[times > 1][0])
        place = _place(points[cells[twice]].mean(axis=0))
        value = f"{np.count_nonzero(times > 1)}, the first at {place}"
        raise Fault(f"cells of {path} that are there more than once", value, "none", "remove the copies in the mesher")
    quality = mesh_quality(VolumeMesh(points=points, cells=cells))
    if quality.tangled:
        raise Fault(
            f"cells of {path} with a Jacobian that is not positive",
            quality.tangled,
            "none",
            f"number their nodes in VTK order or improve the grid near {_place(quality.worst_point)}",
        )
    # Nodes nearer than a thousandth of the shortest edge were not joined by the mesher.
    pairs = cKDTree(points).query_pairs(1e-3 * quality.shortest_edge, output_type="ndarray")
    if len(pairs):
        raise Fault(
            f"coincident nodes of {path}",
            f"{len(pairs)} pairs, the first at {_place(points[pairs[0, 0]])}",
            "none",
            "join them in the mesher",
        )


def _outer_faces(cells: Indices) -> set[tuple[int, ...]]:
    """Faces that belong to one cell only, as ascending node numbers."""
    faces = np.sort(np.concatenate([cells[:, face] for face in _HEXAHEDRON_FACES]), axis=1)
    unique, count = np.unique(faces, axis=0, return_counts=True)
    if count.max() > 2:
        limit = "at most 2"
        raise Fault("cells of a grid that share one face", int(count.max()), limit, "remove cells that overlap others")
    return set(map(tuple, unique[count == 1].tolist()))


def _face_grid(
    path: Path,
    name: str,
    points: Array,
    nodes: Indices,
    outer_faces: set[tuple[int, ...]],
    tolerance: float,
) -> Indices:
    """Arrange the nodes of a tooth face as (profile upwards, face width); the points with the twist taken back."""
    quantity = f"node set {name} of {path}"
    x, y, z = points[nodes].T
    side = 1.0 if name.endswith("_a") else -1.0
    if np.any(side * y < -tolerance):
        raise Fault(
            quantity,
            "nodes on the other side of the tooth",
            "at positive polar angle for _a, negative for _b, seen from the tooth's centre line",
            "exchange the sets, turn the sector so that x is the tooth's centre line at mid-face, or correct the helix "
            "angle and its hand",
        )
    by_z = np.argsort(z, kind="stable")
    cols = 1 + int(np.count_nonzero(np.diff(z[by_z]) > tolerance))
    rows, rest = divmod(len(nodes), cols)
    fault = Fault(
        quantity,
        f"{len(nodes)} nodes on {cols} levels of z that do not form a grid of element faces",
        "a grid of rows across the face, on the surface of the body",
        "extrude the section across the face, and name exactly the nodes of this face",
    )
    if rest or rows < 2 or cols < 2:
        raise fault
    # Upwards means away from the axis, on the root circle towards the tooth. The angle alone would not do: it grows
    # on the way up the undercut part of a tooth; there the radius grows much faster.
    radius = np.hypot(x, y)
    height = radius - 0.05 * radius.min() * np.abs(np.arctan2(y, x))
    levels = by_z.reshape(cols, rows)
    grid = np.stack([level[np.argsort(height[level])] for level in levels], axis=1)
    arranged = nodes[grid]
    quads = np.stack([arranged[:-1, :-1], arranged[1:, :-1], arranged[1:, 1:], arranged[:-1, 1:]], axis=-1)
    if np.ptp(z[levels], axis=1).max() > tolerance or not outer_faces.issuperset(
        map(tuple, np.sort(quads.reshape(-1, 4), axis=1).tolist())
    ):
        raise fault
    return np.ascontiguousarray(arranged)


def _on_whole_faces(path: Path, name: str, nodes: Indices, outer_faces: set[tuple[int, ...]]) -> Indices:
    """Refuse a set that is no surface: every node must be on a face of an element whose nodes are all in it."""
    inside = set(nodes.tolist())
    covered = {node for face in outer_faces if inside.issuperset(face) for node in face}
    if covered != inside:
        raise Fault(
            f"node set {name} of {path}",
            f"{len(inside)} nodes, {len(inside - covered)} of them on no face of an element",
            "the nodes of whole faces on the surface of the body",
            "name exactly the nodes of this surface",
        )
    return nodes


def _matched_planes(
    path: Path,
    points: Array,
    low: Indices,
    high: Indices,
    teeth: int,
    tolerance: float,
) -> tuple[Indices, Indices]:
    """The nodes of the low cut plane, and of the high one those they fall on when turned by one pitch."""
    from scipy.spatial import cKDTree  # here, because it is slow to import and only foreign grids need it

    quantity = f"cut planes of {path}"
    limit = f"equal when cut_low is turned by 2 pi/{teeth}"
    if len(low) != len(high):
        raise Fault(quantity, f"{len(low)} and {len(high)} nodes", limit, _MESH_REMEDY)
    turned = points[low] @ sector_rotation(teeth, 1).T
    distance, match = cKDTree(points[high]).query(turned)
    largest = float(np.max(distance))
    if largest > tolerance:
        raise Fault(
            quantity,
            f"nodes {1e3 * largest:.3g} mm apart",
            f"{limit}, within {1e3 * tolerance:.1g} mm",
            "check the number of teeth and the tooth frame, and mesh both planes alike",
        )
    if len(np.unique(match)) != len(high):
        raise Fault(quantity, "several nodes on one", limit, _MESH_REMEDY)
    return low, high[match]


def _place(point: Array) -> str:
    return "(x, y, z) = ({:.4g}, {:.4g}, {:.4g}) mm".format(*(1e3 * point))
