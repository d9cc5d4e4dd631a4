"""Solution of one contact state: active set, forces, torques and their consistent tangents.

The equations stand in ``README.md`` of this folder; ``b`` is the row of derivatives of a gap with respect to the nodal
displacements, ``t`` the row of the tangential relative displacement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array, Indices, Mask
from alegear.contact.forces import ElasticHistory, MeshForces, PerGear, SliceLoads
from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.numbering import PINION, SPIN, slot_order
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.flank import FlankSurface
from alegear.contact.penalty.search import Candidates, ContactSearch
from alegear.errors import NonConvergence
from alegear.geometry.gear_pair import GearPair
from alegear.parallel import one_thread

ITERATIONS = 400  # of the active set; three to six are usual
LEAST_DEPTH = 2.5e-10  # modules: of a penetration, beside which changes are judged
PATIENCE = 12  # iterations after which the points of a linear law change sides one by one
SLOPE_LEFT = 0.5  # of the potential along Newton's step, against that at its begin
HALVINGS = 40  # of the step: to round-off
FIRST_ACTIVE = 0.85  # without a warm start: points with more than this part of the deepest overlap of their pair

Solved = tuple[Array, Array, PerGear, PerGear, Array]
"""Force (n,) [N], normal elastic displacement (n,) [m], nodal forces, displacements, flexibility of loaded points."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactModel:
    """Two reduced wheels whose loaded flanks touch.

    Attributes
    ----------
    pair : GearPair
    flanks : FlankSurface of pinion and wheel
    compliance : per gear shape (n_dof, n_dof) [m/N]
        Transverse part of the window's compliance, ordered (slot, node, x or y); slot j of both gears is the same pair.
    n_pairs : int
        Slots of the window.
    law, friction : constants of the contact; ``law.stiffness`` must be set
    search : ContactSearch
    """

    pair: GearPair
    flanks: tuple[FlankSurface, FlankSurface]
    compliance: tuple[Array, Array]
    n_pairs: int
    law: PenaltyLaw
    friction: Friction
    search: ContactSearch

    def slices(self) -> Array:
        """Borders of the face slices: the columns of the narrower gear's grid, shape (n_slices + 1,) [m]."""
        return min((flank.grid.cols_z for flank in self.flanks), key=lambda cols_z: float(np.ptp(cols_z)))


@dataclass(frozen=True, kw_only=True, eq=False)
class PenaltyForces(MeshForces):
    """Forces at the Gauss points, n of them, those of the first pass (pinion secondary) first.

    Nodal values of a gear are ordered (slot of the window, node of the flank grid, x or y of the tooth frame). Without
    friction and damping the torques are minus the derivatives of the energy.

    Attributes
    ----------
    normal_force, pressure : shape (n,) [N], [Pa]
    nodal_force, displacement : per gear shape (n_dof,) [N], [m]
    slot, gauss, z : shape (n,)
        Slot of the window, Gauss point of the secondary flank, and its face position [m].
    """

    face_force: PerGear
    slices: SliceLoads
    force_on_pinion: Array
    moment_on_pinion: Array
    normal_force: Array
    pressure: Array
    nodal_force: PerGear
    displacement: PerGear
    slot: Indices
    gauss: Indices
    z: Array


