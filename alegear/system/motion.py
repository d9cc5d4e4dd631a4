"""A system in time: a second-order system of the coordinates that nothing else determines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from alegear.arrays import AnyArray
from alegear.errors import Fault
from alegear.system.checks import check_inertia
from alegear.system.complementarity import ComplementaritySystem, NDArrayBool, Reaction, reduced_system
from alegear.system.coordinates import Array, Indices
from alegear.system.instants import Evaluation, SystemState
from alegear.system.mode_changes import NOTHING, ModeChanges, SwitchEvent, just_after, just_before
from alegear.system.model import (
    SystemData,
    SystemModel,
    accept,
    begin_step,
    evaluate,
    forces_known,
    mass_matrix,
    mass_tangent,
)
from alegear.system.rotation import displacement_tangent, moved
from alegear.system.switches import AHEAD, BACK
from alegear.system.time_integration.second_order_system import (
    ConstraintForces,
    ForceEvaluation,
    SecondOrderSystem,
    State,
    accelerations,
    rates_along,
    start,
)

#: Misfit of a constraint at the start over the typical displacements of what it connects.
MISFIT = 1.0
#: Rate of a constraint at the start over that if all moved as fast as the fastest, which round-off leaves.
LEAVING = 1e-6
#: Part of what typical forces do within a typical time that is rest.
RESTING = 1e-9


#: Where there is neither friction nor a constraint.
NO_REACTION = Reaction(a=np.empty(0), mu=np.empty(0), lam=np.empty(0), rates=np.empty(0))


class SystemMotion(SecondOrderSystem):
    r"""A system model as the schemes of :mod:`alegear.system.time_integration` step it.

    With q the independent coordinates, l the prescribed ones and c what stuck switches hold, which stands,

    .. math::
        x = T q + B x_l(t) + C c, \qquad T^T M T \ddot q = T^T [Q(t, x, v) - M B \ddot x_l - F \lambda]

    so that what is prescribed acts by its inertia, its springs and its dampers, constraints hold to the last digit, and
    what is stuck does not move. Friction lambda of the switches follows from Q by the mixed system, at every
    evaluation.

    Parameters
    ----------
    model : SystemModel
    data : SystemData, optional
        Default: new.

    Attributes
    ----------
    direction, line : shape (k,)
        Of the switches, as in :class:`~alegear.system.complementarity.Choice`.

    Raises
    ------
    Fault
        If a coordinate can move without inertia, or there is none.
    """

    def __init__(self, model: SystemModel, data: SystemData | None = None) -> None:
        self.model, self.data = model, data or model.new_data()
        k = len(model.switches)
        self._changes = any(element.adds_mass for element in model.elements)
        self.mixed: ComplementaritySystem | None = None
        if k or model.constraints:
            mass = mass_matrix(model, self.data, np.zeros(model.n)) if self._changes else None
            self.mixed = ComplementaritySystem(model, mass)
            self._changed = ModeChanges(model, self.mixed)
        else:
            check_inertia(model)
        if not len(model.free):
            raise Fault("free coordinates", 0, "at least 1", "lead fewer of them")
        self.n_constraints = model.joint_rows.n_equations
        self.places_add_up = not model.rotation_vectors
        self.direction, self.line = np.ones(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
        self._prescribed = model.prescribed_indices
        self._angle = np.zeros(len(self._prescribed))  # of the last evaluation: a mass matrix is asked for after it
        #: Time at which accelerations of prescribed coordinates are those just after: of the last change of modes.
        self.jumped_at = -np.inf
        self._hold((), np.zeros(model.n))

    def _hold(self, stuck: tuple[int, ...], x: Array) -> None:
        """Take out the coordinates that constraints and stuck switches determine, these from where they are."""
        model = self.model
        self.held = reduced_system(model, stuck)
        basis = self.held.basis
        self._free, self._simple = basis.independent, not len(self.held.rows)
        self._both = np.ix_(self._free, self._free)
        self._stand(self.held.rows[: len(stuck)] @ x)
        self._mass = np.ascontiguousarray(self._down_both(model.mass))
        # rotation vectors are in no linear row: each is independent
        self._rotation_vectors = tuple(int(np.searchsorted(self._free, k)) for k in model.rotation_vectors)

    def _stand(self, stuck_at: Array) -> None:
        """Keep what rows of stuck switches are, (n_stuck,), and the coordinates that follow; constraints are zero."""
        self._stuck_at = stuck_at
        self._standing = self.held.basis.by_row @ np.pad(stuck_at, (0, len(self.held.rows) - len(stuck_at)))

    # ------------------------------------------------------------- projection
    def _down(self, vector: Array) -> Array:
        """T^T times a vector (n,)."""
        down: Array = vector[self._free] if self._simple else self.held.basis.T.T @ vector
        return down

    def _down_both(self, matrix: Array) -> Array:
        """T^T times a matrix (n, n) times T."""
        if self._simple:
            return matrix[self._both]
        T = self.held.basis.T
        down: Array = T.T @ matrix @ T
        return down

    # ----------------------------------------------------------------- SecondOrderSystem
    @property
    def n_dof(self) -> int:
        return len(self._free)

    @property
    def displacement_scale(self) -> Array:
        return self.model.displacement_scale[self._free]

    @property
    def span(self) -> Array:
        return self.model.span[self._free]

    @property
    def force_scale(self) -> Array:
        scale = self.model.force_scale
        return scale[self._free] if self._simple else np.abs(self.held.basis.T).T @ scale

    def name_of_row(self, row: int) -> str:
        if row >= self.n_dof:
            return self.model.joint_rows.name_of(row - self.n_dof)
        return self.model.coordinates[self._free[row]].in_words

    def pace(self, t: float, v: Array) -> float:
        """Also of prescribed coordinates [1/s]; at least a small part of what typical forces bring about."""
        rates = self._whole(v, self.model.prescribed_motion(t)[1])
        return max(float((np.abs(rates) / self.model.span).max()), RESTING * self.model.typical_rate(self.model.mass))

    # ----------------------------------------------------------------- joints
    @property
    def misfit_scale(self) -> Array:
        return self.model.joint_rows.scale

    def misfit(self, t: float, q: Array) -> tuple[Array, Array]:
        x = self._place(q, self.model.prescribed_motion(t)[0])
        g, G = self.model.joint_rows.misfit(t, x)
        return g, self._down(G.T).T

    def misfit_rates(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Along the velocities and prescribed accelerations of t itself: drives may have a corner there, or begin.

        By differences along the motion at time t, and by what joints say of their rates by time:
        d2g/dt2 = d2g(t, x(s))/ds2 + 2 d(dg/dt)/ds + partial second rate.
        """
        x, rates, prescribed = self.whole(t, q, v)
        a, rows, rotation_vectors = self._particular(prescribed), self.model.joint_rows, self.model.rotation_vectors

        def along(s: float) -> Array:
            return moved(x, s * rates + 0.5 * s * s * a, rotation_vectors)

        first, second = rates_along(lambda s: rows.misfit(t, along(s))[0], rates, a, self.model.span)
        by_time, twice = rows.time_rates(t, x)
        if by_time.any():  # where nothing leads now, nothing does so elsewhere
            mixed = rates_along(lambda s: rows.time_rates(t, along(s))[0], rates, a, self.model.span)[0]
            second = second + 2.0 * mixed
        return first + by_time, second + twice

    def constraint_forces(self, t: float, q: Array, v: Array, multipliers: Array, G: Array) -> ConstraintForces:
        x, rates, _ = self.whole(t, q, v)
        own = self.model.joint_rows.forces(t, x, rates, multipliers)
        return ConstraintForces(
            Q=self._down(own.Q),
            by_multipliers=self._down(own.by_multipliers),
            by_q=self._down_both(own.by_x),
            by_v=self._down_both(own.by_v),
        )

    def moved(self, q: Array, displacement: Array) -> Array:
        return moved(q, displacement, self._rotation_vectors)

    def increment_tangent(self, displacement: Array) -> Array:
        return displacement_tangent(displacement, self._rotation_vectors)

    # ----------------------------------------------------------------- forces

    def mass_matrix(self, q: Array) -> Array:
        if not self._changes:
            return self._mass
        x = self._place(q, self._angle)
        return self._down_both(mass_matrix(self.model, self.data, x))

    def acceleration_tangent(self, q: Array, vdot: Array) -> Array | None:
        """Derivative of M(q) vdot; that of what prescribed coordinates add is in the force."""
        if not self._changes:
            return None
        x = self._place(q, self._angle)
        a = self._whole(vdot, np.zeros(len(self._prescribed)))
        return self._down_both(mass_tangent(self.model, self.data, x, a))

    def begin_step(self, t: float, q: Array, v: Array, h: float) -> None:
        x, rates, _ = self.whole(t, q, v)
        begin_step(self.model, self.data, t, x, rates, h)

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        x, rates, prescribed = self.whole(t, q, v)
        forces = evaluate(self.model, self.data, t, x, rates)
        Q, by_x, by_v = forces.Q, forces.by_x, forces.by_v
        a_p = self._particular(prescribed)
        reaction, lines = NO_REACTION, np.empty(0)
        if a_p.any():
            M = mass_matrix(self.model, self.data, x) if self._changes else self.model.mass
            Q = Q - M @ a_p
            if self._changes:
                by_x = by_x - mass_tangent(self.model, self.data, x, a_p)
        if self.mixed is not None and forces.failure is None and not self.model.joints:
            mixed = self._mixed_at(x)
            lines = mixed.lines(t, self.rates(t, x, rates), x, rates, self.direction == 0)
            reaction = mixed.reaction(forces.Q, a_p, lines, self.direction, self.line)
            if len(self.direction):
                Q = Q - mixed.F @ reaction.lam
                by_Q, by_rate = self._friction_tangent(mixed, t, x, rates, lines, reaction)
                by_x = by_x - mixed.F @ (by_Q @ by_x)
                by_v = by_v - mixed.F @ (by_Q @ by_v) - mixed.F @ by_rate
        return ForceEvaluation(
            Q=self._down(Q),
            dQ_dq=self._down_both(by_x),
            dQ_dv=self._down_both(by_v),
            payload=Evaluation(t=t, x=x, v=rates, forces=forces, reaction=reaction, lines=lines),
            failure=forces.failure,
        )

    def _mixed_at(self, x: Array) -> ComplementaritySystem:
        assert self.mixed is not None
        if not self._changes:
            return self.mixed
        return ComplementaritySystem(self.model, mass_matrix(self.model, self.data, x))

    def _friction_tangent(
        self, mixed: ComplementaritySystem, t: float, x: Array, v: Array, lines: Array, reaction: Reaction
    ) -> tuple[Array, Array]:
        """Derivatives (k, n) of the friction forces by Q, and by the velocities at constant Q, of unchanged modes.

        Laws that look at displacements are taken to follow their rates alone: Newton's iteration takes some more steps.
        """
        k, n = len(self.direction), self.model.n
        A, of_Q, of_v = np.eye(k), np.zeros((k, n)), np.zeros((k, n))
        rates = self.rates(t, x, v)
        step = self._changed.slack[:, 0] + 1e-6 * np.abs(rates)
        moved = mixed.lines(t, np.abs(rates) + step, x, v)
        for i, direction in enumerate(self.direction):
            g = mixed.follows[i]
            if direction == 0:
                if i not in self.held.prescribed:
                    A[i], of_Q[i] = mixed.D[i], mixed.W[i] @ mixed.P
                continue
            side = AHEAD if direction > 0 else BACK
            (c, b), (c_1, b_1) = lines[i, side, self.line[i]], moved[i, side, self.line[i]]
            load = reaction.mu[g] if g >= 0 else 0.0
            if g >= 0 and b != 0.0:
                A[i] += direction * b * mixed.E[g]
                of_Q[i] = direction * b * mixed.R[g]
            of_v[i] = ((c_1 - c) + (b_1 - b) * load) / step[i] * mixed.W[i]
        solve = np.linalg.pinv(A) if self.held.basis.unused else np.linalg.inv(A)
        return solve @ of_Q, solve @ of_v

    def accept(self, state: State) -> None:
        payload = _response(state)
        accept(self.model, self.data, state.t, payload.x, payload.v, payload.forces)

    # --------------------------------------------------------------- switches
    def rates(self, t: float, x: Array, v: Array) -> Array:
        """Relative rates of the switches, (k,); of stuck ones zero to the last bit."""
        if self.mixed is None:
            return np.empty(0)
        rates: Array = self.mixed.W @ v
        rates[[i for i in self.held.stuck if i not in self.held.prescribed]] = 0.0
        rates[list(self.held.still)] = 0.0
        return rates

    def within(self, state: State) -> Array:
        """How far each switch is from leaving its mode: (2 k,), positive inside."""
        payload = _response(state)
        rates = self.rates(state.t, payload.x, payload.v)
        return self._changed.within(self.direction, self.held, payload.lines, payload.reaction, rates)

    @property
    def has_switches(self) -> bool:
        """Whether it has modes that change."""
        return bool(len(self.direction))

    def change(self, state: State, left: NDArrayBool | None = None) -> tuple[State, SwitchEvent]:
        """Choose the modes anew in a state, and return it with the coordinates that are left.

        Parameters
        ----------
        state : State
        left : shape (2 k,) of bool, optional
            Which values of :meth:`within` have come to zero.

        Raises
        ------
        NonConvergence
        """
        payload = _response(state)
        x, v, before = payload.x, payload.v.copy(), self._modes_at(just_before(state.t), state)
        rates = self.rates(state.t, x, v)
        resting, guess, rates = self._changed.at_event(state.t, self.direction, self.held, rates, left)
        new = self._choose(state.t, x, v, rates, resting, guess)
        return new, SwitchEvent(t=state.t, before=before, after=self._modes_at(just_after(state.t), new))

    def _modes_at(self, moment: float, state: State) -> Indices:
        """Modes as results tell them, with bounds as they are at a moment next to the time of the state, (k,)."""
        assert self.mixed is not None
        x, v = _response(state).x, _response(state).v
        lines = self.mixed.lines(moment, self.rates(state.t, x, v), x, v, self.direction == 0)
        return self._changed.modes(self.direction, self.held, lines)

    def begin(self, t: float, x: Array, v: Array) -> State:
        """Make the state to start from, with coordinates and velocities (n,) that constraints allow.

        Raises
        ------
        Fault
            If they do not.
        NonConvergence
        """
        self._check_start(x, v)
        if not self.has_switches:
            return start(self, t=t, q=x[self._free], v=v[self._free])
        assert self.mixed is not None
        rates = self.mixed.W @ v
        resting = np.abs(rates) <= NOTHING * (np.abs(self.mixed.W) @ np.abs(v) + self._changed.slack[:, 0])
        return self._choose(t, x, v, rates, resting, np.zeros(len(rates), dtype=np.int64))

    def _choose(self, t: float, x: Array, v: Array, rates: Array, resting: NDArrayBool, guess: Indices) -> State:
        Q = forces_known(self.model, self.data, t, x, v).Q
        self.jumped_at = t
        a_p = self._particular(self.model.prescribed_motion(t)[2] + self.model.prescribed_jumps(t))
        choice = self._mixed_at(x).choose(t, x, v, Q, a_p, rates, resting, guess, self.line)
        self.direction, self.line = choice.direction.copy(), choice.line.copy()
        self._hold(tuple(np.flatnonzero(self.direction == 0).tolist()), x)
        return start(self, t=t, q=x[self._free], v=v[self._free])

    def _check_start(self, x: Array, v: Array) -> None:
        rows, scale, span = self.model.constraint_rows, self.model.displacement_scale, self.model.span
        misfit, rate = rows @ x, rows @ v
        pace = float((np.abs(v) / span).max())
        for number, one in enumerate(self.model.constraints):
            size = np.abs(rows[number])
            limit = MISFIT * float(size @ scale)
            if not abs(misfit[number]) <= limit:
                what = f"misfit of the constraints at the start, {one.name},"
                raise Fault(what, f"{abs(misfit[number]):.3g}", f"at most {limit:.3g}", "move the bodies")
            allowed = LEAVING * float(size @ span) * pace
            if not abs(rate[number]) <= allowed:
                what = f"start velocities, rate of {one.name},"
                limit_in_words = "along the constraints (rate of their misfit 0)"
                remedy = "start with velocities that the joints allow"
                raise Fault(what, f"{abs(rate[number]):.3g}", limit_in_words, remedy)

    def modes_memory(self) -> dict[str, AnyArray]:
        """What the modes of the switches are, for a checkpoint."""
        if not self.has_switches:
            return {}
        return {"direction": self.direction, "line": self.line, "stuck_at": self._stuck_at}

    def recall_modes(self, memory: Mapping[str, AnyArray]) -> None:
        """Take up modes of the same system."""
        if not self.has_switches:
            return
        self.direction, self.line = np.array(memory["direction"]), np.array(memory["line"])
        self._hold(tuple(np.flatnonzero(self.direction == 0).tolist()), np.zeros(self.model.n))
        self._stand(np.array(memory["stuck_at"], dtype=np.float64))

    # -------------------------------------------------------- all coordinates
    def whole(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Coordinates (n,), velocities (n,) and the accelerations of the prescribed ones, (n_prescribed,)."""
        angle, speed, acceleration = self.model.prescribed_motion(t)
        if t == self.jumped_at:
            acceleration = acceleration + self.model.prescribed_jumps(t)
        self._angle = angle
        return self._place(q, angle), self._whole(v, speed), acceleration

    def by_equations(self, state: State) -> State:
        """A state with the accelerations and multipliers of the equations of motion at its positions and velocities.

        Those of a step with joints ring where a prescribed acceleration has a corner or a step is long
        (time_integration/README.md).
        """
        if not self.n_constraints:
            return state
        vdot, multipliers = accelerations(self, state.t, state.q, state.v, state.force.Q)
        return replace(state, vdot=vdot, multipliers=multipliers)

    def motion(self, state: State) -> SystemState:
        """All coordinates of a state, with the forces found there."""
        payload = _response(state)
        prescribed = self.model.prescribed_motion(state.t)[2]
        if state.t == self.jumped_at:
            prescribed = prescribed + self.model.prescribed_jumps(state.t)
        a = self._whole(state.vdot, prescribed)
        if self.model.joints:
            return self._motion_of_joints(state, payload, a)
        if self.mixed is None:
            return payload.state(a, np.empty(0), np.empty(0, dtype=np.int64))
        rates = self.rates(state.t, payload.x, payload.v)
        return payload.state(a, rates, self._changed.modes(self.direction, self.held, payload.lines))

    def _motion_of_joints(self, state: State, payload: Evaluation, a: Array) -> SystemState:
        """What joints exert, and the multipliers of linear constraints beside them."""
        model = self.model
        joints = model.joint_rows.forces(state.t, payload.x, payload.v, state.multipliers)
        held_back = payload.forces.Q + joints.Q - mass_matrix(model, self.data, payload.x) @ a
        basis, rows = self.held.basis, model.constraint_rows
        multipliers = np.zeros(len(rows))
        if len(basis.dependent):  # W^T mu = Q - M a on the coordinates that the rows determine
            used = list(basis.used)
            multipliers[used] = np.linalg.solve(rows[used][:, basis.dependent].T, held_back[basis.dependent])
        without = payload.state(a, np.empty(0), np.empty(0, dtype=np.int64))
        return replace(without, multipliers=multipliers, joint_multipliers=state.multipliers, joints=joints)

    def evaluated(self, state: State) -> State:
        """The state with the forces found there: one from a checkpoint has none."""
        if state.force.payload is not None:
            return state
        self.begin_step(state.t, state.q, state.v, state.h)
        return replace(state, force=self.force(state.t, state.q, state.v))

    def free_of(self, x: Array) -> Array:
        """The independent coordinates of all (n,)."""
        free: Array = x[self._free]
        return free

    def _place(self, free: Array, prescribed: Array) -> Array:
        """Displacements of all coordinates, (n,), from independent and prescribed ones and from stuck switches."""
        whole = self._whole(free, prescribed)
        return whole if self._simple else whole + self._standing

    def _whole(self, free: Array, prescribed: Array) -> Array:
        """Displacements, velocities or accelerations (n,) by the independent and the prescribed coordinates."""
        if self._simple:
            whole = np.empty(self.model.n)
            whole[self._free], whole[self._prescribed] = free, prescribed
            return whole
        basis = self.held.basis
        all_of_it: Array = basis.T @ free + basis.by_prescribed @ prescribed
        return all_of_it

    def _particular(self, prescribed: Array) -> Array:
        """Accelerations of what is prescribed, and of what follows it."""
        return self._whole(np.zeros(self.n_dof), prescribed)


def _response(state: State) -> Evaluation:
    """What :meth:`SystemMotion.force` left."""
    return cast("Evaluation", state.force.payload)
