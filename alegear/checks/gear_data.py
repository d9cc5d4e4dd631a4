"""The derived gear data of a case, as ``alegear check --json`` prints them: the unit is in the key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import sampling_warnings
from alegear.checks.design_warnings import beside_iso, design_warnings, few_pitches, rim_modules, unknown_strengths
from alegear.checks.speed_limits import hoop_stress_at_bore
from alegear.errors import Fault
from alegear.geometry import flank_points as points
from alegear.geometry import iso_6336_stiffness as iso_6336
from alegear.geometry.tooth_measures import base_tangent_length, dimension_over_balls, usual_ball, usual_span
from alegear.units import RPM

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.fe.material import Material
    from alegear.geometry.alignment import Alignment
    from alegear.geometry.cylindrical_gear import CylindricalGear
    from alegear.geometry.gear_pair import GearPair
    from alegear.mesh.sector import SectorMesh


MEMBERS: tuple[Literal["pinion"], Literal["wheel"]] = ("pinion", "wheel")
N_PER_MM_UM = 1e-9
"""One N/m2 in N/(mm um)."""


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
        ``pinion``, ``wheel`` (:func:`data_of_gear`, :func:`data_of_flank`), ``pair`` (:func:`data_of_pair`),
        ``deviations`` (:func:`deviations`), ``flanks`` (:func:`data_of_points` of ``pinion`` and ``wheel``) and
        ``warnings``.
    """
    pair = case.pair
    d_w = pair.d_w
    speed = case.operation.pinion_speed
    return {
        **{
            name: {
                "teeth": abs(gear.z),
                **data_of_gear(gear, material, float(d_w[number])),
                **data_of_flank(pair, number),
            }
            for number, (name, gear, material) in enumerate(zip(MEMBERS, pair.gears, case.materials, strict=True))
        },
        "pair": {**data_of_pair(pair, (case.materials[0].E, case.materials[1].E)), **data_of_bodies(case, sectors)},
        "deviations": deviations(dict(zip(MEMBERS, pair.gears, strict=True)), {"alignment": pair.alignment}),
        "flanks": {name: data_of_points(pair, number, speed) for number, name in enumerate(MEMBERS)},
        "warnings": case_warnings(case, sectors),
    }


def deviations(
    gears: Mapping[str, CylindricalGear], alignments: Mapping[str, Alignment]
) -> dict[str, dict[str, float | str]]:
    """Return how flanks and shafts deviate from the nominal ones, by gear and alignment; those that do not left out."""
    found = {name: gear.microgeometry.given for name, gear in gears.items()}
    found |= {name: alignment.given for name, alignment in alignments.items()}
    return {name: given for name, given in found.items() if given}


def data_of_pair(pair: GearPair, moduli: tuple[float, float]) -> dict[str, float | str | None]:
    """Return the engagement of two gears of these Young's moduli [Pa].

    ``x_sum`` is the sum of the profile shifts, ``x_sum_without_backlash`` what the centre distance needs;
    ``eps_alpha_form`` the contact ratio that the tip rounds leave, which ISO 21771 calls eps_alpha; ``c_prime`` and
    ``c_gamma_alpha`` are the stiffnesses of ISO 6336-1 for 100 N per mm of face width and more, None where its formula
    has no answer, ``iso_6336_note`` says where the pair is outside of the range that is commonly quoted for them, and
    is left out within; ``beta_w`` the helix angle of the pinion at its working pitch circle.
    """
    low, high = pair.path_of_contact_usable
    pinion, wheel = pair.gears
    rounds = max(low, pair.line_of_action - points.round_begin(wheel)), min(high, points.round_begin(pinion))
    c_prime: float | None
    c_gamma: float | None
    try:
        c_prime = iso_6336.single_stiffness(pair, moduli)
        c_gamma = iso_6336.mesh_stiffness(pair, moduli) / pair.b_w
    except Fault:
        c_prime = c_gamma = None
    outside = iso_6336.out_of_range(pair)
    note = {"iso_6336_note": f"outside of the range as commonly quoted: {', '.join(outside)}"} if outside else {}
    return {
        "a_w_mm": 1e3 * pair.a_w,
        "m_n_mm": 1e3 * pinion.m_n,
        "alpha_t_deg": math.degrees(pair.alpha_t),
        "alpha_wt_deg": math.degrees(pair.alpha_wt),
        "beta_b_deg": math.degrees(pair.beta_b),
        "x_sum": pinion.x + wheel.x,
        "x_sum_without_backlash": points.needed_profile_shifts(pair),
        "p_bt_mm": 1e3 * pair.p_bt,
        "g_alpha_mm": 1e3 * pair.g_alpha,
        "eps_alpha": float(pair.eps_alpha),
        "eps_alpha_usable": float(pair.eps_alpha_usable),
        "eps_alpha_form": (rounds[1] - rounds[0]) / pair.p_bt,
        "eps_beta": float(pair.eps_beta),
        "j_wt_mm": 1e3 * pair.j_wt,
        "j_bn_mm": 1e3 * pair.j_bn,
        "eps_gamma": float(pair.eps_gamma),
        "m_t_mm": 1e3 * pair.pinion.m_t,
        "beta_w_deg": math.degrees(pair.beta_w),
        "b_w_mm": 1e3 * pair.b_w,
        "c_prime_N_per_mm_um": None if c_prime is None else N_PER_MM_UM * c_prime,
        "c_gamma_alpha_N_per_mm_um": None if c_gamma is None else N_PER_MM_UM * c_gamma,
        **note,
    }


