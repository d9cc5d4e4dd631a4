"""Transmission error of a pair about its mean, and its orders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.report.blocks import Block, Figure, Text, cell
from alegear.report.charts import Axis, Line, bar_chart, line_chart
from alegear.report.section import Section
from alegear.report.values import MICRO, abscissa, array, last_pitches, moves, over_lead
from alegear.results import signals
from alegear.results.result import Result
from alegear.results.steady_window import window_of_dataset

#: Orders of the mesh that bars show.
ORDERS = 10
SIGN = (
    "Sign: base radius times rotation of the driven gear less that of the driver, each counted positive in the running "
    "direction, along the line of action. A loaded pair of perfect flanks has a negative mean: the driven gear lags."
)


def _holds(result: Result) -> bool:
    return over_lead(result.dataset, "transmission_error", "phase", ndim=1)


def _blocks(result: Result) -> Iterator[Block]:
    dataset, summary = result.dataset, result.summary
    yield Text(text=SIGN, kind="note")
    part = last_pitches(dataset)
    te = array(dataset, "transmission_error", part) * MICRO
    x, label = abscissa(dataset, part)
    window = window_of_dataset(dataset)
    counted = array(dataset, "transmission_error", window.part) * MICRO
    mean = signals.mean(counted)
    told = [f"mean {cell(mean)} µm, peak to peak {cell(signals.peak_to_peak(counted))} µm"]
    if moves(dataset):  # of other pitches than are drawn
        told = [f"of {window.words}, as in the key figures: {told[0]}"]
    if summary.get("te_peak_to_peak_grid_um") is not None:
        told.append(f"which a coarser grid changes by {summary['te_peak_to_peak_grid_um']:.2g} µm")
    where = "the last pitches" if moves(dataset) else "all positions"
    chart = line_chart([Line(x=x, y=te - mean)], Axis(label=label), Axis(label="TE about its mean [µm]"))
    yield Figure(svg=chart, caption=f"Transmission error of {where} about its mean; {', '.join(told)}")
    if moves(dataset):
        every = array(dataset, "transmission_error") * MICRO
        x, label = abscissa(dataset)
        chart = line_chart([Line(x=x, y=every)], Axis(label=label), Axis(label="TE [µm]"))
        yield Figure(svg=chart, caption="Transmission error of the whole motion")
    whole = window.with_the_one_before if moves(dataset) else window.part
    phase, te = (array(dataset, name, whole) for name in ("phase", "transmission_error"))
    order, amplitude = signals.mesh_harmonics(phase, te * MICRO, ORDERS)
    if np.isfinite(amplitude).any():
        chart = bar_chart(
            [str(k) for k in order], [("", amplitude)], Axis(label="amplitude [µm]"), label="order of the mesh"
        )
        yield Figure(svg=chart, caption="Orders of the transmission error: half of their peak to peak")


SECTION = Section(title="Transmission error", order=110, holds=_holds, blocks=_blocks)
