"""Bodies of a system: names, coordinates, places on them and their inertia."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from alegear.errors import Fault, unknown_name
from alegear.system.assembly import Added
from alegear.system.body_frame import FREE, BodyFrame, JoinedFrames
from alegear.system.coordinates import (
    DIRECTIONS,
    DISPLACEMENTS,
    ROTATION,
    TILT_X,
    TILT_Y,
    TURN,
    Array,
    Coordinate,
    Indices,
    Place,
    Scales,
    ground,
)
from alegear.system.model import GyroscopicTerm

GROUND = "ground"


class BodyBuilder:
    """Collects the bodies of a system; :class:`alegear.system.builder.SystemBuilder` joins them.

    Parameters
    ----------
    scales : Scales
        What is typical of the machine, unless a body has its own.
    """

    def __init__(self, scales: Scales | None = None) -> None:
        self.scales = scales or Scales()
        self._added = Added(places={GROUND: ground()}, frames={GROUND: BodyFrame(name=GROUND)})
        self._names: dict[str, str] = {GROUND: "ground"}  # and what they are names of
        #: Acceleration of gravity (3,) in space [m/s2]; parts that keep it see what is set later.
        self.fall = np.zeros(3)

    def claim(self, name: str, what: str) -> None:
        """Take a name for a part; bodies, links, drives and loads share one list of names.

        Raises
        ------
        Fault
            If it is taken.
        """
        if not isinstance(name, str) or not name.strip():
            raise Fault(f"name of a {what}", repr(name), "a word", "give it a name")
        if name in self._names:
            raise Fault(f"name of a {what}", f'"{name}"', "one that nothing else has", self._remedy(name))
        self._names[name] = what

    def _remedy(self, name: str) -> str:
        return f"rename it: there is a {self._names[name]} of that name"

    def coordinate(
        self,
        body: str,
        direction: str,
        *,
        displacement_scale: float | None = None,
        force_scale: float | None = None,
        unit: str | None = None,
        scales: Scales | None = None,
    ) -> int:
        """Append a coordinate and return its number; scales and unit are those of its direction unless given."""
        own = scales or self.scales
        made = Coordinate.of(body, direction, own)
        given: dict[str, Any] = {"displacement_scale": displacement_scale, "force_scale": force_scale, "unit": unit}
        made = replace(made, **{key: value for key, value in given.items() if value is not None})
        self._added.coordinates.append(replace(made, span=own.span(made.displacement_scale)))
        return len(self._added.coordinates) - 1

    def rotor(
        self,
        name: str,
        *,
        inertia: float,
        mass: float | None = None,
        tilt_inertia: float = 0.0,
        origin: ArrayLike = (0.0, 0.0, 0.0),
        axes: ArrayLike | None = None,
        scales: Scales | None = None,
        what: str = "body",
    ) -> Place:
        """Add a body that turns about e3, on a hinge if it has no mass, else displaced and tilted a little as well.

        Parameters
        ----------
        name : str
        inertia : float [kg m2]
            About e3.
        mass : float or None [kg]
            None: the body stands on a hinge. The reference point is its centre of mass.
        tilt_inertia : float [kg m2]
            About a diameter through the reference point.
        origin : shape (3,) [m]
            The reference point.
        axes : shape (3, 3)
            e1, e2, e3 in space, one a row; default x, y, z.
        """
        self.claim(name, what)
        frame = np.eye(3) if axes is None else np.asarray(axes, dtype=np.float64)
        _check_axes(name, frame)
        used = (ROTATION,) if mass is None else (ROTATION, *DISPLACEMENTS)
        indices = np.array([self.coordinate(name, one, scales=scales) for one in used], dtype=np.int64)
        rows = np.zeros((len(DIRECTIONS), len(used)))
        for column, direction in enumerate(used):
            rows[DIRECTIONS.index(direction), column] = 1.0
        place = Place(
            name=name,
            coordinates=indices,
            rows=rows,
            rotation=int(indices[0]),
            origin=np.asarray(origin, dtype=np.float64),
            axes=frame,
        )
        self.place(place)
        self.falls(place)
        self.disk(place, mass=mass or 0.0, inertia=inertia, tilt_inertia=tilt_inertia)
        return place

    def floating(
        self, name: str, *, modes: int = 0, radius: float | None = None, scales: Scales | None = None
    ) -> BodyFrame:
        """Add the six coordinates of a body in space, and those of its modes behind them; inertia is added apart.

        Parameters
        ----------
        name : str
        modes : int
        radius : float [m]
            At which a rotation matters as much as a displacement; default: that of the scales.
        """
        self.claim(name, "body")
        own = scales or self.scales
        own = own if radius is None else replace(own, radius=radius)
        first = len(self._added.coordinates)
        for direction in (*FREE, *(f"mode {i + 1}" for i in range(modes))):
            self.coordinate(name, direction, scales=own)
        self._added.rotation_vectors.append(first + FREE.index("turn x"))
        self._added.frames[name] = BodyFrame.floating(name, first)
        return self._added.frames[name]

    def frame(self, name: str, who: str | None = None) -> BodyFrame:
        """The frame of a floating body, of one on a hinge, or of the ground; `who` names it.

        Raises
        ------
        Fault
            If there is none of that name, or its axis is displaced.
        """
        if name in self._added.frames:
            return self._added.frames[name]
        if name not in self._added.places:
            known = [one for one in {**self._added.frames, **self._added.places} if self._can_be_joined(one)]
            raise unknown_name(f"body of {who}" if who else "body", name, known)
        place = self._added.places[name]
        if not self._can_be_joined(name):
            what, given = f"body of {who}" if who else "body", f'"{name}", whose axis is displaced a little'
            limit = "one that floats, or stands on a hinge"
            raise Fault(what, given, limit, "make it a floating body on bushings")
        assert place.rotation is not None
        return BodyFrame.hinged(name, place.rotation, place.origin, place.axes[2])

    def joined(self, between: tuple[str, str], who: str, others: tuple[int, ...] = ()) -> JoinedFrames:
        """The frames of two bodies that a part of the name `who` connects, with other coordinates besides.

        Raises
        ------
        Fault
            Also if nothing of it moves.
        """
        frames = JoinedFrames((self.frame(between[0], who), self.frame(between[1], who)), others)
        if not len(frames.coordinates):
            raise Fault(f"bodies of {who}", "the ground twice", "one that moves at least", "name a body")
        return frames

    def started(self, frame: BodyFrame) -> tuple[Array, Array]:
        """Position (3,) and rotation (3, 3) of a frame at the start of a motion."""
        return frame.at(np.array([self.started_at(int(i)) for i in frame.coordinates]))

    def started_at(self, index: int) -> float:
        """Where a coordinate is at the start of a motion, as far as has been said."""
        return self._added.start_angles.get(index, 0.0)

    def start(self, index: int, *, at: float = 0.0, speed: float = 0.0) -> None:
        """Say where a coordinate is at the start of a motion, and how fast."""
        for given, value in ((self._added.start_angles, at), (self._added.start_speeds, speed)):
            if value:  # what is 0 follows from others
                given[index] = value

    def begins_with(self, index: int, weights: Mapping[int, float]) -> None:
        """Say that a coordinate begins with a weighted sum of others, and with that of their speeds."""
        self._added.initial_relations[index] = dict(weights)

    def _can_be_joined(self, name: str) -> bool:
        """Whether it floats, stands on a hinge, or is the ground."""
        if name in self._added.frames:
            return True
        place = self._added.places[name]
        return place.rotation is not None and len(place.coordinates) == 1 and not place.rows[:TURN].any()

    def place(self, place: Place, name: str | None = None) -> None:
        """Make a place known by its name, or by another besides."""
        self._added.places[name or place.name] = place

    @property
    def places(self) -> Mapping[str, Place]:
        """All places that have a name."""
        return self._added.places

    def node(self, name: str, who: str | None = None) -> Place:
        """A place by its name, such as "input@60mm", or a body; `who` names it.

        Raises
        ------
        Fault
            If there is none.
        """
        if name in self._added.frames and name != GROUND:
            what, limit = f"shaft of {who}" if who else "body in the system", "one that turns about an axis of its own"
            remedy = "connect a body that floats by joints, bushings and meshes in space"
            raise Fault(what, f'"{name}", a floating body', limit, remedy)
        if name not in self._added.places:
            raise unknown_name("body in the system" if who is None else f"shaft of {who}", name, self._added.places)
        return self._added.places[name]

    def rotation(self, place: str, who: str) -> int:
        """The coordinate that turns a place; `who` names it.

        Raises
        ------
        Fault
            If nothing does.
        """
        rotation = self.node(place, who).rotation
        if rotation is None:
            raise Fault(f"shaft of {who}", f'"{place}"', "one that turns", "name a shaft or a gear")
        return rotation

    def disk(self, place: Place, *, mass: float = 0.0, inertia: float = 0.0, tilt_inertia: float = 0.0) -> None:
        """Add a rigid rotor to a place: mass [kg], inertia about e3 and about a diameter [kg m2]; gyroscopic, too."""
        for what, value in (("mass", mass), ("inertia", inertia), ("tilt inertia", tilt_inertia)):
            if not 0.0 <= value < np.inf:
                raise Fault(f"{what} of {place.name}", value, "at least 0", "correct the number")
        weights = np.array([mass, mass, mass, tilt_inertia, tilt_inertia, inertia])
        self.inertia(place.coordinates, place.rows.T @ (weights[:, None] * place.rows))
        G = inertia * np.outer(place.rows[TILT_X], place.rows[TILT_Y])
        if place.rotation is not None and G.any():
            self.gyroscopic(place.rotation, place.coordinates, G - G.T)

    def inertia(self, at: ArrayLike, matrix: ArrayLike) -> None:
        """Add a mass matrix (n_e, n_e) of some coordinates."""
        self._added.masses.append((np.asarray(at, dtype=np.int64), np.asarray(matrix, dtype=np.float64)))

    def gyroscopic(self, speed: int, at: ArrayLike, matrix: ArrayLike) -> None:
        """Add the force -v[speed] G v on some coordinates; G (n_e, n_e) skew [kg m2]."""
        indices, G = np.asarray(at, dtype=np.int64), np.asarray(matrix, dtype=np.float64)
        self._added.gyroscopic.append(GyroscopicTerm(speed=speed, coordinates=indices, matrix=G))

    def gravity(self, acceleration: ArrayLike) -> None:
        """Let all masses have weight; acceleration (3,) in space [m/s2]."""
        self.fall[:] = np.asarray(acceleration, dtype=np.float64)

    def falls(self, place: Place) -> None:
        """Say how coordinates of their own fall with the whole system; those of :meth:`rotor` do."""
        self._added.pulled.append((place.coordinates, place.rows[:3].T @ place.axes))

    def falls_along(self, at: Indices, directions: Array) -> None:
        """Say that coordinates (n_e,) fall with the whole system along directions (n_e, 3)."""
        self._added.pulled.append((at, directions))


def _check_axes(name: str, axes: Array) -> None:
    if axes.shape != (3, 3) or not np.abs(axes @ axes.T - np.eye(3)).max() < 1e-9 or not np.linalg.det(axes) > 0.0:
        raise Fault(f"axes of {name}", axes.tolist(), "three orthonormal rows, right-handed", "use axes_along")
