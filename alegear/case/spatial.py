"""``[bodies.NAME]``, ``[joints.NAME]``, ``[spatial_meshes.NAME]`` ...: mechanisms of bodies in space, by headings."""

from __future__ import annotations

from alegear.case.part_table import LazyTables
from alegear.drivetrain.spatial.gear_joint import SpatialMesh
from alegear.drivetrain.spatial.placed import (
    PlacedBushing,
    PlacedJoint,
    PlacedLoad,
    PlacedPointSpring,
    PlacedTorque,
)
from alegear.drivetrain.spatial.toothed import SpatialGear, SpatialRack
from alegear.system.spatial.floating_body import FloatingBody

#: Heading -> keys of each of its tables.
SPATIAL = LazyTables.of_parts(
    FloatingBody,
    PlacedJoint,
    PlacedBushing,
    PlacedPointSpring,
    SpatialGear,
    SpatialRack,
    SpatialMesh,
    PlacedLoad,
    PlacedTorque,
)
#: Those whose entries are no parts of their own: meshes are made of them.
TOOTHED = (SpatialGear.TABLE, SpatialRack.TABLE)
