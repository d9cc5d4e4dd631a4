"""Limits of small displacements of gears on supports."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from alegear.arrays import Array
from alegear.errors import AnalysisFailure
from alegear.geometry.alignment import LARGEST_DISPLACEMENT, LARGEST_TILT
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.pair_geometry import PairNames

NOTABLE_DISPLACEMENT = 0.05
"""Modules a gear may be displaced without a warning; more than most tolerances of centre distances."""


@dataclass
class DisplacementLimit:
    """Tracks the displacements of both gears during a study and checks their limit.

    Parameters
    ----------
    pair : GearPair
    names : PairNames
        By which messages call its gears.
    """

    pair: GearPair
    names: PairNames = field(default_factory=PairNames)
    largest: Array = field(default_factory=lambda: np.zeros((2, 2)))  # displacement [m] and tilt [rad] of both gears

    def update(self, displacements: Array, where: str = "", time: Array | None = None) -> None:
        """Take in the displacements of both gears at a position that `where` names, or at times (m,) [s].

        Shape (2, 5) [m, rad], at times (m, 2, 5).

        Raises
        ------
        AnalysisFailure
            If a gear is displaced further than its teeth reach, at the first such time.
        """
        displacements = displacements.reshape(-1, 2, 5)
        sizes = np.stack([np.linalg.norm(displacements[..., part], axis=2) for part in (slice(3), slice(3, 5))], axis=2)
        m_n = self.pair.pinion.m_n
        far = np.flatnonzero(~np.all(sizes[:, :, 0] <= LARGEST_DISPLACEMENT * m_n, axis=1))
        seen = sizes[: far[0] + 1] if len(far) else sizes
        self.largest = np.maximum(self.largest, seen.max(axis=0))
        if len(far):
            size = sizes[far[0], :, 0]
            gear = int(np.argmax(np.nan_to_num(size, nan=np.inf)))
            where = where if time is None else f"t = {time[far[0]]:.6g} s"
            raise AnalysisFailure(
                f"displacement of {self.names.gears[gear]} at {where} = {1e3 * size[gear]:.4g} mm: above "
                f"{1e3 * LARGEST_DISPLACEMENT * m_n:.4g} mm, {LARGEST_DISPLACEMENT:g} module, the teeth are no longer "
                "in mesh; raise the stiffness of the supports, or reduce torque, unbalance or gravity"
            )

    def warnings(self) -> list[str]:
        """Warnings of displacements that are not small, one sentence a gear and motion."""
        found = []
        m_n = self.pair.pinion.m_n
        for name, (size, tilt) in zip(self.names.gears, self.largest, strict=True):
            if size > NOTABLE_DISPLACEMENT * m_n:
                found.append(
                    f"displacement of {name} = {1e3 * size:.4g} mm, {size / m_n:.3g} modules: above "
                    f"{NOTABLE_DISPLACEMENT:g} modules it is not small, as the model takes it; "
                    "raise the stiffness of its support"
                )
            if tilt > math.radians(LARGEST_TILT):
                found.append(
                    f"tilt of {name} = {math.degrees(tilt):.3g} deg: above {LARGEST_TILT:g} deg it is not small, "
                    "as the model takes it; raise the tilt stiffness of its support"
                )
        return found
