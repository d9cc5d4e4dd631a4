"""Charts as SVG: lines and bars; what a report draws, without a library for pictures.

A chart is one ``<svg>`` element with its axes, units and ticks, which scales with the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.report.frame import HEIGHT, LEFT, LEGEND, LETTER, TOP, WIDTH, Axis, Frame, Mark, draw_marks, word_rows
from alegear.report.shapes import cell_of, length, text_at
from alegear.view.colours import COLOURS

__all__ = ["Axis", "Line", "Mark", "bar_chart", "line_chart"]

Floats = NDArray[np.float64]
#: Of a legend: name, number of the colour, dashes.
Entry = tuple[str, int, bool | str]

#: Points of a curve that are drawn; a longer one is the band between smallest and largest values.
MOST_POINTS = 1200


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
    frame = Frame.of(
        x, y, drawn_at, ys, height=height, legend=_legend_rows(legend), words=word_rows(marks), margin=0.06
    )
    drawn = []
    for line, a, b in zip(lines, xs, ys, strict=True):
        dash = _dashes(line.dashed)
        path = "".join(_path(frame, *_thinned(a, b)))
        if path:
            drawn.append(f'<path class="curve" d="{path}" stroke="{_stroke(line.colour)}"{dash}/>')
    return frame.svg([*drawn, *draw_marks(frame, marks), *_legend(legend, frame)], clipped=len(drawn))


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
    frame = Frame.of(
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


def _legend(legend: Sequence[Entry], frame: Frame) -> Iterator[str]:
    for label, colour, dashed, x, row in _placed(legend):
        y = TOP + 3.0 + LEGEND * row
        dash = _dashes(dashed)
        stroke = _stroke(colour)
        yield f'<path d="M{length(x)} {length(y)}h22" stroke="{stroke}" stroke-width="3"{dash}/>'
        yield text_at(x + 26.0, y + 4.0, label, "start")


def _dashes(dashed: bool | str) -> str:
    lengths = dashed if isinstance(dashed, str) else "6 3"
    return f' stroke-dasharray="{lengths}"' if dashed else ""


def _stroke(colour: int) -> str:
    if colour < -1:
        return "#bbb"
    return "#222" if colour < 0 else COLOURS[colour % len(COLOURS)]


def _thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Curve of a motion with more samples than can be told apart: smallest and largest value of equal stretches."""
    n = len(x)
    if n <= MOST_POINTS:
        return x, y
    borders = np.linspace(0, n, MOST_POINTS // 2 + 1).astype(np.int64)[:-1]
    low, high = np.fmin.reduceat(y, borders), np.fmax.reduceat(y, borders)
    return np.repeat(x[borders], 2), np.stack([low, high], axis=1).ravel()


def _path(frame: Frame, x: Floats, y: Floats) -> Iterator[str]:
    """Path of a curve, broken where it is not finite, and where a logarithm has no value."""
    there = np.isfinite(x) & np.isfinite(y)
    if frame.y.log:
        there &= y > 0.0
    pen = "M"
    for a, b, here in zip(x.tolist(), y.tolist(), there.tolist(), strict=True):
        if here:
            yield f"{pen}{length(frame.at_x(a))} {length(min(max(frame.at_y(b), frame.top - 1.0), frame.bottom + 1.0))}"
        pen = "L" if here else "M"
