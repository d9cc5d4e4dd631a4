r"""Normal modes of a wheel as coordinates of its body, in the frame that turns with it.

.. math::
    \ddot q + h\, \ddot\theta - 2 \dot\theta G \dot q + 2 \zeta \omega \dot q + \omega^2 q = \Phi^T f + \dot\theta^2 c

with the moments of :class:`~alegear.reduction.rotation_loads.AxialMoments`, theta about +z of the wheel. This is the
full inertia of a floating frame on a fixed axis (Liu et al. 2018, equations 11 to 15 and 19) in normal modes, but for
products of the deformation with the angular acceleration and what the deformation adds to the moment of inertia,
millionths of it, and for their softening: without the stiffening by the centrifugal stress, which is of the same order
and mostly larger, it would shift frequencies the wrong way (README of the contact, section 10). Both are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from alegear.arrays import AnyArray
from alegear.contact.hertz.face_modes import FaceModes
from alegear.drivetrain.displaced_modes import DisplacedModes
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.rotation_loads import AxialMoments, RotationResponse
from alegear.reduction.sector_condensation import face_grids
from alegear.reduction.superelement import Superelement
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Indices, Place, Z
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement

KIND = "wheels"


@dataclass(frozen=True, kw_only=True, eq=False)
class GearModes:
    """Normal modes of a gear whose teeth carry a load: of a mode matters what it moves them by.

    Parameters
    ----------
    modes : NormalModes
    amplitudes : shape (m, ...) [kg^-1/2]
        Of the modes on the teeth.
    damping_ratio : float [1]
        Of every mode.
    deflection : float [m], force : float [N]
        Typical of the teeth, along the line of action.
    """

    modes: NormalModes
    amplitudes: AnyArray
    damping_ratio: float
    deflection: float
    force: float

    def add_to(self, builder: SystemBuilder, place: Place, axes: Array, angle: float) -> VibratingWheel:
        """Add the modes of a gear that stands in a mesh to its body.

        Parameters
        ----------
        builder : SystemBuilder
        place : Place
            The gear.
        axes : shape (3, 3)
            x, y, z of the mesh in space, one a row; z is that of the modes too.
        angle : float [rad]
            Of tooth 0 about z, from x, where the place has not turned.
        """
        moved = np.abs(self.amplitudes.reshape(self.modes.n_modes, -1)).max(axis=1)
        name, frequency = place.name, self.modes.frequencies
        at = np.array(
            [
                builder.coordinate(
                    name,
                    f"normal mode {number + 1}",
                    displacement_scale=float(self.deflection / moved[number]),
                    force_scale=float(self.force * moved[number]),
                    unit="m kg1/2",
                )
                for number in range(len(frequency))
            ],
            dtype=np.int64,
        )
        builder.linear(
            f"{name} normal modes",
            at=at,
            stiffness=np.diag(frequency**2),
            damping=np.diag(2.0 * self.damping_ratio * frequency),
            mass=np.eye(len(frequency)),
            kind=KIND,
            of_gears=True,
        )
        e1, e2, e3 = place.axes @ axes.T
        tooth = np.array([np.cos(angle), np.sin(angle), 0.0])
        wheel = VibratingWheel(
            place=place,
            modes=self.modes,
            damping_ratio=self.damping_ratio,
            sense=float(np.sign(e3[Z])),
            phase=float(np.arctan2(e2 @ tooth, e1 @ tooth)),
            coordinates=at,
        )
        wheel.couple(builder)
        return wheel


@dataclass(frozen=True, kw_only=True, eq=False)
class VibratingWheel:
    """Normal modes of a wheel in a system.

    Parameters
    ----------
    place : Place
        The wheel.
    modes : NormalModes
    damping_ratio : float [1]
        Of every mode.
    sense : float
        +1 where the rotation of the place is about +z of the wheel, -1 where it is about -z.
    phase : float [rad]
        Angle of tooth 0 about e3 of the place, from e1, where it has not turned.
    coordinates : shape (m,)
        Of the system that are their amplitudes.
    """

    place: Place
    modes: NormalModes
    damping_ratio: float
    sense: float
    phase: float
    coordinates: Indices

    @property
    def _turn(self) -> int:
        """Coordinate of its rotation."""
        assert self.place.rotation is not None
        return self.place.rotation

    def couple(self, builder: SystemBuilder) -> None:
        """Add what the modes exert on the rotation and the displacements of their wheel, and these on them."""
        at, moments = self.coordinates, self._moments
        both = np.append(self._turn, at)
        coupling = np.zeros((len(both), len(both)))
        coupling[0, 1:] = coupling[1:, 0] = self.sense * moments.spin
        builder.inertia(both, coupling)
        builder.gyroscopic(self._turn, at, -2.0 * self.sense * moments.turning)
        name = f"{self.place.name} centrifugal force"
        builder.element(CentrifugalForce(name, self._turn, at, moments.outward))
        self._couple_with_displacements(builder, at)

    def vibration(self, v: Array, a: Array) -> Array:
        r"""Amplitudes by which the modes are away from where they would stand under the loads of the moment.

        Loads are the contact forces, the centrifugal forces and the inertia of the wheel that moves as a rigid body. By
        the equation of motion the rest is

        .. math:: q_v = -\omega^{-2} (\ddot q + 2 \zeta \omega \dot q - 2 \dot\theta G \dot q) ,

        without a difference of nearly equal numbers.

        Parameters
        ----------
        v, a : shape (n, N)
            Velocities and accelerations of the system.

        Returns
        -------
        shape (n, m) [kg^1/2 m]
        """
        frequency, rate, acceleration = self.modes.frequencies, v[:, self.coordinates], a[:, self.coordinates]
        coriolis = 2.0 * self.sense * v[:, [self._turn]] * (rate @ self._moments.turning.T)
        away: Array = (coriolis - 2.0 * self.damping_ratio * frequency * rate - acceleration) / frequency**2
        return away

    def momentum_rate(self, x: Array, v: Array, a: Array) -> Array:
        """Rate of the momentum of the modes in states (n, N), of U2 q in the frame that turns; in space, (n, 3) [N]."""
        turn, at, U2, sense = self._turn, self.coordinates, self.modes.invariants.U2, self.sense
        q, rate, second = x[:, at] @ U2.T, v[:, at] @ U2.T, a[:, at] @ U2.T
        spin, faster = sense * v[:, turn, None], sense * a[:, turn, None]
        across = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        in_frame = second + 2.0 * spin * (rate @ across.T) + faster * (q @ across.T)
        in_frame += spin**2 * (q @ (across @ across).T)
        # the frame of tooth 0 by the axes of the place: its z along sense e3
        angle = self.phase + x[:, turn]
        e1, e2, e3 = self.place.axes
        co, si = np.cos(angle)[:, None], np.sin(angle)[:, None]
        along, beside = co * e1 + si * e2, sense * (co * e2 - si * e1)
        moved: Array = in_frame[:, :1] * along + in_frame[:, 1:2] * beside + in_frame[:, 2:] * sense * e3
        return moved

    @cached_property
    def _moments(self) -> AxialMoments:
        return AxialMoments.of(self.modes)

    def _couple_with_displacements(self, builder: SystemBuilder, at: Indices) -> None:
        """Add the momentum of the modes to that of a wheel that is not on a fixed axis."""
        along = np.flatnonzero(self.place.rows[Z])
        coupling = np.zeros((len(along) + len(at),) * 2)
        momentum = np.outer(self.place.rows[Z][along], self.sense * self.modes.invariants.U2[2])
        coupling[: len(along), len(along) :], coupling[len(along) :, : len(along)] = momentum, momentum.T
        builder.inertia(np.concatenate([self.place.coordinates[along], at]), coupling)
        across = DisplacedModes.of(
            f"{self.place.name} momentum of modes", self.place, at, self.modes, sense=self.sense, phase=self.phase
        )
        if across is not None:
            builder.element(across)


class CentrifugalForce(StatelessElement):
    """Force of rotation on the normal modes of a wheel, the square of its speed times the outward moments.

    Parameters
    ----------
    name : str
    rotation : int
        Coordinate of the wheel's rotation.
    modes : shape (m,)
        Coordinates of its modes.
    outward : shape (m,) [kg^1/2 m]
    """

    def __init__(self, name: str, rotation: int, modes: Indices, outward: Array) -> None:
        self.name, self.outward = name, outward
        self.coordinates: Indices = np.append(rotation, modes)

    def evaluate(self, t: float, x: Array, v: Array, data: Any) -> ElementForces:
        """Force on the modes."""
        n, speed = len(x), float(v[0])
        Q, by_v = np.zeros(n), np.zeros((n, n))
        Q[1:], by_v[1:, 0] = speed**2 * self.outward, 2.0 * speed * self.outward
        return ElementForces(Q=Q, by_x=np.zeros((n, n)), by_v=by_v)

    def kernel_terms(self, n: int) -> dict[str, Any]:
        """To compiled code it is a force by the square of a velocity."""
        force = np.zeros(n)
        force[self.coordinates[1:]] = self.outward
        return {"square": (int(self.coordinates[0]), force)}

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> ElementEnergy:
        """What it does, the drive supplies: the inertia of the wheel is counted without its growth."""
        return ElementEnergy(stored=0.0, supplied=forces.Q)


def face_modes(modes: NormalModes, wheel: Superelement) -> FaceModes:
    """Normal modes on the faces of a tooth, ordered as a slot of the superelement."""
    nodes = _face_nodes(wheel)
    return FaceModes(
        frequencies=modes.frequencies,
        nodal_diameters=modes.nodal_diameters,
        amplitudes=np.ascontiguousarray(modes.amplitudes[:, nodes].reshape(modes.n_modes, -1)),
        teeth=modes.teeth,
    )


def left_of_rotation(modes: NormalModes, wheel: Superelement) -> Array:
    """What the modes leave of the answers to the loads of rotation, on the faces of a tooth, shape (2, nf)."""
    response, nodes = RotationResponse.stored(wheel.sector, wheel.material), _face_nodes(wheel)
    left = response.remainder(modes, AxialMoments.of(modes))
    return np.stack([left.centrifugal[nodes].ravel(), left.euler[nodes].ravel()])


def _face_nodes(wheel: Superelement) -> Any:
    return np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
