"""Bushings and loads: forces as the derivative of their energy, tangents against differences, known motions."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, check_tangents, energy_balance, motion, system
from derivatives import differences

from alegear.errors import Fault, NonConvergence
from alegear.system import solve_equilibrium
from alegear.system.element import Element, ElementEnergy
from alegear.system.model import SystemModel, accept
from alegear.system.rotation import (
    _half_cotangent_slope,
    continued,
    moved,
    rotation_matrix,
    rotation_vector,
    tangent_inverse,
    tangent_inverse_derivative,
)
from alegear.system.spatial import Bushing, FloatingBody, PointLoad, revolute
from alegear.system.spatial.bushing import Winding

UNTURNED = Winding()
POINTS = (np.array([0.3, -0.2, 0.5]), np.array([-0.1, 0.4, 0.2]))


def spd(seed: int) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return A @ A.T


def element(part: Bushing | PointLoad) -> Element:
    """That of a part between or on bodies "one" and "two"."""
    bodies = [FloatingBody(name=name) for name in ("one", "two")]
    return system(*bodies, part, moves=False).elements[-1]


def bushing(between: tuple[str, str] = ("one", "two"), damping: float = 0.3) -> Element:
    return element(Bushing(name="bushing", between=between, stiffness=spd(1), damping=damping * spd(2), points=POINTS))


def energy_of(one: Element, x: np.ndarray, v: np.ndarray, data: Winding = UNTURNED) -> ElementEnergy:
    return one.energy(0.0, x, v, one.evaluate(0.0, x, v, data), data)


def anywhere(seed: int, angle: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities of a body."""
    rng = np.random.default_rng(seed)
    p, turn = rng.normal(size=3), angle * rng.normal(size=3)
    return np.concatenate([p, turn]), rng.normal(size=6)


def two_bodies(angle: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    (x_1, v_1), (x_2, v_2) = anywhere(3, angle), anywhere(4, angle)
    return np.concatenate([x_1, x_2]), np.concatenate([v_1, v_2])


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.1, 1.9, 2.1, 3.0, 5.0])
def test_derivative_of_the_inverse_tangent(angle: float) -> None:
    psi = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    f = np.array([0.3, 1.1, -0.7])
    expected = differences(lambda way: tangent_inverse(psi + way) @ f, 3)
    assert np.allclose(tangent_inverse_derivative(psi, f), expected, rtol=0.0, atol=1e-11)


def test_slope_of_the_half_cotangent_is_right_to_the_last_digits() -> None:
    """Its series begins 1/360 + t^2/7560 + t^4/201600; series and closed form meet at 2."""
    for t in (0.0, 1e-9, 0.01):
        assert _half_cotangent_slope(t) == pytest.approx(1 / 360 + t**2 / 7560 + t**4 / 201600, rel=1e-14)
    assert _half_cotangent_slope(2.0) == pytest.approx(_half_cotangent_slope(2.0 + 1e-12), rel=1e-11)


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.0])
def test_tangents_between_two_bodies(angle: float) -> None:
    one, (x, v) = bushing(), two_bodies(angle)
    assert one.evaluate(0.0, x, v, UNTURNED).Q.shape == (12,)
    check_tangents(one, 0.0, x, v, (3, 9))


def test_force_is_the_derivative_of_the_energy() -> None:
    one, (x, v) = bushing(damping=0.0), two_bodies()

    def energy(way: np.ndarray) -> np.ndarray:
        return np.array([energy_of(one, moved(x, way, (3, 9)), v).stored])

    Q = one.evaluate(0.0, x, v, UNTURNED).Q
    assert np.allclose(Q, -differences(energy, 12)[0], rtol=0.0, atol=1e-9 * np.abs(Q).max())


def test_damper_takes_what_its_force_does() -> None:
    (x, v), damped, elastic = two_bodies(), bushing(), bushing(damping=0.0)
    power = (damped.evaluate(0.0, x, v, UNTURNED).Q - elastic.evaluate(0.0, x, v, UNTURNED).Q) @ v
    assert energy_of(damped, x, v).damping_power == pytest.approx(-power, rel=1e-12)


def test_action_is_reaction() -> None:
    x, v = two_bodies()
    Q = bushing().evaluate(0.0, x, v, UNTURNED).Q
    force = Q[:3] + Q[6:9]
    moment = np.zeros(3)
    for k in (0, 6):
        moment += np.cross(x[k : k + 3], Q[k : k + 3]) + rotation_matrix(x[k + 3 : k + 6]) @ Q[k + 3 : k + 6]
    assert np.allclose(force, 0.0, atol=1e-13)
    assert np.allclose(moment, 0.0, atol=1e-12 * np.abs(Q).max())


