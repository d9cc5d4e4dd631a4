"""Line contact of gears whose shafts give way: shifts and small tilts of both gears as coordinates of the contact.

Each gear has besides its rotation a *displacement* s = (x, y, z, theta_x, theta_y) [m, rad] of the centre of its
mid-face, in space and against its place without load. It moves the sections of :class:`LineContact` against each
other, by any way that leaves the teeth in mesh; tilts are small. The forces that belong to s, of the contact on the
gear, are Q = (F_x, F_y, F_z, M_x, M_y); the moment about the axis is the torque.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ElasticHistory
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.coupled import CoupledForces, coupled
from alegear.contact.hertz.solution import LineContactForces
from alegear.contact.numbering import PINION, WHEEL
from alegear.contact.one_at_a_time import one_at_a_time
from alegear.errors import NonConvergence

Array = NDArray[np.float64]

N_SHIFTS = 5
"""Coordinates of the displacement of a gear."""
ITERATIONS = 40  # of the displacements; three or four are usual, six from none
TOLERANCE = 1e-12  # of the largest contact force: what bearings and teeth may differ by


@dataclass(frozen=True, kw_only=True, eq=False)
class SupportedForces(CoupledForces):
    """Answer of a contact between gears that are displaced; its ten coordinates are those of pinion and wheel.

    Attributes
    ----------
    displacement : shape (2, 5) [m, rad]
        Of pinion and wheel.
    torque_phi_held : shape (2, 2), optional [N m/rad]
        d(torque)/d(phi) at constant displacements.
    """

    displacement: Array
    torque_phi_held: Array | None

    @property
    def held_torque_phi(self) -> Array | None:
        """d(torque)/d(phi), the gears' axes held."""
        return self.torque_phi_held

    @property
    def wrench(self) -> Array:
        """Contact forces and moments on both gears that belong to the displacements, shape (2, 5) [N, N m]."""
        return self.push.reshape(2, N_SHIFTS)


