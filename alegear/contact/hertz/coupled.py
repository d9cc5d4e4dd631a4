"""What a contact answers that has coordinates besides the rotations: displacements of the gears, vibrations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.solution import LineContactForces

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class CoupledForces(LineContactForces):
    """Contact forces at given rotations and n further coordinates y, generalised forces included.

    Attributes
    ----------
    push : shape (n,)
        Forces of the contact that belong to y.
    push_y : shape (n, n), optional
        d(push)/dy at constant rotations. Loads follow the gaps exactly; that the forces also turn with the flanks and
        move over them is left out of it, a thousandth (README, section 9).
    push_phi, torque_y : shapes (n, 2), (2, n), optional
        Likewise by the rotations, and of the torques.
    """

    push: Array
    push_y: Array | None
    push_phi: Array | None
    torque_y: Array | None


def coupled(
    contact: LineContact, forces: LineContactForces, pushing: Array, opening: Array, *, tangent: bool
) -> dict[str, Any]:
    """Fields of :class:`CoupledForces` from what a coordinate does at each loaded point.

    Parameters
    ----------
    contact : LineContact
        Right after its evaluation, which was made with `tangent`, without energy, or without both.
    forces : LineContactForces
    pushing, opening : shape (m, n)
        Force on each coordinate by a unit load of a point, and how the coordinate opens its gap.
    tangent : bool
    """
    load = forces.loaded.record.force
    if not tangent:
        return vars(forces) | {"push": pushing.T @ load, "push_y": None, "push_phi": None, "torque_y": None}
    active = contact.active_points
    # (diag(dw/dF) + G) dF = -dg
    load_y = -np.linalg.solve(contact.active_compliance(active), opening) if len(active) else opening
    load_phi = contact._points.loads.rate[active] * contact.contact_length
    table, mu = forces.loaded.record.table, forces.loaded.record.mu[:, None]
    arms = table[:, kernels.G_X : kernels.G_X + 2] + mu * table[:, kernels.L_X : kernels.L_X + 2]
    return vars(forces) | {
        "push": pushing.T @ load,
        "push_y": pushing.T @ load_y,
        "push_phi": pushing.T @ load_phi,
        "torque_y": arms.T @ load_y,
    }
