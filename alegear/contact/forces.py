"""What every contact law answers with, and what the studies may ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from alegear.arrays import AnyArray, Array
from alegear.contact.law import Friction
from alegear.contact.numbering import PINION, Flank
from alegear.geometry.gear_pair import GearPair

PerGear = tuple[Array, Array]
Arrays = dict[str, AnyArray]


@dataclass(frozen=True, kw_only=True, eq=False)
class SliceLoads:
    """Contact by tooth pair and slice of the face; all arrays (n_pairs, n_slices), pairs by slot of the window.

    Attributes
    ----------
    line_load : [N/m]
        Normal force per width of the slice.
    pressure : [Pa]
        Largest contact pressure of strips that lie wholly on the flanks; 0 where there is none.
    edge_pressure : [Pa]
        Largest contact pressure of strips that reach onto a tip edge or the edge that an undercut leaves; 0 where none
        does, NaN of a law that does not tell them apart.
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


N_TURNS, N_SHIFTS = 2, 5
"""Rotations of a mesh, displacements of each of its gears."""


def _none() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshMotion:
    """Kinematic input of a mesh: positions and velocities of its gears, in the frame of the mesh.

    The pinion stands at the origin, the wheel at (a_w, 0, -axial offset). *Gap offsets* are small changes of the gaps
    that leave the positions of contact: a loss where they are a time times the rates.

    Parameters
    ----------
    phi, omega : shape (2,) [rad], [rad/s]
        Rotations of pinion and wheel in the running direction, counted from the pitch-point contact of the pair in slot
        0, and their rates; only friction and damping read these.
    first_pair : int
        Tooth pair in slot 0: the pitch deviations and modes are those of its teeth.
    displacement, displacement_gap_offset : shape (2, 5) [m, rad]
        Of pinion and wheel: (x, y, z, tilt about x, tilt about y) of the centre of mid-face, in space and against its
        position without load; tilts are small.
    modal, modal_gap_offset : shape (m_1 + m_2,) [m kg^1/2]
        Coordinates of the normal modes of pinion and wheel; empty without modes.
    loads : shape (2, k)
        Loads of rotation on both gears: speed squared [rad2/s2], minus the acceleration about +z [rad/s2].
    gap_offset : shape (2,) [rad]
    history : ElasticHistory, optional
        For a law with a rate of the gap of its own.
    """

    phi: Array
    omega: Array = field(default_factory=lambda: np.zeros(N_TURNS))
    first_pair: int = 0
    displacement: Array = field(default_factory=lambda: np.zeros((2, N_SHIFTS)))
    modal: Array = field(default_factory=_none)
    loads: Array = field(default_factory=lambda: np.zeros((2, 0)))
    gap_offset: Array = field(default_factory=lambda: np.zeros(N_TURNS))
    displacement_gap_offset: Array = field(default_factory=lambda: np.zeros((2, N_SHIFTS)))
    modal_gap_offset: Array = field(default_factory=_none)
    history: ElasticHistory | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshForces:
    """Response of a mesh: generalised forces on its n coordinates, and their derivatives where they were asked for.

    Coordinates are the rotations in the running direction, then where the mesh knows them the displacements (2, 5) one
    gear after the other, then the modal coordinates of pinion and wheel.

    Attributes
    ----------
    force : shape (n,) [N m; N, N m; N kg^-1/2]
        Torques first.
    friction : shape (n,)
        What friction has of them.
    by_coordinate, by_gap_offset : shape (n, n) or None
        Derivatives by the coordinates, and by what the gaps are ahead.
    by_speed : shape (n, 2) or None
        By the rates of the rotations.
    pair_torque : shape (n_pairs, 2) [N m]
        The torques by tooth pair.
    energy : float or None [J]
        Elastic energy of the bodies and of the contact.
    energy_torque : shape (2,) or None [N m]
        Minus its derivative with respect to the rotations, without friction and damping. On the undeformed geometry of
        the law hertz it differs from `torque` by the work of a contact that moves over flanks of changing compliance.
    """

    force: Array
    friction: Array
    by_coordinate: Array | None
    by_gap_offset: Array | None
    by_speed: Array | None
    pair_torque: Array
    energy: float | None
    energy_torque: Array | None

    if TYPE_CHECKING:  # of recorded states only: a law may make them on demand

        @property
        def face_force(self) -> PerGear:
            """Forces on the nodes of the tooth faces, ordered as those of the `Superelement`, each (n_dof,) [N]."""

        @property
        def slices(self) -> SliceLoads:
            """Contact by tooth pair and slice of the face."""

        @property
        def force_on_pinion(self) -> Array:
            """Resultant of the contact forces on the pinion in space, shape (3,) [N]; the wheel gets the opposite."""

        @property
        def moment_on_pinion(self) -> Array:
            """Their moment about the centre of the pinion's mid-face, shape (3,) [N m]."""

    @property
    def torque(self) -> Array:
        """Contact torque on pinion and wheel, shape (2,) [N m], positive in the running direction."""
        return self.force[:N_TURNS]

    @property
    def friction_torque(self) -> Array:
        """What friction has of it, shape (2,) [N m]."""
        return self.friction[:N_TURNS]

    @property
    def torque_phi(self) -> Array | None:
        """d(torque_i)/d(phi_j), all else held, shape (2, 2) [N m/rad]."""
        return None if self.by_coordinate is None else self.by_coordinate[:N_TURNS, :N_TURNS]

    @property
    def torque_gap_offset(self) -> Array | None:
        """d(torque)/d(ahead), shape (2, 2) [N m/rad]."""
        return None if self.by_gap_offset is None else self.by_gap_offset[:N_TURNS, :N_TURNS]

    @property
    def torque_omega(self) -> Array | None:
        """d(torque)/d(omega), shape (2, 2) [N m s/rad]."""
        return None if self.by_speed is None else self.by_speed[:N_TURNS]


