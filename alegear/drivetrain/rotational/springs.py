"""Springs, dampers and backlash between places that only turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from alegear.drivetrain.rotational.places import BETWEEN, check_places, relative
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Indices
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.machine_part import MachinePart
from alegear.system.ode_terms import OdeTerms

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
        object.__setattr__(self, "between", check_places(self.label, self.between, 2))
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
            builder.element(SpringElement(spring=self, weights=weights))
            return
        builder.linear(
            self.name,
            at=list(weights),
            rows=[list(weights.values())],
            stiffness=[[self.stiffness]],
            damping=[[self.damping]],
            kind="springs",
            directions=("twist",),
        )


class SpringElement(StatelessElement):
    """A spring with backlash or a free angle, as an element."""

    def __init__(self, *, spring: Spring, weights: dict[int, float]) -> None:
        self.spring, self.name = spring, spring.name
        self.coordinates: Indices = np.array(list(weights), dtype=np.int64)
        self.row: Array = np.array(list(weights.values()))

    def torque(self, y: float, rate: float) -> tuple[float, float, float]:
        """Torque and its derivatives by y and by the rate."""
        k, d, b = self.spring.stiffness, self.spring.damping, self.spring.backlash
        y -= self.spring.free_angle
        if b == 0.0:
            return k * y + d * rate, k, d
        side = 1.0 if y > 0.0 else -1.0
        beyond = side * y - 0.5 * b
        if beyond <= 0.0:
            return 0.0, 0.0, 0.0
        elastic, damped = k * beyond, side * d * rate
        if damped < -elastic:
            return 0.0, 0.0, 0.0
        if damped > elastic:
            return side * 2.0 * elastic, 2.0 * k, 0.0
        return side * (elastic + damped), k, d

    def corners(self, x: Array, v: Array) -> Array:
        """Where flanks meet, and where the damping torque is as large as that of the spring."""
        if self.spring.backlash == 0.0:
            return np.empty(0)
        beyond = abs(float(self.row @ x) - self.spring.free_angle) - 0.5 * self.spring.backlash
        if self.spring.damping == 0.0:
            return np.array([beyond])
        return np.array([beyond, self.spring.stiffness * beyond - self.spring.damping * abs(float(self.row @ v))])

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Torque on the places, with its tangents."""
        torque, by_y, by_rate = self.torque(float(self.row @ x), float(self.row @ v))
        square = np.outer(self.row, self.row)
        return ElementForces(Q=-self.row * torque, by_x=-by_y * square, by_v=-by_rate * square)

    def ode_terms(self) -> OdeTerms:
        """Stiffness, damping, backlash, free angle."""
        spring, row = self.spring, dict(zip(self.coordinates.tolist(), self.row.tolist(), strict=True))
        numbers = [spring.stiffness, spring.damping, spring.backlash, spring.free_angle]
        return OdeTerms(kind="spring", numbers=numbers, rows=[row])

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """Energy of the spring, and the power of the damper."""
        y, rate = float(self.row @ x) - self.spring.free_angle, float(self.row @ v)
        beyond = max(abs(y) - 0.5 * self.spring.backlash, 0.0)
        elastic = self.spring.stiffness * beyond * (1.0 if y > 0.0 else -1.0)
        torque = self.torque(float(self.row @ x), rate)[0]
        return ElementEnergy(stored=0.5 * self.spring.stiffness * beyond**2, damping_power=(torque - elastic) * rate)
