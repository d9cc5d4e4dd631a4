"""Bearings and loads: forces as the derivative of their energy, tangents against differences, known motions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from derivatives import differences

from alegear.dynamics import FixedStep, GeneralizedAlpha, integrate
from alegear.dynamics import start as consistent
from alegear.dynamics.constraints import WORLD
from alegear.dynamics.elements import Bearing, Load
from alegear.dynamics.flexible_body import FlexibleBody
from alegear.dynamics.multibody import RESTING, BodyMotion, Multibody
from alegear.dynamics.rotation import (
    _half_cotangent_slope,
    rotation_matrix,
    tangent_inverse,
    tangent_inverse_derivative,
)
from alegear.errors import Fault
from alegear.reduction.inertia import MassInvariants

POINTS = (np.array([0.3, -0.2, 0.5]), np.array([-0.1, 0.4, 0.2]))


def spd(seed: int) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return A @ A.T


def bearing(bodies: tuple[int, int] = (0, 1)) -> Bearing:
    return Bearing(name="bearing", bodies=bodies, stiffness=spd(1), damping=0.3 * spd(2), points=POINTS)


def motion(seed: int, angle: float = 1.0) -> BodyMotion:
    rng = np.random.default_rng(seed)
    return BodyMotion(
        p=rng.normal(size=3), R=rotation_matrix(angle * rng.normal(size=3)), u=np.zeros(0),
        v=rng.normal(size=3), w=rng.normal(size=3), du=np.zeros(0),
    )  # fmt: skip


def along(start: BodyMotion, way: np.ndarray, change: np.ndarray) -> BodyMotion:
    return BodyMotion(
        p=start.p + way[:3], R=start.R @ rotation_matrix(way[3:]), u=start.u,
        v=start.v + change[:3], w=start.w + change[3:], du=start.du,
    )  # fmt: skip


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
    element, motions, still = bearing(), [motion(3, angle), motion(4, angle)], np.zeros(6)
    Q, by_place, by_velocity = element.force(0.0, motions)

    def moved(way: np.ndarray) -> np.ndarray:
        return element.force(0.0, [along(motions[0], way[:6], still), along(motions[1], way[6:], still)])[0]

    def faster(change: np.ndarray) -> np.ndarray:
        return element.force(0.0, [along(motions[0], still, change[:6]), along(motions[1], still, change[6:])])[0]

    assert Q.shape == (12,)
    expected = differences(moved, 12)
    assert np.allclose(by_place, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    assert np.allclose(by_velocity, differences(faster, 12), rtol=0.0, atol=1e-9 * np.abs(by_velocity).max())


def test_force_is_the_derivative_of_the_energy() -> None:
    element = Bearing(name="spring", bodies=(0, 1), stiffness=spd(1), points=POINTS)
    motions, still = [motion(3), motion(4)], np.zeros(6)

    def energy(way: np.ndarray) -> np.ndarray:
        return np.array([element.energy([along(motions[0], way[:6], still), along(motions[1], way[6:], still)])])

    Q, _, _ = element.force(0.0, motions)
    assert np.allclose(Q, -differences(energy, 12)[0], rtol=0.0, atol=1e-9 * np.abs(Q).max())


def test_action_is_reaction() -> None:
    motions = [motion(3), motion(4)]
    Q, _, _ = bearing().force(0.0, motions)
    force = Q[:3] + Q[6:9]
    moment = np.zeros(3)
    for k, m in enumerate(motions):
        moment += np.cross(m.p, Q[6 * k : 6 * k + 3]) + m.R @ Q[6 * k + 3 : 6 * k + 6]
    assert np.allclose(force, 0.0, atol=1e-13)
    assert np.allclose(moment, 0.0, atol=1e-12 * np.abs(Q).max())


def test_bearing_on_the_world_moves_the_second_body_alone() -> None:
    other = motion(4)
    Q, by_place, by_velocity = bearing((WORLD, 0)).force(0.0, [RESTING, other])
    whole = bearing().force(0.0, [RESTING, other])
    assert np.array_equal(Q, whole[0][6:])
    assert np.array_equal(by_place, whole[1][6:, 6:])
    assert np.array_equal(by_velocity, whole[2][6:, 6:])


def test_load_turns_with_the_body_where_it_should() -> None:
    load = Load(
        name="weight", bodies=(0,), value=lambda t: np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6]) * t, point=POINTS[0]
    )
    start, still = motion(5), np.zeros(6)
    Q, by_place, _ = load.force(2.0, [start])
    assert np.array_equal(Q[:3], [2.0, 4.0, 6.0])
    # moment about the frame, world axes
    expected = np.cross(start.R @ POINTS[0], Q[:3]) + np.array([0.8, 1.0, 1.2])
    assert np.allclose(start.R @ Q[3:], expected)
    found = differences(lambda way: load.force(2.0, [along(start, way, still)])[0], 6)
    assert np.allclose(by_place, found, rtol=0.0, atol=1e-10)


def test_rotor_on_bearings_vibrates_with_its_six_frequencies() -> None:
    """At standstill: each direction by itself, from a small displacement; the pitching one over three periods."""
    J, mass, k = np.diag([0.02, 0.02, 0.03]), 3.0, np.array([1e6, 2e6, 3e6, 5e3, 6e3, 7e3])
    body = FlexibleBody(
        name="rotor",
        invariants=MassInvariants.rigid(mass=mass, first=np.zeros(3), second=0.5 * np.trace(J) * np.eye(3) - J),
    )
    system = Multibody([body], elements=[Bearing(name="bearing", bodies=(WORLD, 0), stiffness=np.diag(k))])
    inertia = np.array([mass, mass, mass, 0.02, 0.02, 0.03])
    for direction in range(6):
        omega = math.sqrt(k[direction] / inertia[direction])
        q = np.zeros(6)
        q[direction] = 1e-6
        state = consistent(system, t=0.0, q=q, v=np.zeros(6))
        t_end = 2.25 * 2.0 * math.pi / omega  # where it passes through the middle
        scheme = GeneralizedAlpha(rho_inf=1.0)
        state, _ = integrate(system, state, t_end, scheme=scheme, control=FixedStep(h=t_end / 450))
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
        Bearing(name="bearing", bodies=(WORLD, 0), stiffness=stiffness)
