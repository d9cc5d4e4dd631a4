"""From the named tables of a machine, ``[shafts.input]``, ``[meshes.first]`` ..., to a case of a machine in SI units.

A file with a table ``[machine]`` is one of a machine. Every other table has a name of its own, by which messages,
results and other tables call the part. The keys of gears and meshes are those of a case of two gears.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field

from alegear.case.analysis import MachineStaticTable, ModalTable
from alegear.case.dynamic import DynamicTable
from alegear.case.faults import MISSING, CaseFaults, shown
from alegear.case.gears import GridTable, MaterialTable
from alegear.case.machine_gears import MachineGearTable, gear_on_shaft, mesh_of, mesh_table
from alegear.case.machine_tables import (
    KINDS,
    MachineHousingTable,
    MachineShaftTable,
    MachineTables,
    drive_of,
    housing_of,
    of_another_kind,
    part_of,
    shaft_of,
)
from alegear.case.motion_in_time import KinematicsTable, RotationalMotionTable, SpatialMotionTable
from alegear.case.operation import GRAVITY
from alegear.case.output import OutputOptions, OutputTable, PointTable, output_options
from alegear.case.planetary import PlanetaryTable
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL, parts_in_space
from alegear.case.sweep import SweepTable
from alegear.case.tables import LazyTables, Table, TitleTable, check_table
from alegear.case.wear import WearTable
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.laws import DEFAULT, mesh_laws
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.parameters import listed, ranged


class MachineTable(Table):
    """``[machine]``: what holds for the whole machine."""

    fidelity: str = Field(
        default=DEFAULT,
        description=f"law of all meshes that do not give their own: {', '.join(mesh_laws())} ({DEFAULT})",
    )
    gravity_m_s2: listed(ranged(GRAVITY), 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="acceleration of gravity [x, y, z] in m/s2"
    )


class MachinePointTable(PointTable):
    """``[[output.points]]``: on a gear, in each of its flexible meshes."""

    gear: str = Field(description="name of the gear")  # type: ignore[assignment]

    @property
    def which(self) -> int | str:
        """The gear, as an :class:`OutputPoint` has it."""
        return self.gear


class MachineOutputTable(OutputTable):
    """``[output]``: what is written beside the curves."""

    points: list[MachinePointTable] = Field(  # type: ignore[assignment]
        default=[], max_length=OutputOptions.MOST_POINTS, description="points whose stress and motion are recorded"
    )


class MachineSweepTable(SweepTable):
    """``[analysis]`` with ``kind = "sweep"``: speeds of the drive, positive about the direction of its shaft."""

    speed_from_rpm: float = Field(gt=0.0, le=1e6, description="first speed of the drive in rpm")
    speed_to_rpm: float = Field(gt=0.0, le=1e6, description="last speed of the drive in rpm")


#: Name of a heading -> keys of each of its tables.
NAMED = LazyTables.of({"shafts": MachineShaftTable, "gears": MachineGearTable}) | LazyTables({"meshes": mesh_table})
NAMED |= LazyTables.of_parts(Bearing) | LazyTables.of({"housings": MachineHousingTable})
NAMED |= LazyTables.of_parts(Drive, TorqueLoad)
NAMED |= ROTATIONAL | SPATIAL
SINGLE: dict[str, type[Table]] = {
    "machine": MachineTable,
    "material": MaterialTable,
    "grid": GridTable,
    "output": MachineOutputTable,
    "wear": WearTable,
}
ANALYSES: dict[str, type[Table]] = {
    "static": MachineStaticTable,
    "dynamic": DynamicTable,
    "sweep": MachineSweepTable,
    "modal": ModalTable,
}
#: Of a machine with bodies in space.
ANALYSES_IN_SPACE: dict[str, type[Table]] = {"dynamic": SpatialMotionTable, "kinematic": KinematicsTable}
#: Every table as messages name it.
SCHEMA = LazyTables({f"{heading}.name": make for heading, make in NAMED.makers.items()}) | LazyTables.of(SINGLE)
SCHEMA |= LazyTables({f"bearings.name with {key}": make for key, make in KINDS.makers.items()})
SCHEMA |= LazyTables.of({"analysis": MachineStaticTable})
#: Tables of a case of two gears -> what takes their place.
OF_PAIRS = {
    "pair": "[meshes.name]",
    "pinion": "[gears.name]",
    "wheel": "[gears.name]",
    "alignment": "[meshes.name] and the positions of the shafts",
    "contact": "[meshes.name]",
    "operation": "[drives.name] and [loads.name]",
    "supports": "[bearings.name]",
}


def parse_machine(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the fields of a case of a machine from its tables.

    Raises
    ------
    CaseFaults
        With every fault of a part that was found, by its key.
    """
    return _fields(checked_tables(raw, path))


def checked_tables(raw: dict[str, Any], path: Path) -> MachineTables:
    """Check each table of a machine against its keys; what they are to each other is not looked at."""
    file = _tables_of(raw, path)
    _check(file)
    return file


