"""What a case asks for that no gear is made for: thin rims, reliefs out of place, torque beyond any gear steel.

All from the case alone, before anything is meshed: estimates, good enough to tell a slip of the pen from a design. Each
warning names quantity, value, limit and remedy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.case.analysis import ModalAnalysis, StaticAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.checks.body_compliance import critical_section
from alegear.checks.mesh_stiffness import StiffnessBesideIso
from alegear.contact.numbering import GEARS
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.flank_points import diameter_at, round_begin
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.iso_6336_stiffness import usual_stiffness
from alegear.geometry.microgeometry import Microgeometry
from alegear.mesh.exchange import bore_diameter

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.mesh.sector import SectorMesh


THINNEST_RIM = 1.5  # modules under the root: thinner ones bend, and a bore that is held cannot
IN_ROUND = 0.1  # of a relief: less than that on the flank below the tip round is none
#: Relief over the roll length it takes. Flanks in contact part by 2 p/E* at the ends of their strip, 0.02 to 0.04 at
#: 1000 to 2400 MPa: one that begins steeper is a corner under it. Computed with 5 and 20 um on sharp tips of module 2:
#: the largest pressure grows by 4 % at most up to 0.027, by 15 to 19 % at 0.054, by half and more at 0.11.
STEEPEST = 0.06
DEEP_RELIEF = 3.0  # deflections: a relief that the load closes is about one
USUAL_RELIEF = 0.01  # modules; up to here it may be meant for a larger load than that of the case, but for
PART_LOAD = 50.0  # deflections: below 2 % of the load that a relief is made for, a unit is wrong
LEAST_FACE = 0.25  # of the face that carries: with less a pair is in contact at a corner
USUAL_KINEMATIC_ERROR = 0.005  # modules
COARSE = 0.1  # of the range of a measured flank, that the grid through its points may be off
FEWEST_POSITIONS = 4  # of a pitch, for a peak-to-peak value
GRID_FITS = 2e-4  # modules by which the bore of a grid may differ, as its other dimensions may
STRESS_CORRECTION = 2.0  # of the notch in the root, about Y_S of ISO 6336-3


def design_warnings(
    case: Case, sectors: Sequence[SectorMesh | None] = (None, None), stiffness: float | None = None
) -> list[str]:
    """Return what is known of two gears in mesh before anything is computed, whatever turns with them and how far.

    Parameters
    ----------
    case : Case
    sectors : sequence of SectorMesh or None
        Of both gears, for the bores of grids made elsewhere; without them nothing is said of those.
    stiffness : float, optional [N/m]
        Mean mesh stiffness that was computed; estimated if not given.
    """
    return [
        *case.pair.warnings,
        *rim_warnings(case.pair, rigid_bores(case, sectors)),
        *beside_iso(case, sectors, stiffness).warnings(),
        *flank_warnings(case.pair, case.materials, case.operation.pinion_torque),
        *strength_warnings(case.pair, case.materials, case.operation.pinion_torque),
        *_heat_warnings(case),
        *_bore_warnings(case, sectors),
    ]


def rigid_bores(case: Case, sectors: Sequence[SectorMesh | None] = (None, None)) -> list[float | None]:
    """Diameters [m] that are held rigid; None of grids made elsewhere that are not given."""
    bores: list[float | None] = []
    for gear, file, sector in zip(case.pair.gears, case.grid_files, sectors, strict=True):
        if file is None:
            bores.append(gear.d_rim)
        else:
            bores.append(None if sector is None else bore_diameter(sector))
    return bores


def beside_iso(
    case: Case, sectors: Sequence[SectorMesh | None] = (None, None), stiffness: float | None = None
) -> StiffnessBesideIso:
    """Return the mesh stiffness of a case beside ISO 6336-1; of segments, whose ends are free, without the bodies.

    Parameters as of :func:`design_warnings`.
    """
    bores = [
        None if teeth is not None and teeth < gear.z else bore
        for teeth, gear, bore in zip(case.teeth_modelled, case.pair.gears, rigid_bores(case, sectors), strict=True)
    ]
    return StiffnessBesideIso(pair=case.pair, materials=case.materials, bores=bores, computed=stiffness)


def _heat_warnings(case: Case) -> list[str]:
    """Warn where friction heats flanks whose thermal constants are not known."""
    moves = isinstance(case.analysis, DynamicAnalysis) or bool(case.operation.pinion_speed)
    if case.friction.kind == "none" or not moves or isinstance(case.analysis, SweepAnalysis | ModalAnalysis):
        return []
    return [
        f"flash temperature is left out: youngs_modulus_GPa = {1e-9 * material.E:.4g} and density_kg_m3 = "
        f"{material.rho:.4g} of the {name} are not those of a steel: give {' and '.join(keys)} in [material] or "
        f"[{name}.material]"
        for name, material in zip(GEARS, case.materials, strict=True)
        if (keys := material.missing_for_heat)
    ]


def few_pitches(pair: GearPair, analysis: object) -> list[str]:
    """Warn of positions that leave out most of the teeth of a gear whose teeth differ."""
    if not isinstance(analysis, StaticAnalysis):
        return []
    pitches = analysis.pitches
    return [
        f"pitches = {pitches}: the teeth of the {name} differ, and only so many of its {abs(gear.z)} pitches are run "
        f"over: largest values and peak to peak are theirs; write pitches = {abs(gear.z)} for a revolution"
        for name, gear in zip(GEARS, pair.gears, strict=True)
        if not gear.teeth_alike and pitches < abs(gear.z)
    ]


def few_positions(positions_per_pitch: int) -> list[str]:
    """Warn of too few positions of a pitch."""
    if positions_per_pitch >= FEWEST_POSITIONS:
        return []
    return [
        f"positions_per_pitch = {positions_per_pitch}: peak to peak and extremes over so few "
        f"positions say little of a pitch; take {FEWEST_POSITIONS} or more, 32 for orders"
    ]


# ------------------------------------------------------------------------------- bodies
def rim_warnings(pair: GearPair, bores: Sequence[float | None]) -> list[str]:
    """Warn of what a rigid bore makes of a thin rim: stiffer than it is."""
    found = []
    for name, gear, bore in zip(GEARS, pair.gears, bores, strict=True):
        if bore is None:
            continue
        rim = rim_modules(gear, bore)
        if rim < THINNEST_RIM:
            largest = gear.d_f - 2.0 * THINNEST_RIM * gear.m_n
            found.append(
                f"rim of the {name} = {rim:.3g} modules between bore and root circle: less than {THINNEST_RIM:g}. The "
                "bore is rigid, so a thinner rim comes out stiffer and less stressed, not softer: take "
                f"bore_diameter_mm = {1e3 * largest:.4g} or less, where the gear is really held, or a grid of rim and "
                f"web ([{name}.grid] file)"
            )
    return found


def _bore_warnings(case: Case, sectors: Sequence[SectorMesh | None]) -> list[str]:
    """Say where a grid has another bore than its gear: a web, for example, is allowed."""
    found = []
    for name, file, sector, gear in zip(GEARS, case.grid_files, sectors, case.pair.gears, strict=True):
        if file is None or sector is None:
            continue
        if abs((bore := bore_diameter(sector)) - gear.d_rim) > GRID_FITS * gear.m_n:
            found.append(
                f"{name}.grid.file has the bore diameter {1e3 * bore:.6g} mm, bore_diameter_mm = "
                f"{1e3 * gear.d_rim:.6g}: mass and inertia are those of the solid gear of the case"
            )
    return found


def rim_modules(gear: CylindricalGear, bore: float) -> float:
    """Modules between a bore of this diameter [m] and the root circle."""
    return 0.5 * (gear.d_f - bore) / gear.m_n


# ------------------------------------------------------------------------------- flanks
def flank_warnings(pair: GearPair, materials: Sequence[Material], torque: float) -> list[str]:
    """Warn of reliefs that do nothing, that no load of the case closes, or that leave no flank to hand over on.

    Parameters
    ----------
    pair : GearPair
    materials : sequence of Material
        Of both gears.
    torque : float [N m]
        On the pinion; of an idle pair 0.
    """
    deflection = deflection_of(pair, materials, torque)
    found = []
    for name, gear in zip(pair.names.gears, pair.gears, strict=True):
        found += _in_the_round(name, gear)
        found += _steep(name, gear)
        found += _coarsely_measured(name, gear)
        deepest = max(DEEP_RELIEF * deflection, min(USUAL_RELIEF * gear.m_n, PART_LOAD * deflection))
        relief = gear.microgeometry.tip_relief
        if torque and relief > deepest:
            found.append(
                f"tip_relief_um of {name} = {1e6 * relief:.4g}: more than {1e6 * deepest:.2g} um, far beyond the "
                f"about {1e6 * deflection:.2g} um that the load deflects the teeth: the tip takes no part at any "
                f"position: reduce tip_relief_um, or check {pair.names.torque} = {torque:.4g} and its unit"
            )
    found += _at_a_corner(pair, materials, torque)
    error = kinematic_error(pair)
    largest = max(deflection, USUAL_KINEMATIC_ERROR * pair.pinion.m_n)
    if error > largest:
        found.append(
            f"reliefs leave less than a pitch of the path of contact: without load the transmission error is "
            f"{1e6 * error:.3g} um peak to peak, more than {1e6 * largest:.3g} um (the load deflects the teeth by "
            f"about {1e6 * deflection:.2g} um), and pairs hand over by a blow: begin tip_relief_start_diameter_mm "
            "nearer to the tip, root_relief_start_diameter_mm nearer to the root, or reduce the reliefs"
        )
    return found


def deflection_of(pair: GearPair, materials: Sequence[Material], torque: float) -> float:
    """About how far a torque on the pinion [N m] deflects the teeth along the line of action [m]."""
    return abs(torque / pair.pinion.r_b) / (usual_stiffness(material.E for material in materials) * pair.b_w)


def _at_a_corner(pair: GearPair, materials: Sequence[Material], torque: float) -> list[str]:
    """Tell where the load is so small that crowning, helix slope and tilt leave little of the face in contact."""
    share = loaded_face(pair, materials, torque)
    if not torque or share >= LEAST_FACE:
        return []
    deflection = deflection_of(pair, materials, torque)
    return [
        f"{pair.names.torque} = {torque:.4g}: deflects the teeth by about {1e6 * deflection:.2g} um, "
        f"which closes crowning, helix slope, end relief and tilt over {100.0 * share:.2g} % of the face only, "
        f"less than {100.0 * LEAST_FACE:.0f} %: check the unit of the torque, or reduce lead_crowning_um, "
        "helix_slope_um or the tilt"
    ]


def loaded_face(pair: GearPair, materials: Sequence[Material], torque: float, sections: int = 2001) -> float:
    r"""Part of the common face that carries about the pitch point, of the flanks as they are designed.

    Teeth give way section by section: the gap g over the face is closed where :math:`g < \delta`, with

    .. math:: \frac{1}{b} \int \max(\delta - g, 0)\, dz = \bar\delta

    and the mean deflection :math:`\bar\delta` of the torque.
    """
    z = np.linspace(*pair.common_face, sections)
    xi_1 = pair.roll_length_pitch_point
    pinion, wheel = (gear.with_microgeometry(_designed(gear.microgeometry)) for gear in pair.gears)
    gap = pinion.flank_removal(np.full_like(z, xi_1), z) - z * pair.alignment.tilt_plane_of_action
    gap = gap + wheel.flank_removal(np.full_like(z, pair.line_of_action - xi_1), z + pair.alignment.axial_offset)
    gap = np.sort(gap - gap.min())
    # sections closed one after the other: what that takes, until the mean deflection is reached
    closed = np.arange(1, sections) * gap[1:] - np.cumsum(gap)[:-1]
    return float(1 + np.searchsorted(closed, sections * deflection_of(pair, materials, torque))) / sections


def _in_the_round(name: str, gear: CylindricalGear) -> list[str]:
    """Tell where a tip relief begins so late that the tip round takes it."""
    flank = gear.microgeometry
    if not flank.tip_relief > 0.0 or flank.tip_relief_start_diameter is None:
        return []
    start, tip = (float(gear.roll_length(r)) for r in (0.5 * flank.tip_relief_start_diameter, gear.r_a))
    share = max(round_begin(gear) - start, 0.0) / (tip - start)
    if flank.tip_relief_shape == "parabolic":
        share **= 2
    if share >= IN_ROUND:
        return []
    begin = abs(diameter_at(gear, round_begin(gear)))
    return [
        f"tip relief of {name} begins at {1e3 * flank.tip_relief_start_diameter:.6g} mm: of tip_relief_um = "
        f"{1e6 * flank.tip_relief:.4g} the flank keeps {1e6 * share * flank.tip_relief:.2g} um, for the tip round "
        f"begins at {1e3 * begin:.6g} mm: begin tip_relief_start_diameter_mm below that, or reduce tip_rounding_mm"
    ]


def _steep(name: str, gear: CylindricalGear) -> list[str]:
    """Tell where a relief is so short that it begins with a corner."""
    flank, found = gear.microgeometry, []
    form, tip = gear.tooth_profile.roll_length_form, float(gear.roll_length(gear.r_a))
    kinds = (("tip", flank.tip_relief, flank.tip_relief_start_diameter, tip, "below the tip"),
             ("root", flank.root_relief, flank.root_relief_start_diameter, form, "above the form circle"))  # fmt: skip
    for kind, relief, diameter, end, where in kinds:
        if not relief > 0.0 or diameter is None or (kind == "tip" and _in_the_round(name, gear)):
            continue
        length = abs(end - float(gear.roll_length(0.5 * diameter)))
        if relief <= STEEPEST * length:
            continue
        found.append(
            f"{kind}_relief_um of {name} = {1e6 * relief:.4g} over {1e3 * length:.3g} mm of roll length: "
            f"{relief / length:.2g} um per um, more than {STEEPEST:g}: it begins with a corner, whose pressure tells "
            f"of that and not of the flank; begin {kind}_relief_start_diameter_mm at least "
            f"{1e3 * relief / STEEPEST:.3g} mm of roll length {where}, or reduce {kind}_relief_um"
        )
    return found


def _coarsely_measured(name: str, gear: CylindricalGear) -> list[str]:
    """Tell where scattered points of a flank are too few for its shape."""
    return [
        f"{key} of {name} = points that are no grid: laid through them it may be off by "
        f"{1e6 * one.resampling_error:.2g} um, more than {100.0 * COARSE:.0f} % of its range of "
        f"{1e6 * float(np.ptp(one.removal)):.3g} um: measure more points, or leave out those that are wrong"
        for key, one in gear.microgeometry.measured.items()
        if one.resampling_error is not None and one.resampling_error > COARSE * float(np.ptp(one.removal))
    ]


def kinematic_error(pair: GearPair, positions: int = 128, sections: int = 17) -> float:
    """Peak-to-peak transmission error without load [m]: the pair and the section that touch first set the position.

    Of the flanks as they are designed, on the usable path of contact; what was measured, tip edges and tilts are left
    out.
    """
    if not any(gear.microgeometry.tip_relief or gear.microgeometry.root_relief for gear in pair.gears):
        return 0.0
    low, high = pair.path_of_contact_usable
    face = np.linspace(*pair.common_face, sections)
    pairs = np.arange(-math.ceil(pair.eps_gamma) - 1, math.ceil(pair.eps_gamma) + 2)
    phase = np.arange(positions) / positions
    own, z = np.broadcast_arrays(phase[:, None, None] + pairs[:, None], face)
    xi_1, xi_2 = pair.contact_roll_lengths(own, "pinion", z)
    removal: Array = np.full(own.shape, np.inf)
    touching = (low <= xi_1) & (xi_1 <= high)
    pinion, wheel = (gear.with_microgeometry(_designed(gear.microgeometry)) for gear in pair.gears)
    removal[touching] = pinion.flank_removal(xi_1[touching], z[touching]) + wheel.flank_removal(
        xi_2[touching], z[touching] + pair.alignment.axial_offset
    )
    first = removal.min(axis=(1, 2))
    return float(np.ptp(first)) if np.isfinite(first).all() else 0.0


def _designed(micro: Microgeometry) -> Microgeometry:
    """The same without what was measured."""
    return replace(micro, topography=None, topography_left=None, topography_right=None, pitch_deviation=None)


# ----------------------------------------------------------------------------- strength
def unknown_strengths(materials: Mapping[str, Material]) -> list[str]:
    """Say of which gears no strength is known, so that none of their stresses is compared with anything.

    Parameters
    ----------
    materials : mapping of str to Material
        By gear.

    Returns
    -------
    list of str
        At most one sentence.
    """
    silent = [name for name, material in materials.items() if not material.has_strengths]
    if not silent:
        return []
    return [
        f"strengths of {', '.join(silent)} = none given: the material is no steel, so their stresses are compared with "
        "nothing; give yield_strength_MPa, root_endurance_MPa, contact_endurance_MPa in [material] for a comparison"
    ]


def strength_warnings(pair: GearPair, materials: Sequence[Material], torque: float) -> list[str]:
    """Warn of a torque that the material does not bear even once, by pressure at the pitch point and root stress.

    Of a material whose strengths are not known nothing is said.
    """
    found = []
    pressure = pitch_point_pressure(pair, materials, torque)
    bearable, weaker = weaker_flank(materials)
    if weaker is not None and pressure > bearable:
        found.append(
            f"{pair.names.torque} = {torque:.4g}: about {1e-6 * pressure:.3g} MPa of Hertzian pressure at the pitch "
            f"point, more than the {1e-6 * bearable:.4g} MPa that {weaker.owner_of('contact_strength')} bears once: "
            f"stay below {abs(torque) * (bearable / pressure) ** 2:.3g}"
        )
    for name, gear, material in zip(pair.names.gears, pair.gears, materials, strict=True):
        stress, strength = (
            tip_load_root_stress(gear, abs(torque / pair.pinion.r_b) / pair.b_w),
            material.known("root_strength"),
        )
        if strength is not None and stress > strength:
            found.append(
                f"{pair.names.torque} = {torque:.4g}: about {1e-6 * stress:.3g} MPa in the root of {name} under a "
                f"load at its tip, more than the {1e-6 * strength:.4g} MPa that "
                f"{material.owner_of('root_strength')} bears once: stay below {abs(torque) * strength / stress:.3g}"
            )
    return found


def weaker_flank(materials: Iterable[Material]) -> tuple[float, Material | None]:
    """Return the smaller pressure that flanks bear once [Pa], with its material; infinite and None if none is known."""
    known = [(value, one) for one in materials if (value := one.known("contact_strength")) is not None]
    return min(known, default=(math.inf, None), key=lambda pair: pair[0])


def pitch_point_pressure(pair: GearPair, materials: Sequence[Material], torque: float) -> float:
    """Hertzian pressure [Pa] of one pair at the pitch point under the whole load, over the common face."""
    rho_1, rho_2 = (float(radius) for radius in pair.curvature_radii(0.0, "pinion"))
    stiffness = 1.0 / sum((1.0 - m.nu**2) / m.E for m in materials)
    line_load = abs(torque / pair.pinion.r_b) / pair.b_w  # of F_b/cos beta_b over b/cos beta_b
    return math.sqrt(line_load * stiffness / math.pi * (1.0 / rho_1 + 1.0 / rho_2))


def tip_load_root_stress(gear: CylindricalGear, line_load: float) -> float:
    r"""Root stress [Pa] of a tooth that carries a line load [N/m] at its tip, as a cantilever with a notch.

    .. math:: \sigma = Y_S \frac{6\, h_{Fa} \cos\alpha_{Fa}}{s_F^2} F'

    with the section where the root curve is inclined by 30 degrees to the centre line, s_F wide, and the lever h_Fa to
    where the normal at the tip meets the centre line (Lewis' section, as in ISO 6336-3), Y_S = 2.
    """
    profile = gear.tooth_profile
    (x, y), tip = critical_section(gear), profile.points(np.array([profile.s_tip]))[0]
    normal = profile.normals(np.array([profile.s_tip]))[0]
    lever = tip[0] - tip[1] * normal[0] / normal[1] - x
    width = 2.0 * abs(y)
    return float(STRESS_CORRECTION * 6.0 * lever * abs(normal[1]) / width**2 * line_load)
