"""Legends of charts: what lines, dots and bands stand for, in rows above the frame; how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from alegear.pictures.colours import COLOURS
from alegear.report.frame import LEFT, LEGEND, LETTER, TOP, WIDTH
from alegear.report.shapes import cell_of, dot, length, text_at

#: A number of a colour (-1: black, below: grey), or a colour.
Colour = int | str


class Entry(NamedTuple):
    """A name, and what draws its symbol between two places 22 units apart, from the left one."""

    label: str
    symbol: Callable[[float, float], str]


def of_line(label: str, colour: Colour, dashed: bool | str = False) -> Entry:
    """Entry of a curve."""
    return Entry(
        label,
        lambda x, y: (
            f'<path d="M{length(x)} {length(y)}h22" stroke="{stroke(colour)}" stroke-width="3"{dashes(dashed)}/>'
        ),
    )


def of_dots(label: str, colour: Colour, radius: float) -> Entry:
    """Entry of dots."""
    return Entry(label, lambda x, y: dot(x + 11.0, y, radius, stroke(colour)))


def of_band(label: str, fill: str, opacity: float) -> Entry:
    """Entry of a band behind the curves."""
    return Entry(label, lambda x, y: cell_of(x, y - 5.0, 22.0, 10.0, fill, opacity=opacity))


def legend_rows(legend: Sequence[Entry]) -> int:
    """Rows that a legend needs."""
    return max((row for _, _, row in _placed(legend)), default=-1) + 1


def draw_legend(legend: Sequence[Entry]) -> Iterator[str]:
    """Draw the entries above the frame."""
    for entry, x, row in _placed(legend):
        y = TOP + 3.0 + LEGEND * row
        yield entry.symbol(x, y)
        yield text_at(x + 26.0, y + 4.0, entry.label, "start")


def _placed(legend: Sequence[Entry]) -> Iterator[tuple[Entry, float, int]]:
    """Entries of a legend from left to right, in rows."""
    x, row = LEFT, 0
    for entry in legend:
        wide = 40.0 + LETTER * len(entry.label)
        if x + wide > WIDTH and x > LEFT:
            x, row = LEFT, row + 1
        yield entry, x, row
        x += wide


def dashes(dashed: bool | str) -> str:
    """Attribute of a path that has dashes."""
    lengths = dashed if isinstance(dashed, str) else "6 3"
    return f' stroke-dasharray="{lengths}"' if dashed else ""


def stroke(colour: Colour) -> str:
    """A colour as SVG has it."""
    if isinstance(colour, str):
        return colour
    if colour < -1:
        return "#bbb"
    return "#222" if colour < 0 else COLOURS[colour % len(COLOURS)]
