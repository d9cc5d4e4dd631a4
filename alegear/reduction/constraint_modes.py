r"""Constraint modes of a whole grid by one direct factorisation: for small models, and to check the fast route.

Craig & Bampton (1968, AIAA J. 6, 1313), static part only: the elastic inertia is neglected.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import linalg

from alegear.arrays import Array


def constraint_modes(
    K: sparse.csr_array, boundary_dofs: npt.ArrayLike, fixed_dofs: npt.ArrayLike = ()
) -> tuple[Array, Array]:
    r"""Compute constraint modes and reduced stiffness of a grid.

    .. math::
        \Psi_c = -K_{ii}^{-1} K_{ib}, \qquad K_r = K_{bb} + K_{bi} \Psi_c

    Parameters
    ----------
    K : csr, shape (n, n) [N/m]
        Symmetric stiffness.
    boundary_dofs : shape (n_b,)
        Retained degrees of freedom, in the order wanted.
    fixed_dofs : shape (n_f,)
        Degrees of freedom with zero displacement.

    Returns
    -------
    Psi_c : shape (n, n_b)
        Displacement of all degrees of freedom for a unit displacement of each boundary one: identity on the boundary
        rows, zero on the fixed ones.
    K_r : shape (n_b, n_b) [N/m]
        Symmetric.
    """
    b = np.asarray(boundary_dofs, dtype=np.int64)
    interior = np.ones(K.shape[0], dtype=bool)
    interior[b] = False
    interior[np.asarray(fixed_dofs, dtype=np.int64)] = False
    i = np.flatnonzero(interior)
    rows_i = sparse.csr_array(K)[i]
    K_ib = rows_i[:, b]
    Psi_c = np.zeros((K.shape[0], b.size))
    Psi_c[b, np.arange(b.size)] = 1.0
    if i.size:
        factor = linalg.splu(sparse.csc_array(rows_i[:, i]))
        Psi_c[i] = -factor.solve(K_ib.toarray())
    K_r = sparse.csr_array(K)[b][:, b].toarray() + K_ib.T @ Psi_c[i]
    return Psi_c, 0.5 * (K_r + K_r.T)
