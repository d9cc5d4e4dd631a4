"""The text of a case, for those who read its result later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alegear.case.case import Case
from alegear.case.faults import CaseFaults
from alegear.case.from_file import case_of_tables
from alegear.case.machine import MachineCase
from alegear.case.tables import tables_of
from alegear.storage.whole_file import CASE_BYTES, read_regular

#: Numbers of an array that are written out; of longer ones shape and range are.
LONGEST = 36
_NOT_TOLD = ("path",)


def file_text(case: Case | MachineCase) -> str | None:
    """Return the text of the file that a case was read from, as far as it still says what the case is.

    Returns
    -------
    str or None
        None for a case made or changed in Python, and where the file has changed since or gone.
    """
    if case.path is None:
        return None
    try:
        content = read_regular(case.path, CASE_BYTES)
        same = case_of_tables(tables_of(content, case.path), case.path)
    except (OSError, CaseFaults):
        return None
    return content.decode("utf-8-sig") if same.sha256 == case.sha256 else None


def values_text(case: Case | MachineCase) -> str:
    """Return the values of a case, SI units, a line each: ``operation.pinion_torque = 400.0``.

    The names are those of the classes in Python. Values that are left out (None) and empty ones are not told.
    """
    head = "# This case was made in Python: names of its classes, SI units"
    return "\n".join([head, *_lines("", case)]) + "\n"


def _lines(name: str, value: Any) -> Iterator[str]:
    """Lines of a value and of what is in it."""
    if is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            if part.name not in _NOT_TOLD:
                yield from _lines(f"{name}.{part.name}" if name else part.name, getattr(value, part.name))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _lines(f"{name}.{key}", one)
    elif isinstance(value, np.ndarray) and value.size > LONGEST:
        yield f"{name} = array {value.shape}, {np.nanmin(value):.9g} to {np.nanmax(value):.9g}"
    elif isinstance(value, np.ndarray):
        yield f"{name} = {_shown(value.tolist())}"
    elif isinstance(value, tuple | list) and any(map(_has_parts, value)):
        for number, one in enumerate(value):
            yield from _lines(f"{name}[{getattr(one, 'name', number)}]", one)
    elif isinstance(value, tuple | list):
        if any(one is not None for one in value):
            yield f"{name} = {_shown(list(value))}"
    elif isinstance(value, bool | str | int | float | np.number | Path):
        yield f"{name} = {_shown(value)}"
    elif value is not None:  # a function, or an object of the user
        yield f"{name} = {getattr(value, '__qualname__', type(value).__qualname__)}"


def _shown(value: Any) -> str:
    """A value in the digits that count for the digest of a case."""
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, float):
        return repr(float(f"{value:.12g}"))
    return str(value) if isinstance(value, Path) else repr(value)


def _has_parts(value: Any) -> bool:
    return is_dataclass(value) or isinstance(value, tuple | list | Mapping | np.ndarray)
