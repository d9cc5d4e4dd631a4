"""Faults of a case file: one line each, all of them at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from alegear.errors import Fault, one_line
from alegear.limits import described

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
        return one_line(f"{self.file}: {self.key} = {self.value}: {self.limit}; {self.remedy}")


class CaseFaults(Fault):
    """All faults of a case (exit code 2); quantity, value, limit and remedy are those of the first one.

    Parameters
    ----------
    faults : iterable of CaseFault
        At least one. What is named twice, because it stands in a table of both gears, is kept once.
    """

    def __init__(self, faults: Iterable[CaseFault]) -> None:
        self.faults = list(dict.fromkeys(faults))
        first = self.faults[0]
        super().__init__(first.key, first.value, first.limit, first.remedy)

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults,)


def shown(value: Any) -> str:
    """Write a value as the case file has it, on one line and not too long."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{one_line(value)}"'
    elif isinstance(value, Mapping):
        text = "{table}"
    else:
        text = described(value) if isinstance(value, int) else repr(value)
    return _shortened(text)


def shown_key(key: str) -> str:
    """Write a key as it is if it is a plain one, else (empty, with line breaks ...) in quotes on one line."""
    return _shortened(key if key and key.isprintable() and not set(key) & set(" .=\"'") else repr(key))


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


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
