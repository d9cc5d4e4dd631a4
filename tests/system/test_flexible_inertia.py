"""Inertia of a flexible body: every term against the grid's own mass matrix, every tangent against differences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from derivatives import differences
from fe_grids import distorted_block

from alegear.errors import Fault
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material
from alegear.reduction.inertia import MassInvariants
from alegear.system.rotation import moved, rotation_matrix, skew
from alegear.system.spatial import FlexibleInertia
from alegear.system.spatial.floating_body import MovingInertia

N_MODES = 4
ROUND_OFF = 1e-12
TURN = (3,)


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Coordinates and velocities of a body, and their parts."""

    x: np.ndarray
    v: np.ndarray

    @property
    def R(self) -> np.ndarray:
        return rotation_matrix(self.x[3:6])

    @property
    def u(self) -> np.ndarray:
        return self.x[6:]

    @property
    def w(self) -> np.ndarray:
        return self.v[3:6]

    @property
    def du(self) -> np.ndarray:
        return self.v[6:]


@pytest.fixture(scope="module")
def model() -> FEModel:
    return FEModel.from_mesh(distorted_block(2, 0.15, seed=4), Material())


@pytest.fixture(scope="module")
def modes(model: FEModel) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(model.n_nodes, 3, N_MODES))


@pytest.fixture(scope="module")
def full(model: FEModel, modes: np.ndarray) -> FlexibleInertia:
    rng = np.random.default_rng(8)
    K, D = rng.normal(size=(2, N_MODES, N_MODES))
    return FlexibleInertia(
        name="block", invariants=MassInvariants.of(model, modes), stiffness=K @ K.T, damping=0.1 * D @ D.T
    )


@pytest.fixture(scope="module", params=["full", "simplified"])
def body(request: pytest.FixtureRequest, full: FlexibleInertia) -> FlexibleInertia:
    return replace(full, inertia=request.param)


@pytest.fixture
def motion() -> Motion:
    rng = np.random.default_rng(9)
    turn, p, u = rng.normal(size=3), rng.normal(size=3), 0.3 * rng.normal(size=N_MODES)
    return Motion(x=np.concatenate([p, turn, u]), v=rng.normal(size=6 + N_MODES))


def nodal_jacobian(model: FEModel, modes: np.ndarray, motion: Motion) -> np.ndarray:
    """Velocities of all nodes, in the body's axes, by the velocities of the body, shape (3 n, 6 + m)."""
    x = model.points + modes @ motion.u
    translation = np.broadcast_to(motion.R.T, (model.n_nodes, 3, 3))
    return np.concatenate([translation, -skew(x), modes], axis=2).reshape(model.n_dof, -1)


def test_mass_matrix_is_that_of_the_grid(
    model: FEModel, modes: np.ndarray, full: FlexibleInertia, motion: Motion
) -> None:
    J = nodal_jacobian(model, modes, motion)
    expected = J.T @ (model.mass @ J)
    found = full.mass_matrix(motion.R, motion.u)
    assert np.allclose(found, expected, rtol=0.0, atol=ROUND_OFF * np.abs(expected).max())
    velocity = motion.v
    assert full.kinetic_energy(motion.R, velocity, motion.u) == pytest.approx(0.5 * velocity @ expected @ velocity)


def test_velocity_force_is_the_inertia_of_the_grid(
    model: FEModel, modes: np.ndarray, full: FlexibleInertia, motion: Motion
) -> None:
    """Accelerations of all nodes at dv/dt = 0, w x (w x x) + 2 w x (phi du), times the mass matrix."""
    x, flow = model.points + modes @ motion.u, modes @ motion.du
    W = skew(motion.w)
    acceleration = x @ (W @ W).T + 2.0 * flow @ W.T
    J = nodal_jacobian(model, modes, motion)
    expected = -J.T @ (model.mass @ acceleration.reshape(-1))
    found = full.velocity_force(motion.R, motion.w, motion.u, motion.du)
    assert np.allclose(found, expected, rtol=0.0, atol=ROUND_OFF * np.abs(expected).max())


def test_momenta_are_those_of_the_grid(
    model: FEModel, modes: np.ndarray, full: FlexibleInertia, motion: Motion
) -> None:
    x = motion.x[:3] + (model.points + modes @ motion.u) @ motion.R.T
    v = (nodal_jacobian(model, modes, motion) @ motion.v).reshape(-1, 3) @ motion.R.T
    linear = np.asarray(model.scalar_mass @ v).sum(axis=0)
    # int rho x x v over the shape functions: the moments x_a v_b
    moments = x.T @ (model.scalar_mass @ v)
    angular = np.array([moments[1, 2] - moments[2, 1], moments[2, 0] - moments[0, 2], moments[0, 1] - moments[1, 0]])
    found = full.momentum(motion.x[:3], motion.R, motion.v, motion.u)
    assert np.allclose(found[0], linear, rtol=ROUND_OFF)
    assert np.allclose(found[1], angular, rtol=1e-11)


