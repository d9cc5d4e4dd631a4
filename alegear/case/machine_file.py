"""From the named tables of a machine, ``[shafts.input]``, ``[meshes.first]`` ..., to a case of a machine in SI units.

A file with a table ``[machine]`` is one of a machine. Every other table has a name of its own, by which messages,
results and other tables call the part. The keys of gears and meshes are those of a case of two gears.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from pydantic import Field, create_model

from alegear.case.bearings import KINDS, BearingTable, LinearBearingTable, bearing_table, of_another_kind
from alegear.case.case_file import CaseFile
from alegear.case.contact import FrictionTable, contact_friction
from alegear.case.damaged_teeth import DamagedToothTable
from alegear.case.dynamic import DynamicTable
from alegear.case.faults import MISSING, CaseFaults, shown
from alegear.case.flank import misses_a_key
from alegear.case.gears import EitherGearTable, gear_of, ring_of
from alegear.case.machine_analysis import MachineStaticTable
from alegear.case.material import MaterialTable, material_of
from alegear.case.mesh import MeshTable, completed_options
from alegear.case.modal import ModalTable
from alegear.case.operation import Operation
from alegear.case.output import OutputOptions, OutputTable, PointTable, output_options
from alegear.case.pair import PairTable
from alegear.case.part_table import PartTable
from alegear.case.planetary import PlanetaryTable
from alegear.case.rotational import ROTATIONAL, LossRows
from alegear.case.rotational_motion import RotationalMotionTable
from alegear.case.schema import Table, limited, limited_number, listed
from alegear.case.spatial import SPATIAL, TOOTHED, SpatialMeshTable
from alegear.case.spatial_motion import KinematicsTable, SpatialMotionTable
from alegear.case.sweep import SweepTable
from alegear.case.tables import TitleTable, check_table
from alegear.case.units import MM, RPM
from alegear.contact.law import Friction
from alegear.drivetrain.bearing import ShaftBearing
from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.housing import UNITS, Housing, read_housing, read_matrix_file
from alegear.drivetrain.laws import DEFAULT, law_named, law_of, mesh_laws, parameters_of, without_effect
from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.parts import AT, SPEED, TORQUE, Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.shaft import HIGHEST_MODE, Shaft
from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.limits import Limits
from alegear.results.result import load

MOST_ROWS = 10_000
MTX = ".mtx"  # files of Abaqus and CalculiX end so
PAIR_OF_EFFICIENCY = Limits(quantity="mesh velocity or efficiency", key="efficiency_m_per_s", least=0.0, most=1e6)
_COORDINATE = Limits(quantity="position", key="position_mm", unit="mm", factor=MM, least=-1e8, most=1e8)


class MachineTable(Table):
    """``[machine]``."""

    fidelity: str = Field(default=DEFAULT, description=f"law of all meshes that do not give their own ({DEFAULT})")
    gravity_m_s2: listed(limited_number(Operation.GRAVITY), 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="acceleration of gravity [x, y, z] in m/s2"
    )


class MachineShaftTable(Table):
    """``[shafts.NAME]``."""

    sections_mm: list[listed(float, 3)] = Field(  # type: ignore[valid-type]
        default=[], description="sections one after the other: length, outer and inner diameter in mm"
    )
    position_mm: listed(limited_number(_COORDINATE), 3) = Field(  # type: ignore[valid-type]
        default=[0.0, 0.0, 0.0], description="beginning of the shaft in space in mm"
    )
    direction: listed(float, 3) = Field(  # type: ignore[valid-type]
        default=[0.0, 0.0, 1.0], description="direction in which it extends"
    )
    rigid: bool = Field(default=False, description="whether it is one rigid body")
    hinge: bool = Field(default=False, description="whether its axis is held, so that it only turns")
    highest_mode_Hz: float = limited(
        Shaft.LIMITS["highest_mode"],
        "highest frequency of stretches between its parts in Hz (25000)",
        default=HIGHEST_MODE / (2.0 * math.pi),
    )
    longest_element_mm: float | None = Field(default=None, gt=0.0, description="longest beam element in mm")
    material: MaterialTable = MaterialTable()


class MachineGearTable(EitherGearTable):
    """``[gears.NAME]``: as ``[pinion]``, on a shaft; it may be a ring."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(AT, "position of its mid-face along the shaft in mm")
    tooth_angle_deg: float = limited(
        ShaftGear.LIMITS["tooth_angle"], "angle of tooth 0 against other gears of the shaft in degrees", default=0.0
    )


