"""From a grid of hexahedra to the stiffness and mass matrices of an elastic body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.fe import _kernels
from alegear.fe.hexahedron import ELEMENTS, ReferenceElement
from alegear.fe.material import Material
from alegear.mesh.reference_cell import jacobian_determinants
from alegear.mesh.volume import FreeSurface, VolumeMesh
from alegear.short_repr import ShortRepr


class HexahedralGrid(Protocol):
    """What a grid must offer: nodes and VTK-ordered hexahedra."""

    @property
    def points(self) -> Array:
        """Nodes, shape (n, 3) [m]."""

    @property
    def cells(self) -> NDArray[np.integer]:
        """Node numbers of the elements, shape (m, 8) or (m, 27)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MassProperties:
    """Rigid-body mass data of a discretised body.

    Parameters
    ----------
    mass : float [kg]
    centre : shape (3,) [m]
        Centre of mass.
    inertia : shape (3, 3) [kg m^2]
        Inertia tensor about the origin.
    """

    mass: float
    centre: Array
    inertia: Array

    @property
    def inertia_z(self) -> float:
        """Moment of inertia about the z axis through the origin [kg m^2]."""
        return float(self.inertia[2, 2])


@dataclass(frozen=True, kw_only=True, eq=False)
class FEModel(ShortRepr):
    """Linear elastic body on hexahedra: with eight nodes and incompatible modes, or with 27 nodes.

    DOF are numbered ``3 * node + axis``; displacements are arrays (n_nodes, 3) [m]. Matrices are formed when
    first asked for, and kept.

    Parameters
    ----------
    points : shape (n_nodes, 3) [m]
    cells : shape (n_cells, 8) or (n_cells, 27)
        Nodes in the order of VTK_HEXAHEDRON or VTK_TRIQUADRATIC_HEXAHEDRON.
    material : Material
    free_surface : FreeSurface, optional
        Where the stresses are made to leave no traction.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from alegear.fe.hexahedron import HEXAHEDRON_CORNERS
    >>> cube = SimpleNamespace(points=HEXAHEDRON_CORNERS, cells=np.arange(8)[None, :])
    >>> model = FEModel.from_mesh(cube, Material(rho=1.0))
    >>> round(model.mass_properties().mass, 12)
    8.0
    """

    points: Array
    cells: Indices
    material: Material
    free_surface: FreeSurface | None = None

    @classmethod
    def from_mesh(cls, volume: HexahedralGrid, material: Material) -> FEModel:
        """Check a grid and take it over.

        Parameters
        ----------
        volume : object with ``points (n, 3)`` [m] and ``cells (m, 8)`` or ``(m, 27)``
            Of a :class:`~alegear.mesh.volume.VolumeMesh` the ``free_surface`` is taken over too.
        material : Material

        Raises
        ------
        Fault
            If the arrays do not describe a grid of hexahedra, a node belongs to no element, or an element is
            turned inside out.
        """
        points = np.ascontiguousarray(volume.points, dtype=np.float64)
        cells = np.ascontiguousarray(volume.cells, dtype=np.int64)
        _check_grid(points, cells)
        element = ELEMENTS[cells.shape[1]]
        everywhere = np.concatenate([element.gradients, element.centre_gradients[None]])
        j_min = jacobian_determinants(everywhere, points[cells]).min(axis=1)
        bad = np.flatnonzero(~(j_min > 0.0))
        if bad.size:
            raise Fault(
                f"Jacobian determinant of element {bad[0]} [m^3] ({bad.size} such elements)",
                f"{j_min[bad[0]]:.3g}",
                "positive at every quadrature point",
                "list the nodes in VTK hexahedron order, or smooth the grid",
            )
        free_surface = volume.free_surface if isinstance(volume, VolumeMesh) else None
        return cls(points=points, cells=cells, material=material, free_surface=free_surface)

    @property
    def element(self) -> ReferenceElement:
        """Tables of the element."""
        return ELEMENTS[self.cells.shape[1]]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.points)

    @property
    def n_dof(self) -> int:
        """Number of degrees of freedom, ``3 n_nodes``."""
        return 3 * self.n_nodes

    @cached_property
    def node_graph(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Which nodes share an element, as CSR ``(indptr, indices)`` with ascending columns."""
        cells = incidence(self.cells, self.n_nodes)
        graph = (cells.T @ cells).tocsr()
        graph.sort_indices()
        return graph.indptr.astype(np.int32), graph.indices.astype(np.int32)

    @cached_property
    def stiffness(self) -> sp.csr_matrix:
        """Stiffness of the free body, shape (n_dof, n_dof) [N/m], symmetric to the last bit."""
        (indptr, indices), element = self.node_graph, self.element
        data = np.zeros(9 * len(indices))
        _kernels.assemble_stiffness(
            element.gradients,
            element.internal_gradients,
            element.centre_gradients,
            element.weights,
            self.points,
            self.cells,
            indptr,
            indices,
            self.material.lame_lambda,
            self.material.mu,
            data,
        )
        return _dof_matrix(indptr, indices, data)

    @cached_property
    def scalar_mass(self) -> sp.csr_matrix:
        """Mass matrix of one coordinate direction, :math:`\\rho \\int N_a N_b\\,dV`, shape (n_nodes, n_nodes) [kg]."""
        element = self.element
        volumes = element.mass_weights * jacobian_determinants(element.mass_gradients, self.points[self.cells])
        M = (element.mass_shape.T * (self.material.rho * volumes)[:, None]) @ element.mass_shape
        n = self.cells.shape[1]
        rows, columns = np.repeat(self.cells, n, axis=1).ravel(), np.tile(self.cells, n).ravel()
        once = rows <= columns
        half = sp.csr_matrix((M.ravel()[once], (rows[once], columns[once])), shape=(self.n_nodes, self.n_nodes))
        return (half + sp.triu(half, 1).T).tocsr()

    @cached_property
    def mass(self) -> sp.csr_matrix:
        """Consistent mass, shape (n_dof, n_dof) [kg], exactly integrated; the internal modes carry none."""
        return sp.kron(self.scalar_mass, sp.identity(3), format="csr")

    def mass_properties(self) -> MassProperties:
        """Mass, centre and inertia tensor of the body that the grid describes.

        ``m = rho int dV``, ``S = rho int x x^T dV``, ``J_O = tr(S) I - S``, by the quadrature of the mass matrix, which
        is exact.
        """
        element = self.element
        x = self.points[self.cells]
        volumes = element.mass_weights * jacobian_determinants(element.mass_gradients, x)
        position = np.matmul(element.mass_shape, x)
        weighted = self.material.rho * volumes[:, :, None] * position
        mass = self.material.rho * float(volumes.sum())
        second_moment = np.tensordot(weighted, position, axes=((0, 1), (0, 1)))
        inertia = np.trace(second_moment) * np.eye(3) - second_moment
        return MassProperties(mass=mass, centre=weighted.sum(axis=(0, 1)) / mass, inertia=inertia)

    @cached_property
    def cell_volumes(self) -> Array:
        """Volumes of the elements, shape (n_cells,) [m^3]."""
        element = self.element
        volumes: Array = jacobian_determinants(element.gradients, self.points[self.cells]) @ element.weights
        return volumes


def element_stiffness(nodes: Array, material: Material) -> Array:
    """Condensed stiffness matrix of a single element.

    Parameters
    ----------
    nodes : shape (8, 3) or (27, 3) [m]
        In the order of VTK.
    material : Material

    Returns
    -------
    shape (24, 24) or (81, 81) [N/m]
    """
    grid = VolumeMesh(points=nodes, cells=np.arange(len(nodes))[None])
    return FEModel.from_mesh(grid, material).stiffness.toarray()


def incidence(cells: Indices, n_nodes: int) -> sp.csr_array:
    """One where a cell has a node, shape (n_cells, n_nodes)."""
    n_cells, n = cells.shape
    ones = np.ones(cells.size, dtype=np.int32)
    return sp.csr_array((ones, cells.ravel(), np.arange(0, cells.size + 1, n)), shape=(n_cells, n_nodes))


def _check_grid(points: Array, cells: Indices) -> None:
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise Fault("grid nodes", f"array {points.shape}", "finite and of shape (n, 3)", "check the grid file")
    if cells.ndim != 2 or cells.shape[1] not in ELEMENTS or len(cells) == 0:
        raise Fault(
            "grid elements",
            f"array {cells.shape}",
            "of shape (m, 8) or (m, 27)",
            "use hexahedra with 8 nodes, or with 27 (those with 20 lack the middles of the sides and of the cell)",
        )
    if cells.min() < 0 or cells.max() >= len(points):
        raise Fault("node number of an element", int(cells.max()), f"0 ... {len(points) - 1}", "check the grid file")
    lonely = np.flatnonzero(np.bincount(cells.reshape(-1), minlength=len(points)) == 0)
    if lonely.size:
        raise Fault(
            "nodes without an element",
            f"{lonely.size} (first: {lonely[0]})",
            "none",
            "remove them from the grid",
        )


def _dof_matrix(indptr: NDArray[np.int32], indices: NDArray[np.int32], data: Array) -> sp.csr_matrix:
    """CSR matrix over DOF from the graph of nodes and the values laid out as the kernel writes them."""
    n_nodes = len(indptr) - 1
    count = np.diff(indptr)
    dof_indptr = np.concatenate([[0], np.cumsum(np.repeat(3 * count, 3))])
    node_of_row = np.repeat(np.arange(n_nodes), 3)
    # Each DOF row repeats the neighbours of its node: entries first ... first + count of the graph
    start = np.repeat(indptr[:-1][node_of_row] - dof_indptr[:-1] // 3, count[node_of_row])
    neighbour = indices[start + np.arange(len(start))]
    columns = (3 * neighbour[:, None] + np.arange(3)).reshape(-1)
    index_type = np.int32 if len(data) < np.iinfo(np.int32).max else np.int64
    return sp.csr_matrix(
        (data, columns.astype(index_type), dof_indptr.astype(index_type)), shape=(3 * n_nodes, 3 * n_nodes)
    )
