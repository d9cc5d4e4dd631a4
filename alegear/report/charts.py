"""Charts as SVG: lines and bars; what a report draws, without a library for pictures.

A chart is one ``<svg>`` element with its axes, units and ticks, which scales with the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.pictures.apart import spread
from alegear.pictures.colours import COLOURS
from alegear.report.frame import HEIGHT, RIGHT, WIDTH, Axis, Frame, Mark, draw_marks, word_rows
from alegear.report.legend import Colour, dashes, draw_legend, legend_rows, of_band, of_dots, of_line, stroke
from alegear.report.shapes import cell_of, dot, length, word

__all__ = ["Axis", "Band", "Dots", "Line", "Mark", "bar_chart", "line_chart"]

Floats = NDArray[np.float64]

#: Points of a curve that are drawn; a longer one is the band between smallest and largest values.
MOST_POINTS = 1200
#: Curves of few points have all of them; of others those are left out that are seen on the line between two others.
FEW, SEEN = 50, 0.1
#: Of names at the ends of curves: distance from the frame, height of a line, width of a letter.
LEADER, ENDING, SMALL_LETTER = 18.0, 12.0, 5.6
#: Colour of bands and of their ends, and how much of it there is behind the curves.
BAND, SHADE = "#e69f00", 0.12


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A curve.

    Parameters
    ----------
    x, y : shape (n,)
        Where y is not finite the curve is broken.
    label : str
        In the legend; empty: none.
    colour : int or str
        Number of the colour; -1: black, below: grey. Or the colour itself.
    dashed : bool or str
        Also the lengths of dashes and gaps.
    width : float, optional
        Default: that of all curves.
    ending : str
        What stands beside its right end, apart from what stands at others.
    """

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    colour: Colour = 0
    dashed: bool | str = False
    width: float | None = None
    ending: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dots:
    """Points that are marked.

    Parameters
    ----------
    x, y : shape (n,)
    label : str
        In the legend; empty: none.
    colour : int or str
        As of lines.
    radius : float
    """

    x: ArrayLike
    y: ArrayLike
    label: str = ""
    colour: Colour = -1
    radius: float = 3.0


@dataclass(frozen=True, kw_only=True)
class Band:
    """A range of the abscissa that is shaded, with a line at its end."""

    low: float
    high: float
    label: str = ""


