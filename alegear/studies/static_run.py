"""The run of a static study: positions, and a second grid beside."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from alegear.case.analysis import MachineStatic
from alegear.recording.gear_supports import GearSupports
from alegear.results.contact_result import contact_contents, contact_summary
from alegear.results.dataset import Identity
from alegear.results.result import Result
from alegear.storage.store import write_summary
from alegear.studies.contact_warnings import precision_warnings
from alegear.studies.grid_estimate import SecondGrid, coarser, grid_warnings
from alegear.studies.runs import ContactRun, MeshResult
from alegear.studies.static import StaticStudy

if TYPE_CHECKING:
    from alegear.case.case import Case


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

    def _of_mesh(self, name: str, facts: Mapping[str, Any], identity: Identity) -> MeshResult:
        weight = None  # of gears that give way
        if self.case.preset is not None:
            masses = [wheel.mass for wheel in self.prepared[name].wheels]
            supports = GearSupports(self.case.preset, self.study.record, name, masses)
            weight = supports.weight if supports.displaced else None
        history = replace(self.study.mesh_history(name, weight), wear=self._wear(name))
        summary = contact_summary(history, {**self._contact_ratios(name), **facts})
        return MeshResult(
            samples=history.samples,
            summary=summary | {"te_peak_to_peak_grid_um": None},
            contents=lambda: contact_contents(history, identity),
            slices=(history.line_load, history.tooth_load),
        )
