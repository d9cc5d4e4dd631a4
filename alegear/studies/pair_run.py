"""Runs of cases of two gears: wheels prepared, solved, results and fields written."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.checks.design_warnings import beside_iso
from alegear.checks.elastic_inertia import elastic_inertia_warnings
from alegear.checks.gear_data import case_warnings
from alegear.checks.strength import Strength
from alegear.contact.numbering import PINION
from alegear.progress import warn
from alegear.results.dynamic_result import (
    DynamicHistory,
    Identity,
    dynamic_dataset,
    dynamic_summary,
    transient_warnings,
    write_dynamic,
)
from alegear.results.linear_response import LinearResponse
from alegear.results.modal_result import modal_dataset, modal_summary
from alegear.results.result import Result
from alegear.results.summary import RunFacts
from alegear.results.sweep_result import sweep_dataset, sweep_summary
from alegear.results.wear import wear_warnings
from alegear.storage.store import write_files, write_summary
from alegear.studies.case_run import CaseRun, pair_facts
from alegear.studies.contact_warnings import contact_warnings
from alegear.studies.dynamic import DynamicStudy, field_times
from alegear.studies.fields import FieldFrame, write_fields, write_mode_fields
from alegear.studies.linear_sweep import linear_at_ends, pair_answer, reference_of, sweep_warnings
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.modal import ModalStudy
from alegear.studies.preparation import prepare
from alegear.studies.sweep import sweep_history
from alegear.studies.wear import wear_of

if TYPE_CHECKING:
    import xarray as xr

    from alegear.reduction.normal_modes import NormalModes
    from alegear.results.root_fillet import RootFillet
    from alegear.storage.recorded_samples import Samples


class PairRun(CaseRun[Case]):
    """One run of a prepared case: solve, then write; on failure write what there is.

    What a kind of study has besides is in the classes below.
    """

    study: DynamicStudy | None = None
    writing_since: float | None = None

    @property
    def wants_fields(self) -> bool:
        """Whether stress fields are written."""
        return self.case.output.fields and self.directory is not None

    def compute(self, planned: Callable[[], None]) -> Result:
        """Do everything; what is in the directory afterwards is complete."""
        self.prepared = prepare(
            self.case,
            self.progress,
            fields=self.wants_fields,
            out=self.directory,
            written=self.written,
            planned=planned,
        )
        self.seconds.update(self.prepared.seconds)
        self.solver = MeshSolver.of(self.case, self.prepared.contact, self.prepared.gears)
        self.progress.stage("solve")
        begun = time.perf_counter()
        with threadpool_limits(limits=1, user_api="blas"):
            # a contact solve is a few hundred unknowns: threads cost more than they bring
            result = self._solve_and_write(begun)
        if self.directory is None:
            return result
        # only now is known how long all that took
        summary = result.summary | {"seconds": self._seconds()}
        write_summary(self.directory, summary)
        return result.with_summary(summary)

    def _solve_and_write(self, begun: float) -> Result:
        self._solve()
        self.seconds["solve"] = time.perf_counter() - begun
        self.writing_since = time.perf_counter()
        return self._write()

    @abstractmethod
    def _solve(self) -> None:
        """Make the study and run it."""

    @abstractmethod
    def _store(self, *, complete: bool) -> Result:
        """Write the numbers, or where nothing is to be written make the dataset."""

    @abstractmethod
    def _frames(self) -> list[FieldFrame]:
        """What the fields are made from: rotations without load and what the load adds."""

    def _modes(self) -> tuple[NormalModes, NormalModes] | None:
        """Modes in which the gears of the frames vibrate."""
        return None

    def _of_study(self) -> dict[str, object]:
        """What a summary says of this kind of study."""
        return {}

    def keep(self) -> bool:
        """After a failure: write what has been computed, marked incomplete; whether there is any."""
        if self.study is None or not len(self.study.recorder):
            return False
        self._store(complete=False)
        return True

    # ------------------------------------------------------------------ output
    def _write(self) -> Result:
        """Write everything: the fields here, which leave Python most of the time, the numbers in a thread beside."""
        if not self.wants_fields:
            self.progress.stage("write")
            return self._store_and_report()
        assert self.directory is not None
        self.progress.stage("fields")
        assert self.study is not None
        samples = self.study.history().samples  # before the thread beside reads them
        # the threads that write the fields are at work already
        with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(1) as beside:
            numbers = beside.submit(self._store_and_report)
            write_fields(self.directory, self.prepared, self._frames(), self.progress, self._modes(), samples)
            self.progress.stage("write")
            return numbers.result()

    def _store_and_report(self) -> Result:
        result = self._store(complete=True)
        if self.report is not None and self.directory is not None:
            self.report(result, self.directory)
        return result

    def _keep(self, dataset: xr.Dataset, summary: dict) -> Result:
        """Write a dataset that is in memory, if it is to be written."""
        if self.directory is not None:
            write_files(self.directory, dataset, summary)
        return Result(dataset=dataset, summary=summary, directory=self.directory)

    def _facts(self, history: DynamicHistory | None, *, complete: bool) -> RunFacts:
        """What a summary says beyond the history; a sweep has none."""
        case, study = self.case, self.study
        assert study is not None
        extra: dict[str, object] = {
            "warnings": self._warnings(history),
            "tooth_change_threshold": study.window.phase,
        }
        if (strength := self._strength(history)) is not None:
            extra |= study.recorder.tip_contact.in_summary() | strength.summary()
        extra |= beside_iso(case, self.prepared.sectors, self._stiffness).summary()
        extra |= self._of_study()
        return pair_facts(
            case,
            self.prepared,
            seconds=self._seconds(),
            case_sha256=self.sha256,
            complete=complete,
            extra=extra,
        )

    def _warnings(self, history: DynamicHistory | None) -> list[str]:
        """What the results are to be read with caution for; of a sweep, which has no history, what its speeds say."""
        assert self.study is not None
        found = case_warnings(self.case, self.prepared.sectors, self._stiffness) + self._warnings_of_study()
        samples = self._samples(history)
        if samples is not None:
            found += contact_warnings(
                self.case,
                self.prepared.contact,
                samples,
                tip_contact=self.study.recorder.tip_contact,
                strength=self._strength(history),
            )
        return found

    def _samples(self, history: DynamicHistory | None) -> Samples | None:
        """Samples of the contact; None where there are none."""
        return None if history is None else history.samples

    def _strength(self, history: DynamicHistory | None) -> Strength | None:
        """What the contact says of the strengths of both gears; None where nothing was recorded."""
        samples = self._samples(history)
        return None if samples is None else Strength.of(self.case, samples, self._cycle(history))

    def _cycle(self, history: DynamicHistory | None) -> RootFillet | None:
        """The cycle of the roots."""
        assert self.study is not None
        return self.study.recorder.root_fillet()

    def _warnings_of_study(self) -> list[str]:
        """What the study itself has seen."""
        return []

    @property
    @abstractmethod
    def _stiffness(self) -> float | None:
        """Mean mesh stiffness at rest under the load [N/m]."""

    def _seconds(self) -> dict[str, float]:
        """Wall time of the stages up to now [s]."""
        now = time.perf_counter()
        writing = 0.0 if self.writing_since is None else now - self.writing_since
        return self.seconds | {"write": writing, "total": now - self.started}


class MotionRun(PairRun):
    """A motion."""

    study: DynamicStudy | None = None

    def _solve(self) -> None:
        analysis = self.case.analysis
        assert isinstance(analysis, DynamicAnalysis)  # as RUNS says
        times = field_times(self.case) if self.wants_fields else ()
        self.study = DynamicStudy(self.prepared, self.solver, self.case, frame_times=times)
        self.study.run(self.progress, self.checkpoint)

    def _store(self, *, complete: bool) -> Result:
        assert self.study is not None
        history, ramp = replace(self.study.history(), wear=wear_of(self.case)), self.study.analysis.ramp
        summary = dynamic_summary(history, self._facts(history, complete=complete), ramp=ramp)
        summary["warnings"] = summary["warnings"] + wear_warnings(summary)
        if complete and self.case.operation.is_constant:
            summary["warnings"] = summary["warnings"] + transient_warnings(history, ramp)
        identity = Identity(title=self.case.title, case_sha256=self.sha256, complete=complete)
        if self.directory is None:
            return Result(summary=summary, dataset=dynamic_dataset(history, identity, ramp=ramp))
        write_dynamic(self.directory, history, identity, ramp=ramp)
        write_summary(self.directory, summary)
        return Result(summary=summary, directory=self.directory)

    def _of_study(self) -> dict[str, object]:
        assert self.study is not None
        extra: dict[str, object] = {}
        if self.checkpoint is not None and self.checkpoint.reached is not None:
            extra["resumed_at_s"] = self.checkpoint.reached  # the times are of the part from there on
        # on fixed axes and shafts; where bearings give way or wheels vibrate a modal study tells that of the pair
        fixed_axis = self.study.stiffness.natural_frequency / (2.0 * np.pi)
        extra["mesh_natural_frequency_fixed_axes_Hz"] = fixed_axis
        if not self.study.analysis.normal_modes and all(support is None for support in self.case.supports):
            extra["mesh_natural_frequency_Hz"] = fixed_axis
        return extra

    @property
    def _stiffness(self) -> float | None:
        return None if self.study is None else self.study.stiffness.mean

    def _warnings_of_study(self) -> list[str]:
        assert self.study is not None
        found = self.study.warnings + self.study.displacement_limit.warnings()
        return found + elastic_inertia_warnings(self.case, self.study.stiffness.mean, self.prepared.sectors)

    def _frames(self) -> list[FieldFrame]:
        assert self.study is not None
        r_b, driven = [gear.r_b for gear in self.prepared.contact.pair.gears], 1 - self.study.pair.driving
        frames = []
        for t, motion, face_force in self.study.frames:
            phi = motion.local.copy()
            phi[driven] = phi[1 - driven] * r_b[1 - driven] / r_b[driven]
            pinion, wheel = np.split(motion.vibration, [len(self.study.pair.modes[PINION])])
            frames.append(
                FieldFrame(
                    label=t,
                    phi=phi,
                    ahead=motion.local - phi,
                    face_force=face_force,
                    first_pair=motion.first_pair,
                    vibration=(pinion, wheel),
                )
            )
        return frames

    def _modes(self) -> tuple[NormalModes, NormalModes] | None:
        return None if self.study is None else self.study.modes


class SweepRun(MotionRun):
    """A motion over a range of speeds, of which statistics are kept; it has no fields."""

    @property
    def wants_fields(self) -> bool:
        """False."""
        return False

    linear: LinearResponse | None = None
    #: Static orders and modes beside a motion without a linearised response.
    reference: LinearResponse | None = None
    #: What is not known without them.
    unknown: Sequence[str] = ()

    def _samples(self, history: DynamicHistory | None) -> Samples | None:
        """Those of the motion that the statistics are of."""
        assert self.study is not None
        return self.study.samples if len(self.study.recorder) else None

    def _warnings_of_study(self) -> list[str]:
        found, analysis = super()._warnings_of_study(), self.case.analysis
        assert isinstance(analysis, SweepAnalysis)
        return [*found, *self.unknown, *sweep_warnings(self.linear, self.reference, analysis)]

    def _solve(self) -> None:
        analysis = self.case.analysis
        assert isinstance(analysis, SweepAnalysis)  # as RUNS says
        if analysis.is_linear:
            self.study = DynamicStudy(self.prepared, self.solver, self.case, frame_times=())
            self.linear = pair_answer(self.study, self.progress)
        elif (case := linear_at_ends(self.case)) is not None:
            study = DynamicStudy(self.prepared, self.solver, case, frame_times=())
            self.reference, self.unknown = reference_of(lambda: pair_answer(study, self.progress))
        if analysis.moves:
            for warning in [*self.unknown, *sweep_warnings(self.linear, self.reference, analysis)]:
                warn(self.progress, warning)
            super()._solve()

    def keep(self) -> bool:
        """After a failure: write what has been computed, marked incomplete; whether there is any."""
        if self.linear is None or (self.study is not None and len(self.study.recorder)):
            return super().keep()
        self._store(complete=False)
        return True

    def _store(self, *, complete: bool) -> Result:
        assert self.study is not None
        moved = len(self.study.recorder) > 0
        swept = sweep_history(self.study, idle=not self.case.operation.pinion_torque) if moved else None
        answers, title = (self.linear, self.reference), self.case.title
        dataset = sweep_dataset(
            swept, self.linear, reference=self.reference, title=title, case_sha256=self.sha256, complete=complete
        )
        return self._keep(dataset, sweep_summary(swept, self._facts(None, complete=complete), *answers))


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
    "dynamic": MotionRun,
    "sweep": SweepRun,
    "modal": ModalRun,
}
