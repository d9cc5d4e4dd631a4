"""Planets on bearings of their pins: bodies that the carrier takes along."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.limits import Limits
from alegear.parameters import Joined, Numbers
from alegear.short_repr import ShortRepr
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Place
from alegear.system.linear_elements import BearingLink
from alegear.system.machine_part import MachinePart

#: Names of the bearings of planets end so.
PIN = " pin"
PIN_STIFFNESS = Joined(
    Numbers(
        "elastic, teeth: bearings of the planets [radial, tangential, axial] (rigid)",
        Limits(quantity="stiffness", unit="N/m"),
        3,
        3,
        "pin_stiffness_N_per_m",
    ),
    Numbers(
        "stiffness of these bearings against tilting about the radius and the tangent, 0 of spherical ones (that of"
        " bearings as wide as the gears, k b^2/12; [0, 0] where no face width is given)",
        Limits(quantity="stiffness", unit="N m/rad"),
        2,
        2,
        "pin_tilt_stiffness_Nm_per_rad",
    ),
)
PIN_DAMPING = Joined(
    Numbers("damping of these bearings", Limits(quantity="damping", unit="N s/m"), 3, 3, "pin_damping_Ns_per_m"),
    Numbers("damping of tilting", Limits(quantity="damping", unit="N m s/rad"), 2, 2, "pin_tilt_damping_Nms_per_rad"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pins(ShortRepr):
    """Bearings by which planets sit on the pins of their carrier.

    Parameters
    ----------
    stiffness, damping : shape (5, 5) or (5,) or (3,) [N/m, N, N m/rad; times s]
        Radially (away from the axis of the carrier), tangentially (counterclockwise), axially, against tilting about
        these first two: a matrix, its diagonal, or that of the displacements.

    Raises
    ------
    Fault
    """

    stiffness: Annotated[ArrayLike, PIN_STIFFNESS]
    damping: Annotated[ArrayLike, PIN_DAMPING] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self.link("pin", "planet", "carrier")

    @staticmethod
    def tilt_stiffness(radial: float, tangential: float, width: float) -> tuple[float, float]:
        """Against tilting about the radius and the tangent [N m/rad], of a bearing as stiff all along its width.

        ``k b^2/12``: about the radius with its tangential stiffness k [N/m], about the tangent with its radial one.
        """
        return tangential * width**2 / 12.0, radial * width**2 / 12.0

    def link(self, name: str, planet: str, pin: str) -> BearingLink:
        """The bearing of one planet."""
        return BearingLink(name=name, place=planet, to=pin, stiffness=self.stiffness, damping=self.damping)


@dataclass(frozen=True, kw_only=True, eq=False)
class PinnedPlanet(MachinePart):
    """A planet on a pin that gives way: a body with all displacements, which the carrier takes along.

    Its origin is where its centre is while nothing has turned; as the carrier turns by theta its displacement is
    [R(theta) - 1] p, and what the pin gives way besides. Along and about axes that do not turn its mass, its weight and
    its gyroscopic moment are those of any rotor.

    Parameters
    ----------
    name, carrier : str
    radius : float [m], angle : float [rad]
        Its pin about the axis of the carrier, from e1 of this, where nothing has turned.
    inertia, mass, tilt_inertia : float [kg m2, kg]
    """

    makes_bodies: ClassVar[bool] = True

    name: str
    carrier: str
    radius: float
    angle: float
    inertia: float
    mass: float
    tilt_inertia: float

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the body."""
        carrier = builder.node(self.carrier, self.name)
        builder.rotor(
            self.name,
            inertia=self.inertia,
            mass=self.mass,
            tilt_inertia=self.tilt_inertia,
            origin=carrier.origin + self.radius * radial(carrier, self.angle),
            axes=carrier.axes,
        )


def radial(carrier: Place, angle: float) -> Array:
    """Direction in space (3,) at an angle [rad] about the axis of a carrier."""
    direction: Array = np.array([cos(angle), sin(angle), 0.0]) @ carrier.axes
    return direction
