"""Planetary sets whose teeth are in line contact: where all teeth are, what they carry, motions, what is refused."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians, remainder

import numpy as np
import pytest
from kept_motion import KeptMotion
from system_parts import Rotor, Torque

from alegear.contact.numbering import SPIN
from alegear.drivetrain.compiled_motion import is_compiled
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.planar import LinearSpring
from alegear.drivetrain.rotational.pins import Pins
from alegear.drivetrain.rotational.planet_meshes import PairTeeth
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.errors import Fault
from alegear.geometry import Gear, GearPair
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.kernels.elements import BY_ADDRESS
from alegear.recording.motion import MotionIntegration
from alegear.system import BearingLink, PiecewiseCubic, Rotor1D, SystemBuilder, SystemMotion, solve_equilibrium
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, NewtonParameters
from alegear.system.time_integration.stop_times import StopTimes

SUN, PLANET, RING, MODULE = 21, 39, 99, 10e-3
TORQUE = 2e4
PARAMETERS = NewtonParameters(tolerance=1e-8, max_iterations=50, max_halvings=12)


def gear_set(*, beta=0.0, torque=TORQUE, ring="ring", pins=None, slices=1, retardation=0.0, n=3, errors=None):
    """The first stage of a gearbox for 750 kW, its tips as they are cut."""
    given = {"m_n": MODULE, "b": 0.2, "thickness_allowance": 100e-6}
    sun = Gear(z=SUN, beta=beta, bore_diameter=0.05, **given)
    planet = Gear(z=PLANET, beta=-beta, bore_diameter=0.1, **given)
    # a shorter tooth keeps clear of the root of the planet
    wheel = InternalGear(z=RING, beta=-beta, rim_diameter=1.15, tip_alteration_factor=-0.1, **given)
    teeth = PlanetaryTeeth(sun=SUN, ring=RING, planets=(PLANET,), n_planets=n, m_n=MODULE, beta=beta)
    a_w, law = teeth.pin_radii["planet"], law_of("teeth", "mesh", slices=slices)
    pairs = {"sun": GearPair(pinion=sun, wheel=planet, a_w=a_w), "ring": GearPair(pinion=planet, wheel=wheel, a_w=a_w)}
    return PlanetaryGearSet(
        name="set",
        teeth=teeth,
        sun="sun",
        ring=ring,
        carrier="carrier",
        planet_inertia=2.0,
        planet_mass=150.0,
        fidelity="teeth",
        meshes={mesh: PlanetPair(pair=pair, law=law, retardation=retardation) for mesh, pair in pairs.items()},
        torque=torque,
        pins=pins,
        pin_errors=errors,
    )


@pytest.mark.parametrize("torque", [TORQUE, -TORQUE])
@pytest.mark.parametrize("beta", [0.0, radians(7.5)])
def test_every_gear_has_its_teeth_in_one_place(beta, torque):
    """A planet in both of its meshes, the sun and the ring in those of all planets, to whole pitches."""
    one = gear_set(beta=beta, torque=torque)
    sides = {"sun": np.sign(torque), "ring": -np.sign(torque)}  # a planet that is driven by the sun drives the ring
    centres: dict[str, list[float]] = {}
    for pin in range(3):
        for mesh, teeth in one.planet_teeth(pin):
            assert isinstance(teeth, PairTeeth)
            for g, gear in enumerate(teeth.pair.gears):
                pitch = 2.0 * pi / gear.z
                polar = teeth.pair.reference_angles(sides[mesh])[g] + SPIN[g] * teeth.turned * pitch
                centres.setdefault(teeth.gears[g], []).append((polar + 2.0 * pi * pin / 3.0) / pitch)
    assert {name: len(found) for name, found in centres.items()} == {
        "sun": 3, "ring": 3, **{f"set planet {i}": 2 for i in (1, 2, 3)}
    }  # fmt: skip
    for found in centres.values():
        for other in found[1:]:
            assert abs(remainder(other - found[0], 1.0)) < 1e-9  # of a pitch: round-off of angles


def statics(*, contact, floating, torque, beta=0.0, errors=None):
    pins = Pins(stiffness=(2e9, 2e9, 1e9, 1e8, 1e8)) if floating else None
    one = gear_set(torque=torque, ring="ground", pins=pins, beta=beta, errors=errors)
    builder = SystemBuilder()
    sun = {"mass": 100.0, "tilt_inertia": 1.0} if floating else {}
    builder.add(Rotor1D(name="carrier", inertia=10.0), Rotor(name="sun", inertia=1.0, **sun))
    builder.add(one.in_statics() if contact == "seated" else one.on_springs())
    if floating:
        builder.add(BearingLink(name="soft", place="sun", stiffness=(1e5, 1e5, 1e8, 1e7, 1e7)))
    builder.add(Torque(name="load", place="sun", profile=PiecewiseCubic.constant(torque)))
    return builder.build(moves=False), one


@pytest.mark.parametrize(("floating", "torque"), [(False, TORQUE), (False, -TORQUE), (True, TORQUE)])
def test_static_loads_are_shared_evenly(floating, torque):
    """T/(n r_b) in every mesh: by hand from the balance of sun and planets."""
    guess = None
    for contact in ("bonded", "seated"):
        model, one = statics(contact=contact, floating=floating, torque=torque)
        found = solve_equilibrium(model, held={model.index("carrier"): 0.0}, x=guess, parameters=PARAMETERS)
        guess = found.x
    loads = one.loads(model, found.x, np.zeros(model.n)).meshes
    force = torque / 3.0 / one.meshes["sun"].pair.pinion.r_b
    # 2e-4: teeth that touch at three phases of a pitch are not equally stiff, and the sun that floats gives way to it;
    # 1e-6: springs that seat flanks
    tolerance = 2e-3 if floating else 1e-6
    for i in (1, 2, 3):
        assert loads[f"set sun planet {i}"] == pytest.approx(force, rel=tolerance)
        assert loads[f"set ring planet {i}"] == pytest.approx(-force, rel=tolerance)
    assert sum(loads[f"set sun planet {i}"] for i in (1, 2, 3)) == pytest.approx(3.0 * force, rel=2e-5)


def loads_with(errors):
    """Rotation of the sun and its mesh forces, the carrier held at 0."""
    guess = None
    for contact in ("bonded", "seated"):
        model, one = statics(contact=contact, floating=False, torque=TORQUE, errors=errors)
        found = solve_equilibrium(model, held={model.index("carrier"): 0.0}, x=guess, parameters=PARAMETERS)
        guess = found.x
    loads = one.loads(model, found.x, np.zeros(model.n)).meshes
    return found.x[model.index("sun")], np.array([loads[f"set sun planet {i}"] for i in (1, 2, 3)])


def test_pins_that_stand_ahead():
    """All of them are a carrier that has turned on by e/a; one of them leaves its load to the others."""
    e, a_w = 4e-6, 0.5 * MODULE * (SUN + PLANET)
    (at_rest, even), (turned, same), (_, early), (_, late) = map(loads_with, (None, (e, e, e), (e, 0, 0), (-e, 0, 0)))
    # a second-order effect of e is e/a of a tooth's deflection: 1e-3 of what it moves, mesh positions change besides
    assert turned - at_rest == pytest.approx((1.0 + RING / SUN) * e / a_w, rel=5e-3)
    np.testing.assert_allclose(same, even, rtol=2e-2)
    # the sun pushes the planet counterclockwise: a pin that is ahead gives way
    assert early[0] < even[0] < late[0]
    assert early.sum() == pytest.approx(even.sum(), rel=1e-5)
    np.testing.assert_allclose(early[0] - even[0], even[0] - late[0], rtol=0.1)  # Hertz stiffens with the load
    np.testing.assert_allclose(early[1:] - even[1:], -0.5 * (early[0] - even[0]), rtol=0.1)  # the others evenly


def floating_machine():
    """Sun, ring and carrier on bearings, planets on pins, teeth that are damped."""
    one = gear_set(pins=Pins(stiffness=(2e9, 2e9, 1e9, 1e8, 1e8), damping=(2e4, 2e4, 1e4)), retardation=1e-5)
    builder = SystemBuilder()
    for name, mass, J in (("sun", 100.0, 1.0), ("ring", 800.0, 150.0), ("carrier", 600.0, 60.0)):
        builder.add(Rotor(name=name, mass=mass, inertia=J, tilt_inertia=0.6 * J))
        builder.add(BearingLink(name=f"{name} bearing", place=name, stiffness=(1e9, 1e9, 1e9, 1e8, 1e8)))
    builder.add(one)
    for place, torque in (("sun", TORQUE), ("ring", TORQUE * RING / SUN), ("carrier", -TORQUE * (1 + RING / SUN))):
        builder.add(Torque(name=f"{place} load", place=place, profile=PiecewiseCubic.constant(torque)))
    return builder.build(), one


@pytest.mark.skipif(not BY_ADDRESS, reason="kernels have no addresses here")
def test_compiled_motion_is_that_of_python():
    model, _ = floating_machine()
    assert is_compiled(model)
    ends, energies = [], []
    for compiled in (True, False):
        system = SystemMotion(model)
        newton = NewtonParameters(tolerance=1e-9, max_iterations=30)
        run = MotionIntegration(system, GeneralizedAlpha(rho_inf=0.8, newton=newton), FixedStep(h=5e-6))
        client, (x, v) = KeptMotion(run), model.start()
        for name, speed in (("sun", 10.0), ("ring", 0.0), ("carrier", 10.0 * SUN / (SUN + RING))):
            v[model.index(name)] = speed
        begin = system.begin(0.0, x, v)
        run.run(client, StopTimes.of(2e-4, 1e-4), lambda: begin, compiled=compiled)  # noqa: B023
        ends.append(client.q[-1])
        energies.append((run.energy.input, run.energy.stored, run.energy.kinetic, run.energy.missing))
    # round-off through forty steps: the carrier turns by milliradians, teeth are pressed by micrometres
    np.testing.assert_allclose(ends[0], ends[1], rtol=0.0, atol=1e-8 * np.abs(ends[1]).max())
    np.testing.assert_allclose(energies[0], energies[1], rtol=1e-7, atol=1e-9 * energies[1][2])
    assert energies[1][1] > 0.0


def test_what_is_refused():
    one = gear_set()
    sun, ring = (one.meshes[mesh] for mesh in ("sun", "ring"))
    with pytest.raises(Fault, match="torque"):
        replace(one, torque=0.0)
    with pytest.raises(Fault, match="torque"):
        replace(one, torque=None)
    with pytest.raises(Fault, match="law between planets"):
        replace(sun, law=law_of("rigid", "mesh"))
    with pytest.raises(Fault, match="teeth of pair sun"):
        replace(one, meshes={"sun": ring, "ring": ring})
    with pytest.raises(Fault, match="mesh ring of set"):
        replace(one, meshes={"sun": sun})
    with pytest.raises(Fault, match="mesh sun of set"):
        replace(one, meshes={"sun": PlanetMesh(spring=LinearSpring(c=1e9)), "ring": ring})
    with pytest.raises(Fault, match="number of pin_errors"):
        replace(one, pin_errors=(1e-6, 0.0))
    other = GearPair(pinion=replace(ring.pair.pinion, x=0.02), wheel=replace(ring.pair.wheel, x=-0.02), a_w=0.3)
    with pytest.raises(Fault, match="x of the planets"):
        replace(one, meshes={"sun": sun, "ring": replace(ring, pair=other)})
