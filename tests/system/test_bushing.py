"""Bushings and loads: forces as the derivative of their energy, tangents against differences, known motions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_in_space import check_tangents, motion, system
from derivatives import differences

from alegear.dynamics.rotation import (
    _half_cotangent_slope,
    rotation_matrix,
    tangent_inverse,
    tangent_inverse_derivative,
)
from alegear.errors import Fault
from alegear.system.element import Element
from alegear.system.spatial import Bushing, FloatingBody, SpatialLoad
from alegear.system.turns import moved

POINTS = (np.array([0.3, -0.2, 0.5]), np.array([-0.1, 0.4, 0.2]))


def spd(seed: int) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return A @ A.T


def element(part: Bushing | SpatialLoad) -> Element:
    """That of a part between or on bodies "one" and "two"."""
    bodies = [FloatingBody(name=name) for name in ("one", "two")]
    return system(*bodies, part, moves=False).elements[-1]


def bushing(between: tuple[str, str] = ("one", "two"), damping: float = 0.3) -> Element:
    return element(Bushing(name="bushing", between=between, stiffness=spd(1), damping=damping * spd(2), points=POINTS))


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
    assert one.evaluate(0.0, x, v, None).Q.shape == (12,)
    check_tangents(one, 0.0, x, v, (3, 9))


def test_force_is_the_derivative_of_the_energy() -> None:
    one, (x, v) = bushing(damping=0.0), two_bodies()

    def energy(way: np.ndarray) -> np.ndarray:
        return np.array([one.energy(0.0, moved(x, way, (3, 9)), v, None, None).stored])

    Q = one.evaluate(0.0, x, v, None).Q
    assert np.allclose(Q, -differences(energy, 12)[0], rtol=0.0, atol=1e-9 * np.abs(Q).max())


def test_damper_takes_what_its_force_does() -> None:
    (x, v), damped, elastic = two_bodies(), bushing(), bushing(damping=0.0)
    power = (damped.evaluate(0.0, x, v, None).Q - elastic.evaluate(0.0, x, v, None).Q) @ v
    assert damped.energy(0.0, x, v, None, None).damping_power == pytest.approx(-power, rel=1e-12)


def test_action_is_reaction() -> None:
    x, v = two_bodies()
    Q = bushing().evaluate(0.0, x, v, None).Q
    force = Q[:3] + Q[6:9]
    moment = np.zeros(3)
    for k in (0, 6):
        moment += np.cross(x[k : k + 3], Q[k : k + 3]) + rotation_matrix(x[k + 3 : k + 6]) @ Q[k + 3 : k + 6]
    assert np.allclose(force, 0.0, atol=1e-13)
    assert np.allclose(moment, 0.0, atol=1e-12 * np.abs(Q).max())


def test_bushing_on_the_ground_moves_the_second_body_alone() -> None:
    x, v = anywhere(4)
    found = bushing(("ground", "two")).evaluate(0.0, x, v, None)
    still = np.zeros(6)
    whole = bushing().evaluate(0.0, np.concatenate([still, x]), np.concatenate([still, v]), None)
    assert np.array_equal(found.Q, whole.Q[6:])
    assert np.array_equal(found.by_x, whole.by_x[6:, 6:])
    assert np.array_equal(found.by_v, whole.by_v[6:, 6:])


def test_load_turns_with_the_body_where_it_should() -> None:
    load = element(
        SpatialLoad(
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
        state = motion(model, t_end, 450)[1][-1]
        # the trapezoidal rule is late by (omega h)^2/12 of the phase
        late = (omega * t_end / 450) ** 2 / 12.0 * omega * t_end
        assert state.q[direction] / 1e-6 == pytest.approx(math.sin(late), abs=1e-3 * late + 1e-6)
        others = np.delete(state.q, direction)
        assert np.abs(others).max() < 1e-15


# --------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("stiffness", "expected"),
    [
        (np.eye(5), r"stiffness of bearing = shape \(5, 5\)"),
        (np.eye(6) + np.eye(6, k=1), "stiffness of bearing = asymmetric by 1"),
        (np.diag([1e8, 1e8, 1e8, 1e3, 1e3, -1e3]), "stiffness of bearing = .* in one direction: must be not negative"),
        (np.eye(6) + 2.0 * (np.eye(6, k=1) + np.eye(6, k=-1)), "in one direction: must be not negative"),
    ],
)
def test_matrices_that_cannot_be(stiffness: np.ndarray, expected: str) -> None:
    with pytest.raises(Fault, match=expected):
        Bushing(name="bearing", between=("ground", "rotor"), stiffness=stiffness)
