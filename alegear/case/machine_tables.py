"""The file of a machine that is being read, and its ``[shafts.NAME]``, ``[drives.NAME]``, bearings and housings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import Field

from alegear.case.faults import MISSING, shown
from alegear.case.gears import MaterialTable, material_of
from alegear.case.sweep import SweepTable
from alegear.case.tables import CaseFile, LazyTables, PartTable, Table, table_of
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.housing import UNITS, Housing, read_housing, read_matrix_file
from alegear.drivetrain.parts import COORDINATE, Drive
from alegear.drivetrain.rolling.bearings import BallBearing, RollerBearing
from alegear.drivetrain.shaft import Shaft
from alegear.parameters import listed, ranged
from alegear.units import MM, RPM


@dataclass
class MachineTables(CaseFile):
    """What a file of a machine holds; ``heading.name`` is what a named table is called in it.

    Parameters
    ----------
    names : dict
        Heading -> names of its tables, in the order of the file.
    """

    names: dict[str, list[str]] = field(default_factory=dict)

    def keys(self, heading: str, name: str) -> type[Table]:
        """Keys of a named table; of a bearing by what it rolls on."""
        if heading == "bearings":
            return bearing_table(self.raw[f"{heading}.{name}"])
        keys: type[Table] = self.schema[f"{heading}.name"]  # type: ignore[assignment]
        return keys

    def named(self, heading: str) -> list[tuple[str, Any]]:
        """Names and tables of a heading that could be read."""
        found = [(name, self.tables.get(f"{heading}.{name}")) for name in self.names[heading]]
        return [(name, table) for name, table in found if table is not None]

    def single(self, name: str) -> Any:
        """A table that every file has; its defaults where that of the file has faults of its own."""
        return self.tables.get(name) or self.schema[name]()

    def made(self, heading: str, make: Callable[[str, Any, MachineTables], Any]) -> tuple[Any, ...]:
        """Make all parts of a heading; a fault goes to the file under the name of its table."""
        parts = []
        for name, table in self.named(heading):
            keys = self.keys(heading, name)
            with self.made_from_table(f"{heading}.{name}", keys, keys.WORDS):
                part = make(name, table, self)
                if part is not None:
                    parts.append(part)
        return tuple(parts)


def part_of(name: str, table: PartTable, file: MachineTables) -> Any:
    """Make a part whose table needs no other."""
    return table.part(name, file.path.parent)


# ----------------------------------------------------------------------------------- shafts and drives
class MachineShaftTable(table_of(Shaft)):  # type: ignore[misc]
    """``[shafts.NAME]``: a shaft by its sections."""

    material: MaterialTable = MaterialTable()


def shaft_of(name: str, table: MachineShaftTable, file: MachineTables) -> Shaft:
    """Make a shaft in SI units."""
    material = material_of(file.tables.get("material"), table.material)
    return table.made(file.path.parent, name=name, material=material)


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
    return table.made(file.path.parent, name=name, **given)


# -------------------------------------------------------------------------------------------- bearings
#: Key that only one kind has -> keys of the table.
KINDS = LazyTables({"rollers": partial(table_of, RollerBearing), "balls": partial(table_of, BallBearing)})


def bearing_table(content: Any) -> type[PartTable]:
    """Keys of a table, by what stands in it; on springs where no rolling elements are named."""
    for kind, part in {"rollers": RollerBearing, "balls": BallBearing}.items():
        if isinstance(content, dict) and kind in content:
            return table_of(part)
    return table_of(Bearing)


def of_another_kind(content: Any) -> dict[str, str]:
    """Keys of a table that only bearings of another kind have, and what these are made of."""
    own = bearing_table(content).model_fields
    found = {}
    for key in content if isinstance(content, dict) else ():
        if key not in own:
            kinds = {"stiffness_N_per_m": table_of(Bearing), **KINDS}
            others = [kind for kind, table in kinds.items() if key in table.model_fields]
            if others:
                found[key] = " or ".join(others)
    return found


# -------------------------------------------------------------------------------------------- housings
MTX = ".mtx"  # files of Abaqus and CalculiX end so


class MatrixNodeTable(Table):
    """``[housings.NAME.nodes.POINT]``: a node of an .mtx, under the name of its point."""

    node: int = Field(ge=1, description="number of the node in the file")
    position_mm: listed(ranged(COORDINATE), 3) = Field(  # type: ignore[valid-type]
        description="where it is in space in mm"
    )


class MachineHousingTable(Table):
    """``[housings.NAME]``: a housing or carrier, condensed to named points."""

    file: str = Field(description="path of the matrices, from the case file's folder: text with named points, or .mtx")
    fixed: list[str] = Field(default=[], description="points that are fixed")
    nodes: dict[str, MatrixNodeTable] = Field(default={}, description="nodes of an .mtx by the names of their points")
    units: Literal[UNITS] | None = Field(default=None, description="units of an .mtx")  # type: ignore[valid-type]
    mass_file: str | None = Field(default=None, description="path of the mass matrix, where it is in a file of its own")


def housing_of(name: str, table: MachineHousingTable, file: MachineTables) -> Housing | None:
    """Read a housing from its files; None with a fault."""
    path, fixed = file.path.parent / table.file, tuple(table.fixed)
    of_mtx = {"nodes": table.nodes or None, "units": table.units}
    if path.suffix.lower() != MTX:
        for key in [key for key, given in (of_mtx | {"mass_file": table.mass_file}).items() if given is not None]:
            limit = f"is a key of an {MTX}: the text file has points and mass, in N, m, kg, rad"
            file.fault(f"housings.{name}.{key}", "given", limit, "leave it out")
            return None
        return read_housing(name, path, fixed=fixed)
    missing = [key for key, given in of_mtx.items() if given is None]
    for key in missing:
        write = {"nodes": f"add [housings.{name}.nodes.POINT]", "units": f"write one of {', '.join(UNITS)}"}[key]
        file.fault(f"housings.{name}.{key}", MISSING, f"is needed: an {MTX} does not say", write)
    if missing:
        return None
    return read_matrix_file(
        name,
        path,
        {one.node: (point, np.array(one.position_mm) * MM) for point, one in table.nodes.items()},
        mass=None if table.mass_file is None else file.path.parent / table.mass_file,
        units=str(table.units),
        fixed=fixed,
    )
