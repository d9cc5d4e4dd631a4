"""When switches leave their modes, and what is tried after: the same for every way of integrating in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alegear.arrays import AnyArray
from alegear.errors import NonConvergence
from alegear.system.complementarity import ComplementaritySystem, NDArrayBool, Reaction, ReducedSystem
from alegear.system.coordinates import Array, Indices
from alegear.system.model import SystemModel
from alegear.system.switches import AHEAD, BACK, SwitchState
from alegear.system.time_signal import TimeSignal

#: Part of the typical size of a rate or a force that is nothing.
NOTHING = 1e-11
#: A rate that is prescribed is at rest up to so many times that.
LED = 10.0
#: Part of a time that is just after or before it.
_INSTANT = 4.0 * np.finfo(float).eps
#: So many events without the time going on are too many.
MOST_EVENTS_AT_ONCE = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class SwitchEvent:
    """A change of the modes of some switches.

    Attributes
    ----------
    t : float [s]
    before, after : shape (k,)
        Modes of all.
    """

    t: float
    before: Indices
    after: Indices


def just_before(t: float) -> float:
    """The time just before an event [s]: what is given has not reached its corner or jumped there yet."""
    return t - _INSTANT * max(abs(t), _INSTANT)


def just_after(t: float) -> float:
    """The time just after an event [s]: what rises from zero there is not zero any more."""
    return t + _INSTANT * max(abs(t), _INSTANT)


class ModeChanges:
    """Watches the switches of a system.

    Parameters
    ----------
    model : SystemModel
    mixed : ComplementaritySystem

    Attributes
    ----------
    slack : shape (k, 2)
        Rates and forces of the switches that are nothing. Values of :meth:`within` that start at zero are positive by
        as much: a root function that leaves zero for below is not seen, and round-off may have either sign.
    """

    def __init__(self, model: SystemModel, mixed: ComplementaritySystem) -> None:
        self.model = model
        rate = model.typical_rate(mixed.M)
        self.slack = NOTHING * np.column_stack(
            [np.abs(mixed.W) @ model.displacement_scale * rate, np.abs(mixed.F).T @ model.force_scale]
        )
        self._D, self._at_once, self._last = mixed.D, 0, -np.inf

    def modes(self, direction: Indices, held: ReducedSystem, lines: Array) -> Indices:
        """Modes of all switches as results tell them, (k,): what others hold is stuck, too, unless it is free."""
        side = np.where(direction > 0, AHEAD, BACK)
        free = ~lines[np.arange(len(side)), side].any(axis=(1, 2)) & (direction != 0)
        modes = direction.copy()
        modes[list(held.still)] = int(SwitchState.STUCK)
        return np.where(free, int(SwitchState.FREE), modes)

    def within(self, direction: Indices, held: ReducedSystem, lines: Array, reaction: Reaction, rates: Array) -> Array:
        """How far each switch is from leaving its mode, (2 k,): positive inside.

        Of one that slides its rate, of a stuck one how much more it would bear, forward and backward; `lines` are those
        of sliding or at rest accordingly. What others hold leaves nothing until these do: 1.
        """
        values = np.ones(2 * len(direction))
        for i, switch in enumerate(self.model.switches):
            load = reaction.mu[switch.follows] if switch.follows is not None else 0.0
            if i in held.prescribed:
                values[2 * i] = LED * self.slack[i, 0] - abs(rates[i])
            elif direction[i] == 0:
                for side, sign in ((AHEAD, 1.0), (BACK, -1.0)):
                    limit = float(np.max(lines[i, side, :, 0] + lines[i, side, :, 1] * load))
                    if np.isfinite(limit):
                        values[2 * i + side] = limit - sign * reaction.lam[i] + self.slack[i, 1]
            elif i not in held.still and lines[i].any():
                values[2 * i] = direction[i] * rates[i] + self.slack[i, 0]
        return values

    def at_event(
        self, t: float, direction: Indices, held: ReducedSystem, rates: Array, left: NDArrayBool | None
    ) -> tuple[NDArrayBool, Indices, Array]:
        """What is tried at an event, or where something that is given jumps.

        Parameters
        ----------
        t : float [s]
        direction : shape (k,)
        held : ReducedSystem
        rates : shape (k,)
        left : shape (2 k,) of bool, optional
            Which values of :meth:`within` have come to zero.

        Returns
        -------
        at_rest : shape (k,) of bool
        guess : shape (k,)
            Directions of those at rest.
        rates : shape (k,)
            Those at rest zero.

        Raises
        ------
        NonConvergence
            Where events follow each other without the time going on, with the names.
        """
        at_rest, guess, rates = direction == 0, np.zeros(len(rates), dtype=np.int64), rates.copy()
        if left is not None:
            self._count(t, left)
            for i in range(len(rates)):
                if i in held.prescribed:
                    at_rest[i] &= not left[2 * i]
                elif direction[i] != 0 and left[2 * i]:
                    at_rest[i], rates[i] = True, 0.0
                elif direction[i] == 0 and (left[2 * i] or left[2 * i + 1]):
                    guess[i] = 1 if left[2 * i] else -1
        # of several that come to zero together round-off takes some below it before their own event
        at_rest |= (direction * rates <= 0.0) & (np.abs(rates) <= LED * self.slack[:, 0])
        rates[at_rest] = 0.0
        # what others held may bear all it can this way: were it to stick it would begin at its bound, unseen
        along = self._D @ guess
        for i in held.still:
            if along[i] * direction[i] > 0.0:
                guess[i] = direction[i]
        return at_rest, guess, rates

    def _count(self, t: float, left: NDArrayBool) -> None:
        """Raise a NonConvergence where events do not let the time go on."""
        passed = t - self._last > 1e3 * np.finfo(float).eps * abs(t)
        self._at_once = 0 if passed else self._at_once + 1
        self._last = t
        if self._at_once > MOST_EVENTS_AT_ONCE + 2 * len(self.model.switches):
            names = ", ".join(s.name for i, s in enumerate(self.model.switches) if left[2 * i : 2 * i + 2].any())
            remedy = f"{names} changes between sticking and sliding without end: add a little inertia or damping there"
            raise NonConvergence(f"t = {t:.9g} s, events at one time", float(self._at_once), 0.0, remedy)


def changes_of(model: SystemModel) -> list[float]:
    """Times [s] at which something that is given jumps or has a corner: modes are chosen anew there."""
    given: list[TimeSignal] = [load.profile for load in model.loads]
    given += [one.motion.speed_ramp for one in model.prescribed]
    given += [signal for element in model.elements for signal in element.signals]
    times = [t for signal in given for t in signal.corners]
    return sorted({float(t) for t in [*times, *(t for switch in model.switches for t in switch.law.corners)]})


def changes_by_switch(events: Sequence[SwitchEvent], model: SystemModel) -> list[tuple[float, str, int, int]]:
    """Time, part, mode before and mode after of every switch that changes its mode, one after the other."""
    return [
        (event.t, model.owner(model.switches[i].name), int(event.before[i]), int(event.after[i]))
        for event in events
        for i in np.flatnonzero(event.before != event.after)
    ]


def events_memory(events: Sequence[SwitchEvent]) -> dict[str, AnyArray]:
    """Events as arrays."""
    return {
        "t": np.array([event.t for event in events], dtype=np.float64),
        "before": np.array([event.before for event in events], dtype=np.int64),
        "after": np.array([event.after for event in events], dtype=np.int64),
    }


def events_of(memory: Mapping[str, AnyArray]) -> list[SwitchEvent]:
    """Events of :func:`events_memory`."""
    columns = zip(memory["t"].tolist(), memory["before"], memory["after"], strict=True)
    return [SwitchEvent(t=t, before=before, after=after) for t, before, after in columns]
