"""What acts between bodies in space: springs and dampers in all six directions, given loads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import degrees, radians

import numpy as np
from scipy.linalg import block_diag

from alegear.arrays import AnyArray
from alegear.errors import Fault
from alegear.system.body_frame import BodyFrame, JoinedFrames, Position
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.definite import check_definite
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.rotation import continued, rotation_vector, skew, tangent_inverse, tangent_inverse_derivative

_NONE = np.zeros((6, 6))
#: Rotation of one body against the other up to which a bushing is known, at 360 deg its tilting torques would be
#: infinite; and in a step, where beyond half a turn nothing says which way it went [rad].
FULL_TURN, HALF_TURN = radians(350.0), radians(180.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Bushing(Part):
    """A spring and a damper between two points in all six directions, ``f = -(K x + D dx/dt)``.

    x (6,) is the displacement of the second point against the first [m] and the rotation vector of the second body
    against the first [rad], in the axes of the bushing at the first body. What they pull at is what follows from the
    energy ``x^T K x / 2``. The rotation goes on from where it was at the step before, beyond half a turn; a motion ends
    with a failure at :data:`FULL_TURN`, where a rotation vector loses its direction.

    Parameters
    ----------
    name : str
    between : (str, str)
        Floating bodies, bodies on hinges, or the ground.
    stiffness, damping : shape (6, 6) [N/m, N, N m/rad; times s]
        Symmetric, not negative.
    points : (shape (3,), shape (3,)) [m]
        In the frames of the bodies.
    axes : (shape (3, 3), shape (3, 3))
        Of the bushing in both bodies (columns), parallel where it is not turned; x is along those of the first.
        Default: those of the bodies.

    Raises
    ------
    Fault
        If a matrix is of another shape, not symmetric, or negative in some direction.
    """

    name: str
    between: tuple[str, str]
    stiffness: Array
    damping: Array = field(default_factory=lambda: _NONE)
    points: tuple[Array, Array] = field(default_factory=lambda: (np.zeros(3), np.zeros(3)))
    axes: tuple[Array, Array] = field(default_factory=lambda: (np.eye(3), np.eye(3)))

    def __post_init__(self) -> None:
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            check_definite(f"{what} of {self.name}", matrix, 6)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        builder.element(BushingOfFrames(self, builder.joined(self.between, self.name)))


@dataclass(kw_only=True, eq=False, slots=True)
class Winding:
    """Rotation vector of the second body against the first [rad] at the last accepted step; None before the first."""

    theta: Array | None = None


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class BushingForces:
    """f (6,) of a bushing, and the rotation vector (3,) [rad] at which it acts."""

    f: Array
    theta: Array


class BushingOfFrames(StatelessElement):
    """A bushing as an element of a system; it remembers how far it has been turned.

    Parameters
    ----------
    bushing : Bushing
    frames : JoinedFrames
    """

    def __init__(self, bushing: Bushing, frames: JoinedFrames) -> None:
        self.name, self._bushing, self._frames = bushing.name, bushing, frames
        self.coordinates = frames.coordinates
        # all below is in the axes of the bushing, which turn with the bodies
        first, second = bushing.axes
        self._rows = block_diag(np.eye(3), first.T, np.eye(3), second.T) @ frames.rows
        self._points = first.T @ bushing.points[0], second.T @ bushing.points[1]
        self._by_rotation = bool(bushing.stiffness[3:].any() or bushing.damping[3:].any())

    def new_data(self) -> Winding:
        """Not turned yet."""
        return Winding()

    def on_second(self, x: Array, response: BushingForces) -> tuple[Array, Array]:
        """Force [N] and torque [N m] on the second body about its point, in space, of what evaluate answers.

        f (6,) does work on the rates of x. Those of the rotation vector are T^-T times the angular velocity of the
        second body against the first, so that the torque is T^-1 times their part of f.
        """
        axes = self._frames.at(x)[0][1] @ self._bushing.axes[0]
        return axes @ response.f[:3], axes @ (tangent_inverse(response.theta) @ response.f[3:])

    def begin_step(self, t: float, x: Array, v: Array, h: float, data: Winding) -> None:
        """Before the first it is turned by less than half a turn."""
        if data.theta is None:
            data.theta = self._theta(self._positions(x), data)

    def accept(self, t: float, x: Array, v: Array, forces: ElementForces, data: Winding) -> None:
        """Go on from there."""
        assert isinstance(forces.response, BushingForces)
        data.theta = forces.response.theta

    def evaluate(self, t: float, x: Array, v: Array, data: Winding) -> ElementForces:
        """Forces and tangents."""
        positions = self._positions(x)
        theta = self._theta(positions, data)
        failure = self._too_far(theta, data)
        if failure is not None:
            return ElementForces.failed(len(x), failure)
        here, K, D = self._relative(positions, theta, v), self._bushing.stiffness, self._bushing.damping
        J, rows = here.J, self._rows
        f = -(K @ here.x + D @ (J @ here.velocities))
        by_x = here.turning(f) - J.T @ (K @ J)
        if D.any():
            by_x -= J.T @ (D @ here.rate_by_place())
        by_v = -J.T @ (D @ J)
        response = BushingForces(f=f, theta=theta)
        return ElementForces(
            Q=rows.T @ (J.T @ f), by_x=rows.T @ by_x @ rows, by_v=rows.T @ by_v @ rows, response=response
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: Winding) -> ElementEnergy:
        """``x^T K x / 2``, and the power of the damper, where it exerts `forces`."""
        assert isinstance(forces.response, BushingForces)
        here = self._relative(self._positions(x), forces.response.theta, v)
        rate = here.J @ here.velocities
        stored = 0.5 * float(here.x @ self._bushing.stiffness @ here.x)
        return ElementEnergy(stored=stored, damping_power=float(rate @ self._bushing.damping @ rate))

    def memory(self, data: Winding) -> dict[str, Array]:
        """How far it has been turned."""
        return {} if data.theta is None else {"theta": data.theta.copy()}

    def recall(self, data: Winding, memory: Mapping[str, AnyArray]) -> None:
        """Take it up."""
        data.theta = np.array(memory["theta"]) if "theta" in memory else None

    def _positions(self, x: Array) -> list[Position]:
        """Positions of both bodies and axes of the bushing there."""
        return [(p, R @ axes) for (p, R), axes in zip(self._frames.at(x), self._bushing.axes, strict=True)]

    def _theta(self, positions: list[Position], data: Winding) -> Array:
        (_, R_1), (_, R_2) = positions
        theta = rotation_vector(R_1.T @ R_2)
        return theta if data.theta is None or not self._by_rotation else continued(theta, data.theta)

    def _too_far(self, theta: Array, data: Winding) -> str | None:
        """Why its forces are not known at a rotation, if they are not."""
        if not self._by_rotation:
            return None
        angle = float(np.linalg.norm(theta))
        if not angle < FULL_TURN:
            return (
                f"one body has turned by {degrees(angle):.4g} deg against the other, but must by less than "
                f"{degrees(FULL_TURN):g} deg: make it stiffer, or put a spring on the rotor of a hinge; hold what "
                "spins by two bushings without rotational stiffness, apart along its axis"
            )
        stepped = 0.0 if data.theta is None else float(np.linalg.norm(theta - data.theta))
        if stepped > HALF_TURN:
            return (
                f"one body turns by {degrees(stepped):.4g} deg against the other in a step, but must by at most "
                f"{degrees(HALF_TURN):g} deg: shorten the step, or ask for more positions"
            )
        return None

    def _relative(self, positions: list[Position], theta: Array, v: Array) -> _Relative:
        return _Relative.of(positions, theta, self._rows @ v, self._points)


@dataclass(frozen=True, kw_only=True, eq=False)
class PointLoad(Part):
    """A force and a torque on a body, over time, in the axes of space.

    Parameters
    ----------
    name, body : str
    value : callable of t [s]
        Force [N] and torque [N m], shape (6,).
    point : shape (3,) [m]
        Where the force acts, in the frame of the body.
    """

    name: str
    body: str
    value: Callable[[float], Array]
    point: Array = field(default_factory=lambda: np.zeros(3))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        builder.element(LoadOnFrame(self, builder.frame(self.body, self.name)))


class LoadOnFrame(StatelessElement):
    """A load as an element of a system: forces on the frame, torques about the axes of the body.

    Parameters
    ----------
    load : PointLoad
    frame : BodyFrame
    """

    def __init__(self, load: PointLoad, frame: BodyFrame) -> None:
        self.name, self._load, self._frame = load.name, load, frame
        self.coordinates = frame.coordinates
        if not len(self.coordinates):
            raise Fault(f"body of {load.name}", "the ground", "one that moves", "name a body")

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces and tangents."""
        R, both = self._frame.at(x)[1], np.asarray(self._load.value(t), dtype=np.float64)
        force, torque = R.T @ both[:3], R.T @ both[3:]
        Q, by_x, rows = np.zeros(6), np.zeros((6, 6)), self._frame.rows
        Q[:3], Q[3:] = both[:3], skew(self._load.point) @ force + torque
        by_x[3:, 3:] = skew(self._load.point) @ skew(force) + skew(torque)
        n = len(x)
        return ElementForces(Q=rows.T @ Q, by_x=rows.T @ by_x @ rows, by_v=np.zeros((n, n)))

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """All that it does is supplied."""
        return ElementEnergy(stored=0.0, supplied_power=float(forces.Q @ v))


