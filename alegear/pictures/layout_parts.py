"""Bearings and disks in the section along the shafts of a layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.pictures.names_apart import KEPT_FREE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from alegear.pictures.layout_sketch import Sketch

MM = 1e3
BEARING, BEARING_TEXT, FACE, DEFECT, DISK = "#E69F00", "#8a5a00", "white", "#c0392b", "#7a6a9b"
#: Outer over inner radius of a bearing that is given by its stiffness, and its width over the inner radius.
RING, RING_WIDTH = 1.55, 0.55
#: Thickness of the outer ring of a rolling bearing over the diameter of its elements, and its width over their length.
OUTER_RING, OUTER_WIDTH = 0.45, 1.4
#: Radius and width of the sign of a disk, over the radius of its shaft.
DISK_RADIUS, DISK_WIDTH = 1.8, 0.35
#: Height of a line of a name [points].
LETTERS = 10


def draw_bearing(axes: Axes, sketch: Sketch, bearing: Any) -> None:
    """Draw a bearing from the shaft to what holds it: a cross, or its rings and rolling elements to scale."""
    height, middle = sketch.heights[bearing.shaft], sketch.position(bearing.shaft, bearing.at)
    inner, outer, width = _size(sketch, bearing)
    for side in (1.0, -1.0):
        if not bearing.rolls:
            _ring(axes, middle, width, height + side * inner, height + side * outer)
            x, w = MM * (middle - 0.5 * width), MM * width
            low, high = MM * (height + side * inner), MM * (height + side * outer)
            axes.plot([x, x + w], [low, high], color=BEARING, lw=0.9, zorder=7)
            axes.plot([x, x + w], [high, low], color=BEARING, lw=0.9, zorder=7)
            continue
        races = [0.5 * (bearing.pitch_diameter + sign * bearing.diameter) for sign in (-1.0, 1.0)]
        _ring(axes, middle, width, height + side * min(inner, races[0]), height + side * races[0])
        _ring(axes, middle, width, height + side * races[1], height + side * outer)
        _rolling_element(axes, middle, height + 0.5 * side * bearing.pitch_diameter, bearing)


def _size(sketch: Sketch, bearing: Any) -> tuple[float, float, float]:
    """Inner and outer radius and width of a bearing [m]."""
    inner = sketch.radius(bearing.shaft, bearing.at)
    if bearing.rolls:
        outer = 0.5 * (bearing.pitch_diameter + bearing.diameter) + OUTER_RING * bearing.diameter
        return inner, outer, OUTER_WIDTH * (bearing.roller_length or bearing.diameter)
    outer = RING * inner
    holder = sketch.shafts.get(bearing.to)
    if holder is not None and bearing.to_at is not None and np.size(holder.sections):
        bore = 0.5 * holder.section_at(bearing.to_at).inner
        outer = bore if bore > inner else outer
    return inner, outer, RING_WIDTH * inner


def _ring(axes: Axes, middle: float, width: float, one: float, other: float) -> None:
    from matplotlib.patches import Rectangle

    corner = (MM * (middle - 0.5 * width), MM * min(one, other))
    axes.add_patch(
        Rectangle(
            corner, MM * width, MM * abs(other - one), facecolor=FACE, edgecolor=BEARING, linewidth=1.2, zorder=7,
            gid=KEPT_FREE,
        )
    )  # fmt: skip


def _rolling_element(axes: Axes, x: float, y: float, bearing: Any) -> None:
    """A ball, or a roller."""
    from matplotlib.patches import Circle, Rectangle

    style: dict[str, Any] = {"facecolor": "#f6d9a0", "edgecolor": BEARING, "linewidth": 0.9, "zorder": 7.5}
    d, length = MM * bearing.diameter, MM * bearing.roller_length
    if not length:
        axes.add_patch(Circle((MM * x, MM * y), 0.5 * d, **style))
    else:
        axes.add_patch(Rectangle((MM * x - 0.5 * length, MM * y - 0.5 * d), length, d, **style))


def name_bearings(axes: Axes, sketch: Sketch, bearings: Sequence[Any]) -> None:
    """Name bearings below them, those between two shafts above; what stands at one place has one text."""
    told: dict[tuple[float, float], list[Any]] = {}
    for one in bearings:
        if one.to_at is None:
            where = sketch.position(one.shaft, one.at), sketch.heights[one.shaft]
            told.setdefault((round(where[0], 6), round(where[1], 6)), []).append(one)
        else:
            _name_between(axes, sketch, one)
    for (middle, height), same in told.items():
        outer = max(_size(sketch, one)[1] for one in same)
        text = "\n".join(one.name for one in same)
        _text(axes, text, middle, height - outer, {"xytext": (0, -3), "va": "top"})
        defects = [f"defect: {defect.on}" for one in same if one.rolls for defect in one.defects]
        if defects:
            _text(axes, "\n".join(defects), middle, height + outer, {"xytext": (0, 3), "va": "bottom"}, DEFECT)


def _name_between(axes: Axes, sketch: Sketch, one: Any) -> None:
    """Other bearings may stand around one between two shafts."""
    height, middle = sketch.heights[one.shaft], sketch.position(one.shaft, one.at)
    line = {"arrowstyle": "-", "color": BEARING_TEXT, "lw": 0.6}
    style = {"xytext": (0, 52), "va": "bottom", "arrowprops": line}
    _text(axes, f"{one.name}\n(to {one.to})", middle, height + _size(sketch, one)[1], style)


def _text(axes: Axes, text: str, x: float, y: float, style: dict[str, Any], colour: str = BEARING_TEXT) -> None:
    axes.annotate(
        text, (MM * x, MM * y), textcoords="offset points", ha="center", fontsize=7.5, color=colour, zorder=9,
        parse_math=False, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}, **style,
    )  # fmt: skip


def draw_disks(axes: Axes, sketch: Sketch, disks: Sequence[Any], bearings: Sequence[Any]) -> None:
    """Draw the signs of rigid bodies on shafts, names below those of bearings there: their sizes are not told."""
    from matplotlib.patches import Rectangle

    told: dict[tuple[float, float, float], list[str]] = {}
    seats = [(sketch.position(one.shaft, one.at), sketch.heights[one.shaft]) for one in bearings]
    for one in disks:
        height, middle = sketch.heights[one.shaft], sketch.position(one.shaft, one.at)
        radius = sketch.radius(one.shaft, one.at)
        r, w = MM * DISK_RADIUS * radius, MM * DISK_WIDTH * radius
        corner = (MM * middle - 0.5 * w, MM * height - r)
        axes.add_patch(
            Rectangle(corner, w, 2.0 * r, facecolor="none", edgecolor=DISK, hatch="////", linewidth=1.0, zorder=6)
        )
        words = f"{one.name}, {one.mass:.6g} kg" if one.mass else one.name
        told.setdefault((round(middle, 6), round(height, 6), DISK_RADIUS * radius), []).append(words)
    for (middle, height, reach), names in told.items():
        above = sum(abs(x - middle) < reach and abs(y - height) < reach for x, y in seats)
        _text(axes, "\n".join(names), middle, height - reach, {"xytext": (0, -3 - LETTERS * above), "va": "top"}, DISK)
