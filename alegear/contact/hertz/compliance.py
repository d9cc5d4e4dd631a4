"""Compliance of the window's tooth faces as the slices of the common face see it.

A point of contact spreads its force over the columns of nodes of its slice with weights that never change. Taken into
the compliance once, they leave four rows of nodes for each point, and a fraction of the memory; the face forces of
spur gears have no axial component, so that axis goes too. At the free ends of the face the layers under the flanks give
way beyond plane strain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from alegear.arrays import Array, Indices
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.model_kernels import N_TILES, ROWS
from alegear.contact.hertz.slices import slice_means, weights_from_first
from alegear.contact.numbering import slot_order

LEAST_DEPTH = 1e-3  # of the mean depth of a layer: where it is clamped it has none
# The last one of each body: variants of one pair differ in microgeometry and torque, hardly ever in their slices.
_made: WeakKeyDictionary[ElasticBody, tuple[bytes, SliceCompliance]] = WeakKeyDictionary()


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceCompliance:
    """Compliance between any two teeth of the window.

    Attributes
    ----------
    blocks : shape (n, m, m, rows*axes, rows*axes) [m/N]
        Slices of both faces, one after the other, then row and axis: what two slices need lies together. Of a wheel
        there is one block for each distance of two slots; where slots apart know of each other in splines across the
        face, for slots with themselves only.
    smooth : shape (n, m_s, m_s, rows*axes, rows*axes) [m/N]
        The other distances, from 1 on: coefficients of both faces in place of slices.
    smooth_first, smooth_weight : shape (m,), (m, n_w)
        Mean of the splines over each slice: the first coefficient with a weight, and the weights from there on.
    block_of : shape (n_pairs, n_pairs)
        Block of two slots of the window, counted in order of engagement, the first not after the second; for two slots
        in the other order the block is transposed.
    """

    blocks: Array
    smooth: Array
    smooth_first: Indices
    smooth_weight: Array
    block_of: Indices

    @classmethod
    def of(
        cls,
        body: ElasticBody,
        gear: int,
        first_col: Indices,
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
            Of the slices, :func:`end_compliance`.
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
        cls, body: ElasticBody, gear: int, first_col: Indices, weight: Array, ends: Array, n_axes: int
    ) -> SliceCompliance:
        n_pairs = len(body.face_offset)
        slots = slot_order(n_pairs, gear)
        n_rows, n_cols = len(body.grid.rows_s), len(body.grid.cols_z)
        n_strips, n_dof = len(body.faces) * len(first_col), n_rows * n_axes
        means = partial(slice_means, n_rows=n_rows, n_cols=n_cols, n_axes=n_axes, first_col=first_col, weight=weight)
        column = body.column
        n_dense = 1 if column is not None else _n_blocks(n_pairs, body.repeats)
        blocks = np.empty((n_dense, n_strips, n_strips, n_dof, n_dof))
        made = 0
        block_of = np.full((n_pairs, n_pairs), -1, dtype=np.int64)
        for one in range(n_pairs):
            for two in range(one, n_pairs):
                if body.repeats and one > 0:
                    block_of[one, two] = block_of[0, two - one]
                    continue
                if made < n_dense:
                    of_two = means(body.between(slots[one], slots[two]))
                    of_both = means(of_two.reshape(len(of_two), -1).T).reshape(n_strips, n_dof, n_strips, n_dof)
                    blocks[made] = of_both.transpose(2, 0, 3, 1)
                    if one == two:
                        _add_ends(blocks[made], ends.reshape(n_strips, n_rows, n_rows), n_axes)
                block_of[one, two] = made
                made += 1
        if column is None:
            none = np.zeros((0, 0, 0, 0, 0)), np.zeros(0, dtype=np.int64), np.zeros((0, 0))
            return cls(blocks=blocks, smooth=none[0], smooth_first=none[1], smooth_weight=none[2], block_of=block_of)
        smooth = [
            _by_strip(body.smooth_between(slots[0], slots[two]), column, n_rows, n_axes) for two in range(1, n_pairs)
        ]
        first, mean = _means_of_splines(column, first_col, weight, len(body.faces))
        return cls(blocks=blocks, smooth=np.stack(smooth), smooth_first=first, smooth_weight=mean, block_of=block_of)


def _by_strip(block: Array, column: Array, n_rows: int, n_axes: int) -> Array:
    """Bring a block in the order face, row, coefficient, axis to that of the slices, (m_s, m_s, n_dof, n_dof)."""
    n_coefficients = column.shape[1]
    n_faces = len(block) // (3 * n_rows * n_coefficients)
    parts = block.reshape((n_faces, n_rows, n_coefficients, 3) * 2)[:, :, :, :n_axes, :, :, :, :n_axes]
    n_strips, n_dof = n_faces * n_coefficients, n_rows * n_axes
    return parts.transpose(0, 2, 4, 6, 1, 3, 5, 7).reshape(n_strips, n_strips, n_dof, n_dof)


def _means_of_splines(column: Array, first_col: Indices, weight: Array, n_faces: int) -> tuple[Indices, Array]:
    """Mean of splines over the slices of all faces: first coefficient (n_faces n_slices,), weights from there on."""
    places = first_col[:, None] + np.arange(weight.shape[1])
    mean = np.einsum("kc,kcj->kj", weight, column[places])
    first, few = weights_from_first(mean)
    offset = np.repeat(mean.shape[1] * np.arange(n_faces), len(first))
    return np.tile(first, n_faces) + offset, np.ascontiguousarray(np.tile(few, (n_faces, 1)))


def end_compliance(body: ElasticBody, borders: Array, cos_beta_b: float) -> Array:
    """Further normal displacement of a slice per force on it, by the ends of the gear's own face.

    The distance from an end and the depth of the layer count, so a face that goes on beyond the common one has no end
    there. Between two rows the depth is their mean: what a point has of them by interpolation is that of its own place.

    Parameters
    ----------
    borders : shape (n_slices + 1,) [m]
        Of the slices, from mid-face of the gear.
    cos_beta_b : float
        A slice of the width h has a line of contact of the length h/cos beta_b.

    Returns
    -------
    shape (n_faces, n_slices, n_rows, n_rows) [m/N]
    """
    lengths = np.diff(borders) / cos_beta_b
    depth = 0.5 * (body.depth[:, None] + body.depth)
    depth = np.maximum(depth, LEAST_DEPTH * body.depth.mean())
    low, high = body.grid.cols_z[0], body.grid.cols_z[-1]
    from_low, from_high = borders - low, high - borders
    near = np.stack([from_low[:-1], from_high[1:]])[:, :, None, None] / (cos_beta_b * depth)
    size = lengths[:, None, None] / depth
    out = np.zeros((len(body.faces), len(lengths), *depth.shape))
    for of_face, ends in zip(out, body.ends, strict=True):
        for end, distance in zip(ends, np.maximum(near, 0.0), strict=True):
            of_face += end.mean(distance, distance + size)
    return out * body.softness / lengths[:, None, None]


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
    n_pairs: int,
    n_faces: int,
    n_slices: int,
    n_rows: int,
    *,
    axial: bool,
    repeats: bool,
    n_coefficients: int | None = None,
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
    n_coefficients : int, optional
        Splines across the face in which slots apart know of each other, if they do.
    """
    n_dof = n_rows * (3 if axial else 2)
    dense = float(n_faces * n_slices * n_dof) ** 2
    if n_coefficients is None:
        return 8.0 * _n_blocks(n_pairs, repeats) * dense
    return 8.0 * (dense + (n_pairs - 1) * float(n_faces * n_coefficients * n_dof) ** 2)


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
