"""One run of a case of a machine: meshes prepared, solved together, results of the machine and of each mesh."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import MachineCase
from alegear.case.machine_analysis import MachineStatic
from alegear.case.modal import ModalAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.checks.design_warnings import beside_iso
from alegear.checks.elastic_inertia import elastic_inertia_warnings
from alegear.checks.gear_data import case_warnings
from alegear.checks.mesh_stiffness import StiffnessBesideIso
from alegear.checks.strength import COMPRESSION, Strength
from alegear.progress import warn
from alegear.recording.gear_supports import GearSupports
from alegear.results.contact_result import contact_dataset, contact_summary, transient_warnings, write_contact
from alegear.results.dataset import Identity
from alegear.results.linear_response import LinearResponse
from alegear.results.machine_modes import machine_modes_dataset, machine_modes_summary
from alegear.results.machine_result import MachineHistory, machine_dataset, machine_summary, write_machine
from alegear.results.machine_shape import write_shape
from alegear.results.modal_result import modal_dataset, modal_summary
from alegear.results.result import Result
from alegear.results.rotational_result import write_events
from alegear.results.summary import RunFacts
from alegear.results.sweep_result import machine_sweep_summary, sweep_dataset, sweep_summary
from alegear.results.wear import Wear, wear_warnings
from alegear.signals.expected import write_expected
from alegear.storage.store import write_summary
from alegear.storage.stored_files import MESHES
from alegear.studies.case_run import CaseRun, pair_facts
from alegear.studies.contact_warnings import contact_warnings, precision_warnings
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.fields import write_fields, write_mode_fields
from alegear.studies.grid_estimate import SecondGrid, coarser, grid_warnings
from alegear.studies.linear_sweep import linear_at_ends, linearised_response, reference_of, sweep_warnings
from alegear.studies.machine_modal import MachineModalStudy
from alegear.studies.modal import ModalStudy
from alegear.studies.motion_steps import field_times
from alegear.studies.static import StaticStudy
from alegear.studies.sweep import PairAtRest, machine_response, mesh_response, meshes_at_rest
from alegear.studies.wear import wear_of

if TYPE_CHECKING:
    import xarray as xr

    from alegear.case.case import Case
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.storage.recorded_samples import Samples


Contacts = TypeVar("Contacts", bound=StaticStudy | DynamicStudy)


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
            lambda: machine_modes_dataset(history, self._identity(complete)),
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
                "warnings": case_warnings(case, prepared.sectors, history.mesh_stiffness),
                **beside_iso(case, prepared.sectors, history.mesh_stiffness).summary(),
                "contact_law": case.law,
                "memory_estimate_MB": 1e-6 * prepared.memory,
            },
        )
        result = self._keep(
            self.directory,
            modal_summary(history, facts),
            lambda: modal_dataset(history, self._identity(complete)),
            complete=complete,
        )
        if self.directory is not None and case.output.fields:
            self.progress.stage("fields")
            write_mode_fields(self.directory, self.study, self.progress)
        return result


class ContactRun(CaseRun[Contacts]):
    """Positions or times: the machine as a whole, and the contact of each mesh as that of a pair."""

    #: Warnings of the contact of meshes that were stored last.
    contact_warnings: Sequence[str] = ()

    @property
    def wants_fields(self) -> bool:
        """Whether stress fields are written: into a folder, if they are wanted."""
        return self.case.output.fields and self.directory is not None

    def _write(self) -> Result:
        """Write everything: the fields here, which leave Python most of the time, the numbers in a thread beside."""
        if not self.wants_fields:
            return super()._write()
        assert self.directory is not None
        self.progress.stage("fields")
        samples = {name: self.study.mesh_history(name).samples for name in self.study.recorders}
        with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(1) as beside:
            numbers = beside.submit(self._store, complete=True)
            for name in self.study.recorders:
                folder = self._folder_of(name)
                folder.mkdir(parents=True, exist_ok=True)
                modes = self.study.modes.get(name)
                write_fields(folder, self.prepared[name], self.study.frames(name), self.progress, modes, samples[name])
            self.progress.stage("write")
            return numbers.result()

    def _store(self, *, complete: bool) -> Result:
        study, case = self.study, self.case
        if case.preset is not None:
            return self._store_preset(case.preset, complete)
        self.contact_warnings = []
        summaries = {}
        for place in case.layout.meshes:
            if place.mesh.name in study.recorders:
                summaries[place.mesh.name] = self._store_mesh(place.mesh.name, case.pair_case(place), complete)
            elif (mean := _mean_stiffness(study.history(), place.mesh.name)) is not None:
                summaries[place.mesh.name] = _stiffness_of_rigid_bodies(case, place, mean)
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)
            write_shape(self.directory, case.layout, study.shown_angles())
            write_expected(self.directory, case, tuple(shaft.name for shaft in case.shafts))
        history, identity = study.history(), self._identity(complete)
        return self._keep(
            self.directory,
            machine_summary(history, summaries, self._facts(complete)),
            lambda: machine_dataset(history, identity),
            self._writer(history, identity),
            complete=complete,
        )

    def _warnings(self) -> list[str]:
        return [*super()._warnings(), *self.contact_warnings]

    def _writer(self, history: MachineHistory, identity: Identity) -> Callable[[Path], object] | None:
        """Writes the machine as a whole to a folder, chunk by chunk; None: it is in memory."""
        return None

    @abstractmethod
    def _of_mesh(self, name: str, facts: RunFacts, identity: Identity) -> MeshResult:
        """Contact of a mesh."""

    def _store_mesh(self, name: str, case: Case, complete: bool) -> Mapping[str, Any]:
        """Write the contact of a mesh as that of a pair, and return its summary."""
        found = self._mesh_result(name, case, complete)
        self.contact_warnings = [*self.contact_warnings, *(f"mesh {name}: {one}" for one in found.warnings)]
        summary = {**found.summary, "warnings": found.warnings}
        if self.directory is not None:
            self._keep(self._folder_of(name), summary, found.dataset, found.write, complete=complete)
        else:
            self.meshes[name] = Result(dataset=found.dataset(), summary=summary)
        return found.summary

    def _store_preset(self, case: Case, complete: bool) -> Result:
        """Write the contact of the one mesh of two gears, and what is known of the case besides."""
        ((name, prepared),) = self.prepared.items()
        found = self._mesh_result(name, case, complete)
        warnings = case_warnings(case, prepared.sectors, self.stiffness.get(name))
        warnings += self._warnings_of_preset(case, name) + found.warnings
        summary = {**found.summary, "seconds": dict(self.seconds), "warnings": warnings}
        return self._keep(self.directory, summary, found.dataset, found.write, complete=complete)

    @abstractmethod
    def _warnings_of_preset(self, case: Case, name: str) -> list[str]:
        """What the study of two gears has seen, besides their contact."""

    def _mesh_result(self, name: str, case: Case, complete: bool) -> MeshResult:
        """Contact of a mesh, with all that is said of it."""
        prepared = self.prepared[name]
        self.study.recorders[name].flush()  # what it says of edges beside the roots is of all samples
        facts = self._facts_of_mesh(case, name, complete)
        found = self._of_mesh(name, facts, self._identity(complete, case.title))
        summary = found.summary | self._beside_iso(case, name, found.summary)
        if found.samples is None:
            return replace(found, summary=summary)
        strength = self._strength(case, name, found.samples)
        summary |= self.study.recorders[name].tip_contact.in_summary() | strength.summary()
        warnings = contact_warnings(
            case,
            prepared.contact,
            found.samples,
            tip_contact=self.study.recorders[name].tip_contact,
            strength=strength,
            flanks=found.slices,
        )
        return replace(found, summary=summary, warnings=warnings + wear_warnings(summary) + found.warnings)

    def _strength(self, case: Case, name: str, samples: Samples) -> Strength:
        """What the contact of a mesh says of the strengths of its gears."""
        return Strength.of(case, samples, self.study.root_cycle(name), self._on_the_same_roots(name))

    def _on_the_same_roots(self, name: str) -> tuple[float, float]:
        """Smallest stress [Pa] that other meshes put on the roots of both gears, of idlers: their other flanks carry.

        A root under a flank that carries in this mesh is pressed while the other flank of its tooth carries in another.
        It is taken as if that met the same point of the root, which is on the safe side.
        """
        place, found = self.case.layout.place(name), [0.0, 0.0]
        for g, gear in enumerate(place.mesh.gears):
            for other in self.case.layout.meshes:
                if other.mesh.name == name or other.mesh.name not in self.study.recorders:
                    continue
                if gear not in other.mesh.gears:
                    continue
                if (other.mesh.gears.index(gear) == other.source) == (g == place.source):
                    continue
                cycle = self.study.root_cycle(other.mesh.name)
                if cycle is not None:
                    lowest = cycle.lowest[other.mesh.gears.index(gear), COMPRESSION]
                    found[g] = min(found[g], float(np.nanmin(lowest, initial=0.0)))
        return found[0], found[1]

    def _folder_of(self, mesh: str) -> Path:
        """Folder of the result of a mesh: that of two gears is the whole result."""
        assert self.directory is not None
        return self.directory if self.case.preset is not None else self.directory / MESHES / mesh

    def _beside_iso(self, case: Case, name: str, summary: Mapping[str, Any]) -> dict[str, Any]:
        """Mesh stiffness of a summary beside ISO 6336-1; empty where there is none."""
        mean = self._stiffness_at_rest(name, summary)
        if not mean:
            return {}
        self.stiffness[name] = mean
        return beside_iso(case, self.prepared[name].sectors, mean).summary()

    def _stiffness_at_rest(self, name: str, summary: Mapping[str, Any]) -> float:
        """Mean mesh stiffness at rest under the load [N/m]; 0 where there is none."""
        return 1e6 * (summary["mesh_stiffness_mean_N_per_um"] or 0.0)

    def _wear(self, name: str) -> Wear:
        """How the wear quantities of a mesh follow from its contact."""
        return wear_of(self.case.pair_case(self.case.layout.place(name)))

    def _facts_of_mesh(self, case: Case, name: str, complete: bool) -> RunFacts:
        """What the summary of a mesh says beside its results."""
        prepared = self.prepared[name]
        return pair_facts(
            case,
            prepared,
            seconds=prepared.seconds,
            case_sha256=self.sha256,
            complete=complete,
            extra={
                "tooth_change_threshold": self.study.windows[name].phase,
                **self._of_study(name),
            },
        )

    def _of_study(self, name: str) -> dict[str, object]:
        """What the summary of a mesh says of this kind of study."""
        return {}


def _mean_stiffness(history: MachineHistory, mesh: str) -> float | None:
    """Mean stiffness of a mesh [N/m]; None of teeth that are rigid."""
    stiffness = history.values["mesh_stiffness"][:, list(history.labels["mesh"]).index(mesh)]
    mean = float(np.mean(stiffness)) if len(stiffness) else math.nan
    return mean if mean > 0.0 else None


def _stiffness_of_rigid_bodies(case: MachineCase, place: MeshPlace, mean: float) -> dict[str, Any]:
    """Mean stiffness [N/m] of a mesh whose wheels are rigid but for their teeth, beside that of ISO 6336-1."""
    materials = [case.layout.gears[name].material for name in place.mesh.gears]
    beside = StiffnessBesideIso(pair=place.pair, materials=materials, bores=(None, None), computed=mean)
    return {"mesh_stiffness_mean_N_per_um": 1e-6 * mean, **beside.summary()}


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshResult:
    """Contact of a mesh as that of a pair.

    Attributes
    ----------
    samples : Samples or None
        None: nothing moved.
    summary : dict
    dataset : callable
        Makes it in memory.
    write : callable or None
        Writes it to a folder, chunk by chunk.
    slices : (array, array) or None
        Line and tooth loads, of teeth that do not vibrate: else back flanks are part of it.
    warnings : list of str
        What the motion itself is to be read with caution for.
    """

    samples: Samples | None
    summary: dict[str, Any]
    dataset: Callable[[], xr.Dataset]
    write: Callable[[Path], object] | None = None
    slices: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    warnings: list[str] = field(default_factory=list)


class StaticRun(ContactRun[StaticStudy]):
    """Positions under constant torques; coarser grids beside say how far they depend on theirs."""

    second: SecondGrid | None = None
    #: Peak-to-peak transmission errors on it.
    coarse: Future[dict[str, float]] | None = None

    def _solve(self) -> None:
        self.second = self._second_grid()
        try:
            self._study = StaticStudy(self.case, self.prepared)
            coarse = None if self.second is None else self.second.peak_to_peak(self.study.windows)
            self.study.run(self.progress)
            self.coarse = coarse
        except BaseException:
            self._give_up()
            raise

    def _second_grid(self) -> SecondGrid | None:
        """Begin with a coarser grid, from which the study sees how far it depends on its own."""
        assert isinstance(self.case.analysis, MachineStatic)
        if not self.case.analysis.grid_estimate:
            return None
        coarse = coarser(self.case, {name: len(one.contact.slices()) - 1 for name, one in self.prepared.items()})
        return None if coarse is None else SecondGrid(coarse, sum(one.memory for one in self.prepared.values()))

    def _give_up(self) -> None:
        if self.second is not None:
            self.second.cancel()

    def _write(self) -> Result:
        try:
            return self._with_grid_estimate(super()._write())
        except BaseException:
            self._give_up()
            raise

    def _with_grid_estimate(self, result: Result) -> Result:
        """Add to the summaries what the second grid says; waits for that."""
        if self.second is None or self.coarse is None:
            return result
        found, summary = self.coarse.result(), dict[str, Any](result.summary)
        summary["memory_estimate_MB"] += 1e-6 * self.second.memory
        for name, there in found.items():
            change, warnings = self._beside_grid(name, there)
            if self.case.preset is not None:
                summary |= {"te_peak_to_peak_grid_um": change, "warnings": [*summary["warnings"], *warnings]}
                continue
            summary["meshes"][name] |= {"te_peak_to_peak_grid_um": change}
            summary["warnings"] = [*summary["warnings"], *(f"mesh {name}: {warning}" for warning in warnings)]
            one = result.meshes()[name]
            own = dict[str, Any](one.summary)
            own |= {"te_peak_to_peak_grid_um": change, "warnings": [*own["warnings"], *warnings]}
            if self.directory is not None:
                write_summary(self._folder_of(name), own)
            else:
                self.meshes[name] = one.with_summary(own)
        if self.directory is None:
            return Result(dataset=result.dataset, summary=summary, meshes=dict(self.meshes))
        return result.with_summary(summary)

    def _beside_grid(self, name: str, there: float) -> tuple[float, list[str]]:
        """Change of the peak-to-peak transmission error [um] of a mesh by the second grid, [m] there; and warnings."""
        place = self.case.layout.place(name)
        change = abs(there - self.study.peak_to_peak(name, slice(self.study.analysis.positions_per_pitch)))
        return 1e6 * change, grid_warnings(self.study.peak_to_peak(name), change, place.pair.pinion.m_n)

    def _warnings_of_preset(self, case: Case, name: str) -> list[str]:
        return self.study.displacements[name].warnings() + precision_warnings(case, self.study.missed(name))

    def _of_mesh(self, name: str, facts: RunFacts, identity: Identity) -> MeshResult:
        weight = None  # of gears that give way
        if self.case.preset is not None:
            masses = [wheel.mass for wheel in self.prepared[name].wheels]
            supports = GearSupports(self.case.preset, self.study.record, name, masses)
            weight = supports.weight if supports.displaced else None
        history = replace(self.study.mesh_history(name, weight), wear=self._wear(name))
        return MeshResult(
            samples=history.samples,
            summary=contact_summary(history, facts) | {"te_peak_to_peak_grid_um": None},
            dataset=lambda: contact_dataset(history, identity),
            slices=(history.line_load, history.tooth_load),
        )


class MotionRun(ContactRun[DynamicStudy]):
    """A motion; its samples are written chunk by chunk."""

    def _solve(self) -> None:
        analysis = self.case.analysis
        assert isinstance(analysis, DynamicAnalysis)  # as RUNS says
        times = field_times(self.case) if self.wants_fields else ()
        self._study = DynamicStudy(self.case, self.prepared, frame_times=times)
        self.study.run(self.progress, self.checkpoint)

    def _writer(self, history: MachineHistory, identity: Identity) -> Callable[[Path], object] | None:
        def write(folder: Path) -> None:
            write_machine(folder, history, identity)
            if history.names.get("switch"):
                write_events(folder, history.events)

        return write

    def _of_mesh(self, name: str, facts: RunFacts, identity: Identity) -> MeshResult:
        history, ramp = replace(self.study.mesh_history(name), wear=self._wear(name)), self.study.analysis.ramp
        settled = identity.complete and self.case.is_constant
        return MeshResult(
            samples=history.samples,
            summary=contact_summary(history, facts, ramp=ramp),
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
        return [*self.study.record.warnings, *self.study.record.displacements[name].warnings()]

    def _inertia(self, name: str) -> list[str]:
        """What the inertia of wheels that do not vibrate leaves out in a mesh."""
        of_pair = self.case.pair_case(self.case.layout.place(name))
        return elastic_inertia_warnings(of_pair, self.study.stiffness[name], self.prepared[name].sectors)


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
        assert isinstance(analysis, SweepAnalysis)  # as RUNS says
        return [*self.unknown, *sweep_warnings(self.linear, self.reference, analysis)]

    def _solve(self) -> None:
        analysis = self.case.analysis
        assert isinstance(analysis, SweepAnalysis)  # as RUNS says
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

    def _of_mesh(self, name: str, facts: RunFacts, identity: Identity) -> MeshResult:
        swept, samples, linear, reference = None, None, self.linear, self.reference
        if len(self.study):
            swept = mesh_response(self.study, name, self._at_rest.get(name))
            samples = self.study.record.samples.part(name)
        if self.case.preset is None and (known := linear or reference) is not None:
            linear, reference = None, known.of_mesh(name)
        told = (linear, reference) if self.case.preset is not None else ()
        return MeshResult(
            samples=samples,
            summary=sweep_summary(swept, facts, *told),
            dataset=lambda: sweep_dataset(swept, linear, identity, reference=reference, pair=True),
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
            lambda: sweep_dataset(response, linear, self._identity(complete), reference=reference, pair=False),
            complete=complete,
        )


def run_class(case: MachineCase) -> type[CaseRun[Any]]:
    """The run of a case by its kind of analysis; what modes of two gears tell is another thing than of a machine."""
    if case.preset is not None and isinstance(case.analysis, ModalAnalysis):
        return PairModalRun
    return RUNS[case.analysis.kind]


#: By kind of analysis.
RUNS: dict[str, type[CaseRun[Any]]] = {
    "static": StaticRun,
    "dynamic": MotionRun,
    "sweep": SweepRun,
    "modal": MachineModalRun,
}
