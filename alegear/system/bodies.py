"""Bodies that only turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from alegear.limits import Limits
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Scales
from alegear.system.machine_part import MachinePart

INERTIA = Limits(quantity="inertia", key="inertia_kg_m2", unit="kg m2", least=0.0, most=1e12)
TILT_INERTIA = Limits(quantity="inertia about a diameter", key="tilt_inertia", unit="kg m2", least=0.0, most=1e12)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rotor1D(MachinePart):
    """A body with an angle.

    It only turns. Its inertia may be 0 where joints connect it with others that have one.

    Parameters
    ----------
    scales : Scales or None
        None: those of the machine.
    """

    TABLE: ClassVar[str] = "rotors"
    makes_bodies: ClassVar[bool] = True

    inertia: Annotated[float, replace(INERTIA, words="moment of inertia")]
    angle: Annotated[float, Limits(quantity="angle at the start", unit="deg", least=-1e9, most=1e9)] = 0.0
    speed: Annotated[float, Limits(quantity="speed at the start", unit="rpm", least=-1e6, most=1e6)] = 0.0
    scales: Scales | None = None

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the body."""
        place = builder.rotor(self.name, inertia=self.inertia, scales=self.scales)
        if self.angle or self.speed:
            assert place.rotation is not None
            builder.start(place.rotation, at=self.angle, speed=self.speed)
