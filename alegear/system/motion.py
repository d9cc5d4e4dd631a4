"""A system in time: the :class:`~alegear.dynamics.system.System` of its free coordinates, led ones taken out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from alegear.dynamics.system import WAY, ForceEvaluation, State, System
from alegear.errors import Fault
from alegear.system.checks import check_inertia
from alegear.system.coordinates import Array
from alegear.system.model import SystemData, SystemForces, SystemModel, evaluate, mass_matrix, mass_tangent


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """All coordinates of a system at one instant, led ones included.

    Parameters
    ----------
    t : float [s]
    x, v, a : shape (n,)
    forces : SystemForces
    multipliers : shape (n_constraints,)
    """

    t: float
    x: Array
    v: Array
    a: Array
    forces: SystemForces
    multipliers: Array


class SystemMotion(System):
    r"""A system model as the schemes of :mod:`alegear.dynamics` step it.

    With f the free and l the led coordinates,

    .. math:: M_{ff} \ddot q + W_f^T \lambda = Q_f(t, x, v) - M_{fl} \ddot x_l(t), \qquad W_f q = c(t) - W_l x_l(t)

    so that what is led acts by its inertia, its springs and its dampers.

    Parameters
    ----------
    model : SystemModel
    data : SystemData, optional
        Default: new.

    Raises
    ------
    Fault
        If a free coordinate has no inertia, or there is none.
    """

    def __init__(self, model: SystemModel, data: SystemData | None = None) -> None:
        check_inertia(model)
        if not len(model.free):
            raise Fault("free coordinates", 0, "at least 1", "lead fewer of them")
        self.model, self.data = model, data or model.new_data()
        self._free, self._led = model.free, model.led_indices
        self._both = np.ix_(self._free, self._free)
        self._coupling = model.mass[np.ix_(self._free, self._led)]
        self._mass = np.ascontiguousarray(model.mass[self._both])
        self._changes = any(hasattr(element, "mass") for element in model.elements)
        self._rows = np.ascontiguousarray(model.constraint_rows[:, self._free])
        self.n_constraints = len(self._rows)
        self._angle = np.zeros(len(self._led))  # of the last evaluation: a mass matrix is asked for after it

    # ----------------------------------------------------------------- System
    @property
    def n_dof(self) -> int:
        return len(self._free)

    @property
    def displacement_scale(self) -> Array:
        return self.model.displacement_scale[self._free]

    @property
    def force_scale(self) -> Array:
        return self.model.force_scale[self._free]

    def name_of_row(self, row: int) -> str:
        if row < self.n_dof:
            return self.model.coordinates[self._free[row]].in_words
        return self.model.constraints[row - self.n_dof].name

    def mass_matrix(self, q: Array) -> Array:
        if not self._changes:
            return self._mass
        return mass_matrix(self.model, self.data, self._whole(q, self._angle))[self._both]

    def acceleration_tangent(self, q: Array, vdot: Array) -> Array | None:
        """Derivative of M(q) vdot; that of what led coordinates add is in the force."""
        if not self._changes:
            return None
        a = self._whole(vdot, np.zeros(len(self._led)))
        return mass_tangent(self.model, self.data, self._whole(q, self._angle), a)[self._both]

    def begin_step(self, t: float, q: Array, v: Array, h: float) -> None:
        x, rates, _ = self.whole(t, q, v)
        for element, data in zip(self.model.elements, self.data.elements, strict=True):
            at = element.coordinates
            element.begin_step(t, x[at], rates[at], h, data)

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        x, rates, led = self.whole(t, q, v)
        forces = evaluate(self.model, self.data, t, x, rates)
        Q, by_x = forces.Q[self._free], forces.by_x[self._both]
        if len(self._led) and self._changes:
            a = self._whole(np.zeros(self.n_dof), led)
            Q = Q - (mass_matrix(self.model, self.data, x) @ a)[self._free]
            by_x = by_x - mass_tangent(self.model, self.data, x, a)[self._both]
        elif len(self._led):
            Q = Q - self._coupling @ led
        return ForceEvaluation(
            Q=Q,
            dQ_dq=by_x,
            dQ_dv=forces.by_v[self._both],
            payload=(x, rates, forces),
            failure=forces.failure,
        )

    def accept(self, state: State) -> None:
        x, v, forces = _answer(state)
        for element, data, own in zip(self.model.elements, self.data.elements, forces.elements, strict=True):
            at = element.coordinates
            element.accept(state.t, x[at], v[at], own, data)

    # ------------------------------------------------------------ constraints
    @property
    def misfit_scale(self) -> Array:
        """Size of a misfit of the constraints that matters, shape (n_constraints,)."""
        return np.abs(self._rows) @ self.displacement_scale

    def misfit(self, t: float, q: Array) -> tuple[Array, Array]:
        """g (n_constraints,) and its derivative G (n_constraints, n_dof), which is constant."""
        angle = self.model.led_motion(t)[0]
        return self.model.constraint_rows @ self._whole(q, angle) - self.model.constraint_values(t), self._rows

    def misfit_rates(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """dg/dt, and what of d2g/dt2 is not G dv/dt, exact in what is led: differences would see its run-up begin."""
        _, rates, led = self.whole(t, q, v)
        W, c_rate = self.model.constraint_rows, self.model.constraint_rates
        curved = (c_rate(t + WAY) - c_rate(t - WAY)) / (2.0 * WAY)
        return W @ rates - c_rate(t), W[:, self._led] @ led - curved

    # -------------------------------------------------------- all coordinates
    def whole(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Coordinates (n,), velocities (n,) and the accelerations of the led ones, (n_led,)."""
        angle, speed, acceleration = self.model.led_motion(t)
        self._angle = angle
        return self._whole(q, angle), self._whole(v, speed), acceleration

    def motion(self, state: State) -> Motion:
        """All coordinates of a state, with the forces found there."""
        x, v, forces = _answer(state)
        a = self._whole(state.vdot, self.model.led_motion(state.t)[2])
        return Motion(t=state.t, x=x, v=v, a=a, forces=forces, multipliers=state.multipliers)

    def evaluated(self, state: State) -> State:
        """The state with the forces found there: one from a checkpoint has none."""
        if state.force.payload is not None:
            return state
        self.begin_step(state.t, state.q, state.v, state.h)
        return replace(state, force=self.force(state.t, state.q, state.v))

    def free_of(self, x: Array) -> Array:
        """The free coordinates of all (n,)."""
        free: Array = x[self._free]
        return free

    def _whole(self, free: Array, led: Array) -> Array:
        whole = np.empty(self.model.n)
        whole[self._free], whole[self._led] = free, led
        return whole


def _answer(state: State) -> tuple[Array, Array, SystemForces]:
    """What :meth:`SystemMotion.force` left."""
    return cast("tuple[Array, Array, SystemForces]", state.force.payload)