@dataclass(frozen=True, kw_only=True, eq=False)
class SupportedContact(LineContact):
    """A line contact between gears on supports that give way.

    Asked for rotations only, :meth:`evaluate` finds the displacements at which the supports carry the contact forces:
    to a static study it is a contact like any other. A dynamic study, in which the gears have mass, gives the
    displacements to :meth:`evaluate_at`.

    Attributes
    ----------
    stiffness : shape (2, 5, 5) [N/m, N, N m/rad]
        Of the supports; without effect where the gear is held.
    weight : shape (2, 5) [N, N m]
        Constant forces on the gears besides those of the contact.
    gives_way : (bool, bool)
        Whether pinion and wheel do. A gear that does not is on a hinge.
    """

    stiffness: Array
    weight: Array
    gives_way: tuple[bool, bool]

    @classmethod
    def on_supports(
        cls, contact: LineContact, stiffness: tuple[Array | None, Array | None], weight: Array | None = None
    ) -> SupportedContact:
        """Put the gears of a contact on supports; None is a hinge. `weight` (2, 5) [N, N m]: constant forces."""
        matrices = np.array([np.zeros((N_SHIFTS, N_SHIFTS)) if K is None else K for K in stiffness])
        given = {item.name: getattr(contact, item.name) for item in fields(LineContact)}
        return cls(
            **given,
            stiffness=matrices,
            weight=np.zeros((2, N_SHIFTS)) if weight is None else weight,
            gives_way=(stiffness[0] is not None, stiffness[1] is not None),
        )

    def with_contact(self, contact: LineContact) -> SupportedContact:
        """Put the gears of another contact on the same supports."""
        stiffness = [K if way else None for K, way in zip(self.stiffness, self.gives_way, strict=True)]
        return SupportedContact.on_supports(contact, (stiffness[0], stiffness[1]), self.weight)

    @property
    def on_hinges(self) -> LineContact:
        """The same contact of gears that are held."""
        return LineContact(**{item.name: getattr(self, item.name) for item in fields(LineContact)})

    @cached_property
    def free(self) -> NDArray[np.int64]:
        """Which of the ten displacements are coordinates."""
        return np.flatnonzero(np.repeat(self.gives_way, N_SHIFTS))

    @cached_property
    def support_stiffness(self) -> Array:
        """Stiffness of the supports on the free displacements, shape (n, n)."""
        both = np.zeros((2 * N_SHIFTS, 2 * N_SHIFTS))
        for gear in range(2):
            part = slice(gear * N_SHIFTS, (gear + 1) * N_SHIFTS)
            both[part, part] = self.stiffness[gear]
        return both[np.ix_(self.free, self.free)]

    # --------------------------------------------------------------------------------- sections
    @cached_property
    def model(self) -> kernels.Model:
        """As of any line contact, but with sections of its own, which :meth:`displace` moves."""
        model, pair = super().model, self.pair
        # angle of the pinion's section where flanks touch at the pitch point
        pitch_point = -pair.alpha_wt - pair.pinion.tooth_profile.psi_b + pair.roll_length_pitch_point / pair.pinion.r_b

        def movable(side: kernels.Side) -> kernels.Side:
            # a tilt tells every slice from the others
            swing = np.array([0.0, pitch_point])
            return side._replace(sections=side.sections.copy(), like=np.arange(len(side.like)), swing=swing)

        return model._replace(loaded=movable(model.loaded), back=movable(model.back))

    def displace(self, displacement: Array) -> None:
        """Move the sections of both gears against each other; displacement of shape (2, 5) [m, rad]."""
        if np.array_equal(displacement, self._displaced):
            return
        self._displaced[:] = displacement
        pair, (pinion, wheel) = self.pair, self.pair.gears
        (x_1, y_1, z_1, tilt_x1, tilt_y1), (x_2, y_2, z_2, tilt_x2, tilt_y2) = displacement
        z, z_wheel = self.face.z, self.face.z + pair.alignment.axial_offset
        shift = np.array([x_1 + tilt_y1 * z - (x_2 + tilt_y2 * z_wheel), y_1 - tilt_x1 * z - (y_2 - tilt_x2 * z_wheel)])
        # ways along the axes at the pitch point
        r_1, r_2 = self._pitch_radii
        along_1, along_2 = z_1 - tilt_y1 * r_1, z_2 + tilt_y2 * r_2
        leaning = np.array([tilt_y1 - tilt_y2, tilt_x2 - tilt_x1])  # d(shift)/dz
        moving = (self.model.loaded, self.model.back)
        for side, moved, swing in zip(self.sides, moving, self._swing_by_leaning, strict=False):
            moved.sections[:, kernels.AXIS] = side.axis[0] - shift[0]
            moved.sections[:, kernels.AXIS + 1] = side.axis[1] - side.side * shift[1]
            moved.sections[:, kernels.TWIST] = side.twist[PINION] - side.side * pinion.twist * along_1
            moved.sections[:, kernels.TWIST + 1] = side.twist[WHEEL] - side.side * wheel.twist * along_2
            moved.swing[0] = swing @ leaning

    @cached_property
    def _pitch_radii(self) -> tuple[float, float]:
        r_1 = self.pair.a_w * self.pair.pinion.z / (self.pair.pinion.z + self.pair.wheel.z)
        return r_1, self.pair.a_w - r_1

    @cached_property
    def _swing_by_leaning(self) -> list[Array]:
        """What leaning adds of material for a radian of the pinion, by side (2,) [m].

        Where the contact moves by u along the line of action, a pinion that leans moves by -(leaning . n) u along its
        axis, and a helical flank with it.
        """
        pair, alpha = self.pair, self.pair.alpha_wt
        length = math.tan(pair.beta_b) * pair.pinion.r_b
        return [side.side * length * np.array([math.sin(alpha), side.side * math.cos(alpha)]) for side in self.sides]

    @cached_property
    def _displaced(self) -> Array:
        return np.zeros((2, N_SHIFTS))

    # --------------------------------------------------------------------------------- forces
    @one_at_a_time
    def evaluate_at(
        self,
        phi: Array,
        displacement: Array,
        omega: Array | None = None,
        *,
        first_pair: int = 0,
        ahead: Array | None = None,
        tangent: bool = True,
        energy: bool = False,
    ) -> SupportedForces:
        """Contact forces at given rotations and displacements.

        Parameters
        ----------
        phi, omega, first_pair, ahead, tangent, energy
            As of :meth:`LineContact.evaluate`. Sliding speeds are those of the rotations.
        displacement : shape (2, 5) [m, rad]

        Raises
        ------
        NonConvergence
        """
        self.displace(displacement)
        forces = super().evaluate(phi, omega, first_pair=first_pair, ahead=ahead, tangent=tangent, energy=energy)
        pushing, opening = self._rows(forces)
        return SupportedForces(
            **coupled(self, forces, pushing, opening, tangent=tangent),
            displacement=displacement.copy(),
            torque_phi_held=forces.torque_phi,
        )

    @one_at_a_time
    def evaluate(
        self,
        phi: Array,
        omega: Array | None = None,
        *,
        first_pair: int = 0,
        history: ElasticHistory | None = None,
        ahead: Array | None = None,
        tangent: bool = True,
        energy: bool = False,
    ) -> SupportedForces:
        """Contact forces where the supports carry them, K s = Q(phi, s) + weight; as of :meth:`LineContact.evaluate`.

        Tangents are those of the torques at supports that give way; the energy holds that of the supports.

        Raises
        ------
        NonConvergence
        """
        free, K = self.free, self.support_stiffness
        s = np.zeros(2 * N_SHIFTS)
        s[free] = self._settled
        best, step, forces = math.inf, np.zeros(len(free)), None
        for _ in range(ITERATIONS):
            forces = self.evaluate_at(phi, s.reshape(2, N_SHIFTS), omega, first_pair=first_pair, ahead=ahead)
            assert forces.push_y is not None
            misfit = K @ s[free] - (forces.push + self.weight.ravel())[free]
            scale = self._force_scale(forces, K)
            size = float(np.max(np.abs(misfit) / scale))
            if size <= TOLERANCE:
                break
            if size >= best:  # too far: half the way
                step *= 0.5
                s[free] -= step
                continue
            best = size
            step[:] = -np.linalg.solve(K - forces.push_y[np.ix_(free, free)], misfit)
            s[free] += step
        else:
            raise NonConvergence(
                f"rotations {phi[0]:.6g}, {phi[1]:.6g} rad (displacement of the gears, relative to the contact force)",
                best,
                TOLERANCE,
                "raise stiffness_N_per_m or tilt_stiffness_Nm_per_rad of the supports, or reduce pinion_torque_Nm",
            )
        self._settled[:] = s[free]
        return self._with_supports(forces, K, s[free], phi, omega, first_pair, ahead, energy)

    def _with_supports(
        self,
        forces: SupportedForces,
        K: Array,
        s: Array,
        phi: Array,
        omega: Array | None,
        first_pair: int,
        ahead: Array | None,
        energy: bool,
    ) -> SupportedForces:
        """Take the displacements out of the tangent, and add the energy of the supports."""
        assert forces.push_y is not None
        assert forces.push_phi is not None
        assert forces.torque_y is not None
        assert forces.torque_phi is not None
        free = self.free
        s_phi = np.linalg.solve(K - forces.push_y[np.ix_(free, free)], forces.push_phi[free])
        forces = replace(forces, torque_phi=forces.torque_phi + forces.torque_y[:, free] @ s_phi)
        if energy:
            contact = super().evaluate(phi, omega, first_pair=first_pair, ahead=ahead, tangent=False, energy=True)
            assert contact.energy is not None
            total = contact.energy + 0.5 * float(s @ K @ s)
            forces = replace(forces, energy=total, energy_torque=contact.energy_torque)
        return forces

    @cached_property
    def _settled(self) -> Array:
        """Displacements of the last equilibrium, where the next search begins."""
        return np.zeros(len(self.free))

    def _force_scale(self, forces: SupportedForces, K: Array) -> Array:
        """What forces and moments are measured by: those of the teeth, and what round-off of the places makes."""
        push = np.vstack([forces.wrench, self.weight])[:, :3]
        load = max(float(np.linalg.norm(push, axis=1).max()), 1e-300)
        arm = self.pair.pinion.r_b
        unit = np.tile([1.0, 1.0, 1.0, arm, arm], 2)[self.free]
        # places are known to some eps of the centre distance
        round_off = 8.0 * np.finfo(float).eps * self.pair.a_w * np.abs(np.diag(K)) / unit
        assert forces.push_y is not None
        stiffest = float(np.abs(np.diag(forces.push_y)[:3]).max())
        round_off += 8.0 * np.finfo(float).eps * self.pair.a_w * stiffest
        scale: Array = unit * (load + round_off / TOLERANCE)
        return scale

    def opened_by_displacement(self, forces: LineContactForces) -> Array:
        """Change of the gaps of the loaded points by the free displacements, shape (n, len(free)) [1], [m]."""
        return self._rows(forces)[1][:, self.free]

    def _rows(self, forces: LineContactForces) -> tuple[Array, Array]:
        """Forces on both gears by a unit load of each point, shape (m, 10), with and without friction.

        The levers are those of the gears in their places without load.
        """
        with_friction, normal, place = forces.loaded.unit_forces()
        wheel_place = place - np.array([self.pair.a_w, 0.0, -self.pair.alignment.axial_offset])
        pushing = _with_moments(with_friction, place, wheel_place)
        return pushing, pushing if self.friction.kind == "none" else _with_moments(normal, place, wheel_place)


def _with_moments(force: Array, *places: Array) -> Array:
    """Forces (m, 3) at their places on the pinion and, opposite, on the wheel with moments about x and y, (m, 10)."""
    out = np.empty((len(force), len(places) * N_SHIFTS))
    for gear, (place, sign) in enumerate(zip(places, (1.0, -1.0), strict=True)):
        one = out[:, gear * N_SHIFTS : (gear + 1) * N_SHIFTS]
        one[:, :3] = sign * force
        one[:, 3] = place[:, 1] * one[:, 2] - place[:, 2] * one[:, 1]
        one[:, 4] = place[:, 2] * one[:, 0] - place[:, 0] * one[:, 2]
    return out
