"""Bearings that give way, as the gear on their shaft feels them: small displacements about a place in space."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_type
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

Array = NDArray[np.float64]

DIRECTIONS = ("x", "y", "z", "tilt about x", "tilt about y")
SYMMETRY = 1e-9  # of the largest entry: what writing the numbers down may cost
DEFINITE = 1e-12  # least eigenvalue with ones on the diagonal; below it a direction is free to round-off


def check_symmetric(what: str, matrix: Array, size: int) -> float:
    """Refuse a matrix of another shape and one that is not symmetric; return its least eigenvalue.

    The eigenvalue is that of the matrix scaled to ones on its diagonal, so that displacements and rotations weigh
    alike.

    Raises
    ------
    Fault
    """
    if np.shape(matrix) != (size, size):
        raise Fault(what, f"shape {np.shape(matrix)}", f"shape ({size}, {size})", "give all directions")
    largest = float(np.abs(matrix).max())
    if not np.isfinite(largest):
        raise Fault(what, largest, "finite", "correct the number")
    if not np.abs(matrix - matrix.T).max() <= SYMMETRY * largest:
        worst = float(np.abs(matrix - matrix.T).max() / largest)
        raise Fault(what, f"asymmetric by {worst:.3g}", "symmetric", "mirror the matrix")
    scale = np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), 1.0))
    return float(np.linalg.eigvalsh(matrix / np.outer(scale, scale)).min())


UNBALANCE = Limits(
    quantity="unbalance", words="unbalance of the gear", key="unbalance_g_mm", unit="g mm", least=0.0, most=1e12
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Support(ShortRepr):
    """Shaft and bearings of a gear: what they exert on it where it is displaced by s, ``-(K s + D ds/dt)``.

    s = (x, y, z, theta_x, theta_y) is the displacement of the centre of the gear's mid-face and the tilt of its axis
    [m, rad], in space. About its axis the gear is free: drives, loads and torsion shafts act there.

    Parameters
    ----------
    name : str
        For messages.
    stiffness : shape (5, 5) [N/m, N, N m/rad]
        Symmetric and positive definite.
    damping : shape (5, 5) [times s]
        Symmetric, not negative.
    added_mass : float [kg], added_tilt_inertia : float [kg m2]
        Of the shaft, besides the gear's own.
    unbalance : float [kg m]
        Mass times its distance from the axis, at mid-face, on the x axis at phase 0.

    Raises
    ------
    Fault
        If a direction is not held, with its name.
    """

    #: Largest entry of the stiffness, by m and rad, and of the damping.
    LARGEST_STIFFNESS: ClassVar[float] = 1e15
    LARGEST_DAMPING: ClassVar[float] = 1e12

    name: str
    stiffness: Array
    damping: Array = field(default_factory=lambda: np.zeros((5, 5)))
    added_mass: Annotated[
        float, Limits(quantity="added mass", words="mass of the shaft", unit="kg", least=0.0, most=1e9)
    ] = 0.0
    added_tilt_inertia: Annotated[
        float,
        Limits(
            quantity="added tilt inertia",
            words="inertia of the shaft about a diameter of mid-face",
            unit="kg m2",
            least=0.0,
            most=1e12,
        ),
    ] = 0.0
    unbalance: Annotated[float, UNBALANCE] = 0.0

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_parameters(self)
        for which, largest in (("stiffness", self.LARGEST_STIFFNESS), ("damping", self.LARGEST_DAMPING)):
            matrix = array_of(getattr(self, which), f"Support.{which}")
            object.__setattr__(self, which, matrix)
            what = f"{which} of the support of the {self.name}"
            if matrix.shape != (5, 5):
                raise Fault(what, f"shape {matrix.shape}", "shape (5, 5)", "give all directions")
            if float(np.abs(matrix).max()) > largest:
                raise Fault(what, float(np.abs(matrix).max()), f"at most {largest:g}", "check the unit")
        what = f"stiffness of the support of the {self.name}"
        free = [DIRECTIONS[i] for i in np.flatnonzero(~(np.diag(self.stiffness) > 0.0))]
        if np.shape(self.stiffness) == (5, 5) and free:
            raise Fault(what, f"nothing holds the gear in {free[0]}", "positive in all directions", "add a stiffness")
        least = check_symmetric(what, self.stiffness, 5)
        if not least >= DEFINITE:
            limit = "positive definite"
            raise Fault(what, f"{least:.3g} in one combination", limit, "reduce the entries off the diagonal")
        least = check_symmetric(f"damping of the support of the {self.name}", self.damping, 5)
        if not least >= -SYMMETRY:
            what = f"damping of the support of the {self.name}"
            raise Fault(what, f"{least:.3g} in one combination", "not negative", "check signs and units")
