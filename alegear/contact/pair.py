"""Flexible gear pair in contact: contact forces and torques as functions of the two rotations.

Because the elastic inertia is neglected the elastic displacements are algebraic. They are eliminated: for given
rotations the unknowns are the few active contact forces, and what remains outside are the rigid coordinates with a
consistent tangent. Model, data and solver are separate: :class:`ContactPair` is constant, :class:`Buffers` holds work
arrays, :class:`ContactForces` is the answer for one pair of rotations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from alegear.contact import _kernels as kernels
from alegear.contact.flank import FlankSurface, flank_surface
from alegear.contact.law import Friction, PenaltyLaw
from alegear.errors import NonConvergence
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import SectorMesh
from alegear.reduction.superelement import Superelement

Array = NDArray[np.float64]

PINION, WHEEL = 0, 1
SPIN = np.array([1.0, -1.0])  # rotation about +z of a gear that runs in the positive running direction
FRICTION_KIND = {"none": 0, "coulomb": 1, "velocity": 2}
ACTIVE_SET_ITERATIONS = 60
REACH = 0.2  # gaps up to this part of the rigid overlap are candidates ...
REACH_FLOOR = 2e-6  # ... and at least up to this gap [m]


def hertz_matched_stiffness(pair: GearPair, materials: Sequence[Material], pinion_torque: float) -> float:
    r"""Penalty stiffness with which the contact strip at the pitch point is as wide as the Hertz strip.

    A linear penalty p = K delta on two cylinders gives a strip of half-width a under the line load
    q = (2/3) K a^3 / rho_red; equal to Hertz, q = pi E* b_H^2 / (4 rho_red), for
    :math:`K = 3 \pi E^* / (8 b_H)`. The strip then spans several Gauss points of an ordinary grid, and the local approach
    that a coarse grid lacks is of the right size.

    Parameters
    ----------
    pair : GearPair
    materials : of pinion and wheel
    pinion_torque : float [N m]
        Nominal torque; its single-contact line load at the pitch point sets b_H.

    Returns
    -------
    float [Pa/m]
    """
    compliance = sum((1.0 - m.nu**2) / m.E for m in materials)
    rho_1, rho_2 = pair.curvature_radii(0.0, "pinion")
    rho_red = rho_1 * rho_2 / (rho_1 + rho_2)
    b = min(pair.pinion.b, pair.wheel.b)
    line_load = abs(pinion_torque) / (pair.pinion.r_b * b)
    b_H = math.sqrt(4.0 * line_load * rho_red * compliance / math.pi)
    return 3.0 * math.pi / (8.0 * b_H * compliance)


@dataclass(kw_only=True, eq=False)
class Buffers:
    """Work arrays of the search, grown on demand."""

    n_max: int = 2048
    table: Array = field(init=False)
    gauss: NDArray[np.int64] = field(init=False)
    slot: NDArray[np.int64] = field(init=False)
    nodes: NDArray[np.int64] = field(init=False)
    weights: Array = field(init=False)

    def __post_init__(self) -> None:
        self.grow(self.n_max)

    def grow(self, n_max: int) -> None:
        self.n_max = n_max
        self.table = np.empty((n_max, kernels.N_COLUMNS))
        self.gauss = np.empty(n_max, dtype=np.int64)
        self.slot = np.empty(n_max, dtype=np.int64)
        self.nodes = np.empty((n_max, kernels.NODES), dtype=np.int64)
        self.weights = np.empty((3, n_max, kernels.NODES))


@dataclass(frozen=True, kw_only=True, eq=False)
class ElasticHistory:
    """Displacements at the last accepted instant, for the penetration rate of a damped contact.

    ``displacement``: per gear (n_dof,) [m], ordered as in :class:`ContactForces`; ``step``: time since then [s].
    """

    displacement: tuple[Array, Array]
    step: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactForces:
    """Contact of the window's pairs for given rotations.

    Contacts (Gauss points, n) are in two passes: the first ``n_pass0`` have the pinion as secondary. Nodal values of a
    gear are ordered (slot of the window, node of the flank grid, x or y of the tooth frame).

    Attributes
    ----------
    torque : shape (2,) [N m]
        Contact torque on pinion and wheel, positive in the running direction; negative on the driver.
    pair_torque : shape (n_pairs, 2) [N m]
        The same by tooth pair.
    gap_torque : shape (2,) [N m]
        The part of `torque` that does work on the gap: without friction all of it.
    normal_force : shape (n,) [N]
        Of each candidate contact, zero or positive.
    pressure : shape (n,) [Pa]
    energy : float [J]
        Stored in both bodies and in the penalty layer.
    torque_phi, torque_omega : shape (2, 2) or None
        d(torque_i)/d(phi_j) [N m/rad] and d(torque_i)/d(omega_j) [N m s/rad].
    nodal_force, displacement : per gear shape (n_dof,) [N], [m]
    slot, z : shape (n,)
        Slot and face position [m] of each contact.
    force_on_pinion : shape (3,) [N]
        Resultant contact force on the pinion in space; the wheel gets the opposite.
    gauss : shape (n,)
        Gauss point of the secondary flank.
    """

    n_pass0: int
    torque: Array
    pair_torque: Array
    gap_torque: Array
    normal_force: Array
    pressure: Array
    energy: float
    torque_phi: Array | None
    torque_omega: Array | None
    nodal_force: tuple[Array, Array]
    displacement: tuple[Array, Array]
    slot: NDArray[np.int64]
    z: Array
    force_on_pinion: Array
    gauss: NDArray[np.int64]

    @cached_property
    def in_contact(self) -> bool:
        return bool(np.any(self.normal_force > 0.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactPair:
    """Two reduced wheels whose loaded flanks touch (the constant part: model and parameters).

    Attributes
    ----------
    pair : GearPair
    flanks : FlankSurface of pinion and wheel
    compliance : per gear shape (n_dof, n_dof) [m/N]
        Transverse part of the window's compliance, ordered (slot, node, x or y); slot j of both gears is the same pair.
    n_pairs : int
    law, friction : constants of the contact; ``law.stiffness`` must be set
    reference_angle : shape (2,) [rad]
        Angle about +z of the tooth in slot 0 when its pair touches at the pitch point.
    """

    pair: GearPair
    flanks: tuple[FlankSurface, FlankSurface]
    compliance: tuple[Array, Array]
    n_pairs: int
    law: PenaltyLaw
    friction: Friction
    reference_angle: Array
    axial_offset: float = 0.0
    buffers: Buffers = field(default_factory=Buffers)
    _active: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

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
        flanks = tuple(
            flank_surface(gear, sector, flank, gauss_profile=law.gauss_points_profile, gauss_face=law.gauss_points_face)
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
            reference_angle=reference,
        )

    @cached_property
    def pitch_angle(self) -> Array:
        """Angular pitch of both gears, shape (2,) [rad]."""
        return 2.0 * math.pi / np.array([self.pair.pinion.z, self.pair.wheel.z])

    def forget(self) -> None:
        """Drop the warm start, so that an evaluation does not depend on the ones before it."""
        self._active.clear()

    # ------------------------------------------------------------------ search
    def _find(self, phi: Array, reach: float) -> tuple[int, int]:
        """Fill the buffers with candidate contacts; number of contacts of the first pass, and of both."""
        b = self.buffers
        while True:
            count = 0
            n_pass0 = 0
            for secondary in (PINION, WHEEL):
                primary = 1 - secondary
                weight = self.law.pass_weight if secondary == PINION else 1.0 - self.law.pass_weight
                if weight > 0.0:
                    count = self._find_pass(phi, reach, secondary, primary, weight, count)
                if count < 0:
                    break
                if secondary == PINION:
                    n_pass0 = count
            if count >= 0:
                return n_pass0, count
            b.grow(2 * max(-count, b.n_max))

    def _find_pass(self, phi: Array, reach: float, secondary: int, primary: int, weight: float, count: int) -> int:
        s, p, b = self.flanks[secondary], self.flanks[primary], self.buffers
        centre_x = self.pair.a_w if secondary == WHEEL else -self.pair.a_w
        offset = -self.axial_offset if secondary == WHEEL else self.axial_offset
        for j in range(self.n_pairs):
            angle = self.reference_angle + SPIN * (phi - j * self.pitch_angle)
            count = kernels.find_contacts(
                s.row_centre, s.row_radius, s.sphere_centre, s.sphere_radius,
                s.gauss_xy, s.gauss_z, s.gauss_area, s.gauss_removal,
                p.row_centre, p.row_radius, p.row_s, p.sphere_centre, p.sphere_radius,
                p.curve_s0, p.curve_h, p.curve, p.side,
                p.removal_z0, p.removal_dz, p.removal, p.removal_s, p.rows_s, p.cols_z,
                angle[secondary], angle[primary], centre_x, 0.0, offset, reach, weight, j, count,
                b.table, b.gauss, b.slot, b.nodes, b.weights[0], b.weights[1], b.weights[2],
            )  # fmt: skip
            if count < 0:
                return count
        return count

    def closest_gap(self, phi: Array, reach: float) -> float:
        """Smallest gap of the undeformed flanks over the window [m], negative = overlap; infinite beyond `reach`."""
        _, n = self._find(phi, reach)
        return float(self.buffers.table[:n, kernels.G_RIGID].min()) if n else math.inf

    # ---------------------------------------------------------------- solution
    def evaluate(
        self,
        phi: Array,
        omega: Array | None = None,
        *,
        retardation: float = 0.0,
        history: ElasticHistory | None = None,
        tangent: bool = True,
    ) -> ContactForces:
        r"""Contact forces at given rotations.

        Solves :math:`F = A\,[K \delta_+^e + c\,\dot\delta]_+`, :math:`\delta = -(g + \beta \dot g + b\,u)`,
        :math:`u = C \sum (b + \mu t)^T F`, by Newton on the normal elastic displacements of the active points.

        Parameters
        ----------
        phi : shape (2,) [rad]
            Rotations of pinion and wheel, positive in the running direction, counted from the pitch-point contact of the
            pair in slot 0.
        omega : shape (2,) [rad/s], optional
            Their rates; for damping and friction.
        retardation : float [s]
            Kelvin-Voigt retardation time beta of the mesh: the forces follow the gap g + beta dg/dt.
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
        n_pass0, n = self._find(phi, self._reach(phi, omega, retardation))
        return _Evaluation(self, phi, omega, n_pass0, n, retardation, history).solve(tangent)

    def _reach(self, phi: Array, omega: Array, retardation: float) -> float:
        """Gaps up to this value are candidates [m]: elastic displacement, or approach under retardation, may close them."""
        approach = float(omega[0] * self.pair.pinion.r_b - omega[1] * self.pair.wheel.r_b)
        turned_ahead = float(phi[0] * self.pair.pinion.r_b - phi[1] * self.pair.wheel.r_b)
        return REACH_FLOOR + REACH * abs(turned_ahead) + 1.5 * abs(retardation * approach)

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


