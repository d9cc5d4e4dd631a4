"""Sliding of the flanks, what wears them, and what is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.report.values import label_of, numbers_of
from alegear.results.result import Result
from alegear.results.summary import notable_efficiency

_KEYS = ("sliding_velocity_max", "pressure_velocity_max", "flash_temperature", "contact_temperature", "power_loss")


def _figures(result: Result) -> list[tuple[str, float]]:
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
    return bool(_figures(result))


def _blocks(result: Result) -> Iterator[Block]:
    if figures := _figures(result):
        yield TableBlock(head=("sliding and loss", ""), rows=figures)
    friction = [warning for warning in result.summary.get("warnings", []) if "flash" in warning]
    for warning in friction:
        yield Text(text=warning, kind="warning")


SECTION = ReportSection(title="Sliding and loss", order=160, holds=_holds, blocks=_blocks)
