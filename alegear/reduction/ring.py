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

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse

from alegear.reduction import dense

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
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


def cuts_of_chain(recovery: dict[int, Array], m: int, u_low: Array, u_high: Array) -> list[Array]:
    """Recover the displacement of all m + 1 cut planes of a chain from its outer two.

    Parameters
    ----------
    recovery : dict of int to shape (n_c, 2 n_c)
        :attr:`Chains.recovery`.
    m : int
        Sectors of the chain, at least 1.
    u_low, u_high : shape (n_c, n_rhs) [m]

    Returns
    -------
    list of shape (n_c, n_rhs) [m]
        From low to high, ends included.
    """
    if m == 1:
        return [u_low, u_high]
    u_c = recovery[m] @ np.vstack([u_low, u_high])
    first = cuts_of_chain(recovery, m // 2, u_low, u_c)
    return first[:-1] + cuts_of_chain(recovery, m - m // 2, u_c, u_high)


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


def free_face(S: Array, cuts: Index, face: Index) -> tuple[Array, Array, Array]:
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
class Window:
    """Compliance of the tooth faces of consecutive sectors, and the cut planes they move.

    Parameters
    ----------
    C_ff : shape (n_f, slots*n_f) or (slots*n_f, slots*n_f) [m/N]
        Of a closed wheel the rows of slot 0, of a segment all; the square part symmetric.
    cut_response : shape (n_c, 2*slots*n_f) or (slots + 1, n_c, slots*n_f) [m/N]
        Displacement of cut planes per face force. Of a closed wheel that of the low cut of slot 0 per force in slots
        -slots, ..., slots - 1; of a segment that of cut k, the low one of slot k.
    """

    C_ff: Array
    cut_response: Array


def closed_window(
    C_0: Array,
    face_recovery: Array,
    one: Array,
    slots: int,
    n_cuts: int,
    closing: Closing,
    basis: sparse.csr_array | None = None,
) -> Window:
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
        :func:`free_face`. With a basis the amplitudes in it, (n_s, 2 n_c).
    one : shape (2 n_c, 2 n_c) [N/m]
        One sector with free face.
    slots, n_cuts : int
        The high cut of slot k is cut (k + 1) modulo n_cuts.
    closing : list of (cuts, stiffness)
        :func:`alegear.reduction.superelement.close_ring`.
    basis : sparse, shape (n_f, n_s), optional
        Fields that the faces follow the cut planes in; default: all.
    """
    (n_s, n_c), slots_n_c = (len(face_recovery), len(one) // 2), n_cuts * (len(one) // 2)
    B = _window_stiffness(one, slots, n_cuts, closing)
    dense.factorise(B)
    X = np.zeros((slots_n_c, n_c), order="F")
    X[:n_c] = np.eye(n_c)
    dense.solve(B, X)
    by_distance = X.reshape(n_cuts, n_c, n_c)
    Y = [by_distance[m % n_cuts] for m in range(slots, 0, -1)]
    Y += [by_distance[m % n_cuts].T for m in range(slots + 1)]
    cut_forces = np.vstack([np.hstack(pair) for pair in pairwise(Y)])
    R = (cut_forces @ face_recovery.T).reshape(2 * slots, n_c, n_s)
    moved = np.concatenate([R[slots:], R[slots - 1 : -1]], axis=1)
    C = np.matmul(face_recovery, moved)
    if basis is None:
        C_ff, response = np.ascontiguousarray(C.swapaxes(0, 1)), np.ascontiguousarray(R.swapaxes(0, 1))
    else:
        C_ff, response = np.empty((len(C_0), slots, len(C_0))), np.empty((n_c, 2 * slots, len(C_0)))
        for m in range(slots):
            C_ff[:, m] = basis @ (basis @ C[m].T).T
        for m in range(2 * slots):
            response[:, m] = (basis @ R[m].T).T
    C_ff[:, 0] += C_0
    C_ff[:, 0] = 0.5 * (C_ff[:, 0] + C_ff[:, 0].T)
    return Window(C_ff=C_ff.reshape(len(C_0), -1), cut_response=response.reshape(n_c, -1))


def open_window(C_0: Array, face_recovery: Array, one: Array, slots: int, closing: Closing) -> Window:
    r"""Solve the window of a segment with free ends; the parameters are those of :func:`closed_window`.

    .. math::
        u_c = B^{-1} G^T f, \qquad C_{ff} = \mathrm{diag}(C_0) + G B^{-1} G^T .
    """
    n_f, n_c, n_cuts = len(C_0), len(one) // 2, slots + 1
    B = _window_stiffness(one, slots, n_cuts, closing)
    dense.factorise(B)
    response = np.zeros((n_cuts * n_c, slots * n_f), order="F")
    for k in range(slots):
        response[k * n_c : (k + 2) * n_c, k * n_f : (k + 1) * n_f] = face_recovery.T
    dense.solve(B, response)
    C_ff = np.vstack([face_recovery @ response[k * n_c : (k + 2) * n_c] for k in range(slots)])
    for k in range(slots):
        C_ff[k * n_f : (k + 1) * n_f, k * n_f : (k + 1) * n_f] += C_0
    return Window(C_ff=0.5 * (C_ff + C_ff.T), cut_response=response.reshape(n_cuts, n_c, slots * n_f))


def _window_stiffness(one: Array, slots: int, n_cuts: int, closing: Closing) -> Array:
    """Put the sectors of a window and what closes it together on their cut planes."""
    n_c = len(one) // 2
    B = np.zeros((n_cuts * n_c,) * 2, order="F")
    of_slots: Closing = [((k, (k + 1) % n_cuts), one) for k in range(slots)]
    for cuts, stiffness in of_slots + closing:
        for i, row in enumerate(cuts):
            for j, column in enumerate(cuts):
                B[row * n_c : (row + 1) * n_c, column * n_c : (column + 1) * n_c] += stiffness[
                    i * n_c : (i + 1) * n_c, j * n_c : (j + 1) * n_c
                ]
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
