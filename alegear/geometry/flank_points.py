"""Where contact on a flank begins, changes between one and two pairs, and ends; how the flanks slide there."""

from __future__ import annotations

from math import hypot, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.involute import profile_shift_sum
from alegear.geometry.pair_geometry import Member

ORDER = ("Ff", "Nf", "LPSTC", "C", "HPSTC", "Fa", "Na", "a")
"""Points of a flank from root to tip, as they usually are."""


def needed_profile_shifts(pair: GearPair) -> float:
    """Return the sum of profile shifts that the nominal centre distance of a pair needs without backlash."""
    pinion, wheel = pair.gears
    return profile_shift_sum(
        z=(pinion.z, wheel.z), m_n=pinion.m_n, a_w=pair.a_nominal, alpha_n=pinion.alpha_n, beta=pinion.beta
    )


def tip_clearances(pair: GearPair) -> tuple[float, float]:
    """Return the distances of the tips of pinion and wheel from the generated root of their mate [m].

    ``c_1 = a_w - r_a1 - r_f2``, with the signs of ISO 21771 for a ring.
    """
    pinion, wheel = pair.gears
    return pair.a_w - pinion.r_a - wheel.r_f, pair.a_w - wheel.r_a - pinion.r_f


def round_begin(gear: CylindricalGear) -> float:
    """Return the roll length of the tip form circle, where the tip round leaves the involute [m].

    The centre of the round lies rho below the flank on the normal, which touches the base circle, and rho below the
    tip circle: ``r_b^2 + (xi - rho)^2 = (r_a - rho)^2``; of a ring with its negative radii and roll lengths.
    """
    rho = gear.tip_rounding_radius
    return rho + gear.sign * sqrt(max((gear.r_a - rho) ** 2 - gear.r_b**2, 0.0))


def flank_points(pair: GearPair, member: Member) -> dict[str, float]:
    """Return the roll lengths of the points of a flank that a designer asks for, from root to tip [m].

    Parameters
    ----------
    pair : GearPair
    member : {"pinion", "wheel"}

    Returns
    -------
    dict
        ``Ff`` root form circle, ``Nf`` active root, ``LPSTC`` lowest and ``HPSTC`` highest point of single pair contact
        of a transverse section, ``C`` pitch point, ``Fa`` tip form circle, where the tip round begins, ``Na`` active
        tip, ``a`` tip circle. The points of single contact are left out where there is none: for transverse
        contact ratios below 1 and from 2 on.

    Notes
    -----
    The path of contact ends at sharp tips, as everywhere in :class:`GearPair`; ISO 21771 ends it at the tip form
    circles, which a round of 0.05 modules puts a few hundredths of a module of roll length lower. The points of single
    contact lie one base pitch from the ends: B and D of the line of action, for the pinion in this order, for the wheel
    in the other. Of a ring all is negative, and rises to its tip too.
    """
    ends = list(pair.path_of_contact_usable)
    if member == "wheel":  # where the pinion's flank begins, that of the wheel ends
        ends = [pair.line_of_action - xi for xi in reversed(ends)]
    single = pair.single_contact(member) or ()
    gear = pair.pinion if member == "pinion" else pair.wheel
    pitch_point = pair.roll_length_pitch_point
    found = {
        "Ff": gear.tooth_profile.roll_length_form,
        "C": pitch_point if member == "pinion" else pair.line_of_action - pitch_point,
        "Fa": round_begin(gear),
        "a": gear.tooth_profile.roll_length_tip,
        **dict(zip(("Nf", "Na"), ends, strict=True)),
        **dict(zip(("LPSTC", "HPSTC"), single, strict=False)),
    }
    return {name: found[name] for name in ORDER if name in found}


def diameter_at(gear: CylindricalGear, roll_length: float) -> float:
    """Return the diameter at a roll length [m]: ``2 sqrt(r_b^2 + xi^2)``, of a ring negative."""
    return gear.sign * 2.0 * hypot(gear.r_b, roll_length)


def roll_angle(gear: CylindricalGear, roll_length: float) -> float:
    """Return the roll angle at a roll length [rad]: ``xi/r_b``."""
    return roll_length / gear.r_b


def specific_sliding(pair: GearPair, roll_length_1: ArrayLike) -> tuple[Array, Array]:
    """Return the specific sliding of both flanks at roll lengths of the pinion, each shape (n,) [1].

    ``zeta_1 = 1 - xi_2/(u xi_1)``, ``zeta_2 = 1 - u xi_1/xi_2``, ``u = z_2/z_1``: the sliding speed against the mate
    over the own rolling speed. Negative on the dedendum, where the mate is faster; minus infinity where the own flank
    stands still, at its base circle. Source: ISO 21771:2007.
    """
    xi_1 = np.asarray(roll_length_1, dtype=float)
    v_1, v_2 = rolling_speeds(pair, xi_1, 1.0)
    return _over(v_1 - v_2, v_1), _over(v_2 - v_1, v_2)


def rolling_speeds(pair: GearPair, roll_length_1: ArrayLike, speed: float) -> tuple[Array, Array]:
    """Return the speeds of both flanks along the profile at roll lengths of the pinion, each shape (n,) [m/s].

    ``v_1 = omega_1 xi_1``, ``v_2 = omega_1 xi_2/u``: how fast the point of contact moves over each flank. Their
    difference is the sliding speed.

    Parameters
    ----------
    pair : GearPair
    roll_length_1 : shape (n,) [m]
    speed : float [rad/s]
        Of the pinion.
    """
    xi_1 = np.asarray(roll_length_1, dtype=float)
    return speed * xi_1, speed * (pair.line_of_action - xi_1) * pair.pinion.z / pair.wheel.z


def _over(sliding: Array, own: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(own == 0.0, -inf, sliding / own)
