"""Joints as equations between bodies: points that coincide, axes that stay perpendicular; with both tangents.

Every joint is made of two kinds of equation g = 0. Bodies are numbered as in
:class:`~alegear.dynamics.multibody.Multibody`; the number `WORLD` stands for what does not move. Joints hold the
floating frames: what flexes is beyond them.
Variations are those of the velocities: of a place in the world frame, of a rotation about the axes of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from alegear.dynamics.rotation import skew
from alegear.errors import Fault

Array = NDArray[np.float64]

WORLD = -1
AT_REST = np.zeros(3), np.eye(3)


class Constraint(Protocol):
    """Equations between two bodies."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def bodies(self) -> tuple[int, int]:
        """Numbers of the bodies."""

    @property
    def n_equations(self) -> int:
        """Number of equations."""

    def evaluate(self, t: float, one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[Array, Array, Array]:
        """Misfit and its derivatives.

        Parameters
        ----------
        t : float [s]
        one, two : (p_WB, R_WB) of the bodies

        Returns
        -------
        g : shape (n,)
        G_1, G_2 : shape (n, 6)
            Derivatives by place and rotation of either body.
        """

    def curvature(self, t: float, one: tuple[Array, Array], two: tuple[Array, Array], force: Array) -> Array:
        """Derivative of the generalised forces ``G^T force`` by both bodies' motion, shape (12, 12)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Coincidence:
    """A point of one body stays on a point of another: three equations [m].

    Parameters
    ----------
    name : str
    bodies : (int, int)
        Of two, or WORLD and one.
    points : (shape (3,), shape (3,)) [m]
        In the frames of the bodies.
    """

    name: str
    bodies: tuple[int, int]
    points: tuple[Array, Array] = field(default_factory=lambda: (np.zeros(3), np.zeros(3)))

    @property
    def n_equations(self) -> int:
        """Three."""
        return 3

    def evaluate(self, t: float, one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[Array, Array, Array]:
        """``g = p_2 + R_2 s_2 - p_1 - R_1 s_1``."""
        (p_1, R_1), (p_2, R_2) = one, two
        s_1, s_2 = self.points
        g = p_2 + R_2 @ s_2 - p_1 - R_1 @ s_1
        return g, np.hstack([-np.eye(3), R_1 @ skew(s_1)]), np.hstack([np.eye(3), -R_2 @ skew(s_2)])

    def curvature(self, t: float, one: tuple[Array, Array], two: tuple[Array, Array], force: Array) -> Array:
        """Only the rotations turn the lever arms."""
        K = np.zeros((12, 12))
        K[3:6, 3:6] = -skew(self.points[0]) @ skew(one[1].T @ force)
        K[9:, 9:] = skew(self.points[1]) @ skew(two[1].T @ force)
        return K


@dataclass(frozen=True, kw_only=True, eq=False)
class Perpendicularity:
    """A direction of one body stays perpendicular to one of another: one equation.

    Parameters
    ----------
    name : str
    bodies : (int, int)
    first : callable of time, or shape (3,)
        Unit vector in the frame of the first body; where it turns with time it leads the second body.
    second : shape (3,)
        Unit vector in the frame of the second.
    """

    name: str
    bodies: tuple[int, int]
    first: Array | Callable[[float], Array]
    second: Array

    @property
    def n_equations(self) -> int:
        """One."""
        return 1

    def _first(self, t: float) -> Array:
        return self.first(t) if callable(self.first) else self.first

    def evaluate(self, t: float, one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[Array, Array, Array]:
        """``g = (R_1 a) . (R_2 b)``."""
        a, b = self._first(t), self.second
        B = one[1].T @ two[1]  # turns components of the second body into those of the first
        G_1, G_2 = np.zeros((1, 6)), np.zeros((1, 6))
        G_1[0, 3:], G_2[0, 3:] = skew(a) @ B @ b, skew(b) @ B.T @ a
        return np.array([a @ B @ b]), G_1, G_2

    def curvature(self, t: float, one: tuple[Array, Array], two: tuple[Array, Array], force: Array) -> Array:
        """Second derivatives times the one multiplier."""
        a, b = self._first(t), self.second
        B = one[1].T @ two[1]
        K = np.zeros((12, 12))
        K[3:6, 3:6] = skew(a) @ skew(B @ b)
        K[9:, 9:] = skew(b) @ skew(B.T @ a)
        K[3:6, 9:] = -skew(a) @ B @ skew(b)
        K[9:, 3:6] = -skew(b) @ B.T @ skew(a)
        return float(force[0]) * K


def spherical(name: str, bodies: tuple[int, int], points: tuple[Array, Array]) -> list[Constraint]:
    """Return a ball joint between two points: three equations."""
    return [Coincidence(name=name, bodies=bodies, points=points)]


def revolute(
    name: str, bodies: tuple[int, int], points: tuple[Array, Array], axes: tuple[Array, Array]
) -> list[Constraint]:
    """Return a hinge: a point and a direction in common, five equations.

    Parameters
    ----------
    points, axes : (shape (3,), shape (3,))
        In the frames of both bodies; the axes are made unit vectors.
    """
    e_1, e_2, _ = _normals(name, axes[0])
    axis = _unit(name, axes[1])
    return [
        *spherical(name, bodies, points),
        Perpendicularity(name=name, bodies=bodies, first=e_1, second=axis),
        Perpendicularity(name=name, bodies=bodies, first=e_2, second=axis),
    ]


def fixed(
    name: str, bodies: tuple[int, int], points: tuple[Array, Array], frames: tuple[Array, Array] | None = None
) -> list[Constraint]:
    """Return a rigid connection: six equations.

    Parameters
    ----------
    frames : (shape (3, 3), shape (3, 3)), optional
        Axes (columns) in both bodies that stay parallel; those of the bodies if not given.
    """
    F_1, F_2 = frames if frames is not None else (np.eye(3), np.eye(3))
    joint = spherical(name, bodies, points)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        joint.append(Perpendicularity(name=name, bodies=bodies, first=F_1[:, i], second=F_2[:, j]))
    return joint


def led(
    name: str,
    bodies: tuple[int, int],
    points: tuple[Array, Array],
    axes: tuple[Array, Array],
    angle: Callable[[float], float],
    *,
    zero: Array | None = None,
) -> list[Constraint]:
    """Return a hinge whose angle is prescribed: six equations.

    Parameters
    ----------
    angle : callable of t [s]
        Angle of the second body against the first about the axis [rad].
    zero : shape (3,), optional
        Direction across the axis in the second body from which the angle is counted; if not given, that from which it
        is counted in the first body, by its components.
    """
    e_1, e_2, _ = _normals(name, axes[0])

    def across(t: float) -> Array:
        phi = angle(t)
        return -np.sin(phi) * e_1 + np.cos(phi) * e_2

    second = e_1 if zero is None else _unit(name, zero)
    return [
        *revolute(name, bodies, points, axes),
        Perpendicularity(name=name, bodies=bodies, first=across, second=second),
    ]


def n_equations(constraints: Sequence[Constraint]) -> int:
    """Sum of the equations."""
    return sum(constraint.n_equations for constraint in constraints)


def _unit(name: str, vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        raise Fault(f"axis of {name}", np.asarray(vector).tolist(), "not zero", "give a direction")
    return np.asarray(vector, dtype=np.float64) / length


def _normals(name: str, axis: Array) -> tuple[Array, Array, Array]:
    """Two unit vectors across an axis, and the axis, right-handed; of the z axis x and y."""
    n = _unit(name, axis)
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    e_1 = helper - (helper @ n) * n
    e_1 /= np.linalg.norm(e_1)
    return e_1, np.cross(n, e_1), n
