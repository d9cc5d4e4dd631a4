"""The account of energy of bodies in space: what is missing falls with the square of the step."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, energies, energy_balance, flexible_ring, kicked, motion, off_centre, system
from closed_form.oscillators import observed_orders

from alegear.system.energy import SystemEnergy
from alegear.system.model import SystemModel
from alegear.system.rotation import rotation_matrix
from alegear.system.spatial import Bushing, FloatingBody, PointLoad, prescribed_revolute, revolute, spherical
from alegear.system.time_integration import GeneralizedAlpha

G = np.array([0.0, -9.81, 0.0])
J = np.array([0.02, 0.03, 0.045])


def tumbling_in_space() -> SystemModel:
    """Frame off the centre of mass: its mass matrix turns with it."""
    body = off_centre(
        "block", 1.5, np.diag(J), np.array([0.1, -0.2, 0.05]), angular_velocity=[3.0, 5.0, -2.0], velocity=[1, 0, 2]
    )
    return system(body, gravity=G)


def double_pendulum() -> SystemModel:
    """On ball joints, one body with its frame at the joint, one at its centre of mass."""
    upper = off_centre("upper", 2.0, np.diag(J), np.array([0.3, 0.0, 0.0]))
    lower = FloatingBody(name="lower", mass=1.0, inertia=J, position=[0.9, 0.0, 0.0])
    joints = [
        spherical("pivot", ("ground", "upper"), (ORIGIN, ORIGIN)),
        spherical("elbow", ("upper", "lower"), (np.array([0.6, 0.0, 0.0]), np.array([-0.3, 0.0, 0.0]))),
    ]
    return system(upper, lower, *joints, gravity=G)


def loaded() -> SystemModel:
    """A load that grows and turns, off the centre, and a bushing with dampers."""

    def value(t: float) -> np.ndarray:
        return np.array([3.0 * math.sin(4.0 * t), 2.0, -t, 0.1, 0.2 * t, -0.3 * math.cos(3.0 * t)])

    body = FloatingBody(name="block", mass=1.5, inertia=J, angular_velocity=[1.0, 2.0, 0.5])
    spring = Bushing(
        name="bushing", between=("ground", "block"), stiffness=np.diag([80.0, 60.0, 40.0, 2.0, 3.0, 4.0]),
        damping=np.diag([1.0, 2.0, 1.0, 0.05, 0.03, 0.02]), points=(np.array([0.1, 0.0, 0.0]),) * 2,
    )  # fmt: skip
    return system(body, PointLoad(name="load", body="block", value=value, point=np.array([0.1, 0.2, -0.1])), spring)


def led_arm() -> SystemModel:
    """An arm prescribed by a hinge, unevenly, with another that hangs from its end: the hinge works."""

    def angle(t: float) -> float:
        return 1.5 * t**2 + 0.2 * math.sin(5.0 * t)

    speed = 1.0
    arm = FloatingBody(name="arm", mass=2.0, inertia=J, position=[0.3, 0, 0], velocity=[0, 0.3 * speed, 0],
                       angular_velocity=[0, 0, speed])  # fmt: skip
    end = np.array([0.3, 0.0, 0.0])
    hanging = off_centre(
        "hanging", 1.0, np.diag(J), np.array([0.0, -0.3, 0.0]), position=[0.6, 0, 0], velocity=[0, 0.6 * speed, 0]
    )
    joints = [
        prescribed_revolute("motor", ("ground", "arm"), (ORIGIN, -end), (Z, Z), angle),
        revolute("elbow", ("arm", "hanging"), (end, ORIGIN), (Z, Z)),
    ]
    return system(arm, hanging, *joints, gravity=G)


@pytest.mark.parametrize(
    "made",
    [tumbling_in_space, pytest.param(double_pendulum, marks=pytest.mark.thorough), loaded, led_arm],
    ids=lambda made: made.__name__,
)
def test_missing_energy_falls_with_the_square_of_the_step(made: Callable[[], SystemModel]) -> None:
    model, missing, turned_over = made(), [], 0.0
    numbers = {double_pendulum: [200, 400], loaded: [100, 200]}.get(made, [50, 100])
    for n in numbers:
        moving, states = motion(model, 1.0, n, GeneralizedAlpha(rho_inf=0.8))
        energy, worst = SystemEnergy(), 0.0
        for state in states:
            energy.carry_on(moving, state)
            worst = max(worst, abs(energy.missing))
            turned_over = max(turned_over, abs(energy.kinetic + energy.stored - energy.start), energy.kinetic)
        missing.append(worst)
    assert missing[-1] < 2e-4 * turned_over
    assert observed_orders(1.0 / np.array(numbers), missing) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("scheme", [0.8, pytest.param(1.0, marks=pytest.mark.thorough)], ids=["damped", "trapezoidal"])
def test_ring_that_tumbles_and_vibrates(scheme: float) -> None:
    """Nothing is put in, and nothing lost, but for the steps."""
    model, missing = kicked(flexible_ring()), []
    for n in (125, 250):
        moving, states = motion(model, 0.0025, n, GeneralizedAlpha(rho_inf=scheme))
        energy = energy_balance(moving, states)
        assert energy.input == energy.dissipated == 0.0
        missing.append(max(abs(sum(one) - energy.start) for one in zip(*energies(moving, states), strict=True)))
    assert missing[1] < 1e-4 * energy.start
    # what the damped scheme takes from a vibration falls with the cube
    assert observed_orders(1.0 / np.array([125, 250]), missing) > 1.8


def test_led_hinge_gives_what_the_bodies_take() -> None:
    """The torque of the hinge, its last multiplier with the sign turned, over the angle it is prescribed."""
    moving, states = motion(led_arm(), 1.0, 200)
    energy = energy_balance(moving, states)
    row = np.array([state.multipliers[5] for state in states])
    angle = np.array([1.5 * s.t**2 + 0.2 * math.sin(5.0 * s.t) for s in states])
    work = -np.sum(0.5 * (row[1:] + row[:-1]) * np.diff(angle))
    # weight of the arm is put in, that of the other body is stored
    fall = 2.0 * float(G @ (states[-1].q[:3] - states[0].q[:3]))
    assert abs(work) > 1.0
    # both by the trapezoidal rule, but that with sin and cos of the angle, this with the angle: of second order
    assert energy.input - fall == pytest.approx(work, rel=1e-4)


def test_checkpoint_goes_on_where_it_was() -> None:
    moving, states = motion(led_arm(), 0.2, 40)
    whole = energy_balance(moving, states)
    half = energy_balance(moving, states[:20])
    again = SystemEnergy.from_arrays(half.to_arrays())
    for state in states[20:]:
        again.carry_on(moving, state)
    assert (again.input, again.missing) == (whole.input, whole.missing)


def test_pendulum_stores_what_it_falls() -> None:
    """From rest at a height to the bottom: the speed by the height, whatever frame."""
    length, mass = 0.5, 2.0
    axes = rotation_matrix(0.5 * math.pi * Z)
    body = off_centre("bob", mass, np.diag([0.01, 0.01, 1e-4]), np.array([0.0, -length, 0.0]), axes=axes)
    model = system(body, revolute("pivot", ("ground", "bob"), (ORIGIN, ORIGIN), (Z, Z)), gravity=G)
    moving, states = motion(model, 0.3, 400)
    energy = energy_balance(moving, states)
    assert energy.start == pytest.approx(0.0, abs=1e-12)
    for state in states[::40]:
        own = SystemEnergy()
        own.carry_on(moving, state)
        R = rotation_matrix(state.q[3:])
        assert own.stored == pytest.approx(mass * 9.81 * float((R @ [0.0, -length, 0.0])[1]), rel=1e-12, abs=1e-12)
        # trapezoidal rule: (omega h)^2 / 12 with omega about 4.4/s and h = 0.75 ms
        assert own.kinetic == pytest.approx(-own.stored, abs=1e-5)
