"""Pairs that differ by flanks, alignment and torque, solved on one grid and one reduction, in several processes.

Deviations of the flank and of the shafts belong to the contact gap. The grids, the reduced wheels and the compliance of
the layers under their flanks are made once; each pair only tabulates its flanks anew and solves its positions.
"""

from __future__ import annotations

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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from alegear.ale import ToothWindow, centred_threshold, pairs_needed
from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.checks.before_run import back_flanks_can_touch
from alegear.checks.displacement_limit import DisplacementLimit
from alegear.checks.strength import Strength
from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.slices import default_slices
from alegear.contact.numbering import PINION, driver_on, flank_side
from alegear.errors import AnalysisFailure, Fault
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits
from alegear.progress import Progress
from alegear.recording.recorder import ContactRecorder
from alegear.recording.tip_contact import TipContactNearRoot
from alegear.results.static_result import is_whole_pitch
from alegear.results.variation_result import variant_values
from alegear.studies.mesh_solver import MeshSolver, StaticPosition
from alegear.studies.preparation import PreparedPair, prepare
from alegear.studies.static_warnings import SolvedPositions, static_warnings
from alegear.studies.supported_pair import SupportedPair
from alegear.studies.tooth_window import tooth_window

Array = NDArray[np.float64]

WORKERS = Limits(quantity="number of processes", key="workers", least=1, most=10_000, whole=True, optional=True)
CHUNK = 8  # pairs in turn, each from the deflections of the one before; the same for any number of workers


class Outcome(NamedTuple):
    """Row of a pair, or None and why there is none."""

    row: dict[str, Any] | None
    failure: str = ""
    warnings: str = ""


#: Called for each chunk when it is solved, with the numbers of its pairs and their outcomes.
Finished = Callable[[Sequence[int], Sequence[Outcome]], None]


def solve_varied(
    case: Case,
    pairs: Sequence[GearPair | str],
    torques: Sequence[float],
    *,
    root_stress: bool,
    workers: int | None,
    progress: Progress,
    known: Mapping[int, Outcome] | None = None,
    finished: Finished | None = None,
) -> list[Outcome]:
    """Solve the positions of a static case for each pair under its torque.

    Parameters
    ----------
    case : Case
        Static, with the contact law ``hertz``.
    pairs : sequence of GearPair or str
        At least one; a text: why there is none.
    torques : sequence of float [N m]
        On the pinion, of the sign of that of the case.
    root_stress : bool
    workers : int or None
        Processes; None: one a core. The outcomes do not depend on it.
    progress : Progress
    known : mapping of int to Outcome, optional
        Outcomes of an earlier run, which are not solved again. What is solved with and without its neighbours differs
        by what the tolerance of the positions leaves.
    finished : callable, optional
        See :data:`Finished`.

    Raises
    ------
    AnalysisFailure
        If a process ends unexpectedly.
    """
    done = dict(known or {})
    chunks = [range(start, min(start + CHUNK, len(pairs))) for start in range(0, len(pairs), CHUNK)]
    left = [own for chunk in chunks if (own := [i for i in chunk if i not in done])]
    if left:
        possible = [pair for pair in pairs if isinstance(pair, GearPair)]
        job = _Job(case=_widest(case, possible), pairs=pairs, torques=torques, root_stress=root_stress)
        with threadpool_limits(limits=1, user_api="blas"):
            job.prepare(progress)
            progress.stage("solve")
            total, solved = sum(map(len, left)), 0

            def keep(chunk: Sequence[int], outcomes: Sequence[Outcome]) -> None:
                nonlocal solved
                done.update(zip(chunk, outcomes, strict=True))
                solved += len(outcomes)
                if finished is not None:
                    finished(chunk, outcomes)
                progress.advance(solved, total)

            _solve(job, left, min(workers or len(os.sched_getaffinity(0)), len(left)), keep)
    return [done[i] for i in range(len(pairs))]


def positions_of(analysis: StaticAnalysis) -> Array:
    """Phases of the positions, -0.5 + i / positions_per_pitch [1]."""
    n = analysis.positions_per_pitch
    return -0.5 + np.arange(n * analysis.pitches) / n


