"""A gear pair whose wheels vibrate by themselves: a train with normal modes of both gears as further coordinates."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.contact.forces import ContactForces, mesh_stiffness
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.coupled import CoupledForces
from alegear.contact.hertz.vibrating import FaceModes, VibratingContact
from alegear.contact.numbering import GEARS, PINION, SPIN, WHEEL
from alegear.reduction.axial_moments import AxialMoments
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.rotation_loads import RotationAnswer
from alegear.reduction.sector_condensation import face_grids
from alegear.reduction.superelement import Superelement
from alegear.study.coupled_train import CoupledTrain
from alegear.study.gear_train import GearMotion
from alegear.study.pair_modes import rotations_at
from alegear.study.static import StaticSolver

Array = NDArray[np.float64]

DAMPING_POSITIONS = 8  # of a pitch, over which the damping of the contact is averaged


def face_modes(modes: NormalModes, wheel: Superelement) -> FaceModes:
    """Normal modes on the faces of a tooth, ordered as a slot of the superelement."""
    nodes = np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
    return FaceModes(
        frequencies=modes.frequencies,
        nodal_diameters=modes.nodal_diameters,
        amplitudes=np.ascontiguousarray(modes.amplitudes[:, nodes].reshape(modes.n_modes, -1)),
        teeth=modes.teeth,
    )


def on_tooth(answer: RotationAnswer, wheel: Superelement) -> Array:
    """Answers to the loads of rotation on the faces of a tooth, ordered as a slot of the superelement, (2, nf)."""
    nodes = np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
    return np.stack([answer.centrifugal[nodes].ravel(), answer.euler[nodes].ravel()])


def vibrating_contact(
    contact: LineContact, modes: tuple[NormalModes, NormalModes], wheels: tuple[Superelement, Superelement]
) -> VibratingContact:
    """Let the wheels of a contact vibrate in their modes, and grow in their rotation."""
    whole, rest = [], []
    for m, wheel in zip(modes, wheels, strict=True):
        answer = RotationAnswer.stored(wheel.sector, wheel.material)
        whole.append(on_tooth(answer, wheel))
        rest.append(on_tooth(answer.remainder(m, AxialMoments.of(m)), wheel))
    faces = [face_modes(m, wheel) for m, wheel in zip(modes, wheels, strict=True)]
    return VibratingContact.with_modes(contact, (faces[0], faces[1]), (whole[0], whole[1]), (rest[0], rest[1]))


def damping_of_the_rest(contact: VibratingContact, solver: StaticSolver, window: ToothWindow) -> float:
    r"""By how much longer the retardation of the contact must be for the same damping of the mode in the mesh.

    Where modes carry a part of the compliance, a slow approach at the rate v closes the gaps at k v/k_r only, k the
    mesh stiffness and k_r that with the modes held. Retarded by beta_r they dissipate beta_r k_r (k v/k_r)^2, which
    is to be beta k v^2 in the mean over a pitch:

    .. math:: \beta_r / \beta = \langle k \rangle / \langle k^2/k_r \rangle
    """
    lead, r_b = PINION if solver.driver == "pinion" else WHEEL, np.array([gear.r_b for gear in contact.pair.gears])
    whole, rest, guess = np.empty(DAMPING_POSITIONS), np.empty(DAMPING_POSITIONS), None
    for i in range(DAMPING_POSITIONS):
        phase = -0.5 + (i + 0.5) / DAMPING_POSITIONS
        first_pair = window.first_pair(phase)
        position = solver.solve(phase, first_pair, guess)
        guess = position.deflection
        phi = rotations_at(contact, phase, position.deflection, lead, first_pair)
        q = contact.at_rest(position.forces.face_force, first_pair)
        held = contact.evaluate_at(phi, q, first_pair=first_pair).torque_phi
        assert held is not None
        whole[i], rest[i] = position.mesh_stiffness, mesh_stiffness(held, r_b, lead)
    return float(whole.mean() / (whole**2 / rest).mean())


class VibratingTrain(CoupledTrain):
    r"""A gear train whose further coordinates q are normal modes of both gears, in the frames that turn with them.

    .. math::
        \ddot q + h \dot\Omega - 2 \Omega G \dot q + 2 \zeta \omega \dot q + \omega^2 q = \Phi^T f + \Omega^2 c

    with the moments of :class:`~alegear.reduction.axial_moments.AxialMoments`. This is the full inertia of a floating
    frame on a hinge (Liu et al. 2018, equations 11 to 15 and 19) in normal modes, but for products of the deformation
    with the angular acceleration and what the deformation adds to the moment of inertia, millionths of it, and for
    their softening -Omega^2 S q: without the stiffening by the centrifugal stress, which is of the same order and
    mostly larger, it would shift frequencies the wrong way (README of the contact, section 10). Both are left out.

    Parameters
    ----------
    contact : VibratingContact
    modes : NormalModes of pinion and wheel
    damping_ratio : float [1]
        Of every mode.
    force, train
        As of :class:`GearTrain`.
    """

    DAMPERS_IN_GEARS = True

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
        self._momentum = tuple(m.invariants.U2 for m in modes)
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
        self._loads, self._led_acceleration = np.zeros((2, 2)), 0.0  # standing still, until a step begins

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
        ahead: Array | None = None,
        lossless: bool = False,
        energy: bool = False,
    ) -> CoupledForces:
        contact = cast("VibratingContact", self._lossless or self.vibrating) if lossless else self.vibrating
        return contact.evaluate_at(
            phi, y, omega, first_pair=first_pair, ahead=ahead, loads=self._loads, tangent=not energy, energy=energy
        )

    def rotation_loads(self, t: float) -> Array:
        """Loads of rotation on both gears, as they follow the drive: speed squared, minus acceleration about +z."""
        speed, acceleration = self.drive.speed(t) * self._perfect, self.drive.acceleration(t) * self._perfect
        return np.column_stack([speed**2, -np.array(SPIN) * acceleration])

    def begin_step(self, t: float, q: Array, v: Array, h: float) -> None:
        """Choose the teeth in the window, and what the rotation does to the wheels at the end of the step."""
        super().begin_step(t, q, v, h)
        self._loads, self._led_acceleration = self.rotation_loads(t), self.drive.acceleration(t)

    def mesh_stiffness(self, forces: ContactForces) -> float:
        """The modes follow as at rest; what they leave in the contact alone would depend on their number."""
        there = cast("CoupledForces", forces)
        assert there.torque_phi is not None
        assert there.torque_y is not None
        assert there.push_y is not None
        assert there.push_phi is not None
        followed = np.linalg.solve(self.stiffness - there.push_y, there.push_phi)
        return mesh_stiffness(there.torque_phi + there.torque_y @ followed, self.r_b, self.lead)

    def bearing_force(self, forces: ContactForces, motion: GearMotion, vdot: Array) -> Array:
        """Contact forces less the rate of the momentum of the modes, U2 q in the frame that turns with tooth 0."""
        on_bearings = super().bearing_force(forces, motion, vdot)
        acceleration = vdot[self.n_rotations :]
        for gear, (part, U2) in enumerate(zip(self._parts, self._momentum, strict=True)):
            q, rate, second = np.array([motion.further[part], motion.further_rate[part], acceleration[part]]) @ U2.T
            on_bearings[gear] -= self._in_space(gear, motion, vdot, q, rate, second)
        return on_bearings

    def _in_space(self, gear: int, motion: GearMotion, vdot: Array, q: Array, rate: Array, second: Array) -> Array:
        """Second derivative in space of a vector that has these derivatives (3,) in the frame of tooth 0."""
        spin = SPIN[gear] * float(motion.speed[gear])
        faster = SPIN[gear] * (float(vdot[self.free.index(gear)]) if gear in self.free else self._led_acceleration)
        across = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        in_frame = second + 2.0 * spin * across @ rate + faster * across @ q + spin**2 * across @ across @ q
        angle = float(self.contact.reference_angle[gear] + SPIN[gear] * motion.angle[gear])
        co, si = np.cos(angle), np.sin(angle)
        in_space: Array = np.array([[co, -si, 0.0], [si, co, 0.0], [0.0, 0.0, 1.0]]) @ in_frame
        return in_space

    def velocity_forces(self, motion: GearMotion) -> Array:
        G = np.zeros((len(self.mass),) * 2)
        for gear, (part, moments) in enumerate(zip(self._parts, self.moments, strict=True)):
            G[part, part] = -2.0 * SPIN[gear] * float(motion.speed[gear]) * moments.turning
        return G

    def outer_force(self, t: float, motion: GearMotion) -> Array:
        force = np.empty(len(self.mass))
        for gear, (part, moments) in enumerate(zip(self._parts, self.moments, strict=True)):
            square = float(motion.speed[gear]) ** 2
            force[part] = square * moments.outward
        if self.drive_shaft is None:  # the driver is led: its modes feel its acceleration
            force -= self.drive.acceleration(t) * self.coupling[self.lead]
        return force

    def at_rest(self, face_force: tuple[Array, Array], first_pair: int, t: float) -> Array:
        """Modal coordinates under constant forces on the tooth faces and loads of rotation, without shapes turning."""
        q = self.vibrating.at_rest(face_force, first_pair)
        for (square, euler), part, moments in zip(self.rotation_loads(t), self._parts, self.moments, strict=True):
            q[part] += (square * moments.outward + euler * moments.spin) / np.diag(self.stiffness)[part]
        return q
