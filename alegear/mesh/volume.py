"""A grid of hexahedra with named node sets, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from alegear.arrays import Array, Indices
from alegear.mesh.reference_cell import (
    EIGHT_PARTS,
    HEXAHEDRON_EDGES,
    HEXAHEDRON_NODES,
    gauss_cube,
    jacobian_determinants,
    shape_gradients,
)
from alegear.short_repr import ShortRepr


@dataclass(frozen=True, kw_only=True, eq=False)
class FreeSurface:
    """Nodes on a surface that never carries a load: there the stress must leave no traction.

    Parameters
    ----------
    nodes : shape (n,)
        Each at most once.
    normals : shape (n, 3)
        Outward unit normals.
    """

    nodes: Indices
    normals: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class VolumeMesh(ShortRepr):
    """Hexahedra, all with eight nodes or all with 27.

    Parameters
    ----------
    points : shape (n_nodes, 3) [m]
        Node coordinates.
    cells : shape (n_cells, 8) or (n_cells, 27)
        Node indices of each hexahedron in VTK order, corners first.
    node_sets : dict of str to shape (n,)
        Named groups of nodes.
    free_surface : FreeSurface, optional
        What is known to be free of load.
    """

    points: Array
    cells: Indices
    node_sets: Mapping[str, Indices] = field(default_factory=dict)
    free_surface: FreeSurface | None = None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.points)

    @property
    def n_cells(self) -> int:
        """Number of hexahedra."""
        return len(self.cells)

    @property
    def linear_cells(self) -> Indices:
        """Hexahedra with eight nodes over all nodes, for pictures: of a cell with 27 nodes its eight parts, (m, 8)."""
        return self.cells if self.cells.shape[1] == 8 else self.cells[:, EIGHT_PARTS].reshape(-1, 8)

    @property
    def volume(self) -> float:
        """Volume of all cells [m^3], exact."""
        return float(_cell_volumes(self.points[self.cells]).sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshQuality:
    """Shape of the cells of a grid.

    Parameters
    ----------
    min_jacobian : float [m^3]
        Smallest determinant of the map from the reference cube [-1, 1]^3, over the nodes and the Gauss points of all
        cells. A grid is usable only if it is positive.
    min_scaled_jacobian : float
        Smallest determinant at a node over the product of the lengths of its columns: 1 for a brick, 0 for a flat
        corner.
    max_aspect_ratio : float
        Largest ratio of the longest to the shortest edge of a cell.
    shortest_edge : float [m]
        Length of the shortest edge, from corner to corner.
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
    worst_point: Array
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
    nodes = mesh.points[mesh.cells]
    corners = nodes[:, :8]
    determinant, scaled = _node_jacobians(nodes)
    gauss = _gauss_jacobians(nodes)
    smallest = np.minimum(determinant.min(axis=1), gauss.min(axis=1))
    edge_length = np.linalg.norm(corners[:, HEXAHEDRON_EDGES[:, 1]] - corners[:, HEXAHEDRON_EDGES[:, 0]], axis=2)
    worst = int(np.argmin(scaled.min(axis=1)))
    volume = float(_cell_volumes(nodes).sum())
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


def _node_jacobians(nodes: Array) -> tuple[Array, Array]:
    """Determinants [m^3] and scaled determinants at the nodes, both (n_cells, n_nodes)."""
    n_nodes = nodes.shape[1]
    gradients = shape_gradients(n_nodes, HEXAHEDRON_NODES[:n_nodes])
    determinant = jacobian_determinants(gradients, nodes)
    lengths = np.prod([np.linalg.norm(gradients[:, :, k] @ nodes, axis=2) for k in range(3)], axis=0)
    return determinant, np.divide(determinant, lengths, out=np.zeros_like(determinant), where=lengths > 0.0)


def _gauss_jacobians(nodes: Array) -> Array:
    """Determinants at the Gauss points, (n_cells, 8 or 27) [m^3]."""
    n_nodes = nodes.shape[1]
    points, _ = gauss_cube(2 if n_nodes == 8 else 3)
    return jacobian_determinants(shape_gradients(n_nodes, points), nodes)


def _cell_volumes(nodes: Array) -> Array:
    """Volumes, (n_cells,) [m^3], exact: the determinant has degree 2 in each coordinate with eight nodes, 5 with 27."""
    _, weights = gauss_cube(2 if nodes.shape[1] == 8 else 3)
    return _gauss_jacobians(nodes) @ weights
