"""A grid of eight-node hexahedra with named node sets, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: Corners of the reference cube [-1, 1]^3 in the order of the VTK hexahedron, shape (8, 3): the bottom face
#: counter-clockwise seen from above, then the top face above it.
HEXAHEDRON_CORNERS = np.array(
    [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, 1.0],
    ]
)
# Neighbours of each corner along +xi, +eta, +zeta as a right-handed triple of edges (for a cell in good order the
# three edges leaving a corner span a positive volume).
_CORNER_EDGES = np.array(
    [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]], dtype=np.int64
)
_EDGES = np.array(
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
    dtype=np.int64,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class VolumeMesh:
    """Eight-node hexahedra.

    Parameters
    ----------
    points : shape (n_nodes, 3) [m]
        Node coordinates.
    cells : shape (n_cells, 8)
        Node indices of each hexahedron in VTK order.
    node_sets : dict of str to shape (n,)
        Named groups of nodes.
    """

    points: NDArray[np.float64]
    cells: NDArray[np.int64]
    node_sets: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.points)

    @property
    def n_cells(self) -> int:
        """Number of hexahedra."""
        return len(self.cells)

    @property
    def volume(self) -> float:
        """Volume of all cells [m^3], exact for trilinear hexahedra."""
        return float(_gauss_jacobians(self.points[self.cells]).sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshQuality:
    """Shape of the cells of a grid.

    Parameters
    ----------
    min_jacobian : float [m^3]
        Smallest determinant of the map from the reference cube [-1, 1]^3, over the eight corners and the 2 x 2 x 2
        Gauss points of all cells. A grid is usable only if it is positive.
    min_scaled_jacobian : float
        Smallest corner determinant over the product of its edge lengths: 1 for a brick, 0 for a flat corner.
    max_aspect_ratio : float
        Largest ratio of the longest to the shortest edge of a cell.
    shortest_edge : float [m]
        Length of the shortest edge.
    tangled : int
        Number of cells with a determinant that is not positive.
    worst_point : shape (3,) [m]
        Centre of the cell with the smallest scaled Jacobian.
    volume : float [m^3]
        Volume of the grid.
    volume_error : float
        (volume - exact volume) / exact volume; NaN where no exact volume is known. Negative where facets cut
        off convex flanks.
    """

    min_jacobian: float
    min_scaled_jacobian: float
    max_aspect_ratio: float
    shortest_edge: float
    tangled: int
    worst_point: NDArray[np.float64]
    volume: float
    volume_error: float


def mesh_quality(mesh: VolumeMesh, exact_volume: float | None = None) -> MeshQuality:
    """Measure the cells of a grid.

    Parameters
    ----------
    mesh : VolumeMesh
        The grid.
    exact_volume : float [m^3], optional
        Volume of the body the grid stands for.
    """
    corners = mesh.points[mesh.cells]
    determinant, scaled = _corner_jacobians(corners)
    gauss = _gauss_jacobians(corners)
    smallest = np.minimum(determinant.min(axis=1), gauss.min(axis=1))
    edge_length = np.linalg.norm(corners[:, _EDGES[:, 1]] - corners[:, _EDGES[:, 0]], axis=2)
    worst = int(np.argmin(scaled.min(axis=1)))
    volume = float(gauss.sum())
    with np.errstate(divide="ignore", invalid="ignore"):  # a collapsed cell has an edge of length 0
        aspect = edge_length.max(axis=1) / edge_length.min(axis=1)
    return MeshQuality(
        min_jacobian=float(smallest.min()),
        min_scaled_jacobian=float(scaled.min()),
        max_aspect_ratio=float(aspect.max()),
        shortest_edge=float(edge_length.min()),
        tangled=int(np.count_nonzero(smallest <= 0.0)),
        worst_point=corners[worst].mean(axis=0),
        volume=volume,
        volume_error=float("nan") if exact_volume is None else volume / exact_volume - 1.0,
    )


def _corner_jacobians(corners: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Determinants [m^3] and scaled determinants at the corners, both (n_cells, 8)."""
    edges = corners[:, _CORNER_EDGES] - corners[:, :, None, :]
    triple = np.linalg.det(edges)
    lengths = np.linalg.norm(edges, axis=3).prod(axis=2)
    # The reference edge has length 2, so the map's derivative at a corner is half the edge.
    return triple / 8.0, np.divide(triple, lengths, out=np.zeros_like(triple), where=lengths > 0.0)


def _gauss_jacobians(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Determinants at the 2 x 2 x 2 Gauss points (unit weights), (n_cells, 8) [m^3].

    Their sum is the exact volume: the determinant of a trilinear map is at most quadratic in each coordinate.
    """
    gauss = HEXAHEDRON_CORNERS / np.sqrt(3.0)
    factors = 1.0 + gauss[:, None, :] * HEXAHEDRON_CORNERS[None, :, :]
    gradient = np.empty((8, 8, 3))
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        gradient[:, :, axis] = HEXAHEDRON_CORNERS[None, :, axis] * factors[:, :, others].prod(axis=2) / 8.0
    return np.linalg.det(np.einsum("gna,cnx->cgax", gradient, corners))
