"""Joints: first and second derivatives against differences, and what each of them lets a body do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, off_centre, system
from derivatives import differences

from alegear.errors import Fault
from alegear.system.coordinates import Scales
from alegear.system.rotation import rotation_matrix
from alegear.system.spatial import (
    Coincidence,
    JointDefinition,
    Perpendicularity,
    fixed,
    prescribed_revolute,
    prismatic,
    revolute,
)
from alegear.system.spatial.joints import AcrossGuide, Condition, Turning
from alegear.system.time_signal import rates_of

POINTS = (np.array([0.3, -0.2, 0.5]), np.array([-0.1, 0.4, 0.2]))
Frame = tuple[np.ndarray, np.ndarray]


class Swinging:
    """An angle that knows its rates."""

    def __call__(self, t: float) -> float:
        return math.sin(2.0 * t)

    def rates(self, t: float) -> tuple[float, float]:
        return 2.0 * math.cos(2.0 * t), -4.0 * math.sin(2.0 * t)


TURNING = Turning(across=(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])), angle=Swinging())
PRIMITIVES: dict[str, Condition] = {
    "point": Coincidence(points=POINTS),
    "axis": Perpendicularity(first=np.array([0.6, 0.0, 0.8]), second=np.array([0.0, 1.0, 0.0])),
    "lead": Perpendicularity(first=TURNING, second=np.array([0.0, 0.6, 0.8])),
    "guide": AcrossGuide(points=POINTS, across=(np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0]))),
}


@pytest.fixture
def frames() -> tuple[Frame, Frame]:
    rng = np.random.default_rng(3)
    one, two = ((rng.normal(size=3), rotation_matrix(rng.normal(size=3))) for _ in range(2))
    return one, two


def moved(frame: Frame, way: np.ndarray) -> Frame:
    return frame[0] + way[:3], frame[1] @ rotation_matrix(way[3:])


@pytest.mark.parametrize("condition", PRIMITIVES.values(), ids=PRIMITIVES)
def test_derivatives(condition: Condition, frames: tuple[Frame, Frame]) -> None:
    one, two = frames
    t = 0.4

    def misfit(way: np.ndarray) -> np.ndarray:
        return condition.evaluate(t, moved(one, way[:6]), moved(two, way[6:]))[0]

    def forces(way: np.ndarray) -> np.ndarray:
        return condition.evaluate(t, moved(one, way[:6]), moved(two, way[6:]))[1].T @ force

    force = np.random.default_rng(4).normal(size=condition.n_equations)
    g, G = condition.evaluate(t, one, two)
    assert g.shape == (condition.n_equations,)
    assert np.allclose(G, differences(misfit, 12), rtol=0.0, atol=1e-11)
    assert np.allclose(condition.curvature(t, one, two, force), differences(forces, 12), rtol=0.0, atol=1e-11)


def stacked(joint: JointDefinition, t: float, one: Frame, two: Frame) -> tuple[np.ndarray, np.ndarray]:
    """g, and its derivatives by the motion of the second body."""
    parts = [condition.evaluate(t, one, two) for condition in joint.conditions]
    return np.concatenate([p[0] for p in parts]), np.vstack([p[1] for p in parts])[:, 6:]


def n_equations(joint: JointDefinition) -> int:
    return sum(condition.n_equations for condition in joint.conditions)


def test_hinge_leaves_the_turn_about_its_axis() -> None:
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    one = (np.zeros(3), np.eye(3))
    joint = revolute("hinge", ("ground", "body"), POINTS, (axis, axis))
    assert n_equations(joint) == 5
    for angle in (0.0, 1.0, math.pi, 5.0):
        R = rotation_matrix(angle * axis)
        two = (POINTS[0] - R @ POINTS[1], R)
        g, G = stacked(joint, 0.0, one, two)
        assert np.abs(g).max() < 1e-15 * 10
        _, sizes, free = np.linalg.svd(G)
        assert sizes[-1] > 0.1
        # what is free turns about the axis and carries the frame along
        assert np.allclose(np.cross(free[-1, 3:], axis), 0.0, atol=1e-12)


def test_fixed_leaves_nothing() -> None:
    turn = rotation_matrix(np.array([0.2, -0.5, 0.4]))
    one, two = (np.zeros(3), np.eye(3)), (POINTS[0] - turn @ POINTS[1], turn)
    joint = fixed("weld", ("ground", "body"), POINTS, (turn, np.eye(3)))
    g, G = stacked(joint, 0.0, one, two)
    assert n_equations(joint) == 6
    assert np.abs(g).max() < 1e-14
    assert np.linalg.svd(G, compute_uv=False)[-1] > 0.1


def test_led_hinge_is_where_it_is_led() -> None:
    axis = np.array([0.0, 0.0, 1.0])
    joint = prescribed_revolute(
        "crank", ("ground", "body"), (np.zeros(3), np.zeros(3)), (axis, axis), lambda t: 3.0 * t
    )
    assert n_equations(joint) == 6
    for t in (0.0, 0.5, 2.0, 100.0):
        g, G = stacked(joint, t, (np.zeros(3), np.eye(3)), (np.zeros(3), rotation_matrix(3.0 * t * axis)))
        assert np.abs(g).max() < 1e-13
        assert np.linalg.svd(G, compute_uv=False)[-1] > 0.1


def test_guide_leaves_the_way_along_it() -> None:
    """Of a turned first body: the second one has its axes, and slides along a line of it."""
    direction = np.array([2.0, -1.0, 2.0]) / 3.0
    R = rotation_matrix(np.array([0.3, 1.1, -0.4]))
    one = (np.array([0.2, 0.1, -0.3]), R)
    joint = prismatic("guide", ("base", "body"), POINTS, direction)
    assert n_equations(joint) == 5
    for along in (-0.7, 0.0, 2.0):
        two = (one[0] + R @ (POINTS[0] + along * direction - POINTS[1]), R)
        g, G = stacked(joint, 0.0, one, two)
        assert np.abs(g).max() < 1e-15 * 10
        _, sizes, free = np.linalg.svd(G)
        assert sizes[-1] > 0.1
        assert np.allclose(np.cross(free[-1, :3], R @ direction), 0.0, atol=1e-12)
        assert np.allclose(free[-1, 3:], 0.0, atol=1e-12)
    across = np.cross(direction, [0.0, 0.0, 1.0])
    off = stacked(joint, 0.0, one, (two[0] + 0.01 * R @ across, R))[0]
    assert np.linalg.norm(off) == pytest.approx(0.01 * np.linalg.norm(across), rel=1e-10)


def test_zero_of_a_led_hinge_that_is_not_across() -> None:
    axes = (np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    with pytest.raises(Fault, match="cosine between the axis of crank and the direction of angle 0"):
        prescribed_revolute("crank", ("ground", "body"), POINTS, axes, lambda t: 0.0)
    prescribed_revolute("crank", ("ground", "body"), POINTS, axes, lambda t: 0.0, zero=np.array([0.0, 1.0, 0.0]))


def test_axis_of_no_length() -> None:
    with pytest.raises(Fault, match="axis of hinge"):
        revolute("hinge", ("ground", "body"), POINTS, (np.zeros(3), np.ones(3)))


@pytest.mark.parametrize("knows", [True, False], ids=["own rates", "differences"])
@pytest.mark.parametrize("kind", ["lead", "guide"])
def test_rates_by_time(kind: str, knows: bool, frames) -> None:
    """Of what leads, against differences of the equations; of a function that has none, by differences of its own."""
    motion = Swinging() if knows else Swinging().__call__
    across = (np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0]))
    lead = Turning(across=TURNING.across, angle=motion)
    one = {
        "lead": Perpendicularity(first=lead, second=np.array([0.0, 0.6, 0.8])),
        "guide": AcrossGuide(points=POINTS, across=across, displacement=motion),
    }[kind]
    t = 0.3
    rate, second = one.time_rates(t, *frames)
    expected = differences(lambda e: one.evaluate(t + e[0], *frames)[0], 1)[:, 0]
    np.testing.assert_allclose(rate, expected, rtol=0.0, atol=1e-9)  # differences of order four
    twice = differences(lambda e: one.time_rates(t + e[0], *frames)[0], 1)[:, 0]
    np.testing.assert_allclose(second, twice, rtol=0.0, atol=1e-6)  # of differences 1e-6, of own rates 1e-9
    assert np.abs(second).max() > 0.1
    for still in ("point", "axis"):
        assert not np.concatenate(PRIMITIVES[still].time_rates(t, *frames)).any()


@pytest.mark.parametrize("frequency", [1e-2, 1.0, 1e2, 1e4, 1e6])
def test_rates_of_a_function_of_a_fast_and_of_a_slow_motion(frequency: float) -> None:
    """By differences whose step fits the motion: of a watch as of a mill."""
    for turned in (0.0, 0.7, 5.3, 123.4):
        first, second = rates_of(lambda t: 0.3 + 1.5 * math.sin(frequency * t), turned / frequency)
        assert first == pytest.approx(1.5 * frequency * math.cos(turned), abs=1e-8 * frequency)
        assert second == pytest.approx(-1.5 * frequency**2 * math.sin(turned), abs=1e-5 * frequency**2)


def test_misfits_of_angles_matter_as_at_the_typical_radius() -> None:
    """Not as at 1 m: a joint of a machine of 6 m, or of one of 6 mm, is met to the same part of its size."""
    for radius in (6e-3, 6.0):
        scales = Scales(deflection=1e-3 * radius, force=1.0, radius=radius)
        hinge = revolute("hinge", ("ground", "wheel"), (ORIGIN, ORIGIN), (Z, Z))
        model = system(off_centre("wheel", 1.0, np.eye(3)), hinge, scales=scales)
        (joint,) = model.joints
        assert joint.scale == pytest.approx([*3 * [1e-3 * radius], 1e-3, 1e-3])
