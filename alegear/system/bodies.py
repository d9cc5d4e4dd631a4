"""Bodies with one large angle: an angle alone, or small displacements and tilts of the axis as well."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import radians
from typing import Annotated, ClassVar

from numpy.typing import ArrayLike

from alegear.limits import Limits, check_type
from alegear.parameters import check_parameters
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Scales
from alegear.system.machine_part import MachinePart

DEGREE, RPM = radians(1.0), radians(6.0)
INERTIA = Limits(quantity="inertia", key="inertia_kg_m2", unit="kg m2", least=0.0, most=1e12)
MASS = Limits(quantity="mass", key="mass", unit="kg", least=0.0, most=1e9, optional=True)
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
        place = builder.rotor_1d(self.name, inertia=self.inertia, scales=self.scales)
        if self.angle or self.speed:
            assert place.rotation is not None
            builder.start(place.rotation, at=self.angle, speed=self.speed)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rotor(Part):
    """A rigid body that turns about e3 and is displaced and tilted a little about axes that do not turn.

    Parameters
    ----------
    name : str
    inertia : float [kg m2]
        About e3.
    mass : float or None [kg]
        None: it stands on a hinge and only turns.
    tilt_inertia : float [kg m2]
        About a diameter through the centre of mass.
    origin : shape (3,) [m]
        Centre of mass in space.
    axes : shape (3, 3)
        e1, e2, e3 in space, one a row; None: x, y, z.
    scales : Scales or None
        None: those of the machine.
    """

    makes_bodies: ClassVar[bool] = True

    name: str
    inertia: Annotated[float, INERTIA]
    mass: Annotated[float | None, MASS] = None
    tilt_inertia: Annotated[float, TILT_INERTIA] = 0.0
    origin: ArrayLike = field(default=(0.0, 0.0, 0.0))
    axes: ArrayLike | None = None
    scales: Scales | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_parameters(self)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the body."""
        builder.rotor(
            self.name,
            inertia=self.inertia,
            mass=self.mass,
            tilt_inertia=self.tilt_inertia,
            origin=self.origin,
            axes=self.axes,
            scales=self.scales,
        )
