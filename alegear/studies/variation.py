"""Many microgeometries, alignments and torques of one static case, on one grid and one reduction.

Deviations of the flank and of the shafts belong to the contact gap. The grids, the reduced wheels and the compliance of
the layers under their flanks are made once; a variant only tabulates its flanks anew and solves its positions.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from alegear.ale import centred_threshold, pairs_needed
from alegear.case.case import Case
from alegear.case.static import StaticAnalysis
from alegear.checks.before_run import back_flanks_can_touch
from alegear.checks.design_warnings import flank_warnings, strength_warnings
from alegear.checks.hertz_limits import hertz_warnings, squeeze_warnings
from alegear.checks.small_displacements import SmallDisplacements
from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.slices import default_slices
from alegear.contact.numbering import PINION, flank_side, leading_gear
from alegear.errors import AnalysisFailure, Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.microgeometry import Microgeometry
from alegear.limits import Limits, check_kind, described
from alegear.progress import Progress, Silent
from alegear.recording.recorder import ContactRecorder
from alegear.results.variation_result import variant_values, variation_dataset
from alegear.short_repr import ShortRepr
from alegear.studies.preparation import PreparedPair, prepare
from alegear.studies.static import StaticPosition, StaticSolver, default_threshold

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]

_WORKERS = Limits(quantity="number of processes", key="workers", least=1, most=10_000, whole=True, optional=True)
CHUNK = 8  # variants in turn, each from the deflections of the one before; the same for any number of workers


@dataclass(frozen=True, kw_only=True, eq=False)
class Variant(ShortRepr):
    """What differs from the case; None: as in the case.

    Parameters
    ----------
    pinion, wheel : Microgeometry or None
        In place of the whole microgeometry of the gear.
    alignment : Alignment or None
        In place of that of the case.
    pinion_torque : float or None [N m]
        Of the same sign as that of the case: the reduction holds the flanks which that one loads.
    label : str
        Name in the result; empty: its number.
    """

    pinion: Microgeometry | None = None
    wheel: Microgeometry | None = None
    alignment: Alignment | None = None
    pinion_torque: float | None = None
    label: str = ""


def variants_of(
    *,
    pinion: Iterable[Microgeometry | None] = (None,),
    wheel: Iterable[Microgeometry | None] = (None,),
    alignment: Iterable[Alignment | None] = (None,),
    pinion_torque: Iterable[float | None] = (None,),
) -> list[Variant]:
    """Combine every value with every other, the last one named running fastest.

    Examples
    --------
    >>> [v.pinion_torque for v in variants_of(pinion_torque=(100.0, 200.0))]
    [100.0, 200.0]
    """
    return [
        Variant(pinion=p, wheel=w, alignment=a, pinion_torque=t)
        for p, w, a, t in itertools.product(pinion, wheel, alignment, pinion_torque)
    ]


def vary(
    case: Case,
    variants: Iterable[Variant],
    *,
    root_stress: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> xr.Dataset:
    """Compute variants of a static case on one mesh and one reduction.

    Parameters
    ----------
    case : Case
        Static, with the contact law ``hertz``; its positions are those of every variant.
    variants : iterable of Variant
    root_stress : bool
        Whether to compute the stress in the roots, which costs as much again.
    workers : int, optional
        Processes; default: one a core. The result does not depend on it.
    progress : Progress, optional

    Returns
    -------
    xarray.Dataset
        Dimension ``variant``, see :data:`alegear.results.variation_result.VARIATION`: the curves
        ``transmission_error`` and ``mesh_stiffness`` over ``position``, and by variant mean, peak to peak and harmonics
        of the transmission error, mean mesh stiffness, loaded contact ratio, largest tooth load and contact pressure,
        face load factor, and with `root_stress` the largest stress by gear and side. A variant that cannot be computed
        is NaN and says why in ``failure``, one with a torque that loads the other flanks too; ``variant_sha256`` is the
        digest of the case that was computed; ``warnings`` tells of squeezed teeth and of contacts beyond line contact.

    Raises
    ------
    Fault
        For a case that is not static or has another law, and for no variants or something else in their place.
    AnalysisFailure
        If no variant could be computed.

    Examples
    --------
    >>> import alegear as ag
    >>> case = ag.Case.from_toml("meshes/spur_20_30.toml")  # doctest: +SKIP
    >>> data = ag.vary(case, [ag.Variant(pinion_torque=t) for t in (100.0, 200.0)])  # doctest: +SKIP
    >>> data["te_peak_to_peak"].values  # doctest: +SKIP
    """
    variants = _checked(case, variants, workers)
    progress = progress or Silent()
    cases: list[Case | str] = [_case_of(case, variant) for variant in variants]
    pairs = [of if isinstance(of, str) else of.pair for of in cases]
    torques = [_asked_for(case, variant) for variant in variants]
    possible = [pair for pair in pairs if isinstance(pair, GearPair)]
    if not possible:
        raise _all_failed([str(pair) for pair in pairs])
    with threadpool_limits(limits=1, user_api="blas"):
        job = _Job(case=_widest(case, possible), pairs=pairs, torques=torques, root_stress=root_stress)
        job.prepare(progress)
        progress.stage("solve")
        outcomes = _solve(job, min(workers or len(os.sched_getaffinity(0)), math.ceil(len(pairs) / CHUNK)), progress)
    rows, failures = [outcome.row for outcome in outcomes], [outcome.failure for outcome in outcomes]
    if all(row is None for row in rows):
        raise _all_failed(failures)
    return variation_dataset(
        job.phases,
        rows,
        labels=[variant.label or str(i) for i, variant in enumerate(variants)],
        failures=failures,
        torques=torques,
        digests=["" if isinstance(of, str) else of.sha256 for of in cases],
        warnings=[outcome.warnings for outcome in outcomes],
        title=case.title,
        case_sha256=case.sha256,
    )


# -------------------------------------------------------------------- input
def _checked(case: Case, variants: Iterable[Variant], workers: int | None) -> list[Variant]:
    if not isinstance(case, Case):
        raise Fault("case", described(case), "a Case", 'give ag.Case.from_toml("case.toml")')
    if not isinstance(case.analysis, StaticAnalysis):
        raise Fault("analysis kind", case.analysis.kind, "static for a variation", 'use a case with kind = "static"')
    if case.law != "hertz":
        raise Fault("contact law", case.law, '"hertz" for a variation', 'set law = "hertz" in [contact]')
    if not isinstance(variants, Iterable):
        raise Fault("variants", described(variants), "a list of Variant", "give the variants to compute")
    variants = list(variants)
    for number, variant in enumerate(variants):
        check_kind(variant, f"variants[{number}]", Variant)
    if not variants:
        raise Fault("number of variants", 0, "at least 1", "give the variants to compute")
    _WORKERS.check(workers, "workers")
    return variants


def _asked_for(case: Case, variant: Variant) -> float:
    """Torque of a variant, possible or not [N m]; NaN for what is no number."""
    torque = case.operation.pinion_torque if variant.pinion_torque is None else variant.pinion_torque
    return float(torque) if isinstance(torque, int | float | np.number) else math.nan


def _case_of(case: Case, variant: Variant) -> Case | str:
    """The case of a variant, or why there is none."""
    try:
        pair = case.pair if variant.alignment is None else case.pair.with_alignment(variant.alignment)
        pair = pair.with_microgeometry(variant.pinion, variant.wheel)
        torque = case.operation.pinion_torque if variant.pinion_torque is None else variant.pinion_torque
        varied = replace(case, pair=pair, operation=replace(case.operation, pinion_torque=torque))
    except Fault as fault:
        return str(fault)
    if torque * case.operation.pinion_torque < 0.0:
        sign = "above" if case.operation.pinion_torque > 0.0 else "below"
        limit = f"{sign} 0 like that of the case: the reduction holds the flanks that one loads"
        remedy = "vary the other flanks with a case whose pinion_torque_Nm has the other sign"
        return str(Fault("pinion torque of a variant [N m]", torque, limit, remedy))
    return varied


def _widest(case: Case, pairs: Sequence[GearPair]) -> Case:
    """The case whose window and tooth faces serve all pairs."""
    touching = [pair for pair in pairs if back_flanks_can_touch(replace(case, pair=pair))]
    wide = replace(case, pair=touching[0] if touching else max(pairs, key=lambda pair: pair.eps_gamma))
    if case.window_pairs is None and all(teeth is None for teeth in case.teeth_modelled):
        slots = max(pairs_needed(pair.eps_gamma) for pair in pairs) + bool(touching)
        return replace(wide, window_pairs=slots)
    return wide


def _all_failed(failures: Sequence[str]) -> AnalysisFailure:
    return AnalysisFailure(f"none of {len(failures)} variants could be computed; the first: {failures[0]}")


# ----------------------------------------------------------------- solution
class Outcome(NamedTuple):
    """Row of a variant, or None and why there is none."""

    row: dict[str, Any] | None
    failure: str = ""
    warnings: str = ""


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
        n = self.analysis.positions_per_pitch
        return -0.5 + np.arange(n * self.analysis.pitches) / n

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
            front=shared.front,
            friction=shared.friction,
            n_slices=case.slices or default_slices(pair, across),
        )
        self.job, self.prepared, self.contact, self.torque = job, prepared, contact, torque
        self.phases = job.phases
        self.solver = StaticSolver.of(case, contact, prepared.gears, torque=torque)
        self.ways = SmallDisplacements(pair)
        self.positions: list[StaticPosition] = []
        self.first_pairs: list[int] = []

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
            self._sweep(given or 0.0, before)
            return
        engagement = self.contact.pair.engagement(leading_gear(self.contact.flank))
        try:
            self._sweep(centred_threshold(*engagement, self.contact.n_pairs), before)
            harmless = self._change_is_harmless()
        except Fault:  # the window is too small for the unloaded teeth
            harmless = False
        if not harmless:
            self._sweep(default_threshold(self.solver)[0], before)

    def _sweep(self, threshold: float, before: tuple[float, Array] | None) -> None:
        window = self.prepared.window(threshold)
        self.positions, self.first_pairs = [], []
        # the curve of a neighbour, scaled to this torque, tells how the deflection goes on
        forecast = None if before is None else before[1] * (self.torque / before[0])
        guess = None if forecast is None else float(forecast[0])
        for i, phase in enumerate(self.phases):
            first_pair = window.first_pair(float(phase))
            position = self.solver.solve(float(phase), first_pair, guess)
            self.positions.append(position)
            self.ways.look(position.displacement, f"phase {phase:.6g}")
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
        """What a run of this variant alone would warn of."""
        contact = self.contact
        slices = [position.forces.slices for position in self.positions]
        line_load, half_width, roll_length = (
            np.array([getattr(one, name) for one in slices]) for name in ("line_load", "half_width", "roll_length")
        )
        load = np.array([position.forces.pair_torque[:, PINION] for position in self.positions])
        return [
            *flank_warnings(contact.pair, self.torque),
            *strength_warnings(contact.pair, self.job.case.materials, self.torque),
            *hertz_warnings(contact.pair, line_load, half_width, roll_length, contact.face.width),
            *squeeze_warnings(
                contact.pair, line_load, load / contact.pair.pinion.r_b, contact.face.width, contact.friction
            ),
            *self.ways.warnings(),
        ]

    def values(self) -> dict[str, Any]:
        """Row of this variant."""
        contact = self.contact
        forces = [position.forces for position in self.positions]
        braking = -flank_side(contact.flank) / contact.pair.pinion.r_b
        root_stress = None
        if self.job.root_stress:
            recorder = ContactRecorder(contact=contact, wheels=self.prepared.wheels)
            for force, first_pair in zip(forces, self.first_pairs, strict=True):
                recorder.add(force, first_pair)
            root_stress = recorder.arrays()["root_stress"]
        return variant_values(
            phase=self.phases,
            pinion_torque=self.torque,
            transmission_error=-self.deflections,
            mesh_stiffness=np.array([position.mesh_stiffness for position in self.positions]),
            tooth_load=braking * np.array([force.pair_torque[:, PINION] for force in forces]),
            line_load=np.array([force.slices.line_load for force in forces]),
            contact_pressure=np.array([force.slices.pressure for force in forces]),
            edge_pressure=np.array([force.slices.edge_pressure for force in forces]),
            root_stress=root_stress,
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


def _solve(job: _Job, workers: int, progress: Progress) -> list[Outcome]:
    """Outcomes of all variants in their order."""
    total = len(job.pairs)
    chunks = [range(start, min(start + CHUNK, total)) for start in range(0, total, CHUNK)]
    done: dict[int, list[Outcome]] = {}

    def finished(chunk: range, outcomes: list[Outcome]) -> None:
        done[chunk.start] = outcomes
        progress.advance(sum(map(len, done.values())), total)

    if workers == 1:
        for chunk in chunks:
            finished(chunk, job.chunk(chunk))
    else:
        _in_processes(job, chunks, workers, finished)
    return [outcome for chunk in chunks for outcome in done[chunk.start]]


def _in_processes(
    job: _Job, chunks: Sequence[range], workers: int, finished: Callable[[range, list[Outcome]], None]
) -> None:
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
