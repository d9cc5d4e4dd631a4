"""Names in a drawing that would lie on each other move apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from alegear.pictures.picture_file import lay_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import BboxBase

Box = tuple[float, float, float, float]  # left, low, right, high

#: Places that are tried lie on a grid: its spacing over the height of a name, and how many there are to each side.
STEP, STEPS = 0.5, 30
#: Room between names over their height.
ROOM = 0.12
#: And from the frame [pixels].
EDGE = 3.0
#: Group of what is drawn on which no name may lie.
KEPT_FREE = "kept free of names"


def move_apart(figure: Figure, names: Mapping[Axes, Sequence[Annotation]]) -> None:
    """Move names off each other and off all other texts of their axes, with a thin line to where they belong.

    Nor do they lie on what is drawn with ``gid = KEPT_FREE``.

    Parameters
    ----------
    figure : Figure
        Complete; its layout is found here, once for all axes.
    names : mapping of Axes to sequences of Annotation
        Those that may be moved, in the order in which they take their places. What has no arrow gets a line to its
        point.
    """
    for text in chain.from_iterable(names.values()):  # they do not change the layout in which their places are found
        text.set_in_layout(False)
    lay_out(figure, for_good=False)
    for axes, of_axes in names.items():
        axes.apply_aspect()
        _move_apart(figure, axes, of_axes)


def _move_apart(figure: Figure, axes: Axes, names: Sequence[Annotation]) -> None:
    """Move those of one axes; the figure is laid out."""
    from matplotlib.lines import Line2D

    taken = [_letters(text) for text in axes.texts if text not in names]
    taken += [_box(one.get_window_extent()) for one in (*axes.patches, *axes.lines) if one.get_gid() == KEPT_FREE]
    frame = axes.get_window_extent()
    inside = (frame.x0 + EDGE, frame.y0 + EDGE, frame.x1 - EDGE, frame.y1 - EDGE)
    for text in names:
        box = _letters(text)
        shift = free_shift(box, taken, inside)
        moved = _moved(box, shift)
        taken.append(moved)
        if shift == (0.0, 0.0):
            continue
        _shift(figure, axes, text, shift)
        if text.arrow_patch is None:
            middle = axes.transData.inverted().transform((0.5 * (moved[0] + moved[2]), 0.5 * (moved[1] + moved[3])))
            line = Line2D([text.xy[0], middle[0]], [text.xy[1], middle[1]], color="0.3", linewidth=0.6, zorder=7)
            axes.add_line(line)  # leaves the limits as they are


def _shift(figure: Figure, axes: Axes, text: Annotation, shift: tuple[float, float]) -> None:
    """Move an annotation by pixels, whether it stands in data or in points beside its point."""
    old = np.array(text.xyann, dtype=float)
    if text.anncoords == "data":
        new = axes.transData.inverted().transform(axes.transData.transform(old) + np.array(shift))
    else:
        new = old + np.array(shift) * 72.0 / figure.dpi
    text.xyann = (float(new[0]), float(new[1]))


def free_shift(box: Box, taken: Sequence[Box], inside: Box) -> tuple[float, float]:
    """Return the shortest shift on a grid that brings a box inside, clear of all others; none where there is none."""
    height = box[3] - box[1]
    steps = STEP * height * np.arange(-STEPS, STEPS + 1)
    shifts = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    shifts = shifts[np.argsort(np.hypot(*shifts.T), kind="stable")]
    low, high = np.array(box[:2]) + shifts, np.array(box[2:]) + shifts
    free = (low >= inside[:2]).all(axis=1) & (high <= inside[2:]).all(axis=1)
    room = ROOM * height
    for other in taken:
        free &= ~((low < np.array(other[2:]) + room) & (np.array(other[:2]) < high + room)).all(axis=1)
    found = np.flatnonzero(free)
    x, y = shifts[found[0]].tolist() if found.size else (0.0, 0.0)
    return x, y


def _letters(text: Text) -> Box:
    """Extent of a text in pixels, of an annotation without its arrow."""
    from matplotlib.text import Text

    text.get_window_extent()  # puts an annotation where it belongs
    return _box(Text.get_window_extent(text))


def _box(extent: BboxBase) -> Box:
    return extent.x0, extent.y0, extent.x1, extent.y1


def _moved(box: Box, shift: tuple[float, float]) -> Box:
    return box[0] + shift[0], box[1] + shift[1], box[2] + shift[0], box[3] + shift[1]
