"""Gear pairs with modified flanks, in the package and as dense points, for comparison of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from closed_form.true_profiles import Removal, TrueGear, TruePair, relief

from alegear.geometry import Gear, GearPair, Microgeometry

STARTS = (41.6 / 44.8, 60.0 / 63.2)  # of the reliefs of 20/30, over the tip radii


def true_gear(gear: Gear) -> TrueGear:
    """The same gear by its numbers, without deviations; sharp tips are rounds of 0.0005 modules in the contact."""
    radius = max(gear.tip_rounding_radius, 0.0005 * gear.m_n)
    return TrueGear(z=gear.z, m_n=gear.m_n, x=gear.x, beta=abs(gear.beta), tip_radius=radius)


def modified_pair(
    plain: GearPair, amount: float, rounding: float | None, shape: str, modified: tuple[int, ...]
) -> tuple[GearPair, TruePair]:
    """The pair with removals at some of its tips, in the package and as dense points.

    Parameters
    ----------
    amount : float [m]
        At the tip circle. A negative one adds material over the whole flank.
    rounding : float or None [m]
        Tip round of both gears; None: the default.
    shape : {"linear", "parabolic"}
    modified : which gears, 0 and 1
    """
    gears, true = [], []
    for number, gear in enumerate(plain.gears):
        gear = replace(gear, tip_rounding=rounding)
        other = true_gear(gear)
        if amount and number in modified:
            made, removal = _removal(gear, other, amount, shape, STARTS[number] * gear.r_a)
            gear, other = gear.with_microgeometry(made), replace(other, removal=removal)
        gears.append(gear)
        true.append(other)
    return GearPair(pinion=gears[0], wheel=gears[1]), TruePair(pinion=true[0], wheel=true[1])


def _removal(gear: Gear, other: TrueGear, amount: float, shape: str, start: float) -> tuple[Microgeometry, Removal]:
    if amount > 0.0:
        made = Microgeometry(tip_relief=amount, tip_relief_start_diameter=2.0 * start, tip_relief_shape=shape)
        return made, relief(amount, start, other, shape)
    profile = gear.tooth_profile
    form, tip = profile.roll_length_form, profile.roll_length_tip
    if shape == "linear":
        return Microgeometry(profile_slope=amount), lambda xi: amount * (xi - form) / (tip - form)
    middle, half = 0.5 * (form + tip), 0.5 * (tip - form)
    return Microgeometry(profile_crowning=amount), lambda xi: amount * ((xi - middle) / half) ** 2


def compare(true: TruePair, separation: Callable[[float], float], phases: Iterable[float]) -> np.ndarray:
    """Phases and both separations where the true one is below 0.2 mm, shape (n, 3)."""
    rows = [(phase, true.separation(phase), separation(phase)) for phase in phases]
    return np.array([row for row in rows if row[1] < 2e-4])
