"""Sliding of the flanks and what wears them: velocity, specific sliding, pressure times velocity, flash temperature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from alegear.report.blocks import Block, Figure, Table, Text
from alegear.report.charts import Axis, Line, Mark, line_chart
from alegear.report.maps import heat_map
from alegear.report.section import Section
from alegear.report.sections.contact_pattern import FACE, ROLL, end_of_scale
from alegear.report.values import MEGA, MILLI, array, has, label_of, labels, numbers_of
from alegear.results.result import Result
from alegear.results.summary import notable_efficiency

#: Variable, factor, label, words.
MAPS = (
    ("pattern_sliding_velocity", 1.0, "sliding velocity [m/s]", "Largest sliding velocity over a cycle"),
    (
        "pattern_pressure_velocity",
        MEGA,
        "pressure x velocity [MPa m/s]",
        "Largest contact pressure times sliding velocity over a cycle",
    ),
    (
        "pattern_flash_temperature",
        1.0,
        "flash temperature [K]",
        "Largest flash temperature over a cycle by Blok's equation, rise over the bulk temperature",
    ),
)
_KEYS = ("sliding_velocity_max", "pressure_velocity_max", "flash_temperature", "contact_temperature", "power_loss")


def _told(result: Result) -> list[tuple[str, float]]:
    """Figures of the summary on sliding and loss."""
    summary = dict(result.summary)
    rows = [(label_of(key), value) for key, value in numbers_of(summary).items() if key.startswith(_KEYS)]
    extreme = summary.get("specific_sliding_extreme")
    if isinstance(extreme, Mapping):
        rows += [(f"specific sliding, extreme, {gear}", value) for gear, value in extreme.items() if value is not None]
    if (efficiency := notable_efficiency(summary)) is not None:
        rows.append(("efficiency [%]", 100.0 * efficiency))
    return rows


def _holds(result: Result) -> bool:
    return any(has(result.dataset, name) for name, *_ in MAPS) or bool(_told(result))


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    told = _told(result)
    if told:
        yield Table(head=("sliding and loss", ""), rows=told)
    if has(dataset, "pattern_specific_sliding"):
        roll = array(dataset, "roll_length") * MILLI
        sliding = array(dataset, "pattern_specific_sliding")
        lines = [Line(x=roll, y=sliding[g], label=gear, colour=g) for g, gear in enumerate(labels(dataset, "gear"))]
        chart = line_chart(lines, Axis(label=ROLL), Axis(label="specific sliding"), marks=[Mark(x=0.0)])
        yield Figure(
            svg=chart, caption="Sliding over the gear's own rolling velocity: 0 at the pitch point, negative on dedenda"
        )
    for name, factor, label, words in MAPS:
        if not has(dataset, name):
            continue
        values = np.abs(array(dataset, name)) * factor
        values = np.where(values > 0.0, values, np.nan)
        if np.isfinite(values).any():
            roll, face = array(dataset, "roll_length") * MILLI, array(dataset, "slice") * MILLI
            axes = (Axis(label=ROLL), Axis(label=FACE))
            chart = heat_map(roll, face, values, axes, label, top=end_of_scale(values), height=200.0)
            yield Figure(svg=chart, caption=words)
    friction = [warning for warning in result.summary.get("warnings", []) if "flash" in warning]
    for warning in friction:
        yield Text(text=warning, kind="warning")


SECTION = Section(title="Sliding and loss", order=160, holds=_holds, blocks=_blocks)