_Pairs = listed(listed(limited_number(PAIR_OF_EFFICIENCY), 2), 1, MOST_ROWS)


class MachineMeshTable(PairTable, FrictionTable):
    """``[meshes.NAME]``: keys of ``[pair]``, ``[alignment]``, ``[contact]``, of the first gear against the second."""

    gears: listed(str, 2) = Field(description="names of the two gears")  # type: ignore[valid-type]
    fidelity: str | None = Field(default=None, description="law of the mesh")
    tilt_plane_of_action_deg: float = limited(
        Alignment.LIMITS["tilt_plane_of_action"],
        "tilt of the first gear in the plane of action in degrees, positive closes at +z",
        default=0.0,
    )
    tilt_normal_deg: float = limited(
        Alignment.LIMITS["tilt_normal"], "tilt of the first gear in the plane normal to it in degrees", default=0.0
    )
    center_distance_error_um: float = limited(
        Alignment.LIMITS["center_distance_error"], "what the centre distance is more, in micrometres", default=0.0
    )

    losses: LossRows | None = Field(  # type: ignore[valid-type]
        default=None, description="rows of speed of the first gear in rad/s, eta_mf1, eta_mf2, tau_bf1, tau_bf2 in N m"
    )
    losses_csv: str | None = Field(default=None, description="path of such a table, from the case file's folder")
    efficiency_m_per_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a mesh velocity in m/s, rising, and the efficiency of the mesh"
    )
    stiffness_from: str | None = Field(
        default=None, description="folder with the result of a static study of the two gears, from the case file's"
    )
    bending_from: str | None = Field(
        default=None, description="folder of such a result, for what teeth give way beside Hertz's indentation"
    )
    damaged_teeth: list[DamagedToothTable] | None = Field(
        default=None, max_length=1000, description="teeth that have lost material, or are missing, one table each"
    )


#: Parameters of laws that are objects -> keys of the table that they are made of. Numbers have theirs in the law.
OBJECTS_OF_LAWS: dict[str, tuple[str, ...]] = {
    "alignment": ("tilt_plane_of_action_deg", "tilt_normal_deg", "center_distance_error_um"),
    "friction": tuple(FrictionTable.model_fields),
    "losses": ("losses", "losses_csv"),
    "efficiency": ("efficiency_m_per_s",),
    "stiffness_from": ("stiffness_from",),
    "damaged_teeth": ("damaged_teeth",),
    "bending_from": ("bending_from",),
}


def mesh_table() -> type[MachineMeshTable]:
    """``[meshes.NAME]`` with the keys of all laws that there are."""
    numbers = {limits.key: limits for law in mesh_laws().values() for limits in law.LIMITS.values()}
    fields: dict[str, Any] = {
        key: (int | None if one.whole else float | None, limited(one, _described(one), default=None))
        for key, one in numbers.items()
    }
    for key, words in _words().items():
        own = MachineMeshTable.model_fields.get(key)
        described = key if own is None or own.description is None else own.description
        fields[key] = (Literal[words] | None, Field(default=None, description=described))  # type: ignore[valid-type]
    return create_model("MeshTableOfLaws", __base__=MachineMeshTable, **fields)


def _words() -> dict[str, tuple[str, ...]]:
    """Words that a key takes with any law, by keys that have words."""
    found: dict[str, list[str]] = {"friction": list(get_args(FrictionTable.model_fields["friction"].annotation))}
    for law in mesh_laws().values():
        for key, words in law.WORDS.items():
            found.setdefault(key, []).extend(words)
    return {key: tuple(dict.fromkeys(words)) for key, words in found.items()}


