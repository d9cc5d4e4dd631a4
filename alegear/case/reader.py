"""From a case file to the fields of a case, in SI units.

The sections are the only ones that know millimetres, degrees, micrometres and revolutions per minute: everything that
leaves them is in SI units. All faults of a file are collected before it is refused.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from alegear.case.case_file import CaseFile
from alegear.case.faults import CaseFault, CaseFaults
from alegear.case.rules import broken_rules
from alegear.case.sections import SECTIONS
from alegear.case.tables import check_tables
from alegear.case.toml_faults import size_fault, text_fault, toml_fault
from alegear.contact.numbering import GEARS
from alegear.storage.whole_file import CASE_BYTES, read_regular, reason_of


def read_tables(path: Path) -> dict[str, Any]:
    """Read the tables of a case file as TOML has them.

    Raises
    ------
    CaseFaults
    """
    try:
        content = read_regular(path, CASE_BYTES)
    except OSError as error:
        reason = reason_of(error)
        raise _no_case(path, reason, "must be a readable file", "check the path") from error
    return tables_of(content, path)


def is_study(tables: dict[str, Any]) -> bool:
    """Whether tables are those of a study file: no table of a case has these names."""
    return "case" in tables and bool({"axes", "tolerances"} & set(tables))


def is_machine(tables: dict[str, Any]) -> bool:
    """Whether the tables are those of a machine."""
    return "machine" in tables


def tables_of(content: bytes, path: Path) -> dict[str, Any]:
    """Return the tables of the content of a case file.

    Raises
    ------
    CaseFaults
    """
    try:
        text = content.decode("utf-8-sig")  # Notepad on Windows begins a file with a byte order mark
    except UnicodeDecodeError as error:
        reason = f"no text in UTF-8 (byte {error.start})"
        raise _no_case(path, reason, "must be TOML in UTF-8", "save the file as UTF-8, or give a case file") from error
    fault = size_fault(text)
    if fault is not None:
        raise _no_case(path, *fault)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is one; of numbers with thousands of digits too
        raise _no_case(path, *toml_fault(text, str(error))) from error
    fault = text_fault(tables)
    if fault is not None:
        raise _no_case(path, *fault)
    return tables


def parse_case(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """Check the tables of a case file; `path` names it in messages and anchors the paths it holds.

    Raises
    ------
    CaseFaults
    """
    if is_machine(raw):
        remedy = "give ag.MachineCase.from_toml"
        raise _no_case(path, "[machine]", "must be a case of two gears, without [machine]", remedy)
    file = checked_tables(raw, path)
    for section in SECTIONS:
        file.fields |= section.read(file)
    file.faults += [_where_it_is_written(file, fault) for fault in broken_rules(file.fields, str(path))]
    if file.faults:
        raise CaseFaults(file.faults)
    # without faults everything is there; the numbers of teeth are those of the gears of the pair
    fields = {name: value for name, value in file.fields.items() if name != "teeth"}
    return {"title": file.tables[""].title or path.stem, "path": path} | fields


def checked_tables(raw: dict[str, Any], path: Path) -> CaseFile:
    """Check each table of a case of two gears against its keys; what they are to each other is not looked at."""
    file = CaseFile(raw, path)
    check_tables(file)
    return file


def _no_case(path: Path, reason: str, limit: str, remedy: str) -> CaseFaults:
    return CaseFaults([CaseFault(str(path), "case file", reason, limit, remedy)])


def _where_it_is_written(file: CaseFile, fault: CaseFault) -> CaseFault:
    """Name ``[grid]`` where the number of elements of a gear stands there."""
    gear, _, rest = fault.key.partition(".")
    if gear in GEARS and rest.startswith("grid.") and not file.given(gear, rest)[1]:
        return fault._replace(key=rest)
    return fault
