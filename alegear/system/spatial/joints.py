"""Joints between bodies in space: points that coincide, axes that stay perpendicular; with both tangents.

Every joint is made of two kinds of equation g = 0 between the frames of two bodies, which :class:`JointDefinition` puts
together. Points and directions are given in the frames of the bodies; those of the ground and of bodies on hinges are
those of space at angle zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import ClassVar

import numpy as np

from alegear.errors import Fault
from alegear.system.body_frame import JoinedFrames, Position
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array, Scales
from alegear.system.holonomic import Joint, JointForces
from alegear.system.rotation import cross, skew
from alegear.system.time_signal import rates_of

#: Cosine between directions that are perpendicular, to the digits that are written down.
ACROSS = 1e-9
_ONE, _MINUS_ONE = np.eye(3), -np.eye(3)


class Condition(ABC):
    """Equations between two frames.

    Attributes
    ----------
    n_equations : int
    misfit_direction : str
        Direction of a coordinate whose typical size is that of a misfit: a displacement, or an angle.
    prescribes_motion : bool
        Whether it changes with time.
    """

    n_equations: int
    misfit_direction: ClassVar[str] = "x"
    prescribes_motion: bool = False

    @property
    def point_on_second(self) -> Array | None:
        """Point of the joint in the frame of the second body (3,) [m]; None of conditions between directions."""
        return None

    def turned_between(self, begin: float, end: float) -> float:
        """Angle [rad] by which it turns the second body between two times [s], of one that prescribes an angle."""
        return 0.0

    def time_rates(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """First and second rate of g by time at positions that stay, shape (m,) each; not zero where it leads."""
        return np.zeros(self.n_equations), np.zeros(self.n_equations)

    @abstractmethod
    def evaluate(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """g (m,), and its derivatives (m, 12) by velocity and angular velocity of either frame."""

    @abstractmethod
    def curvature(self, t: float, one: Position, two: Position, force: Array) -> Array:
        """Derivative of the generalised forces ``G^T force`` by the motion of both frames, shape (12, 12)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Coincidence(Condition):
    """A point of one body stays on a point of another: three equations [m], ``p_2 + R_2 s_2 - p_1 - R_1 s_1``.

    Parameters
    ----------
    points : (shape (3,), shape (3,)) [m]
        In the frames of the bodies.
    """

    points: tuple[Array, Array]
    n_equations = 3

    @property
    def point_on_second(self) -> Array:
        """The second of its points."""
        return self.points[1]

    def evaluate(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """Distance of the points."""
        (p_1, R_1), (p_2, R_2) = one, two
        s_1, s_2 = self.points
        g = p_2 + R_2 @ s_2 - p_1 - R_1 @ s_1
        G = np.zeros((3, 12))
        G[:, :3], G[:, 6:9] = _MINUS_ONE, _ONE
        G[:, 3:6], G[:, 9:] = R_1 @ skew(s_1), -R_2 @ skew(s_2)
        return g, G

    def curvature(self, t: float, one: Position, two: Position, force: Array) -> Array:
        """Only the rotations turn the lever arms."""
        K = np.zeros((12, 12))
        K[3:6, 3:6] = -skew(self.points[0]) @ skew(one[1].T @ force)
        K[9:, 9:] = skew(self.points[1]) @ skew(two[1].T @ force)
        return K


@dataclass(frozen=True, kw_only=True, eq=False)
class Turning:
    r"""A direction that turns with time across an axis, :math:`a = -\sin\varphi \, e_1 + \cos\varphi \, e_2`.

    Parameters
    ----------
    across : (shape (3,), shape (3,))
        e_1 and e_2, unit vectors.
    angle : callable of t [s]
        phi [rad].
    """

    across: tuple[Array, Array]
    angle: Callable[[float], float]

    def __call__(self, t: float) -> Array:
        """a (3,) at t [s]."""
        return self._at(self.angle(t))[0]

    def rates(self, t: float) -> tuple[Array, Array]:
        """First and second rate of a at t [s], shape (3,) each."""
        a, ahead = self._at(self.angle(t))
        rate, second = rates_of(self.angle, t)
        return rate * ahead, second * ahead - rate * rate * a

    def _at(self, phi: float) -> tuple[Array, Array]:
        """A, and its derivative by phi."""
        e_1, e_2 = self.across
        s, c = sin(phi), cos(phi)
        return -s * e_1 + c * e_2, -c * e_1 - s * e_2


@dataclass(frozen=True, kw_only=True, eq=False)
class Perpendicularity(Condition):
    """A direction of one body stays perpendicular to one of another: ``(R_1 a) . (R_2 b) = 0``.

    Parameters
    ----------
    first : Turning, or shape (3,)
        Unit vector in the frame of the first body; where it turns with time it leads the second body.
    second : shape (3,)
        Unit vector in the frame of the second.
    """

    first: Array | Turning
    second: Array
    n_equations = 1
    misfit_direction = "tilt x"

    @property
    def prescribes_motion(self) -> bool:  # type: ignore[override]
        """Whether its first direction turns with time."""
        return isinstance(self.first, Turning)

    def turned_between(self, begin: float, end: float) -> float:
        """By which its first direction turns."""
        return abs(self.first.angle(end) - self.first.angle(begin)) if isinstance(self.first, Turning) else 0.0

    def _first(self, t: float) -> Array:
        return self.first(t) if isinstance(self.first, Turning) else self.first

    def time_rates(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """Those of the cosine, as the first direction turns."""
        if not isinstance(self.first, Turning):
            return super().time_rates(t, one, two)
        b_1 = one[1].T @ two[1] @ self.second
        first, second = self.first.rates(t)
        return np.array([first @ b_1]), np.array([second @ b_1])

    def evaluate(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """Cosine of the angle between the directions."""
        a, b = self._first(t), self.second
        B = one[1].T @ two[1]  # components in the second body to those in the first
        b_1, G = B @ b, np.zeros((1, 12))
        G[0, 3:6], G[0, 9:] = cross(a, b_1), cross(b, a @ B)
        return np.array([a @ b_1]), G

    def curvature(self, t: float, one: Position, two: Position, force: Array) -> Array:
        """Second derivatives times the one multiplier."""
        a, b = self._first(t), self.second
        B = one[1].T @ two[1]
        A, C, K = skew(a), skew(b), np.zeros((12, 12))
        K[3:6, 3:6] = A @ skew(B @ b)
        K[9:, 9:] = C @ skew(a @ B)
        K[3:6, 9:] = -A @ B @ C
        K[9:, 3:6] = K[3:6, 9:].T
        return float(force[0]) * K


@dataclass(frozen=True, kw_only=True, eq=False)
class JointDefinition(Part):
    """Join two bodies by conditions: a part of a system.

    Parameters
    ----------
    name : str
    between : (str, str)
        Floating bodies, bodies on hinges, or the ground.
    conditions : sequence of Condition
    """

    name: str
    between: tuple[str, str]
    conditions: Sequence[Condition]

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the equations."""
        frames = builder.joined(self.between, self.name)
        builder.joint(ConditionsOfFrames(self.name, frames, tuple(self.conditions), builder.scales))


class ConditionsOfFrames(Joint):
    """Conditions between the frames of two bodies, as equations between coordinates.

    Parameters
    ----------
    name : str
    frames : JoinedFrames
    conditions : tuple of Condition
    scales : Scales
        By which misfits matter.
    """

    def __init__(self, name: str, frames: JoinedFrames, conditions: tuple[Condition, ...], scales: Scales) -> None:
        self.name, self.conditions, self._frames = name, conditions, frames
        self.coordinates, self._rows = frames.coordinates, frames.rows
        self.n_equations = sum(one.n_equations for one in conditions)
        sizes = [scales.displacement(one.misfit_direction) for one in conditions]
        self.scale = np.repeat(sizes, [one.n_equations for one in conditions])

    def misfit(self, t: float, x: Array) -> tuple[Array, Array]:
        """All conditions, one after the other."""
        return self._misfit(t, self._frames.at(x))

    def _misfit(self, t: float, positions: tuple[Position, Position]) -> tuple[Array, Array]:
        parts = [one.evaluate(t, *positions) for one in self.conditions]
        return np.concatenate([g for g, _ in parts]), np.concatenate([G for _, G in parts]) @ self._rows

    def led_by(self, begin: float, end: float) -> float:
        """The largest angle of all conditions."""
        return max(one.turned_between(begin, end) for one in self.conditions)

    def time_rates(self, t: float, x: Array) -> tuple[Array, Array]:
        """Those of all conditions."""
        positions = self._frames.at(x)
        parts = [one.time_rates(t, *positions) for one in self.conditions]
        return np.concatenate([rate for rate, _ in parts]), np.concatenate([second for _, second in parts])

    def forces(self, t: float, x: Array, v: Array, multipliers: Array) -> JointForces:
        """-G^T lambda; where a condition changes with time its power is supplied."""
        positions = self._frames.at(x)  # once for both
        by_multipliers = -self._misfit(t, positions)[1].T
        Q = by_multipliers @ multipliers
        return JointForces(
            Q=Q,
            by_x=-self._curvature(positions, t, multipliers),
            by_v=np.zeros((len(x), len(x))),
            by_multipliers=by_multipliers,
            supplied=float(Q @ v) if self.prescribes_motion else 0.0,
        )

    @property
    def prescribes_motion(self) -> bool:
        """Whether it prescribes a motion."""
        return any(one.prescribes_motion for one in self.conditions)

    def reaction(self, t: float, x: Array, multipliers: Array) -> tuple[Array, Array, Array]:
        """Force [N] and torque [N m] on the second body at the point of the joint there, and that point [m], in space.

        The point is that of the first condition that has one, else the origin of the body's frame.
        """
        positions = self._frames.at(x)
        G = np.vstack([one.evaluate(t, *positions)[1] for one in self.conditions])
        on_second = -G[:, 6:].T @ multipliers
        p, R = positions[1]
        known = (one.point_on_second for one in self.conditions if one.point_on_second is not None)
        arm = R @ next(known, np.zeros(3))
        return on_second[:3], R @ on_second[3:] - cross(arm, on_second[:3]), p + arm

    def curvature(self, t: float, x: Array, multipliers: Array) -> Array:
        """Sum over the conditions."""
        return self._curvature(self._frames.at(x), t, multipliers)

    def _curvature(self, positions: tuple[Position, Position], t: float, multipliers: Array) -> Array:
        K, first = np.zeros((12, 12)), 0
        for one in self.conditions:
            K += one.curvature(t, *positions, multipliers[first : first + one.n_equations])
            first += one.n_equations
        return np.asarray(self._rows.T @ K @ self._rows)


def spherical(name: str, between: tuple[str, str], points: tuple[Array, Array]) -> JointDefinition:
    """Return a ball joint between two points: three equations."""
    return JointDefinition(name=name, between=between, conditions=[_together(points)])


def revolute(
    name: str, between: tuple[str, str], points: tuple[Array, Array], axes: tuple[Array, Array]
) -> JointDefinition:
    """Return a hinge: a point and a direction in common, five equations.

    Parameters
    ----------
    points, axes : (shape (3,), shape (3,))
        In the frames of both bodies; the axes are made unit vectors.
    """
    return JointDefinition(name=name, between=between, conditions=_hinge(name, points, axes))


def fixed(
    name: str, between: tuple[str, str], points: tuple[Array, Array], frames: tuple[Array, Array] | None = None
) -> JointDefinition:
    """Return a rigid connection: six equations.

    Parameters
    ----------
    frames : (shape (3, 3), shape (3, 3)), optional
        Axes (columns) in both bodies that stay parallel; those of the bodies if not given.
    """
    return JointDefinition(name=name, between=between, conditions=[_together(points), *_unturned(frames)])


def prismatic(
    name: str,
    between: tuple[str, str],
    points: tuple[Array, Array],
    direction: Array,
    *,
    frames: tuple[Array, Array] | None = None,
    displacement: Callable[[float], float] | None = None,
) -> JointDefinition:
    """Return a guide: the second body moves along a direction of the first without turning, five equations.

    Parameters
    ----------
    points : (shape (3,), shape (3,)) [m]
        In the frames of both bodies, on one line along the direction.
    direction : shape (3,)
        In the frame of the first.
    frames : (shape (3, 3), shape (3, 3)), optional
        Axes (columns) in both bodies that stay parallel; those of the bodies if not given.
    displacement : callable of t [s], optional
        Displacement of the second point along the direction [m], which is then prescribed by a sixth equation.
    """
    e_1, e_2, n = normals(name, direction)
    conditions: list[Condition] = [AcrossGuide(points=_both(points), across=(e_1, e_2)), *_unturned(frames)]
    if displacement is not None:
        conditions.append(AcrossGuide(points=_both(points), across=(n,), displacement=displacement))
    return JointDefinition(name=name, between=between, conditions=conditions)


def cylindrical(
    name: str, between: tuple[str, str], points: tuple[Array, Array], axes: tuple[Array, Array]
) -> JointDefinition:
    """Return a sliding hinge: the second body turns about an axis of the first and moves along it, four equations.

    Parameters
    ----------
    points, axes : (shape (3,), shape (3,))
        In the frames of both bodies; the points on one line along the axes, which are made unit vectors.
    """
    e_1, e_2, _ = normals(name, axes[0])
    return JointDefinition(
        name=name,
        between=between,
        conditions=[AcrossGuide(points=_both(points), across=(e_1, e_2)), *_parallel(name, axes)],
    )


def planar(
    name: str,
    between: tuple[str, str],
    points: tuple[Array, Array],
    normal: Array,
    *,
    second: Array | None = None,
) -> JointDefinition:
    """Return a plane of the first body in which the second moves and turns: three equations.

    Parameters
    ----------
    points : (shape (3,), shape (3,)) [m]
        In the frames of both bodies, in the plane.
    normal : shape (3,)
        Of the plane, in the first body.
    second : shape (3,), optional
        The same direction in the second body; if not given, by the same components.
    """
    n = _unit(name, normal)
    conditions = [
        AcrossGuide(points=_both(points), across=(n,)),
        *_parallel(name, (n, n if second is None else second)),
    ]
    return JointDefinition(name=name, between=between, conditions=conditions)


def prescribed_revolute(
    name: str,
    between: tuple[str, str],
    points: tuple[Array, Array],
    axes: tuple[Array, Array],
    angle: Callable[[float], float],
    *,
    zero: Array | None = None,
) -> JointDefinition:
    """Return a hinge whose angle is prescribed: six equations.

    Parameters
    ----------
    angle : callable of t [s]
        Angle of the second body against the first about the axis [rad].
    zero : shape (3,), optional
        Direction across the axis in the second body from which the angle is counted; if not given, that from which it
        is counted in the first body, by its components.
    """
    e_1, e_2, _ = normals(name, axes[0])

    second = e_1 if zero is None else _unit(name, zero)
    along = float(second @ _unit(name, axes[1]))
    if not abs(along) < ACROSS:
        what, limit = f"cosine between the axis of {name} and the direction of angle 0, in the second body", "0"
        raise Fault(what, f"{along:.3g}", limit, "give a direction across its axis as zero")
    conditions = [
        *_hinge(name, points, axes),
        Perpendicularity(first=Turning(across=(e_1, e_2), angle=angle), second=second),
    ]
    return JointDefinition(name=name, between=between, conditions=conditions)


@dataclass(frozen=True, kw_only=True, eq=False)
class AcrossGuide(Condition):
    """A point of the second body stays on a line or plane of the first, or follows a displacement u(t) from there.

    ``(R_1 e_i) . (p_2 + R_2 s_2 - p_1 - R_1 s_1) = u(t)``, of which two directions e leave a line and one a plane.

    Parameters
    ----------
    points : (shape (3,), shape (3,)) [m]
    across : sequence of shape (3,)
        Unit vectors e in the first body.
    displacement : callable of t [s], optional
        u [m], along every direction; zero if not given.
    """

    points: tuple[Array, Array]
    across: Sequence[Array]
    displacement: Callable[[float], float] | None = None

    @property
    def point_on_second(self) -> Array:
        """The second of its points."""
        return self.points[1]

    @property
    def n_equations(self) -> int:  # type: ignore[override]
        """As many as directions."""
        return len(self.across)

    @property
    def prescribes_motion(self) -> bool:  # type: ignore[override]
        """Whether there is a displacement over time."""
        return self.displacement is not None

    def evaluate(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """Distance along each direction."""
        (p_1, R_1), (p_2, R_2) = one, two
        s_1, s_2 = self.points
        y = R_1.T @ (p_2 + R_2 @ s_2 - p_1)  # in the first body
        B = R_1.T @ R_2
        g, G = np.empty(self.n_equations), np.empty((self.n_equations, 12))
        for i, e in enumerate(self.across):
            g[i] = e @ (y - s_1)
            G[i] = np.concatenate([-R_1 @ e, cross(e, y), R_1 @ e, cross(s_2, B.T @ e)])
        if self.displacement is not None:
            g -= self.displacement(t)
        return g, G

    def time_rates(self, t: float, one: Position, two: Position) -> tuple[Array, Array]:
        """Those of -u."""
        if self.displacement is None:
            return super().time_rates(t, one, two)
        rate, second = rates_of(self.displacement, t)
        return np.full(self.n_equations, -rate), np.full(self.n_equations, -second)

    def curvature(self, t: float, one: Position, two: Position, force: Array) -> Array:
        """Directions turn with the first body, lever arms with either."""
        (p_1, R_1), (p_2, R_2) = one, two
        s_2 = self.points[1]
        y, B = R_1.T @ (p_2 + R_2 @ s_2 - p_1), R_1.T @ R_2
        f = np.asarray(force) @ np.array(self.across)
        K = np.zeros((12, 12))
        turned = R_1 @ skew(f)  # derivative of -R_1 f by the turn of the first body
        K[:3, 3:6], K[6:9, 3:6] = turned, -turned
        # f x y with dy = -w_1 x y + R_1^T (dp_2 - dp_1) - B skew(s_2) w_2
        K[3:6, :3], K[3:6, 6:9] = -skew(f) @ R_1.T, skew(f) @ R_1.T
        K[3:6, 3:6] = skew(f) @ skew(y)
        K[3:6, 9:] = -skew(f) @ B @ skew(s_2)
        # s_2 x B^T f with d(B^T f) = skew(B^T f) w_2 - B^T skew(f) w_1
        K[9:, 9:] = skew(s_2) @ skew(B.T @ f)
        K[9:, 3:6] = -skew(s_2) @ B.T @ skew(f)
        return K


def _together(points: tuple[Array, Array]) -> Coincidence:
    return Coincidence(points=_both(points))


def _both(points: tuple[Array, Array]) -> tuple[Array, Array]:
    one, two = (np.asarray(point, dtype=np.float64) for point in points)
    return one, two


def _hinge(name: str, points: tuple[Array, Array], axes: tuple[Array, Array]) -> list[Condition]:
    return [_together(points), *_parallel(name, axes)]


def _parallel(name: str, axes: tuple[Array, Array]) -> list[Condition]:
    e_1, e_2, _ = normals(name, axes[0])
    axis = _unit(name, axes[1])
    return [Perpendicularity(first=e_1, second=axis), Perpendicularity(first=e_2, second=axis)]


def _unturned(frames: tuple[Array, Array] | None) -> list[Condition]:
    F_1, F_2 = frames if frames is not None else (np.eye(3), np.eye(3))
    return [Perpendicularity(first=F_1[:, i], second=F_2[:, j]) for i, j in ((0, 1), (1, 2), (2, 0))]


def _unit(name: str, vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        raise Fault(f"axis of {name}", np.asarray(vector).tolist(), "not zero", "give a direction")
    return np.asarray(vector, dtype=np.float64) / length


def normals(name: str, axis: Array) -> tuple[Array, Array, Array]:
    """Two unit vectors across an axis, and the axis, right-handed; of the z axis x and y. `name` is the joint's."""
    n = _unit(name, axis)
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    e_1 = helper - (helper @ n) * n
    e_1 /= np.linalg.norm(e_1)
    return e_1, cross(n, e_1), n
