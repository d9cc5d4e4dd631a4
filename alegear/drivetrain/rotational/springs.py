"""Springs, dampers and backlash between places that only turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from alegear.drivetrain.rotational.places import BETWEEN, relative
from alegear.drivetrain.rotational.torsional_element import TorsionalElement
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.system.builder import SystemBuilder
from alegear.system.machine_part import MachinePart

STIFFNESS = Limits(quantity="torsional stiffness", words="stiffness", unit="N m/rad", least=0.0, most=1e15)
DAMPING = Limits(quantity="torsional damping", words="damping", unit="N m s/rad", least=0.0, most=1e15)


@dataclass(frozen=True, kw_only=True, eq=False)
class Spring(MachinePart):
    """Spring and damper, perhaps with backlash.

    Both are linear and beside each other.
    With y the rotation of the second body against the first less `free_angle`, the torque that turns the second
    body back is k y + d dy/dt. With a backlash b it is zero for |y| <= b/2, and beyond

        tau_c = k (y - b/2 sign y),   tau = tau_c + d dy/dt, but not more than 2 tau_c and never pulling

    so that the damper neither pulls the flanks together nor jumps where they meet: the damping torque is at most
    tau_c by magnitude.

    Raises
    ------
    Fault
        Also where both stiffness and damping are 0.
    """

    TABLE: ClassVar[str] = "springs"

    between: Annotated[tuple[str, str], BETWEEN]
    stiffness: Annotated[float, STIFFNESS] = 0.0
    damping: Annotated[float, DAMPING] = 0.0
    free_angle: Annotated[float, Limits(quantity="angle without load", unit="deg", least=-1e9, most=1e9)] = 0.0
    backlash: Annotated[
        float, Limits(quantity="backlash", words="backlash from side to side", unit="deg", least=0.0, most=1e6)
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stiffness and not self.damping:
            raise Fault(f"stiffness and damping of {self.label}", 0, "one of them positive", "give stiffness")
        if not self.stiffness and (self.backlash or self.free_angle):
            raise Fault(f"stiffness of spring {self.name}", 0, "positive with backlash or a free angle", "give it")

    @property
    def coupled_ratio(self) -> float | None:
        """1, where it has a stiffness."""
        return 1.0 if self.stiffness else None

    def add_to(self, builder: SystemBuilder) -> None:
        """Add a linear part, or the element that has backlash or a free angle."""
        weights = relative(builder, self.name, self.between)
        if self.backlash or self.free_angle:
            numbers = (self.stiffness, self.damping, self.backlash, self.free_angle)
            corners = 0 if not self.backlash else 2 if self.damping else 1
            builder.element(
                TorsionalElement(name=self.name, kind="spring", numbers=numbers, rows=[weights], n_corners=corners)
            )
            return
        builder.linear(
            self.name,
            at=list(weights),
            rows=[list(weights.values())],
            stiffness=[[self.stiffness]],
            damping=[[self.damping]],
            kind="springs",
        )
