"""``[alignment]``: misalignment and offset of the axes."""

from __future__ import annotations

from alegear.case.part_table import table_of
from alegear.case.schema import Section
from alegear.geometry.alignment import Alignment


class AlignmentTable(table_of(Alignment)):  # type: ignore[misc]
    """``[alignment]``: misalignment of the pinion shaft against the wheel shaft."""


#: A field of the pair of gears, of which it is read (:mod:`alegear.case.pair`).
SECTION = Section(tables={"alignment": AlignmentTable}, read=lambda file: {})
