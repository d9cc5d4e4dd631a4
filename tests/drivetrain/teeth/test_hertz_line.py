"""Hertz's law for lines of contact: its inversion, slope, energy, pressure, and where it ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from alegear.drivetrain.teeth.hertz_line import HertzLine
from alegear.errors import Fault

STEEL = {"E_1": 206e9, "nu_1": 0.3, "E_2": 206e9, "nu_2": 0.3}


def approach(line: HertzLine, q: float) -> float:
    """Formulas 17 to 19 of Dahl et al. (2017) with the full width b, each body with its material."""
    E_red = 2.0 / ((1.0 - line.nu_1**2) / line.E_1 + (1.0 - line.nu_2**2) / line.E_2)
    b = math.sqrt(32.0 * q / (math.pi * E_red * (1.0 / line.R_1 + 1.0 / line.R_2)))
    bodies = ((line.E_1, line.nu_1, line.R_1), (line.E_2, line.nu_2, line.R_2))
    return sum(
        q * (1.0 - nu**2) / (math.pi * E) * (2.0 / 3.0 + 2.0 * math.log(4.0 * abs(R) / b)) for E, nu, R in bodies
    )


def lines(n: int) -> list[HertzLine]:
    """Radii of 1 mm to 10 m, cylinders in hollow ones that are a thousandth larger too; two materials."""
    rng, found = np.random.default_rng(3), []
    for _ in range(n):
        R_1 = 10.0 ** rng.uniform(-3.0, 1.0)
        hollow = rng.random() < 0.5
        R_2 = -R_1 * (1.0 + 10.0 ** rng.uniform(-3.0, 1.0)) if hollow else 10.0 ** rng.uniform(-3.0, 1.0)
        E_1, E_2 = rng.uniform(50e9, 220e9, 2)
        found.append(HertzLine(R_1=R_1, R_2=R_2, E_1=E_1, E_2=E_2, nu_1=0.3, nu_2=0.25))
    return found


def test_the_law_is_inverted() -> None:
    rng, checked = np.random.default_rng(4), 0
    for line in lines(2000):
        q = 10.0 ** rng.uniform(3.0, 9.0)  # 1 N/mm to 1 MN/mm
        if q > line.largest_force:
            continue
        checked += 1
        # the issue asks for 1e-6; two of Newton's steps leave round-off
        assert line.force(approach(line, q)) == pytest.approx(q, rel=1e-13)
        assert line.indentation(q) == pytest.approx(approach(line, q), rel=1e-12)  # logarithms of ratios of radii
    assert checked > 1000


def test_against_a_search_for_the_load() -> None:
    line = HertzLine(R_1=8e-3, R_2=-25e-3, **STEEL)
    for delta in (1e-9, 1e-7, 5e-6, 1e-4):
        q = brentq(lambda q, delta=delta: approach(line, q) - delta, 1e-6, line.largest_force, xtol=1e-9, rtol=1e-14)
        assert line.force(delta) == pytest.approx(q, rel=1e-12)


def test_slope_and_energy_are_those_of_the_load() -> None:
    line = HertzLine(R_1=8e-3, R_2=30e-3, E_1=206e9, E_2=70e9, nu_1=0.3, nu_2=0.33)
    for delta in (1e-9, 1e-6, 1e-4, 0.9 * line.largest_indentation):
        h = 1e-4 * delta
        slope = (line.force(delta + h) - line.force(delta - h)) / (2.0 * h)
        assert line.stiffness(delta) == pytest.approx(slope, rel=1e-6)  # differences of second order
        stored = quad(line.force, 0.0, delta, epsabs=0.0, epsrel=1e-11)[0]
        assert line.energy(delta) == pytest.approx(stored, rel=1e-9)


def test_it_begins_without_a_slope_but_as_good_as_with_a_corner() -> None:
    line = HertzLine(R_1=10e-3, R_2=20e-3, **STEEL)
    assert line.force(0.0) == line.force(-1e-6) == line.stiffness(0.0) == line.energy(0.0) == 0.0
    slopes = [line.stiffness(10.0**-n) for n in (4, 6, 12, 300)]
    assert slopes == sorted(slopes, reverse=True)
    assert slopes[2] > 0.4 * slopes[1]  # a picometre against a micrometre: 1/(y - 1) falls with the logarithm


def test_pressure_and_width_carry_the_load() -> None:
    line = HertzLine(R_1=10e-3, R_2=-40e-3, **STEEL)
    q = np.array([1e4, 1e6])
    np.testing.assert_allclose(0.5 * math.pi * line.pressure(q) * line.half_width(q), q, rtol=1e-14)
    # textbook: p^2 = q E/(2 pi (1 - nu^2) rho) of one material
    np.testing.assert_allclose(line.pressure(q) ** 2, q * 206e9 / (2.0 * math.pi * 0.91 * line.rho), rtol=1e-14)


def test_one_material_two_halves() -> None:
    """Radii change places with their materials; with equal ones S is exp(2/3) times their sum."""
    one = HertzLine(R_1=8e-3, R_2=30e-3, E_1=206e9, E_2=70e9, nu_1=0.3, nu_2=0.33)
    other = HertzLine(R_1=30e-3, R_2=8e-3, E_1=70e9, E_2=206e9, nu_1=0.33, nu_2=0.3)
    assert one.force(1e-5) == pytest.approx(other.force(1e-5), rel=1e-14)
    assert pytest.approx(math.exp(2.0 / 3.0) * 22e-3, rel=1e-14) == HertzLine(R_1=8e-3, R_2=-30e-3, **STEEL).S


def test_beyond_its_end_it_is_refused() -> None:
    line = HertzLine(R_1=1e-3, R_2=1e-3, **STEEL)
    for call in (lambda: line.force(1.001 * line.largest_indentation), lambda: line.indentation(1e9)):
        with pytest.raises(Fault, match="where Hertz's law for lines of contact ends; reduce the load"):
            call()
    assert approach(line, 1.01 * line.largest_force) > approach(line, line.largest_force)  # it still rises there
    with pytest.raises(Fault, match="a negative one larger than the other"):
        HertzLine(R_1=10e-3, R_2=-9e-3, **STEEL)
