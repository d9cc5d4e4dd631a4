"""Gears of any kind in space, as rigid joints between bodies."""

from alegear.drivetrain.spatial.engagement import mating_position
from alegear.drivetrain.spatial.gear_joint import GearJoint, SpatialMesh
from alegear.drivetrain.spatial.joints_and_loads import (
    SpatialBushing,
    SpatialJoint,
    SpatialLoad,
    SpatialSpring,
    SpatialTorque,
)
from alegear.drivetrain.spatial.toothed_bodies import SpatialGear, SpatialRack

__all__ = [
    "GearJoint",
    "SpatialBushing",
    "SpatialGear",
    "SpatialJoint",
    "SpatialLoad",
    "SpatialMesh",
    "SpatialRack",
    "SpatialSpring",
    "SpatialTorque",
    "mating_position",
]
