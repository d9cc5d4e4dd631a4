"""Two gears in mesh: their numbers by ISO 21771, and where teeth run into each other.

Interference: tips in roots, tips outside of the path of contact, gears fed in along a radius.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import acos, atan, atan2, ceil, cos, hypot, inf, pi, sin, sqrt, tan
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.involute import inv, inv_working_angle, involute_angle
from alegear.geometry.tooth_profile import ToothProfile

Member = Literal["pinion", "wheel"]

ROUND_OFF = 1e-9
"""Modules of backlash, of either sign, that a centre distance leaves which is computed from the profile shifts."""

INTERFERENCE_LIMIT = 5e-4
"""Modules to which a mating tip may cut into a root: 2 um of module 4 mm, less than the roughness of its flanks."""

_SWEEP, _CURVE = 801, 801
_BLOCK = 64  # positions at a time: such products stay in the cache and on one thread, a fifth of the time of one
_PHASES, _FEEDS = 33, 81


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


class PairGeometry:
    """Two gears at a centre distance; a :class:`~alegear.geometry.gear_pair.GearPair` has the fields and the checks.

    Attributes
    ----------
    pinion, wheel : CylindricalGear
    a_nominal : float [m]
    alignment : Alignment
    """

    pinion: CylindricalGear
    wheel: CylindricalGear
    a_nominal: float
    alignment: Alignment
    _names: ClassVar[PairNames] = PairNames()  # unless the pair is given others: no field, for it is no part of it

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


def is_pinion(member: str) -> bool:
    if member not in ("pinion", "wheel"):
        raise Fault("gear of the pair", member, "'pinion' or 'wheel'", "correct driver")
    return member == "pinion"


# --------------------------------------------------------------------------------------- interference
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
    of_corner = np.column_stack([np.ones(len(at)), at.real, at.imag])
    blocks = np.split(of_corner, range(_BLOCK, len(of_corner), _BLOCK))
    nearest = np.concatenate([np.argmin(block @ of_points, axis=1) for block in blocks])
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
