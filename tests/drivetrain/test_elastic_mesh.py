"""The elastic mesh as a part: forces and tangents, four quadrants, sticking, compiled code against Python."""

from __future__ import annotations

import numpy as np
import pytest
from planar_geometries import MESH_FACTOR, MESH_FRICTIONS, MESH_SPRINGS, RADII, mesh_named
from planar_mesh import mesh_motion
from scipy.optimize import brentq
from small_trains import events_of, missing, moved

from alegear.drivetrain.planar import (
    CoulombFriction,
    LinearSpring,
)
from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh, MeshElement
from alegear.drivetrain.rotational.friction import BearingFriction
from alegear.drivetrain.rotational.gears import RatioGear
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.errors import Fault
from alegear.recording.ode_motion import OdeMotion
from alegear.system import SystemBuilder
from alegear.system.bodies import Rotor1D
from alegear.system.ode import SystemOde
from alegear.system.time_integration.sundials import Cvode

PAPER = mesh_named("table 3 of the paper")


def element_of(mesh=PAPER, spring=MESH_SPRINGS["linear"]) -> MeshElement:
    """Of a mesh on rotations 0, 1 and a carrier, 2."""
    builder = SystemBuilder()
    builder.add(*(Rotor1D(name=name, inertia=1e-3) for name in ("A", "B", "carrier")))
    builder.add(ElasticMesh(name="mesh", gears=("A", "B"), averages=mesh, spring=spring, carrier="carrier"))
    return builder.build().elements[0]


def states(rng: np.random.Generator, n: int = 40):
    """Angles and speeds of A, B, carrier with overlaps of some tens of micrometres, and rates that part flanks."""
    for _ in range(n):
        x = np.array([rng.uniform(-3.0, 3.0), 0.0, rng.uniform(-1.0, 1.0)])
        u = rng.uniform(-30e-6, 30e-6)
        x[1] = x[2] + (u - PAPER.l_A * (x[0] - x[2])) / PAPER.l_B
        v = np.array([rng.uniform(-3.0, 3.0), 0.0, rng.uniform(-3.0, 3.0)])
        v[1] = v[2] + (rng.uniform(-2.0, 2.0) - PAPER.l_A * (v[0] - v[2])) / PAPER.l_B
        yield x, v


# ------------------------------------------------------------------------------------------------------- kinematics
@pytest.mark.parametrize("name", RADII)
def test_rows_are_the_motion_in_the_plane(name: str) -> None:
    """Overlap and sliding of gears whose centres turn with a carrier, against the mesh with free centres."""
    mesh = mesh_named(name)
    builder = SystemBuilder()
    builder.add(*(Rotor1D(name=one, inertia=1e-3) for one in ("A", "B", "carrier")))
    law = CoulombFriction(mu_sliding=0.1)
    builder.add(
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=mesh,
            spring=LinearSpring(c=1e8),
            friction=law,
            carrier="carrier",
        )
    )
    model = builder.build()
    element, switch = model.elements[0], model.switches[0]
    x, v = np.array([0.3, -0.2, 0.7]), np.array([11.0, 5.0, -3.0])
    # the carrier turns about centre A; e points from A to B, the other way where one gear is a ring: a is negative
    e, t = np.array([np.cos(x[2]), np.sin(x[2])]), np.array([-np.sin(x[2]), np.cos(x[2])])
    motion = mesh_motion(mesh, [x[0], x[1], 0.0, 0.0, *(mesh.a * e)], [v[0], v[1], 0.0, 0.0, *(mesh.a * v[2] * t)])
    scale = abs(mesh.a) * np.abs(v).max()
    assert element.rows[0] @ x == pytest.approx(motion.deformation[0], abs=1e-12 * abs(mesh.a))
    assert element.rows[0] @ v == pytest.approx(motion.rate[0], abs=1e-13 * scale)
    assert element.rows[1] @ x == pytest.approx(motion.x_mesh, abs=1e-13 * scale)
    assert switch.rate @ v * switch.law.lever == pytest.approx(motion.sliding[0], abs=1e-13 * scale)
    # the same speed of sliding at both flanks, so that one switch is enough
    assert motion.sliding[1] == pytest.approx(motion.sliding[0], abs=1e-13 * scale)


