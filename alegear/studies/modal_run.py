"""Runs of modes: of a machine, and of two gears by themselves."""

from __future__ import annotations

from alegear.checks.design_warnings import beside_iso
from alegear.checks.gear_data import case_warnings
from alegear.results.modal_result import machine_modes_summary, modal_summary
from alegear.results.result import Result
from alegear.results.summary import RunFacts
from alegear.studies.case_run import CaseRun
from alegear.studies.fields import write_mode_fields
from alegear.studies.machine_modal import MachineModalStudy
from alegear.studies.modal import ModalStudy


class MachineModalRun(CaseRun[MachineModalStudy]):
    """Modes of a machine."""

    def keep(self) -> bool:
        """Nothing: parts of a study that fails say nothing alone."""
        return False

    def _solve(self) -> None:
        self._study = MachineModalStudy(self.case, self.prepared)
        self.study.run(self.progress)

    def _store(self, *, complete: bool) -> Result:
        history = self.study.history()
        return self._keep(
            self.directory,
            machine_modes_summary(history, self._facts(complete)),
            lambda: history.dataset(self._identity(complete)),
            complete=complete,
        )


class PairModalRun(CaseRun[ModalStudy]):
    """Modes of two gears by themselves: of both wheels, held and free, and of the loaded pair."""

    def keep(self) -> bool:
        """Nothing, as of a machine."""
        return False

    def _solve(self) -> None:
        (prepared,) = self.prepared.values()
        self._study = ModalStudy(self.case, prepared)
        self.study.run(self.progress)

    def _store(self, *, complete: bool) -> Result:
        case, history, (prepared,) = self.study.case, self.study.history(), self.prepared.values()
        facts = RunFacts(
            contact_ratio_nominal=case.pair.eps_alpha_usable,
            dof_full=sum(w.dof_full for w in prepared.wheels),
            dof_boundary=sum(w.dof_boundary for w in prepared.wheels),
            seconds=dict(self.seconds),
            case_sha256=self.sha256,
            complete=complete,
            extra={
                "warnings": case_warnings(case, prepared.sectors, history.values["mesh_stiffness"]),
                **beside_iso(case, prepared.sectors, history.values["mesh_stiffness"]).summary(),
                "contact_law": case.law,
                "memory_estimate_MB": 1e-6 * prepared.memory,
            },
        )
        result = self._keep(
            self.directory,
            modal_summary(history, facts),
            lambda: history.dataset(self._identity(complete)),
            complete=complete,
        )
        if self.directory is not None and case.output.fields:
            self.progress.stage("fields")
            write_mode_fields(self.directory, self.study, self.progress)
        return result
