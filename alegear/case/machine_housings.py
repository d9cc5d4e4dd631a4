"""``[housings.NAME]``: matrices of a housing at named points."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from alegear.case.faults import MISSING
from alegear.case.machine_tables import MachineTables
from alegear.case.schema import Table, limited_number, listed
from alegear.drivetrain.housing import UNITS, Housing, read_housing, read_matrix_file
from alegear.drivetrain.parts import COORDINATE
from alegear.units import MM

MTX = ".mtx"  # files of Abaqus and CalculiX end so


class MatrixNodeTable(Table):
    """``[housings.NAME.nodes.POINT]``: a node of an .mtx, under the name of its point."""

    node: int = Field(ge=1, description="number of the node in the file")
    position_mm: listed(limited_number(COORDINATE), 3) = Field(  # type: ignore[valid-type]
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
