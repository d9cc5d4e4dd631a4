"""Which gear is which, which way it turns, which flank carries, which slot holds which pair."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

PINION, WHEEL = 0, 1
SPIN = np.array([1.0, -1.0])  # rotation about +z of a gear that runs in the positive running direction


def loaded_flank(driver: Literal["pinion", "wheel"]) -> Literal["a", "b"]:
    """Flank that carries: the pinion runs positive about +z, so it drives with flank a and is driven on flank b."""
    return "a" if driver == "pinion" else "b"


def slot_order(n_pairs: int, gear: int) -> NDArray[np.int64]:
    """Superelement slot (counted counter-clockwise) of each window slot (counted in order of engagement).

    The next tooth to come into mesh lies clockwise on the pinion and counter-clockwise on the wheel.
    """
    order = np.arange(n_pairs)
    return order[::-1].copy() if gear == PINION else order
