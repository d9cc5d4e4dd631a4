"""What runs of machines with gears in mesh have in common.

Meshes are prepared, solved together, and the results of the machine and of each mesh are written.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from alegear._version import __version__
from alegear.arrays import Array
from alegear.case.machine import MachineCase
from alegear.checks.design_warnings import beside_iso
from alegear.checks.gear_data import case_warnings
from alegear.checks.mesh_stiffness import StiffnessBesideIso
from alegear.checks.strength import COMPRESSION, Strength
from alegear.contact.numbering import GEARS
from alegear.contact.penalty.contact import PenaltyContact
from alegear.results.dataset import Identity
from alegear.results.machine_result import MachineHistory, machine_contents, machine_summary
from alegear.results.machine_shape import write_shape
from alegear.results.result import Result
from alegear.results.summary import STAGES
from alegear.results.wear import Wear, wear_warnings
from alegear.signals.expected import write_expected
from alegear.storage.stored_files import MESHES
from alegear.studies.case_run import CaseRun
from alegear.studies.contact_warnings import contact_warnings
from alegear.studies.fields import write_fields
from alegear.studies.wear import wear_of

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.storage.netcdf import Contents
    from alegear.storage.recorded_samples import Samples
    from alegear.studies.dynamic import DynamicStudy
    from alegear.studies.static import StaticStudy

Contacts = TypeVar("Contacts", bound="StaticStudy | DynamicStudy")


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
            lambda: machine_contents(history, identity),
            self._writer(history, identity),
            complete=complete,
        )

    def _warnings(self) -> list[str]:
        return [*super()._warnings(), *self.contact_warnings]

    def _writer(self, history: MachineHistory, identity: Identity) -> Callable[[Path], object] | None:
        """Writes the machine as a whole to a folder, chunk by chunk; None: it is in memory."""
        return None

    @abstractmethod
    def _of_mesh(self, name: str, facts: Mapping[str, Any], identity: Identity) -> MeshResult:
        """Contact of a mesh."""

    def _store_mesh(self, name: str, case: Case, complete: bool) -> Mapping[str, Any]:
        """Write the contact of a mesh as that of a pair, and return its summary."""
        found = self._mesh_result(name, case, complete)
        self.contact_warnings = [*self.contact_warnings, *(f"mesh {name}: {one}" for one in found.warnings)]
        summary = {**found.summary, "warnings": found.warnings}
        if self.directory is not None:
            self._keep(self._folder_of(name), summary, found.contents, found.write, complete=complete)
        else:
            self.meshes[name] = Result(dataset=found.contents().dataset(), summary=summary)
        return found.summary

    def _store_preset(self, case: Case, complete: bool) -> Result:
        """Write the contact of the one mesh of two gears, and what is known of the case besides."""
        ((name, prepared),) = self.prepared.items()
        found = self._mesh_result(name, case, complete)
        warnings = case_warnings(case, prepared.sectors, self.stiffness.get(name))
        warnings += self._warnings_of_preset(case, name) + found.warnings
        summary = {**found.summary, "seconds": dict(self.seconds), "warnings": warnings}
        return self._keep(self.directory, summary, found.contents, found.write, complete=complete)

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
        others = self._on_the_same_roots(name)
        strength = Strength.of(case, found.samples, self.study.root_cycle(name), others)
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

    def _contact_ratios(self, name: str) -> dict[str, float]:
        """Nominal contact ratios of a mesh, of which tip circles of undercut teeth give a larger one."""
        pair = self.case.pair_case(self.case.layout.place(name)).pair
        return {
            "contact_ratio_nominal": float(pair.eps_alpha_usable),
            "contact_ratio_tip_circles": float(pair.eps_alpha),
            "contact_ratio_total": float(pair.eps_alpha_usable + pair.eps_beta),
        }

    def _facts_of_mesh(self, case: Case, name: str, complete: bool) -> dict[str, Any]:
        """What the summary of a mesh says beside its results."""
        prepared, pair = self.prepared[name], case.pair
        extra: dict[str, object] = {
            "j_wt_um": 1e6 * pair.j_wt,
            "j_bn_um": 1e6 * pair.j_bn,
            "contact_law": case.law,
            "window_pairs": prepared.contact.n_pairs,
            "memory_estimate_MB": 1e-6 * prepared.memory,
        }
        if isinstance(prepared.contact, PenaltyContact):
            law = prepared.contact.law  # as the case file gives it: pressure in MPa at a penetration in mm
            extra["penalty_stiffness_N_per_mm3"] = (law.stiffness or 0.0) * 1e-6 * 1e-3**law.exponent
        errors = {name: gear.microgeometry.resampling_error for name, gear in zip(GEARS, pair.gears, strict=True)}
        if any(errors.values()):
            extra["topography_error_um"] = {name: 1e6 * error for name, error in errors.items() if error}
        return {
            "dof_full": sum(w.dof_full for w in prepared.wheels),
            "dof_boundary": sum(w.dof_boundary for w in prepared.wheels),
            "seconds": dict.fromkeys(STAGES, 0.0) | prepared.seconds,
            "version": __version__,
            "case_sha256": self.sha256,
            "complete": complete,
            **extra,
            "tooth_change_threshold": self.study.windows[name].phase,
            **self._of_study(name),
        }

    def _of_study(self, name: str) -> dict[str, object]:
        """What the summary of a mesh says of this kind of study."""
        return {}


def _mean_stiffness(history: MachineHistory, mesh: str) -> float | None:
    """Mean stiffness of a mesh [N/m]; None of teeth that are rigid."""
    stiffness = history.samples.read("mesh_stiffness")[:, list(history.names["mesh"]).index(mesh)]
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
    contents : callable
        Makes those of its file in memory.
    write : callable or None
        Writes it to a folder, chunk by chunk.
    slices : (array, array) or None
        Line and tooth loads, of teeth that do not vibrate: else back flanks are part of it.
    warnings : list of str
        What the motion itself is to be read with caution for.
    """

    samples: Samples | None
    summary: dict[str, Any]
    contents: Callable[[], Contents]
    write: Callable[[Path], object] | None = None
    slices: tuple[Array, Array] | None = None
    warnings: list[str] = field(default_factory=list)
