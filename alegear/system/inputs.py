"""Inputs: values over time that are set while a motion is computed, by controllers.

An :class:`Input` is a name, in a system that does not change; its value belongs to a run. It goes in straight lines
from value to value, so that no torque jumps where nobody asks for it, and what it was stays known as long as the motion
is recorded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from alegear.arrays import Indices
from alegear.errors import Fault
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array
from alegear.system.time_signal import TimeSignal

#: Points of its way that an input keeps.
MOST_POINTS = 512


@dataclass(frozen=True, kw_only=True, eq=False)
class Input(ShortRepr, TimeSignal):
    """A value that a controller sets; wherever a part takes a signal.

    Parameters
    ----------
    name : str
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise Fault("name of an input", repr(self.name), "a word", "give it a name")

    def value(self, t: float) -> float:
        """Raise a Fault: it has a value in a run only.

        Raises
        ------
        Fault
            Always.
        """
        limit = "set by a controller, which acts in motions of torsional parts"
        raise Fault(f"input {self.name}", "no value", limit, "give the part a signal over time")


@dataclass(frozen=True, kw_only=True, eq=False)
class InputOfRun(TimeSignal):
    """An input with its value in a run, a signal like any other.

    Parameters
    ----------
    inputs : Inputs
    number : int
    """

    inputs: Inputs
    number: int

    @property
    def name(self) -> str:
        """Of the input."""
        return self.inputs.names[self.number]

    def value(self, t: float) -> float:
        """Value at t [s]; at a jump that after it."""
        return self.inputs.value(self.number, t)


def names_of_inputs(*signals: Any) -> tuple[str, ...]:
    """Names of those signals that are inputs, each once."""
    return tuple(dict.fromkeys(one.name for one in signals if isinstance(one, Input | InputOfRun)))


class Inputs:
    """What the inputs of a system are in a run: points of straight lines, as far back as they are kept.

    Parameters
    ----------
    start : mapping of str to float
        Names, with the values before anything is set.

    Attributes
    ----------
    names : tuple of str
    times, values : shape (m, MOST_POINTS)
        Of each the first `count` hold, rising; two points at one time are a jump. Before the first and after the last
        the value stays.
    count : shape (m,)
    """

    def __init__(self, start: Mapping[str, float]) -> None:
        self.names = tuple(start)
        m = len(self.names)
        self.times, self.values = np.zeros((m, MOST_POINTS)), np.zeros((m, MOST_POINTS))
        self.count: Indices = np.ones(m, dtype=np.int64)
        self.values[:, 0] = [start[name] for name in self.names]
        self._signals = tuple(InputOfRun(inputs=self, number=i) for i in range(m))
        self._demands: list[list[Callable[[float], None]]] = [[] for _ in range(m)]

    def __len__(self) -> int:
        return len(self.names)

    def signal(self, given: Any) -> Any:
        """What stands for a signal in the run: the value of an input, any other itself."""
        return self._signals[self.names.index(given.name)] if isinstance(given, Input) else given

    def demand(self, name: str, check: Callable[[float], None]) -> None:
        """Let a part refuse values of an input that it takes; it sees the one at the start now.

        Raises
        ------
        Fault
        """
        i = self.names.index(name)
        self._demands[i].append(check)
        check(float(self.values[i, 0]))

    def check(self, i: int, value: float) -> None:
        """Ask the parts that take input i whether it may be set to a value.

        Raises
        ------
        Fault
        """
        for check in self._demands[i]:
            check(value)

    def value(self, i: int, t: float) -> float:
        """Value of input i at t [s]."""
        begin, slope = self._piece(i, t)
        return float(self.values[i, begin]) + slope * (t - float(self.times[i, begin]))

    def slope(self, i: int, t: float) -> float:
        """Its rate just after t."""
        return self._piece(i, t)[1]

    def all(self, t: Array) -> Array:
        """Values (m, n_inputs) of all at times (m,)."""
        return np.array([[self.value(i, float(one)) for i in range(len(self))] for one in t]).reshape(len(t), -1)

    def bends(self, i: int, t: float, slack: float) -> bool:
        """Whether it has a corner at t, to a slack [s]."""
        return bool((abs(self.times[i, : self.count[i]] - t) <= slack).any())

    def jumps(self, i: int, t: float) -> bool:
        """Whether it jumps at t."""
        at = self.times[i, : self.count[i]] == t
        return bool(np.ptp(self.values[i, : self.count[i]][at])) if at.sum() > 1 else False

    def next_corner(self, t: float) -> float:
        """The first time after t at which one of them has a corner."""
        found = math.inf
        for i in range(len(self)):
            j = int(self.count[i]) - 1
            while j >= 0 and self.times[i, j] > t:
                found = min(found, float(self.times[i, j]))
                j -= 1
        return found

    def set(self, i: int, t: float, value: float, end: float) -> None:
        """Let it go from what it is at t in a straight line to a value at `end`; what was to come is dropped."""
        now, count = self.value(i, t), int(self.count[i])
        while count > 0 and self.times[i, count - 1] > t:
            count -= 1
        if end > t and now == value and (count == 0 or self.values[i, count - 1] == now):
            self.count[i] = max(count, 1)
            return
        for time, point in ((t, now), (end, value)):
            if not (count and self.times[i, count - 1] == time and self.values[i, count - 1] == point):
                self.times[i, count], self.values[i, count] = time, point
                count += 1
        self.count[i] = count

    @property
    def full(self) -> bool:
        """Whether there is little room for points."""
        return bool((self.count > MOST_POINTS - 8).any())

    def forget(self, t: float) -> None:
        """Drop what was before t."""
        for i in range(len(self)):
            count = int(self.count[i])
            first = max(int(np.searchsorted(self.times[i, :count], t, "right")) - 1, 0)
            self.times[i, : count - first] = self.times[i, first:count].copy()
            self.values[i, : count - first] = self.values[i, first:count].copy()
            self.count[i] = count - first

    def _piece(self, i: int, t: float) -> tuple[int, float]:
        """Number of the point before t, or the first one, and the slope from there."""
        j = int(self.count[i]) - 1
        while j > 0 and self.times[i, j] > t:
            j -= 1
        if j == self.count[i] - 1 or self.times[i, j] > t:
            return j, 0.0
        length = float(self.times[i, j + 1] - self.times[i, j])
        return j, float(self.values[i, j + 1] - self.values[i, j]) / length