def test_the_rate_of_a_rolling_mesh_is_the_speed_of_gear_a() -> None:
    parts = (
        Rotor1D(name="A", inertia=1e-3),
        Rotor1D(name="B", inertia=1e-3),
        SpeedSource(name="drive", at="A", speed=[[0.0, 0.0], [0.05, 20.0], [0.1, -20.0]]),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=PAPER,
            spring=LinearSpring(c=2e8, damping=1e5),
            friction=CoulombFriction(mu_sliding=0.1),
        ),
        Resistance(name="load", at="B", linear=0.1),
    )
    data = moved(*parts, duration=0.1).dataset
    rolling = data.relative_speed.sel(switch="mesh").values
    # the turn changes the load by 10 N, which the damper takes first: 1e-4 m/s at 10 mm
    np.testing.assert_allclose(rolling, data.speed.sel(body="A").values, atol=1e-2)


# ----------------------------------------------------------------------------------------------------------- forces


def test_the_carrier_takes_what_the_gears_leave() -> None:
    """Torques of a mesh in a turning carrier add up to nothing, friction included, and the account is closed."""
    parts = (
        Rotor1D(name="A", inertia=1e-3),
        Rotor1D(name="B", inertia=2e-3),
        Rotor1D(name="carrier", inertia=5e-3),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=PAPER,
            spring=LinearSpring(c=2e8, damping=1e4, backlash=5e-6, factor=MESH_FACTOR),
            friction=MESH_FRICTIONS["din3990"],
            carrier="carrier",
        ),
        TorqueSource(name="drive", at="A", torque=Sine(amplitude=2.0, frequency=20.0, mean=0.5)),
        Resistance(name="at B", at="B", linear=0.02),
        Resistance(name="at carrier", at="carrier", linear=0.05),
    )
    result = moved(*parts, duration=0.1)
    data = result.dataset
    torque = data.torque.sel(flange=["mesh/A", "mesh/B", "mesh/carrier"]).values
    np.testing.assert_allclose(torque.sum(axis=1), 0.0, atol=1e-12 * np.abs(torque).max())
    assert np.abs(torque[:, 2]).max() > 1.0
    assert missing(result) < 1e-8
    assert float(data.loss.sel(part="mesh").min()) >= 0.0


# -------------------------------------------------------------------------------------------------------- quadrants
@pytest.mark.parametrize("turns", [1.0, -1.0])
@pytest.mark.parametrize("load", [5.0, -5.0])
@pytest.mark.parametrize("name", ["table 3 of the paper", "ring as gear B", "ring as gear A"])
def test_efficiency_in_four_quadrants(name: str, load: float, turns: float) -> None:
    """In steady motion the powers at both flanges are in the ratio of the closed form, whichever gear drives."""
    mesh, mu = mesh_named(name), 0.1
    parts = (
        Rotor1D(name="A", inertia=1e-3),
        Rotor1D(name="B", inertia=1e-3, speed=-turns * 10.0 * mesh.r_A / mesh.r_B),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=mesh,
            spring=LinearSpring(c=2e8, damping=2e5),
            friction=CoulombFriction(mu_sliding=mu),
        ),
        SpeedSource(name="drive", at="A", speed=turns * 10.0),
        TorqueSource(name="load", at="B", torque=load),
    )
    data = moved(*parts, duration=0.2).dataset
    into_A, into_B = (float(data.power.sel(flange=f"mesh/{one}")[-1]) for one in "AB")
    driver = "A" if into_A > 0.0 else "B"
    efficiency = -into_B / into_A if driver == "A" else -into_A / into_B
    assert 0.0 < efficiency < 1.0
    assert efficiency == pytest.approx(mesh.efficiency(mu, driver), rel=1e-9)  # what is left of the start, exp(-200)


