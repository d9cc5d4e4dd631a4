"""Small machines with known answers."""

from __future__ import annotations

import numpy as np

from alegear.fe.material import Material
from alegear.system import PiecewiseCubic, SystemBuilder

STEEL = Material(E=207e9, nu=0.3, rho=7800.0)


def chain(n, J=0.2, k=3e4, ends=(False, False)):
    """n equal disks on equal springs, the ends of which may be tied to the ground."""
    builder = SystemBuilder()
    disks = [builder.rotor(f"disk {i}", inertia=J) for i in range(n)]
    for i in range(n - 1):
        at = [disks[i].rotation, disks[i + 1].rotation]
        builder.linear(f"shaft {i}", at=at, rows=[[-1.0, 1.0]], stiffness=[[k]])
    for which, tied in zip((0, -1), ends, strict=True):
        if tied:
            builder.linear(f"tie {which}", at=[disks[which].rotation], stiffness=[[k]])
    return builder.build()


def clamped_disk(stiffness, *, mass=12.0, inertia=0.4, tilt_inertia=0.25, speed=None):
    """A rigid disk on a massless shaft: displacement and slope by a stiffness (2, 2), axially and in torsion free."""
    builder = SystemBuilder()
    disk = builder.rotor("disk", mass=mass, inertia=inertia, tilt_inertia=tilt_inertia)
    (k, s), (_, r) = stiffness
    K = np.zeros((5, 5))
    x, y, z, tilt_x, tilt_y = range(5)
    K[np.ix_([x, tilt_y], [x, tilt_y])] = [[k, s], [s, r]]
    K[np.ix_([y, tilt_x], [y, tilt_x])] = [[k, -s], [-s, r]]  # dy/dz = -tilt about x
    K[z, z] = 2.0 * k  # apart from the others
    rows = disk.rows[[0, 1, 2, 3, 4]]
    builder.linear("shaft", at=disk.coordinates, rows=rows, stiffness=K)
    if speed is not None:
        from alegear.system.profiles import PrescribedRotation

        builder.prescribe("motor", disk.rotation, PrescribedRotation(speed_ramp=PiecewiseCubic.constant(speed)))
    return builder.build()


def whirl_frequencies(stiffness, *, mass=12.0, inertia=0.4, tilt_inertia=0.25, speed=0.0):
    """Roots of the closed form of :func:`clamped_disk`, forward ones positive, backward ones negative [rad/s].

    With z = x + i y and slope s = theta_y - i theta_x, both times exp(i omega t):
    (k - m omega^2)(r + J_p Omega omega - J_d omega^2) = s^2.
    """
    (k, s), (_, r) = stiffness
    return np.sort(
        np.roots(
            [
                mass * tilt_inertia,
                -mass * inertia * speed,
                -(mass * r + k * tilt_inertia),
                k * inertia * speed,
                k * r - s * s,
            ]
        ).real
    )


def overhung_stiffness(length, section, material=STEEL):
    """Stiffness (2, 2) by displacement and slope at the end of a clamped Timoshenko beam."""
    EI = material.E * section.second_moment
    kGA = section.shear_coefficient(material.nu) * material.mu * section.area
    flexibility = np.array(
        [[length**3 / (3 * EI) + length / kGA, length**2 / (2 * EI)], [length**2 / (2 * EI), length / EI]]
    )
    return np.linalg.inv(flexibility)
