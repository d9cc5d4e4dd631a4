"""Rules of a machine case: parts, drives and loads that are incompatible with its analysis.

Each yields what it refuses; :func:`refuse` raises all of it at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from alegear.case.analysis import ModalAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFault, CaseFaults
from alegear.case.motion_in_time import Kinematics, RotationalMotion, SpatialMotion
from alegear.case.sweep import ALIKE, SweepAnalysis
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.errors import Fault
from alegear.system.coordinates import ROTATION
from alegear.system.model import SystemModel


def refuse(faults: Iterable[Fault], file: str) -> None:
    """Raise all that is refused.

    Raises
    ------
    Fault
        The only one.
    CaseFaults
        Several.
    """
    found = list(faults)
    if len(found) == 1:
        raise found[0]
    if found:
        raise CaseFaults(
            CaseFault(file, one.quantity, str(one.value), f"must be {one.limit}", one.remedy) for one in found
        )


def raised_by(check: Callable[[], None]) -> Iterator[Fault]:
    """What a check raises."""
    try:
        check()
    except Fault as fault:
        yield fault


def space(parts: Sequence[Any], analysis: Any, others: Mapping[str, Sequence[Any]]) -> Iterator[Fault]:
    """Refuse bodies in space beside shafts and gears of small displacements, and with other analyses.

    `others` are the parts that stay on axes, by their headings.
    """
    in_space = isinstance(analysis, SpatialMotion | Kinematics)
    there = [part.name for part in parts if part.in_space]
    names = ", ".join(there[:3]) + (" ..." if len(there) > 3 else "")
    if not there:
        if in_space:
            limit = "of a machine with bodies in space, and there is none"
            yield Fault("kind of the analysis", f'"{analysis.kind}"', limit, "add bodies and joints")
        return
    if not in_space:
        limit = 'kind = "dynamic" or "kinematic" of a machine with bodies in space'
        remedy = "in Python ag.SpatialMotion or ag.Kinematics"
        yield Fault("kind of the analysis", f'"{analysis.kind}"', limit, remedy)
    if isinstance(analysis, Kinematics):
        for what, value in [found for part in parts for found in part.of_motion]:
            limit = "left out of positions that rest, where nothing slides: it has no effect"
            yield Fault(what, value, limit, 'leave it out, or write kind = "dynamic", in Python ag.SpatialMotion')
    for kind, own in others.items():
        if own:
            # their axes and their flanks are displaced a little from lines that stay in space
            limit = f"left out beside bodies in space ({names}) in this version: their axes stay in space"
            remedy = "make bodies, joints and spatial_meshes of them, or compute them apart"
            yield Fault(f"{kind} of the machine", ", ".join(one.name for one in own[:3]), limit, remedy)


def sweep(drives: Sequence[Drive], loads: Sequence[TorqueLoad]) -> Iterator[Fault]:
    """Refuse a sweep of no speed or of several, and what would vary beside it."""
    if len(drives) > 1:
        names = ", ".join(drive.name for drive in drives)
        remedy = 'sweep one train, or write kind = "dynamic" and speed_table_s_rpm of each'
        yield Fault("drives in a sweep", names, "one", remedy)
        return
    (drive,) = drives
    if drive.speed_table is None:
        remedy = "give speed_from_rpm and speed_to_rpm (in Python speed_table of the drive)"
        yield Fault(f"speed_table of drive {drive.name}", None, "given in a sweep", remedy)
        return
    slowest = min(abs(speed) for _, speed in drive.speed_table)
    if not slowest > 0.0 or len({speed > 0.0 for _, speed in drive.speed_table}) > 1:
        limit = "not 0, of one sign: there is no order of a mesh that stands still"
        yield Fault("first speed of the sweep [rpm]", slowest * 30.0 / math.pi, limit, "begin at the lowest speed")
    for load in loads:
        if load.torque_table is not None:
            remedy = "give torque_Nm, the largest"
            yield Fault(f"torque_table of load {load.name}", "given", "left out in a sweep", remedy)


def orders(analysis: SweepAnalysis, layout: Layout) -> Iterator[Fault]:
    """Refuse orders that the output does not resolve, and a linearised response of a machine that nothing excites."""
    (drive,) = layout.drives.values()
    turns = abs(drive.largest_speed or 0.0) / (2.0 * math.pi)
    passing = [turns * place.ratios[0] * place.pair.pinion.z for place in layout.meshes]
    if not passing:
        yield Fault("meshes in a sweep", 0, "at least 1: its orders are those of a mesh", "give one")
        return
    yield from raised_by(lambda: analysis.check_orders(max(abs(one) for one in passing)))
    if analysis.is_linear and not any(place.mesh.law.varies for place in layout.meshes):
        words = ", ".join(f'{place.mesh.name} = "{place.mesh.law.fidelity}"' for place in layout.meshes)
        limit = (
            '"flexible" or "teeth" of one of them: a linearised response needs a stiffness that varies over the pitch'
        )
        yield Fault("fidelity of the meshes", words, limit, 'change it, or write response = "transient"')
    for place in layout.meshes if analysis.is_linear else ():
        if place.mesh.law.varies and not all(gear.teeth_alike for gear in place.pair.gears):
            remedy = 'leave out pitch_deviation_csv and flanks of single teeth, or write response = "transient"'
            yield Fault(
                f'teeth of mesh {place.mesh.name} with response = "{analysis.response}"', "differ", ALIKE, remedy
            )


def over_time(drives: Sequence[Drive], loads: Sequence[TorqueLoad], analysis: Any) -> Iterator[Fault]:
    """Refuse what drives and loads have over time where nothing moves, and tables that end before the motion."""
    moves = isinstance(analysis, DynamicAnalysis | RotationalMotion)
    for drive in drives:
        if drive.speed_table is not None and not moves:
            limit = f"left out in a {analysis.kind} analysis"
            yield Fault(f"speed_table of drive {drive.name}", "given", limit, "give speed_rpm")
        if moves and not drive.largest_speed:
            remedy = "give speed_rpm"
            yield Fault(f"speed [rpm] of drive {drive.name}", drive.speed, "not 0 in a dynamic analysis", remedy)
        yield from _reaches(drive.speed_table, analysis, f"speed_table of drive {drive.name}")
        yield from _governor(drive, analysis)
    for load in loads:
        if load.torque_table is not None and not moves:
            limit = f"left out in a {analysis.kind} analysis"
            yield Fault(f"torque_table of load {load.name}", "given", limit, "give torque_Nm")
        yield from _reaches(load.torque_table, analysis, f"torque_table of load {load.name}")


def _governor(drive: Drive, analysis: Any) -> Iterator[Fault]:
    """Refuse a controller where nothing moves, and speeds that are none of straight lines."""
    if not drive.governed:
        return
    what = f"gains of drive {drive.name}"
    if isinstance(analysis, SweepAnalysis) or not isinstance(analysis, DynamicAnalysis | RotationalMotion):
        limit = f"left out in a {analysis.kind} analysis, where the drive is held"
        yield Fault(what, "given", limit, "leave out both")
    elif isinstance(analysis, DynamicAnalysis) and analysis.ramp:
        limit = f"0 where a controller holds drive {drive.name}"
        yield Fault("ramp [s]", analysis.ramp, limit, "leave it out, or give a table of speeds")


def normal_modes(analysis: DynamicAnalysis | ModalAnalysis, meshed: Sequence[str]) -> Iterator[Fault]:
    """Refuse normal modes where there are none; `meshed` are the gears of flexible meshes, once for each."""
    several = next((gear for gear in meshed if meshed.count(gear) > 1), None)
    if not meshed:
        limit = "0: wheels vibrate in flexible meshes only, and there is none"
        named = "normal_modes" if isinstance(analysis, ModalAnalysis) else 'normal_modes and inertia = "full"'
        remedy = f'leave out {named}, or write fidelity = "flexible"'
        yield Fault("normal_modes", analysis.normal_modes, limit, remedy)
    elif several is not None:
        limit = "0: normal modes of a gear in several flexible meshes are not in this version"
        remedy = f'write fidelity = "rigid" for all meshes of {several} but one, or leave out normal_modes'
        yield Fault(f"normal_modes of gear {several}", analysis.normal_modes, limit, remedy)


def check_unloaded(model: SystemModel, loads: Sequence[TorqueLoad]) -> None:
    """Refuse loads that would find no reaction: nothing holds the rotation of a machine without drives.

    Raises
    ------
    Fault
    """
    limit = (
        "left out without a drive: modes are those about an equilibrium, and nothing holds the machine against it; the"
        " unloaded machine needs no drive"
    )
    if loads:
        what = f"torque [N m] of load {loads[0].name} on {loads[0].shaft}"
        remedy = "leave the load out, or add [drives.NAME] where the machine is held"
        raise Fault(what, loads[0].torque, limit, remedy)
    for one, Q in zip(model.coordinates, model.outer_force(0.0), strict=True):
        if Q:
            unit = "N m" if one.direction == ROTATION else "N"
            remedy = (
                f"leave out what acts on {one.body}, or give it by a drive, which is held: [drives.NAME] with"
                f' shaft = "{one.body}", and a load that carries its torque'
            )
            raise Fault(f"torque or force [{unit}] on the {one.in_words}", float(Q), limit, remedy)


def _reaches(table: Any, analysis: Any, what: str) -> Iterator[Fault]:
    if (
        table is not None
        and isinstance(analysis, DynamicAnalysis | RotationalMotion)
        and table[-1][0] < analysis.duration
    ):
        limit = f"at least duration_s = {analysis.duration:g}"
        yield Fault(f"last time [s] of {what}", table[-1][0], limit, "add a point, or shorten duration_s")
