"""Mechanisms at rest of Cardona (1997), sections 10.1 to 10.3, and the balance of their forces by hand.

His numbers are without units; they are taken as SI. In 10.2 what is called pitch diameter is the radius, as it is in
the other examples: 50 teeth of a normal module of 0.2 have it. The string hangs on the end of the bar at (30, 0, 0),
where it has its free length of 50; with both the printed contact force comes out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh, SpatialRack
from alegear.system import Scales, SystemBuilder, solve_equilibrium
from alegear.system.equilibrium import Equilibrium
from alegear.system.model import SystemModel
from alegear.system.spatial import (
    FloatingBody,
    HingeTorque,
    PointSpring,
    fixed,
    prescribed_revolute,
    prismatic,
    revolute,
)

Array = NDArray[np.float64]

ALPHA = math.radians(20.0)
ORIGIN = np.zeros(3)
X, Y, Z = np.eye(3)
#: Of the three wheels: radius, end of the bar, other end of the string [m]; stiffness [N/m], free length [m].
RADIUS, BAR, ANCHOR, STRING, FREE = 5.0, 30.0 * X, np.array([30.0, -50.0, 0.0]), 1000.0, 50.0


@dataclass(frozen=True, kw_only=True, eq=False)
class AtRest:
    """A mechanism where it has come to rest.

    Attributes
    ----------
    model : SystemModel
    rest : Equilibrium
    t : float [s]
        Which its drives take for their angles.
    """

    model: SystemModel
    rest: Equilibrium
    t: float

    def multipliers(self, joint: str) -> Array:
        """Those of a joint."""
        return multipliers_of(self.model, joint, self.rest.joint_multipliers)

    def reaction(self, joint: str) -> tuple[Array, Array]:
        """Force [N] and torque [N m] on the second body of a joint, at its point."""
        own = next(one for one in self.model.joints if one.name == joint)
        force, torque, _ = own.reaction(self.t, self.rest.x[own.coordinates], self.multipliers(joint))  # type: ignore[attr-defined]
        return force, torque


def multipliers_of(model: SystemModel, joint: str, values: Array) -> Array:
    """Multipliers of a joint among those of all."""
    names = [one.name for one in model.joints]
    return values[model.joint_rows.rows[names.index(joint)]]


def bevel_pair() -> SystemModel:
    """10.1: a small bevel wheel on an arm that turns about the axis of a large one, by t [rad]."""
    builder = SystemBuilder(Scales(deflection=1e-3, force=1e3, radius=1.0))
    builder.add(FloatingBody(name="base"), FloatingBody(name="arm", position=(0, 1, 0)))
    builder.add(FloatingBody(name="wheel", position=(0, 1, 5)))
    builder.add(fixed("foundation", ("ground", "base"), (ORIGIN, ORIGIN)))
    builder.add(prescribed_revolute("hinge", ("ground", "arm"), (Y, ORIGIN), (Y, Y), lambda t: t))
    builder.add(revolute("pin", ("arm", "wheel"), (5 * Z, ORIGIN), (Z, Z)))
    large = SpatialGear(
        name="large", body="base", teeth=50, normal_module=0.2, cone_angle=-math.atan(5.0), axis=(0, 1, 0)
    )
    small = SpatialGear(name="small", body="wheel", teeth=10, normal_module=0.2, cone_angle=math.atan(0.2))
    builder.add(SpatialMesh(name="mesh", gears=(large, small)))
    builder.add(HingeTorque(name="load", between=("arm", "wheel"), axis=Z, value=lambda t: 1000.0))
    return builder.build(moves=False)


def three_wheels() -> SystemModel:
    """10.2: three wheels in a row on a bar that a string pulls; the third turns against the bar by t [rad]."""
    builder = SystemBuilder(Scales(deflection=1e-3, force=1e4, radius=RADIUS))
    builder.add(FloatingBody(name="bar"))
    builder.add(revolute("hinge", ("ground", "bar"), (ORIGIN, ORIGIN), (Z, Z)))
    for number in range(3):
        builder.add(FloatingBody(name=f"wheel {number}", position=2 * number * RADIUS * X))
    builder.add(fixed("foundation", ("ground", "wheel 0"), (ORIGIN, ORIGIN)))
    builder.add(revolute("pin 1", ("bar", "wheel 1"), (2 * RADIUS * X, ORIGIN), (Z, Z)))
    builder.add(prescribed_revolute("drive", ("bar", "wheel 2"), (4 * RADIUS * X, ORIGIN), (Z, Z), lambda t: -t))
    for number in range(2):
        pair = tuple(
            SpatialGear(name=f"gear {k} of {number}", body=f"wheel {k}", teeth=50, normal_module=0.2)
            for k in (number, number + 1)
        )
        builder.add(SpatialMesh(name=f"mesh {number}", gears=(pair[0], pair[1])))
    builder.add(
        PointSpring(name="string", between=("bar", "ground"), stiffness=STRING, free_length=FREE, points=(BAR, ANCHOR))
    )
    return builder.build(moves=False)


def double_rack() -> SystemModel:
    """10.3: a bevel wheel on a hinge between two racks that move along y."""
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


def turned(model: SystemModel, angle: float = 1.0, positions: int = 6) -> AtRest:
    """At rest after its drive has turned by an angle [rad], position by position."""
    x = None
    for t in np.linspace(0.0, angle, positions):
        rest = solve_equilibrium(model, t=float(t), x=x)
        x = rest.x
    return AtRest(model=model, rest=rest, t=angle)


def pushed(displacement: float = 5.0, force: float = 1000.0, positions: int = 5) -> AtRest:
    """The double rack after its first rack has moved, with a force on the second."""
    model, x = double_rack(), None
    one, two = (model.index(f"{name} y") for name in ("one", "two"))
    for y in np.linspace(displacement / positions, displacement, positions):
        rest = solve_equilibrium(model, held={one: float(y)}, applied={two: force}, x=x)
        x = rest.x
    return AtRest(model=model, rest=rest, t=0.0)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A figure, here and by hand: numbers or vectors; what is printed, if it is."""

    what: str
    here: float | Array
    by_hand: float | Array
    printed: str = ""

    @property
    def off(self) -> float:
        """Largest difference as a part of the largest value."""
        return float(np.abs(np.asarray(self.here) - self.by_hand).max() / np.abs(self.by_hand).max())


