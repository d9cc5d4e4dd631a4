"""Mesh period of a case, and the output interval of a motion that follows from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from alegear.case.dynamic import SAMPLES_PER_PERIOD, DynamicAnalysis
from alegear.geometry.meshing_teeth import MeshingTeeth

if TYPE_CHECKING:
    from alegear.case.operation import Operation
    from alegear.drivetrain.layout import Layout
    from alegear.geometry.gear_pair import GearPair

#: Samples of a pitch below which a motion's samples miss its extremes by more than a few per cent.
FEWEST_SAMPLES = 16
#: Samples of a motion that has no mesh.
SAMPLES = 1000


class Moving(Protocol):
    """A case: of a pair, or of a machine."""

    @property
    def analysis(self) -> Any:
        """What is asked for."""

    @property
    def mesh_period(self) -> float:
        """Shortest time in which a tooth follows another [s]."""


class Meshing(Protocol):
    """A machine with its layout and its parts."""

    @property
    def layout(self) -> Layout:
        """Where all stands, and how it turns."""

    @property
    def parts(self) -> Sequence[Any]:
        """Planetary sets, and other parts."""


def output_every(case: Moving) -> float:
    """Spacing of the output of a motion [s]: as given, else a part of the time in which a tooth follows another."""
    analysis = case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    if analysis.output_every is not None:
        return analysis.output_every
    period = case.mesh_period
    if not math.isfinite(period):
        return analysis.duration / SAMPLES
    return min(period / SAMPLES_PER_PERIOD, analysis.duration)


def sampling_warnings(case: Moving) -> list[str]:
    """Warn of an output that is too coarse for what is taken of samples: all but transmission error and tooth load."""
    analysis = case.analysis
    if not isinstance(analysis, DynamicAnalysis) or analysis.output_every is None or analysis.sweeps:
        return []
    period = case.mesh_period
    if not math.isfinite(period) or period >= FEWEST_SAMPLES * analysis.output_every:
        return []
    samples = period / analysis.output_every
    return [
        f"output_every_s = {analysis.output_every:.3g}: {samples:.2g} samples in the time in which a tooth follows "
        f"another, fewer than {FEWEST_SAMPLES}: the largest stresses, pressures and bearing forces are those of the "
        f"samples, and miss what is between them: write {period / FEWEST_SAMPLES:.2g} or less, or leave it out"
    ]


def pair_period(pair: GearPair, operation: Operation) -> float:
    """Time in which a tooth of a pair follows another, at the largest speed [s]; infinite where nothing turns."""
    speeds = [speed for _, speed in operation.speed_table or ()] or [operation.pinion_speed or 0.0]
    return _period(pair.pinion.z * max(abs(speed) for speed in speeds))


def shortest_period(case: Meshing) -> float:
    """Of the teeth that follow each other fastest, without meshes of the rotation of the fastest drive [s]."""
    layout = case.layout
    if not layout.drives:
        return math.inf
    if not layout.meshes and not planet_meshes(case):
        return _period(max(abs(drive.largest_speed or 0.0) for drive in layout.drives.values()))
    passing = [_turns(layout, layout.gears[p.mesh.gears[0]].shaft) * p.pair.pinion.z for p in layout.meshes]
    for mesh in planet_meshes(case):
        (first, _), (z, _) = mesh.shafts, mesh.teeth
        passing.append((_turns(layout, first) - _turns(layout, mesh.carrier)) * z)
    return _period(max(abs(one) for one in passing))


def _period(frequency: float) -> float:
    """Period of a frequency [rad/s]; infinite of none."""
    return 2.0 * math.pi / frequency if frequency else math.inf


def _turns(layout: Layout, shaft: str) -> float:
    """Speed of a shaft or a body with the largest one of its drive [rad/s]; of the ground 0."""
    drive = layout.drive_of.get(shaft)
    return 0.0 if drive is None else layout.ratio[shaft] * abs(drive.largest_speed or 0.0)


def planet_meshes(case: Meshing) -> list[MeshingTeeth]:
    """Meshes of planets that are bodies by themselves, one of each kind."""
    sets: list[Any] = [part for part in case.parts if part.elastic]
    return [mesh for one in sets for mesh in one.tooth_meshes]
