"""Springs of a planetary set that change over the mesh position: where each begins, and what it does."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians, remainder

import numpy as np
import pytest
from system_parts import Torque

from alegear.drivetrain.displaced_mesh import DisplacedMesh
from alegear.drivetrain.gear_mesh import GearMesh, MeshPlace
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.planar import LinearSpring
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import CoulombFriction
from alegear.drivetrain.rotational.elastic_mesh import MeshElement
from alegear.drivetrain.rotational.pins import Pins
from alegear.drivetrain.rotational.planet_meshes import PairTeeth
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import PlanetMesh, mesh_averages
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.errors import Fault
from alegear.geometry import Gear, GearPair
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.system import PiecewiseCubic, Rotor1D, SystemBuilder, solve_equilibrium
from alegear.system.model import evaluate
from alegear.system.rotating_frame import RotatingSubsystem
from alegear.system.time_integration.newton import NewtonParameters

SUN, PLANET, RING, MODULE = 21, 38, 97, 10e-3
#: Of the planets; sun and ring have what makes up for it at the distance without profile shift.
SHIFT = 0.23
VALUES = (1.0, 1.3, 1.1, 0.7, 0.8)
#: Pins at possible positions, not equally spaced: multiples of 1/(21 + 97) of a turn.
UNEQUAL = tuple(2.0 * pi * k / (SUN + RING) for k in (0, 37, 80))
C = 1e9
PARAMETERS = NewtonParameters(tolerance=1e-9, max_iterations=50, max_halvings=12)


def teeth_of(**given) -> PlanetaryTeeth:
    own = {"sun": SUN, "ring": RING, "planets": (PLANET,), "n_planets": 2, "m_n": MODULE, **given}
    return PlanetaryTeeth(**{"tip_diameters": TIPS, **own})


TIPS = {
    "sun": MODULE * (SUN + 2 - 2 * SHIFT),
    "planet": MODULE * (PLANET + 2 + 2 * SHIFT),
    "ring": MODULE * (RING - 1.4 + 2 * SHIFT),
}


def springs(teeth: PlanetaryTeeth, values=VALUES, friction=False) -> dict[str, PlanetMesh]:
    """Of both meshes, with factors that begin at the pitch point."""
    found = {}
    for mesh in teeth.meshes:
        averages = mesh_averages(teeth, mesh)
        pitch = 2.0 * pi * averages.r_A / teeth.gears_of(mesh)[1][0]
        factor = None if values is None else PeriodicFactor(period=pitch, values=values)
        rubs = CoulombFriction(mu_sliding=0.05, factor=factor) if friction else None
        found[mesh] = PlanetMesh(spring=LinearSpring(c=C, factor=factor), friction=rubs)
    return found


def elastic(teeth: PlanetaryTeeth, *, torque=None, pins=None, **given) -> PlanetaryGearSet:
    return PlanetaryGearSet(
        name="set",
        teeth=teeth,
        sun="sun",
        ring="ring",
        carrier="carrier",
        planet_inertia=1.0,
        planet_mass=100.0,
        fidelity="elastic",
        torque=torque,
        pins=pins,
        **{"meshes": springs(teeth), **given},
    )


def on_teeth(teeth: PlanetaryTeeth, torque: float) -> PlanetaryGearSet:
    """The same set of gears in line contact."""
    beta, common = teeth.beta, {"m_n": MODULE, "b": 0.1}
    sun = Gear(z=SUN, x=-SHIFT, beta=beta, bore_diameter=0.05, **common)
    planet = Gear(z=PLANET, x=SHIFT, beta=-beta, bore_diameter=0.1, **common)
    ring = InternalGear(z=RING, x=-SHIFT, beta=-beta, rim_diameter=1.15, tip_alteration_factor=-0.3, **common)
    a_w, law = teeth.pin_radii["planet"], law_of("teeth", "mesh", slices=1)
    pairs = {"sun": GearPair(pinion=sun, wheel=planet, a_w=a_w), "ring": GearPair(pinion=planet, wheel=ring, a_w=a_w)}
    return PlanetaryGearSet(
        name="set",
        teeth=replace(teeth, profile_shifts=None, tip_diameters=None),
        sun="sun",
        ring="ring",
        carrier="carrier",
        planet_inertia=1.0,
        planet_mass=100.0,
        fidelity="teeth",
        meshes={mesh: PlanetPair(pair=pair, law=law) for mesh, pair in pairs.items()},
        torque=torque,
    )


@pytest.mark.parametrize("torque", [1e4, -1e4])
@pytest.mark.parametrize("beta", [0.0, radians(9.0)])
@pytest.mark.parametrize("angles", [None, UNEQUAL])
def test_springs_begin_where_teeth_in_contact_do(torque, beta, angles):
    """By gears with their profiles, and by tooth numbers, shift and pins alone: the same to whole pitches."""
    where = {"n_planets": 2} if angles is None else {"n_planets": 3, "pin_angles": angles}
    tips = {name: d + (SUN if name == "sun" else PLANET if name == "planet" else RING) * MODULE * (1 / np.cos(beta) - 1)
            for name, d in TIPS.items()}  # fmt: skip
    teeth = teeth_of(beta=beta, profile_shifts={"planet": SHIFT}, tip_diameters=tips, **where)
    made = {mesh.name: mesh for mesh in elastic(teeth, torque=torque).elastic_meshes()}
    gears = on_teeth(teeth, torque)
    turned = [one for pin in range(teeth.n_planets) for _, one in gears.planet_teeth(pin)]
    assert len(turned) == len(made) == 2 * teeth.n_planets
    found = []
    for one in turned:
        assert isinstance(one, PairTeeth)
        factor = made[one.name].spring.factor
        found.append(-factor.start / factor.period)
        assert remainder(found[-1] - one.turned, 1.0) == pytest.approx(0.0, abs=1e-12)  # round-off of angles
    # neither all alike nor what even teeth without shift have
    assert abs(remainder(found[1] - found[0] - 0.5, 1.0)) > 0.01


def test_the_sense_of_the_torque_chooses_the_flanks():
    teeth = teeth_of(profile_shifts={"planet": SHIFT})
    default, ahead, back = (elastic(teeth, torque=torque).elastic_meshes()[1] for torque in (None, 5.0, -5.0))
    assert default.spring.factor.start == ahead.spring.factor.start
    # both flanks of a tooth are as far from its middle: phases that are each other's negative, to whole pitches
    assert default.spring.factor.start != back.spring.factor.start
    both = (ahead.spring.factor.start + back.spring.factor.start) / ahead.spring.factor.period
    assert remainder(both + PLANET, 1.0) == pytest.approx(0.0, abs=1e-12)


def machine(one: PlanetaryGearSet):
    builder = SystemBuilder()
    for name in ("sun", "ring", "carrier"):
        builder.add(Rotor1D(name=name, inertia=1.0))
    builder.add(one)
    return builder.build()


def rolled(model, one: PlanetaryGearSet, sun: float, press: float) -> np.ndarray:
    """Coordinates of a set that has rolled by an angle of its sun, the carrier held, and a little further."""
    x = np.zeros(model.n)
    x[model.index("sun")] = sun + press
    x[model.index("ring")] = -sun * SUN / RING + press
    for name in one.planet:
        x[model.index(name)] = -sun * SUN / PLANET
    return x


def stiffness(model, x: np.ndarray) -> dict[str, float]:
    """Of the flanks of all meshes."""
    found = {}
    for element in model.elements:
        meshes = [element]
        y = x[element.coordinates]
        if isinstance(element, RotatingSubsystem):
            y, _ = element.seen(y, np.zeros_like(y))
            meshes = element.model.elements
        for mesh in meshes:
            if isinstance(mesh, MeshElement | DisplacedMesh):
                at = x[mesh.coordinates] if mesh is element else y[mesh.coordinates]
                found[mesh.name] = mesh.stiffness(at, np.zeros(len(at)))
    return found


@pytest.mark.parametrize("pins", [None, Pins(stiffness=(1e9, 1e9, 1e9, 1e8, 1e8))])
def test_stiffness_of_all_meshes_as_the_set_rolls(pins):
    """kappa of the sun's mesh where the sun is, that of the ring further by the phase, planets behind by their lags."""
    teeth = teeth_of(n_planets=3, pin_angles=UNEQUAL, profile_shifts={"planet": SHIFT})
    one = elastic(teeth, pins=pins)
    model = machine(one)
    reference = PeriodicFactor(period=1.0, values=VALUES)
    turned = {mesh.name: mesh.turned for pin in range(3) for _, mesh in on_teeth(teeth, 1.0).planet_teeth(pin)}
    for pitches in (0.0, 0.3, 0.77, 4.1):
        at = rolled(model, one, 2.0 * pi * pitches / SUN, 1e-9)
        found = stiffness(model, at)
        for i in (1, 2, 3):
            # 1e-6: what the flanks are pressed by moves the mesh position by some nanometres
            sun, ring = f"set sun planet {i}", f"set ring planet {i}"
            assert found[sun] == pytest.approx(C * reference.at(turned[sun] + pitches), rel=1e-6)
            # planets turn clockwise where the sun turns counterclockwise
            assert found[ring] == pytest.approx(C * reference.at(turned[ring] - pitches), rel=1e-6)


