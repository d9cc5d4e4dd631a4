"""Teeth in engagement: where they run into each other, what makes a pair impossible, what it is warned of."""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, atan2, cos, degrees, floor, hypot, isfinite, radians, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.geometry.involute import backlash_at, profile_shift_sum
from alegear.geometry.tooth_profile import ToothProfile

if TYPE_CHECKING:
    from alegear.geometry.cylindrical_gear import CylindricalGear
    from alegear.geometry.gear_pair import GearPair

Array = NDArray[np.float64]

INTERFERENCE_LIMIT = 5e-4
"""Modules to which a mating tip may cut into a root: 2 um of module 4 mm, less than the roughness of its flanks."""

BACKLASH_ROUND_OFF = 1e-3
"""Negative backlash in modules that is no slip: profile shifts are printed with three decimals."""

BACKLASH_OF_DIGITS = 2e-4
"""Negative backlash in modules that nothing is said of: what the fourth decimal of profile shifts leaves."""

WIDE_BACKLASH = 0.1
"""Backlash in modules, far more than allowances leave: a slip may be behind it."""

LOW_CONTACT_RATIO = 1.2
"""Below it one pitch error takes the overlap of the pairs away: a warning."""

LOW_PRESSURE_ANGLE = radians(14.4)
"""Below the least that is in use, 14.5 degrees, a pair that has no contact is advised to take more."""

LEAST_COMMON_FACE = 0.01
"""Part of the narrower face that must meet the other one."""

THIN_TIP = 0.2
"""Normal tip thickness in modules below which a case-hardened tip may break: a warning."""

#: By what a contact ratio is limited, in messages.
TIP_CIRCLES, FORM_CIRCLES = "tip circles", "tip and root form circles"

_SWEEP, _CURVE = 801, 801
_PHASES, _FEEDS = 33, 81


class Penetration(NamedTuple):
    """How far something goes into a tooth.

    Attributes
    ----------
    depth : float [m]
        Largest depth inside the material; 0 if there is none.
    radius : float [m]
        Distance of that place from the gear's axis.
    """

    depth: float
    radius: float


class Corner(NamedTuple):
    """The corner of a tip, or its round, on the side that faces flanks a of the mate.

    Attributes
    ----------
    r : float [m]
        Distance of the corner, or of the centre of the round, from its axis; negative of a ring.
    angle : float [rad]
        From the middle of its tooth, with the sign of the gear.
    rho : float [m]
        Radius of the round.
    """

    r: float
    angle: float
    rho: float = 0.0


def tip_corner(gear: CylindricalGear, r_a: float, turn: float) -> Corner:
    """Return the corner of a tip, rounded as the contact has it (:func:`alegear.geometry.flank_points.round_begin`).

    The centre of the round lies rho below flank and tip circle, so on the same tangent of the base circle as the point
    with roll length xi at which it leaves the flank: ``r_b^2 + (xi - rho)^2 = (r_a - rho)^2``, at the angle
    ``s/(2 r) - arctan(xi/r_b) + arctan((xi - rho)/r_b)`` from the middle of the tooth.

    Parameters
    ----------
    gear : CylindricalGear
    r_a : float [m]
        Tip radius, negative of a ring: its own, or another.
    turn : float [rad]
        By which it is turned into contact with the flank that it faces.
    """
    rho = gear.tip_rounding_radius
    along = gear.sign * sqrt(max((r_a - rho) ** 2 - gear.r_b**2, 0.0))  # xi - rho
    xi, sign = rho + along, gear.sign
    r = sign * hypot(gear.r_b, xi)
    angle = 0.5 * gear.s_at(r) / r - atan2(sign * xi, abs(gear.r_b)) + atan2(sign * along, abs(gear.r_b))
    return Corner(sign * hypot(gear.r_b, along), angle + turn, rho)


