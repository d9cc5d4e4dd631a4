r"""What rotation does to a wheel in its own frame and to its normal modes, and they to it.

At rest it grows by centrifugal forces, and winds up by speeding up.

A wheel, bore held, that turns at Omega and gains speed at alpha about +z carries the body forces

.. math:: \rho\,\Omega^2 (x, y, 0), \qquad -\rho\,\alpha (-y, x, 0) ,

the same in the frame of every tooth: nodal diameter 0. Their static answers are found on one sector
(:mod:`alegear.reduction.cyclic`). Of normal modes only those of n = 0 carry a part of them; what the modes leave, the
static remainder, is the answer less that part:

.. math:: u_\mathrm{rest} = u - \sum_i \phi_i \frac{\phi_i^T f}{\omega_i^2} .

With normal modes, the rotation speed Omega and modal coordinates q the kinetic energy of a wheel on a fixed axis is

.. math::
    T = \tfrac12 J \Omega^2 + \Omega\, h \cdot \dot q + \tfrac12 \dot q^2 + \Omega\, q^T G \dot q
        + \Omega^2 (c \cdot q + \tfrac12 q^T S q),

which are the invariants U3, U4 and U7, U8 about the axis (:mod:`alegear.reduction.inertia`), by harmonics: h is that of
n = 0, c too, and of pairs of modes only those with the same nodal diameter know each other.
S is left out: it means little without the stiffening by the centrifugal stress.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array, ComplexArray
from alegear.fe import FEModel, Material
from alegear.mesh import SectorMesh
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.sector_condensation import content_of
from alegear.storage import model_store


@dataclass(frozen=True, kw_only=True, eq=False)
class AxialMoments:
    """Moments of m normal modes of unit mass about the axis of a wheel; rotations are positive about +z.

    Attributes
    ----------
    spin : shape (m,) [kg^1/2 m]
        h, ``int rho (s x phi_i)_z dV``.
    outward : shape (m,) [kg^1/2 m]
        c, ``int rho s_xy . phi_i dV``: the centrifugal force on a mode is Omega^2 c.
    turning : shape (m, m)
        G, ``int rho (phi_i x phi_j)_z dV``, skew: Coriolis forces are 2 Omega G dq/dt.
    """

    spin: Array
    outward: Array
    turning: Array

    @classmethod
    def of(cls, modes: NormalModes) -> AxialMoments:
        """Collect them over all sectors."""
        invariants = modes.invariants
        model = FEModel.from_mesh(modes.sector.volume, modes.material)
        x, y = (np.ascontiguousarray(modes.amplitudes[:, :, axis]) for axis in range(2))
        x_y = _over_sectors(modes, x, np.asarray((model.scalar_mass @ y.T).T, dtype=np.complex128))
        return cls(
            spin=invariants.U3[2],
            outward=invariants.mixed[:, 0, 0] + invariants.mixed[:, 1, 1],
            turning=x_y - x_y.T,
        )


def _over_sectors(modes: NormalModes, one: ComplexArray, two: ComplexArray) -> Array:
    """Sum over the teeth k of Re(a exp(i n_a k t)) . Re(b exp(i n_b k t)), rows a of `one`, b of `two`, t = 2 pi/z."""
    n, z = modes.nodal_diameters, modes.teeth
    same = (n[:, None] - n) % z == 0
    opposite = (n[:, None] + n) % z == 0
    total: Array = 0.5 * z * (opposite * (one @ two.T).real + same * (one @ two.conj().T).real)
    return total


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
