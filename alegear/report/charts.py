"""Charts as SVG: lines, bars, heat maps; what a report draws, without a library for pictures.

A chart is one ``<svg>`` element with its axes, units and ticks, which scales with the page. Hatches are those of
:data:`DEFINITIONS`, which a page holds once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.report.shapes import cell_of, length, text_at
from alegear.report.ticks import log_ticks, tick_labels, ticks
from alegear.view.colours import COLOURS

Floats = NDArray[np.float64]
#: Of a legend: name, number of the colour, dashes.
Entry = tuple[str, int, bool | str]

WIDTH, HEIGHT = 720.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 10.0, 42.0
#: Height of a legend's row and of a row of words at marks, width of the colour bar of a map.
LEGEND, WORDS, BAR = 18.0, 13.0, 86.0
#: Points of a curve that are drawn; a longer one is the band between smallest and largest values.
MOST_POINTS = 1200
#: Levels of colour of a heat map.
LEVELS = 32
#: Dark to bright, as those of viridis (van der Walt, Smith, 2015), at equal distances.
MAP = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
DEFINITIONS = (
    '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="6" stroke="#333" stroke-width="1.4"/></pattern></defs></svg>'
)
#: Rows of words at marks.
MARK_ROWS = 3
#: Letters of an axis are this wide, about.
LETTER = 6.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A curve.

    Parameters
    ----------
    x, y : shape (n,)
        Where y is not finite the curve is broken.
    label : str
        In the legend; empty: none.
    colour : int
        Number of the colour; -1: black, below: grey.
    dashed : bool or str
        Also the lengths of dashes and gaps.
    """

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    colour: int = 0
    dashed: bool | str = False


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A vertical line at a value of the abscissa, with a word beside it."""

    x: float
    label: str = ""
    dashed: bool = True


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


def line_chart(lines: Sequence[Line], x: Axis, y: Axis, *, marks: Sequence[Mark] = (), height: float = HEIGHT) -> str:
    """Draw curves over one abscissa.

    Parameters
    ----------
    lines : sequence of Line
    x, y : Axis
    marks : sequence of Mark
    height : float
        Of the chart, whose width is WIDTH.
    """
    xs = [np.asarray(line.x, dtype=float) for line in lines]
    ys = [np.asarray(line.y, dtype=float) for line in lines]
    legend = [(line.label, line.colour, line.dashed) for line in lines if line.label]
    drawn_at = [a[np.isfinite(b)] for a, b in zip(xs, ys, strict=True)]
    frame = _Frame.of(
        x, y, drawn_at, ys, height=height, legend=_legend_rows(legend), words=_word_rows(marks), margin=0.06
    )
    drawn = []
    for line, a, b in zip(lines, xs, ys, strict=True):
        dash = _dashes(line.dashed)
        path = "".join(_path(frame, *_thinned(a, b)))
        if path:
            drawn.append(f'<path class="curve" d="{path}" stroke="{_stroke(line.colour)}"{dash}/>')
    return frame.svg([*drawn, *_marks(frame, marks), *_legend(legend, frame)], clipped=len(drawn))


def bar_chart(
    names: Sequence[str], series: Sequence[tuple[str, ArrayLike]], y: Axis, *, label: str = "", height: float = HEIGHT
) -> str:
    """Draw groups of bars, each from 0.

    Parameters
    ----------
    names : sequence of str
        Of the groups.
    series : sequence of (str, array of shape (len(names),))
        Name and value of a bar in each group; NaN: no bar.
    y : Axis
    label : str
        Of the abscissa.
    """
    values = [np.asarray(one, dtype=float) for _, one in series]
    legend: list[Entry] = [(name, number, False) for number, (name, _) in enumerate(series) if name]
    at = [np.array([-0.5, len(names) - 0.5])]
    ends = [np.concatenate([[0.0], *values])] if not y.log else values
    frame = _Frame.of(
        Axis(label=label, low=-0.5, high=len(names) - 0.5, names=names), y, at, ends,
        height=height, legend=_legend_rows(legend), margin=0.06,
    )  # fmt: skip
    zero = frame.at_y(max(frame.y_low, 0.0) if frame.y_low <= 0.0 <= frame.y_high else frame.y_low)
    width, drawn = 0.72 / max(len(series), 1), []
    for number, of_series in enumerate(values):
        for group, value in enumerate(of_series):
            if math.isfinite(value) and not (y.log and value <= 0.0):
                left = frame.at_x(group - 0.36 + number * width)
                right, top = frame.at_x(group - 0.36 + (number + 1) * width), frame.at_y(float(value))
                colour = COLOURS[number % len(COLOURS)]
                drawn.append(cell_of(left, min(top, zero), right - left, abs(zero - top), colour))
    return frame.svg([*drawn, *_legend(legend, frame)], clipped=len(drawn))


def heat_map(
    x: ArrayLike,
    y: ArrayLike,
    values: ArrayLike,
    axes: tuple[Axis, Axis],
    label: str,
    *,
    hatched: ArrayLike | None = None,
    marks: Sequence[Mark] = (),
    height: float = HEIGHT,
    top: float | None = None,
) -> str:
    """Draw values over a grid of cells as colours.

    Parameters
    ----------
    x : shape (n,), y : shape (m,)
        Middles of the cells.
    values : shape (n, m)
        What is not finite stays white.
    axes : (Axis, Axis)
    label : str
        Of the colours, with the unit.
    hatched : shape (n, m), optional
        Cells that are hatched.
    top : float, optional
        Where the colours end; larger values have the last colour. Default: the largest value.
    """
    values = np.asarray(values, dtype=float)
    edges = [_edges(np.asarray(one, dtype=float)) for one in (x, y)]
    frame = _Frame.of(axes[0], axes[1], [edges[0]], [edges[1]], height=height, right=BAR, words=_word_rows(marks))
    finite = values[np.isfinite(values)]
    low = min(float(finite.min()), 0.0) if finite.size else 0.0
    largest = float(finite.max()) if finite.size else 1.0
    high = largest if top is None else top
    high = high if high > low else low + 1.0
    level = np.full(values.shape, -1, dtype=np.int64)
    there = np.isfinite(values)
    level[there] = np.clip((LEVELS * (values[there] - low) / (high - low)).astype(np.int64), 0, LEVELS - 1)
    drawn = [
        f'<path d="{_cells(frame, edges, level == k)}" fill="{_colour((k + 0.5) / LEVELS)}"/>'
        for k in np.unique(level[there]).tolist()
    ]
    if hatched is not None and np.any(hatched):
        drawn.append(f'<path d="{_cells(frame, edges, np.asarray(hatched, dtype=bool))}" fill="url(#hatch)"/>')
    cells = len(drawn)
    drawn += [*_marks(frame, marks), *_colour_bar(frame, low, high, largest, label)]
    return frame.svg(drawn, clipped=cells, grid=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Frame:
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
    ) -> _Frame:
        x_low, x_high = _range(x, xs, 0.0)
        y_low, y_high = _range(y, ys, margin)
        return cls(
            x=x, y=y, x_low=x_low, x_high=x_high, y_low=y_low, y_high=y_high,
            height=height, right=right, top=TOP + legend * LEGEND + words * WORDS,
        )  # fmt: skip

    @property
    def bottom(self) -> float:
        return self.height - BOTTOM

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
        labels = text_at(middle_x, self.height - 6.0, self.x.label, "middle")
        turned = f' transform="rotate(-90 12 {length(middle_y)})"'
        labels += text_at(12.0, middle_y, self.y.label, "middle", turned)
        name = escape(f"{self.y.label} over {self.x.label}" if self.x.label else self.y.label)
        return (
            f'<svg class="chart" viewBox="0 0 {length(WIDTH)} {length(self.height)}" role="img" '
            f'xmlns="http://www.w3.org/2000/svg"><title>{name}</title>{body}{box}{numbers}{labels}{around}</svg>'
        )

    def _ticks(self) -> tuple[str, str]:
        """Lines of the grid, and the numbers at the axes."""
        lines, numbers = [], []
        for value, label in self._at(self.x, self.x_low, self.x_high, 8):
            at = length(self.at_x(value))
            if not self.x.names:
                lines.append(f"M{at} {length(self.top)}V{length(self.bottom)}")
            numbers.append(text_at(self.at_x(value), self.bottom + 15.0, label, "middle"))
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


def _thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Curve of a motion with more samples than can be told apart: smallest and largest value of equal stretches."""
    n = len(x)
    if n <= MOST_POINTS:
        return x, y
    borders = np.linspace(0, n, MOST_POINTS // 2 + 1).astype(np.int64)[:-1]
    low, high = np.fmin.reduceat(y, borders), np.fmax.reduceat(y, borders)
    return np.repeat(x[borders], 2), np.stack([low, high], axis=1).ravel()


def _path(frame: _Frame, x: Floats, y: Floats) -> Iterator[str]:
    """Path of a curve, broken where it is not finite, and where a logarithm has no value."""
    there = np.isfinite(x) & np.isfinite(y)
    if frame.y.log:
        there &= y > 0.0
    pen = "M"
    for a, b, here in zip(x.tolist(), y.tolist(), there.tolist(), strict=True):
        if here:
            yield f"{pen}{length(frame.at_x(a))} {length(min(max(frame.at_y(b), frame.top - 1.0), frame.bottom + 1.0))}"
        pen = "L" if here else "M"


def _cells(frame: _Frame, edges: Sequence[Floats], chosen: NDArray[np.bool_]) -> str:
    """Path of some cells; neighbours along x are one rectangle."""
    x, y = frame.all_at_x(edges[0]), frame.all_at_y(edges[1])
    found = []
    for j in np.flatnonzero(chosen.any(axis=0)).tolist():
        steps = np.diff(np.concatenate([[0], chosen[:, j].astype(np.int8), [0]]))
        for a, b in zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True):
            found.append(f"M{length(x[a])} {length(y[j])}H{length(x[b])}V{length(y[j + 1])}H{length(x[a])}Z")
    return "".join(found)


