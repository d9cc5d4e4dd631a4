"""Planetary sets whose members are displaced: load sharing, statics of all members, motion, what is refused."""

from __future__ import annotations

from math import cos, pi, radians, sin, tan
from pathlib import Path

import numpy as np
import pytest
from planetary_sets import ALPHA, STIFFNESS, base_radii, by_complementarity, planetary_set, rest, teeth
from scipy.integrate import solve_ivp
from system_parts import PrescribedSpeed, Rotor, Torque, TorsionSpring

from alegear.drivetrain.planar import CoulombFriction, LinearSpring
from alegear.drivetrain.rotational.pins import Pins
from alegear.drivetrain.rotational.planet_meshes import BONDED, SEATED, hand, loaded_flanks
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.errors import Fault
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.system import (
    BearingLink,
    PiecewiseCubic,
    Rotor1D,
    SystemBuilder,
    SystemMotion,
    evaluate,
    solve_equilibrium,
)
from alegear.system.start import consistent_start
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, NewtonParameters, integrate

SHARES = {
    False: {n: (1.0 - 1.0 / n, *[-1.0 / n] * (n - 1)) for n in (3, 4, 5)},
    True: {3: (0.0, 0.0, 0.0), 4: (0.25, -0.25, 0.25, -0.25), 5: (0.4, -0.3236068, 0.1236068, 0.1236068, -0.3236068)},
}


def sun_forces(loads, n):
    return np.array([loads.meshes[f"set sun planet {i + 1}"] for i in range(n)])


def early(one, error):
    """Way along the line of action by which a pin that is ahead by `error` lets its planet come late, both meshes."""
    return -2.0 * error * cos(one.teeth.alpha_n)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("n", [3, 4, 5])
def test_load_sharing_with_one_planet_early(n, floating):
    """T/n + k P_i e; loads of 1 N, for which the geometry does not change: a nanometre on teeth of 40 mm."""
    torque, error = 0.1, -1e-9
    _, one, _, loads = rest(n, floating=floating, torque=torque, error=error, backlash=1e-4)
    forces = sun_forces(loads, n)
    whole, k = torque / base_radii(one.teeth)[0], 0.5 * STIFFNESS
    found = (forces - whole / n) / (k * early(one, error))
    np.testing.assert_allclose(found, SHARES[floating][n], rtol=0.0, atol=1e-6)  # the factors are to 7 digits
    ring = np.array([loads.meshes[f"set ring planet {i + 1}"] for i in range(n)])
    np.testing.assert_allclose(ring, -forces, rtol=1e-6)  # planets carry what goes through


@pytest.mark.parametrize(
    ("n", "floating", "error"),
    [(3, False, 8e-6), (3, False, -20e-6), (5, False, 10e-6), (5, True, 5e-6), (5, True, 20e-6), (4, True, -2e-6)],
)
def test_contact_is_lost_as_complementarity_has_it(n, floating, error):
    torque, guess = 100.0, None
    for part in (0.25, 0.5, 0.75, 1.0):  # so that Newton's iteration has the contacts that are left to begin with
        _, one, found, loads = rest(
            n,
            floating=floating,
            torque=torque,
            error=part * error,
            backlash=1e-4,
            guess=guess,
            from_bonded=guess is None,
        )
        guess = found.x
    forces = sun_forces(loads, n)
    expected = by_complementarity(n, one.teeth, torque, early(one, error), floating)
    if n != 4:
        assert (expected == 0.0).any()
    # 2e-3: lines of action turn by deflections of 20 micrometres over lines of 13 mm
    np.testing.assert_allclose(forces, expected, rtol=0.0, atol=2e-3 * expected.max())
    np.testing.assert_array_equal(forces > 1e-6, expected > 0.0)  # 1e-6 N: what seats hold