def break_away(friction, sense: float) -> float:
    """Torque on A at which a mesh under 15 N m on B begins to slide, when it is slowly raised or lowered."""
    at_rest = 15.0 * PAPER.r_A / PAPER.r_B
    last = at_rest * (1.0 + 0.2 * sense)
    parts = (
        Rotor1D(name="A", inertia=5e-4),
        Rotor1D(name="B", inertia=1e-3),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=PAPER,
            spring=LinearSpring(c=2e8, damping=2e5),
            friction=friction,
        ),
        TorqueSource(name="load", at="B", torque=15.0),
        TorqueSource(name="drive", at="A", torque=[[0.0, at_rest], [0.1, at_rest], [2.1, last]]),
    )
    begun = [t for t, _, before, after in events_of(moved(*parts, duration=2.1)) if t > 0.1 and before == 0]
    return at_rest * (1.0 + 0.1 * sense * (begun[0] - 0.1))


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("which", ["coulomb", "efficiency"])
def test_break_away_at_the_coefficient_at_rest(which: str, sense: float) -> None:
    """F_n l - friction d_tau balances both torques with friction = mu_0 F_n, whatever that of sliding is."""
    friction = {"coulomb": CoulombFriction(mu_sliding=0.05, mu_0=0.12), "efficiency": MESH_FRICTIONS["efficiency"]}[
        which
    ]
    s = sense * friction.mu_static()
    expected = 15.0 * (PAPER.l_A - s * PAPER.d_tauA) / (PAPER.l_B - s * PAPER.d_tauB)
    # the damper takes part of the load as it grows: 0.1 1/s times 1e-3 s
    assert break_away(friction, sense) == pytest.approx(expected, rel=2e-4)


# --------------------------------------------------------------------------------------------------------- sticking
def loaded(friction=MESH_FRICTIONS["din3990"], *, hold: float = 5.05):
    """A mesh under load that friction holds: 5 N m would balance it."""
    return (
        Rotor1D(name="A", inertia=5e-4),
        Rotor1D(name="B", inertia=1e-3),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=PAPER,
            spring=LinearSpring(c=2e8, damping=2e5),
            friction=friction,
        ),
        TorqueSource(name="load", at="B", torque=15.0),
        TorqueSource(name="drive", at="A", torque=hold),
    )


def test_a_stuck_mesh_does_not_creep() -> None:
    """Held for 1000 s the relative speed is zero to the last bit, and the way that it has slid stays what it was.

    Differences that CVODE takes itself are round-off at rest: with them it makes 60 000 steps in place of 1100.
    """
    result = moved(*loaded(), duration=1000.0)
    data = result.dataset
    assert result.summary["counts"]["steps"] < 5000
    assert int(data["mode"].values[-1, 0]) == 0
    later = data.sel(time=slice(1.0, None))
    assert (later.relative_speed.values == 0.0).all()
    slid = later.angle.values @ np.array([PAPER.d_tauA, PAPER.d_tauB])
    # teeth deform along with round-off of their springs; of the way that is slid only the sum itself is rounded
    assert np.abs(slid - slid[0]).max() <= 4.0 * np.finfo(float).eps * np.abs(later.angle.values).max() * PAPER.d_tauB


def stick_slip(**spring):
    """The preloaded actuator of the paper with a soft spring on B."""
    return (
        Rotor1D(name="A", inertia=5e-4),
        Rotor1D(name="B", inertia=1e-3),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=PAPER,
            spring=LinearSpring(**{"c": 2e8, "damping": 2e5, **spring}),
            friction=MESH_FRICTIONS["din3990"],
        ),
        Spring(name="load", between=("ground", "B"), stiffness=5.0, damping=0.01, free_angle=3.0),
        TorqueSource(name="drive", at="A", torque=[[0.0, 5.0], [10.0, 15.0]]),
    )


def test_stick_slip_closes_its_energy() -> None:
    result = moved(*stick_slip(), duration=1.5)
    assert missing(result) < 1e-8
    data = result.dataset
    modes = [after for _, _, _, after in events_of(result)][2:]
    assert modes[:6] == [1, 0, 1, 0, 1, 0]
    stuck = data["mode"].values[:, 0] == 0
    assert stuck.any()
    assert (data.relative_speed.values[stuck] == 0.0).all()


# ------------------------------------------------------------------------------------------------- both evaluations
def model_of(*parts):
    builder = SystemBuilder()
    builder.add(*parts)
    return builder.build()


def balanced(element: MeshElement, x: np.ndarray, torque: float) -> np.ndarray:
    """Angles at which gear B is turned so that the mesh takes a torque on A."""

    def left(u: float) -> float:
        turned = np.array([x[0], (u - PAPER.l_A * x[0]) / PAPER.l_B])
        return torque + element.evaluate(0.0, turned, np.zeros(2), None).Q[0]

    return np.array([x[0], (brentq(left, 0.0, 1e-4) - PAPER.l_A * x[0]) / PAPER.l_B])


