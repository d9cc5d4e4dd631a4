"""Deviations of the flank from the involute, as a normal offset: part of the contact gap, not of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.errors import Fault

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Microgeometry:
    """Collect the intended deviations of both flanks of a gear; material removed is positive.

    Parameters
    ----------
    tip_relief : float [m]
        Removed at the tip circle, normal to the flank.
    tip_relief_start_diameter : float or None [m]
        Where the relief begins; needed with a tip relief.
    tip_relief_shape : {"linear", "parabolic"}
        Growth over the roll length from the start to the tip.
    lead_crowning : float [m]
        Removed at both face ends, parabolic over the face.

    Raises
    ------
    Fault
        For material added (negative values), and a tip relief without a start. Whether the relief lies on the flank is
        known to the :class:`~alegear.geometry.gear.Gear` only, which checks it.

    Examples
    --------
    >>> Microgeometry(tip_relief=20e-6, tip_relief_start_diameter=84e-3).tip_relief_shape
    'linear'
    """

    tip_relief: float = 0.0
    tip_relief_start_diameter: float | None = None
    tip_relief_shape: Literal["linear", "parabolic"] = "linear"
    lead_crowning: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("tip_relief", self.tip_relief), ("lead_crowning", self.lead_crowning)):
            if not (isfinite(value) and value >= 0.0):
                raise Fault(
                    f"{name.replace('_', ' ')} [um]",
                    round(1e6 * value, 6),
                    "0 or more: material removed is positive, none can be added",
                    f"give {name}_um a positive value",
                )
        if self.tip_relief_shape not in ("linear", "parabolic"):
            raise Fault(
                "tip relief shape",
                self.tip_relief_shape,
                "'linear' or 'parabolic'",
                "correct tip_relief_shape",
            )
        if self.tip_relief > 0.0 and self.tip_relief_start_diameter is None:
            raise Fault(
                "tip relief start diameter [mm]",
                "missing",
                "given with a tip relief",
                "add tip_relief_start_diameter_mm",
            )

    def profile_removal(self, roll_length: ArrayLike, start: float, end: float) -> Array:
        """Return the material removed by the tip relief.

        ``C_a ((xi - xi_start)/(xi_end - xi_start))^n`` with n = 1 (linear) or 2, C_a beyond the tip.

        Parameters
        ----------
        roll_length : shape (n,) [m]
        start, end : float [m]
            Roll lengths of the relief's start and of the tip circle.

        Returns
        -------
        shape (n,) [m]
        """
        share = np.clip((np.asarray(roll_length, dtype=float) - start) / (end - start), 0.0, 1.0)
        return self.tip_relief * (share if self.tip_relief_shape == "linear" else share**2)

    def lead_removal(self, z: ArrayLike, b: float) -> Array:
        """Return the material removed by the lead crowning, C_b (2 z/b)^2, shape (n,) [m]; z from mid-face."""
        return self.lead_crowning * (2.0 * np.asarray(z, dtype=float) / b) ** 2