def machine(
    n=4,
    *,
    contact=SEATED,
    torque=200.0,
    error=0.0,
    tilt=1e6,
    gravity=0.0,
    backlash=0.0,
    helix=0.0,
    soft=1.0,
    inertia=1e-4,
):
    """All members displaced: sun floating on a soft coupling, ring and carrier on bearings, planets on pins."""
    one, part = planetary_set(
        n,
        contact=contact,
        pin_errors=(error, *[0.0] * (n - 1)),
        teeth=teeth(n, beta=helix),
        pins=Pins(stiffness=np.array([1e8, 1.2e8, 1e8, tilt, tilt]) / soft),
        stiffness=STIFFNESS / soft,
        backlash=backlash,
        inertia=inertia,
    )
    builder = SystemBuilder()
    builder.gravity((0.0, -gravity, 0.0))
    for name, mass, J, stiffness in (("sun", 0.5, inertia, 1e6), ("ring", 3.0, 2e-2, 2e8), ("carrier", 5.0, 2e-2, 3e8)):
        builder.add(Rotor(name=name, mass=mass, inertia=J, tilt_inertia=0.6 * J))
        own = np.array([stiffness, stiffness, stiffness, 1e5, 1e5]) / soft
        builder.add(BearingLink(name=f"{name} bearing", place=name, stiffness=own))
    builder.add(part, TorsionSpring(name="torque arm", between=("ring", "ground"), stiffness=1e7 / soft))
    builder.add(Torque(name="load", place="sun", profile=PiecewiseCubic.constant(torque)))
    return builder, one


def test_loads_do_not_depend_on_where_the_carrier_stands():
    found = []
    for turned in (0.0, 0.4, 7.9):
        x = None
        for contact in (BONDED, SEATED):
            builder, one = machine(contact=contact)
            model = builder.build(moves=False)
            carrier, element = model.index("carrier"), model.elements[0]
            if x is None:
                x = np.zeros(model.n)
                x[carrier] = turned
                at = element.coordinates
                x[model.index("sun")] = (1.0 + 97.0 / 27.0) * turned
                x[[model.index(body) for body in one.planet]] = (1.0 - 97.0 / 35.0) * turned
                x[at], _ = element.on_carrier(x[at], 0.0 * x[at])
            x = solve_equilibrium(model, held={carrier: turned}, x=x).x
        loads = one.loads(model, x, 0.0 * x)
        found.append(np.concatenate([list(loads.meshes.values()), *loads.pins.values()]))
    size = np.abs(found[0]).max()
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0.0, atol=1e-10 * size)


def test_all_members_are_in_balance():
    """By hand: the pins carry twice the tangential mesh force, the carrier the torque of sun and ring."""
    x = None
    for contact in (BONDED, SEATED):
        builder, one = machine(contact=contact, torque=1.0)
        model = builder.build(moves=False)
        found = solve_equilibrium(model, held={model.index("carrier"): 0.0}, x=x)
        x = found.x
    loads = one.loads(model, x, 0.0 * x)
    r_sun, _, r_ring = base_radii(one.teeth)
    force, a_w = 1.0 / (4.0 * r_sun), one.teeth.pin_radii["planet"]
    np.testing.assert_allclose(sun_forces(loads, 4), force, rtol=1e-6)  # of deflections over the line of action
    for pin in loads.pins.values():
        # 1e-5: pins give way by 0.2 micrometres, which turns lines of action of 16 mm; a sun that drives
        # counterclockwise pushes planets ahead, and so does the ring's reaction
        np.testing.assert_allclose(pin, [0.0, 2.0 * force * cos(ALPHA), 0.0, 0.0, 0.0], atol=1e-5 * force)
    assert found.reactions["carrier"] == pytest.approx(-4.0 * 2.0 * force * cos(ALPHA) * a_w, rel=1e-6)
    arm = next(part for part in model.parts if part.name == "torque arm")
    held = float(arm.force(x, 0.0 * x)[0])
    assert abs(held) == pytest.approx(4.0 * force * r_ring, rel=1e-6)


