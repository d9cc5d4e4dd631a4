"""A system whose parts only turn as equations between events, in compiled code where its parts are known there.

A nonlinear element or a friction law says what it is to compiled code by a method ``ode_terms()``
(:mod:`~alegear.system.ode_terms`). One that does not, and signals that are functions, are evaluated in
Python at every call: everything else stays compiled. Which modes hold after an event is chosen by
:class:`~alegear.system.ode.SystemOde` as ever.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from alegear.drivetrain.rotational import ode_kernels as kernels
from alegear.drivetrain.rotational.profiles import Sine
from alegear.errors import AnalysisFailure, NonConvergence
from alegear.kernels.sparse_rows_kernels import SparseRows, sparse_rows
from alegear.kernels.structs import handle_of
from alegear.system.complementarity import NDArrayBool, room_for
from alegear.system.coordinates import Array, Indices
from alegear.system.element import Element
from alegear.system.inputs import InputOfRun
from alegear.system.instants import Instants
from alegear.system.model import SystemData, SystemModel
from alegear.system.ode import SystemOde
from alegear.system.ode_terms import cubic_numbers
from alegear.system.profiles import PiecewiseCubic
from alegear.system.time_integration.sundials import Tangent

#: Step of differences over the size of a coordinate: small against the deformation of teeth, large against round-off.
DIFFERENCE = 1e-9
#: What elements and laws call their kinds.
ELEMENTS = {
    "spring": kernels.SPRING,
    "resistance": kernels.RESISTANCE,
    "mesh": kernels.MESH,
    "torque map": kernels.TORQUE_MAP,
    "converter": kernels.CONVERTER,
    "varying ratio": kernels.VARYING_RATIO,
}
LAWS = {"over speed": kernels.OVER_SPEED, "losses": kernels.LOSSES, "mesh friction": kernels.MESH_FRICTION}


class CompiledOde(SystemOde):
    """The same as :class:`~alegear.system.ode.SystemOde`, some hundred times faster.

    Parameters
    ----------
    model : SystemModel
    data : SystemData, optional
    duration : float [s]
    """

    def __init__(self, model: SystemModel, data: SystemData | None = None, *, duration: float = 5.0) -> None:
        self._compiled: kernels.OdeModel | None = None
        self._handle: Any = None
        super().__init__(model, data, duration=duration)
        self._left = lru_cache(maxsize=256)(self._coordinates_left)
        model = self.model  # with the inputs of the run
        made = _Numbers(self)
        self._compiled, self._python = made.model(), made.python
        self._in_python = self._python.any
        n, k, m = model.n, len(model.switches), len(model.constraints)
        self._outside = kernels.OdeOutside(
            signals=np.zeros(max(len(made.signals), 1)),
            force=np.zeros(n),
            lines=np.zeros((k, 2, 2, 2)),
            input_times=self.data.inputs.times,
            input_values=self.data.inputs.values,
            input_count=self.data.inputs.count,
        )
        n_prescribed, n_elements = len(model.prescribed), len(model.elements)
        A, right, kept, slopes = room_for(k)
        self._now = kernels.OdeNow(
            x=np.zeros(n), v=np.zeros(n), a=np.zeros(n), Q=np.zeros(n), r=np.zeros(k), lines=np.zeros((k, 2, 2, 2)),
            free=np.zeros(k), mu_0=np.zeros(m), lam=np.zeros(k), mu=np.zeros(m), prescribed=np.zeros(n_prescribed),
            prescribed_rate=np.zeros(n_prescribed),
            prescribed_acceleration=np.zeros(n_prescribed), strain=np.zeros(len(model.strain_rows)),
            loads=np.zeros(len(model.loads)), element_force=np.zeros((n_elements, 2)),
            energies=np.zeros((n_elements, kernels.N_ENERGIES)), A=A, right=right, kept=kept,
            slopes=slopes,
        )  # fmt: skip
        self._lay_out()

    def _lay_out(self) -> None:
        """Give kernels the coordinates that are left now."""
        self._state = self._state_now()
        assert self._compiled is not None
        system = kernels.OdeSystem(model=self._compiled, state=self._state, outside=self._outside, now=self._now)
        self._handle, self._alive = handle_of(system, kernels.SYSTEM, kernels.copied, known=self._handle is not None)

    def _choose(self, t: float, x: Array, v: Array, rates: Array, resting: NDArrayBool, guess: Indices) -> Array:
        y = super()._choose(t, x, v, rates, resting, guess)
        if self._compiled is not None:
            self._lay_out()
        return y

    def _state_now(self) -> kernels.OdeState:
        left = self._left(self.held.stuck)
        return left._replace(
            x_e=np.array(self._x_e), prescribed_e=np.array(self._prescribed_e), direction=self.direction, line=self.line
        )

    def _coordinates_left(self, stuck: tuple[int, ...]) -> kernels.OdeState:
        """What follows from the switches that are stuck; the rest of the state is still to be put in."""
        held, k = self._take(stuck), len(self.model.switches)
        basis = held.basis
        U, V = self.mixed.combinations(stuck)
        return kernels.OdeState(
            f=basis.f,
            T=sparse_rows(basis.T),
            by_prescribed=np.ascontiguousarray(basis.by_prescribed),
            x_e=np.empty(0),
            prescribed_e=np.empty(0),
            independent=basis.independent.astype(np.int64),
            rates=sparse_rows(held.rates),
            direction=np.empty(0, dtype=np.int64),
            line=np.empty(0, dtype=np.int64),
            prescribed=np.isin(np.arange(k), held.prescribed),
            still=np.isin(np.arange(k), held.still),
            U=np.ascontiguousarray(U),
            V=np.ascontiguousarray(V),
        )

    # ------------------------------------------------------------------- Ode
    def rhs(self, t: float, y: Array, rates: Array) -> None:
        """Velocities and accelerations of the independent coordinates."""
        if t >= self.until:
            t = self._before(t)
        if self._in_python:
            self._evaluate_outside(t, y)
        if kernels.right_side(self._handle, t, y, rates) != kernels.SOLVED:
            self._complain(t)

    def rates_at(self, t: Array, y: Array) -> Array:
        """The right-hand side at times (m,) and states (m, size) between the last event and the next, (m, size)."""
        if self._in_python:
            return super().rates_at(t, y)
        rates = np.empty_like(y)
        times = np.where(t < self.until, t, np.nextafter(self.until, -np.inf))
        if kernels.right_sides(self._handle, times, y, rates) != kernels.SOLVED:
            self._complain(float(t[0]))
        return rates

    @property
    def tangent(self) -> Tangent | None:
        """Derivatives of the right-hand side; None where a part of it is in Python, which takes too long for them."""
        return None if self._in_python else self._write_tangent

    def _write_tangent(self, t: float, y: Array, matrix: Array) -> None:
        if not self._state.f:
            matrix[:] = 0.0
            return
        room = np.empty((2, len(y)))
        code = kernels.tangent(
            self._handle, self._before(t), y, DIFFERENCE * self.absolute, room[0], room[1], matrix,
        )  # fmt: skip
        if code != kernels.SOLVED:
            self._complain(t)

    def roots(self, t: float, y: Array, values: Array) -> None:
        """How far each switch is from leaving its mode: positive inside."""
        if t >= self.until:
            t = self._before(t)
        if self._in_python:
            self._evaluate_outside(t, y)
        code = kernels.root_functions(self._handle, self._sides, t, y, values)
        for element, at in self._python.corners:
            own, x, v = element.coordinates, self._now.x, self._now.v
            found = element.corners(x[own], v[own])
            first = 2 * len(self.model.switches) + at
            values[first : first + len(found)] = self._sides[at : at + len(found)] * found
        if code != kernels.SOLVED:
            self._complain(t)

    def instants(self, t: Array, y: Array) -> Instants:
        """All of the system at times (m,) and states (m, size) between the last event and the next."""
        if self._in_python:
            return super().instants(t, y)
        model, times = self.model, np.asarray(t, dtype=np.float64)
        times = np.where(times < self.until, times, np.nextafter(self.until, -np.inf))
        p, n, k, m = len(times), model.n, len(model.switches), len(model.constraints)
        n_elements, n_prescribed = len(model.elements), len(model.prescribed)
        x, v, a, mu, lam, r = (np.empty((p, size)) for size in (n, n, n, m, k, k))
        modes, loads = np.empty((p, k), dtype=np.int64), np.empty((p, len(model.loads)))
        forces, energies = np.empty((p, n_elements, 2)), np.empty((p, n_elements, kernels.N_ENERGIES))
        state = np.ascontiguousarray(y, dtype=np.float64)
        code = kernels.at_times(
            self._handle, times, state,
            x, v, a, mu, lam, r, modes, loads, forces, energies,
        )  # fmt: skip
        if code != kernels.SOLVED:
            self._complain(float(times[0]))
        element_forces = []
        for i, element in enumerate(model.elements):
            on = np.zeros((p, n))
            for j, row in enumerate(self._python.rows[i]):
                for coordinate, weight in row.items():
                    on[:, coordinate] -= weight * forces[:, i, j]
            element_forces.append(on[:, element.coordinates])
        now = Instants(
            t=np.asarray(t, dtype=np.float64), x=x, v=v, a=a, mu=mu, lam=lam, rates=r, modes=modes, loads=loads,
            prescribed=np.zeros((p, n_prescribed)), element_forces=tuple(element_forces),
            stored=energies[:, :, 0], damped=energies[:, :, 1], supplied=energies[:, :, 2],
        )  # fmt: skip
        if n_prescribed:
            now.prescribed[:] = self._prescribed_forces(now)
        return now

    def _prescribed_forces(self, now: Instants) -> Array:
        """Forces that prescribe coordinates: residual of the balance there, shape (m, n_prescribed)."""
        model = self.model
        Q = np.tile(model.constant_force, (len(now), 1))
        Q -= (now.x @ model.stress_rows.T + now.v @ model.damping_rows.T) @ model.strain_rows
        for number, load in enumerate(model.loads):
            Q += now.loads[:, [number]] * load.direction
        for element, force in zip(model.elements, now.element_forces, strict=True):
            Q[:, element.coordinates] += force
        held_back = now.a @ self.mixed.M.T - Q + now.mu @ model.constraint_rows + now.lam @ self.mixed.F.T
        forces: Array = held_back[:, model.prescribed_indices]
        return forces

    # ---------------------------------------------------------------- helpers
    def _evaluate_outside(self, t: float, y: Array) -> None:
        """Evaluate in Python what compiled code does not know."""
        x, v = self.full(t, y)
        out = self._outside
        for number, given, name in self._python.signals:
            out.signals[number] = value = given.value(t)
            if not math.isfinite(value):
                raise AnalysisFailure(
                    f"function of time of {name} at t = {t:.6g} s = {value}: must be finite; correct it"
                )
        out.force[:] = 0.0
        for i in self._python.elements:
            element, data = self.model.elements[i], self.data.elements[i]
            at = element.coordinates
            forces = element.evaluate(t, x[at], v[at], data)
            if forces.failure is not None:
                raise NonConvergence(f"t = {t:.6g} s, {element.name}", np.inf, 0.0, forces.failure)
            if not np.isfinite(forces.Q).all():
                what, remedy = f"forces of {element.name} at t = {t:.6g} s", "correct the element"
                raise AnalysisFailure(f"{what} = {forces.Q}: must be finite; {remedy}")
            out.force[at] += forces.Q
        if self._python.laws:
            rates = np.maximum(self.direction * self.rates(t, y), 0.0)
            for i in self._python.laws:
                law, stuck = self.model.switches[i].law, self.direction[i] == 0
                out.lines[i] = law.lines_at_rest(t, x, v) if stuck else law.lines(t, float(rates[i]), x, v)

    def _complain(self, t: float) -> None:
        names = ", ".join(s.name for s in self.model.switches if s.follows is not None)
        remedy = f"{names} cannot move as their losses are: lower them, or let the gear stick"
        raise NonConvergence(f"t = {t:.6g} s, friction under load", np.inf, 0.0, remedy)


@dataclass(kw_only=True, eq=False)
class _InPython:
    """What is evaluated in Python.

    Attributes
    ----------
    elements, laws : list of int
    signals : list of (int, signal, str)
        With the name of the first part that takes it.
    rows : list of rows of each element that compiled code knows
    corners : list of (element, int)
        Those with corners, and where these begin.
    """

    elements: list[int]
    laws: list[int]
    signals: list[tuple[int, Any, str]]
    rows: list[Sequence[Mapping[int, float]]]
    corners: list[tuple[Any, int]]

    @property
    def any(self) -> bool:
        """Whether there is anything."""
        return bool(self.elements or self.laws or self.signals)


class _Numbers:
    """Puts the numbers of a system together as compiled code reads them."""

    def __init__(self, ode: SystemOde) -> None:
        self.ode, self.system = ode, ode.model
        self.numbers: list[float] = []
        self.signals: list[tuple[int, int]] = []  # kind, begin
        self._known: dict[int, int] = {}
        self.python = _InPython(elements=[], laws=[], signals=[], rows=[], corners=[])

    def signal(self, given: Any, name: str) -> int:
        """Number of a signal that a part of a name takes."""
        if id(given) in self._known:
            return self._known[id(given)]
        number, at = len(self.signals), len(self.numbers)
        if isinstance(given, PiecewiseCubic):
            self.numbers += cubic_numbers(given)
            kind = kernels.CUBICS
        elif isinstance(given, Sine):
            self.numbers += [given.mean, given.amplitude, given.frequency, given.phase]
            kind = kernels.SINE
        elif isinstance(given, InputOfRun):
            kind, at = kernels.INPUT, given.number
        else:
            self.python.signals.append((number, given, name))
            kind = kernels.GIVEN
        self.signals.append((kind, at))
        self._known[id(given)] = number
        return number

    def model(self) -> kernels.OdeModel:
        """All of it."""
        system, mixed = self.system, self.ode.mixed
        loads = [self.signal(load.profile, load.name) for load in system.loads]
        prescribed = [self.signal(one.motion.speed_ramp, one.name) for one in system.prescribed]
        element_kind, element_at, element_first, element_signal, corner_at = [], [], [], [], []
        n_corners = 0
        rows: list[Mapping[int, float]] = []
        begins: dict[str, int] = {}
        for i, element in enumerate(system.elements):
            terms = element.ode_terms()
            element_signal.append(
                -1 if terms is None or terms.signal is None else self.signal(terms.signal, element.name)
            )
            begins[element.name] = len(self.numbers)
            element_at.append(len(self.numbers))
            element_first.append(len(rows))
            count = _count_of_corners(element)
            corner_at.append(n_corners if count and terms is not None else -1)
            if count and terms is None:
                self.python.corners.append((element, n_corners))
            n_corners += count
            if terms is None:
                element_kind.append(kernels.IN_PYTHON)
                self.python.elements.append(i)
                self.python.rows.append(())
                continue
            element_kind.append(ELEMENTS[terms.kind])
            self.numbers += terms.numbers
            rows += list(terms.rows)
            self.python.rows.append(terms.rows)
        law_kind, law_at, law_signal, law_first = [], [], [], []
        law_rows: list[Mapping[int, float]] = []
        for i, switch in enumerate(system.switches):
            terms = switch.law.ode_terms()
            law_signal.append(-1 if terms is None or terms.signal is None else self.signal(terms.signal, switch.name))
            law_at.append(len(self.numbers))
            law_first.append(len(law_rows))
            if terms is None:
                law_kind.append(kernels.LAW_IN_PYTHON)
                self.python.laws.append(i)
                continue
            law_kind.append(LAWS[terms.kind])
            self.numbers += ([] if terms.element is None else [float(begins[terms.element])]) + list(terms.numbers)
            law_rows += list(terms.rows)
        n = system.n
        constraints = mixed.basis
        return kernels.OdeModel(
            n=n,
            B=sparse_rows(system.strain_rows),
            kB=sparse_rows(system.stress_rows),
            dB=sparse_rows(system.damping_rows),
            force=np.array(system.constant_force),
            signal_kind=_whole([kind for kind, _ in self.signals]),
            signal_at=_whole([at for _, at in self.signals]),
            load_signal=_whole(loads),
            load_direction=sparse_rows(np.array([load.direction for load in system.loads]).reshape(-1, n)),
            prescribed_index=system.prescribed_indices,
            prescribed_signal=_whole(prescribed),
            prescribed_start=np.array([one.motion.start_angle for one in system.prescribed], dtype=np.float64),
            prescribed_row=np.ascontiguousarray(constraints.by_prescribed),
            M=sparse_rows(mixed.M),
            P=sparse_rows(mixed.P),
            R=sparse_rows(mixed.R),
            W=sparse_rows(mixed.W),
            PF=sparse_rows((mixed.P @ mixed.F).T),
            D=mixed.D,
            E=mixed.E,
            follows=mixed.follows,
            peaks=np.array([one.law.peak for one in system.switches], dtype=np.float64),
            slack=self.ode.changes.slack,
            element_kind=_whole(element_kind),
            element_at=_whole(element_at),
            element_first=_whole(element_first),
            element_signal=_whole(element_signal),
            element_rows=_rows_of(rows, n),
            corner_at=_whole(corner_at),
            law_kind=_whole(law_kind),
            law_at=_whole(law_at),
            law_signal=_whole(law_signal),
            law_first=_whole(law_first),
            law_rows=_rows_of(law_rows, n),
            numbers=np.array([*self.numbers, 0.0]),
        )


def _count_of_corners(element: Element) -> int:
    """How many corners the force of an element has."""
    nothing = np.zeros(len(element.coordinates))
    return len(element.corners(nothing, nothing))


def _whole(numbers: Sequence[int]) -> Indices:
    return np.array(numbers, dtype=np.int64)


def _rows_of(rows: Sequence[Mapping[int, float]], n: int) -> SparseRows:
    matrix = np.zeros((len(rows), n))
    for i, row in enumerate(rows):
        for coordinate, weight in row.items():
            matrix[i, coordinate] += weight
    return sparse_rows(matrix)
