"""Joints: linear constraints W x = 0, and coordinates of prescribed motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from alegear.dynamics.joints import PrescribedRotation, Profile
from alegear.errors import Fault
from alegear.limits import check_type
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Place


@dataclass(frozen=True, kw_only=True, eq=False)
class LedRotation(Part):
    """A drive that leads the rotation of a place.

    Parameters
    ----------
    name, place : str
    speed : Profile [rad/s]
    start_angle : float [rad]
    """

    name: str
    place: str
    speed: Profile
    start_angle: float = 0.0

    def add_to(self, builder: SystemBuilder) -> None:
        """Lead the rotation."""
        motion = PrescribedRotation(speed_ramp=self.speed, start_angle=self.start_angle)
        builder.prescribe(self.name, rotation_of(builder, self.place, self.name), motion)


@dataclass(frozen=True, kw_only=True, eq=False)
class Torque(Part):
    """A load on the rotation of a place.

    Parameters
    ----------
    name, place : str
    profile : Profile [N m]
        Positive about e3 of the place.
    """

    name: str
    place: str
    profile: Profile

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the load."""
        builder.load(self.name, self.profile, {rotation_of(builder, self.place, self.name): 1.0})


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedRatio(Part):
    """Two rotations in a fixed ratio: radius_1 phi_1 + radius_2 phi_2 = 0, gears that mesh outside each other.

    Parameters
    ----------
    name : str
    between : (str, str)
    radii : (float, float)
        Base radii or numbers of teeth; the second is negative for an internal gear.
    """

    name: str
    between: tuple[str, str]
    radii: tuple[float, float]

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        if not all(np.isfinite(r) and r != 0.0 for r in self.radii):
            raise Fault(f"radii of {self.name}", list(self.radii), "finite and not 0", "give numbers of teeth")

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the constraint."""
        first, second = (rotation_of(builder, place, self.name) for place in self.between)
        if first == second:
            raise Fault(f"bodies of {self.name}", f'"{self.between[0]}" twice', "two", "name another")
        builder.constrain(self.name, {first: self.radii[0], second: self.radii[1]})


@dataclass(frozen=True, kw_only=True, eq=False)
class RigidMesh(Part):
    """Two bodies whose common point has the same displacement along a line: rigid teeth on their line of action.

    The reaction is the force along the line; its multiplier is positive where it presses the first body back.

    Parameters
    ----------
    name : str
    between : (str, str)
    point, direction : shape (3,) [m]
        In space.
    """

    name: str
    between: tuple[str, str]
    point: ArrayLike
    direction: ArrayLike

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the constraint."""
        first, second = (builder.node(name) for name in self.between)
        builder.constrain(self.name, line_weights((first, second), self.point, self.direction))


def line_weights(places: tuple[Place, Place], point: ArrayLike, direction: ArrayLike) -> dict[int, float]:
    """Weights of the coordinates in the displacement of a point of the first place against the second along a line."""
    line = np.asarray(direction, dtype=np.float64)
    line = line / np.linalg.norm(line)
    weights: dict[int, float] = {}
    for place, sign in zip(places, (1.0, -1.0), strict=True):
        for index, weight in zip(place.coordinates, place.along(np.asarray(point), line), strict=True):
            weights[int(index)] = weights.get(int(index), 0.0) + sign * float(weight)
    return {index: weight for index, weight in weights.items() if weight != 0.0}


def rotation_of(builder: SystemBuilder, place: str, who: str) -> int:
    """The coordinate that turns a place.

    Raises
    ------
    Fault
        If nothing does.
    """
    rotation = builder.node(place, who).rotation
    if rotation is None:
        raise Fault(f"shaft of {who}", f'"{place}"', "one that turns", "name a shaft or a gear")
    return rotation
