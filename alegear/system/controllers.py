"""Sampled controllers: they look at bodies at fixed intervals, remember, and set inputs.

Between two samples the motion goes on with what was set; a sample is a stop of the integration, so that it sees the
motion itself and not an interpolation. What a controller remembers belongs to a run, and is handed to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from alegear.errors import AnalysisFailure, Fault
from alegear.limits import Limits, check_function, check_type, described
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.inputs import Inputs
from alegear.system.machine_part import MachinePart
from alegear.system.model import ControllerLink

#: Part of the duration of a motion by which times may differ that are meant to be the same.
TOGETHER = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Ramp(ShortRepr):
    """A value that an input reaches linearly over a time [s]; 0: it jumps."""

    value: float
    over: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """What a controller sees.

    Attributes
    ----------
    t : float [s]
    angle, speed : mapping of str to float [rad, rad/s]
        Of the places that it reads.
    inputs : mapping of str to float
        All inputs of the machine, as they are now.
    """

    t: float
    angle: Mapping[str, float]
    speed: Mapping[str, float]
    inputs: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class Controller(MachinePart):
    """A controller that acts at t_0, t_0 + T, t_0 + 2 T ...

    Several that act at one time do so in the order in which they were added; none sees before the next sample what
    another has set, except for inputs that jump.

    Parameters
    ----------
    name : str
    interval : float [s]
        Sampling interval T.
    reads : tuple of str
        Bodies whose angles and speeds it sees.
    sets : mapping of str to float
        Inputs, with their values before the first sample. One that no part takes is recorded in results all the same.
    function : callable (Sample, memory) -> mapping of str to float or Ramp
        Of a sample (``t`` [s], ``angle`` [rad] and ``speed`` [rad/s] of what it reads, all ``inputs``), the inputs that
        change from now on: in a straight line to a number at the next sample, or as a :class:`Ramp` says. An input
        that is not named continues as before.
    memory : callable () -> object
        Makes what the controller remembers, at the start of each run; the function changes it.

    Raises
    ------
    Fault

    Examples
    --------
    >>> def hold(now, memory):
    ...     error = 100.0 - now.speed["motor"]
    ...     memory["sum"] += 0.01 * error
    ...     return {"torque": 2.0 * error + 5.0 * memory["sum"]}
    >>> governor = Controller(
    ...     name="governor",
    ...     interval=0.01,
    ...     reads=("motor",),
    ...     sets={"torque": 0.0},
    ...     function=hold,
    ...     memory=lambda: {"sum": 0.0},
    ... )
    """

    name: str
    interval: Annotated[
        float, Limits(quantity="interval between samples", key="interval", unit="s", least=0.0, most=1e9, above=True)
    ]
    sets: Mapping[str, float]
    function: Callable[..., Mapping[str, float | Ramp]]
    reads: tuple[str, ...] = ()
    memory: Callable[[], object] = dict

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_parameters(self)
        if isinstance(self.reads, str) or not all(isinstance(one, str) for one in self.reads):
            raise Fault(f"bodies that {self.name} reads", described(self.reads), "names", "put them in brackets")
        object.__setattr__(self, "reads", tuple(self.reads))
        if not isinstance(self.sets, Mapping) or not self.sets:
            remedy = "name inputs with their values at the start"
            raise Fault(f"inputs that {self.name} sets", described(self.sets), "one or more", remedy)
        for one, value in self.sets.items():
            if not _is_number(value):
                limit = "a finite number"
                raise Fault(f"input {one} of {self.name} at the start", described(value), limit, "correct it")

        check_function(self.function, f"function of controller {self.name}", ("sample", "memory"))
        if self.memory is not dict:
            check_function(self.memory, f"memory of controller {self.name}", ())

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the controller with the coordinates that it reads."""
        builder.controller(self.name, self, self.reads, self.sets)


class Controllers:
    """The controllers of a system in a run.

    Parameters
    ----------
    links : tuple of ControllerLink
    inputs : Inputs
    begin, end : float [s]

    Raises
    ------
    Fault
        For an interval that is longer than the run.
    """

    def __init__(self, links: tuple[ControllerLink, ...], inputs: Inputs, begin: float, end: float) -> None:
        self.links, self.inputs, self.begin, self.end = links, inputs, begin, end
        #: Times that are so close [s] are the same.
        self.together = TOGETHER * (end - begin)
        self._memories = [link.controller.memory() for link in links]
        self._taken = [0] * len(links)  # samples
        for link in links:
            if link.controller.interval > end - begin:
                what = f"interval between samples of controller {link.name} [s]"
                raise Fault(what, link.controller.interval, f"at most {end - begin:g}, the whole time", "shorten it")

    @property
    def next_sample(self) -> float:
        """Time of the next sample [s]; infinite after the end."""
        due = min((self._due(i) for i in range(len(self.links))), default=math.inf)
        return due if due < self.end - self.together else math.inf

    def sample(self, t: float, x: Array, v: Array) -> None:
        """Let those act whose time has come; inputs are set.

        Raises
        ------
        AnalysisFailure
            For what is no number, or no input of the controller, or a value that a part refuses.
        """
        for i, link in enumerate(self.links):
            if self._due(i) > t + self.together:
                continue
            self._taken[i] += 1
            seen = Sample(
                t=t,
                angle={place: float(x[at]) for place, at in link.reads.items()},
                speed={place: float(v[at]) for place, at in link.reads.items()},
                inputs={name: self.inputs.value(j, t) for j, name in enumerate(self.inputs.names)},
            )
            response = link.controller.function(seen, self._memories[i])
            if response is not None and not isinstance(response, Mapping):
                limit = "inputs and their values, {name: value}, or None"
                raise _failure(link, t, f" returns {described(response)}: must be {limit}; correct the function")
            for name, given in ({} if response is None else response).items():
                if isinstance(given, Ramp):
                    self._check(link, name, given.over, "a time in s, not negative", t, least=0.0)
                    end = t + float(given.over)
                else:
                    end = self._due(i)
                self._set(link, name, given.value if isinstance(given, Ramp) else given, t, end)

    def _set(self, link: ControllerLink, name: str, value: float, t: float, end: float) -> None:
        if name not in link.controller.sets:
            known = ", ".join(link.controller.sets)
            raise _failure(link, t, f' sets "{name}": must be one of {known}; name it in `sets`')
        self._check(link, name, value, "a finite number", t)
        i = self.inputs.names.index(name)
        try:
            self.inputs.check(i, float(value))
        except Fault as fault:
            raise _failure(link, t, f": {fault}") from fault
        self.inputs.set(i, t, float(value), end)

    @staticmethod
    def _check(link: ControllerLink, name: str, value: float, limit: str, t: float, least: float = -math.inf) -> None:
        if not _is_number(value) or float(value) < least:
            raise _failure(link, t, f": {name} = {described(value)}: must be {limit}; correct the function")

    def _due(self, i: int) -> float:
        return self.begin + self._taken[i] * self.links[i].controller.interval


def _failure(link: ControllerLink, t: float, what: str) -> AnalysisFailure:
    return AnalysisFailure(f"controller {link.name} at t = {t:.6g} s{what}")


def _is_number(value: object) -> bool:
    try:
        return not isinstance(value, bool | str | bytes) and math.isfinite(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
