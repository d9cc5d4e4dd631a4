"""Normal modes of a wheel that is displaced and tilted: against exact kinematics, rigid bodies, a frame that turns."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import expm

from alegear.drivetrain.displaced_modes import QUARTER, DisplacedModes
from alegear.reduction.inertia import MassInvariants
from alegear.system import PiecewiseCubic, SystemBuilder, SystemEnergy, SystemMotion
from alegear.system.element import Element
from alegear.system.model import evaluate, mass_matrix, mass_tangent
from alegear.system.profiles import PrescribedRotation
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, NewtonParameters, integrate, start

AXES = {1.0: np.eye(3), -1.0: np.diag([1.0, -1.0, -1.0])}


def skew(r):
    return np.cross(np.eye(3), r)


def turn_z(angle):
    return expm(angle * skew([0.0, 0.0, 1.0]))


# ------------------------------------------------------------------------------- the derivation
class Cloud:
    """Point masses with mode shapes by chance: a body of any form."""

    def __init__(self, n=7, m=3, seed=3):
        random = np.random.default_rng(seed)
        self.mass, self.points = random.uniform(0.5, 1.0, n), random.normal(size=(n, 3))
        self.shapes = random.normal(size=(n, 3, m))

    @property
    def modes(self):
        """What the element asks of normal modes, all of them of nodal diameter 1."""
        mixed = np.einsum("n,na,nbm->mab", self.mass, self.points, self.shapes)
        invariants = MassInvariants(
            mass=self.mass.sum(),
            first=self.mass @ self.points,
            second=np.einsum("n,na,nb->ab", self.mass, self.points, self.points),
            modal=np.einsum("n,nam->am", self.mass, self.shapes),
            mixed=mixed,
        )
        found = SimpleNamespace(nodal_diameters=np.ones(self.shapes.shape[2], dtype=int), invariants=invariants)
        found.subset = lambda kept: found
        return found

    def kinetic_energy(self, x, v, axes, phase):
        """Of theta, x, y, z, tilts, modes, with rotation matrices and no series, along axes of the place."""

        def places(x):
            turn, shift, tilt, q = x[0], x[1:4], np.append(x[4:6], 0.0), x[6:]
            body = axes @ (self.points + self.shapes @ q).T  # the frame of tooth 0 as the place sees it
            return shift[:, None] + expm(skew(tilt)) @ turn_z(turn + phase) @ body

        h = 1e-5
        rates = (8.0 * (places(x + h * v) - places(x - h * v)) - places(x + 2 * h * v) + places(x - 2 * h * v)) / 12 / h
        return 0.5 * float(self.mass @ (rates**2).sum(axis=0))


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_kinetic_energy_is_that_of_exact_rotations(sense):
    """What displacements and modes have together, all other terms taken out by their signs."""
    cloud, phase, random = Cloud(), 0.4, np.random.default_rng(5)
    builder = SystemBuilder()
    place = builder.rotor("wheel", inertia=1.0, mass=1.0, axes=AXES[sense])
    at = np.arange(6, 9)
    element = DisplacedModes.of("modes", place, at, cloud.modes, sense=sense, phase=phase)
    assert isinstance(element, Element)
    x, v = 1e-3 * random.normal(size=9), 1e-3 * random.normal(size=9)
    x[0], v[0] = 0.7, 0.9
    together = 0.0
    for of_displacements in (1.0, -1.0):
        for of_modes in (1.0, -1.0):
            sign = np.concatenate([[1.0], np.full(5, of_displacements), np.full(3, of_modes)])
            energy = cloud.kinetic_energy(sign * x, sign * v, AXES[sense], phase)
            together += 0.25 * of_displacements * of_modes * energy
    own = element.coordinates
    across = 0.5 * v[own] @ element.mass(x[own], None) @ v[own]
    axial = sense * np.einsum("n,nm->m", cloud.mass, cloud.shapes[:, 2]) @ v[6:] * v[3]  # in the constant mass matrix
    assert across + axial == pytest.approx(together, rel=1e-5)  # fourth order in 1e-3 left out


def test_a_wheel_on_a_hinge_and_modes_that_move_no_centre_need_no_element():
    builder, modes = SystemBuilder(), Cloud().modes
    hinged = builder.rotor("hinged", inertia=1.0)
    free = builder.rotor("free", inertia=1.0, mass=1.0)
    at = np.arange(7, 10)
    assert DisplacedModes.of("modes", hinged, at, modes, sense=1.0, phase=0.0) is None
    modes.nodal_diameters[:] = [0, 2, 3]
    assert DisplacedModes.of("modes", free, at, modes, sense=1.0, phase=0.0) is None


# ------------------------------------------------------------------------------- wheels
def wheel(
    momentum, moved, *, springs=(1e6, 4e2), squares=None, coriolis=None, phase=0.3, mass=3.0, speed=None, **inertia
):
    """A wheel on bearings with modes of a given momentum; `speed`: its rotation is prescribed."""
    builder, m = SystemBuilder(), momentum.shape[1]
    place = builder.rotor("wheel", mass=mass, **({"inertia": 0.02, "tilt_inertia": 0.012} | inertia))
    at = np.array([builder.coordinate("wheel", f"normal mode {i}") for i in range(m)])
    (k, k_tilt), squares = springs, np.full(m, 4e6) if squares is None else squares
    builder.linear(
        "bearing",
        at=place.coordinates,
        rows=place.rows[:5],
        stiffness=np.diag([k, k, k, k_tilt, k_tilt]),
        kind="bearings",
    )
    builder.linear("modes", at=at, stiffness=np.diag(squares), mass=np.eye(m), kind="wheels")
    if coriolis is not None:
        builder.gyroscopic(place.rotation, at, -2.0 * coriolis)
    builder.element(DisplacedModes("momentum", place, at, momentum=momentum, moved=moved, phase=phase))
    if speed is not None:
        builder.prescribe("motor", place.rotation, PrescribedRotation(speed_ramp=PiecewiseCubic.constant(speed)))
    return builder.build()


def by_chance(seed=2, **options):
    random = np.random.default_rng(seed)
    momentum = random.normal(size=(4, 3)) * np.array([0.3, 0.3, 0.015, 0.015])[:, None]
    moved = QUARTER @ momentum
    moved[2:] = 0.015 * random.normal(size=(2, 3))
    return wheel(momentum, moved, **options)


def state_by_chance(model, seed=4):
    random = np.random.default_rng(seed)
    x, v, a = (size * random.normal(size=model.n) for size in (1e-3, 1.0, 1e3))
    x[0], v[0] = 0.8, 90.0
    return x, v, a


def test_tangents_are_derivatives():
    model = by_chance()
    data, (x, v, a) = model.new_data(), state_by_chance(model)
    found = evaluate(model, data, 0.0, x, v)
    steps = np.full(model.n, 1e-6)
    for by, tangent in (("x", found.by_x), ("v", found.by_v)):
        size = steps * (1.0 if by == "x" else 1e3)
        ends = [
            [evaluate(model, data, 0.0, *((x + s * e, v) if by == "x" else (x, v + s * e))).Q for e in np.diag(size)]
            for s in (1.0, -1.0)
        ]
        expected = (np.array(ends[0]) - np.array(ends[1])).T / (2.0 * size)
        np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())
    ends = [[mass_matrix(model, data, x + s * e) @ a for e in np.diag(steps)] for s in (1.0, -1.0)]
    expected = (np.array(ends[0]) - np.array(ends[1])).T / (2.0 * steps)
    np.testing.assert_allclose(mass_tangent(model, data, x, a), expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())


def test_forces_do_the_work_that_the_mass_matrix_takes():
    """v.Q + v.dM/dt v/2 = 0 for what the element adds: energy is kept at every instant."""
    model = by_chance()
    data, (x, v, _) = model.new_data(), state_by_chance(model)
    (element,), (own,) = model.elements, data.elements
    at = element.coordinates
    power = v[at] @ element.evaluate(0.0, x[at], v[at], own).Q
    h = 1e-6
    growth = (
        0.5 * v[at] @ (element.mass(x[at] + h * v[at], own) - element.mass(x[at] - h * v[at], own)) @ v[at] / 2.0 / h
    )
    assert power == pytest.approx(-growth, rel=1e-7)


def moved_energy(h, steps):
    model = by_chance()
    x, v, _ = state_by_chance(model)
    x[1:] *= 0.1
    v[1:] *= 0.1
    system = SystemMotion(model)
    state = start(system, t=0.0, q=x, v=v)
    energy, drift = SystemEnergy(), []
    energy.carry_on(system, state)

    def on_step(state):
        energy.carry_on(system, state)
        drift.append(energy.missing)

    scheme = GeneralizedAlpha(rho_inf=1.0, newton=NewtonParameters(tolerance=1e-10))
    integrate(system, state, steps * h, scheme=scheme, control=FixedStep(h=h), on_step=on_step)
    return np.abs(drift).max(), energy.start, energy.input


def test_energy_of_an_undamped_unloaded_wheel_is_kept():
    """Its rotation free, over a period of its modes; the drift falls with the square of the step."""
    coarse, _, _ = moved_energy(1e-5, 200)
    fine, whole, given = moved_energy(5e-6, 400)
    assert given == 0.0
    assert fine < 1e-8 * whole
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


# ------------------------------------------------------------------------------- rigid bodies
def accelerations(model, x, v):
    data = model.new_data()
    free, prescribed = model.free, model.prescribed_indices
    M = mass_matrix(model, data, x)
    Q = evaluate(model, data, 0.0, x, v).Q
    a = np.zeros(model.n)
    assert list(prescribed) == [0]  # at constant speed
    a[free] = np.linalg.solve(M[np.ix_(free, free)], Q[free])
    return a


def complex_state(model, values, rates):
    """State of `wheel` with one pair of modes from complex numbers: shift or tilt, and modes."""
    (s, t, q), (ds, dt, dq) = values, rates
    x, v = np.zeros((2, model.n))
    x[[1, 2, 4, 5, 6, 7]] = s.real, s.imag, t.real, t.imag, q.real, q.imag
    v[[1, 2, 4, 5, 6, 7]] = ds.real, ds.imag, dt.real, dt.imag, dq.real, dq.imag
    return x, v


def complex_accelerations(model, values, rates, speed, angle):
    x, v = complex_state(model, values, rates)
    x[0], v[0] = angle, speed
    a = accelerations(model, x, v)
    return a[1] + 1j * a[2], a[4] + 1j * a[5], a[6] + 1j * a[7]


def test_modes_that_move_the_whole_wheel_are_displacements():
    """A mass in a ring: modes of pure translation, which are another body on a spring in the frame that turns.

    What the frame takes from the spring of a mode by the square of the speed is not in the modes (README).
    """
    ring, disk, k, spring, speed, phase = 1.5, 2.0, 1e6, 3e5, 150.0, 0.3
    u = np.sqrt(disk)
    momentum = np.zeros((4, 2))
    momentum[:2] = u * np.eye(2)
    model = wheel(
        momentum,
        QUARTER @ momentum,
        springs=(k, 1.0),
        squares=np.full(2, spring / disk - speed**2),
        coriolis=np.array([[0.0, 1.0], [-1.0, 0.0]]),
        phase=phase,
        mass=ring + disk,
        speed=speed,
    )
    angle, s, ds, q, dq = 1.1, 1e-3 + 2e-3j, 0.3 - 0.1j, 2e-3 - 1e-3j, -0.2 + 0.4j
    found, _, of_modes = complex_accelerations(model, (s, 0j, q), (ds, 0j, dq), speed, angle)
    frame = np.exp(1j * (angle + phase))
    way = frame * q / u  # of the disk against the ring
    expected = (-k * s + spring * way) / ring
    assert found == pytest.approx(expected, rel=1e-12)
    of_disk = found + frame * (of_modes + 2j * speed * dq - speed**2 * q) / u
    assert of_disk == pytest.approx(-spring * way / disk, rel=1e-12)


def test_modes_that_tilt_the_whole_wheel_are_tilts():
    """A disk gimballed in a ring, J d2/dt2 - i J_p Omega d/dt of its tilt, and of the ring's."""
    ring, disk = (0.012, 0.02), (0.008, 0.013)  # inertia about a diameter, about the axis
    k, spring, speed, phase = 4e2, 3e2, 150.0, 0.3
    u = np.sqrt(disk[0])
    momentum, moved = np.zeros((2, 4, 2))
    momentum[2:] = u * np.eye(2)
    moved[2:] = (disk[0] - disk[1]) / u * np.array([[0.0, -1.0], [1.0, 0.0]])
    along = (disk[0] - 0.5 * disk[1]) / disk[0]  # integral of z^2 of the disk over that about a diameter
    model = wheel(
        momentum,
        moved,
        springs=(1e6, k),
        squares=np.full(2, spring / disk[0] + speed**2 * (disk[1] - disk[0]) / disk[0]),
        coriolis=along * np.array([[0.0, 1.0], [-1.0, 0.0]]),
        phase=phase,
        speed=speed,
        tilt_inertia=ring[0] + disk[0],
        inertia=ring[1] + disk[1],
    )
    angle, s, ds, q, dq = 1.1, 1e-3 + 2e-3j, 0.3 - 0.1j, 2e-3 - 1e-3j, -0.2 + 0.4j
    _, found, of_modes = complex_accelerations(model, (0j, s, q), (0j, ds, dq), speed, angle)
    frame = np.exp(1j * (angle + phase))
    way, rate = frame * q / u, frame * (dq + 1j * speed * q) / u
    assert found == pytest.approx((-k * s + spring * way + 1j * ring[1] * speed * ds) / ring[0], rel=1e-11)
    of_disk = found + frame * (of_modes + 2j * speed * dq - speed**2 * q) / u
    assert of_disk == pytest.approx((-spring * way + 1j * disk[1] * speed * (ds + rate)) / disk[0], rel=1e-11)


