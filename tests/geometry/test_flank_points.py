"""Points of a flank, sliding and profile shifts: against printed reports and against coordinates."""

from dataclasses import replace
from math import acos, cos, radians, sin

import numpy as np
import pytest

from alegear.geometry import BasicRack, Gear, GearPair, InternalGear
from alegear.geometry.flank_points import (
    diameter_at,
    flank_points,
    needed_profile_shifts,
    roll_angle,
    rolling_speeds,
    round_begin,
    specific_sliding,
    tip_clearances,
)

MEMBERS = ("pinion", "wheel")


def helical() -> GearPair:
    """The e-axle stage, with backlash by a larger centre distance."""
    common = {"m_n": 1.9e-3, "rack": BasicRack(alpha_n=radians(18.0)), "b": 30e-3}
    pinion = Gear(z=23, x=0.35, beta=radians(27.0), bore_diameter=28e-3, **common)
    return GearPair(
        pinion=pinion, wheel=Gear(z=81, x=0.22, beta=-radians(27.0), bore_diameter=120e-3, **common), a_w=112e-3
    )


def with_ring() -> GearPair:
    pinion = Gear(z=24, m_n=4e-3, x=0.3, rack=BasicRack(root_radius_factor=0.15), b=30e-3, bore_diameter=40e-3)
    return GearPair(pinion=pinion, wheel=InternalGear(z=61, m_n=4e-3, x=-0.3, b=30e-3, rim_diameter=290e-3))


def ring_first() -> GearPair:
    pair = with_ring()
    return GearPair(pinion=pair.wheel, wheel=pair.pinion)


def undercut() -> GearPair:
    """Its path of contact ends at a root form circle, not at a tip."""
    gears = [Gear(z=z, m_n=8e-3, b=50e-3, bore_diameter=3e-3 * z) for z in (13, 97)]
    return GearPair(pinion=gears[0], wheel=gears[1])


PAIRS = {make.__name__: make for make in (helical, with_ring, ring_first, undercut)}


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> GearPair:
    return PAIRS[request.param]()


@pytest.mark.parametrize(
    ("z", "x", "k", "m_n", "a_w", "T1A", "T1C", "T1E"),
    [
        ((19, 17), (0.6170, 0.8021), -10.861, 45e-3, 863e-3, 279.533, 214.656, 131.439),
        ((18, 36), (0.3890, 0.5039), -1.750, 21e-3, 584e-3, 123.672, 79.704, 38.720),
    ],
)
def test_roll_lengths_of_printed_reports(z, x, k, m_n, a_w, T1A, T1C, T1E) -> None:
    """KISSsoft 03/2017A, NREL 5 MW, sun and planet (gfsReboucas/Drivetrain, stage_01.rtf, stage_02.rtf); the pinion is
    driven there, so that its tip is A."""
    gears = [
        Gear(z=z[i], m_n=m_n, x=x[i], b=0.5, bore_diameter=0.5 * z[i] * m_n, tip_alteration_factor=1e-3 * k / m_n)
        for i in (0, 1)
    ]
    at = flank_points(GearPair(pinion=gears[0], wheel=gears[1], a_w=a_w), "pinion")
    # 5e-3 mm: x is printed with four digits, which is 2 um of radius at m = 45 mm, and the tips are at 30 degrees
    assert [1e3 * at[name] for name in ("Na", "C", "Nf")] == pytest.approx([T1A, T1C, T1E], abs=5e-3)


