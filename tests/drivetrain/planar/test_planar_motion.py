"""Free gears in the plane, moved by their mesh alone: what all files together do to energy and momentum."""

from __future__ import annotations

import numpy as np
import pytest
from planar_geometries import mesh_named
from planar_mesh import SIDES, friction_direction, mesh_motion, normal_direction
from scipy.integrate import solve_ivp

from alegear.drivetrain.planar import CoulombFriction, Iso6336Spring

MASSES = np.array([2e-4, 3e-3, 1.0, 1.0, 2.5, 2.5])  # kg m2, kg
SPRING = Iso6336Spring(c=1e7, R_q=20e-6, backlash=30e-6)


def forces_of(mesh, motion, mu: float, damping: float) -> tuple[np.ndarray, float, float]:
    """Forces on the coordinates, stored energy, power lost: both flanks."""
    forces, stored, lost = np.zeros(6), 0.0, 0.0
    law = CoulombFriction(mu_sliding=mu)
    damped = Iso6336Spring(c=SPRING.c, R_q=SPRING.R_q, backlash=SPRING.backlash, damping=damping)
    for index, side in enumerate(SIDES):
        delta, rate, sliding = motion.deformation[index], motion.rate[index], motion.sliding[index]
        elastic, N = SPRING.flank_force(delta), damped.flank_force(delta, rate)
        friction = law.mu(sliding / mesh.sliding, side * N) * N * np.sign(sliding)
        forces += N * normal_direction(mesh, side, motion.phi_gear, motion.alpha)
        forces += friction * friction_direction(mesh, side, motion.phi_gear, motion.alpha)
        stored += SPRING.energy(max(delta, 0.0))
        lost += friction * sliding + (N - elastic) * rate
    return forces, stored, lost


@pytest.mark.parametrize("name", ["table 3 of the paper", "ring as gear B", "ring as gear A", "recess only"])
@pytest.mark.parametrize(("mu", "damping"), [(0.0, 0.0), (0.1, 0.0), (0.1, 50.0)])
def test_energy_and_momentum_are_balanced(name, mu, damping):
    mesh = mesh_named(name)
    e = np.array([np.cos(0.5), np.sin(0.5)])
    # pressed together by 40 um along the line of action, on gears that spin, turn about each other and approach
    q = np.concatenate([[0.5 + 40e-6 / mesh.l_A, 0.5], [0.0, 0.0], mesh.a * e])
    v = np.array([2.0 / mesh.r_A, -2.0 / mesh.r_B, 0.3, -0.2, 0.1, 0.4])
    v[4:] -= 0.2 * np.sign(mesh.a) * e

    def rates(_, y):
        motion = mesh_motion(mesh, y[:6], y[6:12], near=0.5)
        forces, _, lost = forces_of(mesh, motion, mu, damping)
        return np.concatenate([y[6:12], forces / MASSES, [lost]])

    found = solve_ivp(rates, (0.0, 4e-4), np.concatenate([q, v, [0.0]]), method="DOP853", rtol=1e-11, atol=1e-14)
    assert found.success
    energies, momenta, pressed = [], [], []
    for y in found.y.T:
        motion = mesh_motion(mesh, y[:6], y[6:12], near=0.5)
        stored = forces_of(mesh, motion, mu, damping)[1]
        energies.append(0.5 * MASSES @ y[6:12] ** 2 + stored + y[12])
        spin = MASSES[2] * (y[2] * y[9] - y[3] * y[8]) + MASSES[4] * (y[4] * y[11] - y[5] * y[10])
        momenta.append([*(MASSES[2:4] * y[8:10] + MASSES[4:] * y[10:12]), MASSES[:2] @ y[6:8] + spin])
        pressed.append(motion.deformation)
    pressed = np.array(pressed)
    # both flanks have carried, or one has carried and left: something happened
    assert np.abs(np.ptp(pressed, axis=0)).max() > 20e-6
    assert pressed.max() >= 39e-6
    # of the integration: it takes the force of the damper, which begins at once, in small steps
    scale = 0.5 * MASSES @ v**2
    np.testing.assert_allclose(energies, energies[0], rtol=0, atol=(1e-7 if damping else 1e-9) * scale)
    np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], np.shape(momenta)), rtol=0, atol=1e-12)
    assert np.all(np.diff(found.y[12]) >= 0.0)
    assert (found.y[12, -1] > 1e-6 * scale) == (mu > 0.0)
