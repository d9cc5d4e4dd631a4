"""The balance of energy of any system in motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from alegear.system.coordinates import Array
from alegear.system.instants import SystemState
from alegear.system.model import energy_of_elements, mass_matrix
from alegear.system.motion import SystemMotion
from alegear.system.rotation import displacement_between
from alegear.system.time_integration.second_order_system import State

#: What a checkpoint keeps: numbers in this order, and of the last state the coordinates, forces and powers.
NUMBERS = ("input", "dissipated", "outside", "kinetic", "stored", "start", "time")
ARRAYS = ("x", "outer", "friction", "power")


@dataclass(kw_only=True, eq=False)
class SystemEnergy:
    """Energies since the start [J], by the trapezoidal rule.

    What acts by the way (drives, loads, friction) is integrated over the coordinates, the power of dampers over the
    time: it is negative nowhere, and so is what it adds. Where the speed of what is prescribed has a corner, its torque
    jumps: the step before ends with the one, the step after begins with the other, if steps end there.

    Attributes
    ----------
    input : float
        By drives, loads and weight, and by joints that lead.
    dissipated : float
        In dampers and by friction.
    outside : float
        Its part in the dampers of what gears stand on: shafts, bearings.
    kinetic, stored : float
        At the last state.
    start : float or None
        Kinetic and stored energy at the first state.
    """

    input: float = 0.0
    dissipated: float = 0.0
    outside: float = 0.0
    kinetic: float = 0.0
    stored: float = 0.0
    start: float | None = None
    time: float = 0.0
    _before: tuple[Array, ...] | None = field(default=None, repr=False)

    @property
    def missing(self) -> float:
        """What was put in less what is lost and what is there more than at the start [J]: zero but for the steps."""
        return self.input - self.dissipated - (self.kinetic + self.stored - (self.start or 0.0))

    def carry_on(self, system: SystemMotion, state: State) -> None:
        """Go on by one accepted state; the first call is that of the start."""
        motion = system.motion(state)
        model = system.model
        outer, friction, power, stored = self._losses(system, motion)
        M = mass_matrix(model, system.data, motion.x)
        prescribed = model.prescribed_indices
        if motion.joints is not None:
            power[1:] += motion.joints.lost, motion.joints.supplied
        for switch, force in zip(model.switches, motion.friction, strict=True):
            friction += force * switch.push
        outer[prescribed] += motion.held_back(model, M)[prescribed]
        now = (motion.x, outer, friction, power)
        if self._before is not None:
            self._add(now, motion.t - self.time, model.rotation_vectors)
        self.kinetic, self.stored = 0.5 * float(motion.v @ M @ motion.v), stored
        if self.start is None:
            self.start = self.kinetic + self.stored
        jumps = model.prescribed_jumps(motion.t)
        if (
            jumps.any() and motion.t != system.jumped_at
        ):  # the next step begins with the torque after the corner; on what is free schemes go on
            outer[prescribed] += M[np.ix_(prescribed, prescribed)] @ jumps
        self.time, self._before = motion.t, now

    def _losses(self, system: SystemMotion, motion: SystemState) -> tuple[Array, Array, Array, float]:
        """Outer forces (n,), those of friction (n,), powers (lost in parts, in elements, supplied), stored energy."""
        model, x, v = system.model, motion.x, motion.v
        of_elements = energy_of_elements(model, system.data, motion.t, x, v, motion.forces)
        rates = model.strain_rows @ v
        lost = rates * (model.damping_rows @ v)
        power = np.array([float(lost @ model.outside_gears), float(lost.sum() - lost @ model.outside_gears), 0.0])
        power[1:] += of_elements.damping_power, of_elements.supplied_power
        stored = 0.5 * float((model.strain_rows @ x) @ (model.stress_rows @ x))
        outer = model.outer_force(motion.t) + of_elements.supplied
        return outer, of_elements.friction, power, stored + of_elements.stored

    def _add(self, now: tuple[Array, ...], h: float, rotation_vectors: tuple[int, ...]) -> None:
        assert self._before is not None
        turned = displacement_between(self._before[0], now[0], rotation_vectors)
        over_time = 0.5 * h * (now[3] + self._before[3])
        by_way = 0.5 * float((now[1] + self._before[1]) @ turned)
        self.input += by_way + float(over_time[2])
        self.dissipated += 0.5 * float((now[2] + self._before[2]) @ turned) + float(over_time[:2].sum())
        self.outside += float(over_time[0])

    # ------------------------------------------------------------- checkpoints
    def to_arrays(self) -> dict[str, Array]:
        """All of it, by name."""
        assert self._before is not None
        values = np.array([getattr(self, name) for name in NUMBERS])
        return {"values": values} | dict(zip(ARRAYS, self._before, strict=True))

    @classmethod
    def from_arrays(cls, kept: dict[str, Array]) -> SystemEnergy:
        """From what :meth:`to_arrays` gave."""
        given = dict(zip(NUMBERS, kept["values"].tolist(), strict=True))
        return cls(**given, _before=tuple(kept[key] for key in ARRAYS))