def data_of_bodies(case: Case, sectors: Sequence[SectorMesh | None] = (None, None)) -> dict[str, Any]:
    """Return what the bodies of both gears make of the mesh stiffness of ISO 6336-1.

    ``mesh_stiffness_estimate`` is that of ISO 6336-1 with the bodies beyond full discs that do not turn,
    ``body_deflection_share`` the parts of the deflection by which the rims turn and shift about their rigid bores.
    """
    beside = beside_iso(case, sectors)
    estimate, shares = beside.stiffness, beside.shares
    if estimate is None or None in shares:
        return {}
    return {"mesh_stiffness_estimate_N_per_um": 1e-6 * estimate, "body_deflection_share": shares}


def data_of_flank(pair: GearPair, number: int) -> dict[str, float | None]:
    """Return what a mesh makes of the flank of its first (0) or second gear (1).

    Tip clearance, active diameters (d_Nf, d_Na) and those of single pair contact, and the specific sliding at the
    active root and tip; see :func:`~alegear.geometry.flank_points.flank_points`.
    """
    gear, at = pair.gears[number], points.flank_points(pair, MEMBERS[number])
    diameters = {
        f"d_{name}_mm": 1e3 * points.diameter_at(gear, at[name]) if name in at else None
        for name in ("Nf", "LPSTC", "HPSTC", "Na")
    }
    return {
        "tip_clearance_mm": 1e3 * points.tip_clearances(pair)[number],
        **diameters,
        "specific_sliding_root": _specific_sliding(pair, number, at["Nf"]),
        "specific_sliding_tip": _specific_sliding(pair, number, at["Na"]),
    }


def data_of_flanks(pair: GearPair) -> dict[str, list[float | None]]:
    """Return :func:`data_of_flank` of both gears of a mesh."""
    first, second = (data_of_flank(pair, number) for number in range(2))
    return {key: [first[key], second[key]] for key in first}


def data_of_points(pair: GearPair, number: int, speed: float | None = None) -> dict[str, dict[str, float | None]]:
    """Return diameter, roll length, roll angle and sliding of the points of a flank, from root to tip.

    Parameters
    ----------
    pair : GearPair
    number : int
        0 for its first gear, 1 for its second.
    speed : float or None [rad/s]
        Of the first gear, for ``sliding_m_per_s``, the speed at which the flanks slide.
    """
    gear, at = pair.gears[number], points.flank_points(pair, MEMBERS[number])
    found: dict[str, dict[str, float | None]] = {}
    same = 1e-9 * gear.m_n  # the end of the flank may be that of the contact, to round-off
    for name, xi in at.items():
        touched = at["Nf"] - same <= xi <= at["Na"] + same
        found[name] = {
            "d_mm": 1e3 * points.diameter_at(gear, xi),
            "roll_length_mm": 1e3 * xi,
            "roll_angle_deg": math.degrees(points.roll_angle(gear, xi)),
            "specific_sliding": _specific_sliding(pair, number, xi) if touched else None,
        }
        if speed is not None:
            v_1, v_2 = points.rolling_speeds(pair, _of_first(pair, number, xi), speed)
            # at the pitch point 0 as well, in parts of the rolling speed
            slides = abs(float(v_1 - v_2))
            found[name]["sliding_m_per_s"] = (slides if slides > 1e-12 * abs(float(v_1)) else 0.0) if touched else None
    return found


def _of_first(pair: GearPair, number: int, roll_length: float) -> float:
    """The first gear's roll length [m] where the one of that number has this one."""
    return pair.line_of_action - roll_length if number else roll_length


