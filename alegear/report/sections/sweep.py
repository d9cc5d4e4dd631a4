"""The noise study: orders over the speed, the motion beside the fast linearised response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from alegear.report.blocks import Block, TableBlock, cell
from alegear.report.section import ReportSection
from alegear.report.values import label_of, numbers_of
from alegear.results.linear_response import COUNTS, DIFFERENCE
from alegear.results.reading import has
from alegear.results.result import Result

#: What a summary says of ranges in which the answers part.
PARTING_WORDS = {
    "largest_percent": "largest difference [%]",
    "contact_loss_share_max": "part of the time without contact, largest",
}
#: What a summary says of each order of the linearised response.
LINEAR = {
    "te_static_um": "at rest [µm]",
    "te_max_um": "largest [µm]",
    "at_speed_rpm": "at [rpm]",
    "at_frequency_Hz": "at [Hz]",
}
PARTING = ("order", "from_rpm", "to_rpm", "largest_percent", "contact_loss_share_max")


def _holds(result: Result) -> bool:
    return any(has(result.dataset, name) for name in ("pinion_speed", "drive_speed", "linear_speed"))


def _blocks(result: Result) -> Iterator[Block]:
    rows = list(_largest(result.summary))
    if rows:
        yield TableBlock(head=("largest response", "", ""), rows=rows)
    if answers := _linear(result.summary):
        needed = result.summary.get("run_up_needed_s") or 0.0
        words = (
            f"A run-up over this range that follows it within {100.0 * DIFFERENCE:.0f} % takes {cell(needed, 2)} s"
            if needed
            else ""
        )
        yield TableBlock(head=("linearised response, TE", *LINEAR.values()), rows=answers, caption=words)
    if parting := _parting(result.summary):
        words = f"Where motion and linearised response differ by more than {100.0 * DIFFERENCE:.0f} %, orders "
        words += f"above {100.0 * COUNTS:.0f} % of the largest"
        known = [k for k in range(len(PARTING) + 1) if any(row[k] is not None for row in parting)]
        parted = [[row[k] for k in known] for row in parting]
        head = ("", *(PARTING_WORDS.get(name) or label_of(name) for name in PARTING))
        yield TableBlock(head=[head[k] for k in known], rows=parted, caption=words)


def _largest(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Figures of the summary, of run-up and run-down, of shafts and bearings."""
    for key in ("run-up", "run-down", "run_up", "run_down", "there", "back"):
        if isinstance(one := summary.get(key), Mapping):
            yield from ((key.replace("_", "-"), label_of(name), value) for name, value in numbers_of(one).items())
    for kind in ("shafts", "bearings"):
        for name, one in (summary.get(kind) or {}).items():
            yield from ((name, label_of(key), value) for key, value in numbers_of(one).items())


def _linear(summary: Mapping[str, Any]) -> list[list[Any]]:
    """A row an order of the linearised response, of a machine of each mesh."""
    linear = summary.get("linear")
    rows: list[list[Any]] = []
    for name, one in linear.items() if isinstance(linear, Mapping) else ():
        for order, figures in [(name, one)] if numbers_of(one) else one.items():
            of = order if figures is one else f"{name}, {order}"
            rows.append([of.replace("_", " "), *(figures.get(key) for key in LINEAR)])
    return rows


def _parting(summary: Mapping[str, Any]) -> list[list[Any]]:
    """Ranges of speed in which motion and linearised response part."""
    found: list[list[Any]] = []

    def gather(where: str, value: Any) -> None:
        if isinstance(value, Mapping) and "from_rpm" in value:
            found.append([where, *(value.get(key) for key in PARTING)])
        elif isinstance(value, Mapping):
            for key, one in value.items():
                gather(f"{where}, {key}" if where else str(key), one)
        elif isinstance(value, list):
            for one in value:
                gather(where, one)

    gather("", summary.get("nonlinear_ranges"))
    for direction in ("run-up", "run-down"):
        gather(direction, (summary.get(direction) or {}).get("nonlinear_ranges"))
    return found


SECTION = ReportSection(title="Noise study", order=300, holds=_holds, blocks=_blocks)
