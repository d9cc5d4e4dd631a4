"""Gears in closed form: rack, tooth profile, gear, pair, planetary set, train, flank deviations, alignment. No grid."""

from alegear.geometry.alignment import Alignment as Alignment
from alegear.geometry.cylindrical_gear import Gear as Gear
from alegear.geometry.gear_pair import GearPair as GearPair
from alegear.geometry.internal_gear import InternalGear as InternalGear
from alegear.geometry.involute import profile_shift_sum as profile_shift_sum
from alegear.geometry.measured_flank import Topography as Topography
from alegear.geometry.measured_flank import read_pitch_deviation as read_pitch_deviation
from alegear.geometry.measured_teeth import MeasuredTeeth as MeasuredTeeth
from alegear.geometry.meshing_teeth import MeshingTeeth as MeshingTeeth
from alegear.geometry.microgeometry import Microgeometry as Microgeometry
from alegear.geometry.pinion_cutter import PinionCutter as PinionCutter
from alegear.geometry.planetary import PlanetarySet as PlanetarySet
from alegear.geometry.planetary_layout import PlanetaryLayout as PlanetaryLayout
from alegear.geometry.planetary_teeth import PlanetaryTeeth as PlanetaryTeeth
from alegear.geometry.tooth_measures import base_tangent_length as base_tangent_length
from alegear.geometry.tooth_measures import dimension_over_balls as dimension_over_balls
from alegear.geometry.tooth_profile import BasicRack as BasicRack
from alegear.geometry.tooth_profile import ToothProfile as ToothProfile
from alegear.geometry.tooth_profile import Trochoid as Trochoid
from alegear.geometry.train_kinematics import SpeedRow as SpeedRow
from alegear.geometry.train_kinematics import fixed_ratio as fixed_ratio
from alegear.geometry.train_kinematics import speeds_over as speeds_over
