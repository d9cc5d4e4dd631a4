"""Limits of speed and time step: the rotating disc in closed form, the states of contact counted, the figures said."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import alegear as ag
from alegear.case.case import Case, shortest_contact_interval
from alegear.case.faults import CaseFaults
from alegear.checks.gear_data import gear_data, speed_warnings
from alegear.checks.speed_limits import hoop_stress_at_bore, parted_step_warnings, period_warnings, tolerance_warnings
from alegear.fe.material import Material

MESHES = Path(__file__).parents[2] / "meshes"
CASE = (MESHES / "spur_20_30_dynamic.toml").read_text()
STEEL = Material()


def read(text: str) -> Case:
    return Case.from_bytes(text.encode(), "case.toml")


# ------------------------------------------------------------------------- speed
def test_thin_ring_and_pin_hole() -> None:
    ring = hoop_stress_at_bore(STEEL, 300.0, 0.2 - 1e-6, 0.2)
    assert ring == pytest.approx(STEEL.rho * (300.0 * 0.2) ** 2, rel=1e-5)  # rho v^2
    hole = hoop_stress_at_bore(STEEL, 300.0, 1e-9, 0.2)
    full = (3.0 + STEEL.nu) / 8.0 * STEEL.rho * (300.0 * 0.2) ** 2  # centre of a full disc
    assert hole == pytest.approx(2.0 * full, rel=1e-9)


def test_disc_by_finite_differences() -> None:
    """(r u')' - u/r = -(1 - nu^2) rho omega^2 r^2/E with free rims, second order in the grid."""
    n, r_i, r_a, speed = 4000, 0.05, 0.2, 500.0
    r = np.linspace(r_i, r_a, n + 1)
    h = r[1] - r[0]
    A, right = np.zeros((3, n + 1)), -(1.0 - STEEL.nu**2) * STEEL.rho * speed**2 * r / STEEL.E
    A[1], A[0, 1:], A[2, :-1] = (
        -2.0 / h**2 - 1.0 / r**2,
        (1.0 / h**2 + 0.5 / (h * r))[:-1],
        (1.0 / h**2 - 0.5 / (h * r))[1:],
    )
    for at, beyond, sign in ((0, 2, -1.0), (n, 0, 1.0)):  # u' = -nu u/r: the point beyond the rim is eliminated
        beside = 1.0 / h**2 + sign * 0.5 / (h * r[at])
        A[1, at] += -sign * 2.0 * h * STEEL.nu / r[at] * beside
        if beyond == 2:
            A[0, 1] = 2.0 / h**2
        else:
            A[2, n - 1] = 2.0 / h**2
    from scipy.linalg import solve_banded

    u = solve_banded((1, 1), A, right)
    found = STEEL.E * u[0] / r_i  # without radial stress
    assert hoop_stress_at_bore(STEEL, speed, r_i, r_a) == pytest.approx(found, rel=1e-5)


def test_a_gear_that_may_burst_is_warned_of_with_the_speed_it_bears() -> None:
    case = read(CASE.replace("= 1500.0", "= 60000.0").replace("0.02", "0.001"))
    warning, of_wheel = speed_warnings(case)
    assert of_wheel.startswith("speed of the wheel = 4e+04 rpm")
    pinion = case.pair.pinion
    stress = hoop_stress_at_bore(STEEL, 60000.0 * math.pi / 30.0, 0.5 * pinion.bore_diameter, pinion.r_a)
    assert (
        f"speed of the pinion = 6e+04 rpm, 281 m/s at the tip circle: as a disc it has {stress / 1e6:.3g} MPa"
        in warning
    )
    assert "more than yield_strength_MPa = 300, and may burst; stay below 4.51e+04 rpm" in warning
    assert warning in gear_data(case)["warnings"]
    assert speed_warnings(read(CASE)) == []
    strong = CASE.replace("= 1500.0", "= 60000.0").replace("density", "yield_strength_MPa = 900.0\ndensity")
    assert speed_warnings(read(strong.replace("0.02", "0.001"))) == []


def test_the_wheel_is_looked_at_with_its_own_speed() -> None:
    case = read(CASE.replace("= 1500.0", "= 60000.0").replace("0.02", "0.001"))
    weak = replace(case, materials=(replace(STEEL, yield_strength=1e9), STEEL))
    (warning,) = speed_warnings(weak)
    assert warning.startswith("speed of the wheel = 4e+04 rpm")


def test_a_yield_strength_that_cannot_be() -> None:
    with pytest.raises(CaseFaults, match=r"material\.yield_strength_MPa = -1\.0: must be at least"):
        read(CASE.replace("density", "yield_strength_MPa = -1.0\ndensity"))


# --------------------------------------------------------------------- time step
def test_shortest_interval_is_that_of_the_pairs_in_mesh_counted() -> None:
    pair = read(CASE).pair
    low, high = (side / pair.p_bt for side in pair.path_of_contact_usable)
    place = np.linspace(0.0, 1.0, 100_001)[:-1]
    numbers = np.floor(high - place) - np.ceil(low - place) + 1  # pairs at all places of a pitch
    shares = [np.mean(numbers == n) for n in np.unique(numbers)]
    speed = 150.0
    expected = min(shares) * 2.0 * math.pi / 20 / speed
    assert shortest_contact_interval(pair, speed) == pytest.approx(expected, rel=1e-4)


def test_intervals_that_the_deflection_closes_do_not_count() -> None:
    pinion = read(CASE).pair.pinion
    even: Any = SimpleNamespace(pinion=pinion, eps_alpha_usable=1.99, eps_beta=0.0)
    assert shortest_contact_interval(even, 100.0) == pytest.approx(2.0 * math.pi / 20 / 100.0 / 16.0)


def test_a_step_longer_than_a_state_of_contact_is_refused() -> None:
    shortest = shortest_contact_interval(read(CASE).pair, 1500.0 * math.pi / 30.0)
    assert read(CASE + f"time_step_s = {0.99 * shortest}\n").analysis.time_step == pytest.approx(0.99 * shortest)
    with pytest.raises(CaseFaults) as caught:
        read(CASE + f"time_step_s = {1.01 * shortest}\n")
    (line,) = str(caught.value).splitlines()
    assert f"must be at most {shortest:.3g}, the shortest time between a tooth pair that comes into mesh" in line
    assert line.endswith("shorten it, or give a tolerance")


def test_a_step_long_against_the_mode_in_the_mesh_is_warned_of() -> None:
    omega = 2.0 * math.pi * 1000.0
    assert period_warnings(None, omega) == []
    assert period_warnings(1e-4, omega) == []
    (warning,) = period_warnings(2e-4, omega)
    # tan(omega h/2) = tan(pi/5): by the trapezoidal rule 2 atan(0.628)/(2 pi/5) = 0.894
    assert warning == (
        "time_step_s = 0.0002: the period of the mode in the mesh is 0.001 s; its frequency comes out 11 % too low: "
        "use at most 0.0001 s, or give a tolerance instead"
    )


def test_fixed_steps_in_parts_are_told() -> None:
    assert parted_step_warnings(None, 3) == []  # chosen steps are shortened all the time
    assert parted_step_warnings(1e-4, 0) == []
    (warning,) = parted_step_warnings(1e-4, 3)
    assert warning.startswith("time_step_s = 0.0001: 3 attempted steps did not converge and were taken in parts")


def test_coarse_steps_of_teeth_in_contact_are_told() -> None:
    assert tolerance_warnings(1e-4) == []
    assert "tolerance = 0.001" in tolerance_warnings(1e-3)[0]
    m = ag.Machine("pair")
    for name, at in (("in", 0.0), ("out", 0.1)):
        m.add(name, ag.Shaft(fixed_axis=True, position=(at, 0.0, 0.0)))
    m.add("p", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=30e-3), shaft="in", at=0.0))
    m.add("w", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=50e-3), shaft="out", at=0.0))
    m.add("motor", ag.Drive(shaft="in", speed=100.0))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=300.0, inertia=5e-3))
    m.mesh("mesh", "p", "w", fidelity="teeth")
    quiet = ag.OutputOptions(plots=False, fields=False)
    motion = {"duration": 2e-4, "output_every": 1e-4, "output": quiet}
    for tolerance, told in ((1e-3, 1), (1e-4, 0)):
        warnings = m.run(tolerance=tolerance, **motion).summary["warnings"]
        assert sum("their vibration may be off" in one for one in warnings) == told
    assert not any("vibration" in one for one in m.run(time_step=1e-5, **motion).summary["warnings"])
