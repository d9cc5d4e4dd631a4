"""Parts between bodies in space as users place them: points and directions in space, as all stands at the start.

Each finds out where its bodies are and becomes a part of :mod:`alegear.system.spatial`, with points and directions in
the frames of the bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational.places import check_places
from alegear.drivetrain.rotational.profiles import Rows, SignalLike, signal_of
from alegear.drivetrain.spatial.courses import (
    CourseLike,
    FromStart,
    VectorCourseLike,
    course_of,
    rotation_of_speed,
    vector_course,
)
from alegear.drivetrain.spatial.toothed import vector_of
from alegear.dynamics.time_signal import corners_of
from alegear.errors import Fault
from alegear.limits import Limits, array_of, check_choice, check_numbers, check_type
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.machine_part import MachinePart
from alegear.system.spatial.bushing import Bushing, HingeTorque, SpatialLoad
from alegear.system.spatial.hinge_angle import HingeAngle
from alegear.system.spatial.joints import (
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


class _Between:
    """Two bodies where they stand at the start."""

    def __init__(self, builder: SystemBuilder, between: tuple[str, str], who: str) -> None:
        self.positions = [builder.started(builder.frame(body, who)) for body in between]

    def point(self, point: ArrayLike) -> tuple[Array, Array]:
        """A point of space in the frames of both."""
        one, two = (R.T @ (np.asarray(point) - p) for p, R in self.positions)
        return one, two

    def direction(self, direction: ArrayLike) -> tuple[Array, Array]:
        """A direction of space in the frames of both."""
        one, two = (R.T @ np.asarray(direction) for _, R in self.positions)
        return one, two

    @property
    def axes(self) -> tuple[Array, Array]:
        """The axes of space in the frames of both, one a column."""
        one, two = (R.T for _, R in self.positions)
        return one, two


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedJoint(MachinePart):
    """A joint between two bodies at a point of space.

    Parameters
    ----------
    name : str
    kind : str
        Of :attr:`KINDS`: ``"revolute"`` (hinge), ``"spherical"``, ``"fixed"``, ``"prismatic"`` (guide),
        ``"cylindrical"`` (sliding hinge), ``"planar"``, ``"led"`` (hinge of a given angle), ``"led_prismatic"``
        (guide of a given displacement).
    between : (str, str)
        Bodies, or the ground; what is prescribed is the second against the first.
    point : shape (3,) [m], axis : shape (3,)
        In space, as the bodies stand at the start. Spherical and fixed joints have no axis.
    angle : pairs of (time [s], angle [rad]) by monotone cubics, or function of time
        Of ``"led"``, right-handed about the axis; at t = 0 the bodies stand as given.
    speed : number [rad/s], or pairs of (time [s], speed) by straight lines
        In place of the angle.
    ramp : float [s]
        Run-up to a constant speed.
    displacement : pairs of (time [s], displacement [m]) by monotone cubics, or function of time
        Of ``"led_prismatic"``, along the axis.
    rotor : str or None
        Of ``"revolute"`` and ``"cylindrical"``: name of a rotor (a part that only turns) that has the angle of the
        hinge: a torque on it acts on the second body against the first.

    Raises
    ------
    Fault
        Also for what the kind has no use for.
    """

    TABLE: ClassVar[str] = "joints"
    in_space: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {
        "ramp": Limits(quantity="duration of the run-up", key="ramp_s", unit="s", least=0.0, most=1e6)
    }
    #: Kinds, and whether they have an axis.
    KINDS: ClassVar[dict[str, bool]] = {
        "revolute": True,
        "spherical": False,
        "fixed": False,
        "prismatic": True,
        "cylindrical": True,
        "planar": True,
        "led": True,
        "led_prismatic": True,
    }
    #: Those whose angle may be that of a part that only turns.
    TURN: ClassVar[tuple[str, ...]] = ("revolute", "cylindrical")

    name: str
    kind: str
    between: tuple[str, str]
    point: ArrayLike = (0.0, 0.0, 0.0)
    axis: ArrayLike | None = None
    angle: CourseLike | None = None
    speed: float | Rows | None = None
    ramp: float = 0.0
    displacement: CourseLike | None = None
    rotor: str | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_type(self, "rotor", str, optional=True)
        check_choice(self, "kind", tuple(self.KINDS), f"kind of {self.name}")
        check_numbers(self)
        object.__setattr__(self, "between", check_places(self.name, self.between, 2))
        object.__setattr__(self, "point", vector_of(self.name, "point", self.point, nonzero=False))
        if self.KINDS[self.kind]:
            if self.axis is None:
                raise Fault(f"axis of {self.name}", None, f"given for a {self.kind} joint", "give a direction")
            object.__setattr__(self, "axis", vector_of(self.name, "axis", self.axis, nonzero=True))
        elif self.axis is not None:
            limit = f"left out: a {self.kind} joint has none"
            raise Fault(f"axis of {self.name}", np.asarray(self.axis).tolist(), limit, "leave it out")
        given = {what: getattr(self, what) for what in ("angle", "speed", "ramp", "displacement", "rotor")}
        of_kind = {"led": ("angle", "speed", "ramp"), "led_prismatic": ("displacement",)}
        allowed = of_kind.get(self.kind, ("rotor",) if self.kind in self.TURN else ())
        for what, value in given.items():
            if what not in allowed and value is not None and (what != "ramp" or value):
                limit = f'left out of a joint of kind = "{self.kind}": it has no effect'
                raise Fault(f"{what} of {self.name}", "given", limit, f"leave out {what}, or correct kind")
        object.__setattr__(self, "_motion", self._checked_motion())

    def _checked_motion(self) -> Callable[[float], float] | None:
        if self.kind == "led_prismatic":
            if self.displacement is None:
                raise Fault(f"displacement of {self.name}", None, "given", "give displacement_table_s_mm")
            return course_of(f"displacement of {self.name}", self.displacement)
        if self.kind != "led":
            return None
        if (self.angle is None) == (self.speed is None):
            shown = "none of them" if self.angle is None else "both of them"
            raise Fault(f"angle or speed of {self.name}", shown, "one of them", "give one")
        if self.angle is None:
            return rotation_of_speed(f"speed of {self.name}", self.speed, self.ramp)
        if self.ramp:
            raise Fault(f"ramp of {self.name}", self.ramp, "left out with an angle", "leave out ramp")
        return course_of(f"angle of {self.name}", self.angle)

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which its motion has corners: steps end there [s]."""
        return corners_of(self._motion)  # type: ignore[attr-defined]

    @property
    def reach(self) -> Array:
        """Points of space that it concerns, shape (m, 3)."""
        return np.array([self.point])

    @property
    def joint_kind(self) -> str:
        """Its kind."""
        return self.kind

    @property
    def fixed_points(self) -> tuple[tuple[str, ArrayLike], ...]:
        """The point on both bodies."""
        return tuple((body, self.point) for body in self.between)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the equations."""
        here = _Between(builder, self.between, self.name)
        self._joint(here).add_to(builder)
        if self.rotor is not None:
            assert self.axis is not None
            HingeAngle(
                name=f"{self.name} rotor",
                between=self.between,
                axis=here.direction(self.axis)[0],
                rotor=self.rotor,
                point=here.point(self.point)[1],
            ).add_to(builder)

    def _joint(self, here: _Between) -> SpatialJoint:
        name, between, points = self.name, self.between, here.point(self.point)
        if self.kind == "spherical":
            return spherical(name, between, points)
        if self.kind == "fixed":
            return fixed(name, between, points, here.axes)
        axes, motion = here.direction(self.axis), self._motion  # type: ignore[arg-type, attr-defined]
        if self.kind in ("prismatic", "led_prismatic"):
            shifted = None if motion is None else FromStart(motion=motion)
            return prismatic(name, between, points, axes[0], frames=here.axes, displacement=shifted)
        if self.kind == "led":
            across = _across(axes[0])
            (_, R_1), (_, R_2) = here.positions
            return led(name, between, points, axes, FromStart(motion=motion), zero=R_2.T @ (R_1 @ across))
        if self.kind == "planar":
            return planar(name, between, points, axes[0], second=axes[1])
        return {"revolute": revolute, "cylindrical": cylindrical}[self.kind](name, between, points, axes)


def _across(axis: Array) -> Array:
    """The direction across an axis from which :func:`led` counts its angle."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across: Array = helper - (helper @ axis) * axis
    return across / np.linalg.norm(across)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedBushing(MachinePart):
    """A spring and a damper in all six directions of space between two bodies, at a point of space.

    Without load where the bodies stand at the start. Its axes are those of space then, and turn with the first body.

    Parameters
    ----------
    name : str
    between : (str, str)
        Bodies, or the ground.
    stiffness, damping : shape (6,) [N/m, N m/rad; times s]
        Along x, y, z and about them.
    point : shape (3,) [m]

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "bushings"
    in_space: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {}

    name: str
    between: tuple[str, str]
    stiffness: ArrayLike
    damping: ArrayLike = (0.0,) * 6
    point: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        object.__setattr__(self, "between", check_places(self.name, self.between, 2))
        object.__setattr__(self, "point", vector_of(self.name, "point", self.point, nonzero=False))
        for what in ("stiffness", "damping"):
            values = array_of(getattr(self, what), f"{what} of {self.name}")
            if values.shape != (6,) or not np.isfinite(values).all() or (values < 0.0).any():
                limit = "six numbers, none below 0"
                raise Fault(f"{what} of {self.name}", np.array2string(values), limit, "give x, y, z and about them")
            object.__setattr__(self, what, values)
        if not np.any(self.stiffness) and not np.any(self.damping):
            what, limit = f"stiffness and damping of {self.name}", "one of them at least"
            raise Fault(what, "0", limit, "give a stiffness, or leave the part out")

    @property
    def reach(self) -> Array:
        """Points of space that it concerns, shape (m, 3)."""
        return np.array([self.point])

    @property
    def fixed_points(self) -> tuple[tuple[str, ArrayLike], ...]:
        """The point on both bodies."""
        return tuple((body, self.point) for body in self.between)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        here = _Between(builder, self.between, self.name)
        Bushing(
            name=self.name,
            between=self.between,
            stiffness=np.diag(np.asarray(self.stiffness)),
            damping=np.diag(np.asarray(self.damping)),
            points=here.point(self.point),
            axes=here.axes,
        ).add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedPointSpring(MachinePart):
    """A spring and a damper along the line between two points of space, on two bodies.

    Parameters
    ----------
    name : str
    between : (str, str)
        Bodies, or the ground.
    points : (shape (3,), shape (3,)) [m]
        On the first and on the second body.
    stiffness : float [N/m], damping : float [N s/m]
    free_length : float or None [m]
        None: the distance of the points at the start.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "point_springs"
    in_space: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {
        **PointSpring.LIMITS,
        "free_length": replace(PointSpring.LIMITS["free_length"], optional=True),
    }

    name: str
    between: tuple[str, str]
    points: tuple[ArrayLike, ArrayLike]
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_numbers(self)
        object.__setattr__(self, "between", check_places(self.name, self.between, 2))
        given = array_of(self.points, f"points of {self.name}")
        if given.shape != (2, 3) or not np.isfinite(given).all():
            raise Fault(f"points of {self.name}", f"shape {given.shape}", "two points (x, y, z)", "give both")
        object.__setattr__(self, "points", (given[0], given[1]))
        if self.free_length is None and not self._distance:
            what, limit = f"distance of the points of {self.name} [mm]", "greater than 0"
            raise Fault(what, 0.0, limit, "move a point, or give free_length_mm")
        self._spring((given[0], given[1]))

    @property
    def _distance(self) -> float:
        return float(np.linalg.norm(np.subtract(*self.points)))

    def _spring(self, points: tuple[Array, Array]) -> PointSpring:
        return PointSpring(
            name=self.name,
            between=self.between,
            stiffness=self.stiffness,
            damping=self.damping,
            free_length=self._distance if self.free_length is None else self.free_length,
            points=points,
        )

    @property
    def reach(self) -> Array:
        """Points of space that it concerns, shape (m, 3)."""
        return np.array(self.points)

    def largest_force(self, length: float) -> float:
        """About how large its force is [N] in a machine of this size [m]."""
        stretched = self._distance - (self._distance if self.free_length is None else self.free_length)
        return self.stiffness * abs(stretched)

    @property
    def fixed_points(self) -> tuple[tuple[str, ArrayLike], ...]:
        """Its ends."""
        return tuple(zip(self.between, self.points, strict=True))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        first, second = (
            R.T @ (np.asarray(point) - p)
            for point, (p, R) in zip(self.points, _Between(builder, self.between, self.name).positions, strict=True)
        )
        self._spring((first, second)).add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedLoad(MachinePart):
    """A force and a torque over time on a body, along the axes of space, however the body turns.

    Parameters
    ----------
    name, body : str
    force : three numbers [N], rows (time [s], x, y, z) by straight lines, or function of time
    torque : likewise [N m]
    point : shape (3,) [m] or None
        Where the force acts: a point of space that moves with the body from the start on; None: its origin.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "spatial_loads"
    in_space: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {}

    name: str
    body: str
    force: VectorCourseLike | None = None
    torque: VectorCourseLike | None = None
    point: ArrayLike | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_type(self, "body", str)
        if self.body == GROUND:
            raise Fault(f"body of {self.name}", "the ground", "one that moves", "name a body")
        if self.force is None and self.torque is None:
            raise Fault(f"force and torque of {self.name}", "none", "one of them", "give force or torque")
        if self.point is not None:
            if self.force is None:
                what, limit = f"point of {self.name}", "left out without a force: it has no effect"
                raise Fault(what, "given", limit, "leave it out, or give a force")
            object.__setattr__(self, "point", vector_of(self.name, "point", self.point, nonzero=False))
        for what in ("force", "torque"):
            given = getattr(self, what)
            made = None if given is None else vector_course(f"{what} of {self.name}", given)
            object.__setattr__(self, f"_{what}", made)

    @property
    def _courses(self) -> tuple[Callable[[float], Array] | None, ...]:
        return self._force, self._torque  # type: ignore[attr-defined]

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which it has corners: steps end there [s]."""
        return tuple(t for one in self._courses for t in corners_of(one))

    def value(self, t: float) -> Array:
        """Force [N] and torque [N m] at t [s], shape (6,)."""
        return np.concatenate([np.zeros(3) if one is None else np.asarray(one(t)) for one in self._courses])

    def largest_force(self, length: float) -> float:
        """About how large its force is [N] in a machine of this size [m]."""
        both = np.abs([self.value(t) for t in (0.0, *self.corners)]).max(axis=0)
        return float(max(both[:3].max(), both[3:].max() / length))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        p, R = builder.started(builder.frame(self.body, self.name))
        point = np.zeros(3) if self.point is None else R.T @ (np.asarray(self.point) - p)
        SpatialLoad(name=self.name, body=self.body, value=self.value, point=point).add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedTorque(MachinePart):
    """A torque over time between two bodies, positive on the second, about a direction of space at the start.

    The direction turns with the first body.

    Parameters
    ----------
    name : str
    between : (str, str)
        Bodies, or the ground.
    axis : shape (3,)
    torque : number [N m], pairs of (time [s], torque), Sine, TimeSignal, or function of time

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "hinge_torques"
    in_space: ClassVar[bool] = True
    LIMITS: ClassVar[dict[str, Limits]] = {}

    name: str
    between: tuple[str, str]
    axis: ArrayLike
    torque: SignalLike

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        object.__setattr__(self, "between", check_places(self.name, self.between, 2))
        object.__setattr__(self, "axis", vector_of(self.name, "axis", self.axis, nonzero=True))
        object.__setattr__(self, "_signal", signal_of(f"torque of {self.name}", self.torque))

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which it has corners: steps end there [s]."""
        return self._signal.corners  # type: ignore[attr-defined, no-any-return]

    def largest_force(self, length: float) -> float:
        """About how large its force is [N] in a machine of this size [m]."""
        signal = self._signal  # type: ignore[attr-defined]
        return max(abs(float(signal.value(t))) for t in (0.0, *self.corners)) / length

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        axis = _Between(builder, self.between, self.name).direction(self.axis)[0]
        signal = self._signal  # type: ignore[attr-defined]
        HingeTorque(name=self.name, between=self.between, axis=axis, value=signal.value).add_to(builder)
