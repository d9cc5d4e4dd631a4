"""Linear elastic, isotropic material."""

from __future__ import annotations

import math
from dataclasses import dataclass

from alegear.errors import Fault

#: Above this Poisson ratio the displacement elements of this package lose digits (lambda/mu > 49).
NU_NEARLY_INCOMPRESSIBLE = 0.49


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """Isotropic linear elastic material; the default is steel.

    Parameters
    ----------
    E : float [Pa]
        Young's modulus, positive.
    nu : float
        Poisson's ratio, ``-1 < nu < 0.5``.
    rho : float [kg/m^3]
        Density, positive.
    yield_strength : float [Pa]
        Stress from which a rotating gear is warned of, positive; nothing is computed with it. The default is below that
        of any heat-treated gear steel.

    Raises
    ------
    Fault
        If a value lies outside its limits or is not finite.

    Examples
    --------
    >>> round(Material(E=210e9, nu=0.3).mu / 1e9, 3)
    80.769
    """

    E: float = 210e9
    nu: float = 0.3
    rho: float = 7860.0
    yield_strength: float = 300e6

    def __post_init__(self) -> None:
        if not (math.isfinite(self.E) and self.E > 0.0):
            raise Fault("Young's modulus [Pa]", self.E, "positive and finite", "steel has 210e9")
        if not -1.0 < self.nu < 0.5:
            raise Fault("Poisson's ratio", self.nu, "greater than -1 and less than 0.5", "steel has 0.3, rubber 0.49")
        if not (math.isfinite(self.rho) and self.rho > 0.0):
            raise Fault("density [kg/m^3]", self.rho, "positive and finite", "steel has 7860")
        if not (math.isfinite(self.yield_strength) and self.yield_strength > 0.0):
            raise Fault("yield strength [Pa]", self.yield_strength, "positive and finite", "mild steel has 300e6")

    @property
    def lame_lambda(self) -> float:
        """First Lame constant ``E nu / ((1 + nu) (1 - 2 nu))`` [Pa]."""
        return self.E * self.nu / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu))

    @property
    def mu(self) -> float:
        """Shear modulus ``E / (2 (1 + nu))`` [Pa]."""
        return self.E / (2.0 * (1.0 + self.nu))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Values allowed but harmful to accuracy, one sentence each with limit and remedy."""
        if self.nu <= NU_NEARLY_INCOMPRESSIBLE:
            return ()
        return (
            f"Poisson's ratio = {self.nu}: above {NU_NEARLY_INCOMPRESSIBLE} the material is nearly "
            f"incompressible and stresses lose accuracy; use at most {NU_NEARLY_INCOMPRESSIBLE}",
        )
