r"""A system linearised about a state, :math:`M \ddot u + C \dot u + K u = 0`.

.. math:: K = -\partial Q/\partial x, \quad C = -\partial Q/\partial v

on the free coordinates, led ones held, and on what constraints leave of them. Gyroscopic moments are in C at the speed
of the state. Where K is symmetric and not negative, also its root, :math:`K = S^T S`: the strains of the parts times
the roots of their stiffnesses. Frequencies from S keep the digits that K has lost beside its stiffest part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from alegear.errors import Fault
from alegear.system.checks import check_inertia
from alegear.system.coordinates import Array
from alegear.system.model import SystemData, SystemModel, evaluate, mass_matrix

SYMMETRY = 1e-9  # of the largest entry, with ones on the diagonal: friction in a mesh is not symmetric
NOT_NEGATIVE = 1e-9  # least eigenvalue likewise: round-off of what elements hand out


@dataclass(frozen=True, kw_only=True, eq=False)
class Linearised:
    """A system linearised about a state, in r independent coordinates of its n.

    Attributes
    ----------
    model : SystemModel
    mass, stiffness, damping : shape (r, r)
    strains : shape (m, r) or None
        S; None where the stiffness is not symmetric, or negative in a direction.
    basis : shape (n, r)
        All coordinates by these: a column each where nothing is constrained, zero for led ones.
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
    ) -> Linearised:
        """Linearise about coordinates x and velocities v, both (n,); default zero.

        Raises
        ------
        Fault
            If a free coordinate has no inertia, or an element cannot be evaluated there.
        """
        check_inertia(model)
        data = data or model.new_data()
        x = np.zeros(model.n) if x is None else np.asarray(x, dtype=np.float64)
        v = np.zeros(model.n) if v is None else np.asarray(v, dtype=np.float64)
        forces = evaluate(model, data, t, x, v)
        if forces.failure is not None:
            raise Fault("state to linearise about", "not to be evaluated", "an equilibrium", forces.failure)
        basis, whole_mass = _independent(model), mass_matrix(model, data, x)
        M = basis.T @ whole_mass @ basis
        _check_mass(M)
        strains = _strains(model, -forces.by_x - model.stiffness)
        return cls(
            model=model,
            mass=0.5 * (M + M.T),
            stiffness=-basis.T @ forces.by_x @ basis,
            damping=-basis.T @ forces.by_v @ basis,
            strains=None if strains is None else strains @ basis,
            basis=basis,
            whole_mass=whole_mass,
            speeds=v,
        )


def _independent(model: SystemModel) -> Array:
    """Columns of what constraints leave of the free coordinates."""
    basis = np.eye(model.n)[:, model.free]
    rows = model.constraint_rows @ basis
    if not len(rows):
        return basis
    size = model.displacement_scale[model.free]
    independent: Array = basis @ (size[:, None] * null_space(rows * size))
    return independent


def _check_mass(M: Array) -> None:
    root = np.sqrt(np.diag(M))
    least = float(np.linalg.eigvalsh(M / np.outer(root, root)).min(initial=1.0))
    if not least > 0.0:
        raise Fault("inertia", f"{least:.3g} in one combination", "positive", "give all bodies a mass")


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
