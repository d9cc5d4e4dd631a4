"""Tooth stiffness of ISO 6336-1:2006, method B, and the misalignment formula of its method C.

Pure functions of plain numbers, because they are compared with printed reports: lengths in mm, stiffness in N/(mm um).
`stiffness_of` takes them from a pair.
"""

from __future__ import annotations

import math

from alegear.geometry import GearPair
from alegear.geometry import iso_6336_stiffness as iso
from alegear.geometry.iso_6336_stiffness import C_M, basic_rack_factor

__all__ = ["C_M", "basic_rack_factor"]
LEAST_LINE_LOAD = 1e-3 * iso.LEAST_LINE_LOAD  # N/mm; below it the stiffness falls in proportion to the load
PER_WIDTH = 1e9  # N/(mm um) in N/m2


def minimum_flexibility(z_n1: float, z_n2: float, x_1: float, x_2: float) -> float:
    """Minimum flexibility q' [mm um/N] of a pair of teeth; gear 1 is the one with fewer teeth."""
    return PER_WIDTH * iso.minimum_flexibility(z_n1, z_n2, x_1, x_2)


def gear_blank_factor(web: float, face_width: float, rim: float, module: float) -> float:
    """Gear blank factor C_R of a web of width b_s and a rim of thickness s_R; 1 for solid discs."""
    return 1.0 + math.log(web / face_width) / (5.0 * math.exp(rim / (5.0 * module)))


def single_stiffness(
    flexibility: float, *, C_R: float = 1.0, C_B: float = 1.0, beta: float = 0.0, line_load: float = LEAST_LINE_LOAD
) -> float:
    """Single stiffness ``c' = 0.8 C_R C_B cos beta/q'`` [N/(mm um)], reduced below 100 N/mm of F_t K_A/b."""
    c = C_M * C_R * C_B * math.cos(beta) / flexibility
    return c * min(line_load / LEAST_LINE_LOAD, 1.0)


def stiffness_of(pair: GearPair, *, C_R: float = 1.0) -> float:
    """Single stiffness c' of a pair of steel gears [N/(mm um)], at 100 N/mm and more."""
    return iso.single_stiffness(pair, blank_factor=C_R) / PER_WIDTH


def mesh_stiffness(c: float, eps_alpha: float) -> float:
    """Mean mesh stiffness ``c_gamma_alpha = c' (0.75 eps_alpha + 0.25)`` [N/(mm um)]."""
    return c * (0.75 * eps_alpha + 0.25)


def face_load_factor(misalignment: float, c_gamma_beta: float, mean_line_load: float) -> float:
    """K_Hbeta of method C for an equivalent misalignment F_by [um] over the face, after running-in.

    Parameters
    ----------
    misalignment : float [um]
        F_by, difference of the separations at both ends of the face.
    c_gamma_beta : float [N/(mm um)]
        0.85 c_gamma_alpha.
    mean_line_load : float [N/mm]
        F_m/b.

    Returns
    -------
    float
        ``1 + F_by c/(2 F_m/b)`` up to 2, where the load just reaches both ends; beyond, ``sqrt(2 F_by c/(F_m/b))``.
    """
    ratio = misalignment * c_gamma_beta / (2.0 * mean_line_load)
    return 1.0 + ratio if ratio <= 1.0 else 2.0 * math.sqrt(ratio)
