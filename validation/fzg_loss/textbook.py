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
    linearly more in between: the load sharing factor of ISO/TR 13989-1 for spur gears (the text was not at hand).
    Together the pairs are 1.75 times as stiff as one: the mean of one and two is then c' (0.75 eps_alpha + 0.25), as in
    ISO 6336-1. A relief is a gap of its pair.

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
        return N_PER_MM_UM * iso6336.stiffness_of(self.pair) * self.youngs_modulus / STEEL

    def loss_factor(self, relief: float, start: float, shape: ReliefShape) -> float:
        """Return H_VL, the mean over a pitch of load times sliding over nominal load and pitch line velocity.

        Parameters
        ----------
        relief : float [m]
            Tip relief of both gears.
        start : float
            Where it begins, in parts of the zone of double contact from the tip down, above 0 to 1.
        shape : {"linear", "parabolic"}
        """
        low, high = self.pair.path_of_contact_usable
        pitch_point = self.pair.roll_length_pitch_point
        sliding = 1.0 / self.pair.pinion.r_b + 1.0 / self.pair.wheel.r_b
        double = high - low - self.pair.p_bt

        # the pair that comes in, from A to B, and the one that leaves, from D to E: the relief is at A and at E
        entered = np.linspace(0.0, double, STEPS)  # distance from A, and from D
        unrelieved = np.minimum(np.stack([entered, double - entered]) / (start * double), 1.0)
        gap = relief * (1.0 - unrelieved) ** (2 if shape == "parabolic" else 1)
        share = np.stack([1.0 + entered / double, 2.0 - entered / double]) / 3.0
        stiffness = 1.75 * self.stiffness * share
        approach = (self.line_load + (stiffness * gap).sum(axis=0)) / stiffness.sum(axis=0)
        load = stiffness * (approach - gap)
        alone = load[::-1] < 0.0  # the other one does not touch
        load = np.where(alone, self.line_load, np.maximum(load, 0.0)) / self.line_load
        speed = sliding * np.abs(np.stack([low + entered, low + entered + self.pair.p_bt]) - pitch_point)
        in_double = np.trapezoid((load * speed).sum(axis=0), entered)

        single = np.linspace(low + double, high - double, STEPS)  # from B to D
        in_single = np.trapezoid(sliding * np.abs(single - pitch_point), single)
        return float((in_double + in_single) / self.pair.p_bt)
