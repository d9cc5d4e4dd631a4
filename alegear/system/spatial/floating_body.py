"""A body that moves and turns freely in space, rigid or with small elastic displacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import ANY, Declaration, Key, Numbers, OneOf, Parameter, listed, ranged
from alegear.reduction.inertia import MassInvariants
from alegear.system.body_frame import BodyFrame
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Indices, Scales
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.machine_part import MachinePart
from alegear.system.rotation import cross, rotation_matrix, rotation_vector, skew
from alegear.system.spatial.flexible_inertia import RIGID, FlexibleInertia
from alegear.units import DEGREE

#: Negative principal inertia over the largest that round-off may leave; and deviation of axes from orthonormal ones.
NOT_NEGATIVE = 1e-12
ORTHONORMAL = 1e-9
#: Radius of gyration [m] beyond which a mass is none beside its inertia.
LARGEST_GYRATION = 1e7

ORIGIN = (0.0, 0.0, 0.0)
LENGTH = Limits(quantity="position", unit="mm", least=-1e9, most=1e9)


def axes_of(x_axis: ArrayLike, y_axis: ArrayLike) -> Array:
    """Axes of a body (columns) with x along a direction and y as near as can be to another.

    Raises
    ------
    Fault
    """
    x, y = np.array(x_axis, dtype=np.float64), np.array(y_axis, dtype=np.float64)
    for key, given in (("x_axis", x), ("y_axis", y)):
        if not given.any():
            raise Fault(key, given.tolist(), "not zero", "give a direction")
        given /= np.abs(given).max()  # the squares of the smallest and of the largest numbers are none
    x /= np.linalg.norm(x)
    across = y - (y @ x) * x
    size = float(np.linalg.norm(across))
    if not size > 1e-9 * float(np.linalg.norm(y)):
        raise Fault("y_axis", y.tolist(), "not along x_axis", "give another direction")
    y = across / size
    return np.column_stack([x, y, np.cross(x, y)])


class BodyAxes(Declaration):
    """Axes of a body by two directions, or by a rotation vector."""

    WORDS: ClassVar[dict[str, str]] = {
        "x_axis": "direction of its x axis in space at the start ([1, 0, 0])",
        "y_axis": "direction of its y axis, of which only what is across the x axis counts ([0, 1, 0])",
        "rotation_vector_deg": "in place of both: axis times angle in degrees, by which it is turned from the axes of"
        " space",
    }

    def keys(self, parameter: Parameter) -> tuple[Key, ...]:
        """Both directions and the vector."""
        kind = listed(ranged(ANY), 3)
        return tuple(Key(name=name, kind=kind, words=words) for name, words in self.WORDS.items())

    def value(self, parameter: Parameter, given: Mapping[str, Any], folder: Path) -> Array:
        """Axes, one a column, shape (3, 3)."""
        vector = given.get("rotation_vector_deg")
        if vector is None:
            return axes_of(given.get("x_axis", (1.0, 0.0, 0.0)), given.get("y_axis", (0.0, 1.0, 0.0)))
        if len(given) > 1:
            limit = "left out with x_axis or y_axis"
            raise Fault("rotation_vector_deg", vector, limit, "leave out one of the two")
        return rotation_matrix(np.array(vector) * DEGREE)


@dataclass(frozen=True, kw_only=True, eq=False)
class FloatingBody(MachinePart):
    """A rigid body that moves and turns freely.

    Or one with small elastic displacements. Its coordinates are the position of its frame in space and the rotation
    vector of its axes; velocities are those of the frame in space and the angular velocity in the axes of the body.

    Parameters
    ----------
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
    makes_bodies: ClassVar[bool] = True
    in_space: ClassVar[bool] = True

    mass: Annotated[
        float,
        Limits(
            quantity="mass",
            words="mass (0, for positions alone, where joints determine all of its motion)",
            unit="kg",
            least=0.0,
            most=1e9,
        ),
    ] = 0.0
    inertia: Annotated[
        ArrayLike,
        Numbers(
            "inertia about the centre of mass: principal ones, or xx, yy, zz, xy, xz, yz of the matrix,",
            replace(ANY, unit="kg m2"),
            3,
            6,
        ),
    ] = ORIGIN
    position: Annotated[ArrayLike, Numbers("centre of mass at the start, where its frame is,", LENGTH, 3, 3)] = ORIGIN
    axes: Annotated[ArrayLike, BodyAxes()] = field(default_factory=lambda: np.eye(3))
    velocity: Annotated[
        ArrayLike,
        Numbers("velocity of the centre of mass at the start (what joints ask for)", replace(ANY, unit="mm/s"), 3, 3),
    ] = ORIGIN
    angular_velocity: Annotated[
        ArrayLike,
        OneOf(
            Numbers(
                "angular velocity at the start about its own axes (what joints ask for)",
                replace(ANY, unit="rpm"),
                3,
                3,
            ),
            Numbers("in place of it,", replace(ANY, unit="rad/s"), 3, 3),
        ),
    ] = ORIGIN
    flexible: FlexibleInertia | None = None
    scales: Scales | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("position", "velocity", "angular_velocity"):
            vector = np.asarray(getattr(self, what), dtype=np.float64)
            if vector.shape != (3,) or not np.isfinite(vector).all():
                words = what.replace("_", " ")
                raise Fault(f"{words} of {self.label}", np.array2string(vector), "three numbers", "correct it")
        R = self.rotation
        if R.shape != (3, 3) or not np.abs(R @ R.T - np.eye(3)).max() < ORTHONORMAL or not np.linalg.det(R) > 0.0:
            limit = "three orthonormal columns, right-handed"
            raise Fault(f"axes of {self.label}", R.tolist(), limit, "correct them")
        if self.flexible is not None:
            if self.mass or np.any(self.inertia):
                limit = "left out with an inertia of its own"
                raise Fault(f"mass and inertia of {self.label}", "given", limit, "leave them out")
            return
        J = self.inertia_tensor
        if J.shape != (3, 3) or not np.isfinite(J).all() or not np.allclose(J, J.T):
            limit = "three numbers, or six: xx, yy, zz, xy, xz, yz, in Python also a symmetric matrix (3, 3)"
            raise Fault(
                f"inertia of {self.label} [kg m2]", np.array2string(np.asarray(self.inertia)), limit, "correct it"
            )
        principal = np.linalg.eigvalsh(J)
        if not principal[0] >= -NOT_NEGATIVE * principal[-1]:
            raise Fault(f"inertia of {self.label} [kg m2]", f"{principal[0]:.4g}", "not negative", "correct it")
        if principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-9) + np.finfo(float).tiny:
            limit = "each at most the sum of the other two"
            raise Fault(f"principal inertias of {self.label} [kg m2]", principal.tolist(), limit, "correct them")
        if self.mass and not np.sqrt(principal[2]) <= LARGEST_GYRATION * np.sqrt(self.mass):
            what = f"radius of gyration of {self.label}, sqrt(inertia/mass) [m]"
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
        if given.shape == (6,):
            xx, yy, zz, xy, xz, yz = given
            return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
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
