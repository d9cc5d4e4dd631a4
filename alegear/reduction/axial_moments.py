r"""What the rotation of a wheel about its axis does to its normal modes, and they to it: moments of the modes.

With the rotation speed Omega and modal coordinates q the kinetic energy of a wheel on a fixed axis is

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
from numpy.typing import NDArray

from alegear.fe import FEModel
from alegear.reduction.normal_modes import NormalModes

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]


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