def _described(limits: Limits) -> str:
    return limits.quantity + (f" in {limits.unit}" if limits.unit else "")


class MatrixNodeTable(Table):
    """``[housings.NAME.nodes.POINT]``: a node of an .mtx, under the name of its point."""

    node: int = Field(ge=1, description="number of the node in the file")
    position_mm: listed(limited_number(_COORDINATE), 3) = Field(  # type: ignore[valid-type]
        description="where it is in space in mm"
    )


class MachineHousingTable(Table):
    """``[housings.NAME]``."""

    file: str = Field(description="path of the matrices, from the case file's folder: text with named points, or .mtx")
    fixed: list[str] = Field(default=[], description="points that stand still")
    nodes: dict[str, MatrixNodeTable] = Field(default={}, description="nodes of an .mtx by the names of their points")
    units: Literal[UNITS] | None = Field(default=None, description="units of an .mtx")  # type: ignore[valid-type]
    mass_file: str | None = Field(default=None, description="path of the mass matrix, where an .mtx has it apart")


class MachinePointTable(PointTable):
    """``[[output.points]]``: on a gear, in each of its flexible meshes."""

    gear: str = Field(description="name of the gear")  # type: ignore[assignment]

    @property
    def which(self) -> int | str:
        """The gear, as an :class:`OutputPoint` has it."""
        return self.gear


class MachineOutputTable(OutputTable):
    """``[output]``."""

    points: list[MachinePointTable] = Field(  # type: ignore[assignment]
        default=[], max_length=OutputOptions.MOST_POINTS, description="points whose stress and motion are recorded"
    )


_Speeds = listed(listed(limited_number(SPEED), 2), 2, MOST_ROWS)
_Torques = listed(listed(limited_number(TORQUE), 2), 2, MOST_ROWS)


class MachineDriveTable(Table):
    """``[drives.NAME]``."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(AT, "position along the shaft in mm (0)", default=0.0)
    speed_rpm: float | None = limited(SPEED, "speed about the direction of the shaft in rpm", default=None)
    speed_table_s_rpm: _Speeds | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the speed in rpm"
    )
    torque_Nm: float | None = limited(TORQUE, "torque in the direction of rotation in N m", default=None)
    proportional_Nms_per_rad: float = limited(
        Drive.LIMITS["proportional"],
        "proportional gain of a PI controller that holds the speed in motions in N m s/rad (0: the shaft is led)",
        default=0.0,
    )
    integral_Nm_per_rad: float = limited(
        Drive.LIMITS["integral"], "integral gain of that controller in N m/rad (0)", default=0.0
    )


class MachineLoadTable(Table):
    """``[loads.NAME]``."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(AT, "position along the shaft in mm (0)", default=0.0)
    torque_Nm: float | None = limited(TORQUE, "torque against the rotation in N m", default=None)
    torque_table_s_Nm: _Torques | None = Field(  # type: ignore[valid-type]
        default=None, description="pairs of a time in s and the torque in N m"
    )
    reacts: bool = Field(default=False, description="whether it takes what the torque of the drive leaves")
    inertia_kg_m2: float = limited(TorqueLoad.LIMITS["inertia"], "inertia of what is driven in kg m2", default=0.0)


#: Name of a heading -> keys of each of its tables.
NAMED: dict[str, type[Table]] = {
    "shafts": MachineShaftTable,
    "gears": MachineGearTable,
    "meshes": MachineMeshTable,
    "bearings": LinearBearingTable,
    "housings": MachineHousingTable,
    "drives": MachineDriveTable,
    "loads": MachineLoadTable,
    **ROTATIONAL,
    **SPATIAL,
}
SINGLE: dict[str, type[Table]] = {
    "machine": MachineTable,
    "material": MaterialTable,
    "mesh": MeshTable,
    "output": MachineOutputTable,
}


class MachineSweepTable(SweepTable):
    """``[analysis]`` with ``kind = "sweep"``: of the drive, about the direction of its shaft."""

    speed_from_rpm: float = Field(gt=0.0, le=1e6, description="first speed of the drive in rpm")
    speed_to_rpm: float = Field(gt=0.0, le=1e6, description="last speed of the drive in rpm")


