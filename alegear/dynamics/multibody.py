"""Bodies in space, joined by constraints and loaded by elements: the equations of motion and their tangents.

    M(q) dv/dt + G(q, t)^T lambda = Q(t, q, v),        g(q, t) = 0

q holds for each body place, rotation vector and modal coordinates; v their velocities, with the angular velocity in the
body's axes in place of the rate of the rotation vector. So a change of q is not a sum: :meth:`Multibody.moved`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from alegear.dynamics.constraints import AT_REST, WORLD, Constraint, n_equations
from alegear.dynamics.flexible_body import RIGID, FlexibleBody
from alegear.dynamics.rotation import composed, rotation_matrix, skew, tangent
from alegear.dynamics.system import ForceEvaluation, System
from alegear.errors import Fault

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class BodyMotion:
    """Where a body is and how it moves: views of the coordinates and velocities of the system."""

    p: Array
    R: Array
    u: Array
    v: Array
    w: Array
    du: Array


#: What moves nowhere.
RESTING = BodyMotion(p=AT_REST[0], R=AT_REST[1], u=np.zeros(0), v=np.zeros(3), w=np.zeros(3), du=np.zeros(0))


class Element(Protocol):
    """What exerts forces between bodies: springs, torques, contacts."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """Numbers of the bodies."""

    def force(self, t: float, motions: Sequence[BodyMotion]) -> tuple[Array, Array, Array]:
        """Generalised forces on its bodies one after the other, and their derivatives by place and by velocity.

        Parameters
        ----------
        t : float [s]
        motions : of its bodies

        Returns
        -------
        Q : shape (n,)
        dQ_dq, dQ_dv : shape (n, n)
            n is the sum of the velocities of its bodies, 6 and the modes each, none of WORLD.
        """


class Multibody(System):
    """A system of bodies, constraints and elements.

    Parameters
    ----------
    bodies : sequence of FlexibleBody
    constraints : sequence of Constraint
    elements : sequence of Element
    gravity : shape (3,) [m/s2]
        In the world frame.
    length : float [m]
        Size of the displacements that matter: the errors of steps and of constraints are measured by it, and rotations
        by what it is at the radius of gyration of the body.
    force : float [N]
        Size of the forces that matter, for Newton's tolerance; torques alike.

    Raises
    ------
    Fault
        If a constraint or an element names a body that is not there, or a scale is not positive.
    """

    places_add_up = False

    def __init__(
        self,
        bodies: Sequence[FlexibleBody],
        constraints: Sequence[Constraint] = (),
        elements: Sequence[Element] = (),
        *,
        gravity: Array | None = None,
        length: float = 1e-6,
        force: float = 1.0,
    ) -> None:
        self.bodies, self.constraints, self.elements = tuple(bodies), tuple(constraints), tuple(elements)
        self.gravity = np.zeros(3) if gravity is None else np.asarray(gravity, dtype=np.float64)
        for what, value in (("length scale [m]", length), ("force scale [N]", force)):
            if not value > 0.0:
                raise Fault(what, value, "positive", "give the size of what matters")
        named: chain[Constraint | Element] = chain(self.constraints, self.elements)
        for part in named:
            for number in part.bodies:
                if not WORLD <= number < len(self.bodies):
                    limit = f"{WORLD} (the world) to {len(self.bodies) - 1}"
                    raise Fault(f"body of {part.name}", number, limit, "number the bodies in their order")
        ends = np.cumsum([0, *(body.n_velocities for body in self.bodies)])
        self._slices = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
        self._n_dof = int(ends[-1])
        self.n_constraints = n_equations(self.constraints)
        self._misfit_scale = np.full(self.n_constraints, length)
        self._displacement_scale, self._force_scale = np.full((2, self._n_dof), [[length], [force]])
        for body, at in zip(self.bodies, self._slices, strict=True):
            radius = float(np.sqrt(np.trace(body.invariants.U6) / (3.0 * body.invariants.mass)))
            self._displacement_scale[at][3:6] /= radius
            self._force_scale[at][3:6] *= radius

    @property
    def n_dof(self) -> int:
        """6 and the modes of each body."""
        return self._n_dof

    @property
    def displacement_scale(self) -> Array:
        """Sizes of displacements that matter, shape (n_dof,) [m, rad]."""
        return self._displacement_scale

    @property
    def force_scale(self) -> Array:
        """Sizes of forces that matter, shape (n_dof,) [N, N m]."""
        return self._force_scale

    # ------------------------------------------------------------------------------ coordinates
    def place(self, number: int) -> slice:
        """Where the coordinates and velocities of a body are."""
        return self._slices[number]

    def motion(self, number: int, q: Array, v: Array) -> BodyMotion:
        """Motion of a body, or of the world."""
        if number == WORLD:
            return RESTING
        q, v = q[self._slices[number]], v[self._slices[number]]
        return BodyMotion(p=q[:3], R=rotation_matrix(q[3:6]), u=q[RIGID:], v=v[:3], w=v[3:6], du=v[RIGID:])

    def moved(self, q: Array, way: Array) -> Array:
        """Coordinates after a way (n_dof,) along the velocities: rotations follow the ones before."""
        new = q + way
        for at in self._slices:
            new[at][3:6] = composed(q[at][3:6], way[at][3:6])
        return new

    def way_tangent(self, way: Array) -> Array:
        """Change of the place at the end of a way, as a further way from there, by a change of the way."""
        T = np.eye(self.n_dof)
        for at in self._slices:
            turn = slice(at.start + 3, at.start + 6)
            T[turn, turn] = tangent(way[turn])
        return T

    # --------------------------------------------------------------------- equations of motion
    def mass_matrix(self, q: Array) -> Array:
        """M, shape (n_dof, n_dof) [kg, kg m2]."""
        M = np.zeros((self.n_dof, self.n_dof))
        for body, at in zip(self.bodies, self._slices, strict=True):
            M[at, at] = body.mass_matrix(rotation_matrix(q[at][3:6]), q[at][RIGID:])
        return M

    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        """Forces of elements, gravity, elasticity and velocity, with the tangents by ways from q and by v."""
        Q, dQ_dq, dQ_dv = np.zeros(self.n_dof), np.zeros((self.n_dof,) * 2), np.zeros((self.n_dof,) * 2)
        for number, (body, at) in enumerate(zip(self.bodies, self._slices, strict=True)):
            motion = self.motion(number, q, v)
            for part in (body_force(body, motion), weight(body, motion, self.gravity)):
                Q[at] += part[0]
                dQ_dq[at, at] += part[1]
                dQ_dv[at, at] += part[2]
        for element in self.elements:
            numbers = [number for number in element.bodies if number != WORLD]
            places = np.concatenate([np.arange(self.n_dof)[self._slices[number]] for number in numbers])
            part = element.force(t, [self.motion(number, q, v) for number in element.bodies])
            Q[places] += part[0]
            dQ_dq[np.ix_(places, places)] += part[1]
            dQ_dv[np.ix_(places, places)] += part[2]
        return ForceEvaluation(Q=Q, dQ_dq=dQ_dq, dQ_dv=dQ_dv)

    def acceleration_tangent(self, q: Array, vdot: Array) -> Array:
        """Derivative of M(q) vdot by ways from q, shape (n_dof, n_dof)."""
        K = np.zeros((self.n_dof,) * 2)
        for body, at in zip(self.bodies, self._slices, strict=True):
            K[at, at] = acceleration_tangent(body, rotation_matrix(q[at][3:6]), q[at][RIGID:], vdot[at])
        return K

    # ------------------------------------------------------------------------------ constraints
    @property
    def misfit_scale(self) -> Array:
        """Size of a misfit that matters, shape (n_constraints,) [m, for directions 1]."""
        return self._misfit_scale

    def misfit(self, t: float, q: Array) -> tuple[Array, Array]:
        """g (n_constraints,) and its derivative G (n_constraints, n_dof) by ways from q."""
        g, G = np.zeros(self.n_constraints), np.zeros((self.n_constraints, self.n_dof))
        for constraint, rows in self._rows():
            one, two = (self._frame(number, q) for number in constraint.bodies)
            g[rows], *both = constraint.evaluate(t, one, two)
            for number, part in zip(constraint.bodies, both, strict=True):
                if number != WORLD:
                    at = self._slices[number].start
                    G[rows, at : at + RIGID] += part
        return g, G

    def constraint_tangent(self, t: float, q: Array, multipliers: Array) -> Array:
        """Derivative of G^T lambda by ways from q, shape (n_dof, n_dof)."""
        K = np.zeros((self.n_dof,) * 2)
        for constraint, rows in self._rows():
            one, two = (self._frame(number, q) for number in constraint.bodies)
            part = constraint.curvature(t, one, two, multipliers[rows])
            moving = [(k, self._slices[n].start) for k, n in enumerate(constraint.bodies) if n != WORLD]
            for i, row in moving:
                for j, column in moving:
                    K[row : row + RIGID, column : column + RIGID] += part[
                        RIGID * i : RIGID * (i + 1), RIGID * j : RIGID * (j + 1)
                    ]
        return K

    def name_of_row(self, row: int) -> str:
        """The body or the joint whose row it is."""
        if row < self.n_dof:
            number, at = next((i, at) for i, at in enumerate(self._slices) if row < at.stop)
            return f"{self.bodies[number].name}, velocity {row - at.start}"
        return next(c.name for c, rows in self._rows() if row - self.n_dof < rows.stop)

    def _rows(self) -> list[tuple[Constraint, slice]]:
        ends = np.cumsum([0, *(constraint.n_equations for constraint in self.constraints)])
        return [(c, slice(int(a), int(b))) for c, a, b in zip(self.constraints, ends[:-1], ends[1:], strict=True)]

    def _frame(self, number: int, q: Array) -> tuple[Array, Array]:
        if number == WORLD:
            return AT_REST
        at = self._slices[number]
        return q[at][:3], rotation_matrix(q[at][3:6])

    # ------------------------------------------------------------------------------ what is kept
    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic energy, and that of deformation and weight [J]."""
        kinetic = potential = 0.0
        for number, body in enumerate(self.bodies):
            motion = self.motion(number, q, v)
            kinetic += body.kinetic_energy(motion.R, v[self._slices[number]], motion.u)
            moment = body.invariants.mass * motion.p + motion.R @ body.first_moment(motion.u)
            potential += body.strain_energy(motion.u) - float(self.gravity @ moment)
        return kinetic, potential


