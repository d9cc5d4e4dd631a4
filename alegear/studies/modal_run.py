"""Run of natural vibrations."""

from __future__ import annotations

from alegear.results.result import Result
from alegear.studies.case_run import CaseRun
from alegear.studies.modal import ModalStudy
from alegear.studies.modal_pair import ModalPair


class ModalRun(CaseRun[ModalStudy]):
    """Natural vibrations: of a machine, or of two gears by themselves with the modes of their wheels."""

    def keep(self) -> bool:
        """Nothing: parts of a study that fails say nothing alone."""
        return False

    def _solve(self) -> None:
        self._study = ModalStudy(self.case, self.prepared)
        self.study.run(self.progress)

    def _warnings(self) -> list[str]:
        return super()._warnings() if self.case.preset is None else ModalPair(self.study).warnings()

    def _store(self, *, complete: bool) -> Result:
        told = self.study if self.case.preset is None else ModalPair(self.study)
        history, identity = told.history(), self._identity(complete)
        summary = told.summary(history, self._facts(complete))
        result = self._keep(self.directory, summary, lambda: history.contents(identity), complete=complete)
        if self.directory is not None and self.case.output.fields:
            self.study.write_fields(self.directory, self.progress)
        return result
