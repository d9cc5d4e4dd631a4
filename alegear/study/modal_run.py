"""One run of a modal case: modes, then results and fields."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from alegear.checks.design_warnings import design_warnings
from alegear.results.modal_result import modal_dataset, modal_summary
from alegear.results.result import Report, Result
from alegear.results.store import write_files, write_summary
from alegear.results.summary import RunFacts
from alegear.study.fields import write_mode_fields
from alegear.study.modal import ModalStudy
from alegear.study.preparation import prepare
from alegear.study.static import StaticSolver

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.progress import Progress


class ModalRun:
    """Solve, then write; a study that fails leaves nothing, for its parts say nothing alone."""

    def __init__(self, case: Case, directory: Path | None, progress: Progress, report: Report | None) -> None:
        self.case, self.directory, self.progress, self.report = case, directory, progress, report
        self.sha256 = case.sha256  # of the files it names as they are now
        self.started = time.perf_counter()

    def compute(self, planned: Callable[[], None]) -> Result:
        """Do everything; what is in the directory afterwards is complete. `planned` is that of :func:`prepare`."""
        prepared = prepare(self.case, self.progress, fields=False, planned=planned)
        study = ModalStudy(prepared, StaticSolver.of(self.case, prepared.contact, prepared.gears), self.case)
        self.progress.stage("solve")
        begun = time.perf_counter()
        with threadpool_limits(limits=1, user_api="blas"):
            study.run(self.progress)
        writing = time.perf_counter()
        seconds = prepared.seconds | {"solve": writing - begun}

        def times() -> dict[str, float]:
            now = time.perf_counter()
            return seconds | {"write": now - writing, "total": now - self.started}

        history, case = study.history(), self.case
        facts = RunFacts(
            contact_ratio_nominal=case.pair.eps_alpha_usable,
            dof_full=sum(w.dof_full for w in prepared.wheels),
            dof_boundary=sum(w.dof_boundary for w in prepared.wheels),
            seconds=times(),
            case_sha256=self.sha256,
            extra={
                "warnings": design_warnings(case, prepared.sectors),
                "contact_law": case.law,
                "memory_estimate_MB": 1e-6 * prepared.memory,
            },
        )
        dataset = modal_dataset(history, title=case.title, case_sha256=self.sha256)
        result = Result(dataset=dataset, summary=modal_summary(history, facts), directory=self.directory)
        if self.directory is None:
            return result
        write_files(self.directory, result.dataset, result.summary)
        if self.report is not None:
            self.report(result, self.directory)
        if case.output.fields:
            self.progress.stage("fields")
            write_mode_fields(self.directory, study, self.progress)
        result = result.with_summary(result.summary | {"seconds": times()})
        write_summary(self.directory, result.summary)
        return result

    def keep(self) -> bool:
        """After a failure: there is nothing to keep."""
        return False
