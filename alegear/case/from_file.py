"""A case file of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alegear.case.case import Case
from alegear.case.faults import CaseFault, CaseFaults
from alegear.case.tables import is_machine, is_study, read_tables
from alegear.limits import path_of

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase


def case_from_file(path: str | Path) -> Case | MachineCase:
    """Read and check a case file: of a machine where it has ``[machine]``, else of two gears.

    Raises
    ------
    CaseFaults
    """
    path = path_of(path, "case file")
    tables = read_tables(path)
    if is_study(tables):
        limit, remedy = "must be a case, not a study of one", f"run it by: alegear vary {path.name}"
        raise CaseFaults([CaseFault(str(path), "[axes]", "{table}", limit, remedy)])
    return case_of_tables(tables, path)


def case_of_tables(tables: dict[str, object], path: Path) -> Case | MachineCase:
    """Check the tables of a case file of either kind; `path` names it in messages and anchors the paths it holds.

    Raises
    ------
    CaseFaults
    """
    if not is_machine(tables):
        return Case.from_tables(tables, path)
    from alegear.case.machine import MachineCase  # takes as long as all the rest of a check

    return MachineCase.from_tables(tables, path)
