"""Where mechanisms and bodies in space rest: against hand statics, other unknowns, another solver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, system
from closed_form.rigid_bodies import FourBar
from scipy.optimize import fsolve, minimize

from alegear.errors import Fault, NonConvergence
from alegear.system import SystemBuilder, solve_equilibrium
from alegear.system.model import SystemModel
from alegear.system.rotation import rotation_matrix
from alegear.system.spatial import (
    Bushing,
    FloatingBody,
    JointDefinition,
    PointLoad,
    fixed,
    planar,
    prescribed_revolute,
    prismatic,
    revolute,
    spherical,
)
from alegear.system.spatial.joints import AcrossGuide

X, Y = np.eye(3)[:2]
G = 9.81


def direction(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def in_plane(name: str, between: tuple[str, str], points: tuple[np.ndarray, np.ndarray]) -> JointDefinition:
    """A joint that closes a loop in the plane z = 0, and is free across it: hinges hold that already."""
    return JointDefinition(name=name, between=between, conditions=[AcrossGuide(points=points, across=(X, Y))])


# ----------------------------------------------------------------------------- hand statics
def test_chain_of_three_bars_between_two_supports() -> None:
    """Against the angles at which moments about both ends of each bar balance; it begins straight and lopsided."""
    lengths, masses, span = (0.4, 0.5, 0.3), (1.0, 2.0, 1.5), 0.8

    def out_of_balance(unknown: np.ndarray) -> list[float]:
        angles, (h, v) = unknown[:3], unknown[3:]  # h, v: force of the left support on the first bar
        closes = sum(length * direction(a)[:2] for length, a in zip(lengths, angles, strict=True)) - [span, 0.0]
        moments = []
        for length, mass, a in zip(lengths, masses, angles, strict=True):
            moments.append(length * (h * math.sin(a) + (v - 0.5 * mass * G) * -math.cos(a)))
            v -= mass * G
        return [*moments, *closes]

    angles = fsolve(out_of_balance, [-0.9, 0.0, 0.9, 10.0, 20.0], xtol=1e-13)
    starts, bodies, at = [-1.2, -0.3, 0.0], [], np.zeros(3)
    # the last bar is not yet at its support: the equations take it there
    for name, length, mass, a in zip("abc", lengths, masses, starts, strict=True):
        centre = at + 0.5 * length * direction(a)
        at = at + length * direction(a)
        bodies.append(
            FloatingBody(
                name=name, mass=mass, inertia=mass * length**2 / 12.0 * np.array([0.0, 1.0, 1.0]), position=centre,
                axes=rotation_matrix(a * Z),
            )
        )  # fmt: skip
    half = {name: 0.5 * length * X for name, length in zip("abc", lengths, strict=True)}
    joints = [
        revolute("left", ("ground", "a"), (ORIGIN, -half["a"]), (Z, Z)),
        revolute("ab", ("a", "b"), (half["a"], -half["b"]), (Z, Z)),
        revolute("bc", ("b", "c"), (half["b"], -half["c"]), (Z, Z)),
        in_plane("right", ("ground", "c"), (span * X, half["c"])),
    ]
    rest = solve_equilibrium(system(*bodies, *joints, gravity=-G * Y, moves=False))
    assert rest.x[5::6] == pytest.approx(angles[:3], abs=1e-9)
    # the support exerts minus the multipliers on the first bar
    assert -rest.joint_multipliers[:2] == pytest.approx(angles[3:], rel=1e-8)


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_forces_of_a_weld(angle: float) -> None:
    """A bar that sticks out of a wall: its weight and the moment of it, about the axes of the ground."""
    R, load = rotation_matrix(angle * np.array([0.6, 0.0, 0.8])), np.array([3.0, -20.0, 5.0])
    centre = np.array([0.2, 0.3, -0.1])
    body = FloatingBody(name="bar", mass=1.0, inertia=[0.02, 0.03, 0.04], position=centre, axes=R)
    model = system(
        body,
        fixed("weld", ("ground", "bar"), (ORIGIN, -R.T @ centre), (np.eye(3), R.T)),
        PointLoad(name="load", body="bar", value=lambda t: np.concatenate([load, [0.0, 0.0, 2.0]])),
    )
    rest = solve_equilibrium(model)
    held = -rest.joint_multipliers  # on the bar
    assert held[:3] == pytest.approx(-load, rel=1e-10)
    # x along y', y along z', z along x': turned one by the other they are moments about z, x, y
    moment = -(np.cross(centre, load) + np.array([0.0, 0.0, 2.0]))
    about = [np.cross(np.eye(3)[j], np.eye(3)[i]) for i, j in ((0, 1), (1, 2), (2, 0))]
    assert sum(h * a for h, a in zip(held[3:], about, strict=True)) == pytest.approx(moment, rel=1e-9)


def test_slider_on_an_incline_held_by_a_spring() -> None:
    """m g sin(a) = k s along the guide, which carries m g cos(a) across."""
    incline, k, mass = 0.5, 400.0, 3.0
    along = direction(incline)
    body = FloatingBody(name="slider", mass=mass, inertia=[0.02, 0.02, 0.02])
    spring = Bushing(name="spring", between=("ground", "slider"), stiffness=np.diag([k, k, k, 0.0, 0.0, 0.0]))
    guide = prismatic("guide", ("ground", "slider"), (ORIGIN, ORIGIN), along)
    rest = solve_equilibrium(system(body, spring, guide, gravity=-G * Y))
    assert rest.x[:3] == pytest.approx(-mass * G * math.sin(incline) / k * along, abs=1e-12)
    assert np.linalg.norm(rest.joint_multipliers[:2]) == pytest.approx(mass * G * math.cos(incline), rel=1e-10)
    assert np.abs(rest.joint_multipliers[2:]).max() < 1e-9


def test_puck_on_a_plane_held_by_springs() -> None:
    """In its plane it goes where springs hold it, and turns; the plane carries the rest."""
    body = FloatingBody(name="puck", mass=2.0, inertia=[0.02, 0.02, 0.03], position=[0.0, 0.0, 0.1])
    spring = Bushing(
        name="spring", between=("ground", "puck"), stiffness=np.diag([100.0, 200.0, 0.0, 0.0, 0.0, 5.0]),
        points=(np.array([0.0, 0.0, 0.1]), ORIGIN),
    )  # fmt: skip
    load = PointLoad(name="load", body="puck", value=lambda t: np.array([3.0, 4.0, 0.0, 0.7, 0.0, 6.0]))
    table = planar("table", ("ground", "puck"), (np.array([0.3, 0.2, 0.1]), ORIGIN), Z)
    rest = solve_equilibrium(system(body, spring, load, table, gravity=-G * Z))
    assert rest.x == pytest.approx([0.03, 0.02, 0.1, 0.0, 0.0, 1.2], abs=1e-10)
    assert -rest.joint_multipliers[0] == pytest.approx(2.0 * G, rel=1e-12)
    assert np.linalg.norm(rest.joint_multipliers[1:]) == pytest.approx(0.7, rel=1e-9)


# -------------------------------------------------------------------------------- downhill
def chain(angles: list[float]) -> SystemModel:
    """Bars of 0.4 m on hinges along z, one on the other, at angles from hanging straight down."""
    parts: list[FloatingBody | JointDefinition] = []
    at, before = ORIGIN, ("ground", ORIGIN)
    for number, angle in enumerate(angles):
        name, along = f"bar {number}", np.array([math.sin(angle), -math.cos(angle), 0.0])
        position, axes = at + 0.2 * along, rotation_matrix(angle * Z)
        parts.append(FloatingBody(name=name, mass=2.0, inertia=[0.03, 1e-4, 0.03], position=position, axes=axes))
        parts.append(revolute(f"hinge {number}", (before[0], name), (before[1], 0.2 * Y), (Z, Z)))
        at, before = at + 0.4 * along, (name, -0.2 * Y)
    return system(*parts, gravity=-G * Y, moves=False)


@pytest.mark.parametrize(
    "angles",
    [[0.5 * math.pi], [2.0], [-3.1], [0.5 * math.pi, 0.5 * math.pi, 0.5 * math.pi], [3.0, -2.0], [0.0, 3.1, 1.0]],
)
def test_pendulum_falls_to_where_it_hangs(angles: list[float]) -> None:
    """From horizontal, where Newton's iteration has no direction, and from above, where it climbs."""
    model = chain(angles)
    rest = solve_equilibrium(model)
    for number in range(len(angles)):
        at = model.frames[f"bar {number}"].coordinates[:3]
        assert rest.x[at] == pytest.approx([0.0, -0.2 - 0.4 * number, 0.0], abs=1e-12)  # Newton's, of m
    assert -rest.joint_multipliers[1] == pytest.approx(2.0 * G * len(angles), rel=1e-12)
    assert rest.unstable is None


