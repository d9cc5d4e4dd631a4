"""Slices of the common face: where they lie on both gears, and how the grids of both faces interpolate there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array, Indices
from alegear.geometry.gear_pair import GearPair

# Of helical pairs, whose oblique lines of contact end inside the face. Slices narrower than that share nodes, between
# which the grid is stiffer than at them; the loads of single ones then scatter (validation/fe_helical_20_30).
SLICES_PER_ELEMENT = 1.5
# On coarse grids so many in each axial pitch. Memory grows with the square of their number.
SLICES_PER_PITCH, MOST_SLICES = 24, 48


def default_slices(pair: GearPair, width_elements: int) -> int:
    """Number of slices: those of the grid, more for the ends of oblique lines of contact."""
    if pair.eps_beta == 0.0:
        return width_elements
    across = SLICES_PER_ELEMENT * width_elements
    return math.ceil(max(across, min(SLICES_PER_PITCH * pair.eps_beta, MOST_SLICES)))


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceSlices:
    """Equal slices of the common face.

    Parameters
    ----------
    borders : shape (n + 1,) [m]
        In the frame of the pinion, z = 0 at its mid-face.
    """

    borders: Array

    @classmethod
    def of(cls, common_face: tuple[float, float], n: int) -> FaceSlices:
        """Divide the common face."""
        return cls(borders=np.linspace(*common_face, n + 1))

    def __len__(self) -> int:
        return len(self.borders) - 1

    @property
    def z(self) -> Array:
        """Middles, shape (n,) [m]."""
        return 0.5 * (self.borders[1:] + self.borders[:-1])

    @property
    def width(self) -> float:
        """Width of each [m]."""
        return float(self.borders[1] - self.borders[0])


def column_means(borders: Array, cols_z: Array, order: int) -> tuple[Indices, Array]:
    """Mean over each slice of the elements' interpolation between columns of nodes.

    A load spread evenly over the slice acts on the nodes with the same weights, so an even load stays even on any
    number of slices.

    Parameters
    ----------
    borders : shape (n + 1,) [m]
    cols_z : shape (n_cols,) [m]
        Columns of the grid, rising, in the same frame.
    order : int
        Of the elements: between neighbouring columns the displacement is linear (1), or quadratic over three (2).

    Returns
    -------
    first : shape (n,)
        First column with a weight.
    weight : shape (n, n_w)
        Weights of the columns from there on; each row adds up to one.
    """
    clipped = np.clip(borders, cols_z[0], cols_z[-1])
    weight = np.diff(_integrals(clipped, cols_z, order), axis=0) / np.diff(borders)[:, None]
    weight /= weight.sum(axis=1, keepdims=True)  # a border that rounding puts beyond the face
    return weights_from_first(weight)


def weights_from_first(weight: Array) -> tuple[Indices, Array]:
    """First column of each row that counts, shape (n,), and as many weights from there on as the longest row has."""
    used = np.abs(weight) > 1e-14
    first = used.argmax(axis=1)
    n_w = int((weight.shape[1] - used[:, ::-1].argmax(axis=1) - first).max())
    first = np.minimum(first, weight.shape[1] - n_w).astype(np.int64)
    return first, np.ascontiguousarray(np.take_along_axis(weight, first[:, None] + np.arange(n_w), axis=1))


def slice_means(on_faces: Array, n_rows: int, n_cols: int, n_axes: int, first_col: Indices, weight: Array) -> Array:
    """Means over the slices of displacements of the faces of a tooth, shape (m, n_strips, n_rows n_axes).

    Parameters
    ----------
    on_faces : shape (m, nf)
        Nodes of a face ordered row, column, axis.
    n_rows, n_cols, n_axes : int
        Of a face, and the axes that count.
    first_col, weight : shape (n_slices,), (n_slices, n_w)
        :func:`column_means`.
    """
    of_columns = np.zeros((len(first_col), n_cols))
    np.put_along_axis(of_columns, first_col[:, None] + np.arange(weight.shape[1]), weight, axis=1)
    n_faces = on_faces.shape[1] // (3 * n_rows * n_cols)
    U = on_faces.reshape(len(on_faces), n_faces, n_rows, n_cols, 3)[..., :n_axes]
    means = np.einsum("mfrca,kc->mfkra", U, of_columns, optimize=True)
    return np.ascontiguousarray(means).reshape(len(U), n_faces * len(first_col), n_rows * n_axes)


def _integrals(z: Array, cols_z: Array, order: int) -> Array:
    """Integral of each column's shape function from the first column to the places z (n,), shape (n, n_cols) [m]."""
    total = np.zeros((len(z), len(cols_z)))
    for start in range(0, len(cols_z) - 1, order):
        nodes = np.arange(start, start + order + 1)
        low, high = cols_z[nodes[0]], cols_z[nodes[-1]]
        t = np.clip((z - low) / (high - low), 0.0, 1.0)
        places = (cols_z[nodes] - low) / (high - low)
        for node, place in zip(nodes, places, strict=True):
            others = places[places != place]
            shape = np.polynomial.Polynomial.fromroots(others) / np.prod(place - others)
            total[:, node] += (high - low) * shape.integ()(t)
    return total
