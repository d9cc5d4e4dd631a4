"""Where a motion of a machine begins, in equilibrium and moving on with its drives; its steps, times of its fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.ale import ToothWindow
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import output_every, planet_meshes, shortest_period
from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.machine import MachineSystem, is_on
from alegear.errors import Fault
from alegear.studies.equilibria import MachineSolver
from alegear.system.profiles import PiecewiseCubic
from alegear.system.start import consistent_start, with_transport_velocities
from alegear.system.time_integration.stop_times import StopTimes

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair

Array = NDArray[np.float64]

#: Pitches on both sides of the start between which the static curve tells the velocities there.
NEAR = 1e-3
#: Part of the torque under which what begins without load is pressed: flanks touch, and hardly push each other off.
START_LOAD = 1e-8


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
        speeds = {name: profile.value(0.0) for name, profile in self.speeds.items()}
        solver = self.solver()
        here = solver.solve(self.angles)
        v = np.sum([self.built.nominal(d, abs(speed)) for d, speed in speeds.items()], axis=0)
        reference = self.case.layout.drives[next(iter(self.angles))]
        # between several planets what gives way swings within a pitch, which heavy carriers do not follow
        if speeds[reference.name] and self._is_loaded and not planet_meshes(self.case):
            turn = NEAR * shortest_period(self.case) * abs(reference.largest_speed or 0.0)
            moved = [
                solver.solve(self._turned(side * turn), here).x - solver.nominal(self._turned(side * turn))
                for side in (1.0, -1.0)
            ]
            v = v + (moved[0] - moved[1]) * (abs(speeds[reference.name]) / (2.0 * turn))
        v = with_transport_velocities(self.built.model, here.x, v)
        for shaft in self.case.layout.apart_at_start:
            v[self._moved_by(shaft)] = 0.0
        return here.x, v

    @cached_property
    def _loads(self) -> dict[str, float]:
        """Torques of loads at the start [N m], against the rotation."""
        return {name: profile.value(0.0) for name, profile in self.torques.items()}

    @cached_property
    def _outer(self) -> dict[str, float]:
        """Torques from outside at the start [N m], about the axis of each place."""
        speeds = {name: abs(profile.value(0.0)) for name, profile in self.speeds.items()}
        return self.case.layout.outer_at(0.0, speeds, self.angles)

    @property
    def _is_loaded(self) -> bool:
        return any(self._loads.values()) or any(self._outer.values())

    def solver(self) -> MachineSolver:
        """Equilibria under the torques of the start; what begins without load is pressed, so that its flanks touch.

        Raises
        ------
        Fault
            Where teeth begin on other flanks than those that carry afterwards.
        """
        loads, pressing = self._loads, {}
        if self._idle(loads, self._outer):
            layout = self.case.layout
            loads = {name: torque or START_LOAD * layout.torque[name] for name, torque in loads.items()}
            nothing = [place for place, torque in self._outer.items() if not torque]
            pressing = {place: START_LOAD * layout.outer[place] for place in nothing}
        self._check_flanks(loads)
        return MachineSolver(
            self.case,
            self.prepared,
            self.windows,
            loads,
            speeds=self.speeds,
            outer=self._outer,
            pressing=pressing,
            ready=self.ready,
        )

    def _powers(self, loads: Mapping[str, float], outer: Mapping[str, float]) -> dict[str, float]:
        layout = self.case.layout
        return layout.powers(layout.balanced(loads, outer), outer)

    def _idle(self, loads: Mapping[str, float], outer: Mapping[str, float]) -> bool:
        """Whether nothing loads the machine, or no load presses teeth together that carry later on."""
        powers = self._powers(loads, outer)
        toothed = [place.mesh.name for place in self.case.layout.meshes if place.power and place.mesh.law.knows_teeth]
        return not self._is_loaded or any(not powers[name] for name in toothed)

    def _check_flanks(self, loads: Mapping[str, float]) -> None:
        powers = self._powers(loads, self._outer)
        for place in self.case.layout.meshes:
            power = powers[place.mesh.name]
            if place.mesh.law.has_flanks and power * place.power < 0.0:
                torque = float(f"{-abs(power / place.ratios[0]):.4g}")
                what = f"torque [N m] of mesh {place.mesh.name} at the start, of {place.torque:.4g} later on"
                limit = "0 or of the same sign: its teeth would begin on the other flanks"
                remedy = "let what turns it the other way begin at 0, or leave out ramp_s, over which loads rise"
                raise Fault(what, torque, limit, remedy)

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


#: Of the time in which a rolling element falls into a defect, at least: for the adaptive step, and for a warning.
STEPS_PER_RAMP = 8
#: Of a pitch, at least, for the adaptive step: no contact event is stepped over.
STEPS_PER_PITCH = 64
#: Fields of a motion that names no times.
DEFAULT_FRAMES = 20


def longest_rolling_step(case: MachineCase) -> float:
    """Longest step [s] that resolves the defects of bearings, and their rolling elements."""
    steps = [one.longest_step(*case.layout.speeds_of(one), STEPS_PER_RAMP) for one in case.bearings]
    return min(steps, default=math.inf)


def field_times(case: MachineCase) -> tuple[float, ...]:
    """Times [s] of the stress fields of a motion: those that are asked for, else evenly some of the output.

    At a time of the output the curves have the stress of the field, too.
    """
    analysis = case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    if case.output.field_times is not None:
        return case.output.field_times
    stops = StopTimes.of(analysis.duration, output_every(case))
    numbers = np.rint(np.linspace(0, stops.n_outputs - 1, DEFAULT_FRAMES)).astype(int)
    return tuple(stops.outputs(0, stops.n_outputs)[np.unique(numbers)].tolist())
