"""What a section of a report is made of; the template knows how each is written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

#: Digits of a number in a table.
DIGITS = 5
#: From here on numbers have a power of ten.
LARGE = 1e7


@dataclass(frozen=True, kw_only=True, eq=False)
class Text:
    """A paragraph; a warning where `kind` says so.

    Parameters
    ----------
    text : str
    kind : {"plain", "note", "warning"}
    """

    block: ClassVar[str] = "text"
    text: str
    kind: str = "plain"


@dataclass(frozen=True, kw_only=True, eq=False)
class TableBlock:
    """Rows of cells; numbers stand right.

    Parameters
    ----------
    head : sequence of str
        Empty: none.
    rows : sequence of sequences
        Texts, numbers, None for what was not computed.
    caption : str
    digits : int
        Significant digits of its numbers.
    """

    block: ClassVar[str] = "table"
    head: Sequence[str] = ()
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    digits: int = DIGITS


@dataclass(frozen=True, kw_only=True, eq=False)
class Figure:
    """A picture with what it shows; one that could not be drawn says why.

    Parameters
    ----------
    svg : str
        As an element.
    caption : str
    """

    block: ClassVar[str] = "figure"
    svg: str
    caption: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Listing:
    """A text as it is, letter by letter."""

    block: ClassVar[str] = "listing"
    text: str


Block = Text | TableBlock | Figure | Listing


def cell(value: Any, digits: int = DIGITS) -> str:
    """Write a value of a table with so many significant digits.

    Examples
    --------
    >>> cell(None), cell(-0.125), cell(12345678.0), cell(True), cell([1, 2.5])
    ('–', '−0.125', '1.2346e7', 'yes', '1, 2.5')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(cell(one, digits) for one in value) or "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {cell(one, digits)}" for key, one in value.items())
    if isinstance(value, int):
        return str(value).replace("-", "−")
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–"
        if 10.0**digits <= abs(value) < LARGE:
            return f"{value:.0f}".replace("-", "−")
        mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
        return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", "−")
    return str(value)


def is_number(value: Any) -> bool:
    """Whether a cell stands right."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def numeric_columns(table: TableBlock) -> list[bool]:
    """Which columns of a table are numbers: all of their cells are."""
    columns = zip(*table.rows, strict=True)
    return [all(map(is_number, column)) for column in columns]
