"""A pair of gears: what makes it impossible, and what one that runs is warned of."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import cos, degrees, floor, hypot, isfinite, radians

from alegear.geometry.alignment import ALIGNED, Alignment
from alegear.geometry.cylindrical_gear import CylindricalGear, Gear
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.involute import backlash_at, profile_shift_sum
from alegear.geometry.microgeometry import OF_PAIR, Microgeometry
from alegear.geometry.pair_geometry import (
    INTERFERENCE_LIMIT,
    Member,
    PairGeometry,
    PairNames,
    Penetration,
    is_pinion,
    sweep,
    tip_corner,
)
from alegear.limits import Limits, check_kind
from alegear.short_repr import ShortRepr

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

CENTRE_DISTANCE = Limits(
    quantity="centre distance", key="center_distance_mm", unit="mm", least=0.01, most=1e5, optional=True
)


@dataclass(frozen=True, kw_only=True, eq=False, init=False)
class GearPair(ShortRepr, PairGeometry):
    """Put a pinion (gear 1) and a wheel (gear 2) into mesh; one of them may be a ring.

    The numbers are those of ISO 21771 by signed teeth: of a ring the tooth number is negative, and with it its radii,
    diameters, roll lengths and radii of curvature, the ratio and the centre distance. So one set of formulas serves
    both kinds of pairs.

    Parameters
    ----------
    pinion, wheel : Gear or InternalGear
        Helical gears need opposite hands, ``wheel.beta = -pinion.beta``, in a ring the same.
    a_w : float or None [m]
        Centre distance as given on the drawing, in a ring with or without the negative sign. None: the distance without
        backlash for these profile shifts; thickness allowances then make the backlash.
    alignment : Alignment
        Of the pinion shaft against the wheel shaft. Its centre distance error is added to the given distance.
    names : PairNames, optional
        What its messages call both gears; not a part of the pair.
    a_nominal : float, optional [m]
        The given centre distance, as ``dataclasses.replace`` hands it on; `a_w` takes precedence.

    Attributes
    ----------
    a_w : float [m]
        Working centre distance: the given one plus ``alignment.center_distance_error``. Everything with the index w,
        the path of contact, the backlash and the contact ratios belong to it. ``a_nominal`` is the given one.

    Raises
    ------
    Fault
        For gears of different racks or wrong hands, a ring with too few teeth, no contact at this centre distance,
        negative backlash, faces that do not meet, a total contact ratio below 1, a tip that would cut into the mating
        root, and tips of pinion and ring that run into each other beside the path of contact.

    Notes
    -----
    Offsets and tilts of the alignment leave the numbers here as they are, except for the common face and what depends
    on it: ``b_w``, eps_beta, eps_gamma. The transverse sections of a helical pair are a spur pair each, turned by
    ``twist z``. Positions on the path of contact are roll lengths of the pinion, xi_1, from the point T1 where the line
    of action touches the pinion's base circle; there the wheel has ``xi_2 = a_w sin alpha_wt - xi_1``. In these numbers
    tips count as sharp; whether one cuts into a root is asked of it as it is rounded. Source: ISO 21771:2007.

    Examples
    --------
    >>> from alegear.geometry import Gear, GearPair
    >>> pair = GearPair(
    ...     pinion=Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3),
    ...     wheel=Gear(z=30, m_n=4e-3, x=-0.2, b=30e-3, bore_diameter=54.2e-3),
    ... )
    >>> round(1e3 * pair.a_w, 9), pair.warnings
    (100.0, ())
    """

    pinion: CylindricalGear
    wheel: CylindricalGear
    a_nominal: float = field(metadata={"digest": "a_w"})
    alignment: Alignment

    def __init__(
        self,
        *,
        pinion: CylindricalGear,
        wheel: CylindricalGear,
        a_w: float | None = None,
        alignment: Alignment | None = None,
        names: PairNames | None = None,
        a_nominal: float | None = None,
    ) -> None:
        check_kind(pinion, "GearPair.pinion", (Gear, InternalGear))
        check_kind(wheel, "GearPair.wheel", (Gear, InternalGear))
        check_kind(alignment, "GearPair.alignment", Alignment, optional=True)
        given, called = a_nominal if a_w is None else a_w, names or PairNames()
        quantity = called.where + CENTRE_DISTANCE.quantity
        signed = min(pinion.sign, wheel.sign)
        if signed < 0.0 and isinstance(given, int | float) and not isinstance(given, bool):
            given = abs(given)
        replace(CENTRE_DISTANCE, quantity=quantity, key=called.centre_distance).check(given, "GearPair.a_w")
        object.__setattr__(self, "_names", called)
        object.__setattr__(self, "pinion", pinion)
        object.__setattr__(self, "wheel", wheel)
        object.__setattr__(self, "alignment", ALIGNED if alignment is None else alignment)
        _check_ring(self)
        _check_same_rack(self)
        object.__setattr__(self, "a_nominal", self.a_w_without_backlash if given is None else signed * given)
        _check_centre_distance(self)
        check_common_face(self)
        _check_backlash(self)
        _check_tip_clearance(self)
        check_contact_ratio(self, self.eps_alpha, TIP_CIRCLES)
        for member in range(2):
            _check_interference(self, member)
        self._start_reliefs()
        check_contact_ratio(self, self.eps_alpha_usable, FORM_CIRCLES)

    def with_microgeometry(self, pinion: Microgeometry | None = None, wheel: Microgeometry | None = None) -> GearPair:
        """Return this pair with other flank deviations of one or both gears; nothing else is computed again.

        Raises
        ------
        Fault
            For deviations that do not fit a flank.
        """
        changed = copy.copy(self)
        for name, gear, microgeometry in (("pinion", self.pinion, pinion), ("wheel", self.wheel, wheel)):
            check_kind(microgeometry, name, Microgeometry, optional=True)
            if microgeometry is not None:
                object.__setattr__(changed, name, gear.with_microgeometry(microgeometry))
        changed._start_reliefs()
        return changed

    def with_alignment(self, alignment: Alignment) -> GearPair:
        """Return this pair with another alignment; only another centre distance is checked all over again.

        Raises
        ------
        Fault
            For faces that do not meet, and whatever another centre distance makes impossible.
        """
        check_kind(alignment, "alignment", Alignment)
        if alignment.center_distance_error != self.alignment.center_distance_error:
            pinion, wheel = self.gears
            return GearPair(pinion=pinion, wheel=wheel, a_w=self.a_nominal, alignment=alignment, names=self._names)
        changed = copy.copy(self)
        object.__setattr__(changed, "alignment", alignment)
        changed.__dict__.pop("warnings", None)  # they may name the overlap ratio
        check_common_face(changed)
        if changed.eps_beta < self.eps_beta:
            check_contact_ratio(changed, changed.eps_alpha_usable, FORM_CIRCLES)
        return changed

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about a pair that runs, but with a drawback: quantity, value, cause, remedy."""
        return (
            *_warnings_of_teeth(self),
            *_warnings_of_backlash(self),
            *_sign_of_a_ring(self),
            *_warnings_of_assembly(self),
            *_warnings_of_contact_ratio(self),
        )

    def tip_penetration(self, member: Member) -> tuple[float, float]:
        """Sweep the mating tip corner over flank and root of one gear (:func:`~alegear.geometry.pair_geometry.sweep`).

        Parameters
        ----------
        member : {"pinion", "wheel"}
            The gear whose root is looked at.

        Returns
        -------
        depth : float [m]
            Largest depth of the corner inside the material; the flanks touch without depth, so that round-off remains
            for a pair that runs freely.
        radius : float [m]
            Distance of that point from the gear's axis.
        """
        gear, mate = self.gears if is_pinion(member) else (self.wheel, self.pinion)
        return depth_of_tip(self, gear, mate, mate.r_a)

    def _start_reliefs(self) -> None:
        """Give reliefs that begin at the end of single contact their diameters, of the nominal centre distance."""
        if not any(gear.microgeometry.needs_pair for gear in self.gears):
            return
        nominal = self
        if self.alignment.center_distance_error:  # teeth are ground for the distance on the drawing
            plain = [gear.with_microgeometry(Microgeometry()) for gear in self.gears]
            nominal = GearPair(pinion=plain[0], wheel=plain[1], a_w=self.a_nominal, names=self._names)
        for member in ("pinion", "wheel"):
            gear = getattr(self, member)
            if not gear.microgeometry.needs_pair:
                continue
            ends = nominal.single_contact(member)
            if ends is None:
                raise self._names.fault(
                    "transverse contact ratio",
                    round(nominal.eps_alpha_usable, 6),
                    f"from 1 to below 2 for a relief of {self._names.of(member)} from the {OF_PAIR}",
                    f"give tip_relief_start_roll_length_mm of {self._names.of(member)}, or that of its root relief",
                )
            of_relief = {
                name: 2.0 * hypot(gear.r_b, xi)
                for name, xi in zip(("root_relief", "tip_relief"), ends, strict=True)
                if getattr(gear.microgeometry, f"{name}_start")
            }
            placed = gear.with_microgeometry(gear.microgeometry.with_start_diameters(of_relief.get))
            object.__setattr__(self, member, placed)


# ------------------------------------------------------------------------------- checks and warnings
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
