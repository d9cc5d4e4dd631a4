"""Motion of a system with switches from event to event by CVODE, sampled at output times, with its energy balance.

Between the ends of a step, where displacements, velocities and accelerations are known, displacements are quintics and
velocities cubics (Hermite). The velocities are not the quintics' derivatives: in short steps, as after events, these
would have the error of the displacements over the length of the step. Powers are integrated over them by Gauss's rule,
from stop to stop and sample to sample, so that the energy balance checks the integration: nothing of it is a state
of the integration.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from alegear.system.controllers import Controllers
from alegear.system.coordinates import Array, Indices
from alegear.system.energy_balance import EnergyBalance
from alegear.system.instants import Instants
from alegear.system.mode_changes import SwitchEvent
from alegear.system.ode import SystemOde
from alegear.system.time_integration.sundials import BLOCK, Cvode, stops_of

#: Nodes of Gauss's rule in each piece of a step.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass(kw_only=True, eq=False)
class MotionHistory:
    """What was recorded of a motion.

    Attributes
    ----------
    blocks : list of Instants
        Samples at the output times.
    energies : list of shape (m, 3 + 3 n_parts)
        Of each sample since the start: put in, lost, put in by constant forces; put in by part, lost by part; stored
        in each part now [J].
    events : list of SwitchEvent
    inputs : list of shape (m, n_inputs)
        What controllers set, at each sample.
    """

    blocks: list[Instants] = field(default_factory=list)
    inputs: list[Array] = field(default_factory=list)
    energies: list[Array] = field(default_factory=list)
    events: list[SwitchEvent] = field(default_factory=list)

    @property
    def samples(self) -> Instants:
        """All samples."""
        return Instants.joined(self.blocks)


class OdeMotion:
    """Integration of a motion from stop to stop.

    Parameters
    ----------
    ode : SystemOde
    cvode : Cvode
    outputs : shape (m,) [s]
        Rising, the first the beginning, the last the end.
    show : callable, optional
        Of the time that the motion has come to.
    """

    def __init__(
        self,
        ode: SystemOde,
        cvode: Cvode,
        outputs: Array,
        show: Callable[[float], None] | None = None,
    ) -> None:
        self.ode, self.cvode, self.outputs = ode, cvode, np.asarray(outputs, dtype=np.float64)
        self.energy_balance, self.history = EnergyBalance(ode.model), MotionHistory()
        self.show = show
        self.inputs = ode.data.inputs
        begin, end = float(self.outputs[0]), float(self.outputs[-1])
        self.controllers = Controllers(ode.model.controllers, self.inputs, begin, end)
        taken = {name for switch in ode.model.switches for name in switch.law.inputs}
        self._opens = [name in taken for name in ode.model.inputs]  # of each input whether a switch takes it
        self._steps: list[tuple[Array, Array]] = []  # times and states, each block from where the last one ends
        self._n_steps = 0
        self._next = 0  # output that is to come
        n = len(self.energy_balance.parts)
        self._given, self._lost, self._weight = np.zeros(n), np.zeros(n), 0.0

    def run(self, x: Array, v: Array) -> MotionHistory:
        """Integrate from coordinates and velocities (n,) at the first output time to the last one.

        Raises
        ------
        Fault, NonConvergence
            And what a function of the user raises. The samples of all steps before it stay in ``history``.
        """
        try:
            self._move(x, v)
        finally:  # after a failure as well
            self._flush()
        return self.history

    def _move(self, x: Array, v: Array) -> None:
        ode, t, end = self.ode, float(self.outputs[0]), float(self.outputs[-1])
        together = self.controllers.together
        self.controllers.sample(t, x, v)
        y = ode.start(t, x, v)
        self._sample(np.array([t]), y[None, :])
        corners, go_on = deque(stops_of(ode.corners, t, end)), False
        while t < end:
            ode.until = corners[0]
            stop = min(self.controllers.next_sample, self.inputs.next_corner(t + together))
            stop = stop if stop < corners[0] - together else corners[0]
            t, y, roots = self.cvode.run(ode, t, y, stop, self._take, go_on=go_on)
            go_on = True
            if roots is not None:
                y, go_on = self._change(t, y, roots), False
            if t >= stop and t < end:
                anew = self._set_inputs(t, y)
                if t >= corners[0]:
                    corners.popleft()
                    anew = True
                if anew:
                    ode.until = t  # the steps that are recorded now end before what jumps
                    y, go_on = self._change(t, y), False

    def _set_inputs(self, t: float, y: Array) -> bool:
        """Let controllers act that are due; whether the modes are to be chosen anew.

        They are where an input jumps, and where one that a switch takes leaves zero or comes to it.
        """
        if self.inputs.full:
            self._flush()
            self.inputs.forget(t)
        together = self.controllers.together
        if t + together >= self.controllers.next_sample:
            self.controllers.sample(t, *self.ode.full(t, y))
        return any(
            self.inputs.jumps(i, t) or (opens and self.inputs.value(i, t) <= 0.0 and self.inputs.bends(i, t, together))
            for i, opens in enumerate(self._opens)
        )

    def _change(self, t: float, y: Array, roots: Indices | None = None) -> Array:
        """Choose the modes anew; events at which none changes are corners of forces, and not kept."""
        self._flush()
        y, event = self.ode.change(t, y, roots)
        if (event.before != event.after).any():
            self.history.events.append(event)
        return y

    def _take(self, t: Array, y: Array) -> None:
        # what was there before, not this block: at its end a controller may be due, and a sample there is to hold what
        # it sets, however many steps are recorded together
        if self._n_steps >= BLOCK // 2:
            self._flush()
            if self.show is not None:
                self.show(float(t[0]))
        self._steps.append((t, y))
        self._n_steps += len(t) - 1

    def _flush(self) -> None:
        """Record steps: samples in them, and powers over them."""
        blocks, self._steps, self._n_steps = self._steps, [], 0
        if not blocks:
            return
        ends = np.concatenate([blocks[0][0][:1], *(t[1:] for t, _ in blocks)])
        states = np.concatenate([blocks[0][1][:1], *(y[1:] for _, y in blocks)])
        t_1 = ends[1:]
        end = int(np.searchsorted(self.outputs, t_1[-1], "right"))
        wanted = self.outputs[self._next : end]
        edges = np.unique(np.concatenate([ends, wanted]))
        begin, length = edges[:-1], np.diff(edges)
        of = np.searchsorted(t_1, begin, "right")
        nodes = begin[:, None] + 0.5 * length[:, None] * (NODES + 1.0)
        times = np.concatenate([nodes.ravel(), wanted])
        which = np.concatenate(
            [np.repeat(of, len(NODES)), np.minimum(np.searchsorted(t_1, wanted, "left"), len(t_1) - 1)]
        )
        now = self.ode.instants(times, _between(self.ode, ends, states, which, times))
        inner, samples = now[: nodes.size], now[nodes.size :]
        weights = 0.5 * length[:, None] * WEIGHTS
        energy_balance = self.energy_balance

        def over_pieces(power: Array) -> Array:
            by_piece = power.reshape(len(begin), len(NODES), power.shape[1]) * weights[:, :, None]
            return np.concatenate([np.zeros((1, by_piece.shape[2])), np.cumsum(by_piece.sum(axis=1), axis=0)])

        given, lost = over_pieces(energy_balance.supplied(inner)), over_pieces(energy_balance.losses(inner))
        weight = over_pieces(energy_balance.constant_power(inner)[:, None])
        at = np.searchsorted(edges, wanted)
        if len(wanted):
            self._keep(samples, self._given + given[at], self._lost + lost[at], self._weight + weight[at, 0])
        self._given, self._lost = self._given + given[-1], self._lost + lost[-1]
        self._weight += float(weight[-1, 0])
        self._next = end

    def _sample(self, t: Array, y: Array) -> None:
        self._keep(self.ode.instants(t, y), self._given[None, :], self._lost[None, :], np.array([self._weight]))
        self._next += len(t)

    def _keep(self, now: Instants, given: Array, lost: Array, weight: Array) -> None:
        whole = np.column_stack([given.sum(axis=1) + weight, lost.sum(axis=1), weight])
        self.history.blocks.append(now)
        self.history.inputs.append(self.inputs.all(now.t))
        self.history.energies.append(np.concatenate([whole, given, lost, self.energy_balance.stored(now)], axis=1))


def _between(ode: SystemOde, ends: Array, states: Array, which: Array, times: Array) -> Array:
    """States (m, size) at times within the steps `which`: quintics of displacements, cubics of velocities."""
    size = states.shape[1]
    if size == 1:  # all is held
        return np.zeros((len(times), 1))
    rates = ode.rates_at(ends, states)
    f, after = size // 2, which + 1
    h = (ends[after] - ends[which])[:, None]
    z = (times - ends[which])[:, None] / h
    s_0, u_0, a_0 = states[which, :f], h * states[which, f:], h * h * rates[which, f:]
    s_1, u_1, a_1 = states[after, :f], h * states[after, f:], h * h * rates[after, f:]
    d = s_1 - s_0
    c_3 = 10.0 * d - 6.0 * u_0 - 4.0 * u_1 - 1.5 * a_0 + 0.5 * a_1
    c_4 = -15.0 * d + 8.0 * u_0 + 7.0 * u_1 + 1.5 * a_0 - a_1
    c_5 = 6.0 * d - 3.0 * u_0 - 3.0 * u_1 - 0.5 * a_0 + 0.5 * a_1
    s = s_0 + z * (u_0 + z * (0.5 * a_0 + z * (c_3 + z * (c_4 + z * c_5))))
    e = u_1 - u_0
    u = (u_0 + z * (a_0 + z * (3.0 * e - 2.0 * a_0 - a_1 + z * (a_0 + a_1 - 2.0 * e)))) / h
    return np.concatenate([s, u], axis=1)
