"""``[shafts.NAME]`` of a machine."""

from __future__ import annotations

from alegear.case.machine_tables import MachineTables
from alegear.case.material import MaterialTable, material_of
from alegear.case.part_table import table_of
from alegear.drivetrain.shaft import HIGHEST_MODE, Shaft


class MachineShaftTable(table_of(Shaft)):  # type: ignore[misc]
    """``[shafts.NAME]``: a shaft by its sections."""

    material: MaterialTable = MaterialTable()


def shaft_of(name: str, table: MachineShaftTable, file: MachineTables) -> Shaft:
    """Make a shaft in SI units."""
    others = {} if "highest_mode_Hz" in table.given else {"highest_mode": HIGHEST_MODE}
    material = material_of(file.tables.get("material"), table.material)
    shaft: Shaft = table.made(file.path.parent, name=name, material=material, **others)
    return shaft
