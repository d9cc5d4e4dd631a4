"""What a machine asks of its parts besides that they add themselves, with the answers that most of them give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from alegear.errors import Fault
from alegear.limits import described
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array, Scales

if TYPE_CHECKING:
    from alegear.geometry.meshing_teeth import MeshingTeeth
    from alegear.system.builder import SystemBuilder
    from alegear.system.model import SystemModel


class GearInSpace(Protocol):
    """A gear of a body in space."""

    @property
    def name(self) -> str:
        """By which messages and results call it."""

    @property
    def body(self) -> str:
        """The body that it is fixed to."""

    @property
    def normal_module(self) -> float:
        """Normal module [m]."""

    @property
    def pitch_radius(self) -> float:
        """Pitch radius [m]; 0 of a rack."""


class MachinePart(ShortRepr, ABC):
    """Base of the parts of a machine: bodies, what joins them, and what drives and loads them.

    A part is a frozen dataclass with a `name`. What is said here is that of a part which joins others without teeth.

    Attributes
    ----------
    name : str
        By which messages and results call it.
    makes_bodies : bool
        Whether others sit on what it adds, so that it is added before them.
    in_space : bool
        Whether it belongs to bodies that move and turn freely in space.
    acts_from_outside : bool
        Whether it exerts torques and couples nothing: it loads a train as drives and loads do.
    leads : bool
        Whether it prescribes the motion of its place.
    """

    makes_bodies: ClassVar[bool] = False
    in_space: ClassVar[bool] = False
    acts_from_outside: ClassVar[bool] = False
    leads: ClassVar[bool] = False

    name: str

    @abstractmethod
    def add_to(self, builder: SystemBuilder) -> None:
        """Add itself to a system."""

    # ------------------------------------------------------------------ teeth
    @property
    def elastic(self) -> bool:
        """Whether it is a planetary set every planet of which is a body of its own."""
        return False

    @property
    def in_steps(self) -> bool:
        """Whether its teeth touch one by one, so that motions are taken in steps of the generalized-alpha method."""
        return False

    @property
    def rubs(self) -> bool:
        """Whether it has a friction of teeth that equilibria leave out."""
        return False

    @property
    def tooth_meshes(self) -> tuple[MeshingTeeth, ...]:
        """Which teeth meet in it."""
        return ()

    @property
    def gears_in_space(self) -> tuple[GearInSpace, ...]:
        """Gears of bodies in space that mesh in it."""
        return ()

    # ------------------------------------------------------------------ forms
    def in_statics(self, sense: float = 1.0) -> MachinePart:
        """The part as it is in equilibria, with torques that turn a set counterclockwise (1) or clockwise (-1)."""
        return self

    def on_springs(self, sense: float = 1.0) -> MachinePart:
        """The part with teeth that do not part, for first guesses of equilibria and for modes without load."""
        return self

    def linearised(self, model: SystemModel, x: Array, *, bonded: bool = False) -> MachinePart:
        """The part as it vibrates a little about states x (m, n) of a system with it."""
        return self

    # ------------------------------------------------------------------ sizes
    def scales_under(self, torques: Mapping[str, float]) -> list[Scales]:
        """What is typical of it under torques [N m] by body, where it knows."""
        return []

    def idle_scales(self) -> list[Scales]:
        """What is typical of it where nothing is known to load it."""
        return []

    def largest_force(self, length: float) -> float:
        """About how large the force that it exerts from outside is [N], in a machine of this size [m]."""
        return 0.0

    @property
    def reach(self) -> Array:
        """Points of space that it concerns, shape (m, 3) [m]."""
        return np.empty((0, 3))

    # ------------------------------------------------------------------ times
    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which what it is given has corners: steps end there [s]."""
        return ()

    @property
    def of_motion(self) -> tuple[tuple[str, float], ...]:
        """Parameters in words, with their values, that have an effect only while something moves."""
        return ()

    # ------------------------------------------------------------------ words
    @property
    def facts(self) -> Mapping[str, float | list[float]]:
        """What a check prints of it besides its parameters, by key."""
        return {}

    @property
    def warnings(self) -> list[str]:
        """What is known of it before anything is computed."""
        return []


def check_part(value: object, where: str) -> None:
    """Refuse what is no part of a machine; `where` names it.

    Raises
    ------
    Fault
    """
    if not isinstance(value, MachinePart) or not isinstance(getattr(value, "name", None), str):
        limit = "a part with a name, of a class that is derived from alegear.system.MachinePart"
        raise Fault(where, described(value), limit, "give such a part, as ag.Rotor1D is, or derive its class")
