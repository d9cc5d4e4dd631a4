"""A gear pair whose wheels vibrate by themselves: a train with normal modes of both gears as further coordinates."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.coupled import CoupledForces
from alegear.contact.hertz.vibrating import FaceModes, VibratingContact
from alegear.contact.numbering import GEARS, SPIN
from alegear.reduction.axial_moments import AxialMoments
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.sector_condensation import face_grids
from alegear.reduction.superelement import Superelement
from alegear.study.coupled_train import CoupledTrain
from alegear.study.gear_train import GearMotion

Array = NDArray[np.float64]


def face_modes(modes: NormalModes, wheel: Superelement) -> FaceModes:
    """Normal modes on the faces of a tooth, ordered as a slot of the superelement."""
    nodes = np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
    return FaceModes(
        frequencies=modes.frequencies,
        nodal_diameters=modes.nodal_diameters,
        amplitudes=np.ascontiguousarray(modes.amplitudes[:, nodes].reshape(modes.n_modes, -1)),
        teeth=modes.teeth,
    )


class VibratingTrain(CoupledTrain):
    r"""A gear train whose further coordinates q are normal modes of both gears, in the frames that turn with them.

    .. math::
        \ddot q + h \dot\Omega - 2 \Omega G \dot q + 2 \zeta \omega \dot q + (\omega^2 - \Omega^2 S) q
        = \Phi^T f + \Omega^2 c

    with the moments of :class:`~alegear.reduction.axial_moments.AxialMoments`. This is the full inertia of a floating
    frame on a hinge (Liu et al. 2018, equations 11 to 15 and 19) in normal modes, but for products of the deformation
    with the angular acceleration and what the deformation adds to the moment of inertia: millionths of it.

    Parameters
    ----------
    contact : VibratingContact
    modes : NormalModes of pinion and wheel
    damping_ratio : float [1]
        Of every mode.
    force, train
        As of :class:`GearTrain`.
    """

    retards = False  # modes of a wheel that turns also change because its teeth come past the load

    def __init__(
        self,
        *,
        contact: VibratingContact,
        modes: tuple[NormalModes, NormalModes],
        damping_ratio: float,
        deflection: float,
        force: float,
        **train: Any,
    ) -> None:
        self.vibrating = contact
        self.moments = tuple(AxialMoments.of(m) for m in modes)
        frequency = np.concatenate([m.frequencies for m in modes])
        counts = [m.n_modes for m in modes]
        self._parts = (slice(0, counts[0]), slice(counts[0], sum(counts)))
        coupling = np.zeros((2, sum(counts)))
        for gear, (part, moments) in enumerate(zip(self._parts, self.moments, strict=True)):
            coupling[gear, part] = SPIN[gear] * moments.spin
        # of a mode matters what it moves the teeth by
        moves = np.concatenate([np.abs(m.amplitudes).max(axis=1) for m in contact.modes])
        r_b = np.array([gear.r_b for gear in contact.pair.gears])
        super().__init__(
            mass=np.eye(sum(counts)),
            stiffness=np.diag(frequency**2),
            damping=np.diag(2.0 * damping_ratio * frequency),
            scale=deflection / moves,
            force_scale=force / r_b.min() * moves,
            coupling=coupling,
            contact=contact,
            deflection=deflection,
            force=force,
            **train,
        )

    def name_of_row(self, row: int) -> str:
        if row < self.n_rotations:
            return super().name_of_row(row)
        gear = int(row - self.n_rotations >= self._parts[1].start)
        return f"normal mode {row - self.n_rotations - self._parts[gear].start + 1} of the {GEARS[gear]}"

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
        contact = cast("VibratingContact", self._lossless or self.vibrating) if lossless else self.vibrating
        return contact.evaluate_at(phi, y, omega, first_pair=first_pair, tangent=not energy, energy=energy)

    def velocity_forces(self, motion: GearMotion) -> Array:
        G = np.zeros((len(self.mass),) * 2)
        for gear, (part, moments) in enumerate(zip(self._parts, self.moments, strict=True)):
            G[part, part] = -2.0 * SPIN[gear] * float(motion.speed[gear]) * moments.turning
        return G

    def outer_force(self, t: float, motion: GearMotion) -> Array:
        force = np.empty(len(self.mass))
        for gear, (part, moments) in enumerate(zip(self._parts, self.moments, strict=True)):
            square = float(motion.speed[gear]) ** 2
            force[part] = square * (moments.outward + moments.across @ motion.further[part])
        if self.drive_shaft is None:  # the driver is led: its modes feel its acceleration
            force -= self.drive.acceleration(t) * self.coupling[self.lead]
        return force

    def at_rest(self, face_force: tuple[Array, Array], first_pair: int, speed: Array) -> Array:
        """Modal coordinates under constant forces on the tooth faces and at constant speeds, without shapes turning."""
        q = self.vibrating.at_rest(face_force, first_pair)
        for gear, (part, moments) in enumerate(zip(self._parts, self.moments, strict=True)):
            q[part] += float(speed[gear]) ** 2 * moments.outward / np.diag(self.stiffness)[part]
        return q
