r"""Sectors put together: chains of unloaded sectors by repeated doubling, and the window closed through them.

A chain of m sectors whose tooth faces are free acts on its two outer cut planes, low (l) and high (h). Two chains P, Q
joined at a cut c (c is the high cut of P and the low cut of Q):

.. math::
    M = P_{hh} + Q_{ll}, \quad
    u_c = -M^{-1} (P_{hl} u_l + Q_{lh} u_h), \quad
    S = \begin{bmatrix} P_{ll} & 0 \\ 0 & Q_{hh} \end{bmatrix}
      - \begin{bmatrix} P_{lh} \\ Q_{hl} \end{bmatrix} M^{-1} \begin{bmatrix} P_{hl} & Q_{lh} \end{bmatrix} .

A chain of m is made of m // 2 and m - m // 2, so a wheel of z sectors takes about 2 log2(z) joints of the size of one
cut plane, whatever its tooth number.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

from alegear.arrays import Array, Indices
from alegear.reduction import dense

#: Stiffness of the rest of the wheel on some cut planes of the window, each (cuts, (len(cuts) n_c,) * 2).
Closing = list[tuple[tuple[int, ...], Array]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Chains:
    """Chains of sectors with free tooth faces, each length built once.

    Parameters
    ----------
    stiffness : dict of int to shape (2 n_c, 2 n_c) [N/m]
        By length; 1 must be there.
    recovery : dict of int to shape (n_c, 2 n_c)
        By length: displacement of the cut plane after the first m // 2 sectors, from (u_low, u_high).
    """

    stiffness: dict[int, Array]
    recovery: dict[int, Array] = field(default_factory=dict)

    def of(self, m: int) -> Array:
        """Return the stiffness of m sectors on their outer cut planes, shape (2 n_c, 2 n_c) [N/m]."""
        if m not in self.stiffness:
            P, Q = self.of(m // 2), self.of(m - m // 2)
            n = len(P) // 2
            S = np.zeros((2 * n, 2 * n), order="F")
            S[:n, :n], S[n:, n:] = P[:n, :n], Q[n:, n:]
            u_c = _eliminated(P[n:, n:] + Q[:n, :n], np.hstack([P[n:, :n], Q[:n, n:]]), S)[0]
            self.stiffness[m] = dense.mirror_lower(S)
            self.recovery[m] = u_c
        return self.stiffness[m]


def cuts_of_chain(
    recovery: dict[int, Array], m: int, u_low: Array, u_high: Array, wanted: Collection[int] | None = None
) -> dict[int, Array]:
    """Recover the displacement of cut planes of a chain from its outer two.

    Parameters
    ----------
    recovery : dict of int to shape (n_c, 2 n_c)
        :attr:`Chains.recovery`.
    m : int
        Sectors of the chain, at least 1.
    u_low, u_high : shape (n_c, n_rhs) [m]
    wanted : collection of int, optional
        Planes from 0, the low end, to m. Default: all.

    Returns
    -------
    dict of int to shape (n_c, n_rhs) [m]
        By plane: both ends, those wanted, and what lay on the way.
    """
    inside = [plane for plane in (range(m) if wanted is None else wanted) if 0 < plane < m]
    if not inside:
        return {0: u_low, m: u_high}
    half = m // 2
    u_c = recovery[m] @ np.vstack([u_low, u_high])
    above = [plane - half for plane in inside]
    second = cuts_of_chain(recovery, m - half, u_c, u_high, above)
    return cuts_of_chain(recovery, half, u_low, u_c, inside) | {half + plane: u for plane, u in second.items()}


def rows_of_chain(recovery: dict[int, Array], m: int, known: dict[int, Array]) -> Array:
    r"""Bring rows over the two cut planes of a sector to the outer two of a chain, for every sector of the chain.

    The transpose of :func:`cuts_of_chain`, with :math:`u_c = X (u_l, u_h)` in the middle of the chain:

    .. math::
        r_l u_l + r_c u_c = (r_l, 0) + r_c X , \qquad r_c u_c + r_h u_h = (0, r_h) + r_c X .

    Parameters
    ----------
    recovery : dict of int to shape (n_c, 2 n_c)
        :attr:`Chains.recovery`.
    m : int
        Sectors of the chain, at least 1.
    known : dict of int to shape (length, n_rows, 2 n_c)
        Rows of shorter chains, 1 among them; carried on.

    Returns
    -------
    shape (m, n_rows, 2 n_c)
        From low to high.
    """
    if m not in known:
        first, second = (rows_of_chain(recovery, part, known) for part in (m // 2, m - m // 2))
        n_c = len(recovery[m])
        low, high = first[..., n_c:] @ recovery[m], second[..., :n_c] @ recovery[m]
        low[..., :n_c] += first[..., :n_c]
        high[..., n_c:] += second[..., n_c:]
        known[m] = np.concatenate([low, high])
    return known[m]


def free_face(S: Array, cuts: Indices, face: Indices) -> tuple[Array, Array, Array]:
    r"""Condense the tooth face of a sector: :math:`u_f = C_0 f + G u_c`.

    Parameters
    ----------
    S : shape (n_c + n_f, n_c + n_f) [N/m]
    cuts, face : shape (n_c,), (n_f,)
        Places in S of the cut planes and of the face.

    Returns
    -------
    S_cuts : shape (n_c, n_c) [N/m]
        Stiffness of the cut planes with the face free of load.
    face_recovery : shape (n_f, n_c)
        G, displacement of the unloaded face from that of the cut planes.
    C_0 : shape (n_f, n_f) [m/N]
        Compliance of the face with the cut planes held.
    """
    S_cuts = np.asfortranarray(S[np.ix_(cuts, cuts)])
    face_recovery, L = _eliminated(S[np.ix_(face, face)], S[np.ix_(face, cuts)], S_cuts)
    dense.invert(L)
    return dense.mirror_lower(S_cuts), face_recovery, dense.mirror_lower(L)


def _eliminated(A: Array, coupling: Array, S: Array) -> tuple[Array, Array]:
    r"""Eliminate x from :math:`A x + B y`: :math:`x = -A^{-1} B y`, and S becomes :math:`S - B^T A^{-1} B`, lower part.

    Returns
    -------
    recovery : :math:`-A^{-1} B`
    L : the Cholesky factor of A
    """
    L, X = np.array(A, order="F"), np.array(coupling, order="F")
    dense.factorise(L)
    dense.solve_from_left(L, X)
    dense.subtract_gram(S, X)
    dense.solve_from_left(L, X, transposed=True)
    return np.negative(X, out=X), L


def _solved(A: Array, B: Array) -> Array:
    """Solve A X = B, A symmetric and positive definite; X in Fortran order."""
    L, X = np.array(A, order="F"), np.array(B, order="F")
    dense.factorise(L)
    dense.solve(L, X)
    return X


def free_end(chain: Array, outer: slice, inner: slice) -> tuple[Array, Array]:
    """Condense the outer cut plane of a chain that ends free.

    Returns
    -------
    S_inner : shape (n_c, n_c) [N/m]
    end_recovery : shape (n_c, n_c)
        Displacement of the outer cut from the inner one.
    """
    end_recovery = -_solved(chain[outer, outer], chain[outer, inner])
    S_inner = chain[inner, inner] + chain[inner, outer] @ end_recovery
    return 0.5 * (S_inner + S_inner.T), end_recovery


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenWindow:
    """Compliance of the tooth faces of consecutive sectors of a segment, and the cut planes they move.

    Parameters
    ----------
    C_ff : shape (slots*n_f, slots*n_f) [m/N]
        Symmetric.
    cut_response : shape (slots + 1, n_c, slots*n_f) [m/N]
        Displacement of cut plane k, the low one of slot k, per face force.
    """

    C_ff: Array
    cut_response: Array

    def faces(self, forces: Array) -> Array:
        """Displacement of the faces under forces on them, both (slots, n_f, n_rhs)."""
        return (self.C_ff @ forces.reshape(len(self.C_ff), -1)).reshape(forces.shape)

    def cuts(self, forces: Array) -> Array:
        """Displacement of the cut planes, shape (slots + 1, n_c, n_rhs) [m], under forces (slots, n_f, n_rhs)."""
        return self.cut_response @ forces.reshape(len(self.C_ff), -1)


@dataclass(frozen=True, kw_only=True, eq=False)
class CyclicCompliance:
    """Compliance of the faces of consecutive slots of a closed wheel: two slots answer to each other by their distance.

    With a basis the faces follow the cut planes in it, so that slots apart know of each other in n_s fields, fewer than
    there are degrees of freedom. Without one n_s is n_f.

    Parameters
    ----------
    ahead : shape (slots, n_s, n_s) [m/N]
        Displacement of the faces of slot 0 per force in slots 0, ..., slots - 1: the first symmetric.
    own : shape (n_f, n_f) [m/N], optional
        With a basis: what comes to that of slot 0 under its own forces, the cut planes held.
    column : shape (n_cols, n_coefficients), optional
        The basis on one row of nodes and one axis.
    """

    ahead: Array
    own: Array | None = None
    column: Array | None = None

    @cached_property
    def basis(self) -> sparse.csr_array | None:
        """The fields on all rows and axes, shape (n_f, n_s)."""
        return None if self.column is None else on_all_rows(self.column, self.n_f)

    @property
    def slots(self) -> int:
        """Slots of the window."""
        return len(self.ahead)

    @property
    def n_f(self) -> int:
        """Degrees of freedom of the faces of a slot."""
        return len(self.ahead[0]) if self.own is None else len(self.own)

    def block(self, distance: int) -> Array:
        """Displacement of the faces of slot 0 per force in a slot so many pitches ahead, shape (n_f, n_f) [m/N]."""
        block = self.ahead[distance]
        if self.basis is not None:
            block = self.basis @ (self.basis @ block.T).T
        return block + self.own if self.own is not None and distance == 0 else block

    def rows(self) -> Array:
        """All blocks side by side, shape (n_f, slots*n_f) [m/N]."""
        return np.hstack([self.block(distance) for distance in range(self.slots)])

    def faces(self, forces: Array) -> Array:
        """Displacement of the faces under forces on them, both (slots, n_f, n_rhs)."""
        slots, n_f, n_rhs = forces.shape
        f = np.ascontiguousarray(forces.swapaxes(0, 1))
        u = np.zeros_like(f)
        for distance in range(slots):
            block, n = self.block(distance), slots - distance
            u[:, :n] += (block @ f[:, distance:].reshape(n_f, -1)).reshape(n_f, n, n_rhs)
            if distance:
                u[:, distance:] += (block.T @ f[:, :n].reshape(n_f, -1)).reshape(n_f, n, n_rhs)
        return np.ascontiguousarray(u.swapaxes(0, 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosedWindow:
    """Window of a closed wheel.

    Parameters
    ----------
    compliance : CyclicCompliance
    cut_rows : shape (n_c, 2*slots*n_s) [m/N]
        Displacement of the low cut of slot 0 per force in slots -slots, ..., slots - 1, by fields of the compliance.
    n_cuts : int
        Cut planes of the window.
    """

    compliance: CyclicCompliance
    cut_rows: Array
    n_cuts: int

    def faces(self, forces: Array) -> Array:
        """Displacement of the faces under forces on them, both (slots, n_f, n_rhs)."""
        return self.compliance.faces(forces)

    def cuts(self, forces: Array) -> Array:
        """Displacement of the cut planes, shape (n_cuts, n_c, n_rhs) [m], under forces (slots, n_f, n_rhs)."""
        if self.compliance.basis is not None:
            forces = np.stack([self.compliance.basis.T @ of_slot for of_slot in forces])
        return self._by_cut(self.cut_rows) @ forces.reshape(-1, forces.shape[2])

    @cached_property
    def cut_response(self) -> Array:
        """Displacement of cut plane k per force on the faces, shape (n_cuts, n_c, slots*n_f) [m/N].

        A view, for the displacement depends on the distance of cut plane and slot only; with a basis of an array made
        when first asked for.
        """
        cut_rows = self.cut_rows
        if self.compliance.basis is not None:
            of_slots = np.split(cut_rows, 2 * self.compliance.slots, axis=1)
            cut_rows = np.hstack([(self.compliance.basis @ of_slot.T).T for of_slot in of_slots])
        return self._by_cut(cut_rows)

    def _by_cut(self, cut_rows: Array) -> Array:
        """View of the rows of cut 0 as those of all cuts of the window."""
        n_c, n = len(cut_rows), cut_rows.shape[1] // 2
        of_row, of_column = cut_rows.strides
        of_slot = n // self.compliance.slots * of_column
        return np.lib.stride_tricks.as_strided(
            cut_rows[:, n:], (self.n_cuts, n_c, n), (-of_slot, of_row, of_column), writeable=False
        )


def on_all_rows(column: Array, n_f: int) -> sparse.csr_array:
    """Fields across the face, (n_cols, n), on all rows and axes of faces, shape (n_f, 3 rows n)."""
    of_row = sparse.kron(sparse.csr_array(column), sparse.eye_array(3))
    rows = sparse.eye_array(n_f // (3 * len(column)))
    return sparse.csr_array(sparse.kron(rows, of_row, format="csr"))


def closed_window(
    C_0: Array,
    face_recovery: Array,
    cut_compliance: Array,
    slots: int,
    column: Array | None = None,
) -> ClosedWindow:
    r"""Solve the window of a closed wheel.

    With the cut planes held, the faces do not feel each other and all have the compliance
    :math:`C_0 = S_{ff}^{-1}`; B is the stiffness of the cut planes, faces free, and G the faces per cut planes
    (`face_recovery` of slot k on cuts k and k + 1). A face force loads the cuts by :math:`G^T f`.

    No tooth is special: the displacement of cut k under a force at cut l depends on l - k only. The first columns
    :math:`X_m = (B^{-1})_{m0}` are all there is to know, with :math:`Y_m = X_m^T` and :math:`Y_{-m} = X_m` the
    displacement of cut 0 under a force at cut m or -m:

    .. math::
        R_m = \begin{bmatrix} Y_m & Y_{m+1} \end{bmatrix} G^T, \qquad
        C_{0m} = \delta_{0m} C_0 + G \begin{bmatrix} R_m \ R_{m-1} \end{bmatrix} .

    Parameters
    ----------
    C_0 : shape (n_f, n_f) [m/N]
    face_recovery : shape (n_f, 2 n_c)
        :func:`free_face`. In fields across the face their amplitudes, (n_s, 2 n_c).
    cut_compliance : shape (n_cuts, n_c, n_c) [m/N]
        :func:`cut_compliance`.
    slots : int
        The high cut of slot k is cut (k + 1) modulo n_cuts.
    column : shape (n_cols, n_coefficients), optional
        Fields across the face that the faces follow the cut planes in; default: all.
    """
    n_cuts, n_c, _ = cut_compliance.shape
    Y = [cut_compliance[m % n_cuts] for m in range(slots, 0, -1)]
    Y += [cut_compliance[m % n_cuts].T for m in range(slots + 1)]
    G_low, G_high = face_recovery[:, :n_c], face_recovery[:, n_c:]
    cut_rows = np.empty((n_c, 2 * slots, len(face_recovery)))
    for m, (low, high) in enumerate(pairwise(Y)):
        cut_rows[:, m] = low @ G_low.T
        cut_rows[:, m] += high @ G_high.T
    ahead = np.empty((slots, len(face_recovery), len(face_recovery)))
    for m in range(slots):
        np.matmul(G_low, cut_rows[:, slots + m], out=ahead[m])
        ahead[m] += G_high @ cut_rows[:, slots + m - 1]
    if column is None:
        ahead[0] += C_0
    ahead[0] = 0.5 * (ahead[0] + ahead[0].T)
    compliance = CyclicCompliance(ahead=ahead, own=None if column is None else C_0, column=column)
    return ClosedWindow(compliance=compliance, cut_rows=cut_rows.reshape(n_c, -1), n_cuts=n_cuts)


def cut_compliance(chains: Chains, slots: int, closing: Closing) -> Array:
    r"""Displacement of the cut planes of the window of a closed wheel under forces on cut 0, all faces free.

    The window is a chain too: its two ends with what closes the wheel between them are two cut planes, and those inside
    follow from the ends, level by level. That takes a third of the work of the stiffness of all cut planes.

    Parameters
    ----------
    chains : Chains
        The chains of the window are added to them.
    slots : int
    closing : list of (cuts, stiffness)
        One chain from cut `slots` to cut 0, or nothing where the window is the whole wheel.

    Returns
    -------
    shape (n_cuts, n_c, n_c) [m/N]
        X_m, n_cuts = slots + 1, or slots for the whole wheel.
    """
    S = chains.of(slots)
    n_c = len(S) // 2
    low, high = slice(0, n_c), slice(n_c, 2 * n_c)
    if not closing:  # both ends are the same cut plane
        joined = S[low, low] + S[high, high] + S[low, high] + S[high, low]
        ends = [_solved(joined, np.eye(n_c))] * 2
    else:
        ((_, rest),) = closing
        joined = S + np.block([[rest[high, high], rest[high, low]], [rest[low, high], rest[low, low]]])
        ends = np.split(_solved(joined, np.eye(2 * n_c, n_c)), 2)
    planes = cuts_of_chain(chains.recovery, slots, ends[0], ends[1])
    return np.stack([planes[k] for k in range(slots + bool(closing))])


def open_window(C_0: Array, face_recovery: Array, one: Array, slots: int, closing: Closing) -> OpenWindow:
    r"""Solve the window of a segment with free ends; the parameters are those of :func:`closed_window`, and

    one : shape (2 n_c, 2 n_c) [N/m]
        One sector with free face.
    closing : list of (cuts, stiffness)
        :func:`alegear.reduction.window.close_ring`.

    .. math::
        u_c = B^{-1} G^T f, \qquad C_{ff} = \mathrm{diag}(C_0) + G B^{-1} G^T .
    """
    n_f, n_c, n_cuts = len(C_0), len(one) // 2, slots + 1
    B = _window_stiffness(one, n_cuts, closing)
    dense.factorise(B)
    response = np.zeros((n_cuts * n_c, slots * n_f), order="F")
    for k in range(slots):
        response[k * n_c : (k + 2) * n_c, k * n_f : (k + 1) * n_f] = face_recovery.T
    dense.solve(B, response)
    C_ff = np.vstack([face_recovery @ response[k * n_c : (k + 2) * n_c] for k in range(slots)])
    for k in range(slots):
        C_ff[k * n_f : (k + 1) * n_f, k * n_f : (k + 1) * n_f] += C_0
    return OpenWindow(C_ff=0.5 * (C_ff + C_ff.T), cut_response=response.reshape(n_cuts, n_c, slots * n_f))


def _window_stiffness(one: Array, n_cuts: int, closing: Closing) -> Array:
    """Put the sectors of a window and what closes it together on their cut planes."""
    n_c = len(one) // 2
    B = np.zeros((n_cuts * n_c,) * 2, order="F")
    for cuts, stiffness in [((k, k + 1), one) for k in range(n_cuts - 1)] + closing:
        places = np.concatenate([np.arange(k * n_c, (k + 1) * n_c) for k in cuts])
        B[np.ix_(places, places)] += stiffness
    return B


def cyclic_compliance(first_rows: Array) -> Array:
    r"""Complete the compliance of a closed wheel: block (k, l) depends on the pitches from k to l only.

    .. math::
        C_{k,k+m} = C_{0m}, \qquad C_{k+m,k} = C_{0m}^T

    Parameters
    ----------
    first_rows : shape (n_f, slots*n_f) [m/N]
        Rows of slot 0.

    Returns
    -------
    shape (slots*n_f, slots*n_f) [m/N]
    """
    n_f, n = first_rows.shape
    slots = n // n_f
    # all blocks side by side, from distance 1 - slots to slots - 1: the rows of every slot are a part of them
    blocks = [first_rows[:, m * n_f : (m + 1) * n_f].T for m in range(slots - 1, 0, -1)]
    distances = np.hstack([*blocks, first_rows])
    C_ff = np.empty((n, n))
    for k in range(slots):
        first = (slots - 1 - k) * n_f
        C_ff[k * n_f : (k + 1) * n_f] = distances[:, first : first + n]
    return C_ff