def bevel_rows() -> list[Row]:
    """1000 N m at a radius of 1; the teeth push the large wheel out along both cones, by tan 20 deg."""
    here = turned(bevel_pair())
    force, torque = here.reaction("foundation")
    wheel, rolled = here.model.frames["wheel"], here.model.index("mesh roll of its second gear")
    position = wheel.at(here.rest.x[wheel.coordinates])[0]
    along = np.array([math.sin(1.0), 0.0, math.cos(1.0)])  # from the axis to contact
    across = np.cross(Y, along)
    # nu_2 of the large cone is across its generator: along the axis by cos 11.3 deg, inwards by sin
    cone = math.atan(0.2)
    radial = 1000.0 * math.tan(ALPHA)
    # the torque of +1000 about `along` is balanced by teeth at -Y from the small wheel's centre: -1000 across, as
    # -Y x across = along; the large wheel gets the opposite
    teeth = 1000.0 * across - radial * (math.cos(cone) * Y + math.sin(cone) * along)
    moment = np.cross(5.0 * along, teeth)
    return [
        Row(
            what="10.1 normal force",
            here=abs(here.multipliers("mesh")[0]),
            by_hand=1000.0 / math.cos(ALPHA),
            printed="1.064e3",
        ),
        Row(what="10.1 roll of the small wheel", here=float(here.rest.x[rolled]), by_hand=5.0),
        Row(what="10.1 position of the small wheel", here=position, by_hand=Y + 5.0 * along),
        Row(what="10.1 force of the foundation on the large wheel", here=force, by_hand=-teeth),
        Row(what="10.1 torque of the foundation", here=torque, by_hand=-moment),
    ]


def wheel_rows() -> list[Row]:
    """The bar, turned by 1 rad with all on it, balances the string about the origin by the teeth of the first wheel."""
    here = turned(three_wheels())
    along = np.array([math.cos(1.0), math.sin(1.0), 0.0])
    across = np.cross(Z, along)
    end = 30.0 * along
    line = ANCHOR - end
    length = float(np.linalg.norm(line))
    pull = STRING * (length - FREE) / length * line
    tangential = -float(np.cross(end, pull)[2]) / RADIUS
    on_bar = tangential * across + tangential * math.tan(ALPHA) * along  # by the teeth of the first wheel
    force, torque = here.reaction("foundation")
    found = here.model.frames["bar"]
    p, R = found.at(here.rest.x[found.coordinates])
    stretched = STRING * (float(np.linalg.norm(ANCHOR - p - R @ BAR)) - FREE)
    return [
        Row(
            what="10.2 normal force",
            here=abs(here.multipliers("mesh 0")[0]),
            by_hand=tangential / math.cos(ALPHA),
            printed="1.156e5",
        ),
        Row(what="10.2 force of the string", here=stretched, by_hand=STRING * (length - FREE)),
        Row(what="10.2 force of the foundation on the first wheel", here=force, by_hand=on_bar),
        Row(what="10.2 torque of the foundation", here=torque, by_hand=RADIUS * tangential * Z),
        Row(what="10.2 force of the hinge on the bar", here=here.reaction("hinge")[0], by_hand=-(pull + on_bar)),
    ]


def rack_rows() -> list[Row]:
    """Both racks push the wheel along y and press it out of their teeth, to -x and +z, by tan 20 deg."""
    here = pushed()
    model, x = here.model, here.rest.x
    radial = 1000.0 * math.tan(ALPHA)
    held = here.multipliers("hinge")[:3]
    rows = [
        Row(what="10.3 displacement of the second rack", here=float(x[model.index("two y")]), by_hand=-5.0),
        Row(what="10.3 force that moves the first rack", here=here.rest.reactions["one y"], by_hand=1000.0),
        Row(what="10.3 force of the wheel on its hinge", here=held, by_hand=np.array([-radial, 2000.0, radial])),
    ]
    rows += [
        Row(
            what=f"10.3 normal force, {name}",
            here=abs(here.multipliers(f"mesh {name}")[0]),
            by_hand=1000.0 / math.cos(ALPHA),
        )
        for name in ("one", "two")
    ]
    return rows
