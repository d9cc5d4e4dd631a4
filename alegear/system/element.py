"""What a nonlinear element is: forces on some coordinates, with their tangents and a memory of its own.

Whatever is derived from :class:`Element` can be given to a builder; nothing else has to know it. Its constant numbers
stay in the element; what changes is in the data that it makes, and that are handed to it each time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from alegear.arrays import AnyArray
from alegear.system.coordinates import Array, Indices
from alegear.system.inputs import Inputs
from alegear.system.ode_terms import OdeTerms
from alegear.system.time_signal import TimeSignal


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
    response : object
        Data of the element kept with the state: contact forces, recorded quantities.
    """

    Q: Array
    by_x: Array
    by_v: Array
    failure: str | None = None
    response: object = None

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


class Element(ABC):
    """Base of nonlinear elements. `x` and `v` (n_e,) are those of its own coordinates.

    An element defines `name`, `coordinates` and the abstract methods; :class:`StatelessElement` has those of an element
    without memory. All other members are of elements that need them, and have defaults.

    Attributes
    ----------
    name : str
        For messages, results, checkpoints.
    coordinates : shape (n_e,)
        On which coordinates it acts.
    only_in_motion : bool
        Whether its force belongs to motions alone, as that of an unbalance, which turns with its rotor: equilibria
        leave it out.
    adds_mass : bool
        Whether it has a part in the mass matrix, :meth:`mass`.
    massless : tuple of int
        Coordinates of the system to which it gives no inertia all the same.
    rotates_with_carrier : bool
        Whether it carries bodies about an axis: :meth:`on_carrier`, :meth:`transport_velocity`.
    """

    name: str
    coordinates: Indices
    only_in_motion: ClassVar[bool] = False
    adds_mass: ClassVar[bool] = False
    rotates_with_carrier: ClassVar[bool] = False
    massless: tuple[int, ...] = ()

    # ------------------------------------------------------------------ forces
    @abstractmethod
    def new_data(self) -> Any:
        """Make buffers and memory of a run."""

    @abstractmethod
    def begin_step(self, t: float, x: Array, v: Array, h: float, data: Any) -> None:
        """Prepare an attempted step of length h that is to end at t near x, v."""

    @abstractmethod
    def evaluate(self, t: float, x: Array, v: Array, data: Any) -> ElementForces:
        """Forces and tangents; leaves the memory as it is."""

    @abstractmethod
    def accept(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> None:
        """Commit the memory, once an accepted step."""

    @abstractmethod
    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: Any) -> ElementEnergy:
        """Stored energy and losses."""

    @abstractmethod
    def memory(self, data: Any) -> dict[str, AnyArray]:
        """What later steps depend on, by name."""

    @abstractmethod
    def recall(self, data: Any, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory of the same element."""

    # -------------------------------------------------------------------- mass
    def mass(self, x: Array, data: Any) -> Array:
        """Part of the mass matrix, shape (n_e, n_e), of one that ``adds_mass``; default: zero."""
        return np.zeros((len(x), len(x)))

    def mass_tangent(self, x: Array, a: Array, data: Any) -> Array:
        """Derivative of ``mass(x, data) @ a`` by x, shape (n_e, n_e); default: zero."""
        return np.zeros((len(x), len(x)))

    # ------------------------------------------------- what is given over time
    @property
    def signals(self) -> tuple[TimeSignal, ...]:
        """Signals over time that it takes: steps end at their corners. Default: none."""
        return ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of inputs that it takes, which controllers set (:mod:`alegear.system.inputs`). Default: none."""
        return ()

    def with_inputs(self, inputs: Inputs) -> Element:
        """Itself with the values that inputs have in a run."""
        return self

    # --------------------------------------------------------------- numerics
    def corners(self, x: Array, v: Array) -> Array:
        """Values (m,) whose changes of sign are corners of its force: steps end there. Default: none, m = 0."""
        return np.empty(0)

    @property
    def resolution(self) -> Array:
        """Changes of its coordinates that its forces do not resolve, shape (n_e,); default: none, zeros."""
        return np.zeros(len(self.coordinates))

    @property
    def clearance(self) -> float | None:
        """Thickness [m] that closes its clearance, of one that carries nothing within it; None of others.

        An equilibrium is searched for with all clearances closed, and followed while they open
        (:mod:`alegear.system.continuation`).
        """
        return None

    def close_clearance(self, data: Any, overlap: float) -> None:
        """Put into its data by how much it is closed [m]: 0 but while an equilibrium is searched for."""
        return

    # -------------------------------------------------------- rotating carriers
    def on_carrier(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates and velocities (n_e,) at the start of a motion, what it carries where it belongs."""
        return x, v

    def transport_velocity(self, x: Array, v: Array) -> Array:
        """Velocities (n_e,), those of what it carries as its carrier takes it along where it is displaced to."""
        return v

    # ----------------------------------------------------------- compiled code
    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions of a system of n coordinates; None, by default: it is evaluated in Python."""
        return None

    def ode_terms(self) -> OdeTerms | None:
        """What it is to compiled motions of torsional parts; None, by default: it is evaluated in Python."""
        return None


class StatelessElement(Element):
    """Base of an element without internal state: it has a name, coordinates and forces."""

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

    def memory(self, data: Any) -> dict[str, AnyArray]:
        """Nothing."""
        return {}

    def recall(self, data: Any, memory: Mapping[str, AnyArray]) -> None:
        """Nothing to take up."""
        return
