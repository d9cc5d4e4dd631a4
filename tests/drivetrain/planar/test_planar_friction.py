"""Laws of friction: against the formulas in their own units, and against the efficiency of the forces they make."""

from __future__ import annotations

from math import cos, radians, sin

import numba
import numpy as np
import pytest
from planar_geometries import RADII, mesh_named
from planar_mesh import mesh_forces
from scipy.interpolate import CubicSpline

from alegear.drivetrain.planar import (
    CoulombFriction,
    Din3990Friction,
    MeshAverages,
    PeriodicFactor,
    TabulatedEfficiency,
    planar_kernels,
)
from alegear.errors import Fault

MESH = mesh_named("table 3 of the paper")
OIL = {"face_width": 5.6e-3, "viscosity": 0.275, "roughness": 0.8e-6, "mu_0": 0.2}
WAVE = PeriodicFactor(period=3e-3, values=(1.0, 1.3, 0.9, 0.7), start=0.5e-3)


# ---------------------------------------------------------------------- Coulomb
def test_coulomb_has_two_coefficients():
    law = CoulombFriction(mu_sliding=0.05, mu_0=0.11)
    assert {law.mu(v, F) for v in (-3.0, 0.0, 1e-9, 50.0) for F in (-100.0, 0.0, 1e5)} == {0.05}
    assert law.mu_static() == 0.11
    assert CoulombFriction(mu_sliding=0.05).mu_static() == 0.05


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mu_sliding": 0.1, "mu_0": 0.05}, "at least that of sliding"),
        ({"mu_sliding": -0.1}, "coefficient of friction"),
        ({"mu_sliding": float("nan")}, "coefficient of friction"),
        ({"mu_sliding": 0.1, "mu_0": 7.0}, "at rest"),
        ({"mu_sliding": 0.1, "factor": 1.0}, "a PeriodicFactor"),
    ],
)
def test_wrong_coefficients_are_refused(given, said):
    with pytest.raises(Fault, match=said):
        CoulombFriction(**given)


# ---------------------------------------------------------------------- DIN 3990-4
@pytest.mark.parametrize("name", list(RADII))
@pytest.mark.parametrize("beta_b", [0.0, radians(15.0)])
def test_din_3990_in_its_own_units(name, beta_b):
    """Formulas 35 to 37, with N/mm, um, mPa s, m/s, mm and the ratio i of both gears."""
    mesh = mesh_named(name)
    law = Din3990Friction(mesh=mesh, beta_b=beta_b, **{**OIL, "mu_0": 2.0})
    i, a = mesh.r_A / mesh.r_B, mesh.a
    rho = 1e3 * i / (1.0 + i) ** 2 * a * sin(mesh.alpha) / cos(beta_b)
    for v_mesh, F_n in ((0.8, 500.0), (-2.0, 30.0), (0.03, -4000.0)):
        w_Bt = abs(F_n) * cos(mesh.alpha) / 5.6
        v_sum = 2.0 * abs(v_mesh) * sin(mesh.alpha)
        expected = 0.12 * (w_Bt * 0.8 / (275.0 * v_sum * rho)) ** 0.25
        assert law.mu(v_mesh, F_n) == pytest.approx(expected, rel=1e-14)  # round-off


def test_din_3990_has_a_bound_instead_of_a_singularity():
    law = Din3990Friction(mesh=MESH, **OIL)
    speeds = np.concatenate([[0.0], np.geomspace(1e-300, 1e3, 2000)])
    found = np.array([law.mu(v, 800.0) for v in speeds])
    assert np.all(np.isfinite(found))
    assert np.all(np.diff(found) <= 0.0)
    assert found[0] == found[1] == law.mu_static() == 0.2
    assert 0.0 < found[-1] < 0.02
    reached = np.flatnonzero(found < 0.2)[0]
    # no jump where the bound ends: the quarter power of one step of the speed
    assert found[reached] > 0.2 * (speeds[reached - 1] / speeds[reached]) ** 0.25 * (1.0 - 1e-12)
    assert law.mu(1.0, 0.0) == 0.0
    assert law.mu(0.0, 0.0) == 0.2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"viscosity": 275.0e3}, r"dynamic viscosity \[mPa s\]"),
        ({"viscosity": 0.0}, "dynamic viscosity"),
        ({"face_width": 0.0}, "face width"),
        ({"roughness": 0.0}, "roughness"),
        ({"roughness": 0.8}, "roughness"),
        ({"mu_0": -0.1}, "at rest"),
        ({"beta_b": 1.0}, "base helix angle"),
        ({"mesh": None}, "a MeshAverages"),
    ],
)
def test_wrong_oils_are_refused(changes, said):
    with pytest.raises(Fault, match=said):
        Din3990Friction(**{"mesh": MESH, **OIL, **changes})


