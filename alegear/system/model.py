"""A mechanical system: what is constant in a :class:`SystemModel`, what changes in a :class:`SystemData`.

.. math::
    M(x) \\dot v = Q - W^T \\lambda, \\qquad
    Q = -B^T (k B x + d B v) - \\sum_b v_b G_b v + f + \\sum_j p_j(t) d_j + Q_\\mathrm{elements}, \\qquad
    W x = 0

:func:`evaluate` is the one place in Python where the forces and their tangent are put together; motion, equilibrium,
modes and the account of energy read it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from alegear.arrays import AnyArray
from alegear.errors import NonConvergence
from alegear.system.body_frame import BodyFrame
from alegear.system.coordinates import Array, Coordinate, Indices, Place
from alegear.system.element import Element, ElementEnergy, ElementForces
from alegear.system.holonomic import Joint, JointRows
from alegear.system.inputs import Inputs
from alegear.system.profiles import PrescribedRotation
from alegear.system.switches import Switch
from alegear.system.time_signal import TimeSignal


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearPart:
    """Springs and dampers between coordinates: forces -(k y + d dy/dt) on y = rows @ x[coordinates].

    Parameters
    ----------
    name, kind : str
        The kind in the plural, as a heading: ``"bearings"``.
    coordinates : shape (n_e,)
    rows : shape (m, n_e)
        Of the deformation y [m, rad]. Where all of a machine turns y is zero, so that nothing is lost in large angles.
    stiffness, damping : shape (m, m)
    of_gears : bool
        Whether it is a part of gears themselves, not of what they stand on: of their losses.
    """

    name: str
    kind: str
    coordinates: Indices
    rows: Array
    stiffness: Array
    damping: Array
    of_gears: bool = False

    def force(self, x: Array, v: Array) -> Array:
        """Force (..., m) with which it acts against the deformation, k y + d dy/dt [N, N m], in states (..., n)."""
        y, rate = x[..., self.coordinates] @ self.rows.T, v[..., self.coordinates] @ self.rows.T
        force: Array = y @ self.stiffness.T + rate @ self.damping.T
        return force

    def energy(self, x: Array) -> float:
        """Stored energy [J]."""
        y = self.rows @ x[self.coordinates]
        return 0.5 * float(y @ self.stiffness @ y)


@dataclass(frozen=True, kw_only=True, eq=False)
class GyroscopicTerm:
    """The force -v[speed] G v on some coordinates: what turns about its axis while it tilts.

    Parameters
    ----------
    speed : int
        The coordinate whose velocity it is proportional to.
    coordinates : shape (n_e,)
    matrix : shape (n_e, n_e) [kg m2]
        Skew, so that it does no work.
    """

    speed: int
    coordinates: Indices
    matrix: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class PrescribedCoordinate:
    """A coordinate whose motion is given; it is no unknown."""

    name: str
    index: int
    motion: PrescribedRotation


@dataclass(frozen=True, kw_only=True, eq=False)
class Load:
    """A force over time in a direction (n,) of the coordinates: ``profile(t) * direction``."""

    name: str
    profile: TimeSignal
    direction: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearConstraint:
    """A row of W x = 0: rigid meshes, fixed ratios.

    Parameters
    ----------
    name : str
    row : shape (n,)
    """

    name: str
    row: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class ControllerLink:
    """A controller in a system.

    Parameters
    ----------
    name : str
    controller : Controller
        :class:`alegear.system.controllers.Controller`.
    reads : mapping of str to int
        Places with the coordinates of their rotations.
    """

    name: str
    controller: Any
    reads: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemForces:
    """Forces and tangents of a system at one (t, x, v).

    Parameters
    ----------
    Q : shape (n,) [N, N m]
    by_x, by_v : shape (n, n)
    elements : tuple of ElementForces
        In the order of the model.
    failure : str or None
        Of the element that could not be evaluated, with its name.
    """

    Q: Array
    by_x: Array
    by_v: Array
    elements: tuple[ElementForces, ...]
    failure: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemModel:
    """All of a system that does not change. Made by :class:`~alegear.system.builder.SystemBuilder`.

    Parameters
    ----------
    coordinates : tuple of Coordinate
        n of them.
    mass : shape (n, n)
        M, without what elements add to it.
    parts : tuple of LinearPart
    gyroscopic : tuple of GyroscopicTerm
    prescribed : tuple of PrescribedCoordinate
    loads : tuple of Load
    constant_force : shape (n,)
        Weight.
    constraints : tuple of LinearConstraint
    switches : tuple of Switch
    elements : tuple of Element
    joints : tuple of Joint
        Equations that are not linear.
    rotation_vectors : tuple of int
        First coordinates of rotation vectors.
    frames : mapping of str to BodyFrame
        Of bodies in space.
    controllers : tuple of ControllerLink
    inputs : mapping of str to float
        What controllers set, with the values at the start.
    places : mapping of str to Place
    owners : mapping of str to str
        Link -> part that it belongs to, where this has several or another name.
    start_angles, start_speeds : mapping of int to float
        Coordinates and velocities at the start of a motion that are not 0.
    initial_relations : mapping of int to mapping of int to float
        Coordinates that begin with a weighted sum of others, which nothing holds them to afterwards: gears between
        elastic meshes begin rolling.
    locked, left_out : tuple of str
        Parts whose switches hold, and those whose friction is left out, where all are locked.
    """

    coordinates: tuple[Coordinate, ...]
    mass: Array
    parts: tuple[LinearPart, ...] = ()
    gyroscopic: tuple[GyroscopicTerm, ...] = ()
    prescribed: tuple[PrescribedCoordinate, ...] = ()
    loads: tuple[Load, ...] = ()
    constant_force: Array
    constraints: tuple[LinearConstraint, ...] = ()
    switches: tuple[Switch, ...] = ()
    elements: tuple[Element, ...] = ()
    joints: tuple[Joint, ...] = ()
    rotation_vectors: tuple[int, ...] = ()
    frames: Mapping[str, BodyFrame] = field(default_factory=dict)
    controllers: tuple[ControllerLink, ...] = ()
    inputs: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    start_angles: Mapping[int, float] = field(default_factory=dict)
    start_speeds: Mapping[int, float] = field(default_factory=dict)
    initial_relations: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    locked: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of coordinates, prescribed ones included."""
        return len(self.coordinates)

    @cached_property
    def grids(self) -> tuple[tuple[Any, ...], ...]:
        """Rows and columns of each element in matrices (n, n): to make them anew takes as long as a small element."""
        return tuple(np.ix_(one.coordinates, one.coordinates) for one in self.elements)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return tuple(c.name for c in self.coordinates)

    def typical_rate(self, mass: Array) -> float:
        """How fast typical forces move the slowest body, of mass (n, n), by its typical displacement [1/s]."""
        moved = np.diag(mass) * self.displacement_scale
        slowest = float((self.force_scale[moved > 0.0] / moved[moved > 0.0]).min(initial=np.inf))
        return math.sqrt(slowest) if math.isfinite(slowest) else 1.0  # without inertia nothing has a rate of its own

    def owner(self, link: str) -> str:
        """The part that a link, a drive or a load belongs to: itself where nothing else is said."""
        return self.owners.get(link, link)

    def start(self) -> tuple[Array, Array]:
        """Coordinates and velocities (n,) at the start of a motion, as the bodies have them."""
        x, v = np.zeros(self.n), np.zeros(self.n)
        for given, values in ((self.start_angles, x), (self.start_speeds, v)):
            for index, value in given.items():
                values[index] = value
        return x, v

    def resting(self) -> Array:
        """Bodies in space where they start, all others at zero, shape (n,)."""
        x, began = np.zeros(self.n), self.start()[0]
        for frame in self.frames.values():
            if frame.floats:
                x[frame.coordinates] = began[frame.coordinates]
        return x

    def index(self, name: str) -> int:
        """Number of a coordinate by its name."""
        return self.names.index(name)

    @cached_property
    def prescribed_indices(self) -> Indices:
        """Coordinates whose motion is given."""
        return np.array([one.index for one in self.prescribed], dtype=np.int64)

    @cached_property
    def free(self) -> Indices:
        """Coordinates that are not prescribed: the unknowns."""
        return np.setdiff1d(np.arange(self.n), self.prescribed_indices)

    @cached_property
    def displacement_scale(self) -> Array:
        """Typical size of each coordinate, shape (n,)."""
        return np.array([c.displacement_scale for c in self.coordinates])

    @cached_property
    def span(self) -> Array:
        """Way of each coordinate over which joints bend, shape (n,)."""
        return np.array([c.span for c in self.coordinates])

    @cached_property
    def force_scale(self) -> Array:
        """Typical size of each force, shape (n,)."""
        return np.array([c.force_scale for c in self.coordinates])

    # ------------------------------------------------------- constant matrices
    @cached_property
    def strain_rows(self) -> Array:
        """B, the deformations of all linear parts by the coordinates, shape (m, n)."""
        B = np.zeros((sum(len(p.rows) for p in self.parts), self.n))
        first = 0
        for part in self.parts:
            B[first : first + len(part.rows), part.coordinates] = part.rows
            first += len(part.rows)
        return B

    @cached_property
    def stress_rows(self) -> Array:
        """k B, shape (m, n)."""
        return np.asarray(block_diag(np.empty((0, 0)), *(p.stiffness for p in self.parts)) @ self.strain_rows)

    @cached_property
    def damping_rows(self) -> Array:
        """d B, shape (m, n)."""
        return np.asarray(block_diag(np.empty((0, 0)), *(p.damping for p in self.parts)) @ self.strain_rows)

    @cached_property
    def outside_gears(self) -> Array:
        """1 for deformations of what gears stand on, 0 for those of gears themselves, shape (m,)."""
        return np.concatenate([np.empty(0), *(np.full(len(p.rows), float(not p.of_gears)) for p in self.parts)])

    @cached_property
    def stiffness(self) -> Array:
        """K = B^T k B, shape (n, n)."""
        K: Array = self.strain_rows.T @ self.stress_rows
        return 0.5 * (K + K.T)

    @cached_property
    def damping(self) -> Array:
        """D = B^T d B, shape (n, n)."""
        D: Array = self.strain_rows.T @ self.damping_rows
        return 0.5 * (D + D.T)

    @cached_property
    def constraint_rows(self) -> Array:
        """W, shape (n_constraints, n)."""
        return np.array([c.row for c in self.constraints]).reshape(-1, self.n)

    @cached_property
    def joint_rows(self) -> JointRows:
        """Equations of the joints."""
        return JointRows(joints=self.joints, n=self.n)

    # ------------------------------------------------------------ over the time
    def outer_force(self, t: float) -> Array:
        """Constant forces and loads, shape (n,)."""
        force = self.constant_force.copy()
        for load in self.loads:
            force += load.profile.value(t) * load.direction
        return force

    def load_values(self, t: Array) -> Array:
        """Values of the loads at times (m,), shape (m, n_loads)."""
        values = [[load.profile.value(float(one)) for load in self.loads] for one in t]
        return np.array(values, dtype=np.float64).reshape(len(t), len(self.loads))

    def prescribed_motion(self, t: float) -> tuple[Array, Array, Array]:
        """Angles, speeds, accelerations of the prescribed coordinates, each of shape (n_prescribed,)."""
        motion = [(one.motion.angle(t), one.motion.speed(t), one.motion.acceleration(t)) for one in self.prescribed]
        angle, speed, acceleration = np.array(motion, dtype=np.float64).reshape(-1, 3).T
        return angle, speed, acceleration

    def prescribed_jumps(self, t: float) -> Array:
        """Jumps of accelerations of prescribed coordinates at t against :meth:`prescribed_motion`, (n_prescribed,)."""
        return np.array([one.motion.speed_ramp.jump(t) for one in self.prescribed], dtype=np.float64)

    def new_data(self) -> SystemData:
        """Make what changes in a run."""
        return SystemData(elements=tuple(e.new_data() for e in self.elements), inputs=Inputs(self.inputs))

    def with_inputs(self, inputs: Inputs) -> SystemModel:
        """The model of a run: inputs are signals with the values that they have in it."""
        if not len(inputs):
            return self
        return replace(
            self,
            loads=tuple(replace(load, profile=inputs.signal(load.profile)) for load in self.loads),
            switches=tuple(replace(one, law=one.law.with_inputs(inputs)) for one in self.switches),
            elements=tuple(one.with_inputs(inputs) for one in self.elements),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemData:
    """What changes while a system is computed: the data of each element, in the order of the model, and inputs."""

    elements: tuple[Any, ...]
    inputs: Inputs = field(default_factory=lambda: Inputs({}))

    def memory(self, model: SystemModel) -> dict[str, AnyArray]:
        """What later steps depend on beside the state, by name of the element and of its own."""
        return {
            f"{element.name}/{key}": values
            for element, data in zip(model.elements, self.elements, strict=True)
            for key, values in element.memory(data).items()
        }

    def recall(self, model: SystemModel, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory of the same system."""
        for element, data in zip(model.elements, self.elements, strict=True):
            own = f"{element.name}/"
            element.recall(data, {key[len(own) :]: of for key, of in memory.items() if key.startswith(own)})


def begin_step(model: SystemModel, data: SystemData, t: float, x: Array, v: Array, h: float) -> None:
    """Let all elements prepare a step of length h that is to end at t near (x, v)."""
    for element, own in zip(model.elements, data.elements, strict=True):
        element.begin_step(t, x[element.coordinates], v[element.coordinates], h, own)


def accept(model: SystemModel, data: SystemData, t: float, x: Array, v: Array, forces: SystemForces) -> None:
    """Commit the memories of all elements at (t, x, v), where they exert `forces`, and look at the joints there.

    Raises
    ------
    OutOfRange
        Where a joint does not describe any more what it joins.
    """
    for joint in model.joints:
        joint.check(t, x[joint.coordinates])
    for element, own, one in zip(model.elements, data.elements, forces.elements, strict=True):
        at = element.coordinates
        element.accept(t, x[at], v[at], one, own)


def energy_of_elements(
    model: SystemModel, data: SystemData, t: float, x: Array, v: Array, forces: SystemForces
) -> ElementEnergy:
    """Sum over all elements at (t, x, v), where they exert `forces`; friction and what is supplied of shape (n,)."""
    stored = damping_power = supplied_power = 0.0
    friction, supplied = np.zeros(model.n), np.zeros(model.n)
    for element, own, of in zip(model.elements, data.elements, forces.elements, strict=True):
        at = element.coordinates
        one = element.energy(t, x[at], v[at], of, own)
        stored += one.stored
        damping_power += one.damping_power
        supplied_power += one.supplied_power
        for whole, by_way in ((friction, one.friction), (supplied, one.supplied)):
            if len(by_way):
                whole[at] += by_way
    return ElementEnergy(
        stored=stored,
        friction=friction,
        damping_power=damping_power,
        supplied=supplied,
        supplied_power=supplied_power,
    )


def forces_known(model: SystemModel, data: SystemData, t: float, x: Array, v: Array) -> SystemForces:
    """Forces of a system where there is no going on without them.

    Raises
    ------
    NonConvergence
    """
    forces = evaluate(model, data, t, x, v)
    if forces.failure is not None:
        raise NonConvergence(f"t = {t:.6g} s", np.inf, 0.0, forces.failure)
    return forces


def mass_matrix(model: SystemModel, data: SystemData, x: Array) -> Array:
    """M(x), shape (n, n): the constant one, unless elements add to it."""
    M = model.mass
    for element, own in zip(model.elements, data.elements, strict=True):
        if element.adds_mass:
            at = element.coordinates
            M = M.copy() if M is model.mass else M
            M[np.ix_(at, at)] += element.mass(x[at], own)
    return M


def mass_tangent(model: SystemModel, data: SystemData, x: Array, a: Array) -> Array:
    """Derivative of M(x) a by x at constant a, shape (n, n): zero but for elements that change the mass."""
    tangent = np.zeros((model.n, model.n))
    for element, own in zip(model.elements, data.elements, strict=True):
        if element.adds_mass:
            at = element.coordinates
            tangent[np.ix_(at, at)] += element.mass_tangent(x[at], a[at], own)
    return tangent


def evaluate(model: SystemModel, data: SystemData, t: float, x: Array, v: Array, *, rates: bool = True) -> SystemForces:
    """Forces and tangents of a system.

    Parameters
    ----------
    model : SystemModel
    data : SystemData
    t : float [s]
    x, v : shape (n,)
    rates : bool
        False: dampers, gyroscopic moments and elements that act ``only_in_motion`` are left out; the other elements see
        v all the same (the direction in which teeth slide in a static study).
    """
    Q = model.outer_force(t) - model.strain_rows.T @ (model.stress_rows @ x)
    by_x, by_v = -model.stiffness, -model.damping
    if rates:
        Q -= model.strain_rows.T @ (model.damping_rows @ v)
        for term in model.gyroscopic:
            at = term.coordinates
            moment = term.matrix @ v[at]
            Q[at] -= v[term.speed] * moment
            by_v[np.ix_(at, at)] -= v[term.speed] * term.matrix
            by_v[at, term.speed] -= moment
    answers, failure = [], None
    for element, own in zip(model.elements, data.elements, strict=True):
        at = element.coordinates
        if not rates and element.only_in_motion:
            answers.append(ElementForces.none(len(at)))
            continue
        forces = element.evaluate(t, x[at], v[at], own)
        answers.append(forces)
        if forces.failure is not None:
            failure = f"{element.name}: {forces.failure}"
            break
        Q[at] += forces.Q
        both = model.grids[len(answers) - 1]
        by_x[both] += forces.by_x
        by_v[both] += forces.by_v
    if failure is None and not np.isfinite(Q).all():
        of = next(
            (e.name for e, own in zip(model.elements, answers, strict=True) if not np.isfinite(own.Q).all()), None
        )
        failure = f"{'the forces' if of is None else f'the force of {of}'} at t = {t:.6g} s are not finite numbers"
    return SystemForces(Q=Q, by_x=by_x, by_v=by_v, elements=tuple(answers), failure=failure)
