r"""Static condensation of a finite element grid, exact, with dense blocks only (multifrontal Cholesky).

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

A grid with symmetry is condensed class by class (:mod:`alegear.reduction.symmetry`): the order of elimination is that
of the nodes that represent the others, and common to all classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from alegear.arrays import Array, Indices, Mask
from alegear.parallel import in_parallel, single_threaded
from alegear.reduction import dense
from alegear.reduction._kernels import add_rows, extend_add, unfold
from alegear.reduction.nested_dissection import nested_dissection, node_adjacency
from alegear.reduction.symmetry import Basis, Symmetry

# --- what is eliminated when ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """Nodes that are eliminated together.

    Parameters
    ----------
    eliminated, border : shape (n,), (m,)
        Nodes eliminated here, and later nodes that share an element (after fill-in) with them, in elimination order.
    children : tuple of int
        Steps whose Schur complements come in here.
    """

    eliminated: Indices
    border: Indices
    children: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Elimination:
    """The order in which the nodes of a grid are eliminated; of a grid with symmetry those that represent the others.

    Parameters
    ----------
    symmetry : Symmetry
    steps : tuple of Step
        Children before their parents.
    retained : shape (n_b,)
        Retained nodes, in their order.
    """

    symmetry: Symmetry
    steps: tuple[Step, ...]
    retained: Indices

    @classmethod
    def of(
        cls,
        adjacency: sparse.csr_array,
        retained: Indices,
        fixed: Indices,
        fields: Sequence[Array],
        symmetry: Symmetry | None = None,
        heights: Array | None = None,
    ) -> Elimination:
        """Order the nodes that are neither retained nor fixed.

        Parameters
        ----------
        adjacency : csr, shape (n, n)
            Which nodes share an element.
        retained : shape (n_b,)
            In the order wanted.
        fixed : shape (n_f,)
        fields : sequence of shape (n,)
            Scalar fields on the nodes whose level sets may cut the grid.
        symmetry : Symmetry, optional
            Default: none.
        heights : shape (n, k)
            Tell which nodes represent the others (:meth:`Symmetry.representatives`); not needed without symmetry.
        """
        n_nodes = adjacency.shape[0]
        if symmetry is None:
            symmetry = Symmetry.none(n_nodes)
        heights = np.zeros((n_nodes, 0)) if heights is None else heights
        eliminated = np.ones(n_nodes, dtype=bool)
        eliminated[retained] = False
        eliminated[fixed] = False
        interior = symmetry.representatives(np.flatnonzero(eliminated), heights)
        kept = symmetry.representatives(retained, heights)

        # neighbours among the representatives: i and j touch if any image of j touches i
        nodes = np.concatenate([interior, kept])
        number = np.full(n_nodes, -1, dtype=np.int64)
        for image in symmetry.images:
            number[image[nodes]] = np.arange(nodes.size)
        rows = adjacency[nodes]
        free = number[rows.indices] >= 0
        row = np.repeat(np.arange(nodes.size), np.diff(rows.indptr))[free]
        ones = np.ones(row.size, dtype=np.int32)
        graph = sparse.csr_array((ones, (row, number[rows.indices][free])), shape=(nodes.size, nodes.size))
        graph.sum_duplicates()

        n_i = interior.size
        subdomains = nested_dissection(graph[:n_i, :n_i], [field[interior] for field in fields]) if n_i else []
        # rank: position in the elimination; retained nodes last
        order = np.concatenate([*(s.nodes for s in subdomains), np.arange(n_i, nodes.size)])
        rank = np.empty(nodes.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        ranked = graph[order]
        neighbours: Indices = rank[ranked.indices]
        steps: list[Step] = []
        borders: list[Indices] = []
        first = 0
        for subdomain in subdomains:
            last = first + subdomain.nodes.size
            # no own nodes: the halves did not touch, their borders are handed on
            reach = [neighbours[ranked.indptr[first] : ranked.indptr[last]]]
            reach += [borders[child] for child in subdomain.children]
            touched: Indices = np.unique(np.concatenate(reach))
            borders.append(touched[touched >= last])
            steps.append(
                Step(
                    eliminated=nodes[order[first:last]],
                    border=nodes[order[borders[-1]]],
                    children=subdomain.children,
                )
            )
            first = last
        return cls(symmetry=symmetry, steps=tuple(steps), retained=kept)

    @cached_property
    def nodes(self) -> Indices:
        """All representatives in the order of elimination, the retained ones last."""
        return np.concatenate([*(step.eliminated for step in self.steps), self.retained]).astype(np.int64)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """For each step the one that its border first belongs to, -1 for none."""
        parents = [-1] * len(self.steps)
        for number, step in enumerate(self.steps):
            for child in step.children:
                parents[child] = number
        return tuple(parents)


# --- its numbers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Front:
    """The factor of one step in one class of fields.

    Parameters
    ----------
    first : int
        Basis vectors eliminated here: n from this one on.
    border : shape (m,)
        Later basis vectors coupled with them, ascending.
    L : shape (n + m, n)
        :math:`L_{11}` (lower) over :math:`L_{21}`, Fortran order.
    """

    first: int
    border: Indices
    L: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Factor:
    """One class of fields condensed to the retained nodes.

    Parameters
    ----------
    elimination : Elimination
    basis : Basis
        On all nodes, in the order of elimination.
    retained : Basis
        The last ones of them: those on the retained nodes.
    S : shape (n_b, n_b) [N/m]
        Condensed stiffness, symmetric.
    fronts : tuple of Front
        In the order of elimination; empty if they were not kept.
    """

    elimination: Elimination
    basis: Basis
    retained: Basis
    S: Array
    fronts: tuple[Front, ...]

    def condense_load(self, f: Array) -> Array:
        r"""Eliminate the loads on eliminated amplitudes: what is left is :math:`f_b - K_{bi} K_{ii}^{-1} f_i`.

        Parameters
        ----------
        f : shape (n, n_rhs) [N]
            Loads on all basis vectors, one column per case.

        Returns
        -------
        shape (n, n_rhs) [N]
            :math:`L_{11}^{-1}` times the loads that reach each front, which :meth:`expand` needs, over the loads left
            on the retained basis vectors.
        """
        f = np.array(f, dtype=np.float64, order="C")
        for front in self.fronts:
            n = front.L.shape[1]
            if n == 0:
                continue
            own = f[front.first : front.first + n]
            dense.solve_from_right(own.T, front.L[:n], transposed=True)  # rows in C order are columns in Fortran order
            f[front.border] -= front.L[n:] @ own
        return f

    def expand(self, u_b: Array, needed: Mask | None = None, loads: Array | None = None) -> Array:
        r"""Recover the eliminated amplitudes: :math:`u_i = K_{ii}^{-1} (f_i - K_{ib} u_b)`.

        Parameters
        ----------
        u_b : shape (n_b, n_rhs) [m]
            Of the retained basis vectors, one column per case.
        needed : shape (steps,), optional
            Steps to work out; the others stay zero. With a step all its parents are needed.
        loads : shape (n, n_rhs), optional
            What :meth:`condense_load` made of the loads on eliminated basis vectors; none if not given.

        Returns
        -------
        shape (n, n_rhs) [m]
            Of all basis vectors.
        """
        n_b, n_rhs = u_b.shape
        u = np.zeros((self.basis.size, n_rhs))
        u[self.basis.size - n_b :] = u_b
        for number in range(len(self.fronts) - 1, -1, -1):
            front = self.fronts[number]
            n = front.L.shape[1]
            idle = front.border.size == 0 and loads is None
            if n == 0 or idle or (needed is not None and not needed[number]):
                continue
            own = u[front.first : front.first + n]
            np.matmul(front.L[n:].T, u[front.border], out=own)
            np.negative(own, out=own)
            if loads is not None:
                own += loads[front.first : front.first + n]
            dense.solve_from_right(own.T, front.L[:n])  # rows in C order are columns in Fortran order
        return u

    def gather(self, rows: Array) -> Array:
        r"""Bring rows over all amplitudes to the retained ones, the transpose of :meth:`expand`.

        .. math::
            y_b \leftarrow y_b - L_{21} L_{11}^{-1} y_1

        front by front, from the first to the last. One row costs as much as expanding one case, and says what a
        quantity is for any of them.

        Parameters
        ----------
        rows : shape (n, n_rows)
            Of each quantity per amplitude, one column per quantity.

        Returns
        -------
        shape (n_b, n_rows)
        """
        y = np.array(rows, dtype=np.float64)
        for front in self.fronts:
            n = front.L.shape[1]
            x = np.asfortranarray(y[front.first : front.first + n])
            if n == 0 or front.border.size == 0 or not x.any():
                continue
            dense.solve_from_left(front.L[:n], x)
            y[front.border] -= front.L[n:] @ x
        return y[len(y) - self.retained.size :]

    def needed(self, nodes: npt.ArrayLike) -> Mask:
        """Mark the steps that eliminate one of some nodes, or an image of one, and their parents."""
        wanted = np.zeros(self.elimination.symmetry.images.shape[1], dtype=bool)
        wanted[self.elimination.symmetry.images[:, np.asarray(nodes)]] = True
        needed = np.array([bool(wanted[step.eliminated].any()) for step in self.elimination.steps], dtype=bool)
        for number, parent in enumerate(self.elimination.parents):  # children come before their parents
            if parent >= 0 and needed[number]:
                needed[parent] = True
        return needed


def factorise(
    K: sparse.csr_array | sparse.csr_matrix,
    elimination: Elimination,
    character: Indices,
    *,
    keep_factor: bool = True,
) -> Factor:
    """Condense one class of fields.

    Parameters
    ----------
    K : csr in canonical format, shape (3n, 3n) [N/m]
        Symmetric stiffness, DOF 3*node + axis, positive definite without the fixed nodes.
    elimination : Elimination
    character : shape (g,)
        Of the class, a row of :attr:`Symmetry.characters`.
    keep_factor : bool
        Keep what :meth:`Factor.expand` needs.

    Raises
    ------
    AnalysisFailure
        The stiffness of the eliminated nodes is not positive definite.
    """
    basis = elimination.symmetry.basis(character, elimination.nodes)
    retained = elimination.symmetry.basis(character, elimination.retained)
    n_eliminated = basis.size - retained.size
    row = np.full(basis.size, -1, dtype=np.int64)  # of each basis vector in the front at hand
    # basis vectors of a node follow each other, in the order of the nodes
    n_nodes = elimination.symmetry.images.shape[1]
    count = np.bincount(basis.dofs // 3, minlength=n_nodes)
    start = np.zeros(n_nodes, dtype=np.int64)
    start[elimination.nodes] = np.concatenate([[0], np.cumsum(count[elimination.nodes])[:-1]])

    def vectors_of(nodes: Indices) -> Indices:
        repeats = count[nodes]
        offset = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        return np.repeat(start[nodes], repeats) + offset

    fronts: list[Front] = []
    handed_on: dict[int, tuple[Indices, Array]] = {}
    first = 0
    for number, step in enumerate(elimination.steps):
        border = vectors_of(step.border)
        n = int(count[step.eliminated].sum())
        m = border.size
        row[first : first + n] = np.arange(n)
        row[border] = np.arange(n, n + m)
        F_1, F_2 = np.zeros((n + m, n), order="F"), np.zeros((m, m), order="F")
        add_rows(K.indptr, K.indices, K.data, basis.place, basis.weight, basis.dofs[first : first + n], row, F_1)
        for child in step.children:
            child_border, child_S = handed_on.pop(child)
            extend_add(child_S, row[child_border], F_1, F_2)
        row[first : first + n] = -1
        row[border] = -1

        dense.factorise(F_1[:n])
        dense.solve_from_right(F_1[n:], F_1[:n], transposed=True)
        dense.subtract_square(F_2, F_1[n:])
        handed_on[number] = (border, F_2)
        if keep_factor:
            fronts.append(Front(first=first, border=border, L=F_1))
        first += n

    S = np.zeros((retained.size, retained.size), order="F")
    row[n_eliminated:] = np.arange(retained.size)
    add_rows(K.indptr, K.indices, K.data, basis.place, basis.weight, basis.dofs[n_eliminated:], row, S)
    none = np.zeros((0, 0), order="F")
    for border, F_2 in handed_on.values():  # what is left lies on retained nodes only
        extend_add(F_2, row[border], S, none)
    return Factor(
        elimination=elimination,
        basis=basis,
        retained=retained,
        S=dense.mirror_lower(S).T,  # in C order
        fronts=tuple(fronts),
    )


# --- a grid condensed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class StaticCondensation:
    """A grid condensed to its retained nodes.

    Parameters
    ----------
    n_nodes : int
        Nodes of the grid.
    retained : shape (n_b,)
        Retained nodes, in the order of `S`.
    factors : tuple of Factor
        One for each class of fields.
    """

    n_nodes: int
    retained: Indices
    factors: tuple[Factor, ...]

    @cached_property
    def S(self) -> Array:
        """Condensed stiffness, symmetric, shape (3 n_b, 3 n_b) [N/m]."""
        dofs = dofs_of(self.retained)
        S = np.zeros((dofs.size, dofs.size))
        for factor in self.factors:
            place, weight = np.maximum(factor.retained.place[dofs], 0), factor.retained.weight[dofs]
            unfold(factor.S, place, weight, place, weight, S)
        return S

    def condense_load(self, f: Array) -> tuple[Array, tuple[Array, ...]]:
        r"""Reduce loads on all nodes to the retained ones: :math:`f_b - K_{bi} K_{ii}^{-1} f_i`.

        Parameters
        ----------
        f : shape (n_nodes, 3, n_rhs) [N]
            Without effect on fixed nodes.

        Returns
        -------
        f_b : shape (3 n_b, n_rhs) [N]
        inner : tuple of arrays
            What :meth:`expand` needs of the loads on eliminated nodes.
        """
        flat = f.reshape(-1, f.shape[2])
        f_b, inner = np.zeros((3 * self.retained.size, f.shape[2])), []
        for factor, vectors in zip(self.factors, self._retained_vectors, strict=True):
            inner.append(factor.condense_load(factor.basis.vectors.T @ flat))
            f_b += vectors @ inner[-1][factor.basis.size - factor.retained.size :]
        return f_b, tuple(inner)

    @single_threaded
    def expand(self, u_b: Array, nodes: npt.ArrayLike | None = None, *, loads: Sequence[Array] | None = None) -> Array:
        r"""Recover the eliminated displacement: :math:`u_i = K_{ii}^{-1} (f_i - K_{ib} u_b)`.

        Parameters
        ----------
        u_b : shape (3 n_b, n_rhs) [m]
            Displacement of the retained nodes, one column per case.
        nodes : shape (m,), optional
            Nodes that are needed; the others may stay zero. Default: all.
        loads : sequence of arrays, optional
            The second part of :meth:`condense_load`; no loads if not given.

        Returns
        -------
        shape (n_nodes, 3, n_rhs) [m]
            Fixed nodes are zero.
        """
        inner = [None] * len(self.factors) if loads is None else loads
        parts = (
            factor.basis.vectors @ factor.expand(vectors.T @ u_b, None if nodes is None else factor.needed(nodes), own)
            for factor, vectors, own in zip(self.factors, self._retained_vectors, inner, strict=True)
        )
        u = next(parts)
        for part in parts:
            u += part
        return u.reshape(self.n_nodes, 3, -1)

    @cached_property
    def _retained_vectors(self) -> list[sparse.csr_array]:
        """Basis vectors of each class on the retained nodes, as columns."""
        dofs = dofs_of(self.retained)
        return [factor.retained.on(dofs).vectors for factor in self.factors]

    @single_threaded
    def gather(self, rows: sparse.csr_array) -> Array:
        """Bring rows over the displacement of all nodes, (n_rows, 3 n_nodes), to the retained nodes, (n_rows, 3 n_b).

        ``gather(rows) @ u_b`` is ``rows @ expand(u_b)``.
        """
        retained = dofs_of(self.retained)
        gathered = np.zeros((retained.size, rows.shape[0]))
        for factor in self.factors:
            amplitudes = (factor.basis.vectors.T @ rows.T).toarray()
            gathered += factor.retained.on(retained).vectors @ factor.gather(amplitudes)
        return gathered.T


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
    retained = np.asarray(retained, dtype=np.int64)
    elimination = Elimination.of(node_adjacency(K), retained, np.asarray(fixed, dtype=np.int64), fields)
    factors = factorise_all(K, elimination, keep_factor=keep_factor)
    return StaticCondensation(n_nodes=K.shape[0] // 3, retained=retained, factors=factors)


def factorise_all(
    K: sparse.csr_array | sparse.csr_matrix, elimination: Elimination, *, keep_factor: bool = True
) -> tuple[Factor, ...]:
    """Condense all classes of fields, :func:`factorise`."""
    characters = elimination.symmetry.characters
    with_limit = single_threaded(in_parallel)
    return tuple(with_limit([lambda c=c: factorise(K, elimination, c, keep_factor=keep_factor) for c in characters]))


def dofs_of(nodes: npt.ArrayLike) -> Indices:
    """List the degrees of freedom 3*node + axis of nodes, in their order."""
    return (3 * np.asarray(nodes, dtype=np.int64)[:, None] + np.arange(3)).ravel()
