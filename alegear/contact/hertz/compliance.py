"""Compliance of the window's tooth faces as the slices of the common face see it.

A point of contact spreads its force over the columns of nodes of its slice with weights that never change. Taken into
the compliance once, they leave four rows of nodes for each point, and a fraction of the memory; the face forces of
spur gears have no axial component, so that axis goes too.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.compliance_kernels import slice_means
from alegear.contact.hertz.face_ends import end_compliance
from alegear.contact.hertz.model_kernels import N_TILES, ROWS
from alegear.contact.numbering import slot_order

Array = NDArray[np.float64]

# The last one of each body: variants of one pair differ in microgeometry and torque, hardly ever in their slices.
_made: WeakKeyDictionary[ElasticBody, tuple[bytes, SliceCompliance]]


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceCompliance:
    """Compliance between any two teeth of the window.

    Attributes
    ----------
    blocks : shape (n, m, m, rows*axes, rows*axes) [m/N]
        Slices of both faces, one after the other, then row and axis: what two slices need lies together. Of a wheel
        there is one block for each distance of two slots.
    block_of : shape (n_pairs, n_pairs)
        Block of two slots of the window, counted in order of engagement, the first not after the second; for two slots
        in the other order the block is transposed.
    """

    blocks: Array
    block_of: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        body: ElasticBody,
        gear: int,
        first_col: NDArray[np.int64],
        weight: Array,
        *,
        borders: Array,
        cos_beta_b: float,
        axial: bool,
    ) -> SliceCompliance:
        """Take the means over the slices into the compliance of a body, and add what its free ends give way.

        Parameters
        ----------
        body : ElasticBody
        gear : int
            0 pinion, 1 wheel: it tells in which order teeth come into mesh.
        first_col, weight : shape (n_slices,), (n_slices, n_w)
            :func:`alegear.contact.hertz.slices.column_means`.
        borders, cos_beta_b : shape (n_slices + 1,) [m], float
            Of the slices, :func:`alegear.contact.hertz.face_ends.end_compliance`.
        axial : bool
            Whether faces carry axial forces.
        """
        slices = np.append(borders, cos_beta_b).tobytes()
        key = b"".join((first_col.tobytes(), weight.tobytes(), slices, bytes([gear, axial])))
        known = _made.get(body)
        if known is not None and known[0] == key:
            return known[1]
        ends = end_compliance(body, borders, cos_beta_b)
        made = cls._make(body, gear, first_col, weight, ends, 3 if axial else 2)
        _made[body] = (key, made)
        return made

    @classmethod
    def _make(
        cls, body: ElasticBody, gear: int, first_col: NDArray[np.int64], weight: Array, ends: Array, n_axes: int
    ) -> SliceCompliance:
        n_pairs = len(body.face_offset)
        slots = slot_order(n_pairs, gear)
        faces = np.ascontiguousarray(body.face_offset[0])
        n_rows, n_cols = len(body.grid.rows_s), len(body.grid.cols_z)
        n_strips, n_dof = len(faces) * len(first_col), n_rows * n_axes
        blocks = np.empty((_n_blocks(n_pairs, body.repeats), n_strips, n_strips, n_dof, n_dof))
        made = 0
        block_of = np.full((n_pairs, n_pairs), -1, dtype=np.int64)
        for one in range(n_pairs):
            for two in range(one, n_pairs):
                if body.repeats and one > 0:
                    block_of[one, two] = block_of[0, two - one]
                    continue
                between = np.ascontiguousarray(body.between(slots[one], slots[two]))
                slice_means(between, faces, faces, n_rows, n_cols, n_axes, first_col, weight, blocks[made])
                if one == two:
                    _add_ends(blocks[made], ends.reshape(n_strips, n_rows, n_rows), n_axes)
                block_of[one, two] = made
                made += 1
        return cls(blocks=blocks, block_of=block_of)


_made = WeakKeyDictionary()


def _add_ends(block: Array, ends: Array, n_axes: int) -> None:
    """Add to what each slice of a tooth gives way to itself, (n_strips, n_strips, n_rows n_axes, n_rows n_axes).

    The weights of the rows add up to one, and so do the squares of the normal: the same in all axes, it is that along
    the normal wherever the slice is loaded.
    """
    for k, of_slice in enumerate(ends):
        for axis in range(n_axes):
            block[k, k, axis::n_axes, axis::n_axes] += of_slice


def _n_blocks(n_pairs: int, repeats: bool) -> int:
    """Pairs of slots that differ: in their distance in a wheel, all in a segment."""
    return n_pairs if repeats else n_pairs * (n_pairs + 1) // 2


def slice_compliance_bytes(
    n_pairs: int, n_faces: int, n_slices: int, n_rows: int, *, axial: bool, repeats: bool
) -> float:
    """Size of the blocks of one gear [bytes], known before there is a compliance.

    Parameters
    ----------
    n_pairs, n_faces, n_slices, n_rows : int
        Slots of the window, faces of a slot, slices, rows of nodes along the profile.
    axial : bool
        Whether faces carry axial forces.
    repeats : bool
        Whether it is a wheel, not a segment.
    """
    n_block = n_faces * n_slices * n_rows * (3 if axial else 2)
    return 8.0 * _n_blocks(n_pairs, repeats) * float(n_block) ** 2


def most_points(n_sides: int, n_pairs: int, n_slices: int) -> int:
    """Candidate points of one state: all pairs and slices of all sides, and in each slice of a side a second place.

    Two places of a pair come nearly as near at the ends of the path only, where a pair is missing at the other end.
    """
    return n_sides * (n_pairs + 1) * n_slices


def coupling_bytes(n_points: int, *, axial: bool, rubs: bool) -> float:
    """Size of what the candidate points of one state know of each other [bytes].

    These are displacements of the nodes of both gears, with friction (`rubs`) by normal forces too, the compliance
    between the points, the matrix of Newton's method, and the parts of the compliance at hand; all other buffers grow
    with the number of points only.
    """
    n_e = ROWS * (3 if axial else 2)
    return 8.0 * (float(n_points) ** 2 * (2 * n_e * (1 + rubs) + 2) + 2 * N_TILES * (n_e**2 + 1))
