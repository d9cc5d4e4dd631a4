"""Gears in closed form: rack, tooth profile, gear, pair of gears, flank deviations. No grid."""

from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.microgeometry import Microgeometry
from alegear.geometry.tooth_profile import ToothProfile, Trochoid

__all__ = ["BasicRack", "Gear", "GearPair", "Microgeometry", "ToothProfile", "Trochoid"]
