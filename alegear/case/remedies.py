"""What is no TOML, and which key is meant by an unknown one, in the words of who wrote the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from alegear.units import UNITS

_MANY_DIGITS = re.compile(r"\d(?:_?\d){4300,}")
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
    digits = _MANY_DIGITS.search(text) if message.startswith("Exceeds the limit") else None
    if digits is not None:
        limit = "must be a number of at most 4300 digits"
        return TomlFault(line_at(text, digits.start()), limit, "correct the number")
    if found is None:
        return TomlFault(message, "must be TOML in UTF-8", "correct the end of the file: a bracket or quote is open")
    number = int(found[1])
    lines = text.splitlines()
    line = lines[number - 1].strip() if number <= len(lines) else ""
    limit, remedy = _explained(line, message[: found.start()])
    return TomlFault(_named(number, line), limit, remedy)


def line_at(text: str, place: int) -> str:
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


#: Endings of keys that name a unit, the longest first so that the whole ending is taken off; some that no key has.
ENDINGS = sorted({*(unit.ending for unit in UNITS.values()), "kg_m3", "cm", "ms", "Pa"} - {""}, key=len, reverse=True)
#: What is given in another way elsewhere -> the key in its place, and how it follows.
IN_OTHER_WORDS = {
    "tip_diameter_mm": (
        "tip_alteration_factor",
        "give tip_alteration_factor, half of tip diameter less reference diameter in modules, less addendum_factor and"
        " profile_shift",
    ),
    "root_diameter_mm": (
        "dedendum_factor",
        "give dedendum_factor, half of reference diameter less root diameter in modules, and profile_shift",
    ),
    "wheel_torque_Nm": (
        "pinion_torque_Nm",
        "give pinion_torque_Nm, that of the wheel times teeth of the pinion over teeth of the wheel",
    ),
    "wheel_speed_rpm": (
        "pinion_speed_rpm",
        "give pinion_speed_rpm, that of the wheel times teeth of the wheel over teeth of the pinion",
    ),
    "topography_csv": ("topography", 'write topography = { file = "...", sign = "metal-positive" }'),
}
_UNIT = re.compile(rf"_(?:{'|'.join(ENDINGS)})$", re.IGNORECASE)


def stem(key: str) -> str:
    """Return a key without the unit at its end."""
    return _UNIT.sub("", key)


def explain_unknown_key(key: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> tuple[str, str]:
    """Say why a key is unknown and what is most likely meant.

    Parameters
    ----------
    key : str
        The key met.
    known : iterable of str
        Keys of the table it stands in.
    elsewhere : mapping
        Keys of the other tables -> name of that table.

    Returns
    -------
    limit, remedy : str
    """
    keys = list(known)
    if key in IN_OTHER_WORDS and IN_OTHER_WORDS[key][0] in keys:
        return "no such key", IN_OTHER_WORDS[key][1]
    for candidate in keys:
        # what stands behind the last "_" may be a unit that no key has, such as kNm
        same = stem(candidate).lower() in (stem(key).lower(), key.rpartition("_")[0].lower())
        if key != candidate and same and stem(candidate) != candidate:
            unit = candidate[len(stem(candidate)) + 1 :]
            missing = key.lower() == stem(candidate).lower()
            problem = "the unit is missing in the key" if missing else "that is not the unit of this key"
            return problem, f"write {candidate} (unit {unit.replace('_per_', '/')})"
    begun = [one for one in keys if stem(one).startswith(f"{stem(key)}_")]
    if len(begun) > 1:
        return "no such key", f"keys that begin like it are {', '.join(begun)}"
    close = difflib.get_close_matches(key, keys, n=1, cutoff=0.6)
    if close:
        return "no such key", f"the nearest key is {close[0]}"
    if key in elsewhere:
        return "no such key in this table", f"{key} belongs to {elsewhere[key]}"
    close = difflib.get_close_matches(stem(key), [stem(k) for k in keys], n=1, cutoff=0.5)
    if close:
        return "no such key", f"the nearest key is {next(k for k in keys if stem(k) == close[0])}"
    far = difflib.get_close_matches(key, list(elsewhere), n=1, cutoff=0.75)
    if far:
        return "no such key", f"the nearest key is {far[0]} of {elsewhere[far[0]]}"
    nearest = max(keys, key=lambda k: difflib.SequenceMatcher(None, key, k).ratio())
    return "no such key", f"the nearest key is {nearest}; leave it out if it is not meant"