def test_pendulum_upside_down_balances_and_is_called_unstable() -> None:
    rest = solve_equilibrium(chain([math.pi]))
    assert rest.x[1] == pytest.approx(0.2, rel=1e-15)
    assert rest.unstable in ("x of bar 0", "turn z of bar 0")
    # a spring of more than m g l/2 holds it
    model = system(
        FloatingBody(name="bar", mass=2.0, inertia=[0.03, 1e-4, 0.03], position=0.2 * Y),
        revolute("hinge", ("ground", "bar"), (ORIGIN, -0.2 * Y), (Z, Z)),
        Bushing(name="spring", between=("ground", "bar"), stiffness=np.diag([0, 0, 0, 0, 0, 1.01 * 2.0 * G * 0.2])),
        gravity=-G * Y,
    )
    assert solve_equilibrium(model).unstable is None


def test_what_nothing_holds_is_told_still() -> None:
    """A disk on a hinge through its centre of mass, under a torque."""
    model = system(
        FloatingBody(name="disk", mass=2.0, inertia=[0.03, 0.03, 0.03]),
        revolute("hinge", ("ground", "disk"), (ORIGIN, ORIGIN), (Z, Z)),
        PointLoad(name="load", body="disk", value=lambda t: np.array([0.0, 0.0, 0.0, 0.0, 0.0, 3.0])),
    )
    with pytest.raises(NonConvergence, match="nothing holds the turn z of disk"):
        solve_equilibrium(model)


