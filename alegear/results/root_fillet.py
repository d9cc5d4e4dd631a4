"""Stress along the root fillets and across the face, and its range over the cycle of a tooth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from alegear.arrays import Array

# Ranges so close [of the largest] are equal. Where the load is even across the face, places at +z and -z have the same
# stress, and round-off would choose between them; of equal ones the first counts.
SAME = 1e-9


class StressRange(NamedTuple):
    """Cycle of the signed principal stress at the root point where it is widest; each shape (2, 2), gear and side.

    ``spread`` [Pa] is largest minus smallest stress, ``mean`` [Pa] the middle between them; ``arc_length`` and
    ``face_position`` [m] say where, as in :class:`RootFillet`.
    """

    spread: Array
    mean: Array
    arc_length: Array
    face_position: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class RootFillet:
    """Root stress point by point. Gears with fewer points than the other are filled up with NaN.

    The points are those over which ``root_stress`` is the maximum: from beside the middle of the tooth space up to
    where the contact of the mating tip would be taken for bending.

    Parameters
    ----------
    arc_length : shape (2, n_fillet) [m]
        Along the fillet from the middle of the tooth space, by gear.
    tangent : shape (2, n_fillet) [rad]
        Angle between the tangent of the fillet and the tooth's centre line there.
    face_position : shape (2, n_face) [m]
        Along the axis from the gear's mid-face.
    highest, lowest : shape (2, 2, n_fillet, n_face) [Pa]
        Largest and smallest signed principal stress by gear and side over all samples and teeth; NaN if a gear is a
        segment, whose teeth are not alike.
    """

    arc_length: Array
    tangent: Array
    face_position: Array
    highest: Array
    lowest: Array

    def stress_range(self) -> StressRange:
        """Find the point with the widest cycle; away from the mesh the stress of a tooth is 0, which counts too.

        Over a pitch the teeth in mesh show all of the cycle of one tooth, each its part, because they are alike. With
        pitch deviations they are not quite; the range is then that of the teeth together.
        """
        high, low = np.maximum(self.highest, 0.0), np.minimum(self.lowest, 0.0)
        spread = high - low
        known = np.isfinite(spread)
        out = np.full((4, 2, 2), np.nan)
        for gear, side in np.argwhere(known.any(axis=(2, 3))):
            at = np.where(known[gear, side], spread[gear, side], -np.inf)
            first = int(np.argmax(at >= at.max() * (1.0 - SAME)))
            row, col = np.unravel_index(first, at.shape)
            out[:, gear, side] = (
                spread[gear, side, row, col],
                0.5 * (high + low)[gear, side, row, col],
                self.arc_length[gear, row],
                self.face_position[gear, col],
            )
        return StressRange(*out)
