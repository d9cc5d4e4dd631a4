"""Joints: first and second derivatives against differences, and what each of them lets a body do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from derivatives import differences

from alegear.dynamics.constraints import (
    WORLD,
    Coincidence,
    Constraint,
    Perpendicularity,
    fixed,
    led,
    n_equations,
    revolute,
)
from alegear.dynamics.rotation import rotation_matrix
from alegear.errors import Fault

POINTS = (np.array([0.3, -0.2, 0.5]), np.array([-0.1, 0.4, 0.2]))
Frame = tuple[np.ndarray, np.ndarray]


def turning(t: float) -> np.ndarray:
    return np.array([math.cos(t), math.sin(t), 0.0])


PRIMITIVES: list[Constraint] = [
    Coincidence(name="point", bodies=(0, 1), points=POINTS),
    Perpendicularity(name="axis", bodies=(0, 1), first=np.array([0.6, 0.0, 0.8]), second=np.array([0.0, 1.0, 0.0])),
    Perpendicularity(name="lead", bodies=(0, 1), first=turning, second=np.array([0.0, 0.6, 0.8])),
]


@pytest.fixture
def frames() -> tuple[Frame, Frame]:
    rng = np.random.default_rng(3)
    one, two = ((rng.normal(size=3), rotation_matrix(rng.normal(size=3))) for _ in range(2))
    return one, two


def moved(frame: Frame, way: np.ndarray) -> Frame:
    return frame[0] + way[:3], frame[1] @ rotation_matrix(way[3:])


@pytest.mark.parametrize("constraint", PRIMITIVES, ids=lambda c: c.name)
def test_derivatives(constraint: Constraint, frames: tuple[Frame, Frame]) -> None:
    one, two = frames
    t = 0.4

    def misfit(way: np.ndarray) -> np.ndarray:
        return constraint.evaluate(t, moved(one, way[:6]), moved(two, way[6:]))[0]

    def forces(way: np.ndarray) -> np.ndarray:
        _, G_1, G_2 = constraint.evaluate(t, moved(one, way[:6]), moved(two, way[6:]))
        return np.hstack([G_1, G_2]).T @ force

    force = np.random.default_rng(4).normal(size=constraint.n_equations)
    g, G_1, G_2 = constraint.evaluate(t, one, two)
    assert g.shape == (constraint.n_equations,)
    assert np.allclose(np.hstack([G_1, G_2]), differences(misfit, 12), rtol=0.0, atol=1e-11)
    assert np.allclose(constraint.curvature(t, one, two, force), differences(forces, 12), rtol=0.0, atol=1e-11)


def stacked(joint: list[Constraint], t: float, one: Frame, two: Frame) -> tuple[np.ndarray, np.ndarray]:
    parts = [constraint.evaluate(t, one, two) for constraint in joint]
    return np.concatenate([p[0] for p in parts]), np.vstack([p[2] for p in parts])


def test_hinge_leaves_the_turn_about_its_axis() -> None:
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    one = (np.zeros(3), np.eye(3))
    joint = revolute("hinge", (WORLD, 0), POINTS, (axis, axis))
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
    joint = fixed("weld", (WORLD, 0), POINTS, (turn, np.eye(3)))
    g, G = stacked(joint, 0.0, one, two)
    assert n_equations(joint) == 6
    assert np.abs(g).max() < 1e-14
    assert np.linalg.svd(G, compute_uv=False)[-1] > 0.1


def test_led_hinge_is_where_it_is_led() -> None:
    axis = np.array([0.0, 0.0, 1.0])
    joint = led("crank", (WORLD, 0), (np.zeros(3), np.zeros(3)), (axis, axis), lambda t: 3.0 * t)
    assert n_equations(joint) == 6
    for t in (0.0, 0.5, 2.0, 100.0):
        g, G = stacked(joint, t, (np.zeros(3), np.eye(3)), (np.zeros(3), rotation_matrix(3.0 * t * axis)))
        assert np.abs(g).max() < 1e-13
        assert np.linalg.svd(G, compute_uv=False)[-1] > 0.1


def test_axis_of_no_length() -> None:
    with pytest.raises(Fault, match="axis of hinge"):
        revolute("hinge", (WORLD, 0), POINTS, (np.zeros(3), np.ones(3)))
