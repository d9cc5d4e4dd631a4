"""The run of a motion in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import output_every
from alegear.checks.elastic_inertia import elastic_inertia_warnings
from alegear.results.contact_result import contact_dataset, contact_summary, transient_warnings, write_contact
from alegear.results.dataset import Identity
from alegear.results.machine_result import MachineHistory, write_machine
from alegear.results.switch_events import write_events
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.runs import ContactRun, MeshResult
from alegear.system.time_integration.stop_times import StopTimes

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase

#: Fields of a motion that names no times.
DEFAULT_FRAMES = 20


class MotionRun(ContactRun[DynamicStudy]):
    """A motion; its samples are written chunk by chunk."""

    def _solve(self) -> None:
        analysis = self.case.analysis
        assert isinstance(analysis, DynamicAnalysis)  # as `run.py` has it
        times = field_times(self.case) if self.wants_fields else ()
        self._study = DynamicStudy(self.case, self.prepared, frame_times=times)
        self.study.run(self.progress, self.checkpoint)

    def _writer(self, history: MachineHistory, identity: Identity) -> Callable[[Path], object] | None:
        def write(folder: Path) -> None:
            write_machine(folder, history, identity)
            if history.names.get("switch"):
                write_events(folder, history.events)

        return write

    def _of_mesh(self, name: str, facts: Mapping[str, Any], identity: Identity) -> MeshResult:
        history, ramp = replace(self.study.mesh_history(name), wear=self._wear(name)), self.study.analysis.ramp
        settled = identity.complete and self.case.is_constant
        return MeshResult(
            samples=history.samples,
            summary=contact_summary(history, {**self._contact_ratios(name), **facts}, ramp=ramp),
            dataset=lambda: contact_dataset(history, identity, ramp=ramp),
            write=lambda folder: write_contact(folder, history, identity, ramp=ramp),
            warnings=self._inertia(name) + (transient_warnings(history, ramp) if settled else []),
        )

    def _stiffness_at_rest(self, name: str, summary: Mapping[str, Any]) -> float:
        return self.study.stiffness[name]

    def _of_study(self, name: str) -> dict[str, object]:
        extra: dict[str, object] = {}
        if self.checkpoint is not None and self.checkpoint.reached is not None:
            extra["resumed_at_s"] = self.checkpoint.reached  # the times are of the part from there on
        # where bearings give way or wheels vibrate a modal study tells that of the pair
        fixed_axis = self.study.frequencies[name] / (2.0 * math.pi)
        extra["mesh_natural_frequency_fixed_axes_Hz"] = fixed_axis
        if not self.study.analysis.normal_modes and not self.study.built.contacts[name].displaced:
            extra["mesh_natural_frequency_Hz"] = fixed_axis
        return extra

    def _warnings_of_preset(self, case: Case, name: str) -> list[str]:
        return [*self.study.warnings, *self.study.displacements[name].warnings()]

    def _inertia(self, name: str) -> list[str]:
        """What the inertia of wheels that do not vibrate leaves out in a mesh."""
        of_pair = self.case.pair_case(self.case.layout.place(name))
        return elastic_inertia_warnings(of_pair, self.study.stiffness[name], self.prepared[name].sectors)


def field_times(case: MachineCase) -> tuple[float, ...]:
    """Times [s] of the stress fields of a motion: those that are asked for, else evenly some of the output.

    At a time of the output the curves have the stress of the field, too.
    """
    analysis = case.analysis
    assert isinstance(analysis, DynamicAnalysis)
    if case.output.field_times is not None:
        return case.output.field_times
    stops = StopTimes.of(analysis.duration, output_every(case))
    numbers = np.rint(np.linspace(0, stops.n_outputs - 1, DEFAULT_FRAMES)).astype(int)
    return tuple(stops.outputs(0, stops.n_outputs)[np.unique(numbers)].tolist())
