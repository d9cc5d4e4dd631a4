"""Stress fields: one ``.vtu`` a position or time, with both gears where they then are, and ``series.pvd`` over all.

The frame of a file is that of the pinion: origin on its axis at mid-face, x towards the wheel's axis.
Point data: ``displacement`` [m], ``stress`` [Pa] in the order xx, yy, zz, xy, yz, zx, ``von_mises`` [Pa]; cell data:
``gear``, 0 for the pinion and 1 for the wheel. Numbers are stored in single precision, which is finer than any grid.

The coordinates are those of the undeformed gears in the position they have without load; the displacement holds the
rigid rotation by which the load turns the driver ahead as well as the elastic part. The teeth therefore stay in contact
however much a picture magnifies the displacement.

The frames are written here and not through meshio because there are dozens of them. The numbers stand behind the
description as they are in memory ("raw appended data"), cells are encoded once for all frames, and only what repeats
itself is compressed: compressing everything and writing it in base 64 takes two and a half times as long.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from alegear.errors import Fault
from alegear.fe.stress import von_mises
from alegear.mesh.sector import SectorMesh
from alegear.mesh.wheel import sector_rotation
from alegear.results.store import write_whole

FOLDER = "fields"
SERIES = "series.pvd"
#: Rows and columns of a symmetric tensor, in the order in which its components are stored.
VOIGT = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
VTK_HEXAHEDRON = 12
VTK_TYPE = {"<f4": "Float32", "<i4": "Int32", "|u1": "UInt8"}
#: Levels of compression: the fastest one, as higher ones take four times as long to save a tenth; and none at all.
LIGHT, STORED = 1, 0
#: Numbers are compressed where a sample of so many bytes comes down to so much of it: coordinates of a spur gear, which
#: repeat themselves from row to row, to a quarter; those of a helical one and displacements hardly, in a time in which
#: ten times as much is written.
SAMPLE, WORTHWHILE = 1 << 16, 0.5
#: Bytes compressed at a time, so that a reader can take a file piece by piece; other threads go on meanwhile.
BLOCK = 1 << 20

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class FieldPart:
    """Stress and displacement of a part of the gears, in the pinion's frame.

    Parameters
    ----------
    points : shape (n_nodes, 3) [m]
    cells : shape (n_cells, 8)
        Hexahedra in VTK order.
    displacement : shape (n_nodes, 3) [m]
    stress : shape (n_nodes, 6) [Pa]
    gear : shape (n_cells,)
        0: pinion, 1: wheel.
    """

    points: Floats
    cells: NDArray[np.int64]
    displacement: Floats
    stress: Floats
    gear: NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True, eq=False)
class SectorGroup:
    """Some sectors of a wheel, joined: neighbours share the nodes of their common cut plane.

    What is the same in all frames is made once; `place` puts the group where a frame has it.

    Parameters
    ----------
    gear : int
        0: pinion, 1: wheel.
    axis : (float, float) [m]
        Position of the wheel's axis: (0, 0) for the pinion, (a_w, 0) for the wheel.
    turns : shape (n, 3, 3)
        Rotation of each sector against tooth 0.
    points : shape (n_nodes, 3) [m]
        Joined nodes in the frame of tooth 0.
    cells : shape (n_cells, 8)
        Hexahedra of joined nodes in VTK order.
    mean : sparse (n_nodes, n * n_sector_nodes)
        Mean over the sectors that share a node.
    """

    gear: int
    axis: tuple[float, float]
    turns: Floats
    points: Floats
    cells: NDArray[np.int64]
    mean: csr_array

    @classmethod
    def of(cls, sector: SectorMesh, sectors: Sequence[int], *, gear: int, axis: tuple[float, float]) -> SectorGroup:
        """Join sectors of a wheel; see :func:`place_sectors`."""
        numbers = [int(k) % sector.teeth for k in sectors]
        node_of, n_nodes = _number_nodes(sector, numbers)
        nodes = node_of.ravel()
        share = 1.0 / np.bincount(nodes, minlength=n_nodes)
        mean = csr_array((share[nodes], (nodes, np.arange(nodes.size))), shape=(n_nodes, nodes.size))
        turns = np.array([sector_rotation(sector.teeth, k) for k in numbers])
        return cls(
            gear=gear,
            axis=axis,
            turns=turns,
            points=mean @ np.concatenate([sector.volume.points @ turn.T for turn in turns]),
            cells=np.concatenate([nodes[sector.volume.linear_cells] for nodes in node_of]),
            mean=mean,
        )

    def place(self, displacement: Floats, stress: Floats, *, turn: float, turn_ahead: float) -> FieldPart:
        """Put the group into the pinion's frame; see :func:`place_sectors`."""
        R = _rotation(turn)
        values = np.empty((*stress.shape[:2], 9))
        for out, u, sigma, of_sector in zip(values, displacement, stress, self.turns, strict=True):
            out[:, :3] = u @ (R @ of_sector).T
            out[:, 3:] = rotate_stress(sigma, R @ of_sector)
        joined = self.mean @ values.reshape(-1, 9)
        x = self.points @ R.T
        return FieldPart(
            points=x + np.array([*self.axis, 0.0]),
            cells=self.cells,
            displacement=joined[:, :3] + turn_ahead * np.column_stack([-x[:, 1], x[:, 0], np.zeros(len(x))]),
            stress=joined[:, 3:],
            gear=np.full(len(self.cells), self.gear, dtype=np.uint8),
        )


