"""Faults of a case file: one line each, all of them at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

#: Endings of keys that name a unit, the longest first so that the whole ending is taken off.
UNITS = (
    "Nms_per_rad",
    "Nm_per_rad",
    "Ns_per_mm3",
    "N_per_mm3",
    "Ns_per_m",
    "N_per_m",
    "m_per_s",
    "kg_m3",
    "kg_m2",
    "GPa",
    "MPa",
    "rpm",
    "deg",
    "rad",
    "mm",
    "cm",
    "um",
    "Nm",
    "ms",
    "Pa",
    "s",
    "m",
    "N",
)
_UNIT = re.compile(rf"_(?:{'|'.join(UNITS)})$", re.IGNORECASE)
MISSING = "(missing)"


class CaseFault(NamedTuple):
    """One fault: where it is, what was met, what is allowed and what to do."""

    file: str
    key: str
    value: str
    limit: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key} = {self.value}: {self.limit}; {self.remedy}"


class CaseFaults(ValueError):
    """All faults of a case file (exit code 2).

    Parameters
    ----------
    faults : iterable of CaseFault
        What is named twice, because it stands in a table of both gears, is kept once.
    """

    def __init__(self, faults: Iterable[CaseFault]) -> None:
        self.faults = list(dict.fromkeys(faults))
        super().__init__("\n".join(str(fault) for fault in self.faults))


def shown(value: Any) -> str:
    """Write a value as the case file has it, on one line and not too long."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in value) + '"'
    elif isinstance(value, Mapping):
        text = "{table}"
    else:
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def shown_key(key: str) -> str:
    """Write a key as it is if it is a plain one, else (empty, with line breaks ...) in quotes on one line."""
    return key if key and key.isprintable() and not set(key) & set(" .=\"'") else repr(key)


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
    for candidate in keys:
        if key != candidate and stem(key).lower() == stem(candidate).lower() and stem(candidate) != candidate:
            unit = candidate[len(stem(candidate)) + 1 :]
            problem = "the unit is missing in the key" if stem(key) == key else "that is not the unit of this key"
            return problem, f"write {candidate} (unit {unit.replace('_per_', '/')})"
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