@pytest.mark.parametrize("load", [0.0, 3.0])
def test_hinges_that_hold_twice_are_refused_with_and_without_load(load: float) -> None:
    model = system(
        FloatingBody(name="disk", mass=2.0, inertia=[0.03, 0.03, 0.03]),
        revolute("one", ("ground", "disk"), (ORIGIN, ORIGIN), (Z, Z)),
        revolute("two", ("ground", "disk"), (Z, Z), (Z, Z)),
        Bushing(name="spring", between=("ground", "disk"), stiffness=np.diag([0, 0, 0, 0, 0, 5.0])),
        PointLoad(name="load", body="disk", value=lambda t: np.array([load, 0.0, 0.0, 0.0, 0.0, 0.0])),
    )
    with pytest.raises(
        Fault, match="equations of joints = 10, 5 of them independent: others say already what two does"
    ):
        solve_equilibrium(model)


# ------------------------------------------------------------------------------ kinematics
def test_four_bar_without_masses_in_increments() -> None:
    """A prescribed hinge alone determines it: position after position, each from the one before."""
    linkage = FourBar(crank=0.1, coupler=0.3, rocker=0.25, ground=0.35, speed=20.0, mass_per_length=0.0)
    lengths = (linkage.crank, linkage.coupler, linkage.rocker)
    half, pivot, angles = [0.5 * length * X for length in lengths], linkage.ground * X, linkage.angles(0.0)
    bases = (ORIGIN, linkage.crank * direction(angles[0]), pivot)
    bodies = [
        FloatingBody(name=name, position=base + 0.5 * length * direction(a), axes=rotation_matrix(a * Z))
        for name, base, length, a in zip(("crank", "coupler", "rocker"), bases, lengths, angles, strict=True)
    ]
    joints = [
        prescribed_revolute("motor", ("ground", "crank"), (ORIGIN, -half[0]), (Z, Z), lambda t: linkage.speed * t),
        revolute("crank to coupler", ("crank", "coupler"), (half[0], -half[1]), (Z, Z)),
        revolute("rocker pivot", ("ground", "rocker"), (pivot, -half[2]), (Z, Z)),
    ]
    joints.append(in_plane("coupler to rocker", ("coupler", "rocker"), (half[1], half[2])))
    model = system(*bodies, *joints, moves=False)
    x = model.start()[0]
    for t in np.linspace(0.0, 2.0 * math.pi / linkage.speed, 25)[1:]:
        x = solve_equilibrium(model, t=float(t), x=x).x
        for i, angle in enumerate(linkage.angles(float(t))):
            R = rotation_matrix(x[6 * i + 3 : 6 * i + 6])
            assert np.allclose(R[:, 0], direction(angle), rtol=0.0, atol=1e-9)


