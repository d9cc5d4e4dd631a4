"""Mechanisms in space that several tests look at."""

from __future__ import annotations

import math

import numpy as np

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh, SpatialRack
from alegear.system import Scales, SystemBuilder
from alegear.system.model import SystemModel
from alegear.system.spatial import FloatingBody, HingeTorque, led, prismatic, revolute

ORIGIN = np.zeros(3)
X, Y, Z = np.eye(3)


def multipliers_of(model: SystemModel, joint: str, values: np.ndarray) -> np.ndarray:
    """Multipliers of a joint among those of all."""
    names = [one.name for one in model.joints]
    return values[model.joint_rows.rows[names.index(joint)]]


def bevel_pair() -> SystemModel:
    """Cardona (1997), 10.1: a small bevel wheel on an arm that turns about the axis of a large one, by t [rad]."""
    builder = SystemBuilder(Scales(deflection=1e-3, force=1e3, radius=1.0))
    builder.add(FloatingBody(name="arm", position=(0, 1, 0)), FloatingBody(name="wheel", position=(0, 1, 5)))
    builder.add(led("hinge", ("ground", "arm"), (Y, ORIGIN), (Y, Y), lambda t: t))
    builder.add(revolute("pin", ("arm", "wheel"), (5 * Z, ORIGIN), (Z, Z)))
    large = SpatialGear(
        name="large", body="ground", teeth=50, normal_module=0.2, cone_angle=-math.atan(5.0), axis=(0, 1, 0)
    )
    small = SpatialGear(name="small", body="wheel", teeth=10, normal_module=0.2, cone_angle=math.atan(0.2))
    builder.add(SpatialMesh(name="mesh", gears=(large, small)))
    builder.add(HingeTorque(name="load", between=("arm", "wheel"), axis=Z, value=lambda t: 1000.0))
    return builder.build(moves=False)


def double_rack() -> SystemModel:
    """Cardona (1997), 10.3: a bevel wheel on a hinge between two racks that move along y."""
    builder = SystemBuilder(Scales(deflection=1e-3, force=1e3, radius=4.0))
    places = {"one": np.array([0.0, 0.0, 6.0]), "two": np.array([-6.0, 0.0, 0.0])}
    for name, place in places.items():
        builder.add(FloatingBody(name=name, position=place))
        builder.add(prismatic(f"guide {name}", ("ground", name), (place, ORIGIN), Y))
    axis = np.array([1.0, 0.0, -1.0]) / math.sqrt(2.0)
    centre = np.array([-3.0, 0.0, 3.0])
    builder.add(FloatingBody(name="wheel", position=centre))
    builder.add(revolute("hinge", ("ground", "wheel"), (centre, ORIGIN), (axis, axis)))
    m_n = 0.4 / math.sqrt(2.0)
    wheel = SpatialGear(
        name="bevel", body="wheel", teeth=30, normal_module=m_n, cone_angle=math.radians(-45.0), axis=axis
    )
    for name, outwards in (("one", -X), ("two", Z)):
        rack = SpatialRack(name=f"rack {name}", body=name, normal_module=m_n, direction=Y, outwards=outwards)
        builder.add(SpatialMesh(name=f"mesh {name}", gears=(rack, wheel)))
    return builder.build(moves=False)
