"""What pictures need of planetary sets, against closed forms of pitch circles."""

from __future__ import annotations

import json

import numpy as np
import pytest

from alegear.drivetrain.layout import Layout
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.shaft import Shaft
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.results.planetary_shape import planetary_shapes
from alegear.system.bodies import Rotor1D

M_N = 2e-3


def shapes_of(teeth: PlanetaryTeeth, *, carrier: str = "carrier", shafts: tuple[Shaft, ...] = (), **places: str):
    bodies = [Rotor1D(name=name, inertia=1.0) for name in (*places.values(), carrier) if "@" not in name]
    bodies = [one for one in bodies if one.name != "ground"]
    part = PlanetaryGearSet(name="set", teeth=teeth, carrier=carrier, **places)
    layout = Layout(shafts=shafts, gears=(), meshes=(), parts=(*bodies, part))
    return planetary_shapes(layout)


def test_a_simple_set_with_rigid_teeth() -> None:
    """Pitch radii z m/2 on a centre distance of (z_s + z_p) m/2; planets turn as one body."""
    (one,) = shapes_of(
        PlanetaryTeeth(sun=21, ring=99, planets=(39,), n_planets=3, m_n=M_N), sun="sun", ring="ground"
    ).values()
    assert json.loads(json.dumps(one)) == one
    radii = {name: (gear["on"], gear["pitch_radius"], gear["teeth"]) for name, gear in one["gears"].items()}
    assert radii["set sun"] == ("sun", pytest.approx(21e-3, rel=1e-12), 21)
    assert radii["set ring"] == ("ground", pytest.approx(99e-3, rel=1e-12), -99)
    for number, planet in enumerate(("set planet 1", "set planet 2", "set planet 3")):
        own = one["planets"][planet]
        assert own["on"] == "set planet"
        assert own["pin_radius"] == pytest.approx(60e-3, rel=1e-12)
        assert own["pin_angle"] == pytest.approx(2.0 * np.pi * number / 3.0, abs=1e-12)
        (wheel,) = own["wheels"].values()
        assert (wheel["pitch_radius"], wheel["teeth"]) == (pytest.approx(39e-3, rel=1e-12), 39)
        assert (wheel["tip_radius"], wheel["rim_radius"]) == (None, None)  # tooth numbers and a module tell none
    assert one["meshes"]["set sun planet 2"]["inner"] == 0
    assert one["meshes"]["set ring planet 2"]["inner"] == 1
    assert one["meshes"]["set ring planet 2"]["gears"] == ["set ring", "set planet 2"]
    assert one["meshes"]["set sun planet 2"]["alpha_wt"] == pytest.approx(np.radians(20.0), rel=1e-12)


def test_stepped_planets_have_two_wheels() -> None:
    """Both circles of a planet touch those of their central gears at the pins' distance."""
    steps = {"m_n": M_N, "second_m_n": M_N * (20 + 30) / (72 - 18)}
    teeth = PlanetaryTeeth(sun=20, ring=72, planets=(30, 18), stepped=True, n_planets=4, **steps)
    (one,) = shapes_of(teeth, sun="sun", ring="ground").values()
    (first, second) = one["planets"]["set planet 1"]["wheels"].values()
    pins = one["planets"]["set planet 1"]["pin_radius"]
    assert (first["teeth"], second["teeth"]) == (30, 18)
    assert one["gears"]["set sun"]["pitch_radius"] + first["pitch_radius"] == pytest.approx(pins, rel=1e-12)
    assert one["gears"]["set ring"]["pitch_radius"] - second["pitch_radius"] == pytest.approx(pins, rel=1e-12)


def test_planets_that_mesh() -> None:
    teeth = PlanetaryTeeth(sun=30, ring=78, planets=(18, 20), n_planets=3, m_n=M_N)
    (one,) = shapes_of(teeth, sun="sun", ring="ring").values()
    assert len(one["planets"]) == 6
    assert all(len(planet["wheels"]) == 1 for planet in one["planets"].values())
    for mesh in one["meshes"].values():
        gear, planet = mesh["gears"]
        (wheel,) = one["planets"][planet]["wheels"].values()
        sign = 1.0 if one["gears"][gear]["teeth"] > 0 else -1.0
        distance = sign * wheel["pitch_radius"] + one["gears"][gear]["pitch_radius"]
        assert distance == pytest.approx(one["planets"][planet]["pin_radius"], rel=1e-9)


def test_a_centre_distance_without_tip_diameters() -> None:
    """Shares of both gears in the profile shifts are not known, their pitch circles are."""
    teeth = PlanetaryTeeth(sun=21, ring=99, planets=(38,), n_planets=3, m_n=M_N, a_w=(60e-3,))
    (one,) = shapes_of(teeth, sun="sun", ring="ground").values()
    assert one["gears"]["set sun"]["pitch_radius"] == pytest.approx(60e-3 * 21 / 59, rel=1e-12)


def test_tooth_numbers_alone_have_no_circles() -> None:
    assert shapes_of(PlanetaryTeeth(sun=21, ring=99, planets=(39,), n_planets=3), sun="sun", ring="ground") == {}
