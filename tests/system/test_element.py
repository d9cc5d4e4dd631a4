"""A nonlinear element in a file of its own: tangents, equilibrium, motion, energy, memory."""

from __future__ import annotations

import numpy as np
import pytest
from system_parts import PrescribedSpeed, Rotor, Torque

from alegear.errors import Fault, NonConvergence
from alegear.system import (
    Element,
    ElementEnergy,
    ElementForces,
    Linearised,
    PiecewiseCubic,
    StatelessElement,
    SystemBuilder,
    SystemEnergy,
    SystemMotion,
    Unbalance,
    complex_modes,
    evaluate,
    mass_matrix,
    mass_tangent,
    real_modes,
    solve_equilibrium,
)
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, NewtonParameters, integrate, start


class CubicSpring(StatelessElement):
    """k y + k_3 y^3 on a coordinate: the twenty lines that an element takes."""

    def __init__(self, name, index, k, k3, limit=np.inf):
        self.name, self.k, self.k3, self.limit = name, k, k3, limit
        self.coordinates = np.array([index])

    def evaluate(self, t, x, v, data):
        if abs(x[0]) > self.limit:
            return ElementForces.failed(1, "twisted off: lower the torque")
        return ElementForces(
            Q=-self.k * x - self.k3 * x**3,
            by_x=np.array([[-self.k - 3.0 * self.k3 * x[0] ** 2]]),
            by_v=np.zeros((1, 1)),
        )

    def energy(self, t, x, v, forces, data):
        return ElementEnergy(stored=float(0.5 * self.k * x[0] ** 2 + 0.25 * self.k3 * x[0] ** 4))


class Counter(StatelessElement):
    """A brake of constant torque against the motion that counts its steps: an element with a memory, and friction."""

    name, torque = "brake", 0.3

    def __init__(self, index):
        self.coordinates = np.array([index])

    def new_data(self):
        return {"steps": np.array(0)}

    def evaluate(self, t, x, v, data):
        return ElementForces(Q=np.array([-self.torque]), by_x=np.zeros((1, 1)), by_v=np.zeros((1, 1)))

    def accept(self, t, x, v, forces, data):
        data["steps"] = data["steps"] + 1

    def energy(self, t, x, v, forces, data):
        return ElementEnergy(stored=0.0, friction=-forces.Q)

    def memory(self, data):
        return dict(data)

    def recall(self, data, memory):
        data.update(memory)


def with_spring(k=500.0, k3=4e4, limit=np.inf, torque=30.0):
    builder = SystemBuilder()
    disk = builder.rotor("disk", inertia=0.2)
    builder.element(CubicSpring("spring", disk.rotation, k, k3, limit))
    builder.add(Torque(name="load", place="disk", profile=PiecewiseCubic.constant(torque)))
    return builder.build()


def test_they_are_elements():
    assert isinstance(CubicSpring("s", 0, 1.0, 1.0), Element)
    assert isinstance(Counter(0), Element)


def test_equilibrium_of_a_cubic_spring():
    found = solve_equilibrium(with_spring())
    y = found.x[0]
    assert 500.0 * y + 4e4 * y**3 == pytest.approx(30.0, rel=1e-12)
    assert found.iterations < 12


def test_modes_about_an_equilibrium():
    model = with_spring()
    y = solve_equilibrium(model).x
    exact = np.sqrt((500.0 + 3 * 4e4 * y[0] ** 2) / 0.2)
    for modes in (real_modes, complex_modes):
        np.testing.assert_allclose(modes(Linearised.of(model, x=y)).frequencies, [exact], rtol=1e-12)


def test_an_element_that_pushes_away_has_no_frequency():
    modes = real_modes(Linearised.of(with_spring(k=-500.0)))
    np.testing.assert_array_equal(modes.frequencies, [0.0])
    np.testing.assert_allclose(modes.decay_rates, [-np.sqrt(500.0 / 0.2)], rtol=1e-12)
    decay = np.sort(complex_modes(Linearised.of(with_spring(k=-500.0))).decay_rates)
    np.testing.assert_allclose(decay, np.sqrt(500.0 / 0.2) * np.array([-1.0, 1.0]), rtol=1e-9)


def test_what_cannot_be_evaluated_is_said():
    model = with_spring(limit=1e-4)
    with pytest.raises(NonConvergence, match="spring: twisted off: lower the torque"):
        solve_equilibrium(model, x=np.array([1.0]))
    with pytest.raises(Fault, match="twisted off"):
        Linearised.of(model, x=np.array([1.0]))


def run(model, x, v, h, steps):
    system = SystemMotion(model)
    state = start(system, t=0.0, q=system.free_of(x), v=system.free_of(v))
    energy, drift = SystemEnergy(), []
    energy.carry_on(system, state)

    def on_step(state):
        energy.carry_on(system, state)
        drift.append(energy.missing)

    scheme = GeneralizedAlpha(rho_inf=1.0, newton=NewtonParameters(tolerance=1e-12))
    integrate(system, state, steps * h, scheme=scheme, control=FixedStep(h=h), on_step=on_step)
    return system, energy, np.array(drift)


def test_energy_of_a_cubic_spring_falls_with_the_square_of_the_step():
    drifts = [np.abs(run(with_spring(), np.zeros(1), np.zeros(1), h, round(0.2 / h))[2]).max() for h in (1e-3, 5e-4)]
    assert np.log2(drifts[0] / drifts[1]) == pytest.approx(2.0, abs=0.2)