ANALYSES: dict[str, type[Table]] = {
    "static": MachineStaticTable,
    "dynamic": DynamicTable,
    "sweep": MachineSweepTable,
    "modal": ModalTable,
}
#: Of a machine with bodies in space.
ANALYSES_IN_SPACE: dict[str, type[Table]] = {"dynamic": SpatialMotionTable, "kinematic": KinematicsTable}
#: Every table as messages name it.
SCHEMA: dict[str, type[Table]] = {f"{heading}.name": keys for heading, keys in NAMED.items()} | SINGLE
SCHEMA |= {f"bearings.name with {key}": keys for key, keys in KINDS.items()}
SCHEMA |= {"analysis": MachineStaticTable}
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
    return _MachineFile(raw, path).fields()


class _MachineFile:
    """A file of a machine that is being read."""

    def __init__(self, raw: dict[str, Any], path: Path) -> None:
        self.path, self.keys = path, {**NAMED, "meshes": mesh_table()}
        flat = {name: content for name, content in raw.items() if name not in NAMED}
        self.names: dict[str, list[str]] = {heading: [] for heading in NAMED}
        self.file = CaseFile(flat, path, schema={**SCHEMA, "meshes.name": self.keys["meshes"]})
        for heading in NAMED:
            named = raw.get(heading, {})
            if not isinstance(named, dict) or not all(isinstance(one, dict) for one in named.values()):
                limit = f"must be named tables, [{heading}.name]"
                self.file.fault(f"[{heading}]", shown(named), limit, f"write [{heading}.name]")
                continue
            for name, content in named.items():
                self.names[heading].append(name)
                flat[f"{heading}.{name}"] = content
        self._check()

    def _keys(self, heading: str, name: str) -> type[Table]:
        """Keys of a named table; of a bearing by what it rolls on."""
        return bearing_table(self.file.raw[f"{heading}.{name}"]) if heading == "bearings" else self.keys[heading]

    def _check(self) -> None:
        file = self.file
        for heading in NAMED:
            for name in self.names[heading]:
                content = file.raw[f"{heading}.{name}"]
                for key, kind in of_another_kind(content).items() if heading == "bearings" else ():
                    limit = f"is a key of bearings with {kind} only"
                    file.fault(f"{heading}.{name}.{key}", shown(content[key]), limit, "leave it out")
                    content = {one: value for one, value in content.items() if one != key}
                check_table(file, f"{heading}.{name}", self._keys(heading, name), content)
        for name, keys in SINGLE.items():
            check_table(file, name, keys, file.raw.get(name, {}))
        self._check_analysis()
        known = {*SINGLE, "analysis", *(f"{h}.{n}" for h, names in self.names.items() for n in names)}
        for name, instead in OF_PAIRS.items():
            if name in file.raw:
                file.fault(f"[{name}]", "{table}", "is of a case of two gears, without [machine]", f"write {instead}")
        top = {key: value for key, value in file.raw.items() if key not in {*known, *OF_PAIRS}}
        check_table(file, "", TitleTable, top)

    def _check_analysis(self) -> None:
        file = self.file
        content = file.raw.get("analysis")
        if content is None:
            file.fault("[analysis]", MISSING, "the table is needed", "add [analysis]")
            return
        kind = content.get("kind", MISSING) if isinstance(content, dict) else MISSING
        in_space = any(self.names[heading] for heading in SPATIAL)
        analyses = ANALYSES_IN_SPACE if in_space else ANALYSES
        keys = analyses.get(kind) if isinstance(kind, str) else None
        if keys is DynamicTable and self._only_turns:
            keys = RotationalMotionTable
        if keys is None:
            known = " or ".join(f'"{one}"' for one in analyses)
            value = MISSING if kind == MISSING else shown(kind)
            whose = "a machine with bodies in space" if in_space else "a machine"
            file.fault("analysis.kind", value, f"must be {known} for {whose}", f"write kind = {known}")
            return
        check_table(file, "analysis", keys, content)

    @property
    def _only_turns(self) -> bool:
        """Whether there are parts that only turn, and nothing that is displaced or touches."""
        file = self.file
        shafts = [file.tables.get(f"shafts.{name}") for name in self.names["shafts"]]
        meshes = [file.tables.get(f"meshes.{name}") for name in self.names["meshes"]]
        default, laws = self._single("machine").fidelity, mesh_laws()
        words = [mesh.fidelity or default for mesh in meshes if mesh is not None]
        touch = any(word in laws and (laws[word].needs_contact or laws[word].in_steps) for word in words)
        parts = [file.tables.get(f"{heading}.{name}") for heading in ROTATIONAL for name in self.names[heading]]
        touch = touch or any(part is not None and part.in_steps for part in parts)
        held = all(shaft is not None and shaft.hinge for shaft in shafts)
        return any(self.names[heading] for heading in ROTATIONAL) and held and not touch

    # ------------------------------------------------------------------ parts
    def fields(self) -> dict[str, Any]:
        """Make all parts."""
        file = self.file
        table = file.tables.get("analysis")
        file.fields["analysis"] = None if table is None else table.analysis(file)
        makers: dict[str, Callable[[str, Any], Any]] = {
            "shafts": self._shaft,
            "gears": self._gear,
            "meshes": self._mesh,
            "bearings": self._bearing,
            "housings": self._housing,
            "drives": self._drive,
            "loads": self._load,
        }
        made = {heading: self._made(heading, make) for heading, make in makers.items()}
        of_gears: dict[str, Callable[[str, Any], Any]] = {PlanetaryGearSet.TABLE: self._planetary}
        parts = [one for heading in ROTATIONAL for one in self._made(heading, of_gears.get(heading, self._rotational))]
        parts += self._spatial()
        output = output_options(file, file.tables["output"]) if "output" in file.tables else None
        if file.faults:
            raise CaseFaults(file.faults)
        x, y, z = file.tables["machine"].gravity_m_s2 or (0.0, 0.0, 0.0)
        return {
            "title": file.tables[""].title or self.path.stem,
            "path": self.path,
            "gravity": (x, y, z),
            "analysis": file.fields["analysis"],
            "output": output,
            "parts": tuple(parts),
            **made,
        }

    def _single(self, name: str) -> Any:
        """A table that every file has; its defaults where that of the file has faults of its own."""
        return self.file.tables.get(name) or SINGLE[name]()

    def _made(self, heading: str, make: Callable[[str, Any], Any]) -> tuple[Any, ...]:
        """Make all parts of a heading; a fault goes to the file under the name of its table."""
        parts = []
        for name in self.names[heading]:
            table = self.file.tables.get(f"{heading}.{name}")
            if table is not None:
                with self.file.made_from_table(f"{heading}.{name}", self._keys(heading, name)):
                    part = make(name, table)
                    if part is not None:
                        parts.append(part)
        return tuple(parts)

    def _spatial(self) -> list[Any]:
        """Make the parts in space; meshes are made of toothed bodies by their names."""
        toothed = {one.name: one for heading in TOOTHED for one in self._made(heading, self._rotational)}
        asked = [name for heading in TOOTHED for name in self.names[heading]]
        if len(toothed) == len(asked):  # else they have faults of their own, or share a name
            meshed = [name for _, table in self._tables("spatial_meshes") for name in table.gears]
            for heading in TOOTHED:
                for name in self.names[heading]:
                    if name not in meshed:
                        limit, remedy = "must be in a mesh", "add [spatial_meshes.name] that names it, or leave it out"
                        self.file.fault(f"[{heading}.{name}]", "in no mesh", limit, remedy)
        for name in self.names["spatial_racks"]:
            if name in self.names["spatial_gears"]:
                remedy = "rename it: [spatial_meshes] tell them by their names"
                self.file.fault(f"[spatial_racks.{name}]", shown(name), "must be a name that no gear has", remedy)

        def mesh(name: str, table: SpatialMeshTable) -> Any:
            for one in table.gears:
                if one not in asked:
                    known = ", ".join(f'"{other}"' for other in asked)
                    remedy = f"name two of {known}" if known else "add [spatial_gears.name]"
                    self.file.fault(f"spatial_meshes.{name}.gears", shown(one), "no such gear or rack", remedy)
            if all(one in toothed for one in table.gears):
                return table.mesh(name, (toothed[table.gears[0]], toothed[table.gears[1]]))
            return None

        makers: dict[str, Callable[[str, Any], Any]] = {"spatial_meshes": mesh}
        headings = [heading for heading in SPATIAL if heading not in TOOTHED]
        return [one for heading in headings for one in self._made(heading, makers.get(heading, self._rotational))]

    def _tables(self, heading: str) -> list[tuple[str, Any]]:
        """Names and tables of a heading that could be read."""
        found = [(name, self.file.tables.get(f"{heading}.{name}")) for name in self.names[heading]]
        return [(name, table) for name, table in found if table is not None]

    def _rotational(self, name: str, table: PartTable) -> Any:
        return table.part(name, self.path.parent)

    def _planetary(self, name: str, table: PlanetaryTable) -> PlanetaryGearSet:
        return table.part(name, self.path.parent, self.file.tables.get("material"))

    def _shaft(self, name: str, table: MachineShaftTable) -> Shaft:
        longest = table.longest_element_mm
        return Shaft(
            name=name,
            sections=[[value * MM for value in row] for row in table.sections_mm],
            position=[value * MM for value in table.position_mm],
            direction=table.direction,
            material=material_of(self.file.tables.get("material"), table.material),
            rigid=table.rigid,
            hinge=table.hinge,
            highest_mode=2.0 * math.pi * table.highest_mode_Hz,
            longest_element=None if longest is None else longest * MM,
        )

    def _gear(self, name: str, table: MachineGearTable) -> ShaftGear | None:
        rack = self._rack(name)
        if rack is None or misses_a_key(self.file, f"gears.{name}", table.flank):
            return None
        if table.teeth_modelled is not None:
            key = f"gears.{name}.teeth_modelled"
            self.file.fault(key, shown(table.teeth_modelled), "is not for machines: wheels turn", "leave it out")
            return None
        kind = "a ring" if table.is_ring else "an external gear"
        for key in table.without_effect:
            value, limit = shown(getattr(table, key)), f"has no effect on {kind}"
            self.file.fault(f"gears.{name}.{key}", "given" if key == "mesh" else value, limit, "leave it out")
        if table.missing is not None:
            self.file.fault(f"gears.{name}.{table.missing}", MISSING, f"is needed for {kind}", f"add {table.missing}")
        if table.without_effect or table.missing is not None:
            return None
        make = ring_of if table.is_ring else gear_of
        gear: CylindricalGear = make(table, folder=self.path.parent, teeth=None, **rack)
        path = None if table.mesh.file is None else self.path.parent / table.mesh.file
        if path is not None and not path.is_file():
            self.file.fault(
                f"gears.{name}.mesh.file", shown(table.mesh.file), f"no such file: {path}", "check the path"
            )
            return None
        return ShaftGear(
            name=name,
            shaft=table.shaft,
            at=table.at_mm * MM,
            gear=gear,
            material=material_of(self.file.tables.get("material"), table.material),
            mesh_options=None
            if path is not None or gear.internal
            else completed_options(gear, self._single("mesh"), table.mesh),
            mesh_file=path,
            tooth_angle=math.radians(table.tooth_angle_deg),
        )

    def _rack(self, gear: str) -> dict[str, float] | None:
        """Module, pressure and helix angle of a gear, from the meshes that it is in; None with a fault."""
        found: dict[str, tuple[dict[str, float], str]] = {}
        if any(f"meshes.{mesh}" not in self.file.tables for mesh in self.names["meshes"]):
            return None  # a mesh that cannot be read has its own fault, and may name this gear
        for mesh in self.names["meshes"]:
            table = self.file.tables.get(f"meshes.{mesh}")
            if table is None:
                continue
            for number, name in enumerate(table.gears):
                if name == gear:
                    turned = number and not any(self._is_ring(one) for one in table.gears)  # hands are equal in a ring
                    beta = math.radians(table.helix_angle_deg) * (-1.0 if turned else 1.0)
                    given = {
                        "normal_module": table.normal_module_mm * MM,
                        "alpha_n": math.radians(table.pressure_angle_deg),
                        "beta": beta + 0.0,
                    }
                    found[mesh] = (given, mesh)
        if not found:
            remedy = "add a mesh that names it, or leave out the gear"
            self.file.fault(f"[gears.{gear}]", "in no mesh", "must be in a mesh", remedy)
            return None
        (first, given_by), *others = found.values()
        keys = {"normal_module": "normal_module_mm", "alpha_n": "pressure_angle_deg", "beta": "helix_angle_deg"}
        for given, mesh in others:
            for quantity, key in keys.items():
                if given[quantity] != first[quantity]:
                    value = self.file.given(f"meshes.{mesh}", key)[0]
                    limit = f"must be that of mesh {given_by}, which has gear {gear} too"
                    if quantity == "beta":
                        limit += ", of the other sign where it is first in one mesh and second in the other"
                        limit += " (in a ring both gears have the same)"
                    self.file.fault(f"meshes.{mesh}.{key}", shown(value), limit, "correct one of them")
                    return None
        return first

    def _is_ring(self, gear: str) -> bool:
        table = self.file.tables.get(f"gears.{gear}")
        return table is not None and table.is_ring

    def _mesh(self, name: str, table: MachineMeshTable) -> GearMesh | None:
        where = f"meshes.{name}"
        if table.center_distance_mm is not None:
            limit = "has no effect: the positions of the shafts give it"
            self.file.fault(f"{where}.center_distance_mm", shown(table.center_distance_mm), limit, "leave it out")
        for gear in table.gears:
            if self.names["gears"] and gear not in self.names["gears"]:
                there = ", ".join(f'"{one}"' for one in self.names["gears"])
                self.file.fault(f"{where}.gears", shown(gear), "no such gear", f"name two of {there}")
        law = self._law(name, table)
        return None if law is None else GearMesh(name=name, gears=(table.gears[0], table.gears[1]), law=law)

    def _law(self, name: str, table: MachineMeshTable) -> MeshLaw | None:
        """The law of a mesh; None with a fault. Keys of other laws have no effect, and are refused."""
        where, word = f"meshes.{name}", table.fidelity or self._single("machine").fidelity
        try:
            law = law_named(word, name)
        except Fault as fault:
            key = f"{where}.fidelity" if table.fidelity is not None else "machine.fidelity"
            self.file.fault(key, shown(word), f"must be {fault.limit}", fault.remedy)
            return None
        own, keys_of_law = parameters_of(law), {limits.key for limits in law.LIMITS.values()}
        of_objects: dict[str, Callable[[], Any]] = {
            "alignment": lambda: _alignment(table),
            "friction": lambda: self._friction(where, table),
            "losses": lambda: self._losses(table),
            "efficiency": lambda: table.efficiency_m_per_s,
            "stiffness_from": lambda: self._study(table.stiffness_from),
            "bending_from": lambda: self._study(table.bending_from),
            "damaged_teeth": lambda: tuple(one.damage() for one in table.damaged_teeth or ()),
        }
        found = {name: make() for name, make in of_objects.items() if name in own and name not in law.WORDS}
        found |= {name: getattr(table, name) for name in law.WORDS if getattr(table, name) is not None}
        for parameter, keys in OBJECTS_OF_LAWS.items():
            if parameter not in own or parameter in law.WORDS:
                others = tuple(key for key in keys if key not in law.WORDS)
                self._refuse(where, table, others, *without_effect(word, parameter))
        for other in mesh_laws().values():
            for parameter in other.WORDS:
                if parameter not in own and parameter not in OBJECTS_OF_LAWS:
                    self._refuse(where, table, (parameter,), *without_effect(word, parameter))
            for parameter, limits in other.LIMITS.items():
                if limits.key not in keys_of_law:
                    self._refuse(where, table, (limits.key,), *without_effect(word, parameter, limits.key))
                elif other is law and getattr(table, limits.key) is not None:
                    value = getattr(table, limits.key)
                    found[parameter] = value if limits.whole else value * limits.factor
        return law_of(word, name, **found)

    def _friction(self, where: str, table: MachineMeshTable) -> Friction:
        """The friction of flanks in contact."""
        words = get_args(FrictionTable.model_fields["friction"].annotation)
        if table.friction is not None and table.friction not in words:
            known = " or ".join(f'"{one}"' for one in words)
            self.file.fault(f"{where}.friction", shown(table.friction), f"must be {known} with this law", "correct it")
            return Friction()
        given = table if table.friction is not None else table.model_copy(update={"friction": "none"})
        return contact_friction(self.file, given, where) or Friction()

    def _study(self, folder: str | None) -> Any:
        return None if folder is None else load(self.path.parent / folder)

    def _losses(self, table: MachineMeshTable) -> Any:
        if table.losses_csv is None:
            return table.losses
        if table.losses is not None:
            raise Fault("losses", "losses and losses_csv", "one of them", "leave out losses_csv")
        return LossTable.from_csv(self.path.parent / table.losses_csv)

    def _refuse(self, where: str, table: MachineMeshTable, keys: tuple[str, ...], limit: str, remedy: str) -> None:
        for key in keys:
            if getattr(table, key) != type(table).model_fields[key].default:
                self.file.fault(f"{where}.{key}", shown(getattr(table, key)), f"must be {limit}", remedy)

    @staticmethod
    def _bearing(name: str, table: BearingTable) -> ShaftBearing:
        return table.bearing(name)

    def _housing(self, name: str, table: MachineHousingTable) -> Housing | None:
        path, fixed = self.path.parent / table.file, tuple(table.fixed)
        of_mtx = {"nodes": table.nodes or None, "units": table.units}
        if path.suffix.lower() != MTX:
            for key in [key for key, given in (of_mtx | {"mass_file": table.mass_file}).items() if given is not None]:
                limit = f"is a key of an {MTX}: the text file has points and mass, in N, m, kg, rad"
                self.file.fault(f"housings.{name}.{key}", "given", limit, "leave it out")
                return None
            return read_housing(name, path, fixed=fixed)
        missing = [key for key, given in of_mtx.items() if given is None]
        for key in missing:
            write = {"nodes": f"add [housings.{name}.nodes.POINT]", "units": f"write one of {', '.join(UNITS)}"}[key]
            self.file.fault(f"housings.{name}.{key}", MISSING, f"is needed: an {MTX} does not say", write)
        if missing:
            return None
        return read_matrix_file(
            name,
            path,
            {one.node: (point, np.array(one.position_mm) * MM) for point, one in table.nodes.items()},
            mass=None if table.mass_file is None else self.path.parent / table.mass_file,
            units=str(table.units),
            fixed=fixed,
        )

    def _drive(self, name: str, table: MachineDriveTable) -> Drive | None:
        speed, rows, analysis = table.speed_rpm, table.speed_table_s_rpm, self.file.tables.get("analysis")
        if isinstance(analysis, SweepTable):
            for key in ("speed_rpm", "speed_table_s_rpm"):
                if getattr(table, key) is not None:
                    what, limit = shown(getattr(table, key)), "excludes speed_from_rpm of a sweep"
                    self.file.fault(f"drives.{name}.{key}", what, limit, "leave it out")
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

    @staticmethod
    def _load(name: str, table: MachineLoadTable) -> TorqueLoad:
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


def _alignment(table: MachineMeshTable) -> Alignment:
    return Alignment(
        tilt_plane_of_action=math.radians(table.tilt_plane_of_action_deg),
        tilt_normal=math.radians(table.tilt_normal_deg),
        center_distance_error=table.center_distance_error_um * 1e-6,
    )