# -------------------------------------------------------------------------- large rotations
def test_body_on_bushings_turned_by_more_than_a_right_angle() -> None:
    """Against the least potential energy over position and rotation vector, found without derivatives of ours."""
    rng = np.random.default_rng(5)
    points = [0.2 * rng.normal(size=3) for _ in range(6)]
    stiffness = [np.diag([*(10.0 ** rng.uniform(1.5, 2.5, size=3)), *rng.uniform(0.1, 0.4, size=3)]) for _ in points]
    bushings = [
        Bushing(name=f"bushing {i}", between=("ground", "block"), stiffness=k, points=(point, point))
        for i, (k, point) in enumerate(zip(stiffness, points, strict=True))
    ]
    force, at = np.array([60.0, -40.0, 120.0]), np.array([0.9, 0.3, -0.9])
    body = FloatingBody(name="block", mass=1.0, inertia=[0.02, 0.03, 0.04])
    # a dead load: of constant direction, so it has a potential
    load = PointLoad(name="load", body="block", value=lambda t: t * np.concatenate([force, np.zeros(3)]), point=at)
    model = system(body, load, *bushings)

    def potential(q: np.ndarray, t: float) -> float:
        p, R = q[:3], rotation_matrix(q[3:])
        energy = -t * float(force @ (p + R @ at))
        for k, point in zip(stiffness, points, strict=True):
            y = np.concatenate([p + R @ point - point, q[3:]])
            energy += 0.5 * float(y @ k @ y)
        return energy

    x, q = np.zeros(6), np.zeros(6)
    for t in np.linspace(0.1, 1.0, 10):
        x = solve_equilibrium(model, t=float(t), x=x).x
        q = minimize(potential, q, args=(float(t),), method="BFGS", options={"gtol": 1e-8}).x
    assert np.linalg.norm(x[3:]) > 0.5 * math.pi
    # the minimum of a function known to 1e-15 of some 100 J is known to 1e-7
    assert x == pytest.approx(q, abs=1e-5)
    assert potential(x, 1.0) <= potential(q, 1.0) + 1e-9


def test_rotation_that_is_held() -> None:
    model = system(FloatingBody(name="block", mass=1.0, inertia=[0.02, 0.03, 0.04]))
    with pytest.raises(Fault, match="held turn y of block = a rotation in space: must be left to joints"):
        solve_equilibrium(model, held={4: 0.1})


def test_nothing_holds_it() -> None:
    builder = SystemBuilder().add(FloatingBody(name="block", mass=1.0, inertia=[0.02, 0.03, 0.04]))
    builder.add(spherical("ball", ("ground", "block"), (ORIGIN, ORIGIN)))
    builder.add(PointLoad(name="load", body="block", value=lambda t: np.array([0.0, 0.0, 0.0, 0.0, 3.0, 0.0])))
    with pytest.raises(NonConvergence, match=r"nothing holds the turn . of block"):
        solve_equilibrium(builder.build())
