"""What the tests ask of contacts, in one line each: data of their own where none are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact

Array = NDArray[np.float64]
AT_REST = np.zeros(2)


def new_data(contact: Any, motion: dict[str, Any]) -> Any:
    """Data for a motion: with displacements as coordinates if they are among what it says."""
    return contact.new_data(displaced="displacement" in motion or "displacement_gap_offset" in motion)


def forces_at(
    contact: Any,
    phi: Array,
    omega: Array = AT_REST,
    *,
    data: Any = None,
    tangent: bool = True,
    energy: bool = False,
    **motion: Any,
) -> Any:
    """Contact forces at rotations (2,) [rad]; further keywords are those of `MeshMotion`."""
    data = new_data(contact, motion) if data is None else data
    return contact.evaluate(data, MeshMotion(phi=phi, omega=omega, **motion), tangent=tangent, energy=energy)


def points_at(
    contact: LineContact, phi: Array, reach: float, *, side: int = 0, data: Any = None, **motion: Any
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Points of closest approach of one side of the teeth: table, pair and slice."""
    data = new_data(contact, motion) if data is None else data
    return contact.find(data, side, MeshMotion(phi=phi, **motion), reach)


def gap_at(contact: Any, phi: Array, reach: float, **motion: Any) -> float:
    """Smallest gap of the loaded flanks [m]."""
    return float(contact.closest_gap(new_data(contact, motion), MeshMotion(phi=phi, **motion), reach))
