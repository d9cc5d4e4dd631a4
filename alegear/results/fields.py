"""Stress fields: one ``.vtu`` a position or time, with both gears where they then are, and ``series.pvd`` over all.

The frame of a file is that of the pinion: origin on its axis at mid-face, x towards the wheel's axis.
Point data: ``displacement`` [m], ``stress`` [Pa] in the order xx, yy, zz, xy, yz, zx, ``von_mises`` [Pa]; cell data:
``gear``, 0 for the pinion and 1 for the wheel; field data: ``phase`` [pitches] and ``pinion_torque`` [N m]. Numbers
are stored in single precision, which is finer than any grid.

The coordinates are those of the undeformed gears in the position they have without load; the displacement holds the
rigid rotation by which the load turns the driver ahead as well as the elastic part. The teeth therefore stay in contact
however much a picture magnifies the displacement.

The frames are written here and not through meshio because there are dozens of them. The numbers stand behind the
description as they are in memory ("raw appended data"), cells are encoded once for all frames, and only what repeats
itself is compressed: compressing everything and writing it in base 64 takes two and a half times as long. Frames are
placed many at a time, straight into the single precision of the files.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.mesh.sector import SectorMesh
from alegear.mesh.wheel import sector_rotation
from alegear.results.field_kernels import place_fields
from alegear.storage.recorded_samples import Samples
from alegear.storage.store import stored_files
from alegear.storage.stored_files import path_inside
from alegear.storage.whole_file import write_whole

FOLDER = "fields"
SERIES = "series.pvd"
VTK_HEXAHEDRON = 12
VTK_TYPE = {"<f4": "Float32", "<i4": "Int32", "|u1": "UInt8"}
#: Level of compression: the fastest one, as higher ones take four times as long to save a tenth.
LIGHT = 1
#: Numbers are compressed where a sample of so many bytes from their middle comes down to so much of it: coordinates of
#: a spur gear, which repeat themselves from row to row, to a quarter; those of a helical one and displacements hardly,
#: in a time in which ten times as much is written.
SAMPLE, WORTHWHILE = 1 << 13, 0.5
#: Bytes compressed at a time, so that a reader can take a file piece by piece; other threads go on meanwhile.
BLOCK = 1 << 20
#: Bytes of a piece that zlib stores as it is (RFC 1951, 3.2.4: the length is a number of 16 bits).
STORED = (1 << 16) - 1

Numbers = NDArray[np.floating]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedFields:
    """Fields of some frames in the pinion's frame, for groups of sectors to be placed in.

    Parameters
    ----------
    points : shape (n_frames, n_nodes, 3) [m]
    displacement : shape (n_frames, n_nodes, 3) [m]
    stress : shape (n_frames, n_nodes, 6) [Pa]
    von_mises : shape (n_frames, n_nodes) [Pa]
    """

    points: Numbers
    displacement: Numbers
    stress: Numbers
    von_mises: Numbers

    @classmethod
    def empty(cls, n_frames: int, n_nodes: int, kind: DTypeLike) -> PlacedFields:
        """Make room for some frames in numbers of a kind."""
        return cls(
            points=np.empty((n_frames, n_nodes, 3), kind),
            displacement=np.empty((n_frames, n_nodes, 3), kind),
            stress=np.empty((n_frames, n_nodes, 6), kind),
            von_mises=np.empty((n_frames, n_nodes), kind),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SectorGroup:
    """Some sectors of a wheel, joined: neighbours share the nodes of their common cut plane.

    What is the same in all frames is made once; `place_frames` puts the group where frames have it. With R the rotation
    by ``turn + 2 pi k/z`` about z and x_A the position of the wheel's axis,

        x = R x_k + x_A,  u = R u_k + turn_ahead e_z x (x - x_A),  sigma = R sigma_k R^T.

    On common cut planes the mean of both sides is taken.

    Parameters
    ----------
    gear : int
        0: pinion, 1: wheel.
    axis : (float, float) [m]
        Position of the wheel's axis: (0, 0) for the pinion, (a_w, 0) for the wheel.
    turns : shape (n,) [rad]
        Angle by which each sector is turned against tooth 0, counter-clockwise.
    points : shape (n_nodes, 3) [m]
        Joined nodes in the frame of tooth 0.
    cells : shape (n_cells, 8)
        Hexahedra of joined nodes in VTK order.
    mean : sparse (n_nodes, n * n_sector_nodes)
        Mean over the sectors that share a node.
    """

    gear: int
    axis: tuple[float, float]
    turns: Array
    points: Array
    cells: Indices
    mean: csr_array

    @classmethod
    def of(cls, sector: SectorMesh, sectors: Sequence[int], *, gear: int, axis: tuple[float, float]) -> SectorGroup:
        """Join sectors of a wheel by their numbers, counter-clockwise, any integers modulo the number of teeth."""
        numbers = [int(k) % sector.teeth for k in sectors]
        node_of, n_nodes = _number_nodes(sector, numbers)
        nodes = node_of.ravel()
        share = 1.0 / np.bincount(nodes, minlength=n_nodes)
        mean = csr_array((share[nodes], (nodes, np.arange(nodes.size))), shape=(n_nodes, nodes.size))
        turned = [sector.volume.points @ sector_rotation(sector.teeth, k).T for k in numbers]
        return cls(
            gear=gear,
            axis=axis,
            turns=2.0 * np.pi / sector.teeth * np.array(numbers),
            points=mean @ np.concatenate(turned),
            cells=np.concatenate([nodes[sector.volume.linear_cells] for nodes in node_of]),
            mean=mean,
        )

    def place_frames(
        self,
        displacement: Array,
        stress: Array,
        *,
        turn: Array,
        turn_ahead: Array,
        out: PlacedFields,
        first: int = 0,
    ) -> None:
        """Put the group into the pinion's frame, in several frames at once.

        Parameters
        ----------
        displacement : shape (n_sector_nodes, 3, n, n_frames) [m]
            Of all sectors in all frames, each in its own tooth frame.
        stress : shape (n_sector_nodes, 6, n, n_frames) [Pa]
        turn : shape (n_frames,) [rad]
            Counter-clockwise angle from the pinion's x axis to the centre line of tooth 0, without load.
        turn_ahead : shape (n_frames,) [rad]
            Counter-clockwise angle by which the wheel turns under load.
        out : PlacedFields
            Filled from node `first` on.
        """
        angles = turn + np.append(self.turns, 0.0)[:, None]
        place_fields(
            self.mean.indptr,
            self.mean.indices,
            self.mean.data,
            self.points,
            np.array(self.axis),
            np.cos(angles),
            np.sin(angles),
            turn_ahead,
            displacement,
            stress,
            first,
            out.points,
            out.displacement,
            out.stress,
            out.von_mises,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class EncodedCells:
    """Cells as they stand in a file: the grid only turns from frame to frame, so that they are encoded once.

    Parameters
    ----------
    n_cells : int
    cells, data : list of _EncodedArray
        What describes them, and the gear that each belongs to.
    """

    n_cells: int
    cells: list[_EncodedArray]
    data: list[_EncodedArray]

    @classmethod
    def of(cls, cells: Indices, gear: NDArray[np.integer]) -> EncodedCells:
        """Encode hexahedra in VTK order, shape (n_cells, 8), and the gear of each, shape (n_cells,)."""
        n_cells = len(cells)
        described = {
            "connectivity": np.ascontiguousarray(cells, dtype="<i4"),
            "offsets": np.arange(8, 8 * n_cells + 1, 8, dtype="<i4"),
            "types": np.full(n_cells, VTK_HEXAHEDRON, dtype="|u1"),
        }
        return cls(
            n_cells=n_cells,
            cells=[_encode(name, values.ravel(), None, compressed=True) for name, values in described.items()],
            data=[_encode("gear", np.ascontiguousarray(gear, dtype="|u1"), None, compressed=True)],
        )


def write_field_frame(
    path: Path,
    *,
    points: Numbers,
    cells: EncodedCells,
    displacement: Numbers,
    stress: Numbers,
    von_mises: Numbers,
    facts: Mapping[str, float] | None = None,
) -> None:
    """Write one frame as a compressed ``.vtu``; the file appears whole or not at all.

    Parameters
    ----------
    path : Path
        Ends in ``.vtu``; the folder exists.
    points : shape (n_nodes, 3) [m]
    cells : EncodedCells
    displacement : shape (n_nodes, 3) [m]
    stress : shape (n_nodes, 6) [Pa]
        Order xx, yy, zz, xy, yz, zx.
    von_mises : shape (n_nodes,) [Pa]
    facts : mapping of str to float, optional
        Numbers of the whole frame, as field data: ``phase`` [pitches], ``pinion_torque`` [N m].

    Raises
    ------
    StorageFailure
        If it cannot be written.
    """
    shape = b'<Piece NumberOfPoints="%d" NumberOfCells="%d">\n' % (len(points), cells.n_cells)
    sections = {
        "Points": [_encode_single("Points", points)],
        "PointData": [
            _encode_single("displacement", displacement),
            _encode_single("stress", stress),
            _encode_single("von_mises", von_mises),
        ],
        "Cells": cells.cells,
        "CellData": cells.data,
    }
    description, data = _arrange(sections)
    write_whole(
        path,
        b'<?xml version="1.0"?>\n'
        b'<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt32" '
        b'compressor="vtkZLibDataCompressor">\n<UnstructuredGrid>\n',
        _field_data(facts or {}),
        shape,
        description,
        b'</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_',
        *data,
        b"\n</AppendedData>\n</VTKFile>\n",
    )


def _field_data(facts: Mapping[str, float]) -> bytes:
    """Return numbers of a frame as the element that holds them; nothing of none."""
    if not facts:
        return b""
    lines = [
        f'<DataArray type="Float64" Name="{name}" NumberOfTuples="1" format="ascii">{value!r}</DataArray>\n'
        for name, value in facts.items()
    ]
    return f"<FieldData>\n{''.join(lines)}</FieldData>\n".encode()


def facts_of_frames(samples: Samples, labels: Sequence[float]) -> list[dict[str, float]]:
    """Return phase [pitches] and torque on the pinion shaft [N m] of frames, by the samples nearest to them.

    Parameters
    ----------
    samples : Samples
        With ``phase``, ``contact_moment``, and ``time`` of a motion.
    labels : sequence of float
        Times [s] of a motion, else phases.
    """
    sample_dim = samples.read("time" if "time" in samples.layout else "phase")
    found = []
    for label in labels:
        i = int(np.argmin(np.abs(sample_dim - label)))
        moment = samples.read("contact_moment", i, i + 1)[0, 2]  # of the contact, which the shaft's torque balances
        found.append({"phase": float(samples.read("phase", i, i + 1)[0]), "pinion_torque": -float(moment)})
    return found


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

    Parameters
    ----------
    path : Path
        ``fields/series.pvd`` of a result folder.

    Returns
    -------
    list of (float, Path)
        Phase or time, and the file of each frame.

    Raises
    ------
    Fault
        If the file is missing, is not such a list, or not the one that was written; if a name leads out of its folder.
    """
    from xml.etree import ElementTree

    home, name = path.parent.parent, f"{path.parent.name}/{path.name}"
    try:
        root = ElementTree.fromstring(stored_files(home).read(name))
        frames = [
            (float(e.attrib["timestep"]), path_inside(path.parent, e.attrib["file"])) for e in root.iter("DataSet")
        ]
    except Fault:
        raise
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
        Sizes of the blocks, then the blocks one after the other, each a stream of zlib by itself.
    """

    tag: str
    parts: tuple[bytes | memoryview, ...]


def _arrange(sections: dict[str, list[_EncodedArray]]) -> tuple[bytes, list[bytes | memoryview]]:
    """Return the elements that describe arrays, section by section, and the appended data they point to.

    The data come in the reverse order of their elements. meshio goes through the data and looks up the element of each
    by its offset, which it then replaces by another number; an element that comes later and was changed already is
    never found in the place of the right one.
    """
    lines: list[str] = []
    data: list[bytes | memoryview] = []
    offset = 0
    for section, arrays in reversed(sections.items()):
        lines.append(f"</{section}>\n")
        for array in reversed(arrays):
            lines.append(f'<DataArray {array.tag} format="appended" offset="{offset}"/>\n')
            data += array.parts
            offset += sum(map(len, array.parts))
        lines.append(f"<{section}>\n")
    return "".join(reversed(lines)).encode(), data


def _encode_single(name: str, values: Numbers) -> _EncodedArray:
    """Encode numbers in single precision, compressed if it is worth the time."""
    single = np.ascontiguousarray(values, dtype="<f4")
    first = max(single.size // 2 - SAMPLE // 8, 0)
    sample = single.reshape(-1)[first : first + SAMPLE // 4]
    compressed = len(zlib.compress(sample.data, LIGHT)) <= WORTHWHILE * sample.nbytes
    return _encode(name, single.reshape(-1), None if single.ndim == 1 else single.shape[1], compressed=compressed)


def _encode(name: str, values: NDArray[np.number], components: int | None, *, compressed: bool) -> _EncodedArray:
    """Encode a flat array block by block."""
    data = values.view(np.uint8).data
    blocks = [data[k : k + BLOCK] for k in range(0, len(data), BLOCK)]
    encoded = [[zlib.compress(block, LIGHT)] if compressed else _stored(block) for block in blocks]
    # VTK takes 0 for "the last block is a whole one"
    lengths = [sum(map(len, parts)) for parts in encoded]
    sizes = np.array([len(blocks), BLOCK, len(data) % BLOCK, *lengths], dtype="<u4")
    shape = "" if components is None else f' NumberOfComponents="{components}"'
    kind = VTK_TYPE[values.dtype.str]
    tag = f'type="{kind}" Name="{name}"{shape}'
    return _EncodedArray(tag=tag, parts=(sizes.tobytes(), *(part for parts in encoded for part in parts)))


def _stored(block: memoryview) -> list[bytes | memoryview]:
    """Bytes as zlib stores them without compression (RFC 1950, RFC 1951), not copied: half the work of its own."""
    parts: list[bytes | memoryview] = [b"\x78\x01"]
    for first in range(0, len(block), STORED):
        piece = block[first : first + STORED]
        is_last = first + STORED >= len(block)
        parts += [struct.pack("<BHH", is_last, len(piece), STORED ^ len(piece)), piece]
    return [*parts, struct.pack(">I", zlib.adler32(block))]


def _number_nodes(sector: SectorMesh, numbers: Sequence[int]) -> tuple[Indices, int]:
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
