"""A file with ``[machine]`` that is being read: named tables, by their headings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from alegear.case.bearings import bearing_table
from alegear.case.case_file import CaseFile
from alegear.case.part_table import PartTable
from alegear.case.schema import Table


@dataclass
class MachineTables(CaseFile):
    """What a file of a machine holds; ``heading.name`` is what a named table is called in it.

    Parameters
    ----------
    names : dict
        Heading -> names of its tables, in the order of the file.
    """

    names: dict[str, list[str]] = field(default_factory=dict)

    def keys(self, heading: str, name: str) -> type[Table]:
        """Keys of a named table; of a bearing by what it rolls on."""
        if heading == "bearings":
            return bearing_table(self.raw[f"{heading}.{name}"])
        keys: type[Table] = self.schema[f"{heading}.name"]  # type: ignore[assignment]
        return keys

    def named(self, heading: str) -> list[tuple[str, Any]]:
        """Names and tables of a heading that could be read."""
        found = [(name, self.tables.get(f"{heading}.{name}")) for name in self.names[heading]]
        return [(name, table) for name, table in found if table is not None]

    def single(self, name: str) -> Any:
        """A table that every file has; its defaults where that of the file has faults of its own."""
        return self.tables.get(name) or self.schema[name]()

    def made(self, heading: str, make: Callable[[str, Any, MachineTables], Any]) -> tuple[Any, ...]:
        """Make all parts of a heading; a fault goes to the file under the name of its table."""
        parts = []
        for name, table in self.named(heading):
            keys = self.keys(heading, name)
            with self.made_from_table(f"{heading}.{name}", keys, keys.WORDS):
                part = make(name, table, self)
                if part is not None:
                    parts.append(part)
        return tuple(parts)


def part_of(name: str, table: PartTable, file: MachineTables) -> Any:
    """Make a part whose table needs no other."""
    return table.part(name, file.path.parent)