def test_helical_teeth_press_along_the_axis_and_tilt_planets():
    beta, torque = radians(15.0), 1.0
    x = None
    for contact in (BONDED, SEATED):
        builder, one = machine(contact=contact, torque=torque, helix=beta)
        model = builder.build(moves=False)
        x = solve_equilibrium(model, held={model.index("carrier"): 0.0}, x=x).x
    loads, set_of = one.loads(model, x, 0.0 * x), one.teeth
    r_w = {name: set_of.pitch_radii(name) for name in ("sun", "ring")}
    alpha_t = set_of.layouts[0].alpha_t
    force = torque / (4.0 * r_w["sun"][0] * cos(alpha_t))
    axial = force * cos(alpha_t) * tan(beta)  # tangential at the pitch circle times tan beta
    bearing = next(part for part in model.parts if part.name == "sun bearing")
    pushed = bearing.force(x, 0.0 * x)[2]
    # teeth along t sin(beta) + z cos(beta) press with t cos(beta) - z sin(beta), t counterclockwise: a right-handed sun
    # that drives so is pushed towards +z
    assert pushed == pytest.approx(4.0 * axial, rel=1e-5)
    for pin in loads.pins.values():
        assert pin[2] == pytest.approx(0.0, abs=1e-5 * axial)  # sun and ring push a planet in opposite directions
        assert abs(pin[4]) == pytest.approx(2.0 * axial * r_w["sun"][1], rel=1e-3)  # and tilt it; pins give way to it
        assert pin[3] == pytest.approx(0.0, abs=1e-3 * abs(pin[4]))


def rates_of(model, data):
    inverse = np.linalg.inv(model.mass)

    def rates(t, z):
        return np.concatenate([z[model.n :], inverse @ evaluate(model, data, t, z[: model.n], z[model.n :]).Q])

    return rates


