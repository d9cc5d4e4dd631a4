"""What holds of every part that turns: tangents, energy, torques inside a machine, compiled code and Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

import numpy as np
import pytest
from derivatives import differences
from planar_geometries import MESH_FRICTIONS, MESH_SPRINGS, mesh_named

import alegear as ag
from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.system import SystemBuilder, SystemModel
from alegear.system.model import evaluate
from alegear.system.ode import SystemOde

PAPER = mesh_named("table 3 of the paper")
ELLIPSE = [(angle, 0.91 / (1.09 - 0.6 * np.cos(angle))) for angle in np.linspace(0.0, 2.0 * pi, 73)]
ELLIPSE[-1] = (2.0 * pi, ELLIPSE[0][1])
LOSSES = [[0.0, 0.9, 0.85, 1.0, 2.0], [10.0, 0.95, 0.9, 0.5, 1.5], [100.0, 0.97, 0.96, 0.7, 1.0]]


@dataclass(frozen=True, eq=False)
class Sample:
    """Parts between rotors A, B, H of 1, 2 and 5 kg m2.

    Attributes
    ----------
    parts : tuple of parts
    angle, speed : float [rad, rad/s]
        How far states are drawn.
    closed : bool
        Nothing acts from outside: torques on the rotors sum to zero.
    teeth : bool
        Angles are those of flanks that touch, or nearly so.
    """

    parts: tuple
    angle: float = 2.0
    speed: float = 5.0
    closed: bool = False
    teeth: bool = False
    inertias: dict = field(default_factory=lambda: {"A": 1.0, "B": 2.0, "H": 5.0})

    def model(self) -> SystemModel:
        rotors = (ag.Rotor1D(name=name, inertia=inertia) for name, inertia in self.inertias.items())
        return SystemBuilder().add(*rotors, *self.parts).build()

    def states(self, number: int):
        """Angles and speeds of the rotors, drawn from a seed."""
        rng = np.random.default_rng(5)
        for _ in range(number):
            x, v = self.angle * rng.normal(size=3), self.speed * rng.normal(size=3)
            if self.teeth:  # overlaps of some tens of micrometres, and rates that part flanks
                x[1] = x[2] + (rng.uniform(-30e-6, 30e-6) - PAPER.l_A * (x[0] - x[2])) / PAPER.l_B
                v[1] = v[2] + (rng.uniform(-2.0, 2.0) - PAPER.l_A * (v[0] - v[2])) / PAPER.l_B
            yield x, v


def mesh(spring, friction=None) -> Sample:
    part = ag.ElasticMesh(name="mesh", gears=("A", "B"), averages=PAPER, spring=spring, friction=friction, carrier="H")
    return Sample((part,), angle=1.0, speed=2.0, teeth=True, closed=True)


def one(part, **given) -> Sample:
    return Sample((part,), **given)


AB = {"between": ("A", "B")}
SMOOTH = {
    "spring": one(ag.Spring(name="p", **AB, stiffness=40.0, damping=3.0, free_angle=0.3), closed=True),
    "spring with backlash": one(ag.Spring(name="p", **AB, stiffness=40.0, damping=3.0, backlash=0.5), closed=True),
    "ratio over the angle": one(
        ag.VaryingRatio(name="p", **AB, over_angle=ELLIPSE, stiffness=40.0, damping=3.0, housing="H"), closed=True
    ),
    "ratio over the angle, on the ground": one(
        ag.VaryingRatio(name="p", **AB, over_angle=ELLIPSE, stiffness=40.0, damping=3.0)
    ),
    "ratio over time": one(
        ag.VaryingRatio(name="p", **AB, over_time=[(0.0, 2.0), (1.0, 3.0)], damping=3.0, housing="H"), closed=True
    ),
    "ratio of a sine": one(
        ag.VaryingRatio(name="p", **AB, over_time=ag.Sine(amplitude=0.5, frequency=1.0, mean=2.0), damping=3.0)
    ),
    "engine": one(
        ag.TorqueMap(
            name="p", at="A", to="B", throttle=[[0.0, 0.0], [1.0, 1.0]], speeds=[0.0, 100.0, 250.0, 500.0],
            throttles=[0.0, 0.3, 1.0],
            torque=[[10.0, -5.0, -20.0, -40.0], [60.0, 90.0, 70.0, -10.0], [100.0, 180.0, 200.0, 120.0]],
        ),
        speed=200.0, closed=True,
    ),
    "converter": one(
        ag.TorqueConverter(
            name="p", pump="A", turbine="B",
            table=[[0.0, 4e-3, 2.0], [0.5, 3.6e-3, 1.45], [0.8, 2.8e-3, 1.08], [0.88, 2.2e-3, 1.0], [1.0, 0.0, 1.0]],
        ),
        speed=200.0,
    ),
    "resistance": one(
        ag.Resistance(name="p", at="A", to="B", linear=0.2, quadratic=0.05, table=[[0.0, 0.0], [5.0, 3.0], [9.0, 3.5]]),
        closed=True,
    ),
    "torque": one(ag.TorqueSource(name="p", at="A", to="B", torque=ag.Sine(amplitude=3.0, frequency=2.0)), closed=True),
    "governor": one(
        ag.SpeedGovernor(name="p", at="A", to="B", speed=[(0.0, 0.0), (1.0, 9.0)], proportional=3.0, integral=4.0),
        closed=True,
    ),
    **{f"mesh, {name}": mesh(spring) for name, spring in MESH_SPRINGS.items()},
}  # fmt: skip
WITH_SWITCHES = {
    "bearing": one(ag.BearingFriction(name="p", at="A", to="B", torque=[(0, 1.0), (5, 2.0)])),
    "clutch": one(ag.Clutch(name="p", **AB, normal_force=30.0, friction=[(0, 0.3), (9, 0.2)], signal=[(0, 0), (1, 1)])),
    "brake": one(ag.Brake(name="p", at="A", normal_force=30.0, overrunning="backward")),
    "road": one(ag.RoadLoad(name="p", at="A", mass=2.0, radius=0.3, rolling=0.02, drag_area=0.5, gradient=0.05)),
    "gear with losses": one(ag.RatioGear(name="p", **AB, ratio=-2.5, losses=LOSSES, housing="H")),
    "planetary set with losses": one(
        ag.PlanetaryGear(name="p", sun="A", ring="B", carrier="H", ratio=2.2, losses=[[0.0, 0.95, 0.93, 0.0, 0.0]])
    ),
    **{
        f"mesh, {name}, {law}": mesh(spring, friction)
        for name, spring in MESH_SPRINGS.items()
        for law, friction in MESH_FRICTIONS.items()
    },
}


CLOSED = {name: sample for name, sample in SMOOTH.items() if sample.closed}
ALL = SMOOTH | WITH_SWITCHES
T = 0.4  # s, between the corners of what is given over time


def slopes(function, step: float) -> list[np.ndarray]:
    """Derivatives by three numbers, over steps and over half of them: where they differ, a corner lies within."""
    return [differences(lambda e, h=h: function(h * e), 3) / h for h in (step, 0.5 * step)]


def tangents_found(sample: Sample, x: np.ndarray, v: np.ndarray) -> int:
    """Number of the tangents, by angles and by speeds, that have no corner near a state; all of them are right."""
    model = sample.model()
    data, seen = model.new_data(), 0
    there = evaluate(model, data, T, x, v)
    tight = 0.0, 4e-10 * (np.abs(there.Q).max() + 1.0)
    by_x, by_v = (lambda e: evaluate(model, data, T, x + e, v).Q), (lambda e: evaluate(model, data, T, x, v + e).Q)
    # teeth: round-off of the angles, 1e-16 of 3 rad at 2e8 N/m over 1e-7 rad, and the curvature of the laws
    for found, both, (rtol, atol) in (
        (there.by_x, slopes(by_x, 1e-4 if sample.teeth else 1.0), (1e-5, 3e-2) if sample.teeth else tight),
        (there.by_v, slopes(by_v, 1.0), (1e-6, 1e-6) if sample.teeth else tight),
    ):
        if np.allclose(*both, rtol=rtol, atol=atol):
            seen += 1
            np.testing.assert_allclose(found, both[1], rtol=rtol, atol=atol)
    return seen


@pytest.mark.parametrize("sample", SMOOTH.values(), ids=SMOOTH)
def test_tangents_are_derivatives(sample: Sample) -> None:
    assert sum(tangents_found(sample, x, v) for x, v in sample.states(30)) > 40


@pytest.mark.parametrize("sample", SMOOTH.values(), ids=SMOOTH)
def test_power_is_stored_lost_or_supplied(sample: Sample) -> None:
    """Of each element, by differences of its energy along the motion; dampers take, and never give."""
    model = sample.model()
    data, h = model.new_data(), (1e-9 if sample.teeth else 1e-6)
    for x, v in sample.states(30):
        for element, own in zip(model.elements, data.elements, strict=True):
            x_e, v_e = x[element.coordinates], v[element.coordinates]
            forces = element.evaluate(T, x_e, v_e, own)
            energy = element.energy(T, x_e, v_e, forces, own)
            there = [x_e + s * h * v_e for s in (-1.0, 1.0)]
            ends = [element.energy(T, x, v_e, element.evaluate(T, x, v_e, own), own).stored for x in there]
            stored = (ends[1] - ends[0]) / (2.0 * h)
            given = -forces.Q @ v_e + energy.supplied_power
            # of teeth the round-off of the angles times the force over h: 4e-16 rad, 60 N m, 1e-9 s
            assert given == pytest.approx(stored + energy.damping_power, rel=1e-6, abs=1e-4 if sample.teeth else 1e-6)
            assert energy.damping_power >= 0.0


@pytest.mark.parametrize("sample", CLOSED.values(), ids=CLOSED)
def test_torques_of_what_stands_on_nothing_add_up_to_nothing(sample: Sample) -> None:
    model = sample.model()
    data = model.new_data()
    for x, v in sample.states(30):
        Q = evaluate(model, data, T, x, v).Q
        assert Q.sum() == pytest.approx(0.0, abs=1e-12 * max(np.abs(Q).max(), 1.0))


@pytest.mark.parametrize("sample", ALL.values(), ids=ALL)
def test_compiled_code_says_what_python_says(sample: Sample) -> None:
    """Rates, root functions, and all that is recorded, at speeds and at rest."""
    model = sample.model()
    for number, (x, v) in enumerate(sample.states(30)):
        plain, compiled = SystemOde(model), CompiledOde(model)
        v = of_joints(model, v if number % 3 else np.zeros(3))
        y, other = (ode.start(T, x, v) for ode in (plain, compiled))
        np.testing.assert_array_equal(other, y)
        np.testing.assert_array_equal(compiled.direction, plain.direction)
        expected, rates = np.empty(plain.size), np.empty(plain.size)
        plain.rhs(T, y, expected), compiled.rhs(T, y, rates)
        # l_A phi_A of 0.03 m is rounded to 3e-18 m, of which 2e8 N/m and an arm of 1e-2 m make 7e-12 N m
        off = 5e-11 if sample.teeth else 1e-13 * np.abs(expected).max()
        np.testing.assert_allclose(rates, expected, rtol=1e-12 if sample.teeth else 1e-13, atol=off)
        expected, roots = np.empty(plain.n_roots), np.empty(plain.n_roots)
        plain.roots(T, y, expected), compiled.roots(T, y, roots)
        np.testing.assert_allclose(roots, expected, rtol=1e-11, atol=1e-9)
        then, now = (ode.instants(np.array([T]), y[None, :]) for ode in (plain, compiled))
        # what dampers of teeth lose is a difference of forces, of which each has the round-off of the overlap
        off = {"lam": 5e-11, "damped": 1e-9 if sample.teeth else 1e-12}
        for name in ("lam", "rates", "stored", "damped"):
            one, other = getattr(now, name), getattr(then, name)
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=off.get(name, 1e-12), err_msg=name)
        np.testing.assert_array_equal(now.modes, then.modes)


def of_joints(model: SystemModel, v: np.ndarray) -> np.ndarray:
    """The speeds nearest to given ones that joints allow."""
    rows = model.constraint_rows
    return v - np.linalg.pinv(rows) @ (rows @ v) if len(rows) else v
