"""Gears in closed form: rack, tooth profile, gear, pair of gears, flank deviations, alignment. No grid."""

from alegear.geometry.alignment import Alignment
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.measured_flank import Topography, read_pitch_deviation
from alegear.geometry.microgeometry import Microgeometry
from alegear.geometry.tooth_profile import ToothProfile, Trochoid

__all__ = [
    "Alignment",
    "BasicRack",
    "Gear",
    "GearPair",
    "Microgeometry",
    "ToothProfile",
    "Topography",
    "Trochoid",
    "read_pitch_deviation",
]
