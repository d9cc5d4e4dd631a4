"""Natural modes of mechanisms and of bodies that spin, against closed forms and minimal coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, off_centre, system
from scipy.linalg import eigh
from scipy.optimize import brentq

from alegear.errors import Fault
from alegear.system import SystemBuilder, solve_equilibrium
from alegear.system.holonomic import Joint, JointForces
from alegear.system.linearised import Linearised
from alegear.system.model import SystemModel
from alegear.system.modes import complex_modes, real_modes
from alegear.system.rotation import rotation_matrix, skew
from alegear.system.spatial import Bushing, FloatingBody, fixed, revolute, spherical

G = 9.81
DOWN = np.array([0.0, -G, 0.0])
LENGTH, MASS = 0.5, 2.0
J = np.array([0.01, 0.012, 0.015])


def hanging(frame: str) -> SystemModel:
    centre = np.array([0.0, -LENGTH, 0.0])
    if frame == "at the pivot":
        body, point = off_centre("bob", MASS, np.diag(J), centre), ORIGIN
    else:
        body, point = FloatingBody(name="bob", mass=MASS, inertia=J, position=centre), -centre
    return system(body, revolute("pivot", ("ground", "bob"), (ORIGIN, point), (Z, Z)), gravity=DOWN)


@pytest.mark.parametrize("given", ["multipliers of the equilibrium", "none"])
@pytest.mark.parametrize("frame", ["at the pivot", "at the centre"])
def test_pendulum(frame: str, given: str) -> None:
    model = hanging(frame)
    multipliers = None if given == "none" else solve_equilibrium(model).joint_multipliers
    modes = real_modes(Linearised.of(model, multipliers=multipliers))
    omega = math.sqrt(MASS * G * LENGTH / (J[2] + MASS * LENGTH**2))
    assert modes.frequencies == pytest.approx([omega], rel=1e-12)
    # the shape is a turn about z, that takes the centre along
    shape = np.real(modes.shapes[:, 0]) / np.real(modes.shapes[5, 0])
    along = 0.0 if frame == "at the pivot" else LENGTH
    assert shape == pytest.approx([along, 0, 0, 0, 0, 1], abs=1e-12)
    assert complex_modes(Linearised.of(model)).frequencies == pytest.approx([omega], rel=1e-12)


def test_pendulum_on_its_head_falls() -> None:
    body = FloatingBody(name="bob", mass=MASS, inertia=J, position=[0.0, LENGTH, 0.0])
    hinge = revolute("pivot", ("ground", "bob"), (ORIGIN, np.array([0.0, -LENGTH, 0.0])), (Z, Z))
    modes = real_modes(Linearised.of(system(body, hinge, gravity=DOWN)))
    rate = math.sqrt(MASS * G * LENGTH / (J[2] + MASS * LENGTH**2))
    assert modes.frequencies == pytest.approx([0.0])
    assert modes.decay_rates == pytest.approx([-rate], rel=1e-12)


def test_double_pendulum_in_and_across_the_plane() -> None:
    """On ball joints: twice the modes of two angles, one set a plane, and two turns about the rods."""
    half = 0.5 * LENGTH
    bodies = [
        FloatingBody(name=name, mass=MASS, inertia=J, position=[0.0, y, 0.0])
        for name, y in (("upper", -half), ("lower", -3.0 * half))
    ]
    top, bottom = np.array([0.0, half, 0.0]), np.array([0.0, -half, 0.0])
    joints = [
        spherical("pivot", ("ground", "upper"), (ORIGIN, top)),
        spherical("elbow", ("upper", "lower"), (bottom, top)),
    ]
    modes = real_modes(Linearised.of(system(*bodies, *joints, gravity=DOWN)))
    expected = [0.0, 0.0]
    for inertia in (J[0], J[2]):
        a, b = MASS * (half**2 + LENGTH**2) + inertia, MASS * half**2 + inertia
        M = np.array([[a, MASS * LENGTH * half], [MASS * LENGTH * half, b]])
        K = MASS * G * np.diag([half + LENGTH, half])
        expected += np.sqrt(eigh(K, M, eigvals_only=True)).tolist()
    assert modes.frequencies == pytest.approx(sorted(expected), rel=1e-10)


def test_body_on_six_bushings() -> None:
    """The stiffness by levers; one that began turned comes to rest in the same position."""
    rng = np.random.default_rng(3)
    place, points = np.array([0.3, 0.1, -0.2]), rng.normal(size=(6, 3))
    bushings, K = [], np.zeros((6, 6))
    for i, point in enumerate(points):
        k = np.diag(10.0 ** rng.uniform(4.0, 6.0, size=6))
        bushings.append(
            Bushing(name=f"bushing {i}", between=("block", "ground"), stiffness=k, points=(point, place + point))
        )
        rows = np.vstack([np.hstack([np.eye(3), -skew(point)]), np.hstack([np.zeros((3, 3)), np.eye(3)])])
        K += rows.T @ k @ rows
    model = system(FloatingBody(name="block", mass=MASS, inertia=J, position=place), *bushings)
    expected = np.sqrt(eigh(K, np.diag([MASS] * 3 + J.tolist()), eigvals_only=True))
    # squares of the lowest frequency are 1e-4 of those of the highest
    assert real_modes(Linearised.of(model)).frequencies == pytest.approx(expected, rel=1e-8)
    turned = rotation_matrix(np.array([0.4, -0.3, 0.8]))
    began = system(FloatingBody(name="block", mass=MASS, inertia=J, position=place, axes=turned), *bushings)
    rest = solve_equilibrium(began)
    assert np.abs(real_modes(Linearised.of(began, x=rest.x)).frequencies / expected - 1.0).max() < 1e-6


def test_stressed_mechanism_against_its_energy_in_one_angle() -> None:
    """A pendulum pulled aside by a spring: the second derivative of the energy where it rests."""
    k, reach = 300.0, np.array([0.6, -0.1, 0.0])
    centre = np.array([0.0, -LENGTH, 0.0])

    def energy(angle: float) -> float:
        end = rotation_matrix(angle * Z) @ centre
        return MASS * G * end[1] + 0.5 * k * float((end - reach) @ (end - reach))

    def slope(angle: float) -> float:
        E = [energy(angle + 1e-3 * k) for k in (-2, -1, 1, 2)]
        return (E[0] - 8.0 * E[1] + 8.0 * E[2] - E[3]) / 12e-3

    rest = brentq(slope, 0.0, 1.5, xtol=1e-13)
    stiffness = (slope(rest + 1e-3) - slope(rest - 1e-3)) / 2e-3
    body = FloatingBody(name="bob", mass=MASS, inertia=J, position=centre)
    # in the axes of the ground: alike in all directions, and it leaves rotations alone
    spring = Bushing(
        name="spring", between=("ground", "bob"), stiffness=np.diag([k, k, k, 0.0, 0.0, 0.0]), points=(reach, ORIGIN)
    )
    model = system(body, revolute("pivot", ("ground", "bob"), (ORIGIN, -centre), (Z, Z)), spring, gravity=DOWN)
    found = solve_equilibrium(model)
    assert found.x[5] == pytest.approx(rest, abs=1e-9)
    modes = real_modes(Linearised.of(model, x=found.x, multipliers=found.joint_multipliers))
    # differences of the second order with steps of 1e-3
    assert modes.frequencies == pytest.approx([math.sqrt(stiffness / (J[2] + MASS * LENGTH**2))], rel=1e-6)


@pytest.mark.parametrize("spin", [40.0, 150.0])
def test_sleeping_top(spin: float) -> None:
    """Upright and fast: A omega^2 - C n omega + m g l = 0 in space, less n as seen from the top."""
    A, C = 0.012 + MASS * 0.1**2, 0.02
    body = off_centre(
        "top", MASS, np.diag([0.012, 0.012, C]), np.array([0.0, 0.0, 0.1]), angular_velocity=[0.0, 0.0, spin]
    )
    model = system(body, spherical("tip", ("ground", "top"), (ORIGIN, ORIGIN)), gravity=np.array([0.0, 0.0, -G]))
    x, v = model.start()
    modes = complex_modes(Linearised.of(model, x=x, v=v))
    root = (
        math.sqrt((C * spin) ** 2 - 4.0 * A * MASS * G * 0.1) if C * spin > 2.0 * math.sqrt(A * MASS * G * 0.1) else 0
    )
    assert root > 0.0
    in_space = [(C * spin + sign * root) / (2.0 * A) for sign in (-1.0, 1.0)]
    seen = sorted([0.0, 0.0, *(abs(omega - spin) for omega in in_space)])
    assert modes.frequencies == pytest.approx(seen, rel=1e-9, abs=1e-6 * spin)
    assert modes.decay_rates == pytest.approx(np.zeros(4), abs=1e-6 * spin)


def test_slow_top_falls() -> None:
    """Below the spin at which it stays upright both modes have one frequency, and one of them grows."""
    A, C, spin = 0.012 + MASS * 0.1**2, 0.02, 10.0
    body = off_centre("top", MASS, np.diag([0.012, 0.012, C]), np.array([0.0, 0.0, 0.1]), angular_velocity=[0, 0, spin])
    model = system(body, spherical("tip", ("ground", "top"), (ORIGIN, ORIGIN)), gravity=np.array([0.0, 0.0, -G]))
    x, v = model.start()
    modes = complex_modes(Linearised.of(model, x=x, v=v))
    growth = math.sqrt(4.0 * A * MASS * G * 0.1 - (C * spin) ** 2) / (2.0 * A)
    assert modes.decay_rates.min() == pytest.approx(-growth, rel=1e-9)
    assert modes.frequencies[-2:] == pytest.approx([abs(C * spin / (2.0 * A) - spin)] * 2, rel=1e-9)


def test_spin_that_turns_the_joint() -> None:
    body = FloatingBody(name="top", mass=MASS, inertia=[0.012, 0.012, 0.02], position=[0, 0, 0.1],
                        angular_velocity=[0, 0, 50.0])  # fmt: skip
    joint = spherical("tip", ("ground", "top"), (ORIGIN, np.array([0.0, 0.0, -0.1])))
    model = system(body, joint, gravity=np.array([0.0, 0.0, -G]))
    x, v = model.start()
    with pytest.raises(Fault, match=r"joints of the state to linearise about = change with its motion"):
        Linearised.of(model, x=x, v=v)


class Wedge(Joint):
    """y = 0, with a force along x besides: c times that across."""

    n_equations = 1
    scale = np.array([1e-6])

    def __init__(self, coordinates: np.ndarray, c: float) -> None:
        self.name, self.coordinates, self._c = "wedge", coordinates, c

    def misfit(self, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[1:], np.array([[0.0, 1.0]])

    def curvature(self, t: float, x: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        return np.zeros((2, 2))

    def forces(self, t: float, x: np.ndarray, v: np.ndarray, multipliers: np.ndarray) -> JointForces:
        push, none = np.array([[-self._c], [-1.0]]), np.zeros((2, 2))
        return JointForces(Q=push @ multipliers, by_x=none, by_v=none, by_multipliers=push)


@pytest.mark.parametrize("c", [0.0, 0.4, -1.3])
def test_joint_that_exerts_more_than_its_equation(c: float) -> None:
    """m x'' = -k_xx x - c lambda, 0 = -k_xy x - lambda."""
    K, builder = np.array([[5e4, 2e4], [2e4, 3e4]]), SystemBuilder()
    at = np.array([builder.coordinate("mass", direction) for direction in ("x", "y")])
    builder.inertia(at, MASS * np.eye(2))
    builder.linear("springs", at=at, stiffness=K)
    builder.joint(Wedge(at, c))
    modes = real_modes(Linearised.of(builder.build()))
    assert modes.frequencies == pytest.approx([math.sqrt((K[0, 0] - c * K[0, 1]) / MASS)], rel=1e-12)


def test_nothing_that_moves() -> None:
    body = FloatingBody(name="block", mass=1.0, inertia=J)
    model = system(body, fixed("weld", ("ground", "block"), (ORIGIN, ORIGIN)))
    with pytest.raises(Fault, match="motions that joints allow = 0: must be at least 1"):
        Linearised.of(model)


def test_shares_of_energy_are_whole() -> None:
    names, shares = real_modes(Linearised.of(hanging("at the centre"))).energy_shares()
    assert names == ("elements and joints",)
    assert shares.sum(axis=0) == pytest.approx([1.0])
