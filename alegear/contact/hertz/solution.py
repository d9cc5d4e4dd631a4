"""Solution of one state of line contact: loads of all slices, torques and their consistent tangents.

The equations stand in ``README.md`` of this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import ContactForces, SliceLoads
from alegear.contact.hertz import _kernels as kernels
from alegear.contact.hertz.flank_side import FlankSide, Points
from alegear.contact.line_contact import largest_shear, peak_pressure
from alegear.contact.numbering import PINION
from alegear.errors import NonConvergence

if TYPE_CHECKING:
    from alegear.contact.hertz.contact import LineContact

Array = NDArray[np.float64]
Index = NDArray[np.int64]

ITERATIONS = 100  # of the active set with Newton; three to five are usual
PATIENCE = 20  # iterations after which points change sides one by one
TOLERANCE = 1e-13  # of the largest overlap: a point that is open by less is left alone
LOAD_TOLERANCE = 1e-12  # of the largest load, in the last step
ROUND_OFF = 1e-8  # near an edge strips are known to some 1e-11: a step as small as this that does not fall is the last
SOFTENING = 0.05  # a load falls to no less than this part of itself in one step, unless the point opens
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
GAUSS = (0.5 * (1.0 + _NODES), 0.5 * _WEIGHTS)  # on 0 ... 1
FIRST_STIFFNESS = 10e9  # load per width and overlap for the first guess [N/m^2]


@dataclass(kw_only=True, eq=False)
class _Group:
    """Candidate points of one side of the teeth, with their rows of displacement of both gears."""

    side: FlankSide
    table: Array
    pair_of: Index
    slice_of: Index
    dof: tuple[Index, Index]
    b: tuple[Array, Array]
    b_x: tuple[Array, Array]
    t: tuple[Array, Array]
    t_x: tuple[Array, Array]


class LineContactSolver:
    """Works on the points of closest approach for one pair of rotations.

    Parameters
    ----------
    contact : LineContact
    phi, omega : shape (2,) [rad], [rad/s]
    points : per side of the contact (table, pair, slice)
        Points of closest approach that are looked at.
    last : dict
        Line load [N/m] by (side, pair, slice) of the last evaluation (warm start).
    first_pair : int
        Tooth pair in slot 0.
    """

    def __init__(
        self,
        contact: LineContact,
        phi: Array,
        omega: Array,
        points: Sequence[Points],
        last: dict[tuple[int, int, int], float],
        first_pair: int = 0,
    ) -> None:
        self.contact, self.phi, self.omega = contact, phi, omega
        self.first_pair = first_pair
        self.groups = [self._group(side, *found) for side, found in zip(contact.sides, points, strict=True)]
        self._joined()
        self._length = contact.face.width / float(contact.sides[0].axial[0])  # of the line of contact in a slice
        self.iterations = 0
        self._q = np.array([last.get(key, 0.0) for key in self.keys])
        self._half_width = np.zeros(self.n)

    def _group(self, side: FlankSide, table: Array, pair_of: Index, slice_of: Index) -> _Group:
        contact = self.contact
        rows: list[tuple[Index, Array, Array, Array, Array]] = []
        for gear, body in enumerate(contact.bodies):
            first_col, weight = contact.columns[gear]
            n, entries = len(table), 3 * kernels.ROWS * weight.shape[1]
            dof = np.empty((n, entries), dtype=np.int64)
            b, t = np.empty((2, n, entries))
            b_x, t_x = np.empty((2, 2, n, entries))
            offset = contact.slot_offsets(gear, side)
            if gear != PINION and side.wheel_lead:
                offset = np.roll(offset, -side.wheel_lead)
            kernels.displacement_rows(
                gear, side.side, body.row_coefficients, body.grid.rows_s, len(body.grid.cols_z), offset,
                side.section_angle[gear], first_col, weight, side.axial,
                table, pair_of, slice_of, dof, b, b_x, t, t_x,
            )  # fmt: skip
            rows.append((dof, b, b_x, t, t_x))
        dofs, bs, b_xs, ts, t_xs = zip(*rows, strict=True)
        return _Group(
            side=side, table=table, pair_of=pair_of, slice_of=slice_of, dof=dofs, b=bs, b_x=b_xs, t=ts, t_x=t_xs
        )

    def _joined(self) -> None:
        """Points of all sides one after the other."""
        groups = self.groups

        def join(name: str, axis: int = 0) -> Array:
            return np.concatenate([getattr(g, name) for g in groups], axis=axis)

        def join_gear(name: str, gear: int, axis: int = 0) -> Array:
            return np.ascontiguousarray(np.concatenate([getattr(g, name)[gear] for g in groups], axis=axis))

        self.table = join("table")
        self.pair_of: Index = np.concatenate([g.pair_of for g in groups])
        self.slice_of: Index = np.concatenate([g.slice_of for g in groups])
        self.n = n = len(self.table)
        self._starts = np.concatenate([[0], np.cumsum([len(g.table) for g in groups])])
        self._dof = [join_gear("dof", gear) for gear in range(2)]
        self._b = [join_gear("b", gear) for gear in range(2)]
        self._b_x = [join_gear("b_x", gear, 1) for gear in range(2)]
        self._t = [join_gear("t", gear) for gear in range(2)]
        self._t_x = [join_gear("t_x", gear, 1) for gear in range(2)]
        self.gap = self.table[:, kernels.GAP]
        self.gap_x = self.table[:, kernels.G_X : kernels.G_X + 2]
        self.gap_xx = self.table[:, kernels.G_XX : kernels.G_XX + 4].reshape(n, 2, 2)
        self.lever = self.table[:, kernels.L_X : kernels.L_X + 2]
        self.lever_x = self.table[:, kernels.L_XX : kernels.L_XX + 4].reshape(n, 2, 2)
        self.mu, self.mu_v = self.contact.friction.coefficient(self.lever @ self.omega)
        self._rubs = self.contact.friction.kind != "none"
        if self._rubs:
            mu = self.mu[:, None]
            self._e = [b + mu * t for b, t in zip(self._b, self._t, strict=True)]
        else:
            self._e = self._b

    @property
    def keys(self) -> list[tuple[int, int, int]]:
        """Side, pair and slice of each point."""
        side = np.repeat(np.arange(len(self.groups)), np.diff(self._starts))
        return list(zip(side.tolist(), self.pair_of.tolist(), self.slice_of.tolist(), strict=True))

    def loads(self) -> dict[tuple[int, int, int], float]:
        """Line loads of the solution, for the next warm start."""
        return {key: q for key, q in zip(self.keys, self._q.tolist(), strict=True) if q > 0.0}

    # ------------------------------------------------------------ primitives
    def _approach(self, points: Index, q: Array) -> tuple[Array, Array, Array]:
        """Approach of the layers under line loads [m], its derivative [m^2/N] and those against s_1, s_2 (n, 2)."""
        w, w_q, w_s = np.empty(len(points)), np.empty(len(points)), np.empty((len(points), 2))
        one, two = self.contact.bodies
        modulus = 1.0 / (one.softness + two.softness)
        cos = float(self.contact.sides[0].axial[0])
        for g, group in enumerate(self.groups):
            start, end = self._starts[g : g + 2]
            here = np.flatnonzero((points >= start) & (points < end))
            if not here.size:
                continue
            p_1, p_2 = group.side.profiles
            half_width = self._half_width[points[here]]
            w_here, w_q_here, w_s_here = np.empty(len(here)), np.empty(len(here)), np.empty((len(here), 2))
            kernels.line_contact(
                p_1.knots, p_1.angle, p_1.round_radius,
                one.layer.s, one.layer.log_b, one.layer_table, one.softness,
                p_2.knots, p_2.angle, p_2.round_radius,
                two.layer.s, two.layer.log_b, two.layer_table, two.softness,
                # in the transverse section a strip is wider by 1/cos beta_b, and so are the radii
                modulus * cos**3, self.contact.least_curvature,
                group.table, group.slice_of, points[here] - start, np.ascontiguousarray(q[here]), half_width,
                w_here, w_q_here, w_s_here,
            )  # fmt: skip
            self._half_width[points[here]] = half_width
            w[here], w_q[here], w_s[here] = w_here, w_q_here, w_s_here
        return w, w_q, w_s

    def _pushed(self, rows: list[Array], points: Index) -> list[Array]:
        """Displacements of both gears under unit loads at the points, each (n, n_dof)."""
        out = []
        for body, dof, row in zip(self.contact.bodies, self._dof, rows, strict=True):
            u = np.empty((len(points), len(body.compliance)))
            kernels.displace(body.compliance, dof, row, points, u)
            out.append(u)
        return out

    def _gather(self, rows: list[Array], points: Index, fields: list[Array]) -> Array:
        """rows . u, shape (n_fields, n_points)."""
        out = np.zeros((len(fields[0]), len(points)))
        for dof, row, field in zip(self._dof, rows, fields, strict=True):
            kernels.gather(dof, row, points, field, out)
        return out

    # ---------------------------------------------------------------- solver
    def solve(self, *, tangent: bool, energy: bool) -> ContactForces:
        """Find the loads, and on demand the derivatives of the torques and the elastic energy.

        Raises
        ------
        NonConvergence
            If the active set does not settle.
        """
        every = np.arange(self.n)
        pushed = self._pushed(self._e, every)
        G = self._gather(self._b, every, pushed).T if self.n else np.empty((0, 0))  # (gap, force)
        force = self._find_loads(np.ascontiguousarray(G))
        active = np.flatnonzero(force > 0.0)
        pair_torque = np.zeros((self.contact.n_pairs, 2))
        arm = self.gap_x + self.mu[:, None] * self.lever
        np.add.at(pair_torque, self.pair_of, force[:, None] * arm)
        face_force = tuple(np.zeros(len(body.compliance)) for body in self.contact.bodies)
        for gear in range(2):
            kernels.scatter(self._dof[gear], self._e[gear], active, force[active], face_force[gear])
        u = [force[active] @ p[active] for p in pushed]
        torque_phi = torque_omega = None
        if tangent:
            by_normal_loads = self._pushed(self._b, active) if self._rubs else [p[active] for p in pushed]
            torque_phi, torque_omega = self._tangents(active, G, force, arm, u, by_normal_loads)
        resultant, moment = self._resultant(force)
        stored: tuple[float | None, Array | None] = (None, None)
        if energy:
            stored = self._energy(active, force, face_force, u)
        return ContactForces(
            torque=pair_torque.sum(axis=0),
            pair_torque=pair_torque,
            torque_phi=torque_phi,
            torque_omega=torque_omega,
            face_force=(face_force[0], face_force[1]),
            slices=self._slices(force),
            force_on_pinion=resultant,
            moment_on_pinion=moment,
            energy=stored[0],
            energy_torque=stored[1],
        )

    def _find_loads(self, G: Array) -> Array:
        """Active set with Newton: forces (n,) [N] with gap + approach + G F = 0 where F > 0, open elsewhere."""
        n, length = self.n, self._length
        force = self._q * length
        if not n or not (self.gap < 0.0).any():
            self._q = np.zeros(n)
            return np.zeros(n)
        cold = (force <= 0.0) & (self.gap < 0.0)
        warm = np.zeros(self.contact.n_pairs, dtype=bool)
        warm[self.pair_of[force > 0.0]] = True
        start = cold & ~warm[self.pair_of]
        force[start] = FIRST_STIFFNESS * self.contact.face.width * -self.gap[start]
        scale = float(-self.gap.min())
        active = force > 0.0
        change = before = np.inf
        for iteration in range(ITERATIONS):
            self.iterations = iteration + 1
            index = np.flatnonzero(active)
            if index.size:
                w, w_q, _ = self._approach(index, force[index] / length)
                residual = w + self.gap[index] + G[index] @ force
                jacobian = G[np.ix_(index, index)].copy()
                jacobian[np.diag_indices(len(index))] += w_q / length
                step = -np.linalg.solve(jacobian, residual)
                new = force[index] + step
                opens = (new <= 0.0) & (self.gap[index] + G[index] @ force - G[index, index] * force[index] >= 0.0)
                opens |= new < -force[index]  # far below zero: the linear forecast is clear
                new = np.where(opens, 0.0, np.maximum(new, SOFTENING * force[index]))
                change = float(np.abs(residual).max())
                relative = float(np.abs(new - force[index]).max() / max(float(new.max()), 1e-300))
                force[index] = new
                active[index] = ~opens
            else:
                opens, relative = np.zeros(0, dtype=bool), 0.0
            touching = ~active & (self.gap + G @ force < -TOLERANCE * scale)
            touching[index[opens]] = False
            closes = np.flatnonzero(touching)
            if iteration >= PATIENCE and closes.size > 1:
                closes = closes[:1]
            if closes.size:
                active[closes] = True
                depth = -(self.gap + G @ force)[closes]
                force[closes] = np.maximum(depth * length / self._first_softness(closes), 1e-12)
            elif not opens.any() and (relative < LOAD_TOLERANCE or 0.5 * before < relative < ROUND_OFF):
                break
            before = relative
        else:
            raise NonConvergence(
                f"rotations {self.phi[0]:.6g}, {self.phi[1]:.6g} rad (loads of the slices, gap left [m])",
                change,
                TOLERANCE * scale,
                "check the microgeometry for steps in the flank, or use another number of slices",
            )
        self._q = force / length
        return force

    def _first_softness(self, points: Index) -> Array:
        """Approach per line load [m^2/N] of points that close, at a small load."""
        _, w_q, _ = self._approach(points, np.full(len(points), 1e-3 * FIRST_STIFFNESS * 1e-6))
        return w_q

    # --------------------------------------------------------------- answers
    def _tangents(
        self, a: Index, G: Array, force: Array, arm: Array, u: list[Array], pushed: list[Array]
    ) -> tuple[Array, Array]:
        """Consistent derivatives of the torques with respect to rotations and speeds (README, section 6).

        ``u`` are the displacements of both gears, ``pushed`` those under unit normal loads at the loaded points ``a``.
        """
        F = force[a]
        n_a = len(a)
        if not n_a:
            return np.zeros((2, 2)), np.zeros((2, 2))
        slip = np.hstack([np.einsum("cij,i->cj", self.lever_x[a], self.omega), self.lever[a]])
        mu_x = self.mu_v[a, None] * slip
        _, w_q, w_s = self._approach(a, F / self._length)
        s_x = self.table[a, kernels.S_X : kernels.S_X + 4].reshape(n_a, 2, 2)
        change = np.zeros((n_a, 4))  # of approach + gap + elastic gap at constant loads
        change[:, :2] = self.gap_x[a] + np.einsum("cg,cgx->cx", w_s, s_x)
        for x in range(4 if self._rubs else 2):
            for gear in range(2):
                y = np.zeros(len(u[gear]))  # change of the nodal forces at constant loads
                if x < 2:
                    kernels.scatter(self._dof[gear], self._b_x[gear][x], a, F, y)
                    if self._rubs:
                        kernels.scatter(self._dof[gear], self._t_x[gear][x], a, F * self.mu[a], y)
                if self._rubs:
                    kernels.scatter(self._dof[gear], self._t[gear], a, F * mu_x[:, x], y)
                change[:, x] += pushed[gear] @ y  # the compliance is symmetric
            if x < 2:
                change[:, x] += self._gather([rows[x] for rows in self._b_x], a, [field[None, :] for field in u])[0]
        jacobian = G[np.ix_(a, a)].copy()
        jacobian[np.diag_indices(n_a)] += w_q / self._length
        dF = -np.linalg.solve(jacobian, change)
        result = arm[a].T @ dF
        result += np.einsum("c,cx,ci->ix", F, mu_x, self.lever[a])
        result[:, :2] += np.einsum("c,cix->ix", F, self.gap_xx[a] + self.mu[a, None, None] * self.lever_x[a])
        return result[:, :2], result[:, 2:]

    def _energy(self, a: Index, force: Array, face_force: Sequence[Array], u: list[Array]) -> tuple[float, Array]:
        """Strain energy of both bodies and of the layers [J], and minus its derivatives (README, section 6).

        The work w dF of the layers is integrated by Gauss's rule in F.
        """
        if not len(a):
            return 0.0, np.zeros(2)
        F = force[a]
        bodies = 0.5 * sum(float(f @ v) for f, v in zip(face_force, u, strict=True))
        complementary, by_s = 0.0, np.zeros((len(a), 2))
        for x, weight in zip(*GAUSS, strict=True):
            # F = F_end x^2: the approach goes with F ln F, smooth in x
            w, _, w_s = self._approach(a, F / self._length * x * x)
            complementary += weight * 2.0 * x * float(w @ F)
            by_s += weight * 2.0 * x * F[:, None] * w_s
        w, _, _ = self._approach(a, F / self._length)  # last, so that the half-widths are those of the loads
        s_x = self.table[a, kernels.S_X : kernels.S_X + 4].reshape(len(a), 2, 2)
        torque = F @ self.gap_x[a] + np.einsum("cg,cgx->x", by_s, s_x)
        for x in range(2):
            bent = self._gather([rows[x] for rows in self._b_x], a, [field[None, :] for field in u])[0]
            torque[x] += float(F @ bent)
        return bodies + float(w @ F) - complementary, torque

    def _slices(self, force: Array) -> SliceLoads:
        contact = self.contact
        shape = (contact.n_pairs, len(contact.face))
        load, pressure = np.zeros(shape), np.zeros(shape)
        half_width, shear, roll = (np.full(shape, np.nan) for _ in range(3))
        a = np.flatnonzero(force > 0.0)
        at = (self.pair_of[a], self.slice_of[a])
        cos = float(contact.sides[0].axial[0])
        b = self._half_width[a] * cos  # normal to the line of contact
        q = force[a] / self._length
        np.add.at(load, at, force[a] / contact.face.width)
        p = peak_pressure(q, b)
        np.maximum.at(pressure, at, p)
        half_width[at] = b
        shear[at] = largest_shear(p, b)[0]
        roll[at] = contact.pair.pinion.tooth_profile.roll_length(self.table[a, kernels.S])
        return SliceLoads(
            line_load=load, pressure=pressure, half_width=half_width, shear_stress=shear, roll_length=roll
        )

    def _resultant(self, force: Array) -> tuple[Array, Array]:
        """Contact force and moment on the pinion about the centre of its mid-face, in space."""
        total, moment = np.zeros(3), np.zeros(3)
        contact, z_all = self.contact, self.contact.face.z
        for g, group in enumerate(self.groups):
            rows = slice(self._starts[g], self._starts[g + 1])
            side = group.side
            F, table, k = force[rows], self.table[rows], self.slice_of[rows]
            if not len(F):
                continue
            mu = self.mu[rows]
            slot = self.pair_of[rows]
            angle = side.side * contact.tooth_angle(PINION, self.phi, slot) + side.twist[PINION][k]
            turn = np.exp(1j * angle)
            n = (table[:, kernels.NX] + 1j * table[:, kernels.NY]) * turn  # outward normal of P
            t = -1j * n
            # the force pushes A away from P
            on_pinion = table[:, kernels.SIGN]
            cos, axial = side.axial
            f = F * on_pinion * (cos * n + mu * t)
            f_z = F * on_pinion * np.where(table[:, kernels.SIGN] < 0.0, axial, -axial)
            profile = side.profiles[PINION]
            x, y = kernels.points_on(profile.knots, profile.curve, k, table[:, kernels.S])
            # everything acts at A's point, which the gap parts from that of the pinion where the wheel is A
            added = contact.added_material(side, self.first_pair + slot)
            x = (x + 1j * y) * turn + np.where(on_pinion < 0.0, table[:, kernels.GAP] / cos + added, 0.0) * n
            y_sign = side.side
            fx, fy, px, py, pz = f.real, y_sign * f.imag, x.real, y_sign * x.imag, z_all[k]
            total += np.array([fx.sum(), fy.sum(), f_z.sum()])
            moment += np.array([(py * f_z - pz * fy).sum(), (pz * fx - px * f_z).sum(), (px * fy - py * fx).sum()])
        return total, moment
