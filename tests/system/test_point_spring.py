"""A spring between two points: its force along the line, its tangents, its energy."""

import numpy as np
import pytest

import alegear as ag
from alegear.system.builder import SystemBuilder
from alegear.system.rotation import moved
from alegear.system.spatial import FloatingBody, PointSpring

BODY = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
TURNS = (3, 9)


def element(**numbers):
    """A spring between two bodies, and coordinates and rates of both in general position."""
    rng = np.random.default_rng(3)
    builder = SystemBuilder()
    builder.add(FloatingBody(name="a", **BODY), FloatingBody(name="b", position=(2.0, 0.3, -0.4), **BODY))
    points = (np.array([0.1, 0.2, -0.1]), np.array([-0.2, 0.3, 0.1]))
    builder.add(PointSpring(name="s", between=("a", "b"), points=points, **numbers))
    model = builder.build()
    x = moved(model.start()[0], 0.4 * rng.normal(size=12), TURNS)
    return model.elements[-1], x, rng.normal(size=12)


def differences(f, n, h=1e-4):
    columns = []
    for i in range(n):
        e = np.zeros(n)
        e[i] = h
        columns.append((8.0 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12.0 * h))
    return np.array(columns).T


@pytest.mark.parametrize("numbers", [{"stiffness": 700.0, "free_length": 1.1}, {"damping": 30.0}])
def test_tangents_are_derivatives(numbers):
    one, x, v = element(**numbers)
    here = one.evaluate(0.0, x, v, None)
    by_x = differences(lambda e: one.evaluate(0.0, moved(x, e, TURNS), v, None).Q, 12)
    by_v = differences(lambda e: one.evaluate(0.0, x, v + e, None).Q, 12)
    size = max(np.abs(by_x).max(), np.abs(by_v).max())
    # fourth-order differences of step 1e-4: 1e-16 of the derivative's scale, and round-off 1e-16/1e-4
    assert np.abs(here.by_x - by_x).max() < 1e-9 * size
    assert np.abs(here.by_v - by_v).max() < 1e-9 * size


def test_force_is_the_slope_of_the_energy():
    one, x, _ = element(stiffness=700.0, free_length=1.1)
    still = np.zeros(12)

    def energy(e):
        at = moved(x, e, TURNS)
        return np.array([one.energy(0.0, at, still, one.evaluate(0.0, at, still, None), None).stored])

    Q = one.evaluate(0.0, x, still, None).Q
    assert pytest.approx(-differences(energy, 12)[0], rel=1e-9, abs=1e-9 * np.abs(Q).max()) == Q  # as above


def test_damper_takes_what_its_force_does():
    one, x, v = element(damping=30.0)
    here = one.evaluate(0.0, x, v, None)
    lost = one.energy(0.0, x, v, here, None).damping_power
    assert lost > 0.0
    assert here.Q @ v == pytest.approx(-lost, rel=1e-12)  # sums of twelve terms


def test_it_pulls_where_it_is_longer_and_pushes_where_it_is_shorter():
    """3 m long, 100 N/m, by 1 m longer or shorter than free: 100 N towards, or away from, the other end."""
    for free, sign in ((2.0, 1.0), (4.0, -1.0)):
        builder = SystemBuilder()
        builder.add(FloatingBody(name="a", position=(0.0, 3.0, 0.0), **BODY))
        builder.add(PointSpring(name="s", between=("ground", "a"), stiffness=100.0, free_length=free))
        model = builder.build()
        Q = model.elements[-1].evaluate(0.0, model.start()[0], np.zeros(6), None).Q
        assert pytest.approx([0.0, -100.0 * sign, 0.0, 0.0, 0.0, 0.0], abs=1e-12) == Q


def test_two_points_in_one_place_have_no_line():
    builder = SystemBuilder()
    builder.add(FloatingBody(name="a", **BODY), PointSpring(name="s", between=("ground", "a"), stiffness=1.0))
    model = builder.build()
    assert "no direction" in model.elements[-1].evaluate(0.0, model.start()[0], np.zeros(6), None).failure


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({}, "stiffness and damping of s"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"stiffness": 1.0, "free_length": -1.0}, "free length"),
        ({"stiffness": 1.0, "between": ("ground", "ground")}, "ground twice"),
    ],
)
def test_what_is_refused(numbers, words):
    with pytest.raises(ag.Fault, match=words):
        SystemBuilder().add(PointSpring(**{"name": "s", "between": ("ground", "a")} | numbers))
