"""What every contact law answers with, and what the studies may ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from alegear.contact.law import Friction
from alegear.contact.numbering import PINION, Flank
from alegear.geometry.gear_pair import GearPair

Array = NDArray[np.float64]
PerGear = tuple[Array, Array]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceLoads:
    """Contact by tooth pair and slice of the face; all arrays (n_pairs, n_slices), pairs by slot of the window.

    Attributes
    ----------
    line_load : [N/m]
        Normal force per width of the slice.
    pressure : [Pa]
        Largest contact pressure of the flanks; 0 where only an edge touches.
    edge_pressure : [Pa]
        Largest contact pressure of a tip edge or of the edge that an undercut leaves; 0 where none touches, NaN of a
        law that does not tell them apart.
    half_width : [m]
        Of the contact strip, normal to the line of contact; NaN where nothing touches or the law knows none.
    shear_stress : [Pa]
        Largest shear stress below the surface; NaN likewise.
    roll_length : [m]
        Place of the contact on the pinion's flank; NaN where nothing touches.
    """

    line_load: Array
    pressure: Array
    edge_pressure: Array
    half_width: Array
    shear_stress: Array
    roll_length: Array


class ContactForces(Protocol):
    """Contact of the window's pairs for given rotations.

    What only recorded states are asked for (nodal forces, slices, resultant) a law may compute on demand.
    """

    @property
    def torque(self) -> Array:
        """Contact torque on pinion and wheel, shape (2,) [N m], positive in the running direction."""

    @property
    def pair_torque(self) -> Array:
        """The same by tooth pair, shape (n_pairs, 2) [N m]."""

    @property
    def friction_torque(self) -> Array:
        """What friction has of the torques, shape (2,) [N m]."""

    @property
    def torque_phi(self) -> Array | None:
        """d(torque_i)/d(phi_j), shape (2, 2) [N m/rad], where it was asked for."""

    @property
    def torque_ahead(self) -> Array | None:
        """d(torque_i)/d(ahead_j), likewise."""

    @property
    def held_torque_phi(self) -> Array | None:
        """d(torque_i)/d(phi_j) where the gears' axes are held: `torque_phi`, unless it lets them give way."""

    @property
    def torque_omega(self) -> Array | None:
        """d(torque_i)/d(omega_j), shape (2, 2) [N m s/rad], where it was asked for."""

    @property
    def face_force(self) -> PerGear:
        """Forces on the nodes of the tooth faces, ordered as those of the `Superelement`, each (n_dof,) [N]."""

    @property
    def slices(self) -> SliceLoads:
        """Contact by tooth pair and slice of the face."""

    @property
    def force_on_pinion(self) -> Array:
        """Resultant of the contact forces on the pinion in space, shape (3,) [N]; the wheel gets the opposite one."""

    @property
    def moment_on_pinion(self) -> Array:
        """Their moment about the centre of the pinion's mid-face, shape (3,) [N m]."""

    @property
    def energy(self) -> float | None:
        """Elastic energy of the bodies and of the contact [J], where it was asked for."""

    @property
    def energy_torque(self) -> Array | None:
        """Minus its derivative with respect to the rotations, without friction and damping, shape (2,) [N m].

        On the undeformed geometry of the law hertz it differs from `torque` by the work of a contact that moves over
        flanks of changing compliance.
        """


@dataclass(frozen=True, kw_only=True, eq=False)
class ElasticHistory:
    """Displacements at the last accepted instant, for the penetration rate of a damped contact.

    ``displacement``: per gear (n_dof,) [m], ordered as the law's own compliance; ``step``: time since then [s].
    """

    displacement: PerGear
    step: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Deformation:
    """What a law with a rate of the gap keeps of a state; per gear (n_dof,) [N], [m], ordered as its compliance."""

    nodal_force: PerGear
    displacement: PerGear


def mesh_stiffness(torque_phi: Array, r_b: Array, lead: int) -> float:
    """Mesh stiffness [N/m]: d(force along the line of action)/d(approach), of the teeth and wheels alone.

    The force is the moment about the pinion's axis over its base radius, the approach that of a driver that turns
    ahead. The axes are held; whatever of the deformation is a coordinate of its own follows as at rest.

    Parameters
    ----------
    torque_phi : shape (2, 2) [N m/rad]
        d(torque_i)/d(phi_j).
    r_b : shape (2,) [m]
    lead : int
        The driver: 0 pinion, 1 wheel.
    """
    towards = -1.0 if lead == PINION else 1.0  # of the pinion's torque
    return 0.0 + towards * float(torque_phi[PINION, lead]) / float(r_b[PINION] * r_b[lead])  # not -0.0: teeth apart


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

    @property
    def damps(self) -> bool:
        """Whether the law has a damping of its own, which takes power from the led motion too."""

    def history(self, forces: ContactForces | Deformation, shift: int, step: float) -> ElasticHistory | None:
        """Displacements after the window has moved on by `shift` pairs, where the law needs them for a rate."""

    def memory(self, forces: ContactForces | Deformation | None) -> Arrays:
        """What later evaluations depend on, in the last digits at least: the warm start, and what `history` reads.

        `forces` are those of the last accepted instant, None where `history` will not be asked.
        """

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> Deformation | None:
        """Take up a memory; returns what `history` may be asked with in place of the forces."""

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
        ahead: Array | None = None,
        tangent: bool = True,
        energy: bool = False,
    ) -> ContactForces:
        """Contact forces at given rotations (2,) [rad] and their rates [rad/s], with tooth pair `first_pair` in slot 0.

        `ahead` (2,) [rad] are small rotations by which the gaps, but not the places of contact, are ahead.

        Raises
        ------
        NonConvergence
        """
