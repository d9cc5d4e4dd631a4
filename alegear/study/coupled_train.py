r"""A gear train with coordinates besides its rotations, which the contact works on: what they all have in common.

.. math:: M \ddot y + B^T \ddot\varphi + (D + G) \dot y + K y = Q(\varphi, y) + f(t)

After the rotations come n coordinates y with constant mass, stiffness K and damping D, velocity forces G that do no
work, contact forces Q and outer forces f.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces
from alegear.contact.hertz.coupled import CoupledForces
from alegear.dynamics.system import ForceEvaluation
from alegear.study.gear_train import FurtherWork, GearMotion, GearTrain

Array = NDArray[np.float64]


class CoupledTrain(GearTrain):
    """A gear train with further coordinates.

    Parameters
    ----------
    mass : shape (n, n) [kg, kg m2]
    stiffness, damping : shape (n, n)
    scale, force_scale : shape (n,)
        Typical size of each coordinate and of its force.
    coupling : shape (2, n), optional
        B: inertia between the rotation of each gear, in its running direction, and the coordinates.
    train
        As of :class:`GearTrain`.
    """

    #: Whether the damping of y is one of the gears themselves, not of what they stand on.
    DAMPERS_IN_GEARS: ClassVar[bool] = False

    def __init__(
        self,
        *,
        mass: Array,
        stiffness: Array,
        damping: Array,
        scale: Array,
        force_scale: Array,
        coupling: Array | None = None,
        **train: Any,
    ) -> None:
        super().__init__(**train)
        n, free = self.n_rotations, list(self.free)
        self.mass, self.stiffness, self.damping = mass, stiffness, damping
        self.coupling = np.zeros((2, len(mass))) if coupling is None else coupling
        self._whole_mass = np.zeros((n + len(mass),) * 2)
        self._whole_mass[:n, :n], self._whole_mass[n:, n:] = self._mass, mass
        self._whole_mass[: len(free), n:] = self.coupling[free]
        self._whole_mass[n:, : len(free)] = self.coupling[free].T
        self._scale = np.concatenate([self._scale, scale])
        self._force_scale = np.concatenate([self._force_scale, force_scale])

    # ------------------------------------------------------------ what differs
    @abstractmethod
    def coupled_forces(
        self,
        phi: Array,
        y: Array,
        omega: Array | None,
        first_pair: int,
        *,
        ahead: Array | None = None,
        lossless: bool = False,
        energy: bool = False,
    ) -> CoupledForces:
        """Contact forces with those on y, the gaps ahead by rotations; with energy, or with tangents."""

    @abstractmethod
    def velocity_forces(self, motion: GearMotion) -> Array:
        """G, shape (n, n), skew."""

    @abstractmethod
    def outer_force(self, t: float, motion: GearMotion) -> Array:
        """Outer forces f on y, shape (n,)."""

    def coupling_at(self, angle: Array) -> Array:
        """B at angles of both gears, shape (2, n)."""
        return self.coupling

    def working_force(self, t: float, motion: GearMotion) -> Array:
        """Those of the outer forces that put energy in, shape (n,)."""
        return self.outer_force(t, motion)

    # ----------------------------------------------------------------- System
    @property
    def n_dof(self) -> int:
        return len(self._whole_mass)

    def mass_matrix(self, q: Array) -> Array:
        return self._whole_mass

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        turning = super().force(t, q, v)
        if turning.failure is not None:
            return turning
        forces, motion = cast("tuple[CoupledForces, GearMotion]", turning.payload)
        assert forces.push_y is not None
        assert forces.push_phi is not None
        assert forces.push_ahead is not None
        assert forces.torque_y is not None
        n, free = self.n_rotations, list(self.free)
        beta = self.retardation
        y, rate, G = motion.further, motion.further_rate, self.velocity_forces(motion)
        Q, by_q, by_v = np.zeros(self.n_dof), np.zeros((self.n_dof,) * 2), np.zeros((self.n_dof,) * 2)
        Q[:n], by_q[:n, :n], by_v[:n, :n] = turning.Q, turning.dQ_dq, turning.dQ_dv
        Q[n:] = forces.push + self.outer_force(t, motion) - self.stiffness @ y - (self.damping + G) @ rate
        turned = slice(0, len(free))
        by_q[n:, turned], by_q[turned, n:] = forces.push_phi[:, free], forces.torque_y[free]
        by_q[n:, n:] = forces.push_y - self.stiffness
        by_v[n:, turned] = beta * forces.push_ahead[:, free]
        by_v[turned, n:] = beta * forces.torque_y[free]
        by_v[n:, n:] = beta * forces.push_y - self.damping - G
        return ForceEvaluation(Q=Q, dQ_dq=by_q, dQ_dv=by_v, payload=turning.payload)

    def _contact_forces(self, ahead: Array, motion: GearMotion) -> ContactForces:
        y = motion.further + self.retardation * motion.further_rate
        return self.coupled_forces(motion.local, y, motion.speed, motion.first_pair, ahead=ahead)

    # ----------------------------------------------------------------- energy
    def conservative(self, forces: ContactForces, motion: GearMotion) -> ContactForces:
        return self.coupled_forces(motion.local, motion.further, None, motion.first_pair, lossless=True, energy=True)

    def further_work(
        self, t: float, forces: ContactForces, conservative: ContactForces, motion: GearMotion
    ) -> FurtherWork:
        with_losses, without = cast("CoupledForces", forces), cast("CoupledForces", conservative)
        y, rate, free = motion.further, motion.further_rate, list(self.free)
        coupling = self.coupling_at(motion.angle)
        kinetic = 0.5 * float(rate @ self.mass @ rate) + float(motion.speed[free] @ coupling[free] @ rate)
        in_mesh = float((without.push - with_losses.push + with_losses.friction_push) @ rate)
        own = float(rate @ self.damping @ rate)
        return FurtherWork(
            kinetic=kinetic,
            elastic=0.5 * float(y @ self.stiffness @ y),
            damped=in_mesh + (own if self.DAMPERS_IN_GEARS else 0.0),
            outside=0.0 if self.DAMPERS_IN_GEARS else own,
            work=np.array([y, self.working_force(t, motion), -with_losses.friction_push]),
        )

    # ----------------------------------------------------------------- motion
    @property
    def is_simple(self) -> bool:
        return False

    def motion(self, t: float, q: Array, v: Array) -> GearMotion:
        n = self.n_rotations
        return replace(super().motion(t, q, v), further=q[n:], further_rate=v[n:])
