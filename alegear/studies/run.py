"""Run of a case: grid, reduction, solution, results and fields."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alegear.case.case import Case
from alegear.case.machine import MachineCase
from alegear.case.pair_machine import machine_of
from alegear.case.text import file_text, values_text
from alegear.checks.case_data import case_data, part_quantities, teeth_data
from alegear.checks.environment import check_environment
from alegear.checks.operating_point import mesh_operating_points, operating_point
from alegear.errors import Fault
from alegear.limits import described, path_of
from alegear.progress import Progress, Silent
from alegear.recording.checkpoint import Checkpoint
from alegear.results.case_record import CaseRecord
from alegear.results.result import Report, Result
from alegear.storage.store import CHECKPOINT, ResultFolder, library_beside
from alegear.storage.whole_file import StorageFailure
from alegear.studies.case_run import CaseRun


def run(
    case: Case | MachineCase,
    out: str | Path | None = None,
    progress: Progress | None = None,
    *,
    report: Report | None = None,
    resume: bool = False,
    checkpoint: str | Path | None = None,
) -> Result:
    """Compute a case.

    Parameters
    ----------
    case : Case or MachineCase
    out : path, optional
        Folder for ``result.nc``, ``summary.json`` and, if the case asks for them, ``fields/``: they appear there
        together at the end. Without it nothing is written (:meth:`alegear.Result.save` can do that, without fields).
    progress : Progress, optional
    report : callable of (Result, Path), optional
        Called with the result and the folder once the numbers are stored there, to draw them for example; not without
        `out`. It runs in a thread of its own while the fields are written and a second grid is solved, which enters the
        summary at the end only. What it raises counts as a failure of the analysis.
    resume : bool
        Go on from the checkpoint that a dynamic run left which was killed; the result is the same as without.
    checkpoint : path, optional
        Folder of the checkpoints of a dynamic run, and up to the caller to remove at the end. Default: ``checkpoint``
        in `out`, which goes when the result is there.

    Returns
    -------
    Result

    Raises
    ------
    Fault
        If the input is wrong.
    AnalysisFailure
        If the analysis fails; what was computed is written to `out` before, marked incomplete.

    Examples
    --------
    >>> import alegear as ag
    >>> case = ag.Case.from_toml("meshes/spur_20_30.toml")  # doctest: +SKIP
    >>> ag.run(case).summary["te_mean_um"]  # doctest: +SKIP
    """
    if not isinstance(case, Case | MachineCase):
        raise Fault("case", described(case), "a Case", 'give ag.Case.from_toml("case.toml")')
    check_environment()
    progress = progress or Silent()
    if out is None:
        if resume:
            raise Fault("out", None, "the folder of the run to be resumed", "give out, or leave out resume")
        with library_beside("xarray") as begin_import:
            return _run_of(case, None, progress, None).compute(begin_import).with_record(record_of(case))
    out = path_of(out, "out")
    place = Path(checkpoint or out / CHECKPOINT)
    with (
        Checkpoint(place, case, resume=resume) as kept,
        ResultFolder(out) as folder,
        library_beside("h5py") as begin_import,
    ):
        record = record_of(case)
        record.write(folder.path)
        study = _run_of(case, folder.path, progress, report, kept)
        try:
            result = study.compute(begin_import)
        except StorageFailure:
            raise  # nothing more fits on the disk
        except BaseException:
            if study.keep():
                folder.commit(complete=False)
            raise
        result = result.moved(folder.commit()).with_record(record)
        if checkpoint is None:
            kept.remove()
        return result


def _run_of(
    case: Case | MachineCase,
    directory: Path | None,
    progress: Progress,
    report: Report | None,
    checkpoint: Checkpoint | None = None,
) -> CaseRun[Any]:
    """Make the run of a case of any kind."""
    machine = case if isinstance(case, MachineCase) else machine_of(case)
    return _run_class(machine)(machine, directory, progress, report, checkpoint)


def _run_class(case: MachineCase) -> type[CaseRun]:
    """The run of a case by its kind, of which the others are not imported: all together take as long as a solution."""
    if case.is_torsional:
        from alegear.studies.rotational import RotationalRun

        return RotationalRun
    if case.in_space:
        from alegear.studies.spatial import SpatialRun

        return SpatialRun
    match case.analysis.kind:
        case "static":
            from alegear.studies.static_run import StaticRun

            return StaticRun
        case "dynamic":
            from alegear.studies.motion_run import MotionRun

            return MotionRun
        case "sweep":
            from alegear.studies.sweep_run import SweepRun

            return SweepRun
        case _:
            from alegear.studies.modal_run import ModalRun

            return ModalRun


def record_of(case: Case | MachineCase) -> CaseRecord:
    """Record the data of a case before its run."""
    text = file_text(case)
    return CaseRecord(
        text=values_text(case) if text is None else text,
        is_file=text is not None,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        data={
            "teeth": teeth_data(case),
            "operating_point": operating_point(case),
            "mesh_operating_points": mesh_operating_points(case),
            **case_data(case),
        },
        quantities=part_quantities(case),
    )
