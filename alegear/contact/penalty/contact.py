"""Flexible gear pair in contact: contact forces and torques as functions of the two rotations.

Because the elastic inertia is neglected the elastic displacements are algebraic. They are eliminated: for given
rotations the unknowns are the few active contact forces (:mod:`alegear.contact.solution`), and what remains outside are
the rigid coordinates with a consistent tangent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from alegear.contact.flank import flank_surface
from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.model import ContactModel
from alegear.contact.numbering import PINION, loaded_flank
from alegear.contact.search import ContactSearch
from alegear.contact.solution import ContactForces, ContactSolver, ElasticHistory
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import SectorMesh
from alegear.reduction.superelement import Superelement

Array = NDArray[np.float64]

REACH = 0.2  # gaps up to this part of the rigid overlap are candidates ...
REACH_FLOOR = 2e-6  # ... and at least up to this gap [m]


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


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactPair(ContactModel):
    """A contact model with its gears, ready to be evaluated.

    Everything is constant but the warm start, the set of points that touched last; answers do not depend on it.

    Attributes
    ----------
    pair : GearPair
    """

    pair: GearPair
    _touched: list[NDArray[np.int64]] = field(default_factory=list)

    @classmethod
    def build(
        cls,
        pair: GearPair,
        sectors: tuple[SectorMesh, SectorMesh],
        superelements: tuple[Superelement, Superelement],
        *,
        driver: Literal["pinion", "wheel"],
        law: PenaltyLaw,
        friction: Friction,
    ) -> ContactPair:
        """Join two superelements whose slots hold the same number of teeth.

        The pinion drives with its flanks a against flanks a of the wheel; if the wheel drives, the flanks b touch.
        """
        if law.stiffness is None:
            raise ValueError("the penalty stiffness must be set (hertz_matched_stiffness gives the default)")
        flank: Literal["a", "b"] = loaded_flank(driver)
        side = 1.0 if flank == "a" else -1.0
        gears = (pair.pinion, pair.wheel)
        half = 0.5 * pair.b_w
        flanks = tuple(
            flank_surface(
                gear,
                sector,
                flank,
                gauss_profile=law.gauss_points_profile,
                gauss_face=law.gauss_points_face,
                face=(-half, half),
            )
            for gear, sector in zip(gears, sectors, strict=True)
        )
        n_pairs = superelements[0].slots
        if superelements[1].slots != n_pairs:
            raise ValueError("both superelements need the same number of slots")
        compliance = tuple(
            np.ascontiguousarray(_transverse(s.C_ff, n_pairs, reverse=g == PINION)) for g, s in enumerate(superelements)
        )
        reference = np.empty(2)
        for g, gear in enumerate(gears):
            r_w = 0.5 * pair.d_w[g]
            profile = gear.tooth_profile
            x, y = profile.points(profile.s_at_radius(np.array([r_w])))[0]
            reference[g] = (0.0 if g == PINION else math.pi) - side * math.atan2(y, x)
        return cls(
            pair=pair,
            flanks=(flanks[0], flanks[1]),
            compliance=(compliance[0], compliance[1]),
            n_pairs=n_pairs,
            law=law,
            friction=friction,
            search=ContactSearch(
                flanks=(flanks[0], flanks[1]),
                reference_angle=reference,
                pitch_angle=2.0 * math.pi / np.array([gear.z for gear in gears]),
                n_pairs=n_pairs,
                a_w=pair.a_w,
                pass_weight=law.pass_weight,
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

    def forget(self) -> None:
        """Drop the warm start."""
        self._touched.clear()

    def closest_gap(self, phi: Array, reach: float) -> float:
        """Smallest gap of the undeformed flanks over the window [m], negative = overlap; infinite beyond `reach`."""
        candidates = self.search.find(phi, reach)
        return float(candidates.rigid_gap.min()) if len(candidates) else math.inf

    def evaluate(
        self,
        phi: Array,
        omega: Array | None = None,
        *,
        history: ElasticHistory | None = None,
        tangent: bool = True,
    ) -> ContactForces:
        r"""Contact forces at given rotations.

        Solves :math:`F = A\,[K \delta_+^e + c\,s(\delta)\,\dot\delta]_+`, :math:`\delta = -(g + b\,u)`,
        :math:`u = C \sum (b + \mu t)^T F`, by Newton on the normal elastic displacements of the active points.

        Parameters
        ----------
        phi : shape (2,) [rad]
            Rotations of pinion and wheel, positive in the running direction, counted from the pitch-point contact of
            the pair in slot 0.
        omega : shape (2,) [rad/s], optional
            Their rates; for damping and friction.
        history : ElasticHistory, optional
            Needed when ``law.damping`` > 0.
        tangent : bool
            Whether to compute the derivatives of the torques.

        Raises
        ------
        NonConvergence
            If the active set does not settle.
        """
        omega = np.zeros(2) if omega is None else omega
        candidates = self.search.find(phi, self._reach(phi))
        solver = ContactSolver(self, candidates, phi, omega, history=history, touched=tuple(self._touched))
        forces = solver.solve(tangent=tangent)
        self._touched[:] = [solver.touched]
        return forces

    def _reach(self, phi: Array) -> float:
        """Gaps up to this value are candidates [m]: the displacement may close them."""
        turned_ahead = float(phi[0] * self.pair.pinion.r_b - phi[1] * self.pair.wheel.r_b)
        return REACH_FLOOR + REACH * abs(turned_ahead)

    # ----------------------------------------------------------------- results
    def slices(self) -> Array:
        """Borders of the face slices: the columns of the narrower gear's grid, shape (n_slices + 1,) [m]."""
        narrow = min(self.flanks, key=lambda f: f.cols_z[-1] - f.cols_z[0])
        return narrow.cols_z

    def by_slice(self, forces: ContactForces) -> tuple[Array, Array]:
        """Line load [N/m] and largest pressure [Pa] per slot and slice, both (n_pairs, n_slices)."""
        borders = self.slices()
        n_slices = len(borders) - 1
        index = np.clip(np.searchsorted(borders, forces.z) - 1, 0, n_slices - 1)
        load = np.zeros((self.n_pairs, n_slices))
        pressure = np.zeros((self.n_pairs, n_slices))
        np.add.at(load, (forces.slot, index), forces.normal_force)
        np.maximum.at(pressure, (forces.slot, index), forces.pressure)
        return load / np.diff(borders), pressure


def _transverse(C: Array, n_slots: int, *, reverse: bool) -> Array:
    """x and y rows and columns of a compliance ordered (slot, node, axis), slots in order of engagement."""
    n = len(C) // (3 * n_slots)
    blocks = C.reshape(n_slots, n, 3, n_slots, n, 3)
    order = slice(None, None, -1) if reverse else slice(None)
    return blocks[order, :, :2, order, :, :2].reshape(2 * n_slots * n, 2 * n_slots * n)
