"""Bodies that move and turn freely in space, what joins them and what acts between them."""

from alegear.system.spatial.bushing import Bushing, HingeTorque, PointLoad
from alegear.system.spatial.flexible_inertia import FlexibleInertia
from alegear.system.spatial.floating_body import FloatingBody, rigid_inertia
from alegear.system.spatial.hinge_angle import HingeAngle
from alegear.system.spatial.joints import (
    AcrossGuide,
    Coincidence,
    JointDefinition,
    Perpendicularity,
    cylindrical,
    fixed,
    planar,
    prescribed_revolute,
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
    "JointDefinition",
    "Perpendicularity",
    "PointLoad",
    "PointSpring",
    "cylindrical",
    "fixed",
    "planar",
    "prescribed_revolute",
    "prismatic",
    "revolute",
    "rigid_inertia",
    "spherical",
]
