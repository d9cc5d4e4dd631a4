"""Maps as SVG: values over a grid of cells as colours.

Hatches are those of :data:`DEFINITIONS`, which a page holds once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.report.blocks import cell
from alegear.report.frame import (
    HEIGHT,
    LETTER,
    SECOND,
    WIDTH,
    WORDS,
    Axis,
    Frame,
    Mark,
    Scale,
    draw_marks,
    upwards,
    word_rows,
)
from alegear.report.shapes import cell_of, length, text_at
from alegear.report.ticks import tick_labels, ticks

Floats = NDArray[np.float64]

#: Width of the colour bar.
BAR = 86.0
#: Significant digits of the largest value.
DIGITS = 4
#: Levels of colour.
LEVELS = 32
#: Dark to bright, as those of viridis (van der Walt, Smith, 2015), at equal distances.
MAP = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
#: Of hatched cells; no colour of the maps.
HATCH = "#d6006c"
DEFINITIONS = (
    '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
    '<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<line x1="0" y1="0" x2="0" y2="7" stroke="{HATCH}" stroke-width="1.2"/></pattern></defs></svg>'
)


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
    second: Scale | None = None,
    cross: bool = False,
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
        Cells that are hatched and outlined.
    top : float, optional
        Where the colours end; larger values have the last colour. Default: the largest value.
    second : Scale, optional
        Below the abscissa; the chart is higher by it.
    cross : bool
        Whether a cross marks the largest value.
    """
    height += SECOND if second else 0.0
    values = np.asarray(values, dtype=float)
    edges = [_edges(np.asarray(one, dtype=float)) for one in (x, y)]
    low, high, largest = _scale(values, top)
    lines = _label_lines(label, f"largest {cell(largest, DIGITS)}" if largest > high * (1.0 + 1e-9) else "", height)
    right = BAR + WORDS * (len(lines) - 1)
    frame = Frame.of(
        axes[0], axes[1], [edges[0]], [edges[1]], height=height, right=right, words=word_rows(marks, right),
        second=second,
    )  # fmt: skip
    level = np.full(values.shape, -1, dtype=np.int64)
    there = np.isfinite(values)
    level[there] = np.clip((LEVELS * (values[there] - low) / (high - low)).astype(np.int64), 0, LEVELS - 1)
    drawn = [
        f'<path d="{_cells(frame, edges, level == k)}" fill="{_colour((k + 0.5) / LEVELS)}"/>'
        for k in np.unique(level[there]).tolist()
    ]
    if hatched is not None and np.any(hatched):
        there = np.asarray(hatched, dtype=bool)
        drawn.append(f'<path d="{_cells(frame, edges, there)}" fill="url(#hatch)"/>')
        drawn.append(f'<path d="{_outline(frame, edges, there)}" fill="none" stroke="{HATCH}"/>')
    cells = len(drawn)
    drawn += [_cross(frame, x, y, values)] if cross and np.isfinite(values).any() else []
    drawn += [*draw_marks(frame, marks), *_colour_bar(frame, low, high, lines)]
    return frame.svg(drawn, clipped=cells, grid=False)


def _cells(frame: Frame, edges: Sequence[Floats], chosen: NDArray[np.bool_]) -> str:
    """Path of some cells; neighbours along x are one rectangle."""
    x, y = frame.all_at_x(edges[0]), frame.all_at_y(edges[1])
    found = []
    for j in np.flatnonzero(chosen.any(axis=0)).tolist():
        for a, b in _runs(chosen[:, j]):
            found.append(f"M{length(x[a])} {length(y[j])}H{length(x[b])}V{length(y[j + 1])}H{length(x[a])}Z")
    return "".join(found)


def _outline(frame: Frame, edges: Sequence[Floats], chosen: NDArray[np.bool_]) -> str:
    """Path of the sides between chosen cells and others; sides in one line are one."""
    x, y = frame.all_at_x(edges[0]), frame.all_at_y(edges[1])
    framed = np.pad(chosen, 1).astype(np.int8)
    across, along = np.diff(framed, axis=0)[:, 1:-1] != 0, np.diff(framed, axis=1)[1:-1] != 0
    found = []
    for i, side in enumerate(across):
        found += [f"M{length(x[i])} {length(y[a])}V{length(y[b])}" for a, b in _runs(side)]
    for j, side in enumerate(along.T):
        found += [f"M{length(x[a])} {length(y[j])}H{length(x[b])}" for a, b in _runs(side)]
    return "".join(found)


def _runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Begin and end of neighbours that are chosen."""
    steps = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))


def _cross(frame: Frame, x: ArrayLike, y: ArrayLike, values: Floats) -> str:
    """A cross at the largest value, which is seen on every colour."""
    i, j = np.unravel_index(int(np.nanargmax(values)), values.shape)
    a, b = frame.at_x(float(np.asarray(x)[i])), frame.at_y(float(np.asarray(y)[j]))
    way = f"M{length(a - 5.0)} {length(b - 5.0)}l10 10m0 -10l-10 10"
    return "".join(
        f'<path class="cross" d="{way}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
        for colour, width in (("#fff", "3.5"), ("#000", "1.4"))
    )


def _scale(values: Floats, top: float | None) -> tuple[float, float, float]:
    """Where the colours begin and end, and the largest value."""
    finite = values[np.isfinite(values)]
    low = min(float(finite.min()), 0.0) if finite.size else 0.0
    largest = float(finite.max()) if finite.size else 1.0
    high = largest if top is None else top
    return low, high if high > low else low + 1.0, largest


def _label_lines(label: str, largest: str, height: float) -> list[str]:
    """Label of the colours and the largest value in lines of at most this length."""
    letters = int(height / LETTER)
    whole = f"{label}, {largest}" if largest else label
    if len(whole) <= letters or not largest:
        return wrap(whole, letters)
    return [*wrap(f"{label},", letters), largest]


def _colour_bar(frame: Frame, low: float, high: float, label: Sequence[str]) -> Iterator[str]:
    """Bar of the colours of a map, with its numbers and the lines of its label."""
    left, tall = WIDTH - frame.right + 16.0, frame.bottom - frame.top
    for k in range(LEVELS):
        yield cell_of(
            left, frame.bottom - (k + 1) * tall / LEVELS, 12.0, tall / LEVELS + 0.3, _colour((k + 0.5) / LEVELS)
        )
    found = ticks(low, high, 5)
    for value, text in zip(found, tick_labels(found), strict=True):
        yield text_at(left + 16.0, frame.bottom - tall * (value - low) / (high - low) + 4.0, text, "start")
    for k, line in enumerate(reversed(label)):
        yield upwards(WIDTH - 6.0 - WORDS * k, 0.5 * (frame.top + frame.bottom), line, frame.height)


def _edges(middles: Floats) -> Floats:
    """Borders of the cells around these middles."""
    if len(middles) < 2:
        half = 0.5 * abs(float(middles[0])) or 0.5
        return np.array([middles[0] - half, middles[0] + half])
    inner = 0.5 * (middles[1:] + middles[:-1])
    return np.concatenate([[2.0 * middles[0] - inner[0]], inner, [2.0 * middles[-1] - inner[-1]]])


def _colour(part: float) -> str:
    """Colour of a part of the range of a map."""
    at = min(max(part, 0.0), 1.0) * (len(MAP) - 1)
    k = min(int(at), len(MAP) - 2)
    both = [[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in MAP[k : k + 2]]
    mixed = [round(a + (at - k) * (b - a)) for a, b in zip(*both, strict=True)]
    return "#" + "".join(f"{one:02x}" for one in mixed)
