r"""A system linearised about a state, :math:`M \ddot u + C \dot u + K u = 0`.

.. math:: K = -\partial Q/\partial x, \quad C = -\partial Q/\partial v

on the free coordinates, prescribed ones held, and on what constraints leave of them. Gyroscopic moments are in C at the
speed of the state. Where K is symmetric and not negative, also its root, :math:`K = S^T S`: the strains of the parts
times the roots of their stiffnesses. Frequencies from S keep the digits that K has lost beside its stiffest part.

With joints g(x) = 0 in space and rotation vectors, u are displacements along the velocities
(:mod:`~alegear.system.rotation`) that constraints and joints allow, G u = 0. What joints exert belongs to the
stiffness at constant multipliers, its change by the multipliers is left out along the directions in which they exert
nothing: :math:`L^T \partial Q/\partial\lambda = 0`, with L = B where they exert :math:`-G^T \lambda` alone. Where a
body spins with w its angular velocity changes by :math:`\dot u + w \times u`, and frequencies are those seen from the
body:

.. math::
    M = B^T M B, \quad C = L^T (M \Omega - \partial Q/\partial v) B, \quad
    K = -L^T (\partial Q/\partial x + \partial Q/\partial v \, \Omega) B, \quad \Omega = \mathrm{skew}(w)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import null_space

from alegear.errors import Fault
from alegear.system.checks import check_inertia
from alegear.system.coordinates import Array, Indices
from alegear.system.holonomic import JointForces
from alegear.system.model import SystemData, SystemForces, SystemModel, evaluate, mass_matrix
from alegear.system.rotation import moved, skew

SYMMETRY = 1e-9  # of the largest entry, with ones on the diagonal: friction in a mesh is not symmetric
NOT_NEGATIVE = 1e-9  # least eigenvalue likewise: round-off of what elements hand out
DEPENDENT = 1e-10  # part of the largest singular value below which an equation says what others do
STEADY = 1e-6  # part by which joints and masses may change while a body turns by TURNED [rad]: differences
TURNED = 1e-3
MOST_SIGNS = 20  # of multipliers whose magnitudes act, tried one after the other


@dataclass(frozen=True, kw_only=True, eq=False)
class Linearised:
    """A system linearised about a state, in r independent coordinates of its n.

    Attributes
    ----------
    model : SystemModel
    mass, stiffness, damping : shape (r, r)
    strains : shape (m, r) or None
        S; None where the stiffness is not symmetric, or negative in a direction, and with joints.
    basis : shape (n, r)
        All coordinates by these: a column each where nothing is constrained, zero for prescribed ones.
    whole_mass : shape (n, n)
    speeds : shape (n,)
        Velocities of the state.
    """

    model: SystemModel
    mass: Array
    stiffness: Array
    damping: Array
    strains: Array | None
    basis: Array
    whole_mass: Array
    speeds: Array

    @classmethod
    def of(
        cls,
        model: SystemModel,
        data: SystemData | None = None,
        *,
        t: float = 0.0,
        x: Array | None = None,
        v: Array | None = None,
        multipliers: Array | None = None,
    ) -> Linearised:
        """Linearise about coordinates x and velocities v, both (n,).

        Parameters
        ----------
        model : SystemModel
        data : SystemData, optional
            Default: new.
        t : float [s]
        x, v : shape (n,)
            Default: zero, and where bodies in space start.
        multipliers : shape (n_equations,)
            Of the joints; default: those with which forces balance best, at an equilibrium its own.

        Raises
        ------
        Fault
            If a free coordinate has no inertia, an element cannot be evaluated there, or joints or masses change with
            the motion v.
        """
        check_inertia(model)
        data = data or model.new_data()
        x = model.resting() if x is None else np.asarray(x, dtype=np.float64)
        v = np.zeros(model.n) if v is None else np.asarray(v, dtype=np.float64)
        forces = evaluate(model, data, t, x, v)
        if forces.failure is not None:
            raise Fault("state to linearise about", "not to be evaluated", "an equilibrium", forces.failure)
        whole_mass = mass_matrix(model, data, x)
        by_x, by_v, strains, turning = forces.by_x, forces.by_v, None, np.zeros((model.n, model.n))
        if model.joints or (model.rotation_vectors and v.any()):  # what joints add is no square of a strain
            joints = _joint_forces(model, t, x, v, forces, multipliers)
            by_x, by_v = by_x + joints.by_x, by_v + joints.by_v
            basis, left = _columns_in_space(model, data, t, x, v, joints, whole_mass)
            for k in model.rotation_vectors:
                turning[k : k + 3, k : k + 3] = skew(v[k : k + 3])
        else:
            basis = left = independent_columns(model)
            strains = _strains(model, -by_x - model.stiffness)
        M = _mass_between(basis, whole_mass)
        return cls(
            model=model,
            mass=0.5 * (M + M.T),
            stiffness=-left.T @ (by_x + by_v @ turning) @ basis,
            damping=left.T @ (whole_mass @ turning - by_v) @ basis,
            strains=None if strains is None else strains @ basis,
            basis=basis,
            whole_mass=whole_mass,
            speeds=v,
        )

    def holding_all_but(self, kept: Indices) -> Linearised:
        """The same system whose coordinates but those `kept`, shape (k,), stand still."""
        others = np.setdiff1d(np.arange(self.model.n), kept)
        sized = self.basis / self.model.displacement_scale[:, None]  # of metres and radians alike
        largest = np.abs(sized).max(axis=0)
        left = null_space(sized[others] / largest) / largest[:, None]
        return replace(
            self,
            mass=left.T @ self.mass @ left,
            stiffness=left.T @ self.stiffness @ left,
            damping=left.T @ self.damping @ left,
            strains=None if self.strains is None else self.strains @ left,
            basis=self.basis @ left,
        )


def independent_columns(model: SystemModel, of_joints: Array | None = None) -> Array:
    """Columns of what constraints, and rows (n_equations, n) of joints, leave of the free coordinates."""
    basis = np.eye(model.n)[:, model.free]
    rows = model.constraint_rows if of_joints is None else np.vstack([model.constraint_rows, of_joints])
    rows = rows @ basis
    if not len(rows):
        return basis
    size = model.displacement_scale[model.free]
    scaled = rows * size
    if of_joints is not None:  # of any units, and some may say the same twice
        largest = np.abs(scaled).max(axis=1, keepdims=True)
        scaled = scaled / np.where(largest > 0.0, largest, 1.0)
    free = null_space(scaled, rcond=None if of_joints is None else DEPENDENT)
    if of_joints is not None and not free.shape[1]:
        raise Fault("motions that joints allow", 0, "at least 1", "leave joints out, or hold fewer coordinates")
    independent: Array = basis @ (size[:, None] * free)
    return independent


def _columns_in_space(
    model: SystemModel, data: SystemData, t: float, x: Array, v: Array, joints: JointForces, whole_mass: Array
) -> tuple[Array, Array]:
    """B and L of bodies in space; the same where joints exert -G^T lambda alone."""
    G = model.joint_rows.misfit(t, x)[1]
    basis = independent_columns(model, G)
    M = _mass_between(basis, whole_mass)
    if v.any():
        later = moved(x, v * (TURNED / np.abs(v).max()), model.rotation_vectors)
        turned = model.joint_rows.misfit(t, later)[1] @ basis
        _check_steady("joints", turned, (np.abs(G) @ np.abs(basis)).max(initial=0.0))
        changed = basis.T @ (mass_matrix(model, data, later) - whole_mass) @ basis
        _check_steady("masses", changed, np.abs(M).max(initial=0.0))
    if np.array_equal(joints.by_multipliers, -G.T):
        return basis, basis
    left = independent_columns(model, joints.by_multipliers.T)
    return basis, left @ np.linalg.solve((left.T @ whole_mass @ basis).T, M.T)  # L^T M B = B^T M B


def _joint_forces(
    model: SystemModel, t: float, x: Array, v: Array, forces: SystemForces, multipliers: Array | None
) -> JointForces:
    """What joints exert, by default with the multipliers that leave least of all forces on what is free."""
    rows, free = model.joint_rows, model.free
    if multipliers is not None:
        return rows.forces(t, x, v, np.asarray(multipliers, dtype=np.float64))
    found: Array = np.zeros(rows.n_equations)
    before = np.empty(0)
    for _ in range(MOST_SIGNS):
        exerted = rows.forces(t, x, v, found)
        if np.array_equal(before, exerted.by_multipliers):
            break
        before = exerted.by_multipliers
        all_rows = np.hstack([before, -model.constraint_rows.T])[free]
        found = np.asarray(np.linalg.lstsq(all_rows, -forces.Q[free], rcond=None)[0][: rows.n_equations])
    return exerted


def _check_steady(what: str, change: Array, size: float) -> None:
    worst = float(np.abs(change).max(initial=0.0))
    if not worst <= STEADY * size:
        limit = "the same all the time, seen from the bodies"
        remedy = "linearise at rest, or about a spin that leaves them as they are, with the frame at the pivot"
        raise Fault(f"{what} of the state to linearise about", "change with its motion", limit, remedy)


def _mass_between(basis: Array, whole_mass: Array) -> Array:
    M: Array = basis.T @ whole_mass @ basis
    root = np.sqrt(np.diag(M))
    least = float(np.linalg.eigvalsh(M / np.outer(root, root)).min(initial=1.0))
    if not least > 0.0:
        raise Fault("inertia", f"{least:.3g} in one combination", "positive", "give all bodies a mass")
    return M


def _strains(model: SystemModel, of_elements: Array) -> Array | None:
    rows = np.zeros((0, model.n))
    for part in model.parts:
        root = _root(part.stiffness)
        assert root is not None  # the builder refuses others
        own = np.zeros((len(root), model.n))
        own[:, part.coordinates] = root @ part.rows
        rows = np.vstack([rows, own])
    if model.elements:
        root = _root(of_elements)
        if root is None:
            return None
        rows = np.vstack([rows, root])
    return rows


def _root(K: Array) -> Array | None:
    """R with K = R^T R; None where there is none."""
    diagonal = np.diag(K)
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = K / np.outer(scale, scale)
    if float(np.abs(scaled - scaled.T).max(initial=0.0)) > SYMMETRY:
        return None
    values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    if float(values.min(initial=0.0)) < -NOT_NEGATIVE:
        return None
    root: Array = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * scale
    return root