class ContactSolver:
    """Works on the candidates of one pair of rotations.

    Parameters
    ----------
    model : ContactModel
    candidates : Candidates
    phi, omega : shape (2,) [rad], [rad/s]
    history : ElasticHistory or None
    touched : sequence of at most one array
        Keys of the points that touched last (warm start).
    """

    def __init__(
        self,
        model: ContactModel,
        candidates: Candidates,
        phi: Array,
        omega: Array,
        *,
        history: ElasticHistory | None,
        touched: Sequence[Indices] = (),
    ) -> None:
        self.model, self.candidates = model, candidates
        self.phi, self.omega = phi, omega
        self.n = n = len(candidates)
        first, second = model.flanks
        self._grids = ((first.gauss_nodes, second.gauss_nodes), (first.gauss_weights, second.gauss_weights))
        self._n_nodes = np.array([first.grid.n_nodes, second.grid.n_nodes])
        self._area = candidates.table[:, kernels.AREA].copy()
        self._stiffness = float(model.law.stiffness or 0.0)
        self._warm = touched
        self.touched = np.empty(0, dtype=np.int64)

        self._s_i, self._g_i, self._lever = np.empty((3, n, 2))
        self._s_ij, self._g_ij, self._lever_j = np.empty((3, n, 2, 2))
        kernels.rigid_derivatives(
            candidates.table, candidates.n_pass0, SPIN,
            self._s_i, self._s_ij, self._g_i, self._g_ij, self._lever, self._lever_j,
        )  # fmt: skip
        entries = 2 * kernels.NODES
        self._dof = np.empty((2, n, entries), dtype=np.int64)
        self._b, self._t = np.empty((2, 2, n, entries))
        kernels.normal_rows(
            *self._grids, self._n_nodes, candidates.table, candidates.n_pass0, candidates.gauss, candidates.slot,
            candidates.nodes, candidates.weights[0], self._dof, self._b, self._t,
        )  # fmt: skip

        self._rate = self._g_i @ omega
        self._gap = candidates.rigid_gap
        self._rubs = model.friction.kind != "none"
        self._mu, self._mu_v = model.friction.coefficient(self._lever @ omega)
        self._e = self._b + self._mu[:, None] * self._t if self._rubs else self._b
        # a penetration rate needs the displacement before
        self._history = history if model.law.damping > 0.0 else None
        self._c = self._area * model.law.damping if self._history is not None else np.zeros(n)
        self._per_step = 1.0 / self._history.step if self._history is not None else 0.0
        self._eta_before = np.zeros(n)
        if self._history is not None:
            self._eta_before = self._gather(self._b, self._history.displacement)
        self._linear = model.law.exponent == 1.0 and self._history is None

    # ------------------------------------------------------------ primitives
    def _gather(self, rows: Array, displacement: PerGear) -> Array:
        """rows . u, shape (n,)."""
        out = np.zeros(self.n)
        for gear in range(2):
            kernels.gather(self._dof[gear], rows[gear], displacement[gear], out)
        return out

    def _scatter(self, rows: Array, values: Array, out: Sequence[Array]) -> None:
        """Add rows^T values to nodal vectors."""
        for gear in range(2):
            kernels.scatter(self._dof[gear], rows[gear], values, out[gear])

    def _nodal_zero(self, *shape: int) -> PerGear:
        first, second = (np.zeros((*shape, len(C))) for C in self.model.compliance)
        return first, second

    def _displace(self, nodal: Sequence[Array]) -> PerGear:
        """C f of both gears."""
        out = self._nodal_zero()
        for C, f, u in zip(self.model.compliance, nodal, out, strict=True):
            kernels.multiply_sparse(C, f, u)
        return out

    def _flexibility(self, active: Indices) -> Array:
        """b C (b + mu t)^T between active points, shape (n_active, n_active) [m/N]."""
        G = np.zeros((len(active), len(active)))
        for gear in range(2):
            kernels.compliance_between(
                self.model.compliance[gear], self._dof[gear], self._e[gear], self._b[gear], active, G
            )
        return np.ascontiguousarray(G.T)  # the kernel's first index is the force

    def _law(self, gap: Array, eta: Array) -> tuple[Array, Array, Array]:
        """Force and its derivatives against penetration [N/m] and penetration rate [N s/m], each (n,)."""
        exponent = self.model.law.exponent
        depth = np.maximum(-(gap + eta), 0.0)
        closed = depth > 0.0
        stiffness = self._area * self._stiffness
        if exponent == 1.0:
            force, k = stiffness * depth, np.where(closed, stiffness, 0.0)
        else:
            force, k = stiffness * depth**exponent, stiffness * exponent * depth ** (exponent - 1.0)
        c = self._c
        if self._history is not None:
            approach = -(self._rate + (eta - self._eta_before) * self._per_step)
            # the deeper one of both instants sets the fading: so the force always grows with the penetration
            leaving, back = approach < 0.0, np.where(approach < 0.0, approach / self._per_step, 0.0)
            t = np.clip((depth - back) / self.model.law.damping_depth, 0.0, 1.0)
            slope = self._c * 6.0 * t * (1.0 - t) / self.model.law.damping_depth * approach
            c = c * t * t * (3.0 - 2.0 * t)
            force = force + c * approach
            k, c = k + slope, c - np.where(leaving, slope / self._per_step, 0.0)
            pushing = closed & (force > 0.0)  # a damper does not pull the flanks together
            force, k, c = (np.where(pushing, value, 0.0) for value in (force, k, c))
        return force, k, c

    # ---------------------------------------------------------------- solver
    def solve(self, *, tangent: bool) -> PenaltyForces:
        """Find the forces.

        Raises
        ------
        NonConvergence
            If the active set does not settle.
        """
        with one_thread():
            return self._solved(tangent=tangent)

    def _solved(self, *, tangent: bool) -> PenaltyForces:
        force, eta, nodal, u, G = self._solve()
        loaded = np.flatnonzero(force > 0.0)
        self.touched = self._keys()[loaded]
        e_i, e_ij = self._elastic_derivatives(u)
        arm = self._g_i + e_i + self._mu[:, None] * self._lever
        contribution = force[:, None] * arm
        pair_torque = np.zeros((self.model.n_pairs, 2))
        np.add.at(pair_torque, self.candidates.slot, contribution)
        torque_phi = torque_omega = None
        if tangent:
            torque_phi, torque_omega = self._tangents(loaded, G, force, eta, arm, e_i, e_ij)
        z = np.empty(self.n)
        for flank, rows in zip(self.model.flanks, self.candidates.passes, strict=True):
            z[rows] = flank.gauss_z[self.candidates.gauss[rows]]
        resultant, moment = self._resultant(force, z)
        return PenaltyForces(
            force=contribution.sum(axis=0),
            pair_torque=pair_torque,
            friction=(force * self._mu) @ self._lever,
            by_coordinate=torque_phi,
            by_gap_offset=torque_phi,  # where the gaps are ahead all is
            by_speed=torque_omega,
            normal_force=force,
            pressure=force / self._area,
            nodal_force=nodal,
            displacement=u,
            slot=self.candidates.slot,
            gauss=self.candidates.gauss,
            z=z,
            face_force=self._face_force(nodal),
            slices=self._slices(force, z),
            force_on_pinion=resultant,
            moment_on_pinion=moment,
            energy=self._energy(eta, nodal, u),
            energy_torque=contribution.sum(axis=0) if not self._rubs and self._history is None else None,
        )

    def _energy(self, eta: Array, nodal: PerGear, u: PerGear) -> float:
        """Strain energy of both bodies and of the penalty layer [J]."""
        exponent = self.model.law.exponent
        depth = np.maximum(-(self._gap + eta), 0.0)
        layer = self._area * self._stiffness * depth ** (exponent + 1.0) / (exponent + 1.0)
        return 0.5 * sum(float(f @ v) for f, v in zip(nodal, u, strict=True)) + float(layer.sum())

    def _solve(self) -> Solved:
        active = self._first_active()
        if not active.any():
            return np.zeros(self.n), np.zeros(self.n), self._nodal_zero(), self._nodal_zero(), np.empty((0, 0))
        return self._on_lines(active) if self._linear else self._by_newton(active)

    def _on_lines(self, active: Mask) -> Solved:
        """Active set of a piecewise linear law: an active point follows its line even where it is open now."""
        index, G = np.empty(0, dtype=np.int64), np.empty((0, 0))
        for iteration in range(ITERATIONS):
            wanted = np.flatnonzero(active)
            G, index = self._grown(G, index, wanted), wanted
            force = np.zeros(self.n)
            force[index] = np.linalg.solve(np.diag(1.0 / (self._area[index] * self._stiffness)) + G, -self._gap[index])
            eta, nodal, u = self._response(force)
            now = np.where(active, force > 0.0, self._gap + eta < 0.0)
            changing = np.flatnonzero(now != active)
            if not len(changing):
                return force, eta, nodal, u, G
            if iteration < PATIENCE:
                active = now
            else:
                # sets that follow each other in a circle are left by changing the first point only (Murty 1974)
                active[changing[0]] = now[changing[0]]
            if not active.any():
                return np.zeros(self.n), np.zeros(self.n), self._nodal_zero(), self._nodal_zero(), np.empty((0, 0))
        raise self._not_settled("points that open and close", float(len(changing)), 0.0)

    def _by_newton(self, active: Mask) -> Solved:
        """Newton's method on the normal displacements, over a set of points that only grows."""
        force, eta = np.zeros((2, self.n))
        nodal, u = self._nodal_zero(), self._nodal_zero()
        index, G = np.empty(0, dtype=np.int64), np.empty((0, 0))
        least = LEAST_DEPTH * self.model.pair.pinion.m_n
        scale = max(-float(self._gap.min()), least)
        least_force = float((self._area * self._stiffness).max()) * least**self.model.law.exponent
        by_law, k, c = self._law(self._gap, eta)
        for _ in range(ITERATIONS):
            wanted = np.flatnonzero(active)
            G, index = self._grown(G, index, wanted), wanted
            k_eff = (k + c * self._per_step)[index]
            residual = G @ by_law[index] - eta[index]
            d_eta = np.linalg.solve(np.eye(len(index)) + G * k_eff, residual)
            full = np.zeros(self.n)
            full[index] = by_law[index] - k_eff * d_eta
            full_eta, full_nodal, full_u = self._response(full)
            part = self._part_of_step(force, full, eta, full_eta)
            change = part * float(np.abs(full_eta - eta).max())
            force, eta = _between(force, full, part), _between(eta, full_eta, part)
            nodal = (_between(nodal[0], full_nodal[0], part), _between(nodal[1], full_nodal[1], part))
            u = (_between(u[0], full_u[0], part), _between(u[1], full_u[1], part))
            by_law, k, c = self._law(self._gap, eta)
            defect = float(np.abs(by_law - force).max())
            if change < 1e-13 * scale + 1e-6 * least and defect <= 1e-11 * max(float(by_law.max()), least_force):
                force = np.maximum(force, 0.0)
                loaded = force[index] > 0.0
                return force, eta, nodal, u, np.ascontiguousarray(G[np.ix_(loaded, loaded)])
            active = active | (by_law > 0.0)
        raise self._not_settled("change of displacement [m]", change, 1e-13 * scale)

    def _part_of_step(self, force: Array, full: Array, eta: Array, full_eta: Array) -> float:
        """Part of Newton's step that lowers the potential of bodies and layer (README, section 5)."""
        d_force, d_eta = full - force, full_eta - eta

        def slope(part: float) -> float:
            """Of the potential along the step."""
            return float(d_eta @ (force + part * d_force - self._law(self._gap, eta + part * d_eta)[0]))

        enough = SLOPE_LEFT * abs(slope(0.0))
        low, high, part = 0.0, 1.0, 1.0
        for _ in range(HALVINGS):
            at = slope(part)
            if at <= enough and (part == 1.0 or at >= -enough):
                break
            low, high = (low, part) if at > 0.0 else (part, high)
            part = 0.5 * (low + high)
        return part

    def _response(self, force: Array) -> tuple[Array, PerGear, PerGear]:
        """Normal elastic displacement (n,), nodal forces and displacements under forces at the points (n,)."""
        nodal = self._nodal_zero()
        self._scatter(self._e, force, nodal)
        u = self._displace(nodal)
        return self._gather(self._b, u), nodal, u

    def _not_settled(self, what: str, change: float, limit: float) -> NonConvergence:
        return NonConvergence(
            f"rotations {self.phi[0]:.6g}, {self.phi[1]:.6g} rad (contact, {what})",
            change,
            limit,
            "use a softer penalty (stiffness_N_per_mm3) or less of its damping, exponent 1, or a finer grid",
        )

    def _grown(self, G: Array, index: Indices, wanted: Indices) -> Array:
        """Flexibility of the wanted points: cut out of the one at hand where it holds them all, else computed."""
        if len(index) == len(wanted) and np.array_equal(index, wanted):
            return G
        position = np.searchsorted(index, wanted)
        if len(index) and position[-1] < len(index) and np.array_equal(index[position], wanted):
            return np.ascontiguousarray(G[np.ix_(position, position)])
        return self._flexibility(wanted)

    def _keys(self) -> Indices:
        """One number a point that stays the same while the window stays: pass, slot, Gauss point."""
        n_gauss = max(len(flank.gauss_s) for flank in self.model.flanks)
        second_pass = (np.arange(self.n) >= self.candidates.n_pass0).astype(np.int64)
        keys: Indices = (second_pass * self.model.n_pairs + self.candidates.slot) * n_gauss
        return keys + self.candidates.gauss

    def _first_active(self) -> Mask:
        """The points that touched last; in slots where none did, those near the deepest overlap."""
        active = np.isin(self._keys(), self._warm[0]) if self._warm else np.zeros(self.n, dtype=bool)
        slot = self.candidates.slot
        for j in range(self.model.n_pairs):
            here = slot == j
            if here.any() and not active[here].any():
                deepest = float(self._gap[here].min())
                if deepest < 0.0:
                    active |= here & (self._gap < FIRST_ACTIVE * deepest)
        return active

    # --------------------------------------------------------------- answers
    def _elastic_derivatives(self, u: PerGear) -> tuple[Array, Array]:
        """First (n, 2) and second (n, 2, 2) derivatives of b . u with respect to the rotations at frozen u."""
        e_i, e_ij = np.empty((self.n, 2)), np.empty((self.n, 2, 2))
        found = self.candidates
        kernels.elastic_derivatives(
            *self._grids, self._n_nodes, SPIN, found.table, found.n_pass0, found.gauss, found.slot, found.nodes,
            found.weights[0], found.weights[1], found.weights[2], self._s_i, self._s_ij, u, e_i, e_ij,
        )  # fmt: skip
        return e_i, e_ij

    def _turned(self, normal: Array, tangential: Array) -> PerGear:
        """Change of the nodal forces with each rotation at frozen contact forces, per gear (2, n_dof)."""
        y = self._nodal_zero(2)
        found = self.candidates
        kernels.turned_rows(
            *self._grids, self._n_nodes, SPIN, found.table, found.n_pass0, found.gauss, found.slot, found.nodes,
            found.weights[0], found.weights[1], self._s_i, normal, tangential, y,
        )  # fmt: skip
        return y

    def _resultant(self, force: Array, z: Array) -> tuple[Array, Array]:
        """Contact force and moment on the pinion about the centre of its mid-face, in space."""
        table, slot = self.candidates.table, self.candidates.slot
        f = force * (table[:, [kernels.NX, kernels.NY]] + self._mu[:, None] * table[:, [kernels.TX, kernels.TY]]).T
        total, moment = np.zeros(3), np.zeros(3)
        for secondary, rows in enumerate(self.candidates.passes):
            angle = self.model.search.tooth_angle(1 - secondary, self.phi, slot[rows])
            sign = 1.0 if secondary == PINION else -1.0  # the force in the table acts on the secondary gear
            turn = np.exp(1j * angle)
            at = turn * (table[rows, kernels.X_X] + 1j * table[rows, kernels.X_Y])
            if secondary == PINION:  # seen from the wheel's axis
                at = at + self.model.search.a_w
            push = sign * turn * (f[0, rows] + 1j * f[1, rows])
            total[:2] += push.real.sum(), push.imag.sum()
            moment[0] -= float(z[rows] @ push.imag)
            moment[1] += float(z[rows] @ push.real)
            moment[2] += float((np.conj(at) * push).imag.sum())
        return total, moment

    def _face_force(self, nodal: PerGear) -> PerGear:
        """Nodal forces in the order of the superelements: slot, node, axis."""
        n = self.model.n_pairs
        out = []
        for gear, f in enumerate(nodal):
            full = np.zeros((n, self._n_nodes[gear], 3))
            full[slot_order(n, gear), :, :2] = f.reshape(n, -1, 2)
            out.append(full.reshape(-1))
        return out[0], out[1]

    def _slices(self, force: Array, z: Array) -> SliceLoads:
        """Loads by slot and column of the grid; pressure is the largest of a point."""
        borders = self.model.slices()
        n_slices = len(borders) - 1
        index = np.clip(np.searchsorted(borders, z) - 1, 0, n_slices - 1)
        shape = (self.model.n_pairs, n_slices)
        load, pressure, place = np.zeros((3, *shape))
        at = (self.candidates.slot, index)
        np.add.at(load, at, force)
        np.maximum.at(pressure, at, force / self._area)
        np.add.at(place, at, force * self._roll_lengths())
        unknown = np.full(shape, np.nan)
        with np.errstate(invalid="ignore"):
            roll_length = np.where(load > 0.0, place / load, np.nan)
        return SliceLoads(
            line_load=load / np.diff(borders),
            pressure=pressure,
            edge_pressure=unknown,
            half_width=unknown,
            shear_stress=unknown,
            roll_length=roll_length,
        )

    def _roll_lengths(self) -> Array:
        """Roll length of each point on the pinion's flank, shape (n,) [m]."""
        found = self.candidates
        s = found.table[:, kernels.S_FOOT].copy()
        s[found.passes[PINION]] = self.model.flanks[PINION].gauss_s[found.gauss[found.passes[PINION]]]
        return self.model.pair.pinion.tooth_profile.roll_length(s)

    def _tangents(
        self, a: Indices, G: Array, force: Array, eta: Array, arm: Array, e_i: Array, e_ij: Array
    ) -> tuple[Array, Array]:
        """Consistent derivatives of the torques with respect to rotations and speeds (README, section 4).

        ``a`` are the loaded points, ``G`` their flexibility. The four columns are phi_1, phi_2, omega_1, omega_2.
        """
        n, rate_of = self.n, self.omega
        _, k, c = self._law(self._gap, eta)
        k_eff = k + c * self._per_step
        # direct derivatives of gap, rate, elastic gap, friction coefficient, each (n, 4)
        rate_phi = np.einsum("cij,i->cj", self._g_ij, rate_of)
        rate = np.hstack([rate_phi, self._g_i])
        gap = np.hstack([self._g_i, np.zeros((n, 2))])
        elastic = np.hstack([e_i, np.zeros((n, 2))])
        if self._history is not None:
            before, _ = self._elastic_derivatives(self._history.displacement)
            rate[:, :2] -= before * self._per_step
        slip = np.hstack([np.einsum("cij,i->cj", self._lever_j, rate_of), self._lever])
        mu = self._mu_v[:, None] * slip

        # nodal forces at frozen contact forces: y = d(e^T F), and their displacements v = C y
        y_gap = self._turned(force, np.zeros(n))
        y_phi = self._turned(force, force * self._mu) if self._rubs else y_gap
        q = k[a, None] * gap[a] + c[a, None] * rate[a]
        direct = elastic[a]
        fixed = np.zeros((2, 4))
        for j in range(4 if self._rubs else 2):
            y = (y_phi[0][j].copy(), y_phi[1][j].copy()) if j < 2 else self._nodal_zero()
            if self._rubs:
                self._scatter(self._t, force * mu[:, j], y)
            v = self._displace(y)
            direct[:, j] += self._gather(self._b, v)[a]
            for i in range(2):
                fixed[i, j] += sum(float(w[i] @ d) for w, d in zip(y_gap, v, strict=True))
        for i in range(2):
            fixed[i] += force @ (mu * self._lever[:, i : i + 1])
            fixed[i, :2] += force @ (self._g_ij[:, i] + e_ij[:, i] + self._mu[:, None] * self._lever_j[:, i])
        reaction = np.column_stack(
            [self._gather(self._e, self._displace((y_gap[0][i], y_gap[1][i])))[a] for i in range(2)]
        )

        d_eta = np.linalg.solve(np.eye(len(a)) + G * k_eff[a], direct - G @ q)
        d_force = -k_eff[a, None] * d_eta - q
        result = fixed + (arm[a] + reaction).T @ d_force
        return result[:, :2], result[:, 2:]


def _between(begin: Array, end: Array, part: float) -> Array:
    """Begin for 0, end for 1, to the last bit."""
    return (1.0 - part) * begin + part * end
