"""Mean mesh stiffness of a pair of gears by the formulas of ISO 6336-1, method B."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, degrees, inf, radians

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, check_kind

#: Of steel, to which the formulas belong [Pa].
E_STEEL = 206e9
#: Theory against measurement on solid discs.
C_M = 0.8
#: Load per face width below which the stiffness falls in proportion to it [N/m]: 100 N/mm, which the standard says of
#: steel of every module. A machine that is similar to another one by its lengths and moduli is not under it.
LEAST_LINE_LOAD = 1e5
#: Mesh stiffness per face width of any pair, about, over its modulus (:func:`modulus_of_pair`): of steel 15 N/(mm um).
USUAL_STIFFNESS = 1.0 / 14.0
_FLEXIBILITY = 1e-9  # mm um/N in m2/N
#: Range of the formulas as it is commonly quoted (the standard itself was not at hand): x of the pinion not below that
#: of the wheel, their sum within these, and the contact ratio from which c_gamma_alpha holds.
LEAST_SHIFTS, LARGEST_SHIFTS, LEAST_CONTACT_RATIO = -0.5, 2.0, 1.2
_SLACK = 1e-9  # of profile shifts that are the same but for round-off

MODULUS = Limits(quantity="Young's modulus", key="youngs_modulus_GPa", unit="GPa", least=1e-3, most=1e9)
BLANK_FACTOR = Limits(quantity="gear blank factor", key="blank_factor", least=0.01, most=1.0)


def modulus_of_pair(moduli: Iterable[float]) -> float:
    """Return ``2 E_1 E_2/(E_1 + E_2)`` of the moduli of both gears [Pa]."""
    return 2.0 / sum(1.0 / E for E in moduli)


def usual_stiffness(moduli: Iterable[float]) -> float:
    """Return about what stiffness over the face width a mesh has, for scales, first guesses and warnings [N/m2].

    The formulas are in proportion to the modulus and know no size.
    """
    return USUAL_STIFFNESS * modulus_of_pair(moduli)


def minimum_flexibility(z_n1: float, z_n2: float, x_1: float, x_2: float) -> float:
    """Return the least flexibility q' of a pair of teeth of steel over the face width [m2/N].

    Parameters
    ----------
    z_n1, z_n2 : float
        Virtual numbers of teeth, ``z/(cos^2 beta_b cos beta)``; gear 1 is the one with fewer, gear 2 the ring, as one
        with infinitely many.
    x_1, x_2 : float
        Profile shifts.
    """
    return _FLEXIBILITY * (
        0.04723
        + 0.15551 / z_n1
        + 0.25791 / z_n2
        - 0.00635 * x_1
        - 0.11654 * x_1 / z_n1
        - 0.00193 * x_2
        - 0.24188 * x_2 / z_n2
        + 0.00529 * x_1**2
        + 0.00182 * x_2**2
    )


def basic_rack_factor(dedendum_factor: float, alpha_n: float = radians(20.0)) -> float:
    """Return the factor C_B of the rack of one gear; of two different ones the mean counts."""
    return (1.0 + 0.5 * (1.2 - dedendum_factor)) * (1.0 - 0.02 * (20.0 - degrees(alpha_n)))


def single_stiffness(
    pair: GearPair, moduli: tuple[float, float] = (E_STEEL, E_STEEL), blank_factor: float = 1.0
) -> float:
    """Return the largest stiffness of one pair of teeth over the face width [N/m2].

    ``c' = C_M C_R C_B cos beta/q' E/E_St``, ``E = 2 E_1 E_2/(E_1 + E_2)``.

    Parameters
    ----------
    pair : GearPair
    moduli : (float, float) [Pa]
        Young's moduli of both gears.
    blank_factor : float
        C_R: 1 for solid discs, less with thin rims and webs.

    Raises
    ------
    Fault

    Notes
    -----
    Source: ISO 6336-1:2006, 9.3.2, for loads from 100 N per mm of face width on. A ring counts as a rack with the
    profile shift of ISO 21771. As commonly quoted, the formula for q' holds for ``x_1 >= x_2``, x_1 of the gear with
    fewer teeth, and ``-0.5 <= x_1 + x_2 <= 2``: :func:`out_of_range` tells.
    """
    check_kind(pair, "single_stiffness, pair", GearPair)
    BLANK_FACTOR.check(blank_factor, "single_stiffness, blank_factor")
    small, large = _small_and_large(pair)
    C_B = 0.5 * sum(basic_rack_factor(gear.rack.dedendum_factor, gear.alpha_n) for gear in pair.gears)
    z_n, beta = (small.z_n, inf if large.internal else large.z_n), pair.pinion.beta
    return blank_factor * C_B * stiffness_of_teeth(z_n=z_n, x=(small.x, large.x), beta=beta, moduli=moduli)


def stiffness_of_teeth(
    *, z_n: tuple[float, float], x: tuple[float, float], beta: float, moduli: tuple[float, float]
) -> float:
    """Return ``C_M cos beta/q' E/E_St`` [N/m2]: of solid discs and the standard rack, C_R = C_B = 1.

    Parameters
    ----------
    z_n : (float, float)
        Virtual numbers of teeth, that of the gear with fewer first; infinite of a ring.
    x : (float, float)
        Profile shifts.
    beta : float [rad]
    moduli : (float, float) [Pa]

    Raises
    ------
    Fault
    """
    for modulus in moduli:
        MODULUS.check(modulus, "single_stiffness, moduli")
    q = minimum_flexibility(*z_n, *x)
    if not q > 0.0:
        remedy = "give stiffness_N_per_m"
        raise Fault("flexibility q' of ISO 6336-1 [m2/N]", q, "greater than 0: it is for common tooth forms", remedy)
    E = 2.0 * moduli[0] * moduli[1] / (moduli[0] + moduli[1])
    return C_M * cos(beta) / q * E / E_STEEL


def of_all_pairs(single: float, eps_alpha: float) -> float:
    """Return c_gamma_alpha from c', ``c' (0.75 eps_alpha + 0.25)``, in its unit."""
    return single * (0.75 * eps_alpha + 0.25)


def _small_and_large(pair: GearPair) -> list[CylindricalGear]:
    """The gear with fewer teeth and the other one; a ring is the second."""
    return sorted(pair.gears, key=lambda gear: (gear.internal, gear.z))


def out_of_range(pair: GearPair) -> list[str]:
    """Say where a pair is outside of the range of the formulas, as it is commonly quoted; empty within.

    Of a ring, which counts as a rack, nothing is said of profile shifts.
    """
    small, large = _small_and_large(pair)
    both, found = small.x + large.x, []
    if not large.internal:
        if small.x < large.x - _SLACK and small.z != large.z:
            found.append(f"x1 = {small.x:.4g} is below x2 = {large.x:.4g}")
        if not LEAST_SHIFTS - _SLACK <= both <= LARGEST_SHIFTS + _SLACK:
            found.append(f"x1 + x2 = {both:.4g} is not within {LEAST_SHIFTS:g} and {LARGEST_SHIFTS:g}")
    if pair.eps_alpha < LEAST_CONTACT_RATIO:
        found.append(f"eps_alpha = {pair.eps_alpha:.4g} is below {LEAST_CONTACT_RATIO:g}")
    return found


def mesh_stiffness(
    pair: GearPair, moduli: tuple[float, float] = (E_STEEL, E_STEEL), blank_factor: float = 1.0
) -> float:
    """Return the mean mesh stiffness in the transverse section, along the line of action [N/m].

    ``c_gamma_alpha b_w``, ``c_gamma_alpha = c' (0.75 eps_alpha + 0.25)``.

    Parameters
    ----------
    pair, moduli, blank_factor
        As of :func:`single_stiffness`.

    Raises
    ------
    Fault

    Notes
    -----
    Source: ISO 6336-1:2006, 9.3.3. It holds for contact ratios eps_alpha from 1.2 on; below it is up to 10 % less.

    Examples
    --------
    >>> from alegear.geometry import Gear, GearPair
    >>> one, other = (Gear(z=z, m_n=4e-3, b=20e-3, bore_diameter=30e-3) for z in (20, 30))
    >>> round(1e-6 * mesh_stiffness(GearPair(pinion=one, wheel=other)))
    350
    """
    return of_all_pairs(single_stiffness(pair, moduli, blank_factor), pair.eps_alpha) * pair.b_w
