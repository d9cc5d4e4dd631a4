"""Gears in closed form: rack, tooth profile, gear, pair, planetary set, train, flank deviations, alignment. No grid."""

from alegear.geometry.alignment import Alignment
from alegear.geometry.cylindrical_gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.involute import profile_shift_sum
from alegear.geometry.measured_flank import Topography, read_pitch_deviation
from alegear.geometry.measured_teeth import MeasuredTeeth
from alegear.geometry.meshing_teeth import MeshingTeeth
from alegear.geometry.microgeometry import Microgeometry
from alegear.geometry.pinion_cutter import PinionCutter
from alegear.geometry.planetary import PlanetarySet, check_stationary_ratio
from alegear.geometry.planetary_layout import PlanetaryLayout
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.geometry.tooth_measures import base_tangent_length, dimension_over_balls
from alegear.geometry.tooth_profile import BasicRack, ToothProfile, Trochoid
from alegear.geometry.train_kinematics import SpeedRow, fixed_ratio, speeds_over

__all__ = [
    "Alignment",
    "BasicRack",
    "Gear",
    "GearPair",
    "InternalGear",
    "MeasuredTeeth",
    "MeshingTeeth",
    "Microgeometry",
    "PinionCutter",
    "PlanetaryLayout",
    "PlanetarySet",
    "PlanetaryTeeth",
    "SpeedRow",
    "ToothProfile",
    "Topography",
    "Trochoid",
    "base_tangent_length",
    "check_stationary_ratio",
    "dimension_over_balls",
    "fixed_ratio",
    "profile_shift_sum",
    "read_pitch_deviation",
    "speeds_over",
]
