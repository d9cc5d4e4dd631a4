"""What exerts forces between bodies in space: bearings with stiffness and damping in all six directions, given loads.

An element gives the generalised forces on its bodies and their derivatives by ways and velocities; see
:class:`~alegear.dynamics.multibody.Element`. Elements hold the floating frames, not points that flex.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from alegear.dynamics.constraints import WORLD
from alegear.dynamics.multibody import BodyMotion
from alegear.dynamics.rotation import rotation_vector, skew, tangent_inverse, tangent_inverse_derivative
from alegear.dynamics.support import SYMMETRY, check_symmetric
from alegear.errors import Fault

Array = NDArray[np.float64]

#: No damping.
_NONE = np.zeros((6, 6))


@dataclass(frozen=True, kw_only=True, eq=False)
class Bearing:
    """A spring and a damper between two points in all six directions, ``f = -(K x + D dx/dt)``.

    x (6,) is the displacement of the second point against the first [m] and the rotation vector of the second body
    against the first [rad], in the axes of the first body. What they pull at is what follows from the energy
    ``x^T K x / 2``, for rotations of any size below a whole turn.

    Parameters
    ----------
    name : str
    bodies : (int, int)
        The first may be WORLD.
    stiffness, damping : shape (6, 6) [N/m, N, N m/rad; times s]
        Symmetric, not negative.
    points : (shape (3,), shape (3,)) [m]
        In the frames of the bodies.

    Raises
    ------
    Fault
        If a matrix is of another shape, not symmetric, or negative in some direction.
    """

    name: str
    bodies: tuple[int, int]
    stiffness: Array
    damping: Array = field(default_factory=lambda: _NONE)
    points: tuple[Array, Array] = field(default_factory=lambda: (np.zeros(3), np.zeros(3)))

    def __post_init__(self) -> None:
        for what, matrix in (("stiffness", self.stiffness), ("damping", self.damping)):
            least = check_symmetric(f"{what} of {self.name}", matrix, 6)
            if not least >= -SYMMETRY:
                raise Fault(
                    f"{what} of {self.name}", f"{least:.3g} in one direction", "not negative", "check signs and units"
                )

    def displacement(self, motions: Sequence[BodyMotion]) -> tuple[Array, Array]:
        """Relative displacement x and its rate, shape (6,) each."""
        here = _Place.of(self, motions)
        return here.x, here.J @ here.velocities

    def force(self, t: float, motions: Sequence[BodyMotion]) -> tuple[Array, Array, Array]:
        """Generalised forces on the bodies and their derivatives; where the first is the world, of the second alone."""
        here = _Place.of(self, motions)
        J, K, D = here.J, self.stiffness, self.damping
        f = -(K @ here.x + D @ (J @ here.velocities))
        by_place = here.turning(f) - J.T @ (K @ J)
        if D.any():
            by_place -= J.T @ (D @ here.rate_by_place())
        return _on_bodies(self.bodies, motions, J.T @ f, by_place, -J.T @ (D @ J))

    def energy(self, motions: Sequence[BodyMotion]) -> float:
        """``x^T K x / 2`` [J]."""
        x = _Place.of(self, motions).x
        return 0.5 * float(x @ self.stiffness @ x)


@dataclass(frozen=True, kw_only=True, eq=False)
class Load:
    """A force and a torque on a body, over time, in the axes of the world.

    Parameters
    ----------
    name : str
    bodies : (int,)
    value : callable of t [s]
        Force [N] and torque [N m], shape (6,).
    point : shape (3,) [m]
        Where the force acts, in the frame of the body.
    """

    name: str
    bodies: tuple[int]
    value: Callable[[float], Array]
    point: Array = field(default_factory=lambda: np.zeros(3))

    def force(self, t: float, motions: Sequence[BodyMotion]) -> tuple[Array, Array, Array]:
        """Forces on the frame, torques about the axes of the body."""
        (motion,) = motions
        n = 6 + len(motion.u)
        Q, by_place = np.zeros(n), np.zeros((n, n))
        both = self.value(t)
        force, torque = motion.R.T @ both[:3], motion.R.T @ both[3:]
        Q[:3], Q[3:6] = both[:3], skew(self.point) @ force + torque
        by_place[3:6, 3:6] = skew(self.point) @ skew(force) + skew(torque)
        return Q, by_place, np.zeros((n, n))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Place:
    """Where two points are against each other, and how that follows from places and rotations of the bodies.

    ``e`` (3,) is the second point and ``B`` (3, 3) the rotation of the second body, in the frame of the first; ``J``
    (6, 12) takes velocities to the rate of x.
    """

    motions: Sequence[BodyMotion]
    s_2: Array
    x: Array
    e: Array
    B: Array
    J: Array

    @classmethod
    def of(cls, bearing: Bearing, motions: Sequence[BodyMotion]) -> _Place:
        one, two = motions
        s_1, s_2 = bearing.points
        e, B = one.R.T @ (two.p + two.R @ s_2 - one.p), one.R.T @ two.R
        theta = rotation_vector(B)
        inverse = tangent_inverse(theta)
        J = np.zeros((6, 12))
        J[:3] = np.hstack([-one.R.T, skew(e), one.R.T, -B @ skew(s_2)])
        J[3:, 3:6], J[3:, 9:] = -inverse.T, inverse.T @ B
        return cls(motions=motions, s_2=s_2, x=np.concatenate([e - s_1, theta]), e=e, B=B, J=J)

    @property
    def velocities(self) -> Array:
        """Of both bodies, shape (12,)."""
        return np.concatenate([part for motion in self.motions for part in (motion.v, motion.w)])

    def turning(self, f: Array) -> Array:
        """Derivative of J^T f by ways at constant f, shape (12, 12)."""
        R_1, B, theta, (y, f_theta) = self.motions[0].R, self.B, self.x[3:], (f[:3], f[3:])
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
        """Derivative of the rate of x by ways at constant velocities, shape (6, 12)."""
        (one, two), B, theta = self.motions, self.B, self.x[3:]
        lever, spin = skew(self.s_2) @ two.w, B @ two.w - one.w
        out = np.zeros((6, 12))
        out[:3] = -skew(one.w) @ self.J[:3]
        out[:3, 3:6] += skew(one.R.T @ (two.v - one.v)) - skew(B @ lever)
        out[:3, 9:] += B @ skew(lever)
        # the transpose of T^-1 is that of the opposite rotation
        out[3:] = -tangent_inverse_derivative(-theta, spin) @ self.J[3:]
        out[3:, 3:6] += tangent_inverse(theta).T @ skew(B @ two.w)
        out[3:, 9:] -= tangent_inverse(theta).T @ B @ skew(two.w)
        return out


def _on_bodies(
    bodies: tuple[int, int], motions: Sequence[BodyMotion], Q: Array, by_place: Array, by_velocity: Array
) -> tuple[Array, Array, Array]:
    """Leave out the world, and make room for the modal coordinates, which frames do not move."""
    places: list[int] = []
    size = 0
    moving = [number for number in range(2) if bodies[number] != WORLD]
    for number in moving:
        places.extend(range(size, size + 6))
        size += 6 + len(motions[number].u)
    rows = [6 * number + i for number in moving for i in range(6)]
    out = np.zeros(size), np.zeros((size, size)), np.zeros((size, size))
    out[0][places] = Q[rows]
    out[1][np.ix_(places, places)] = by_place[np.ix_(rows, rows)]
    out[2][np.ix_(places, places)] = by_velocity[np.ix_(rows, rows)]
    return out