def test_bushing_on_the_ground_moves_the_second_body_alone() -> None:
    x, v = anywhere(4)
    found = bushing(("ground", "two")).evaluate(0.0, x, v, UNTURNED)
    still = np.zeros(6)
    whole = bushing().evaluate(0.0, np.concatenate([still, x]), np.concatenate([still, v]), UNTURNED)
    assert np.array_equal(found.Q, whole.Q[6:])
    assert np.array_equal(found.by_x, whole.by_x[6:, 6:])
    assert np.array_equal(found.by_v, whole.by_v[6:, 6:])


def test_load_turns_with_the_body_where_it_should() -> None:
    load = element(
        PointLoad(
            name="weight", body="one", value=lambda t: np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6]) * t, point=POINTS[0]
        )
    )
    x, v = anywhere(5)
    found, R = load.evaluate(2.0, x, v, None), rotation_matrix(x[3:])
    assert np.array_equal(found.Q[:3], [2.0, 4.0, 6.0])
    # moment about the frame, axes of space
    expected = np.cross(R @ POINTS[0], found.Q[:3]) + np.array([0.8, 1.0, 1.2])
    assert np.allclose(R @ found.Q[3:], expected)
    differenced = differences(lambda way: load.evaluate(2.0, moved(x, way, (3,)), v, None).Q, 6)
    assert np.allclose(found.by_x, differenced, rtol=0.0, atol=1e-10)
    assert not found.by_v.any()


def test_rotor_on_bearings_vibrates_with_its_six_frequencies() -> None:
    """At standstill: each direction by itself, from a small displacement; the pitching one over three periods."""
    J, mass, k = [0.02, 0.02, 0.03], 3.0, np.array([1e6, 2e6, 3e6, 5e3, 6e3, 7e3])
    inertia = np.array([mass, mass, mass, 0.02, 0.02, 0.03])
    for direction in range(6):
        omega = math.sqrt(k[direction] / inertia[direction])
        q = np.zeros(6)
        q[direction] = 1e-6
        body = FloatingBody(name="rotor", mass=mass, inertia=J, position=q[:3], axes=rotation_matrix(q[3:]))
        model = system(body, Bushing(name="bearing", between=("ground", "rotor"), stiffness=np.diag(k)))
        t_end = 2.25 * 2.0 * math.pi / omega  # where it passes through the middle
        state = motion(model, t_end, 200)[1][-1]
        # the trapezoidal rule is late by (omega h)^2/12 of the phase
        late = (omega * t_end / 200) ** 2 / 12.0 * omega * t_end
        assert state.q[direction] / 1e-6 == pytest.approx(math.sin(late), abs=1e-3 * late + 1e-6)
        others = np.delete(state.q, direction)
        assert np.abs(others).max() < 1e-15


# ------------------------------------------------------------------------ beyond half a turn
def test_rotation_vector_goes_on_from_the_one_before() -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    for angle in (0.1, 3.0, 3.3, 6.0, 9.0, -3.3, -9.0):
        short = rotation_vector(rotation_matrix(angle * axis))
        assert np.allclose(continued(short, (angle + 0.4) * axis), angle * axis, rtol=0.0, atol=1e-14 * 50)
    short = 0.3 * axis
    assert continued(short, np.zeros(3)) is short
    assert np.allclose(continued(np.zeros(3), 6.0 * axis), 2.0 * math.pi * axis)
    assert not continued(np.zeros(3), 3.0 * axis).any()


@pytest.mark.parametrize("angle", [3.0, 3.3, 5.0])
def test_forces_beyond_half_a_turn(angle: float) -> None:
    """Tangents against differences, forces the derivative of the energy on both sides of half a turn and beyond."""
    one, (x, v) = bushing(("ground", "two"), damping=0.0), anywhere(4)
    x[3:] = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    before = Winding(theta=0.98 * x[3:])
    data = SimpleNamespace(new_data=lambda: before, evaluate=one.evaluate)
    check_tangents(data, 0.0, x, v, (3,))  # type: ignore[arg-type]

    def energy(way: np.ndarray) -> np.ndarray:
        return np.array([energy_of(one, moved(x, way, (3,)), v, before).stored])

    Q = one.evaluate(0.0, x, v, before).Q
    assert np.allclose(Q, -differences(energy, 6)[0], rtol=0.0, atol=1e-8 * np.abs(Q).max())
    theta = x[3:]
    y = np.concatenate([x[:3] + rotation_matrix(theta) @ POINTS[1] - POINTS[0], theta])
    assert energy(np.zeros(6))[0] == pytest.approx(0.5 * y @ spd(1) @ y, rel=1e-12)


