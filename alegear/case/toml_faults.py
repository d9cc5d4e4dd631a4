"""What is wrong with a text that is no TOML, in the words of who wrote it."""

from __future__ import annotations

import re
from typing import NamedTuple

_PLACE = re.compile(r" \(at line (\d+), column \d+\)$")
_NUMBER = r"[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
#: key = value, a remark behind it.
_ENTRY = re.compile(r"^\s*(?P<key>[\w.\"'-]+)\s*=\s*(?P<value>.*?)\s*(?:#.*)?$")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_UNIT_BEHIND = re.compile(rf"({_NUMBER})\s*([^\s\d,.eE_].*)")
_BARE_WORD = re.compile(r"[A-Za-z][\w -]*")


class TomlFault(NamedTuple):
    """Where the text breaks off being TOML, what must be there, and what to do."""

    place: str
    limit: str
    remedy: str


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
    if found is None:
        return TomlFault(message, "must be TOML in UTF-8", "correct the end of the file: a bracket or quote is open")
    number = int(found[1])
    lines = text.splitlines()
    line = lines[number - 1].strip() if number <= len(lines) else ""
    limit, remedy = _explained(line, message[: found.start()])
    return TomlFault(f"line {number} ({line if len(line) <= 60 else line[:57] + '...'})", limit, remedy)


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