def place_sectors(
    sector: SectorMesh,
    displacement: Floats,
    stress: Floats,
    *,
    sectors: Sequence[int],
    gear: int,
    turn: float,
    turn_ahead: float = 0.0,
    axis: tuple[float, float] = (0.0, 0.0),
) -> FieldPart:
    """Put some sectors of a wheel into the pinion's frame; neighbours are joined at their common cut plane.

    With R the rotation by ``turn + 2 pi k/z`` about z and x_A the position of the wheel's axis,

        x = R x_k + x_A,  u = R u_k + turn_ahead e_z x (x - x_A),  sigma = R sigma_k R^T.

    Parameters
    ----------
    sector : SectorMesh
        The sector in its tooth frame.
    displacement : shape (n, n_sector_nodes, 3) [m]
        Elastic displacement of the `n` chosen sectors, each in its own tooth frame.
    stress : shape (n, n_sector_nodes, 6) [Pa]
        Nodal stress likewise. On common cut planes the mean of both sides is taken.
    sectors : sequence of int, length n
        Numbers of the sectors, counted counter-clockwise; any integers, modulo the number of teeth.
    gear : int
        0: pinion, 1: wheel.
    turn : float [rad]
        Counter-clockwise angle from the pinion's x axis to the centre line of tooth 0, without load.
    turn_ahead : float [rad]
        Counter-clockwise angle by which the wheel turns under load.
    axis : (float, float) [m]
        Position of the wheel's axis: (0, 0) for the pinion, (a_w, 0) for the wheel.
    """
    group = SectorGroup.of(sector, sectors, gear=gear, axis=axis)
    return group.place(np.asarray(displacement), np.asarray(stress), turn=turn, turn_ahead=turn_ahead)


def join_parts(parts: Sequence[FieldPart]) -> FieldPart:
    """Put parts beside each other without joining nodes: pinion and wheel of one frame."""
    start = np.cumsum([0, *(len(p.points) for p in parts[:-1])])
    return FieldPart(
        points=np.concatenate([p.points for p in parts]),
        cells=np.concatenate([p.cells + n for p, n in zip(parts, start, strict=True)]),
        displacement=np.concatenate([p.displacement for p in parts]),
        stress=np.concatenate([p.stress for p in parts]),
        gear=np.concatenate([p.gear for p in parts]),
    )