def _marks(frame: _Frame, marks: Sequence[Mark]) -> list[str]:
    """Vertical lines, their words above the frame; those that would lie on each other stand in rows."""
    found = []
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
            found.append(text_at(middle, frame.top - 3.0 - WORDS * row, mark.label, "middle", ' class="word"'))
        found.append(
            f'<path class="mark" d="M{length(at)} {length(frame.top - WORDS * row)}V{length(frame.bottom)}"{dash}/>'
        )
    return found


def _word_rows(marks: Sequence[Mark]) -> int:
    """Rows that words at marks may need."""
    words = [mark.label for mark in marks if mark.label]
    room = (WIDTH - LEFT - BAR) / LETTER
    return 0 if not words else 1 if sum(map(len, words)) < 0.3 * room else MARK_ROWS


def _colour_bar(frame: _Frame, low: float, high: float, largest: float, label: str) -> Iterator[str]:
    """Bar of the colours of a map, with its numbers."""
    left, tall = WIDTH - BAR + 16.0, frame.bottom - frame.top
    for k in range(LEVELS):
        yield cell_of(
            left, frame.bottom - (k + 1) * tall / LEVELS, 12.0, tall / LEVELS + 0.3, _colour((k + 0.5) / LEVELS)
        )
    found = ticks(low, high, 5)
    for value, text in zip(found, tick_labels(found), strict=True):
        yield text_at(left + 16.0, frame.bottom - tall * (value - low) / (high - low) + 4.0, text, "start")
    middle = 0.5 * (frame.top + frame.bottom)
    words = f"{label}, largest {largest:.4g}" if largest > high * (1.0 + 1e-9) else label
    yield text_at(
        WIDTH - 6.0, middle, words, "middle", f' transform="rotate(-90 {length(WIDTH - 6.0)} {length(middle)})"'
    )


