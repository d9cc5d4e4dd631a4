"""Cells of CSV files: a text is never taken for a formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: With what programs for tables let a formula begin (OWASP, "CSV Injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