# ---------------------------------------------------------------------- tabulated efficiency
SPEEDS, ETAS = np.array([0.0, 0.2, 1.0, 4.0]), np.array([0.91, 0.94, 0.97, 0.965])


def simulated(mesh: MeshAverages, law: TabulatedEfficiency, v_mesh: float, F_n: float) -> float:
    """Power out over power in, from the forces on both gears."""
    friction = law.mu(v_mesh, F_n) * abs(F_n) * np.sign(v_mesh)
    forces = mesh_forces(mesh, F_n, friction)
    at_A, at_B = forces[0] * v_mesh / mesh.r_A, -forces[1] * v_mesh / mesh.r_B
    return -at_B / at_A if at_A < 0.0 else -at_A / at_B


@pytest.mark.parametrize("name", [name for name in RADII if "only" not in name])
@pytest.mark.parametrize("F_n", [600.0, -600.0])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_efficiency_is_that_of_the_table_in_all_quadrants(name, F_n, sense):
    mesh = mesh_named(name)
    law = TabulatedEfficiency(mesh=mesh, v_mesh=SPEEDS, eta=ETAS)
    for speed in (1e-9, 0.2, 0.5, 1.0, 2.2, 4.0, 70.0):
        expected = np.interp(speed, SPEEDS, ETAS)
        assert simulated(mesh, law, sense * speed, F_n) == pytest.approx(expected, rel=1e-12)


def test_both_gears_need_their_own_coefficients():
    law = TabulatedEfficiency(mesh=MESH, v_mesh=[1.0], eta=[0.8])
    assert law.mu(1.0, 1.0) == law.mu(-1.0, -1.0)
    assert law.mu(1.0, -1.0) == law.mu(-1.0, 1.0)
    assert law.mu(1.0, 1.0) != pytest.approx(law.mu(1.0, -1.0), rel=0.01)
    for driver, F_n in (("A", 1.0), ("B", -1.0)):
        assert MESH.efficiency(law.mu(1.0, F_n), driver) == pytest.approx(0.8, rel=1e-14)


def test_coefficient_at_rest_is_the_larger_one_times_a_factor():
    law = TabulatedEfficiency(mesh=MESH, v_mesh=SPEEDS, eta=ETAS, c_mu0=1.7)
    larger = max(law.mu(0.0, 1.0), law.mu(0.0, -1.0))
    assert law.mu_static() == pytest.approx(1.7 * larger, rel=1e-15)
    assert TabulatedEfficiency(mesh=MESH, v_mesh=SPEEDS, eta=ETAS).mu_static() == larger


def test_a_mesh_without_losses_may_be_tabulated():
    assert TabulatedEfficiency(mesh=MESH, v_mesh=[0.0], eta=[1.0]).mu(1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"eta": [0.9, 0.0, 0.9, 0.9]}, "efficiency 2 of the table"),
        ({"eta": [0.9, 0.9, 1.1, 0.9]}, "efficiency 3 of the table"),
        ({"eta": [float("nan"), 0.9, 0.9, 0.9]}, "efficiency 1 of the table"),
        ({"eta": [0.9, 0.9]}, "two rows of one length"),
        ({"v_mesh": [], "eta": []}, "two rows of one length"),
        ({"v_mesh": [0.0, 1.0, 0.5, 2.0]}, "mesh velocity 3"),
        ({"v_mesh": [-1.0, 1.0, 1.5, 2.0]}, "mesh velocity 1"),
        ({"v_mesh": [0.0, 1.0, 1.5, float("inf")]}, "mesh velocity 4"),
        ({"c_mu0": 0.9}, "over that of sliding"),
        ({"mesh": mesh_named("recess only"), "eta": [0.5] * 4}, "coefficient of friction up to 2"),
        ({"v_mesh": "fast"}, "an array of numbers"),
    ],
)
def test_wrong_tables_are_refused(changes, said):
    with pytest.raises(Fault, match=said):
        TabulatedEfficiency(**{"mesh": MESH, "v_mesh": SPEEDS, "eta": ETAS, **changes})


