"""Where a motion of a machine begins: in equilibrium, and moving on with its drives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.case.mesh_period import planet_meshes, shortest_period
from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.machine import MachineSystem, is_on
from alegear.studies.dynamic import NEAR, START_LOAD
from alegear.studies.machine.equilibria import MachineSolver
from alegear.system.profiles import PiecewiseCubic
from alegear.system.start import consistent_start, going_along

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionStart:
    """The first state of a motion.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.
    windows : mapping of str to ToothWindow
    ready : mapping of str to PreparedMesh
        What meshes are made of.
    built : MachineSystem
    angles : mapping of str to float [rad]
        Rotation of each drive in its sense.
    speeds, torques : mapping of str to PiecewiseCubic
        Of drives, of loads.
    """

    case: MachineCase
    prepared: Mapping[str, PreparedPair]
    windows: Mapping[str, ToothWindow]
    ready: Mapping[str, PreparedMesh]
    built: MachineSystem
    angles: Mapping[str, float]
    speeds: Mapping[str, PiecewiseCubic]
    torques: Mapping[str, PiecewiseCubic]

    def state(self) -> tuple[Array, Array]:
        """Coordinates in equilibrium, and the velocities at which it moves on with the drives, (n,) each.

        Without a drive nothing says where an equilibrium is: the initial values of its parts.
        """
        if not self.case.layout.drives:
            return consistent_start(self.built.model)
        at_first = {name: profile.value(0.0) for name, profile in self.torques.items()}
        speeds = {name: profile.value(0.0) for name, profile in self.speeds.items()}
        torques = _not_nothing(at_first, self.case.layout.torque)
        solver = MachineSolver(self.case, self.prepared, self.windows, torques, speeds=self.speeds, ready=self.ready)
        here = solver.solve(self.angles)
        v = np.sum([self.built.nominal(d, abs(speed)) for d, speed in speeds.items()], axis=0)
        reference = self.case.layout.drives[next(iter(self.angles))]
        # between several planets what gives way swings within a pitch, which heavy carriers do not follow
        if speeds[reference.name] and any(at_first.values()) and not planet_meshes(self.case):
            turn = NEAR * shortest_period(self.case) * abs(reference.largest_speed or 0.0)
            moved = [
                solver.solve(self._turned(side * turn), here).x - solver.nominal(self._turned(side * turn))
                for side in (1.0, -1.0)
            ]
            v = v + (moved[0] - moved[1]) * (abs(speeds[reference.name]) / (2.0 * turn))
        v = going_along(self.built.model, here.x, v)
        for shaft in self.case.layout.apart_at_start:
            v[self._moved_by(shaft)] = 0.0
        return here.x, v

    def _moved_by(self, shaft: str) -> Array:
        """All coordinates of a shaft or a body."""
        places = self.built.model.places.items()
        return np.unique(np.concatenate([p.coordinates for name, p in places if is_on(name, shaft)]))

    def _turned(self, angle: float) -> dict[str, float]:
        """Rotations of all drives: those of the start and a turn of the first one, of others as their speeds are."""
        drives = self.case.layout.drives
        first = abs(drives[next(iter(self.angles))].largest_speed or 1.0)
        return {
            name: start + angle * abs(drives[name].largest_speed or 1.0) / first for name, start in self.angles.items()
        }


def _not_nothing(torques: Mapping[str, float], full: Mapping[str, float]) -> dict[str, float]:
    """Torques under which flanks touch, where a run begins without load."""
    if any(torques.values()):
        return dict(torques)
    return {name: START_LOAD * full[name] for name in torques}
