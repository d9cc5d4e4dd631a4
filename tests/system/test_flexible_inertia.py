"""Inertia of a flexible body: every term against the grid's own mass matrix, every tangent against differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from derivatives import differences
from fe_grids import distorted_block

from alegear.dynamics.flexible_body import FlexibleBody
from alegear.dynamics.multibody import BodyMotion, acceleration_tangent, body_force
from alegear.dynamics.rotation import composed, rotation_matrix, skew
from alegear.errors import Fault
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material
from alegear.reduction.inertia import MassInvariants

N_MODES = 4
ROUND_OFF = 1e-12


@pytest.fixture(scope="module")
def model() -> FEModel:
    return FEModel.from_mesh(distorted_block(2, 0.15, seed=4), Material())


@pytest.fixture(scope="module")
def modes(model: FEModel) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(model.n_nodes, 3, N_MODES))


@pytest.fixture(scope="module")
def full(model: FEModel, modes: np.ndarray) -> FlexibleBody:
    rng = np.random.default_rng(8)
    K, D = rng.normal(size=(2, N_MODES, N_MODES))
    return FlexibleBody(
        name="block", invariants=MassInvariants.of(model, modes), stiffness=K @ K.T, damping=0.1 * D @ D.T
    )


@pytest.fixture(scope="module", params=["full", "simplified"])
def body(request: pytest.FixtureRequest, full: FlexibleBody) -> FlexibleBody:
    return replace(full, inertia=request.param)


@pytest.fixture
def motion() -> BodyMotion:
    rng = np.random.default_rng(9)
    R = rotation_matrix(rng.normal(size=3))
    return BodyMotion(
        p=rng.normal(size=3),
        R=R,
        u=0.3 * rng.normal(size=N_MODES),
        v=rng.normal(size=3),
        w=rng.normal(size=3),
        du=rng.normal(size=N_MODES),
    )


def nodal_jacobian(model: FEModel, modes: np.ndarray, motion: BodyMotion) -> np.ndarray:
    """Velocities of all nodes, in the body's axes, by the velocities of the body, shape (3 n, 6 + m)."""
    x = model.points + modes @ motion.u
    translation = np.broadcast_to(motion.R.T, (model.n_nodes, 3, 3))
    return np.concatenate([translation, -skew(x), modes], axis=2).reshape(model.n_dof, -1)


def velocities(motion: BodyMotion) -> np.ndarray:
    return np.concatenate([motion.v, motion.w, motion.du])


def test_mass_matrix_is_that_of_the_grid(
    model: FEModel, modes: np.ndarray, full: FlexibleBody, motion: BodyMotion
) -> None:
    J = nodal_jacobian(model, modes, motion)
    expected = J.T @ (model.mass @ J)
    found = full.mass_matrix(motion.R, motion.u)
    assert np.allclose(found, expected, rtol=0.0, atol=ROUND_OFF * np.abs(expected).max())
    velocity = velocities(motion)
    assert full.kinetic_energy(motion.R, velocity, motion.u) == pytest.approx(0.5 * velocity @ expected @ velocity)


def test_velocity_force_is_the_inertia_of_the_grid(
    model: FEModel, modes: np.ndarray, full: FlexibleBody, motion: BodyMotion
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
    model: FEModel, modes: np.ndarray, full: FlexibleBody, motion: BodyMotion
) -> None:
    x = motion.p + (model.points + modes @ motion.u) @ motion.R.T
    v = (nodal_jacobian(model, modes, motion) @ velocities(motion)).reshape(-1, 3) @ motion.R.T
    linear = np.asarray(model.scalar_mass @ v).sum(axis=0)
    # int rho x x v over the shape functions: the moments x_a v_b
    moments = x.T @ (model.scalar_mass @ v)
    angular = np.array([moments[1, 2] - moments[2, 1], moments[2, 0] - moments[0, 2], moments[0, 1] - moments[1, 0]])
    found = full.momentum(motion.p, motion.R, velocities(motion), motion.u)
    assert np.allclose(found[0], linear, rtol=ROUND_OFF)
    assert np.allclose(found[1], angular, rtol=1e-11)