def mesh_stiffness(torque_phi: Array, r_b: Array, driving: int) -> float:
    """Mesh stiffness [N/m]: d(force along the line of action)/d(approach), of the teeth and wheels alone.

    The force is the moment about the pinion's axis over its base radius, the approach that of a driver that turns
    ahead. The axes are held; whatever of the deformation is a coordinate of its own follows as at rest.

    Parameters
    ----------
    torque_phi : shape (2, 2) [N m/rad]
        d(torque_i)/d(phi_j).
    r_b : shape (2,) [m]
    driving : int
        The driver: 0 pinion, 1 wheel.
    """
    towards = -1.0 if driving == PINION else 1.0  # of the pinion's torque
    return 0.0 + towards * float(torque_phi[PINION, driving]) / float(
        r_b[PINION] * r_b[driving]
    )  # not -0.0: teeth apart


class FlexibleContact(Protocol):
    """A flexible gear pair in contact: forces as functions of where the gears are.

    Because their inertia is neglected (but for that of normal modes) the elastic displacements are algebraic. They are
    eliminated inside; what remains outside are the coordinates of the mesh, with a consistent tangent. A contact is
    constant; what an evaluation works in and what the next one starts from is in the data it is given.
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
        """Whether the law has a damping of its own, which takes power from the prescribed motion too."""

    @property
    def mode_counts(self) -> tuple[int, int]:
        """Normal modes of pinion and wheel that are coordinates."""

    def slices(self) -> Array:
        """Borders of the face slices, shape (n_slices + 1,) [m]."""

    def new_data(self, *, displaced: bool = False) -> Any:
        """Room for evaluations, and a warm start; with displacements as coordinates if `displaced`.

        One thread at a time may use it.
        """

    def history(self, forces: MeshForces | Deformation, shift: int, step: float) -> ElasticHistory | None:
        """Displacements after the window has moved on by `shift` pairs, where the law needs them for a rate."""

    def memory(self, data: Any, forces: MeshForces | Deformation | None) -> Arrays:
        """What later evaluations depend on, in the last digits at least: the warm start, and what `history` reads.

        `forces` are those of the last accepted instant, None where `history` will not be asked.
        """

    def recall(self, data: Any, memory: Mapping[str, AnyArray]) -> Deformation | None:
        """Take up a memory; returns what `history` may be asked with in place of the forces."""

    def forget(self, data: Any) -> None:
        """Drop the warm start; answers do not depend on it."""

    def closest_gap(self, data: Any, motion: MeshMotion, reach: float) -> float:
        """Smallest gap of the undeformed loaded flanks [m], negative = overlap; infinite beyond `reach`."""

    def evaluate(
        self, data: Any, motion: MeshMotion, *, tangent: bool = True, energy: bool = False, again: bool = False
    ) -> MeshForces:
        """Contact forces of a motion, with derivatives or energy as asked for.

        ``again``: but for the rotations that gaps are ahead the motion is that of the last evaluation with these data.

        Raises
        ------
        NonConvergence
        """
