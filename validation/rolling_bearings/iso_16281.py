"""Loads of rolling bearings by the sums of ISO/TS 16281, written out over rolling elements and laminae, in N and mm."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

import alegear as ag


def iso_rollers(bearing: ag.RollerBearing, u: np.ndarray, phi_i: float) -> tuple[np.ndarray, np.ndarray]:
    """Force (5,) and loads by the sum over rollers and laminae, in N and mm."""
    D, L, pitch = (1e3 * value for value in (bearing.diameter, bearing.length, bearing.pitch_diameter))
    n = bearing.laminae
    c_s = 35948.0 * L ** (8.0 / 9.0) / n
    force, loads = np.zeros(5), []
    for j in range(bearing.count):
        angle = bearing.cage_angle + 0.5 * (1.0 - D / pitch) * phi_i + 2.0 * pi * j / bearing.count
        load = 0.0
        for k in range(n):
            z = (k + 0.5) * L / n - 0.5 * L
            profile = 0.00035 * D * np.log(1.0 / (1.0 - (2.0 * z / L) ** 2)) if bearing.profile != "straight" else 0.0
            radial = 1e3 * (u[0] * cos(angle) + u[1] * sin(angle))
            tilt = u[4] * cos(angle) - u[3] * sin(angle)
            delta = radial - 0.5e3 * bearing.clearance + z * tilt - 2.0 * profile
            q = c_s * max(delta, 0.0) ** (10.0 / 9.0)
            load += q
            force += q * np.array([cos(angle), sin(angle), 0.0, -1e-3 * z * sin(angle), 1e-3 * z * cos(angle)])
        loads.append(load)
    return force, np.array(loads)


def iso_balls(bearing: ag.BallBearing, u: np.ndarray, phi_i: float) -> tuple[np.ndarray, np.ndarray]:
    """Likewise over balls on their loaded contact angles."""
    D, pitch, alpha = bearing.diameter, bearing.pitch_diameter, bearing.contact_angle
    r_i, r_e = bearing.grooves
    A = r_i + r_e - D
    R_i = 0.5 * pitch + (r_i - 0.5 * D) * cos(alpha)
    gamma = D * cos(alpha) / pitch
    force, loads = np.zeros(5), []
    for j in range(bearing.count):
        angle = bearing.cage_angle + 0.5 * (1.0 - gamma) * phi_i + 2.0 * pi * j / bearing.count
        radial = A * cos(alpha) - 0.5 * bearing.clearance + u[0] * cos(angle) + u[1] * sin(angle)
        axial = A * sin(alpha) + u[2] + R_i * (u[3] * sin(angle) - u[4] * cos(angle))
        loaded = np.arctan2(axial, radial)
        Q = bearing.point_constant * max(np.hypot(radial, axial) - A, 0.0) ** 1.5
        F_r, F_a = Q * cos(loaded), Q * sin(loaded)
        force += [F_r * cos(angle), F_r * sin(angle), F_a, F_a * R_i * sin(angle), -F_a * R_i * cos(angle)]
        loads.append(Q)
    return force, np.array(loads)
