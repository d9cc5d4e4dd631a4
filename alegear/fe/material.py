"""Linear elastic, isotropic material."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from alegear.limits import Limits, check_numbers
from alegear.short_repr import ShortRepr

LARGEST_POISSON_RATIO = 0.49
"""Beyond it displacement elements and the formulas of the contact layer lose digits (lambda/mu > 49)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Material(ShortRepr):
    """Isotropic linear elastic material; the default is steel.

    Parameters
    ----------
    E : float [Pa]
        Young's modulus, positive.
    nu : float
        Poisson's ratio, from 0 to 0.49.
    rho : float [kg/m^3]
        Density, positive.
    yield_strength : float [Pa]
        Stress in a rotating gear above which a warning is given, positive; no result depends on it. The default is
        below that of any heat-treated gear steel.
    conductivity : float [W/(m K)]
        Thermal conductivity, of flash temperatures.
    specific_heat : float [J/(kg K)]
        With the default of both steel has a :attr:`thermal_contact` of 13.7 kN/(m s^0.5 K); ISO/TR 13989-1:2000, annex
        A.3, takes 13.8 kN/(m s^0.5 K) for martensitic steels.

    Raises
    ------
    Fault
        If a value lies outside its limits or is not finite.

    Examples
    --------
    >>> round(Material(E=210e9, nu=0.3).mu / 1e9, 3)
    80.769
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "E": Limits(quantity="Young's modulus", key="youngs_modulus_GPa", unit="GPa", factor=1e9, least=1e-3, most=1e9),
        "nu": Limits(quantity="Poisson's ratio", key="poisson_ratio", least=0.0, most=LARGEST_POISSON_RATIO),
        "rho": Limits(quantity="density", key="density_kg_m3", unit="kg/m3", least=1.0, most=1e5),
        "yield_strength": Limits(
            quantity="yield strength", key="yield_strength_MPa", unit="MPa", factor=1e6, least=1e-3, most=1e6
        ),
        "conductivity": Limits(
            quantity="thermal conductivity", key="thermal_conductivity_W_per_mK", unit="W/(m K)", least=1e-3, most=1e4
        ),
        "specific_heat": Limits(
            quantity="specific heat", key="specific_heat_J_per_kgK", unit="J/(kg K)", least=1.0, most=1e5
        ),
    }

    E: float = 210e9
    nu: float = 0.3
    rho: float = 7860.0
    yield_strength: float = 300e6
    conductivity: float = 50.0
    specific_heat: float = 480.0

    def __post_init__(self) -> None:
        check_numbers(self)

    @property
    def lame_lambda(self) -> float:
        """First Lamé constant ``E nu / ((1 + nu) (1 - 2 nu))`` [Pa]."""
        return self.E * self.nu / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu))

    @property
    def mu(self) -> float:
        """Shear modulus ``E / (2 (1 + nu))`` [Pa]."""
        return self.E / (2.0 * (1.0 + self.nu))

    @property
    def thermal_contact(self) -> float:
        """Thermal contact coefficient ``sqrt(lambda rho c)`` [N/(m s^0.5 K)]."""
        return math.sqrt(self.conductivity * self.rho * self.specific_heat)

    @property
    def diffusivity(self) -> float:
        """Thermal diffusivity ``lambda / (rho c)`` [m2/s]."""
        return self.conductivity / (self.rho * self.specific_heat)
