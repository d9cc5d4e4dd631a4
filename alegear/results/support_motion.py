"""Displacements of gears on elastic supports, and their bearing loads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SupportMotion:
    """Displacements and bearing loads over n positions or times; a gear on a fixed axis stays where it is.

    Parameters
    ----------
    displacement : shape (n, 2, 3) [m]
        Of the centres of the mid-faces of pinion and wheel from their places without load.
    tilt : shape (n, 2, 2) [rad]
        Of the axes about x and y.
    bearing_force : shape (n, 2, 3) [N]
        Of the gears on their bearings.
    bearing_moment : shape (n, 2, 2) [N m]
        Likewise about x and y, at mid-face.
    """

    displacement: Floats
    tilt: Floats
    bearing_force: Floats
    bearing_moment: Floats

    @classmethod
    def of(cls, displacement: Floats, load: Floats) -> SupportMotion:
        """Split displacements (n, 2, 5) and loads (n, 2, 5), in the order x, y, z, about x, about y."""
        return cls(
            displacement=displacement[:, :, :3],
            tilt=displacement[:, :, 3:],
            bearing_force=load[:, :, :3],
            bearing_moment=load[:, :, 3:],
        )
