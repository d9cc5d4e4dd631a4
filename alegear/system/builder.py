"""Puts a system together from parts: coordinates by name, small matrices added to large ones, checks at the end."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from alegear.dynamics.joints import PrescribedRotation, Profile
from alegear.errors import Fault
from alegear.system.body_frame import FREE, BodyFrame
from alegear.system.checks import (
    check_constraints,
    check_definite,
    check_inertia,
    check_inputs,
    check_motion,
    check_turns,
)
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
from alegear.system.element import Element
from alegear.system.holonomic import Joint
from alegear.system.mixed import MixedSystem
from alegear.system.model import (
    ControllerLink,
    GyroscopicTerm,
    LedCoordinate,
    LinearConstraint,
    LinearPart,
    Load,
    SystemModel,
)
from alegear.system.reduction import reduction
from alegear.system.switches import FrictionLaw, Switch

GROUND = "ground"


@runtime_checkable
class Part(Protocol):
    """Whatever adds bodies, links or loads to a system."""

    def add_to(self, builder: SystemBuilder) -> None:
        """Add itself."""


class SystemBuilder:
    """Collects a system and checks it.

    Parameters
    ----------
    scales : Scales
        What is typical of the machine, unless a body has its own.

    Examples
    --------
    >>> builder = SystemBuilder()
    >>> motor, fan = builder.rotor_1d("motor", inertia=0.1), builder.rotor_1d("fan", inertia=0.3)
    >>> between = [motor.rotation, fan.rotation]
    >>> builder.linear("coupling", at=between, rows=[[1.0, -1.0]], stiffness=[[1e4]])
    >>> builder.build().names
    ('motor', 'fan')
    """

    def __init__(self, scales: Scales | None = None) -> None:
        self.scales = scales or Scales()
        self._coordinates: list[Coordinate] = []
        self._places: dict[str, Place] = {GROUND: ground()}
        self._owners: dict[str, str] = {GROUND: "ground"}
        self._masses: list[tuple[Indices, Array]] = []
        self._parts: list[LinearPart] = []
        self._gyroscopic: list[GyroscopicTerm] = []
        self._led: list[LedCoordinate] = []
        self._loads: list[tuple[str, Profile, dict[int, float]]] = []
        self._forces: list[tuple[Indices, Array]] = []
        self._constraints: list[tuple[str, dict[int, float], Profile | None]] = []
        self._elements: list[Element] = []
        self._controllers: list[ControllerLink] = []
        self._inputs: dict[str, float] = {}
        self._switches: list[tuple[str, dict[int, float], dict[int, float], FrictionLaw, str | None]] = []
        self._asked: dict[str, list[float]] = {}
        self._parts_of_links: dict[str, str] = {}
        self._start_angles: dict[int, float] = {}
        self._start_speeds: dict[int, float] = {}
        self._beginnings: dict[int, dict[int, float]] = {}
        #: Acceleration of gravity (3,) in space [m/s2]; parts that keep it see what is set later.
        self.fall = np.zeros(3)
        self._joints: list[Joint] = []
        self._frames: dict[str, BodyFrame] = {GROUND: BodyFrame(name=GROUND)}
        self._turns: list[int] = []
        self._pulled: list[tuple[Indices, Array]] = []

    # ------------------------------------------------------------------ parts
    def add(self, *parts: Part) -> SystemBuilder:
        """Add parts: those that make bodies (``makes_bodies``) first, after all have said where they sit on them.

        A part that connects others and has bodies of its own besides has ``bodies``, parts that make them.

        A part that sits on a shaft has ``seats``, pairs of the shaft's name and the position along it [m]: the shaft
        then has a node there.
        """
        for part in parts:
            for shaft, position in getattr(part, "seats", ()):
                self._asked.setdefault(shaft, []).append(float(position))
        own = [body for part in parts for body in getattr(part, "bodies", ())]
        for part in sorted([*parts, *own], key=lambda part: not getattr(part, "makes_bodies", False)):
            part.add_to(self)
        return self

    def seats_on(self, shaft: str) -> tuple[float, ...]:
        """Where parts sit on a shaft [m]."""
        return tuple(sorted(self._asked.get(shaft, ())))

    def claim(self, name: str, what: str) -> None:
        """Take a name for a part; bodies, links, drives and loads share one list of names.

        Raises
        ------
        Fault
            If it is taken.
        """
        if not isinstance(name, str) or not name.strip():
            raise Fault(f"name of a {what}", repr(name), "a word", "give it a name")
        if name in self._owners:
            raise Fault(f"name of a {what}", f'"{name}"', "one that nothing else has", self._remedy(name))
        self._owners[name] = what

    def _remedy(self, name: str) -> str:
        return f"rename it: there is a {self._owners[name]} of that name"

    # ----------------------------------------------------------------- bodies
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
        made = Coordinate.of(body, direction, scales or self.scales)
        self._coordinates.append(
            Coordinate(
                body=body,
                direction=direction,
                displacement_scale=made.displacement_scale if displacement_scale is None else displacement_scale,
                force_scale=made.force_scale if force_scale is None else force_scale,
                unit=made.unit if unit is None else unit,
            )
        )
        return len(self._coordinates) - 1

    def rotor_1d(self, name: str, *, inertia: float, scales: Scales | None = None) -> Place:
        """Add a body with an angle only; inertia [kg m2]."""
        return self.rotor(name, inertia=inertia, scales=scales)

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
        first = len(self._coordinates)
        for direction in (*FREE, *(f"mode {i + 1}" for i in range(modes))):
            self.coordinate(name, direction, scales=own)
        self._turns.append(first + FREE.index("turn x"))
        self._frames[name] = BodyFrame.floating(name, first)
        return self._frames[name]

    def frame(self, name: str, who: str | None = None) -> BodyFrame:
        """The frame of a floating body, of one on a hinge, or of the ground; `who` names it.

        Raises
        ------
        Fault
            If there is none of that name, or its axis is displaced.
        """
        if name in self._frames:
            return self._frames[name]
        if name not in self._places:
            known = [one for one in {**self._frames, **self._places} if self._can_be_joined(one)]
            raise _unknown(f"body of {who}" if who else "body", name, known)
        place = self._places[name]
        if not self._can_be_joined(name):
            what, given = f"body of {who}" if who else "body", f'"{name}", whose axis is displaced a little'
            limit = "one that floats, or stands on a hinge"
            raise Fault(what, given, limit, "make it a floating body on bushings")
        assert place.rotation is not None
        return BodyFrame.hinged(name, place.rotation, place.origin, place.axes[2])

    def started(self, frame: BodyFrame) -> tuple[Array, Array]:
        """Position (3,) and rotation (3, 3) of a frame at the start of a motion."""
        return frame.at(np.array([self.started_at(int(i)) for i in frame.coordinates]))

    def started_at(self, index: int) -> float:
        """Where a coordinate is at the start of a motion, as far as has been said."""
        return self._start_angles.get(index, 0.0)

    def _can_be_joined(self, name: str) -> bool:
        """Whether it floats, stands on a hinge, or is the ground."""
        if name in self._frames:
            return True
        place = self._places[name]
        return place.rotation is not None and len(place.coordinates) == 1 and not place.rows[:TURN].any()

    def place(self, place: Place, name: str | None = None) -> None:
        """Make a place known by its name, or by another besides."""
        self._places[name or place.name] = place

    @property
    def places(self) -> Mapping[str, Place]:
        """All places that have a name."""
        return self._places

    def node(self, name: str, who: str | None = None) -> Place:
        """A place by its name, such as "input@60mm", or a body; `who` names it.

        Raises
        ------
        Fault
            If there is none.
        """
        if name in self._frames and name != GROUND:
            what, limit = f"place of {who}" if who else "place in the system", "one that turns about an axis of its own"
            remedy = "connect a body that floats by joints, bushings and meshes in space"
            raise Fault(what, f'"{name}", a floating body', limit, remedy)
        if name not in self._places:
            raise _unknown("place in the system" if who is None else f"place of {who}", name, self._places)
        return self._places[name]

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
        self._masses.append((np.asarray(at, dtype=np.int64), np.asarray(matrix, dtype=np.float64)))

    # ------------------------------------------------------------------ links
    def linear(
        self,
        name: str,
        *,
        at: ArrayLike,
        rows: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        mass: ArrayLike | None = None,
        kind: str = "springs",
        directions: Sequence[str] = (),
        of_gears: bool = False,
    ) -> None:
        """Add springs, dampers and masses between coordinates.

        Parameters
        ----------
        name : str
        at : shape (n_e,)
            The coordinates, each once.
        rows : shape (m, n_e)
            Deformation by the coordinates; default: the coordinates themselves.
        stiffness, damping : shape (m, m)
            Of the deformation, symmetric and not negative.
        mass : shape (n_e, n_e)
        kind : str
            Heading under which its energy is reported.
        directions : sequence of str
            Of the deformation.
        of_gears : bool
            Whether its losses are those of gears.

        Raises
        ------
        Fault
        """
        self.claim(name, "link")
        indices = np.asarray(at, dtype=np.int64)
        if len(np.unique(indices)) < len(indices):
            raise Fault(f"coordinates of {name}", indices.tolist(), "each once", "do not connect a part with itself")
        B = np.eye(len(indices)) if rows is None else np.asarray(rows, dtype=np.float64)
        m = len(B)
        given = {}
        for what, matrix in (("stiffness", stiffness), ("damping", damping)):
            given[what] = np.zeros((m, m)) if matrix is None else np.array(matrix, dtype=np.float64)
            check_definite(f"{what} of {name}", given[what], m)
        if mass is not None:
            self.inertia(indices, mass)
        self._parts.append(
            LinearPart(
                name=name,
                kind=kind,
                coordinates=indices,
                rows=B,
                directions=tuple(directions),
                of_gears=of_gears,
                **given,
            )
        )

    def between(self, first: Place, second: Place) -> tuple[Indices, Array]:
        """Coordinates (n_e,) and rows (6, n_e) of the motion of the second place against the first, in its axes.

        Raises
        ------
        Fault
            If they are the same place.
        """
        if first is second or (first.name == second.name):
            raise Fault(f"parts that are connected with {first.name}", f'"{second.name}"', "another", "name another")
        at = np.union1d(first.coordinates, second.coordinates)
        rows = np.zeros((6, len(at)))
        rows[:, np.searchsorted(at, second.coordinates)] += second.seen_from(first)
        rows[:, np.searchsorted(at, first.coordinates)] -= first.rows
        return at, rows

    def gyroscopic(self, speed: int, at: ArrayLike, matrix: ArrayLike) -> None:
        """Add the force -v[speed] G v on some coordinates; G (n_e, n_e) skew [kg m2]."""
        indices, G = np.asarray(at, dtype=np.int64), np.asarray(matrix, dtype=np.float64)
        self._gyroscopic.append(GyroscopicTerm(speed=speed, coordinates=indices, matrix=G))

    # ------------------------------------------------- drives, loads, elements
    def lead(self, name: str, index: int, motion: PrescribedRotation) -> None:
        """Give the motion of a coordinate.

        Raises
        ------
        Fault
            If another drive leads it already.
        """
        self.claim(name, "drive")
        for other in self._led:
            if other.index == index:
                what = f"drives of the {self._coordinates[index].in_words}"
                raise Fault(what, f'"{other.name}" and "{name}"', "one at most", "take one of them away")
        self._led.append(LedCoordinate(name=name, index=index, motion=motion))

    def load(self, name: str, profile: Profile, weights: Mapping[int, float]) -> None:
        """Add a force over time: the profile times the weight on each coordinate."""
        self.claim(name, "load")
        self._loads.append((name, profile, dict(weights)))

    def force(self, at: ArrayLike, values: ArrayLike) -> None:
        """Add a constant force on some coordinates: weight."""
        self._forces.append((np.asarray(at, dtype=np.int64), np.asarray(values, dtype=np.float64)))

    def gravity(self, acceleration: ArrayLike) -> None:
        """Let all masses have weight; acceleration (3,) in space [m/s2]."""
        self.fall[:] = np.asarray(acceleration, dtype=np.float64)

    def falls(self, place: Place) -> None:
        """Say how coordinates of their own fall with the whole system; those of :meth:`rotor` do."""
        self._pulled.append((place.coordinates, place.rows[:3].T @ place.axes))

    def falls_along(self, at: Indices, directions: Array) -> None:
        """Say that coordinates (n_e,) fall with the whole system along directions (n_e, 3)."""
        self._pulled.append((at, directions))

    def joint(self, joint: Joint) -> None:
        """Add equations between coordinates that are not linear."""
        self.claim(joint.name, "joint")
        self._joints.append(joint)

    def constrain(self, name: str, weights: Mapping[int, float], profile: Profile | None = None) -> None:
        """Add the constraint that a weighted sum of coordinates is a profile over time, or zero."""
        self.claim(name, "joint")
        self._constraints.append((name, dict(weights), profile))

    def switch(
        self,
        name: str,
        *,
        rate: Mapping[int, float],
        law: FrictionLaw,
        push: Mapping[int, float] | None = None,
        follows: str | None = None,
    ) -> None:
        """Add friction along a relative rate.

        Parameters
        ----------
        name : str
        rate : mapping of int to float
            Weights of the velocities.
        law : FrictionLaw
        push : mapping of int to float, optional
            Weights f of its force -f lambda on the coordinates; default: those of the rate.
        follows : str, optional
            Constraint whose multiplier loads it.
        """
        self.claim(name, "switch")
        self._switches.append((name, dict(rate), dict(rate if push is None else push), law, follows))

    def owns(self, part: str, *links: str) -> None:
        """Say that links belong to a part, under whose name their torques, losses and energy are told."""
        self._parts_of_links.update(dict.fromkeys(links, part))

    def start(self, index: int, *, at: float = 0.0, speed: float = 0.0) -> None:
        """Say where a coordinate is at the start of a motion, and how fast."""
        for given, value in ((self._start_angles, at), (self._start_speeds, speed)):
            if value:  # what is 0 follows from others
                given[index] = value

    def begins_with(self, index: int, weights: Mapping[int, float]) -> None:
        """Say that a coordinate begins with a weighted sum of others, and with that of their speeds."""
        self._beginnings[index] = dict(weights)

    def element(self, element: Element) -> None:
        """Add a nonlinear element."""
        self.claim(element.name, "element")
        self._elements.append(element)

    def controller(self, name: str, controller: Any, reads: Sequence[str], sets: Mapping[str, float]) -> None:
        """Add a controller that reads rotations of places, and sets inputs, which have these values at the start.

        Raises
        ------
        Fault
            For a place that there is not, or an input that another controller sets.
        """
        self.claim(name, "controller")
        for one, value in sets.items():
            if one in self._inputs:
                others = ", ".join(link.name for link in self._controllers if one in link.controller.sets)
                raise Fault(f"controllers that set {one}", f"{others}, {name}", "one", "take one of them away")
            self._inputs[one] = float(value)
        found = {place: self._rotation_read(name, place) for place in reads}
        self._controllers.append(ControllerLink(name=name, controller=controller, reads=found))

    def _rotation_read(self, name: str, place: str) -> int:
        at = self._places[place].rotation if place in self._places else None
        if at is None:
            known = ", ".join(one for one, where in self._places.items() if where.rotation is not None)
            raise Fault(f"place that controller {name} reads", f'"{place}"', "one that turns", f"name one of {known}")
        return at

    # ------------------------------------------------------------------ build
    def build(self, *, moves: bool = True, locked: bool = False) -> SystemModel:
        """Put the system together.

        Parameters
        ----------
        moves : bool
            Whether every coordinate needs inertia or a drive: not for equilibria alone.
        locked : bool
            Whether switches between two places that turn are constraints, and others are left out.

        Raises
        ------
        Fault
            A coordinate without inertia, constraints that say the same twice, names that are not there.
        """
        n = len(self._coordinates)
        mass, constant = np.zeros((n, n)), np.zeros(n)
        for at, matrix in self._masses:
            mass[np.ix_(at, at)] += matrix
        for at, values in self._forces:
            np.add.at(constant, at, values)
        fallen = np.zeros(n)
        for at, along in self._pulled:
            fallen[at] = along @ self.fall
        constant += mass @ fallen
        for shaft in self._asked:
            if shaft not in self._owners:
                raise Fault("shaft that a part sits on", f'"{shaft}"', "one that there is", "correct its name")
        model = SystemModel(
            coordinates=tuple(self._coordinates),
            mass=mass,
            parts=tuple(self._parts),
            gyroscopic=_by_speed(self._gyroscopic),
            led=tuple(sorted(self._led, key=lambda one: one.index)),
            loads=tuple(Load(name=name, profile=p, direction=_vector(w, n)) for name, p, w in self._loads),
            constant_force=constant,
            constraints=self._made_constraints(n, locked=locked),
            switches=() if locked else self._made_switches(n),
            elements=tuple(self._elements),
            joints=tuple(self._joints),
            turns=tuple(self._turns),
            frames=dict(self._frames),
            controllers=tuple(self._controllers),
            inputs=dict(self._inputs),
            places=dict(self._places),
            owners=dict(self._parts_of_links),
            start_angles=dict(self._start_angles),
            start_speeds=dict(self._start_speeds),
            beginnings=dict(self._beginnings),
            locked=self._parts_of_switches(holding=True) if locked else (),
            left_out=self._parts_of_switches(holding=False) if locked else (),
        )
        check_inputs(model)
        check_turns(model)
        check_constraints(model)
        if not locked:
            check_motion(model)
        if moves and not model.switches and not model.constraints:
            check_inertia(model)
        elif moves and not model.joints:
            MixedSystem(model)
        return model

    def _made_constraints(self, n: int, *, locked: bool) -> tuple[LinearConstraint, ...]:
        made = [LinearConstraint(name=name, row=_vector(w, n), profile=p) for name, w, p in self._constraints]
        if locked:
            led = np.array([one.index for one in self._led], dtype=np.int64)
            for name, rate, _, _, follows in self._switches:
                row = _vector(rate, n)
                rows = np.array([*(one.row for one in made), row])
                new = len(made) not in reduction(rows, led, np.ones(n)).unused
                if _holds(rate, follows) and new:
                    made.append(LinearConstraint(name=name, row=row))
        return tuple(made)

    def _parts_of_switches(self, *, holding: bool) -> tuple[str, ...]:
        """Parts whose switches hold, or do not, where all are locked."""
        names = [name for name, rate, _, _, follows in self._switches if _holds(rate, follows) is holding]
        return tuple(dict.fromkeys(self._parts_of_links.get(name, name) for name in names))

    def _made_switches(self, n: int) -> tuple[Switch, ...]:
        numbers = {name: i for i, (name, _, _) in enumerate(self._constraints)}
        made = []
        for name, rate, push, law, follows in self._switches:
            if follows is not None and follows not in numbers:
                raise Fault(f"constraint that {name} follows", f'"{follows}"', "one that there is", "correct its name")
            number = None if follows is None else numbers[follows]
            made.append(Switch(name=name, rate=_vector(rate, n), push=_vector(push, n), law=law, follows=number))
        return tuple(made)


def _unknown(what: str, name: str, known: Iterable[str]) -> Fault:
    """What to say of a name that is not there, with those that are."""
    names = list(known)
    listed = ", ".join(f'"{one}"' for one in names)
    close = difflib.get_close_matches(name, names, n=1)
    remedy = f'the nearest is "{close[0]}", of {listed}' if close else f"name one of {listed}"
    return Fault(what, f'"{name}"', "one that there is", remedy)


def _holds(rate: Mapping[int, float], follows: str | None) -> bool:
    """Whether a switch that is locked holds its places: between two that turn, not the losses of another link."""
    return follows is None and sum(weight != 0.0 for weight in rate.values()) > 1


def _by_speed(terms: Sequence[GyroscopicTerm]) -> tuple[GyroscopicTerm, ...]:
    """Add up what is proportional to the same speed."""
    found = []
    for speed in sorted({term.speed for term in terms}):
        own = [term for term in terms if term.speed == speed]
        at = np.unique(np.concatenate([term.coordinates for term in own]))
        matrix = np.zeros((len(at), len(at)))
        for term in own:
            place = np.searchsorted(at, term.coordinates)
            matrix[np.ix_(place, place)] += term.matrix
        found.append(GyroscopicTerm(speed=speed, coordinates=at, matrix=matrix))
    return tuple(found)


def _vector(weights: Mapping[int, float], n: int) -> Array:
    vector = np.zeros(n)
    for index, weight in weights.items():
        vector[index] = weight
    return vector


def _check_axes(name: str, axes: Array) -> None:
    if axes.shape != (3, 3) or not np.abs(axes @ axes.T - np.eye(3)).max() < 1e-9 or not np.linalg.det(axes) > 0.0:
        raise Fault(f"axes of {name}", axes.tolist(), "three orthonormal rows, right-handed", "use axes_along")