@pytest.mark.parametrize(
    ("z", "x", "k", "m_n", "a_w", "T1A", "T1C", "T1E", "eps_alpha"),
    [
        ((17, 56), (0.8021, -0.5013), -10.861, 45e-3, 863e-3, 275.277, 110.993, 105.462, 1.278),
        ((36, 93), (0.5039, 0.1171), -1.750, 21e-3, 584e-3, 200.391, 99.372, 100.108, 1.618),
    ],
)
def test_roll_lengths_of_planets_in_rings_of_these_reports(z, x, k, m_n, a_w, T1A, T1C, T1E, eps_alpha) -> None:
    planet = Gear(z=z[0], m_n=m_n, x=x[0], b=0.5, bore_diameter=0.5 * z[0] * m_n, tip_alteration_factor=1e-3 * k / m_n)
    ring = InternalGear(z=z[1], m_n=m_n, x=x[1], b=0.5, rim_diameter=1.25 * z[1] * m_n)
    pair = GearPair(pinion=planet, wheel=ring, a_w=a_w)
    at = flank_points(pair, "pinion")
    assert [1e3 * at[name] for name in ("Na", "C", "Nf")] == pytest.approx([T1A, T1C, T1E], abs=5e-3)  # as above
    assert pair.eps_alpha == pytest.approx(eps_alpha, abs=6e-4)
    # 5e-5: half of the last digit of each profile shift, of two
    assert needed_profile_shifts(pair) == pytest.approx(sum(x), abs=1e-4)


@pytest.mark.parametrize("pair", [name for name in PAIRS if name != "undercut"], indirect=True)
def test_ends_are_where_the_tip_circles_cut_the_line_of_action(pair: GearPair) -> None:
    """By coordinates: the pitch point at 0, the axes beside it, a line through it inclined by alpha_wt."""
    along = np.array([-sin(pair.alpha_wt), cos(pair.alpha_wt)])
    for gear, d_w, member in zip(pair.gears, pair.d_w, MEMBERS, strict=True):
        axis = np.array([-abs(d_w) / 2.0, 0.0])
        # |t along - axis| = r_a has two solutions: the nearer one is on the flank
        t = np.roots([1.0, -2.0 * (along @ axis), axis @ axis - gear.r_a**2])
        at = flank_points(pair, member)
        assert abs(at["Na"] - at["C"]) == pytest.approx(np.abs(t).min(), rel=1e-9)


def test_single_contact_is_where_one_pair_is_on_the_path(pair: GearPair) -> None:
    at = flank_points(pair, "pinion")
    low, high = pair.path_of_contact_usable
    for xi in np.linspace(low, high, 2001)[1:-1]:
        others = xi + pair.p_bt * np.arange(-3, 4)
        touching = np.count_nonzero((others > low) & (others < high))
        assert touching == (1 if at["LPSTC"] < xi < at["HPSTC"] else 2)
    mate = flank_points(pair, "wheel")
    # the same two positions of the pair, the other way round
    assert pair.line_of_action - at["LPSTC"] == pytest.approx(mate["HPSTC"], rel=1e-12)
    assert pair.line_of_action - at["HPSTC"] == pytest.approx(mate["LPSTC"], rel=1e-12)


def test_points_rise_from_root_to_tip(pair: GearPair) -> None:
    for gear, member in zip(pair.gears, MEMBERS, strict=True):
        at = flank_points(pair, member)
        order = [at[name] for name in ("Ff", "Nf", "LPSTC", "HPSTC", "Na", "a")]
        assert np.all(np.diff(order) > -1e-15)
        assert diameter_at(gear, at["a"]) == pytest.approx(gear.d_a, rel=1e-12)
        assert diameter_at(gear, at["C"]) == pytest.approx(pair.d_w[MEMBERS.index(member)], rel=1e-12)
        # tan of the pressure angle there
        assert roll_angle(gear, at["a"]) == pytest.approx(np.tan(acos(gear.r_b / gear.r_a)), rel=1e-12)


def test_no_single_contact_from_a_contact_ratio_of_two_on() -> None:
    rack = BasicRack(addendum_factor=1.4, dedendum_factor=1.65, root_radius_factor=0.2)
    gears = [Gear(z=z, m_n=4e-3, rack=rack, b=30e-3, bore_diameter=80e-3) for z in (50, 61)]
    high = GearPair(pinion=gears[0], wheel=gears[1])
    assert high.eps_alpha_usable > 2.0
    assert not {"LPSTC", "HPSTC"} & set(flank_points(high, "pinion"))


