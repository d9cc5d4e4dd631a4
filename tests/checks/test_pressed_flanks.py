"""Flanks that press though no torque loads them: planets that wedge, teeth squeezed between both flanks."""

from __future__ import annotations

import re
from math import cos, radians

import numpy as np
import pytest

import alegear as ag
from alegear.checks.pressed_flanks import rounded_up
from alegear.drivetrain.planar import LinearSpring
from alegear.pictures.of_results.machine import _of_planets

QUIET = ag.OutputOptions(plots=False, fields=False)
WEDGE = re.compile(r"backlash_um = (\S+) or more in sun_mesh and ring_mesh")


def rest(backlash: float, error: float, *, floats: bool) -> ag.Result:
    """24/31/87 of a module of 2 mm under 100 N m on the sun, its first pin ahead; the sun turns only, or floats."""
    teeth = ag.PlanetaryTeeth(
        sun=24,
        planets=(31,),
        ring=87,
        n_planets=3,
        m_n=2e-3,
        a_w=(55.5e-3,),
        tip_diameters={"sun": 53e-3, "planet": 66e-3, "ring": 170e-3},
    )
    m = ag.Machine("wedge")
    if floats:
        m.add("sun", ag.Shaft(rigid=True))
        m.add("body", ag.Disk(shaft="sun", mass=1.0, inertia=1e-3, tilt_inertia=1e-3))
        m.add("axial", ag.Bearing(shaft="sun", at=0.0, stiffness=(0.0, 0.0, 1e8, 1e6, 1e6)))
    else:
        m.add("sun", ag.Rotor1D(inertia=1e-3))
    m.add("carrier", ag.Rotor1D(inertia=1e-2))
    mesh = {name: ag.PlanetMesh(spring=LinearSpring(c=4e8, backlash=backlash)) for name in ("sun", "ring")}
    m.add(
        "set",
        ag.PlanetaryGearSet(
            teeth=teeth,
            sun="sun",
            ring="ground",
            carrier="carrier",
            planet_inertia=1e-4,
            fidelity="elastic",
            meshes=mesh,
            pin_errors=(error, 0.0, 0.0),
        ),
    )
    m.add("motor", ag.Drive(shaft="sun", speed=10.0))
    m.add("brake", ag.TorqueLoad(shaft="carrier", torque=462.5))
    return m.static(positions_per_pitch=1, output=QUIET)


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("error", [20e-6, -20e-6, 60e-6])
def test_planets_that_wedge_are_told_with_a_remedy_that_works(error: float, floats: bool) -> None:
    """By hand: a sun that floats shares its torque alike; else the planet ahead by more than the deflection is free."""
    told = [text for text in rest(0.0, error, floats=floats).summary["warnings"] if "back flanks" in text]
    assert len(told) == 1
    found = WEDGE.search(told[0])
    assert found, told
    result = rest(1e-6 * float(found[1]), error, floats=floats)
    assert not [text for text in result.summary["warnings"] if "flanks" in text]
    sun = [f"set sun planet {i}" for i in (1, 2, 3)]
    data = result.dataset.isel(position=0).sel(planet_mesh=sun)
    F = 100.0 / (24e-3 * cos(radians(20.0)))  # of all planets, at the base circle
    assert float(data.planet_back_force.max()) < 1e-6 * F
    expected = np.full(3, F / 3.0) if floats else np.array([0.0, F, F]) / 2.0
    if error < 0.0 and not floats:
        expected = np.array([F, 0.0, 0.0])  # the planet behind is the one that carries
    # a floating sun goes after the errors, and its lines of action turn
    np.testing.assert_allclose(data.planet_mesh_force, expected, rtol=0.0, atol=5e-3 * F if floats else 1e-6 * F)


def test_pictures_draw_forces_of_back_flanks_negative() -> None:
    """The planet that lags takes the force of its back flanks from the sum, as its share has it."""
    result = rest(0.0, 20e-6, floats=False)
    drawn = {title: dict(curves) for title, curves in _of_planets(result.dataset)}
    force = {name.partition(",")[0]: float(values[0]) for name, values in drawn["planets' mesh\nforce [kN]"].items()}
    share = {name: float(values[0]) for name, values in drawn["load share\nof planets"].items()}
    assert force["set sun planet 1"] < 0.0 < force["set sun planet 2"]
    for name, value in force.items():
        mean = np.mean([force[other] for other in force if other[:-1] == name[:-1]])
        assert value / mean == pytest.approx(share[name], rel=1e-9)


@pytest.mark.parametrize("law", ["elastic", "teeth"])
def test_teeth_that_a_weight_squeezes_are_told_with_a_remedy(law: str) -> None:
    """A wheel of twice the weight goes 0.1 mm towards its pinion, whose bearings are as soft."""

    def run(allowance: float) -> list[str]:
        m = ag.Machine("squeezed", gravity=(-1e4, 0.0, 0.0))
        for name, at in (("in", 0.0), ("out", 0.1)):
            m.add(name, ag.Shaft(rigid=True, position=(at, 0.0, 0.0)))
            m.add(f"{name} bearing", ag.Bearing(shaft=name, at=0.0, stiffness=(1.3e8, 1.3e8, 1e8, 1e7, 1e7)))
        for name, shaft, z in (("p", "in", 20), ("w", "out", 30)):
            gear = ag.Gear(z=z, m_n=4e-3, b=30e-3, bore_diameter=20e-3, thickness_allowance=allowance)
            m.add(name, ag.ShaftGear(gear=gear, shaft=shaft, at=0.0))
        m.mesh("mesh", "p", "w", fidelity=law)
        m.add("motor", ag.Drive(shaft="in", speed=100.0))
        m.add("brake", ag.TorqueLoad(shaft="out", torque=300.0))
        warnings = m.static(positions_per_pitch=1, output=QUIET).summary["warnings"]
        return [text for text in warnings if "squeezed" in text]

    (told,) = run(0.0)
    more = re.search(r" by (\S+), or the distance", told)
    assert more, told
    key = "backlash_um" if law == "elastic" else "tooth_thickness_allowance_um"
    assert f"raise {key}" in told
    assert run(1e-6 * float(more[1])) == []


@pytest.mark.parametrize("value", [0.0, 1e-3, 0.101, 9.95, 10.0, 12.01, 99.1, 4567.0])
def test_rounding_up_goes_to_two_digits(value: float) -> None:
    up = rounded_up(value)
    assert value <= up <= 1.1 * value
    assert float(f"{up:.2g}") == up
