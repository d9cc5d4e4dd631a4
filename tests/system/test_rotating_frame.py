"""A frame that turns with a carrier: what it sees, forces by virtual work, tangents, energy, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from system_parts import FixedRatio, Rotor, Torque

from alegear.errors import Fault
from alegear.kernels.elements import BY_ADDRESS
from alegear.system import (
    BearingLink,
    Element,
    ElementEnergy,
    ElementForces,
    LineSpring,
    PiecewiseCubic,
    RotatingFrame,
    Rotor1D,
    StatelessElement,
    SystemBuilder,
    evaluate,
    solve_equilibrium,
)
from alegear.system.element_kernels import evaluate_at
from alegear.system.start import consistent_start

RADIUS, STIFFNESS = 0.08, 2e7
CENTRE = np.array([RADIUS * np.cos(0.7), RADIUS * np.sin(0.7), 0.02])


class Cubic(StatelessElement):
    """k y^3 + d y' on each coordinate inside: an element that knows nothing of frames, with a memory of its steps."""

    name = "cubic"

    def __init__(self, coordinates, k, d):
        self.coordinates, self.k, self.d = coordinates, k, d

    def new_data(self):
        return {"steps": 0}

    def evaluate(self, t, x, v, data):
        return ElementForces(
            Q=-self.k * x**3 - self.d * v, by_x=np.diag(-3.0 * self.k * x**2), by_v=-self.d * np.eye(len(x))
        )

    def accept(self, t, x, v, forces, data):
        data["steps"] += 1

    def energy(self, t, x, v, forces, data):
        return ElementEnergy(stored=0.25 * self.k * float((x**4).sum()), damping_power=self.d * float(v @ v))

    def memory(self, data):
        return {"steps": np.array(data["steps"])}

    def recall(self, data, memory):
        data["steps"] = int(memory["steps"])

    def corners(self, x, v):
        return x[:1]


def machine(*, hinge=False, damping=0.0, cubic=0.0, axis=1.0, speed=0.0, angle=0.0):
    """A carrier, a planet on its pin and a sun with a spring to the planet, seen from the carrier."""
    axes = np.diag([1.0, axis, axis])  # of the sun: its axis may point against the carrier's
    builder = SystemBuilder()
    mass = {} if hinge else {"mass": 4.0, "tilt_inertia": 0.01}
    builder.add(
        Rotor1D(name="carrier", inertia=0.05, angle=angle, speed=speed)
        if hinge
        else Rotor(name="carrier", inertia=0.05, **mass),
        Rotor(name="sun", inertia=0.002, mass=1.0, tilt_inertia=0.001, axes=axes),
        Rotor(name="planet", inertia=0.001, mass=0.6, tilt_inertia=0.0006, origin=CENTRE),
    )
    frame = RotatingFrame("set", builder.node("carrier"))
    pin = frame.see(builder.node("carrier")).at(CENTRE, "pin")
    frame.builder.place(pin)
    planet = frame.see(builder.node("planet"), carried=True)
    frame.see(builder.node("sun"))
    BearingLink(
        name="pin bearing",
        place="planet",
        to="pin",
        stiffness=np.array([1.0, 2.0, 0.5, 1e-3, 2e-3]) * STIFFNESS,
        damping=damping * np.array([1.0, 1.0, 1.0, 1e-3, 1e-3]),
    ).add_to(frame.builder)
    LineSpring(
        name="mesh", between=("sun", "planet"), point=0.5 * CENTRE, direction=(-0.5, 0.8, 0.1), stiffness=STIFFNESS
    ).add_to(frame.builder)
    if cubic:
        frame.builder.element(Cubic(planet.coordinates[:3], cubic, damping))
    builder.element(frame.element())
    return builder


def states(model, seed, size):
    """Random states with a carrier that has turned several times, the planet near its pin."""
    rng = np.random.default_rng(seed)
    x, v = np.zeros(model.n), np.zeros(model.n)
    x[model.index("carrier")], v[model.index("carrier")] = rng.uniform(-30.0, 30.0), rng.uniform(-20.0, 20.0)
    element = model.elements[0]
    x[element.coordinates], v[element.coordinates] = element.on_carrier(x[element.coordinates], v[element.coordinates])
    return x + size * rng.standard_normal(model.n), v + size * rng.standard_normal(model.n)