def test_motion_keeps_energy_and_rolls():
    """All members displaced, weight, no dampers: DOP853 keeps energy, angles are those of rolling."""
    builder, one = machine(3, contact="free", torque=10.0, gravity=9.81, tilt=1e4, soft=200.0, inertia=2e-3)
    model = builder.build()
    data, element = model.new_data(), model.elements[0]
    x, v = consistent_start(model)
    z_sun, z_planet, z_ring = 27.0, 36.0, 99.0
    speed = 100.0
    v[model.index("carrier")] = speed
    v[model.index("sun")] = (1.0 + z_ring / z_sun) * speed
    v[[model.index(name) for name in one.planet]] = (1.0 - z_ring / z_planet) * speed
    at = element.coordinates
    x[at], v[at] = element.on_carrier(x[at], v[at])

    def energy(z):
        x, v = z[: model.n], z[model.n :]
        forces = evaluate(model, data, 0.0, x, v)
        stored = element.energy(0.0, x[at], v[at], forces.elements[0], data.elements[0]).stored
        strains = model.strain_rows @ x
        strain_energy = 0.5 * strains @ (model.stress_rows @ x)
        return 0.5 * v @ model.mass @ v + stored + strain_energy - model.outer_force(0.0) @ x

    begin = np.concatenate([x, v])
    turns = 2.0 * pi / speed
    found = solve_ivp(rates_of(model, data), (0.0, 0.1 * turns), begin, method="DOP853", rtol=1e-9, atol=1e-12)
    kinetic = 0.5 * v @ model.mass @ v
    missing = np.array([energy(z) for z in found.y.T[:: max(1, len(found.t) // 200)]]) - energy(begin)
    assert np.abs(missing).max() < 1e-8 * kinetic  # what a tolerance of 1e-9 a step leaves
    end = found.y[: model.n, -1]
    turned = end[model.index("carrier")]
    assert turned > 0.2 * pi - 0.1
    # the centrifugal load bends the soft pins by 0.4 mm, and the sun turns by 0.6 mm on 24 mm to follow
    assert end[model.index("sun")] == pytest.approx((1.0 + z_ring / z_sun) * turned, abs=0.03)
    y, _ = element.seen(end[at], 0.0 * end[at])
    for name in one.planet:
        place = [element.model.index(f"{name} {d}") for d in "xy"]
        assert np.abs(y[place]).max() < 2e-3


def test_a_carrier_at_constant_speed_loads_the_pins_with_m_r_omega_squared():
    """In the frame of the carrier all is at rest: pins of stiffness k give way by m a w^2/(k - m w^2) radially."""
    one, part = planetary_set(3, contact=BONDED, mass=0.6, stiffness=1.0)  # teeth that hold nothing to speak of
    builder = SystemBuilder()
    builder.add(Rotor1D(name="carrier", inertia=1.0), Rotor1D(name="sun", inertia=1.0))
    builder.add(Rotor1D(name="ring", inertia=1.0), part)
    model = builder.build()
    element, omega, a_w = model.elements[0], 150.0, one.teeth.pin_radii["planet"]
    give = 0.6 * a_w * omega**2 / (1e8 - 0.6 * omega**2)
    x, v = np.zeros(model.n), np.zeros(model.n)
    v[model.index("carrier")] = omega
    x[[model.index(name) for name in ("carrier", "sun", "ring", *one.planet)]] = 2.0  # turned as one
    at = element.coordinates
    x[at], v[at] = element.on_carrier(x[at], v[at])
    for i, name in enumerate(one.planet):
        psi = 2.0 * pi * i / 3.0 + 2.0
        own = [model.index(f"{name} {d}") for d in "xy"]
        x[own] += give * np.array([cos(psi), sin(psi)])
        v[own] += give * omega * np.array([-sin(psi), cos(psi)])
    Q = evaluate(model, model.new_data(), 0.0, x, v).Q
    for i, name in enumerate(one.planet):
        psi = 2.0 * pi * i / 3.0 + 2.0
        expected = -0.6 * (a_w + give) * omega**2 * np.array([cos(psi), sin(psi)])
        own = [model.index(f"{name} {d}") for d in "xy"]
        np.testing.assert_allclose(Q[own], expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())
        pin = one.loads(model, x, v).pins[name]
        assert pin[0] == pytest.approx(0.6 * (a_w + give) * omega**2, rel=1e-8)
        assert pin[1] == pytest.approx(0.0, abs=1e-7 * abs(pin[0]))


def test_hands_and_loaded_flanks():
    """Worked out on paper: torques on each planet balance, gears outside each other have opposite hands."""
    simple = teeth(3)
    assert loaded_flanks(simple) == {"sun": 1.0, "ring": -1.0}
    assert (hand(simple, "sun"), hand(simple, "ring")) == (1.0, -1.0)
    ravigneaux = PlanetaryTeeth(sun=30, second_sun=36, planets=(16, 17), ring=70, n_planets=2, m_n=MODULE_OF_TWO)
    sides = loaded_flanks(ravigneaux)
    assert (sides["sun"], sides["planets"]) == (1.0, -1.0)
    assert (hand(ravigneaux, "sun"), hand(ravigneaux, "planets")) == (1.0, -1.0)
    assert (hand(ravigneaux, "second_sun"), hand(ravigneaux, "ring")) == (-1.0, 1.0)


MODULE_OF_TWO = 2e-3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mass": 0.0}, "planet_mass"),
        ({"pins": None, "planet_tilt_inertia": 1.0}, "planet_tilt_inertia"),
        ({"planet_tilt_inertia": (1.0, 2.0)}, "planet_tilt_inertia"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(Fault, match=words):
        planetary_set(3, **given)


def test_what_is_refused_in_a_system():
    def built(one, *bodies):
        builder = SystemBuilder()
        builder.add(*bodies, one)
        return builder

    axis = {"inertia": 1.0}
    sun, ring, carrier = (Rotor1D(name=name, **axis) for name in ("sun", "ring", "carrier"))
    displaced = Rotor(name="carrier", mass=1.0, **axis)
    with pytest.raises(Fault, match="stiffness of the pins of set"):
        built(planetary_set(3, pins=None)[0], sun, ring, displaced)
    with pytest.raises(Fault, match=r"distance .* of sun from the axis of carrier"):
        built(planetary_set(3)[0], Rotor(name="sun", origin=(1e-3, 0.0, 0.0), mass=1.0, **axis), ring, carrier)
    rubbing = PlanetMesh(spring=LinearSpring(c=1e8), friction=CoulombFriction(mu_sliding=0.05))
    plain, _ = planetary_set(3)
    with pytest.raises(Fault, match="friction of mesh sun"):
        built(
            PlanetaryGearSet(
                name="set",
                teeth=plain.teeth,
                sun="sun",
                ring="ring",
                carrier="carrier",
                planet_inertia=1e-4,
                planet_mass=1.0,
                fidelity="elastic",
                meshes={"sun": rubbing, "ring": rubbing},
                pins=plain.pins,
            ),
            sun,
            ring,
            carrier,
        )
    with pytest.raises(Fault, match="stiffness of bearing"):
        Pins(stiffness=(-1.0, 1.0, 1.0))


PLANARMECH = Path(__file__).parents[3] / "shared" / "reference" / "rotational" / "planarmech_PlanetaryGear.csv"


def test_one_planet_under_gravity_moves_as_that_of_a_rigid_set():
    """Radii 1, 1, 3 m, sun prescribed, 1 N m on the ring: one equation for rigid parts, and another program's motion.

    Teeth and pins of 1e8 N/m give way by 2e-7 m; steps of 1 ms miss 2e-5 rad/s in 3 s, as the square of the step.
    """
    spring = PlanetMesh(spring=LinearSpring(c=1e8, damping=600.0))
    one = PlanetaryGearSet(
        name="set",
        teeth=PlanetaryTeeth(sun=40, ring=120, planets=(40,), n_planets=1, m_n=0.05),
        sun="sun",
        ring="ring",
        carrier="carrier",
        planet_inertia=1e-3,
        planet_mass=1.0,
        fidelity="elastic",
        meshes={"sun": spring, "ring": spring},
        pins=Pins(stiffness=(1e8, 1e8, 1e8, 1e3, 1e3)),
    ).on_springs()
    builder = SystemBuilder()
    builder.gravity((0.0, -9.81, 0.0))
    speeds = {"sun": 1.0, "carrier": 0.5, "ring": 1.0 / 3.0}
    builder.add(*(Rotor1D(name=name, inertia=1e-3, speed=speed) for name, speed in speeds.items()), one)
    builder.add(PrescribedSpeed(name="drive", place="sun", speed=PiecewiseCubic.constant(1.0)))
    builder.add(Torque(name="load", place="ring", profile=PiecewiseCubic.constant(1.0)))
    model = builder.build()
    system, found = SystemMotion(model), []
    scheme = GeneralizedAlpha(rho_inf=0.8, newton=NewtonParameters(tolerance=1e-7))  # forces of 1e8 N/m at 4 m

    def on_step(state):
        found.append([state.t, *system.motion(state).v[[model.index("carrier"), model.index("ring")]]])

    integrate(
        system,
        system.begin(0.0, *consistent_start(model)),
        3.0,
        scheme=scheme,
        control=FixedStep(h=1e-3),
        on_step=on_step,
    )
    t, carrier, ring = np.array(found).T
    late = t > 0.05  # until springs that nothing had pressed are pressed
    np.testing.assert_allclose(ring[late], (4.0 * carrier[late] - 1.0) / 3.0, atol=1e-5)
    inertia = 4.001 + 0.001 * 16.0 / 9.0 + 0.004
    exact = solve_ivp(
        lambda _, y: [y[1], (4.0 / 3.0 - 19.62 * cos(y[0])) / inertia], (0.0, 3.0), [0.0, 0.5], t_eval=t, rtol=1e-11
    ).y[1]
    np.testing.assert_allclose(carrier[late], exact[late], rtol=0.0, atol=5e-5)
    if not PLANARMECH.is_file():
        pytest.skip("no ../shared/reference/rotational/planarmech_PlanetaryGear.csv: it is no part of the project")
    data = np.genfromtxt(PLANARMECH, delimiter=",", names=True, deletechars="")
    times, first = np.unique(data["Time"], return_index=True)
    used = (times > 0.05) & (times < 3.0)
    for name, values in (("planetary.bearing_Ring.w", ring), ("planetary.bearing_Planet.w", carrier - 1.0)):
        expected = data[name][first][used]
        # 9e-5: 3e-5 of 3, as far as the other program's motion is from the exact one
        np.testing.assert_allclose(np.interp(times[used], t, values), expected, rtol=0.0, atol=9e-5)
