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
    push_phi, push_ahead, torque_y : shapes (n, 2), (n, 2), (2, n), optional
        Likewise by the rotations and by those that the gaps are ahead, and of the torques.
    friction_push : shape (n,)
        What friction has of `push`.
    """

    push: Array
    push_y: Array | None
    push_phi: Array | None
    push_ahead: Array | None
    torque_y: Array | None
    friction_push: Array


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
    push, friction = pushing.T @ load, (pushing - opening).T @ load
    if not tangent:
        none = dict.fromkeys(("push_y", "push_phi", "push_ahead", "torque_y"))
        return vars(forces) | {"push": push, "friction_push": friction, **none}
    active, n = contact.active_points, opening.shape[1]
    table, mu = forces.loaded.record.table, forces.loaded.record.mu[:, None]
    rigid = table[:, kernels.G_X : kernels.G_X + 2]
    both = np.hstack([opening, rigid])
    # (diag(dw/dF) + G) dF = -dg
    load_by = -np.linalg.solve(contact.active_compliance(active), both) if len(active) else both
    load_y, load_ahead = load_by[:, :n], load_by[:, n:]
    load_phi = contact._points.loads.rate[active] * contact.contact_length
    arms = rigid + mu * table[:, kernels.L_X : kernels.L_X + 2]
    return vars(forces) | {
        "push": push,
        "friction_push": friction,
        "push_y": pushing.T @ load_y,
        "push_phi": pushing.T @ load_phi,
        "push_ahead": pushing.T @ load_ahead,
        "torque_y": arms.T @ load_y,
    }
