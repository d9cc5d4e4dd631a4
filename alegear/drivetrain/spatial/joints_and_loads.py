"""Parts between bodies in space as users place them: points and directions in space, as all stands at the start.

Each finds out where its bodies are and becomes a part of :mod:`alegear.system.spatial`, with points and directions in
the frames of the bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.rotational.profiles import SignalLike, TableLike, signal_of
from alegear.drivetrain.rotational.sources import TORQUE, TORQUE_OVER_TIME
from alegear.drivetrain.spatial import trajectories
from alegear.drivetrain.spatial.toothed_bodies import vector_of
from alegear.errors import Fault
from alegear.limits import Limits, array_of
from alegear.parameters import ANY, Columns, Grid, Joined, Numbers, OneOf, SubTable, Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.machine_part import MachinePart
from alegear.system.spatial import joints
from alegear.system.spatial.bushing import Bushing, HingeTorque, PointLoad
from alegear.system.spatial.hinge_angle import HingeAngle
from alegear.system.spatial.point_spring import FREE_LENGTH, Damping, PointSpring, Stiffness
from alegear.system.time_signal import corners_of

ORIGIN = (0.0, 0.0, 0.0)
LENGTH = Limits(quantity="position", unit="mm", least=-1e9, most=1e9)
BODIES = Words("names of the bodies")
Kind = Literal[
    "revolute",
    "spherical",
    "fixed",
    "prismatic",
    "cylindrical",
    "planar",
    "prescribed_revolute",
    "prescribed_prismatic",
]


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
class SpatialJoint(MachinePart):
    """A joint between two bodies.

    At a point of space, as the bodies stand at the start; what is prescribed is the second against the first.

    Led are a hinge by its angle or its speed and a guide by its displacement, each also as a function of time. The
    rotor of a revolute or cylindrical joint only turns: a torque on it acts on the second body against the first.

    Raises
    ------
    Fault
        Also for what the kind has no use for.
    """

    TABLE: ClassVar[str] = "joints"
    in_space: ClassVar[bool] = True
    #: Kinds, and whether they have an axis.
    KINDS: ClassVar[dict[str, bool]] = {
        "revolute": True,
        "spherical": False,
        "fixed": False,
        "prismatic": True,
        "cylindrical": True,
        "planar": True,
        "prescribed_revolute": True,
        "prescribed_prismatic": True,
    }
    #: Those whose angle may be that of a torsional part.
    TURN: ClassVar[tuple[str, ...]] = ("revolute", "cylindrical")

    kind: Annotated[
        Kind,
        Words(
            "what it is: revolute, spherical, fixed, prismatic, cylindrical, planar; prescribed_revolute: a hinge whose"
            " angle is given; prescribed_prismatic: a guide whose displacement is given"
        ),
    ]
    between: Annotated[tuple[str, str], BODIES]
    point: Annotated[ArrayLike, Numbers("where it is in space at the start ([0, 0, 0])", LENGTH, 3, 3)] = ORIGIN
    axis: Annotated[
        ArrayLike | None,
        Numbers("direction of its axis in space at the start; not of spherical and fixed joints", ANY, 3, 3),
    ] = None
    angle: Annotated[
        trajectories.TrajectoryLike | None,
        Columns(
            "s",
            "deg",
            key="angle_table_s_deg",
            words="pairs of a time in s and the angle of a prescribed hinge in degrees; smooth between, straight on"
            " beyond",
            least=2,
        ),
    ] = None
    speed: Annotated[
        float | TableLike | None,
        OneOf(
            Limits(quantity="speed", words="speed of a prescribed joint", unit="rpm", least=-1e6, most=1e6),
            Columns(
                "s",
                "rpm",
                key="speed_table_s_rpm",
                words="pairs of a time in s and the speed of a prescribed joint in rpm; straight lines",
            ),
        ),
    ] = None
    ramp: Annotated[
        float,
        Limits(
            quantity="duration of the run-up",
            words="duration of the run-up to speed_rpm",
            unit="s",
            least=0.0,
            most=1e6,
        ),
    ] = 0.0
    displacement: Annotated[
        trajectories.TrajectoryLike | None,
        Columns(
            "s",
            "mm",
            key="displacement_table_s_mm",
            words="pairs of a time in s and the displacement of a prescribed guide in mm; smooth between",
            least=2,
        ),
    ] = None
    rotor: Annotated[
        str | None,
        Words(
            "name of a rotor that has the angle of a revolute or cylindrical joint: what turns it turns the second body"
            " against the first"
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "point", vector_of(self.label, "point", self.point, nonzero=False))
        if self.KINDS[self.kind]:
            if self.axis is None:
                raise Fault(f"axis of {self.label}", None, f"given for a {self.kind} joint", "give a direction")
            object.__setattr__(self, "axis", vector_of(self.label, "axis", self.axis, nonzero=True))
        elif self.axis is not None:
            limit = f"left out: a {self.kind} joint has none"
            raise Fault(f"axis of {self.label}", np.asarray(self.axis).tolist(), limit, "leave it out")
        given = {what: getattr(self, what) for what in ("angle", "speed", "ramp", "displacement", "rotor")}
        of_kind = {"prescribed_revolute": ("angle", "speed", "ramp"), "prescribed_prismatic": ("displacement",)}
        allowed = of_kind.get(self.kind, ("rotor",) if self.kind in self.TURN else ())
        for what, value in given.items():
            if what not in allowed and value is not None and (what != "ramp" or value):
                limit = f'left out of a joint of kind = "{self.kind}": it has no effect'
                raise Fault(f"{what} of {self.label}", "given", limit, f"leave out {what}, or correct kind")
        object.__setattr__(self, "_motion", self._checked_motion())

    def _checked_motion(self) -> Callable[[float], float] | None:
        if self.kind == "prescribed_prismatic":
            if self.displacement is None:
                raise Fault(f"displacement of {self.label}", None, "given", "give displacement_table_s_mm")
            return trajectories.trajectory_of(f"displacement of {self.label}", self.displacement)
        if self.kind != "prescribed_revolute":
            return None
        if (self.angle is None) == (self.speed is None):
            shown = "none of them" if self.angle is None else "both of them"
            raise Fault(f"angle or speed of {self.label}", shown, "one of them", "give one")
        if self.angle is None:
            return trajectories.rotation_of_speed(f"speed of {self.label}", self.speed, self.ramp)
        if self.ramp:
            raise Fault(f"ramp of {self.label}", self.ramp, "left out with an angle", "leave out ramp")
        return trajectories.trajectory_of(f"angle of {self.label}", self.angle)

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which its motion has corners: steps end there [s]."""
        return corners_of(self._motion)  # type: ignore[attr-defined]

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

    def _joint(self, here: _Between) -> joints.JointDefinition:
        name, between, points = self.name, self.between, here.point(self.point)
        if self.kind == "spherical":
            return joints.spherical(name, between, points)
        if self.kind == "fixed":
            return joints.fixed(name, between, points, here.axes)
        axes, motion = here.direction(self.axis), self._motion  # type: ignore[arg-type, attr-defined]
        if self.kind in ("prismatic", "prescribed_prismatic"):
            shifted = None if motion is None else trajectories.SinceStart(motion=motion)
            return joints.prismatic(name, between, points, axes[0], frames=here.axes, displacement=shifted)
        if self.kind == "prescribed_revolute":
            across = joints.normals(name, axes[0])[0]  # from which its angle is counted
            (_, R_1), (_, R_2) = here.positions
            return joints.prescribed_revolute(
                name, between, points, axes, trajectories.SinceStart(motion=motion), zero=R_2.T @ (R_1 @ across)
            )
        if self.kind == "planar":
            return joints.planar(name, between, points, axes[0], second=axes[1])
        return {"revolute": joints.revolute, "cylindrical": joints.cylindrical}[self.kind](name, between, points, axes)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialBushing(MachinePart):
    """Spring and damper in all directions between two bodies.

    At a point of space, along x, y, z and about them. Without load where the bodies stand at the start; its axes are
    those of space then, and turn with the first body.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "bushings"
    in_space: ClassVar[bool] = True

    between: Annotated[tuple[str, str], BODIES]
    point: Annotated[ArrayLike, Numbers("where it is in space at the start ([0, 0, 0])", LENGTH, 3, 3)] = ORIGIN
    stiffness: Annotated[
        ArrayLike,
        Joined(
            Numbers(
                "stiffness along x, y, z of space at the start; the directions turn with the first body,",
                replace(ANY, unit="N/m"),
                3,
                3,
            ),
            Numbers("stiffness about x, y, z", replace(ANY, unit="N m/rad"), 3, 3),
        ),
    ] = (0.0,) * 6
    damping: Annotated[
        ArrayLike,
        Joined(
            Numbers("damping along x, y, z", replace(ANY, unit="N s/m"), 3, 3),
            Numbers("damping about x, y, z", replace(ANY, unit="N m s/rad"), 3, 3),
        ),
    ] = (0.0,) * 6

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "point", vector_of(self.label, "point", self.point, nonzero=False))
        for what in ("stiffness", "damping"):
            values = array_of(getattr(self, what), f"{what} of {self.label}")
            if values.shape != (6,) or not np.isfinite(values).all() or (values < 0.0).any():
                limit = "six numbers, none below 0"
                raise Fault(f"{what} of {self.label}", np.array2string(values), limit, "give x, y, z and about them")
            object.__setattr__(self, what, values)
        if not np.any(self.stiffness) and not np.any(self.damping):
            what, limit = f"stiffness and damping of {self.label}", "one of them at least"
            raise Fault(what, "0", limit, "give a stiffness, or leave the part out")

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
class SpatialSpring(MachinePart):
    """Spring and damper along the line between two points.

    Each is a point of space that one of two bodies carries.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "point_springs"
    in_space: ClassVar[bool] = True

    between: Annotated[tuple[str, str], BODIES]
    points: Annotated[
        tuple[ArrayLike, ArrayLike],
        Grid(
            words="points on the first and on the second body, in space at the start in mm",
            each=LENGTH,
            least=2,
            most=2,
            columns=(3, 3),
        ),
    ]
    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    free_length: Annotated[float | None, FREE_LENGTH] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = array_of(self.points, f"points of {self.label}")
        if given.shape != (2, 3) or not np.isfinite(given).all():
            raise Fault(f"points of {self.label}", f"shape {given.shape}", "two points (x, y, z)", "give both")
        object.__setattr__(self, "points", (given[0], given[1]))
        if self.free_length is None and not self._distance:
            what, limit = f"distance of the points of {self.label} [mm]", "greater than 0"
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
class SpatialLoad(MachinePart):
    """Force and torque on a body, along the axes of space.

    However the body turns; each may also be a function of time. The point at which the force acts is one of space that
    moves with the body from the start on.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "spatial_loads"
    in_space: ClassVar[bool] = True

    body: Annotated[str, Words("name of the body")]
    force: Annotated[
        trajectories.VectorTrajectoryLike | None,
        OneOf(
            Numbers("force", replace(ANY, unit="N"), 3, 3),
            Columns(
                "s",
                "N",
                "N",
                "N",
                key="force_table_s_N",
                words="rows of a time in s and the force (x, y, z) in N; straight lines",
            ),
        ),
    ] = None
    torque: Annotated[
        trajectories.VectorTrajectoryLike | None,
        OneOf(
            Numbers("torque", replace(ANY, unit="N m"), 3, 3),
            Columns(
                "s",
                "N m",
                "N m",
                "N m",
                key="torque_table_s_Nm",
                words="rows of a time in s and the torque (x, y, z) in N m; straight lines",
            ),
        ),
    ] = None
    point: Annotated[
        ArrayLike | None,
        Numbers(
            "where the force acts in space at the start; the point moves with the body (its centre of mass)",
            LENGTH,
            3,
            3,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.body == GROUND:
            raise Fault(f"body of {self.label}", "the ground", "one that moves", "name a body")
        if self.force is None and self.torque is None:
            raise Fault(f"force and torque of {self.label}", "none", "one of them", "give force or torque")
        if self.point is not None:
            if self.force is None:
                what, limit = f"point of {self.label}", "left out without a force: it has no effect"
                raise Fault(what, "given", limit, "leave it out, or give a force")
            object.__setattr__(self, "point", vector_of(self.label, "point", self.point, nonzero=False))
        for what in ("force", "torque"):
            given = getattr(self, what)
            made = None if given is None else trajectories.vector_trajectory(f"{what} of {self.label}", given)
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
        PointLoad(name=self.name, body=self.body, value=self.value, point=point).add_to(builder)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialTorque(MachinePart):
    """A torque between two bodies, positive on the second.

    About a direction of space at the start, which turns with the first body. It may also be a function of time.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "hinge_torques"
    in_space: ClassVar[bool] = True

    between: Annotated[tuple[str, str], BODIES]
    axis: Annotated[
        ArrayLike,
        Numbers("direction about which it acts, in space at the start; it turns with the first body", ANY, 3, 3),
    ]
    torque: Annotated[
        SignalLike,
        OneOf(TORQUE, TORQUE_OVER_TIME, SubTable(trajectories.LaterSine, "sine_Nm", "a sine over time, in N m")),
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", vector_of(self.label, "axis", self.axis, nonzero=True))
        object.__setattr__(self, "_signal", signal_of(f"torque of {self.label}", self.torque))

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
