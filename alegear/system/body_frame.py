"""Where a body is in space: position and orientation of its frame, by the coordinates of the system."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from alegear.system.coordinates import Array, Indices
from alegear.system.rotation import rotation_matrix

#: Coordinates of a floating body: position of its frame, then its rotation vector.
FREE = ("x", "y", "z", "turn x", "turn y", "turn z")


@dataclass(frozen=True, kw_only=True, eq=False)
class BodyFrame:
    """The frame of a floating body, of one on a hinge, or of the ground.

    Position p and rotation R (components in the body to those in space) follow from the coordinates x (n,), velocity of
    p in space and angular velocity in the axes of the body from their rates, ``(v, w) = rows @ dx/dt`` with constant
    rows: so derivatives by motions of the frame are those by coordinates, times the rows.

    Parameters
    ----------
    name : str
    coordinates : shape (n,)
        6 of a floating body, 1 of a body on a hinge, none of the ground.
    rows : shape (6, n)
    origin : shape (3,) [m]
        Position of what does not float.
    axis : shape (3,)
        Of the hinge, a unit vector; about it the body has turned from the axes of space by its coordinate.
    """

    name: str
    coordinates: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    rows: Array = field(default_factory=lambda: np.empty((6, 0)))
    origin: Array = field(default_factory=lambda: np.zeros(3))
    axis: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def floating(cls, name: str, first: int) -> BodyFrame:
        """The frame of six coordinates in a row."""
        return cls(name=name, coordinates=np.arange(first, first + len(FREE)), rows=np.eye(6))

    @classmethod
    def hinged(cls, name: str, coordinate: int, origin: Array, axis: Array) -> BodyFrame:
        """The frame of a body that turns about a fixed axis (3,)."""
        rows = np.concatenate([np.zeros(3), axis])[:, None]
        return cls(name=name, coordinates=np.array([coordinate]), rows=rows, origin=origin, axis=axis)

    @property
    def floats(self) -> bool:
        """Whether it has a position of its own."""
        return len(self.coordinates) == len(FREE)

    def at(self, x: Array) -> tuple[Array, Array]:
        """Position p (3,) and rotation R (3, 3) at its own coordinates (n,)."""
        if self.floats:
            return x[:3], rotation_matrix(x[3:])
        if len(x):
            return self.origin, rotation_matrix(x[0] * self.axis)
        return self.origin, np.eye(3)

    def velocities(self, v: Array) -> Array:
        """Velocity in space and angular velocity in the body, shape (6,), at its own rates (n,)."""
        both: Array = self.rows @ v
        return both


#: Position p (3,) and rotation R (3, 3) of a frame.
Position = tuple[Array, Array]


class JoinedFrames:
    """Two frames, with the coordinates of both and of more besides, each once: two of one body share them.

    Parameters
    ----------
    frames : (BodyFrame, BodyFrame)
    others : tuple of int
        Coordinates besides.

    Attributes
    ----------
    coordinates : shape (n,)
    rows : shape (12 + m, n)
        Motions of the frames, one after the other, then the m others, by the coordinates.
    """

    def __init__(self, frames: tuple[BodyFrame, BodyFrame], others: tuple[int, ...] = ()) -> None:
        self.frames = frames
        several = [*(frame.coordinates for frame in frames), np.array(others, dtype=np.int64)]
        self.coordinates = at = np.unique(np.concatenate(several))
        self.rows = np.zeros((12 + len(others), len(at)))
        self._own = []
        for k, frame in enumerate(frames):
            first = int(np.searchsorted(at, frame.coordinates[0])) if len(frame.coordinates) else 0
            self._own.append(slice(first, first + len(frame.coordinates)))
            self.rows[6 * k : 6 * k + 6, self._own[-1]] = frame.rows
        self.rows[np.arange(12, 12 + len(others)), np.searchsorted(at, others)] = 1.0

    def at(self, x: Array) -> tuple[Position, Position]:
        """Positions and rotations of both at the coordinates (n,)."""
        one, two = (frame.at(x[own]) for frame, own in zip(self.frames, self._own, strict=True))
        return one, two
