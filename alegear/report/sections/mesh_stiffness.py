"""Mesh stiffness of a pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from alegear.report.blocks import Block, Figure, Text
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
    if words := "; ".join(_beside_iso(result.summary)):
        yield Text(text=f"{words}.", kind="note")


def _beside_iso(summary: Mapping[str, Any]) -> Iterator[str]:
    """What ISO 6336-1 has, and what the bodies do."""
    iso, ratio = (summary.get(f"mesh_stiffness_{name}") for name in ("iso_6336_N_per_um", "over_iso_6336"))
    if iso is not None and ratio is not None:
        yield f"ISO 6336-1 (c_γα times face width): {iso:.4g} N/µm; the mean is {ratio:.3g} of it"
    shares = summary.get("body_deflection_share", {})
    if shares:
        words = " and ".join(f"{100.0 * share:.0f} % of the deflection in the {gear}" for gear, share in shares.items())
        yield f"the rims turn and shift about the rigid bores: {words}"


SECTION = Section(title="Mesh stiffness", order=130, holds=_holds, blocks=_blocks)
