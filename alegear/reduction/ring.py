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

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve, lapack

from alegear.errors import AnalysisFailure

Array = npt.NDArray[np.float64]


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
            coupling = np.hstack([P[n:, :n], Q[:n, n:]])
            u_c = -cho_solve(cho_factor(P[n:, n:] + Q[:n, :n], lower=True), coupling)
            S = coupling.T @ u_c
            S[:n, :n] += P[:n, :n]
            S[n:, n:] += Q[n:, n:]
            self.stiffness[m] = 0.5 * (S + S.T)
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


def free_face(S: Array, n_c: int) -> tuple[Array, Array, Array]:
    r"""Condense the tooth face of a sector: :math:`u_f = C_0 f + G u_c`.

    Parameters
    ----------
    S : shape (n_c + n_f + n_c, same) [N/m]
    n_c : int

    Returns
    -------
    S_cuts : shape (2 n_c, 2 n_c) [N/m]
        Stiffness of the cut planes with the face free of load.
    face_recovery : shape (n_f, 2 n_c)
        G, displacement of the unloaded face from (u_low, u_high).
    C_0 : shape (n_f, n_f) [m/N]
        Compliance of the face with the cut planes held.
    """
    c = np.r_[0:n_c, len(S) - n_c : len(S)]
    f = np.r_[n_c : len(S) - n_c]
    factor = cho_factor(S[np.ix_(f, f)], lower=True)
    face_recovery = -cho_solve(factor, S[np.ix_(f, c)])
    S_cuts = S[np.ix_(c, c)] + S[np.ix_(c, f)] @ face_recovery
    C_0 = cho_solve(factor, np.eye(f.size))
    return 0.5 * (S_cuts + S_cuts.T), face_recovery, 0.5 * (C_0 + C_0.T)


def free_end(chain: Array, outer: slice, inner: slice) -> tuple[Array, Array]:
    """Condense the outer cut plane of a chain that ends free.

    Returns
    -------
    S_inner : shape (n_c, n_c) [N/m]
    end_recovery : shape (n_c, n_c)
        Displacement of the outer cut from the inner one.
    """
    end_recovery = -cho_solve(cho_factor(chain[outer, outer], lower=True), chain[outer, inner])
    S_inner = chain[inner, inner] + chain[inner, outer] @ end_recovery
    return 0.5 * (S_inner + S_inner.T), end_recovery


@dataclass(frozen=True, kw_only=True, eq=False)
class Window:
    """Compliance of the tooth faces of consecutive sectors, and the cut planes they move.

    Parameters
    ----------
    C_ff : shape (slots*n_f, slots*n_f) [m/N]
        Symmetric, positive definite. Of a closed wheel only the rows of slot 0, shape (n_f, slots*n_f).
    cut_response : shape (n_cuts, n_c, slots*n_f) [m/N]
        Displacement of cut plane k (the low one of slot k) per face force; n_cuts = slots + 1, or slots if the window
        is the whole wheel.
    """

    C_ff: Array
    cut_response: Array


def solve_window(
    C_0: Array,
    face_recovery: Array,
    one: Array,
    slots: int,
    n_cuts: int,
    closing: list[tuple[tuple[int, ...], Array]],
    *,
    closed: bool,
) -> Window:
    r"""Put `slots` sectors together and invert.

    With the cut planes held, the faces do not feel each other and all have the compliance
    :math:`C_0 = S_{ff}^{-1}`; B is the stiffness of the cut planes, faces free, and G the faces per cut planes
    (`face_recovery` of slot k on cuts k and k + 1). A face force loads the cuts by :math:`G^T f`, so

    .. math::
        u_c = B^{-1} G^T f, \qquad C_{ff} = \mathrm{diag}(C_0) + G B^{-1} G^T .

    In a closed wheel no tooth is special, so that the rows of slot 0 hold all there is to know
    (:func:`cyclic_compliance`).

    Parameters
    ----------
    C_0 : shape (n_f, n_f) [m/N]
    face_recovery : shape (n_f, 2 n_c)
        :func:`free_face`.
    one : shape (2 n_c, 2 n_c) [N/m]
        One sector with free face.
    slots, n_cuts : int
        The high cut of slot k is cut (k + 1) modulo n_cuts.
    closing : list of (cuts, stiffness)
        Stiffness (len(cuts)*n_c square) of the rest of the wheel on cut planes of the window.
    closed : bool
        Whether the sectors close the ring.
    """
    n_f, n_c = len(C_0), len(one) // 2
    B = np.zeros((n_cuts * n_c,) * 2, order="F")
    of_slot = [((k, (k + 1) % n_cuts), one) for k in range(slots)]
    for cuts, stiffness in of_slot + closing:
        dofs = np.concatenate([np.arange(k * n_c, (k + 1) * n_c) for k in cuts])
        B[np.ix_(dofs, dofs)] += stiffness
    L, info = lapack.dpotrf(B, lower=1, overwrite_a=1)
    if info:
        raise AnalysisFailure("the stiffness of the wheel is not positive definite: hold the grid at its bore set")
    B_inverse, _ = lapack.dpotri(L, lower=1, overwrite_c=1)
    B_inverse = np.tril(B_inverse) + np.tril(B_inverse, -1).T
    cuts_of_slot = [np.concatenate([np.arange(k * n_c, (k + 1) * n_c) for k in cuts]) for cuts, _ in of_slot]
    response = np.hstack([B_inverse[:, dofs] @ face_recovery.T for dofs in cuts_of_slot])
    C_ff = np.vstack([face_recovery @ response[dofs] for dofs in cuts_of_slot[: 1 if closed else slots]])
    for k in range(len(C_ff) // n_f):
        C_ff[k * n_f : (k + 1) * n_f, k * n_f : (k + 1) * n_f] += C_0
    square = C_ff[:, : len(C_ff)]
    C_ff[:, : len(C_ff)] = 0.5 * (square + square.T)
    return Window(C_ff=C_ff, cut_response=response.reshape(n_cuts, n_c, slots * n_f))


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
    C_ff = np.empty((n, n))
    for k in range(0, n, n_f):
        C_ff[k : k + n_f, k:] = first_rows[:, : n - k]
        C_ff[k:, k : k + n_f] = first_rows[:, : n - k].T
    return C_ff
