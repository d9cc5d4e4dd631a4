"""The tip edge of a tooth: a circular arc that joins the flank to the tip circle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.errors import Fault
from alegear.geometry.gear import Gear
from alegear.geometry.tooth_profile import ToothProfile

Array = NDArray[np.float64]

SHARP_TIP = 0.005  # modules; law penalty: the Gauss points must see some of the round, or the contact force jumps
_PARTS, _ROUNDS = 32, 11  # into which the flank is divided, and how often: 32^-11 of it is less than round-off


@dataclass(frozen=True, kw_only=True, eq=False)
class TipRound:
    """Circular arc from the flank to the tip circle, tangent to both.

    Parameters
    ----------
    s_start, s_end : float [m]
        Arc lengths where it leaves flank a and where it meets the tip circle.
    radius : float [m]
    centre : shape (2,) [m]
        In the tooth frame of flank a.
    direction : float [rad]
        Polar angle of the start point seen from the centre.
    """

    s_start: float
    s_end: float
    radius: float
    centre: Array
    direction: float

    @classmethod
    def of(cls, gear: Gear, smallest: float) -> TipRound:
        """Fit the tip round of a gear.

        Parameters
        ----------
        gear : Gear
        smallest : float
            In modules: a sharp edge is a round of this radius, so that the contact point moves over it and does not
            jump.

        Raises
        ------
        Fault
            If the round does not fit on the flank or on the tip land.
        """
        profile = gear.tooth_profile
        radius = max(gear.tip_rounding_radius, smallest * gear.m_n)

        def centres_at(s: Array) -> Array:
            return profile.points(s) - radius * profile.normals(s)

        def reaches(s: Array) -> NDArray[np.bool_]:
            return np.hypot(*centres_at(s).T) > gear.r_a - radius

        if reaches(np.zeros(1))[0]:
            raise Fault(
                "tip rounding [mm]", f"{1e3 * radius:.4g}", "smaller than the tooth depth", "reduce tip_rounding_mm"
            )
        # the further up the flank, the further out the centre: narrowed down to the last digit
        low, high = 0.0, profile.s_tip
        for _ in range(_ROUNDS):
            s = np.linspace(low, high, _PARTS + 1)[:-1]
            within = s[~reaches(s)]
            low, high = float(within[-1]), float(np.append(s, high)[len(within)])
        s_start = 0.5 * (low + high)
        centre = centres_at(np.array([s_start]))[0]
        if centre[1] < 0.0:
            raise Fault(
                "tip thickness [mm]",
                f"{1e3 * gear.s_at(gear.r_a):.4g}",
                f"large enough for two tip rounds of {1e3 * radius:.4g} mm",
                "reduce profile_shift, or shorten the tip by a negative tip_alteration_factor",
            )
        normal = profile.normals(np.array([s_start]))[0]
        direction = float(np.arctan2(normal[1], normal[0]))
        turn = direction - float(np.arctan2(centre[1], centre[0]))
        return cls(s_start=s_start, s_end=s_start + radius * turn, radius=radius, centre=centre, direction=direction)

    def curve(self, profile: ToothProfile, s: Array) -> tuple[Array, Array]:
        """Points (n, 2) and unit tangents (n, 2) of flank a with its tip round at the arc lengths s (n,)."""
        on_flank = np.minimum(s, self.s_start)
        xy, tangent = profile.points(on_flank), profile.tangents(on_flank)
        beyond = s > self.s_start
        angle = self.direction - (s[beyond] - self.s_start) / self.radius
        ray = np.column_stack([np.cos(angle), np.sin(angle)])
        xy[beyond] = self.centre + self.radius * ray
        tangent[beyond] = np.column_stack([ray[:, 1], -ray[:, 0]])
        return xy, tangent
