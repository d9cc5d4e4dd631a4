"""What stays constant while two gears turn against each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.penalty.flank import FlankSurface
from alegear.contact.penalty.search import ContactSearch
from alegear.geometry.gear_pair import GearPair

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactModel:
    """Two reduced wheels whose loaded flanks touch.

    Attributes
    ----------
    pair : GearPair
    flanks : FlankSurface of pinion and wheel
    compliance : per gear shape (n_dof, n_dof) [m/N]
        Transverse part of the window's compliance, ordered (slot, node, x or y); slot j of both gears is the same pair.
    n_pairs : int
        Slots of the window.
    law, friction : constants of the contact; ``law.stiffness`` must be set
    search : ContactSearch
    """

    pair: GearPair
    flanks: tuple[FlankSurface, FlankSurface]
    compliance: tuple[Array, Array]
    n_pairs: int
    law: PenaltyLaw
    friction: Friction
    search: ContactSearch

    def slices(self) -> Array:
        """Borders of the face slices: the columns of the narrower gear's grid, shape (n_slices + 1,) [m]."""
        return min((flank.grid.cols_z for flank in self.flanks), key=lambda cols_z: float(np.ptp(cols_z)))
