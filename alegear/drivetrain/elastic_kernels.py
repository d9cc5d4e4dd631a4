"""Teeth on springs whose gears are displaced: both flanks of a mesh, also as an element of compiled motions."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.planar.planar_kernels import (
    BACKLASH,
    N_COORDINATES,
    N_MESH,
    N_SPRING,
    PHI_A,
    PHI_B,
    X_A,
    X_B,
    Y_A,
    Y_B,
    deformation,
    flank_force,
    line_of_centres,
    normal_direction,
    normal_tangent,
    periodic_curvature,
    periodic_factor,
    spring_force,
)
from alegear.kernels.decorators import kernel
from alegear.kernels.structs import copy_struct, kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, N_ENERGY, STORED, SUPPLIED

Array = NDArray[np.float64]

# of y: the coordinates of the planar mesh, last the mesh position
X_MESH, N_DISPLACED = N_COORDINATES, N_COORDINATES + 1
# of a flank: its force [N], slope over the deformation [N/m], direction on the coordinates
PRESS, SLOPE, NORMAL, N_FLANK = 0, 1, 2, 2 + N_COORDINATES
FINE, CENTRES = 0, -1


@kernel_struct
class Flanks(NamedTuple):
    """A mesh on springs.

    ``mesh``, ``spring``, ``factor``: as the functions of the planar mesh read them. ``a`` [m]: distance of the centres
    where nothing is displaced; ``offset`` [m]: overlap of the first flanks at zero. ``turned`` (6, 6): room; ``sides``
    (2, N_FLANK): what both flanks did last.
    """

    mesh: Array
    spring: Array
    factor: Array
    a: float
    offset: float
    turned: Array
    sides: Array


def flanks_of(mesh: Array, spring: Array, factor: Array, a: float, offset: float) -> Flanks:
    """Put one together, with its room."""
    own = [np.array(one, dtype=np.float64, order="C") for one in (mesh, spring, factor)]
    room = np.zeros((N_COORDINATES, N_COORDINATES)), np.zeros((2, N_FLANK))
    return Flanks(own[0], own[1], own[2], float(a), float(offset), *room)


FLANKS = kind_of(flanks_of(np.zeros(N_MESH), np.zeros(N_SPRING), np.zeros(0), 0.0, 0.0))


@kernel
def copied(struct, memory):
    """Lay a mesh out (``alegear.kernels.structs.handle_of``)."""
    return copy_struct(struct, memory)


@kernel
def displaced_flanks(flanks, at, moving, Q, K, C, energies):
    """Write forces (N_DISPLACED,) of :class:`alegear.drivetrain.displaced_mesh.DisplacedMesh`, derivatives, energies.

    At its coordinates and the mesh position, and their rates; FINE, or CENTRES where base circles overlap. What each
    flank does is in ``flanks.sides``.
    """
    Q[:] = 0.0
    K[:, :] = 0.0
    C[:, :] = 0.0
    energies[:] = 0.0
    mesh, spring, turned = flanks.mesh, flanks.spring, flanks.turned
    phi_gear, _, alpha = line_of_centres(mesh, at[X_A], at[Y_A], flanks.a + at[X_B], at[Y_B], 0.0)
    if not np.isfinite(alpha):
        return CENTRES
    kappa, slope = periodic_factor(flanks.factor, at[X_MESH])
    elastic = 0.0
    for flank in range(2):
        side, own = 1.0 - 2.0 * flank, flanks.sides[flank]
        n = own[NORMAL:]
        normal_direction(mesh, side, phi_gear, alpha, n)
        delta = deformation(mesh, side, at[PHI_A], at[PHI_B], phi_gear, alpha) + side * flanks.offset
        speed = 0.0
        for i in range(N_COORDINATES):
            speed -= n[i] * moving[i]
        N, N_by_delta, N_by_speed = flank_force(spring, kappa, delta, speed)
        own[PRESS], own[SLOPE] = N, N_by_delta
        N_el, _, E_el = spring_force(spring, delta - 0.5 * spring[BACKLASH])
        elastic += E_el
        energies[STORED] += kappa * E_el
        energies[LOST] += (N - kappa * N_el) * speed
        for i in range(N_COORDINATES):
            K[X_MESH, i] += slope * N_el * n[i]
        if N <= 0.0:
            continue
        normal_tangent(mesh, side, phi_gear, alpha, turned)
        for i in range(N_COORDINATES):
            Q[i] += N * n[i]
            K[i, X_MESH] += slope * N_el * n[i]
            for j in range(N_COORDINATES):
                K[i, j] += N * turned[i, j] - N_by_delta * n[i] * n[j]
                C[i, j] -= N_by_speed * n[i] * n[j]
        for j in range(N_COORDINATES):
            turns = 0.0
            for m in range(N_COORDINATES):
                turns += turned[j, m] * moving[m]
            for i in range(N_COORDINATES):
                K[i, j] -= N_by_speed * n[i] * turns
    Q[X_MESH] = -slope * elastic
    K[X_MESH, X_MESH] = -periodic_curvature(flanks.factor, at[X_MESH]) * elastic
    energies[SUPPLIED] = 0.0
    return FINE


@kernel
def displaced_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """The same by its address."""
    square = (N_DISPLACED, N_DISPLACED)
    return displaced_flanks(
        struct_at(handle, FLANKS), numba.carray(y, (N_DISPLACED,)), numba.carray(rate, (N_DISPLACED,)),
        numba.carray(force, (N_DISPLACED,)), numba.carray(by_y, square), numba.carray(by_rate, square),
        numba.carray(energy, (N_ENERGY,)),
    )  # fmt: skip