@pytest.mark.parametrize("pins", [None, Pins(stiffness=(1e9, 1e9, 1e9, 1e8, 1e8))])
def test_constant_stiffness_has_no_phase(pins):
    """Springs stay the ones that are given, and forces with a factor of 1 are those without one."""
    plain, shifted = teeth_of(), teeth_of(profile_shifts={"planet": SHIFT})
    given = springs(plain, values=None)
    constant = elastic(plain, meshes=given, pins=pins)
    for mesh in constant.elastic_meshes():
        assert mesh.spring is given[mesh.name.split()[1]].spring
    ones = elastic(shifted, meshes=springs(shifted, values=(1.0, 1.0, 1.0)), pins=pins, torque=-1.0)
    models = [machine(one) for one in (constant, ones)]
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = models[0].n
        x = rolled(models[0], constant, float(rng.uniform(-1.0, 1.0)), 0.0) + 1e-6 * rng.standard_normal(n)
        by_one, other = (evaluate(model, model.new_data(), 0.0, x, np.zeros(n)).Q for model in models)
        assert np.abs(by_one).max() > 10.0
        # round-off of the spline through ones
        np.testing.assert_allclose(other, by_one, rtol=0.0, atol=1e-12 * np.abs(by_one).max())


#: Positions over a pitch at which the pairs are asked for their deflection.
POSITIONS = 60


