"""How tooth pairs share the load."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.pictures.colours import COLOURS
from alegear.report.blocks import Block, Figure
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.section import Section
from alegear.report.values import abscissa, array, last_pitches, over_lead, pairs_of
from alegear.results.result import Result

KILO = 1e-3


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    part = last_pitches(dataset)
    x, label = abscissa(dataset, part)
    load, pairs = array(dataset, "tooth_load", part) * KILO, pairs_of(dataset, part)
    lines = []
    for pair in np.unique(pairs).tolist():
        own = np.nansum(np.where(pairs == pair, load, 0.0), axis=1)
        if np.any(own != 0.0):
            lines.append(Line(x=x, y=own, label=f"pair {pair}", colour=pair % len(COLOURS)))
    total = np.nansum(load, axis=1)
    lines.append(Line(x=x, y=total, label="all pairs", colour=-1, dashed="1.5 3"))
    chart = line_chart(lines, Axis(label=label), Axis(label="tooth load [kN]"))
    yield Figure(svg=chart, caption="Load of each tooth pair: moment about the pinion axis over its base radius")


SECTION = Section(
    title="Load sharing",
    order=120,
    holds=lambda result: over_lead(result.dataset, "tooth_load", "phase"),
    blocks=_blocks,
)
