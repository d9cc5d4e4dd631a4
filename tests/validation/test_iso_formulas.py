"""The formulas of ISO 6336-1 that validation/mesh_stiffness and validation/misalignment compare with."""

import math

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

iso6336 = load_script("validation/mesh_stiffness/iso6336.py")


def test_quick_form() -> None:
    assert_within_bounds("mesh_stiffness")


@pytest.mark.parametrize(
    ("z", "x", "eps_alpha", "c", "c_gamma_alpha", "c_gamma_beta"),
    [
        ((19, 17), (0.6170, 0.8021), 1.115, 12.362, 13.426, 11.412),
        ((18, 36), (0.3890, 0.5039), 1.370, 12.240, 15.640, 13.294),
    ],
    ids=["first stage", "second stage"],
)
def test_stiffness_of_a_printed_report(z, x, eps_alpha, c, c_gamma_alpha, c_gamma_beta):
    # KISSsoft 03/2017A reports on the planetary stages of the NREL 5 MW gearbox, sun and planet (repository
    # gfsReboucas/Drivetrain, @NREL_5MW/stage_01.rtf and stage_02.rtf): C_R = 0.862, C_BS = 0.975
    (z_1, x_1), (z_2, x_2) = sorted(zip(z, x, strict=True))
    C_B = iso6336.basic_rack_factor(1.25)
    assert pytest.approx(0.975, abs=1e-12) == C_B
    single = iso6336.single_stiffness(iso6336.minimum_flexibility(z_1, z_2, x_1, x_2), C_R=0.862, C_B=C_B)
    mesh = iso6336.mesh_stiffness(single, eps_alpha)
    # C_R is printed with three digits: half of the last is 0.06 %
    np.testing.assert_allclose([single, mesh, 0.85 * mesh], [c, c_gamma_alpha, c_gamma_beta], rtol=6e-4)


def test_stiffness_falls_with_the_load_below_100_newtons_per_millimetre():
    full = iso6336.single_stiffness(0.06)
    assert iso6336.single_stiffness(0.06, line_load=1e3) == full
    assert iso6336.single_stiffness(0.06, line_load=25.0) == pytest.approx(0.25 * full, rel=1e-14)


def test_a_web_as_wide_as_the_face_is_a_solid_disc():
    assert iso6336.gear_blank_factor(30.0, 30.0, 5.0, 4.0) == 1.0
    assert iso6336.gear_blank_factor(6.0, 30.0, 5.0, 4.0) < iso6336.gear_blank_factor(6.0, 30.0, 20.0, 4.0) < 1.0


@pytest.mark.parametrize("misalignment", [2.0, 20.0, 26.0, 60.0])
def test_face_load_factor_is_that_of_springs_across_the_face(misalignment):
    # independent springs under a tilted plate: load per width c (d + F y), where it presses, y = -1/2 ... 1/2
    stiffness, mean = 15.0, 200.0
    y = (np.arange(100_000) + 0.5) / 100_000 - 0.5
    low, high = -misalignment, 10.0 * misalignment + mean / stiffness
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        load = stiffness * np.maximum(middle + misalignment * y, 0.0)
        low, high = (middle, high) if load.mean() < mean else (low, middle)
    largest = stiffness * (high + 0.5 * misalignment)
    # the sum over 1e5 strips
    assert iso6336.face_load_factor(misalignment, stiffness, mean) == pytest.approx(largest / mean, rel=1e-4)


def test_face_load_factor_is_continuous_where_the_face_parts():
    at = [iso6336.face_load_factor(F, 10.0, 50.0) for F in (10.0 * (1 - 1e-9), 10.0 * (1 + 1e-9))]
    assert at[0] == pytest.approx(2.0, rel=1e-8)
    assert math.isclose(*at, rel_tol=1e-8)
