"""Torsional parts on hinges in space: tangents, energy, springs of many turns, momentum of what floats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, energy_balance
from derivatives import differences
from system_parts import Torque

from alegear.drivetrain.rotational.gears import RatioGear
from alegear.drivetrain.rotational.springs import Spring
from alegear.errors import Fault
from alegear.system import PiecewiseCubic, Rotor1D, Scales, SystemBuilder, SystemMotion, solve_equilibrium
from alegear.system.model import SystemModel
from alegear.system.rotation import moved, rotation_matrix
from alegear.system.spatial import FloatingBody, HingeAngle, revolute
from alegear.system.start import start_with_joints
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, integrate
from alegear.system.time_integration.second_order_system import State

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
#: Mean of what acts here: Newton ends at 1e-9 of it.
SCALES = Scales(deflection=1e-4, force=1.0, radius=0.1)


def hinged(builder: SystemBuilder, between: tuple[str, str], axis: np.ndarray = Z, at: np.ndarray = ORIGIN) -> None:
    """A hinge at a point of the first body and at the origin of the second, with the angle of "rotor"."""
    builder.add(revolute("hinge", between, (at, ORIGIN), (axis, axis)))
    builder.add(HingeAngle(name="angle", between=between, axis=axis, rotor="rotor", point=ORIGIN))


def wheel(**more) -> FloatingBody:
    return FloatingBody(name="wheel", mass=1.0, inertia=[0.02, 0.02, 0.03], **more)


def move(model: SystemModel, t_end: float, n: int) -> tuple[SystemMotion, list[State]]:
    moving = SystemMotion(model)
    states = [moving.begin(0.0, *start_with_joints(model))]
    integrate(
        moving, states[0], t_end, scheme=GeneralizedAlpha(rho_inf=0.9), control=FixedStep(h=t_end / n),
        on_step=states.append,
    )  # fmt: skip
    return moving, states


def test_tangents() -> None:
    builder = SystemBuilder(SCALES).add(wheel(), FloatingBody(name="frame", mass=1.0, inertia=[1.0, 1.0, 1.0]))
    builder.add(Rotor1D(name="rotor", inertia=0.0, angle=0.4))
    hinged(builder, ("frame", "wheel"), AXIS)
    model = builder.build()
    joint, rng = model.joints[-1], np.random.default_rng(0)
    n, rotation_vectors = (
        len(joint.coordinates),
        [int(np.searchsorted(joint.coordinates, k)) for k in model.rotation_vectors],
    )
    start, lam = model.start()[0][joint.coordinates], np.array([700.0])
    assert joint.misfit(0.0, start)[0] == pytest.approx([0.0], abs=1e-15)
    x = moved(start, 0.5 * rng.normal(size=n), rotation_vectors)
    G = differences(lambda e: joint.misfit(0.0, moved(x, e, rotation_vectors))[0], n)
    K = differences(lambda e: joint.misfit(0.0, moved(x, e, rotation_vectors))[1].T @ lam, n)
    # differences of order four with steps of 1e-3
    np.testing.assert_allclose(joint.misfit(0.0, x)[1], G, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(joint.curvature(0.0, x, lam), K, rtol=0.0, atol=1e-9 * 700.0)


@pytest.mark.thorough  # many turns: studies/machine/test_mechanisms_at_extremes
def test_spring_between_torsional_parts_is_wound_by_many_turns() -> None:
    """A wheel of 0.03 kg m2 and a rotor of 0.01 on one hinge against a spring: it swings by 20 rad, three turns."""
    builder = SystemBuilder(SCALES).add(Rotor1D(name="rotor", inertia=0.01))
    omega = math.sqrt(2.0 / 0.04)
    builder.add(wheel(angular_velocity=20.0 * omega * Z))
    hinged(builder, ("ground", "wheel"))
    builder.add(Spring(name="spring", between=("ground", "rotor"), stiffness=2.0))
    model = builder.build()
    n = 2000
    moving, states = move(model, 2.0 * math.pi / omega, n)
    rotor = model.index("rotor")
    looked_at = states[::20]
    angle = np.array([moving.motion(state).x[rotor] for state in looked_at])
    t = np.array([state.t for state in looked_at])
    h = omega * states[1].t
    # a scheme of second order with rho_inf 0.9: h^2/12 of the phase of a period, and damping of the order of h^3
    assert angle == pytest.approx(20.0 * np.sin(omega * t), abs=20.0 * h**2)
    energy = energy_balance(moving, states)
    assert abs(energy.missing) < 1e-5 * energy.start


def test_ratio_and_torque_on_a_mechanism() -> None:
    """T on a rotor of 0.01 geared 4 to 1 to that of the hinge: d2phi/dt2 = 4 T/(0.03 + 16 0.01)."""
    builder = SystemBuilder(SCALES)
    builder.add(Rotor1D(name="motor", inertia=0.01), Rotor1D(name="rotor", inertia=0.0), wheel())
    hinged(builder, ("ground", "wheel"), AXIS)
    builder.add(RatioGear(name="gear", between=("motor", "rotor"), ratio=4.0))
    builder.add(Torque(name="load", place="motor", profile=PiecewiseCubic.constant(0.5)))
    model = builder.build()
    moving, states = move(model, 1.0, 100)
    found = moving.motion(states[-1])
    inertia = AXIS @ np.diag([0.02, 0.02, 0.03]) @ AXIS
    expected = 4.0 * 0.5 / (inertia + 16.0 * 0.01)
    assert found.x[model.index("motor")] == pytest.approx(4.0 * 0.5 * expected, rel=1e-9)  # exact for constant ones
    at = model.frames["wheel"].coordinates[3:]
    turned = rotation_matrix(0.5 * expected * AXIS)
    assert rotation_matrix(found.x[at]) == pytest.approx(turned, abs=1e-8)
    # the rotor turns the wheel by what accelerates it
    joint, rows = model.joints[-1], model.joint_rows.rows[-1]
    torque = joint.reaction(1.0, found.x[joint.coordinates], found.joint_multipliers[rows])[1]
    assert torque @ AXIS == pytest.approx(inertia * expected, rel=1e-6)  # accelerations lose digits


def test_motor_on_a_body_that_floats_turns_it_back() -> None:
    """The torque between frame and wheel leaves the momentum of both as it is: zero."""
    builder = SystemBuilder(SCALES).add(Rotor1D(name="rotor", inertia=0.0), wheel(position=0.2 * Z))
    builder.add(FloatingBody(name="frame", mass=3.0, inertia=[0.1, 0.2, 0.3]))
    hinged(builder, ("frame", "wheel"), at=0.2 * Z)
    builder.add(Torque(name="motor", place="rotor", profile=PiecewiseCubic.constant(0.3)))
    model = builder.build()
    moving, states = move(model, 1.0, 200)
    found = moving.motion(states[-1])
    w = {name: found.v[model.frames[name].coordinates[3:]][2] for name in ("frame", "wheel")}
    assert 0.03 * w["wheel"] + 0.3 * w["frame"] == pytest.approx(0.0, abs=1e-9)
    # relative: T/J of both, 1/J = 1/0.03 + 1/0.3
    assert found.v[model.index("rotor")] == pytest.approx(0.3 * (1.0 / 0.03 + 1.0 / 0.3), rel=1e-8)
    energy = energy_balance(moving, states)
    assert energy.kinetic == pytest.approx(energy.input, rel=1e-8)


def test_equilibrium_of_a_lever_on_a_torsion_shaft() -> None:
    """m g l cos(phi) = k phi of a level lever."""
    builder = SystemBuilder(SCALES)
    builder.gravity([0.0, -9.81, 0.0])
    builder.add(Rotor1D(name="rotor", inertia=0.0), wheel(position=[0.3, 0.0, 0.0]))
    builder.add(revolute("hinge", ("ground", "wheel"), (ORIGIN, np.array([-0.3, 0.0, 0.0])), (Z, Z)))
    builder.add(HingeAngle(name="angle", between=("ground", "wheel"), axis=Z, rotor="rotor", point=ORIGIN))
    builder.add(Spring(name="shaft", between=("ground", "rotor"), stiffness=5.0))
    model = builder.build(moves=False)
    phi = solve_equilibrium(model).x[model.index("rotor")]
    assert 5.0 * phi == pytest.approx(-9.81 * 0.3 * math.cos(phi), rel=1e-9)


def test_what_does_not_turn_is_refused() -> None:
    builder = SystemBuilder(SCALES).add(wheel())
    with pytest.raises(Fault, match="rotor"):
        hinged(builder, ("ground", "wheel"))
