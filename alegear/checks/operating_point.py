"""The torques and speeds at which a case is computed, in words for titles."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from alegear.case.case import Case
from alegear.case.machine import MachineCase

#: Drives and loads of a machine that are named.
MOST = 3


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
    if isinstance(case, Case):
        operation = case.operation
        torque = _range(operation.torque_table, operation.pinion_torque)
        told = [
            f"{torque} N m" if torque else "",
            _speed(operation.speed_table, operation.pinion_speed),
        ]
        return " and ".join(one for one in told if one) + " on the pinion" if any(told) else ""
    if case.only_turns or case.in_space:
        return ""
    told = []
    for drive in case.drives:
        speed, torque = _speed(drive.speed_table, drive.speed), _range(None, drive.torque)
        words = " and ".join(one for one in (f"{torque} N m" if torque else "", speed) if one)
        told.append(f"{drive.name} {words}" if words else "")
    for load in case.loads:
        torque = _range(load.torque_table, load.torque)
        told.append(f"{load.name} {torque} N m" if torque else "")
    told = [one for one in told if one]
    return ", ".join(told) if len(told) <= MOST else ", ".join([*told[:MOST], "..."])


def _speed(table: Sequence[tuple[float, float]] | None, speed: float | None) -> str:
    words = _range(table, speed, 30.0 / pi)
    return f"{words} rpm" if words else ""


def _range(table: Sequence[tuple[float, float]] | None, value: float | None, factor: float = 1.0) -> str:
    """Write a value, of a table the smallest and the largest one; empty for none."""
    values = [one for _, one in table] if table else [] if value is None else [value]
    if not values:
        return ""
    low, high = (f"{factor * one:.6g}" for one in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
