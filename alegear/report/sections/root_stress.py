"""Stress of one tooth's root over its passage, its range, and where along the fillet it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.report.values import MEGA, MILLI
from alegear.results.reading import array, has, labels, over_lead
from alegear.results.result import Result
from alegear.results.root_cycle import critical_point, teeth_differ, tooth_cycle
from alegear.results.summary import contact_beside_roots

if TYPE_CHECKING:
    pass


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    words = contact_beside_roots(result.summary)
    if words:
        yield Text(text=words, kind="note")
    if has(dataset, "root_stress_range"):
        yield TableBlock(head=_HEAD, rows=list(_ranges(result)), caption="Cycle where the range of a tooth is widest")


_HEAD = (
    "gear", "side", "range [MPa]", "amplitude [MPa]", "mean [MPa]", "smallest [MPa]", "largest [MPa]",
    "along the fillet [mm]", "across the face [mm]",
)  # fmt: skip


def _ranges(result: Result) -> Iterator[list[Any]]:
    """Ranges as the result has them; of teeth that differ that of the one whose range is the widest."""
    dataset = result.dataset
    names = ("root_stress_range", "root_stress_mean", "root_critical_arc_length", "root_critical_face_position")
    spread, mean, along, across = (array(dataset, name) for name in names)
    apart = teeth_differ(dataset)
    for g, gear in enumerate(labels(dataset, "gear")):
        for s, side in enumerate(labels(dataset, "side")):
            half, middle = 0.5 * spread[g, s] * MEGA, mean[g, s] * MEGA
            place = along[g, s], across[g, s]
            if apart and (point := critical_point(dataset, g, s)) is not None:
                high, low = tooth_cycle(dataset, g, s).ends
                half, middle = 0.5 * (high - low), 0.5 * (high + low)
                arc, face = (array(dataset, name)[g] for name in ("fillet_arc_length", "face_position"))
                place = arc[point.row], face[point.column]
            yield [
                gear, side, *map(float, (2.0 * half, half, middle, middle - half, middle + half)),
                *(float(one * MILLI) for one in place),
            ]  # fmt: skip


SECTION = ReportSection(
    title="Root stress",
    order=150,
    holds=lambda result: over_lead(result.dataset, "root_stress_principal", "phase"),
    blocks=_blocks,
)
