"""Coordinates with names, units and scales, and places on bodies to which parts are attached."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array, Indices
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.system.rotation import skew

ROTATION = "rotation"

#: Displacements of a place along its axes and turns about them, in this order everywhere.
DISPLACEMENTS = ("x", "y", "z", "tilt x", "tilt y")
DIRECTIONS = (*DISPLACEMENTS, ROTATION)
X, Y, Z, TILT_X, TILT_Y, TURN = range(6)
ANGLES = ("tilt x", "tilt y", "tilt z", "turn x", "turn y", "turn z", ROTATION)
#: Energies are products of two scales: of smaller ones they would be 0 in floating point.
LEAST_SCALE = 1e-100


@dataclass(frozen=True, kw_only=True, eq=False)
class Scales:
    """What is typical of a machine: Newton's tolerance and the error of a step are relative to it.

    Parameters
    ----------
    deflection : float [m]
        Of the teeth under load, along the line of action.
    force : float [N]
        Between teeth.
    radius : float [m]
        At which it acts: of a base circle.
    """

    deflection: Annotated[
        float,
        Limits(
            quantity="typical deflection", key="deflection, or the torques of the machine", unit="m", least=LEAST_SCALE
        ),
    ] = 1e-5
    force: Annotated[
        float, Limits(quantity="typical force", key="force, or the torques of the machine", unit="N", least=LEAST_SCALE)
    ] = 1e3
    radius: Annotated[float, Limits(quantity="typical radius", key="radius", unit="m", least=LEAST_SCALE)] = 0.1

    def __post_init__(self) -> None:
        check_parameters(self)

    def displacement(self, direction: str) -> float:
        """Typical size of a coordinate [m, rad]."""
        return self.deflection / self.radius if direction in ANGLES else self.deflection

    def span(self, displacement: float) -> float:
        """As many of a typical displacement as the radius is of the typical deflection: 1 rad of a rotation."""
        return displacement * (self.radius / self.deflection)

    def load(self, direction: str) -> float:
        """Typical size of the force that belongs to it [N, N m]."""
        return self.force * self.radius if direction in ANGLES else self.force


@dataclass(frozen=True, kw_only=True, eq=False)
class Coordinate:
    """One coordinate of a body.

    Parameters
    ----------
    body : str
    direction : str
        ``"rotation"``, ``"x"``, ``"y"``, ``"z"``, ``"tilt x"``, ``"tilt y"``, or of a kind of its own, ``"mode 3"``.
    displacement_scale : float [unit], force_scale : float [J/unit]
    unit : str
    span : float [unit]
        Way over which the geometry of joints changes: by which a point at the typical radius moves as far as that.
    """

    body: str
    direction: str
    displacement_scale: float
    force_scale: float
    unit: str
    span: float

    @classmethod
    def of(cls, body: str, direction: str, scales: Scales) -> Coordinate:
        """The coordinate of a rotor, with the scales of its machine."""
        return cls(
            body=body,
            direction=direction,
            displacement_scale=scales.displacement(direction),
            force_scale=scales.load(direction),
            unit="rad" if direction in ANGLES else "m",
            span=scales.span(scales.displacement(direction)),
        )

    @property
    def name(self) -> str:
        """That of the body for its rotation, as in ``"wheel"``; else ``"wheel tilt x"``."""
        return self.body if self.direction == ROTATION else f"{self.body} {self.direction}"

    @property
    def in_words(self) -> str:
        """As a message says it."""
        return f"{self.direction} of {self.body}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Place:
    """A place on a body, or of the ground: how it moves by the coordinates, ``rows @ x[coordinates]``.

    Its axes do not turn with the body. Displacements and tilts are small, only the rotation about e3 is large.

    Parameters
    ----------
    name : str
    coordinates : shape (m,)
        Indices into the coordinates of the system.
    rows : shape (6, m)
        x, y, z, tilt x, tilt y, rotation of the place by these.
    rotation : int or None
        The coordinate that turns it about e3.
    origin : shape (3,) [m]
    axes : shape (3, 3)
        e1, e2, e3 in space, one a row; orthonormal, right-handed.
    """

    name: str
    coordinates: Indices
    rows: Array
    rotation: int | None = None
    origin: Array = field(default_factory=lambda: np.zeros(3))
    axes: Array = field(default_factory=lambda: np.eye(3))

    def at(self, point: Array, name: str = "") -> Place:
        """A place of the same body beside this one, with the same axes; `point` (3,) in space [m]."""
        rows = self.rows.copy()
        r = self.axes @ (np.asarray(point, dtype=np.float64) - self.origin)
        rows[:3] += skew(r).T @ self.rows[[TILT_X, TILT_Y, TURN]]  # u + phi x r
        return replace(self, name=name or self.name, rows=rows, origin=np.array(point, dtype=np.float64))

    def along(self, point: Array, direction: Array) -> Array:
        """Row (m,) of the displacement [m] of a point of the body along a direction, both (3,) in space."""
        row: Array = (self.axes @ np.asarray(direction, dtype=np.float64)) @ self.at(point).rows[:3]
        return row

    def rows_along(self, axes: Array) -> Array:
        """Rows (6, m) of its displacements, tilts and rotation along other axes (3, 3), one a row."""
        turn = axes @ self.axes.T
        return np.vstack([turn @ self.rows[:3], turn @ self.rows[3:]])


def ground(name: str = "ground", origin: Array | None = None) -> Place:
    """The place that does not move."""
    return Place(
        name=name,
        coordinates=np.empty(0, dtype=np.int64),
        rows=np.empty((6, 0)),
        origin=np.zeros(3) if origin is None else np.asarray(origin, dtype=np.float64),
    )


def axes_along(direction: Array) -> Array:
    """Axes with e3 along a direction, and e1 as near to x in space as it can be (to y, if e3 lies along x)."""
    e3 = np.asarray(direction, dtype=np.float64)
    e3 = e3 / np.linalg.norm(e3)
    near = np.array([1.0, 0.0, 0.0]) if abs(e3[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    e1 = near - (near @ e3) * e3
    e1 /= np.linalg.norm(e1)
    return np.array([e1, np.cross(e3, e1), e3])


def line_weights(places: tuple[Place, Place], point: ArrayLike, direction: ArrayLike) -> dict[int, float]:
    """Weights of the coordinates in the displacement of a point of the first place against the second along a line."""
    line = np.asarray(direction, dtype=np.float64)
    line = line / np.linalg.norm(line)
    weights: dict[int, float] = {}
    for place, sign in zip(places, (1.0, -1.0), strict=True):
        for index, weight in zip(place.coordinates, place.along(np.asarray(point), line), strict=True):
            weights[int(index)] = weights.get(int(index), 0.0) + sign * float(weight)
    return {index: weight for index, weight in weights.items() if weight != 0.0}