def _tables_of(raw: dict[str, Any], path: Path) -> MachineTables:
    """The file with each named table under its heading and name."""
    flat = {name: content for name, content in raw.items() if name not in NAMED}
    names: dict[str, list[str]] = {heading: [] for heading in NAMED}
    file = MachineTables(flat, path, schema=SCHEMA, names=names)
    for heading in NAMED:
        named = raw.get(heading, {})
        if not isinstance(named, dict) or not all(isinstance(one, dict) for one in named.values()):
            limit = f"must be named tables, [{heading}.name]"
            file.fault(f"[{heading}]", shown(named), limit, f"write [{heading}.name]")
            continue
        for name, content in named.items():
            names[heading].append(name)
            flat[f"{heading}.{name}"] = content
    return file


# --------------------------------------------------------------------- tables against their keys
def _check(file: MachineTables) -> None:
    """Read all tables that keep to their keys; the others have faults."""
    for heading in NAMED:
        for name in file.names[heading]:
            content = file.raw[f"{heading}.{name}"]
            for key, kind in of_another_kind(content).items() if heading == "bearings" else ():
                limit = f"is a key of bearings with {kind} only"
                file.fault(f"{heading}.{name}.{key}", shown(content[key]), limit, "leave it out")
                content = {one: value for one, value in content.items() if one != key}
            check_table(file, f"{heading}.{name}", file.keys(heading, name), content)
    for name, keys in SINGLE.items():
        check_table(file, name, keys, file.raw.get(name, {}))
    _check_analysis(file)
    known = {*SINGLE, "analysis", *(f"{h}.{n}" for h, names in file.names.items() for n in names)}
    for name, instead in OF_PAIRS.items():
        if name in file.raw:
            file.fault(f"[{name}]", "{table}", "is of a case of two gears, without [machine]", f"write {instead}")
    top = {key: value for key, value in file.raw.items() if key not in {*known, *OF_PAIRS}}
    check_table(file, "", TitleTable, top)


def _check_analysis(file: MachineTables) -> None:
    """Read the table of the analysis, whose keys go by its kind and by the machine."""
    content = file.raw.get("analysis")
    if content is None:
        file.fault("[analysis]", MISSING, "the table is needed", "add [analysis]")
        return
    kind = content.get("kind", MISSING) if isinstance(content, dict) else MISSING
    in_space = any(file.names[heading] for heading in SPATIAL)
    analyses = ANALYSES_IN_SPACE if in_space else ANALYSES
    if kind == "dynamic" and not in_space and _is_torsional(file):
        analyses = {**analyses, "dynamic": RotationalMotionTable}
    file.kinds = {"analysis": analyses}
    keys = analyses.get(kind) if isinstance(kind, str) else None
    if keys is None:
        known = " or ".join(f'"{one}"' for one in analyses)
        value = MISSING if kind == MISSING else shown(kind)
        whose = "a machine with bodies in space" if in_space else "a machine"
        file.fault("analysis.kind", value, f"must be {known} for {whose}", f"write kind = {known}")
        return
    check_table(file, "analysis", keys, content)


def _is_torsional(file: MachineTables) -> bool:
    """Whether there are torsional parts, and nothing that is displaced or touches."""
    default, laws = file.single("machine").fidelity, mesh_laws()
    words = [mesh.fidelity or default for _, mesh in file.named("meshes")]
    touch = any(word in laws and (laws[word].needs_contact or laws[word].uses_generalized_alpha) for word in words)
    touch = touch or any(part.uses_generalized_alpha for heading in ROTATIONAL for _, part in file.named(heading))
    shafts = [file.tables.get(f"shafts.{name}") for name in file.names["shafts"]]
    held = all(shaft is not None and shaft.fixed_axis for shaft in shafts)
    return any(file.names[heading] for heading in ROTATIONAL) and held and not touch


# ------------------------------------------------------------------------------------------ parts
def _fields(file: MachineTables) -> dict[str, Any]:
    """Make all parts."""
    table = file.tables.get("analysis")
    file.fields["analysis"] = None if table is None else table.read(file, "analysis")
    makers: dict[str, Callable[[str, Any, MachineTables], Any]] = {
        "shafts": shaft_of,
        "gears": gear_on_shaft,
        "meshes": mesh_of,
        "bearings": part_of,
        "housings": housing_of,
        "drives": drive_of,
        "loads": part_of,
    }
    made = {heading: file.made(heading, make) for heading, make in makers.items()}
    of_gears: dict[str, Callable[[str, Any, MachineTables], Any]] = {PlanetaryGearSet.TABLE: _planetary_of}
    parts = [one for heading in ROTATIONAL for one in file.made(heading, of_gears.get(heading, part_of))]
    parts += parts_in_space(file)
    output = output_options(file, file.tables["output"]) if "output" in file.tables else None
    wear = file.single("wear").read(file, "wear")
    if file.faults:
        raise CaseFaults(file.faults)
    x, y, z = file.tables["machine"].gravity_m_s2 or (0.0, 0.0, 0.0)
    return {
        "title": file.tables[""].title or file.path.stem,
        "path": file.path,
        "gravity": (x, y, z),
        "analysis": file.fields["analysis"],
        "output": output,
        "wear": wear,
        "parts": tuple(parts),
        **made,
    }


def _planetary_of(name: str, table: PlanetaryTable, file: MachineTables) -> PlanetaryGearSet:
    """A planetary set, whose gears are of the material of the file where they have none of their own."""
    return table.part(name, file.path.parent, file.tables.get("material"))