def test_sliding_is_that_of_the_arcs_of_both_involutes(pair: GearPair) -> None:
    """While the contact moves on, it covers an arc of ``xi^2/(2 r_b)`` of each flank."""
    low, high = pair.path_of_contact_usable
    xi = np.linspace(low + 0.05 * (high - low), high, 9)
    step = 1e-9

    def arcs(xi_1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return xi_1**2 / (2.0 * pair.pinion.r_b), (pair.line_of_action - xi_1) ** 2 / (2.0 * pair.wheel.r_b)

    (a_1, a_2), (b_1, b_2) = arcs(xi - step), arcs(xi + step)
    # the second one is run through from tip to root
    s_1, s_2 = b_1 - a_1, a_2 - b_2
    zeta_1, zeta_2 = specific_sliding(pair, xi)
    # 1e-6: central differences of a parabola are exact but for round-off, 1e-17/1e-11 of the arc
    np.testing.assert_allclose(zeta_1, (s_1 - s_2) / s_1, atol=1e-5)
    np.testing.assert_allclose(zeta_2, (s_2 - s_1) / s_2, atol=1e-5)
    v_1, v_2 = rolling_speeds(pair, xi, 100.0)
    turned = 2.0 * step / pair.pinion.r_b
    np.testing.assert_allclose(v_1, s_1 / turned * 100.0, rtol=1e-5)
    np.testing.assert_allclose(v_2, s_2 / turned * 100.0, rtol=1e-5)


def test_sliding_has_its_signs_and_its_pole() -> None:
    pair = helical()
    root, pitch, tip = (flank_points(pair, "pinion")[name] for name in ("Nf", "C", "Na"))
    zeta_1, zeta_2 = specific_sliding(pair, [0.0, root, pitch, tip])
    assert zeta_1[0] == -np.inf
    assert zeta_1[1] < 0.0 < zeta_2[1]
    assert zeta_1[3] > 0.0 > zeta_2[3]
    assert [zeta_1[2], zeta_2[2]] == pytest.approx([0.0, 0.0], abs=1e-14)


def test_shifts_of_the_sum_leave_no_backlash(pair: GearPair) -> None:
    """A pair with these profile shifts fills its pitch at the working pitch circles."""
    total = needed_profile_shifts(pair)
    changed = total - pair.wheel.x
    gears = replace(pair.pinion, x=changed), pair.wheel
    made = GearPair(pinion=gears[0], wheel=gears[1])
    assert made.a_w == pytest.approx(pair.a_w, rel=1e-12)
    assert made.j_wt == pytest.approx(0.0, abs=1e-13)


def test_tip_clearance_is_the_room_under_the_tip(pair: GearPair) -> None:
    a = abs(pair.a_w)
    for gear, mate, clearance in zip(pair.gears, pair.gears[::-1], tip_clearances(pair), strict=True):
        # where both circles come nearest: of an internal pair on the side away from the ring's axis
        reach = abs(gear.r_a) + abs(mate.r_f)
        if gear.internal:  # tip circle of the ring, root circle of the pinion
            reach = abs(gear.r_a) - a - abs(mate.r_f)
            assert clearance == pytest.approx(reach, rel=1e-9)
        elif mate.internal:
            assert clearance == pytest.approx(abs(mate.r_f) - a - gear.r_a, rel=1e-9)
        else:
            assert clearance == pytest.approx(a - reach, rel=1e-9)


def test_the_round_of_a_ring_touches_flank_and_tip_circle() -> None:
    """In coordinates: its centre is a radius from both, in the material, which is outside of the flank."""
    ring = with_ring().wheel
    xi, rho, r_b = abs(round_begin(ring)), ring.tip_rounding_radius, abs(ring.r_b)
    t = xi / r_b
    on_flank = r_b * np.array([np.cos(t) + t * np.sin(t), np.sin(t) - t * np.cos(t)])
    centre = on_flank + rho * np.array([np.sin(t), -np.cos(t)])
    assert np.hypot(*centre) - rho == pytest.approx(abs(ring.r_a), rel=1e-12)
    assert abs(diameter_at(ring, round_begin(ring))) == pytest.approx(2.0 * np.hypot(*on_flank), rel=1e-12)
