"""The frame of a chart: its axes with ticks, where values are on paper, marks above it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from alegear.report.shapes import length, text_at, word
from alegear.report.ticks import log_ticks, tick_labels, ticks

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 720.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 10.0, 42.0
#: Height of a legend's row and of a row of words at marks.
LEGEND, WORDS = 18.0, 13.0
#: Height of a second scale below the abscissa.
SECOND = 38.0
#: Rows of words at marks.
MARK_ROWS = 3
#: Letters of an axis are this wide, about.
LETTER = 6.2


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A vertical line at a value of the abscissa, with a word above it."""

    x: float
    label: str = ""
    dashed: bool = True
    colour: str = "#222"


@dataclass(frozen=True, kw_only=True, eq=False)
class Scale:
    """A second scale below the abscissa.

    Parameters
    ----------
    label : str
        With the unit.
    at : sequence of float
        Ticks, in values of the abscissa.
    names : sequence of str
        What stands at them.
    """

    label: str
    at: Sequence[float]
    names: Sequence[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Axis:
    """What an axis shows.

    Parameters
    ----------
    label : str
        With the unit.
    low, high : float, optional
        Default: those of the values.
    log : bool
    names : sequence of str
        In place of numbers, at 0, 1, 2 ...
    """

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    names: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """The axes of a chart, and where values are on paper."""

    x: Axis
    y: Axis
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    height: float
    right: float = RIGHT
    top: float = TOP
    second: Scale | None = None

    @classmethod
    def of(
        cls,
        x: Axis,
        y: Axis,
        xs: Sequence[Floats],
        ys: Sequence[Floats],
        *,
        height: float,
        legend: int = 0,
        words: int = 0,
        right: float = RIGHT,
        margin: float = 0.0,
        second: Scale | None = None,
    ) -> Frame:
        x_low, x_high = _range(x, xs, 0.0)
        y_low, y_high = _range(y, ys, margin)
        return cls(
            x=x, y=y, x_low=x_low, x_high=x_high, y_low=y_low, y_high=y_high,
            height=height, right=right, top=TOP + legend * LEGEND + words * WORDS, second=second,
        )  # fmt: skip

    @property
    def bottom(self) -> float:
        return self.height - BOTTOM - (SECOND if self.second else 0.0)

    def at_x(self, value: float) -> float:
        return LEFT + (WIDTH - LEFT - self.right) * _part(self.x, self.x_low, self.x_high, value)

    def at_y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * _part(self.y, self.y_low, self.y_high, value)

    def all_at_x(self, values: Floats) -> Floats:
        return np.array([self.at_x(value) for value in values.tolist()])

    def all_at_y(self, values: Floats) -> Floats:
        return np.array([self.at_y(value) for value in values.tolist()])

    def svg(self, drawn: Sequence[str], *, clipped: int, grid: bool = True) -> str:
        """The chart; the first `clipped` elements are those inside the frame."""
        inside, around = "".join(drawn[:clipped]), "".join(drawn[clipped:])
        lines, numbers = self._ticks()
        body = f"{lines}{inside}" if grid else inside
        size = f'width="{length(WIDTH - LEFT - self.right)}" height="{length(self.bottom - self.top)}"'
        box = f'<rect class="frame" x="{length(LEFT)}" y="{length(self.top)}" {size}/>'
        middle_x, middle_y = 0.5 * (LEFT + WIDTH - self.right), 0.5 * (self.top + self.bottom)
        labels = text_at(middle_x, self.bottom + BOTTOM - 6.0, self.x.label, "middle") + "".join(self._second())
        labels += upwards(12.0, middle_y, self.y.label, self.height)
        name = escape(f"{self.y.label} over {self.x.label}" if self.x.label else self.y.label)
        return (
            f'<svg class="chart" viewBox="0 0 {length(WIDTH)} {length(self.height)}" role="img" '
            f'xmlns="http://www.w3.org/2000/svg"><title>{name}</title>{body}{box}{numbers}{labels}{around}</svg>'
        )

    def _second(self) -> Iterator[str]:
        """The second scale: a line with ticks below the label of the abscissa."""
        if self.second is None:
            return
        y, left, right = self.bottom + BOTTOM + 4.0, LEFT, WIDTH - self.right
        there = [
            (self.at_x(at), name)
            for at, name in zip(self.second.at, self.second.names, strict=True)
            if self.x_low <= at <= self.x_high
        ]
        lines = f"M{length(left)} {length(y)}H{length(right)}"
        lines += "".join(f"M{length(x)} {length(y)}v4" for x, _ in there)
        yield f'<path class="frame" d="{lines}"/>'
        yield from (text_at(x, y + 15.0, name, "middle") for x, name in there)
        yield text_at(0.5 * (left + right), self.height - 4.0, self.second.label, "middle")

    def _ticks(self) -> tuple[str, str]:
        """Lines of the grid, and the numbers at the axes."""
        lines, numbers = [], []
        for value, label in self._at(self.x, self.x_low, self.x_high, 8):
            at = length(self.at_x(value))
            if not self.x.names:
                lines.append(f"M{at} {length(self.top)}V{length(self.bottom)}")
            middle = min(self.at_x(value), WIDTH - 0.6 * LETTER * len(label))  # all of it on the paper, in any font
            numbers.append(text_at(middle, self.bottom + 15.0, label, "middle"))
        for value, label in self._at(self.y, self.y_low, self.y_high, 6):
            lines.append(f"M{length(LEFT)} {length(self.at_y(value))}H{length(WIDTH - self.right)}")
            numbers.append(text_at(LEFT - 6.0, self.at_y(value) + 4.0, label, "end"))
        return f'<path class="grid" d="{"".join(lines)}"/>', "".join(numbers)

    def _at(self, axis: Axis, low: float, high: float, count: int) -> list[tuple[float, str]]:
        if axis.names:
            room = (WIDTH - LEFT - self.right) / max(len(axis.names), 1) / LETTER
            stride = max(1, math.ceil(1.2 / max(room, 1e-9)))
            return [(float(k), _short(name, stride * room)) for k, name in enumerate(axis.names) if k % stride == 0]
        found = log_ticks(low, high) if axis.log else ticks(low, high, count)
        return list(zip(found, [_of_ten(one) for one in found] if axis.log else tick_labels(found), strict=True))


def _of_ten(value: float) -> str:
    return f"{value:g}" if 1e-3 <= value < 1e5 else f"1e{round(math.log10(value))}"


def _short(name: str, letters: float) -> str:
    return name if len(name) <= letters else name[: max(1, int(letters) - 1)] + "…"


def _part(axis: Axis, low: float, high: float, value: float) -> float:
    if axis.log:
        return (math.log10(max(value, 1e-300)) - math.log10(low)) / (math.log10(high) - math.log10(low))
    return (value - low) / (high - low)


def _range(axis: Axis, values: Sequence[Floats], margin: float) -> tuple[float, float]:
    """Ends of an axis: those given, else of the values with a margin."""
    every = np.concatenate([np.ravel(one) for one in values]) if values else np.zeros(0)
    every = every[np.isfinite(every) & (every > 0.0)] if axis.log else every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if every.size else (1.0 if axis.log else 0.0, 1.0)
    if axis.log:
        low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
        high = high if high > low else 10.0 * low
    else:
        if not high - low > 1e-9 * max(abs(low), abs(high)):
            half = 0.5 * abs(high) or 1.0
            low, high = low - half, high + half
        room = margin * (high - low)
        low, high = (low if low == 0.0 else low - room), (high if high == 0.0 else high + room)
    given_low, given_high = (low if axis.low is None else axis.low), (high if axis.high is None else axis.high)
    return (given_low, given_high) if given_high > given_low else (given_low, given_low + 1.0)


def draw_marks(frame: Frame, marks: Sequence[Mark]) -> list[str]:
    """Vertical lines, their words above the frame; those that would lie on each other stand in rows."""
    lines, words = [], []
    ends = [-math.inf] * MARK_ROWS
    for mark in sorted(marks, key=lambda one: one.x):
        if not frame.x_low <= mark.x <= frame.x_high:
            continue
        at = frame.at_x(mark.x)
        dash = ' stroke-dasharray="3 3"' if mark.dashed else ""
        row = 0
        if mark.label:
            half = 0.5 * LETTER * len(mark.label)
            middle = min(max(at, LEFT + half), WIDTH - frame.right - half)
            row = next((k for k, end in enumerate(ends) if middle - half > end), 0)
            ends[row] = middle + half + 4.0
            words.append(word(middle, frame.top - 4.0 - WORDS * row, mark.label, colour=mark.colour))
        way = f"M{length(at)} {length(frame.top - WORDS * row)}V{length(frame.bottom)}"
        lines.append(f'<path class="mark" d="{way}" style="stroke:{mark.colour}"{dash}/>')
    return [*lines, *words]  # no line goes through a word


def word_rows(marks: Sequence[Mark], right: float = RIGHT) -> int:
    """Rows that words at marks may need, where so much is free on the right of the frame."""
    words = [mark.label for mark in marks if mark.label]
    room = (WIDTH - LEFT - right) / LETTER
    return 0 if not words else 1 if sum(map(len, words)) < 0.3 * room else MARK_ROWS


def upwards(x: float, y: float, text: str, height: float) -> str:
    """A text that reads upwards, its middle at a place, or where it ends on a paper of this height."""
    half = 0.5 * LETTER * len(text)
    y = min(max(y, half), max(height - half, 0.5 * height))
    return text_at(x, y, text, "middle", f' transform="rotate(-90 {length(x)} {length(y)})"')
