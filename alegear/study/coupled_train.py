r"""A gear train with coordinates besides its rotations, which the contact works on: what they all have in common.

.. math:: M \ddot y + B^T \ddot\varphi + (D + G) \dot y + K y = Q(\varphi, y) + f(t)

After the rotations come n coordinates y with constant mass, stiffness K and damping D, velocity forces G that do no
work, contact forces Q and outer forces f.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces
from alegear.contact.hertz.coupled import CoupledForces
from alegear.dynamics.system import ForceEvaluation
from alegear.study.gear_train import GearMotion, GearTrain

Array = NDArray[np.float64]


class CoupledTrain(GearTrain):
    """A gear train with further coordinates.

    The retardation of the mesh holds for them too where `retards` says so: where all of their rate is vibration.

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

    retards = True

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
        # the vibration speed by that of each gear
        self._vibration = np.array([self.vibration_speed(unit) for unit in np.eye(2)])

    # ------------------------------------------------------------ what differs
    @abstractmethod
    def coupled_forces(
        self,
        phi: Array,
        y: Array,
        omega: Array | None,
        first_pair: int,
        *,
        lossless: bool = False,
        energy: bool = False,
    ) -> CoupledForces:
        """Contact forces with those on y; with energy, or with tangents."""

    @abstractmethod
    def velocity_forces(self, motion: GearMotion) -> Array:
        """G, shape (n, n), skew."""

    @abstractmethod
    def outer_force(self, t: float, motion: GearMotion) -> Array:
        """Outer forces f on y, shape (n,)."""

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
        assert forces.torque_y is not None
        n, free = self.n_rotations, list(self.free)
        beta = self.retardation
        beta_y = beta if self.retards else 0.0
        y, rate, G = motion.further, motion.further_rate, self.velocity_forces(motion)
        Q, by_q, by_v = np.zeros(self.n_dof), np.zeros((self.n_dof,) * 2), np.zeros((self.n_dof,) * 2)
        Q[:n], by_q[:n, :n], by_v[:n, :n] = turning.Q, turning.dQ_dq, turning.dQ_dv
        Q[n:] = forces.push + self.outer_force(t, motion) - self.stiffness @ y - (self.damping + G) @ rate
        turned = slice(0, len(free))
        by_q[n:, turned], by_q[turned, n:] = forces.push_phi[:, free], forces.torque_y[free]
        by_q[n:, n:] = forces.push_y - self.stiffness
        by_v[n:, turned] = beta * np.outer(forces.push_phi[:, self.driven], self._vibration[free])
        by_v[turned, n:] = beta_y * forces.torque_y[free]
        by_v[n:, n:] = beta_y * forces.push_y - self.damping - G
        return ForceEvaluation(Q=Q, dQ_dq=by_q, dQ_dv=by_v, payload=turning.payload)

    def _contact_forces(self, ahead: Array, motion: GearMotion) -> ContactForces:
        y = motion.further + (self.retardation * motion.further_rate if self.retards else 0.0)
        return self.coupled_forces(ahead, y, motion.speed, motion.first_pair)

    # ----------------------------------------------------------------- energy
    def conservative(self, forces: ContactForces, motion: GearMotion) -> ContactForces:
        return self.coupled_forces(motion.local, motion.further, None, motion.first_pair, lossless=True, energy=True)

    def further_work(
        self, t: float, forces: ContactForces, conservative: ContactForces, motion: GearMotion
    ) -> tuple[float, float, Array]:
        with_losses, without = cast("CoupledForces", forces), cast("CoupledForces", conservative)
        y, rate, free = motion.further, motion.further_rate, list(self.free)
        kinetic = 0.5 * float(rate @ self.mass @ rate) + float(motion.speed[free] @ self.coupling[free] @ rate)
        lost = without.push - with_losses.push + self.damping @ rate
        return kinetic, 0.5 * float(y @ self.stiffness @ y), np.array([y, self.outer_force(t, motion), lost])

    # ----------------------------------------------------------------- motion
    @property
    def is_simple(self) -> bool:
        return False

    def motion(self, t: float, q: Array, v: Array) -> GearMotion:
        n = self.n_rotations
        return replace(super().motion(t, q, v), further=q[n:], further_rate=v[n:])
