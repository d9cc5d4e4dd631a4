"""What is integrated in time: a :class:`SecondOrderSystem` of second order and its :class:`State`.

The equations of motion are :math:`M(q) \\dot v + G^T \\lambda = Q(t, q, v)` and :math:`g(t, q) = 0`, with
:math:`\\dot q = v` or its like for rotations; most systems have no constraints g. Coordinates without inertia (the
elastic ones of a wheel, the contact forces) are algebraic: the system solves for them inside
:meth:`SecondOrderSystem.force`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault, NonConvergence

#: Constraints that say the same twice leave singular values below this part of the largest.
DEPENDENT = 1e-10
#: Way over which the motion of the constraints is differenced at the start, in spans: of differences of order four,
#: whose own error is its fourth power and that of round-off its inverse square.
WAY = float(np.finfo(np.float64).eps ** (1.0 / 6.0))
#: Most combinations of signs of multipliers that accelerations are looked for with.
MOST_SIGNS = 20
#: Rate of a misfit at the start over that if all moved as fast as the fastest: above the error of those differences.
LEAVING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ForceEvaluation:
    """The generalised force at one (t, q, v), with its tangents.

    Parameters
    ----------
    Q : shape (n_dof,) [N, N m]
        Generalised force, positive in the direction of q. Non-finite values make the Newton iteration back off.
    dQ_dq : shape (n_dof, n_dof) [N/m, N m/rad]
        Tangent with the algebraic unknowns eliminated (minus the stiffness).
    dQ_dv : shape (n_dof, n_dof) [N s/m, N m s/rad]
        Likewise for the velocity (minus the damping).
    payload : object
        Data kept with the accepted state: contact forces, elastic coordinates.
    failure : str or None
        A sentence with a remedy if the force could not be evaluated (the inner contact iteration did not converge);
        then Q and the tangents are not looked at. The Newton iteration backs off, the step control shortens the step.
    """

    Q: Array
    dQ_dq: Array
    dQ_dv: Array
    payload: object = None
    failure: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ConstraintForces:
    """What constraints exert at one (t, q, v) and multipliers, positive in the direction of q.

    Parameters
    ----------
    Q : shape (n_dof,) [N, N m]
        -G^T lambda, and whatever else grows with the multipliers: friction, the radial force of teeth.
    by_multipliers : shape (n_dof, n_constraints)
    by_q, by_v : shape (n_dof, n_dof) or None
        Derivatives by displacements from q and by velocities; None: zero.
    """

    Q: Array
    by_multipliers: Array
    by_q: Array | None = None
    by_v: Array | None = None


@dataclass(kw_only=True, eq=False, slots=True)
class State:
    """The motion at one instant; a step makes a new state and never changes the one it started from.

    Parameters
    ----------
    t : float [s]
    q, v : shape (n_dof,) [m, rad; m/s, rad/s]
        Coordinates and velocities.
    vdot : shape (n_dof,) [m/s2, rad/s2]
        True acceleration, :math:`M \\dot v + G^T \\lambda = Q(t, q, v)` to the Newton tolerance.
    a : shape (n_dof,) [m/s2, rad/s2]
        Algorithmic acceleration of generalized-alpha: :math:`\\dot v` at about t + (alpha_m - alpha_f) h.
    h : float [s]
        The step that led here, to which `a` belongs; 0 at the start.
    force : ForceEvaluation
        The evaluation at (t, q, v), with its payload.
    multipliers : shape (n_constraints,) [N, N m]
        Of the constraints, none for a system without.
    """

    t: float
    q: Array
    v: Array
    vdot: Array
    a: Array
    h: float
    force: ForceEvaluation
    multipliers: Array = field(default_factory=lambda: np.empty(0))


class SecondOrderSystem(ABC):
    """A mechanical system :math:`M(q) \\dot v + G^T \\lambda = Q(t, q, v)`, :math:`g(t, q) = 0`.

    A subclass gives the size, the mass matrix, the force and two scales. A system with constraints gives their number,
    :meth:`misfit` and :attr:`misfit_scale` as well; one whose places are no sums (rotations in space) gives
    :meth:`moved` and :meth:`increment_tangent` and says so. The other hooks are optional.

    Derivatives "by increments" are those by a further small displacement from q, see :meth:`moved`: partial derivatives
    where positions add up.

    Attributes
    ----------
    n_constraints : int
        Number of rows of g.
    places_add_up : bool
        Whether a displacement is added to the coordinates; otherwise :meth:`moved` says where it leads.
    """

    n_constraints: int = 0
    places_add_up: bool = True

    @property
    @abstractmethod
    def n_dof(self) -> int:
        """Number of coordinates with inertia."""

    @property
    @abstractmethod
    def displacement_scale(self) -> Array:
        """Typical size of each coordinate, shape (n_dof,) [m, rad], positive.

        The tolerance of a step is relative to it. Take what matters, not what is large: for a gear the static
        deflection angle, not the angle turned since the start.
        """

    @property
    @abstractmethod
    def force_scale(self) -> Array:
        """Typical size of each force, shape (n_dof,) [N, N m], positive: the Newton tolerance is relative to it."""

    @abstractmethod
    def mass_matrix(self, q: Array) -> Array:
        """Mass matrix at q, shape (n_dof, n_dof) [kg, kg m2]; asked for at every trial, so keep one that is constant.

        One that changes within a step needs :meth:`acceleration_tangent` for Newton's iteration to stay quadratic.
        """

    @abstractmethod
    def force(self, t: float, q: Array, v: Array) -> ForceEvaluation:
        """Evaluate the generalised force and its tangents; must not change the system's committed history."""

    @property
    def span(self) -> Array:
        """Way of each coordinate over which constraints bend, shape (n_dof,) [m, rad], positive.

        As long as levers and links: differences are taken over a small part of it. 1 m or 1 rad by default.
        """
        return np.ones(self.n_dof)

    def pace(self, t: float, v: Array) -> float:
        """Spans that the fastest coordinate moves in a second [1/s]: rates of misfits at the start are judged by it."""
        return float((np.abs(v) / self.span).max(initial=0.0))

    @property
    def misfit_scale(self) -> Array:
        """Size of a misfit that matters, of each constraint, shape (n_constraints,) [m, rad], positive."""
        return np.empty(0)

    def misfit(self, t: float, q: Array) -> tuple[Array, Array]:
        """Misfit g (n_constraints,) [m, rad] and its derivative G (n_constraints, n_dof) by increments from q.

        Linear rows, W q = c(t), give W q - c(t) and W, always the same array.
        """
        return np.empty(0), np.empty((0, self.n_dof))

    def misfit_rates(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the misfit at (t, q, v), and what of its second rate is not G dv/dt, shape (n_constraints,) each.

        Only asked for at the start. By differences of order four along the motion; rows that know better (a led
        rotation that is at rest before t, W q = c(t) with W v - dc/dt and -d2c/dt2) say it themselves.
        """
        still = np.zeros_like(v)
        # the misfit may be one of the time too: no longer than this [s], whatever the system is
        return rates_along(lambda s: self.misfit(t + s, self.moved(q, s * v))[0], v, still, self.span, 1e-3)

    def constraint_forces(self, t: float, q: Array, v: Array, multipliers: Array, G: Array) -> ConstraintForces:
        """Evaluate what the constraints exert; `G` is that of :meth:`misfit` at the same (t, q).

        Forces are homogeneous in the multipliers, Q = (dQ/dlambda) lambda; by default they are -G^T lambda of a
        constant G. Where G turns with q they have a derivative `by_q`.
        """
        return ConstraintForces(Q=-G.T @ multipliers, by_multipliers=-G.T)

    def acceleration_tangent(self, q: Array, vdot: Array) -> Array | None:
        """Derivative of M(q) vdot by increments, shape (n_dof, n_dof); None where M is constant."""
        return None

    def moved(self, q: Array, displacement: Array) -> Array:
        """Coordinates after a displacement (n_dof,) along the velocities."""
        return q + displacement

    def increment_tangent(self, displacement: Array) -> Array:
        """Change of the position after a displacement, as a further one from there, by a change of the displacement.

        Asked for only where places do not add up.
        """
        return np.eye(self.n_dof)

    def name_of_row(self, row: int) -> str:
        """What moves where a row of the equations of motion fails, in the words of a message."""
        return f"coordinate {row}" if row < self.n_dof else f"constraint {row - self.n_dof}"

    def begin_step(self, t: float, q: Array, v: Array, h: float) -> None:
        """Prepare an attempted step of length h that is to end at t, near the predicted q, v (coarse contact search).

        Called before the first force evaluation of every attempt, also of those that are rejected later.
        """
        return

    def accept(self, state: State) -> None:
        """Commit history once per accepted step: contact state, tooth-change."""
        return


def rates_along(
    misfit: Callable[[float], Array], v: Array, a: Array, span: Array, longest: float = np.inf
) -> tuple[Array, Array]:
    """First and second rate of a misfit at time 0 of a motion with velocities v, by differences of order four.

    Parameters
    ----------
    misfit : callable of time [s]
    v, a, span : shape (n,)
        Velocities and accelerations of the motion, and ways of the same coordinates over which the misfit bends. Not
        the displacements that matter, which are far smaller: over those round-off is all that is left of a second rate.
    longest : float [s]
        Longest time that is looked ahead.
    """
    # the shortest time in which something has moved so far, by its velocity or its acceleration
    hurry = np.maximum(np.abs(v) / span, np.sqrt(np.abs(a) / span)).max(initial=0.0)
    e = min(WAY / float(hurry) if hurry > 0.0 else 1.0, longest)
    one, two, here, three, four = (misfit(k * e) for k in (-2, -1, 0, 1, 2))
    rate = (one - 8.0 * two + 8.0 * three - four) / (12.0 * e)
    return rate, (16.0 * (two + three) - one - four - 30.0 * here) / (12.0 * e * e)


def start(system: SecondOrderSystem, *, t: float, q: Array, v: Array) -> State:
    """Make the consistent state to start from: accelerations and multipliers by the equations of motion.

    .. math:: M \\dot v + G^T \\lambda = Q(t, q, v), \\quad G \\dot v = -\\ddot g|_{\\dot v = 0}, \\quad a = \\dot v

    Parameters
    ----------
    system : SecondOrderSystem
    t : float [s]
    q, v : shape (n_dof,) [m, rad; m/s, rad/s]

    Raises
    ------
    Fault
        If the start does not meet the constraints, its velocities leave them, or constraints say the same twice.
    NonConvergence
        The force cannot be evaluated at the start.

    Notes
    -----
    The hooks are called as for a step of length 0, so the system's history is committed at the start as well.
    """
    q = np.array(q, dtype=np.float64)
    v = np.array(v, dtype=np.float64)
    system.begin_step(t, q, v, 0.0)
    force = system.force(t, q, v)
    if force.failure is not None or not np.isfinite(force.Q).all():
        raise NonConvergence(
            f"t = {t:.6g} s (start)",
            np.inf,
            0.0,
            force.failure or "the force is not a number: check the start position",
        )
    if system.n_constraints:
        _check_place(system, q, t)
        _check_velocities(system, q, v, t)
    vdot, multipliers = accelerations(system, t, q, v, force.Q)
    state = State(t=t, q=q, v=v, vdot=vdot, a=vdot, h=0.0, force=force, multipliers=multipliers)
    system.accept(state)
    return state


def powers_of_two(scale: Array) -> Array:
    """Return the power of two above each size, shape (n,) as that of `scale`, in its units; 1 of a size of 0.

    Rows of equations are divided by them before elimination: they keep their digits, and it is not the units that
    choose the pivots, so that a similar machine is computed in the same order (Forsythe & Moler, Computer Solution of
    Linear Algebraic Systems (1967), section 11: scaling by the base of the arithmetic).
    """
    return np.asarray(np.ldexp(1.0, np.frexp(scale)[1]), dtype=np.float64)


def accelerations(system: SecondOrderSystem, t: float, q: Array, v: Array, Q: Array) -> tuple[Array, Array]:
    """Accelerations (n_dof,) and multipliers (n_constraints,) by the equations of motion at one place and velocity.

    Those of a step meet the constraints in their places only, and ring for some steps where a prescribed acceleration
    has a corner (README, Step); these do not. Parameters as of :func:`start`, with the force `Q` (n_dof,) there.
    """
    n, m = system.n_dof, system.n_constraints
    M = system.mass_matrix(q)
    force_rows = powers_of_two(system.force_scale)
    if not m:
        return np.asarray(np.linalg.solve(M / force_rows[:, None], Q / force_rows), dtype=np.float64), np.empty(0)
    G = system.misfit(t, q)[1]
    bias = system.misfit_rates(t, q, v)[1]
    # misfits over time squared, by the fastest coordinate that a typical force moves; some have no inertia of their own
    inertia = np.diagonal(M) * system.displacement_scale
    moving = inertia > 0.0
    fastest = (system.force_scale[moving] / inertia[moving]).max(initial=np.finfo(np.float64).tiny)  # [1/s2]
    rows = np.concatenate([force_rows, powers_of_two(fastest * system.misfit_scale)])
    J = np.zeros((n + m, n + m))
    J[:n, :n], J[n:, :n] = M, G
    x, by_multipliers = np.zeros(n + m), np.empty(0)
    # forces that have a magnitude of a multiplier in them are linear where it keeps its sign
    for _ in range(MOST_SIGNS):
        before, by_multipliers = by_multipliers, system.constraint_forces(t, q, v, x[n:], G).by_multipliers
        if np.array_equal(before, by_multipliers):
            break
        J[:n, n:] = -by_multipliers
        x[:] = np.linalg.solve(J / rows[:, None], np.concatenate([Q, -bias]) / rows)
    return x[:n], x[n:]


def _check_place(system: SecondOrderSystem, q: Array, t: float) -> None:
    g, G = system.misfit(t, q)
    worst = int(np.argmax(np.abs(g) / system.misfit_scale))
    limit = float(system.misfit_scale[worst])
    if not abs(g[worst]) <= limit:
        what = f"misfit of the constraints at the start, {system.name_of_row(system.n_dof + worst)},"
        raise Fault(what, f"{abs(g[worst]):.3g}", f"at most {limit:.3g}", "move the bodies")
    check_independent(G, lambda row: system.name_of_row(system.n_dof + row))


def check_independent(G: Array, name_of: Callable[[int], str]) -> None:
    """Refuse joints of which some say what others say already.

    Parameters
    ----------
    G : shape (n_constraints, n_dof)
        Derivatives of their equations.
    name_of : callable of the number of an equation

    Raises
    ------
    Fault
        With the first of them that adds nothing.
    """
    rows = G / np.maximum(np.abs(G).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    independent = _rank(rows)
    if independent < len(rows):
        first = next(i for i in range(len(rows)) if _rank(rows[: i + 1]) <= i)
        raise Fault(
            "equations of joints",
            f"{len(rows)}, {independent} of them independent: others say already what {name_of(first)} does",
            "all independent",
            "take joints away, or equations of them: two hinges on one axis hold it twice; of four parallel hinges in "
            "a loop one may be spherical and one cylindrical",
        )


def _rank(rows: Array) -> int:
    """How many rows, of size one, are independent."""
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > DEPENDENT * values[0]).sum())


def _check_velocities(system: SecondOrderSystem, q: Array, v: Array, t: float) -> None:
    G, (rate, second) = system.misfit(t, q)[1], system.misfit_rates(t, q, v)
    way = np.abs(G) @ system.span  # of the misfit, where all moves by its span
    # from rest differences are taken over the time in which accelerations move something: those of g know it
    allowed = LEAVING * np.maximum(way * system.pace(t, v), np.sqrt(way * np.abs(second)))
    worst = int(np.argmax(np.abs(rate) - allowed))
    if not abs(rate[worst]) <= allowed[worst]:
        raise Fault(
            f"start velocities, rate of {system.name_of_row(system.n_dof + worst)},",
            f"{abs(rate[worst]):.3g}",
            "along the constraints (rate of their misfit 0)",
            "start with velocities that the joints allow",
        )
