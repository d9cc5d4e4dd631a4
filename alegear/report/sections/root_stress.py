"""Stress of one tooth's root over its passage, its range, and where along the fillet it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from alegear.report.blocks import Block, Figure, Table
from alegear.report.charts import Axis, Line, heat_map, line_chart
from alegear.report.section import Section
from alegear.report.values import MEGA, MILLI, array, has, labels, over_lead, own_cycle, whole_pitches
from alegear.results.result import Result

OWN = "phase of the tooth's own pair [pitches], 0 = it touches at the pitch point"
FILLET = "root_stress_fillet_principal"


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    gears, sides = labels(dataset, "gear"), labels(dataset, "side")
    own, stress = own_cycle(dataset, "root_stress_principal", whole_pitches(dataset))
    lines = [
        Line(x=own, y=stress[:, g, s] * MEGA, label=f"{gear}, {side} side", colour=g, dashed=s > 0)
        for g, gear in enumerate(gears)
        for s, side in enumerate(sides)
        if np.isfinite(stress[:, g, s]).any()
    ]
    if lines:
        chart = line_chart(lines, Axis(label=OWN), Axis(label="root stress [MPa]"))
        words = "Largest principal stress by magnitude in the root fillet, signed, over the passage of one tooth"
        yield Figure(svg=chart, caption=words)
    if has(dataset, "root_stress_range"):
        yield Table(head=_HEAD, rows=list(_ranges(result)), caption="Cycle where the range of a tooth is widest")
    if has(dataset, FILLET):
        yield from _maps(result)


_HEAD = (
    "gear", "side", "range [MPa]", "amplitude [MPa]", "mean [MPa]", "smallest [MPa]", "largest [MPa]",
    "along the fillet [mm]", "across the face [mm]",
)  # fmt: skip


def _ranges(result: Result) -> Iterator[list[Any]]:
    dataset = result.dataset
    names = ("root_stress_range", "root_stress_mean", "root_critical_arc_length", "root_critical_face_position")
    spread, mean, along, across = (array(dataset, name) for name in names)
    for g, gear in enumerate(labels(dataset, "gear")):
        for s, side in enumerate(labels(dataset, "side")):
            half, middle = 0.5 * spread[g, s] * MEGA, mean[g, s] * MEGA
            yield [
                gear, side, *map(float, (2.0 * half, half, middle, middle - half, middle + half)),
                float(along[g, s] * MILLI), float(across[g, s] * MILLI),
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
