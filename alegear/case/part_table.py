"""What the tables of parts that only turn have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alegear.case.schema import Table
from alegear.errors import Fault


class PartTable(Table):
    """A part that only turns; `part` makes it."""

    @property
    def uses_generalized_alpha(self) -> bool:
        """Whether motions of its machine are taken in steps, whatever else only turns."""
        return False

    def part(self, name: str, folder: Path) -> Any:
        """Make the part in SI units.

        Raises
        ------
        Fault
        """
        raise NotImplementedError


def one_of(table: Table, *keys: str) -> Any:
    """The value of the only key that is given.

    Raises
    ------
    Fault
        If it is none, or several.
    """
    given = [key for key in keys if getattr(table, key) is not None]
    if len(given) != 1:
        shown = " and ".join(given) or "none of them"
        raise Fault(" or ".join(keys), shown, "one of them", "give one" if not given else f"leave out {given[-1]}")
    return getattr(table, given[0])