def _legend_rows(legend: Sequence[Entry]) -> int:
    return max((row for *_, row in _placed(legend)), default=-1) + 1


def _placed(legend: Sequence[Entry]) -> Iterator[tuple[str, int, bool | str, float, int]]:
    """Entries of a legend from left to right, in rows."""
    x, row = LEFT, 0
    for label, colour, dashed in legend:
        wide = 34.0 + LETTER * len(label)
        if x + wide > WIDTH and x > LEFT:
            x, row = LEFT, row + 1
        yield label, colour, dashed, x, row
        x += wide


def _legend(legend: Sequence[Entry], frame: _Frame) -> Iterator[str]:
    for label, colour, dashed, x, row in _placed(legend):
        y = TOP + 3.0 + LEGEND * row
        dash = _dashes(dashed)
        stroke = _stroke(colour)
        yield f'<path d="M{length(x)} {length(y)}h22" stroke="{stroke}" stroke-width="3"{dash}/>'
        yield text_at(x + 26.0, y + 4.0, label, "start")


def _dashes(dashed: bool | str) -> str:
    lengths = dashed if isinstance(dashed, str) else "6 3"
    return f' stroke-dasharray="{lengths}"' if dashed else ""


def _edges(middles: Floats) -> Floats:
    """Borders of the cells around these middles."""
    if len(middles) < 2:
        half = 0.5 * abs(float(middles[0])) or 0.5
        return np.array([middles[0] - half, middles[0] + half])
    inner = 0.5 * (middles[1:] + middles[:-1])
    return np.concatenate([[2.0 * middles[0] - inner[0]], inner, [2.0 * middles[-1] - inner[-1]]])


def _stroke(colour: int) -> str:
    if colour < -1:
        return "#bbb"
    return "#222" if colour < 0 else COLOURS[colour % len(COLOURS)]


def _colour(part: float) -> str:
    """Colour of a part of the range of a map."""
    at = min(max(part, 0.0), 1.0) * (len(MAP) - 1)
    k = min(int(at), len(MAP) - 2)
    both = [[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in MAP[k : k + 2]]
    mixed = [round(a + (at - k) * (b - a)) for a, b in zip(*both, strict=True)]
    return "#" + "".join(f"{one:02x}" for one in mixed)
