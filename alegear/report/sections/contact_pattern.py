"""Maps of the flank: pressure and line load of a cycle, edge contact apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from alegear.report.blocks import Block, Figure
from alegear.report.charts import Axis, Mark
from alegear.report.maps import heat_map
from alegear.report.section import Section
from alegear.report.values import MEGA, MILLI, array, has, labels
from alegear.results.result import Result

#: Where a narrow peak would use up the colours, they end this much above what 85 % of the cells stay below.
COMMON, ABOVE, OUT = 0.85, 1.2, 1.3
ROLL = "roll length on the pinion's flank [mm]"
FACE = "across the face [mm]"


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    roll, face = array(dataset, "roll_length") * MILLI, array(dataset, "slice") * MILLI
    marks = [
        Mark(x=float(array(dataset, "flank_limit")[g, k]) * MILLI, label=f"{limit.replace('_', ' ')}, {gear}")
        for g, gear in enumerate(labels(dataset, "gear"))
        for k, limit in enumerate(labels(dataset, "limit"))
        if np.isfinite(array(dataset, "flank_limit")[g, k])
    ]
    pressure = array(dataset, "pattern_pressure") * MEGA
    edge = np.nan_to_num(array(dataset, "pattern_edge_pressure")) * MEGA
    only_edge = edge > np.nan_to_num(pressure)
    axes = (Axis(label=ROLL), Axis(label=FACE))
    for name, factor, label, words in (
        ("pattern_pressure", MEGA, "flank pressure [MPa]", "Largest contact pressure of the flanks over a cycle"),
        ("pattern_line_load", 1e-3, "line load [N/mm]", "Largest line load over a cycle"),
    ):
        values = array(dataset, name) * factor
        values = np.where(values > 0.0, values, np.nan)
        if not np.isfinite(values).any():
            continue
        hatched = only_edge if name == "pattern_pressure" else None
        caption = words
        if hatched is not None and only_edge.any():
            caption += (
                f"; hatched: a tip edge or undercut edge touches there, with up to {edge.max():.4g} MPa, which is that "
                "of its rounding and not of the flanks"
            )
        chart = heat_map(roll, face, values, axes, label, hatched=hatched, marks=marks, top=end_of_scale(values))
        yield Figure(svg=chart, caption=caption)


def end_of_scale(values: np.ndarray) -> float | None:
    """Where the colours of a map end: None, at the largest value, but below a narrow peak."""
    finite = values[np.isfinite(values)]
    common = ABOVE * float(np.quantile(finite, COMMON))
    return common if float(finite.max()) > OUT * common > 0.0 else None


SECTION = Section(
    title="Contact pattern",
    order=140,
    holds=lambda result: (
        has(result.dataset, "pattern_pressure", "pattern_line_load", "flank_limit")
        and result.dataset["pattern_pressure"].dims == ("roll", "slice")
    ),
    blocks=_blocks,
)
