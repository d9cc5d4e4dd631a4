"""``[analysis]``: its keys depend on its kind, each of which is a file: static, dynamic, modal, sweep."""

from __future__ import annotations

from typing import Any

from alegear.case.case_file import CaseFile
from alegear.case.dynamic import DynamicAnalysis, DynamicTable, settings_without_effect
from alegear.case.faults import Finding, Findings, shown
from alegear.case.modal import ModalAnalysis, ModalTable
from alegear.case.schema import Section
from alegear.case.static import StaticAnalysis, StaticTable
from alegear.case.sweep import SweepTable
from alegear.contact.numbering import GEARS
from alegear.mesh.sector import GridOptions

Analysis = StaticAnalysis | DynamicAnalysis | ModalAnalysis


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("analysis")
    analysis = None if table is None else table.analysis(file)
    return {} if analysis is None else {"analysis": analysis}


def _normal_modes(analysis: Analysis, law: str) -> Findings:
    if isinstance(analysis, StaticAnalysis) or not analysis.normal_modes:
        return
    if law == "penalty":
        if isinstance(analysis, ModalAnalysis):
            limit = 'goes with law = "hertz" only, which knows the compliance of its loaded points'
            remedy = 'leave it out, or write law = "hertz" in [contact]'
            yield Finding("analysis.normal_modes", shown(analysis.normal_modes), limit, remedy)
        else:
            limit = 'is not in this version with law = "penalty"'
            yield Finding("analysis.inertia", '"full"', limit, 'write law = "hertz", or inertia = "simplified"')


def _modes_of_grid(grid_options: tuple[GridOptions | None, GridOptions | None], analysis: Analysis) -> Findings:
    """Refuse more modes than a quarter of the displacements of a sector: beyond it they say nothing."""
    if isinstance(analysis, StaticAnalysis):
        return
    keys = ("normal_modes", "n_modes") if isinstance(analysis, ModalAnalysis) else ("normal_modes",)
    for gear, options in zip(GEARS, grid_options, strict=True):
        for key in keys:
            most = 0 if options is None else 3 * (options.n_nodes - options.n_bore_nodes) // 4
            if options is not None and getattr(analysis, key) > most:
                limit = f"must be at most {most}, a quarter of the displacements of a sector of the {gear}"
                yield Finding(
                    f"analysis.{key}", shown(getattr(analysis, key)), limit, "ask for fewer, or use a finer grid"
                )


SECTION = Section(
    tables={"analysis": StaticTable},
    kinds={"static": StaticTable, "dynamic": DynamicTable, "modal": ModalTable, "sweep": SweepTable},
    required=True,
    read=_read,
    rules=(settings_without_effect, _normal_modes, _modes_of_grid),
)
