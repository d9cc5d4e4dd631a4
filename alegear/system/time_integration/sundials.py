"""Integration of ordinary differential equations with events by CVODE of SUNDIALS (through scikit-sundae).

Variable order and step, by backward differences or the formulas of Adams: for systems that are small, and whose
right-hand side is smooth between events. Events are sign changes of root functions, found to some units of round-off of
the time (Hindmarsh et al. 2005, ACM Trans. Math. Softw. 31, 363-396). After each event, and after a stop at which
something jumps, the integration starts anew: what the right-hand side was before says nothing of what it is after.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from alegear.arrays import Array, Indices
from alegear.errors import NonConvergence
from alegear.system.time_integration.second_order_system import powers_of_two

logger = logging.getLogger(__name__)


#: Steps without an event between two stops after which nothing moves on.
MOST_STEPS = 2_000_000
#: Environment variable that names the file for warnings of SUNDIALS, read where a solver is set up; else the terminal.
WARNINGS_FILE = "SUNLOGGER_WARNING_FILENAME"
SUCCESS, AT_STOP, ROOTS, TOO_MUCH_WORK = 0, 1, 2, -1
#: A root function that is exactly zero has this value: CVODE does not watch one that begins at zero until it has left
#: it, to whichever side, and complains of one that stays. Its product with a value of size 1e-200 is not yet zero.
JUST_INSIDE = 1e-100


#: Steps that are handed over together, at most.
BLOCK = 512

#: Sees ends of steps one after the other: times (m + 1,), rising, and states (m + 1, size), the beginning first.
OnSteps = Callable[[Array, Array], None]
#: Writes the derivatives of f by y (size, size) at a time and a state.
Tangent = Callable[[float, Array, Array], None]


class Ode(Protocol):
    """What is integrated between events: dy/dt = f(t, y), with root functions that are positive until an event."""

    @property
    def key(self) -> object:
        """The same as long as size and meaning of y are."""

    @property
    def size(self) -> int:
        """Length of y."""

    @property
    def n_roots(self) -> int:
        """Number of root functions."""

    @property
    def absolute(self) -> Array:
        """Size of each y that matters, shape (size,): tolerances are relative to it where y is smaller."""

    @property
    def tangent(self) -> Tangent | None:
        """Derivatives of f; None: CVODE takes differences of its own."""

    def rhs(self, t: float, y: Array, rates: Array) -> None:
        """Write f."""

    def roots(self, t: float, y: Array, values: Array) -> None:
        """Write the root functions."""


class OdeEnd(NamedTuple):
    """Where an integration has come to.

    Attributes
    ----------
    t : float [s]
    y : shape (size,)
    roots : shape (n_roots,), optional
        At an event: not 0 where a root function has come to zero.
    """

    t: float
    y: Array
    roots: Indices | None


@dataclass(kw_only=True, eq=False)
class OdeCount:
    """What an integration has cost so far."""

    steps: int = 0
    restarts: int = 0


class Messages(io.TextIOBase):
    """What is printed while CVODE works: its own messages go to the log, all else where it was to go.

    scikit-sundae prints what it answers with an error code as well, of which the exception tells.
    """

    def __init__(self, out: Any) -> None:
        self.out, self._ends = out, False

    def write(self, text: str) -> int:
        """Sort out what SUNDIALS says: a line "[function, Error: code] text" after an empty one."""
        if text.startswith("\n[") and ", Error: " in text:
            logger.debug("SUNDIALS: %s", text.strip())
            self._ends = True
        elif self._ends and text == "\n":  # that print() puts after it
            self._ends = False
        elif self.out is not None:
            self.out.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush what lies below."""
        if self.out is not None:
            self.out.flush()


@contextmanager
def warnings_to(file: str) -> Iterator[None]:
    """Send warnings of solvers that are set up in here to a file, unless the environment names one."""
    if WARNINGS_FILE in os.environ:
        yield
        return
    os.environ[WARNINGS_FILE] = file
    try:
        yield
    finally:
        del os.environ[WARNINGS_FILE]