def _specific_sliding(pair: GearPair, number: int, roll_length: float) -> float | None:
    """Of the gear at its own roll length; None where its flank stands still."""
    sliding = float(points.specific_sliding(pair, _of_first(pair, number, roll_length))[number])
    # at the pitch point nothing slides: 0, not the round-off of a difference
    return round(sliding, 12) + 0.0 if math.isfinite(sliding) else None


def data_of_gear(gear: CylindricalGear, material: Material, d_w: float | None = None) -> dict[str, float | None]:
    """Return diameters, mass and teeth of a gear; `d_w` [m] is that of its one mesh.

    ``d_Ff`` and ``d_Fa`` are its form circles, d_Fa where the tip round begins; ``W_k`` is the base tangent length over
    ``k`` teeth, of a ring spaces, ``M_d`` the dimension over (between) balls of the diameter ``D_M``, both with the
    thickness allowance, None where they cannot be measured; ``z_n`` are the virtual teeth, ``s_n`` and ``s_an`` the
    normal thickness at the reference and tip circles, ``topography_error`` by how much a grid through scattered points
    of a measured flank may be off, None without, ``rim_modules`` modules between the bore, which is rigid, and the
    root circle.
    """
    k, D_M = usual_span(gear), usual_ball(gear)
    return {
        "x": gear.x,
        "d_mm": 1e3 * gear.d,
        "d_b_mm": 1e3 * gear.d_b,
        "d_a_mm": 1e3 * gear.d_a,
        "d_f_mm": 1e3 * gear.d_f,
        **({} if d_w is None else {"d_w_mm": 1e3 * d_w}),
        "d_Ff_mm": 1e3 * gear.d_Ff,
        "d_Fa_mm": 1e3 * points.diameter_at(gear, points.round_begin(gear)),
        "mass_kg": gear.mass(material.rho),
        "inertia_kg_m2": gear.inertia(material.rho),
        "beta_deg": math.degrees(gear.beta),
        "z_n": gear.z_n,
        "s_n_mm": 1e3 * gear.s_n,
        "s_an_mm": 1e3 * gear.s_an,
        "k": k,
        "W_k_mm": None if k is None else 1e3 * base_tangent_length(gear, k),
        "D_M_mm": None if D_M is None else 1e3 * D_M,
        "M_d_mm": None if D_M is None else 1e3 * dimension_over_balls(gear, D_M),
        "topography_error_um": None if (error := gear.microgeometry.resampling_error) is None else 1e6 * error,
        "bore_mm": 1e3 * gear.d_rim,
        "rim_modules": rim_modules(gear, gear.d_rim),
    }


def case_warnings(
    case: Case, sectors: Sequence[SectorMesh | None] = (None, None), stiffness: float | None = None
) -> list[str]:
    """Return what is known of a case before anything is computed: of its design, its speeds and its analysis.

    Parameters as of :func:`~alegear.checks.design_warnings.design_warnings`.
    """
    materials = dict(zip(case.pair.names.gears, case.materials, strict=True))
    return [
        *design_warnings(case, sectors, stiffness),
        *speed_warnings(case),
        *few_pitches(case.pair, case.analysis),
        *sampling_warnings(case),
        *unknown_strengths(materials),
    ]


def speed_warnings(case: Case) -> list[str]:
    """Warn of gears that may burst."""
    if not isinstance(case.analysis, DynamicAnalysis) or case.operation.pinion_speed is None:
        return []
    found = []
    for name, gear, material in zip(case.pair.names.gears, case.pair.gears, case.materials, strict=True):
        found += bursting(name, gear, material, case.operation.pinion_speed * case.pair.pinion.z / gear.z)
    return found


def bursting(name: str, gear: CylindricalGear, material: Material, speed: float) -> list[str]:
    """Warn of a gear that may burst at a speed [rad/s]: a disc up to the tip circle, on the safe side, begins to yield.

    Of a ring, which is no disc, nothing is said.
    """
    strength = material.known("yield_strength")
    if strength is None or gear.internal:
        return []
    stress = hoop_stress_at_bore(material, abs(speed), gear.r_rim, gear.r_a)
    if stress <= strength:
        return []
    highest = abs(speed) * math.sqrt(strength / stress)
    return [
        f"speed of {name} = {abs(speed) / RPM:.4g} rpm, {abs(speed) * gear.r_a:.3g} m/s at the tip circle: as a disc "
        f"it has {1e-6 * stress:.3g} MPa at the bore, more than yield_strength_MPa = "
        f"{1e-6 * strength:.3g}, and may burst; stay below {highest / RPM:.3g} rpm"
    ]
