"""Stress of one tooth's root over its passage, its range, and where along the fillet it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.report.blocks import Block, Figure, Table, Text
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.maps import heat_map
from alegear.report.section import Section
from alegear.report.values import MEGA, MILLI, array, has, labels, last_pitches, over_lead, whole_pitches
from alegear.results.result import Result
from alegear.results.root_cycle import POINT_BY_POINT as FILLET
from alegear.results.root_cycle import Cycle, critical_point, teeth_differ, tooth_cycle
from alegear.results.summary import contact_beside_roots

if TYPE_CHECKING:
    import xarray as xr

OWN = "phase of the tooth's own pair [pitches], 0 = it touches at the pitch point"


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    gears, sides = labels(dataset, "gear"), labels(dataset, "side")
    part = last_pitches(dataset)
    cycles = {(g, s): tooth_cycle(dataset, g, s, part) for g in range(len(gears)) for s in range(len(sides))}
    lines = [
        line
        for (g, s), cycle in cycles.items()
        for line in _lines(cycle, label=f"{gears[g]}, {sides[s]} side", colour=g, dashed=s > 0)
    ]
    if lines:
        chart = line_chart(lines, Axis(label=OWN), Axis(label="root stress [MPa]"))
        yield Figure(svg=chart, caption=_caption(dataset, cycles.values()))
    words = contact_beside_roots(result.summary)
    if words:
        yield Text(text=words, kind="note")
    if has(dataset, "root_stress_range"):
        yield Table(head=_HEAD, rows=list(_ranges(result)), caption="Cycle where the range of a tooth is widest")
    if has(dataset, FILLET):
        yield from _maps(result)


def _lines(cycle: Cycle, *, label: str, colour: int, dashed: bool) -> Iterator[Line]:
    """A line a tooth, of alike teeth one; the first has the label."""
    known = np.isfinite(cycle.stress)
    edges = np.flatnonzero(np.diff(known.astype(np.int8), prepend=0, append=0))
    for number, (begin, end) in enumerate(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)):
        x, y = cycle.phase[begin:end], cycle.stress[begin:end]
        yield Line(x=x, y=y, label="" if number else label, colour=colour, dashed=dashed)


def _caption(dataset: xr.Dataset, cycles: Iterable[Cycle]) -> str:
    """Say which point of the fillet the lines are of, and of which teeth."""
    at_points = any(critical_point(dataset, g, s) is not None for g in range(2) for s in range(2))
    words = (
        "Principal stress at the point of the root fillet where its range is widest"
        if at_points
        else "Principal stress in the root fillet, the largest of the fillet by magnitude, of changing points"
    )
    return f"{words}, over the passage of {'each tooth' if any(cycle.apart for cycle in cycles) else 'one tooth'}"


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


def _maps(result: Result) -> Iterator[Block]:
    """Largest tension along the fillet and across the face, over all pairs of whole pitches."""
    dataset = result.dataset
    values = array(dataset, FILLET, whole_pitches(dataset))  # (n, gear, pair, side, fillet, face)
    s = labels(dataset, "side").index("tension")
    for g, gear in enumerate(labels(dataset, "gear")):
        own = values[:, g, :, s]
        largest = np.where(np.isfinite(own), own, -np.inf).max(axis=(0, 1)) * MEGA
        arc, face = (array(dataset, name)[g] * MILLI for name in ("fillet_arc_length", "face_position"))
        there, across = np.isfinite(arc), np.isfinite(face)
        largest = np.where(np.isfinite(largest), largest, np.nan)[np.ix_(there, across)]
        if not np.isfinite(largest).any() or min(largest.shape) < 2:
            continue
        axes = (
            Axis(label="arc length along the fillet from the middle of the tooth space [mm]"),
            Axis(label="across the face [mm]"),
        )
        chart = heat_map(arc[there], face[across], largest, axes, "principal stress [MPa]", height=200.0)
        yield Figure(svg=chart, caption=f"Largest principal stress on the tension side of the {gear} over a cycle")


SECTION = Section(
    title="Root stress",
    order=150,
    holds=lambda result: over_lead(result.dataset, "root_stress_principal", "phase"),
    blocks=_blocks,
)
