"""Parts of small systems for tests: what a builder adds by a call, by the names of places."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from alegear.system import Part, PiecewiseCubic, Scales
from alegear.system.profiles import PrescribedRotation


@dataclass(frozen=True, kw_only=True, eq=False)
class Rotor(Part):
    makes_bodies = True

    name: str
    inertia: float
    mass: float | None = None
    tilt_inertia: float = 0.0
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: np.ndarray | None = None
    scales: Scales | None = None

    def add_to(self, builder):
        builder.rotor(**{field.name: getattr(self, field.name) for field in fields(self)})


@dataclass(frozen=True, kw_only=True, eq=False)
class PrescribedSpeed(Part):
    name: str
    place: str
    speed: PiecewiseCubic

    def add_to(self, builder):
        index = builder.rotation(self.place, self.name)
        builder.prescribe(self.name, index, PrescribedRotation(speed_ramp=self.speed))


@dataclass(frozen=True, kw_only=True, eq=False)
class Torque(Part):
    name: str
    place: str
    profile: PiecewiseCubic

    def add_to(self, builder):
        builder.load(self.name, self.profile, {builder.rotation(self.place, self.name): 1.0})


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedRatio(Part):
    """Two rotations with radius_1 phi_1 + radius_2 phi_2 = 0."""

    name: str
    between: tuple[str, str]
    radii: tuple[float, float]

    def add_to(self, builder):
        first, second = (builder.rotation(place, self.name) for place in self.between)
        builder.constrain(self.name, {first: self.radii[0], second: self.radii[1]})


@dataclass(frozen=True, kw_only=True, eq=False)
class TorsionSpring(Part):
    name: str
    between: tuple[str, str]
    stiffness: float
    damping: float = 0.0

    def add_to(self, builder):
        at, rows = builder.between(*(builder.node(name) for name in self.between))
        used = rows[5] != 0.0
        builder.linear(
            self.name,
            at=at[used],
            rows=rows[[5]][:, used],
            stiffness=[[self.stiffness]],
            damping=[[self.damping]],
            kind="shafts",
        )
