"""``[bodies.NAME]``, ``[joints.NAME]``, ``[spatial_meshes.NAME]`` ...: mechanisms of bodies in space, by headings."""

from __future__ import annotations

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
