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
from numpy.typing import NDArray

from alegear.errors import NonConvergence

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]
Flags = NDArray[np.int64]

#: Steps without an event between two stops after which nothing moves on.
MOST_STEPS = 2_000_000
#: Environment variable that names the file for warnings of SUNDIALS, read where a solver is set up; else the terminal.
WARNINGS_FILE = "SUNLOGGER_WARNING_FILENAME"
SUCCESS, AT_STOP, ROOTS = 0, 1, 2
#: A root function that is exactly zero has this value: CVODE does not watch one that begins at zero until it has left
#: it, to whichever side, and complains of one that stays. Its product with a value of size 1e-200 is not yet zero.
JUST_INSIDE = 1e-100


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


class OdeStep(NamedTuple):
    """An accepted step, of which both ends are known.

    Attributes
    ----------
    t_0, t_1 : float [s]
    y_0, y_1 : shape (size,)
    roots : shape (n_roots,)
        Not 0 where a root function has come to zero at t_1.
    """

    t_0: float
    t_1: float
    y_0: Array
    y_1: Array
    roots: Flags


@dataclass(kw_only=True, eq=False)
class OdeCount:
    """What an integration has cost so far."""

    steps: int = 0
    evaluations: int = 0
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
        self.count = OdeCount()
        self._solvers: dict[object, Any] = {}
        self._watched: dict[object, Any] = {}

    def _solver(self, ode: Ode) -> Any:
        if ode.key in self._solvers:
            return self._solvers[ode.key]
        from sksundae.cvode import CVODE  # here, because it takes long to import

        def roots(t: float, y: Array, values: Array) -> None:
            ode.roots(t, y, values)
            if np.count_nonzero(values) < len(values):  # far faster than all() of few values
                values[values == 0.0] = JUST_INSIDE

        def tangent(t: float, y: Array, f: Array, matrix: Array) -> None:
            assert ode.tangent is not None
            ode.tangent(t, y, matrix)

        options: dict[str, Any] = {} if ode.tangent is None else {"jacfn": tangent}
        if ode.n_roots:
            roots.terminal, roots.direction = [True] * ode.n_roots, [-1] * ode.n_roots  # type: ignore[attr-defined]
            options |= {"eventsfn": roots, "num_events": ode.n_roots}
            self._watched[ode.key] = roots
        self._solvers[ode.key] = CVODE(
            ode.rhs,
            method="BDF" if self.stiff else "Adams",
            rtol=self.tolerance,
            atol=self.tolerance * ode.absolute,
            max_step=self.longest,
            max_num_steps=MOST_STEPS,
            **options,
        )
        return self._solvers[ode.key]

    def _found(self, ode: Ode, answer: Any) -> Flags:
        """Which root functions have come to zero; scikit-sundae keeps all events and copies them at every step."""
        roots: Flags = np.array(answer.i_events[-1], dtype=np.int64)
        for kept in ("_i", "_t", "_y"):
            getattr(self._watched[ode.key], kept, []).clear()
        return roots

    def run(
        self, ode: Ode, t: float, y: Array, stop: float, on_step: Callable[[OdeStep], None], *, go_on: bool = False
    ) -> OdeStep | None:
        """Integrate from (t, y) to a stop or to the first event; returns the step that ended at an event.

        Parameters
        ----------
        ode : Ode
        t : float [s], y : shape (size,)
        stop : float [s]
            Met to the last digit.
        on_step : callable
            Sees every step.
        go_on : bool
            From where the last call of the same system ended: nothing has changed, or the rates are only bent, which
            the control of errors sees. Else it starts anew.

        Raises
        ------
        NonConvergence
        """
        solver = self._solver(ode)
        if not go_on:
            with warnings_to(os.devnull):
                solver.init_step(t, y)
            self.count.restarts += 1
        y_0, nothing = np.array(y), np.zeros(ode.n_roots, dtype=np.int64)
        with redirect_stdout(Messages(sys.stdout)):
            for _ in range(MOST_STEPS):
                answer = solver.step(stop, method="onestep", tstop=stop)
                status = answer.status
                if status not in (SUCCESS, AT_STOP, ROOTS):
                    remedy = "raise tolerance, or look for stiffness or damping that is far too large"
                    raise NonConvergence(f"t = {t:.6g} s, CVODE: {answer.message}", np.inf, self.tolerance, remedy)
                t_1, y_1, found = float(answer.t), np.array(answer.y), status == ROOTS
                roots = self._found(ode, answer) if found else nothing
                step = OdeStep(t_0=t, t_1=t_1, y_0=y_0, y_1=y_1, roots=roots)
                self.count.steps += 1
                on_step(step)
                if found:
                    return step
                if t_1 >= stop:
                    return None
                t, y_0 = t_1, y_1
        remedy = "raise tolerance, or lower what vibrates far faster than the rest"
        raise NonConvergence(f"t = {t:.6g} s: {MOST_STEPS} steps", np.inf, self.tolerance, remedy)


def stops_of(times: Iterable[float], begin: float, end: float) -> list[float]:
    """Rising times after `begin`, `end` as the last."""
    return [*sorted({float(t) for t in times if begin < t < end}), end]
