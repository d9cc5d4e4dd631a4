"""A body that moves and turns freely in space, rigid or with small elastic displacements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.dynamics.rotation import cross, rotation_matrix, rotation_vector, skew
from alegear.errors import Fault
from alegear.limits import Limits, check_numbers, check_type
from alegear.reduction.inertia import MassInvariants
from alegear.system.bodies import MASS
from alegear.system.body_frame import BodyFrame
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Indices, Scales
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.machine_part import MachinePart
from alegear.system.spatial.flexible_inertia import RIGID, FlexibleInertia

#: Negative principal inertia over the largest that round-off may leave; and deviation of axes from orthonormal ones.
NOT_NEGATIVE = 1e-12
ORTHONORMAL = 1e-9
#: Radius of gyration [m] beyond which a mass is none beside its inertia.
LARGEST_GYRATION = 1e7


@dataclass(frozen=True, kw_only=True, eq=False)
class FloatingBody(MachinePart):
    """A body in space.

    Its coordinates are the position of its frame in space and the rotation vector of its axes; velocities are those of
    the frame in space and the angular velocity in the axes of the body.

    Parameters
    ----------
    name : str
    mass : float [kg]
        May be 0 in equilibria, where joints determine all of its motion.
    inertia : shape (3, 3) or (3,) [kg m2]
        About its centre of mass, in its axes; three numbers are the principal ones.
    position : shape (3,) [m], axes : shape (3, 3)
        Of the frame at the start, which is at the centre of mass: columns of `axes` are the axes of the body in space.
    velocity : shape (3,) [m/s], angular_velocity : shape (3,) [rad/s]
        At the start; the angular velocity in the axes of the body.
    flexible : FlexibleInertia, optional
        Of a body with modes, or one whose frame is not at its centre of mass: in place of mass and inertia.
    scales : Scales or None
        None: those of the machine.

    Raises
    ------
    Fault
        For an inertia that no body can have, and axes that are not orthonormal.
    """

    TABLE: ClassVar[str] = "bodies"
    LIMITS: ClassVar[dict[str, Limits]] = {"mass": MASS}
    makes_bodies: ClassVar[bool] = True
    in_space: ClassVar[bool] = True

    name: str
    mass: float = 0.0
    inertia: ArrayLike = (0.0, 0.0, 0.0)
    position: ArrayLike = (0.0, 0.0, 0.0)
    axes: ArrayLike = field(default_factory=lambda: np.eye(3))
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    flexible: FlexibleInertia | None = None
    scales: Scales | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_numbers(self)
        for what in ("position", "velocity", "angular_velocity"):
            vector = np.asarray(getattr(self, what), dtype=np.float64)
            if vector.shape != (3,) or not np.isfinite(vector).all():
                words = what.replace("_", " ")
                raise Fault(f"{words} of {self.name}", np.array2string(vector), "three numbers", "correct it")
        R = self.rotation
        if R.shape != (3, 3) or not np.abs(R @ R.T - np.eye(3)).max() < ORTHONORMAL or not np.linalg.det(R) > 0.0:
            limit = "three orthonormal columns, right-handed"
            raise Fault(f"axes of {self.name}", R.tolist(), limit, "correct them")
        if self.flexible is not None:
            if self.mass or np.any(self.inertia):
                limit = "left out with an inertia of its own"
                raise Fault(f"mass and inertia of {self.name}", "given", limit, "leave them out")
            return
        J = self.inertia_tensor
        if J.shape != (3, 3) or not np.isfinite(J).all() or not np.allclose(J, J.T):
            limit = "three numbers, or a symmetric matrix (3, 3)"
            raise Fault(
                f"inertia of {self.name} [kg m2]", np.array2string(np.asarray(self.inertia)), limit, "correct it"
            )
        principal = np.linalg.eigvalsh(J)
        if not principal[0] >= -NOT_NEGATIVE * principal[-1]:
            raise Fault(f"inertia of {self.name} [kg m2]", f"{principal[0]:.4g}", "not negative", "correct it")
        if principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-9) + np.finfo(float).tiny:
            limit = "each at most the sum of the other two"
            raise Fault(f"principal inertias of {self.name} [kg m2]", principal.tolist(), limit, "correct them")
        if self.mass and not np.sqrt(principal[2]) <= LARGEST_GYRATION * np.sqrt(self.mass):
            what = f"radius of gyration of {self.name}, sqrt(inertia/mass) [m]"
            found = f"{np.sqrt(principal[2]) / np.sqrt(self.mass):.4g}"
            limit = f"at most {LARGEST_GYRATION:g}"
            raise Fault(what, found, limit, "correct mass or inertia, or give no mass")

    @property
    def rotation(self) -> Array:
        """Axes of the body in space at the start, one a column, shape (3, 3)."""
        return np.asarray(self.axes, dtype=np.float64)

    @property
    def inertia_tensor(self) -> Array:
        """About the centre of mass, shape (3, 3) [kg m2]."""
        given = np.asarray(self.inertia, dtype=np.float64)
        return np.diag(given) if given.shape == (3,) else given

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the body."""
        modes = 0 if self.flexible is None else self.flexible.invariants.n_modes
        radius = _radius_of_gyration(self)
        frame = builder.floating(self.name, modes=modes, radius=radius, scales=self.scales)
        start = np.concatenate([np.asarray(self.position, dtype=np.float64), rotation_vector(self.rotation)])
        speed = np.concatenate([self.velocity, self.angular_velocity])
        for index, one, rate in zip(frame.coordinates, start, speed, strict=True):
            builder.start(int(index), at=float(one), speed=float(rate))
        if self.flexible is not None:
            at = np.arange(frame.coordinates[0], frame.coordinates[0] + RIGID + modes)
            builder.element(MovingInertia(self.name, at, self.flexible, builder.fall))
            return
        J = self.inertia_tensor
        builder.inertia(frame.coordinates[:3], self.mass * np.eye(3))
        builder.inertia(frame.coordinates[3:], J)
        builder.falls_along(frame.coordinates[:3], np.eye(3))
        if not np.array_equal(J, J[0, 0] * np.eye(3)):
            builder.element(GyroscopicMoment(self.name, frame, J))


