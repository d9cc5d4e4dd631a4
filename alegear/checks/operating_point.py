"""The torques and speeds at which a case is computed, in words for titles."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import MachineCase
from alegear.drivetrain.gear_mesh import MeshPlace

#: Drives and loads of a machine that are named.
MOST = 3
#: A run-up that takes more than this part of a motion is told from rest on: there is no longer part at its end.
MOSTLY = 0.5
#: Torques from here on are told in this unit, with its factor.
UNITS = ((1e7, 1e-6, "MN m"), (1e4, 1e-3, "kN m"), (0.0, 1.0, "N m"))
#: Significant digits of torques and of speeds, and of speeds that follow from others.
TORQUE_DIGITS, SPEED_DIGITS, DERIVED = 4, 6, 4


def operating_point(case: Case | MachineCase) -> str:
    """Say at which torque and speed a case is computed; empty where parts of their own tell it.

    Parameters
    ----------
    case : Case or MachineCase

    Examples
    --------
    >>> import alegear as ag
    >>> from alegear.checks.operating_point import operating_point
    >>> operating_point(ag.case_from_file("meshes/spur_20_30_dynamic.toml"))
    '400 N m and 1500 rpm on the pinion'
    """
    risen = _runs_up(case)
    if isinstance(case, Case):
        operation = case.operation
        parts = [
            _torque(operation.torque_table, operation.pinion_torque, risen=risen),
            _speed(operation.speed_table, operation.pinion_speed, risen=risen),
        ]
        return " and ".join(one for one in parts if one) + " on the pinion" if any(parts) else ""
    if case.is_torsional or case.in_space:
        return ""
    parts = []
    for drive in case.drives:
        both = _torque(None, drive.torque, risen=risen), _speed(drive.speed_table, drive.speed, risen=risen)
        words = " and ".join(one for one in both if one)
        parts.append(f"{drive.name} {words}" if words else "")
    for load in case.loads:
        torque = _torque(load.torque_table, load.torque, risen=risen)
        parts.append(f"{load.name} {torque}" if torque else "")
    parts = [one for one in parts if one]
    return ", ".join(parts) if len(parts) <= MOST else ", ".join([*parts[:MOST], "..."])


def mesh_operating_points(case: Case | MachineCase) -> dict[str, str]:
    """Say at which torque and speed of their first gears the meshes of a machine in tooth contact are computed.

    Parameters
    ----------
    case : Case or MachineCase
        A pair has none.

    Examples
    --------
    >>> import alegear as ag
    >>> from alegear.checks.operating_point import mesh_operating_points
    >>> mesh_operating_points(ag.case_from_file("meshes/two_stage_helical.toml"))["second"]
    '755.6 N m and 794.1 rpm on p2'
    """
    if isinstance(case, Case):
        return {}
    return {place.mesh.name: _of_mesh(case, place) for place in case.layout.meshes if place.mesh.law.needs_contact}


def _of_mesh(case: MachineCase, place: MeshPlace) -> str:
    """Torque, the largest where loads have tables, and speed of the first gear of a mesh."""
    gear, ratio, risen = place.mesh.gears[0], abs(place.ratios[0]), _runs_up(case)
    drive = case.layout.drive_of.get(case.layout.gears[gear].shaft)
    table = None if drive is None or drive.speed_table is None else [(t, abs(v) * ratio) for t, v in drive.speed_table]
    speed = None if drive is None or drive.speed is None else abs(drive.speed) * ratio
    torque = _torque(None, abs(place.torque), risen=risen)
    if any(load.torque_table is not None for load in case.loads):
        torque = f"up to {torque}"
    parts = [torque, _speed(table, speed, risen=risen, digits=DERIVED)]
    return f"{' and '.join(one for one in parts if one)} on {gear}"


def _runs_up(case: Case | MachineCase) -> bool:
    """Whether speed and torque rise from rest during most of the motion."""
    analysis = case.analysis
    return isinstance(analysis, DynamicAnalysis) and analysis.ramp > MOSTLY * analysis.duration


def _speed(
    table: Sequence[tuple[float, float]] | None, speed: float | None, *, risen: bool, digits: int = SPEED_DIGITS
) -> str:
    values = _values(table, speed, risen=risen)
    return f"{_range(values, 30.0 / pi, digits)} rpm" if values else ""


def _torque(table: Sequence[tuple[float, float]] | None, torque: float | None, *, risen: bool) -> str:
    values = _values(table, torque, risen=risen)
    if not values:
        return ""
    largest = max(abs(value) for value in values)
    factor, unit = next((factor, unit) for least, factor, unit in UNITS if largest >= least)
    return f"{_range(values, factor, TORQUE_DIGITS)} {unit}"


def _values(table: Sequence[tuple[float, float]] | None, value: float | None, *, risen: bool) -> list[float]:
    """Values of a table, or the one that is reached, from 0 on where it has risen."""
    return [one for _, one in table] if table else [] if value is None else [0.0, value] if risen else [value]


def _range(values: Sequence[float], factor: float, digits: int) -> str:
    """Write a value, of several the smallest and the largest one."""
    rounded = (float(f"{factor * one:.{digits}g}") for one in (min(values), max(values)))
    low, high = (f"{one:.10g}" for one in rounded)  # without a power of ten
    return low if low == high else f"{low} to {high}"
