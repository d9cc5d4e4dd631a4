"""Teeth on springs as elements of compiled motions: both flanks of a mesh whose gears only turn, or are displaced."""

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
from alegear.kernels.elements import ElementKernel
from alegear.kernels.structs import kernel_struct, kind_of, struct_at
from alegear.system.element_kernels import LOST, N_ENERGY, STORED, SUPPLIED

Array = NDArray[np.float64]

# of y: the coordinates of the planar mesh, or the overlap alone; last the mesh position
X_MESH, N_DISPLACED = N_COORDINATES, N_COORDINATES + 1
OVERLAP, X_MESH_TURNING, N_TURNING = 0, 1, 2
FINE, CENTRES = 0, -1


@kernel_struct
class Flanks(NamedTuple):
    """A mesh on springs.

    ``mesh``, ``spring``, ``factor``: as the functions of the planar mesh read them. ``a`` [m]: distance of the centres
    where nothing is displaced; ``offset`` [m]: overlap of the first flanks at zero. ``normal`` (6,), ``turned`` (6, 6):
    room.
    """

    mesh: Array
    spring: Array
    factor: Array
    a: float
    offset: float
    normal: Array
    turned: Array


def flanks_of(mesh: Array, spring: Array, factor: Array, a: float, offset: float) -> Flanks:
    """Put one together, with its room."""
    own = [np.array(one, dtype=np.float64, order="C") for one in (mesh, spring, factor)]
    room = np.zeros(N_COORDINATES), np.zeros((N_COORDINATES, N_COORDINATES))
    return Flanks(own[0], own[1], own[2], float(a), float(offset), *room)


FLANKS = kind_of(flanks_of(np.zeros(N_MESH), np.zeros(N_SPRING), np.zeros(0), 0.0, 0.0))


@ElementKernel
def displaced_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """:class:`alegear.drivetrain.displaced_mesh.DisplacedMesh` on its coordinates and the mesh position."""
    flanks = struct_at(handle, FLANKS)
    at, moving = numba.carray(y, (N_DISPLACED,)), numba.carray(rate, (N_DISPLACED,))
    Q, K = numba.carray(force, (N_DISPLACED,)), numba.carray(by_y, (N_DISPLACED, N_DISPLACED))
    C, energies = numba.carray(by_rate, (N_DISPLACED, N_DISPLACED)), numba.carray(energy, (N_ENERGY,))
    Q[:] = 0.0
    K[:, :] = 0.0
    C[:, :] = 0.0
    energies[:] = 0.0
    mesh, spring, n, turned = flanks.mesh, flanks.spring, flanks.normal, flanks.turned
    phi_gear, _, alpha = line_of_centres(mesh, at[X_A], at[Y_A], flanks.a + at[X_B], at[Y_B], 0.0)
    if not np.isfinite(alpha):
        return CENTRES
    kappa, slope = periodic_factor(flanks.factor, at[X_MESH])
    elastic = 0.0
    for flank in range(2):
        side = 1.0 - 2.0 * flank
        normal_direction(mesh, side, phi_gear, alpha, n)
        delta = deformation(mesh, side, at[PHI_A], at[PHI_B], phi_gear, alpha) + side * flanks.offset
        speed = 0.0
        for i in range(N_COORDINATES):
            speed -= n[i] * moving[i]
        N, N_by_delta, N_by_speed = flank_force(spring, kappa, delta, speed)
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


@ElementKernel
def turning_element(handle, t, y, rate, force, by_y, by_rate, energy):
    """:class:`alegear.drivetrain.rotational.elastic_mesh.MeshElement` on the overlap and the mesh position."""
    flanks = struct_at(handle, FLANKS)
    at, moving = numba.carray(y, (N_TURNING,)), numba.carray(rate, (N_TURNING,))
    Q, K = numba.carray(force, (N_TURNING,)), numba.carray(by_y, (N_TURNING, N_TURNING))
    C, energies = numba.carray(by_rate, (N_TURNING, N_TURNING)), numba.carray(energy, (N_ENERGY,))
    Q[:] = 0.0
    K[:, :] = 0.0
    C[:, :] = 0.0
    energies[:] = 0.0
    spring, u, speed = flanks.spring, at[OVERLAP] + flanks.offset, moving[OVERLAP]
    kappa, slope = periodic_factor(flanks.factor, at[X_MESH_TURNING])
    elastic = 0.0
    for flank in range(2):
        side = 1.0 - 2.0 * flank
        N, N_by_delta, N_by_speed = flank_force(spring, kappa, side * u, side * speed)
        N_el, _, E_el = spring_force(spring, side * u - 0.5 * spring[BACKLASH])
        elastic += E_el
        energies[STORED] += kappa * E_el
        energies[LOST] += (N - kappa * N_el) * side * speed
        Q[OVERLAP] -= side * N
        K[OVERLAP, OVERLAP] -= N_by_delta
        C[OVERLAP, OVERLAP] -= N_by_speed
        K[X_MESH_TURNING, OVERLAP] -= slope * side * N_el
        if N > 0.0:
            K[OVERLAP, X_MESH_TURNING] -= side * slope * N_el
    Q[X_MESH_TURNING] = -slope * elastic
    K[X_MESH_TURNING, X_MESH_TURNING] = -periodic_curvature(flanks.factor, at[X_MESH_TURNING]) * elastic
    return FINE