class Cvode:
    """CVODE for one :class:`Ode` after the other.

    Parameters
    ----------
    tolerance : float
        Relative error of a step, and of what is small relative to ``absolute``.
    longest : float [s]
        Longest step.
    stiff : bool
        Backward differences, which damp what is fast; else the formulas of Adams, which take fewer steps.
    """

    def __init__(self, *, tolerance: float, longest: float, stiff: bool = True) -> None:
        self.tolerance, self.longest, self.stiff = tolerance, longest, stiff
        # CVODE has times and states over powers of two of their typical size: seconds would choose pivots of its matrix
        self.time_unit = float(powers_of_two(np.array([longest]))[0])
        self.count = OdeCount()
        self._solvers: dict[object, tuple[Any, _Watch]] = {}

    def _solver(self, ode: Ode) -> tuple[Any, _Watch]:
        if ode.key in self._solvers:
            return self._solvers[ode.key]
        from sksundae.cvode import CVODE  # here, because it takes long to import

        time_unit, units, z = self.time_unit, powers_of_two(ode.absolute), np.empty(ode.size)
        of_rates = time_unit / units
        of_tangent = np.outer(of_rates, units)

        def rates_of(t: float, y: Array, rates: Array) -> None:
            ode.rhs(t * time_unit, np.multiply(y, units, z), rates)
            np.multiply(rates, of_rates, rates)

        def tangent(t: float, y: Array, f: Array, matrix: Array) -> None:
            assert ode.tangent is not None
            ode.tangent(t * time_unit, y * units, matrix)
            np.multiply(matrix, of_tangent, matrix)

        watch = _Watch(ode, self.count, time_unit, units)
        options: dict[str, Any] = {} if ode.tangent is None else {"jacfn": tangent}
        solver = CVODE(
            rates_of,
            method="BDF" if self.stiff else "Adams",
            rtol=self.tolerance,
            atol=self.tolerance * ode.absolute / units,
            max_step=self.longest / time_unit,
            max_num_steps=MOST_STEPS,
            eventsfn=watch.function,
            num_events=max(ode.n_roots, 1),
            **options,
        )
        self._solvers[ode.key] = solver, watch
        return solver, watch

    def run(self, ode: Ode, t: float, y: Array, stop: float, on_steps: OnSteps, *, go_on: bool = False) -> OdeEnd:
        """Integrate from (t, y) to a stop or to the first event.

        Parameters
        ----------
        ode : Ode
        t : float [s], y : shape (size,)
        stop : float [s]
            Met to the last digit.
        on_steps : callable
            Sees every step: not one by one, but before this returns, or raises what went wrong after them.
        go_on : bool
            From where the last call of the same system ended: nothing has changed, or the rates are only bent, which
            the control of errors sees. Else it starts anew.

        Raises
        ------
        NonConvergence
        """
        solver, watch = self._solver(ode)
        if not go_on:
            with warnings_to(os.devnull):
                solver.init_step(t / self.time_unit, y / watch.units)
            self.count.restarts += 1
        watch.begin(t, y, on_steps)
        try:
            with redirect_stdout(Messages(sys.stdout)):
                response = solver.step(stop / self.time_unit, tstop=stop / self.time_unit)
        except BaseException:  # whatever a function of the user raises, and an interrupt
            watch.stop_before_the_last()
            raise
        if response.status in (SUCCESS, AT_STOP, ROOTS):
            events = response.i_events if response.status == ROOTS else None
            return watch.end(float(response.t) * self.time_unit, response.y * watch.units, events)
        watch.stop_before_the_last()
        if response.status == TOO_MUCH_WORK:
            said, remedy = f"{MOST_STEPS} steps", "raise tolerance, or lower what vibrates far faster than the rest"
        else:
            said = f"CVODE: {response.message}"
            remedy = "raise tolerance, or look for stiffness or damping that is far too large"
        raise NonConvergence(f"t = {response.t * self.time_unit:.6g} s, {said}", np.inf, self.tolerance, remedy)


class _Watch:
    """Root functions of a system as CVODE calls them, and by these calls its steps.

    CVODE works in its own loop up to a stop or an event: to come back from there after each step takes longer than a
    step. It evaluates the root functions at the end of every step, at rising times; where one of them has changed its
    sign it goes on at times before that end, until it has the event, and comes back. So the end of a step is known to
    be one when the next step ends.
    """

    def __init__(self, ode: Ode, count: OdeCount, time_unit: float, units: Array) -> None:
        self.ode, self.count, self.time_unit, self.units = ode, count, time_unit, units
        self.function = self._root_functions()
        self._on_steps: OnSteps = lambda t, y: None
        self._t, self._y = np.empty(BLOCK + 1), np.empty((BLOCK + 1, ode.size))
        self._last, self._n = 0.0, 0  # the last end, and where it stands

    def _root_functions(self) -> Any:
        """The root functions; one that stays positive where there are none."""
        n, roots, time_unit, units = self.ode.n_roots, self.ode.roots, self.time_unit, self.units
        z = np.empty(self.ode.size)

        def function(t: float, y: Array, values: Array) -> None:
            t, y = t * time_unit, np.multiply(y, units, z)
            if t > self._last:
                self._step_ends(t, y)
            if not n:
                values[0] = 1.0
                return
            roots(t, y, values)
            if np.count_nonzero(values) < n:  # far faster than all() of few values
                values[values == 0.0] = JUST_INSIDE

        function.terminal, function.direction = [True] * max(n, 1), [-1] * max(n, 1)  # type: ignore[attr-defined]
        return function

    def begin(self, t: float, y: Array, on_steps: OnSteps) -> None:
        """Start from (t, y)."""
        self._on_steps = on_steps
        self._last, self._n = t, 0
        self._t[0], self._y[0] = t, y

    def _step_ends(self, t: float, y: Array) -> None:
        if self._n == BLOCK:
            self._hand_over(BLOCK - 1)
        self._n += 1
        self._last = self._t[self._n] = t
        self._y[self._n] = y

    def _hand_over(self, last: int) -> None:
        """Hand the steps over up to the end that stands there; those after it stay."""
        if last > 0:
            self.count.steps += last
            self._on_steps(self._t[: last + 1].copy(), self._y[: last + 1].copy())
        self._n -= last
        self._t[: self._n + 1], self._y[: self._n + 1] = (
            self._t[last : last + self._n + 1],
            self._y[last : last + self._n + 1],
        )

    def stop_before_the_last(self) -> None:
        """Hand over what is known to be steps."""
        self._hand_over(max(self._n - 1, 0))

    def end(self, t: float, y: Array, events: Any) -> OdeEnd:
        """Take the last step, which ends at (t, y), and the list of all events if it ends at one."""
        if self._last >= t and self._n > 0:
            self._n -= 1
        self._step_ends(t, y)
        self._hand_over(self._n)
        if events is None:
            return OdeEnd(t, y, None)
        roots = np.array(events[-1], dtype=np.int64)
        for kept in ("_i", "_t", "_y"):  # scikit-sundae keeps all events and copies them at every call
            getattr(self.function, kept, []).clear()
        return OdeEnd(t, y, roots)


def stops_of(times: Iterable[float], begin: float, end: float) -> list[float]:
    """Rising times after `begin`, `end` as the last."""
    return [*sorted({float(t) for t in times if begin < t < end}), end]
