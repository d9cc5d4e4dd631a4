"""What every contact law answers with, and what the studies may ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from alegear.contact.law import Friction
from alegear.contact.numbering import Flank
from alegear.geometry.gear_pair import GearPair

Array = NDArray[np.float64]
PerGear = tuple[Array, Array]


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceLoads:
    """Contact by tooth pair and slice of the face; all arrays (n_pairs, n_slices), pairs by slot of the window.

    Attributes
    ----------
    line_load : [N/m]
        Normal force per width of the slice.
    pressure : [Pa]
        Largest contact pressure.
    half_width : [m]
        Of the contact strip, normal to the line of contact; NaN where nothing touches or the law knows none.
    shear_stress : [Pa]
        Largest shear stress below the surface; NaN likewise.
    roll_length : [m]
        Place of the contact on the pinion's flank; NaN where nothing touches.
    """

    line_load: Array
    pressure: Array
    half_width: Array
    shear_stress: Array
    roll_length: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactForces:
    """Contact of the window's pairs for given rotations.

    Attributes
    ----------
    torque : shape (2,) [N m]
        Contact torque on pinion and wheel, positive in the running direction; negative on the driver.
    pair_torque : shape (n_pairs, 2) [N m]
        The same by tooth pair.
    torque_phi, torque_omega : shape (2, 2) or None
        d(torque_i)/d(phi_j) [N m/rad] and d(torque_i)/d(omega_j) [N m s/rad].
    face_force : per gear shape (n_dof,) [N]
        Forces on the nodes of the window's tooth faces, ordered as those of the :class:`Superelement`.
    slices : SliceLoads
    force_on_pinion, moment_on_pinion : shape (3,) [N], [N m]
        Resultant of the contact forces on the pinion, in space about the centre of its mid-face; the wheel gets the
        opposite force.
    energy : float or None [J]
        Elastic energy of the bodies and of the contact, where it was asked for.
    energy_torque : shape (2,) or None [N m]
        Minus its derivative with respect to the rotations, without friction and damping. On the undeformed geometry of
        the law hertz it differs from `torque` by the work of a contact that moves over flanks of changing compliance.
    """

    torque: Array
    pair_torque: Array
    torque_phi: Array | None
    torque_omega: Array | None
    face_force: PerGear
    slices: SliceLoads
    force_on_pinion: Array
    moment_on_pinion: Array
    energy: float | None
    energy_torque: Array | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ElasticHistory:
    """Displacements at the last accepted instant, for the penetration rate of a damped contact.

    ``displacement``: per gear (n_dof,) [m], ordered as the law's own compliance; ``step``: time since then [s].
    """

    displacement: PerGear
    step: float


class FlexibleContact(Protocol):
    """A flexible gear pair in contact: forces and torques as functions of the two rotations.

    Because the elastic inertia is neglected the elastic displacements are algebraic. They are eliminated inside; what
    remains outside are the rigid coordinates, with a consistent tangent. Rotations ``phi`` are positive in the running
    direction and counted from the pitch-point contact of the pair in slot 0.
    """

    @property
    def pair(self) -> GearPair:
        """The gears."""

    @property
    def friction(self) -> Friction:
        """Friction of the flanks."""

    @property
    def flank(self) -> Flank:
        """The loaded flanks."""

    @property
    def has_back_flanks(self) -> bool:
        """Whether the back flanks touch too."""

    @property
    def n_pairs(self) -> int:
        """Slots of the window."""

    @property
    def pitch_angle(self) -> Array:
        """Angular pitch of both gears, shape (2,) [rad]."""

    @property
    def reference_angle(self) -> Array:
        """Angle about +z of the tooth frame in slot 0 when its pair touches at the pitch point, shape (2,) [rad]."""

    @property
    def lossless(self) -> FlexibleContact | None:
        """The same contact without friction and damping; None if it has none."""

    def history(self, forces: ContactForces, shift: int, step: float) -> ElasticHistory | None:
        """Displacements after the window has moved on by `shift` pairs, where the law needs them for a rate."""

    def forget(self) -> None:
        """Drop the warm start; answers do not depend on it."""

    def closest_gap(self, phi: Array, reach: float, *, first_pair: int = 0) -> float:
        """Smallest gap of the undeformed flanks over the window [m], negative = overlap; infinite beyond `reach`."""

    def slices(self) -> Array:
        """Borders of the face slices, shape (n_slices + 1,) [m]."""

    def evaluate(
        self,
        phi: Array,
        omega: Array | None = None,
        *,
        first_pair: int = 0,
        history: ElasticHistory | None = None,
        tangent: bool = True,
        energy: bool = False,
    ) -> ContactForces:
        """Contact forces at given rotations (2,) [rad] and their rates [rad/s], with tooth pair `first_pair` in slot 0.

        Raises
        ------
        NonConvergence
        """
