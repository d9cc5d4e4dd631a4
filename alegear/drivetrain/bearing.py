"""Bearings of shafts: to the ground, to a housing, to another shaft."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.bearing_defect import BearingDefect
from alegear.drivetrain.bearing_kinematics import RollingKinematics
from alegear.drivetrain.parts import AT
from alegear.drivetrain.place_names import node_name
from alegear.errors import Fault
from alegear.limits import Limits, check_numbers, check_type
from alegear.short_repr import ShortRepr
from alegear.system.builder import GROUND, Part, SystemBuilder
from alegear.system.coordinates import Array, Place
from alegear.system.linear_elements import BearingLink
from alegear.system.model import SystemModel

#: How far apart the two places of a bearing may lie [m]: what is rounded in a drawing.
APART = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class ShaftBearing(ShortRepr, Part):
    """What holds a shaft at a place and leaves its rotation free.

    Parameters
    ----------
    name : str
    shaft : str
    at : float [m]
        Along the shaft.
    to : str
        What holds it: ``"ground"``, a point of a housing ``"housing@left"``, another shaft.
    to_at : float or None [m]
        Along the other shaft; None where `to` is no shaft.

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {"at": AT, "to_at": replace(AT, key="to_at_mm", optional=True)}
    #: Whether it has rolling elements, of which results tell more.
    rolls: ClassVar[bool] = False

    name: str
    shaft: str
    at: float
    to: str = GROUND
    to_at: float | None = None

    def __post_init__(self) -> None:
        for name in ("name", "shaft", "to"):
            check_type(self, name, str)
        check_numbers(self)
        if self.to == self.shaft:
            raise Fault(f"what bearing {self.name} connects", f'"{self.shaft}" with itself', "two parts", "correct to")

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
            away = float(np.linalg.norm(holder.origin - place.origin))
            if away > APART:
                what = f"distance [mm] of the places of bearing {self.name}, {self.place} and {self.holder}"
                raise Fault(what, float(f"{1e3 * away:.6g}"), f"at most {1e3 * APART:g}", "correct one of them")
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

    def tell(self, model: SystemModel, x: Array) -> dict[str, Array]:
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
    """A linear bearing: it resists displacement and tilt of a shaft, and leaves its rotation free.

    Parameters
    ----------
    name, shaft, at, to, to_at
        As of :class:`ShaftBearing`.
    stiffness, damping : shape (5, 5) or (5,) or (3,) [N/m, N, N m/rad; times s]
        Of x, y, z, tilt x, tilt y in the axes of the shaft: a matrix, its diagonal, or that of the displacements.

    Raises
    ------
    Fault
    """

    stiffness: ArrayLike
    damping: ArrayLike = field(default=(0.0, 0.0, 0.0))

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
