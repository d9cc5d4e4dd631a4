"""Which gear is which, which way it turns, which flank carries, which slot holds which pair."""

from __future__ import annotations

from typing import Literal

import numpy as np

from alegear.arrays import Indices

PINION, WHEEL = 0, 1
GEARS = ("pinion", "wheel")
SPIN = np.array([1.0, -1.0])  # rotation about +z of a gear that runs in the positive running direction


Flank = Literal["a", "b"]


def loaded_flank(driver: Literal["pinion", "wheel"], torque: float = 1.0) -> Flank:
    """Flank that carries: the pinion runs positive about +z, so it drives with flank a and is driven on flank b.

    A negative torque brakes the driver: the back flanks carry.
    """
    return "a" if (driver == "pinion") == (torque >= 0.0) else "b"


def flank_side(flank: Flank) -> float:
    """+1 for flank a, at positive polar angle of its tooth, -1 for flank b."""
    return 1.0 if flank == "a" else -1.0


def driver_on(flank: Flank) -> Literal["pinion", "wheel"]:
    """Gear whose root is met first: on flanks a the contact runs up the pinion's tooth, as if the pinion drove."""
    return "pinion" if flank == "a" else "wheel"


def slot_order(n_pairs: int, gear: int) -> Indices:
    """Superelement slot (counted counter-clockwise) of each window slot (counted in order of engagement).

    The next tooth to come into mesh lies clockwise on the pinion and counter-clockwise on the wheel.
    """
    order = np.arange(n_pairs)
    return order[::-1].copy() if gear == PINION else order
