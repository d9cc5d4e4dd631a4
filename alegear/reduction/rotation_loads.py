r"""What rotation does to a wheel at rest in its own frame: growth by centrifugal forces, wind-up by speeding up.

A wheel, bore held, that turns at Omega and gains speed at alpha about +z carries the body forces

.. math:: \rho\,\Omega^2 (x, y, 0), \qquad -\rho\,\alpha (-y, x, 0) ,

the same in the frame of every tooth: nodal diameter 0. Their static answers are found on one sector
(:mod:`alegear.reduction.cyclic`). Of normal modes only those of n = 0 carry a part of them; what the modes leave, the
static remainder, is the answer less that part:

.. math:: u_\mathrm{rest} = u - \sum_i \phi_i \frac{\phi_i^T f}{\omega_i^2} .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.fe import Material
from alegear.mesh import SectorMesh
from alegear.reduction.axial_moments import AxialMoments
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.sector_condensation import content_of
from alegear.storage import model_store

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class RotationResponse:
    """Displacements of the nodes of a sector, in the tooth frame, under the loads of rotation.

    Attributes
    ----------
    centrifugal : shape (n_nodes, 3) [m s2]
        By the square of the speed.
    euler : shape (n_nodes, 3) [m s2]
        By minus the angular acceleration about +z.
    """

    centrifugal: Array
    euler: Array

    @classmethod
    def of(cls, sector: SectorMesh | CyclicSector, material: Material) -> RotationResponse:
        """Solve both loads on the sector, its bore held."""
        cyclic = sector if isinstance(sector, CyclicSector) else CyclicSector.of(sector, material)
        x, y, z = cyclic.model.points.T
        outward = np.column_stack([x, y, 0.0 * z]).ravel()
        around = np.column_stack([-y, x, 0.0 * z]).ravel()
        load = cyclic.load(np.column_stack([outward, around]).astype(np.complex128))
        u = cyclic.solver(0)(load).real
        return cls(centrifugal=u[:, 0].reshape(-1, 3).copy(), euler=u[:, 1].reshape(-1, 3).copy())

    @classmethod
    def stored(cls, sector: SectorMesh, material: Material) -> RotationResponse:
        """As :meth:`of`, from the store of reductions if it was found before."""
        arrays, values = content_of(sector, material, ("cut_low", "cut_high", "bore"))
        return cls(**model_store.stored(arrays, values | {"rotation": 1}, lambda: vars(cls.of(sector, material))))

    def remainder(self, modes: NormalModes, moments: AxialMoments) -> RotationResponse:
        """What the modes leave of the answer."""
        shapes = modes.amplitudes.real  # those that the loads move are of n = 0 and real
        squares = modes.frequencies**2
        return RotationResponse(
            centrifugal=self.centrifugal - np.tensordot(moments.outward / squares, shapes, 1),
            euler=self.euler - np.tensordot(moments.spin / squares, shapes, 1),
        )
