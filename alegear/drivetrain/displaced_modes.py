r"""Normal modes of a wheel that is displaced and tilted while it turns: an element that adds to the mass matrix.

With d (4,) the displacements and tilts of the wheel across its axis and R(psi) the rotation of its frame, about which
q are the modes, the kinetic energy has besides what each has alone

.. math::
    T = \dot d \cdot R \, (A \dot q + \dot\theta V q),                                                (1)

A momentum and moment of momentum by the rates of the modes, V by what they have moved while the wheel turns. README of
this folder, "Modes of a displaced wheel", has the derivation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.reduction.normal_modes import NormalModes
from alegear.system.coordinates import TILT_X, TILT_Y, Array, Indices, Place, X, Y
from alegear.system.element import ElementForces, StatelessElement

#: d: across the axis of the wheel.
ACROSS = (X, Y, TILT_X, TILT_Y)
#: A quarter turn of both pairs, dR/dpsi = R QUARTER.
QUARTER = np.kron(np.eye(2), [[0.0, -1.0], [1.0, 0.0]])
#: Only modes that go once around the wheel move its centre of mass across the axis, or tilt it.
NODAL_DIAMETER = 1


class DisplacedModes(StatelessElement):
    """Inertia that couples normal modes with displacements and tilts of their wheel.

    Parameters
    ----------
    name : str
    place : Place
        The wheel, with displacements.
    modes : shape (m,)
        Coordinates of the modes.
    momentum : shape (4, m) [kg^1/2], [kg^1/2 m]
        A: x, y of the integrals of u and of r x u over the mass, of modes u, where psi is 0.
    moved : shape (4, m)
        V likewise; its first two rows are those of A, a quarter turn ahead.
    phase : float [rad]
        psi = theta + phase, theta the rotation of the place.
    """

    only_in_motion = True
    adds_mass = True

    def __init__(
        self, name: str, place: Place, modes: Indices, *, momentum: Array, moved: Array, phase: float = 0.0
    ) -> None:
        assert place.rotation is not None
        self.name, self.momentum, self.moved, self.phase = name, momentum, moved, phase
        across = place.rows[list(ACROSS)]
        used = np.flatnonzero(across.any(axis=0))
        self.rotation, self.modes = place.rotation, modes
        self.shifts, self.shift_rows = place.coordinates[used], across[:, used]
        self.coordinates: Indices = np.unique(np.concatenate([[place.rotation], self.shifts, modes]))
        self._turn, self._modes = (np.searchsorted(self.coordinates, at) for at in (place.rotation, modes))
        self._rows = np.zeros((len(ACROSS), len(self.coordinates)))
        self._rows[:, np.searchsorted(self.coordinates, self.shifts)] = self.shift_rows

    @classmethod
    def of(
        cls, name: str, place: Place, at: Indices, modes: NormalModes, *, sense: float, phase: float
    ) -> DisplacedModes | None:
        """The element of a wheel; None if its axis is held, or none of its modes moves it across.

        Parameters
        ----------
        at : shape (m,)
            Coordinates of the modes.
        modes : NormalModes
        sense : float
            +1 where e3 of the place is along z of the modes, -1 where it is against it.
        phase : float [rad]
            Angle of tooth 0 about e3, from e1, where the place has not turned.
        """
        kept = np.flatnonzero(modes.nodal_diameters == NODAL_DIAMETER)
        if not len(kept) or not place.rows[list(ACROSS)].any():
            return None
        of = modes.subset(kept).invariants
        half_turn = np.array([1.0, sense, 1.0, sense])[:, None]  # of the frame of the modes about e1
        momentum = half_turn * np.vstack([of.U2[:2], of.U3[:2]])
        moved = QUARTER @ momentum
        axial = of.mixed[:, 2, :2] + of.mixed[:, :2, 2]  # integrals of z u + r u_z; z and u_z turn as sense
        moved[2:] = -sense * half_turn[2:] * axial.T
        return cls(name, place, at[kept], momentum=momentum, moved=moved, phase=phase)

    @property
    def matrices(self) -> Array:
        """A, V, V + Q A, V - Q A and Q V with the quarter turn Q, shape (5, 4, m)."""
        A, V = self.momentum, self.moved
        return np.array([A, V, V + QUARTER @ A, V - QUARTER @ A, QUARTER @ V])

    def kernel_terms(self, n: int) -> dict[str, Any]:
        """To compiled code it is itself."""
        return {"displaced_modes": self}

    def _frame(self, x: Array) -> Array:
        """Rows (4, n_e) of d along the axes that turn with the wheel, R^T d."""
        angle = float(x[self._turn]) + self.phase
        turned: Array = (np.cos(angle) * np.eye(len(ACROSS)) - np.sin(angle) * QUARTER) @ self._rows
        return turned

    def mass(self, x: Array, data: Any) -> Array:
        """What (1) adds to the mass matrix, shape (n_e, n_e)."""
        B, M = self._frame(x), np.zeros((len(x), len(x)))
        M[:, self._modes] = B.T @ self.momentum
        M[:, self._turn] += B.T @ (self.moved @ x[self._modes])
        return M + M.T

    def mass_tangent(self, x: Array, a: Array, data: Any) -> Array:
        """Derivative of ``mass(x) @ a``, shape (n_e, n_e)."""
        B, turn, modes, A, V = self._frame(x), self._turn, self._modes, self.momentum, self.moved
        ahead, gained, moved = B @ a, A @ a[modes] + V @ x[modes] * a[turn], V @ x[modes]
        tangent = np.zeros((len(x), len(x)))
        tangent[:, turn] = B.T @ QUARTER @ gained
        tangent[:, modes] = a[turn] * B.T @ V
        tangent[modes, turn] += A.T @ QUARTER.T @ ahead
        tangent[turn, turn] += ahead @ QUARTER @ moved
        tangent[turn, modes] += ahead @ V
        return tangent

    def evaluate(self, t: float, x: Array, v: Array, data: Any) -> ElementForces:
        """Forces of the modes on the wheel by its turning, and of its tilting back on them and on the rotation."""
        B, turn, modes, A, V = self._frame(x), self._turn, self._modes, self.momentum, self.moved
        q, rate, speed, across = x[modes], v[modes], float(v[turn]), B @ v
        coriolis, back = V + QUARTER @ A, V - QUARTER @ A
        outward = QUARTER @ V
        push = speed * (coriolis @ rate) + speed**2 * (outward @ q)
        returned, aside = across @ back, QUARTER.T @ across
        Q, by_x, by_v = -B.T @ push, np.zeros((len(x), len(x))), np.zeros((len(x), len(x)))
        Q[modes] += speed * returned
        Q[turn] -= returned @ rate
        by_x[:, turn] = -B.T @ QUARTER @ push
        by_x[:, modes] -= speed**2 * B.T @ outward
        by_x[modes, turn] += speed * aside @ back
        by_x[turn, turn] -= aside @ back @ rate
        by_v[:, modes] -= speed * B.T @ coriolis
        by_v[:, turn] -= B.T @ (coriolis @ rate + 2.0 * speed * (outward @ q))
        by_v[modes] += speed * back.T @ B
        by_v[modes, turn] += returned
        by_v[turn] -= rate @ back.T @ B
        by_v[turn, modes] -= returned
        return ElementForces(Q=Q, by_x=by_x, by_v=by_v)
