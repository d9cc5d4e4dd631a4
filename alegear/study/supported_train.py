"""A gear pair whose shafts give way: a train with five further coordinates for each gear on bearings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces
from alegear.contact.hertz.coupled import CoupledForces
from alegear.contact.hertz.supported import N_SHIFTS, SupportedContact
from alegear.contact.numbering import GEARS, PINION, SPIN, WHEEL
from alegear.dynamics.rigid_body import RotatingBody
from alegear.dynamics.support import DIRECTIONS, Support
from alegear.reduction.superelement import Superelement
from alegear.study.coupled_train import CoupledTrain
from alegear.study.gear_train import GearMotion

Array = NDArray[np.float64]


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


def supported_gears(
    supports: tuple[Support | None, Support | None], wheels: tuple[Superelement, Superelement]
) -> tuple[SupportedGear | None, SupportedGear | None]:
    """Pinion and wheel on the supports of a case; None is a hinge."""
    pinion, wheel = (
        None if s is None else SupportedGear.of(s, mass=w.mass, tilt_inertia=w.transverse_inertia)
        for s, w in zip(supports, wheels, strict=True)
    )
    return pinion, wheel


class SupportedTrain(CoupledTrain):
    """A gear train whose further coordinates are displacements of the gears on supports.

    The velocity forces are the gyroscopic moments of a rotor that turns at Omega about its axis, M_x = -J Omega
    dtheta_y/dt, M_y = J Omega dtheta_x/dt; outer forces are weight and unbalance. Tilts are small. An unbalance m e at
    the angle theta about z, that of the gear's rotation counted from phase 0, means

        m d2x/dt2 = ... + m e (theta'^2 cos theta + theta'' sin theta),
        m d2y/dt2 = ... + m e (theta'^2 sin theta - theta'' cos theta)

    and couples the rotation of a gear that is not led with its displacements, so that the energies balance.

    Parameters
    ----------
    contact : SupportedContact
        It knows the weight of the gears.
    gears : (SupportedGear or None, SupportedGear or None)
        Of pinion and wheel; None is a hinge.
    bodies, lead, deflection, force, train
        As of :class:`GearTrain`.
    """

    def __init__(
        self,
        *,
        contact: SupportedContact,
        gears: tuple[SupportedGear | None, SupportedGear | None],
        bodies: tuple[RotatingBody, RotatingBody],
        lead: int,
        deflection: float,
        force: float,
        **train: Any,
    ) -> None:
        self.supported, self.gears, self.places = contact, gears, contact.free
        r_b = np.array([gear.r_b for gear in contact.pair.gears])
        mass, arm, damping = np.zeros(2 * N_SHIFTS), np.ones(2 * N_SHIFTS), np.zeros((2 * N_SHIFTS,) * 2)
        self._unbalance = np.zeros(2)
        for gear, held in enumerate(gears):
            if held is None:
                continue
            part = slice(gear * N_SHIFTS, (gear + 1) * N_SHIFTS)
            mass[part] = [held.mass] * 3 + [held.tilt_inertia] * 2
            arm[part] = [1.0] * 3 + [r_b[gear]] * 2
            damping[part, part] = held.support.damping
            self._unbalance[gear] = held.support.unbalance
        places = self.places
        super().__init__(
            mass=np.diag(mass[places]),
            stiffness=contact.support_stiffness,
            damping=damping[np.ix_(places, places)],
            scale=deflection / arm[places],
            force_scale=force / r_b[1 - lead] * arm[places],
            contact=contact,
            bodies=bodies,
            lead=lead,
            deflection=deflection,
            force=force,
            **train,
        )

    # --------------------------------------------------------------- unbalance
    def coupling_at(self, angle: Array) -> Array:
        both = np.zeros((2, 2 * N_SHIFTS))
        for gear in np.flatnonzero(self._unbalance):
            theta, size = SPIN[gear] * float(angle[gear]), SPIN[gear] * self._unbalance[gear]
            both[gear, gear * N_SHIFTS : gear * N_SHIFTS + 2] = size * np.array([-np.sin(theta), np.cos(theta)])
        return both[:, self.places]

    def mass_matrix(self, q: Array) -> Array:
        if not self._unbalance.any():
            return super().mass_matrix(q)
        n, free = self.n_rotations, list(self.free)
        angle = np.zeros(2)
        angle[free] = q[: len(free)]
        mass = self._whole_mass.copy()
        mass[: len(free), n:] = self.coupling_at(angle)[free]
        mass[n:, : len(free)] = mass[: len(free), n:].T
        return mass

    def _centrifugal(self, motion: GearMotion, gears: Sequence[int]) -> Array:
        """Forces of the unbalance of some gears at their speeds, on all displacements, shape (10,)."""
        force = np.zeros(2 * N_SHIFTS)
        for gear in gears:
            angle = SPIN[gear] * float(motion.angle[gear])
            size = self._unbalance[gear] * float(motion.speed[gear]) ** 2
            force[gear * N_SHIFTS : gear * N_SHIFTS + 2] = size * np.array([np.cos(angle), np.sin(angle)])
        return force

    def working_force(self, t: float, motion: GearMotion) -> Array:
        # what turns the unbalance of a gear that is free is its own kinetic energy
        free: Array = self.outer_force(t, motion) - self._centrifugal(motion, self.free)[self.places]
        return free

    # ----------------------------------------------------------------- System
    def name_of_row(self, row: int) -> str:
        if row < self.n_rotations:
            return super().name_of_row(row)
        gear, direction = divmod(int(self.places[row - self.n_rotations]), N_SHIFTS)
        return f"{GEARS[gear]} in {DIRECTIONS[direction]}"

    # ----------------------------------------------------------------- forces
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
        contact = cast("SupportedContact", self._lossless or self.supported) if lossless else self.supported
        there = contact.evaluate_at(
            phi, self.displacement(y), omega, first_pair=first_pair, ahead=ahead, tangent=not energy, energy=energy
        )
        places = self.places
        given = {item.name: getattr(there, item.name) for item in fields(CoupledForces)}
        given["push"], given["friction_push"] = there.push[places], there.friction_push[places]
        if not energy:
            assert there.push_y is not None
            assert there.push_phi is not None
            assert there.torque_y is not None
            given["push_y"] = there.push_y[np.ix_(places, places)]
            assert there.push_ahead is not None
            given["push_phi"], given["torque_y"] = there.push_phi[places], there.torque_y[:, places]
            given["push_ahead"] = there.push_ahead[places]
        return CoupledForces(**given)

    def velocity_forces(self, motion: GearMotion) -> Array:
        G = np.zeros((2 * N_SHIFTS,) * 2)
        for gear in range(2):
            x = gear * N_SHIFTS + 3
            spin = self.bodies[gear].inertia * SPIN[gear] * float(motion.speed[gear])
            G[x, x + 1], G[x + 1, x] = spin, -spin
        return G[np.ix_(self.places, self.places)]

    def outer_force(self, t: float, motion: GearMotion) -> Array:
        force: Array = (self.supported.weight.ravel() + self._centrifugal(motion, (PINION, WHEEL)))[self.places]
        if self.drive_shaft is None and self._unbalance[self.lead]:
            force -= self.drive.acceleration(t) * self.coupling_at(motion.angle)[self.lead]
        return force

    # --------------------------------------------------------------- supports
    def displacement(self, y: Array) -> Array:
        """Coordinates, or what belongs to them, by gear, shape (2, 5); zero for a gear on a hinge."""
        both = np.zeros(2 * N_SHIFTS)
        both[self.places] = y
        return both.reshape(2, N_SHIFTS)

    def support_force(self, motion: GearMotion) -> Array:
        """What both gears exert on their supports, K s + D ds/dt, shape (2, 5) [N, N m]; zero for one on a hinge."""
        return self.displacement(self.stiffness @ motion.further + self.damping @ motion.further_rate)

    def bearing_force(self, forces: ContactForces, motion: GearMotion, vdot: Array) -> Array:
        on_bearings = super().bearing_force(forces, motion, vdot) + self.supported.weight[:, :3]
        of_supports = self.support_force(motion)
        for gear, held in enumerate(self.gears):
            if held is not None:
                on_bearings[gear] = of_supports[gear, :3]
        return on_bearings