def body_force(body: FlexibleBody, motion: BodyMotion) -> tuple[Array, Array, Array]:
    """Velocity and elastic forces of a body (n,) [N, N m], and their derivatives by ways and by velocities (n, n)."""
    R, w, u, du = motion.R, motion.w, motion.u, motion.du
    Q = body.velocity_force(R, w, u, du) + body.elastic_force(u, du)
    by_place, by_velocity = body.velocity_force_tangents(R, w, u, du)
    if body.stiffness is not None:
        by_place[RIGID:, RIGID:] -= body.stiffness
    if body.damping is not None:
        by_velocity[RIGID:, RIGID:] -= body.damping
    return Q, by_place, by_velocity


def weight(body: FlexibleBody, motion: BodyMotion, gravity: Array) -> tuple[Array, Array, Array]:
    """Weight of a body, the mass matrix times the acceleration of gravity (3,) [m/s2]; as :func:`body_force`."""
    n = body.n_velocities
    if not gravity.any():
        return np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    fall = np.zeros(n)
    fall[:3] = gravity
    M = body.mass_matrix(motion.R, motion.u)
    return M @ fall, acceleration_tangent(body, motion.R, motion.u, fall), np.zeros((n, n))


def acceleration_tangent(body: FlexibleBody, R: Array, u: Array, vdot: Array) -> Array:
    """Derivative of M(R, u) vdot of a body by ways, shape (6 + m, 6 + m)."""
    U, K = body.invariants, np.zeros((body.n_velocities,) * 2)
    a, turn, ddu = R.T @ vdot[:3], vdot[3:6], vdot[RIGID:]
    first = body.first_moment(u)
    # R f turned: -R skew(f); R^T a turned: skew(R^T a)
    inner = skew(turn) @ first + (U.modal @ ddu if body.is_full else 0.0)
    K[:3, 3:6] = -R @ skew(inner)
    K[3:6, 3:6] = skew(first) @ skew(a)
    if U.n_modes:
        K[RIGID:, 3:6] = U.modal.T @ skew(a)
    if body.is_full:
        K[:3, RIGID:] = R @ skew(turn) @ U.modal
        K[3:6, RIGID:] = -skew(a) @ U.modal + body.inertia_by_mode(u, turn) + np.einsum("iaj,j->ai", U.U4, ddu)
        K[RIGID:, RIGID:] = np.einsum("iaj,a->ji", U.U4, turn)
    return K
