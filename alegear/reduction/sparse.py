r"""Static condensation of a finite element grid, exact, with LAPACK only (multifrontal Cholesky).

Retained nodes :math:`b`, eliminated nodes :math:`i`:

.. math::
    S = K_{bb} - K_{bi} K_{ii}^{-1} K_{ib}, \qquad u_i = -K_{ii}^{-1} K_{ib} u_b .

The sparse matrix is never solved with right-hand sides. Each subdomain of the nested dissection gathers its rows of
K and the Schur complements of its children in one small dense matrix, and hands its own Schur complement on
(Duff & Reid, 1983, ACM Trans. Math. Softw. 9, 302):

.. math::
    F = \begin{bmatrix} F_{11} & \cdot \\ F_{21} & F_{22} \end{bmatrix}, \quad
    F_{11} = L_{11} L_{11}^T, \quad L_{21} = F_{21} L_{11}^{-T}, \quad S = F_{22} - L_{21} L_{21}^T .

Retained nodes are never eliminated, so what is left at the end is S itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import blas, lapack
from threadpoolctl import threadpool_limits

from alegear.errors import AnalysisFailure
from alegear.reduction._kernels import extend_add
from alegear.reduction.nested_dissection import Index, Subdomain, nested_dissection, node_adjacency

Array = npt.NDArray[np.float64]

#: Decorator: one BLAS thread. The dense blocks are small, so that a second thread gains nothing on an idle machine, and
#: where other programs run the threads wait for each other at every block (measured: ten times slower).
single_threaded = threadpool_limits.wrap(limits=1, user_api="blas")


@dataclass(frozen=True, kw_only=True, eq=False)
class Front:
    """The factor of one subdomain.

    Parameters
    ----------
    eliminated, border : shape (n,), (m,)
        Nodes eliminated here, and later nodes that share an element (after fill-in) with them, in elimination order.
    L_11 : shape (3n, 3n)
        Cholesky factor, lower.
    L_21 : shape (3m, 3n)
        Coupling to the border.
    """

    eliminated: Index
    border: Index
    L_11: Array
    L_21: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class StaticCondensation:
    """A grid condensed to its retained nodes.

    Parameters
    ----------
    n_nodes : int
        Nodes of the grid.
    retained : shape (n_b,)
        Retained nodes, in the order of `S`.
    S : shape (3 n_b, 3 n_b) [N/m]
        Condensed stiffness, symmetric.
    fronts : tuple of Front
        Factors in the order of elimination; empty if they were not kept.
    parents : tuple of int
        For each front the one that its border first belongs to, -1 for none.
    """

    n_nodes: int
    retained: Index
    S: Array
    fronts: tuple[Front, ...]
    parents: tuple[int, ...]

    @single_threaded
    def expand(self, u_b: Array, nodes: npt.ArrayLike | None = None) -> Array:
        r"""Recover the eliminated displacement: :math:`u_i = -K_{ii}^{-1} K_{ib} u_b`.

        Parameters
        ----------
        u_b : shape (3 n_b, n_rhs) [m]
            Displacement of the retained nodes, one column per case.
        nodes : shape (m,), optional
            Nodes that are needed; the others may stay zero. Default: all.

        Returns
        -------
        shape (n_nodes, 3, n_rhs) [m]
            Fixed nodes are zero.
        """
        n_rhs = u_b.shape[1]
        u = np.zeros((self.n_nodes, 3, n_rhs))
        u[self.retained] = u_b.reshape(-1, 3, n_rhs)
        needed = self._needed(nodes)
        for position in range(len(self.fronts) - 1, -1, -1):
            if not needed[position]:
                continue
            front = self.fronts[position]
            if front.eliminated.size == 0 or front.border.size == 0:
                continue
            # transposed throughout: rows in C order are columns in Fortran order, so that BLAS copies nothing
            u_border = u[front.border].reshape(-1, n_rhs)
            right = blas.dgemm(-1.0, u_border.T, front.L_21)
            x = blas.dtrsm(1.0, front.L_11, right, side=1, lower=1, overwrite_b=1)
            u[front.eliminated] = x.T.reshape(-1, 3, n_rhs)
        return u

    def _needed(self, nodes: npt.ArrayLike | None) -> npt.NDArray[np.bool_]:
        """Mark the fronts that hold one of the nodes, and all their ancestors."""
        if nodes is None:
            return np.ones(len(self.fronts), dtype=bool)
        wanted = np.zeros(self.n_nodes, dtype=bool)
        wanted[np.asarray(nodes)] = True
        needed = np.array([bool(wanted[front.eliminated].any()) for front in self.fronts], dtype=bool)
        for position, parent in enumerate(self.parents):  # children come before their parents
            if parent >= 0 and needed[position]:
                needed[parent] = True
        return needed


@single_threaded
def condense(
    K: sparse.csr_array | sparse.csr_matrix,
    retained: npt.ArrayLike,
    fixed: npt.ArrayLike,
    fields: Sequence[Array],
    *,
    keep_factor: bool = True,
) -> StaticCondensation:
    """Eliminate all nodes that are neither retained nor fixed.

    Parameters
    ----------
    K : csr, shape (3n, 3n) [N/m]
        Symmetric stiffness, DOF 3*node + axis, positive definite without the fixed nodes.
    retained : shape (n_b,)
        Nodes to keep, in the order wanted.
    fixed : shape (n_f,)
        Nodes with zero displacement.
    fields : sequence of shape (n,)
        Scalar fields on the nodes whose level sets may cut the grid (coordinates, numbers of layers).
    keep_factor : bool
        Keep what :meth:`StaticCondensation.expand` needs.

    Raises
    ------
    AnalysisFailure
        The stiffness of the eliminated nodes is not positive definite.
    """
    K = sparse.csr_array(K)
    if not K.has_canonical_format:  # the fronts are filled entry by entry: each must be stored once
        K = K.copy()
        K.sum_duplicates()
    n_nodes = K.shape[0] // 3
    retained = np.asarray(retained, dtype=np.int64)
    eliminated = np.ones(n_nodes, dtype=bool)
    eliminated[retained] = False
    eliminated[np.asarray(fixed, dtype=np.int64)] = False
    interior = np.flatnonzero(eliminated)

    adjacency = node_adjacency(K)
    subdomains = (
        nested_dissection(adjacency[interior][:, interior], [field[interior] for field in fields])
        if interior.size
        else []
    )
    subdomains = [Subdomain(nodes=interior[s.nodes], children=s.children) for s in subdomains]

    # rank: position in the elimination; retained nodes last, fixed nodes never
    rank = np.full(n_nodes, -1, dtype=np.int64)
    order = np.concatenate([*(s.nodes for s in subdomains), retained])
    rank[order] = np.arange(order.size)

    S = np.zeros((3 * retained.size, 3 * retained.size), order="F")
    position = np.full(3 * n_nodes, -1, dtype=np.int64)
    _add_rows(K, retained, position, retained, S, None)

    parents = [-1] * len(subdomains)
    fronts: list[Front] = []
    handed_on: dict[int, tuple[Index, Array]] = {}
    for number, subdomain in enumerate(subdomains):
        own = subdomain.nodes
        reach: list[npt.NDArray[np.integer]] = [
            adjacency.indices[adjacency.indptr[n] : adjacency.indptr[n + 1]] for n in own
        ]
        reach += [handed_on[child][0] for child in subdomain.children]
        last = rank[own].max(initial=-1)  # no own nodes: the halves did not touch, their borders are handed on
        touched = np.unique(np.concatenate(reach))
        border = touched[rank[touched] > last]
        border = border[np.argsort(rank[border])]

        n, m = 3 * own.size, 3 * border.size
        F_11, F_21, F_22 = (np.zeros(shape, order="F") for shape in ((n, n), (m, n), (m, m)))
        _add_rows(K, own, position, border, F_11, F_21)
        for child in subdomain.children:
            parents[child] = number
            child_border, child_S = handed_on.pop(child)
            extend_add(child_S, _places(child_border, own, border, position), F_11, F_21, F_22)

        L_11, L_21, F_22 = _eliminate(F_11, F_21, F_22)
        handed_on[number] = (border, F_22)
        if keep_factor:
            fronts.append(Front(eliminated=own, border=border, L_11=L_11, L_21=L_21))

    none = np.zeros((0, 0), order="F")
    for border, F_22 in handed_on.values():  # what is left lies on retained nodes only
        extend_add(F_22, _places(border, retained, border[:0], position), S, none, none)
    return StaticCondensation(
        n_nodes=n_nodes,
        retained=retained,
        S=np.ascontiguousarray(S + np.tril(S, -1).T),
        fronts=tuple(fronts),
        parents=tuple(parents),
    )


def _eliminate(F_11: Array, F_21: Array, F_22: Array) -> tuple[Array, Array, Array]:
    """Factorise the first block of a front and form its Schur complement (lower triangle), in place."""
    if F_11.size == 0:
        return F_11, F_21, F_22
    L_11, info = lapack.dpotrf(F_11, lower=1, clean=1, overwrite_a=1)
    if info:
        raise AnalysisFailure(
            "the stiffness of the grid is not positive definite: hold it at the bore set, and check the elements for "
            "negative Jacobians"
        )
    if F_21.size == 0:
        return L_11, F_21, F_22
    L_21 = blas.dtrsm(1.0, L_11, F_21, side=1, lower=1, trans_a=1, overwrite_b=1)
    return L_11, L_21, blas.dsyrk(-1.0, L_21, beta=1.0, c=F_22, lower=1, overwrite_c=1)


def dofs_of(nodes: npt.ArrayLike) -> Index:
    """List the degrees of freedom 3*node + axis of nodes, in their order."""
    return (3 * np.asarray(nodes, dtype=np.int64)[:, None] + np.arange(3)).ravel()


def _add_rows(K: sparse.csr_array, own: Index, position: Index, border: Index, F_11: Array, F_21: Array | None) -> None:
    """Add the rows of K of the nodes `own` to the lower triangle of their front."""
    own_dofs = dofs_of(own)
    n = own_dofs.size
    position[own_dofs] = np.arange(n)
    if F_21 is not None:
        position[dofs_of(border)] = n + np.arange(3 * border.size)
    rows = K[own_dofs].tocoo()
    where = position[rows.col]
    inside = (where >= rows.row) & (where < n)
    F_11[where[inside], rows.row[inside]] += rows.data[inside]
    if F_21 is not None:
        below = where >= n
        F_21[where[below] - n, rows.row[below]] += rows.data[below]
        position[dofs_of(border)] = -1
    position[own_dofs] = -1


def _places(child_border: Index, own: Index, border: Index, position: Index) -> Index:
    """Find the rows of a child's border in the front of its parent; ascending, for all are in elimination order."""
    own_dofs, border_dofs = dofs_of(own), dofs_of(border)
    position[own_dofs] = np.arange(own_dofs.size)
    position[border_dofs] = own_dofs.size + np.arange(border_dofs.size)
    where = position[dofs_of(child_border)]
    position[own_dofs] = -1
    position[border_dofs] = -1
    return where
