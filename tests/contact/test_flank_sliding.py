"""Sliding and flash temperature against closed forms: velocities from the axes, and a moving band of heat."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import alegear as ag
from alegear.contact.wear import FlankSliding

SPEED = 150.0  # rad/s of the pinion
STEEL = ag.Material()


def pair_of(beta: float = 0.0, ring: bool = False) -> ag.GearPair:
    if ring:
        wheel = ag.InternalGear(z=57, m_n=3e-3, b=20e-3, rim_diameter=200e-3, tip_alteration_factor=-0.2)
        return ag.GearPair(pinion=ag.Gear(z=19, m_n=3e-3, b=20e-3, bore_diameter=20e-3), wheel=wheel)
    pinion = ag.Gear(z=23, m_n=3e-3, beta=beta, x=0.25, b=20e-3, bore_diameter=20e-3)
    wheel = ag.Gear(z=47, m_n=3e-3, beta=-beta, x=0.1, b=20e-3, bore_diameter=60e-3)
    return ag.GearPair(pinion=pinion, wheel=wheel)


def sliding_of(pair: ag.GearPair, mu: float | None = 0.05, **friction) -> FlankSliding:
    return FlankSliding(
        pair=pair,
        friction=ag.Friction(**friction),
        conditions=ag.WearConditions(friction_coefficient=mu),
        thermal_contact=(STEEL.thermal_contact, STEEL.thermal_contact),
        diffusivity=(STEEL.diffusivity, STEEL.diffusivity),
    )


def speeds(pair: ag.GearPair) -> np.ndarray:
    return np.array([SPEED, SPEED * pair.pinion.z / abs(pair.wheel.z)])


@pytest.mark.parametrize("beta", [0.0, 0.4])
def test_velocities_are_those_of_two_turning_bodies(beta: float) -> None:
    """The velocity of either body at the point of contact is omega x r; its part along the profile is what rolls."""
    pair = pair_of(beta)
    omega = speeds(pair)
    xi = np.linspace(*pair.path_of_contact, 7)
    sliding = sliding_of(pair)
    v_1, v_2 = sliding.rolling_velocity(sliding.rolling.of(xi[:, None, None]), np.tile(omega, (7, 1)))
    assert v_1.shape == v_2.shape == (7, 1, 1)
    # the line of action touches both base circles; pinion at the origin, wheel at (a_w, 0)
    alpha = pair.alpha_wt
    along = np.array([math.sin(alpha), -math.cos(alpha)])  # from T1 to T2
    start = pair.pinion.r_b * np.array([math.cos(alpha), math.sin(alpha)])
    normal = np.array([-along[1], along[0]])
    for k, roll in enumerate(xi):
        point = start + roll * along
        seen = point - np.array([pair.a_w, 0.0])
        own = omega[0] * np.array([-point[1], point[0]])
        other = -omega[1] * np.array([-seen[1], seen[0]])
        assert abs((own - other) @ along) < 1e-12 * SPEED  # flanks stay in contact: round-off
        assert [abs(own @ normal), abs(other @ normal)] == pytest.approx([v_1[k, 0, 0], v_2[k, 0, 0]], rel=1e-10)
    distance = xi - pair.roll_length_pitch_point
    np.testing.assert_allclose((v_1 - v_2)[:, 0, 0], omega.sum() * distance, atol=1e-12 * SPEED)


def test_the_sliding_of_a_ring_goes_by_the_difference_of_the_speeds() -> None:
    pair = pair_of(ring=True)
    omega = speeds(pair)
    xi = np.linspace(*pair.path_of_contact, 5)
    sliding = sliding_of(pair)
    v_1, v_2 = sliding.rolling_velocity(sliding.rolling.of(xi), omega)
    distance = xi - pair.roll_length_pitch_point
    np.testing.assert_allclose(v_1 - v_2, (omega[0] - omega[1]) * distance, atol=1e-12 * SPEED)  # round-off


def test_specific_sliding_at_the_ends_of_the_path() -> None:
    """By the tip circles alone, as tables of gear data have it."""
    pair = pair_of()
    u = pair.wheel.z / pair.pinion.z
    line = math.sqrt(pair.a_w**2 - (pair.pinion.r_b + pair.wheel.r_b) ** 2)
    low = line - math.sqrt(pair.wheel.r_a**2 - pair.wheel.r_b**2)
    high = math.sqrt(pair.pinion.r_a**2 - pair.pinion.r_b**2)
    sliding = sliding_of(pair)
    places = sliding.rolling.of([low, pair.roll_length_pitch_point, high])
    zeta_1, zeta_2 = sliding.specific_sliding(places)
    assert zeta_1 == pytest.approx([1.0 - (line - low) / (u * low), 0.0, 1.0 - (line - high) / (u * high)], abs=1e-12)
    assert zeta_2 == pytest.approx([1.0 - u * low / (line - low), 0.0, 1.0 - u * high / (line - high)], abs=1e-12)
    assert zeta_1[0] < -0.5 < 0.0 < zeta_1[2] < 1.0
    assert np.isnan(sliding.specific_sliding(sliding.rolling.of([-1e-3]))[0]).all()  # no involute there


def rise_of_a_band(heat: float, half_width: float, velocity: float, material: ag.Material) -> float:
    """Largest temperature of a half-space under a fast band of semi-elliptic flux, by integration of the point source.

    ``T(x) = 1/(B sqrt(pi v)) int q(x')/sqrt(x - x') dx'`` over what has passed; `heat` by unit length of the band.
    """
    peak = 2.0 * heat / (math.pi * half_width)
    into = material.thermal_contact * math.sqrt(math.pi * velocity / half_width)

    def at(s: float) -> float:
        # t = s - u^2 takes the root out of the denominator
        return quad(lambda u: 2.0 * math.sqrt(max(0.0, 1.0 - (s - u * u) ** 2)), 0.0, math.sqrt(s + 1.0), limit=200)[0]

    largest = -minimize_scalar(lambda s: -at(s), bounds=(-0.9, 1.0), method="bounded").fun
    return peak / into * largest


@pytest.mark.parametrize("second", [STEEL, ag.Material(E=100e9, rho=7200.0, conductivity=40.0, specific_heat=540.0)])
def test_flash_temperature_is_that_of_a_moving_band(second: ag.Material) -> None:
    pair, mu, load, half_width = pair_of(), 0.06, 3.0e5, 2.0e-4
    sliding = FlankSliding(
        pair=pair,
        friction=ag.Friction(),
        conditions=ag.WearConditions(friction_coefficient=mu),
        thermal_contact=(STEEL.thermal_contact, second.thermal_contact),
        diffusivity=(STEEL.diffusivity, second.diffusivity),
    )
    v_1, v_2 = 7.0, 3.5
    got = sliding.flash_temperature(*(np.array([value]) for value in (load, half_width, v_1, v_2)))[0]
    heat = mu * load * (v_1 - v_2)
    # the heat is shared so that both have the same largest temperature
    one, two = rise_of_a_band(1.0, half_width, v_1, STEEL), rise_of_a_band(1.0, half_width, v_2, second)
    share = two / (one + two)
    assert share * one == pytest.approx((1.0 - share) * two)
    # 1.11 is 1.1115 to three digits: 0.14 %
    assert got == pytest.approx(heat * share * one, rel=2e-3)


def test_flash_temperature_is_equation_5_of_iso_tr_13989() -> None:
    """In the units of the standard, with its steel: E 206 GPa, Poisson's ratio 0.3, B_M 435 N/(mm m s)^0.5 K."""
    pair, mu, w, rpm = pair_of(), 0.05, 400.0, 3000.0  # N/mm, 1/min
    u = pair.wheel.z / pair.pinion.z
    xi = 0.7 * pair.roll_length_pitch_point
    rho_1, rho_2 = 1e3 * xi, 1e3 * (pair.line_of_action - xi)  # mm
    rho = rho_1 * rho_2 / (rho_1 + rho_2)
    roots = abs(math.sqrt(rho_1) - math.sqrt(rho_2 / u))
    x_m = 1000.0 * (206000.0 / 0.91) ** 0.25 / 435.0  # (A.13); 50.0 by (A.14)
    expected = 2.52 * mu * x_m / 50.0 * w**0.75 * math.sqrt(rpm / 60.0) * roots / rho**0.25
    modulus = 2.0 / (2.0 * (1.0 - 0.09) / 206e9)
    half_width = math.sqrt(8.0 * w * 1e3 * rho * 1e-3 / (math.pi * modulus))
    sliding = FlankSliding(
        pair=pair,
        friction=ag.Friction(),
        conditions=ag.WearConditions(friction_coefficient=mu),
        thermal_contact=(435.0 * 10**1.5, 435.0 * 10**1.5),
        diffusivity=(STEEL.diffusivity, STEEL.diffusivity),
    )
    omega = rpm * math.pi / 30.0
    v_1, v_2 = sliding.rolling_velocity(sliding.rolling.of([xi]), (omega, omega / u))
    got = sliding.flash_temperature(np.array([w * 1e3]), np.array([half_width]), v_1, v_2)[0]
    # 2.52 = 50 (2 pi)^0.5 (pi/8)^0.25 k/1000^0.5 has k = 0.803 in it, where the equation has 1.11/2^0.5 = 0.785
    assert got == pytest.approx(expected * 1.11 / math.sqrt(2.0) / 0.803, rel=1e-3)


