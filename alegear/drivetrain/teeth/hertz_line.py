"""Two cylinders in line contact: load over indentation, pressure, half width, energy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, log, pi
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.teeth import teeth_kernels as kernels
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array

_RADIUS = Limits(quantity="radius of curvature", key="R_1 or R_2", unit="mm", least=-1e6, most=1e6)
_MODULUS = Limits(quantity="Young's modulus", key="E", unit="MPa", least=1.0, most=1e8)
_POISSON = Limits(quantity="Poisson's ratio", key="nu", least=0.0, most=0.5, below=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class HertzLine(ShortRepr):
    """Line contact of two cylinders, or of a cylinder in a hollow one, per length.

    With theta_i = (1 - nu_i^2)/E_i, Theta their sum, w_i = theta_i/Theta, rho = 1/(1/R_1 + 1/R_2) and s = Theta q/pi

        delta = s ln(S/s),   S = exp(2/3) |R_1|^(2 w_1) |R_2|^(2 w_2)/rho,   b_H = sqrt(4 s rho),   p_max = 2 q/(pi b_H)
        q = pi delta/(Theta y),   -y = W_-1(-delta/S),   dq/ddelta = pi/(Theta (y - 1))
        E = pi s^2 (2 y - 1)/(4 Theta)

    Parameters
    ----------
    R_1, R_2 : float [m]
        Radii of curvature, that of a hollow flank negative.
    E_1, E_2 : float [Pa]
        Young's moduli.
    nu_1, nu_2 : float
        Poisson's ratios.

    Raises
    ------
    Fault
        Also for a hollow flank that is not larger than the one in it.

    Notes
    -----
    Source: Dahl, Wettergren and Tidefelt (2017), formulas 17 to 19 after Roark, where b is the full width 2 b_H; for
    one material they are this, with S = exp(2/3) |R_1 + R_2|. For two, each body indents by its share of the sum,
    ``q theta_i/pi (2/3 + 2 ln(4 |R_i|/b))``. The inversion holds as far as the load rises with the indentation and a
    little less: y >= 1.5, where the contact is about as wide as the smaller radius. The slope is 0 at first touch,
    where y grows as ln(S/delta); but at a picometre it is already half that at a micrometre, so that a time step sees a
    kink.

    Examples
    --------
    >>> teeth = HertzLine(R_1=10e-3, R_2=20e-3, E_1=206e9, E_2=206e9, nu_1=0.3, nu_2=0.3)
    >>> round(1e6 * teeth.indentation(2e5), 4), round(teeth.force(teeth.indentation(2e5)), 6)
    (6.4969, 200000.0)
    """

    R_1: Annotated[float, _RADIUS]
    R_2: Annotated[float, _RADIUS]
    E_1: Annotated[float, _MODULUS]
    E_2: Annotated[float, _MODULUS]
    nu_1: Annotated[float, _POISSON]
    nu_2: Annotated[float, _POISSON]

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.R_1 == 0.0 or self.R_2 == 0.0 or not 1.0 / self.R_1 + 1.0 / self.R_2 > 0.0:
            raise Fault(
                "radii of curvature [mm]",
                f"{1e3 * self.R_1:.9g} and {1e3 * self.R_2:.9g}",
                "both positive, or a negative one larger than the other",
                "correct R_1 or R_2",
            )

    @property
    def theta(self) -> float:
        """Theta: compliance of both materials [1/Pa]."""
        return compliance(self.E_1, self.nu_1) + compliance(self.E_2, self.nu_2)

    @property
    def rho(self) -> float:
        """Radius of relative curvature [m]."""
        return 1.0 / (1.0 / self.R_1 + 1.0 / self.R_2)

    @cached_property
    def S(self) -> float:
        """The length S of the law [m]."""
        w_1 = compliance(self.E_1, self.nu_1) / self.theta
        return exp(2.0 / 3.0 + 2.0 * w_1 * log(abs(self.R_1)) + 2.0 * (1.0 - w_1) * log(abs(self.R_2))) / self.rho

    @property
    def largest_indentation(self) -> float:
        """Largest indentation for which the law is inverted [m]."""
        return kernels.LEAST_Y * exp(-kernels.LEAST_Y) * self.S

    @property
    def largest_force(self) -> float:
        """The load there [N/m]."""
        return pi / self.theta * exp(-kernels.LEAST_Y) * self.S

    def indentation(self, q: float) -> float:
        """Return the approach of both bodies under a line load, ``s ln(S/s)`` [m].

        Parameters
        ----------
        q : float [N/m]

        Raises
        ------
        Fault
            For a load beyond the largest, and a negative one.
        """
        self._check("line load [N/mm]", 1e-3 * q, 1e-3 * self.largest_force)
        s = self.theta * q / pi
        return s * log(self.S / s) if q > 0.0 else 0.0

    def force(self, delta: float) -> float:
        """Return the line load [N/m] at an indentation [m]; 0 where the bodies are apart.

        Raises
        ------
        Fault
            For an indentation beyond the largest.
        """
        y = self._y(delta)
        return 0.0 if y is None else pi * delta / (self.theta * y)

    def stiffness(self, delta: float) -> float:
        """Return the slope of the line load over the indentation [N/m2].

        Raises
        ------
        Fault
        """
        y = self._y(delta)
        return 0.0 if y is None else pi / (self.theta * (y - 1.0))

    def energy(self, delta: float) -> float:
        """Return what is stored per length [J/m].

        Raises
        ------
        Fault
        """
        y = self._y(delta)
        return 0.0 if y is None else pi / self.theta * (delta / y) ** 2 * (0.5 * y - 0.25)

    def half_width(self, q: ArrayLike) -> Array:
        """Return half the width of the contact under line loads (n,) [N/m], shape (n,) [m]."""
        return np.asarray(np.sqrt(4.0 * np.asarray(q, dtype=np.float64) * self.rho * self.theta / pi))

    def pressure(self, q: ArrayLike) -> Array:
        """Return the largest pressure under line loads (n,) [N/m], shape (n,) [Pa]."""
        return np.asarray(np.sqrt(np.asarray(q, dtype=np.float64) / (pi * self.rho * self.theta)))

    def _y(self, delta: float) -> float | None:
        if delta <= 0.0:
            return None
        self._check("indentation [um]", 1e6 * delta, 1e6 * self.largest_indentation)
        return float(kernels.line_contact(log(self.S), float(delta)))

    def _check(self, quantity: str, value: float, most: float) -> None:
        if not 0.0 <= value <= most:
            limit = f"at most {most:.6g}, where Hertz's law for lines of contact ends"
            raise Fault(quantity, float(f"{value:.9g}"), limit, "reduce the load, or enlarge the radii")


def compliance(E: float, nu: float) -> float:
    """Return theta = (1 - nu^2)/E of a material [1/Pa]."""
    return (1.0 - nu * nu) / E