@pytest.mark.parametrize("friction", MESH_FRICTIONS.values(), ids=MESH_FRICTIONS)
def test_compiled_code_says_what_python_says_where_it_nearly_slides(friction) -> None:
    """In every mode, at rest in balance too; of all springs, at other states: rotational/test_part_properties."""
    spring = MESH_SPRINGS["linear"]
    parts = (
        Rotor1D(name="A", inertia=5e-4),
        Rotor1D(name="B", inertia=1e-3),
        ElasticMesh(name="mesh", gears=("A", "B"), averages=PAPER, spring=spring, friction=friction),
        BearingFriction(name="bearing", at="B", torque=0.1, static_to_kinetic_ratio=1.2),
        TorqueSource(name="drive", at="A", torque=4.0),
        TorqueSource(name="load", at="B", torque=11.9),
    )
    model, rng = model_of(*parts), np.random.default_rng(3)
    modes = set()
    for x, v in states(rng, 60):
        x, v = x[:2], v[:2]
        if rng.random() < 0.6:  # at rest, about in balance
            x, v = balanced(model.elements[0], x, 4.0 * rng.choice([1.0, 1.02, 1.2])), np.zeros(2)
        compiled, plain = CompiledOde(model), SystemOde(model)
        y, other = compiled.start(0.0, x, v), plain.start(0.0, x, v)
        np.testing.assert_array_equal(y, other)
        np.testing.assert_array_equal(compiled.direction, plain.direction)
        modes.add(int(plain.direction[0]))
        rates, expected = np.empty(plain.size), np.empty(plain.size)
        compiled.rhs(0.0, y, rates), plain.rhs(0.0, y, expected)
        np.testing.assert_allclose(rates, expected, rtol=1e-12, atol=5e-8)  # as `off` below, over inertias of 5e-4
        roots, expected = np.empty(plain.n_roots), np.empty(plain.n_roots)
        compiled.roots(0.0, y, roots), plain.roots(0.0, y, expected)
        np.testing.assert_allclose(roots, expected, rtol=1e-11, atol=1e-9)
        times, many = np.zeros(1), y[None, :]
        now, then = compiled.instants(times, many), plain.instants(times, many)
        # N m: l_A phi_A of 0.03 m is rounded to 3e-18 m, of which 2e8 N/m and an arm of 1e-2 m make 7e-12
        off = {"lam": 5e-11}
        for name in ("lam", "rates", "stored", "damped"):
            one, other = getattr(now, name), getattr(then, name)
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=off.get(name, 1e-12), err_msg=name)
        np.testing.assert_array_equal(now.modes, then.modes)
    assert modes == {-1, 0, 1}


def test_compiled_tangents() -> None:
    """Derivatives of the right-hand side against those of the element, stuck and sliding."""
    model = model_of(*loaded(CoulombFriction(mu_sliding=0.1)))
    element, switch = model.elements[0], model.switches[0]
    for speed in (0.0, 3.0):
        ode, x = CompiledOde(model), balanced(model.elements[0], np.zeros(2), 5.0)
        v = speed * np.array([1.0, -PAPER.r_A / PAPER.r_B])
        y = ode.start(0.0, x, v)
        assert int(ode.direction[0]) == (1 if speed else 0)
        found = np.empty((len(y), len(y)))
        ode.tangent(0.0, y, found)
        forces, basis, push = element.evaluate(0.0, x, v, None), ode.held.basis, switch.push
        by_x, by_v = forces.by_x, forces.by_v
        if speed:  # the friction mu N grows with the normal force, -Q/l
            of_N = switch.law.lever * 0.1 / PAPER.l_A
            by_x, by_v = by_x + np.outer(push, of_N * by_x[0]), by_v + np.outer(push, of_N * by_v[0])
        T, f = basis.T, basis.f
        M = T.T @ model.mass @ T
        expected = np.zeros_like(found)
        expected[:f, f:] = np.eye(f)
        expected[f:, :f] = np.linalg.solve(M, T.T @ by_x @ T)
        expected[f:, f:] = np.linalg.solve(M, T.T @ by_v @ T)
        # round-off of the angles, 1e-20 rad of 1e-4, and of the sums over steps of 1e-9
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.thorough  # both ways term by term: above
def test_both_ways_meet_the_same_events() -> None:
    histories = []
    for kind in (CompiledOde, SystemOde):
        cvode = Cvode(tolerance=1e-9, longest=0.05)
        motion = OdeMotion(kind(model_of(*stick_slip())), cvode, np.linspace(0.0, 0.6, 61))
        histories.append(motion.run(np.zeros(2), np.zeros(2)))
    compiled, plain = histories
    assert [tuple(e.after) for e in compiled.events] == [tuple(e.after) for e in plain.events]
    assert len(plain.events) > 4
    for one, other in zip(compiled.events, plain.events, strict=True):
        assert one.t == pytest.approx(other.t, abs=1e-7)  # some hundred steps of 1e-9, of which none is equal
    np.testing.assert_allclose(compiled.samples.x, plain.samples.x, atol=1e-7)