def sweep(profile: ToothProfile, corner: Corner, *, a: float, ratio: float) -> Penetration:
    """Sweep the tip corner of a mate over flank a and root of a gear, both turning in the ratio of their teeth.

    In the frame of that gear the corner, at angle delta before the line of centres, stands at
    ``sign (a - r exp(i delta)) exp(-i gamma)``, with the gear turned by ``gamma = (angle - delta) ratio``.

    Parameters
    ----------
    profile : ToothProfile
        Of the gear.
    corner : Corner
        Of the mate; its angle has what turns the mate into contact with flank a.
    a : float [m]
        Centre distance, negative of an internal pair.
    ratio : float
        Teeth of the mate over those of the gear, with their signs.
    """
    r, sign = corner.r, profile.sign
    edge = profile.r_a + corner.rho  # of a ring: its tip circle, less by the round
    reach = (a**2 + r**2 - edge**2) / (2.0 * a * r)
    delta_max = acos(max(min(reach, 1.0), -1.0))
    delta = np.linspace(-delta_max, delta_max, _SWEEP)
    gamma = (corner.angle - delta) * ratio
    at = sign * (a - r * np.exp(1j * delta)) * np.exp(1j * (np.pi / profile.z - gamma))

    curve, tangents, kappa = profile.local_frames(np.linspace(profile.s_root, profile.s_tip, _CURVE))
    points = curve.view(complex)[:, 0]
    # |corner - point|^2 without what is the same for all points
    of_points = np.stack([np.abs(points) ** 2, -2.0 * points.real, -2.0 * points.imag])
    nearest = np.argmin(np.column_stack([np.ones(len(at)), at.real, at.imag]) @ of_points, axis=1)
    local = (at - points[nearest]) * np.conj(tangents.view(complex)[nearest, 0])
    # The profile bends off its tangent by kappa t^2/2.
    gap = local.imag + 0.5 * kappa[nearest] * local.real**2
    if corner.rho:  # a round beyond the edge of the tip meets the edge
        beyond = (nearest == _CURVE - 1) & (local.real > 0.0)
        gap = np.where(beyond, np.abs(local), gap) - corner.rho
    deepest = int(np.argmin(gap))
    return Penetration(max(-float(gap[deepest]), 0.0), float(np.abs(at[deepest])))


