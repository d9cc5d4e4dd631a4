"""A frame rotating with a carrier: elements formulated in fixed axes act between places seen from it.

A place on a body has the displacement u of its origin, tilts phi and a rotation, along and about axes that stand. Seen
from a frame that has turned by theta about their e3, p the place of the origin in the plane,

    u' = R(-theta) u + [R(-theta) - 1] p,    tilt' = R(-theta) tilt,    z' = z,    rotation' = rotation - theta      (1)

exactly, for a displacement u of any size: the centre of a planet goes round, and u' is what its pin gives way. With
y = (u', tilt', z', rotation') of all places, J = dy/dx and the forces Q' of a system on y, by virtual work,

    Q = J^T Q',     dQ/dx = J^T (K' J + C' dJ v) + sum_k Q'_k d2y_k,     dQ/dv = J^T C' J                            (2)

with K' = dQ'/dy, C' = dQ'/dy', dJ v = d(J v)/dx. The force on theta, the torque on the carrier, is one of Q.

In the plane w = u_x + i u_y, c = exp(-i theta) and the row t of theta, theta = t . x, make of (1), (2)

    w' = c w + (c - 1) p,    dw' = c [W - i (w + p) t],    d2w' = c [-i (W t + t W) - (w + p) t t]                   (3)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from alegear.arrays import AnyArray, ComplexArray
from alegear.errors import Fault
from alegear.kernels.elements import element_terms
from alegear.kernels.structs import room
from alegear.system import frame_kernels as kernels
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import ANGLES, DIRECTIONS, TILT_X, TILT_Y, TURN, Array, Indices, Place, Scales, X, Y, Z
from alegear.system.element import Element, ElementEnergy, ElementForces
from alegear.system.element_kernels import N_ENERGY, collected
from alegear.system.model import SystemData, SystemForces, SystemModel, accept, begin_step, energy_of_elements, evaluate
from alegear.system.time_signal import TimeSignal

#: Directions that the frame turns into each other, and those that it does not.
PLANES, STRAIGHT = ((X, Y), (TILT_X, TILT_Y)), (Z, TURN)
#: How many eps of the distance from the axis are lost, also of a planet without load that hardly anything holds.
RESOLVED = 256.0
#: Axes are parallel whose directions differ by less [rad].
PARALLEL = 1e-6


class RotatingFrame:
    """Collects what acts between places as a carrier sees them, and makes one element of it.

    Parameters
    ----------
    name : str
        Of the element.
    carrier : Place
        What the frame turns with, about the axis through its origin; of the ground, a frame that stands.
    scales : Scales or None

    Attributes
    ----------
    builder : SystemBuilder
        Links and elements between places that are seen are added to it, as to any other.

    Examples
    --------
    A planet on its pin, 50 mm from the axis of a carrier that only turns:

    >>> from alegear.system import BearingLink, SystemBuilder
    >>> builder = SystemBuilder()
    >>> carrier = builder.rotor("carrier", inertia=0.1)
    >>> planet = builder.rotor("planet", inertia=1e-3, mass=1.0, tilt_inertia=5e-4, origin=(0.05, 0.0, 0.0))
    >>> frame = RotatingFrame("set", carrier)
    >>> frame.builder.place(frame.see(carrier).at((0.05, 0.0, 0.0), "pin"))
    >>> planet = frame.see(planet, carried=True)
    >>> BearingLink(name="bearing", place="planet", to="pin", stiffness=(1e8, 1e8, 1e8)).add_to(frame.builder)
    >>> builder.element(frame.element())
    """

    def __init__(self, name: str, carrier: Place, scales: Scales | None = None) -> None:
        self.name, self.carrier, self.builder = name, carrier, SystemBuilder(scales)
        self._seen: list[_Seen] = []

    def see(self, place: Place, *, carried: bool = False) -> Place:
        """Make a place known to the builder as the frame sees it, with coordinates where it can move, and return it.

        Parameters
        ----------
        place : Place
            Of a system; its axis is parallel to that of the carrier.
        carried : bool
            Whether the carrier takes it along: at the start of a motion it is where it belongs in the frame.

        Raises
        ------
        Fault
            If its axis is not parallel to the carrier's.
        """
        axes, name = self.carrier.axes, place.name
        if np.linalg.norm(np.cross(place.axes[2], axes[2])) > PARALLEL:
            value = f"{place.axes[2].tolist()} and {axes[2].tolist()}"
            raise Fault(f"axes of {name} and {self.carrier.name}", value, "parallel", "turn one of them")
        at = np.union1d(place.coordinates, self.carrier.coordinates)
        rows, turn = np.zeros((6, len(at))), np.zeros(len(at))
        rows[:, np.searchsorted(at, place.coordinates)] = place.rows_along(self.carrier.axes)
        turn[np.searchsorted(at, self.carrier.coordinates)] = self.carrier.rows[TURN]
        centre = axes[:2] @ (place.origin - self.carrier.origin)
        against = rows.copy()
        against[TURN] -= turn
        moving = [pair for pair in PLANES if rows[list(pair)].any() or (pair == (X, Y) and centre.any())]
        used = [*(d for pair in moving for d in pair), *(d for d in STRAIGHT if against[d].any())]
        inside = {d: self.builder.coordinate(name, DIRECTIONS[d]) for d in sorted(used)}
        seen = np.zeros((6, len(inside)))
        for column, direction in enumerate(inside):
            seen[direction, column] = 1.0
        made = Place(
            name=name,
            coordinates=np.array(list(inside.values()), dtype=np.int64),
            rows=seen,
            rotation=inside.get(TURN),
            origin=place.origin,
            axes=axes,
        )
        self.builder.claim(name, "body")
        self.builder.place(made)
        self._seen.append(
            _Seen(coordinates=at, rows=rows, against=against, inside=inside, centre=centre, carried=carried)
        )
        return made

    def element(self) -> RotatingSubsystem:
        """Make an element of the system of all that was added to the builder.

        Raises
        ------
        Fault
            For what is no spring, damper or element: masses, joints, friction, loads inside the frame.
        """
        model = self.builder.build(moves=False)
        refused = {
            "joints": [one.name for one in model.constraints],
            "friction": [one.name for one in model.switches],
            "loads": [one.name for one in model.loads] + (["constant"] if model.constant_force.any() else []),
            "drives": [one.name for one in model.prescribed],
            "masses": [e.name for e in model.elements if e.adds_mass] + (["bodies"] if model.mass.any() else []),
        }
        for what, names in refused.items():
            if names:
                limit = "none: springs, dampers and normal forces act in a frame that turns"
                remedy = "add bodies, drives and loads outside it; leave out friction, take elastic teeth for rigid"
                raise Fault(f"{what} inside the frame of {self.name}", ", ".join(names), limit, remedy)
        at = np.unique(np.concatenate([self.carrier.coordinates, *(one.coordinates for one in self._seen)]))
        turn = np.zeros(len(at))
        turn[np.searchsorted(at, self.carrier.coordinates)] = self.carrier.rows[TURN]
        return RotatingSubsystem(name=self.name, coordinates=at, model=model, view=_view(at, turn, self._seen, model.n))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Seen:
    """A place: rows (6, m) of its motion, and against the frame; its coordinates inside by direction."""

    coordinates: Indices
    rows: Array
    against: Array
    inside: Mapping[int, int]
    centre: Array
    carried: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class RotatingFrameMap:
    """The motion y (m,) that a frame sees, by the coordinates x (n_e,) of what it looks at: (1) to (3).

    Parameters
    ----------
    turn : shape (n_e,)
        Row of theta.
    planes : shape (k, n_e), complex
        Rows W of what turns with the frame.
    centres : shape (k,), complex [m]
        p of displacements, 0 of tilts.
    planes_at : shape (k, 2)
        Their places in y.
    straight : shape (l, n_e), straight_at : shape (l,)
        Rows of what it does not turn, and their places.
    carried : shape (c,)
        Of the planes those of places that the carrier takes along.
    """

    turn: Array
    planes: ComplexArray
    centres: ComplexArray
    planes_at: Indices
    straight: Array
    straight_at: Indices
    carried: Indices

    def position(self, x: Array) -> Array:
        """What is seen, y (..., m), of x (..., n_e)."""
        theta = (x @ self.turn)[..., None]
        back = -2.0 * np.sin(0.5 * theta) ** 2 - 1j * np.sin(theta)  # c - 1 without loss of digits
        return self._seen((1.0 + back) * (x @ self.planes.T) + back * self.centres, x)

    def rate(self, x: Array, v: Array) -> Array:
        """dy/dt = J v, (..., m), of x, v (..., n_e)."""
        theta, omega = ((one @ self.turn)[..., None] for one in (x, v))
        turned = v @ self.planes.T - 1j * omega * (x @ self.planes.T + self.centres)
        return self._seen((np.cos(theta) - 1j * np.sin(theta)) * turned, v)

    def _seen(self, planes: ComplexArray, straight: Array) -> Array:
        """Values (..., m) where y has them: of the planes (..., k), and of what is not turned of `straight`."""
        y = np.empty((*straight.shape[:-1], 2 * len(self.planes) + len(self.straight)))
        y[..., self.planes_at[:, 0]], y[..., self.planes_at[:, 1]] = planes.real, planes.imag
        y[..., self.straight_at] = straight @ self.straight.T
        return y

    def jacobian_at(self, y: Array) -> Array:
        """J (m, n_e) where y (m,) is seen and the carrier stands where it was built, whatever it has turned by."""
        w = y[self.planes_at[:, 0]] + 1j * y[self.planes_at[:, 1]] + self.centres
        return self._rows(self.planes - 1j * np.outer(w, self.turn), self.straight)

    def jacobian(self, x: Array) -> Array:
        """J (m, n_e)."""
        c, w = self._turned(x)
        return self._rows(c * (self.planes - 1j * np.outer(w, self.turn)), self.straight)

    def rate_tangent(self, x: Array, v: Array) -> Array:
        """Derivative (m, n_e) of J v by x."""
        (c, w), omega = self._turned(x), float(self.turn @ v)
        by_turn = -1j * (self.planes @ v) - w * omega
        return self._rows(c * (-1j * omega * self.planes + np.outer(by_turn, self.turn)), np.zeros_like(self.straight))

    def force_tangent(self, x: Array, force: Array) -> Array:
        """Sum of forces (m,) times the second derivatives of what is seen, (n_e, n_e)."""
        c, w = self._turned(x)
        conjugate = c * (force[self.planes_at[:, 0]] - 1j * force[self.planes_at[:, 1]])
        row = np.imag(conjugate @ self.planes)
        both = np.outer(row, self.turn)
        tangent: Array = both + both.T - float(np.real(conjugate @ w)) * np.outer(self.turn, self.turn)
        return tangent

    def on_carrier(self, x: Array, v: Array) -> tuple[Array, Array]:
        """The same coordinates and velocities with carried places where they belong in the frame."""
        x, theta = x.copy(), float(self.turn @ x)
        ahead = complex(-2.0 * np.sin(0.5 * theta) ** 2, np.sin(theta))  # 1/c - 1
        for k in self.carried:
            self._set(x, k, ahead * self.centres[k])
        return x, self.transport_velocity(x, v)

    def transport_velocity(self, x: Array, v: Array) -> Array:
        """The same velocities with those of carried places such that they stand in the frame, dw = i omega (w + p)."""
        v, omega = v.copy(), float(self.turn @ v)
        for k in self.carried:
            self._set(v, k, 1j * omega * (self.planes[k] @ x + self.centres[k]))
        return v

    def _set(self, values: Array, plane: int, wanted: complex) -> None:
        values[np.flatnonzero(self.planes[plane].real)[0]] = wanted.real
        values[np.flatnonzero(self.planes[plane].imag)[0]] = wanted.imag

    def _turned(self, x: Array) -> tuple[complex, ComplexArray]:
        """c, and w + p (k,)."""
        theta = float(self.turn @ x)
        return complex(np.cos(theta), -np.sin(theta)), self.planes @ x + self.centres

    def _rows(self, planes: ComplexArray, straight: Array) -> Array:
        rows = np.empty((2 * len(planes) + len(straight), len(self.turn)))
        rows[self.planes_at[:, 0]], rows[self.planes_at[:, 1]] = planes.real, planes.imag
        rows[self.straight_at] = straight
        return rows


def _view(at: Indices, turn: Array, seen: list[_Seen], n: int) -> RotatingFrameMap:
    planes: list[ComplexArray] = []
    centres: list[complex] = []
    planes_at: list[list[int]] = []
    straight: list[Array] = []
    straight_at, carried = [], []
    for one in seen:
        wide = np.zeros((6, len(at)))
        wide[:, np.searchsorted(at, one.coordinates)] = one.rows
        for pair in PLANES:
            if pair[0] in one.inside:
                if one.carried and pair == (X, Y):
                    carried.append(len(planes))
                planes.append(wide[pair[0]] + 1j * wide[pair[1]])
                centres.append(complex(*one.centre) if pair == (X, Y) else 0.0)
                planes_at.append([one.inside[direction] for direction in pair])
        wide[:, np.searchsorted(at, one.coordinates)] = one.against
        for direction in STRAIGHT:
            if direction in one.inside:
                straight.append(wide[direction])
                straight_at.append(one.inside[direction])
    return RotatingFrameMap(
        turn=turn,
        planes=np.array(planes, dtype=np.complex128).reshape(-1, len(at)),
        centres=np.array(centres, dtype=np.complex128),
        planes_at=np.array(planes_at, dtype=np.int64).reshape(-1, 2),
        straight=np.array(straight).reshape(-1, len(at)),
        straight_at=np.array(straight_at, dtype=np.int64),
        carried=np.array(carried, dtype=np.int64),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class RotatingSubsystem(Element):
    """A system of springs, dampers and elements as a frame that turns sees it: an element of the system outside.

    Its data are those of the system inside, and so are memory and energy.

    Attributes
    ----------
    name : str
    coordinates : shape (n_e,)
        Outside.
    model : SystemModel
        Inside, on the motion y that is seen.
    view : RotatingFrameMap
    """

    rotates_with_carrier = True

    name: str
    coordinates: Indices
    model: SystemModel
    view: RotatingFrameMap

    def seen(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates and velocities inside, both (..., m), by those outside (..., n_e)."""
        return self.view.position(x), self.view.rate(x, v)

    def on_carrier(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Coordinates and velocities (n_e,) at the start of a motion: what is carried is where it belongs."""
        return self.view.on_carrier(x, v)

    def transport_velocity(self, x: Array, v: Array) -> Array:
        """Velocities (n_e,) with which what is carried stands in the frame, where it is displaced to."""
        return self.view.transport_velocity(x, v)

    def part_forces(self, x: Array, v: Array) -> dict[str, Array]:
        """Forces (..., m) of the linear parts inside against their deformation, along axes that turn, by name."""
        y, rate = self.seen(x, v)
        return {part.name: part.force(y, rate) for part in self.model.parts}

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions, if all that is inside is known there."""
        inside = [one.kernel_terms(self.model.n) or {} for one in self.model.elements]
        if self.model.gyroscopic or not all("element" in of for of in inside):
            return None
        elements, view, model = [of["element"] for of in inside], self.view, self.model
        m, k = model.n, len(self.coordinates)
        frame = room(kernels.SubsystemTables, (m, k), by_y=(m, m), by_rate=(m, m), y=m, rate=m, force=m)._replace(
            turn=_own(view.turn),
            real=_own(view.planes.real),
            imaginary=_own(view.planes.imag),
            centre=_own(np.column_stack([view.centres.real, view.centres.imag])),
            plane_at=np.array(view.planes_at, dtype=np.int64, order="C"),
            straight=_own(view.straight),
            straight_at=np.array(view.straight_at, dtype=np.int64),
            stiffness=_own(model.stiffness),
            damping=_own(model.damping),
            elements=collected(elements),
            energies=np.zeros(N_ENERGY),
        )
        at, alive = self.coordinates, (elements,)
        return element_terms(kernels.frame_element, frame, kernels.FRAME, coordinates=at, rows=np.eye(k), alive=alive)

    # ---------------------------------------------------------------- element
    def new_data(self) -> SystemData:
        """Of the system inside."""
        return self.model.new_data()

    def begin_step(self, t: float, x: Array, v: Array, h: float, data: SystemData) -> None:
        """Prepare a step of all elements inside."""
        begin_step(self.model, data, t, *self.seen(x, v), h)

    def evaluate(self, t: float, x: Array, v: Array, data: SystemData) -> ElementForces:
        """Forces by virtual work, with their tangents (2); the answer is what acts inside."""
        J = self.view.jacobian(x)
        inside = evaluate(self.model, data, t, self.view.position(x), J @ v)
        if inside.failure is not None:
            return ElementForces.failed(len(x), inside.failure)
        by_y = inside.by_x @ J + inside.by_v @ self.view.rate_tangent(x, v)
        return ElementForces(
            Q=J.T @ inside.Q,
            by_x=J.T @ by_y + self.view.force_tangent(x, inside.Q),
            by_v=J.T @ inside.by_v @ J,
            response=inside,
        )

    def accept(self, t: float, x: Array, v: Array, forces: ElementForces, data: SystemData) -> None:
        """Commit the memories of all elements inside."""
        accept(self.model, data, t, *self.seen(x, v), _inside(forces))

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: SystemData) -> ElementEnergy:
        """Sum of all parts and elements inside; losses by the way are forces outside."""
        inside, J = _inside(forces), self.view.jacobian(x)
        y, rate = self.view.position(x), J @ v
        stored, lost = sum(part.energy(y) for part in self.model.parts), float(rate @ self.model.damping @ rate)
        of_elements = energy_of_elements(self.model, data, t, y, rate, inside)
        return ElementEnergy(
            stored=stored + of_elements.stored,
            friction=J.T @ of_elements.friction,
            damping_power=lost + of_elements.damping_power,
            supplied=J.T @ of_elements.supplied,
            supplied_power=of_elements.supplied_power,
        )

    def corners(self, x: Array, v: Array) -> Array:
        """Those of all elements inside."""
        y, rate = self.seen(x, v)
        inside = self.model.elements
        return np.concatenate([np.empty(0), *(e.corners(y[e.coordinates], rate[e.coordinates]) for e in inside)])

    def memory(self, data: SystemData) -> dict[str, AnyArray]:
        """Of all elements inside."""
        return data.memory(self.model)

    def recall(self, data: SystemData, memory: Mapping[str, AnyArray]) -> None:
        """Take up the memories of all elements inside."""
        data.recall(self.model, dict(memory))

    @cached_property
    def resolution(self) -> Array:
        """Changes of the coordinates (n_e,) that are lost in what it sees: eps of the distance from the axis."""
        radius = float(np.abs(self.view.centres).max(initial=0.0))
        turns = [one.direction in ANGLES for one in self.model.coordinates]
        seen = np.abs(self.view.jacobian(np.zeros(len(self.coordinates))))
        moved = (np.where(turns, radius, 1.0)[:, None] * seen).max(axis=0)
        known: Array = RESOLVED * np.finfo(float).eps * radius / np.where(moved > 0.0, moved, np.inf)
        return known

    @cached_property
    def signals(self) -> tuple[TimeSignal, ...]:
        """Signals that elements inside take."""
        return tuple(signal for one in self.model.elements for signal in one.signals)


def _own(values: Array) -> Array:
    """A writable array in C order."""
    return np.array(values, dtype=np.float64, order="C")


def _inside(forces: ElementForces) -> SystemForces:
    assert isinstance(forces.response, SystemForces)
    return forces.response