def line_chart(
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    *,
    marks: Sequence[Mark] = (),
    dots: Sequence[Dots] = (),
    bands: Sequence[Band] = (),
    height: float = HEIGHT,
) -> str:
    """Draw curves over one abscissa.

    Parameters
    ----------
    lines : sequence of Line
    x, y : Axis
    marks : sequence of Mark
    dots : sequence of Dots
        On the curves; they do not widen the axes.
    bands : sequence of Band
        Behind the curves.
    height : float
        Of the chart, whose width is WIDTH.
    """
    xs = [np.asarray(line.x, dtype=float) for line in lines]
    ys = [np.asarray(line.y, dtype=float) for line in lines]
    legend = [of_line(line.label, line.colour, line.dashed) for line in lines if line.label]
    legend += [of_dots(one.label, one.colour, one.radius) for one in dots if one.label]
    legend += [of_band(band.label, BAND, SHADE) for band in bands if band.label]
    drawn_at = [a[np.isfinite(b)] for a, b in zip(xs, ys, strict=True)]
    frame = Frame.of(
        x, y, drawn_at, ys, height=height, legend=legend_rows(legend), words=word_rows(marks), margin=0.06,
        right=_ending_room(lines),
    )  # fmt: skip
    drawn = list(_bands(frame, bands))
    for line, a, b in zip(lines, xs, ys, strict=True):
        path = "".join(_path(frame, *_thinned(a, b)))
        if path:
            width = f' style="stroke-width:{line.width:g}"' if line.width else ""
            drawn.append(f'<path class="curve" d="{path}" stroke="{stroke(line.colour)}"{width}{dashes(line.dashed)}/>')
    drawn += [one for some in dots for one in _dots(frame, some)]
    around = [*draw_marks(frame, marks), *_endings(frame, lines), *draw_legend(legend)]
    return frame.svg([*drawn, *around], clipped=len(drawn))


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
    legend = [of_line(name, number) for number, (name, _) in enumerate(series) if name]
    at = [np.array([-0.5, len(names) - 0.5])]
    ends = [np.concatenate([[0.0], *values])] if not y.log else values
    frame = Frame.of(
        Axis(label=label, low=-0.5, high=len(names) - 0.5, names=names), y, at, ends,
        height=height, legend=legend_rows(legend), margin=0.06,
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
    return frame.svg([*drawn, *draw_legend(legend)], clipped=len(drawn))


def _ending_room(lines: Sequence[Line]) -> float:
    """Room on the right of the frame for what stands at the ends of curves."""
    longest = max((len(line.ending) for line in lines), default=0)
    return RIGHT + (LEADER + SMALL_LETTER * longest if longest else 0.0)


def _endings(frame: Frame, lines: Sequence[Line]) -> Iterator[str]:
    """What stands at the ends of curves, apart from each other and tied to them."""
    ends = []
    for line in lines:
        xs, ys = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
        there = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
        if line.ending and there.size and frame.y_low <= ys[there[-1]] <= frame.y_high:
            ends.append((line, frame.at_x(float(xs[there[-1]])), frame.at_y(float(ys[there[-1]]))))
    gap = min(ENDING, (frame.bottom - frame.top) / max(len(ends) - 1, 1))
    heights = spread(np.array([end for *_, end in ends]), gap, frame.top, frame.bottom)
    for (line, x, end), place in zip(ends, heights.tolist(), strict=True):
        colour, at = stroke(line.colour), WIDTH - frame.right + LEADER
        yield (
            f'<path d="M{length(x)} {length(end)}L{length(at - 2.0)} {length(place)}" fill="none" stroke="{colour}" '
            'stroke-width="0.6"/>'
        )
        yield word(at, place + 3.5, line.ending, "start", colour="#777" if colour == stroke(-2) else colour)


def _bands(frame: Frame, bands: Sequence[Band]) -> Iterator[str]:
    """Bands behind the curves, each with a line at its end."""
    for band in bands:
        low, high = (frame.at_x(min(max(one, frame.x_low), frame.x_high)) for one in (band.low, band.high))
        yield cell_of(low, frame.top, high - low, frame.bottom - frame.top, BAND, opacity=SHADE)
        yield f'<path d="M{length(high)} {length(frame.top)}V{length(frame.bottom)}" stroke="{BAND}"/>'


def _dots(frame: Frame, dots: Dots) -> Iterator[str]:
    x, y = np.asarray(dots.x, dtype=float), np.asarray(dots.y, dtype=float)
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if math.isfinite(a) and math.isfinite(b):
            yield dot(frame.at_x(a), frame.at_y(b), dots.radius, stroke(dots.colour))


def _thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Curve of a motion with more samples than can be told apart: smallest and largest value of equal stretches."""
    n = len(x)
    if n <= MOST_POINTS:
        return x, y
    borders = np.linspace(0, n, MOST_POINTS // 2 + 1).astype(np.int64)[:-1]
    low, high = np.fmin.reduceat(y, borders), np.fmax.reduceat(y, borders)
    return np.repeat(x[borders], 2), np.stack([low, high], axis=1).ravel()


def _path(frame: Frame, x: Floats, y: Floats) -> Iterator[str]:
    """Path of a curve, broken where it is not finite, where a logarithm has no value, and beyond the ordinate.

    Along the border it would look like values of its own.
    """
    there = np.isfinite(x) & np.isfinite(y)
    if frame.y.log:
        there &= y > 0.0
    height = frame.all_at_y(y)
    for beyond in (height < frame.top, height > frame.bottom):
        before, after = (np.concatenate(two) for two in (([True], beyond[:-1]), (beyond[1:], [True])))
        there &= ~(beyond & before & after)
    ends = np.flatnonzero(np.diff(there.astype(np.int8), prepend=0, append=0))
    for begin, end in zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True):
        across = [frame.at_x(one) for one in x[begin:end].tolist()]
        up = [min(max(frame.at_y(one), frame.top - 1.0), frame.bottom + 1.0) for one in y[begin:end].tolist()]
        pen = "M"
        for k in _bends(across, up) if end - begin > FEW else range(end - begin):
            yield f"{pen}{length(across[k])} {length(up[k])}"
            pen = "L"


def _bends(x: Sequence[float], y: Sequence[float]) -> Iterator[int]:
    """Numbers of the points of a curve from which straight lines leave out none by more than :data:`SEEN`.

    From each of them on the slopes that pass all points near enough are a range, which narrows until the next is out.
    """
    yield 0
    begin, low, high = 0, -math.inf, math.inf
    for k in range(1, len(x)):
        across, up = x[k] - x[begin], y[k] - y[begin]
        if across <= 0.0 and abs(up) <= SEEN:
            continue
        if across <= 0.0 or not low <= up / across <= high:
            if k - 1 > begin:
                yield k - 1
            begin, low, high = k - 1, -math.inf, math.inf
            across, up = x[k] - x[begin], y[k] - y[begin]
            if across <= 0.0:
                yield k
                begin = k
                continue
        low, high = max(low, (up - SEEN) / across), min(high, (up + SEEN) / across)
    if begin < len(x) - 1:
        yield len(x) - 1
