"""Runs of cases of two gears: wheels prepared, solved, results and fields written."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from alegear.case.case import Case
from alegear.checks.design_warnings import beside_iso
from alegear.checks.gear_data import case_warnings
from alegear.results.modal_result import modal_dataset, modal_summary
from alegear.results.result import Result
from alegear.results.store import write_files, write_summary
from alegear.results.summary import RunFacts
from alegear.studies.case_run import CaseRun
from alegear.studies.fields import write_mode_fields
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.modal import ModalStudy
from alegear.studies.preparation import prepare

if TYPE_CHECKING:
    pass


class ModalRun(CaseRun[Case]):
    """Solve, then write; a study that fails leaves nothing, for its parts say nothing alone."""

    def compute(self, planned: Callable[[], None]) -> Result:
        """Do everything; what is in the directory afterwards is complete."""
        prepared = prepare(self.case, self.progress, fields=False, planned=planned)
        study = ModalStudy(prepared, MeshSolver.of(self.case, prepared.contact, prepared.gears), self.case)
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
                "warnings": case_warnings(case, prepared.sectors, history.mesh_stiffness),
                **beside_iso(case, prepared.sectors, history.mesh_stiffness).summary(),
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


#: By kind of analysis.
RUNS: dict[str, type[CaseRun[Case]]] = {
    "modal": ModalRun,
}
