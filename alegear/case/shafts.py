"""``[shafts.pinion]`` and ``[shafts.wheel]``: torsion shafts between a gear and its drive or load."""

from __future__ import annotations

from typing import Any

from alegear.case.faults import MISSING, Finding, Findings, shown
from alegear.case.operation import Operation
from alegear.case.tables import CaseFile, Section, Table, table_of
from alegear.contact.numbering import GEARS
from alegear.dynamics.joints import TorsionShaft

LARGEST_TWIST = 1.0
"""Twist [rad] of a shaft under its torque."""


class ShaftTable(table_of(TorsionShaft)):  # type: ignore[misc]
    """``[shafts.pinion]``: what lies between a gear and its drive or load."""


class ShaftsTable(Table):
    """``[shafts]``: torsion shafts of both gears."""

    pinion: ShaftTable | None = None
    wheel: ShaftTable | None = None


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("shafts")
    if table is None:
        return {}
    shafts = [getattr(table, gear) for gear in GEARS]
    return {"shafts": tuple(None if one is None else one.made(file.path.parent) for one in shafts)}


def _shafts(
    shafts: tuple[TorsionShaft | None, TorsionShaft | None], operation: Operation, teeth: tuple[int, int]
) -> Findings:
    for gear, shaft, z in zip(GEARS, shafts, teeth, strict=True):
        if shaft is None:
            continue
        key = f"shafts.{gear}.inertia_kg_m2"
        if gear == operation.driver and shaft.inertia:
            limit = f'has no effect at the driver (driver = "{gear}"): that end turns as prescribed'
            remedy = "leave it out; supports.*.added_inertia_kg_m2 sits on the gear"
            yield Finding(key, shown(shaft.inertia), limit, remedy)
        elif gear != operation.driver and not shaft.inertia:
            limit = "is needed at the driven gear: its shaft ends at the load"
            yield Finding(key, MISSING, limit, "give the inertia of the load, or leave out the shaft")
        torque = abs(operation.pinion_torque) * z / teeth[0]
        twist = torque / shaft.stiffness
        if twist > LARGEST_TWIST:
            limit = f"twists by {twist:.3g} rad under {torque:.4g} N m, must be at most {LARGEST_TWIST:g} rad"
            key = f"shafts.{gear}.stiffness_Nm_per_rad"
            yield Finding(key, shown(shaft.stiffness), limit, "check the unit, N m per rad")


SECTION = Section(tables={"shafts": ShaftsTable}, fields=("shafts",), read=_read, rules=(_shafts,))
