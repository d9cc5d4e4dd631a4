"""What a joint in space is: equations g(t, x) = 0 between coordinates that are not linear, and what they exert.

Whatever has these methods can be given to a builder by `builder.joint`; nothing else has to know it. Linear rows are
cheaper as constraints (:meth:`~alegear.system.builder.SystemBuilder.constrain`): they are eliminated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from alegear.system.coordinates import Array, Indices


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class JointForces:
    """What a joint exerts on its own n_e coordinates, positive in their direction.

    Parameters
    ----------
    Q : shape (n_e,) [N, N m]
    by_x, by_v : shape (n_e, n_e)
        Derivatives by displacements and velocities, at constant multipliers.
    by_multipliers : shape (n_e, n_equations)
    lost : float [W]
        Power of its friction, not negative.
    supplied : float [W]
        Power of equations that change with time, and of what is neither friction nor follows from equations.
    """

    Q: Array
    by_x: Array
    by_v: Array
    by_multipliers: Array
    lost: float = 0.0
    supplied: float = 0.0


class Joint(ABC):
    """Equations between coordinates.

    Attributes
    ----------
    name : str
    coordinates : shape (n_e,)
        Each once.
    n_equations : int
    scale : shape (n_equations,) [m, rad]
        Size of a misfit that matters.
    without_inertia : tuple of int
        Coordinates that only this joint determines.
    """

    name: str
    coordinates: Indices
    n_equations: int
    scale: Array
    without_inertia: tuple[int, ...] = ()

    @abstractmethod
    def misfit(self, t: float, x: Array) -> tuple[Array, Array]:
        """g (n_equations,) and its derivative G (n_equations, n_e) by displacements from x (n_e,)."""

    def time_rates(self, t: float, x: Array) -> tuple[Array, Array]:
        """First and second rate of g by time at coordinates that stay, (n_equations,) each; zero if nothing leads."""
        return np.zeros(self.n_equations), np.zeros(self.n_equations)

    def led_by(self, begin: float, end: float) -> float:
        """Angle by which it leads a body from a time to another [rad], not negative."""
        return 0.0

    def check(self, t: float, x: Array) -> None:
        """Refuse where its equations hold and do not describe it any more; asked where a motion has come to.

        Raises
        ------
        OutOfRange
        """
        return

    @abstractmethod
    def curvature(self, t: float, x: Array, multipliers: Array) -> Array:
        """Derivative of G^T lambda by displacements, shape (n_e, n_e)."""

    def forces(self, t: float, x: Array, v: Array, multipliers: Array) -> JointForces:
        """What the joint exerts, homogeneous in the multipliers (n_equations,); by default -G^T lambda."""
        G = self.misfit(t, x)[1]
        return JointForces(
            Q=-G.T @ multipliers,
            by_x=-self.curvature(t, x, multipliers),
            by_v=np.zeros((len(x), len(x))),
            by_multipliers=-G.T,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class JointRows:
    """Joints of a system, one after the other.

    Parameters
    ----------
    joints : tuple of Joint
    n : int
        Number of coordinates of the system.

    Attributes
    ----------
    rows : tuple of slice
        Equations of each joint.
    n_equations : int
    """

    joints: tuple[Joint, ...]
    n: int
    rows: tuple[slice, ...] = field(init=False)
    n_equations: int = field(init=False)

    def __post_init__(self) -> None:
        ends = np.cumsum([0, *(joint.n_equations for joint in self.joints)])
        rows = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "n_equations", int(ends[-1]))

    @property
    def scale(self) -> Array:
        """Size of a misfit that matters, shape (n_equations,)."""
        return np.concatenate([np.empty(0), *(joint.scale for joint in self.joints)])

    def name_of(self, row: int) -> str:
        """The joint that has an equation."""
        return next(joint.name for joint, rows in zip(self.joints, self.rows, strict=True) if row < rows.stop)

    def misfit(self, t: float, x: Array) -> tuple[Array, Array]:
        """g (n_equations,) and G (n_equations, n) at coordinates x (n,)."""
        g, G = np.empty(self.n_equations), np.zeros((self.n_equations, self.n))
        for joint, rows in zip(self.joints, self.rows, strict=True):
            at = joint.coordinates
            g[rows], G[rows, at] = joint.misfit(t, x[at])
        return g, G

    def time_rates(self, t: float, x: Array) -> tuple[Array, Array]:
        """First and second rate of g by time at coordinates x (n,) that stay, (n_equations,) each."""
        first, second = np.empty(self.n_equations), np.empty(self.n_equations)
        for joint, rows in zip(self.joints, self.rows, strict=True):
            first[rows], second[rows] = joint.time_rates(t, x[joint.coordinates])
        return first, second

    def forces(self, t: float, x: Array, v: Array, multipliers: Array) -> JointForces:
        """What all joints exert on the coordinates of the system, x and v (n,)."""
        Q, by_multipliers = np.zeros(self.n), np.zeros((self.n, self.n_equations))
        by_x, by_v = np.zeros((self.n, self.n)), np.zeros((self.n, self.n))
        lost = supplied = 0.0
        for joint, rows in zip(self.joints, self.rows, strict=True):
            at = joint.coordinates
            own = joint.forces(t, x[at], v[at], multipliers[rows])
            Q[at] += own.Q
            by_multipliers[at, rows] = own.by_multipliers
            both = np.ix_(at, at)
            by_x[both] += own.by_x
            by_v[both] += own.by_v
            lost, supplied = lost + own.lost, supplied + own.supplied
        return JointForces(Q=Q, by_x=by_x, by_v=by_v, by_multipliers=by_multipliers, lost=lost, supplied=supplied)