def test_friction_and_memory_of_an_element():
    builder = SystemBuilder()
    disk = builder.rotor("disk", inertia=0.2)
    builder.element(Counter(disk.rotation))
    model = builder.build()
    system, energy, drift = run(model, np.zeros(1), np.array([5.0]), 1e-3, 100)
    turned = 5.0 * 0.1 - 0.5 * 0.3 / 0.2 * 0.1**2
    assert energy.dissipated == pytest.approx(0.3 * turned, rel=1e-9)
    assert np.abs(drift).max() < 1e-12 * energy.start
    kept = system.data.memory(model)
    assert kept == {"brake/steps": 101}  # the start counts
    other = model.new_data()
    other.recall(model, kept)
    assert other.elements[0]["steps"] == 101
    assert model.new_data().elements[0]["steps"] == 0  # nothing is hidden in the model


# -------------------------------------------------------------------- tangents
def rich_system():
    """Everything at once: gyroscopic, damped, an unbalance, a cubic spring, a load, a prescribed body."""
    builder = SystemBuilder()
    disk = builder.rotor("disk", mass=3.0, inertia=0.02, tilt_inertia=0.01)
    other = builder.rotor("other", mass=1.0, inertia=0.03, tilt_inertia=0.02, origin=(0.0, 0.0, 0.2))
    at, rows = builder.between(disk, other)
    builder.linear("shaft", at=at, rows=rows, stiffness=1e5 * np.eye(6), damping=7.0 * np.eye(6))
    builder.element(Unbalance("unbalance", disk, 2e-3, phase=0.4))
    builder.element(CubicSpring("cubic", int(other.coordinates[1]), 1e4, 1e9))
    builder.add(PrescribedSpeed(name="motor", place="other", speed=PiecewiseCubic.step(0.0, 200.0, 0.0, 0.1)))
    return builder.build()


def test_tangents_are_derivatives():
    model, generator = rich_system(), np.random.default_rng(1)
    data = model.new_data()
    x, v = 1e-3 * generator.normal(size=model.n), generator.normal(size=model.n)
    v[0] = 80.0
    there = evaluate(model, data, 0.05, x, v)
    for which, found in (("x", there.by_x), ("v", there.by_v)):
        differences = np.empty_like(found)
        for i in range(model.n):
            e = (1e-6 if which == "x" else 1e-3) * np.eye(model.n)[i]
            ends = [
                evaluate(model, data, 0.05, *((x + s * e, v) if which == "x" else (x, v + s * e))).Q for s in (1, -1)
            ]
            differences[:, i] = (ends[0] - ends[1]) / (2.0 * e[i])
        np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-6 * np.abs(found).max())


def test_mass_of_an_unbalance_is_that_of_its_kinetic_energy():
    """Cross terms of m |d/dt (x + e cos, y + e sin)|^2/2: the others are in the inertia of the rotor."""
    builder = SystemBuilder()
    disk = builder.rotor("disk", mass=3.0, inertia=0.02)
    builder.element(Unbalance("unbalance", disk, 2e-3))
    model = builder.build()
    x, v = np.zeros(6), np.array([7.0, 0.3, -0.2, 0.0, 0.0, 0.0])
    x[0] = 0.9
    M = mass_matrix(model, model.new_data(), x) - model.mass
    cross = 2e-3 * 7.0 * (-0.3 * np.sin(0.9) - 0.2 * np.cos(0.9))
    assert 0.5 * v @ M @ v == pytest.approx(cross, rel=1e-12)


def test_a_rotor_on_a_hinge_and_one_with_displacements():
    builder = SystemBuilder().add(
        Rotor(name="hinged", inertia=1.0), Rotor(name="free", inertia=1.0, mass=2.0, tilt_inertia=0.5)
    )
    assert builder.build().names == ("hinged", "free", "free x", "free y", "free z", "free tilt x", "free tilt y")


def test_tangents_of_the_motion_are_derivatives():
    """Those of the residual M(q) vdot - Q that the scheme solves, with a prescribed body and a mass that changes."""
    model = rich_system()
    system, generator = SystemMotion(model), np.random.default_rng(6)
    q, v, a = (s * generator.normal(size=system.n_dof) for s in (1e-3, 1.0, 50.0))

    def residual(q):
        force = system.force(0.05, q, v)
        return system.mass_matrix(q) @ a - force.Q

    force = system.force(0.05, q, v)
    found = system.acceleration_tangent(q, a) - force.dQ_dq
    differences = np.array([(residual(q + e) - residual(q - e)) / 2e-6 for e in 1e-6 * np.eye(system.n_dof)]).T
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-6 * np.abs(found).max())


def test_tangent_of_a_mass_that_changes():
    model, generator = rich_system(), np.random.default_rng(7)
    data, x, a = model.new_data(), generator.normal(size=model.n), generator.normal(size=model.n)
    found = mass_tangent(model, data, x, a)
    ends = [[mass_matrix(model, data, x + s * e) @ a for e in 1e-6 * np.eye(model.n)] for s in (1.0, -1.0)]
    differences = (np.array(ends[0]) - np.array(ends[1])).T / 2e-6
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-6 * np.abs(found).max())
