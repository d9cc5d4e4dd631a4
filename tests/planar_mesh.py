"""The compiled planar mesh as functions of arrays: directions of its forces, its kinematics with centres anywhere."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from alegear.drivetrain.planar import MeshAverages
from alegear.drivetrain.planar import planar_kernels as kernels

SIDES = (1.0, -1.0)


def _written(kernel, mesh, side, phi_gear, alpha, *shape) -> np.ndarray:
    out = np.empty(shape)
    kernel(mesh.numbers, side, phi_gear, mesh.alpha if alpha is None else alpha, out)
    return out


def normal_direction(mesh: MeshAverages, side: float, phi_gear: float, alpha: float | None = None) -> np.ndarray:
    """Forces (6,) on the coordinates per unit of |F_n|."""
    return _written(kernels.normal_direction, mesh, side, phi_gear, alpha, 6)


def friction_direction(mesh: MeshAverages, side: float, phi_gear: float, alpha: float | None = None) -> np.ndarray:
    """Forces (6,) on the coordinates per unit of mu |F_n| while v_mesh > 0."""
    return _written(kernels.friction_direction, mesh, side, phi_gear, alpha, 6)


def normal_tangent(mesh: MeshAverages, side: float, phi_gear: float, alpha: float | None = None) -> np.ndarray:
    """Derivative (6, 6) of the direction of the normal force by the coordinates."""
    return _written(kernels.normal_tangent, mesh, side, phi_gear, alpha, 6, 6)


def mesh_forces(mesh: MeshAverages, F_n: float, friction: float = 0.0, phi_gear: float = 0.0) -> np.ndarray:
    """Forces (6,) of a normal force, positive where gear A is held back, and a signed force of friction."""
    side = 1.0 if F_n >= 0.0 else -1.0
    return abs(F_n) * normal_direction(mesh, side, phi_gear) + friction * friction_direction(mesh, side, phi_gear)


def mesh_motion(mesh: MeshAverages, coordinates, rates, near: float = 0.0) -> SimpleNamespace:
    """Kinematics at coordinates and rates (6,): ways x, speeds v, deformation, its rate and sliding of both flanks."""
    q, v = np.asarray(coordinates, dtype=np.float64), np.asarray(rates, dtype=np.float64)
    phi_gear, a, alpha = kernels.line_of_centres(mesh.numbers, *q[2:], float(near))
    turning = float(np.cos(phi_gear) * (v[5] - v[3]) - np.sin(phi_gear) * (v[4] - v[2])) / a
    x, speed = (
        np.array([mesh.r_A * (of[0] - carrier), -mesh.r_B * (of[1] - carrier)])
        for of, carrier in ((q, phi_gear), (v, turning))
    )
    return SimpleNamespace(
        phi_gear=phi_gear,
        alpha=alpha,
        x=x,
        x_mesh=x.mean(),
        v_mesh=speed.mean(),
        deformation=np.array([kernels.deformation(mesh.numbers, s, q[0], q[1], phi_gear, alpha) for s in SIDES]),
        rate=np.array([-normal_direction(mesh, s, phi_gear, alpha) @ v for s in SIDES]),
        sliding=np.array([-friction_direction(mesh, s, phi_gear, alpha) @ v for s in SIDES]),
    )
