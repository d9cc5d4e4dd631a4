"""Bodies that move and turn freely in space, what joins them and what acts between them."""

from alegear.system.spatial.bushing import Bushing, HingeTorque, SpatialLoad
from alegear.system.spatial.flexible_inertia import FlexibleInertia
from alegear.system.spatial.floating_body import FloatingBody, rigid_inertia
from alegear.system.spatial.hinge_angle import HingeAngle
from alegear.system.spatial.joints import (
    AcrossGuide,
    Coincidence,
    Perpendicularity,
    SpatialJoint,
    cylindrical,
    fixed,
    led,
    planar,
    prismatic,
    revolute,
    spherical,
)
from alegear.system.spatial.point_spring import PointSpring

__all__ = [
    "AcrossGuide",
    "Bushing",
    "Coincidence",
    "FlexibleInertia",
    "FloatingBody",
    "HingeAngle",
    "HingeTorque",
    "Perpendicularity",
    "PointSpring",
    "SpatialJoint",
    "SpatialLoad",
    "cylindrical",
    "fixed",
    "led",
    "planar",
    "prismatic",
    "revolute",
    "rigid_inertia",
    "spherical",
]
