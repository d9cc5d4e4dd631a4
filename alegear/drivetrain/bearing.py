"""Bearings of shafts: to the ground, to a housing, to another shaft."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.bearing_defect import BearingDefect
from alegear.drivetrain.bearing_kinematics import RollingKinematics
from alegear.drivetrain.parts import AT, SHAFT
from alegear.drivetrain.place_names import APART, node_name
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import Joined, NamedPart, Numbers, Words
from alegear.system.builder import GROUND, Part, SystemBuilder
from alegear.system.coordinates import Array, Place
from alegear.system.linear_elements import BearingLink
from alegear.system.model import SystemModel

DAMPING = Joined(
    Numbers("damping [x, y, z] (0)", Limits(quantity="damping", unit="N s/m"), 3, 3),
    Numbers(
        "damping of tilting [about x, about y] (0)",
        Limits(quantity="damping", unit="N m s/rad"),
        2,
        2,
        "tilt_damping_Nms_per_rad",
    ),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ShaftBearing(NamedPart, Part):
    """What holds a shaft at a place and leaves its rotation free.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "bearings"
    #: Whether it has rolling elements, of which results tell more.
    rolls: ClassVar[bool] = False

    shaft: Annotated[str, SHAFT]
    at: Annotated[float, AT]
    to: Annotated[str, Words("what holds it: ground, a shaft, a point of a housing")] = GROUND
    to_at: Annotated[float | None, replace(AT, key="to_at_mm", words="position along the shaft that holds it,")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.to == self.shaft:
            raise Fault(f"what bearing {self.label} connects", f'"{self.shaft}" with itself', "two parts", "correct to")

    @property
    def seats(self) -> tuple[tuple[str, float], ...]:
        """Where it sits."""
        return ((self.shaft, self.at), *(((self.to, self.to_at),) if self.to_at is not None else ()))

    # ---------------------------------------------------------- rolling elements, of one that `rolls`
    @property
    def kinematics(self) -> RollingKinematics | None:
        """How its rolling elements move; None without any."""
        return None

    @property
    def roller_length(self) -> float:
        """Length of its rollers [m]; 0 of balls, and without rolling elements."""
        return 0.0

    @property
    def defects(self) -> Sequence[BearingDefect]:
        """Defects of its rings and rolling elements."""
        return ()

    # ------------------------------------------------------------------------------------------ places
    @property
    def place(self) -> str:
        """Name of the place on the shaft."""
        return node_name(self.shaft, self.at)

    @property
    def holder(self) -> str:
        """Name of the place that holds it."""
        return self.to if self.to_at is None else node_name(self.to, self.to_at)

    def places(self, builder: SystemBuilder) -> tuple[Place, Place]:
        """The place on the shaft, and what holds it.

        Raises
        ------
        Fault
            If they lie apart.
        """
        place, holder = builder.node(self.place), builder.node(self.holder)
        if self.to != GROUND:
            away, most = float(np.linalg.norm(holder.origin - place.origin)), APART * builder.scales.radius
            if away > most:
                what = f"distance [mm] of the places of bearing {self.name}, {self.place} and {self.holder}"
                raise Fault(what, float(f"{1e3 * away:.6g}"), f"at most {1e3 * most:.3g}", "correct one of them")
        return place, holder

    @abstractmethod
    def add_to(self, builder: SystemBuilder) -> None:
        """Add it."""

    @abstractmethod
    def carried(self, model: SystemModel, x: Array, v: Array) -> Array:
        """Force and moment (m, 5) of the shaft on it, in the axes of the shaft, in states x, v (m, n) [N, N m]."""

    def longest_step(self, inner: float, outer: float, parts: int) -> float:
        """Step [s] of which `parts` resolve its rolling elements at speeds of shaft and holder [rad/s]; none: inf."""
        return inf

    def frequencies(self, inner: float, outer: float = 0.0) -> dict[str, float]:
        """Frequencies [Hz] at which its rolling elements excite, at speeds of shaft and holder [rad/s], by name."""
        return {}

    def roller_values(self, model: SystemModel, x: Array) -> dict[str, Array]:
        """What results tell of its rolling elements in states x (m, n), where it `rolls`: by name, (m, ...)."""
        return {}

    @abstractmethod
    def on_springs(self, force: float) -> Bearing:
        """A linear bearing that is about as stiff under a force [N]: for first guesses, and for what is held at all."""

    @abstractmethod
    def linearised(self, model: SystemModel, x: Array) -> Bearing:
        """The linear bearing with the mean stiffness in states x (m, n), for small vibrations about them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Bearing(ShaftBearing):
    """A linear bearing.

    It resists displacement and tilt of a shaft, and leaves its rotation free. Stiffness and damping of x, y, z, tilt x,
    tilt y in the axes of the shaft are a matrix (5, 5), its diagonal (5,), or that of the displacements (3,).

    Raises
    ------
    Fault
    """

    stiffness: Annotated[
        ArrayLike,
        Joined(
            Numbers("stiffness along the axes of the shaft [x, y, z]", Limits(quantity="stiffness", unit="N/m"), 3, 3),
            Numbers(
                "stiffness against tilting [about x, about y] (0)",
                Limits(quantity="stiffness", unit="N m/rad"),
                2,
                2,
                "tilt_stiffness_Nm_per_rad",
            ),
        ),
    ]
    damping: Annotated[ArrayLike, DAMPING] = (0.0, 0.0, 0.0)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the spring and damper."""
        self.places(builder)
        BearingLink(
            name=self.name, place=self.place, to=self.holder, stiffness=self.stiffness, damping=self.damping
        ).add_to(builder)

    def carried(self, model: SystemModel, x: Array, v: Array) -> Array:
        """Force and moment (m, 5) of the shaft on it [N, N m]."""
        part = next(part for part in model.parts if part.name == self.name)
        return part.force(x, v)

    def on_springs(self, force: float) -> Bearing:
        """Itself."""
        return self

    def linearised(self, model: SystemModel, x: Array) -> Bearing:
        """Itself."""
        return self
