"""Puts a system together from parts: what joins bodies, drives and loads them, and checks at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.errors import Fault, unknown_name
from alegear.limits import described
from alegear.system.assembly import SwitchFriction, assembled
from alegear.system.body_builder import GROUND as GROUND
from alegear.system.body_builder import BodyBuilder
from alegear.system.checks import (
    check_constraints,
    check_inertia,
    check_inputs,
    check_motion,
    check_rotation_vectors,
)
from alegear.system.complementarity import ComplementaritySystem
from alegear.system.coordinates import Array, Indices, Place, Scales
from alegear.system.definite import check_definite
from alegear.system.element import Element
from alegear.system.holonomic import Joint
from alegear.system.model import ControllerLink, LinearPart, PrescribedCoordinate, SystemModel
from alegear.system.profiles import PrescribedRotation
from alegear.system.switches import FrictionLaw
from alegear.system.time_signal import TimeSignal


class Part(ABC):
    """Base of whatever adds bodies, links or loads to a system.

    Only :meth:`add_to` has to be defined. What a machine asks of its parts besides is in
    :class:`alegear.system.MachinePart`.

    Attributes
    ----------
    makes_bodies : bool
        Whether others sit on what it adds, so that it is added before them.
    """

    makes_bodies: ClassVar[bool] = False

    @abstractmethod
    def add_to(self, builder: SystemBuilder) -> None:
        """Add itself to a system."""

    @property
    def bodies(self) -> tuple[Part, ...]:
        """Bodies of its own, of one that connects others: a builder adds them before. Default: none."""
        return ()

    @property
    def seats(self) -> tuple[tuple[str, float], ...]:
        """Shafts that it sits on, and the positions along them [m]: each has a node there. Default: none."""
        return ()


class SystemBuilder(BodyBuilder):
    """Collects a system and checks it.

    Parameters
    ----------
    scales : Scales
        What is typical of the machine, unless a body has its own.

    Examples
    --------
    >>> builder = SystemBuilder()
    >>> motor, fan = builder.rotor("motor", inertia=0.1), builder.rotor("fan", inertia=0.3)
    >>> between = [motor.rotation, fan.rotation]
    >>> builder.linear("coupling", at=between, rows=[[1.0, -1.0]], stiffness=[[1e4]])
    >>> builder.build().names
    ('motor', 'fan')
    """

    def __init__(self, scales: Scales | None = None) -> None:
        super().__init__(scales)
        self._seats: dict[str, list[float]] = {}

    # ------------------------------------------------------------------ parts
    def add(self, *parts: Part) -> SystemBuilder:
        """Add parts: those that make bodies first, after all have said where they sit on them.

        Raises
        ------
        Fault
            Also for what is not derived from :class:`Part`.
        """
        for part in parts:
            _check_derived(part, Part, "part of a system", "class MyPart(Part), with add_to(self, builder)")
            for shaft, position in part.seats:
                self.seat(shaft, position)
        own = [body for part in parts for body in part.bodies]
        for part in sorted([*parts, *own], key=lambda part: not part.makes_bodies):
            part.add_to(self)
        return self

    def seat(self, shaft: str, position: float) -> None:
        """Say before shafts are added that something acts at a position of one [m]: it has a place of that name."""
        self._seats.setdefault(shaft, []).append(float(position))

    def seats_on(self, shaft: str) -> tuple[float, ...]:
        """Where parts sit on a shaft [m]."""
        return tuple(sorted(self._seats.get(shaft, ())))

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
        self._added.parts.append(
            LinearPart(
                name=name,
                kind=kind,
                coordinates=indices,
                rows=B,
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
        rows[:, np.searchsorted(at, second.coordinates)] += second.rows_along(first.axes)
        rows[:, np.searchsorted(at, first.coordinates)] -= first.rows
        return at, rows

    # ------------------------------------------------- drives, loads, elements
    def prescribe(self, name: str, index: int, motion: PrescribedRotation) -> None:
        """Give the motion of a coordinate.

        Raises
        ------
        Fault
            If another drive leads it already.
        """
        self.claim(name, "drive")
        for other in self._added.prescribed:
            if other.index == index:
                what = f"drives of the {self._added.coordinates[index].in_words}"
                raise Fault(what, f'"{other.name}" and "{name}"', "at most one", "remove one")
        self._added.prescribed.append(PrescribedCoordinate(name=name, index=index, motion=motion))

    def load(self, name: str, profile: TimeSignal, weights: Mapping[int, float]) -> None:
        """Add a force over time: the profile times the weight on each coordinate.

        Raises
        ------
        Fault
            Also for a profile that is not derived from :class:`~alegear.system.time_signal.TimeSignal`.
        """
        _check_derived(profile, TimeSignal, f"profile of load {name}", "PiecewiseCubic.constant(value), for a constant")
        self.claim(name, "load")
        self._added.loads.append((name, profile, dict(weights)))

    def force(self, at: ArrayLike, values: ArrayLike) -> None:
        """Add a constant force on some coordinates: weight."""
        self._added.forces.append((np.asarray(at, dtype=np.int64), np.asarray(values, dtype=np.float64)))

    def joint(self, joint: Joint) -> None:
        """Add equations between coordinates that are not linear."""
        self.claim(joint.name, "joint")
        self._added.joints.append(joint)

    def constrain(self, name: str, weights: Mapping[int, float]) -> None:
        """Add the constraint that a weighted sum of coordinates is zero."""
        self.claim(name, "joint")
        self._added.constraints.append((name, dict(weights)))

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
        push = rate if push is None else push
        self._added.switches.append(
            SwitchFriction(name=name, rate=dict(rate), push=dict(push), law=law, follows=follows)
        )

    def owns(self, part: str, *links: str) -> None:
        """Say that links belong to a part, under whose name their torques, losses and energy are told."""
        self._added.owners.update(dict.fromkeys(links, part))

    def element(self, element: Element) -> None:
        """Add a nonlinear element.

        Raises
        ------
        Fault
            Also for what is not derived from :class:`~alegear.system.element.Element`.
        """
        remedy = "class MyElement(StatelessElement), or of Element where it has a memory"
        _check_derived(element, Element, "element of a system", remedy)
        self.claim(element.name, "element")
        self._added.elements.append(element)

    def controller(self, name: str, controller: Any, reads: Sequence[str], sets: Mapping[str, float]) -> None:
        """Add a controller that reads rotations of places, and sets inputs, which have these values at the start.

        Raises
        ------
        Fault
            For an unknown place, or an input that another controller sets.
        """
        self.claim(name, "controller")
        for one, value in sets.items():
            if one in self._added.inputs:
                others = ", ".join(link.name for link in self._added.controllers if one in link.controller.sets)
                raise Fault(f"controllers that set {one}", f"{others}, {name}", "one", "remove one")
            self._added.inputs[one] = float(value)
        found = {place: self._rotation_read(name, place) for place in reads}
        self._added.controllers.append(ControllerLink(name=name, controller=controller, reads=found))

    def _rotation_read(self, name: str, place: str) -> int:
        at = self._added.places[place].rotation if place in self._added.places else None
        if at is None:
            known = ", ".join(one for one, where in self._added.places.items() if where.rotation is not None)
            raise Fault(f"body that controller {name} reads", f'"{place}"', "one that turns", f"name one of {known}")
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
        for shaft in self._seats:
            if shaft not in self._names:
                raise unknown_name("shaft that a part sits on", shaft, self._names)
        model = assembled(self._added, self.fall, locked=locked)
        check_inputs(model)
        check_rotation_vectors(model)
        check_constraints(model)
        if not locked:
            check_motion(model)
        if moves and not model.switches and not model.constraints:
            check_inertia(model)
        elif moves and not model.joints:
            ComplementaritySystem(model)
        return model


def _check_derived(value: object, base: type, what: str, remedy: str) -> None:
    """Refuse what has not the members of a base, as they are declared there with their defaults."""
    if not isinstance(value, base):
        limit = f"of a class that is derived from {base.__module__}.{base.__name__}"
        raise Fault(what, described(value), limit, f"write {remedy}")
