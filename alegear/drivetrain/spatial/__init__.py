"""Gears of any kind in space, as rigid joints between bodies."""

from alegear.drivetrain.spatial.engagement import mating_position
from alegear.drivetrain.spatial.gear_joint import GearJoint, SpatialMesh
from alegear.drivetrain.spatial.placed import (
    PlacedBushing,
    PlacedJoint,
    PlacedLoad,
    PlacedPointSpring,
    PlacedTorque,
)
from alegear.drivetrain.spatial.toothed import SpatialGear, SpatialRack

__all__ = [
    "GearJoint",
    "PlacedBushing",
    "PlacedJoint",
    "PlacedLoad",
    "PlacedPointSpring",
    "PlacedTorque",
    "SpatialGear",
    "SpatialMesh",
    "SpatialRack",
    "mating_position",
]