# ---------------------------------------------------------------------- over the mesh position
def test_factor_is_a_periodic_spline():
    places, values = (
        np.append(WAVE.start + WAVE.period / 4.0 * np.arange(4), WAVE.start + WAVE.period),
        [*WAVE.values, 1.0],
    )
    spline = CubicSpline(places, values, bc_type="periodic")
    for x in np.linspace(-5e-3, 9e-3, 57):
        within = WAVE.start + (x - WAVE.start) % WAVE.period
        assert WAVE.at(x) == pytest.approx(spline(within), rel=1e-12)  # places are rounded to 1e-16 of 9 mm
        assert WAVE.slope(x) == pytest.approx(spline(within, 1), abs=1e-9)  # 1/m, of 500
    assert WAVE.at(WAVE.start) == WAVE.at(WAVE.start + 7 * WAVE.period) == 1.0


def test_factor_multiplies_the_coefficients():
    law = CoulombFriction(mu_sliding=0.05, mu_0=0.1, factor=WAVE)
    x = 0.5e-3 + 0.75e-3
    assert law.mu(1.0, 1.0, x) == pytest.approx(0.065, rel=1e-12)
    assert law.mu_static(x) == pytest.approx(0.13, rel=1e-12)
    assert law.mu(1.0, 1.0, x + 3e-3) == pytest.approx(0.065, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"period": 0.0, "values": (1.0, 1.0, 1.0)}, "period"),
        ({"period": 1e-3, "values": (1.0, 1.0)}, "3 or more"),
        ({"period": 1e-3, "values": (1.0, 0.0, 1.0)}, "value 2"),
        ({"period": 1e-3, "values": (1.0, float("nan"), 1.0)}, "value 2"),
        ({"period": 1e-3, "values": (1.0, 0.01, 0.01, 1.0, 9.0)}, "spline"),
        ({"period": 1e-3, "values": (1.0, 1.0, 1.0), "start": float("inf")}, "first value"),
    ],
)
def test_wrong_factors_are_refused(given, said):
    with pytest.raises(Fault, match=said):
        PeriodicFactor(**given)


def test_a_level_factor_is_one():
    assert PeriodicFactor(period=1e-3, values=(1.0, 1.0, 1.0)).at(0.123e-3) == 1.0


# ---------------------------------------------------------------------- compiled
@numba.njit
def _compiled(law, factor, v_mesh, F_n, x_mesh):
    return planar_kernels.periodic_factor(factor, x_mesh)[0] * planar_kernels.friction_coefficient(law, v_mesh, F_n)


@pytest.mark.parametrize(
    "law",
    [
        CoulombFriction(mu_sliding=0.05, mu_0=0.11, factor=WAVE),
        Din3990Friction(mesh=MESH, **OIL),
        TabulatedEfficiency(mesh=MESH, v_mesh=SPEEDS, eta=ETAS, factor=WAVE),
    ],
    ids=lambda law: type(law).__name__,
)
def test_compiled_code_can_call_the_laws(law):
    for v_mesh, F_n, x_mesh in ((0.5, 300.0, 1e-3), (-0.5, 300.0, -7e-3), (0.0, -1.0, 0.0)):
        assert _compiled(law.numbers, law.factor_table, v_mesh, F_n, x_mesh) == law.mu(v_mesh, F_n, x_mesh)
