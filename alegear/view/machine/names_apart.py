"""Names in a drawing that would lie on each other move apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, low, right, high

#: Directions in which a name is moved, the nearest free place first; steps over its height, and how many.
DIRECTIONS = tuple((np.cos(angle), np.sin(angle)) for angle in np.radians([90, -90, 0, 180, 45, -45, 135, -135]))
STEP, STEPS = 0.5, 30
#: Room between names over their height.
ROOM = 0.08


def move_apart(figure: Figure, axes: Axes, names: Sequence[Text]) -> None:
    """Move names off each other and off all other texts of the axes, with a thin line to where they belong.

    Parameters
    ----------
    figure : Figure
        Complete; it is laid out here.
    axes : Axes
    names : sequence of Text
        Those that may be moved, in the order in which they take their places.
    """
    figure.draw_without_rendering()
    taken = [_box(text) for text in axes.texts if text not in names]
    frame = axes.get_window_extent()
    inside = (frame.x0, frame.y0, frame.x1, frame.y1)
    for text in names:
        box = _box(text)
        shift = free_shift(box, taken, inside)
        taken.append(_moved(box, shift))
        if shift == (0.0, 0.0):
            continue
        old = np.array(text.get_position(), dtype=float)
        new = axes.transData.inverted().transform(axes.transData.transform(old) + np.array(shift))
        text.set_position((float(new[0]), float(new[1])))
        axes.plot([old[0], new[0]], [old[1], new[1]], color="0.3", linewidth=0.6, zorder=7)


def free_shift(box: Box, taken: Sequence[Box], inside: Box) -> tuple[float, float]:
    """Return the shortest of some shifts that brings a box inside, clear of all others; none where there is none."""
    height = box[3] - box[1]
    room = ROOM * height
    for step in range(STEPS + 1):
        for direction in DIRECTIONS if step else ((0.0, 0.0),):
            shift = (step * STEP * height * direction[0], step * STEP * height * direction[1])
            moved = _moved(box, shift)
            within = all(a <= b for a, b in zip(inside[:2], moved[:2], strict=True)) and all(
                a >= b for a, b in zip(inside[2:], moved[2:], strict=True)
            )
            if within and not any(_meet(moved, other, room) for other in taken):
                return shift
    return (0.0, 0.0)


def _box(text: Text) -> Box:
    extent = text.get_window_extent()
    return extent.x0, extent.y0, extent.x1, extent.y1


def _moved(box: Box, shift: tuple[float, float]) -> Box:
    return box[0] + shift[0], box[1] + shift[1], box[2] + shift[0], box[3] + shift[1]


def _meet(a: Box, b: Box, room: float) -> bool:
    """Whether two boxes come nearer than the room between them."""
    return a[0] < b[2] + room and b[0] < a[2] + room and a[1] < b[3] + room and b[1] < a[3] + room
