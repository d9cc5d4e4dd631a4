"""Systems of bodies in space, as several tests build and move them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
from derivatives import differences
from scipy.linalg import eigh

from alegear.fe.assembly import FEModel
from alegear.fe.material import Material
from alegear.reduction.inertia import MassInvariants
from alegear.system import SystemBuilder, SystemMotion
from alegear.system.coordinates import Scales
from alegear.system.element import Element
from alegear.system.energy import SystemEnergy
from alegear.system.model import SystemModel
from alegear.system.rotation import moved
from alegear.system.spatial import FlexibleInertia, FloatingBody, rigid_inertia
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, integrate
from alegear.system.time_integration.second_order_system import State

Z = np.array([0.0, 0.0, 1.0])
ORIGIN = np.zeros(3)
#: Sizes that matter in machines of some centimetres.
SMALL = Scales(deflection=1e-6, force=1.0)


def system(*parts, gravity: np.ndarray | None = None, scales: Scales = SMALL, moves: bool = True) -> SystemModel:
    """A model of parts."""
    builder = SystemBuilder(scales)
    if gravity is not None:
        builder.gravity(gravity)
    return builder.add(*parts).build(moves=moves)


def off_centre(name: str, mass: float, inertia: np.ndarray, centre: np.ndarray = ORIGIN, **start) -> FloatingBody:
    """A rigid body whose frame need not be at its centre of mass; inertia about that."""
    return FloatingBody(name=name, flexible=rigid_inertia(mass, centre, inertia, name), **start)


def motion(
    model: SystemModel, t_end: float, n: int, scheme: GeneralizedAlpha | None = None
) -> tuple[SystemMotion, list[State]]:
    """The system and its states: the start, as bodies have it, and all n steps; trapezoidal where no joints ring."""
    moving, scheme = SystemMotion(model), scheme or GeneralizedAlpha(rho_inf=0.8 if model.joints else 1.0)
    states = [moving.begin(0.0, *model.start())]
    integrate(
        moving, states[0], t_end, scheme=scheme, control=FixedStep(h=t_end / n),
        on_step=states.append,
    )  # fmt: skip
    return moving, states


def energies(moving: SystemMotion, states: list[State]) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and stored energy at each state."""
    found = []
    for state in states:
        energy = SystemEnergy()
        energy.carry_on(moving, state)
        found.append((energy.kinetic, energy.stored))
    kinetic, stored = np.array(found).T
    return kinetic, stored


def energy_balance(moving: SystemMotion, states: list[State]) -> SystemEnergy:
    """Energies over all states."""
    energy = SystemEnergy()
    for state in states:
        energy.carry_on(moving, state)
    return energy


def check_tangents(element: Element, t: float, x: np.ndarray, v: np.ndarray, rotation_vectors: tuple[int, ...]) -> None:
    """Tangents of an element against differences of its forces, by displacements and by velocities."""
    data = element.new_data()
    found, n = element.evaluate(t, x, v, data), len(x)
    by_x = differences(lambda way: element.evaluate(t, moved(x, way, rotation_vectors), v, data).Q, n)
    by_v = differences(lambda change: element.evaluate(t, x, v + change, data).Q, n)
    # differences of order four with steps of 1e-3
    for one, expected in ((found.by_x, by_x), (found.by_v, by_v)):
        assert np.allclose(one, expected, rtol=0.0, atol=1e-9 * max(1.0, np.abs(expected).max()))


def ring(a: float, b: float, height: float, n: int) -> SimpleNamespace:
    """A closed ring of n hexahedra."""
    angle = 2.0 * math.pi * np.arange(n) / n
    radius, angle, z = np.meshgrid([a, b], angle, [-0.5 * height, 0.5 * height], indexing="ij")
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=-1).reshape(-1, 3)
    number = np.arange(len(points)).reshape(2, n, 2)
    beyond = np.roll(number, -1, axis=1)
    corners = (number[0], number[1], beyond[1], beyond[0])
    cells = np.stack([corner[:, k] for k in range(2) for corner in corners], axis=1)
    return SimpleNamespace(points=points, cells=cells)


def flexible_ring(n_modes: int = 8) -> FlexibleInertia:
    """A soft ring with its lowest free modes."""
    model = FEModel.from_mesh(ring(0.045, 0.055, 0.02, 24), Material(E=2e9))
    squares, shapes = eigh(model.stiffness.toarray(), model.mass.toarray(), subset_by_index=[6, 5 + n_modes])
    modes = shapes.reshape(model.n_nodes, 3, n_modes)
    return FlexibleInertia(name="ring", invariants=MassInvariants.of(model, modes), stiffness=np.diag(squares))


def kicked(body: FlexibleInertia) -> SystemModel:
    """A ring that tumbles and vibrates."""
    kick = np.random.default_rng(0).normal(size=8)
    kick *= math.sqrt(0.7) / np.linalg.norm(kick) * math.sqrt(2.0)
    floating = FloatingBody(name="ring", flexible=body, velocity=[1.0, 1.0, 1.0], angular_velocity=[30.0, 10.0, 100.0])
    builder = SystemBuilder(SMALL).add(floating)
    for i, speed in enumerate(kick):
        builder.start(6 + i, speed=speed)
    return builder.build()
