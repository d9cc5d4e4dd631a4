"""Columns of numbers from CSV files, and cells to be written, of which a text is never taken for a formula.

A point is the decimal sign. Empty lines and lines that begin with ``#`` are skipped. The first line may name the
columns, as ``roll_length_mm`` or ``roll length [mm]``, and then in any order; without names the columns stand in the
order of the documentation.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.storage.whole_file import TABLE_BYTES, cell_shown, read_regular, reason_of

#: With what programs for tables let a formula begin (OWASP, "CSV Injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def read_columns(path: Path, names: tuple[str, ...], key: str) -> Array:
    """Read the numbers of a CSV file.

    Parameters
    ----------
    path : Path
    names : tuple of str
        Of the columns, with their units: ``"roll_length_mm"``.
    key : str
        What gave the path: remedies name it.

    Returns
    -------
    shape (lines, columns)
        The columns in the order of `names`.

    Raises
    ------
    Fault
        For a file that cannot be read, other columns, and a value that is no finite number, with its line.
    """
    layout = ", ".join(names)
    lines = _lines(path, key)
    order = list(range(len(names)))
    if lines and not any(is_number(field) for field in lines[0][1]):
        found = [_plain(field) for field in lines[0][1]]
        wanted = [_plain(name) for name in names]
        if sorted(found) != sorted(wanted):
            raise Fault(
                f"{path.name}: columns",
                _shown_names(lines[0][1], wanted),
                f"{layout} (the unit is part of the name)",
                f"correct the first line of the file of {key}",
            )
        order = [found.index(name) for name in wanted]
        lines = lines[1:]
    if not lines:
        raise Fault(f"{path.name}: lines with numbers", 0, "at least 1", f"give {layout} in the file of {key}")
    fast = _all_numbers(lines, len(names))
    if fast is not None:
        return fast[:, order]
    table = np.empty((len(lines), len(names)))
    for row, (number, fields) in enumerate(lines):
        if len(fields) != len(names):
            raise Fault(
                f"{path.name}, line {number}: columns",
                len(fields),
                f"{len(names)}: {layout}",
                f"separate the numbers by commas, with a point as decimal sign, in the file of {key}",
            )
        for column, (name, place) in enumerate(zip(names, order, strict=True)):
            field = fields[place]
            if not is_number(field) or not np.isfinite(float(field)):
                raise Fault(
                    f"{path.name}, line {number}: {name}", cell_shown(field), "a finite number", f"correct {key}"
                )
            table[row, column] = float(field)
    return table


def column_names(path: Path, key: str) -> tuple[str, ...]:
    """Return the names in the first line of a CSV file as `read_columns` compares them; none where it has no names.

    Raises
    ------
    Fault
        For a file that cannot be read.
    """
    first = next(iter(_lines(path, key)), (0, []))[1]
    return () if any(map(is_number, first)) else tuple(map(_plain, first))


def _lines(path: Path, key: str) -> list[tuple[int, list[str]]]:
    """Fields of the lines of a file that are neither empty nor remarks, with their numbers."""
    try:
        file = io.StringIO(read_regular(path, TABLE_BYTES).decode("utf-8-sig"), newline="")
        return [
            (number, [field.strip() for field in fields])
            for number, fields in enumerate(csv.reader(file), start=1)
            if any(field.strip() for field in fields) and not fields[0].lstrip().startswith("#")
        ]
    except (UnicodeDecodeError, csv.Error) as error:
        reason = str(error) if isinstance(error, csv.Error) else f"no text in UTF-8 (byte {error.start})"
        raise Fault(path.name, reason, "a CSV file in UTF-8", f"save the file of {key} as CSV with commas") from error
    except OSError as error:
        limit = "a readable file"
        raise Fault(f"{path.name} ({reason_of(error)})", str(path), limit, f"check the path in {key}") from error


def _shown_names(found: list[str], wanted: list[str]) -> str:
    """Names of columns as a message shows them: as they are where one is like a name that is wanted."""
    known = any(difflib.get_close_matches(_plain(name), wanted, cutoff=0.5) for name in found)
    return ", ".join(found if known else map(cell_shown, found))[:200]


def _plain(name: str) -> str:
    """Return the name of a column without the way it is written: ``Roll length [mm]`` -> ``roll_length_mm``."""
    return re.sub(r"[^a-z0-9]+", "_", name.replace("µ", "u").replace("μ", "u").lower()).strip("_")


def _all_numbers(lines: list[tuple[int, list[str]]], columns: int) -> Array | None:
    """The numbers of all lines at once; None if one is wrong, which is then looked for line by line."""
    try:
        table = np.array([fields for _, fields in lines], dtype=np.float64)
    except ValueError:
        return None
    return table if table.shape == (len(lines), columns) and np.isfinite(table).all() else None


def as_cells(row: Sequence[Any]) -> list[Any]:
    """Return the cells of a row as they are written.

    A text that a program for tables would take for a formula, as the name ``=SUM(A1:A2)`` of a mesh, gets an apostrophe
    before it; numbers stay as they are.

    Examples
    --------
    >>> as_cells([-1.5, "-1.5", "+in", "mesh"])
    [-1.5, '-1.5', "'+in", 'mesh']
    """
    return [
        f"'{one}" if isinstance(one, str) and one.startswith(_FORMULA) and not is_number(one) else one for one in row
    ]


def is_number(text: str) -> bool:
    """Whether a text is one, not a number and infinities included."""
    try:
        float(text)
    except ValueError:
        return False
    return True
