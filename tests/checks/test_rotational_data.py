"""Ratios and degrees of freedom of torsional machines, before anything is computed."""

from __future__ import annotations

import json

import pytest
from small_rotational import gear_shift

import alegear as ag
from alegear.checks.rigid_data import rotational_data

MOTION = ag.RotationalMotion(duration=1.0)


def test_gear_shift() -> None:
    """Open: engine and ring turn as they like, and the load follows both. Closed: a block that is held."""
    data = rotational_data(gear_shift().case(MOTION))
    assert data["degrees_of_freedom"] == {"open": 2, "closed": 0}
    assert {name: one["turns_with"] for name, one in data["bodies"].items()} == dict.fromkeys(
        ("engine", "ring", "load")
    )
    assert data["bodies"]["load"]["inertia_kg_m2"] == 10.0
    assert data["parts"]["clutch"] == {
        "kind": "clutch",
        "places": {"A": "engine", "B": "ring"},
        "normal_force_N": 100.0,
        "effective_radius_m": 2.0,
        "static_to_kinetic_ratio": 1.0,
    }
    assert data["parts"]["brake"]["places"] == {"at": "ring", "to": "ground"}


def test_ratios_go_through_chains_of_gears() -> None:
    m = ag.Machine()
    for name in "abcd":
        m.add(name, ag.Rotor1D(inertia=1.0))
    m.add("first", ag.RatioGear(between=("a", "b"), ratio=-2.0))
    m.add("second", ag.RatioGear(between=("b", "c"), ratio=4.0, losses=0.9))
    data = rotational_data(m.case(MOTION))
    bodies = data["bodies"]
    assert [bodies[name]["turns_with"] for name in "abcd"] == [None, "a", "a", None]
    assert [bodies[name]["ratio"] for name in "bc"] == pytest.approx([-0.5, -0.125], rel=1e-14)  # a division each
    assert data["degrees_of_freedom"] == {"open": 2, "closed": 2}
    assert data["parts"]["second"]["mesh_efficiency"] == [0.9, 0.9]


def test_what_is_led_is_not_free_and_has_its_speed() -> None:
    m = ag.Machine()
    m.add("a", ag.Rotor1D(inertia=1.0))
    m.add("b", ag.Rotor1D(inertia=1.0))
    m.add("gear", ag.RatioGear(between=("a", "b"), ratio=2.0))
    m.add("drive", ag.SpeedSource(at="a", speed=10.0))
    data = rotational_data(m.case(MOTION))
    assert data["degrees_of_freedom"]["open"] == 0
    assert data["bodies"]["b"]["ratio"] == pytest.approx(0.5, rel=1e-14)  # a division
    rpm = 10.0 * 30.0 / 3.141592653589793
    assert [data["bodies"][name]["speed_rpm"] for name in "ab"] == pytest.approx([rpm, 0.5 * rpm], rel=1e-14)


def test_a_part_from_python_alone_has_a_kind() -> None:
    m = gear_shift()
    m.add("f", ag.TorqueFunction(at=("load",), function=lambda t, x, v: -v))
    assert {"clutch", "rotor", "torque_function"} <= {part.type_name for part in m.case(MOTION).parts}
    assert json.dumps(rotational_data(m.case(MOTION)), allow_nan=False)
