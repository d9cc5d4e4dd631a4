"""Where teeth run into each other: tips in roots, tips outside of the path of contact, gears fed in along a radius."""

from __future__ import annotations

from math import acos, atan2, hypot, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.geometry.tooth_profile import ToothProfile

if TYPE_CHECKING:
    from alegear.geometry.cylindrical_gear import CylindricalGear

Array = NDArray[np.float64]

INTERFERENCE_LIMIT = 5e-4
"""Modules to which a mating tip may cut into a root: 2 um of module 4 mm, less than the roughness of its flanks."""

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
