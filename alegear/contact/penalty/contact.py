"""Flexible gear pair in contact: contact forces and torques as functions of the two rotations.

Because the elastic inertia is neglected the elastic displacements are algebraic. They are eliminated: for given
rotations the unknowns are the few active contact forces (:mod:`alegear.contact.penalty.solution`), and what remains
outside are the rigid coordinates with a consistent tangent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from alegear.ale import change_teeth
from alegear.arrays import AnyArray, Array, Indices
from alegear.contact.face_grid import FaceGrid
from alegear.contact.forces import Arrays, Deformation, ElasticHistory, MeshForces, MeshMotion
from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.numbering import PINION, Flank, flank_side
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.flank import flank_surface, gauss_sections
from alegear.contact.penalty.search import Candidates, ContactSearch, SearchRoom
from alegear.contact.penalty.shares import pass_shares
from alegear.contact.penalty.solution import ContactModel, ContactSolver, PenaltyForces
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import SectorMesh
from alegear.reduction.superelement import Superelement

REACH = 0.2  # gaps up to this part of the rigid overlap are candidates ...
REACH_FLOOR = 5e-4  # ... and at least up to a gap of so many modules


def hertz_matched_stiffness(
    pair: GearPair, materials: Sequence[Material], pinion_torque: float, exponent: float = 1.0
) -> float:
    r"""Penalty stiffness with which the contact strip at the pitch point is as wide as the Hertz strip.

    A linear penalty p = K delta on two cylinders gives a strip of half-width a under the line load
    q = (2/3) K a^3 / rho_red; equal to Hertz, q = pi E* b_H^2 / (4 rho_red), for
    :math:`K = 3 \pi E^* / (8 b_H)`. The strip then spans several Gauss points of an ordinary grid, and the local
    approach that a coarse grid lacks is of the right size.

    Parameters
    ----------
    pair : GearPair
    materials : of pinion and wheel
    pinion_torque : float [N m]
        Nominal torque; its single-contact line load at the pitch point sets b_H.
    exponent : float
        Of the law. Other laws than the linear one get the same pressure at the largest penetration of the linear one,
        b_H^2/(2 rho_red).

    Returns
    -------
    float [Pa/m^exponent]
    """
    compliance = sum((1.0 - m.nu**2) / m.E for m in materials)
    rho_1, rho_2 = pair.curvature_radii(0.0, "pinion")
    rho_red = rho_1 * rho_2 / (rho_1 + rho_2)
    line_load = abs(pinion_torque) / (pair.pinion.r_b * pair.b_w)
    b_H = math.sqrt(4.0 * line_load * rho_red * compliance / math.pi)
    linear = 3.0 * math.pi / (8.0 * b_H * compliance)
    return float(linear * (b_H**2 / (2.0 * rho_red)) ** (1.0 - exponent))


@dataclass(kw_only=True, eq=False)
class PenaltyData:
    """Room for the search, and the points that touched last, where the next evaluation starts: at most one array."""

    room: SearchRoom = field(default_factory=SearchRoom)
    touched: list[Indices] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, eq=False)
class PenaltyContact(ContactModel):
    """A contact model with its gears, ready to be evaluated.

    It is constant: threads may share it, each with data of its own.
    """

    @classmethod
    def build(
        cls,
        pair: GearPair,
        sectors: tuple[SectorMesh, SectorMesh],
        superelements: tuple[Superelement, Superelement],
        *,
        flank: Flank,
        law: PenaltyLaw,
        friction: Friction,
    ) -> PenaltyContact:
        """Join two superelements whose slots hold the same number of teeth.

        Flanks a of the pinion touch flanks a of the wheel, or flanks b those b.
        """
        if not law.serves(pair):
            raise Fault("law", '"penalty"', f"a law for {law.SERVED}", 'use law = "hertz" in [contact]')
        if law.stiffness is None:
            raise ValueError("the penalty stiffness must be set (hertz_matched_stiffness gives the default)")
        gears = (pair.pinion, pair.wheel)
        half = 0.5 * pair.b_w
        face = (-half, half)
        columns = (FaceGrid.of(gear, sector, flank).cols_z for gear, sector in zip(gears, sectors, strict=True))
        sections = [gauss_sections(cols_z, law.gauss_points_face, face) for cols_z in columns]
        flanks = tuple(
            flank_surface(
                gear,
                sector,
                flank,
                gauss_profile=law.gauss_points_profile,
                gauss_face=law.gauss_points_face,
                face=face,
                mating_z=mating_z,
            )
            for gear, sector, mating_z in zip(gears, sectors, reversed(sections), strict=True)
        )
        n_pairs = superelements[0].slots
        if superelements[1].slots != n_pairs:
            raise ValueError("both superelements need the same number of slots")
        compliance = tuple(
            np.ascontiguousarray(_transverse(s.C_ff, n_pairs, reverse=g == PINION)) for g, s in enumerate(superelements)
        )
        return cls(
            pair=pair,
            flanks=(flanks[0], flanks[1]),
            compliance=(compliance[0], compliance[1]),
            n_pairs=n_pairs,
            law=law,
            friction=friction,
            search=ContactSearch(
                flanks=(flanks[0], flanks[1]),
                reference_angle=np.array(pair.reference_angles(flank_side(flank))),
                pitch_angle=2.0 * math.pi / np.array([gear.z for gear in gears]),
                n_pairs=n_pairs,
                a_w=pair.a_w,
                shares=pass_shares(pair, (flanks[0], flanks[1]), law.pass_weight),
            ),
        )

    @property
    def pitch_angle(self) -> Array:
        """Angular pitch of both gears, shape (2,) [rad]."""
        return self.search.pitch_angle

    @property
    def reference_angle(self) -> Array:
        """Angle about +z of the tooth in slot 0 when its pair touches at the pitch point, shape (2,) [rad]."""
        return self.search.reference_angle

    @property
    def damps(self) -> bool:
        """Whether the law has a damping of its own."""
        return self.law.damping > 0.0

    @property
    def lossless(self) -> PenaltyContact | None:
        """The same contact without friction and damping; None if it has neither."""
        if self.law.damping == 0.0 and self.friction.kind == "none":
            return None
        return replace(self, law=replace(self.law, damping=0.0), friction=Friction())

    @property
    def mode_counts(self) -> tuple[int, int]:
        """No normal modes."""
        return 0, 0

    @property
    def flank(self) -> Flank:
        """The loaded flanks."""
        return "a" if self.flanks[PINION].side > 0.0 else "b"

    @property
    def has_back_flanks(self) -> bool:
        """No: this law knows the loaded flanks only."""
        return False

    def history(self, forces: MeshForces | Deformation, shift: int, step: float) -> ElasticHistory | None:
        """Displacements after the window has moved on by `shift` pairs; None without damping."""
        if self.law.damping == 0.0:
            return None
        assert isinstance(forces, PenaltyForces | Deformation)
        displacement = forces.displacement
        if shift:
            pinion, wheel = (
                change_teeth(C, f, shift, self.n_pairs)[1]
                for C, f in zip(self.compliance, forces.nodal_force, strict=True)
            )
            displacement = (pinion, wheel)
        return ElasticHistory(displacement=displacement, step=step)

    def new_data(self, *, displaced: bool = False) -> PenaltyData:
        """Room for evaluations.

        Raises
        ------
        Fault
            With displacements as coordinates, of which this law knows nothing.
        """
        if displaced:
            raise Fault("law", '"penalty"', "a law that knows displaced gears", 'use law = "hertz" in [contact]')
        return PenaltyData()

    def memory(self, data: PenaltyData, forces: MeshForces | Deformation | None) -> Arrays:
        """Points that touched last, and where the law damps the nodal forces and displacements of both gears."""
        kept: Arrays = {f"touched_{k}": touched for k, touched in enumerate(data.touched)}
        if self.law.damping > 0.0 and forces is not None:
            assert isinstance(forces, PenaltyForces | Deformation)
            for gear in range(2):
                kept[f"nodal_force_{gear}"] = forces.nodal_force[gear]
                kept[f"displacement_{gear}"] = forces.displacement[gear]
        return kept

    def recall(self, data: PenaltyData, memory: Mapping[str, AnyArray]) -> Deformation | None:
        """Take up a memory; returns the deformation that it holds."""
        data.touched[:] = [memory["touched_0"]] if "touched_0" in memory else []
        if "displacement_0" not in memory:
            return None
        return Deformation(
            nodal_force=(memory["nodal_force_0"], memory["nodal_force_1"]),
            displacement=(memory["displacement_0"], memory["displacement_1"]),
        )

    def forget(self, data: PenaltyData) -> None:
        """Drop the warm start."""
        data.touched.clear()

    def closest_gap(self, data: PenaltyData, motion: MeshMotion, reach: float) -> float:
        """Smallest gap of the undeformed flanks over the window [m], negative = overlap; infinite beyond `reach`."""
        candidates = self._find(data, motion.phi, reach, motion.first_pair)
        return float(candidates.rigid_gap.min()) if len(candidates) else math.inf

    def evaluate(
        self,
        data: PenaltyData,
        motion: MeshMotion,
        *,
        tangent: bool = True,
        energy: bool = True,
        again: bool = False,
    ) -> PenaltyForces:
        r"""Contact forces at given rotations.

        Solves :math:`F = A\,[K \delta_+^e + c\,s(\delta)\,\dot\delta]_+`, :math:`\delta = -(g + b\,u)`,
        :math:`u = C \sum (b + \mu t)^T F`, by Newton on the normal elastic displacements of the active points.

        Parameters
        ----------
        data : PenaltyData
        motion : MeshMotion
            Rotations only. What is ahead, is so in all: the Gauss points stay where they are on their flanks anyway.
            Its history is needed when ``law.damping`` > 0.
        tangent : bool
            Whether to compute the derivatives of the torques.
        energy : bool
            Of no effect: this law has the energy at hand.
        again : bool
            Of no effect: this law looks for its points anew.

        Raises
        ------
        NonConvergence
            If the active set does not settle.
        """
        phi = motion.phi + motion.gap_offset
        candidates = self._find(data, phi, self._reach(phi), motion.first_pair)
        solver = ContactSolver(self, candidates, phi, motion.omega, history=motion.history, touched=tuple(data.touched))
        forces = solver.solve(tangent=tangent)
        data.touched[:] = [solver.touched]
        return forces

    def _find(self, data: PenaltyData, phi: Array, reach: float, first_pair: int) -> Candidates:
        """Candidates, with the material that pitch deviations add to their teeth."""
        pairs = first_pair + np.arange(self.n_pairs)
        pinion, wheel = self.pair.gears
        added = pinion.displacement(self.flank)[pairs % pinion.z] + wheel.displacement(self.flank)[pairs % wheel.z]
        candidates = self.search.find(data.room, phi, reach + float(np.max(added)))
        candidates.table[:, kernels.G_RIGID] -= added[candidates.slot]
        return candidates

    def _reach(self, phi: Array) -> float:
        """Gaps up to this value are candidates [m]: the displacement may close them."""
        turned_ahead = float(phi[0] * self.pair.pinion.r_b - phi[1] * self.pair.wheel.r_b)
        return REACH_FLOOR * self.pair.pinion.m_n + REACH * abs(turned_ahead)


def _transverse(C: Array, n_slots: int, *, reverse: bool) -> Array:
    """x and y rows and columns of a compliance ordered (slot, node, axis), slots in order of engagement."""
    n = len(C) // (3 * n_slots)
    blocks = C.reshape(n_slots, n, 3, n_slots, n, 3)
    order = slice(None, None, -1) if reverse else slice(None)
    return blocks[order, :, :2, order, :, :2].reshape(2 * n_slots * n, 2 * n_slots * n)
