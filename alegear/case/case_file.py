"""A case file that is being read: its tables, what was made of them so far, and its faults in the words of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from alegear.case.faults import MISSING, CaseFault, CaseFaults, shown
from alegear.errors import NOT_GIVEN, Fault

#: Faults of a file that a message lists at most.
MOST_FAULTS = 100

_NO_WORDS: Mapping[str, str] = MappingProxyType({})


@dataclass
class CaseFile:
    """What a case file holds, what was read of it, and the faults that were found in it.

    Parameters
    ----------
    raw : dict
        As TOML has it.
    path : Path
    tables : dict
        Name -> table, of those that keep to their schema; one that was left out has its defaults.
    fields : dict
        Fields of the case, in SI units, that the sections made so far.
    faults : list of CaseFault
    schema : mapping
        Name as messages write it -> keys, of all tables of files of this kind; empty: those of a case of two gears.
    """

    raw: dict[str, Any]
    path: Path
    tables: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    faults: list[CaseFault] = field(default_factory=list)
    schema: Mapping[str, type[BaseModel]] = field(default_factory=dict)

    def given(self, table: str, key: str) -> tuple[Any, bool]:
        """Return the value the file has for a dotted key of a table, and whether it has one."""
        value: Any = self.raw.get(table, {})
        for part in key.split(".") if key else ():
            if not isinstance(value, dict) or part not in value:
                return None, False
            value = value[part]
        return value, bool(key)

    def shown_or_missing(self, table: str, key: str) -> str:
        """Write the value the file has for a key as a message shows it."""
        value, found = self.given(table, key)
        return shown(value) if found else MISSING

    def fault(self, key: str, value: str, limit: str, remedy: str) -> None:
        """Note a fault of a key.

        Raises
        ------
        CaseFaults
            Of more than :data:`MOST_FAULTS`: nobody reads these, and thousands take minutes to explain.
        """
        self.faults.append(CaseFault(str(self.path), key, value, limit, remedy))
        if len(self.faults) > MOST_FAULTS:
            last = f"more than {MOST_FAULTS} faults", "must be a case file", "correct these first, or check the path"
            self.faults[MOST_FAULTS:] = [CaseFault(str(self.path), "case file", *last)]
            raise CaseFaults(self.faults)

    @contextmanager
    def made_from(self, where: str) -> Iterator[None]:
        """Note a fault of the object that is made from a part of the file."""
        try:
            yield
        except Fault as fault:
            value = MISSING if fault.value == NOT_GIVEN else str(fault.value)
            self.fault(where, value, f"{fault.quantity} must be {fault.limit}", fault.remedy)

    @contextmanager
    def made_from_table(
        self, table: str, model: type[BaseModel], words: Mapping[str, str] = _NO_WORDS
    ) -> Iterator[None]:
        """Note a fault of the object that is made from a table as one of the key that it names and the file gives.

        `words` are those of messages that stand for keys of other names.
        """
        try:
            yield
        except Fault as fault:
            found_words = re.findall(r"[A-Za-z_0-9]+", f"{fault.quantity} {fault.remedy}")
            named = [words.get(word, word) for word in found_words]
            quantity, limit, remedy = (_in_keys(text, words) for text in (fault.quantity, fault.limit, fault.remedy))
            keys = [key for key in named if key in model.model_fields]
            key = next((key for key in keys if self.given(table, key)[1]), keys[0] if keys else "")
            key = self._dotted(table, model, remedy) or key
            given, found = self.given(table, key)
            missing = fault.value == NOT_GIVEN
            prefix = "" if found and shown(given) == shown(fault.value) else f"{quantity} = {fault.value} "
            if missing:  # there is no value to show, and of a key alone nothing but that
                prefix = "" if quantity == key else f"{quantity} "
            self.fault(
                f"{table}.{key}" if key else f"[{table}]",
                shown(given) if found else MISSING if missing else str(fault.value),
                f"{prefix}must be {limit}",
                remedy,
            )

    def _dotted(self, table: str, model: type[BaseModel], remedy: str) -> str:
        """The first key of a table inside a table that a remedy names, as far as the file gives it; or nothing."""
        for name, key in re.findall(r"\b([a-z_0-9]+)\.([a-z_0-9]+)", remedy):
            given = [one for one in (f"{name}.{key}", name) if name in model.model_fields and self.given(table, one)[1]]
            if given:
                return given[0]
        return ""


def _in_keys(text: str, words: Mapping[str, str]) -> str:
    """A message with the keys of the file for the names of Python, which have an underscore."""
    return re.sub(r"[A-Za-z0-9]+_[A-Za-z_0-9]+", lambda found: words.get(found[0], found[0]), text)
