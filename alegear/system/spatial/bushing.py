"""What acts between bodies in space: springs and dampers in all six directions, given loads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg import block_diag

from alegear.dynamics.rotation import rotation_vector, skew, tangent_inverse, tangent_inverse_derivative
from alegear.dynamics.support import SYMMETRY, check_symmetric
from alegear.errors import Fault
from alegear.system.body_frame import BodyFrame, of_frames
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.element import ElementEnergy, ElementForces, Forgetful

_NONE = np.zeros((6, 6))


@dataclass(frozen=True, kw_only=True, eq=False)
class Bushing:
    """A spring and a damper between two points in all six directions, ``f = -(K x + D dx/dt)``.

    x (6,) is the displacement of the second point against the first [m] and the rotation vector of the second body
    against the first [rad], in the axes of the bushing at the first body. What they pull at is what follows from the
    energy ``x^T K x / 2``, for rotations of any size below half a turn, where the rotation vector turns over.

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

    in_space: ClassVar[bool] = True

    name: str
    between: tuple[str, str]
    stiffness: Array
    damping: Array = field(default_factory=lambda: _NONE)
    points: tuple[Array, Array] = field(default_factory=lambda: (np.zeros(3), np.zeros(3)))
    axes: tuple[Array, Array] = field(default_factory=lambda: (np.eye(3), np.eye(3)))

    def __post_init__(self) -> None:
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            least = check_symmetric(f"{what} of {self.name}", matrix, 6)
            if not least >= -SYMMETRY:
                raise Fault(
                    f"{what} of {self.name}", f"{least:.3g} in one direction", "not negative", "check signs and units"
                )

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        frames = builder.frame(self.between[0], self.name), builder.frame(self.between[1], self.name)
        builder.element(BushingOfFrames(self, frames))


class BushingOfFrames(Forgetful):
    """A bushing as an element of a system.

    Parameters
    ----------
    bushing : Bushing
    frames : (BodyFrame, BodyFrame)
    """

    def __init__(self, bushing: Bushing, frames: tuple[BodyFrame, BodyFrame]) -> None:
        self.name, self._bushing, self._frames = bushing.name, bushing, frames
        self.coordinates, rows, self._own = of_frames(frames)
        if not len(self.coordinates):
            raise Fault(f"bodies of {bushing.name}", "the ground twice", "one that moves at least", "name a body")
        # all below is in the axes of the bushing, which turn with the bodies
        first, second = bushing.axes
        self._rows = block_diag(np.eye(3), first.T, np.eye(3), second.T) @ rows
        self._points = first.T @ bushing.points[0], second.T @ bushing.points[1]

    def on_second(self, x: Array, f: Array) -> tuple[Array, Array]:
        """Force [N] and torque [N m] on the second body about its point, in space, of what evaluate answers.

        f (6,) does work on the rates of x. Those of the rotation vector are T^-T times the angular velocity of the
        second body against the first, so that the torque is T^-1 times their part of f.
        """
        axes = self._frames[0].at(x[self._own[0]])[1] @ self._bushing.axes[0]
        theta = self._relative(x, np.zeros(len(x))).x[3:]
        return axes @ f[:3], axes @ (tangent_inverse(theta) @ f[3:])

    def displacement(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Relative displacement and its rate, shape (6,) each, at its own coordinates and rates."""
        here = self._relative(x, v)
        return here.x, here.J @ here.velocities

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces and tangents."""
        here, K, D = self._relative(x, v), self._bushing.stiffness, self._bushing.damping
        J, rows = here.J, self._rows
        f = -(K @ here.x + D @ (J @ here.velocities))
        by_x = here.turning(f) - J.T @ (K @ J)
        if D.any():
            by_x -= J.T @ (D @ here.rate_by_place())
        by_v = -J.T @ (D @ J)
        return ElementForces(Q=rows.T @ (J.T @ f), by_x=rows.T @ by_x @ rows, by_v=rows.T @ by_v @ rows, answer=f)

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """``x^T K x / 2``, and the power of the damper."""
        y, rate = self.displacement(x, v)
        stored = 0.5 * float(y @ self._bushing.stiffness @ y)
        return ElementEnergy(stored=stored, damping_power=float(rate @ self._bushing.damping @ rate))

    def _relative(self, x: Array, v: Array) -> _Relative:
        at_bodies = [frame.at(x[at]) for frame, at in zip(self._frames, self._own, strict=True)]
        positions = [(p, R @ axes) for (p, R), axes in zip(at_bodies, self._bushing.axes, strict=True)]
        return _Relative.of(positions, self._rows @ v, self._points)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialLoad:
    """A force and a torque on a body, over time, in the axes of space.

    Parameters
    ----------
    name, body : str
    value : callable of t [s]
        Force [N] and torque [N m], shape (6,).
    point : shape (3,) [m]
        Where the force acts, in the frame of the body.
    """

    in_space: ClassVar[bool] = True

    name: str
    body: str
    value: Callable[[float], Array]
    point: Array = field(default_factory=lambda: np.zeros(3))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        builder.element(LoadOnFrame(self, builder.frame(self.body, self.name)))


class LoadOnFrame(Forgetful):
    """A load as an element of a system: forces on the frame, torques about the axes of the body.

    Parameters
    ----------
    load : SpatialLoad
    frame : BodyFrame
    """

    def __init__(self, load: SpatialLoad, frame: BodyFrame) -> None:
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
class HingeTorque:
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

    in_space: ClassVar[bool] = True

    name: str
    between: tuple[str, str]
    axis: Array
    value: Callable[[float], float]

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        frames = builder.frame(self.between[0], self.name), builder.frame(self.between[1], self.name)
        builder.element(TorqueBetweenFrames(self, frames))


class TorqueBetweenFrames(Forgetful):
    """A torque between two bodies as an element of a system.

    Parameters
    ----------
    torque : HingeTorque
    frames : (BodyFrame, BodyFrame)
    """

    def __init__(self, torque: HingeTorque, frames: tuple[BodyFrame, BodyFrame]) -> None:
        self.name, self._torque, self._frames = torque.name, torque, frames
        self._axis = np.asarray(torque.axis, dtype=np.float64) / np.linalg.norm(torque.axis)
        self.coordinates, self._rows, self._own = of_frames(frames)
        if not len(self.coordinates):
            raise Fault(f"bodies of {torque.name}", "the ground twice", "one that moves at least", "name a body")

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces and tangents."""
        (_, R_1), (_, R_2) = (frame.at(x[at]) for frame, at in zip(self._frames, self._own, strict=True))
        torque, B = self._torque.value(t) * self._axis, R_2.T @ R_1
        Q, by_x, rows, n = np.zeros(12), np.zeros((12, 12)), self._rows, len(x)
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
    def of(cls, positions: list[tuple[Array, Array]], velocities: Array, points: tuple[Array, Array]) -> _Relative:
        (p_1, R_1), (p_2, R_2) = positions
        s_1, s_2 = points
        e, B = R_1.T @ (p_2 + R_2 @ s_2 - p_1), R_1.T @ R_2
        theta = rotation_vector(B)
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
