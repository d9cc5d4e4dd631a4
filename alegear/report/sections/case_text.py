"""The case as it was run, letter by letter."""

from __future__ import annotations

from collections.abc import Iterator

from alegear.report.blocks import Block, Listing, Text
from alegear.report.section import ReportSection
from alegear.results.result import Result


def _blocks(result: Result) -> Iterator[Block]:
    record = result.record
    if not record.is_file:
        yield Text(text="The case was made in Python; these are its values in SI units.", kind="note")
    yield Listing(text=record.text.rstrip("\n"))


SECTION = ReportSection(
    title="Case as it was run",
    order=900,
    holds=lambda result: bool(result.record.text),
    blocks=_blocks,
    of_meshes=False,
)