def test_simplified_leaves_out_what_the_deformation_adds(full: FlexibleInertia, motion: Motion) -> None:
    simplified = replace(full, inertia="simplified")
    still = np.zeros(N_MODES)
    M, M_full = simplified.mass_matrix(motion.R, motion.u), full.mass_matrix(motion.R, still)
    assert np.array_equal(M[:, :6], M_full[:, :6])
    assert not M[:, 6:].any()
    found = simplified.velocity_force(motion.R, motion.w, motion.u, motion.du)
    expected = full.velocity_force(motion.R, motion.w, still, still)
    assert np.allclose(found, expected, rtol=0.0, atol=ROUND_OFF * np.abs(expected).max())


# ------------------------------------------------------------------------------ tangents
def element_of(body: FlexibleInertia, gravity: np.ndarray | None = None) -> MovingInertia:
    at = np.arange(body.n_velocities)
    return MovingInertia("block", at, body, np.zeros(3) if gravity is None else gravity)


@pytest.mark.parametrize("gravity", [np.zeros(3), np.array([3.0, -5.0, -8.0])], ids=["weightless", "heavy"])
def test_tangents_of_the_forces(body: FlexibleInertia, motion: Motion, gravity: np.ndarray) -> None:
    element, n = element_of(body, gravity), body.n_velocities
    found = element.evaluate(0.0, motion.x, motion.v, None)
    expected = differences(lambda way: element.evaluate(0.0, moved(motion.x, way, TURN), motion.v, None).Q, n)
    assert np.allclose(found.by_x, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    expected = differences(lambda change: element.evaluate(0.0, motion.x, motion.v + change, None).Q, n)
    assert np.allclose(found.by_v, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_tangent_of_the_accelerated_mass(body: FlexibleInertia, motion: Motion) -> None:
    element, n = element_of(body), body.n_velocities
    a = np.random.default_rng(10).normal(size=n)
    expected = differences(lambda way: element.mass(moved(motion.x, way, TURN), None) @ a, n)
    found = element.mass_tangent(motion.x, a, None)
    assert np.allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_weight_is_the_derivative_of_its_energy(full: FlexibleInertia, motion: Motion) -> None:
    """With stiffness: what is stored follows from the place alone."""
    element, still = element_of(full, np.array([3.0, -5.0, -8.0])), np.zeros(full.n_velocities)

    def stored(way: np.ndarray) -> np.ndarray:
        x = moved(motion.x, way, TURN)
        return np.array([element.energy(0.0, x, still, element.evaluate(0.0, x, still, None), None).stored])

    Q = element.evaluate(0.0, motion.x, still, None).Q
    assert np.allclose(Q, -differences(stored, len(still))[0], rtol=0.0, atol=1e-9 * np.abs(Q).max())


def test_energy_is_what_the_forces_leave(full: FlexibleInertia, motion: Motion) -> None:
    """The power of inertia along the motion is the rate of the kinetic energy: M and Q_v belong together."""
    velocity = motion.v
    a = np.random.default_rng(11).normal(size=full.n_velocities)

    def energy(t: float) -> float:
        # position and velocity to first order
        x = moved(motion.x, t * velocity, TURN)
        return full.kinetic_energy(rotation_matrix(x[3:6]), velocity + t * a, x[6:])

    h = 1e-4
    rate = (energy(-2 * h) - 8 * energy(-h) + 8 * energy(h) - energy(2 * h)) / (12 * h)
    inertia = full.mass_matrix(motion.R, motion.u) @ a - full.velocity_force(motion.R, motion.w, motion.u, motion.du)
    assert velocity @ inertia == pytest.approx(rate, rel=1e-9)


# -------------------------------------------------------------------------------- bad input
def test_body_without_mass_or_extent() -> None:
    nothing = MassInvariants.rigid(mass=0.0, first=np.zeros(3), second=np.eye(3))
    with pytest.raises(Fault, match=r"mass of wheel \[kg\] = 0.0: must be positive"):
        FlexibleInertia(name="wheel", invariants=nothing)
    point = MassInvariants.rigid(mass=1.0, first=np.zeros(3), second=np.zeros((3, 3)))
    with pytest.raises(Fault, match="inertia of wheel"):
        FlexibleInertia(name="wheel", invariants=point)
    negative = MassInvariants.rigid(mass=1.0, first=np.zeros(3), second=np.diag([1.0, -0.5, 1.0]))
    with pytest.raises(Fault, match="inertia of wheel"):
        FlexibleInertia(name="wheel", invariants=negative)


def test_stiffness_of_another_size(full: FlexibleInertia) -> None:
    with pytest.raises(Fault, match=r"stiffness of block = shape \(2, 2\): must be shape \(4, 4\)"):
        replace(full, stiffness=np.eye(2))
