"""Pairs that differ by flanks, alignment and torque, solved on one grid and one reduction, in several processes.

Deviations of the flank and of the shafts belong to the contact gap. The grids, the reduced wheels and the compliance of
the layers under their flanks are made once; each pair only tabulates its flanks anew and solves its positions.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from alegear.ale import ToothWindow, centred_threshold
from alegear.arrays import Array
from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.case.pair_machine import MESH, machine_of
from alegear.checks.before_run import back_flanks_can_touch
from alegear.checks.displacement_limit import DisplacementLimit
from alegear.contact.forces import MeshMotion, mesh_stiffness
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.slices import default_slices
from alegear.contact.numbering import PINION, driver_on
from alegear.errors import AnalysisFailure, Fault
from alegear.limits import Limits
from alegear.progress import Progress
from alegear.recording.recorder import ContactBlock, ContactRecorder
from alegear.results.contact_result import ContactHistory
from alegear.results.variation_result import variant_values
from alegear.storage.study_log import StudyPoint
from alegear.studies.contact_warnings import position_warnings
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.mesh_solver import MeshSolver, StaticPosition
from alegear.studies.preparation import PreparedPair, prepare
from alegear.studies.reference_pitch import START_PHASE, pitch_of_drive, turned_drives
from alegear.studies.tooth_window import pair_outside, tooth_window, windows_of

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.studies.preparation import PreparedPair


class SupportedPair:
    """Two gears of which one gives way.

    Parameters
    ----------
    case : Case
    prepared : PreparedPair
        With the contact of this case.
    """

    def __init__(self, case: Case, prepared: PreparedPair) -> None:
        self.machine = machine_of(case)
        (self._place,) = self.machine.layout.meshes
        self._prepared = {MESH: prepared}
        self._solver = MachineSolver(self.machine, self._prepared, {MESH: prepared.window(0.0)})
        self._before: MachinePosition | None = None

    def window(self) -> ToothWindow:
        """The window whose teeth change at the phase of the case, or where no tooth outside carries."""
        return windows_of(self.machine, self._prepared)[MESH]

    def solve(self, phase: float, first_pair: int, guess: float | None = None) -> StaticPosition:
        """Solve one position; `guess` is of no use, the position before is.

        Raises
        ------
        NonConvergence
        """
        angles = turned_drives(self.machine, (phase - START_PHASE) * pitch_of_drive(self._place))
        self._before = position = self._solver.solve(angles, self._before, {MESH: first_pair})
        forces, mesh = position.forces[MESH], self._solver.system.contacts[MESH]
        assert forces.torque_phi is not None
        r_b = np.array([gear.r_b for gear in self._place.pair.gears])
        return StaticPosition(
            deflection=-self._solver.transmission_error(MESH, position),
            mesh_stiffness=mesh_stiffness(forces.torque_phi, r_b, self._place.driving),
            forces=forces,
            off=abs(abs(float(forces.torque[PINION])) - abs(self._solver.solvers[MESH].torque)),
            displacement=mesh.displacements(position.x[mesh.coordinates]),
        )


WORKERS = Limits(quantity="number of processes", key="workers", least=1, most=10_000, whole=True, optional=True)
CHUNK = 8  # pairs in turn, each from the deflections of the one before; the same for any number of workers


#: Called for each chunk when it is solved, with the numbers of its pairs and what was computed of them.
Finished = Callable[[Sequence[int], Sequence[StudyPoint]], None]


def solve_varied(
    cases: Sequence[Case | str],
    *,
    root_stress: bool,
    workers: int | None,
    progress: Progress,
    known: Mapping[int, StudyPoint] | None = None,
    finished: Finished | None = None,
) -> list[StudyPoint]:
    """Solve the positions of static cases.

    Parameters
    ----------
    cases : sequence of Case or str
        With the contact law ``hertz``, which differ by flanks, alignment and the size of the torque, at least one; a
        text: why there is none.
    root_stress : bool
    workers : int or None
        Processes; None: one a core. The outcomes do not depend on it.
    progress : Progress
    known : mapping of int to StudyPoint, optional
        Those of an earlier run, which are not solved again. What is solved with and without its neighbours differs
        by what the tolerance of the positions leaves.
    finished : callable, optional
        See :data:`Finished`.

    Raises
    ------
    AnalysisFailure
        If a process ends unexpectedly.
    """
    done = dict(known or {})
    chunks = [range(start, min(start + CHUNK, len(cases))) for start in range(0, len(cases), CHUNK)]
    left = [own for chunk in chunks if (own := [i for i in chunk if i not in done])]
    if left:
        job = _Job(cases=cases, root_stress=root_stress)
        with threadpool_limits(limits=1, user_api="blas"):
            job.prepare(progress)
            progress.stage("solve")
            total, solved = sum(map(len, left)), 0

            def keep(chunk: Sequence[int], outcomes: Sequence[StudyPoint]) -> None:
                nonlocal solved
                done.update(zip(chunk, outcomes, strict=True))
                solved += len(outcomes)
                if finished is not None:
                    finished(chunk, outcomes)
                progress.advance(solved, total)

            _solve(job, left, min(workers or len(os.sched_getaffinity(0)), len(left)), keep)
    return [done[i] for i in range(len(cases))]


def positions_of(analysis: StaticAnalysis) -> Array:
    """Phases of the positions, -0.5 + i / positions_per_pitch [1]."""
    n = analysis.positions_per_pitch
    return -0.5 + np.arange(n * analysis.pitches) / n


def _widest(cases: Sequence[Case]) -> Case:
    """A case whose window and tooth faces serve all of them."""
    touching = [case for case in cases if back_flanks_can_touch(case)]
    wide = touching[0] if touching else max(cases, key=lambda case: case.pair.eps_gamma)
    if wide.window_pairs is None and all(teeth is None for teeth in wide.teeth_modelled):
        slots = max(case.pair.pairs_needed for case in cases) + bool(touching)
        return replace(wide, window_pairs=slots)
    return wide


@dataclass(kw_only=True, eq=False)
class _Job:
    """Everything the workers share, read-only once it is prepared."""

    cases: Sequence[Case | str]
    root_stress: bool
    prepared: PreparedPair | None = None

    @property
    def analysis(self) -> StaticAnalysis:
        analysis = next(case for case in self.cases if isinstance(case, Case)).analysis
        assert isinstance(analysis, StaticAnalysis)
        return analysis

    @property
    def phases(self) -> Array:
        return positions_of(self.analysis)

    def prepare(self, progress: Progress) -> None:
        """Mesh, reduce, and load the compiled kernels before the processes part."""
        wide = _widest([case for case in self.cases if isinstance(case, Case)])
        self.prepared = prepare(wide, progress, fields=False)
        contact = self.prepared.contact
        assert isinstance(contact, LineContact)
        touching = np.array([1e-4 * contact.pair.pinion.m_n / contact.pair.pinion.r_b, 0.0])
        contact.evaluate(contact.new_data(), MeshMotion(phi=touching))

    def chunk(self, numbers: Sequence[int]) -> list[StudyPoint]:
        """Compute some variants in turn."""
        outcomes: list[StudyPoint] = []
        before: tuple[float, Array] | None = None
        for i in numbers:
            case = self.cases[i]
            if isinstance(case, str):
                outcomes.append(StudyPoint(row=None, failure=case))
                continue
            try:
                run = _VariantRun(self, case)
                run.run(before)
                outcomes.append(run.point())
                before = run.torque, run.deflections
            except (Fault, AnalysisFailure, np.linalg.LinAlgError) as error:
                outcomes.append(StudyPoint(row=None, failure=str(error)))
        return outcomes


class _VariantRun:
    """All positions of one variant."""

    def __init__(self, job: _Job, case: Case) -> None:
        assert job.prepared is not None
        shared = job.prepared.contact
        assert isinstance(shared, LineContact)
        # as many slices as the variant would have on its own
        across = min(sector.flank_a.shape[1] for sector in job.prepared.sectors) - 1
        contact = LineContact.build(
            case.pair,
            shared.bodies,
            flank=shared.flank,
            friction=shared.friction,
            n_slices=case.slices or default_slices(case.pair, across),
        )
        self.case, self.contact, self.phases, self.root_stress = case, contact, job.phases, job.root_stress
        self.prepared, self.torque = replace(job.prepared, contact=contact), case.operation.pinion_torque
        self.solver: MeshSolver | SupportedPair
        self._window: Callable[[], ToothWindow]
        if any(case.supports):
            self.solver = supported = SupportedPair(case, self.prepared)
            self._window = supported.window
        else:
            self.solver = held = MeshSolver.of(case, contact, torque=self.torque)
            self._window = partial(_held_window, self.prepared, held, job.analysis.tooth_change_threshold)
        self.displacement_limit = DisplacementLimit(case.pair)
        self.positions: list[StaticPosition] = []
        self.first_pairs: list[int] = []

    @property
    def deflections(self) -> Array:
        """Of the positions solved so far [m]."""
        return np.array([position.deflection for position in self.positions])

    def run(self, before: tuple[float, Array] | None) -> None:
        """Solve all positions."""
        window = self._window()
        self.positions, self.first_pairs = [], []
        # the curve of a neighbour, scaled to this torque, tells how the deflection goes on
        forecast = None if before is None else before[1] * (self.torque / before[0])
        guess = None if forecast is None else float(forecast[0])
        for i, phase in enumerate(self.phases):
            first_pair = window.first_pair(float(phase))
            position = self.solver.solve(float(phase), first_pair, guess)
            self.positions.append(position)
            self.displacement_limit.update(position.displacement, f"phase {phase:.6g}")
            self.first_pairs.append(first_pair)
            guess = position.deflection
            if forecast is not None and i + 1 < len(forecast):
                guess += float(forecast[i + 1] - forecast[i])

    def point(self) -> StudyPoint:
        """Row of this variant, and what a run of it alone would warn of; of pressed roots with their stress."""
        recorder = ContactRecorder(contact=self.contact, wheels=self.prepared.wheels, stress=self.root_stress)
        for position, first_pair in zip(self.positions, self.first_pairs, strict=True):
            recorder.add(ContactBlock.of(position.forces, first_pair, loads_only=not self.root_stress))
        pairs, values = recorder.by_pair()
        values |= {
            "phase": self.phases,
            "transmission_error": -self.deflections,
            "mesh_stiffness": np.array([position.mesh_stiffness for position in self.positions]),
        }
        history = ContactHistory.of(values, pairs=pairs, **recorder.places())
        force = None
        if self.contact.friction.kind != "none":
            torque = np.array([position.forces.torque for position in self.positions])
            force = torque / [gear.r_b for gear in self.contact.pair.gears]
        warnings = position_warnings(
            self.case,
            self.prepared.sectors,
            self.contact,
            history,
            off=max(position.off for position in self.positions) / abs(self.torque),
            displacement_limit=self.displacement_limit,
            tip_contact=recorder.tip_contact if self.root_stress else None,
        )
        row = variant_values(history, self.contact.pair, self.torque, force)
        return StudyPoint(row=row, warnings=" | ".join(warnings))


def _held_window(prepared: PreparedPair, solver: MeshSolver, given: float | None) -> ToothWindow:
    """The window of a pair on fixed axes: its teeth change as without load if then no tooth outside would carry."""
    contact = solver.contact
    if given is None and not prepared.segment:
        with contextlib.suppress(Fault):  # the window is too small for the unloaded teeth
            engagement = contact.pair.engagement(driver_on(contact.flank))
            window = prepared.window(centred_threshold(*engagement, contact.n_pairs))
            if pair_outside(solver, window) is None:
                return window
    return tooth_window(prepared, solver, given)


# ---------------------------------------------------------------- processes
_job: _Job | None = None  # of a worker: came over with the fork, so that its arrays are shared and not copied


def _start(job: _Job) -> None:
    global _job
    _job = job
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that asked; it ends the workers
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End the worker when the process that asked for it is gone, however that ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


def _work(numbers: Sequence[int]) -> list[StudyPoint]:
    assert _job is not None
    with threadpool_limits(limits=1, user_api="blas"):
        return _job.chunk(numbers)


def _solve(job: _Job, chunks: Sequence[Sequence[int]], workers: int, finished: Finished) -> None:
    """Solve chunks, here or in processes."""
    if workers > 1:
        _in_processes(job, chunks, workers, finished)
        return
    for chunk in chunks:
        finished(chunk, job.chunk(chunk))


def _in_processes(job: _Job, chunks: Sequence[Sequence[int]], workers: int, finished: Finished) -> None:
    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("fork"), initializer=_start, initargs=(job,)
    )
    try:
        futures = {pool.submit(_work, chunk): chunk for chunk in chunks}
        for future in as_completed(futures):
            finished(futures[future], future.result())
    except BrokenProcessPool as error:
        raise AnalysisFailure(
            f"a worker of {workers} ended unexpectedly, as when memory runs out; vary with workers=1"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)
