"""``[bodies.NAME]``, ``[joints.NAME]``, ``[spatial_meshes.NAME]`` ...: mechanisms of bodies in space, by headings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from alegear.case.faults import shown
from alegear.case.machine_tables import MachineTables, part_of
from alegear.case.tables import LazyTables
from alegear.drivetrain.spatial.gear_joint import SpatialMesh
from alegear.drivetrain.spatial.joints_and_loads import (
    SpatialBushing,
    SpatialJoint,
    SpatialLoad,
    SpatialSpring,
    SpatialTorque,
)
from alegear.drivetrain.spatial.toothed_bodies import SpatialGear, SpatialRack
from alegear.system.spatial.floating_body import FloatingBody

#: Heading -> keys of each of its tables.
SPATIAL = LazyTables.of_parts(
    FloatingBody,
    SpatialJoint,
    SpatialBushing,
    SpatialSpring,
    SpatialGear,
    SpatialRack,
    SpatialMesh,
    SpatialLoad,
    SpatialTorque,
)
#: Those whose entries are no parts of their own: meshes are made of them.
TOOTHED = (SpatialGear.TABLE, SpatialRack.TABLE)


def parts_in_space(file: MachineTables) -> list[Any]:
    """Make the parts in space; meshes are made of toothed bodies by their names."""
    toothed = {one.name: one for heading in TOOTHED for one in file.made(heading, part_of)}
    named = [name for heading in TOOTHED for name in file.names[heading]]
    if len(toothed) == len(named):  # else they have faults of their own, or share a name
        meshed = [name for _, table in file.named("spatial_meshes") for name in table.gears]
        for heading in TOOTHED:
            for name in file.names[heading]:
                if name not in meshed:
                    limit, remedy = "must be in a mesh", "add [spatial_meshes.name] that names it, or leave it out"
                    file.fault(f"[{heading}.{name}]", "in no mesh", limit, remedy)
    for name in file.names["spatial_racks"]:
        if name in file.names["spatial_gears"]:
            remedy = "rename it: [spatial_meshes] tell them by their names"
            file.fault(f"[spatial_racks.{name}]", shown(name), "must be a name that no gear has", remedy)

    def mesh(name: str, table: Any, file: MachineTables) -> Any:
        for one in table.gears:
            if one not in named:
                known = ", ".join(f'"{other}"' for other in named)
                remedy = f"name two of {known}" if known else "add [spatial_gears.name]"
                file.fault(f"spatial_meshes.{name}.gears", shown(one), "no such gear or rack", remedy)
        if all(one in toothed for one in table.gears):
            return table.made(file.path.parent, name=name, gears=tuple(toothed[one] for one in table.gears))
        return None

    makers: dict[str, Callable[[str, Any, MachineTables], Any]] = {"spatial_meshes": mesh}
    headings = [heading for heading in SPATIAL if heading not in TOOTHED]
    return [one for heading in headings for one in file.made(heading, makers.get(heading, part_of))]
