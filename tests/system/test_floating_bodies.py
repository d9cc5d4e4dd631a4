"""Bodies in space and joints against closed forms, conservation laws and the order of the schemes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from bodies_in_space import ORIGIN, Z, energies, flexible_ring, kicked, motion, off_centre, system
from closed_form.oscillators import Pendulum, observed_orders
from closed_form.rigid_bodies import FourBar, FreeTop
from families import mostly_thorough

from alegear.errors import Fault
from alegear.system import SystemMotion
from alegear.system.model import SystemModel
from alegear.system.rotation import rotation_matrix, rotation_vector
from alegear.system.spatial import (
    Coincidence,
    FloatingBody,
    JointDefinition,
    fixed,
    prescribed_revolute,
    revolute,
    rigid_inertia,
)
from alegear.system.spatial.joints import Position
from alegear.system.time_integration import BackwardEuler, GeneralizedAlpha, HilberHughesTaylor


# ------------------------------------------------------------------------------- free bodies
@pytest.mark.parametrize(
    ("scheme", "order"),
    [
        (GeneralizedAlpha(rho_inf=1.0), 2.0),
        (GeneralizedAlpha(rho_inf=0.8), 2.0),
        (GeneralizedAlpha(rho_inf=0.0), 2.0),
        (HilberHughesTaylor(rho_inf=0.8), 2.0),
        (BackwardEuler(), 1.0),
    ],
    ids=["alpha 1", "alpha 0.8", "alpha 0", "HHT 0.8", "backward Euler"],
)
@pytest.mark.parametrize("inertia", mostly_thorough(["constant", "of any frame"], always="of any frame".__eq__))
def test_free_top_with_the_order_of_the_scheme(inertia: str, scheme: GeneralizedAlpha, order: float) -> None:
    top = FreeTop(J1=0.02, J3=0.035, w0=np.array([20.0, 0.0, 30.0]))
    J, start = np.diag([top.J1, top.J1, top.J3]), {"velocity": [1.0, 2.0, 3.0], "angular_velocity": top.w0}
    whole = off_centre("top", 1.0, J, **start)
    body = whole if inertia == "of any frame" else FloatingBody(name="top", mass=1.0, inertia=J, **start)
    turn = 2.0 * math.pi / float(np.linalg.norm(top.w0))
    numbers = [100, 200] if order > 1.5 else [400, 800]
    errors = []
    for n in numbers:
        state = motion(system(body), turn, n, scheme)[1][-1]
        errors.append(np.linalg.norm(rotation_vector(rotation_matrix(state.q[3:]).T @ top.rotation(turn))))
        assert np.allclose(state.q[:3], np.array([1.0, 2.0, 3.0]) * turn, rtol=1e-11)
    assert observed_orders(1.0 / np.array(numbers), errors) == pytest.approx(order, abs=0.1)


def test_tumbling_body_over_thirty_turns() -> None:
    """About its middle axis, which is unstable: energy and angular momentum come back with the square of the step."""
    J = np.diag([0.02, 0.03, 0.045])
    body = FloatingBody(name="block", mass=1.0, inertia=J, angular_velocity=[0.1, 30.0, 0.1])
    inertia = rigid_inertia(1.0, ORIGIN, J)
    turn = 2.0 * math.pi / 30.0
    errors = []
    for n in (20, 40):
        moving, states = motion(system(body), 30 * turn, 30 * n)
        energy = sum(energies(moving, states))
        momenta = np.array([inertia.momentum(s.q[:3], rotation_matrix(s.q[3:]), s.v, s.q[6:])[1] for s in states])
        flips = np.count_nonzero(np.diff(np.sign([s.v[4] for s in states])))
        assert flips > 4  # it does tumble, every sixth turn
        off = np.linalg.norm(momenta - momenta[0], axis=1).max() / np.linalg.norm(momenta[0])
        errors.append((np.abs(energy / energy[0] - 1.0).max(), off))
        # no drift: the last fifth is no worse than the first
        fifth = len(states) // 5
        swing = np.abs(energy / energy[0] - 1.0)
        assert swing[-fifth:].max() < 1.5 * swing[:fifth].max()
    ratios = np.array(errors[0]) / np.array(errors[1])
    assert np.allclose(np.log2(ratios), 2.0, atol=0.15)
    assert max(errors[1]) < 2e-3


def test_free_flexible_ring_keeps_energy_and_momenta() -> None:
    """Tumbling and vibrating, a tenth of the energy in the vibration; trapezoidal rule."""
    body = flexible_ring()
    moving, states = motion(kicked(body), 0.0025, 250)
    kinetic, strain = energies(moving, states)
    assert strain.max() > 0.05 * kinetic[0]
    assert np.abs(kinetic + strain - kinetic[0]).max() < 1e-6 * kinetic[0]
    linear, angular = (
        np.array(values)
        for values in zip(
            *(body.momentum(s.q[:3], rotation_matrix(s.q[3:6]), s.v, s.q[6:]) for s in states), strict=True
        )
    )
    assert np.allclose(linear, linear[0], rtol=0.0, atol=1e-12)
    assert np.abs(angular - angular[0]).max() < 1e-5 * np.linalg.norm(angular[0])


# ------------------------------------------------------------------------------------ joints
def pendulum(frame: str, length: float, mass: float, J: np.ndarray, angle: float) -> list:
    """A pendulum that hangs along -y from the origin of space, its frame at the pivot or at its centre of mass."""
    axes = rotation_matrix(angle * Z)
    centre = np.array([0.0, -length, 0.0])
    if frame == "at the pivot":
        body, point = off_centre("pendulum", mass, J, centre, axes=axes), ORIGIN
    else:
        body, point = FloatingBody(name="pendulum", mass=mass, inertia=J, axes=axes, position=axes @ centre), -centre
    return [body, revolute("pivot", ("ground", "pendulum"), (ORIGIN, point), (Z, Z))]


@pytest.mark.parametrize("frame", mostly_thorough(["at the pivot", "at the centre"], always="at the pivot".__eq__))
@pytest.mark.parametrize(
    ("scheme", "order"),
    [(GeneralizedAlpha(rho_inf=0.8), 2.0), (HilberHughesTaylor(rho_inf=0.8), 2.0), (BackwardEuler(), 1.0)],
    ids=["alpha", "HHT", "backward Euler"],
)
def test_pendulum_on_a_hinge(frame: str, scheme: GeneralizedAlpha, order: float) -> None:
    length, g, mass = 0.5, 9.81, 2.0
    J = np.diag([0.01, 0.01, 1e-4])
    expected = Pendulum(omega=math.sqrt(mass * g * length / (J[2, 2] + mass * length**2)), amplitude=1.2)
    # steps are coarse where the centre goes round with the body, of order one the more so
    numbers = {"at the pivot": [50, 100], "at the centre": [100, 200] if order > 1.5 else [400, 800]}[frame]
    errors, off = [], []
    for n in numbers:
        parts = pendulum(frame, length, mass, J, angle=1.2)
        moving, states = motion(system(*parts, gravity=np.array([0.0, -g, 0.0])), 1.0, n, scheme)
        errors.append(max(abs(s.q[5] - expected.motion(s.t)[0]) for s in states))
        assert max(np.abs(moving.misfit(s.t, s.q)[0]).max() for s in states) < 1e-14
        # the pivot carries weight and centripetal force
        s = states[-1]
        angle, speed = s.q[5], s.v[5]
        along = mass * (g * math.cos(angle) + length * speed**2)
        axis = np.array([math.sin(angle), -math.cos(angle), 0.0])
        off.append(abs(s.multipliers[:3] @ axis / along - 1.0))
    assert observed_orders(1.0 / np.array(numbers), errors) == pytest.approx(order, abs=0.1)
    if frame == "at the pivot":
        assert max(off) < 1e-9
    else:  # the acceleration of the centre is of the order of the scheme, not that of this speed
        assert observed_orders(1.0 / np.array(numbers), off) == pytest.approx(order, abs=0.1)


LINKAGE = FourBar(crank=0.1, coupler=0.3, rocker=0.25, ground=0.35, speed=20.0, mass_per_length=1.5)


def four_bar(*, masses: bool = True) -> SystemModel:
    """Three bars in space. One hinge of the loop is a ball joint that may slide out of the plane: in a plane loop of
    hinges three equations would say the same twice."""
    lengths = (LINKAGE.crank, LINKAGE.coupler, LINKAGE.rocker)
    half = [0.5 * length * np.array([1.0, 0.0, 0.0]) for length in lengths]
    pivot = np.array([LINKAGE.ground, 0.0, 0.0])
    angles, speeds = LINKAGE.angles(0.0), LINKAGE.speeds(0.0)
    bases = (ORIGIN, LINKAGE.crank * direction(angles[0]), pivot)
    moves = (ORIGIN, LINKAGE.crank * speeds[0] * across(angles[0]), ORIGIN)
    bodies = []
    for i, (name, length) in enumerate(zip(("crank", "coupler", "rocker"), lengths, strict=True)):
        mass = LINKAGE.mass_per_length * length if masses else 0.0
        body = FloatingBody(
            name=name,
            mass=mass,
            inertia=mass * length**2 / 12.0 * np.array([1e-6, 1.0, 1.0]),
            position=bases[i] + 0.5 * length * direction(angles[i]),
            axes=rotation_matrix(angles[i] * Z),
            velocity=moves[i] + 0.5 * length * speeds[i] * across(angles[i]),
            angular_velocity=speeds[i] * Z,
        )
        bodies.append(body)
    joints = [
        prescribed_revolute("motor", ("ground", "crank"), (ORIGIN, -half[0]), (Z, Z), lambda t: LINKAGE.speed * t),
        revolute("crank to coupler", ("crank", "coupler"), (half[0], -half[1]), (Z, Z)),
        revolute("rocker pivot", ("ground", "rocker"), (pivot, -half[2]), (Z, Z)),
        JointDefinition(
            name="coupler to rocker", between=("coupler", "rocker"), conditions=[InPlane(points=(half[1], half[2]))]
        ),
    ]
    return system(*bodies, *joints, moves=masses)


class InPlane(Coincidence):
    """Two of the three equations of a ball joint, those in the plane z = 0."""

    n_equations = 2

    def evaluate(self, t: float, one: Position, two: Position) -> tuple[np.ndarray, np.ndarray]:
        g, G = super().evaluate(t, one, two)
        return g[:2], G[:2]

    def curvature(self, t: float, one: Position, two: Position, force: np.ndarray) -> np.ndarray:
        return super().curvature(t, one, two, np.append(force, 0.0))


def direction(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def across(angle: float) -> np.ndarray:
    return np.array([-math.sin(angle), math.cos(angle), 0.0])


def test_four_bar_starts_with_the_accelerations_of_its_loop() -> None:
    model = four_bar()
    state = SystemMotion(model).begin(0.0, *model.start())
    h = 1e-5
    speeds = np.array([LINKAGE.speeds(t) for t in (-h, h)])
    assert state.vdot[5::6] == pytest.approx((speeds[1] - speeds[0]) / (2.0 * h), abs=1e-4)  # of some 150 rad/s^2


def test_four_bar_is_where_its_loop_puts_it() -> None:
    turn = 2.0 * math.pi / LINKAGE.speed
    torques = []
    for n in (100, 200):
        states = motion(four_bar(), turn, n, GeneralizedAlpha(rho_inf=0.5))[1]
        for s in states:
            for i, angle in enumerate(LINKAGE.angles(s.t)):
                R = rotation_matrix(s.q[6 * i + 3 : 6 * i + 6])
                assert np.allclose(R[:, 0], direction(angle), rtol=0.0, atol=1e-9)
        # the motor's sixth equation turns the crank: its multiplier is minus the torque
        found = np.array([-s.multipliers[5] for s in states[n // 2 :]])
        expected = np.array([LINKAGE.driving_torque(s.t) for s in states[n // 2 :]])
        torques.append(np.abs(found - expected).max() / np.abs(expected).max())
    assert torques[1] < 2e-3
    assert torques[0] / torques[1] == pytest.approx(4.0, rel=0.2)  # order two of the multipliers


# --------------------------------------------------------------------------------- bad input
def test_joints_that_hold_the_same_twice() -> None:
    body = FloatingBody(name="shaft", mass=1.0, inertia=[0.02, 0.02, 0.01])
    ends = {"left": np.array([0.0, 0.0, 0.1]), "right": np.array([0.0, 0.0, -0.1])}
    model = system(body, *(revolute(name, ("ground", "shaft"), (end, end), (Z, Z)) for name, end in ends.items()))
    with pytest.raises(Fault, match=r"equations of joints = 10, 5 of them independent: .* what right does"):
        SystemMotion(model).begin(0.0, *model.start())


def test_start_off_the_joint_or_out_of_it() -> None:
    def welded(**start) -> SystemModel:
        body = FloatingBody(name="wheel", mass=1.0, inertia=[0.02, 0.02, 0.01], **start)
        return system(body, fixed("weld", ("ground", "wheel"), (ORIGIN, ORIGIN)))

    model = welded(position=[1e-3, 0.0, 0.0])
    with pytest.raises(Fault, match=r"misfit of the constraints at the start, weld, = 0\.001"):
        SystemMotion(model).begin(0.0, *model.start())
    model = welded(velocity=[1.0, 0.0, 0.0])
    with pytest.raises(Fault, match="start velocities, rate of weld, = 1"):
        SystemMotion(model).begin(0.0, *model.start())


def test_body_that_is_not_there() -> None:
    body = FloatingBody(name="wheel", mass=1.0, inertia=[0.02, 0.02, 0.01])
    with pytest.raises(Fault, match=r'body of weld = "weel": must be .*write "wheel"'):
        system(body, fixed("weld", ("ground", "weel"), (ORIGIN, ORIGIN)))


def test_simplified_inertia_does_not_move() -> None:
    """Its modes have no inertia of their own: at rest they only follow."""
    body = FloatingBody(name="ring", flexible=replace(flexible_ring(), inertia="simplified"))
    assert len(system(body, moves=False).names) > 6
    with pytest.raises(
        Fault, match="inertia of the mode 1 of ring = 0: must be positive; give its body a full inertia"
    ):
        system(body)
