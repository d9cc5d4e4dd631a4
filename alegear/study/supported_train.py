"""A gear pair whose shafts give way: :class:`GearTrain` with five more coordinates for each gear on bearings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces
from alegear.contact.hertz.supported import N_SHIFTS, SupportedContact, SupportedForces
from alegear.contact.numbering import SPIN
from alegear.dynamics.support import Support
from alegear.dynamics.system import ForceEvaluation
from alegear.study.gear_train import GEARS, GearMotion, GearTrain

Array = NDArray[np.float64]
DIRECTIONS = ("x", "y", "z", "tilt about x", "tilt about y")


@dataclass(frozen=True, kw_only=True, eq=False)
class SupportedGear:
    """A gear on its support: mass [kg], inertia about a diameter of mid-face [kg m2], those of the shaft included."""

    support: Support
    mass: float
    tilt_inertia: float

    @classmethod
    def of(cls, support: Support, *, mass: float, tilt_inertia: float) -> SupportedGear:
        """Add the shaft to a gear's own mass and inertia."""
        return cls(
            support=support,
            mass=mass + support.added_mass,
            tilt_inertia=tilt_inertia + support.added_tilt_inertia,
        )


class SupportedTrain(GearTrain):
    r"""A gear train with displacements s of the gears on supports, after the rotations.

    .. math:: M \ddot s + D \dot s + G \dot s + K s = Q(\varphi, s) + f(t)

    M is the mass and the inertia about the diameters, G the gyroscopic moments of a rotor that turns at Omega about
    its axis, M_x = -J Omega dtheta_y/dt, M_y = J Omega dtheta_x/dt, Q the contact forces, f those of gravity and
    unbalance. Tilts are small.

    Parameters
    ----------
    gears : (SupportedGear or None, SupportedGear or None)
        Of pinion and wheel; None is a hinge.
    others
        As of :class:`GearTrain`; the contact is a :class:`SupportedContact`, which knows the weight of the gears.
    """

    def __init__(
        self,
        *,
        contact: SupportedContact,
        gears: tuple[SupportedGear | None, SupportedGear | None],
        deflection: float,
        force: float,
        **train: Any,
    ) -> None:
        super().__init__(contact=contact, deflection=deflection, force=force, **train)
        self.supported, self.gears = contact, gears
        self.places = contact.free
        mass, stiffness, damping, length = (np.zeros(s) for s in (10, (10, 10), (10, 10), 10))
        self._unbalance = np.zeros(2)
        for gear, held in enumerate(gears):
            if held is None:
                continue
            part = slice(gear * N_SHIFTS, (gear + 1) * N_SHIFTS)
            mass[part] = [held.mass] * 3 + [held.tilt_inertia] * 2
            stiffness[part, part], damping[part, part] = held.support.stiffness, held.support.damping
            length[part] = [1.0] * 3 + [self.r_b[gear]] * 2
            self._unbalance[gear] = held.support.unbalance
        at = np.ix_(self.places, self.places)
        self.stiffness, self.damping = stiffness[at], damping[at]
        self.masses, arm = mass[self.places], length[self.places]
        n = self.n_rotations
        self._whole_mass = np.zeros((self.n_dof, self.n_dof))
        self._whole_mass[:n, :n], self._whole_mass[n:, n:] = self._mass, np.diag(self.masses)
        self._scale = np.concatenate([self._scale, deflection / arm])
        self._force_scale = np.concatenate([self._force_scale, force / self.r_b[self.driven] * arm])

    # ----------------------------------------------------------------- System
    @property
    def n_dof(self) -> int:
        return self.n_rotations + len(self.places)

    def name_of_row(self, row: int) -> str:
        if row < self.n_rotations:
            return super().name_of_row(row)
        gear, direction = divmod(int(self.places[row - self.n_rotations]), N_SHIFTS)
        return f"{GEARS[gear]} in {DIRECTIONS[direction]}"

    def mass_matrix(self, q: Array) -> Array:
        return self._whole_mass

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        turning = super().force(t, q, v)
        if turning.failure is not None:
            return turning
        forces, motion = cast("tuple[SupportedForces, GearMotion]", turning.payload)
        assert forces.push_s is not None
        assert forces.push_phi is not None
        assert forces.torque_s is not None
        n, places, free = self.n_rotations, self.places, list(self.free)
        s, rate = q[n:], v[n:]
        Q, by_q, by_v = np.zeros(self.n_dof), np.zeros((self.n_dof,) * 2), np.zeros((self.n_dof,) * 2)
        Q[:n], by_q[:n, :n], by_v[:n, :n] = turning.Q, turning.dQ_dq, turning.dQ_dv
        gyroscopic = self._gyroscopic(motion)
        outer = self.outer_force(t, motion)
        Q[n:] = forces.push.ravel()[places] + outer - self.stiffness @ s - (self.damping + gyroscopic) @ rate
        push_s, push_phi = forces.push_s[np.ix_(places, places)], forces.push_phi[places]
        torque_s = forces.torque_s[free][:, places]
        # the vibration speed by that of each free gear
        vibration = np.array([self.vibration_speed(np.eye(2)[gear]) for gear in free])
        turned = slice(0, len(free))
        by_q[n:, turned], by_q[turned, n:] = push_phi[:, free], torque_s
        by_q[n:, n:] = push_s - self.stiffness
        by_v[n:, turned] = self.retardation * np.outer(push_phi[:, self.driven], vibration)
        by_v[turned, n:] = self.retardation * torque_s
        by_v[n:, n:] = self.retardation * push_s - self.damping - gyroscopic
        return ForceEvaluation(Q=Q, dQ_dq=by_q, dQ_dv=by_v, payload=turning.payload)

    def _contact_forces(self, ahead: Array, motion: GearMotion) -> ContactForces:
        # all of the displacement is vibration: the whole of its rate is retarded
        assert motion.displacement is not None
        assert motion.displacement_rate is not None
        place = motion.displacement + self.retardation * motion.displacement_rate
        return self.supported.evaluate_at(ahead, place, motion.speed, first_pair=motion.first_pair)

    # ----------------------------------------------------------------- forces
    def _gyroscopic(self, motion: GearMotion) -> Array:
        """G of the equation above, shape (n, n) [N m s/rad], skew."""
        G = np.zeros((10, 10))
        for gear in range(2):
            x = gear * N_SHIFTS + 3
            spin = self.bodies[gear].inertia * SPIN[gear] * float(motion.speed[gear])
            G[x, x + 1], G[x + 1, x] = spin, -spin
        return G[np.ix_(self.places, self.places)]

    def outer_force(self, t: float, motion: GearMotion) -> Array:
        """Weight and unbalance on the displacements, shape (n,) [N, N m]."""
        force = self.supported.weight.ravel().copy()
        for gear in np.flatnonzero(self._unbalance):
            angle = SPIN[gear] * float(motion.angle[gear])
            size = self._unbalance[gear] * float(motion.speed[gear]) ** 2
            force[gear * N_SHIFTS : gear * N_SHIFTS + 2] += size * np.array([np.cos(angle), np.sin(angle)])
        return force[self.places]

    def support_force(self, motion: GearMotion) -> Array:
        """What both gears exert on their supports, K s + D ds/dt, shape (2, 5) [N, N m]; zero for one on a hinge."""
        assert motion.displacement is not None
        assert motion.displacement_rate is not None
        s, rate = motion.displacement.ravel()[self.places], motion.displacement_rate.ravel()[self.places]
        both = np.zeros(2 * N_SHIFTS)
        both[self.places] = self.stiffness @ s + self.damping @ rate
        return both.reshape(2, N_SHIFTS)

    def bearing_force(self, forces: ContactForces, motion: GearMotion) -> Array:
        on_bearings = super().bearing_force(forces, motion)
        of_supports = self.support_force(motion)
        for gear, held in enumerate(self.gears):
            if held is not None:
                on_bearings[gear] = of_supports[gear, :3]
        return on_bearings

    # ----------------------------------------------------------------- energy
    def conservative(self, forces: ContactForces, motion: GearMotion) -> ContactForces:
        assert motion.displacement is not None
        contact = self.supported if self._lossless is None else cast("SupportedContact", self._lossless)
        return contact.evaluate_at(
            motion.local, motion.displacement, first_pair=motion.first_pair, tangent=False, energy=True
        )

    def support_work(
        self, t: float, forces: ContactForces, conservative: ContactForces, motion: GearMotion
    ) -> tuple[float, float, Array]:
        with_losses, without = cast("SupportedForces", forces), cast("SupportedForces", conservative)
        assert motion.displacement is not None
        assert motion.displacement_rate is not None
        places = self.places
        s, rate = motion.displacement.ravel()[places], motion.displacement_rate.ravel()[places]
        kinetic, elastic = 0.5 * float(self.masses @ rate**2), 0.5 * float(s @ self.stiffness @ s)
        lost = (without.push - with_losses.push).ravel()[places] + self.damping @ rate
        return kinetic, elastic, np.array([s, self.outer_force(t, motion), lost])

    # ----------------------------------------------------------------- motion
    @property
    def is_simple(self) -> bool:
        return False

    def motion(self, t: float, q: Array, v: Array) -> GearMotion:
        n, s, rate = self.n_rotations, np.zeros(2 * N_SHIFTS), np.zeros(2 * N_SHIFTS)
        s[self.places], rate[self.places] = q[n:], v[n:]
        return replace(
            super().motion(t, q, v),
            displacement=s.reshape(2, N_SHIFTS),
            displacement_rate=rate.reshape(2, N_SHIFTS),
        )
