"""Bodies that only turn, joined to bodies that float: the same machine as one of floating bodies alone."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from bodies_in_space import ORIGIN, SMALL, Z, check_tangents, energy_balance, motion
from derivatives import differences
from families import mostly_thorough
from system_parts import FixedRatio, PrescribedSpeed

from alegear.errors import Fault
from alegear.system import SystemBuilder, solve_equilibrium
from alegear.system.coordinates import axes_along
from alegear.system.instants import Instants
from alegear.system.model import SystemModel
from alegear.system.profiles import PiecewiseCubic, PrescribedRotation
from alegear.system.rotation import moved, rotation_matrix
from alegear.system.spatial import Bushing, FloatingBody, PointLoad, fixed, revolute, rigid_inertia, spherical
from alegear.system.switches import FrictionLaw

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
ORIGIN_OF_WHEEL = np.array([0.1, 0.2, -0.1])
INERTIA, SPEED = 0.04, 8.0
PIN = np.array([0.15, 0.1, 0.05])
ARM = np.array([-0.2, 0.0, 0.1])


def machine(wheel: str, link: str, load: bool = False) -> SystemModel:
    """A wheel that turns, and an arm on a pin of it."""
    builder = SystemBuilder(SMALL)
    builder.gravity([0.0, -9.81, 0.0])
    if wheel == "on a hinge":
        place = builder.rotor("wheel", inertia=INERTIA, origin=ORIGIN_OF_WHEEL, axes=axes_along(AXIS))
        assert place.rotation is not None
        builder.start(place.rotation, speed=SPEED)
    else:
        J = INERTIA * np.outer(AXIS, AXIS) + 0.03 * (np.eye(3) - np.outer(AXIS, AXIS))
        builder.add(
            FloatingBody(name="wheel", mass=1.0, inertia=J, position=ORIGIN_OF_WHEEL, angular_velocity=SPEED * AXIS),
            revolute("axle", ("ground", "wheel"), (ORIGIN_OF_WHEEL, ORIGIN), (AXIS, AXIS)),
        )
    velocity = SPEED * np.cross(AXIS, PIN)
    builder.add(
        FloatingBody(
            name="arm", mass=0.5, inertia=[0.004, 0.006, 0.005], position=ORIGIN_OF_WHEEL + PIN - ARM, velocity=velocity
        )
    )
    if link == "ball":
        builder.add(spherical("pin", ("wheel", "arm"), (PIN, ARM)))
    elif link == "hinge":
        builder.add(revolute("pin", ("wheel", "arm"), (PIN, ARM), (AXIS, AXIS)))  # the arm need not spin along
    else:
        K, D = np.diag([2e3, 1e3, 3e3, 3.0, 2.0, 4.0]), np.diag([2.0, 3.0, 1.0, 0.02, 0.01, 0.03])
        builder.add(Bushing(name="pin", between=("arm", "wheel"), stiffness=K, damping=D, points=(ARM, PIN)))
    if load:
        value = np.array([1.0, -2.0, 3.0, 0.3, 0.2, -0.4])
        builder.add(PointLoad(name="load", body="wheel", value=lambda t: math.cos(9.0 * t) * value, point=PIN))
    return builder.build()


@pytest.mark.parametrize(
    ("link", "load"),
    mostly_thorough(
        itertools.product(("ball", "hinge", "bushing"), (False, True)),
        always=lambda one: one in (("ball", False), ("bushing", True)),
    ),
)
def test_same_motion_as_of_floating_bodies(link: str, load: bool) -> None:
    off = []
    for n in (100, 200):
        (_, hinged), (_, floating) = (motion(machine(one, link, load), 0.5, n) for one in ("on a hinge", "floating"))
        turned = rotation_matrix(hinged[-1].q[0] * AXIS)
        off.append(
            (
                np.linalg.norm(rotation_matrix(floating[-1].q[3:6]) - turned),
                np.linalg.norm(floating[-1].q[6:9] - hinged[-1].q[1:4]),
            )
        )
        assert abs(hinged[-1].q[0]) > 1.0
    # two ways to step one machine: they come together with the square of the step, or agree already
    for coarse, fine in zip(*off, strict=True):
        assert fine < 1e-7 or (fine < 5e-3 and coarse / fine == pytest.approx(4.0, rel=0.25))


@pytest.mark.parametrize("between", [("wheel", "arm"), ("arm", "wheel"), ("ground", "arm"), ("wheel", "ground")])
def test_equations_against_differences(between: tuple[str, str]) -> None:
    """By the coordinate of a hinge and by those of a body that floats."""
    builder = SystemBuilder(SMALL)
    builder.add(FloatingBody(name="arm", mass=1.0, inertia=[0.02, 0.02, 0.02]))
    builder.rotor("wheel", inertia=INERTIA, origin=ORIGIN_OF_WHEEL, axes=axes_along(AXIS))
    turned = rotation_matrix(np.array([0.3, -0.5, 0.2]))
    builder.add(fixed("weld", between, (PIN, ARM), (turned, np.eye(3))))
    builder.add(Bushing(name="bushing", between=between, stiffness=np.diag([2.0, 3.0, 1.0, 0.5, 0.7, 0.3])))
    model = builder.build()
    joint, rng, rotation_vectors = model.joints[0], np.random.default_rng(2), (3,) if "arm" in between else ()
    n = len(joint.coordinates)
    x, force = rng.normal(size=n), rng.normal(size=6)
    g, G = joint.misfit(0.0, x)
    assert g.shape == (6,)
    expected = differences(lambda way: joint.misfit(0.0, moved(x, way, rotation_vectors))[0], n)
    assert np.allclose(G, expected, rtol=0.0, atol=1e-10)
    expected = differences(lambda way: joint.misfit(0.0, moved(x, way, rotation_vectors))[1].T @ force, n)
    assert np.allclose(joint.curvature(0.0, x, force), expected, rtol=0.0, atol=1e-10)
    check_tangents(model.elements[-1], 0.0, x, rng.normal(size=n), rotation_vectors)


# --------------------------------------------------------- linear constraints beside joints
def geared(*, by_drive: bool) -> SystemBuilder:
    """Two wheels that a fixed ratio couples, one of them with an arm pinned to it."""
    builder = SystemBuilder(SMALL)
    builder.gravity([0.0, -9.81, 0.0])
    for name, origin in (("motor", [-1.0, 0.0, 0.0]), ("wheel", [0.0, 0.0, 0.0])):
        builder.rotor(name, inertia=0.0 if name == "motor" else INERTIA, origin=origin)
    builder.add(FixedRatio(name="belt", between=("motor", "wheel"), radii=(0.1, 0.2)))
    builder.add(
        FloatingBody(name="arm", mass=0.5, inertia=[0.004, 0.006, 0.005], position=[0.2, -0.3, 0.0]),
        revolute("pin", ("wheel", "arm"), (np.array([0.2, 0.0, 0.0]), np.array([0.0, 0.3, 0.0])), (Z, Z)),
    )
    if by_drive:
        ramp = PiecewiseCubic.step(0.0, 6.0, 0.0, 0.5)
        builder.add(PrescribedSpeed(name="drive", place="motor", speed=ramp))
    return builder


def test_multipliers_and_reactions_beside_joints_in_motion() -> None:
    """What belt and pin exert closes the balance of the wheel, and that of the motor is the torque of its drive."""
    model = geared(by_drive=True).build()
    moving, states = motion(model, 0.4, 200)
    ratio = np.array([0.1, 0.2])
    for state in states[::40]:
        whole = moving.motion(state)
        motor, wheel = (model.index(name) for name in ("motor", "wheel"))
        assert abs(whole.x[motor] * ratio[0]) == pytest.approx(abs(whole.x[wheel] * ratio[1]), abs=1e-15)
        belt = model.constraint_rows.T @ whole.multipliers
        assert whole.joints is not None
        on_wheel = whole.joints.Q[wheel] - belt[wheel]
        assert INERTIA * whole.a[wheel] == pytest.approx(on_wheel, rel=1e-9, abs=1e-9)
        torque = Instants.of(moving.model, moving.data, [whole]).prescribed[0, 0]
        assert torque == pytest.approx(belt[motor], rel=1e-9, abs=1e-9)
    energy = energy_balance(moving, states)
    assert abs(energy.missing) < 1e-3 * energy.kinetic


def test_reactions_of_an_equilibrium_beside_joints() -> None:
    """An arm that hangs from the rim: the belt takes its moment, half of it reaches the motor."""
    model = geared(by_drive=False).build(moves=False)
    motor = model.index("motor")
    rest = solve_equilibrium(model, held={motor: 0.0})
    assert -rest.joint_multipliers[:2] == pytest.approx([0.0, 0.5 * 9.81], abs=1e-9)
    moment = 0.5 * 9.81 * 0.2
    belt = model.constraint_rows.T @ rest.multipliers
    assert belt[model.index("wheel")] == pytest.approx(-moment, rel=1e-9)
    assert abs(rest.reactions["motor"]) == pytest.approx(0.5 * moment, rel=1e-9)


# ------------------------------------------------------------------------------- bad input
def block(name: str = "block", **given) -> FloatingBody:
    return FloatingBody(**({"name": name, "mass": 1.0, "inertia": [0.02, 0.03, 0.04]} | given))


class Constant(FrictionLaw):
    """Friction of the same size at all speeds."""

    def lines(self, t: float, rate: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.full((2, 2, 2), [1.0, 0.0])


def with_turn_in(kind: str) -> SystemBuilder:
    builder = SystemBuilder().add(block())
    if kind == "a drive":
        ramp = PiecewiseCubic.step(0.0, 1.0, 0.0, 1.0)
        builder.prescribe("link", 4, PrescribedRotation(speed_ramp=ramp))
    elif kind == "a constraint":
        builder.constrain("link", {0: 1.0, 4: 0.1})
    elif kind == "springs":
        builder.linear("link", at=[4], stiffness=[[10.0]])
    else:
        builder.switch("link", rate={4: 1.0}, law=Constant())
    return builder


@pytest.mark.parametrize("kind", ["a drive", "a constraint", "springs", "friction that locks"])
def test_rotation_vector_in_what_is_linear(kind: str) -> None:
    message = "turn y of block in link = a rotation in space: must be left to joints, bushings and meshes"
    with pytest.raises(Fault, match=message):
        with_turn_in(kind).build()


def test_friction_that_locks_beside_joints() -> None:
    builder = SystemBuilder().add(block(), spherical("ball", ("ground", "block"), (ORIGIN, ORIGIN)))
    place = builder.rotor("wheel", inertia=1.0)
    assert place.rotation is not None
    builder.switch("brake", rate={place.rotation: 1.0}, law=Constant())
    message = "friction that locks, of brake, = beside joints in space, ball: must be one of both"
    with pytest.raises(Fault, match=message):
        builder.build()


@pytest.mark.parametrize("of", ["joint", "bushing", "load"])
def test_axis_that_is_displaced(of: str) -> None:
    builder = SystemBuilder().add(block())
    builder.rotor("wheel", inertia=0.1, mass=2.0)
    part = {
        "joint": spherical("link", ("wheel", "block"), (ORIGIN, ORIGIN)),
        "bushing": Bushing(name="link", between=("block", "wheel"), stiffness=np.eye(6)),
        "load": PointLoad(name="link", body="wheel", value=lambda t: np.zeros(6)),
    }[of]
    message = 'body of link = "wheel", whose axis is displaced a little: must be one that floats, or stands on a hinge'
    with pytest.raises(Fault, match=message):
        builder.add(part)


def test_floating_body_where_one_that_turns_is_asked_for() -> None:
    builder = SystemBuilder().add(block())
    builder.rotor("wheel", inertia=0.1)
    with pytest.raises(Fault, match='shaft of belt = "block", a floating body: must be one that turns about an axis'):
        builder.add(FixedRatio(name="belt", between=("block", "wheel"), radii=(0.1, 0.2)))


@pytest.mark.parametrize("of", ["joint", "bushing", "load"])
def test_nothing_that_moves(of: str) -> None:
    twice = ("ground", "ground")
    part = {
        "joint": spherical("link", twice, (ORIGIN, ORIGIN)),
        "bushing": Bushing(name="link", between=twice, stiffness=np.eye(6)),
        "load": PointLoad(name="link", body="ground", value=lambda t: np.zeros(6)),
    }[of]
    with pytest.raises(Fault, match=r"(bodies of link = the ground twice|body of link = the ground): must be one that"):
        SystemBuilder().add(part)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inertia": [0.02, 0.03, -0.01]}, r"inertia of block \[kg m2\] = -0.01: must be not negative"),
        ({"inertia": [0.01, 0.01, 0.03]}, r"principal inertias of block .* each at most the sum of the other two"),
        ({"inertia": [0.01, 0.01]}, "inertia of block .* three numbers, or six"),
        ({"inertia": np.eye(3) + np.eye(3, k=1)}, "inertia of block .* three numbers, or six"),
        ({"axes": np.diag([1.0, 1.0, -1.0])}, "axes of block = .* three orthonormal columns, right-handed"),
        ({"axes": 1.001 * np.eye(3)}, "axes of block = .* three orthonormal columns, right-handed"),
        ({"position": [1.0, 2.0]}, r"position of block = \[1. 2.\]: must be three numbers"),
        ({"velocity": [1.0, 2.0, np.nan]}, "velocity of block = .* three numbers"),
        ({"angular_velocity": [1.0]}, "angular velocity of block = .* three numbers"),
        ({"mass": -1.0}, "mass"),
        (
            {"flexible": rigid_inertia(1.0, ORIGIN, np.diag([0.02, 0.03, 0.04]))},
            "mass and inertia of block = given: must be left out",
        ),
    ],
)
def test_bodies_that_cannot_be(given: dict, message: str) -> None:
    with pytest.raises(Fault, match=message):
        block(**given)


def test_two_joints_of_one_name_and_no_mass() -> None:
    ball = spherical("ball", ("ground", "block"), (ORIGIN, ORIGIN))
    with pytest.raises(Fault, match='name of a joint = "ball": must be one that nothing else has'):
        SystemBuilder().add(block(), ball, ball)
    with pytest.raises(Fault, match="inertia of the x of block = 0: must be positive; give it a mass"):
        SystemBuilder().add(block(mass=0.0, inertia=[0.0, 0.0, 0.0])).build()