# ------------------------------------------------------------------------------- whirl
def test_whirl_is_that_of_the_frame_that_turns():
    """Modes of displacement, tilt and a pair of modes at constant speed, from constant matrices in the turning frame.

    There, with w = d/dt + i Omega for what stands in space: m w^2 S + k S + U w^2 q = 0,
    (J w^2 - i J_p Omega w + r) T + (a w^2 - i b w Omega) q = 0, where b = a + b' by what tilts while it turns, and
    (d^2 + 2 i Omega g d + omega^2) q + U w^2 S + (a w^2 - i b Omega w) T = 0.
    """
    mass, J, J_p, k, r, speed, phase = 3.0, 0.012, 0.02, 1e6, 4e3, 300.0, 0.3
    U, a, V, g, square = 0.9, 0.05, -0.03, 0.4, 9e5
    momentum, moved = np.zeros((2, 4, 2))
    quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    momentum[:2], momentum[2:] = U * np.eye(2), a * np.eye(2)
    moved[:2], moved[2:] = U * quarter, V * quarter
    model = wheel(
        momentum, moved, springs=(k, r), squares=np.full(2, square), coriolis=-g * quarter,
        phase=phase, mass=mass, inertia=J_p, tilt_inertia=J, speed=speed,
    )  # fmt: skip
    i, w = 1j, speed
    M = np.array([[mass, 0, U], [0, J, a], [U, a, 1.0]])
    # w^2 = d^2 + 2 i Omega d - Omega^2; moment of momentum a w^2 - i (a - V) Omega w
    C = i * w * np.array([[2 * mass, 0, 2 * U], [0, 2 * J - J_p, a + V], [2 * U, a + V, 2 * g]])
    K = np.array(
        [[k - mass * w**2, 0, -U * w**2], [0, r - (J - J_p) * w**2, -V * w**2], [-U * w**2, -V * w**2, square]]
    )
    whirls, shapes = np.linalg.eig(
        np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    )
    assert np.abs(whirls.real).max() < 1e-9 * np.abs(whirls).max()
    assert np.ptp(np.sign(whirls.imag)) == 2.0  # forward and backward
    for whirl, shape in zip(whirls, shapes[:3].T, strict=True):
        for t in (0.0, 1.3e-3, 4e-3):
            frame, now = np.exp(1j * (w * t + phase)), shape * np.exp(whirl * t)
            S, T, q = now[0] * frame, now[1] * frame, now[2]
            in_space = whirl + 1j * w
            found = complex_accelerations(model, (S, T, q), (in_space * S, in_space * T, whirl * q), speed, w * t)
            expected = (in_space**2 * S, in_space**2 * T, whirl**2 * q)
            np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
