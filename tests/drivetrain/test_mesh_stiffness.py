"""Stiffness over the mesh position from a static study, and a motion with it against a model of two masses."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from small_cases import case_of, result_of, static_text
from small_trains import moved

import alegear as ag
from alegear.drivetrain.planar import MeshAverages
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.sources import TorqueSource
from alegear.errors import Fault
from alegear.system.bodies import Rotor1D

TEXT = static_text(positions=8)


def pitch_of(pair) -> float:
    """Circular pitch on the working pitch circles [m]."""
    return pi * pair.d_w[0] / pair.gears[0].z


def test_the_table_is_that_of_the_study() -> None:
    pair, data = case_of(TEXT).pair, result_of(TEXT).dataset
    found = ag.MeshStiffness.from_static(result_of(TEXT), pitch=pitch_of(pair))
    k = data.mesh_stiffness.values[:8]
    assert found.mean == pytest.approx(k.mean(), rel=1e-14)
    assert k.max() > 1.1 * k.min()
    spring = found.spring()
    for phase, stiffness in zip(data.phase.values[:8], k, strict=True):
        for pitches in (0.0, 3.0):
            x_mesh = (phase + pitches) * pitch_of(pair)
            assert spring.stiffness(1e-6, x_mesh) == pytest.approx(float(stiffness), rel=1e-9)


def test_two_masses_on_the_static_curve() -> None:
    """Gears under torques, against Newton's law with forces as differences of the energy over a spline of the study."""
    pair, data = case_of(TEXT).pair, result_of(TEXT).dataset
    averages, pitch = MeshAverages.from_pair(pair), pitch_of(pair)
    J, torque = (2e-3, 5e-3), (200.0, 200.0 * averages.r_B / averages.r_A)
    phase, k = data.phase.values[:8], data.mesh_stiffness.values[:8]
    curve = CubicSpline(np.append(phase, phase[0] + 1.0), np.append(k, k[0]), bc_type="periodic")

    def energy(phi_A: float, phi_B: float) -> float:
        u = averages.l_A * phi_A + averages.l_B * phi_B
        x_mesh = 0.5 * (averages.r_A * phi_A - averages.r_B * phi_B)
        return 0.5 * float(curve((x_mesh / pitch - phase[0]) % 1.0 + phase[0])) * u * u

    def rates(t: float, y: np.ndarray) -> list[float]:
        h = 1e-7
        by_A = (energy(y[0] + h, y[1]) - energy(y[0] - h, y[1])) / (2.0 * h)
        by_B = (energy(y[0], y[1] + h) - energy(y[0], y[1] - h)) / (2.0 * h)
        return [y[2], y[3], (torque[0] - by_A) / J[0], (torque[1] - by_B) / J[1]]

    speed, duration = 100.0, 0.01  # some pitches
    start = [0.0, 0.0, speed, -speed * averages.r_A / averages.r_B]
    known = solve_ivp(rates, (0.0, duration), start, rtol=1e-9, atol=1e-12, method="DOP853")
    mesh = ElasticMesh(
        name="mesh",
        gears=("A", "B"),
        averages=averages,
        spring=ag.MeshStiffness.from_static(result_of(TEXT), pitch=pitch).spring(),
    )
    parts = (
        Rotor1D(name="A", inertia=J[0], speed=start[2]),
        Rotor1D(name="B", inertia=J[1], speed=start[3]),
        mesh,
        TorqueSource(name="drive", at="A", torque=torque[0]),
        TorqueSource(name="load", at="B", torque=torque[1]),
    )
    ours = moved(*parts, duration=duration).dataset.isel(time=-1)
    u = averages.l_A * known.y[0, -1] + averages.l_B * known.y[1, -1]
    largest = np.abs(averages.l_A * known.y[0] + averages.l_B * known.y[1]).max()
    assert largest > 5e-6
    # differences of the energy over 1e-7 rad of a deformation of 1e-4 rad, squared
    assert float(mesh.overlap(*ours.angle.values)) == pytest.approx(u, abs=1e-4 * largest)


def test_what_is_refused() -> None:
    few = result_of(TEXT).dataset.isel(position=slice(None, None, 4))
    with pytest.raises(Fault, match="positions of the static study"):
        ag.MeshStiffness.from_static(few, pitch=0.01)
    with pytest.raises(Fault, match="circular pitch"):
        ag.MeshStiffness.from_static(result_of(TEXT), pitch=0.0)
    with pytest.raises(Fault, match="compute one of the pair"):
        ag.MeshStiffness.from_static(few.drop_vars("mesh_stiffness"), pitch=0.01)
