"""What is integrated in time: a :class:`System` of second order and its :class:`State`.

The equation of motion is :math:`M \\dot v = Q(t, q, v)`, :math:`\\dot q = v`. Coordinates without inertia (the elastic
ones of a wheel, the contact forces) are algebraic: the system solves for them inside :meth:`System.force`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from alegear.errors import NonConvergence

FloatArray = NDArray[np.float64]


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
        Whatever the system wants to find again in the accepted state: contact forces, elastic coordinates.
    failure : str or None
        A sentence with a remedy if the force could not be evaluated (the inner contact iteration did not converge);
        then Q and the tangents are not looked at. The Newton iteration backs off, the step control shortens the step.
    """

    Q: FloatArray
    dQ_dq: FloatArray
    dQ_dv: FloatArray
    payload: object = None
    failure: str | None = None


@dataclass(kw_only=True, eq=False, slots=True)
class State:
    """The motion at one instant; a step makes a new state and never changes the one it started from.

    Parameters
    ----------
    t : float [s]
    q, v : shape (n_dof,) [m, rad; m/s, rad/s]
        Coordinates and velocities.
    vdot : shape (n_dof,) [m/s2, rad/s2]
        True acceleration, :math:`M \\dot v = Q(t, q, v)` to the Newton tolerance.
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
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    a: FloatArray
    h: float
    force: ForceEvaluation
    multipliers: FloatArray = field(default_factory=lambda: np.empty(0))


class System(ABC):
    """A mechanical system :math:`M \\dot v = Q(t, q, v)`.

    A subclass gives the size, the mass matrix, the force and two scales; the hooks are optional.
    """

    @property
    @abstractmethod
    def n_dof(self) -> int:
        """Number of coordinates with inertia."""

    @property
    @abstractmethod
    def displacement_scale(self) -> FloatArray:
        """Typical size of each coordinate, shape (n_dof,) [m, rad], positive.

        The tolerance of a step is relative to it. Take what matters, not what is large: for a gear the static
        deflection angle, not the angle turned since the start.
        """

    @property
    @abstractmethod
    def force_scale(self) -> FloatArray:
        """Typical size of each force, shape (n_dof,) [N, N m], positive: the Newton tolerance is relative to it."""

    @abstractmethod
    def mass_matrix(self, q: FloatArray) -> FloatArray:
        """Mass matrix at q, shape (n_dof, n_dof) [kg, kg m2]; for `GeneralizedAlpha` hardly another within a step."""

    @abstractmethod
    def force(self, t: float, q: FloatArray, v: FloatArray) -> ForceEvaluation:
        """Evaluate the generalised force and its tangents; must not change the system's committed history."""

    def name_of_row(self, row: int) -> str:
        """What moves where a row of the equations of motion fails, in the words of a message."""
        return f"coordinate {row}" if row < self.n_dof else f"constraint {row - self.n_dof}"

    def begin_step(self, t: float, q: FloatArray, v: FloatArray, h: float) -> None:
        """Prepare an attempted step of length h that is to end at t, near the predicted q, v (coarse contact search).

        Called before the first force evaluation of every attempt, also of those that are rejected later.
        """
        return

    def accept(self, state: State) -> None:
        """Commit history once per accepted step: contact state, tooth-change."""
        return


def start(system: System, *, t: float, q: FloatArray, v: FloatArray) -> State:
    """Make the consistent state to start from: :math:`\\dot v = M^{-1} Q(t, q, v)` and a = :math:`\\dot v`.

    Parameters
    ----------
    system : System
    t : float [s]
    q, v : shape (n_dof,) [m, rad; m/s, rad/s]

    Raises
    ------
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
    vdot = np.asarray(np.linalg.solve(system.mass_matrix(q), force.Q), dtype=np.float64)
    state = State(t=t, q=q, v=v, vdot=vdot, a=vdot, h=0.0, force=force)
    system.accept(state)
    return state
