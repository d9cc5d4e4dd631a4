"""Inertia of a body in a floating frame: forces of large motion with small elastic displacements.

Coordinates: place p_WB (3,) of the body's frame, rotation vector psi (3,), modal coordinates u (m,). Velocities: v_WB
in the world frame, angular velocity w_WB_B in the body's frame, du/dt. A point of the body is at p + R (s + phi u), and
its acceleration, seen in the body's frame and with x = s + phi u,

    R^T dv/dt + dw/dt x x + phi d2u/dt2 + w x (w x x) + 2 w x (phi du/dt)

Its virtual power gives the equations of motion; with the angular velocity in place of the rate of the rotation vector
they are those of Liu et al. (2018), equations 11 to 15 and 19, without their matrices H.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from alegear.errors import Fault
from alegear.reduction.inertia import MassInvariants
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array
from alegear.system.rotation import skew

#: Places of the velocities of a body: of its frame, its angular velocity; modal velocities follow.
TRANSLATION, ROTATION, RIGID = slice(0, 3), slice(3, 6), 6


@dataclass(frozen=True, kw_only=True, eq=False)
class FlexibleInertia(ShortRepr):
    """Inertia and stiffness of a body in its floating frame.

    Parameters
    ----------
    name : str
        What messages call it.
    invariants : MassInvariants
    stiffness, damping : shape (m, m) [N/m, N s/m], optional
        Of the modal coordinates; zero if not given.
    inertia : {"full", "simplified"}
        "simplified" leaves out what the deformation adds to the inertia: the modal coordinates are without inertia of
        their own and do not change that of the body, but are loaded by its motion (Liu et al., equations 16 to 24).
    """

    name: str
    invariants: MassInvariants
    stiffness: Array | None = None
    damping: Array | None = None
    inertia: Literal["full", "simplified"] = "full"

    def __post_init__(self) -> None:
        U = self.invariants
        if not U.mass > 0.0:
            raise Fault(f"mass of {self.name} [kg]", U.mass, "positive", "check density and dimensions")
        centre = U.first / U.mass
        about_centre = U.second - U.mass * np.outer(centre, centre)
        smallest = float(np.linalg.eigvalsh(about_centre).min())
        # a body may be thin in one direction, but not have a negative extent
        if not smallest >= -1e-12 * np.trace(about_centre) or np.linalg.matrix_rank(U.U6) < 3:
            raise Fault(
                f"inertia of {self.name} [kg m2]",
                np.array2string(np.diag(U.U6), precision=3),
                "that of a body with mass off its axes",
                "check density and dimensions",
            )
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            if matrix is not None and np.shape(matrix) != (U.n_modes, U.n_modes):
                raise Fault(
                    f"{what} of {self.name}", f"shape {np.shape(matrix)}", f"shape {(U.n_modes,) * 2}", "one row a mode"
                )

    @property
    def n_velocities(self) -> int:
        """6 + m."""
        return RIGID + self.invariants.n_modes

    @property
    def is_full(self) -> bool:
        """Whether deformation has inertia."""
        return self.inertia == "full" and self.invariants.n_modes > 0

    @cached_property
    def _symmetric_mixed(self) -> Array:
        """U7 + U7^T, shape (m, 3, 3) [kg m]."""
        return self.invariants.U7 + np.swapaxes(self.invariants.U7, 1, 2)

    # ---------------------------------------------------------------- moments of the deformed body
    def first_moment(self, u: Array) -> Array:
        """``int rho x dV`` in the body's frame, shape (3,) [kg m]."""
        U = self.invariants
        return U.first + U.modal @ u if self.is_full else U.first

    def inertia_tensor(self, u: Array) -> Array:
        """About the origin of the frame, shape (3, 3) [kg m2]: U6 + u_i (U7_i + U7_i^T) + u_i u_j U8_ij."""
        U = self.invariants
        if not self.is_full:
            return U.U6
        return U.U6 + np.tensordot(u, self._symmetric_mixed, 1) + np.einsum("i,j,ijab->ab", u, u, U.U8)

    def spin_coupling(self, u: Array) -> Array:
        """``int rho x x phi_i dV``, shape (3, m) [kg m]: U3 + u_i U4_i."""
        U = self.invariants
        return U.U3 + np.tensordot(u, U.U4, 1) if self.is_full else U.U3

    # ------------------------------------------------------------------------------- mass and forces
    def mass_matrix(self, R: Array, u: Array) -> Array:
        """Mass matrix of the velocities (v, w, du/dt), shape (6 + m, 6 + m).

        With "simplified" inertia it is not symmetric: the motion loads the modes, they do not load it.
        """
        U = self.invariants
        M = np.zeros((self.n_velocities, self.n_velocities))
        M[TRANSLATION, TRANSLATION] = U.mass * np.eye(3)
        M[TRANSLATION, ROTATION] = -R @ skew(self.first_moment(u))
        M[ROTATION, TRANSLATION] = M[TRANSLATION, ROTATION].T
        M[ROTATION, ROTATION] = self.inertia_tensor(u)
        if not U.n_modes:
            return M
        M[RIGID:, TRANSLATION], M[RIGID:, ROTATION] = (R @ U.modal).T, self.spin_coupling(u).T
        if self.is_full:
            M[TRANSLATION, RIGID:], M[ROTATION, RIGID:] = M[RIGID:, TRANSLATION].T, M[RIGID:, ROTATION].T
            M[RIGID:, RIGID:] = U.U5
        return M

    def velocity_force(self, R: Array, w: Array, u: Array, du: Array) -> Array:
        """Forces of inertia that are quadratic in the velocities, shape (6 + m,): M dv/dt = Q_v for a free body."""
        U, full = self.invariants, self.is_full
        W = skew(w)
        first = self.first_moment(u)
        force = np.empty(self.n_velocities)
        translation, rotation = W @ (W @ first), W @ (self.inertia_tensor(u) @ w)
        if full:
            translation += 2.0 * W @ (U.modal @ du)
            rotation += 2.0 * _swing(np.tensordot(du, self._moment_with(u), 1), w)
        force[TRANSLATION], force[ROTATION] = -R @ translation, -rotation
        if U.n_modes:
            # phi . (w x (w x x)) = (w . x)(phi . w) - (x . phi) w^2
            moment = self._moment_with(u) if full else U.mixed
            modal = np.einsum("a,iab,b->i", w, moment, w) - np.trace(moment, axis1=1, axis2=2) * (w @ w)
            if full:
                # 2 phi_i . (w x phi_j du_j) = -2 w . (phi_i x phi_j) du_j
                modal -= 2.0 * np.einsum("a,iaj,j->i", w, U.U4, du)
            force[RIGID:] = -modal
        return force

    def velocity_force_tangents(self, R: Array, w: Array, u: Array, du: Array) -> tuple[Array, Array]:
        """Derivatives of :meth:`velocity_force` by increments and by velocities, shape (6 + m, 6 + m) each."""
        U, full, W = self.invariants, self.is_full, skew(w)
        by_place, by_velocity = np.zeros((2, self.n_velocities, self.n_velocities))
        first, J = self.first_moment(u), self.inertia_tensor(u)
        moment = self._moment_with(u) if full else U.mixed
        translation = W @ (W @ first)
        spin = -skew(W @ first) - W @ skew(first)
        rotation = W @ J - skew(J @ w)
        if full:
            flow = U.modal @ du
            N = np.tensordot(du, moment, 1)
            translation += 2.0 * W @ flow
            spin -= 2.0 * skew(flow)
            rotation += 2.0 * (np.trace(N) * np.eye(3) - N.T)
        by_place[TRANSLATION, ROTATION] = R @ skew(translation)
        by_velocity[TRANSLATION, ROTATION], by_velocity[ROTATION, ROTATION] = -R @ spin, -rotation
        if not U.n_modes:
            return by_place, by_velocity
        traces = np.trace(moment, axis1=1, axis2=2)
        modal = (moment + np.swapaxes(moment, 1, 2)) @ w - 2.0 * np.outer(traces, w)
        if full:
            assert U.quadratic is not None
            modal -= 2.0 * U.U4 @ du
            by_place[TRANSLATION, RIGID:] = -R @ W @ W @ U.modal
            by_velocity[TRANSLATION, RIGID:] = -2.0 * R @ W @ U.modal
            by_place[ROTATION, RIGID:] = -W @ self.inertia_by_mode(u, w)
            by_place[ROTATION, RIGID:] -= 2.0 * _swing(np.einsum("jiab,i->jab", U.quadratic, du), w).T
            by_velocity[ROTATION, RIGID:] = -2.0 * _swing(moment, w).T
            squared = np.einsum("a,jiab,b->ij", w, U.quadratic, w)
            by_place[RIGID:, RIGID:] = U.U5 * (w @ w) - squared
            by_velocity[RIGID:, RIGID:] = 2.0 * np.einsum("a,iaj->ij", w, U.U4)
        by_velocity[RIGID:, ROTATION] = -modal
        return by_place, by_velocity

    def inertia_by_mode(self, u: Array, w: Array) -> Array:
        """Derivative of the inertia tensor times w by the modal coordinates, shape (3, m)."""
        U8 = self.invariants.U8
        return (self._symmetric_mixed @ w + np.einsum("j,ijab,b->ia", u, U8 + U8.transpose(1, 0, 2, 3), w)).T

    def elastic_force(self, u: Array, du: Array) -> Array:
        """``-K u - D du/dt`` at the modal coordinates, shape (6 + m,)."""
        force = np.zeros(self.n_velocities)
        if self.stiffness is not None:
            force[RIGID:] -= self.stiffness @ u
        if self.damping is not None:
            force[RIGID:] -= self.damping @ du
        return force

    def _moment_with(self, u: Array) -> Array:
        """``int rho x phi_i^T dV``, shape (m, 3, 3) [kg m]."""
        U = self.invariants
        assert U.quadratic is not None
        return U.mixed + np.tensordot(u, U.quadratic, 1)

    def acceleration_tangent(self, R: Array, u: Array, vdot: Array) -> Array:
        """Derivative of M(R, u) vdot by displacements, shape (6 + m, 6 + m)."""
        U, K = self.invariants, np.zeros((self.n_velocities,) * 2)
        a, turn, ddu = R.T @ vdot[:3], vdot[3:6], vdot[RIGID:]
        first = self.first_moment(u)
        # R f turned: -R skew(f); R^T a turned: skew(R^T a)
        inner = skew(turn) @ first + (U.modal @ ddu if self.is_full else 0.0)
        K[:3, 3:6] = -R @ skew(inner)
        K[3:6, 3:6] = skew(first) @ skew(a)
        if U.n_modes:
            K[RIGID:, 3:6] = U.modal.T @ skew(a)
        if self.is_full:
            K[:3, RIGID:] = R @ skew(turn) @ U.modal
            K[3:6, RIGID:] = -skew(a) @ U.modal + self.inertia_by_mode(u, turn) + np.einsum("iaj,j->ai", U.U4, ddu)
            K[RIGID:, RIGID:] = np.einsum("iaj,a->ji", U.U4, turn)
        return K

    # ------------------------------------------------------------------------------------ what is kept
    def kinetic_energy(self, R: Array, velocity: Array, u: Array) -> float:
        """``v^T M v / 2`` [J]; with "simplified" inertia that of the rigid motion."""
        M = self.mass_matrix(R, u)
        if not self.is_full:
            M, velocity = M[:RIGID, :RIGID], velocity[:RIGID]
        return 0.5 * float(velocity @ M @ velocity)

    def strain_energy(self, u: Array) -> float:
        """``u^T K u / 2`` [J]."""
        return 0.0 if self.stiffness is None else 0.5 * float(u @ self.stiffness @ u)

    def momentum(self, p: Array, R: Array, velocity: Array, u: Array) -> tuple[Array, Array]:
        """Momentum [kg m/s] and angular momentum about the world's origin [kg m2/s], world frame, shape (3,) each."""
        M = self.mass_matrix(R, u)
        rows = M[:RIGID] if self.is_full else M[:RIGID, :RIGID]
        both = rows @ velocity[: rows.shape[1]]
        linear = both[TRANSLATION]
        return linear, np.cross(p, linear) + R @ both[ROTATION]


def _swing(moment: Array, w: Array) -> Array:
    """``int x x (w x y)`` of moments ``int x y^T``, shape (..., 3): tr(N) w - N^T w."""
    return np.trace(moment, axis1=-2, axis2=-1)[..., None] * w - np.swapaxes(moment, -1, -2) @ w
