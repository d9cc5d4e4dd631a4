"""The pitch circles of two gears in mesh: all that a spring between their teeth needs of the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, tan
from typing import Annotated

import numpy as np

from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array

RADIUS = Limits(quantity="pitch radius", key="r_A or r_B", unit="mm", least=-1e5, most=1e5)
PRESSURE_ANGLE = Limits(
    quantity="working pressure angle", key="pressure_angle_deg", unit="deg", least=0.0, most=60.0, above=True
)
LEAST_RADIUS = 1e-5
"""Smallest pitch radius [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PitchCircles(ShortRepr):
    """Two gears in mesh by their working pitch circles and the line of action.

    Parameters
    ----------
    r_A, r_B : float [m]
        Working pitch radii, that of a ring gear negative, as ISO 21771 counts them.
    alpha : float [rad]
        Working transverse pressure angle.

    Raises
    ------
    Fault

    Examples
    --------
    >>> circles = PitchCircles(r_A=10e-3, r_B=30e-3, alpha=0.349065850398866)
    >>> round(1e3 * circles.l_A, 3), round(1e3 * circles.a, 3)
    (9.397, 40.0)
    """

    r_A: Annotated[float, RADIUS]
    r_B: Annotated[float, RADIUS]
    alpha: Annotated[float, PRESSURE_ANGLE]

    def __post_init__(self) -> None:
        check_parameters(self)
        check_radii(self.r_A, self.r_B)

    @property
    def l_A(self) -> float:
        """Base radius of gear A [m]."""
        return self.r_A * cos(self.alpha)

    @property
    def l_B(self) -> float:
        """Base radius of gear B [m]."""
        return self.r_B * cos(self.alpha)

    @property
    def a(self) -> float:
        """Centre distance [m], negative where one gear is a ring."""
        return self.r_A + self.r_B

    @property
    def T_1P(self) -> float:
        """Roll length of gear A at the pitch point [m]."""
        return self.l_A * tan(self.alpha)

    @property
    def T_2P(self) -> float:
        """Roll length of gear B at the pitch point [m]."""
        return self.l_B * tan(self.alpha)

    @cached_property
    def numbers(self) -> Array:
        """What the compiled functions take (kernels.N_MESH,); zeros for the friction, which needs more than circles."""
        numbers = np.zeros(kernels.N_MESH)
        numbers[kernels.L_A], numbers[kernels.L_B], numbers[kernels.ALPHA] = self.l_A, self.l_B, self.alpha
        return numbers

    def normal_direction(self, side: float) -> Array:
        """Return the forces on the coordinates per unit of |F_n|, gear B along x from gear A.

        ``tau = -s l``, ``F_B = s cos alpha t + sin alpha e = -F_A``; with e along the line of centres and t = z x e.

        Parameters
        ----------
        side : float
            s: +1 for the flanks with which gear A drives counterclockwise, -1 for the others.

        Returns
        -------
        direction : shape (6,) [m, m, 1, 1, 1, 1]
            Its negative times the rates of the coordinates is the rate of the deformation of this flank: the normal
            force is conservative.

        Notes
        -----
        Source: van der Linden (2015), formulas 1 to 6, with F_n > 0 where gear A is held back, as his formula 40 has
        it; his torques then are those of the shafts on the mesh, and these are those on the gears.
        """
        direction = np.empty(kernels.N_COORDINATES)
        kernels.normal_direction(self.numbers, side, 0.0, self.alpha, direction)
        return direction


def check_radii(r_A: float, r_B: float) -> None:
    """Refuse radii that make no pair: a ring must be the larger one, and no ring meets another."""
    for name, r in (("A", r_A), ("B", r_B)):
        if abs(r) < LEAST_RADIUS:
            raise Fault(f"pitch radius of gear {name} [mm]", 1e3 * r, f"at least {1e3 * LEAST_RADIUS:g}", "correct it")
    ring, other = min(r_A, r_B), max(r_A, r_B)
    if ring < 0.0 and not 0.0 < other < -ring * (1.0 - 1e-9):  # else the pitch circles would be one
        value = f"({1e3 * r_A:.6g}, {1e3 * r_B:.6g})"
        raise Fault("pitch radii [mm]", value, "one of them positive, and a ring larger than it", "correct r_A or r_B")
