"""Strengths beside what a study found: hand values of safeties, which strength warns of what, and what is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_cases import case_of, static_text

import alegear as ag
from alegear.case.analysis import MachineStatic
from alegear.checks.design_warnings import unknown_strengths
from alegear.checks.gear_data import case_warnings
from alegear.checks.strength import Strength
from alegear.fe.material import Material
from alegear.results.root_fillet import RootFillet

STEEL = Material()
POM = Material(E=3e9, nu=0.35, rho=1410.0)
CAST = {"E": 170e9, "rho": 7200.0}  # neither modulus nor density of steel


def fillet(high: float, low: float) -> RootFillet:
    """A root at whose worst point the stress goes from low to high [Pa], and at another one over half of that."""
    highest, lowest = (np.full((2, 2, 2, 1), end) for end in (high, low))
    highest[:, :, 1], lowest[:, :, 1] = 0.5 * high, 0.5 * low
    place = np.zeros((2, 2))
    return RootFillet(
        arc_length=place, tangent=place, face_position=np.zeros((2, 1)),
        highest=highest, lowest=lowest,
    )  # fmt: skip


def strength(material: Material, high: float = 400e6, low: float = 0.0, **given) -> Strength:
    case = case_of(static_text())
    common = {"pressure": 1000e6, "root_stress": np.full((2, 2), 420e6), "torque": case.operation.pinion_torque}
    return Strength(pair=case.pair, materials=(material, material), **{**common, "fillet": fillet(high, low), **given})


@pytest.mark.parametrize(
    ("high", "low", "M", "safety"),
    [
        (400e6, 0.0, 0.4, 2.0),  # pulsating, as the endurance is
        (400e6, -400e6, 0.4, 0.7 * 2.0),  # reversed: 0.7 of it, as ISO 6336-5 has for idlers
        (400e6, -400e6, 0.0, 0.5 * 2.0),  # no mean stress is allowed for: the range counts
        (400e6, -100e6, 0.25, 2.0 / (1.0 + 0.25 * 0.75 / 1.25)),  # Y_M = 1/(1 - R (1 - M)/(1 + M)), R = -1/4
    ],
)
def test_root_safety_is_on_a_line_in_haighs_diagram(high: float, low: float, M: float, safety: float) -> None:
    found = strength(Material(root_endurance=800e6, mean_stress_sensitivity=M), high, low)
    assert found.root_safety == pytest.approx([safety, safety], rel=1e-12)


def test_mean_stress_sensitivity_is_that_of_steel_for_steel_only() -> None:
    reversed_bending = {"high": 400e6, "low": -400e6}
    assert strength(Material(root_endurance=800e6), **reversed_bending).root_safety == pytest.approx([1.4, 1.4])
    other = Material(root_endurance=800e6, **CAST)
    assert strength(other, **reversed_bending).root_safety == pytest.approx([1.0, 1.0])


def test_roots_of_idlers_are_pressed_by_their_other_mesh() -> None:
    one = strength(Material(root_endurance=800e6), other_mesh=(0.0, -400e6))
    assert one.root_safety == pytest.approx([2.0, 1.4])


def test_safeties_are_told_only_where_a_material_gives_them() -> None:
    assert strength(STEEL).summary() == {}
    found = strength(Material(contact_endurance=1500e6)).summary()
    assert found == {"contact_safety": {"pinion": pytest.approx(1.5), "wheel": pytest.approx(1.5)}}
    without_cycle = strength(Material(root_endurance=800e6), fillet=None).summary()
    assert without_cycle == {"root_safety": {"pinion": None, "wheel": None}}


@pytest.mark.parametrize(
    ("material", "given", "words"),
    [
        (Material(yield_strength=419e6), {}, "root stress of the pinion = 420 MPa by von Mises: more than yield"),
        (Material(root_strength=419e6), {}, "that the material (root_strength_MPa) bears once"),
        (Material(root_endurance=399e6), {}, "root safety of the pinion = 0.998: below 1"),
        (Material(contact_endurance=999e6), {}, "contact safety of the pinion = 0.999: below 1"),
        (Material(contact_strength=999e6), {}, "contact_pressure_max_MPa = 1000: more than the 999 MPa that the"),
        (STEEL, {"root_stress": np.full((2, 2), 2501e6)}, "more than the 2500 MPa that case-hardened steel bears once"),
        (STEEL, {"pressure": 2401e6}, "more than the 2400 MPa that case-hardened steel bears once"),
    ],
)  # fmt: skip
def test_what_is_exceeded_is_told_by_name(material: Material, given: dict, words: str) -> None:
    assert any(words in one for one in strength(material, **given).warnings()), strength(material, **given).warnings()


def test_nothing_is_told_below_the_strengths() -> None:
    """Steel by its default is compared with what case-hardened steel bears; its 300 MPa hold for rotating gears."""
    enough = {"yield_strength": 421e6, "root_endurance": 401e6, "contact_endurance": 1001e6}
    for material in (STEEL, POM, Material(**enough), Material(**enough, **CAST)):
        assert strength(material).warnings() == []


def test_what_is_not_known_is_told_once() -> None:
    assert unknown_strengths({"the pinion": STEEL, "the wheel": Material(yield_strength=60e6, E=3e9)}) == []
    (told,) = unknown_strengths({"the pinion": POM, "the wheel": POM})
    assert told.startswith("strengths of the pinion, the wheel = none given")
    case = replace(case_of(static_text()), materials=(STEEL, POM))
    assert [one for one in case_warnings(case) if "compared with nothing" in one] == [
        unknown_strengths({"the wheel": POM})[0]
    ]


@pytest.mark.slow
def test_a_pair_and_a_machine_tell_the_same() -> None:
    """Of the result itself: safeties by hand from its range and mean, its pressure, and the same words in a machine."""
    table = "[material]\nroot_endurance_MPa = 900.0\ncontact_endurance_MPa = 400.0\nyield_strength_MPa = 50.0\n"
    case = case_of(static_text(torque=201.0) + table)
    pair = ag.run(case).summary
    for gear in ("pinion", "wheel"):
        amplitude, mean = (pair[f"root_stress_{one}_MPa"][gear]["tension"] for one in ("amplitude", "mean"))
        assert pair["root_safety"][gear] == pytest.approx(0.7 * 900.0 / (amplitude + 0.4 * mean), rel=0.02)
        assert pair["contact_safety"][gear] == pytest.approx(400.0 / pair["contact_pressure_max_MPa"], rel=1e-12)
    m = ag.Machine("pair")
    m.add("in", ag.Shaft(fixed_axis=True))
    m.add("out", ag.Shaft(fixed_axis=True, position=(case.pair.a_w, 0.0, 0.0)))
    for name, shaft, number in (("p", "in", 0), ("w", "out", 1)):
        options, material = case.grid_options[number], case.materials[number]
        m.add(
            name,
            ag.ShaftGear(gear=case.pair.gears[number], shaft=shaft, at=0.0, grid_options=options, material=material),
        )
    m.mesh("m", "p", "w")
    m.add("motor", ag.Drive(shaft="in", speed=1.0, torque=201.0))
    m.add("out load", ag.TorqueLoad(shaft="out", balances_drive=True))
    machine = ag.run(m.case(MachineStatic(positions_per_pitch=8))).summary
    own = machine["meshes"]["m"]
    for key in ("root_safety", "contact_safety"):
        assert own[key] == pytest.approx(pair[key], rel=1e-6)
    in_words = {"the pinion": "gear p", "the wheel": "gear w"}
    for warning in pair["warnings"]:
        for pinion, gear in in_words.items():
            warning = warning.replace(pinion, gear)
        assert f"mesh m: {warning}" in machine["warnings"]