@pytest.mark.parametrize("axis", [1.0, -1.0])
@pytest.mark.parametrize("hinge", [True, False])
def test_motion_against_the_carrier_is_that_of_points_turned_back(hinge, axis):
    """Independently: positions in space, turned back by a matrix of rotation of another library."""
    model = machine(hinge=hinge, axis=axis).build()
    element = model.elements[0]
    x, v = states(model, 1, 1e-3)
    theta = x[model.index("carrier")]
    y, _ = element.seen(x[element.coordinates], v[element.coordinates])
    inside = {name: y[element.model.index(name)] for name in element.model.names}
    back = Rotation.from_rotvec([0.0, 0.0, -theta]).as_matrix()
    for body, origin, axes in (("planet", CENTRE, np.eye(3)), ("sun", np.zeros(3), np.diag([1.0, axis, axis]))):
        moved, tilt = (
            np.array([x[model.index(f"{body} {d}")] for d in directions]) @ axes[: len(directions)]
            for directions in (("x", "y", "z"), ("tilt x", "tilt y"))
        )
        seen, tilted = back @ (origin + moved) - origin, back @ tilt
        # 1e-15: round-off of lengths of 0.1
        np.testing.assert_allclose([inside[f"{body} {d}"] for d in "xyz"], seen, rtol=0.0, atol=1e-15)
        np.testing.assert_allclose([inside[f"{body} tilt {d}"] for d in "xy"], tilted[:2], rtol=0.0, atol=1e-15)
        assert inside[body] == pytest.approx(axes[2, 2] * x[model.index(body)] - theta, abs=1e-14)  # of angles up to 30
    assert ("carrier x" in inside) is not hinge
    assert "carrier" not in inside  # against itself nothing turns


@pytest.mark.parametrize("hinge", [True, False])
def test_tangents_are_derivatives_of_forces(hinge):
    model = machine(hinge=hinge, damping=3e3, cubic=1e12).build()
    data = model.new_data()
    x, v = states(model, 2, 1e-3)
    forces = evaluate(model, data, 0.0, x, v)
    for tangent, at in ((forces.by_x, 0), (forces.by_v, 1)):
        found = np.empty_like(tangent)
        for column in range(model.n):
            h = 1e-5 if at == 0 else 1.0  # the forces are linear in the velocities
            Q = []
            for step in (-2, -1, 1, 2):
                state = [x.copy(), v.copy()]
                state[at][column] += step * h
                Q.append(evaluate(model, data, 0.0, *state).Q)
            found[:, column] = (Q[0] - 8.0 * Q[1] + 8.0 * Q[2] - Q[3]) / (12.0 * h)
        size = np.sqrt(np.abs(np.outer(np.diag(tangent), np.diag(tangent)))) + np.abs(tangent).max() * 1e-5
        # 1e-7: order four with a step of 1e-5, beside round-off of forces of 1e5 N over that step
        assert (np.abs(found - tangent) / size).max() < 1e-7


def test_forces_are_those_of_the_energy_and_leave_momentum_alone():
    model = machine(cubic=1e12).build()
    data = model.new_data()
    x, v = states(model, 3, 1e-3)
    element, n = model.elements[0], model.n

    def stored(z):
        forces = evaluate(model, data, 0.0, z, 0.0 * v)
        at = element.coordinates
        return element.energy(0.0, z[at], 0.0 * v[at], forces.elements[0], data.elements[0]).stored

    def slope(direction):
        h = 1e-6
        values = [stored(x + k * h * direction) for k in (-2, -1, 1, 2)]
        return (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * h)

    Q = evaluate(model, data, 0.0, x, 0.0 * v).Q
    np.testing.assert_allclose([-slope(one) for one in np.eye(n)], Q, rtol=1e-6, atol=1e-6 * np.abs(Q).max())
    plain = machine().build()  # without the cubic springs, which hold the planet to the frame
    Q = evaluate(plain, plain.new_data(), 0.0, x, 0.0 * v).Q
    force = [sum(Q[plain.index(f"{body} {d}")] for body in ("carrier", "sun", "planet")) for d in "xyz"]
    np.testing.assert_allclose(force, 0.0, atol=1e-9 * np.abs(Q).max())  # action is reaction


