r"""Normal modes of a wheel that is displaced and tilted while it turns: an element that adds to the mass matrix.

With d (4,) the displacements and tilts of the wheel across its axis and R(psi) the rotation of its frame, about which
q are the modes, the kinetic energy has besides what each has alone

.. math::
    T = \dot d \cdot R \, (A \dot q + \dot\theta V q),                                                (1)

A momentum and moment of momentum by the rates of the modes, V by what they have moved while the wheel turns. README of
this folder, "Modes of a displaced wheel", has the derivation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from alegear.drivetrain import displaced_kernels as kernels
from alegear.drivetrain.displaced_kernels import N_ACROSS, N_MATRICES, N_ROOM, RotatingModes
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
        self._own = rotating_modes([self], self.coordinates)

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

    def _terms(self, x: Array, v: Array, a: Array) -> tuple[Array, Array, Array, Array]:
        """Forces, part of the mass matrix, and derivatives of inertia less forces by x and v, at accelerations a."""
        n = len(self.coordinates)
        Q, M, by_x, by_v = np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        own = (np.ascontiguousarray(given, dtype=np.float64) for given in (x, v, a))
        kernels.add_carried_terms(self._own, *own, Q, M, by_x, by_v)
        return Q, M, by_x, by_v

    def mass(self, x: Array, data: Any) -> Array:
        """What (1) adds to the mass matrix, shape (n_e, n_e)."""
        nothing = np.zeros(len(x))
        return self._terms(x, nothing, nothing)[1]

    def mass_tangent(self, x: Array, a: Array, data: Any) -> Array:
        """Derivative of ``mass(x) @ a``, shape (n_e, n_e)."""
        return self._terms(x, np.zeros(len(x)), a)[2]

    def evaluate(self, t: float, x: Array, v: Array, data: Any) -> ElementForces:
        """Forces of the modes on the wheel by its turning, and of its tilting back on them and on the rotation."""
        Q, _, by_x, by_v = self._terms(x, v, np.zeros(len(x)))
        return ElementForces(Q=Q, by_x=-by_x, by_v=-by_v)


def rotating_modes(elements: Sequence[DisplacedModes], coordinates: Indices | None = None) -> RotatingModes:
    """What the kernels need of wheels that are displaced while their modes turn with them.

    By the coordinates of the system, or by their places among some `coordinates`, which rise.
    """
    k = len(elements)
    c, m = (
        max((len(at) for at in each), default=0) for each in ([e.shifts for e in elements], [e.modes for e in elements])
    )
    shifts, modes = np.full((k, c), -1, dtype=np.int64), np.full((k, m), -1, dtype=np.int64)
    rows, matrices = np.zeros((k, N_ACROSS, c)), np.zeros((k, N_MATRICES, N_ACROSS, m))

    def numbers(at: Any) -> Indices:
        return np.asarray(at if coordinates is None else np.searchsorted(coordinates, at), dtype=np.int64)

    for number, element in enumerate(elements):
        shifts[number, : len(element.shifts)] = numbers(element.shifts)
        modes[number, : len(element.modes)] = numbers(element.modes)
        rows[number, :, : len(element.shifts)] = element.shift_rows
        matrices[number, :, :, : len(element.modes)] = element.matrices
    return RotatingModes(
        turn=numbers([e.rotation for e in elements]),
        phase=np.array([e.phase for e in elements], dtype=np.float64),
        shifts=shifts,
        rows=rows,
        modes=modes,
        matrices=matrices,
        frame=np.zeros((k, N_ACROSS, c)),
        room=np.zeros((k, N_ROOM, N_ACROSS)),
    )
