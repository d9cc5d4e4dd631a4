"""Mesh stiffness of a pair."""

from __future__ import annotations

from collections.abc import Iterator

from alegear.report.blocks import Block, Figure
from alegear.report.charts import Axis, Line, line_chart
from alegear.report.section import Section
from alegear.report.values import MEGA, abscissa, array, last_pitches, moves, over_lead, reach
from alegear.results.result import Result
from alegear.results.steady_window import window_of_dataset


def _holds(result: Result) -> bool:
    return over_lead(result.dataset, "mesh_stiffness", "phase", ndim=1)


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    part = last_pitches(dataset)
    x, label = abscissa(dataset, part)
    stiffness = array(dataset, "mesh_stiffness", part) * MEGA
    window = window_of_dataset(dataset)
    mean, low, high = reach(array(dataset, "mesh_stiffness", window.part) * MEGA)
    of = f" of {window.words}" if moves(dataset) else ""
    chart = line_chart([Line(x=x, y=stiffness)], Axis(label=label), Axis(label="mesh stiffness [N/µm]", low=0.0))
    numbers = "" if mean is None else f": mean {mean:.4g}, {low:.4g} to {high:.4g} N/µm{of}"
    yield Figure(
        svg=chart,
        caption=f"Tangent stiffness along the line of action at the load, the axes held where they stand{numbers}",
    )


SECTION = Section(title="Mesh stiffness", order=130, holds=_holds, blocks=_blocks)
