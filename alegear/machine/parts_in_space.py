"""Bodies in space and what joins them, put together from Python: what ``[bodies.NAME]`` ... of a file say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational.profiles import Rows, SignalLike
from alegear.drivetrain.spatial.courses import CourseLike, VectorCourseLike
from alegear.drivetrain.spatial.gear_joint import SpatialMesh
from alegear.drivetrain.spatial.placed import (
    PlacedBushing,
    PlacedJoint,
    PlacedLoad,
    PlacedPointSpring,
    PlacedTorque,
)
from alegear.drivetrain.spatial.toothed import SpatialGear, SpatialRack
from alegear.errors import Fault
from alegear.machine.parts import Parts
from alegear.system.spatial.floating_body import FloatingBody

_ORIGIN, _Z = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)


class PartsInSpace(Parts):
    """Methods of :class:`alegear.Machine` that add bodies in space and what joins them; all in SI units."""

    def __init__(self) -> None:
        super().__init__()
        self._toothed: dict[str, SpatialGear | SpatialRack] = {}

    def body(
        self,
        name: str,
        *,
        mass: float = FloatingBody.mass,
        inertia: ArrayLike = FloatingBody.inertia,
        position: ArrayLike = FloatingBody.position,
        axes: ArrayLike | None = None,
        velocity: ArrayLike = FloatingBody.velocity,
        angular_velocity: ArrayLike = FloatingBody.angular_velocity,
    ) -> None:
        """Add a body: mass [kg], inertia (3,) or (3, 3) [kg m2], position and axes (columns) of its centre of mass.

        See :class:`alegear.FloatingBody`.

        Raises
        ------
        Fault
        """
        self.add(
            FloatingBody(
                name=name,
                mass=mass,
                inertia=inertia,
                position=position,
                axes=np.eye(3) if axes is None else axes,
                velocity=velocity,
                angular_velocity=angular_velocity,
            )
        )

    def joint(
        self,
        name: str,
        kind: str,
        first: str,
        second: str,
        *,
        point: ArrayLike = PlacedJoint.point,
        axis: ArrayLike | None = None,
        angle: CourseLike | None = None,
        speed: float | Rows | None = None,
        ramp: float = PlacedJoint.ramp,
        displacement: CourseLike | None = None,
        rotor: str | None = None,
    ) -> None:
        """Add a joint at a point and along an axis in space; perhaps with a prescribed motion or a rotor.

        See :class:`alegear.PlacedJoint`.

        Raises
        ------
        Fault
        """
        self.add(
            PlacedJoint(
                name=name,
                kind=kind,
                between=(first, second),
                point=point,
                axis=axis,
                angle=angle,
                speed=speed,
                ramp=ramp,
                displacement=displacement,
                rotor=rotor,
            )
        )

    def bushing(
        self,
        name: str,
        first: str,
        second: str,
        *,
        stiffness: ArrayLike = (0.0,) * 6,
        damping: ArrayLike = PlacedBushing.damping,
        point: ArrayLike = PlacedBushing.point,
    ) -> None:
        """Add springs and dampers (6,) along x, y, z [N/m] and about them [N m/rad] at a point in space.

        See :class:`alegear.PlacedBushing`.

        Raises
        ------
        Fault
        """
        self.add(PlacedBushing(name=name, between=(first, second), stiffness=stiffness, damping=damping, point=point))

    def point_spring(
        self,
        name: str,
        first: str,
        second: str,
        *,
        points: tuple[ArrayLike, ArrayLike],
        stiffness: float = PlacedPointSpring.stiffness,
        damping: float = PlacedPointSpring.damping,
        free_length: float | None = None,
    ) -> None:
        """Add a spring [N/m] and a damper [N s/m] along the line between two points in space.

        See :class:`alegear.PlacedPointSpring`.

        Raises
        ------
        Fault
        """
        self.add(
            PlacedPointSpring(
                name=name,
                between=(first, second),
                points=points,
                stiffness=stiffness,
                damping=damping,
                free_length=free_length,
            )
        )

    def spatial_gear(
        self,
        name: str,
        body: str,
        *,
        teeth: int,
        normal_module: float,
        pressure_angle: float = SpatialGear.pressure_angle,
        cone_angle: float = SpatialGear.cone_angle,
        helix_angle: float = SpatialGear.helix_angle,
        internal: bool = SpatialGear.internal,
        axis: ArrayLike = SpatialGear.axis,
        centre: ArrayLike = SpatialGear.centre,
    ) -> None:
        """Put a gear wheel of any kind on a body; axis and centre in the frame of the body.

        See :class:`alegear.SpatialGear`.

        Raises
        ------
        Fault
        """
        self._put(
            SpatialGear(
                name=name,
                body=body,
                teeth=teeth,
                normal_module=normal_module,
                pressure_angle=pressure_angle,
                cone_angle=cone_angle,
                helix_angle=helix_angle,
                internal=internal,
                axis=axis,
                centre=centre,
            )
        )

    def spatial_rack(
        self,
        name: str,
        body: str,
        *,
        normal_module: float,
        pressure_angle: float = SpatialRack.pressure_angle,
        helix_angle: float = SpatialRack.helix_angle,
        direction: ArrayLike = SpatialRack.direction,
        outwards: ArrayLike = SpatialRack.outwards,
        point: ArrayLike = SpatialRack.point,
    ) -> None:
        """Put a rack on a body; directions and point in the frame of the body.

        See :class:`alegear.SpatialRack`.

        Raises
        ------
        Fault
        """
        self._put(
            SpatialRack(
                name=name,
                body=body,
                normal_module=normal_module,
                pressure_angle=pressure_angle,
                helix_angle=helix_angle,
                direction=direction,
                outwards=outwards,
                point=point,
            )
        )

    def _put(self, gear: SpatialGear | SpatialRack) -> None:
        if gear.name in self._toothed:
            raise Fault("name of a gear in space", f'"{gear.name}"', "one that no other has", "rename it")
        self._toothed[gear.name] = gear

    def spatial_mesh(
        self,
        name: str,
        first: str,
        second: str,
        *,
        friction: float = SpatialMesh.friction,
        least_sliding: float | None = None,
    ) -> None:
        """Add a mesh of two gears in space, or a gear and a rack, by their names.

        See :class:`alegear.SpatialMesh`.

        Raises
        ------
        Fault
        """
        for one in (first, second):
            if one not in self._toothed:
                known = ", ".join(f'"{other}"' for other in self._toothed)
                remedy = f"name one of {known}" if known else "add it with spatial_gear"
                raise Fault(f"gears of {name}", f'"{one}"', "gears that there are", remedy)
        gears = (self._toothed[first], self._toothed[second])
        self.add(SpatialMesh(name=name, gears=gears, friction=friction, least_sliding=least_sliding))

    def spatial_load(
        self,
        name: str,
        body: str,
        *,
        force: VectorCourseLike | None = None,
        torque: VectorCourseLike | None = None,
        point: ArrayLike | None = None,
    ) -> None:
        """Add a force [N] and a torque [N m] on a body, along the axes of space.

        See :class:`alegear.PlacedLoad`.

        Raises
        ------
        Fault
        """
        self.add(PlacedLoad(name=name, body=body, force=force, torque=torque, point=point))

    def hinge_torque(self, name: str, first: str, second: str, *, axis: ArrayLike, torque: SignalLike) -> None:
        """Add a torque [N m] between two bodies, positive on the second.

        See :class:`alegear.PlacedTorque`.

        Raises
        ------
        Fault
        """
        self.add(PlacedTorque(name=name, between=(first, second), axis=axis, torque=torque))
