"""A system with switches as ordinary differential equations between events, in the coordinates that are left.

Where switches are stuck, and by constraints, coordinates follow from others (:mod:`alegear.system.reduction`). What is
integrated are the displacements s of the independent ones since the last event and their velocities u,

.. math:: x = x_e + T s + B (x_l(t) - x_l(t_e)), \\qquad v = T u + B v_l(t)

so that what is stuck stays where it is to the last bit, however long, and a large angle costs no digits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from alegear.errors import Fault
from alegear.system.complementarity import ComplementaritySystem, NDArrayBool, ReducedSystem, reduced_system
from alegear.system.coordinates import Array, Indices
from alegear.system.element import Element
from alegear.system.instants import Evaluation, Instants
from alegear.system.mode_changes import ModeChanges, SwitchEvent, changes_of, just_after
from alegear.system.model import SystemData, SystemModel, forces_known
from alegear.system.switches import AHEAD, BACK
from alegear.system.time_integration.sundials import Tangent

#: Rates at the start below this part of the speeds they are the difference of are zero.
AT_REST = 1e-12
#: Rate of a constraint at the start over that of its parts, which round-off leaves.
LEAVING = 1e-9
#: Part of a motion in which a velocity that matters passes a displacement that does. Smaller velocities would have to
#: be right below the round-off that stiff springs with large damping put into them, and steps would shrink to nothing.
PASSED = 0.02


class SystemOde:
    """A system between events, and at them.

    Parameters
    ----------
    model : SystemModel
        Of elements without memory.
    data : SystemData, optional
    duration : float [s]
        About how long it is to move.

    Attributes
    ----------
    model : SystemModel
        With the inputs of the run.
    direction : shape (k,)
        Where switches slide; 0 stuck.
    line : shape (k,)
    undetermined : dict of tuple of str to float
        Switches that were stuck and held each other so that nothing but least norm shares the torque among them, and
        the time [s] from which on.
    """

    def __init__(self, model: SystemModel, data: SystemData | None = None, *, duration: float = 5.0) -> None:
        self._passed = PASSED * duration
        self.data = data or model.new_data()
        self.model = model = model.with_inputs(self.data.inputs)
        self.mixed = ComplementaritySystem(model)
        k = len(model.switches)
        self.changes = ModeChanges(model, self.mixed)
        self.direction, self.line = np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
        self._held: dict[tuple[int, ...], ReducedSystem] = {}
        self.undetermined: dict[tuple[str, ...], float] = {}
        self.held = self._take(())
        #: Next time at which something that is given jumps: up to it, and at it, what holds before counts.
        self.until = np.inf
        self._t_e, self._x_e = 0.0, np.zeros(model.n)
        self._prescribed_e = model.prescribed_motion(0.0)[0]
        self._cornered = [one for one in model.elements if _has_corners(one)]
        self._sides = np.ones(len(self._corners_of_elements(self._x_e, np.zeros(model.n))))  # of corners of elements

    # --------------------------------------------------------------- Ode
    @property
    def key(self) -> object:
        """What is stuck."""
        return self.held.stuck

    @property
    def size(self) -> int:
        return max(2 * self.held.basis.f, 1)  # where all is held one that stays zero carries the time on

    @property
    def n_roots(self) -> int:
        return 2 * len(self.model.switches) + len(self._sides)

    @property
    def absolute(self) -> Array:
        """Displacement scales, and velocities at which these are passed within :data:`PASSED` of the motion."""
        scale = self.model.displacement_scale[self.held.basis.independent]
        return np.concatenate([scale, scale / self._passed]) if len(scale) else np.ones(1)

    @property
    def tangent(self) -> Tangent | None:
        """None is given."""
        return None

    def rhs(self, t: float, y: Array, rates: Array) -> None:
        """Velocities and accelerations of the independent coordinates."""
        f = self.held.basis.f
        rates[:f], rates[f:] = y[f : 2 * f], 0.0
        if f:
            rates[f:] = self.at(t, y).reaction.a[self.held.basis.independent]

    def rates_at(self, t: Array, y: Array) -> Array:
        """The right-hand side at times (m,) and states (m, size) between the last event and the next, (m, size)."""
        rates = np.empty_like(y)
        for i, one in enumerate(t.tolist()):
            self.rhs(one, y[i], rates[i])
        return rates

    def roots(self, t: float, y: Array, values: Array) -> None:
        """How far each switch is from leaving its mode: positive inside."""
        now, k = self.at(t, y), len(self.model.switches)
        values[: 2 * k] = self.changes.within(self.direction, self.held, now.lines, now.reaction, self.rates(t, y))
        values[2 * k :] = self._sides * self._corners_of_elements(now.x, now.v)

    # --------------------------------------------------------------- state
    def full(self, t: float, y: Array) -> tuple[Array, Array]:
        """All coordinates and velocities, (n,) each."""
        basis = self.held.basis
        s, u = y[: basis.f], y[basis.f : 2 * basis.f]
        prescribed, prescribed_rate, _ = self.model.prescribed_motion(t)
        moved = basis.T @ s + basis.by_prescribed @ (prescribed - self._prescribed_e)
        return self._x_e + moved, basis.T @ u + basis.by_prescribed @ prescribed_rate

    def rates(self, t: float, y: Array) -> Array:
        """Relative rates of the switches, (k,); of stuck ones zero to the last bit."""
        basis = self.held.basis
        prescribed_rate = self.model.prescribed_motion(t)[1]
        rates = self.held.rates @ y[basis.f : 2 * basis.f]
        if len(prescribed_rate):
            rates += self.mixed.W @ (basis.by_prescribed @ prescribed_rate)
            rates[[i for i in self.held.stuck if i not in self.held.prescribed]] = 0.0
            rates[list(self.held.still)] = 0.0
        return rates

    def at(self, t: float, y: Array) -> Evaluation:
        """Everything at one time."""
        x, v = self.full(t, y)
        t = self._before(t)
        forces = forces_known(self.model, self.data, t, x, v)
        # beyond the event at rate 0 as at rest: a step over a narrow peak there is to differ from what it expects
        rates = np.maximum(self.direction * self.rates(t, y), 0.0)
        lines = self.mixed.lines(t, rates, x, v, self.direction == 0)
        a_p = self._particular(t)
        reaction = self.mixed.reaction(forces.Q, a_p, lines, self.direction, self.line)
        return Evaluation(t=t, x=x, v=v, forces=forces, reaction=reaction, lines=lines)

    def instants(self, t: Array, y: Array) -> Instants:
        """All of the system at times (m,) and states (m, size) between the last event and the next."""
        states = []
        for one, row in zip(t.tolist(), y, strict=True):
            now = self.at(one, row)
            states.append(now.state(now.reaction.a, self.rates(one, row), self.modes(now.lines)))
        return replace(Instants.of(self.model, self.data, states), t=np.asarray(t, dtype=np.float64))

    @property
    def corners(self) -> list[float]:
        """Times [s] at which something that is given jumps or has a corner."""
        return changes_of(self.model)

    @property
    def period(self) -> float:
        """Shortest period [s] of what is given over time."""
        given = [load.profile for load in self.model.loads]
        given += [signal for element in self.model.elements for signal in element.signals]
        return min(
            [np.inf, *(signal.period for signal in given), *(switch.law.period for switch in self.model.switches)]
        )

    def modes(self, lines: Array) -> Indices:
        """Modes of all switches as results tell them."""
        return self.changes.modes(self.direction, self.held, lines)

    # -------------------------------------------------------------- events
    def start(self, t: float, x: Array, v: Array) -> Array:
        """Choose the modes at the start and return y.

        Raises
        ------
        Fault
            If velocities leave the constraints.
        NonConvergence
        """
        self.held = self._take(())
        rates, resting = self.check_start(t, x, v)
        return self._choose(t, x, v, rates, resting, np.zeros(len(rates), dtype=np.int64))

    def check_start(self, t: float, x: Array, v: Array) -> tuple[Array, NDArrayBool]:
        """Refuse velocities that constraints or switches do not allow; returns rates (k,), and which of them rest."""
        self._check_velocities(v)
        rates = self.mixed.W @ v
        resting: NDArrayBool = np.abs(rates) <= AT_REST * (np.abs(self.mixed.W) @ np.abs(v))
        self._check_rates(t, x, v, rates, resting)
        return rates, resting

    def change(self, t: float, y: Array, roots: Indices | None = None) -> tuple[Array, SwitchEvent]:
        """Choose the modes anew, at an event or at a stop, and return y after it.

        Parameters
        ----------
        t : float [s], y : shape (size,)
        roots : shape (2 k,), optional
            Which root functions have come to zero.

        Raises
        ------
        NonConvergence
            Also where events follow each other without the time going on, with the names.
        """
        before = self.instants(np.array([t]), y[None, :]).modes[0]
        if roots is None:
            self.until = np.inf  # what is given jumps now
        (x, v), rates = self.full(t, y), self.rates(t, y)
        left = None if roots is None else roots[: 2 * len(rates)] != 0
        resting, guess, rates = self.changes.at_event(t, self.direction, self.held, rates, left)
        sides = self._sides
        after = self._choose(t, x, v, rates, resting, guess)
        if roots is not None:  # round-off says nothing of the side to which they go
            passed = roots[2 * len(rates) :] != 0
            self._sides[passed] = -sides[passed]
        lines = self.mixed.lines(just_after(t), self.rates(t, after), *self.full(t, after), self.direction == 0)
        return after, SwitchEvent(t=t, before=before, after=self.modes(lines))

    def _choose(self, t: float, x: Array, v: Array, rates: Array, resting: NDArrayBool, guess: Indices) -> Array:
        Q = forces_known(self.model, self.data, t, x, v).Q
        choice = self.mixed.choose(t, x, v, Q, self._particular(t), rates, resting, guess, self.line)
        self.direction, self.line = choice.direction.copy(), choice.line.copy()
        self.held = self._take(tuple(np.flatnonzero(self.direction == 0).tolist()))
        if self.mixed.combinations(self.held.stuck)[1].shape[1]:
            self.undetermined.setdefault(self.mixed.undetermined(self.direction), t)
        basis = self.held.basis
        self._t_e, self._x_e = t, x
        self._sides = np.where(self._corners_of_elements(x, v) < 0.0, -1.0, 1.0)
        self._prescribed_e = self.model.prescribed_motion(t)[0]
        return np.concatenate([np.zeros(basis.f), v[basis.independent]]) if basis.f else np.zeros(1)

    def _corners_of_elements(self, x: Array, v: Array) -> Array:
        """Values whose changes of sign are corners of the forces of elements."""
        found = [one.corners(x[one.coordinates], v[one.coordinates]) for one in self._cornered]
        return np.concatenate([np.empty(0), *found])

    def _take(self, stuck: tuple[int, ...]) -> ReducedSystem:
        if stuck not in self._held:
            self._held[stuck] = reduced_system(self.model, stuck)
        return self._held[stuck]

    def _check_velocities(self, v: Array) -> None:
        rows = self.model.constraint_rows
        size = np.abs(rows) @ np.abs(v)
        for one, leaving, allowed in zip(self.model.constraints, rows @ v, LEAVING * size, strict=True):
            if not abs(leaving) <= allowed:
                speeds = ", ".join(f"{self.model.names[i]} {v[i]:.6g}" for i in np.flatnonzero(one.row))
                what = f"rate by which speeds at the start ({speeds} rad/s) leave {one.name} [rad/s]"
                raise Fault(what, f"{leaving:.6g}", "0", "start with speeds that it allows")

    def _check_rates(self, t: float, x: Array, v: Array, rates: Array, resting: NDArrayBool) -> None:
        """Refuse rates against a bound without end: a freewheel would take an infinite torque."""
        lines = self.mixed.lines(t, rates, x, v)
        for switch, rate, rests, own in zip(self.model.switches, rates, resting, lines, strict=True):
            if not rests and np.isinf(own[AHEAD if rate > 0.0 else BACK, :, 0]).any():
                limit = "at most 0: it locks that way" if rate > 0.0 else "at least 0: it locks that way"
                remedy = "start with speeds that it allows"
                raise Fault(f"relative speed of {switch.name} at the start [rad/s]", f"{rate:.6g}", limit, remedy)

    # ---------------------------------------------------------- what is given
    def _before(self, t: float) -> float:
        return t if t < self.until else float(np.nextafter(self.until, -np.inf))

    def _particular(self, t: float) -> Array:
        """Accelerations of what is prescribed, and by the constraints alone of what follows it."""
        basis, given = self.mixed.basis, self.model.prescribed_motion(t)[2] + self.model.prescribed_jumps(t)
        return np.asarray(basis.by_prescribed @ given)


def _has_corners(element: Element) -> bool:
    """Whether the force of an element has corners."""
    nothing = np.zeros(len(element.coordinates))
    return len(element.corners(nothing, nothing)) > 0
