"""Loss factor by the textbook, without alegear's contact: springs of ISO 6336-1 in parallel on the path of contact.

It says which starts of the relief agree with a printed loss factor, so that alegear is not its own judge.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alegear.geometry import GearPair
from alegear.geometry.microgeometry import ReliefShape

sys.path.insert(0, str(Path(__file__).parents[1] / "mesh_stiffness"))
import iso6336

STEPS = 4001  # over the zone of double contact
N_PER_MM_UM = 1e9  # [N/m^2]
STEEL = 206e9  # [Pa], of ISO 6336-1


@dataclass(frozen=True)
class ParallelSprings:
    """Two pairs of teeth as springs in parallel, one where one pair touches.

    Without relief a pair takes one third of the load where it comes in and two thirds where the other pair leaves, and
    linearly more in between. Together the pairs are 1.75 times as stiff as one: the mean of one and two is then
    c' (0.75 eps_alpha + 0.25), as in ISO 6336-1. A relief is a gap of its pair.

    Parameters
    ----------
    pair : GearPair
        Spur gears.
    line_load : float [N/m]
        Normal load for each unit of face width.
    youngs_modulus : float [Pa]
    """

    pair: GearPair
    line_load: float
    youngs_modulus: float = STEEL

    @property
    def stiffness(self) -> float:
        """Stiffness of one pair for each unit of face width, c' [N/m^2]."""
        small, large = sorted(self.pair.gears, key=lambda gear: gear.z)
        factor = np.mean(
            [iso6336.basic_rack_factor(gear.rack.dedendum_factor, gear.alpha_n) for gear in (small, large)]
        )
        single = iso6336.single_stiffness(
            iso6336.minimum_flexibility(small.z_n, large.z_n, small.x, large.x), C_B=float(factor)
        )
        return N_PER_MM_UM * single * self.youngs_modulus / STEEL

    def loss_factor(self, relief: float, start: float, shape: ReliefShape) -> float:
        """Return H_VL, the mean over a pitch of load times sliding over nominal load and pitch line velocity.

        Parameters
        ----------
        relief : float [m]
            Tip relief of both gears.
        start : float
            Where it begins, in parts of the zone of double contact from the tip down, 0 (none) to 1.
        shape : {"linear", "parabolic"}
        """
        low, high = self.pair.path_of_contact_usable
        pitch_point = self.pair.roll_length_pitch_point
        sliding = 1.0 / self.pair.pinion.r_b + 1.0 / self.pair.wheel.r_b
        double = high - low - self.pair.p_bt

        # the pair that comes in, from A to B, and the one that leaves, from D to E: the relief is at A and at E
        way = np.linspace(0.0, double, STEPS)
        tip = np.stack([way, double - way]) / max(start * double, 1e-300)
        gap = relief * np.maximum(1.0 - tip, 0.0) ** (2 if shape == "parabolic" else 1)
        share = np.stack([1.0 + way / double, 2.0 - way / double]) / 3.0
        springs = 1.75 * self.stiffness * share
        both = (self.line_load + (springs * gap).sum(axis=0)) / springs.sum(axis=0)
        load = springs * (both - gap)
        alone = load[::-1] < 0.0  # the other one does not touch
        load = np.where(alone, self.line_load, np.maximum(load, 0.0)) / self.line_load
        speed = sliding * np.abs(np.stack([low + way, low + way + self.pair.p_bt]) - pitch_point)
        in_double = np.trapezoid((load * speed).sum(axis=0), way)

        single = np.linspace(low + double, high - double, STEPS)  # from B to D
        in_single = np.trapezoid(sliding * np.abs(single - pitch_point), single)
        return float((in_double + in_single) / self.pair.p_bt)