def test_simplified_leaves_out_what_the_deformation_adds(full: FlexibleBody, motion: BodyMotion) -> None:
    simplified = replace(full, inertia="simplified")
    still = np.zeros(N_MODES)
    M, M_full = simplified.mass_matrix(motion.R, motion.u), full.mass_matrix(motion.R, still)
    assert np.array_equal(M[:, :6], M_full[:, :6])
    assert not M[:, 6:].any()
    found = simplified.velocity_force(motion.R, motion.w, motion.u, motion.du)
    expected = full.velocity_force(motion.R, motion.w, still, still)
    assert np.allclose(found, expected, rtol=0.0, atol=ROUND_OFF * np.abs(expected).max())


# ------------------------------------------------------------------------------ tangents
def along(motion: BodyMotion, way: np.ndarray, change: np.ndarray) -> BodyMotion:
    """Motion a little further, with a little more speed."""
    return BodyMotion(
        p=motion.p + way[:3],
        R=motion.R @ rotation_matrix(way[3:6]),
        u=motion.u + way[6:],
        v=motion.v + change[:3],
        w=motion.w + change[3:6],
        du=motion.du + change[6:],
    )


def test_tangents_of_the_forces(body: FlexibleBody, motion: BodyMotion) -> None:
    n, still = body.n_velocities, np.zeros(body.n_velocities)
    _, by_place, by_velocity = body_force(body, motion)
    expected = differences(lambda way: body_force(body, along(motion, way, still))[0], n)
    assert np.allclose(by_place, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    expected = differences(lambda change: body_force(body, along(motion, still, change))[0], n)
    assert np.allclose(by_velocity, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_tangent_of_the_accelerated_mass(body: FlexibleBody, motion: BodyMotion) -> None:
    n, still = body.n_velocities, np.zeros(body.n_velocities)
    vdot = np.random.default_rng(10).normal(size=n)

    def accelerated(way: np.ndarray) -> np.ndarray:
        there = along(motion, way, still)
        return body.mass_matrix(there.R, there.u) @ vdot

    expected = differences(accelerated, n)
    found = acceleration_tangent(body, motion.R, motion.u, vdot)
    assert np.allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_energy_is_what_the_forces_leave(full: FlexibleBody, motion: BodyMotion) -> None:
    """The power of inertia along the motion is the rate of the kinetic energy: M and Q_v belong together."""
    velocity = velocities(motion)
    vdot = np.random.default_rng(11).normal(size=full.n_velocities)

    def energy(t: float) -> float:
        # place to first, velocity to first order
        R = rotation_matrix(composed(np.zeros(3), t * motion.w))
        return full.kinetic_energy(motion.R @ R, velocity + t * vdot, motion.u + t * motion.du)

    h = 1e-4
    rate = (energy(-2 * h) - 8 * energy(-h) + 8 * energy(h) - energy(2 * h)) / (12 * h)
    inertia = full.mass_matrix(motion.R, motion.u) @ vdot - full.velocity_force(motion.R, motion.w, motion.u, motion.du)
    assert velocity @ inertia == pytest.approx(rate, rel=1e-9)


# -------------------------------------------------------------------------------- bad input
def test_body_without_mass_or_extent() -> None:
    nothing = MassInvariants.rigid(mass=0.0, first=np.zeros(3), second=np.eye(3))
    with pytest.raises(Fault, match=r"mass of wheel \[kg\] = 0.0: must be positive"):
        FlexibleBody(name="wheel", invariants=nothing)
    point = MassInvariants.rigid(mass=1.0, first=np.zeros(3), second=np.zeros((3, 3)))
    with pytest.raises(Fault, match="inertia of wheel"):
        FlexibleBody(name="wheel", invariants=point)
    negative = MassInvariants.rigid(mass=1.0, first=np.zeros(3), second=np.diag([1.0, -0.5, 1.0]))
    with pytest.raises(Fault, match="inertia of wheel"):
        FlexibleBody(name="wheel", invariants=negative)


def test_stiffness_of_another_size(full: FlexibleBody) -> None:
    with pytest.raises(Fault, match=r"stiffness of block = shape \(2, 2\): must be shape \(4, 4\)"):
        replace(full, stiffness=np.eye(2))
