"""Mesh stiffness beside ISO 6336-1: the body as a ring against formulas of others and against finite elements."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad

import alegear as ag
from alegear.checks.body_compliance import body_compliance, critical_section
from alegear.checks.design_warnings import beside_iso
from alegear.checks.mesh_stiffness import StiffnessBesideIso
from tests.small_cases import case_of, static_text

STEEL = ag.Material()
#: Sainsot, Velex, Duverger (2004): A/theta^2 + B h^2 + C h/theta + D/theta + E h + F of L*, M*, P*, Q*.
SAINSOT = (
    (-5.574e-5, -1.9986e-3, -2.3015e-4, 4.7702e-3, 0.0271, 6.8045),
    (60.111e-5, 28.100e-3, -83.431e-4, -9.9256e-3, 0.1624, 0.9086),
    (-50.952e-5, 185.50e-3, 0.0538e-4, 53.300e-3, 0.2895, 0.9236),
    (-6.2042e-5, 9.0889e-3, -4.0964e-4, 7.8297e-3, -0.1472, 0.6904),
)


def gear(bore: float, z: int = 50, m_n: float = 3e-3) -> ag.Gear:
    return ag.Gear(z=z, m_n=m_n, b=20e-3, bore_diameter=bore)


@pytest.mark.parametrize("over_bore", [1.8, 2.4, 4.0])
@pytest.mark.parametrize("z", [25, 50])
def test_the_body_gives_way_as_the_ring_of_sainsot(z: int, over_bore: float) -> None:
    one = gear(20e-3, z)
    body = body_compliance(one, STEEL, one.d_f / over_bore)
    half = critical_section(one)[1]
    theta, h, alpha = half / one.r_f, over_bore, one.alpha_t
    L, M, P, Q = (np.dot(c, [theta**-2, h**2, h / theta, 1.0 / theta, h, 1.0]) for c in SAINSOT)
    lever = (one.r_b / math.cos(alpha) - one.r_f) / (2.0 * half)
    ring = L * lever**2 + M * lever + P * (1.0 + Q * math.tan(alpha) ** 2)
    expected = math.cos(alpha) ** 2 / (STEEL.E * one.b) * ring
    assert body.rim + body.foot == pytest.approx(expected, rel=0.05)  # a fit of theirs


def test_a_rim_about_a_small_bore_turns_as_a_disc_that_twists() -> None:
    one, bore = gear(20e-3), 0.2e-3
    shear = STEEL.E / 2.0 / (1.0 + STEEL.nu)
    turned = quad(lambda r: 1.0 / (2.0 * math.pi * r**3 * one.b * shear), 0.5 * bore, one.r_f, limit=200)[0]
    assert body_compliance(one, STEEL, bore).rim == pytest.approx(turned * one.r_b**2, rel=1e-4)  # it shifts, too


def test_size_and_modulus_change_nothing_but_the_unit() -> None:
    one, large = gear(60e-3), ag.Gear(z=50, m_n=150e-3, b=1.0, bore_diameter=3.0)
    soft = replace(STEEL, E=3e9)
    per_width = STEEL.E / soft.E * one.b / large.b
    here, there = (body_compliance(g, m, g.d_rim) for g, m in ((one, STEEL), (large, soft)))
    assert there.rim == pytest.approx(here.rim * per_width, rel=1e-12)
    assert there.foot == pytest.approx(here.foot * per_width, rel=1e-12)


def test_finite_elements_on_two_bores_have_one_stiffness_on_full_discs() -> None:
    """What the ring says the bores do, taken away, leaves the teeth: they are the same."""
    found, on_discs = [], []
    for share in (0.5, 0.8):
        pinion, wheel = (ag.Gear(z=z, m_n=4e-3, x=x, b=30e-3, bore_diameter=share * 4e-3 * (z + 2.0 * x - 2.5))
                         for z, x in ((20, 0.2), (30, -0.2)))  # fmt: skip
        grid = ag.GridOptions(
            flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4
        )
        case = ag.Case(
            pair=ag.GearPair(pinion=pinion, wheel=wheel),
            operation=ag.Operation(pinion_torque=400.0),
            analysis=ag.StaticAnalysis(positions_per_pitch=8, grid_estimate=False),
            grid_options=(grid, grid),
        )
        summary = ag.run(case).summary
        beside = beside_iso(case, stiffness=1e6 * summary["mesh_stiffness_mean_N_per_um"])
        for key, value in beside.summary().items():
            assert summary[key] == pytest.approx(value, rel=1e-12)
        assert beside.stiffness is not None
        found.append(beside.stiffness)
        on_discs.append(1.0 / (1.0 / beside.stiffness - beside.added))
        told = [warning for warning in summary["warnings"] if warning.startswith("mesh stiffness")]
        assert told == beside.warnings()
    assert found[1] > 1.25 * found[0]
    assert on_discs[1] == pytest.approx(on_discs[0], rel=0.04)  # a ring in plane stress for a gear with other teeth


@pytest.mark.parametrize(
    ("bore", "computed", "words"),
    [
        (
            60e-3,
            351.8e6,
            "0.706 of that on full discs that do not turn and 0.784 of that of ISO 6336-1: rims that turn and shift",
        ),
        (
            125e-3,
            560.2e6,
            "1.1 of that on full discs that do not turn and 1.25 of that of ISO 6336-1: rigid bores close under",
        ),
        (115e-3, 448.7e6, None),
    ],
)
def test_computed_stiffness_that_the_bores_decide_is_told(bore: float, computed: float, words: str | None) -> None:
    pair = ag.GearPair(pinion=gear(bore), wheel=gear(bore))
    beside = StiffnessBesideIso(pair=pair, materials=(STEEL, STEEL), bores=(bore, bore), computed=computed)
    told = beside.warnings()
    assert len(told) == (words is not None)
    assert words is None or f"mesh stiffness = {words}" in told[0]


def test_segments_and_rigid_bodies_have_no_share() -> None:
    case = case_of(static_text())
    assert set(beside_iso(case).summary()["body_deflection_share"]) == {"pinion", "wheel"}
    segment = replace(case, teeth_modelled=(5, 5))
    assert "body_deflection_share" not in beside_iso(segment).summary()
    assert beside_iso(segment).warnings() == []
