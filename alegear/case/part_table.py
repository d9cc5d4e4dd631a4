"""What the tables of parts that only turn have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alegear.case.schema import Table


class PartTable(Table):
    """A part that only turns; `part` makes it."""

    def part(self, name: str, folder: Path) -> Any:
        """Make the part in SI units.

        Raises
        ------
        Fault
        """
        raise NotImplementedError
