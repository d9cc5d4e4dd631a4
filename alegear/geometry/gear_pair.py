"""Two gears at a centre distance: path of contact, contact ratio, backlash, and what makes the pair impossible."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import acos, atan, atan2, ceil, cos, hypot, inf, pi, sin, tan
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.errors import Fault
from alegear.geometry.alignment import ALIGNED, Alignment
from alegear.geometry.cylindrical_gear import CylindricalGear, Gear
from alegear.geometry.engagement import (
    FORM_CIRCLES,
    check_common_face,
    check_contact_ratio,
    check_engagement,
    check_teeth,
    depth_of_tip,
    pair_warnings,
    radial_overlap,
)
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.involute import inv, inv_working_angle, involute_angle
from alegear.geometry.microgeometry import OF_PAIR, Microgeometry
from alegear.limits import Limits, check_kind
from alegear.short_repr import ShortRepr

Array = NDArray[np.float64]
Member = Literal["pinion", "wheel"]

ROUND_OFF = 1e-9
"""Modules of backlash, of either sign, that a centre distance leaves which is computed from the profile shifts."""

CENTRE_DISTANCE = Limits(
    quantity="centre distance", key="center_distance_mm", unit="mm", least=0.01, most=1e5, optional=True
)


@dataclass(frozen=True, kw_only=True)
class PairNames:
    """Names in the messages of a :class:`GearPair`: what its gears are called, and what a user gives its place by.

    Parameters
    ----------
    pinion, wheel : str
        With an article where they need one.
    centre_distance, axial_offset : str
        What is corrected to change them: a key of the case file.
    torque : str
        What the torque on the first gear is given by, or called.
    where : str
        What begins a message, where there are several pairs: ``"mesh first: "``.
    """

    pinion: str = "the pinion"
    wheel: str = "the wheel"
    centre_distance: str = "center_distance_mm"
    axial_offset: str = "axial_offset_mm"
    torque: str = "pinion_torque_Nm"
    where: str = ""

    @property
    def gears(self) -> tuple[str, str]:
        """Both gears."""
        return self.pinion, self.wheel

    def of(self, member: str) -> str:
        """The gear that is the ``"pinion"`` or the ``"wheel"``."""
        return self.pinion if member == "pinion" else self.wheel

    def fault(self, quantity: str, value: object, limit: str, remedy: str) -> Fault:
        """A fault of this pair among others."""
        return Fault(f"{self.where}{quantity}", value, limit, remedy)


@dataclass(frozen=True, kw_only=True, eq=False, init=False)
class GearPair(ShortRepr):
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
    _names: ClassVar[PairNames] = PairNames()  # unless the pair is given others: no field, for it is no part of it

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
        check_teeth(self)
        object.__setattr__(self, "a_nominal", self.a_w_without_backlash if given is None else signed * given)
        check_engagement(self)
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
        return pair_warnings(self)

    @property
    def names(self) -> PairNames:
        """By which messages call its gears."""
        return self._names

    @property
    def gears(self) -> tuple[CylindricalGear, CylindricalGear]:
        """Pinion and wheel."""
        return self.pinion, self.wheel

    @property
    def internal(self) -> bool:
        """Whether one gear is a ring."""
        return self.pinion.internal or self.wheel.internal

    @property
    def ratio(self) -> float:
        """Gear ratio z_2/z_1, negative of an internal pair."""
        return self.wheel.z / self.pinion.z

    @property
    def a_w(self) -> float:
        """Working centre distance, with the error of the alignment [m]; negative of an internal pair."""
        error = self.alignment.center_distance_error
        return self.a_nominal + (-error if self.internal else error)

    @property
    def common_face(self) -> tuple[float, float]:
        """Ends z_low, z_high of the common face [m], from mid-face of the pinion."""
        wheel = -self.alignment.axial_offset
        return (
            max(-0.5 * self.pinion.b, wheel - 0.5 * self.wheel.b),
            min(0.5 * self.pinion.b, wheel + 0.5 * self.wheel.b),
        )

    @property
    def b_w(self) -> float:
        """Common face width [m]."""
        low, high = self.common_face
        return high - low

    @property
    def alpha_t(self) -> float:
        """Transverse pressure angle [rad]."""
        return self.pinion.alpha_t

    @property
    def beta_b(self) -> float:
        """Base helix angle of the pinion [rad], right hand positive; of a ring as pinion left hand."""
        return self.pinion.sign * self.pinion.beta_b

    @property
    def beta_w(self) -> float:
        """Helix angle of the pinion at the working pitch circle [rad]: tan beta_w = tan beta d_w/d."""
        return atan(tan(self.pinion.beta) * self.d_w[0] / self.pinion.d)

    @property
    def tip_alteration_factor(self) -> float:
        """k of ISO 21771 with which both tips keep the clearance of their racks at this centre distance.

        ``k = (a_w - a_d)/m_n - (x_1 + x_2)`` with ``a_d = m_t (z_1 + z_2)/2``; the gears themselves have their own k.
        """
        pinion, wheel = self.gears
        return (self.a_w - pinion.r - wheel.r) / pinion.m_n - (pinion.x + wheel.x)

    @cached_property
    def radial_assembly_gap(self) -> float:
        """Least gap between teeth when the pinion is moved into the ring along a radius, without turning it [m].

        Negative: teeth are in the way, and the pinion goes in along the axis. Infinite for external gears. See
        :func:`~alegear.geometry.engagement.radial_overlap`.
        """
        if not self.internal:
            return inf
        pinion, ring = sorted((gear.tooth_profile for gear in self.gears), key=lambda profile: -profile.z)
        return -radial_overlap(pinion, ring, a=self.a_w)

    @property
    def p_bt(self) -> float:
        """Transverse base pitch [m]."""
        return self.pinion.p_bt

    @cached_property
    def a_w_without_backlash(self) -> float:
        """Centre distance [m] without backlash for the profile shifts; negative of an internal pair.

        ``inv alpha_wt = inv alpha_t + 2 tan alpha_n (x_1 + x_2)/(z_1 + z_2)``, ``a_w = (r_b1 + r_b2)/cos alpha_wt``.
        """
        pinion, wheel = self.gears
        inv_alpha_wt = inv_working_angle(
            z=(pinion.z, wheel.z), x=pinion.x + wheel.x, alpha_n=pinion.alpha_n, beta=pinion.beta
        )
        if inv_alpha_wt <= 0.0:
            least = -inv(self.alpha_t) * (pinion.z + wheel.z) / (2.0 * tan(pinion.alpha_n))
            raise self._names.fault(
                "sum of profile shifts",
                round(pinion.x + wheel.x, 6),
                f"{'below' if self.internal else 'above'} {least:.4f}, where the base circles meet",
                f"{'reduce' if self.internal else 'increase'} profile_shift of {self._names.pinion} or"
                f" {self._names.wheel}",
            )
        return (pinion.r_b + wheel.r_b) / cos(involute_angle(inv_alpha_wt))

    @property
    def alpha_wt(self) -> float:
        """Working transverse pressure angle [rad]."""
        return acos((self.pinion.r_b + self.wheel.r_b) / self.a_w)

    @property
    def d_w(self) -> tuple[float, float]:
        """Working pitch diameters of pinion and wheel [m], that of a ring negative."""
        return self.pinion.d_b / cos(self.alpha_wt), self.wheel.d_b / cos(self.alpha_wt)

    @property
    def j_wt(self) -> float:
        """Circumferential backlash at the working pitch circles [m]; 0 where only round-off is left."""
        pitch = pi * self.d_w[0] / self.pinion.z
        found = pitch - sum(gear.s_at(0.5 * d_w) for gear, d_w in zip(self.gears, self.d_w, strict=True))
        return found if abs(found) > ROUND_OFF * self.pinion.m_n else 0.0

    @property
    def j_bn(self) -> float:
        """Normal backlash [m], ``j_wt cos alpha_wt cos beta_b``: distance of the back flanks while the others touch."""
        return self.j_wt * cos(self.alpha_wt) * cos(self.beta_b)

    @property
    def backlash_on_line_of_action(self) -> float:
        """``j_wt cos alpha_wt`` [m], what flanks that carry nothing are off their mates by; 0 of teeth without any."""
        return max(self.j_wt, 0.0) * cos(self.alpha_wt)

    @property
    def line_of_action(self) -> float:
        """Length between the base circles, T1 T2 = a_w sin alpha_wt [m]."""
        return self.a_w * sin(self.alpha_wt)

    @property
    def roll_length_pitch_point(self) -> float:
        """Roll length of the pinion at the pitch point [m]."""
        return self.pinion.r_b * tan(self.alpha_wt)

    @property
    def tooth_angles_at_pitch_point(self) -> tuple[float, float]:
        """Polar angles [rad] of the centre lines of two teeth whose flanks a touch at the pitch point.

        About +z from the line between the axes, pinion to wheel, of the sections that touch. The normal of the pinion's
        flank points along the line of action there, at pi/2 - alpha_wt, and that of the wheel's the other way; in its
        tooth frame the normal of an involute stands at pi/2 + psi_b - xi/r_b. Where one gear is a ring the line goes
        the other way, from the wheel's axis to the pinion's.
        """
        xi_1 = self.roll_length_pitch_point
        xi_2 = self.line_of_action - xi_1
        pinion, wheel = self.gears
        # the pitch point as it is seen from both axes
        seen_1, seen_2 = atan2(0.0, pinion.r), atan2(0.0, -wheel.r)
        return (
            seen_1 - self.alpha_wt - pinion.tooth_profile.psi_b + xi_1 / pinion.r_b,
            seen_2 - self.alpha_wt - wheel.tooth_profile.psi_b + xi_2 / wheel.r_b,
        )

    def reference_angles(self, side: float) -> tuple[float, float]:
        """Polar angles [rad] of both teeth in the gears' own mid-faces where flanks of a side touch at the pitch point.

        The sections that touch are those in the pinion's mid-face; `side` is +1 for flanks a, -1 for flanks b.
        """
        pinion, wheel = self.tooth_angles_at_pitch_point
        return side * pinion, side * wheel - self.wheel.twist * self.alignment.axial_offset

    @cached_property
    def path_of_contact(self) -> tuple[float, float]:
        """Pinion's roll lengths [m] at the wheel's tip and at its own tip, by the tip circles alone."""
        wheel_tip = self.wheel.tooth_profile.roll_length_tip
        return self.line_of_action - wheel_tip, self.pinion.tooth_profile.roll_length_tip

    @cached_property
    def path_of_contact_usable(self) -> tuple[float, float]:
        """Pinion's roll lengths [m] of the same path, ended by the root form circles too."""
        low, high = self.path_of_contact
        wheel_form = self.wheel.tooth_profile.roll_length_form
        return (
            max(low, self.pinion.tooth_profile.roll_length_form),
            min(high, self.line_of_action - wheel_form),
        )

    def single_contact(self, member: Member) -> tuple[float, float] | None:
        """Return the roll lengths of one gear between which one pair of a transverse section carries [m].

        One base pitch from the ends of the path of contact, the lower one first: the lowest and the highest point of
        single tooth contact. None for transverse contact ratios below 1 and from 2 on, which have none.
        """
        if not 1.0 <= self.eps_alpha_usable < 2.0:
            return None
        low, high = self.path_of_contact_usable
        xi = high - self.p_bt, low + self.p_bt
        return xi if is_pinion(member) else (self.line_of_action - xi[1], self.line_of_action - xi[0])

    @property
    def g_alpha(self) -> float:
        """Length of the path of contact [m], by the tip circles."""
        low, high = self.path_of_contact
        return high - low

    @property
    def eps_alpha(self) -> float:
        """Transverse contact ratio by the tip circles."""
        return self.g_alpha / self.p_bt

    @property
    def eps_alpha_usable(self) -> float:
        """Transverse contact ratio that the root form circles leave."""
        low, high = self.path_of_contact_usable
        return (high - low) / self.p_bt

    @property
    def eps_beta(self) -> float:
        """Overlap ratio, b_w tan|beta_b|/p_bt."""
        return self.b_w * tan(abs(self.beta_b)) / self.p_bt

    @property
    def eps_gamma(self) -> float:
        """Total contact ratio."""
        return self.eps_alpha + self.eps_beta

    @property
    def pairs_needed(self) -> int:
        """Tooth pairs to be followed: all that can touch at once, and one that deflected teeth touch early."""
        return ceil(self.eps_gamma) + 1

    def g_approach(self, driver: Member) -> float:
        """Return the length of the path before the pitch point [m]: contact on the driver's dedendum."""
        low, high = self.path_of_contact
        pitch_point = self.roll_length_pitch_point
        return pitch_point - low if is_pinion(driver) else high - pitch_point

    def g_recess(self, driver: Member) -> float:
        """Return the length of the path after the pitch point [m]: contact on the driver's addendum."""
        return self.g_alpha - self.g_approach(driver)

    def engagement(self, driver: Member, usable: bool = True, z: float | None = None) -> tuple[float, float]:
        """Return the phases at which a pair comes into mesh and leaves it.

        Parameters
        ----------
        driver : {"pinion", "wheel"}
            The driven gear's tip meets the driver's root first.
        usable : bool
            True: root form circles too; False: the tip circles alone.
        z : float or None [m]
            The transverse section, from mid-face of the pinion. None: anywhere on the common face, which lasts for the
            total contact ratio.

        Returns
        -------
        phase_in, phase_out : float
            In transverse base pitches from the contact at the pitch point of mid-face, rising with the running
            direction; usually phase_in < 0 < phase_out (large profile shifts may move the whole path to one side).
        """
        low, high = self.path_of_contact_usable if usable else self.path_of_contact
        ends = self._phase(low, driver), self._phase(high, driver)
        ahead = [self._phase_ahead(place) for place in (self.common_face if z is None else (z,))]
        return min(ends) - max(ahead), max(ends) - min(ahead)

    def contact_roll_lengths(self, phase: ArrayLike, driver: Member, z: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Return the roll lengths of pinion and wheel at a phase in the section z, each shape (n,) [m].

        ``xi_1 = r_b1 tan alpha_wt +- (phase p_bt + z tan beta_b)`` with + for the driving pinion,
        ``xi_2 = a_w sin alpha_wt - xi_1``; negative beyond the base circle's tangent point, where no involute is.

        Parameters
        ----------
        phase : shape (n,)
            In pitches from the contact at the pitch point of mid-face.
        driver : {"pinion", "wheel"}
        z : shape (n,) [m]
            From mid-face of the pinion.
        """
        sign = 1.0 if is_pinion(driver) else -1.0
        phase_there = np.asarray(phase, dtype=float) + self._phase_ahead(np.asarray(z, dtype=float))
        xi_1 = self.roll_length_pitch_point + sign * self.p_bt * phase_there
        return xi_1, self.line_of_action - xi_1

    def curvature_radii(self, phase: ArrayLike, driver: Member) -> tuple[Array, Array]:
        """Return the radii of curvature of both flanks at mid-face, each shape (n,) [m], those of a ring negative.

        Normal to the line of contact: ``rho = xi/cos beta_b``; of the other sign beyond the tangent point T1 or T2.
        """
        xi_1, xi_2 = self.contact_roll_lengths(phase, driver)
        return xi_1 / cos(self.beta_b), xi_2 / cos(self.beta_b)

    def _phase_ahead(self, z: Any) -> Any:
        """Return by how many pitches the section z [m] is ahead of mid-face; the pinion runs positive about +z."""
        return z * tan(self.beta_b) / self.p_bt

    def _phase(self, roll_length: float, driver: Member) -> float:
        sign = 1.0 if is_pinion(driver) else -1.0
        return sign * (roll_length - self.roll_length_pitch_point) / self.p_bt

    def tip_penetration(self, member: Member) -> tuple[float, float]:
        """Sweep the mating tip corner over flank and root of one gear (:func:`~alegear.geometry.engagement.sweep`).

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


def is_pinion(member: str) -> bool:
    if member not in ("pinion", "wheel"):
        raise Fault("gear of the pair", member, "'pinion' or 'wheel'", "correct driver")
    return member == "pinion"