class GyroscopicMoment(StatelessElement):
    """The moment -w x J w of a rigid body that turns in space; it does no work.

    Parameters
    ----------
    body : str
    frame : BodyFrame
    inertia : shape (3, 3) [kg m2]
        About the centre of mass, in the axes of the body.
    """

    only_in_motion = True

    def __init__(self, body: str, frame: BodyFrame, inertia: Array) -> None:
        self.name, self._J = f"{body} gyroscopic moment", inertia
        self.coordinates = frame.coordinates[3:]

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Moment in the axes of the body."""
        L = self._J @ v
        return ElementForces(Q=-cross(v, L), by_x=np.zeros((3, 3)), by_v=skew(L) - skew(v) @ self._J)


class MovingInertia(StatelessElement):
    """Inertia, weight and stiffness of a body with modes, or one whose frame is off its centre of mass.

    Parameters
    ----------
    body : str
    coordinates : shape (6 + m,)
    inertia : FlexibleInertia
    gravity : shape (3,) [m/s2]
        In space.

    Attributes
    ----------
    massless : tuple of int
        Coordinates to which it gives no inertia: modes of a simplified one.
    """

    adds_mass = True

    def __init__(self, body: str, coordinates: Indices, inertia: FlexibleInertia, gravity: Array) -> None:
        self.name, self.inertia, self._gravity = f"{body} inertia", inertia, gravity
        self.coordinates = coordinates
        self.massless: tuple[int, ...] = () if inertia.is_full else tuple(coordinates[RIGID:].tolist())

    def mass(self, x: Array, data: None) -> Array:
        """M at its own coordinates, shape (6 + m, 6 + m)."""
        return self.inertia.mass_matrix(rotation_matrix(x[3:RIGID]), x[RIGID:])

    def mass_tangent(self, x: Array, a: Array, data: None) -> Array:
        """Derivative of M a by displacements."""
        return self.inertia.acceleration_tangent(rotation_matrix(x[3:RIGID]), x[RIGID:], a)

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces that are quadratic in the velocities, of elasticity and of weight."""
        one, R, u = self.inertia, rotation_matrix(x[3:RIGID]), x[RIGID:]
        w, du = v[3:RIGID], v[RIGID:]
        Q = one.velocity_force(R, w, u, du) + one.elastic_force(u, du)
        by_x, by_v = one.velocity_force_tangents(R, w, u, du)
        if one.stiffness is not None:
            by_x[RIGID:, RIGID:] -= one.stiffness
        if one.damping is not None:
            by_v[RIGID:, RIGID:] -= one.damping
        if self._gravity.any():
            fall = np.zeros(len(x))
            fall[:3] = self._gravity
            Q += one.mass_matrix(R, u) @ fall
            by_x += one.acceleration_tangent(R, u, fall)
        return ElementForces(Q=Q, by_x=by_x, by_v=by_v)

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """Of weight and deformation, and the power of the modes' dampers."""
        one, u, du = self.inertia, x[RIGID:], v[RIGID:]
        moment = one.invariants.mass * x[:3] + rotation_matrix(x[3:RIGID]) @ one.first_moment(u)
        damped = 0.0 if one.damping is None else float(du @ one.damping @ du)
        return ElementEnergy(stored=one.strain_energy(u) - float(self._gravity @ moment), damping_power=damped)


def rigid_inertia(mass: float, centre: ArrayLike, inertia: ArrayLike, name: str = "body") -> FlexibleInertia:
    """Inertia of a rigid body about a frame that is not at its centre of mass.

    Parameters
    ----------
    mass : float [kg]
    centre : shape (3,) [m]
        Centre of mass in the frame.
    inertia : shape (3, 3) [kg m2]
        About the centre of mass, in the axes of the frame.
    """
    s, J = np.asarray(centre, dtype=np.float64), np.asarray(inertia, dtype=np.float64)
    second = 0.5 * np.trace(J) * np.eye(3) - J + mass * np.outer(s, s)
    invariants = MassInvariants.rigid(mass=mass, first=mass * s, second=second)
    return FlexibleInertia(name=name, invariants=invariants)


def _radius_of_gyration(body: FloatingBody) -> float | None:
    """At which a rotation matters as much as a displacement [m]; None: as the machine says."""
    if body.flexible is not None:
        U = body.flexible.invariants
        return float(np.sqrt(np.trace(U.U6) / (3.0 * U.mass)))
    if not body.mass or not np.any(body.inertia_tensor):
        return None
    return float(np.sqrt(np.trace(body.inertia_tensor) / (3.0 * body.mass)))