def radial_overlap(pinion: ToothProfile, ring: ToothProfile, *, a: float) -> float:
    """Return how far teeth overlap on the way when a pinion is moved from the middle of a ring into mesh, unturned.

    Each tooth has to come into its space along the line of centres. Tips of the pinion are followed against the ring's
    flanks and tips of the ring against those of the pinion, for phases over one pitch; the best phase counts.

    Parameters
    ----------
    pinion, ring : ToothProfile
    a : float [m]
        Centre distance where they mesh, negative.

    Returns
    -------
    overlap : float [m]
        Along the circumference; negative: the least gap.
    """
    ratio = pinion.z / -ring.z
    r_1, r_2, pitch = pinion.r_a, -ring.r_a, 2.0 * np.pi / pinion.z
    feeds = np.linspace(min(max(r_2 - r_1, 0.0), -a), -a, _FEEDS)
    radii_1, angles_1 = _half_tooth(pinion)
    radii_2, angles_2 = _half_tooth(ring)
    half_space = np.pi / -ring.z - angles_2
    numbers = np.arange(-(pinion.z // 2), pinion.z - pinion.z // 2)
    theta = pitch * (numbers + np.linspace(0.0, 1.0, _PHASES, endpoint=False)[:, None])[:, :, None]
    worst = np.full(_PHASES, -np.inf)
    for side in (-1.0, 1.0):
        tip = feeds + r_1 * np.exp(1j * (theta + side * angles_1[-1]))
        R = np.abs(tip)
        off = np.abs(_within(np.angle(tip) - ratio * theta))
        over = R * (off - np.interp(R, radii_2, half_space))
        worst = np.maximum(worst, np.where(r_2 < R, over, -np.inf).max(axis=(1, 2)))
        tip = r_2 * np.exp(1j * (ratio * theta + side * half_space[0])) - feeds
        R = np.abs(tip)
        off = np.abs(_within(np.angle(tip) - theta))
        over = R * (np.interp(R, radii_1, angles_1) - off)
        worst = np.maximum(worst, np.where(r_1 > R, over, -np.inf).max(axis=(1, 2)))
    return float(worst.min())


def _half_tooth(profile: ToothProfile) -> tuple[Array, Array]:
    """Radii, rising, and half the angle of the tooth there [m, rad]."""
    points = profile.local_frames(np.linspace(profile.s_root_circle, profile.s_tip, _CURVE))[0].view(complex)[:, 0]
    order = np.argsort(np.abs(points))
    return np.abs(points)[order], np.abs(np.angle(points))[order]


def _within(angle: Array) -> Array:
    """Angle within half a turn."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


# ------------------------------------------------------------------------------------ checks of a pair
def check_teeth(pair: GearPair) -> None:
    """Refuse gears that have no teeth for each other, at whatever centre distance.

    Raises
    ------
    Fault
    """
    _check_ring(pair)
    _check_same_rack(pair)


def check_engagement(pair: GearPair) -> None:
    """Refuse gears that do not engage at their centre distance, or run into each other there.

    Raises
    ------
    Fault
    """
    _check_centre_distance(pair)
    check_common_face(pair)
    _check_backlash(pair)
    _check_tip_clearance(pair)
    check_contact_ratio(pair, pair.eps_alpha, TIP_CIRCLES)
    for member in range(2):
        _check_interference(pair, member)


def _check_ring(pair: GearPair) -> None:
    """Refuse a ring that has no room for its pinion."""
    least = 1 + max(gear.z for gear in pair.gears)
    for number, gear in enumerate(pair.gears):
        if gear.internal and -gear.z < least:
            name = pair.names.gears[number]
            limit = "in mesh with an external gear" if least < 0 else f"at least {least}, more than its pinion"
            remedy = "give one external gear" if least < 0 else f"increase teeth of {name}"
            raise pair.names.fault(f"teeth of {name}, a ring", -gear.z, limit, remedy)


def _check_same_rack(pair: GearPair) -> None:
    for quantity, scale, one, two, key in (
        ("normal module [mm]", 1e3, pair.pinion.m_n, pair.wheel.m_n, "normal_module_mm"),
        ("pressure angle [deg]", degrees(1.0), pair.pinion.alpha_n, pair.wheel.alpha_n, "pressure_angle_deg"),
    ):
        if abs(one - two) > 1e-12 * abs(one):
            raise pair.names.fault(
                f"{quantity} of {pair.names.wheel}",
                round(scale * two, 9),
                f"that of {pair.names.pinion}, {scale * one:.9g}",
                f"give both gears the same {key}",
            )
    needed = pair.pinion.beta if pair.internal else -pair.pinion.beta
    if abs(needed - pair.wheel.beta) > 1e-12 * abs(pair.pinion.beta):
        raise pair.names.fault(
            f"helix angle of {pair.names.wheel} [deg]",
            round(degrees(pair.wheel.beta), 9),
            f"{'that' if pair.internal else 'opposite to that'} of {pair.names.pinion}: {degrees(needed):.9g}",
            f"give parallel shafts gears of {'equal hands in a ring' if pair.internal else 'opposite hands'}",
        )


def _check_centre_distance(pair: GearPair) -> None:
    pinion, wheel = pair.gears
    key = f"{'center_distance_error_um or ' if _has_error(pair) else ''}{pair.names.centre_distance}"
    remedy = f"correct {key} ({1e3 * abs(pair.a_w_without_backlash):.4f} mm is without backlash)"
    value = round(1e3 * abs(pair.a_w), 6)
    least = pinion.r_b + wheel.r_b
    if not (isfinite(pair.a_w) and abs(pair.a_w) > abs(least)):
        where = "base circle of the pinion touches that of the ring" if pair.internal else "base circles meet"
        limit = f"above {1e3 * abs(least):.4f}, where the {where}: no contact is possible below"
        raise pair.names.fault("centre distance [mm]", value, limit, remedy)
    largest = pinion.r_a + wheel.r_a
    if pair.a_w >= largest:
        limit = f"below {1e3 * largest:.4f}, where the tip circles part: no contact is possible above"
        if pair.internal:
            limit = f"above {-1e3 * largest:.4f}, where the tip circles part: no contact is possible below"
        raise pair.names.fault("centre distance [mm]", value, limit, remedy)


def _check_backlash(pair: GearPair) -> None:
    if pair.j_wt < -BACKLASH_ROUND_OFF * pair.pinion.m_n:
        error = "center_distance_error_um, " if _has_error(pair) else ""
        change = "reduce" if pair.internal else "increase"
        raise pair.names.fault(
            "backlash [mm]",
            round(1e3 * pair.j_wt, 6),
            "0 or more: the teeth would be squeezed on both flanks",
            f"{change} {error}{pair.names.centre_distance}"
            f" (without allowances {1e3 * abs(pair.a_w_without_backlash):.4f} has none)"
            f" or {'increase ' if pair.internal else ''}tooth_thickness_allowance_um, or give profile_shift of"
            f" {pair.names.wheel} = {_x_of_wheel_without_backlash(pair):.4f}",
        )


def check_common_face(pair: GearPair) -> None:
    least = LEAST_COMMON_FACE * min(pair.pinion.b, pair.wheel.b)
    if pair.b_w < least:
        largest = 0.5 * (pair.pinion.b + pair.wheel.b) - least
        raise pair.names.fault(
            "common face width [mm]",
            round(1e3 * pair.b_w, 6),
            f"at least {1e3 * least:.4f}: the faces must meet",
            f"bring {pair.names.axial_offset} to between {-1e3 * largest:.4f} and {1e3 * largest:.4f}",
        )


def _check_tip_clearance(pair: GearPair) -> None:
    for name, gear, mate_name, mate in (
        (pair.names.pinion, pair.pinion, pair.names.wheel, pair.wheel),
        (pair.names.wheel, pair.wheel, pair.names.pinion, pair.pinion),
    ):
        clearance = pair.a_w - gear.r_a - mate.r_f
        if clearance < 0.0:
            raise pair.names.fault(
                f"tip clearance of {name} [mm]",
                round(1e3 * clearance, 6),
                f"0 or more: its tip cuts into the root circle of {mate_name}",
                f"lower tip_alteration_factor of {name} to"
                f" {floor(1e4 * (gear.tip_alteration_factor + clearance / gear.m_n)) / 1e4:.4f} or less,"
                f" or increase dedendum_factor of {mate_name}",
            )


def check_contact_ratio(pair: GearPair, eps_alpha: float, by: str) -> None:
    """Refuse gaps in the contact; the faces of a helical pair count too."""
    helical = pair.eps_beta > 0.0
    flat = "pressure_angle_deg, " if pair.pinion.alpha_n < LOW_PRESSURE_ANGLE else ""
    remedy = (
        f"{_closer(pair)}increase {flat}addendum_factor, teeth{', face_width_mm' if helical else ''} or,"
        " of an undercut gear, profile_shift"
    )
    if eps_alpha <= 0.0:
        limit = "above 0: else the flanks never meet"
        raise pair.names.fault(f"contact ratio ({by})", round(eps_alpha, 6), limit, remedy)
    eps = eps_alpha + pair.eps_beta
    if eps < 1.0:
        quantity = f"total contact ratio ({by}, and the face)" if helical else f"contact ratio ({by})"
        limit = "at least 1: else no pair is in contact for a part of the pitch"
        raise pair.names.fault(quantity, round(eps, 6), limit, remedy)


def depth_of_tip(pair: GearPair, gear: CylindricalGear, mate: CylindricalGear, r_a: float) -> Penetration:
    """Return how deep the tip corner of a mate with the tip radius r_a [m] goes into the teeth of a gear of a pair."""
    # A tooth in the middle of the gear's space is half a backlash off flank a, and is turned into contact.
    corner = tip_corner(mate, r_a, 0.5 * pair.j_wt * cos(pair.alpha_wt) / mate.r_b)
    return sweep(gear.tooth_profile, corner, a=pair.a_w, ratio=mate.z / gear.z)


def _check_interference(pair: GearPair, member: int) -> None:
    """Refuse a tip that cuts into the gear that is the first (0) or the second one of the pair."""
    gear, mate = pair.gears[member], pair.gears[1 - member]
    depth, radius = depth_of_tip(pair, gear, mate, mate.r_a)
    if depth <= INTERFERENCE_LIMIT * gear.m_n:
        return
    name, mate_name = pair.names.gears[member], pair.names.gears[1 - member]
    shorter = _largest_free_tip_radius(pair, gear, mate)
    k = mate.tip_alteration_factor - (mate.r_a - shorter) / mate.m_n
    flank = pair.internal and gear.sign * radius > gear.r_Ff
    raise pair.names.fault(
        f"depth of {mate_name}'s tip in the {'teeth' if flank else 'root'} of {name}"
        f"{', beside the path of contact' if flank else ''} [um]",
        round(1e6 * depth, 4),
        f"at most {1e6 * INTERFERENCE_LIMIT * gear.m_n:.4g} (found at diameter {2e3 * radius:.4f} mm of {name},"
        f" root form diameter {1e3 * abs(gear.d_Ff):.4f})",
        f"lower tip_alteration_factor of {mate_name} to {floor(1e4 * k) / 1e4:.4f} or less"
        f" (tip diameter {2e3 * abs(shorter):.3f}), or "
        + (
            f"give the ring more teeth than now against its pinion ({abs(gear.z + mate.z)} is the difference)"
            if flank
            else f"increase {'dedendum_factor' if gear.internal else 'profile_shift'} of {name}"
        ),
    )


def _largest_free_tip_radius(pair: GearPair, gear: CylindricalGear, mate: CylindricalGear) -> float:
    """Bisect for the mate's tip radius [m] that just leaves the gear's root alone."""
    low, high = mate.r_b / cos(pair.alpha_wt), mate.r_a
    allowed = INTERFERENCE_LIMIT * gear.m_n
    while high - low > 1e-3 * allowed:
        middle = 0.5 * (low + high)
        if depth_of_tip(pair, gear, mate, middle)[0] <= allowed:
            low = middle
        else:
            high = middle
    return low


def pair_warnings(pair: GearPair) -> tuple[str, ...]:
    """Warnings about a pair that runs, but with a drawback: quantity, value, cause, remedy."""
    return (
        *_warnings_of_teeth(pair),
        *_warnings_of_backlash(pair),
        *_sign_of_a_ring(pair),
        *_warnings_of_assembly(pair),
        *_warnings_of_contact_ratio(pair),
    )


def _warnings_of_teeth(pair: GearPair) -> Iterator[str]:
    """Involutes that end within the path of contact, and thin tips."""
    low, high = pair.path_of_contact
    for name, gear, lowest in (
        (pair.names.pinion, pair.pinion, low),
        (pair.names.wheel, pair.wheel, pair.line_of_action - high),
    ):
        # An undercut below the path of contact costs nothing; round-off is no loss either.
        if gear.tooth_profile.roll_length_form > lowest + 1e-9 * gear.m_n:
            cause = "is undercut" if gear.tooth_profile.undercut else "has a high fillet"
            cure = "reduce root_radius_factor" if gear.internal else "increase profile_shift"
            yield (
                f"{name} {cause}: its involute ends at the root form diameter {1e3 * abs(gear.d_Ff):.4f} mm"
                f" (base circle {1e3 * abs(gear.d_b):.4f} mm); contact ratio {pair.eps_alpha_usable:.4f} is left of"
                f" {pair.eps_alpha:.4f}; {cure} of {name} or{' increase' if gear.internal else ''} its teeth"
            )
        s_a = gear.s_an
        if s_a < THIN_TIP * gear.m_n:
            yield (
                f"{name} has a thin tip: {1e3 * s_a:.4f} mm = {s_a / gear.m_n:.3f} modules, less than"
                f" {THIN_TIP}; reduce profile_shift or tip_alteration_factor of {name}"
            )


def _warnings_of_backlash(pair: GearPair) -> Iterator[str]:
    """A negative backlash that rounded profile shifts explain."""
    if pair.j_wt < -BACKLASH_OF_DIGITS * pair.pinion.m_n:
        yield (
            f"backlash = {1e3 * pair.j_wt:.4g} mm: below 0, though by no more than the"
            f" {1e3 * BACKLASH_ROUND_OFF * pair.pinion.m_n:.4g} mm that profile shifts rounded to three decimals may"
            f" be off: teeth touch on both flanks; give profile_shift of {pair.names.wheel} ="
            f" {_x_of_wheel_without_backlash(pair):.4f}, or tooth_thickness_allowance_um"
        )


def _warnings_of_assembly(pair: GearPair) -> Iterator[str]:
    """A pinion that does not go into its ring along a radius."""
    if pair.radial_assembly_gap < 0.0:
        yield (
            f"the pinion cannot be moved into the ring along a radius: teeth overlap by"
            f" {-1e3 * pair.radial_assembly_gap:.4f} mm on the way; put it in along the axis, or increase the teeth"
            " of the ring"
        )


def _warnings_of_contact_ratio(pair: GearPair) -> Iterator[str]:
    """A contact ratio that leaves little overlap."""
    eps = pair.eps_alpha_usable
    if pair.eps_beta == 0.0:
        if eps < LOW_CONTACT_RATIO:
            yield (
                f"contact ratio {eps:.4f} is less than {LOW_CONTACT_RATIO};"
                f" {_closer(pair)}increase addendum_factor or teeth"
            )
    elif eps < 1.0:
        yield (
            f"transverse contact ratio {eps:.4f} is less than 1: only the overlap ratio {pair.eps_beta:.4f} keeps a"
            f" pair in contact, which crowning and misalignment reduce; {_closer(pair)}increase addendum_factor or"
            " teeth"
        )
    elif eps + pair.eps_beta < LOW_CONTACT_RATIO:
        yield (
            f"total contact ratio {eps + pair.eps_beta:.4f} is less than {LOW_CONTACT_RATIO};"
            f" {_closer(pair)}increase addendum_factor, teeth or face_width_mm"
        )


def _sign_of_a_ring(pair: GearPair) -> Iterator[str]:
    """A ring whose profile shift fits with the other sign, which older drawings have."""
    if not pair.internal or pair.j_wt < WIDE_BACKLASH * pair.pinion.m_n:
        return
    names = dict(zip(pair.gears, (pair.names.pinion, pair.names.wheel), strict=True))
    inner, ring = sorted(pair.gears, key=lambda gear: -gear.z)
    other_sign = backlash_at(
        abs(pair.a_w),
        z=(inner.z, ring.z),
        m_n=inner.m_n,
        x=inner.x - ring.x,
        alpha_n=inner.alpha_n,
        beta=inner.beta,
    )
    if abs(other_sign) < 0.1 * WIDE_BACKLASH * inner.m_n:
        yield (
            f"profile_shift of {names[ring]} = {ring.x:g} leaves a backlash of {1e3 * pair.j_wt:.4g} mm, and"
            f" {-ring.x:g} leaves {1e3 * other_sign:.4g} mm: a shift of a ring away from its axis is negative;"
            f" correct the sign of profile_shift of {names[ring]}"
        )


def _has_error(pair: GearPair) -> bool:
    return pair.alignment.center_distance_error != 0.0


def _closer(pair: GearPair) -> str:
    """Advice to move the gears together, where there is backlash to take."""
    # signed: of an internal pair, apart is a smaller distance
    apart = pair.a_w - pair.a_w_without_backlash > 1e-9 * abs(pair.a_w_without_backlash)
    return f"{'increase' if pair.internal else 'reduce'} {pair.names.centre_distance}, or " if apart else ""


def _x_of_wheel_without_backlash(pair: GearPair) -> float:
    """Profile shift of the wheel that just leaves the teeth free, with the allowances; four decimals, not more."""
    pinion, wheel = pair.gears
    z = pinion.z, wheel.z
    total = profile_shift_sum(z=z, m_n=pinion.m_n, a_w=pair.a_w, alpha_n=pinion.alpha_n, beta=pinion.beta)
    return floor(1e4 * (total - pinion.x_E + wheel.x - wheel.x_E)) / 1e4
