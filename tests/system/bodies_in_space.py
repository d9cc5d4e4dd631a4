"""Systems of bodies in space, as several tests build and move them."""

from __future__ import annotations

import numpy as np
from derivatives import differences

from alegear.dynamics import FixedStep, GeneralizedAlpha, integrate
from alegear.dynamics.system import State
from alegear.system import SystemBuilder, SystemMotion
from alegear.system.coordinates import Scales
from alegear.system.element import Element
from alegear.system.energy import SystemEnergy
from alegear.system.model import SystemModel
from alegear.system.spatial import FloatingBody, rigid_inertia
from alegear.system.turns import moved

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


def account(moving: SystemMotion, states: list[State]) -> SystemEnergy:
    """Energies over all states."""
    energy = SystemEnergy()
    for state in states:
        energy.carry_on(moving, state)
    return energy


def check_tangents(element: Element, t: float, x: np.ndarray, v: np.ndarray, turns: tuple[int, ...]) -> None:
    """Tangents of an element against differences of its forces, by displacements and by velocities."""
    found, n = element.evaluate(t, x, v, None), len(x)
    by_x = differences(lambda way: element.evaluate(t, moved(x, way, turns), v, None).Q, n)
    by_v = differences(lambda change: element.evaluate(t, x, v + change, None).Q, n)
    # differences of order four with steps of 1e-3
    for one, expected in ((found.by_x, by_x), (found.by_v, by_v)):
        assert np.allclose(one, expected, rtol=0.0, atol=1e-9 * max(1.0, np.abs(expected).max()))
