"""Bearings of shafts: to the ground, to a housing, to another shaft."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.parts import AT
from alegear.drivetrain.shaft import node_name
from alegear.errors import Fault
from alegear.limits import Limits, check_numbers, check_type
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.linear_elements import BearingLink

#: How far apart the two places of a bearing may lie [m]: what is rounded in a drawing.
APART = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class Bearing:
    """A bearing that resists displacement and tilt of a shaft, and leaves its rotation free.

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
    stiffness, damping : shape (5, 5) or (5,) or (3,) [N/m, N, N m/rad; times s]
        Of x, y, z, tilt x, tilt y in the axes of the shaft: a matrix, its diagonal, or that of the displacements.

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {"at": AT, "to_at": replace(AT, key="to_at_mm", optional=True)}

    name: str
    shaft: str
    at: float
    to: str = GROUND
    to_at: float | None = None
    stiffness: ArrayLike
    damping: ArrayLike = field(default=(0.0, 0.0, 0.0))

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

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the spring and damper."""
        place = node_name(self.shaft, self.at)
        to = self.to if self.to_at is None else node_name(self.to, self.to_at)
        if to != GROUND:
            away = float(np.linalg.norm(builder.node(to).origin - builder.node(place).origin))
            if away > APART:
                what = f"distance [mm] of the places of bearing {self.name}, {place} and {to}"
                raise Fault(what, float(f"{1e3 * away:.6g}"), f"at most {1e3 * APART:g}", "correct one of them")
        BearingLink(name=self.name, place=place, to=to, stiffness=self.stiffness, damping=self.damping).add_to(builder)
