"""The run of a modal study."""

from __future__ import annotations

from alegear.results.result import Result
from alegear.studies.case_run import CaseRun
from alegear.studies.modal import MachineModalStudy, ModalStudy, PairModalStudy


class ModalRun(CaseRun[ModalStudy]):
    """Natural vibrations: of a machine, or of two gears by themselves with the modes of their wheels."""

    def keep(self) -> bool:
        """Nothing: parts of a study that fails say nothing alone."""
        return False

    def _solve(self) -> None:
        kind = MachineModalStudy if self.case.preset is None else PairModalStudy
        self._study = kind(self.case, self.prepared)
        self.study.run(self.progress)

    def _warnings(self) -> list[str]:
        return super()._warnings() if self.case.preset is None else self.study.all_warnings()

    def _store(self, *, complete: bool) -> Result:
        summary, dataset = self.study.result(self._facts(complete), self._identity(complete))
        result = self._keep(self.directory, summary, lambda: dataset, complete=complete)
        if self.directory is not None and self.case.output.fields:
            self.progress.stage("fields")
            self.study.write_fields(self.directory, self.progress)
        return result
