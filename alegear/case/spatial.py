"""``[bodies.NAME]``, ``[joints.NAME]``, ``[spatial_meshes.NAME]`` ...: mechanisms of bodies in space."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from alegear.case.losses import MOST_ROWS
from alegear.case.part_table import PartTable, one_of
from alegear.case.rotational import SineTable
from alegear.case.schema import limited, limited_number, listed
from alegear.case.units import MM, RPM
from alegear.drivetrain.spatial.courses import Later
from alegear.drivetrain.spatial.gear_joint import SpatialMesh
from alegear.drivetrain.spatial.placed import (
    PlacedBushing,
    PlacedJoint,
    PlacedLoad,
    PlacedPointSpring,
    PlacedTorque,
)
from alegear.drivetrain.spatial.toothed import CONE, HELIX, MODULE, PRESSURE, SpatialGear, SpatialRack
from alegear.dynamics.rotation import rotation_matrix
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.system.bodies import MASS
from alegear.system.spatial.floating_body import FloatingBody

_DEGREE = math.radians(1.0)
_ANY = Limits(quantity="number", key="number", least=-1e15, most=1e15)
_TIME = Limits(quantity="time", key="time", unit="s", least=-1e9, most=1e9)
_LENGTH = Limits(quantity="position", key="position_mm", unit="mm", factor=MM, least=-1e9, most=1e9)
_Number = limited_number(_ANY)
_Vector = listed(_Number, 3)
_Point = listed(limited_number(_LENGTH), 3)
_Pairs = listed(listed(_Number, 2), 1, MOST_ROWS)
_Course = listed(listed(_Number, 2), 2, MOST_ROWS)
_Rows = listed(listed(_Number, 4), 1, MOST_ROWS)


def _vector(description: str, *, default: Any = ...) -> Any:
    return Field(default=default, description=description)


def _mm(values: Any) -> Any:
    return None if values is None else tuple(value * MM for value in values)


class BodyTable(PartTable):
    """``[bodies.NAME]``: a rigid body that moves and turns freely."""

    mass_kg: float = limited(
        MASS, "mass in kg (0, for positions alone, where joints determine all of its motion)", default=0.0
    )
    inertia_kg_m2: listed(_Number, 3, 6) = _vector(  # type: ignore[valid-type]
        "inertia about the centre of mass in kg m2: principal ones, or xx, yy, zz, xy, xz, yz of the matrix",
        default=[0.0, 0.0, 0.0],
    )
    position_mm: _Point = _vector(  # type: ignore[valid-type]
        "centre of mass at the start in mm, where its frame is", default=[0.0, 0.0, 0.0]
    )
    x_axis: _Vector | None = _vector(  # type: ignore[valid-type]
        "direction of its x axis in space at the start ([1, 0, 0])", default=None
    )
    y_axis: _Vector | None = _vector(  # type: ignore[valid-type]
        "direction of its y axis, of which only what is across the x axis counts ([0, 1, 0])", default=None
    )
    rotation_vector_deg: _Vector | None = _vector(  # type: ignore[valid-type]
        "in place of both: axis times angle in degrees, by which it is turned from the axes of space", default=None
    )
    velocity_mm_per_s: _Vector = _vector(  # type: ignore[valid-type]
        "velocity of the centre of mass at the start in mm/s (what joints ask for)", default=[0.0, 0.0, 0.0]
    )
    angular_velocity_rpm: _Vector | None = _vector(  # type: ignore[valid-type]
        "angular velocity at the start about its own axes in rpm (what joints ask for)", default=None
    )
    angular_velocity_rad_per_s: _Vector | None = _vector(  # type: ignore[valid-type]
        "in place of it, in rad/s", default=None
    )

    def part(self, name: str, folder: Path) -> FloatingBody:
        """Make the body."""
        inertia = self.inertia_kg_m2
        if len(inertia) not in (3, 6):
            limit = "three numbers, or six: xx, yy, zz, xy, xz, yz"
            raise Fault("inertia_kg_m2", inertia, limit, "give the matrix by six numbers")
        if len(inertia) == 6:
            xx, yy, zz, xy, xz, yz = inertia
            inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        if self.angular_velocity_rpm is not None and self.angular_velocity_rad_per_s is not None:
            limit = "left out with angular_velocity_rad_per_s"
            raise Fault("angular_velocity_rpm", self.angular_velocity_rpm, limit, "leave out one of the two")
        spin = self.angular_velocity_rad_per_s or (0.0, 0.0, 0.0)
        if self.angular_velocity_rpm is not None:
            spin = tuple(value * RPM for value in self.angular_velocity_rpm)
        return FloatingBody(
            name=name,
            mass=self.mass_kg,
            inertia=inertia,
            position=_mm(self.position_mm),
            axes=self._axes(),
            velocity=_mm(self.velocity_mm_per_s),
            angular_velocity=spin,
        )

    def _axes(self) -> Any:
        if self.rotation_vector_deg is not None:
            if self.x_axis is not None or self.y_axis is not None:
                limit = "left out with x_axis or y_axis"
                raise Fault("rotation_vector_deg", self.rotation_vector_deg, limit, "leave out one of the two")
            return rotation_matrix(np.array(self.rotation_vector_deg) * _DEGREE)
        return axes_of(self.x_axis or (1.0, 0.0, 0.0), self.y_axis or (0.0, 1.0, 0.0))


def axes_of(x_axis: Any, y_axis: Any) -> Any:
    """Axes of a body (columns) with x along a direction and y as near as can be to another.

    Raises
    ------
    Fault
    """
    x, y = np.array(x_axis, dtype=np.float64), np.array(y_axis, dtype=np.float64)
    for key, given in (("x_axis", x), ("y_axis", y)):
        if not given.any():
            raise Fault(key, given.tolist(), "not zero", "give a direction")
        given /= np.abs(given).max()  # the squares of the smallest and of the largest numbers are none
    x /= np.linalg.norm(x)
    across = y - (y @ x) * x
    size = float(np.linalg.norm(across))
    if not size > 1e-9 * float(np.linalg.norm(y)):
        raise Fault("y_axis", y.tolist(), "not along x_axis", "give another direction")
    y = across / size
    return np.column_stack([x, y, np.cross(x, y)])


class JointTable(PartTable):
    """``[joints.NAME]``: a joint between two bodies."""

    kind: Literal[tuple(PlacedJoint.KINDS)] = Field(  # type: ignore[valid-type]
        description="what it is: revolute, spherical, fixed, prismatic, cylindrical, planar; led: a hinge whose angle "
        "is given; led_prismatic: a guide whose displacement is given"
    )
    between: listed(str, 2) = Field(description="names of the bodies")  # type: ignore[valid-type]
    point_mm: _Point = _vector(  # type: ignore[valid-type]
        "where it is in space at the start in mm", default=[0.0, 0.0, 0.0]
    )
    axis: _Vector | None = _vector(  # type: ignore[valid-type]
        "direction of its axis in space at the start; not of spherical and fixed joints", default=None
    )
    angle_table_s_deg: _Course | None = _vector(  # type: ignore[valid-type]
        "pairs of a time in s and the angle of a led hinge in degrees; smooth between, straight on beyond", default=None
    )
    speed_rpm: float | None = Field(default=None, ge=-1e6, le=1e6, description="speed of a led joint in rpm")
    speed_table_s_rpm: _Pairs | None = _vector(  # type: ignore[valid-type]
        "pairs of a time in s and the speed of a led joint in rpm; straight lines", default=None
    )
    ramp_s: float = limited(PlacedJoint.LIMITS["ramp"], "duration of the run-up to speed_rpm in s (0)", default=0.0)
    displacement_table_s_mm: _Course | None = _vector(  # type: ignore[valid-type]
        "pairs of a time in s and the displacement of a led guide in mm; smooth between", default=None
    )

    rotor: str | None = Field(
        default=None,
        description="name of a rotor that has the angle of a revolute or cylindrical joint: what turns it turns the "
        "second body against the first",
    )

    def part(self, name: str, folder: Path) -> PlacedJoint:
        """Make the joint."""
        speed: Any = None
        if self.speed_rpm is not None or self.speed_table_s_rpm is not None:
            given = one_of(self, "speed_rpm", "speed_table_s_rpm")
            speed = [[t, y * RPM] for t, y in given] if isinstance(given, list) else given * RPM
        angle, moved = self.angle_table_s_deg, self.displacement_table_s_mm
        first, second = self.between
        return PlacedJoint(
            name=name,
            kind=self.kind,
            between=(first, second),
            point=_mm(self.point_mm),
            axis=self.axis,
            angle=None if angle is None else [[t, y * _DEGREE] for t, y in angle],
            speed=speed,
            ramp=self.ramp_s,
            displacement=None if moved is None else [[t, y * MM] for t, y in moved],
            rotor=self.rotor,
        )


class BushingTable(PartTable):
    """``[bushings.NAME]``: spring and damper in all directions between two bodies."""

    between: listed(str, 2) = Field(description="names of the bodies")  # type: ignore[valid-type]
    point_mm: _Point = _vector(  # type: ignore[valid-type]
        "where it is in space at the start in mm", default=[0.0, 0.0, 0.0]
    )
    stiffness_N_per_m: _Vector = _vector(  # type: ignore[valid-type]
        "stiffness along x, y, z of space at the start in N/m; the directions turn with the first body",
        default=[0.0, 0.0, 0.0],
    )
    stiffness_Nm_per_rad: _Vector = _vector(  # type: ignore[valid-type]
        "stiffness about x, y, z in N m/rad", default=[0.0, 0.0, 0.0]
    )
    damping_Ns_per_m: _Vector = _vector(  # type: ignore[valid-type]
        "damping along x, y, z in N s/m", default=[0.0, 0.0, 0.0]
    )
    damping_Nms_per_rad: _Vector = _vector(  # type: ignore[valid-type]
        "damping about x, y, z in N m s/rad", default=[0.0, 0.0, 0.0]
    )

    def part(self, name: str, folder: Path) -> PlacedBushing:
        """Make the bushing."""
        first, second = self.between
        return PlacedBushing(
            name=name,
            between=(first, second),
            point=_mm(self.point_mm),
            stiffness=[*self.stiffness_N_per_m, *self.stiffness_Nm_per_rad],
            damping=[*self.damping_Ns_per_m, *self.damping_Nms_per_rad],
        )


class PointSpringTable(PartTable):
    """``[point_springs.NAME]``: spring and damper along the line between two points."""

    between: listed(str, 2) = Field(description="names of the bodies")  # type: ignore[valid-type]
    points_mm: listed(_Point, 2) = Field(  # type: ignore[valid-type]
        description="points on the first and on the second body, in space at the start in mm"
    )
    stiffness_N_per_m: float = limited(PlacedPointSpring.LIMITS["stiffness"], "stiffness in N/m (0)", default=0.0)
    damping_Ns_per_m: float = limited(PlacedPointSpring.LIMITS["damping"], "damping in N s/m", default=0.0)
    free_length_mm: float | None = limited(
        PlacedPointSpring.LIMITS["free_length"], "length without load in mm (that at the start)", default=None
    )

    def part(self, name: str, folder: Path) -> PlacedPointSpring:
        """Make the spring."""
        first, second = self.between
        one, two = (_mm(point) for point in self.points_mm)
        return PlacedPointSpring(
            name=name,
            between=(first, second),
            points=(one, two),
            stiffness=self.stiffness_N_per_m,
            damping=self.damping_Ns_per_m,
            free_length=None if self.free_length_mm is None else self.free_length_mm * MM,
        )


class SpatialGearTable(PartTable):
    """``[spatial_gears.NAME]``: a wheel of any kind on a body."""

    body: str = Field(description="name of its body")
    teeth: int = limited(SpatialGear.LIMITS["teeth"], "number of teeth, of a worm its starts")
    normal_module_mm: float = limited(MODULE, "normal module at the middle of the face in mm")
    pressure_angle_deg: float = limited(PRESSURE, "normal pressure angle in degrees (20)", default=20.0)
    cone_angle_deg: float = limited(
        CONE, "cone angle in degrees, positive where the radius grows along the axis (0)", default=0.0
    )
    helix_angle_deg: float = limited(
        HELIX, "helix angle in degrees, positive right-handed; of a worm 90 less its lead angle (0)", default=0.0
    )
    internal: bool = Field(default=False, description="whether its teeth point inwards")
    axis: _Vector = _vector(  # type: ignore[valid-type]
        "direction of its axis in the frame of its body ([0, 0, 1])", default=[0.0, 0.0, 1.0]
    )
    centre_mm: _Point = _vector(  # type: ignore[valid-type]
        "middle of its face on the axis in the frame of its body in mm ([0, 0, 0])", default=[0.0, 0.0, 0.0]
    )

    def part(self, name: str, folder: Path) -> SpatialGear:
        """Make the gear."""
        return SpatialGear(
            name=name,
            body=self.body,
            teeth=self.teeth,
            normal_module=self.normal_module_mm * MM,
            pressure_angle=self.pressure_angle_deg * _DEGREE,
            cone_angle=self.cone_angle_deg * _DEGREE,
            helix_angle=self.helix_angle_deg * _DEGREE,
            internal=self.internal,
            axis=self.axis,
            centre=_mm(self.centre_mm),
        )


class SpatialRackTable(PartTable):
    """``[spatial_racks.NAME]``: a rack on a body."""

    body: str = Field(description="name of its body")
    normal_module_mm: float = limited(MODULE, "normal module in mm")
    pressure_angle_deg: float = limited(PRESSURE, "normal pressure angle in degrees (20)", default=20.0)
    helix_angle_deg: float = limited(HELIX, "helix angle in degrees (0)", default=0.0)
    direction: _Vector = _vector(  # type: ignore[valid-type]
        "direction of its pitch line in the frame of its body ([1, 0, 0])", default=[1.0, 0.0, 0.0]
    )
    outwards: _Vector = _vector(  # type: ignore[valid-type]
        "direction out of its teeth, across the pitch line, likewise ([0, 1, 0])", default=[0.0, 1.0, 0.0]
    )
    point_mm: _Point = _vector(  # type: ignore[valid-type]
        "a point of its pitch plane in the frame of its body in mm ([0, 0, 0])", default=[0.0, 0.0, 0.0]
    )

    def part(self, name: str, folder: Path) -> SpatialRack:
        """Make the rack."""
        return SpatialRack(
            name=name,
            body=self.body,
            normal_module=self.normal_module_mm * MM,
            pressure_angle=self.pressure_angle_deg * _DEGREE,
            helix_angle=self.helix_angle_deg * _DEGREE,
            direction=self.direction,
            outwards=self.outwards,
            point=_mm(self.point_mm),
        )


class SpatialMeshTable(PartTable):
    """``[spatial_meshes.NAME]``: rigid teeth between two gears, or a gear and a rack, of the tables above."""

    gears: listed(str, 2) = Field(  # type: ignore[valid-type]
        description="names of two of [spatial_gears] and [spatial_racks]"
    )
    friction: float = limited(SpatialMesh.LIMITS["friction"], "friction coefficient along the tooth (0)", default=0.0)
    least_sliding_m_per_s: float | None = limited(
        SpatialMesh.LIMITS["least_sliding"],
        "sliding velocity in m/s below which friction falls to zero; needed with friction",
        default=None,
    )

    def mesh(self, name: str, gears: tuple[Any, Any]) -> SpatialMesh:
        """Make the mesh of two toothed bodies."""
        return SpatialMesh(name=name, gears=gears, friction=self.friction, least_sliding=self.least_sliding_m_per_s)


class SpatialLoadTable(PartTable):
    """``[spatial_loads.NAME]``: force and torque on a body, along the axes of space."""

    body: str = Field(description="name of the body")
    force_N: _Vector | None = _vector("force in N", default=None)  # type: ignore[valid-type]
    force_table_s_N: _Rows | None = _vector(  # type: ignore[valid-type]
        "rows of a time in s and the force (x, y, z) in N; straight lines", default=None
    )
    torque_Nm: _Vector | None = _vector("torque in N m", default=None)  # type: ignore[valid-type]
    torque_table_s_Nm: _Rows | None = _vector(  # type: ignore[valid-type]
        "rows of a time in s and the torque (x, y, z) in N m; straight lines", default=None
    )
    point_mm: _Point | None = _vector(  # type: ignore[valid-type]
        "where the force acts in space at the start in mm; the point moves with the body (its centre of mass)",
        default=None,
    )

    def part(self, name: str, folder: Path) -> PlacedLoad:
        """Make the load."""
        given = {}
        for what, keys in (("force", ("force_N", "force_table_s_N")), ("torque", ("torque_Nm", "torque_table_s_Nm"))):
            given[what] = one_of(self, *keys) if any(getattr(self, key) is not None for key in keys) else None
        return PlacedLoad(name=name, body=self.body, point=_mm(self.point_mm), **given)


class LaterSineTable(SineTable):
    """A sine over time that may begin later."""

    begins_s: float | None = limited(_TIME, "time in s before which it is 0 (always there)", default=None)


class HingeTorqueTable(PartTable):
    """``[hinge_torques.NAME]``: a torque between two bodies, positive on the second."""

    between: listed(str, 2) = Field(description="names of the bodies")  # type: ignore[valid-type]
    axis: _Vector = Field(  # type: ignore[valid-type]
        description="direction about which it acts, in space at the start; it turns with the first body"
    )
    torque_Nm: float | None = Field(default=None, ge=-1e12, le=1e12, description="torque in N m")
    torque_table_s_Nm: _Pairs | None = _vector(  # type: ignore[valid-type]
        "pairs of a time in s and the torque in N m; straight lines", default=None
    )
    sine_Nm: LaterSineTable | None = Field(default=None, description="a sine over time, in N m")

    def part(self, name: str, folder: Path) -> PlacedTorque:
        """Make the torque."""
        torque = one_of(self, "torque_Nm", "torque_table_s_Nm", "sine_Nm")
        if isinstance(torque, LaterSineTable):
            sine = torque.sine()
            torque = sine if torque.begins_s is None else Later(signal=sine, begins=torque.begins_s)
        first, second = self.between
        return PlacedTorque(name=name, between=(first, second), axis=self.axis, torque=torque)


#: Heading -> keys of each of its tables.
SPATIAL: dict[str, type[PartTable]] = {
    FloatingBody.TABLE: BodyTable,
    PlacedJoint.TABLE: JointTable,
    PlacedBushing.TABLE: BushingTable,
    PlacedPointSpring.TABLE: PointSpringTable,
    SpatialGear.TABLE: SpatialGearTable,
    SpatialRack.TABLE: SpatialRackTable,
    SpatialMesh.TABLE: SpatialMeshTable,
    PlacedLoad.TABLE: SpatialLoadTable,
    PlacedTorque.TABLE: HingeTorqueTable,
}
#: Those whose entries are no parts of their own: meshes are made of them.
TOOTHED = (SpatialGear.TABLE, SpatialRack.TABLE)
