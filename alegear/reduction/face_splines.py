r"""Splines across the face where the loaded flanks are far: fewer unknowns from the same grid.

Under a flank the ends of oblique lines of contact need narrow elements across the face. Away from it what narrow
columns of nodes tell apart has died out: a load of the wavelength :math:`\lambda` across the face has the part
:math:`e^{-2 \pi d / \lambda}` of its displacement left at a distance d. There the columns of the grid share the
coefficients of a cubic spline in z,

.. math::
    u(z_k) = \sum_j B_j(z_k) \hat u_j, \qquad u = P \hat u, \qquad \hat K = P^T K P .

This is Galerkin's method on the same elements with fewer fields: it is too stiff by what the splines cannot follow, and
exact for what they can. Of all piecewise polynomials splines follow smooth fields best with a given number of
coefficients; pieces of parabolas with as many are off by ten times as much.

Most is saved on the cut planes, for every joint of the ring costs their cube. The coefficients of a column of nodes
take the places of some of its nodes, the *carriers*: all sets, symmetries and orders of nodes stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from alegear.arrays import Array, Indices, Mask
from alegear.mesh import SectorMesh
from alegear.reduction._kernels import restrict_blocks

#: Grids up to so many elements across the face are left alone: the rest of a run takes longer than their reduction.
PLAIN_ELEMENTS = 16
#: Distance of the knots: modules (the wavelengths of a tooth), and steps of the grid (so that finer grids converge).
KNOT_MODULES, KNOT_STEPS = 1.6, 4.0
#: Modules from the loaded flanks from which on the knots are so many times as far apart. Nearer than the first all
#: nodes have their own displacement; the layer whose own compliance a contact law takes away again
#: (:mod:`alegear.reduction.layer`) is about as deep, and must not be stiffened.
DEPTHS = ((0.6, 1.0), (4.0, 2.0), (8.0, 4.0))
#: Distance of the knots on the cut planes over that elsewhere: they lie in the middle of the tooth spaces, a module and
#: more from the flanks.
ON_CUTS = 1.5
#: Length of the pieces at the ends of the face over that of the others: what a free end changes dies out within a
#: module, and pieces of even length would miss most of it.
END_PIECE = 0.5
#: They are used where they save at least a third of the coefficients.
WORTHWHILE = 2.0 / 3.0
#: Largest distance of a node from its straight column, over the size of the grid: the digits of a mesh file.
STRAIGHT = 1e-9
_DEGREE = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceSplines:
    """Which nodes have a displacement of their own or carry a coefficient, and how all nodes follow from these.

    Parameters
    ----------
    carriers : shape (n_nodes,)
    matrix : sparse, shape (n_nodes, n_nodes)
        P, the same for all axes; its columns are empty but for the carriers. The rows of nodes that have a displacement
        of their own are those of the identity.
    column : shape (n_cols, n_coefficients)
        Splines of one column of nodes.
    """

    carriers: Mask
    matrix: sparse.csr_array
    column: Array

    @classmethod
    def of(cls, sector: SectorMesh, flank: str) -> FaceSplines | None:
        """Choose where splines serve; None where they would save little, or the grid has no columns.

        Parameters
        ----------
        sector : SectorMesh
        flank : {"a", "b", "both"}
            The loaded faces.
        """
        n_cols = np.shape(sector.flank_a)[1]
        if n_cols - 1 <= PLAIN_ELEMENTS:
            return None
        columns = _columns(sector, n_cols)
        if columns is None:
            return None
        from scipy.spatial import KDTree  # here, because it is slow to import and only wide grids need it

        section, z = columns
        module = 2.0 * np.hypot(*section[_sections(sector, "both")].T).mean() / sector.teeth
        values, _ = _splines_of(z, module, 1.0)
        if values.shape[1] > WORTHWHILE * n_cols:
            return None
        depth = KDTree(section[_sections(sector, flank)]).query(section)[0] / module
        # each section node of the cut planes once, those that belong together in the same place
        low, high = (np.asarray(cut)[::n_cols] // n_cols for cut in (sector.cut_low, sector.cut_high))
        # cut planes have the same ones, however near to one of them a flank ends, and never all nodes
        depth[low] = depth[high] = np.maximum(np.minimum(depth[low], depth[high]), DEPTHS[0][0])
        level = np.searchsorted([d for d, _ in DEPTHS], depth, side="right")
        factor = np.array([0.0, *(f for _, f in DEPTHS)])[level]  # 0: a displacement of its own for every node
        factor[low] *= ON_CUTS
        factor[high] = factor[low]
        carriers = np.ones((len(section), n_cols), dtype=bool)
        P = sparse.kron(sparse.diags_array(np.where(factor == 0.0, 1.0, 0.0)), sparse.eye_array(n_cols), format="csr")
        for one in np.unique(factor[factor > 0.0]):
            some, places = _splines_of(z, module, one)
            carriers[factor == one] = np.isin(np.arange(n_cols), places)
            column = np.zeros((n_cols, n_cols))
            column[:, places] = some
            there = sparse.diags_array(np.where(factor == one, 1.0, 0.0))
            P = P + sparse.kron(there, sparse.csr_array(column), format="csr")
        P = sparse.csr_array(P)
        P.eliminate_zeros()
        P.sort_indices()
        return cls(carriers=carriers.ravel(), matrix=P, column=values)

    def graph(self, adjacency: sparse.csr_array) -> sparse.csr_array:
        """Tell which carriers share an element, from the nodes that do; ones, ascending columns, (n, n)."""
        ones = np.ones(self.matrix.nnz, dtype=np.int32)
        P = sparse.csr_array((ones, self.matrix.indices, self.matrix.indptr), shape=self.matrix.shape)
        graph = sparse.csr_array(P.T @ (adjacency @ P))
        graph.sort_indices()
        graph.data[:] = 1
        return graph

    def stiffness(self, K: sparse.csr_matrix, adjacency: sparse.csr_array) -> sparse.csr_matrix:
        """P^T K P of a stiffness that stores every 3 x 3 block of neighbours; only carriers have rows [N/m]."""
        graph, followers = self.graph(adjacency), sparse.csr_array(self.matrix.T)
        data = np.zeros((graph.nnz, 3, 3))
        restrict_blocks(
            K.indptr,
            K.indices,
            K.data,
            followers.indptr,
            followers.indices,
            followers.data,
            self.matrix.indptr,
            self.matrix.indices,
            self.matrix.data,
            graph.indptr,
            graph.indices,
            data,
        )
        return sparse.bsr_matrix((data, graph.indices, graph.indptr), shape=K.shape).tocsr()

    def rows(self, rows: sparse.csr_array | sparse.csr_matrix) -> sparse.csr_array:
        """Turn rows over the displacement of all nodes, (n, 3 n_nodes), into rows over what the carriers hold."""
        return sparse.csr_array(rows @ self._of_dofs)

    def expand(self, u: Array) -> Array:
        """Displacement of all nodes from what the carriers hold, shape (n_nodes, 3, n_rhs) [m]."""
        return np.asarray(self.matrix @ u.reshape(len(u), -1)).reshape(u.shape)

    def needed(self, nodes: Indices) -> Indices:
        """List the carriers on which some nodes depend."""
        return np.unique(self.matrix[nodes].indices)

    def smooth_faces(self, face_recovery: Array) -> tuple[Array, Array]:
        """Write what far-away cut planes do to the faces in splines, the nearest to it (least squares).

        Parameters
        ----------
        face_recovery : shape (3 rows n_cols, n)
            Displacement of the faces, order row, column, axis.

        Returns
        -------
        column : shape (n_cols, n_coefficients)
        amplitudes : shape (3 rows n_coefficients, n)
        """
        by_column = face_recovery.reshape(-1, len(self.column), 3 * face_recovery.shape[1])
        amplitudes = np.matmul(np.linalg.pinv(self.column), by_column)
        return self.column, amplitudes.reshape(-1, face_recovery.shape[1])

    @cached_property
    def _of_dofs(self) -> sparse.csr_array:
        return sparse.csr_array(sparse.kron(self.matrix, sparse.eye_array(3), format="csr"))


def _columns(sector: SectorMesh, n_cols: int) -> tuple[Array, Array] | None:
    """Section (n, 2) and places across the face (n_cols,) [m] of a grid whose columns are numbered one by one."""
    points = np.asarray(sector.straight_points)
    if len(points) % n_cols:
        return None
    grid = points.reshape(-1, n_cols, 3)
    section, z = grid[:, 0, :2], grid[0, :, 2]
    off = max(np.abs(grid[..., :2] - section[:, None]).max(), np.abs(grid[..., 2] - z).max())
    sets = (sector.flank_a, sector.flank_b, sector.cut_low, sector.cut_high)
    whole = all(np.array_equal(np.ravel(nodes) % n_cols, np.arange(np.size(nodes)) % n_cols) for nodes in sets)
    if off > STRAIGHT * np.ptp(points, axis=0).max() or not whole or (np.diff(z) <= 0.0).any():
        return None
    return section, z


def _sections(sector: SectorMesh, flank: str) -> Indices:
    """Nodes of the section that the chosen flanks stand on."""
    grids = [sector.flank_a] * (flank != "b") + [sector.flank_b] * (flank != "a")
    return np.concatenate([np.asarray(grid)[:, 0] // np.shape(grid)[1] for grid in grids])


def _splines_of(z: Array, module: float, factor: float) -> tuple[Array, Indices]:
    """Choose splines whose knots are so many times as far apart as next to the flanks, :func:`_splines`."""
    distance = factor * min(KNOT_MODULES * module, KNOT_STEPS * np.ptp(z) / (len(z) - 1))
    return _splines(z, max(1, round(np.ptp(z) / distance)))


def _splines(z: Array, pieces: int) -> tuple[Array, Indices]:
    """Cubic B-splines at the places z, shape (n, n_coefficients), and a place that carries each.

    All pieces are equal but those at the ends, which are shorter. Carriers lie next to the middles of their splines,
    mirrored about the middle of the face.
    """
    from scipy.interpolate import BSpline  # here for the same reason as above

    if len(z) % 2 == 0:  # then no place is in the middle, to carry the middle one of an odd number of splines
        pieces += (pieces + _DEGREE) % 2
    lengths = np.ones(pieces)
    lengths[[0, -1]] = END_PIECE if pieces > 2 else 1.0
    knots = z[0] + np.ptp(z) * np.concatenate([[0.0], np.cumsum(lengths)[:-1] / lengths.sum(), [1.0]])
    knots = np.concatenate([[z[0]] * _DEGREE, knots, [z[-1]] * _DEGREE])
    values = BSpline.design_matrix(z, knots, _DEGREE).toarray()
    values = 0.5 * (values + values[::-1, ::-1])  # symmetric to the last bit, for z is
    values[np.abs(values) < 1e-14] = 0.0
    n = values.shape[1]
    if n > len(z):
        return np.eye(len(z)), np.arange(len(z))
    middles = np.array([knots[j + 1 : j + 1 + _DEGREE].mean() for j in range(n)])
    carrier = np.zeros(n, dtype=np.int64)
    last = -1
    for j in range((n + 1) // 2):
        # room for those that follow up to the middle
        nearest = int(np.abs(z - middles[j]).argmin())
        last = min(max(nearest, last + 1), (len(z) - n) // 2 + j)
        carrier[j] = last
    carrier[n - n // 2 :] = len(z) - 1 - carrier[: n // 2][::-1]
    return values, carrier