def deflections(one: PlanetaryGearSet, mesh: str, force: float) -> np.ndarray:
    """Of a pair in line contact by itself, axes held, shape (POSITIONS,) [m]."""
    given, side = one.meshes[mesh], np.sign(one.torque) * (1.0 if mesh == "sun" else -1.0)
    pair, moduli = given.pair, (given.materials[0].E, given.materials[1].E)
    place = MeshPlace(
        mesh=GearMesh(name="pair", gears=("a", "b"), law=given.law),
        pair=pair,
        origin=np.zeros(3),
        axes=np.eye(3),
        power=side,
        ratios=(1.0, pair.pinion.z / pair.wheel.z),
        moduli=moduli,
        poisson=(given.materials[0].nu, given.materials[1].nu),
    )
    element = given.law._alone(place)
    found = []
    for phase in np.arange(POSITIONS) / POSITIONS:
        x = np.array([1.0, -1.0]) * phase * pair.p_bt / [gear.r_b for gear in pair.gears]
        found.append(element.ahead(x, side, force))
    return np.array(found)


def sun_ahead(one: PlanetaryGearSet, positions: np.ndarray, torque: float) -> np.ndarray:
    """How far the sun is ahead of rolling along the line of action under its torque [m], carrier and ring held."""
    builder = SystemBuilder()
    for name in ("sun", "ring", "carrier"):
        builder.add(Rotor1D(name=name, inertia=1.0))
    builder.add(one.in_statics())
    builder.add(Torque(name="load", place="sun", profile=PiecewiseCubic.constant(torque)))
    model = builder.build(moves=False)
    found = []
    for pitches in positions:
        sun = 2.0 * pi * pitches / SUN
        guess = rolled(model, one, sun, 0.0)
        guess[model.index("sun")] += np.sign(torque) * 2e-5
        guess[model.index(one.planet[0])] -= np.sign(torque) * 1e-5 * SUN / PLANET
        held = {model.index("carrier"): 0.0, model.index("ring"): -sun * SUN / RING}
        at = solve_equilibrium(model, held=held, x=guess, parameters=PARAMETERS).x
        found.append((at[model.index("sun")] - sun) * 0.5 * MODULE * SUN * np.cos(radians(20.0)))
    return np.array(found)


