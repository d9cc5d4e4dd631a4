"""Which of the two passes counts where: an edge is always the secondary one.

A point that lies deeper in a tooth than an edge of it is round has no foot on that edge: its force would jump when the
edge passes over it. The points of the edge itself find the mating flank at any depth. So where an edge touches, its
gear's pass counts alone, and in the middle of the path both by the weight of the law.
"""

from __future__ import annotations

import numpy as np

from alegear.arrays import Array
from alegear.contact.penalty.flank import FlankSurface
from alegear.geometry.gear_pair import GearPair

ALONE, BOTH = 0.15, 0.45  # of the path, from either end: up to where one pass counts alone, from where both do


def pass_shares(pair: GearPair, flanks: tuple[FlankSurface, FlankSurface], pass_weight: float) -> tuple[Array, Array]:
    """Shares of the Gauss points of pinion and wheel, (n_gauss,) each.

    At conjugate points both add up to one.

    Parameters
    ----------
    pair : GearPair
    flanks : FlankSurface of pinion and wheel
    pass_weight : float
        Share of the pinion's pass in the middle of the path.
    """
    first, second = (
        np.asarray(gear.tooth_profile.roll_length(np.clip(flank.gauss_s, 0.0, gear.tooth_profile.s_tip)))
        for gear, flank in zip(pair.gears, flanks, strict=True)
    )
    pinion = _share_on_path(pair, flanks, pass_weight, first)
    wheel = 1.0 - _share_on_path(pair, flanks, pass_weight, pair.line_of_action - second)
    for share, flank, gear in zip((pinion, wheel), flanks, pair.gears, strict=True):
        root, tip = flank.flank_ends
        share[flank.gauss_s > tip] = 1.0
        share[flank.gauss_s < root] = 0.0
        if gear.undercut:
            share[np.abs(flank.gauss_s) <= root] = 1.0
    return pinion, wheel


def _share_on_path(
    pair: GearPair, flanks: tuple[FlankSurface, FlankSurface], pass_weight: float, roll_length: Array
) -> Array:
    """Share of the pinion's pass where pairs touch at roll lengths of the pinion (n,) [m]."""
    ends = [
        [float(gear.tooth_profile.roll_length(s)) for s in flank.flank_ends]
        for gear, flank in zip(pair.gears, flanks, strict=True)
    ]
    edges = [gear.undercut for gear in pair.gears]
    low, at_low = pair.line_of_action - ends[1][1], 0.0
    if edges[0] and ends[0][0] > low:
        low, at_low = ends[0][0], 1.0
    high, at_high = ends[0][1], 1.0
    if edges[1] and pair.line_of_action - ends[1][0] < high:
        high, at_high = pair.line_of_action - ends[1][0], 0.0
    part = (roll_length - low) / (high - low)
    from_low = at_low + (pass_weight - at_low) * _step((part - ALONE) / (BOTH - ALONE))
    from_high = at_high + (pass_weight - at_high) * _step((1.0 - part - ALONE) / (BOTH - ALONE))
    return np.where(part < 0.5, from_low, from_high)


def _step(x: Array) -> Array:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))