def loaded_flank(driver: Literal["pinion", "wheel"]) -> Literal["a", "b"]:
    """Flank that carries: the pinion runs positive about +z, so it drives with flank a and is driven on flank b."""
    return "a" if driver == "pinion" else "b"


def slot_order(n_pairs: int, gear: int) -> NDArray[np.int64]:
    """Superelement slot (counted counter-clockwise) of each window slot (counted in order of engagement).

    The next tooth to come into mesh lies clockwise on the pinion and counter-clockwise on the wheel.
    """
    order = np.arange(n_pairs)
    return order[::-1].copy() if gear == PINION else order


def _transverse(C: Array, n_slots: int, *, reverse: bool) -> Array:
    """x and y rows and columns of a compliance ordered (slot, node, axis), slots in order of engagement."""
    n = len(C) // (3 * n_slots)
    blocks = C.reshape(n_slots, n, 3, n_slots, n, 3)
    order = slice(None, None, -1) if reverse else slice(None)
    return blocks[order, :, :2, order, :, :2].reshape(2 * n_slots * n, 2 * n_slots * n)


class _Evaluation:
    """One evaluation: the solver works on the candidates in the buffers of its :class:`ContactPair`."""

    def __init__(
        self,
        model: ContactPair,
        phi: Array,
        omega: Array,
        n_pass0: int,
        n: int,
        retardation: float,
        history: ElasticHistory | None,
    ) -> None:
        self.model, self.phi, self.omega = model, phi, omega
        self.n_pass0, self.n = n_pass0, n
        self.beta, self.history = retardation, history
        b = model.buffers
        self.table, self.gauss, self.slot = b.table[:n], b.gauss[:n], b.slot[:n]
        self.nodes, self.weights = b.nodes[:n], b.weights[:, :n]
        f0, f1 = model.flanks
        self.grids = (f0.gauss_nodes, f0.gauss_weights, f1.gauss_nodes, f1.gauss_weights)
        self.n_nodes = np.array([f0.n_nodes, f1.n_nodes])
        self.area = self.table[:, kernels.AREA].copy()

        self.s_i, self.g_i, self.lever = np.empty((n, 2)), np.empty((n, 2)), np.empty((n, 2))
        self.s_ij, self.g_ij, self.lever_j = np.empty((n, 2, 2)), np.empty((n, 2, 2)), np.empty((n, 2, 2))
        kernels.rigid_derivatives(
            self.table, n_pass0, SPIN, self.s_i, self.s_ij, self.g_i, self.g_ij, self.lever, self.lever_j
        )
        entries = 2 * kernels.NODES
        self.dof = np.empty((2, n, entries), dtype=np.int64)
        self.row_n, self.row_t = np.empty((2, n, entries)), np.empty((2, n, entries))
        kernels.normal_rows(
            *self.grids, self.n_nodes, self.table, n_pass0, self.gauss, self.slot, self.nodes, self.weights[0],
            self.dof, self.row_n, self.row_t,
        )  # fmt: skip

        self.rate = self.g_i @ omega
        self.gap = self.table[:, kernels.G_RIGID] + self.beta * self.rate
        friction = model.friction
        self.mu, self.mu_v = np.zeros(n), np.zeros(n)
        if friction.kind != "none":
            kernels.friction_coefficient(
                FRICTION_KIND[friction.kind], friction.mu_static, friction.mu_dynamic,
                friction.v_static, friction.v_dynamic, self.lever @ omega, self.mu, self.mu_v,
            )  # fmt: skip
            self.row_force = self.row_n + self.mu[None, :, None] * self.row_t
        else:
            self.row_force = self.row_n
        self.damping, self.eta_before = 0.0, np.zeros(n)
        if model.law.damping > 0.0 and history is not None:
            self.damping = model.law.damping
            self.eta_before = self._gather(self.row_n, history.displacement)

    # -------------------------------------------------------------- primitives
    def _gather(self, rows: Array, field: Sequence[Array]) -> Array:
        out = np.zeros(self.n)
        for g in range(2):
            kernels.gather(self.dof[g], rows[g], field[g], out)
        return out

    def _nodal_forces(self, force: Array) -> tuple[Array, Array]:
        out = tuple(np.zeros(len(C)) for C in self.model.compliance)
        for g in range(2):
            kernels.scatter(self.dof[g], self.row_force[g], force, out[g])
        return out[0], out[1]

    def _displace(self, nodal: Sequence[Array]) -> tuple[Array, Array]:
        out = tuple(np.empty(len(C)) for C in self.model.compliance)
        for g in range(2):
            kernels.multiply_sparse(self.model.compliance[g], nodal[g], out[g])
        return out[0], out[1]

    def _flexibility(self, active: NDArray[np.int64]) -> Array:
        """b C (b + mu t)^T between the active points."""
        G = np.zeros((len(active), len(active)))
        for g in range(2):
            kernels.compliance_between(
                self.model.compliance[g], self.dof[g], self.row_force[g], self.row_n[g], active, G
            )
        return np.ascontiguousarray(G.T)  # the kernel's first index is the force

    def _law(self, eta: Array) -> tuple[Array, Array, Array]:
        """Force, and its stiffness against penetration and against penetration rate (both per displacement)."""
        law = self.model.law
        assert law.stiffness is not None
        delta = -(self.gap + eta)
        closed = delta > 0.0
        depth = np.where(closed, delta, 0.0)
        power = depth if law.exponent == 1.0 else depth**law.exponent
        force = self.area * law.stiffness * power
        slope = depth ** (law.exponent - 1.0) if law.exponent != 1.0 else np.ones_like(depth)
        k = np.where(closed, self.area * law.stiffness * law.exponent * slope, 0.0)
        c = np.zeros_like(force)
        if self.damping > 0.0 and self.history is not None:
            approach = -(self.rate + (eta - self.eta_before) / self.history.step)
            c = np.where(closed, self.area * self.damping, 0.0)
            force = force + c * approach
            pulled = force <= 0.0
            force[pulled] = 0.0
            k[pulled] = 0.0
            c[pulled] = 0.0
        return force, k, c

    def _stiffness(self, k: Array, c: Array) -> Array:
        return k if self.history is None or self.damping == 0.0 else k + c / self.history.step

    # ------------------------------------------------------------------ solver
    def _initial_active(self) -> NDArray[np.bool_]:
        """The active points of the last evaluation, or those near the deepest overlap of each pair."""
        keys = self._keys()
        before = self.model._active.get(0)
        if before is not None:
            active = before[keys]
            touched = np.unique(self.slot[active])
        else:
            active = np.zeros(self.n, dtype=bool)
            touched = np.empty(0, dtype=np.int64)
        for j in np.setdiff1d(np.unique(self.slot), touched):
            here = self.slot == j
            deepest = self.gap[here].min()
            if deepest < 0.0:
                active |= here & (self.gap < 0.85 * deepest)
        return active

    def _keys(self) -> NDArray[np.int64]:
        n_gauss = max(len(f.gauss_s) for f in self.model.flanks)
        secondary = (np.arange(self.n) >= self.n_pass0).astype(np.int64)
        keys: NDArray[np.int64] = (secondary * self.model.n_pairs + self.slot) * n_gauss + self.gauss
        return keys

    def _remember(self, active: NDArray[np.bool_]) -> None:
        n_gauss = max(len(f.gauss_s) for f in self.model.flanks)
        flags = np.zeros(2 * self.model.n_pairs * n_gauss, dtype=bool)
        flags[self._keys()[active]] = True
        self.model._active[0] = flags

    def solve(self, tangent: bool) -> ContactForces:
        eta = np.zeros(self.n)
        force, k, c = np.zeros(self.n), np.zeros(self.n), np.zeros(self.n)
        nodal, u = self._nodal_forces(force), tuple(np.zeros(len(C)) for C in self.model.compliance)
        active = self._initial_active()
        index, G = np.empty(0, dtype=np.int64), np.empty((0, 0))
        scale = max(-float(self.gap.min()), 1e-12) if self.n else 1.0
        linear = self.model.law.exponent == 1.0 and self.damping == 0.0
        settled = not active.any()
        change = 0.0
        for _ in range(ACTIVE_SET_ITERATIONS):
            if settled:
                break
            if not np.array_equal(np.flatnonzero(active), index):
                G = self._grown(G, index, active)
                index = np.flatnonzero(active)
            trial = -self.gap[index] - eta[index]
            if linear:
                # piecewise linear: the points of the active set follow the line even where they are open now
                k_eff = self.area[index] * float(self.model.law.stiffness or 0.0)
                rhs = -self.gap[index]
                f_active = np.linalg.solve(np.diag(1.0 / k_eff) + G, rhs) if len(index) else rhs
            else:
                force, k, c = self._law(eta)
                k_eff = self._stiffness(k, c)[index]
                residual = G @ force[index] - eta[index]
                d_eta = np.linalg.solve(np.eye(len(index)) + G * k_eff, residual)
                f_active = force[index] - k_eff * d_eta
                trial = trial - d_eta
            force = np.zeros(self.n)
            force[index] = f_active
            eta_old = eta
            nodal = self._nodal_forces(force)
            u = self._displace(nodal)
            eta = self._gather(self.row_n, u)
            if linear:
                new = np.where(active, force > 0.0, -(self.gap + eta) > 0.0)
                settled = np.array_equal(new, active)
                active = new
            else:
                law_force, k, c = self._law(eta)
                new = law_force > 0.0
                change = float(np.abs(eta - eta_old).max())
                defect = float(np.abs(law_force - force).max())
                settled = change < 1e-13 * scale + 1e-18 and defect <= 1e-11 * max(float(law_force.max()), 1e-12)
                active = active | new if not settled else new
        else:
            raise NonConvergence(
                f"rotations {self.phi[0]:.6g}, {self.phi[1]:.6g} rad (contact)",
                change,
                1e-13 * scale,
                "use a softer penalty (stiffness_N_per_mm3), exponent 1, or a finer grid",
            )
        loaded = force[index] > 0.0
        self.G = np.ascontiguousarray(G[np.ix_(loaded, loaded)])
        return self._finish(force, eta, nodal, (u[0], u[1]), tangent)

    def _grown(self, G: Array, index: NDArray[np.int64], active: NDArray[np.bool_]) -> Array:
        """Flexibility of the active set: cut out of the one at hand where possible, computed where points are new."""
        wanted = np.flatnonzero(active)
        if len(index) and np.isin(wanted, index).all():
            keep = np.searchsorted(index, wanted)
            return np.ascontiguousarray(G[np.ix_(keep, keep)])
        return self._flexibility(wanted)

    # ----------------------------------------------------------------- answers
    def _finish(
        self, force: Array, eta: Array, nodal: tuple[Array, Array], u: tuple[Array, Array], tangent: bool
    ) -> ContactForces:
        model = self.model
        self._remember(force > 0.0)
        e_i, e_ij = np.empty((self.n, 2)), np.empty((self.n, 2, 2))
        kernels.elastic_derivatives(
            *self.grids, self.n_nodes, SPIN, self.table, self.n_pass0, self.gauss, self.slot, self.nodes,
            *self.weights, self.s_i, self.s_ij, u[0], u[1], e_i, e_ij,
        )  # fmt: skip
        arm = self.g_i + e_i + self.mu[:, None] * self.lever
        contribution = force[:, None] * arm
        pair_torque = np.zeros((model.n_pairs, 2))
        np.add.at(pair_torque, self.slot, contribution)
        delta = np.maximum(-(self.gap + eta), 0.0)
        law = model.law
        stored = self.area * float(law.stiffness or 0.0) * delta ** (law.exponent + 1.0) / (law.exponent + 1.0)
        energy = 0.5 * sum(float(f @ v) for f, v in zip(nodal, u, strict=True)) + float(stored.sum())
        torque_phi = torque_omega = None
        if tangent:
            torque_phi, torque_omega = self._tangents(force, eta, u, arm, e_i, e_ij)
        return ContactForces(
            n_pass0=self.n_pass0,
            torque=contribution.sum(axis=0),
            pair_torque=pair_torque,
            gap_torque=force @ (self.g_i + e_i),
            normal_force=force,
            pressure=force / self.area,
            energy=energy,
            torque_phi=torque_phi,
            torque_omega=torque_omega,
            nodal_force=nodal,
            displacement=u,
            slot=self.slot.copy(),
            z=self._face_position(),
            force_on_pinion=self._force_on_pinion(force),
            gauss=self.gauss.copy(),
        )

    def _face_position(self) -> Array:
        z = np.empty(self.n)
        for secondary, part in enumerate((slice(0, self.n_pass0), slice(self.n_pass0, self.n))):
            z[part] = self.model.flanks[secondary].gauss_z[self.gauss[part]]
        return z

    def _force_on_pinion(self, force: Array) -> Array:
        """Resultant contact force on the pinion in space, shape (3,) [N]."""
        t = self.table
        fx = force * (t[:, kernels.NX] + self.mu * t[:, kernels.TX])
        fy = force * (t[:, kernels.NY] + self.mu * t[:, kernels.TY])
        total = np.zeros(3)
        for secondary, part in enumerate((slice(0, self.n_pass0), slice(self.n_pass0, self.n))):
            primary = 1 - secondary
            angle = self.model.reference_angle[primary] + SPIN[primary] * (
                self.phi[primary] - self.slot[part] * self.model.pitch_angle[primary]
            )
            sign = 1.0 if secondary == PINION else -1.0
            total[0] += sign * float(np.sum(np.cos(angle) * fx[part] - np.sin(angle) * fy[part]))
            total[1] += sign * float(np.sum(np.sin(angle) * fx[part] + np.cos(angle) * fy[part]))
        return total

    def _tangents(
        self, force: Array, eta: Array, u: tuple[Array, Array], arm: Array, e_i: Array, e_ij: Array
    ) -> tuple[Array, Array]:
        """Consistent derivatives of the torques (README, section 4)."""
        model, omega = self.model, self.omega
        a = np.flatnonzero(force > 0.0)
        law_force, k, c = self._law(eta)
        k, c = k[a], c[a]
        step = self.history.step if self.history is not None else math.inf
        k_eff = k + c / step
        G = self.G
        friction_n, friction_t = force, force * self.mu
        none = np.zeros(self.n)
        y = tuple(np.zeros((2, len(C))) for C in model.compliance)
        self._turned(friction_n, friction_t, y)
        y_plain = y
        if self.mu.any():
            y_plain = tuple(np.zeros((2, len(C))) for C in model.compliance)
            self._turned(friction_n, none, y_plain)
        # the elastic part of the gap's rate, for a damped contact
        e_before = np.zeros((self.n, 2))
        if self.damping > 0.0 and self.history is not None:
            kernels.elastic_derivatives(
                *self.grids, self.n_nodes, SPIN, self.table, self.n_pass0, self.gauss, self.slot, self.nodes,
                *self.weights, self.s_i, self.s_ij, *self.history.displacement, e_before, np.empty((self.n, 2, 2)),
            )  # fmt: skip
        lever_rate = np.einsum("cij,i->cj", self.lever_j, omega)
        rate_phi = np.einsum("cij,i->cj", self.g_ij, omega)
        zero = np.zeros((self.n, 2))
        cases = (
            # d gap, d rate, explicit elastic derivative, d mu, d arm
            (self.g_i + self.beta * rate_phi, rate_phi, e_i, self.mu_v[:, None] * lever_rate, True),
            (self.beta * self.g_i, self.g_i, zero, self.mu_v[:, None] * self.lever, False),
        )
        C_y_plain = [self._displace((y_plain[0][i], y_plain[1][i])) for i in range(2)]
        reaction = np.column_stack([self._gather(self.row_force, v)[a] for v in C_y_plain])
        q, direct = np.empty((len(a), 4)), np.empty((len(a), 4))
        fixed = np.zeros((2, 4))  # what does not come through a change of the contact forces
        for column in range(4):
            j = column % 2
            gap_x, rate_x, e_x, mu_x, geometric = cases[column // 2]
            nodal = [y[g][j].copy() if geometric else np.zeros_like(y[g][j]) for g in range(2)]
            if self.mu_v.any():
                for g in range(2):
                    kernels.scatter(self.dof[g], self.row_t[g], force * mu_x[:, j], nodal[g])
            v = self._displace(nodal)
            q[:, column] = k * gap_x[a, j] + c * (rate_x[a, j] - (e_before[a, j] / step if geometric else 0.0))
            direct[:, column] = e_x[a, j] + self._gather(self.row_n, v)[a]
            for i in range(2):
                d_arm = mu_x[:, j] * self.lever[:, i]
                if geometric:
                    d_arm = d_arm + self.g_ij[:, i, j] + e_ij[:, i, j] + self.mu * self.lever_j[:, i, j]
                fixed[i, column] = float(force @ d_arm) + sum(float(y_plain[g][i] @ v[g]) for g in range(2))
        d_eta = np.linalg.solve(np.eye(len(a)) + G * k_eff, direct - G @ q)
        d_force = -k_eff[:, None] * d_eta - q
        result = fixed + (arm[a] + reaction).T @ d_force
        return result[:, :2], result[:, 2:]

    def _turned(self, force_n: Array, force_t: Array, y: tuple[Array, ...]) -> None:
        kernels.turned_rows(
            *self.grids, self.n_nodes, SPIN, self.table, self.n_pass0, self.gauss, self.slot, self.nodes,
            self.weights[0], self.weights[1], self.s_i, force_n, force_t, y[0], y[1],
        )  # fmt: skip