@pytest.mark.parametrize("torque", [2e3, -2e3])
def test_a_sun_gives_way_on_springs_as_it_does_on_teeth(torque):
    """One planet: springs made of each pair alone, in series by the phase, against all teeth of the set in contact."""
    teeth = teeth_of(n_planets=1, profile_shifts={"planet": SHIFT})
    gears = on_teeth(teeth, torque)
    force = abs(torque) / gears.meshes["sun"].pair.pinion.r_b
    meshes, pairs = {}, {mesh: deflections(gears, mesh, force) for mesh in teeth.meshes}
    for mesh, one in springs(teeth).items():
        factor = replace(one.spring.factor, values=force / C / pairs[mesh])
        meshes[mesh] = PlanetMesh(spring=replace(one.spring, factor=factor))
    positions = np.arange(0.0, 1.0, 0.05)
    by_springs = sun_ahead(elastic(teeth, meshes=meshes, torque=torque), positions, torque)
    by_teeth = sun_ahead(gears, positions, torque)
    # pairs come and leave at once, which the spline of a factor swings about: 2e-3 at the positions beside that
    np.testing.assert_allclose(by_springs, by_teeth, rtol=5e-3)
    # one tooth in either mesh, one in one of them, two in both
    assert np.abs(by_teeth).max() > 1.8 * np.abs(by_teeth).min()


def test_factors_of_friction_begin_with_the_teeth_too():
    teeth = teeth_of(profile_shifts={"planet": SHIFT})
    for mesh in elastic(teeth, meshes=springs(teeth, friction=True)).elastic_meshes():
        assert mesh.friction.factor.start == mesh.spring.factor.start


def test_what_is_refused():
    unknown, shifted = teeth_of(a_w=(0.297,)), teeth_of(profile_shifts={"planet": SHIFT})
    constant = springs(shifted, values=None)
    with pytest.raises(Fault, match="profile shift of the planet = not given: must be given: its thickness says"):
        elastic(unknown)
    with pytest.raises(Fault, match=r"torque \[N m\] of planetary set set = 0\.0: must be not 0"):
        elastic(shifted, torque=0.0)
    with pytest.raises(Fault, match=r"torque of planetary set set = 3\.0: must be left out: no stiffness"):
        elastic(teeth_of(), meshes=constant, torque=3.0)


def test_only_the_first_mesh_may_change_without_a_known_shift():
    teeth = teeth_of(a_w=(0.297,))
    meshes = {"sun": springs(teeth)["sun"], "ring": PlanetMesh(spring=LinearSpring(c=C))}
    made = elastic(teeth, meshes=meshes).elastic_meshes()
    assert made[0].spring.factor.start == 0.0
    assert made[1].spring.factor is None
