"""What was computed, with which version, when; warnings and residuals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.report.blocks import Block, TableBlock, Text, cell
from alegear.report.section import ReportSection
from alegear.report.study_keys import is_study
from alegear.results.reading import array, energy_residual, has, moves, over_lead
from alegear.results.result import Result

if TYPE_CHECKING:
    import xarray as xr


def _blocks(result: Result) -> Iterator[Block]:
    attributes, summary = result.dataset.attrs, result.summary
    of_base = " of the case, from which the study starts" if is_study(result) else ""
    rows: list[tuple[str, Any]] = [
        ("title", attributes.get("title", "")),
        ("analysis", summary.get("analysis", attributes.get("analysis"))),
        *([(f"operating point{of_base}", words)] if (words := result.record.data.get("operating_point")) else []),
        ("complete", bool(summary.get("complete"))),
        ("computed with", f"alegear {summary.get('version', attributes.get('version', ''))}"),
        ("started (UTC)", result.record.started or "unknown"),
        ("digest of the case (SHA-256)", summary.get("case_sha256", "")),
    ]
    rows += [("law of contact", summary["contact_law"])] if "contact_law" in summary else []
    if summary.get("dof_full"):
        rows.append(("degrees of freedom", f"{summary['dof_full']:,} reduced to {summary['dof_boundary']:,}"))
    seconds = summary.get("seconds", {})
    if seconds:
        parts = ", ".join(
            f"{name} {value:.0f} s" if value >= 1000.0 else f"{name} {value:.3g} s" for name, value in seconds.items()
        )
        rows.append(("time it took", parts))
    yield TableBlock(rows=rows)
    for warning in summary.get("warnings", []):
        yield Text(text=warning, kind="warning")
    if not summary.get("warnings") and not summary.get("warned"):  # a study counts those of its points
        yield Text(text="The run gave no warnings.", kind="note")
    residuals = list(_residuals(result))
    if residuals:
        yield TableBlock(head=("residual", "value", "of"), rows=residuals, caption="Residuals")


def _residuals(result: Result) -> Iterator[tuple[str, Any, str]]:
    """What would be zero if nothing were lost to iteration, steps and grids."""
    dataset, summary = result.dataset, result.summary
    if over_lead(dataset, "tooth_load") and not moves(dataset):
        total = np.nansum(array(dataset, "tooth_load"), axis=1)
        mean = float(np.abs(total).mean())
        if mean > 0.0:
            spread = float(np.ptp(total)) / mean
            yield "change of the sum of tooth loads over the positions", spread, "torque over r_b, which is constant"
    parts = ("energy_input", "energy_dissipated", "energy_kinetic", "energy_elastic")
    if has(dataset, "energy_missing") or has(dataset, *parts):
        largest = float(np.abs(energy_residual(dataset)).max())
        yield "energy balance, largest residual [J]", largest, _of(result, array(dataset, "energy_input"))
    change = summary.get("te_peak_to_peak_grid_um")
    if change is not None:
        yield "change of the peak-to-peak transmission error by a coarser grid [µm]", change, _of_te(summary)


def _of(result: Result, given: Any) -> str:
    """Work of the drives, or what goes through the mesh; where neither is known, the net work from outside."""
    work = work_of_drive(result.dataset)
    net = float(np.abs(given).max())
    return f"{cell(net, 4)} J net input" if work is None else f"{cell(max(work, net), 4)} J of work of the drive"


def work_of_drive(dataset: xr.Dataset) -> float | None:
    """Work [J] that goes into a motion on one side and out on the other; None where a result does not hold it."""
    if over_lead(dataset, "energy_supplied", ndim=2):
        supplied = array(dataset, "energy_supplied")
        return float(np.clip(np.nan_to_num(supplied), 0.0, None).sum(axis=1).max())
    if over_lead(dataset, "joint_power", ndim=2):
        power = np.clip(np.nan_to_num(array(dataset, "joint_power")), 0.0, None).sum(axis=1)
    elif over_lead(dataset, "contact_moment", ndim=2) and over_lead(dataset, "speed", ndim=2) and moves(dataset):
        power = np.abs(np.nan_to_num(array(dataset, "contact_moment")[:, 2] * array(dataset, "speed")[:, 0]))
    else:
        return None
    work = float(np.trapezoid(power, np.asarray(dataset["time"].values, dtype=float)))
    return work if work > 0.0 else None


def _of_te(summary: Mapping[str, Any]) -> str:
    value = summary.get("te_peak_to_peak_um")
    return "" if value is None else f"{value:.4g} µm"


SECTION = ReportSection(title="Case", order=10, holds=lambda result: True, blocks=_blocks, of_meshes=False)