def test_helical_load_counts_along_the_line_of_contact() -> None:
    values = [np.array([value]) for value in (2e5, 1e-4, 5.0, 3.0)]
    straight, helical = (sliding_of(pair_of(beta)) for beta in (0.0, 0.4))
    ratio = helical.flash_temperature(*values)[0] / straight.flash_temperature(*values)[0]
    assert ratio == pytest.approx(math.cos(helical.pair.beta_b), rel=1e-12)


def test_coefficient_is_that_of_the_contact_where_it_has_friction() -> None:
    sliding = sliding_of(pair_of(), mu=None, kind="coulomb", mu_dynamic=0.07)
    assert sliding.knows_friction
    np.testing.assert_allclose(sliding.coefficient(np.array([-2.0, 0.0, 3.0])), [0.07, 0.0, 0.07])
    assert not sliding_of(pair_of(), mu=None).knows_friction


def test_no_sliding_no_heat() -> None:
    at_rest = sliding_of(pair_of()).flash_temperature(*(np.array([v]) for v in (1e5, 1e-4, 0.0, 0.0)))
    rolling = sliding_of(pair_of()).flash_temperature(*(np.array([v]) for v in (1e5, 1e-4, 4.0, 4.0)))
    assert (at_rest[0], rolling[0]) == (0.0, 0.0)
    apart = sliding_of(pair_of()).flash_temperature(*(np.array([v]) for v in (0.0, np.nan, 4.0, 2.0)))
    assert np.isnan(apart[0])