def _widest(case: Case, pairs: Sequence[GearPair]) -> Case:
    """The case whose window and tooth faces serve all pairs."""
    touching = [pair for pair in pairs if back_flanks_can_touch(replace(case, pair=pair))]
    wide = replace(case, pair=touching[0] if touching else max(pairs, key=lambda pair: pair.eps_gamma))
    if case.window_pairs is None and all(teeth is None for teeth in case.teeth_modelled):
        slots = max(pairs_needed(pair.eps_gamma) for pair in pairs) + bool(touching)
        return replace(wide, window_pairs=slots)
    return wide


@dataclass(kw_only=True, eq=False)
class _Job:
    """Everything the workers share, read-only once it is prepared."""

    case: Case
    pairs: Sequence[GearPair | str]
    torques: Sequence[float]
    root_stress: bool
    prepared: PreparedPair | None = None

    @property
    def analysis(self) -> StaticAnalysis:
        assert isinstance(self.case.analysis, StaticAnalysis)
        return self.case.analysis

    @property
    def phases(self) -> Array:
        return positions_of(self.analysis)

    def prepare(self, progress: Progress) -> None:
        """Mesh, reduce, and load the compiled kernels before the processes part."""
        self.prepared = prepare(self.case, progress, fields=False)
        contact = self.prepared.contact
        assert isinstance(contact, LineContact)
        touching = np.array([1e-4 * contact.pair.pinion.m_n / contact.pair.pinion.r_b, 0.0])
        contact.evaluate(contact.new_data(), MeshMotion(phi=touching))

    def chunk(self, numbers: Sequence[int]) -> list[Outcome]:
        """Compute some variants in turn."""
        outcomes: list[Outcome] = []
        before: tuple[float, Array] | None = None
        for i in numbers:
            pair = self.pairs[i]
            if isinstance(pair, str):
                outcomes.append(Outcome(row=None, failure=pair))
                continue
            try:
                run = _VariantRun(self, pair, self.torques[i])
                run.run(before)
                outcomes.append(Outcome(row=run.values(), warnings=" | ".join(run.warnings())))
                before = self.torques[i], run.deflections
            except (Fault, AnalysisFailure, np.linalg.LinAlgError) as error:
                outcomes.append(Outcome(row=None, failure=str(error)))
        return outcomes


