"""Wheels that grow with their speed: against a rotating disc in closed form, for any number of modes."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from small_cases import case_of, dynamic_study, static_text

SPEED = 24000.0  # rpm


@cache
def study_of(modes: int, torque: float = 20.0):
    full = f'inertia = "full"\nnormal_modes = {modes}\n' if modes else ""
    text = static_text(torque=torque, pinion="tooth_thickness_allowance_um = 40.0")
    text = text.replace('kind = "static"', 'kind = "dynamic"').replace(
        "positions_per_pitch = 8", f"duration_s = 2e-4\n{full}"
    )
    text = text.replace("pitches = 1\n", "").replace("[analysis]", f"pinion_speed_rpm = {SPEED!r}\n[analysis]")
    return dynamic_study(case_of(text))


def start_error(modes: int, torque: float = 20.0) -> float:
    """Transmission error in the equilibrium at speed [m]."""
    study = study_of(modes, torque)
    q = study._start_angles()
    return study.system.transmission_error(study.system.motion(0.0, q, 0.0 * q).angle)


def disc_growth(a: float, R: float, speed: float, *, plane_strain: bool) -> float:
    """Growth at R of a steel disc held at a, u = A r + B/r - k r^3 with u(a) = 0 and no radial stress at R [m]."""
    E, nu, rho = 210e9, 0.3, 7860.0
    if plane_strain:
        E, nu = E / (1.0 - nu**2), nu / (1.0 - nu)
    k = (1.0 - nu**2) * rho * speed**2 / (8.0 * E)
    equations = np.array([[a, 1.0 / a], [1.0 + nu, -(1.0 - nu) / R**2]])
    A, B = np.linalg.solve(equations, [k * a**3, k * (3.0 + nu) * R**2])
    return float(A * R + B / R - k * R**3)


def closing(*, plane_strain: bool) -> float:
    """What the growth of both discs, out to their pitch circles, closes along the line of action [m]."""
    pair, speed = study_of(0).solver.contact.pair, SPEED * math.pi / 30.0
    growth = sum(
        disc_growth(bore, 0.5 * gear.d, speed * pair.pinion.z / gear.z, plane_strain=plane_strain)
        for gear, bore in zip(pair.gears, (17.9e-3, 27.1e-3), strict=True)
    )
    return growth * math.sin(pair.alpha_wt)


@pytest.mark.parametrize("modes", [1, 24, 60])
def test_growth_does_not_depend_on_the_number_of_modes(modes):
    shift = start_error(modes) - start_error(0)
    # a wheel as wide as its rim is thick lies between plane stress and plane strain
    assert 0.95 * closing(plane_strain=True) < shift < 1.05 * closing(plane_strain=False)
    assert shift == pytest.approx(start_error(1) - start_error(0), rel=1e-6)
    back = start_error(modes, -20.0) - start_error(0, -20.0)
    assert back == pytest.approx(-shift, rel=0.02)  # back flanks: mirrored, at another place of the mesh


@pytest.mark.parametrize("modes", [1, 24])
def test_starts_without_an_impact(modes):
    study = study_of(modes)
    system, q, v = study.system, study._start_angles(), study._start_speeds()
    system.begin_step(0.0, q, v, 0.0)
    load = 20.0 / system.r_b[0]
    carried = -float(system.force(0.0, q, v).payload[0].torque[0]) / system.r_b[0]
    # a false start pressed 1.1 um into each other, 700 N; the mesh damping has the rate of the deflection left, 8 kHz
    assert carried == pytest.approx(load, rel=0.05)
