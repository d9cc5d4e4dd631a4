"""Spectrum of the transmission error of a motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.report.blocks import Block, Figure
from alegear.report.charts import Axis, Line, Mark, line_chart
from alegear.report.section import Section
from alegear.report.values import MICRO, array, has, moves
from alegear.results import signals
from alegear.results.result import Result

#: Orders of the mesh up to which a spectrum is drawn, and how far below the largest line it goes.
ORDERS, DEPTH = 10, 1e-5
#: Values that a spectrum needs; part by which the mesh frequency may change in the stretch.
LEAST, STEADY = 64, 0.02


def _steady(result: Result) -> slice | None:
    """Last half of a motion, in which the mesh frequency hardly changes; None where it does."""
    dataset = result.dataset
    time, phase = array(dataset, "time"), array(dataset, "phase")
    part = slice(len(time) // 2, len(time))
    if len(time) - part.start < LEAST or not phase[-1] - phase[part.start] >= 2.0:
        return None
    middle = (part.start + len(time)) // 2
    first = (phase[middle] - phase[part.start]) / (time[middle] - time[part.start])
    second = (phase[-1] - phase[middle]) / (time[-1] - time[middle])
    return part if abs(second - first) <= STEADY * abs(second) else None


def _holds(result: Result) -> bool:
    dataset = result.dataset
    return (
        moves(dataset)
        and has(dataset, "transmission_error", "phase")
        and dataset["transmission_error"].ndim == 1
        and _steady(result) is not None
    )


def _blocks(result: Result) -> Iterator[Block]:
    dataset, part = result.dataset, _steady(result)
    assert part is not None  # the section holds
    time, phase = array(dataset, "time", part), array(dataset, "phase", part)
    frequency, amplitude = signals.spectrum(time, array(dataset, "transmission_error", part) * MICRO)
    if not frequency.size or not np.isfinite(amplitude).all() or not amplitude.any():
        return
    mesh = float((phase[-1] - phase[0]) / (time[-1] - time[0]))
    last = min((ORDERS + 0.5) * mesh, float(frequency[-1]))
    shown = (frequency > 0.0) & (frequency <= last)
    largest = float(amplitude[shown].max())
    chart = line_chart(
        [Line(x=frequency[shown], y=np.maximum(amplitude[shown], DEPTH * largest))],
        Axis(label="frequency [Hz]", low=0.0, high=last),
        Axis(label="amplitude of TE [µm]", log=True),
        marks=[Mark(x=k * mesh, label=str(k)) for k in range(1, int(last / mesh) + 1)],
    )
    yield Figure(
        svg=chart,
        caption=f"Spectrum of the transmission error of the second half (Hann window); orders of the mesh frequency "
        f"{mesh:.4g} Hz marked",
    )


SECTION = Section(title="Spectrum", order=115, holds=_holds, blocks=_blocks)