class _VariantRun:
    """All positions of one variant."""

    def __init__(self, job: _Job, pair: GearPair, torque: float) -> None:
        prepared, case = job.prepared, job.case
        assert prepared is not None
        assert isinstance(prepared.contact, LineContact)
        shared = prepared.contact
        # as many slices as the variant would have on its own
        across = min(sector.flank_a.shape[1] for sector in prepared.sectors) - 1
        contact = LineContact.build(
            pair,
            shared.bodies,
            flank=shared.flank,
            friction=shared.friction,
            n_slices=case.slices or default_slices(pair, across),
        )
        self.job, self.prepared, self.contact, self.torque = job, prepared, contact, torque
        self.phases = job.phases
        own = replace(case, pair=pair, operation=replace(case.operation, pinion_torque=torque))
        self.solver: MeshSolver | SupportedPair
        self._window: Callable[[float | None], ToothWindow]
        if any(case.supports):
            self.solver = supported = SupportedPair(own, replace(prepared, contact=contact))
            self._window = supported.window
        else:
            self.solver = held = MeshSolver.of(own, contact, torque=torque)
            self._window = partial(tooth_window, prepared, held)
        self.displacement_limit = DisplacementLimit(pair)
        self.positions: list[StaticPosition] = []
        self.first_pairs: list[int] = []
        self.tip_contact: TipContactNearRoot | None = None  # until the root stress is computed
        self.recorded: dict[str, Any] | None = None  # likewise

    @property
    def deflections(self) -> Array:
        """Of the positions solved so far [m]."""
        return np.array([position.deflection for position in self.positions])

    def run(self, before: tuple[float, Array] | None) -> None:
        """Solve all positions.

        The tooth-change of the unloaded teeth is used if no tooth outside the window would carry; otherwise that of
        the loaded ones is looked for.
        """
        given = self.job.analysis.tooth_change_threshold
        if self.prepared.segment or given is not None:
            self._sweep(self._window(given), before)
            return
        engagement = self.contact.pair.engagement(driver_on(self.contact.flank))
        try:
            self._sweep(self.prepared.window(centred_threshold(*engagement, self.contact.n_pairs)), before)
            harmless = self._change_is_harmless()
        except Fault:  # the window is too small for the unloaded teeth
            harmless = False
        if not harmless:
            self._sweep(self._window(None), before)

    def _sweep(self, window: ToothWindow, before: tuple[float, Array] | None) -> None:
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

    def _change_is_harmless(self) -> bool:
        """Whether the teeth just outside the window carry nothing at the positions next to each tooth-change.

        A pair comes and goes once, so it is enough to look for the pair that has left at the first position after a
        change, and for the pair to come at the last one before.
        """
        last = len(self.phases) - 1
        for i, first in enumerate(self.first_pairs):
            for step, slot, neighbour in ((-1, 0, i - 1), (1, -1, i + 1)):
                if 0 <= neighbour <= last and self.first_pairs[neighbour] == first:
                    continue
                moved = self.solver.solve(float(self.phases[i]), first + step, self.positions[i].deflection)
                if moved.forces.pair_torque[slot, PINION] != 0.0:
                    return False
        return True

    def warnings(self) -> list[str]:
        """What a run of this variant alone would warn of; of pressed roots if :meth:`values` computed their stress."""
        case, forces = self.job.case, [position.forces for position in self.positions]
        slices = [one.slices for one in forces]
        line_load, half_width, roll_length = (
            np.array([getattr(one, name) for one in slices]) for name in ("line_load", "half_width", "roll_length")
        )
        found = SolvedPositions(
            phase=self.phases,
            mesh_stiffness=np.array([position.mesh_stiffness for position in self.positions]),
            line_load=line_load,
            half_width=half_width,
            roll_length=roll_length,
            tooth_load=self.tooth_load,
            off=max(position.off for position in self.positions) / abs(self.torque),
            displacement_limit=self.displacement_limit,
            tip_contact=self.tip_contact,
            strength=self._strength(),
        )
        own = replace(case, pair=self.contact.pair, operation=replace(case.operation, pinion_torque=self.torque))
        return static_warnings(own, self.prepared.sectors, self.contact, found)

    def _strength(self) -> Strength | None:
        """What the positions say of the strengths of both gears; None without root stress."""
        if self.recorded is None:
            return None
        root_stress: Array = np.nanmax(self.recorded["root_stress"], axis=(0, 2), initial=0.0)
        return Strength(
            pair=self.contact.pair,
            materials=self.job.case.materials,
            torque=self.torque,
            fillet=self.recorded["root_fillet"] if is_whole_pitch(self.phases) else None,
            pressure=float(np.nanmax(self.recorded["contact_pressure"], initial=0.0)),
            root_stress=root_stress,
        )

    @property
    def tooth_load(self) -> Array:
        """By slot of the window, shape (n, n_slots) [N]; back flanks count negative."""
        braking = -flank_side(self.contact.flank) / self.contact.pair.pinion.r_b
        return braking * np.array([position.forces.pair_torque[:, PINION] for position in self.positions])

    def values(self) -> dict[str, Any]:
        """Row of this variant."""
        contact = self.contact
        forces = [position.forces for position in self.positions]
        root_stress = root_stress_principal = force = None
        if self.job.root_stress:
            recorder = ContactRecorder(contact=contact, wheels=self.prepared.wheels)
            for one, first_pair in zip(forces, self.first_pairs, strict=True):
                recorder.add(one, first_pair)
            recorded, self.tip_contact = recorder.arrays(), recorder.tip_contact
            self.recorded = recorded
            root_stress, root_stress_principal = recorded["root_stress"], recorded["root_stress_principal"]
        if contact.friction.kind != "none":
            force = np.array([one.torque for one in forces]) / [gear.r_b for gear in contact.pair.gears]
        return variant_values(
            phase=self.phases,
            pinion_torque=self.torque,
            backlash=(contact.pair.j_wt, contact.pair.j_bn),
            transmission_error=-self.deflections,
            mesh_stiffness=np.array([position.mesh_stiffness for position in self.positions]),
            tooth_load=self.tooth_load,
            line_load=np.array([one.slices.line_load for one in forces]),
            contact_pressure=np.array([one.slices.pressure for one in forces]),
            edge_pressure=np.array([one.slices.edge_pressure for one in forces]),
            root_stress=root_stress,
            root_stress_principal=root_stress_principal,
            force=force,
        )


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


def _work(numbers: Sequence[int]) -> list[Outcome]:
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
