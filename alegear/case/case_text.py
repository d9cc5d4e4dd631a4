"""The text of a case file: read as TOML, or what is wrong with it in the words of who wrote it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from alegear.case.faults import CaseFault, CaseFaults
from alegear.storage.whole_file import CASE_BYTES, read_regular, reason_of

#: Parts of a dotted key that a file may have: readers of TOML take time by the square of their number.
MOST_PARTS = 50
#: Letters of a text or a key that a file may have: a path has at most so many.
LONGEST_TEXT = 4096
_MANY_PARTS = re.compile(rf"(?<![\w\"'.-])[\w\"'-]+(?:[ \t]*+\.[ \t]*+[\w\"'-]++){{{MOST_PARTS},}}")
_MANY_DIGITS = re.compile(r"\d(?:_?\d){4300,}")
_PLACE = re.compile(r" \(at line (\d+), column \d+\)$")
_NUMBER = r"[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
#: key = value, a remark behind it.
_ENTRY = re.compile(r"^\s*(?P<key>[\w.\"'-]+)\s*=\s*(?P<value>.*?)\s*(?:#.*)?$")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_UNIT_BEHIND = re.compile(rf"({_NUMBER})\s*([^\s\d,.eE_].*)")
_BARE_WORD = re.compile(r"[A-Za-z][\w -]*")


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
        raise no_case(path, reason, "must be a readable file", "check the path") from error
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
        raise no_case(path, reason, "must be TOML in UTF-8", "save the file as UTF-8, or give a case file") from error
    fault = size_fault(text)
    if fault is not None:
        raise no_case(path, *fault)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is one; of numbers with thousands of digits too
        raise no_case(path, *toml_fault(text, str(error))) from error
    fault = text_fault(tables)
    if fault is not None:
        raise no_case(path, *fault)
    return tables


def no_case(path: Path, reason: str, limit: str, remedy: str) -> CaseFaults:
    """The fault of a file that is no case as a whole."""
    return CaseFaults([CaseFault(str(path), "case file", reason, limit, remedy)])


class TomlFault(NamedTuple):
    """Where the text breaks off being TOML, what must be there, and what to do."""

    place: str
    limit: str
    remedy: str


def size_fault(text: str) -> TomlFault | None:
    """Find what no reader of TOML should be given: a key of so many parts that it would not come to an end."""
    found = _MANY_PARTS.search(text)
    if found is None:
        return None
    return TomlFault(_line_at(text, found.start()), f"must have keys of at most {MOST_PARTS} parts", "correct the line")


def text_fault(value: object, key: str = "") -> TomlFault | None:
    """Find a text or a key in tables that is longer than any that is meant."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        place = f"{key[:60]} of {len(value)} letters"
        return TomlFault(place, f"must be a text of at most {LONGEST_TEXT} letters", "shorten it")
    if isinstance(value, dict):
        long = next((name for name in value if len(name) > LONGEST_TEXT), None)
        if long is not None:
            return TomlFault(f"{long[:57]}...", f"must be a key of at most {LONGEST_TEXT} letters", "correct it")
        inner = [(one, f"{key}.{name}" if key else name) for name, one in value.items()]
    else:
        inner = [(one, key) for one in value] if isinstance(value, list) else []
    told = [(one, name) for one, name in inner if isinstance(one, str | dict | list)]
    return next((fault for one, name in told if (fault := text_fault(one, name)) is not None), None)


def toml_fault(text: str, message: str) -> TomlFault:
    """Explain what the reader of TOML says of a text.

    Parameters
    ----------
    text : str
    message : str
        Of the reader, which names line and column.

    Examples
    --------
    >>> fault = toml_fault("torque_Nm = 15,0", "Expected newline (at line 1, column 15)")
    >>> fault.place, fault.remedy
    ('line 1 (torque_Nm = 15,0)', 'write 15.0')
    """
    found = _PLACE.search(message)
    digits = _MANY_DIGITS.search(text) if message.startswith("Exceeds the limit") else None
    if digits is not None:
        limit = "must be a number of at most 4300 digits"
        return TomlFault(_line_at(text, digits.start()), limit, "correct the number")
    if found is None:
        return TomlFault(message, "must be TOML in UTF-8", "correct the end of the file: a bracket or quote is open")
    number = int(found[1])
    lines = text.splitlines()
    line = lines[number - 1].strip() if number <= len(lines) else ""
    limit, remedy = _explained(line, message[: found.start()])
    return TomlFault(_named(number, line), limit, remedy)


def _line_at(text: str, place: int) -> str:
    """Name the line of a place in a text."""
    number = text.count("\n", 0, place) + 1
    return _named(number, text.splitlines()[number - 1].strip())


def _named(number: int, line: str) -> str:
    return f"line {number} ({line if len(line) <= 60 else line[:57] + '...'})"


def _explained(line: str, message: str) -> tuple[str, str]:
    """Say what must be in a line, and what to do."""
    entry = _ENTRY.match(line)
    if message.startswith("Cannot overwrite") and entry:
        return "must be the only value of this key in its table", f"leave one {entry['key']}"
    if message.startswith("Cannot declare"):
        return "must be the only table of this name", f"put all keys below one {line}"
    if entry is None:
        if line.startswith("["):
            return "must be the name of a table in brackets", "close the bracket"
        return "must be key = value", "put = between key and value, # before a remark"
    value = entry["value"]
    if _DECIMAL_COMMA.fullmatch(value):
        return "must be a number with a decimal point", f"write {value.replace(',', '.')}"
    unit = _UNIT_BEHIND.fullmatch(value)
    if unit:
        return "must be a number alone: the unit is in the key", f"leave out {unit[2]}"
    if _BARE_WORD.fullmatch(value):
        return "must be a text in quotes, or a number", f'write "{value}"'
    if value[:1] in ('"', "'") and (len(value) == 1 or value[-1] != value[0]):
        return "must be a text in quotes", "close the quote"
    if not value:
        return "must have a value", "give it behind the ="
    return f"must be TOML ({message[:1].lower()}{message[1:]})", "correct the line"
