"""Gears of any kind in space, as rigid joints between bodies."""

from alegear.drivetrain.spatial.engagement import mating_position
from alegear.drivetrain.spatial.gear_joint import GearJoint, SpatialMesh
from alegear.drivetrain.spatial.toothed import SpatialGear, SpatialRack

__all__ = ["GearJoint", "SpatialGear", "SpatialMesh", "SpatialRack", "mating_position"]
