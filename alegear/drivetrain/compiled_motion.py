"""Motion of a system in compiled code, block by block, where all that is in it is known there.

Linear parts, prescribed coordinates and loads always are. A nonlinear element says what it is to compiled code by a
method ``kernel_terms(n) -> dict`` with the number of coordinates of the system: ``square`` (a coordinate, and a force
(n,) by the square of its velocity), ``unbalance`` (a rotation, moment, phase, rows (n,) of the displacements in x and
y), ``displaced_modes`` (:class:`~alegear.drivetrain.displaced_modes.DisplacedModes`), ``mesh`` (a flexible mesh in line
contact), or ``element``, a :class:`~alegear.kernels.elements.CompiledElement` of any kind without a memory: of these
alone samples have what each of them exerts. A system with other elements, or with constraints, is integrated step by
step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from alegear.arrays import AnyArray, Indices
from alegear.contact.forces import Arrays
from alegear.contact.hertz.compliance import most_points
from alegear.contact.hertz.model import buffers, empty_memory, empty_motion, empty_record, empty_response, warm_start
from alegear.contact.hertz.model_kernels import Record
from alegear.contact.hertz.solution import LoadedPoints
from alegear.contact.numbering import SPIN
from alegear.drivetrain import mesh_kernels, system_kernels
from alegear.drivetrain import motion_kernels as kernels
from alegear.drivetrain.displaced_modes import rotating_modes
from alegear.drivetrain.flexible import FlexibleMesh
from alegear.kernels.elements import CompiledElement
from alegear.kernels.sparse_rows_kernels import sparse_rows
from alegear.system.coordinates import Array
from alegear.system.element_kernels import Elements, collected
from alegear.system.energy import SystemEnergy
from alegear.system.model import SystemModel
from alegear.system.motion import SystemMotion
from alegear.system.profiles import PiecewiseCubic
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha
from alegear.system.time_integration.second_order_system import ForceEvaluation, State
from alegear.system.time_integration.step_constants import constants_of, empty_attempt, state_arrays
from alegear.system.time_integration.step_control import AdaptiveStep, FixedStep, StepCount, step_memory
from alegear.system.time_integration.vector_step_kernels import H, T

SAMPLES = 64  # of a block; the stress of so many is computed together
ENERGY_NAMES = ("input", "dissipated", "kinetic", "stored", "outside")


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshSamples:
    """What a mesh has of each sample.

    Attributes
    ----------
    pair_torque : shape (m, n_pairs, 2) [N m]
    by_coordinate : shape (m, n_mesh, n_mesh)
        Derivatives of the forces of the mesh by its coordinates.
    loaded : LoadedPoints
    """

    pair_torque: Array
    by_coordinate: Array
    loaded: LoadedPoints

    @property
    def first_pair(self) -> Indices:
        """Tooth pair in slot 0, shape (m,)."""
        return self.loaded.first_pair

    @cached_property
    def face_force(self) -> tuple[Array, Array]:
        """Forces on the faces of both gears, shape (m, slots*nf) each [N]."""
        return self.loaded.nodal_forces()


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionSteps:
    """All accepted steps, those to the samples among them.

    Attributes
    ----------
    time : shape (k,) [s]
    x : shape (k, n)
    pair_torque : shape (k, n_meshes, 2) [N m]
        Least and largest torque of a tooth pair on the first gear of each flexible mesh.
    """

    time: Array
    x: Array
    pair_torque: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionSamples:
    """Samples of a motion, one row each.

    Attributes
    ----------
    time : shape (m,) [s]
    flags : shape (m,)
    energies : mapping of str to shape (m,) [J]
        As named in :class:`~alegear.system.energy.SystemEnergy`.
    x, v, a : shape (m, n)
    Q : shape (m, n) [N, N m]
        Forces of all that acts.
    element_forces : tuple of shape (m, n_e)
        Of each element of the model on its coordinates; NaN of those that are not called by their address.
    meshes : tuple of MeshSamples
    steps : MotionSteps
        From the samples before to these, and on.
    """

    time: Array
    flags: Indices
    energies: Mapping[str, Array]
    x: Array
    v: Array
    a: Array
    Q: Array
    element_forces: tuple[Array, ...]
    meshes: tuple[MeshSamples, ...]
    steps: MotionSteps

    def __len__(self) -> int:
        return len(self.time)


def is_compiled(model: SystemModel) -> bool:
    """Whether compiled code knows all that is in a system, and there is an element that is worth it."""
    profiles = [one.motion.speed_ramp for one in model.prescribed] + [load.profile for load in model.loads]
    terms = [element.kernel_terms(model.n) for element in model.elements]
    known = all(of is not None for of in terms) and any(of and ("mesh" in of or "element" in of) for of in terms)
    return (
        known and not model.constraints and not model.switches and all(isinstance(p, PiecewiseCubic) for p in profiles)
    )


class CompiledMotion:
    """Motion of a system from a state that it was started with, in compiled code.

    Parameters
    ----------
    system : SystemMotion
        Of a model that :func:`is_compiled`.
    state : State
        From :func:`alegear.system.time_integration.second_order_system.start`.
    scheme : GeneralizedAlpha
    control : FixedStep or AdaptiveStep
    energy : SystemEnergy
        So far, carried on to the state.
    """

    def __init__(
        self,
        system: SystemMotion,
        state: State,
        *,
        scheme: GeneralizedAlpha,
        control: FixedStep | AdaptiveStep,
        energy: SystemEnergy,
    ) -> None:
        self._system, self._model, self._control = system, system.model, control
        n = self._model.n
        terms = [(e, e.kernel_terms(n) or {}) for e in self._model.elements]
        self._meshes = [mesh for _, of in terms if (mesh := of.get("mesh")) is not None]
        self._by_address: list[CompiledElement | None] = [of.get("element") for _, of in terms]
        called = [one for one in self._by_address if one is not None]
        self._kernel_meshes = tuple(_kernel_mesh(mesh, self._model) for mesh in self._meshes)
        scale = system.displacement_scale
        tolerated = control.tolerance * scale
        self._models = tuple(mesh.contact.model for mesh in self._meshes)  # type: ignore[attr-defined]
        self._memories = tuple(empty_memory(model) for model in self._models)
        self._rooms = tuple(
            buffers(model, displaced=mesh.displaced) for mesh, model in zip(self._meshes, self._models, strict=True)
        )
        kernel_system = _kernel_system(self._model, [of for _, of in terms], collected(called))
        self._tolerated = np.ascontiguousarray(tolerated, dtype=np.float64)
        self._before: tuple[Any, ...] = (kernel_system,)
        self._after: tuple[Any, ...] = ()
        if self._meshes:
            conservative = tuple(mesh.lossless.model for mesh in self._meshes)  # type: ignore[attr-defined]
            self._before, self._after = (
                (kernel_system, self._models, conservative),
                (self._kernel_meshes, self._memories, self._rooms),
            )
        self._before = (*self._before, constants_of(scheme))
        self._start_energy = energy.start
        self._motion = kernels.IntegrationState(
            state=state_arrays(state),
            attempt=empty_attempt(scale, system.force_scale),
            control=step_memory(system, state, control),
            vectors=np.zeros((system_kernels.N_VECTORS + 2, n)),
            matrix=np.zeros((n, n)),
            energies=np.zeros(system_kernels.N_ENERGIES),
            counts=np.array([0.0, 0.0, 0.0, 0.0, math.inf, 0.0]),
            stop=np.zeros(1, dtype=np.int64),
            wanted=np.zeros(mesh_kernels.N_WANTED, dtype=np.int64),
            powers=np.zeros(3),
        )
        self._take_energy(energy)
        n_values = kernels.N_HEAD + 4 * n + len(kernel_system.elements.force)
        self._block = kernels.Block(
            number=np.zeros(1, dtype=np.int64),
            values=np.empty((SAMPLES, n_values)),
            n_steps=np.zeros(1, dtype=np.int64),
            steps=np.empty((kernels.PATIENCE, 1 + n + 2 * len(self._meshes))),
        )
        self.failed = False

    def run(
        self,
        stops: Iterable[tuple[Array, Indices]],
        control_to: Callable[[float], FixedStep | AdaptiveStep] | None = None,
    ) -> Iterator[MotionSamples]:
        """Integrate; yields the samples of each block, which may be none.

        It ends at the last stop, or where a step fails: then ``failed`` is set, and :meth:`state` is the one before.

        Parameters
        ----------
        stops : iterable of (times, flags), shape (n,) each
            Rising times to be met to the last digit [s], stretch by stretch, with what is to be done there: 0 nothing,
            else a sample that comes back with this number as its flag.
        control_to : callable, optional
            Step control of the stretch that ends at a time [s]; default: the same all the way.
        """
        block = self._block
        for times, flags in stops:
            control = self._control if control_to is None else control_to(float(times[-1]))
            if isinstance(control, AdaptiveStep):  # chosen for a stretch in which steps may have been longer
                self._motion.control[0] = min(self._motion.control[0], control.h_max)
            parts = (*self._before, control.limits, self._tolerated, *self._after)
            self._motion.stop[0], end = 0, kernels.PAUSE
            while end == kernels.PAUSE:
                block.number[0] = block.n_steps[0] = 0
                for mesh in self._kernel_meshes:
                    mesh.record.count[0] = 0
                advance = kernels.advance if self._meshes else kernels.advance_without_meshes
                end = advance(*parts, times, flags, self._motion, block)
                yield self._samples()
            if end == kernels.STEP_FAILED:
                self.failed = True
                return

    @property
    def time(self) -> float:
        """How far the motion has come [s]."""
        return float(self._motion.state.clock[T])

    @property
    def energy(self) -> SystemEnergy:
        """Energies so far."""
        e, vectors = self._motion.energies, self._motion.vectors
        order = (
            system_kernels.INPUT,
            system_kernels.DISSIPATED,
            system_kernels.OUTSIDE,
            system_kernels.KINETIC,
            system_kernels.STORED,
        )
        start = math.nan if self._start_energy is None else self._start_energy
        kept = {
            "values": np.array([*e[list(order)], start, e[system_kernels.TIME_BEFORE]]),
            "x": vectors[system_kernels.X_BEFORE].copy(),
            "outer": vectors[system_kernels.OUTER_BEFORE].copy(),
            "friction": vectors[system_kernels.FRICTION_BEFORE].copy(),
            "power": e[system_kernels.POWER : system_kernels.POWER + 3].copy(),
        }
        return SystemEnergy.from_arrays(kept)

    def _take_energy(self, energy: SystemEnergy) -> None:
        kept, e, vectors = energy.to_arrays(), self._motion.energies, self._motion.vectors
        for number, name in enumerate(ENERGY_NAMES):
            e[number] = getattr(energy, name)
        e[system_kernels.TIME_BEFORE], e[system_kernels.POWER : system_kernels.POWER + 3] = energy.time, kept["power"]
        vectors[system_kernels.X_BEFORE], vectors[system_kernels.OUTER_BEFORE] = kept["x"], kept["outer"]
        vectors[system_kernels.FRICTION_BEFORE] = kept["friction"]

    @property
    def count(self) -> StepCount:
        """What the steps cost."""
        counts = self._motion.counts
        return StepCount(
            accepted=int(counts[kernels.ACCEPTED]),
            rejected_by_newton=int(counts[kernels.BY_NEWTON]),
            rejected_by_error=int(counts[kernels.BY_ERROR]),
            newton_iterations=int(counts[kernels.NEWTON_ITERATIONS]),
            h_shortest=float(counts[kernels.SHORTEST]),
            h_longest=float(counts[kernels.LONGEST]),
        )

    @property
    def length(self) -> float:
        """Length of the next step [s]."""
        return float(self._motion.control[0])

    def state(self) -> State:
        """The motion as it is now, with its force."""
        s = self._motion.state
        t, h, q, v = float(s.clock[T]), float(s.clock[H]), s.q.copy(), s.v.copy()
        self._system.begin_step(t, q, v, h)
        force = self._system.force(t, q, v)
        return State(t=t, q=q, v=v, vdot=s.vdot.copy(), a=s.a.copy(), h=h, force=force)

    # ------------------------------------------------------------------------------- memory
    @staticmethod
    def state_in(system: SystemMotion, memory: Mapping[str, AnyArray]) -> State:
        """State that a memory holds, with the force that its accelerations mean, without tangents."""
        clock, q, v, vdot, a = (np.array(memory[f"state_{name}"]) for name in ("clock", "q", "v", "vdot", "a"))
        nothing = np.zeros((len(q), len(q)))
        force = ForceEvaluation(Q=system.mass_matrix(q) @ vdot, dQ_dq=nothing, dQ_dv=nothing)
        return State(t=float(clock[T]), q=q, v=v, vdot=vdot, a=a, h=float(clock[H]), force=force)

    def memory(self) -> Arrays:
        """All that later steps depend on, by name; views, to be copied or written to."""
        motion = self._motion
        kept: Arrays = {f"state_{name}": values for name, values in motion.state._asdict().items()}
        kept |= {name: getattr(motion, name) for name in ("control", "vectors", "energies", "counts", "stop")}
        kept["numbers"] = motion.attempt.numbers
        for number, (own, points) in enumerate(zip(self._memories, self._rooms, strict=True)):
            warm = warm_start(own, points)
            kept |= {f"mesh_{number}_{name}": values for name, values in warm.items()}
        return kept

    def recall(self, memory: Mapping[str, AnyArray]) -> None:
        """Go on from a memory of the same system and control."""
        for name, values in self.memory().items():
            values[...] = memory[name]

    def _samples(self) -> MotionSamples:
        """Copy what is in the block."""
        m, n = int(self._block.number[0]), self._model.n
        values = self._block.values[:m].copy()
        first = kernels.ENERGIES
        x, v, a, Q, of_elements = np.split(values[:, kernels.N_HEAD :], n * np.arange(1, 5), axis=1)
        return MotionSamples(
            time=values[:, kernels.TIME],
            flags=values[:, kernels.FLAGS].astype(np.int64),
            energies={name: values[:, first + number] for number, name in enumerate(ENERGY_NAMES)},
            x=x,
            v=v,
            a=a,
            Q=Q,
            element_forces=self._of_elements(of_elements),
            meshes=tuple(
                self._mesh_samples(mesh, kernel, x, m)
                for mesh, kernel in zip(self._meshes, self._kernel_meshes, strict=True)
            ),
            steps=self._steps(),
        )

    def _steps(self) -> MotionSteps:
        """Copy the steps in the block."""
        rows, n = self._block.steps[: int(self._block.n_steps[0])].copy(), self._model.n
        # in a block there may be no step at all, and then nothing else tells how many pairs there are
        torque = rows[:, 1 + n :].reshape(len(rows), (rows.shape[1] - 1 - n) // 2, 2)
        return MotionSteps(time=rows[:, 0], x=rows[:, 1 : 1 + n], pair_torque=torque)

    def _of_elements(self, force: Array) -> tuple[Array, ...]:
        """Forces of all elements on their coordinates, from those on what they act on, one after the other, (m, k)."""
        found, first = [], 0
        for element, one in zip(self._model.elements, self._by_address, strict=True):
            if one is None:
                found.append(np.full((len(force), len(element.coordinates)), np.nan))
                continue
            found.append(force[:, first : first + len(one.rows)] @ one.rows)
            first += len(one.rows)
        return tuple(found)

    @staticmethod
    def _mesh_samples(mesh: FlexibleMesh, kernel: mesh_kernels.Mesh, x: Array, m: int) -> MeshSamples:
        count = int(kernel.record.count[0])
        first_pair = kernel.first_pair[:m].copy()
        turned = x[:, mesh.coordinates] @ mesh.rows[:2].T + mesh.angle
        loaded = LoadedPoints(
            contact=mesh.contact,  # type: ignore[arg-type]
            model=mesh.contact.model,  # type: ignore[attr-defined]
            record=Record._make(column[:count].copy() for column in kernel.record),
            phi=np.ascontiguousarray(turned - first_pair[:, None] * np.asarray(mesh.contact.pitch_angle)),
            first_pair=first_pair,
        )
        return MeshSamples(
            pair_torque=kernel.pair_torque[:m].copy(), by_coordinate=kernel.by_coordinate[:m].copy(), loaded=loaded
        )


# ------------------------------------------------------------------------------- for the kernels
def _profiles(profiles: Sequence[Any]) -> system_kernels.Profiles:
    """Profiles one after the other."""
    ends = np.cumsum([0, *(len(p.times) for p in profiles)])
    return system_kernels.Profiles(
        first=ends.astype(np.int64),
        times=np.concatenate([np.empty(0), *(p.times for p in profiles)]),
        coefficients=np.ascontiguousarray(np.vstack([np.empty((0, 4)), *(p.coefficients for p in profiles)])),
        integrals=np.concatenate([np.empty(0), *(p.integrals for p in profiles)]),
    )


def _kernel_system(
    model: SystemModel, terms: Sequence[Mapping[str, Any]], elements: Elements
) -> system_kernels.SystemTables:
    """Collect what the kernels need of a system."""
    n = model.n
    spins = [np.zeros((len(term.coordinates), n)) for term in model.gyroscopic]
    for wide, term in zip(spins, model.gyroscopic, strict=True):
        wide[:, term.coordinates] = term.matrix
    squares = [of["square"] for of in terms if "square" in of]
    masses = [of["unbalance"] for of in terms if "unbalance" in of]

    def rows(vectors: Sequence[Array]) -> Array:
        return np.array(vectors, dtype=np.float64).reshape(-1, n)

    return system_kernels.SystemTables(
        free=np.ascontiguousarray(model.free, dtype=np.int64),
        prescribed=np.ascontiguousarray(model.prescribed_indices, dtype=np.int64),
        linear=_linear(model),
        strain=sparse_rows(model.strain_rows),
        stress=sparse_rows(model.stress_rows),
        loss=sparse_rows(model.damping_rows),
        outside=_own(model.outside_gears),
        spin=np.array([term.speed for term in model.gyroscopic], dtype=np.int64),
        spin_first=np.cumsum([0, *(len(wide) for wide in spins)]).astype(np.int64),
        spin_row=np.array([at for term in model.gyroscopic for at in term.coordinates], dtype=np.int64),
        spin_rows=sparse_rows(np.vstack([np.zeros((0, n)), *spins])),
        prescribed_profiles=_profiles([one.motion.speed_ramp for one in model.prescribed]),
        prescribed_angle=np.array([one.motion.start_angle for one in model.prescribed], dtype=np.float64),
        prescribed_mass=_own(model.mass[np.ix_(model.prescribed_indices, model.prescribed_indices)]),
        load_profiles=_profiles([load.profile for load in model.loads]),
        load_direction=rows([load.direction for load in model.loads]),
        constant=_own(model.constant_force),
        square=np.array([turn for turn, _ in squares], dtype=np.int64),
        square_force=rows([force for _, force in squares]),
        unbalance=np.array([one[0] for one in masses], dtype=np.int64),
        unbalance_moment=np.array([one[1] for one in masses], dtype=np.float64),
        unbalance_phase=np.array([one[2] for one in masses], dtype=np.float64),
        unbalance_x=rows([one[3] for one in masses]),
        unbalance_y=rows([one[4] for one in masses]),
        rotating_modes=rotating_modes([of["displaced_modes"] for of in terms if "displaced_modes" in of]),
        elements=elements,
    )


def _linear(model: SystemModel) -> system_kernels.Linear:
    """Collect where mass, stiffness or damping matrix are not zero."""
    matrices = {"mass": model.mass, "stiffness": model.stiffness, "damping": model.damping}
    where = sparse_rows(sum((matrix != 0.0).astype(np.float64) for matrix in matrices.values()))
    row = np.repeat(np.arange(model.n), np.diff(where.start))
    values = {name: _own(matrix[row, where.column]) for name, matrix in matrices.items()}
    return system_kernels.Linear(start=where.start, column=where.column, **values)


def _own(values: Array) -> Array:
    """A writable array in C order: for compiled code any other is of another type, and would be compiled again."""
    return np.array(values, dtype=np.float64, order="C")


def _kernel_mesh(mesh: FlexibleMesh, model: SystemModel) -> mesh_kernels.Mesh:
    """Collect what the kernels need of a flexible mesh in line contact, and make room for it."""
    contact = mesh.contact.model  # type: ignore[attr-defined]
    n_mesh = len(mesh.rows)
    rows = np.zeros((n_mesh, model.n))
    rows[:, mesh.coordinates] = mesh.rows
    drive, ratio = mesh.follows(model)
    window = mesh.window
    assert window is not None
    threshold = window.threshold
    below = -window.first_pair(0.0) if threshold is None else math.floor(-threshold) - window.first_pair(0.0)
    points_of_block = SAMPLES * most_points(contact.n_sides, contact.n_pairs, contact.n_slices)
    return mesh_kernels.Mesh(
        n_geometric=n_mesh - int(contact.n_modes.sum()),
        motion=empty_motion(contact),
        response=empty_response(contact.n_pairs, n_mesh),
        free_response=empty_response(contact.n_pairs, n_mesh),
        rows=sparse_rows(rows),
        angle=_own(mesh.angle),
        driving=mesh.driving,
        drive=drive,
        ratio=_own(ratio),
        r_b=_own(mesh.r_b),
        pitch=_own(np.asarray(mesh.contact.pitch_angle)),
        spin=_own(SPIN),
        retardation=float(mesh.retardation),
        threshold=0.0 if threshold is None else float(threshold),
        below=below,
        segment=threshold is None,
        largest_error=float(mesh.largest_error),
        ways=np.zeros((4, n_mesh)),
        record=empty_record(contact, points_of_block),
        pair_torque=np.zeros((SAMPLES, contact.n_pairs, 2)),
        first_pair=np.zeros(SAMPLES, dtype=np.int64),
        by_coordinate=np.zeros((SAMPLES, n_mesh, n_mesh)),
    )
