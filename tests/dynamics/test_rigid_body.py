"""A wheel on its axis: energy, momentum, and a drive that does the work."""

import numpy as np
import pytest
from scipy.integrate import quad

from alegear.dynamics import CubicStep, PrescribedRotation, RotatingBody
from alegear.errors import Fault


def test_inertias_add_and_energy_is_quadratic():
    body = RotatingBody(body_inertia=0.02, added_inertia=0.03)
    assert body.inertia == pytest.approx(0.05, rel=1e-15)
    assert body.kinetic_energy(10.0) == pytest.approx(2.5, rel=1e-15)
    assert body.kinetic_energy(-10.0) == body.kinetic_energy(10.0)


def test_work_of_the_drive_is_kinetic_energy_plus_work_on_the_load():
    body = RotatingBody(body_inertia=0.02)
    rotation = PrescribedRotation(speed_ramp=CubicStep(y0=0.0, y1=30.0, t0=0.0, t1=0.2))
    load = -7.0
    power = lambda t: body.drive_torque(rotation.acceleration(t), load) * rotation.speed(t)  # noqa: E731
    work, _ = quad(power, 0.0, 0.5, points=[0.2], epsabs=1e-12)
    expected = body.kinetic_energy(30.0) - load * rotation.angle(0.5)
    assert work == pytest.approx(expected, rel=1e-12)  # quadrature of polynomials


@pytest.mark.parametrize(("inertia", "added"), [(0.0, 0.0), (-1.0, 0.0), (1.0, -0.1), (np.nan, 0.0)])
def test_impossible_inertias_are_faults(inertia, added):
    with pytest.raises(Fault, match="inertia"):
        RotatingBody(body_inertia=inertia, added_inertia=added)
