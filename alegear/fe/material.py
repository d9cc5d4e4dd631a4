"""Linear elastic, isotropic material."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

from alegear.limits import Limits
from alegear.parameters import check_parameters, words_of
from alegear.short_repr import ShortRepr

LARGEST_POISSON_RATIO = 0.49
"""Beyond it displacement elements and the formulas of the contact layer lose digits (lambda/mu > 49)."""

STEEL = {
    "E": 210e9,
    "rho": 7860.0,
    "yield_strength": 300e6,
    "conductivity": 50.0,
    "specific_heat": 480.0,
    "contact_strength": 2400e6,
    "root_strength": 2500e6,
    "mean_stress_sensitivity": 0.4,
}
"""Properties of gear steel in SI units. The strengths are bounds of ours for case-hardened steel, the strongest: 1500
and 1000 MPa, the endurance of flank and root commonly quoted for good quality (the standard itself, ISO 6336-5, was not
at hand), times the largest life factors, 1.6 and 2.5 (Autodesk Inventor Help, strength of gears to ISO 6336 and DIN
3990: 1 <= Z_N <= 1.6, 1 <= Y_N <= 2.5). Of the mean stress sensitivity M the endurance under reversed bending is
(1 + M)/2 of that under pulsating bending: 0.4 makes it 0.7, which ISO 6336-5 has for idler gears."""

LIKE_STEEL = {"E": 0.1, "rho": 0.05}
"""Parts by which modulus and density may differ from those of steel in a material that is one: 189 to 231 GPa and
7470 to 8250 kg/m3 have all gear steels, and neither cast iron nor nickel, titanium, aluminium, bronze or plastics."""


STRENGTH = Limits(quantity="strength", unit="MPa", least=1e-3, most=1e6)


@dataclass(frozen=True, kw_only=True, eq=False)
class Material(ShortRepr):
    """Isotropic linear elastic material; the default is steel.

    What is None is that of steel, where modulus and density are those of a steel (:attr:`is_steel`), and otherwise
    not known: :meth:`known` returns it.

    Parameters
    ----------
    yield_strength : float or None [Pa]
        Stress above which a warning is given, positive; no result depends on it. What is given is compared with the von
        Mises stress of the roots, and with that at the bore of a rotating gear. That of steel, 300 MPa, is below that
        of any heat-treated gear steel, and compared with the rotating gear only.
    specific_heat : float or None [J/(kg K)]
        Of steel 480. With the default of both steel has a :attr:`thermal_contact` of 13.7 kN/(m s^0.5 K); ISO/TR
        13989-1:2000, annex A.3, takes 13.8 kN/(m s^0.5 K) for martensitic steels.
    contact_strength, root_strength : float or None [Pa]
        Pressure of the flanks and stress in the root that a tooth bears once: above them a warning is given, no result
        depends on them. Of steel 2400 and 2500 MPa, those of case-hardened steel.
    root_endurance : float or None [Pa]
        Upper stress of a pulsating cycle (from 0) that a tooth root endures, as a stress where it is in the fillet: of
        ISO 6336-5 sigma_FE, and not sigma_F lim, which is half of it. No default.
    contact_endurance : float or None [Pa]
        Pressure that a flank endures: of ISO 6336-5 sigma_H lim. No default.
    mean_stress_sensitivity : float or None
        M, slope of the line of endurance in Haigh's diagram. Of steel 0.4; where it is not known 0, which is on the
        safe side for roots.

    Raises
    ------
    Fault
        If a value lies outside its limits or is not finite.

    Examples
    --------
    >>> round(Material(E=210e9, nu=0.3).mu / 1e9, 3)
    80.769
    """

    E: Annotated[
        float,
        Limits(
            quantity="Young's modulus",
            words="Young's modulus (steel 210)",
            key="youngs_modulus_GPa",
            unit="GPa",
            least=1e-3,
            most=1e9,
        ),
    ] = STEEL["E"]
    nu: Annotated[
        float,
        Limits(
            quantity="Poisson's ratio",
            words="Poisson's ratio (steel 0.3)",
            key="poisson_ratio",
            least=0.0,
            most=LARGEST_POISSON_RATIO,
        ),
    ] = 0.3
    rho: Annotated[
        float,
        Limits(
            quantity="density", words="density (steel 7860)", key="density_kg_m3", unit="kg/m3", least=1.0, most=1e5
        ),
    ] = STEEL["rho"]
    yield_strength: Annotated[
        float | None,
        replace(
            STRENGTH,
            quantity="yield strength",
            words="yield strength, for warnings only, of a rotating gear, and if given of the roots, (steel 300)",
        ),
    ] = None
    conductivity: Annotated[
        float | None,
        Limits(
            quantity="thermal conductivity",
            words="thermal conductivity, of flash temperatures, (steel 50)",
            key="thermal_conductivity_W_per_mK",
            unit="W/(m K)",
            least=1e-3,
            most=1e4,
        ),
    ] = None
    specific_heat: Annotated[
        float | None,
        Limits(
            quantity="specific heat",
            words="specific heat, of flash temperatures, (steel 480)",
            unit="J/(kg K)",
            least=1.0,
            most=1e5,
        ),
    ] = None
    contact_strength: Annotated[
        float | None,
        replace(
            STRENGTH,
            quantity="strength of the flanks",
            words="pressure that flanks bear once, for a warning only, (case-hardened steel 2400)",
        ),
    ] = None
    root_strength: Annotated[
        float | None,
        replace(
            STRENGTH,
            quantity="strength of the root",
            words="stress that a tooth root bears once, for a warning only, (case-hardened steel 2500)",
        ),
    ] = None
    root_endurance: Annotated[
        float | None,
        replace(
            STRENGTH,
            quantity="endurance of the root",
            words="local stress that a root endures, pulsating from 0, sigma_FE of ISO 6336-5, for root_safety,",
        ),
    ] = None
    contact_endurance: Annotated[
        float | None,
        replace(
            STRENGTH,
            quantity="endurance of the flanks",
            words="pressure that flanks endure, sigma_H lim of ISO 6336-5, for contact_safety,",
        ),
    ] = None
    mean_stress_sensitivity: Annotated[
        float | None,
        Limits(
            quantity="mean stress sensitivity",
            words="slope of the endurance over the mean stress in Haigh's diagram, for root_safety (steel 0.4)",
            least=0.0,
            most=1.0,
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def lame_lambda(self) -> float:
        """First Lamé constant ``E nu / ((1 + nu) (1 - 2 nu))`` [Pa]."""
        return self.E * self.nu / ((1.0 + self.nu) * (1.0 - 2.0 * self.nu))

    @property
    def mu(self) -> float:
        """Shear modulus ``E / (2 (1 + nu))`` [Pa]."""
        return self.E / (2.0 * (1.0 + self.nu))

    @property
    def is_steel(self) -> bool:
        """Whether modulus and density are those of a steel."""
        return all(abs(getattr(self, name) / STEEL[name] - 1.0) <= part for name, part in LIKE_STEEL.items())

    def known(self, name: str) -> float | None:
        """Return a property by its name: as given, else that of steel if this is one, else None."""
        given: float | None = getattr(self, name)
        return STEEL.get(name) if given is None and self.is_steel else given

    def owner_of(self, name: str) -> str:
        """Say whose strength it is, that of a property by its name."""
        return "case-hardened steel" if getattr(self, name) is None else f"the material ({words_of(Material)[name]})"

    @property
    def has_strengths(self) -> bool:
        """Whether any strength is known with which stresses of teeth are compared."""
        return any(
            self.known(name) is not None
            for name in ("yield_strength", "contact_strength", "root_strength", "root_endurance", "contact_endurance")
        )

    @property
    def missing_for_heat(self) -> tuple[str, ...]:
        """Keys of a case file that must be given before there is a flash temperature."""
        return tuple(words_of(Material)[name] for name in ("conductivity", "specific_heat") if self.known(name) is None)

    @property
    def thermal_contact(self) -> float | None:
        """Thermal contact coefficient ``sqrt(lambda rho c)`` [N/(m s^0.5 K)]; None: not known."""
        conductivity, specific_heat = self.known("conductivity"), self.known("specific_heat")
        if conductivity is None or specific_heat is None:
            return None
        return math.sqrt(conductivity * self.rho * specific_heat)

    @property
    def diffusivity(self) -> float | None:
        """Thermal diffusivity ``lambda / (rho c)`` [m2/s]; None: not known."""
        conductivity, specific_heat = self.known("conductivity"), self.known("specific_heat")
        if conductivity is None or specific_heat is None:
            return None
        return conductivity / (self.rho * specific_heat)
