"""The run of a sweep over speeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from alegear.case.sweep import SweepAnalysis
from alegear.progress import warn
from alegear.results.dataset import Identity
from alegear.results.linear_response import LinearResponse
from alegear.results.result import Result
from alegear.results.sweep_result import machine_sweep_summary, sweep_contents, sweep_summary
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.linear_sweep import linear_at_ends, linearised_response, reference_of, sweep_warnings
from alegear.studies.motion_run import MotionRun
from alegear.studies.runs import MeshResult
from alegear.studies.sweep import PairAtRest, machine_response, mesh_response, meshes_at_rest

if TYPE_CHECKING:
    from alegear.case.case import Case


class SweepRun(MotionRun):
    """Orders over a range of speeds, by statistics of a motion and by a linearised response; no fields."""

    linear: LinearResponse | None = None
    #: Static orders and modes beside a motion without a linearised response.
    reference: LinearResponse | None = None
    #: What is not known without them.
    unknown: Sequence[str] = ()

    def _warnings(self) -> list[str]:
        return [*super()._warnings(), *self._warnings_of_response()]

    def _warnings_of_preset(self, case: Case, name: str) -> list[str]:
        return [*super()._warnings_of_preset(case, name), *self._warnings_of_response()]

    def _warnings_of_response(self) -> list[str]:
        analysis = self.case.analysis
        assert isinstance(analysis, SweepAnalysis)  # as `run.py` has it
        return [*self.unknown, *sweep_warnings(self.linear, self.reference, analysis)]

    def _solve(self) -> None:
        analysis = self.case.analysis
        assert isinstance(analysis, SweepAnalysis)  # as `run.py` has it
        if analysis.is_linear:
            self._study = DynamicStudy(self.case, self.prepared)
            self.linear = linearised_response(self.study, self.progress)
        elif (case := linear_at_ends(self.case)) is not None:
            self.reference, self.unknown = reference_of(
                lambda: linearised_response(DynamicStudy(case, self.prepared), self.progress)
            )
        if analysis.moves:
            for warning in self._warnings_of_response():
                warn(self.progress, warning)
            super()._solve()

    def keep(self) -> bool:
        """After a failure: write what has been computed, marked incomplete; whether there is any."""
        if self.linear is None or (self._study is not None and len(self._study)):
            return super().keep()
        self._store(complete=False)
        return True

    @property
    def wants_fields(self) -> bool:
        """False."""
        return False

    @cached_property
    def _at_rest(self) -> Mapping[str, PairAtRest]:
        """Flexible meshes in equilibrium; of what idles, which carries nothing there, none."""
        return {} if self.case.idles else meshes_at_rest(self.study)

    def _of_mesh(self, name: str, facts: Mapping[str, Any], identity: Identity) -> MeshResult:
        swept, samples, linear, reference = None, None, self.linear, self.reference
        if len(self.study):
            swept = mesh_response(self.study, name, self._at_rest.get(name))
            samples = self.study.samples.part(name)
        if self.case.preset is None and (known := linear or reference) is not None:
            linear, reference = None, known.of_mesh(name)
        static = (linear, reference) if self.case.preset is not None else ()
        return MeshResult(
            samples=samples,
            summary=sweep_summary(swept, facts, *static),
            contents=lambda: sweep_contents(swept, linear, identity, reference=reference, pair=True),
            warnings=self._inertia(name),
        )

    def _store(self, *, complete: bool) -> Result:
        """Write the response over the speed of the machine, and of each flexible mesh as that of a pair."""
        study, case = self.study, self.case
        if case.preset is not None:
            return self._store_preset(case.preset, complete)
        self.contact_warnings = []
        moved = len(study) > 0
        summaries = {
            name: self._store_mesh(name, case.pair_case(study.layout.place(name)), complete)
            for name in (study.recorders if moved else ())
        }
        response, linear, reference = machine_response(study) if moved else None, self.linear, self.reference
        return self._keep(
            self.directory,
            machine_sweep_summary(response, summaries, self._facts(complete), linear, reference),
            lambda: sweep_contents(response, linear, self._identity(complete), reference=reference, pair=False),
            complete=complete,
        )
