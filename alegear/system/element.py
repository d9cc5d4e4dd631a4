"""What a nonlinear element is: forces on some coordinates, with their tangents and a memory of its own.

Whatever has these methods can be given to a builder; nothing else has to know it. Its constant numbers stay in the
element; what changes is in the data that it makes, and that are handed to it each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from alegear.system.coordinates import Array, Indices


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ElementForces:
    """What an element exerts at one (t, x, v) on its own coordinates, n_e of them.

    Parameters
    ----------
    Q : shape (n_e,) [N, N m]
        Positive in the direction of the coordinates.
    by_x, by_v : shape (n_e, n_e)
        Its derivatives by coordinates and velocities.
    failure : str or None
        A sentence with a remedy, if the forces could not be found; the others are not looked at then.
    answer : object
        Whatever the element wants to find again: contact forces, what is recorded.
    """

    Q: Array
    by_x: Array
    by_v: Array
    failure: str | None = None
    answer: object = None

    @classmethod
    def none(cls, n: int) -> ElementForces:
        """No forces."""
        return cls(Q=np.zeros(n), by_x=np.zeros((n, n)), by_v=np.zeros((n, n)))

    @classmethod
    def failed(cls, n: int, reason: str) -> ElementForces:
        """Forces that could not be found."""
        return cls(Q=np.zeros(n), by_x=np.zeros((n, n)), by_v=np.zeros((n, n)), failure=reason)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ElementEnergy:
    """What an element adds to the balance of energy at one (t, x, v).

    Parameters
    ----------
    stored : float [J]
    friction : shape (n_e,) [N, N m]
        What its forces would be without friction, less what they are: loss by the way.
    damping_power : float [W]
        Of its dampers, not negative: loss by the time.
    supplied : shape (n_e,) [N, N m]
        What drives and loads supply by the way beyond the losses: forces less what the stored energy gives, where
        they are not its derivatives.
    supplied_power : float [W]
        Likewise by the time.
    """

    stored: float
    friction: Array = field(default_factory=lambda: np.zeros(0))
    damping_power: float = 0.0
    supplied: Array = field(default_factory=lambda: np.zeros(0))
    supplied_power: float = 0.0


@runtime_checkable
class Element(Protocol):
    """A nonlinear element. `x` and `v` (n_e,) are those of its own coordinates.

    An element that changes the mass matrix has ``mass(x, data) -> (n_e, n_e)`` besides, and the derivative of
    ``mass(x, data) @ a`` by x, ``mass_tangent(x, a, data)``; one whose force turns with a body, so that nothing rests
    under it, says so by ``turns = True``. Changes of its coordinates that it does not resolve are its ``resolution``
    (n_e,). One whose force has corners has ``corners(x, v)``, values whose changes of sign are these. Signals that it
    takes are ``given``, a tuple: steps end at their corners. One that takes inputs has their names in ``inputs``, a
    tuple, and ``with_inputs(inputs)``: itself with the values of a run. One that carries bodies about an axis has
    ``taken_along(x, v)``, the same with these where they belong at the start of a motion. One with clearance has the
    thickness ``play`` [m] that closes it, and ``overlap`` in its data: how far it is closed while an equilibrium is
    searched.
    """

    @property
    def name(self) -> str:
        """For messages, results, checkpoints."""

    @property
    def coordinates(self) -> Indices:
        """On which coordinates it acts, shape (n_e,)."""

    def new_data(self) -> Any:
        """Make buffers and memory of a run."""

    def begin_step(self, t: float, x: Array, v: Array, h: float, data: Any) -> None:
        """Prepare an attempted step of length h that is to end at t near x, v."""

    def evaluate(self, t: float, x: Array, v: Array, data: Any) -> ElementForces:
        """Forces and tangents; leaves the memory as it is."""

    def accept(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> None:
        """Commit the memory, once an accepted step."""

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> ElementEnergy:
        """Stored energy and losses."""

    def memory(self, data: Any) -> dict[str, NDArray[Any]]:
        """What later steps depend on, by name."""

    def recall(self, data: Any, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take up a memory of the same element."""


class Forgetful:
    """Base of an element without memory: only the name, the coordinates and the forces are its own."""

    def new_data(self) -> Any:
        """Nothing."""
        return None

    def begin_step(self, t: float, x: Array, v: Array, h: float, data: Any) -> None:
        """Nothing to prepare."""
        return

    def accept(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> None:
        """Nothing to remember."""
        return

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> ElementEnergy:
        """None is stored, and none is lost."""
        return ElementEnergy(stored=0.0)

    def memory(self, data: Any) -> dict[str, NDArray[Any]]:
        """Nothing."""
        return {}

    def recall(self, data: Any, memory: Mapping[str, NDArray[Any]]) -> None:
        """Nothing to take up."""
        return
