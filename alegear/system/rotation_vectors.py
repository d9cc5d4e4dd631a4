"""Rotation vectors: three coordinates whose velocities are the angular velocity, and which do not add up.

Coordinates and velocities of a system are x and v (n,). Where x[k : k + 3] is a rotation vector psi, v[k : k + 3] is
the angular velocity in the axes of the body, not dpsi/dt, and a displacement d along the velocities leads from R(psi)
to ``R(psi) R(d[k : k + 3])``. All others add up, x + d.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alegear.dynamics.rotation import composed, tangent

Array = NDArray[np.float64]


def moved(x: Array, displacement: Array, rotation_vectors: Sequence[int]) -> Array:
    """Coordinates after a displacement along the velocities, shape (n,)."""
    new: Array = x + displacement
    for k in rotation_vectors:
        new[k : k + 3] = composed(x[k : k + 3], displacement[k : k + 3])
    return new


def displacement_between(x: Array, new: Array, rotation_vectors: Sequence[int]) -> Array:
    """Shortest displacement that leads from one position to another, shape (n,): the inverse of :func:`moved`."""
    displacement: Array = new - x
    for k in rotation_vectors:
        displacement[k : k + 3] = composed(-x[k : k + 3], new[k : k + 3])
    return displacement


def displacement_tangent(displacement: Array, rotation_vectors: Sequence[int]) -> Array:
    """Change of the position at the end of a displacement by a change of the displacement, shape (n, n)."""
    T = np.eye(len(displacement))
    for k in rotation_vectors:
        T[k : k + 3, k : k + 3] = tangent(displacement[k : k + 3])
    return T
