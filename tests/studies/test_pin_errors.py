"""Pins of planets ahead of their places, of sets on Hertz teeth: how loads are shared, how far, what is told of it."""

from __future__ import annotations

from math import cos, exp, log, pi, sin

import numpy as np
import pytest

import alegear as ag
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.rotational.pins import Pins
from alegear.errors import Fault, NonConvergence
from alegear.geometry.planetary_teeth import PlanetaryTeeth

MODULE, WIDTH, ALLOWANCE, TORQUE = 2e-3, 30e-3, 30e-6, 100.0
#: Sun, planet and ring by the number of planets.
TEETH = {3: (21, 39, 99), 4: (24, 36, 96), 5: (35, 25, 85)}
PINS = Pins(stiffness=(1e8, 1e8, 1e8, 1e6, 1e6))
QUIET = ag.OutputOptions(plots=False, fields=False)


def machine(n, errors, *, floating=False, pins=PINS, allowance=ALLOWANCE) -> ag.Machine:
    """A motor on the sun, which floats or not, the carrier under the load."""
    sun, planet, ring = TEETH[n]
    teeth = PlanetaryTeeth(sun=sun, ring=ring, planets=(planet,), n_planets=n, m_n=MODULE)
    own = {"m_n": MODULE, "b": WIDTH, "thickness_allowance": allowance}
    gears = {
        "sun": ag.Gear(z=sun, bore_diameter=20e-3, **own),
        "planet": ag.Gear(z=planet, bore_diameter=25e-3, **own),
        "ring": ag.InternalGear(z=ring, rim_diameter=0.23, tip_alteration_factor=-0.1, **own),
    }
    meshes = {
        mesh: ag.PlanetPair(
            pair=ag.GearPair(pinion=gears[first], wheel=gears[second], a_w=teeth.pin_radii["planet"]),
            law=law_of("teeth", "planets", slices=1),
        )
        for mesh, (first, second) in {"sun": ("sun", "planet"), "ring": ("planet", "ring")}.items()
    }
    m, at = ag.Machine("set"), 50e-3 if floating else 0.0
    if floating:
        m.add("sun", ag.Shaft(sections=[(0.1, 0.03, 0.0)], rigid=True))
        m.add("axial", ag.Bearing(shaft="sun", at=at, stiffness=(0.0, 0.0, 1e7, 1e5, 1e5)))
    else:
        m.add("sun", ag.Shaft(fixed_axis=True))
    m.add("carrier", ag.Shaft(fixed_axis=True))
    m.add("motor", ag.Drive(shaft="sun", at=at, speed=100.0))
    m.add("out", ag.TorqueLoad(shaft="carrier", torque=TORQUE * (1.0 + ring / sun), inertia=0.5))
    m.add(
        "set",
        ag.PlanetaryGearSet(
            teeth=teeth,
            sun="sun@50mm" if floating else "sun",
            carrier="carrier",
            ring="ground",
            fidelity="teeth",
            torque=TORQUE,
            pins=pins,
            meshes=meshes,
            pin_errors=errors,
        ),
    )
    return m


def at_rest(*given, **named):
    return machine(*given, **named).static(positions_per_pitch=2, output=QUIET).dataset.isel(position=0)


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("floating", [False, True])
def test_loads_are_shared_as_equal_springs_do(n: int, floating: bool) -> None:
    """T/n + k P e: P = 1 - 1/n, -1/n of a held sun; of one that floats what 1, cos and sin of the pins leave of it."""
    changed = np.array(at_rest(n, (2e-6, *[0.0] * (n - 1)), floating=floating)["load_share"])[:n] - 1.0
    psi = 2.0 * pi * np.arange(n) / n
    taken = [np.ones(n)] + ([np.cos(psi), np.sin(psi)] if floating else [])
    basis = np.linalg.qr(np.array(taken).T)[0]
    first = np.eye(n)[0]
    expected = first - basis @ (basis.T @ first)
    if n == 3 and floating:  # it takes all of it
        # 2e-4: the sun goes after the pin by twice 2 um of a pitch radius of 21 mm
        np.testing.assert_allclose(changed, 0.0, atol=2e-4)
        return
    # 4e-3: teeth get stiffer by the load, a tenth of the 4 % by which shares differ; a sun that floats turns lines of
    # action by those 2e-4, a hundredth of what shares change
    atol = 1.2e-2 if floating else 4e-3
    np.testing.assert_allclose(changed / changed[0], expected / expected[0], atol=atol)
    assert changed[0] < 0.0  # ahead of what the sun presses on


