"""Refuses stiffness and damping matrices that no spring or damper has."""

from __future__ import annotations

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault

#: Asymmetry, of the largest entry, that writing the numbers down may cost.
SYMMETRY = 1e-9
#: Least eigenvalue, with ones on the diagonal, that round-off may leave of a matrix that is not negative; and that of
#: one that is positive in all directions.
NOT_NEGATIVE, POSITIVE = -1e-9, 1e-12


def check_definite(what: str, matrix: Array, size: int, least: float = NOT_NEGATIVE) -> None:
    """Refuse what is no symmetric matrix (size, size) without negative eigenvalues, to round-off.

    Eigenvalues are those of the matrix scaled to ones on its diagonal, so that displacements and rotations weigh alike.

    Parameters
    ----------
    what : str
        In the words of the message.
    matrix : shape (size, size)
    size : int
    least : float
        Least eigenvalue: `NOT_NEGATIVE`, or `POSITIVE`.

    Raises
    ------
    Fault
    """
    if np.shape(matrix) != (size, size):
        raise Fault(what, f"shape {np.shape(matrix)}", f"shape ({size}, {size})", "give all directions")
    if not np.isfinite(matrix).all():
        raise Fault(what, "not a number", "finite", "correct the number")
    largest = float(np.abs(matrix).max(initial=0.0))
    if largest == 0.0 and least <= 0.0:
        return
    lowest = float(np.diag(matrix).min())
    if lowest < 0.0:
        raise Fault(what, f"{lowest:.6g} on the diagonal", "not negative", "check signs")
    asymmetry = float(np.abs(matrix - matrix.T).max()) / largest
    if asymmetry > SYMMETRY:
        raise Fault(what, f"asymmetric by {asymmetry:.3g}", "symmetric", "mirror the matrix")
    scale = np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), largest))
    found = float(np.linalg.eigvalsh(matrix / np.outer(scale, scale)).min())
    if not found >= least:
        positive = least > 0.0
        limit = "positive definite" if positive else "not negative"
        remedy = "reduce the entries off the diagonal" if positive else "check signs and units"
        raise Fault(what, f"{found:.3g} in one combination", limit, remedy)
