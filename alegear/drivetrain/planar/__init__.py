"""Elastic gear contact with friction in the plane: closed forms after van der Linden (2015)."""

from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import CoulombFriction, Din3990Friction, MeshFriction, TabulatedEfficiency
from alegear.drivetrain.planar.springs import Iso6336Spring, LinearSpring, MeshSpring, NiemannWinterSpring

__all__ = [
    "CoulombFriction",
    "Din3990Friction",
    "Iso6336Spring",
    "LinearSpring",
    "MeshAverages",
    "MeshFriction",
    "MeshSpring",
    "NiemannWinterSpring",
    "PeriodicFactor",
    "TabulatedEfficiency",
]
