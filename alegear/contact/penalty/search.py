"""Search: which Gauss points of which flank may touch, and where their foot points lie.

Tooth pairs come from the window (coarse detection by the angular position); here follow bounding spheres and the
projection on the true flank. Both directions are searched: the pinion as secondary gear in the first pass, the wheel in
the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from alegear.arrays import Array, Indices
from alegear.contact.numbering import PINION, SPIN, WHEEL
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.flank import FlankSurface


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Gauss points that may touch, those of the first pass first.

    Attributes
    ----------
    n_pass0 : int
        Number of candidates of the first pass (pinion secondary).
    table : shape (n, N_COLUMNS)
        Geometry of each; the columns are named in ``_kernels``.
    gauss, slot : shape (n,)
        Gauss point of the secondary flank, and slot of the window.
    nodes, weights : shape (n, 8), (3, n, 8)
        Interpolation of the displacement at the foot point: value, first and second derivative along the flank.
    """

    n_pass0: int
    table: Array
    gauss: Indices
    slot: Indices
    nodes: Indices
    weights: Array

    def __len__(self) -> int:
        return len(self.table)

    @property
    def passes(self) -> tuple[slice, slice]:
        """Rows of both passes, by secondary gear."""
        return slice(0, self.n_pass0), slice(self.n_pass0, len(self))

    @property
    def rigid_gap(self) -> Array:
        """Gap of the undeformed, modified flanks, shape (n,) [m]; negative = overlap."""
        return self.table[:, kernels.G_RIGID]


class SearchRoom:
    """Work arrays of a search, which grow on demand; one thread at a time may use them."""

    def __init__(self, n: int = 2048) -> None:
        self.allocate(n)

    def allocate(self, n: int) -> None:
        """Make room for n candidates; what was there is lost."""
        self.n = n
        self.table = np.empty((n, kernels.N_COLUMNS))
        self.gauss = np.empty(n, dtype=np.int64)
        self.slot = np.empty(n, dtype=np.int64)
        self.nodes = np.empty((n, kernels.NODES), dtype=np.int64)
        self.weights = np.empty((3, n, kernels.NODES))


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactSearch:
    """Searches a window of tooth pairs.

    Parameters
    ----------
    flanks : FlankSurface of pinion and wheel
    reference_angle, pitch_angle : shape (2,) [rad]
        Angle about +z of the tooth in slot 0 at its pitch-point contact, and angular pitch.
    n_pairs : int
    a_w : float [m]
        Centre distance.
    shares : shape (n_gauss,) of pinion and wheel
        Part of the area of each Gauss point that counts in the pass in which its gear is the secondary one.
    """

    flanks: tuple[FlankSurface, FlankSurface]
    reference_angle: Array
    pitch_angle: Array
    n_pairs: int
    a_w: float
    shares: tuple[Array, Array]

    @cached_property
    def _area(self) -> list[Array]:
        return [flank.gauss_area * share for flank, share in zip(self.flanks, self.shares, strict=True)]

    def tooth_angle(self, gear: int, phi: Array, slot: int | Indices) -> Array:
        """Angle about +z of the teeth in given slots [rad], for the rotations `phi` (2,)."""
        return np.asarray(self.reference_angle[gear] + SPIN[gear] * (phi[gear] - slot * self.pitch_angle[gear]))

    def find(self, room: SearchRoom, phi: Array, reach: float) -> Candidates:
        """Candidates with a rigid gap below `reach` [m] at the rotations `phi` (2,) [rad]."""
        while True:
            n_pass0 = self._pass(room, phi, reach, PINION, 0)
            count = self._pass(room, phi, reach, WHEEL, n_pass0) if n_pass0 >= 0 else n_pass0
            if count >= 0:
                return Candidates(
                    n_pass0=n_pass0,
                    table=room.table[:count].copy(),
                    gauss=room.gauss[:count].copy(),
                    slot=room.slot[:count].copy(),
                    nodes=room.nodes[:count].copy(),
                    weights=room.weights[:, :count].copy(),
                )
            room.allocate(2 * max(-count, room.n))

    def _pass(self, room: SearchRoom, phi: Array, reach: float, secondary: int, count: int) -> int:
        """Fill the work arrays from row `count`; number of rows filled, or minus the number that would be needed."""
        if not self._area[secondary].any():
            return count
        primary = 1 - secondary
        s, p = self.flanks[secondary], self.flanks[primary]
        to_secondary = 1.0 if secondary == WHEEL else -1.0  # the wheel's axis lies at +x of the pinion's
        for slot in range(self.n_pairs):
            count = kernels.find_contacts(
                s.row_centre, s.row_radius, s.sphere_centre, s.sphere_radius,
                s.facet_start, s.gauss_xy, s.gauss_z, s.gauss_section, self._area[secondary],
                p.row_centre, p.row_radius, p.row_s, p.sphere_centre, p.sphere_radius,
                p.knots, p.curve, p.curve_of, p.side, p.grid.rows_s, p.grid.row_coefficients, p.grid.cols_z,
                float(self.tooth_angle(secondary, phi, slot)), float(self.tooth_angle(primary, phi, slot)),
                to_secondary * self.a_w, 0.0, reach, slot, count,
                room.table, room.gauss, room.slot, room.nodes,
                room.weights[0], room.weights[1], room.weights[2],
            )  # fmt: skip
            if count < 0:
                return count
        return count