def rotate_stress(stress: Floats, R: Floats) -> Floats:
    """Return ``R sigma R^T`` for stresses of shape (n, 6), order xx, yy, zz, xy, yz, zx."""
    turn = np.empty((6, 6))
    for row, (i, j) in enumerate(VOIGT):
        for column, (k, m) in enumerate(VOIGT):
            # both entries of a shear stress
            turn[row, column] = R[i, k] * R[j, m] + (R[i, m] * R[j, k] if k != m else 0.0)
    turned: Floats = stress @ turn.T
    return turned


def write_part(path: Path, part: FieldPart) -> None:
    """Write one frame; see :func:`write_field_frame`."""
    write_field_frame(
        path,
        points=part.points,
        cells=part.cells,
        displacement=part.displacement,
        stress=part.stress,
        von_mises=von_mises(part.stress),
        gear=part.gear,
    )


def write_field_frame(
    path: Path,
    *,
    points: Floats,
    cells: NDArray[np.int64],
    displacement: Floats,
    stress: Floats,
    von_mises: Floats,
    gear: NDArray[np.integer],
) -> None:
    """Write one frame as a compressed ``.vtu``; the file appears whole or not at all.

    Parameters
    ----------
    path : Path
        Ends in ``.vtu``; the folder exists.
    points : shape (n_nodes, 3) [m]
    cells : shape (n_cells, 8)
        Hexahedra in VTK order.
    displacement : shape (n_nodes, 3) [m]
    stress : shape (n_nodes, 6) [Pa]
        Order xx, yy, zz, xy, yz, zx.
    von_mises : shape (n_nodes,) [Pa]
    gear : shape (n_cells,)
        0: pinion, 1: wheel.

    Raises
    ------
    StorageFailure
        If it cannot be written.
    """
    n_cells = len(cells)
    corners = np.ascontiguousarray(cells, dtype=np.int32)
    ends = np.arange(8, 8 * n_cells + 1, 8, dtype=np.int32)
    kinds = np.full(n_cells, VTK_HEXAHEDRON, dtype=np.uint8)
    shape = b'<Piece NumberOfPoints="%d" NumberOfCells="%d">\n' % (len(points), n_cells)
    sections = {
        "Points": [_encode_single("Points", points)],
        "PointData": [
            _encode_single("displacement", displacement),
            _encode_single("stress", stress),
            _encode_single("von_mises", von_mises),
        ],
        # the grid only turns from frame to frame: its cells are encoded once
        "Cells": [
            _encode_again("connectivity", corners.tobytes(), "<i4"),
            _encode_again("offsets", ends.tobytes(), "<i4"),
            _encode_again("types", kinds.tobytes(), "|u1"),
        ],
        "CellData": [_encode_again("gear", np.ascontiguousarray(gear, dtype=np.uint8).tobytes(), "|u1")],
    }
    description, data = _arrange(sections)
    content = (
        b'<?xml version="1.0"?>\n'
        b'<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32" '
        b'compressor="vtkZLibDataCompressor">\n<UnstructuredGrid>\n',
        shape,
        description,
        b'</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_',
        *data,
        b"\n</AppendedData>\n</VTKFile>\n",
    )
    write_whole(path, b"".join(content))


def write_series(path: Path, frames: Sequence[tuple[float, str]]) -> None:
    """Write the list of all frames for ParaView.

    Parameters
    ----------
    path : Path
        ``series.pvd`` in the folder of the frames.
    frames : sequence of (float, str)
        Phase [pitches] or time [s] of each frame, and the name of its file.

    Raises
    ------
    StorageFailure
        If it cannot be written.
    """
    rows = [f'    <DataSet timestep="{value:.9g}" part="0" file={quoteattr(name)}/>\n' for value, name in frames]
    text = (
        '<?xml version="1.0"?>\n'
        '<VTKFile type="Collection" version="0.1">\n'
        "  <Collection>\n" + "".join(rows) + "  </Collection>\n</VTKFile>\n"
    )
    write_whole(path, text.encode())


