r"""A two-node Timoshenko beam along e3: stiffness, consistent mass, gyroscopic matrix.

Per node x, y, z, tilt x, tilt y, rotation, as everywhere. Bending is interpolated by the deflection under end loads,
so that statics are exact at the nodes; with xi = s/L and Phi = 12 E I/(kappa G A L^2), in the plane of x and tilt y,

.. math::
    (1 + \Phi) N_1 &= 1 - 3 \xi^2 + 2 \xi^3 + \Phi (1 - \xi), &
    (1 + \Phi) N_2 &= L [\xi - 2 \xi^2 + \xi^3 + \Phi (\xi - \xi^2)/2] \\
    (1 + \Phi) N_3 &= 3 \xi^2 - 2 \xi^3 + \Phi \xi, &
    (1 + \Phi) N_4 &= L [-\xi^2 + \xi^3 - \Phi (\xi - \xi^2)/2] \\
    (1 + \Phi) P_1 &= 6 (\xi^2 - \xi)/L, &
    (1 + \Phi) P_2 &= 1 - 4 \xi + 3 \xi^2 + \Phi (1 - \xi) \\
    (1 + \Phi) P_3 &= 6 (\xi - \xi^2)/L, &
    (1 + \Phi) P_4 &= 3 \xi^2 - 2 \xi + \Phi \xi

for the deflection N and the turn P of the section. All integrals are taken by four points of Gauss, which is exact.

References
----------
Przemieniecki, Theory of Matrix Structural Analysis (1968), sections 5.6 and 11: stiffness and mass with shear.
Nelson, J. Mech. Design 102 (1980) 793-803: the same functions for rotors, with the gyroscopic matrix.
Cowper, J. Appl. Mech. 33 (1966) 335-340: the shear coefficient of the hollow circle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alegear.fe.material import Material
from alegear.system.coordinates import TILT_X, TILT_Y, TURN, Array, X, Y, Z

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True, kw_only=True, eq=False)
class HollowCircle:
    """A section by its diameters [m]."""

    outer: float
    inner: float = 0.0

    @property
    def area(self) -> float:
        """A [m2]."""
        return 0.25 * np.pi * (self.outer**2 - self.inner**2)

    @property
    def second_moment(self) -> float:
        """I about a diameter [m4]; that about the axis is twice as large."""
        return np.pi / 64.0 * (self.outer**4 - self.inner**4)

    def shear_coefficient(self, nu: float) -> float:
        """Cowper's kappa: 6 (1 + nu)(1 + m^2)^2/((7 + 6 nu)(1 + m^2)^2 + (20 + 12 nu) m^2), m = inner/outer."""
        m2 = (self.inner / self.outer) ** 2
        return 6.0 * (1.0 + nu) * (1.0 + m2) ** 2 / ((7.0 + 6.0 * nu) * (1.0 + m2) ** 2 + (20.0 + 12.0 * nu) * m2)


@dataclass(frozen=True, kw_only=True, eq=False)
class Beam:
    """Matrices of one element.

    Parameters
    ----------
    rows : shape (6, 12)
        Deformation: motion of the second end against the first one's motion as a rigid body.
    stiffness : shape (6, 6)
        Of the deformation.
    mass : shape (12, 12)
    gyroscopic : shape (12, 12) [kg m2]
        G of the force -Omega G v.
    """

    rows: Array
    stiffness: Array
    mass: Array
    gyroscopic: Array

    @classmethod
    def of(cls, length: float, section: HollowCircle, material: Material) -> Beam:
        """Integrate along a beam of one section; length [m]."""
        E, G, rho = material.E, material.mu, material.rho
        A, I = section.area, section.second_moment  # noqa: E741  the field's symbol
        shear = section.shear_coefficient(material.nu) * G * A
        elastic = np.array([shear, shear, E * A, E * I, E * I, 2.0 * G * I])
        inertia = rho * np.array([A, A, A, I, I, 2.0 * I])
        K, M, gyroscopic = np.zeros((12, 12)), np.zeros((12, 12)), np.zeros((12, 12))
        for point, weight in zip(0.5 * (_POINTS + 1.0), 0.5 * length * _WEIGHTS, strict=True):
            moved, strain = _shapes(float(point), length, 12.0 * E * I / (shear * length**2))
            K += weight * strain.T @ (elastic[:, None] * strain)
            M += weight * moved.T @ (inertia[:, None] * moved)
            gyroscopic += weight * inertia[TURN] * np.outer(moved[TILT_X], moved[TILT_Y])
        rows = np.hstack([-carried(length), np.eye(6)])
        return cls(rows=rows, stiffness=K[6:, 6:], mass=M, gyroscopic=gyroscopic - gyroscopic.T)


def carried(length: float) -> Array:
    """Motion of one end by that of another a `length` [m] before it, rigid, shape (6, 6): order of DIRECTIONS."""
    T = np.eye(6)
    T[X, TILT_Y], T[Y, TILT_X] = length, -length
    return T


def _shapes(xi: float, L: float, Phi: float) -> tuple[Array, Array]:
    """Motion (6, 12) and strain (6, 12) at xi: shear x, shear y, extension, curvature x, curvature y, twist."""
    e = xi - xi**2
    N = np.array([1 - 3 * xi**2 + 2 * xi**3 + Phi * (1 - xi), L * (e * (1 - xi) + Phi * e / 2), 0.0, 0.0])
    N[2], N[3] = 3 * xi**2 - 2 * xi**3 + Phi * xi, L * (-e * xi - Phi * e / 2)
    N_s = np.array([-6 * e - Phi, L * (1 - 4 * xi + 3 * xi**2 + Phi * (0.5 - xi)), 6 * e + Phi, 0.0]) / L
    N_s[3] = 3 * xi**2 - 2 * xi - Phi * (0.5 - xi)
    P = np.array([-6 * e / L, 1 - 4 * xi + 3 * xi**2 + Phi * (1 - xi), 6 * e / L, 3 * xi**2 - 2 * xi + Phi * xi])
    P_s = np.array([-6 * (1 - 2 * xi) / L, -4 + 6 * xi - Phi, 6 * (1 - 2 * xi) / L, 6 * xi - 2 + Phi]) / L
    N, N_s, P, P_s = (shape / (1 + Phi) for shape in (N, N_s, P, P_s))
    linear, slope = np.array([1 - xi, xi]), np.array([-1.0, 1.0]) / L
    moved, strain = np.zeros((6, 12)), np.zeros((6, 12))
    in_x = [X, TILT_Y, 6 + X, 6 + TILT_Y]
    in_y, sign = [Y, TILT_X, 6 + Y, 6 + TILT_X], np.array([1.0, -1.0, 1.0, -1.0])  # dy/dz = -tilt x
    moved[X, in_x], moved[TILT_Y, in_x] = N, P
    moved[Y, in_y], moved[TILT_X, in_y] = sign * N, -sign * P
    strain[X, in_x], strain[TILT_Y, in_x] = N_s - P, P_s
    strain[Y, in_y], strain[TILT_X, in_y] = sign * (N_s - P), -sign * P_s
    for direction in (Z, TURN):
        moved[direction, [direction, 6 + direction]] = linear
        strain[direction, [direction, 6 + direction]] = slope
    return moved, strain
