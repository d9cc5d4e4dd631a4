"""Bodies in space and joints against closed forms, conservation laws and the order of the schemes."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from closed_form.oscillators import Pendulum, observed_orders
from closed_form.rigid_bodies import FourBar, FreeTop
from scipy.linalg import eigh

from alegear.dynamics import BackwardEuler, FixedStep, GeneralizedAlpha, HilberHughesTaylor, integrate, start
from alegear.dynamics.constraints import WORLD, fixed, led, revolute, spherical
from alegear.dynamics.flexible_body import FlexibleBody
from alegear.dynamics.multibody import Multibody
from alegear.dynamics.rotation import rotation_matrix, rotation_vector
from alegear.dynamics.system import State
from alegear.errors import Fault
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material
from alegear.reduction.inertia import MassInvariants

Z = np.array([0.0, 0.0, 1.0])
ORIGIN = np.zeros(3)


def rigid(name: str, mass: float, J: np.ndarray, centre: np.ndarray = ORIGIN) -> FlexibleBody:
    """A rigid body with the inertia J about its centre."""
    second = 0.5 * np.trace(J) * np.eye(3) - J + mass * np.outer(centre, centre)
    return FlexibleBody(name=name, invariants=MassInvariants.rigid(mass=mass, first=mass * centre, second=second))


def motion(
    system: Multibody, q: np.ndarray, v: np.ndarray, t_end: float, n: int, scheme: GeneralizedAlpha
) -> list[State]:
    """The start and all steps."""
    states = [start(system, t=0.0, q=q, v=v)]
    integrate(
        system, states[0], t_end, scheme=scheme, control=FixedStep(h=t_end / n),
        on_step=states.append,
    )  # fmt: skip
    return states


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
def test_free_top_with_the_order_of_the_scheme(scheme: GeneralizedAlpha, order: float) -> None:
    top = FreeTop(J1=0.02, J3=0.035, w0=np.array([20.0, 0.0, 30.0]))
    body = rigid("top", 1.0, np.diag([top.J1, top.J1, top.J3]))
    turn = 2.0 * math.pi / float(np.linalg.norm(top.w0))
    numbers = [200, 400, 800] if order > 1.5 else [1600, 3200]
    errors = []
    for n in numbers:
        state = motion(Multibody([body]), np.zeros(6), np.array([1.0, 2.0, 3.0, *top.w0]), turn, n, scheme)[-1]
        errors.append(np.linalg.norm(rotation_vector(rotation_matrix(state.q[3:]).T @ top.rotation(turn))))
        assert np.allclose(state.q[:3], np.array([1.0, 2.0, 3.0]) * turn, rtol=1e-11)
    assert observed_orders(1.0 / np.array(numbers), errors) == pytest.approx(order, abs=0.1)


def test_tumbling_body_over_a_hundred_turns() -> None:
    """About its middle axis, which is unstable: energy and angular momentum come back with the square of the step."""
    body = rigid("block", 1.0, np.diag([0.02, 0.03, 0.045]))
    turn = 2.0 * math.pi / 30.0
    errors = []
    for n in (20, 40):
        system = Multibody([body])
        states = motion(
            system,
            np.zeros(6),
            np.array([0.0, 0.0, 0.0, 0.1, 30.0, 0.1]),
            100 * turn,
            100 * n,
            GeneralizedAlpha(rho_inf=1.0),
        )
        energy = np.array([sum(system.energy(s.q, s.v)) for s in states])
        momenta = np.array([body.momentum(s.q[:3], rotation_matrix(s.q[3:]), s.v, s.q[6:])[1] for s in states])
        flips = np.count_nonzero(np.diff(np.sign([s.v[4] for s in states])))
        assert flips > 10  # it does tumble
        off = np.linalg.norm(momenta - momenta[0], axis=1).max() / np.linalg.norm(momenta[0])
        errors.append((np.abs(energy / energy[0] - 1.0).max(), off))
        # no drift: the last tenth is no worse than the first
        tenth = len(states) // 10
        swing = np.abs(energy / energy[0] - 1.0)
        assert swing[-tenth:].max() < 1.5 * swing[:tenth].max()
    ratios = np.array(errors[0]) / np.array(errors[1])
    assert np.allclose(np.log2(ratios), 2.0, atol=0.15)
    assert max(errors[1]) < 2e-3


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


def flexible_ring(n_modes: int = 8) -> FlexibleBody:
    """A soft ring with its lowest free modes."""
    model = FEModel.from_mesh(ring(0.045, 0.055, 0.02, 24), Material(E=2e9))
    squares, shapes = eigh(model.stiffness.toarray(), model.mass.toarray(), subset_by_index=[6, 5 + n_modes])
    modes = shapes.reshape(model.n_nodes, 3, n_modes)
    return FlexibleBody(name="ring", invariants=MassInvariants.of(model, modes), stiffness=np.diag(squares))


def test_free_flexible_ring_keeps_energy_and_momenta() -> None:
    """Tumbling and vibrating, a tenth of the energy in the vibration; trapezoidal rule."""
    body = flexible_ring()
    system = Multibody([body])
    v = np.zeros(14)
    v[:3], v[3:6] = 1.0, [30.0, 10.0, 100.0]
    v[6:] = np.random.default_rng(0).normal(size=8)
    v[6:] *= math.sqrt(0.7) / np.linalg.norm(v[6:]) * math.sqrt(2.0)
    states = motion(system, np.zeros(14), v, 0.005, 500, GeneralizedAlpha(rho_inf=1.0))
    kinetic, strain = np.array([system.energy(s.q, s.v) for s in states]).T
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
@pytest.mark.parametrize(
    ("scheme", "order"),
    [(GeneralizedAlpha(rho_inf=0.8), 2.0), (HilberHughesTaylor(rho_inf=0.8), 2.0), (BackwardEuler(), 1.0)],
    ids=["alpha", "HHT", "backward Euler"],
)
def test_pendulum_on_a_hinge(scheme: GeneralizedAlpha, order: float) -> None:
    length, g, mass = 0.5, 9.81, 2.0
    J = np.diag([0.01, 0.01, 1e-4])
    body = rigid("pendulum", mass, J, np.array([0.0, -length, 0.0]))
    expected = Pendulum(omega=math.sqrt(mass * g * length / (J[2, 2] + mass * length**2)), amplitude=1.2)
    numbers, errors = [100, 200, 400], []
    for n in numbers:
        hinge = revolute("pivot", (WORLD, 0), (ORIGIN, ORIGIN), (Z, Z))
        system = Multibody([body], hinge, gravity=np.array([0.0, -g, 0.0]), force=20.0)
        states = motion(system, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.2]), np.zeros(6), 1.0, n, scheme)
        errors.append(max(abs(s.q[5] - expected.motion(s.t)[0]) for s in states))
        assert max(np.abs(system.misfit(s.t, s.q)[0]).max() for s in states) < 1e-14
        # the pivot carries weight and centripetal force
        s = states[-1]
        angle, speed = s.q[5], s.v[5]
        along = mass * (g * math.cos(angle) + length * speed**2)
        axis = np.array([math.sin(angle), -math.cos(angle), 0.0])
        assert s.multipliers[:3] @ axis == pytest.approx(along, rel=1e-9)
    assert observed_orders(1.0 / np.array(numbers), errors) == pytest.approx(order, abs=0.1)


LINKAGE = FourBar(crank=0.1, coupler=0.3, rocker=0.25, ground=0.35, speed=20.0, mass_per_length=1.5)


def four_bar() -> tuple[Multibody, np.ndarray, np.ndarray]:
    """Three bars in space. One hinge of the loop is a ball joint that may slide out of the plane: in a plane loop of
    hinges three equations would say the same twice."""
    lengths = (LINKAGE.crank, LINKAGE.coupler, LINKAGE.rocker)
    bodies = []
    for name, length in zip(("crank", "coupler", "rocker"), lengths, strict=True):
        mass = LINKAGE.mass_per_length * length
        thin = 1e-6
        J = mass * length**2 / 12.0 * np.diag([thin, 1.0, 1.0])
        bodies.append(rigid(name, mass, J))
    half = [0.5 * length * np.array([1.0, 0.0, 0.0]) for length in lengths]
    pivot = np.array([LINKAGE.ground, 0.0, 0.0])
    joints = [
        *led("motor", (WORLD, 0), (ORIGIN, -half[0]), (Z, Z), lambda t: LINKAGE.speed * t),
        *revolute("crank to coupler", (0, 1), (half[0], -half[1]), (Z, Z)),
        *revolute("rocker", (WORLD, 2), (pivot, -half[2]), (Z, Z)),
        InPlane(name="coupler to rocker", bodies=(1, 2), points=(half[1], half[2])),
    ]
    q, v = np.zeros(18), np.zeros(18)
    angles, speeds = LINKAGE.angles(0.0), LINKAGE.speeds(0.0)
    bases = (ORIGIN, LINKAGE.crank * direction(angles[0]), pivot)
    moves = (ORIGIN, LINKAGE.crank * speeds[0] * across(angles[0]), ORIGIN)
    for i in range(3):
        q[6 * i : 6 * i + 3] = bases[i] + 0.5 * lengths[i] * direction(angles[i])
        q[6 * i + 5], v[6 * i + 5] = angles[i], speeds[i]
        v[6 * i : 6 * i + 3] = moves[i] + 0.5 * lengths[i] * speeds[i] * across(angles[i])
    return Multibody(bodies, joints), q, v


class InPlane:
    """Two of the three equations of a ball joint, those in the plane z = 0."""

    n_equations = 2

    def __init__(self, *, name: str, bodies: tuple[int, int], points: tuple[np.ndarray, np.ndarray]) -> None:
        self.name, self.bodies = name, bodies
        (self.ball,) = spherical(name, bodies, points)

    def evaluate(self, t, one, two):
        return tuple(part[:2] for part in self.ball.evaluate(t, one, two))

    def curvature(self, t, one, two, force):
        return self.ball.curvature(t, one, two, np.append(force, 0.0))


def direction(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def across(angle: float) -> np.ndarray:
    return np.array([-math.sin(angle), math.cos(angle), 0.0])


def test_four_bar_starts_with_the_accelerations_of_its_loop() -> None:
    system, q, v = four_bar()
    state = start(system, t=0.0, q=q, v=v)
    h = 1e-5
    speeds = np.array([LINKAGE.speeds(t) for t in (-h, h)])
    assert state.vdot[5::6] == pytest.approx((speeds[1] - speeds[0]) / (2.0 * h), abs=1e-4)  # of some 150 rad/s^2


def test_four_bar_is_where_its_loop_puts_it() -> None:
    system, q, v = four_bar()
    turn = 2.0 * math.pi / LINKAGE.speed
    torques = []
    for n in (100, 200):
        states = motion(system, q, v, turn, n, GeneralizedAlpha(rho_inf=0.5))
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
    body = rigid("shaft", 1.0, np.diag([0.02, 0.02, 0.01]))
    ends = (np.array([0.0, 0.0, 0.1]), np.array([0.0, 0.0, -0.1]))
    joints = [c for end in ends for c in revolute("bearing", (WORLD, 0), (end, end), (Z, Z))]
    with pytest.raises(Fault, match="constraints = 10, 5 of them independent"):
        start(Multibody([body], joints), t=0.0, q=np.zeros(6), v=np.zeros(6))


def test_start_off_the_joint_or_out_of_it() -> None:
    body = rigid("wheel", 1.0, np.diag([0.02, 0.02, 0.01]))
    system = Multibody([body], fixed("weld", (WORLD, 0), (ORIGIN, ORIGIN)))
    with pytest.raises(Fault, match=r"misfit of the constraints at the start, weld, = 0\.001"):
        start(system, t=0.0, q=np.array([1e-3, 0, 0, 0, 0, 0]), v=np.zeros(6))
    with pytest.raises(Fault, match="start velocities, rate of weld, = 1"):
        start(system, t=0.0, q=np.zeros(6), v=np.array([1.0, 0, 0, 0, 0, 0]))


def test_body_that_is_not_there() -> None:
    body = rigid("wheel", 1.0, np.diag([0.02, 0.02, 0.01]))
    with pytest.raises(Fault, match=r"body of weld = 1: must be -1 \(the world\) to 0"):
        Multibody([body], fixed("weld", (WORLD, 1), (ORIGIN, ORIGIN)))
    with pytest.raises(Fault, match=r"length scale \[m\] = 0.0: must be positive"):
        Multibody([body], length=0.0)
