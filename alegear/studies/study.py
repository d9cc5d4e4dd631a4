"""Studies over named axes: keys of a case take values, and every combination of them is computed."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.case.case_keys import AnyCase, CaseKeys, case_keys, unit_of
from alegear.case.digest import case_digests, digest_of
from alegear.case.faults import CaseFault, CaseFaults
from alegear.case.study_axes import Axes, StudyAxis, TolerancesGiven, study_axes
from alegear.case.study_file import StudyFile
from alegear.errors import AnalysisFailure, Fault, one_line
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.microgeometry import Microgeometry
from alegear.limits import check_kind, path_of
from alegear.progress import Progress, Silent, report_status
from alegear.reduction.memory import available_memory
from alegear.results.dataset import Identity
from alegear.results.requested_outputs import requested_outputs_of
from alegear.results.study_result import AxisDescription, StudyResult, study_dataset, study_summary
from alegear.results.variables import VARIATION
from alegear.results.variation_result import HARMONICS
from alegear.storage.store import CHECKPOINT, ResultFolder, write_summary
from alegear.storage.study_log import StudyLog, StudyPoint
from alegear.storage.whole_file import StorageFailure
from alegear.studies.run import record_of, run
from alegear.studies.varied_pairs import WORKERS, positions_of, solve_varied

StudyReport = Callable[[StudyResult, Path], Mapping[str, Any]]
"""What draws a study into its folder, and returns what the summary says of it."""

CASE_BYTES = 30e3  # of a case in memory, its flanks tabulated
ROW_NUMBERS = 64  # of a point besides its curves
TEXT_BYTES = 20.0  # of a number in the log of points
NOT_COUNTED = ("seconds", "dof_full", "dof_boundary", "memory_estimate_MB", "complete")
"""Numbers of a summary that are no result of the case."""


def study(
    case: AnyCase | str | Path,
    axes: Axes | None = None,
    *,
    tolerances: TolerancesGiven | None = None,
    root_stress: bool = True,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    report: StudyReport | None = None,
) -> StudyResult:
    """Compute a case for all combinations of values of its keys.

    Of static pairs in line contact ("hertz") those points that differ by flanks, alignment and torque share grids and
    reductions; other keys need new ones. Every point of another case, of machines too, is a run of its own, and what is
    kept of it are the numbers of its summary.

    Parameters
    ----------
    case : Case, MachineCase or path
        Of the path of a file, and of a case that is as its file says, any key can be an axis; of another pair the
        numbers of flanks, alignment, operation and analysis.
    axes : mapping, optional
        Values of each key of the case file with its unit, as ``{"operation.pinion_torque_Nm": [40.0, 180.0]}``; under a
        name a mapping of keys that vary together to their values, as many of each.
        ``{"from": a, "to": b, "points": n}`` stands for n values at equal distances. The last axis runs fastest.
    tolerances : mapping, optional
        By key ``{"normal": [mean, standard deviation]}`` or ``{"uniform": [least, most]}``, and ``"samples"`` (20) and
        ``"seed"`` (0): an axis ``sample``, on which these keys scatter.
    root_stress : bool
        Whether to compute the stress in the roots, which costs as much again.
    out : path, optional
        Folder of ``study.nc``, ``table.csv``, ``summary.json`` and the case, as a run keeps it (``case_as_run.toml``,
        ``about.json``). What is computed is kept there point by point, in ``checkpoint``: a study that was stopped or
        killed goes on from that when it is called again, and one with more values computes the new points only.
    workers : int, optional
        Processes; default: one a core. The result does not depend on it.
    progress : Progress, optional
    report : callable of (StudyResult, Path), optional
        Called with the complete result and the folder where its files are, before they take their place, to draw it for
        example; what it returns enters the summary. Not without `out`.

    Returns
    -------
    StudyResult
        ``dataset`` over the axes; a point that cannot be computed is NaN, with the reason in ``failure``.

    Raises
    ------
    Fault
        Before anything is computed: for a key that does not exist or a value that it cannot have, for axes that are
        empty or of different lengths, an axis that changes nothing, more points than there is memory or disk for.
    AnalysisFailure
        If no point could be computed.

    Examples
    --------
    >>> import alegear as ag
    >>> result = ag.study(
    ...     "meshes/spur_20_30.toml",
    ...     {
    ...         "operation.pinion_torque_Nm": [100.0, 400.0],
    ...         "alignment.tilt_plane_of_action_deg": [0.0, 0.02],
    ...     },
    ... )  # doctest: +SKIP
    >>> result.dataset["te_peak_to_peak"]  # doctest: +SKIP
    """
    started = time.perf_counter()
    WORKERS.check(workers, "workers")
    progress = progress or Silent()
    out = None if out is None else path_of(out, "out")
    keys, found = _checked(case, axes, tolerances, root_stress, out)
    points = _Points(keys, found, root_stress=root_stress, progress=progress)
    points.check_effects()
    described, record = [_description(keys, axis) for axis in found], record_of(keys.case)

    def result(*, complete: bool) -> StudyResult:
        dataset = study_dataset(
            described,
            points.outcomes(),
            phases=points.phases(),
            digests=points.digests,
            identity=Identity(title=keys.case.title, case_sha256=points.sha256, complete=complete),
        )
        seconds = time.perf_counter() - started
        summary = study_summary(
            dataset, described, seconds=seconds, complete=complete, computed_before=points.computed_before
        )
        return StudyResult(summary=summary, dataset=dataset, record=record)

    if out is None:
        points.compute(workers, progress)
        return result(complete=True)
    with ExitStack() as open_ones:
        folder = open_ones.enter_context(ResultFolder(out))
        log = open_ones.enter_context(StudyLog(out / CHECKPOINT, {"root_stress": root_stress}))
        try:
            points.compute(workers, progress, log)
        except (AnalysisFailure, StorageFailure):
            raise
        except BaseException:
            if points.known:
                result(complete=False).write(folder.path)
                folder.commit(complete=False)
            raise
        complete = result(complete=True)
        complete.write(folder.path)
        if report is not None:
            further = report(complete, folder.path)
            complete = StudyResult(summary={**complete.summary, **further}, dataset=complete.dataset, record=record)
            write_summary(folder.path, complete.summary)
        place = folder.commit()
        return StudyResult(summary=complete.summary, dataset=complete.dataset, directory=place, record=record)


def rehearsal(
    case: AnyCase | str | Path,
    axes: Axes | None = None,
    *,
    tolerances: TolerancesGiven | None = None,
    root_stress: bool = True,
) -> StudyResult | None:
    """Return a result with the axes and quantities of a study and made-up numbers, to try its requested outputs on.

    None where only the computation knows its quantities: those of runs.

    Raises
    ------
    Fault
        As :func:`study`, but for what is wrong with the points.
    """
    keys, found = _checked(case, axes, tolerances, root_stress)
    if not _shares_grid(keys.case):
        return None
    assert isinstance(keys.case, Case)
    sizes = {"harmonic": HARMONICS, "gear": 2, "side": 2}
    row = {
        name: np.ones([sizes[dim] for dim in variable.dims])
        for name, variable in VARIATION.items()
        if "position" not in variable.dims
        and (root_stress or not name.startswith("root_stress"))
        and (name != "efficiency" or keys.case.friction.kind != "none")
    }
    count = math.prod(map(len, found))
    described = [_description(keys, axis) for axis in found]
    dataset = study_dataset(
        described,
        [StudyPoint(row=row)] * count,
        phases=[None] * count,
        digests=[""] * count,
        identity=Identity(title=keys.case.title, complete=False),
    )
    return StudyResult(summary=study_summary(dataset, described, seconds=0.0, complete=False), dataset=dataset)


def check_requested_outputs(file: StudyFile) -> None:
    """Validate what a study file asks of its result before computing.

    Raises
    ------
    Fault
        For unknown quantities and axes.
    """
    made_up = rehearsal(file.case, file.axes, tolerances=file.tolerances, root_stress=file.table.root_stress)
    if made_up is not None:
        requested_outputs_of(made_up, file.requested)


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """What a study is going to compute.

    Attributes
    ----------
    title : str
    sizes : dict
        Number of values by axis.
    points : int
    cases : int
        Points that are different cases.
    grids : int
        Reductions that the cases share; of runs each has its own.
    refused : int
        Points that are no case.
    first_refused : str
        Why; empty if all are.
    first : Case or MachineCase
        Of the first point that is one.
    backlash : dict
        Least and largest circumferential backlash j_wt of all cases [m], by mesh; of a pair alone its name is empty.
    """

    title: str
    sizes: dict[str, int]
    points: int
    cases: int
    grids: int
    refused: int
    first_refused: str
    first: AnyCase
    backlash: dict[str, tuple[float, float]]


def plan(
    case: AnyCase | str | Path, axes: Axes | None = None, *, tolerances: TolerancesGiven | None = None
) -> StudyPlan:
    """Make the cases of all points of a study, and compute none.

    Raises
    ------
    Fault
        As :func:`study`.
    """
    keys, found = _checked(case, axes, tolerances, True)
    points = _Points(keys, found, root_stress=True, progress=Silent())
    points.check_effects()
    refused = [one for one in points.cases if isinstance(one, str)]
    every = zip(points.digests, points.cases, strict=True)
    cases = {digest: one for digest, one in every if not isinstance(one, str)}
    return StudyPlan(
        title=keys.case.title,
        sizes={axis.name: len(axis) for axis in found},
        points=len(points.cases),
        cases=len(cases),
        grids=len(_groups(cases)),
        refused=len(refused),
        first_refused=refused[0] if refused else "",
        first=next(iter(cases.values())),
        backlash=_backlash(cases.values()),
    )


def _backlash(cases: Iterable[AnyCase]) -> dict[str, tuple[float, float]]:
    """Least and largest circumferential backlash [m] of some cases, by mesh."""
    found: dict[str, list[float]] = {}
    for case in cases:
        for name, pair in _pairs_of(case).items():
            found.setdefault(name, []).append(pair.j_wt)
    return {name: (min(values), max(values)) for name, values in found.items()}


def _pairs_of(case: AnyCase) -> dict[str, GearPair]:
    """Pairs of a case by their meshes; of two gears alone the name is empty."""
    if isinstance(case, Case):
        return {"": case.pair}
    return {place.mesh.name: place.pair for place in case.layout.meshes}


# -------------------------------------------------------------------------------------- before it
def _checked(
    case: AnyCase | str | Path,
    axes: Axes | None,
    tolerances: TolerancesGiven | None,
    root_stress: bool,
    out: Path | None = None,
) -> tuple[CaseKeys, tuple[StudyAxis, ...]]:
    """Read axes, and refuse keys that do not exist and values that they cannot have."""
    check_kind(root_stress, "root_stress", bool)
    keys = case_keys(case)
    found = study_axes({} if axes is None else axes, tolerances)
    _check_size(keys.case, found, out)
    faults: list[Fault] = []
    for key, values in ((key, values) for axis in found for key, values in axis.values.items()):
        try:
            keys.check(key, values)
        except Fault as fault:
            faults.append(fault)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise CaseFaults(
            one
            for fault in faults
            for one in (fault.faults if isinstance(fault, CaseFaults) else [_line(keys.case, fault)])
        )
    return keys, found


def _line(case: AnyCase, fault: Fault) -> CaseFault:
    return CaseFault(str(case.path or "case"), fault.quantity, str(fault.value), f"must be {fault.limit}", fault.remedy)


def _check_size(case: AnyCase, axes: Sequence[StudyAxis], out: Path | None) -> None:
    """Refuse more points than there is room for, before any of them is made.

    Raises
    ------
    Fault
    """
    count = math.prod(map(len, axes))
    positions = 0
    if isinstance(case.analysis, StaticAnalysis):
        positions = case.analysis.positions_per_pitch * case.analysis.pitches
    numbers = ROW_NUMBERS + 2.0 * positions
    rooms = [("memory", CASE_BYTES + 3.0 * 8.0 * numbers, available_memory())]
    if out is not None:
        there = next(path for path in (out.absolute(), *out.absolute().parents) if path.is_dir())
        rooms.append((f"disk of {there}", (TEXT_BYTES + 8.0) * numbers, float(shutil.disk_usage(there).free)))
    for name, each, room in rooms:
        if count * each > room:
            sizes = " x ".join(str(len(axis)) for axis in axes)
            free = f"each takes {1e-3 * each:.0f} kB, and {1e-6 * room:.0f} MB are free ({name})"
            limit = f"at most {int(room / each)}: {free}"
            raise Fault("points of the study", f"{sizes} = {count}", limit, "take fewer values or samples")


def _description(keys: CaseKeys, axis: StudyAxis) -> AxisDescription:
    return AxisDescription(
        name=axis.name,
        values=axis.values,
        units={key: unit_of(key) for key in axis.values},
        descriptions={key: keys.description(key) for key in axis.values},
    )


# ----------------------------------------------------------------------------------------- points
class _Points:
    """All points of a study: their cases, and what was computed of them; cases that are the same are one."""

    def __init__(self, keys: CaseKeys, axes: Sequence[StudyAxis], *, root_stress: bool, progress: Progress) -> None:
        self.keys, self.axes, self.root_stress = keys, axes, root_stress
        self.cases: list[AnyCase | str] = []
        progress.stage("cases")
        count = math.prod(map(len, axes))
        for values in self._combinations():
            self.cases.append(self._case(values))
            progress.advance(len(self.cases), count)
        #: Of the case of each point; empty where there is none.
        self.digests = ["" if isinstance(case, str) else case.sha256 for case in self.cases]
        #: Digest -> what was computed of its case.
        self.known: dict[str, StudyPoint] = {}
        #: Cases of which an earlier call with the same folder has computed the point.
        self.computed_before = 0

    def _combinations(self) -> Iterator[dict[str, Any]]:
        """Values of all keys, point by point."""
        for place in product(*(range(len(axis)) for axis in self.axes)):
            yield {key: one[n] for axis, n in zip(self.axes, place, strict=True) for key, one in axis.values.items()}

    def _case(self, values: Mapping[str, Any]) -> AnyCase | str:
        """The case of a point, or why there is none."""
        try:
            return self.keys.with_values(values)
        except CaseFaults as faults:
            return "; ".join(map(str, faults.faults))
        except Fault as fault:
            return one_line(str(fault))

    @property
    def sha256(self) -> str:
        """Digest of all cases and of what is computed of them."""
        return digest_of(self.root_stress, tuple(self.digests))

    def check_effects(self) -> None:
        """Refuse axes along which the case stays the same, and a study of which no point is a case.

        Raises
        ------
        Fault
        """
        if not any(self.digests):
            remedy = f"the first: {self.cases[0]}"
            raise Fault("points of the study", f"{len(self.cases)}, none of which is a case", "possible", remedy)
        shape = tuple(map(len, self.axes))
        digests = np.array(self.digests, dtype=object).reshape(shape)
        for number, axis in enumerate(self.axes):
            along = np.moveaxis(digests, number, 0)
            if len(axis) > 1 and bool(np.all(along == along[:1])) and bool(np.any(along != "")):
                limit = "one along which the case changes"
                raise Fault("axis", axis.name, limit, "leave it out: nothing that is computed depends on it")

    def outcomes(self) -> list[StudyPoint | None]:
        """What was computed of each point; None: not yet."""
        return [
            StudyPoint(row=None, failure=case) if isinstance(case, str) else self.known.get(digest)
            for case, digest in zip(self.cases, self.digests, strict=True)
        ]

    def phases(self) -> list[Array | None]:
        """Positions of the points that have curves."""
        return [positions_of(case.analysis) if _shares_grid(case) else None for case in self.cases]  # type: ignore[union-attr,arg-type]

    def compute(self, workers: int | None, progress: Progress, log: StudyLog | None = None) -> None:
        """Compute what is not known yet.

        Raises
        ------
        AnalysisFailure
            If no point could be computed.
        """
        every = zip(self.digests, self.cases, strict=True)
        cases = {digest: case for digest, case in every if not isinstance(case, str)}
        if log is not None:
            # what failed is tried again: it may have been memory or a disk that was missing
            there = {digest: log.points[digest] for digest in cases.keys() & log.points.keys()}
            self.known |= {digest: point for digest, point in there.items() if point.row is not None}
            self.computed_before = len(self.known)

        def keep(digest: str, point: StudyPoint) -> None:
            self.known[digest] = point
            if log is not None:
                log.add(digest, point)

        groups = _groups(cases)
        watched = _Watched(progress, groups=len(groups), total=sum(digest not in self.known for digest in cases))
        for group in groups:
            if all(digest in self.known for digest in group):
                continue
            first = cases[group[0]]
            if not _shares_grid(first):
                watched.stage("solve")
                keep(group[0], _run_point(first))
                watched.advance(1, 1)
            else:
                self._solve_group(group, cases, workers, watched, keep)  # type: ignore[arg-type]
        if all(point is None or point.row is None for point in self.outcomes()):
            first_failure = next(point.failure for point in self.outcomes() if point is not None)
            raise AnalysisFailure(f"none of {len(self.cases)} points could be computed; the first: {first_failure}")

    def _solve_group(
        self, group: Sequence[str], cases: Mapping[str, Case], workers: int | None, progress: Progress, keep: Any
    ) -> None:
        """Solve points that share grids and reductions."""
        known = {i: self.known[digest] for i, digest in enumerate(group) if digest in self.known}

        def finished(numbers: Sequence[int], points: Sequence[StudyPoint]) -> None:
            for i, point in zip(numbers, points, strict=True):
                keep(group[i], point)

        solve_varied(
            [cases[digest] for digest in group],
            root_stress=self.root_stress,
            workers=workers,
            progress=progress,
            known=known,
            finished=finished,
        )


def _shares_grid(case: AnyCase | str) -> bool:
    """Whether a case is one of those whose flanks, alignment and torque vary on one grid."""
    return isinstance(case, Case) and isinstance(case.analysis, StaticAnalysis) and case.law == "hertz"


def _groups(cases: Mapping[str, AnyCase]) -> list[list[str]]:
    """Digests of cases that share grids and reductions, in the order of their first ones."""
    groups: dict[str, list[str]] = {}
    for digest, case in cases.items():
        groups.setdefault(_grid_digest(case) if _shares_grid(case) else digest, []).append(digest)  # type: ignore[arg-type]
    return list(groups.values())


def _grid_digest(case: Case) -> str:
    """Digest of all that a case has besides flanks, alignment and the size of its torque."""
    parts = {name: part for name, part in case_digests(case).items() if name not in ("pair", "operation", "output")}
    plain = case.pair.with_alignment(Alignment()).with_microgeometry(Microgeometry(), Microgeometry())
    operation = replace(case.operation, pinion_torque=math.copysign(1.0, case.operation.pinion_torque))
    return digest_of(parts, plain, operation)


def _run_point(case: AnyCase) -> StudyPoint:
    """Run a case on its own, and keep the numbers of its summary."""
    try:
        summary = run(case).summary
    except (Fault, AnalysisFailure, np.linalg.LinAlgError) as error:
        return StudyPoint(row=None, failure=one_line(str(error)))
    return StudyPoint(row=dict(_numbers(summary)), warnings=" | ".join(summary.get("warnings", [])))


def _numbers(content: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """All numbers of a summary, nested ones by dotted names."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            if key not in NOT_COUNTED:
                yield from _numbers(value, f"{name}.{key}" if name else str(key))
    elif isinstance(content, list):
        for number, value in enumerate(content, start=1):
            yield from _numbers(value, f"{name}.{number}")
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield name, float(content)


class _Watched:
    """Progress of all points in one stage where they are on several grids, else of the stages of the one grid."""

    def __init__(self, progress: Progress, *, groups: int, total: int) -> None:
        self._progress, self._several, self._total = progress, groups > 1, total
        self._done = self._of_group = 0
        self._begun = False

    def stage(self, name: str) -> None:
        """Begin a stage of a group."""
        if not self._several:
            self._progress.stage(name)
            return
        if not self._begun:
            self._begun = True
            self._progress.stage("points")
        self._done, self._of_group = self._done + self._of_group, 0
        report_status(self._progress, "" if name == "solve" else name)
        self._solving = name == "solve"

    def advance(self, done: int, total: int) -> None:
        """Tell how many points are done, of this group or of all."""
        if not self._several:
            self._progress.advance(done, total)
        elif self._solving:
            self._of_group = done
            self._progress.advance(self._done + done, self._total)
