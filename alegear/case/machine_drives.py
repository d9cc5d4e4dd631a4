"""``[drives.NAME]``: what drives shafts of a machine, in a sweep by its speeds."""

from __future__ import annotations

from typing import Any

from alegear.case.faults import shown
from alegear.case.machine_tables import MachineTables
from alegear.case.part_table import PartTable
from alegear.case.sweep import SweepTable
from alegear.drivetrain.parts import Drive
from alegear.units import RPM


def drive_of(name: str, table: PartTable, file: MachineTables) -> Drive | None:
    """Make a drive in SI units; None with a fault."""
    given: dict[str, Any] = {}
    analysis = file.tables.get("analysis")
    if isinstance(analysis, SweepTable):
        for key in {"speed_rpm", "speed_table_s_rpm"} & table.model_fields_set:
            what, limit = shown(getattr(table, key)), "excludes speed_from_rpm of a sweep"
            file.fault(f"drives.{name}.{key}", what, limit, "leave it out")
            return None
        given["speed_table"] = tuple((t, rpm * RPM) for t, rpm in analysis.speeds)
    drive: Drive = table.made(file.path.parent, name=name, **given)
    return drive