def test_a_carrier_that_stands_is_a_frame_that_stands():
    """At theta = 0 held, forces are those of the same links between the bodies themselves."""
    model = machine(hinge=True).build()
    builder = SystemBuilder()
    builder.add(
        Rotor(name="sun", inertia=0.002, mass=1.0, tilt_inertia=0.001),
        Rotor(name="planet", inertia=0.001, mass=0.6, tilt_inertia=0.0006, origin=CENTRE),
        BearingLink(name="pin bearing", place="planet", stiffness=np.array([1.0, 2.0, 0.5, 1e-3, 2e-3]) * STIFFNESS),
        LineSpring(
            name="mesh", between=("sun", "planet"), point=0.5 * CENTRE, direction=(-0.5, 0.8, 0.1), stiffness=STIFFNESS
        ),
    )
    plain = builder.build()
    x = 1e-4 * np.random.default_rng(4).standard_normal(plain.n)
    whole = np.zeros(model.n)
    own = [model.index(name) for name in plain.names]
    whole[own] = x
    Q = evaluate(model, model.new_data(), 0.0, whole, 0.0 * whole).Q
    expected = evaluate(plain, plain.new_data(), 0.0, x, 0.0 * x).Q
    np.testing.assert_allclose(Q[own], expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_a_free_planet_goes_straight_on_and_is_seen_to_curve():
    """Coriolis and centrifugal acceleration: y'' = -2 i w y' + w^2 (y + p) of a particle without forces."""
    builder = SystemBuilder()
    planet = Rotor(name="planet", inertia=1e-3, mass=1.0, tilt_inertia=5e-4, origin=CENTRE)
    builder.add(Rotor1D(name="carrier", inertia=0.1), planet)
    frame = RotatingFrame("set", builder.node("carrier"))
    frame.see(builder.node("planet"))
    BearingLink(name="none", place="planet", stiffness=(0.0, 0.0, 1.0)).add_to(frame.builder)
    builder.element(frame.element())
    model = builder.build()
    element, omega, velocity = model.elements[0], 31.0, np.array([0.3, -0.2])
    at = {name: model.index(name) for name in ("carrier", "planet x", "planet y")}
    p = complex(CENTRE[0], CENTRE[1])

    def seen(t):
        x, v = np.zeros(model.n), np.zeros(model.n)
        x[at["carrier"]], v[at["carrier"]] = omega * t, omega
        x[[at["planet x"], at["planet y"]]], v[[at["planet x"], at["planet y"]]] = velocity * t, velocity
        y, rate = element.seen(x[element.coordinates], v[element.coordinates])
        i, j = (element.model.index(f"planet {d}") for d in "xy")
        return complex(y[i], y[j]), complex(rate[i], rate[j])

    _, start = seen(0.0)

    def particle(_, z):
        w, rate = complex(z[0], z[1]), complex(z[2], z[3])
        a = -2j * omega * rate + omega**2 * (w + p)
        return [rate.real, rate.imag, a.real, a.imag]

    curve = solve_ivp(particle, (0.0, 0.5), [0.0, 0.0, start.real, start.imag], rtol=1e-12, atol=1e-14).y[:, -1]
    w, rate = seen(0.5)
    # 1e-9: what the integration of the particle misses over 2.5 revolutions
    np.testing.assert_allclose([w.real, w.imag], curve[:2], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose([rate.real, rate.imag], curve[2:], rtol=0.0, atol=1e-7)


def test_velocities_inside_are_those_of_the_jacobian():
    """Of many states as of one."""
    element, rng = machine(hinge=True).build().elements[0], np.random.default_rng(5)
    x, v = rng.normal(size=(2, 4, 3, len(element.coordinates)))
    y, rate = element.seen(x, v)
    for i in np.ndindex(4, 3):
        # round-off of sums of a few terms of size 10
        np.testing.assert_allclose(rate[i], element.view.jacobian(x[i]) @ v[i], rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(y[i], element.seen(x[i], v[i])[0], rtol=0.0, atol=1e-14)


def test_far_round_the_strain_of_the_pin_keeps_its_digits():
    """After 1e4 turns theta is known to 1e-11 rad, and a place on a radius of 0.1 m to 1e-12 m: no worse is the pin."""
    model = machine(hinge=True).build()
    element = model.elements[0]
    x, v = np.zeros(model.n), np.zeros(model.n)
    x[model.index("carrier")] = 2e4 * np.pi + 0.3
    x, v = element.on_carrier(x[element.coordinates], v[element.coordinates])
    y, _ = element.seen(x, v)
    assert np.abs(y[[element.model.index(f"planet {d}") for d in "xy"]]).max() < 2e-17 + 4 * RADIUS * 2.3e-16


def test_steady_rotation_loads_the_pin_with_m_r_omega_squared():
    builder = machine(hinge=True)
    model = builder.build()
    element, omega, m = model.elements[0], 25.0, 0.6
    x, v = np.zeros(model.n), np.zeros(model.n)
    x[model.index("carrier")], v[model.index("carrier")] = 5.0, omega
    at = element.coordinates
    x[at], v[at] = element.on_carrier(x[at], v[at])
    theta, radial = x[model.index("carrier")], CENTRE[:2] / RADIUS
    # by hand: a pin of stiffness k gives way by m r w^2/(k - m w^2), and the spring of the mesh is without load
    stiff = BearingLink(name="pin", place="planet", stiffness=STIFFNESS * np.ones(3))
    builder = SystemBuilder()
    builder.add(Rotor1D(name="carrier", inertia=0.05))
    builder.add(Rotor(name="planet", inertia=0.001, mass=m, tilt_inertia=0.0006, origin=CENTRE))
    frame = RotatingFrame("set", builder.node("carrier"))
    frame.builder.place(frame.see(builder.node("carrier")).at(CENTRE, "pin"))
    frame.see(builder.node("planet"), carried=True)
    BearingLink(name="pin", place="planet", to="pin", stiffness=stiff.stiffness).add_to(frame.builder)
    builder.element(frame.element())
    model = builder.build()
    element, at = model.elements[0], model.elements[0].coordinates
    give = m * RADIUS * omega**2 / (STIFFNESS - m * omega**2)
    turn = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    x, v = np.zeros(model.n), np.zeros(model.n)
    x[model.index("carrier")], v[model.index("carrier")] = theta, omega
    place = turn @ ((RADIUS + give) * radial)
    x[[model.index("planet x"), model.index("planet y")]] = place - CENTRE[:2]
    v[[model.index("planet x"), model.index("planet y")]] = omega * np.array([-place[1], place[0]])
    Q = evaluate(model, model.new_data(), 0.0, x, v).Q
    a = -(omega**2) * place
    planet = [model.index("planet x"), model.index("planet y")]
    # 1e-8 N of 30: a round-off of 1e-17 m on 2e7 N/m and of the angle of 5 rad
    np.testing.assert_allclose(Q[planet], m * a, atol=1e-7)
    assert Q[model.index("carrier")] == pytest.approx(0.0, abs=1e-8)  # the force is along the arm
    force = element.part_forces(x[at], v[at])["pin"][:2]
    np.testing.assert_allclose(force, m * (RADIUS + give) * omega**2 * radial, rtol=1e-8)


@pytest.mark.thorough  # planets under weight: drivetrain/test_displaced_planets
def test_motion_with_weight_keeps_the_energy_over_several_turns():
    builder = machine(cubic=1e12)
    builder.gravity((0.0, -9.81, 0.0))
    BearingLink(name="a", place="carrier", stiffness=(1e7, 1e7, 1e7, 1e5, 1e5)).add_to(builder)
    BearingLink(name="b", place="sun", stiffness=(1e6, 2e6, 1e6, 1e4, 1e4)).add_to(builder)
    model = builder.build()
    data = model.new_data()
    x, v = consistent_start(model)
    v[model.index("carrier")] = 1200.0
    element = model.elements[0]
    at = element.coordinates
    x[at], v[at] = element.on_carrier(x[at], v[at])
    inverse = np.linalg.inv(model.mass)

    def rates(t, z):
        return np.concatenate([z[model.n :], inverse @ evaluate(model, data, t, z[: model.n], z[model.n :]).Q])

    def energy(z):
        x, v = z[: model.n], z[model.n :]
        forces = evaluate(model, data, 0.0, x, v)
        stored = element.energy(0.0, x[at], v[at], forces.elements[0], data.elements[0]).stored
        strains = model.strain_rows @ x
        return 0.5 * v @ model.mass @ v + stored + 0.5 * strains @ (model.stress_rows @ x) - model.constant_force @ x

    found = solve_ivp(rates, (0.0, 0.017), np.concatenate([x, v]), method="DOP853", rtol=1e-11, atol=1e-13)
    assert found.y[model.index("carrier"), -1] > 3.0 * 2.0 * np.pi
    kinetic = 0.5 * v @ model.mass @ v
    energies = np.array([energy(z) for z in found.y.T])
    # 1e-9: the tolerance of the integration over some hundred steps
    assert np.abs(energies - energies[0]).max() < 1e-9 * kinetic


def test_memory_and_corners_go_through():
    model = machine(cubic=1e12, damping=10.0).build()
    data = model.new_data()
    x, v = states(model, 5, 1e-3)
    element = model.elements[0]
    assert isinstance(element, Element)
    at, own = element.coordinates, data.elements[0]
    forces = evaluate(model, data, 0.0, x, v)
    element.begin_step(0.0, x[at], v[at], 1e-4, own)
    element.accept(0.0, x[at], v[at], forces.elements[0], own)
    assert data.memory(model)["set/cubic/steps"] == 1
    again = model.new_data()
    again.recall(model, data.memory(model))
    assert again.elements[0].elements[0]["steps"] == 1
    y, rate = element.seen(x[at], v[at])
    assert element.corners(x[at], v[at]) == y[element.model.index("planet x")]
    lost = element.energy(0.0, x[at], v[at], forces.elements[0], own).damping_power
    part = element.model.parts[0]
    planet = [element.model.index(f"planet {d}") for d in "xyz"]
    strain = part.rows @ rate[part.coordinates]
    assert lost == pytest.approx(strain @ part.damping @ strain + 10.0 * rate[planet] @ rate[planet], rel=1e-12)


def test_rests_the_same_however_far_the_carrier_has_turned():
    """Without weight the load of the pin does not depend on where the carrier is held."""
    loads = []
    for theta in (0.0, 1.0, 250.0):
        builder = machine(hinge=True)
        builder.add(Torque(name="load", place="sun", profile=PiecewiseCubic.constant(40.0)))
        BearingLink(name="b", place="sun", stiffness=(1e6, 1e6, 1e6, 1e4, 1e4)).add_to(builder)
        BearingLink(name="c", place="planet", stiffness=(0.0, 0.0, 0.0, 1.0, 1.0)).add_to(builder)
        model = builder.build(moves=False)
        element, x = model.elements[0], np.zeros(model.n)
        at = element.coordinates
        x[model.index("carrier")] = theta
        x[at], _ = element.on_carrier(x[at], 0.0 * x[at])
        held = {model.index("carrier"): theta, model.index("planet"): theta}
        rest = solve_equilibrium(model, held=held, x=x)
        loads.append(element.part_forces(rest.x[at], 0.0 * rest.x[at])["pin bearing"])
    for one in loads[1:]:
        # 1e-10 of loads of 1e3 N but for the digits that an angle of 250 rad has lost on 2e7 N/m
        np.testing.assert_allclose(one, loads[0], rtol=0.0, atol=1e-9 * np.abs(loads[0]).max())


def _crossed(builder, frame):
    frame.see(builder.rotor("crossed", inertia=1.0, axes=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (
            lambda b, f: FixedRatio(name="ratio", between=("sun", "planet"), radii=(1.0, 2.0)).add_to(f.builder),
            "joints",
        ),
        (lambda b, f: f.builder.inertia([0], [[1.0]]), "masses"),
        (lambda b, f: f.builder.force([0], [1.0]), "loads"),
        (lambda b, f: Torque(name="load", place="sun", profile=PiecewiseCubic.constant(1.0)).add_to(f.builder), "load"),
        (_crossed, "axes of crossed"),
    ],
)
def test_what_is_refused_inside(add, words):
    builder = SystemBuilder()
    builder.add(Rotor1D(name="carrier", inertia=1.0), Rotor1D(name="sun", inertia=1.0))
    builder.add(Rotor1D(name="planet", inertia=1.0))
    frame = RotatingFrame("set", builder.node("carrier"))
    frame.see(builder.node("sun"))
    frame.see(builder.node("planet"))

    def made():
        add(builder, frame)
        return frame.element()

    with pytest.raises(Fault, match=words):
        made()


@pytest.mark.skipif(not BY_ADDRESS, reason="kernels have no addresses here")
@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("axis", [1.0, -1.0])
def test_compiled_frame_exerts_the_same(hinge, axis):
    """Forces, tangents and energies at states far round."""
    model = machine(hinge=hinge, axis=axis, damping=300.0).build()
    (element,) = model.elements
    compiled = element.kernel_terms(model.n)["element"]
    for seed in range(5):
        x, v = (one[element.coordinates] for one in states(model, seed, 1e-4))
        forces = element.evaluate(0.0, x, v, element.new_data())
        energy = element.energy(0.0, x, v, forces, element.new_data())
        n = len(x)
        Q, by_x, by_v, energies = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty(3)
        assert evaluate_at(compiled.address, compiled.handle, 0.0, x, v, Q, by_x, by_v, energies) == 0
        for found, expected in ((Q, forces.Q), (by_x, forces.by_x), (by_v, forces.by_v)):
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())  # round-off
        np.testing.assert_allclose(energies, [energy.stored, energy.damping_power, 0.0], rtol=1e-12)


def test_a_frame_with_what_is_not_compiled_is_none():
    model = machine(cubic=1e9).build()
    assert model.elements[0].kernel_terms(model.n) is None