@pytest.mark.parametrize("error", [-2e-6, -20e-6, 20e-6])
def test_paths_through_planets_fit_by_hand(error: float) -> None:
    """Held by rigid pins: indentations on the way through a planet differ by 2 e cos(alpha) from those of the others.

    Beyond the deflection under the load planets press with their back flanks, on the other side of the backlash.
    """
    found = at_rest(3, (error, 0.0, 0.0), pins=None, allowance=5e-6)
    names, forces = found["tooth_contact"].to_numpy(), found["tooth_force"].to_numpy()
    sun, planet, ring = TEETH[3]
    alpha, E, nu = np.radians(20.0), 210e9, 0.3
    lines = {"sun": 0.5 * MODULE * (sun + planet) * sin(alpha), "ring": 0.5 * MODULE * (ring - planet) * sin(alpha)}
    backlash = 2.0 * 5e-6 * cos(alpha)  # along the line of action

    def path(number: int) -> float:
        total = 0.0
        for mesh, line in lines.items():
            signs = found["planet_mesh_force"].sel(planet_mesh=f"set {mesh} planet {number}")
            own = [f for name, f in zip(names, forces, strict=True) if name.startswith(f"set {mesh} planet {number} ")]
            carries = [f for f in own if f > 0.0]
            s = 2.0 * (1.0 - nu**2) / E * max(carries) / WIDTH / pi
            total_of_mesh = s * log(exp(2.0 / 3.0) * line / s)
            loaded = float(signs) * (1.0 if mesh == "sun" else -1.0) > 0.0
            total += total_of_mesh if loaded else -total_of_mesh - backlash
        return total

    # 2e-3: pins move along their circle, and lines of action turn, by 20 um over 10 mm
    assert path(1) - path(2) == pytest.approx(-2.0 * error * cos(alpha), rel=2e-3)
    r_b = 0.5 * MODULE * sun * cos(alpha)
    pressed = [float(found["planet_mesh_force"].sel(planet_mesh=f"set sun planet {i}")) for i in (1, 2, 3)]
    assert sum(pressed) * r_b == pytest.approx(TORQUE, rel=2e-3)  # as above, edges
    assert (min(pressed) < 0.0) == (abs(error) > 10e-6)


@pytest.mark.thorough  # large errors: test_planets_on_pins
def test_errors_far_beyond_the_deflection_are_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    share = at_rest(3, (-1e-3, 0.0, 0.0))["load_share"].to_numpy()
    assert share[:3].sum() == pytest.approx(3.0, rel=1e-9)
    assert share[1] == pytest.approx(share[2], rel=1e-3)

    def refused(solve, why):
        raise why

    monkeypatch.setattr("alegear.studies.equilibria.error_continuation", refused)
    with pytest.raises(NonConvergence):
        at_rest(3, (-1e-3, 0.0, 0.0))


def test_errors_beyond_the_backlash_are_told_and_those_of_another_tooth_refused() -> None:
    """Two flanks of 30 um each have 60 um of backlash a mesh, and so do two meshes for each 2 e."""
    told = machine(3, (61e-6, 0.0, 0.0)).static(positions_per_pitch=2, output=QUIET).summary["warnings"]
    assert any("pin errors are 61 um apart, and the backlash of both meshes leaves 60 um" in one for one in told)
    assert machine(3, (59e-6, 0.0, 0.0)).case().parts[0].warnings == []
    assert machine(3, (70e-6, 70e-6, 70e-6)).case().parts[0].warnings == []  # the carrier is turned
    for error in (5e-3, -1.58e-3):
        with pytest.raises(
            Fault, match=r"pin error \[um\] of PlanetaryGearSet = .*: must be between -1570.8 and 1570.8"
        ):
            machine(3, (error, 0.0, 0.0)).case()
