"""A case file of any kind."""

from __future__ import annotations

from pathlib import Path

from alegear.case.case import Case
from alegear.case.machine import MachineCase
from alegear.case.reader import is_machine, parse_case, read_tables


def case_from_file(path: str | Path) -> Case | MachineCase:
    """Read and check a case file: of a machine where it has ``[machine]``, else of two gears.

    Raises
    ------
    CaseFaults
    """
    path = Path(path)
    tables = read_tables(path)
    return MachineCase.from_tables(tables, path) if is_machine(tables) else Case(**parse_case(tables, path))
