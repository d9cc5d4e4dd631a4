"""Faults of a case file: one line each, all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from alegear.errors import Fault, one_line
from alegear.limits import described

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


class Finding(NamedTuple):
    """What a rule refuses: the key, the value met, what is allowed and what to do."""

    key: str
    value: str
    limit: str
    remedy: str


Findings = Iterator[Finding]


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
        self.args = (str(self),)  # the limits of a case file are whole sentences

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
        try:
            text = repr(value)
        except ValueError:  # of whole numbers with thousands of digits
            text = described(value)
    return _shortened(text)


def shown_key(key: str) -> str:
    """Write a key as it is if it is a plain one, else (empty, with line breaks ...) in quotes on one line."""
    return _shortened(key if key and key.isprintable() and not set(key) & set(" .=\"'") else repr(key))


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
