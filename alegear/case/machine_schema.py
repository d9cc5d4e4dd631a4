"""Tables of a file with ``[machine]``: which there are, by their headings, and what their keys are."""

from __future__ import annotations

from pydantic import Field

from alegear.case.dynamic import DynamicTable
from alegear.case.gears import MaterialTable
from alegear.case.grid import GridTable
from alegear.case.machine_analysis import MachineStaticTable
from alegear.case.machine_gears import MachineGearTable
from alegear.case.machine_meshes import mesh_table
from alegear.case.machine_tables import KINDS, MachineHousingTable, MachineShaftTable
from alegear.case.modal import ModalTable
from alegear.case.operation import GRAVITY
from alegear.case.output import OutputOptions, OutputTable, PointTable
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL
from alegear.case.spatial_motion import KinematicsTable, SpatialMotionTable
from alegear.case.sweep import SweepTable
from alegear.case.tables import LazyTables, Table
from alegear.case.wear import WearTable
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.laws import DEFAULT
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.parameters import listed, ranged


class MachineTable(Table):
    """``[machine]``: what holds for the whole machine."""

    fidelity: str = Field(
        default=DEFAULT,
        description=f"law of all meshes that do not give their own: flexible, teeth, elastic, lossy, rigid ({DEFAULT})",
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
