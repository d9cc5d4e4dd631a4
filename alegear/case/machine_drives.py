"""``[drives.NAME]`` and ``[loads.NAME]``: what drives shafts of a machine and what they drive."""

from __future__ import annotations

from pydantic import Field

from alegear.case.faults import shown
from alegear.case.machine_tables import MOST_ROWS, MachineTables
from alegear.case.schema import Table, limited, limited_number, listed
from alegear.case.sweep import SweepTable
from alegear.case.units import MM, RPM
from alegear.drivetrain.parts import AT, SPEED, TORQUE, Drive, TorqueLoad

_Speeds = listed(listed(limited_number(SPEED), 2), 2, MOST_ROWS)
_Torques = listed(listed(limited_number(TORQUE), 2), 2, MOST_ROWS)


class MachineDriveTable(Table):
    """``[drives.NAME]``: what turns a shaft."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(AT, "position along the shaft in mm (0)", default=0.0)
    speed_rpm: float | None = limited(SPEED, "speed about the direction of the shaft in rpm", default=None)
    speed_table_s_rpm: _Speeds | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the speed in rpm"
    )
    torque_Nm: float | None = limited(TORQUE, "torque in the direction of rotation in N m", default=None)
    proportional_Nms_per_rad: float = limited(
        Drive.LIMITS["proportional"],
        "proportional gain of a PI controller that holds the speed in motions in N m s/rad (0: it is prescribed)",
        default=0.0,
    )
    integral_Nm_per_rad: float = limited(
        Drive.LIMITS["integral"], "integral gain of that controller in N m/rad (0)", default=0.0
    )


class MachineLoadTable(Table):
    """``[loads.NAME]``: what a shaft drives."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(AT, "position along the shaft in mm (0)", default=0.0)
    torque_Nm: float | None = limited(TORQUE, "torque against the rotation in N m", default=None)
    torque_table_s_Nm: _Torques | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the torque in N m"
    )
    reacts: bool = Field(default=False, description="whether it takes what the torque of the drive leaves")
    inertia_kg_m2: float = limited(TorqueLoad.LIMITS["inertia"], "inertia of what is driven in kg m2", default=0.0)


def drive_of(name: str, table: MachineDriveTable, file: MachineTables) -> Drive | None:
    """Make a drive in SI units; None with a fault."""
    speed, rows, analysis = table.speed_rpm, table.speed_table_s_rpm, file.tables.get("analysis")
    if isinstance(analysis, SweepTable):
        for key in ("speed_rpm", "speed_table_s_rpm"):
            if getattr(table, key) is not None:
                what, limit = shown(getattr(table, key)), "excludes speed_from_rpm of a sweep"
                file.fault(f"drives.{name}.{key}", what, limit, "leave it out")
                return None
        rows = analysis.speeds
    return Drive(
        name=name,
        shaft=table.shaft,
        at=table.at_mm * MM,
        speed=None if speed is None else speed * RPM,
        torque=table.torque_Nm,
        proportional=table.proportional_Nms_per_rad,
        integral=table.integral_Nm_per_rad,
        speed_table=None if rows is None else tuple((t, rpm * RPM) for t, rpm in rows),
    )


def load_of(name: str, table: MachineLoadTable, file: MachineTables) -> TorqueLoad:
    """Make a load in SI units."""
    rows = table.torque_table_s_Nm
    return TorqueLoad(
        name=name,
        shaft=table.shaft,
        at=table.at_mm * MM,
        torque=table.torque_Nm,
        reacts=table.reacts,
        inertia=table.inertia_kg_m2,
        torque_table=None if rows is None else tuple((t, torque) for t, torque in rows),
    )
