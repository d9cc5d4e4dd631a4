"""The derived gear data of a case, as ``alegear check --json`` prints them: the unit is in the key."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.units import RPM
from alegear.checks.design_warnings import design_warnings, rim_modules
from alegear.checks.speed_limits import hoop_stress_at_bore

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.fe.material import Material
    from alegear.geometry.cylindrical_gear import CylindricalGear
    from alegear.geometry.gear_pair import GearPair
    from alegear.mesh.sector import SectorMesh


def gear_data(case: Case, sectors: Sequence[SectorMesh | None] = (None, None)) -> dict[str, Any]:
    """Return diameters, masses and the engagement of a case, in mm, kg and degrees.

    Parameters
    ----------
    case : Case
    sectors : sequence of SectorMesh or None
        Of both gears, where grids made elsewhere have been read.

    Returns
    -------
    dict
        ``pinion``, ``wheel`` (diameters, mass, inertia, helix angle, virtual teeth, normal thickness at the reference
        and tip circles, bore, modules between the bore, which is rigid, and the root circle), ``pair`` (beta_w: helix
        angle of the pinion at its working pitch circle) and ``warnings``.
    """
    pair = case.pair
    d_w = pair.d_w
    return {
        "pinion": data_of_gear(pair.pinion, case.materials[0], float(d_w[0])),
        "wheel": data_of_gear(pair.wheel, case.materials[1], float(d_w[1])),
        "pair": data_of_pair(pair),
        "warnings": case_warnings(case, sectors),
    }


def data_of_pair(pair: GearPair) -> dict[str, float]:
    """Return the engagement of two gears."""
    return {
        "a_w_mm": 1e3 * pair.a_w,
        "alpha_t_deg": math.degrees(pair.alpha_t),
        "alpha_wt_deg": math.degrees(pair.alpha_wt),
        "beta_b_deg": math.degrees(pair.beta_b),
        "p_bt_mm": 1e3 * pair.p_bt,
        "g_alpha_mm": 1e3 * pair.g_alpha,
        "eps_alpha": float(pair.eps_alpha),
        "eps_alpha_usable": float(pair.eps_alpha_usable),
        "eps_beta": float(pair.eps_beta),
        # no backlash is 0, not the round-off of a difference of two pitches
        "j_wt_mm": round(1e3 * pair.j_wt, 9) + 0.0,
        "eps_gamma": float(pair.eps_gamma),
        "m_t_mm": 1e3 * pair.pinion.m_t,
        "beta_w_deg": math.degrees(pair.beta_w),
        "b_w_mm": 1e3 * pair.b_w,
    }


def data_of_gear(gear: CylindricalGear, material: Material, d_w: float | None = None) -> dict[str, float]:
    """Return diameters, mass and teeth of a gear; `d_w` [m] is that of its one mesh."""
    return {
        "d_mm": 1e3 * gear.d,
        "d_b_mm": 1e3 * gear.d_b,
        "d_a_mm": 1e3 * gear.d_a,
        "d_f_mm": 1e3 * gear.d_f,
        **({} if d_w is None else {"d_w_mm": 1e3 * d_w}),
        "d_Ff_mm": 1e3 * gear.d_Ff,
        "mass_kg": gear.mass(material.rho),
        "inertia_kg_m2": gear.inertia(material.rho),
        "beta_deg": math.degrees(gear.beta),
        "z_n": gear.z_n,
        "s_n_mm": 1e3 * gear.s_n,
        "s_an_mm": 1e3 * gear.s_an,
        "bore_mm": 1e3 * gear.d_rim,
        "rim_modules": rim_modules(gear, gear.d_rim),
    }


def case_warnings(case: Case, sectors: Sequence[SectorMesh | None] = (None, None)) -> list[str]:
    """Return what is known of a case before anything is computed; `sectors` of both gears."""
    return [*case.pair.warnings, *speed_warnings(case), *design_warnings(case, sectors)]


def speed_warnings(case: Case) -> list[str]:
    """Warn of gears that may burst: discs up to the tip circle, which is on the safe side, that begin to yield."""
    if not isinstance(case.analysis, DynamicAnalysis) or case.operation.pinion_speed is None:
        return []
    found = []
    for name, gear, material in zip(("pinion", "wheel"), case.pair.gears, case.materials, strict=True):
        speed = case.operation.pinion_speed * case.pair.pinion.z / gear.z
        stress = hoop_stress_at_bore(material, speed, gear.r_rim, gear.r_a)
        if stress > material.yield_strength:
            highest = speed * math.sqrt(material.yield_strength / stress)
            found.append(
                f"speed of the {name} = {speed / RPM:.4g} rpm, {speed * gear.r_a:.3g} m/s at the tip circle: as a disc "
                f"it has {1e-6 * stress:.3g} MPa at the bore, more than yield_strength_MPa = "
                f"{1e-6 * material.yield_strength:.3g}, and may burst; stay below {highest / RPM:.3g} rpm"
            )
    return found
