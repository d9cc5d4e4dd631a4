"""What a gear of a pair stands on: a shaft that twists, bearings that give way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_type
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array
from alegear.system.definite import POSITIVE, check_definite

DIRECTIONS = ("x", "y", "z", "tilt about x", "tilt about y")


TORSIONAL_STIFFNESS = Limits(
    quantity="torsional stiffness",
    key="stiffness_Nm_per_rad",
    unit="N m/rad",
    least=0.0,
    most=1e15,
    above=True,
)
TORSIONAL_DAMPING = Limits(
    quantity="torsional damping", key="damping_Nms_per_rad", unit="N m s/rad", least=0.0, most=1e12
)


@dataclass(frozen=True, kw_only=True, eq=False)
class TorsionShaft(ShortRepr):
    r"""A spring and a damper in torsion, :math:`\tau = k \vartheta + c \dot\vartheta`, with an inertia at its far end.

    Parameters
    ----------
    stiffness : float [N m/rad]
    damping : float [N m s/rad]
    inertia : float [kg m2]
        Of what turns at the far end; 0 where the motion of that end is prescribed.
    """

    stiffness: Annotated[float, TORSIONAL_STIFFNESS]
    damping: Annotated[float, TORSIONAL_DAMPING] = 0.0
    inertia: Annotated[
        float,
        Limits(
            quantity="inertia of the load",
            words="inertia of the load at the end of the driven shaft",
            unit="kg m2",
            least=0.0,
            most=1e12,
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)

    def torque(self, twist: float, rate: float) -> float:
        """Torque [N m] against a twist [rad] that grows by a rate [rad/s]."""
        return self.stiffness * twist + self.damping * rate

    def energy(self, twist: float) -> float:
        """k twist^2 / 2 [J]."""
        return 0.5 * self.stiffness * twist * twist


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
        check_definite(what, self.stiffness, 5, POSITIVE)
        check_definite(f"damping of the support of the {self.name}", self.damping, 5)