def wound(speed: float, stiffness: float = 2.0) -> SystemModel:
    """A wheel of 0.03 kg m2 on a hinge, against a spiral spring, with a speed to begin with."""
    body = FloatingBody(name="wheel", mass=1.0, inertia=[0.03, 0.03, 0.03], angular_velocity=speed * Z)
    spring = Bushing(name="spring", between=("ground", "wheel"), stiffness=np.diag([0, 0, 0, 0, 0, stiffness]))
    return system(body, spring, revolute("hinge", ("ground", "wheel"), (ORIGIN, ORIGIN), (Z, Z)))


def test_spiral_spring_is_wound_by_nearly_a_turn_and_gives_all_back() -> None:
    """It turns to omega/sqrt(k/J) = 5.5 rad and back: a harmonic oscillation, at half a turn as well."""
    omega = math.sqrt(2.0 / 0.03)
    moving, states = motion(wound(5.5 * omega), 1.5 * math.pi / omega, 1500)
    data = moving.data.elements[0]
    assert data.theta[2] == pytest.approx(-5.5, rel=1e-4)  # rho_inf 0.8 damps by (omega h)^3 in each of 1500 steps
    # the scheme's own: (omega h)^2/12 = 8e-7 of the phase; a jump at half a turn would be 100 %
    energy = energy_balance(moving, states)
    assert abs(energy.missing) < 1e-5 * energy.start
    # a third of the way, where it is wound the most; of a cosine a part of 4e-6 is missed between ten steps
    turned = [moving.motion(state).forces.elements[0].response.theta[2] for state in states[400:600:10]]
    largest = max(turned)
    assert largest == pytest.approx(5.5, rel=1e-4)


def test_full_turn_is_refused() -> None:
    omega = math.sqrt(2.0 / 0.03)
    words = r"spring: one body has turned by 35\d\S* deg against the other, but must by less than 350 deg: make it"
    with pytest.raises(NonConvergence, match=words):
        motion(wound(7.0 * omega), math.pi / omega, 500)


def test_more_than_half_a_turn_in_a_step_is_refused() -> None:
    one, x = bushing(("ground", "two")), np.zeros(6)
    x[3:] = 0.1, 0.0, 0.2
    found = one.evaluate(0.0, x, np.zeros(6), Winding(theta=np.array([0.0, 5.0, 0.0])))
    assert "against the other in a step, but must by at most 180 deg: shorten the step" in found.failure


def test_equilibrium_goes_on_beyond_half_a_turn() -> None:
    """A torque of k times 200 deg on a hinge."""
    torque = np.array([0, 0, 0, 0, 0, 2.0 * math.radians(200)])
    load = PointLoad(name="load", body="wheel", value=lambda t: t * torque)
    body = FloatingBody(name="wheel", mass=1.0, inertia=[0.03, 0.03, 0.03])
    spring = Bushing(name="spring", between=("ground", "wheel"), stiffness=np.diag([0, 0, 0, 0, 0, 2.0]))
    model = system(body, spring, load, revolute("hinge", ("ground", "wheel"), (ORIGIN, ORIGIN), (Z, Z)))
    data, x = model.new_data(), None
    for t in (0.5, 1.0):
        rest = solve_equilibrium(model, data, t=t, x=x)
        accept(model, data, t, rest.x, np.zeros(6), rest.forces)
        x = rest.x
    assert rest.forces.elements[0].response.theta == pytest.approx([0.0, 0.0, math.radians(200)], abs=1e-12)


def test_checkpoint_keeps_the_turns() -> None:
    one, data, other = bushing(), Winding(theta=np.array([4.0, 0.0, 0.1])), Winding()
    assert one.memory(other) == {}
    one.recall(other, one.memory(data))
    assert np.array_equal(other.theta, data.theta)
    one.recall(other, {})
    assert other.theta is None


# --------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("stiffness", "expected"),
    [
        (np.eye(5), r"stiffness of bearing = shape \(5, 5\)"),
        (np.eye(6) + np.eye(6, k=1), "stiffness of bearing = asymmetric by 1"),
        (np.diag([1e8, 1e8, 1e8, 1e3, 1e3, -1e3]), "bearing = -1000 on the diagonal: must be not negative"),
        (np.eye(6) + 2.0 * (np.eye(6, k=1) + np.eye(6, k=-1)), "in one combination: must be not negative"),
    ],
)
def test_matrices_that_cannot_be(stiffness: np.ndarray, expected: str) -> None:
    with pytest.raises(Fault, match=expected):
        Bushing(name="bearing", between=("ground", "rotor"), stiffness=stiffness)
