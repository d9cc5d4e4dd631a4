"""Line contact under small changes: the loaded points stay where they are, their strips follow the load.

With the gaps g of the loaded points, their forces F and the compliance D of both gears and of the strips,

    dg = arms dphi + displaced ds + nodal_1 du_1 + nodal_2 du_2,  dF = -D^-1 dg,

where s are displacements of gears that give way, du those of the tooth faces beyond what the forces cause by the
compliance in D. The torques on the gears are arms^T F.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearisedContact:
    """The n loaded points of a state of line contact without friction.

    Attributes
    ----------
    arms : shape (n, 2) [m]
        Change of the gap by the rotations of pinion and wheel in the running direction.
    displaced : shape (n, k) [1], [m]
        Change of the gap by the displacements of gears on supports that give way; none on fixed axes.
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

    def stiffness(self, displacements: Array) -> Array:
        """Stiffness (m, m) of coordinates that open the gaps by ``displacements`` (n, m), B^T D^-1 B."""
        stiffness: Array = displacements.T @ np.linalg.solve(self.compliance, displacements)
        return 0.5 * (stiffness + stiffness.T)

    def opened(self, shapes: Sequence[Array]) -> tuple[Array, ...]:
        """Opening of the gaps (n, m) by the modes of both gears, L = E Phi.

        Parameters
        ----------
        shapes : per gear, shape (n_dof, m) [kg^-1/2]
            On the tooth faces of the window, ordered as the superelement.
        """
        return tuple(nodal @ phi for nodal, phi in zip(self.nodal, shapes, strict=True))

    def stiffness_of_rest(self, opened: Sequence[Array], frequencies: Sequence[Array]) -> Array:
        """Stiffness (n, n) of the gaps without the compliance that modes carry, (D - sum L Omega^-2 L^T)^-1 [N/m].

        Parameters
        ----------
        opened : per gear, shape (n, m)
            As :meth:`opened` gives it.
        frequencies : per gear, shape (m,) [rad/s]
        """
        left = self.compliance.copy()
        for L, omega in zip(opened, frequencies, strict=True):
            left -= (L / omega**2) @ L.T
        stiffness = np.linalg.inv(left)
        return np.asarray(0.5 * (stiffness + stiffness.T), dtype=np.float64)
