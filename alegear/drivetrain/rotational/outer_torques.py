"""Torques from outside: what functions, sources, governors, torque maps and resistances exert on shafts in a state.

A part with ``is_load`` adds loads and elements that are no coupling. What it gives is found by the part
itself: put on bodies that only turn, one for each place that it names, and evaluated there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from alegear.errors import Fault
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.controllers import Controller
from alegear.system.machine_part import MachinePart
from alegear.system.model import SystemData, SystemModel, evaluate


@dataclass(frozen=True, kw_only=True, eq=False)
class OuterTorques:
    """Parts that act from outside, on bodies that only turn.

    Attributes
    ----------
    model : SystemModel
        One body for each of the places.
    places : tuple of str
    names : tuple of str
        Of the parts that give torques.
    """

    model: SystemModel
    places: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, parts: Sequence[MachinePart]) -> OuterTorques | None:
        """Those of the parts that act from outside; None if there is none."""
        acting = [part.in_statics() for part in parts if part.is_load]
        if not acting:
            return None
        setting = [part for part in parts if isinstance(part, Controller)]
        named = [place for part in acting for place in part.places.values()]
        named += [place for part in setting for place in part.reads]
        places = tuple(dict.fromkeys(place for place in named if place != GROUND))
        builder = SystemBuilder()
        for place in places:
            builder.rotor(place, inertia=1.0)
        builder.add(*acting, *setting)
        model = builder.build(moves=False, locked=True)
        return cls(model=model, places=places, names=tuple(part.name for part in acting))

    def at(self, t: float, angle: Callable[[str], float], speed: Callable[[str], float]) -> dict[str, float]:
        """Torque [N m] about the axis of each place.

        Parameters
        ----------
        t : float [s]
        angle, speed : callable
            Of a place, [rad] and [rad/s] about its axis.

        Raises
        ------
        Fault
            For a torque that is no number.
        """
        x, v = (np.array([of(place) for place in self.places]) for of in (angle, speed))
        data: SystemData = self.model.new_data()
        forces = evaluate(self.model.with_inputs(data.inputs), data, t, x, v)
        if forces.failure is not None or not np.isfinite(forces.Q).all():
            what = f"torque [N m] from outside at t = {t:.6g} s"
            raise Fault(what, forces.failure or "not a number", "a number", f"correct {', '.join(self.names)}")
        return dict(zip(self.places, forces.Q.tolist(), strict=True))