@dataclass(frozen=True, kw_only=True, eq=False)
class HingeTorque(Part):
    """A torque over time between two bodies, about an axis of the first; positive on the second.

    Parameters
    ----------
    name : str
    between : (str, str)
    axis : shape (3,)
        In the frame of the first body; made a unit vector.
    value : callable of t [s]
        [N m]
    """

    name: str
    between: tuple[str, str]
    axis: Array
    value: Callable[[float], float]

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        builder.element(TorqueBetweenFrames(self, builder.joined(self.between, self.name)))


class TorqueBetweenFrames(StatelessElement):
    """A torque between two bodies as an element of a system.

    Parameters
    ----------
    torque : HingeTorque
    frames : JoinedFrames
    """

    def __init__(self, torque: HingeTorque, frames: JoinedFrames) -> None:
        self.name, self._torque, self._frames = torque.name, torque, frames
        self._axis = np.asarray(torque.axis, dtype=np.float64) / np.linalg.norm(torque.axis)
        self.coordinates = frames.coordinates

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces and tangents."""
        (_, R_1), (_, R_2) = self._frames.at(x)
        torque, B = self._torque.value(t) * self._axis, R_2.T @ R_1
        Q, by_x, rows, n = np.zeros(12), np.zeros((12, 12)), self._frames.rows, len(x)
        Q[3:6], Q[9:] = -torque, B @ torque
        by_x[9:, 3:6], by_x[9:, 9:] = -B @ skew(torque), skew(B @ torque)
        return ElementForces(Q=rows.T @ Q, by_x=rows.T @ by_x @ rows, by_v=np.zeros((n, n)))

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """All that it does is supplied."""
        return ElementEnergy(stored=0.0, supplied_power=float(forces.Q @ v))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Relative:
    """Where two points are against each other, and how that follows from positions and rotations of the bodies.

    ``e`` (3,) is the second point and ``B`` (3, 3) the rotation of the second body, in the frame of the first; ``J``
    (6, 12) takes velocities to the rate of x.
    """

    R_1: Array
    velocities: Array
    s_2: Array
    x: Array
    e: Array
    B: Array
    J: Array

    @classmethod
    def of(cls, positions: list[Position], theta: Array, velocities: Array, points: tuple[Array, Array]) -> _Relative:
        (p_1, R_1), (p_2, R_2) = positions
        s_1, s_2 = points
        e, B = R_1.T @ (p_2 + R_2 @ s_2 - p_1), R_1.T @ R_2
        inverse = tangent_inverse(theta)
        J = np.zeros((6, 12))
        J[:3] = np.hstack([-R_1.T, skew(e), R_1.T, -B @ skew(s_2)])
        J[3:, 3:6], J[3:, 9:] = -inverse.T, inverse.T @ B
        return cls(R_1=R_1, velocities=velocities, s_2=s_2, x=np.concatenate([e - s_1, theta]), e=e, B=B, J=J)

    def turning(self, f: Array) -> Array:
        """Derivative of J^T f by displacements at constant f, shape (12, 12)."""
        R_1, B, theta, (y, f_theta) = self.R_1, self.B, self.x[3:], (f[:3], f[3:])
        g = tangent_inverse(theta) @ f_theta
        g_by_place = tangent_inverse_derivative(theta, f_theta) @ self.J[3:]
        K = np.zeros((12, 12))
        K[:3, 3:6], K[6:9, 3:6] = R_1 @ skew(y), -R_1 @ skew(y)
        K[3:6] = skew(y) @ self.J[:3] - g_by_place
        K[9:] = B.T @ g_by_place
        K[9:, 3:6] -= skew(self.s_2) @ B.T @ skew(y) + B.T @ skew(g)
        K[9:, 9:] += skew(self.s_2) @ skew(B.T @ y) + skew(B.T @ g)
        return K

    def rate_by_place(self) -> Array:
        """Derivative of the rate of x by displacements at constant velocities, shape (6, 12)."""
        B, theta = self.B, self.x[3:]
        v_1, w_1, v_2, w_2 = self.velocities.reshape(4, 3)
        lever, spin = skew(self.s_2) @ w_2, B @ w_2 - w_1
        out = np.zeros((6, 12))
        out[:3] = -skew(w_1) @ self.J[:3]
        out[:3, 3:6] += skew(self.R_1.T @ (v_2 - v_1)) - skew(B @ lever)
        out[:3, 9:] += B @ skew(lever)
        # the transpose of T^-1 is that of the opposite rotation
        out[3:] = -tangent_inverse_derivative(-theta, spin) @ self.J[3:]
        out[3:, 3:6] += tangent_inverse(theta).T @ skew(B @ w_2)
        out[3:, 9:] -= tangent_inverse(theta).T @ B @ skew(w_2)
        return out
