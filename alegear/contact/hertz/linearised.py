"""Line contact under small changes: the loaded points stay where they are, their strips follow the load.

With the gaps g of the loaded points, their forces F and the compliance D of both gears and of the strips,

    dg = arms dphi + displaced ds + nodal_1 du_1 + nodal_2 du_2,  dF = -D^-1 dg,

where s are displacements of gears that give way, du those of the tooth faces beyond what the forces cause by the
compliance in D. The torques on the gears are arms^T F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearisedContact:
    """The n loaded points of a state of line contact without friction.

    Attributes
    ----------
    arms : shape (n, 2) [m]
        Change of the gap by the rotations of pinion and wheel in the running direction.
    displaced : shape (n, k) [1], [m]
        Change of the gap by the displacements of gears on supports that give way; none on hinges.
    compliance : shape (n, n) [m/N]
        D, symmetric: how unit forces open the gaps, the tangent approach of the strips on the diagonal.
    force : shape (n,) [N]
    nodal : per gear, shape (n, n_dof) [1]
        Forces on the nodes of the tooth faces, ordered as those of the `Superelement`, by unit contact force; the same
        numbers tell how displacements of the nodes open the gaps.
    """

    arms: Array
    displaced: Array
    compliance: Array
    force: Array
    nodal: tuple[Array, Array]

    def stiffness(self, displacements: Array, residual: Array | None = None) -> Array:
        """Stiffness (m, m) of coordinates that open the gaps by ``displacements`` (n, m), B^T D^-1 B.

        Parameters
        ----------
        displacements : shape (n, m)
        residual : shape (n, n) [m/N], optional
            Compliance in the place of D: what is left of it where some of the coordinates are elastic modes.
        """
        D = self.compliance if residual is None else residual
        stiffness: Array = displacements.T @ np.linalg.solve(D, displacements)
        return 0.5 * (stiffness + stiffness.T)