def read_series(path: Path) -> list[tuple[float, Path]]:
    """Read the list of frames.

    Returns
    -------
    list of (float, Path)
        Phase or time, and the file of each frame.

    Raises
    ------
    Fault
        If the file is missing or is not such a list.
    """
    from xml.etree import ElementTree

    try:
        root = ElementTree.parse(path).getroot()
        frames = [(float(e.attrib["timestep"]), path.parent / e.attrib["file"]) for e in root.iter("DataSet")]
    except (OSError, ElementTree.ParseError, KeyError, ValueError) as error:
        raise Fault(
            "stress fields",
            path,
            f"a readable list of .vtu files ({error})",
            "run the case with fields = true in [output]",
        ) from error
    if not frames:
        raise Fault("stress fields", path, "a list of at least one .vtu file", "run the case again")
    return frames


@dataclass(frozen=True, kw_only=True, eq=False)
class _EncodedArray:
    """An array as it stands in a file.

    Parameters
    ----------
    tag : str
        Attributes of its ``DataArray`` element, all but the offset.
    parts : tuple of bytes
        Sizes of the blocks, then the blocks, each compressed by itself.
    """

    tag: str
    parts: tuple[bytes, ...]


def _arrange(sections: dict[str, list[_EncodedArray]]) -> tuple[bytes, list[bytes]]:
    """Return the elements that describe arrays, section by section, and the appended data they point to.

    The data come in the reverse order of their elements. meshio goes through the data and looks up the element of each
    by its offset, which it then replaces by another number; an element that comes later and was changed already is
    never found in the place of the right one.
    """
    lines: list[str] = []
    data: list[bytes] = []
    offset = 0
    for section, arrays in reversed(sections.items()):
        lines.append(f"</{section}>\n")
        for array in reversed(arrays):
            lines.append(f'<DataArray {array.tag} format="appended" offset="{offset}"/>\n')
            data += array.parts
            offset += sum(map(len, array.parts))
        lines.append(f"<{section}>\n")
    return "".join(reversed(lines)).encode(), data


def _encode_single(name: str, values: Floats) -> _EncodedArray:
    """Encode numbers in single precision, compressed if it is worth the time."""
    single = np.ascontiguousarray(values, dtype="<f4")
    data = single.tobytes()
    sample = data[:SAMPLE]
    level = LIGHT if len(zlib.compress(sample, LIGHT)) <= WORTHWHILE * len(sample) else STORED
    return _encode(name, data, "<f4", None if single.ndim == 1 else single.shape[1], level)


@lru_cache(maxsize=8)
def _encode_again(name: str, data: bytes, kind: str) -> _EncodedArray:
    """Encode whole numbers that are the same in many frames."""
    return _encode(name, data, kind, None, LIGHT)


def _encode(name: str, data: bytes, kind: str, components: int | None, level: int) -> _EncodedArray:
    """Encode an array block by block."""
    blocks = [zlib.compress(data[k : k + BLOCK], level) for k in range(0, len(data), BLOCK)]
    # VTK takes 0 for "the last block is a whole one"
    sizes = np.array([len(blocks), BLOCK, len(data) % BLOCK, *map(len, blocks)], dtype="<u4")
    shape = "" if components is None else f' NumberOfComponents="{components}"'
    return _EncodedArray(tag=f'type="{VTK_TYPE[kind]}" Name="{name}"{shape}', parts=(sizes.tobytes(), *blocks))


def _rotation(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _number_nodes(sector: SectorMesh, numbers: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Return the joined node of each node of each chosen sector, (n, n_sector_nodes), and how many there are."""
    n = sector.volume.n_nodes
    node_of = np.arange(len(numbers) * n, dtype=np.int64).reshape(len(numbers), n)
    row_of = {k: row for row, k in enumerate(numbers)}
    for k, row in row_of.items():
        above = row_of.get((k + 1) % sector.teeth)
        if above is not None and above != row:
            node_of[above, sector.cut_low] = node_of[row, sector.cut_high]
    _, compact = np.unique(node_of, return_inverse=True)
    return np.ascontiguousarray(compact.reshape(node_of.shape), dtype=np.int64), int(compact.max()) + 1