# --------------------------------------------------------------------------------------------------------- backlash
@pytest.mark.parametrize("damping", [0.0, 300.0])
def test_impacts_in_the_backlash(damping: float) -> None:
    """Flanks that rattle under a torque to and fro: both carry, energy is closed, and friction vanishes in between."""
    parts = (
        Rotor1D(name="A", inertia=5e-4),
        Rotor1D(name="B", inertia=1e-3),
        ElasticMesh(
            name="mesh",
            gears=("A", "B"),
            averages=PAPER,
            spring=LinearSpring(c=2e8, backlash=30e-6, damping=damping),
            friction=CoulombFriction(mu_sliding=0.05),
        ),
        TorqueSource(name="drive", at="A", torque=Sine(amplitude=1.0, frequency=50.0)),
        Resistance(name="load", at="B", linear=1e-3),
    )
    result = moved(*parts, duration=0.06, tolerance=1e-12)
    data = result.dataset
    mesh = next(part for part in parts if isinstance(part, ElasticMesh))
    u = mesh.overlap(data.angle.sel(body="A").values, data.angle.sel(body="B").values)
    open_ = np.abs(u) < 15e-6
    assert u.max() > 15e-6
    assert u.min() < -15e-6
    assert open_.any()
    assert (data.friction_torque.values[open_, 0] == 0.0).all()
    assert missing(result) < 1e-9  # a thousand times the tolerance of a step
    assert float(data.loss.sel(part="mesh").min()) >= 0.0


# ----------------------------------------------------------------------------------------------------------- levels
def test_the_ideal_mesh_is_a_gear_by_its_ratio() -> None:
    def parts(gear):
        return (
            Rotor1D(name="A", inertia=1e-3),
            Rotor1D(name="B", inertia=2e-3),
            Rotor1D(name="carrier", inertia=3e-3),
            gear,
            TorqueSource(name="drive", at="A", torque=Sine(amplitude=1.0, frequency=5.0)),
            Resistance(name="load", at="B", linear=0.1),
            Resistance(name="at carrier", at="carrier", linear=0.1),
        )

    ideal = ElasticMesh(name="gear", gears=("A", "B"), averages=PAPER, carrier="carrier")
    assert ideal.level == "ideal"
    known = RatioGear(name="gear", between=("A", "B"), ratio=-3.0, housing="carrier")
    one, other = (moved(*parts(gear), duration=0.3).dataset for gear in (ideal, known))
    for name in ("angle", "torque", "power"):
        np.testing.assert_allclose(one[name].values, other[name].values, atol=1e-9, err_msg=name)


def test_levels_and_what_is_refused() -> None:
    spring = LinearSpring(c=2e8)
    make = {"name": "mesh", "gears": ("A", "B"), "averages": PAPER}
    assert ElasticMesh(**make, spring=spring).level == "elastic"
    assert ElasticMesh(**make, spring=spring, friction=MESH_FRICTIONS["coulomb"]).level == "lossy-elastic"
    with pytest.raises(Fault, match="none without a spring"):
        ElasticMesh(**make, friction=MESH_FRICTIONS["coulomb"])
    with pytest.raises(Fault, match="never stick again"):
        ElasticMesh(**make, spring=spring, friction=CoulombFriction(mu_sliding=0.0, mu_0=0.1))
    with pytest.raises(Fault, match="different ones"):
        ElasticMesh(**{**make, "gears": ("A", "A")}, spring=spring)
    with pytest.raises(Fault, match="a MeshSpring or None"):
        ElasticMesh(**make, spring=2e8)
